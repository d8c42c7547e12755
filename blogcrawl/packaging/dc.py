"""Simple Dublin Core (oai_dc): the description that every repository reads."""

from __future__ import annotations

from lxml import etree

from blogcrawl.core.records import Blog, Post
from blogcrawl.packaging.marc import post_title
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.xmltools import DC, OAI_DC, XSI, sub

_EXCERPT_CHARS = 500


def _document() -> etree._Element:
    root = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC, "dc": DC, "xsi": XSI})
    root.set(f"{{{XSI}}}schemaLocation", f"{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd")
    return root


def _add(root: etree._Element, *pairs: tuple[str, str | None]) -> None:
    for name, value in pairs:
        if value:
            sub(root, f"{{{DC}}}{name}", value)


def entry_dc(post: Post, blog: Blog, urn: str, blog_urn: str) -> etree._Element:
    """Dublin Core of a post; ``urn``/``blog_urn``: ids of its AIP and its blog's."""
    root = _document()
    _add(root, ("title", post_title(post)))
    _add(
        root,
        *(("creator", name) for name in post.authors),
        *(("subject", tag) for tag in post.tags),
    )
    _add(
        root,
        ("description", post.excerpt or post.content_text[:_EXCERPT_CHARS]),
        ("publisher", blog.title or blog.url),
        ("date", rfc3339(post.published) if post.published else None),
        ("type", "Text"),
        ("format", "text/html"),
        ("identifier", post.url),
        ("identifier", urn),
        ("language", post.language),
        ("relation", blog_urn),
        ("relation", blog.url),
        ("rights", blog.rights),
        ("rights", blog.licence),
    )
    return root


def blog_dc(blog: Blog, urn: str) -> etree._Element:
    """Dublin Core of a blog."""
    root = _document()
    first, last = blog.first_post, blog.last_post
    _add(root, ("title", blog.title or blog.url), *(("creator", name) for name in blog.authors))
    _add(
        root,
        ("description", blog.subtitle),
        ("date", f"{first:%Y-%m-%d}/{last:%Y-%m-%d}" if first and last else None),
        ("type", "Collection"),
        ("format", "text/html"),
        ("identifier", blog.url),
        ("identifier", urn),
        ("language", blog.language),
        ("rights", blog.rights),
        ("rights", blog.licence),
    )
    _add(root, *(("relation", feed) for feed in blog.feeds))
    return root


def tombstone_dc(kind: str, url: str, urn: str) -> etree._Element:
    """Dublin Core of a post or blog that was removed."""
    root = _document()
    _add(
        root,
        ("title", f"Removed {kind}"),
        ("type", "Text"),
        ("identifier", url),
        ("identifier", urn),
    )
    return root
