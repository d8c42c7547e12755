"""The strict MARC 21 profile: every field in its defined meaning (loc.gov/marc/bibliographic, update 38).

What differs from ``blogforever``: addresses in 856, dates in 008, 046 and 264, further authors in 700, the blog as
host item in 773, an answered comment in 787, rights in 540, no 9xx and no text of the post (it is in the package).
"""

from __future__ import annotations

from datetime import UTC, datetime

from lxml import etree

from blogcrawl.items import Blog, Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.marc import CONTROL, LEADER, RECORD, datafield
from blogcrawl.packaging.marc_tables import marc_language
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.xmltools import sub

_LEADER = {"blog": "00000nai a22000007  4500", "part": "00000naa a22000007  4500"}
_ONLINE = "cr |||||||||||"
"""007: electronic resource, remote; the rest not coded."""
_SUMMARY_CHARS = 500


def _fixed(kind: str, entered: datetime, begun: datetime | None, ended: datetime | None, language: str | None) -> str:
    """008, 40 positions: of a continuing resource for the blog, of a book (component part) for posts and comments."""
    day = entered.astimezone(UTC).strftime("%y%m%d")
    speech = marc_language(language) or "und"
    if kind == "blog":
        years = f"u{begun.year:04d}uuuu" if begun else "uuuuuuuuu"
        if begun and ended:
            years = f"c{begun.year:04d}9999"
        return f"{day}{years}xx || hoo||||||   |2{speech} d"
    dates = f"e{begun.year:04d}{begun.month:02d}{begun.day:02d}" if begun else "nuuuuuuuu"
    return f"{day}{dates}xx |||||o|||||||| ||{speech}|d"


def _start(parent: etree._Element, kind: str, urn: str, changed: datetime, fixed: str) -> etree._Element:
    record = sub(parent, RECORD, attributes={"type": "Bibliographic"})
    sub(record, LEADER, _LEADER[kind])
    stamp = changed.astimezone(UTC).strftime("%Y%m%d%H%M%S.0")
    for tag, value in (("001", urn), ("003", "blogcrawl"), ("005", stamp), ("007", _ONLINE), ("008", fixed)):
        sub(record, CONTROL, value, {"tag": tag})
    datafield(record, "024", "7 ", ("a", urn), ("2", "urn"))
    return record


def _carrier(record: etree._Element) -> None:
    datafield(record, "336", "  ", ("a", "text"), ("b", "txt"), ("2", "rdacontent"))
    datafield(record, "337", "  ", ("a", "computer"), ("b", "c"), ("2", "rdamedia"))
    datafield(record, "338", "  ", ("a", "online resource"), ("b", "cr"), ("2", "rdacarrier"))


def _dates(record: etree._Element, created: datetime | None, modified: datetime | None) -> None:
    if created or modified:
        written = rfc3339(created) if created else ""
        datafield(record, "046", "  ", ("j", rfc3339(modified) if modified else ""), ("k", written), ("2", "edtf"))


def _language(record: etree._Element, tag: str | None) -> None:
    datafield(record, "041", "  ", ("a", marc_language(tag) or ""))


def add_blog(parent: etree._Element, urn: str, changed: datetime, blog: Blog) -> None:
    """A blog: integrating resource, 008/21 ``h`` (blog)."""
    record = _start(parent, "blog", urn, changed, _fixed("blog", changed, blog.first_post, blog.last_post, blog.language))
    _language(record, blog.language)
    _dates(record, blog.first_post, blog.last_post)
    authors = list(blog.authors)
    if authors:
        datafield(record, "100", "1 ", ("a", authors[0]))
    datafield(record, "245", "10" if authors else "00", ("a", blog.title or blog.url), ("b", blog.subtitle or ""))
    datafield(record, "264", " 1", ("c", f"{blog.first_post.year:04d}-" if blog.first_post else ""))
    _carrier(record)
    system = " ".join(part for part in (blog.platform, blog.platform_version) if part)
    datafield(record, "538", "  ", ("a", f"Published with {system}." if system else ""))
    datafield(record, "540", "  ", ("a", blog.rights or ""))
    datafield(record, "540", "  ", ("a", blog.licence or ""))
    datafield(record, "655", " 7", ("a", "Blogs."), ("2", "lcgft"))
    for name in authors[1:]:
        datafield(record, "700", "1 ", ("a", name))
    datafield(record, "856", "40", ("u", blog.url))
    for feed in blog.feeds:
        datafield(record, "856", "42", ("3", "Feed"), ("u", feed))


def add_entry(parent: etree._Element, urn: str, changed: datetime, post: Post, blog: Blog, blog_urn: str) -> None:
    """A post: component part of its blog."""
    record = _start(parent, "part", urn, changed, _fixed("part", changed, post.published, None, post.language))
    _language(record, post.language)
    _dates(record, post.published, post.modified)
    if post.authors:
        datafield(record, "100", "1 ", ("a", post.authors[0]))
    datafield(record, "245", "10" if post.authors else "00", ("a", post.title or post.canonical_url), ("b", post.subtitle or ""))
    datafield(record, "264", " 1", ("b", blog.title or blog.url), ("c", f"{post.published:%Y-%m-%d}" if post.published else ""))
    _carrier(record)
    datafield(record, "520", "  ", ("a", post.excerpt or post.content_text[:_SUMMARY_CHARS]))
    datafield(record, "540", "  ", ("a", blog.rights or ""))
    if post.fetched_at:
        datafield(record, "588", "0 ", ("a", f"Page as fetched on {post.fetched_at:%Y-%m-%d}."))
    for tag in post.tags:
        datafield(record, "653", "  ", ("a", tag))
    datafield(record, "655", " 4", ("a", "Blog posts"))
    for name in post.authors[1:]:
        datafield(record, "700", "1 ", ("a", name))
    datafield(record, "773", "0 ", ("t", blog.title or blog.url), ("o", blog.url), ("w", blog_urn))
    datafield(record, "856", "40", ("u", post.url))
    for media in post.media:
        datafield(record, "856", "42", ("3", media.role), ("u", media.url))


def add_comment(
    parent: etree._Element, urn: str, changed: datetime, comment: Comment, post: Post, entry: str, answered: tuple[Comment, str] | None
) -> None:
    """A comment: component part of its post; the comment it answers stands in 787."""
    record = _start(parent, "part", urn, changed, _fixed("part", changed, comment.published, None, post.language))
    _dates(record, comment.published, None)
    if comment.author:
        datafield(record, "100", "1 ", ("a", comment.author))
    title = comment.title or f"Comment on {post.title or post.canonical_url}"
    datafield(record, "245", "10" if comment.author else "00", ("a", title))
    _carrier(record)
    datafield(record, "520", "  ", ("a", comment.content_text[:_SUMMARY_CHARS]))
    datafield(record, "655", " 4", ("a", "Blog comments"))
    datafield(record, "773", "0 ", ("t", post.title or post.canonical_url), ("o", post.url), ("w", ids.urn(entry)))
    if answered is not None:
        told, uuid = answered
        datafield(record, "787", "08", ("i", "In reply to:"), ("o", told.url or told.id), ("w", ids.urn(uuid)))
    datafield(record, "856", "40", ("u", comment.url or ""))
    datafield(record, "856", "42", ("3", "Author's site"), ("u", comment.author_url or ""))
