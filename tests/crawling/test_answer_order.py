"""The posts of an archive depend on the blog, never on the order in which its server answers."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tests.crawling.blog import Entry, page, put, rss
from tests.crawling.crawling import crawl, rows
from tests.engines.truth import WORDS
from tests.server import Rule, Server

SECTIONS = ["kitchen", "garden", "radio", "garden", "maps", "kitchen", "radio", "kitchen"] * 4
RARE = {3: "letters", 11: "rivers", 17: "journeys"}
"""Sections of one post each, by the post's number."""
DRAWINGS = "ink chalk pencil charcoal crayon oil wax gouache pastel lino".split()
"""Folders of pages with a picture only, which posts lead to as they do to posts."""


@dataclass(frozen=True)
class Filed(Entry):
    """A post in the folder of its section."""

    section: str = ""

    @property
    def path(self) -> str:
        name = "what-i-wrote-that-week" if self.section in RARE.values() else "post-about"
        return f"/{self.section}/{name}-{self.number}-{WORDS['en'][self.number]}/"


def _drawing(number: int) -> str:
    return f"/{DRAWINGS[number % len(DRAWINGS)]}/what-i-drew-that-week-{number}-{number * 7}/"


def write_sections(root: Path, base: str, per_page: int = 6) -> list[Filed]:
    """Write a blog whose feed and first list have the large sections only."""
    names = [RARE.get(number, name) for number, name in enumerate(SECTIONS)]
    posts = [Filed(number, section=name) for number, name in enumerate(names)]
    newest = list(reversed(posts))
    for entry in posts:
        near = posts[(entry.number * 7 + 5) % len(posts)]
        body = (
            f'<article><h1>{escape(entry.title)}</h1><time datetime="{entry.datetime}">'
            f'{entry.date:%d %B %Y}</time><p class="in"><a href="/category/{entry.section}/">'
            f"{entry.section}</a></p><div>{''.join(f'<p>{p}</p>' for p in entry.paragraphs)}"
            f'<p>More <a href="{near.path}">here</a>, drawn '
            f'<a href="{_drawing(near.number)}">here</a> and '
            f'<a href="{_drawing(near.number + 1)}">here</a>.</p></div>'
            f'<p class="tags"><a rel="tag" href="/tag/word-{entry.number}/">word</a></p></article>'
        )
        put(root, entry.path, page(entry.title, body))
        put(root, f"/tag/word-{entry.number}/", page("Tag", f'<a href="{entry.path}">One</a>'))
        put(root, _drawing(entry.number), page("Drawing", "<img src=/img/1.png>"))
    for name in dict.fromkeys(names):
        items = "".join(f'<h2><a href="{e.path}">x</a></h2>' for e in newest if e.section == name)
        put(root, f"/category/{name}/", page(name, items))
    last = -(-len(newest) // per_page)
    for number in range(1, last + 1):
        some = newest[(number - 1) * per_page : number * per_page]
        items = "".join(
            f'<article><h2><a href="{e.path}">{escape(e.title)}</a></h2>'
            f"<p>{escape(e.paragraphs[0])}</p></article>"
            for e in some
        )
        pager = "".join(f'<a href="/page/{n}/">{n}</a> ' for n in range(2, last + 1))
        put(root, "/" if number == 1 else f"/page/{number}/", page("Notes", items + pager))
    put(root, "/about/", page("About", "<h1>About</h1><p>These are small notes.</p>"))
    (root / "feed.xml").write_text(rss(newest[:8], base), "utf-8")
    return posts


def in_an_order(root: Path, seed: int) -> list[Rule]:
    """Let every page take a time of its own to come."""
    chance = random.Random(seed)
    paths = sorted(f"/{file.parent.relative_to(root)}/" for file in root.rglob("index.html"))
    return [
        Rule(path=re.escape(path), delay=chance.choice((0.0, 0.05, 0.2)))
        for path in paths
        if path != "/./"
    ]


def test_three_orders_of_answers_give_the_same_posts(root: Path, tmp_path: Path) -> None:
    found = []
    with Server(root) as server:
        posts = write_sections(root, server.url.rstrip("/"))
        for seed, at_once in ((1, 16), (2, 4), (3, 16)):
            server.rules = in_an_order(root, seed)
            archive = tmp_path / str(seed)
            crawl(server.url, archive, extra={"CONCURRENT_REQUESTS_PER_DOMAIN": at_once})
            found.append({path.rstrip("/") for path in rows(archive)})
    assert found == [{entry.path.rstrip("/") for entry in posts}] * 3
