"""Readers' comments inside what was taken for the post."""

from __future__ import annotations

from collections.abc import Sequence

import lxml.html
import pytest
from lxml.html import HtmlElement

from blogcrawl.extraction.content import inline_comments

LINE = "<p>The ferry left late, and the people on the quay waved for a long time.</p>"


def test_what_follows_a_label_is_read_once_whatever_labels_are_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixty labels with nothing but text behind each took 2 s."""
    calls = []
    read = inline_comments.repeated_blocks

    def counted(root: HtmlElement, banned: set[HtmlElement]) -> Sequence[list[HtmlElement]]:
        calls.append(banned)
        return read(root, banned)

    monkeypatch.setattr(inline_comments, "repeated_blocks", counted)
    root = lxml.html.fromstring(f"<div>{(LINE + '<b>Comments</b>') * 60}{LINE}</div>")
    inline_comments.drop_said_below(root, ["Comments"], 0)
    assert len(calls) == 1
    assert len(root.findall("b")) == 60


def test_comments_behind_the_second_of_two_labels_are_dropped() -> None:
    comment = "<div class=c>Ann, May {}, 2009 at 10:00<br>I was on that ferry, {}.</div>"
    said = "".join(comment.format(n, n) for n in range(1, 5))
    root = lxml.html.fromstring(
        f"<div><div><h3>Comments</h3>{LINE}</div>{LINE}<h3>Comments</h3>{said}</div>"
    )
    inline_comments.drop_said_below(root, ["Comments"], 0)
    assert len(root.findall(".//h3")) == 1 and "I was on" not in root.text_content()
