"""A post that is gone from its site: the archive notes it in a new version of its package, and
keeps what it was.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime

from blogcrawl.core.errors import StorageError
from blogcrawl.core.page import Page
from blogcrawl.crawling.moved_posts import archived_post, row_of
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.packaging.layout import SOURCE_HTML
from blogcrawl.storage.outage import PASSING

logger = logging.getLogger(__name__)


def gone_item(session: Session, key: str, url: str, answer: Page) -> ExtractedPost | None:
    """Return what the last stages need to write that version, or None if the post is not archived,
    or marked as gone already.
    """
    row, post = row_of(session, key), archived_post(session, key)
    if row is None or row.aip_id is None or row.status == "gone":
        return None
    try:
        with session.services.store.open(row.aip_id, SOURCE_HTML) as file:
            body = file.read()
    except PASSING:
        raise
    except StorageError:
        post = None
    if post is None:
        logger.warning("%s is gone, but its package can't be read", url)
        return None
    now = datetime.now(UTC)
    page = Page(url=post.url, body=body, status=answer.status, headers={}, fetched_at=now)
    gone = replace(post, status="gone", fetched_at=now, http_status=answer.status)
    return ExtractedPost(post=gone, source=PostPage(page=page, frontier_url=url))
