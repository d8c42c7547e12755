"""Times of day that stand in another line than the day, and changes that pages declare or show."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.dates.edtf import written
from blogcrawl.extraction.model import BlogModel, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

BODY = "<p>It rained for three days, and nobody minded, least of all the snails.</p>" * 4
TOPICS = ("Rain", "Snails", "Lettuce", "Mud", "Ponds", "Moss")
UPDATED = "<p class=foot>Last updated: {n}/06/2009 17:20</p>"


def page_of(n: int, above: str = "", below: str = "", head: str = "", text: str = "") -> Page:
    """Return a page whose day is a heading above its title."""
    html = (
        f"<html lang=en-gb><head><title>{TOPICS[n % 6]}</title>{head}</head><body><div id=main>"
        f"<h3 class=date>{n + 10} May 2008</h3><h2 class=title>{TOPICS[n % 6]}</h2>{above}"
        f"<div class=entry><div class=text>{BODY}<p>Part {n}.</p>{text}</div></div>{below}</div>"
    )
    return Page(url=f"https://b.example/{TOPICS[n % 6].lower()}", body=html.encode())


def post_of(page: Page, model: BlogModel | None = None) -> Post:
    post = extract_post(page, model or learn_blog([]))
    assert isinstance(post, Post)
    return post


def published(page: Page) -> str:
    moment = post_of(page).published
    return written(moment) if moment is not None else ""


@pytest.mark.parametrize(
    "places",
    [
        {"below": "<div class=entryFooter>Posted by Ann in Mud at 22:05 | No comments</div>"},
        {"above": "<span class=when><a href='#'>[ 22:05 ]</a></span>"},
        {"above": "<div class=x>Ann at 10:05 pm on Monday, 11. May</div>"},
    ],
    ids=["in the foot", "alone", "before the day without its year"],
)
def test_time_in_another_line_is_that_of_the_day(places: dict[str, str]) -> None:
    assert published(page_of(1, **places)) == "2008-05-11T22:05:00"


@pytest.mark.parametrize(
    "places",
    [
        {"text": "<p>20:00</p>"},
        {"below": "<div class=player>00:00</div>"},
        {"below": "<div class=entryFooter>Open from 9:00 to 17:30</div>"},
        {"above": "<p>8:30</p>", "below": "<div class=entryFooter>at 22:05</div>"},
        {"below": "<p class=meta>Last updated at 22:05</p>"},
    ],
    ids=["in the text", "midnight", "a span of hours", "two lines", "of a change"],
)
def test_other_times_are_not_that_of_the_day(places: dict[str, str]) -> None:
    assert published(page_of(1, **places)) == "2008-05-11"


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ({"below": UPDATED.format(n=4)}, "2009-06-04T17:20:00"),
        ({"text": "<p>Updated 4 June 2009</p>"}, "2009-06-04"),
        (
            {
                "below": "<p class=foot>Updated <time itemprop=dateModified "
                "datetime=2009-06-04T17:20:00.000Z>4 June 2009"
                "</time></p>"
            },
            "2009-06-04T17:20:00Z",
        ),
        ({"text": "<p>Updated 4 June 2009: the snails are back.</p>"}, None),
        ({"below": "<p class=foot>Last updated: 4/06/2003</p>"}, None),
        (
            {"head": "<meta property=article:modified_time content='2009-06-04T17:20:00+02:00'>"},
            "2009-06-04T17:20:00+02:00",
        ),
    ],
    ids=[
        "below",
        "alone in the text",
        "marked with its time",
        "in prose",
        "before the post",
        "declared",
    ],
)
def test_change_that_a_page_shows_or_declares(places: dict[str, str], wanted: str | None) -> None:
    changed = post_of(page_of(1, **places)).modified
    assert (written(changed) if changed is not None else None) == wanted


def learned(**places: str) -> BlogModel:
    pages = [
        page_of(n, **{name: text.format(n=n + 1) for name, text in places.items()})
        for n in range(6)
    ]
    return learn_blog(
        [
            Sample(page=page, entry=FeedEntry(url=page.url, title=topic, content_html=BODY))
            for page, topic in zip(pages, TOPICS, strict=True)
        ]
    )


def test_declared_change_is_recorded_where_rules_find_all_else() -> None:
    head = "<meta property=article:modified_time content='2009-06-0{n}T17:20:00Z'>"
    page = page_of(11, head=head.format(n=9))
    changed = post_of(page, learned(head=head)).modified
    assert changed is not None and written(changed) == "2009-06-09T17:20:00Z"


@pytest.mark.parametrize(
    "places",
    [
        {"below": "<p class=foot>Last updated: 4/06/2009 17:20</p>"},
        {"head": "<meta property=article:modified_time content='2009-06-04T17:20:00Z'>"},
    ],
    ids=["shown", "declared"],
)
def test_change_that_all_pages_have_is_none_of_a_post(places: dict[str, str]) -> None:
    assert post_of(page_of(11, **places), learned(**places)).modified is None
    lone = post_of(page_of(11, **places))
    assert lone.modified is not None


def labelled(n: int, changed: str = "") -> Page:
    """Return a page that writes a clock one hour ahead of UTC with the label of UTC."""
    moment = f"2010-{n + 1:02d}-11T20:44:47+00:00"
    times = f"<time class='entry-date published' datetime={moment}>11.{n + 1}.2010</time>"
    times += f"<time class=updated datetime={changed or moment}></time>"
    html = (
        f"<html lang=en><head><title>{TOPICS[n % 6]}</title></head><body><article class=hentry>"
        f"<h1 class=entry-title>{TOPICS[n % 6]}</h1><div class=entry-content>{BODY}"
        f"<p>Part {n}.</p></div><footer>{times}</footer></article>"
    )
    return Page(url=f"https://b.example/{n}-{TOPICS[n % 6].lower()}", body=html.encode())


def test_change_labelled_as_utc_like_the_publication_is_on_the_clock_of_the_blog() -> None:
    samples = []
    for n in range(6):
        page, moment = labelled(n), datetime(2010, n + 1, 11, 19, 44, 47, tzinfo=UTC)
        body = f"{BODY}<p>Part {n}.</p>"
        entry = FeedEntry(url=page.url, title=TOPICS[n], content_html=body, published=moment)
        samples.append(Sample(page=page, entry=entry))
    model = learn_blog(samples)
    changed = post_of(labelled(8, changed="2010-09-12T09:30:00+00:00"), model)
    assert changed.published is not None and changed.modified is not None
    assert written(changed.published) == "2010-09-11T20:44:47+01:00"
    assert written(changed.modified) == "2010-09-12T09:30:00+01:00"
    assert post_of(labelled(9), model).modified is None
