"""Several posts on one page: lists of entries, found as repeated units that each carry a linked
heading, or as siblings that each have a day and a page of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, dropwhile
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import LEVELS, NEARLY_ALL
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.fields.byline import is_aside
from blogcrawl.text.lengths import MAX_DATE_LINE
from blogcrawl.text.visible import SILENT_TAGS, node_text
from blogcrawl.urls.canonical import canonicalize, same_site

HEADINGS = frozenset(("h1", "h2", "h3", "h4"))


def units(page: Page) -> list[tuple[HtmlElement, str]]:
    """Return the repeated units with the URL each heading links to, in document order; empty on a
    page with one post.

    A unit is a child of a common parent that holds one linked heading, the link leading to another
    page of the site.
    """
    blocks = blocks_of(page)
    groups: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    for heading, url in _linked_headings(page, blocks):
        # the chain of containers upwards: units of a list are children of one parent, with one tag
        step = heading
        for _level in range(LEVELS):
            parent = blocks.parent[step]
            if parent < 0:
                break
            groups[(parent, blocks.tags[step])].append((step, url))
            step = parent
    best: list[tuple[int, str]] = []
    for members in groups.values():
        if len(members) > len(best) and _are_units(members, blocks):
            best = sorted(members)
    return [(blocks.elements[number], url) for number, url in best]


def dated_entries(page: Page) -> list[str]:
    """Return the pages of a page's entries, in document order; empty on a page with one post.

    Entries are siblings of one kind, nearly all with a day in a short line or below one that is the
    day's, and with a link to a page that none of the others leads to. A post's comments and related
    posts come below its text: less than an entry's stands above entries.
    """
    best: list[str] = []
    for parent in page.tree.iter(etree.Element):
        kinds: dict[tuple[str, str | None], list[HtmlElement]] = defaultdict(list)
        for child in parent.iterchildren(etree.Element):
            kinds[str(child.tag), child.get("class")].append(child)
        for members in kinds.values():
            if not best and 1 < len(members) <= MAX_ELEMENTS:
                best = _pages_of_dated(page, _entries_among(page, members))
    return best


def _entries_among(page: Page, members: Sequence[HtmlElement]) -> Sequence[HtmlElement]:
    """Return the rows of a table without those above and below its entries that have no day: names
    of columns, ways to further pages; other elements as they are."""
    if members[0].tag != "tr":
        return members

    def is_undated(row: HtmlElement) -> bool:
        return not _states_day(row, page)

    rows = list(dropwhile(is_undated, members))
    return list(dropwhile(is_undated, rows[::-1]))[::-1]


def _pages_of_dated(page: Page, members: Sequence[HtmlElement]) -> list[str]:
    if not members:
        return []
    own = _own_pages(page, members)
    dated = sum(
        url is not None and _states_day(m, page) for m, url in zip(members, own, strict=True)
    )
    if dated < max(2, NEARLY_ALL * len(members)) or is_aside(members[0]):
        return []
    mean = sum(len(node_text(member)) for member in members) / len(members)
    return [url for url in own if url] if text_before(page, members[0]) < mean else []


def _own_pages(page: Page, members: Sequence[HtmlElement]) -> list[str | None]:
    """Return for each member the first page of the site that no other member leads to."""
    linked = [_linked_pages(page, member) for member in members]
    often = Counter(key for links in linked for key in links)
    return [next((url for key, url in links.items() if often[key] == 1), None) for links in linked]


def _linked_pages(page: Page, member: HtmlElement) -> dict[str, str]:
    """Return the other pages of the site that an element links to, by canonical address."""
    urls = (page.absolute(link.get("href", "")) for link in member.iter("a"))
    inside = {canonicalize(url): url for url in urls if url and same_site(url, page.url)}
    inside.pop(canonicalize(page.url), None)
    return inside


def _states_day(member: HtmlElement, page: Page) -> bool:
    """Return whether a short line of the member, or that above it and others of its kind, or the
    text next to a link in its line, is or holds a date."""
    lines = (node_text(node) for node in member.iter(etree.Element) if node.tag not in SILENT_TAGS)
    short = (line for line in lines if 0 < len(line) <= MAX_DATE_LINE)
    stated = chain(short, _above(member), _around(member))
    return any(find_date(line, page.tree.get("lang")) for line in stated)


def _around(link: HtmlElement) -> Iterator[str]:
    """Yield the short texts right before and behind a link: "<a>A walk</a> - 3 May 2004<br>"."""
    before, above = link.getprevious(), link.getparent()
    said = before.tail if before is not None else above.text if above is not None else None
    for text in (said, link.tail) if link.tag == "a" else ():
        if text and len(text) <= MAX_DATE_LINE:
            yield text


def _above(member: HtmlElement) -> Iterator[str]:
    """Yield the text of the nearest sibling of another kind before an element, if it is a line."""
    kind = member.tag, member.get("class")
    for elder in member.itersiblings(etree.Element, preceding=True):
        text = node_text(elder) if (elder.tag, elder.get("class")) != kind else ""
        if text:
            if len(text) <= MAX_DATE_LINE:
                yield text
            return


def text_before(page: Page, start: HtmlElement) -> int:
    """Return how many characters of running text stand before an element: a cell of links is a
    menu."""
    above, before = set(start.iterancestors()), 0
    for node in page.tree.iter(etree.Element):
        if node is start:
            break
        if node.tag in {"p", "blockquote", "pre", "td"} and node not in above:
            before += len(node_text(node)) - sum(len(node_text(link)) for link in node.iter("a"))
    return before


def _linked_headings(page: Page, blocks: Blocks) -> Iterator[tuple[int, str]]:
    """Yield number and URL of headings in a link or with one to another page; of a link around a
    heading the link's number.
    """
    here = _place(page.url)
    links = 0
    for i, tag in enumerate(blocks.tags):
        if tag != "a" or links > MAX_ELEMENTS:
            continue
        is_around = any(blocks.tags[child] in HEADINGS for child in blocks.children(i))
        heading = i if is_around else _heading_above(blocks, i)
        if heading is None:
            continue
        links += 1
        url = page.absolute(blocks.elements[i].get("href", ""))
        if url is not None and _place(url) != here:
            yield heading, url


def _heading_above(blocks: Blocks, i: int) -> int | None:
    """Return the number of the heading that is an element's parent or the parent's."""
    above = blocks.parent[i]
    if above >= 0 and blocks.tags[above] not in HEADINGS:
        above = blocks.parent[above]
    return above if above >= 0 and blocks.tags[above] in HEADINGS else None


def _are_units(members: Sequence[tuple[int, str]], blocks: Blocks) -> bool:
    """Return whether each of several children has one linked heading, they link to several pages,
    and they are not in a sidebar.
    """
    single = dict(members)
    return (
        len(single) == len(members) > 1
        and len(set(single.values())) > 1
        and not is_aside(blocks.elements[members[0][0]])
    )


def _place(url: str) -> str:
    """Return path and query: a copy of a blog may link to its first home's host."""
    parts = urlsplit(url)
    return unquote(parts.path).removesuffix("index.html").rstrip("/") + "?" + parts.query
