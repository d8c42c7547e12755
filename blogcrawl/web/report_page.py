"""``blogcrawl report BLOG --html``: one page about a blog's archive that needs nothing else.

It is made to be mailed: no script, nothing from elsewhere, pictures within, and of bounded size
whatever the blog has.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from markupsafe import Markup
from sqlalchemy import Integer, func, select

from blogcrawl import __version__
from blogcrawl.core.errors import DamagedError, PackagingError
from blogcrawl.core.organization import Organization
from blogcrawl.core.records import Post
from blogcrawl.packaging.layout import MEDIA, WEB
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.selection import read_post
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow, posts
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.figures import CRAWLS, figures, numbers
from blogcrawl.web.room import environment
from blogcrawl.web.texts import Texts

NAMED = 50
"""Pages of one kind that are named; the number of all stands above them."""
SAMPLES = 6
EXCERPT = 420
MAX_PICTURE, MAX_PICTURES = 600_000, 3_000_000
"""Bytes of a picture, and of all: mail servers refuse messages from about 10 MB on."""
PICTURES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
"""Formats that cannot act, by the endings of archived files."""
LOSSES = (
    "missing",
    "rejected",
    "unread",
    "texts_incomplete",
    "comments_incomplete",
    "media_missing",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A post as the report shows it. ``picture``: data URL, or None."""

    post: Post
    excerpt: str
    picture: str | None


@dataclass(frozen=True, slots=True)
class Loss:
    """Pages that are not archived, or not completely: all, their reasons, and some of them."""

    kind: str
    number: int
    reasons: Sequence[tuple[str, int]]
    named: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Report:
    """What a report is made from."""

    state: SqlState
    store: PackageStore
    operator: Organization
    now: datetime

    def page(self, blog: BlogRow, language: str = "en") -> bytes:
        """Return the report on a blog as HTML, in a language of ``LANGUAGES``."""
        texts = Texts(language)
        crawls = [crawl for crawl in self.state.crawls(blog.id) if crawl.ended]
        last = crawls[-1] if crawls else None
        style = _style()
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        written = (
            environment()
            .get_template("report.html")
            .render(
                texts.names(),
                blog=blog,
                record=dict(blog.record),
                style=Markup(style),
                policy=f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'",
                now=self.now,
                version=__version__,
                organization=self.operator.label,
                numbers=self._numbers(blog),
                completeness=_dict(last.report.get("completeness")) if last else {},
                stop=str(_dict(last.report.get("stop")).get("detail") or "") if last else "",
                plots=figures(numbers(self.state, blog.id), texts),
                crawls=crawls[-CRAWLS:][::-1],
                losses=list(_losses(blog, last)),
                removed=list(Tombstones(self.state).posts_of(blog.id))[:NAMED],
                samples=self._samples(blog),
            )
        )
        return written.encode("utf-8", "replace")

    def _numbers(self, blog: BlogRow) -> Mapping[str, Any]:
        """Let the database count: nothing of the posts is loaded."""
        counted = {
            "posts": func.count(),
            "comments": func.coalesce(func.sum(posts.c.comment_count), 0),
            "undated": _count(posts.c.published.is_(None)),
            "untitled": _count(func.coalesce(posts.c.title, "") == ""),
            "gone": _count(posts.c.status == "gone"),
            "versions": func.coalesce(func.sum(posts.c.aip_version), 0),
        }
        statement = select(*(column.label(name) for name, column in counted.items()))
        with self.state.read() as connection:
            row = connection.execute(statement.where(posts.c.blog_id == blog.id)).mappings().one()
        span = self.state.post_span(blog.id)
        return {**row, "first": span.first, "last": span.last}

    def _samples(self, blog: BlogRow) -> list[Sample]:
        """Return posts spread over the blog's time, with a picture of each as far as there is room.

        Damaged packages are left out: ``verify`` names them.
        """
        made: list[Sample] = []
        left = MAX_PICTURES
        for row in self._spread(blog):
            try:
                post = read_post(self.store, row)
                picture = self._picture(row, post, min(left, MAX_PICTURE))
            except (DamagedError, PackagingError):
                continue
            left -= len(picture or "")
            text = " ".join(post.content_text.split())
            excerpt = text if len(text) <= EXCERPT else text[:EXCERPT].rsplit(" ", 1)[0] + " …"
            made.append(Sample(post, excerpt, picture))
        return made

    def _spread(self, blog: BlogRow) -> list[PostRow]:
        """Return posts at even distances, from the newest to the oldest."""
        where = (posts.c.blog_id == blog.id, posts.c.aip_id.is_not(None))
        number = int(self.state.value(select(func.count()).select_from(posts).where(*where)) or 0)
        count = min(SAMPLES, number)
        ordered = select(posts).where(*where).order_by(posts.c.published.desc(), posts.c.url_key)
        places = [round(at * (number - 1) / max(1, count - 1)) for at in range(count)]
        return [
            row
            for place in places
            for row in self.state.rows(PostRow, ordered.limit(1).offset(place))
        ]

    def _picture(self, row: PostRow, post: Post, most: int) -> str | None:
        """Return the page's screenshot or the post's first picture as data URL."""
        object_id = str(row.aip_id)
        head = self.store.head(object_id)
        for path in _pictures(set(head.files) if head else set(), post):
            kind = PICTURES.get(path.rpartition(".")[2].lower())
            if kind is None:
                continue
            with self.store.open(object_id, path, row.aip_version) as file:
                data = file.read(most * 3 // 4 + 1)
            if len(data) <= most * 3 // 4:
                return f"data:{kind};base64,{b64encode(data).decode()}"
        return None


def _count(condition: Any) -> Any:
    """Count the rows for which a condition is true."""
    return func.coalesce(func.sum(func.cast(condition, Integer)), 0)


def _pictures(files: Set[str], post: Post) -> list[str]:
    """Return the paths of the page's screenshots and of the post's own pictures in a package."""
    shots = sorted(path for path in files if path.startswith(WEB + "screenshot"))
    own = [MEDIA + media.name for media in post.media if media.name and media.role == "image"]
    return [*shots, *(path for path in own if path in files)]


def _losses(blog: BlogRow, last: CrawlRow | None) -> Iterator[Loss]:
    """Yield what is not archived; rejected pages are those of all crawls."""
    report: Mapping[str, Any] = last.report if last else {}
    rejected = blog.stages.get("rejected")
    for name in LOSSES:
        listed = _listed(report.get(name), rejected if name == "rejected" else None)
        number = max(len(listed), int(report.get(f"{name}_count") or 0))
        reasons = Counter(str(page.get("reason") or "unknown") for page in listed)
        if number > len(listed):
            reasons = Counter(report.get(f"{name}_reasons")) or reasons
        yield Loss(name, number, reasons.most_common(12), listed[:NAMED])


def _listed(pages: Any, of_all_crawls: Any) -> list[Mapping[str, Any]]:
    """Return the pages that the last crawl names, or those of all crawls where these are more."""
    own, others = (one if isinstance(one, list) else [] for one in (pages, of_all_crawls))
    return [page for page in max(others, own, key=len) if isinstance(page, Mapping)]


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@cache
def _style() -> str:
    """Return the style sheet of pages that stand alone."""
    folder = resources.files("blogcrawl.web") / "static"
    return (folder / "page.css").read_text("utf-8")
