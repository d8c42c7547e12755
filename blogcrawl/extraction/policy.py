"""A policy for each field, as data: which features make a candidate more or less believable.

A candidate's score is its confidence times the factors of the features that it has; a feature with
a rank puts its candidates before all others. The candidate with the highest score of the highest
rank is the field's value, if it has the least score that the field asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from blogcrawl.core.records import FieldValue

Evidence = TypeVar("Evidence")
GUESS = 0.5
"""Confidence below which a value is a guess: of methods that go by what is usual, of a page read
without rules."""
PROVED = 0.6
"""Confidence from which a value is not doubted: a rule that was right on 5 of 6 posts of the feed
has it, and a heading that confirms a title.
"""


@dataclass(frozen=True)
class Feature(Generic[Evidence]):
    """What may hold for a candidate; ``name`` completes the phrase "the value is …"."""

    name: str
    holds: Callable[[FieldValue, Evidence], bool]
    factor: float = 1.0


@dataclass(frozen=True)
class Precedence(Generic[Evidence]):
    """What puts a candidate before others, by comparing it with the one of the highest score."""

    name: str
    holds: Callable[[FieldValue, FieldValue, Evidence], bool]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate with the confidence that its features leave, and their names."""

    value: FieldValue
    features: tuple[str, ...]
    rank: int = 0


@dataclass(frozen=True)
class Policy(Generic[Evidence]):
    """How the value of one field is chosen."""

    features: tuple[Feature[Evidence], ...]
    precedence: tuple[Precedence[Evidence], ...] = ()
    """Strongest first."""
    least: float = 0.0
    """Score up to which a candidate is no value."""

    def weigh(self, candidates: Iterable[FieldValue], evidence: Evidence) -> list[Weighed]:
        """Return the candidates, best first; those that are no value are left out."""
        scored = [self._scored(candidate, evidence) for candidate in candidates]
        scored = [each for each in scored if each.value.confidence > self.least]
        top = max(scored, key=lambda each: each.value.confidence, default=None)
        if top is None:
            return []
        ranked = [self._ranked(each, top.value, evidence) for each in scored]
        return sorted(ranked, key=lambda each: (-each.rank, -each.value.confidence))

    def _scored(self, candidate: FieldValue, evidence: Evidence) -> Weighed:
        held = [feature for feature in self.features if feature.holds(candidate, evidence)]
        if not held:
            return Weighed(candidate, ())
        score = candidate.confidence
        for feature in held:
            score *= feature.factor
        value = replace(candidate, confidence=min(1.0, score))
        return Weighed(value, tuple(feature.name for feature in held))

    def _ranked(self, each: Weighed, top: FieldValue, evidence: Evidence) -> Weighed:
        for place, first in enumerate(self.precedence):
            if first.holds(each.value, top, evidence):
                names = (*each.features, first.name)
                return Weighed(each.value, names, len(self.precedence) - place)
        return each


def surest(values: Sequence[FieldValue]) -> FieldValue | None:
    """Return the candidate with the highest confidence, None of none."""
    return max(values, key=lambda value: value.confidence, default=None)
