# ruff: noqa: E501
"""Generated blogs whose themes misbehave in the ways that real ones do; every truth is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.ruleset import Sample

_SYLLABLES = "ka lo mi tre sun der va plo nis gor ent ali ber tom wick hal ros tin mar fen dul op ix ja que sta bro lin".split()
HOST = "https://blog.example"


@dataclass
class Truth:
    """A generated post."""

    number: int
    title: str
    author: str
    moment: datetime
    paragraphs: list[str]
    tags: list[str]
    url: str
    comments: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.paragraphs)


def words(rng: random.Random, count: int) -> str:
    return " ".join(
        "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(1, 3))) for _ in range(count)
    )


def sentence(rng: random.Random, low: int = 6, high: int = 16) -> str:
    return words(rng, rng.randint(low, high)).capitalize() + rng.choice(".!?.")


def truth(rng: random.Random, number: int, authors: list[str]) -> Truth:
    moment = datetime(2012, 1, 3, 9, 30, tzinfo=UTC) + timedelta(
        days=11 * number, hours=rng.randint(0, 10)
    )
    title = words(rng, rng.randint(2, 6)).title()
    return Truth(
        number=number,
        title=title,
        author=rng.choice(authors),
        moment=moment,
        paragraphs=[
            " ".join(sentence(rng) for _ in range(rng.randint(1, 5)))
            for _ in range(rng.randint(2, 9))
        ],
        tags=rng.sample(["travel", "food", "code", "music", "books", "garden"], rng.randint(1, 3)),
        url=f"{HOST}/{moment:%Y/%m}/{title.lower().replace(' ', '-')}.html",
        comments=[(words(rng, 2).title(), sentence(rng, 5, 30)) for _ in range(rng.randint(0, 5))],
    )


Theme = Callable[[Truth, random.Random, list[Truth]], str]


def frame(
    t: Truth, body: str, *, title: str | None = None, head: str = "", language: str = "en"
) -> str:
    return (
        f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title or t.title + " | My Little Blog")}</title>{head}'
        f"</head><body>{body}</body></html>"
    )


def sidebar(posts: list[Truth]) -> str:
    items = "".join(f'<li><a href="{p.url}">{escape(p.title)}</a></li>' for p in posts[:6])
    return f'<div class="side"><h3>About</h3><p>I am somebody who writes things here since long ago.</p><ul>{items}</ul></div>'


def paragraphs(t: Truth) -> str:
    return "".join(f"<p>{escape(p)}</p>" for p in t.paragraphs)


def comments(t: Truth, label: str = "comment") -> str:
    rows = "".join(
        f'<div class="{label}"><span class="{label}_author">{escape(a)}</span><p>{escape(c)}</p></div>'
        for a, c in t.comments
    )
    return f'<div id="{label}s"><h3>{len(t.comments)} responses</h3>{rows}</div>'


def numbered(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """Ids with the post's number, classes of category in changing order."""
    classes = ["post", "hentry", *(f"category-{tag}" for tag in t.tags)]
    rng.shuffle(classes)
    return frame(
        t,
        f'<div id="header"><h1><a href="/">My Little Blog</a></h1></div><div id="main"><div id="post-{1000 + t.number}" class="{" ".join(classes)}">'
        f'<h2>{escape(t.title)}</h2><small>{t.moment:%B %d, %Y} by {t.author}</small><div id="entry-{1000 + t.number}">{paragraphs(t)}</div></div>'
        f"{comments(t)}</div>{sidebar(posts)}",
    )


def utility(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """Utility classes everywhere: the same ones on header, post and footer."""
    return frame(
        t,
        f'<div class="flex px-4 py-2"><div class="flex text-lg"><a href="/">My Little Blog</a></div></div>'
        f'<div class="flex px-4 py-2"><div class="flex text-lg"><h1 class="text-lg font-bold">{escape(t.title)}</h1>'
        f'<div class="flex text-sm"><span class="text-sm">{t.author}</span><span class="text-sm">{t.moment:%d %b %Y}</span></div>'
        f'<div class="px-4 py-2">{paragraphs(t)}</div></div></div>'
        f'<div class="flex px-4 py-2"><div class="flex text-lg">Imprint and so on, all rights reserved</div></div>',
    )


def breaks(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """Text between <br>, in tails, in table cells without a class."""
    text = "<br><br>".join(escape(p) for p in t.paragraphs)
    return frame(
        t,
        f'<table><tr><td colspan="2"><font size="5">My Little Blog</font></td></tr><tr><td width="150">{sidebar(posts)}</td>'
        f"<td><b>{escape(t.title)}</b><br><i>{t.moment:%d.%m.%Y}</i> {t.author}<br><br>{text}</td></tr></table>",
    )


def inside(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """Byline, share bar, tags, related posts and comments inside the one container, under names that say nothing."""
    related = "".join(
        f'<li><a href="{p.url}">{escape(p.title)}</a> {escape(p.paragraphs[0][:60])}</li>'
        for p in rng.sample(posts, 3)
    )
    rows = "".join(
        f'<div class="k7"><b>{escape(a)}</b> wrote: <p>{escape(c)}</p></div>' for a, c in t.comments
    )
    return frame(
        t,
        f'<div class="w1"><div class="a9"><h1>{escape(t.title)}</h1><div class="b3">Written by {t.author} on {t.moment:%B %d, %Y}</div>'
        f'{paragraphs(t)}<div class="c4"><a href="#">Tweet this</a> <a href="#">Like it</a> <a href="#">Mail it to a friend</a></div>'
        f'<div class="d5">Filed under {", ".join(t.tags)}</div><ul class="e6">{related}</ul><div class="f8">{rows}</div></div></div>',
    )


def moving(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """No class at all, and a varying number of boxes before the post: a path rule hits another node on other pages."""
    boxes = "".join(f"<div><p>{sentence(rng)}</p></div>" for _ in range(rng.randint(0, 3)))
    return frame(
        t,
        f'<div><h1><a href="/">My Little Blog</a></h1></div>{boxes}<div><h2>{escape(t.title)}</h2><p><i>{t.moment:%Y-%m-%d}, {t.author}</i></p>'
        f"<div>{paragraphs(t)}</div></div><div>{sidebar(posts)}</div>",
    )


def two(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """Two templates in one blog."""
    if t.number % 3:
        return frame(
            t,
            f'<div class="standard"><h1 class="entry-title">{escape(t.title)}</h1><p class="by">by <a rel="author" href="/a">{t.author}</a></p>'
            f'<div class="entry">{paragraphs(t)}</div><div class="foot">Posted {t.moment:%d/%m/%Y}</div></div>{sidebar(posts)}',
        )
    return frame(
        t,
        f'<div class="photo-post"><div class="entry"><img src="/p.jpg" alt=""><em>Photo of the day, click it to see it larger than this</em></div>'
        f'<div class="caption"><h3>{escape(t.title)}</h3>{paragraphs(t)}</div><ul><li>{t.author}</li><li>{t.moment:%B %d, %Y}</li></ul></div>{sidebar(posts)}',
    )


def duplicates(t: Truth, rng: random.Random, posts: list[Truth]) -> str:
    """The title in breadcrumb, sidebar and heading; dates of other things around; authors of comments under .comment_author."""
    return frame(
        t,
        f'<p class="crumbs"><a href="/">Home</a> &gt; {escape(t.title)}</p><div class="side"><ul><li>{escape(t.title)}</li>'
        f"<li>{escape(posts[0].title)}</li></ul><p>Today is June 12, 2020</p></div>"
        f'<div class="post"><h2 class="title">{escape(t.title)}</h2><span class="date">Updated: July 1, 2019</span>'
        f'<span class="date2">{t.moment:%b %d, %Y}</span><div class="content">{paragraphs(t)}</div></div>{comments(t)}',
        title=f"{t.title} - {t.tags[0]} - My Little Blog",
    )


THEMES: dict[str, Theme] = {
    f.__name__: f for f in (numbered, utility, breaks, inside, moving, two, duplicates)
}


@dataclass
class Generated:
    """A blog: ten posts in the feed, the others to be found."""

    samples: list[Sample]
    rest: list[tuple[Page, Truth]]
    home: Page


def entry_of(t: Truth, feed: str = "full") -> FeedEntry:
    """The feed's entry: ``full``, ``excerpt`` (50 words and an ellipsis), ``first`` (first paragraph), ``titles``, ``joined``
    (title and content in one field), ``reencoded``."""
    markup: str | None = paragraphs(t)
    summary = None
    title: str | None = t.title
    full = True
    if feed == "excerpt":
        markup, summary, full = None, " ".join(t.text.split()[:50]) + " [...]", False
    elif feed == "first":
        markup, summary, full = None, t.paragraphs[0], False
    elif feed == "titles":
        markup, full = None, False
    elif feed == "joined":
        markup, title = f"{t.title} {markup}", None
    elif feed == "reencoded":
        markup = "\n\n".join(t.paragraphs).replace(".", " .").replace("!", "&#33;")
    return FeedEntry(
        url=t.url,
        title=title,
        authors=(t.author,),
        published=t.moment,
        published_raw=t.moment.isoformat(),
        content_html=markup,
        summary_html=summary,
        is_full=full,
        tags=tuple(t.tags),
    )


def generate(
    theme: str,
    *,
    feed: str = "full",
    authors: tuple[str, ...] = ("Ada Lovely", "Bob Writer"),
    posts: int = 20,
    seed: int = 7,
) -> Generated:
    rng = random.Random(f"{theme}-{feed}-{seed}")
    truths = [truth(rng, number, list(authors)) for number in range(posts)]
    render = THEMES[theme]
    pages = [Page(url=t.url, body=render(t, rng, truths).encode()) for t in truths]
    items = "".join(
        f'<div class="item"><h2><a href="{t.url}">{escape(t.title)}</a></h2><p>{escape(t.paragraphs[0])}</p></div>'
        for t in truths[:8]
    )
    home = Page(
        url=HOST + "/",
        body=frame(
            truths[0], f"<h1>My Little Blog</h1>{items}{sidebar(truths)}", title="My Little Blog"
        ).encode(),
    )
    samples = [
        Sample(page=page, entry=entry_of(t, feed))
        for page, t in zip(pages[-10:], truths[-10:], strict=True)
    ]
    return Generated(samples, list(zip(pages[:-10], truths[:-10], strict=True)), home)
