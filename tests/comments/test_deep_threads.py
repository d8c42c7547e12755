"""Long and deep threads: read as the same comments in less, and in time linear in their number."""

from __future__ import annotations

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page
from tests.cpu import seconds
from tests.hostile import comments


def _page(html: str) -> Page:
    return Page(
        url="https://blog.example/1", body=html.encode(), headers={"content-type": "text/html"}
    )


def test_deep_threads_take_as_long_as_flat_ones() -> None:
    pages = {depth: _page(comments(1_000, depth)) for depth in (1, 500)}
    flat = seconds(lambda: read_page(pages[1]))
    found = []
    assert seconds(lambda: found.extend(read_page(pages[500]).comments)) < 8 * flat
    assert [c.content_text for c in found] == [f"Yes, ferry {n}." for n in range(1_000)]
    by_id = {c.id: place for place, c in enumerate(found)}
    above = [by_id[c.parent_id] if c.parent_id else None for c in found]
    assert above == [n - 1 if n % 500 else None for n in range(1_000)]


def test_reading_comments_does_not_change_the_page() -> None:
    page = _page(comments(20, 5))
    before = list(page.tree.iter())
    read_page(page)
    assert list(page.tree.iter()) == before


def test_element_with_a_repeated_number_is_one_comment() -> None:
    html = "".join(
        f'<div id="comment-{n}" data-comment-id="{n}"><cite>Ann</cite>'
        f'<time datetime="2024-03-02T10:00:00Z">March 2</time><p>Yes, ferry {n}.</p></div>'
        for n in range(4)
    )
    found = read_page(_page(f"<div id=comments>{html}</div>")).comments
    assert [c.content_text for c in found] == [f"Yes, ferry {n}." for n in range(4)]
