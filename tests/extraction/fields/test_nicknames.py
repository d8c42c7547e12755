"""Bylines that name a nickname in small letters."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.author_lines import visible_authors


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("publicado por maria às 10:23 | comentar", ["maria"]),
        ("Posté par lolo à 10:23 - Permalien", ["lolo"]),
        ("belka_writes wrote, @ 2005-08-27 10:20:00", ["belka_writes"]),
        ("somebody wrote: all of this is old", []),
    ],
)
def test_nickname_between_verb_and_time_is_the_author(line: str, names: list[str]) -> None:
    text = "<p>Words of the post.</p>" * 9
    html = (
        f"<html><head><title>A walk</title></head><body><div><h2>A walk</h2><p "
        f"class=by>{line}</p><div>{text}</div></div></body></html>"
    )
    assert [
        name
        for name, _ in visible_authors(Page(url="http://b.example/1", body=html.encode()), None)
    ] == names


@pytest.mark.parametrize(
    ("label", "name"), [("文章作者", "林小满"), ("Author", "Ute Maier"), ("License", None)]
)
def test_name_behind_the_element_of_its_label_is_the_author(label: str, name: str | None) -> None:
    text = "<p>今天下雨，我们在家里读书，喝了很多茶，也聊了很久的天。</p>" * 8
    item = f"<p class=item><span>{label}</span><span>{name or 'Free Use'}</span></p>"
    html = f"<body><h1>雨天</h1><div id=c>{text}</div><div class=box>{item}</div></body>"
    page = Page(
        url="http://b.example/1",
        body=html.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )
    found = visible_authors(page, page.tree.get_element_by_id("c"))
    assert [each for each, _ in found] == ([name] if name else [])


def test_name_between_its_label_and_a_biography_is_the_author() -> None:
    text = "<p>It rained all day, and we read books at home, one after the other.</p>" * 8
    box = "<div>Author</div><div>Ute Maier</div><div>Someone who likes rain and bread.</div>"
    html = f"<body><h1>Rain</h1><div id=c>{text}</div><footer><div>{box}</div></footer></body>"
    page = Page(url="http://b.example/1", body=f"<article>{html}</article>".encode())
    found = visible_authors(page, page.tree.get_element_by_id("c"))
    assert [name for name, _ in found][:1] == ["Ute Maier"]
