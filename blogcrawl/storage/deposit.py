"""``blogcrawl deposit``: packages travel to a repository; only new versions, once each, with a receipt.

A target is a DepositTarget (``storage.base``). To add one, write a class with ``deposit`` and a factory that takes the
target's URL, and name it in ``TARGETS`` or by dotted path (``package.module:factory+https://…``); ``inveniordm.py`` is an
example of a REST repository that knows nothing of METS.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from blogcrawl.credentials import encode_advice, hidden, without_login
from blogcrawl.errors import DepositError, UsageError
from blogcrawl.packaging import ids, premis
from blogcrawl.packaging.parts import Stamp
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.xmltools import serialize
from blogcrawl.storage.base import Content, DepositTarget, ObjectVersion, PackageStore, State
from blogcrawl.storage.files import disk_errors, lazily, replace_file, sync_folder
from blogcrawl.storage.selection import Selection

TARGETS = {
    "folder": "blogcrawl.storage.deposit_files:folder_target",
    "file": "blogcrawl.storage.deposit_files:folder_target",
    "s3": "blogcrawl.storage.deposit_files:s3_target",
    "bag": "blogcrawl.storage.deposit_files:bag_target",
    "zip": "blogcrawl.storage.deposit_files:zip_target",
    "fedora+http": "blogcrawl.storage.fedora:fedora_target",
    "fedora+https": "blogcrawl.storage.fedora:fedora_target",
    "inveniordm+http": "blogcrawl.storage.inveniordm:inveniordm_target",
    "inveniordm+https": "blogcrawl.storage.inveniordm:inveniordm_target",
}
"""Scheme of the target's URL -> ``module:factory``."""


def open_target(url: str) -> DepositTarget:
    """The target that ``url`` names. Raises UsageError, DepositError."""
    scheme = url.partition(":")[0]
    path = TARGETS.get(scheme)
    if path is None and ":" in url.partition("+")[0]:
        path, _, url = url.partition("+")
    if path is None:
        raise UsageError(f"there is no deposit target {scheme!r}", advice="take one of " + ", ".join(f"{name}:" for name in TARGETS))
    module, _, name = path.partition(":")
    try:
        factory: Callable[[str], DepositTarget] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the deposit target {path} can't be loaded: {error}") from None
    try:
        return factory(url)
    except ValueError as error:
        why = "" if "@" in url else f": {error}"  # Python's own words quote the address
        raise UsageError(f"the deposit target {hidden(url)!r} is no address{why}", advice=encode_advice(url)) from None


class Ledger:
    """What was deposited where: one JSON line a deposit in ``deposits/``, beside it a PREMIS document with the event."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, without_login(url)
        self.name = hashlib.sha256(self.url.encode()).hexdigest()[:16]
        self.path = folder / f"{self.name}.jsonl"
        self._done: dict[str, int] = {}
        with disk_errors(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._read()

    def _read(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            replace_file(self.path, whole)  # the line that a killed deposit was writing
        for line in whole.splitlines():
            told = json.loads(line)
            self._done[told["id"]] = max(int(told["version"]), self._done.get(told["id"], 0))

    def has(self, object_id: str, version: int) -> bool:
        return self._done.get(object_id, 0) >= version

    def note(self, version: ObjectVersion, receipt: str, now: datetime, stamp: Stamp) -> None:
        """Durable before it returns."""
        with disk_errors(str(self.folder)):
            event = premis.Event(type="replication", at=now, detail=f"deposited in {self.url}", note=receipt)
            name = f"{ids.objid(version.object_id)}-v{version.version}-{self.name}.premis.xml"
            root = premis.document()
            premis.add_entity(root, version.object_id, f"version {version.version}", (), None)
            premis.add_events(root, f"{version.object_id}/v{version.version}/{self.url}", [event], stamp, [version.object_id])
            premis.add_agents(root, stamp)
            replace_file(self.folder / name, serialize(root))
            line = {"id": version.object_id, "version": version.version, "receipt": receipt, "at": rfc3339(now)}
            with self.path.open("ab") as out:
                out.write(json.dumps(line).encode() + b"\n")
                out.flush()
                os.fsync(out.fileno())
            sync_folder(self.folder)
        self._done[version.object_id] = version.version


@dataclass(slots=True)
class Deposited:
    """What a run did. ``failed``: object id -> why."""

    sent: int = 0
    known: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def deposit(
    state: State,
    store: PackageStore,
    selection: Selection,
    target: DepositTarget,
    ledger: Ledger,
    *,
    stamp: Stamp | None = None,
    step: Callable[[str], None] | None = None,
) -> Deposited:
    """Send the newest version of each selected package that the ledger doesn't have. One that fails doesn't stop the others;
    a target that is gone (five failures in a row) does: raises DepositError, and the next run goes on from there."""
    done = Deposited()
    row_of_failures = 0
    for object_id, _ in selection.packages(state):
        version = store.head(object_id)
        if version is None:
            done.failed[object_id] = "it is not in the store"
            continue
        if ledger.has(object_id, version.version):
            done.known += 1
            continue
        now = datetime.now(UTC)
        if step:
            step(object_id)
        try:
            receipt = target.deposit(version, files_of(store, version))
        except DepositError as error:
            done.failed[object_id] = str(error)
            row_of_failures += 1
            if row_of_failures >= 5:
                raise DepositError(f"five deposits in a row failed, the last with: {error.message}", advice="run it again later") from error
            continue
        row_of_failures = 0
        ledger.note(version, receipt, now, stamp or Stamp(created=now, changed=now))
        done.sent += 1
    return done


def files_of(store: PackageStore, version: ObjectVersion) -> dict[str, Content]:
    """What a target gets: the package's files, each opened when it is read."""

    def opener(path: str) -> Callable[[], BinaryIO]:
        return lambda: store.open(version.object_id, path, version.version)

    return {path: lazily(opener(path)) for path in sorted(version.files)}
