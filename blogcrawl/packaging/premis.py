"""PREMIS 3.0: what the objects of a package are, what happened to them, and who did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from blogcrawl.packaging import ids
from blogcrawl.packaging.parts import PRONOM, Part, Stamp
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.xmltools import PREMIS, XSI, clean, namespaces

_TYPES = "http://id.loc.gov/vocabulary/preservation/eventType/"
_EVENT_CODES = {
    "capture": "cap",
    "creation": "cre",
    "ingestion": "ing",
    "message digest calculation": "mes",
    "metadata extraction": "mee",
    "validation": "val",
    "fixity check": "fix",
    "replication": "rep",
    "deaccession": "dea",
    "deletion": "del",
    "migration": "mig",
}
"""PREMIS event types with their codes in the vocabulary of the Library of Congress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to the package. ``type`` is a key of the LoC vocabulary."""

    type: str
    at: datetime
    detail: str = ""
    outcome: str = "success"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the site said about the use of its content at capture, without a judgement.

    ``licence``: address of a licence that page, feed or blog names; ``statement``: its copyright
    line. ``robots``: what robots.txt, ``meta`` elements and headers said to crawlers, each with its
    source in front.
    """

    licence: str | None = None
    statement: str | None = None
    robots: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.licence or self.statement or self.robots)


def document() -> etree._Element:
    root = etree.Element(f"{{{PREMIS}}}premis", nsmap=namespaces(PREMIS, xsi=XSI), version="3.0")
    root.set(f"{{{XSI}}}schemaLocation", f"{PREMIS} http://www.loc.gov/standards/premis/premis.xsd")
    return root


def _sub(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    element = etree.SubElement(parent, f"{{{PREMIS}}}{name}")
    if text is not None:
        element.text = clean(text)
    return element


def _identifier(parent: etree._Element, name: str, value: str) -> None:
    holder = _sub(parent, name)
    _sub(holder, f"{name}Type", "URI")
    _sub(holder, f"{name}Value", value)


def _object(root: etree._Element, kind: str, urn: str) -> etree._Element:
    element = _sub(root, "object")
    element.set(f"{{{XSI}}}type", kind)
    _identifier(element, "objectIdentifier", urn)
    return element


def _relationship(parent: etree._Element, kind: str, subtype: str, urns: Iterable[str]) -> None:
    urns = list(urns)
    if not urns:
        return
    relation = _sub(parent, "relationship")
    _sub(relation, "relationshipType", kind)
    _sub(relation, "relationshipSubType", subtype)
    for urn in urns:
        _identifier(relation, "relatedObjectIdentifier", urn)


def add_entity(
    root: etree._Element, urn: str, name: str, representations: Iterable[str], part_of: str | None
) -> None:
    """Add the intellectual entity: a post (part of its blog) or a blog."""
    entity = _object(root, "intellectualEntity", urn)
    _sub(entity, "originalName", name)
    _relationship(entity, "structural", "is represented by", representations)
    _relationship(entity, "structural", "is part of", [part_of] if part_of else [])


def add_representation(
    root: etree._Element, urn: str, represents: str, files: Iterable[str]
) -> None:
    element = _object(root, "representation", urn)
    _relationship(element, "structural", "represents", [represents])
    _relationship(element, "structural", "has part", files)


def add_file(root: etree._Element, urn: str, part: Part) -> None:
    """Add a file with fixity, size and format; its original name is its address."""
    element = _object(root, "file", urn)
    traits = _sub(element, "objectCharacteristics")
    _sub(traits, "compositionLevel", "0")
    fixity = _sub(traits, "fixity")
    _sub(fixity, "messageDigestAlgorithm", "SHA-512")
    _sub(fixity, "messageDigest", part.sha512)
    _sub(traits, "size", str(part.size))
    form = _sub(traits, "format")
    _sub(_sub(form, "formatDesignation"), "formatName", part.mime)
    if part.mime in PRONOM:
        registry = _sub(form, "formatRegistry")
        _sub(registry, "formatRegistryName", "PRONOM")
        _sub(registry, "formatRegistryKey", PRONOM[part.mime])
    _sub(element, "originalName", part.origin or part.path)
    location = _sub(_sub(element, "storage"), "contentLocation")
    _sub(location, "contentLocationType", "relative path")
    _sub(location, "contentLocationValue", part.path)


def software_urn(stamp: Stamp) -> str:
    return ids.urn(ids.part_id(stamp.software, stamp.software_version)[5:])


def add_events(
    root: etree._Element,
    package: str,
    events: Sequence[Event],
    stamp: Stamp,
    objects: Sequence[str],
) -> None:
    """Events, each linked to the software that did it (AIP 2.2, rule AIP17) and to ``objects``."""
    agent = software_urn(stamp)
    for event in events:
        moment = rfc3339(event.at)
        element = _sub(root, "event")
        _identifier(
            element,
            "eventIdentifier",
            ids.urn(ids.event_id(package, event.type, moment + event.detail)),
        )
        kind = _sub(element, "eventType", event.type)
        if event.type in _EVENT_CODES:
            kind.set("authority", "eventType")
            kind.set("authorityURI", _TYPES.rstrip("/"))
            kind.set("valueURI", _TYPES + _EVENT_CODES[event.type])
        _sub(element, "eventDateTime", moment)
        if event.detail:
            _sub(_sub(element, "eventDetailInformation"), "eventDetail", event.detail)
        outcome = _sub(element, "eventOutcomeInformation")
        _sub(outcome, "eventOutcome", event.outcome)
        if event.note:
            _sub(_sub(outcome, "eventOutcomeDetail"), "eventOutcomeDetailNote", event.note)
        link = _sub(element, "linkingAgentIdentifier")
        _sub(link, "linkingAgentIdentifierType", "URI")
        _sub(link, "linkingAgentIdentifierValue", agent)
        _sub(link, "linkingAgentRole", "executing program")
        for urn in objects:
            _identifier(element, "linkingObjectIdentifier", urn)


def add_agents(root: etree._Element, stamp: Stamp) -> None:
    """Add the software with its version, and the operator where one is named."""
    agent = _sub(root, "agent")
    _identifier(agent, "agentIdentifier", software_urn(stamp))
    _sub(agent, "agentName", stamp.software)
    _sub(agent, "agentType", "software")
    _sub(agent, "agentVersion", stamp.software_version)
    if stamp.operator:
        person = _sub(root, "agent")
        _identifier(person, "agentIdentifier", ids.urn(ids.part_id("operator", stamp.operator)[5:]))
        _sub(person, "agentName", stamp.operator)
        _sub(person, "agentType", "organization")


def add_rights(root: etree._Element, package: str, rights: Rights, objects: Sequence[str]) -> None:
    """Add a rights statement a basis (PREMIS 3.0, 4.1): licence, copyright, robots."""
    if rights.licence:
        information = _rights(
            root, package, "license", rights.licence, objects, "licenseInformation"
        )
        identifier = _sub(information, "licenseDocumentationIdentifier")
        _sub(identifier, "licenseDocumentationIdentifierType", "URI")
        _sub(identifier, "licenseDocumentationIdentifierValue", rights.licence)
        _sub(information, "licenseNote", "named by the page, the feed or the blog at capture")
    for basis, notes in (
        ("copyright statement", [rights.statement] if rights.statement else []),
        ("robots directives", rights.robots),
    ):
        if notes:
            information = _rights(root, package, "other", basis, objects, "otherRightsInformation")
            _sub(information, "otherRightsBasis", basis)
            for note in notes:
                _sub(information, "otherRightsNote", note)


def _rights(
    root: etree._Element,
    package: str,
    basis: str,
    name: str,
    objects: Sequence[str],
    information: str,
) -> etree._Element:
    statement = _sub(_sub(root, "rights"), "rightsStatement")
    _identifier(
        statement,
        "rightsStatementIdentifier",
        ids.urn(ids.event_id(package, f"rights {basis}", name)),
    )
    _sub(statement, "rightsBasis", basis)
    element = _sub(statement, information)
    for urn in objects:
        _identifier(statement, "linkingObjectIdentifier", urn)
    return element
