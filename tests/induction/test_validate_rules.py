"""Two or five pages are read, the others only tried: what that must not lose."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.evidence import MORE_PAGES
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dom.index import _words_of, is_read
from blogcrawl.induction import induce
from blogcrawl.induction import title_rules as fields
from blogcrawl.induction.gc_pause import still
from blogcrawl.induction.induce import MAX_SAMPLES, learn_rules
from blogcrawl.induction.learn import Prepared, spread
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.induction.scoring import html_pieces, html_text, seen_text
from blogcrawl.induction.validate_rules import FEW, FIRST, Trials
from blogcrawl.text.similarity import tokens
from tests.induction.themes import Truth, entry_of, frame, generate, paragraphs, truth


def samples(theme: str, feed: str = "full") -> list[Sample]:
    blog = generate(theme, feed=feed, posts=25)
    return [
        *blog.samples,
        *(Sample(page=page, entry=entry_of(truth, feed)) for page, truth in blog.rest),
    ][:MAX_SAMPLES]


@given(st.lists(st.integers(), max_size=40))
def test_spread_sample_has_first_and_last_in_order(items: list[int]) -> None:
    some = spread(items, FIRST)
    assert len(some) == (len(items) if len(items) <= FIRST + 1 else FIRST)
    assert some[:1] == items[:1] and some[-1:] == items[-1:]


@given(st.lists(st.text(max_size=12).map(lambda text: text.replace("\x00", "")), max_size=12))
def test_words_of_the_whole_equal_words_of_the_pieces(pieces: list[str]) -> None:
    words, starts = _words_of(pieces)
    assert words == [word for piece in pieces for word in tokens(piece)] or any(
        not piece.isascii() for piece in pieces
    )
    assert len(starts) == len(pieces) + 1 and list(starts) == sorted(starts)
    assert starts[-1] == len(words)


def test_similar_pages_are_counted_without_being_read() -> None:
    rules = learn_rules(samples("numbered"))
    assert rules is not None and rules.facts.unread == MAX_SAMPLES - FEW
    best = rules.rules["content"][0]
    assert (best.support_right, best.support_tried) == (
        MAX_SAMPLES,
        MAX_SAMPLES,
    ) and best.mean_score > 0.95


@pytest.mark.parametrize("feed", ["excerpt", "titles"])
def test_excerpt_feeds_have_more_pages_read(feed: str) -> None:
    rules = learn_rules(samples("numbered", feed))
    assert rules is not None and rules.facts.unread == MAX_SAMPLES - MORE_PAGES
    best = rules.rules["content"][0]
    assert best.support_right > 0.9 * best.support_tried


def test_short_fields_are_learned_from_two_of_the_pages_read() -> None:
    known = samples("numbered", "excerpt")
    learn_rules(known)
    read = [p for s in known if is_read(s.page) for p in [Prepared.of(s)]]
    assert len(read) == MORE_PAGES and sum(bool(p.dated) for p in read) == FEW


def test_short_field_is_relearned_from_pages_where_its_rules_fail() -> None:
    blog = generate("numbered", feed="excerpt", posts=25)
    known = sorted(blog.samples, key=lambda s: s.page.url)[:MORE_PAGES]
    odd = known[3]
    body = odd.page.body.replace(b"<h1", b"<h2").replace(b"</h1>", b"</h2>")
    known[3] = replace(odd, page=replace(odd.page, body=body))
    rules = learn_rules(known)
    assert rules is not None and sum(rule.support_right for rule in rules.rules["title"]) >= len(
        known
    )


def test_rules_wrong_on_training_pages_mark_no_page_as_outlier() -> None:
    """No page shows the right date: pages where the learned rule errs are not outliers."""
    known = sorted(samples("numbered"), key=lambda s: s.page.url)
    shifted = [
        replace(
            s, entry=replace(s.entry, published=known[n - 7].entry.published, published_raw=None)
        )
        for n, s in enumerate(known)
    ]
    rules = learn_rules(shifted)
    assert rules is not None and rules.facts.unread >= MAX_SAMPLES - FIRST


def test_rule_without_match_on_most_pages_is_dropped_if_redundant() -> None:
    """Both pages read first have a heading in their text; the others have none, and there the path
    that all share is right.
    """

    def prepared(word: str, head: str = "") -> Prepared:
        inner = head + f"<p>{f'{word} ' * 12}</p>"
        page = Page(
            url=f"http://b.example/{word}",
            body=f"<html><body><p>menu</p><div>{inner}</div></body></html>".encode(),
        )
        return Prepared.of(
            Sample(page=page, entry=FeedEntry(url=page.url, content_html=inner, is_full=True))
        )

    read = [prepared(word, "<h3>Trees</h3>") for word in ("alder", "birch")]
    rest = [prepared(word) for word in ("cedar", "drake", "ember", "fjord", "grove")]
    silent, path = (
        Rule(field="content", xpath=x, support_right=2, support_tried=2, mean_score=1.0)
        for x in ("//div[h3]", "/html/body/div")
    )
    found = Trials({"content": [silent, path]}, True, read).tallied([*read, *rest])["content"]
    assert [(rule.xpath, rule.support_right, rule.support_tried) for rule in found] == [
        ("/html/body/div", 7, 7)
    ]
    alone = Trials({"content": [silent]}, True, read).tallied([*read, *rest])["content"]
    assert [rule.xpath for rule in alone] == ["//div[h3]"]


@pytest.mark.parametrize(("right", "is_kept"), [(8, True), (1, False)])
def test_rule_right_on_most_pages_survives_two_outliers(right: int, is_kept: bool) -> None:
    def prepared(n: int, feed: str) -> Prepared:
        page = Page(
            url=f"http://b.example/{n}",
            body=f"<html><body><div><p>alder {n}</p></div></body></html>".encode(),
        )
        return Prepared.of(Sample(page=page, entry=FeedEntry(url=page.url, summary_html=feed)))

    read = [prepared(n, f"alder {n}") for n in range(8)]
    rest = [prepared(n, "birch cedar drake ember fjord") for n in (8, 9)]
    rule = Rule(field="content", xpath="//div", support_right=right, support_tried=8)
    found = Trials({"content": [rule]}, False, read).tallied([*read, *rest])["content"]
    assert [(one.support_right, one.support_tried) for one in found] == [(8, 10)] * is_kept


def test_template_of_unread_pages_is_read_later() -> None:
    known = sorted(samples("numbered"), key=lambda s: s.page.url)
    other = samples("utility")
    places = [n for n in range(MAX_SAMPLES) if known[n] not in spread(known, FEW)][:3]
    for n, strange in zip(places, other, strict=False):
        page = replace(strange.page, url=known[n].page.url)
        known[n] = Sample(page=page, entry=replace(strange.entry, url=page.url))
    rules = learn_rules(known)
    assert rules is not None and rules.facts.unread == MAX_SAMPLES - FEW - 3
    assert any("px-4" in rule.xpath or "flex" in rule.xpath for rule in rules.rules["content"])


def learned(
    body: Callable[[int, Truth], str],
    change_entry: Callable[[int, FeedEntry], FeedEntry] = lambda _, entry: entry,
) -> RuleSet:
    """Rules from twelve posts whose bodies are made by ``body``; ``change_entry`` changes what the
    feed says of them.
    """
    made = []
    for n, t in enumerate(truth(random.Random(7), number, ["Ada Lovely"]) for number in range(12)):
        page = Page(
            url=f"https://blog.example/{n:02d}.html",
            body=frame(t, body(n, t)).encode(),
            fetched_at=datetime(2013, 1, 1),
        )
        made.append(Sample(page=page, entry=replace(change_entry(n, entry_of(t)), url=page.url)))
    rules = learn_rules(made)
    assert rules is not None
    return rules


def post(t: Truth, inside: str = "", beside: str = "") -> str:
    return (
        f"<h1>{t.title}</h1><i class=d>{t.moment:%Y-%m-%d}</i><div "
        f"class=text>{paragraphs(t)}{inside}</div>{beside}"
    )


def test_part_absent_in_first_and_last_post_is_dropped() -> None:
    """The newest post links to no next one, the oldest to none before it: both links must show on
    more pages than these two.
    """
    rules = learned(
        lambda n, t: post(
            t,
            ("<b class=old>Go back</b>" if n else "")
            + ("<b class=new>Go on</b>" if n < 11 else ""),
        )
    )
    dropped = " ".join(rule.xpath for rule in rules.rules["content.drop"])
    assert "old" in dropped and "new" in dropped


def test_drop_that_leaves_the_feed_text_needs_no_more_pages() -> None:
    rules = learned(lambda n, t: post(t, f"<b class=share>Tell {n + 2} friends</b>"))
    assert rules.facts.unread == 12 - FEW and "share" in rules.rules["content.drop"][0].xpath


def test_rule_returning_more_on_unread_pages_is_relearned() -> None:
    """Comments in the post's own class, on no page that is read first."""
    body: Callable[[int, Truth], str] = lambda n, t: (  # noqa: E731
        f"<div id=main>{post(t)}</div>"
        + "<div class=text><p>How true, and how well said.</p></div>" * (n in (4, 5, 6))
    )
    rules = learned(body)
    assert rules.facts.returned["content"] == 1 and rules.facts.unread < 12 - FEW


def test_tags_rare_on_read_pages_are_learned_from_others() -> None:
    cloud = (
        "<ul class=all>"
        + "".join(
            f"<li><a href=/t/{tag}>{tag}</a></li>" for tag in ("travel", "food", "code", "music")
        )
        + "</ul>"
    )
    rules = learned(
        lambda n, t: post(
            t,
            "",
            "<p class=of>"
            + "".join(f"<a href=/t/{tag}>{tag}</a> " for tag in t.tags if n % 11)
            + f"</p>{cloud}",
        ),
        lambda n, entry: entry if n % 11 else replace(entry, tags=()),
    )
    assert rules.rules["tags"][0].support_right == 10 and "of" in rules.rules["tags"][0].xpath


def test_only_fields_that_differ_on_other_pages_are_relearned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pages with a tag line, on none that is read first: what is the content is not asked again."""
    asked: list[int] = []
    known = induce.content_rules
    monkeypatch.setattr(
        induce,
        "content_rules",
        lambda pages, others=(): asked.append(len(pages)) or known(pages, others),
    )
    rules = learned(
        lambda n, t: post(
            t,
            "",
            "<p class=of>"
            + "".join(f"<a href=/t/{tag}>{tag}</a> " for tag in t.tags if n % 11)
            + "</p>",
        ),
        lambda n, entry: entry if n % 11 else replace(entry, tags=()),
    )
    assert asked == [FEW] and rules.rules["tags"][0].support_tried == 10
    assert rules.rules["content"][0].support_tried == rules.rules["title"][0].support_tried == 12


def test_excerpt_among_full_posts_reads_no_more_pages() -> None:
    def cut(n: int, entry: FeedEntry) -> FeedEntry:
        words = html_text(entry.content_html)[:400] + " read all of it over there"
        return (
            replace(entry, content_html=None, summary_html=words, is_full=False)
            if n == 5
            else entry
        )

    assert learned(lambda n, t: post(t), cut).facts.unread == 12 - FEW


def test_right_date_counts_as_support() -> None:
    """One wrong day in the feed, on a page that was read, does not make the rule's other days
    worse.
    """
    moved: Callable[[int, FeedEntry], FeedEntry] = lambda n, entry: (  # noqa: E731
        replace(
            entry,
            published=(entry.published or datetime(2012, 1, 1)) + timedelta(days=40),
            published_raw=None,
        )
        if n == 3
        else entry
    )
    best = learned(lambda n, t: post(t), moved).rules["published"][0]
    assert (best.support_right, best.support_tried) == (
        11,
        12,
    ) and best.support * best.mean_score > 0.6


def test_two_pages_propose_rules_if_equally_good_on_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Sample] = []
    known = fields._titles
    monkeypatch.setattr(
        fields, "_titles", lambda judge, p: asked.append(p.sample) or known(judge, p)
    )
    rules = learn_rules(samples("numbered", "excerpt"))
    assert (
        rules is not None
        and rules.rules["title"][0].support_tried == MAX_SAMPLES
        and len(asked) == 2
    )


def test_dates_relative_to_now_are_learned_from_few_pages() -> None:
    def body(n: int, t: Truth) -> str:
        return f"<h1>{t.title}</h1><i>{n + 2} days ago</i><div class=text>{paragraphs(t)}</div>"

    rules = learned(
        body,
        lambda n, entry: replace(
            entry, published=datetime(2013, 1, 1) - timedelta(days=n + 2), published_raw=None
        ),
    )
    assert rules.rules["published"][0].pattern == "en|relative"


def test_garbage_collector_is_disabled_only_while_learning() -> None:
    with still():
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.parametrize(
    "markup",
    [
        "<p>One <b>two</b>&nbsp;&amp; three<br>four</p><pre>a &lt; b</pre>",
        "<p>a</p><!-- more --><p>b</p>",
        "plain words",
        "a > b <i title='c > d'>e</i> <i title='it's'>Don't</i> go",
        "<p>a<!-- <b>x</b> -->b</p><p>a -> b",
        "<p>a<!-- unclosed <b>x</b>",
        "<p>a < b</p><img alt='<'>c",
        "<b>a</b><SCRIPT>x</SCRIPT>c",
        "",
    ],
)
def test_tag_stripping_equals_the_parsers_text(markup: str) -> None:
    assert seen_text(markup).split() == " ".join(html_pieces(markup)).split()
