"""Pages without class names: blocks below the post that vary are comments; single pages may err."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.comments.page_reader import extract_comments
from blogcrawl.comments.plan import CommentPlan
from blogcrawl.comments.site import SiteComments
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction import chain
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.methods.self_training import self_trained
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.text.visible import node_text
from tests.crawling.blog import Entry, entries
from tests.induction.themes import sentence

POSTS = entries(14)
RNG = random.Random(5)
TEXTS = [[" ".join(sentence(RNG) for _ in range(3)) for _ in range(3)] for _ in POSTS]
TALK = [[" ".join(sentence(RNG) for _ in range(4)) for _ in range(5)] for _ in POSTS]
SAID = (0, 3, 1, 2, 0, 4, 1, 2, 3, 1, 0, 2, 1, 3)
MONTHS = "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر".split()


def arabic(when: datetime) -> str:
    return f"{when.day} {MONTHS[when.month - 1]} {when.year} {when:%H:%M}"


def english(when: datetime) -> str:
    return f"{when:%d %B %Y, %H:%M}"


def tables(entry: Entry, label: str, write: object) -> Page:
    """A table for the post and one for each comment, neighbours in a cell; attributes say how they
    look and nothing else.
    """
    assert callable(write)
    body = "".join(f"<p>{text}</p>" for text in TEXTS[entry.number])
    post = (
        f"<table width=90%><tr><td><b>{entry.title}</b></td></tr><tr><td>{body}</td></tr><tr>"
        f"<td>{write(entry.date)}</td></tr></table>"
    )
    rows = "".join(
        f"<table border=1><tr><td><b>Reader {n}</b> <font "
        f"size=1>{write(entry.date + timedelta(hours=5 + n))}</font></td></tr>"
        f"<tr><td><p>{TALK[entry.number][n]}</p></td></tr></table>"
        for n in range(SAID[entry.number % len(SAID)])
    )
    html = (
        f"<table><tr><td><a href=/>Home</a></td></tr><tr><td>menu</td><td>{post}<b>{label}</b"
        f">{rows}<form><textarea></textarea></form>"
    )
    head = f"<meta charset=utf-8><title>{entry.title}</title>"
    return Page(
        url=f"http://b.example/{entry.number}",
        body=f"<html>{head}<body>{html}</td></tr></table>".encode(),
    )


def sample(entry: Entry, page: Page) -> Sample:
    said = TEXTS[entry.number][0][:90].rsplit(" ", 1)[0] + "..."
    feed_entry = FeedEntry(
        url=page.url,
        title=entry.title,
        published=entry.date.astimezone(UTC),
        summary_html=said,
        source="feed",
    )
    return Sample(page=page, entry=feed_entry)


@pytest.mark.parametrize(("label", "write"), [("Comments", english), ("التعليقات", arabic)])
def test_excerpt_feed_with_comments_in_unnamed_tables(label: str, write: object) -> None:
    """The comments are no part of the post, and are read; of Arabic neither the article before the
    word nor the months hinder.
    """
    pages = [tables(entry, label, write) for entry in POSTS]
    model = learn_blog(
        [sample(entry, page) for entry, page in zip(POSTS[:9], pages, strict=False)], Hints()
    )
    for entry, page in list(zip(POSTS, pages, strict=True))[9:]:
        post = extract_post(page, model, None, promised=True)
        assert isinstance(post, Post)
        assert post.content_text.split() == " ".join(TEXTS[entry.number]).split()
        found = extract_comments(page, content=post.content_html, published=entry.date).comments
        assert [c.author for c in found] == [
            f"Reader {n}" for n in range(SAID[entry.number % len(SAID)])
        ]
        assert [c.published for c in found] == [
            (entry.date + timedelta(hours=5 + n)).replace(second=0, tzinfo=UTC)
            for n in range(len(found))
        ]


@pytest.mark.parametrize("label", ["class=txt", "lang=en"])
def test_short_posts_without_a_feed(label: str) -> None:
    """A one-line post seems to fill its box; rules learned from longer posts find its text."""

    def page(entry: Entry) -> Page:
        text = (
            f"It rained on day {entry.number}, all of it."
            if entry.number % 5 == 3
            else "</p><p>".join(TEXTS[entry.number])
        )
        title = f"{entry.title}, and what came of it in the end of the day"
        foot = "<div class=by>by Ann Lee of the town | <a href=notes>3 notes</a></div>"
        gap = "<div><br></div>" * (entry.number % 3)  # no path leads to all texts
        inner = (
            f"<div class=ttl>{title}</div><div class=dt>{english(entry.date)}</div>{gap}<div "
            f"{label}><p>{text}</p></div>{foot}"
        )
        html = (
            f"<div id=top><a href=/>Small notes</a></div><div id=main><div "
            f"class=item>{inner}</div></div>"
        )
        head = f"<title>{title} - Small notes</title>"
        return Page(
            url=f"http://b.example/show?id={entry.number}",
            body=f"<html><head>{head}</head><body>{html}".encode(),
        )

    samples = [
        Sample(page=page(entry), entry=FeedEntry(url=f"http://b.example/show?id={entry.number}"))
        for entry in POSTS
    ]
    training = self_trained(samples, chain.learned(samples))
    assert len(training) == len(POSTS)
    for one in training:
        assert (
            node_text(one.page.tree.xpath("//div[@class='txt' or @lang]")[0]).split()
            == text_of(one.entry.content_html or "").split()
        )


def text_of(html: str) -> str:
    return node_text(Page(url="http://b.example/", body=f"<body>{html}".encode()).tree)


def test_listings_with_line_numbers_are_no_comments() -> None:
    """Tables that are alike and come and go below a feed's excerpt, with numbers in them and no
    year, stay the post's.
    """

    def lines(entry: Entry) -> list[str]:
        return [" ".join(text.split()[:9]) for text in TALK[entry.number][: SAID[entry.number]]]

    def listing(line: str) -> str:
        return (
            f"<figure class=hl><table><tr><td>1<br>2<br>3</td><td "
            f"class=code>{line}<br>begin<br>end</td></tr></table></figure>"
        )

    def page(entry: Entry) -> Page:
        first, *others = TEXTS[entry.number]
        code = "".join(map(listing, lines(entry)))
        body = f"<p>{first}</p>" + "".join(f"<p>{text}</p>" for text in others) + code
        html = f"<h1>{entry.title}</h1><p>{english(entry.date)}</p><div id=text>{body}</div>"
        return Page(
            url=f"http://b.example/{entry.number}",
            body=f"<html><title>{entry.title}</title><body>{html}".encode(),
        )

    pages = [page(entry) for entry in POSTS]
    model = learn_blog(
        [sample(entry, page) for entry, page in zip(POSTS[:9], pages, strict=False)], Hints()
    )
    post = extract_post(pages[9], model, None, promised=True)
    assert isinstance(post, Post) and all(line in post.content_text for line in lines(POSTS[9]))


NAMED = "<h2>{title}</h2><i>{day}</i><div>{text}</div>"
SHAPES: dict[str, tuple[str, str, str]] = {
    "boxes": (
        "<div><div><b>{title}</b></div><div>{day}</div><div>{text}</div></div>",
        "<div><div><b>{who}</b> {day}</div><div>{text}</div></div>",
        "{}",
    ),
    "boxes like the post's": (
        "<div><b>{title}</b> {day}<br>{text}</div>",
        "<div><b>{who}</b> {day}<br><p>{text}</p></div>",
        "{}",
    ),
    "quotations": (NAMED, "<blockquote><b>{who}</b> on {day}:<p>{text}</p></blockquote>", "{}"),
    "list items": (NAMED, "<li><b>{who}</b> ({day})<br>{text}</li>", "<ul>{}</ul>"),
    "terms": (NAMED, "<dt>{who}, {day}</dt><dd>{text}</dd>", "<dl>{}</dl>"),
    "rows": (NAMED, "<tr><td>{who}<br>{day}</td><td>{text}</td></tr>", "<table>{}</table>"),
}
"""A post, a comment, and what is around all comments."""


@pytest.mark.parametrize("fed", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_unnamed_comments_below_a_label_are_cut(shape: str, fed: bool) -> None:
    """Feed of excerpts or no feed: the post is the post, each comment one with its name and its
    day.
    """
    post, comment, around = SHAPES[shape]

    def page(entry: Entry) -> Page:
        text = "".join(f"<p>{text}</p>" for text in TEXTS[entry.number])
        said = "".join(
            comment.format(
                who=f"Reader {n}",
                day=english(entry.date + timedelta(hours=5 + n)),
                text=TALK[entry.number][n],
            )
            for n in range(SAID[entry.number])
        )
        inner = (
            post.format(title=entry.title, day=english(entry.date), text=text)
            + "<h3>Comments</h3>"
            + (around.format(said) if said else "")
        )
        html = (
            f"<div><a href=/>Home</a></div><div>{inner}<form "
            f"action=/c><textarea></textarea></form></div><div>foot</div>"
        )
        head = f"<meta charset=utf-8><title>{entry.title} - Notes</title>"
        return Page(
            url=f"http://b.example/{entry.number}",
            body=f"<html><head>{head}</head><body>{html}".encode(),
        )

    pages = [page(entry) for entry in POSTS]
    samples = [
        sample(entry, page) if fed else Sample(page=page, entry=FeedEntry(url=page.url))
        for entry, page in zip(POSTS[:9], pages, strict=False)
    ]
    model = learn_blog(samples, Hints())
    for entry, page_ in list(zip(POSTS, pages, strict=True))[9:]:
        found = extract_post(page_, model, None, promised=True)
        assert (
            isinstance(found, Post)
            and found.content_text.split() == " ".join(TEXTS[entry.number]).split()
        )
        seen = extract_comments(page_, content=found.content_html, published=entry.date).comments
        assert [(c.author, c.content_text) for c in seen] == [
            (f"Reader {n}", TALK[entry.number][n]) for n in range(SAID[entry.number])
        ]
        assert all(
            c.published is not None and c.published.date() == entry.date.date() for c in seen
        )


def test_heading_about_comments_within_a_post_cuts_nothing() -> None:
    """No blocks with dates stand behind it."""
    html = (
        f"<div id=text><h2>On letters</h2><p>{TEXTS[0][0]}</p><h3>Comments</h3><p>"
        f"{TEXTS[0][1]}</p><p>{TEXTS[0][2]}</p></div>"
    )
    page = Page(
        url="http://b.example/1", body=f"<html><title>On letters</title><body>{html}".encode()
    )
    text = clean_content(page.tree.get_element_by_id("text"), page, title="On letters").text
    assert TEXTS[0][1] in text and TEXTS[0][2] in text


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"boxes like the post's"}))
def test_unnamed_comments_without_heading_are_cut(shape: str) -> None:
    """A feed of excerpts identifies the post; a comment form and blocks with later dates after it
    are evidence of comments.
    """
    post, comment, around = SHAPES[shape]

    def page(
        entry: Entry,
        form: str = "<form action=/c><input name=n><textarea></textarea></form>",
        shift: int = 5,
    ) -> Page:
        text = "".join(f"<p>{text}</p>" for text in TEXTS[entry.number])
        said = "".join(
            comment.format(
                who=f"Reader {n}",
                day=english(entry.date + timedelta(hours=shift + n)),
                text=TALK[entry.number][n],
            )
            for n in range(SAID[entry.number])
        )
        inner = post.format(title=entry.title, day=english(entry.date), text=text) + (
            around.format(said) if said else ""
        )
        html = f"<div><a href=/>Home</a></div><div>{inner}{form}</div><div>foot</div>"
        head = f"<meta charset=utf-8><title>{entry.title} - Notes</title>"
        return Page(
            url=f"http://b.example/{entry.number}",
            body=f"<html><head>{head}</head><body>{html}".encode(),
        )

    def read(page: Page, entry: Entry) -> list[tuple[str | None, str]]:
        found = extract_post(page, model, None, promised=True)
        assert (
            isinstance(found, Post)
            and found.content_text.split() == " ".join(TEXTS[entry.number]).split()
        )
        plan = CommentPlan(
            site=SiteComments(), page=page, content=found.content_html, published=entry.date
        )
        return [(c.author, c.content_text) for c in plan.result().comments]

    model = learn_blog([sample(entry, page(entry)) for entry in POSTS[:9]], Hints())
    for entry in POSTS[9:]:
        assert read(page(entry), entry) == [
            (f"Reader {n}", TALK[entry.number][n]) for n in range(SAID[entry.number])
        ]
    last = POSTS[13]
    assert (
        read(page(last, form=""), last) == read(page(last, shift=-90), last) == []
    )  # nothing speaks for them; older than the post
