"""Deposit targets that are places for files: a folder, S3, bags, ZIPs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from blogcrawl.core.credentials import has_login
from blogcrawl.core.errors import ArchiveError, DepositError, StorageError, UsageError
from blogcrawl.packaging import ids
from blogcrawl.packaging.parts import Kept
from blogcrawl.storage.bags import write_bag
from blogcrawl.storage.base import Content, DepositTarget, ObjectVersion, PackageStore
from blogcrawl.storage.exportfolders import write_zip
from blogcrawl.storage.files import remote_errors, sync_tree
from blogcrawl.storage.temporary import new_file, new_folder, sweep

_CHUNK = 8 * 2**20


def _place(url: str) -> Path:
    """Raise UsageError where no folder is named: the current one is never meant."""
    path = url.partition(":")[2].removeprefix("//")
    if not path:
        raise UsageError(f"{url!r} names no folder", advice=f"write {url}/path/to/folder")
    return Path(path).absolute()


def _name(version: ObjectVersion) -> str:
    return f"{ids.objid(version.object_id)}-v{version.version}"


def _write(content: Content, place: Path) -> None:
    if isinstance(content, Kept):
        raise DepositError("content without bytes can't be deposited")
    with place.open("wb") as out:
        if isinstance(content, bytes):
            out.write(content)
        else:
            shutil.copyfileobj(content, out, _CHUNK)


class FolderTarget:
    """``folder:PATH``: one folder per package and version, whole or not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def deposit(self, version: ObjectVersion, files: Mapping[str, Content]) -> str:
        final = self.folder / _name(version)
        if final.exists():
            return str(final)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sweep(self.folder)
            with new_folder(final) as part:
                for path in files:
                    place = part / PurePosixPath(path)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    _write(files[path], place)
                sync_tree(part)
                os.rename(part, final)
        except OSError as error:
            raise DepositError(f"{final}: {error.strerror}") from error
        return str(final)


class OnePackage(PackageStore):
    """A package's files where a store is asked for."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self._files = files

    def open(self, object_id: str, path: str, version: int | None = None) -> BinaryIO:
        return cast(BinaryIO, self._files[path])


class BagTarget:
    """``bag:PATH``: a BagIt bag per package; a newer version takes the place of an older one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def deposit(self, version: ObjectVersion, files: Mapping[str, Content]) -> str:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sweep(self.folder)
            return str(write_bag(OnePackage(files), version, self.folder, now=datetime.now(UTC)))  # type: ignore[abstract]
        except OSError as error:
            raise DepositError(f"{self.folder}: {error.strerror}") from error


class ZipTarget:
    """``zip:PATH``: an E-ARK ZIP per package and version, as RODA's ingest takes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def deposit(self, version: ObjectVersion, files: Mapping[str, Content]) -> str:
        final = self.folder / f"{_name(version)}.zip"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sweep(self.folder)
            if not final.exists():
                with new_file(final, sync=True) as out:
                    write_zip(OnePackage(files), version, out)  # type: ignore[abstract]
        except OSError as error:
            raise DepositError(f"{final}: {error.strerror}") from error
        return str(final)


class S3Target:
    """``s3://BUCKET/PREFIX``: keys below the package's name and version; METS.xml comes last, so
    its presence says: whole.
    """

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        import fsspec

        try:
            self.fs, self.root = fsspec.core.url_to_fs(url, **(options or {}))
        except (ValueError, ImportError) as error:
            raise DepositError(f"{url}: {error}", advice="for S3 install blogcrawl[s3]") from error

    def deposit(self, version: ObjectVersion, files: Mapping[str, Content]) -> str:
        place = f"{self.root}/{_name(version)}"
        try:
            with remote_errors(place):
                if not self.fs.exists(f"{place}/METS.xml"):
                    for path in sorted(files, key=lambda name: (name == "METS.xml", name)):
                        content = files[path]
                        with self.fs.open(f"{place}/{path}", "wb") as out:
                            if isinstance(content, bytes):
                                out.write(content)
                            else:
                                shutil.copyfileobj(cast(BinaryIO, content), out, _CHUNK)
        except (StorageError, ArchiveError) as error:
            raise DepositError(error.message) from error
        return str(self.fs.unstrip_protocol(place))


def folder_target(url: str) -> DepositTarget:
    return FolderTarget(_place(url))


def bag_target(url: str) -> DepositTarget:
    return BagTarget(_place(url))


def zip_target(url: str) -> DepositTarget:
    return ZipTarget(_place(url))


def s3_target(url: str) -> DepositTarget:
    """Raises UsageError where no bucket is named."""
    if not url.startswith("s3://") or not url.removeprefix("s3://").strip("/"):
        raise UsageError(f"{url!r} names no bucket", advice="write s3://BUCKET/PREFIX")
    if has_login(url):
        raise UsageError(
            "the deposit target holds a login",
            advice="give keys in AWS_… variables or AWS_SHARED_CREDENTIALS_FILE",
        )
    return S3Target(url)
