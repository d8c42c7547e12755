"""Addresses that give away what a page is."""

from __future__ import annotations

import pytest

from blogcrawl.urls.page_kinds import LIST_PATHS, kind_of_path


@pytest.mark.parametrize(
    "path",
    [
        "/2016/",
        "/2016/09/",
        "/2016/09/28",
        "/blog/2016/09/",
        "/blog/date/200410",
        "/blog/archive/2007/03.aspx",
        "/index.html@m=200502.html",
        "/a/date/20041003",
        "/2008/october/",
        "/archives/archive-112001.htm",
        "/archives/archive_2005-m04.php",
        "/archives/200603-1.html",
        "/index.php?archive=2005-4&blogid=1",
        "/read.asp?blog=77&year=2005&month=1",
        "/?month=200607",
        "/weblog/months/2004-09.shtml",
        "/index.php?y=06&m=07",
        "/index.php?m=07&y=06",
    ],
)
def test_date_urls_are_lists(path: str) -> None:
    assert LIST_PATHS["date"].search(path)


@pytest.mark.parametrize(
    "path",
    [
        "/2016/09/28/2000/",
        "/2016/09/2000/",
        "/blog/2016/2000",
        "/123/2000/",
        "/posts/48/1999",
        "/archives/00000033.htm",
        "/comments.php?y=06&m=07&entry=entry060725-090100",
    ],
)
def test_year_after_a_date_is_a_post_slug(path: str) -> None:
    assert not LIST_PATHS["date"].search(path)


@pytest.mark.parametrize(
    "path", ["/2006/03/author.html", "/archives/2006/03/shop.html", "/2006/03/01/about/index.html"]
)
def test_name_below_a_month_is_a_posts(path: str) -> None:
    assert kind_of_path(path, "") is None


@pytest.mark.parametrize(
    ("path", "query", "kind"),
    [
        ("/author.html", "", "author"),
        ("/tag_rain.html", "", "tag"),
        ("/all_posts.html", "", "archive"),
        ("/tag/2006/03/walks/", "", "tag"),
        ("/2006/03/walks.html", "tag=rain", "tag"),
        ("/2006/03/page/2/", "", "list"),
        ("/index.php", "option=com_content&view=category&limitstart=7", "list"),
        ("/blog/", "b_start:int=10", "list"),
        ("/journal/", "currentPage=2", "list"),
        ("/", "", "home"),
        ("/", "p=3", None),
    ],
)
def test_other_addresses_keep_their_kind(path: str, query: str, kind: str | None) -> None:
    assert kind_of_path(path, query) == kind
