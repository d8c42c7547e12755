"""Texts that are a date or a time of day and nothing else, as stand above the posts of a day."""

from __future__ import annotations

import re

from blogcrawl.dates.parse import find_date

LONGEST_MOMENT = 60
_MARKS = " .,:;|-–—·•[]()"
"""What may stand around a date or time that is alone in its element."""
_TIME = re.compile(r"\d{1,2}\s?[:h.]\s?\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?", re.I)


def is_moment(text: str, language: str | None = None) -> bool:
    """Return whether a short text is a date or a time of day and nothing else."""
    bare = text.strip(_MARKS)
    if not bare or len(bare) > LONGEST_MOMENT or not any(map(str.isdigit, bare)):
        return False
    if _TIME.fullmatch(bare):
        return True
    when = find_date(bare, language)
    return when is not None and when.span == (0, len(bare))
