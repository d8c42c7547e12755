"""What a crawl shows while it runs: a live panel on a terminal, a plain line now and then elsewhere.

A thread reads the crawl's numbers (``blogcrawl/…`` statistics) a few times a second; the crawl knows nothing of it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from blogcrawl.cli.output import plain, shorten, size, span

Snapshot = Callable[[], Mapping[str, Any]]
TICK_SECONDS = 0.25
LINE_SECONDS = 10.0
"""A piped crawl's log gets a line this often, and only when a number moved."""
RATE_SECONDS = 10.0


class Rate:
    """Events per second over the last seconds."""

    def __init__(self, window: float = RATE_SECONDS) -> None:
        self._window = window
        self._marks: deque[tuple[float, float]] = deque()

    def add(self, now: float, total: float) -> float:
        """Note the running ``total`` at ``now``; the rate since the window began."""
        self._marks.append((now, total))
        while len(self._marks) > 2 and now - self._marks[0][0] > self._window:
            self._marks.popleft()
        (then, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - then) if last > then else 0.0


def numbers(stats: Mapping[str, Any]) -> dict[str, Any]:
    """The crawl's own statistics, without their prefix; what is missing counts 0."""
    found = {name.removeprefix("blogcrawl/"): value for name, value in stats.items() if str(name).startswith("blogcrawl/")}
    for name in ("posts_found", "posts_archived", "posts_unchanged", "posts_missing", "pages", "comments", "media", "errors", "bytes"):
        found.setdefault(name, 0)
    found["bytes"] = found["bytes"] or stats.get("downloader/response_bytes", 0)
    found["requests"] = stats.get("downloader/request_count", 0)
    return found


def status_line(now: Mapping[str, Any], rate: float, elapsed: float) -> str:
    """One plain line: ``12/40 posts · 31 pages (3.1/s) · …``."""
    unchanged = f" ({now['posts_unchanged']} unchanged)" if now["posts_unchanged"] else ""
    parts = [
        f"{now['posts_archived']} of {now['posts_found']} posts{unchanged}",
        f"{now['pages']} pages ({rate:.1f}/s)",
        f"{now['comments']} comments",
        f"{now['media']} media",
        f"{now['errors']} errors",
        size(now["bytes"]),
        span(elapsed),
    ]
    return " · ".join(parts) + (f" · {now['doing']}" if now.get("doing") else "")


class Watch:
    """Context manager around one crawl: ``with Watch(url) as watch: … watch.follow(snapshot)``.

    ``quiet``: show nothing (JSON mode still gets plain lines on standard error only when ``verbose`` asks).
    """

    def __init__(self, url: str, *, quiet: bool = False) -> None:
        self.url = url
        self._quiet = quiet
        self._snapshot: Snapshot | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()
        self._rate = Rate()

    def follow(self, snapshot: Snapshot) -> None:
        """From now on show what ``snapshot()`` returns; it is called from another thread."""
        self._snapshot = snapshot

    def __enter__(self) -> Watch:
        if not self._quiet:
            run = self._live if sys.stderr.isatty() else self._lines
            self._thread = threading.Thread(target=run, name="blogcrawl-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _now(self) -> tuple[dict[str, Any], float, float] | None:
        if self._snapshot is None:
            return None
        try:
            now = numbers(dict(self._snapshot()))
        except RuntimeError:  # the dictionary grew while it was copied: next tick
            return None
        elapsed = time.monotonic() - self._started
        return now, self._rate.add(elapsed, now["pages"]), elapsed

    def _lines(self) -> None:
        last, since = "", 0.0
        while not self._stop.wait(1.0):
            told = self._now()
            if told is None or time.monotonic() - since < LINE_SECONDS:
                continue
            now, rate, elapsed = told
            mark = str(sorted((k, v) for k, v in now.items() if k != "doing"))
            if mark != last:
                print(f"blogcrawl: {plain(status_line(now, rate, elapsed))}", file=sys.stderr, flush=True)
                last, since = mark, time.monotonic()

    def _live(self) -> None:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), refresh_per_second=8, transient=True) as live:
            while not self._stop.wait(TICK_SECONDS):
                told = self._now()
                if told is not None:
                    live.update(self._panel(*told))

    def _panel(self, now: Mapping[str, Any], rate: float, elapsed: float) -> Any:
        from rich.panel import Panel
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        found, done = now["posts_found"], now["posts_archived"] + now["posts_unchanged"]
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right", style="dim")
        grid.add_column()
        grid.add_row("posts", Text.assemble((str(done), "bold green"), f" archived of {found} found"))
        grid.add_row("", ProgressBar(total=max(found, 1), completed=done, width=40))
        grid.add_row("pages", f"{now['pages']}  ({rate:.1f}/s)")
        grid.add_row("comments", str(now["comments"]))
        grid.add_row("media", str(now["media"]))
        grid.add_row("errors", Text(str(now["errors"]), style="red" if now["errors"] else ""))
        grid.add_row("fetched", f"{size(now['bytes'])} in {now['requests']} requests, {span(elapsed)}")
        grid.add_row("now", Text(shorten(plain(now.get("doing") or "starting"), 70)))
        title = Text(shorten(plain(self.url), 60))
        return Panel(grid, title=title, subtitle="Ctrl-C: finish what is in flight, save, stop", border_style="blue", expand=False)
