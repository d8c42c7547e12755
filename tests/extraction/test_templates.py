"""Several templates in one blog: kinds of posts side by side, an old theme on old pages, one that
the feed never showed.

A rule has no template: rules are tried in order, and each but the last is silent on pages of other
templates. These tests are the proof that so the right one is chosen on every page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import (
    BlogModel,
    Generation,
    Hints,
    NotAPost,
    extract_post,
    learn_blog,
)
from blogcrawl.induction.fingerprint import Marks
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.text.visible import squeeze
from tests.crawling.blog import Entry, entries

POSTS = entries(60)
ASIDE = "".join(
    f'<li><a href="/x{k}/">Other story number {k} of the blog</a></li>' for k in range(8)
)


def lines(entry: Entry, count: int) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in entry.paragraphs[:count])


def shell(entry: Entry, body: str, kind: str) -> str:
    head = f"<head><title>{escape(entry.title)} | Small Notes</title></head>"
    return (
        f'<html>{head}<body class="{kind}"><header><h1 class="site">Small Notes</h1>'
        f'</header>{body}<aside class="widget"><h3>Latest</h3><ul>{ASIDE}</ul></aside><footer>fo'
        f"ot</footer></body></html>"
    )


def text(e: Entry) -> str:
    by = f'<p class="meta">{e.date:%d %B %Y} by <b>Ada</b></p>'
    return shell(
        e,
        (
            f'<article class="post"><h1 class="title">{e.title}</h1>{by}<div '
            f'class="entry">{lines(e, 4)}</div></article>'
        ),
        "single",
    )


def photo(e: Entry) -> str:
    picture = (
        f'<figure><img src="/p{e.number}.jpg"></figure><h2 class="cap">{e.title}</h2><div '
        f'class="caption">{lines(e, 1)}</div>'
    )
    foot = (
        f'<div class="exif">Camera 5D f/2.8</div><time '
        f'datetime="{e.date.isoformat()}">{e.date:%d %B %Y}</time><i class="who">Ada</i>'
    )
    return shell(e, f'<div class="photo-post">{picture}{foot}</div>', "single photo")


def link(e: Entry) -> str:
    head = f'<h1 class="title"><a href="http://away.example/{e.number}">{e.title}</a></h1>'
    quoted = f'<blockquote class="quoted">{lines(e, 2)}</blockquote><p class="via">via somebody</p>'
    return shell(
        e,
        f'<div class="linklog">{head}{quoted}<span class="date">{e.date:%Y-%m-%d}</span></div>',
        "single link",
    )


def review(e: Entry) -> str:
    box = (
        f'<div class="box"><h1 class="title">{e.title}</h1><ul class="facts"><li>Rating: '
        f"4</li><li>Price: 20</li></ul></div>"
    )
    by = f'<p class="meta">{e.date:%d %B %Y} by <b>Ada</b></p>'
    return shell(
        e,
        f'<article class="review">{box}<div class="verdict">{lines(e, 4)}</div>{by}</article>',
        "single review",
    )


def old(e: Entry) -> str:
    words = "<br><br>".join(escape(text) for text in e.paragraphs)
    cell = (
        f"<h2>{e.title}</h2><i>{e.date:%B %d, %Y}</i><div "
        f'class="words">{words}</div><hr>posted by Ada'
    )
    table = f'<table><tr><td class="l">menu</td><td class="r">{cell}</td></tr></table>'
    return f"<html><head><title>{e.title}</title></head><body>{table}</body></html>"


Template = Callable[[Entry], str]
SHOWN = {text: 4, photo: 1, link: 2, review: 4, old: 4}


def page(e: Entry, template: Template) -> Page:
    return Page(url=f"http://notes.example{e.path}", body=template(e).encode())


def learned(templates: Sequence[Template], once: Template | None = None) -> BlogModel:
    """The model of ten posts; ``once``: the template of one of them alone."""
    samples = []
    for number in range(10):
        e, template = (
            POSTS[59 - number],
            once if once is not None and number == 4 else templates[number % len(templates)],
        )
        feed_html = lines(e, SHOWN[template])
        entry = FeedEntry(
            url=f"http://notes.example{e.path}",
            title=e.title,
            published=e.date,
            authors=("Ada",),
            content_html=feed_html,
            is_full=True,
        )
        samples.append(Sample(page=page(e, template), entry=entry))
    return learn_blog(samples, Hints())


@pytest.mark.parametrize(
    ("in_feed", "beyond"),
    [
        ((text, text, photo), (text, photo)),
        ((text, photo, link), (text, photo, link)),
        ((text, photo, link, review, old), (text, photo, link, review, old)),
        ((text, text, old), (text, old)),
        ((text,), (text, review)),
        ((text,), (text, old)),
    ],
    ids=["two", "three", "five", "old-and-new", "a-kind-never-shown", "an-old-theme-never-shown"],
)
def test_matching_rules_are_chosen_on_every_page(
    in_feed: tuple[Template, ...], beyond: tuple[Template, ...]
) -> None:
    model = learned(in_feed)
    for number in range(20):
        e, template = POSTS[number], beyond[number % len(beyond)]
        post = extract_post(page(e, template), model)
        assert isinstance(post, Post), (template, post)
        assert squeeze(post.content_text) == squeeze(" ".join(e.paragraphs[: SHOWN[template]])), (
            template
        )
        assert post.title == e.title, template
        assert post.published is not None and post.published.date() == e.date.date(), template
        assert post.authors == ("Ada",), template


@pytest.mark.parametrize(
    ("usual", "once"),
    [(text, photo), (text, old), (photo, link), (link, old), (review, photo), (old, text)],
)
def test_template_with_one_post_in_the_feed(usual: Template, once: Template) -> None:
    """A rule wide enough to be right on both would take in the menu of the one, or the frame of the
    other.
    """
    model = learned((usual,), once)
    for number in range(12):
        e, template = POSTS[number], (usual, once)[number % 2]
        post = extract_post(page(e, template), model)
        assert isinstance(post, Post)
        assert squeeze(post.content_text) == squeeze(" ".join(e.paragraphs[: SHOWN[template]])), (
            template
        )


def test_page_unmatched_by_rules_is_no_post() -> None:
    model = learned((text,))
    month = "".join(
        f'<h2><a href="{e.path}">{e.title}</a></h2><p>{e.paragraphs[0]}</p>' for e in POSTS[:6]
    )
    others = {
        "/about/": (
            "<title>About</title><body><h1>About</h1><p>These are small notes about the "
            "house and its garden, since 2003.</p>"
        ),
        "/2024/01/": f"<title>January</title><body>{month}",
        POSTS[3].path: (
            "<title>Page not found</title><body><h1>404</h1><p>Nothing was found here, sorry.</p>"
        ),
    }
    for path, body in others.items():
        assert isinstance(
            extract_post(
                Page(url=f"http://notes.example{path}", body=f"<html>{body}</html>".encode()), model
            ),
            NotAPost,
        ), path


def test_a_page_is_read_by_the_template_whose_rules_find_the_most_on_it() -> None:
    """Templates without classes are distinguished by nothing else; the first one learned must not
    claim the pages of the others."""
    rule = partial(Rule, support_right=9, support_tried=9, mean_score=0.9)
    body = {"content": (rule(field="content", xpath="/html/body[1]"),)}
    day = rule(field="published", xpath="/html/body[1]/p[4]", pattern="es|d MMMM y")
    dated = Generation((), RuleSet(rules=body | {"published": (day,)}, samples=9))
    undated = Generation((), RuleSet(rules=body, samples=9))
    lines = "<p>uno<p>dos<p>tres<p>{}<p>cinco"
    page = Page(url="http://blog.test/a.htm", body=lines.format("cuatro").encode())
    assert BlogModel(generations=[dated, undated]).generation_of(page) is undated
    assert BlogModel(generations=[dated]).generation_of(page) is None
    page = Page(url="http://blog.test/b.htm", body=lines.format("13 de noviembre de 2004").encode())
    assert BlogModel(generations=[undated, dated]).generation_of(page) is dated


@pytest.mark.parametrize(("prefix", "is_read"), [("", True), ("old-", False)])
def test_older_template_of_the_same_layout_is_not_read_by_rules_that_go_by_place(
    prefix: str, is_read: bool
) -> None:
    names = ("meta", "title", "body", "rel", "foot", "ch")
    found = {"support_right": 9, "support_tried": 9, "mean_score": 0.9}
    rule = Rule(field="content", xpath="//tr[1]/td[1]", **found)
    model = BlogModel(
        ruleset=RuleSet(rules={"content": (rule,)}, samples=9),
        marks=Marks(posts=tuple(f".{name}" for name in names)),
    )
    cells = "".join(f"<p class={prefix}{name}>The river came over the wall." for name in names)
    html = f"<table><tr><td>{cells}<td>Notes</table>"
    assert model.is_read(Page(url="http://blog.test/a/", body=html.encode())) is is_read
