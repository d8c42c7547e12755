"""Models of blogs in the state: written and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blogcrawl.extraction.corrections import Corrections
from blogcrawl.extraction.model import BlogModel, Generation
from blogcrawl.extraction.pages.listing import Places
from blogcrawl.induction.fingerprint import Marks
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.urls.post_pattern import PostPattern


def test_model_survives_json() -> None:
    """But neither what the crawl knows of lists, nor the operator's corrections, whose rows are
    read with the model."""
    posts = [f"http://b.example/2012/03/{name}" for name in ("a-b", "c-d", "e-f-g")]
    model = BlogModel(
        pattern=PostPattern.learn(posts, ["http://b.example/tag/x"]),
        marks=Marks(posts=("body.single",)),
        places=Places(menu=["http://b.example/about"]),
        facts={posts[0]: ["A", None]},
        generations=[Generation(("body.old",), RuleSet(language="de"))],
        recent=[1, 0],
    )
    stored = json.dumps(model.to_json())
    assert BlogModel.from_json(json.loads(stored)) == model
    model.places.among.add(posts[0])
    model.corrections = Corrections([("*/about", False)])
    assert json.dumps(model.to_json()) == stored


def test_invalid_stored_model_is_an_error() -> None:
    with pytest.raises(ValueError, match="authors"):
        BlogModel.from_json({"format": 3, "ruleset": {"facts": {"authors": ["Ann"]}}})


def test_model_of_the_format_before_keeps_the_offsets_of_its_clocks() -> None:
    def ruleset(dates: dict[str, Any]) -> dict[str, Any]:
        return {"language": "de", "facts": {"dates": dates}}

    old = {"labels": ["body.old"], "ruleset": ruleset({"utc_offset": -90})}
    stored = {"format": 2, "ruleset": ruleset({"utc_offset": 120}), "generations": [old]}
    model = BlogModel.from_json(stored)
    assert model.ruleset.facts.dates.zones == ("+02:00",)
    assert [each.ruleset.facts.dates.zones for each in model.generations] == [("-01:30",)]
    assert BlogModel.from_json({"format": 2}).ruleset.facts.dates.zones == ()
    assert stored["ruleset"] == ruleset({"utc_offset": 120})


@pytest.mark.parametrize("stored", [{"format": 99}, {"format": 1, "ruleset": {}}, {}])
def test_another_format_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="this version reads 3"):
        BlogModel.from_json(stored)
