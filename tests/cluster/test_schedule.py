"""The schedule on both databases: who gets which blog, and who may still write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from blogcrawl.core.errors import LeaseLostError
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import JobRow, PostRow, VisitRow, visits
from tests.cluster.services import postgres

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('state')}/state.db"
        return
    pytest.importorskip("psycopg")
    with postgres() as server:
        if server is None:
            pytest.skip("no PostgreSQL binaries")
        yield server.url


@pytest.fixture
def schedule(database: str) -> Iterator[Schedule]:
    """Ten blogs, due an hour apart, the last five in the future."""
    schedule = Schedule(SqlState(database))
    with schedule.state.write() as connection:
        for table in ("visits", "jobs", "leases", "posts", "blogs"):
            connection.execute(text(f"DELETE FROM {table}"))
    schedule.add_blogs(
        VisitRow(
            blog_id=f"b{n}",
            url=f"http://h{n}.example/",
            host=f"h{n}.example",
            next_visit=NOW + timedelta(hours=n - 4.5),
        )
        for n in range(10)
    )
    yield schedule
    schedule.state.close()


def job(number: int, *blogs: str) -> JobRow:
    return JobRow(id=f"job-{number}", kind="new", host="", blogs=list(blogs), created=NOW)


def claimed(schedule: Schedule, limit: int = 100, busy: tuple[str, ...] = ()) -> list[str]:
    with closing(schedule.claim(NOW, limit, busy)) as rows:
        return [row.blog_id for row in rows]


def test_most_overdue_blogs_are_first_and_busy_hosts_wait(schedule: Schedule) -> None:
    assert claimed(schedule) == ["b0", "b1", "b2", "b3", "b4"]
    assert claimed(schedule, 2, ("h0.example", "h2.example")) == ["b1", "b3"]


def test_posts_of_running_crawls_are_counted(schedule: Schedule) -> None:
    for blog, number in (("b0", 1), ("b0", 2), ("b7", 3)):
        url = f"http://{blog}.example/{number}"
        schedule.state.save_post(PostRow(blog_id=blog, url=url, first_seen=NOW, last_seen=NOW))
    schedule.save_visits([replace(v, archived=1) for v in schedule.visits() if v.blog_id == "b7"])
    assert schedule.posts().archived == 1
    schedule.book([job(1, "b0")])
    assert schedule.posts().archived == 3


def test_blog_is_in_one_job_with_several_planners(schedule: Schedule) -> None:
    assert [j.id for j in schedule.book([job(1, "b0", "b1"), job(2, "b2")])] == ["job-1", "job-2"]
    assert [j.id for j in schedule.book([job(3, "b1", "b3"), job(4, "b4")])] == ["job-4"], (
        "b1 is taken, so b3 stays"
    )
    assert claimed(schedule) == ["b3"]
    assert {j.id: list(j.blogs) for j in schedule.open_jobs()} == {
        "job-1": ["b0", "b1"],
        "job-2": ["b2"],
        "job-4": ["b4"],
    }


def test_rows_locked_by_another_controller_are_skipped(schedule: Schedule, database: str) -> None:
    if database.startswith("sqlite"):
        pytest.skip("SQLite has one writer at a time")
    with schedule.state.engine.connect() as other, other.begin():
        other.execute(select(visits.c.blog_id).where(visits.c.blog_id == "b0").with_for_update())
        assert [j.id for j in schedule.book([job(1, "b0"), job(2, "b1")])] == ["job-2"]


def test_facts_of_a_job_that_lost_its_blog_are_refused(schedule: Schedule) -> None:
    schedule.book([job(1, "b0", "b1")])
    [again] = schedule.give_up(job(1, "b0", "b1"), NOW, "lost")
    assert schedule.note_many("job-1", {"b0": {"outcome": "unchanged"}}) == 0
    assert (
        schedule.note_many(
            again.id, {"b0": {"outcome": "unchanged"}, "b1": {"outcome": "changed"}, "b2": {}}
        )
        == 2
    )
    assert not schedule.heartbeat("job-1", NOW) and schedule.heartbeat(again.id, NOW)
    assert [
        (row.blog_id, (row.facts or {})["outcome"])
        for row in sorted(schedule.visited(10), key=lambda r: r.blog_id)
    ] == [
        ("b0", "unchanged"),
        ("b1", "changed"),
    ]


def test_a_job_that_lost_its_lease_cannot_commit(schedule: Schedule) -> None:
    old = schedule.grant([job(1, "b0")], 60, NOW)["job-1"][1]
    new = schedule.grant([job(2, "b0")], 60, NOW)["job-2"][1]
    assert new > old
    row = PostRow(blog_id="b0", url="http://h0.example/post")
    with pytest.raises(LeaseLostError):
        schedule.state.save_post(row, fence=old)
    assert schedule.state.get_post("b0", row.url) is None
    schedule.state.save_post(row, fence=new)
    assert schedule.state.get_post("b0", row.url) is not None


def test_concurrent_migrations_succeed(database: str) -> None:
    """Every job of a new cluster opens the state at once."""
    import threading

    failures: list[BaseException] = []

    def opens() -> None:
        try:
            SqlState(database).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=opens) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failures


def test_unreachable_database_is_a_one_line_error(tmp_path: Path) -> None:
    from blogcrawl.core.errors import UnavailableError

    with pytest.raises(UnavailableError, match="state database is away"):
        SqlState(f"postgresql://nobody@/none?host={tmp_path}")
