"""Pages that hold several posts: one answer becomes one item per post, and the page is dealt with
when the last of them is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from itertools import compress
from typing import TYPE_CHECKING, Any

from scrapy import Spider

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.urls.canonical import canonicalize, entry_key

if TYPE_CHECKING:
    from blogcrawl.extraction.pages.multi_post import PartShape

Told = Callable[[str, Page], FeedEntry | None]
_NUMBER = re.compile(r"[0-9]+")


def _asked_as(key: str, page: Page, url: str) -> str:
    """The key of the post at ``key`` on ``page``, with the address ``url`` under which the page was
    asked for.
    """
    return canonicalize(url) + key[len(canonicalize(page.url)) :]


def _mark(part: Page) -> bytes:
    """Fragment and text of a post, by which other lists show it too."""
    from blogcrawl.extraction.pages.multi_post import fragment_of
    from blogcrawl.text.visible import node_text

    text = f"{fragment_of(part.url)}\n{node_text(part.tree)}"
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _form(url: str) -> str:
    return _NUMBER.sub("0", canonicalize(url))


class PartReader:
    """Counts the parts of pages that are under way."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        self._posts: set[str] = set()
        self._forms: set[str] = set()

    def items(
        self,
        session: Session,
        frontier: Frontier,
        shape: PartShape,
        page: Page,
        url: str,
        told: Told,
    ) -> list[PostPage]:
        """The posts of ``page``, which the frontier knows as ``url``; none where it has no anchors
        of posts, or other pages' posts only: lists of months, days and categories show the same
        posts, and the page that came first has them. ``told``: what feeds say of a post, by its key
        and page."""
        from blogcrawl.extraction.pages.multi_post import split_page

        promised = session.knowledge.promised if session.knowledge is not None else {}
        found = []
        parts = split_page(page, shape)
        for part in compress(parts, frontier.met_first(map(_mark, parts), page.url)):
            key = entry_key(part.url)
            asked = _asked_as(key, page, url)
            if asked != key and asked in promised:
                session.redirected.add(asked)
            entry = told(key, part) or told(asked, part)
            found.append(
                PostPage(
                    page=part,
                    entry=entry,
                    promised=key in promised or asked in promised,
                    frontier_url=url,
                )
            )
        if found:
            self._left[url] = len(found)
            self._posts.discard(url)
            session.redirected.add(canonicalize(url))
        return found

    def like_posts_pages(self, session: Session, urls: Iterable[str]) -> list[str]:
        """Those whose addresses differ from those of pages with posts by nothing but numbers:
        years, months, weeks.
        """
        if session.model is None or session.model.parts is None or session.knowledge is None:
            return []
        if not self._forms:
            self._forms.update(_form(entry.url) for entry in session.knowledge.entries.values())
        return [url for url in urls if _form(url) in self._forms]

    def ended(self, url: str, *, is_post: bool) -> bool | None:
        """One part of the page at ``url`` is dealt with: None while others are not, else whether
        any was a post.
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
        """The page will be read again."""
        self._left.pop(url, None)


class PartPages(Spider):
    """The half of a spider's reading that knows pages with several posts."""

    session: Session
    missed: dict[str, str]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parts = PartReader()

    @property
    def frontier(self) -> Frontier:
        return self.crawler.frontier  # type: ignore[attr-defined]

    def entry_of(self, key: str, page: Page) -> FeedEntry | None:
        """What a source says of the post at ``key``; ``page`` is its page."""
        return self.session.knowledge.told(key) if self.session.knowledge is not None else None

    def read_parts(self, page: Page, url: str) -> list[PostPage] | None:
        """The posts of ``page``, which the frontier knows as ``url``; None where the blog has a
        page for each post, or this is one.
        """
        model, knowledge = self.session.model, self.session.knowledge
        shape = model.parts if model is not None else None
        if shape is None or (
            not shape.on_home and canonicalize(page.url) == canonicalize(self.session.blog.url)
        ):
            return None
        items = self.parts.items(self.session, self.frontier, shape, page, url, self.entry_of)
        if items or knowledge is None:
            return items
        key = canonicalize(url)
        if "feed" in knowledge.promised.get(key, ()):
            return None
        self.session.redirected.add(key)  # a sitemap lists the page, but promises no post by that
        self.frontier.name(key, canonicalize(page.url))
        return items

    def part_ended(self, source: PostPage, reason: str | None = None) -> None:
        """A post of a page is archived, or for ``reason`` none: the page is done with the last, so
        that no crash loses one.
        """
        url, page = source.frontier_url, source.page.whole
        assert url is not None and page is not None
        key = entry_key(source.page.url)
        if reason is None:
            self.missed.pop(key, None)
            if canonicalize(url) != canonicalize(page.url):
                self.frontier.name(_asked_as(key, page, url), key)
        elif source.promised:
            self.missed[key] = reason
        posts = self.parts.ended(url, is_post=reason is None)
        if posts is not None:
            self.frontier.name(canonicalize(url), canonicalize(page.url))  # no post by itself
            self.frontier.done(url, None, posts, len(page.body))
