"""Comments found by comparing pages only: no class name, count, heading or feed identifies them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime

import lxml.html
import pytest

from blogcrawl.comments import separate
from blogcrawl.comments.candidates import read_units
from blogcrawl.comments.plan import CommentPlan
from blogcrawl.comments.records import CommentResult
from blogcrawl.comments.site import SiteComments
from blogcrawl.comments.unit import Unit
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry

FORM = (
    "<form action=/say method=post><input name=who><input name=mail type=email><textarea "
    "name=words></textarea></form>"
)


def words(seed: str, count: int = 20) -> str:
    rng = random.Random(seed)
    return (
        " ".join(
            "".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(2, 8)))
            for _ in range(count)
        ).capitalize()
        + "."
    )


def said(n: int, i: int, day: str = "2020-03") -> str:
    return (
        f"<div class=bx><div class=hd><b>Guest{i}</b> {day}-{i + 1:02d} 10:11</div><div "
        f"class=tx><p>{words(f'c{n}.{i}')}</p></div></div>"
    )


def page_of(n: int, below: str, form: str = FORM) -> Page:
    story = "".join(f"<p>{words(f'p{n}.{i}', 40)}</p>" for i in range(3))
    body = (
        f"<div class=top>My pages</div><div class=a1><h1>{words(f't{n}', 4)}</h1><div "
        f"class=a2>{story}</div></div>"
    )
    return Page(
        url=f"https://b.example/{n}",
        body=(
            f"<html lang=en><body>{body}<div class=a3>{below}</div>{form}<div class=a9>Made by "
            f"hand</div></body></html>"
        ).encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def visit(site: SiteComments, page: Page, count: int | None = None) -> CommentResult:
    content = "".join(f"<p>{node.text}</p>" for node in page.tree.xpath("//div[@class='a2']/p"))
    plan = CommentPlan(
        site=site, page=page, entry=FeedEntry(url=page.url, comments_count=count), content=content
    )
    assert plan.requests() == []
    return plan.result()


def met(pages: list[Page]) -> SiteComments:
    site = SiteComments()
    for page in pages:
        site.meet(page, None)
    return site


@pytest.mark.parametrize("form,count", [(FORM, None), ("", 4)])
def test_comments_are_found_by_comparing_pages(form: str, count: int | None) -> None:
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 3)), form) for n in range(8)])
    page = page_of(50, "".join(said(50, i) for i in range(4)), form)
    result = visit(site, page, count)
    assert dict(result.methods) == {"series": 4}
    assert [c.content_text for c in result.comments] == [words(f"c50.{i}") for i in range(4)]
    assert [c.author for c in result.comments] == [f"Guest{i}" for i in range(4)]
    assert [
        c.published_raw is not None and c.published is not None and c.published.day
        for c in result.comments
    ] == [1, 2, 3, 4]
    assert result.confidence <= 0.5, "candidates have low confidence"
    again = SiteComments.from_json(json.loads(json.dumps(site.to_json())))
    assert visit(again, page, count).comments == result.comments, "the next visit knows it"


def test_without_a_comment_heading_names_and_date_order_are_required() -> None:
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 3)), "") for n in range(8)])
    assert [c.author for c in visit(site, page_of(50, said(50, 0) + said(50, 1), "")).comments] == [
        "Guest0",
        "Guest1",
    ]
    assert visit(site, page_of(50, said(50, 0).replace("<b>Guest0</b>", ""), "")).comments == (), (
        "no name"
    )
    assert visit(site, page_of(50, said(50, 3) + said(50, 0) + said(50, 1), "")).comments == (), (
        "no order"
    )
    assert visit(site, page_of(50, said(50, 0)), count=0).comments == (), "the feed says none"


@pytest.mark.parametrize("head", ["<h3>{}</h3>", "<div class=hl><h3>{}</h3></div>"])
@pytest.mark.parametrize("words", ["Recent Comments", "Neueste Kommentare"])
def test_what_a_heading_calls_the_latest_comments_of_the_blog_is_none_of_the_post(
    head: str, words: str
) -> None:
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 3))) for n in range(8)])
    below = "".join(said(50, i) for i in range(4))
    assert len(visit(site, page_of(50, below)).comments) == 4
    assert visit(site, page_of(50, head.format(words) + below)).comments == ()


def related(n: int, i: int) -> str:
    return (
        f"<div class=bx><a href=/r{n}{i}>{words(f'r{n}.{i}', 8)}</a> <i>2019-0{i + 1}-03</i></div>"
    )


def note(n: int, i: int) -> str:
    return f"<div class=bx><i>2012-0{i + 1}-03</i> <p>{words(f'n{n}.{i}', 30)}</p></div>"


def teaser(n: int, i: int) -> str:
    return f"<div class=bx><b>{words(f'h{n}.{i}', 3)}</b><p>{words(f'n{n}.{i}', 30)}</p></div>"


@pytest.mark.parametrize("below", [related, note, teaser])
def test_blog_without_comments_yields_none(below: Callable[[int, int], str]) -> None:
    """Lists of links, older notes and undated texts come and go below the posts, and every page has
    a form to write to the author.
    """
    site = met([page_of(n, "".join(below(n, i) for i in range(n % 4))) for n in range(8)])
    page = page_of(50, "".join(below(50, i) for i in range(3)))
    plan = CommentPlan(
        site=site,
        page=page,
        published=None if below is related else datetime(2020, 1, 1, tzinfo=UTC),
    )
    assert plan.requests() == [] and plan.result().comments == ()


def test_more_blocks_than_the_stated_count_are_no_comments() -> None:
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 3))) for n in range(8)])
    assert visit(site, page_of(50, "".join(said(50, i) for i in range(9))), count=2).comments == ()


def test_post_text_is_never_taken_for_comments() -> None:
    """A post with dated boxes of its own kind in it."""
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 3))) for n in range(8)])
    page = page_of(50, said(50, 0))
    page = Page(
        url=page.url,
        body=page.body.replace(
            b"</p></div></div><div class=a3>",
            ("</p>" + said(70, 5) + "</div></div><div class=a3>").encode(),
        ),
    )
    content = page.tree.xpath("//div[@class='a2']")[0]
    result = CommentPlan(site=site, page=page, content=content).result()
    assert [c.content_text for c in result.comments] == [words("c50.0")]


@pytest.mark.parametrize("form", [FORM, ""])
def test_footer_with_the_posts_own_time_is_no_comment(form: str) -> None:
    """Name, date and a line of text stand under many posts: these
    belong to the post, as comments do not follow within a minute.
    """
    site = met([page_of(n, "".join(said(n, i) for i in range(n % 2)), form) for n in range(8)])
    page = page_of(50, said(50, 0), form)
    for minute, comments in ((11, 0), (9, 1)):
        plan = CommentPlan(
            site=site, page=page, published=datetime(2020, 3, 1, 10, minute, 27, tzinfo=UTC)
        )
        assert plan.requests() == [] and len(plan.result().comments) == comments


def changed(n: int) -> str:
    names = [words(f"g{n}.{i}", 1).strip(".") for i in range(n % 3)]
    tags = ", ".join(f"<a rel=tag href=/tags/{name}/>{name}</a>" for name in names)
    day = f"<time itemprop=dateModified datetime=2024-05-0{n}T08:09:10Z>Edited: 2024-05-0{n}</time>"
    return (
        f"<div class=ft><div class=tg>{tags}</div><div class=dt>{day}</div></div>" if tags else ""
    )


def licence(n: int) -> str:
    rows = (("Author", "Ann"), ("Posted on", f"2020-03-0{n}"), ("Changed on", "2024-05-01"))
    boxes = "".join(f"<div class=row><h6>{name}</h6><p>{said}</p></div>" for name, said in rows)
    return f"<div class=ft>{boxes}</div>" if n % 3 else ""


@pytest.mark.parametrize("foot", [changed, licence])
def test_foot_with_the_day_of_the_post_or_of_its_change_is_no_comment(
    foot: Callable[[int], str],
) -> None:
    """Nothing speaks for comments where themes write such boxes below some posts."""
    site = met([page_of(n, foot(n), "") for n in range(1, 9)])
    page, published = page_of(50, foot(4), ""), datetime(2020, 3, 4, 10, 11, tzinfo=UTC)
    plan = CommentPlan(site=site, page=page, published=published)
    assert plan.requests() == [] and plan.result().comments == ()


def test_entries_of_a_list_are_links_and_their_days() -> None:
    row = "<li><a href=/1>A walk by the river</a> <time datetime=2024-05-09>2024-05-09</time></li>"
    assert separate._is_list_entry([lxml.html.fromstring(f"<div><b>New</b>{row * 3}</div>")])
    said = f"<div><a href=/ann>Ann</a> <time>2024-05-09</time><p>{words('x', 3)}</p></div>"
    assert not separate._is_list_entry([lxml.html.fromstring(said)])


def test_moment_of_a_change_is_no_date_and_no_text_of_a_comment() -> None:
    day = "<div itemprop=dateModified datetime=2024-05-09><a><p>Edited: 2024-05-09</p></a></div>"
    box = lxml.html.fromstring(f"<div>{day}<div><a href=/tags/walk/>walk</a></div></div>")
    reader = read_units([Unit([box])])[0]
    assert not reader.dates and "Edited" not in reader.root.text_content()
