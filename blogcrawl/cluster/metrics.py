"""The controller's metrics in Prometheus' text exposition format 0.0.4."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from blogcrawl.cluster.controller import Tick
from blogcrawl.cluster.crawl_stats import Tally
from blogcrawl.storage.schedule import PostCounts, Schedule
from blogcrawl.storage.tables import NodeRow

Sample = tuple[Mapping[str, str], float]
LATE = timedelta(minutes=10)
"""Longest delay between a crawl's end and its row: clocks differ, databases are away."""


@dataclass(slots=True)
class Crawled:
    """Running sums over finished crawls, read incrementally: a scrape costs what is new."""

    tally: Tally = field(default_factory=Tally)
    outcomes: dict[str, int] = field(default_factory=dict)
    _until: datetime | None = None
    _counted: dict[str, datetime] = field(default_factory=dict)
    _one_by_one: threading.Lock = field(default_factory=threading.Lock)
    """Scrapes are answered in threads; two at a time would count a crawl twice."""

    def read(self, schedule: Schedule) -> None:
        with self._one_by_one:
            self._read(schedule)

    def _read(self, schedule: Schedule) -> None:
        since = self._until - LATE if self._until else None
        for ended in schedule.state.ended_crawls(since):
            if ended.crawl.id in self._counted or ended.crawl.ended is None:
                continue
            self.tally.add(ended)
            self.outcomes[ended.crawl.outcome] = self.outcomes.get(ended.crawl.outcome, 0) + 1
            self._counted[ended.crawl.id] = ended.crawl.ended
            self._until = max(self._until or ended.crawl.ended, ended.crawl.ended)
        if self._until is not None:
            edge = self._until - LATE
            self._counted = {key: moment for key, moment in self._counted.items() if moment >= edge}


@dataclass(slots=True)
class Rounds:
    """Counters of the controller's rounds since its start."""

    rounds: int = 0
    sent: int = 0
    finished: int = 0
    reissued: int = 0
    turned: int = 0
    leads: bool = False
    last: datetime | None = None

    def add(self, tick: Tick, now: datetime) -> None:
        self.rounds += 1
        self.sent += tick.sent
        self.finished += tick.finished
        self.reissued += tick.reissued
        self.turned += tick.turned
        self.leads, self.last = tick.leads, now


def exposition(schedule: Schedule, rounds: Rounds, crawled: Crawled, now: datetime) -> str:
    """Return all metrics. Raises StorageError if the database is unavailable."""
    crawled.read(schedule)
    counts = schedule.counts()
    nodes, posts = schedule.nodes(), schedule.posts()
    lines: list[str] = []
    for name, kind, text, samples in (
        *_of_rounds(rounds),
        ("blogcrawl_blogs", "gauge", "Blogs by state.", _by_state(counts.get("visits", {}))),
        ("blogcrawl_jobs", "gauge", "Jobs by state.", _by_state(counts.get("jobs", {}))),
        *_of_posts(posts),
        _single("overdue_blogs", "Blogs due, in no job yet.", schedule.overdue(now)),
        *_of_nodes(nodes),
        *_of_crawls(crawled),
    ):
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{_labels(labels)} {value:.15g}" for labels, value in samples]
    return "\n".join(lines) + "\n"


Metric = tuple[str, str, str, Sequence[Sample]]


def _single(name: str, text: str, value: float, kind: str = "gauge") -> Metric:
    """Return a metric without labels; a counter's name gets the suffix ``_total``."""
    full = f"blogcrawl_{name}" + ("_total" if kind == "counter" else "")
    return full, kind, text, [({}, float(value))]


def _of_rounds(rounds: Rounds) -> Iterable[Metric]:
    last = rounds.last.timestamp() if rounds.last else 0.0
    yield _single("controller_leads", "1 where this controller leads.", rounds.leads)
    yield _single("controller_last_round_seconds", "Unix time of the last round.", last)
    for name, text in (
        ("rounds", "Rounds done."),
        ("sent", "Jobs sent."),
        ("finished", "Jobs seen finished."),
        ("reissued", "Jobs given up and issued again."),
        ("turned", "Visits turned into next visits."),
    ):
        yield _single(f"controller_{name}", text, getattr(rounds, name), "counter")


def _of_posts(posts: PostCounts) -> Iterable[Metric]:
    yield _single("posts_archived", "Posts archived, by each blog's last crawl.", posts.archived)
    yield _single("posts_missing", "Posts that their blog's last crawl lacks.", posts.missing)
    yield _single("blogs_missing_posts", "Blogs of which posts are missing.", posts.blogs_missing)


def _of_nodes(nodes: Sequence[NodeRow]) -> Iterable[Metric]:
    for name, kind, text, value in (
        ("up", "gauge", "1 where the node answered last time.", lambda n: n.trouble is None),
        ("slots", "gauge", "Process slots.", lambda n: n.capacity),
        ("running", "gauge", "Jobs that run.", lambda n: n.running),
        ("pending", "gauge", "Jobs that wait on the node.", lambda n: n.pending),
        ("draining", "gauge", "1 where it gets nothing new.", lambda n: n.state == "draining"),
        ("jobs_sent_total", "counter", "Jobs sent to it.", lambda n: n.jobs_sent),
    ):
        samples = [({"node": n.url}, float(value(n))) for n in nodes]
        yield f"blogcrawl_node_{name}", kind, text, samples


def _of_crawls(crawled: Crawled) -> Iterable[Metric]:
    outcomes = [({"outcome": name}, float(n)) for name, n in sorted(crawled.outcomes.items())]
    yield "blogcrawl_crawls_total", "counter", "Crawls that ended.", outcomes
    for name, text in (
        ("posts", "Posts archived."),
        ("changed", "Posts archived again because they changed."),
        ("requests", "Requests of crawls."),
        ("bytes", "Bytes that crawls fetched."),
        ("seconds", "Seconds that crawls took."),
    ):
        yield _single(f"crawl_{name}", text, getattr(crawled.tally, name), "counter")


def _by_state(states: Mapping[str, int]) -> list[Sample]:
    return [({"state": state}, float(n)) for state, n in sorted(states.items())]


def _labels(labels: Mapping[str, str]) -> str:
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
    quoted = ",".join(f'{name}="{value.translate(escapes)}"' for name, value in labels.items())
    return f"{{{quoted}}}" if labels else ""
