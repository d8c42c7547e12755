"""Posts without titles: what feeds and headings offer in their place is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.induction.ruleset import Sample
from tests.extraction.test_failure_classes import Written, learned, post_of, text_of
from tests.induction.themes import sentence


def draw(w: Written) -> str:
    return (
        f"<title>Slow Roads</title></head><body><h1>Slow Roads</h1><div class=c>{w.body}</div>"
        f"<div class=n><h3>{sentence(w.rng)}</h3><p>{sentence(w.rng)}</p></div>"
    )


def untitled(sample: Sample) -> Sample:
    return Sample(page=sample.page, entry=replace(sample.entry, title=None))


def of_first_words(sample: Sample) -> Sample:
    title = " ".join(text_of(sample.entry.content_html or "").split()[:6]) + "…"
    return Sample(page=sample.page, entry=replace(sample.entry, title=title))


@pytest.mark.parametrize("change", [untitled, of_first_words])
def test_untitled_post_takes_no_heading_as_title(change: Callable[[Sample], Sample]) -> None:
    model, rest = learned(draw, change=change)
    assert [post_of(page, model).title for page, _ in rest] == [None for _ in rest]


@pytest.mark.parametrize("mark", ["...", " …"])
def test_cut_beginning_of_the_text_that_feed_and_document_have_is_no_title(mark: str) -> None:
    """P2 and Tumblr call the pages of untitled posts so."""

    def begin(text: str) -> str:
        return " ".join(text.split()[:6]) + mark

    def called(w: Written) -> str:
        return f"<title>{begin(text_of(w.body))} | Slow Roads</title></head>{draw(w)}"

    def of_beginning(sample: Sample) -> Sample:
        title = begin(text_of(sample.entry.content_html or ""))
        return Sample(page=sample.page, entry=replace(sample.entry, title=title))

    model, rest = learned(called, change=of_beginning)
    assert [post_of(page, model).title for page, _ in rest] == [None for _ in rest]


@pytest.mark.parametrize(("shown", "title"), [("", None), ("<b>Photo</b>", "Photo")])
def test_kind_of_post_that_the_feed_gives_as_title_is_none_unless_pages_show_it(
    shown: str, title: str | None
) -> None:
    def of_kind(sample: Sample) -> Sample:
        return Sample(page=sample.page, entry=replace(sample.entry, title="Photo"))

    model, rest = learned(lambda w: draw(w) + shown, change=of_kind)
    page, w = rest[0]
    entry = FeedEntry(url=page.url, title="Photo", content_html=w.body)
    post = extract_post(page, model, entry, True)
    assert isinstance(post, Post) and post.title == title


@pytest.mark.parametrize("document", ["{}", "{} →"])
def test_sign_of_a_link_behind_the_title_is_no_part_of_it(document: str) -> None:
    """Where the document's title has it, too, it is the author's."""

    def linked(w: Written) -> str:
        title = document.format(w.title)
        heading = f"<h1><a href=http://x.example/>{w.title} →</a></h1>"
        return (
            f"<title>{title} - Slow Roads</title></head><body>{heading}<div class=c>{w.body}</div>"
        )

    model, rest = learned(linked, change=untitled)
    assert [post_of(page, model).title for page, _ in rest] == [
        document.format(w.title) for _, w in rest
    ]


def test_feed_without_titles_uses_the_pages() -> None:
    """The pages show them, and are called so."""
    model, rest = learned(
        lambda w: (
            f"<title>{w.title} - Slow Roads</title></head><body><h1>{w.title}</h1><div "
            f"class=c>{w.body}</div>"
        ),
        change=untitled,
    )
    assert [post_of(page, model).title for page, _ in rest] == [w.title for _, w in rest]


def test_heading_within_the_text_is_no_title() -> None:
    def sectioned(w: Written) -> str:
        w.body = w.body.replace(
            "</p><p>", f"</p><h2>{' '.join(w.title.split()[:2][::-1])} and more</h2><p>", 1
        )
        return f"<title>{w.title}</title></head><body><div class=c>{w.body}</div>"

    model, rest = learned(
        sectioned,
        change=lambda sample: Sample(page=sample.page, entry=FeedEntry(url=sample.entry.url)),
    )
    assert [post_of(page, model).title for page, _ in rest] == [w.title for _, w in rest]


def test_title_repeated_by_the_first_words_of_the_text_is_kept() -> None:
    """The title is a bold line, no heading; the text begins with the name of what it is about."""

    def bold(w: Written) -> str:
        text = w.body.replace("<p>", f"<p><a href=/x>{w.title}</a> ", 1)
        return (
            f"<title>Slow Roads</title></head><body><h1>Slow Roads</h1><p class=t><b>{w.title}</b>"
            f"</p><div class=c>{text}</div>"
        )

    model, rest = learned(bold)
    assert [post_of(page, model).title for page, _ in rest] == [w.title for _, w in rest]


@pytest.mark.parametrize(
    ("words", "titled"),
    [
        ("<p><font size=4>{}</font></p>", True),
        ("<p><a href=/other>{}</a></p>", False),
        ("<p>See {} too.</p>", False),
        ("", False),
    ],
)
def test_title_of_lists_is_the_line_that_says_the_same(words: str, titled: bool) -> None:
    """Nothing marks it on the page, and the document has the name of all pages."""

    def draw(w: Written) -> str:
        return f"<title>Slow Roads</title></head><body><div class=c>{w.body}</div>"

    model, rest = learned(draw)
    page, _ = rest[0]
    shown = page.body.replace(b"<div class=c>", words.format("The inn").encode() + b"<div class=c>")
    model.note_anchor(page.url, "The inn")
    assert post_of(replace(page, body=shown), model).title == ("The inn" if titled else None)


@pytest.mark.parametrize("mark", ["…", "...", " [...]"])
def test_titles_truncated_by_the_feed_are_completed(mark: str) -> None:
    def cut(sample: Sample) -> Sample:
        return Sample(
            page=sample.page,
            entry=replace(sample.entry, title=f"{sample.entry.title} on the{mark}"),
        )

    def whole(w: Written) -> str:
        return (
            f"<title>{w.title} on the long way home</title></head><body><h1>{w.title} on the "
            f"long way home</h1><div class=c>{w.body}</div>"
        )

    model, rest = learned(whole, change=cut)
    for page, w in rest:
        for entry in (
            None,
            FeedEntry(url=page.url, title=f"{w.title} on the{mark}", published=w.when),
        ):
            post = extract_post(page, model, entry, True)
            assert isinstance(post, Post) and post.title == f"{w.title} on the long way home"


def test_authors_own_ellipsis_is_kept_in_titles() -> None:
    def page_of(shown: str) -> Page:
        body = (
            f"<h1>{shown}</h1><div class=c><p>{'It was late and the bus did not come. ' * 9}<"
            f"/p></div>"
        )
        return Page(
            url="https://b.example/x",
            body=(
                f"<html><head><title>{shown} - Slow Roads</title></head><body>{body}</body></html>"
            ).encode(),
        )

    for feed_title, shown, title in [
        ("And then we waited…", "And then we waited…", "And then we waited…"),
        ("And then we waited…", "And then we waited ...", "And then we waited…"),
        ("And then we waited…", "And then we waited for the bus", "And then we waited for the bus"),
        ("And then we waited", "And then we waited for the bus", "And then we waited"),
    ]:
        entry = FeedEntry(url="https://b.example/x", title=feed_title)
        post = extract_post(page_of(shown), BlogModel(), entry, True)
        assert isinstance(post, Post) and post.title == title


def _titled(w: Written) -> bool:
    return w.n % 5 == 0


def _as_drawn(sample: Sample) -> Sample:
    return sample if b"<!--titled-->" in sample.page.body else untitled(sample)


def test_titles_among_posts_without_are_where_the_few_others_stand() -> None:
    def note(w: Written) -> str:
        name = f"{w.title} | Slow Roads" if _titled(w) else "Slow Roads"
        head = f"<!--titled--><h1 class=p-name>{w.title}</h1>" if _titled(w) else ""
        site = "<h2><a href=/>Slow Roads</a></h2>"
        return f"<title>{name}</title></head><body>{site}{head}<div class=c>{w.body}</div>"

    model, rest = learned(note, fed=10, change=_as_drawn)
    assert [post_of(page, model).title for page, _ in rest] == [
        w.title if _titled(w) else None for _, w in rest
    ]


def test_first_paragraph_is_no_title_of_posts_without_one() -> None:
    def note(w: Written) -> str:
        head = f"<!--titled--><p>{w.title}</p>" if w.n % 2 else ""
        return f"<title>Slow Roads</title></head><body><div class=c>{head}{w.body}</div>"

    model, rest = learned(note, fed=10, change=_as_drawn)
    assert {post_of(page, model).title for page, w in rest if not w.n % 2} == {None}
