# ruff: noqa: E501 - the answers are data
"""Whatever a site answers to whatever is asked, a survey ends."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.core.page import Page
from blogcrawl.discovery.survey import Survey
from tests.discovery.site import home, paths, rss, sitemap, sitemap_index

B = "https://blog.example.org"
MARKS = (
    "",
    '<meta name="generator" content="WordPress 6.1"><link rel="https://api.w.org/" href="/wp-json/">',
    '<meta name="generator" content="Blogger">',
    '<meta name="generator" content="Ghost 5.1">',
    '<meta name="generator" content="Drupal 10">',
    '<meta name="generator" content="tumblr">',
)
LINKS = (
    "",
    '<link rel="alternate" type="application/rss+xml" href="/feed/">',
    '<a href="/comments/feed/">Comments RSS</a><a href="/tag/x/feed/">RSS</a>',
)
ANSWERS: tuple[tuple[int, str], ...] = (
    (200, rss(paths(1, 10))),
    (200, rss(paths(5, 25))),
    (200, rss([])),
    (200, rss(paths(1, 3), base="http://localhost:4000")),
    (200, rss([("/p/#comment-1", "c"), ("/p/#comment-2", "c")])),
    (200, rss(paths(1, 4), extra='<atom:link rel="next" href="?p=2"/>')),
    (200, sitemap([B + p for p, _ in paths(1, 30)])),
    (200, sitemap_index([B + "/sitemap-a.xml", B + "/sitemap-b.xml"])),
    (200, sitemap_index([f"{B}/post-sitemap{n}.xml" for n in range(60)])),
    (200, home()),
    (200, ""),
    (404, ""),
    (500, "x"),
    (200, "[]"),
    (
        200,
        json.dumps(
            [
                {"link": f"{B}/2021/03/post-number-{n}/", "content": {"rendered": "x"}}
                for n in range(100)
            ]
        ),
    ),
    (200, '<tumblr><posts total="900"><post url="/post/1"/></posts></tumblr>'),
)


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(MARKS),
    st.sampled_from(LINKS),
    st.lists(st.integers(-1, len(ANSWERS) - 1), min_size=1, max_size=30),
    st.booleans(),
)
def test_every_survey_terminates(mark: str, link: str, script: list[int], enabled: bool) -> None:
    survey = Survey(Page(url=B + "/", body=home(mark + link).encode()), None, None, enabled)
    asked: list[str] = []
    while not survey.done:
        probe = survey.probes()[-1]
        asked.append(probe.url)
        assert len(asked) <= 400, asked[-10:]
        choice = script[len(asked) % len(script)]
        page = (
            None
            if choice < 0
            else Page(url=probe.url, status=ANSWERS[choice][0], body=ANSWERS[choice][1].encode())
        )
        survey.receive(probe, page, "broken")
    assert len(asked) == len(set(asked)) == survey.requests
    assert all(e.url.startswith("http") for e in survey.knowledge.entries.values())
    assert set(survey.knowledge.promised) == set(survey.knowledge.entries)
    assert not set(survey.knowledge.candidates) & set(survey.knowledge.promised)
