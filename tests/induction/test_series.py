"""Separation of posts and comments by comparing a series of pages."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from lxml.html import HtmlElement
from msgspec import convert, to_builtins

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.dom.text_blocks import texts
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.series import SeriesExtractor, calls


def words(seed: str, count: int = 30) -> str:
    rng = random.Random(seed)
    return (
        " ".join(
            "".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(2, 8)))
            for _ in range(count)
        ).capitalize()
        + "."
    )


def page_of(
    n: int, comments: int, *, comment_class: str = "row", extra: str = "", label: str = ""
) -> Page:
    paragraphs = (
        "".join(f"<p>{words(f'p{n}.{i}')}</p>" for i in range(3))
        + extra
        + f"<p>{words(f'last{n}')}</p>"
    )
    said = "".join(
        (
            f"<div class='{comment_class}'><i>Guest {i}</i><div "
            f"class=said>{words(f'c{n}.{i}')}</div></div>"
        )
        for i in range(comments)
    )
    body = (
        f"<div class=top><h1>My blog</h1><p>{words('tagline')}</p></div><div "
        f"class=story><h2>{words(f't{n}', 4)}</h2>"
        f"<div class=inner>{paragraphs}</div></div><div class=below>{label}{said}</div><div "
        f"class=foot><p>{words('foot')}</p></div>"
    )
    return Page(
        url=f"https://b.example/{n}",
        body=f"<html><body>{body}</body></html>".encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def sample(page: Page, content: str | None = None) -> Sample:
    return Sample(
        page=page, entry=FeedEntry(url=page.url, content_html=content, is_full=content is not None)
    )


def text_of(page: Page, rules: RuleSet | None) -> str:
    fields = SeriesExtractor().extract(page, rules)
    assert fields is not None
    value = fields["content"][0].value
    assert isinstance(value, list | HtmlElement)
    return clean_content(value, page).text


def test_comments_on_some_pages_are_separated_from_the_post() -> None:
    rules = SeriesExtractor().learn([sample(page_of(n, comments=(n % 3) * 4)) for n in range(9)])
    assert rules is not None
    slot = rules.slot("series")
    assert slot["post"][0].endswith("div.inner")
    assert any("div.said" in name for name in slot["comment"])
    text = text_of(page_of(50, comments=6), rules)
    assert words("p50.0") in text and words("last50") in text
    assert words("c50.0") not in text and words("foot") not in text


def test_feed_separates_comments_present_on_every_page() -> None:
    pages = [page_of(n, comments=3) for n in range(6)]
    feeds = [
        "".join(f"<p>{words(f'p{n}.{i}')}</p>" for i in range(3)) + f"<p>{words(f'last{n}')}</p>"
        for n in range(6)
    ]
    rules = SeriesExtractor().learn(
        [sample(page, feed) for page, feed in zip(pages, feeds, strict=True)]
    )
    text = text_of(page_of(50, comments=40), rules)
    assert words("p50.0") in text and words("c50.0") not in text


def test_class_names_separate_comments_without_a_feed() -> None:
    rules = SeriesExtractor().learn(
        [sample(page_of(n, comments=9, comment_class="comment")) for n in range(6)]
    )
    text = text_of(page_of(50, comments=40, comment_class="comment"), rules)
    assert words("p50.0") in text and words("c50.0") not in text


def test_label_separates_comments_present_on_every_page_from_a_shorter_post() -> None:
    def page(n: int, *, is_about: bool = False) -> Page:
        found = page_of(n, comments=30, label="<h3>30 comments on “A walk”</h3>")
        return replace(found, body=found.body.replace(b"inner", b"about")) if is_about else found

    for others in (0, 2):
        series = [page(n, is_about=n < others) for n in range(9)]
        rules = SeriesExtractor().learn([sample(one) for one in series])
        text = text_of(page(50), rules)
        assert words("p50.0") in text and words("c50.0") not in text


def test_table_that_is_named_is_the_posts_box() -> None:
    def page(n: int) -> Page:
        said = f"<table class=said><tr><td>{words(f'c{n}')}</td></tr></table>" * (n > 7)
        post = f"<table class=post><tr><td><p>{words(f'p{n}')}</p></td></tr></table>"
        layout = f"<table><tr><td>{words('menu')}</td><td>{post}{said}</td></tr></table>"
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{layout}".encode())

    rules = SeriesExtractor().learn([sample(page(n)) for n in range(6)])
    assert text_of(page(8), rules) == words("p8")


def test_cells_of_a_table_are_known_by_their_names() -> None:
    def page(n: int) -> Page:
        head = f"<tr><td class=head>{words(f'h{n}', 4)}</td></tr>"
        text = f"<tr><td class=text>{words(f'p{n}')}</td></tr>"
        foot = f"<tr><td class=foot>{words(f'f{n}', 5)}</td></tr>"
        body = f"<table class=post>{head}{text}{foot}</table>"
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{body}".encode())

    rules = SeriesExtractor().learn([sample(page(n)) for n in range(6)])
    assert text_of(page(7), rules) == words("p7")


def test_names_of_tags_on_the_post_do_not_part_the_series() -> None:
    def page(n: int) -> Page:
        post = f"<article class='post tag-t{'abcdefgh'[n]}'><div class=own><p>{words(f'p{n}')}</p>"
        card = f"<div class=card><p class=day>{n + 10} May 2010</p></div>"
        body = f"{post}</div></article><div class=more>{card}</div>"
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{body}".encode())

    rules = SeriesExtractor().learn([sample(page(n)) for n in range(6)])
    assert text_of(page(7), rules) == words("p7")


def test_template_blocks_between_post_blocks_are_restored() -> None:
    same = f"<p>{words('disclosure that stands in many posts')}</p>"
    rules = SeriesExtractor().learn(
        [sample(page_of(n, comments=n % 2, extra=same)) for n in range(6)]
    )
    text = text_of(page_of(50, comments=2, extra=same), rules)
    assert words("disclosure that stands in many posts") in text


def test_box_inside_some_posts_is_kept() -> None:
    def box(n: int) -> str:
        return f"<div class='highlight'><pre>{words(f'code{n}', 60)}</pre></div>" if n % 2 else ""

    rules = SeriesExtractor().learn(
        [sample(page_of(n, comments=n % 3, extra=box(n))) for n in range(9)]
    )
    text = text_of(page_of(51, comments=2, extra=box(51)), rules)
    assert words("code51", 60) in text and words("last51") in text


def called(page: Page, rules: RuleSet | None) -> dict[str, str]:
    """Text -> what the series calls it."""
    assert rules is not None
    blocks = blocks_of(page)
    named = {i: call for i, call, _ in calls(blocks, rules.slot("series") or {})}
    return {text: named[i] for i, text, _ in texts(blocks)}


def wrapped(n: int) -> Page:
    """A post written in an editor that wraps as it likes, named comments on every page, a foot line
    on some.
    """
    story = "".join(f"<div>{words(f'p{n}.{i}')}</div>" for i in range(2))
    story += f"<div><div>{words(f'deep{n}', 60)}</div></div>" if n % 3 else ""
    story += (
        f"<table class=picture><tr><td>{words(f'caption{n}', 8)}</td></tr></table>" if n % 2 else ""
    )
    said = "".join(
        (
            f"<div class=comment><b>Guest {n}.{i}</b><p>{words(f'c{n}.{i}')}</p><p><a>Reply to "
            f"this</a></p></div>"
        )
        for i in range(3)
    )
    foot = f"<footer><p>Filed under {words(f'tag{n}', 3)}</p></footer>" if n % 2 else ""
    top = f"<div class=banner><p>{words(f'banner{n}', 5)}</p></div>" if n % 2 else ""
    body = (
        f"{top}<div class=entry><div class=story>{story}</div>{foot}<div "
        f"class=comments>{said}</div></div>"
    )
    return Page(url=f"https://b.example/{n}", body=f"<html><body>{body}</body></html>".encode())


def test_editor_wrapped_block_is_post_and_its_surroundings_no_comment() -> None:
    found = called(wrapped(51), SeriesExtractor().learn([sample(wrapped(n)) for n in range(12)]))
    by = {
        name: {call for text, call in found.items() if text.startswith(name)}
        for name in ("Guest", "Reply", "Filed")
    }
    assert found[words("p51.0")] == found[words("caption51", 8)] == "post"
    assert (
        found[words("c51.0")] == "comment" and by["Reply"] == {""} and "comment" not in by["Filed"]
    )
    assert found[words("banner51", 5)] != "comment"


def test_rules_of_an_older_program_are_still_read() -> None:
    rules = SeriesExtractor().learn([sample(page_of(n, comments=n % 3)) for n in range(8)])
    assert rules is not None
    slot = {
        key: value
        for key, value in (rules.slot("series") or {}).items()
        if key in ("post", "comment", "common")
    }
    assert words("p60.0") in text_of(page_of(60, 3), RuleSet(methods={"series": slot}))


def test_too_few_pages_train_nothing() -> None:
    assert SeriesExtractor().learn([sample(page_of(n, 2)) for n in range(2)]) is None
    assert SeriesExtractor().learn([]) is None
    assert SeriesExtractor().extract(page_of(1, 1), None) is None


def test_series_rules_are_order_independent_and_survive_json() -> None:
    samples = [sample(page_of(n, comments=n % 3)) for n in range(8)]
    rules = SeriesExtractor().learn(samples)
    assert rules is not None
    again = SeriesExtractor().learn(samples[::-1])
    assert again is not None and again == rules
    back = convert(json.loads(json.dumps(to_builtins(rules))), RuleSet)
    assert text_of(page_of(60, 3), back) == text_of(page_of(60, 3), rules)


def test_identical_pages_have_no_content() -> None:
    assert SeriesExtractor().learn([sample(page_of(1, 2)) for _ in range(4)]) is None


def with_teasers(n: int, posts: dict[int, str], shown: tuple[int, ...]) -> Page:
    teasers = "".join(
        f"<a href='/{m}'><div class=teaser><div class=excerpt>{posts[m]}</div></div></a>"
        for m in shown
    )
    day = f"<div class=meta><div class=line>Written on 2020-03-{n + 10}</div></div>"
    text = "".join(f"<p>{part}</p>" for part in posts[n].split("|"))
    body = (
        f"<div class=top><p>{words('tagline')}</p></div>{day}<main class=layout><article "
        f"class=text>{text}</article></main>{teasers}"
    )
    return Page(url=f"https://b.example/{n}", body=f"<html><body>{body}</body></html>".encode())


def test_short_post_repeated_on_neighbours_is_no_template() -> None:
    posts = {
        n: words(f"p{n}") + ("" if n % 4 == 0 else "|" + words(f"q{n}", 60)) for n in range(12)
    }
    pages = [with_teasers(n, posts, tuple(m for m in (n - 1, n + 1) if m in posts)) for n in posts]
    rules = SeriesExtractor().learn([sample(page) for page in pages])
    assert rules is not None and [
        name.rsplit("/", 1)[-1] for name in rules.slot("series")["post"]
    ] == ["article.text"]
    assert text_of(pages[4], rules) == posts[4]


def test_line_of_dates_is_not_the_post() -> None:
    posts = {n: "" if n % 4 == 0 else words(f"p{n}", 200) for n in range(12)}
    assert SeriesExtractor().learn([sample(with_teasers(n, posts, ())) for n in posts]) is None


def licensed(n: int) -> Page:
    """A page whose notice of rights names it and shows its address; one post is a picture only."""
    story = f"<p>{words(f'p{n}', 40)}</p>" if n else "<p><img src=/a.png></p>"
    address = f"https://b.example/2017/08/20/{words(f'u{n}', 3)[:-1].lower().replace(' ', '-')}/"
    body = (
        f"<article><h1>{words(f't{n}', 3)}</h1><div class=story>{story}</div><div class=rights>"
        f"<div class=named><div>{words(f't{n}', 3)}</div><div>{address}</div></div></div></article>"
    )
    return Page(url=address, body=f"<html><body>{body}</body></html>".encode())


def test_addresses_of_pages_are_not_what_their_posts_have_in_common() -> None:
    assert SeriesExtractor().learn([sample(licensed(n)) for n in range(8)]) is None
