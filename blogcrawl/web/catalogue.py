"""Read the lists that pages show: one page at a time, never a whole table.

Posts are paged by key (``after``), so that the last page costs what the first does.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ColumnElement, Select, Text, cast, func, or_, select, tuple_
from sqlalchemy import type_coerce as coerce

from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import blogs, crawls, posts, visits

BLOGS_PAGE = 50
POSTS_PAGE = 50
_COUNTED = 2000
"""Blogs whose posts per month are remembered."""
Months = Sequence[tuple[str, int]]
"""Months and their posts, only those with posts, in order."""
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogLine:
    """A blog in a list."""

    id: str
    url: str
    title: str | None
    language: str | None
    platform: str | None
    posts: int
    comments: int
    last_crawl: datetime | None
    next_visit: datetime | None
    health: str
    reason: str | None
    outcome: str = ""
    completeness: Mapping[str, Any] = field(default_factory=dict)
    months: Months = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PostLine:
    """A post in a list."""

    blog_id: str
    url: str
    title: str | None
    published: datetime | None
    comment_count: int
    comments_incomplete: str | None
    aip_id: str | None
    aip_version: int
    status: str
    first_seen: datetime | None
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogQuery:
    """Which blogs, in which order. ``text``: part of title or address."""

    id: str = ""
    text: str = ""
    language: str = ""
    platform: str = ""
    health: str = ""
    order: str = "title"
    offset: int = 0
    limit: int = BLOGS_PAGE


@dataclass(frozen=True, slots=True)
class Found:
    """A page of blogs and the number of all that fit."""

    blogs: Sequence[BlogLine]
    total: int


@dataclass(frozen=True, slots=True)
class PostPage:
    """A page of posts; ``after``: the key of its last post if more follow, else empty."""

    posts: Sequence[PostLine]
    after: str


_LINE = [posts.c[name] for name in PostLine.__dataclass_fields__]
_PUBLISHED: ColumnElement[str] = coerce(posts.c.published, Text)
"""The date as it is stored: sorts by time."""


class Catalogue:
    """Lists of blogs, posts and crawls for the reading room."""

    def __init__(self, state: SqlState) -> None:
        self.state = state
        self._counted: OrderedDict[tuple[str, int, datetime | None], Months] = OrderedDict()
        self._lock = threading.Lock()

    # blogs

    def find_blogs(self, query: BlogQuery) -> Found:
        """Return the blogs of a query with their numbers, completeness and posts per month."""
        where = self._where(query)
        total = self.state.value(select(func.count()).select_from(blogs).where(*where))
        counted = (
            select(
                posts.c.blog_id,
                func.count().label("posts"),
                func.coalesce(func.sum(posts.c.comment_count), 0).label("comments"),
            )
            .where(*([posts.c.blog_id == query.id] if query.id else []))
            .group_by(posts.c.blog_id)
            .subquery()
        )
        numbers = {
            name: func.coalesce(counted.c[name], 0).label(name) for name in ("posts", "comments")
        }
        plain = ("id", "url", "title", "last_crawl", "health", "reason")
        statement = (
            select(
                *(blogs.c[name] for name in plain),
                visits.c.next_visit,
                self._record("language").label("language"),
                self._record("platform").label("platform"),
                *numbers.values(),
            )
            .select_from(
                blogs.outerjoin(counted, counted.c.blog_id == blogs.c.id).outerjoin(
                    visits, visits.c.blog_id == blogs.c.id
                )
            )
            .where(*where)
            .order_by(*_order(query.order, numbers), blogs.c.url)
            .limit(query.limit)
            .offset(query.offset)
        )
        rows = self._rows(statement)
        names = [row["id"] for row in rows]
        last, months = self._last_crawls(names), self._months_of(rows)
        return Found(
            [
                BlogLine(**row, **last.get(row["id"], {}), months=months.get(row["id"], ()))
                for row in rows
            ],
            int(total or 0),
        )

    def find_blog(self, blog_id: str) -> BlogLine | None:
        """Return one blog as in the list; None for an unknown id."""
        return next(iter(self.find_blogs(BlogQuery(id=blog_id, limit=1)).blogs), None)

    def titles(self, blog_ids: Sequence[str]) -> dict[str, str]:
        """Return titles of blogs, or addresses where they have none, by id."""
        statement = select(blogs.c.id, blogs.c.title, blogs.c.url).where(blogs.c.id.in_(blog_ids))
        return {row["id"]: row["title"] or row["url"] for row in self._rows(statement)}

    def facets(self) -> dict[str, list[str]]:
        """Return the languages, platforms and states of health that blogs have."""
        columns = {
            "language": self._record("language"),
            "platform": self._record("platform"),
            "health": blogs.c.health,
        }
        return {
            name: [
                str(row["value"])
                for row in self._rows(select(column.label("value")).distinct().order_by("value"))
                if row["value"]
            ]
            for name, column in columns.items()
        }

    def _where(self, query: BlogQuery) -> list[ColumnElement[bool]]:
        where: list[ColumnElement[bool]] = []
        if query.id:
            where.append(blogs.c.id == query.id)
        if query.text:
            part = f"%{_escaped(query.text.lower())}%"
            where.append(
                or_(
                    func.lower(blogs.c.title).like(part, escape="\\"),
                    func.lower(blogs.c.url).like(part, escape="\\"),
                )
            )
        if query.language:
            where.append(self._record("language") == query.language)
        if query.platform:
            where.append(self._record("platform") == query.platform)
        if query.health:
            where.append(blogs.c.health == query.health)
        return where

    def _record(self, name: str) -> ColumnElement[str]:
        """Return a text of the blog's record."""
        return self._json(blogs.c.record)[name].as_string()

    def _json(self, column: ColumnElement[Any]) -> Any:
        text = coerce(column, Text)
        return coerce(text, JSON) if self.state.is_file else cast(text, JSON)

    def _last_crawls(self, blog_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return outcome and completeness of each blog's last crawl."""
        number = func.row_number().over(
            partition_by=crawls.c.blog_id, order_by=(crawls.c.started.desc(), crawls.c.id.desc())
        )
        # reports are long: only those of the newest crawls are parsed
        newest = (
            select(crawls.c.id, number.label("number"))
            .where(crawls.c.blog_id.in_(blog_ids))
            .subquery()
        )
        statement = select(
            crawls.c.blog_id,
            crawls.c.outcome,
            self._json(crawls.c.report)["completeness"].label("completeness"),
        ).where(crawls.c.id.in_(select(newest.c.id).where(newest.c.number == 1)))
        rows = self._rows(statement)
        return {
            row["blog_id"]: {
                "outcome": row["outcome"],
                "completeness": row["completeness"] or {},
            }
            for row in rows
        }

    # posts

    def _months_of(self, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Months]:
        """Return the months of blogs, counted again only where a crawl may have changed them."""
        keys = {row["id"]: (row["id"], row["posts"], row["last_crawl"]) for row in rows}
        with self._lock:
            known = {key[0]: self._counted[key] for key in keys.values() if key in self._counted}
        counted = self.months([name for name in keys if name not in known])
        with self._lock:
            for name in keys.keys() - known.keys():
                self._counted[keys[name]] = counted.get(name, [])
            while len(self._counted) > _COUNTED:
                self._counted.popitem(last=False)
        return {**known, **counted}

    def months(self, blog_ids: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
        """Return the number of posts of each month that has any, by blog."""
        month = func.substr(_PUBLISHED, 1, 7)
        statement = (
            select(posts.c.blog_id, month.label("month"), func.count().label("posts"))
            .where(posts.c.blog_id.in_(blog_ids), posts.c.published.is_not(None))
            .group_by(posts.c.blog_id, month)
            .order_by(posts.c.blog_id, month)
        )
        found: dict[str, list[tuple[str, int]]] = {}
        for row in self._rows(statement):
            found.setdefault(row["blog_id"], []).append((row["month"], row["posts"]))
        return found

    def find_posts(
        self, blog_id: str, *, month: str = "", after: str = "", limit: int = POSTS_PAGE
    ) -> PostPage:
        """Return a page of a blog's posts, newest first and undated ones last.

        ``month``: ``2014-03`` or ``2014``. ``after``: of the page before.
        """
        where = [posts.c.blog_id == blog_id, *_period(month)]
        date, _, key = after.partition(" after ")
        rows: list[dict[str, Any]] = []
        if date or not after:
            rows = self._rows(_dated_posts(where, date, key).limit(limit + 1))
        if len(rows) <= limit and not month:
            undated = _undated_posts(where, "" if date else key)
            rows += self._rows(undated.limit(limit + 1 - len(rows)))
        more = len(rows) > limit
        keys = [f"{row.pop('stored') or ''} after {row.pop('url_key')}" for row in rows]
        return PostPage([PostLine(**row) for row in rows[:limit]], keys[limit - 1] if more else "")

    def recent_posts(self, limit: int = POSTS_PAGE) -> list[PostLine]:
        """Return the posts archived last, of all blogs."""
        statement = (
            select(*_LINE)
            .where(posts.c.aip_id.is_not(None))
            .order_by(posts.c.first_seen.desc(), posts.c.url_key)
            .limit(limit)
        )
        return [PostLine(**row) for row in self._rows(statement)]

    def posts_at(self, keys: Sequence[str]) -> list[PostLine]:
        """Return the posts with one of these keys of addresses, in whatever blogs."""
        statement = select(*_LINE).where(
            posts.c.url_key.in_(keys), posts.c.blog_id.in_(select(blogs.c.id))
        )
        return [PostLine(**row) for row in self._rows(statement)]

    def blogs_of(self, aip_ids: Sequence[str]) -> dict[str, str]:
        """Return the ids of the blogs of posts, by the ids of their packages."""
        statement = select(posts.c.aip_id, posts.c.blog_id).where(posts.c.aip_id.in_(aip_ids))
        return {row["aip_id"]: row["blog_id"] for row in self._rows(statement)}

    def _rows(self, statement: Select[Any]) -> list[dict[str, Any]]:
        with self.state.read() as connection:
            return [dict(row) for row in connection.execute(statement).mappings()]


def _listed(where: Sequence[ColumnElement[bool]]) -> Select[Any]:
    return select(*_LINE, _PUBLISHED.label("stored"), posts.c.url_key).where(*where)


def _dated_posts(where: Sequence[ColumnElement[bool]], date: str, key: str) -> Select[Any]:
    """Select the posts with a date, newest first, those behind a date and key if they are given."""
    behind = [tuple_(_PUBLISHED, posts.c.url_key) < tuple_(date, key)] if date else []
    order = (posts.c.published.desc(), posts.c.url_key.desc())
    return _listed([*where, posts.c.published.is_not(None), *behind]).order_by(*order)


def _undated_posts(where: Sequence[ColumnElement[bool]], key: str) -> Select[Any]:
    """Select the posts without a date, those behind a key if it is given."""
    behind = [posts.c.url_key < key] if key else []
    return _listed([*where, posts.c.published.is_(None), *behind]).order_by(posts.c.url_key.desc())


def _period(month: str) -> list[ColumnElement[bool]]:
    """Return the condition for posts of a month or year."""
    if _MONTH.fullmatch(month):
        year, number = int(month[:4]), int(month[5:])
        following = f"{year + 1:04}-01" if number == 12 else f"{year:04}-{number + 1:02}"
    elif _YEAR.fullmatch(month):
        following = f"{int(month) + 1:04}"
    else:
        return []
    return [month <= _PUBLISHED, following > _PUBLISHED]


def _order(name: str, numbers: Mapping[str, ColumnElement[int]]) -> list[ColumnElement[Any]]:
    if name in numbers:
        return [numbers[name].desc()]
    if name == "last_crawl":
        return [blogs.c.last_crawl.is_(None), blogs.c.last_crawl.desc()]
    if name == "health":
        return [blogs.c.health]
    return [func.lower(func.coalesce(blogs.c.title, blogs.c.url))]


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)
