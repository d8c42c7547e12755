"""Title and body by two support vector machines with Gaussian kernel (blog-pages-extractor-svm).

The trained machines are plain arrays in ``models/*.npz``; numpy alone evaluates them.
``training/svm.py`` trains them. There are two pairs: one for rendered pages (with rectangles), one
for pages without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from blogcrawl.contrib.svm_features import (
    Candidates,
    body_candidates,
    boxes_by_number,
    title_candidates,
)
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.text.visible import node_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

MODEL = "models/svm.npz"
NAMES = ("title", "body", "title_boxes", "body_boxes")
ARRAYS = ("vectors", "weights", "mean", "scale", "gamma", "offset")
CLIP = 3.0
"""Standard deviations: beyond them a Gaussian kernel has seen nothing and would answer with its
offset.
"""
NEARLY = -1.0
"""Decision value of a body between two titles: there must be one, so the margin on the wrong side
will do.
"""
TITLES = 0.45
"""Confidence in a title well inside: a page's only heading of the first order is right more
often."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One trained machine: f(x) = sum of weights * exp(-gamma * |z - vector|^2) + offset, z = (x -
    mean) / scale.
    """

    vectors: Array
    weights: Array
    mean: Array
    scale: Array
    gamma: float
    offset: float

    def decide(self, rows: list[list[float]]) -> list[float]:
        """Return decision values, positive for the class; empty for no rows."""
        if not rows:
            return []
        import numpy as np

        z = np.clip((np.asarray(rows, dtype=np.float32) - self.mean) / self.scale, -CLIP, CLIP)
        squared = (
            (z**2).sum(1)[:, None] + (self.vectors**2).sum(1)[None, :] - 2 * z @ self.vectors.T
        )
        values: list[float] = (
            np.exp(-self.gamma * np.maximum(squared, 0)) @ self.weights + self.offset
        ).tolist()
        return values


@cache
def machines() -> dict[str, Machine]:
    """Return the shipped machines by name; raises FileNotFoundError where the model file is missing
    from the installation.
    """
    import numpy as np

    with (
        (files("blogcrawl.contrib") / MODEL).open("rb") as stream,
        np.load(stream, allow_pickle=False) as data,
    ):
        return of_arrays(data)


def of_arrays(arrays: Mapping[str, Any]) -> dict[str, Machine]:
    """Return the machines of a model file by name."""
    out = {}
    for name in NAMES:
        if f"{name}_vectors" in arrays:
            vectors, weights, mean, scale, gamma, offset = (
                arrays[f"{name}_{array}"] for array in ARRAYS
            )
            out[name] = Machine(
                vectors.astype("f4"), weights.astype("f4"), mean, scale, float(gamma), float(offset)
            )
    return out


@dataclass(frozen=True, slots=True)
class Found:
    """Element numbers with decision values, best first."""

    titles: list[tuple[int, float]]
    bodies: list[tuple[int, float]]


def classify(page: Page, trained: Mapping[str, Machine] | None = None) -> Found:
    """Return title candidates with their decision values, and the bodies judged relative to the
    best titles. ``trained``: machines to ask instead of the shipped ones."""
    trained = trained or machines()
    blocks = blocks_of(page)
    boxes = boxes_by_number(page, blocks)
    suffix = "_boxes" if boxes is not None and "title_boxes" in trained else ""
    boxes = boxes if suffix else None
    titles = _judged(title_candidates(page, boxes), trained[f"title{suffix}"])
    chosen = sorted(number for number, value in titles if value > 0) or [
        number for number, _value in titles[:1]
    ]
    bodies = _judged(body_candidates(page, boxes, chosen), trained[f"body{suffix}"])
    return Found(titles, bodies)


def _judged(candidates: Candidates, machine: Machine) -> list[tuple[int, float]]:
    values = machine.decide(candidates.rows)
    return sorted(
        zip(candidates.numbers, values, strict=True), key=lambda item: (-item[1], item[0])
    )


def _sure(value: float, most: float = 0.6) -> float:
    """Return a decision value as confidence: ``most`` well inside; nine bodies of ten are right
    there, no more.
    """
    return round(0.2 + (most - 0.2) / (1 + math.exp(-1.5 * value)), 3)


class SvmExtractor:
    """Needs no blog to have been learned: the machines are trained beforehand on made-up blogs."""

    name = "svm"

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """Return the best title and the best body of the page."""
        found = classify(page)
        blocks = blocks_of(page)
        fields: Fields = {}
        if found.titles:
            number, value = found.titles[0]
            fields["title"] = [
                FieldValue(
                    value=node_text(blocks.elements[number]),
                    method=self.name,
                    confidence=_sure(value, TITLES),
                    rule="svm title",
                )
            ]
        if found.bodies:
            number, value = found.bodies[0]
            fields["content"] = [
                FieldValue(
                    value=blocks.elements[number],
                    method=self.name,
                    confidence=_sure(value),
                    rule="svm body",
                )
            ]
        return fields or None
