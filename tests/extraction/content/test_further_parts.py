"""Parts of one post in boxes side by side."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.extraction.content.further_parts import with_further_parts
from blogcrawl.text.visible import node_text


def joined(siblings: str) -> str:
    tree = lxml.html.fromstring(f"<div><div class='entry-body'>The opening.</div>{siblings}</div>")
    return " ".join(map(node_text, with_further_parts(tree[0])))


@pytest.mark.parametrize(
    "label",
    [
        "class='asset-more'",
        "class='s9y_entry_extended'",
        "id='more' class='entry-more'",
        "class='block-detail'",
    ],
)
def test_extended_entry_is_joined_to_the_opening(label: str) -> None:
    assert joined(f"<div {label}>And the rest of it.</div>") == "The opening. And the rest of it."


@pytest.mark.parametrize(
    "sibling",
    [
        "<div class='entry-footer'>Posted by Ann.</div>",
        "<div class='more-posts'>Other posts of ours.</div>",
        "<div class='more'><a href='/2'>Older entries of this blog</a></div>",
    ],
)
def test_other_blocks_after_the_opening_are_not_joined(sibling: str) -> None:
    assert joined(sibling) == "The opening."


def test_list_named_more_is_no_extended_entry() -> None:
    assert joined("<ul class='more'><li>Written with a pen</li></ul>") == "The opening."


@pytest.mark.parametrize(
    ("above", "first"),
    [
        ("<div class='teaser-text'><p>It began in May.</p></div>", "It began in May."),
        ("<div class=chapo>It began in May.</div><div class=img><img></div>", "It began in May."),
        ("<div class=post-excerpt><p>It began in May.</p></div>", "It began in May."),
        ("<div class=introduction><p>It began in May.</p></div>", "It began in May."),
        ("<div class=post-excerpt><p>The open…</p></div>", "The opening."),
        ("<div class=teaser><h3>Another post</h3><p>It began in May.</p></div>", "The opening."),
        ("<div class=teaser><a href=/2>It began in May, they say.</a></div>", "The opening."),
        ("<div class=lead>By Ann</div>", "The opening."),
        ("<div class=teaser>One.</div><div class=teaser>Two.</div>", "The opening."),
    ],
)
def test_first_paragraph_in_a_box_of_its_own_belongs_to_the_post(above: str, first: str) -> None:
    tree = lxml.html.fromstring(f"<div>{above}<div class='text'>The opening.</div></div>")
    parts = with_further_parts(tree.find_class("text")[0])
    assert node_text(parts[0]) == first and node_text(parts[-1]) == "The opening."
