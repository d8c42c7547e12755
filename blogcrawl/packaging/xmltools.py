"""What every XML writer here needs: names, text without forbidden characters, one serialisation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

METS = "http://www.loc.gov/METS/"
XLINK = "http://www.w3.org/1999/xlink"
CSIP = "https://DILCIS.eu/XML/METS/CSIPExtensionMETS"
PREMIS = "http://www.loc.gov/premis/v3"
MARC = "http://www.loc.gov/MARC21/slim"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7f\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Everything outside production [2] Char of XML 1.0 (fifth edition), and the control characters
U+0080 to U+009F, which it discourages and MARC 21 has no place for.
"""
_MEANT = {
    chr(code): bytes([code]).decode("windows-1252")
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
"""What pages mean by them, as HTML reads their numbers ("&#150;")."""


def namespaces(default: str, **prefixes: str) -> Any:
    """Return an ``nsmap`` for lxml; ``default`` is the namespace without prefix."""
    return {None: default, **prefixes}


def clean(text: str) -> str:
    """Replace characters that XML 1.0 can't hold by U+FFFD: visible, not silently gone; control
    characters by those of windows-1252 that are meant.
    """
    if text.isascii() and text.isprintable():
        return text
    return _FORBIDDEN.sub(lambda found: _MEANT.get(found[0], "\ufffd"), text)


def escape(text: str) -> str:
    """Write text for between tags as libxml2 does, forbidden characters replaced."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def sub(
    parent: etree._Element,
    tag: str,
    text: str | None = None,
    attributes: Mapping[str, str] | None = None,
) -> etree._Element:
    """Add a child element; ``text`` and attribute values are cleaned."""
    element = etree.SubElement(parent, tag)
    if attributes:
        for name, value in attributes.items():
            element.set(name, clean(value))
    if text is not None:
        element.text = clean(text)
    return element


def serialize(root: etree._Element) -> bytes:
    """UTF-8 with declaration and indentation; the same tree always gives the same bytes."""
    etree.indent(root, " ")
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def parse(data: bytes) -> etree._Element:
    """Return root of an XML document of ours or of an imported package: no DTD, no entities, no
    network.

    Raises lxml.etree.XMLSyntaxError.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
    )
    return etree.fromstring(data, parser)
