"""Which pages are read first where posts don't show their day."""

from __future__ import annotations

from typing import Any, cast

import pytest

from blogcrawl.extraction.model import BlogModel
from blogcrawl.frontier.canonical import Scope
from blogcrawl.frontier.links import Link
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.spiders.lists import ListReader

BASE = "http://blog.test"


@pytest.mark.parametrize(("path", "is_list"), [("/posts/", True), ("/archives/", True), ("/about/", False), ("/posts/tea/", False)])
def test_the_page_above_the_posts_lists_them(path: str, is_list: bool) -> None:
    model = BlogModel(ruleset=RuleSet(), days={f"{BASE}/posts/{name}": "2017-03-01" for name in ("bread", "river", "boat")})
    reader = ListReader(cast(Any, None), model, Scope(BASE + "/"), None, lambda page: None)
    assert (reader._rank(Link(BASE + path, "go", "nav>a")) is not None) is is_list
