"""Forms: which of them search the site."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.dom.forms import offers_search


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("<form><input name=q></form>", True),
        ("<form action=/find><input type=search name=s></form>", True),
        ("<form action=http://www.blog.example/find><input type=text name=s></form>", True),
        ("<form action=https://engine.example/search><input name=q></form>", False),
        ("<form method=post action=/login><input name=user></form>", False),
        (
            "<form action=/archive><select name=m><option>5</select><input type=submit></form>",
            False,
        ),
        ("<input name=q>", False),
    ],
    ids=["here", "own page", "www", "another site", "log-in", "menu", "no form"],
)
def test_form_that_asks_for_words_searches_its_own_site(form: str, expected: bool) -> None:
    page = Page(url="http://blog.example/", body=f"<body>{form}".encode())
    assert offers_search(page) is expected
