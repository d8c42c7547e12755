"""Files that are open only while they are read, and packages that hold more of them than a process
may have open.
"""

from __future__ import annotations

import hashlib
import io
import os
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.records import MediaFile
from blogcrawl.crawling.pipelines.media_cache import MAX_IN_MEMORY, MediaCache
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.deposit import Ledger, deposit, open_target
from blogcrawl.storage.files import LazyFile
from blogcrawl.storage.imports import import_packages
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.replay import lay_out
from blogcrawl.storage.selection import Selection
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from tests.packaging.samples import BLOG, MOMENT, STAMP, entry
from tests.packaging.test_warc import make_wacz

MANY, FREE = 60, 25
BLOG_ID = ids.blog_id(BLOG.url)


def test_lazy_file_is_open_only_during_reads() -> None:
    opened: list[io.BytesIO] = []

    def opener() -> BinaryIO:
        opened.append(io.BytesIO(b"0123456789"))
        return opened[-1]

    file = LazyFile(opener)
    assert opened == []
    assert (file.read(4), file.tell(), opened[-1].closed) == (b"0123", 4, False)
    assert (file.read(), file.read(), opened[-1].closed) == (b"456789", b"", True)
    assert (file.seek(2), file.read(3), len(opened)) == (2, b"234", 3)
    assert (file.seek(0, os.SEEK_END), file.seek(-1, os.SEEK_END), file.read(5)) == (10, 9, b"9")
    file.close()
    assert all(one.closed for one in opened)
    with file as again:
        assert again.read() == b"0123456789"
    opened.clear()
    sized = LazyFile(opener, 10)
    assert (
        sized.seek(0, os.SEEK_END),
        sized.seek(-2, os.SEEK_END),
        len(opened),
        sized.read(5),
    ) == (10, 8, 0, b"89")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqlState, PackageStore]]:
    config = Config(archive=str(tmp_path_factory.mktemp("archive")))
    store, state = open_store(config), open_state(config)
    bodies = {hashlib.sha256(b"%d" % i).hexdigest(): b"%d" % i for i in range(MANY)}
    media = tuple(
        MediaFile(
            url=f"https://blog.example/{b.decode()}.png", sha256=d, mime="image/png", size=len(b)
        )
        for d, b in bodies.items()
    )
    source = replace(entry(0, post_changes={"media": media}), media=bodies)
    url = source.post.canonical_url
    version = store.put(ids.urn(ids.entry_id(url)), entry_aip(source), message="m", created=MOMENT)
    state.save_post(PostRow(blog_id=BLOG_ID, url=url, aip_id=version.object_id, aip_version=1))
    evidence = {f"c{i}.wacz": make_wacz() for i in range(MANY)}
    version = store.put(
        ids.urn(BLOG_ID),
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence=evidence)),
        message="m",
        created=MOMENT,
    )
    state.save_blog(BlogRow(id=BLOG_ID, url=BLOG.url, aip_id=version.object_id, aip_version=1))
    yield state, store
    state.close()


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """This process may open a handful more files than it has open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + FREE, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("form", ["folder", "bag", "zip"])
def test_packages_of_many_files_are_exported_and_imported(
    archive: tuple[SqlState, PackageStore], tmp_path: Path, few_descriptors: None, form: str
) -> None:
    done = deposit(
        *archive,
        Selection(),
        open_target(f"{form}:{tmp_path / 'out'}"),
        Ledger(tmp_path / "ledger", form),
    )
    assert (done.sent, done.failed) == (2, {})
    config = Config(archive=str(tmp_path / "other"))
    state = open_state(config)
    came = import_packages(tmp_path / "out", open_store(config), state, now=MOMENT)
    state.close()
    assert (came.blogs, came.posts, came.refused) == (1, 1, {})


def test_evidence_of_many_crawls_is_exported(
    archive: tuple[SqlState, PackageStore], tmp_path: Path, few_descriptors: None
) -> None:
    state, store = archive
    blog = state.get_blog(BLOG_ID)
    assert blog is not None and lay_out(tmp_path, store, blog, tmp_path / "none") > MANY


def test_repeated_export_to_a_folder_keeps_evidence(
    archive: tuple[SqlState, PackageStore], tmp_path: Path
) -> None:
    state, store = archive
    blog, waiting = state.get_blog(BLOG_ID), tmp_path / "evidence"
    (waiting / "crawl").mkdir(parents=True)
    files = {
        "a.warc.gz": b"closed, and in a package too",
        "b.warc.gz": b"closed",
        "c.warc.gz.open": b"running",
    }
    for name, body in files.items():
        (waiting / "crawl" / name).write_bytes(body)
    target = tmp_path / "replay" / "collections" / "blog" / "archive"
    assert blog is not None
    for _ in range(2):
        lay_out(tmp_path / "replay", store, blog, waiting)
        assert (target / "b.warc.gz").read_bytes() == b"closed" and (
            target / "c.warc.gz"
        ).read_bytes() == b"running"
    assert {path.name: path.read_bytes() for path in (waiting / "crawl").iterdir()} == files


def test_post_with_many_large_images_needs_few_file_descriptors(
    tmp_path: Path, few_descriptors: None
) -> None:
    cache = MediaCache(None, None, tmp_path / "media", "blog")  # type: ignore[arg-type]
    bodies = [bytes([i]) * (MAX_IN_MEMORY + 1) for i in range(MANY)]
    for body in bodies:
        cache.keep(hashlib.sha256(body).hexdigest(), body)
    found = cache.collect([hashlib.sha256(body).hexdigest() for body in bodies])
    assert [file.read() for file in found.values() if not isinstance(file, bytes)] == bodies
