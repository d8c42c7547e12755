"""What an update finds of old posts on a blog that has neither sitemap nor feed of comments."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.crawling.changes import VISITS_PER_RECHECK
from blogcrawl.storage.state import open_state
from tests.crawling.blog import Entry, entries, page, put, rss, write_blog
from tests.crawling.crawling import crawl, post, rows
from tests.server import Rule, Server

POSTS = entries(40)
OTHER_THEME = {
    "h1>": "h2>",
    "<article>": "<div class=note>",
    "</article>": "</div>",
    "<time ": "<b ",
    "</time>": "</b>",
    "class=entry": "class=words",
}
EDIT = "Later all of this turned out to be wrong."


def _post(entry: Entry, comments: int, more: str, lead: str = "") -> str:
    said = "".join(
        f'<li class=comment id=c{n}><b class=fn>Reader {n}</b> <time datetime="2024-12-0{n}">'
        f"0{n} December 2024</time><p>Thought {n} about {entry.title}</p></li>"
        for n in range(1, comments + 1)
    )
    first, *others = entry.paragraphs
    text = "".join(f"<p>{line}</p>" for line in [lead + first, *others, more])
    return page(
        entry.title,
        f'<article><h1>{entry.title}</h1><time datetime="{entry.datetime}">{entry.date:%d %B %Y}'
        f"</time><div class=entry>{text}</div></article>"
        f"<section id=comments><h3>{comments} comments</h3><ol>{said}</ol></section>",
    )


def _item(entry: Entry, comments: int, lead: str = "") -> str:
    return (
        f'<article><h2><a href="{entry.path}">{entry.title}</a></h2>'
        f"<p>{lead}{entry.paragraphs[0]}</p>"
        f'<a href="{entry.path}#comments">{comments} comments</a></article>'
    )


@dataclass
class Blog:
    """A static blog whose lists say how many comments each post has."""

    site: Path
    archive: Path
    server: Server
    has_validators: bool = True
    has_feed: bool = False
    edited: Collection[int] = ()
    edits_lead: bool = False
    """Edits change the first paragraph, which lists show."""
    gone: Collection[int] = ()
    comments: Mapping[int, int] = field(default_factory=dict)
    hidden: int = 0
    """Of the newest posts, how many there are not yet."""
    theme: Mapping[str, str] = field(default_factory=dict)
    """What another theme writes in place of parts of the posts' markup."""

    def write(self) -> None:
        posts = POSTS[: len(POSTS) - self.hidden]
        newest = [entry for entry in reversed(posts) if entry.number not in self.gone]
        said = self.comments.get
        pages = {
            entry.path: _post(entry, said(entry.number, 0), *self._edits(entry)) for entry in newest
        }
        for old, new in self.theme.items():
            pages = {path: body.replace(old, new) for path, body in pages.items()}
        head = '<link rel=alternate type="application/rss+xml" href="/feed.xml">' * self.has_feed
        for at in range(0, len(newest), 10):
            older = f'<a rel=next href="/page/{at // 10 + 2}/">Older posts</a>'
            listed = "".join(
                _item(e, said(e.number, 0), self._edits(e)[1]) for e in newest[at : at + 10]
            )
            pages[f"/page/{at // 10 + 1}/" if at else "/"] = page(
                "The Port", head + listed + older * bool(newest[at + 10 :])
            )
        shutil.rmtree(self.site)
        self.site.mkdir()
        if self.has_feed:
            feed = rss(list(reversed(POSTS))[:10], self.server.url.rstrip("/"))
            (self.site / "feed.xml").write_text(feed, "utf-8")
        if self.has_validators:
            for path, body in pages.items():
                put(self.site, path, body)
        else:
            self.server.rules = [Rule(path=re.escape(p), body=body) for p, body in pages.items()]

    def _edits(self, entry: Entry) -> tuple[str, str]:
        """Return what edits add at the end and at the beginning of a post."""
        edit = EDIT * (entry.number in self.edited)
        return ("", f"{edit} ") if self.edits_lead else (edit, "")

    def update(self) -> int:
        """Return the number of requests."""
        self.write()
        before = len(self.server.log())
        crawl(self.server.url, self.archive, spider="updatecrawl")
        return len(self.server.log()) - before

    def has_edit(self, number: int) -> bool:
        row = rows(self.archive)[POSTS[number].path.rstrip("/")]
        return EDIT in (post(self.archive, row).content_text or "")

    def status(self, number: int) -> str:
        return rows(self.archive)[POSTS[number].path.rstrip("/")].status


@pytest.mark.parametrize("has_validators", [True, False])
def test_edits_deletions_and_late_comments_are_found_without_any_feed(
    tmp_path: Path, has_validators: bool
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Blog(tmp_path / "site", tmp_path / "archive", server, has_validators)
        blog.write()
        crawl(server.url, blog.archive)
        lists = blog.update()
        blog.gone, blog.comments = [7], {9: 3}
        asked = blog.update()
        row = rows(blog.archive)[POSTS[9].path.rstrip("/")]
        assert blog.status(7) == "gone" and blog.status(8) == "published"
        assert row.comment_count == 3 and asked <= lists + 2
        blog.edited, updates = [5], 0
        while not blog.has_edit(5) and updates <= len(POSTS) / (lists / 10):
            updates += 1
            is_tenth = not (updates + 2) % VISITS_PER_RECHECK
            assert blog.update() <= lists or is_tenth
        assert blog.has_edit(5)


def test_edit_that_a_list_shows_is_found_at_once(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Blog(tmp_path / "site", tmp_path / "archive", server)
        blog.write()
        crawl(server.url, blog.archive)
        lists = blog.update()
        blog.edited, blog.edits_lead = [5, 31], True
        assert blog.update() <= lists + 2
        assert blog.has_edit(5) and blog.has_edit(31)
        assert blog.update() <= lists


def test_unchanged_blog_without_a_feed_costs_its_lists_and_a_tenth_but_at_every_tenth_visit(
    tmp_path: Path,
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Blog(tmp_path / "site", tmp_path / "archive", server)
        blog.write()
        crawl(server.url, blog.archive)
        asked = [blog.update() for _ in range(VISITS_PER_RECHECK)]
        pages = [line.path for line in server.log()][-sum(asked) :][: asked[0]]
        lists = {"/", "/page/2/", "/page/3/", "/page/4/"}
        dead = {"/robots.txt", "/feed.xml", "/about/", "/tag/kettle/"}
        again = [path for path in pages if path not in lists | dead]
        assert lists <= set(pages) and len(again) == 1 and len(pages) == len(set(pages))
        assert asked[:-1] == [asked[0]] * (VISITS_PER_RECHECK - 1)
        assert asked[-1] > 2 * asked[0], "what was absent is asked for again, the rules are learned"


@pytest.mark.parametrize("is_alike", [True, False])
def test_rules_are_learned_anew_where_those_known_miss_the_newest_post(
    tmp_path: Path, is_alike: bool
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Blog(tmp_path / "site", tmp_path / "archive", server, hidden=1)
        blog.write()
        crawl(server.url, blog.archive)
        usual = blog.update()
        blog.hidden, blog.theme = 0, {} if is_alike else OTHER_THEME
        asked = blog.update()
        newest = rows(blog.archive)[POSTS[-1].path.rstrip("/")]
        text = post(blog.archive, newest).content_text or ""
        assert POSTS[-1].paragraphs[-1] in text
        assert asked == usual + 1 if is_alike else asked > usual + 3


def test_posts_not_seen_for_a_year_are_looked_at_where_a_feed_shows_the_newest(
    tmp_path: Path,
) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        blog = Blog(tmp_path / "site", tmp_path / "archive", server, has_feed=True)
        blog.write()
        crawl(server.url, blog.archive)
        usual = blog.update()
        blog.edited = [5]
        blog.update()
        assert not blog.has_edit(5)
        state = open_state(Config(archive=str(blog.archive)))
        row = rows(blog.archive)[POSTS[5].path.rstrip("/")]
        assert row.last_seen is not None
        state.save_post(replace(row, last_seen=row.last_seen - timedelta(days=366)))
        state.close()
        assert blog.update() == usual + 1 and blog.has_edit(5)
        assert blog.update() == usual


def test_files_that_a_host_could_not_give_are_asked_for_again(tmp_path: Path) -> None:
    """Not those that do not exist; and no post whose files are all there."""
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    write_blog(site, entries(6))
    busy = Rule(path="/img/[12].png", status=503)
    fast = {"extra": {"RETRY_TIMES": 1}, "max_retry_after_seconds": 1.0}
    with Server(site, [busy]) as server:
        first = crawl(server.url, archive, **fast)
        lacking = rows(archive)
        server.rules = []
        again = crawl(server.url, archive, spider="updatecrawl", **fast)
        server.clear_log()
        last = crawl(server.url, archive, spider="updatecrawl", **fast)
        asked = [hit.path for hit in server.log() if "post-about" in hit.path]
    assert first.report["media_missing_reasons"] == {"HTTP 503": 2, "HTTP 404": 1}
    assert first.report["media_missing_count"] == len(first.report["media_missing"]) == 3
    assert again.report["media_missing_reasons"] == {"HTTP 404": 1}
    changed = [path for path, row in rows(archive).items() if row.aip_version == 2]
    assert sorted(changed) == sorted(
        path for path in lacking if int(path.rstrip("/").rpartition("-")[2]) % 5 in (1, 2)
    )
    assert again.counts["posts_changed"] == len(changed) == 2
    assert not asked and last.counts.get("posts_changed", 0) == 0
