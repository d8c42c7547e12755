"""The blog's owner, for posts without an author: the start page introduces them in several ways.

Each way alone misleads now and then, so they add up; the weights are judgements. The result is the
blog's usual author, used only where nothing on a post's page names one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.evidence import FOLLOWING, MAJORITY
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.extraction.fields.author_lines import copyright_holder, no_holder
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.embedded import Embedded, classed, embedded, types_of
from blogcrawl.extraction.fields.names import (
    as_author,
    is_person,
    is_placeholder,
    is_site_name,
    site_names,
)
from blogcrawl.extraction.policy import PROVED
from blogcrawl.induction.ruleset import Sample
from blogcrawl.lexicon.vocabulary import any_of, word_set
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text, paragraphs, squeeze
from blogcrawl.urls.canonical import host_of

_BLOG = rf"(?:web)?(?:{any_of('bylines', 'blog')})"
_OWNED = (
    re.compile(
        rf"^(?P<name>.{{2,40}}?)(?:['’]s?|s['’])\s{{1,20}}(?:\w{{1,40}}\s{{1,20}})?{_BLOG}$", re.I
    ),
    re.compile(
        rf"^(?:the|le|el|il|o|das|der)?\s{{0,20}}{_BLOG}\s{{1,20}}"
        rf"(?:{any_of('bylines', 'blog_of')})\s{{1,20}}(?P<name>.{{3,40}})$",
        re.I,
    ),
    re.compile(rf"^le\s{{1,20}}{_BLOG}\s{{1,20}}d['’](?P<name>.{{2,40}})$", re.I),
    re.compile(
        r"^(?P<name>[^\s·|,、。の的]{2,12})(?:さん)?(?:の(?:ブログ|日記|ホームページ|部屋)|的(?:个人)?(?:博客|部落格|空间|小站|"
        r"個人網站))$"
    ),
    re.compile(r"^(?P<name>\S{2,12})의\s?(?:블로그|일기)$"),
    re.compile(
        r"^(?:персональный\s{1,20}|личный\s{1,20})?(?:блог|дневник|сайт)\s{1,20}(?P<name>.{3,40})$",
        re.I,
    ),
)
"""Titles that say whose blog it is, in the wording of large blog languages."""
_NICK = re.compile(r"[^\W\d_][\w.-]{1,30}\d")
"""In small letters a subject ("Blog de cuisine"), but for the digits."""
_NOT_OWNERS = word_set("bylines", "not_owner")
_WORD = r"(?:(?:[^\W\d_a-z]|Dr|Mrs?|Ms|St|Prof)\.(?=\s)|[^\W\d_a-z][\w'’-]*)"
"""A word of a name, an initial or a title: any other full stop ends the sentence."""
_INTRODUCED = re.compile(
    rf"\b(?:{any_of('bylines', 'i_am')})\s+"
    rf"(?P<name>{_WORD}(?:\s(?:[a-z]{{2,3}}\s)?{_WORD}){{0,3}})"
)
_BOX = re.compile(rf"^(?:{any_of('bylines', 'about')})\s*[:：!.]?$", re.I)
"""Headings of the boxes in which bloggers present themselves."""
_HAN_NAME = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,"
    r"8}(?:\s[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,6})?"
)
_PERSON = (
    r"(?P<name>[^\W\d_][^|·•∙,/()<>\d:：©.;\n]{3,40}?)"
    r"(?=\s*(?:$|[|·•∙,/(.;:©\n]|[-–—~]\s|\s(?:since|seit|depuis|desde|dal|in|and|und)\b))"
)
_FOOT = (
    re.compile(
        (
            rf"\b{_BLOG}\s{{1,20}}(?:(?:is\s)?(?:written|maintained|run|kept|published)\s)?(?:by|"
            rf"von|par|por|di|av|af|door)\s{{1,20}}{_PERSON}"
        ),
        re.I,
    ),
    re.compile(
        r"\b(?:written|maintained|kept|run|published|words|texts?|content|geschrieben|betrieben|"
        r"verantwortlich|rédigé|écrit|escrito|scritto)"
        rf"\s{{1,20}}(?:(?:and|&|und|et|y|e)\s\w{{1,40}}\s)?(?:by|von|par|por|da|di)\s{{1,"
        rf"20}}{_PERSON}",
        re.I,
    ),
    re.compile(
        (
            rf"(?<!\d)(?:19|20)\d\d\s{{0,20}}[-–—]\s{{0,20}}(?:(?:19|20)\d\d|present|today|"
            rf"heute)\s{{1,20}}{_PERSON}"
        ),
        re.I,
    ),
)
"""What a page's foot says of its blogger without any ©."""
_INNER = tuple("p div li span strong b em dt dd h3 h4 h5 h6 td".split())
_TEXT = tuple("p div li td dd blockquote section aside article body".split())
_PROFILE_NAME = re.compile(
    r"(?:^|\s)(?:user|blog)?(?:profile|owner|aboutme)[\w-]*(?:name|nick)(?:-link)?(?:$|\s)", re.I
)
"""Classes of the name in the box that introduces a blog's owner: Blogger's ``profile-name-link``,
Ameba's ``profileUserNickname``, Sina's ``ownernick``.
"""
_PROFILE_OF = re.compile(
    r"^(?:(?:view|voir|see)\s+)?(?:le\s+)?(?:profile?|perfil|profilo|profiel)\s+(?:of|de|von|di|"
    r"do|da|van)\s+(?P<name>\S.{1,40})$"
    r"|^(?P<whose>\S.{1,40}?)(?:['’]s\s+profile|\s?さんのプロフィール|的(?:个人资料|個人資料|個人檔案)|\s?님의\s프로필)$",
    re.I,
)
"""Links to the page on which a hosted blog's owner is presented."""
_ABOUT = re.compile(
    r"^(?:about|über|sobre|à propos de|a propos de|om|over|o)\s+(?P<name>\S.{2,40})$", re.I
)


def named(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples without authors that are no names (``admin``): engines write such where no
    one has set one.
    """
    return [replace(s, entry=replace(s.entry, authors=())) if _unnamed(s) else s for s in samples]


def _unnamed(sample: Sample) -> bool:
    return bool(sample.entry.authors) and all(map(is_placeholder, sample.entry.authors))


def usual_author(home: Page | None, feed: Feed | None, samples: Sequence[Sample]) -> str | None:
    """Return the author of a blog whose entries name none: whom the feed or the start page names.

    ``samples`` as the feed has them: a placeholder is still better than no name at all.
    """
    title = feed.title if feed is not None else None
    return (
        _feed_author(feed)
        or (site_owner(home, title) if home is not None else None)
        or _only_placeholder(samples)
    )


def _feed_author(feed: Feed | None) -> str | None:
    """Return the only author of the feed itself, unless a placeholder."""
    authors = feed.authors if feed is not None else ()
    return authors[0] if len(authors) == 1 and not is_placeholder(authors[0]) else None


def _only_placeholder(samples: Sequence[Sample]) -> str | None:
    """Return the placeholder that stands for an author in the entries, where all name some."""
    if not all(s.entry.authors for s in samples):
        return None
    return _only(author for s in samples for author in s.entry.authors if is_placeholder(author))


def _only(names: Iterable[str]) -> str | None:
    """Return the name where all are the same, else None."""
    distinct = set(names)
    return distinct.pop() if len(distinct) == 1 else None


def site_owner(home: Page, title: str | None = None) -> str | None:
    """Return the person whom the start page names as its owner; ``title``: what the feed calls the
    blog.
    """
    sums: dict[str, float] = defaultdict(float)
    spelled: dict[str, str] = {}
    sites = site_names(home)
    for text, weight, must_be_person in _owner_names(home, title):
        name = as_author(text)
        if name is None or not _may_own(name, must_be_person, sites):
            continue
        key = fold(name).casefold()
        sums[key] += weight
        spelled.setdefault(key, name)
    _add_up_spellings(sums, re.sub(r"[^\w]", "", host_of(home.url)))
    best = max(sums, key=lambda key: (sums[key], len(key)), default=None)
    return spelled[best] if best is not None and sums[best] >= PROVED else None


def _may_own(name: str, must_be_person: bool, sites: frozenset[str]) -> bool:
    """Return whether a name can be an owner's: a placeholder's cannot, the site's only if a
    person's."""
    if is_placeholder(name):
        return False
    return is_person(name) or not (must_be_person or is_site_name(name, sites))


def _add_up_spellings(sums: dict[str, float], host: str) -> None:
    """Add to each name's weight that of the host ``host`` that has it, and that of its short forms:
    "I'm Jane" and "© Jane Doe".
    """
    for key in list(sums):
        if len(key) > 4 and re.sub(r"[^\w]", "", key) in host:
            sums[key] += 0.4
        for longer in sums:
            if longer != key and longer.startswith(key + " "):
                sums[longer] += sums[key]


def _owner_names(home: Page, title: str | None) -> Iterator[tuple[str, float, bool]]:
    """Yield the names of possible owners with their weight, and whether they must look like a
    person's.
    """
    data = embedded(home)
    titles = [title or "", *re.split(r"\s[|–—:·»-]++\s", document_title(home))]
    places: tuple[tuple[Iterable[str | None], float, bool], ...] = (
        (_owners(titles), 0.6, False),
        (_cards(home), 0.7, True),
        ([_only(_profile_names(home))], 0.6, False),
        ([_only(_profile_links(home))], 0.6, False),
        ([_only(_linked_people(data))], 0.7, False),
        ([copyright_holder(home)], 0.6, True),
        (data.meta.get("author", [])[:1], 0.3, True),
    )
    for names, weight, must_be_person in places:
        yield from ((name, weight, must_be_person) for name in names if name)
    yield from _link_names(home)
    body = home.tree.find("body")
    if body is not None:
        yield from _body_names(body)


def _profile_names(home: Page) -> Iterator[str]:
    """Yield the names in boxes of profiles, known by their class or id."""
    identified = ((node, node.get("id", "")) for node in home.tree.iter(*_INNER))
    for node, label in chain(classed(home), identified):
        if _PROFILE_NAME.search(label) and (text := node_text(node)):
            yield text


def _profile_links(home: Page) -> Iterator[str]:
    """Yield the names in links to profiles ("View Jane's profile")."""
    for a in home.tree.iter("a"):
        if match := _PROFILE_OF.match(node_text(a)):
            yield match["name"] or match["whose"]


def _linked_people(data: Embedded) -> Iterator[str]:
    """Yield the names of the persons in JSON-LD."""
    for item in data.linked:
        if "Person" in types_of(item) and isinstance(item.get("name"), str):
            yield item["name"]


def _link_names(home: Page) -> Iterator[tuple[str, float, bool]]:
    """Yield the names in links of type ``author`` and in links to the about page. What stands in
    one post names its author, who wrote the others only if most are signed so.
    """
    posts = [post for post in home.tree.iter("article") if post.find(".//article") is None]
    signed: Counter[str] = Counter()
    for link in home.tree.iter("a"):
        if "author" in link.get("rel", "").lower().split():
            name = node_text(link)
            is_in_post = next(link.iterancestors("article"), None) is not None
            signed[name] += is_in_post
            if not is_in_post or signed[name] >= MAJORITY * len(posts):
                yield name, 0.6, True
        elif "about" in link.get("href", "").lower():
            match = _ABOUT.match(node_text(link))
            if match is not None:
                yield match["name"], 0.5, True


def _body_names(body: HtmlElement) -> Iterator[tuple[str, float, bool]]:
    """Yield the names in "about me" boxes, in the foot, and after "I am" in running text."""
    yield from ((name, 0.6, False) for name in _boxes(body))
    foot = paragraphs(body)[-MAX_READ:]
    written = [match["name"].strip() for pattern in _FOOT for match in pattern.finditer(foot)]
    yield from ((name, 0.6, True) for name in written[-1:] if not no_holder(name))
    match = next(_introductions(body), None)
    if match is not None:
        yield match["name"], 0.6 if is_person(match["name"]) else 0.3, False


def _boxes(body: HtmlElement) -> Iterator[str]:
    """Yield the first name after the heading of an "about me" box."""
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6", "strong", "b", "legend", "dt"):
        if _BOX.match(node_text(heading)) is None or heading.find(".//a") is not None:
            continue
        follow = islice((e for e in heading.itersiblings() if isinstance(e.tag, str)), 4)
        for element in islice((inner for e in follow for inner in e.iter("a", *_INNER)), FOLLOWING):
            text = node_text(element).strip(" .,!:")
            if is_person(text) or _HAN_NAME.fullmatch(text):
                yield text
                return


def _introductions(body: HtmlElement) -> Iterator[re.Match[str]]:
    """ "I am Jane Doe" in running text. In a headline ("I'm Moving To China") all words have
    capitals.
    """
    titles = {node_text(node) for node in body.iter("h1", "h2", "h3", "h4", "a")}
    for block in body.iter(*_TEXT):
        if any(
            text and not text.isspace() for text in (block.text, *(child.tail for child in block))
        ):
            match = _INTRODUCED.search(node_text(block))
            if match is not None and not any(match[0] in title for title in titles):
                yield match


def _owners(titles: Sequence[str]) -> Iterator[str]:
    seen = set()
    for text in map(squeeze, titles):
        for pattern in _OWNED:
            match = pattern.match(text)
            name = match["name"].strip() if match is not None else ""
            if (
                name
                and name.split()[0].casefold() not in _NOT_OWNERS
                and name.casefold() not in seen
                and (not name[0].islower() or _NICK.fullmatch(name))
            ):
                seen.add(name.casefold())
                yield name


_CARDS = etree.XPath(
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' h-card ') or contains(concat(' "
    "', normalize-space(@class), ' '), ' vcard ')]"
    "[not(ancestor::article)]"
)
_CARD_NAMES = etree.XPath(
    ".//*[contains(concat(' ', normalize-space(@class), ' '), ' p-name ') or contains(concat(' "
    "', normalize-space(@class), ' '), ' fn ')]"
)


def _cards(home: Page) -> Iterator[str]:
    """Yield cards of people that stand outside of entries (microformats2 h-card, vCard in HTML)."""
    cards: Any = _CARDS(home.tree)
    for card in cards[:3]:
        names: Any = _CARD_NAMES(card)
        yield node_text(names[0] if names else card)
