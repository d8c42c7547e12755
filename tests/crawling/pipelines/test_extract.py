"""What the extract stage does with pages that may show a post once more."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling.pipelines.base import NoPost, PostPage
from blogcrawl.crawling.pipelines.extract import ExtractStage
from blogcrawl.extraction.pages.duplicate_response import Echoes
from blogcrawl.extraction.pages.post_views import View

KEY = "http://a.test/1319.html"


def test_page_that_is_no_view_after_all_is_read_by_rules_learned_later() -> None:
    frontier = SimpleNamespace(is_only_in_posts=lambda url: False, found_on=lambda url: None)
    session: Any = SimpleNamespace(frontier=frontier, echoes=Echoes())
    stage = ExtractStage(SimpleNamespace())  # type: ignore[arg-type]
    item = PostPage(page=Page(url=KEY, body=b"<p>x"), promised=False, frontier_url=KEY)
    again, post = replace(item, is_again=True, frontier_url=None), Post(url=KEY, canonical_url=KEY)
    view = View(KEY, "", is_sure=False)
    stage.views._note_view(view)
    stage._aside.append((item, view))
    with pytest.raises(NoPost):
        stage._first(session, again, post, KEY)
    assert stage._late() == [item]
    assert stage._first(session, item, post, KEY) is None
    stage.views._note_view(view)
    assert stage._first(session, again, post, KEY) is None
