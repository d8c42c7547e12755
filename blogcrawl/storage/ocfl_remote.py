"""An OCFL storage root behind fsspec: S3 and whatever else has no rename.

A version's content is stored first, under names that begin with its digest; then the version's
inventory, on condition that there is none yet. That is the moment of truth: who comes second begins
again on top of it. The object's inventory follows; where a writer dies before that, the next one
finishes its work. A reader sees the old version or the new one. Stores that know no conditional
write are for one writer at a time.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import io
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from blogcrawl.core.errors import ArchiveError, DamagedError, StorageError, UsageError
from blogcrawl.packaging.parts import Content, Kept, measure
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.files import LazyFile, remote_errors
from blogcrawl.storage.ocfl_model import INVENTORY, OBJECT_NAMASTE, SIDECAR, Inventory
from blogcrawl.storage.ocfl_store import Guard, OcflStore
from blogcrawl.storage.ocfl_write import check_kept

_CHUNK = 8 * 2**20
_SPOOL = 16 * 2**20
"""Open files larger than this are spooled to disk, not memory."""
_SMALL, _KEPT = 2**20, 64 * 2**20
"""Bytes of a file that a view of an object caches, and of all of them together."""
_TRIES = 20
CLIENT: Mapping[str, Any] = {
    "connect_timeout": 5,
    "read_timeout": 30,
    "retries": {"mode": "standard", "total_max_attempts": 2},
}
"""For botocore: notice soon that a server is away; ``storage.outage`` decides on waiting."""


class Conflict(Exception):
    """Somebody else wrote the object in the meantime."""


class RemoteStore(OcflStore):
    """PackageStore on an fsspec URL (``s3://bucket/prefix``, ``memory://x`` …)."""

    def __init__(
        self,
        url: str,
        *,
        user: Mapping[str, str],
        guard: Guard | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        import fsspec

        try:
            self.fs, root = fsspec.core.url_to_fs(url, **{**_defaults(url), **(options or {})})
        except (ValueError, ImportError) as error:
            raise UsageError(f"{url}: {error}", advice="for S3 install blogcrawl[s3]") from error
        self.url, self.root, self.user, self.guard = url, str(root).rstrip("/"), user, guard
        self._is_s3 = "s3" in self.fs.protocol
        self._viewed: _Listed | None = None
        with remote_errors(url):
            self._declare()

    def _declare(self) -> None:
        if self._read(model.ROOT_NAMASTE) is not None:
            return
        stranger = next(
            (
                path
                for path in self._list("")
                if not path.startswith(("extensions/", "ocfl_layout.json"))
            ),
            None,
        )
        # else another process has marked it this very moment
        if stranger is not None and self._read(model.ROOT_NAMASTE) is None:
            raise ArchiveError(f"{self.url} is no package store and not empty")
        self.fs.makedirs(self.root, exist_ok=True)
        for name, forms in model.ROOT_CONTENT.items():
            self._write(name, forms[-1])

    def put(
        self,
        object_id: str,
        files: Mapping[str, Content],
        *,
        message: str,
        created: datetime,
        fence: int = 0,
    ) -> ObjectVersion:
        """See PackageStore. Raises StorageError if others are faster twenty times in a row."""
        model.check_paths(files)
        with remote_errors(self.url):
            spooled = {path: _spool(content) for path, content in files.items()}
            digests = {path: _digest(content) for path, content in spooled.items()}
            for _ in range(_TRIES):
                current, mark = self._load(object_id)
                place = model.object_path(object_id)
                if current is not None and self._complete(place, current, mark):
                    continue
                if current and current.files() == digests:
                    return current.record()
                base = current or Inventory(object_id)
                check_kept(files, base)
                inventory, missing = base.next(
                    digests, created=created, message=message, user=self.user, apart=True
                )
                self.check_guard(object_id, fence)
                try:
                    for where, path in missing.items():
                        self._write(f"{place}/{where}", spooled[path])
                    self.check_guard(object_id, fence)
                    data = inventory.to_bytes()
                    self._write_if(f"{place}/{inventory.head}/{INVENTORY}", data, None)
                    self._publish(place, inventory.head, data, mark)
                    return inventory.record()
                except Conflict:
                    self._complete(place, base, mark)
                finally:
                    self._sweep(place, inventory.head)
        raise StorageError(f"{object_id} is being written by others all the time")

    def _sweep(self, place: str, head: str) -> None:
        """Delete what the version's inventory doesn't name, of dead or late writers (E023)."""
        data = self._read(f"{place}/{head}/{INVENTORY}")
        if data is not None:
            named = {
                f"{place}/{path}"
                for paths in Inventory.parse(data, place).manifest.values()
                for path in paths
            }
            for key in [key for key in self._list(f"{place}/{head}/content") if key not in named]:
                self.fs.rm_file(self._path(key))

    def _complete(self, place: str, current: Inventory, mark: str | None) -> bool:
        """Finish what a dead or slow writer left after its version's inventory; False: nothing."""
        head = f"v{current.number + 1}"
        data = self._read(f"{place}/{head}/{INVENTORY}")
        if data is not None:
            self._publish(place, head, data, mark)
            return True
        if current.number:
            self._settle(place)
        return False

    def _publish(self, place: str, head: str, data: bytes, mark: str | None) -> None:
        """Everything after a version's inventory: digests, the object's mark and its inventory."""
        self._write(f"{place}/{head}/{SIDECAR}", model.sidecar(data))
        if mark is None:
            self._write(f"{place}/{OBJECT_NAMASTE}", model.OBJECT_TEXT)
        try:
            self._write_if(f"{place}/{INVENTORY}", data, mark)
        except Conflict:
            pass  # somebody finished it for us, or is further already
        self._settle(place)

    def _settle(self, place: str) -> None:
        """Make the object's sidecar fit its inventory, also where writers overtake each other."""
        for _ in range(_TRIES):
            data = self._read(f"{place}/{INVENTORY}") or b""
            if self._read(f"{place}/{SIDECAR}") == model.sidecar(data):
                return
            if self._read(f"{place}/{Inventory.parse(data, place).head}/{INVENTORY}") != data:
                # no writer leaves it so: it has changed since, and verify must keep reporting it
                return
            self._write(f"{place}/{SIDECAR}", model.sidecar(data))

    def erase(self, object_id: str, replaced: Mapping[str, Path | None], *, fence: int = 0) -> None:
        """See PackageStore. Content first, then inventories, then deletion.

        Killed in between, the object is damaged until it is done again. A bucket that keeps
        versions of its keys keeps the content: empty it there.
        """
        place = model.object_path(object_id)
        after, sources = self.erased(object_id, replaced)
        self.check_guard(object_id, fence)
        with remote_errors(self.url):
            self._erase_content(place, after, sources)
            for number in (*after.numbers(), 0):
                data = after.until(number or after.number).to_bytes()
                folder = f"{place}/v{number}" if number else place
                self._write(f"{folder}/{INVENTORY}", data)
                self._write(f"{folder}/{SIDECAR}", model.sidecar(data))
            self._delete_unnamed(place, after)

    def _erase_content(self, place: str, after: Inventory, sources: Mapping[str, Path]) -> None:
        """Write what the erased content is replaced with."""
        for digest, paths in after.manifest.items():
            if digest == model.PURGED_DIGEST:
                self._write(f"{place}/{paths[0]}", model.PURGED_TEXT)
            elif digest in sources:
                with sources[digest].open("rb") as stream:
                    self._write(f"{place}/{paths[0]}", stream)

    def _delete_unnamed(self, place: str, after: Inventory) -> None:
        """Delete the content that the inventory does not name."""
        named = {f"{place}/{path}" for paths in after.manifest.values() for path in paths}
        for key in [key for key in self._list(place) if "/content/" in key and key not in named]:
            self.fs.rm_file(self._path(key))

    def withdraw(self, object_id: str, *, fence: int = 0) -> None:
        """See PackageStore. The inventory first: without it there is no object."""
        place = model.object_path(object_id)
        self.check_guard(object_id, fence)
        with remote_errors(self.url):
            keys = list(self._list(place))
            for key in sorted(keys, key=lambda key: key != f"{place}/{INVENTORY}"):
                self.fs.rm_file(self._path(key))

    def probe(self) -> None:
        """See PackageStore. Reads only: a store that answers is taken for writable."""
        with remote_errors(self.url):
            self._read(model.ROOT_NAMASTE)

    def settle(self, object_id: str) -> ObjectVersion | None:
        """See PackageStore. Needs no fence: it writes what follows from what is there."""
        place = model.object_path(object_id)
        current, mark = self._load(object_id)
        with remote_errors(self.url):
            if self._complete(place, current or Inventory(object_id), mark):
                current, _ = self._load(object_id)
            if current is not None:
                self._sweep(place, current.head)
        return current.record() if current else None

    def reader(self, place: str) -> _Reader:
        """See OcflStore."""
        if self._viewed is not None and self._viewed.place == place:
            return self._viewed
        return _Reader(self, place)

    def content(self, object_id: str, path: str) -> BinaryIO:
        """See OcflStore."""
        with remote_errors(self.url):
            try:
                file = self.reader(model.object_path(object_id)).open(path)
            except FileNotFoundError:
                raise DamagedError(f"{object_id}: {path} is missing") from None
        return cast(BinaryIO, io.BufferedReader(_Stream(self.url, file)))

    def places(self) -> Iterator[str]:
        """See OcflStore."""
        return (place for place, _ in self._places())

    def _places(self) -> Iterator[tuple[str, str]]:
        """Yield what may be objects: the prefix of their keys, and the first key."""
        before = ""
        for key in self._list(""):
            place = "/".join(key.split("/")[:4])
            if place != before and "/" in key and not key.startswith("extensions/"):
                before = place
                yield place, key

    def view(self, object_id: str) -> RemoteStore:
        """See PackageStore. What others write meanwhile is not seen."""
        view = copy.copy(self)
        view._viewed = _Listed(self, model.object_path(object_id))
        return view

    def verify_root(self) -> list[str]:
        """Return faults of the root itself: its mark, keys outside any object."""
        faults = [
            f"{name} is missing or wrong"
            for name, forms in model.ROOT_CONTENT.items()
            if self._read(name) not in forms
        ]
        return faults + [
            f"{key} belongs to no object"
            for place, key in self._places()
            if self.id_of(place) is None
        ]

    def inventory(self, object_id: str) -> Inventory | None:
        """See OcflStore."""
        with remote_errors(self.url):
            self.fs.invalidate_cache()
            reader = self.reader(model.object_path(object_id))
            return model.read_inventory(reader.read, object_id, object_id)

    def _load(self, object_id: str) -> tuple[Inventory | None, str | None]:
        """Read the inventory for a writer, and its ETag; both None if there is no object."""
        key = f"{model.object_path(object_id)}/{INVENTORY}"
        with remote_errors(self.url):
            self.fs.invalidate_cache()
            mark = self._etag(key)
            reader = _Reader(self, model.object_path(object_id))
            inventory = model.read_inventory(reader.read, object_id, object_id)
        return (inventory, mark or "") if inventory is not None else (None, None)

    def _etag(self, key: str) -> str | None:
        try:
            info = self.fs.info(self._path(key))
        except FileNotFoundError:
            return None
        return str(info.get("ETag") or "") or None

    def _path(self, key: str) -> str:
        return f"{self.root}/{key}"

    def _read(self, key: str) -> bytes | None:
        # Without a limit of one s3fs asks for the size first, then for the content, and lists where
        # there is none.
        how = {"max_concurrency": 1} if self._is_s3 else {}
        try:
            return cast(bytes, self.fs.cat_file(self._path(key), **how))
        except FileNotFoundError:
            return None

    def _open(self, key: str, listed: Mapping[str, Any] | None = None) -> BinaryIO:
        if listed is None or not self._is_s3:
            return cast(BinaryIO, self.fs.open(self._path(key), "rb"))
        file = self.fs.open(self._path(key), "rb", size=int(listed["size"]))
        file.details = listed  # else s3fs asks for them
        return cast(BinaryIO, file)

    def _list(self, prefix: str) -> Iterator[str]:
        yield from sorted(self._listing(prefix))

    def _listing(self, prefix: str) -> dict[str, Mapping[str, Any]]:
        """Return all keys with this prefix, with fsspec's details of them."""
        try:
            found = self.fs.find(self._path(prefix).rstrip("/"), detail=True)
        except FileNotFoundError:
            return {}
        return {str(path)[len(self.root) + 1 :]: info for path, info in found.items()}

    def _write(self, key: str, content: bytes | BinaryIO | Kept) -> None:
        path = self._path(key)
        if not self._is_s3:  # there are no folders in a bucket
            self.fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        if isinstance(content, bytes):
            self.fs.pipe_file(path, content)
            return
        assert not isinstance(content, Kept)
        content.seek(0)
        with self.fs.open(path, "wb", block_size=_CHUNK) as out:
            shutil.copyfileobj(content, out, _CHUNK)

    def _write_if(self, key: str, data: bytes, mark: str | None) -> None:
        """Write if the ETag is still ``mark`` (None: no key), on S3. Raises Conflict."""
        condition: dict[str, str] = {}
        if self._is_s3:
            condition = (
                {"IfNoneMatch": "*"} if mark is None else ({"IfMatch": mark} if mark else {})
            )
        path = self._path(key)
        if not condition:
            self.fs.pipe_file(path, data)
            return
        bucket, name, _ = self.fs.split_path(path)
        try:
            self.fs.call_s3("put_object", Bucket=bucket, Key=name, Body=data, **condition)
        except Exception as error:
            if _is_conflict(error):
                raise Conflict from error
            raise
        self.fs.invalidate_cache(path)


def _is_conflict(error: Exception) -> bool:
    response = getattr(error, "response", None) or getattr(error.__cause__, "response", None) or {}
    code = str(response.get("Error", {}).get("Code", ""))
    return code in ("PreconditionFailed", "ConditionalRequestConflict", "412", "409") or isinstance(
        error, FileExistsError
    )


class _Stream(io.RawIOBase):
    """An open remote file, whose errors name the store while it is read too."""

    def __init__(self, url: str, file: Any) -> None:
        self._url, self._opened = url, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with remote_errors(self._url):
            data = self._opened.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with remote_errors(self._url):
            return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        return int(self._opened.tell())

    def close(self) -> None:
        self._opened.close()
        super().close()


class _Reader:
    """ObjectReader on a remote object."""

    def __init__(self, store: RemoteStore, place: str) -> None:
        self.store, self.place = store, place

    def read(self, path: str) -> bytes | None:
        return self.store._read(f"{self.place}/{path}")

    def open(self, path: str) -> BinaryIO:
        return self.store._open(f"{self.place}/{path}")

    def walk(self) -> Iterable[str]:
        return (key[len(self.place) + 1 :] for key in self.store._list(self.place))


class _Listed(_Reader):
    """A reader that lists the object once and caches its small files, for checks."""

    def __init__(self, store: RemoteStore, place: str) -> None:
        super().__init__(store, place)
        self._kept: dict[str, bytes] = {}
        self._room = _KEPT

    @functools.cached_property
    def _files(self) -> dict[str, Mapping[str, Any]]:
        with remote_errors(self.store.url):
            return {
                key[len(self.place) + 1 :]: listed
                for key, listed in self.store._listing(self.place).items()
            }

    def read(self, path: str) -> bytes | None:
        if path not in self._files:
            return None
        data = self._kept.get(path)
        if data is None:
            data = super().read(path)
            if data is not None and len(data) <= min(_SMALL, self._room):
                self._kept[path] = data
                self._room -= len(data)
        return data

    def open(self, path: str) -> BinaryIO:
        if path not in self._files:
            raise FileNotFoundError(path)
        listed = self._files[path]
        if listed["size"] > _SMALL:
            return self.store._open(f"{self.place}/{path}", listed)
        return cast(BinaryIO, LazyFile(lambda: self._small(path), listed["size"]))

    def _small(self, path: str) -> BinaryIO:
        data = self.read(path)
        if data is None:
            raise FileNotFoundError(path)
        return io.BytesIO(data)

    def walk(self) -> Iterable[str]:
        return iter(self._files)


def _defaults(url: str) -> dict[str, Any]:
    """Endpoint and region come from the environment (AWS_ENDPOINT_URL …), as for every S3 tool."""
    if not url.startswith(("s3://", "s3a://")):
        return {}
    return {"use_listings_cache": False, "config_kwargs": CLIENT}


def _spool(content: Content) -> bytes | BinaryIO | Kept:
    if isinstance(content, bytes | Kept):
        return content
    spool = tempfile.SpooledTemporaryFile(_SPOOL)  # noqa: SIM115 (closed when it is collected, after the last try)
    shutil.copyfileobj(content, spool, _CHUNK)
    return cast(BinaryIO, spool)


def _digest(content: bytes | BinaryIO | Kept) -> str:
    if isinstance(content, Kept):
        return content.sha512
    if isinstance(content, bytes):
        return hashlib.sha512(content).hexdigest()
    content.seek(0)
    return measure(content)[0]
