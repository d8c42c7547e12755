"""The private copy of a comment, and the candidates of its author and date.

Every element of the copy is looked at once. What its markup says of the author is a row of
``AUTHOR_EVIDENCE``; a candidate with a higher score is surer. ``fields`` chooses between the
candidates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from itertools import chain, pairwise, zip_longest
from typing import Any, NamedTuple

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author import drop, name_of
from blogcrawl.comments.markup import REPLY_LINK, Markup, markup_of
from blogcrawl.comments.unit import DateCandidate, NameCandidate, Node, Reader, Unit
from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import FOLLOWING
from blogcrawl.core.page import html_parser
from blogcrawl.dates.machine_date import unix_time
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date, is_date
from blogcrawl.lexicon.comment_words import ROLE, STRICT_BODY, tokens
from blogcrawl.text.lengths import MAX_LINE, MIN_SENTENCE
from blogcrawl.text.visible import BLOCK_TAGS, Texts, is_longer, node_text, squeeze

_RESPOND: Any = etree.XPath("./*//*[@id='respond' or contains(@class, 'comment-respond')]")
_CHANGES: Any = etree.XPath("./*/descendant::*[@itemprop='dateModified']")
"""When it was edited: a post's foot may have that day, its tags and no more."""
_HAS_ANSWER_FORM: Any = etree.XPath(
    "boolean(//textarea) or boolean(//comment()) or "
    "boolean(//*[@id='respond' or contains(@class, 'comment-respond')])"
)


def read_units(units: Sequence[Unit], language: str | None = None) -> list[Reader]:
    """Copy each unit and collect the candidates of its fields."""
    with _without_replies(units):
        copies = [_copied(unit) for unit in units]
        may_be_cut = any(map(_may_be_cut, units[:1]))
    _move_heads(copies)
    if may_be_cut:
        for root in copies:
            _cut_answer_form(root)
    return [_read_copy(unit, root, language) for unit, root in zip(units, copies, strict=True)]


def _may_be_cut(unit: Unit) -> bool:
    """Return whether the page of a comment, or a comment that was made, has what comments are read
    without."""
    top = unit.elements[0]
    return top.getparent() is None or _HAS_ANSWER_FORM(top)


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


def _copied(unit: Unit) -> HtmlElement:
    root = html_parser().makeelement("div")
    for element, following in zip_longest(unit.elements, unit.elements[1:]):
        root.append(_copied_up_to(element, following))
    for change in _CHANGES(root):
        drop(change)
    if len(root) == 1 and root[0].find("br") is not None:
        _set_last_line_apart(root[0])
    return root


def _copied_up_to(element: HtmlElement, following: HtmlElement | None) -> HtmlElement:
    """Return a copy with all in it: no element of lxml stands in two places. The text behind it is
    the comment's where the next element of that follows."""
    one = copy(element)
    if following is None or element.getnext() is not following:
        one.tail = None
    return one


def _set_last_line_apart(block: HtmlElement) -> None:
    """Put the last line of a comment without blocks into one where it has the date: what is
    "text<br>Ann @ 3 May 2010" to the eye is the text, and a byline."""
    last = next(block.iterchildren("br", reversed=True), None)
    if last is None or any(child.tag in _BLOCKS for child in block):
        return
    parts = list(last.itersiblings())
    said = (last.tail, *chain.from_iterable((node_text(part), part.tail) for part in parts))
    text = squeeze(" ".join(filter(None, said)))
    if len(text) > MAX_LINE or find_date(text) is None:
        return
    line = html_parser().makeelement("div")
    line.text, last.tail = last.tail, None
    line.extend(parts)
    block.append(line)


_BLOCKS = BLOCK_TAGS - {"br"}


def _move_heads(copies: Sequence[HtmlElement]) -> None:
    """Where the anchor and the name of a comment end the box before it, as Blogger's old lists do
    once their tags were closed by a program, move them to the front of their own box: the one that
    has the permalink.
    """
    fragments = list(map(_named_fragments, copies))
    for (before, box), (known, named) in zip(pairwise(copies), pairwise(fragments), strict=True):
        wanted = named - known
        if not wanted:
            continue
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


def _cut_answer_form(root: HtmlElement) -> None:
    """Remove the form for an answer, whose labels are no names, and comments of the markup."""
    forms = [
        form
        for form in root.iter("form")
        if form.getparent() is not root and form.find(".//textarea") is not None
    ]
    for node in (*forms, *_RESPOND(root)):
        drop(node)
    if next(root.iter(etree.Comment), None) is not None:
        etree.strip_tags(root, etree.Comment)


def _read_copy(unit: Unit, root: HtmlElement, language: str | None) -> Reader:
    reader = _considered(unit, root, language)
    texts = reader.texts
    whole = texts.of(root)
    found = reader.dates.values()
    has_line = any(texts.of(d.element) != whole and d.element.find("br") is None for d in found)
    if not has_line and _part_at_break(reader, language):
        reader = _considered(unit, root, language)
    reader.pass_on()
    return reader


def _considered(unit: Unit, root: HtmlElement, language: str | None) -> Reader:
    reader = Reader(unit, root)
    _walk(reader)
    dates = reader.dates
    for position, node in enumerate(reader.nodes):
        _, path, markup = node
        if _may_be_author(markup):
            _consider_author(reader, node, position)
        if path not in dates:
            _consider_date(reader, node, language)
    return reader


def _only_filled(box: HtmlElement, texts: Texts) -> HtmlElement | None:
    """Return the one child with all of the box's text; None where there is none, or an empty box
    with a picture next to it.
    """
    filled = [child for child in box if texts.of(child) or child.tag in ("img", "video", "a")]
    is_all = len(filled) == 1 and not squeeze(_own_text(box)) and len(filled[0]) > 0
    return filled[0] if is_all else None


def _part_at_break(reader: Reader, language: str | None) -> bool:
    """Puts the first line with digits, or a name and the day below it, and all behind their
    ``<br>`` into elements of their own; whether there were such lines.
    """
    box = _box_of_lines(reader)
    last = _break_behind_day(box, language) if box is not reader.root else None
    if last is None:
        return False
    line = lxml.html.Element("div")
    line.text, text = box.text, last.tail
    line.extend(list(box[: box.index(last)]))
    box.remove(last)
    if box.tag == "p":
        box.text = text
        box.addprevious(line)
        return True
    rest = lxml.html.Element("div")
    rest.text, box.text = text, None
    rest.extend(list(box))
    box.extend([line, rest])
    return True


def _box_of_lines(reader: Reader) -> HtmlElement:
    """Return the innermost element with all of the text, or its first paragraph."""
    box = reader.root
    while (inner := _only_filled(box, reader.texts)) is not None:
        box = inner
    first = next(filter(reader.texts.of, box), None) if box.find("br") is None else None
    return first if first is not None and first.tag == "p" else box


def _break_behind_day(box: HtmlElement, language: str | None) -> HtmlElement | None:
    """Return the ``<br>`` behind a first line with digits, or behind a day in the second one."""
    breaks = box.findall("br")[:2]
    places = [0, *map(box.index, breaks)]
    lines = [_text_between(box, start, end) for start, end in pairwise(places)]
    if not lines or len(lines[0]) > MAX_CHARS:
        return None
    if re.search(r"\d", lines[0]):
        return breaks[0]
    return breaks[1] if is_date(lines[-1], language) else None


def _text_between(box: HtmlElement, start: int, end: int) -> str:
    """Return the text of an element from one of its children on up to another."""
    texts = (f"{node_text(child)} {child.tail or ''}" for child in box[start:end])
    return squeeze(" ".join([(box.text or "") if start == 0 else "", *texts]))


def _walk(reader: Reader) -> None:
    paths, root, nodes = reader.paths, reader.root, reader.nodes
    for element in root.iterdescendants(etree.Element):
        names = element.keys()
        markup = markup_of(element, is_bare=not names)
        if markup.tag == "a":
            reader.has_links = True
        if len(nodes) >= MAX_ELEMENTS:
            reader.further.append((element, "", markup))
            continue
        parent = element.getparent()
        step = markup.tag if parent is root and _is_comment(reader, element) else markup.step
        path = f"{paths.get(parent, '')}>{step}"
        paths[element] = path
        if markup.is_control:
            reader.has_controls = True
        if markup.is_subject:
            reader.has_subject = True
        nodes.append((element, path, markup))
        if names and not _ATTRIBUTES.isdisjoint(names):
            reader.stamped.add(element)


def _is_comment(reader: Reader, element: HtmlElement) -> bool:
    """Return whether the classes of an element right below the root are the comment's own: those
    distinguish replies, odd ones and the post's author apart. A term and its definition differ
    without any.
    """
    return (
        len(reader.unit.elements) == 1
        or element.tag in ("dt", "dd")
        or "comment" in tokens(element.get("class"))
    )


_QUOTE = re.compile(r">(?:blockquote|q)(?![^.>])")
"""Of a signature."""


def _in_quote(element: HtmlElement) -> bool:
    """In a quotation inside the comment; some pages make one of the comment itself."""
    return any(
        quote.getparent() is not None and quote.getparent().getparent() is not None
        for quote in element.iterancestors("blockquote", "q")
    )


class Place(NamedTuple):
    """What the rows of evidence ask of an element."""

    markup: Markup
    is_early: bool
    """Few elements come before it."""
    is_comment: bool
    """The classes are the comment's own."""
    in_author: bool
    """An author is named in its signature."""


def _is_author_property(place: Place) -> bool:
    prop = place.markup.prop
    return "author" in prop or "creator" in prop or (prop == "name" and place.in_author)


_AUTHOR_NAMES = frozenset(("fn", "p-author", "u-author", "author-name", "comment-author-name"))
_CONTENT_NAMES = frozenset(("e-content", "p-content", "p-summary", "entry-content"))
"""Microformats name a note by its own text."""


def _has_author_name(place: Place) -> bool:
    names = set(place.markup.words.split())
    return bool(names & _AUTHOR_NAMES) or ("p-name" in names and not names & _CONTENT_NAMES)


def _is_author_link(place: Place) -> bool:
    rel, words = place.markup.rel, place.markup.words
    return "author" in rel or ("nofollow" in rel and "url" in words.split())


def _is_called_author(place: Place) -> bool:
    is_called = place.markup.is_author and not place.is_comment
    return is_called and not STRICT_BODY.search(place.markup.words)


def _is_citation(place: Place) -> bool:
    return place.markup.tag == "cite"


def _is_early_link(place: Place) -> bool:
    markup = place.markup
    is_early_link = markup.tag == "a" and place.is_early
    return is_early_link and "nofollow" in markup.rel and "reply" not in markup.words


_BARE_TAGS = frozenset(("strong", "b", "h4", "h5", "h6", "dt", "legend"))


def _is_early_emphasis(place: Place) -> bool:
    return place.markup.tag in _BARE_TAGS and place.is_early


PROPER, CALLED, BARE = 7.0, 6.0, 2.5
"""Scores from which an element holds the name and nothing else, of one with an author's class, and
of one that only looks like a name: bold, a heading, a term."""
ROLE_SCORE = 1.0
"""Of a name that is a role: "Guest"."""
AUTHOR_EVIDENCE: tuple[tuple[float, Callable[[Place], bool]], ...] = (
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


@lru_cache(maxsize=4096)
def _author_score(place: Place) -> float:
    return next((score for score, holds in AUTHOR_EVIDENCE if holds(place)), 0.0)


@lru_cache(maxsize=4096)
def _may_be_author(markup: Markup) -> bool:
    """Return whether an element with this markup is an author's anywhere."""
    return _author_score(Place(markup, is_early=True, is_comment=False, in_author=True)) > 0


def _consider_author(reader: Reader, node: Node, position: int) -> None:
    element, path, markup = node
    is_comment = element.getparent() is reader.root and _is_comment(reader, element)
    place = Place(markup, position < FOLLOWING, is_comment, "author" in path)
    score, authors = _author_score(place), reader.authors
    if not score or path in authors or (_QUOTE.search(path) and _in_quote(element)):
        return
    if score < CALLED and REPLY_LINK.search(element.get("href") or ""):
        return
    # a link that is all there is holds the name and nothing else; titles of pages that link here
    # have any words in them
    is_strict = score >= PROPER or (score >= CALLED and _is_link(element))
    name = name_of(element, strict=is_strict)
    if name:
        score = min(score, ROLE_SCORE) if ROLE.fullmatch(name) else score
        authors[path] = NameCandidate(score, element, name)


def _is_link(element: HtmlElement) -> bool:
    """Return whether the element is a link, or nothing but one."""
    return element.tag == "a" or (len(element) == 1 and _is_all(element[0], element))


def _is_all(child: HtmlElement, element: HtmlElement) -> bool:
    return child.tag == "a" and bool(child.get("href")) and node_text(child) == node_text(element)


def _consider_date(reader: Reader, node: Node, language: str | None) -> None:
    """Note the date of an element, read at the surest place that has one."""
    element, path, markup = node
    found = _date_in_address(element) if markup.tag == "a" else None
    if found is None and element in reader.stamped:
        found = _date_in_attributes(element, language)
    if found is None:
        found = _date_in_text(reader, node, language)
    if found is not None:
        reader.dates[path] = found


_STAMPED = re.compile(r"[?&]showComment=(1\d{12})(?!\d)")
"""Blogger's link to a comment has its moment to the millisecond; what the page shows may be the
hour only, in the blog's zone.
"""


def _date_in_address(link: HtmlElement) -> DateCandidate | None:
    """Return the time in a permalink's query, as Blogger has it."""
    stamp = _STAMPED.search(link.get("href") or "")
    reading = unix_time(stamp.group(1)) if stamp else None
    if stamp is None or reading is None:
        return None
    return DateCandidate(12.0, link, reading, node_text(link) or stamp.group(1))


MACHINE_DATE, NAMED_DATE = 8.0, 6.0
"""Scores from which a date is one made for machines, and of one in an element named a date."""
_DATE_ATTRIBUTES = (
    ("datetime", 10.0),
    ("content", 10.0),
    ("title", MACHINE_DATE),
    ("data-datetime", MACHINE_DATE),
    ("data-time", MACHINE_DATE),
)
_ATTRIBUTES = frozenset(name for name, _ in _DATE_ATTRIBUTES)


def _date_in_attributes(element: HtmlElement, language: str | None) -> DateCandidate | None:
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


def _date_in_text(reader: Reader, node: Node, language: str | None) -> DateCandidate | None:
    """Return the date in the element's own text, or in all of it where the element is named a date
    or has no text of its own."""
    element = node[0]
    text = own = _own_text(element)
    if not own and len(element) == 1:
        return None  # the only child has the same text and is asked itself
    is_named = _is_named_date(node)
    reading = _date_in_own(own, language)
    if reading is None and is_named:
        text = joined_parts(element)
        reading = _date_in_own(text, language)
    if reading is None and (is_named or not own):
        longest = MAX_CHARS if is_named else MIN_SENTENCE
        reading, text = _date_in_all(reader, element, longest, language)
    if reading is None:
        return None
    score = NAMED_DATE if is_named or _is_permalink(node) else _score_of_line(text)
    return DateCandidate(score + reading.has_time, element, reading, text)


_PARTS = re.compile(r"\d{1,2} \d{1,2} \d{4}|\d{4} \d{1,2} \d{1,2}")


def joined_parts(element: HtmlElement) -> str:
    """Return a date whose day, month and year stand in elements of their own, as numbers, or with
    blanks between them; "" if none."""
    numbers = [squeeze(part.text) for part in element if len(part) == 0]
    numbers = numbers or squeeze(element.text).split(" ")
    return "/".join(numbers) if _PARTS.fullmatch(" ".join(numbers)) else ""


def _is_permalink(node: Node) -> bool:
    element, _, markup = node
    return markup.tag == "a" and "#" in (element.get("href") or "")


def _score_of_line(text: str) -> float:
    """Of a date in text without a mark: a line of its own, or one that says more."""
    return 3.0 if len(text) <= MIN_SENTENCE else 1.0


def _date_in_own(text: str, language: str | None) -> DateMatch | None:
    return find_date(text, language) if _MIN_DATE <= len(text) <= MAX_CHARS else None


def _date_in_all(
    reader: Reader, element: HtmlElement, longest: int, language: str | None
) -> tuple[DateMatch | None, str]:
    """Return the date in all of the element's text, and that text; no date where a child holds
    one."""
    texts = reader.texts
    text = texts.of(element)
    if not _MIN_DATE <= len(text) <= longest:
        return None, text
    for child in element:
        if find_date(texts.of(child), language):
            return None, text
    return find_date(text, language), text


def _own_text(element: HtmlElement) -> str:
    text = element.text
    if not len(element):
        return squeeze(text)
    tails = [tail for child in element if (tail := child.tail)]
    return squeeze(" ".join((text or "", *tails))) if tails else squeeze(text)


def _is_named_date(node: Node) -> bool:
    element, _, markup = node
    if markup.tag == "time" or markup.is_date:
        return True
    prop = markup.prop or element.get("property")
    return prop is not None and "date" in prop.lower()
