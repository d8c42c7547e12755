"""One digest for all that matters of a post: equal digests, nothing to archive. Pure."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC

from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import calendar_date
from blogcrawl.text.visible import squeeze


def content_digest(post: Post) -> str:
    """SHA-256 over what a reader sees of the post, its comments and its pictures.

    Markup, addresses of pictures that did not change and the time of the visit do not count: themes
    change, posts don't.
    """
    value = [
        post.title,
        post.subtitle,
        list(post.authors),
        post.published.astimezone(UTC).isoformat() if post.published else None,
        sorted(post.tags),
        squeeze(post.content_text),
        sorted(file.sha256 for file in post.media if file.sha256),
        sorted(
            (c.id, c.author or "", c.parent_id or "", squeeze(c.content_text))
            for c in post.comments
        ),
        post.status == "gone",
    ]
    lacking = post.extraction.get("comments", {}).get("incomplete")
    if lacking:  # a post whose comments have all come since is another version
        value.append("comments incomplete")
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()


def says_more(post: Post, known: Post) -> bool:
    """Return whether a new extraction of a page has found what the archived record of the same
    content lacks, or has another day of the last change. What only a feed has said stays.
    """
    before = {comment.id: comment for comment in known.comments}
    return _is_other_change(post, known) or any(
        bool(c.published and not before[c.id].published)
        or bool(c.author_url and not before[c.id].author_url)
        for c in post.comments
        if c.id in before
    )


def _is_other_change(post: Post, known: Post) -> bool:
    if post.modified is not None:
        return calendar_date(post.modified) != calendar_date(known.modified)
    method = known.extraction.get("modified", {}).get("method") or ""
    return known.modified is not None and not method.startswith(("feed", "sitemap"))
