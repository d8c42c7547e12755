"""Who wrote a post, out of what stands in an author's place: several names in one text, and how
much the site's own name is worth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.names import (
    AND,
    as_author,
    declared_names,
    is_person,
    is_site_name,
    segments,
    title_names,
)
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text

_WEIGHTS = confidences("authors")

ORGANIZATION = "json-ld author, an organization"
"""Rule of the author that JSON-LD calls an organization."""
_COMMA = re.compile(r"\s{0,20}[,;/|]\s{1,20}(?:(?:und|and|et|y|e|&)\s{1,20})?|\s{0,20};\s{0,20}")
_COMPANY = re.compile(
    r"\b(?:GmbH|mbH|AG|SE|KG|OHG|UG|eG|Inc|LLC|Ltd|Limited|Corp|S\.?p\.?A|S\.?A|S\.?L|B\.?V|AB|"
    r"A/S|Oy|Pty|PLC)\b\.?|\be\.\s?V\b|^\S+\.[a-z]{2,4}$"
)
"""Legal forms, which no person has, and bare host names."""
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


def people_of(text: str) -> list[str]:
    """Return the persons named in an author's place: ``"Text: Ann Lee and Bo Day, AP"`` gives two;
    [] where none is.
    """
    pieces = _COMMA.split(text)
    people = [name for piece in pieces for name in _joined(piece)]
    named = [name for name in people if is_person(name)]
    if (
        (len(people) > 1 or len(pieces) > 1)
        and named
        and named[0] == people[0]
        and all(map(_is_office, set(people) - set(named)))
    ):
        return named
    whole = as_author(text)
    return [whole] if whole is not None else []


def _joined(text: str) -> list[str]:
    """Two or more persons' whole names with a conjunction between them; the text as one name where
    one side is no whole name.
    """
    parts = [as_author(part) or "" for part in AND.split(text)]
    if len(parts) == 1 or not all(map(is_person, parts)):
        parts = [as_author(text) or ""]
    return [part for part in parts if part]


def _is_office(word: str) -> bool:
    """Return whether a word behind a person's name is an agency's, a newsroom's or a degree:
    ``AP``, ``dpa``, ``PhD``.
    """
    return len(word.split()) == 1 and (
        word.islower() or not word[1:].islower() or word.casefold().startswith("redak")
    )


def weighed(page: Page, values: Sequence[FieldValue]) -> list[FieldValue]:
    """Weigh the candidates for a page's authors: the publisher is dropped, what is called like the
    site or no reader sees is doubted.
    """
    declared, called = declared_names(page), title_names(page)
    is_bylined = any(_is_byline(v.value, called) for v in values if v.rule not in _OF_HEAD)
    out = []
    for value in values:
        value = replace(value, value=[segments(name, called) for name in value.value])
        if not _is_publishers(value, declared, called):
            is_hidden = is_bylined and value.rule in _OF_HEAD
            out.append(_doubted(value, declared, called if is_hidden else frozenset()))
    if _needs_sight(out):
        body = page.tree.find("body")
        seen = fold(node_text(page.tree if body is None else body)).casefold()
        out = [_unless_shown(value, seen) for value in out]
    return [_in_full(value, out) for value in out]


def _doubted(value: FieldValue, declared: frozenset[str], called: frozenset[str]) -> FieldValue:
    """Return a candidate, less certain if it is named as the site declares itself or is called."""
    if _names_site(value, declared):
        factor = _WEIGHTS["as_site"]
    elif _names_site(value, called):
        factor = _WEIGHTS["as_host"]
    else:
        return value
    return replace(value, confidence=round(factor * value.confidence, 3))


def _is_publishers(value: FieldValue, declared: frozenset[str], called: frozenset[str]) -> bool:
    """Return whether a place that no reader sees names only the publisher."""
    return value.rule in _OF_HEAD and all(
        _is_publisher(name, value.rule, declared, called) for name in value.value
    )


def _names_site(value: FieldValue, names: frozenset[str]) -> bool:
    return any(is_site_name(person, names) for person in value.value)


def _is_byline(people: Sequence[str], called: frozenset[str]) -> bool:
    """Return whether all are persons' names, and none the site's as its title has it."""
    return all(is_person(name) and not is_site_name(name, called) for name in people)


def _needs_sight(values: Sequence[FieldValue]) -> bool:
    """Return whether what readers see decides: sources differ, or one is the meta element that
    themes fill.
    """
    return len({tuple(value.value) for value in values}) > 1 or any(
        value.rule == "meta author" for value in values
    )


_OF_HEAD = frozenset(
    (
        ORGANIZATION,
        "json-ld author",
        "microdata author",
        "meta author",
        "meta dc.creator",
        "meta article:author",
        "meta sailthru.author",
        "meta twitter:data1",
    )
)
"""Places that no reader sees, which themes and systems fill with the publisher."""


def _is_publisher(
    name: str, rule: str | None, declared: frozenset[str], called: frozenset[str]
) -> bool:
    if _COMPANY.search(name):
        return True
    return rule == ORGANIZATION and (is_site_name(name, declared) or is_site_name(name, called))


def _unless_shown(value: FieldValue, seen: str) -> FieldValue:
    """A name that no reader sees is doubted: where sources differ, and always in the one place that
    themes fill.
    """
    if any(fold(person).casefold() in seen for person in value.value):
        return value
    if value.rule == "meta author":
        return replace(value, confidence=min(_WEIGHTS["hidden"], value.confidence))
    return replace(value, confidence=round(_WEIGHTS["unseen"] * value.confidence, 3))


def _in_full(value: FieldValue, others: Sequence[FieldValue]) -> FieldValue:
    """Return the name as the byline has it: whole, where another place has but the first name, and
    without an office before it.
    """
    if len(value.value) != 1:
        return value
    name = value.value[0]
    for other in others:
        if len(other.value) == 1 and is_person(other.value[0]):
            is_first = " " not in name and other.value[0].split()[0] == name
            if is_first or (other.rule in _LINKS and name.endswith(" " + other.value[0])):
                return replace(value, value=other.value)
    return value


_LINKS = ("rel=author", "author page")
