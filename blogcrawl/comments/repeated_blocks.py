"""Comments in markup that names nothing: what repeats, with a date, below their heading or section.

Either blocks of one kind, or neighbours that take turns (a head, a text), or bylines and texts
without a box of their own, as hand-made pages write them: each of these is put into a box made of
copies."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise, takewhile
from types import MappingProxyType
from typing import TypeVar

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.announced import read_count, says_none
from blogcrawl.comments.author import bare_name, before_date
from blogcrawl.core.bounds import MAX_ELEMENTS, MAX_TRIED
from blogcrawl.core.evidence import MOST, NEAR
from blogcrawl.dates.parse import find_date, with_weekday
from blogcrawl.dates.relative import mentions_date
from blogcrawl.lexicon.comment_words import (
    COMMENT_NAMES,
    COMMENT_WORDS,
    MAX_LABEL_WORDS,
    NO_COMMENT,
    UNIT_ID,
    heads_latest,
    is_bare_label,
    is_label,
    names_comments,
    names_section,
    tokens,
)
from blogcrawl.text.lengths import MAX_BYLINE, MAX_CONTROL, MAX_LINE, MAX_TITLE
from blogcrawl.text.visible import BLOCK_TAGS, Texts, node_text, squeeze

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
    lines = _lines_after(label, banned)
    for line in lines:
        _mark(line, language)
    places = _bylines(lines, language)
    if not places:
        return []
    first, last = _length(lines[: places[0]]), _length(lines[places[-1] + 1 :])
    above = int(last > 0 and _are_named_above(places, lines, language))
    is_below = not above and first > last
    ends = [-1, *places] if is_below else [*places, len(lines) + above]
    texts = (lines[i + 1 : j - above] for i, j in pairwise(ends))
    pairs = ((lines[at - above : at + 1], text) for at, text in zip(places, texts, strict=True))
    return [[_box(byline, text)] for byline, text in pairs if _length(text)]


def _are_named_above(places: Sequence[int], lines: Sequence[Line], language: str | None) -> bool:
    """Return whether the bylines say no more than when, each below a line with nothing but a
    name."""
    ends = pairwise([-1, *places])
    return all(
        at - last > 1 + (last >= 0)
        and bare_name(lines[at - 1].text) is not None
        and _is_date_only(lines[at].text, language)
        for last, at in ends
    )


def _is_date_only(text: str, language: str | None) -> bool:
    found = find_date(text, language)
    if found is None:
        return False
    start, end = with_weekday(text, found).span
    return not any(map(str.isalnum, text[:start] + text[end:]))


def _lines_after(label: HtmlElement, banned: set[HtmlElement]) -> list[Line]:
    """Return the lines with text after the label, those in the list or box around all of them."""
    lines = [line for line in _lines(_after(label, banned)) if line.text]
    while (box := _only_box(lines)) is not None:
        lines = [line for line in _lines(_pieces(box)) if line.text]
    return lines


def _only_box(lines: Sequence[Line]) -> HtmlElement | None:
    pieces = lines[0].pieces if len(lines) == 1 else []
    box = pieces[0] if len(pieces) == 1 else None
    return None if box is None or isinstance(box, str) or len(box) < 2 else box


def _bylines(lines: Sequence[Line], language: str | None) -> list[int]:
    """Return where the lines with a date stand that come back in the same markup; none where other
    lines are written the same way."""
    marks = Counter(line.mark for line in lines if line.mark is not None)
    if not marks:
        return []
    mark = max(marks, key=lambda m: (marks[m], m != ("", "")))
    places = [i for i, line in enumerate(lines) if line.mark == mark]
    if mark[1]:  # what follows the last one is no comment: "Next entry" in the bylines' class
        lines = lines[: places[-1] + 1]
    if mark == ("", "") or _are_most(places, lines, _sign, {mark}):
        return places
    inside = {_wrapping(p) for i in places for p in lines[i].pieces if _sign(p) == mark}
    is_sure = len(inside) == 1 and _are_most(places, lines, _wrapping, inside)
    return places if is_sure or _close_texts(places, lines, language) else []


def _close_texts(places: Sequence[int], lines: Sequence[Line], language: str | None) -> bool:
    """Return whether lines that end with their date stand each behind a text, the last of them at
    the end, or each before one: then they need no markup of their own."""
    is_below = places[-1] == len(lines) - 1
    ends = [-1, *places] if is_below else [*places, len(lines)]
    is_in_turn = all(at > last + 1 for last, at in pairwise(ends))
    is_edge = is_below or places[0] == 0
    return is_edge and is_in_turn and all(_ends_dated(lines[i].text, language) for i in places)


def _ends_dated(text: str, language: str | None) -> bool:
    """Return whether a line has a date at its end, and letters before it."""
    found = find_date(text, language)
    if found is None or any(map(str.isalnum, text[found.span[1] :])):
        return False
    return any(map(str.isalpha, text[: found.span[0]]))


def _are_most(
    places: Sequence[int],
    lines: Sequence[Line],
    sign: Callable[[HtmlElement | str], tuple[str, ...]],
    marks: set[tuple[str, ...]],
) -> bool:
    """Return whether hardly anything but the lines at ``places`` is written with these marks."""
    return len(places) >= MOST * sum(sign(p) in marks for line in lines for p in line.pieces)


def outermost(label: HtmlElement) -> HtmlElement:
    """Return the widest element around a label that says nothing else. The text of an element is
    read only where it has more than the one inside: boxes may be nested two thousand deep.
    """
    node, text = label, node_text(label)
    while (parent := node.getparent()) is not None and _ends(node) and not squeeze(node.tail):
        text = text if _begins(node) else node_text(parent)
        if not is_label(text):
            break
        node = parent
    return node


def _begins(node: HtmlElement) -> bool:
    """No text of its parent comes before it."""
    before = list(node.itersiblings(preceding=True))
    return (
        not squeeze(node.getparent().text)
        and not any(squeeze(e.tail) for e in before)
        and not any(node_text(e) for e in before if isinstance(e.tag, str))
    )


def _ends(node: HtmlElement) -> bool:
    """Nothing but empty elements comes behind it."""
    return all(
        next(e.iter("form", "img"), None) is None and not node_text(e)
        for e in node.itersiblings()
        if isinstance(e.tag, str)
    )


_UNSEEN = ("script", "style", "noscript")


def _after(label: HtmlElement, banned: set[HtmlElement]) -> Iterator[HtmlElement | str]:
    """Yield what follows the label: its tail and neighbours, of the nearest ancestor that has any,
    up to a form or the next heading.
    """
    node = outermost(label)
    if node.tag in ("body", "html", "td", "th"):
        return
    yield node.tail or ""
    for sibling in islice(node.itersiblings(), MAX_ELEMENTS + 1):
        if sibling.tag == "form" or (sibling not in banned and _heads_next(sibling, label)):
            return
        if sibling not in banned and _is_seen(sibling):
            yield sibling
        yield sibling.tail or ""


def _is_seen(element: HtmlElement) -> bool:
    return isinstance(element.tag, str) and element.tag not in _UNSEEN


def _heads_next(element: HtmlElement, label: HtmlElement) -> bool:
    """Return whether an element is a heading like the label, another label of comments or their
    form, or a line in bold right above a form, and no byline."""
    if element.tag not in _HEADINGS:
        return _is_bold_line(element) and _is_form(next(element.itersiblings(etree.Element), None))
    if find_date(node_text(element)) is not None:
        return False
    return element.tag == label.tag or names_comments(node_text(element))


def _is_bold_line(element: HtmlElement) -> bool:
    """Return whether a paragraph is a short line in bold without a date."""
    text = node_text(element)
    is_bold = len(element) == 1 and element[0].tag in ("b", "strong") and _holds_all(element)
    return is_bold and len(text) <= MAX_LINE and find_date(text) is None


def _is_form(element: HtmlElement | None) -> bool:
    return element is not None and element.tag == "form"


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
    return ("", "") if isinstance(piece, str) else (str(piece.tag), _look(piece))


def _look(element: HtmlElement) -> str:
    """Return the class of an element, or the colour of it or of a row's only cell: what pages had
    before style sheets."""
    own = element.get("class") or element.get("bgcolor") or ""
    return _look(element[0]) if not own and element.tag == "tr" and len(element) == 1 else own


def _wrapping(piece: HtmlElement | str) -> tuple[str, ...]:
    """Return tag and class of an element and of those inside that have all of its text."""
    out: tuple[str, ...] = _sign(piece)
    while not isinstance(piece, str) and len(piece) == 1 and _holds_all(piece):
        piece = piece[0]
        out += _sign(piece)
    return out


def _holds_all(element: HtmlElement) -> bool:
    """Return whether an element's text is all in its only child, that of a byline in italics."""
    return not squeeze(element.text) and not squeeze(element[0].tail)


def _mark(line: Line, language: str | None) -> None:
    text = line.text
    if len(text) > MAX_LINE or not re.search(r"\d", text) or not mentions_date(text, language):
        return
    if not any(is_teaser(piece) for piece in line.pieces if not isinstance(piece, str)):
        dated = (p for p in line.pieces if mentions_date(_text_of(p), language))
        line.mark = next(map(_sign, dated), ("", ""))


def _text_of(piece: HtmlElement | str) -> str:
    return squeeze(piece if isinstance(piece, str) else node_text(piece))


def _length(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _box(head: Sequence[Line], body: Sequence[Line]) -> HtmlElement:
    box = lxml.html.Element("div")
    for name, lines in (("comment-meta", head), ("comment-body", body)):
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


def is_teaser(element: HtmlElement, read: Titles | None = None) -> bool:
    """A block of another kind by its name, or one that links to other pages by their titles and
    says little else. ``read``: what was read of the same tree, where boxes in boxes are asked
    about.
    """
    names = element.get("class")
    named = f"{names} {element.get('id')}"
    if names and NO_COMMENT.search(names) and not COMMENT_NAMES.search(named):
        return True
    read = Titles() if read is None else read
    titles = sum(map(read.of, element.iter("a")))
    return titles > 0 and titles > MAX_TITLED * len(read.texts.of(element))


class Titles:
    """What was read of a tree that does not change: each link once, texts of boxes in boxes."""

    def __init__(self) -> None:
        self.texts = Texts()
        self._lengths: dict[HtmlElement, int] = {}

    def of(self, link: HtmlElement) -> int:
        """Return the same as ``_title_length``."""
        known = self._lengths.get(link)
        if known is None:
            known = self._lengths[link] = _title_length(link)
        return known


def _title_length(link: HtmlElement) -> int:
    """Return characters of a link that is another page's title; 0 for other links."""
    href = link.get("href") or ""
    if not href or "#" in href or "nofollow" in (link.get("rel") or ""):
        return 0
    text = node_text(link)
    return len(text) if len(text) >= MIN_TITLE and text not in href else 0


def repeated_blocks(
    root: HtmlElement, banned: set[HtmlElement], sections: Sequence[HtmlElement] = ()
) -> list[list[HtmlElement]]:
    """Return the elements of each comment below a section or heading: blocks of same tag and
    classes, most with a date inside, those nested in them (replies) too; or, where heads and texts
    take turns as neighbours, a run of them; or boxes made of what stands between bylines.
    ``sections``: where they are known."""
    labels = [] if sections else _labels(root, banned)
    sections = sections or _sections(root, banned)
    areas = [*map(neighbours, labels), *map(list, sections)]
    with_date = _dated_elements(areas, root.get("lang"))
    lists = list(chain.from_iterable(_sibling_lists(area, banned) for area in areas))
    read = Titles()
    blocks = _largest(_dated_group(each, with_date, read) for each in lists)
    turns = _largest(_dated_turns(each, with_date) for each in lists)
    flows = _largest(flow_units(label, banned, root.get("lang")) for label in labels)
    texts = [] if flows and all(map(_is_byline, blocks)) else blocks
    if len(flows) > max(len(texts), len(turns)):
        return flows
    if len(turns) >= max(2, len(blocks)):
        return turns
    if not blocks and not sections:
        return behind_forms(root, banned)
    return [[e] for e in _with_nested(blocks, with_date)]


def behind_forms(root: HtmlElement, banned: set[HtmlElement]) -> list[list[HtmlElement]]:
    """Return the comments that stand behind the form to write one and name nothing: blocks as those
    below a label, each of which begins with a name."""
    areas = [list(_form_box(form).itersiblings(etree.Element)) for form in _comment_forms(root)]
    with_date, read = _dated_elements(areas, root.get("lang")), Titles()
    lists = ([c for c in area if _may_be_unit(c, banned)] for area in areas)
    found = _largest(_dated_group(each, with_date, read) for each in lists)
    blocks = _with_nested(found, with_date)
    return [[block] for block in blocks] if _begin_with_names(blocks, root) else []


def _comment_forms(root: HtmlElement) -> list[HtmlElement]:
    """Return the forms in which readers write a text."""
    forms = (form for form in root.iter("form") if form.find(".//textarea") is not None)
    return list(islice(forms, MAX_TRIED))


def _begin_with_names(blocks: Sequence[HtmlElement], root: HtmlElement) -> bool:
    inside = set(chain.from_iterable(block.iter() for block in blocks))
    own = {"", *(_host(link) for link in root.iter("a") if link not in inside)}
    return all(_begins_with_name(block, own) for block in blocks)


def _form_box(form: HtmlElement) -> HtmlElement:
    """Return the widest element around a form that says nothing else but what it is for."""
    node, length = form, len(node_text(form)) + MAX_CONTROL
    while (parent := node.getparent()) is not None and parent.tag not in _PAGE_BOXES:
        if len(node_text(parent)) > length:
            break
        node = parent
    return node


_PAGE_BOXES = ("body", "html", "td", "th")
_NAME_TAGS = ("h2", "h3", "h4", "h5", "h6", "b", "strong", "cite", "dt")


def _begins_with_name(block: HtmlElement, own: set[str]) -> bool:
    """Return whether the first words of a block are a name in bold or a heading, perhaps with a
    date, and others follow. ``own``: hosts to which the page links elsewhere; where the name leads
    there it is another post's title."""
    line = next(block.iter(*_NAME_TAGS), None)
    if line is None or any(_host(link) in own for link in line.iter("a") if _leads_away(link)):
        return False
    text, whole = node_text(line), node_text(block)
    is_first = whole.startswith(text) and len(whole) > len(text)
    return is_first and bare_name(before_date(text)) is not None


def _leads_away(link: HtmlElement) -> bool:
    """Return whether a link leads to another page."""
    return not link.get("href", "#").startswith("#")


def _host(link: HtmlElement) -> str:
    """Return the host that a link leads to; "" for the page's own."""
    return (link.get("href") or "").partition("//")[2].partition("/")[0]


def _is_byline(block: HtmlElement) -> bool:
    """Return whether a block is one short line."""
    inner = (each.tag in BLOCK_TAGS for each in block.iterdescendants(etree.Element))
    return not any(inner) and len(node_text(block)) <= MAX_BYLINE


T = TypeVar("T")


def _largest(groups: Iterable[list[T]]) -> list[T]:
    return max(groups, key=len, default=[])


def _sibling_lists(
    area: list[HtmlElement], banned: set[HtmlElement]
) -> Iterator[list[HtmlElement]]:
    """Yield the area itself and the children of each list or box in it, without line breaks and
    forms."""
    inside = (
        list(parent)
        for element in area
        if isinstance(element.tag, str)
        for parent in element.iter(*_LISTS)
    )
    for children in [area, *islice(inside, MAX_LISTS)]:
        yield [c for c in children if isinstance(c.tag, str) and _may_be_unit(c, banned)]


def _may_be_unit(element: HtmlElement, banned: set[HtmlElement]) -> bool:
    """Return whether an element may be a comment: what readers write in is none, nor what is left
    of it without its form."""
    if element in banned or element.tag in ("br", "hr", "form") or _is_empty(element):
        return False
    fields = element.iter("textarea", "input") if len(element) else ()
    return not any((field.get("type") or "text").lower() == "text" for field in fields)


def _is_empty(element: HtmlElement) -> bool:
    """Return whether an element shows nothing."""
    has_text = any(not text.isspace() for text in element.itertext())
    return not has_text and element.tag != "img" and next(element.iter("img"), None) is None


def _are_dated(runs: list[list[HtmlElement]], with_date: set[HtmlElement]) -> bool:
    """Return whether most of the runs hold a date."""
    dated = sum(any(e in with_date for e in run) for run in runs)
    return dated >= MOST * len(runs)


MAX_LISTS = 200
_LISTS = ("ol", "ul", "div", "section", "dl", "table", "tbody", "td")


_NO_BOXES = frozenset(
    (
        "h1 h2 h3 h4 h5 h6 a b i u em strong small span font time abbr cite dt label header footer "
        "address"
    ).split()
)
"""What holds a name or a date, not a comment."""


def _dated_group(
    children: Sequence[HtmlElement], with_date: set[HtmlElement], read: Titles
) -> list[HtmlElement]:
    """Return the largest group of neighbours of one kind that (nearly) all hold a date."""
    groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
    kinds: dict[tuple[tuple[str, str], ...], tuple[str, str]] = {}
    labels = Counter(child.get("class", "") for child in children)
    for child in children:
        if _is_box(child, read):
            kind, parts = _kind(child, labels), named_parts(child)
            groups[kinds.setdefault(parts, kind) if len(parts) > 1 else kind].append(child)
    best: list[HtmlElement] = []
    for members in groups.values():
        dated = [e for e in members if e in with_date]
        if len(dated) > len(best) and len(dated) >= max(1, MOST * len(members)):
            best = dated
    return best


def _kind(
    element: HtmlElement, labels: Mapping[str, int] = MappingProxyType({})
) -> tuple[str, str]:
    """Return what neighbours of one kind have in common: numbers behind the same word, a list, else
    their classes. Those of every other one, and of the author's, differ from the rest. ``labels``:
    how many have each class attribute; one that is but a number ("c68227") counts if several do."""
    if numbered := _is_numbered(element):
        return element.tag, f"#{numbered['pre']}"
    if element.tag == "li":
        return element.tag, ""
    tag, names = _signature(element)
    label = element.get("class", "")
    return tag, names or (label if labels.get(label, 0) > 1 else "")


Parts = tuple[tuple[str, str], ...]


def named_parts(element: HtmlElement) -> Parts:
    """Return tag and classes of each child that has any: the same in every comment of a page, also
    where comments take turns in two classes, or replies have one of their own."""
    return tuple(mark for mark in map(_signature, element.iterchildren(etree.Element)) if mark[1])


def _is_numbered(element: HtmlElement) -> re.Match[str] | None:
    """Return the match if the element's id is a number behind a word, whatever that is."""
    number = element.get("id") or ""
    return UNIT_ID.match(number) or _NUMBERED.match(number)


_NUMBERED = re.compile(r"(?P<pre>.{0,60}?)\d++$")


def _is_box(element: HtmlElement, read: Titles) -> bool:
    """Return whether an element may hold a comment; a paragraph only where it has lines."""
    is_line = element.tag == "p" and element.find("br") is None
    return element.tag not in _NO_BOXES and not is_line and not is_teaser(element, read)


def _signature(element: HtmlElement) -> tuple[str, str]:
    return element.tag, " ".join(sorted(tokens(element.get("class"))))


def _shape(element: HtmlElement) -> tuple[str, str]:
    """Tag and classes; of a table's row without classes, the number of its cells. Terms and their
    definitions take turns whatever their classes: every other pair may have one of its own."""
    tag, names = _signature(element)
    if tag in ("dt", "dd"):
        return tag, ""
    return tag, names or (str(len(element)) if tag == "tr" else "")


def _taking_turns(children: list[HtmlElement]) -> list[list[HtmlElement]]:
    """Return runs of neighbours that repeat in the same order, two to four elements each: a head, a
    text, perhaps a foot.
    """
    marks = [_shape(c) for c in children]
    best: list[list[HtmlElement]] = []
    for size in (2, 3, 4):
        start = 0
        while start + 2 * size <= len(marks):
            unit = marks[start : start + size]
            count = _repeats(marks, start, size)
            if count > max(1, len(best)) and unit.count(unit[0]) == 1 and _holds_box(unit):
                best = [children[start + i * size : start + (i + 1) * size] for i in range(count)]
            start += max(1, (count - 1) * size) if count > 1 else 1
    return best


def _dated_turns(
    children: list[HtmlElement], with_date: set[HtmlElement]
) -> list[list[HtmlElement]]:
    runs = _taking_turns(children)
    return runs if _are_dated(runs, with_date) else []


def _repeats(marks: Sequence[tuple[str, str]], start: int, size: int) -> int:
    """Return how often the ``size`` marks from ``start`` on stand there one after the other."""
    unit, count = marks[start : start + size], 1
    while marks[start + count * size : start + (count + 1) * size] == unit:
        count += 1
    return count


def _holds_box(marks: Sequence[tuple[str, str]]) -> bool:
    return any(tag not in _NO_BOXES for tag, _ in marks)


def _with_nested(found: list[HtmlElement], with_date: set[HtmlElement]) -> list[HtmlElement]:
    """Return the blocks and those of their kind inside them, with a date of their own."""
    is_alike = _likeness(found)
    known = set(found)
    out: list[HtmlElement] = []
    for element in found:
        for inner in element.iter(element.tag):
            is_new = inner is element or inner not in known
            if is_new and inner in with_date and is_alike(inner):
                out.append(inner)
    return out


def _likeness(found: Sequence[HtmlElement]) -> Callable[[HtmlElement], bool]:
    """Return a test for elements of the same kind: same tag, classes (and more) and first child,
    numbers behind the same word, or the same named parts, without those of answers."""
    numbered = {_kind(e) for e in found} if all(map(_is_numbered, found)) else set()
    kinds = {(e.tag, tokens(e.get("class")), _first_of(e)) for e in found}
    makes = set(map(named_parts, found))
    return lambda e: (
        _kind(e) in numbered
        or any(_is_of(e, *kind) for kind in kinds)
        or _is_made_so(named_parts(e), makes)
    )


def _is_made_so(parts: Parts, makes: Collection[Parts]) -> bool:
    return len(parts) > 1 and any(make[: len(parts)] == parts for make in makes)


def _first_of(element: HtmlElement) -> tuple[str, str] | None:
    return _signature(element[0]) if len(element) else None


def _is_of(
    element: HtmlElement, tag: str, names: Sequence[str], first: tuple[str, str] | None
) -> bool:
    own = tokens(element.get("class"))
    alike = own == names or (bool(names) and set(names) < set(own))
    return element.tag == tag and alike and _first_of(element) == first


_DIGITS = re.compile(r"\d")


def _dated_elements(
    areas: Sequence[Sequence[HtmlElement]], language: str | None
) -> set[HtmlElement]:
    """Return the elements of the areas with a date in them. Areas overlap: no node is read
    twice."""
    out: set[HtmlElement] = set()
    walked: set[HtmlElement] = set()
    for top in chain.from_iterable(areas):
        for node in () if top in walked else top.iter(etree.Element):
            if node in walked:
                continue
            walked.add(node)
            if _is_dated(node, language):
                out.update(takewhile(lambda e: e not in out, (node, *node.iterancestors())))
    return out


def _is_dated(node: HtmlElement, language: str | None) -> bool:
    if _has_date_attribute(node):
        return True
    return _has_date_text([node.text or "", *(c.tail for c in node if c.tail)], language)


def _has_date_attribute(node: HtmlElement) -> bool:
    title = node.get("title") or ""
    is_time = node.tag == "time" and node.get("datetime") is not None
    return is_time or (8 <= len(title) < 60 and find_date(title) is not None)


def _has_date_text(pieces: Sequence[str], language: str | None) -> bool:
    """Return whether the element's own text is a date, or one of its first lines: some pages have
    name, date and text of a comment in one element with line breaks."""
    own = " ".join(pieces)
    lines = [own] if len(own) < MAX_TITLE else pieces[:NEAR]
    return any(
        5 < len(line) < MAX_TITLE and _DIGITS.search(line) and mentions_date(line.strip(), language)
        for line in lines
    )


_HEADED = re.compile(rf"\W{{0,40}}(?:\w{{1,40}}\W{{1,40}})?(?:{COMMENT_WORDS})(?!\w)", re.I)


def _sections(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """Return boxes that are named as comments, and those around headings that speak of them."""
    boxes = root.iter("div", "section", "ol", "ul", "aside", "article", "dl", "table")
    named = [box for box in boxes if box not in banned and _is_section(box)]
    headings = (h for h in root.iter("h2", "h3", "h4", "h5") if h not in banned)
    above = (h.getparent() for h in headings if _heads_comments(node_text(h), root))
    around = [box for box in above if not _is_page_or(box, banned)]
    return [*named, *around][:MAX_TRIED]


def _is_page_or(box: HtmlElement, banned: set[HtmlElement]) -> bool:
    return box in banned or box.tag in ("body", "html")


def _is_section(box: HtmlElement) -> bool:
    names = (box.get("id") or "", *(box.get("class") or "").split())
    return any(names_section(n) for n in names if n) or is_label(box.get("aria-label") or "")


def _heads_comments(text: str, root: HtmlElement) -> bool:
    if not 0 < len(text) < MAX_LINE or _is_title(text, root) or says_none(text):
        return False
    if heads_latest(text):
        return False
    return bool(_HEADED.match(text)) or read_count(text) is not None or is_label(text)


_INLINE_LABELS = tuple(
    "b strong p div span legend font center dt th td caption em i u small summary".split()
)
_MARKED_LABELS = frozenset("b strong font center legend caption th dt summary".split())
"""Such as head something: they may say as much as headings do."""


def _labels(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """Return headings, and short texts without such a mark, that say "comments" and little else,
    and empty anchors of that name."""
    headings = (h for h in root.iter(*_HEADINGS) if h not in banned and _is_heading_label(h, root))
    named = title_words(root.findtext(".//title") or "")
    elements = (e for e in root.iter(*_INLINE_LABELS) if e not in banned)
    inline = (e for e in elements if _is_inline_label(e, named))
    anchors = (a for a in root.iter("a") if a not in banned and is_anchor_of_comments(a))
    return list(islice(chain(headings, inline, anchors), MAX_TRIED))


def is_anchor_of_comments(link: HtmlElement) -> bool:
    """Return whether an element is but the place on a page to which links to its comments lead."""
    name = link.get("name") or link.get("id") or ""
    is_empty = link.get("href") is None and not node_text(link)
    return bool(name) and is_empty and names_section(name)


def _is_heading_label(heading: HtmlElement, root: HtmlElement) -> bool:
    """Return whether a heading says "comments", perhaps how many and on which post."""
    text = node_text(heading)
    if is_label(text):
        return not _is_title(text, root) and not says_none(text)
    return _heads_comments(text, root)


def _is_inline_label(element: HtmlElement, named: Sequence[str]) -> bool:
    words = MAX_LABEL_WORDS if element.tag in _MARKED_LABELS else 2
    text = element.text or ""
    text = without_title(text, named) if len(text) <= MAX_TITLE else ""
    if not text or len(text) > MAX_BYLINE or not is_label(text, words):
        return False
    own = without_title(node_text(element), named)
    if not is_label(own, words) or says_none(own):
        return False
    return next(element.iterancestors("a", *_HEADINGS), None) is None


_TITLE_WORD = re.compile(r"\w+")
_QUOTES = " \"'«„“‘<("


def title_words(title: str) -> list[str]:
    """Return the words of a document's title, folded."""
    return _TITLE_WORD.findall(title.casefold())


def without_title(text: str, named: Sequence[str]) -> str:
    """Return a text that begins with a word for comments without its end if those words have it in
    a row: what a label of comments says more than that there are some."""
    first = _TITLE_WORD.search(text)
    words = (
        list(_TITLE_WORD.finditer(text)) if first is not None and is_label(first.group()) else ()
    )
    said = [word.group().casefold() for word in words]
    for place in range(1, len(said)):
        if is_in_row(said[place:], named):
            return text[: words[place].start()].rstrip(_QUOTES)
    return text


def is_in_row(words: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether words stand in a row among others."""
    size = len(words)
    return any(named[i : i + size] == words for i in range(len(named) - size + 1))


def _is_title(text: str, root: HtmlElement) -> bool:
    """A heading that says more than "comments" and that the page's title repeats: the post's
    own."""
    return not is_bare_label(text) and text in (root.findtext(".//title") or "")


def neighbours(label: HtmlElement) -> list[HtmlElement]:
    """Return the elements that follow a label, or the box around it that says nothing else, up to
    the next heading of its kind.
    """
    node = outermost(label)
    if node.tag in ("body", "html", "td", "th"):
        return []
    out = []
    for sibling in node.itersiblings(etree.Element):
        is_same_heading = sibling.tag == label.tag and label.tag in _HEADINGS
        if is_same_heading and is_label(node_text(sibling)):
            break
        out.append(sibling)
    return out
