"""The comments of one post: page, feed, public data and browser put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from lxml.html import HtmlElement

from blogcrawl.comments.content_location import EDGE, LEAST, content_node, content_pieces, text_of
from blogcrawl.comments.counts import shown_count
from blogcrawl.comments.merge import merge
from blogcrawl.comments.page_reader import OnPage, read_page
from blogcrawl.comments.pagination import comment_pages
from blogcrawl.comments.records import CommentResult, CommentRules
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import clock_offsets, to_utc
from blogcrawl.text.visible import squeeze

Content: TypeAlias = "HtmlElement | str | None"


def extract_comments(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: Content = None,
    known: Sequence[Sequence[Comment]] = (),
    language: str | None = None,
    published: datetime | None = None,
) -> CommentResult:
    """All comments of a post that ``page`` shows, merged with those ``known`` from other sources (a
    list per source).

    ``content``: the post's content, as the node of ``page.tree`` or as HTML; nothing in it becomes
    a comment. ``published``: of the post; no comment is older. Never raises on odd markup; no
    comments is an empty result.
    """
    return merged(look(page, rules, content=content, language=language, published=published), known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one page says, read once; other sources are merged with it as often as need be."""

    seen: OnPage
    shown: int | None
    more_urls: tuple[str, ...]
    node: HtmlElement | None
    rules: CommentRules | None


def look(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: Content = None,
    language: str | None = None,
    published: datetime | None = None,
) -> Look:
    """Read the page alone; arguments as of ``extract_comments``."""
    alive = list(
        page.tree.iter()
    )  # lxml makes an element's Python object anew at every walk unless somebody holds it
    node = content_node(page, content)
    pieces = content_pieces(page, content) if node is None and isinstance(content, str) else set()
    seen = read_page(
        page, rules, content=node, language=language, published=published, banned=pieces
    )
    seen = _without_the_post(seen, content) if node is None and isinstance(content, str) else seen
    shown = shown_count(page.tree, node)
    del alive
    return Look(
        seen=seen, shown=shown, more_urls=tuple(comment_pages(page)), node=node, rules=rules
    )


def _without_the_post(seen: OnPage, content: str) -> OnPage:
    """What was read without what holds all of the post, of which no node of the page is just the
    content.
    """
    target = text_of(content)
    if len(target) < LEAST:
        return seen
    kept = [
        i
        for i, c in enumerate(seen.comments)
        if not (target[:EDGE] in (text := squeeze(c.content_text)) and target[-EDGE:] in text)
    ]
    return replace(
        seen,
        comments=tuple(seen.comments[i] for i in kept),
        naive=tuple(seen.naive[i] for i in kept),
    )


def merged(look: Look, known: Sequence[Sequence[Comment]] = ()) -> CommentResult:
    """The page's comments merged with those of other sources, a list per source."""
    seen, shown = look.seen, look.shown
    told = [c for source in known for c in source]
    own = _on_page_clock(seen, told, look.rules)
    comments = merge(*known, own)
    methods: Counter[str] = Counter()
    for source in known:
        if source:
            methods[source[0].source] += len(source)
    if own:
        methods[seen.method] = len(own)
    return CommentResult(
        comments=tuple(comments),
        shown=shown,
        more_urls=look.more_urls,
        methods=dict(methods),
    )


def _on_page_clock(
    seen: OnPage, told: Sequence[Comment], rules: CommentRules | None
) -> list[Comment]:
    """Times of comments that only the page has, moved by what feed and page say of the others,
    where they say it.
    """
    known = {c.id: c.published for c in told}
    clocks = Counter(
        clock_offsets(zip(seen.naive, (known.get(c.id) for c in seen.comments), strict=True))
    )
    if not clocks:
        return list(seen.comments)
    offset = clocks.most_common(1)[0][0]
    return [
        replace(c, published=to_utc(m, offset)) if m is not None else c
        for c, m in zip(seen.comments, seen.naive, strict=True)
    ]
