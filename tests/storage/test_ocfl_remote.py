"""The store on S3 (moto's server in this process) and on fsspec's memory file system."""

from __future__ import annotations

import io
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import (
    ArchiveError,
    DamagedError,
    LeaseLostError,
    StorageError,
    UsageError,
)
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.ocfl_remote import _SMALL, RemoteStore
from blogcrawl.storage.verify import verify_store
from tests.packaging.samples import entry

NOW = datetime(2026, 3, 1, tzinfo=UTC)
USER = {"name": "a test", "address": "mailto:test@example.org"}
ID = "urn:uuid:00000000-0000-5000-8000-000000000001"


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, object]]:
    server_of = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield {"endpoint_url": f"http://{host}:{port}", "key": "k", "secret": "s"}
    server.stop()


@pytest.fixture(params=["memory", "s3"])
def opened(request: pytest.FixtureRequest) -> tuple[str, dict[str, object]]:
    if request.param == "memory":
        return f"memory://{uuid.uuid4().hex}/packages", {}
    return s3_place(request.getfixturevalue("s3"))


def s3_place(options: dict[str, object]) -> tuple[str, dict[str, object]]:
    """A package store in a new bucket: its URL, and the options that lead to it."""
    import s3fs

    bucket = "b" + uuid.uuid4().hex[:20]
    s3fs.S3FileSystem(**options, skip_instance_cache=True).mkdir(bucket)
    return f"s3://{bucket}/packages", options


def store_of(opened: tuple[str, dict[str, object]], **more: object) -> RemoteStore:
    return RemoteStore(opened[0], user=USER, options=opened[1], **more)  # type: ignore[arg-type]


def test_versions_and_checks(opened: tuple[str, dict[str, object]]) -> None:
    store = store_of(opened)
    assert (
        store.put(
            ID, {"a": b"1", "b/c": io.BytesIO(b"2" * 100_000)}, message="m", created=NOW
        ).version
        == 1
    )
    assert store.put(ID, {"a": b"1", "d": b"3"}, message="m", created=NOW).version == 2
    assert store.put(ID, {"a": b"1", "d": b"3"}, message="m", created=NOW).version == 2
    again = store_of(opened)
    with again.open(ID, "b/c", 1) as file:
        assert file.read() == b"2" * 100_000
    with pytest.raises(StorageError):
        again.open(ID, "b/c")
    assert list(again.object_ids()) == [ID]
    assert again.verify(ID, deep=True) == [] and again.verify_root() == []


@pytest.mark.parametrize("step", ["_write_if", "_publish", "_settle"])
def test_killed_writer_leaves_old_or_new_version(
    opened: tuple[str, dict[str, object]], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = store_of(opened)
    store.put(ID, {"a": b"1"}, message="m", created=NOW)

    def dies(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, step, dies)
    with pytest.raises(KeyboardInterrupt):
        store.put(ID, {"a": b"2"}, message="m", created=NOW)
    again = store_of(opened)
    head = again.head(ID)
    assert head is not None and head.version in (1, 2)
    with again.open(ID, "a") as file:
        assert file.read() == (b"1" if head.version == 1 else b"2")
    newer = again.put(ID, {"a": b"3"}, message="m", created=NOW)
    assert newer.version == (3 if step == "_publish" else 2)
    assert [fault for fault in again.verify(ID, deep=True) if "orphan" not in fault] == []


HALF = {
    "sidecar": ["inventory.json.sha512"],
    "inventory": ["inventory.json.sha512", "inventory.json"],
    "mark": ["inventory.json.sha512", "inventory.json", "0=ocfl_object_1.1"],
    "version": [
        "inventory.json.sha512",
        "inventory.json",
        "0=ocfl_object_1.1",
        "v1/inventory.json.sha512",
    ],
    "leftover": [],
}
"""What is not there yet when a writer dies after its version's inventory, the last first."""


@pytest.mark.parametrize("state", HALF)
def test_leftovers_of_a_dead_writer_are_reported_and_settled(
    opened: tuple[str, dict[str, object]], state: str
) -> None:
    store = store_of(opened)
    store.put(ID, {"a": b"1"}, message="m", created=NOW)
    place = object_path(ID)
    for name in HALF[state]:
        store.fs.rm_file(store._path(f"{place}/{name}"))
    if state == "leftover":
        store._write(
            f"{place}/v1/content/0123456789abcdef/a", b"of a writer that was overtaken and died"
        )
    again = store_of(opened)
    listed = [fault for one in again.object_ids() for fault in again.verify(one)]
    assert listed + again.verify_root() != []
    head = again.settle(ID)
    assert head is not None and head.version == 1 and list(head.files) == ["a"]
    assert (
        again.verify(ID, deep=True) == []
        and again.verify_root() == []
        and len(again.versions(ID)) == 1
    )


def test_next_put_settles_and_missing_objects_stay_missing(
    opened: tuple[str, dict[str, object]],
) -> None:
    store = store_of(opened)
    assert store.settle(ID) is None and list(store.object_ids()) == []
    store.put(ID, {"a": b"1"}, message="m", created=NOW)
    store.fs.rm_file(store._path(f"{object_path(ID)}/inventory.json.sha512"))
    assert store_of(opened).put(ID, {"a": b"1"}, message="m", created=NOW).version == 1
    assert store.verify(ID, deep=True) == []


def test_damage_is_not_settled(opened: tuple[str, dict[str, object]]) -> None:
    store = store_of(opened)
    store.put(ID, {"a": b"1"}, message="m", created=NOW)
    key = f"{object_path(ID)}/inventory.json"
    store._write(key, (store._read(key) or b"").replace(b'"message": "m"', b'"message": "n"'))
    with pytest.raises(DamagedError, match=ID):
        store.settle(ID)
    assert any("does not fit" in fault for fault in store.verify(ID))


def test_guard_stops_remote_writer_without_lease(opened: tuple[str, dict[str, object]]) -> None:
    def guard(_id: str, fence: int) -> None:
        raise LeaseLostError("lost")

    store = store_of(opened, guard=guard)
    with pytest.raises(LeaseLostError):
        store.put(ID, {"a": b"1"}, message="m", created=NOW, fence=1)
    assert store.head(ID) is None


def test_withdrawn_remote_object_leaves_nothing(opened: tuple[str, dict[str, object]]) -> None:
    store = store_of(opened)
    store.put(ID, {"a": b"1", "b/c": b"2"}, message="m", created=NOW)
    store.withdraw(ID)
    store.withdraw(ID)
    assert store.head(ID) is None and not list(store.object_ids())
    assert store.put(ID, {"a": b"1"}, message="m", created=NOW).version == 1


def test_leftovers_of_dead_or_overtaken_writers_are_deleted(
    opened: tuple[str, dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = store_of(opened)

    def dies(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dead, "_write_if", dies)
    with pytest.raises(KeyboardInterrupt):
        dead.put(ID, {"a": b"of a node that died", "b": b"both"}, message="m", created=NOW)
    asked: list[int] = []

    def guard(object_id: str, fence: int) -> None:
        asked.append(fence)
        if fence == 1 and len(asked) == 2:  # between the frozen node's content and its inventory
            store_of(opened).put(
                object_id, {"a": b"of the successor", "b": b"both"}, message="m", created=NOW
            )
            raise LeaseLostError("another job has this blog")

    with pytest.raises(LeaseLostError):
        store_of(opened, guard=guard).put(
            ID, {"a": b"of a frozen node", "b": b"both"}, message="m", created=NOW, fence=1
        )
    again = store_of(opened)
    assert again.verify(ID, deep=True) == [] and again.verify_root() == []
    with again.open(ID, "a") as file:
        assert file.read() == b"of the successor"


def test_concurrent_s3_writers_keep_all_versions(s3: dict[str, object]) -> None:
    import s3fs

    bucket = "c" + uuid.uuid4().hex[:20]
    s3fs.S3FileSystem(**s3, skip_instance_cache=True).mkdir(bucket)
    stores = [store_of((f"s3://{bucket}/p", {**s3, "skip_instance_cache": True})) for _ in range(3)]
    failed: list[Exception] = []

    def write(store: RemoteStore, who: int) -> None:
        try:
            for i in range(4):
                store.put(ID, {"who": f"{who} {i}".encode()}, message=f"{who} {i}", created=NOW)
        except StorageError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(store, n)) for n, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    versions = stores[0].versions(ID)
    assert sorted(version.message for version in versions) == sorted(
        f"{who} {i}" for who in range(3) for i in range(4)
    )
    for version in versions:
        with stores[0].open(ID, "who", version.version) as file:
            assert file.read().decode() == version.message
    assert [fault for fault in stores[0].verify(ID, deep=True) if "orphan" not in fault] == []


def sent_by(store: RemoteStore) -> list[str]:
    """Every request that the store sends to S3 from now on."""
    sent: list[str] = []
    store.fs.s3.meta.events.register(
        "before-send.s3", lambda request, **_: sent.append(f"{request.method} {request.url}")
    )
    return sent


@pytest.mark.parametrize("deep", [False, True])
def test_verify_requests_each_s3_file_once(s3: dict[str, object], deep: bool) -> None:
    store = store_of(s3_place(s3))
    store.put(ID, entry_aip(entry(0)), message="m", created=NOW)
    files = store.fs.find(store.root + "/" + object_path(ID))
    sent = sent_by(store)
    report = verify_store(store, clock=lambda: NOW, object_ids=[ID], deep=deep)
    assert report.ok and report.files > 5
    assert len(sent) <= len(files) + 1, sent  # one lists the object
    assert len(sent) == len(set(sent)) and not [one for one in sent if one.startswith("HEAD")]
    damaged = next(name for name in files if name.endswith("premis.xml"))
    store.fs.pipe_file(damaged, store.fs.cat_file(damaged).replace(b"premis", b"simerp", 1))
    assert not verify_store(store, clock=lambda: NOW, object_ids=[ID], deep=deep).ok


def test_view_caches_only_small_files(s3: dict[str, object]) -> None:
    store = store_of(s3_place(s3))
    store.put(
        ID, {"small": b"1", "large": b"2" * (_SMALL + 1), "empty": b""}, message="m", created=NOW
    )
    view = store.view(ID)
    assert view.verify(ID, deep=True) == []
    sent = sent_by(store)
    for path, content in {"small": b"1", "large": b"2" * (_SMALL + 1), "empty": b""}.items():
        with view.open(ID, path) as file:
            assert (file.seek(0, io.SEEK_END), file.seek(0), file.read()) == (
                len(content),
                0,
                content,
            )
    assert len(sent) == 1, sent
    store.put(ID, {"small": b"3"}, message="m", created=NOW)
    with store.open(ID, "small") as file, view.open(ID, "small") as before:
        assert (file.read(), before.read()) == (b"3", b"1")


def test_bucket_with_foreign_objects_is_refused() -> None:
    import fsspec

    place = uuid.uuid4().hex
    fsspec.filesystem("memory").pipe_file(f"/{place}/x.txt", b"x")
    with pytest.raises(ArchiveError):
        RemoteStore(f"memory://{place}", user=USER)


def test_open_store_accepts_a_url() -> None:
    assert isinstance(open_store(Config(store_url=f"memory://{uuid.uuid4().hex}")), RemoteStore)
    with pytest.raises(UsageError):
        open_store(Config(store_url="nosuch://x/y"))
