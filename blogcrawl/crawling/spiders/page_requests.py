"""How pages of the frontier are asked for: in the form that their site answers to."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import Response

from blogcrawl.crawling.spiders.multi_post import PartPages
from blogcrawl.frontier.frontier import Pending
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.post_pattern import LIKELY

NOT_THERE = frozenset({404, 410})


class PageAsker(PartPages):
    """The half of a spider's reading that makes requests."""

    parse: Any
    on_error: Any

    def frontier_request(self, pending: Pending) -> Request:
        """The request of a page that the frontier hands out."""
        return self._request(self.session.slashes.form(pending.url))

    def _request(self, url: str) -> Request:
        return Request(
            url,
            callback=self.parse,
            errback=self.on_error,
            dont_filter=True,
            meta={"blogcrawl_kind": "page"},
        )

    def as_written(self, response: Response) -> Request | None:
        """The request of the page as links write it, where it was asked for in another form and was
        not there.
        """
        assert response.request is not None
        habit, about = self.session.slashes, response.meta["frontier"]
        asked = (response.meta.get("redirect_urls") or [response.request.url])[0]
        if response.status < 300:
            habit.observe(asked, response.url)
            if about.get("as_written"):
                habit.erred(asked)
        missed = response.status in NOT_THERE and asked == habit.form(about["url"]) != about["url"]
        if not missed or not habit.missed(about["url"], likely=self.is_likely(about["url"])):
            return None
        request = self._request(about["url"])
        request.meta["frontier"] = {**about, "as_written": True}
        return request

    def is_likely(self, url: str) -> bool:
        """Did a source promise the page, or is its address like a post's?"""
        key = canonicalize(url)
        knowledge = self.session.knowledge
        return (knowledge is not None and key in knowledge.promised) or self.frontier.pattern.score(
            key
        ) >= LIKELY
