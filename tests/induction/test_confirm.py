"""Three or five pages are read, the others only tried: what that must not lose."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.induction.confirm import FEW, FIRST
from blogcrawl.induction.induce import MAX_SAMPLES, MORE, learn_rules
from blogcrawl.induction.learn import spread
from blogcrawl.induction.pageindex import _words_of
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.similarity import tokens
from tests.induction.themes import entry_of, generate


def samples(theme: str, feed: str = "full") -> list[Sample]:
    blog = generate(theme, feed=feed, posts=25)
    return [*blog.samples, *(Sample(page=page, entry=entry_of(truth, feed)) for page, truth in blog.rest)][:MAX_SAMPLES]


@given(st.lists(st.integers(), max_size=40))
def test_spread_takes_first_and_last_and_keeps_the_order(items: list[int]) -> None:
    some = spread(items, FIRST)
    assert len(some) == (len(items) if len(items) <= FIRST + 1 else FIRST)
    assert some[:1] == items[:1] and some[-1:] == items[-1:]


@given(st.lists(st.text(max_size=12).map(lambda text: text.replace("\x00", "")), max_size=12))
def test_words_read_in_one_go_are_those_of_the_pieces(pieces: list[str]) -> None:
    words, starts = _words_of(pieces)
    assert words == [word for piece in pieces for word in tokens(piece)] or any(not piece.isascii() for piece in pieces)
    assert len(starts) == len(pieces) + 1 and starts == sorted(starts) and starts[-1] == len(words)


def test_pages_that_are_alike_are_not_read_but_counted() -> None:
    rules = learn_rules(samples("numbered"))
    assert rules is not None and rules.constants["unread"] == MAX_SAMPLES - FEW
    best = rules.rules["content"][0]
    assert (best.support_right, best.support_tried) == (MAX_SAMPLES, MAX_SAMPLES) and best.mean_score > 0.95


@pytest.mark.parametrize("feed", ["excerpt", "titles"])
def test_feeds_without_whole_posts_have_more_pages_read(feed: str) -> None:
    rules = learn_rules(samples("numbered", feed))
    assert rules is not None and rules.constants["unread"] == MAX_SAMPLES - MORE
    best = rules.rules["content"][0]
    assert best.support_right > 0.9 * best.support_tried


def test_rules_that_err_on_the_pages_read_make_no_other_page_odd() -> None:
    """A date that no page tells right: whatever rule comes of it, the other pages tell nothing new by being wrong too."""
    known = sorted(samples("numbered"), key=lambda s: s.page.url)
    shifted = [replace(s, entry=replace(s.entry, published=known[n - 7].entry.published, published_raw=None)) for n, s in enumerate(known)]
    rules = learn_rules(shifted)
    assert rules is not None and rules.constants["unread"] == MAX_SAMPLES - FIRST


def test_a_template_that_only_unread_pages_have_is_read_after_all() -> None:
    known = sorted(samples("numbered"), key=lambda s: s.page.url)
    other = samples("utility")
    places = [n for n in range(MAX_SAMPLES) if known[n] not in spread(known, FEW)][:3]
    for n, strange in zip(places, other, strict=False):
        page = replace(strange.page, url=known[n].page.url)
        known[n] = Sample(page=page, entry=replace(strange.entry, url=page.url))
    rules = learn_rules(known)
    assert rules is not None and rules.constants["unread"] == MAX_SAMPLES - FEW - 3
    assert any("px-4" in rule.xpath or "flex" in rule.xpath for rule in rules.rules["content"])
