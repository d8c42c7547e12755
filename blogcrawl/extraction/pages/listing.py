"""What hub pages (home, archive, tag pages) say of posts: address, title, day.

A day that the post itself does not carry often stands in a list. Every linked post has an *item*:
the largest element around its link that holds no link to another post; a date in the item, or in
the nearest heading before it, is its day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, takewhile
from operator import itemgetter
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_STORED, MAX_TRIED
from blogcrawl.core.evidence import FOLLOWING, LEVELS, NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.dates.day_order import settle_order, sure_orders
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.parse import DateMatch, DateReader, is_utc
from blogcrawl.dates.patterns import RELATIVE
from blogcrawl.dates.url_date import url_near
from blogcrawl.discovery.archives import in_menu
from blogcrawl.dom.links import page_links
from blogcrawl.extraction.fields.title_lines import names_nothing
from blogcrawl.text.lengths import MIN_PARAGRAPH
from blogcrawl.text.similarity import folded
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize, entry_key, may_be_page, same_site
from blogcrawl.urls.page_kinds import LIST_PATHS

LONGEST_ITEM = 6000
"""Characters of an item in which a date line is looked for: excerpt lists have paragraphs in their
items.
"""
_MENU_PLACE = re.compile(r"<(?:nav|footer|header)\b")
_HEADINGS, _PARAGRAPHS = frozenset(("h1", "h2", "h3", "h4", "h5")), frozenset(("p", "blockquote"))
_NO_LINES = frozenset(("html", "head", "title", "script", "style", "option"))
LINE = 90
"""Longest text of an element that may be a date line."""


Below = dict[HtmlElement, frozenset[str]]
Found = tuple[DateMatch | None, bool]
Near = Mapping[str, date | None]
"""By post, what gives the year of its day where none is written."""


@dataclass(frozen=True, slots=True)
class ListHint:
    """One post as a list shows it; ``day`` is as written there."""

    url: str
    title: str | None
    day: date | None
    raw: str | None = None
    sure: bool = False
    """Machine-readable, or with its year."""


@dataclass(slots=True)
class Places:
    """Where on list pages links to posts stand, over all lists seen."""

    counts: dict[str, list[int]] = field(default_factory=dict)
    """By place: the posts for sure and all links there, each address once."""
    links: dict[str, str] = field(default_factory=dict)
    """Address -> the first place it was seen at."""
    menu: list[str] = field(default_factory=list)
    """Addresses that were seen in the start page's menu only, where that holds none of the posts
    known from the start."""
    everywhere: list[str] = field(default_factory=list)
    """Addresses to which start page and posts alike lead, from where they lead to no post: see
    ``parts_of_site``."""
    among: set[str] = field(default_factory=set)
    """Addresses of which the crawl knows by other ways that they are linked where posts are."""
    albums: set[str] = field(default_factory=set)
    """What the addresses of pages begin with that lie below albums'."""
    orders: list[int] = field(default_factory=lambda: [0, 0])
    """Dates of numbers in lists that have the day first for sure, and the month."""

    def note(self, url: str, place: str, sure: bool) -> None:
        """One link; an address counts once."""
        if url in self.menu and not _MENU_PLACE.search(place):
            self.menu.remove(url)
        if url in self.links or len(self.links) >= MAX_STORED:
            return
        self.links[url] = place
        row = self.counts.setdefault(place, [0, 0])
        row[0] += sure
        row[1] += 1

    def good(self, place: str | None) -> bool:
        """Return whether links at that place are posts."""
        sure, all_ = self.counts.get(place or "", (0, 0))
        return sure >= 2 and 2 * sure >= all_

    def only_in_menu(self, url: str) -> bool:
        """Return whether the site's menu leads to the address and no list of posts does."""
        return url in self.menu and url not in self.among

    def listed(self, url: str) -> bool:
        """Return whether the address was seen where posts are listed."""
        return url in self.among or (url not in self.menu and self.good(self.links.get(url)))

    def note_album(self, page: Page) -> str | None:
        """Keep, and return, what the addresses of an album's pages begin with, if the page is
        one."""
        if len(self.albums) >= MAX_STORED or not is_album(page):
            return None
        self.albums.add(folder_of(page))
        return folder_of(page)

    def in_album(self, url: str) -> bool:
        """Return whether the address lies directly below that of an album."""
        return url.rstrip("/").rpartition("/")[0] + "/" in self.albums


def folder_of(page: Page) -> str:
    """Return what the addresses of pages below a page's begin with."""
    return _SUFFIX.sub("", entry_key(page.url).rstrip("/")) + "/"


_SUFFIX = re.compile(r"(?<=\w)\.(?:html?|aspx?|php)$")


def is_album(page: Page) -> bool:
    """Return whether pictures on the page lead to several pages directly below its address to which
    no headings lead, as they do in lists of posts; nor is it the address of a month's list."""
    own, below = folder_of(page), set()
    if LIST_PATHS["date"].search(urlsplit(own).path):
        return False
    for picture in islice(page.tree.iter("img"), MAX_TRIED):
        link = next(picture.iterancestors("a"), None)
        key = _page_key(page, link.get("href", "")) if link is not None else None
        if key is not None and key.rpartition("/")[0] + "/" == own:
            below.add(key)
    headed = (a.get("href", "") for h in page.tree.iter(*_HEADINGS) for a in h.iter("a"))
    return len(below.difference(_page_key(page, href) for href in headed)) >= SEVERAL


def site_menu(home: Page | None, posts: Sequence[str]) -> list[str]:
    """Return canonical addresses in the start page's menu; none where one of the ``posts`` stands
    there.
    """
    menu = (
        {canonicalize(link.url) for link in page_links(home) if in_menu(link)}
        if home is not None
        else set()
    )
    return [] if menu & {canonicalize(url) for url in posts} else sorted(menu)[:MAX_TRIED]


def parts_of_site(home: Page | None, posts: Sequence[Page]) -> list[str]:
    """Return canonical addresses to which the start page and all of several ``posts`` lead, from
    where none of these leads to one of the posts: what stands next to posts on a site."""
    if home is None or len(posts) < SEVERAL:
        return []
    known = {canonicalize(page.url) for page in (home, *posts)}
    linked = [
        {canonicalize(link.url): link.tag_path for link in page_links(page)}
        for page in (home, *posts)
    ]
    of_posts = {links[key] for links in linked for key in known & links.keys()}
    return sorted(
        key
        for key in set.intersection(*map(set, linked)) - known
        if of_posts.isdisjoint(links[key] for links in linked)
    )[:MAX_TRIED]


def is_headline(page: Page, title: str) -> bool:
    """Return whether a line of the page is ``title`` and leads nowhere, before any paragraph."""
    wanted = folded(title)
    for node in page.tree.iter(etree.Element):
        if node.tag in _NO_LINES:
            continue
        if len(node.text or "") >= MIN_PARAGRAPH:
            return False
        if len(node) <= 1 and folded(node_text(node)) == wanted and not _is_in_link(node):
            return True
    return False


def _is_in_link(node: HtmlElement) -> bool:
    return any(each.get("href") for each in (*node.iter("a"), *node.iterancestors("a")))


def list_hints(
    page: Page,
    is_post: Callable[[str], bool],
    languages: Sequence[str] = ("en",),
    places: Places | None = None,
) -> list[ListHint]:
    """Return the posts that a page links to, each once, in order.

    ``is_post``: which addresses are posts'. The page itself must not be a post: its sidebar would
    give little, its "next post" links nothing.
    """
    places = Places() if places is None else places
    anchors = _without_quoted(_post_anchors(page, is_post, places))
    owner = {id(a): key for key, found in anchors.items() for a in found}
    counts = _posts_below(page.tree, owner)
    reader = DateReader(languages)
    mains = _main_anchors(anchors)
    limit = 4 if len(anchors) == 1 else 30
    items = {key: _item(anchor, counts, limit) for key, (_, anchor) in mains.items()}
    years = _years_above(page.tree, items)
    near = {key: url_near(key) or years.get(key) for key in items}
    found = [
        _below_year((when, sure), mains[key][0]) if key in years else (when, sure)
        for key, when, sure in _days_of(items, counts, reader, near)
    ]
    day_first = _day_order([when for when, _ in found if when], page, places)
    return [
        ListHint(key, mains[key][0], *_as_written(when, day_first), sure)
        for key, (when, sure) in zip(items, found, strict=True)
    ]


def _days_of(
    items: Mapping[str, HtmlElement], below: Below, reader: DateReader, near: Near
) -> Iterator[tuple[str, DateMatch | None, bool]]:
    """Yield the days of a list's items, in them or around them, and whether they are sure."""
    before: dict[HtmlElement | None, bool] = {}
    nearby = _NearbyDays(items, below, reader, near)
    for key, item in items.items():
        when, sure = _date_in(item, near[key], reader)
        around = item.getparent()
        if when is None and before.get(around, True):
            when, sure = _date_before(item, near[key], reader)
            # Days stand before their posts or after them, in one list: the first post without
            # one of its own decides, for the list only: a sidebar's may be the other way round.
            before.setdefault(around, when is not None)
        if when is None and not before.get(around, False):
            when, sure = nearby.date_of(key)
        yield key, when, sure


def _below_year(found: Found, title: str | None) -> Found:
    """Return the day of an item below its year, but one that is a later part of the title ("Notes
    of May 12")."""
    when, _ = found
    if when is not None and (title or "").find(when.text[slice(*when.span)]) > 0:
        return None, False
    return when, when is not None


def entries_with_day(
    page: Page, doubtful: Collection[str], is_post: Callable[[str], bool]
) -> list[str]:
    """Return which of the ``doubtful`` addresses are entries of a list with their day, as nearly
    all posts are there: it is one of posts, and menus have no days."""
    hints = list_hints(page, lambda key: key in doubtful or is_post(key))
    dated = [hint.url for hint in hints if hint.day is not None]
    found = list(filter(doubtful.__contains__, dated))
    others = sum(hint.url not in doubtful for hint in hints)
    return found if len(dated) - len(found) >= max(SEVERAL, NEARLY_ALL * others) else []


def _day_order(dates: Sequence[DateMatch], page: Page, places: Places) -> bool | None:
    """Return whether the day comes first in a list's dates: by themselves, or where they prove
    nothing by those of the blog's other lists; None if there is no evidence."""
    sure = sure_orders(dates)
    places.orders = [known + new for known, new in zip(places.orders, sure, strict=True)]
    day, month = map(bool, places.orders)
    if not any(sure) and day != month:
        return day
    return settle_order(dates, language=page.tree.get("lang"))


def _as_written(when: DateMatch | None, day_first: bool | None) -> tuple[date | None, str | None]:
    """Return the day in the order of the list's dates, and its text."""
    return (None, None) if when is None else (when.pick(day_first).date(), when.text)


def _main_anchors(
    anchors: Mapping[str, Sequence[HtmlElement]],
) -> dict[str, tuple[str | None, HtmlElement]]:
    """Return of each post the heading that links to it, else the longest text that does, not to its
    comments, unless too long for a title, and its link. What leads to several posts says what to do
    ("read more"): a title that is shorter is one all the same.
    """
    texts = {key: [node_text(a) for a in found] for key, found in anchors.items()}
    posts = Counter(text for said in texts.values() for text in set(said))

    def title_of(key: str) -> str:
        named = [
            (_is_heading(a), posts[text] == 1, len(text), text)
            for a, text in zip(anchors[key], texts[key], strict=True)
            if not names_nothing(text)
        ]
        return max(named, key=itemgetter(0, 1, 2), default=(False, False, 0, ""))[-1]

    titles = {key: title_of(key) for key in texts}
    return {
        key: (title if 0 < len(title) <= 300 else None, anchors[key][said.index(title or said[0])])
        for (key, title), said in zip(titles.items(), texts.values(), strict=True)
    }


def _is_heading(anchor: HtmlElement) -> bool:
    """Return whether a link is all that a heading has."""
    heading = _above(anchor, _HEADINGS)
    return heading is not None and node_text(heading) == node_text(anchor)


def _post_anchors(
    page: Page, is_post: Callable[[str], bool], places: Places
) -> dict[str, list[HtmlElement]]:
    """Return links to posts by canonical address: those whose address is a post's, and those that
    stand in lists as these do.
    """
    own, links, sure = canonicalize(page.url), [], {}
    for anchor in page.tree.iter("a"):
        key = _page_key(page, anchor.get("href", ""))
        if key is None or key == own:
            continue
        if key not in sure:
            sure[key] = is_post(key)
        place = _place(anchor)
        links.append((key, anchor, place))
        places.note(key, place, sure[key])
    out: dict[str, list[HtmlElement]] = {}
    for key, anchor, place in links:
        if sure[key] or places.good(place):
            out.setdefault(key, []).append(anchor)
    return out


def _page_key(page: Page, href: str) -> str | None:
    """Return the canonical address of a page of the site below its root, None of anything else."""
    if not href or href.startswith(("#", "javascript:", "mailto:")):
        return None
    url = page.absolute(href)
    if url is None or "#" in url or not same_site(url, page.url):
        return None
    if not may_be_page(url):
        return None
    key = canonicalize(url)
    return key if key.count("/") > 2 else None


def _without_quoted(anchors: dict[str, list[HtmlElement]]) -> dict[str, list[HtmlElement]]:
    """Without the posts that only the text of others links to ("I wrote of it here"): where
    headings name the posts of a list, a link amid a paragraph names none."""
    headed = {
        key
        for key, found in anchors.items()
        if any(_above(a, _HEADINGS) is not None for a in found)
    }
    if not headed:
        return anchors
    return {
        key: found
        for key, found in anchors.items()
        if key in headed or not all(map(_amid_text, found))
    }


def _above(anchor: HtmlElement, tags: frozenset[str]) -> HtmlElement | None:
    return next(
        (
            outer
            for outer, _ in zip(anchor.iterancestors(), range(4), strict=False)
            if outer.tag in tags
        ),
        None,
    )


def _amid_text(anchor: HtmlElement) -> bool:
    """Return whether a paragraph around the link has more text than a line about a post has."""
    paragraph = _above(anchor, _PARAGRAPHS)
    return paragraph is not None and len(node_text(paragraph)) - len(node_text(anchor)) > LINE


def _place(anchor: HtmlElement) -> str:
    """Return where a link stands: tags and numberless classes of it and three elements above."""
    out: list[str] = []
    step: HtmlElement | None = anchor
    while step is not None and len(out) < 4:
        names = sorted(
            name for name in step.get("class", "").split() if not any(c.isdigit() for c in name)
        )
        out.append(".".join((str(step.tag), *names[:4])))
        step = step.getparent()
    return "<".join(out)


def _posts_below(tree: HtmlElement, owner: dict[int, str]) -> dict[HtmlElement, frozenset[str]]:
    """For elements above post links: which posts are linked below them (two are enough to know)."""
    below: dict[HtmlElement, frozenset[str]] = {}
    for anchor in tree.iter("a"):
        key = owner.get(id(anchor))
        if key is None:
            continue
        step: HtmlElement | None = anchor
        while step is not None:
            have = below.get(step, frozenset())
            if key in have or len(have) > 1:
                break
            below[step] = have | {key}
            step = step.getparent()
    return below


def _item(anchor: HtmlElement, below: dict[HtmlElement, frozenset[str]], limit: int) -> HtmlElement:
    """Return the largest element around a post's link without another post's, at most ``limit``
    steps up.
    """
    item = anchor
    for _ in range(limit):
        above = item.getparent()
        if above is None or above.tag in ("body", "html") or len(below.get(above, ())) > 1:
            break
        item = above
    return item


def _years_above(tree: HtmlElement, items: Mapping[str, HtmlElement]) -> dict[str, date]:
    """Return the years of items that stand as lines of their own above them, up to a heading of
    their level: ``<h3>2012</h3><ul><li>11 May <a>post</a></ul>``."""
    keys = {item: key for key, item in items.items()}
    found: dict[str, date] = {}
    above: tuple[date, HtmlElement, str] | None = None
    for element in tree.iter(etree.Element):
        if element in keys:
            if above is not None and _holds(above[1], element):
                found[keys[element]] = above[0]
        elif (year := _year_line(element)) is not None:
            above = year
        elif above is not None and _is_of_level(element, above[2]):
            above = None
    return found


def _is_of_level(element: HtmlElement, level: str) -> bool:
    """Return whether an element is a heading as high as another, of no post."""
    is_heading = element.tag in _HEADINGS and element.tag <= level
    return is_heading and element.find(".//a") is None


def _year_line(element: HtmlElement) -> tuple[date, HtmlElement, str] | None:
    """Return the year that an element's text is, what holds it and the items below it, and the
    level of the heading that ends it; None of links, which lead to lists."""
    year = _YEAR_LINE.fullmatch(element.text or "") if element.tag not in _NO_YEARS else None
    holder = element.getparent()
    if year is None or holder is None:
        return None
    if element.tag not in _HEADINGS:
        return (date(int(year[1]), 1, 1), holder, "h2") if not len(element) else None
    around = holder.getparent()
    return date(int(year[1]), 1, 1), holder if around is None else around, element.tag


def _holds(outer: HtmlElement, inner: HtmlElement) -> bool:
    return any(above is outer for above in inner.iterancestors())


_YEAR_LINE = re.compile(r"\W{0,9}((?:19|20)\d\d)\s?[年년]?\W{0,9}")
_NO_YEARS = _NO_LINES | {"a", "td"}


class _NearbyDays:
    """The days next to the items of flat lists, which have no element around each post: what
    follows its heading, up to the next post's, is the post's too; where the links stand at the foot
    of the posts ("Permalink"), what stands before them, down from the previous post's.

    At one end of a list there is nothing of the posts: on the other side more of them have a day.
    """

    def __init__(
        self,
        items: Mapping[str, HtmlElement],
        below: Below,
        reader: DateReader,
        near: Near,
    ) -> None:
        self.items, self.below, self.reader, self.near = items, below, reader, near
        self._sides: dict[HtmlElement | None, bool] = {}

    def date_of(self, key: str) -> Found:
        """Return the day next to a post's item, and whether it is sure."""
        around = self.items[key].getparent()
        if around not in self._sides:
            alike = [k for k, item in self.items.items() if item.getparent() is around]
            after, ahead = (
                sum(self._on_side(k, preceding=side)[0] is not None for k in alike)
                for side in (False, True)
            )
            self._sides[around] = ahead > after
        return self._on_side(key, preceding=self._sides[around])

    def _on_side(self, key: str, *, preceding: bool) -> Found:
        steps = self.items[key].itersiblings(etree.Element, preceding=preceding)
        own = takewhile(lambda step: self.below.get(step, frozenset()) <= {key}, steps)
        return _first_date(list(islice(own, FOLLOWING)), self.near[key], self.reader)


def _date_in(item: HtmlElement, near: date | None, reader: DateReader) -> Found:
    """Return the date in an item, and whether it is sure; ``near`` gives the year where none is
    written."""
    for time in item.iter("time", "abbr"):
        when = machine_date(time.get("datetime") or time.get("title"))
        if when is not None:
            return _shown(time, when, reader), True
    if sum(map(len, item.itertext())) > LONGEST_ITEM:
        return None, False
    weak = None
    for text in filter(_may_have_date, map(node_text, _lines(item))):
        when = reader.read(text)
        if when is not None:
            return when, True
        if weak is None and near is not None:
            weak = reader.read(text, near)
    return weak, False


def _shown(time: HtmlElement, when: DateMatch, reader: DateReader) -> DateMatch:
    """Return the date that readers see where the machine's is UTC's: by the author's clock it may
    be the day before or after."""
    seen = reader.read(node_text(time)) if is_utc(when.moment) else None
    if seen is None or seen.form == RELATIVE:
        return when
    days = {moment.date() for moment in (seen.moment, seen.swapped) if moment is not None}
    return seen if any(abs((day - when.moment.date()).days) == 1 for day in days) else when


def _may_have_date(line: str) -> bool:
    return 0 < len(line) <= LINE and any(map(str.isdigit, line))


def _first_date(parts: Sequence[HtmlElement], near: date | None, reader: DateReader) -> Found:
    for part in parts:
        when, sure = _date_in(part, near, reader)
        if when is not None:
            return when, sure
    return None, False


def _lines(item: HtmlElement) -> list[HtmlElement]:
    """Return elements of the item outside links to the post, smallest texts first in document
    order."""
    return [
        e
        for e in item.iter()
        if isinstance(e.tag, str) and e.tag not in ("a", "script", "style", "img", "h1")
    ][:200]


def _date_before(item: HtmlElement, near: date | None, reader: DateReader) -> Found:
    """Return a date that stands as a line of its own before the item: ``<h2>11 May
    2012</h2><div>post</div>``, also where but its heading is the item: the text links to others.
    """
    step: HtmlElement | None = item
    for _ in range(LEVELS):
        before = step.getprevious() if step is not None else None
        while before is not None and (not isinstance(before.tag, str) or not node_text(before)):
            before = before.getprevious()
        if before is not None:
            text = node_text(before)
            if len(text) <= LINE and (when := reader.read(text, near)) is not None:
                return when, True
            return None, False
        step = step.getparent() if step is not None else None
    return None, False
