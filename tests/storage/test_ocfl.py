"""The package store: versions, de-duplication, concurrency, kills at any line, hostile names;
judged by ocfl-py too.
"""

from __future__ import annotations

import errno
import io
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, DiskFullError, LeaseLostError, StorageError
from blogcrawl.packaging.parts import Kept
from blogcrawl.storage import linux, ocfl_local, ocfl_model, ocfl_write
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.ocfl_local import LocalStore
from blogcrawl.storage.ocfl_model import object_path

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ID = "urn:uuid:00000000-0000-5000-8000-000000000001"
USER = {"name": "a test", "address": "mailto:test@example.org"}


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "packages", user=USER)


def judged(root: Path) -> str:
    """What ocfl-py says of a storage root."""
    pytest.importorskip("ocfl")
    script = (
        "import sys\nfrom ocfl.storage_root import StorageRoot\n"
        "r = StorageRoot(root=sys.argv[1])\n"
        "print(r.validate(validate_objects=True, check_digests=True, log_warnings=True, "
        "log_errors=True))\nprint(r.log)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True)
    return done.stdout + done.stderr


def put(store: LocalStore, files: dict[str, bytes], object_id: str = ID, **more: object) -> int:
    return store.put(object_id, files, message="m", created=NOW, **more).version  # type: ignore[arg-type]


def stored(store: LocalStore, object_id: str = ID) -> set[str]:
    folder = store.root / object_path(object_id)
    return {
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and "/content/" in p.as_posix()
    }


def test_versions_keep_their_files(store: LocalStore) -> None:
    assert put(store, {"a": b"1", "b/c": b"2"}) == 1
    assert put(store, {"a": b"1", "b/d": b"2", "e": b"3"}) == 2
    assert put(store, {"e": b"3"}) == 3
    assert [sorted(v.files) for v in store.versions(ID)] == [["a", "b/c"], ["a", "b/d", "e"], ["e"]]
    with store.open(ID, "b/d", 2) as file:
        assert file.read() == b"2"
    with pytest.raises(StorageError):
        store.open(ID, "b/d")
    with pytest.raises(StorageError):
        store.open("urn:uuid:none", "a")
    assert store.head("urn:uuid:none") is None and store.versions("urn:uuid:none") == []
    assert stored(store) == {"v1/content/a", "v1/content/b/c", "v2/content/e"}
    assert store.verify(ID, deep=True) == [] and store.verify_root() == []
    assert judged(store.root).startswith("True")


def test_an_unchanged_put_writes_nothing(store: LocalStore) -> None:
    put(store, {"a": b"1"})
    before = {p: p.stat().st_mtime_ns for p in store.root.rglob("*")}
    later = store.put(ID, {"a": b"1"}, message="other", created=NOW + timedelta(days=1))
    assert later.version == 1 and later.created == NOW
    assert before == {p: p.stat().st_mtime_ns for p in store.root.rglob("*")}


def test_content_is_stored_once(store: LocalStore) -> None:
    put(store, {"a": b"same", "b": b"same", "c": b"x"})
    assert len(stored(store)) == 2
    put(store, {"z": b"same"})
    assert len(stored(store)) == 2


def test_streams_are_stored_and_kept_content_is_reused(store: LocalStore) -> None:
    first = store.put(
        ID, {"big": io.BytesIO(b"q" * 3_000_000), "a": b"1"}, message="m", created=NOW
    )
    kept = Kept(sha512=first.files["big"], size=3_000_000)
    second = store.put(ID, {"moved": kept, "a": b"2"}, message="m", created=NOW)
    with store.open(ID, "moved") as file:
        assert len(file.read()) == 3_000_000
    assert second.version == 2 and store.verify(ID, deep=True) == []
    with pytest.raises(StorageError, match="kept"):
        store.put(ID, {"x": Kept(sha512="00" * 64, size=1)}, message="m", created=NOW)


@pytest.mark.parametrize("path", ["../x", "a/../b", "/x", "x/", "a//b", ".", "", "a\0b", "./a"])
def test_paths_that_leave_the_package_are_refused(store: LocalStore, path: str) -> None:
    with pytest.raises(StorageError):
        put(store, {path: b"x"})
    assert list(store.object_ids()) == []


def test_file_and_folder_of_the_same_name_are_refused(store: LocalStore) -> None:
    with pytest.raises(StorageError, match="file and a folder"):
        put(store, {"a": b"x", "a/b": b"y"})


def test_file_names_invalid_on_file_systems_are_stored(store: LocalStore) -> None:
    names = {
        "n" * 300: b"1",
        "\u05d0" * 150: b"2",
        'c:\\con|"?*': b"3",
        "line\nend": b"4",
        "\U0001f600/ok": b"5",
        "/".join("x" * 900): b"6",
    }
    put(store, names)
    for name, content in names.items():
        with store.open(ID, name) as file:
            assert file.read() == content
    assert store.verify(ID, deep=True) == []
    assert judged(store.root).startswith("True")


@pytest.mark.parametrize(
    "object_id", ["urn:uuid:1", "x" * 500, "../../etc", "a b/\u05d0\U0001f600", "."]
)
def test_any_object_id_maps_below_the_root(store: LocalStore, object_id: str) -> None:
    put(store, {"a": b"1"}, object_id)
    assert list(store.object_ids()) == [object_id]
    assert (store.root / object_path(object_id)).resolve().is_relative_to(store.root.resolve())
    assert judged(store.root).startswith("True")


def _many(root: str, number: int) -> None:
    store = LocalStore(Path(root), user=USER)
    for i in range(8):
        store.put(ID, {"who": f"{number} {i}".encode(), "same": b"s"}, message="m", created=NOW)
        store.put(f"urn:x:{number}:{i}", {"a": b"1"}, message="m", created=NOW)


def test_concurrent_processes_write_one_object(tmp_path: Path) -> None:
    root = tmp_path / "packages"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_many, args=(str(root), n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [w.exitcode for w in workers] == [0, 0, 0]
    store = LocalStore(root, user=USER)
    assert store.head(ID).version == 24  # type: ignore[union-attr]
    assert len(list(store.object_ids())) == 25
    assert store.verify_root() == [] and all(
        store.verify(one, deep=True) == [] for one in store.object_ids()
    )
    assert [p.name for p in store.work.iterdir()] == ["locks"]


def test_concurrent_threads_write_one_object(store: LocalStore) -> None:
    threads = [threading.Thread(target=put, args=(store, {"a": str(n).encode()})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.head(ID).version == 8 and store.verify(ID, deep=True) == []  # type: ignore[union-attr]


class Killed(BaseException):
    pass


def _points() -> list[tuple[object, str]]:
    return [
        (ocfl_write, "write_file"),
        (ocfl_local, "write_version"),
        (ocfl_local, "sync_tree"),
        (ocfl_local, "sync_folder"),
        (ocfl_local, "exchange"),
        (os, "rename"),
        (os, "mkdir"),
        (os, "link"),
    ]


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize(("room", "name"), _points())
@pytest.mark.parametrize("after", [0, 1, 2])
def test_kill_at_any_line_leaves_old_or_new_version(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: object,
    name: str,
    after: int,
    fresh: bool,
    swap: bool,
) -> None:
    """The writer dies at its ``after``-th call of one function: nothing it would have cleaned up is
    cleaned up.
    """
    store = LocalStore(tmp_path / "packages", user=USER)
    if not fresh:
        put(store, {"a": b"old", "k": b"kept"})
    with monkeypatch.context() as patch:
        if not swap:
            patch.setattr(ocfl_local, "exchange", lambda *_: False)
        patch.setattr(ocfl_local.shutil, "rmtree", lambda *_args, **_more: None)
        patch.setattr(Path, "unlink", lambda *_args, **_more: None)
        real, calls = getattr(room, name), [0]

        def dying(*args: object, **more: object) -> object:
            calls[0] += 1
            if calls[0] == after + 1:
                raise Killed
            return real(*args, **more)

        patch.setattr(room, name, dying)
        try:
            put(store, {"a": b"new", "k": b"kept"})
        except (Killed, StorageError, OSError):
            pass
    again = LocalStore(tmp_path / "packages", user=USER)
    head = again.head(ID)
    if head is None:
        assert fresh
    else:
        with again.open(ID, "a") as file:
            assert file.read() in ((b"new",) if fresh else (b"old", b"new"))
        assert again.verify(ID, deep=True) == []
    assert [fault for fault in again.verify_root() if "empty folder" not in fault] == []
    assert put(again, {"a": b"newer"}) >= 1
    assert again.verify(ID, deep=True) == [] and again.verify_root() == []


def test_leftovers_of_a_dead_writer_are_settled_in_an_open_store(store: LocalStore) -> None:
    """Without exchange an object is moved aside for a moment; its folder and its lock file outlive
    their writer.
    """
    put(store, {"a": b"1"})
    place = store.work / "0123"
    place.mkdir()
    place.with_suffix(".lock").write_text(ID)
    (place / "new").mkdir()
    os.rename(store.root / object_path(ID), place / "old")
    assert store.head(ID) is None
    head = store.settle(ID)
    assert head is not None and head.version == 1 and store.settle("urn:uuid:none") is None
    assert store.verify(ID, deep=True) == [] and store.verify_root() == []
    assert [p.name for p in store.work.iterdir()] == ["locks"]
    place.mkdir()
    place.with_suffix(".lock").write_text(ID)
    os.rename(store.root / object_path(ID), place / "old")
    assert put(store, {"a": b"2"}) == 2, (
        "the next writer goes on from it, it begins no second object"
    )


def test_empty_lock_file_of_a_dead_writer_is_removed(store: LocalStore) -> None:
    """As on a full disk: the lock file is there, and empty."""
    (store.work / "0123.lock").touch()
    LocalStore(store.root, user=USER)
    assert [p.name for p in store.work.iterdir()] == ["locks"]


def test_lock_file_without_disk_space_is_removed(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ocfl_local.fcntl, "flock", full)
    with pytest.raises(DiskFullError):
        put(store, {"a": b"1"})
    assert [p.name for p in store.work.iterdir()] == ["locks"]


def test_failed_put_on_full_disk_leaves_no_files(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, {"a": b"1"})

    def full(*_args: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ocfl_write, "write_file", full)
    with pytest.raises(DiskFullError):
        put(store, {"a": b"2"})
    monkeypatch.undo()
    assert store.head(ID).version == 1 and store.verify(ID, deep=True) == []  # type: ignore[union-attr]
    assert [p.name for p in store.work.iterdir()] == ["locks"]


def test_guard_stops_writer_without_lease(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    def guard(object_id: str, fence: int) -> None:
        asked.append((object_id, fence))
        if fence < 7:
            raise LeaseLostError("another job holds the lease")

    store = LocalStore(tmp_path / "packages", user=USER, guard=guard)
    with pytest.raises(LeaseLostError):
        put(store, {"a": b"1"}, fence=6)
    assert list(store.object_ids()) == []
    assert put(store, {"a": b"1"}, fence=7) == 1 and put(store, {"a": b"2"}) == 2
    assert asked == [(ID, 6), (ID, 7)]


def test_withdrawn_object_leaves_nothing(store: LocalStore) -> None:
    put(store, {"a.txt": b"one"}, "urn:uuid:kept")
    before = stored(store, "urn:uuid:kept"), sorted(store.root.rglob("*"))
    put(store, {"a.txt": b"two"})
    store.withdraw(ID)
    store.withdraw(ID)
    assert (stored(store, "urn:uuid:kept"), sorted(store.root.rglob("*"))) == before
    assert store.head(ID) is None and list(store.object_ids()) == ["urn:uuid:kept"]
    assert put(store, {"a.txt": b"three"}) == 1


def test_foreign_folder_is_not_made_a_store(tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "mine.txt").touch()
    with pytest.raises(ArchiveError, match=r"mine\.txt"):
        open_store(Config(archive=str(tmp_path)))


def test_open_store_declares_its_layout(tmp_path: Path) -> None:
    store = open_store(Config(archive=str(tmp_path), contact="me@example.org"))
    store.put(ID, {"a": b"1"}, message="m", created=NOW)
    root = tmp_path / "packages"
    assert (
        json.loads((root / "ocfl_layout.json").read_text())["extension"]
        == "0003-hash-and-id-n-tuple-storage-layout"
    )
    inventory = json.loads((root / object_path(ID) / "inventory.json").read_text())
    assert inventory["versions"]["v1"]["user"]["address"] == "mailto:me@example.org"


def test_root_declared_on_a_full_disk_is_declared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        ocfl_model, "ROOT_CONTENT", {ocfl_model.ROOT_NAMASTE: (ocfl_model.ROOT_TEXT,)}
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            LocalStore(tmp_path / "packages", user={})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    LocalStore(tmp_path / "packages", user={})
    assert (tmp_path / "packages/0=ocfl_1.1").read_bytes() == b"ocfl_1.1\n"
    assert os.listdir(tmp_path / "packages.work") == ["locks"]


@pytest.mark.parametrize(
    "damage", ["bit", "missing", "orphan", "sidecar", "inventory", "namaste", "version", "json"]
)
def test_damage_is_found(store: LocalStore, damage: str) -> None:
    put(store, {"a": b"1", "b": b"2"})
    put(store, {"a": b"3", "b": b"2"})
    root = store.root / object_path(ID)
    content = root / "v1" / "content" / "a"
    for path in root.rglob("*"):
        path.chmod(0o755)
    if damage == "bit":
        content.write_bytes(b"7")
        assert store.verify(ID) == []  # only a deep look reads content
    elif damage == "missing":
        content.unlink()
    elif damage == "orphan":
        (root / "v2" / "content" / "x").touch()
    elif damage == "sidecar":
        (root / "inventory.json.sha512").write_text("00 inventory.json\n")
    elif damage == "inventory":
        text = (root / "inventory.json").read_text()
        (root / "inventory.json").write_text(text.replace('"message": "m"', '"message": "n"', 1))
    elif damage == "namaste":
        (root / "0=ocfl_object_1.1").unlink()
    elif damage == "version":
        (root / "v2" / "inventory.json").unlink()
    else:
        (root / "inventory.json").write_text("{")
    faults = store.verify(ID, deep=True)
    assert faults, damage
    assert list(store.object_ids()) == [ID], "a damaged package is listed, so that it is checked"
    assert store.verify("urn:uuid:none")


def test_damage_in_the_storage_root_is_found(store: LocalStore) -> None:
    put(store, {"a": b"1"})
    (store.root / "aaa" / "bbb").mkdir(parents=True)
    (store.root / "ccc").mkdir()
    (store.root / "ccc" / "stray.txt").touch()
    assert [fault for fault in store.verify_root() if "orphan" in fault] == []
    (store.root / "0=ocfl_1.1").write_text("x")
    (store.root / "stray").touch()
    faults = " ".join(store.verify_root())
    assert (
        "stray is an orphan" in faults
        and "empty folder" in faults
        and "no object" in faults
        and "0=ocfl_1.1" in faults
    )


def test_exchange_returns_false_if_unsupported(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.mkdir()
    two.mkdir()
    (one / "f").touch()
    if linux.exchange(one, two):
        assert (two / "f").exists() and not (one / "f").exists()
    with pytest.raises(FileNotFoundError):
        if not linux.exchange(one, tmp_path / "none"):
            raise FileNotFoundError
