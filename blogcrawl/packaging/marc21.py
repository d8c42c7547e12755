"""The strict MARC 21 profile: fields in their defined meaning (loc.gov/marc, update 38).

What differs from ``blogforever``: addresses in 856, dates in 008, 046 and 264, further authors in
700, the blog as host item in 773, an answered comment in 787, rights in 540, no 9xx and no text of
the post (it is in the package).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from lxml import etree

from blogcrawl.core.records import Blog, Comment, Post
from blogcrawl.dates.edtf import calendar_date, edtf
from blogcrawl.packaging import ids
from blogcrawl.packaging.marc import (
    SOURCE,
    brief,
    coded_data,
    comment_title,
    datafield,
    post_title,
    start_record,
    title_indicators,
)
from blogcrawl.packaging.marc_tables import marc_language

_LEADER = {"blog": "00000nai a22000007  4500", "part": "00000naa a22000007  4500"}
_SUMMARY_CHARS = 500
Field = tuple[str, str, *tuple[tuple[str, str], ...]]
"""Tag, indicators, subfields; one with nothing but notes in its subfields is not written."""


def _start(
    parent: etree._Element, kind: str, urn: str, changed: datetime, coded: str
) -> etree._Element:
    record = start_record(parent, _LEADER[kind], urn, changed, coded)
    datafield(record, "024", "7 ", ("a", urn), ("2", "urn"))
    datafield(record, "040", "  ", ("a", SOURCE), ("b", "eng"), ("c", SOURCE), ("e", "rda"))
    return record


def _write(record: etree._Element, fields: Iterable[Field]) -> None:
    for tag, indicators, *subfields in fields:
        datafield(record, tag, indicators, *subfields)


def _title(title: str, subtitle: str, has_author: bool, language: str | None) -> Field:
    code = marc_language(language)
    indicators = title_indicators(title, has_author, [code] if code else None)
    return "245", indicators, ("a", title), ("b", subtitle)


def _control_number(urn: str) -> tuple[str, str]:
    return "w", f"({SOURCE}){urn}"


_CARRIER: tuple[Field, ...] = (
    ("336", "  ", ("a", "text"), ("b", "txt"), ("2", "rdacontent")),
    ("337", "  ", ("a", "computer"), ("b", "c"), ("2", "rdamedia")),
    ("338", "  ", ("a", "online resource"), ("b", "cr"), ("2", "rdacarrier")),
)


def _dates(created: datetime | None, modified: datetime | None) -> Field:
    return "046", "  ", ("j", edtf(modified)), ("k", edtf(created)), ("2", "edtf")


def add_blog(parent: etree._Element, urn: str, changed: datetime, blog: Blog) -> None:
    """Add a blog: integrating resource, 008/21 ``h`` (blog)."""
    coded = coded_data("blog", blog.first_post, blog.last_post, blog.language)
    record = _start(parent, "blog", urn, changed, coded)
    authors = list(blog.authors)
    system = " ".join(part for part in (blog.platform, blog.platform_version) if part)
    fields: list[Field] = [
        ("041", "  ", ("a", marc_language(blog.language) or "")),
        _dates(blog.first_post, blog.last_post),
        *(("100", "0 ", ("a", name)) for name in authors[:1]),
        _title(blog.title or blog.url, blog.subtitle or "", bool(authors), blog.language),
        ("264", " 1", ("c", f"{blog.first_post.year:04d}-" if blog.first_post else "")),
        *_CARRIER,
        ("538", "  ", ("a", f"Published with {system}." if system else "")),
        ("540", "  ", ("a", blog.rights or "")),
        ("540", "  ", ("a", blog.licence or "")),
        ("655", " 7", ("a", "Blogs."), ("2", "lcgft")),
        *(("700", "0 ", ("a", name)) for name in authors[1:]),
        ("856", "40", ("u", blog.url)),
        *(("856", "42", ("3", "Feed"), ("u", feed)) for feed in blog.feeds),
    ]
    _write(record, fields)


def add_entry(
    parent: etree._Element, urn: str, changed: datetime, post: Post, blog: Blog, blog_urn: str
) -> None:
    """Add a post: component part of its blog."""
    record = _start(
        parent, "part", urn, changed, coded_data("part", post.published, None, post.language)
    )
    publisher = blog.title or blog.url
    seen = f"Page as fetched on {post.fetched_at:%Y-%m-%d}." if post.fetched_at else ""
    fields: list[Field] = [
        ("041", "  ", ("a", marc_language(post.language) or "")),
        _dates(post.published, post.modified),
        *(("100", "0 ", ("a", name)) for name in post.authors[:1]),
        _title(post_title(post), post.subtitle or "", bool(post.authors), post.language),
        ("264", " 1", ("b", publisher), ("c", calendar_date(post.published))),
        *_CARRIER,
        ("520", "  ", ("a", post.excerpt or post.content_text[:_SUMMARY_CHARS])),
        ("540", "  ", ("a", blog.rights or "")),
        ("588", "0 ", ("a", seen)),
        *(("653", "  ", ("a", tag)) for tag in post.tags),
        ("655", " 4", ("a", "Blog posts")),
        *(("700", "0 ", ("a", name)) for name in post.authors[1:]),
        ("773", "0 ", ("t", publisher), ("o", blog.url), _control_number(blog_urn)),
        ("856", "40", ("u", post.url)),
        *(("856", "42", ("3", media.role), ("u", media.url)) for media in post.media),
    ]
    _write(record, fields)


def add_comment(
    parent: etree._Element,
    urn: str,
    changed: datetime,
    comment: Comment,
    post: Post,
    entry: str,
    answered: tuple[Comment, str] | None,
) -> None:
    """Add a comment: component part of its post; the comment it answers is in 787."""
    record = _start(
        parent, "part", urn, changed, coded_data("part", comment.published, None, post.language)
    )
    host = (("t", brief(post_title(post))), ("o", brief(post.url)), _control_number(ids.urn(entry)))
    fields: list[Field] = [
        _dates(comment.published, None),
        ("100", "0 ", ("a", comment.author or "")),
        _title(comment_title(comment, post), "", bool(comment.author), None),
        *_CARRIER,
        ("520", "  ", ("a", comment.content_text[:_SUMMARY_CHARS])),
        ("655", " 4", ("a", "Blog comments")),
        ("773", "0 ", *host),
    ]
    if answered is not None:
        other, uuid = answered
        link = (("o", brief(other.url or other.id)), _control_number(ids.urn(uuid)))
        fields.append(("787", "08", ("i", "In reply to:"), *link))
    fields += [
        ("856", "40", ("u", comment.url or "")),
        ("856", "42", ("3", "Author's site"), ("u", comment.author_url or "")),
    ]
    _write(record, fields)
