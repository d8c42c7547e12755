"""How the comments of a page decide together on the place of a field."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.comments.candidates import AUTHOR_EVIDENCE, read_units
from blogcrawl.comments.fields import AUTHOR_POLICY, DATE_POLICY, fill, rank
from blogcrawl.comments.page_reader import read_page
from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.page import Page


def readers(*comments: str) -> list[Reader]:
    root = lxml.html.fromstring("<div>" + "".join(f"<div>{c}</div>" for c in comments) + "</div>")
    return read_units([Unit([element]) for element in root], "en")


@pytest.mark.parametrize(
    ("markup", "score"),
    [
        ('<span itemprop="author">Ann</span>', 10.0),
        ('<cite class="fn">Ann</cite>', 9.0),
        ('<a rel="author" href="/ann">Ann</a>', 7.0),
        ('<span class="comment-author">Ann</span>', 6.0),
        ("<cite>Ann</cite>", 5.0),
        ('<a rel="nofollow" href="http://ann.example/">Ann</a>', 3.0),
        ("<b>Ann</b>", 2.5),
    ],
)
def test_first_matching_evidence_scores_a_name(markup: str, score: float) -> None:
    (reader,) = readers(f"{markup} <p>Great bread.</p>")
    assert [(c.score, c.name) for c in reader.authors.values()] == [(score, "Ann")]
    assert score in [row for row, _ in AUTHOR_EVIDENCE]


def test_rare_emphasis_is_no_author_location() -> None:
    found = readers(
        "<cite>Ann</cite><p>Great</p>", "<cite>Bob</cite><p><b>So</b> do I</p>", "<cite>Zoe</cite>"
    )
    assert rank(found, (), AUTHOR_POLICY) == [">div>cite"]


def test_learned_locations_come_first() -> None:
    found = readers("<cite>Ann</cite> <b>Baker</b>", "<cite>Bob</cite> <b>Cook</b>")
    assert rank(found, (">div>b", ">div>i"), AUTHOR_POLICY) == [">div>b", ">div>cite"]


def test_machine_readable_date_beats_a_guess_at_the_usual_location() -> None:
    written = "<span>3 May 2010</span><p>Great.</p>"
    found = readers(
        written, written, "<span>1 May 2010</span><time datetime=2010-05-04T10:11>x</time>"
    )
    fill(found, (), rank(found, (), DATE_POLICY), None)
    assert [r.date.moment.day for r in found if r.date is not None] == [3, 3, 4]


HEADS_IN_THE_BOX_BEFORE = """<div id=comments><h4>3 comments</h4><div class=cmt>
<div id=c71></div><b><a href=/ann rel=nofollow>Ann</a> said...</b></div>
<div class=cmt>We had it with butter and the last jam of the summer. Will you bake it
again? My children would like to know, and so would I.<br><a href=#c71>5/3/10, 10:11 AM</a><br>
<div id=c72></div><b><a href=/bob rel=nofollow>Bob</a> said...</b></div>
<div class=cmt>So do I, every week.<br><a href=#c72>5/3/10, 10:12 AM</a><br>
<div id=c73></div><b><a href=/cleo rel=nofollow>Cleo</a> said...</b></div>
<div class=cmt>How long does it rest?<br><a href=#c73>5/13/10, 10:13 AM</a><br></div></div>"""


def test_name_at_the_end_of_a_box_belongs_to_its_anchors_comment() -> None:
    body = f"<html><body>{HEADS_IN_THE_BOX_BEFORE}</body></html>"
    comments = read_page(Page(url="http://b.example/p.html", body=body.encode())).comments
    signed = {comment.content_text: comment.author for comment in comments}
    assert signed["So do I, every week."] == "Bob"
    assert signed["How long does it rest?"] == "Cleo"
    assert next(iter(signed.values())) == "Ann", "its head has a box of its own"


def test_reply_link_does_not_move_the_parents_name() -> None:
    boxes = """<div id=comments><h3>2 comments</h3>
    <div class=comment><a name=c71></a><cite>Ann</cite> <i>3 May 2010, 10:11</i><p>Hello.</p></div>
    <div class=comment><a name=c72></a><cite>Bob</cite> <i>3 May 2010, 10:12</i>
    <p>In answer to <a href=#c71>Ann</a>: yes.</p></div></div>"""
    page = Page(url="http://b.example/p.html", body=f"<html><body>{boxes}</body></html>".encode())
    assert [comment.author for comment in read_page(page).comments] == ["Ann", "Bob"]
