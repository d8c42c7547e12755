"""No list is lost silently: sitemaps, their indexes, older pages of a feed, interfaces and search indexes that could not be read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest

from blogcrawl.frontier.unread import SOME_POSTS
from tests.conftest import Cli
from tests.server import Rule, Server
from tests.spiders.blog import Entry, content, page, put, rss
from tests.spiders.crawling import crawl, rows

SETTINGS = {"max_page_bytes": 150_000, "extra": {"DOWNLOAD_TIMEOUT": 1.0, "RETRY_TIMES": 1}}
FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "trouble": ({"status": 500}, "HTTP 500"),
    "forbidden": ({"status": 403}, "HTTP 403"),
    "time-out": ({"delay": 20.0, "body": ""}, "no answer in time"),
    "cut off": ({"body": "<urlset>", "headers": {"Content-Length": "99999", "Connection": "close"}}, "the answer broke off"),
    "bomb": ({"file": "bomb", "headers": {"Content-Encoding": "gzip"}}, "larger than allowed"),
    "dropped": ({"drop": True}, "the download failed"),
    "log-in": ({"body": "<!DOCTYPE html><title>Log in</title><form><input type=password></form>"}, "not a sitemap"),
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
        self.linked, self.first, self.second = known[:LINKED], known[LINKED:-ORPHANS], known[-ORPHANS:]
        for entry in known:
            put(self.root, entry.path, html_of(entry))
        items = "".join(f'<h2><a href="{e.path}">{escape(e.title)}</a></h2><p>{e.paragraphs[0]}</p>' for e in self.linked)
        put(self.root, "/", page("Notes", items))
        (self.root / "feed.xml").write_text(rss(self.linked[-6:], self.base), "utf-8")
        self.sitemap("sitemap-1.xml", [*self.linked, *self.first])
        self.sitemap("sitemap-2.xml", self.second)
        maps = "".join(f"<sitemap><loc>{self.base}/sitemap-{n}.xml</loc></sitemap>" for n in (1, 2))
        (self.root / "sitemap.xml").write_text(f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{maps}</sitemapindex>')
        (self.root / "bomb").write_bytes(gzip.compress(b"<p>boom</p>" * 200_000))
        self.robots()

    def sitemap(self, name: str, entries: Sequence[Entry]) -> None:
        urls = "".join(f"<url><loc>{self.base}{e.path}</loc></url>" for e in entries)
        (self.root / name).write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>')

    def robots(self, refused: str = "") -> None:
        refused = f"Disallow: {refused}\n" if refused else ""
        (self.root / "robots.txt").write_text(f"User-agent: *\n{refused}Sitemap: {self.base}/sitemap.xml\n")


def html_of(entry: Entry) -> str:
    time = f'<time datetime="{entry.date.isoformat()}">{entry.date:%d %B %Y}</time>'
    head = f'<article class="post"><h1 class="post-title">{escape(entry.title)}</h1><p class="byline">on {time}</p>'
    return page(entry.title, f'{head}<div class="entry">{content(entry)}</div></article>')


def fast_or_slow(names: Sequence[str], fast: str) -> list[object]:
    return [name if name == fast else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("fault", fast_or_slow(list(FAULTS), "trouble"))
def test_a_sitemap_that_fails_is_reported_lowers_the_completeness_and_is_asked_for_again(fault: str, tmp_path: Path, cli: Cli) -> None:
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
        lost = row.report["behind_unread"]
        assert ORPHANS / 2 <= lost <= LINKED + ORPHANS, "its sibling has 20 posts, of which 8 are on no page"
        assert row.report["stop"]["completeness"] == pytest.approx((LINKED + ORPHANS) / (LINKED + ORPHANS + lost), abs=0.01)
        archive = str(tmp_path / "archive")
        shown = cli("show", blog.base, "-a", archive, "--json").json
        assert shown["blog"]["health"] == "incomplete" and shown["crawls"][-1]["report"]["unread"][0]["document"] == "sitemap"
        assert "sitemap-2.xml" in cli("show", blog.base, "-a", archive).out

        again = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert [m["url"] for m in again.report["unread"]] == [unread["url"]], "it fails still"
        assert again.report["stop"]["completeness"] < 0.9

        server.rules = []
        blog.robots()
        mended = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert mended.report["unread"] == [] and mended.report["missing"] == [] and mended.report["behind_unread"] == 0
        assert mended.counts["posts_archived"] == ORPHANS
        assert len(rows(tmp_path / "archive")) == LINKED + 2 * ORPHANS
        assert mended.report["stop"]["completeness"] == 1
        assert cli("show", blog.base, "-a", archive, "--json").json["blog"]["health"] == "ok"


def test_a_charset_that_nobody_knows_is_guessed_in_a_sitemap(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        text = (blog.root / "sitemap-2.xml").read_text()
        server.rules = [Rule(path="/sitemap-2.xml", body=text, headers={"Content-Type": "application/xml; charset=x-nobody-knows"})]
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        assert row.counts["posts_archived"] == LINKED + 2 * ORPHANS and row.report["unread"] == []


@dataclass(frozen=True)
class Source:
    """``path``: what fails; ``document``: its kind in the report."""

    path: str
    document: str


def older_feed_pages(blog: Lists) -> Source:
    """The feed leads to an older document (RFC 5005) that has posts of its own, and this to the last."""
    (blog.root / "robots.txt").unlink()
    (blog.root / "sitemap.xml").unlink()
    for name, entries, older in (
        ("feed.xml", blog.linked[-6:], "older.xml"),
        ("older.xml", blog.first, "oldest.xml"),
        ("oldest.xml", blog.second, ""),
    ):
        link = f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="next" href="{blog.base}/{older}"/>' if older else ""
        (blog.root / name).write_text(rss(entries, blog.base).replace("<channel>", f"<channel>{link}"), "utf-8")
    return Source("/older.xml", "feed-page")


def index_of_sitemaps(blog: Lists) -> Source:
    return Source("/sitemap.xml", "sitemap")


def search_index(blog: Lists) -> Source:
    """The home page's search box reads a file that names all posts."""
    (blog.root / "robots.txt").unlink()
    (blog.root / "sitemap.xml").unlink()
    rows = [{"title": e.title, "url": e.path, "date": e.date.isoformat()} for e in [*blog.linked, *blog.first, *blog.second]]
    (blog.root / "search.json").write_text(json.dumps(rows))
    home = blog.root / "index.html"
    home.write_text(home.read_text().replace("</body>", '<script>var searchPath = "/search.json";</script></body>'))
    return Source("/search.json", "sitemap")


SOURCES = {"older feed page": older_feed_pages, "index of sitemaps": index_of_sitemaps, "search index": search_index}


@pytest.mark.parametrize("kind", fast_or_slow(list(SOURCES), "older feed page"))
def test_every_kind_of_list_is_reported_and_comes_in_with_the_next_update(kind: str, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        source = SOURCES[kind](blog)
        server.rules = [Rule(path=source.path, status=500)]
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        [unread] = row.report["unread"]
        assert unread["url"] == blog.base + source.path and unread["document"] == source.document and unread["reason"] == "HTTP 500"
        assert row.counts["posts_archived"] == LINKED
        assert row.report["stop"]["completeness"] < 1 and row.report["behind_unread"] >= SOME_POSTS
        server.rules = []
        mended = crawl(server.url, tmp_path / "archive", spider="updatecrawl", **SETTINGS)
        assert mended.report["unread"] == [] and mended.report["missing"] == []
        assert len(rows(tmp_path / "archive")) == LINKED + 2 * ORPHANS


def test_usual_addresses_that_nobody_named_are_no_loss(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Lists(server)
        (blog.root / "robots.txt").unlink()
        (blog.root / "sitemap.xml").unlink()
        row = crawl(server.url, tmp_path / "archive", **SETTINGS)
        assert row.report["unread"] == [] and row.report["behind_unread"] == 0
        assert row.report["stop"]["completeness"] == 1
