"""Stage 5: a post becomes a package in the store and a row in the state, in this order, so that a
row never lies.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from blogcrawl.comments.late import next_comment_check
from blogcrawl.core.costs import LARGE_BYTES
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Post
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.evidence import note_post
from blogcrawl.crawling.middlewares.guard import RobotsMiddleware
from blogcrawl.crawling.pipelines.base import ExtractedPost, NotStored
from blogcrawl.crawling.session import session_of
from blogcrawl.discovery.rights import directives, licence_of
from blogcrawl.extraction.corrections import METHOD as OPERATOR
from blogcrawl.induction.gc_pause import still
from blogcrawl.lexicon.comment_words import COMMENT_NAMES
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.packaging.contents import EntryInput
from blogcrawl.packaging.digest import content_digest, says_more
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.packaging.premis import Rights
from blogcrawl.packaging.records import post_from_json
from blogcrawl.storage.base import ObjectVersion, next_stamp
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.selection import media_rows
from blogcrawl.storage.tables import PostRow
from blogcrawl.text.language import letters_of, primary
from blogcrawl.urls.canonical import entry_key
from blogcrawl.urls.outbound import linked_hosts


class PackageStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PackageStage:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ExtractedPost):
            return item
        session, control = session_of(self.crawler), control_of(self.crawler)
        removal = session.removed.get(entry_key(item.post.canonical_url))
        if removal is not None:
            raise DropItem(removal.sentence)
        wanted = session.services.config.max_posts
        if wanted and session.archived >= wanted:
            raise NotStored(f"{wanted} posts are in, as asked for")
        gate, now = session.services.gate, datetime.now(UTC)
        try:
            await gate.run(lambda: note_post(session, item.post, item.source.page))
            if len(item.source.page.body) > LARGE_BYTES:
                item.source.page.forget()  # its tree and a package are too much at once
            await gate.run(lambda: self._store(item, now))
        except PASSING as error:
            control.storage_is_away(error)
            raise NotStored(error.message) from error
        except BlogcrawlError as error:
            if control.abort_if_fatal(error):
                raise NotStored(error.message) from error
            raise
        await session.breathe()
        return item

    def _store(self, item: ExtractedPost, now: datetime) -> None:
        """Package, then row. Done again where the storage refused one of them half-way, it makes
        nothing twice.
        """
        with disk_errors("the archive"):
            self._store_both(item, now)

    def _store_both(self, item: ExtractedPost, now: datetime) -> None:
        session = session_of(self.crawler)
        post = item.post
        digest = content_digest(post)
        row = session.services.state.get_post(session.blog_id, post.canonical_url)
        is_same = row is not None and row.content_digest == digest and _in_language_of(row, post)
        is_same = is_same and not self._says_more(post)
        if row is not None and is_same and row.aip_version:
            session.services.state.save_post(
                _row(session.blog_id, item, digest, row, now), fence=session.fence
            )
            self._count("unchanged", row, post)
            return
        version = self._orphan(post, digest, row.aip_version if row else 0) or self._put(
            item, row, now
        )
        new = _row(session.blog_id, item, digest, row, now, version)
        session.services.state.save_post(
            new, media_rows(session.blog_id, post, version), fence=session.fence
        )
        session.services.search.add(new, post)
        session.services.media.forget([f.sha256 for f in post.media if f.sha256])
        self._count("archived" if row is None or not row.aip_version else "changed", row, post)

    def _says_more(self, post: Post) -> bool:
        """Return whether a new extraction from the evidence has more than the archived record:
        rules and corrections are others, the page is not."""
        session = session_of(self.crawler)
        if session.captures is None:
            return False
        known = self._archived(ids.urn(ids.entry_id(post.canonical_url)))
        return known is not None and says_more(post, known)

    def _archived(self, object_id: str) -> Post | None:
        """Return the record of a package's newest version; None where it can't be read."""
        try:
            with session_of(self.crawler).services.store.open(object_id, POST_JSON) as file:
                return post_from_json(json.load(file))
        except PASSING:
            raise
        except (BlogcrawlError, ValueError, KeyError):
            return None

    def _count(self, kind: str, row: PostRow | None, post: Post) -> None:
        """Count a post, once in a crawl: it may be extracted again by rules learned since. ``row``:
        as it was before."""
        session = session_of(self.crawler)
        seen = row.last_seen if row is not None and row.aip_version else None
        if seen is None or seen < session.services.started:
            session.count_post(kind)
            if post.extraction.get("content", {}).get("restricted"):
                session.count("posts_restricted")

    def _orphan(self, post: Post, digest: str, known: int) -> ObjectVersion | None:
        """Return the version after the ``known`` one that a killed crawl wrote of this very post
        before it could write the row.
        """
        store = session_of(self.crawler).services.store
        head = store.settle(ids.urn(ids.entry_id(post.canonical_url)))
        if head is None or head.version <= known:
            return None
        found = self._archived(head.object_id)
        return head if found is not None and content_digest(found) == digest else None

    def _put(self, item: ExtractedPost, row: PostRow | None, now: datetime) -> ObjectVersion:
        """Build the package and write it as a new version."""
        session = session_of(self.crawler)
        post = item.post
        object_id = ids.urn(ids.entry_id(post.canonical_url))
        versions = (
            session.services.store.versions(object_id)
            if row is not None and row.aip_version
            else []
        )
        stamp = next_stamp(versions, now, session.services.config.operator)
        static = item.source.static_page or item.source.page.whole or item.source.page
        rendered = item.source.page if item.source.page.rendered else None
        rights = rights_of(self.crawler, static, session.blog, post)
        source = EntryInput(
            post=post,
            blog=replace(session.blog, licence=rights.licence),
            stamp=stamp,
            source=static.body,
            source_mime=static.headers.get("content-type", "text/html"),
            rendered=rendered.body if rendered else None,
            screenshot=rendered.screenshot if rendered else None,
            media=session.services.media.collect([f.sha256 for f in post.media if f.sha256]),
            profile=session.services.config.metadata_profile,
            crawl_id=session.crawl.id,
            origin=static.origin,
            blog_urn=session.blog_urn,
            rights=rights,
        )
        with still():
            files = entry_aip(source)
        message = _message(post, first=not versions)
        stored: ObjectVersion = session.services.store.put(
            object_id, files, message=message, created=now, fence=session.fence
        )
        return stored


def rights_of(crawler: Crawler, page: Page, blog: Blog, post: Post) -> Rights:
    """Return licence, copyright line and robots directives as they were seen with this page."""
    middleware: Any = crawler.get_downloader_middleware(RobotsMiddleware)
    robots = [middleware.verdict(page.url)] if middleware is not None and not page.origin else []
    texts = (post.content_html, *(comment.content_html for comment in post.comments))
    return Rights(
        licence=licence_of(page, texts) or blog.licence,
        statement=blog.rights,
        robots=(*robots, *directives(page)),
    )


def _message(post: Post, *, first: bool) -> str:
    if post.status == "gone":
        return f"the post is gone from its site: {post.url}"
    return f"{'archived' if first else 'changed'}: {post.url}"


def _row(
    blog_id: str,
    item: ExtractedPost,
    digest: str,
    old: PostRow | None,
    now: datetime,
    version: ObjectVersion | None = None,
) -> PostRow:
    """Return the row after this visit; without ``version`` the package stayed what it was."""
    post, page = item.post, item.source.static_page or item.source.page
    entry = item.source.entry
    lacking = post.extraction.get("comments", {}).get("incomplete")
    known = old or PostRow(blog_id=blog_id, url=post.canonical_url)
    if version is not None:
        known = replace(
            known,
            aip_id=version.object_id,
            aip_version=version.version,
            language=post.language,
        )
    return replace(
        known,
        title=post.title,
        published=post.published,
        modified=post.modified,
        content_digest=digest,
        comment_count=len(post.comments),
        comments_shown=post.comments_shown,
        status=post.status,
        etag=page.headers.get("etag"),
        last_modified=page.headers.get("last-modified"),
        first_seen=known.first_seen or now,
        last_seen=now,
        next_comment_check=_next_check(post, old, now) if _may_have_comments(item) else None,
        language=known.language or post.language,
        letters=letters_of(post.content_text),
        links=linked_hosts(post.content_html, post.canonical_url),
        authors=post.authors,
        comments_incomplete=lacking,
        comments_tries=known.comments_tries + 1 if lacking else 0,
        comments_feed_url=(entry.comments_feed_url if entry else None) or known.comments_feed_url,
    )


def _in_language_of(row: PostRow, post: Post) -> bool:
    """Return whether a post's language is that of its package: to the region where the operator has
    set it, unknown of rows of earlier versions."""
    if post.extraction.get("language", {}).get("method") == OPERATOR:
        return post.language == row.language
    return row.language is None or primary(row.language) == primary(post.language or "und")


def _may_have_comments(item: ExtractedPost) -> bool:
    """Return whether a post has, announces or names comments, or may have them in a feed."""
    post, source = item.post, item.source
    has_feed = source.entry is not None and source.entry.comments_feed_url is not None
    if post.comments or post.comments_shown is not None or has_feed:
        return True
    pages = [page for page in (source.static_page, source.page) if page is not None]
    return any(COMMENT_NAMES.search(page.text) for page in pages)


def _next_check(post: Post, old: PostRow | None, now: datetime) -> datetime | None:
    """Return when to check for late comments of this post: the schedule restarts with each
    comment."""
    if post.status == "gone":
        return None
    grown = old is not None and len(post.comments) > old.comment_count
    written = [c.published for c in post.comments if c.published is not None and c.published <= now]
    first_seen = old.first_seen if old else None
    return next_comment_check(
        post.published or first_seen, now if grown else max(written, default=None), now
    )
