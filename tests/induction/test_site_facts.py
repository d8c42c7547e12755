"""What was learned of a whole blog: typed, merged by group."""

from __future__ import annotations

from msgspec import to_builtins

from blogcrawl.induction.site_facts import (
    DateFacts,
    SiteFacts,
    TagFacts,
    TitleFacts,
)


def test_facts_that_were_not_learned_are_not_written() -> None:
    assert to_builtins(SiteFacts()) == {"titles": {}, "authors": {}, "dates": {}}


def test_merged_facts_keep_values_the_other_lacks() -> None:
    mine = SiteFacts(
        titles=TitleFacts(common=["home"]), dates=DateFacts(zones=("+01:00",)), unread=2
    )
    other = SiteFacts(dates=DateFacts(url_day=1.0, zones=("+02:00",)), tags=TagFacts(source="a"))
    assert mine.merged(other) == SiteFacts(
        titles=TitleFacts(common=["home"]),
        dates=DateFacts(url_day=1.0, zones=("+02:00",)),
        tags=TagFacts(source="a"),
        unread=2,
    )
