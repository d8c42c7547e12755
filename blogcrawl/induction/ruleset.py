"""What has been learned of a blog: rules with their support, and one slot of learned data per
method.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from msgspec import Struct

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.site_facts import SiteFacts

Json = Any


FOUND = "page"
"""Source of an entry whose text is what methods found on the page."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A page and what the feed (or another source) says about it.

    ``entry`` is a target, not truth: any field may be missing, cut, re-encoded or wrong.
    """

    page: Page
    entry: FeedEntry


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    """One XPath for one field.

    ``xpath`` selects elements (never strings); ``attribute`` names the attribute whose value is
    meant (``datetime``, ``content``, ``title``), None for the element's text. ``many`` takes all
    nodes, else the first one that is not empty. ``prefix``/``suffix`` are cut off the value (site
    name in titles, "Posted on" before dates). ``pattern`` is the date pattern that won.
    ``support_right`` of ``support_tried`` sample pages came out right, with mean score
    ``mean_score`` (0..1) over the tried ones. ``is_line``: what it drops from the content is no
    more than a line of text on each of them.
    """

    field: str
    xpath: str
    attribute: str | None = None
    many: bool = False
    prefix: str = ""
    suffix: str = ""
    pattern: str | None = None
    support_right: int = 0
    support_tried: int = 0
    mean_score: float = 0.0
    is_line: bool = False

    @cached_property
    def support(self) -> float:
        """Share of tried pages that came out right, with one page of doubt (rule of succession):
        0..1.
        """
        return (self.support_right + 1) / (self.support_tried + 2) if self.support_tried else 0.0

    @cached_property
    def confidence(self) -> float:
        """In a value that it gives: 0..1."""
        return round(self.support * max(0.5, self.mean_score), 3)

    @cached_property
    def expression(self) -> str:
        """Return the rule as explanations and records write it."""
        return f"{self.xpath}/@{self.attribute}" if self.attribute else self.xpath


@dataclass(kw_only=True)
class RuleSet:
    """A blog's rules by field, best first, and the learned part of every other method.

    ``methods[name]`` is plain JSON that only the method called ``name`` writes and reads. ``facts``
    holds what holds for the whole blog (an author named only in the feed).
    """

    rules: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    methods: dict[str, Json] = field(default_factory=dict)
    facts: SiteFacts = field(default_factory=SiteFacts)
    language: str | None = None
    samples: int = 0

    def slot(self, name: str) -> Json:
        """Return the learned data of method ``name``; None where it learned nothing."""
        return self.methods.get(name)

    @property
    def is_clear(self) -> bool:
        """Whether a rule for the content was right on every page tried, of several."""
        return any(
            rule.support_right == rule.support_tried >= SEVERAL
            for rule in self.rules.get("content", ())
        )

    def merged(self, other: RuleSet | None) -> RuleSet:
        """This set with what ``other`` knows besides; ``other`` wins where both say something."""
        if other is None:
            return self
        return replace(
            self,
            rules={**self.rules, **other.rules},
            methods={**self.methods, **other.methods},
            facts=self.facts.merged(other.facts),
            language=other.language or self.language,
            samples=max(self.samples, other.samples),
        )
