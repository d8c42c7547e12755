"""Queries: words, "phrases", beginnings*, -exclusions. Whatever a user types is a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from blogcrawl.storage.search.documents import pairs
from blogcrawl.text.words import Unit, units

MAX_CLAUSES, MAX_UNITS = 16, 64
"""Of a query; what is beyond is not looked for."""
_CLAUSE = re.compile(
    r"""(?P<minus>-?)(?:["\u201c\u201d\u201e\u00ab\u00bb]
        (?P<phrase>[^"\u201c\u201d\u201e\u00ab\u00bb]*)["\u201c\u201d\u201e\u00ab\u00bb]?
        |(?P<word>[^\s"\u201c\u201d\u201e\u00ab\u00bb]+))(?P<star>\*?)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the index; ``prefix``: any that begins with it."""

    text: str
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """Units that stand next to each other; ``prefix``: the last may go on; ``excluded``: not in
    what is found."""

    units: tuple[Unit, ...]
    prefix: bool = False
    excluded: bool = False

    @property
    def is_word(self) -> bool:
        """Report whether the index alone knows which texts have it."""
        return len(self.words) == 1

    @property
    def words(self) -> list[Term]:
        """The terms of a text that has the clause."""
        found: list[Term] = []
        for run, group in groupby(self.units, key=lambda unit: unit.run):
            some = [unit.text for unit in group]
            if run < 0:
                found += [Term(word) for word in some]
            elif len(some) == 1:
                found.append(Term(some[0], prefix=True))
            else:
                found += [Term(one + two) for one, two in pairwise(some)]
        if self.prefix and self.units[-1].run < 0:
            found[-1] = Term(found[-1].text, prefix=True)
        return found

    @property
    def pairs(self) -> set[int]:
        """The numbers of its pairs of words."""
        whole, found = self.units[:-1] if self.prefix else self.units, set[int]()
        for run, group in groupby(whole, key=lambda unit: unit.run):
            if run < 0:
                found |= pairs(unit.text for unit in group)
        return found


@dataclass(frozen=True, slots=True)
class Query:
    """Clauses that must all be in a post, and those that must not."""

    wanted: tuple[Clause, ...] = ()
    excluded: tuple[Clause, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Report whether the index alone knows what fits."""
        return all(clause.is_word for clause in (*self.wanted, *self.excluded))


def parse(text: str) -> Query:
    """Read a query. Never fails: signs that mean nothing are passed over."""
    clauses = [made for found in _CLAUSE.finditer(text) if (made := _clause(found)) is not None]
    some = clauses[:MAX_CLAUSES]
    return Query(
        tuple(clause for clause in some if not clause.excluded),
        tuple(clause for clause in some if clause.excluded),
    )


def _clause(found: re.Match[str]) -> Clause | None:
    typed = found["phrase"] if found["phrase"] is not None else found["word"]
    made = tuple(units(typed))[:MAX_UNITS]
    if not made:
        return None
    star = bool(found["star"]) or typed.rstrip().endswith("*")
    return Clause(made, prefix=star, excluded=bool(found["minus"]))


def matches(clause: Clause, text: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the clause stands in the units of a text: (first unit, last unit)."""
    wanted, size = [unit.text for unit in clause.units], len(clause.units)
    if clause.prefix and size == 1:
        yield from ((at, at) for at, unit in enumerate(text) if unit.startswith(wanted[0]))
        return
    for at in _all_places(wanted[0], text, len(text) - size + 1):
        end = text[at + size - 1]
        fits = end.startswith(wanted[-1]) if clause.prefix else end == wanted[-1]
        if fits and all(text[at + i] == wanted[i] for i in range(1, size - 1)):
            yield at, at + size - 1


def _all_places(unit: str, text: Sequence[str], end: int) -> Iterator[int]:
    at = -1
    while True:
        try:
            at = text.index(unit, at + 1, max(end, 0))
        except ValueError:
            return
        yield at
