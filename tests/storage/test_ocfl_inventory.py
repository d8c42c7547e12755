"""Inventories from outside: whatever is in them, what comes out is consistent or one DamagedError
that names the package.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.errors import DamagedError, StorageError, VerifyError
from blogcrawl.storage.ocfl_local import LocalStore
from blogcrawl.storage.ocfl_model import (
    Inventory,
    fits_sidecar,
    id_of_path,
    object_path,
    read_inventory,
    sidecar,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ID = "urn:uuid:00000000-0000-5000-8000-000000000001"
OTHER = "urn:uuid:00000000-0000-5000-8000-000000000002"
DIGEST = "ab" * 64


def whole() -> dict[str, Any]:
    """A minimal inventory of one version with one file, as the OCFL specification shows it."""
    state = {
        "created": "2026-03-01T00:00:00Z",
        "message": "m",
        "state": {DIGEST: ["a/b"]},
        "user": {"name": "n", "address": "urn:x"},
    }
    return {
        "id": ID,
        "type": "https://ocfl.io/1.1/spec/#inventory",
        "digestAlgorithm": "sha512",
        "head": "v1",
        "manifest": {DIGEST: ["v1/content/a/b"]},
        "versions": {"v1": state},
    }


def parse(raw: object) -> Inventory:
    return Inventory.parse(json.dumps(raw).encode(), "here", ID)


def test_valid_inventory_has_no_faults() -> None:
    inventory = parse(whole())
    assert (
        inventory.files() == {"a/b": DIGEST}
        and inventory.record().created == NOW
        and inventory.locate("a/b") == "v1/content/a/b"
    )


WRONG: dict[str, tuple[tuple[str, ...], object]] = {
    "another id": (("id",), OTHER),
    "id is a number": (("id",), 7),
    "id is empty": (("id",), ""),
    "type": (("type",), "https://ocfl.io/1.1/spec/#inventorx"),
    "digest algorithm": (("digestAlgorithm",), "sha513"),
    "content directory": (("contentDirectory",), ".."),
    "head of another form": (("head",), "1"),
    "head is no version": (("head",), "v2"),
    "head is null": (("head",), None),
    "manifest is a list": (("manifest",), []),
    "manifest is empty": (("manifest",), {}),
    "manifest key": (("manifest",), {"xy": ["v1/content/a/b"]}),
    "manifest paths are text": (("manifest", DIGEST), "v1/content/a/b"),
    "no manifest paths": (("manifest", DIGEST), []),
    "a content path that leaves the object": (
        ("manifest", DIGEST),
        ["v1/content/../../../../etc/passwd"],
    ),
    "an absolute content path": (("manifest", DIGEST), ["/etc/passwd"]),
    "a content path of no version": (("manifest", DIGEST), ["v2/content/a"]),
    "a content path with NUL": (("manifest", DIGEST), ["v1/content/a\0b"]),
    "a content path without UTF-8": (("manifest", DIGEST), ["v1/content/\ud800"]),
    "a content path that is the inventory": (("manifest", DIGEST), ["inventory.json"]),
    "versions is null": (("versions",), None),
    "version of another name": (("versions",), {"v2": {}}),
    "version is text": (("versions", "v1"), "x"),
    "no created": (("versions", "v1", "created"), None),
    "created is no time": (("versions", "v1", "created"), "2026-13-01T00:00:00Z"),
    "created before year 1 in UTC": (("versions", "v1", "created"), "0001-01-01T00:00:00+10:00"),
    "state is a list": (("versions", "v1", "state"), [DIGEST]),
    "state names a digest that the manifest lacks": (
        ("versions", "v1", "state"),
        {"cd" * 64: ["a/b"]},
    ),
    "a logical path that leaves the package": (("versions", "v1", "state", DIGEST), ["../a"]),
    "a logical path twice": (("versions", "v1", "state", DIGEST), ["a", "a"]),
    "a logical path that is a number": (("versions", "v1", "state", DIGEST), [1]),
    "message is a number": (("versions", "v1", "message"), 1),
    "user is text": (("versions", "v1", "user"), "me"),
    "user's name is a list": (("versions", "v1", "user"), {"name": []}),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_inventory_field_is_checked(name: str) -> None:
    path, value = WRONG[name]
    raw = whole()
    target = raw
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(DamagedError, match="here"):
        parse(raw)
    if value is not None and path[-1] not in ("contentDirectory", "message", "user", DIGEST):
        del target[path[-1]]
        with pytest.raises(DamagedError):
            parse(raw)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"id":' * 100_000, b"9" * 5000, b'"x"']
)
def test_invalid_inventory_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedError, match="here"):
        Inventory.parse(data, "here")


def test_a_damaged_package_is_a_storage_error_and_ends_with_the_code_of_verify() -> None:
    assert (
        issubclass(DamagedError, StorageError)
        and DamagedError.exit_code == VerifyError.exit_code == 10
    )


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
)


@given(JUNK, st.data())
def test_random_json_is_read_or_refused(junk: object, data: st.DataObject) -> None:
    raw = copy.deepcopy(whole())
    target: Any = raw
    while True:
        key = data.draw(st.sampled_from(sorted(target)))
        if not isinstance(target[key], dict) or data.draw(st.booleans()):
            break
        target = target[key]
    target[key] = junk
    try:
        inventory = parse(raw)
    except DamagedError:
        return
    for version in inventory.numbers():
        assert all(
            inventory.locate(path, version).startswith("v1/content/")
            for path in inventory.record(version).files
        )


def reader(files: dict[str, bytes]) -> Callable[[str], bytes | None]:
    return files.get


def test_inventory_digest_is_checked_before_parsing() -> None:
    data = json.dumps(whole()).encode()
    files = {"inventory.json": data, "inventory.json.sha512": sidecar(data)}
    assert read_inventory(reader(files), "pkg", ID) is not None
    assert read_inventory(reader({}), "pkg", ID) is None
    files["inventory.json"] = data.replace(b'"m"', b'"n"')
    with pytest.raises(DamagedError, match=r"pkg/inventory\.json is damaged"):
        read_inventory(reader(files), "pkg", ID)
    with pytest.raises(DamagedError, match="does not fit"):
        read_inventory(reader({"inventory.json": data}), "pkg", ID)


def test_damaged_root_sidecar_falls_back_to_the_version_copy() -> None:
    data = json.dumps(whole()).encode()
    copies = {"v1/inventory.json": data, "v1/inventory.json.sha512": sidecar(data)}
    assert read_inventory(reader({"inventory.json": data, **copies}), "pkg", ID) is not None
    changed = data.replace(b'"m"', b'"n"')
    with pytest.raises(DamagedError):
        read_inventory(reader({"inventory.json": changed, **copies}), "pkg", ID)


def test_sidecar_of_another_writer_is_accepted() -> None:
    digest = sidecar(b"x").split()[0]
    assert fits_sidecar(b"x", digest.upper() + b" \t inventory.json\r\n")
    assert (
        not fits_sidecar(b"x", digest)
        and not fits_sidecar(b"x", None)
        and not fits_sidecar(b"y", sidecar(b"x"))
    )


@given(st.text(min_size=1, max_size=60))
def test_object_ids_are_recovered_from_folder_names(object_id: str) -> None:
    found = id_of_path(object_path(object_id))
    assert found == object_id or found is None
    if object_id.isascii() and len(object_id) <= 30:
        assert found == object_id


def test_four_hundred_bit_flips_crash_no_reader(tmp_path: Path) -> None:
    """Each is one DamagedError that names the package, and verify has a fault; other packages are
    read as before.
    """
    store = LocalStore(tmp_path / "packages", user={"name": "t", "address": "urn:t"})
    for object_id in (ID, OTHER):
        store.put(object_id, {"a": b"1", "b/c": b"2"}, message="first", created=NOW)
        store.put(object_id, {"a": b"3", "b/c": b"2"}, message="second", created=NOW)
    path = store.root / object_path(ID) / "inventory.json"
    data, chance = path.read_bytes(), random.Random(17)
    for _ in range(400):
        bit = chance.randrange(len(data) * 8)
        path.write_bytes(
            data[: bit // 8] + bytes([data[bit // 8] ^ (1 << bit % 8)]) + data[bit // 8 + 1 :]
        )
        assert store.verify(ID), bit
        for read in (store.head, store.versions, store.settle, lambda one: store.open(one, "a")):
            with pytest.raises(DamagedError, match=ID):
                read(ID)
        assert sorted(store.object_ids()) == [ID, OTHER] and store.verify(OTHER, deep=True) == []
        with store.open(OTHER, "a") as stream:
            assert stream.read() == b"3"


def test_changed_or_missing_content_is_detected_while_reading(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "packages", user={"name": "t", "address": "urn:t"})
    store.put(ID, {"a": b"1" * 100_000, "b": b"2"}, message="m", created=NOW)
    content = store.root / object_path(ID) / "v1" / "content"
    (content / "a").write_bytes(b"1" * 99_999 + b"2")
    (content / "b").unlink()
    with (
        store.open(ID, "a") as stream,
        pytest.raises(DamagedError, match="v1/content/a has changed"),
    ):
        while stream.read(1000):
            pass
    with pytest.raises(DamagedError, match="v1/content/b"):
        store.open(ID, "b")
    with store.open(ID, "a") as stream:
        stream.seek(5)
        assert stream.read() == b"1" * 99_994 + b"2", "whoever reads parts checks them otherwise"
