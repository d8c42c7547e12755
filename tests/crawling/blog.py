"""A small blog written into a folder, for whole crawls of the spiders: what changes between two
visits is set by arguments.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

from tests.engines.truth import WORDS

START = datetime(2024, 1, 5, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Entry:
    number: int
    text: str = ""
    slug: str = ""

    @property
    def path(self) -> str:
        slug = (
            self.slug or f"post-about-{WORDS['en'][self.number % len(WORDS['en'])]}-{self.number}"
        )
        return f"/{self.date:%Y/%m}/{slug}/"

    @property
    def date(self) -> datetime:
        return START + timedelta(days=5 * self.number)

    @property
    def datetime(self) -> str:
        """As the page writes it for programs."""
        return self.date.isoformat()

    @property
    def pub_date(self) -> str:
        """As the feed writes it."""
        return f"{self.date.astimezone(UTC):%a, %d %b %Y %H:%M:%S} +0000"

    @property
    def title(self) -> str:
        words = WORDS["en"]
        return (
            f"The {words[self.number % len(words)]} and the "
            f"{words[(self.number * 7 + 3) % len(words)]} no. {self.number}"
        )

    @property
    def paragraphs(self) -> list[str]:
        words = WORDS["en"]
        count = len(words)
        lines = [
            " ".join(
                words[(self.number * 13 + line * 17 + i * (line + 3)) % count] for i in range(24)
            )
            + "."
            for line in range(4)
        ]
        return [*lines, self.text] if self.text else lines


def entries(count: int) -> list[Entry]:
    """Oldest first."""
    return [Entry(number) for number in range(count)]


def edited(entry: Entry) -> Entry:
    return replace(
        entry, text="Postscript: the kettle was found again behind the bicycle, and all is well."
    )


def png(number: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    row = b"\x00" + bytes([number % 256, (number * 7) % 256, 128]) * 4
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(row * 4))
        + chunk(b"IEND", b"")
    )


def content(entry: Entry) -> str:
    body = "".join(f"<p>{escape(text)}</p>" for text in entry.paragraphs)
    return body + (
        f'<p><img src="/img/{entry.number % 5}.png" alt="picture"><img src="/img/missing.png"></p>'
    )


def page(title: str, main: str, extra_head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{escape(title)} | Small Notes</title>'
        f'<link rel="alternate" type="application/rss+xml" href="/feed.xml" title="Small '
        f'Notes">{extra_head}</head>'
        '<body><header><a href="/">Small Notes</a></header><nav><a href="/about/">About</a><a '
        'href="/tag/kettle/">kettle</a></nav>'
        f"<main>{main}</main><footer>Copyright the author of these notes</footer></body></html>"
    )


def write_blog(
    root: Path,
    posts: Sequence[Entry],
    *,
    base: str = "",
    feed: int = 10,
    per_page: int = 5,
    sitemap: bool = False,
    theme: str = "old",
) -> None:
    """Write (again) the files of a blog with ``posts`` (oldest first). ``base``: absolute URLs in
    the feed need it.
    """
    newest = list(reversed(posts))
    for entry in posts:
        body = (
            (
                f'<div class="crumbs">Notes / {entry.date:%Y}</div><div id="n{entry.number}" '
                f'class="note"><div class="top"><b class="name">'
                f'{escape(entry.title)}</b><i>{entry.date:%B %d, %Y}</i><u class="who">Ada '
                f"Writer</u></div>"
                f'<div class="txt">{content(entry)}</div>'
                f'<ul class="more"><li>Other notes of this sort</li><li>Written with a pen, and '
                f"then typed</li></ul></div>"
            )
            if theme == "new"
            else (
                f'<article class="post"><h1 class="post-title">{escape(entry.title)}</h1>'
                f'<p class="byline">by <span class="author">Ada Writer</span> on '
                f'<time datetime="{entry.datetime}">{entry.date:%d %B %Y}</time></p>'
                f'<div class="entry">{content(entry)}</div></article>'
            )
        )
        put(root, entry.path, page(entry.title, body))
    for number, start in enumerate(range(0, len(newest), per_page), 1):
        some = newest[start : start + per_page]
        items = "".join(
            f'<h2><a href="{e.path}">{escape(e.title)}</a></h2><p>{escape(e.paragraphs[0])}</p>'
            for e in some
        )
        more = (
            f'<a rel="next" href="/page/{number + 1}/">older notes</a>'
            if start + per_page < len(newest)
            else ""
        )
        put(root, "/" if number == 1 else f"/page/{number}/", page("Notes", items + more))
    put(root, "/about/", page("About", "<h1>About</h1><p>These are small notes.</p>"))
    tagged = "".join(f'<li><a href="{e.path}">{escape(e.title)}</a></li>' for e in newest[:3])
    put(root, "/tag/kettle/", page("kettle", f"<h1>Tag: kettle</h1><ul>{tagged}</ul>"))
    (root / "img").mkdir(exist_ok=True)
    for number in range(5):
        (root / "img" / f"{number}.png").write_bytes(png(number))
    (root / "feed.xml").write_text(rss(newest[:feed], base), "utf-8")
    if sitemap:
        urls = "".join(f"<url><loc>{base}{e.path}</loc></url>" for e in posts)
        (root / "sitemap.xml").write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        )


def put(root: Path, path: str, text: str) -> None:
    file = root / path.strip("/") / "index.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")


def rss(newest: Sequence[Entry], base: str) -> str:
    items = "".join(
        f"<item><title>{escape(e.title)}</title><link>{base}{e.path}</link><guid>{base}{e.path}<"
        f"/guid>"
        f"<pubDate>{e.pub_date}</pubDate><dc:creator>Ada "
        f"Writer</dc:creator>"
        f"<description>{escape(content(e))}</description></item>"
        for e in newest
    )
    return (
        '<?xml version="1.0"?><rss version="2.0" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        f"<title>Small Notes</title><link>{base}/</link><description>notes</description>{items}<"
        f"/channel></rss>"
    )
