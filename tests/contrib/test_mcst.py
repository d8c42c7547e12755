"""E-mCST: importance, markers, their limits."""

from __future__ import annotations

import json
import math
import random

import pytest
from msgspec import convert, to_builtins

from blogcrawl.contrib.mcst import McstExtractor, attenuation, main_block, markers_of
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.induction.ruleset import RuleSet, Sample

LOREM = (
    "Words of the post number {n}, enough of them to make a sentence that counts for something. "
)


def page_of(body: str, n: int = 0) -> Page:
    return Page(
        url=f"https://blog.example/p{n}/",
        body=f"<html><body>{body}</body></html>".encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def post(n: int, marker: str = "class='storytext'", length: int = 6) -> Page:
    text = "".join(f"<p>{LOREM.format(n=n)}</p>" for _ in range(length))
    menu = "".join(f"<li><a href=/{i}>A link of the menu {i}</a></li>" for i in range(30))
    return page_of(
        (
            f"<div id=page><ul class=menu>{menu}</ul><div id=main-{n}><h1>T{n}</h1><div "
            f"{marker}>{text}</div></div><div>© {n}</div></div>"
        ),
        n,
    )


def sample(page: Page, content: str | None = None) -> Sample:
    return Sample(
        page=page, entry=FeedEntry(url=page.url, content_html=content, is_full=content is not None)
    )


def test_attenuation_follows_equation_3() -> None:
    assert attenuation(0, 0) == pytest.approx(1.0)
    assert attenuation(90, 90) == pytest.approx(0.25)
    assert attenuation(3, 7) == pytest.approx(1 / (math.log10(13) * math.log10(17)))


def test_text_block_beats_link_blocks_and_wrappers() -> None:
    page = post(1)
    blocks = blocks_of(page)
    number = main_block(blocks)
    assert number is not None
    assert blocks.elements[number].get("class") == "storytext"
    assert markers_of(blocks, number) == ["div|class|storytext"]


def test_named_comments_are_never_the_main_block() -> None:
    comments = "".join(f"<li><p>{LOREM.format(n=i) * 3}</p></li>" for i in range(40))
    page = page_of(
        f"<div class=storytext><p>{LOREM}</p></div><div id=comments><ol>{comments}</ol></div>"
    )
    blocks = blocks_of(page)
    number = main_block(blocks)
    assert number is not None
    assert "comments" not in [
        outer.get("id") for outer in blocks.elements[number].iterancestors()
    ] + [blocks.elements[number].get("id")]


def test_markers_with_the_post_number_are_ignored() -> None:
    blocks = blocks_of(post(77, marker="id='post-1377' class='post-1377 storytext'"))
    number = main_block(blocks)
    assert number is not None
    assert markers_of(blocks, number) == ["div|class|storytext"]


def test_learned_markers_find_a_short_post() -> None:
    rules = McstExtractor().learn([sample(post(n)) for n in range(6)])
    assert rules is not None
    assert rules.slot("mcst")["markers"][0] == ["div|class|storytext", 1.0]
    about = f"<div class=about>{'<p>' + LOREM + '</p>'}</div>" * 4
    page = page_of(f"<div class=storytext>Short one.</div>{about}")
    fields = McstExtractor().extract(page, rules)
    assert fields is not None
    assert fields["content"][0].value.get("class") == "storytext"
    assert fields["content"][0].confidence > 0.7


def test_second_template_gets_the_second_marker() -> None:
    pages = [post(n) for n in range(5)] + [post(n, marker="class='longread'") for n in range(5, 8)]
    rules = McstExtractor().learn([sample(page) for page in pages])
    assert rules is not None
    assert [marker for marker, _support in rules.slot("mcst")["markers"]] == [
        "div|class|storytext",
        "div|class|longread",
    ]
    fields = McstExtractor().extract(post(9, marker="class='longread'"), rules)
    assert fields is not None and fields["content"][0].rule == "div|class|longread"


def test_ambiguous_marker_falls_back_to_importance() -> None:
    rules = McstExtractor().learn([sample(post(n)) for n in range(4)])
    text = "".join(f"<p>{LOREM}</p>" for _ in range(5))
    page = page_of(
        f"<div class=storytext>a</div><div class=storytext>b</div><div id=real>{text}</div>"
    )
    fields = McstExtractor().extract(page, rules)
    assert (
        fields is not None
        and fields["content"][0].value.get("id") == "real"
        and fields["content"][0].rule == "importance"
    )


def test_pages_unlike_their_feed_text_have_little_weight() -> None:
    good = [
        sample(post(n), "".join(f"<p>{LOREM.format(n=n)}</p>" for _ in range(6))) for n in range(2)
    ]
    bad = [
        sample(post(n, marker="class='teaserbox'"), "<p>Quite another 1234 text, xyz!</p>")
        for n in range(10, 14)
    ]
    rules = McstExtractor().learn(good + bad)
    assert rules is not None and rules.slot("mcst")["markers"][0][0] == "div|class|storytext"


def test_learning_does_not_depend_on_order_and_survives_json() -> None:
    samples = [sample(post(n, marker=f"class='storytext c{'ab'[n % 2]}'")) for n in range(8)]
    rules = McstExtractor().learn(samples)
    assert rules is not None
    random.Random(5).shuffle(samples)
    again = McstExtractor().learn(samples)
    assert again is not None and again == rules
    back = convert(json.loads(json.dumps(to_builtins(rules))), RuleSet)
    one, two = (
        McstExtractor().extract(post(3, marker="class='storytext ca'"), which)
        for which in (rules, back)
    )
    assert one is not None and two is not None and one["content"][0].rule == two["content"][0].rule


def test_empty_page_yields_nothing() -> None:
    assert McstExtractor().extract(page_of("")) is None
    assert McstExtractor().learn([]) is None
    assert McstExtractor().learn([sample(page_of(""))]) is None
