"""Archives that can't be written: every reading command works on a file system that is mounted
read-only, and leaves nothing.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, StorageError
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.storage import frozen
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.captures import CAPTURES, CaptureIndex
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow
from tests.chaos.damage import evidence_that_waits
from tests.packaging.samples import BLOG, MOMENT, STAMP, entry
from tests.packaging.test_warc import make_wacz

POST = entry(1).post
STATE_VERSIONS = Path(__file__).parents[1] / "fixtures" / "state_versions"
MOUNT = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "arch%ive #1?"
    config = Config(archive=str(folder))
    open_archive(config, now=MOMENT)
    store, state = open_store(config), open_state(config)
    blog = ids.blog_id(BLOG.url)
    version = store.put(
        ids.urn(ids.entry_id(POST.canonical_url)), entry_aip(entry(1)), message="m", created=MOMENT
    )
    row = PostRow(
        blog_id=blog,
        url=POST.canonical_url,
        title=POST.title,
        published=POST.published,
        aip_id=version.object_id,
        aip_version=1,
    )
    state.save_post(row)
    version = store.put(
        ids.urn(blog),
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence={"c1.wacz": make_wacz()})),
        message="m",
        created=MOMENT,
    )
    state.save_blog(
        BlogRow(id=blog, url=BLOG.url, title="Notes", aip_id=version.object_id, aip_version=1)
    )
    state.end_crawl(
        CrawlRow(
            id="c1",
            blog_id=blog,
            spider="newcrawl",
            started=MOMENT,
            ended=MOMENT,
            outcome="finished",
        )
    )
    state.close()
    return folder


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


def run_read_only(archive: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(
        "unshare", "-rm", "sh", "-c", MOUNT, "sh", str(archive), *command(archive, *arguments)
    )


FORKS = """
import gc, json, os, sys
from pathlib import Path
from blogcrawl.cli.main import run
from tests.forked import import_all
import_all()
gc.freeze()
files = [Path(sys.argv[2], name) for name in ("stdout", "stderr")]
for arguments in json.loads(sys.argv[1]):
    if not os.fork():
        for number, path in enumerate(files, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["blogcrawl", *arguments]
        run()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.wait()[1])
    print(json.dumps([code, *(path.read_text() for path in files)]), flush=True)
"""
"""Run many commands in processes forked from one: starting Python costs more than they do."""


def run_all_read_only(
    archive: Path, work: Path, commands: Iterable[Sequence[str]]
) -> list[subprocess.CompletedProcess[str]]:
    lines = [[*arguments, "--archive", str(archive)] for arguments in commands]
    python = [sys.executable, "-c", FORKS, json.dumps(lines), str(work)]
    made = run("unshare", "-rm", "sh", "-c", MOUNT, "sh", str(archive), *python)
    assert made.returncode == 0, made.stderr
    ended = [json.loads(line) for line in made.stdout.splitlines()]
    return [subprocess.CompletedProcess(line, *one) for line, one in zip(lines, ended, strict=True)]


def command(archive: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "blogcrawl", *arguments, "--archive", str(archive)]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def mounts_read_only(folder: Path) -> bool:
    """Report whether this system lets us mount a folder read-only in a namespace of our own, where
    root can't write it either.
    """
    try:
        command = [
            "unshare",
            "-rm",
            "sh",
            "-c",
            MOUNT,
            "sh",
            str(folder),
            "touch",
            str(folder / "x"),
        ]
        made = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return False
    return b"Read-only" in made.stderr


COMMANDS = {
    "list": ["list"],
    "list as JSON": ["list", "--json"],
    "show a blog": ["show", BLOG.url],
    "show a post": ["show", POST.canonical_url],
    "verify": ["verify"],
    "verify a blog": ["verify", BLOG.url],
    "export to standard output": ["export"],
    "export bags": ["export", "--format", "bagit", "-o", "{out}/bags"],
    "export pages": ["export", "--format", "html", "-o", "{out}/pages"],
    "export evidence": ["export", "--format", "wacz", "-o", "{out}/wacz"],
    "report": ["report"],
    "report of a cluster": ["report", "--cluster"],
}


def test_reading_commands_work_on_a_read_only_file_system(archive: Path, tmp_path: Path) -> None:
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    (tmp_path / "out").mkdir()
    before = listing(archive)
    lines = {
        name: [part.format(out=tmp_path / "out") for part in arguments]
        for name, arguments in COMMANDS.items()
    }
    lines |= {"deep": ["verify", "--deep"], "rules": ["rules", BLOG.url]}
    ended = dict(zip(lines, run_all_read_only(archive, tmp_path, lines.values()), strict=True))
    for name, arguments in COMMANDS.items():
        assert ended[name].returncode == 0, (name, ended[name].stderr)
        assert ended[name].stdout or "-o" in arguments, name
    assert json.loads(ended["list as JSON"].stdout)[0]["posts"] == 1
    assert len(list((tmp_path / "out" / "bags").iterdir())) == 2
    deep, writable = ended["deep"], run(*command(archive, "verify", "--deep"))
    assert (deep.returncode, deep.stdout) == (writable.returncode, writable.stdout), (
        "what is found does not depend on the medium"
    )
    rules = ended["rules"]
    assert rules.returncode == 5 and "no rules were learned" in rules.stderr, "the state was read"
    assert listing(archive) == before


PYWB = {
    "wb-manager": "import sys; assert sys.argv[1:] == ['reindex', 'blog']",
    "wayback": (
        "import sys, http.server as s; s.test(s.SimpleHTTPRequestHandler, "
        "port=int(sys.argv[4]), bind=sys.argv[2])"
    ),
}
"""Programs in the place of pywb's: the second serves the folder it would replay from."""


def test_replay_works_on_a_read_only_file_system(archive: Path, tmp_path: Path) -> None:
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    evidence_that_waits(archive / "crawls" / ids.blog_id(BLOG.url))
    waiting = next((archive / "crawls").rglob("*.warc.gz"))
    (tmp_path / "pywb").mkdir()
    for name, code in PYWB.items():
        program = tmp_path / "pywb" / name
        program.write_text(f"#!{sys.executable}\n{code}\n")
        program.chmod(0o755)
    before = listing(archive)
    options = ["replay", BLOG.url, "--port", "0", "--pywb", str(tmp_path / "pywb")]
    mounted = ["unshare", "-rm", "sh", "-c", MOUNT, "sh", str(archive), *command(archive, *options)]
    with subprocess.Popen(mounted, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None and server.stderr is not None
            address = server.stdout.readline().decode()
            assert address.startswith("http://127.0.0.1:"), server.stderr.read().decode()
            with urllib.request.urlopen(
                f"{address[: address.index('/blog/')]}/collections/blog/archive/{waiting.name}",
            ) as answer:
                assert answer.read() == waiting.read_bytes()
        finally:
            server.terminate()
    assert server.returncode == 0 and listing(archive) == before


def test_capture_index_of_a_killed_crawl_verifies_on_read_only_disk(
    archive: Path, tmp_path: Path
) -> None:
    """Its newest rows wait in the log, and SQLite can't make the log's shared memory there."""
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    folder, live = archive / "crawls" / "blog", tmp_path / "live" / CAPTURES
    index = CaptureIndex(live)
    index.asked("https://blog.example/", b"GET / HTTP/1.1")
    index.flush()
    folder.mkdir(parents=True)
    for name in (CAPTURES, f"{CAPTURES}-wal"):
        shutil.copy(live.with_name(name), folder)
    index.close()
    before = listing(archive)
    made = run_read_only(archive, "verify")
    assert made.returncode == 0, made.stdout + made.stderr
    assert listing(archive) == before


@pytest.mark.parametrize(
    "arguments", [["import", "{archive}"], ["deposit", "--to", "folder:/nonexistent"]]
)
def test_writing_commands_report_a_read_only_archive(archive: Path, arguments: list[str]) -> None:
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    made = run_read_only(archive, *(part.format(archive=archive) for part in arguments))
    assert (
        made.returncode == 9
        and "can't be written" in made.stderr
        and len(made.stderr.splitlines()) == 1
    )


def test_rows_in_the_write_ahead_log_are_read(archive: Path, tmp_path: Path) -> None:
    """A crawl was killed, or still runs, when the archive was copied to the medium."""
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    state = open_state(Config(archive=str(archive)))
    state.save_blog(BlogRow(id=ids.blog_id("x"), url="https://second.example/", title="In the log"))
    copy = tmp_path / "copy"
    shutil.copytree(archive, copy)
    state.close()
    assert (copy / "state.db-wal").stat().st_size
    (copy / "state.db-shm").unlink()
    before = listing(copy)
    assert [row["title"] for row in json.loads(run_read_only(copy, "list", "--json").stdout)] == [
        "Notes",
        "In the log",
    ]
    assert listing(copy) == before


def test_older_schema_is_read_from_a_migrated_copy(archive: Path) -> None:
    if not mounts_read_only(archive):
        pytest.skip("no folder can be mounted read-only here (unshare -rm)")
    path = archive / "state.db"
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.executescript((STATE_VERSIONS / "1.sql").read_text("utf-8"))
    connection.close()
    before = listing(archive)
    made = run_read_only(archive, "report", "--cluster")
    assert made.returncode == 0, made.stderr
    assert json.loads(run_read_only(archive, "list", "--json").stdout)[0]["title"] == "Blåg"
    assert listing(archive) == before


def test_read_only_state_refuses_writes(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blogcrawl.storage.state.is_writable", lambda path: False)
    path = archive / "state.db"
    path.chmod(stat.S_IRUSR)
    state = open_state(Config(archive=str(archive)), reading=True)
    assert [blog.title for blog in state.blogs()] == ["Notes"]
    with pytest.raises((ArchiveError, StorageError), match="readonly"):
        state.save_blog(BlogRow(id="x", url="u"))
    state.close()


def test_database_writable_by_others_is_read_from_a_copy(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blogcrawl.storage.state.is_writable", lambda path: False)
    before = listing(archive)
    state = open_state(Config(archive=str(archive)), reading=True)
    with state.engine.connect() as connection:
        [(_, _, opened)] = connection.execute(text("PRAGMA database_list")).all()
    assert Path(opened) != archive / "state.db" and [blog.title for blog in state.blogs()] == [
        "Notes"
    ]
    state.close()
    assert not Path(opened).exists() and listing(archive) == before


def test_newer_or_damaged_database_is_a_one_line_error(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blogcrawl.storage.state.is_writable", lambda path: False)
    path = archive / "state.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    path.chmod(stat.S_IRUSR)
    with pytest.raises(ArchiveError, match="of version 9999"):
        open_state(Config(archive=str(archive)), reading=True)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    path.write_bytes(b"no database" * 1000)
    path.chmod(stat.S_IRUSR)
    with pytest.raises(ArchiveError, match="damaged"):
        open_state(Config(archive=str(archive)), reading=True)


def test_writable_state_is_opened_in_place(archive: Path) -> None:
    assert frozen.is_writable(archive / "state.db")
    state = open_state(Config(archive=str(archive)), reading=True)
    state.save_blog(BlogRow(id="x", url="u"))
    state.close()
