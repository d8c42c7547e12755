"""The progress of a running crawl: a live panel on a terminal, a line now and then elsewhere.

A separate thread reads the crawl's statistics, so drawing never delays the crawl. Other commands
write a line now and then (``Steps``).
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from blogcrawl.cli.output import plain, shorten, size, span
from blogcrawl.core.progress import posts_done

TICK_SECONDS = 0.25
LINE_SECONDS = 10.0
"""Interval of lines without a terminal; a line is printed only if a number changed."""
RATE_SECONDS = 10.0


class Rate:
    """Events per second in a sliding window."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()

    def add(self, now: float, total: float) -> float:
        """Record the running ``total`` at ``now`` and return the rate in the window."""
        self._marks.append((now, total))
        while len(self._marks) > 2 and now - self._marks[0][0] > RATE_SECONDS:
            self._marks.popleft()
        (then, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - then) if last > then else 0.0


class Steps:
    """Write how many of a command's steps are done, on standard error, every ``LINE_SECONDS``.

    ``text``: the line, with ``{}`` for the number.
    """

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._text, self._clock = text, clock
        self._last = clock()

    def __call__(self, done: int) -> None:
        """Note that ``done`` steps are done."""
        if self._clock() - self._last >= LINE_SECONDS:
            self._last = self._clock()
            print(f"blogcrawl: {self._text.format(f'{done:,}')}", file=sys.stderr, flush=True)


PREFIX = "blogcrawl/"
NUMBERS = (
    "posts_found posts_archived posts_changed posts_unchanged pages requests comments media errors "
    "bytes"
).split()


def numbers(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``blogcrawl/…`` values of Scrapy's stats without prefix, 0 for missing ones."""
    own = {
        name.removeprefix(PREFIX): value for name, value in stats.items() if name.startswith(PREFIX)
    }
    return {**dict.fromkeys(NUMBERS, 0), **own}


def status_line(now: Mapping[str, Any], rate: float, elapsed: float) -> str:
    """Format one line: ``12 of 40 posts · 31 pages (3.1/s) · …``."""
    kinds = ", ".join(
        f"{now['posts_' + kind]} {kind}"
        for kind in ("changed", "unchanged")
        if now["posts_" + kind]
    )
    done, found = posts_done(now)
    parts = [
        f"{done} of {found} posts" + (f" ({kinds})" if kinds else ""),
        f"{now['pages']} pages ({rate:.1f}/s)",
        f"{now['comments']} comments",
        f"{now['media']} media",
        f"{now['errors']} errors",
        size(now["bytes"]),
        span(elapsed),
    ]
    return " · ".join(parts) + (f" · {now['doing']}" if now.get("doing") else "")


class Watch:
    """Context manager that shows the progress of one crawl.

    After ``follow(snapshot)`` it shows the statistics returned by ``snapshot()``. ``quiet``: show
    nothing.
    """

    def __init__(self, url: str, *, quiet: bool = False) -> None:
        self.url = url
        self._quiet = quiet
        self._snapshot: Callable[[], Mapping[str, Any]] = dict
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()
        self._rate = Rate()

    def follow(self, snapshot: Callable[[], Mapping[str, Any]]) -> None:
        self._snapshot = snapshot

    def __enter__(self) -> Self:
        if not self._quiet:
            run = self._live if sys.stderr.isatty() else self._lines
            self._thread = threading.Thread(target=run, name="blogcrawl-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _now(self) -> tuple[dict[str, Any], float, float]:
        now = numbers(dict(self._snapshot()))  # copied at once: the crawl keeps writing
        elapsed = time.monotonic() - self._started
        return now, self._rate.add(elapsed, now["pages"]), elapsed

    def _lines(self) -> None:
        last, since = "", self._started
        while not self._stop.wait(1.0):
            now, rate, elapsed = self._now()
            paused = str(now.get("doing") or "").startswith("paused") and now["doing"] not in last
            if time.monotonic() - since < LINE_SECONDS and not paused:
                continue
            mark = str(
                sorted(
                    (k, v) for k, v in now.items() if k != "doing" or str(v).startswith("paused")
                )
            )
            if mark != last:
                print(
                    f"blogcrawl: {plain(status_line(now, rate, elapsed))}",
                    file=sys.stderr,
                    flush=True,
                )
                last, since = mark, time.monotonic()

    def _live(self) -> None:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), refresh_per_second=8, transient=True) as live:
            while not self._stop.wait(TICK_SECONDS):
                live.update(self._panel(*self._now()))

    def _panel(self, now: Mapping[str, Any], rate: float, elapsed: float) -> Any:
        from rich.panel import Panel
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        done, found = posts_done(now)
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right", style="dim")
        grid.add_column()
        grid.add_row(
            "posts", Text.assemble((str(done), "bold green"), f" archived of {found} found")
        )
        grid.add_row("", ProgressBar(total=max(found, 1), completed=done, width=40))
        grid.add_row("pages", f"{now['pages']}  ({rate:.1f}/s)")
        grid.add_row("comments", str(now["comments"]))
        grid.add_row("media", str(now["media"]))
        grid.add_row("errors", Text(str(now["errors"]), style="red" if now["errors"] else ""))
        grid.add_row(
            "fetched", f"{size(now['bytes'])} in {now['requests']} requests, {span(elapsed)}"
        )
        grid.add_row("now", Text(shorten(plain(now.get("doing") or "starting"), 70)))
        title = Text(shorten(plain(self.url), 60))
        return Panel(
            grid,
            title=title,
            subtitle="Ctrl-C: finish requests in flight, save, stop",
            border_style="blue",
            expand=False,
        )
