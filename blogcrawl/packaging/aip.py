"""The two kinds of package: an entry AIP for a post, a blog AIP for a blog. Records in, files out; no clock, no disk.

Layout (docs/packages.md has a whole example)::

    METS.xml
    metadata/descriptive/{marc,dc}.xml     metadata/preservation/premis.xml     metadata/other/{post,blog}.json
    documentation/README.txt               schemas/{post,blog}.schema.json
    representations/<name>/METS.xml        representations/<name>/metadata/preservation/premis.xml
    representations/<name>/data/…
"""

from __future__ import annotations

import functools
import html
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Literal

from lxml import etree

from blogcrawl.errors import PackagingError
from blogcrawl.items import Blog, Post
from blogcrawl.packaging import dc, ids, marc, marc21, mets, premis, records
from blogcrawl.packaging.mets import Description, Node, Sheet
from blogcrawl.packaging.parts import Content, Part, Stamp, part, sniff
from blogcrawl.packaging.premis import Event
from blogcrawl.packaging.thread import Thread
from blogcrawl.packaging.xmltools import serialize

Profile = Literal["blogforever", "marc21"]
_MIME = re.compile(r"[\w.+-]+/[\w.+-]+\Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryInput:
    """Everything an entry AIP is made of. ``media``: sha256 -> content, for each archived MediaFile of the post."""

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
    events: Sequence[Event] = ()
    """Further PREMIS events (a deposit, a migration)."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Attributes of table 5 that Post has no field for (geo_latitude, access_restriction …)."""
    blog_urn: str = ""
    """Id of the blog's AIP where it is known: it stays, even where the blog has moved. Empty: from the blog's URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogInput:
    """Everything a blog AIP is made of. File names in ``feeds`` and ``evidence`` are plain names, no paths."""

    blog: Blog
    stamp: Stamp
    model: Mapping[str, object] | None = None
    """The learned rules, as JSON."""
    feeds: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    """name -> (URL, body)"""
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


CHILD_LIMIT = 2000
"""Up to so many entry AIPs the blog's METS names each as child AIP; entries.jsonl always lists all of them."""


@functools.cache
def _resource(name: str) -> bytes:
    return resources.files("blogcrawl.packaging").joinpath("resources", name).read_bytes()


def safe_mime(header: str | None, fallback: str = "application/octet-stream") -> str:
    """The bare type of a Content-Type header; ``fallback`` where it has none worth the name."""
    bare = (header or "").split(";", 1)[0].strip().lower()
    return bare if _MIME.match(bare) else fallback


def entry_aip(source: EntryInput) -> dict[str, Content]:
    """The files of a post's AIP, path -> content. The same input gives the same bytes. Raises PackagingError."""
    post, stamp = source.post, source.stamp
    entry, blog = ids.entry_id(post.canonical_url), ids.bare(source.blog_urn) or ids.blog_id(source.blog.url)
    thread = Thread(post, entry)
    title = post.title or post.canonical_url
    described = [
        Description(part=_xml("metadata/descriptive/marc.xml", _entry_marc(source, thread, entry, blog)), kind="MARC"),
        Description(
            part=_xml("metadata/descriptive/dc.xml", dc.entry_dc(post, source.blog, ids.urn(entry), ids.urn(blog))), kind="DC"
        ),
        Description(
            part=part("metadata/other/post.json", records.encode(records.post_to_json(post)), "application/json"),
            kind="OTHER",
            other="blogcrawl-post",
        ),
    ]
    representations = {"web": _web_parts(source)}
    media = _media_parts(source)
    if media:
        representations["media"] = media
    tree = thread.node(entry, title)
    tree.path = representations["web"][-1].path
    sheet = Sheet(
        objid=ids.objid(entry), label=title, stamp=stamp, descriptions=described, logical=tree, parent_aip=ids.urn(blog)
    )
    return _package(sheet, ids.urn(entry), representations, _entry_events(source), "post.schema.json", ids.urn(blog))


def blog_aip(source: BlogInput) -> dict[str, Content]:
    """The files of a blog's AIP, path -> content. The same input gives the same bytes. Raises PackagingError."""
    blog, stamp = source.blog, source.stamp
    bare = ids.bare(source.blog_urn) or ids.blog_id(blog.url)
    root = marc.collection()
    if source.profile == "marc21":
        marc21.add_blog(root, ids.urn(bare), stamp.changed, blog)
    else:
        marc.add_blog(root, ids.urn(bare), stamp.changed, marc.blog_values(blog, source.extra))
    marc.check_collection(root)
    described = [
        Description(part=_xml("metadata/descriptive/marc.xml", root), kind="MARC"),
        Description(part=_xml("metadata/descriptive/dc.xml", dc.blog_dc(blog, ids.urn(bare))), kind="DC"),
        Description(
            part=part("metadata/other/blog.json", records.encode(records.blog_to_json(blog)), "application/json"),
            kind="OTHER",
            other="blogcrawl-blog",
        ),
    ]
    lines: list[bytes] = []
    children: list[str] = []
    for line in source.entries:
        lines.append(records.encode(line) + b"\n")
        if line.get("aip_id") and len(children) <= CHILD_LIMIT:
            children.append(ids.urn(ids.bare(str(line["aip_id"]))))
    representations = {"records": _record_parts(source, b"".join(lines))}
    if source.evidence:
        representations["web"] = [
            part(f"representations/web/data/{_plain(name)}", content, _evidence_mime(name)) for name, content in source.evidence.items()
        ]
    sheet = Sheet(
        objid=ids.objid(bare),
        label=blog.title or blog.url,
        stamp=stamp,
        descriptions=described,
        child_aips=children if len(children) <= CHILD_LIMIT else (),
    )
    events = [
        Event(type="metadata extraction", at=stamp.changed, detail=f"Blog record of {blog.url}"),
        *_closing_events(stamp),
        *source.events,
    ]
    return _package(sheet, ids.urn(bare), representations, events, "blog.schema.json", None)


def _package(
    sheet: Sheet, urn: str, representations: Mapping[str, Sequence[Part]], events: Sequence[Event], schema: str, part_of: str | None
) -> dict[str, Content]:
    """Root METS and PREMIS around descriptions and representations.

    The first representation's METS carries the logical structure and the related packages.
    """
    files: list[Part] = []
    groups: dict[str, list[Part]] = {
        "Documentation": [part("documentation/README.txt", _resource("README.txt"), "text/plain")],
        "Schemas": [part(f"schemas/{schema}", _resource(schema), "application/json")],
    }
    urns = {}
    for name, parts in representations.items():
        urns[name] = ids.urn(ids.part_id(sheet.objid, f"representation {name}")[5:])
        made = _representation(sheet, name, urns[name], urn, parts)
        sheet = replace(sheet, logical=None, parent_aip=None, child_aips=())
        groups[f"Representations/{name}"] = [made[0]]
        files += [*made, *parts]
    root = premis.document()
    premis.add_entity(root, urn, sheet.label, urns.values(), part_of)
    premis.add_events(root, sheet.objid, events, sheet.stamp, [urn])
    premis.add_agents(root, sheet.stamp)
    preservation = [_xml("metadata/preservation/premis.xml", root)]
    top = mets.document(replace(sheet, preservation=preservation, groups=groups))
    own = [description.part for description in sheet.descriptions]
    out: dict[str, Content] = {"METS.xml": serialize(top)}
    for one in (*own, *preservation, *groups["Documentation"], *groups["Schemas"], *files):
        out[one.path] = one.content
    return out


def _representation(sheet: Sheet, name: str, urn: str, represents: str, parts: Sequence[Part]) -> list[Part]:
    """METS and PREMIS of one representation."""
    prefix = f"representations/{name}/"
    root = premis.document()
    file_urns = [ids.urn(ids.part_id(sheet.objid, one.path)[5:]) for one in parts]
    premis.add_representation(root, urn, represents, file_urns)
    for file_urn, one in zip(file_urns, parts, strict=True):
        premis.add_file(root, file_urn, replace(one, path=one.path[len(prefix) :]))
    digest = Event(type="message digest calculation", at=sheet.stamp.changed, detail="SHA-512 of each file")
    premis.add_events(root, f"{sheet.objid}/{name}", [digest], sheet.stamp, [urn])
    premis.add_agents(root, sheet.stamp)
    preservation = _xml(f"{prefix}metadata/preservation/premis.xml", root)
    own = replace(
        sheet, objid=name, label=f"{name} of {sheet.label}", descriptions=(), preservation=[preservation], groups={"Data": parts},
        prefix=prefix,
    )  # fmt: skip
    return [_xml(f"{prefix}METS.xml", mets.document(own)), preservation]


def _xml(path: str, root: etree._Element) -> Part:
    return part(path, serialize(root), "application/xml")


def _plain(name: str) -> str:
    """A file name that is safe everywhere. Raises PackagingError on anything else: names are ours, not the web's."""
    if not _NAME.match(name):
        raise PackagingError(f"{name!r} is no plain file name")
    return name


def _evidence_mime(name: str) -> str:
    return "application/wacz" if name.endswith(".wacz") else "application/warc"


def _entry_marc(source: EntryInput, thread: Thread, entry: str, blog: str) -> etree._Element:
    """One collection: the entry's record, then each comment's."""
    post, changed = source.post, source.stamp.changed
    root = marc.collection()
    if source.profile == "marc21":
        marc21.add_entry(root, ids.urn(entry), changed, post, source.blog, ids.urn(blog))
        for reply in thread:
            answered = (reply.parent.comment, reply.parent.uuid) if reply.parent else None
            marc21.add_comment(root, ids.urn(reply.uuid), changed, reply.comment, post, entry, answered)
    else:
        values = marc.entry_values(post, entry, source.blog.url, blog, source.stamp.version, source.extra)
        marc.add_entry(root, ids.urn(entry), changed, values)
        for reply in thread:
            answered = (reply.parent.comment, reply.parent.uuid) if reply.parent else None
            told = marc.comment_values(reply.comment, post, entry, answered, len(reply.replies))
            marc.add_comment(root, ids.urn(reply.uuid), changed, told)
    marc.check_collection(root)
    return root


def _web_parts(source: EntryInput) -> list[Part]:
    folder = "representations/web/data/"
    mime = safe_mime(source.source_mime, "text/html")
    out = [part(folder + "source.html", source.source, mime, source.post.url)]
    if source.rendered is not None:
        out.append(part(folder + "rendered.html", source.rendered, "text/html", source.post.url))
    if source.screenshot is not None:
        kind = sniff(source.screenshot) or "image/png"
        name = "screenshot.jpg" if kind == "image/jpeg" else "screenshot.png"
        out.append(part(folder + name, source.screenshot, kind, source.post.url))
    if source.post.content_html:
        out.append(part(folder + "content.html", _readable(source.post), "text/html"))
    return out


def _readable(post: Post) -> bytes:
    """The post's clean content as a document of its own."""
    template = string.Template(_resource("content.html").decode())
    text = template.substitute(
        language=html.escape(post.language or "", quote=True),
        title=html.escape(post.title or post.canonical_url),
        authors=html.escape(", ".join(post.authors)),
        published=html.escape(records.rfc3339(post.published) if post.published else ""),
        url=html.escape(post.canonical_url, quote=True),
        content=post.content_html,
    )
    return text.encode("utf-8", "replace")


def _media_parts(source: EntryInput) -> list[Part]:
    """Each archived file once, under its digest. Raises PackagingError on a digest that is none."""
    out: dict[str, Part] = {}
    for media in source.post.media:
        if media.sha256 is None or media.name is None or media.sha256 not in source.media:
            continue
        if not _SHA256.match(media.sha256):
            raise PackagingError(f"media digest {media.sha256!r} is no SHA-256", url=media.url)
        path = f"representations/media/data/{_plain(media.name)}"
        if path not in out:
            out[path] = part(path, source.media[media.sha256], safe_mime(media.mime), media.url)
    return list(out.values())


def _record_parts(source: BlogInput, entries: bytes) -> list[Part]:
    folder = "representations/records/data/"
    out = [part(folder + "entries.jsonl", entries, "application/jsonl")]
    if source.model is not None:
        out.append(part(folder + "rules.json", records.encode(source.model), "application/json"))
    if source.crawls:
        lines = b"".join(records.encode(crawl) + b"\n" for crawl in source.crawls)
        out.append(part(folder + "crawls.jsonl", lines, "application/jsonl"))
    for name, (url, body) in source.feeds.items():
        out.append(part(folder + _plain(name), body, "application/xml", url))
    return out


def _entry_events(source: EntryInput) -> list[Event]:
    post, stamp = source.post, source.stamp
    methods = ", ".join(f"{name}: {note.get('method', '?')}" for name, note in sorted(post.extraction.items()))
    events = []
    if post.fetched_at:
        crawl = f", crawl {source.crawl_id}" if source.crawl_id else ""
        how = "browser" if source.rendered is not None else "HTTP"
        events.append(Event(type="capture", at=post.fetched_at, detail=f"{post.url} over {how}{crawl}", note=str(post.http_status or "")))
    events.append(Event(type="metadata extraction", at=stamp.changed, detail=methods or "no methods recorded"))
    return [*events, *_closing_events(stamp), *source.events]


def _closing_events(stamp: Stamp) -> list[Event]:
    return [
        Event(type="message digest calculation", at=stamp.changed, detail="SHA-512 of each file"),
        Event(type="validation", at=stamp.changed, detail="MARCXML records against the rules of MARC21slim 1.2"),
    ]


__all__ = ["BlogInput", "EntryInput", "Event", "Node", "Profile", "Stamp", "blog_aip", "entry_aip", "safe_mime"]
