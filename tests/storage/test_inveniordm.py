"""Deposits into InvenioRDM, against the stand-in of ``inveniordm.py``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.core.errors import DepositError
from blogcrawl.dates.edtf import read_written
from blogcrawl.storage.inveniordm import InvenioTarget, inveniordm_target
from blogcrawl.storage.submissions import name_of
from tests.storage.inveniordm import API, COMMUNITY, HOST, TOKEN, InvenioRDM
from tests.storage.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def _target(
    server: InvenioRDM,
    token: str = TOKEN,
    community: str = "",
    wait: Callable[[float], None] = print,
) -> InvenioTarget:
    return InvenioTarget(API, token, community, client=server.client(), wait=wait)


def test_package_becomes_a_published_record_with_its_file(shelf: Shelf) -> None:
    server, version = InvenioRDM(), shelf.put(1)
    receipt = shelf.send(_target(server), version)
    ((name, record),) = server.records.items()
    assert receipt == f"{HOST}/records/{name}" and not server.drafts
    body = server.files[name][f"{name_of(version)}.zip"]
    assert body is not None and body.startswith(b"PK")
    metadata = record["metadata"]
    assert metadata["title"] == "Post 1 <of> many" and metadata["version"] == "1"
    assert metadata["publication_date"] == "2026-01-02"
    assert metadata["identifiers"] == [{"scheme": "urn", "identifier": version.object_id}]
    before = len(server.asked)
    assert shelf.send(_target(server), version) == receipt
    assert server.asked[before:] == ["GET /api/records"]


def test_newer_package_is_a_version_of_the_same_record(shelf: Shelf) -> None:
    server = InvenioRDM()
    shelf.send(_target(server), shelf.put(1))
    second = shelf.put(2)
    receipt = shelf.send(_target(server), second)
    older, newer = server.records.values()
    assert newer["parent"]["id"] == older["parent"]["id"]
    assert newer["metadata"]["version"] == "2" and receipt == newer["links"]["self_html"]
    assert list(server.files[newer["id"]]) == [f"{name_of(second)}.zip"]
    assert shelf.send(_target(server), second) == receipt and len(server.records) == 2


def test_version_that_broke_off_is_taken_up(shelf: Shelf) -> None:
    server = InvenioRDM()
    shelf.send(_target(server), shelf.put(1))
    server.break_off_at = "POST .*/commit|DELETE .*/draft"
    second = shelf.put(2)
    with pytest.raises(DepositError, match="broke off"):
        shelf.send(_target(server), second)
    assert len(server.drafts) == 1
    server.break_off_at = ""
    shelf.send(_target(server), second)
    assert len(server.records) == 2 and not server.drafts


@pytest.mark.parametrize("fault", ["break_off", "damage"])
def test_draft_of_a_failed_upload_is_deleted(shelf: Shelf, fault: str) -> None:
    server = InvenioRDM()
    server.break_off_at = "PUT .*/content" if fault == "break_off" else ""
    server.damage_uploads = fault == "damage"
    with pytest.raises(DepositError, match=r"broke off|other bytes of uuid-.*\.zip"):
        shelf.send(_target(server), shelf.put(1))
    assert not server.drafts and not server.records


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"title": "Хы"}, {"title": "Хы (A <blog> & more)"}),
        ({"title": "Хы!"}, {"title": "Хы!"}),
        ({"published": read_written("2012-10")}, {"publication_date": "2012-10", "dates": None}),
        (
            {"published": read_written("2012-10~")},
            {
                "publication_date": "2012-10",
                "dates": [
                    {
                        "date": "2012-10",
                        "type": {"id": "issued"},
                        "description": "approximate: 2012-10~",
                    }
                ],
            },
        ),
        (
            {"published": datetime(2012, 10, 3, 23, 18, tzinfo=UTC)},
            {"publication_date": "2012-10-03"},
        ),
        ({"published": None}, {"publication_date": "2026-03-01"}),
        ({"excerpt": "1 < 2 & <b>"}, {"description": "1 &lt; 2 &amp; &lt;b&gt;"}),
        ({"excerpt": "ab"}, {"description": None}),
        (
            {"authors": ()},
            {
                "creators": [
                    {"person_or_org": {"type": "organizational", "name": "A <blog> & more"}}
                ]
            },
        ),
    ],
    ids=lambda value: next(iter(value)),
)
def test_metadata_are_such_as_the_repository_takes(
    shelf: Shelf, changes: dict[str, object], expected: dict[str, object]
) -> None:
    server = InvenioRDM()
    shelf.send(_target(server), shelf.put(1, post_changes=changes))
    (record,) = server.records.values()
    assert {field: record["metadata"].get(field) for field in expected} == expected


def test_metadata_that_are_refused_end_the_deposit(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draft is saved without them: its record would lack the identifier that finds it again."""
    monkeypatch.setattr("blogcrawl.storage.inveniordm._SHORTEST", 0)
    server = InvenioRDM()
    version = shelf.put(1, post_changes={"title": "Hi"})
    with pytest.raises(DepositError, match=r"metadata refused: metadata.title: .*too short"):
        shelf.send(_target(server), version)
    assert not server.drafts and not server.records


def test_rate_limit_is_kept(shelf: Shelf) -> None:
    server = InvenioRDM()
    waited: list[float] = []
    version = shelf.put(1)
    server.limited = 3
    shelf.send(_target(server, wait=waited.append), version)
    assert waited == [7.0] * 3 and len(server.records) == 1
    server.limited = 100
    with pytest.raises(DepositError, match="429 for GET: Rate limit exceeded"):
        shelf.send(_target(server, wait=waited.append), version)


def test_file_is_sent_whole_after_a_rate_limit(shelf: Shelf) -> None:
    server = InvenioRDM()
    answer = server._content

    def once(*asked):  # type: ignore[no-untyped-def]
        asked[0].read()
        server._content = answer  # type: ignore[method-assign]
        server.limited = 1
        return server(asked[0])

    server._content = once  # type: ignore[method-assign]
    version = shelf.put(1)
    shelf.send(_target(server), version)
    ((body,),) = (files.values() for files in server.files.values())
    assert body is not None and len(body) > 1000


def test_refusals_say_why(shelf: Shelf) -> None:
    server, version = InvenioRDM(), shelf.put(1)
    with pytest.raises(DepositError, match=r"HTTP 401 for GET: The server could not") as refused:
        shelf.send(_target(server, token="old"), version)
    assert refused.value.advice == "check the token"
    with pytest.raises(DepositError, match=r"HTTP 400 for POST: unknown: Community not found"):
        shelf.send(_target(server, community="unknown"), version)


def test_community_is_asked_once(shelf: Shelf) -> None:
    server, version = InvenioRDM(), shelf.put(1)
    target = _target(server, community=COMMUNITY)
    shelf.send(target, version)
    (record,) = server.records.values()
    assert server.requests == [record["parent"]["id"]]
    shelf.send(target, version)
    record["parent"]["communities"]["ids"].append(COMMUNITY)
    server.requests.clear()
    shelf.send(target, version)
    assert not server.requests


def test_target_is_made_from_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    target = inveniordm_target(f"inveniordm+https://tok@host?community={COMMUNITY}")
    assert isinstance(target, InvenioTarget)
    assert (target.base, target.community) == ("https://host/api", COMMUNITY)
    monkeypatch.delenv("INVENIORDM_TOKEN", raising=False)
    with pytest.raises(DepositError, match="token"):
        inveniordm_target("inveniordm+https://host")
