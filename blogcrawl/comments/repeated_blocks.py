"""Comments in markup that names nothing: what repeats, with a date, below their heading or section.

Either blocks of one kind, or neighbours that take turns (a head, a text), or bylines and texts
without a box of their own, as hand-made pages write them: each of these is put into a box made of
copies."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.announced import read_count, says_none
from blogcrawl.dates.parse import find_date
from blogcrawl.dates.relative import mentions_date
from blogcrawl.lexicon.comment_words import (
    COMMENT_NAMES,
    COMMENT_WORDS,
    MAX_LABEL_WORDS,
    NO_COMMENT,
    is_bare_label,
    is_label,
    names_section,
    tokens,
)
from blogcrawl.text.visible import BLOCK_TAGS, node_text, squeeze

MAX_BYLINE = 120
"""Characters of a line with name and date."""
MAX_PIECES = 4_000
"""Neighbours looked at; the longest flat lists known have some hundreds of comments."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(slots=True)
class Line:
    """What stands between two breaks: one block element, or text and inline elements."""

    pieces: list[HtmlElement | str] = field(default_factory=list)
    mark: tuple[str, str] | None = None
    """Tag and class of the piece with the date, ("", "") for bare text; None: no byline."""

    @property
    def text(self) -> str:
        return squeeze("".join(p if isinstance(p, str) else node_text(p) for p in self.pieces))


def flow_units(
    label: HtmlElement, banned: set[HtmlElement], language: str | None = None
) -> list[list[HtmlElement]]:
    """One made box per comment that stands after ``label`` (the comments' heading) among its
    neighbours; empty where no byline recurs.
    """
    lines = [line for line in _lines(_after(label, banned)) if line.text]
    while (
        len(lines) == 1
        and len(lines[0].pieces) == 1
        and not isinstance(box := lines[0].pieces[0], str)
        and len(box) > 1
    ):
        lines = [
            line for line in _lines(_pieces(box)) if line.text
        ]  # a list or box around all of them
    for line in lines:
        _mark(line, language)
    marks = Counter(line.mark for line in lines if line.mark is not None)
    if not marks:
        return []
    mark = max(marks, key=lambda m: (marks[m], m != ("", "")))
    places = [i for i, line in enumerate(lines) if line.mark == mark]
    alike = (
        sum(_sign(p) == mark for line in lines for p in line.pieces)
        if mark != ("", "")
        else len(places)
    )
    if len(places) < 0.8 * alike:
        return []  # other lines are written the same way: no byline
    before, after = _length(lines[: places[0]]), _length(lines[places[-1] + 1 :])
    if before > after:
        parts = [(lines[i], lines[j + 1 : i]) for j, i in zip([-1, *places], places, strict=False)]
    else:
        parts = [
            (lines[i], lines[i + 1 : j])
            for i, j in zip(places, [*places[1:], len(lines)], strict=True)
        ]
    return [[_box(head, body)] for head, body in parts if _length(body)]


def outermost(label: HtmlElement) -> HtmlElement:
    """The widest element around a label that says nothing else."""
    node, parent = label, label.getparent()
    while (
        parent is not None
        and _ends(node)
        and not squeeze(node.tail)
        and is_label(node_text(parent))
    ):
        node, parent = parent, parent.getparent()
    return node


def _ends(node: HtmlElement) -> bool:
    """Nothing but empty elements comes behind it."""
    return all(
        next(e.iter("form", "img"), None) is None and not node_text(e)
        for e in node.itersiblings()
        if isinstance(e.tag, str)
    )


def _after(label: HtmlElement, banned: set[HtmlElement]) -> Iterator[HtmlElement | str]:
    """What follows the label: its tail and neighbours, of the nearest ancestor that has any, up to
    a form or the next heading.
    """
    node = outermost(label)
    if node.tag in ("body", "html", "td", "th"):
        return
    yield node.tail or ""
    for count, sibling in enumerate(node.itersiblings()):
        if count > MAX_PIECES or sibling.tag == "form":
            return
        if (
            not isinstance(sibling.tag, str)
            or sibling in banned
            or sibling.tag in ("script", "style", "noscript")
        ):
            yield sibling.tail or ""
            continue
        if (
            sibling.tag in _HEADINGS
            and (sibling.tag == label.tag or is_label(node_text(sibling)))
            and find_date(node_text(sibling)) is None
        ):
            return
        yield sibling
        yield sibling.tail or ""


def _pieces(box: HtmlElement) -> Iterator[HtmlElement | str]:
    yield box.text or ""
    for child in box:
        if isinstance(child.tag, str) and child.tag not in ("script", "style", "noscript", "form"):
            yield child
        yield child.tail or ""


def _lines(pieces: Iterator[HtmlElement | str]) -> Iterator[Line]:
    line = Line()
    for piece in pieces:
        if isinstance(piece, str):
            if piece:
                line.pieces.append(piece)
        elif piece.tag in BLOCK_TAGS:
            yield line
            line = Line()
            if piece.tag not in ("br", "hr"):
                yield Line([piece])
        else:
            line.pieces.append(piece)
    yield line


def _sign(piece: HtmlElement | str) -> tuple[str, str]:
    return ("", "") if isinstance(piece, str) else (str(piece.tag), piece.get("class") or "")


def _mark(line: Line, language: str | None) -> None:
    text = line.text
    if len(text) > MAX_BYLINE or not re.search(r"\d", text) or not mentions_date(text, language):
        return
    if any(not isinstance(p, str) and is_teaser(p) for p in line.pieces):
        return
    parts = [(p, squeeze(p if isinstance(p, str) else node_text(p))) for p in line.pieces]
    line.mark = next((_sign(p) for p, own in parts if mentions_date(own, language)), ("", ""))


def _length(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _box(head: Line, body: Sequence[Line]) -> HtmlElement:
    box = lxml.html.Element("div")
    for name, lines in (("comment-meta", [head]), ("comment-body", body)):
        part = lxml.html.Element("div", {"class": name})
        for line in lines:
            whole = (
                len(line.pieces) == 1
                and not isinstance(line.pieces[0], str)
                and name == "comment-body"
            )
            part.append(_copy(line.pieces, "div" if whole else "p"))
        box.append(part)
    return box


def _copy(pieces: Sequence[HtmlElement | str], tag: str) -> HtmlElement:
    out = lxml.html.Element(tag)
    for piece in pieces:
        if not isinstance(piece, str):
            copy = deepcopy(piece)
            copy.tail = None
            out.append(copy)
        elif len(out):
            out[-1].tail = (out[-1].tail or "") + piece
        else:
            out.text = (out.text or "") + piece
    return out


MIN_TITLE, MAX_TITLED = 15, 0.4
"""Characters of a link that may be another page's title; share of a block's text in such links from
which it says little else.
"""


def is_teaser(element: HtmlElement) -> bool:
    """A block of another kind by its name, or one that links to other pages by their titles and
    says little else.
    """
    names = element.get("class")
    if names and NO_COMMENT.search(names) and not COMMENT_NAMES.search(names):
        return True
    titles = 0
    for link in element.iter("a"):
        if "nofollow" in (link.get("rel") or "") or "#" in (link.get("href") or "#"):
            continue
        if len(text := node_text(link)) >= MIN_TITLE and text not in (link.get("href") or ""):
            titles += len(text)
    return titles > 0 and titles > MAX_TITLED * len(node_text(element))


def repeated_blocks(
    root: HtmlElement, banned: set[HtmlElement], sections: Sequence[HtmlElement] = ()
) -> list[list[HtmlElement]]:
    """The elements of each comment below a section or heading: blocks of same tag and classes, most
    with a date inside, those nested in them (replies) too; or, where heads and texts take turns as
    neighbours, a run of them; or boxes made of what stands between bylines. ``sections``: where
    they are known."""
    best: list[HtmlElement] = []
    runs: list[list[HtmlElement]] = []
    labels = [] if sections else _labels(root, banned)
    areas = [neighbours(label) for label in labels]
    areas += [list(section) for section in sections or _sections(root, banned)]
    with_date: set[HtmlElement] = set()
    walked: set[HtmlElement] = set()
    for area in areas:
        for element in area:
            _mark_dated(element, root.get("lang"), with_date, walked)
        for siblings in _sibling_lists(area, banned):
            turns = _taking_turns(siblings)
            if len(turns) > len(runs) and _are_dated(turns, with_date):
                runs = turns
            best = max(best, _dated_group(siblings, with_date), key=len)
    found = (flow_units(label, banned, root.get("lang")) for label in labels)
    flows = max(found, key=len, default=[])
    if len(flows) > max(len(best), len(runs)):
        return flows
    if len(runs) > 1 and len(runs) >= len(best):
        return runs
    return [[e] for e in _with_nested(best, with_date)]


def _sibling_lists(
    area: list[HtmlElement], banned: set[HtmlElement]
) -> Iterator[list[HtmlElement]]:
    """The area itself and the children of each list or box in it, without line breaks and forms."""
    inside = (
        list(parent)
        for element in area
        if isinstance(element.tag, str)
        for parent in element.iter(*_LISTS)
    )
    for children in [area, *islice(inside, MAX_LISTS)]:
        yield [c for c in children if isinstance(c.tag, str) and _may_be_unit(c, banned)]


def _may_be_unit(element: HtmlElement, banned: set[HtmlElement]) -> bool:
    return element not in banned and element.tag not in ("br", "hr", "form")


def _are_dated(runs: list[list[HtmlElement]], with_date: set[HtmlElement]) -> bool:
    """Whether most of the runs hold a date."""
    dated = sum(any(e in with_date for e in run) for run in runs)
    return dated >= MOST_DATED * len(runs)


MAX_LISTS = 200
MOST_DATED = 0.7
"""Share of blocks that hold a date where they are comments."""
_LISTS = ("ol", "ul", "div", "section", "dl", "table", "tbody")


_NO_BOXES = frozenset(
    (
        "h1 h2 h3 h4 h5 h6 a b i u em strong small span font time abbr cite dt label header footer "
        "address"
    ).split()
)
"""What holds a name or a date, not a comment."""


def _dated_group(children: Sequence[HtmlElement], with_date: set[HtmlElement]) -> list[HtmlElement]:
    """The largest group of neighbours of one kind that (nearly) all hold a date."""
    groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
    for child in children:
        if (
            child.tag not in _NO_BOXES
            and (child.tag != "p" or child.find("br") is not None)
            and not is_teaser(child)
        ):
            groups[_signature(child)].append(child)
    best: list[HtmlElement] = []
    for members in groups.values():
        dated = [e for e in members if e in with_date]
        if len(dated) > len(best) and len(dated) >= max(1, MOST_DATED * len(members)):
            best = dated
    return best


def _signature(element: HtmlElement) -> tuple[str, str]:
    return element.tag, " ".join(sorted(tokens(element.get("class"))))


def _taking_turns(children: list[HtmlElement]) -> list[list[HtmlElement]]:
    """Runs of neighbours that repeat in the same order, two to four elements each: a head, a text,
    perhaps a foot.
    """
    marks = [_signature(c) for c in children]
    best: list[list[HtmlElement]] = []
    for size in (2, 3, 4):
        start = 0
        while start + 2 * size <= len(marks):
            unit = marks[start : start + size]
            count = 1
            while marks[start + count * size : start + (count + 1) * size] == unit:
                count += 1
            boxes = any(tag not in _NO_BOXES for tag, _ in unit)
            if count > max(1, len(best)) and len(set(unit)) == size and boxes:
                best = [children[start + i * size : start + (i + 1) * size] for i in range(count)]
            start += max(1, (count - 1) * size) if count > 1 else 1
    return best


def _with_nested(found: list[HtmlElement], with_date: set[HtmlElement]) -> list[HtmlElement]:
    """The blocks and those of their kind inside them: same tag, classes (and more) and first child,
    with a date of their own.
    """
    if not found:
        return []
    kinds = {(e.tag, tokens(e.get("class")), _signature(e[0]) if len(e) else None) for e in found}
    known = set(found)
    out: list[HtmlElement] = []
    for element in found:
        inner = [
            e
            for e in element.iter(element.tag)
            if e in with_date and any(_is_of(e, *kind) for kind in kinds)
        ]
        out += [e for e in inner if e is element or e not in known]
    return out


def _is_of(
    element: HtmlElement, tag: str, names: Sequence[str], first: tuple[str, str] | None
) -> bool:
    own = tokens(element.get("class"))
    alike = own == names or (bool(names) and set(names) < set(own))
    return (
        element.tag == tag and alike and (_signature(element[0]) if len(element) else None) == first
    )


MAX_DATE_LINE = 200
"""Characters of a text that may be a date with a name."""
LINES = 3
"""Pieces of text with which an element begins that may hold the day."""
_DIGITS = re.compile(r"\d")


def _mark_dated(
    section: HtmlElement, language: str | None, out: set[HtmlElement], walked: set[HtmlElement]
) -> None:
    """Add the elements of a section with a date in them to ``out``. Sections overlap: no node is
    read twice.
    """
    if section in walked:
        return
    for node in section.iter(etree.Element):
        if node in walked:
            continue
        walked.add(node)
        pieces = [node.text or "", *(child.tail for child in node if child.tail)]
        if _has_date_attribute(node) or _has_date_text(pieces, language):
            for above in (node, *node.iterancestors()):
                if above in out:
                    break
                out.add(above)


def _has_date_attribute(node: HtmlElement) -> bool:
    title = node.get("title") or ""
    is_time = node.tag == "time" and node.get("datetime") is not None
    return is_time or (8 <= len(title) < 60 and find_date(title) is not None)


def _has_date_text(pieces: Sequence[str], language: str | None) -> bool:
    """Whether the element's own text is a date, or one of its first lines: some pages have name,
    date and text of a comment in one element with line breaks."""
    own = " ".join(pieces)
    return any(
        5 < len(text) < MAX_DATE_LINE
        and _DIGITS.search(text)
        and mentions_date(text.strip(), language)
        for text in ([own] if len(own) < MAX_DATE_LINE else pieces[:LINES])
    )


_HEADED = re.compile(rf"\W{{0,40}}(?:\w{{1,40}}\W{{1,40}})?(?:{COMMENT_WORDS})(?!\w)", re.I)


def _sections(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    out: list[HtmlElement] = []
    for element in root.iter("div", "section", "ol", "ul", "aside", "article", "dl", "table"):
        if element in banned:
            continue
        names = (element.get("id") or "", *(element.get("class") or "").split())
        if any(names_section(n) for n in names if n) or is_label(element.get("aria-label") or ""):
            out.append(element)
    for heading in root.iter("h2", "h3", "h4", "h5"):
        if heading in banned or not _heads_comments(node_text(heading), root):
            continue
        parent = heading.getparent()
        if parent is not None and parent.tag not in ("body", "html") and parent not in banned:
            out.append(parent)
    return out[:MAX_SECTIONS]


def _heads_comments(text: str, root: HtmlElement) -> bool:
    if not 0 < len(text) < MAX_SECTION_HEADING or _is_title(text, root) or says_none(text):
        return False
    return bool(_HEADED.match(text)) or read_count(text) is not None or is_label(text)


MAX_SECTIONS, MAX_SECTION_HEADING = 30, 120


_INLINE_LABELS = tuple(
    "b strong p div span legend font center dt th td caption em i u small summary".split()
)
_MARKED_LABELS = frozenset("b strong font center legend caption th dt summary".split())
"""Such as head something: they may say as much as headings do."""


def _labels(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """Headings, and short texts without such a mark, that say "comments" and little else."""
    headings = root.iter("h1", "h2", "h3", "h4", "h5", "h6")
    out = [
        h
        for h in headings
        if h not in banned
        and is_label(text := node_text(h))
        and not _is_title(text, root)
        and not says_none(text)
    ]
    for element in root.iter(*_INLINE_LABELS):
        text, words = element.text, MAX_LABEL_WORDS if element.tag in _MARKED_LABELS else 2
        if not text or len(text) > 60 or element in banned or not is_label(text, words):
            continue
        if (
            is_label(own := node_text(element), words)
            and not says_none(own)
            and next(element.iterancestors("a", "h1", "h2", "h3", "h4", "h5", "h6"), None) is None
        ):
            out.append(element)
    return out[:30]


def _is_title(text: str, root: HtmlElement) -> bool:
    """A heading that says more than "comments" and that the page's title repeats:
    the post's own.
    """
    return not is_bare_label(text) and text in (root.findtext(".//title") or "")


def neighbours(label: HtmlElement) -> list[HtmlElement]:
    """The elements that follow a label, or the box around it that says nothing else, up to the next
    heading of its kind.
    """
    node = outermost(label)
    if node.tag in ("body", "html", "td", "th"):
        return []
    out = []
    for sibling in node.itersiblings():
        if (
            sibling.tag == label.tag
            and label.tag in ("h1", "h2", "h3", "h4", "h5", "h6")
            and is_label(node_text(sibling))
        ):
            break
        if isinstance(sibling.tag, str):
            out.append(sibling)
    return out
