"""Addresses in the data of a page's scripts."""

from __future__ import annotations

import json

import pytest

from blogcrawl.core.page import Page
from blogcrawl.discovery.script_data import addresses_in_scripts

H = "https://b.example"
SHOWN = '<a href="/notes/first-rain/">First rain</a><a href="/notes/old-bridge/">Old bridge</a>'
SLUGS = ["first-rain", "old-bridge", "long-winter"]


def found(script: str, shown: str = SHOWN) -> list[str]:
    page = Page(url=H + "/", body=f"<html><body>{shown}{script}</body></html>".encode())
    return [url.removeprefix(H) for url in addresses_in_scripts(page)]


def data(value: object) -> str:
    kind = "id=__NEXT_DATA__ type=application/json"
    return f"<script {kind}>{json.dumps({'props': {'posts': value}})}</script>"


@pytest.mark.parametrize(
    "script",
    [
        data([{"href": "/notes/long-winter/", "title": "Long winter"}]),
        r'<script>window.__NUXT__={data:[{path:"\u002Fnotes\u002Flong-winter\u002F"}]}</script>',
        r'<script>var posts = ["https:\/\/b.example\/notes\/long-winter\/"]</script>',
        "<script>const all = ['/notes/long-winter/', 'https://other.example/x']</script>",
    ],
)
def test_addresses_on_the_own_site_are_found(script: str) -> None:
    assert found(script) == ["/notes/long-winter/"]


def test_addresses_are_made_of_slugs_as_links_are() -> None:
    entries = [{"slug": slug, "title": slug} for slug in SLUGS]
    assert found(data(entries)) == [f"/notes/{slug}/" for slug in SLUGS]
    dated = SHOWN.replace("/notes/first-rain/", "/2014/03/first-rain.html")
    assert not found(data(entries), dated), "the others' days are not known"
    assert not found(data([{"slug": "unknown-to-links"}]))


def test_texts_are_no_addresses() -> None:
    assert not found("<script>var a = 'either / or', b = \"</p>\", c = '/' + d;</script>")
    assert not found('<p>"/notes/long-winter/"</p><script src="/notes/long-winter/"></script>')
