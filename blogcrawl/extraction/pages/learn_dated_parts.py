"""Learn from pages alone that several posts stand on each: a diary by months or by days, without a
feed. They begin at anchors or, where pages have none, at lines that are days.

A page of posts differs from a list, from one post with chapters, and from one with comments: no
headings lead to pages of the posts' own, each part has a day and text, there are several days on a
page, or each part states the single one or a time of it, they go one way, other pages have other
days, and less text than a post has stands before the first of them. Where the parts state nothing,
the page is named by its day alone, and each part links to itself or their numbers go on from page
to page: chapters belong to a title, and begin anew on each page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, time
from itertools import pairwise
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import MORE_PAGES, NEAR, NEARLY_ALL
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch, find_date, find_time
from blogcrawl.dates.url_date import url_day, url_near
from blogcrawl.extraction.fields.byline import is_aside
from blogcrawl.extraction.pages.day_lines import day_lines
from blogcrawl.extraction.pages.learn_post_splitter import ANY, Entries, cuts_of, forms_of
from blogcrawl.extraction.pages.multi_post import PartShape, anchor_of, anchors
from blogcrawl.extraction.pages.post_splitter import Part, inside, parts, place_of, shows, text_of
from blogcrawl.extraction.pages.several import HEADINGS, text_before, units
from blogcrawl.lexicon.comment_words import COMMENT_NAMES, UNIT_ID
from blogcrawl.text.lengths import MAX_DATE_LINE
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import squeeze
from blogcrawl.urls.canonical import TEXT, canonicalize, resource_kind, same_site

MAX_KINDS = 3
"""Kinds of anchors that are tried."""
_NUMBER = re.compile(r"[0-9]{1,18}")


class _Kind(NamedTuple):
    """Anchors of one tag at one kind of place: the fragments of each page."""

    tag: str
    place: str
    found: list[tuple[Page, list[str]]]
    lines: bool = False
    """Whether they are no anchors, but lines that are days."""


def learn_dated_parts(pages: Sequence[Page]) -> PartShape | None:
    """Learn how posts stand on pages that each have several; None where they do not."""
    found = (_kinds(pages, lines=lines) for lines in (False, True))
    shapes = (_best_shape([kind for kind in kinds if len(kind.found) > 1]) for kinds in found)
    return next(filter(None, shapes), None)


def learn_single_page(page: Page) -> PartShape | None:
    """Learn how posts stand on a start page that may have all of them, each with a link to itself;
    None where they do not."""
    shape = _best_shape(_kinds([page]))
    if shape is None:
        return None
    found = parts(page, anchors(page, shape), shape.cut)
    return (
        shape
        if sum(_links_to_itself(page, part) for part in found) >= NEARLY_ALL * len(found)
        else None
    )


def learn_diary_page(page: Page) -> PartShape | None:
    """Learn how posts stand on the only page of a site that has days; None where it has few lines
    that are days."""
    shape = _best_shape(_kinds([page], lines=True))
    return shape if shape is not None and len(anchors(page, shape)) >= MORE_PAGES else None


def _links_to_itself(page: Page, part: Part) -> bool:
    """Return whether a link in the part leads to its own place on the page."""
    hrefs = (link.get("href", "") for node in part.nodes for link in node.iter("a"))
    own = (href for href in hrefs if href.endswith(f"#{part.fragment}"))
    return any(canonicalize(page.absolute(href) or "") == canonicalize(page.url) for href in own)


def _best_shape(kinds: Sequence[_Kind]) -> PartShape | None:
    often = sorted(kinds, key=lambda kind: -sum(len(values) for _, values in kind.found))
    ways = [way for kind in often[:MAX_KINDS] for way in _ways(kind)]
    score, shape = max(ways, key=lambda way: (way[0], -way[1].cut.start), default=(0.0, None))
    return shape if score >= NEARLY_ALL else None


def _kinds(pages: Sequence[Page], *, lines: bool = False) -> list[_Kind]:
    """Return the kinds of anchors, or of lines that are days, that more pages have several of than
    a single one."""
    found: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for number, page in enumerate(pages):
        for node, value in _day_lines(page) if lines else _anchors(page):
            found[str(node.tag), place_of(node)][number].append(value)
    kinds, lists = [], {number for number, page in enumerate(pages) if units(page)}
    for (tag, place), by_page in found.items():
        many = [n for n, values in by_page.items() if len(values) > 1 and n not in lists]
        if len(many) > len(by_page) - len(many):
            found_on = [(pages[n], by_page[n]) for n in many[:MORE_PAGES]]
            kinds.append(_Kind(tag, place, found_on, lines))
    return kinds


def _anchors(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the anchors outside of sidebars, with their names; those of comments left out."""
    known: dict[HtmlElement, bool] = {}
    for node in page.tree.iter(etree.Element):
        value = anchor_of(node)
        if value and not UNIT_ID.match(value) and not is_aside(node, known):
            yield node, value


def _day_lines(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the lines that are days, outside of sidebars and comments, with their fragments."""
    known: dict[HtmlElement, bool] = {}
    for line in day_lines(page):
        if not is_aside(line.node, known) and not _is_of_comment(line.node):
            yield line.node, line.fragment


def _is_of_comment(node: HtmlElement) -> bool:
    """Return whether an element around it has a comment's number, or is called as comments are."""
    return any(map(_is_called_comment, (node, *node.iterancestors())))


def _is_called_comment(box: HtmlElement) -> bool:
    own = box.get("id") or ""
    named = COMMENT_NAMES.search(f"{own} {box.get('class') or ''}")
    return named is not None or UNIT_ID.match(own) is not None


def _ways(kind: _Kind) -> Iterator[tuple[float, PartShape]]:
    """Yield the ways of cutting at such anchors, with the share of them that have posts."""
    pages = [page for page, _ in kind.found]
    values = [value for _, values in kind.found for value in values]
    forms = (ANY,) if kind.lines else forms_of(values)
    shape = PartShape(
        tag=kind.tag,
        forms=forms,
        places=(kind.place,) if forms == (ANY,) else (),
        lines=kind.lines,
    )
    entries: Entries = [(page, values[0], "", "") for page, values in kind.found]
    for cut in cuts_of(lambda page: anchors(page, shape), entries):
        for each in (replace(cut, leads=()), cut):  # a heading of the month is no post's
            yield _share_of_posts(tried := replace(shape, cut=each), pages), tried


def _share_of_posts(shape: PartShape, pages: Sequence[Page]) -> float:
    """Return the share of anchors with a day and text of their own; 0 where the days of a page have
    no order, or other pages share them. One day is shared where it is all that two pages have."""
    named = [anchors(page, shape) for page in pages]
    found = [(page, parts(page, some, shape.cut)) for page, some in zip(pages, named, strict=True)]
    if not all(each and _begins(page, each) for page, each in found) or _are_lists(pages, shape):
        return 0.0
    total = sum(map(len, named))
    for day_first in (None, True, False):
        days = [_days(page, each, day_first) for page, each in found]
        if all(days) and _are_posts(found, days):
            return sum(map(len, days)) / total
    return 0.0


def _are_posts(
    found: Sequence[tuple[Page, Sequence[Part]]], days: Sequence[Sequence[date]]
) -> bool:
    """Return whether no page shares the days of another, and pages that state none are entries."""
    spans = sorted((min(each), max(each)) for each in days)
    silent = [one for one, each in zip(found, days, strict=True) if not _is_stated(*one, each)]
    is_apart = all(one[1] <= other[0] and one != other for one, other in pairwise(spans))
    return is_apart and (not silent or _are_entries_of_days(silent))


def _days(page: Page, found: Sequence[Part], day_first: bool | None) -> list[date]:
    """Return the days of the parts where they go one way, or the address's where none has any;
    ``day_first``: how numbers are read."""
    days = [day.pick(day_first).date() for part in found if (day := _day_of(part, page))]
    if days:
        return days if _go_one_way(days) else []
    named, near = url_day(page.url), url_near(page.url)
    return [near] * len(found) if near and named and named[2] else []


def _is_stated(page: Page, found: Sequence[Part], days: Sequence[date]) -> bool:
    """Return whether there are several days, or a single one that each part states in lines of its
    own, or its time, as chapters of one post do not."""
    if len(set(days)) > 1:
        return True
    times = [each for part in found if (each := _time_of(part))]
    own = sum(bool(_time_of(p) or _day_of(p._replace(lead=None), page)) for p in found)
    is_own = own >= max(2, NEARLY_ALL * len(found))
    return is_own and times in (sorted(times), sorted(times, reverse=True))


def _are_entries_of_days(pages: Sequence[tuple[Page, Sequence[Part]]]) -> bool:
    """Return whether several pages are named by their days alone, and each of their parts links to
    itself, or the parts' numbers go on from page to page."""
    lines = [_names(page, found[0]) for page, found in pages]
    shared = set.intersection(*(set(tokens(" ".join(some))) for some in lines))
    if len(pages) < 2 or any(_is_title(line, shared) for some in lines for line in some):
        return False
    is_linked = all(_links_to_itself(page, part) for page, found in pages for part in found)
    return is_linked or _go_on([[part.fragment for part in found] for _, found in pages])


def _names(page: Page, first: Part) -> list[str]:
    """Return the page's title and the headings before the first part, with the part's lead."""
    names = [title] if (title := squeeze(page.tree.findtext("head/title"))) else []
    for node in page.tree.iter(etree.Element):
        if node is first.nodes[0]:
            break
        if node.tag in HEADINGS or node is first.lead:
            names.append(text_of(node))
    return names


def _is_title(line: str, shared: set[str]) -> bool:
    """Return whether a line has words of its page's own besides a day and the name of the day."""
    found = find_date(line)
    rest = line[: found.span[0]] + line[found.span[1] :] if found is not None else line
    return len(set(tokens(rest)) - shared) > (found is not None)


def _go_on(fragments: Sequence[Sequence[str]]) -> bool:
    """Return whether the last numbers in fragments go on from page to page."""
    numbers = [[int(n[-1]) for each in some if (n := _NUMBER.findall(each))] for some in fragments]
    if any(len(n) < len(some) for n, some in zip(numbers, fragments, strict=True)):
        return False
    return all(max(one) < min(other) for one, other in pairwise(sorted(numbers)))


def _go_one_way(days: Sequence[date]) -> bool:
    """Return whether nearly all days are in order: by hand a few are written wrong."""
    steps = list(pairwise(days))
    ways = (sum(a <= b for a, b in steps), sum(a >= b for a, b in steps))
    return max(ways) >= NEARLY_ALL * len(steps)


def _begins(page: Page, found: Sequence[Part]) -> bool:
    """Return whether less text than a post has stands before the first one."""
    posts = sum(len(text_of(node)) for part in found for node in part.nodes)
    return text_before(page, found[0].nodes[0]) < posts / len(found)


def _are_lists(pages: Sequence[Page], shape: PartShape) -> bool:
    """Return whether one of the pages is a list where its parts begin at their anchors: with more
    before these, each would have the last line of the former, and the link in it."""
    cut = replace(shape.cut, start=0)
    return any(_is_list(page, parts(page, anchors(page, shape), cut)) for page in pages)


def _is_list(page: Page, found: Sequence[Part]) -> bool:
    """Return whether most parts lead to a page of the site that no other part leads to: their
    own."""
    here = canonicalize(page.url)
    linked = [_pages_linked(page, part) - {here} for part in found]
    often = Counter(url for urls in linked for url in urls)
    own = sum(any(often[url] == 1 for url in urls) for urls in linked)
    return 2 * own > len(found)


def _pages_linked(page: Page, part: Part) -> set[str]:
    """Return the canonical URLs of the site's pages that a part leads to, not those of files."""
    hrefs = [link.get("href", "") for node in part.nodes for link in node.iter("a")]
    urls = [url for href in hrefs if href and (url := page.absolute(href)) is not None]
    return {canonicalize(u) for u in urls if same_site(u, page.url) and resource_kind(u) == "page"}


def _time_of(part: Part) -> time | None:
    """Return the time in one of the part's first and last lines."""
    lines = [text for node in inside(part.nodes)[1] if shows(node) and (text := text_of(node))]
    short = (line for line in (*lines[:NEAR], *lines[-NEAR:]) if len(line) <= MAX_DATE_LINE)
    return next((found for line in short if (found := find_time(line))), None)


def _day_of(part: Part, page: Page) -> DateMatch | None:
    """Return the day in the heading above the part, or in its first and last lines, where it has
    text besides."""
    lines = [text for node in inside(part.nodes)[1] if shows(node) and (text := text_of(node))]
    if part.fragment.startswith(TEXT):
        known = {line.fragment: line.when for line in day_lines(page)}
        written = sum(map(len, lines))
        return known[part.fragment] if written > len(part.fragment) - len(TEXT) else None
    lead = [text_of(part.lead)] if part.lead is not None else []
    for line in (*lead, *lines[:NEAR], *lines[-NEAR:]):
        is_short = len(line) <= MAX_DATE_LINE
        found = find_date(line, page.tree.get("lang")) if is_short else None
        if found is not None:
            return found if line in lead or len(lines) > 1 else None
    return None
