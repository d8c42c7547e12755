"""A small archive for tests of the reading room."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.contents import EntryInput
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.closing import close_evidence
from blogcrawl.storage.evidence import EvidenceWriter
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow, Removal
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.captured import Captures
from blogcrawl.web.room import Room
from tests.packaging.samples import BLOG, MOMENT, OPERATOR, STAMP, entry, with_media

BLOG_ID = ids.blog_id(BLOG.url)
NOW = datetime(2026, 6, 1, tzinfo=UTC)
FILES = "http://127.0.0.1:8081"
MODEL: Mapping[str, Any] = {
    "model": {"format": "of a test"},
    "stages": {
        "rejected": [
            {
                "url": "https://blog.example/about",
                "reason": "the rule for published finds nothing",
                "probability": 0.22,
                "title": "About",
                "listed": False,
            }
        ]
    },
}


@dataclass(frozen=True)
class Sample:
    """An opened archive with one blog."""

    config: Config
    state: SqlState
    store: PackageStore

    @property
    def room(self) -> Room:
        return Room(
            state=self.state,
            store=self.store,
            captures=Captures(self.store, FILES, b"key"),
            operator=replace(OPERATOR, contact="mailto:archive@archive.example"),
            now=lambda: NOW,
            public="http://127.0.0.1",
        )

    def archive_post(self, source: EntryInput, day: int = 0, version: int = 1) -> str:
        """Archive a post; return the UUID of its package."""
        post = source.post
        made = self.store.put(
            ids.urn(ids.entry_id(post.canonical_url)),
            entry_aip(source),
            message="archived",
            created=MOMENT + timedelta(days=day),
        )
        self.state.save_post(
            PostRow(
                blog_id=BLOG_ID,
                url=post.canonical_url,
                title=post.title,
                published=post.published,
                comment_count=len(post.comments),
                aip_id=made.object_id,
                aip_version=made.version,
                first_seen=MOMENT + timedelta(days=day),
                last_seen=MOMENT + timedelta(days=day),
            )
        )
        return ids.bare(made.object_id)

    def add_evidence(self, crawl: str, pages: Mapping[str, tuple[bytes, bytes]]) -> None:
        """Add captures to the blog's package: type and body by address."""
        folder = self.config.archive_path / "captured" / crawl
        out = EvidenceWriter(folder, info={"software": "test"}, clock=lambda: MOMENT)
        for url, (mime, body) in pages.items():
            answer = b"HTTP/1.1 200 OK\r\nContent-Type: " + mime + b"\r\n\r\n" + body
            out.exchange(url, b"GET / HTTP/1.1\r\nHost: blog.example\r\n\r\n", answer, date=MOMENT)
        out.close()
        path = close_evidence(folder, blog=BLOG, crawl_id=crawl, created=MOMENT)
        assert path is not None
        aip = blog_aip(BlogInput(blog=BLOG, stamp=STAMP)) | {
            f"{WEB}{crawl}.wacz": path.read_bytes()
        }
        self.store.put(ids.urn(BLOG_ID), aip, message="m", created=MOMENT)


def make(folder: Path, posts: int = 3) -> Sample:
    """Return an archive: ``posts`` posts, the first with a picture, one that was taken down."""
    config = Config(archive=str(folder))
    open_archive(config, now=MOMENT)
    sample = Sample(config, open_state(config), open_store(config))
    sample.archive_post(with_media(0))
    for number in range(1, posts):
        sample.archive_post(entry(number), number)
    blog = sample.store.put(
        ids.urn(BLOG_ID), blog_aip(BlogInput(blog=BLOG, stamp=STAMP)), message="m", created=MOMENT
    )
    sample.state.save_blog(
        BlogRow(
            id=BLOG_ID,
            url=BLOG.url,
            title=BLOG.title,
            record={"language": BLOG.language, "platform": BLOG.platform},
            feeds={"https://blog.example/feed": {"role": "posts"}},
            model=MODEL,
            aip_id=blog.object_id,
            aip_version=1,
            last_crawl=MOMENT,
            health="ok",
        )
    )
    sample.state.save(
        CrawlRow(
            id="c1",
            blog_id=BLOG_ID,
            spider="NewCrawl",
            started=MOMENT,
            ended=MOMENT,
            outcome="finished",
            counts={"requests": 9, "posts_archived": posts, "bytes": 12345},
            report={
                "completeness": {"status": "incomplete", "share": 0.75, "reasons": ["a <reason>"]},
                "missing": [{"url": "https://blog.example/lost", "reason": "HTTP 500"}],
                "stop": {"detail": "all was read"},
            },
        )
    )
    Tombstones(sample.state).add(
        Removal(
            blog_id=BLOG_ID,
            url="https://blog.example/secret",
            kind="post",
            aip_id=ids.urn(ids.entry_id("https://blog.example/secret")),
            removed_at=MOMENT,
            removed_by="the archivist",
            reason="the author asked",
            purged=True,
        )
    )
    return sample


def ask(
    app: ASGIApp, path: str, method: str = "GET", base: str = "http://127.0.0.1", **options: Any
) -> httpx.Response:
    """Send one request to an application, without following redirects."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        cookies = options.pop("cookies", None)
        async with httpx.AsyncClient(transport=transport, base_url=base, cookies=cookies) as client:
            return await client.request(method, path, **options)

    return asyncio.run(send())
