"""``blogcrawl verify``: everything in an archive against what it claims to be. Repairs nothing.

Streamed: faults are kept (up to a limit), packages are not.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from blogcrawl.core.config import Config
from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DamagedError,
    DiskFullError,
    PackagingError,
    StorageError,
    UsageError,
)
from blogcrawl.core.records import Post
from blogcrawl.packaging.check import Package, Schemas
from blogcrawl.packaging.html_templates import render
from blogcrawl.packaging.records import rfc3339
from blogcrawl.storage.archive import MARK, STATE_FILE, check_mark, crawl_folder
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.captures import CAPTURES, check_captures
from blogcrawl.storage.deposit import check_ledgers
from blogcrawl.storage.evidence import (
    EVIDENCE,
    OPEN,
    PAGES,
    check_pages,
    index_lines,
    index_path,
    warc_of,
)
from blogcrawl.storage.files import CheckedFile
from blogcrawl.storage.frozen import missing_end
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.sqlite import FILE as INDEX
from blogcrawl.storage.search.sqlite import check_index
from blogcrawl.storage.selection import read_post
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import DAMAGED_ADVICE, BlogRow, PostRow
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.storage.warccheck import check_wacz, check_warc

FAULT_LIMIT = 10_000
ROOT = "the store's root"
PLAIN = (
    "not read: content of pages, media and evidence whose size is right (--deep reads every byte)"
)
UNSEEN = (
    "no check sees a changed value that only the state, the search index or a waiting list of "
    "pages has: dates of visits, validators, reports of crawls, titles of pages"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong. ``where``: object id or path; ``kind``: store, package, evidence."""

    where: str
    kind: str
    what: str


@dataclass(slots=True, kw_only=True)
class Report:
    """What was looked at and what was wrong. ``ok`` decides the exit code."""

    started: datetime
    ended: datetime | None = None
    deep: bool = False
    packages: int = 0
    files: int = 0
    warcs: int = 0
    faults: list[Fault] = field(default_factory=list)
    dropped: int = 0
    """Faults beyond FAULT_LIMIT, only counted."""
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.faults

    def add(self, where: str, kind: str, faults: Iterable[str]) -> None:
        for what in faults:
            if len(self.faults) < FAULT_LIMIT:
                self.faults.append(Fault(where, kind, what))
            else:
                self.dropped += 1

    def to_json(self) -> str:
        report = dataclasses.asdict(self) | {"ok": self.ok, "started": rfc3339(self.started)}
        report["ended"] = rfc3339(self.ended) if self.ended else None
        return json.dumps(report, ensure_ascii=False, indent=1)

    def to_text(self) -> str:
        lines = [f"{fault.where}: {fault.what}" for fault in self.faults]
        if self.dropped:
            lines.append(f"… and {self.dropped} more")
        lines += self.notes
        verdict = "all as it should be" if self.ok else f"{len(self.faults) + self.dropped} faults"
        depth = f"every byte read; {UNSEEN}" if self.deep else PLAIN
        lines.append(
            f"{self.packages} packages, {self.files} files, {self.warcs} evidence files "
            f"checked: {verdict} ({depth})"
        )
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Render the report as a page of its own."""
        return render(
            "verify.html",
            verdict="whole" if self.ok else "damaged",
            summary=self.to_text().splitlines()[-1],
            started=rfc3339(self.started),
            faults=self.faults,
        )


def verify_archive(
    config: Config,
    *,
    clock: Callable[[], datetime],
    choose: Callable[[SqlState], BlogRow] | None = None,
    deep: bool = False,
    schemas: Schemas | None = None,
    progress: Callable[[int], object] = lambda count: None,
) -> Report:
    """Check an archive: its mark, state, packages, waiting evidence, and ledgers of deposits.

    Whatever is damaged is a fault in the report, and the rest is checked all the same. ``choose``
    picks one blog from the state (None: all); ``progress`` is called with the number of packages
    checked, after each. Raises UsageError from ``choose``; ArchiveError or
    StorageError where a remote state or store is away.
    """
    report = Report(started=clock(), deep=deep)
    path = config.archive_path
    if not config.state_url:
        report.add(MARK, "archive", check_mark(path))
    state = _state_of(config, report)
    try:
        store = open_store(config, reading=True)
        only = choose(state) if choose and state is not None else None
        check = partial(
            verify_store,
            store,
            clock=clock,
            deep=deep,
            schemas=schemas,
            report=report,
            progress=progress,
        )
        if only is not None and state is not None:
            check(object_ids=packages_of(state, [only]), crawls=crawl_folder(path, only.id))
        elif choose is None:
            check(crawls=path / "crawls")
        if state is not None:
            _verify_state(state, store, only, report)
        if only is None:
            _verify_ledgers(path / "deposits", report)
            if config.search and not config.state_url:
                _verify_index(path / INDEX, report)
    finally:
        if state is not None:
            state.close()
    report.ended = clock()
    return report


def _verify_ledgers(folder: Path, report: Report) -> None:
    """Check the ledgers of deposits, where there are any."""
    if folder.is_dir():
        for name, fault in guarded(check_ledgers(folder), lambda what: ("deposits", what)):
            report.add(f"deposits/{name}", "deposits", [fault])


def _verify_index(path: Path, report: Report) -> None:
    """Check the search index; a note where it is missing, for it can be made again."""
    if path.exists():
        report.add(INDEX, "search index", guarded(check_index(path), str))
    else:
        report.notes.append(f"{INDEX} is missing: `blogcrawl index` makes it")


def _state_of(config: Config, report: Report) -> SqlState | None:
    """Open the state; None, with a fault, where it is missing or can't be opened."""
    if config.state_url:
        return open_state(config, reading=True)
    path = config.archive_path / STATE_FILE
    try:
        if not path.exists() or not path.stat().st_size:
            raise DamagedError(
                f"the state database is {'empty' if path.exists() else 'missing'}",
                advice=DAMAGED_ADVICE,
            )
        report.add(STATE_FILE, "state", guarded(missing_end(path), str))
        return open_state(config, reading=True)
    except (ArchiveError, StorageError) as error:
        report.add(STATE_FILE, "state", [str(error)])
        return None


def _verify_state(
    state: SqlState, store: PackageStore, only: BlogRow | None, report: Report
) -> None:
    """Check that the state agrees with itself and with the store."""
    where = "the state" if not state.is_file else STATE_FILE
    if only is None:
        report.add(where, "state", guarded(state.check(), str))
    blogs = [only] if only is not None else state.blogs()
    report.add(where, "state", guarded(against_state(state, store, blogs, deep=report.deep), str))
    if only is None:
        report.add(where, "state", guarded(_unknown(state, store, report), str))


def _unknown(state: SqlState, store: PackageStore, report: Report) -> Iterator[str]:
    """Yield packages in no row of the state; a note where a killed crawl explains them."""
    removed = Tombstones(state).packages()
    unknown = [
        object_id
        for object_id in store.object_ids()
        if object_id not in removed and not state.has_package(object_id)
    ]
    if not unknown:
        return
    what = (
        f"{len(unknown)} packages are in no row of the state: "
        f"{', '.join(unknown[:3])}{' …' if len(unknown) > 3 else ''}"
    )
    if state.has_open_crawl():
        report.notes.append(
            f"{what}; a crawl was broken off or is running, the next one enters them"
        )
    else:
        yield what


_Fault = TypeVar("_Fault")


def guarded(faults: Iterable[_Fault], fault_of: Callable[[str], _Fault]) -> Iterator[_Fault]:
    """Yield the faults that a check finds, and its own failure as one more, by ``fault_of``.

    Whatever damage does to one check, the others go on. A full disk and a lost connection are no
    damage and are raised.
    """
    try:
        yield from faults
    except (DiskFullError, UsageError):
        raise
    except BlogcrawlError as error:
        yield fault_of(str(error))
    except OSError as error:
        yield fault_of(f"can't be read: {error}")
    # the last fence: what is not foreseen is a fault with its name, not the end of the check
    except Exception as error:
        yield fault_of(
            f"the check failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        )


def verify_store(
    store: PackageStore,
    *,
    clock: Callable[[], datetime],
    object_ids: Iterable[str] | None = None,
    deep: bool = False,
    schemas: Schemas | None = None,
    crawls: Path | None = None,
    report: Report | None = None,
    progress: Callable[[int], object] = lambda count: None,
) -> Report:
    """Check the store's root, its objects (all, or those given), their packages and evidence.

    ``crawls``: folder of evidence that is not in a package yet; ``report`` gets the faults where
    one is given.
    """
    report = report or Report(started=clock(), deep=deep)
    root = getattr(store, "verify_root", None)
    if object_ids is None and root is not None:
        report.add(ROOT, "store", guarded(_lazy(root), str))
    listed = guarded(store.object_ids() if object_ids is None else object_ids, lambda what: what)
    for object_id in listed:
        _verify_object(store, object_id, report, deep=deep, schemas=schemas)
        progress(report.packages)
    if crawls is not None and crawls.is_dir():
        _verify_crawls(crawls, report)
    report.ended = clock()
    return report


def _lazy(check: Callable[[], Iterable[str]]) -> Iterator[str]:
    yield from check()


def _verify_object(
    store: PackageStore, object_id: str, report: Report, *, deep: bool, schemas: Schemas | None
) -> None:
    report.packages += 1
    store = store.view(object_id)
    before = len(report.faults) + report.dropped
    report.add(object_id, "store", guarded(_lazy(lambda: store.verify(object_id, deep=deep)), str))
    try:
        head = store.head(object_id)
    except StorageError as error:
        if len(report.faults) + report.dropped == before:  # else its reason is listed already
            report.add(object_id, "store", [error.message])
        return
    if head is None:
        report.add(object_id, "store", ["there is no such package"])
        return
    report.files += len(head.files)

    def opener(path: str) -> BinaryIO:
        stream = store.open(object_id, path)
        # a changed file is one fault among others; a deep look has named it already
        if isinstance(stream, CheckedFile):
            stream.report = ignored.append if deep else changed.append
        return stream

    changed: list[str] = []
    ignored: list[str] = []
    report.add(
        object_id,
        "package",
        guarded(_lazy(Package(head.files, opener, schemas, head.files).check), str),
    )
    if deep:
        report.add(object_id, "evidence", guarded(_evidence(store, head, report), str))
    report.add(object_id, "store", dict.fromkeys(changed))


def _evidence(store: PackageStore, head: ObjectVersion, report: Report) -> Iterator[str]:
    for path in sorted(head.files):
        if path.endswith(".wacz"):
            report.warcs += 1
            with store.open(head.object_id, path) as stream:
                if not stream.seekable():
                    stream = io.BytesIO(stream.read())
                yield from (f"{path}: {fault}" for fault in check_wacz(stream))
        elif path.endswith(".warc.gz"):
            report.warcs += 1
            with store.open(head.object_id, path) as stream:
                yield from (f"{path}: {fault}" for fault in check_warc(stream))


def _verify_crawls(crawls: Path, report: Report) -> None:
    for path in sorted(crawls.rglob("*")):
        name = path.relative_to(crawls).as_posix()
        if path.is_dir():
            _missing_beside(path, name, report)
            continue
        if path.name.endswith(OPEN):
            report.notes.append(
                f"{name} is still open: a crawl is running, or the next one will close it"
            )
        elif path.name.endswith(".warc.gz"):
            report.warcs += 1
            report.add(name, "evidence", guarded(_warc_with_index(path), str))
        elif path.name.endswith(".wacz") and not path.name.startswith("."):
            report.warcs += 1
            report.add(name, "evidence", guarded(_opened(path, check_wacz), str))
        elif path.name == CAPTURES:
            report.add(name, "evidence", guarded(check_captures(path), str))
        elif path.name == PAGES:
            report.add(name, "evidence", guarded(check_pages(path), str))
        elif path.suffix == ".cdxj" and not warc_of(path):
            _report_lone_index(path, name, report)


def _report_lone_index(path: Path, name: str, report: Report) -> None:
    """Report an index without its WARC file."""
    if any(path.parent.glob("*.wacz")):
        report.notes.append(
            f"{name} was left by a crawl that was killed while it closed; the next one removes it"
        )
        return
    fault = f"it is missing, its index {path.name} is there"
    report.add(name.removesuffix(".cdxj") + ".warc.gz", "evidence", [fault])


def _missing_beside(folder: Path, name: str, report: Report) -> None:
    """Report what a folder of evidence lacks."""
    if folder.name == EVIDENCE and not (folder.parent / CAPTURES).exists():
        what = (
            f"{CAPTURES} is missing: the next crawl begins a new one, and stores again what "
            f"it finds"
        )
        report.add(name, "evidence", [what])
    if any(folder.glob("*.warc.gz")) and not (folder / PAGES).exists():
        report.notes.append(
            f"{name} has no {PAGES}: the crawl had listed no page yet, or the list was lost"
        )


def _opened(path: Path, check: Callable[[BinaryIO], Iterator[str]]) -> Iterator[str]:
    with path.open("rb") as stream:
        yield from check(stream)


def _warc_with_index(path: Path) -> Iterator[str]:
    """Yield faults of a WARC file, and of its index where the file itself is whole."""
    faults = list(_opened(path, check_warc))
    yield from faults
    index = index_path(path)
    if faults:
        return
    if not index.exists():
        yield f"{index.name} is missing"
    elif index.read_bytes() != "".join(line + "\n" for line in index_lines(path, path.name)).encode(
        "ascii", "backslashreplace"
    ):
        yield f"{index.name} is not the index of this file"


def packages_of(state: SqlState, blogs: Iterable[BlogRow]) -> Iterator[str]:
    """Yield ids of the blogs' packages and of those of their posts."""
    for blog in blogs:
        if blog.aip_id:
            yield blog.aip_id
        for post in state.posts(blog.id):
            if post.aip_id:
                yield post.aip_id


def against_state(
    state: SqlState, store: PackageStore, blogs: Iterable[BlogRow], *, deep: bool = False
) -> Iterator[str]:
    """Yield faults where the state names a package that the store lacks, or a newer version than it
    has; ``deep``: also where a row has other values than the package's record.
    """
    for blog in blogs:
        if blog.aip_id:
            yield from _row_faults(store, blog, deep=deep)
        for post in state.posts(blog.id):
            yield from _row_faults(store, post, deep=deep)


def _row_faults(store: PackageStore, row: BlogRow | PostRow, *, deep: bool) -> Iterator[str]:
    if row.aip_id is None:
        yield f"{row.url} has no package"
        return
    if deep:
        store = store.view(row.aip_id)
    try:
        head = store.head(row.aip_id)
    except StorageError as error:
        yield f"{row.url}: {error.message}"
        return
    if head is None:
        yield f"{row.url}: its package {row.aip_id} is not in the store"
    elif head.version < row.aip_version:
        yield (
            f"{row.url}: the store has version {head.version} of its package, the state knows "
            f"version {row.aip_version}"
        )
    elif deep and isinstance(row, PostRow) and head.version == row.aip_version:
        yield from _differences(store, row)


def _differences(store: PackageStore, row: PostRow) -> Iterator[str]:
    """Yield what the state says otherwise than the package; nothing of one that can't be read:
    its own check names that."""
    try:
        post = read_post(store, row)
    except (StorageError, PackagingError):
        return
    for name in _different(row, post):
        yield f"{row.url}: its {name} is not that of its package {row.aip_id}"


def _different(row: PostRow, post: Post) -> Iterator[str]:
    """Yield fields in which a row differs from the record it was written from."""
    if row.url != post.canonical_url:
        yield "address"
    if row.title != post.title:
        yield "title"
    if row.published != post.published:
        yield "date"
    if row.comment_count != len(post.comments):
        yield "number of comments"
