"""Text of HTML trees: the one definition of "the text of a node" that every room uses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

BLOCK_TAGS = frozenset(
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form"
    " frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noframes ol "
    "option p pre section summary"
    " table tbody td tfoot th thead tr ul".split()
)
"""Elements that break the line (HTML Living Standard, section 15.3: display block, list-item, table
parts; and br).
"""

SILENT_TAGS = frozenset(
    "script style template noscript head iframe object svg select textarea button "
    "input datalist".split()
)
"""Elements whose text a reader does not see."""


def natural(text: str | None) -> int | None:
    """Return the number that up to 18 ASCII digits write; None for all else.

    ``str.isdigit`` also takes "²", for which ``int`` fails, and ``int`` refuses 4,301 digits.
    """
    return int(text) if text and len(text) <= 18 and text.isascii() and text.isdigit() else None


def stripped(text: str | None) -> str:
    """Return an element's text or tail without the white space around it; "" where it has none."""
    return text.strip() if text else ""


LONG, SPACED = 200, 16
"""Characters from which white space is folded by replacing, and how many of them stand for one pair
of blanks at most: text with more of those (code) has fewer words than it has blanks to replace."""
_WHITE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_WHITE_BEYOND = "".join(c for c in map(chr, range(0x80, 0x3001)) if c.isspace())
"""White space besides the blank, in ASCII and beyond (Unicode, White_Space)."""
_WHITE_IN_CODE = "".join(set(_WHITE) - set("\t\n\r")) + _WHITE_BEYOND


SOFT_HYPHEN = "\u00ad"
"""Where a word may be broken: no text, though engines and authors set it into long words."""
_EDGE = " \u200b\u2060\ufeff"
"""What is no text at the ends of one: themes fill links that only CSS shows (anchors of headings)
with a space without width. Inside a text it is where a line may break.
"""


def squeeze(text: str | None) -> str:
    """Return white space folded to single blanks, ends trimmed (of spaces without width, too), and
    soft hyphens left out."""
    if not text:
        return ""
    if (
        text.isprintable() and "  " not in text
    ):  # of white space only the blank is printable; half the time of what follows
        return text.strip(" ")
    text = text.replace(SOFT_HYPHEN, "")
    if len(text) < LONG or SPACED * text.count("  ") > len(text):
        return " ".join(text.split()).strip(_EDGE)
    for c in _WHITE if text.isascii() else _WHITE + _WHITE_BEYOND:
        if c in text:
            text = text.replace(c, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(_EDGE)


MANY = 16
"""Elements from which on libxslt is worth its start."""
_BREAK, _OPEN, _CLOSE = "\ufdd2", "\ufdd3", "\ufdd4"
"""Noncharacters (Unicode 23.7: free for internal use): a block's edge, and the ends of a ``pre``,
whose white space is kept.
"""
_BLANK, _TAB = "\ufdd0", "\ufdd1"
"""Of the same kind: blanks of a ``pre`` in a line with other white space, which is folded."""
_STYLESHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="SILENT" priority="2"/>
<xsl:template match="BLOCK">EDGE<xsl:apply-templates/>EDGE</xsl:template>
PRE</xsl:stylesheet>"""
_STYLESHEET_PRE = f"""<xsl:template match="pre" priority="1">EDGE<xsl:text>{_OPEN}</xsl:text
><xsl:apply-templates/>
<xsl:text>{_CLOSE}</xsl:text>EDGE</xsl:template>"""


@cache
def _transform(keep_pre: bool) -> etree.XSLT:
    """Return the walk of ``_pieces``, done inside libxslt: about eight times faster than in
    Python."""
    sheet = _STYLESHEET.replace("PRE", _STYLESHEET_PRE if keep_pre else "").replace(
        "EDGE", f"<xsl:text>{_BREAK}</xsl:text>"
    )
    return etree.XSLT(
        etree.XML(
            sheet.replace("SILENT", "|".join(sorted(SILENT_TAGS))).replace(
                "BLOCK", "|".join(sorted(BLOCK_TAGS))
            )
        )
    )


def _marked(element: HtmlElement, *, keep_pre: bool) -> str:
    """Return text with marks for the edges of blocks and, if wanted, for the ends of each
    ``pre``."""
    keep_pre = keep_pre and next(element.iter("pre"), None) is not None
    is_element, pieces = isinstance(element.tag, str), list[str]()
    if is_element and not keep_pre and _few(element, pieces, MANY, _BREAK) >= 0:
        return "".join(pieces)
    is_big = next(islice(element.iterdescendants(), MANY, None), None) is not None
    if is_big and is_element and element.tag not in SILENT_TAGS:
        try:
            return str(_transform(keep_pre)(element))
        except etree.XSLTError:  # nested deeper than libxslt goes (3000 templates)
            pass
    return "".join(_pieces(element, keep_pre=keep_pre))


def _pieces(
    element: HtmlElement, *, keep_pre: bool, without: Collection[HtmlElement] = ()
) -> Iterator[str]:
    """Yield the same in Python, less what ``without`` has inside of the element. Iterative: depth
    of a hostile page is no limit."""
    stack: list[HtmlElement | str] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag
        is_left_out = node is not element and (tag in SILENT_TAGS or node in without)
        if is_left_out or not isinstance(tag, str):
            continue
        before, after = (_BREAK, _BREAK) if tag in BLOCK_TAGS else ("", "")
        if keep_pre and tag == "pre":
            before, after = _BREAK + _OPEN, _CLOSE + _BREAK
        yield before + (node.text or "")
        stack.append(after)
        for child in reversed(node):
            stack += (child.tail or "", child)


BOXES = 4
"""Boxes in boxes that are looked into for the first text, or for all of it."""
_BLOCK, _SILENT = 1, 2
_KINDS: dict[Any, int] = {
    **dict.fromkeys(BLOCK_TAGS, _BLOCK),
    **dict.fromkeys((*SILENT_TAGS, etree.Comment, etree.PI, etree.Entity), _SILENT),
}
"""Of elements by their tags, besides those in a line; of what else stands between them."""


def _few(node: HtmlElement, pieces: list[str], left: int, mark: str = " ") -> int:
    """Return the same for an element with few others inside: how many more it could have had, below
    0 where it has too many. ``mark``: for the edges of blocks.
    """
    edge, append, kinds = node.tag in BLOCK_TAGS, pieces.append, _KINDS
    if edge:
        append(mark)
    if text := node.text:
        append(text)
    for child in node:
        left -= 1
        if left < 0:
            return left
        kind = kinds.get(child.tag, 0)
        if kind != _SILENT:
            if len(child):
                left = _few(child, pieces, left, mark)
            elif text := child.text:
                append(f"{mark}{text}{mark}" if kind else text)
            elif kind:
                append(mark)
        if tail := child.tail:
            append(tail)
    if edge:
        append(mark)
    return left


def node_text(element: HtmlElement) -> str:
    """Return visible text on one line, blocks separated by a blank: what similarity compares."""
    if not len(element):
        return squeeze(element.text) if isinstance(element.tag, str) else ""
    return squeeze(loose_text(element))


def beginning(element: HtmlElement, characters: int, without: Collection[HtmlElement] = ()) -> str:
    """Return so many first characters of ``node_text``; reads no more of the element than it takes,
    and nothing of the elements in it that are in ``without``.
    """
    parts: list[str] = []
    left, gap = characters, False
    for piece in _pieces(element, keep_pre=False, without=without):
        loose = piece.replace(_BREAK, " ")
        if words := squeeze(loose):
            if parts and (gap or loose[0].isspace()):
                words = " " + words
            parts.append(words)
            left -= len(words)
            if left < 0:
                break
            gap = loose[-1].isspace()
        else:
            gap = gap or bool(loose)
    return "".join(parts)[:characters]


def is_longer(element: HtmlElement, characters: int) -> bool:
    """Return whether ``node_text`` has more characters; reads no more than it takes."""
    if _begins_longer(element, characters):
        return True
    pieces: list[str] = []
    if isinstance(element.tag, str) and _few(element, pieces, MANY) >= 0:
        return len(squeeze("".join(pieces))) > characters
    return len(beginning(element, characters + 1)) > characters


def has_more_elements(element: HtmlElement, elements: int) -> bool:
    """Return whether more elements than that are inside; walks no further than it takes."""
    return next(islice(element.iterdescendants(), elements, None), None) is not None


def _begins_longer(element: HtmlElement, characters: int) -> bool:
    """Return whether the first text in the element has more characters: most have so much."""
    if not isinstance(element.tag, str):
        return False
    for _ in range(BOXES):
        if text := element.text:
            return len(text) > characters and len(squeeze(text)) > characters
        if not len(element) or _KINDS.get((element := element[0]).tag) == _SILENT:
            break
    return False


def loose_text(element: HtmlElement) -> str:
    """Return the same with all its white space: enough where only words are wanted."""
    if not isinstance(element.tag, str):
        return ""
    if not len(
        element
    ):  # most of the elements that are asked about; a twentieth of what libxslt takes to start
        return element.text or ""
    pieces: list[str] = []
    if _few(element, pieces, MANY) >= 0:
        return "".join(pieces)
    return _marked(element, keep_pre=False).replace(_BREAK, " ")


SOME = 64
"""Elements up to which one is read anew by ``Texts`` rather than walked with all in it kept: a walk
costs eight times as much an element."""
HELD = 2**20
"""Characters that ``Texts`` keeps at most; what does not fit is read anew when asked for again."""
FEW_HELD = 2**12
"""Characters of one of many ``Texts`` that may be kept until they are needed again."""


def _inmost(box: HtmlElement) -> HtmlElement:
    """Return the element in a box, if it is the only one and there is no text besides, or the one
    in that: they have the same text."""
    for _ in range(BOXES):
        if len(box) != 1 or ((text := box.text) and not text.isspace()):
            break
        child = box[0]
        if ((tail := child.tail) and not tail.isspace()) or _KINDS.get(child.tag) == _SILENT:
            break
        box = child
    return box


class Texts:
    """``node_text`` of many elements of one tree; ``forget`` what changes.

    To call ``node_text`` for each of nested elements takes time quadratic in their depth. Here the
    tree is walked once, and a text is put together from those of the children.
    """

    def __init__(self) -> None:
        self._known: dict[HtmlElement, str] = {}
        """With the blanks that set them off."""
        self._asked: dict[HtmlElement, str] = {}
        """Of elements with few others inside, which are asked about again and again."""
        self._room = HELD

    def of(self, element: HtmlElement) -> str:
        """Return the same as ``node_text(element)``."""
        if not len(element):
            return squeeze(element.text) if isinstance(element.tag, str) else ""
        if (asked := self._asked.get(element)) is not None:
            return asked
        if (known := self._known.get(element)) is not None:
            return known.strip(" ")
        inner = _inmost(element)
        text = self._asked.get(inner)
        if text is None:
            pieces: list[str] = []
            is_around = self._known and any(c in self._known for c in islice(inner, SOME))
            if is_around or _few(inner, pieces, SOME) < 0:
                return self._read(element).strip(" ")
            text = squeeze("".join(pieces))
            if inner is not element and len(text) <= self._room:
                self._room -= len(text)
                self._asked[inner] = text
        if len(text) <= self._room:
            self._room -= len(text)
            self._asked[element] = text
        return text

    @property
    def are_few(self) -> bool:
        """Whether little is kept."""
        return HELD - self._room <= FEW_HELD

    def forget(self, changed: HtmlElement) -> None:
        """Read an element whose own text or children changed anew, and those around it."""
        for element in (changed, *changed.iterancestors()):
            self._known.pop(element, None)
            asked = self._asked.pop(element, None)
            self._room += len(asked or "")

    def _read(self, top: HtmlElement) -> str:
        """Walk an element, and keep the texts of those in it that have children."""
        walker = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
        whole: list[str] = []
        open_ = [whole]
        for event, node in walker:
            if event == "start":
                known = self._known.get(node)
                if known is None and (node is top or node.tag not in SILENT_TAGS):
                    open_.append([node.text or ""])
                else:
                    walker.skip_subtree()
                    open_.append([known or ""])
                continue
            if event == "end":
                open_[-2].append(self._keep(node, open_.pop()))
            if node is not top:
                open_[-1].append(node.tail or "")
        return whole[0]

    def _keep(self, node: HtmlElement, pieces: list[str]) -> str:
        """Return the folded text of an element; a box that adds nothing to its child shares its
        text.
        """
        if not len(node):
            return f" {pieces[0]} " if node.tag in BLOCK_TAGS else pieces[0]
        loose = "".join(pieces)
        text = _with_edges(squeeze(loose), loose, is_block=node.tag in BLOCK_TAGS)
        same = next((piece for piece in pieces if piece == text), None)
        kept = text if same is None else same
        if node.tag not in SILENT_TAGS and len(text) <= self._room:
            self._room -= len(text) if same is None else 0
            self._known[node] = kept
        return kept


def _with_edges(text: str, loose: str, *, is_block: bool) -> str:
    """Return the text with spaces where a block's edge or white space sets it off."""
    before = " " if is_block or loose[:1].isspace() else ""
    after = " " if text and (is_block or loose[-1].isspace()) else ""
    return f"{before}{text}{after}"


def paragraphs(element: HtmlElement) -> str:
    """Return visible text with a line per block; lines of ``pre`` keep their indentation."""
    lines: list[str] = []
    depth = 0
    for n, part in enumerate(_marked(element, keep_pre=True).split(_OPEN)):
        depth += n > 0
        for m, text in enumerate(part.split(_CLOSE)):
            depth -= m > 0
            lines += _code_lines(text) if depth else _lines(text)
    return "\n".join(filter(None, lines))


def _lines(text: str) -> Iterator[str]:
    """Yield the blocks, each squeezed. Most need no more than a look: folding every word's white
    space is half of what text costs.
    """
    for line in text.replace("\n", " ").split(_BREAK):
        if line := line.strip():
            yield (
                line if "  " not in line and line.isprintable() else squeeze(line)
            )  # no white space but the blank prints


def _code_lines(text: str) -> list[str]:
    lines = text.replace("\r", "").replace(_BREAK, "\n").split("\n")
    if any(c in text for c in _WHITE_IN_CODE):
        kept = (line.replace(" ", _BLANK).replace("\t", _TAB) for line in lines)
        lines = [" ".join(line.split()).replace(_BLANK, " ").replace(_TAB, "\t") for line in kept]
    return [line.rstrip(" \t") for line in lines]
