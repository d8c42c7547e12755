"""Whole crawls of small blogs in the manner of engines whose addresses and heads mislead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from tests.crawling.blog import Entry, entries
from tests.crawling.crawling import crawl, post, rows
from tests.server import Rule, Server


def served(pages: Mapping[str, str]) -> list[Rule]:
    found = [Rule(path=re.escape(path), body=body) for path, body in pages.items()]
    return [*found, Rule(path=".*", status=404)]


def text_of(entry: Entry) -> str:
    return "".join(f"<p>{line}</p>" for line in entry.paragraphs)


def test_posts_named_by_a_word_and_a_number(tmp_path: Path) -> None:
    """BlogFa's ``/post/46`` next to months of the Persian calendar, without a feed; the pager is
    known for a list only when its second page has been read."""
    posts = entries(26)[2:]  # of the year 1402 from its last months on
    months = {n: f"/140{2 + n // 12}/{n % 12 + 1:02}" for n in range(9, 14)}

    def page(title: str, inner: str) -> str:
        links = "".join(f"<li><a href={path}>{path[1:]}</a></li>" for path in months.values())
        return (
            f"<title>{title}</title><h1><a href=/>Notes</a></h1><div id=content>{inner}</div>"
            f"<ul id=side><li><a href=/profile/>Profile</a></li>{links}</ul>"
        )

    def story(entry: Entry) -> str:
        return (
            f"<div class=post><h2><a href=/post/{entry.number}>{entry.title}</a></h2>"
            f"<div class=body>{text_of(entry)}</div>"
            f"<div class=footer>{entry.date:%d %B %Y}, {entry.date:%H:%M}</div></div>"
        )

    pages = {"/profile/": page("Profile", "<p>I live by the sea.</p>")}
    shown = posts[::-1]
    for start in range(0, len(shown), 6):
        number = start // 6 + 1
        older = f"<a href=/page/{number + 1}>older posts</a>" if start + 6 < len(shown) else ""
        path = f"/page/{number}" if start else "/"
        pages[path] = page("Notes", "".join(map(story, shown[start : start + 6])) + older)
    for number, path in enumerate(months.values()):
        pages[path] = page("Notes", "".join(map(story, posts[5 * number : 5 * number + 5])))
    for entry in posts:
        pages[f"/post/{entry.number}"] = page(f"Notes - {entry.title}", story(entry))
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site", served(pages)) as server:
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {f"/post/{entry.number}" for entry in posts}
    assert row.report["completeness"]["share"] > 0.95


def test_post_without_a_title_has_none_though_its_page_has(tmp_path: Path) -> None:
    """A blog of short notes: the head of a page has the first words of its text."""
    posts = entries(20)

    def is_titled(entry: Entry) -> bool:
        return entry.number % 4 == 0

    def path(entry: Entry) -> str:
        slug = f"story-{entry.number}" if is_titled(entry) else f"{entry.date:%H%M%S}"
        return f"/{entry.date:%Y/%m/%d}/{slug}.html"

    def note(entry: Entry) -> str:
        head = f"<h1><a href={path(entry)}>{entry.title}</a></h1>" if is_titled(entry) else ""
        text = text_of(entry) if is_titled(entry) else f"<p>{entry.paragraphs[0]}</p>"
        return (
            f"<div class=note>{head}<div class=words>{text}</div><a href={path(entry)}>"
            f"<time datetime={entry.datetime}>{entry.date:%d %b %Y}</time></a></div>"
        )

    def page(title: str, inner: str) -> str:
        return (
            f"<title>{title}</title><link rel=alternate type=application/rss+xml href=/feed.xml>"
            f"<h2 class=masthead><a href=/>Ona Reed</a></h2>{inner}"
        )

    items = "".join(
        f"<item><title>{entry.title if is_titled(entry) else ''}</title>"
        f"<link>{{base}}{path(entry)}</link><pubDate>{entry.pub_date}</pubDate><description>"
        f"<![CDATA[{text_of(entry) if is_titled(entry) else entry.paragraphs[0]}]]></description>"
        "</item>"
        for entry in posts[:-9:-1]
    )
    feed = f'<rss version="2.0"><channel><title>Ona</title>{items}</channel></rss>'
    pages = {
        path(entry): page(
            (entry.title if is_titled(entry) else entry.paragraphs[0][:40]) + " - Ona Reed",
            note(entry),
        )
        for entry in posts
    }
    pages["/"] = page("Ona Reed", "".join(map(note, reversed(posts))))
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        pages["/feed.xml"] = feed.replace("{base}", server.url.rstrip("/"))
        server.rules = served(pages)
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert found.keys() == {path(entry) for entry in posts}
    titles = {post(tmp_path / "archive", found[path(e)]).title for e in posts if not is_titled(e)}
    assert titles == {None}


def test_page_that_only_the_menu_leads_to_is_no_lost_post(tmp_path: Path) -> None:
    """The template of posts made the page about the blog, and the sitemap lists it as it lists
    posts; the start page and the archive list all posts, and it is in their menu only."""
    posts = entries(8)
    menu = "<header><nav><a href=/archive/>Archive</a> <a href=/about/>About</a></nav></header>"

    def page(title: str, inner: str) -> str:
        return (
            f"<title>{title} - Ona</title><link rel=alternate type=application/rss+xml "
            f"href=/feed.xml>{menu}<main>{inner}</main>"
        )

    def story(title: str, day: str, text: str) -> str:
        return (
            f"<article class=post><h1 class=head>{title}</h1><time datetime={day}>{day[:10]}</time>"
            f"<div class=words>{text}</div></article>"
        )

    pages = {e.path: page(e.title, story(e.title, e.datetime, text_of(e))) for e in posts}
    pages["/about/"] = page("About", story("About", posts[0].datetime, "<p>Nothing here yet."))
    shown = "".join(
        f"<li><article class=entry><h2>{e.title}</h2><footer><a href={e.path}>Read more</a>"
        "</footer></article>"
        for e in reversed(posts)
    )
    pages["/"] = page("Home", f"<ul>{shown}</ul>")
    links = "".join(f"<li><a href={e.path}>{e.title}</a>" for e in reversed(posts))
    pages["/archive/"] = page("Archive", f"<ul>{links}</ul>")
    items = "".join(
        f"<item><title>{e.title}</title><link>{{base}}{e.path}</link><pubDate>{e.pub_date}"
        f"</pubDate><description><![CDATA[{text_of(e)}]]></description></item>"
        for e in posts[:-5:-1]
    )
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        base = server.url.rstrip("/")
        feed = f'<rss version="2.0"><channel><title>Ona</title>{items}</channel></rss>'
        pages["/feed.xml"] = feed.replace("{base}", base)
        urls = "".join(f"<url><loc>{base}{path}</loc></url>" for path in pages)
        pages["/sitemap.xml"] = f"<urlset>{urls}</urlset>"
        server.rules = served(pages)
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in posts}
    assert row.report["completeness"]["reasons"] == []


def test_feed_that_only_a_section_announces_gives_the_time_zone(tmp_path: Path) -> None:
    """No feed of the blog's own; posts show the local time, without its offset. All zones of that
    offset have no summer time."""
    posts = entries(24)
    zone = timezone(timedelta(hours=9))
    local = {entry.number: entry.date.astimezone(zone) for entry in posts}
    folder = {entry: f"/news/{('town', 'world')[entry.number % 2]}" for entry in posts}
    path = {e: f"{folder[e]}/{local[e.number]:%Y%m%d}/n{e.number}/" for e in posts}

    def page(title: str, inner: str, head: str = "") -> str:
        menu = "<ul id=menu><li><a href=/news/town/>Town</a><li><a href=/news/world/>World</a></ul>"
        return f"<title>{title}</title>{head}{menu}<div id=main>{inner}</div>"

    def links(some: list[Entry]) -> str:
        return "".join(f"<h3><a href={path[e]}>{e.title}</a></h3>" for e in reversed(some))

    pages = {
        path[e]: page(
            e.title,
            f"<h1>{e.title}</h1><span class=made>{local[e.number]:%d/%m/%Y - %H:%M}</span>"
            f"<div class=words>{text_of(e)}</div>",
        )
        for e in posts
    }
    pages["/"] = page("News", links(posts[-12:]))
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        for number, name in enumerate(("/news/town", "/news/world"), 1):
            own = [e for e in posts if folder[e] == name]
            head = (
                "<link rel=alternate type=application/rss+xml title=RSS "
                f"href=/taxonomy/term/{number}/feed/>"
            )
            pages[f"{name}/"] = page(name, links(own), head)
            items = "".join(
                f"<item><title>{e.title}</title><link>{server.url.rstrip('/')}{path[e]}</link>"
                f"<pubDate>{e.pub_date}</pubDate><description>{e.paragraphs[0][:60]}</description>"
                "</item>"
                for e in own[:-7:-1]
            )
            feed = f'<rss version="2.0"><channel><title>{name}</title>{items}</channel></rss>'
            pages[f"/taxonomy/term/{number}/feed/"] = feed
        server.rules = served(pages)
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert found.keys() == {url.rstrip("/") for url in path.values()}
    shown = {e: found[path[e].rstrip("/")] for e in posts}
    days = {e.number: post(tmp_path / "archive", shown[e]).published for e in posts}
    assert days == {e.number: local[e.number].replace(second=0) for e in posts}


def test_log_of_another_engine_is_archived_with_its_titles(tmp_path: Path) -> None:
    """A daily log of 2001 next to today's blog: font sizes for headings, one name for all pages,
    titles in the lists of months only."""
    new, old = entries(12), [Entry(n, slug=f"{n}") for n in range(201, 210)]
    folder = {entry: f"/log/{entry.number // 3:04}" for entry in old}
    paths = {entry: f"{folder[entry]}/{entry.number % 3 + 10}.html" for entry in old}

    def page(title: str, inner: str) -> str:
        return (
            f"<title>{title}</title><link rel=alternate type=application/rss+xml href=/feed.xml>"
            "<header><a href=/>Tom</a> <nav><a href=/log/>Old log</a></nav></header>"
            f"<main>{inner}</main>"
        )

    def log(inner: str) -> str:
        return (
            "<title>the daily log</title><table><tr><td><font size=5>the daily log</font></td></tr>"
            f"<tr><td><a href=/log/>index</a></td><td>{inner}</td></tr></table>"
        )

    pages = {
        "/log/": log("".join(f"<br><a href={f}/>{f}</a>" for f in dict.fromkeys(folder.values())))
    }
    for entry in old:
        same = [e for e in old if folder[e] == folder[entry]]
        links = "".join(f"<li><a href={paths[e]}>{e.title}</a></li>" for e in same)
        pages[folder[entry] + "/"] = log(f"<b>The month</b><ul>{links}</ul>")
        lines = entry.paragraphs[: 1 + 3 * (entry.number % 4 > 0)]
        pages[paths[entry]] = log(
            f"<b>{entry.date:%A, %d %B %Y}</b><p><font size=4>{entry.title}</font>"
            f"<p>{'<p>'.join(lines)}<p><a href={folder[entry]}/>back to the month</a>"
        )
    items = ""
    for entry in new:
        pages[entry.path] = page(
            entry.title,
            f"<article><h1>{entry.title}</h1><time datetime={entry.datetime}>"
            f"{entry.date:%d %b %Y}</time><div class=c>{text_of(entry)}</div></article>",
        )
        items += (
            f"<item><title>{entry.title}</title><link>{{base}}{entry.path}</link><pubDate>"
            f"{entry.pub_date}</pubDate><description><![CDATA[{text_of(entry)}]]></description></item>"
        )
    links = "".join(f"<li><a href={entry.path}>{entry.title}</a></li>" for entry in new)
    pages["/"] = page("Tom", f"<ul>{links}</ul>")
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        feed = f'<rss version="2.0"><channel><title>Tom</title>{items}</channel></rss>'
        pages["/feed.xml"] = feed.replace("{base}", server.url.rstrip("/"))
        server.rules = served(pages)
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert set(paths.values()) <= found.keys()
    titles = {path: post(tmp_path / "archive", found[path]).title for path in paths.values()}
    assert titles == {path: entry.title for entry, path in paths.items()}


@pytest.mark.parametrize(
    ("names", "day"),
    [
        (("about", "2001", "feed", "login", "404", "archive", "node.js", "contact"), "%Y-%m-%d "),
        (("about", "login", "404", "privacy-policy"), ""),
    ],
)
def test_posts_that_are_called_as_other_pages_are_posts_where_posts_are_listed(
    tmp_path: Path, names: tuple[str, ...], day: str
) -> None:
    """With their day in the list, or made as posts are."""
    posts = entries(30)
    slugs = {entry: f"walk-no-{entry.number}-by-the-sea" for entry in posts}
    slugs |= dict(zip(posts[::3], names, strict=False))

    def page(title: str, inner: str) -> str:
        menu = "<li><a href=/about>About</a></li><li><a href=/contact>Contact</a></li>"
        return (
            "<link rel=alternate type=application/rss+xml href=/feed.xml>"
            f"<title>{title}</title><ul>{menu}</ul><div>{inner}</div>"
        )

    def line(entry: Entry) -> str:
        return f"<li>{entry.date.strftime(day)}<a href=/post/{slugs[entry]}>{entry.title}</a></li>"

    pages = {
        f"/post/{slugs[entry]}": page(
            entry.title,
            f"<h1>{entry.title}</h1><p class=day>{entry.date:%d %B %Y}</p>"
            f"<div class=text>{text_of(entry)}</div>",
        )
        for entry in posts
    }
    pages["/"] = page("Walks", f"<ul>{''.join(map(line, posts[::-1]))}</ul>")
    pages["/about"] = page("About", "<h1>About</h1><p>I live by the sea.</p>")
    pages["/contact"] = page("Contact", "<h1>Contact</h1><p>Write to me.</p>")
    items = "".join(
        f"<item><title>{entry.title}</title><link>{{base}}/post/{slugs[entry]}</link>"
        f"<pubDate>{entry.pub_date}</pubDate></item>"
        for entry in posts[-3:-12:-1]
        if slugs[entry].startswith("walk")
    )
    feed = f'<rss version="2.0"><channel><title>Walks</title>{items}</channel></rss>'
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        pages["/feed.xml"] = feed.replace("{base}", server.url.rstrip("/"))
        server.rules = served(pages)
        crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {f"/post/{slug}" for slug in slugs.values()}
