"""How fast crawls went in the last hour: sampled while the room runs, for its live plots."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from blogcrawl.core.progress import posts_done
from blogcrawl.storage.tables import CrawlRow

EVERY = timedelta(seconds=10)
"""Between two samples, of a new series: two of the times that a crawl writes its numbers."""
WINDOW = timedelta(hours=1)
POINTS = 60
"""Points of a series: every other one goes when there are more."""
MINUTE = timedelta(minutes=1)


class Sample(NamedTuple):
    """Totals at a time; ``queue`` is no total."""

    at: datetime
    posts: int = 0
    requests: int = 0
    errors: int = 0
    queue: int = 0


class Rate(NamedTuple):
    """Posts, requests and errors per minute, over the minute before ``at``."""

    at: datetime
    posts: float
    requests: float
    errors: float
    queue: int


class Series:
    """Samples of an hour: the longer, the fewer of each minute."""

    def __init__(self, *first: Sample) -> None:
        self.samples = list(first)
        self._every = EVERY

    def add(self, sample: Sample) -> None:
        """Add a sample, unless the last one is as new."""
        if self.samples and sample.at - self.samples[-1].at < self._every:
            return
        begin = bisect_right(self.samples, sample.at - WINDOW, key=lambda one: one.at)
        self.samples = [*self.samples[begin:], sample]
        if len(self.samples) > POINTS:
            self.samples = self.samples[::-2][::-1]
            self._every *= 2

    def rates(self) -> list[Rate]:
        """Return the rates at each sample but the first, oldest first."""
        return [self._rate(number) for number in range(1, len(self.samples))]

    def _rate(self, number: int) -> Rate:
        last, earlier = self.samples[number], self.samples[:number]
        begin = bisect_right(earlier, last.at - MINUTE, key=lambda one: one.at)
        first = earlier[max(0, begin - 1)]
        minutes = (last.at - first.at) / MINUTE
        grown = [(b - a) / minutes for a, b in zip(first[1:4], last[1:4], strict=True)]
        posts, requests, errors = (max(0.0, round(each, 1)) for each in grown)
        return Rate(last.at, posts, requests, errors, last.queue)


class Rates:
    """The series of each crawl of the last hour, and of all of them together."""

    def __init__(self) -> None:
        self._all, self._of = Series(), dict[str, Series]()
        self._seen: dict[str, Sample] = {}
        self._total = Sample(datetime.min.replace(tzinfo=UTC))
        self._lock = threading.Lock()

    def note(self, running: Sequence[CrawlRow], now: datetime) -> None:
        """Take the numbers of the crawls that run."""
        with self._lock:
            before = self._all.samples[-1].at if self._all.samples else now
            seen = {crawl.id: _sample(crawl, now) for crawl in running}
            for crawl in running:
                # what a crawl did before the room ran is no rate
                is_new = crawl.started is not None and crawl.started >= before
                first = Sample(crawl.started or now) if is_new else seen[crawl.id]
                self._of.setdefault(crawl.id, Series(first)).add(seen[crawl.id])
                self._total = _grown(self._total, self._seen.get(crawl.id, first), seen[crawl.id])
            self._seen = seen
            queue = sum(one.queue for one in seen.values())
            self._all.add(self._total._replace(at=now, queue=queue))
            self._forget(now - WINDOW)

    def _forget(self, before: datetime) -> None:
        for name in [name for name, one in self._of.items() if one.samples[-1].at <= before]:
            del self._of[name]

    def of(self, crawl_id: str = "") -> list[Rate]:
        """Return the rates of a crawl, or of all; none where nothing was crawled in the hour."""
        with self._lock:
            series = self._of.get(crawl_id, Series()) if crawl_id else self._all
            found = series.rates()
        return found if any(any(rate[1:]) for rate in found) else []


def _grown(total: Sample, old: Sample, new: Sample) -> Sample:
    """Add to a total what has grown between two samples of a crawl."""
    added = (max(0, b - a) for a, b in zip(old[1:4], new[1:4], strict=True))
    return Sample(total.at, *(a + b for a, b in zip(total[1:4], added, strict=True)))


def _sample(crawl: CrawlRow, now: datetime) -> Sample:
    counts = crawl.counts
    numbers = (int(counts.get(name) or 0) for name in ("requests", "errors", "queue"))
    return Sample(now, posts_done(counts)[0], *numbers)
