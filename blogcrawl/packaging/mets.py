"""METS 1.12 by E-ARK CSIP 2.2 and AIP 2.2; methods name the rules that they fulfil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from blogcrawl.core.errors import UsageError
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.parts import Part, Stamp
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.xmltools import (
    CSIP,
    METS,
    XLINK,
    XSI,
    clean,
    namespaces,
    parse,
    serialize,
)

AIP_PROFILE = "https://earkdip.dilcis.eu/profile/E-ARK-AIP-v2-2-0.xml"
"""AIPM2, spelled as the profile file itself has it."""
SIP_PROFILE = "https://earksip.dilcis.eu/profile/E-ARK-SIP.xml"
"""SIP2 of version 2.1, which RODA validates by default."""
CONTENT_TYPE = "blog-archive-v1"

_OTHER = {
    f"{{{CSIP}}}CONTENTINFORMATIONTYPE": "OTHER",
    f"{{{CSIP}}}OTHERCONTENTINFORMATIONTYPE": CONTENT_TYPE,
}
_HREF = f"{{{XLINK}}}href"
_TYPE = f"{{{XLINK}}}type"
_TITLE = f"{{{XLINK}}}title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A metadata file named in the METS: ``kind`` is an MDTYPE, ``other`` explains OTHER."""

    part: Part
    kind: str
    other: str = ""


@dataclass(slots=True, kw_only=True)
class Node:
    """A div of the logical structure: a post with its comments. ``urn``: CONTENTIDS."""

    type: str
    label: str
    urn: str
    children: list[Node] = field(default_factory=list)
    path: str | None = None
    """The file that shows it, in the same METS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The content of one METS file. ``groups``: USE -> files; ``prefix`` is cut from paths."""

    objid: str
    label: str
    stamp: Stamp
    descriptions: Sequence[Description] = ()
    preservation: Sequence[Part] = ()
    groups: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    prefix: str = ""
    logical: Node | None = None
    parent_aip: str | None = None
    child_aips: Sequence[str] = ()
    status: str = ""
    """RECORDSTATUS; empty: NEW or REVISED, by the version."""


class _Writer:
    """One METS document being written; ``id`` makes a deterministic xml:id of a name."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.created = rfc3339(sheet.stamp.created)
        self.changed = rfc3339(sheet.stamp.changed)

    def id(self, name: str) -> str:
        return ids.part_id(self.sheet.objid, f"{self.sheet.prefix}|{name}")

    def sub(self, parent: etree._Element, name: str, **attributes: str) -> etree._Element:
        return etree.SubElement(parent, f"{{{METS}}}{name}", attributes)

    def _locate(self, element: etree._Element, path: str) -> None:
        element.set("LOCTYPE", "URL")
        element.set(_TYPE, "simple")
        element.set(_HREF, path[len(self.sheet.prefix) :])

    def _fixity(self, element: etree._Element, part: Part) -> None:
        element.set("MIMETYPE", part.mime)
        element.set("SIZE", str(part.size))
        element.set("CREATED", self.changed)
        element.set("CHECKSUM", part.sha512)
        element.set("CHECKSUMTYPE", "SHA-512")

    def root(self) -> etree._Element:
        """CSIP1-6, AIPM1-2."""
        sheet = self.sheet
        root = etree.Element(
            f"{{{METS}}}mets", nsmap=namespaces(METS, xlink=XLINK, csip=CSIP, xsi=XSI)
        )
        root.set("OBJID", sheet.objid)
        root.set("LABEL", clean(sheet.label))
        root.set("TYPE", "Web Archives")
        root.set("PROFILE", AIP_PROFILE)
        for name, value in _OTHER.items():
            root.set(name, value)
        return root

    def header(self, root: etree._Element) -> None:
        """CSIP7-16, CSIP117, AIPM3."""
        head = self.sub(
            root, "metsHdr", CREATEDATE=self.created, LASTMODDATE=self.changed, RECORDSTATUS="NEW"
        )
        if self.sheet.stamp.version > 1:
            head.set("RECORDSTATUS", "REVISED")
        if self.sheet.status:
            head.set("RECORDSTATUS", self.sheet.status)
        head.set(f"{{{CSIP}}}OAISPACKAGETYPE", "AIP")
        agent = self.sub(head, "agent", ROLE="CREATOR", TYPE="OTHER", OTHERTYPE="SOFTWARE")
        self.sub(agent, "name").text = self.sheet.stamp.software
        note = self.sub(agent, "note")
        note.text = self.sheet.stamp.software_version
        note.set(f"{{{CSIP}}}NOTETYPE", "SOFTWARE VERSION")
        self._organization(head)

    def _organization(self, head: etree._Element) -> None:
        """Name the operator; its identifier and its contact are notes of that agent."""
        operator = self.sheet.stamp.operator
        if not operator.label:
            return
        agent = self.sub(head, "agent", ROLE="ARCHIVIST", TYPE="ORGANIZATION")
        self.sub(agent, "name").text = clean(operator.label)
        if operator.identifier:
            note = self.sub(agent, "note")
            note.text = clean(operator.identifier)
            note.set(f"{{{CSIP}}}NOTETYPE", "IDENTIFICATIONCODE")
        if operator.contact and operator.contact != operator.label:
            self.sub(agent, "note").text = clean(operator.contact)

    def descriptions(self, root: etree._Element) -> list[str]:
        """CSIP17-30: one dmdSec a file, all current (AIPM4)."""
        made = []
        for description in self.sheet.descriptions:
            part = description.part
            made.append(self.id(part.path))
            section = self.sub(root, "dmdSec", ID=made[-1], CREATED=self.changed, STATUS="CURRENT")
            reference = self.sub(section, "mdRef", MDTYPE=description.kind)
            if description.other:
                reference.set("OTHERMDTYPE", description.other)
            self._locate(reference, part.path)
            self._fixity(reference, part)
        return made

    def preservation(self, root: etree._Element) -> list[str]:
        """CSIP31-44, AIPM5-7."""
        section = self.sub(root, "amdSec", ID=self.id("amdSec"))
        made = []
        for part in self.sheet.preservation:
            made.append(self.id(part.path))
            event = self.sub(
                section, "digiprovMD", ID=made[-1], CREATED=self.changed, STATUS="CURRENT"
            )
            reference = self.sub(event, "mdRef", MDTYPE="PREMIS", MDTYPEVERSION="3.0")
            self._locate(reference, part.path)
            self._fixity(reference, part)
        return made

    def files(self, root: etree._Element) -> None:
        """CSIP58-79, CSIP113-114; CSIP62-63 ask for the content type on every group."""
        section = self.sub(root, "fileSec", ID=self.id("fileSec"))
        for use, parts in self.sheet.groups.items():
            group = self.sub(section, "fileGrp", ID=self.id("group " + use), USE=use)
            for name, value in _OTHER.items():
                group.set(name, value)
            for part in parts:
                file = self.sub(group, "file", ID=self.id(part.path))
                self._fixity(file, part)
                if part.origin:
                    file.set("OWNERID", clean(part.origin))
                self._locate(self.sub(file, "FLocat"), part.path)

    def physical(self, root: etree._Element, dmd: Sequence[str], adm: Sequence[str]) -> None:
        """CSIP80-112."""
        mapping = self.sub(
            root, "structMap", ID=self.id("structMap"), TYPE="PHYSICAL", LABEL="CSIP"
        )
        top = self.sub(mapping, "div", ID=self.id("div"), LABEL=self.sheet.objid)
        metadata = self.sub(top, "div", ID=self.id("div Metadata"), LABEL="Metadata")
        if adm:
            metadata.set("ADMID", " ".join(adm))
        if dmd:
            metadata.set("DMDID", " ".join(dmd))
        holder = None
        for use, parts in self.sheet.groups.items():
            if not use.startswith("Representations/"):
                self._pointer(self.sub(top, "div", ID=self.id("div " + use), LABEL=use), use)
                continue
            if holder is None:
                holder = self.sub(
                    top, "div", ID=self.id("div Representations"), LABEL="Representations"
                )
                for each in self.sheet.groups:
                    if each.startswith("Representations/"):
                        self._pointer(holder, each)
            div = self.sub(holder, "div", ID=self.id("div " + use), LABEL=use)
            pointer = self.sub(div, "mptr")
            self._locate(pointer, parts[0].path)
            pointer.set(_TITLE, self.id("group " + use))

    def _pointer(self, div: etree._Element, use: str) -> None:
        self.sub(div, "fptr", FILEID=self.id("group " + use))

    def logical(self, root: etree._Element) -> None:
        """Write the post and its comments as a tree, with the identifiers of the MARC records.

        Only in a representation's METS: E-ARK's rules CSIP81 and 82 as published refuse a second
        structMap in the root's.
        """
        if self.sheet.logical is None:
            return
        mapping = self.sub(
            root, "structMap", ID=self.id("logical"), TYPE="LOGICAL", LABEL="Post and comments"
        )
        stack: list[tuple[etree._Element, Node, int]] = [(mapping, self.sheet.logical, 1)]
        while stack:
            above, node, order = stack.pop()
            div = self.sub(
                above,
                "div",
                ID="uuid-log-" + ids.bare(node.urn),
                ORDER=str(order),
                TYPE=node.type,
                LABEL=clean(node.label),
                CONTENTIDS=node.urn,
            )
            if node.path is not None:
                self.sub(div, "fptr", FILEID=self.id(node.path))
            stack.extend(
                (div, child, i) for i, child in reversed(list(enumerate(node.children, 1)))
            )

    def relatives(self, root: etree._Element) -> None:
        """Write parent and child packages (AIP 2.2, section 3.3)."""
        parents = [self.sheet.parent_aip] if self.sheet.parent_aip else []
        for label, urns in (("parent AIP", parents), ("child AIPs", list(self.sheet.child_aips))):
            if not urns:
                continue
            mapping = self.sub(root, "structMap", ID=self.id(label), LABEL=label)
            top = self.sub(mapping, "div", ID=self.id("div " + label), LABEL=label)
            for urn in urns:
                div = self.sub(top, "div", ID=self.id(f"{label} {urn}"), LABEL="AIP identifier")
                pointer = self.sub(div, "mptr", LOCTYPE="OTHER", OTHERLOCTYPE="UUID")
                pointer.set(_TYPE, "simple")
                pointer.set(_HREF, urn)


def document(sheet: Sheet) -> etree._Element:
    """Make the METS of a package or of one representation in it."""
    writer = _Writer(sheet)
    root = writer.root()
    writer.header(root)
    dmd = writer.descriptions(root)
    adm = writer.preservation(root)
    writer.files(root)
    writer.physical(root, dmd, adm)
    writer.logical(root)
    writer.relatives(root)
    return root


def submission(document: bytes, submitter: Organization) -> bytes:
    """Convert a METS file of an AIP to that of a SIP of the same files (E-ARK SIP 2.1).

    What the archive has as its archivist is the submitting agent there (SIP15-20): an ARCHIVIST of
    a SIP is who made the content, and a CREATOR has to be software (CSIP12-13, as validators read
    them). Raises UsageError if the organization has no name.
    """
    if not submitter.label:
        raise UsageError(
            "a SIP names the organization that submits it", advice="set BLOGCRAWL_ORGANIZATION"
        )
    root = parse(document)
    root.set("PROFILE", SIP_PROFILE)
    (head,) = root.iterfind(f"{{{METS}}}metsHdr")
    head.set(f"{{{CSIP}}}OAISPACKAGETYPE", "SIP")
    if head.get("RECORDSTATUS") == "REVISED":
        head.set("RECORDSTATUS", "REPLACEMENT")
    for agent in head.findall(f"{{{METS}}}agent[@ROLE='ARCHIVIST']"):
        head.remove(agent)
    agent = etree.SubElement(
        head, f"{{{METS}}}agent", ROLE="OTHER", OTHERROLE="SUBMITTER", TYPE="ORGANIZATION"
    )
    etree.SubElement(agent, f"{{{METS}}}name").text = clean(submitter.label)
    if submitter.identifier:
        note = etree.SubElement(agent, f"{{{METS}}}note")
        note.text = clean(submitter.identifier)
        note.set(f"{{{CSIP}}}NOTETYPE", "IDENTIFICATIONCODE")
    return serialize(root)
