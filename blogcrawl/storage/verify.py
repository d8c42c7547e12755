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
from importlib import resources
from pathlib import Path
from string import Template
from typing import BinaryIO

from blogcrawl.errors import StorageError
from blogcrawl.packaging.check import Package, Schemas
from blogcrawl.packaging.records import rfc3339
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.evidence import OPEN
from blogcrawl.storage.files import CheckedFile
from blogcrawl.storage.warccheck import check_wacz, check_warc

FAULT_LIMIT = 10_000


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
        told = dataclasses.asdict(self) | {"ok": self.ok, "started": rfc3339(self.started)}
        told["ended"] = rfc3339(self.ended) if self.ended else None
        return json.dumps(told, ensure_ascii=False, indent=1)

    def to_text(self) -> str:
        lines = [f"{fault.where}: {fault.what}" for fault in self.faults]
        if self.dropped:
            lines.append(f"… and {self.dropped} more")
        lines += self.notes
        verdict = "all as it should be" if self.ok else f"{len(self.faults) + self.dropped} faults"
        depth = "every byte read" if self.deep else "inventories, descriptions and links; --deep reads every byte"
        lines.append(f"{self.packages} packages, {self.files} files, {self.warcs} evidence files checked ({depth}): {verdict}")
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """A page of its own, from the template beside this module."""
        import html

        folder = resources.files("blogcrawl.storage").joinpath("templates")
        row = Template(folder.joinpath("verify_row.html").read_text("utf-8"))
        rows = "".join(row.substitute({k: html.escape(v) for k, v in dataclasses.asdict(fault).items()}) for fault in self.faults)
        page = Template(folder.joinpath("verify.html").read_text("utf-8"))
        return page.substitute(
            verdict="whole" if self.ok else "damaged",
            summary=html.escape(self.to_text().splitlines()[-1]),
            started=rfc3339(self.started),
            rows=rows,
        )


def verify_store(
    store: PackageStore,
    *,
    clock: Callable[[], datetime],
    object_ids: Iterable[str] | None = None,
    deep: bool = False,
    schemas: Schemas | None = None,
    crawls: Path | None = None,
    watch: Callable[[str], None] | None = None,
) -> Report:
    """Check the store's root, its objects (all, or those given), the packages in them and the evidence.

    ``crawls``: folder of evidence that is not in a package yet; ``watch`` is called with each object's id.
    """
    report = Report(started=clock(), deep=deep)
    root = getattr(store, "verify_root", None)
    if object_ids is None and root is not None:
        report.add("the store's root", "store", root())
    for object_id in store.object_ids() if object_ids is None else object_ids:
        if watch:
            watch(object_id)
        _verify_object(store, object_id, report, deep=deep, schemas=schemas)
    if crawls is not None and crawls.is_dir():
        _verify_crawls(crawls, report)
    report.ended = clock()
    return report


def _verify_object(store: PackageStore, object_id: str, report: Report, *, deep: bool, schemas: Schemas | None) -> None:
    report.packages += 1
    report.add(object_id, "store", store.verify(object_id, deep=deep))
    try:
        head = store.head(object_id)
    except StorageError as error:
        report.add(object_id, "store", [error.message])
        return
    if head is None:
        report.add(object_id, "store", ["there is no such package"])
        return
    report.files += len(head.files)

    def opener(path: str) -> BinaryIO:
        stream = store.open(object_id, path)
        if isinstance(stream, CheckedFile):  # a changed file is one fault among others; a deep look has named it already
            stream.report = ignored.append if deep else changed.append
        return stream

    changed: list[str] = []
    ignored: list[str] = []
    try:
        report.add(object_id, "package", Package(head.files, opener, schemas, head.files).check())
        if deep:
            report.add(object_id, "evidence", _evidence(store, head, report))
    except (OSError, StorageError) as error:
        report.add(object_id, "package", [str(error)])
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
        if path.name.endswith(OPEN):
            report.notes.append(f"{name} is still open: a crawl is running, or the next one will close it")
        elif path.name.endswith(".warc.gz"):
            report.warcs += 1
            with path.open("rb") as stream:
                report.add(name, "evidence", check_warc(stream))
        elif path.name.endswith(".wacz") and not path.name.startswith("."):
            report.warcs += 1
            with path.open("rb") as stream:
                report.add(name, "evidence", check_wacz(stream))
