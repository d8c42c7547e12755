"""The two roles of extraction. Every method is one class that plays both (or only the second).

Where the learned part lies: ``learn`` returns a RuleSet in which only ``methods[name]`` is filled
(plain JSON: str, int, float, bool, None, list, dict), or None when nothing could be learned. The
chain merges the sets of all methods into one and gives that to ``extract``; a method reads its own
slot by ``ruleset.slot(self.name)``. ``extract`` works without a slot too (``ruleset`` None or slot
missing) where the method can, else it returns None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields
from blogcrawl.induction.ruleset import RuleSet, Sample


@runtime_checkable
class Learner(Protocol):
    """Learns from pages and what is known of them. Pure: the order of the samples does not
    matter."""

    name: str

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        """Return what was learned, in ``RuleSet.methods[name]``; None: nothing. Never raises on odd
        pages.
        """
        ...


@runtime_checkable
class Extractor(Protocol):
    """Says what the fields of a page are, each candidate with method, confidence and rule."""

    name: str

    def extract(self, page: Page, ruleset: RuleSet | None) -> Fields | None:
        """Return candidates by field, best first; None: this method has nothing to say. Must not
        change ``page.tree``.
        """
        ...


@runtime_checkable
class Recogniser(Protocol):
    """An extractor that can also judge whether a page is a post."""

    def recognise(self, page: Page, ruleset: RuleSet) -> float | None:
        """Return probability (0 to 1) that the page is a post; None: nothing was learned to judge
        by."""
        ...


@runtime_checkable
class Supplement(Protocol):
    """An extractor for which some fields are dear: it can leave out the content and what else is
    known.
    """

    def supplement(self, page: Page, ruleset: RuleSet | None, have: Sequence[str]) -> Fields | None:
        """Return candidates of the fields that are neither the content nor in ``have``, and others
        that cost nothing; None: nothing to say.
        """
        ...
