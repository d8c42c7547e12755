"""Goals of the frontier on generated sites: floors that no change may break (the whole table:
tests/benchmarks/frontier.py).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import canonicalize
from tests.benchmarks.frontier import Run, simulate
from tests.benchmarks.mixed_sites import (
    in_a_portal,
    in_a_tag_jungle,
    make_blog,
    with_a_calendar,
    without_archives,
)
from tests.benchmarks.site_graphs import HOST, Node, Site

GROWN = {
    "blog": lambda blog: blog,
    "portal": lambda blog: in_a_portal(blog, 6),
    "tags": lambda blog: in_a_tag_jungle(blog, 40),
    "calendar": with_a_calendar,
    "chain": without_archives,
}


@cache
def site(name: str) -> Site:
    return GROWN[name](make_blog("made", 60, "plain"))


@cache
def run(name: str, strategy: str) -> Run:
    return simulate(site(name), strategy, 1500)


def needed(name: str, strategy: str, share: int = 95) -> int:
    done = run(name, strategy)
    return done.needed.get(share) or (10**6 if strategy == "links" else done.requests)


@pytest.mark.parametrize("name", ["blog", "portal", "tags", "calendar", "chain"])
def test_link_ordering_beats_breadth_first(name: str) -> None:
    ours = run(name, "links")
    assert needed(name, "links") <= 1.5 * needed(name, "oracle")
    assert needed(name, "links", 100) <= 1.05 * needed(name, "breadth", 100)
    assert ours.stop_found == ours.posts, "stopped before the last post"
    assert ours.stop_requests is not None and ours.stop_requests <= 2.5 * ours.posts


def test_blog_within_a_portal_needs_a_fifth_of_breadth_first() -> None:
    assert needed("portal", "links") <= 0.2 * needed("portal", "breadth")


@pytest.mark.parametrize("style", ["dated", "folder"])
def test_all_sources_find_every_post(style: str) -> None:
    blog = simulate(make_blog("made", 120, style), "all", 3000)
    assert blog.stop_found == 120
    assert blog.stop_requests is not None and blog.stop_requests <= 1.15 * 120


@pytest.mark.parametrize("style", ["plain", "query", "number"])
def test_posts_with_other_permalinks_are_found(style: str) -> None:
    blog = simulate(make_blog("made", 60, style), "links", 3000)
    assert blog.stop_found == 60
    assert blog.right >= 0.97 * (blog.right + blog.missed)
    assert blog.right >= 0.98 * (blog.right + blog.wrong) or blog.wrong <= 4


def test_two_separate_post_chains_are_found() -> None:
    """A blog in two languages, each with posts that know their neighbours; the feed and the start
    page show one.
    """
    one, two = make_blog("one", 40, "dated"), make_blog("two", 40, "folder", seed=9)
    nodes = {}
    for node in two.nodes.values():
        url = _moved(node.url)
        nodes[canonicalize(url)] = Node(
            url, [replace(link, url=_moved(link.url)) for link in node.links], node.is_post
        )
    home = one.nodes[canonicalize(one.home)]
    home.links.append(Link(_moved(HOST + "/"), "По-русски", "nav>ul.menu>li>a"))
    both = Site("both", one.home, {**one.nodes, **nodes}, one.feed, made=True)
    assert len(both.reachable_posts()) == 80
    ours = simulate(both, "links", 1000)
    assert ours.stop_found == 80


def _moved(url: str) -> str:
    return url.replace(HOST, HOST + "/ru")


def test_section_behind_an_archive_three_clicks_deep_is_found() -> None:
    """The start page and its menu know one chain of posts; an old post mentions the archive of the
    other.
    """
    one, two = make_blog("one", 70, "dated", months=False), make_blog("two", 12, "folder", seed=9)
    posts = {
        canonicalize(_moved(node.url)): replace(node, url=_moved(node.url), links=[])
        for node in two.nodes.values()
        if node.is_post
    }
    archive = HOST + "/ru/archive/"
    nodes = {
        **one.nodes,
        **posts,
        canonicalize(archive): Node(
            archive, [Link(node.url, "old") for node in posts.values()], False
        ),
    }
    deep = [node for node in one.nodes.values() if node.is_post and node.url not in one.feed][5]
    deep.links.append(Link(archive, "what I wrote before", "article>p>a"))
    ours = simulate(Site("both", one.home, nodes, one.feed, made=True), "links", 1000)
    assert ours.posts == 82 and ours.stop_found == 82
