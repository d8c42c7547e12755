"""The private copy of a comment, and the candidates of its author and date.

Every element of the copy is looked at once. What its markup says of the author is a row of
``AUTHOR_EVIDENCE``, what it says of the date a row of ``DATE_EVIDENCE``; a candidate with a higher
score is surer. ``fields`` chooses between the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author import drop, name_of
from blogcrawl.comments.unit import DateCandidate, NameCandidate, Reader, Unit
from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import FOLLOWING
from blogcrawl.core.page import html_parser
from blogcrawl.dates.machine_date import unix_time
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date
from blogcrawl.lexicon.comment_words import AUTHOR, DATE, ROLE, tokens, words_of
from blogcrawl.text.lengths import MAX_LINE, MIN_SENTENCE
from blogcrawl.text.visible import is_longer, node_text, squeeze

_RESPOND: Any = etree.XPath("./*//*[@id='respond' or contains(@class, 'comment-respond')]")


def read_units(units: Sequence[Unit], language: str | None = None) -> list[Reader]:
    """Copy each unit and collect the candidates of its fields."""
    with _without_replies(units):
        copies = [_copy(unit) for unit in units]
    _move_heads(copies)
    return [_read_copy(unit, copy, language) for unit, copy in zip(units, copies, strict=True)]


@contextmanager
def _without_replies(units: Sequence[Unit]) -> Iterator[None]:
    """Yield comments of the markup in place of all units nested in others, so that copying a thread
    takes time linear in its size, not in size times depth."""
    inner = dict.fromkeys(element for unit in units for element in unit.inner)
    moved: list[tuple[HtmlElement, HtmlElement]] = []
    try:
        for element in reversed(inner):  # innermost first: lxml walks through all that it moves
            place = etree.Comment()
            place.tail = element.tail
            element.getparent().replace(element, place)
            moved.append((element, place))
        yield
    finally:
        for element, place in reversed(moved):
            place.getparent().replace(place, element)


def _copy(unit: Unit) -> HtmlElement:
    root = html_parser().makeelement("div")
    for element in unit.elements:
        copy = deepcopy(element)
        copy.tail = None
        root.append(copy)
    return root


def _move_heads(copies: Sequence[HtmlElement]) -> None:
    """Where the anchor and the name of a comment end the box before it, as Blogger's old lists do
    once their tags were closed by a program, move them to the front of their own box: the one that
    has the permalink.
    """
    for before, box in pairwise(copies):
        wanted = _named_fragments(box) - _named_fragments(before)
        anchor = next((e for e in before.iter() if _anchor_name(e) in wanted), None)
        if anchor is None or is_longer(anchor, 0):
            continue
        if not _stands_behind_text(anchor) and find_date(node_text(before)) is not None:
            continue  # the head of a comment that has no permalink
        parts = [anchor, *anchor.itersiblings(etree.Element)]
        if sum(len(node_text(part)) + len(part.tail or "") for part in parts) <= MAX_LINE:
            head = html_parser().makeelement("div")
            head.extend(parts)
            box.insert(0, head)


def _stands_behind_text(element: HtmlElement) -> bool:
    for node in (element, *element.iterancestors()):
        before = list(node.itersiblings(preceding=True))
        texts = [e.tail for e in before] + [getattr(node.getparent(), "text", None)]
        elements = (e for e in before if isinstance(e.tag, str))
        if any(map(squeeze, texts)) or any(map(node_text, elements)):
            return True
    return False


def _named_fragments(box: HtmlElement) -> set[str]:
    links = (link.get("href") or "" for link in box.iter("a"))
    return {href.rpartition("#")[2] for href in links if "#" in href} - {""}


def _anchor_name(element: HtmlElement) -> str | None:
    return element.get("id") or element.get("name")


def _read_copy(unit: Unit, root: HtmlElement, language: str | None) -> Reader:
    forms = [
        form
        for form in root.iter("form")
        if form.getparent() is not root and form.find(".//textarea") is not None
    ]
    for node in (*forms, *_RESPOND(root)):
        drop(node)  # labels of the form for an answer are no names
    etree.strip_tags(root, etree.Comment)
    reader = _considered(unit, root, language)
    whole, texts = reader.texts.of(root), reader.texts
    has_line = any(texts.of(date.element) != whole for date in reader.dates.values())
    if not has_line and _part_at_break(root):
        reader = _considered(unit, root, language)
    reader.forget_texts()
    return reader


def _considered(unit: Unit, root: HtmlElement, language: str | None) -> Reader:
    reader = Reader(unit, root, [])
    _walk(reader)
    for position, (element, path) in enumerate(reader.nodes):
        node = _node(reader, element, path, position)
        _consider_author(node)
        _consider_date(node, language)
    return reader


def _only_filled(box: HtmlElement) -> HtmlElement | None:
    """Return the one child with all of the box's text; None where there is none, or an empty box
    with a picture next to it.
    """
    filled = [child for child in box if node_text(child) or child.tag in ("img", "video", "a")]
    is_all = len(filled) == 1 and not squeeze(_own_text(box)) and len(filled[0]) > 0
    return filled[0] if is_all else None


def _part_at_break(root: HtmlElement) -> bool:
    """Puts a first line with digits and all behind its ``<br>`` into elements of their own; whether
    there was such a line.
    """
    box = root
    while (inner := _only_filled(box)) is not None:
        box = inner
    first = box.find("br")
    if first is None or box is root:
        return False
    at = box.index(first)
    line, rest = lxml.html.Element("div"), lxml.html.Element("div")
    line.text, rest.text = box.text, first.tail
    line.extend(list(box[:at]))
    if not re.search(r"\d", node_text(line)) or len(node_text(line)) > MAX_CHARS:
        box[:0] = list(line)
        return False
    box.remove(first)
    rest.extend(list(box))
    box.text = None
    box.extend([line, rest])
    return True


def _walk(reader: Reader) -> None:
    paths: dict[HtmlElement, str] = {reader.root: ""}
    for element in reader.root.iter(etree.Element):
        if element is reader.root:
            continue
        if len(reader.nodes) >= MAX_ELEMENTS:
            break
        parent_path = paths.get(element.getparent(), "")
        path = f"{parent_path}>{element.tag if _is_comment(reader, element) else _step(element)}"
        paths[element] = path
        reader.nodes.append((element, path))


def _is_comment(reader: Reader, element: HtmlElement) -> bool:
    """Return whether the element's classes are the comment's own: those distinguish replies, odd
    ones and the post's author apart.
    """
    return element.getparent() is reader.root and (
        len(reader.unit.elements) == 1 or "comment" in tokens(element.get("class"))
    )


def _step(element: HtmlElement) -> str:
    return ".".join([str(element.tag), *sorted(tokens(element.get("class")))])


def _in_quote(element: HtmlElement) -> bool:
    """In a quotation inside the comment; some pages make one of the comment itself."""
    return any(
        quote.getparent() is not None and quote.getparent().getparent() is not None
        for quote in element.iterancestors("blockquote", "q")
    )


@dataclass(slots=True)
class Node:
    """An element of a comment, and what the rows of evidence ask of it."""

    reader: Reader
    element: HtmlElement
    path: str
    """Its signature: tags and classes from the comment down to it."""
    position: int
    """How many elements come before it."""
    tag: str
    rel: str
    prop: str
    """Property that a vocabulary (schema.org) gives to it."""
    classes: str
    """Words of its class names."""


def _node(reader: Reader, element: HtmlElement, path: str, position: int) -> Node:
    attributes = element.attrib
    return Node(
        reader,
        element,
        path,
        position,
        str(element.tag),
        attributes.get("rel") or "",
        attributes.get("itemprop") or "",
        words_of(attributes.get("class")),
    )


def _is_author_property(node: Node) -> bool:
    prop = node.prop
    if not prop:
        return False
    return "author" in prop or "creator" in prop or (prop == "name" and "author" in node.path)


_AUTHOR_NAMES = frozenset(("fn", "p-author", "u-author", "author-name", "comment-author-name"))
_CONTENT_NAMES = frozenset(("e-content", "p-content", "p-summary", "entry-content"))
"""Microformats name a note by its own text."""


def _has_author_name(node: Node) -> bool:
    names = set(node.classes.split())
    return bool(names & _AUTHOR_NAMES) or ("p-name" in names and not names & _CONTENT_NAMES)


def _is_author_link(node: Node) -> bool:
    return "author" in node.rel or ("nofollow" in node.rel and "url" in node.classes.split())


def _is_called_author(node: Node) -> bool:
    classes = node.classes
    return bool(classes and AUTHOR.search(classes)) and not _is_comment(node.reader, node.element)


def _is_citation(node: Node) -> bool:
    return node.tag == "cite" and not _in_quote(node.element)


def _is_early_link(node: Node) -> bool:
    is_early_link = node.tag == "a" and node.position < FOLLOWING
    return is_early_link and "nofollow" in node.rel and "reply" not in node.classes


_BARE_TAGS = frozenset(("strong", "b", "h4", "h5", "h6", "dt", "legend"))


def _is_early_emphasis(node: Node) -> bool:
    return node.tag in _BARE_TAGS and node.position < FOLLOWING


PROPER, CALLED, BARE = 7.0, 6.0, 2.5
"""Scores from which an element holds the name and nothing else, of one with an author's class, and
of one that only looks like a name: bold, a heading, a term."""
ROLE_SCORE = 1.0
"""Of a name that is a role: "Guest"."""
AUTHOR_EVIDENCE: tuple[tuple[float, Callable[[Node], bool]], ...] = (
    (10.0, _is_author_property),
    (9.0, _has_author_name),
    (PROPER, _is_author_link),
    (CALLED, _is_called_author),
    (5.0, _is_citation),
    (3.0, _is_early_link),
    (BARE, _is_early_emphasis),
)
"""Scores of an author's element, the first row that holds counts: properties of schema.org, names
of microformats and engines, link types, class names, and what only looks like a name."""


def _consider_author(node: Node) -> None:
    score = next((score for score, holds in AUTHOR_EVIDENCE if holds(node)), 0.0)
    authors = node.reader.authors
    if not score or node.path in authors or _in_quote(node.element):
        return
    # a link that is all there is holds the name and nothing else; titles of pages that link here
    # have any words in them
    is_strict = score >= PROPER or (score >= CALLED and _is_link(node.element))
    name = name_of(node.element, strict=is_strict)
    if name:
        score = min(score, ROLE_SCORE) if ROLE.fullmatch(name) else score
        authors[node.path] = NameCandidate(score, node.element, name)


def _is_link(element: HtmlElement) -> bool:
    """Return whether the element is a link, or nothing but one."""
    return element.tag == "a" or (len(element) == 1 and _is_all(element[0], element))


def _is_all(child: HtmlElement, element: HtmlElement) -> bool:
    return child.tag == "a" and bool(child.get("href")) and node_text(child) == node_text(element)


def _consider_date(node: Node, language: str | None) -> None:
    dates = node.reader.dates
    if node.path in dates:
        return
    for read in DATE_EVIDENCE:
        found = read(node, language)
        if found is not None:
            dates[node.path] = found
            return


_STAMPED = re.compile(r"[?&]showComment=(1\d{12})(?!\d)")
"""Blogger's link to a comment has its moment to the millisecond; what the page shows may be the
hour only, in the blog's zone.
"""


def _date_in_address(node: Node, language: str | None) -> DateCandidate | None:
    """Return the time in a permalink's query, as Blogger has it."""
    stamp = _STAMPED.search(node.element.get("href") or "") if node.tag == "a" else None
    reading = unix_time(stamp.group(1)) if stamp else None
    if stamp is None or reading is None:
        return None
    return DateCandidate(12.0, node.element, reading, node_text(node.element) or stamp.group(1))


MACHINE_DATE, NAMED_DATE = 8.0, 6.0
"""Scores from which a date is one made for machines, and of one in an element named a date."""
_DATE_ATTRIBUTES = (
    ("datetime", 10.0),
    ("content", 10.0),
    ("title", MACHINE_DATE),
    ("data-datetime", MACHINE_DATE),
    ("data-time", MACHINE_DATE),
)


def _date_in_attributes(node: Node, language: str | None) -> DateCandidate | None:
    element = node.element
    for name, score in _DATE_ATTRIBUTES:
        value = element.get(name)
        if value is None or (name == "content" and not _is_time_property(element)):
            continue
        reading = _machine_date(value, language, is_text=name == "title")
        if reading is not None:
            return DateCandidate(score, element, reading, node_text(element) or value)
    return None


def _is_time_property(element: HtmlElement) -> bool:
    prop = (element.get("itemprop") or element.get("property") or "").lower()
    return "date" in prop or "time" in prop


def _machine_date(value: str, language: str | None, is_text: bool) -> DateMatch | None:
    """Return the date in an attribute; a number is one unless the attribute is for readers."""
    if not 8 <= len(value) < 60:
        return None
    reading = find_date(value, language)
    return unix_time(value) if reading is None and not is_text else reading


_MIN_DATE = 6
"""Characters of the shortest date."""


def _date_in_text(node: Node, language: str | None) -> DateCandidate | None:
    """Return the date in the element's own text, or in all of it where the element is named a date
    or has no text of its own."""
    element = node.element
    is_named = _is_named_date(node)
    text = own = _own_text(element)
    if not own and len(element) == 1:
        return None  # the only child has the same text and is asked itself
    reading = _date_in_own(own, language)
    if reading is None and is_named:
        text = joined_parts(element)
        reading = _date_in_own(text, language)
    if reading is None and (is_named or not own):
        reading, text = _date_in_all(node, MAX_CHARS if is_named else MIN_SENTENCE, language)
    if reading is None:
        return None
    score = NAMED_DATE if is_named or _is_permalink(node) else _score_of_line(text)
    return DateCandidate(score + reading.has_time, element, reading, text)


_PARTS = re.compile(r"\d{1,2} \d{1,2} \d{4}|\d{4} \d{1,2} \d{1,2}")


def joined_parts(element: HtmlElement) -> str:
    """Return a date whose day, month and year stand in elements of their own, as numbers; "" if
    none."""
    numbers = [squeeze(part.text) for part in element if len(part) == 0]
    return "/".join(numbers) if _PARTS.fullmatch(" ".join(numbers)) else ""


def _is_permalink(node: Node) -> bool:
    return node.tag == "a" and "#" in (node.element.get("href") or "")


def _score_of_line(text: str) -> float:
    """Of a date in text without a mark: a line of its own, or one that says more."""
    return 3.0 if len(text) <= MIN_SENTENCE else 1.0


def _date_in_own(text: str, language: str | None) -> DateMatch | None:
    return find_date(text, language) if _MIN_DATE <= len(text) <= MAX_CHARS else None


def _date_in_all(node: Node, longest: int, language: str | None) -> tuple[DateMatch | None, str]:
    """Return the date in all of the element's text, and that text; no date where a child holds
    one."""
    text = node.reader.texts.of(node.element)
    is_short = _MIN_DATE <= len(text) <= longest
    if not is_short or any(find_date(node.reader.texts.of(c), language) for c in node.element):
        return None, text
    return find_date(text, language), text


def _own_text(element: HtmlElement) -> str:
    return squeeze((element.text or "") + " " + " ".join(c.tail or "" for c in element))


def _is_named_date(node: Node) -> bool:
    if node.tag == "time" or (node.classes and DATE.search(node.classes)):
        return True
    return "date" in (node.prop or node.element.get("property") or "").lower()


DATE_EVIDENCE: tuple[Callable[[Node, str | None], DateCandidate | None], ...] = (
    _date_in_address,
    _date_in_attributes,
    _date_in_text,
)
"""Where a date may stand, the surest place first."""
