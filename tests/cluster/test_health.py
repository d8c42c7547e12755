"""The state of a node that an operator sees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.storage.schedule import BACK_OFF_CEILING, shown_state
from blogcrawl.storage.tables import NodeRow

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECENT = NOW - timedelta(seconds=20)


@pytest.mark.parametrize(
    ("node", "shown"),
    [
        (NodeRow(url="http://n", last_seen=RECENT), "active"),
        (NodeRow(url="http://n", last_seen=RECENT, state="draining"), "draining"),
        (NodeRow(url="http://n", last_seen=RECENT, trouble="timeout"), "down"),
        (NodeRow(url="http://n", last_seen=RECENT, trouble="auth", state="draining"), "down"),
        (NodeRow(url="http://n", last_seen=NOW - 2 * BACK_OFF_CEILING), "unknown"),
        (NodeRow(url="http://n"), "unknown"),
        (NodeRow(url="http://n", trouble="timeout", state="removed"), "removed"),
    ],
)
def test_shown_state(node: NodeRow, shown: str) -> None:
    assert shown_state(node, NOW) == shown
