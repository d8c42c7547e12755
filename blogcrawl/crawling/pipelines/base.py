"""What travels between the five stages. Each stage takes and returns one of these, whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrapy.exceptions import DropItem

from blogcrawl.core.errors import BlogcrawlError, TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post

STAGES = {
    "blogcrawl.crawling.pipelines.render": "rendering",
    "blogcrawl.crawling.pipelines.extract": "extracting",
    "blogcrawl.crawling.pipelines.comments": "reading the comments of",
    "blogcrawl.crawling.pipelines.media": "fetching the media of",
    "blogcrawl.crawling.pipelines.package": "packaging",
}

REPEATED = "many addresses answer with this very page"


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
    is_again: bool = False
    """The post is archived, and extracted again with rules that were learned since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPost:
    """extract -> comments -> media -> package."""

    post: Post
    source: PostPage


def source_of(item: Any) -> PostPage | None:
    """Return the page that an item of any stage came from; None for other items."""
    if isinstance(item, ExtractedPost):
        return item.source
    return item if isinstance(item, PostPage) else None


class NotStored(DropItem):
    """The post could not be stored; it stays to be done."""


class NoPost(DropItem):
    """The page holds no post, for ``reason``; ``probability``: that it does all the same;
    ``says_nothing``: of others at addresses like its own."""

    def __init__(
        self, reason: str, probability: float = 0.0, *, says_nothing: bool = False
    ) -> None:
        super().__init__(f"no post: {reason}", log_level="DEBUG")
        self.reason, self.probability = reason, probability
        self.says_nothing = says_nothing


class Waiting(DropItem):
    """The page is judged when all others are in; it stays in flight until then."""

    def __init__(self) -> None:
        super().__init__("judged when all pages are in", log_level="DEBUG")


class TooCostly(DropItem):
    """Reading the page takes more than one page may cost; ``reason`` says of what."""

    def __init__(self, error: TooCostlyError) -> None:
        self.reason = reason_of(error)
        super().__init__(self.reason, log_level="WARNING")


def reason_of(error: BlogcrawlError) -> str:
    """Return why a page is missing, for the report."""
    return f"too costly: {error.message}" if isinstance(error, TooCostlyError) else error.message


def stage_of(error: BaseException) -> str:
    """Return the stage in which an item failed, by the traceback."""
    stage = "processing"
    trace = error.__traceback__
    while trace is not None:
        stage = STAGES.get(trace.tb_frame.f_globals.get("__name__", ""), stage)
        trace = trace.tb_next
    return stage


class SamePage(NoPost):
    """Other addresses, ``others``, gave this very page before; ``everywhere``: so many that it is
    no one's post but that of the ``owner``, if it has one.
    """

    def __init__(self, others: Sequence[str], *, everywhere: bool, owner: str = "") -> None:
        super().__init__(REPEATED if everywhere else f"the same page as {others[0]}")
        self.others, self.everywhere, self.owner = tuple(others), everywhere, owner
