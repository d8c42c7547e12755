"""A job goes on from the frontier of the one that was lost, and tries again what that one failed
at.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from blogcrawl.crawling.frontier_handover import own_frontier
from blogcrawl.frontier import store
from blogcrawl.frontier.store import DONE, FAILED, IN_FLIGHT, PENDING


def states(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute("SELECT url, state FROM url"))


def frontier(path: Path, **urls: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(store._SCHEMA)
        for number, (url, state) in enumerate(urls.items()):
            values = (number, url, state, number if state in (DONE, FAILED) else None)
            db.execute(
                (
                    "INSERT INTO url VALUES (NULL, ?, ?, 0, ?, 0, 0, 0, 0, 0.0, NULL, NULL, NULL, "
                    "NULL, NULL, ?)"
                ),
                values,
            )
        db.commit()


def test_failures_of_a_lost_job_are_retried_and_its_file_kept(
    tmp_path: Path,
) -> None:
    frontier(tmp_path / "newcrawl-2.db", old=DONE)
    frontier(
        tmp_path / "newcrawl-3.db", done=DONE, failed=FAILED, waiting=PENDING, flying=IN_FLIGHT
    )
    own = own_frontier(tmp_path, "newcrawl", 4)
    assert own.name == "newcrawl-4.db"
    assert states(own) == {"done": DONE, "failed": PENDING, "waiting": PENDING, "flying": IN_FLIGHT}
    assert states(tmp_path / "newcrawl-3.db")["failed"] == FAILED
    assert own_frontier(tmp_path, "newcrawl", 4) == own, "a job that starts again has its file"


def test_first_job_begins_with_an_empty_frontier(tmp_path: Path) -> None:
    assert not own_frontier(tmp_path, "newcrawl", 1).exists()
