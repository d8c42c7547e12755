"""No list is lost silently: sitemaps, their indexes, older pages of a feed, interfaces and search
indexes that could not be read.
"""

from __future__ import annotations

import gzip
import json
import socket
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from blogcrawl.core.config import Config
from blogcrawl.crawling import sources
from blogcrawl.crawling.extensions.cluster_job import post_facts
from blogcrawl.frontier.unread import SOME_POSTS
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import CrawlRow
from tests.conftest import Cli
from tests.crawling.blog import Entry, content, edited, page, put, rss
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

SETTINGS = {"max_page_bytes": 150_000, "extra": {"DOWNLOAD_TIMEOUT": 1.0, "RETRY_TIMES": 1}}
FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "trouble": ({"status": 500}, "HTTP 500"),
    "forbidden": ({"status": 403}, "HTTP 403"),
    "time-out": ({"delay": 20.0, "body": ""}, "no answer in time"),
    "cut off": (
        {"body": "<urlset>", "headers": {"Content-Length": "99999", "Connection": "close"}},
        "the answer broke off",
    ),
    "bomb": ({"file": "bomb", "headers": {"Content-Encoding": "gzip"}}, "larger than allowed"),
    "dropped": ({"drop": True}, "the download failed"),
    "log-in": (
        {"body": "<!DOCTYPE html><title>Log in</title><form><input type=password></form>"},
        "not a sitemap",
    ),
    "empty": ({"body": " "}, "sitemap is empty"),
    "robots": ({}, "robots.txt forbids it"),
}
"""Kinds of failure of a sitemap, and what is reported."""
LINKED = 12
ORPHANS = 8
"""Posts to which nothing leads but the source that fails."""


class Lists:
    """A blog whose pages link to some posts; further ones are in its second sitemap only."""

    def __init__(self, server: Server) -> None:
        assert server.root is not None
        self.server, self.root, self.base = server, server.root, server.url.rstrip("/")
        known = [Entry(n) for n in range(LINKED + 2 * ORPHANS)]
        self.linked, self.first, self.second = (
            known[:LINKED],
            known[LINKED:-ORPHANS],
            known[-ORPHANS:],
        )
        for entry in known:
            put(self.root, entry.path, html_of(entry))
        items = "".join(
            f'<h2><a href="{e.path}">{escape(e.title)}</a></h2><p>{e.paragraphs[0]}</p>'
            for e in self.linked
        )
        put(self.root, "/", page("Notes", items))
        (self.root / "feed.xml").write_text(rss(self.linked[-6:], self.base), "utf-8")
        self.sitemap("sitemap-1.xml", [*self.linked, *self.first])
        self.sitemap("sitemap-2.xml", self.second)
        maps = "".join(f"<sitemap><loc>{self.base}/sitemap-{n}.xml</loc></sitemap>" for n in (1, 2))
        (self.root / "sitemap.xml").write_text(
            f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{maps}</sitemapi'
            f"ndex>"
        )
        (self.root / "bomb").write_bytes(gzip.compress(b"<p>boom</p>" * 200_000))
        self.robots()

    def sitemap(self, name: str, entries: Sequence[Entry]) -> None:
        urls = "".join(f"<url><loc>{self.base}{e.path}</loc></url>" for e in entries)
        (self.root / name).write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        )

    def robots(self, refused: str = "") -> None:
        refused = f"Disallow: {refused}\n" if refused else ""
        (self.root / "robots.txt").write_text(
            f"User-agent: *\n{refused}Sitemap: {self.base}/sitemap.xml\n"
        )


def html_of(entry: Entry) -> str:
    time = f'<time datetime="{entry.date.isoformat()}">{entry.date:%d %B %Y}</time>'
    head = (
        f'<article class="post"><h1 class="post-title">{escape(entry.title)}</h1><p '
        f'class="byline">on {time}</p>'
    )
    return page(entry.title, f'{head}<div class="entry">{content(entry)}</div></article>')


def marked(names: Sequence[str], fast: str, slow: Sequence[str]) -> list[object]:
    """The others are run by hand."""
    seldom = (pytest.mark.slow, pytest.mark.by_hand)
    return [
        name
        if name == fast
        else pytest.param(name, marks=pytest.mark.slow if name in slow else seldom)
        for name in names
    ]


@pytest.mark.parametrize("fault", marked(list(FAULTS), "trouble", ("log-in", "robots")))
def test_failing_sitemap_lowers_the_completeness_and_is_retried(
    fault: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "site").mkdir()
    answer, reason = FAULTS[fault]
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        if fault == "robots":
            blog.robots("/sitemap-2.xml")
        else:
            server.rules = [Rule(path="/sitemap-2.xml", **answer)]  # type: ignore[arg-type]
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        [unread] = row.report["unread"]
        assert unread["url"] == f"{blog.base}/sitemap-2.xml" and unread["document"] == "sitemap"
        assert unread["reason"].startswith(reason), unread
        assert row.counts["posts_archived"] == LINKED + ORPHANS and row.report["missing"] == []
        assert facts_of(row, tmp_path / "archive") == {
            "archived": LINKED + ORPHANS,
            "missing": 0,
            "unread": 1,
            "missed_times": 1,
        }
        lost = row.report["behind_unread"]
        assert ORPHANS / 2 <= lost <= LINKED + ORPHANS, (
            "its sibling has 20 posts, of which 8 are on no page"
        )
        assert row.report["stop"]["completeness"] == pytest.approx(
            (LINKED + ORPHANS) / (LINKED + ORPHANS + lost), abs=0.01
        )
        archive = str(tmp_path / "archive")
        shown = cli("show", blog.base, "-a", archive, "--json").json
        assert (
            shown["blog"]["health"] == "incomplete"
            and shown["crawls"][-1]["report"]["unread"][0]["document"] == "sitemap"
        )
        assert "sitemap-2.xml" in cli("show", blog.base, "-a", archive).out

        again = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert [m["url"] for m in again.report["unread"]] == [unread["url"]], "it fails still"
        assert again.report["stop"]["completeness"] < 0.9
        facts = facts_of(again, tmp_path / "archive")
        assert (facts["unread"], facts["missed_times"]) == (1, 2), (
            "a cluster asks again soon, and then more seldom"
        )

        server.rules = []
        blog.robots()
        mended = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert (
            mended.report["unread"] == []
            and mended.report["missing"] == []
            and mended.report["behind_unread"] == 0
        )
        assert mended.counts["posts_archived"] == ORPHANS
        assert len(rows(tmp_path / "archive")) == LINKED + 2 * ORPHANS
        assert mended.report["stop"]["completeness"] == 1
        assert facts_of(mended, tmp_path / "archive")["unread"] == 0
        assert cli("show", blog.base, "-a", archive, "--json").json["blog"]["health"] == "ok"


@pytest.mark.parametrize(
    ("failing", "status", "unread"),
    [("sitemap-2.xml", 500, 1), ("sitemap.xml", 500, 1), ("sitemap.xml", 304, 0)],
)
def test_posts_edited_while_a_sitemap_failed_are_fetched_later(
    failing: str, status: int, unread: int, tmp_path: Path
) -> None:
    """When the sitemap is there again (or a cache no longer has the index as it was) its lastmod is
    older than the last crawl: no update asked for the edited post ever again."""
    (tmp_path / "site").mkdir()
    archive = tmp_path / "archive"
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        crawl(server.url, archive, **SETTINGS)
        hours_pass(archive, 2)
        post = edited(blog.second[0])
        put(blog.root, post.path, html_of(post))
        lastmod = f"<lastmod>{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}</lastmod>"
        for name, place in (("sitemap-2.xml", post.path), ("sitemap.xml", "/sitemap-2.xml")):
            text = (blog.root / name).read_text()
            (blog.root / name).write_text(text.replace(f"{place}</loc>", f"{place}</loc>{lastmod}"))
        server.rules = [Rule(path=f"/{failing}", status=status)]
        missed = crawl(server.url, archive, spider="updatecrawl", **SETTINGS)
        assert missed.counts.get("posts_changed", 0) == 0 and len(missed.report["unread"]) == unread
        server.rules = []
        mended = crawl(server.url, archive, spider="updatecrawl", **SETTINGS)
        assert mended.counts["posts_changed"] == 1 and mended.report["unread"] == []
        server.clear_log()
        crawl(server.url, archive, spider="updatecrawl", **SETTINGS)
        assert post.path not in server.paths()


def test_changed_sitemaps_over_the_limit_are_read_by_the_next_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_CHILDREN", 1)
    (tmp_path / "site").mkdir()
    archive = tmp_path / "archive"
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        crawl(server.url, archive, **SETTINGS)
        hours_pass(archive, 4)
        index = (blog.root / "sitemap.xml").read_text()
        for number, first in ((1, blog.first[0]), (2, blog.second[0])):
            post, name = edited(first), f"sitemap-{number}.xml"
            put(blog.root, post.path, html_of(post))
            at = datetime.now(UTC) - timedelta(hours=number)
            lastmod = f"</loc><lastmod>{at:%Y-%m-%dT%H:%M:%SZ}</lastmod>"
            listed = (blog.root / name).read_text()
            (blog.root / name).write_text(listed.replace(f"{post.path}</loc>", post.path + lastmod))
            index = index.replace(f"{name}</loc>", name + lastmod)
        (blog.root / "sitemap.xml").write_text(index)
        update = crawl(server.url, archive, spider="updatecrawl", **SETTINGS)
        assert update.counts["posts_changed"] == 1
        assert [unread["reason"] for unread in update.report["unread"]] == [sources.TOO_MANY]
        update = crawl(server.url, archive, spider="updatecrawl", **SETTINGS)
        assert update.counts["posts_changed"] == 1 and update.report["unread"] == []


def hours_pass(archive: Path, hours: int) -> None:
    """The archive as if all that was done were done so much earlier."""
    with closing(sqlite3.connect(archive / "state.db")) as database, database:
        for table, column in (("posts", "last_seen"), ("blogs", "last_crawl")):
            for (value,) in database.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall():
                earlier = datetime.fromisoformat(value) - timedelta(hours=hours)
                database.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {column} = ?",
                    (earlier.isoformat().replace("+00:00", "Z"), value),
                )
        [(feeds,)] = database.execute("SELECT feeds FROM blogs").fetchall()
        memory = json.loads(feeds)
        for feed in memory.values():
            if feed.get("since"):
                feed["since"] = (
                    datetime.fromisoformat(feed["since"]) - timedelta(hours=hours)
                ).isoformat()
        database.execute("UPDATE blogs SET feeds = ?", (json.dumps(memory),))


def facts_of(row: CrawlRow, archive: Path) -> dict[str, int]:
    """What the crawl would note for a cluster's schedule."""
    state = open_state(Config(archive=str(archive)))
    blog = state.get_blog(row.blog_id)
    state.close()
    assert blog is not None and blog.model is not None
    return post_facts(SimpleNamespace(crawl=row, memory=blog.model["stages"]))


@pytest.mark.parametrize(("reason", "unread"), [("complete", 0), ("exhausted", 1)])
def test_failing_link_list_is_an_unread_source_unless_complete_without(
    reason: str, unread: int
) -> None:
    about = {"times": 3, "reason": "HTTP 500", "sources": ["links"], "chance": 0.02}
    missing = {
        "http://b.example/page/7": {**about, "new_posts": 2.0},
        "http://b.example/about": {**about, "new_posts": 0.0},
    }
    crawl = SimpleNamespace(
        report={"missing_count": 0, "stop": {"reason": reason}}, counts={"posts": 5}
    )
    facts = post_facts(SimpleNamespace(crawl=crawl, memory={"missing": missing}))
    assert facts == {
        "archived": 5,
        "missing": 0,
        "unread": unread,
        "missed_times": 3 if unread else 1,
    }


def test_unknown_charset_of_a_sitemap_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        text = (blog.root / "sitemap-2.xml").read_text()
        server.rules = [
            Rule(
                path="/sitemap-2.xml",
                body=text,
                headers={"Content-Type": "application/xml; charset=x-nobody-knows"},
            )
        ]
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        assert row.counts["posts_archived"] == LINKED + 2 * ORPHANS and row.report["unread"] == []


@dataclass(frozen=True)
class Source:
    """``path``: what fails; ``document``: its kind in the report."""

    path: str
    document: str


def older_feed_pages(blog: Lists) -> Source:
    """The feed leads to an older document (RFC 5005) that has posts of its own, and this to the
    last.
    """
    (blog.root / "robots.txt").unlink()
    (blog.root / "sitemap.xml").unlink()
    for name, entries, older in (
        ("feed.xml", blog.linked[-6:], "older.xml"),
        ("older.xml", blog.first, "oldest.xml"),
        ("oldest.xml", blog.second, ""),
    ):
        link = (
            (
                f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="next" '
                f'href="{blog.base}/{older}"/>'
            )
            if older
            else ""
        )
        (blog.root / name).write_text(
            rss(entries, blog.base).replace("<channel>", f"<channel>{link}"), "utf-8"
        )
    return Source("/older.xml", "feed-page")


def index_of_sitemaps(blog: Lists) -> Source:
    return Source("/sitemap.xml", "sitemap")


def search_index(blog: Lists) -> Source:
    """The home page's search box reads a file that names all posts."""
    (blog.root / "robots.txt").unlink()
    (blog.root / "sitemap.xml").unlink()
    rows = [
        {"title": e.title, "url": e.path, "date": e.date.isoformat()}
        for e in [*blog.linked, *blog.first, *blog.second]
    ]
    (blog.root / "search.json").write_text(json.dumps(rows))
    home = blog.root / "index.html"
    home.write_text(
        home.read_text().replace(
            "</body>", '<script>var searchPath = "/search.json";</script></body>'
        )
    )
    return Source("/search.json", "sitemap")


SOURCES = {
    "older feed page": older_feed_pages,
    "index of sitemaps": index_of_sitemaps,
    "search index": search_index,
}


@pytest.mark.parametrize("kind", marked(list(SOURCES), "older feed page", list(SOURCES)))
def test_every_kind_of_failing_list_is_reported_and_read_by_the_next_update(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        source = SOURCES[kind](blog)
        server.rules = [Rule(path=source.path, status=500)]
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        [unread] = row.report["unread"]
        assert (
            unread["url"] == blog.base + source.path
            and unread["document"] == source.document
            and unread["reason"] == "HTTP 500"
        )
        assert row.counts["posts_archived"] == LINKED
        assert row.report["stop"]["completeness"] < 1 and row.report["behind_unread"] >= SOME_POSTS
        server.rules = []
        mended = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert mended.report["unread"] == [] and mended.report["missing"] == []
        assert len(rows(tmp_path / "archive")) == LINKED + 2 * ORPHANS


def test_failing_conventional_urls_are_no_loss(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        (blog.root / "robots.txt").unlink()
        (blog.root / "sitemap.xml").unlink()
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        assert row.report["unread"] == [] and row.report["behind_unread"] == 0
        assert row.report["stop"]["completeness"] == 1


class Names:
    """`socket.getaddrinfo` that answers for one host with an error each time, at last with the
    loopback address.
    """

    def __init__(self, host: str, *errors: int) -> None:
        self.host, self.errors, self.asked = host, list(errors), 0
        self.real = socket.getaddrinfo

    def __call__(self, host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        if host != self.host:
            return self.real(host, port, *args, **kwargs)
        self.asked += 1
        if self.errors:
            raise socket.gaierror(self.errors.pop(0), "no address")
        return self.real("127.0.0.1", port, *args, **kwargs)


EXISTS_NOT, NO_ANSWER = socket.EAI_NONAME, socket.EAI_AGAIN


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ([EXISTS_NOT] * 9, ""),
        ([NO_ANSWER] * 9, "the host does not resolve at present"),
        ([NO_ANSWER] * 2 + [EXISTS_NOT] * 9, "the host does not resolve"),
        ([EXISTS_NOT] * 2 + [NO_ANSWER] * 9, "the host does not resolve at present"),
    ],
    ids=["never exists", "name servers fail", "found missing once", "servers fail later"],
)
def test_unresolvable_feed_host_counts_unless_it_never_resolves(
    errors: list[int], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names("feeds.blogcrawl.invalid", *errors)
    monkeypatch.setattr(socket, "getaddrinfo", names)
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        name_feed(blog, "http://feeds.blogcrawl.invalid/notes")
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
    assert names.asked == 4  # each time twice: Scrapy's retry
    assert [unread["reason"] for unread in row.report["unread"]] == ([reason] if reason else [])
    assert (row.report["stop"]["completeness"] < 1) == bool(reason)
    assert any("feeds.blogcrawl.invalid" in note for note in row.report["notes"])


def name_feed(blog: Lists, url: str) -> None:
    """Let the home page name a feed besides the blog's own, which lies at a usual address."""
    home = blog.root / "index.html"
    own = '<link rel="alternate" type="application/rss+xml" href="/feed.xml" title="Small Notes">'
    text = home.read_text("utf-8")
    assert own in text
    home.write_text(text.replace(own, own.replace("/feed.xml", url)), "utf-8")


def test_feed_discovered_later_in_the_crawl_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        host = "feeds.blogcrawl.invalid"
        name_feed(blog, f"http://{host}:{urlsplit(server.url).port}/other.xml")
        (blog.root / "other.xml").write_text(rss(blog.second, blog.base), "utf-8")
        (blog.root / "sitemap.xml").unlink()
        names = Names(host, NO_ANSWER, NO_ANSWER)
        monkeypatch.setattr(socket, "getaddrinfo", names)
        row = crawl(server.url, tmp_path / "archive", allow_private=True, **SETTINGS)
        archived = rows(tmp_path / "archive")
    assert row.report["unread"] == []
    assert {entry.path.rstrip("/") for entry in blog.second} <= {p.rstrip("/") for p in archived}
