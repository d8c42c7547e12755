"""Deposit targets that are places for files: a folder, S3, bags, ZIPs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from blogcrawl.core.credentials import has_login
from blogcrawl.core.errors import ArchiveError, DepositError, StorageError, UsageError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.storage.bags import write_bag
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.files import remote_errors, sync_tree
from blogcrawl.storage.submissions import name_of, write_aip, write_sip, write_transfer
from blogcrawl.storage.temporary import new_folder, sweep

_CHUNK = 8 * 2**20


class _LocalTarget:
    """A folder with what was deposited, from a URL ``scheme:PATH``."""

    def __init__(self, url: str, operator: Organization = UNNAMED) -> None:
        """Raise UsageError where no folder is named: the current one is never meant."""
        path = url.partition(":")[2].removeprefix("//")
        if not path:
            raise UsageError(f"{url!r} names no folder", advice=f"write {url}/path/to/folder")
        self.folder = Path(path).absolute()
        self.operator = operator

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is a path."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sweep(self.folder)
            return str(self.write(version, files))
        except OSError as error:
            raise DepositError(f"{self.folder}: {error.strerror}") from error

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        """Write the package into ``folder``, unless it is there: whole or not at all."""
        raise NotImplementedError


class FolderTarget(_LocalTarget):
    """``folder:PATH``: one folder per package and version."""

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        final = self.folder / name_of(version)
        if final.exists():
            return final
        with new_folder(final) as part:
            for path in files:
                place = part / PurePosixPath(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("wb") as out:
                    shutil.copyfileobj(files[path], out, _CHUNK)
            sync_tree(part)
            os.rename(part, final)
        return final


class BagTarget(_LocalTarget):
    """``bag:PATH``: a BagIt bag per package; a newer version takes the place of an older one."""

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        now = datetime.now(UTC)
        return write_bag(version, files.__getitem__, self.folder, now=now, operator=self.operator)


class ZipTarget(_LocalTarget):
    """``zip:PATH``: an E-ARK ZIP of the AIP per package and version."""

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        return write_aip(version, files.__getitem__, self.folder)


class SipTarget(_LocalTarget):
    """``sip:PATH``: an E-ARK SIP per package and version, a ZIP, as RODA's ingest takes it."""

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        return write_sip(version, files.__getitem__, self.folder, self.operator)


class TransferTarget(_LocalTarget):
    """``archivematica:PATH``: a standard transfer per package and version."""

    def write(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> Path:
        return write_transfer(version, files.__getitem__, self.folder)


class S3Target:
    """``s3://BUCKET/PREFIX``: keys below the package's name and version.

    METS.xml comes last: where it is present, the package is complete.
    """

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        import fsspec

        try:
            self.fs, self.root = fsspec.core.url_to_fs(url, **(options or {}))
        except (ValueError, ImportError) as error:
            raise DepositError(f"{url}: {error}", advice="for S3 install blogcrawl[s3]") from error

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is the URL of the package."""
        place = f"{self.root}/{name_of(version)}"
        try:
            with remote_errors(place):
                if not self.fs.exists(f"{place}/METS.xml"):
                    for path in sorted(files, key=lambda name: (name == "METS.xml", name)):
                        with self.fs.open(f"{place}/{path}", "wb") as out:
                            shutil.copyfileobj(files[path], out, _CHUNK)
        except (StorageError, ArchiveError) as error:
            raise DepositError(error.message) from error
        return str(self.fs.unstrip_protocol(place))


def s3_target(url: str, _operator: Organization = UNNAMED) -> DepositTarget:
    """Open the S3 target of ``url``. Raises UsageError if no bucket is named."""
    if not url.startswith("s3://") or not url.removeprefix("s3://").strip("/"):
        raise UsageError(f"{url!r} names no bucket", advice="write s3://BUCKET/PREFIX")
    if has_login(url):
        raise UsageError(
            "the deposit target holds a login",
            advice="give keys in AWS_… variables or AWS_SHARED_CREDENTIALS_FILE",
        )
    return S3Target(url)
