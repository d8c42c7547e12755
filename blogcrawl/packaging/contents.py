"""What packages are made of, and the parts of an entry AIP that come straight from the page."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import resources
from typing import Any, Literal

from blogcrawl.core.errors import PackagingError
from blogcrawl.core.records import Blog, Post
from blogcrawl.dates.edtf import edtf, written
from blogcrawl.packaging.html_templates import render
from blogcrawl.packaging.layout import MEDIA, SOURCE_HTML, WEB
from blogcrawl.packaging.parts import Content, Derivation, Part, Stamp, part
from blogcrawl.packaging.premis import Event, Outcome, Property, Rights
from blogcrawl.packaging.sniff import sniff

Profile = Literal["blogforever", "marc21"]
_MIME = re.compile(r"[\w.+-]+/[\w.+-]+\Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryInput:
    """Everything in an entry AIP. ``media``: sha256 -> content of each archived MediaFile."""

    post: Post
    blog: Blog
    stamp: Stamp
    source: bytes
    """The page's body as the server sent it (content encodings undone)."""
    source_mime: str = "text/html"
    rendered: bytes | None = None
    screenshot: bytes | None = None
    media: Mapping[str, Content] = field(default_factory=dict)
    profile: Profile = "blogforever"
    crawl_id: str = ""
    origin: str = ""
    """The web archive that the page was read from; empty: the web."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Attributes of table 5 that Post has no field for (geo_latitude, access_restriction …)."""
    blog_urn: str = ""
    """Id of the blog's AIP, also after the blog has moved. Empty: from the blog's URL."""
    rights: Rights = field(default_factory=Rights)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogInput:
    """Everything in a blog AIP. Names in ``feeds`` and ``evidence`` are plain, no paths."""

    blog: Blog
    stamp: Stamp
    model: Mapping[str, object] | None = None
    """The learned rules, as JSON."""
    feeds: Mapping[str, tuple[str, Content]] = field(default_factory=dict)
    """name -> (URL, body); one that was not sent again as ``Kept``"""
    entries: Iterable[Mapping[str, object]] = ()
    """One JSON-able line per entry AIP: url, aip_id, version, title, published."""
    crawls: Sequence[Mapping[str, object]] = ()
    evidence: Mapping[str, Content] = field(default_factory=dict)
    """name -> WACZ or WARC of a crawl; earlier ones as ``Kept``."""
    profile: Profile = "blogforever"
    events: Sequence[Event] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    blog_urn: str = ""
    """As in EntryInput."""
    rights: Rights = field(default_factory=Rights)


@functools.cache
def resource(name: str) -> bytes:
    return resources.files("blogcrawl.packaging").joinpath("resources", name).read_bytes()


def safe_mime(header: str | None, fallback: str = "application/octet-stream") -> str:
    """Return the bare type of a Content-Type header; ``fallback`` where it has no valid one."""
    bare = (header or "").split(";", 1)[0].strip().lower()
    return bare if _MIME.match(bare) else fallback


def plain_name(name: str) -> str:
    """Return a file name that is safe everywhere. Raises PackagingError on anything else."""
    if not _NAME.match(name):
        raise PackagingError(f"{name!r} is no plain file name")
    return name


def web_parts(source: EntryInput) -> list[Part]:
    mime = safe_mime(source.source_mime, "text/html")
    url, changed = source.post.url, source.stamp.changed
    captured = source.post.fetched_at or changed
    out = [part(SOURCE_HTML, source.source, mime, url)]
    page = SOURCE_HTML
    if source.rendered is not None:
        how = "a browser loaded the page, ran its scripts and wrote the document that it then had"
        page = WEB + "rendered.html"
        rendered = part(page, source.rendered, "text/html", url)
        out.append(_derived(rendered, SOURCE_HTML, captured, how))
    if source.screenshot is not None:
        kind = sniff(source.screenshot) or "image/png"
        picture = part(f"{WEB}screenshot.{kind.rpartition('/')[2]}", source.screenshot, kind, url)
        out.append(_derived(picture, page, captured, "picture of the page in the browser"))
    if source.post.content_html:
        how = "the post's content extracted from the page, cleaned and sanitised"
        if method := source.post.extraction.get("content", {}).get("method"):
            how += f" (method {method})"
        content = part(WEB + "content.html", _readable(source.post), "text/html")
        out.append(_derived(content, page, changed, how))
    return out


def _derived(made: Part, source: str, at: datetime, how: str) -> Part:
    return replace(made, derivation=Derivation(source=source, at=at, detail=how))


def entry_properties(post: Post) -> list[Property]:
    """Return what of a post a migration has to keep, so that it can be checked afterwards."""
    text = post.content_text.encode("utf-8", "replace")
    archived = sum(media.sha256 is not None for media in post.media)
    return [
        ("content: characters of the text", f"{len(post.content_text)}"),
        ("content: SHA-256 of the text in UTF-8", hashlib.sha256(text).hexdigest()),
        ("content: media files", f"{len(post.media)}"),
        ("content: media files archived", f"{archived}"),
        ("structure: comments", f"{len(post.comments)}"),
        *_known(("context: published", edtf(post.published)), ("context: language", post.language)),
    ]


def blog_properties(blog: Blog, posts: int) -> list[Property]:
    """Return the same of a blog with so many posts in the archive."""
    return [
        ("structure: posts", f"{posts}"),
        *_known(
            ("context: first post", edtf(blog.first_post)),
            ("context: last post", edtf(blog.last_post)),
            ("context: language", blog.language),
        ),
    ]


def _known(*properties: tuple[str, str | None]) -> list[Property]:
    return [(kind, value) for kind, value in properties if value]


def _readable(post: Post) -> bytes:
    """Return the post's clean content as a document of its own."""
    published = written(post.published) if post.published else ""
    title = post.title or post.canonical_url
    text = render("content.html", post=post, title=title, published=published)
    return text.encode("utf-8", "replace")


def media_parts(source: EntryInput) -> list[Part]:
    """Each archived file once, under its digest. Raises PackagingError on a malformed digest."""
    out: dict[str, Part] = {}
    for media in source.post.media:
        if media.sha256 is None or media.name is None or media.sha256 not in source.media:
            continue
        if not _SHA256.match(media.sha256):
            raise PackagingError(f"media digest {media.sha256!r} is no SHA-256", url=media.url)
        path = MEDIA + plain_name(media.name)
        if path not in out:
            out[path] = part(path, source.media[media.sha256], safe_mime(media.mime), media.url)
    return list(out.values())


def entry_events(source: EntryInput) -> list[Event]:
    post, stamp = source.post, source.stamp
    methods = methods_of(post.extraction) or "no methods recorded"
    events = [
        *_captures(source),
        Event(type="metadata extraction", at=stamp.changed, detail=methods),
    ]
    return [*events, *closing_events(stamp)]


def methods_of(extraction: Mapping[str, Mapping[str, Any]]) -> str:
    """Return which method found which field; a note without one has found nothing."""
    return ", ".join(
        f"{name}: {note['method']}"
        for name, note in sorted(extraction.items())
        if note.get("method")
    )


def _captures(source: EntryInput) -> list[Event]:
    """Return the capture of the page, and that of its media where there are any."""
    post = source.post
    at = post.fetched_at
    if at is None:
        return []
    crawl = f", crawl {source.crawl_id}" if source.crawl_id else ""
    how = "over HTTP and in a browser" if source.rendered is not None else "over HTTP"
    if source.origin:
        how = f"read from the web archive {source.origin}, which captured it then"
    status = [f"HTTP status {post.http_status}"] if post.http_status else []
    failures = list(_failures(post))
    page = Event(
        type="capture",
        at=at,
        detail=f"{post.url} {how}{crawl}",
        outcome=_outcome(post, failures),
        notes=[*status, *failures],
        by=source.origin,
    )
    return [page, *_lost_media(post, at)]


def _failures(post: Post) -> Iterator[str]:
    """Yield what the record of a post lacks."""
    comments, content = (post.extraction.get(name, {}) for name in ("comments", "content"))
    if comments.get("incomplete"):
        yield f"comments incomplete: {comments['incomplete']}"
    if content.get("incomplete"):
        yield f"text incomplete: {content['incomplete']}"
    if content.get("restricted"):
        yield "the page declares that not everybody may read the whole post"


def _lost_media(post: Post, at: datetime) -> list[Event]:
    lost = [f"{media.url}: {media.error}" for media in post.media if media.error]
    if not lost:
        return []
    archived = sum(media.sha256 is not None for media in post.media)
    outcome: Outcome = "warning" if archived else "fail"
    detail = f"media of {post.url}: {archived} of {len(post.media)} files archived"
    return [Event(type="capture", at=at, detail=detail, outcome=outcome, notes=lost)]


def _outcome(post: Post, failures: Sequence[str]) -> Outcome:
    if post.status == "gone" or (post.http_status or 0) >= 400:
        return "fail"
    return "warning" if failures else "success"


def crawl_event(crawl: Mapping[str, Any], url: str, at: datetime) -> Event:
    """Return the capture of a blog by a crawl, from its line in ``crawls.jsonl``; ``at``: its end.

    What is missing is named with its reason.
    """
    outcome: Outcome = "success"
    if crawl["outcome"] == "failed":
        outcome = "fail"
    elif crawl["outcome"] != "finished" or crawl["missing_count"]:
        outcome = "warning"
    return Event(
        type="capture",
        at=at,
        detail=f"{url}, crawl {crawl['id']} ({crawl['spider']}), begun {crawl['started']}",
        outcome=outcome,
        notes=[
            f"{crawl['outcome']}: {crawl['detail']}",
            f"{crawl['posts']} posts archived, {crawl['missing_count']} missing",
            *(f"{page['url']}: {page['reason']}" for page in crawl["missing"]),
        ],
    )


def closing_events(stamp: Stamp) -> list[Event]:
    return [
        Event(type="message digest calculation", at=stamp.changed, detail="SHA-512 of each file"),
        Event(
            type="validation",
            at=stamp.changed,
            detail="MARCXML records against the rules of MARC21slim 1.2",
        ),
    ]
