"""Progress never exceeds its total, wherever it is shown."""

from __future__ import annotations

import io
import logging
import re
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from blogcrawl.cli.progress import Watch, numbers, status_line
from blogcrawl.core.progress import posts_done
from blogcrawl.crawling.extensions import progress
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.web.activity import Running

COUNTS = st.fixed_dictionaries(
    {},
    optional={
        f"posts_{kind}": st.integers(0, 300)
        for kind in ("found", "archived", "changed", "unchanged")
    },
)
_OF = re.compile(r"(\d+)(?: archived)? of (\d+)")


def shown(text: str) -> tuple[int, int]:
    found = _OF.search(text)
    assert found is not None, text
    return int(found[1]), int(found[2])


def log_line(counts: dict[str, int]) -> str:
    stats = {f"blogcrawl/{name}": value for name, value in counts.items()}
    crawler: Any = SimpleNamespace(stats=SimpleNamespace(get_stats=lambda: stats))
    extension = progress.Progress(crawler)
    extension._told = -1e9
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    progress.logger.addHandler(handler)
    level = progress.logger.level
    progress.logger.setLevel(logging.INFO)
    try:
        extension.show()
    finally:
        progress.logger.removeHandler(handler)
        progress.logger.setLevel(level)
    return lines[0]


def panel(counts: dict[str, Any]) -> str:
    out = Console(file=io.StringIO(), width=100)
    out.print(Watch("http://b.example/")._panel(counts, 1.0, 2.0))
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    return text


@given(COUNTS)
def test_what_is_done_is_never_more_than_the_total(counts: dict[str, int]) -> None:
    done, total = posts_done(counts)
    assert done == sum(
        counts.get(f"posts_{kind}", 0) for kind in ("archived", "changed", "unchanged")
    )
    assert total == max(done, counts.get("posts_found", 0))
    values = numbers({f"blogcrawl/{name}": value for name, value in counts.items()})
    row = CrawlRow(
        id="1",
        blog_id="b",
        spider="newcrawl",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        counts=counts,
    )
    running = Running(row)
    assert (running.done, running.found) == (done, total)
    for text in (status_line(values, 1.0, 2.0), log_line(counts), panel(values)):
        assert shown(text) == (done, total)


@pytest.mark.parametrize("missing", [{}, {"posts_found": None, "posts_archived": None}])
def test_numbers_that_are_not_there_are_none(missing: dict[str, Any]) -> None:
    assert posts_done(missing) == (0, 0)
