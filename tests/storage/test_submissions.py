"""Packages as repositories take them in: SIPs, transfers of Archivematica, items of DSpace."""

from __future__ import annotations

import csv
import os
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Login
from blogcrawl.core.errors import DepositError, UsageError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging import ids
from blogcrawl.packaging.mets import submission
from blogcrawl.packaging.xmltools import CSIP, METS, parse
from blogcrawl.storage.deposit import open_target
from blogcrawl.storage.dspace import DSpaceTarget, dspace_target
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.submissions import name_of, write_aip, write_sip, write_transfer
from tests.benchmarks.validators import judgement, sampled
from tests.storage.dspace import BASE, COLLECTION, PASSWORD, USER, DSpace
from tests.storage.shelf import Shelf
from tests.storage.test_export import POSTS, fill

LIBRARY = Organization(name="A library", identifier="DE-1", contact="mailto:a@b.example")
AGENT = f"{{{METS}}}metsHdr/{{{METS}}}agent"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    for name in ("aip", "sip"):
        (tmp_path / name).mkdir()
    return Shelf(tmp_path / "archive")


def _members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        return {
            name.partition("/")[2]: package.read(name)
            for name in package.namelist()
            if name.partition("/")[0] == path.stem.rpartition("-v")[0]
        }


def test_sip_differs_from_the_aip_in_its_mets_files_only(shelf: Shelf, tmp_path: Path) -> None:
    version = shelf.put(1)
    aip = _members(write_aip(version, shelf.read(version), tmp_path / "aip"))
    sip = _members(write_sip(version, shelf.read(version), tmp_path / "sip", LIBRARY))
    assert set(aip) == set(sip) == set(version.files)
    changed = {path for path in aip if aip[path] != sip[path]}
    assert changed == {path for path in aip if path.rpartition("/")[2] == "METS.xml"}


def test_sip_names_its_profile_and_who_submits_it(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put(1)
    version = shelf.put(2)
    path = write_sip(version, shelf.read(version), tmp_path / "sip", LIBRARY)
    assert path.name == f"{name_of(version)}.zip"
    for name, document in _members(path).items():
        if name.rpartition("/")[2] != "METS.xml":
            continue
        root = parse(document)
        assert root.get("PROFILE") == "https://earksip.dilcis.eu/profile/E-ARK-SIP.xml"
        (head,) = root.iterfind(f"{{{METS}}}metsHdr")
        assert head.get(f"{{{CSIP}}}OAISPACKAGETYPE") == "SIP"
        assert head.get("RECORDSTATUS") == "NEW"
        agents = [
            (agent.get("ROLE"), agent.get("TYPE"), " ".join(agent.itertext()).split())
            for agent in root.iterfind(AGENT)
        ]
        assert agents[1:] == [("OTHER", "ORGANIZATION", ["A", "library", "DE-1"])]
        assert agents[0][:2] == ("CREATOR", "OTHER")


def test_sip_of_a_newer_version_replaces_the_one_before() -> None:
    document = f'<mets xmlns="{METS}"><metsHdr RECORDSTATUS="REVISED"/></mets>'.encode()
    (head,) = parse(submission(document, LIBRARY)).iterfind(f"{{{METS}}}metsHdr")
    assert head.get("RECORDSTATUS") == "REPLACEMENT"


def test_sip_needs_an_organization(shelf: Shelf, tmp_path: Path) -> None:
    version = shelf.put(1)
    with pytest.raises(UsageError, match="names the organization") as caught:
        write_sip(version, shelf.read(version), tmp_path / "sip", UNNAMED)
    assert "BLOGCRAWL_ORGANIZATION" in (caught.value.advice or "")
    assert list((tmp_path / "sip").glob("*.zip")) == []


def test_transfer_is_checked_as_archivematica_checks_it(shelf: Shelf, tmp_path: Path) -> None:
    version = shelf.put(1)
    target = open_target(f"archivematica:{tmp_path / 'transfers'}")
    folder = Path(shelf.send(target, version))
    assert {path.name for path in folder.iterdir()} == {"objects", "metadata"}
    sums = folder / "metadata" / "checksum.sha512"
    command = ["sha512sum", "-c", "--strict", str(sums)]
    checked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    files = [path for path in (folder / "objects").rglob("*") if path.is_file()]
    assert len(checked.stdout.splitlines()) == len(files) == len(version.files)
    next(path for path in files if path.name == "METS.xml").write_bytes(b"x")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1


def test_transfer_is_described_in_dublin_core(shelf: Shelf, tmp_path: Path) -> None:
    version = shelf.put(1)
    folder = write_transfer(version, shelf.read(version), tmp_path)
    with (folder / "metadata" / "metadata.csv").open(newline="") as table:
        head, row = list(csv.reader(table))
    assert head[0] == "filename" and row[0] == f"objects/{ids.objid(version.object_id)}"
    assert (folder / row[0] / "METS.xml").is_file()
    assert ("dc.title", "Post 1 <of> many") in set(zip(head, row, strict=True))
    assert head.count("dc.subject") > 1
    assert all(name.startswith("dc.") for name in head[1:])
    assert write_transfer(version, shelf.read(version), tmp_path) == folder


def _target(server: DSpace) -> DSpaceTarget:
    return DSpaceTarget(BASE, Login(USER, PASSWORD), COLLECTION, client=server.client())


def test_dspace_gets_an_item_per_package_and_a_file_per_version(shelf: Shelf) -> None:
    server = DSpace()
    target, first = _target(server), shelf.put(1)
    receipt = shelf.send(target, first)
    (item,) = server.items
    assert receipt == f"{BASE}/core/items/{item}"
    assert list(server.files[item]) == [f"{name_of(first)}.zip"]
    assert shelf.send(target, first) == receipt
    assert len(server.items) == len(server.files[item]) == 1
    second = shelf.put(2)
    assert shelf.send(_target(server), second) == receipt
    assert sorted(server.files[item]) == [f"{name_of(first)}.zip", f"{name_of(second)}.zip"]
    assert shelf.send(target, second) == receipt
    assert len(server.files[item]) == 2


def test_dspace_metadata_are_those_of_the_package(shelf: Shelf) -> None:
    server = DSpace()
    version = shelf.put(1)
    shelf.send(_target(server), version)
    (item,) = server.items.values()
    values = {
        name: [one["value"] for one in found]
        for name, found in item["metadata"].items()  # type: ignore[attr-defined]
    }
    assert values["dc.title"] == ["Post 1 <of> many"]
    assert values["dc.identifier.other"] == [version.object_id]
    assert len(values["dc.subject"]) > 1 and values["dc.date.issued"][0].startswith("2026-01-02")


def test_dspace_gets_an_approximate_date_in_a_field_of_its_own(shelf: Shelf) -> None:
    server = DSpace()
    shelf.send(_target(server), shelf.put(1, post_changes={"published": read_written("2012~")}))
    (item,) = server.items.values()
    found = {name: item["metadata"][name] for name in ("dc.date.issued", "dc.date")}  # type: ignore[index]
    assert [one["value"] for (one,) in found.values()] == ["2012", "2012~"]


def test_dspace_newer_metadata_leave_those_of_the_repository(shelf: Shelf) -> None:
    server = DSpace()
    first = shelf.put(1)
    shelf.send(_target(server), first)
    (item,) = server.items.values()
    item["metadata"]["dc.title"] = [{"value": "An older title"}]  # type: ignore[index]
    second = shelf.put(2)
    shelf.send(_target(server), second)
    (item,) = server.items.values()
    assert [one["value"] for one in item["metadata"]["dc.title"]] == ["Post 1 <of> many"]  # type: ignore[index]
    assert item["metadata"]["dc.date.accessioned"]  # type: ignore[index]


@pytest.mark.parametrize("fault", ["fail_uploads", "damage_uploads"])
def test_dspace_item_of_a_failed_upload_is_deleted(shelf: Shelf, fault: str) -> None:
    server = DSpace()
    setattr(server, fault, True)
    version = shelf.put(1)
    with pytest.raises(DepositError, match=r"broke off|other bytes"):
        shelf.send(_target(server), version)
    assert server.items == {}


@pytest.mark.parametrize(
    ("state", "message"),
    [({"withdrawn": True}, "is withdrawn"), ({"inArchive": False}, "is not in the archive")],
)
def test_dspace_item_is_confirmed(shelf: Shelf, state: dict[str, bool], message: str) -> None:
    server = DSpace()
    shelf.send(_target(server), shelf.put(1))
    (item,) = server.items.values()
    item |= state
    with pytest.raises(DepositError, match=message):
        shelf.send(_target(server), shelf.put(2))
    assert len(server.items) == 1


def test_dspace_refusal_is_one_line_with_advice(shelf: Shelf) -> None:
    server = DSpace()
    version = shelf.put(1)
    target = DSpaceTarget(BASE, Login(USER, "wrong"), COLLECTION, client=server.client())
    with pytest.raises(DepositError, match="HTTP 401") as caught:
        shelf.send(target, version)
    assert caught.value.advice == "check user, password and rights"
    assert "wrong" not in str(caught.value)


def test_dspace_says_who_may_add_items(shelf: Shelf) -> None:
    server = DSpace()
    server.is_administrator = False
    with pytest.raises(DepositError, match="HTTP 403") as caught:
        shelf.send(_target(server), shelf.put(1))
    assert "only administrators of the collection" in (caught.value.advice or "")
    assert server.items == {}


def test_dspace_address_names_a_collection_and_a_login(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("", "?collection=x", f"?collection={COLLECTION}&collection={COLLECTION}"):
        with pytest.raises(UsageError, match="no collection"):
            dspace_target(f"dspace+https://a:b@host/server/api{wrong}")
    with pytest.raises(DepositError, match="no login"):
        dspace_target(f"dspace+https://host?collection={COLLECTION}")
    monkeypatch.setenv("DSPACE_USER", USER)
    monkeypatch.setenv("DSPACE_PASSWORD", PASSWORD)
    target = dspace_target(f"dspace+https://host?collection={COLLECTION}")
    assert isinstance(target, DSpaceTarget)
    assert (target.base, target.collection) == ("https://host/server/api", COLLECTION)
    assert target.login == Login(USER, PASSWORD)


def test_dublin_core_elements_have_a_field_each() -> None:
    from blogcrawl.storage.dspace import _FIELDS

    elements = (
        "title creator subject description publisher contributor date type format identifier "
        "source language relation coverage rights"
    )
    assert set(_FIELDS) == set(elements.split())


def test_verdict_of_eark_validator_is_read_from_its_report() -> None:
    valid = '{"status":"WellFormed",[],"status":"VALID","status":"VALID"}'
    assert judgement(f"Path a, struct result is: WellFormed\n{valid}") is None
    assert judgement(valid.replace("VALID", "INVALID", 1)) is not None
    error = '"rule_id":"SIP14","severity":"Error"'
    assert "SIP14" in (judgement(valid.replace("[]", error)) or "")
    assert judgement(valid.replace("[]", '"rule_id":"CSIPSTR3","severity":"Info"')) is None
    assert judgement("") == "no report"


def test_sample_of_an_archive_is_an_archive_of_those_posts(tmp_path: Path) -> None:
    state, store = fill(tmp_path / "archive")
    state.close()
    drawn = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert sampled(tmp_path / "archive", tmp_path / name, 3, seed) == POSTS
        config = Config(archive=str(tmp_path / name))
        with closing(open_state(config)) as state:
            posts = {row.aip_id for row in state.posts()}
            (blog,) = state.blogs()
        found = open_store(config)
        assert {*found.object_ids()} == {*posts, blog.aip_id} and len(posts) == 3
        assert [fault for urn in posts for fault in found.verify(str(urn), deep=True)] == []
        assert all(inner or files for _, inner, files in os.walk(tmp_path / name / "packages"))
        drawn.append(posts)
    assert drawn[0] == drawn[1] != drawn[2]
    assert len([*store.object_ids()]) == POSTS + 1
