"""Which pages are read first where posts don't show their day."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from blogcrawl.core.costs import Account
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, FeedEntry
from blogcrawl.crawling.learning import GUESS, TrainingPage
from blogcrawl.crawling.list_dates import ListReader, undated
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.discovery.survey import Survey
from blogcrawl.dom.links import Link
from blogcrawl.extraction.model import BlogModel, learn_blog
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.urls.canonical import Scope, canonicalize
from tests.discovery.site import rss

BASE = "http://blog.test"


SHELVES = [("/posts/", True), ("/archives/", True), ("/blog.html", True), ("/de/articles/", True)]
OTHERS = [
    ("/about/", False),
    ("/posts/tea/", False),
    ("/blog/tea/", False),
    ("/my-blog.html", False),
]


@pytest.mark.parametrize(("path", "is_list"), [*SHELVES, *OTHERS])
def test_list_pages_are_recognised_by_their_path_above_posts(path: str, is_list: bool) -> None:
    model = BlogModel(
        ruleset=RuleSet(),
        days={f"{BASE}/posts/{name}": "2017-03-01" for name in ("bread", "river", "boat")},
    )
    reader = ListReader(cast(Any, None), model, Scope(BASE + "/"), None, lambda page: None)
    assert (reader._rank(Link(BASE + path, "go", "nav>a")) is not None) is is_list


def training_page(number: int, byline: str) -> TrainingPage:
    url = f"{BASE}/2017/04/note-{number}.html"
    text = " ".join(f"word {number} of {n} by the river" for n in range(60))
    body = f"<body><h1>Note {number}</h1><div>{byline}</div><article><p>{text}.</p></article>"
    entry = FeedEntry(
        url=url,
        title=f"Note {number}",
        published=datetime(2017, 4, number, 9, 30, tzinfo=UTC),
        content_html=f"<p>{text}.</p>",
    )
    page = Page(url=url, body=body.encode(), status=200, headers={"content-type": "text/html"})
    return TrainingPage(key=canonicalize(url), page=page, entry=entry)


@pytest.mark.parametrize(
    ("byline", "is_undated"),
    [("2017-04-{} by ann", False), ("by ann", True), ("1999-01-{} by ann", True)],
)
def test_day_on_the_page_is_no_less_for_being_on_lists(byline: str, is_undated: bool) -> None:
    """Of two posts the rules are less believed than lists are."""
    pages = [training_page(n, f'<span class="byline">{byline.format(n)}</span>') for n in (10, 11)]
    model = learn_blog([Sample(page=one.page, entry=one.entry) for one in pages])
    model.facts = {one.key: [None, f"2017-04-{n}"] for n, one in zip((10, 11), pages, strict=True)}
    assert undated(model, pages, Account(0.0)) is is_undated


def test_lists_among_the_guesses_have_no_say_on_whether_posts_show_their_day() -> None:
    pages = [training_page(n, "by ann") for n in (10, 11)]
    model = learn_blog([Sample(page=one.page, entry=one.entry) for one in pages])
    items = "".join(
        f"<li><a href=/2017/04/note-{n}.html>Note {n}</a> 2017-04-{n} <p>word {n} of</p></li>"
        for n in range(10, 19)
    )
    body = f"<body><h1>Tag: river</h1><article><ul>{items}</ul></article>".encode()
    urls = [f"{BASE}/tags/{name}/" for name in ("river", "bread", "boats")]
    guesses = [
        TrainingPage(
            key=canonicalize(url),
            page=Page(url=url, body=body, status=200, headers={"content-type": "text/html"}),
            entry=FeedEntry(url=url, source=GUESS),
        )
        for url in urls
    ]
    assert undated(model, [*guesses, *pages], Account(0.0))


def test_pages_that_are_too_costly_have_no_say_on_whether_posts_show_their_day() -> None:
    pages = [training_page(n, f"2017-04-{n} by ann" if n < 12 else "by ann") for n in (10, 12, 13)]
    model = learn_blog([Sample(page=one.page, entry=one.entry) for one in pages])
    account = Account(0.0)
    assert undated(model, pages, account)
    for one in pages[1:]:
        account.refuse(one.page.url, "reading it takes too much memory")
    assert not undated(model, pages, account)


class Shelf:
    """A session whose lists say nothing."""

    def __init__(self, entries: list[FeedEntry]) -> None:
        self.knowledge = SiteKnowledge(
            blog=Blog(url=BASE + "/"), entries={canonicalize(e.url): e for e in entries}
        )
        self.asked: list[str] = []

    def doing(self, what: str) -> None: ...

    async def breathe(self) -> None: ...

    def is_promised(self, key: str) -> bool:
        return key in self.knowledge.promised

    async def fetch(self, url: str, kind: str, headers: object = None) -> Page:
        self.asked.append(url)
        return Page(url=url, body=b"<p>nothing here</p>")


@pytest.mark.parametrize(("undated", "each"), [(20, 6), (1, 3), (0, 3)])
def test_list_scan_ends_early_if_most_posts_have_dates(undated: int, each: int) -> None:
    day = datetime(2017, 3, 1, tzinfo=UTC)
    entries = [
        FeedEntry(url=f"{BASE}/{n}.html", published=None if n < undated else day) for n in range(20)
    ]
    session = Shelf(entries)
    reader = ListReader(
        cast(Any, session), BlogModel(ruleset=RuleSet()), Scope(BASE + "/"), None, lambda page: None
    )
    links = [f"/2017/{n:02}/" for n in range(1, 13)] + [f"/category/{n}/" for n in range(12)]
    home = Page(url=BASE + "/", body="".join(f'<a href="{link}">x</a>' for link in links).encode())
    assert asyncio.run(reader.read([home])) == 2 * each
    assert len([url for url in session.asked if "category" in url]) == each


def test_posts_called_like_a_year_are_no_lists() -> None:
    """A list shows ``/posts/1984.html`` with its day: read as a list it is no post any more."""
    session = Shelf([FeedEntry(url=f"{BASE}/posts/{n}.html") for n in range(20)])
    urls = [f"{BASE}/posts/{year}.html" for year in (1984, 2024)]
    session.knowledge.promised[canonicalize(urls[0])] = {"list"}
    reader = ListReader(
        cast(Any, session), BlogModel(ruleset=RuleSet()), Scope(BASE + "/"), None, lambda page: None
    )
    links = "".join(f'<a href="{url}">x</a>' for url in urls)
    asyncio.run(reader.read([Page(url=BASE + "/", body=links.encode())], [urls[0]]))
    assert session.asked == [urls[1]]


class Tagged(Shelf):
    """Each tag's page announces its feed, and only feeds have the dates of posts; ``gone``:
    tags whose feed is not there.
    """

    def __init__(self, gone: str = "") -> None:
        super().__init__([FeedEntry(url=f"{BASE}/{n}.html") for n in range(12)])
        self.gone = gone
        self.absent: frozenset[str] = frozenset()
        self.memory: dict[str, list[str]] = {}

    async def fetch(self, url: str, kind: str, headers: object = None) -> Page:
        self.asked.append(url)
        number = url.split("/")[4] if "/tag/" in url else ""
        if number == self.gone and url.endswith("/feed/"):
            return Page(url=url, status=404, body=b"")
        if url.endswith("/feed/"):
            items = [(f"/{number}.html", f"Post {number}")]
            return Page(
                url=url,
                body=rss(items, BASE).encode(),
                headers={"content-type": "application/rss+xml"},
            )
        head = f'<link rel="alternate" type="application/rss+xml" href="{url}feed/">'
        return Page(
            url=url,
            body=f"<html><head>{head}</head><body>posts</body></html>".encode(),
            headers={"content-type": "text/html"},
        )


@pytest.mark.parametrize("gone", ["", "7"])
def test_known_list_feeds_are_requested_in_place_of_lists(gone: str) -> None:
    session = Tagged(gone)
    home = Page(
        url=BASE + "/", body="".join(f'<a href="/tag/{n}/">{n}</a>' for n in range(12)).encode()
    )
    survey = Survey(home)
    while survey.probes():
        survey.receive(survey.probes()[0], None, "404")
    survey.knowledge.entries.update(session.knowledge.entries)
    session.knowledge = survey.knowledge
    reader = ListReader(
        cast(Any, session),
        BlogModel(ruleset=RuleSet()),
        Scope(BASE + "/"),
        survey,
        lambda page: None,
    )
    asyncio.run(reader.read([home]))
    feeds = {url for url in session.asked if url.endswith("/feed/")}
    assert feeds == {f"{BASE}/tag/{n}/feed/" for n in range(12)}
    assert len(session.asked) - len(feeds) == (6 if gone else 3), (
        "where one is not there, its list is read and the next two"
    )
