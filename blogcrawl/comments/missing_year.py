"""Dates of comments that another moment completes: without a year ("3 May, 10:11") the first such
day that is not before the post's, and times ago, which count from the page's capture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain

from blogcrawl.comments.unit import DateCandidate, Reader
from blogcrawl.core.evidence import MAJORITY
from blogcrawl.dates.parse import DateMatch
from blogcrawl.dates.relative import find_relative, find_yearless
from blogcrawl.lexicon.comment_words import BY_WORDS
from blogcrawl.text.lengths import MAX_BYLINE, MAX_WORDS
from blogcrawl.text.visible import squeeze

SCORE = 2.0


def date_without_year(
    readers: Sequence[Reader], published: datetime | None, language: str | None
) -> None:
    """Adds such dates to the readers' candidates, where most have no other and the post's day is
    known.
    """
    if published is not None:
        _add(readers, partial(read_without_year, published=published, language=language))


def date_by_time_ago(readers: Sequence[Reader], now: datetime | None, language: str | None) -> None:
    """Adds times ago in the same way; they are days, or approximate months and years."""
    if now is not None:
        _add(readers, partial(read_time_ago, now=now, language=language))


def _add(readers: Sequence[Reader], read: Callable[[str], DateMatch | None]) -> None:
    """Adds dates that stand at the same place in most comments; none where most have another at
    one place: a date that one of them mentions is no sign of that."""
    others = Counter(chain.from_iterable(reader.dates for reader in readers))
    if max(others.values(), default=0) >= MAJORITY * len(readers):
        return
    found = [_candidates(reader, read) for reader in readers]
    votes = Counter(chain.from_iterable(found))
    best = max(votes, key=lambda path: (votes[path], path.count(">")), default="")
    if votes[best] < MAJORITY * len(readers):
        return
    for reader, own in zip(readers, found, strict=True):
        if best in own:
            reader.dates[best] = own[best]


def _candidates(
    reader: Reader, read: Callable[[str], DateMatch | None]
) -> dict[str, DateCandidate]:
    own: dict[str, DateCandidate] = {}
    for element, path, _ in reader.nodes:
        text = reader.texts.of(element)
        if path in own or not 4 <= len(text) <= MAX_BYLINE:
            continue
        reading = read(text)
        if reading is not None:
            own[path] = DateCandidate(SCORE + reading.has_time, element, reading, text)
    return own


def read_without_year(text: str, published: datetime, language: str | None) -> DateMatch | None:
    """Return the day and hour that a short text means; None where it means none, or says more."""
    limit = published.replace(tzinfo=None) - timedelta(days=1)
    for year in (published.year, published.year + 1):
        found = find_yearless(text, language, date(year, 1, 1))
        if found is None or not _is_all(found, text):
            return None
        if any(found.pick(first).replace(tzinfo=None) >= limit for first in (True, False)):
            return found
    return None


def read_time_ago(text: str, now: datetime, language: str | None) -> DateMatch | None:
    """Return the date that follows from a short text that is a time ago, but for a name."""
    found = find_relative(text, now, language)
    return found if found is not None and _is_all(found, text) else None


def _is_all(found: DateMatch, text: str) -> bool:
    """Return whether a text says little else than the date in it."""
    rest = f"{text[: found.span[0]]} {text[found.span[1] :]}"
    words = re.findall(r"\w+", BY_WORDS.sub("", squeeze(rest), count=1))
    return len(words) <= MAX_WORDS and not any(word[0].isdigit() for word in words)
