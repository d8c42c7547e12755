"""What ``blogcrawl rules`` tells, and the page it draws."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.dates.edtf import DAY
from blogcrawl.extraction.explain import Explanation, explain, rules_of, text_of
from blogcrawl.extraction.model import BlogModel, Generation, Hints, learn_blog
from blogcrawl.induction.fingerprint import labels
from blogcrawl.web.outline import outlined, readable
from tests.induction.themes import Generated, Truth, entry_of, generate


@pytest.fixture(scope="module")
def blog() -> Generated:
    return generate("inside", authors=("Ada Lovely",))


@pytest.fixture(scope="module")
def model(blog: Generated) -> BlogModel:
    return learn_blog(blog.samples, Hints(home=blog.home))


def explained(blog: Generated, model: BlogModel) -> tuple[Page, Truth, Explanation]:
    page, truth = blog.rest[0]
    return page, truth, explain(page, model)


def test_rules_have_support_and_score(model: BlogModel) -> None:
    rules = rules_of(model)
    content = next(rule for rule in rules if rule["field"] == "content")
    assert (
        content["support_tried"] == 10
        and content["support_right"] >= 8
        and content["mean_score"] > 0.7
    )
    assert {"content.drop", "title", "published"} <= {rule["field"] for rule in rules}
    assert [rule["field"] for rule in rules].index("title") < [
        rule["field"] for rule in rules
    ].index("content.drop")


def test_every_method_is_listed_and_one_wins_each_field(blog: Generated, model: BlogModel) -> None:
    _, truth, explanation = explained(blog, model)
    assert explanation.is_post and explanation.belief > 0.5
    titles = [o for o in explanation.opinions if o.field == "title"]
    assert {"rules", "metadata", "generic"} <= {o.method for o in titles}
    assert [o.value for o in titles if o.won] == [truth.title]
    for field in {o.field for o in explanation.opinions}:
        assert sum(o.won for o in explanation.opinions if o.field == field) <= 1
    json.dumps(explanation.to_json())


def test_reason_names_support_agreement_or_source(blog: Generated, model: BlogModel) -> None:
    page, truth, explanation = explained(blog, model)
    why = {w.field: w.why for w in explanation.winners}
    assert (
        why["title"].startswith("the rule was right on 10 of 10 pages") and "same" in why["title"]
    )
    assert {w.method for w in explanation.winners if w.field == "authors"} <= {"rules", "constant"}
    fed = explain(page, model, entry_of(truth))
    assert "feed names it" in next(w.why for w in fed.winners if w.field == "title")


def test_non_post_page_is_explained(blog: Generated, model: BlogModel) -> None:
    explanation = explain(blog.home, model)
    assert not explanation.is_post and explanation.reason and explanation.belief < 0.5
    assert explanation.opinions and not explanation.winners


def test_a_page_of_another_template_is_explained_by_its_rules(
    blog: Generated, model: BlogModel
) -> None:
    page, truth = blog.rest[0]
    newest = learn_blog(generate("breaks").samples)
    generation = Generation(tuple(sorted(labels(page))), model.ruleset)
    newest.generations.append(generation)
    assert newest.ruleset_of(page) is generation.ruleset
    explanation = explain(page, newest)
    won = {o.field: o for o in explanation.opinions if o.won}
    assert won["content"].method == "rules" and won["title"].value == truth.title
    assert explanation.template == 2 and explanation.to_json()["template"] == 2
    why = {w.field: w.why for w in explanation.winners}
    assert why["content"].startswith("the rule was right on")
    listed = rules_of(newest)
    assert [r["template"] for r in listed if r["field"] == "content"][-1] == 2
    assert {r["template"] for r in listed} == {1, 2} and listed[-1]["template"] == 2


HOSTILE = (
    b"<script>alert(1)</script><iframe src='http://x'></iframe><p onclick='x()' "
    b"style='a'>p</p><a href=' JavaScript:x()'>l</a>"
    b"<form action='/f'><input autofocus onfocus=x()></form><svg onload=x()></svg><object "
    b"data=x></object>"
)


def test_drawn_page_is_inert_and_labelled(blog: Generated, model: BlogModel) -> None:
    page, _, _ = explained(blog, model)
    body = page.body.replace(
        b"</head>",
        b"<meta http-equiv=refresh content='0;url=http://x'><base href='http://evil/'></head>",
    )
    body = body.replace(b"</body>", HOSTILE + b"</body>")
    page = Page(url=page.url, body=body)
    drawn = outlined(page, explain(page, model)).decode()
    assert "Content-Security-Policy" in drawn and "default-src 'none'" in drawn
    assert drawn.index("Content-Security-Policy") < drawn.index("<base")
    assert not re.search(
        r"<script|<iframe|<object|onclick|onfocus|onload|javascript:|refresh", drawn, re.I
    )
    for field in ("title", "content", "published"):
        assert re.search(rf'data-blogcrawl="[^"]*{field}: ', drawn), field
    assert drawn.count('data-blogcrawl="excluded from the content"') >= 3 and 'class="e6"' in drawn
    assert page.tree.find(".//script") is not None  # the page itself is as it was
    [legend] = re.findall(r"<body[^>]*><div.*?</b>(.*?)<(?!/?div|/?b\b)", drawn, re.DOTALL)
    assert [
        name for name in ("title", "published", "content") if f">{name}</b>: " not in legend
    ] == []


@pytest.mark.parametrize(
    ("xpath", "wanted"),
    [
        (
            "//div[contains(concat(' ',normalize-space(@class),' '),' entry-content ')]",
            "//div.entry-content",
        ),
        (
            "//article[starts-with(@id,'post-')]//div[contains(concat(' "
            "',normalize-space(@class),' '),' a ') and "
            "contains(concat(' ',normalize-space(@class),' '),' b-c ')]/p",
            "//article[starts-with(@id,'post-')]//div.a.b-c/p",
        ),
        ("//*[@id='content']//a[@rel='author']", "//*#content//a[@rel='author']"),
        ("h1", "h1"),
        (None, ""),
    ],
)
def test_rules_are_shown_as_css_selectors(xpath: str | None, wanted: str) -> None:
    assert readable(xpath) == wanted


def test_dates_are_shown_as_precise_as_they_are_known() -> None:
    assert text_of(datetime(2011, 3, 19, tzinfo=DAY)) == "2011-03-19"
    assert text_of([datetime(2011, 3, 19, 8, 30, tzinfo=UTC)]) == "2011-03-19T08:30:00Z"
