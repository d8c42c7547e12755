"""Leading and trailing boilerplate that recurs across posts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import html

from blogcrawl.core.records import FeedEntry
from blogcrawl.core.records import Post as Record
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.edge_boilerplate import Post, edges_of_posts
from blogcrawl.induction.ruleset import Sample
from tests.induction.test_unlabelled_drops import THEMES, page_of, plain, sentence_of, text_of

Theme = Callable[[str, int], str]


def _teasers(n: int) -> str:
    rows = "".join(
        f"<div><h4><a href='/{k}'>Post {k}</a></h4><p>{sentence_of(k)}</p></div>"
        for k in (n + 30, n + 31, n + 32)
    )
    return f"<div><h3>Read on</h3>{rows}</div>"


EDGES: dict[str, Theme] = {
    "links above and below": THEMES["links to previous and next posts, above and below"],
    "links between brackets": lambda text, n: (
        "<center>[<a href=/>Main</a>] [<a href=/all>All</a>] [Next:"
        f" &quot;<a href=/{n + 1}>Post {n + 1}</a>&quot;]</center>{text}"
    ),
    "teasers below a label": lambda text, n: text + _teasers(n),
    "a list of links in a box": lambda text, n: (
        f"{text}<div><h3>You might like</h3><ul>"
        f"{''.join(f'<li><a href=/{k}>Post {k}</a></li>' for k in (n + 2, n + 5))}</ul></div"
        f">"
    ),
    "links for sharing, the same everywhere": lambda text, n: (
        f"{text}<div><span>Share</span> <a href='https://one.example/s'>One</a> <a "
        f"href='https://two.example/s'>Two</a></div>"
    ),
    "data below in words of any language": lambda text, n: (
        f"{text}<p>lagt inn: {n}:0{n % 7} | sti: <a href='/{'ab'[n % 2]}/'>/{'ab'[n % 2]}</a> | "
        f"<a href='/ut/{n}'>skriv ut dette</a></p>"
    ),
    "the author's name and a number below, without a link": lambda text, n: (
        f"{text}<p>by Ann Lee</p><p>{7 * n + 3} views</p>"
    ),
    "sentences about the entry, one with its day": lambda text, n: (
        f"{text}<p>This entry was posted on {n % 27 + 1} March 2012 at 3:1{n % 9} and is filed"
        f" under <a href='/cat/{n % 5}'>Cat {n % 5}</a>. You can follow responses with the <a"
        " href=/c/>feed of comments</a>. Both comments and pings are closed.</p>"
    ),
    "a byline": lambda text, n: (
        f"<p>Posted by Ann Lee on {n % 27 + 1} March 2012 · {n + 3} views</p>{text}"
    ),
}


def _elements(theme: Theme) -> list[list[str]]:
    posts = [
        Post(
            html.fragment_fromstring(theme(text_of(n), n), create_parent="div"),
            f"http://b.example/{n}",
        )
        for n in range(8)
    ]
    return [[each.text_content() for each in edge] for edge in edges_of_posts(posts)]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("feed", ["none", "excerpts"])
def test_edge_boilerplate_is_removed_from_later_posts(name: str, feed: str) -> None:
    theme = EDGES[name]
    entries = [FeedEntry(url=f"http://b.example/{n}") for n in range(8)]
    if feed == "excerpts":
        entries = [
            FeedEntry(url=e.url, title=f"Post {n}", summary_html=text_of(n)[:120] + " […]")
            for n, e in enumerate(entries)
        ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)], Hints()
    )
    for n in range(20, 24):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Record) and post.content_text == plain(text_of(n))


@pytest.mark.parametrize("feed", ["none", "excerpts"])
def test_comments_inside_the_post_element_are_removed(feed: str) -> None:
    def theme(text: str, n: int) -> str:
        said = (
            (
                f"<div class='k3'><p><b>Ann Lee</b> said on {k} May "
                f"2013:</p><p>{sentence_of(90 * n + k)}</p></div>"
            )
            for k in range(1, 1 + n % 5)
        )
        return text + "".join(said)

    entries = [FeedEntry(url=f"http://b.example/{n}") for n in range(8)]
    if feed == "excerpts":
        entries = [
            FeedEntry(url=e.url, title=f"Post {n}", summary_html=text_of(n)[:120] + " […]")
            for n, e in enumerate(entries)
        ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)], Hints()
    )
    for n in range(20, 25):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Record) and post.content_text == plain(text_of(n))


def test_date_lines_of_a_diary_are_kept() -> None:
    days = (4, 5, 6)
    assert not any(
        _elements(
            lambda text, n: (
                text
                + "".join(
                    f"<div><p>{k} May {2000 + n}</p><p>{sentence_of(90 * n + k)}</p></div>"
                    for k in days
                )
            )
        )
    )


def test_rows_of_data_above_the_text_in_a_layout_table_are_edges() -> None:
    def theme(text: str, n: int) -> str:
        rows = (f"Bidrag fra: {'Ola Kari'.split()[n % 2]}", f"Visninger: {7 * n}", text)
        return f"<p>x</p><table>{''.join(f'<tr><td>{row}</td></tr>' for row in rows)}</table>"

    assert all(len(edge) == 3 for edge in _elements(theme))


def test_lines_of_data_below_a_title_that_asks_are_edges() -> None:
    def theme(text: str, n: int) -> str:
        ask = "Where is it?" if n % 2 else f"Letter {n}"
        return f"<div><p>{ask}</p><p>Bidrag fra: Kari, nr. {n}</p>{text}</div>"

    assert all(len(edge) == 2 for edge in _elements(theme))


def test_edges_of_few_posts_are_kept() -> None:
    assert not any(
        _elements(lambda text, n: EDGES["a list of links in a box"](text, n) if n < 4 else text)
    )


def test_a_line_that_many_posts_have_and_that_the_feeds_excerpts_have_too_is_kept() -> None:
    def theme(text: str, n: int) -> str:
        return f"<p>Dear readers</p>{text}"

    excerpts = [f"<p>Dear readers</p>{text_of(n)[:120]} […]" for n in range(8)]
    samples = [
        Sample(
            page=page_of(n, theme),
            entry=FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=excerpt),
        )
        for n, excerpt in enumerate(excerpts)
    ]
    post = extract_post(page_of(20, theme), learn_blog(samples, Hints()), None, True)
    assert isinstance(post, Record) and post.content_text.startswith("Dear readers\n")


def test_lines_of_verse_with_words_of_others_are_kept() -> None:
    """The words recur, the lines do not."""
    lines = "the sea and sand,the sand and wind,the wind and rain,the rain and sea".split(",")
    assert not any(_elements(lambda text, n: f"{text}<p>{lines[n % 4]} {'again ' * (n // 4)}</p>"))


def test_edge_links_to_various_targets_are_kept() -> None:
    assert not any(
        _elements(
            lambda text, n: (
                f"{text}<p>Sources: <a href='https://else.example/{n}'>a study of number "
                f"{n}</a></p>"
            )
        )
    )


def test_last_sentence_with_a_link_is_kept() -> None:
    assert not any(
        _elements(
            lambda text, n: (
                f"{text}<p>How it began is told in <a href='/{n + 40}'>part {n}</a> of these "
                f"letters.</p>"
            )
        )
    )


def test_post_of_links_only_is_kept() -> None:
    assert not any(
        _elements(
            lambda text, n: "".join(
                f"<p><a href='/{k}'>Post {k}</a></p>" for k in range(n + 30, n + 36)
            )
        )
    )


def test_text_outside_blocks_ends_an_edge() -> None:
    assert not any(_elements(lambda text, n: f"{text}<p><a href='/{n + 9}'>Post</a></p> and so on"))


def _with_short_ones(theme: Theme) -> Theme:
    """That theme, of a blog of which every fourth post is a few words without a sentence's end."""
    return lambda text, n: theme("<p>Rain again, no wind</p>" if n % 4 == 1 else text, n)


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("feed", ["none", "excerpts"])
def test_short_posts_lose_only_the_edge_boilerplate(name: str, feed: str) -> None:
    theme = _with_short_ones(EDGES[name])
    entries = [FeedEntry(url=f"http://b.example/{n}") for n in range(8)]
    if feed == "excerpts":
        texts = [text_of(n) if n % 4 != 1 else "Rain again, no wind" for n in range(8)]
        entries = [
            FeedEntry(url=e.url, title=f"Post {n}", summary_html=texts[n][:120] + " […]")
            for n, e in enumerate(entries)
        ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)], Hints()
    )
    for n in range(20, 24):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Record) and post.content_text == (
            plain(text_of(n)) if n % 4 != 1 else "Rain again, no wind"
        )


def test_block_between_which_and_the_end_all_is_boilerplate_is_named_once() -> None:
    """The edge above a post that begins with its date in a box goes on below that box."""
    links = "<div><a href='/'>Home</a> <a href='/all'>All posts</a></div>"
    texts = [text_of(n) for n in range(7)] + [f"<div><p>12 March 2012 | 3</p>{text_of(7)}</div>"]
    posts = [
        Post(html.fragment_fromstring(links + text + links, create_parent="div"), f"http://b/{n}")
        for n, text in enumerate(texts)
    ]
    edges = edges_of_posts(posts)
    assert all(len(edge) == len({*edge}) for edge in edges) and len(edges[7]) == 3


def test_inline_element_alone_below_the_last_block_is_an_edge() -> None:
    line = "<small><abbr>CC BY</abbr> © Ann Lee. <a href=/feed.xml>RSS</a></small>"
    posts = [
        Post(html.fragment_fromstring(text_of(n) + line, create_parent="div"), f"http://b/{n}/")
        for n in range(8)
    ]
    assert [[part.tag for part in edge] for edge in edges_of_posts(posts)] == [["small"]] * 8


@pytest.mark.parametrize("picture", ["cover.jpg", "/theme/line.gif"])
def test_lines_of_data_below_a_posts_own_picture_are_the_posts(picture: str) -> None:
    """Of books a blog says where they were printed; below a picture of the theme it is the theme
    that says something of the post."""

    def theme(text: str, n: int) -> str:
        data = f"<p>Edition: {'first second'.split()[n % 2]}</p><p>Printed in: {1950 + n}</p>"
        return f"<p><img src={picture}></p>{data}{text}"

    posts = [
        Post(
            html.fragment_fromstring(theme(text_of(n), n), create_parent="div"),
            f"http://b.example/{n}/",
        )
        for n in range(8)
    ]
    assert [len(edge) for edge in edges_of_posts(posts)] == [0 if picture == "cover.jpg" else 2] * 8
