"""What the learned rules find on a page."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.methods.induced import InducedRules, fields_found
from blogcrawl.induction.ruleset import Rule, RuleSet

PROSE = "<p>The harbour was quiet after the rain, and we stayed until it was dark.</p>"
FEW = Rule(field="content", xpath="//center", support_right=1, support_tried=7, mean_score=0.9)
MOST = Rule(field="content", xpath="//div", support_right=7, support_tried=7, mean_score=0.9)


def found(body: str, *rules: Rule) -> list[str]:
    page = Page(url="http://b.test/p", body=body.encode())
    fields = InducedRules().extract(page, RuleSet(rules={"content": rules}, samples=7)) or {}
    return [value.value.tag for value in fields.get("content", ())]


@pytest.mark.parametrize("inner", ["<iframe src=/v></iframe>", "<p>Click on the pictures.</p>"])
def test_a_rule_of_one_post_does_not_cut_the_posts_that_another_rule_finds(inner: str) -> None:
    body = f"<div><center>{inner}</center>{PROSE * 5}</div>"
    assert found(body, FEW, MOST) == ["div"]
    assert found(body, FEW) == ["center"], "the only one that finds anything"


def test_a_rule_of_one_post_leaves_out_what_is_no_prose() -> None:
    """A post of its template stands among menus in the box that all posts have."""
    menu = "<ul>" + "<li><a href=/x>Another page of the site</a>" * 9 + "</ul>"
    assert found(f"<div>{menu}<center>{PROSE * 5}</center></div>", FEW, MOST) == ["center", "div"]


def test_a_number_of_comments_where_an_older_theme_has_it_is_no_author() -> None:
    rules = RuleSet(rules={"authors": (Rule(field="authors", xpath="//p"),)})
    names = {
        line: (InducedRules().extract(page_with(line), rules) or {}).get("authors")
        for line in ("Ann Lee", "No comments yet", "3 comments")
    }
    assert [line for line, found in names.items() if found] == ["Ann Lee"]


def page_with(line: str) -> Page:
    return Page(url="http://b.test/p", body=f"<p>{line}</p>".encode())


def test_fields_that_rules_find_are_named() -> None:
    rules = {"content": (MOST,), "title": (Rule(field="title", xpath="//h1"),)}
    page = Page(url="http://b.test/p", body=f"<div>{PROSE}</div>".encode())
    assert fields_found(page, RuleSet(rules=rules)) == {"content"}
    assert fields_found(page, RuleSet()) == set()


@pytest.mark.parametrize("head", ["<h2>Comments</h2>", "<div><h3>2 Comments</h3></div>"])
def test_prose_of_comments_speaks_for_no_rule(head: str) -> None:
    """A template's own box stands next to long comments in what a rule by place finds."""
    whole = f"<div><center>{PROSE}</center>{head}{PROSE * 5}</div>"
    assert found(whole, FEW, MOST) == ["center", "div"]
    assert found(whole.replace("omments", "ottages"), FEW, MOST) == ["div"]
