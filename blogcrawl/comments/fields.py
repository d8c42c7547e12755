"""Reads author, date and body out of the units of one page, all units voting together on where each
field stands.

One unit alone is easily misread; forty units with the same inner path are not. So every node of
every unit is a candidate with a score from its markup, scores are summed per *signature* (the path
of tags and classes inside the unit), and the best supported signature is read first in every unit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author import (
    amid_paragraph,
    amid_text,
    beside_the_date,
    by_pattern,
    byline_text,
    drop,
    framed,
    from_byline,
    learn_byline,
    name_of,
    titles_give_way,
)
from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.page import html_parser
from blogcrawl.dates.machine_date import unix_time
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date
from blogcrawl.lexicon.comment_words import AUTHOR, BODY, DATE, ROLE, tokens, words_of
from blogcrawl.text.visible import node_text, squeeze

BARE = 2.5
"""Score of an author's element that only looks like one: bold, a heading, a term."""
_CONTENT = {
    "e-content",
    "p-content",
    "p-summary",
    "entry-content",
}  # microformats name a note by its own text
AGREED = 0.8
"""Share of comments in which what stands around the name must be the same name."""
_DATED = (
    ("datetime", 10.0),
    ("content", 10.0),
    ("title", 8.0),
    ("data-datetime", 8.0),
    ("data-time", 8.0),
)
_TIMED = re.compile(r"data-(?!.*(?:updat|modif|edit|format|zone))[\w-]*(?:time|date|epoch|created)")
"""Other attributes with a time: taken where nothing else is, for it may be that of the last change
(so Drupal's).
"""
_STAMPED = re.compile(r"[?&]showComment=(1\d{12})(?!\d)")
"""Blogger's link to a comment tells its moment to the millisecond; what the page shows may be the
hour only, in the blog's zone.
"""
_RESPOND: Any = etree.XPath("./*//*[@id='respond' or contains(@class, 'comment-respond')]")
MAX_NODES = 3_000
"""Nodes looked at in one unit; a comment with more is hostile."""


def read_units(units: Sequence[Unit], language: str | None = None) -> list[Reader]:
    """Copy each unit and collect the candidates of its fields."""
    with _without_replies(units):
        return [_read_unit(unit, language) for unit in units]


@contextmanager
def _without_replies(units: Sequence[Unit]) -> Iterator[None]:
    """Comments of the markup in place of all units nested in others, so that copying a thread takes
    time linear in its size, not in size times depth."""
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


def _read_unit(unit: Unit, language: str | None) -> Reader:
    root = html_parser().makeelement("div")
    for element in unit.elements:
        copy = deepcopy(element)
        copy.tail = None
        root.append(copy)
    forms = [
        form
        for form in root.iter("form")
        if form.getparent() is not root and form.find(".//textarea") is not None
    ]
    for node in (*forms, *_RESPOND(root)):
        drop(node)  # labels of the form for an answer are no names
    for note in list(root.iter(etree.Comment)):
        drop(note)
    reader = _considered(unit, root, language)
    return reader if reader.dates or not _part_at_break(root) else _considered(unit, root, language)


def _considered(unit: Unit, root: HtmlElement, language: str | None) -> Reader:
    reader = Reader(unit, root, [])
    _walk(reader)
    for position, (element, path) in enumerate(reader.nodes):
        _consider_author(reader, element, path, position)
        _consider_date(reader, element, path, language)
    return reader


def reconsider(reader: Reader, language: str | None) -> None:
    """Collects the candidates anew after the unit's copy was changed."""
    fresh = _considered(reader.unit, reader.root, language)
    reader.nodes, reader.authors, reader.dates = fresh.nodes, fresh.authors, fresh.dates


def _part_at_break(root: HtmlElement) -> bool:
    """Puts a first line with digits and all behind its ``<br>`` into elements of their own; whether
    there was such a line.
    """
    box = root
    while len(box) == 1 and not squeeze(box.text):
        box = box[0]
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
        if len(reader.nodes) >= MAX_NODES:
            break
        parent_path = paths.get(element.getparent(), "")
        path = f"{parent_path}>{element.tag if _is_comment(reader, element) else _step(element)}"
        paths[element] = path
        reader.nodes.append((element, path))


def _is_comment(reader: Reader, element: HtmlElement) -> bool:
    """Whether the element's classes are the comment's own: those tell replies, odd ones and the
    post's author apart.
    """
    return element.getparent() is reader.root and (
        len(reader.unit.elements) == 1 or "comment" in tokens(element.get("class"))
    )


def _step(element: HtmlElement) -> str:
    return ".".join([str(element.tag), *sorted(tokens(element.get("class")))])


def _names(element: HtmlElement) -> str:
    return words_of(element.get("class"))


def _in_quote(element: HtmlElement) -> bool:
    """In a quotation inside the comment; some pages make one of the comment itself."""
    return any(
        quote.getparent() is not None and quote.getparent().getparent() is not None
        for quote in element.iterancestors("blockquote", "q")
    )


def _consider_author(reader: Reader, element: HtmlElement, path: str, position: int) -> None:
    score = _author_score(reader, element, path, position)
    if not score or _in_quote(element):
        return
    # a link that is all there is holds the name and nothing else; titles of pages that link here
    # have any words in them
    is_link = element.tag == "a" or (len(element) == 1 and _is_all(element[0], element))
    name = name_of(element, strict=score >= 7 or (score >= 6 and is_link))
    if name and path not in reader.authors:
        score = score if not ROLE.fullmatch(name) else min(score, 1.0)
        reader.authors[path] = (score, element, name)


_AUTHOR_NAMES = frozenset(("fn", "p-author", "u-author", "author-name", "comment-author-name"))
_EARLY = 12
"""Elements at the beginning of a comment in which a name without an author's mark may stand."""
_BARE_TAGS = frozenset(("strong", "b", "h4", "h5", "h6", "dt", "legend"))


def _author_score(reader: Reader, element: HtmlElement, path: str, position: int) -> float:
    """How surely the element's markup makes it the author's: 0 (not at all) to 10."""
    rel, prop = element.get("rel") or "", element.get("itemprop") or ""
    classes = _names(element)
    if _is_author_property(prop, path):
        return 10
    by_name = _score_of_names(set(classes.split()), rel)
    if by_name:
        return by_name
    if classes and AUTHOR.search(classes) and not _is_comment(reader, element):
        return 6
    return _score_of_tag(element, rel, classes, position)


def _is_author_property(prop: str, path: str) -> bool:
    return "author" in prop or "creator" in prop or (prop == "name" and "author" in path)


def _score_of_names(names: set[str], rel: str) -> float:
    """By class names that microformats and engines give to an author, or by the link type."""
    if names & _AUTHOR_NAMES or ("p-name" in names and not names & _CONTENT):
        return 9
    return 7 if "author" in rel or ("url" in names and "nofollow" in rel) else 0


def _score_of_tag(element: HtmlElement, rel: str, classes: str, position: int) -> float:
    tag, is_early = element.tag, position < _EARLY
    if tag == "cite" and not _in_quote(element):
        return 5
    if tag == "a" and is_early and "nofollow" in rel and "reply" not in classes:
        return 3
    return BARE if tag in _BARE_TAGS and is_early and not amid_text(element) else 0


def _is_all(child: HtmlElement, element: HtmlElement) -> bool:
    return child.tag == "a" and bool(child.get("href")) and node_text(child) == node_text(element)


def _own_text(element: HtmlElement) -> str:
    return squeeze((element.text or "") + " " + " ".join(c.tail or "" for c in element))


def _consider_date(reader: Reader, element: HtmlElement, path: str, language: str | None) -> None:
    if path in reader.dates:
        return
    found = (
        _date_in_address(element)
        or _date_in_attributes(element, language)
        or _date_in_text(element, language)
    )
    if found is not None:
        score, reading, raw = found
        reader.dates[path] = (score, element, reading, raw)


FoundDate = tuple[float, DateMatch, str]
"""Score (0 to 12), the date, and the text that is kept as the raw date."""


def _date_in_address(element: HtmlElement) -> FoundDate | None:
    """The time in a permalink's query, as Blogger has it."""
    stamp = _STAMPED.search(element.get("href") or "") if element.tag == "a" else None
    reading = unix_time(stamp.group(1)) if stamp else None
    return (12.0, reading, node_text(element) or stamp.group(1)) if stamp and reading else None


def _date_in_attributes(element: HtmlElement, language: str | None) -> FoundDate | None:
    prop = (element.get("itemprop") or element.get("property") or "").lower()
    timed = [(str(name), 2.0) for name in element.attrib if _TIMED.match(str(name))]
    for attribute, score in [*_DATED, *timed]:
        value = element.get(attribute)
        if not value or not 8 <= len(value) < 60:
            continue
        if attribute == "content" and "date" not in prop and "time" not in prop:
            continue
        reading = find_date(value, language)
        if reading is None and attribute != "title":
            reading = unix_time(value)
        if reading:
            return score, reading, node_text(element) or value
    return None


def _date_in_text(element: HtmlElement, language: str | None) -> FoundDate | None:
    """The date in the element's own text, or in all of it where the element is named a date or has
    no text of its own."""
    named = _is_named_date(element)
    text = own = _own_text(element)
    if not own and len(element) == 1:
        return None  # the only child has the same text and is asked itself
    reading = find_date(own, language) if _MIN_DATE <= len(own) <= MAX_CHARS else None
    if reading is None and (named or not own):
        reading, text = _date_in_all(element, MAX_CHARS if named else _DATE_LINE, language)
    if reading is None:
        return None
    is_link = element.tag == "a" and "#" in (element.get("href") or "")
    score = 6.0 if named or is_link else 3.0 if len(text) <= _DATE_LINE else 1.0
    return score + reading.has_time, reading, text


def _date_in_all(
    element: HtmlElement, longest: int, language: str | None
) -> tuple[DateMatch | None, str]:
    """The date in all of the element's text, and that text; no date where a child holds one."""
    text = node_text(element)
    is_short = _MIN_DATE <= len(text) <= longest
    if not is_short or any(find_date(node_text(child), language) for child in element):
        return None, text
    return find_date(text, language), text


_MIN_DATE, _DATE_LINE = 6, 80
"""Characters of the shortest date, and of a line that is a date and little else."""


def _is_named_date(element: HtmlElement) -> bool:
    classes = _names(element)
    if element.tag == "time" or (classes and DATE.search(classes)):
        return True
    return "date" in (element.get("itemprop") or element.get("property") or "").lower()


def fill(
    readers: Sequence[Reader],
    authors: Sequence[str],
    dates: Sequence[str],
    byline: tuple[str, str] | None,
) -> tuple[str, str] | None:
    """Gives every reader its author and date by the voted signatures; returns the byline pattern
    seen or given.
    """
    around = _around_the_first(readers, authors)
    for reader in readers:
        _fill_one(reader, authors, dates, around)
    titles_give_way(readers)
    pattern = byline or learn_byline(readers)
    for reader in readers:
        learned = by_pattern(byline_text(reader), byline) if byline else None
        if reader.author is None:
            reader.author = from_byline(reader, pattern)
        elif learned and learned in reader.author:
            reader.author = learned
    framed(readers)
    if beside_the_date(readers) and any(reader.author is None for reader in readers):
        framed(readers)  # the others' names stand as far from the date as their texts are long
    for reader in readers:
        reader.author_url = reader.author_url or _url_of(reader)
    return pattern


def _around_the_first(readers: Sequence[Reader], authors: Sequence[str]) -> set[str]:
    """Signatures around the best one that hold the same name and nothing else: a guest without a
    site has no link there.
    """
    both: Counter[str] = Counter()
    same: Counter[str] = Counter()
    for reader in readers:
        if authors and authors[0] in reader.authors:
            name = reader.authors[authors[0]][2]
            around = {
                path: other
                for path, (_, _, other) in reader.authors.items()
                if authors[0].startswith(path + ">")
            }
            both.update(list(around))
            same.update(path for path, other in around.items() if other == name)
    return {path for path, count in same.items() if count >= AGREED * both[path]}


def _fill_one(
    reader: Reader, authors: Sequence[str], dates: Sequence[str], around: Collection[str]
) -> None:
    for path in authors:
        if path in reader.authors:
            score, element, name = reader.authors[path]
            if score < 4 and path not in around and path != authors[0]:
                continue
            if score < 4 and (_is_in_body(element) or amid_paragraph(element, name)):
                continue
            reader.author, reader.author_node = name, element
            break
    voted = next((reader.dates[path] for path in dates if path in reader.dates), None)
    best = max(reader.dates.values(), key=lambda c: c[0], default=None)
    if voted is not None and best is not None and voted[0] < 6 <= 8 <= best[0]:
        voted = (
            best  # a machine-readable date in a place of its own beats a guess in the common one
        )
    if voted is not None:
        _, reader.date_node, reader.date, reader.date_raw = voted


def _is_in_body(element: HtmlElement) -> bool:
    return next(element.iterancestors("p", "blockquote", "li"), None) is not None and any(
        BODY.search(_names(a)) for a in element.iterancestors()
    )


def _url_of(reader: Reader) -> str | None:
    node = reader.author_node
    if node is None:
        return None
    links = [
        a for a in [node, *node.iterancestors("a"), *node.iterdescendants("a")] if a.tag == "a"
    ]
    for link in links:
        href = (link.get("href") or "").strip()
        if (
            href
            and not href.startswith(("#", "javascript:", "mailto:"))
            and "replytocom" not in href
            and "#comment" not in href
        ):
            return href
    return None


def vote(readers: Sequence[Reader], learned: Sequence[str], which: str) -> list[str]:
    """Signatures of a field, best supported first; learned ones keep their place where they occur
    at all.
    """
    total: Counter[str] = Counter()
    values: dict[str, set[str]] = defaultdict(set)
    for reader in readers:
        found = reader.authors if which == "author" else reader.dates
        for path, candidate in found.items():
            total[path] += candidate[0]  # type: ignore[assignment]
            values[path].add(str(candidate[-1]))
    if which == "author":  # emphasis and headings that few units have are of their text
        seen = Counter(path for reader in readers for path in reader.authors)
        total = Counter(
            {p: n for p, n in total.items() if n > BARE * seen[p] or 2 * seen[p] >= len(readers)}
        )
    known = [path for path in learned if path in total]
    ranked = sorted(
        total, key=lambda p: (-total[p] * _variety(len(values[p]), len(readers)), -p.count(">"))
    )
    return known + [path for path in ranked if path not in known]


def _variety(different: int, units: int) -> float:
    """A "field" that says the same in all of many units is a label."""
    return 0.1 if units >= 4 and different == 1 else 1.0
