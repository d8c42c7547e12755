"""A comment inside of many boxes or of other comments costs time in proportion to their number."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType

import pytest
from lxml.html import HtmlElement

from blogcrawl.comments.page_reader import extract_comments
from blogcrawl.core.page import Page
from blogcrawl.text import visible

HEAD = (
    '<a name="107"></a><br>posted by Ada at '
    '<a href="/2004_05_01_a.html#107">May 4, 2004 3:07 PM</a>'
)
LISTED = (
    '<li id="comment-{n}" class="comment"><cite class="fn">Ada {n}</cite> '
    "<time datetime=2024-03-02>March 2, 2024</time>{boxes}<p>Yes.</p></li>"
)


def _alone(box: str, depth: int) -> str:
    """A page with one anchor, inside of boxes."""
    return f"<p>Some text of a diary.</p>{box * depth}{HEAD}{box * depth}x"


def _listed(box: str, depth: int) -> str:
    """Two comments with boxes in them."""
    tag = box[1:].split()[0].rstrip(">")
    boxes = box * depth + f"</{tag}>" * depth
    listed = "".join(LISTED.format(n=n, boxes=boxes) for n in (1, 2))
    return f"<h2>Comments</h2><ol class=comment-list>{listed}</ol>"


def _undated(box: str, depth: int) -> str:
    """Two comments without a date, whose lines stand inside of boxes."""
    tag = box[1:].split()[0].rstrip(">")
    boxes = box * depth + "Ada 1<br>Yes, so it is." + f"</{tag}>" * depth
    return "<h2>Comments</h2>" + "".join(f"<div id=comment-{n}>{boxes}</div>" for n in (1, 2))


def _titled(box: str, depth: int) -> str:
    """Boxes around links that may be the titles of other pages, and a date."""
    links = "".join(f"<a href=/{n}>A walk along the river {n}</a> " for n in range(4))
    return f"<h2>2 comments</h2>{box * depth}{links}{PLAIN}<p>Yes, so it is.</p>"


MARKED = "<cite>Ada</cite> <time>March 2, 2024</time>"
PLAIN = "<b>Ada</b> <span>March 2, 2024</span>"


def _answers(byline: str, levels: int) -> str:
    """Comments that each hold the next one."""
    head = f"{byline}<p>Yes, so it is.</p>"
    opened = (f'<li id="comment-{n}" class="comment">{head}<ul>' for n in range(levels))
    return f"<h2>Comments</h2><ul>{''.join(opened)}{'</ul></li>' * levels}</ul>"


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Count what Python calls, and the elements that are read for their text inside of libxslt."""
    steps = 0
    marked = visible._marked

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    def read(element: HtmlElement, *, keep_pre: bool) -> str:
        nonlocal steps
        steps += sum(1 for _ in element.iter())
        return marked(element, keep_pre=keep_pre)

    before = sys.getprofile()
    monkeypatch.setattr(visible, "_marked", read)
    sys.setprofile(count)
    try:
        yield lambda: steps
    finally:
        sys.setprofile(before)


def work(html: str, monkeypatch: pytest.MonkeyPatch) -> int:
    page = Page(url="http://b.example/1", body=f"<html><body>{html}".encode())
    _ = page.tree
    with counted(monkeypatch) as steps:
        extract_comments(page, published=datetime(2024, 3, 1, tzinfo=UTC))
        return steps()


@pytest.mark.parametrize("make", [_alone, _listed, _undated, _titled])
@pytest.mark.parametrize(
    "box",
    [
        "<div>",
        "<blockquote>",
        "<span>",
        "<div class=author>",
        "<div class=comment-body>",
        "<div class=comment-date>1 ",
        "<span class=subject>",
        "<div>Ada ",
        "<i><div>",
    ],
)
def test_time_is_linear_in_nesting_depth(
    make: Callable[[str, int], str], box: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(make(box, 8), monkeypatch)  # fills caches
    shallow, deep = (work(make(box, depth), monkeypatch) for depth in (120, 240))
    assert deep < 2.4 * shallow, (shallow, deep)


@pytest.mark.parametrize("byline", [MARKED, PLAIN, ""])
def test_time_is_linear_in_the_number_of_answers_to_answers(
    byline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(_answers(byline, 8), monkeypatch)  # fills caches
    few, many = (work(_answers(byline, levels), monkeypatch) for levels in (60, 120))
    assert many < 2.4 * few, (few, many)
