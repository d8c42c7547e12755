"""Posts on several pages of which one could not be read: what is there is archived, the report
names them, and later visits ask for the rest."""

from __future__ import annotations

from typing import Any

from blogcrawl.crawling.moved_posts import row_of
from blogcrawl.crawling.report import DEAD, is_due
from blogcrawl.crawling.session import Session

CUT_TEXTS = "cut texts"
"""Key in the session's memory: URL -> ``reason``, and how many visits it has waited (``times``)."""
MAX_NOTED = 1_000


def note(session: Session, url: str, reason: str | None) -> None:
    """Note why the text of a post ends early, or that it is whole (None)."""
    known: dict[str, Any] = session.memory.get(CUT_TEXTS, {})
    times = known.pop(url, {}).get("times", 1)
    if reason is not None and len(known) < MAX_NOTED:
        known[url] = {"reason": reason, "times": times}
    session.memory[CUT_TEXTS] = known


def due(session: Session) -> list[str]:
    """Return the posts to ask for at this visit; all of them have waited one visit more."""
    known: dict[str, Any] = session.memory.get(CUT_TEXTS, {})
    asked = [url for url, cut in known.items() if is_due(cut["times"])]
    for cut in known.values():
        cut["times"] += 1
    return asked


def listed(session: Session) -> list[dict[str, Any]]:
    """Return URL and reason of each, and whether the blog itself says that the page does not exist
    (``dead``); these last. Posts that are gone are forgotten."""
    known = {
        url: cut
        for url, cut in session.memory.get(CUT_TEXTS, {}).items()
        if (row := row_of(session, url)) is not None and row.status != "gone"
    }
    session.memory[CUT_TEXTS] = known
    found = [
        {"url": url, "reason": cut["reason"], "dead": cut["reason"].partition(": ")[2] in DEAD}
        for url, cut in known.items()
    ]
    return sorted(found, key=lambda cut: cut["dead"])
