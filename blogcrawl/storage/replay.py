"""A blog's evidence laid out as a collection that pywb serves."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.errors import StorageError, UsageError
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import disk_errors, lazily
from blogcrawl.storage.tables import BlogRow, CrawlRow

COLLECTION = "blog"
"""Name of the collection, and first part of every replayed address."""


def lay_out(
    folder: Path,
    store: PackageStore,
    blog: BlogRow,
    waiting: Path,
    crawls: Iterable[str] | None = None,
) -> int:
    """Fill ``folder/collections/blog/archive`` with the blog's WARC files; the bytes found.

    ``waiting`` is the folder of evidence that is in no package yet. ``crawls``: ids of the crawls
    to take, None for all; later crawls refer to records of earlier ones, so a crawl wants those
    before it. Files of a crawl still running are taken as far as they are written. Raises
    StorageError where there is no evidence, DiskFullError.
    """
    target = warc_folder(folder)
    wanted = None if crawls is None else {_plain(c) for c in crawls}
    total = 0
    with disk_errors(str(folder)):
        target.mkdir(parents=True, exist_ok=True)
        for name in ("indexes", "static", "templates"):
            (target.parent / name).mkdir(exist_ok=True)
        for crawl, package in _packages(store, blog, waiting):
            if wanted is None or crawl in wanted:
                with package:
                    total += _unpack(package, target)
        for path in sorted(waiting.glob("*/*.warc.gz*")):
            if wanted is None or path.parent.name in wanted:
                total += _copy_file(path, target / path.name.removesuffix(".open"))
    if not total:
        raise StorageError(
            f"{blog.url} has no evidence to replay",
            advice="it was crawled with BLOGCRAWL_WARC=0, or not at all",
        )
    return total


def warc_folder(folder: Path) -> Path:
    """Return the folder in which ``lay_out`` puts the WARC files."""
    return folder / "collections" / COLLECTION / "archive"


def up_to(crawls: Iterable[CrawlRow], name: str) -> list[CrawlRow]:
    """Return the crawl whose id starts with ``name`` and those before it. Raises UsageError."""
    ended = sorted((c for c in crawls if c.started), key=lambda c: str(c.started))
    fits = [n for n, crawl in enumerate(ended) if crawl.id.startswith(name)]
    if len(fits) != 1:
        known = ", ".join(crawl.id for crawl in ended[-5:])
        raise UsageError(
            (
                f"{'no crawl' if not fits else 'more than one crawl'} of this blog starts with "
                f"{name!r}"
            ),
            advice=f"there are {known}",
        )
    return ended[: fits[0] + 1]


def pywb_settings(stamp: str) -> str:
    """Return pywb's configuration; the port is also a proxy that serves the bytes as captured.

    Pages are rewritten in the browser (wabac.js, part of pywb since 2.8), which knows module
    scripts, as pywb's own rewriting does not; older versions pass the setting over.
    """
    lines = [
        "client_side_replay: true",
        "proxy:",
        f"  coll: {COLLECTION}",
        "  enable_content_rewrite: false",
    ]
    return "\n".join([*lines, f"  default_timestamp: '{stamp}'"] if stamp else lines) + "\n"


def _plain(crawl_id: str) -> str:
    """Return a crawl's id as its files are named."""
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in crawl_id
    ).lstrip(".")


def _packages(store: PackageStore, blog: BlogRow, waiting: Path) -> Iterator[tuple[str, BinaryIO]]:
    head = store.head(blog.aip_id) if blog.aip_id else None
    for path in sorted(head.files) if head else ():
        if path.startswith(WEB) and path.endswith(".wacz") and head is not None:
            yield path[len(WEB) : -len(".wacz")], lazily(partial(store.open, head.object_id, path))
    for place in sorted(waiting.glob("*/*.wacz")):
        yield place.stem, lazily(place)


def _unpack(package: BinaryIO, target: Path) -> int:
    """Extract the WARC files of a WACZ, by their bare names: its folders are not trusted."""
    total = 0
    with zipfile.ZipFile(package) as archive:
        for info in archive.infolist():
            name = info.filename.rsplit("/", 1)[-1]
            if not info.filename.startswith("archive/") or not name.endswith(".warc.gz"):
                continue
            # in a folder that is used again it may be a link to evidence that waits
            (target / name).unlink(missing_ok=True)
            with archive.open(info) as source, (target / name).open("wb") as out:
                shutil.copyfileobj(source, out, 2**20)
            total += info.file_size
    return total


def _copy_file(source: Path, place: Path) -> int:
    if not source.name.endswith((".warc.gz", ".warc.gz.open")):
        return 0
    place.unlink(missing_ok=True)
    if source.name.endswith(".gz"):
        try:
            os.link(source, place)
            return source.stat().st_size
        except OSError:
            pass  # another disk: copied
    shutil.copyfile(source, place)
    return place.stat().st_size
