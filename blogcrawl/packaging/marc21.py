"""The strict MARC 21 profile: fields in their defined meaning (loc.gov/marc, update 38).

What differs from ``blogforever``: addresses in 856, dates in 008, 046 and 264, further authors in
700, the blog as host item in 773, an answered comment in 787, rights in 540 and 542, no 9xx and no
text of the post (it is in the package). Punctuation is that of ISBD (Leader/18 ``i``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import quote

from blogcrawl.core.organization import Organization
from blogcrawl.core.records import Blog, Comment, MediaFile, Post
from blogcrawl.dates.edtf import calendar_date, edtf, is_approximate
from blogcrawl.packaging import ids
from blogcrawl.packaging.marc import (
    SOURCE,
    Records,
    blog_data,
    brief,
    coded_data,
    comment_title,
    datafield,
    end_record,
    post_title,
    start_record,
    subjects,
    title_indicators,
)
from blogcrawl.packaging.marc_language import marc_language
from blogcrawl.packaging.parts import Stamp

_LEADER = {"blog": "00000nai a22000007i 4500", "part": "00000naa a22000007i 4500"}
_SUMMARY_CHARS = 500
_HOLDER_CHARS = 100
_COPYRIGHT = re.compile(
    r"(?:all\s\w{1,12}\s)?[^\w(©&]*+(?:(?:copyright|\(c\)|©|&copy;)\s*+)++[\d\s,;–—-]*+(?:by\s)?",
    re.IGNORECASE,
)
"""What comes before the name in a copyright notice: sign or word, years (17 U.S.C. 401(b))."""
_RESERVED = re.compile("all rights reserved", re.IGNORECASE)
_AROUND_HOLDER = " .,;|·•–—-©"
_FULL_STOPS = "。．｡।۔։።។"
"""Of scripts that have one of their own: the period that ends a field stands for it."""
_CLOSED = tuple(f"{mark}{close}" for mark in ".!?…" for close in "\"'”’»)]")
"""Ends of a text whose last sentence is in quotation marks or brackets."""
Field = tuple[str, str, *tuple[tuple[str, str], ...]]
"""Tag, indicators, subfields; one with nothing but notes in its subfields is not written."""


def _start(records: Records, kind: str, urn: str, stamp: Stamp, coded: str) -> None:
    start_record(records, _LEADER[kind], urn, stamp.changed, coded)
    datafield(records, "024", "7 ", ("a", urn), ("2", "urn"))
    agency = _agency(stamp.operator)
    datafield(records, "040", "  ", ("a", agency), ("b", "eng"), ("c", agency), ("e", "rda"))


def _agency(operator: Organization) -> str:
    """Return who catalogues (040): an organization's code, else its name."""
    code = operator.identifier if operator.scheme == "ISIL" else ""
    return code or operator.name or SOURCE


def _write(records: Records, fields: Iterable[Field]) -> None:
    for tag, indicators, *subfields in fields:
        datafield(records, tag, indicators, *subfields)
    end_record(records)


def _title(title: str, subtitle: str, has_author: bool, language: str | None) -> Field:
    """Return 245, which ends with a period, whatever stands before it (LC-PCC PS 1.7.1)."""
    code = marc_language(language)
    indicators = title_indicators(title, has_author, [code] if code else None)
    if not subtitle.strip():
        return "245", indicators, ("a", _ended(title))
    return "245", indicators, ("a", f"{title} :"), ("b", _ended(subtitle))


def _ended(text: str) -> str:
    kept = text.rstrip(f"{_FULL_STOPS} ")
    return kept if kept.endswith(".") else f"{kept}."


def _people(tag: str, names: Sequence[str]) -> list[Field]:
    return [(tag, "0 ", ("a", f"{name},"), ("e", "author.")) for name in names if name]


def _control_number(urn: str) -> tuple[str, str]:
    return "w", f"({SOURCE}){urn}"


_CARRIER: tuple[Field, ...] = (
    ("336", "  ", ("a", "text"), ("b", "txt"), ("2", "rdacontent")),
    ("337", "  ", ("a", "computer"), ("b", "c"), ("2", "rdamedia")),
    ("338", "  ", ("a", "online resource"), ("b", "cr"), ("2", "rdacarrier")),
)


def _dates(created: datetime | None, modified: datetime | None) -> Field:
    return "046", "  ", ("j", edtf(modified)), ("k", edtf(created)), ("2", "edtf")


def _supplied(moment: datetime | None, day: str) -> str:
    """Return a date as 264 writes it: a probable one in brackets, ``[2012?]`` (RDA 1.9.2.3)."""
    return f"[{day}?]" if moment and is_approximate(moment) else day


def _published(publisher: str, when: str) -> Field:
    """Return 264, publication; a period ends it, but for an open date or a bracket."""
    date = when if when.endswith(("-", "]")) or not when else f"{when}."
    named = f"{publisher}," if when else _ended(publisher)
    return "264", " 1", ("b", named if publisher else ""), ("c", date)


def _rights(blog: Blog, operator: Organization) -> list[Field]:
    """Return 540, the terms of use of the blog and of the copy in the archive, and 542 with the
    copyright notice and whom it names.
    """
    rights, licence = blog.rights or "", blog.licence or ""
    holder = copyright_holder(rights)
    fields: list[Field] = [
        ("540", "  ", ("a", rights if not holder else "")),
        ("540", "  ", ("a", "Licence as stated by the blog." if licence else ""), ("u", licence)),
        ("540", "  ", ("3", "Archived copy"), ("a", operator.rights)),
        ("542", "  ", ("d", holder), ("f", rights if holder else "")),
    ]
    return fields


def copyright_holder(notice: str) -> str:
    """Return whom a copyright notice names; empty for other text and for one without a name."""
    found = _COPYRIGHT.match(notice[:1_000])
    if found is None:
        return ""
    name = _RESERVED.split(notice[found.end() : 1_000])[0]
    holder = " ".join(name.split()).rstrip(f"{_AROUND_HOLDER}0123456789").lstrip(_AROUND_HOLDER)
    return holder if len(holder) <= _HOLDER_CHARS else ""


def _online(url: str, text: str, seen: datetime | None = None) -> Field:
    """Return 856, the resource itself, with the day on which it was seen."""
    note = f"As captured on {seen:%Y-%m-%d}." if seen else ""
    return "856", "40", ("u", _uri(url)), ("y", text), ("z", note)


def _related(url: str, materials: str, text: str = "", note: str = "") -> Field:
    return "856", "42", ("3", materials), ("u", _uri(url)), ("y", text), ("z", note)


def _uri(address: str) -> str:
    """Return an address as URI (RFC 3986): pages write other characters as they are."""
    return quote(address, safe="!#$%&'()*+,/:;=?@[]~", errors="replace")


def _media(files: Sequence[MediaFile]) -> list[Field]:
    return [
        _related(
            media.url,
            media.role.capitalize(),
            brief(media.alt or ""),
            f"Not archived: {media.error}." if media.error else "",
        )
        for media in files
    ]


def add_blog(records: Records, urn: str, stamp: Stamp, blog: Blog) -> None:
    """Add a blog: integrating resource, 008/21 ``h`` (blog)."""
    changed = stamp.changed
    coded = blog_data(blog, changed)
    _start(records, "blog", urn, stamp, coded)
    system = " ".join(filter(None, (blog.platform, blog.platform_version)))
    title, first = blog.name, blog.first_post
    fields: list[Field] = [
        ("041", "  ", ("a", marc_language(blog.language) or "")),
        _dates(blog.first_post, blog.last_post),
        *_people("100", blog.authors[:1]),
        _title(title, blog.subtitle or "", bool(blog.authors), blog.language),
        _published("", f"{_supplied(first, f'{first.year:04d}')}-" if first else ""),
        *_CARRIER,
        ("538", "  ", ("a", f"Published with {system}." if system else "")),
        *_rights(blog, stamp.operator),
        ("588", "0 ", ("a", f"Online resource; title from start page or feed {_on(changed)}.")),
        ("655", " 7", ("a", "Blogs."), ("2", "lcgft")),
        *_people("700", blog.authors[1:]),
        _online(blog.url, "Blog on the web", changed),
        *(_related(feed, "Feed") for feed in blog.feeds),
    ]
    _write(records, fields)


def _on(day: datetime) -> str:
    return f"(viewed {day:%Y-%m-%d})"


def add_entry(
    records: Records, urn: str, stamp: Stamp, post: Post, blog: Blog, blog_urn: str
) -> None:
    """Add a post: component part of its blog."""
    coded = coded_data(post.published, post.language)
    _start(records, "part", urn, stamp, coded)
    publisher = blog.name
    seen = post.fetched_at
    fields: list[Field] = [
        ("041", "  ", ("a", marc_language(post.language) or "")),
        _dates(post.published, post.modified),
        *_people("100", post.authors[:1]),
        _title(post_title(post), post.subtitle or "", bool(post.authors), post.language),
        _published(publisher, _supplied(post.published, calendar_date(post.published))),
        *_CARRIER,
        _summarised(post.excerpt or post.content_text),
        *_rights(blog, stamp.operator),
        _title_source(post),
        *(("653", "  ", ("a", tag)) for tag in subjects(post.tags)),
        ("655", " 4", ("a", "Blog posts.")),
        *_people("700", post.authors[1:]),
        ("773", "0 ", ("t", publisher), ("o", _uri(blog.url)), _control_number(blog_urn)),
        _online(post.url, "Post on the web", seen),
        *_media(post.media),
    ]
    _write(records, fields)


def _title_source(post: Post) -> Field:
    """Return 588: where the title was taken from, or that it was devised, and when it was seen."""
    source = "title from web page"
    if not post.title:
        source = "title devised from first words of text"
    elif post.extraction.get("title", {}).get("method") == "feed":
        source = "title from feed"
    seen = f" {_on(post.fetched_at)}" if post.fetched_at else ""
    return "588", "0 ", ("a", f"Online resource; {source}{seen}.")


def _summarised(text: str) -> Field:
    """Return 520, which ends with a mark of punctuation."""
    short = summary(text)
    is_ended = not short or short[-1] in f".!?…{_FULL_STOPS}" or short.endswith(_CLOSED)
    return "520", "  ", ("a", short if is_ended else f"{short}.")


def summary(text: str) -> str:
    """Shorten to 500 characters, at a blank where there is one."""
    words = " ".join(text[: 4 * _SUMMARY_CHARS].split())
    if len(words) <= _SUMMARY_CHARS:
        return words
    cut = words[:_SUMMARY_CHARS]
    return f"{cut.rpartition(' ')[0] or cut} …"


def add_comment(
    records: Records,
    urn: str,
    stamp: Stamp,
    comment: Comment,
    post: Post,
    entry: str,
    answered: tuple[Comment, str] | None,
) -> None:
    """Add a comment: component part of its post; the comment it answers is in 787."""
    coded = coded_data(comment.published, post.language)
    _start(records, "part", urn, stamp, coded)
    author, address = comment.author or "", brief(_uri(post.url))
    host = (("t", brief(post_title(post))), ("o", address), _control_number(ids.urn(entry)))
    devised = "" if comment.title else "Title devised by the archive."
    fields: list[Field] = [
        _dates(comment.published, None),
        *_people("100", [author]),
        _title(comment_title(comment, post), "", bool(author), None),
        _published("", _supplied(comment.published, calendar_date(comment.published))),
        *_CARRIER,
        ("500", "  ", ("a", devised)),
        _summarised(comment.content_text),
        ("655", " 4", ("a", "Blog comments.")),
        ("773", "0 ", *host),
    ]
    if answered is not None:
        other, uuid = answered
        link = (("o", brief(other.url or other.id)), _control_number(ids.urn(uuid)))
        fields.append(("787", "08", ("i", "In reply to:"), *link))
    fields += [
        _online(comment.url or "", "Comment on the web"),
        _related(comment.author_url or "", "Author's site"),
    ]
    _write(records, fields)
