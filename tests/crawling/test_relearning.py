"""Posts of further templates, of which no feed has any."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import gettempdir
from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.core.costs import Account
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, FeedEntry, Post
from blogcrawl.crawling import relearning
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.pipelines.extract import ExtractStage
from blogcrawl.crawling.relearning import ENOUGH, ENOUGH_ALIKE, Generations, Templates
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.extraction.model import BlogModel, NotAPost, extract_post, judge_page, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.site_facts import SiteFacts, TagFacts

WORDS = "morning market bread river window letter garden candle bridge evening".split()


def text_of(n: int) -> str:
    sentences = (
        f"The {WORDS[(n + k) % 10]} of day {n * 7 + k}, and the {WORDS[(n * 3 + k) % 10]} we saw."
        for k in range(12)
    )
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)


def page_of(n: int, body: str, title: str) -> Page:
    markup = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return Page(
        url=f"http://b.example/{n}.html",
        body=markup.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def new_page(n: int) -> Page:
    body = f"<header class=top>Blog</header><article class=post><h1>Post {n}</h1>{text_of(n)}"
    return page_of(n, f"{body}</article>", f"Post {n}")


def old_page(n: int) -> Page:
    head = "<h1>The old blog</h1><div class=menu><a href=/>Home</a></div>"
    post = f"<h3 class=head>Tale {n}</h3><div class=body>{text_of(n)}</div>"
    return page_of(n, f"<div class=page>{head}{post}</div>", f"Tale {n} : The old blog")


def session_with(model: BlogModel, texts: Mapping[str, str] | None = None) -> Any:
    """A session whose frontier knows what links call the pages."""
    frontier = SimpleNamespace(link_text=lambda url: (texts or {}).get(url, ""))
    session = SimpleNamespace(model=model, doing=lambda text: None, frontier=frontier)
    limits = SimpleNamespace(account=Account(0.3))
    session.services = SimpleNamespace(limits=limits, folder=Path(gettempdir()))
    session.knowledge = session.known = SiteKnowledge(blog=Blog(url="http://b.example/"))
    session.memory, session.is_resumed = {}, False
    session.learned = model
    session.use = lambda new: session.__dict__.update(model=new, learned=new)
    session.attempt = lambda _stage, _url, work: work()
    session.breathe = lambda: asyncio.sleep(0)
    return cast("Any", session)


def learned() -> BlogModel:
    return learn_blog(
        [
            Sample(
                page=new_page(n),
                entry=FeedEntry(
                    url=f"http://b.example/{n}.html",
                    title=f"Post {n}",
                    content_html=text_of(n),
                    is_full=True,
                ),
            )
            for n in range(5)
        ]
    )


def item(page: Page) -> PostPage:
    return PostPage(page=page, frontier_url=page.url)


def settled(watch: Generations, session: Any) -> list[PostPage]:
    """What is to be extracted again when all pages are in."""
    session.services.limits.account.limit_seconds = 20.0

    async def found() -> list[PostPage]:
        return [each async for each in watch.settle(session)]

    return asyncio.run(found())


def test_rules_are_learned_for_posts_of_a_template_that_no_rule_reads() -> None:
    model, watch = learned(), Generations()
    session = session_with(model)
    noted = []
    for n in range(30, 30 + ENOUGH_ALIKE):
        page = old_page(n)
        verdict = extract_post(page, model, None, promised=True)
        noted.append(watch.note(session, item(page), verdict))
    assert noted == [False] * (ENOUGH_ALIKE - 1) + [True]
    assert watch.wants_settling
    late = settled(watch, session)
    urls = {old_page(n).url for n in range(30, 30 + ENOUGH_ALIKE)}
    assert {each.page.url for each in late} <= urls and len(late) >= ENOUGH_ALIKE - 1
    assert all(each.is_again and each.frontier_url is None for each in late)
    assert not watch.wants_settling
    model = BlogModel.from_json(model.to_json())
    post = extract_post(old_page(50), model, None, promised=True)
    assert isinstance(post, Post) and post.title == "Tale 50"
    assert post.extraction["content"]["method"] == post.extraction["title"]["method"] == "rules"
    assert not watch.note(session, item(old_page(50)), post)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_learned_of_older_templates_does_not_depend_on_the_order_of_pages(
    seed: int,
) -> None:
    """Seventeen pages of one template, fourteen of another that has most of its labels: which come
    first depends on chance."""

    def models(pages: Sequence[Page]) -> dict[str, Any]:
        model, watch = learned(), Generations()
        session = session_with(model)
        session.services.limits.account.limit_seconds = 20.0
        for page in pages:
            watch.note(session, item(page), extract_post(page, model, None, promised=True))
        settled(watch, session)
        return model.to_json()

    pages = [like_page(n, "entry" if n % 2 or n < 34 else "story") for n in range(30, 61)]
    first = models(pages)
    Random(seed).shuffle(pages)
    assert len(first["generations"]) == 2
    assert models(pages) == first


def test_rules_are_learned_of_all_pages_again_only_where_these_have_doubled() -> None:
    """A crawl is idle many times: before failed pages are asked for again, say."""
    model, watch = learned(), Generations()
    session = session_with(model)
    session.services.limits.account.limit_seconds = 20.0

    def note(numbers: range) -> list[PostPage]:
        for n in numbers:
            watch.note(session, item(old_page(n)), extract_post(old_page(n), model, None, True))
        return settled(watch, session)

    note(range(30, 30 + ENOUGH_ALIKE))
    first = model.generations[0]
    assert note(range(40, 42)) == [] and model.generations[0] is first
    note(range(42, 42 + ENOUGH_ALIKE))
    assert model.generations[0] is not first


def test_posts_by_rules_of_this_crawl_only_wait_until_all_pages_are_in() -> None:
    """Whether they are posts must not depend on which pages were read before them."""

    def short(n: int) -> Page:
        return page_of(n, old_page(n).text.partition("<body>")[2], f"Tale {n} : The old blog")

    model, watch = learned(), Generations()
    session = session_with(model)
    session.services.limits.account.limit_seconds = 20.0
    late = short(70)
    for n in range(30, 30 + ENOUGH_ALIKE):
        watch.note(session, item(old_page(n)), extract_post(old_page(n), model, None, True))
    first = watch.first_verdict
    watch.first_verdict = lambda *_: NotAPost("little text", 0.6)  # type: ignore[method-assign]
    assert not watch.waits(item(late))
    watch.note(session, item(late), extract_post(late, model, None, True))
    watch.first_verdict = first  # type: ignore[method-assign]
    assert watch.waits(item(late))
    again = [each for each in settled(watch, session) if each.page.url == late.url]
    assert [each.frontier_url for each in again] == [late.url]
    assert not watch.waits(again[0])
    assert not watch.note(session, again[0], extract_post(late, model, None, True))
    assert not watch.waits(again[0])


def test_pages_that_seemed_to_be_no_posts_are_judged_by_the_rules_learned_after_them() -> None:
    model, watch = learned(), Generations()
    session = session_with(model)
    refused = [old_page(29), new_page(28), old_page(27)]
    for page, confidence in zip(refused, (0.7, 0.7, 0.99), strict=True):
        assert not watch.note(session, item(page), NotAPost("its URL", confidence))
    for n in range(30, 30 + ENOUGH_ALIKE):
        watch.note(session, item(old_page(n)), extract_post(old_page(n), model, None, True))
    late = [each for each in settled(watch, session) if not each.is_again]
    assert [each.frontier_url for each in late] == [old_page(29).url]


def test_addresses_of_an_old_template_are_measured_by_those_of_its_own_posts() -> None:
    def page(n: int, name: str, text: str) -> Page:
        cells = f"<TR><TD>index</TD><TD><B>day {n}</B><P><FONT SIZE=4>Tale {n}</FONT>{text}"
        markup = f"<TABLE><TR><TD><FONT SIZE=5>the log</FONT>{cells}</TABLE>"
        return Page(url=f"http://b.example/log/01{n:02}/{name}", body=markup.encode())

    model, watch = learned(), Generations()
    session = session_with(model)
    for n in range(10, 10 + ENOUGH_ALIKE):
        post = page(n, f"{n}.html", text_of(n))
        watch.note(session, item(post), extract_post(post, model, None, promised=True))
    short = "<P>A short tale of a walk to the harbour in the rain."
    assert isinstance(extract_post(page(31, "12.html", short), model, None, False), Post)
    assert isinstance(extract_post(page(31, "", short), model, None, False), NotAPost)
    model.generations = [replace(each, pattern=None) for each in model.generations]
    assert isinstance(extract_post(page(31, "12.html", short), model, None, False), NotAPost)


def test_pages_of_an_old_template_are_judged_by_what_its_own_rules_find() -> None:
    def new(n: int) -> Page:
        day = f"<p class=day>{n + 1} July 2012</p>"
        return page_of(n, f"<h2 class=title>Post {n}</h2>{day}<div class=text>{text_of(n)}", "Blog")

    def old(n: int, day: str, text: str) -> Page:
        head = f"<h1>The old blog</h1><div class=meta>{day}</div><h3 class=head>Tale {n}</h3>"
        body = f"<table><tr><td>{head}<div class=body>{text}</div></table>"
        return page_of(n, body, "The old blog")

    entries = [
        FeedEntry(
            url=new(n).url,
            title=f"Post {n}",
            content_html=text_of(n),
            published=datetime(2012, 7, n + 1, tzinfo=UTC),
        )
        for n in range(5)
    ]
    model = learn_blog([Sample(page=new(n), entry=each) for n, each in enumerate(entries)])
    watch, session = Generations(), session_with(model)
    text = "<p>A short tale of a walk to the harbour in the rain, and of the way back."
    short, about = (old(n, day, text) for n, day in ((20, "3 May 2005"), (21, "")))
    by_itself = judge_page(short, model)[1]
    for n in range(30, 30 + ENOUGH_ALIKE):
        post = old(n, f"{n - 29} June 2005", text_of(n))
        watch.note(session, item(post), extract_post(post, model, None, promised=True))
    assert by_itself < 0.5
    assert judge_page(about, model)[1] < 0.75 and judge_page(short, model)[1] > 0.95


@pytest.mark.parametrize("linked", [True, False])
def test_titles_that_only_links_name_are_learned_on_old_templates(linked: bool) -> None:
    """Their documents' titles name the site, and no heading is one."""

    def page(n: int) -> Page:
        head = f"<P>Here begins <FONT SIZE=4>Tale {n}</FONT>, which is true, as all of them are."
        cells = f"<TR><TD>index</TD><TD>{head}{text_of(n)}"
        return page_of(n, f"<TABLE><TR><TD><FONT SIZE=5>the log</FONT>{cells}</TABLE>", "the log")

    model, watch = learned(), Generations()
    texts = {page(n).url: f"Tale {n}" if linked else "more" for n in range(30, 51)}
    session = session_with(model, texts)
    for n in range(30, 30 + ENOUGH_ALIKE):
        watch.note(session, item(page(n)), extract_post(page(n), model, None, promised=True))
    post = extract_post(page(50), model, None, promised=True)
    assert isinstance(post, Post) and post.title == ("Tale 50" if linked else None)


def like_page(n: int, name: str) -> Page:
    """A page of one of two templates, ``entry`` and ``story``, that have most labels in common."""
    tag = "div" if name == "entry" else "section"
    head = "<h1>The old blog</h1><p class=menu><a href=/>Home</a> <a href=/all>All tales</a></p>"
    post = f"<h3 class=head>Tale {n}</h3><{tag} class={name}>{text_of(n)}</{tag}>"
    foot = f"<p class=foot>Written by hand, by the sea</p><p class=end>{'Thanks. ' * 20}</p>"
    return page_of(n, f"<div class=page>{head}{post}{foot}</div>", f"Tale {n} : The old blog")


def test_what_is_the_same_on_several_pages_is_no_content() -> None:
    """Where posts are short, a sidebar has the most text."""

    def page(n: int) -> Page:
        side = f"<div id=side><h4>Side notes of the week</h4>{text_of(3)}</div>"
        post = (
            f"<h3 class=head>Tale {n}</h3><div class=body><p>A {WORDS[n % 10]}, no more.</p></div>"
        )
        return page_of(n, f"<div class=page>{side}{post}</div>", f"Tale {n} : The old blog")

    model, watch = learned(), Generations()
    session = session_with(model)
    session.services.limits.account.limit_seconds = 20.0
    for n in range(30, 45):
        watch.note(session, item(page(n)), extract_post(page(n), model, None, promised=True))
    settled(watch, session)
    for each in model.generations:
        assert not any("side" in rule.xpath for rule in each.ruleset.rules.get("content", ()))


@pytest.mark.parametrize("order", ["eeeeeeeessssssss", "sssssssseeeeeeee", "eeeeesssseeessss"])
def test_templates_with_most_labels_in_common_each_have_their_rules(order: str) -> None:
    """Also where those of one come first: what is read first depends on chance."""
    model, watch = learned(), Generations()
    session = session_with(model)
    session.services.limits.account.limit_seconds = 20.0
    for n, letter in enumerate(order, 30):
        page = like_page(n, "entry" if letter == "e" else "story")
        watch.note(session, item(page), extract_post(page, model, None, promised=True))
    for name in ("entry", "story"):
        post = extract_post(like_page(90, name), model, None, promised=True)
        assert isinstance(post, Post) and name in (post.extraction["content"]["rule"] or "")
        assert len(post.content_text.splitlines()) == 12


def test_posts_that_the_rules_read_make_no_generation() -> None:
    model, watch = learned(), Generations()
    session = session_with(model)
    for n in range(30, 31 + ENOUGH_ALIKE):
        page = new_page(n)
        assert not watch.note(session, item(page), extract_post(page, model, None, promised=True))
    assert model.generations == []


def promised(page: Page, n: int) -> PostPage:
    entry = FeedEntry(url=page.url, title=f"Tale {n}", content_html=text_of(n), is_full=True)
    return PostPage(page=page, entry=entry, promised=True, frontier_url=page.url)


def endless(*_: object) -> BlogModel:
    while True:
        time.process_time()


Watch = Callable[[Any], tuple[list[Page], list[bool]]]


def old_posts_of_no_feed(session: Any) -> tuple[list[Page], list[bool]]:
    watch, pages = Generations(), [old_page(n) for n in range(30, 32 + ENOUGH_ALIKE)]
    verdicts = [extract_post(page, session.model, None, promised=True) for page in pages]
    return pages[:ENOUGH_ALIKE], [
        watch.note(session, item(page), verdict)
        for page, verdict in zip(pages, verdicts, strict=True)
    ]


def posts_of_a_new_template(session: Any) -> tuple[list[Page], list[bool]]:
    watch, noted = Templates(), []
    items = [promised(new_page(n), n) for n in (10, 11)]
    items += [promised(old_page(n), n) for n in range(30, 30 + ENOUGH)]
    for each in items:
        verdict = extract_post(each.page, session.model, None, promised=True)
        noted.append(watch.note(session, each, verdict))
    return [each.page for each in items[2:]], noted


@pytest.mark.parametrize("watch", [old_posts_of_no_feed, posts_of_a_new_template])
def test_learning_anew_that_takes_too_long_is_charged_to_the_pages_and_reported(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relearning, "learn_blog", endless)
    model = learned()
    session = session_with(model)
    pages, noted = watch(session)
    assert not any(noted) and session.model is model and not model.generations
    account = session.services.limits.account
    assert sum(0.3 - account.left(page) for page in pages) > 0.14
    assert [any(page.url in note for page in pages) for note in session.known.notes] == [True]


@pytest.mark.parametrize("watch", [old_posts_of_no_feed, posts_of_a_new_template])
def test_learning_anew_is_charged_to_the_pages_that_were_learned_from(watch: Watch) -> None:
    session = session_with(learned())
    session.services.limits.account.limit_seconds = 20.0
    pages, noted = watch(session)
    assert any(noted)
    left = [session.services.limits.account.left(page) for page in pages]
    assert max(left) < 20.0


@pytest.mark.parametrize("of_old", [True, False])
def test_rules_learned_anew_must_read_the_posts_of_both_templates(
    of_old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_one(samples: list[Sample], *_: object) -> BlogModel:
        found = [each for each in samples if (b"class=menu" in each.page.body) == of_old]
        return learn_blog(found)

    model = learned()
    session = session_with(model)
    session.services.limits.account.limit_seconds = 20.0
    monkeypatch.setattr(relearning, "learn_blog", of_one)
    _, noted = posts_of_a_new_template(session)
    assert not any(noted) and session.model is model


def test_page_that_ends_while_new_rules_are_tried_leaves_the_old_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relearning, "_fits", endless)
    model = learned()
    session = session_with(model)
    pages, noted = posts_of_a_new_template(session)
    assert not any(noted) and session.model is model
    assert [any(page.url in note for page in pages) for note in session.known.notes] == [True]


def test_post_whose_time_is_used_up_before_learning_anew_is_a_post_all_the_same() -> None:
    session = session_with(learned())
    page = old_page(30)
    verdict = extract_post(page, session.model, None, promised=True)
    session.services.limits.account.charge(page.url, 1.0)
    stage = ExtractStage(cast("Any", None))
    assert not stage._learned(session, promised(page, 30), verdict)
    assert [page.url in note for note in session.known.notes] == [True]


def test_words_that_all_pages_of_a_blog_have_are_no_tags_on_older_templates() -> None:
    known = SiteFacts(tags=TagFacts(template={"blog": 1}))
    facts = SiteFacts(tags=TagFacts(source="meta keywords", template={"paris": 1}))
    relearning._inherit(facts, known)
    assert facts.tags is not None and facts.tags.template == {"blog": 1, "paris": 1}
    other = SiteFacts(tags=TagFacts(source="tag links"))
    relearning._inherit(
        other, SiteFacts(tags=TagFacts(source="meta keywords", template={"blog": 1}))
    )
    assert other.tags is not None and not other.tags.template
