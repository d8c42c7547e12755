"""The plots about a blog, for its page and its report: posts over time, and its crawls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup
from sqlalchemy import Text, func, select, type_coerce

from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import CrawlRow, posts
from blogcrawl.web.plots import Bar, per_month, plot, ranking

CRAWLS = 60
"""Crawls in a plot."""
SITES = 15
"""Sites in the plot of those that posts link to."""
KEY = {"new": "new posts", "changed": "changed posts", "missing": "missing posts"}
"""Parts of a bar of crawls, and what they count."""


class Month(NamedTuple):
    """``letters``: of a post, on average; None where none was counted."""

    name: str
    posts: int
    comments: int
    letters: int | None


def figures(
    state: SqlState, blog_id: str, crawls: Sequence[CrawlRow], say: Callable[[str], str] = str
) -> list[tuple[str, Markup]]:
    """Return titles and plots; those without any bar are left out. ``say``: translates a text."""
    months = list(_months(state, blog_id))
    over_time: Sequence[tuple[str, str, Mapping[str, int], bool]] = (
        ("Posts per month", "posts", {m.name: m.posts for m in months}, False),
        (
            "Comments per month of their posts",
            "comments",
            {m.name: m.comments for m in months},
            False,
        ),
        (
            "Letters of a post, on average",
            "letters",
            {m.name: m.letters or 0 for m in months},
            True,
        ),
    )
    made = [
        (title, plot(per_month(counts, kind, mean=mean), say(title), {kind: say(kind)}))
        for title, kind, counts, mean in over_time
    ]
    title = "Sites that posts link to"
    made.append((title, ranking(_linked(state, blog_id), say(title), say("posts"))))
    if len(crawls) > 1:
        made += _of_crawls(crawls[-CRAWLS:], say)
    return [(say(title), drawn) for title, drawn in made if drawn]


def _of_crawls(crawls: Sequence[CrawlRow], say: Callable[[str], str]) -> list[tuple[str, Markup]]:
    units = {kind: say(counted) for kind, counted in KEY.items()}
    requests = {
        "Requests of a crawl": [_requests_of(one) for one in crawls],
        "Requests for a hundred posts": [_requests_for_posts(c) for c in crawls if _posts_in(c)],
    }
    return [
        ("Crawls", plot([_posts_of(one) for one in crawls], say("Crawls"), units)),
        *(
            (title, plot(bars, say(title), {"requests": say("requests")}))
            for title, bars in requests.items()
        ),
    ]


def _months(state: SqlState, blog_id: str) -> list[Month]:
    month = func.substr(type_coerce(posts.c.published, Text), 1, 7)
    statement = (
        select(month, func.count(), func.sum(posts.c.comment_count), func.avg(posts.c.letters))
        .where(posts.c.blog_id == blog_id, posts.c.published.is_not(None))
        .group_by(month)
    )
    with state.read() as connection:
        return [
            Month(name, number, int(comments or 0), None if letters is None else round(letters))
            for name, number, comments, letters in connection.execute(statement)
        ]


def _linked(state: SqlState, blog_id: str) -> list[tuple[str, int]]:
    """Return the hosts that most posts of a blog link to, with the number of these posts."""
    statement = select(posts.c.links).where(posts.c.blog_id == blog_id, posts.c.links.is_not(None))
    counted: Counter[str] = Counter()
    with state.read() as connection:
        for (hosts,) in connection.execute(statement):
            counted.update(hosts)
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:SITES]


def _posts_of(crawl: CrawlRow) -> Bar:
    names = {"new": "posts_archived", "changed": "posts_changed", "missing": "posts_missing"}
    parts = [(kind, int(crawl.counts.get(name) or 0)) for kind, name in names.items()]
    return Bar(_day(crawl), parts, _day(crawl))


def _requests_of(crawl: CrawlRow) -> Bar:
    return Bar(_day(crawl), [("requests", int(crawl.counts.get("requests") or 0))], _day(crawl))


def _requests_for_posts(crawl: CrawlRow) -> Bar:
    """Return what a hundred posts cost, of a crawl that archived or changed some."""
    requests = round(100 * int(crawl.counts.get("requests") or 0) / _posts_in(crawl))
    return Bar(_day(crawl), [("requests", requests)], _day(crawl))


def _posts_in(crawl: CrawlRow) -> int:
    return sum(int(crawl.counts.get(name) or 0) for name in ("posts_archived", "posts_changed"))


def _day(crawl: CrawlRow) -> str:
    return f"{crawl.ended:%Y-%m-%d}" if crawl.ended else ""
