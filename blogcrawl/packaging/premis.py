"""PREMIS 3.0: what the objects of a package are, what happened to them, and who did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lxml import etree

from blogcrawl.packaging import ids
from blogcrawl.packaging.parts import Derivation, Part, Stamp
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
_ROLES = "http://id.loc.gov/vocabulary/preservation/eventRelatedAgentRole"
_ROLE_CODES = {"executing program": "exe", "implementer": "imp", "authorizer": "aut"}
"""Roles of agents in that library's vocabulary; it has none for a computer."""
_OF_OPERATOR = frozenset({"capture", "replication", "deaccession", "deletion"})
"""Events that an organization decides on; the others follow from what a package is."""
_OF_PERSON = frozenset({"deaccession", "deletion"})

Outcome = Literal["success", "warning", "fail"]
"""http://id.loc.gov/vocabulary/preservation/eventOutcome"""
Property = tuple[str, str]
"""Type and value of a significant property."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to the package. ``type`` is a key of the LoC vocabulary."""

    type: str
    at: datetime
    detail: str = ""
    outcome: Outcome = "success"
    notes: Sequence[str] = ()
    """Details of the outcome: a status, a receipt, what failed and why."""
    sources: Sequence[str] = ()
    """Identifiers of objects that something was made of …"""
    results: Sequence[str] = ()
    """… and of what was made."""
    by: str = ""
    """Name of another organization that did it, without this software."""


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


def _identifier(
    parent: etree._Element, name: str, value: str, scheme: str = "URI"
) -> etree._Element:
    holder = _sub(parent, name)
    _sub(holder, f"{name}Type", scheme)
    _sub(holder, f"{name}Value", value)
    return holder


def _object(root: etree._Element, kind: str, urn: str) -> etree._Element:
    element = _sub(root, "object")
    element.set(f"{{{XSI}}}type", kind)
    _identifier(element, "objectIdentifier", urn)
    return element


def _relationship(
    parent: etree._Element, kind: str, subtype: str, urns: Iterable[str], event: str = ""
) -> None:
    urns = list(urns)
    if not urns:
        return
    relation = _sub(parent, "relationship")
    _sub(relation, "relationshipType", kind)
    _sub(relation, "relationshipSubType", subtype)
    for urn in urns:
        _identifier(relation, "relatedObjectIdentifier", urn)
    if event:
        _identifier(relation, "relatedEventIdentifier", event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """The intellectual entity of a package: a post (part of its blog) or a blog."""

    urn: str
    name: str
    """The address by which it was harvested."""
    representations: Sequence[str] = ()
    part_of: str | None = None
    properties: Sequence[Property] = ()
    """What of it a migration has to keep."""


def add_entity(root: etree._Element, entity: Entity, rights: Sequence[str] = ()) -> None:
    """Add the intellectual entity; ``rights``: identifiers of the statements on it."""
    element = _object(root, "intellectualEntity", entity.urn)
    for kind, value in entity.properties:
        holder = _sub(element, "significantProperties")
        _sub(holder, "significantPropertiesType", kind)
        _sub(holder, "significantPropertiesValue", value)
    _sub(element, "originalName", entity.name)
    _relationship(element, "structural", "is represented by", entity.representations)
    _relationship(element, "structural", "is part of", [entity.part_of] if entity.part_of else [])
    for statement in rights:
        _identifier(element, "linkingRightsStatementIdentifier", statement)


def add_representation(
    root: etree._Element, urn: str, represents: str, files: Iterable[str]
) -> None:
    element = _object(root, "representation", urn)
    _relationship(element, "structural", "represents", [represents])
    _relationship(element, "structural", "has part", files)


def derivation_event(derivation: Derivation, source: str, result: str) -> Event:
    """Return the event in which a file was made of another one."""
    return Event(
        type="creation",
        at=derivation.at,
        detail=derivation.detail,
        sources=[source],
        results=[result],
    )


def add_file(
    root: etree._Element, urn: str, part: Part, derived: tuple[str, str] | None = None
) -> None:
    """Add a file with fixity, size and format; the original name of one that was fetched is its
    address, and one that was made has none.

    ``derived``: the file that it was made of, and the event in which it was.
    """
    element = _object(root, "file", urn)
    traits = _sub(element, "objectCharacteristics")
    _sub(traits, "compositionLevel", "0")
    fixity = _sub(traits, "fixity")
    _sub(fixity, "messageDigestAlgorithm", "SHA-512")
    _sub(fixity, "messageDigest", part.sha512)
    _sub(traits, "size", str(part.size))
    _add_format(traits, part)
    if part.origin and part.derivation is None:
        _sub(element, "originalName", part.origin)
    location = _sub(_sub(element, "storage"), "contentLocation")
    _sub(location, "contentLocationType", "relative path")
    _sub(location, "contentLocationValue", part.path)
    if derived is not None:
        _relationship(element, "derivation", "has source", [derived[0]], derived[1])


def _add_format(traits: etree._Element, part: Part) -> None:
    form = _sub(traits, "format")
    designation = _sub(form, "formatDesignation")
    _sub(designation, "formatName", part.format.name)
    if part.format.version:
        _sub(designation, "formatVersion", part.format.version)
    if part.format.puid:
        registry = _sub(form, "formatRegistry")
        _sub(registry, "formatRegistryName", "PRONOM")
        _sub(registry, "formatRegistryKey", part.format.puid)
    if part.format.name != part.mime:
        _sub(form, "formatNote", f"MIME type {part.mime}")


AgentType = Literal["software", "hardware", "organization", "person"]
"""http://id.loc.gov/vocabulary/preservation/agentType"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who or what took part in events, and as what."""

    type: AgentType
    name: str
    role: str
    version: str = ""
    identifier: str = ""
    """One that others know it by; ``scheme``: ROR, ISIL or URI."""
    scheme: str = ""
    note: str = ""

    @property
    def urn(self) -> str:
        """Return the identifier that events link to; the same in every package."""
        kinds = {"software": self.name, "organization": "operator"}
        name = self.version if self.type == "software" else self.name
        return ids.urn(ids.part_id(kinds.get(self.type, self.type), name)[5:])


def _software(stamp: Stamp) -> Agent:
    return Agent(
        type="software",
        name=stamp.software,
        version=stamp.software_version,
        role="executing program",
    )


def _operator(stamp: Stamp) -> Agent:
    return Agent(
        type="organization",
        name=stamp.operator.label,
        role="implementer",
        identifier=stamp.operator.identifier,
        scheme=stamp.operator.scheme,
        note=stamp.operator.contact,
    )


def agents_of(event: Event, stamp: Stamp) -> list[Agent]:
    """Return who took part in an event (AIP 2.2, rule AIP17: at least one): software and computer
    always, operator and person where they decide. What another archive did is that archive's.
    """
    if event.by:
        return [Agent(type="organization", name=event.by, role="implementer")]
    found = [_software(stamp)]
    if stamp.host:
        found.append(Agent(type="hardware", name=stamp.host, role="host"))
    if stamp.operator.label and event.type in _OF_OPERATOR:
        found.append(_operator(stamp))
    if stamp.person and event.type in _OF_PERSON:
        found.append(Agent(type="person", name=stamp.person, role="authorizer"))
    return found


def event_urn(package: str, event: Event) -> str:
    """Return the identifier of an event in ``package``."""
    return ids.urn(ids.event_id(package, event.type, rfc3339(event.at) + event.detail))


def add_events(
    root: etree._Element,
    package: str,
    events: Sequence[Event],
    stamp: Stamp,
    objects: Sequence[str],
) -> None:
    """Add events, each linked to its agents, and to its own objects or else to ``objects``."""
    for event in events:
        element = _sub(root, "event")
        _identifier(element, "eventIdentifier", event_urn(package, event))
        kind = _sub(element, "eventType", event.type)
        if event.type in _EVENT_CODES:
            kind.set("authority", "eventType")
            kind.set("authorityURI", _TYPES.rstrip("/"))
            kind.set("valueURI", _TYPES + _EVENT_CODES[event.type])
        _sub(element, "eventDateTime", rfc3339(event.at))
        if event.detail:
            _sub(_sub(element, "eventDetailInformation"), "eventDetail", event.detail)
        outcome = _sub(element, "eventOutcomeInformation")
        _sub(outcome, "eventOutcome", event.outcome)
        for note in event.notes:
            _sub(_sub(outcome, "eventOutcomeDetail"), "eventOutcomeDetailNote", note)
        for agent in agents_of(event, stamp):
            _link_agent(element, agent)
        _link_objects(element, event, objects)


def _link_agent(event: etree._Element, agent: Agent) -> None:
    link = _identifier(event, "linkingAgentIdentifier", agent.urn)
    role = _sub(link, "linkingAgentRole", agent.role)
    if agent.role in _ROLE_CODES:
        role.set("authority", "eventRelatedAgentRole")
        role.set("authorityURI", _ROLES)
        role.set("valueURI", f"{_ROLES}/{_ROLE_CODES[agent.role]}")


def _link_objects(element: etree._Element, event: Event, objects: Sequence[str]) -> None:
    for role, urns in (("source", event.sources), ("outcome", event.results)):
        for urn in urns:
            link = _identifier(element, "linkingObjectIdentifier", urn)
            _sub(link, "linkingObjectRole", role)
    if not (event.sources or event.results):
        for urn in objects:
            _identifier(element, "linkingObjectIdentifier", urn)


def add_agents(root: etree._Element, events: Sequence[Event], stamp: Stamp) -> None:
    """Add the agents of these events, and the operator: a statement of rights may be theirs."""
    agents = {agent.urn: agent for event in events for agent in agents_of(event, stamp)}
    if stamp.operator.label:
        agents.setdefault(_operator(stamp).urn, _operator(stamp))
    for urn, agent in agents.items():
        element = _sub(root, "agent")
        _identifier(element, "agentIdentifier", urn)
        if agent.identifier:
            _identifier(element, "agentIdentifier", agent.identifier, agent.scheme)
        _sub(element, "agentName", agent.name)
        _sub(element, "agentType", agent.type)
        if agent.version:
            _sub(element, "agentVersion", agent.version)
        if agent.note and agent.note != agent.name:
            _sub(element, "agentNote", agent.note)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A rights statement: PREMIS' basis, the basis in words or the licence, and what was said."""

    basis: str
    name: str
    notes: Sequence[str]
    agent: str = ""

    def urn(self, package: str) -> str:
        return ids.urn(ids.event_id(package, f"rights {self.basis}", self.name))


def _statements(rights: Rights, stamp: Stamp) -> list[_Statement]:
    """Return a statement a basis (PREMIS 3.0, 4.1): licence, copyright, robots, the archive's."""
    found = []
    if rights.licence:
        note = "named by the page, the feed or the blog at capture"
        found.append(_Statement(basis="license", name=rights.licence, notes=[note]))
    if rights.statement:
        found.append(
            _Statement(basis="other", name="copyright statement", notes=[rights.statement])
        )
    if rights.robots:
        found.append(_Statement(basis="other", name="robots directives", notes=rights.robots))
    if stamp.operator.rights:
        agent = _operator(stamp).urn if stamp.operator.label else ""
        notes = [stamp.operator.rights]
        found.append(
            _Statement(basis="other", name="policy of the archive", notes=notes, agent=agent)
        )
    return found


def rights_urns(package: str, rights: Rights, stamp: Stamp) -> list[str]:
    """Return the identifiers of the statements that ``add_rights`` adds."""
    return [statement.urn(package) for statement in _statements(rights, stamp)]


def add_rights(
    root: etree._Element, package: str, rights: Rights, stamp: Stamp, objects: Sequence[str]
) -> None:
    """Add the statements of rights on ``objects``."""
    for statement in _statements(rights, stamp):
        element = _sub(_sub(root, "rights"), "rightsStatement")
        _identifier(element, "rightsStatementIdentifier", statement.urn(package))
        _sub(element, "rightsBasis", statement.basis)
        if statement.basis == "license":
            information = _sub(element, "licenseInformation")
            _identifier(information, "licenseDocumentationIdentifier", statement.name)
        else:
            information = _sub(element, "otherRightsInformation")
            _sub(information, "otherRightsBasis", statement.name)
        name = "licenseNote" if statement.basis == "license" else "otherRightsNote"
        for note in statement.notes:
            _sub(information, name, note)
        for urn in objects:
            _identifier(element, "linkingObjectIdentifier", urn)
        if statement.agent:
            _identifier(element, "linkingAgentIdentifier", statement.agent)
