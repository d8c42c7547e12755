"""Deposit targets that are places for files: a folder, S3, bags, ZIPs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from blogcrawl.core.credentials import has_login
from blogcrawl.core.errors import ArchiveError, DepositError, StorageError, UsageError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.files import remote_errors
from blogcrawl.storage.submissions import WRITERS, name_of
from blogcrawl.storage.temporary import sweep

_CHUNK = 8 * 2**20


class LocalTarget:
    """A folder with what was deposited, from a URL ``scheme:PATH``.

    ``folder`` (or ``file``), ``zip``, ``sip``, ``archivematica``: one folder or ZIP per package and
    version; ``bag``: a bag per package, where a newer version takes the place of an older one.
    """

    def __init__(self, url: str, operator: Organization = UNNAMED) -> None:
        """Raise UsageError where no folder is named: the current one is never meant."""
        scheme, _, path = url.partition(":")
        path = path.removeprefix("//")
        if not path:
            raise UsageError(f"{url!r} names no folder", advice=f"write {url}/path/to/folder")
        self.folder, self.operator = Path(path).absolute(), operator
        self.write = WRITERS["folder" if scheme == "file" else scheme]

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is a path."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sweep(self.folder)
            return str(self.write(version, files.__getitem__, self.folder, self.operator))
        except OSError as error:
            raise DepositError(f"{self.folder}: {error.strerror}") from error


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
