"""Learning: independent of order, linear in page size, and what rules return counts."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.dates.edtf import LOCAL
from blogcrawl.extraction.methods.induced import InducedRules
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.apply import authors, first, title, when, without
from blogcrawl.induction.induce import learn_rules
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.induction.scoring import affixes
from tests.induction.themes import THEMES, generate


@pytest.mark.parametrize("theme", sorted(THEMES))
@settings(max_examples=3, phases=[Phase.generate])
@given(data=st.data())
def test_the_order_of_entries_does_not_matter(theme: str, data: st.DataObject) -> None:
    """All methods together, with feeds of all kinds, with one entry twice."""
    blog = generate(theme, feed=data.draw(st.sampled_from(["full", "excerpt", "titles", "joined"])))
    samples = [*blog.samples, blog.samples[0]]
    one, other = (
        learn_blog(samples, Hints(home=blog.home)),
        learn_blog(data.draw(st.permutations(samples)), Hints(home=blog.home)),
    )
    assert one.to_json() == other.to_json()


def test_no_rules_without_samples() -> None:
    assert learn_rules([]) is None
    assert (
        learn_rules(
            [
                Sample(
                    page=Page(url="http://b/1", body=b"", status=404),
                    entry=FeedEntry(url="http://b/1"),
                )
            ]
        )
        is None
    )


def test_rules_have_support_and_score() -> None:
    rules = learn_rules(generate("numbered").samples)
    assert rules is not None
    for field in ("content", "title", "published"):
        best = rules.rules[field][0]
        assert best.support_tried == 10 and best.support_right == 10
        assert 0.75 < best.mean_score <= 1


def test_ids_with_the_posts_number_become_prefix_or_class_rules() -> None:
    rules = learn_rules(generate("numbered").samples)
    assert rules is not None
    assert not any(char.isdigit() for char in rules.rules["content"][0].xpath.split("[")[1])


def test_author_is_cut_out_of_its_line() -> None:
    rules = learn_rules(generate("inside").samples)
    assert rules is not None
    best = rules.rules["authors"][0]
    assert (best.prefix, best.suffix) == ("Written by ", " on ")


def test_constant_feed_author_makes_no_rule_on_comment_authors() -> None:
    rules = learn_rules(generate("duplicates", authors=("Only Me",)).samples)
    assert rules is not None
    assert rules.facts.authors.usual == ["Only Me"]
    assert all("comment" not in rule.xpath for rule in rules.rules.get("authors", ()))


def titled_sample(number: int, name: str, body: str) -> Sample:
    entry = FeedEntry(url=f"http://b/{number}", title=name)
    return Sample(page=Page(url=entry.url, body=body.encode()), entry=entry)


def test_title_rule_removes_the_site_name() -> None:
    samples = []
    for number, name in enumerate(
        ["First thing", "Second one here", "Third of them", "And a fourth"]
    ):
        body = (
            f"<html><head><title>{name} :: The Blog</title></head><body><p>{name[::-1]} "
            f"{number} words</p></body></html>"
        )
        samples.append(titled_sample(number, name, body))
    rules = learn_rules(samples)
    assert rules is not None
    page = Page(url="http://b/9", body=b"<title>Older: a post :: The Blog</title><p>x</p>")
    assert title(page.tree, rules.rules["title"][0]) == "Older: a post"


def test_varying_number_around_titles_is_cut_by_the_rule() -> None:
    samples = []
    for number, name in enumerate(["First thing", "Second one here", "Third of them", "A fourth"]):
        body = (
            f"<html><head><title>{name} :: The Blog</title></head><body><h3>No. {number + 40}: "
            f"{name}</h3><p>{name[::-1]} {number} words</p></body></html>"
        )
        samples.append(titled_sample(number, name, body))
    rules = learn_rules(samples)
    assert rules is not None
    assert {rule.xpath.rpartition("/")[2].partition("[")[0] for rule in rules.rules["title"]} == {
        "title"
    }


@pytest.mark.parametrize("tag", ["h3", "div"])
def test_time_next_to_a_title_is_cut_by_its_rule(tag: str) -> None:
    body = f"<{tag}><time>[ 07:19 ]</time>&nbsp;Rain and dogs</{tag}>"
    rule = Rule(field="title", xpath=f"//{tag}", support_right=8, support_tried=8, mean_score=1.0)
    assert title(Page(url="http://b/1", body=body.encode()).tree, rule) == "Rain and dogs"


def test_zones_are_learned_from_zoneless_pages() -> None:
    samples = []
    for number in range(5):
        moment = datetime(2012, 3, 1 + number, 22, 30, tzinfo=UTC)
        body = (
            f"<html><body><div class='d'>2012-03-{2 + number:02d} 00:30</div><p>number "
            f"{number} is here</p></body></html>"
        )
        entry = FeedEntry(
            url=f"http://b/{number}",
            title=f"number {number}",
            published=moment,
            published_raw=moment.isoformat(),
        )
        samples.append(
            Sample(
                page=Page(url=entry.url, body=body.encode()),
                entry=replace(entry, content_html=None),
            )
        )
    rules = learn_rules(samples)
    assert rules is not None
    assert rules.rules["published"][0].support_right == 5
    assert {"+02:00", "Europe/Athens"} <= {*rules.facts.dates.zones}
    found = when(samples[0].page.tree, rules.rules["published"][0], None)
    assert found is not None and found.aware(120) == datetime(2012, 3, 1, 22, 30, tzinfo=UTC)


def test_zones_of_pages_with_bare_days_are_those_of_the_sources() -> None:
    samples = []
    for number in range(5):
        moment = datetime(2012, 3, 2 + number, 0, 30, tzinfo=timezone(timedelta(hours=2)))
        body = f"<div class='d'>{moment:%Y-%m-%d}</div><p>number {number} is here</p>"
        raw = moment.isoformat()
        entry = FeedEntry(url=f"http://b/{number}", published=moment, published_raw=raw)
        entry = replace(entry, title=f"number {number}")
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    rules = learn_rules(samples)
    assert rules is not None
    assert "+02:00" in rules.facts.dates.zones and not rules.facts.dates.mislabelled


def changed_sample(number: int, lines: str) -> Sample:
    changed = datetime(2012, 4, 1 + 3 * number, 9, tzinfo=UTC)
    body = f"<html><body><p>number {number} is here</p>{lines}</body></html>"
    entry = FeedEntry(
        url=f"http://b/{number}",
        title=f"number {number}",
        published=datetime(2012, 3, 1 + number, tzinfo=UTC),
        modified=changed,
        modified_raw=changed.isoformat(),
    )
    return Sample(page=Page(url=entry.url, body=body.encode()), entry=entry)


def test_a_comment_of_the_day_of_one_change_makes_no_rule_for_changes() -> None:
    comments = "<ol>" + "".join(f"<li>Ann, {day} April 2012</li>" for day in (2, 3, 4)) + "</ol>"
    samples = [changed_sample(number, comments if number == 1 else "") for number in range(3)]
    rules = learn_rules(samples)
    assert rules is None or not rules.rules.get("modified")
    shown = (f"<i class=u>{1 + 3 * number} April 2012</i>" for number in range(3))
    rules = learn_rules([changed_sample(*pair) for pair in enumerate(shown)])
    assert rules is not None and rules.rules["modified"][0].support_right == 3


def test_local_time_labelled_utc_uses_the_learned_offset() -> None:
    samples = []
    for number in range(5):
        moment = datetime(2012, 3, 1 + number, 22, 30, 7, tzinfo=UTC)
        body = (
            f"<html><body><time datetime='2012-03-{2 + number:02d}T00:30:07+00:00'>then</time>"
            f"<p>number {number} is here</p></body></html>"
        )
        entry = FeedEntry(
            url=f"http://b/{number}",
            title=f"number {number}",
            published=moment,
            published_raw=moment.isoformat(),
        )
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    rules = learn_rules(samples)
    assert rules is not None
    assert "+02:00" in rules.facts.dates.zones and rules.facts.dates.mislabelled
    found = InducedRules().extract(samples[0].page, rules)
    assert found is not None
    assert found["published"][0].value.isoformat() == "2012-03-02T00:30:07+02:00"


def test_bare_date_gives_no_zone() -> None:
    samples = []
    for number in range(3):
        moment = datetime(2012, 3, 1 + number, tzinfo=UTC)
        body = (
            f"<html><body><div class='d'>2012-03-0{1 + number} 03:30</div><p>number {number} "
            f"is here</p></body></html>"
        )
        entry = FeedEntry(
            url=f"http://b/{number}",
            title=f"number {number}",
            published=moment,
            published_raw=f"2012-03-0{1 + number}",
        )
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    rules = learn_rules(samples)
    assert rules is not None and rules.rules["published"] and not rules.facts.dates.zones


def test_feed_without_zones_gives_no_zone() -> None:
    samples = []
    for number in range(5):
        moment = datetime(2012, 3, 1 + number, 22, 30, tzinfo=LOCAL)
        body = (
            f"<html><body><div class='d'>2012-03-{1 + number:02d} 22:30</div><p>number "
            f"{number} is here</p></body></html>"
        )
        entry = FeedEntry(url=f"http://b/{number}", title=f"number {number}", published=moment)
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    rules = learn_rules(samples)
    assert rules is not None and rules.rules["published"]
    assert not rules.facts.dates.zones


def test_one_of_a_feeds_joined_authors_is_not_that_of_all_posts() -> None:
    samples = []
    for number, writer in enumerate(("ann", "bob", "bob")):
        body = (
            f"<html><body><h2>number {number}</h2><div>2012-03-{1 + number:02d} by {writer}</div>"
            f"<p>number {number} is here{' and there' * 40}</p><div>This fine site "
            f"was once brought to all of you by <a class=a>ann</a> and <a class=b>bob</a></div>"
        )
        entry = FeedEntry(
            url=f"http://b/{number}", title=f"number {number}", authors=("Ann & Bob",)
        )
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    rules = learn_rules(samples)
    assert rules is not None and "authors" not in rules.rules
    assert rules.facts.authors.names == ["Ann", "Bob"]
    post = extract_post(samples[1].page, learn_blog(samples, Hints()))
    assert isinstance(post, Post) and post.authors == ("Bob",)


def test_name_that_all_pages_show_is_not_that_of_posts_by_several() -> None:
    """A list of the authors in a side column has the right one as often as the first of them
    writes."""
    samples = []
    for number, writer in enumerate(("Ann Lee", "Ann Lee", "Bob Day", "Bob Day") * 2):
        byline = f"written in the old house by the mill by {writer} on day {number} | all else"
        body = (
            f"<html><body><div id=wrap><div id=content><div class=post><h2>number {number}</h2>"
            f"<div class=text>number {number} is here{' and there' * 40}</div>"
            f"<div class=foot>{byline}</div></div></div>"
            "<div id=side><ul><li><a>Ann Lee</a></li><li><a>Bob Day</a></li></ul></div></div>"
        )
        entry = FeedEntry(url=f"http://b/{number}", title=f"number {number}", authors=(writer,))
        samples.append(Sample(page=Page(url=entry.url, body=body.encode()), entry=entry))
    post = extract_post(samples[2].page, learn_blog(samples, Hints()))
    assert isinstance(post, Post) and post.authors != ("Ann Lee",)


def test_dropping_an_element_keeps_its_tail() -> None:
    tree = Page(
        url="http://b/", body=b"<div id=c>one<div class=x>share</div> two<p>three</p></div>"
    ).tree
    node = tree.get_element_by_id("c")
    twin = without(node, (Rule(field="content.drop", xpath=".//div[@class='x']"),))
    assert twin.text_content() == "one twothree"
    assert node.text_content() == "oneshare twothree"


def test_a_rule_that_dropped_lines_drops_no_prose() -> None:
    """Word gives the class of one post's byline to another's paragraphs."""
    rule = Rule(field="content.drop", xpath=".//p[@class='MsoNormal']", is_line=True)
    prose = "<p class=MsoNormal>The harbour was quiet after the rain, and we stayed.</p>" * 9
    tree = Page(url="http://b/", body=f"<div id=c>{prose}</div>".encode()).tree
    node = tree.get_element_by_id("c")
    assert without(node, [rule]).text_content() == node.text_content()
    assert not without(node, [msgspec.structs.replace(rule, is_line=False)]).text_content()
    short = Page(url="http://b/", body=b"<div id=c><p class=MsoNormal>Ann<p>Rain</div>").tree
    assert without(short.get_element_by_id("c"), [rule]).text_content() == "Rain"


def test_urls_in_rules_are_no_path_steps() -> None:
    tree = Page(url="http://b/", body=b"<p><a rel='http://x//y'><b><i>one</i></b></a></p>").tree
    found = first(tree, Rule(field="title", xpath="//a[@rel='http://x//y']//i"))
    assert found is not None and found[1] == "one"


def test_names_with_a_colon_are_compared_as_they_are_written() -> None:
    """As Office writes them; XPath would look for a namespace of theirs."""
    tree = Page(url="http://b/", body=b"<div><o:p class=d><i title='o:p'>one</i></o:p></div>").tree
    for xpath in (
        "//o:p[i]",
        "//o:p[contains(concat(' ',normalize-space(@class),' '),' d ')]/i[@title='o:p']",
        tree.getroottree().getpath(tree.find(".//i")),
    ):
        found = first(tree, Rule(field="title", xpath=xpath))
        assert found is not None and found[1] == "one", xpath


def test_relative_dates_need_the_fetch_time() -> None:
    tree = Page(url="http://b/", body=b"<p class=d>3 days ago</p>").tree
    rule = Rule(field="published", xpath="//p[@class='d']", pattern="en|relative")
    found = when(tree, rule, None, datetime(2020, 1, 10, tzinfo=UTC))
    assert found is not None and found.moment.day == 7
    assert when(tree, rule, None) is None


def test_date_of_another_form_is_read_where_only_one_stands() -> None:
    place = "//div[@class='d']/span"
    rule = Rule(field="published", xpath=place, pattern="en|MMMM d y", support_right=8)
    rules = RuleSet(rules={"published": (rule,)})
    span = "<span>{}</span>"

    def days(*texts: str) -> list[object]:
        html = f"<html lang=el><body><div class=d>{''.join(map(span.format, texts))}</div>"
        found = InducedRules().extract(Page(url="http://b/1", body=html.encode()), rules) or {}
        return [value.value.date().isoformat() for value in found.get("published", ())]

    assert days("13/11/2019") == ["2019-11-13"] == days("November 13, 2019", "1/2/2020")
    assert days("13/11/2019", "14/11/2019") == [] == days("2019")


def test_first_returns_the_first_nonempty_value() -> None:
    tree = Page(url="http://b/", body=b"<h2> </h2><h2>yes</h2>").tree
    found = first(tree, Rule(field="title", xpath="//h2"))
    assert found is not None and found[1] == "yes"
    assert authors(tree, Rule(field="authors", xpath="//h3")) == []


def big(words: int) -> Sample:
    rng = random.Random(words)
    rows = []
    while sum(map(len, rows)) < words:
        row = " ".join(
            rng.choice(["alpha", "beta", "gamma", "delta", str(rng.random())]) for _ in range(40)
        )
        rows.append(f"<div class='r'><p>{row}</p></div>")
    text = "<p>" + " ".join(str(rng.random()) for _ in range(120)) + "</p>"
    body = f"<html><body><h1>The title</h1><div id='c'>{text}</div>{''.join(rows)}</body></html>"
    entry = FeedEntry(url=f"http://b/{words}", title="The title", content_html=text, is_full=True)
    return Sample(page=Page(url=entry.url, body=body.encode()), entry=entry)


def test_time_is_linear_in_page_size() -> None:
    def seconds(size: int) -> float:
        samples = [big(size + n) for n in range(2)]
        for sample in samples:
            _ = sample.page.tree
        started = time.process_time()
        assert learn_rules(samples) is not None
        return time.process_time() - started

    small, large = max(0.01, seconds(60_000)), seconds(900_000)
    assert large < 15 * small * 4


def test_all_themes_are_learned() -> None:
    for theme in THEMES:
        rules = learn_rules(generate(theme).samples)
        assert rules is not None and rules.rules["content"] and rules.rules["title"]


def test_code_keywords_are_no_boilerplate() -> None:
    def sample(n: int) -> Sample:
        rng = random.Random(n)
        words = [" ".join(f"w{rng.randint(1, 3000)}" for _ in range(40)) for _ in range(5)]
        code = (
            "<span class='k'>SELECT</span> name, pages <span class='k'>FROM</span> visits "
            "<span class='k'>WHERE</span> year &gt; "
        )
        content = (
            "".join(f"<p>{text}</p>" for text in words)
            + f"<pre>{code}{n}</pre><p class='share'>Tell all your friends of this post</p>"
        )
        menu = "<ul><li>Home</li><li>About this site</li></ul>"
        html = (
            f"<html><body>{menu}<h1>Post {n}</h1><div class='body'>{content}</div><p>All "
            f"rights reserved by nobody</p></body></html>"
        )
        page = Page(url=f"http://b.test/p{n}/", body=html.encode())
        return Sample(
            page=page,
            entry=FeedEntry(
                url=page.url, title=f"Post {n}", summary_html=f"<p>{words[0]}</p>", source="feed"
            ),
        )

    rules = learn_rules([sample(n) for n in range(10)])
    assert rules is not None
    dropped = " ".join(rule.xpath for rule in rules.rules.get("content.drop", ()))
    assert "share" in dropped and "span" not in dropped


def test_single_paragraph_is_not_the_content_if_others_have_several() -> None:
    def sample(n: int, paragraphs: int, words: int) -> Sample:
        rng = random.Random(n)
        texts = [
            " ".join(f"w{rng.randint(1, 3000)}" for _ in range(words)).capitalize() + "."
            for _ in range(paragraphs)
        ]
        text = "".join(f"<p>{text}</p>" for text in texts)
        title = f"Day {n} at sea"
        entry = (
            f"<h3>{title}</h3>{text}<p class='byline'>Friday, May {n + 1}, 2003 10:04 <a "
            f"href='/p{n}/'>#</a></p>"
        )
        html = f"<html><body><h1>A blog</h1><div class='entry'>{entry}</div></body></html>"
        day = datetime(2003, 5, n + 1, tzinfo=UTC)
        page = Page(url=f"http://b.test/p{n}/", body=html.encode())
        return Sample(
            page=page,
            entry=FeedEntry(
                url=page.url, title=title, published=day, summary_html=text, source="feed"
            ),
        )

    rules = learn_rules([sample(n, *((4, 40) if n in (2, 4, 8) else (1, 8))) for n in range(10)])
    assert rules is not None
    assert rules.rules["content"][0].xpath.startswith(
        "//div[contains(concat(' ',normalize-space(@class),' '),' entry ')]"
    )
    assert all(rule.is_line for rule in rules.rules["content.drop"] if "byline" in rule.xpath)
    assert any("byline" in rule.xpath for rule in rules.rules["content.drop"])


def test_name_context_with_length_changing_case_folding() -> None:
    assert affixes("By Uwe Weiss.", "Uwe Weiß") == ("By ", ".")
    assert affixes("Uwe Weiss", "Uwe Weiß") is None
    assert affixes("von Uwe Weiß am 3. Mai", "Uwe Weiß") == ("von ", " am 3. mai")
    assert affixes("A trip | My blog", "A trip") == ("", " | My blog")


@pytest.mark.parametrize("declared", ["", " lang=en", " lang=fr"])
@pytest.mark.parametrize(
    "line", ["<p class=day>{}</p>", "<p class=day><span title='{}'>{:.2}</span></p>"]
)
def test_months_show_the_language_of_dates_where_no_page_declares_one(
    declared: str, line: str
) -> None:
    months = ("Januar", "April", "Oktober", "Dezember")
    samples = [
        Sample(
            page=Page(
                url=f"http://b.example/{n}",
                body=f"<html{declared}><body><h1>Tag {n}</h1>"
                f"{line.format(*[f'Montag, {n + 3}. {name} 2009'] * 2)}"
                f"<div>{'Es regnete den ganzen Tag lang. ' * 9}{n}</div></body>".encode(),
            ),
            entry=FeedEntry(
                url=f"http://b.example/{n}",
                title=f"Tag {n}",
                published=datetime(2009, month, n + 3, tzinfo=UTC),
                content_html=f"<p>{'Es regnete den ganzen Tag lang. ' * 9}{n}</p>",
            ),
        )
        for n, (name, month) in enumerate(zip(months, (1, 4, 10, 12), strict=True))
    ]
    ruleset = learn_rules(samples)
    assert ruleset is not None
    assert {rule.pattern for rule in ruleset.rules["published"]} == {"de|d MMMM y"}


@pytest.mark.parametrize(
    "line", ["In garden — Ann Lee @ 9 am", "In garden — Tags: rope — Ann Lee @ 9"]
)
def test_name_is_the_part_of_the_line_next_to_what_stands_behind_it(line: str) -> None:
    tree = Page(url="http://b/", body=f"<p class=meta>{line}</p>".encode()).tree
    rule = Rule(field="authors", xpath="//p", prefix=" - ", suffix=" @ ")
    assert authors(tree, rule) == ["Ann Lee"]
