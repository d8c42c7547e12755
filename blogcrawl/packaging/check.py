"""Check a package by own rules and MARCXML's schema; other XSDs where a folder is given.

Checked: METS root and representations (E-ARK rules that a reader relies on), every link in them
against size and digest of what is there, files that no METS names, MARCXML records, PREMIS objects,
events and agents, the JSON record.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from lxml import etree

from blogcrawl.core.errors import DamagedError, PackagingError
from blogcrawl.packaging import marc, records
from blogcrawl.packaging.layout import BLOG_JSON, MARC_XML, POST_JSON
from blogcrawl.packaging.parts import measure
from blogcrawl.packaging.xmltools import CSIP, MARC, METS, PREMIS, XLINK, XSI, parse

Opener = Callable[[str], BinaryIO]
_M, _P = f"{{{METS}}}", f"{{{PREMIS}}}"
_HREF = f"{{{XLINK}}}href"
_ALGORITHMS = {
    "SHA-512": "sha512",
    "SHA-384": "sha384",
    "SHA-256": "sha256",
    "SHA-1": "sha1",
    "MD5": "md5",
}
"""CHECKSUMTYPE of METS 1.12 -> name in hashlib, which lacks the others (CRC32, TIGER …)."""
_SCHEMAS = {METS: "mets.xsd", PREMIS: "premis-v3.xsd", MARC: "MARC21slim.xsd"}


class Schemas:
    """XSDs of a folder (mets.xsd, premis-v3.xsd, MARC21slim.xsd), loaded when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @functools.cache  # noqa: B019 (a handful of instances per process)
    def _load(self, name: str) -> etree.XMLSchema | None:
        path = self.folder / name
        return etree.XMLSchema(etree.parse(str(path))) if path.exists() else None

    def faults(self, root: etree._Element) -> list[str]:
        """First faults of a document, none where no schema is known for it."""
        name = _SCHEMAS.get(etree.QName(root).namespace or "")
        schema = self._load(name) if name else None
        if schema is None or schema.validate(root):
            return []
        log: Any = schema.error_log
        return [f"{name} line {error.line}: {error.message}" for error in islice(log, 5)]


class Package:
    """A package to check: logical paths and a way to open them."""

    def __init__(
        self,
        paths: Iterable[str],
        opener: Opener,
        schemas: Schemas | None = None,
        digests: Mapping[str, str] | None = None,
    ):
        self.paths, self.opener, self.schemas = set(paths), opener, schemas
        self.digests = digests or {}
        """Known SHA-512 of paths, so that bytes need not be read twice."""
        self.measured: dict[str, str] = {}
        """SHA-512 of the files that were read and whose METS has it."""
        self.named: set[str] = set()
        self.complete = True
        """False once a METS can't be read: nothing is called an orphan then."""
        self.premis = _PremisLinks()

    def check(self) -> list[str]:
        """Return faults, one line each."""
        if "METS.xml" not in self.paths:
            return ["METS.xml is missing"]
        faults = list(self._mets("METS.xml", ""))
        for path in sorted(self.paths):
            if path.startswith("representations/") and path.endswith("/METS.xml"):
                faults += self._mets(path, path[: -len("METS.xml")])
        if self.named and self.complete:
            faults += [
                f"{path} is an orphan: no METS names it"
                for path in sorted(self.paths - self.named - {"METS.xml"})
            ]
        faults += self._contents()
        return faults

    def _root(self, path: str) -> etree._Element | str:
        try:
            with self.opener(path) as stream:
                return parse(stream.read())
        except etree.XMLSyntaxError as error:
            return f"{path} is not well-formed: {error}"

    def _schema(self, path: str, root: etree._Element) -> list[str]:
        return [f"{path}: {fault}" for fault in self.schemas.faults(root)] if self.schemas else []

    def _mets(self, path: str, prefix: str) -> Iterator[str]:
        root = self._root(path)
        if isinstance(root, str) or root.tag != f"{_M}mets":
            self.complete = False
            yield root if isinstance(root, str) else f"{path} is no METS document"
            return
        yield from self._schema(path, root)
        yield from (f"{path}: {fault}" for fault in _mets_rules(root, is_root=not prefix))
        for element in root.iter(f"{_M}mdRef", f"{_M}file"):
            holder = element if element.tag == f"{_M}mdRef" else element.find(f"{_M}FLocat")
            href = holder.get(_HREF) if holder is not None else None
            if href is None:
                yield f"{path}: a file without a link"
                continue
            yield from (f"{path}: {fault}" for fault in self._link(prefix + unquote(href), element))

    def _link(self, target: str, element: etree._Element) -> Iterator[str]:
        if (
            any(step in ("", ".", "..") for step in target.split("/"))
            or ":" in target.split("/")[0]
        ):
            yield f"link {target!r} leads out of the package"
            return
        if target not in self.paths:
            yield f"{target} is named but missing"
            return
        self.named.add(target)
        kind = element.get("CHECKSUMTYPE")
        if kind not in _ALGORITHMS:
            yield f"{target} has a checksum that can't be checked ({kind or 'no CHECKSUMTYPE'})"
            return
        digest, size = self._measure(target, kind)
        if digest != element.get("CHECKSUM", "").lower():
            yield f"{target} has another {kind} digest than the METS says"
        if size is not None and str(size) != element.get("SIZE"):
            yield f"{target} has {size} bytes, the METS says {element.get('SIZE')}"

    def _measure(self, path: str, kind: str) -> tuple[str, int | None]:
        """Return digest, and the size where the file had to be read."""
        if kind == "SHA-512" and path in self.digests:
            return self.digests[path], self._size(path)
        with self.opener(path) as stream:
            digest, size = measure(stream, _ALGORITHMS[kind])
        if kind == "SHA-512":
            self.measured[path] = digest
        return digest, size

    def _size(self, path: str) -> int | None:
        """Return the size of a file of known digest: a wrong length is found without reading."""
        try:
            with self.opener(path) as stream:
                return stream.seek(0, os.SEEK_END)
        except DamagedError:
            return None  # it can't be opened, which the store's own check names

    def _contents(self) -> Iterator[str]:
        for path in sorted(self.paths):
            if path.endswith("/premis.xml"):
                yield from self._xml(path, f"{_P}premis", self.premis.read)
            elif path == MARC_XML:
                yield from self._xml(path, f"{{{MARC}}}collection", _marc_rules)
            elif path in (POST_JSON, BLOG_JSON):
                read = (
                    records.post_from_json if path.endswith("post.json") else records.blog_from_json
                )
                try:
                    with self.opener(path) as stream:
                        read(records.decode(stream.read()))
                except PackagingError as error:
                    yield f"{path}: {error.message}"
        yield from self.premis.unresolved()

    def _xml(
        self, path: str, tag: str, rules: Callable[[etree._Element], Iterable[str]]
    ) -> Iterator[str]:
        root = self._root(path)
        if isinstance(root, str):
            yield root
            return
        if root.tag != tag:
            yield f"{path} is no {etree.QName(tag).localname} document"
            return
        yield from self._schema(path, root)
        yield from (f"{path}: {fault}" for fault in rules(root))


_IDENTIFIERS = (
    "objectIdentifier",
    "eventIdentifier",
    "agentIdentifier",
    "rightsStatementIdentifier",
)
_LINKS = (
    "linkingObjectIdentifier",
    "linkingEventIdentifier",
    "linkingAgentIdentifier",
    "linkingRightsStatementIdentifier",
    "relatedObjectIdentifier",
    "relatedEventIdentifier",
)
"""Elements of PREMIS 3 that identify, and that link to what is identified elsewhere."""
_METS_ATTRIBUTES = (("OBJID", "CSIP1"), ("TYPE", "CSIP2"), ("PROFILE", "CSIP6"))
"""Attributes of the METS root, and the rules that require them."""


def _mets_rules(root: etree._Element, *, is_root: bool) -> Iterator[str]:
    """CSIP and AIP rules, named by their ids."""
    for name, rule in _METS_ATTRIBUTES:
        if not root.get(name):
            yield f"no {name} ({rule})"
    yield from _header_rules(root)
    if root.find(f"{_M}amdSec/{_M}digiprovMD/{_M}mdRef") is None:
        yield "no digiprovMD with mdRef (AIPM5)"
    if is_root and root.find(f"{_M}dmdSec[@STATUS='CURRENT']") is None:
        yield "no current dmdSec (AIPM4)"
    maps = root.findall(f"{_M}structMap[@LABEL='CSIP']")
    if len(maps) != 1 or maps[0].get("TYPE") != "PHYSICAL":
        yield "no single physical structMap labelled CSIP (CSIP80-82)"
    yield from _id_rules(root)


def _header_rules(root: etree._Element) -> Iterator[str]:
    head = root.find(f"{_M}metsHdr")
    if head is None or not head.get("CREATEDATE"):
        yield "no metsHdr with CREATEDATE (CSIP117, CSIP7)"
    elif head.get(f"{{{CSIP}}}OAISPACKAGETYPE") != "AIP":
        yield "OAISPACKAGETYPE is not AIP (AIPM3)"


def _id_rules(root: etree._Element) -> Iterator[str]:
    """IDs are unique, and references lead to one."""
    known = [
        element.get("ID")
        for element in root.iter()
        if isinstance(element.tag, str) and element.get("ID")
    ]
    ids = set(known)
    if len(known) != len(ids):
        yield "an ID occurs twice"
    for element in root.iter(f"{_M}fptr", f"{_M}div"):
        for name in ("FILEID", "ADMID", "DMDID"):
            for wanted in element.get(name, "").split():
                if wanted not in ids:
                    yield f"{name} {wanted} points nowhere"


def _premis_rules(root: etree._Element) -> Iterator[str]:
    """Check identifiers, fixity and format of objects, and the agents of events (AIP15-18)."""
    if root.get("version") != "3.0":
        yield "not PREMIS 3.0"
    for thing in root.iterfind(f"{_P}object"):
        yield from _object_rules(thing)
    agents = {
        e.text for e in root.iterfind(f"{_P}agent/{_P}agentIdentifier/{_P}agentIdentifierValue")
    }
    link = f"{_P}linkingAgentIdentifier/{_P}linkingAgentIdentifierValue"
    for event in root.iterfind(f"{_P}event"):
        linked = {e.text for e in event.iterfind(link)}
        if not linked or not linked <= agents:
            yield f"event {event.findtext(f'{_P}eventType')} names no agent that is described here"


class _PremisLinks:
    """The identifiers of all PREMIS documents of a package, and those that they link to."""

    def __init__(self) -> None:
        self.known: set[str | None] = set()
        self.links: dict[str | None, str] = {}

    def read(self, root: etree._Element) -> Iterator[str]:
        """Note the identifiers of a document; yield its own faults."""
        for name in _IDENTIFIERS:
            self.known.update(e.text for e in root.iter(f"{_P}{name}Value"))
        for name in _LINKS:
            for element in root.iter(f"{_P}{name}"):
                if not _is_part_of(element):
                    self.links.setdefault(element.findtext(f"{_P}{name}Value"), name)
        yield from _premis_rules(root)

    def unresolved(self) -> Iterator[str]:
        """Yield the links that lead to nothing in the package."""
        for value, name in self.links.items():
            if value not in self.known:
                yield f"PREMIS {name} {value} points nowhere"


def _is_part_of(link: etree._Element) -> bool:
    """Return whether it names the package that this one is part of: the blog of a post."""
    above = link.getparent()
    return above is not None and above.findtext(f"{_P}relationshipSubType") == "is part of"


def _object_rules(thing: etree._Element) -> Iterator[str]:
    if thing.find(f"{_P}objectIdentifier") is None:
        yield "an object without identifier"
    if thing.get(f"{{{XSI}}}type", "").endswith("file") and (
        thing.find(f".//{_P}messageDigest") is None or thing.find(f".//{_P}format") is None
    ):
        yield "a file object without fixity or format"


def _marc_rules(root: etree._Element) -> Iterator[str]:
    if len(root) == 0:
        yield "no records"
    try:
        marc.check_collection(root)
    except PackagingError as error:
        yield error.message
