"""Text of a comment's HTML."""

from __future__ import annotations

import random

from blogcrawl.comments import records
from blogcrawl.comments.records import html_text
from blogcrawl.core.page import fragment
from blogcrawl.text.visible import paragraphs

PIECES = [
    *("<p>a</p>", "<p>b <i>c</i><br>d</p>", "<b>x</b>", '<a href="x">y<br>z</a>', "<br>", "text"),
    *("  ", "\n", "\r\n", "\xa0", "\u2028", "\ufeff", "&amp;", "&lt;", "&nbsp;", "&amp;lt;", "é"),
    *("<p>", "</p>", "<em>", "</em>", "<ul><li>", "</li></ul>", "<pre>\n x</pre>", "&eacute;"),
]


def test_simple_html_is_read_as_its_tree_would_be() -> None:
    chosen = random.Random(3)
    simple = 0
    for _ in range(4_000):
        html = "".join(chosen.choices(PIECES, k=chosen.randint(1, 8)))
        simple += records._SIMPLE.fullmatch(html) is not None
        wanted = paragraphs(fragment(html)) if html.strip() else ""
        assert html_text(html) == wanted, html
    assert simple > 400


def test_long_html_is_read_in_linear_time() -> None:
    assert html_text("<p>a</p>" * 100_000 + "<ul>") == "\n".join("a" * 100_000)
