"""The posts of an archive depend on the blog, never on the order in which its server answers."""

from __future__ import annotations

import gzip
import random
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.storage.state import open_state
from tests import forked
from tests.crawling.blog import Entry, entries, page, put, rss
from tests.crawling.crawling import crawl, faults, rows, versions
from tests.crawling.test_crash import CHILD
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


def _twice(posts: Sequence[Entry], seed: int) -> list[Rule]:
    """A blog without a feed, with each post at two addresses: lists lead to one, posts and months
    to the other; the order of all links is as the ``seed`` has it, and so are the delays."""
    chance = random.Random(seed)

    def page_of(title: str, inner: str, links: list[str]) -> str:
        chance.shuffle(links)
        menu = "".join(f'<li><a href="{link}">{link[-9:]}</a></li>' for link in links)
        return f"<title>{title}</title><main>{inner}</main><ul>{menu}</ul>"

    short = {entry.number: f"/view.php?id={entry.number}" for entry in posts}
    pages = {"/": page_of("The Port", "", ["/all.html", "/months.html"])}
    pages["/all.html"] = page_of("All", "", [short[entry.number] for entry in posts])
    pages["/months.html"] = page_of("Months", "", [entry.path for entry in posts])
    for entry in posts:
        near = posts[(entry.number + 3) % len(posts)]
        text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
        own = page_of(
            entry.title,
            f"<h1>{entry.title}</h1><p>{entry.date:%d %B %Y}</p><div class=text>{text}</div>",
            [short[near.number], near.path, "/all.html", "/months.html"],
        )
        pages[entry.path] = pages[short[entry.number]] = own
    found = [
        Rule(path=re.escape(path), body=body, delay=chance.random() ** 3 / 10)
        for path, body in pages.items()
    ]
    return [*found, Rule(path=".*", status=404)]


@pytest.mark.parametrize("seed", range(3))
def test_second_addresses_are_no_records_whichever_was_read_first(
    tmp_path: Path, seed: int
) -> None:
    (tmp_path / "site").mkdir()
    posts = entries(14)
    with Server(tmp_path / "site", _twice(posts, seed)) as server:
        done = crawl(server.url, tmp_path / "archive", max_requests_per_host=1 + 3 * seed)
        again = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    found = rows(tmp_path / "archive")
    assert set(found) == {entry.path.rstrip("/") for entry in posts}
    assert done.counts["posts_archived"] == len(posts) and not again.counts["posts_archived"]
    packages = versions(tmp_path / "archive")
    assert len(packages) == len(posts) + 1 and not faults(tmp_path / "archive")
    assert {row.aip_id for row in found.values()} <= packages.keys()


KILLED = """
import os, signal
from blogcrawl.frontier.frontier import Frontier
end, posts = Frontier._end, []

def end_and_die(self, url, state, gain, is_post, **how):
    end(self, url, state, gain, is_post, **how)
    posts.extend([url] * bool(is_post))
    if len(posts) >= {}:
        os.kill(os.getpid(), signal.SIGKILL)

Frontier._end = end_and_die
"""


def _crawl_killed_at(posts: int, server: Server, archive: Path) -> None:
    command = [sys.executable, "-c", KILLED.format(posts) + CHILD, server.url, str(archive)]
    assert forked.run(command).returncode == -signal.SIGKILL


def test_crawl_that_goes_on_replaces_second_addresses_of_its_first_run(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    posts, archive = entries(14), tmp_path / "archive"
    rules = _twice(posts, 2)
    with Server(tmp_path / "site", rules) as server:
        server.rules = [replace(rule, delay=3 * rule.path.startswith("/2024")) for rule in rules]
        _crawl_killed_at(9, server, archive)
        before = rows(archive)
        server.rules = rules
        crawl(server.url, archive)
    assert any("view.php" in path for path in before)
    assert set(rows(archive)) == {entry.path.rstrip("/") for entry in posts}
    assert len(versions(archive)) == len(posts) + 1


def _lists_to_another_host(posts: Sequence[Entry], per_page: int = 6) -> list[Rule]:
    """A blog without a feed whose last list leads on to another host."""
    pages = {}
    last = len(posts) // per_page
    for number in range(1, last + 1):
        some = posts[(number - 1) * per_page : number * per_page]
        items = "".join(f'<h2><a href="{e.path}">{escape(e.title)}</a></h2>' for e in some)
        older = f"/page/{number + 1}/" if number < last else "http://old.example/page/1/"
        items += f'<p class="pager"><a href="{older}">Older posts</a></p>'
        pages["/" if number == 1 else f"/page/{number}/"] = page("Notes", items)
    for entry in posts:
        text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
        head = f'<h1>{escape(entry.title)}</h1><time datetime="{entry.datetime}">x</time>'
        pages[entry.path] = page(entry.title, f"<article>{head}<div>{text}</div></article>")
    found = [Rule(path=re.escape(path), body=body) for path, body in pages.items()]
    return [*found, Rule(path=".*", status=404)]


def _compressed(root: Path, rules: Sequence[Rule]) -> list[Rule]:
    """Let all pages come as most servers send them."""
    for number, rule in enumerate(rules[:-1]):
        (root / f"{number}.gz").write_bytes(gzip.compress((rule.body or "").encode()))
    headers = {"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "gzip"}
    packed = (replace(r, body=None, file=f"{n}.gz", headers=headers) for n, r in enumerate(rules))
    return [*list(packed)[:-1], rules[-1]]


def test_crawl_that_goes_on_learns_no_template_of_compressed_pages(tmp_path: Path) -> None:
    """What its first run has read is read again as it was then."""
    (tmp_path / "site").mkdir()
    rules = _compressed(tmp_path / "site", _lists_to_another_host(entries(24)))
    with Server(tmp_path / "site", rules) as server:
        _crawl_killed_at(18, server, tmp_path / "archive")
        crawl(server.url, tmp_path / "archive")
    with closing(open_state(Config(archive=str(tmp_path / "archive")))) as state:
        (blog,) = state.blogs()
    assert len(rows(tmp_path / "archive")) == 24
    assert blog.learned is not None and blog.learned["generations"] == []


def test_crawl_that_goes_on_states_what_one_without_a_break_states(tmp_path: Path) -> None:
    """What the lists of its first run have shown of the blog is no less known."""
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site", _lists_to_another_host(entries(24))) as server:
        whole = crawl(server.url, tmp_path / "whole")
        _crawl_killed_at(22, server, tmp_path / "broken")
        broken = crawl(server.url, tmp_path / "broken")
    assert rows(tmp_path / "broken").keys() == rows(tmp_path / "whole").keys()
    assert any("old.example" in reason for reason in whole.report["completeness"]["reasons"])
    assert broken.report["completeness"] == whole.report["completeness"]
