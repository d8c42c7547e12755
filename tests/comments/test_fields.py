"""How the comments of a page decide together on the place of a field."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.comments.candidates import AUTHOR_EVIDENCE, read_units
from blogcrawl.comments.fields import AUTHOR_POLICY, DATE_POLICY, fill, rank
from blogcrawl.comments.unit import Reader, Unit


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
def test_the_first_row_of_evidence_that_holds_scores_a_name(markup: str, score: float) -> None:
    (reader,) = readers(f"{markup} <p>Great bread.</p>")
    assert [(c.score, c.name) for c in reader.authors.values()] == [(score, "Ann")]
    assert score in [row for row, _ in AUTHOR_EVIDENCE]


def test_emphasis_that_few_comments_have_is_no_place_of_names() -> None:
    found = readers(
        "<cite>Ann</cite><p>Great</p>", "<cite>Bob</cite><p><b>So</b> do I</p>", "<cite>Zoe</cite>"
    )
    assert rank(found, (), AUTHOR_POLICY) == [">div>cite"]


def test_learned_places_come_first_where_they_occur() -> None:
    found = readers("<cite>Ann</cite> <b>Baker</b>", "<cite>Bob</cite> <b>Cook</b>")
    assert rank(found, (">div>b", ">div>i"), AUTHOR_POLICY) == [">div>b", ">div>cite"]


def test_a_date_for_machines_elsewhere_beats_a_guess_in_the_usual_place() -> None:
    written = "<span>3 May 2010</span><p>Great.</p>"
    found = readers(
        written, written, "<span>1 May 2010</span><time datetime=2010-05-04T10:11>x</time>"
    )
    fill(found, (), rank(found, (), DATE_POLICY), None)
    assert [r.date.moment.day for r in found if r.date is not None] == [3, 3, 4]
