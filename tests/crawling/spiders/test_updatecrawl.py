"""Second visits: what has not changed is not fetched, what has is in, whatever the site does to
hide it.
"""

from __future__ import annotations

import email.utils
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.records import Blog
from blogcrawl.crawling import closing
from blogcrawl.crawling.changes import VISITS_PER_RECHECK
from blogcrawl.crawling.update import VISITS
from blogcrawl.packaging.layout import RECORDS
from blogcrawl.packaging.parts import Kept
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from tests.conftest import Cli
from tests.crawling.blog import Entry, edited, entries, rss, write_blog
from tests.crawling.crawling import crawl, faults, post, rows, versions
from tests.server import Rule, Server


class Visited:
    """A blog of 20 posts that was crawled once."""

    def __init__(self, server: Server, archive: Path) -> None:
        self.server, self.archive = server, archive
        self.before = versions(archive)

    def write(self, posts: list[Entry], **how: object) -> None:
        assert self.server.root is not None
        write_blog(self.server.root, posts, base=self.server.url.rstrip("/"), **how)  # type: ignore[arg-type]

    def update(self, **how: object):  # type: ignore[no-untyped-def]
        row = crawl(self.server.url, self.archive, spider="updatecrawl", **how)  # type: ignore[arg-type]
        assert row.report["error"] is None, row.report["error"]
        return row

    def pages(self) -> list[str]:
        return [path for path in self.server.paths() if path.startswith("/20")]


@pytest.fixture(scope="module")
def first_visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server, and a folder with the blog that it shows and its archive as the first crawl left
    them.
    """
    folder = tmp_path_factory.mktemp("visited")
    (folder / "site").mkdir()
    with Server(folder / "served") as server:
        write_blog(folder / "site", entries(20), base=server.url.rstrip("/"))
        shutil.copytree(folder / "site", folder / "served")
        first = crawl(server.url, folder / "archive")
        assert first.counts["posts_archived"] == 20
        yield server, folder


@pytest.fixture
def blog(first_visit: tuple[Server, Path], tmp_path: Path) -> Visited:
    """Each test has the blog and its archive for itself."""
    server, folder = first_visit
    assert server.root is not None
    shutil.rmtree(server.root)
    shutil.copytree(folder / "site", server.root)
    shutil.copytree(folder / "archive", tmp_path / "archive")
    server.rules = []
    server.clear_log()
    return Visited(server, tmp_path / "archive")


def test_posts_missed_by_the_first_crawl_are_requested_again(tmp_path: Path) -> None:
    """One post of the feed and one that only links lead to answer 503 while the blog is crawled for
    the first time.
    """
    (tmp_path / "site").mkdir()
    posts = entries(20)
    with Server(tmp_path / "site") as server:
        write_blog(tmp_path / "site", posts, base=server.url.rstrip("/"))
        lost = [posts[1].path, posts[18].path]
        server.rules = [Rule(path="|".join(lost), status=503)]
        first = crawl(server.url, tmp_path / "a")
        assert first.counts["posts_archived"] == 18 and len(first.report["missing"]) == 2
        server.clear_log()
        again = crawl(server.url, tmp_path / "a", spider="updatecrawl")
        assert {path for path in server.paths() if path.startswith("/20")} == set(lost), (
            "as they were written"
        )
        assert again.outcome == "finished" and len(again.report["missing"]) == 2, (
            "a missing post is still reported"
        )
        server.rules = []
        for _ in range(2):  # what three crawls missed is not asked for by the next one
            last = crawl(server.url, tmp_path / "a", spider="updatecrawl")
        archived = rows(tmp_path / "a")
    assert {path.rstrip("/") for path in archived} == {entry.path.rstrip("/") for entry in posts}
    assert not last.report["missing"]


def test_feed_304_keeps_missing_posts_and_their_feed_entries(
    tmp_path: Path,
) -> None:
    """The post's address and page are without a time of day: only the feed, which is not sent
    again, had it.
    """
    (tmp_path / "site").mkdir()
    posts = [Entry(number, slug=f"post-number-{number}-of-the-kettle") for number in range(12)]
    lost = posts[8]
    with Server(tmp_path / "site") as server:
        write_blog(tmp_path / "site", posts, base=server.url.rstrip("/"))
        for file in (tmp_path / "site").glob("20*/*/*/index.html"):
            file.write_text(
                re.sub(r'<time datetime="[^"]*">', "<time>", file.read_text("utf-8")), "utf-8"
            )
        server.rules = [Rule(path=lost.path, status=503)]
        first = crawl(server.url, tmp_path / "a")
        assert [
            page["url"].rstrip("/").endswith(lost.path.rstrip("/"))
            for page in first.report["missing"]
        ] == [True]
        server.rules = []
        server.clear_log()
        again = crawl(server.url, tmp_path / "a", spider="updatecrawl")
        asked = {hit.path: hit.status for hit in server.log()}
        assert (asked["/feed.xml"], asked[lost.path]) == (304, 200) and again.counts[
            "posts_archived"
        ] == 1
    archived = rows(tmp_path / "a")
    published = {
        path.rstrip("/"): post(tmp_path / "a", row).published for path, row in archived.items()
    }
    assert published[lost.path.rstrip("/")] == lost.date and len(published) == 12


def test_an_unchanged_blog_costs_one_request_and_no_package(blog: Visited) -> None:
    row = blog.update()
    assert [(hit.path, hit.status) for hit in blog.server.log() if hit.path != "/robots.txt"] == [
        ("/feed.xml", 304)
    ]
    assert versions(blog.archive) == blog.before
    assert row.outcome == "finished" and row.counts["posts_archived"] == 0


def test_unchanged_blog_without_validators_makes_no_package(blog: Visited) -> None:
    blog.server.rules = [Rule(path="/feed.xml", headers={"ETag": '"new-every-time"'})]
    blog.update()
    assert blog.pages() == [] and versions(blog.archive) == blog.before


def test_new_posts_are_archived(blog: Visited) -> None:
    blog.write(entries(23))
    row = blog.update()
    new = [entry.path for entry in entries(23)[20:]]
    assert sorted(blog.pages()) == sorted(new) and row.counts["posts_archived"] == 3
    assert len(rows(blog.archive)) == 23 and faults(blog.archive) == []
    blog.server.clear_log()
    blog.update()
    assert blog.pages() == []


def test_blog_package_holds_the_feed_unchanged(blog: Visited) -> None:
    config = Config(archive=str(blog.archive))
    state, store = open_state(config), open_store(config)
    assert blog.server.root is not None
    for version, count in ((1, 20), (2, 21)):
        blog.write(entries(count))
        if version > 1:
            blog.update()
        row = next(state.blogs())
        head = store.head(str(row.aip_id))
        assert head is not None and head.version == version
        with store.open(head.object_id, RECORDS + "feed.xml") as file:
            stored = file.read()
        assert stored == (blog.server.root / "feed.xml").read_bytes()
    silent = SimpleNamespace(
        knowledge=None,
        feed_bodies={},
        services=SimpleNamespace(store=store),
        blog=Blog(url=blog.server.url),
    )
    kept = closing._feeds(silent, head)["feed.xml"][1]  # type: ignore[arg-type]
    assert kept == Kept(sha512=head.files[RECORDS + "feed.xml"], size=len(stored)), (
        "not sent again: it stays"
    )
    state.close()


def test_an_edited_post_gets_a_new_version(blog: Visited) -> None:
    posts = entries(20)
    posts[15] = edited(posts[15])
    blog.write(posts)
    row = blog.update()
    assert blog.pages() == [posts[15].path] and row.counts["posts_changed"] == 1
    found = rows(blog.archive)[posts[15].path.rstrip("/")]
    assert found.aip_version == 2 and posts[15].text in post(blog.archive, found).content_text
    assert faults(blog.archive) == []


def test_validators_are_sent_back_byte_for_byte(blog: Visited) -> None:
    posts = entries(20)
    blog.server.rules = [
        Rule(
            path=posts[19].path,
            headers={"ETag": 'W/"odd ,\\tag"', "Last-Modified": "yesterday or so"},
        )
    ]
    posts[19] = edited(posts[19])
    blog.write(posts)
    blog.update()
    posts[19] = Entry(19, text="Once more.")
    blog.write(posts)
    blog.server.clear_log()
    blog.update()
    hit = next(hit for hit in blog.server.log() if hit.path == posts[19].path)
    assert (
        hit.headers["if-none-match"] == 'W/"odd ,\\tag"'
        and hit.headers["if-modified-since"] == "yesterday or so"
    )


def test_more_new_posts_than_the_feed_shows_are_all_archived(blog: Visited) -> None:
    blog.write(entries(45))
    row = blog.update()
    assert row.counts["posts_archived"] == 25
    assert rows(blog.archive).keys() == {entry.path.rstrip("/") for entry in entries(45)}
    assert not set(blog.pages()) & {entry.path for entry in entries(20)}, (
        "archived posts are not fetched again"
    )


def test_known_posts_on_each_list_end_no_search_for_a_burst(blog: Visited) -> None:
    """One stands at the top of the first list, another in the sidebar of all."""
    blog.write(entries(45))
    assert blog.server.root is not None
    old = [f'<h2><a href="{e.path}">{e.title}</a></h2>' for e in entries(3)]
    for file in [*blog.server.root.glob("page/*/*.html"), blog.server.root / "index.html"]:
        text = file.read_text("utf-8")
        top = old[0] if file.parent == blog.server.root else ""
        text = text.replace("<main>", f"<main>{top}")
        file.write_text(text.replace("</main>", f"</main><aside>{old[1]}{old[2]}</aside>"), "utf-8")
    assert blog.update().counts["posts_archived"] == 25


def test_posts_in_a_new_section_are_found_by_their_places_on_lists(blog: Visited) -> None:
    """The feed shows those of the old sections only."""
    posts = [*entries(20), *(SectionEntry(n) for n in range(20, 35)), *entries(50)[35:]]
    blog.write(posts)
    assert blog.update().counts["posts_archived"] == 30


class SectionEntry(Entry):
    @property
    def path(self) -> str:
        folders = ("radio/talks", "cooking/fish", "maps/sea")
        return f"/{folders[self.number % 3]}{super().path}"


def test_page_that_is_not_there_says_nothing_where_no_post_is_where_it_was(blog: Visited) -> None:
    """The addresses have changed, and the feed has not noticed yet."""
    assert blog.server.root is not None
    path = entries(20)[4].path
    _make_due(blog.archive, path)
    blog.server.rules = [Rule(path="/20.*", status=404)]
    for _ in range(2):
        blog.server.clear_log()
        blog.update()
        assert {row.status for row in rows(blog.archive).values()} == {"published"}
        assert len(blog.pages()) <= 4
    blog.server.rules = [Rule(path=path, status=404)]
    _make_due(blog.archive, path)
    blog.update()
    gone = [path for path, row in rows(blog.archive).items() if row.status == "gone"]
    assert gone == [path.rstrip("/")]


def test_rules_survive_a_visit_to_a_sold_domain(blog: Visited) -> None:
    links = '<a href="/s?q=1">Cheap flights</a> <a href="/s?q=2">Car insurance</a>'
    body = f"<html><title>For sale</title><body><h1>For sale</h1><p>{links}</p></body></html>"
    blog.server.rules = [Rule(path=".*", body=body)]
    crawl(blog.server.url, blog.archive, spider="updatecrawl")
    blog.server.rules = []
    blog.write(entries(21))
    blog.update()
    found = rows(blog.archive)
    assert {row.status for row in found.values()} == {"published"}
    record = post(blog.archive, found[entries(21)[20].path.rstrip("/")])
    assert record.extraction["content"]["method"] == "rules"


def test_a_deleted_post_is_marked_as_gone_and_kept(blog: Visited) -> None:
    posts = entries(20)
    removed = posts.pop(14)
    blog.write(posts)
    assert blog.server.root is not None
    os.remove(blog.server.root / removed.path.strip("/") / "index.html")
    blog.update()
    row = rows(blog.archive)[removed.path.rstrip("/")]
    assert row.status == "gone" and row.aip_version == 2
    kept = post(blog.archive, row)
    assert (
        kept.status == "gone"
        and kept.http_status == 404
        and removed.paragraphs[0] in kept.content_text
    )
    assert [m.sha256 for m in kept.media if m.sha256] and faults(blog.archive) == []
    blog.server.clear_log()
    blog.update()
    assert blog.pages() == []


def test_post_deleted_from_a_wordpress_without_rest_is_noticed_by_a_further_page_of_its_feed(
    blog: Visited,
) -> None:
    """One visit in ten asks for the next further page; the feed itself has not changed."""
    posts = entries(20)
    removed = posts[5]
    assert blog.server.root is not None
    os.remove(blog.server.root / removed.path.strip("/") / "index.html")
    older = [entry for entry in reversed(posts[:10]) if entry is not removed]
    further = rss(older, blog.server.url.rstrip("/"))
    blog.server.rules = [Rule(path=r"/feed\.xml\?paged=2", body=further)]
    _make_wordpress(blog.archive)
    blog.update()
    assert "/feed.xml?paged=2" in blog.server.paths()
    assert rows(blog.archive)[removed.path.rstrip("/")].status == "gone"
    left = [row.status for row in rows(blog.archive).values()]
    assert left.count("published") == 19


def _make_wordpress(archive: Path) -> None:
    """As if the blog were a WordPress, and nine visits had looked at the feed only."""
    state = open_state(Config(archive=str(archive)))
    blog = next(state.blogs())
    model = blog.model or {}
    model["stages"] = {**model.get("stages", {}), VISITS: VISITS_PER_RECHECK - 1}
    record = {**(blog.record or {}), "platform": "WordPress"}
    state.save_blog(replace(blog, model=model, record=record))
    state.close()


NOT_FOUND = (
    "<html><title>Small Notes</title><body><h1>Oops</h1><p>Nothing is here.</p></body></html>"
)


CLOSED = (
    "This site is closed while its owner repairs what the last storm has left of the server room.",
    "All of its pages will come back within a few days, and nothing that was written here is lost.",
)


@pytest.mark.parametrize(
    "rule", [{"status": 302, "headers": {"Location": "/"}}, {"body": NOT_FOUND}]
)
def test_deleted_post_whose_address_still_answers_is_marked_as_gone_until_it_is_back(
    blog: Visited, rule: dict[str, Any]
) -> None:
    posts = entries(20)
    removed = posts.pop(14)
    blog.write(posts)
    blog.server.rules = [Rule(path=removed.path, **rule)]
    for _ in range(2):
        blog.update()
        row = rows(blog.archive)[removed.path.rstrip("/")]
        assert (row.status, row.aip_version) == ("gone", 2)
    blog.server.rules = []
    blog.write(entries(20))
    blog.update()
    row = rows(blog.archive)[removed.path.rstrip("/")]
    assert (row.status, row.aip_version) == ("published", 3)
    assert removed.paragraphs[0] in post(blog.archive, row).content_text


def test_page_of_a_closed_site_is_no_version_of_a_post(blog: Visited) -> None:
    path = entries(20)[4].path
    _make_due(blog.archive, path)
    closed = "".join(f"<p>{text}</p>" for text in CLOSED)
    body = f'<article class="post"><h1 class="post-title">Back soon</h1><div class="entry">{closed}'
    blog.server.rules = [Rule(path=path, body=f"<html><body>{body}</div></article></body></html>")]
    row = blog.update()
    assert blog.pages() == [path] and versions(blog.archive).keys() == blog.before.keys()
    assert rows(blog.archive)[path.rstrip("/")].aip_version == 1
    assert [page["reason"].split(" (")[0] for page in row.report["rejected"]] == [
        "another page stands in the place of the post"
    ]


def test_edits_are_found_after_a_visit_when_nothing_was_there(blog: Visited) -> None:
    blog.server.rules = [Rule(path=".*", status=404)]
    assert crawl(blog.server.url, blog.archive, spider="updatecrawl").outcome == "failed"
    blog.server.rules = []
    posts = entries(20)
    posts[15] = edited(posts[15])
    blog.write(posts)
    assert blog.update().counts["posts_changed"] == 1
    assert not [path for path, row in rows(blog.archive).items() if row.status == "gone"]


def test_moved_feed_is_requested_at_its_new_url(blog: Visited) -> None:
    assert blog.server.root is not None
    (blog.server.root / "feed.xml").rename(blog.server.root / "atom.xml")
    blog.server.rules = [Rule(path="/feed.xml", status=301, headers={"Location": "/atom.xml"})]
    blog.update()
    blog.server.clear_log()
    blog.update()
    assert [p for p in blog.server.paths() if "xml" in p] == ["/atom.xml"]


def test_feed_that_is_elsewhere_is_looked_for_once(blog: Visited) -> None:
    assert blog.server.root is not None
    (blog.server.root / "feed.xml").rename(blog.server.root / "index.xml")
    for file in blog.server.root.rglob("*.html"):
        file.write_text(file.read_text("utf-8").replace("/feed.xml", "/index.xml"), "utf-8")
    blog.update()
    blog.server.clear_log()
    blog.update()
    assert [path for path in blog.server.paths() if path != "/robots.txt"] == ["/index.xml"]


@pytest.mark.parametrize(
    "rule",
    [
        Rule(path="/feed.xml", status=410),
        Rule(path="/feed.xml", body="<html><body>sold</body></html>"),
    ],
)
def test_missing_feed_is_discovered_again(blog: Visited, rule: Rule) -> None:
    blog.write(entries(21))
    blog.server.rules = [rule]
    row = blog.update()
    assert row.counts["posts_archived"] == 1
    assert entries(21)[20].path.rstrip("/") in rows(blog.archive)


def test_failing_blog_keeps_its_posts(blog: Visited) -> None:
    blog.server.rules = [Rule(path=".*", status=503)]
    row = crawl(blog.server.url, blog.archive, spider="updatecrawl")
    assert row.outcome == "failed"
    assert versions(blog.archive) == blog.before
    blog.server.rules = []
    blog.write(entries(21))
    assert blog.update().counts["posts_archived"] == 1


def test_an_unknown_blog_is_crawled_whole(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        write_blog(tmp_path / "site", entries(12), base=server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 12


def test_failing_rules_are_relearned_and_old_ones_kept(blog: Visited) -> None:
    state = open_state(Config(archive=str(blog.archive)))
    row = next(state.blogs())
    assert row.model is not None
    model = {**row.model["model"], "recent": [0] * 8}
    state.save_blog(replace(row, model={**row.model, "model": model}))
    state.close()
    blog.write(entries(21))
    assert blog.update().counts["posts_archived"] == 1
    state = open_state(Config(archive=str(blog.archive)))
    after = next(state.blogs()).model
    state.close()
    assert after is not None and after["stages"]["history"][0]["model"]["recent"] == [0] * 8
    assert len(after["model"]["recent"]) < 8 and after["model"]["ruleset"]["rules"]


def _make_due(archive: Path, path: str) -> None:
    """As if the post were young and its late comments were due for a look."""
    state = open_state(Config(archive=str(archive)))
    row = rows(archive)[path.rstrip("/")]
    past = datetime.now(UTC) - timedelta(days=2)
    state.save_post(replace(row, published=past, next_comment_check=past + timedelta(days=1)))
    state.close()


def test_late_comments_are_checked_by_schedule_once_each_time(blog: Visited) -> None:
    path = entries(20)[4].path
    _make_due(blog.archive, path)
    blog.update()
    assert blog.pages() == [path] and blog.server.log()[-1].status == 304
    after, own = versions(blog.archive), _posts(blog.archive)
    assert all(after[key] == blog.before[key] for key in own)
    due = rows(blog.archive)[path.rstrip("/")].next_comment_check
    assert due is not None and due > datetime.now(UTC)
    blog.server.clear_log()
    blog.update()
    assert blog.pages() == [], "not due again yet"


def test_comment_check_with_changed_bytes_only_makes_no_version(
    blog: Visited,
) -> None:
    """A page that is served whole each time, with a changing number in its footer."""
    entry = entries(20)[4]
    assert blog.server.root is not None
    file = blog.server.root / entry.path.strip("/") / "index.html"
    file.write_text(
        file.read_text("utf-8").replace("</body>", "<script>var nonce='f00d'</script></body>"),
        "utf-8",
    )
    _make_due(blog.archive, entry.path)
    blog.update()
    assert [hit.status for hit in blog.server.log() if hit.path == entry.path] == [200]
    assert all(versions(blog.archive)[key] == blog.before[key] for key in _posts(blog.archive))


def test_late_comment_makes_a_new_version_of_its_post_only(blog: Visited) -> None:
    entry = entries(20)[4]
    file = blog.server.root / entry.path.strip("/") / "index.html"  # type: ignore[operator]
    said = (
        '<ol class="comments"><li class="comment" id="comment-7"><cite>Bob</cite>'
        ' <time datetime="{0:%Y-%m-%dT%H:%M:%SZ}">now</time><p>{1}</p></li></ol>'
    )
    now = datetime.now(UTC).replace(microsecond=0)
    file.write_text(
        file.read_text("utf-8").replace(
            "</article>", "</article>" + said.format(now, "I saw that kettle too, years later.")
        ),
        "utf-8",
    )
    _make_due(blog.archive, entry.path)
    blog.update()
    after = versions(blog.archive)
    row = rows(blog.archive)[entry.path.rstrip("/")]
    assert row.comment_count == 1 and row.aip_id is not None
    assert {key for key in after if after[key] != blog.before.get(key)} - {row.aip_id} <= {
        key for key in after if key not in _posts(blog.archive)
    }
    assert after[row.aip_id] == blog.before[row.aip_id] + 1
    [comment] = post(blog.archive, row).comments
    assert comment.author == "Bob" and comment.published == now
    assert row.next_comment_check is not None and row.next_comment_check - datetime.now(
        UTC
    ) < timedelta(hours=1.01), "a discussion under way"


SAID = (
    '<ol class="comments"><li class="comment" id="comment-7"><cite>Bob</cite>'
    ' <time datetime="2026-01-02T10:00:00Z">then</time><p>{}</p></li></ol>'
)
WORDS = "I saw that kettle too, years later."


def _say(root: Path, entry: Entry) -> None:
    file = root / entry.path.strip("/") / "index.html"
    file.write_text(
        file.read_text("utf-8").replace("</article>", "</article>" + SAID.format(WORDS)), "utf-8"
    )


def test_comment_count_in_the_feed_triggers_a_check(blog: Visited) -> None:
    """An old post that no schedule looks at any more; the count that is archived by then is no
    reason to look again.
    """
    entry, root = entries(20)[15], blog.server.root
    assert (
        root is not None and rows(blog.archive)[entry.path.rstrip("/")].next_comment_check is None
    )
    feed = (root / "feed.xml").read_text("utf-8")
    mark = f"<title>{entry.title}</title>"
    assert mark in feed
    feed = feed.replace(
        mark,
        mark
        + '<slash:comments xmlns:slash="http://purl.org/rss/1.0/modules/slash/">1</slash:comments>',
    )
    (root / "feed.xml").write_text(feed, "utf-8")
    _say(root, entry)
    blog.update()
    row = rows(blog.archive)[entry.path.rstrip("/")]
    assert set(blog.pages()) == {entry.path} and row.comment_count == 1
    assert [c.content_text for c in post(blog.archive, row).comments] == [WORDS]
    assert (
        row.aip_id is not None and versions(blog.archive)[row.aip_id] == blog.before[row.aip_id] + 1
    )
    blog.server.clear_log()
    (root / "feed.xml").write_text(
        feed.replace("notes</description>", "small notes</description>", 1), "utf-8"
    )
    blog.update()
    assert blog.pages() == []


def test_comment_feed_triggers_a_check_of_its_post(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    entry = entries(12)[1]
    with Server(site) as server:
        base = server.url.rstrip("/")
        item = (
            f"<item><title>By: Bob</title><link>{base}{entry.path}#comment-{{0}}</link><guid>"
            f"c{{0}}</guid></item>"
        )
        feed = (
            f"<rss version='2.0'><channel><title>Comments for Small "
            f"Notes</title><link>{base}/</link>{{}}</channel></rss>"
        )
        write_blog(site, entries(12), base=base)
        for file in site.rglob("index.html"):
            link = (
                '<link rel="alternate" type="application/rss+xml" href="/comments.xml" '
                'title="Comments for Small Notes"></head>'
            )
            file.write_text(file.read_text("utf-8").replace("</head>", link), "utf-8")
        (site / "comments.xml").write_text(feed.format(item.format(3)), "utf-8")
        assert crawl(server.url, archive).counts["posts_archived"] == 12
        before = versions(archive)
        for said in (False, True):
            server.clear_log()
            if said:
                _say(site, entry)
                (site / "comments.xml").write_text(
                    feed.format(item.format(7) + item.format(3)), "utf-8"
                )
            crawl(server.url, archive, spider="updatecrawl")
            if not said:
                before = versions(archive)
                assert not [path for path in server.paths() if path.startswith("/20")], (
                    "what it showed before is no news"
                )
        assert {path for path in server.paths() if path.startswith("/20")} == {entry.path}
        row, after = rows(archive)[entry.path.rstrip("/")], versions(archive)
        assert row.comment_count == 1 and {k for k in _posts(archive) if after[k] != before[k]} == {
            row.aip_id
        }


def test_no_schedule_of_looks_for_comments_where_a_feed_and_a_sitemap_name_all_news(
    tmp_path: Path,
) -> None:
    """Other posts than those of the comment feed are not due, however young they are."""
    site, entry = tmp_path / "site", entries(12)[4]
    site.mkdir()
    with Server(site) as server:
        base = server.url.rstrip("/")
        feed = commented(site, base)
        item = f"<item><link>{base}{entry.path}#c{{0}}</link><guid>c{{0}}</guid></item>"
        (site / "comments.xml").write_text(feed.format(item.format(1)), "utf-8")
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        urls = "".join(
            f"<url><loc>{base}{e.path}</loc><lastmod>{e.date.isoformat()}</lastmod></url>"
            for e in entries(12)
        )
        (site / "sitemap.xml").write_text(f"<urlset {space}>{urls}</urlset>")
        crawl(server.url, tmp_path / "a")
        crawl(server.url, tmp_path / "a", spider="updatecrawl")
        _make_due(tmp_path / "a", entry.path)
        for ids, asked in (((1,), set()), ((3, 2), {entry.path})):
            items = "".join(item.format(number) for number in ids)
            (site / "comments.xml").write_text(feed.format(items), "utf-8")
            server.clear_log()
            crawl(server.url, tmp_path / "a", spider="updatecrawl")
            assert {path for path in server.paths() if path.startswith("/20")} == asked


def commented(site: Path, base: str) -> str:
    """A blog that announces a feed of comments, and that feed, in which the comments are still
    open.
    """
    write_blog(site, entries(12), base=base)
    for file in site.rglob("index.html"):
        link = (
            '<link rel="alternate" type="application/rss+xml" href="/comments.xml" '
            'title="Comments for Small Notes"></head>'
        )
        file.write_text(file.read_text("utf-8").replace("</head>", link), "utf-8")
    feed = (
        f"<rss version='2.0'><channel><title>Comments for Small "
        f"Notes</title><link>{base}/</link>{{}}</channel></rss>"
    )
    (site / "comments.xml").write_text(feed.format(""), "utf-8")
    return feed


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"status": 500}, "HTTP 500"),
        ({"drop": True}, "the download failed"),
        ({"body": ""}, "an empty answer"),
    ],
)
def test_failing_comment_feed_is_reported_and_retried_by_the_next_update(
    rule: dict[str, Any], reason: str, tmp_path: Path, cli: Cli
) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    entry = entries(12)[1]
    settings = {"extra": {"RETRY_TIMES": 1}}
    with Server(site) as server:
        base = server.url.rstrip("/")
        feed = commented(site, base)
        assert crawl(server.url, archive, **settings).report["unread"] == []
        time.sleep(1.1)  # feeds write whole seconds
        _say(site, entry)
        when = email.utils.format_datetime(datetime.now(UTC))
        item = (
            f"<item><title>By: Bob</title><link>{base}{entry.path}#comment-7</link><guid>c7</"
            f"guid><pubDate>{when}</pubDate></item>"
        )
        (site / "comments.xml").write_text(feed.format(item), "utf-8")
        server.rules = [Rule(path="/comments.xml", **rule)]
        for _ in range(2):
            row = crawl(server.url, archive, spider="updatecrawl", **settings)
            [unread] = row.report["unread"]
            assert (unread["url"], unread["document"]) == (f"{base}/comments.xml", "comment-feed")
            assert unread["reason"].startswith(reason) and row.counts["pages_unread"] == 1
        shown = cli("show", base, "-a", str(archive), "--json").json
        assert (
            shown["blog"]["health"] == "incomplete"
            and "the feed of comments could not be read" in shown["blog"]["reason"]
        )
        done = cli("update", base, "-a", str(archive), "--delay", "0", "--render", "never")
        assert done.code == 11 and "comments.xml" in done.out
        server.rules = []
        server.clear_log()
        row = crawl(server.url, archive, spider="updatecrawl", **settings)
        assert server.paths().count("/comments.xml") == 1
    assert row.report["unread"] == [] and rows(archive)[entry.path.rstrip("/")].comment_count == 1
    assert cli("show", base, "-a", str(archive), "--json").json["blog"]["health"] == "ok"


@pytest.mark.parametrize("status", [403, 404])
def test_missing_comment_feed_is_a_note(status: int, tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site) as server:
        commented(site, server.url.rstrip("/"))
        crawl(server.url, archive)
        server.rules = [Rule(path="/comments.xml", status=status)]
        row = crawl(server.url, archive, spider="updatecrawl")
    assert row.report["unread"] == []
    assert [note for note in row.report["notes"] if "comment" in note] == [
        f"comment-feed {server.url}comments.xml: HTTP {status}"
    ]


def _posts(archive: Path) -> set[str]:
    return {row.aip_id for row in rows(archive).values() if row.aip_id}


def test_new_template_is_learned_in_its_first_update(blog: Visited) -> None:
    """Old pages too look new now; the old rules stay in the history."""
    blog.write(entries(22), theme="new")
    blog.update()
    found = rows(blog.archive)
    for entry in entries(22)[20:]:
        record = post(blog.archive, found[entry.path.rstrip("/")])
        assert record.title == entry.title and record.authors == ("Ada Writer",)
        assert record.published is not None and record.published.date() == entry.date.date()
        assert "with a pen" not in record.content_text and record.content_text.startswith(
            entry.paragraphs[0]
        )
        assert record.extraction["content"]["method"] == "rules" and "txt" in str(
            record.extraction["content"]["rule"]
        )
    state = open_state(Config(archive=str(blog.archive)))
    row = next(iter(state.blogs()))
    state.close()
    assert len(row.model["stages"]["history"]) == 1
    new = [entry.path for entry in entries(22)[20:]]
    assert all(blog.pages().count(path) == 1 for path in new)


def test_edit_in_a_template_that_is_not_learned_yet_is_not_lost(blog: Visited) -> None:
    """The first update has no new post to learn from."""
    posts = entries(20)
    posts[15] = edited(posts[15])
    blog.write(posts, theme="new")
    assert blog.server.root is not None
    for file in blog.server.root.glob("20*/*/*/index.html"):
        text = file.read_text("utf-8")
        file.write_text(re.sub(r"<i>[^<]*</i>", "", text), "utf-8")

    def is_found() -> bool:
        row = rows(blog.archive)[posts[15].path.rstrip("/")]
        return posts[15].text in (post(blog.archive, row).content_text or "")

    row = blog.update()
    if not is_found():
        assert [page["url"].endswith(posts[15].path.rstrip("/")) for page in row.report["unread"]]
        blog.write([*posts, *entries(23)[20:]], theme="new")
        blog.update()
    assert is_found()


def test_one_unusual_post_does_not_trigger_relearning(blog: Visited) -> None:
    blog.write(entries(21))
    assert blog.server.root is not None
    file = blog.server.root / entries(21)[20].path.strip("/") / "index.html"
    file.write_text(
        "<html><title>Odd</title><body><p>All of another kind.</p></body></html>", "utf-8"
    )
    blog.update()
    state = open_state(Config(archive=str(blog.archive)))
    assert not next(iter(state.blogs())).model["stages"].get("history")
    state.close()


def test_moved_posts_keep_their_id_if_old_urls_are_404(
    blog: Visited,
) -> None:
    """The blog's permalinks changed, without redirects."""
    assert blog.server.root is not None
    for file in blog.server.root.glob("20*"):
        shutil.rmtree(file)
    posts = [replace(e, slug=f"renamed-{e.path.strip('/').rsplit('/', 1)[1]}") for e in entries(20)]
    blog.write([*posts, *entries(21)[20:]])
    blog.update()
    archived = rows(blog.archive)
    assert len(archived) == 21 and not [row for row in archived.values() if row.status == "gone"]


def test_moved_post_whose_old_address_is_404_is_asked_for_at_its_new_one(blog: Visited) -> None:
    """It moved in the visit before this one, and is due for a look at its comments in both."""
    assert blog.server.root is not None
    old = entries(20)
    new = [replace(e, slug=f"renamed-{e.number}") for e in old]
    for file in blog.server.root.glob("20*"):
        shutil.rmtree(file)
    blog.write(new)
    for _ in range(2):
        _make_due(blog.archive, old[12].path)
        blog.server.clear_log()
        blog.update()
        assert {row.status for row in rows(blog.archive).values()} == {"published"}
        assert all(versions(blog.archive)[key] == blog.before[key] for key in _posts(blog.archive))
    assert blog.pages() == [new[12].path]


def test_burst_after_a_change_of_addresses_is_read_from_the_sitemap(tmp_path: Path) -> None:
    """No page of a list leads to the posts that the feed has no more."""
    site = tmp_path / "site"
    site.mkdir()

    def moved(count: int) -> list[Entry]:
        return [MovedEntry(number) for number in range(count)]

    with Server(site) as server:
        base = server.url.rstrip("/")
        write_blog(site, entries(20), base=base, sitemap=True)
        crawl(server.url, tmp_path / "a")
        write_blog(site, moved(50), base=base, sitemap=True)
        server.rules = [
            *(
                Rule(path=a.path, status=301, headers={"Location": b.path})
                for a, b in zip(entries(20), moved(20), strict=True)
            ),
            Rule(path="/page/.*", status=404),
        ]
        crawl(server.url, tmp_path / "a", spider="updatecrawl")
    assert len(rows(tmp_path / "a")) == 50


class MovedEntry(Entry):
    @property
    def path(self) -> str:
        return f"/journal/the-{self.number}-kettle/"


def test_post_dropped_from_the_sitemap_is_marked_as_gone(tmp_path: Path) -> None:
    site, posts = tmp_path / "site", entries(30)
    site.mkdir()
    with Server(site) as server:
        base = server.url.rstrip("/")
        write_blog(site, posts, base=base, sitemap=True)
        crawl(server.url, tmp_path / "a")
        removed = posts.pop(4)  # not in the feed
        os.remove(site / removed.path.strip("/") / "index.html")
        unlisted = posts[6]  # it is still there
        write_blog(site, posts, base=base, sitemap=True)
        listed = (site / "sitemap.xml").read_text().replace(f"<loc>{base}{unlisted.path}", "<loc>")
        (site / "sitemap.xml").write_text(listed)
        server.clear_log()
        crawl(server.url, tmp_path / "a", spider="updatecrawl")
        asked = {path for path in server.paths() if path.startswith("/20")}
    archived = rows(tmp_path / "a")
    assert asked == {removed.path, unlisted.path}
    gone = [path for path, row in archived.items() if row.status == "gone"]
    assert gone == [removed.path.rstrip("/")]


def test_post_dropped_from_one_sitemap_of_an_index_is_marked_as_gone(tmp_path: Path) -> None:
    """The sitemap of the pages is as it was, and has none of the posts."""
    site, posts = tmp_path / "site", entries(30)
    site.mkdir()

    def write(base: str, changed: datetime) -> None:
        write_blog(site, posts, base=base, sitemap=True)
        (site / "sitemap.xml").rename(site / "sitemap-posts.xml")
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        about = f"<urlset {space}><url><loc>{base}/about/</loc></url></urlset>"
        (site / "sitemap-pages.xml").write_text(about)
        days = (("posts", changed.isoformat()), ("pages", "2019-01-02T10:00:00Z"))
        maps = "".join(
            f"<sitemap><loc>{base}/sitemap-{name}.xml</loc><lastmod>{day}</lastmod></sitemap>"
            for name, day in days
        )
        (site / "sitemap.xml").write_text(f"<sitemapindex {space}>{maps}</sitemapindex>")

    with Server(site) as server:
        base = server.url.rstrip("/")
        write(base, datetime(2020, 1, 1, tzinfo=UTC))
        crawl(server.url, tmp_path / "a")
        removed = posts.pop(4)  # not in the feed
        os.remove(site / removed.path.strip("/") / "index.html")
        write(base, datetime.now(UTC) + timedelta(minutes=1))
        server.clear_log()
        crawl(server.url, tmp_path / "a", spider="updatecrawl")
        asked = {path for path in server.paths() if path.startswith(("/20", "/about"))}
    assert asked == {removed.path}
    gone = [path for path, row in rows(tmp_path / "a").items() if row.status == "gone"]
    assert gone == [removed.path.rstrip("/")]


def test_page_of_the_pages_sitemap_is_no_new_post(tmp_path: Path) -> None:
    """Ghost's pages have addresses like its posts, and a day."""
    site, (page, *posts) = tmp_path / "site", entries(13)
    site.mkdir()

    def write(base: str, number: int) -> None:
        write_blog(site, posts[:number], base=base, sitemap=True)
        (site / "sitemap.xml").rename(site / "sitemap-posts.xml")
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        only = f"<urlset {space}><url><loc>{base}{page.path}</loc></url></urlset>"
        (site / "sitemap-pages.xml").write_text(only)
        day = (datetime.now(UTC) + timedelta(minutes=number)).isoformat()
        maps = "".join(
            f"<sitemap><loc>{base}/sitemap-{name}.xml</loc><lastmod>{day}</lastmod></sitemap>"
            for name in ("posts", "pages")
        )
        (site / "sitemap.xml").write_text(f"<sitemapindex {space}>{maps}</sitemapindex>")

    with Server(site) as server:
        write(server.url.rstrip("/"), 11)
        crawl(server.url, tmp_path / "a")
        write(server.url.rstrip("/"), 12)
        crawl(server.url, tmp_path / "a", spider="updatecrawl")
        assert page.path not in server.paths()
    assert len(rows(tmp_path / "a")) == 12


def test_update_without_feed_requests_lists_but_not_posts(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        server.rules = [Rule(path="/feed.xml", status=404)]
        write_blog(site, entries(60), base=server.url.rstrip("/"))
        crawl(server.url, tmp_path / "a")
        write_blog(site, entries(61), base=server.url.rstrip("/"))
        server.clear_log()
        row = crawl(server.url, tmp_path / "a", spider="updatecrawl")
        pages = [path for path in server.paths() if path.startswith("/20")]
    assert len(rows(tmp_path / "a")) == 61 and row.counts["posts_archived"] == 1
    assert entries(61)[60].path in pages and len(pages) <= 20, "those that rules are learned from"


def test_one_visit_in_ten_rechecks_an_unchanged_post(blog: Visited) -> None:
    for _ in range(9):
        blog.update()
    assert blog.pages() == []
    blog.update()
    assert len(blog.pages()) == 1
