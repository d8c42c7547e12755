"""Title and day in the first lines of a text on pages without headings."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.fields.opening_lines import opening
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

TEXT = "We went to the harbour and the ferry had left. So we walked back along the wall. " * 4
NAV = (
    "<a href=/{}>previous</a> - <a href=/{}>next</a><br><a href=/>newest</a> | <a href=/o>older</a>"
)


def page_of(cell: str, n: int = 7) -> Page:
    body = (
        f"<center><font size=5>the top drawer</font></center>"
        f"<table><tr><td><font>{cell}</font></td></tr>"
        f"<tr><td><font size=1>{NAV.format(n - 1, n + 1)}</font></td></tr></table>"
    )
    html = f"<html><head><title>the top drawer</title></head><body>{body}</body></html>"
    return Page(url=f"http://b.example/{n:03}.html", body=html.encode())


@pytest.mark.parametrize(
    ("cell", "title", "day"),
    [
        ("<b>a walk</b><br>2001-09-10 - 6:12 p.m.<br><br>" + TEXT, "a walk", "2001-09-10"),
        ("Where is it?<br>10 September 2001<br>" + TEXT, "Where is it?", "2001-09-10"),
        ("10 September 2001<br>" + TEXT, None, "2001-09-10"),
        (TEXT + "<br>10 September 2001<br>" + TEXT, None, "2001-09-10"),
        ("On 10 September 2001 we met him<br>" + TEXT, None, None),
        ("<h2>Walks</h2>a walk<br>2001-09-10<br>" + TEXT, None, None),
    ],
)
def test_line_above_the_day_is_the_title(cell: str, title: str | None, day: str | None) -> None:
    page = page_of(cell)
    line, when = opening(page, next(page.tree.iter("font")).getparent().getnext(), ["en"])
    assert (line, when and str(when.moment.date())) == (title, day)


def test_diary_without_headings_and_feed() -> None:
    """The links to other pages are alike on all: none is the title."""
    titles = "a walk|the ferry|rain|what ann said|odds and ends|the wall|a letter|still rain".split(
        "|"
    )
    pages = [
        page_of(
            f"<b>{title}</b><br>2001-09-{n + 10} - {n + 1}:12 p.m.<br><br>"
            + " ".join(f"In week {n} we counted {n * k + 3} boats." for k in range(n % 3 * 8 + 2)),
            n,
        )
        for n, title in enumerate(titles)
    ]
    model = learn_blog([Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages])
    for n, page in enumerate(pages):
        post = extract_post(page, model)
        assert isinstance(post, Post)
        assert (post.title, str(post.published)[:10]) == (titles[n], f"2001-09-{n + 10}")
        assert post.content_text.startswith(f"In week {n} we counted")
