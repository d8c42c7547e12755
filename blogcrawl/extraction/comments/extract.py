"""The comments of one post: page, feed, public data and browser put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

import lxml.html
from lxml.html import HtmlElement

from blogcrawl.extraction.comments.counts import shown_count
from blogcrawl.extraction.comments.learn import _vote_clock
from blogcrawl.extraction.comments.merge import merge
from blogcrawl.extraction.comments.onpage import OnPage, read_page
from blogcrawl.extraction.comments.paging import comment_pages
from blogcrawl.extraction.comments.records import CommentResult, CommentRules
from blogcrawl.extraction.comments.when import to_utc
from blogcrawl.items import Comment
from blogcrawl.page import Page
from blogcrawl.text import node_text, squeeze

SLACK = 20
"""Characters more than the content that its node may hold (a word or two of the theme): even one short comment with its byline, the
heading of the list and the form's labels come to more, so a node that holds both is not taken for the content."""

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
    """All comments of a post that ``page`` shows, merged with those ``known`` from other sources (a list per source).

    ``content``: the post's content, as the node of ``page.tree`` or as HTML; nothing in it becomes a comment.
    ``published``: of the post; no comment is older.  Never raises on odd markup; no comments is an empty result.
    """
    node = content_node(page, content)
    seen = read_page(page, rules, content=node, language=language, published=published)
    told = [c for source in known for c in source]
    shown = shown_count(page.tree, node)
    own = _on_page_clock(seen, told, rules)
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
        more_urls=tuple(comment_pages(page)),
        methods=dict(methods),
    )


def _on_page_clock(seen: OnPage, told: Sequence[Comment], rules: CommentRules | None) -> list[Comment]:
    """Times of comments that only the page has, moved by what feed and page say of the others, where they say it."""
    by_id = {c.id: c for c in told}
    clocks: Counter[int] = Counter()
    for comment, moment in zip(seen.comments, seen.naive, strict=True):
        twin = by_id.get(comment.id)
        if twin is not None:
            _vote_clock(twin.published, moment, clocks, Counter())
    if not clocks:
        return list(seen.comments)
    offset = clocks.most_common(1)[0][0]
    return [replace(c, published=to_utc(m, offset)) if m is not None else c for c, m in zip(seen.comments, seen.naive, strict=True)]


def content_node(page: Page, content: Content) -> HtmlElement | None:
    """The node of the page that holds the post's content: as given, or found by the text of its HTML."""
    if content is None or not isinstance(content, str):
        return content
    try:
        target = squeeze(node_text(lxml.html.fragment_fromstring(content, create_parent="div")))
    except (ValueError, lxml.etree.LxmlError):
        return None
    if len(target) < 80:
        return None
    head, tail = target[:40], target[-40:]
    best: HtmlElement | None = None
    node = page.tree
    while node is not None:
        text = node_text(node)
        if head not in text or tail not in text:
            break
        best = node if len(text) <= len(target) + SLACK else best
        node = next((c for c in node if isinstance(c.tag, str) and head in (t := node_text(c)) and tail in t), None)
    return best
