"""docs/packages.md publishes the crosswalks: it must say what the code does."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from blogcrawl.packaging.marc import TABLES
from blogcrawl.packaging.thread import MAX_DEPTH
from blogcrawl.storage.deposit import TARGETS
from blogcrawl.storage.export import FORMATS
from tests.packaging.example import document

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "packages.md").read_text()


def test_every_row_of_the_crosswalk_is_published() -> None:
    for row in chain.from_iterable(TABLES.values()):
        assert (
            f"| {row.attribute} | {row.tag} {row.indicators.replace(' ', '_')} ${row.code}" in TEXT
        ), row


def test_formats_and_targets_are_named() -> None:
    assert all(name in TEXT for name in FORMATS)
    assert all(scheme.split("+")[0] in TEXT for scheme in TARGETS if scheme != "file")
    assert f"at most {MAX_DEPTH} levels" in TEXT


def test_documented_example_equals_the_output() -> None:
    assert (DOCS / "example-package.md").read_text() == document()
