"""One digest for all that matters of a post: equal digests, nothing to archive. Pure."""

from __future__ import annotations

import hashlib
import json

from blogcrawl.items import Post
from blogcrawl.text import squeeze


def content_digest(post: Post) -> str:
    """SHA-256 over what a reader sees of the post, its comments and its pictures.

    Markup, addresses of pictures that did not change and the time of the visit do not count: themes change, posts don't.
    """
    value = [
        post.title,
        post.subtitle,
        list(post.authors),
        post.published.isoformat() if post.published else None,
        sorted(post.tags),
        squeeze(post.content_text),
        sorted(file.sha256 for file in post.media if file.sha256),
        sorted((c.id, c.author or "", c.parent_id or "", squeeze(c.content_text)) for c in post.comments),
        post.status == "gone",
    ]
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()


def text_digest(post: Post) -> str | None:
    """SHA-256 of the post's own text, for pages that show the same; None where it is too short to tell."""
    text = squeeze(post.content_text)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if len(text) >= MIN_TEXT else None


MIN_TEXT = 80
"""Characters; shorter texts ("Photo", "Link") repeat honestly."""
