"""Whole crawls of a blog with albums of pictures next to it, made by another program."""

from __future__ import annotations

from pathlib import Path

from tests.crawling.blog import Entry, entries, page, png, put
from tests.crawling.blog import rss as feed_of
from tests.crawling.crawling import crawl, rows
from tests.server import Server

THEME = '<div class="masthead" id="top">Notes by Ada</div><div class="column" id="main">{}</div>'
POST = (
    '<article class="note" id="note"><h1 class="name">{title}</h1><time datetime="{time}">{day}'
    '</time><div class="text">{text}</div></article>'
)
FOOT = '<p>Pictures by Ada. <a href="/pictures/terms.html">Terms of use</a></p>'
SAID = (
    "We went there by the early train, in the rain, with two umbrellas and a kettle, and took more "
    "pictures than we had meant to, of which these are the ones that are not of the umbrellas."
)
ALBUMS, PICTURES = 12, 5


def write(root: Path, posts: list[Entry], base: str) -> set[str]:
    """Write a blog and its albums, to which a post leads; return the paths of all posts."""
    newest = list(reversed(posts))
    for entry in posts:
        text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
        if entry == newest[0]:
            text += '<p>See <a href="/pictures/">all my pictures</a>.</p>'
        day = f"{entry.date:%d %B %Y}"
        body = POST.format(title=entry.title, time=entry.datetime, day=day, text=text)
        put(root, entry.path, page(entry.title, THEME.format(body)))
    heads = "".join(f'<h2><a href="{entry.path}">{entry.title}</a></h2>' for entry in newest)
    put(root, "/", page("Notes", THEME.format(heads)))
    (root / "feed.xml").write_text(feed_of(newest[:10], base), "utf-8")
    write_albums(root)
    return {entry.path.rstrip("/") for entry in posts}


def write_albums(root: Path) -> None:
    albums = range(ALBUMS)
    shown = "".join(f'<p><a href="walk{n}/">Walk number {n}</a></p>' for n in albums)
    put(root, "/pictures/", f"<h1>Pictures</h1>{shown}{FOOT}")
    (root / "pictures" / "p.png").write_bytes(png(1))
    for n in albums:
        links = "".join(
            f'<a href="p{k}/"><img src="/pictures/p.png" alt="{k}"></a><br>Picture {k}'
            for k in range(PICTURES)
        )
        put(root, f"/pictures/walk{n}/", f"<h1>Walk number {n}</h1><p>{SAID}</p>{links}{FOOT}")
        for k in range(PICTURES):
            near = f'<a href="../">Album</a> <a href="../p{(k + 1) % PICTURES}/">Next</a>'
            picture = f'<img src="/pictures/p.png" alt="{k}"><br>Number {k}. {SAID}<p>{near}</p>'
            put(
                root, f"/pictures/walk{n}/p{k}/", f"<h1>Picture {k} of walk {n}</h1>{picture}{FOOT}"
            )


def test_albums_next_to_a_blog_are_not_archived(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        paths = write(site, entries(22), server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive")
    assert paths <= rows(tmp_path / "archive").keys()
    assert not [path for path in rows(tmp_path / "archive") if path.startswith("/pictures/walk")]
    assert row.report["completeness"]["share"] > 0.95
