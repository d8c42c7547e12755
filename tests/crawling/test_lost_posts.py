"""No archive is called complete of whose posts more than one in twenty is lost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.lost_posts import SITES, Site
from tests.benchmarks.made_blogs import serve
from tests.crawling.crawling import crawl, rows

LOST = {
    "pager_404": "1 lists could not be read",
    "pager_loops": "lists show 8 posts each and lead no further",
    "tags_cut": "lists show 3 posts each and lead no further",
    "tags_cut_no_feed": "lists show 4 posts each and lead no further",
    "years_cut_silently": "lists show 7 posts each and lead no further",
    "months_gone": "months have a list and no post in the archive",
    "dead_menu_plain": "/journal/, which could not be read (HTTP 404)",
    "chain_broken": "-16/, which could not be read (HTTP 404)",
    "related_islands": "only posts' own links have shown the older posts",
    "feed_pages_cut": "/feed.xml?page=3, which could not be read (HTTP 404)",
    "sitemap_half": "the sitemap lacks 5 of 10 posts of the feed",
    "search_only": "there is a search of the blog, and no list",
    "pdf_posts": "15 files (PDF and the like) are listed among the posts",
    "pager_stops": "the blog itself counts 41 posts",
    "older_host": "calls http://old.workshop.invalid/ the place of its older posts",
    "archive_refused": "/archive/, which could not be read (HTTP 403)",
    "archive_newest": "posts that texts of other posts mention",
    "archive_of_twenty": "the only list has 20 posts, and lists of so many are often cut there",
    "archive_numbered": "the posts have numbers that begin as if about as many were older",
    "chain_broken_amid": "4 missing posts are linked from one side only",
    "labels_cut_twice": "lists show 10 posts each and lead no further",
    "labels_cut_unevenly": "lists show 7 posts each and lead no further",
    "sitemap_newest_mentioned": "posts that texts of other posts mention",
    "sitemap_of_hundred": "the sitemap has 100 addresses, and may be cut there",
    "random_post_mentioned": "posts that texts of other posts mention",
    "language_by_cookie": "the blog has another language behind",
    "random_post": "a link leads to a random post, and no list to all",
    "diary_uncut": "posts have lines of several days, and may be several posts each",
    "archive_broken_off": "/archive/, which could not be read (the answer broke off)",
    "files_refused": "9 lists could not be read",
    "sitemap_of_a_login": "1 lists could not be read",
    "notices": "11 posts missing",
}
"""Sites, and part of the reason."""
WHOLE = (
    "pager_ends_in_404",
    "tags_whole",
    "years_whole",
    "archive_mentioned",
    "archive_from_one",
    "sitemap_numbered",
    "wordless_pictures",
    "feed_and_home_13",
    "next_previous",
    "entry_queries",
)


SLOW = {
    "tags_cut_no_feed": "tags_cut",
    "archive_refused": "dead_menu_plain",
    "years_cut_silently": "tags_cut",
    "tags_whole": "years_whole",
    "sitemap_newest_mentioned": "archive_newest",
    "random_post_mentioned": "archive_newest",
    "sitemap_of_hundred": "archive_of_twenty",
}
"""Sites, and those that prove the same in the fast tests."""


def cases(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in names]


def stated(name: str, archive: Path) -> tuple[float | None, str, float]:
    """Crawl a site; the share of its posts that the crawl states, why, and the true one."""
    site = SITES[name]()
    server = serve(site.pages)
    row = crawl(f"http://127.0.0.1:{server.server_port}/", archive)
    server.shutdown()
    known = {site.path(post).rstrip("/") for post in range(site.count)}
    archived = len(known & {path.rstrip("/") for path in rows(archive)})
    found = row.report["completeness"]
    return found["share"], "; ".join(found["reasons"]), archived / (site.truth or site.count)


def test_pages_next_to_posts_are_no_posts(tmp_path: Path) -> None:
    share, reasons, truth = stated("pages_at_root", tmp_path)
    assert truth == 1 and share is not None and share >= 0.97, reasons
    assert len(rows(tmp_path)) == SITES["pages_at_root"]().count


@pytest.mark.parametrize("name", cases(LOST))
def test_archive_that_lacks_posts_is_not_called_complete(name: str, tmp_path: Path) -> None:
    share, reasons, truth = stated(name, tmp_path)
    assert truth < 0.8
    assert share is None or abs(share - truth) < 0.1
    assert LOST[name] in reasons


def test_blog_asked_for_in_one_language_is_not_called_complete(tmp_path: Path) -> None:
    site = Site(24, address=lambda site, post: f"/fr/{site.slug(post)}/")
    site.home('<a hreflang="en" href="/en/">English</a>')
    site.pages["/fr/"] = site.pages["/"]
    server = serve(site.finish().pages)
    row = crawl(f"http://127.0.0.1:{server.server_port}/fr/", tmp_path)
    server.shutdown()
    found = row.report["completeness"]
    assert found["share"] is None
    assert any("/en/, outside the address asked for" in reason for reason in found["reasons"])


def test_forbidden_post_with_a_new_address_is_missing_once(tmp_path: Path) -> None:
    def site(folder: str) -> Site:
        site = Site(22, fed=8, address=lambda site, post: f"{folder}/{site.slug(post)}/")
        site.home("".join(f"<li>{site.link(post)}</li>" for post in range(22)))
        site.put(site.path(3), "Forbidden", 403)
        return site.finish()

    old, new = site(""), site("/blog")
    server = serve(old.pages)
    url = f"http://127.0.0.1:{server.server_port}/"
    crawl(url, tmp_path)
    for post in range(22):
        old.pages[old.path(post)] = (302, "text/html", f"BASE{new.path(post)}")
    old.pages |= new.pages
    later = [crawl(url, tmp_path, spider="updatecrawl") for _ in range(2)]
    server.shutdown()
    for row in later:
        missing = [page["url"] for page in row.report["missing"]]
        assert missing == [url[:-1] + new.path(3).rstrip("/")]


@pytest.mark.parametrize("length", [43, 40])
def test_list_that_grows_is_not_cut_at_its_former_length(length: int, tmp_path: Path) -> None:
    """Three posts were written since; a list that is cut shows as many as before."""

    def pages(newest: int, listed: int) -> dict[str, tuple[int, str, str]]:
        site = Site(60, fed=0)
        page = site.list(range(newest, newest + 8)) + '<a href="/archive/">Archive</a>'
        links = (f"<li>{site.link(post)}</li>" for post in range(newest, newest + listed))
        site.put("/", page)
        site.put("/archive/", f"<h1>Archive</h1><ul>{''.join(links)}</ul>")
        return site.finish().pages

    served = pages(3, 40)
    server = serve(served)
    url, cut = f"http://127.0.0.1:{server.server_port}/", LOST["archive_of_twenty"]
    first = crawl(url, tmp_path)
    served |= pages(0, length)
    later = crawl(url, tmp_path, spider="updatecrawl")
    server.shutdown()
    assert first.report["completeness"]["reasons"] == [cut.replace("20", "40")]
    assert len(rows(tmp_path)) == 43
    whole = "nothing but a list of 43 posts says that none is older"
    assert later.report["completeness"]["reasons"] == [
        whole if length == 43 else cut.replace("20", "40")
    ]


@pytest.mark.parametrize("name", cases(WHOLE))
def test_whole_archive_is_called_complete(name: str, tmp_path: Path) -> None:
    share, reasons, truth = stated(name, tmp_path)
    assert truth == 1 and share is not None and share >= 0.97, reasons


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sitemap_whole", "nothing but the sitemap says that no post is older"),
        ("archive_page", "nothing but a list of 46 posts says that none is older"),
    ],
)
def test_figure_names_what_alone_confirms_it(name: str, reason: str, tmp_path: Path) -> None:
    share, reasons, truth = stated(name, tmp_path)
    assert truth == 1 and share is not None and share >= 0.97
    assert reason in reasons
