"""E-mCST (extended-content-structure-tree): the main block by damped text importance, and markers
per site.

A node's importance is the text it holds and its children's importance, damped by its depth and by
how many children it has (equation 3 of the paper). Over the pages of one site the roots of the main
blocks vote for markers (``tag|attribute|value``); the two most frequent find the block on later
pages, plain mCST is the fall-back. Two mends of the paper: text of links and of parts that name
themselves comments or navigation weighs nothing, and where a feed gives the text, a page's vote
weighs as much as its block resembles that text.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.similarity import dice
from blogcrawl.text.visible import node_text

ATTRIBUTES = ("id", "class", "itemprop", "role")
KEEPS = 0.85
"""Share of the outer element's text that an unnamed block must hold to be called by the outer one's
marker.
"""
MAX_MARKERS = 2
"""The paper's primary and secondary marker."""
_DIGITS = re.compile(r"\d{2,}")
LIKE_FEED = 0.5
"""Dice from which a page's block may vote at full weight."""


@lru_cache(maxsize=4096)
def attenuation(depth: int, children: int) -> float:
    """Return equation 3: 1/log10(D + 10) * 1/log10(10 + C)."""
    return 1.0 / (math.log10(depth + 10) * math.log10(10 + children))


def importance(blocks: Blocks) -> list[float]:
    """Of every element, from the leaves up."""
    out = list(blocks.plain)
    widths = [0] * len(out)
    for i in range(len(out) - 1, -1, -1):
        out[i] *= attenuation(blocks.depth[i], widths[i])
        if i == 0:
            break
        above = blocks.parent[i]
        widths[above] += 1
        if blocks.kind[i] in {"comments", "nav", "related", "hidden", "ad"}:
            continue
        out[above] += out[i]
    return out


def main_block(blocks: Blocks) -> int | None:
    """Number of the most important element; None on a page without text.

    A named ``comments`` is never it, however long: such elements are passed over.
    """
    values = importance(blocks)
    skip_to = 0
    best: int | None = None
    for i, value in enumerate(values):
        if i < skip_to:
            continue
        if i and blocks.kind[i] in {"comments", "nav", "related", "hidden", "ad"}:
            skip_to = blocks.end[i]
            continue
        if value > 0 and (best is None or value > values[best]):
            best = i
    return best


def markers_of(blocks: Blocks, number: int) -> list[str]:
    """Return markers by which this block, or an unmarked block's wrapper, is called; only those
    that are unique on the page.
    """
    i = number
    while i > 0:
        found = [
            marker
            for marker in _named(blocks.elements[i], blocks.tags[i])
            if _matches(blocks, marker) == [i]
        ]
        if found:
            return found
        above = blocks.parent[i]
        if blocks.all_plain[i] < KEEPS * blocks.all_plain[above]:
            return []
        i = above
    return []


def _named(element: HtmlElement, tag: str) -> list[str]:
    out = []
    for name in ATTRIBUTES:
        for value in (
            element.get(name, "").split() if name == "class" else filter(None, [element.get(name)])
        ):
            if not _DIGITS.search(value):  # a number of this page, not of the site
                out.append(f"{tag}|{name}|{value}")
    return out


def _matches(blocks: Blocks, marker: str) -> list[int]:
    tag, name, value = marker.split("|", 2)
    elements = blocks.elements
    return [
        i
        for i, other in enumerate(blocks.tags)
        if other == tag
        and (held := elements[i].get(name))
        and (value in held.split() if name == "class" else held == value)
    ]


class McstExtractor:
    """Learner and extractor; slot: ``{"markers": [[marker, support 0..1], …]}``."""

    name = "mcst"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        """Return the two markers that most pages vote for; None where no block has a unique name on
        two pages.
        """
        votes: dict[str, float] = defaultdict(float)
        pages: dict[str, int] = defaultdict(int)
        for sample in samples:
            blocks = blocks_of(sample.page)
            number = main_block(blocks)
            if number is None:
                continue
            weight = 1.0
            if sample.entry.is_full and sample.entry.content_html:
                alike = dice(
                    node_text(blocks.elements[number]), html_text(sample.entry.content_html)
                )
                weight = 1.0 if alike >= LIKE_FEED else 0.1
            for place, marker in enumerate(markers_of(blocks, number)):
                votes[marker] += weight - 0.01 * place
                pages[marker] += 1
        ranked = sorted(votes, key=lambda marker: (-votes[marker], marker))
        ranked = [marker for marker in ranked if pages[marker] > 1 or len(samples) < 3][
            :MAX_MARKERS
        ]
        if not ranked:
            return None
        markers = [[marker, round(pages[marker] / len(samples), 3)] for marker in ranked]
        return RuleSet(methods={self.name: {"markers": markers}}, samples=len(samples))

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """``content`` by marker where one is learned and unique on the page, else by importance."""
        blocks = blocks_of(page)
        slot = ruleset.slot(self.name) if ruleset is not None else None
        for place, (marker, support) in enumerate((slot or {}).get("markers", [])):
            found = _matches(blocks, marker)
            if len(found) == 1 and blocks.all_plain[found[0]] > 0:
                confidence = (0.5 + 0.3 * support) * (1.0 if place == 0 else 0.85)
                return {"content": [self._value(blocks.elements[found[0]], confidence, marker)]}
        number = main_block(blocks)
        if number is None:
            return None
        return {"content": [self._value(blocks.elements[number], 0.45, "importance")]}

    def _value(self, element: HtmlElement, confidence: float, rule: str) -> FieldValue:
        return FieldValue(
            value=element, method=self.name, confidence=round(confidence, 3), rule=rule
        )
