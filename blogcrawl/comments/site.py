"""What was learned of where a blog has its comments: which sources answer, and the rules of its
pages. JSON, kept with the blog.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.comments.learn import learn_comments
from blogcrawl.comments.records import CommentRules
from blogcrawl.comments.separate import LEARN_AT as LEARN_SERIES_AT
from blogcrawl.comments.separate import PAGES, learn_series
from blogcrawl.comments.sources import WordPressPage, post_of, tail_of
from blogcrawl.core.costs import without_costly
from blogcrawl.core.evidence import MOST, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, FeedEntry
from blogcrawl.discovery.public_data import wp_api_root

LEAST_SHARE = 0.1
"""Share of answers below which a kind of source is dropped later on."""
LEARN_AT = (1, 3, 8, 15)
"""Numbers of pages with known comments at which rules are (re)learned; the paper learns on a feed's
10-15 entries, but the first posts' own further comment pages want rules too."""
SWEEP_PAGES = 50
"""Pages of 100 comments that are fetched in one go for the whole blog; above that each post is
asked for its own.
"""
PER_PAGE = 100
"""The most that WordPress allows."""


@dataclass(slots=True)
class Record:
    """How often a kind of source answered with something, and how often not."""

    right: int = 0
    wrong: int = 0

    @property
    def hopeless(self) -> bool:
        tried = self.right + self.wrong
        return (self.right == 0 and self.wrong >= SEVERAL) or (
            tried > 4 * SEVERAL and self.right < LEAST_SHARE * tried
        )


@dataclass(slots=True)
class SiteComments:
    """One blog's knowledge of its comments."""

    rules: CommentRules | None = None
    clock: tuple[tuple[str, ...], bool] = ((), False)
    """Zones that the clock of the posts may have, and whether it is labelled as UTC."""
    clocks: dict[int, list[list[str]]] = field(default_factory=dict)
    """Zones that the clock of pages may have had, by year, as other sources of their comments
    show."""
    orders: list[int] = field(default_factory=lambda: [0, 0])
    """Dates of numbers with the day first for sure, and with the month, over all pages."""
    records: dict[str, Record] = field(default_factory=dict)
    api_root: str | None = None
    swept: bool = False
    """All comments of the blog are here already (``by_post``)."""
    by_post: dict[str, list[Comment]] = field(default_factory=dict)
    """WordPress post number -> its comments, of the sweep; lives as long as the crawl."""
    numbers: dict[str, str] = field(default_factory=dict)
    """Tail of a post's address -> its number, as the sweep's comments say; for themes that write no
    number.
    """
    samples: list[tuple[Page, Sequence[Comment]]] = field(default_factory=list)
    sampled: int = 0
    series: dict[str, Any] | None = None
    """Identifiers of post and comments over a series of pages (``separate.learn_series``)."""
    pages: dict[str, tuple[bytes, dict[str, str], FeedEntry | None]] = field(default_factory=dict)
    """Body, headers and feed entry of the first posts, by address, to learn the series from."""
    separated_at: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "rules": self.rules.to_json() if self.rules else None,
            "records": {
                name: [r.right, r.wrong] for name, r in self.records.items() if name != "sweep"
            },
            "api_root": self.api_root,
            "series": self.series,
            "orders": self.orders,
            "clocks": {str(year): pages for year, pages in self.clocks.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SiteComments:
        """Failures are forgotten by half: a source that was off may be on again at the next
        visit."""
        rules = CommentRules.from_json(data["rules"]) if data.get("rules") else None
        records = {
            str(k): Record(int(v[0]), int(v[1]) // 2)
            for k, v in (data.get("records") or {}).items()
        }
        return cls(
            rules=rules,
            records=records,
            api_root=data.get("api_root"),
            series=data.get("series"),
            orders=list(data.get("orders") or (0, 0)),
            clocks={int(year): list(pages) for year, pages in data.get("clocks", {}).items()},
        )

    @property
    def reading(self) -> CommentRules:
        """The rules for the next page: those learned, and where these do not know the clock or
        the order of day and month, what the posts and the pages so far have shown of them."""
        rules = self.rules or CommentRules()
        zones, mislabelled = self.clock
        if zones and not rules.zones:
            rules = replace(rules, zones=zones, mislabelled=mislabelled)
        clear = [count >= MOST * sum(self.orders) > 0 for count in self.orders]
        if rules.day_first is None and any(clear):
            rules = replace(rules, day_first=clear[0])
        return rules

    def count_orders(self, seen: tuple[int, int]) -> None:
        """Count the dates of a page whose order is sure."""
        self.orders = [known + more for known, more in zip(self.orders, seen, strict=True)]

    def note(self, kind: str, right: bool) -> None:
        record = self.records.setdefault(kind, Record())
        if right:
            record.right += 1
        else:
            record.wrong += 1

    def note_absent(self, kind: str) -> None:
        """Note that a kind of source is there for no post, unless it had something of one."""
        record = self.records.setdefault(kind, Record())
        record.wrong = max(record.wrong, SEVERAL)

    def is_untried(self, kind: str) -> bool:
        """Return whether no source of a kind has answered with something yet."""
        return not self.records.get(kind, Record()).right

    def pages_suffice(self, kind: str) -> bool:
        """Return whether pages of a kind had all that other sources say of their comments, several
        of them, and each that seemed to: one that had not is enough, whichever post came first."""
        record = self.records.get(kind, Record())
        return record.right >= SEVERAL and not record.wrong

    def narrow(self, zones: Sequence[str], years: Iterable[int]) -> None:
        """Keep of the zones that the pages' clock may have those that one more page allows, which
        may be of another time of the year; and those of the ``years`` of its comments, for blogs
        move and their clocks with them."""
        for year in years if zones else ():
            self.clocks[year] = [*self.clocks.get(year, ())[-LEARN_AT[-1] :], list(zones)]
        known = self.rules.zones if self.rules is not None else ()
        both = tuple(zone for zone in known if zone in zones)
        if self.rules is not None and both:
            self.rules = replace(self.rules, zones=both)

    def knows_clock(self, year: int) -> bool:
        """Return whether other sources have shown that the clock of most pages had one of the zones
        known for it in a year."""
        known, shown = set(self.reading.zones), self.clocks.get(year, ())
        agree = len(shown) - sum(map(known.isdisjoint, shown))
        return agree > 0 and agree >= MOST * len(shown)

    def hopeless(self, kind: str) -> bool:
        return kind in self.records and self.records[kind].hopeless

    @property
    def elsewhere(self) -> bool:
        """Comments of this blog come from a server of their own, so a page that did not change says
        nothing of them.
        """
        return any(
            record.right for kind, record in self.records.items() if kind.startswith("endpoint ")
        )

    def find_api(self, page: Page) -> str | None:
        """Return root of WordPress's REST interface as a page announces it, remembered for pages
        that don't.
        """
        if self.api_root is None:
            root = wp_api_root(page)
            self.api_root = (
                root if root and urlsplit(root).hostname == urlsplit(page.url).hostname else None
            )
        return None if self.hopeless("api") else self.api_root

    def add_sample(self, page: Page, comments: Sequence[Comment]) -> None:
        """Add a page whose comments a better source has; now and then the rules are learned
        anew."""
        if self.sampled >= LEARN_AT[-1] or not comments:
            return
        self.samples.append((page, tuple(comments)))
        self.sampled += 1
        if self.sampled in LEARN_AT:
            self.rules = learn_comments(self.samples) or self.rules
        if self.sampled >= LEARN_AT[-1]:
            self.samples.clear()

    def meet(self, page: Page, entry: FeedEntry | None) -> None:
        """One more post of the blog, kept as bytes for the series."""
        if len(self.pages) < PAGES:
            self.pages.setdefault(page.url, (page.body, page.headers, entry))

    def separation(self) -> dict[str, Any] | None:
        """Return the series' identifiers, learned when first asked for and again as more posts are
        known.
        """
        due = max((n for n in LEARN_SERIES_AT if n <= len(self.pages)), default=0)
        if due > self.separated_at:
            self.separated_at = due
            plain = without_costly(list(self.pages.items()), lambda item: item[1][0])
            pages = [  # parsed anew each time: what is found out about a page is kept with it
                (Page(url=url, body=body, headers=headers), entry)
                for url, (body, headers, entry) in plain
            ]
            self.series = learn_series(pages) or self.series
        return self.series

    def take_sweep(self, answer: WordPressPage) -> None:
        """Comments of one page of the sweep."""
        for post, comments in answer.comments.items():
            self.by_post.setdefault(post, []).extend(comments)
            tail = tail_of(post_of(comments[0].url) or "")
            if tail:
                self.numbers[tail] = post


def api_url(root: str, number: int, *, post: str | None = None) -> str:
    """Return address of one page of ``wp/v2/comments`` under an API root of either form, of one
    post or of the whole blog.
    """
    query = f"per_page={PER_PAGE}&page={number}&orderby=id&order=asc" + (
        f"&post={post}" if post else ""
    )
    if "rest_route=" in root:
        return f"{root.rstrip('/')}/wp/v2/comments&{query}"
    return f"{root.rstrip('/')}/wp/v2/comments?{query}"


_NUMBER_PATTERNS = (
    re.compile(r"/wp/v2/(?:posts|pages)/(\d+)"),
    re.compile(r"[?&]p=(\d+)(?:$|&)"),
)


def wordpress_post_number(page: Page) -> str | None:
    """Return the post's number in its WordPress: from its own API link, shortlink, body class,
    comment form or article id.
    """
    links = page.tree.xpath(
        "//link[contains(@rel,'shortlink') or contains(@rel,'alternate')]/@href"
    )
    classes = page.tree.xpath("//body/@class")
    fields = page.tree.xpath("//input[@name='comment_post_ID']/@value")
    articles = page.tree.xpath("//article[starts-with(@id,'post-')]/@id")
    places = (
        (_NUMBER_PATTERNS, links),
        (_BODY_NUMBER, classes),
        (_FIELD_NUMBER, fields),
        (_ARTICLE_NUMBER, articles if len(articles) == 1 else ()),
    )
    for patterns, texts in places:
        for text in texts:
            found = next((hit for pattern in patterns if (hit := pattern.search(text))), None)
            if found:
                return found.group(1)
    return None


_BODY_NUMBER = (re.compile(r"(?:^|\s)(?:postid|page-id)-(\d+)(?:\s|$)"),)
_FIELD_NUMBER = (re.compile(r"^(\d+)$"),)
_ARTICLE_NUMBER = (re.compile(r"^post-(\d+)$"),)
