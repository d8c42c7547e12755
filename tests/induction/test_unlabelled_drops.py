"""Drop rules for unlabelled boilerplate: recognised by its first words or by links at an edge."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo zu".split()
Theme = Callable[[str, int], str]


def _sentence(rng: random.Random) -> str:
    return (
        " ".join(
            "".join(rng.choices(SYLLABLES, k=3)) for _ in range(rng.randint(8, 14))
        ).capitalize()
        + "."
    )


FOOT = (
    "<div><p>All rights to these letters stay with their writer, who lives by the sea and "
    "answers.</p></div>"
)


def sentence_of(n: int) -> str:
    return _sentence(random.Random(n))


def text_of(n: int) -> str:
    """The HTML of a post."""
    rng = random.Random(n)
    return "".join(f"<p>{_sentence(rng)} {_sentence(rng)} {_sentence(rng)}</p>" for _ in range(4))


def page_of(n: int, theme: Theme) -> Page:
    """A post's page in that theme."""
    post = f"<h1>Post {n}</h1><div class='post'>{theme(text_of(n), n)}</div>"
    body = f"<html><head><title>Post {n}</title></head><body>{post}{FOOT}</body></html>"
    return Page(
        url=f"http://b.example/{n}",
        body=body.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def plain(html: str) -> str:
    """A line for each paragraph."""
    return html.replace("</p><p>", "\n").removeprefix("<p>").removesuffix("</p>")


def _extracted(theme: Theme, *, full: bool = True) -> list[tuple[Post, str]]:
    """Return later posts as extracted, each with its true text."""
    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=text_of(n), is_full=True
        )
        for n in range(8)
    ]
    if not full:
        entries = [
            FeedEntry(url=e.url, title=e.title, summary_html=(e.content_html or "")[:120] + " […]")
            for e in entries
        ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    out = []
    for n in range(20, 24):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Post)
        out.append((post, text_of(n)))
    return out


def _others(n: int) -> str:
    return "".join(
        f"<li><a href='/{k}'>{_sentence(random.Random(k + 50))}</a></li>"
        for k in range(n + 1, n + 4)
    )


NEIGHBOURS = "<p><a href='/{0}'>« Saddle river {0}</a> | <a href='/{1}'>Candle drift {1} »</a></p>"
THEMES: dict[str, Theme] = {
    "a paragraph that ends all posts": lambda text, n: (
        f"{text}<p>Like what you read? Write to me, I answer every letter that comes.</p>"
    ),
    "one that changes behind its beginning": lambda text, n: (
        f"<p>Reading time of this text: {n % 7 + 2} minutes</p>{text}"
    ),
    "a heading that says who wrote it, and how long ago": lambda text, n: (
        f"<h6>Posted by: Ann Lee {'2' if n < 9 else '14'} years, {n % 7} months ago</h6>{text}"
    ),
    "a word alone": lambda text, n: f"{text}<p>Share!</p>",
    "a link that stands in no block": lambda text, n: (
        f"{text}<hr><a href='/'>Back to the harbour</a>"
    ),
    "links to previous and next posts, above and below": lambda text, n: (
        NEIGHBOURS.format(n - 1, n + 1) + text + NEIGHBOURS.format(n - 1, n + 1)
    ),
    "such links whose words the posts have": lambda text, n: (
        f"{text}<p><a href='/{n - 1}'>{_sentence(random.Random(n))}</a></p>"
    ),
    "a box below the same short heading, with other links in it": lambda text, n: (
        f"{text}<div><h3>関連</h3><p>{_sentence(random.Random(n))}</p>"
        f"<p>{_sentence(random.Random(n + 50))}</p></div>"
    ),
    "a heading and links to other posts, above the form": lambda text, n: (
        f"{text}<h3>Elsewhere in the valley</h3><ul>{_others(n)}</ul><h3>{n % 3} Comments</h3>"
        "<ol></ol><h3>Add yours</h3><form><p><input name=author> Name</p></form>"
    ),
    "a quote in its words": lambda text, n: (
        f"""{text}<p>That's "all", folks: it's been a pleasure</p>"""
    ),
}


@pytest.mark.parametrize("name", THEMES)
def test_blocks_absent_from_the_feed_are_dropped(name: str) -> None:
    for post, own in _extracted(THEMES[name]):
        assert post.content_text == plain(own)


@pytest.mark.parametrize(
    "name",
    [
        "a paragraph that ends all posts",
        "a quote in its words",
        "a heading and links to other posts, above the form",
    ],
)
def test_excerpts_drop_only_sentences_common_to_all_posts(name: str) -> None:
    for post, own in _extracted(THEMES[name], full=False):
        assert post.content_text == plain(own)


@pytest.mark.parametrize("suffix", ["mp3", "pdf"])
def test_paragraphs_that_link_to_files_are_kept_with_excerpts(suffix: str) -> None:
    def with_songs(text: str, n: int) -> str:
        name = _sentence(random.Random(n + 70))
        return f"{text}<p>Listen: <a href='/files/{n}.{suffix}'>{name}</a></p>"

    for post, _ in _extracted(with_songs, full=False):
        assert [file.url.rpartition(".")[2] for file in post.media] == [suffix]
        assert "Listen:" in post.content_text


def test_authors_recurring_sentence_is_kept() -> None:
    def theme(text: str, n: int) -> str:
        return (
            f"{text}<p>Sources</p><p><a href='/{n}'>Photograph {n}</a></p><p>Thank you for "
            f"reading.</p>"
        )

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}",
            title=f"Post {n}",
            content_html=theme(text_of(n), n),
            is_full=True,
        )
        for n in range(8)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    assert not model.ruleset.rules.get("content.drop")
    post = extract_post(page_of(30, theme), model, None, True)
    assert isinstance(post, Post) and post.content_text.endswith(
        "Sources\nPhotograph 30\nThank you for reading."
    )


def test_label_of_varying_content_is_kept_with_excerpts() -> None:
    for post, _ in _extracted(lambda text, n: f"<h3>Ingredients</h3>{text}", full=False):
        assert post.content_text.startswith("Ingredients\n")


def test_post_without_the_recurring_part_keeps_its_last_paragraph() -> None:
    theme = THEMES["links to previous and next posts, above and below"]
    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=text_of(n), is_full=True
        )
        for n in range(8)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    post = extract_post(
        page_of(
            40,
            lambda text, n: (
                text + "<p>See <a href='/1'>the first part of this</a> for how it began.</p>"
            ),
        ),
        model,
        None,
        True,
    )
    assert isinstance(post, Post) and post.content_text.endswith("for how it began.")


def test_sentence_opening_some_posts_is_kept_when_one_excerpt_is_the_whole_post() -> None:
    stock = "<p>You can see on the map where the letters of this week were written.</p>"

    def theme(text: str, n: int) -> str:
        return (
            f"{stock}{text}"
            if n in (1, 4, 6, 21)
            else text
            if n != 3
            else f"<p>{sentence_of(n)} {sentence_of(50)}</p>"
        )

    texts = [plain(theme(text_of(n), n)) for n in range(8)]
    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=text[:140])
        for n, text in enumerate(texts)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    for n in (20, 21, 22):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Post) and post.content_text == plain(theme(text_of(n), n))


def test_byline_at_the_end_is_dropped() -> None:
    def theme(text: str, n: int) -> str:
        said = "".join(
            f"<div id='c{n}{k}'><p>{sentence_of(900 + 10 * n + k)}</p></div>" for k in range(n % 4)
        )
        return f"{text}<p class='q7'>Posted by Ann at {n}:00 AM</p>{said}"

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=text_of(n), is_full=True
        )
        for n in range(10)
    ]
    model = learn_blog([Sample(page=page_of(n, theme), entry=e) for n, e in enumerate(entries)])
    post = extract_post(page_of(23, theme), model, None, True)
    assert isinstance(post, Post) and post.content_text == plain(text_of(23))


def _with_pings(text: str, n: int) -> str:
    """A post in a box with all that stands below it, whose headings alone say what it is."""
    pings = "".join(
        f"<p id='p{n}{k}'>» <a href='http://c.example/{k}'>{sentence_of(90 * n + k)}</a><br>"
        f"{sentence_of(70 * n + k)}</p><p class='by'>Tracked on May {k + 3}, 2005</p>"
        for k in range(n % 3)
    )
    said = "".join(
        f"<div id='c{n}{k}'><p>{sentence_of(50 * n + k)}</p></div>"
        f"<p class='by'>Posted by: Ann at May {k + 3}, 2005</p>"
        for k in range(n % 4)
    )
    return (
        f"{text}<p class='by'>Posted by Ben at May 2, 2005</p><h2 id='trackbacks'>Trackback Pings"
        f"</h2><p class='url'>TrackBack URL for this entry:<br>http://b.example/mt-tb.cgi/{n}</p>"
        f"{pings}<h2 id='comments'>Comments</h2>{said}<h2>Post a comment</h2>"
    )


def test_headings_of_trackbacks_end_posts_that_have_no_box_of_their_own() -> None:
    for post, text in _extracted(_with_pings, full=False):
        assert post.content_text == plain(text)
