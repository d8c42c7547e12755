"""Whose blog it is, where no post says who wrote it: the start page introduces its owner in one way or another.

Each way alone misleads now and then, so they add up; the weights are judgements.  What comes out is the blog's usual author, asked
only where nothing on a post's page names one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lxml import etree

from blogcrawl.extraction.byline import document_title
from blogcrawl.extraction.dateline import copyright_holder, is_person
from blogcrawl.extraction.embedded import embedded, types_of
from blogcrawl.extraction.names import as_author, is_placeholder, is_site_name, site_names
from blogcrawl.frontier.canonical import host_of
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.similarity import fold
from blogcrawl.items import Feed
from blogcrawl.page import Page
from blogcrawl.text import node_text, squeeze

SURE = 0.6
"""Sum of weights from which the name counts."""
SHARE = 0.7
"""How much of the blog the owner is taken to have written (``authors_share``)."""
_BLOG = r"(?:web)?(?:blog|log|diary|journal|tagebuch|notes?|notizen|home\s?page|corner|space|site|seite|weblog)"
_OWNED = (
    re.compile(rf"^(?P<name>.{{2,40}}?)(?:['’]s?|s['’])\s+(?:\w+\s+)?{_BLOG}$", re.I),
    re.compile(rf"^(?:the|le|el|il|o|das|der)?\s*{_BLOG}\s+(?:of|by|von|vom|de|di|do|da|av|af|van|od)\s+(?P<name>.{{3,40}})$", re.I),
    re.compile(rf"^le\s+{_BLOG}\s+d['’](?P<name>.{{2,40}})$", re.I),
    re.compile(
        r"^(?P<name>[^\s·|,、。の的]{2,12})(?:さん)?(?:の(?:ブログ|日記|ホームページ|部屋)|的(?:个人)?(?:博客|部落格|空间|小站|個人網站))$"
    ),
    re.compile(r"^(?P<name>\S{2,12})의\s?(?:블로그|일기)$"),
    re.compile(r"^(?:персональный\s+|личный\s+)?(?:блог|дневник|сайт)\s+(?P<name>.{3,40})$", re.I),
)
"""Titles that say whose blog it is, in the wording of large blog languages."""
_NOBODY = frozenset(
    "today yesterday tomorrow world men women people mom mum dad kid kids children editor reader traveller traveler beginner developer"
    " year week summer life my our your the this god nature".split()
)
_INTRODUCED = re.compile(
    r"(?:\bI am|\bI['’]m|\bMy name is|\bIch bin|\bIch heiße|\bMein Name ist|\bJe suis|\bJe m['’]appelle|\bSoy|\bMe llamo|\bMi nombre es"
    r"|\bSono|\bMi chiamo|\bEu sou|\bMeu nome é|\bIk ben|\bMijn naam is|\bJag heter|\bJeg he(?:te|dde)r|\bNazywam się|\bМеня зовут)\s+"
    r"(?P<name>[^\W\d_a-z][\w'’.-]*(?:\s(?:[a-z]{2,3}\s)?[^\W\d_a-z][\w'’.-]*){0,3})"
)
_ABOUT = re.compile(r"^(?:about|über|sobre|à propos de|a propos de|om|over|o)\s+(?P<name>\S.{2,40})$", re.I)


def named(samples: Sequence[Sample]) -> list[Sample]:
    """The samples without authors that are no names (``admin``): engines write such where nobody has set one."""
    return [replace(s, entry=replace(s.entry, authors=())) if _unnamed(s) else s for s in samples]


def _unnamed(sample: Sample) -> bool:
    return bool(sample.entry.authors) and all(map(is_placeholder, sample.entry.authors))


def usual_author(constants: Mapping[str, Any], home: Page | None, feed: Feed | None, samples: Sequence[Sample]) -> dict[str, Any]:
    """``authors`` and ``authors_share`` for the blog's constants; {} where they are known, or nobody is named.

    ``samples`` as the feed has them: a name that is none is still better than no name at all.
    """
    if "authors" in constants or "names" in constants:
        return {}
    told = list(feed.authors) if feed is not None and len(feed.authors) == 1 and not is_placeholder(feed.authors[0]) else []
    if not told and home is not None and (owner := site_owner(home, feed.title if feed is not None else None)) is not None:
        told = [owner]
    if told:
        return {"authors": told, "authors_share": SHARE}
    empty = {author for s in samples for author in s.entry.authors if is_placeholder(author)}
    return {"authors": list(empty), "authors_share": SHARE} if len(empty) == 1 and all(s.entry.authors for s in samples) else {}


def site_owner(home: Page, title: str | None = None) -> str | None:
    """The person whom the start page names as its owner; ``title``: what the feed calls the blog."""
    sums: dict[str, float] = defaultdict(float)
    spelled: dict[str, str] = {}
    sites = site_names(home)
    host = re.sub(r"[^\w]", "", host_of(home.url))
    for text, weight, must_be_person in _told(home, title):
        name = as_author(text)
        if name is None or is_placeholder(name) or (must_be_person and not is_person(name)):
            continue
        if is_site_name(name, sites) and not is_person(name):
            continue
        key = fold(name).casefold()
        sums[key] += weight
        spelled.setdefault(key, name)
    for key in list(sums):
        if len(key) > 4 and re.sub(r"[^\w]", "", key) in host:
            sums[key] += 0.4
        for longer in sums:  # "I'm Jane" and "© Jane Doe"
            if longer != key and longer.startswith(key + " "):
                sums[longer] += sums[key]
    best = max(sums, key=lambda key: (sums[key], len(key)), default=None)
    return spelled[best] if best is not None and sums[best] >= SURE else None


def _told(home: Page, title: str | None) -> Iterator[tuple[str, float, bool]]:
    """Names with their weight, and whether they must look like a person's."""
    yield from ((name, 0.6, False) for name in _owners([title or "", *re.split(r"\s+[|–—:·»-]+\s+", document_title(home))]))
    yield from ((name, 0.7, True) for name in _cards(home))
    data = embedded(home)
    people = [item["name"] for item in data.linked if "Person" in types_of(item) and isinstance(item.get("name"), str)]
    if len(set(people)) == 1:
        yield people[0], 0.7, False
    holder = copyright_holder(home)
    if holder is not None:
        yield holder, 0.6, True
    yield from ((text, 0.3, True) for text in data.meta.get("author", [])[:1])
    for link in home.tree.iter("a", "link"):
        rel = (link.get("rel") or "").lower().split()
        if "author" in rel and link.tag == "a":
            yield node_text(link), 0.6, True
        elif link.tag == "a" and "about" in (link.get("href") or "").lower() and (match := _ABOUT.match(node_text(link))):
            yield match["name"], 0.5, True
    body = home.tree.find("body")
    match = _INTRODUCED.search(node_text(body)) if body is not None else None
    if match is not None:
        yield match["name"], 0.6 if is_person(match["name"]) else 0.3, False


def _owners(titles: Sequence[str]) -> Iterator[str]:
    seen = set()
    for text in map(squeeze, titles):
        for pattern in _OWNED:
            match = pattern.match(text)
            name = match["name"].strip() if match is not None else ""
            if name and name.split()[0].casefold() not in _NOBODY and name.casefold() not in seen and not name[0].islower():
                seen.add(name.casefold())
                yield name


_CARDS = etree.XPath(
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' h-card ') or contains(concat(' ', normalize-space(@class), ' '), ' vcard ')]"
    "[not(ancestor::article)]"
)
_CARD_NAMES = etree.XPath(
    ".//*[contains(concat(' ', normalize-space(@class), ' '), ' p-name ') or contains(concat(' ', normalize-space(@class), ' '), ' fn ')]"
)


def _cards(home: Page) -> Iterator[str]:
    """Cards of people that stand outside of entries (microformats2 h-card, vCard in HTML)."""
    cards: Any = _CARDS(home.tree)
    for card in cards[:3]:
        names: Any = _CARD_NAMES(card)
        yield node_text(names[0] if names else card)
