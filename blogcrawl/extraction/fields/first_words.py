"""Titles that feeds make of the first words of posts that have none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import OMITTED
from blogcrawl.text.similarity import fold

MOST, SEVERAL = 0.8, 3
"""Share of the entries, and number of them, whose titles must be so."""
BEGINNING = 3000
"""Characters of a text, tags and all, in which its first words stand."""
_TAG = re.compile(r"<[^<>]*>")
SHORTEST = 8
"""Characters of a title that may be first words: a shorter one stands there by chance."""


def unheaded(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples, without titles where those of most are the first words of the text: no
    page shows them as headings.
    """
    titled = [
        s for s in samples if s.entry.title and (s.entry.content_html or s.entry.summary_html)
    ]
    if len(titled) < SEVERAL or not (is_begun(titled[0].entry) or is_begun(titled[-1].entry)):
        return list(samples)
    if sum(is_begun(s.entry) for s in titled) < MOST * len(titled):
        return list(samples)
    return [replace(s, entry=replace(s.entry, title=None)) for s in samples]


def is_begun(entry: FeedEntry) -> bool:
    """Return whether the title is but the beginning of the text, and no heading or bold line
    there."""
    title = OMITTED.sub("", fold(entry.title)).casefold()
    pieces = [
        fold(unescape(piece)).casefold()
        for piece in _TAG.split((entry.content_html or entry.summary_html or "")[:BEGINNING])
    ]
    pieces = [piece for piece in pieces if piece]
    return (
        len(title) >= SHORTEST
        and bool(pieces)
        and pieces[0] != title
        and " ".join(pieces).startswith(title)
    )
