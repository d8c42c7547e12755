"""Identifiers in paths: whatever one says, the path stays inside its folder."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blogcrawl.core.errors import PackagingError
from blogcrawl.packaging import ids
from blogcrawl.packaging.parts import Stamp
from blogcrawl.storage.bags import write_bag
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.deposit import Ledger
from blogcrawl.storage.deposit_files import LocalTarget, S3Target
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.web.site import _folder, _name

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
UUIDS = st.uuids().map(str)
ONE = str(uuid.UUID(int=10))
HOSTILE = (
    *(
        "",
        ".",
        "..",
        "/",
        "../../victim",
        "/etc/passwd",
        "uuid-../../victim",
        "urn:uuid:..",
        "C:\\x",
    ),
    *("a" * 5000, "uuid-" + "b" * 5000, "x\0y", "uuid-\n", "\ud800"),
    *(f"urn:uuid:{ONE}\n", ONE.upper(), f"{{{ONE}}}"),
)


@given(
    st.one_of(
        st.text(),
        st.binary().map(lambda raw: raw.decode("latin-1")),
        UUIDS.map(lambda u: f"../{u}"),
    )
)
@example("../../victim")
@example("uuid-" + "0" * 32)
def test_file_name_of_an_id_is_one_plain_component_or_refused(text: str) -> None:
    for form in (text, f"uuid-{text}", f"urn:uuid:{text}"):
        try:
            name = ids.objid(form)
        except PackagingError as error:
            assert len(error.message) < 800
            continue
        assert (
            PurePosixPath(name).parts == (name,)
            and len(name) == 41
            and name.isascii()
            and name.islower()
        )
        assert (
            name
            == ids.objid(name)
            == ids.objid(ids.urn(ids.bare(name)))
            == ids.objid(ids.bare(name))
        )


@given(UUIDS)
def test_every_uuid_has_a_unique_name(text: str) -> None:
    assert ids.objid(text) == f"uuid-{text}"


@given(st.text(min_size=1))
@example("../../victim")
@example("a" * 5000)
def test_an_object_of_the_store_lies_four_plain_folders_below_the_root(text: str) -> None:
    parts = object_path(text).split("/")
    assert len(parts) == 4 and all(
        part not in ("", ".", "..") and len(part) <= 170 for part in parts
    )
    assert all(part.isascii() and part.isprintable() and "\\" not in part for part in parts)


def _ledger(folder: Path, version: ObjectVersion) -> object:
    Ledger(folder / "target", "x:y").note(
        version, "r", MOMENT, Stamp(created=MOMENT, changed=MOMENT)
    )
    return None


WRITERS: dict[str, Callable[[Path, ObjectVersion], object]] = {
    "bag": lambda folder, version: write_bag(version, open, folder / "target", now=MOMENT),
    "bag target": lambda folder, version: LocalTarget(f"bag:{folder}/target").deposit(version, {}),
    "zip target": lambda folder, version: LocalTarget(f"zip:{folder}/target").deposit(version, {}),
    "folder target": lambda folder, version: LocalTarget(f"folder:{folder}/target").deposit(
        version, {"a": io.BytesIO()}
    ),
    "s3 target": lambda folder, version: S3Target(f"file://{folder}/target").deposit(
        version, {"METS.xml": io.BytesIO()}
    ),
    "ledger": _ledger,
    "page": lambda folder, version: _name(
        PostRow(blog_id="b", url="u", aip_id=version.object_id, aip_version=1)
    ),
    "pages": lambda folder, version: _folder(
        BlogRow(id="b", url="u", aip_id=version.object_id or "x")
    ),
}


@pytest.mark.parametrize("identifier", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("writer", list(WRITERS))
def test_writers_refuse_package_ids_unfit_as_file_names(
    tmp_path: Path, writer: str, identifier: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("kept")
    (tmp_path / "target").mkdir()
    version = ObjectVersion(object_id=identifier, version=1, created=MOMENT, message="", files={})
    with pytest.raises(PackagingError, match="is not an identifier"):
        WRITERS[writer](tmp_path, version)
    assert (
        sorted(p.name for p in tmp_path.iterdir()) == ["target", "victim"]
        and (victim / "precious").read_text() == "kept"
    )
    assert [p for p in (tmp_path / "target").rglob("*") if p.name != "x"] == []


def test_bag_replaces_only_an_older_bag(tmp_path: Path) -> None:
    version = ObjectVersion(
        object_id=ids.urn(ids.blog_id("x")),
        version=1,
        created=MOMENT,
        message="",
        files={"METS.xml": ""},
    )

    def written(number: int) -> Path:
        read = {"METS.xml": io.BytesIO(b"x")}.__getitem__
        return write_bag(replace(version, version=number), read, tmp_path, now=MOMENT)

    bag = written(1)
    assert written(2) == bag
    assert "Blogcrawl-Version: 2" in (bag / "bag-info.txt").read_text() and [
        p.name for p in tmp_path.iterdir()
    ] == [bag.name]
    for harm in (
        lambda: (bag / "bag-info.txt").write_text("External-Identifier: urn:uuid:x\n"),
        lambda: (bag / "bagit.txt").unlink(),
    ):
        harm()
        (bag / "precious").write_text(json.dumps("kept"))
        with pytest.raises(Exception, match="is not a bag of"):
            written(3)
        assert (bag / "precious").exists() and [p.name for p in tmp_path.iterdir()] == [bag.name]
