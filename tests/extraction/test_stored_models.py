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


@pytest.mark.parametrize("stored", [{"format": 99}, {"format": 2, "ruleset": {}}, {}])
def test_another_format_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="this version reads 3"):
        BlogModel.from_json(stored)
