"""The frontier's file on a disk that gets full, and on one that refuses writes."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from blogcrawl.core.errors import ArchiveError, ReadOnlyError
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.store import MAX_KEPT, Store, refusal

MOUNT = 'mount -t tmpfs -o size=400k tmpfs "$1" && shift && exec "$@"'
ON_A_FULL_DISK = """
import os, sys
from pathlib import Path
from blogcrawl.core.errors import DiskFullError
from blogcrawl.frontier.frontier import Frontier

folder = Path(sys.argv[1])
posts = [f"https://blog.example/p/{number}/" for number in range(60)]

def crawl():
    frontier, refused = Frontier(folder / "frontier.db"), []
    def write(commit):
        try:
            commit()
        except DiskFullError as error:
            refused.append(error)
    frontier.write = write
    for post in posts:
        frontier.push(post, "post")
    for _ in range(10):
        frontier.done(frontier.pop(0.0).url, is_post=True)
    assert not refused, refused
    with (folder / "filler").open("wb", buffering=0) as filler:
        for size in (4096, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                pass
    for _ in range(20):
        frontier.done(frontier.pop(0.0).url, is_post=True)
    assert refused and all(error.exit_code == 8 for error in refused), refused
    counts = frontier.counts()
    assert (counts.posts, counts.pending) == (30, 30), counts
    assert len(list(frontier.store.judged())) == 30, "what is read is what was written, though the disk has not got it"
    (folder / "filler").unlink()
    frontier.done(frontier.pop(0.0).url, is_post=True)
    os._exit(0)  # as killed: nothing is closed

if os.fork() == 0:
    crawl()
assert os.wait()[1] == 0
frontier = Frontier(folder / "frontier.db")
print(frontier.counts().posts, frontier.counts().pending)
"""  # noqa: E501


def test_writes_refused_by_a_full_disk_are_committed_later(tmp_path: Path) -> None:
    inside = ["unshare", "-rm", "sh", "-c", MOUNT, "sh", str(tmp_path)]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*inside, "true"], capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here (unshare -rm)")
    done = subprocess.run(
        [*inside, sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["31", "29"], done.stderr


def test_read_only_file_is_an_error_and_pending_writes_are_kept(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "frontier.db")
    frontier.push("https://blog.example/1", "post")
    page = frontier.pop(0.0)
    assert page is not None
    frontier.store.commit()
    frontier.store.db.execute("PRAGMA query_only = 1")
    with pytest.raises(ReadOnlyError):
        frontier.done(page.url, is_post=True)
    frontier.store.db.execute("PRAGMA query_only = 0")
    frontier.close()
    again = Frontier(tmp_path / "frontier.db")
    assert again.counts().pending == 1, "the page is asked for again"
    again.close()


def test_damaged_file_is_an_archive_error(tmp_path: Path) -> None:
    (tmp_path / "frontier.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(ArchiveError, match="remove it"):
        Store(tmp_path / "frontier.db")
    assert isinstance(
        refusal(sqlite3.DatabaseError("database disk image is malformed"), tmp_path / "x"),
        ArchiveError,
    )


def test_a_long_transaction_is_not_kept_in_memory(tmp_path: Path) -> None:
    store = Store(tmp_path / "frontier.db")
    for number in range(MAX_KEPT + 100):
        store.fail(number, "x")
    assert len(store._kept) == MAX_KEPT + 1
    store.commit()
    assert store.db.execute("SELECT count(*) FROM failure").fetchone()[0] == MAX_KEPT + 100
    store.close()
