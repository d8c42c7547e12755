"""Blogs with several posts on a page, in four kinds of old markup: pages, feed and what is right,
from one small generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from tests.engines.truth import WORDS

LEXICON = WORDS["en"]
FEED_LINK = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'


@dataclass(frozen=True)
class Note:
    number: int
    path: str
    title: str | None
    date: datetime
    paragraphs: tuple[str, ...]
    link: str = ""

    @property
    def page(self) -> str:
        return self.path.partition("#")[0]

    @property
    def fragment(self) -> str:
        return self.path.partition("#")[2]


@dataclass(frozen=True)
class Diary:
    """``pages`` by path; ``feed`` at /feed.xml (empty: no feed); ``notes`` oldest first."""

    pages: dict[str, str]
    feed: str
    notes: tuple[Note, ...]

    def without_feed(self) -> Diary:
        pages = {path: text.replace(FEED_LINK, "") for path, text in self.pages.items()}
        return replace(self, pages=pages, feed="")

    def write(self, root: Path) -> None:
        feed = {"/feed.xml": self.feed} if self.feed else {}
        for path, text in {**self.pages, **feed}.items():
            file = (
                root / path.strip("/") / "index.html"
                if path.endswith("/")
                else root / path.strip("/")
            )
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_text("utf-8") != text:
                file.write_text(text, "utf-8")


def _line(seed: int, length: int) -> str:
    words = [LEXICON[(seed * 31 + i * (seed % 11 + 3)) % len(LEXICON)] for i in range(length)]
    return " ".join(words).capitalize() + "."


def _notes(
    count: int,
    hours: int,
    path: Callable[[int, datetime, str], str],
    *,
    titled: bool = True,
    base: str = "",
) -> list[Note]:
    out = []
    for number in range(count):
        date = datetime(2003, 1, 5, 9, 30, tzinfo=UTC) + timedelta(
            hours=hours * number + number % 7
        )
        title = f"{_line(number + 400, 3)[:-1]} {number}"
        lines = tuple(_line(number * 7 + k, 18 + (number + k) % 9) for k in range(1 + number % 4))
        away = f"http://site{number}.example/{LEXICON[number % len(LEXICON)]}"
        out.append(
            Note(number, path(number, date, title), title if titled else None, date, lines, away)
        )
    return out


def _feed(notes: Sequence[Note], base: str, *, author: str = "", leads_away: bool = False) -> str:
    items = "".join(
        "<item>"
        + (f"<title>{escape(n.title)}</title>" if n.title else "")
        + f"<link>{n.link if leads_away else base + n.path}</link><guid>{base}{n.path}</guid>"
        + f"<pubDate>{n.date:%a, %d %b %Y %H:%M:%S} +0000</pubDate>"
        + (f"<dc:creator>{author}</dc:creator>" if author else "")
        + (
            f"<description>{escape(''.join(f'<p>{line}</p>' for line in n.paragraphs))}</descripti"
            f"on></item>"
        )
        for n in notes
    )
    head = f"<title>Diary</title><link>{base}/</link><description>notes</description>"
    return (
        f'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{head}'
        f"{items}</channel></rss>"
    )


def _page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title>{FEED_LINK}</head><body>{body}</body></html>"


def _by_page(notes: Sequence[Note]) -> list[tuple[str, list[Note]]]:
    return [(page, list(group)) for page, group in groupby(notes, key=lambda n: n.page)]


def names_and_rules(base: str = "", count: int = 40) -> Diary:
    """A page a year; ``<a name>`` before each post, ``<hr>`` between them, nothing around them."""
    notes = _notes(count, 24 * 21, lambda number, date, title: f"/{date.year}.html#e{number + 1}")
    years = "".join(f'<a href="{page}">{page[1:5]}</a> ' for page, _ in _by_page(notes))
    top = f'<h1>My diary</h1><p>{years}<a href="/about.html">About</a></p>'

    def block(n: Note) -> str:
        text = "\n".join(f"<p>{line}</p>" for line in n.paragraphs)
        foot = (
            f'<p class="posted">Written by Jo Hand on {n.date:%d %B %Y} | <a '
            f'href="{n.path}">Link</a></p>'
        )
        return f'<a name="{n.fragment}"></a><h3>{n.title}</h3>\n{text}\n{foot}\n<hr>\n'

    end = '<p>Copyright 2003 Jo Hand. <a href="/">Home</a></p>'
    pages = {
        page: _page(
            f"Diary {page[1:5]}",
            f'{top}<div id="main">{"".join(map(block, reversed(some)))}{end}</div>',
        )
        for page, some in _by_page(notes)
    }
    pages["/"] = _page(
        "My diary", f'{top}<div id="main">{"".join(map(block, reversed(notes[-5:])))}</div>'
    )
    about = "".join(f"<p>{_line(900 + k, 40)}</p>" for k in range(3))
    pages["/about.html"] = _page("About", f'{top}<div id="main"><h2>About me</h2>{about}</div>')
    return Diary(pages, _feed(list(reversed(notes[-10:])), base, author="Jo Hand"), tuple(notes))


def days_and_boxes(base: str = "", count: int = 40) -> Diary:
    """A page a month; an element with an id for each post, the day in a heading above the posts of
    that day.
    """
    notes = _notes(
        count, 39, lambda number, date, title: f"/archives/{date:%Y/%m}/#post-{number + 100}"
    )
    months = "".join(f'<li><a href="{page}">{page[10:17]}</a></li>' for page, _ in _by_page(notes))
    side = f'<ul id="sidebar">{months}</ul>'

    def block(n: Note) -> str:
        text = "".join(f"<p>{line}</p>" for line in n.paragraphs)
        foot = (
            f"posted by <b>{('Ann Lee', 'Bob Ray')[n.number % 2]}</b> at {n.date:%H:%M} | <a "
            f'href="{n.path}">permalink</a>'
        )
        return (
            f'<div class="entry" id="{n.fragment}"><h3 class="title">{n.title}</h3><div '
            f'class="body">{text}</div>'
            f'<div class="meta">{foot}</div></div>'
        )

    def content(some: Sequence[Note]) -> str:
        days = groupby(reversed(some), key=lambda n: n.date.date())
        text = "".join(
            f'<h2 class="date">{day:%A, %B %d, %Y}</h2>{"".join(map(block, group))}'
            for day, group in days
        )
        return f'<div id="header"><h1>Two heads</h1></div><div id="content">{text}</div>{side}'

    pages = {page: _page(f"Two heads: {page}", content(some)) for page, some in _by_page(notes)}
    pages["/"] = _page("Two heads", content(notes[-7:]))
    return Diary(pages, _feed(list(reversed(notes[-12:])), base), tuple(notes))


def tails_and_breaks(base: str = "", count: int = 40) -> Diary:
    """A link log: a page a week, bare text between ``<br>``, no titles; the feed's links lead away,
    its ids are the places.
    """
    notes = _notes(
        count,
        30,
        lambda number, date, title: f"/{date:%G-w%V}.html#{1000 + 7 * number}",
        titled=False,
    )
    weeks = [page for page, _ in _by_page(notes)]

    def block(n: Note) -> str:
        first, _, rest = n.paragraphs[0].partition(" ")
        text = "<br><br>\n".join((f'<a href="{n.link}">{first}</a> {rest}', *n.paragraphs[1:]))
        return (
            f'<a name="{n.fragment}"></a>{text}<br>\n<font size="1">{n.date:%d.%m.%Y %H:%M} '
            f'<a href="{n.path}">#</a></font><br><br>\n'
        )

    def page(some: Sequence[Note], older: str) -> str:
        more = (
            f'<td><a href="/">home</a> <a href="{older}">older</a></td>' if older else "<td></td>"
        )
        return _page(
            "Linklog",
            f"<table><tr>{more}<td><b>Linklog</b><br>{''.join(map(block, some))}</td></tr></table>",
        )

    pages = {
        week: page(some, weeks[at - 1] if at else "")
        for at, (week, some) in enumerate(_by_page(notes))
    }
    pages["/"] = page(list(reversed(notes[-8:])), weeks[-1])
    return Diary(pages, _feed(list(reversed(notes[-15:])), base, leads_away=True), tuple(notes))


def headings_and_slugs(base: str = "", count: int = 30) -> Diary:
    """Everything on the start page and its next ones; the id, a slug, on the post's heading; other
    headings have ids as well.
    """
    per_page = 8

    def path(number: int, date: datetime, title: str) -> str:
        at = (count - 1 - number) // per_page
        return f"{f'/page{at + 1}.html' if at else '/'}#{title.lower().replace(' ', '-')}"

    notes = _notes(count, 70, path)

    def block(n: Note) -> str:
        text = (
            "".join(f"<p>{line}</p>" for line in n.paragraphs)
            + f'<h3 id="notes-{n.number}">Notes</h3><p>See also the others.</p>'
        )
        date = f'<time datetime="{n.date.isoformat()}">{n.date:%b %d, %Y}</time>'
        return (
            f'<article><header><h2 id="{n.fragment}">{n.title}</h2>{date}</header>{text}</article>'
        )

    groups = _by_page(list(reversed(notes)))
    pages = {}
    for at, (page, some) in enumerate(groups):
        following = (
            f'<a rel="next" href="{groups[at + 1][0]}">older</a>' if at + 1 < len(groups) else ""
        )
        pages[page] = _page(
            "One page", f"<main>{''.join(map(block, some))}</main><nav>{following}</nav>"
        )
    entries = [
        Note(n.number, n.path, n.title, n.date, (*n.paragraphs, "Notes", "See also the others."))
        for n in notes
    ]
    return Diary(pages, _feed(list(reversed(entries[-10:])), base), tuple(entries))


def months_and_days(base: str = "", count: int = 40) -> Diary:
    """A page a month, linked from an archive page; each entry a heading with its day and a name,
    and neither title nor box.
    """
    notes = _notes(
        count,
        67,
        lambda number, date, title: f"/{date:%Y-%m}.html#d{date:%d}",
        titled=False,
    )
    months = "".join(
        f'<li><a href="{page}">{some[0].date:%B %Y}</a></li>' for page, some in _by_page(notes)
    )

    def block(n: Note) -> str:
        text = "".join(f"<p>{line}</p>\n" for line in n.paragraphs)
        return f'<h4><a name="{n.fragment}">{n.date:%A, %B %d, %Y}</a></h4>\n{text}'

    def page(name: str, some: Sequence[Note]) -> str:
        foot = '<hr><p><a href="/archive.html">All months</a> <a href="/">Home</a></p>'
        return _page(
            f"Kitchen diary: {name}",
            f"<h1>Kitchen diary</h1><h2>{name}</h2>{''.join(map(block, some))}{foot}",
        )

    pages = {path: page(f"{some[0].date:%B %Y}", some) for path, some in _by_page(notes)}
    welcome = "".join(f"<p>{_line(700 + k, 20)}</p>" for k in range(2))
    archive = '<p><a href="/archive.html">The archive of all months</a></p>'
    pages["/"] = _page("Kitchen diary", f"<h1>Kitchen diary</h1>{welcome}{archive}")
    pages["/archive.html"] = _page(
        "Archive", f"<h1>Kitchen diary</h1><h2>Archive</h2><ul>{months}</ul>"
    )
    return Diary(pages, _feed(list(reversed(notes[-10:])), base), tuple(notes))


def days_and_times(
    base: str = "",
    count: int = 40,
    line: str = 'Posted on {day} at {time} | <a href="{path}">Permalink</a>',
) -> Diary:
    """A page a day, linked from an archive page; a line below each entry has the day, the time and
    a link to the entry itself.
    """
    notes = _notes(
        count, 8, lambda number, date, title: f"/{date:%Y/%m/%d}.html#e{number + 1}", titled=True
    )
    days = "".join(
        f'<li><a href="{page}">{some[0].date:%B %d, %Y}</a></li>' for page, some in _by_page(notes)
    )

    def block(n: Note) -> str:
        text = "".join(f"<p>{line}</p>\n" for line in n.paragraphs)
        day, time = f"{n.date:%B %d, %Y}", f"{n.date:%H:%M}"
        foot = line.format(day=day, time=time, path=n.path)
        return (
            f'<div class="item"><a name="{n.fragment}"></a><h3>{n.title}</h3>\n{text}'
            f'<p class="posted">{foot}</p></div>'
        )

    def page(name: str, some: Sequence[Note]) -> str:
        foot = '<p><a href="/archive.html">All days</a> <a href="/">Home</a></p>'
        top = f"<h1>Day by day</h1><h2>{name}</h2>"
        return _page(f"Day by day: {name}", f"{top}{''.join(map(block, some))}{foot}")

    pages = {path: page(f"{some[0].date:%B %d, %Y}", some) for path, some in _by_page(notes)}
    welcome = "".join(f"<p>{_line(700 + k, 20)}</p>" for k in range(2))
    archive = '<p><a href="/archive.html">The archive of all days</a></p>'
    pages["/"] = _page("Day by day", f"<h1>Day by day</h1>{welcome}{archive}")
    pages["/archive.html"] = _page("Archive", f"<h1>Day by day</h1><h2>Archive</h2><ul>{days}</ul>")
    return Diary(pages, _feed(list(reversed(notes[-10:])), base), tuple(notes))


def days_and_links(base: str = "", count: int = 40) -> Diary:
    """A page a day; a line below each entry has nothing but a link to the entry itself."""
    return days_and_times(base, count, '<a href="{path}">Permalink</a>')


def days_and_numbers(base: str = "", count: int = 40) -> Diary:
    """A page a day; each entry has a number that goes on from day to day, and states nothing."""
    return days_and_times(base, count, "Written by Jo Hand")


def days_of_months(base: str = "", count: int = 40) -> Diary:
    """The same with the number of the day only: the month is the page's."""
    return days_and_lines(base, count, "%A %d")


def days_and_lines(base: str = "", count: int = 40, day: str = "%A %d %B") -> Diary:
    """A page a month without anchors, each entry below a heading that is its day without the year;
    the months are linked from a list of contents."""

    def path(number: int, date: datetime, title: str) -> str:
        return f"/{date:%Y/%m}.html#:~:text={quote(date.strftime(day))}"

    notes = _notes(count, 67, path)
    months = {f"/{m}.html": list(some) for m, some in groupby(notes, lambda n: f"{n.date:%Y/%m}")}

    def block(n: Note) -> str:
        text = "".join(f"<p>{line}</p>\n" for line in n.paragraphs)
        return f"<h3>{n.date.strftime(day)}</h3>\n<h2>{n.title}</h2>\n{text}"

    def page(name: str, body: str) -> str:
        return _page(f"{name} - My days", f'{body}<hr><a href="/contents.html">Contents</a>')

    pages = {
        path: page(f"{some[0].date:%B %Y}", f"<h1>My days</h1>{''.join(map(block, some))}")
        for path, some in months.items()
    }
    links = "".join(f'<li><a href="{path}">{path[1:8]}</a></li>' for path in months)
    pages["/contents.html"] = page("Contents", f"<h1>My days</h1><ul>{links}</ul>")
    about = "".join(f"<p>{_line(900 + k, 40)}</p>" for k in range(3))
    pages["/"] = _page("My days", f'<h1>My days</h1>{about}<a href="/contents.html">Read on</a>')
    return Diary(pages, "", tuple(notes))


def one_page(base: str = "", count: int = 30) -> Diary:
    """Everything on the start page, each entry with its day and a link to itself; one page besides,
    which is none of the posts.
    """
    notes = _notes(count, 67, lambda number, date, title: f"/#e{number + 1}")

    def block(n: Note) -> str:
        text = "".join(f"<p>{line}</p>\n" for line in n.paragraphs)
        day = f'<p class="date">{n.date:%B %d, %Y} <a href="#{n.fragment}">#</a></p>'
        return f'<div class="entry" id="{n.fragment}"><h2>{n.title}</h2>{day}{text}</div>\n'

    top = '<h1>All in one</h1><p><a href="/about.html">About</a></p>'
    about = "".join(f"<p>{_line(900 + k, 40)}</p>" for k in range(3))
    pages = {
        "/": _page("All in one", f"{top}<div>{''.join(map(block, reversed(notes)))}</div>"),
        "/about.html": _page("About", f"{top}<h2>About me</h2>{about}"),
    }
    return Diary(pages, _feed(list(reversed(notes[-10:])), base), tuple(notes))


def months_and_pages(base: str = "", count: int = 40) -> Diary:
    """A page a month, linked from an archive page, with whole entries; each entry has a page of its
    own as well, which only the line below it leads to.
    """
    notes = _notes(count, 67, lambda number, date, title: f"/entry/{number + 1:03}.html")
    months = [(m, list(some)) for m, some in groupby(notes, key=lambda n: f"{n.date:%Y-%m}")]
    foot = '<p><a href="/archive.html">All months</a> <a href="/">Home</a></p>'

    def block(n: Note, more: str = "") -> str:
        text = "".join(f"<p>{line}</p>\n" for line in n.paragraphs)
        posted = f'<p class="posted">Posted on {n.date:%B %d, %Y at %H:%M}{more}</p>'
        return f'<div class="item"><h3>{n.title}</h3>\n{text}{posted}</div>'

    def page(name: str, body: str) -> str:
        return _page(f"Diary: {name}", f"<h1>Diary</h1>{body}{foot}")

    pages = {n.path: page(n.title or "", block(n)) for n in notes}
    for month, some in months:
        blocks = [block(n, f' | <a href="{n.path}">Permalink</a>') for n in some]
        pages[f"/{month}.html"] = page(month, "".join(blocks))
    links = "".join(f'<li><a href="/{month}.html">{month}</a></li>' for month, _ in months)
    pages["/archive.html"] = page("archive", f"<ul>{links}</ul>")
    pages["/"] = page("welcome", "<p>Welcome to it all.</p>")
    return Diary(pages, _feed(list(reversed(notes[-10:])), base), tuple(notes))


KINDS: tuple[Callable[..., Diary], ...] = (
    names_and_rules,
    days_and_boxes,
    tails_and_breaks,
    headings_and_slugs,
    months_and_days,
    days_and_times,
)
