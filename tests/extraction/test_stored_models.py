"""Models of blogs in the state: written and read again, also those of older versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from blogcrawl.extraction.corrections import Corrections
from blogcrawl.extraction.model import BlogModel, Generation
from blogcrawl.extraction.pages.listing import Places
from blogcrawl.extraction.stored_models import grouped
from blogcrawl.induction.fingerprint import Marks
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.site_facts import (
    AuthorFacts,
    DateFacts,
    SiteFacts,
    TagFacts,
    TitleFacts,
)
from blogcrawl.urls.post_pattern import PostPattern

STORED = Path(__file__).parents[1] / "fixtures" / "models" / "format_1.json"
"""A model as the version before facts were typed wrote it into the state."""


def format_1(**parts: Any) -> BlogModel:
    """Return the model that is read of parts in format 1."""
    return BlogModel.from_json({"format": 1, "ruleset": {}, **parts})


def test_a_model_of_format_1_is_read() -> None:
    model = BlogModel.from_json(json.loads(STORED.read_text("utf-8")))
    assert model.ruleset.facts == SiteFacts(
        authors=AuthorFacts(usual=["Ann Lee"]),
        dates=DateFacts(url_day=1.0),
        tags=TagFacts(source="rel=tag", template={"everything": 1}, max_per_post=1),
        returned={"content": 1, "title": 1},
    )
    assert model.ruleset.samples == 8 and model.ruleset.rules["content"][0].support_right == 8
    again = BlogModel.from_json(json.loads(json.dumps(model.to_json())))
    assert again.ruleset == model.ruleset


def test_every_constant_of_format_1_is_mapped() -> None:
    facts = grouped(
        {
            **{"common_titles": ["home"], "headings": ["my blog"]},
            **{"recased": True, "foreign_heads": True, "misnamed": "Blog"},
            **{"authors": ["Ann"], "authors_share": 0.9, "names": ["Ann", "Bo"]},
            **{"url_day": 0.8, "utc_offset": 60, "day_offset": -60},
            **{"tag_source": "rel=tag", "no_tags": {"all": 1}, "more_tags": "p-category"},
            **{"no_more_tags": {"b": 2}, "no_rule_tags": {"c": 3}, "most_tags": 4},
            **{"source_first": True, "unread": 5, "returned": {"title": 1}},
            **{"absent": ["tags"], "useless": {"published": ["generic"]}},
        }
    )
    assert convert(facts, SiteFacts) == SiteFacts(
        titles=TitleFacts(common=["home"], headings=["my blog"], recased=True, foreign_heads=True),
        authors=AuthorFacts(usual=["Ann"], share=0.9, names=["Ann", "Bo"], misnamed="Blog"),
        dates=DateFacts(url_day=0.8, utc_offset=60, day_offset=-60),
        tags=TagFacts(
            source="rel=tag",
            template={"all": 1},
            second="p-category",
            second_template={"b": 2},
            rule_template={"c": 3},
            max_per_post=4,
            source_first=True,
        ),
        unread=5,
        returned={"title": 1},
        absent=["tags"],
        useless={"published": ["generic"]},
    )


def test_a_rule_set_of_format_1_without_constants_has_learned_no_tags() -> None:
    assert format_1(ruleset={"format": 1}).ruleset.facts.tags is None
    assert format_1(ruleset={"constants": {"unread": 0}}).ruleset.facts.tags == TagFacts()


def test_pattern_of_format_1_is_read() -> None:
    """A null segment takes any value; words are counted by their number."""
    shape = {
        **{"posts": 5, "others": 1, "segments": [{"b.example": 5}, None]},
        **{"words": {"2": 4, "3": 1}, "other_words": {"1": 1}, "other_values": {}},
    }
    pattern = format_1(pattern={"version": 1, "posts": 5, "shapes": {"name": shape}}).pattern
    assert pattern is not None
    for url in ("http://b.example/some-words", "http://b.example/so-many-words"):
        assert pattern.score(url) > 0.5 > pattern.score("http://b.example/about")


def test_lists_and_templates_of_format_1_are_read() -> None:
    rules = {"content": [{"field": "content", "xpath": "//main"}]}
    model = format_1(
        places=[{"ul>li": [2, 2]}, {"http://b.example/x": "ul>li"}, ["http://b.example/about"]],
        marks={"posts": ["body.single"], "others": [], "steady": [".menu"]},
        generations=[[["body.old"], {"format": 2, "rules": rules}]],
    )
    assert model.places.listed("http://b.example/x")
    assert model.places.only_in_menu("http://b.example/about")
    assert model.marks == Marks(posts=("body.single",), steady=(".menu",))
    assert model.generations[0].ruleset.rules["content"][0].xpath == "//main"


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
        BlogModel.from_json({"format": 2, "ruleset": {"facts": {"authors": ["Ann"]}}})


def test_newer_format_is_refused() -> None:
    with pytest.raises(ValueError, match="newer"):
        BlogModel.from_json({"format": 99})
