"""Pages that list posts, by what their address and anchor say: archives, months, "older posts"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote, urljoin

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dates.url_date import url_day
from blogcrawl.discovery.links import is_scoped
from blogcrawl.dom.links import Link, page_links
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import (
    LANGUAGE_CODE,
    Scope,
    canonicalize,
    host_of,
    same_site,
    without_language,
)
from blogcrawl.urls.page_kinds import LIST_PATHS
from blogcrawl.urls.parts import as_read
from blogcrawl.urls.tables import NO_DATE_BEFORE

HubKind = Literal["all", "next", "month", "list"]

_ALL_URL = re.compile(
    rf"/(?:{any_of('navigation', 'archive_path')})(?:/index)?(?:\.(?:html?|php|aspx?))?/?$",
    re.IGNORECASE,
)
_ALL_ANCHOR = re.compile(rf"^\W*(?:{any_of('navigation', 'archive_link')})\W*$", re.IGNORECASE)
_NEXT_ANCHOR = re.compile(rf"^\W*(?:{any_of('navigation', 'older_link')})\W*$", re.IGNORECASE)
_PAGE_URL = re.compile(
    r"(?:/(?:page|seite|pagina|p)[/-]?\d{1,4}(?:\.html?)?/?$|/(?:index|page)[-_]?\d{1,"
    r"4}\.html?$|[?&](?:paged?|p|start|offset|"
    r"skip)=\d{1,5}$|[?&]updated-max=|"
    r"[?&](?:cursor|before|after|until|max_?id|page_?token|older_?than)=[\w%:.+-]{3,200}$)",
    re.IGNORECASE,
)
_MONTH_URL = re.compile(
    NO_DATE_BEFORE
    + r"/(?:19|20)\d{2}(?:[/_-](?:0?[1-9]|1[0-2]))?(?:_archive\.html|\.html?|/index\.html?)?/?$|"
    r"[?&]m=(?:19|20)\d{4}$|/date/(?:19|20)\d{4}$|"
    r"/archives?/(?:date/)?(?:19|20)\d{2}(?:[/_-]?\d{1,2})?(?:\.html?)?/?$|/blog-date-(?:19|"
    r"20)\d{4,6}(?:-\d+)?\.html$",
    re.IGNORECASE,
)

_FORMER = re.compile(
    rf"^\W*(?:{any_of('navigation', 'former_blog', 'archive_link')})\W*$", re.IGNORECASE
)
_LANGUAGE = re.compile(rf"^\W*(?:{any_of('navigation', 'language')})\W*$", re.IGNORECASE)
_RANDOM = re.compile(rf"^\W*(?:{any_of('navigation', 'random_post')})\W*$", re.IGNORECASE)
_PAGE_OF = re.compile(
    rf"\b(?:{any_of('navigation', 'page_of.page')})\s{{1,3}}([0-9]{{1,4}})\s{{1,3}}"
    rf"(?:{any_of('navigation', 'page_of.of')})\s{{1,3}}([0-9]{{1,4}})\b",
    re.IGNORECASE,
)
"""``Page 3 of 6``: the number of a list's page, and how many there are."""
_YEARS = re.compile(
    r"(?:©|\(c\)|\bcopyright\b)[^\d\n]{0,40}((?:19|20)\d\d)\s?[-–—/]\s?(?:19|20)?\d\d\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"[\W_]{0,5}[(\[（]\s?([0-9]{1,4})\s?[)\]）]")
"""A number of posts next to a link: ``July 2011 (12)``."""
_YEAR_LABEL = re.compile(r"((?:19|20)[0-9]{2})(?=\s?[(\[（]|$)")
_BARE_COUNT = re.compile(r"(?!(?:19|20)[0-9]{2})[0-9]{1,4}")
"""The same in an element of its own, and no year: ``Travel <span>12</span>``."""
_COUNT_TAGS = frozenset(("span", "small", "em", "i", "b", "sup"))

_MENU = re.compile(
    r"(?:^|>)nav\b|(?:^|[>.-])(?:nav|navbar|navigation|menu|topbar)(?:$|[>_-])|-menu\b|"
    r"^(?!(?:.*>)?article\b).*(?:^|>)footer"
)
"""Tag paths of menus and footers; the footer of an article is not the site's."""


def in_menu(link: Link) -> bool:
    """Return whether this is one of the few words of a site's menu or footer that name pages, not
    posts.
    """
    return (
        bool(_MENU.search(link.tag_path))
        and len(link.anchor.split()) <= 3
        and len(link.anchor) <= 30
    )


def _kind_of_address(where: str) -> HubKind | None:
    """Return the kind by path and query; a query picks a part of an archive."""
    query = where.partition("?")[2]
    if _MONTH_URL.search(where) or (query and LIST_PATHS["date"].search(f"?{query}")):
        return "month"
    if _PAGE_URL.search(where):
        return "next"
    return "all" if _ALL_URL.search(where) else None


def _kind_of_anchor(anchor: str) -> HubKind | None:
    if _ALL_ANCHOR.match(anchor):
        return "all"
    return "next" if _NEXT_ANCHOR.match(anchor) else None


def hub_kind(link: Link) -> HubKind | None:
    """Return the kind of listing a link leads to: ``all`` (everything on a page), ``next`` (older
    posts), ``month``; None for no listing.
    """
    if is_scoped(link.url):
        return None
    parts = as_read(link.url)
    path = unquote(parts.path)
    where = path + ("?" + parts.query if parts.query else "")
    is_below_root = len(path) > 1
    if is_below_root and {"archives", "index"} & set(link.rel.split()):
        return "all"
    if kind := _kind_of_address(where):
        return kind
    kind = _kind_of_anchor(link.anchor)
    return kind if is_below_root or (kind == "next" and len(where) > 1) else None


def find_hubs(page: Page, scope: Scope) -> list[tuple[str, HubKind]]:
    """Return listings that ``page`` links to, inside ``scope``, best first: whole archives, the
    next page, months (newest first as found).
    """
    order = {"all": 0, "next": 1, "month": 2, "list": 3}
    here = canonicalize(page.url)
    found: dict[str, tuple[str, HubKind]] = {}
    for link in page_links(page):
        kind = hub_kind(link)
        if kind is None:
            continue
        key = canonicalize(link.url)
        if key != here and key not in found and scope.contains(link.url):
            found[key] = (link.url, kind)
    return sorted(found.values(), key=lambda item: order[item[1]])


def stated_months(page: Page) -> dict[str, int]:
    """Return the numbers of posts that a page states next to its links to lists of months, by month
    (``2011-07``), and to years, by year, wherever these links lead: of such a year no months.
    """
    found: dict[str, int] = {}
    for anchor, url, number in _counted_links(page):
        period = _year_called(anchor, url) or _month_at(url)
        if period:
            found.setdefault(period, number)
    return {
        period: number
        for period, number in found.items()
        if period[:4] not in found or len(period) == 4
    }


def _year_called(anchor: HtmlElement, url: str) -> str:
    """Return the year that a link to a list of it, or of one of its months, has for its text."""
    called = _YEAR_LABEL.match(squeeze(anchor.text_content()))
    if called is None or hub_kind(Link(url)) != "month":
        return ""
    return called[1] if re.search(rf"\b{called[1]}\b", url) else ""


def _month_at(url: str) -> str:
    day = url_day(url)
    is_month = day is not None and day[2] is None and hub_kind(Link(url)) == "month"
    return f"{day[0]}-{day[1]:02}" if day is not None and is_month else ""


def stated_counts(page: Page) -> dict[str, int]:
    """Return the numbers that a page states next to its links, by canonical address: of posts, of
    comments, or of anything else."""
    found: dict[str, int] = {}
    for _, url, number in _counted_links(page):
        found.setdefault(url, number)
    return found


def _counted_links(page: Page) -> Iterator[tuple[HtmlElement, str, int]]:
    """Yield the links on the own site next to which a number stands, with address and number."""
    for anchor in page.tree.iter("a"):
        number = _count_at(anchor)
        url = page.absolute(anchor.get("href", "")) if number else None
        if url is not None and "#" not in url and same_site(url, page.url):
            yield anchor, canonicalize(url), number


def _count_at(anchor: HtmlElement) -> int:
    """Return the number next to a link or at its end, in brackets or in an element of its own; 0
    where there is none."""
    text = squeeze(anchor.text_content())
    count = _COUNT.match(_text_behind(anchor)) or _COUNT.search(text)
    if count is not None:
        return int(count[1])
    said = [squeeze(element.text_content()) for element in _counters(anchor)]
    return next((int(one) for one in said if _BARE_COUNT.fullmatch(one) and one != text), 0)


def _counters(anchor: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements of their own that may hold the number: the link's last one, the next."""
    last = next(anchor.iterchildren(*_COUNT_TAGS, reversed=True), None)
    if last is not None and last.getnext() is None and not squeeze(last.tail):
        yield last
    following = _element_behind(anchor)
    if following is not None:
        yield following


def _element_behind(anchor: HtmlElement) -> HtmlElement | None:
    """Return the element right behind a link, if it may hold a number."""
    following = anchor.getnext()
    is_next = following is not None and following.tag in _COUNT_TAGS and not squeeze(anchor.tail)
    return following if is_next else None


def stated_pages(page: Page) -> tuple[int, int] | None:
    """Return which page of a list this is, and how many it has, as the page says."""
    found = _PAGE_OF.search(node_text(page.tree))
    number, pages = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    return (number, pages) if 0 < number <= pages else None


def older_links(page: Page) -> list[str]:
    """Return the pages (canonical), the start page too, that a list calls those of its older
    posts."""
    called = filter(_is_older, page.tree.iter("a", "link"))
    urls = filter(None, (page.absolute(link.get("href", "#")) for link in called))
    keys = (canonicalize(url) for url in urls if same_site(url, page.url))
    return [key for key in keys if key != canonicalize(page.url)]


def called_older(page: Page) -> tuple[list[Link], list[Link]]:
    """Return the links that are called as those to older posts are: on the own site, and to
    others."""
    called = [
        link
        for link in page_links(page)
        if "next" in link.rel.split() or _NEXT_ANCHOR.match(link.anchor)
    ]
    own = [link for link in called if same_site(link.url, page.url)]
    return own, [link for link in called if link not in own]


def _is_older(link: HtmlElement) -> bool:
    is_next = "next" in link.get("rel", "").split()
    return is_next or bool(_NEXT_ANCHOR.match(squeeze(link.text_content())))


def first_year(page: Page) -> int:
    """Return the first of the years that a page claims its rights of (``© 2004-2014``); 0 where it
    does not name two."""
    found = _YEARS.search(node_text(page.tree))
    return int(found[1]) if found is not None else 0


def former_place(page: Page, scope: Scope) -> str | None:
    """Return the address on another host that a page calls that of its older posts."""
    leading = (link for link in page_links(page) if _FORMER.match(link.anchor))
    return next((link.url for link in leading if not scope.contains(link.url)), None)


def offers_random_post(page: Page) -> bool:
    """Return whether a page leads to one post or other, another one each time."""
    return any(_RANDOM.match(link.anchor) for link in page_links(page))


def language_links(page: Page) -> list[str]:
    """Return the canonical addresses that a page's links call by the name of a language."""
    links = page_links(page)
    return [canonicalize(link.url) for link in links if _LANGUAGE.match(link.anchor)]


def other_languages(page: Page, scope: Scope) -> list[str]:
    """Return the addresses out of scope at which the blog is in another language, as its start page
    says: in its head (``hreflang``), or by links to its own address but for the language in that.
    Without what the operator leaves out."""
    own = without_language(page.url)
    host = host_of(own)
    declared = (url for url in _alternates(page) if host_of(without_language(url)) == host)
    linked = (url for url in _language_switches(page) if without_language(url) == own)
    found = dict.fromkeys((*declared, *linked))
    return [url for url in found if not (scope.contains(url) or scope.is_unwanted(url))]


def _alternates(page: Page) -> Iterator[str]:
    """Yield the addresses at which a page declares itself to be in another language."""
    for link in page.tree.iter("link"):
        is_feed = "xml" in link.get("type", "") or "json" in link.get("type", "")
        if LANGUAGE_CODE.match(link.get("hreflang", "")) and link.get("href") and not is_feed:
            yield urljoin(page.base_url, link.get("href"))


def _language_switches(page: Page) -> Iterator[str]:
    """Yield the addresses of links that are called by a language's name or code, or declared to
    lead to a page in another language."""
    for link in page_links(page):
        if _LANGUAGE.match(link.anchor) or LANGUAGE_CODE.match(link.anchor.strip()):
            yield link.url
    for anchor in page.tree.iter("a"):
        if anchor.get("hreflang") and anchor.get("href"):
            yield urljoin(page.base_url, anchor.get("href"))


def _text_behind(anchor: HtmlElement) -> str:
    """Return the text behind a link, perhaps in an element of its own."""
    following = _element_behind(anchor)
    return squeeze(anchor.tail if following is None else following.text_content())
