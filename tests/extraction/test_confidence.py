"""The table of confidences and the code name the same sources."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from blogcrawl.extraction import confidence
from blogcrawl.extraction.confidence import confidences

ROOM = Path(confidence.__file__).parent
META, TABLES = "meta", tomllib.loads(ROOM.joinpath("confidence.toml").read_text("utf-8"))
NAMES = {name for name in TABLES if name != META} | {f"meta.{name}" for name in TABLES[META]}
CODE = "\n".join(path.read_text("utf-8") for path in ROOM.rglob("*.py"))


def test_every_table_is_used() -> None:
    assert set(re.findall(r'confidences\("([\w.]+)"\)', CODE)) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_confidences_are_shares_and_used(name: str) -> None:
    values = confidences(name)
    assert values
    assert all(0 < value < 1 for value in values.values())
    if not name.startswith("meta."):  # names of properties, all of which are asked
        assert [source for source in values if f'["{source}"]' not in CODE] == []


def test_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        confidences("meta.nothing")
