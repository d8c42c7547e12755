"""Packages: whole, linked, the same bytes for the same input; hostile content does no harm."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree

from blogcrawl.core.errors import PackagingError
from blogcrawl.core.organization import Organization
from blogcrawl.core.records import MediaFile
from blogcrawl.packaging import ids, records
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.check import Package, Schemas
from blogcrawl.packaging.parts import Content, Kept
from blogcrawl.packaging.xmltools import MARC, METS, PREMIS, XLINK
from tests.packaging.samples import (
    BLOG,
    MOMENT,
    NASTY,
    OPERATOR,
    PNG,
    PNG_SHA,
    STAMP,
    comment,
    entry,
    post,
    with_media,
)

M, P = f"{{{METS}}}", f"{{{PREMIS}}}"
SCHEMAS = os.environ.get("BLOGCRAWL_SCHEMAS")
"""A folder with mets.xsd, premis-v3.xsd and MARC21slim.xsd, where the machine has one."""


def faults(files: dict[str, Content]) -> list[str]:
    import io

    def opener(path: str) -> io.BytesIO:
        content = files[path]
        assert isinstance(content, bytes)
        return io.BytesIO(content)

    return Package(files, opener, Schemas(Path(SCHEMAS)) if SCHEMAS else None).check()


def xml(files: dict[str, Content], path: str) -> etree._Element:
    content = files[path]
    assert isinstance(content, bytes)
    return etree.fromstring(content, etree.XMLParser(huge_tree=True))


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
def test_an_entry_package_has_no_faults(profile: str) -> None:
    files = entry_aip(replace(with_media(), profile=profile))
    assert faults(files) == []
    assert {
        "METS.xml",
        "metadata/descriptive/marc.xml",
        "metadata/descriptive/dc.xml",
        "metadata/preservation/premis.xml",
        "metadata/other/post.json",
        "representations/web/METS.xml",
        "representations/web/data/source.html",
        "representations/web/data/rendered.html",
        "representations/web/data/screenshot.webp",
        "representations/web/data/content.html",
        f"representations/media/data/{PNG_SHA}.png",
    } <= set(files)
    assert files[f"representations/media/data/{PNG_SHA}.png"] == PNG


def test_the_same_input_gives_the_same_bytes_in_another_process() -> None:
    script = (
        "import hashlib\nfrom tests.packaging.samples import with_media\nfrom "
        "blogcrawl.packaging.aip import entry_aip\n"
        "print(hashlib.sha256(b''.join(p.encode() + b for p, b in "
        "sorted(entry_aip(with_media()).items()))).hexdigest())"
    )
    root = Path(__file__).resolve().parents[2]
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(seen) == 1


def test_post_json_is_the_line_of_the_export() -> None:
    source = entry()
    assert entry_aip(source)["metadata/other/post.json"] == records.encode(
        records.post_to_json(source.post)
    )


def test_identifiers_stay_when_the_post_changes() -> None:
    first = xml(entry_aip(entry()), "METS.xml")
    later = replace(STAMP, changed=MOMENT + timedelta(days=1), version=2)
    second = xml(
        entry_aip(
            entry(
                stamp=later, post_changes={"title": "New", "url": "https://blog.example/post-0?x"}
            )
        ),
        "METS.xml",
    )
    assert (
        first.get("OBJID")
        == second.get("OBJID")
        == ids.objid(ids.entry_id("https://blog.example/post-0"))
    )
    head = second.find(f"{M}metsHdr")
    assert head is not None
    assert (head.get("CREATEDATE"), head.get("LASTMODDATE")) == (
        "2026-03-01T12:00:00Z",
        "2026-03-02T12:00:00Z",
    )


def test_the_organization_is_the_archivist_in_mets() -> None:
    (agent,) = xml(entry_aip(with_media()), "METS.xml").iterfind(
        f"{M}metsHdr/{M}agent[@ROLE='ARCHIVIST']"
    )
    assert (agent.get("TYPE"), agent.findtext(f"{M}name")) == ("ORGANIZATION", OPERATOR.name)
    notes = [note.text for note in agent.iterfind(f"{M}note")]
    assert notes == [OPERATOR.identifier, OPERATOR.contact]


def test_codes_and_filing_follow_the_language_of_the_post() -> None:
    """Not that of the blog, which is Portuguese."""
    changes = {"language": "fr-CA", "title": "L'été à Lévis"}
    files = entry_aip(entry(post_changes=changes, profile="marc21"))
    (record, *_) = xml(files, "metadata/descriptive/marc.xml")
    assert str(record.xpath("string(*[@tag='008'])"))[35:38] == "fre"
    assert record.xpath("*[@tag='041']/*/text()") == ["fre"]
    assert record.xpath("string(*[@tag='245']/@ind2)") == "2"
    core = xml(files, "metadata/descriptive/dc.xml")
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    words = {etree.QName(element).localname: element.get(lang) for element in core}
    assert words["title"] == words["description"] == "fr-CA"


def test_moved_blog_keeps_its_package() -> None:
    urn = "urn:uuid:00000000-0000-5000-8000-000000000001"
    files = entry_aip(entry(blog_urn=urn))
    assert (
        urn.encode() in files["metadata/descriptive/marc.xml"]
        and urn.encode() in files["representations/web/METS.xml"]
    )  # type: ignore[operator]
    assert (
        xml(blog_aip(BlogInput(blog=BLOG, stamp=STAMP, blog_urn=urn)), "METS.xml").get("OBJID")
        == "uuid-" + urn[9:]
    )


def test_comments_form_a_tree_in_the_structural_map() -> None:
    root = xml(entry_aip(entry(comments=5)), "representations/web/METS.xml")
    top = root.find(f"{M}structMap[@TYPE='LOGICAL']/{M}div")
    assert top is not None and top.get("TYPE") == "post"
    shape = [
        (div.get("LABEL"), [c.get("LABEL") for c in div.findall(f"{M}div")])
        for div in top.iter(f"{M}div")
    ]
    assert shape == [
        ("Post 0 <of> many", ["Reader 0", "Reader 3"]),
        ("Reader 0", ["Reader 1"]),
        ("Reader 1", ["Reader 2"]),
        ("Reader 2", []),
        ("Reader 3", ["Reader 4"]),
        ("Reader 4", []),
    ]
    marc_ids = {
        e.text
        for e in xml(entry_aip(entry(comments=5)), "metadata/descriptive/marc.xml").iter(
            f"{{{MARC}}}controlfield"
        )
    }
    assert all(div.get("CONTENTIDS") in marc_ids for div in top.iter(f"{M}div"))
    pointer = top.find(f"{M}fptr")
    assert (
        pointer is not None and root.find(f".//{M}file[@ID='{pointer.get('FILEID')}']") is not None
    )


def test_a_blog_package_lists_entries_crawls_and_evidence() -> None:
    lines = [
        {"url": f"https://blog.example/{i}", "aip_id": ids.urn(ids.entry_id(str(i))), "version": 1}
        for i in range(3)
    ]
    source = BlogInput(
        blog=BLOG,
        stamp=STAMP,
        model={"rules": ["//h1"]},
        feeds={"feed-1.xml": ("https://blog.example/feed", b"<rss/>")},
        entries=lines,
        crawls=[{"id": "c1"}],
        evidence={"c1.wacz": b"PK"},
    )
    files = blog_aip(source)
    assert faults(files) == []
    listed = files["representations/records/data/entries.jsonl"]
    assert (
        isinstance(listed, bytes)
        and [records.decode(line) for line in listed.splitlines()] == lines
    )
    mets = xml(files, "representations/records/METS.xml")
    children = [
        e.get(f"{{{XLINK}}}href")
        for e in mets.iterfind(f"{M}structMap[@LABEL='child AIPs']//{M}mptr")
    ]
    assert children == [line["aip_id"] for line in lines]
    assert blog_aip(replace(source, entries=iter(lines))) == files


def test_kept_evidence_is_described_without_its_bytes() -> None:
    kept = Kept(sha512="ab" * 64, size=12345)
    files = blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence={"old.wacz": kept}))
    assert files["representations/web/data/old.wacz"] is kept
    file = xml(files, "representations/web/METS.xml").find(f".//{M}file")
    assert file is not None and (file.get("SIZE"), file.get("CHECKSUM")) == ("12345", "ab" * 64)


def test_hostile_text_stays_valid_xml() -> None:
    nasty = post(
        0,
        0,
        title=NASTY,
        subtitle=NASTY,
        authors=(NASTY,),
        tags=(NASTY,),
        content_text=NASTY,
        excerpt=NASTY,
        language=NASTY,
    )
    nasty = replace(
        nasty,
        url="https://blog.example/" + NASTY,
        comments=(comment(1, author=NASTY, content_text=NASTY, url=NASTY),),
    )
    blog = replace(
        BLOG, title=NASTY, rights=NASTY, platform=NASTY, authors=(NASTY,), encoding=NASTY
    )
    for profile in ("blogforever", "marc21"):
        files = entry_aip(
            replace(entry(), post=nasty, blog=blog, profile=profile, source_mime=NASTY)
        )  # type: ignore[arg-type]
        assert faults(files) == []
        assert "\U0001f600" in (
            xml(files, "metadata/descriptive/marc.xml").xpath("string(//*[@tag='245'])")
        )
    nobody = Organization(name=NASTY, identifier=NASTY, contact=NASTY + "@", rights=NASTY)
    assert faults(blog_aip(BlogInput(blog=blog, stamp=replace(STAMP, operator=nobody)))) == []


def test_extreme_comment_threads_are_packaged() -> None:
    chain = tuple(comment(i, i - 1 if i else None) for i in range(400))
    circle = (
        comment(1000, 1002),
        comment(1001, 1000),
        comment(1002, 1001),
        comment(1003, 1003),
        comment(1004, 9999),
    )
    twins = (comment(7, author="Twin"), comment(7, author="Twin"))
    files = entry_aip(entry(0, 0, post_changes={"comments": (*chain, *circle, *twins)}))
    assert faults(files) == []
    top = xml(files, "representations/web/METS.xml").find(f"{M}structMap[@TYPE='LOGICAL']")
    assert top is not None
    divs = list(top.iter(f"{M}div"))
    assert len(divs) == 1 + 407
    assert max(len(list(div.iterancestors())) for div in divs) < 100
    ids_seen = [
        e.text
        for e in xml(files, "metadata/descriptive/marc.xml").iter(f"{{{MARC}}}controlfield")
        if e.get("tag") == "001"
    ]
    assert len(ids_seen) == len(set(ids_seen)) == 408


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_twenty_thousand_comments_and_fifty_megabytes(count: int) -> None:
    text = "long post " * 5_000_000
    many = tuple(
        comment(i, i // 2 if i else None, content_text="x", author_url=None) for i in range(count)
    )
    files = entry_aip(
        entry(
            0,
            0,
            source=b"<html>",
            post_changes={"content_text": text, "content_html": "", "comments": many},
        )
    )
    assert faults(files) == []
    root = etree.fromstring(
        files["metadata/descriptive/marc.xml"]
    )  # without huge_tree: every reader copes
    parts = [
        e.text
        for e in root[0].iterfind(f"{{{MARC}}}datafield[@tag='520']/{{{MARC}}}subfield[@code='a']")
    ]
    kept = " ".join(part or "" for part in parts)
    assert 80_000 < len(kept) < 100_000 and text.startswith(kept)
    notes = root[0].iterfind(f"{{{MARC}}}datafield[@tag='500']/{{{MARC}}}subfield")
    assert [note.text for note in notes] == [
        "Shortened to the length that MARC allows a record; the package has all of it."
    ]
    assert len(root) == count + 1


def test_a_digest_that_is_a_path_is_refused() -> None:
    bad = MediaFile(url="https://x/", sha256="../../etc/passwd", mime="image/png")
    with pytest.raises(PackagingError):
        entry_aip(entry(media={"../../etc/passwd": b"x"}, post_changes={"media": (bad,)}))
    with pytest.raises(PackagingError):
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence={"../x.wacz": b"x"}))


@pytest.mark.parametrize(
    "damage", ["digest", "missing", "orphan", "outside", "marc", "premis", "json"]
)
def test_package_check_finds_damage(damage: str) -> None:
    files = dict(entry_aip(entry()))
    if damage == "digest":
        files["representations/web/data/source.html"] = b"<html>" + b"y" * 20_000
    elif damage == "missing":
        del files["metadata/descriptive/dc.xml"]
    elif damage == "orphan":
        files["representations/web/data/more.html"] = b""
    else:
        path, old, new = {
            "outside": (
                "METS.xml",
                b'href="metadata/descriptive/dc.xml"',
                b'href="../../etc/passwd"',
            ),
            "marc": ("metadata/descriptive/marc.xml", b'tag="245"', b'tag="2-5"'),
            "premis": ("metadata/preservation/premis.xml", b"<agent>", b"<agent><!-- -->"),
            "json": ("metadata/other/post.json", b"{", b"["),
        }[damage]
        content = files[path]
        assert isinstance(content, bytes) and old in content
        files[path] = content.replace(old, new, 1)
    found = faults(files)
    assert found
    wanted = {
        "digest": "digest",
        "missing": "missing",
        "orphan": "orphan",
        "outside": "leads out",
        "marc": "2-5",
    }
    assert wanted.get(damage, damage) in " ".join(found)
