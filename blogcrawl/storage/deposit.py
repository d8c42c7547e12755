"""``blogcrawl deposit``: send new versions of packages to a repository, once each, with a receipt.

A target is a DepositTarget (``storage.base``). To add one, write a class with ``deposit`` and a
factory that takes the target's URL and the archive's organization, and name it in ``TARGETS`` or by
dotted path (``package.module:factory+https://…``); ``inveniordm.py`` is an example of a REST
repository that knows nothing of METS.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from lxml.etree import XMLSyntaxError

from blogcrawl.core.credentials import encode_advice, hidden, without_login
from blogcrawl.core.errors import DamagedError, DepositError, PackagingError, UsageError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging import ids, premis
from blogcrawl.packaging.parts import Stamp, host_name
from blogcrawl.packaging.records import parse_rfc3339, rfc3339
from blogcrawl.packaging.xmltools import parse, serialize
from blogcrawl.storage.base import DepositTarget, ObjectVersion, PackageStore, opener
from blogcrawl.storage.files import disk_errors, lazily, replace_file, sync_folder
from blogcrawl.storage.selection import Selection
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.temporary import sweep

TARGETS = {
    **dict.fromkeys(
        ("folder", "file", "bag", "zip", "sip", "archivematica"),
        "blogcrawl.storage.deposit_files:LocalTarget",
    ),
    "s3": "blogcrawl.storage.deposit_files:s3_target",
    **{
        f"{name}+{scheme}": f"blogcrawl.storage.{name}:{name}_target"
        for name in ("fedora", "inveniordm", "dspace")
        for scheme in ("http", "https")
    },
}
"""Scheme of the target's URL -> ``module:factory``."""


def open_target(url: str, operator: Organization = UNNAMED) -> DepositTarget:
    """Open the target that ``url`` names for packages of ``operator``.

    Raises UsageError, DepositError.
    """
    scheme = url.partition(":")[0]
    path = TARGETS.get(scheme)
    if path is None and ":" in url.partition("+")[0]:
        path, _, url = url.partition("+")
    if path is None:
        raise UsageError(
            f"there is no deposit target {scheme!r}",
            advice="take one of " + ", ".join(f"{name}:" for name in TARGETS),
        )
    module, _, name = path.partition(":")
    try:
        factory: Callable[[str, Organization], DepositTarget] = getattr(
            importlib.import_module(module), name
        )
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the deposit target {path} can't be loaded: {error}") from None
    try:
        return factory(url, operator)
    except ValueError as error:
        why = "" if "@" in url else f": {error}"  # Python's own words quote the address
        raise UsageError(
            f"the deposit target {hidden(url)!r} is no address{why}", advice=encode_advice(url)
        ) from None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of a ledger. ``event``: SHA-256 of its PREMIS document (None in old lines)."""

    object_id: str
    version: int
    event: str | None


_FIRST_FIELDS = {"id", "version", "receipt", "at"}
"""Of a ledger's lines of the first version, which had no checksum."""


def ledger_entry(line: bytes) -> LedgerEntry:
    """Read a line of a ledger, every field checked. Raises DamagedError."""
    try:
        fields = json.loads(line)
        check = fields.pop("check", None)
        entry = LedgerEntry(fields["id"], fields["version"], fields.get("event"))
        texts = (entry.object_id, fields["receipt"], fields["at"], entry.event or "")
        parse_rfc3339(fields["at"])
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        PackagingError,
    ) as error:
        raise DamagedError(
            f"this is no entry of a deposit ({type(error).__name__}: {error})"
        ) from None
    if (
        not all(isinstance(one, str) for one in texts)
        or type(entry.version) is not int
        or entry.version < 1
    ):
        raise DamagedError("its fields are of another type")
    if check != _line_check(fields) and not (check is None and set(fields) == _FIRST_FIELDS):
        raise DamagedError("its checksum does not fit")
    return entry


def _line_check(fields: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:32]


def event_name(object_id: str, version: int, ledger: str) -> str:
    """Return the file name of a deposit's PREMIS document; ``ledger``: the ledger's stem."""
    return f"{ids.objid(object_id)}-v{version}-{ledger}.premis.xml"


def check_ledgers(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the faults of ledgers and their PREMIS documents: file name, what is wrong."""
    listed: set[str] = set()
    whole = True
    for path in sorted(folder.glob("*.jsonl")):
        data = path.read_bytes()
        lines = data.split(b"\n")
        if lines.pop():
            whole = False
            yield path.name, "its last line is cut off: the next deposit sends that package again"
        for number, line in enumerate(lines, 1):
            try:
                entry = ledger_entry(line)
                name = event_name(entry.object_id, entry.version, path.stem)
            except (DamagedError, PackagingError) as error:
                whole = False
                yield (
                    path.name,
                    (
                        f"line {number}: {error.message}; without that line the next deposit sends "
                        f"its package again"
                    ),
                )
                continue
            listed.add(name)
            fault = _event_fault(folder / name, entry)
            if fault:
                yield name, fault
    for path in sorted(folder.glob("*.premis.xml")):
        if path.name not in listed:
            yield from _unlisted(path, whole=whole)


def _unlisted(path: Path, *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the faults of a PREMIS document in no ledger; ``whole``: all ledgers could be read."""
    ledger = path.with_name(path.name.removesuffix(".premis.xml").rsplit("-", 1)[-1] + ".jsonl")
    if not ledger.exists():
        yield (
            ledger.name,
            f"it is missing, {path.name} is there: deposit again, it sends only what is missing",
        )
    elif whole:
        yield (
            path.name,
            "no ledger lists this deposit: deposit again, it sends only what is missing",
        )
    else:
        fault = _event_fault(path, None)
        if fault:
            yield path.name, fault


def _event_fault(path: Path, entry: LedgerEntry | None) -> str | None:
    try:
        data = path.read_bytes()
        parse(data)
    except OSError as error:
        return f"it can't be read: {error.strerror}"
    except XMLSyntaxError as error:
        return f"it is not well-formed: {error}"
    if (
        entry is not None
        and entry.event is not None
        and hashlib.sha256(data).hexdigest() != entry.event
    ):
        return "it has changed since the deposit"
    return None


class Ledger:
    """What was deposited where: a JSON line a deposit, and a PREMIS document with the event."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, without_login(url)
        self.name = hashlib.sha256(self.url.encode()).hexdigest()[:16]
        self.path = folder / f"{self.name}.jsonl"
        self._done: dict[str, int] = {}
        self.damaged: list[str] = []
        """Lines that can't be believed, with the reason: what they stood for is sent again."""
        with disk_errors(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            sweep(folder)
            self._read()

    def _read(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            replace_file(self.path, whole)  # the line that a killed deposit was writing
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = ledger_entry(line)
            except DamagedError as error:
                self.damaged.append(f"deposits/{self.path.name} line {number}: {error.message}")
                continue
            self._done[entry.object_id] = max(entry.version, self._done.get(entry.object_id, 0))

    def has(self, object_id: str, version: int) -> bool:
        return self._done.get(object_id, 0) >= version

    def note(self, version: ObjectVersion, receipt: str, now: datetime, stamp: Stamp) -> None:
        """Durable before it returns."""
        with disk_errors(str(self.folder)):
            event = premis.Event(
                type="replication", at=now, detail=f"deposited in {self.url}", notes=[receipt]
            )
            name = event_name(version.object_id, version.version, self.name)
            root = premis.document()
            premis.add_entity(
                root, premis.Entity(urn=version.object_id, name=f"version {version.version}")
            )
            premis.add_events(
                root,
                f"{version.object_id}/v{version.version}/{self.url}",
                [event],
                stamp,
                [version.object_id],
            )
            premis.add_agents(root, [event], stamp)
            document = serialize(root)
            replace_file(self.folder / name, document)
            line = {
                "id": version.object_id,
                "version": version.version,
                "receipt": receipt,
                "at": rfc3339(now),
            }
            line["event"] = hashlib.sha256(document).hexdigest()
            with self.path.open("ab") as out:
                out.write(json.dumps({**line, "check": _line_check(line)}).encode() + b"\n")
                out.flush()
                os.fsync(out.fileno())
            sync_folder(self.folder)
        self._done[version.object_id] = version.version


@dataclass(slots=True)
class Deposited:
    """What a run did. ``failed``, ``damaged`` (in the archive itself): object id -> why."""

    sent: int = 0
    known: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)


def deposit(
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    target: DepositTarget,
    ledger: Ledger,
    *,
    operator: Organization = UNNAMED,
    report: Callable[[int], object] = lambda count: None,
) -> Deposited:
    """Send the newest version of each selected package that the ledger doesn't have.

    ``operator``: who sends it, an agent of the event. ``report`` is called with the number sent
    after each. One that fails doesn't stop the others; five failures in a row do: raises
    DepositError, and the next run continues there.
    """
    done = Deposited()
    row_of_failures = 0
    for object_id, _ in selection.packages(state):
        try:
            version = store.head(object_id)
        except DamagedError as error:
            done.damaged[object_id] = error.message
            continue
        if version is None:
            done.damaged[object_id] = "it is not in the store"
            continue
        if ledger.has(object_id, version.version):
            done.known += 1
            continue
        now = datetime.now(UTC)
        try:
            receipt = target.deposit(version, files_of(store, version))
        except DamagedError as error:
            done.damaged[object_id] = error.message
            continue
        except DepositError as error:
            done.failed[object_id] = str(error)
            row_of_failures += 1
            if row_of_failures >= 5:
                raise DepositError(
                    f"five deposits in a row failed, the last with: {error.message}",
                    advice="run it again later",
                ) from error
            continue
        row_of_failures = 0
        stamp = Stamp(created=now, changed=now, operator=operator, host=host_name())
        ledger.note(version, receipt, now, stamp)
        done.sent += 1
        report(done.sent)
    return done


def files_of(store: PackageStore, version: ObjectVersion) -> dict[str, BinaryIO]:
    """Return a package's files for a target, each opened when it is read."""
    read = opener(store, version)
    return {path: lazily(partial(read, path)) for path in sorted(version.files)}
