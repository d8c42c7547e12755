"""Stage 4: pictures, sounds, videos and documents of a post, each once a blog, named by digest."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from mimetypes import guess_type
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile, MediaRole
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.pipelines.base import ExtractedPost
from blogcrawl.crawling.pipelines.requisites import requisites_of
from blogcrawl.crawling.session import session_of
from blogcrawl.packaging.sniff import is_media, sniff
from blogcrawl.urls.canonical import media_kind

MAX_AT_ONCE = 4
"""Downloads of one post at a time; the downloader's own limits hold above that."""
MAX_PER_POST = 2_000
REMEMBERED = 20_000
"""Files of this crawl whose outcome is kept in memory; older ones are found in the state again."""


class MediaStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._done: OrderedDict[str, MediaFile] = OrderedDict()
        self._running: dict[str, asyncio.Task[MediaFile]] = {}
        self._fetching: asyncio.Task[None] | None = None
        self._large = asyncio.Semaphore(1)
        """What is no picture may have as many bytes as the rest of a crawl has memory."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MediaStage:
        stage = cls(crawler)
        crawler.signals.connect(stage.on_idle, signal=signals.spider_idle)
        return stage

    def on_idle(self) -> None:
        """Fetch page requisites once all posts are archived, unless the crawl was interrupted."""
        session, control = session_of(self.crawler), control_of(self.crawler)
        broken_off = control.ends_early
        needs, task = requisites_of(self.crawler), self._fetching
        failed = (
            task is not None and task.done() and (task.cancelled() or task.exception() is not None)
        )
        if (
            (task is None or task.done())
            and needs.wanted
            and session.services.config.media
            and not (broken_off or failed)
        ):
            session.doing("fetching what pages need to be shown")
            self._fetching = task = asyncio.ensure_future(needs.fetch())
            task.add_done_callback(lambda _: control.wake())
        if task is not None and not task.done():
            raise DontCloseSpider

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ExtractedPost):
            return item
        session = session_of(self.crawler)
        if not session.services.config.media:
            return item
        requisites_of(self.crawler).note(item.source.page, [file.url for file in item.post.media])
        if not item.post.media:
            return item
        gate = asyncio.Semaphore(MAX_AT_ONCE)

        async def one(file: MediaFile) -> MediaFile:
            async with gate if file.role == "image" else self._large:
                return await self._archive(file, item.post.url)

        files = await asyncio.gather(*(one(file) for file in _unique(item.post.media)))
        files = [_by_type(file) for file in files if not _is_page(file)]
        return replace(item, post=replace(item.post, media=tuple(files)))

    async def _archive(self, file: MediaFile, post_url: str) -> MediaFile:
        """Return ``file`` with digest, type and size, or with the reason of failure; new bytes go
        to the cache.
        """
        known = self._done.get(file.url)
        if known is not None:
            return _as(file, known)
        task = self._running.get(file.url)
        if task is None:
            task = self._running[file.url] = asyncio.ensure_future(self._find(file, post_url))
            task.add_done_callback(lambda _: self._running.pop(file.url))
        return _as(file, await asyncio.shield(task))

    async def _find(self, file: MediaFile, post_url: str) -> MediaFile:
        gate = session_of(self.crawler).services.gate
        known = await gate.run(lambda: self._from_state(file))
        if known is not None:
            return known
        result = await self._download(file, post_url)
        self._remember(result)
        return result

    def _from_state(self, file: MediaFile) -> MediaFile | None:
        session = session_of(self.crawler)
        row = session.services.state.get_media(session.blog_id, file.url)
        if row is None or row.sha256 is None:
            return None
        return replace(file, sha256=row.sha256, mime=row.mime, size=row.size)

    async def _download(self, file: MediaFile, post_url: str) -> MediaFile:
        session = session_of(self.crawler)
        limit = session.services.config.max_media_bytes
        try:
            page = session.seen_by_browser(file.url) or await session.fetch(
                file.url,
                kind="media",
                headers={"Accept": "*/*", "Referer": post_url},
                max_bytes=limit,
            )
        except BlogcrawlError as error:
            session.count("media_failed")
            return replace(file, error=error.message)
        reason = _unfit(page, file)
        if reason is not None:
            session.count("media_failed")
            return replace(file, error=reason)
        body = page.body
        digest = hashlib.sha256(body).hexdigest()
        await session.services.gate.run(lambda: self._keep(digest, body))
        session.count("media")
        session.count("bytes_media", len(body))
        return replace(
            file,
            sha256=digest,
            mime=sniff(body, page.headers.get("content-type")) or guess_type(file.url)[0],
            size=len(body),
            error=None,
        )

    def _keep(self, digest: str, body: bytes) -> None:
        """Put the bytes aside, unless a package has them."""
        session = session_of(self.crawler)
        if session.services.state.media_by_digest(session.blog_id, digest) is None:
            session.services.media.keep(digest, body)

    def _remember(self, file: MediaFile) -> None:
        self._done[file.url] = file
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)


def _unique(files: Iterable[MediaFile]) -> list[MediaFile]:
    found: dict[str, MediaFile] = {}
    for file in files:
        found.setdefault(file.url, file)
    return list(found.values())[:MAX_PER_POST]


def _is_page(file: MediaFile) -> bool:
    """Return whether what the post links or frames is no file that could be archived: a player of
    another site, or a page in which a picture is shown."""
    if file.role != "link" or file.sha256 is not None:
        return False
    return media_kind(file.url) is None or (file.error or "").startswith(_NO_MEDIA)


def _by_type(file: MediaFile) -> MediaFile:
    """Return a linked file with the role that its type gives it."""
    if file.role != "link":
        return file
    return replace(file, role=_ROLES.get((file.mime or "").partition("/")[0], "document"))


_ROLES: dict[str, MediaRole] = {"image": "image", "audio": "audio", "video": "video"}


def _as(file: MediaFile, known: MediaFile) -> MediaFile:
    return replace(file, sha256=known.sha256, mime=known.mime, size=known.size, error=known.error)


def _unfit(page: Page, file: MediaFile) -> str | None:
    """Return why an answer is not the file that a post has."""
    if page.status >= 400:
        return f"HTTP {page.status}"
    if page.status >= 300:
        return f"HTTP {page.status}, a redirect that leads nowhere"
    if not page.body:
        return "empty"
    mime = sniff(page.body, page.headers.get("content-type"))
    is_fit = is_media(mime) or (media_kind(file.url) == "document" and mime != "text/html")
    return None if is_fit else f"{_NO_MEDIA} but {mime or 'unknown content'}"


_NO_MEDIA = "no picture, sound or video"
