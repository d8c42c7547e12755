"""Every parser of bytes that come from outside, as a function of bytes.

A target returns normally or raises one of the errors that the parser documents; anything else is a
crash. Where a parser takes a header or an address besides its document, the input's first line is
that (``split_line``).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from scrapy.http import Request, Response

from blogcrawl.cluster import websub
from blogcrawl.cluster.scrapyd import NodeError, ScrapydClient
from blogcrawl.cluster.sources import read_blogs, turns_of
from blogcrawl.comments import announced, sources
from blogcrawl.comments.embedded import read_rendered
from blogcrawl.comments.page_reader import extract_comments
from blogcrawl.core import netguard
from blogcrawl.core.charsets import decode_page
from blogcrawl.core.errors import (
    BlogcrawlError,
    FeedError,
    PackagingError,
    StorageError,
    UsageError,
)
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.middlewares.guard import handed_cookies
from blogcrawl.crawling.middlewares.retry import retry_after_seconds
from blogcrawl.crawling.pipelines import page_resources, srcset
from blogcrawl.crawling.robots import read_robots
from blogcrawl.dates import url_date as urldays
from blogcrawl.dates.calendars import gregorian
from blogcrawl.dates.machine_date import machine_date, parse_date, unix_time
from blogcrawl.dates.parse import DateReader, find_date
from blogcrawl.dates.relative import find_relative
from blogcrawl.discovery import archives, links, platforms, safexml
from blogcrawl.discovery import blog_record as blogrecord
from blogcrawl.discovery import public_data as publicdata
from blogcrawl.discovery import search_index as searchindex
from blogcrawl.discovery.feeds import entry_dates, header_links, parse_feed
from blogcrawl.discovery.sitemaps import kind_by_name, parse_sitemap, robots_sitemaps
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.links import page_links
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.fields import embedded
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.extraction.model import BlogModel, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.packaging import cdxj, contents, http1, ids, records, sniff, warc
from blogcrawl.packaging.check import Package
from blogcrawl.rendering import framesets, need
from blogcrawl.rendering import load_more as morelist
from blogcrawl.rendering.systems import SYSTEMS, carried_systems
from blogcrawl.storage import ocfl_model
from blogcrawl.storage.bags import bag_version, check_bag
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.deposit import Ledger
from blogcrawl.storage.imports import import_packages
from blogcrawl.storage.ocfl_check import check_object
from blogcrawl.storage.ocfl_model import Inventory
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.trees import folder_tree
from blogcrawl.storage.warccheck import check_wacz, check_warc
from blogcrawl.urls import canonical
from blogcrawl.urls import parts as urlparts

URL = "https://blog.example/2024/05/a-post/"
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
LANGUAGES = (
    "en",
    "de",
    "fr",
    "ru",
    "ja",
    "zh",
    "ar",
    "fa",
    "th",
    "hu",
    "ko",
    "tr",
    "pl",
    "vi",
    "hi",
)


@dataclass(frozen=True)
class Target:
    """``refuses``: errors that the parser documents. ``share``: parts of the runs; cheap parsers
    get more.
    """

    name: str
    call: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    share: int
    max_bytes: int

    def run(self, data: bytes) -> None:
        """Raise what is not documented."""
        with contextlib.suppress(*self.refuses):
            self.call(data)


TARGETS: dict[str, Target] = {}


def target(
    share: int, *refuses: type[Exception], max_bytes: int = 4096
) -> Callable[[Callable[[bytes], object]], Callable[[bytes], object]]:
    def register(call: Callable[[bytes], object]) -> Callable[[bytes], object]:
        name = call.__name__
        TARGETS[name] = Target(name, call, refuses, share, max_bytes)
        return call

    return register


def split_line(data: bytes) -> tuple[str, bytes]:
    """The first line as a header's value, the rest as the document."""
    line, _, rest = data.partition(b"\n")
    return line.decode("latin-1"), rest


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def page_of(data: bytes, url: str = URL) -> Page:
    kind, body = split_line(data)
    return Page(url=url, body=body, headers={"content-type": kind})


# Addresses and headers


@target(600, max_bytes=300)
def url(data: bytes) -> None:
    one, _, other = text_of(data).partition("\n")
    canonical.canonicalize(one)
    canonical.entry_key(one)
    canonical.clean(one)
    canonical.host_of(one)
    canonical.resource_kind(one)
    canonical.same_site(one, other)
    canonical.Scope(URL).contains(one)
    if (parts := urlparts.split(one)) is not None:
        urlparts.host(parts)
        urlparts.port(parts)
        urlparts.segments(parts.path)
        urlparts.path_to_fetch(parts.path)
    netguard.Guard([URL]).refuse_url(one)
    cdxj.surt(one)


@target(200, max_bytes=300)
def url_on_page(data: bytes) -> None:
    base, _, href = text_of(data).partition("\n")
    page = Page(url=URL, body=f'<base href="{base}"><a href="{href}">'.encode("utf-8", "replace"))
    page.absolute(href) if href else None
    if urlparts.split(base) is None:  # no such address is ever asked for
        return
    links.blog_roots(base)
    links.says_comments(base, href)
    urldays.url_near(base)
    kind_by_name(base)


@target(500, max_bytes=120)
def ip(data: bytes) -> None:
    address = netguard.parse_ip(text_of(data))
    if address is not None:
        netguard.is_public(address)


@target(400, max_bytes=600)
def headers(data: bytes) -> None:
    value, rest = split_line(data)
    second, _ = split_line(rest)
    retry_after_seconds(value, NOW)
    header_links(value, URL)
    contents.safe_mime(value)
    with contextlib.suppress(PackagingError):
        contents.plain_name(value)
    answer = Response(URL, headers={"Set-Cookie": [value, second]})
    handed_cookies(Request(URL, headers={"Cookie": second}), answer)
    parse_date(value)


@target(500, max_bytes=2000)
def http_message(data: bytes) -> None:
    message = http1.parse(data)
    _ = message.head, message.status, message.headers, message.mime, message.entity
    message.complete(closed=False)
    message.complete(closed=True)


@target(200, max_bytes=1100)
def sniffed_type(data: bytes) -> None:
    declared, head = split_line(data)
    sniff.is_media(sniff.sniff(head, declared))


@target(30, max_bytes=1500)
def robots(data: bytes) -> None:
    rules = read_robots(200, data)
    rules.allowed(URL)
    rules.allowed("https://blog.example/?s=%D0%B0*$")
    robots_sitemaps(text_of(data), URL)


# Dates


@target(60, max_bytes=200)
def date_in_text(data: bytes) -> None:
    language, _, text = text_of(data).partition("\n")
    code = language.strip() if language.strip() in LANGUAGES else "en"
    gregorian(text)
    machine_date(text)
    DateReader([code]).read(text, date(2024, 5, 1))
    ago = find_relative(text, NOW, code)
    if ago is not None:
        ago.aware()
    for found in (find_date(text, code), unix_time(text)):
        if found is not None:
            found.picked(True).aware(120)


@target(6, max_bytes=150)
def date_in_feed(data: bytes) -> None:
    language, _, text = text_of(data).partition("\n")
    parse_date(text, language=language.strip() or None, served_at=NOW)


# Feeds and sitemaps


@target(30, FeedError, max_bytes=6000)
def feed(data: bytes) -> None:
    kind, body = split_line(data)
    found = parse_feed(body, URL, {"content-type": kind, "link": kind})
    entry_dates(found)
    links.choose_post_feed([found])
    platforms.detect(None, found)


@target(60, FeedError, max_bytes=3000)
def sitemap(data: bytes) -> None:
    kind, body = split_line(data)
    parse_sitemap(body, URL, kind)


@target(60, FeedError, max_bytes=3000)
def public_data(data: bytes) -> None:
    total, body = split_line(data)
    headers = {"x-wp-total": total, "x-wp-totalpages": total}
    with contextlib.suppress(FeedError):
        publicdata.parse_wp_posts(body, URL, headers)
    publicdata.total_results(body)
    publicdata.parse_tumblr(body, URL)


@target(60, max_bytes=3000)
def search_index(data: bytes) -> None:
    text = text_of(data)
    if searchindex.is_index(text):
        list(searchindex.read_index(text, URL))


@target(100, safexml.TooBigError, max_bytes=3000)
def xml(data: bytes) -> None:
    kind, body = split_line(data)
    _, text = safexml.decode(safexml.gunzip(body), kind)
    safexml.parse_xml(text)


# Pages


@target(150, max_bytes=2000)
def charset(data: bytes) -> None:
    kind, body = split_line(data)
    decode_page(kind, body)


@target(20, max_bytes=6000)
def page(data: bytes) -> None:
    found = page_of(data)
    PageIndex.of(found)
    page_links(found)
    links.announced_feeds(found)
    links.main_folder(found)
    archives.find_hubs(found, canonical.Scope(URL))
    searchindex.announced_indexes(found)
    publicdata.wp_api_root(found)
    announced.announced_feed(found)
    blogrecord.describe_page(found, platforms.detect(found))
    framesets.frame_urls(found)
    morelist.loads_more(found)
    need.decide(found, None, need.RenderVerdict())
    list(page_resources.theme_of(found))
    list(page_resources.pictures_of(found))


@target(2, max_bytes=6000)
def post(data: bytes) -> None:
    found = page_of(data)
    for promised in (True, False):
        extract_post(found, BlogModel(), None, promised)
    clean_content(found.text, found, title="A title")


@target(3, max_bytes=6000)
def learned_post(data: bytes) -> None:
    """The input is the page and, as its feed's content, the same in other clothes."""
    found = page_of(data)
    entry = FeedEntry(
        url=URL,
        title=found.text[:40],
        content_html=found.text[40:],
        published=NOW,
        authors=("Ada Writer",),
        is_full=True,
    )
    model = learn_blog([Sample(page=found, entry=entry)])
    extract_post(found, BlogModel.from_json(json.loads(json.dumps(model.to_json()))), entry)


@target(4, max_bytes=6000)
def comments(data: bytes) -> None:
    found = page_of(data)
    extract_comments(found, language="de", published=NOW)
    read_rendered(found, SYSTEMS)
    carried_systems(found)


@target(60, max_bytes=3000)
def embedded_data(data: bytes) -> None:
    embedded.parse_json(text_of(data))
    body = (
        b'<html><head><script type="application/ld+json">'
        + data.replace(b"</", b"<")
        + b"</script></head><body><h1>T</h1>"
    )
    MetadataExtractor().extract(
        Page(url=URL, body=body, headers={"content-type": "text/html; charset=utf-8"})
    )


@target(30, max_bytes=3000)
def microdata(data: bytes) -> None:
    MetadataExtractor().extract(
        Page(url=URL, body=data, headers={"content-type": "text/html; charset=utf-8"})
    )


@target(200, max_bytes=600)
def srcset_and_sizes(data: bytes) -> None:
    first, _, second = text_of(data).partition("\n")
    srcset.choose(first, second)
    srcset.matches(second)


@target(200, max_bytes=1500)
def style_sheet(data: bytes) -> None:
    page_resources.named_in_sheet(Page(url=URL, body=data, headers={"content-type": "text/css"}))


# Comment APIs


@target(80, max_bytes=3000)
def comment_api(data: bytes) -> None:
    total, body = split_line(data)
    found = Page(
        url=URL,
        body=body,
        headers={"content-type": "application/json", "x-wp-total": total, "x-wp-totalpages": total},
    )
    sources.wordpress_comments(found)
    for shape in (system.shape for system in SYSTEMS if system.shape is not None):
        sources.json_comments(found, shape, post_url=URL)
        sources.cut_short(found, shape)
        sources.json_pages(found, shape)


# Evidence and packages


@target(40, max_bytes=3000)
def warc_file(data: bytes) -> None:
    warc.whole_members(io.BytesIO(data))
    list(check_warc(io.BytesIO(data)))


@target(60, max_bytes=4000)
def wacz_file(data: bytes) -> None:
    list(check_wacz(io.BytesIO(data)))


@target(200, PackagingError, max_bytes=3000)
def post_record(data: bytes) -> None:
    record = records.decode(data)
    with contextlib.suppress(PackagingError):
        records.encode(records.blog_to_json(records.blog_from_json(record)))
    records.encode(records.post_to_json(records.post_from_json(record)))


@target(40, max_bytes=6000)
def mets(data: bytes) -> None:
    """Any file of the package is the input itself."""
    files = (
        "METS.xml",
        "metadata/preservation/premis.xml",
        "metadata/descriptive/marc.xml",
        "metadata/other/post.json",
    )
    Package(files, lambda path: io.BytesIO(data)).check()


@target(10, BlogcrawlError, max_bytes=6000)
def import_zip(data: bytes) -> None:
    with folder() as work:
        (work / "package.zip").write_bytes(data)
        done = import_packages(work / "package.zip", _Nowhere(), _state(), now=NOW)  # type: ignore[arg-type]
        assert done.refused or done.posts or done.blogs or done.conflicts


@target(10, BlogcrawlError, max_bytes=4000)
def bag(data: bytes) -> None:
    with folder() as work:
        (work / "data").mkdir()
        names = (
            "bagit.txt",
            "manifest-sha512.txt",
            "bag-info.txt",
            "data/a",
            "tagmanifest-sha512.txt",
        )
        for name, part in zip(names, data.split(b"\n--\n"), strict=False):
            (work / name).write_bytes(part)
        bag_version(work)
        check_bag(folder_tree(work))


@target(200, StorageError, PackagingError, max_bytes=3000)
def ocfl_inventory(data: bytes) -> None:
    inventory = Inventory.parse(data, "inventory.json")
    inventory.record()
    for number in inventory.numbers():
        inventory.files(number)
    for path in inventory.files():
        inventory.locate(path)


@target(100, max_bytes=3000)
def ocfl_object(data: bytes) -> None:
    """The check of a package whose inventory is the input."""
    check_object(_OneFile(data), "urn:uuid:1", deep=True)


@target(20, BlogcrawlError, max_bytes=2000)
def deposit_ledger(data: bytes) -> None:
    with folder() as work:
        name = Ledger(work, "folder:/x").path
        name.write_bytes(data)
        Ledger(work, "folder:/x").has("urn:uuid:1", 1)


@target(300, StorageError, max_bytes=700)
def package_paths(data: bytes) -> None:
    """No identifier and no logical path leads out of the store."""
    identifier, _, rest = data.decode("utf-8", "surrogateescape").partition("\n")
    path = ocfl_model.object_path(ids.urn(ids.bare(identifier)))
    assert not path.startswith("/") and not {"", ".", ".."} & set(path.split("/"))
    ocfl_model.check_paths(rest.split("\n"))
    for path in rest.split("\n"):
        place = ocfl_model.content_path("v1", path)
        assert place.startswith("v1/content/") and not {"", ".", ".."} & set(place.split("/"))


# The cluster


@target(60, UsageError, max_bytes=3000)
def blog_list(data: bytes) -> None:
    list(turns_of(read_blogs(io.StringIO(text_of(data), newline=""), "list"), NOW))


@target(20, NodeError, max_bytes=2000)
def scrapyd_answer(data: bytes) -> None:
    status, body = split_line(data)
    code = int(status) if status in ("200", "204", "301", "401", "404", "500") else 200
    transport = httpx.MockTransport(lambda request: httpx.Response(code, content=body))

    async def ask() -> None:
        node = ScrapydClient("http://node:6800", transport=transport)
        calls = (
            node.jobs,
            node.versions,
            partial(node.cancel, "j"),
            partial(node.add_version, "1", b""),
        )
        for call in (*calls, partial(node.schedule, "s", "j", {}, {})):
            with contextlib.suppress(NodeError):
                await call()

    asyncio.run(ask())


@target(200, max_bytes=600)
def websub_callback(data: bytes) -> None:
    topic, _, rest = text_of(data).partition("\n")
    mode, _, lease = rest.partition("\n")
    subscription = websub.Subscription(
        blog_id="b", topic=topic, hub="https://hub.example/", secret="s" * 20, token="t"
    )
    query = {
        "hub.mode": mode,
        "hub.topic": topic,
        "hub.challenge": lease,
        "hub.lease_seconds": lease,
        "hub.reason": rest,
    }
    websub.verification(subscription, query, NOW)
    websub.genuine(subscription, rest, data)


class _OneFile:
    """An object whose every file is the input."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, path: str) -> bytes | None:
        return self.data

    def open(self, path: str) -> Any:
        return io.BytesIO(self.data)

    def walk(self) -> list[str]:
        return ["inventory.json", "inventory.json.sha512", "0=ocfl_object_1.1", "v1/content/a"]


@functools.cache
def _state() -> SqlState:
    """A state in memory."""
    return SqlState("sqlite://")


class _Nowhere:
    """A store that keeps nothing: every package that passes all checks is new."""

    def put(self, object_id: str, *_: object, **__: object) -> ObjectVersion:
        return ObjectVersion(object_id=object_id, version=1, created=NOW, message="", files={})

    def versions(self, _object_id: str) -> list[ObjectVersion]:
        return []

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


@contextlib.contextmanager
def folder() -> Any:
    base = "/dev/shm" if Path("/dev/shm").is_dir() else None
    name = Path(tempfile.mkdtemp(prefix="blogcrawl-fuzz-", dir=base))
    try:
        yield name
    finally:
        shutil.rmtree(name, ignore_errors=True)
