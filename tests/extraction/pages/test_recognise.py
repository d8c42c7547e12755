"""Posts told from lists that look like them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import BlogModel, Hints, NotAPost, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.urls.canonical import entry_key

DAY = datetime(2020, 5, 4, tzinfo=UTC)
H = "https://b.example"


def page_of(path: str, title: str, words: str) -> Page:
    text = "".join(
        f"<p>{words} {i} and some more words of the post, which say little.</p>" for i in range(4)
    )
    body = (
        f"<main><h1>{title}</h1><time datetime='2020-05-04'>4 May 2020</time><div "
        f"class=body>{text}</div></main>"
    )
    return Page(
        url=H + path,
        body=f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode(),
    )


@pytest.mark.parametrize(("path", "is_post"), [("/blog/3/", False), ("/blog/a-third-walk/", True)])
def test_the_second_page_of_a_section_is_no_post(path: str, is_post: bool) -> None:
    names = (
        "a-walk",
        "two-geese",
        "three-boats",
        "the-river-in-may",
        "bread-and-salt",
        "my-oldest-kettle",
    )
    pages = [
        page_of(f"/blog/{name}/", name.replace("-", " "), f"words of {name}") for name in names
    ]
    samples = [
        Sample(
            page=page,
            entry=FeedEntry(url=page.url, title=page.tree.findtext(".//h1") or "", published=DAY),
        )
        for page in pages
    ]
    model = learn_blog(samples, Hints(home=page_of("/", "Blog", "welcome")))
    found = extract_post(page_of(path, "A third walk" if is_post else "Blog", "others"), model)
    assert (
        isinstance(found, Post)
        if is_post
        else isinstance(found, NotAPost) and "the URL is that of a list" in found.reason
    )


@pytest.mark.parametrize("place", ["menu only", "menu and list", "menu of posts"])
def test_what_only_the_menu_leads_to_is_no_post(place: str) -> None:
    names = (
        "a-walk",
        "two-geese",
        "three-boats",
        "the-river-in-may",
        "bread-and-salt",
        "my-oldest-kettle",
    )
    pages = [page_of(f"/{name}/", name.replace("-", " "), f"words of {name}") for name in names]
    samples = [
        Sample(
            page=page,
            entry=FeedEntry(url=page.url, title=page.tree.findtext(".//h1") or "", published=DAY),
        )
        for page in pages
    ]
    menu = (
        "<nav><a href=/hire-me/>Hire me</a> <a href=/our-tools/>Tools</a>"
        + "<a href=/a-walk/>A walk</a>" * (place == "menu of posts")
    )
    items = [*names, "hire-me"] if place == "menu and list" else names
    listed = "".join(f"<article><h2><a href=/{name}/>{name}</a></h2></article>" for name in items)
    home = Page(
        url=H + "/", body=f"<html><body>{menu}</nav><main>{listed}</main></body></html>".encode()
    )
    model = BlogModel.from_json(
        json.loads(json.dumps(learn_blog(samples, Hints(home=home)).to_json()))
    )
    found = extract_post(page_of("/hire-me/", "Hire me", "hire"), model)
    assert (
        isinstance(found, NotAPost) and "menu" in found.reason
        if place == "menu only"
        else isinstance(found, Post)
    )


@pytest.mark.parametrize("among", [True, False])
def test_a_short_name_says_nothing_of_a_page_that_stands_among_posts(among: bool) -> None:
    def page(name: str) -> Page:
        text = "".join(f"<p>Words of {name}, number {i}.</p>" for i in range(3))
        body = (
            f"<header><h1>{name}</h1></header><div class=text>{text}</div><footer><a "
            f"href=/>Home</a></footer>"
        )
        return Page(
            url=f"{H}/{name}/",
            body=f"<html><head><title>{name}</title></head><body>{body}</body></html>".encode(),
        )

    names = (
        "a-walk-in-may",
        "two-grey-geese",
        "three-boats-at-home",
        "the-river-in-may",
        "bread-and-salt",
        "my-oldest-kettle",
    )
    samples = [
        Sample(page=page(name), entry=FeedEntry(url=f"{H}/{name}/", title=name)) for name in names
    ]
    others = [page(name) for name in ("about", "contact", "imprint")]
    model = learn_blog(samples, Hints(home=page_of("/", "Blog", "welcome"), others=others))
    if among:
        model.places.among.add(entry_key(f"{H}/bugs/"))
    assert isinstance(extract_post(page("bugs"), model), Post if among else NotAPost)
