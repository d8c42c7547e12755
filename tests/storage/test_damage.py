"""verify, export, deposit and show on a damaged archive: the damaged package or file is named, the
rest is done.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from blogcrawl.cli.export import FORMATS
from blogcrawl.cli.main import cli
from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.packaging import ids
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.state import open_state
from tests.chaos import damage
from tests.packaging.samples import BLOG, entry

POST = ids.urn(ids.entry_id(entry(2).post.canonical_url))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return damage.made_archive(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def archive(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "archive"))


def command(*args: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of a command, in this process; a failure is what
    the command line makes of it.
    """
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(args=[str(one) for one in args], standalone_mode=False)
        except BlogcrawlError as error:
            code = error.exit_code
            err.write(str(error))
    out.flush()
    return int(code or 0), out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]


def verified(archive: Path, *options: str) -> tuple[int, str]:
    code, out, _ = command("verify", "--archive", archive, *options)
    return code, out


def flip(path: Path, at: int | None = None) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 if at is None else at] ^= 1
    path.write_bytes(data)


def package(archive: Path, object_id: str = POST) -> Path:
    return archive / "packages" / object_path(object_id)


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_verify_finds_damage_of_every_kind(archive: Path, count: int) -> None:
    """The short form of ``python -m tests.chaos.damage``; the seed is in the message."""
    seed = int(os.environ.get("BLOGCRAWL_TEST_SEED", "17"))
    result = damage.run(archive, count, seed, every=10)
    assert not result.missed, "\n".join(
        [f"BLOGCRAWL_TEST_SEED={seed}", *damage.table(result), *result.missed]
    )


def test_verify_without_deep_reports_what_it_skips(archive: Path) -> None:
    page = next(package(archive).rglob("source.html"))
    flip(page)
    code, out = verified(archive)
    assert code == 0 and "not read: content of pages" in out and "--deep" in out
    code, out = verified(archive, "--deep")
    assert code == 10 and POST in out and "source.html has changed" in out
    page.write_bytes(page.read_bytes()[:-1])
    code, out = verified(archive)
    assert code == 10 and POST in out, "sizes are compared without --deep too"


def test_unparsable_inventory_does_not_stop_verify(archive: Path) -> None:
    flip(package(archive) / "inventory.json")
    flip(next((archive / "packages").rglob("*.wacz")))
    code, out = verified(archive, "--deep")
    assert (
        code == 10 and POST in out and ids.urn(ids.blog_id(BLOG.url)) in out and "4 packages" in out
    )


@pytest.mark.parametrize("kind", FORMATS)
def test_export_skips_damaged_packages(archive: Path, tmp_path: Path, kind: str) -> None:
    of_blog = kind in ("warc", "wacz")
    damaged = ids.urn(ids.blog_id(BLOG.url)) if of_blog else POST
    flip(package(archive, damaged) / "inventory.json")
    named = "--set=organization=An archive"
    given = ("--archive", archive, "--format", kind, "-o", tmp_path / "out", named)
    code, _, err = command("export", *given)
    assert (
        code == 10
        and f"skipped {damaged}" in err
        and len([line for line in err.splitlines() if "skipped" in line]) == 1
    )
    packages = dict.fromkeys(("bagit", "eark-zip", "eark-sip", "archivematica"), 3)
    assert err.startswith(f"{(packages | {'warc': 0, 'wacz': 0}).get(kind, 2)} "), err
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]


def test_posts_of_a_damaged_blog_package_are_counted(archive: Path, tmp_path: Path) -> None:
    blog = ids.urn(ids.blog_id(BLOG.url))
    flip(package(archive, blog) / "inventory.json")
    code, _, err = command(
        "export", "--archive", archive, "--format", "marcxml", "-o", tmp_path / "out"
    )
    first, second = err.splitlines()
    assert code == 10 and first.startswith("3 posts ") and f"skipped {blog}" in second


@pytest.mark.parametrize("name", ["post.json", "source.html", "METS.xml"])
def test_damaged_content_is_not_exported(archive: Path, tmp_path: Path, name: str) -> None:
    flip(next(path for path in sorted(package(archive).rglob(name))))
    code, _, err = command("deposit", "--archive", archive, "--to", f"bag:{tmp_path / 'bags'}")
    assert code == 10 and POST in err and len(list((tmp_path / "bags").iterdir())) == 3
    code, _, err = command(
        "export", "--archive", archive, "--format", "bagit", "-o", tmp_path / "out"
    )
    assert code == 10 and POST in err and len(list((tmp_path / "out").iterdir())) == 3


def test_export_to_stdout_continues_after_damage(archive: Path) -> None:
    flip(next(package(archive).rglob("post.json")))
    code, out, err = command("export", "--archive", archive)
    assert (
        code == 10
        and len([json.loads(line) for line in out.splitlines()]) == 2
        and "post.json has changed" in err
    )


def test_show_of_a_damaged_post_is_a_one_line_error(archive: Path) -> None:
    flip(package(archive) / "inventory.json")
    code, _, err = command("show", "--archive", archive, entry(2).post.canonical_url)
    assert code == 10 and POST in err and len(err.splitlines()) == 1


def test_damaged_deposit_ledger_is_reported_and_packages_sent_again(
    archive: Path, tmp_path: Path
) -> None:
    target = f"folder:{tmp_path / 'target'}"
    assert command("deposit", "--archive", archive, "--to", target)[0] == 0
    newest = max((archive / "deposits").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    flip(newest, 20)
    code, out = verified(archive)
    assert code == 10 and newest.name in out and "line 1" in out
    code, out, err = command("deposit", "--archive", archive, "--to", target)
    assert code == 10 and "1 packages sent" in out and newest.name in err


STATES = {"missing": None, "empty": b"", "zeros": bytes(4096), "text": b"no database" * 1000}


@pytest.mark.parametrize("name", STATES)
def test_packages_are_verified_without_a_state(archive: Path, name: str) -> None:
    content = STATES[name]
    (archive / "state.db").unlink()
    if content is not None:
        (archive / "state.db").write_bytes(content)
    flip(package(archive) / "inventory.json")
    code, out = verified(archive)
    assert (
        code == 10
        and "state.db: " in out
        and POST in out
        and "4 packages" in out
        and "move it aside" in out
    )
    assert (archive / "state.db").exists() == (content is not None), "verify makes none"


@pytest.mark.parametrize("bytes_missing", [1, 19, 5000])
def test_truncated_state_is_reported(archive: Path, bytes_missing: int) -> None:
    path = archive / "state.db"
    os.truncate(path, path.stat().st_size - bytes_missing)
    code, out = verified(archive)
    assert code == 10 and "state.db: the end of the file is missing" in out


def test_state_is_rebuilt_from_packages(archive: Path) -> None:
    """What the advice of a damaged state names."""
    before = command("export", "--archive", archive)[1]
    (archive / "state.db").write_bytes(bytes(4096))
    code, _, err = command("list", "--archive", archive)
    assert (
        code == 9
        and "state database is damaged" in err
        and "blogcrawl import ARCHIVE/packages" in err
    )
    (archive / "state.db").rename(archive / "state.db.aside")
    assert command("import", "--archive", archive, archive / "packages")[0] == 0
    assert command("export", "--archive", archive)[1] == before
    assert verified(archive, "--deep")[0] == 0


def test_state_of_another_archive_is_detected(archive: Path) -> None:
    (archive / "state.db").unlink()
    open_state(Config(archive=str(archive))).close()
    code, out = verified(archive)
    assert code == 10 and "4 packages are in no row of the state" in out


def test_archive_marker_is_verified(archive: Path) -> None:
    mark = archive / "blogcrawl-archive.json"
    data = mark.read_bytes()
    mark.write_bytes(data.replace(b"2", b"3", 1))
    assert verified(archive)[0] == 10
    mark.unlink()
    code, out = verified(archive)
    assert code == 10 and "blogcrawl-archive.json: it is missing" in out and "4 packages" in out
    fields = json.loads(data)
    del fields["check"]
    mark.write_bytes(json.dumps(fields).encode())
    assert verified(archive)[0] == 0, "archives of the first version have no checksum"
