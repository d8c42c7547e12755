"""The two kinds of package: entry AIP (post) and blog AIP. Records in, files out; no disk.

Layout (docs/packages.md has a whole example)::

    METS.xml
    metadata/descriptive/{marc,dc}.xml     metadata/preservation/premis.xml
    metadata/other/{post,blog}.json
    documentation/README.txt               schemas/{post,blog}.schema.json
    representations/<name>/METS.xml        representations/<name>/metadata/preservation/premis.xml
    representations/<name>/data/…
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lxml import etree

from blogcrawl.packaging import dc, ids, marc, marc21, mets, premis, records
from blogcrawl.packaging.contents import (
    BlogInput,
    EntryInput,
    blog_properties,
    closing_events,
    entry_events,
    entry_properties,
    media_parts,
    methods_of,
    plain_name,
    resource,
    web_parts,
)
from blogcrawl.packaging.layout import (
    BLOG_JSON,
    DC_XML,
    ENTRIES,
    MARC_XML,
    POST_JSON,
    RECORDS,
    TOMBSTONE_JSON,
    WEB,
)
from blogcrawl.packaging.mets import Description, Sheet
from blogcrawl.packaging.parts import Content, PackageFiles, Part, Stamp, part
from blogcrawl.packaging.premis import Entity, Event, Rights
from blogcrawl.packaging.thread import Thread
from blogcrawl.packaging.xmltools import serialize

CHILD_LIMIT = 2000
"""Entry AIPs up to which the METS names each as child AIP; entries.jsonl lists all."""


def entry_aip(source: EntryInput) -> dict[str, Content]:
    """Make the files of a post's AIP, path -> content, reproducibly. Raises PackagingError."""
    post, stamp = source.post, source.stamp
    entry, blog = ids.entry_id(post.canonical_url), _blog_id(source)
    thread = Thread(post, entry)
    title = marc.post_title(post)
    described = [
        Description(
            part=part(
                MARC_XML, marc.written(_entry_marc(source, thread, entry, blog)), "application/xml"
            ),
            kind="MARC",
        ),
        Description(
            part=_xml(DC_XML, dc.entry_dc(post, source.blog, ids.urn(entry), ids.urn(blog))),
            kind="DC",
        ),
        Description(
            part=part(POST_JSON, records.encode(records.post_to_json(post)), "application/json"),
            kind="OTHER",
            other="blogcrawl-post",
        ),
    ]
    representations = {"web": web_parts(source)}
    media = media_parts(source)
    if media:
        representations["media"] = media
    tree = thread.node(entry, title)
    tree.path = representations["web"][-1].path
    sheet = Sheet(
        objid=ids.objid(entry),
        label=title,
        stamp=stamp,
        descriptions=described,
        logical=tree,
        parent_aip=ids.urn(blog),
    )
    entity = Entity(
        urn=ids.urn(entry), name=post.url, part_of=ids.urn(blog), properties=entry_properties(post)
    )
    return _package(
        sheet, entity, representations, entry_events(source), "post.schema.json", source.rights
    )


def blog_aip(source: BlogInput) -> dict[str, Content]:
    """Make the files of a blog's AIP, path -> content, reproducibly. Raises PackagingError."""
    blog, stamp = source.blog, source.stamp
    bare = _blog_id(source)
    own: marc.Records = []
    if source.profile == "marc21":
        marc21.add_blog(own, ids.urn(bare), stamp, blog)
    else:
        values = marc.blog_values(blog, stamp.changed, source.extra)
        marc.add(own, "blog", ids.urn(bare), stamp.changed, values)
    described = [
        Description(part=part(MARC_XML, marc.written([own]), "application/xml"), kind="MARC"),
        Description(part=_xml(DC_XML, dc.blog_dc(blog, ids.urn(bare))), kind="DC"),
        Description(
            part=part(BLOG_JSON, records.encode(records.blog_to_json(blog)), "application/json"),
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
            part(WEB + plain_name(name), content, _evidence_mime(name))
            for name, content in source.evidence.items()
        ]
    sheet = Sheet(
        objid=ids.objid(bare),
        label=blog.name,
        stamp=stamp,
        descriptions=described,
        child_aips=children if len(children) <= CHILD_LIMIT else (),
    )
    record = "; ".join(filter(None, (f"Blog record of {blog.url}", methods_of(blog.extraction))))
    events = [
        Event(type="metadata extraction", at=stamp.changed, detail=record),
        *closing_events(stamp),
        *source.events,
    ]
    entity = Entity(urn=ids.urn(bare), name=blog.url, properties=blog_properties(blog, len(lines)))
    return _package(sheet, entity, representations, events, "blog.schema.json", source.rights)


def _blog_id(source: EntryInput | BlogInput) -> str:
    return ids.checked(source.blog_urn) if source.blog_urn else ids.blog_id(source.blog.url)


def tombstone_aip(
    urn: str, tombstone: Mapping[str, object], stamp: Stamp, *, purged: bool
) -> dict[str, Content]:
    """Make the files of a package whose content was removed: when, by whom and why.

    ``tombstone``: JSON-able, with url, kind and reason. Nothing of the content is in it. It is the
    package's only representation too: an AIP has one (CSIP 2.2, CSIP103 and CSIP114).
    """
    data = part(TOMBSTONE_JSON, records.encode(tombstone), "application/json")
    notice = replace(data, path=f"{RECORDS}tombstone.json")
    described = [
        Description(
            part=_xml(DC_XML, dc.tombstone_dc(str(tombstone["kind"]), str(tombstone["url"]), urn)),
            kind="DC",
        ),
        Description(part=data, kind="OTHER", other="blogcrawl-tombstone"),
    ]
    label = f"Removed {tombstone['kind']}"
    sheet = Sheet(
        objid=ids.objid(ids.bare(urn)),
        label=label,
        stamp=stamp,
        descriptions=described,
        status="DEACCESSIONED",
    )
    detail = f"{tombstone['url']}: {tombstone['reason']}"
    events = [Event(type="deaccession", at=stamp.changed, detail=detail)]
    if purged:
        note = "content erased from all versions of the package and from the evidence"
        events.append(Event(type="deletion", at=stamp.changed, detail=detail, notes=[note]))
    return _package(
        sheet,
        Entity(urn=urn, name=str(tombstone["url"])),
        {"records": [notice]},
        events,
        "tombstone.schema.json",
    )


def _package(
    sheet: Sheet,
    entity: Entity,
    representations: Mapping[str, Sequence[Part]],
    events: Sequence[Event],
    schema: str,
    rights: Rights | None = None,
) -> dict[str, Content]:
    """Return root METS and PREMIS around descriptions and representations.

    The first representation's METS carries the logical structure and the related packages.
    """
    files: list[Part] = []
    groups: dict[str, list[Part]] = {
        "Documentation": [part("documentation/README.txt", resource("README.txt"), "text/plain")],
        "Schemas": [part(f"schemas/{schema}", resource(schema), "application/json")],
    }
    urns = {}
    for name, parts in representations.items():
        urns[name] = ids.urn(ids.part_id(sheet.objid, f"representation {name}")[5:])
        made = _representation(sheet, name, urns[name], entity.urn, parts)
        sheet = replace(sheet, logical=None, parent_aip=None, child_aips=())
        groups[f"Representations/{name}"] = [made[0]]
        files += [*made, *parts]
    entity = replace(entity, representations=tuple(urns.values()))
    root = _preservation(sheet, entity, events, rights)
    preservation = [_xml("metadata/preservation/premis.xml", root)]
    top = mets.document(replace(sheet, preservation=preservation, groups=groups))
    own = [description.part for description in sheet.descriptions]
    out = PackageFiles()
    out["METS.xml"] = serialize(top)
    for one in (*own, *preservation, *groups["Documentation"], *groups["Schemas"], *files):
        out.add(one)
    return out


def _preservation(
    sheet: Sheet, entity: Entity, events: Sequence[Event], rights: Rights | None
) -> etree._Element:
    """PREMIS of the package; ``rights`` None: it has no content that there could be any on."""
    root = premis.document()
    statements = premis.rights_urns(sheet.objid, rights, sheet.stamp) if rights is not None else []
    premis.add_entity(root, entity, statements)
    premis.add_events(root, sheet.objid, events, sheet.stamp, [entity.urn])
    premis.add_agents(root, events, sheet.stamp)
    if rights is not None:
        premis.add_rights(root, sheet.objid, rights, sheet.stamp, [entity.urn])
    return root


def _representation(
    sheet: Sheet, name: str, urn: str, represents: str, parts: Sequence[Part]
) -> list[Part]:
    """METS and PREMIS of one representation."""
    prefix = f"representations/{name}/"
    package = f"{sheet.objid}/{name}"
    root = premis.document()
    urns = {one.path: ids.urn(ids.part_id(sheet.objid, one.path)[5:]) for one in parts}
    premis.add_representation(root, urn, represents, urns.values())
    events = []
    for one in parts:
        file_urn, derived = urns[one.path], None
        if one.derivation is not None:
            origin = urns[one.derivation.source]
            events.append(premis.derivation_event(one.derivation, origin, file_urn))
            derived = (origin, premis.event_urn(package, events[-1]))
        premis.add_file(root, file_urn, replace(one, path=one.path[len(prefix) :]), derived)
    events.append(
        Event(
            type="message digest calculation", at=sheet.stamp.changed, detail="SHA-512 of each file"
        )
    )
    premis.add_events(root, package, events, sheet.stamp, [urn])
    premis.add_agents(root, events, sheet.stamp)
    preservation = _xml(f"{prefix}metadata/preservation/premis.xml", root)
    own = replace(
        sheet,
        objid=name,
        label=f"{name} of {sheet.label}",
        descriptions=(),
        preservation=[preservation],
        groups={"Data": parts},
        prefix=prefix,
    )
    return [_xml(f"{prefix}METS.xml", mets.document(own)), preservation]


def _xml(path: str, root: etree._Element) -> Part:
    return part(path, serialize(root), "application/xml")


def _evidence_mime(name: str) -> str:
    return "application/wacz" if name.endswith(".wacz") else "application/warc"


def _entry_marc(
    source: EntryInput, thread: Thread, entry: str, blog: str
) -> Iterator[marc.Records]:
    """Yield the entry's record, then the comments'."""
    post, stamp = source.post, source.stamp
    changed, strict = stamp.changed, source.profile == "marc21"
    record: marc.Records = []
    if strict:
        marc21.add_entry(record, ids.urn(entry), stamp, post, source.blog, ids.urn(blog))
    else:
        values = marc.entry_values(
            post, entry, source.blog.url, blog, source.stamp.version, source.extra
        )
        marc.add(record, "entry", ids.urn(entry), changed, values)
    yield record
    for reply in thread:
        record = []
        answered = (reply.parent.comment, reply.parent.uuid) if reply.parent else None
        if strict:
            marc21.add_comment(
                record, ids.urn(reply.uuid), stamp, reply.comment, post, entry, answered
            )
        else:
            values = marc.comment_values(reply.comment, post, entry, answered, len(reply.replies))
            marc.add(record, "comment", ids.urn(reply.uuid), changed, values)
        yield record


def _record_parts(source: BlogInput, entries: bytes) -> list[Part]:
    out = [part(ENTRIES, entries, "application/jsonl")]
    if source.model is not None:
        out.append(part(RECORDS + "rules.json", records.encode(source.model), "application/json"))
    if source.crawls:
        lines = b"".join(records.encode(crawl) + b"\n" for crawl in source.crawls)
        out.append(part(RECORDS + "crawls.jsonl", lines, "application/jsonl"))
    for name, (url, body) in source.feeds.items():
        out.append(
            part(
                RECORDS + plain_name(name),
                body,
                "application/json" if name.endswith(".json") else "application/xml",
                url,
            )
        )
    return out
