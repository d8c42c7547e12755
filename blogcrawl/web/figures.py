"""The plots about a blog, for its page and its report: posts over time, and its crawls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from markupsafe import Markup
from sqlalchemy import Text, func, select, type_coerce

from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import crawls, posts
from blogcrawl.web.plots import Bar, per_month, plot, ranking
from blogcrawl.web.texts import Texts

CRAWLS = 60
"""Crawls in a plot."""
SITES = 15
"""Sites in the plot of those that posts link to."""
KEY = {"new": "new posts", "changed": "changed posts", "missing": "missing posts"}
"""Parts of a bar of crawls, and what they count."""


class Month(NamedTuple):
    """``letters``: of a post, on average; None where none was counted."""

    month: str
    posts: int
    comments: int
    letters: int | None


class Crawled(NamedTuple):
    """What a crawl that ended did."""

    ended: datetime
    requests: int
    new: int
    changed: int
    missing: int


class Numbers(NamedTuple):
    """What the plots about a blog show. ``sites``: hosts that most posts link to, with the number
    of these posts; ``crawls``: the last ones."""

    months: Sequence[Month]
    sites: Sequence[tuple[str, int]]
    crawls: Sequence[Crawled]


def numbers(state: SqlState, blog_id: str) -> Numbers:
    """Return what the plots about a blog show."""
    return Numbers(*_of_posts(state, blog_id), _crawls(state, blog_id))


def figures(found: Numbers, texts: Texts) -> list[tuple[str, Markup]]:
    """Return titles and plots; those without any bar are left out."""
    say, digits = texts.word, texts.digits
    months, sites, done = found
    over_time: Sequence[tuple[str, str, Mapping[str, int], bool]] = (
        ("Posts per month", "posts", {m.month: m.posts for m in months}, False),
        (
            "Comments per month of their posts",
            "comments",
            {m.month: m.comments for m in months},
            False,
        ),
        (
            "Letters of a post, on average",
            "letters",
            {m.month: m.letters or 0 for m in months},
            True,
        ),
    )
    made = [
        (title, _drawn(title, per_month(counts, kind, mean=mean), {kind: say(kind)}, texts))
        for title, kind, counts, mean in over_time
    ]
    title = "Sites that posts link to"
    made.append((title, ranking(sites, say(title), say("posts"), digits)))
    if len(done) > 1:
        made += _of_crawls(done, texts)
    return [(say(title), drawn) for title, drawn in made if drawn]


def _of_crawls(done: Sequence[Crawled], texts: Texts) -> list[tuple[str, Markup]]:
    say = texts.word
    units = {kind: say(counted) for kind, counted in KEY.items()}
    requests = {
        "Requests of a crawl": [_bar(one, requests=one.requests) for one in done],
        "Requests for a hundred posts": [
            _bar(one, requests=round(100 * one.requests / (one.new + one.changed)))
            for one in done
            if one.new + one.changed
        ],
    }
    posts_of = [_bar(c, new=c.new, changed=c.changed, missing=c.missing) for c in done]
    return [
        ("Crawls", _drawn("Crawls", posts_of, units, texts)),
        *(
            (title, _drawn(title, bars, {"requests": say("requests")}, texts))
            for title, bars in requests.items()
        ),
    ]


def _drawn(title: str, bars: Sequence[Bar], units: Mapping[str, str], texts: Texts) -> Markup:
    """Return a plot whose text names its span and its highest bar."""
    if not bars:
        return Markup("")
    highest = max(bars, key=lambda bar: bar.total)
    label = texts.text(
        "{title}, from {first} to {last}; most: {number} ({name})",
        title=texts.word(title),
        first=bars[0].name,
        last=bars[-1].name,
        number=texts.digits(highest.total),
        name=highest.name,
    )
    return plot(bars, label, units, texts.digits)


def _bar(crawl: Crawled, **parts: int) -> Bar:
    day = f"{crawl.ended:%Y-%m-%d}"
    return Bar(day, list(parts.items()), day)


def _of_posts(state: SqlState, blog_id: str) -> tuple[Sequence[Month], Sequence[tuple[str, int]]]:
    """Return months, and the hosts that most posts of a blog link to.

    All in one query, since reading the rows of many posts is what takes time; the database joins
    the lists of hosts, which are parsed at once.
    """
    month = func.substr(type_coerce(posts.c.published, Text), 1, 7)
    columns = (
        func.count(),
        func.sum(posts.c.comment_count),
        func.avg(posts.c.letters),
        func.aggregate_strings(type_coerce(posts.c.links, Text), ","),
    )
    statement = (
        select(month, *columns).where(posts.c.blog_id == blog_id).group_by(month).order_by(month)
    )
    months, hosts = [], Counter[str]()
    with state.read() as connection:
        for name, number, comments, letters, links in connection.execute(statement):
            hosts.update(chain.from_iterable(json.loads(f"[{links or ''}]")))
            if name is not None:
                mean = None if letters is None else round(letters)
                months.append(Month(name, number, int(comments or 0), mean))
    return months, sorted(hosts.items(), key=lambda one: (-one[1], one[0]))[:SITES]


def _crawls(state: SqlState, blog_id: str) -> list[Crawled]:
    """Return the last crawls that ended, oldest first, without their long reports."""
    statement = (
        select(crawls.c.ended, crawls.c.counts)
        .where(crawls.c.blog_id == blog_id, crawls.c.ended.is_not(None))
        .order_by(crawls.c.started.desc(), crawls.c.id.desc())
        .limit(CRAWLS)
    )
    with state.read() as connection:
        rows = list(connection.execute(statement))[::-1]
    names = ("requests", "posts_archived", "posts_changed", "posts_missing")
    return [
        Crawled(ended, *(int(counts.get(name) or 0) for name in names)) for ended, counts in rows
    ]
