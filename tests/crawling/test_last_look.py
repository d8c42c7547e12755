"""Older posts that only a browser shows, in ways that the markup does not give away."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.crawling.blog import entries, page, put, write_blog
from tests.crawling.crawling import crawl, rows
from tests.rendering.browsing import needs_browser
from tests.server import Server

COUNT, SHOWN = 20, 10
SCRIPTS = {
    "appends": """var known = %s; window.addEventListener('scroll', () => { for (const a of
        known.splice(0)) document.querySelector('main').insertAdjacentHTML('beforeend', a); });""",
    "writes": "var known = %s; document.write(known.join(''))",
}


def write(root: Path, way: str, base: str) -> None:
    """A blog whose feed and start page show half of its posts, and a script the others."""
    posts = entries(COUNT)
    write_blog(root, posts, base=base, feed=SHOWN, per_page=COUNT)
    items = [f"<li><a href='{e.path}'>{e.title}</a></li>" for e in reversed(posts)]
    hidden = b64encode("\n".join(items[SHOWN:]).encode()).decode()
    script = SCRIPTS[way] % f"atob('{hidden}').split('\\n')"
    put(root, "/about/", page("About", "<h1>About</h1><p>Notes that I take.</p>"))
    put(root, "/tag/kettle/", page("kettle", "<h1>kettle</h1>"))
    main = f"<h1>Notes</h1><ul>{''.join(items[:SHOWN])}</ul><script>{script}</script>"
    put(root, "/", page("Notes", main + "<p style='height: 3000px'>"))


@needs_browser
@pytest.mark.parametrize("way", SCRIPTS)
def test_older_posts_that_a_script_shows_are_archived(tmp_path: Path, way: str) -> None:
    (root := tmp_path / "site").mkdir()
    with Server(root) as server:
        write(root, way, server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive", render="auto")
    assert len(rows(tmp_path / "archive")) == COUNT
    assert row.report["completeness"]["share"] > 0.95


def test_newest_posts_alone_have_no_figure_without_a_browser(tmp_path: Path) -> None:
    (root := tmp_path / "site").mkdir()
    with Server(root) as server:
        write(root, "appends", server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive", render="never")
    found = row.report["completeness"]
    assert len(rows(tmp_path / "archive")) == SHOWN
    assert (found["share"], found["status"]) == (None, "unknown")
    assert "all 10 posts are in the feed or on the start page" in found["reasons"][0]


@needs_browser
def test_list_whose_clicks_lead_to_another_page_was_not_read_to_its_end(tmp_path: Path) -> None:
    """Each page leads to the next one by a function only: those between are not known."""
    (root := tmp_path / "site").mkdir()
    posts = list(reversed(entries(COUNT + 4)))
    with Server(root) as server:
        write_blog(root, posts[::-1], base=server.url.rstrip("/"), feed=6, per_page=COUNT + 4)
        put(root, "/tag/kettle/", page("kettle", "<h1>kettle</h1>"))
        for number in range(4):
            some = posts[6 * number : 6 * number + 6]
            items = "".join(f"<li><a href='{e.path}'>{e.title}</a></li>" for e in some)
            onward = f"location = '/list-' + {number + 1} + '/'; return false"
            older = f'<a href="#" onclick="{onward}">Older posts</a><script>var a</script>'
            put(
                root,
                f"/list-{number}/" if number else "/",
                page("Notes", f"<ul>{items}</ul>{older}"),
            )
        row = crawl(server.url, tmp_path / "archive", render="auto")
    found = row.report["completeness"]
    assert len(rows(tmp_path / "archive")) < COUNT + 4
    assert found["share"] is None and "only by clicks" in found["reasons"][0]


@pytest.mark.parametrize("has_slugs", [False, True])
def test_posts_in_the_data_of_a_script_need_no_browser(tmp_path: Path, *, has_slugs: bool) -> None:
    """An application has all entries of its list in the page, and draws the newest."""
    (root := tmp_path / "site").mkdir()
    posts = entries(COUNT)
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=SHOWN, per_page=COUNT)
        put(root, "/tag/kettle/", page("kettle", "<h1>kettle</h1>"))
        for entry in posts if has_slugs else ():
            (root / entry.path.strip("/") / "index.html").rename(
                root / f"{slug_of(entry.path)}.html"
            )
        known = [{"slug": slug_of(e.path)} if has_slugs else {"href": e.path} for e in posts]
        data = json.dumps({"props": {"posts": known}})
        places = [f"/{slug_of(e.path)}.html" if has_slugs else e.path for e in posts]
        items = "".join(f"<li><a href='{place}'>A note</a></li>" for place in places[-SHOWN:])
        script = f"<script id=__NEXT_DATA__ type=application/json>{data}</script>"
        put(root, "/", page("Notes", f"<ul>{items}</ul>{script}"))
        feed = root / "feed.xml"
        text = feed.read_text("utf-8")
        for entry, place in zip(posts, places, strict=True):
            text = text.replace(entry.path, place)
        feed.write_text(text, "utf-8")
        crawl(server.url, tmp_path / "archive", render="never")
    assert len(rows(tmp_path / "archive")) == COUNT


def slug_of(path: str) -> str:
    return path.strip("/").rpartition("/")[2]


@pytest.mark.parametrize(
    ("on_list", "status"),
    [
        ("<script>addEventListener('scroll', () => fetch('/more').then(add)); function add(r) {"
         " list.append(r) }</script>", "unknown"),
        ("<script>addEventListener('scroll', () => list.classList.add('small'))</script>",
         "complete"),
    ],
)  # fmt: skip
def test_list_that_a_script_makes_longer_has_no_figure_without_a_browser(
    tmp_path: Path, on_list: str, status: str
) -> None:
    """Six posts on a start page, without a feed: as many as the blog has, or as a page has."""
    (root := tmp_path / "site").mkdir()
    with Server(root) as server:
        write_blog(root, entries(6), base=server.url.rstrip("/"), feed=0, per_page=6)
        start = (root / "index.html").read_text("utf-8")
        put(root, "/", start.replace("</body>", f"{on_list}</body>"))
        row = crawl(server.url, tmp_path / "archive", render="never")
    assert len(rows(tmp_path / "archive")) == 6
    assert row.report["completeness"]["status"] == status


def test_label_that_a_script_draws_hides_nothing_where_the_pager_has_all(tmp_path: Path) -> None:
    (root := tmp_path / "site").mkdir()
    drawn = "<!doctype html><title>kettle</title><div id=root></div><script src=/a.js></script>"
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), feed=0)
        put(root, "/tag/kettle/", drawn)
        row = crawl(server.url, tmp_path / "archive", render="never")
    found = row.report["completeness"]
    assert len(rows(tmp_path / "archive")) == COUNT
    assert found["status"] in {"complete", "nearly complete"}, found


def write_labels(root: Path, base: str) -> None:
    """A blog whose start page and labels show eight posts each, and more by a script: numbers next
    to the labels are all that says how many there are."""
    posts = list(reversed(entries(30)))
    write_blog(root, posts[::-1], base=base, feed=0, per_page=40)
    labels = {"kettle": posts[2:16], "rain": posts[16:28]}
    for name, some in {"": posts, **labels}.items():
        items = [f"<li><a href='{e.path}'>{e.title}</a></li>" for e in some]
        parts = ["".join(items[at : at + 8]) for at in range(0, len(items), 8)]
        turns = "".join(f"<span class=jump>{n + 1}</span>" for n in range(len(parts)))
        hidden = b64encode("\n".join(parts).encode()).decode()
        script = f"""var parts = atob('{hidden}').split('\\n');
            document.querySelectorAll('.jump').forEach((e, n) => e.onclick =
            () => document.querySelector('.all').innerHTML = parts[n]);"""
        body = f"<ul class=all>{parts[0]}</ul><div>{turns}</div>"
        for label, of in labels.items():
            body += f'<p><a href="/tag/{label}/"><b>{label}</b> <span>{len(of)}</span></a></p>'
        put(root, f"/tag/{name}/" if name else "/", page(name, f"{body}<script>{script}</script>"))


def test_lists_shorter_than_stated_show_that_posts_are_lost(tmp_path: Path) -> None:
    (root := tmp_path / "site").mkdir()
    with Server(root) as server:
        write_labels(root, server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive", render="never")
        again = crawl(server.url, tmp_path / "archive", render="never", spider="updatecrawl")
    known = len(rows(tmp_path / "archive"))
    found = row.report["completeness"]
    assert known < 28 and found["status"] == "incomplete" and found["share"] < 0.9
    assert again.report["completeness"]["share"] == found["share"], "an update reads no lists"


@needs_browser
def test_lists_shorter_than_stated_are_opened_in_a_browser(tmp_path: Path) -> None:
    (root := tmp_path / "site").mkdir()
    with Server(root) as server:
        write_labels(root, server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive", render="auto")
    assert len(rows(tmp_path / "archive")) == 30
    assert row.report["completeness"]["share"] > 0.95
