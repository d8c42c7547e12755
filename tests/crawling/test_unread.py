"""No page is lost silently: each kind of failure, for each shape of address, from each source, in
whole crawls of a small blog.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest

from blogcrawl.storage.tables import CrawlRow
from blogcrawl.urls.canonical import canonicalize
from tests.conftest import Cli
from tests.crawling.blog import Entry, content, entries, page, put, rss, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

SHAPES = {
    "dated": "/2019/05/kettle-and-lamp-{}",
    "number": "/p/{}",
    "slug": "/kettle-and-lamp-{}",
    "query": "/?p={}",
    "movable-type": "/archives/000{}.html",
    "new": "/thought/{}",
}
"""Addresses of posts. Those that fail have the shape ``new`` where all others are dated: the feed
lacks it.
"""
SOURCES = ("feed", "links", "sitemap")
HEALTHY = 14
IN_FEED = 6
LOGIN = (
    "<title>Log in</title><h1>Members only: {}</h1><form method=post><input "
    "name=user><input type=password name=pass></form>"
)
PROTECTED = (
    "<form class=post-password-form method=post><p>This content is protected. To view it please "
    "enter your password below:</p><label>Password: <input name=post_password type=password>"
    "</label> <input type=submit value=Enter></form>"
)
REASONS = {
    "trouble": {"HTTP 500"},
    "forbidden": {"HTTP 403"},
    "time-out": {"no answer in time"},
    "cut off": {"the answer broke off"},
    "bomb": {"larger than allowed when decompressed", "larger than allowed"},
    "large": {"larger than allowed"},
    "dropped": {"the download failed"},
    "log-in": {"login"},
    "sent to log in": {"login"},
    "protected": {"protected by a password"},
    "robots": {"robots.txt forbids it"},
    "charset": set(),
}
"""Kinds of failure, and what is reported. An unknown charset is guessed: such a post is
archived.
"""
SETTINGS = {"max_page_bytes": 150_000, "extra": {"DOWNLOAD_TIMEOUT": 2.0, "RETRY_TIMES": 1}}


@dataclass(frozen=True)
class At(Entry):
    """A post at an address of any shape."""

    at: str = ""

    @property
    def path(self) -> str:
        return self.at


@dataclass(frozen=True)
class Victim:
    entry: At
    failure: str
    source: str


class Faulty:
    """A blog of HEALTHY posts, and one for each kind of failure and each source."""

    def __init__(self, server: Server, shape: str) -> None:
        assert server.root is not None
        self.server, self.root, self.base = server, server.root, server.url.rstrip("/")
        healthy = SHAPES["dated" if shape == "new" else shape]
        self.healthy = [At(n, at=healthy.format(200 + n)) for n in range(HEALTHY)]
        kinds = [(failure, source) for source in SOURCES for failure in REASONS]
        self.victims = [
            Victim(At(HEALTHY + n, at=SHAPES[shape].format(300 + n)), *kind)
            for n, kind in enumerate(kinds)
        ]
        self.write()
        server.rules = [
            *self.faults(),
            *self.others(),
            *map(self.good, self.healthy),
            *(self.good(v.entry) for v in self.victims),
        ]

    def write(self) -> None:
        """Home page, older pages, feed and sitemap."""
        victims = {
            source: [v.entry for v in self.victims if v.source == source] for source in SOURCES
        }
        linked = [*self.healthy, *victims["links"]]
        for number, start in enumerate(range(0, len(linked), 8), 1):
            items = "".join(
                f'<h2><a href="{e.path}">{escape(e.title)}</a></h2><p>{e.paragraphs[0]}</p>'
                for e in linked[start : start + 8]
            )
            more = (
                f'<a rel="next" href="/page/{number + 1}/">older notes</a>'
                if start + 8 < len(linked)
                else ""
            )
            put(self.root, "/" if number == 1 else f"/page/{number}/", page("Notes", items + more))
        (self.root / "feed.xml").write_text(
            rss([*self.healthy[:IN_FEED], *victims["feed"]], self.base), "utf-8"
        )
        urls = "".join(
            f"<url><loc>{self.base}{e.path}</loc></url>"
            for e in [*self.healthy, *victims["sitemap"]]
        )
        (self.root / "sitemap.xml").write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        )
        refused = "".join(
            f"Disallow: {v.entry.path}$\n" for v in self.victims if v.failure == "robots"
        )
        (self.root / "robots.txt").write_text(
            f"User-agent: *\n{refused}Sitemap: {self.base}/sitemap.xml\n"
        )
        (self.root / "bomb").write_bytes(gzip.compress(b"<p>boom</p>" * 200_000))

    @staticmethod
    def html(entry: Entry, text: str = "") -> str:
        time = f'<time datetime="{entry.date.isoformat()}">{entry.date:%d %B %Y}</time>'
        byline = f'<p class="byline">by <span class="author">Ada Writer</span> on {time}</p>'
        head = f'<article class="post"><h1 class="post-title">{escape(entry.title)}</h1>{byline}'
        return page(
            entry.title, f'{head}<div class="entry">{text or content(entry)}</div></article>'
        )

    def good(self, entry: Entry) -> Rule:
        return Rule(path=literal(entry.path), body=self.html(entry))

    def faults(self) -> Iterator[Rule]:
        for victim in self.victims:
            how = {
                "trouble": {"status": 500},
                "forbidden": {"status": 403},
                "time-out": {"delay": 20.0, "body": ""},
                "cut off": {
                    "body": self.html(victim.entry)[:600],
                    "headers": {"Content-Length": "99999", "Connection": "close"},
                },
                "bomb": {"file": "bomb", "headers": {"Content-Encoding": "gzip"}},
                "large": {"body": "<p>long</p>" * 20_000},
                "dropped": {"drop": True},
                "log-in": {"body": LOGIN.format(victim.entry.title)},
                "protected": {"body": self.html(victim.entry, PROTECTED)},
                "sent to log in": {"status": 302, "headers": {"Location": "/account/"}},
                "charset": {
                    "body": self.html(victim.entry),
                    "headers": {"Content-Type": "text/html; charset=x-nobody-knows"},
                },
            }.get(victim.failure)
            if how is not None:
                yield Rule(path=literal(victim.entry.path), **how)  # type: ignore[arg-type]

    @staticmethod
    def others() -> list[Rule]:
        """Pages that are plainly no posts, and fail."""
        return [
            Rule(path="/account/", body=LOGIN.format("readers")),
            Rule(path="/about/|/tag/kettle/", status=500),
        ]

    def expected(self) -> dict[str, Victim]:
        """By canonical URL, those that can't be archived."""
        return {
            canonicalize(self.base + v.entry.path): v for v in self.victims if REASONS[v.failure]
        }


def literal(path: str) -> str:
    return path.replace("?", r"\?").replace(".", r"\.")


MARKS = {
    "new": (),
    "number": (pytest.mark.slow,),
    "query": (pytest.mark.slow,),
}
"""By shape; the others are run by hand: each is a crawl, an update and their commands."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(s, marks=MARKS.get(s, (pytest.mark.slow, pytest.mark.by_hand))) for s in SHAPES
    ],
)
def faulty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Faulty, CrawlRow, Path]]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "site").mkdir()
    with Server(folder / "site") as server:
        blog = Faulty(server, request.param)
        yield blog, crawl(server.url, folder / "archive", **SETTINGS), folder


def test_every_failed_post_is_missing_with_its_reason(
    faulty: tuple[Faulty, CrawlRow, Path],
) -> None:
    blog, row, _ = faulty
    missing = {m["url"]: m for m in row.report["missing"]}
    unread = {m["url"]: m for m in row.report["unread"]}
    expected = blog.expected()
    for url, victim in expected.items():
        reported = missing.get(url) or unread.get(url)
        assert reported is not None, f"{victim.failure} from {victim.source} is lost silently"
        assert any(reported["reason"].startswith(reason) for reason in REASONS[victim.failure]), (
            victim.failure,
            reported,
        )
        assert url in missing, f"{victim.failure} from {victim.source}: {reported}"
    assert missing.keys() == expected.keys()
    assert row.counts["posts_archived"] == HEALTHY + len(SOURCES), (
        "and those of the unknown charset"
    )
    assert row.counts["posts_missing"] == len(expected)
    posts = HEALTHY + len(SOURCES) + len(expected)
    assert row.report["stop"]["completeness"] == pytest.approx(
        row.counts["posts_archived"] / posts, abs=0.1
    )


def test_failing_pages_that_are_no_posts_are_unread_not_missing(
    faulty: tuple[Faulty, CrawlRow, Path],
) -> None:
    blog, row, _ = faulty
    unread = {m["url"].removeprefix(blog.base): m["reason"] for m in row.report["unread"]}
    assert unread == {"/about": "HTTP 500", "/tag/kettle": "HTTP 500"}
    assert row.counts["pages_unread"] == 2


def test_all_commands_report_missing_posts(faulty: tuple[Faulty, CrawlRow, Path], cli: Cli) -> None:
    blog, _, folder = faulty
    archive = str(folder / "archive")
    shown = cli("show", blog.base, "-a", archive, "--json").json
    assert {m["url"] for m in shown["crawls"][-1]["report"]["missing"]} == set(blog.expected())
    assert shown["blog"]["health"] == "incomplete"
    text = cli("show", blog.base, "-a", archive).out
    assert f"{len(blog.expected())} posts missing" in text
    reported = cli("report", "-a", archive, "--json").json
    [sums] = reported["blogs"].values()
    assert sums["missing"] == len(blog.expected()) and sums["unread"] == 2
    assert sum(sums["missing_reasons"].values()) == len(blog.expected())


def test_all_missing_posts_are_archived_after_recovery(
    faulty: tuple[Faulty, CrawlRow, Path],
) -> None:
    blog, _, folder = faulty
    blog.server.rules = [*map(blog.good, blog.healthy), *(blog.good(v.entry) for v in blog.victims)]
    (blog.root / "robots.txt").write_text("")
    row = crawl(blog.server.url, folder / "archive", spider="updatecrawl", **SETTINGS)
    assert row.report["missing"] == [] and row.report["unread"] == []
    assert row.counts["posts_archived"] == len(blog.expected())
    assert len(rows(folder / "archive")) == HEALTHY + len(blog.victims)
    assert row.report["stop"]["completeness"] >= 0.999


def test_further_page_that_redirects_to_the_start_page_is_a_list_that_could_not_be_read(
    tmp_path: Path,
) -> None:
    """Without a feed it is one of the pages from which a blog is learned."""
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        assert server.root is not None
        write_blog(server.root, entries(22))
        moved = Rule(path="/page/2/", status=302, headers={"Location": "/"})
        server.rules = [Rule(path="/feed.xml", status=404), moved]
        report = crawl(server.url, tmp_path / "archive").report
    assert [page["reason"] for page in report["unread"]] == ["redirects to the start page"]
    assert report["completeness"]["status"] in {"incomplete", "unknown"}


ENDS = ("nothing", "the newest again", "a link to the start page", "an error")


@pytest.mark.parametrize("shown", ENDS)
@pytest.mark.parametrize("counts_on", [True, False])
def test_pager_that_leads_on_to_no_older_posts_lacks_them(
    tmp_path: Path, shown: str, *, counts_on: bool
) -> None:
    """It ends amid the blog, with an answer that is no error. Where its addresses count on, all but
    the posts of the page that fails are found behind it; else nothing says how many there are."""
    (root := tmp_path / "site").mkdir()
    posts = entries(22)
    write_blog(root, posts, base="", feed=0, per_page=4)
    third, first = (root / "page" / "3" / "index.html", root / "index.html")
    if shown == "a link to the start page":
        text = third.read_text("utf-8").replace('"/page/4/"', '"/"')
        third.write_text(text, "utf-8")
    else:
        some = first.read_text("utf-8") if shown == "the newest again" else ""
        put(root, "/page/4/", some or page("Notes", "<p>Please come back later.</p>"))
    fails = [Rule(path="/page/4/", status=500)] if shown == "an error" else []
    with Server(root) as server:
        server.rules = fails if counts_on else [*fails, Rule(path="/page/[45]/", status=404)]
        row = crawl(server.url, tmp_path / "archive")
        found = row.report["completeness"]
        if shown == "a link to the start page" and counts_on:
            assert found["share"] > 0.95 and len(rows(tmp_path / "archive")) == len(posts)
        elif counts_on:
            assert len(rows(tmp_path / "archive")) == 18
            assert found["status"] == "incomplete"
            assert found["share"] == pytest.approx(18 / 22, abs=0.03)
        else:
            assert len(rows(tmp_path / "archive")) == 12
            assert found["status"] == "unknown" and "the blog leads on to" in found["reasons"][0]
        server.rules = []
        write_blog(root, posts, base="", feed=0, per_page=4)
        again = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert len(rows(tmp_path / "archive")) == len(posts)
    assert again.report["completeness"]["share"] > 0.95


def test_older_posts_on_another_host_are_not_followed_nor_counted(tmp_path: Path) -> None:
    """The pager's last page leads on to the place of the blog before a move."""
    (root := tmp_path / "site").mkdir()
    write_blog(root, entries(22)[10:], base="", feed=0, per_page=4)
    last = root / "page" / "2" / "index.html"
    last.write_text(last.read_text("utf-8").replace('"/page/3/"', '"http://old.invalid/"'), "utf-8")
    with Server(root) as server:
        found = crawl(server.url, tmp_path / "archive").report["completeness"]
    assert found["status"] == "unknown"
    assert found["reasons"][0] == "a list calls http://old.invalid/ the page of its older posts"


@pytest.mark.parametrize(("listed", "status"), [(8, "unknown"), (14, "complete")])
def test_list_without_the_newest_posts_says_nothing_of_those_between(
    tmp_path: Path, listed: int, status: str
) -> None:
    """An archive page written by hand, and not for long; the start page shows the newest."""
    (root := tmp_path / "site").mkdir()
    posts = entries(22 if status == "unknown" else 14)
    items = [f'<li><a href="{e.path}">{e.title}</a></li>' for e in posts]
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=6, per_page=30)
        put(root, "/tag/kettle/", page("kettle", "<h1>kettle</h1>"))
        put(root, "/archive/", page("Archive", f"<ul>{''.join(items[:listed])}</ul>"))
        newest = "".join(items[-6:])
        put(root, "/", page("Notes", f'<ul>{newest}</ul><a href="/archive/">Archive</a>'))
        found = crawl(server.url, tmp_path / "archive").report["completeness"]
    assert found["status"] == status, found
    assert status == "complete" or "no list shows the newest posts" in found["reasons"][0]
