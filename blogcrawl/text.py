"""Text of HTML trees: the one definition of "the text of a node" that every room uses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

BLOCK_TAGS = frozenset(
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noframes ol option p pre section summary"
    " table tbody td tfoot th thead tr ul".split()
)
"""Elements that break the line (HTML Living Standard, section 15.3: display block, list-item, table parts; and br)."""

SILENT_TAGS = frozenset("script style template noscript head iframe object svg select textarea button input datalist".split())
"""Elements whose text a reader does not see."""


def squeeze(text: str | None) -> str:
    """White space folded to single blanks, ends trimmed."""
    return " ".join(text.split()) if text else ""


MANY = 16
"""Elements from which on libxslt is worth its start."""
_BREAK, _BLANK, _TAB = "\ufdd2", "\ufdd0", "\ufdd1"
"""Noncharacters (Unicode 23.7: free for internal use): a block's edge, and white space inside ``pre``, so that folding spares it."""
_KEPT = {ord(" "): _BLANK, ord("\t"): _TAB, ord("\r"): None, ord("\n"): _BREAK}
_STYLESHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="SILENT" priority="2"/>
<xsl:template match="BLOCK">EDGE<xsl:apply-templates/>EDGE</xsl:template>
PRE</xsl:stylesheet>"""
_STYLESHEET_PRE = """<xsl:template match="SILENT" mode="pre" priority="2"/>
<xsl:template match="BLOCK" mode="pre">EDGE<xsl:apply-templates mode="pre"/>EDGE</xsl:template>
<xsl:template match="pre" priority="1">EDGE<xsl:apply-templates mode="pre"/>EDGE</xsl:template>
<xsl:template match="text()" mode="pre"><xsl:value-of select="translate(., ' &#9;&#10;&#13;', '&#xFDD0;&#xFDD1;&#xFDD2;')"/></xsl:template>
"""


@cache
def _transform(keep_pre: bool) -> etree.XSLT:
    """The walk of ``_pieces`` done inside libxslt: about eight times faster than in Python."""
    sheet = _STYLESHEET.replace("PRE", _STYLESHEET_PRE if keep_pre else "").replace("EDGE", f"<xsl:text>{_BREAK}</xsl:text>")
    return etree.XSLT(etree.XML(sheet.replace("SILENT", "|".join(sorted(SILENT_TAGS))).replace("BLOCK", "|".join(sorted(BLOCK_TAGS)))))


def _marked(element: HtmlElement, *, keep_pre: bool) -> str:
    """Text with marks for the edges of blocks and, if wanted, for white space inside ``pre``."""
    if isinstance(element.tag, str) and element.tag not in SILENT_TAGS:
        try:
            return str(_transform(keep_pre)(element))
        except etree.XSLTError:  # nested deeper than libxslt goes (3000 templates)
            pass
    return "".join(_pieces(element, keep_pre=keep_pre))


def _pieces(element: HtmlElement, *, keep_pre: bool) -> Iterator[str]:
    """The same in Python. Iterative: depth of a hostile page is no limit."""
    stack: list[tuple[HtmlElement | None, str, bool]] = [(element, "", False)]
    while stack:
        node, text, keep = stack.pop()
        if node is None:
            yield text
            continue
        tag = node.tag
        if not isinstance(tag, str) or (tag in SILENT_TAGS and node is not element):
            continue
        keep = keep or (keep_pre and tag == "pre")
        if tag in BLOCK_TAGS:
            yield _BREAK
            stack.append((None, _BREAK, True))
        if node.text:
            yield node.text.translate(_KEPT) if keep else node.text
        for child in reversed(node):
            if child.tail:
                stack.append((None, child.tail.translate(_KEPT) if keep else child.tail, True))
            stack.append((child, "", keep))


def node_text(element: HtmlElement) -> str:
    """Visible text on one line, blocks separated by a blank: what similarity compares."""
    if not len(element):  # most of the elements that are asked about; a twentieth of what libxslt takes to start
        return squeeze(element.text) if isinstance(element.tag, str) else ""
    if sum(1 for _ in islice(element.iterdescendants(), MANY)) < MANY:
        return squeeze("".join(_pieces(element, keep_pre=False)).replace(_BREAK, " "))
    return squeeze(_marked(element, keep_pre=False).replace(_BREAK, " "))


def paragraphs(element: HtmlElement) -> str:
    """Visible text with a line per block; lines of ``pre`` keep their indentation."""
    pieces = _marked(element, keep_pre=True).split(_BREAK)
    lines = [squeeze(line).rstrip(_BLANK + _TAB) for line in pieces if line and not line.isspace()]
    text = "\n".join(line for line in lines if line)
    return text.replace(_BLANK, " ").replace(_TAB, "\t") if _BLANK in text or _TAB in text else text
