"""The date of a post in every output: the author's day, no more and no less than is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC
from pathlib import Path

import pytest
from lxml import etree

from blogcrawl.core.config import Config
from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.xmltools import MARC, parse
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.export import export, write_folder
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Export, Selection
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.web.oai import Provider
from blogcrawl.web.site import write_site
from tests.packaging.samples import BLOG, MOMENT, OPERATOR, STAMP, entry

BLOG_ID = ids.blog_id(BLOG.url)
KNOWN = {
    "2012": ("2012", "year", "2012    "),
    "2012~": ("2012", "year~", "2012    "),
    "2012-10": ("2012-10", "month", "2012    "),
    "2012-10~": ("2012-10", "month~", "2012    "),
    "2012-10-03": ("2012-10-03", "day", "20121003"),
    "2012-10-03T23:18:00-04:00": ("2012-10-03", "time", "20121003"),
    "2012-10-03T00:30:00+09:00": ("2012-10-03", "time", "20121003"),
    "2012-10-03T12:05:00Z": ("2012-10-03", "time", "20121003"),
    "2012-10-03T23:18:00": ("2012-10-03", "local", "20121003"),
}
"""Date -> the author's day as far as it is known, its precision, 008/07-14.

008 codes a whole day or a year; a month stands in 046, 264 and 269.
"""


_FORMS = {"HTML": "~{}", "MARC 264$c": "[{}?]"}
"""How outputs that are not EDTF write an approximate date."""


class Archived:
    """An archive with one post of that date, and what it gives away."""

    def __init__(self, folder: Path, date: str, profile: str) -> None:
        config = Config(archive=str(folder / "archive"))
        self.folder = folder
        self.state: SqlState = open_state(config)
        self.store: PackageStore = open_store(config)
        post = {"published": read_written(date), "comments": ()}
        source = entry(1, post_changes=post, profile=profile)
        url = source.post.canonical_url
        self.files = entry_aip(source)
        self.urn = ids.urn(ids.entry_id(url))
        self.store.put(self.urn, self.files, message="m", created=MOMENT)
        self.state.save_post(
            PostRow(
                blog_id=BLOG_ID,
                url=url,
                title="t",
                published=source.post.published,
                aip_id=self.urn,
                aip_version=1,
                first_seen=MOMENT,
                last_seen=MOMENT,
            )
        )
        blog = blog_aip(BlogInput(blog=BLOG, stamp=STAMP))
        self.store.put(ids.urn(BLOG_ID), blog, message="m", created=MOMENT)
        self.state.save_blog(
            BlogRow(id=BLOG_ID, url=BLOG.url, title="b", aip_id=ids.urn(BLOG_ID), aip_version=1)
        )

    def xml(self, path: str) -> etree._Element:
        content = self.files[path]
        assert isinstance(content, bytes)
        return parse(content)

    def exported(self, kind: str) -> Path:
        target = self.folder / kind
        if kind == "html":
            write_folder(Export(self.state, self.store, Selection(), target), kind, write_site)
        else:
            export(kind, Export(self.state, self.store, Selection(), target))
        return target

    def harvested(self, prefix: str) -> etree._Element:
        provider = Provider(
            self.state, self.store, operator=OPERATOR, base_url="x", now=lambda: MOMENT
        )
        pairs = [("verb", "ListRecords"), ("metadataPrefix", prefix)]
        return parse(provider.answer(pairs))


def marc(root: etree._Element) -> dict[str, list[str]]:
    """Return the dates in the records of posts: 008/07-14, and subfields."""
    found: dict[str, list[str]] = {}
    names = {"m": MARC}
    posts = root.xpath("//m:record[substring(m:leader, 8, 1) != 'i']", namespaces=names)
    for record in posts:
        for tag, code in (("046", "k"), ("264", "c"), ("260", "c"), ("269", "c")):
            path = f"*[@tag='{tag}']/*[@code='{code}']/text()"
            found.setdefault(f"{tag}${code}", []).extend(record.xpath(path))
        found.setdefault("008", []).append(record.xpath("string(*[@tag='008'])")[7:15])
    return {place: values for place, values in found.items() if values}


def dublin_core(root: etree._Element) -> list[str]:
    return [str(text) for text in root.xpath("//*[local-name()='date']/text()")]


def written_dates(archived: Archived) -> Iterator[tuple[str, str]]:
    """Yield each output that has the date in words: where, what."""
    for place, values in marc(archived.xml("metadata/descriptive/marc.xml")).items():
        yield from ((f"MARC {place}", value) for value in values if place != "008")
    yield "Dublin Core", dublin_core(archived.xml("metadata/descriptive/dc.xml"))[0]
    (known,) = archived.xml("metadata/preservation/premis.xml").xpath(
        "//*[.='context: published']/following-sibling::*[1]/text()"
    )
    yield "PREMIS", str(known)
    yield (
        "post.json",
        json.loads(content_of(archived.files, "metadata/other/post.json"))["published"],
    )
    page = etree.HTML(content_of(archived.files, "representations/web/data/content.html"))
    yield "content.html", page.xpath("string(//time)")
    yield "JSON Lines", json.loads(archived.exported("jsonl").read_bytes())["published"]
    site = archived.exported("html")
    for html in (*site.glob("*/index.html"), *site.glob("*/posts/*.html")):
        yield f"HTML {html.name}", etree.HTML(html.read_bytes()).xpath("string(//time)")
    yield "OAI-PMH Dublin Core", dublin_core(archived.harvested("oai_dc"))[-1]


def content_of(files: Mapping[str, object], path: str) -> bytes:
    content = files[path]
    assert isinstance(content, bytes)
    return content


@pytest.fixture(params=["blogforever", "marc21"])
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("date", KNOWN)
def test_outputs_agree_on_the_authors_day(tmp_path: Path, date: str, profile: str) -> None:
    day, _, coded = KNOWN[date]
    archived = Archived(tmp_path, date, profile)
    with closing(archived.state):
        for place, value in written_dates(archived):
            text = value.strip(" .")
            forms = {day, date, f"{day} {date[11:16]}"} if "T" in date else {date}
            if date.endswith("~"):
                forms = {_FORMS.get(place.partition(" ")[0], _FORMS.get(place, "{}~")).format(day)}
            assert text in forms, (place, value)
        for root in (archived.xml("metadata/descriptive/marc.xml"), archived.harvested("marc21")):
            assert marc(root)["008"] == [coded]
        in_utc = read_written(date).astimezone(UTC).date().isoformat()
        for path in ("METS.xml", "representations/web/METS.xml"):
            assert in_utc in day or in_utc.encode() not in content_of(archived.files, path)


@pytest.mark.parametrize("date", KNOWN)
def test_parquet_has_day_instant_and_precision(tmp_path: Path, date: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    day, precision, _ = KNOWN[date]
    archived = Archived(tmp_path, date, "blogforever")
    with closing(archived.state):
        (row,) = parquet.read_table(archived.exported("parquet")).to_pylist()
    assert row["published_date"].isoformat() == day + "0001-01-01"[len(day) :]
    assert row["published_precision"] == precision
    moment = read_written(date).astimezone(UTC) if precision == "time" else None
    assert (row["published"], row["published_edtf"]) == (moment, date)
