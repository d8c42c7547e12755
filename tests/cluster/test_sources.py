"""Blog lists in the shapes people keep them in."""

import io
from datetime import UTC, datetime

import pytest

from blogcrawl.cluster.sources import read_blogs, turns_of
from blogcrawl.core.errors import UsageError

NOW = datetime(2026, 11, 21, tzinfo=UTC)
OPML = """<?xml version="1.0"?>
<opml version="2.0"><body><outline text="Folder">
  <outline type="rss" text="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>
  <outline type="rss" text="B" xmlurl="https://b.example/rss"/>
  <outline text="no address"/>
</outline></body></opml>"""


def blogs(text):
    return list(read_blogs(io.StringIO(text), "list"))


def test_opml_outlines_with_and_without_home_page():
    assert blogs(OPML) == [
        ("https://a.example/", "https://a.example/feed"),
        ("https://b.example/rss", "https://b.example/rss"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "url,feed\nhttps://a.example/,https://a.example/feed\n",
        "title;feed;url\nA;https://a.example/feed;https://a.example/\n",
        "\ufeffName\txmlUrl\thtmlUrl\nA\thttps://a.example/feed\thttps://a.example/\n",
    ],
)
def test_csv_columns_are_found_by_name(text):
    assert blogs(text) == [("https://a.example/", "https://a.example/feed")]


def test_csv_without_header():
    assert blogs("https://a.example/,Anna\nhttps://b.example/,Bert\n") == [
        ("https://a.example/", None),
        ("https://b.example/", None),
    ]


def test_plain_list_with_comments_blanks_and_bare_hosts():
    text = "\ufeff\n# my blogs\nhttps://a.example/\n\nb.example\nnot a url\nftp://c.example/\n"
    assert blogs(text) == [("https://a.example/", None), ("https://b.example", None)]


def test_empty_list():
    assert blogs("") == []


def test_broken_opml_is_a_one_line_error():
    with pytest.raises(UsageError, match="broken OPML"):
        blogs("<opml><body>")


def test_broken_csv_is_a_one_line_error():
    with pytest.raises(UsageError, match="broken CSV"):
        blogs("url,feed\n" + '"' + "x" * 200_000 + '",\n')


def test_entities_in_opml_are_not_expanded():
    bomb = '<!DOCTYPE opml [<!ENTITY a "https://a.example/">]><opml><body><outline htmlUrl="https://b.example/"/><x>&a;</x></body></opml>'
    assert blogs(bomb) == [("https://b.example/", None)]


def test_equivalent_urls_are_one_blog():
    rows = list(turns_of([("http://A.example:80", None), ("http://a.example/#top", None)], NOW))
    assert len({r.blog_id for r in rows}) == 1 and rows[0].host == "a.example"
