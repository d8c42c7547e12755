"""PREMIS of packages: agents and their events, derivations, properties, failures; all links lead
somewhere.
"""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import blog_aip, entry_aip, tombstone_aip
from blogcrawl.packaging.check import Package, Schemas
from blogcrawl.packaging.contents import BlogInput, crawl_event, methods_of
from blogcrawl.packaging.layout import TOMBSTONE_JSON
from blogcrawl.packaging.parts import Content
from blogcrawl.packaging.premis import Rights
from blogcrawl.packaging.xmltools import METS, PREMIS, parse
from tests.packaging.samples import BLOG, MOMENT, OPERATOR, STAMP, entry, with_media

P = f"{{{PREMIS}}}"
ROOT = "metadata/preservation/premis.xml"
WEB = f"representations/web/{ROOT}"
SCHEMAS = os.environ.get("BLOGCRAWL_SCHEMAS")
URN = ids.urn(ids.entry_id("https://blog.example/removed"))
TOMBSTONE = {"url": "https://blog.example/removed", "kind": "post", "reason": "asked for"}
RIGHTS = Rights(licence="https://licence.example/", statement="© Ann", robots=("all",))
CRAWL = {
    "id": "c1",
    "spider": "newcrawl",
    "started": "2026-03-01T11:00:00Z",
    "outcome": "finished",
    "detail": "nothing was left to fetch",
    "posts": 3,
    "missing_count": 1,
    "missing": [{"url": "https://blog.example/lost", "reason": "HTTP 500"}],
}
PACKAGES = {
    "post": entry_aip(replace(with_media(), rights=RIGHTS)),
    "post of a web archive": entry_aip(replace(entry(), origin="https://archive.example/")),
    "post of nobody": entry_aip(
        replace(entry(), stamp=replace(STAMP, operator=replace(OPERATOR, name="", contact="")))
    ),
    "blog": blog_aip(
        BlogInput(
            blog=BLOG, stamp=STAMP, rights=RIGHTS, events=[crawl_event(CRAWL, BLOG.url, MOMENT)]
        )
    ),
    "tombstone": tombstone_aip(URN, TOMBSTONE, replace(STAMP, person="Ann"), purged=True),
}


def document(files: dict[str, Content], path: str = ROOT) -> etree._Element:
    content = files[path]
    assert isinstance(content, bytes)
    return parse(content)


def texts(root: etree._Element, path: str) -> list[str]:
    return [
        element.text or "" for element in root.iterfind("/".join(P + n for n in path.split("/")))
    ]


def agents_of(root: etree._Element, kind: str) -> dict[str, str]:
    """Name of each agent of the events of a type -> its role."""
    names = {
        agent.findtext(f"{P}agentIdentifier/{P}agentIdentifierValue"): agent.findtext(
            f"{P}agentName"
        )
        for agent in root.iterfind(f"{P}agent")
    }
    return {
        names[link.findtext(f"{P}linkingAgentIdentifierValue")] or "": link.findtext(
            f"{P}linkingAgentRole"
        )
        or ""
        for event in root.iterfind(f"{P}event")
        if event.findtext(f"{P}eventType") == kind
        for link in event.iterfind(f"{P}linkingAgentIdentifier")
    }


@pytest.mark.parametrize("kind", PACKAGES)
def test_documents_are_valid_and_every_link_resolves(kind: str) -> None:
    files = PACKAGES[kind]
    schemas = Schemas(Path(SCHEMAS)) if SCHEMAS else None
    assert Package(files, lambda path: io.BytesIO(files[path]), schemas).check() == []  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["linkingObjectIdentifier", "relatedEventIdentifier"])
def test_link_to_nothing_is_a_fault(name: str) -> None:
    files = dict(PACKAGES["post"])
    root = document(files, WEB)
    next(root.iter(f"{P}{name}Value")).text = "urn:uuid:nowhere"
    files[WEB] = etree.tostring(root)
    faults = Package(files, lambda path: io.BytesIO(files[path])).check()  # type: ignore[arg-type]
    assert f"PREMIS {name} urn:uuid:nowhere points nowhere" in faults


def test_operator_software_and_host_take_part_in_the_capture() -> None:
    root = document(PACKAGES["post"])
    assert agents_of(root, "capture") == {
        "blogcrawl": "executing program",
        "crawler-1": "host",
        "An archive": "implementer",
    }
    assert agents_of(root, "validation") == {"blogcrawl": "executing program", "crawler-1": "host"}
    assert texts(root, "agent/agentType") == ["software", "hardware", "organization"]
    assert OPERATOR.identifier in texts(root, "agent/agentIdentifier/agentIdentifierValue")
    assert "ROR" in texts(root, "agent/agentIdentifier/agentIdentifierType")


def test_capture_by_a_web_archive_is_that_archives() -> None:
    root = document(PACKAGES["post of a web archive"])
    assert agents_of(root, "capture") == {"https://archive.example/": "implementer"}
    assert "blogcrawl" in agents_of(root, "metadata extraction")


def test_person_authorizes_a_removal() -> None:
    root = document(PACKAGES["tombstone"])
    assert agents_of(root, "deaccession")["Ann"] == "authorizer"
    assert "person" in texts(root, "agent/agentType")


def test_package_of_a_removed_post_has_its_notice_as_representation() -> None:
    """CSIP103 and CSIP114: there is no AIP without one."""
    files = PACKAGES["tombstone"]
    assert files["representations/records/data/tombstone.json"] == files[TOMBSTONE_JSON]
    top = document(files, "METS.xml")
    uses = {group.get("USE") for group in top.iter(f"{{{METS}}}fileGrp")}
    labels = {part.get("LABEL") for part in top.iter(f"{{{METS}}}div")}
    assert "Representations/records" in uses & labels


def test_made_files_name_their_source_and_the_event() -> None:
    root = document(PACKAGES["post"], WEB)
    made = {}
    paths = {}
    for thing in root.iterfind(f"{P}object"):
        urn = thing.findtext(f"{P}objectIdentifier/{P}objectIdentifierValue")
        paths[urn] = thing.findtext(f"{P}storage/{P}contentLocation/{P}contentLocationValue")
        for relation in thing.iterfind(f"{P}relationship"):
            if relation.findtext(f"{P}relationshipType") == "derivation":
                source = relation.findtext(f".//{P}relatedObjectIdentifierValue")
                event = relation.findtext(f".//{P}relatedEventIdentifierValue")
                made[urn] = (source, event)
    events = texts(root, "event/eventIdentifier/eventIdentifierValue")
    assert {paths[urn]: paths[source] for urn, (source, _) in made.items()} == {
        "data/rendered.html": "data/source.html",
        "data/screenshot.webp": "data/rendered.html",
        "data/content.html": "data/rendered.html",
    }
    assert {event for _, event in made.values()} <= set(events)
    assert texts(root, "event/eventType") == ["creation"] * 3 + ["message digest calculation"]


def test_method_that_found_the_content_is_in_its_event() -> None:
    found = {"content": {"method": "rules", "confidence": 0.9, "rule": "//article"}}
    package = entry_aip(entry(post_changes={"extraction": found}))
    details = texts(document(package, WEB), "event/eventDetailInformation/eventDetail")
    assert any(detail.endswith("(method rules)") for detail in details)


def test_significant_properties_of_a_post() -> None:
    root = document(PACKAGES["post"])
    found = dict(
        zip(
            texts(root, "object/significantProperties/significantPropertiesType"),
            texts(root, "object/significantProperties/significantPropertiesValue"),
            strict=True,
        )
    )
    assert found["content: characters of the text"] == "19200"
    assert len(found["content: SHA-256 of the text in UTF-8"]) == 64
    assert found["content: media files"] == "3" and found["content: media files archived"] == "2"
    assert found["structure: comments"] == "3" and found["context: published"] == "2026-01-01"


def test_original_name_is_the_address_of_what_was_fetched() -> None:
    root, web = document(PACKAGES["post"]), document(PACKAGES["post"], WEB)
    assert texts(root, "object/originalName") == ["https://blog.example/post-0"]
    named = {
        file.findtext(f".//{P}contentLocationValue"): file.findtext(f"{P}originalName")
        for file in web
        if file.find(f"{P}storage") is not None
    }
    assert named.pop("data/source.html") == "https://blog.example/post-0"
    assert len(named) == 3 and set(named.values()) == {None}


def test_note_without_a_method_found_nothing() -> None:
    notes = {"title": {"method": "rules"}, "comments": {"method": None, "confidence": 1.0}}
    assert methods_of(notes) == "title: rules"


def test_failures_are_named_with_their_reason() -> None:
    root = document(PACKAGES["post"])
    assert texts(root, "event/eventOutcomeInformation/eventOutcome")[:2] == ["success", "warning"]
    note = "event/eventOutcomeInformation/eventOutcomeDetail/eventOutcomeDetailNote"
    assert "https://blog.example/gone.png: HTTP 404" in texts(root, note)
    lost = document(PACKAGES["blog"])
    assert "https://blog.example/lost: HTTP 500" in texts(lost, note)
    incomplete = {"comments": {"method": "html", "incomplete": "page 2: HTTP 500"}}
    changes = {"extraction": incomplete, "status": "gone"}
    gone = document(entry_aip(entry(post_changes=changes)))
    assert "comments incomplete: page 2: HTTP 500" in texts(gone, note)
    assert texts(gone, "event/eventOutcomeInformation/eventOutcome")[0] == "fail"
