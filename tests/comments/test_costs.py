"""What reading a comment costs: counted, for time depends on what else the machine does."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from blogcrawl.comments import body
from blogcrawl.comments.page_reader import look
from blogcrawl.core.page import Page
from tests.hostile import comments


def _calls(count: int, levels: int) -> int:
    """Return how many calls of Python functions reading so many comments takes."""
    page = Page(url="http://blog.example/post", body=comments(count, levels).encode())
    assert len(page.tree)  # parsing is not counted
    calls = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        found = look(page)
    finally:
        sys.setprofile(before)
    assert len(found.seen.comments) == count
    return calls


@pytest.mark.parametrize(("levels", "limit"), [(1, 325), (20, 375)])
def test_a_comment_takes_a_bounded_number_of_calls(levels: int, limit: int) -> None:
    _calls(40, levels)  # what is learned once of all pages
    assert _calls(120, levels) - _calls(80, levels) <= 40 * limit


def _characters(words: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many characters are read anew of comments that show code of so many words."""
    code = "".join(f"<span class=k>w{n}</span> " for n in range(words))
    html = comments(4, 1).replace("Yes, ferry", f"<code>{code}</code> Yes, ferry")
    read, texts = body.node_text, []
    monkeypatch.setattr(body, "node_text", lambda node: texts.append(read(node)) or texts[-1])
    found = look(Page(url="http://blog.example/post", body=f"<html><body>{html}".encode()))
    assert len(found.seen.comments) == 4
    return sum(map(len, texts))


def test_code_in_colours_is_not_read_for_each_of_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _characters(400, monkeypatch) < 3 * _characters(200, monkeypatch)
