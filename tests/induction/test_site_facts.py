"""What was learned of a whole blog: typed, merged by group, read from rows of older versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blogcrawl.extraction.model import BlogModel
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.site_facts import (
    AuthorFacts,
    DateFacts,
    SiteFacts,
    TagFacts,
    TitleFacts,
    grouped,
)

STORED = Path(__file__).parents[1] / "fixtures" / "models" / "format_1.json"
"""A model as the version before facts were typed wrote it into the state."""


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


def test_every_constant_of_format_1_has_its_place() -> None:
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
    assert RuleSet.from_json({"facts": facts}).facts == SiteFacts(
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
    assert RuleSet.from_json({"format": 1}).facts.tags is None
    assert RuleSet.from_json({"format": 1, "constants": {"unread": 0}}).facts.tags == TagFacts()


def test_wrong_data_are_an_error() -> None:
    with pytest.raises(ValueError, match="authors"):
        RuleSet.from_json({"facts": {"authors": ["Ann"]}})


def test_facts_that_were_not_learned_are_not_written() -> None:
    assert RuleSet().to_json()["facts"] == {"titles": {}, "authors": {}, "dates": {}}


def test_merged_facts_keep_what_the_other_did_not_learn() -> None:
    mine = SiteFacts(titles=TitleFacts(common=["home"]), dates=DateFacts(utc_offset=60), unread=2)
    other = SiteFacts(dates=DateFacts(url_day=1.0, utc_offset=120), tags=TagFacts(source="a"))
    assert mine.merged(other) == SiteFacts(
        titles=TitleFacts(common=["home"]),
        dates=DateFacts(url_day=1.0, utc_offset=120),
        tags=TagFacts(source="a"),
        unread=2,
    )
