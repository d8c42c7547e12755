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


@pytest.mark.parametrize("label", ["Comments on {}", "Commentaires sur «\u00a0{}\u00a0»"])
@pytest.mark.parametrize("title", ["The ferry to the island", "Another letter"])
def test_a_label_with_the_name_of_the_post_heads_its_comments(label: str, title: str) -> None:
    said = "<div class=c><p>Ann, May 3, 2009 at 10:00</p><p>I was on that ferry.</p></div>"
    head = label.format("The ferry to the island")
    root = lxml.html.fromstring(f"<div>{LINE * 3}<div><h3>{head}</h3>{said}</div></div>")
    inline_comments.drop_said_below(root, [head], 0, f"{title} | Ann's letters")
    assert ("I was on" not in root.text_content()) is title.startswith("The ferry")


def test_what_is_left_of_the_form_is_no_comment() -> None:
    said = "".join(
        f"<table><tr><td><b>Ann</b><br>0{n}.05.2009, 10:00</td><td>I saw it, {n}.</td></tr></table>"
        for n in (1, 2)
    )
    head = "<table><tr><th>Comments on article 9</th></tr></table>"
    root = lxml.html.fromstring(f"<div><p>{LINE}</p>{head}{said}<table><tr></tr></table></div>")
    inline_comments.drop_said_below(root, ["Comments on article 9"], 0)
    assert "I saw it" not in root.text_content()


def test_a_title_with_a_word_for_comments_heads_none() -> None:
    said = "".join(
        f"<div class=c><p>Ann, May {n}, 2009 at 10:00</p><p>I was on it.</p></div>" for n in (3, 4)
    )
    title = "My thoughts on ferries"
    root = lxml.html.fromstring(f"<div><hr><p><b>{title}</b></p>{LINE * 3}{said}</div>")
    inline_comments.drop_said_below(root, [title], 0, f"Letters » {title}")
    assert root.text_content().count("The ferry left late") == 3


def test_an_anchor_without_a_heading_heads_comments() -> None:
    rows = "".join(f"<tr><td>Ann<br>0{n}.05.2009</td><td>I was on it.</td></tr>" for n in (3, 4))
    table = f"<a name='comments'></a><table>{rows}</table>"
    root = lxml.html.fromstring(f"<div><h1>Ferry</h1>{LINE * 3}{table}</div>")
    inline_comments.drop_said_below(root, ["Ferry"], 0, "Ferry")
    assert "I was on it" not in root.text_content() and len(root.findall("p")) == 3


def test_comments_behind_the_form_are_dropped_with_it() -> None:
    said = "".join(
        f"<div class=media><h4>Ann <small>May {n}, 2009</small></h4>I was on it, {n}.</div>"
        for n in (1, 2)
    )
    form = "<div class=well><form><textarea></textarea></form></div>"
    root = lxml.html.fromstring(f"<div>{LINE}{form}{said}</div>")
    inline_comments.drop_said_behind_forms(root, 1000)
    assert root.find(".//h4") is not None
    inline_comments.drop_said_behind_forms(root, 20)
    assert [each.tag for each in root] == ["p"]


def test_text_behind_a_form_is_kept() -> None:
    form = "<form><textarea></textarea></form>"
    root = lxml.html.fromstring(f"<div>{LINE}{form}<div>Ann left on May 3, 2009.</div></div>")
    inline_comments.drop_said_behind_forms(root, 0)
    assert root.find("form") is not None


def test_comments_whose_bylines_are_gone_are_known_by_their_anchors() -> None:
    said = "".join(f"<a id='c1700{n}'></a><p>I was on that ferry, {n}.</p>" for n in (1, 2))
    root = lxml.html.fromstring(f"<div>{LINE * 3}<h2>Comments</h2>{said}</div>")
    inline_comments.drop_said_below(root, ["Comments"], 0)
    assert "I was on" not in root.text_content() and "Comments" not in root.text_content()


@pytest.mark.parametrize("heading", ["<a id='trackback'></a>TrackBack", "Trackback Pings"])
def test_the_address_to_ping_ends_the_post(heading: str) -> None:
    name = "" if "id=" in heading else " id='trackbacks'"
    below = (
        f"<h2{name}>{heading}</h2><p>TrackBack URL for this entry:<br>http://t.example/t/5/16</p>"
        "<p>Listed below are links to weblogs that reference <a href='/a'>The ferry</a>:</p>"
    )
    root = lxml.html.fromstring(f"<div>{LINE * 3}{below}</div>")
    inline_comments.drop_pings_below(root, 0)
    assert "TrackBack" not in root.text_content() and len(root.findall("p")) == 3


def test_a_post_on_trackbacks_keeps_its_headings() -> None:
    root = lxml.html.fromstring(f"<div>{LINE}<h2 id='trackbacks'>Trackbacks</h2>{LINE}</div>")
    inline_comments.drop_pings_below(root, 0)
    assert len(root.findall("p")) == 2
