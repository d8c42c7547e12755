"""How a policy compares candidates, and what the policies of the fields see in them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue
from blogcrawl.dates.edtf import YEAR, written
from blogcrawl.extraction.decide import decide, weigh, without_idle_change
from blogcrawl.extraction.model import build_time
from blogcrawl.extraction.policy import Feature, Policy, Precedence
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.site_facts import AuthorFacts, DateFacts, SiteFacts, TitleFacts

PAGE = Page(
    url="http://b.example/a-trip",
    body=b"<html><head><title>A trip | Blog</title></head><body><p>x</p></body></html>",
)
LOUD: Feature[None] = Feature("loud", lambda value, _: value.value.isupper(), 0.1)
FIRST: Precedence[None] = Precedence("first", lambda value, top, _: value.value == "first")


def candidate(value: object, confidence: float, method: str = "metadata") -> FieldValue:
    return FieldValue(value=value, method=method, confidence=confidence)


NOON = datetime(2017, 4, 4, 12, tzinfo=UTC)


def decided(
    found: Fields, facts: SiteFacts | None = None, entry: FeedEntry | None = None
) -> dict[str, FieldValue]:
    facts = facts or SiteFacts()
    out = decide(found, PAGE, RuleSet(facts=facts), entry)
    without_idle_change(out, facts.dates.build_time)
    return out


def test_features_lower_the_confidence_and_are_named() -> None:
    best, other = Policy((LOUD,)).weigh([candidate("A", 0.9), candidate("b", 0.2)], None)
    assert (best.value.value, best.features) == ("b", ())
    assert other.features == ("loud",) and abs(other.value.confidence - 0.09) < 1e-9


def test_precedence_comes_before_confidence() -> None:
    policy = Policy((), precedence=(FIRST,))
    values = policy.weigh([candidate("b", 0.9), candidate("first", 0.2)], None)
    assert [each.value.value for each in values] == ["first", "b"]


def test_candidates_below_the_minimum_score_are_dropped() -> None:
    assert Policy((LOUD,), least=0.1).weigh([candidate("A", 0.9)], None) == []


def test_site_heading_is_no_title_of_an_untitled_post() -> None:
    facts = SiteFacts(titles=TitleFacts(headings=["blog"], foreign_heads=True))
    assert "title" not in decided({"title": [candidate("Blog", 0.9)]}, facts)


@pytest.mark.parametrize("head", ["Blog", "— Blog", "Blog |"])
@pytest.mark.parametrize("method", ["metadata", "rules"])
def test_document_called_as_the_site_where_others_are_called_as_posts_is_no_title(
    head: str, method: str
) -> None:
    page = replace(PAGE, body=f"<title>{head}</title><a href='/'>Blog</a><p>x</p>".encode())
    named = RuleSet(facts=SiteFacts(titles=TitleFacts(own_heads=True)))
    found: Fields = {"title": [candidate(head, 0.8, method)]}
    assert "title" not in decide(found, page, named, None)
    assert "title" in decide(found, page, RuleSet(), None)


def test_heading_amid_the_text_is_no_title_whatever_method_reads_it() -> None:
    """A page without a heading of its own has sections as high as the titles of others."""
    text = "A sentence of the post that is long enough to be one, and here is another one. "
    body = f"<title>A trip</title><main><p>{text * 2}</p><h1>Packing</h1><p>{text}</p></main>"
    page = replace(PAGE, body=body.encode())
    heading = [
        replace(candidate("Packing", 0.92, "rules"), rule="//main/h1"),
        replace(candidate("Packing", 0.44, "keypath"), rule="|html|body|main|h1"),
        replace(candidate("Packing", 0.3), rule="h1"),
    ]
    head = replace(candidate("A trip", 0.34), rule="title")
    content = FieldValue(value=page.tree.find(".//main"), method="rules", confidence=0.9)
    found: Fields = {"title": [*heading, head], "content": [content]}
    assert decide(found, page, RuleSet(), None)["title"].value == "A trip"
    above = replace(page, body=page.body.replace(b"<main>", b"<main><h1>Packing</h1>"))
    found["content"] = [replace(content, value=above.tree.find(".//main"))]
    assert decide(found, above, RuleSet(), None)["title"].value == "Packing"


def test_date_is_no_title_unless_found_by_a_rule() -> None:
    guess, ruled = candidate("May 11, 2012", 0.9), candidate("May 11, 2012", 0.9, "rules")
    assert decided({"title": [guess, candidate("A trip", 0.5)]})["title"].value == "A trip"
    assert decided({"title": [ruled]})["title"].value == "May 11, 2012"


@pytest.mark.parametrize("day", ["May 11, 2012", "Friday, May 11, 2012", "vendredi 11 mai 2012"])
def test_date_is_no_title_where_no_title_is_one_whoever_found_it(day: str) -> None:
    """A rule learned from headings meets the heading of the day on pages of an older theme."""
    ruled = candidate(day, 0.9, "rules")
    facts = SiteFacts(titles=TitleFacts(undated=True))
    assert decided({"title": [ruled, candidate("A trip", 0.3)]}, facts)["title"].value == "A trip"


def test_time_of_day_may_be_a_title() -> None:
    """Of a photograph of a watch."""
    facts = SiteFacts(titles=TitleFacts(undated=True))
    found: Fields = {"title": [candidate("19:50:10", 0.9, "rules"), candidate("A trip", 0.3)]}
    assert decided(found, facts)["title"].value == "19:50:10"


def test_a_byline_is_no_title() -> None:
    found: Fields = {
        "title": [candidate("By Ann Lee", 0.9), candidate("A trip", 0.5)],
        "authors": [candidate(["Ann Lee"], 0.8)],
    }
    assert decided(found)["title"].value == "A trip"


def test_name_that_titles_of_the_blog_have_in_common_is_cut_from_the_documents() -> None:
    page = replace(PAGE, body=b"<title>Blog: A trip</title><p>x</p>")
    rules = RuleSet(facts=SiteFacts(titles=TitleFacts(common=["blog"], ends=["blog"])))
    found = {"title": [candidate("Blog: A trip", 0.34)]}
    assert decide(found, page, rules, None)["title"].value == "A trip"


def test_heading_that_leads_to_a_section_is_no_title() -> None:
    body = b"<title>A trip - Blog</title><h2><a href='/comics/'>Comics</a></h2><h3>A trip</h3>"
    found = {"title": [candidate("Comics", 0.9, "rules"), candidate("A trip", 0.5)]}
    assert decide(found, replace(PAGE, body=body), RuleSet(), None)["title"].value == "A trip"
    own = replace(PAGE, body=body.replace(b"/comics/", b"/a-trip"))
    assert decide(found, own, RuleSet(), None)["title"].value == "Comics"


def test_placeholder_where_a_rule_reads_names_is_not_the_usual_author() -> None:
    usual = AuthorFacts(usual=["A trip"], share=1.0, names=["a trip"])
    found = {"title": [candidate("A trip", 0.9)], "authors": [candidate(["admin"], 0.9, "rules")]}
    assert decided(found, SiteFacts(authors=usual))["authors"].value == ["admin"]
    found["authors"] = [candidate(["admin"], 0.9)]
    assert decided(found, SiteFacts(authors=usual))["authors"].value == ["A trip"]


def test_placeholder_author_yields_to_any_name() -> None:
    found: Fields = {"authors": [candidate(["admin"], 0.9), candidate(["Ann Lee"], 0.2)]}
    assert decided(found)["authors"].value == ["Ann Lee"]


def test_program_that_wrote_the_page_is_no_author() -> None:
    page = Page(url="http://b/1", body=b'<meta name="GENERATOR" content="Page Maker 5.0"><p>x</p>')
    found: Fields = {"authors": [candidate(["Page Maker 5.0"], 0.9, "rules")]}
    assert "authors" not in decide(found, page, RuleSet(facts=SiteFacts()), None)


def test_usual_author_wins_if_the_page_names_them() -> None:
    facts = SiteFacts(authors=AuthorFacts(usual=["Ann Lee"]))
    found: Fields = {"authors": [candidate(["Bo Li"], 0.9), candidate(["Ann Lee"], 0.4)]}
    assert decided(found, facts)["authors"].value == ["Ann Lee"]


def test_later_of_two_supported_dates_is_the_modification() -> None:
    posted, changed = datetime(2012, 5, 11, tzinfo=UTC), datetime(2013, 1, 1, tzinfo=UTC)
    found: Fields = {
        "published": [candidate(changed, 0.9, "rules"), candidate(posted, 0.87, "rules")]
    }
    assert decided(found)["published"].value == posted
    weighed = weigh(found, PAGE, RuleSet(), None)["published"]
    assert weighed[1].features == ("later than what is as well proved",)


def test_day_and_month_are_read_in_the_order_that_a_rule_has_learned() -> None:
    rule = candidate(datetime(2001, 12, 2, tzinfo=UTC), 0.57, "rules")
    line = candidate(datetime(2001, 2, 12, tzinfo=UTC), 0.66, "generic")
    assert decided({"published": [rule, line]})["published"].value == rule.value


def test_a_year_by_a_rule_yields_to_a_day_of_it() -> None:
    rule = candidate(datetime(2017, 1, 1, tzinfo=YEAR), 0.9, "rules")
    day = candidate(datetime(2017, 5, 4, tzinfo=UTC), 0.6)
    assert decided({"published": [rule, day]})["published"].value == day.value
    assert decided({"published": [rule]})["published"].value == rule.value


def test_local_time_labelled_utc_yields_to_a_learned_offset() -> None:
    local = datetime(2012, 5, 11, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    labelled = local.replace(tzinfo=UTC)
    facts = SiteFacts(dates=DateFacts(zones=("+02:00",), mislabelled=True))
    found: Fields = {"published": [candidate(labelled, 0.9), candidate(local, 0.8, "rules")]}
    assert decided(found, facts)["published"].value == local


def test_day_written_as_midnight_of_the_site_is_a_day() -> None:
    midnight = datetime(2017, 4, 4, tzinfo=timezone(timedelta(hours=8)))
    later = midnight + timedelta(days=1)
    found: Fields = {"published": [candidate(midnight, 0.9)], "modified": [candidate(later, 0.9)]}
    out = decided(found)
    assert [written(out[name].value) for name in found] == ["2017-04-04", "2017-04-05"]


def test_change_at_the_moment_of_publication_is_none() -> None:
    entry = FeedEntry(url=PAGE.url, modified=NOON, source="sitemap")
    assert "modified" not in decided({"published": [candidate(NOON, 0.9)]}, entry=entry)
    later = replace(entry, modified=NOON + timedelta(minutes=1))
    assert "modified" in decided({"published": [candidate(NOON, 0.9)]}, entry=later)


def test_moment_at_which_all_posts_were_generated_is_no_change_of_one() -> None:
    built = datetime(2016, 3, 20, 21, 57, 21, tzinfo=UTC)
    facts = SiteFacts(dates=DateFacts(build_time=built.isoformat()))
    entry = FeedEntry(url=PAGE.url, modified=built, source="sitemap")
    assert "modified" not in decided({}, facts, entry)
    later = replace(entry, modified=built + timedelta(days=1))
    assert decided({}, facts, later)["modified"].value == later.modified


def test_moment_of_many_entries_is_that_of_a_generator() -> None:
    moments = [datetime(2016, 3, 20, 21, 57, 21, tzinfo=UTC)] * 4
    days = [datetime(2016, 3, 21, tzinfo=UTC)] * 9
    assert build_time(days + moments) == moments[0].isoformat()
    assert build_time(days + moments[:-1]) == ""


def test_excerpt_ends_without_the_link_to_the_post() -> None:
    for text in ("A fine day. Read More", "A fine day. Weiterlesen »", "A fine day."):
        assert decided({"excerpt": [candidate(text, 0.9)]})["excerpt"].value == "A fine day."
    assert decided({"excerpt": [candidate("I read more", 0.9)]})["excerpt"].value == "I read more"
    for text in ("A (…) Read the rest of this entry »", "A (…) Continue reading How to whistle →"):
        assert decided({"excerpt": [candidate(text, 0.9)]})["excerpt"].value == "A (…)"


def test_excerpt_ends_without_the_line_that_names_the_post_and_its_blog() -> None:
    """Plug-ins write it under every entry, in the blog's language."""
    entry = FeedEntry(url="http://b.example/a-trip", title="A trip & back")
    line = '<p>最先 <a href="/a-trip">A trip &amp; back</a>出现在<a href="/">Blog</a>。</p>'
    ours = replace(entry, summary_html=f"<p>Far away.</p>\n{line}\n")
    assert decided({}, entry=ours)["excerpt"].value == "Far away."
    other = line.replace("A trip", "A walk")
    others = replace(entry, summary_html=f"<p>Far away.</p>{other}")
    assert "A walk" in decided({}, entry=others)["excerpt"].value


def test_excerpt_that_is_the_title_again_is_none() -> None:
    titled: Fields = {"title": [candidate("How to Whistle", 0.9)]}
    assert "excerpt" not in decided({**titled, "excerpt": [candidate("How to whistle", 0.9)]})
    assert "excerpt" in decided({**titled, "excerpt": [candidate("How to whistle well", 0.9)]})


def test_usual_author_is_spelled_as_in_the_feed() -> None:
    facts = SiteFacts(authors=AuthorFacts(usual=["patata"], share=1.0))
    found: Fields = {"authors": [candidate(["PATATA"], 0.9, "rules")]}
    assert decided(found, facts)["authors"].value == ["patata"]


def test_feed_time_is_given_in_the_pages_zone() -> None:
    moment = datetime(2012, 5, 10, 22, 30, tzinfo=UTC)
    entry = FeedEntry(url=PAGE.url, published=moment)
    on_page = candidate(moment.astimezone(timezone(timedelta(hours=2))), 0.9)
    assert decided({"published": [on_page]}, entry=entry)["published"].value.day == 11
    facts = SiteFacts(dates=DateFacts(zones=("+01:00",)))
    found = decided({}, facts, entry)["published"].value
    assert found == moment and found.isoformat() == "2012-05-10T23:30:00+01:00"
