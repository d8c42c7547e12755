"""Comments whose source did not answer: asked for again politely, marked, counted, and asked for by
the next update.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from blogcrawl.comments.plan import Ask, CommentPlan
from blogcrawl.comments.site import Record, SiteComments
from blogcrawl.core import costs
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, Post
from blogcrawl.crawling.pipelines.comments import FAILURES, HostRest, with_archived
from tests.conftest import Cli
from tests.crawling.crawling import crawl, post, rows
from tests.crawling.pipelines import shellblog
from tests.crawling.pipelines.test_comments import COUNT, write
from tests.crawling.pipelines.test_comments import rows as api_rows
from tests.server import Rule, Server

API = r"/wp-json/wp/v2/comments\?.*"
JSON = {"Content-Type": "application/json", "X-WP-Total": str(3 * COUNT), "X-WP-TotalPages": "1"}
ONE = {**JSON, "X-WP-Total": "3"}
FAST = {"extra": {"RETRY_TIMES": 1, "DOWNLOAD_TIMEOUT": 1.0}, "max_retry_after_seconds": 1.0}


def good() -> list[Rule]:
    """The API in health: of one post, and of the whole blog."""
    of_post = {n: [r for r in api_rows() if r["post"] == n] for n in range(1, COUNT + 1)}
    own = [
        Rule(path=f"{API}&post={n}", body=json.dumps(rows), headers=ONE)
        for n, rows in of_post.items()
    ]
    return [*own, Rule(path=API, body=json.dumps(api_rows()), headers=JSON)]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


def blog(server: Server) -> None:
    """A blog whose pages say how many comments there are, and leave them to a script that asks the
    API.
    """
    assert server.root is not None
    write(server.root, server.url, api=True, feeds=False)
    for file in server.root.rglob("*/index.html"):
        file.write_text(
            re.sub(r"<ol class='comment-list'>.*</ol></div>", "</div>", file.read_text())
        )


FAULTS = {
    "429": Rule(path=API, status=429),
    "429 with seconds": Rule(path=API, status=429, headers={"Retry-After": "1"}),
    "503": Rule(path=API, status=503, headers={"Retry-After": "1"}),
    "500": Rule(path=API, status=500),
    "time-out": Rule(path=API, delay=20.0, body=""),
    "cut off": Rule(
        path=API,
        body='[{"id": 11, ',
        headers={**JSON, "Content-Length": "9999", "Connection": "close"},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failing_endpoint_marks_posts_for_the_next_update(
    fault: str, site: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "a"
    with Server(site, [FAULTS[fault]]) as server:
        blog(server)
        row = crawl(server.url, archive, **FAST)
        lacking = rows(archive)
        server.rules = good()
        again = crawl(server.url, archive, spider="updatecrawl", **FAST)
    assert row.counts["posts_archived"] == COUNT and row.counts["comments_incomplete"] == COUNT
    assert all(
        r.comments_incomplete and r.comment_count == 0 and r.comments_tries == 1
        for r in lacking.values()
    )
    assert {m["url"] for m in row.report["comments_incomplete"]} == {
        r.url for r in lacking.values()
    }
    assert again.counts["comments_incomplete"] == 0 and again.counts["posts_changed"] == COUNT, (
        again.counts
    )
    assert all(
        r.comments_incomplete is None and r.comment_count == 3 for r in rows(archive).values()
    )


def comment_feed(base: str, slug: str) -> str:
    """Three comments of a post, as RSS."""
    items = "".join(
        f"<item><title>By: Reader {n}</title><link>{base}{slug}/#comment-{n}</link><guid>{slug}"
        f"{n}</guid>"
        f"<pubDate>0{n} Feb 2020 08:00:00 GMT</pubDate><description>Reader {n} says "
        f"this.</description></item>"
        for n in (1, 2, 3)
    )
    return (
        f"<rss version='2.0'><channel><title>Comments on "
        f"{slug}</title><link>{base}{slug}/</link>{items}</channel></rss>"
    )


def test_comment_feed_known_from_the_feed_is_retried_after_a_304(
    site: Path, tmp_path: Path
) -> None:
    """The second visit forgot the address of a post's feed of comments, asked for none, and took
    the post for complete.
    """
    archive, slugs = tmp_path / "a", [str(made["slug"]) for made in shellblog.posts(COUNT)]
    trouble = [Rule(path=r"/c/.*", status=500)]
    with Server(site, trouble) as server:
        write(site, server.url, api=False, feeds=False)
        for file in site.rglob("*/index.html"):
            file.write_text(
                re.sub(r"<ol class='comment-list'>.*</ol></div>", "</div>", file.read_text())
            )
        feed = (
            (site / "feed.xml")
            .read_text()
            .replace("<rss ", "<rss xmlns:wfw='http://wellformedweb.org/CommentAPI/' ")
        )
        for slug in slugs:
            own = f"<link>{server.url}{slug}/</link>"
            feed = feed.replace(own, f"{own}<wfw:commentRss>{server.url}c/{slug}</wfw:commentRss>")
        (site / "feed.xml").write_text(feed)
        counts = [crawl(server.url, archive, **FAST).counts["comments_incomplete"]]
        counts.append(
            crawl(server.url, archive, spider="updatecrawl", **FAST).counts["comments_incomplete"]
        )
        kind = {"Content-Type": "application/rss+xml"}
        server.rules = [
            Rule(path=f"/c/{slug}", body=comment_feed(server.url, slug), headers=kind)
            for slug in slugs
        ]
        counts.append(
            crawl(server.url, archive, spider="updatecrawl", **FAST).counts["comments_incomplete"]
        )
    assert counts == [COUNT, COUNT, 0]
    assert all(
        r.comments_incomplete is None and r.comment_count == 3 for r in rows(archive).values()
    )


def test_single_429_is_retried_and_no_comment_is_lacking(site: Path, tmp_path: Path) -> None:
    with Server(site) as server:
        blog(server)
        server.rules = [Rule(path=API, status=429, headers={"Retry-After": "2"}, times=1), *good()]
        row = crawl(server.url, tmp_path / "a", max_retry_after_seconds=5.0)
        hits = [hit for hit in server.log() if hit.path.startswith("/wp-json/")]
    assert hits[1].time - hits[0].time >= 1.9, "the host gets no request before its time"
    held = [hit.path for hit in server.log() if hits[0].time < hit.time < hits[0].time + 1.9]
    assert held == [], "pages of the host wait too"
    assert row.counts["comments_incomplete"] == 0 and row.counts["comments"] == 3 * COUNT


def test_comments_on_a_port_that_is_not_allowed_are_lacking(site: Path, tmp_path: Path) -> None:
    embed = "<section id=isso-thread></section><script data-isso='//127.0.0.1:9/'></script></body>"
    with Server(site) as server:
        assert server.root is not None
        write(server.root, server.url, api=False, feeds=False)
        for file in server.root.rglob("*/index.html"):
            shown = r"<div id='comments'>.*</ol></div>|</body>"
            file.write_text(re.sub(shown, "", file.read_text()) + embed)
        row = crawl(server.url, tmp_path / "a", **FAST)
    assert row.counts["comments_incomplete"] == COUNT
    assert "port 9" in row.report["comments_incomplete"][0]["reason"]


def test_commands_report_lacking_comments(site: Path, tmp_path: Path, cli: Cli) -> None:
    with Server(site, [FAULTS["500"]]) as server:
        blog(server)
        done = cli(
            "crawl",
            server.url,
            "--archive",
            "a",
            "--delay",
            "0",
            "--render",
            "never",
            "--set",
            "max_retry_after_seconds=1",
        )
    assert (
        done.code == 11
        and f"incomplete on {COUNT} posts" in done.out
        and "comments incomplete  http" in done.out
    )
    shown = cli("show", server.url, "-a", "a")
    said = f"incomplete: comments of {COUNT} posts incomplete (api of comments: HTTP 500)"
    assert said in shown.out
    assert f"{COUNT} " in cli("report", "-a", "a").out
    reported = cli("report", "-a", "a", "--json").json["blogs"][server.url]
    assert reported["comments_incomplete"] == COUNT
    assert cli("list", "-a", "a", "--json").json[0]["health"] == "incomplete"


def test_failing_update_removes_no_comment(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a"
    with Server(site, good()) as server:
        blog(server)
        crawl(server.url, archive, **FAST)
        server.rules = [FAULTS["500"]]
        row = crawl(server.url, archive, full=True, **FAST)
    assert row.counts["comments_incomplete"] == COUNT
    assert all(
        r.comment_count == 3 and len(post(archive, r).comments) == 3 for r in rows(archive).values()
    )


def test_unresponsive_comment_host_is_paused() -> None:
    rest = HostRest(60.0)
    for second in range(FAILURES):
        assert rest.reason("c.example", second) is None
        rest.note("c.example", "HTTP 429", second)
    assert rest.reason("c.example", 30) == "HTTP 429" and rest.reason("other.example", 30) is None
    assert rest.reason("c.example", 90) is None, "asked again, once"
    rest.note("c.example", "HTTP 429", 90)
    assert rest.reason("c.example", 100) == "HTTP 429"
    rest.note("c.example", None, 200)
    rest.note("c.example", "HTTP 429", 201)
    assert rest.reason("c.example", 202) is None


def test_missing_response_does_not_discredit_the_source() -> None:
    site = SiteComments()
    plan = CommentPlan(site=site, page=Page(url="http://b.example/a", body=b"<p>text</p>"))
    plan.receive(Ask("http://b.example/wp-json/x", "api", "api"), None, "HTTP 429")
    assert "api" not in site.records and not site.hopeless("api")
    assert plan.result().incomplete is None, (
        "its page shows no comment, and no other page's API had more than the page"
    )
    site.records["api silent"] = Record(right=1)
    assert plan.result().incomplete == "api of comments: HTTP 429"


def test_archived_comments_are_kept() -> None:
    old, new = (Comment(id=name, content_text=name) for name in ("old", "new"))
    before = Post(url="http://b.example/a", canonical_url="http://b.example/a", comments=(old, new))
    assert with_archived((new,), before) == (new, old) and with_archived((new,), None) == (new,)


@pytest.mark.parametrize("stage", ["requests", "receive", "result"])
def test_post_is_archived_if_its_comments_exceed_the_limit(
    stage: str, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = getattr(CommentPlan, stage)

    def endless(plan: CommentPlan, *args: object) -> object:
        if not costly or (stage == "receive" and args[1] is None):
            return whole(plan, *args)
        while True:
            pass

    monkeypatch.setattr(CommentPlan, stage, endless)
    costly = True
    archive = tmp_path / "a"
    of_each = [
        *good()[:-1],
        Rule(path=API, status=500),
    ]  # the blog's comments all at once are not to be had
    with Server(site, of_each) as server:
        blog(server)
        row = crawl(server.url, archive, max_page_cpu_seconds=0.3, **FAST)
        lacking = rows(archive)
        costly = False
        again = crawl(server.url, archive, spider="updatecrawl", **FAST)
    assert row.counts["posts_archived"] == COUNT and row.report["missing"] == []
    assert all("too costly" in (r.comments_incomplete or "") for r in lacking.values()), lacking
    assert again.counts["comments_incomplete"] == 0
    assert all(
        r.comments_incomplete is None and r.comment_count == 3 for r in rows(archive).values()
    )


def test_comments_of_the_page_are_kept_if_merging_exceeds_the_limit(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(_plan: CommentPlan) -> object:
        while True:
            pass

    monkeypatch.setattr(CommentPlan, "result", endless)
    with Server(site) as server:
        write(site, server.url, api=False, feeds=False)
        crawl(server.url, tmp_path / "a", max_page_cpu_seconds=0.3, **FAST)
    for row in rows(tmp_path / "a").values():
        assert row.comment_count == 3 and "too costly" in (row.comments_incomplete or "")


def test_many_elements_get_a_page_no_more_time(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page may cost its limit with its comments, whatever it looks like."""
    spent: list[float] = []
    whole = CommentPlan.result

    def endless(plan: CommentPlan) -> object:
        if b"<i></i>" not in plan.page.body:
            return whole(plan)
        began = time.process_time()
        try:
            while True:
                pass
        finally:
            spent.append(time.process_time() - began)

    monkeypatch.setattr(CommentPlan, "result", endless)
    monkeypatch.setattr(costs, "is_busy", lambda: False)
    with Server(site) as server:
        blog(server)
        first = next(site.glob("*/index.html"))
        first.write_text(first.read_text() + "<i></i>" * 5_000)
        row = crawl(server.url, tmp_path / "a", max_page_cpu_seconds=1.0, **FAST)
    assert row.counts["posts_archived"] == COUNT
    assert spent and max(spent) <= 1.0, spent
