"""Exports, imports, deposits: what goes out comes back the same; interrupted work goes on; hostile
input stays out.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import BinaryIO

import pytest
from lxml import etree

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, DepositError, UsageError
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.parts import host_name
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.packaging.xmltools import parse
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.deposit import Ledger, deposit, open_target
from blogcrawl.storage.export import FILE_FORMATS, FORMATS, export, stream
from blogcrawl.storage.imports import import_packages
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Export, Selection
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.storage.verify import verify_store
from tests.packaging.samples import BLOG, MOMENT, NASTY, STAMP, comment, entry, with_media
from tests.packaging.test_warc import make_wacz

POSTS = 6


def fill(folder: Path) -> tuple[SqlState, PackageStore]:
    config = Config(archive=str(folder))
    store, state = open_store(config), open_state(config)
    blog = ids.blog_id(BLOG.url)
    chain = tuple(comment(i, i - 1 if i else None, content_html="<p>x</p>") for i in range(100))
    for number in range(POSTS):
        changes = {1: {"title": NASTY}, 2: {"comments": chain}}.get(number, {})
        source = with_media(number) if number == 0 else entry(number, post_changes=changes)
        post = source.post
        version = store.put(
            ids.urn(ids.entry_id(post.canonical_url)),
            entry_aip(source),
            message="m",
            created=MOMENT,
        )
        row = PostRow(
            blog_id=blog,
            url=post.canonical_url,
            title=post.title,
            published=post.published,
            aip_id=version.object_id,
            aip_version=1,
        )
        state.save_post(row)
    files = blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence={"c1.wacz": make_wacz()}))
    version = store.put(ids.urn(blog), files, message="m", created=MOMENT)
    state.save_blog(
        BlogRow(id=blog, url=BLOG.url, title=BLOG.title, aip_id=version.object_id, aip_version=1)
    )
    return state, store


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqlState, PackageStore]]:
    state, store = fill(tmp_path_factory.mktemp("archive"))
    yield state, store
    state.close()


def test_jsonl_has_one_record_per_line(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    target = tmp_path / "posts.jsonl"
    assert export("jsonl", Export(*archive, Selection(), target)) == POSTS
    lines = target.read_bytes().splitlines()
    post = entry(3).post
    urn = ids.urn(ids.entry_id(post.canonical_url))
    found = {
        "blog_id": ids.blog_id(BLOG.url),
        "post_id": ids.bare(urn),
        "aip_id": urn,
        "aip_version": 1,
    }
    assert encode({**found, **post_to_json(post)}) in lines and len(lines) == POSTS
    assert b"".join(stream("jsonl", *archive, Selection())) == target.read_bytes()


def test_selection_by_date_and_blog(archive: tuple[SqlState, PackageStore], tmp_path: Path) -> None:
    day = datetime(2026, 1, 3, tzinfo=UTC)
    assert export("jsonl", Export(*archive, Selection(since=day), tmp_path / "a")) == 4
    assert export("jsonl", Export(*archive, Selection(until=day), tmp_path / "b")) == 2
    assert export("jsonl", Export(*archive, Selection(blogs=("other",)), tmp_path / "c")) == 0


def test_marcxml_and_dc_exports_are_single_documents(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    pymarc = pytest.importorskip("pymarc")
    export("marcxml", Export(*archive, Selection(), tmp_path / "m.xml"))
    records = pymarc.parse_xml_to_array(str(tmp_path / "m.xml"))
    assert len(records) == 1 + POSTS + 3 * (POSTS - 1) + 100
    links = {f["w"] for record in records for f in record.get_fields("760", "773")}
    assert links <= {record["001"].data for record in records}
    export("dc", Export(*archive, Selection(), tmp_path / "d.xml"))
    assert len(etree.parse(str(tmp_path / "d.xml")).getroot()) == POSTS


def test_parquet_has_the_fields_of_the_record(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export("parquet", Export(*archive, Selection(), tmp_path / "p.parquet")) == POSTS
    rows = parquet.read_table(tmp_path / "p.parquet").to_pylist()
    assert len(rows) == POSTS and {len(row["comments"]) for row in rows} == {3, 100}
    assert rows[3]["aip_id"] == ids.urn(rows[3]["post_id"]) and rows[3]["aip_version"] == 1
    assert (
        rows[3]["published_date"] == date(2026, 1, 4)
        and (rows[3]["published"], rows[3]["published_precision"]) == (None, "day")
        and rows[0]["media"][0]["mime"] == "image/png"
    )


def test_folder_formats_are_exported(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    assert export("wacz", Export(*archive, Selection(), tmp_path / "wacz")) == 1
    assert export("warc", Export(*archive, Selection(), tmp_path / "warc")) == 1
    assert [p.name for p in (tmp_path / "warc").rglob("*.gz")] == ["a.warc.gz"]
    assert export("eark-zip", Export(*archive, Selection(), tmp_path / "zip")) == POSTS + 1
    for path in (tmp_path / "zip").iterdir():
        with zipfile.ZipFile(path) as package:
            assert {name.split("/")[0] for name in package.namelist()} == {
                path.name.removesuffix("-v1.zip")
            }
            assert package.testzip() is None


def test_bags_are_valid_by_the_library_of_congress(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    bagit = pytest.importorskip("bagit")
    assert export("bagit", Export(*archive, Selection(), tmp_path)) == POSTS + 1
    for path in tmp_path.iterdir():
        bag = bagit.Bag(str(path))
        assert bag.validate() and bag.info["External-Identifier"].startswith("urn:uuid:")


def test_bags_name_the_organization_as_far_as_it_is_set(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    bagit = pytest.importorskip("bagit")
    names = ("Source-Organization", "Organization-Address", "Contact-Email", "Contact-URL")
    for operator, known in (
        (Organization(), (None, None, None, None)),
        (
            Organization(name="An archive", address="1 Lane\nTown", contact="mailto:a@b.example"),
            ("An archive", "1 Lane Town", "a@b.example", None),
        ),
        (Organization(contact="https://b.example/"), (None, None, None, "https://b.example/")),
    ):
        folder = tmp_path / str(len(known[0] or "") + len(known[3] or ""))
        export("bagit", Export(*archive, Selection(), folder, operator=operator))
        info = bagit.Bag(str(next(folder.iterdir()))).info
        assert tuple(map(info.get, names)) == known
        assert "unknown" not in info.values()


@pytest.mark.parametrize("form", ["bagit", "eark-zip"])
def test_exported_packages_import_unchanged(
    archive: tuple[SqlState, PackageStore], tmp_path: Path, form: str
) -> None:
    export(form, Export(*archive, Selection(), tmp_path / "out"))
    config = Config(archive=str(tmp_path / "new"))
    state, store = open_state(config), open_store(config)
    done = import_packages(tmp_path / "out", store, state, now=MOMENT)
    assert (done.blogs, done.posts, done.refused) == (1, POSTS, {})
    again = import_packages(tmp_path / "out", store, state, now=MOMENT)
    assert (again.blogs, again.posts, again.unchanged) == (0, 0, POSTS + 1)
    assert verify_store(store, clock=lambda: MOMENT, deep=True).ok
    assert b"".join(stream("jsonl", state, store, Selection())) == b"".join(
        stream("jsonl", *archive, Selection())
    )
    assert [b.title for b in state.blogs()] == [BLOG.title]
    state.close()


def interrupted(
    monkeypatch: pytest.MonkeyPatch, form: str, state: SqlState, store: PackageStore, target: Path
) -> None:
    """Export that is stopped at the fifth post, four of them noted."""
    from blogcrawl.storage import export as module

    def stop(count: int) -> None:
        if count == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "_NOTE_EVERY", 2)
    with pytest.raises(KeyboardInterrupt):
        export(form, Export(state, store, Selection(), target, stop))


@pytest.mark.parametrize("form", list(FILE_FORMATS))
def test_interrupted_export_resumes(
    archive: tuple[SqlState, PackageStore],
    tmp_path: Path,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "out"
    interrupted(monkeypatch, form, *archive, target)
    assert (
        not target.exists() and json.loads((tmp_path / "out.part.json").read_bytes())["posts"] == 4
    )
    seen: list[int] = []
    assert export(form, Export(*archive, Selection(), target, seen.append)) == POSTS
    assert seen == [5, 6] and [p.name for p in tmp_path.iterdir()] == ["out"]
    assert target.read_bytes() == b"".join(stream(form, *archive, Selection()))


def test_interrupted_export_restarts_if_the_archive_grew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, store = fill(tmp_path / "archive")
    target = tmp_path / "out"
    interrupted(monkeypatch, "jsonl", state, store, target)
    first = next(state.posts())
    source = entry(99, post_changes={"canonical_url": "https://blog.example/older"})
    version = store.put(
        ids.urn(ids.entry_id(source.post.canonical_url)),
        entry_aip(source),
        message="m",
        created=MOMENT,
    )
    older = replace(
        first,
        url=source.post.canonical_url,
        published=datetime(1999, 1, 1, tzinfo=UTC),
        aip_id=version.object_id,
    )
    state.save_post(older)
    assert export("jsonl", Export(state, store, Selection(), target)) == POSTS + 1
    assert target.read_bytes() == b"".join(stream("jsonl", state, store, Selection()))
    state.close()


def test_invalid_export_targets_are_usage_errors(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for form, target in (
        ("warc", tmp_path / "file"),
        ("jsonl", tmp_path),
        ("nothing", tmp_path / "x"),
        ("dc", tmp_path / "pipe"),
    ):
        with pytest.raises(UsageError):
            export(form, Export(*archive, Selection(), target))
    with pytest.raises(UsageError):
        list(stream("warc", *archive, Selection()))
    assert set(FORMATS) == {
        "jsonl",
        "marcxml",
        "dc",
        "parquet",
        "warc",
        "wacz",
        "bagit",
        "eark-zip",
        "eark-sip",
        "archivematica",
    }


def hostile_zips() -> list[tuple[str, bytes]]:
    def made(name: str, mode: int = 0o100644) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as package:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            package.writestr(info, b"x")
        return out.getvalue()

    locked = bytearray(made("METS.xml"))
    locked[6] |= 1  # the flags of both headers say: encrypted
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    return [
        ("locked", bytes(locked)),
        ("up", made("../../evil.txt")),
        ("root", made("/etc/evil")),
        ("drive", made("C:\\evil")),
        ("back", made("a\\..\\..\\evil")),
        ("link", made("link", 0o120777)),
        ("nozip", b"PK\x03\x04 no"),
    ]


@pytest.mark.parametrize(("name", "data"), hostile_zips())
def test_hostile_zips_are_refused(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"{name}.zip").write_bytes(data)
    config = Config(archive=str(tmp_path / "archive"))
    state, store = open_state(config), open_store(config)
    done = import_packages(tmp_path / "in", store, state, now=MOMENT)
    assert len(done.refused) == 1 and list(store.object_ids()) == []
    assert not list(tmp_path.parent.glob("evil*"))
    state.close()


@pytest.mark.parametrize(
    "harm", ["payload", "extra", "fetch", "outside", "mets", "nul", "latin", "link", "loop"]
)
def test_damaged_bags_are_refused_and_others_imported(
    archive: tuple[SqlState, PackageStore], tmp_path: Path, harm: str
) -> None:
    export("bagit", Export(*archive, Selection(), tmp_path / "out"))
    bag = min((tmp_path / "out").iterdir())
    if harm == "payload":
        next((bag / "data").rglob("dc.xml")).write_bytes(b"changed")
    elif harm == "extra":
        (bag / "data" / "extra").write_bytes(b"x")
    elif harm == "fetch":
        (bag / "fetch.txt").write_text("http://127.0.0.1/x 1 data/x\n")
    elif harm == "outside":
        manifest = bag / "manifest-sha512.txt"
        manifest.write_text(manifest.read_text() + "00  data/../../../x\n")
    elif harm in ("nul", "latin"):
        manifest = bag / "manifest-sha512.txt"
        manifest.write_bytes(
            manifest.read_bytes() + (b"00  data/\0x\n" if harm == "nul" else b"00  data/\xff\n")
        )
    elif harm == "link":
        linked = next((bag / "data").rglob("dc.xml"))
        linked.rename(tmp_path / "dc.xml")
        linked.symlink_to(tmp_path / "dc.xml")
    elif harm == "loop":
        (bag / "data" / "extra").write_bytes(b"x")
        (tmp_path / "out" / "loop").symlink_to(tmp_path / "out")
    else:
        for name in ("md5", "sha1", "sha256", "sha512"):
            (bag / f"manifest-{name}.txt").unlink()
    config = Config(archive=str(tmp_path / "archive"))
    state, store = open_state(config), open_store(config)
    done = import_packages(tmp_path / "out", store, state, now=MOMENT)
    assert list(done.refused) == [str(bag)] and done.blogs + done.posts == POSTS
    state.close()


def test_import_without_packages_is_an_error(tmp_path: Path) -> None:
    config = Config(archive=str(tmp_path / "archive"))
    state, store = open_state(config), open_store(config)
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(ArchiveError):
            import_packages(place, store, state, now=MOMENT)
    state.close()


@pytest.mark.parametrize("scheme", ["folder", "bag", "zip"])
def test_deposits_send_each_version_once(tmp_path: Path, scheme: str) -> None:
    state, store = fill(tmp_path / "archive")
    url = f"{scheme}:{tmp_path / 'target'}"
    folder = tmp_path / "archive" / "deposits"
    first = deposit(state, store, Selection(), open_target(url), Ledger(folder, url))
    assert (first.sent, first.known, first.failed) == (POSTS + 1, 0, {})
    made = set((tmp_path / "target").iterdir())
    assert len(made) == POSTS + 1
    again = deposit(state, store, Selection(), open_target(url), Ledger(folder, url))
    assert (again.sent, again.known) == (0, POSTS + 1)
    lost = deposit(state, store, Selection(), open_target(url), Ledger(tmp_path / "lost", url))
    assert lost.sent == POSTS + 1 and set((tmp_path / "target").iterdir()) == made
    post = entry(3, comments=4)
    store.put(
        ids.urn(ids.entry_id(post.post.canonical_url)), entry_aip(post), message="m", created=MOMENT
    )
    assert deposit(state, store, Selection(), open_target(url), Ledger(folder, url)).sent == 1
    events = list(folder.glob("*.premis.xml"))
    assert len(events) == POSTS + 2 and all(b"replication" in p.read_bytes() for p in events)
    state.close()


def test_event_of_a_deposit_names_its_agents(tmp_path: Path) -> None:
    state, store = fill(tmp_path / "archive")
    url, folder = f"bag:{tmp_path / 'target'}", tmp_path / "deposits"
    operator = Organization(name="An archive", identifier="https://ror.org/05xpvk416")
    target = open_target(url, operator)
    deposit(state, store, Selection(), target, Ledger(folder, url), operator=operator)
    state.close()
    event = parse(next(folder.glob("*.premis.xml")).read_bytes())
    agents = dict(
        zip(
            event.xpath("//*[local-name()='agentType']/text()"),
            event.xpath("//*[local-name()='agentName']/text()"),
            strict=True,
        )
    )
    assert agents == {
        "software": "blogcrawl",
        "hardware": host_name(),
        "organization": "An archive",
    }
    assert event.xpath("//*[local-name()='linkingAgentRole']/text()") == [
        "executing program",
        "host",
        "implementer",
    ]
    info = next((tmp_path / "target").glob("*/bag-info.txt")).read_text()
    assert "Source-Organization-Identifier: https://ror.org/05xpvk416" in info


class Flaky:
    """A target that breaks off at every third package, then for good."""

    def __init__(self, *, dead: bool = False) -> None:
        self.numbers, self.got, self.dead = itertools.count(1), [], dead

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        if self.dead or next(self.numbers) % 3 == 0:
            raise DepositError("connection reset")
        self.got.append(version.object_id)  # type: ignore[attr-defined]
        return "receipt"


def test_interrupted_deposit_resumes(tmp_path: Path) -> None:
    state, store = fill(tmp_path / "archive")
    folder = tmp_path / "deposits"
    first = deposit(state, store, Selection(), Flaky(), Ledger(folder, "x:y"))
    assert first.sent == 5 and len(first.failed) == 2
    ledger = next(folder.glob("*.jsonl"))
    ledger.write_bytes(ledger.read_bytes()[:-10])  # killed while it wrote the last line
    second = Flaky()
    assert deposit(state, store, Selection(), second, Ledger(folder, "x:y")).known == 4
    with pytest.raises(DepositError, match="five deposits"):
        deposit(state, store, Selection(), Flaky(dead=True), Ledger(tmp_path / "d2", "x:z"))
    state.close()


def test_deposit_passwords_are_not_stored(tmp_path: Path) -> None:
    assert Ledger(tmp_path, "fedora+https://me:secret@host/rest").url == "fedora+https://host/rest"


@pytest.mark.parametrize("url", ["", "gopher://x", "nosuch.module:f+x", "fedora"])
def test_unknown_deposit_targets_are_usage_errors(url: str) -> None:
    with pytest.raises(UsageError):
        open_target(url)


def test_export_imports_no_heavy_libraries() -> None:
    """Nothing here pulls in pyarrow, fsspec or pywb before it is needed."""
    script = (
        "import sys, blogcrawl.storage.export, blogcrawl.storage.deposit, "
        "blogcrawl.storage.imports, blogcrawl.storage.ocfl\n"
    )
    script += (
        "print([m for m in ('pyarrow', 'fsspec', 's3fs', 'warcio', 'scrapy', 'sklearn') "
        "if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True
        ).stdout.strip()
        == "[]"
    )
