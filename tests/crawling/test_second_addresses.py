"""Posts that a blog serves at several addresses: one record each, whichever was read first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.crawling.blog import Entry, entries
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

POSTS = 14


def story(entry: Entry) -> str:
    """A post as b2 wrote it: its sign leads to one address, its comments to another."""
    own, said = (
        f"/index.php?p={entry.number}{more}" for more in ("&amp;more=1&amp;c=1", "&amp;c=1")
    )
    text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
    return (
        f"<h2>{entry.date:%A %d %B %Y}</h2><div class=storytitle>{entry.title} "
        f'<a href="{own}" title="permanent link">#</a></div><div class=story>{text}</div>'
        f'<div class=feedback><a href="{said}#comments">comments (0)</a></div>'
    )


def answers(posts: Sequence[Entry]) -> list[Rule]:
    """Months with whole posts, and each post at three addresses."""
    months: dict[str, list[Entry]] = {}
    for entry in posts:
        months.setdefault(f"{entry.date:%Y%m}", []).append(entry)
    links = "".join(f'<a href="/index.php?m={month}">{month}</a><br>' for month in months)

    def page(title: str, inner: str) -> str:
        return (
            f"<title>{title}</title><div id=header><a href=/index.php>The Port</a></div>"
            f"<div id=content>{inner}</div><div id=menu>{links}</div>"
        )

    pages = {
        f"/index.php?m={month}": page("The Port", "".join(map(story, some)))
        for month, some in months.items()
    }
    pages["/"] = pages["/index.php"] = page("The Port", "".join(map(story, posts[-4:])))
    for entry in posts:
        own = page(f"The Port - {entry.title}", f"{story(entry)}<h3>Comments</h3>")
        for more in ("", "&c=1", "&more=1&c=1"):
            pages[f"/index.php?p={entry.number}{more}"] = own
    found = [Rule(path=re.escape(path), body=body) for path, body in pages.items()]
    return [*found, Rule(path=".*", status=404)]


def test_post_refused_at_its_second_address_is_read_at_the_first(tmp_path: Path) -> None:
    """At the address of its comments a post seems a list of one: its title leads elsewhere."""
    (tmp_path / "site").mkdir()
    posts = entries(POSTS)
    with Server(tmp_path / "site", answers(posts)) as server:
        crawl(server.url, tmp_path / "archive")
    numbers = [re.search(r"[?&]p=(\d+)", path) for path in rows(tmp_path / "archive")]
    assert sorted(int(found[1]) for found in numbers if found) == list(range(POSTS))
