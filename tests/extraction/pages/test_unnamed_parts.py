"""Pages whose markup names nothing: what comes and goes below the post is its readers', and what is
told of one page alone may err.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction import chain
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.methods.self_training import self_told
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


def english(when: datetime) -> str:
    return f"{when:%d %B %Y, %H:%M}"


def sample(entry: Entry, page: Page) -> Sample:
    said = TEXTS[entry.number][0][:90].rsplit(" ", 1)[0] + "..."
    told = FeedEntry(
        url=page.url,
        title=entry.title,
        published=entry.date.astimezone(UTC),
        summary_html=said,
        source="feed",
    )
    return Sample(page=page, entry=told)


def test_short_posts_of_a_blog_without_a_feed() -> None:
    """A page of one line seems to be all of its box; what was learned of the longer ones tells
    which part of it is the text.
    """

    def page(entry: Entry) -> Page:
        text = (
            f"It rained on day {entry.number}, all of it."
            if entry.number % 5 == 3
            else "</p><p>".join(TEXTS[entry.number])
        )
        title = f"{entry.title}, and what came of it in the end of the day"
        foot = "<div class=by>by Ann Lee of the town | <a href=notes>3 notes</a></div>"
        inner = (
            f"<div class=ttl>{title}</div><div class=dt>{english(entry.date)}</div><div "
            f"class=txt><p>{text}</p></div>{foot}"
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
    told = self_told(samples, chain.learned(samples))
    assert len(told) == len(POSTS)
    for one in told:
        assert (
            node_text(one.page.tree.find_class("txt")[0]).split()
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


def test_a_heading_that_speaks_of_comments_amid_a_post() -> None:
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
