"""What travels between the five stages. Each stage takes and returns one of these, whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post


@dataclass(frozen=True, slots=True, kw_only=True)
class PostPage:
    """Spider -> render -> extract: a page that may be a post, with what feeds and sitemaps say
    about it.
    """

    page: Page
    entry: FeedEntry | None = None
    static_page: Page | None = None
    """After stage 1: the page as it came over HTTP, where ``page`` is the rendered one."""
    promised: bool = False
    """A feed, sitemap or platform listing named this URL as a post."""
    frontier_url: str | None = None
    """The address under which the frontier handed the page out; None for a page that it does not
    know.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPost:
    """extract -> comments -> media -> package."""

    post: Post
    source: PostPage


def source_of(item: Any) -> PostPage | None:
    """The page that an item of any stage came from; None for other items."""
    if isinstance(item, ExtractedPost):
        return item.source
    return item if isinstance(item, PostPage) else None
