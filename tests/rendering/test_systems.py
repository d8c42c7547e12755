# ruff: noqa: E501 (embeds as vendors write them)
"""The table of comment systems itself: every entry can be used."""

from __future__ import annotations

import re

import pytest
from cssselect import HTMLTranslator

from blogcrawl.comments.sources import json_comments
from blogcrawl.core.page import Page
from blogcrawl.rendering.blocking import blocked, is_tracker
from blogcrawl.rendering.systems import SYSTEMS, CommentSystem, by_name, carried_systems

POST = "http://blog.example/2020/a-post/"


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_system_table_entries_are_valid(system: CommentSystem) -> None:
    assert system.recognise
    for pattern in (*system.recognise, *system.params.values(), system.frame):
        re.compile(pattern)
    assert all(re.compile(p).groups == 1 for p in system.params.values())
    reading = system.reading
    for css in (
        *system.more,
        *system.reveal,
        system.settled,
        system.mount,
        reading.unit,
        reading.author,
        reading.date,
        reading.body,
    ):
        if css:
            HTMLTranslator().css_to_xpath(css)
    assert bool(system.endpoint) == (system.where == "endpoint")
    open_names = set(re.findall(r"\{(\w+)\}", system.endpoint + system.script)) - {
        "url",
        "path",
        "thread",
        "origin",
        "page",
        "number",
    }
    assert open_names == set(system.params) - {"thread"}
    assert by_name(system.name) is system


def test_system_names_are_unique() -> None:
    assert len({s.name for s in SYSTEMS}) == len(SYSTEMS)


EMBEDS = {
    "isso": (
        '<script data-isso="//c.example/isso/"></script>',
        "http://c.example/isso/?uri=%2F2020%2Fa-post%2F",
    ),
    "remark42": (
        "<script>var remark_config = {host: 'https://r.example/', site_id: 'my blog'}</script>",
        "https://r.example/api/v1/find?site=my%20blog&url=http%3A%2F%2Fblog.example%2F2020%2Fa-post%2F&sort=%2Btime&format=tree",
    ),
    "cusdis": (
        '<div id="cusdis_thread" data-host="https://cusdis.com" data-app-id="a1" data-page-id="p/1"></div>',
        "https://cusdis.com/api/open/comments?appId=a1&pageId=p%2F1&page=1",
    ),
    "waline": (
        "<script>Waline.init({el: '#waline', serverURL: 'https://w.example/'})</script>",
        "https://w.example/api/comment?path=%2F2020%2Fa-post%2F&pageSize=100&page=1&lang=en&sortBy=insertedAt_asc",
    ),
    "discourse": (
        "<script>DiscourseEmbed = {discourseUrl: 'https://d.example/'}</script>",
        "https://d.example/embed/comments?embed_url=http%3A%2F%2Fblog.example%2F2020%2Fa-post%2F",
    ),
    "ghost": (
        '<script data-ghost-comments="x" data-post-id="0123456789abcdef01234567"></script>',
        "http://blog.example/members/api/comments/post/0123456789abcdef01234567/?limit=100&page=1",
    ),
    "webmention": (
        '<script src="https://webmention.io/api/mentions.jf2?x"></script>',
        "https://webmention.io/api/mentions.jf2?target=http%3A%2F%2Fblog.example%2F2020%2Fa-post%2F&per-page=100&page=0",
    ),
    "mastodon": (
        "<script>fetch('https://social.example/api/v1/statuses/109123456789/context')</script>",
        "https://social.example/api/v1/statuses/109123456789/context",
    ),
    "substack": (
        '<img src="https://substackcdn.com/x"><script>window._preloads = JSON.parse("{\\"post_id\\":4711}")</script>',
        "http://blog.example/api/v1/post/4711/comments?token=&all_comments=true&sort=oldest_first",
    ),
}


@pytest.mark.parametrize("name", sorted(EMBEDS))
def test_endpoint_urls_are_built(name: str) -> None:
    html, url = EMBEDS[name]
    (carried,) = carried_systems(Page(url=POST, body=html.encode()))
    assert carried.system.name == name and not carried.needs_browser
    assert carried.page_url(1) == url
    assert (carried.page_url(2) is not None) == carried.paged


def test_json_responses_of_different_shapes_are_read() -> None:
    remark = by_name("remark42")
    assert remark is not None and remark.shape is not None
    body = b'{"comments":[{"comment":{"id":"a","pid":"","user":{"name":"Ann"},"time":"2020-01-02T03:04:05.123456789Z","text":"<p>One</p>"},"replies":[{"comment":{"id":"b","pid":"a","user":{"name":"Bob"},"time":"2020-01-02T04:00:00Z","text":"<p>Two</p>"}}]}]}'
    found = json_comments(Page(url="x", body=body), remark.shape)
    assert found is not None
    assert [
        (c.id, c.parent_id, c.author, c.content_text, str(c.published)[:16]) for c in found
    ] == [
        ("a", None, "Ann", "One", "2020-01-02 03:04"),
        ("b", "a", "Bob", "Two", "2020-01-02 04:00"),
    ]
    waline = by_name("waline")
    assert waline is not None and waline.shape is not None
    body = b'{"errno":0,"data":{"page":1,"totalPages":1,"data":[{"objectId":5,"nick":"Cy","link":"https://c.example","time":1600000000000,"comment":"<p>Three</p>","children":[{"objectId":6,"nick":"Di","time":1600000500000,"comment":"<p>Four</p>"}]}]}}'
    found = json_comments(Page(url="x", body=body), waline.shape)
    assert found is not None and [(c.id, c.parent_id, c.author_url) for c in found] == [
        ("5", None, "https://c.example"),
        ("6", "5", None),
    ]
    assert found[0].published is not None and found[0].published.year == 2020
    for junk in (
        b"",
        b"null",
        b"[]",
        b'{"data": 5}',
        b'{"data": {"data": [1, null, {"children": 5}]}}',
        b"\xff",
    ):
        assert not json_comments(Page(url="x", body=junk), waline.shape)


@pytest.mark.parametrize(
    ("url", "kind", "reason"),
    [
        ("https://www.google-analytics.com/analytics.js", "script", "tracker"),
        ("https://blog.example/matomo.js", "script", "tracker"),
        ("https://blog.example/f.woff2", "font", "font"),
        ("https://blog.example/v.mp4", "media", "media"),
        ("https://blog.example/app.js", "script", None),
        ("https://disqus.com/embed/comments/?x", "document", None),
        ("data:image/png;base64,xx", "image", None),
        ("https://notdoubleclick.net/x.js", "script", None),
    ],
)
def test_trackers_are_not_loaded(url: str, kind: str, reason: str | None) -> None:
    assert blocked(url, kind) == reason


def test_subdomains_of_trackers_are_blocked() -> None:
    assert (
        is_tracker("a.b.hotjar.com")
        and not is_tracker("hotjar.com.example")
        and not is_tracker("com")
    )
