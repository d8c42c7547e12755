# ruff: noqa: E501 (markup as themes write it)
"""Two unknown WordPress themes: no ids, no class that says "comment". Threads, ten of them a page,
a feed of the last ten comments, no public data: all comments of all posts with author, date and
parent all the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from blogcrawl.comments.plan import CommentPlan
from blogcrawl.comments.records import CommentResult
from blogcrawl.comments.site import SiteComments
from blogcrawl.core.page import Page

BASE = "http://blog.example"
WORDS = "archive memory paper river garden engine bread soup island council theory compiler storm library letter winter".split()
THREADS_A_PAGE, IN_FEED, DEPTH = 10, 10, 5


@dataclass
class Said:
    number: int
    author: str
    when: datetime
    text: str
    parent: Said | None = None
    answers: list[Said] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 1 if self.parent is None else self.parent.depth + 1


def slate(said: Said, inner: str) -> str:
    """A box a comment, replies inside of it, date and name in one line."""
    name = (
        f'<a href="http://x.example" rel="external nofollow">{said.author}</a>'
        if said.number % 3 == 0
        else said.author
    )
    return f'<div class="say"><p class="who">{name}, {said.when:%-d %B %Y}, {said.when:%H:%M}</p><div class="what"><p>{said.text}</p></div><a class="re" href="?replytocom={said.number}#respond">Answer</a>{inner}</div>'


def ledger(said: Said, inner: str) -> str:
    """Definition lists in definition lists, nothing else."""
    return f"<dl><dt>{said.author} noted on {said.when:%m/%d/%Y} {said.when:%I:%M %p}</dt><dd><p>{said.text}</p>{inner}</dd></dl>"


HEADS = {
    slate: '<div class="talk"><h3>{count} comments</h3>{all}</div>',
    ledger: '<div class="notes"><b>{count} notes</b>{all}</div>',
}


def thread(post: int, count: int, rng: random.Random) -> list[Said]:
    out: list[Said] = []
    when = datetime(2022, 1, 5, 9, 10, tzinfo=UTC) + timedelta(days=9 * post)
    for n in range(count):
        above = rng.choice(out[-4:]) if n % 3 == 2 and out else None
        parent = above if above is not None and above.depth < DEPTH else None
        text = f"Said as number {n} of post {post}: " + " ".join(rng.choices(WORDS, k=12)) + "."
        said = Said(
            1000 * post + n,
            f"Reader {rng.randrange(40)}",
            when + timedelta(hours=n + 1),
            text,
            parent,
        )
        out.append(said)
        if parent is not None:
            parent.answers.append(said)
    return out


def drawn(theme: Callable[[Said, str], str], said: Said) -> str:
    return theme(said, "".join(drawn(theme, a) for a in said.answers))


def pages(theme: Callable[[Said, str], str], post: int, thread: Sequence[Said]) -> dict[str, Page]:
    """Everything that the server has of one post."""
    url = f"{BASE}/post-{post}/"
    tops = [s for s in thread if s.parent is None]
    sheets = [tops[i : i + THREADS_A_PAGE] for i in range(0, max(1, len(tops)), THREADS_A_PAGE)]
    links = "".join(
        f'<a class="page-numbers" href="{url}comment-page-{i + 1}/#comments">{i + 1}</a>'
        for i in range(len(sheets))
    )
    out = {}
    for i, sheet in enumerate(sheets):
        all_said = "".join(drawn(theme, s) for s in sheet) + (
            f"<p>{links}</p>" if len(sheets) > 1 else ""
        )
        story = "".join(
            f"<p>{' '.join(WORDS[(post + k + j) % 16] for k in range(14))} in part {j}.</p>"
            for j in range(5)
        )
        body = f'<div class="story"><h2>Post {post}</h2><p class="small">Zoe, 5 January 2022</p><div class="prose">{story}</div></div>{HEADS[theme].format(count=len(thread), all=all_said)}'
        head = f'<link rel="alternate" type="application/rss+xml" href="{url}feed/">'
        side = '<div id="side"><h4>Recent comments</h4><ul><li>Reader 7 on <a href="/post-3/#comment-3001">Post 3</a></li></ul></div>'
        page = Page(
            url=url,
            body=f"<html lang=en><head>{head}</head><body><div id=page>{body}{side}</div></body></html>".encode(),
        )
        out[f"{url}comment-page-{i + 1}/"] = page
        out.setdefault(url, page)
    items = "".join(
        f"<item><title>By: {s.author}</title><link>{url}#comment-{s.number}</link><guid>{url}#comment-{s.number}</guid><dc:creator>{s.author}</dc:creator><pubDate>{s.when:%a, %d %b %Y %H:%M:%S} +0000</pubDate><content:encoded><![CDATA[{_answer(url, s)}<p>{s.text}</p>]]></content:encoded></item>"
        for s in islice(reversed(thread), IN_FEED)
    )
    feed = f'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Comments on: Post {post}</title><link>{url}</link>{items}</channel></rss>'
    out[f"{url}feed/"] = Page(url=f"{url}feed/", body=feed.encode())
    return out


def _answer(url: str, said: Said) -> str:
    return (
        f'<p>In reply to <a href="{url}#comment-{said.parent.number}">{said.parent.author}</a>.</p>'
        if said.parent
        else ""
    )


def read(
    site: SiteComments, theme: Callable[[Said, str], str], post: int, thread: Sequence[Said]
) -> CommentResult:
    answers = pages(theme, post, thread)
    plan = CommentPlan(
        site=site,
        page=answers[f"{BASE}/post-{post}/"],
        language="en",
        published=datetime(2022, 1, 5, tzinfo=UTC),
    )
    while asks := plan.requests():
        for ask in asks:
            plan.receive(ask, answers.get(ask.url))
    return plan.result()


@pytest.mark.parametrize("theme", [slate, ledger])
def test_all_comments_of_an_unknown_theme_are_found(theme: Callable[[Said, str], str]) -> None:
    rng, site = random.Random(5), SiteComments()
    total = found = right = authors = days = parents = 0
    for post in range(1, 13):
        said = thread(post, (4, 16, 34, 2)[post % 4], rng)
        result = read(site, theme, post, said)
        by_text = {s.text: s for s in said}
        ids = {c.id: c.content_text for c in result.comments}
        total, found = total + len(said), found + len(result.comments)
        for c in result.comments:
            if c.content_text in by_text:
                truth = by_text[c.content_text]
                right += 1
                authors += c.author == truth.author
                days += c.published is not None and c.published == truth.when
                parents += (ids.get(c.parent_id) if c.parent_id else None) == (
                    truth.parent.text if truth.parent else None
                )
    assert 2 * right / (total + found) >= 0.99
    assert min(authors, days, parents) >= 0.99 * right
