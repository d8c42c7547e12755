"""The table of ``confidence.toml``: how far each source of a value is believed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("confidence.toml").read_text("utf-8"))


def confidences(name: str) -> Mapping[str, float]:
    """Return a table by its dotted name; raises KeyError for an unknown name."""
    table: Any = _tables()
    for key in name.split("."):
        table = table[key]
    return {source: float(value) for source, value in table.items()}
