"""Regular expressions take time that grows with their input, not faster: hostile strings are made
of each pattern's own repeats.
"""

from __future__ import annotations

import pytest

from tests import regexes

BOUNDED = {
    "blogcrawl.dates.machine_date._ISO": 80,
    "blogcrawl.lexicon.comment_words._LABEL_WORDS": 60,
    "blogcrawl.discovery.full_text._BOILER": 2_000,
    "blogcrawl.discovery.feed_text._NAME_THEN_MAIL": 2_000,
    "blogcrawl.extraction.fields.blog_owner._FOOT": 600,
    "blogcrawl.crawling.pipelines.srcset._CANDIDATE": 8_192,
    "blogcrawl.crawling.middlewares.retry.WHOLE": 4_000,
    "blogcrawl.discovery.blog_record._CREDIT": 200,
    "blogcrawl.extraction.content.edges._TITLE_LABEL": 400,
}
"""Patterns that are given so many characters at most, and may take more than linear time over
those.
"""
ANCHORED = {
    "blogcrawl.packaging.sniff._HTML",
    *(f"blogcrawl.web.site.{name}" for name in ("_PAGE", "_LIST_PAGE", "_SEARCH_PART")),
}
"""Only tried at the beginning of a text, by a function that has them as an argument."""
ENDED_CRAWLS = (
    "SAYS_WORDS",
    "_HANDLE",
    "_SOLAR_NAMED",
    "COUNT",
    "author_lines._BY",
    "sniff._SVG",
    "_SENTENCE",
    "_PLAIN_WORD",
    "_COUNTED",
)
"""Once cubic or worse."""


def faults(used: regexes.Used) -> str:
    known = regexes.Used(used.where, used.pattern, used.searched and used.where not in ANCHORED)
    found = regexes.hostile(known, BOUNDED.get(used.where, regexes.LONGEST))
    return f"{used.where}: {found[0]:.1f} times the time for twice of {found[1]}" if found else ""


@pytest.mark.parametrize("name", ENDED_CRAWLS)
def test_known_slow_expressions_are_linear(name: str) -> None:
    some = [used for used in regexes.patterns() if used.where.endswith(name)]
    assert some
    assert [fault for fault in map(faults, some) if fault] == []


@pytest.mark.slow
def test_every_regular_expression_is_linear_or_bounded() -> None:
    assert [fault for fault in map(faults, regexes.patterns()) if fault] == []


def test_regex_check_finds_quadratic_expressions() -> None:
    import re

    for text in (
        r"<!--\s*(?:posted)\b\s*(?:on)?\s*(.{6,120}?)\s*-->",
        r"(?:\w+\s?)+!",
        r"\s+$",
        r"a*b",
    ):
        assert regexes.hostile(regexes.Used("x", re.compile(text), True)), text
