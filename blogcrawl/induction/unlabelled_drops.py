"""Rules for parts of the content node that are no content and have no name: a paragraph that ends
all posts, links to the posts next to.

What such parts have in common over the pages of a blog is their heading, how they begin, that they
are links at an edge of the node, or what they say apart from numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from string import digits

from lxml.html import HtmlElement
from msgspec.structs import replace

from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.selectors import position_xpath, quote
from blogcrawl.induction.apply import compiled, elements
from blogcrawl.induction.content_rules import PLAIN_PARTS
from blogcrawl.induction.learn import Prepared
from blogcrawl.induction.ruleset import Rule
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.urls.canonical import media_kind

KEY = 8
"""Characters with which alike parts begin."""
EDGE = 2
"""Places from an edge of the content's node at which links to other posts are looked for."""
BETWEEN = 12
"""Characters between such links ("Previous: ", " | ")."""
_LINKS = f"[.//a][not(.//text()[not(ancestor::a)][string-length(normalize-space(.))>{BETWEEN}])]"
_ARE_LINKS = compiled(f"self::*{_LINKS}")
_VARYING = re.compile(r"(?<!\w)\w+$|\d.*")
"""At the end of what is alike: "Post 1" of "Post 17" and "Post 18", "2 years" of those ago."""
_NO_DIGITS = str.maketrans("", "", digits)
_BLANK = re.compile(r"[ \t\r\n]+")
HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
PARTS = PLAIN_PARTS | HEADINGS | {"a"}
Worth = Callable[[Prepared, int], int]
Parts = Sequence[tuple[Prepared, Sequence[int]]]


def unnamed_drops(parts: Parts, worth: Worth, *, need: int, share: float) -> list[Rule]:
    """Return rules, relative to the content node, that match unlabelled parts of it on ``need``
    pages at least.

    ``parts``: samples with the topmost elements that hold (nearly) no content and that no other
    rule drops, of which those that link to sounds, films and documents are content all the same;
    ``worth``: words of an element that are content, of which no more than ``share`` may be dropped
    on any page.
    """
    left = [(p, [i for i in nodes if p.index.tags[i] in PARTS]) for p, nodes in parts]
    if sum(bool(nodes) for _, nodes in left) < need:
        return []
    rules: list[Rule] = []
    for propose in (_by_edge, _by_heading, _below_heading, _by_beginning, _by_words):
        for xpath in propose(left, need):
            rule = Rule(field="content.drop", xpath=xpath, support_tried=len(parts), mean_score=1.0)
            found = _found_on_all(rule, parts, worth, share)
            right = sum(map(bool, found))
            if right >= need:
                rules.append(replace(rule, support_right=right))
                left = [_without(*page, gone) for page, gone in zip(left, found, strict=True)]
    return rules


def _found_on_all(rule: Rule, parts: Parts, worth: Worth, share: float) -> list[list[int]]:
    """Return what a rule drops on each page; nothing at all where it drops content on one."""
    found: list[list[int]] = []
    for p, _ in parts:
        nodes = _found(rule, p, worth, share)
        if nodes is None:
            return []
        found.append(nodes)
    return found


def _without(p: Prepared, nodes: Sequence[int], gone: Sequence[int]) -> tuple[Prepared, list[int]]:
    """Leave out the nodes that are among those gone or inside one."""
    return p, [i for i in nodes if not any(top <= i < p.index.end[top] for top in gone)]


def _links_files(page: Page, element: HtmlElement) -> bool:
    """Return whether an element links to a sound, a film or a document: what an author gives."""
    links = (page.absolute(link.get("href", "")) for link in element.iter("a"))
    kinds = (media_kind(url) for url in links if url)
    return any(kind in ("audio", "video", "document") for kind in kinds)


def _text_of(element: HtmlElement) -> str:
    """All text as XPath's ``normalize-space`` gives it."""
    return _BLANK.sub(" ", "".join(element.itertext())).strip(" ")


def _by_heading(looked: Parts, need: int) -> list[str]:
    """Return boxes of a tag that begin with the same heading: "Related", and other links on each
    page."""
    pages: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for p, nodes in looked:
        for i in nodes:
            first = next((k for k in p.index.children(i) if p.index.length(k)), None)
            if first is not None and p.index.tags[first] in HEADINGS:
                heading = _text_of(p.index.elements[first])
                pages[p.index.tags[i], p.index.tags[first], heading].add(id(p))
    return [
        f".//{tag}[*[normalize-space(.)][1][self::{level}][normalize-space(.)={quote(heading)}]]"
        for (tag, level, heading), found in pages.items()
        if len(found) >= need and len(heading) <= MAX_BYLINE
    ]


def _below_heading(looked: Parts, need: int) -> list[str]:
    """Return elements that are links and little between them, each with the heading right above it
    that is the same on the pages."""
    pages: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for p, nodes in looked:
        for above, i in pairwise(nodes):
            is_headed = (
                p.index.tags[above] in HEADINGS and p.index.parent[above] == p.index.parent[i]
            )
            if is_headed and _ARE_LINKS(p.index.elements[i]):
                heading = _text_of(p.index.elements[above])
                pages[p.index.tags[above], heading, p.index.tags[i]].add(id(p))
    return [
        f".//{level}[normalize-space(.)={quote(heading)}]"
        f"[following-sibling::*[1][self::{tag}]{_LINKS}]"
        f" | .//{tag}{_LINKS}[preceding-sibling::*[1][self::{level}]"
        f"[normalize-space(.)={quote(heading)}]]"
        for (level, heading, tag), found in pages.items()
        if len(found) >= need and len(heading) <= MAX_BYLINE
    ]


def _by_beginning(looked: Parts, need: int) -> list[str]:
    """Return elements of a tag that begin alike."""
    alike: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for p, nodes in looked:
        for i in nodes:
            text = _text_of(p.index.elements[i])
            alike[p.index.tags[i], text[:KEY]].setdefault(id(p), text)
    shared = (
        _shared(tag, [*texts.values()]) for (tag, _), texts in alike.items() if len(texts) >= need
    )
    return [f".//{condition}" for condition in shared if condition]


def _by_words(looked: Parts, need: int) -> list[str]:
    """Return lines of a tag that are one text apart from their numbers: "12 views"."""
    pages: dict[tuple[str, str], set[int]] = defaultdict(set)
    for p, nodes in looked:
        for i in nodes:
            text = _text_of(p.index.elements[i])
            words = text.translate(_NO_DIGITS)
            if len(text) <= MAX_BYLINE and words != text and any(map(str.isalpha, words)):
                pages[p.index.tags[i], words].add(id(p))
    return [
        f".//{tag}[translate(normalize-space(.),'{digits}','')={quote(words)}]"
        for (tag, words), found in pages.items()
        if len(found) >= need
    ]


def _shared(tag: str, texts: Sequence[str]) -> str | None:
    """Return tag and condition of elements with these texts; None where too little is alike."""
    same = _common_start(texts)
    if len(set(texts)) > 1:
        beginning = _VARYING.sub("", same)
    elif tag in HEADINGS:  # it shows what it heads: "Comments"
        return None
    elif len(same) <= MAX_BYLINE:
        return f"{tag}[normalize-space(.)={quote(same)}]"
    else:
        beginning = same
    if len(beginning) < KEY:
        return None
    return f"{tag}[starts-with(normalize-space(.),{quote(beginning[:MAX_BYLINE])})]"


def _common_start(texts: Sequence[str]) -> str:
    """Return the characters with which all the texts begin."""
    columns = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in columns)


def _paths_by_edge(index: PageIndex, i: int, top: int) -> Iterator[str]:
    """Yield the paths from ``top`` to an element by its place from each edge that is near."""
    path, at = [], index.parent[i]
    while at != top:
        path.append(index.tags[at])
        at = index.parent[at]
    siblings = [k for k in index.children(index.parent[i]) if index.length(k)]
    before = siblings.index(i)
    behind = len(siblings) - 1 - before
    for position, distance in ((before + 1, before), (-behind - 1, behind)):
        if distance < EDGE:
            place = f"*[normalize-space(.)]{position_xpath(position)}"
            yield "/".join([".", *reversed(path), f"{place}[self::{index.tags[i]}]{_LINKS}"])


def _by_edge(looked: Parts, need: int) -> list[str]:
    """Return elements at an edge that are links and little between them."""
    pages: dict[str, set[int]] = defaultdict(set)
    for p, nodes in looked:
        index, top = p.index, p.top
        for i in nodes:
            if index.depth[i] - index.depth[top] <= NEAR and _ARE_LINKS(index.elements[i]):
                for xpath in _paths_by_edge(index, i, top):
                    pages[xpath].add(id(p))
    return [xpath for xpath, found in pages.items() if len(found) >= need]


def _found(rule: Rule, p: Prepared, worth: Worth, share: float) -> list[int] | None:
    """Return the elements with words that the rule finds; None where it would drop content."""
    index, top = p.index, p.top
    numbers = (index.where.get(element) for element in elements(index.elements[top], rule))
    found = [i for i in numbers if i is not None and index.length(i)]
    words = sum(map(index.length, found))
    if any(_links_files(p.sample.page, index.elements[i]) for i in found):
        return None
    return None if sum(worth(p, i) for i in found) > share * words else found
