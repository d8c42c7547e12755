"""What the archive keeps of a post that its blog shows no more: what the feed said of it and the
date that its page had earlier, so that a second look at the page takes nothing back, and of one
that is gone a version with that status.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from blogcrawl.core.errors import StorageError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, FeedEntry, Post
from blogcrawl.crawling.moved_posts import archived_post, row_of
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.dates.edtf import CLOCK, calendar_date, is_approximate, is_coarse, precision
from blogcrawl.packaging.layout import SOURCE_HTML
from blogcrawl.storage.outage import PASSING
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text

logger = logging.getLogger(__name__)

REPLACED = "another page stands in the place of the post"
A_LINE = 40
"""Characters of a line that no other page has by chance."""
A_DAY = timedelta(days=1)
"""What "2 days ago" moves by between two visits: it is said from two days on until it is three."""
_FEEDS = ("feed", "wp-json", "tumblr-api")
"""Sources that an update does not read whole again."""
_REMEMBERED = {
    "authors": ("authors", "authors"),
    "published": ("published", "published"),
    "published_raw": ("published_raw", "published"),
    "modified": ("modified", "modified"),
    "modified_raw": ("modified_raw", "modified"),
    "tags": ("tags", "tags"),
    "summary_html": ("excerpt", "excerpt"),
}
"""Attribute of an entry -> that of the post, and the field whose method says where it is from."""


def _shows_title(page: Page, title: str | None) -> bool:
    from blogcrawl.extraction.fields.byline import document_title

    shown = fold(f"{document_title(page)} {node_text(page.tree)}").casefold()
    return bool(title) and fold(title or "").casefold() in shown


def shows(page: Page, post: Post) -> bool:
    """Return whether anything of an archived post is on a page: its title, or a line of its text.
    Of a post that has neither nothing can be said."""
    lines = [one for one in map(fold, post.content_text.splitlines()) if len(one) >= A_LINE]
    if _shows_title(page, post.title) or not (post.title or lines):
        return True
    shown = fold(node_text(page.tree)).casefold()
    return any(line.casefold() in shown for line in lines)


def is_replaced(session: Session, key: str, item: PostPage) -> bool:
    """Return whether a page that stands where a post was archived has nothing of it, and no source
    says that the post is another one by now: a site that is closed for repairs, or sold, answers
    so for all its posts."""
    before = archived_post(session, key) if session.captures is None else None
    if before is None or item.page.whole is not None or shows(item.page, before):
        return False
    return item.entry is None or not _shows_title(item.page, item.entry.title)


def remembered(session: Session, key: str, page: Page) -> FeedEntry | None:
    """Return the former data of feed or API about the post at ``key``, whose page is ``page`` now,
    as an entry; None if they had none.

    A title counts only while the page still shows it.
    """
    post = archived_post(session, key)
    if post is None:
        return None

    def is_known(name: str) -> bool:
        method = str((post.extraction.get(name) or {}).get("method"))
        return any(source in method for source in _FEEDS)

    values: dict[str, Any] = {
        name: getattr(post, taken)
        for name, (taken, field) in _REMEMBERED.items()
        if is_known(field)
    }
    if is_known("title") and _shows_title(page, post.title):
        values["title"] = post.title
    entry = FeedEntry(url=post.url, **values)
    return entry if entry != FeedEntry(url=post.url) else None


def entry_of(session: Session, key: str, page: Page) -> FeedEntry | None:
    """Return what a source says of the post at ``key``, whose page is ``page``; in an update and
    where the archive itself is read again also what one said when the post was archived.
    """
    found = session.knowledge.described(key) if session.knowledge is not None else None
    first = session.feeds is None and session.captures is None
    return found if found is not None or first else remembered(session, key, page)


def _is_one_way(how: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether a field was found by the same rule of the same method twice."""
    return all(how.get(note) == now.get(note) for note in ("method", "rule"))


def with_first_date(session: Session, key: str, post: Post) -> Post:
    """Return the post with the archived date where its page has a vaguer one by now: "2 days ago"
    names the day, and a year later the same page says "1 year ago"; a new theme has no clock times.
    """
    from blogcrawl.extraction.corrections import METHOD as BY_OPERATOR

    date = post.published
    if date is None or not (_is_ago(post) or precision(date) not in CLOCK):
        return post
    before = archived_post(session, key)
    says_more = _is_better if _is_ago(post) else _is_part
    if before is None or not says_more(before.published, date):
        return post
    how, now = (one.extraction.get("published") or {} for one in (before, post))
    is_chosen = session.captures is not None or now.get("method") == BY_OPERATOR
    if is_chosen and not _is_one_way(how, now):
        return post  # today's rules or the operator read another date, out of the archived page
    return replace(
        post,
        published=before.published,
        published_raw=before.published_raw,
        extraction={**post.extraction, "published": how},
    )


def _is_ago(post: Post) -> bool:
    """Return whether the date of a post follows from a time ago."""
    from blogcrawl.dates.relative import find_relative

    said, day = post.published_raw or "", post.published
    return day is not None and (
        is_approximate(day) or find_relative(said, day, post.language) is not None
    )


def with_first_dates(
    session: Session, key: str, comments: tuple[Comment, ...]
) -> tuple[Comment, ...]:
    """Return the comments of the post at ``key`` with their archived dates in the same way."""
    if not any(comment.published and is_approximate(comment.published) for comment in comments):
        return comments
    before = archived_post(session, key)
    known = {comment.id: comment for comment in before.comments} if before is not None else {}
    return tuple(_with_date_of(known.get(comment.id, comment), comment) for comment in comments)


def _with_date_of(before: Comment, comment: Comment) -> Comment:
    now = comment.published
    if now is None or not is_approximate(now) or not _is_better(before.published, now):
        return comment
    return replace(comment, published=before.published, published_raw=before.published_raw)


def _is_better(known: datetime | None, now: datetime) -> bool:
    """Return whether an archived date is as precise as today's, which follows from a time ago. A
    bare month or year may be from a time ago, read before those were marked."""
    if known is None or (is_coarse(known) and not is_approximate(known)):
        return False
    if not is_coarse(now):
        return not is_coarse(known) and abs(now - known) <= A_DAY
    return precision(known) != "year" or precision(now) == "year"


def _is_part(known: datetime | None, now: datetime) -> bool:
    """Return whether an archived date lies in today's day, month or year, and is more precise."""
    day, span = calendar_date(known), calendar_date(now)
    is_finer = known is not None and (precision(known) in CLOCK or len(day) > len(span))
    return is_finer and day.startswith(span)


def gone_item(session: Session, key: str, url: str, answer: Page) -> ExtractedPost | None:
    """Return what the last stages need to note in a new version of the package that a post is gone;
    None if it is not archived, or marked as gone already.
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
