"""Addresses with the query in the name of a file, as mirrors write them."""

from __future__ import annotations

import pytest

from blogcrawl.discovery.archives import hub_kind
from blogcrawl.dom.links import Link
from blogcrawl.urls.parts import as_asked, path_and_query
from blogcrawl.urls.post_pattern import LIKELY, PostPattern

BASE = "http://b.example/blog"
FORMS = ["index.html%3F{}.html", "index.html@{}.html", "index.html%3F{}"]


@pytest.mark.parametrize("form", FORMS)
def test_queries_in_names_of_files_are_queries(form: str) -> None:
    assert as_asked(f"{BASE}/{form.format('p=12')}") == f"{BASE}/?p=12"
    assert path_and_query(f"{BASE}/{form.format('p=12')}") == ("b.example/blog/", "p=12")
    older = Link(url=f"{BASE}/{form.format('paged=2')}", anchor="Older")
    assert hub_kind(older) == "next"


@pytest.mark.parametrize(
    "url",
    [
        "http://b.example/@ann/a-walk=home/",
        "http://b.example/mail@example.org",
        "http://b.example/view.php?id=12",
        "http://b.example/why%3F.html",
    ],
)
def test_other_addresses_stay_as_they_are(url: str) -> None:
    assert as_asked(url) == url


@pytest.mark.parametrize("form", FORMS)
def test_posts_of_a_mirror_differ_from_its_lists(form: str) -> None:
    pattern = PostPattern.learn([f"{BASE}/{form.format(f'p={n}')}" for n in range(12, 21)])
    assert pattern.score(f"{BASE}/{form.format('p=48')}") >= LIKELY
    for query in ("cat=3", "paged=2", "m=200805"):
        assert pattern.score(f"{BASE}/{form.format(query)}") < LIKELY
