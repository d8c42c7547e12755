"""Items on disk that a crawl comes back to."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.core.page import Page
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.spool import Spool


@pytest.mark.parametrize("size", [1, 2**20])
def test_items_come_back_without_what_was_derived_of_their_pages(tmp_path: Path, size: int) -> None:
    spool = Spool(tmp_path)
    for n in range(3):
        page = Page(url=f"http://b.example/{n}", body=bytes(range(97, 107)) * size + b"%d" % n)
        assert page.tree is not None
        spool.put(n, PostPage(page=page, promised=True))
    spool.put(1, PostPage(page=Page(url="http://b.example/1", body=b"later")))
    first, second = spool.get(0), spool.get(1)
    assert first.promised and first.page.body.endswith(b"j0") and second.page.body == b"later"
    assert "tree" not in first.page.__dict__ and first.page.tree.tag == "html"
    assert not list(tmp_path.iterdir())
