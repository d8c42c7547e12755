"""The crawls that ended, with the node that ran them: what reports and metrics are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from blogcrawl.storage.base import CrawlRow
from blogcrawl.storage.state import STREAM_ROWS, SqlState, told
from blogcrawl.storage.state_schema import blogs, crawl_of, crawls


@dataclass(frozen=True, slots=True)
class Ended:
    crawl: CrawlRow
    url: str
    """The blog's address; empty where nothing of it was archived."""


def ended_crawls(state: SqlState, since: datetime | None = None) -> Iterator[Ended]:
    """Streamed, oldest end first; ``since``: only those that ended then or later."""
    source = crawls.outerjoin(blogs, crawls.c.blog_id == blogs.c.id)
    statement = select(crawls, blogs.c.url.label("blog_url")).select_from(source)
    statement = statement.where(crawls.c.ended.is_not(None)).order_by(crawls.c.ended)
    if since is not None:
        statement = statement.where(crawls.c.ended >= since)
    with told(), state.engine.connect().execution_options(yield_per=STREAM_ROWS) as connection:
        for row in connection.execute(statement).mappings():
            values = dict(row)
            url = values.pop("blog_url")
            yield Ended(crawl_of(values), url or "")  # type: ignore[arg-type]
