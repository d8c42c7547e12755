"""The storage gate: closed by what may pass, tried again with a back-off, open for all when one
operation succeeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DiskFullError,
    LeaseLostError,
    ReadOnlyError,
    UnavailableError,
)
from blogcrawl.storage import outage as module
from blogcrawl.storage.outage import (
    LONGEST_WAIT_SECONDS,
    Outage,
    StorageGate,
    after_failure,
    is_too_long,
    wait_for,
)
from blogcrawl.storage.state import SqlState, database_errors

AWAY = UnavailableError("the database is away")


class Storage:
    """Refuses while ``error`` is set; ``done`` is what it took."""

    def __init__(self, error: BlogcrawlError | None = None) -> None:
        self.error, self.done, self.tries = error, list[str](), 0

    def write(self, name: str) -> Callable[[], str]:
        def operation() -> str:
            self.tries += 1
            if self.error is not None:
                raise self.error
            self.done.append(name)
            return name

        return operation


def run(scene: Any) -> Any:
    return asyncio.run(scene)


def test_wait_doubles_to_its_maximum_and_concurrent_failures_count_once() -> None:
    outage, now, waits = None, 100.0, []
    for _ in range(10):
        outage = after_failure(outage, AWAY, now)
        assert after_failure(outage, AWAY, now).tries == outage.tries, "what was under way with it"
        waits.append(outage.next_try - now)
        now = outage.next_try
    assert waits[:4] == [0.25, 0.5, 1.0, 2.0] and waits[-1] == LONGEST_WAIT_SECONDS
    assert outage is not None and outage.since == 100.0
    assert not is_too_long(outage, 600, 699.9) and is_too_long(outage, 600, 700)


@pytest.mark.parametrize("error", [AWAY, DiskFullError("full"), ReadOnlyError("read-only")])
def test_transient_errors_are_retried_and_each_operation_done_once(error: BlogcrawlError) -> None:
    async def scene() -> tuple[Storage, list[bool], list[Outage | None]]:
        changes: list[Outage | None] = []
        storage, gate = Storage(error), StorageGate(60, changed=changes.append)
        writers = [asyncio.ensure_future(gate.run(storage.write(name))) for name in "abcde"]
        fetching = asyncio.ensure_future(gate.opened())
        await asyncio.sleep(0.4)
        waiting = [gate.closed, fetching.done(), *(writer.done() for writer in writers)]
        storage.error = None
        assert [await writer for writer in writers] == list("abcde") and await fetching
        return storage, waiting, changes

    storage, waiting, changes = run(scene())
    assert waiting == [True, *[False] * 6]
    assert sorted(storage.done) == list("abcde")
    assert [change is None for change in changes] == [False, True], (
        "it is said once that the crawl waits, and once that it goes on"
    )
    assert storage.tries < 20


@pytest.mark.parametrize(
    "error", [LeaseLostError("another job's"), ArchiveError("no access"), ValueError("a mistake")]
)
def test_permanent_errors_are_raised_at_once_and_release_waiters(error: Exception) -> None:
    def refused() -> None:
        raise error

    async def scene() -> bool:
        gate = StorageGate(60)
        gate.report(AWAY)
        with pytest.raises(type(error)):
            await gate.run(refused)
        return gate.closed

    assert run(scene()) is False


def test_too_long_outage_ends_with_its_own_exit_code() -> None:
    async def scene() -> BlogcrawlError:
        gate = StorageGate(0.5)
        with pytest.raises(DiskFullError, match=r"no space; waited \d") as raised:
            await gate.run(Storage(DiskFullError("no space", advice="free some")).write("a"))
        assert not await gate.opened()
        return raised.value

    error = run(scene())
    assert error.exit_code == 8 and error.advice == "free some"


def test_too_long_outage_is_reported_without_a_waiting_caller() -> None:
    async def scene() -> list[BlogcrawlError]:
        ended: list[BlogcrawlError] = []
        storage = Storage(DiskFullError("no space"))
        gate = StorageGate(0.5, probe=storage.write("probe"), ended=ended.append)
        gate.write(storage.write("a"))
        while not ended:
            await asyncio.sleep(0.01)
        return ended

    assert [error.exit_code for error in run(scene())] == [8]


def test_stopped_crawl_waits_only_for_its_last_row() -> None:
    async def scene() -> None:
        stopping = False
        storage, gate = Storage(AWAY), StorageGate(60, stopping=lambda: stopping)
        writer, fetching = (
            asyncio.ensure_future(gate.run(storage.write("a"))),
            asyncio.ensure_future(gate.opened()),
        )
        await asyncio.sleep(0.1)
        stopping = True
        with pytest.raises(UnavailableError):
            await writer
        assert not await fetching
        last = asyncio.ensure_future(gate.run(storage.write("row"), limit_seconds=20))
        await asyncio.sleep(0.3)
        storage.error = None
        assert await last == "row" and storage.done == ["row"]

    run(scene())


def test_urgent_writes_go_first_and_in_order() -> None:
    async def scene() -> list[str]:
        storage = Storage(AWAY)
        gate = StorageGate(60, probe=storage.write("probe"))
        for name in "abc":
            gate.write(storage.write(name))
        await asyncio.sleep(0.1)
        storage.error = None
        await gate.run(storage.write("d"))
        return [name for name in storage.done if name != "probe"]

    assert run(scene()) == ["a", "b", "c", "d"]


def test_successful_probe_does_not_restart_the_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A store that can be read and not written: its operations fail again and again, and that lasts
    too long in the end.
    """
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 0.02)

    async def scene() -> None:
        gate = StorageGate(0.8)

        async def attempt() -> None:
            raise UnavailableError("it takes nothing")

        with pytest.raises(UnavailableError, match="waited"):
            await gate.persist(attempt)

    run(scene())


def test_outage_at_startup_is_waited_for() -> None:
    storage, said = Storage(AWAY), list[str]()

    def operation() -> str:
        if storage.tries == 2:
            storage.error = None
        return storage.write("open")()

    assert wait_for(operation, 60, report=said.append) == "open" and len(said) == 1
    with pytest.raises(UnavailableError, match="waited"):
        wait_for(Storage(AWAY).write("x"), 0, report=said.append)


def test_unreachable_database_is_transient_and_refusal_is_permanent(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UnavailableError) as raised:
        SqlState(f"postgresql://blogcrawl@/postgres?host={tmp_path}")
    assert raised.value.exit_code == 12 and "\n" not in str(raised.value)

    class Refused(Exception):
        sqlstate = None

    for words, kind in (
        ("password authentication failed for user", ArchiveError),
        ("server closed the connection", UnavailableError),
    ):
        with pytest.raises(kind), database_errors(opening=True):
            raise OperationalError("SELECT 1", {}, Refused(words))
