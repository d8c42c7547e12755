"""Sums over finished crawls, per blog, host and node: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from blogcrawl.storage.schedule import host_of
from blogcrawl.storage.state import Ended


@dataclass(slots=True)
class Tally:
    crawls: int = 0
    failed: int = 0
    posts: int = 0
    changed: int = 0
    missing: int = 0
    """Posts and likely posts that the last successful crawl could not read."""
    unread: int = 0
    """Other pages that could not be read."""
    comments_incomplete: int = 0
    """Posts whose comments are incomplete."""
    missing_reasons: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    bytes: int = 0
    seconds: float = 0.0
    reason: str | None = None
    """Of the last failure, where nothing went well after it."""

    def add(self, ended: Ended) -> None:
        counts, outcome = ended.crawl.counts, ended.crawl.outcome
        self.crawls += 1
        self.failed += outcome == "failed"
        self.posts += int(counts.get("posts_archived", 0))
        self.changed += int(counts.get("posts_changed", 0))
        if outcome != "failed":
            self.missing = int(counts.get("posts_missing", 0))
            self.unread = int(counts.get("pages_unread", 0))
            self.comments_incomplete = int(counts.get("comments_incomplete", 0))
            self.missing_reasons = dict(
                Counter(str(m["reason"]) for m in ended.crawl.report.get("missing", ()))
            )
        self.requests += int(counts.get("requests", 0))
        self.bytes += int(counts.get("bytes", 0))
        self.seconds += float(counts.get("seconds", 0.0))
        error = ended.crawl.report.get("error")
        text = error.get("message") if isinstance(error, dict) else error
        self.reason = str(text or outcome) if outcome == "failed" else None

    @property
    def posts_a_second(self) -> float:
        """Return posts per second of crawl time; a node with two slots achieves twice this."""
        return (self.posts + self.changed) / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"posts_a_second": round(self.posts_a_second, 3)}


@dataclass(slots=True)
class Sums:
    blogs: dict[str, Tally]
    hosts: dict[str, Tally]
    nodes: dict[str, Tally]
    outcomes: dict[str, int]


def sum_up(crawls: Iterable[Ended]) -> Sums:
    """Sum up crawls by blog (URL, or id if unknown), host, node and outcome.

    Node "" stands for crawls without a cluster.
    """
    sums = Sums({}, {}, {}, {})
    for ended in crawls:
        blog = ended.url or ended.crawl.blog_id
        sums.blogs.setdefault(blog, Tally()).add(ended)
        sums.hosts.setdefault(host_of(ended.url), Tally()).add(ended)
        sums.nodes.setdefault(ended.crawl.node, Tally()).add(ended)
        sums.outcomes[ended.crawl.outcome] = sums.outcomes.get(ended.crawl.outcome, 0) + 1
    return sums
