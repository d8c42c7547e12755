"""Dates of comments without a year ("3 May, 10:11"): the first such day that is not before the
post's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import chain

from blogcrawl.comments.unit import DateCandidate, Reader
from blogcrawl.core.evidence import MAJORITY
from blogcrawl.dates.parse import DateMatch
from blogcrawl.dates.relative import find_yearless
from blogcrawl.lexicon.comment_words import BY_WORDS
from blogcrawl.text.lengths import MAX_BYLINE, MAX_WORDS
from blogcrawl.text.visible import squeeze

SCORE = 2.0


def date_without_year(
    readers: Sequence[Reader], published: datetime | None, language: str | None
) -> None:
    """Adds such dates to the readers' candidates, where no reader has another and the post's day is
    known.
    """
    if published is None or any(reader.dates for reader in readers):
        return
    found = [_candidates(reader, published, language) for reader in readers]
    votes = Counter(chain.from_iterable(found))
    best = max(votes, key=lambda path: (votes[path], path.count(">")), default="")
    if votes[best] < MAJORITY * len(readers):
        return
    for reader, own in zip(readers, found, strict=True):
        if best in own:
            reader.dates[best] = own[best]


def _candidates(
    reader: Reader, published: datetime, language: str | None
) -> dict[str, DateCandidate]:
    own: dict[str, DateCandidate] = {}
    for element, path, _ in reader.nodes:
        text = reader.texts.of(element)
        if path in own or not 4 <= len(text) <= MAX_BYLINE:
            continue
        reading = read_without_year(text, published, language)
        if reading is not None:
            own[path] = DateCandidate(SCORE + reading.has_time, element, reading, text)
    return own


def read_without_year(text: str, published: datetime, language: str | None) -> DateMatch | None:
    """Return the day and hour that a short text means; None where it means none, or says more."""
    limit = published.replace(tzinfo=None) - timedelta(days=1)
    for year in (published.year, published.year + 1):
        found = find_yearless(text, language, date(year, 1, 1))
        rest = f"{text[: found.span[0]]} {text[found.span[1] :]}" if found is not None else ""
        words = re.findall(r"\w+", BY_WORDS.sub("", squeeze(rest), count=1))
        if found is None or len(words) > MAX_WORDS or any(c.isdigit() for c in rest):
            return None
        if any(found.pick(first).replace(tzinfo=None) >= limit for first in (True, False)):
            return found
    return None
