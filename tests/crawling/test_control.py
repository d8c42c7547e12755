"""When a crawl ends, pauses and goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DiskFullError,
    LeaseLostError,
    StorageError,
    UnreachableError,
)
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.report import End
from blogcrawl.storage.outage import Outage, StorageGate


@pytest.fixture
def control() -> CrawlControl:
    stats: dict[str, Any] = {"doing": "crawling"}
    session = SimpleNamespace(
        services=SimpleNamespace(
            crawler=SimpleNamespace(engine=SimpleNamespace(running=True), _engine=None),
            gate=StorageGate(0),
        ),
        stat=lambda name: str(stats.get(name, "")),
        doing=lambda what: stats.update(doing=what),
    )
    return CrawlControl(cast(Any, session))


def test_the_first_error_ends_the_crawl(control: CrawlControl) -> None:
    first = BlogcrawlError("the first")
    control.abort(first)
    control.abort(BlogcrawlError("what follows from it"))
    assert control.end is not None and control.end.error is first
    assert control.closing and control.is_broken_off()


def test_error_overrides_an_earlier_budget_end(control: CrawlControl) -> None:
    control.halt(End(reason="budget", detail="3 posts are in"))
    assert control.closing and not control.is_broken_off()
    control.abort(BlogcrawlError("broken"))
    assert control.end is not None and control.end.reason == "failed"


def test_crawl_stopped_by_the_operator_is_interrupted(control: CrawlControl) -> None:
    control.stop()
    assert control.ends_early and control.end is None


@pytest.mark.parametrize(
    ("error", "is_fatal"),
    [
        (DiskFullError("full"), True),
        (ArchiveError("no archive"), True),
        (LeaseLostError("lost"), True),
        (StorageError("this post only"), False),
        (UnreachableError("this page only"), False),
    ],
)
def test_only_errors_that_prevent_archiving_end_the_crawl(
    control: CrawlControl, error: BlogcrawlError, is_fatal: bool
) -> None:
    assert control.abort_if_fatal(error) is is_fatal
    assert control.closing is is_fatal


def test_status_shows_an_outage_and_the_previous_activity_after_it(control: CrawlControl) -> None:
    control.on_outage(cast(Outage, SimpleNamespace(error=DiskFullError("no space left"))))
    assert control.session.stat("doing") == "paused, nothing can be stored: no space left"
    control.on_outage(None)
    assert control.session.stat("doing") == "crawling"


def test_outage_beyond_the_maximum_wait_ends_the_crawl_once(control: CrawlControl) -> None:
    control.storage_is_away(DiskFullError("no space left"))
    control.storage_is_away(DiskFullError("again"))
    assert control.end is not None and control.end.detail == "no space left"
