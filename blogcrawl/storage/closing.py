"""Closing a crawl: its WARC files become one WACZ, which then moves into the blog's package."""

from __future__ import annotations

import contextlib
import heapq
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from blogcrawl import __version__
from blogcrawl.core.errors import PackagingError, StorageError
from blogcrawl.core.records import Blog
from blogcrawl.packaging.layout import WEB
from blogcrawl.packaging.parts import Kept
from blogcrawl.packaging.records import decode
from blogcrawl.packaging.wacz import About, write_wacz
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.evidence import PAGES, index_lines, index_path, recover
from blogcrawl.storage.files import disk_errors, sync_folder
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.temporary import new_file, sweep


def close_evidence(folder: Path, *, blog: Blog, crawl_id: str, created: datetime) -> Path | None:
    """Make the WACZ of a crawl's folder of its WARC files; None if there are none.

    The WARC files go once the WACZ is safe. Doing it again after a kill at any line gives the same
    WACZ. Raises DiskFullError.
    """
    final = folder / f"{crawl_id}.wacz"
    with disk_errors(str(folder)):
        sweep(folder)
        recover(folder)
        paths = sorted(folder.glob("*.warc.gz"))
        if not paths:
            # of an earlier run that was killed right behind its WARC files
            for left in (*folder.glob("*.cdxj"), folder / PAGES):
                if final.exists():
                    left.unlink(missing_ok=True)
            return final if final.exists() else None
        about = About(
            title=blog.name,
            created=created,
            software=f"blogcrawl {__version__}",
            description=f"Crawl {crawl_id} of {blog.url}",
            main_url=blog.url,
        )
        with contextlib.ExitStack() as stack, new_file(final, sync=True) as out:
            warcs = [(path.name, stack.enter_context(path.open("rb"))) for path in paths]
            write_wacz(out, about, warcs=warcs, index=_merged(paths), pages=_pages(folder))
        sync_folder(folder)
        for path in paths:
            path.unlink()
            index_path(path).unlink(missing_ok=True)
        (folder / PAGES).unlink(missing_ok=True)
        return final


def _merged(paths: Sequence[Path]) -> Iterator[str]:
    """Return all index lines in order; each file's lines are sorted in memory, a file is 1 GB at
    most.
    """
    return heapq.merge(*(sorted(_index_of(path)) for path in paths))


def _index_of(path: Path) -> list[str]:
    """Read a WARC file's index lines; from the file itself where they are missing or damaged."""
    try:
        lines = index_path(path).read_bytes().decode("ascii").splitlines()
        if all(path.name in line for line in lines):
            return lines
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    return list(index_lines(path, path.name))


def _pages(folder: Path) -> Iterator[Mapping[str, object]]:
    """Yield the pages that the crawl listed, without damaged lines (the WARC has the pages)."""
    path = folder / PAGES
    if path.exists():
        with path.open("rb") as lines:
            for line in lines:
                with contextlib.suppress(PackagingError):
                    yield decode(line)


def kept_evidence(store: PackageStore, head: ObjectVersion) -> Iterator[tuple[str, Kept]]:
    """Yield the WACZ files of the head version, as content that need not be sent again."""
    for path, digest in head.files.items():
        if path.startswith(WEB):
            with store.open(head.object_id, path) as stream:
                size = stream.seek(0, os.SEEK_END)
            yield path[len(WEB) :], Kept(sha512=digest, size=size)


def forget_evidence(store: PackageStore, object_id: str, folder: Path) -> bool:
    """Remove a crawl's folder once the store has every WACZ in it; else return False."""
    head = store.head(object_id)
    for path in folder.glob("*.wacz"):
        if head is None or WEB + path.name not in head.files:
            return False
        try:
            with store.open(object_id, WEB + path.name) as stream:
                if stream.seek(0, os.SEEK_END) != path.stat().st_size:
                    return False
        except PASSING:
            raise
        except StorageError:
            return False
    shutil.rmtree(folder, ignore_errors=True)
    return True
