"""Pages that hold several posts: one answer becomes one item per post, and the page is dealt with
when the last of them is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import compress
from typing import TYPE_CHECKING

from blogcrawl.core.page import Page
from blogcrawl.crawling.known_posts import entry_of
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.urls.canonical import canonicalize, entry_key

if TYPE_CHECKING:
    from blogcrawl.extraction.pages.multi_post import PartShape

_NUMBER = re.compile(r"[0-9]+")


def _asked_as(key: str, page: Page, url: str) -> str:
    """Return the key of the post at ``key`` on ``page``, with the address ``url`` under which the
    page was requested.
    """
    return canonicalize(url) + key[len(canonicalize(page.url)) :]


def _mark(part: Page) -> bytes:
    """Return the mark of a post, by which it is known on other lists too."""
    from blogcrawl.extraction.pages.multi_post import text_of_part

    return hashlib.sha256(text_of_part(part).encode("utf-8", "replace")).digest()


def _form(url: str) -> str:
    return _NUMBER.sub("0", canonicalize(url))


class PartReader:
    """Reads pages with several posts, and counts their parts that are under way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._left: dict[str, int] = {}
        self._posts: set[str] = set()
        self._forms: set[str] = set()

    def read(self, page: Page, url: str) -> list[PostPage] | None:
        """Return the posts of ``page``, which the frontier knows as ``url``; None if the blog has a
        page for each post, or this is one.
        """
        session = self.session
        shape = session.model.parts if session.model is not None else None
        if shape is None or (not shape.on_home and session.is_home(page.url)):
            return None
        items = self.items(shape, page, url)
        return items if items or not self._is_called_post(url) else None

    def _is_called_post(self, url: str) -> bool:
        """Return whether the feed or the operator names the page as a post."""
        session, key = self.session, canonicalize(url)
        promised = session.knowledge.promised if session.knowledge is not None else {}
        return "feed" in promised.get(key, ()) or bool(session.corrections.is_post(key))

    def chance_without(self, page: Page, url: str) -> float:
        """Return the probability that a page is a post though it has no place of one; 0 for one
        that shows other pages' posts once more, which is another name of these."""
        from blogcrawl.extraction.model import judge_page
        from blogcrawl.extraction.pages.multi_post import anchors

        session, model = self.session, self.session.learned
        if model.parts is not None and anchors(page, model.parts):
            session.frontier.name(canonicalize(url), canonicalize(page.url))
            return 0.0
        with session.services.limits.account.page(page):
            return judge_page(page, model)[1]

    def items(self, shape: PartShape, page: Page, url: str) -> list[PostPage]:
        """Return the posts of ``page``, which the frontier knows as ``url``; none where it has no
        anchors of posts, or other pages' posts only: lists of months, days and categories show the
        same posts, and the page that came first has them.
        """
        from blogcrawl.extraction.pages.multi_post import split_page

        session, found = self.session, []
        with session.services.limits.account.page(page):
            parts = split_page(page, shape)
        for part in compress(parts, session.frontier.met_first(map(_mark, parts), page.url)):
            key = entry_key(part.url)
            asked = _asked_as(key, page, url)
            if asked != key and session.is_promised(asked):
                session.redirected.add(asked)
            found.append(
                PostPage(
                    page=part,
                    entry=entry_of(session, key, part) or entry_of(session, asked, part),
                    promised=session.is_promised(key) or session.is_promised(asked),
                    frontier_url=url,
                )
            )
        if found:
            self._left[url] = len(found)
            self._posts.discard(url)
            session.redirected.add(canonicalize(url))
        return found

    def like_posts_pages(self, urls: Iterable[str]) -> list[str]:
        """Return those whose addresses differ from those of pages with posts by nothing but
        numbers: years, months, weeks.
        """
        session = self.session
        if not session.shares_pages or session.knowledge is None:
            return []
        if not self._forms:
            self._forms.update(_form(entry.url) for entry in session.knowledge.entries.values())
        return [url for url in urls if _form(url) in self._forms]

    def part_ended(self, source: PostPage, reason: str | None = None) -> None:
        """Note that a post of a page is archived, or not for ``reason``: the page ends with the
        last, so that no crash loses one.
        """
        url, page = source.frontier_url, source.page.whole
        assert url is not None and page is not None
        key, session = entry_key(source.page.url), self.session
        if reason is None:
            session.missed.pop(key, None)
            if canonicalize(url) != canonicalize(page.url):
                session.frontier.name(_asked_as(key, page, url), key)
        elif source.promised:
            session.missed[key] = reason
        posts = self._ended(url, is_post=reason is None)
        if posts is not None:
            session.frontier.name(canonicalize(url), canonicalize(page.url))  # no post by itself
            session.frontier.done(url, None, posts, len(page.body))

    def _ended(self, url: str, *, is_post: bool) -> bool | None:
        """End one fragment of the page at ``url``: return None while others are pending, else
        whether any was a post.
        """
        if url not in self._left:
            return None
        self._left[url] -= 1
        if is_post:
            self._posts.add(url)
        if self._left[url] > 0:
            return None
        del self._left[url]
        return url in self._posts

    def forget(self, url: str) -> None:
        """Forget the page, which will be read again."""
        self._left.pop(url, None)
