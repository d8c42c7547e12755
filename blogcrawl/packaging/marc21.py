"""The strict MARC 21 profile: fields in their defined meaning (loc.gov/marc, update 38).

What differs from ``blogforever``: addresses in 856, dates in 008, 046 and 264, further authors in
700, the blog as host item in 773, an answered comment in 787, rights in 540, no 9xx and no text of
the post (it is in the package).
"""

from __future__ import annotations

from datetime import datetime

from lxml import etree

from blogcrawl.core.records import Blog, Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.marc import (
    SOURCE,
    brief,
    coded_data,
    comment_title,
    datafield,
    moment,
    post_title,
    start_record,
    title_indicators,
)
from blogcrawl.packaging.marc_tables import marc_language

_LEADER = {"blog": "00000nai a22000007  4500", "part": "00000naa a22000007  4500"}
_SUMMARY_CHARS = 500


def _start(
    parent: etree._Element, kind: str, urn: str, changed: datetime, coded: str
) -> etree._Element:
    record = start_record(parent, _LEADER[kind], urn, changed, coded)
    datafield(record, "024", "7 ", ("a", urn), ("2", "urn"))
    datafield(record, "040", "  ", ("a", SOURCE), ("b", "eng"), ("c", SOURCE), ("e", "rda"))
    return record


def _title(
    record: etree._Element, title: str, subtitle: str, has_author: bool, language: str | None
) -> None:
    code = marc_language(language)
    datafield(
        record,
        "245",
        title_indicators(title, has_author, [code] if code else None),
        ("a", title),
        ("b", subtitle),
    )


def _control_number(urn: str) -> str:
    return f"({SOURCE}){urn}"


def _carrier(record: etree._Element) -> None:
    datafield(record, "336", "  ", ("a", "text"), ("b", "txt"), ("2", "rdacontent"))
    datafield(record, "337", "  ", ("a", "computer"), ("b", "c"), ("2", "rdamedia"))
    datafield(record, "338", "  ", ("a", "online resource"), ("b", "cr"), ("2", "rdacarrier"))


def _dates(record: etree._Element, created: datetime | None, modified: datetime | None) -> None:
    if created or modified:
        known = (("j", moment(modified)), ("k", moment(created)))
        datafield(record, "046", "  ", *known, ("2", "edtf"))


def _language(record: etree._Element, tag: str | None) -> None:
    datafield(record, "041", "  ", ("a", marc_language(tag) or ""))


def add_blog(parent: etree._Element, urn: str, changed: datetime, blog: Blog) -> None:
    """Add a blog: integrating resource, 008/21 ``h`` (blog)."""
    record = _start(
        parent,
        "blog",
        urn,
        changed,
        coded_data("blog", blog.first_post, blog.last_post, blog.language),
    )
    _language(record, blog.language)
    _dates(record, blog.first_post, blog.last_post)
    authors = list(blog.authors)
    if authors:
        datafield(record, "100", "0 ", ("a", authors[0]))
    _title(record, blog.title or blog.url, blog.subtitle or "", bool(authors), blog.language)
    datafield(record, "264", " 1", ("c", f"{blog.first_post.year:04d}-" if blog.first_post else ""))
    _carrier(record)
    system = " ".join(part for part in (blog.platform, blog.platform_version) if part)
    datafield(record, "538", "  ", ("a", f"Published with {system}." if system else ""))
    datafield(record, "540", "  ", ("a", blog.rights or ""))
    datafield(record, "540", "  ", ("a", blog.licence or ""))
    datafield(record, "655", " 7", ("a", "Blogs."), ("2", "lcgft"))
    for name in authors[1:]:
        datafield(record, "700", "0 ", ("a", name))
    datafield(record, "856", "40", ("u", blog.url))
    for feed in blog.feeds:
        datafield(record, "856", "42", ("3", "Feed"), ("u", feed))


def add_entry(
    parent: etree._Element, urn: str, changed: datetime, post: Post, blog: Blog, blog_urn: str
) -> None:
    """Add a post: component part of its blog."""
    record = _start(
        parent, "part", urn, changed, coded_data("part", post.published, None, post.language)
    )
    _language(record, post.language)
    _dates(record, post.published, post.modified)
    if post.authors:
        datafield(record, "100", "0 ", ("a", post.authors[0]))
    _title(record, post_title(post), post.subtitle or "", bool(post.authors), post.language)
    datafield(
        record,
        "264",
        " 1",
        ("b", blog.title or blog.url),
        ("c", f"{post.published:%Y-%m-%d}" if post.published else ""),
    )
    _carrier(record)
    datafield(record, "520", "  ", ("a", post.excerpt or post.content_text[:_SUMMARY_CHARS]))
    datafield(record, "540", "  ", ("a", blog.rights or ""))
    if post.fetched_at:
        datafield(record, "588", "0 ", ("a", f"Page as fetched on {post.fetched_at:%Y-%m-%d}."))
    for tag in post.tags:
        datafield(record, "653", "  ", ("a", tag))
    datafield(record, "655", " 4", ("a", "Blog posts"))
    for name in post.authors[1:]:
        datafield(record, "700", "0 ", ("a", name))
    datafield(
        record,
        "773",
        "0 ",
        ("t", blog.title or blog.url),
        ("o", blog.url),
        ("w", _control_number(blog_urn)),
    )
    datafield(record, "856", "40", ("u", post.url))
    for media in post.media:
        datafield(record, "856", "42", ("3", media.role), ("u", media.url))


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
    _dates(record, comment.published, None)
    if comment.author:
        datafield(record, "100", "0 ", ("a", comment.author))
    _title(record, comment_title(comment, post), "", bool(comment.author), None)
    _carrier(record)
    datafield(record, "520", "  ", ("a", comment.content_text[:_SUMMARY_CHARS]))
    datafield(record, "655", " 4", ("a", "Blog comments"))
    datafield(
        record,
        "773",
        "0 ",
        ("t", brief(post_title(post))),
        ("o", brief(post.url)),
        ("w", _control_number(ids.urn(entry))),
    )
    if answered is not None:
        other, uuid = answered
        datafield(
            record,
            "787",
            "08",
            ("i", "In reply to:"),
            ("o", brief(other.url or other.id)),
            ("w", _control_number(ids.urn(uuid))),
        )
    datafield(record, "856", "40", ("u", comment.url or ""))
    datafield(record, "856", "42", ("3", "Author's site"), ("u", comment.author_url or ""))
