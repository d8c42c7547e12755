"""Titles and days of posts without a feed: what all documents' titles begin with, and the number
in an address that is no day.
"""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.extraction.model import learn_blog
from blogcrawl.induction.ruleset import Sample

WORDS = ("harbour", "lantern", "kettle", "orchard", "river", "bread", "signal", "copper")


def _page(n: int, head: str, day: str) -> Page:
    text = " ".join(f"The {WORDS[n]} of day {n} and the {word} of the street." for word in WORDS)
    html = (
        f"<html><head><title>{head}</title></head><body><div id=top><b>Slow Street</b></div>"
        f"<div class=entry><p class=date>{day}</p><p>{text}</p><p>{text}</p></div></body></html>"
    )
    return Page(url=f"http://b.example/2015/0{n + 1}/2{n}-{WORDS[n]}/", body=html.encode())


def _samples() -> list[Sample]:
    pages = [
        _page(n, f"Slow Street: The {WORDS[n]} of {WORDS[n - 1]}", f"2015-0{n + 1}-0{n + 1}")
        for n in range(8)
    ]
    return [Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages]


def test_site_name_before_the_title_is_learned_as_prefix() -> None:
    rules = learn_blog(_samples()).ruleset.rules["title"]
    assert (rules[0].xpath, rules[0].prefix) == ("//title", "Slow Street: ")


def test_date_line_trains_if_the_url_number_is_no_date() -> None:
    model = learn_blog(_samples())
    assert model.ruleset.facts.dates.url_day == 0
    assert model.ruleset.rules["published"][0].support_right == 8
