"""Text of HTML trees: the one definition of "the text of a node" that every room uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

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


LONG, SPACED = 200, 16
"""Characters from which white space is folded by replacing, and how many of them stand for one pair of blanks at most: text with
more of those (code) has fewer words than it has blanks to replace."""
_WHITE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_WHITE_BEYOND = "".join(c for c in map(chr, range(0x80, 0x3001)) if c.isspace())
"""White space besides the blank, in ASCII and beyond (Unicode, White_Space)."""


def squeeze(text: str | None) -> str:
    """White space folded to single blanks, ends trimmed."""
    if not text:
        return ""
    if len(text) < LONG or SPACED * text.count("  ") > len(text):
        return " ".join(text.split())
    for c in _WHITE if text.isascii() else _WHITE + _WHITE_BEYOND:
        if c in text:
            text = text.replace(c, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")


MANY = 16
"""Elements from which on libxslt is worth its start."""
_BREAK, _BLANK, _TAB, _OPEN, _CLOSE = "\ufdd2", "\ufdd0", "\ufdd1", "\ufdd3", "\ufdd4"
"""Noncharacters (Unicode 23.7: free for internal use): a block's edge, white space inside ``pre``, so that folding spares it,
and the ends of a ``pre`` itself."""
_KEPT = {ord(" "): _BLANK, ord("\t"): _TAB, ord("\r"): None, ord("\n"): _BREAK}
_STYLESHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="SILENT" priority="2"/>
<xsl:template match="BLOCK">EDGE<xsl:apply-templates/>EDGE</xsl:template>
PRE</xsl:stylesheet>"""
_STYLESHEET_PRE = f"""<xsl:template match="pre" priority="1">EDGE<xsl:text>{_OPEN}</xsl:text><xsl:apply-templates/>
<xsl:text>{_CLOSE}</xsl:text>EDGE</xsl:template>"""
_PRE = re.compile(f"([{_OPEN}{_CLOSE}])")


@cache
def _transform(keep_pre: bool) -> etree.XSLT:
    """The walk of ``_pieces`` done inside libxslt: about eight times faster than in Python."""
    sheet = _STYLESHEET.replace("PRE", _STYLESHEET_PRE if keep_pre else "").replace("EDGE", f"<xsl:text>{_BREAK}</xsl:text>")
    return etree.XSLT(etree.XML(sheet.replace("SILENT", "|".join(sorted(SILENT_TAGS))).replace("BLOCK", "|".join(sorted(BLOCK_TAGS)))))


def _marked(element: HtmlElement, *, keep_pre: bool) -> str:
    """Text with marks for the edges of blocks and, if wanted, for white space inside ``pre``."""
    keep_pre = keep_pre and next(element.iter("pre"), None) is not None
    if isinstance(element.tag, str) and element.tag not in SILENT_TAGS:
        try:
            text = str(_transform(keep_pre)(element))
            return _kept(text) if keep_pre else text
        except etree.XSLTError:  # nested deeper than libxslt goes (3000 templates)
            pass
    return "".join(_pieces(element, keep_pre=keep_pre))


def _kept(text: str) -> str:
    """White space inside ``pre`` replaced: libxslt's own ``translate`` takes longer than all the rest."""
    pieces, depth = [], 0
    for piece in _PRE.split(text):
        if piece in (_OPEN, _CLOSE):
            depth += 1 if piece == _OPEN else -1
        else:
            pieces.append(piece.replace("\r", "").replace("\n", _BREAK).replace("\t", _TAB).replace(" ", _BLANK) if depth else piece)
    return "".join(pieces)


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


def _few(node: HtmlElement, pieces: list[str], left: int) -> int:
    """The same for an element with few others inside: how many more it could have had, below 0 where it has too many."""
    edge = node.tag in BLOCK_TAGS
    if edge:
        pieces.append(" ")
    if node.text:
        pieces.append(node.text)
    for child in node:
        left -= 1
        if isinstance(child.tag, str) and child.tag not in SILENT_TAGS and left >= 0:
            left = _few(child, pieces, left)
        if left < 0:
            return left
        if child.tail:
            pieces.append(child.tail)
    if edge:
        pieces.append(" ")
    return left


def node_text(element: HtmlElement) -> str:
    """Visible text on one line, blocks separated by a blank: what similarity compares."""
    if not isinstance(element.tag, str):
        return ""
    if not len(element):  # most of the elements that are asked about; a twentieth of what libxslt takes to start
        return squeeze(element.text)
    pieces: list[str] = []
    if _few(element, pieces, MANY) >= 0:
        return squeeze("".join(pieces))
    return squeeze(_marked(element, keep_pre=False).replace(_BREAK, " "))


def paragraphs(element: HtmlElement) -> str:
    """Visible text with a line per block; lines of ``pre`` keep their indentation."""
    text = _marked(element, keep_pre=True)
    lines = [" ".join(line.split()) for line in text.split(_BREAK)]
    if _BLANK in text or _TAB in text:
        return "\n".join(filter(None, (line.rstrip(_BLANK + _TAB) for line in lines))).replace(_BLANK, " ").replace(_TAB, "\t")
    return "\n".join(filter(None, lines))
