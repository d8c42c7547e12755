"""Records that tests of packages and stores share."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from blogcrawl.core.organization import Organization
from blogcrawl.core.records import Blog, Comment, MediaFile, Post
from blogcrawl.packaging.contents import EntryInput
from blogcrawl.packaging.parts import Stamp

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
OPERATOR = Organization(
    name="An archive",
    identifier="https://ror.org/012345678",
    contact="mailto:archive@archive.example",
    rights="For reading on our premises.",
)
STAMP = Stamp(
    created=MOMENT, changed=MOMENT, operator=OPERATOR, software_version="9.9", host="crawler-1"
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
WEBP = b"RIFF\x44\x00\x00\x00WEBP" + bytes(60)
"""What the browser makes its screenshots in."""
PNG_SHA = hashlib.sha256(PNG).hexdigest()
BLOG = Blog(
    url="https://blog.example/",
    title="A <blog> & more",
    subtitle="of words",
    feeds=("https://blog.example/feed",),
    platform="wordpress",
    platform_version="6.8",
    language="pt-BR",
    encoding="utf-8",
    authors=("Ann", "Bob"),
    rights="© Ann",
    licence="https://creativecommons.org/licenses/by/4.0/",
    first_post=datetime(2010, 1, 2, tzinfo=UTC),
    last_post=datetime(2026, 2, 1, tzinfo=UTC),
    posts_per_week=1.25,
    sitemap="https://blog.example/sitemap.xml",
    hosting_ip="192.0.2.7",
    http_status=200,
)
NASTY = (
    "\x00\x01\x0b\ufffe\ud800 \u202eright\u202c \u05d0\u05d1 \U0001f600 ]]> & <b> '\" "
    "\r\n\t\x85\u2028 ../../x"
)


def comment(number: int, parent: int | None = None, **changes: Any) -> Comment:
    values: dict[str, Any] = {
        "id": f"c{number}",
        "author": f"Reader {number}",
        "author_url": f"https://reader{number}.example/",
        "published": datetime(2026, 1, 2, 3, number % 60, tzinfo=UTC),
        "content_html": "<p>Well &amp; said</p>",
        "content_text": "Well & said " * 12,
        "parent_id": None if parent is None else f"c{parent}",
        "url": f"https://blog.example/post#c{number}",
    }
    return Comment(**(values | changes))


def post(number: int = 0, comments: int = 3, **changes: Any) -> Post:
    url = f"https://blog.example/post-{number}"
    values: dict[str, Any] = {
        "url": url,
        "canonical_url": url,
        "title": f"Post {number} <of> many",
        "subtitle": "a subtitle",
        "authors": ("Ann", "Bob"),
        "published": datetime(2026, 1, 1 + number % 28, tzinfo=UTC),
        "published_raw": "1 Jan",
        "modified": datetime(2026, 2, 1, tzinfo=UTC),
        "language": "en",
        "tags": ("one", "two"),
        "content_html": "<p>" + "word & text " * 1600 + "</p>",
        "content_text": "word & text " * 1600,
        "comments": tuple(comment(i, i - 1 if i % 3 else None) for i in range(comments)),
        "fetched_at": MOMENT,
        "http_status": 200,
        "extraction": {"title": {"method": "rule", "confidence": 0.9, "rule": "//h1"}},
    }
    return Post(**(values | changes))


def entry(number: int = 0, comments: int = 3, **changes: Any) -> EntryInput:
    """``changes`` of EntryInput; ``post_changes`` (a dict) go to the post."""
    changed_post = replace(post(number, comments), **changes.pop("post_changes", {}))
    values: dict[str, Any] = {
        "post": changed_post,
        "blog": BLOG,
        "stamp": STAMP,
        "source": b"<html>" + b"x" * 20_000,
        "crawl_id": "crawl1",
    }
    return EntryInput(**(values | changes))


def with_media(number: int = 0) -> EntryInput:
    """A post with a picture, its rendered page and a screenshot."""
    media = (
        MediaFile(
            url="https://blog.example/a.png",
            sha256=PNG_SHA,
            mime="image/png",
            size=len(PNG),
            alt="a",
        ),
        MediaFile(
            url="https://blog.example/copy.png", sha256=PNG_SHA, mime="image/png", size=len(PNG)
        ),
        MediaFile(url="https://blog.example/gone.png", error="HTTP 404"),
    )
    return entry(
        number,
        rendered=b"<html>dom",
        screenshot=WEBP,
        media={PNG_SHA: PNG},
        post_changes={"media": media},
    )
