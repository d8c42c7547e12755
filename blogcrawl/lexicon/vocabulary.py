"""Word lists of ``data/*.toml``: read once, when a module first needs them, also from a zipped egg.

A list is a string of entries with blanks between them, an array of entries (phrases), or a table
that holds such lists by language or by kind. Entries are plain words or fragments of regular
expressions, as the comment at the list says; in fragments a blank is written ``\\s``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias

Words: TypeAlias = "str | list[str] | Mapping[str, Words]"


@cache
def vocabulary(name: str) -> Mapping[str, Words]:
    """Return the lists of ``data/NAME.toml``."""
    return tomllib.loads(files(__package__).joinpath("data", f"{name}.toml").read_text("utf-8"))


def entries(name: str, *lists: str) -> tuple[str, ...]:
    """Return the entries of one or more lists of a file, each once, in the order of the file.

    A dotted name ("by.en") means a list within a table. Raises KeyError if there is none.
    """
    return tuple(dict.fromkeys(entry for path in lists for entry in _flat(_list(name, path))))


def any_of(name: str, *lists: str) -> str:
    """Return the lists' entries as alternatives of a regular expression, without a group."""
    return "|".join(entries(name, *lists))


def word_set(name: str, *lists: str) -> frozenset[str]:
    """Return the lists' entries as a set."""
    return frozenset(entries(name, *lists))


def by_kind(name: str, table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the lists of a table by their keys."""
    found = _list(name, table)
    if not isinstance(found, Mapping):
        raise KeyError(f"{table} of {name}.toml is not a table")
    return {kind: tuple(_flat(words)) for kind, words in found.items()}


def _list(name: str, path: str) -> Words:
    found: Words = vocabulary(name)
    for key in path.split("."):
        if not isinstance(found, Mapping):
            raise KeyError(path)
        found = found[key]
    return found


def _flat(words: Words) -> Iterator[str]:
    if isinstance(words, str):
        yield from words.split()
    elif isinstance(words, Mapping):
        for part in words.values():
            yield from _flat(part)
    else:
        yield from words
