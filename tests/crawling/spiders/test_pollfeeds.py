"""One look at known feeds: what each answer means, and the whole job against a real server."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from blogcrawl.cluster.visit_scheduler import next_turn
from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError, GoneError, HttpStatusError, NotABlogError
from blogcrawl.core.page import Page
from blogcrawl.crawling.extensions.cluster_job import crawl_facts
from blogcrawl.crawling.feed_poll import conditional_headers, entries_digest, poll_facts
from blogcrawl.crawling.report import End
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import JobRow, VisitRow
from tests.conftest import clean_environment
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl
from tests.server import Rule, Server

NOW = datetime(2026, 11, 22, tzinfo=UTC)
FEED = "https://blog.example.org/feed"


def rss(posts: int, extra: str = "", build: str = "") -> bytes:
    items = "".join(
        f"<item><title>Post {n}</title><link>https://blog.example.org/{n}</link>"
        f"<pubDate>Sun, {n + 1:02} Nov 2026 08:00:00 GMT</pubDate></item>"
        for n in range(posts)
    )
    return f"<rss version='2.0'><channel><title>A</title>{build}{extra}{items}</channel></rss>".encode()  # noqa: E501


def facts(
    body: bytes = b"", status: int = 200, memory: dict[str, Any] | None = None, **headers: str
) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return poll_facts(
        Page(url=FEED, body=body, status=status, headers=named, fetched_at=NOW),
        memory or {"url": FEED},
        None,
    )


def remembered(body: bytes) -> dict[str, Any]:
    """What the controller keeps after a crawl that read this feed."""
    return {"url": FEED, "entries": entries_digest(parse_feed(body, FEED))}


def test_unchanged_feed_is_recognised_by_304_bytes_or_entries() -> None:
    memory = remembered(rss(3))
    cheap = facts(status=304, memory=memory)
    assert cheap["outcome"] == "unchanged" and cheap["feed"]["whole"] is False
    same = facts(
        rss(3, build="<lastBuildDate>Sun, 22 Nov 2026 01:00:00 GMT</lastBuildDate>"), memory=memory
    )
    assert (
        same["outcome"] == "unchanged" and same["feed"]["digest"] and same["feed"]["whole"] is True
    )
    assert (
        facts(
            rss(3, build="<lastBuildDate>Sun, 22 Nov 2026 01:00:00 GMT</lastBuildDate>"),
            memory=same["feed"],
        )["outcome"]
        == "unchanged"
    )


@pytest.mark.parametrize("body", [rss(4), rss(2), rss(3).replace(b"Post 1", b"Post one")])
def test_new_removed_and_edited_entries_are_changes(body: bytes) -> None:
    assert facts(body, memory=remembered(rss(3)))["outcome"] == "changed"


@pytest.mark.parametrize(
    ("status", "outcome", "reason"),
    [
        (410, "astray", "410"),
        (404, "astray", "404"),
        (500, "failed", "500"),
        (429, "refused", "429"),
        (503, "refused", "503"),
    ],
)
def test_feed_failures_are_classified(status: int, outcome: str, reason: str) -> None:
    result = facts(status=status, retry_after="600")
    assert result["outcome"] == outcome and reason in result["reason"]
    if outcome == "refused":
        assert result["hints"] == {"retry_after_seconds": 600}


def test_feed_replaced_by_another_document_is_astray() -> None:
    result = facts(
        b"<!doctype html><html><body>This domain is for sale</body></html>",
        memory=remembered(rss(3)),
    )
    assert (
        result["outcome"] == "astray"
        and "turned into something else: not a feed but an HTML page" in result["reason"]
    )


def test_scheduling_hints_of_server_and_feed_are_noted() -> None:
    body = rss(
        1,
        extra=(
            "<ttl>90</ttl><skipHours><hour>3</hour></skipHours><skipDays><day>Sunday</day></sk"
            "ipDays>"
        ),
    )
    result = facts(body, cache_control='public, max-age="1800"', etag='W/"x"')
    assert result["hints"] == {
        "max_age_seconds": 1800,
        "ttl_minutes": 90,
        "skip_hours": [3],
        "skip_days": ["Sunday"],
    }


def test_validators_are_sent_back_byte_for_byte() -> None:
    odd = 'W/"odd--gzip" '
    assert conditional_headers({"etag": odd, "last_modified": "yesterday"}) == {
        "If-None-Match": odd,
        "If-Modified-Since": "yesterday",
    }
    assert conditional_headers({}) == {}


def test_poll_job_requests_every_feed_once_and_notes_outcomes(tmp_path: Path) -> None:
    """As a node runs it; a blog without a known feed costs nothing, and what moved for good is
    asked there the next time.
    """
    (tmp_path / "site").mkdir()
    (tmp_path / "site/same.xml").write_bytes(rss(2))
    (tmp_path / "site/news.xml").write_bytes(rss(3))
    (tmp_path / "site/page.xml").write_text("<html><body>nothing</body></html>")
    with Server(tmp_path / "site", [Rule(path="/gone.xml", status=410)]) as server:
        server.rules = [
            *server.rules,
            Rule(path="/old.xml", status=301, headers={"Location": server.url + "same.xml"}),
        ]
        names = ["same", "news", "page", "gone", "old"]
        schedule = Schedule(open_state(Config(archive=str(tmp_path / "archive"))))
        memory = {name: remembered(rss(2)) | {"url": f"{server.url}{name}.xml"} for name in names}
        rows = [
            VisitRow(
                blog_id=n,
                url=server.url,
                host="127.0.0.1",
                kind="poll",
                next_visit=NOW,
                feed=memory.get(n),
            )
            for n in [*names, "none"]
        ]
        schedule.add_blogs(rows)
        assert schedule.book(
            [JobRow(id="job-1", kind="poll", host="", blogs=[r.blog_id for r in rows], created=NOW)]
        )
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "pollfeeds",
            "-a",
            "job=job-1",
            "-s",
            f"BLOGCRAWL_ARCHIVE={tmp_path / 'archive'}",
        ]
        settings = ["-s", "BLOGCRAWL_DELAY_SECONDS=0", "-s", "BLOGCRAWL_JOB_ID=job-1"]
        done = subprocess.run(
            [*command, *settings],
            cwd=tmp_path,
            env=clean_environment(SCRAPY_SETTINGS_MODULE="blogcrawl.settings"),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert sorted(server.paths()) == sorted(
            ["/same.xml", "/news.xml", "/page.xml", "/gone.xml", "/old.xml", "/same.xml"]
        )
        seen = {row.blog_id: row for row in schedule.visits()}
        schedule.state.close()
        said = {name: (row.state, (row.facts or {}).get("outcome")) for name, row in seen.items()}
        assert said == {
            "same": ("visited", "unchanged"),
            "news": ("visited", "changed"),
            "page": ("visited", "astray"),
            "gone": ("visited", "astray"),
            "old": ("visited", "unchanged"),
            "none": ("visited", "changed"),
        }
        assert (seen["old"].facts or {})["feed"]["url"] == f"{server.url}same.xml"


class Turn:
    """One blog in a schedule; crawls run as its jobs, the controller's decision between them."""

    def __init__(self, server: Server, archive: Path, validators: bool) -> None:
        self.server, self.archive, self.validators = server, archive, validators
        self.schedule = Schedule(open_state(Config(archive=str(archive))))
        self.now, self.number = NOW, 0
        self.schedule.add_blogs(
            [VisitRow(blog_id="b", url=server.url, host="127.0.0.1", next_visit=NOW)]
        )

    @property
    def row(self) -> VisitRow:
        row = self.schedule.get_visit("b")
        assert row is not None
        return row

    def go(self) -> VisitRow:
        """Do what is due; the turn after it."""
        self.number += 1
        job, kind = f"job-{self.number}", self.row.kind
        assert self.schedule.book(
            [JobRow(id=job, kind=kind, host="", blogs=["b"], created=self.now)]
        )
        if kind == "poll":
            feed = {
                name: value
                for name, value in (self.row.feed or {}).items()
                if self.validators or name not in ("etag", "last_modified")
            }
            answer = httpx.get(feed["url"], headers=conditional_headers(feed), trust_env=False)
            named = {name.lower(): value for name, value in answer.headers.items()}
            page = Page(
                url=feed["url"],
                body=answer.content,
                status=answer.status_code,
                headers=named,
                fetched_at=NOW,
            )
            self.schedule.note_facts("b", job, poll_facts(page, feed, None))
        else:
            spider = {"new": "newcrawl", "update": "updatecrawl"}[kind]
            crawl(self.server.url, self.archive, spider=spider, job_id=job, blog_id="b")
        self.now += timedelta(days=1)
        [seen] = self.schedule.visited(10)
        self.schedule.save_visits([next_turn(seen, self.now, base_hours=6.0)])
        return self.row


@pytest.mark.parametrize("validators", [True, False])
def test_update_stores_the_feed_state_for_the_next_poll(tmp_path: Path, validators: bool) -> None:
    """Else every poll from the first news on would start a crawl."""
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        write_blog(tmp_path / "site", entries(12), base=server.url.rstrip("/"))
        turn = Turn(server, tmp_path / "archive", validators)
        assert turn.go().kind == "poll"
        assert turn.go().kind == "poll", "nothing new"
        write_blog(tmp_path / "site", entries(14), base=server.url.rstrip("/"))
        assert turn.go().kind == "update", "news"
        assert turn.go().kind == "poll"
        assert turn.go().kind == "poll", "nothing new again"
        assert sum(1 for _ in turn.schedule.state.posts()) == 14
        turn.schedule.state.close()


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (GoneError("the start page answers HTTP 410"), "gone"),
        (NotABlogError("no feed, no posts"), "not-a-blog"),
        (HttpStatusError("the start page answers HTTP 500"), "failed"),
        (None, "crawled"),
    ],
)
def test_controller_receives_the_outcome_of_a_crawl(
    error: BlogcrawlError | None, outcome: str
) -> None:
    """Scrapyd has no exit codes: only these facts distinguish a failed crawl from a good one."""
    result = crawl_facts(End(reason="finished", error=error), None, [NOW])
    assert result["outcome"] == outcome and ("reason" in result) == (error is not None)


def test_a_crawl_that_was_stopped_or_died_is_a_failure() -> None:
    assert (
        crawl_facts(None, None, [])["outcome"]
        == crawl_facts(End(reason="stopped"), None, [])["outcome"]
        == "failed"
    )
