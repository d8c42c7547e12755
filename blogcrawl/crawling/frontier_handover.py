"""A job that takes a blog over from a lost one: it goes on from the frontier, in a copy.

The lost job may be frozen, not dead. When it wakes it writes into its own file until its next sign
of life makes it stop; in a shared file it would take pages away from its successor, and those would
be in no one's hands. What it failed to get or to store is tried again: a node that loses its
network fails at everything before it loses its lease.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from blogcrawl.frontier.store import FAILED, PENDING
from blogcrawl.storage.temporary import new_folder


def own_frontier(folder: Path, spider: str, token: int) -> Path:
    """Return the frontier file of the job with this fencing token, copied from the newest older
    job's if there is one.
    """
    own = folder / f"{spider}-{token}.db"
    if own.exists():
        return own
    numbered = (
        (int(m[1]), path)
        for path in folder.glob(f"{spider}-*.db")
        if (m := re.fullmatch(rf"{spider}-(\d+)\.db", path.name))
    )
    older = sorted((number, path) for number, path in numbered if number < token)
    if older:
        with new_folder(own) as place:
            part = place / own.name
            with (
                closing(sqlite3.connect(older[-1][1], timeout=30)) as source,
                closing(sqlite3.connect(part)) as target,
            ):
                source.backup(target)
                target.execute(
                    "UPDATE url SET state = ?, gain = NULL, ended = NULL WHERE state = ?",
                    (PENDING, FAILED),
                )
                target.commit()
            part.rename(own)
    return own
