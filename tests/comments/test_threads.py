"""Which comment answers which."""

from __future__ import annotations

import pytest

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page


def parents_of(comments: str) -> dict[str, str | None]:
    body = f"<html><body><ol class=commentlist>{comments}</ol></body></html>"
    page = Page(url="https://b.example/post", body=body.encode())
    return {c.id: c.parent_id for c in read_page(page).comments}


def comment(number: int, name: str, inside: str = "", attributes: str = "") -> str:
    return (
        f"<li id=comment-{number} {attributes}><cite>{name}</cite> "
        f"<time datetime=2020-05-0{number}T10:00:00Z>May {number}</time>"
        f"<p>{name} has something to say about this, number {number}.</p>"
        f"<a class=comment-reply-link href='#comment-{number}'>回复</a>{inside}</li>"
    )


def test_nested_comment_replies_to_its_container() -> None:
    found = parents_of(comment(1, "Ann", f"<ul class=children>{comment(2, 'Ben')}</ul>"))
    assert found == {"1": None, "2": "1"}


def test_reply_links_of_nested_comments_are_not_the_outer_comments() -> None:
    replies = comment(2, "Ben") + comment(3, "Cem")
    found = parents_of(comment(1, "Ann", f"<ul class=children>{replies}</ul>") + comment(4, "Dag"))
    assert found == {"1": None, "2": "1", "3": "1", "4": None}


def test_deeper_comment_replies_to_the_nearest_shallower_one() -> None:
    depths = ((1, 1), (2, 2), (3, 3), (4, 2), (5, 1))
    found = parents_of("".join(comment(n, f"Name{n}", "", f"class=depth-{d}") for n, d in depths))
    assert found == {"1": None, "2": "1", "3": "2", "4": "1", "5": None}


def test_list_named_like_the_one_around_it_holds_replies() -> None:
    def item(number: int, name: str, inside: str = "") -> str:
        return (
            f"<li>{comment(number, name).replace('<li', '<div').replace('</li', '</div')}{inside}"
        )

    inner = f"<ul class=wrapper>{item(2, 'Ben')}</ul>"
    lists = f"<ul class=wrapper>{item(1, 'Ann', inner)}</ul><ul class=wrapper>{item(3, 'Cem')}</ul>"
    assert parents_of(f"<li>{lists}</li>") == {"1": None, "2": "1", "3": None}


@pytest.mark.parametrize("post", [1, 5])
def test_numbered_box_around_all_comments_is_none(post: int) -> None:
    def written(number: int, name: str) -> str:
        item = comment(number, name).replace("li id=comment-", "div id=c")
        return item.replace("</li>", "</div>")

    replies = f"<ul><li>{written(1, 'Ann')}<ul><li>{written(4, 'Dag')}</li></ul></li></ul>"
    box = f"<div id=comments-{post} class=comments>{replies}<ul><li>{written(2, 'Ben')}</li></ul>"
    assert parents_of(f"<li>{box}</div></li>") == {"1": None, "4": "1", "2": None}


def test_parent_is_read_from_an_attribute() -> None:
    found = parents_of(comment(1, "Ann") + comment(2, "Ben", "", "data-parent-id=1"))
    assert found == {"1": None, "2": "1"}


def test_parent_is_read_from_an_in_reply_to_link() -> None:
    link = "<p>In reply to <a href='#comment-1'>Ann</a></p>"
    assert parents_of(comment(1, "Ann") + comment(2, "Ben", link)) == {"1": None, "2": "1"}
