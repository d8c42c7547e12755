"""Addresses that count on: ``/page/2/``, ``?start=10``. Pure."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[0-9]{1,9}")
SECOND = 2
"""Number of the page behind the first, whose address has none, where pages are counted; where
posts are, it is as many as a page has."""
_ADDED_TO_NAME = re.compile(r"(?:[-_]|(?<![0-9]))[0-9]{1,4}")
"""What the name of a file has before its ending: ``maps2.html`` behind ``maps.html``."""


def next_in_series(before: str, url: str) -> str | None:
    """Return the address behind ``url``, to which ``before`` leads on; None where these two are not
    of one series that counts up."""
    numbers = list(_NUMBER.finditer(url))
    for number in numbers:
        first = _in_place_of(number, before)
        if first is not None and first < int(number[0]):
            return _counted_on(number, int(number[0]) - first)
    if len(numbers) != len(_NUMBER.findall(before)) + 1:
        return None
    value = int(numbers[-1][0])
    return _counted_on(numbers[-1], 1 if value == SECOND else value) if value else None


def is_second(url: str, first: str) -> bool:
    """Return whether an address is that of the first page with a number added, be it to the name
    of a file."""
    is_added = len(url) > len(first) and url.startswith(first.rstrip("/"))
    return (is_added or _is_added_to_name(url, first)) and next_in_series(first, url) is not None


def _is_added_to_name(url: str, first: str) -> bool:
    stem, dot, ending = first.rpartition(".")
    added = _ADDED_TO_NAME.match(url, len(stem)) if "/" not in ending else None
    return added is not None and url == f"{stem}{added[0]}{dot}{ending}"


def _in_place_of(number: re.Match[str], other: str) -> int | None:
    """Return the number that another address has in the place of this one, and is alike besides."""
    head, tail = number.string[: number.start()], number.string[number.end() :]
    place = other[len(head) : len(other) - len(tail)]
    is_alike = other.startswith(head) and other.endswith(tail)
    return int(place) if is_alike and _NUMBER.fullmatch(place) else None


def _counted_on(number: re.Match[str], step: int) -> str:
    url, value = number.string, str(int(number[0]) + step).zfill(len(number[0]))
    return f"{url[: number.start()]}{value}{url[number.end() :]}"
