"""Which pages are read first where posts don't show their day."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.extraction.model import BlogModel
from blogcrawl.frontier.canonical import Scope, canonicalize
from blogcrawl.frontier.links import Link
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.items import Blog, FeedEntry
from blogcrawl.page import Page
from blogcrawl.spiders.lists import ListReader

BASE = "http://blog.test"


SHELVES = [("/posts/", True), ("/archives/", True), ("/blog.html", True), ("/de/articles/", True)]
OTHERS = [("/about/", False), ("/posts/tea/", False), ("/blog/tea/", False), ("/my-blog.html", False)]


@pytest.mark.parametrize(("path", "is_list"), [*SHELVES, *OTHERS])
def test_the_page_above_the_posts_lists_them(path: str, is_list: bool) -> None:
    model = BlogModel(ruleset=RuleSet(), days={f"{BASE}/posts/{name}": "2017-03-01" for name in ("bread", "river", "boat")})
    reader = ListReader(cast(Any, None), model, Scope(BASE + "/"), None, lambda page: None)
    assert (reader._rank(Link(BASE + path, "go", "nav>a")) is not None) is is_list


class Shelf:
    """A session whose lists say nothing."""

    def __init__(self, entries: list[FeedEntry]) -> None:
        self.knowledge = SiteKnowledge(blog=Blog(url=BASE + "/"), entries={canonicalize(e.url): e for e in entries})
        self.asked: list[str] = []

    def doing(self, what: str) -> None: ...

    async def breathe(self) -> None: ...

    async def fetch(self, url: str, kind: str) -> Page:
        self.asked.append(url)
        return Page(url=url, body=b"<p>nothing here</p>")


@pytest.mark.parametrize(("undated", "each"), [(20, 6), (1, 3), (0, 3)])
def test_lists_are_left_sooner_where_nearly_all_posts_have_their_day(undated: int, each: int) -> None:
    day = datetime(2017, 3, 1, tzinfo=UTC)
    entries = [FeedEntry(url=f"{BASE}/{n}.html", published=None if n < undated else day) for n in range(20)]
    session = Shelf(entries)
    reader = ListReader(cast(Any, session), BlogModel(ruleset=RuleSet()), Scope(BASE + "/"), None, lambda page: None)
    links = [f"/2017/{n:02}/" for n in range(1, 13)] + [f"/category/{n}/" for n in range(12)]
    home = Page(url=BASE + "/", body="".join(f'<a href="{link}">x</a>' for link in links).encode())
    assert asyncio.run(reader.read([home])) == 2 * each
    assert len([url for url in session.asked if "category" in url]) == each
