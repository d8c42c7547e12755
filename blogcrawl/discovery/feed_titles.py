"""Titles of entries, less the blog's own name where a feed writes it to all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from blogcrawl.core.records import FeedEntry
from blogcrawl.text.visible import squeeze

_BREAK = re.compile(r"\s{1,20}[|–—·•»«>:~/-]{1,80}\s{1,20}|(?<=\S):\s{1,20}")
"""What stands between a post's title and its blog's name."""
SEVERAL = 2
"""Entries that must have it: one alone may be called so."""


def without_site_name(entries: Sequence[FeedEntry], title: str | None) -> tuple[FeedEntry, ...]:
    """The entries, their titles cut where all of them end with the feed's ``title`` or a part of it
    ("A walk - My blog" of the feed "My blog - notes"), or begin with all of it: a part may be a
    category's name there, which belongs to the titles."""
    known = [entry.title for entry in entries if entry.title]
    whole = squeeze(title or "").casefold()
    if len(known) < SEVERAL or not whole:
        return tuple(entries)
    parts = {squeeze(part).casefold() for part in _BREAK.split(title or "")} - {""}
    for is_last, named in ((True, {whole, *parts}), (False, {whole})):
        cuts = [_cut(title, is_last, named) for title in known]
        if all(cuts):
            own = dict(zip(known, cuts, strict=True))
            return tuple(
                replace(entry, title=own[entry.title]) if entry.title else entry
                for entry in entries
            )
    return tuple(entries)


def _cut(title: str, is_last: bool, named: set[str]) -> str:
    """The title without the blog's name at its end or beginning; empty where it is not there, or
    nothing else is.
    """
    breaks = list(_BREAK.finditer(title))
    for found in breaks if is_last else breaks[::-1]:  # the longest name
        own, name = title[: found.start()], title[found.end() :]
        if not is_last:
            own, name = name, own
        if squeeze(name).casefold() in named:
            return own.strip()
    return ""
