"""Comments out of data that was made for machines: comment feeds and platforms' public JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from itertools import repeat
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.comments.records import html_text, make_comment, platform_number
from blogcrawl.core.bounds import MAX_STORED
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, CommentKind, Feed, FeedEntry
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.rendering.systems import JsonShape
from blogcrawl.text.visible import natural
from blogcrawl.urls.tables import INDEX_FILES

_AUTHOR_IN_TITLE = re.compile(
    rf"^(?:{any_of('bylines', 'comment_on')}|{any_of('bylines', 'by')}|da)\s*:?\s*"
    r"(?P<name>.{1,200})$",
    re.I | re.S,
)
"""WordPress titles its comment entries so ("By: Ann", "Comment on Post by Ann"), translated."""

_NOTE = (
    r"\s{0,20}[^<]{2,40}<a [^>]{0,80}href=[\"'][^\"']{0,2000}#comment-(\d{1,20})[\"'][^>]{0,80}>"
    r"[^<]{0,200}</a>[^<]{0,20}"
)
_REPLY_NOTE = re.compile(rf"^\s{{0,20}}<p>{_NOTE}</p>\s{{0,20}}|^{_NOTE}(?<=\.)\s{{0,20}}", re.I)
"""WordPress puts "In reply to <a>Ann</a>." before an answer in the feed
(wp-includes/feed-rss2-comments.php); no one wrote that.
"""


def feed_comments(feed: Feed) -> list[Comment]:
    """Return the entries of a comment feed as comments, in feed order."""
    return list(filter(_has_content, map(entry_comment, feed.entries)))


def entry_comment(entry: FeedEntry) -> Comment:
    """One comment entry (WordPress, Blogger, Movable Type, any RFC 4685 thread) as a comment."""
    html, parent = _without_reply_note(entry.content_html or entry.summary_html or "")
    url = entry.url or None
    return make_comment(
        html,
        source="feed",
        base_url=entry.url,
        number=_number_of(url) or platform_number(entry.id),
        author=entry.authors[0] if entry.authors else _author_in(entry.title or ""),
        author_url=entry.author_url,
        published=entry.published,
        published_raw=entry.published_raw,
        parent_id=_answered(entry.in_reply_to or "") or parent,
        url=url,
    )


def _number_of(url: str | None) -> str | None:
    """Return the number in a permalink's fragment."""
    return platform_number(url) if url and "#" in url else None


def _answered(reference: str) -> str | None:
    """Return the number of the comment that a feed says is answered; that of a post is no
    answer."""
    return platform_number(reference) if re.search(r"comment", reference, re.I) else None


def _without_reply_note(html: str) -> tuple[str, str | None]:
    """Return the comment without WordPress's note of what it answers, and the answered one's
    number."""
    note = _REPLY_NOTE.match(html)
    return (html[note.end() :], note.group(1) or note.group(2)) if note else (html, None)


def _author_in(title: str) -> str | None:
    found = _AUTHOR_IN_TITLE.match(title.strip())
    return found["name"] if found else None


def post_of(comment_url: str | None) -> str | None:
    """Return the post that a comment's permalink belongs to: without fragment, ``showComment`` and
    comment page.
    """
    if not comment_url:
        return None
    try:
        parts = urlsplit(comment_url)
    except ValueError:
        return None
    path = re.sub(r"/comment-page-\d+(?:/(?:index\.html?)?)?$", "/", parts.path)
    query = "&".join(
        p
        for p in parts.query.split("&")
        if p and not re.match(r"showComment=|cpage=|commentPage=|replytocom=", p, re.I)
    )
    return parts._replace(path=path, query=query, fragment="").geturl()


def _moment(text: Any, *, utc: bool = False) -> datetime | None:
    if isinstance(text, int | float) and not isinstance(text, bool):
        seconds = text / 1000 if 1e11 < text < 1e13 else text  # JavaScript counts milliseconds
        return datetime.fromtimestamp(seconds, UTC) if 6e8 < seconds < 5e9 else None
    try:
        moment = datetime.fromisoformat(str(text).strip())
        if moment.tzinfo is None:
            return moment.replace(tzinfo=UTC) if utc else None
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):  # the first day of year 1, east of Greenwich
        return None


@dataclass(frozen=True, slots=True)
class WordPressPage:
    """One answer of ``wp/v2/comments``: comments by post id, and how much there is in all (its
    ``X-WP-Total*`` headers).
    """

    comments: dict[str, list[Comment]]
    total: int
    pages: int


def wordpress_comments(page: Page) -> WordPressPage | None:
    """Reads an answer of WordPress's REST API; None for other answers (disabled, blocked, HTML)."""
    try:
        rows = json.loads(page.text)
    except (ValueError, RecursionError):
        return None
    if page.status != 200 or not isinstance(rows, list):
        return None
    out: dict[str, list[Comment]] = {}
    for row in rows:
        if isinstance(row, dict) and "post" in row and isinstance(row.get("content"), dict):
            out.setdefault(str(row["post"]), []).append(_wordpress_comment(row))
    return WordPressPage(
        out, _header(page, "x-wp-total", len(rows)), _header(page, "x-wp-totalpages", 1)
    )


def _header(page: Page, name: str, default: int) -> int:
    value = natural(page.headers.get(name))
    return default if value is None else value


def _wordpress_comment(row: Mapping[str, Any]) -> Comment:
    def text(name: str) -> str | None:
        return str(row[name]) if row.get(name) else None

    kind: CommentKind = row["type"] if row.get("type") in ("pingback", "trackback") else "comment"
    name, link = text("author_name"), text("link")
    return make_comment(
        str(row["content"].get("rendered") or ""),
        source="api",
        base_url=link or "",
        number=str(row.get("id")),
        author=html_text(name) if name else None,
        author_url=text("author_url"),
        published=_moment(row.get("date_gmt"), utc=True),
        published_raw=text("date"),
        parent_id=text("parent"),
        url=link,
        kind=kind,
    )


def json_comments(page: Page, shape: JsonShape, *, post_url: str = "") -> list[Comment] | None:
    """Return comments of an endpoint's JSON answer; None if the answer does not have the shape."""
    rows = _rows(page, shape)
    if rows is None:
        return None
    out: list[Comment] = []
    stack: list[tuple[Any, str | None]] = list(zip(reversed(rows), repeat(None)))
    while stack and len(out) < MAX_STORED:
        row, above = stack.pop()
        body = _at(row, shape.wrap) if shape.wrap else row
        if not isinstance(body, dict):
            continue
        comment = _json_comment(body, shape, above, post_url)
        out.append(comment)
        for replies in _reply_lists(row, shape):
            stack.extend(zip(reversed(replies), repeat(comment.id)))
    return list(filter(_has_content, out))


def _has_content(comment: Comment) -> bool:
    return bool(comment.content_text or comment.content_html)


def _reply_lists(row: Any, shape: JsonShape) -> list[list[Any]]:
    """Return the lists of answers that a comment of an endpoint's answer holds."""
    lists = (_at(row, path) for path in shape.children)
    return [replies for replies in lists if isinstance(replies, list)]


def cut_short(page: Page, shape: JsonShape) -> list[str]:
    """Return ids of the comments of an endpoint's answer that have more replies than it shows."""
    out = []
    for row in (_rows(page, shape) or []) if shape.replies else []:
        count = _at(row, shape.replies)
        shown = next(iter(_reply_lists(row, shape)), [])
        number = next(filter(None, (_at(row, path) for path in shape.id)), None)
        if isinstance(count, int) and count > len(shown) and number:
            out.append(str(number))
    return out


def _rows(page: Page, shape: JsonShape) -> list[Any] | None:
    """Return the list of comments in an endpoint's answer; None without one."""
    try:
        data = json.loads(page.text)
    except (ValueError, RecursionError):
        return None
    lists = (_at(data, path) if path else data for path in shape.items)
    return next((rows for rows in lists if isinstance(rows, list)), None)


def _json_comment(
    body: Mapping[str, Any], shape: JsonShape, above: str | None, post_url: str
) -> Comment:
    when = _first(body, shape.date)
    return make_comment(
        _first_text(body, shape.html) or _paragraphs(_first_text(body, shape.text) or ""),
        source="api",
        base_url=post_url,
        number=_first_text(body, shape.id),
        author=_first_text(body, shape.author),
        author_url=_first_text(body, shape.author_url),
        published=_moment(when, utc=True),
        published_raw=_first_text(body, shape.date),
        parent_id=_first_text(body, shape.parent) or above,
    )


def _first(body: Mapping[str, Any], paths: Sequence[str]) -> Any:
    """Return the first value at the paths that says something."""
    values = (_at(body, path) for path in paths)
    return next((value for value in values if value not in (None, "", 0)), None)


def _first_text(body: Mapping[str, Any], paths: Sequence[str]) -> str | None:
    value = _first(body, paths)
    return None if value is None else str(value)


def _paragraphs(text: str) -> str:
    """Plain text as HTML: blank lines part paragraphs."""
    parts = (escape(part, quote=False) for part in text.split("\n\n") if part.strip())
    return "".join(f"<p>{part}</p>" for part in parts).replace("\n", "<br>")


def _at(data: Any, path: str) -> Any:
    for key in path.split("."):
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and (at := natural(key)) is not None and at < len(data):
            data = data[at]
        else:
            return None
    return data


def json_pages(page: Page, shape: JsonShape) -> int | None:
    """Return how many pages the endpoint says there are; None where it doesn't."""
    try:
        count = _at(json.loads(page.text), shape.pages) if shape.pages else None
        return int(count) if isinstance(count, int | float) else None
    except (
        ValueError,
        OverflowError,
        RecursionError,
    ):  # no JSON, an infinite number, endless nesting
        return None


def tail_of(url: str) -> str:
    """Return an address without host, index file and last slash: what feeds and pages agree
    upon."""
    path, mark, query = re.sub(r"^https?://[^/]*", "", url).partition("?")
    return f"{folder_of(path)}{mark}{query}".rstrip("/").lower()


def folder_of(url: str) -> str:
    """Return an address without query, fragment, index file and last slash."""
    path = url.split("?")[0].split("#")[0].rstrip("/")
    head, _, name = path.rpartition("/")
    return head if name.lower() in INDEX_FILES else path
