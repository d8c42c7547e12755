"""Simple Dublin Core (oai_dc): the description that every repository reads."""

from __future__ import annotations

from lxml import etree

from blogcrawl.core.records import Blog, Post
from blogcrawl.dates.edtf import edtf, edtf_date
from blogcrawl.packaging.marc import post_title, subjects
from blogcrawl.packaging.xmltools import DC, OAI_DC, XML_LANG, XSI, sub

_EXCERPT_CHARS = 500


_IN_LANGUAGE = frozenset({"title", "description", "subject"})
"""Elements whose words are the record's own; names and codes are in no language."""


def _document(*pairs: tuple[str, str | None], language: str | None = None) -> etree._Element:
    """Make a document of elements and their texts, without empty ones and repetitions."""
    root = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC, "dc": DC, "xsi": XSI})
    root.set(f"{{{XSI}}}schemaLocation", f"{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd")
    lines = ((name, " ".join((value or "").split())) for name, value in pairs)
    for name, value in dict.fromkeys(lines):
        if value:
            attributes = {XML_LANG: language} if language and name in _IN_LANGUAGE else None
            sub(root, f"{{{DC}}}{name}", value, attributes)
    return root


def entry_dc(post: Post, blog: Blog, urn: str, blog_urn: str) -> etree._Element:
    """Dublin Core of a post; ``urn``/``blog_urn``: ids of its AIP and its blog's."""
    return _document(
        ("title", post_title(post)),
        *(("creator", name) for name in post.authors),
        *(("subject", tag) for tag in subjects(post.tags)),
        ("description", post.excerpt or post.content_text[:_EXCERPT_CHARS]),
        ("publisher", blog.name),
        ("date", edtf(post.published)),
        ("type", "Text"),
        ("format", "text/html"),
        ("identifier", post.url),
        ("identifier", urn),
        ("language", post.language),
        ("relation", blog_urn),
        ("relation", blog.url),
        ("rights", blog.rights),
        ("rights", blog.licence),
        language=post.language,
    )


def blog_dc(blog: Blog, urn: str) -> etree._Element:
    """Dublin Core of a blog."""
    first, last = blog.first_post, blog.last_post
    return _document(
        ("title", blog.name),
        *(("creator", name) for name in blog.authors),
        ("description", blog.subtitle),
        ("date", f"{edtf_date(first)}/{edtf_date(last)}" if first and last else None),
        ("type", "Collection"),
        ("format", "text/html"),
        ("identifier", blog.url),
        ("identifier", urn),
        ("language", blog.language),
        ("rights", blog.rights),
        ("rights", blog.licence),
        *(("relation", feed) for feed in blog.feeds),
        language=blog.language,
    )


def tombstone_dc(kind: str, url: str, urn: str) -> etree._Element:
    """Dublin Core of a post or blog that was removed."""
    title = f"Removed {kind}"
    return _document(("title", title), ("type", "Text"), ("identifier", url), ("identifier", urn))
