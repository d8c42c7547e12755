"""What an update believes of its rules."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.core.costs import Account
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling import update
from blogcrawl.crawling.learning import TrainingPage
from blogcrawl.crawling.update import Update
from blogcrawl.extraction.model import BlogModel, learn_blog
from blogcrawl.induction.ruleset import Sample

URL = "http://b.example"


def sample(n: int, box: str) -> Sample:
    text = "".join(f"<p>Tale {n} of the harbour, line {k} of {n + k}.</p>" for k in range(9))
    head = f"<html><head><title>Tale {n}</title></head><body><div class=menu>Menu</div>"
    shown = text if box == "text" else text[:40]
    body = f"{head}<h1>Tale {n}</h1><div class={box}>{shown}</div></body></html>"
    entry = FeedEntry(url=f"{URL}/{n}", title=f"Tale {n}", content_html=text, is_full=True)
    return Sample(page=Page(url=f"{URL}/{n}", body=body.encode()), entry=entry)


def update_of(model: BlogModel | None, account: Account) -> Update:
    services = SimpleNamespace(limits=SimpleNamespace(account=account))
    found = object.__new__(Update)
    found.session = cast("Any", SimpleNamespace(model=model, learned=model, services=services))
    return found


def test_posts_that_the_rules_miss_are_reason_to_learn_anew_unless_too_costly_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = learn_blog([sample(n, "text") for n in range(5)])
    account = Account(20.0)
    pages = [
        TrainingPage(key=one.page.url, page=one.page, entry=one.entry)
        for one in (sample(10, "text"), sample(11, "none"), sample(12, "none"))
    ]
    update_ = update_of(model, account)
    assert [update_._fits(page) for page in pages] == [True, False, False]
    assert update_._are_missed(pages, 2)
    account.refuse(pages[1].page.url, "reading it takes too much memory")
    assert update_._fits(pages[1]) and not update_._are_missed(pages, 2)

    def endless(*_: object) -> object:
        while True:
            time.process_time()

    monkeypatch.setattr(update, "extract_post", endless)
    account.limit_seconds = 0.2
    assert update_._fits(pages[2]) and not update_._are_missed(pages, 1)
    assert update_of(None, account)._fits(pages[0])
