"""Whole crawls of blogs with several posts on a page: one answer, many packages; later only what is
new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.config import Config
from blogcrawl.storage.ocfl import open_store
from tests.crawling.blog import entries
from tests.crawling.crawling import crawl, faults, post, rows, versions
from tests.diaries import (
    Diary,
    days_and_boxes,
    days_and_lines,
    days_and_links,
    days_and_numbers,
    days_and_times,
    days_of_months,
    headings_and_slugs,
    months_and_days,
    months_and_pages,
    names_and_rules,
    one_page,
    tails_and_breaks,
)
from tests.server import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as running:
        yield running


def write(server: Server, kind: Callable[..., Diary], count: int) -> Diary:
    assert server.root is not None
    diary = kind(server.url.rstrip("/"), count)
    diary.write(server.root)
    return diary


@pytest.mark.parametrize(
    "kind",
    [names_and_rules, days_and_boxes, tails_and_breaks, headings_and_slugs],
    ids=lambda kind: kind.__name__,
)
def test_every_post_of_multi_post_pages_is_archived_once(
    server: Server, tmp_path: Path, kind: Callable[..., Diary]
) -> None:
    diary = write(server, kind, 30)
    row = crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert found.keys() == {
        note.path.replace("/#", "#") if note.page != "/" else note.path for note in diary.notes
    }
    assert row.counts["posts_archived"] == 30 and row.counts["posts_missing"] == 0
    asked = [path for path in server.paths() if path in diary.pages and path != "/"]
    assert len(asked) == len(set(asked)), "a page is fetched once, however many posts it has"
    assert faults(tmp_path / "archive") == []


@pytest.mark.parametrize(
    "kind",
    [
        *(months_and_days, days_and_times, days_and_links, days_and_numbers),
        *(days_and_lines, days_of_months),
        *(headings_and_slugs, one_page, months_and_pages),
    ],
    ids=lambda kind: kind.__name__,
)
def test_all_posts_archived_without_a_feed(
    server: Server, tmp_path: Path, kind: Callable[..., Diary]
) -> None:
    assert server.root is not None
    diary = kind(server.url.rstrip("/"), 30).without_feed()
    diary.write(server.root)
    row = crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert found.keys() == {note.path for note in diary.notes}
    assert row.report["completeness"]["share"] > 0.95
    for note in diary.notes:
        record = post(tmp_path / "archive", found[note.path])
        assert record.published is not None and record.published.date() == note.date.date()
        assert record.title == note.title
        assert all(line in record.content_text for line in note.paragraphs)


def test_posts_at_addresses_of_days_archived_without_a_feed(server: Server, tmp_path: Path) -> None:
    """A blog named its posts by their days for some months, then by their titles."""
    assert server.root is not None
    posts = entries(18)
    paths = [f"/{n.date:%Y/%m/%d}.html" if n.number < 8 else n.path for n in posts]
    links = "".join(f"<li><a href={path}>{path[1:8]}</a></li>" for path in reversed(paths))
    for entry, path in zip(posts, paths, strict=True):
        text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
        day = f"<time datetime={entry.date:%Y-%m-%d}>{entry.date:%d %B %Y}</time>"
        page = f"<h1>{entry.title}</h1>{day}<div class=text>{text}</div>"
        file = server.root / (
            path.strip("/") if path.endswith(".html") else f"{path}/index.html".strip("/")
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<title>{entry.title}</title><body>{page}<a href=/>Home</a>", "utf-8")
    (server.root / "index.html").write_text(f"<title>Days</title><ul>{links}</ul>", "utf-8")
    crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {path.rstrip("/") for path in paths}


def test_package_of_a_fragment_holds_the_page_unchanged(server: Server, tmp_path: Path) -> None:
    diary = write(server, names_and_rules, 20)
    crawl(server.url, tmp_path / "archive")
    store = open_store(Config(archive=str(tmp_path / "archive")))
    some = [note for note in diary.notes if note.page == diary.notes[0].page][:3]
    found = rows(tmp_path / "archive")
    for note in some:
        record = post(tmp_path / "archive", found[note.path])
        assert (
            record.url.endswith(note.path)
            and record.canonical_url.endswith(note.path)
            and record.title == note.title
        )
        with store.open(
            str(found[note.path].aip_id), "representations/web/data/source.html"
        ) as file:
            assert file.read().decode() == diary.pages[note.page]
    waczs = list((tmp_path / "archive").rglob("*.wacz"))
    assert responses(waczs[0]).count(server.url.rstrip("/") + diary.notes[0].page) == 1


def responses(wacz: Path) -> list[str]:
    import zipfile

    with zipfile.ZipFile(wacz) as package:
        names = [name for name in package.namelist() if name.endswith(".warc.gz")]
        out = []
        for name in names:
            with package.open(name) as file:
                out += [
                    r.rec_headers.get_header("WARC-Target-URI")
                    for r in ArchiveIterator(file)
                    if r.rec_type == "response"
                ]
    return out


def test_update_archives_only_the_new_fragment(server: Server, tmp_path: Path) -> None:
    write(server, names_and_rules, 30)
    crawl(server.url, tmp_path / "archive")
    before = versions(tmp_path / "archive")
    server.clear_log()
    unchanged = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert versions(tmp_path / "archive") == before and unchanged.counts["posts_archived"] == 0
    assert [path for path in server.paths() if path != "/robots.txt"] == ["/feed.xml"]

    diary = write(server, names_and_rules, 31)
    server.clear_log()
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 1 and row.counts["posts_changed"] == 0
    assert [path for path in server.paths() if path != "/robots.txt"] == [
        "/feed.xml",
        diary.notes[-1].page,
    ]
    after = versions(tmp_path / "archive")
    assert (
        sum(count for name, count in after.items() if name in before and count != before[name]) == 2
    )  # the blog's own second version
    assert len(rows(tmp_path / "archive")) == 31


def test_killed_crawl_loses_no_fragment(server: Server, tmp_path: Path) -> None:
    write(server, names_and_rules, 30)
    first = crawl(server.url, tmp_path / "archive", max_posts=7)
    assert first.counts["posts_archived"] == 7
    crawl(server.url, tmp_path / "archive")
    assert len(rows(tmp_path / "archive")) == 30


def test_pages_on_which_no_post_has_its_place_are_counted(server: Server, tmp_path: Path) -> None:
    assert server.root is not None
    diary = months_and_days(server.url.rstrip("/"), 30)
    link = "<p><a href=/trip.html>The trip</a></p></body>"
    pages = {path: html.replace("</body>", link) for path, html in diary.pages.items()}
    text = "".join(f"<p>{place} and the long road to it.</p>" for place in ("Lima", "Quito"))
    pages["/trip.html"] = f"<title>The trip</title><h1>The trip</h1>{text}"
    replace(diary, pages=pages).write(server.root)
    row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {note.path for note in diary.notes}
    rejected = {urlsplit(page["url"]).path: page for page in row.report["rejected"]}
    assert rejected["/trip.html"]["title"] == "The trip"
    assert rejected["/trip.html"]["probability"] > 0
    assert row.report["completeness"]["share"] < 1
