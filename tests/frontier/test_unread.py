"""How likely unread pages are posts."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.dom.links import Link
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.overview import NOT_ENDED
from blogcrawl.frontier.unread import (
    BARRED,
    IN_POSTS_CHANCE,
    LIST_CHANCE,
    MIN_CHANCE,
    NEW_SHAPE,
    Outcome,
    PostChance,
    Unread,
    hidden_on_list,
    posts_behind_list,
    unshown,
)
from blogcrawl.urls.canonical import Scope
from blogcrawl.urls.post_pattern import PostPattern

B = "http://b.example"
POSTS = [f"{B}/2019/05/kettle-and-lamp-{n}" for n in range(10)]
HEADING, MENU = "main>h2>a", "nav>a"


def chance_of(
    url: str, outcomes: list[Outcome] | None = None, posts: list[str] = POSTS, **about: object
) -> float:
    seen = [Outcome(url=u, is_post=True, tag_path=HEADING) for u in posts]
    seen += (
        outcomes
        if outcomes is not None
        else [Outcome(url=f"{B}/colophon", is_post=False, tag_path=MENU)]
    )
    return PostChance(seen, PostPattern.learn(posts)).of(
        Unread(url=url, reason="HTTP 500", **about)
    )  # type: ignore[arg-type]


def test_pages_listed_by_a_source_are_posts() -> None:
    assert chance_of(f"{B}/whatever", promised=True) == 1.0


def test_page_with_a_post_url_shape_is_a_likely_post() -> None:
    assert chance_of(f"{B}/2019/06/another-kettle") > 0.8


def test_url_shape_is_rated_by_its_fetched_pages() -> None:
    as_posts = [Outcome(url=f"{B}/thought/{n}", is_post=True) for n in range(8)]
    as_others = [Outcome(url=f"{B}/thought/{n}", is_post=False) for n in range(8)]
    assert (
        chance_of(f"{B}/thought/15", as_posts) > 0.8 > 0.2 > chance_of(f"{B}/thought/15", as_others)
    )


def test_new_url_shape_gets_a_prior_by_link_location() -> None:
    unknown = chance_of(f"{B}/thought/15")
    assert 0.3 < unknown < 0.7
    assert (
        chance_of(f"{B}/thought/15", tag_path=HEADING)
        > unknown
        > chance_of(f"{B}/thought/15", tag_path=MENU)
    )
    assert (
        PostChance((), PostPattern()).of(Unread(url=f"{B}/thought/15", reason="HTTP 500"))
        == NEW_SHAPE
    )


@pytest.mark.parametrize(
    "path", ["/about", "/tag/kettle", "/2019/05", "/search", "/category/lamps"]
)
def test_list_and_service_urls_are_unlikely_posts(path: str) -> None:
    assert chance_of(B + path) <= LIST_CHANCE < MIN_CHANCE


def test_label_links_and_in_text_links_are_unlikely_posts() -> None:
    """Posts link to pictures, downloads and other people's pages."""
    label = chance_of(f"{B}/kettles", tag_path="article>footer>a[category tag]")
    in_posts = chance_of(f"{B}/files/kettle-of-copper", in_posts=True)
    assert label == LIST_CHANCE and in_posts == IN_POSTS_CHANCE < MIN_CHANCE


@pytest.mark.parametrize("path", ["/p/15", "/?p=15", "/archives/000882.html"])
def test_numeric_urls_are_posts_if_known_posts_are_numeric(path: str) -> None:
    posts = [B + path.replace("15", str(n)).replace("882", str(n)) for n in range(100, 110)]
    assert chance_of(B + path, [], posts, is_list=True) > 0.8, (
        "a link's words took it for the next page"
    )


def test_barred_pages_are_unlikely_posts_unless_similar_ones_are() -> None:
    assert {"robots.txt forbids it", "login"} == BARRED
    assert chance_of(f"{B}/thought/15", barred=True) < MIN_CHANCE
    assert chance_of(f"{B}/2019/06/another-kettle", barred=True) > 0.8


def test_pages_absent_from_sources_and_full_lists_are_unlikely_posts() -> None:
    assert unshown(0.5, 1.0) == 0.5 and unshown(1.0, 0.01) == pytest.approx(1)
    assert unshown(0.5, 0.01) == pytest.approx(0.01 / 1.01)
    url = f"{B}/thought/15"
    assert chance_of(url, lacking=0.01) < 0.02 < chance_of(url)
    assert chance_of(url, lacking=0.01, promised=True) == 1.0


def test_failures_and_reasons_survive_a_crash(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "f.db")
    frontier.push(f"{B}/", "hub")
    frontier.pop(0.0)
    frontier.push_links(f"{B}/", [Link(f"{B}/p/{n}", tag_path=HEADING) for n in (1, 2, 3)])
    frontier.done(f"{B}/", None, False)
    frontier.take(f"{B}/p/1")
    frontier.failed(f"{B}/p/1", "HTTP 500")
    frontier.take(f"{B}/p/2")
    frontier.note_failure(f"{B}/p/2", "no answer in time")
    frontier.failed(f"{B}/sitemap.xml")
    frontier.close()
    assert {page.url: page.reason for page in frontier.leftovers().unread} == {
        f"{B}/p/1": "HTTP 500",
        f"{B}/p/2": "no answer in time",
    }
    again = Frontier(tmp_path / "f.db")
    assert [page.url for page in again.unread()] == [f"{B}/p/1"], "what was in flight waits again"
    again.take(f"{B}/p/3")
    assert again.unread()[-1].reason == NOT_ENDED and again.unread()[-1].tag_path == HEADING
    again.close()


def test_posts_behind_a_list_that_failed() -> None:
    """As many as its like brought, where nothing else shows them; behind the last page of a pager
    that could be read as many pages again."""
    one = posts_behind_list([10, 10], hidden_on_list(20, 0), quiet=9)
    assert 4 < one < 10
    assert posts_behind_list([10, 10], hidden_on_list(20, 0), 9, is_last=True) == pytest.approx(
        3 * one
    )
    assert hidden_on_list(0, 20) < 0.03, "other lists have all of them"
    assert posts_behind_list([], hidden_on_list(0, 0), quiet=0) == 1.0
    assert posts_behind_list([], hidden_on_list(0, 0), quiet=9) == 0.1


def test_pages_behind_the_last_one_of_a_pager() -> None:
    """Nothing leads to the pages behind one that failed; a failed one amid others hides its own."""

    def expected(failed: int, pages: int, *, numbered: bool) -> float:
        frontier = Frontier(scope=Scope(f"{B}/"))
        frontier.learn_pattern(f"{B}/2019/0{n}/post-{n}/" for n in range(1, 9))
        frontier.listing = lambda link: "next" if "/page/" in link.url else None
        urls = [f"{B}/", *(f"{B}/page/{n}/" for n in range(2, pages + 1))]
        for n, url in enumerate(urls):
            frontier.push(url, "hub", depth=0 if numbered else n)
            frontier.take(url)
            if n == failed:
                frontier.failed(url, "HTTP 503")
                if not numbered:
                    break
                continue
            posts = [Link(f"{B}/2018/{n + 1:02}/post-{n}-{k}/", "A") for k in range(5)]
            frontier.push_links(url, posts)
            frontier.done(url, is_post=False)
        (unread,) = frontier.unread()
        return unread.new_posts

    amid, last = expected(2, 6, numbered=True), expected(2, 6, numbered=False)
    assert 2 < amid < 5
    assert last > 2 * amid
