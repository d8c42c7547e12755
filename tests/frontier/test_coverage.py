"""What is read before a chain of posts is believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawl.frontier.clusters import Choice, Cluster
from blogcrawl.frontier.coverage import POSTS_PER_LIST, looks_due
from blogcrawl.frontier.store import SHOWN_BY_POST, Row


def cluster(
    url: str, flavour: str = "", *, depth: int = 1, pages: int = 0, failed: int = 0, shown: int = 0
) -> Cluster:
    path = url.split("/", 3)[3].rsplit("/", 1)[0]
    found = Cluster(1, f"b.example|/{path}/*|{flavour}", pending=1, pages=pages, failed=failed)
    found.choices = [Choice(Row(7, url, 1, depth, 2, 0, shown, 0.0, None, "", None), 1.0, 0.0)]
    return found


@pytest.mark.parametrize(
    ("url", "due"),
    [("/ru/", 1), ("/notes/", 1), ("/about/", 0), ("/series/", 0), ("/tags/", 0), ("/tag/tea/", 0)],
)
def test_sections_linked_from_the_start_page_are_sampled(url: str, due: int) -> None:
    assert len(looks_due([cluster("https://b.example" + url)], 10)) == due
    assert not looks_due([cluster("https://b.example" + url, depth=2, shown=SHOWN_BY_POST)], 10)


def test_cheap_lists_of_all_posts_are_read_anywhere() -> None:
    lists = [cluster(f"https://b.example/{n}/archive/", "archive", depth=4) for n in "abc"]
    assert [
        len(looks_due(lists, count))
        for count in (POSTS_PER_LIST - 1, POSTS_PER_LIST, 2 * POSTS_PER_LIST)
    ] == [0, 1, 2]
    read = cluster("https://b.example/archive/", "archive", pages=1)
    read.pending = 0
    assert (
        not looks_due([read, *lists], POSTS_PER_LIST)
        and len(looks_due([read, *lists], 2 * POSTS_PER_LIST)) == 1
    )
    read.failed = 1
    assert len(looks_due([read, *lists], POSTS_PER_LIST)) == 1, (
        "a list that was not there proves nothing"
    )


def test_one_list_to_which_a_link_leads_is_read_on_a_blog_of_few_posts() -> None:
    guessed = cluster("https://b.example/sitemap.xml", "archive")
    linked = cluster("https://b.example/archives.html", "archive")
    linked.choices = [replace(c, row=replace(c.row, parent=5)) for c in linked.choices]
    assert looks_due([guessed, linked], 10) == [linked]
    assert looks_due([guessed], 10) == []
