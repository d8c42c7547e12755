"""``import``: what is hostile or damaged is refused by name, the rest comes in, and nothing that is
there is lost or replaced.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import random
import re
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from sqlalchemy import text

from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError, StorageError
from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import written
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.layout import BLOG_JSON, MEDIA, POST_JSON
from blogcrawl.packaging.records import blog_to_json
from blogcrawl.packaging.xmltools import METS
from blogcrawl.storage import trees
from blogcrawl.storage.export import export, stream
from blogcrawl.storage.imports import Imported, import_packages, post_row
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.ocfl_local import LocalStore
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.removal import Remover
from blogcrawl.storage.selection import Export, Selection
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, MediaRow, PostRow
from blogcrawl.storage.verify import verify_store
from blogcrawl.text.language import letters_of
from tests.packaging.samples import BLOG, MOMENT, PNG, PNG_SHA, STAMP, entry, with_media
from tests.storage import hostile
from tests.storage.hostile import Files

NOW = MOMENT + timedelta(days=30)
GOOD = 9
"""Number of the post whose package is next to the hostile one."""


@dataclass
class Place:
    """An archive with folders around it that no import may touch."""

    root: Path
    store: LocalStore
    state: SqlState

    def take(self, source: Path | None = None, *, force: bool = False) -> Imported:
        return import_packages(
            source or self.root / "in", self.store, self.state, now=NOW, replace=force
        )

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table."""
        with self.state.engine.connect() as connection:
            tables = ("blogs", "posts", "media", "crawls", "aliases", "leases")
            return {
                table: sorted(
                    map(tuple, connection.execute(text(f"SELECT * FROM {table}"))), key=repr
                )
                for table in tables
            }

    def bytes(self) -> dict[str, str]:
        """Digest of every file of the store."""
        return snapshot(self.store.root)


def snapshot(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


def opened(root: Path, name: str = "archive") -> Place:
    config = Config(archive=str(root / name))
    store = open_store(config)
    assert isinstance(store, LocalStore)
    return Place(root, store, open_state(config))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    for victim in ("victim", "archive/victim", "in/victim"):
        (tmp_path / victim).mkdir(parents=True)
        (tmp_path / victim / "precious").write_text("kept")
    found = opened(tmp_path)
    yield found
    for victim in ("victim", "archive/victim", "in/victim"):
        assert snapshot(tmp_path / victim) == {"precious": hashlib.sha256(b"kept").hexdigest()}
    found.state.close()


def only_the_good_one_came_in(place: Place, done: Imported, why: str) -> None:
    assert (done.posts, done.blogs, done.unchanged, done.conflicts) == (1, 0, 0, {})
    [reason] = done.refused.values()
    assert re.search(why, reason), reason
    assert len(reason.splitlines()) == 1 and len(reason) <= 401
    good = ids.urn(ids.entry_id(entry(GOOD).post.canonical_url))
    assert list(place.store.object_ids()) == [good]
    assert [row.aip_id for row in place.state.posts()] == [good]
    assert verify_store(place.store, clock=lambda: NOW, deep=True).ok
    assert sorted(path.name for path in place.root.iterdir()) == ["archive", "in", "victim"]
    assert list(place.store.work.iterdir()) == [place.store.work / "locks"]


def attribute(name: str, value: str) -> Callable[[Files], object]:
    return hostile.with_mets(lambda root: root.set(name, value))


def header(name: str, value: str) -> Callable[[Files], object]:
    return hostile.with_mets(lambda root: hostile.head(root).set(name, value))


def field(name: str, value: Any, of: str = "post") -> Callable[[Files], object]:
    return hostile.with_record(lambda record: record.__setitem__(name, value), of)


def part(of: str, name: str, value: Any) -> Callable[[Files], object]:
    return hostile.with_record(lambda record: record[of][0].__setitem__(name, value))


def checksum(kind: str | None, value: str = "0" * 8) -> Callable[[Files], object]:
    def change(root: etree._Element) -> None:
        element = next(root.iter(f"{{{METS}}}file"))
        element.attrib.pop("CHECKSUMTYPE")
        if kind:
            element.set("CHECKSUMTYPE", kind)
        element.set("CHECKSUM", value)

    return hostile.with_mets(change)


def link(target: str) -> Callable[[Files], object]:
    return hostile.with_mets(
        lambda root: next(root.iter(f"{{{METS}}}FLocat")).set(hostile.HREF, target)
    )


def other_media(files: Files) -> None:
    path = next(path for path in files if path.startswith(MEDIA))
    files[path] = PNG + b"another picture"


def renamed_parent(value: str) -> Callable[[Files], object]:
    def change(root: etree._Element) -> None:
        for pointer in root.iter(f"{{{METS}}}mptr"):
            if pointer.get(hostile.HREF, "").startswith("urn:uuid:"):
                pointer.set(hostile.HREF, value)

    return hostile.with_mets(change, "representations/web/METS.xml")


def dropped(path: str) -> Callable[[Files], object]:
    return lambda files: files.pop(path)


def both_records(files: Files) -> None:
    files[BLOG_JSON] = hostile.blog_files()[BLOG_JSON]
    hostile.with_mets(lambda root: _name_too(root, BLOG_JSON, files[BLOG_JSON]))(files)


def _name_too(root: etree._Element, path: str, content: bytes) -> None:
    section = next(iter(root.iter(f"{{{METS}}}dmdSec")))
    reference = etree.SubElement(
        section, f"{{{METS}}}mdRef", CHECKSUMTYPE="SHA-512", CHECKSUM="", SIZE="", MDTYPE="OTHER"
    )
    reference.set(hostile.HREF, path)


POSTS: dict[str, tuple[Callable[[Files], object], str]] = {
    "id that leads up": (
        attribute("OBJID", "../../victim"),
        r"^'../../victim' is not an identifier",
    ),
    "id with prefix that leads up": (
        attribute("OBJID", "uuid-../../victim"),
        "is not an identifier",
    ),
    "id as absolute path": (
        attribute("OBJID", "/etc/passwd"),
        "'/etc/passwd' is not an identifier",
    ),
    "id of 5,000 letters": (attribute("OBJID", "a" * 5000), "a…' is not an identifier"),
    "id in capitals": (attribute("OBJID", hostile.other_id(1).upper()), "is not an identifier"),
    "id of another post": (
        attribute("OBJID", hostile.other_id(1)),
        "is not the identifier of the post",
    ),
    "no id": (attribute("OBJID", ""), "no OBJID"),
    "blog that leads up": (
        renamed_parent("urn:uuid:../../victim"),
        "'urn:uuid:../../victim' is not an identifier",
    ),
    "no blog": (renamed_parent(""), "names no blog"),
    "date before year 1": (
        header("LASTMODDATE", "0001-01-01T00:00:00+14:00"),
        "is no RFC 3339 time",
    ),
    "date after year 9999": (
        header("LASTMODDATE", "9999-12-31T23:59:59-14:00"),
        "is no RFC 3339 time",
    ),
    "date in the future": (header("LASTMODDATE", "2343-01-01T00:00:00Z"), "dated in the future"),
    "no date": (header("CREATEDATE", ""), "CSIP7"),
    "invalid date": (header("CREATEDATE", "yesterday"), "'yesterday' is no RFC 3339 time"),
    "title as number": (field("title", 5), "title: a number can't stand there"),
    "address null": (field("canonical_url", None), "canonical_url: null can't stand there"),
    "address missing": (hostile.with_record(lambda record: record.pop("url")), "url is missing"),
    "comments null": (field("comments", None), "comments: null, not an array"),
    "comment null": (field("comments", [None]), "this is no Comment record: null, not an object"),
    "comment without id": (part("comments", "id", None), "id: null can't stand there"),
    "author as object": (
        part("comments", "author", {"a": 1}),
        "author: an object can't stand there",
    ),
    "authors of numbers": (
        field("authors", [1, 2]),
        "authors: an array of something other than texts",
    ),
    "media null": (field("media", None), "media: null, not an array"),
    "media without address": (part("media", "url", None), "url: null can't stand there"),
    "media of 2**63 bytes": (part("media", "size", 2**63), "size: the number is too large"),
    "media of another digest": (other_media, "has another SHA-256"),
    "2**64 comments": (field("comments_shown", 2**64), "comments_shown: the number is too large"),
    "10**400 comments": (
        field("comments_shown", 10**400),
        "comments_shown: the number is too large",
    ),
    "comments as fraction": (
        field("comments_shown", 1.5),
        "comments_shown: a number can't stand there",
    ),
    "status as truth value": (
        field("http_status", True),
        "http_status: a truth value can't stand there",
    ),
    "published before year 1": (
        field("published", "0001-01-01T00:00:00+05:00"),
        "is no RFC 3339 time",
    ),
    "published as number": (field("published", 5), "5 is no RFC 3339 time"),
    "extraction as text": (field("extraction", "x"), "extraction: a text, not an object"),
    "confidence as text": (
        field("extraction", {"title": {"confidence": "high"}}),
        "extraction: a text can't stand there",
    ),
    "confidence that is no number": (
        field("extraction", {"title": {"confidence": float("nan")}}),
        "extraction: the number is too large",
    ),
    "record that is a list": (lambda files: files.update({POST_JSON: b"[]"}), "not a JSON record"),
    "record that is deep": (
        lambda files: files.update({POST_JSON: b"[" * 100_000}),
        "not a JSON record",
    ),
    "record with huge number": (
        lambda files: files.update({POST_JSON: b'{"url": ' + b"9" * 5000 + b"}"}),
        "not a JSON record",
    ),
    "no record": (dropped(POST_JSON), "named but missing"),
    "two records": (both_records, "neither a post nor a blog"),
    "CRC32": (checksum("CRC32"), r"has a checksum that can't be checked \(CRC32\)"),
    "unknown checksum": (checksum("MNP"), r"has a checksum that can't be checked \(MNP\)"),
    "no checksum type": (
        checksum(None),
        r"has a checksum that can't be checked \(no CHECKSUMTYPE\)",
    ),
    "wrong MD5": (checksum("MD5"), "has another MD5 digest"),
    "wrong SHA-256": (checksum("SHA-256"), "has another SHA-256 digest"),
    "link that leads up": (link("../../victim/precious"), "leads out of the package"),
    "link that leads up, encoded": (
        link("%2e%2e/%2e%2e/victim/precious"),
        "leads out of the package",
    ),
    "link to the root": (link("/etc/passwd"), "leads out of the package"),
    "link to a URL": (link("file:///etc/passwd"), "leads out of the package"),
    "METS that is no XML": (lambda files: files.update({"METS.xml": b"<"}), "is not well-formed"),
    "METS that is another document": (
        lambda files: files.update({"METS.xml": b"<x/>"}),
        "is no METS document",
    ),
    "METS with entities": (
        lambda files: files.update(
            {"METS.xml": b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'}
        ),
        "is no METS",
    ),
    "file that no METS names": (lambda files: files.update({"extra": b"x"}), "is an orphan"),
}
BLOGS: dict[str, tuple[Callable[[Files], object], str]] = {
    "blog id that leads up": (attribute("OBJID", "uuid-../../victim"), "is not an identifier"),
    "blog address null": (field("url", None, "blog"), "url: null can't stand there"),
    "feeds null": (field("feeds", None, "blog"), "feeds: null, not an array"),
    "infinitely many posts": (
        field("posts_per_week", float("inf"), "blog"),
        "posts_per_week: the number is too large",
    ),
    "first post before year 1": (
        field("first_post", "0001-01-01T00:00:00+01:00", "blog"),
        "is no RFC 3339 time",
    ),
    "status of 2**31": (
        field("http_status", 2**31, "blog"),
        "http_status: the number is too large",
    ),
}


@pytest.mark.parametrize(
    ("case", "form"),
    list(zip([*POSTS, *BLOGS], itertools.cycle(("folder", "zip", "bag")), strict=False)),
)
def test_hostile_package_is_refused_by_name_and_the_next_one_is_imported(
    place: Place, case: str, form: str
) -> None:
    mutate, why = (POSTS | BLOGS)[case]
    files = hostile.post_files() if case in POSTS else hostile.blog_files()
    fits = case not in ("wrong MD5", "wrong SHA-256")
    mutate(files)
    files = hostile.refreshed(files) if fits else files
    target = place.root / "in" / "a-hostile"
    if form == "zip":
        hostile.write_zip(files, target.with_suffix(".zip"), "x")
    else:
        {"folder": hostile.write_folder, "bag": hostile.write_bag}[form](files, target)
    hostile.write_zip(hostile.post_files(GOOD), place.root / "in" / "b-good.zip")
    only_the_good_one_came_in(place, place.take(), why)


def entry_of(
    name: str, content: bytes = b"x", *, mode: int = 0o100644, method: int = zipfile.ZIP_DEFLATED
) -> Callable[[Path], object]:
    def add(path: Path) -> None:
        with zipfile.ZipFile(path, "a") as package:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            package.writestr(info, content)

    return add


def twice(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as package, pytest.warns(UserWarning):
        package.writestr(package.namelist()[0], b"x")


def patched(change: Callable[[bytearray], object]) -> Callable[[Path], object]:
    def apply(path: Path) -> None:
        data = bytearray(path.read_bytes())
        change(data)
        path.write_bytes(data)

    return apply


def encrypted(data: bytearray) -> None:
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1


def lying(data: bytearray) -> None:
    """The first entry says that it unpacks to almost 4 GB."""
    struct.pack_into("<L", data, 22, 2**32 - 2)
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 24, 2**32 - 2)


def overlapping(path: Path) -> None:
    """Many names for the same compressed bytes, as in ZIP bombs without nesting."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("k", bytes(4 * 2**20))
        first = package.getinfo("k")
        for number in range(300):
            copy = zipfile.ZipInfo(f"x{number}")
            copy.compress_type, copy.CRC, copy.file_size = (
                first.compress_type,
                first.CRC,
                first.file_size,
            )
            copy.compress_size, copy.header_offset = first.compress_size, first.header_offset
            package.filelist.append(copy)
    path.write_bytes(out.getvalue())


ZIPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "name that leads up": (entry_of("../../victim/precious"), "leads out of the package"),
    "name that leads up inside": (entry_of("a/../../victim/precious"), "leads out of the package"),
    "absolute name": (entry_of("/tmp/victim"), "leads out of the package"),
    "name with drive": (entry_of("C:/victim"), "leads out of the package"),
    "name with backslashes": (entry_of("a\\..\\..\\victim"), "leads out of the package"),
    "empty step": (entry_of("a//b"), "leads out of the package"),
    "symbolic link": (
        entry_of("x/link", b"/etc/passwd", mode=0o120777),
        "'x/link' is a symbolic link",
    ),
    "device": (entry_of("x/null", mode=0o020666), "neither a file nor a folder"),
    "name twice": (twice, "is in the ZIP twice"),
    "names that differ in case": (entry_of("X/mets.XML"), "are one name where case does not count"),
    "names that differ in form": (
        lambda path: (entry_of("x/\u00e9")(path), entry_of("x/e\u0301")(path)),
        "are one name",
    ),
    "file and folder": (lambda path: (entry_of("x/f/")(path), entry_of("x/f")(path)), "twice"),
    "encrypted": (patched(encrypted), "is encrypted"),
    "LZMA": (entry_of("x/lzma", method=zipfile.ZIP_LZMA), "compressed in a way"),
    "bzip2": (entry_of("x/bz", method=zipfile.ZIP_BZIP2), "compressed in a way"),
    "bomb": (entry_of("x/bomb", bytes(100 * 2**20)), "more than 200 times as many"),
    "bomb of overlaps": (overlapping, "more than 200 times as many"),
    "size that lies": (patched(lying), "more than 200 times as many"),
    "cut short": (patched(lambda data: data.__delitem__(slice(len(data) // 2, None))), "."),
    "bytes changed": (patched(lambda data: data.__setitem__(slice(60, 80), bytes(20))), "."),
    "no ZIP": (lambda path: path.write_bytes(b"PK\x03\x04 no"), "not a zip file"),
    "empty": (lambda path: path.write_bytes(b""), "not a zip file"),
    "nothing in it": (lambda path: zipfile.ZipFile(path, "w").close(), "no package in it"),
    "name of 5,000 letters": (entry_of("x/" + "n" * 5000), "is an orphan"),
    "name with newlines": (entry_of("x/a\nb\x1b[31m"), "is an orphan"),
}


@pytest.mark.parametrize("case", list(ZIPS))
def test_hostile_zip_is_refused_by_name_and_the_next_one_is_imported(
    place: Place, case: str
) -> None:
    mutate, why = ZIPS[case]
    target = hostile.write_zip(hostile.post_files(), place.root / "in" / "a-hostile.zip", "x")
    mutate(target)
    hostile.write_zip(hostile.post_files(GOOD), place.root / "in" / "b-good.zip")
    only_the_good_one_came_in(place, place.take(), why)


def test_zip_with_too_many_or_too_large_files_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile.write_zip(hostile.post_files(), place.root / "in" / "a.zip")
    monkeypatch.setattr(trees, "MAX_FILES", 5)
    assert "more than 5 files" in next(iter(place.take().refused.values()))
    monkeypatch.undo()
    monkeypatch.setattr(trees, "MAX_BYTES", 1000)
    assert "more than 1000" in next(iter(place.take().refused.values()))


def appended(name: str, line: str) -> Callable[[Path], object]:
    return lambda bag: (bag / name).write_text(
        (bag / name).read_text() + line, "utf-8", "surrogateescape"
    )


def manifest_of(algorithm: str) -> Callable[[Path], object]:
    return lambda bag: (bag / f"manifest-{algorithm}.txt").write_text(
        f"00  data/{bag.name}/METS.xml\n"
    )


BAGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "unknown checksums only": (
        lambda bag: (
            (bag / "manifest-sha512.txt").rename(bag / "manifest-blake9.txt"),
            (bag / "tagmanifest-sha512.txt").unlink(),
        ),
        "manifest-blake9.txt: checksums of this kind can't be checked",
    ),
    "unknown checksums too": (
        manifest_of("crc32"),
        "manifest-crc32.txt: checksums of this kind can't be checked",
    ),
    "two manifests that differ": (manifest_of("md5"), r"has changed \(md5\)"),
    "changed file": (
        lambda bag: next((bag / "data").rglob("dc.xml")).write_bytes(b"x"),
        r"has changed \(sha512\)",
    ),
    "file in no manifest": (
        lambda bag: (bag / "data" / "extra").write_bytes(b"x"),
        "data/extra is in no manifest",
    ),
    "missing file": (lambda bag: next((bag / "data").rglob("dc.xml")).unlink(), "is missing"),
    "fetch": (
        lambda bag: (bag / "fetch.txt").write_text("http://127.0.0.1/x 1 data/x\n"),
        "nothing is downloaded",
    ),
    "path that leads up": (
        appended("manifest-sha512.txt", "00  data/../../../victim/precious\n"),
        "leads out of the bag",
    ),
    "absolute path": (appended("manifest-sha512.txt", "00  /etc/passwd\n"), "leads out of the bag"),
    "path of a tag": (appended("manifest-sha512.txt", "00  bagit.txt\n"), "is not in data/"),
    "tag path that leads up": (
        appended("tagmanifest-sha512.txt", "00  ../victim/precious\n"),
        "leads out of the bag",
    ),
    "path with NUL": (appended("manifest-sha512.txt", "00  data/\0x\n"), "leads out of the bag"),
    "path that is not UTF-8": (
        appended("manifest-sha512.txt", "00  data/\udcff\n"),
        "is not UTF-8",
    ),
    "line without path": (
        appended("manifest-sha512.txt", "0123\n"),
        "a line without digest and path",
    ),
    "path twice": (
        lambda bag: appended("manifest-sha512.txt", (bag / "manifest-sha512.txt").read_text())(bag),
        "twice",
    ),
    "changed tag": (
        lambda bag: (bag / "bagit.txt").write_text("BagIt-Version: 1.0\n"),
        r"bagit.txt has changed",
    ),
    "count that is wrong": (
        lambda bag: (
            (bag / "tagmanifest-sha512.txt").unlink(),
            (bag / "bag-info.txt").write_text("Payload-Oxum: 1.1\n"),
        ),
        "bag-info.txt counts 1.1",
    ),
    "link for a file": (
        lambda bag: relinked(next((bag / "data").rglob("dc.xml"))),
        "is a symbolic link",
    ),
    "link for a folder": (
        lambda bag: (bag / "data" / "up").symlink_to("../../victim"),
        "'data/up' is a symbolic link",
    ),
    "pipe": (lambda bag: os.mkfifo(bag / "data" / "pipe"), "neither a file nor a folder"),
    "package outside the payload": (
        lambda bag: hostile.write_folder(hostile.post_files(3), bag / "tag"),
        "not in the payload",
    ),
}


def relinked(path: Path) -> None:
    shutil.copy(path, path.parent / "copy")
    path.unlink()
    path.symlink_to("copy")


@pytest.mark.parametrize("case", list(BAGS))
def test_hostile_bag_is_refused_by_name_and_the_next_one_is_imported(
    place: Place, case: str
) -> None:
    mutate, why = BAGS[case]
    mutate(hostile.write_bag(hostile.post_files(), place.root / "in" / "a-hostile"))
    hostile.write_zip(hostile.post_files(GOOD), place.root / "in" / "b-good.zip")
    only_the_good_one_came_in(place, place.take(), why)


def first_path(inventory: dict[str, Any], value: str) -> None:
    next(iter(inventory["manifest"].values()))[0] = value


def logical(inventory: dict[str, Any], value: str) -> None:
    next(iter(inventory["versions"]["v1"]["state"].values()))[0] = value


def linked(folder: Path) -> None:
    path = next(folder.rglob("dc.xml"))
    os.link(path, folder.parent / "elsewhere")


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda folder: hostile.resigned(folder, change)


def early(inventory: dict[str, Any]) -> None:
    inventory["versions"]["v1"]["created"] = "0001-01-01T00:00:00+14:00"


def rewritten(path: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: next(folder.rglob(path)).write_bytes(content)


OBJECTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "content path that leads up": (
        changed(lambda i: first_path(i, "v1/content/../../../victim")),
        "is not in a version",
    ),
    "absolute content path": (
        changed(lambda i: first_path(i, "/etc/passwd")),
        "is not in a version",
    ),
    "logical path that leads up": (
        changed(lambda i: logical(i, "../../victim")),
        "can't be a path",
    ),
    "absolute logical path": (changed(lambda i: logical(i, "/etc/passwd")), "can't be a path"),
    "id that leads up": (changed(lambda i: i.update(id="../../victim")), "is not an identifier"),
    "id of another package": (
        changed(lambda i: i.update(id=ids.urn(ids.blog_id("x")))),
        "holds urn:uuid:",
    ),
    "head of 20 digits": (lambda folder: _head(folder), "is damaged"),
    "null versions": (changed(lambda i: i.update(versions=None)), "versions is no object"),
    "date before year 1": (changed(early), "no RFC 3339 time"),
    "unknown digest algorithm": (changed(lambda i: i.update(digestAlgorithm="crc32")), "not known"),
    "sidecar of another": (
        rewritten("inventory.json.sha512", b"0" * 128 + b" inventory.json\n"),
        "does not fit",
    ),
    "changed content": (rewritten("dc.xml", b"x"), "has changed"),
    "symbolic link": (lambda folder: relinked(next(folder.rglob("dc.xml"))), "is a symbolic link"),
    "hard link": (linked, "has another name elsewhere"),
    "extra file": (
        lambda folder: (folder / "v1" / "content" / "extra").write_bytes(b"x"),
        "is an orphan",
    ),
    "no inventory": (lambda folder: (folder / "inventory.json").unlink(), "has no inventory"),
}


def _head(folder: Path) -> None:
    path = folder / "inventory.json"
    path.write_bytes(path.read_bytes().replace(b'"v1"', b'"v' + b"9" * 20 + b'"', 1))


@pytest.mark.parametrize("case", list(OBJECTS))
def test_hostile_ocfl_object_is_refused_and_the_next_one_is_imported(
    place: Place, case: str
) -> None:
    mutate, why = OBJECTS[case]
    other = opened(place.root / "in", "other")
    source = with_media(0)
    object_id = ids.urn(ids.entry_id(source.post.canonical_url))
    other.store.put(object_id, entry_aip(source), message="m", created=MOMENT)
    other.state.close()
    mutate(other.store.root / object_path(object_id))
    hostile.write_zip(hostile.post_files(GOOD), place.root / "in" / "z-good.zip")
    only_the_good_one_came_in(place, place.take(), why)


# what the archive has already


def crawled(
    place: Place, *, title: str = "Post 1", day: int = 0, first: int = 0, comments: int = 3
) -> Post:
    """Post 1 as a crawl of that day archives it: a version in the store, and its row."""
    changed = MOMENT + timedelta(days=day)
    stamp = replace(STAMP, created=MOMENT + timedelta(days=first), changed=changed)
    source = entry(1, comments, stamp=stamp, post_changes={"title": title})
    post = source.post
    version = place.store.put(
        ids.urn(ids.entry_id(post.canonical_url)), entry_aip(source), message="m", created=changed
    )
    blog = ids.blog_id(BLOG.url)
    row = PostRow(
        blog_id=blog,
        url=post.canonical_url,
        title=title,
        aip_id=version.object_id,
        aip_version=version.version,
        etag=f'"{day}"',
        content_digest=f"digest of day {day}",
        comment_count=comments,
        next_comment_check=changed + timedelta(days=40),
        comments_feed_url="https://blog.example/c",
        first_seen=MOMENT,
        last_seen=changed,
        language=post.language,
        letters=letters_of(post.content_text),
        links=(),
        authors=post.authors,
    )
    place.state.save_post(row)
    package = blog_aip(
        BlogInput(blog=replace(BLOG, title=f"Blog {title}"), stamp=stamp, model={"m": 1})
    )
    version = place.store.put(ids.urn(blog), package, message="m", created=changed)
    known = place.state.get_blog(blog)
    place.state.save_blog(
        BlogRow(
            id=blog,
            url=BLOG.url,
            title=f"Blog {title}",
            feeds={BLOG.feeds[0]: {"etag": f'"{day}"'}},
            model={"model": {"rules": day}},
            record=blog_to_json(replace(BLOG, title=f"Blog {title}")),
            aip_id=version.object_id,
            aip_version=version.version,
            last_crawl=changed,
            health="ok",
            failures=known.failures if known else 0,
        )
    )
    return post


def backup(place: Place, form: str, name: str) -> Path:
    target = place.root / name
    if form == "ocfl":
        shutil.copytree(place.store.root, target)
    elif form == "archive":
        shutil.copytree(place.store.root.parent, target)
    else:
        export(form, Export(place.state, place.store, Selection(), target))
    return target


FORMS = ["bagit", "eark-zip", "ocfl", "archive"]


@pytest.mark.parametrize("form", FORMS)
def test_import_of_own_backup_changes_nothing(place: Place, form: str) -> None:
    crawled(place)
    source = backup(place, form, "backup")
    rows, files = place.rows(), place.bytes()
    done = place.take(source)
    assert (done.posts, done.blogs, done.unchanged, done.older, done.conflicts, done.refused) == (
        0,
        0,
        2,
        0,
        {},
        {},
    )
    assert place.rows() == rows and place.bytes() == files
    assert (
        place.take(source, force=True).unchanged == 2
        and place.rows() == rows
        and place.bytes() == files
    )


@pytest.mark.parametrize("form", FORMS)
def test_imported_posts_are_as_new_as_their_packages(place: Place, form: str) -> None:
    """OAI-PMH selects by what is newer, and reads no package of a post that was not seen since."""
    post = crawled(place, day=3)
    other = opened(place.root, "other")
    other.take(backup(place, form, "backup"))
    row = other.state.get_post(ids.blog_id(BLOG.url), post.canonical_url)
    assert row is not None and row.last_seen is not None
    head = other.store.head(str(row.aip_id))
    assert head is not None and post.fetched_at is not None
    assert row.last_seen >= head.created > post.fetched_at
    other.state.close()


def test_import_of_own_packages_adds_utc_offsets_to_rows(place: Place) -> None:
    evening = datetime(2012, 10, 3, 23, 18, tzinfo=timezone(timedelta(hours=-4)))
    source = entry(1, post_changes={"published": evening})
    object_id = ids.urn(ids.entry_id(source.post.canonical_url))
    version = place.store.put(object_id, entry_aip(source), message="m", created=MOMENT)
    row = replace(
        post_row(source.post, ids.blog_id(BLOG.url), version, old=None, seen=MOMENT),
        published=evening.astimezone(UTC),
        etag='"e"',
    )
    place.state.save_post(row)
    assert place.take(backup(place, "ocfl", "backup")).unchanged == 1
    known = place.state.get_post(row.blog_id, row.url)
    assert known is not None and known.published is not None
    assert written(known.published) == "2012-10-03T23:18:00-04:00"
    assert replace(known, published=row.published) == row


def test_import_of_own_packages_completes_rows_of_earlier_versions(place: Place) -> None:
    """They lack letters, language, the hosts of links and the authors."""
    html = '<p><a href="https://www.other.example/a">there</a> <a href="/own">here</a></p>'
    source = entry(1, post_changes={"content_html": html})
    object_id = ids.urn(ids.entry_id(source.post.canonical_url))
    version = place.store.put(object_id, entry_aip(source), message="m", created=MOMENT)
    row = post_row(source.post, ids.blog_id(BLOG.url), version, old=None, seen=MOMENT)
    assert row.links == ("other.example",)
    place.state.save_post(replace(row, links=None, letters=None, language=None, authors=None))
    place.take(backup(place, "ocfl", "backup"))
    assert place.state.get_post(row.blog_id, row.url) == row


@pytest.mark.parametrize("form", FORMS)
def test_import_of_older_own_backup_changes_nothing(place: Place, form: str) -> None:
    crawled(place)
    source = backup(place, form, "backup")
    crawled(place, title="Newer", day=3)
    rows, files = place.rows(), place.bytes()
    done = place.take(source)
    assert (done.posts, done.blogs, done.unchanged, done.older, done.conflicts, done.refused) == (
        0,
        0,
        0,
        2,
        {},
        {},
    )
    assert place.rows() == rows and place.bytes() == files


def test_older_backup_becomes_the_newest_version_if_forced(place: Place) -> None:
    post = crawled(place)
    source = backup(place, "bagit", "backup")
    crawled(place, title="Newer", day=3)
    done = place.take(source, force=True)
    assert (done.posts, done.blogs) == (1, 1)
    row, blog = (
        place.state.get_post(ids.blog_id(BLOG.url), post.canonical_url),
        place.state.get_blog(BLOG.url),
    )
    assert row is not None and (row.title, row.aip_version, row.etag) == ("Post 1", 3, None), (
        "the page has to be looked at again"
    )
    assert (
        row.next_comment_check
        and row.comments_feed_url
        and row.last_seen == MOMENT + timedelta(days=3)
    )
    assert (
        blog is not None
        and blog.title == "Blog Post 1"
        and blog.model == {"model": {"rules": 3}}
        and blog.feeds
        and blog.health == "ok"
    )
    assert len(place.store.versions(str(row.aip_id))) == 3, "the replaced version stays"


@pytest.mark.parametrize("form", FORMS)
def test_newer_package_of_same_origin_becomes_a_new_version(place: Place, form: str) -> None:
    crawled(place)
    shutil.copytree(place.root / "archive", place.root / "elsewhere" / "archive")
    other = opened(place.root / "elsewhere")
    crawled(other, title="Second", day=2)
    crawled(other, title="Third", day=3)
    source = backup(other, form, "backup")
    other.state.close()
    done = place.take(source / "packages" if form == "archive" else source)
    history = form in ("ocfl", "archive")
    assert (done.posts, done.blogs, done.conflicts, done.refused) == (
        (2, 2) if history else (1, 1)
    ) + ({}, {})
    [row] = place.state.posts()
    assert (
        row.title == "Third" and row.aip_version == (3 if history else 2) and row.next_comment_check
    )
    [blog] = place.state.blogs()
    assert (
        blog.title == "Blog Third"
        and blog.model == {"model": {"rules": 0}}
        and blog.feeds[BLOG.feeds[0]] == {"etag": '"0"'}
    )
    assert verify_store(place.store, clock=lambda: NOW, deep=True).ok


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "contrary", ["another origin", "another text of that time", "another text of an older time"]
)
def test_package_that_contradicts_the_archive_needs_replace(
    place: Place, form: str, contrary: str
) -> None:
    crawled(place, day=2)
    other = opened(place.root / "elsewhere")
    if contrary == "another origin":
        crawled(other, title="Other", day=5, first=1)
    else:
        crawled(other, title="Other", day=2 if contrary == "another text of that time" else 1)
    source = backup(other, form, "backup")
    other.state.close()
    rows, files = place.rows(), place.bytes()
    done = place.take(source)
    assert (done.posts, done.blogs, done.unchanged, done.refused) == (0, 0, 0, {}) and len(
        done.conflicts
    ) == 2
    assert all(
        "the archive has version 1 of 2026-03-03" in why and "--replace" in why
        for why in done.conflicts.values()
    )
    assert place.rows() == rows and place.bytes() == files
    done = place.take(source, force=True)
    assert (done.posts, done.blogs, done.conflicts) == (1, 1, {})
    [row] = place.state.posts()
    assert (
        row.title == "Other"
        and row.aip_version == 2
        and [v.version for v in place.store.versions(str(row.aip_id))] == [1, 2]
    )


def test_blog_known_under_another_id_is_a_conflict(place: Place) -> None:
    crawled(place)
    files = _other_blog()
    hostile.write_folder(files, place.root / "in" / "a")
    rows = place.rows()
    for force in (False, True):
        [why] = place.take(force=force).conflicts.values()
        assert "the archive has the blog https://blog.example/ under the identifier" in why
        assert place.rows() == rows


def _other_blog() -> Files:
    package = blog_aip(
        BlogInput(blog=BLOG, stamp=STAMP, blog_urn=ids.urn(ids.blog_id("https://other.example/")))
    )
    return {path: content for path, content in package.items() if isinstance(content, bytes)}


def test_post_known_in_another_blog_is_a_conflict(place: Place) -> None:
    crawled(place)
    source = entry(
        1, blog_urn=ids.urn(ids.blog_id("https://other.example/")), post_changes={"title": "Stolen"}
    )
    files = {
        path: content for path, content in entry_aip(source).items() if isinstance(content, bytes)
    }
    hostile.write_folder(files, place.root / "in" / "a")
    rows = place.rows()
    for force in (False, True):
        assert "the archive has this post in the blog" in next(
            iter(place.take(force=force).conflicts.values())
        )
        assert place.rows() == rows


def test_import_does_not_redirect_known_media_rows(place: Place) -> None:
    """A later crawl takes a picture from where the media table says: a package must not change
    that.
    """
    known = MediaRow(
        blog_id=ids.blog_id(BLOG.url),
        url="https://blog.example/a.png",
        sha256="f" * 64,
        mime="image/gif",
        size=1,
        aip_id="urn:x",
        path="p",
    )
    place.state.save_post(
        PostRow(
            blog_id=known.blog_id, url="https://blog.example/seen", aip_version=1, aip_id="urn:x"
        ),
        [known],
    )
    hostile.write_folder(hostile.post_files(), place.root / "in" / "a")
    assert place.take().posts == 1
    assert place.state.get_media(known.blog_id, known.url) == known
    other = place.state.get_media(known.blog_id, "https://blog.example/copy.png")
    assert other is not None and other.sha256 == PNG_SHA


@pytest.mark.parametrize("form", FORMS)
def test_lost_state_is_rebuilt_from_a_backup(place: Place, form: str) -> None:
    crawled(place)
    source = backup(place, form, "backup")
    crawled(place, title="Newer", day=3)
    with place.state.write() as connection:
        for table in ("blogs", "posts"):
            connection.execute(text(f"DELETE FROM {table}"))
    files = place.bytes()
    assert place.take(source).older == 2
    [row], [blog] = place.state.posts(), place.state.blogs()
    assert (row.title, row.aip_version, blog.title, blog.aip_version) == (
        "Newer",
        2,
        "Blog Newer",
        2,
    )
    assert place.bytes() == files


def test_package_lost_from_the_store_is_imported_again(place: Place) -> None:
    post = crawled(place)
    source = backup(place, "bagit", "backup")
    object_id = ids.urn(ids.entry_id(post.canonical_url))
    shutil.rmtree(place.store.root / object_path(object_id))
    assert place.take(source).posts == 1
    [row] = place.state.posts()
    assert row.aip_version == 1 and row.etag is None and place.store.head(object_id) is not None


def test_package_damaged_in_the_archive_is_named_and_others_are_imported(
    place: Place,
) -> None:
    post = crawled(place)
    source = backup(place, "bagit", "backup")
    folder = place.store.root / object_path(ids.urn(ids.entry_id(post.canonical_url)))
    (folder / "inventory.json").write_bytes(b"{}")
    done = place.take(source)
    assert done.unchanged == 1 and "is damaged" in next(iter(done.refused.values()))


def test_unusable_state_ends_the_import(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile.write_folder(hostile.post_files(), place.root / "in" / "a")

    def gone(*_: object) -> None:
        raise StorageError("the state database refuses: gone")

    monkeypatch.setattr(SqlState, "save_post", gone)
    with pytest.raises(StorageError, match="gone"):
        place.take()


def test_imported_archive_shares_no_inode_with_its_source(place: Place) -> None:
    hostile.write_folder(hostile.post_files(), place.root / "in" / "a")
    place.take()
    inodes = {path.stat().st_ino for path in (place.root / "in").rglob("*") if path.is_file()}
    assert not inodes & {path.stat().st_ino for path in place.store.root.rglob("*")}


def test_folders_nested_thousands_deep_are_searched(place: Place) -> None:
    deep = place.root / "in"
    for _ in range(1200):
        deep = deep / "d"
        try:
            deep.mkdir()
        except OSError:
            break
    hostile.write_zip(hostile.post_files(), place.root / "in" / "b.zip")
    assert place.take().posts == 1
    subprocess.run(["rm", "-rf", str(place.root / "in" / "d")], check=True)


# fuzz


def _mutations(generator: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 8))):
        position = generator.randrange(len(out)) if out else 0
        action = generator.randrange(6)
        if action == 0 and out:
            out[position] ^= 1 << generator.randrange(8)
        elif action == 1:
            del out[position:]
        elif action == 2:
            del out[position : position + generator.randrange(1, 64)]
        elif action == 3:
            out[position:position] = generator.choice(_PIECES)
        elif action == 4 and out:
            out[position : position + 4] = generator.randbytes(4)
        elif out:
            end = position + generator.randrange(1, 200)
            out[position:position] = out[position:end]
    return bytes(out)


_PIECES = (
    *(
        b"null",
        b"../",
        b"/",
        b"\0",
        b"[" * 50,
        b"9" * 400,
        b"-1",
        b"1e999",
        b"true",
        b"{}",
        b'"',
        b"<",
        b"&x;",
        b"]]>",
    ),
    *(b"uuid-../../victim", b"0001-01-01T00:00:00+14:00", b"%2e%2e/", b"\r\n", b"<!DOCTYPE x>"),
    *(b"\xff\xfe", b"\xed\xa0\x80", b"PK\x05\x06" + bytes(18), b"PK\x01\x02"),
)


def _fuzzed(generator: random.Random, base: Files, folder: Path) -> None:
    form = generator.choice(("zip", "content", "content", "content", "bag", "ocfl"))
    if form == "zip":
        target = hostile.write_zip(base, folder / "a.zip")
        target.write_bytes(_mutations(generator, target.read_bytes()))
        return
    if form == "bag":
        bag = hostile.write_bag(base, folder / "a")
        tag = generator.choice(sorted(path for path in bag.iterdir() if path.is_file()))
        tag.write_bytes(_mutations(generator, tag.read_bytes()))
        return
    if form == "ocfl":
        store = LocalStore(folder / "packages", user={"name": "t", "address": "urn:t"})
        store.put(ids.urn(ids.bare(hostile.name_of(base))), base, message="m", created=MOMENT)
        inventory = next(folder.rglob("inventory.json"))
        data = _mutations(generator, inventory.read_bytes())
        for path in (inventory, inventory.parent / "v1" / "inventory.json"):
            path.write_bytes(data)
            path.with_name("inventory.json.sha512").write_text(
                f"{hashlib.sha512(data).hexdigest()} inventory.json\n"
            )
        return
    files = dict(base)
    path = generator.choice([p for p in files if p.endswith((".json", ".xml"))])
    files[path] = _mutations(generator, files[path])
    if generator.random() < 0.8:
        try:
            files = hostile.refreshed(files)
        except ValueError:
            pass
    hostile.write_folder(files, folder / "a")


def fuzz(root: Path, seed: int, runs: int) -> tuple[int, int]:
    """Import ``runs`` mutated packages; how many were refused and how many came in. Fails on
    anything but our own errors.
    """
    generator = random.Random(seed)
    bases = [
        hostile.post_files(),
        hostile.blog_files(),
        {p: c for p, c in entry_aip(entry(2, 1, source=b"s")).items() if isinstance(c, bytes)},
    ]
    (root / "victim").mkdir(parents=True)
    (root / "victim" / "precious").write_text("kept")
    place = opened(root)
    refused = entered = 0
    for run in range(runs):
        folder = root / "in"
        folder.mkdir()
        _fuzzed(generator, generator.choice(bases), folder)
        try:
            done = import_packages(
                folder, place.store, place.state, now=NOW, replace=generator.random() < 0.3
            )
        except BlogcrawlError as error:
            assert "there are no packages" in error.message, (seed, run, error)
            refused += 1
        else:
            refused += len(done.refused) + len(done.conflicts)
            entered += done.posts + done.blogs + done.unchanged + done.older
            assert all(len(why.splitlines()) == 1 for why in done.refused.values()), (seed, run)
        shutil.rmtree(folder)
    assert snapshot(root / "victim") == {"precious": hashlib.sha256(b"kept").hexdigest()}
    assert sorted(path.name for path in root.iterdir()) == ["archive", "victim"]
    assert verify_store(place.store, clock=lambda: NOW, deep=True).ok
    assert bool(b"".join(_exported(place))) == any(place.state.posts())
    place.state.close()
    return refused, entered


def _exported(place: Place) -> Iterator[bytes]:
    return stream("jsonl", place.state, place.store, Selection())


def test_mutated_packages_raise_no_error_and_write_nothing_outside(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    refused, entered = fuzz(tmp_path, seed, 60)
    assert refused > 10 and entered > 0


@pytest.mark.slow
@pytest.mark.by_hand
def test_thousands_of_mutated_packages_raise_no_error_and_write_nothing_outside(
    tmp_path: Path,
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    refused, _ = fuzz(tmp_path, seed, 2000)
    assert refused > 1000


# what was removed stays removed


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_removed_posts_are_not_imported_again(
    place: Place, form: str, purge: bool, force: bool
) -> None:
    post = crawled(place)
    source = backup(place, form, "backup")
    config = Config(archive=str(place.store.root.parent))
    remover = Remover(
        config, place.state, place.store, who="Ann", reason="a court's order", purge=purge
    )
    row = place.state.get_post(ids.blog_id(BLOG.url), post.canonical_url)
    assert row is not None
    remover.post(row)
    rows, files = place.rows(), place.bytes()
    done = place.take(source, force=force)
    assert (done.posts, done.blogs, done.refused) == (0, 0, {})
    assert any(
        "removed from this archive" in why or "purged from this archive" in why
        for why in done.conflicts.values()
    )
    assert place.rows() == rows and place.bytes() == files and list(place.state.posts()) == []
    with place.state.write() as connection:
        connection.execute(text("DELETE FROM removed"))
    place.take(source)
    assert list(place.state.posts()) == [], "the store knows it too"


def test_object_removed_from_its_archive_is_not_imported(place: Place) -> None:
    other = opened(place.root / "elsewhere")
    post = crawled(other)
    row = other.state.get_post(ids.blog_id(BLOG.url), post.canonical_url)
    assert row is not None
    Remover(
        Config(archive=str(other.store.root.parent)),
        other.state,
        other.store,
        who="Ann",
        reason="asked to",
        purge=False,
    ).post(row)
    other.state.close()
    done = place.take(other.store.root)
    assert (
        "the newest version is a tombstone" in next(iter(done.refused.values()))
        and list(place.state.posts()) == []
    )
