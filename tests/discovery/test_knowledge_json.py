"""What a survey found survives JSON: an interrupted crawl resumes with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogcrawl.core.records import Blog, Feed, FeedEntry, MediaFile
from blogcrawl.discovery.knowledge import (
    SiteKnowledge,
    UnreadSource,
    entry_from_json,
    record_to_json,
)
from blogcrawl.discovery.platforms import Platform

ENTRY = FeedEntry(
    url="https://b.example/p1",
    title="One",
    authors=("Ann", "Bo"),
    published=datetime(2021, 5, 3, 10, 0, 0, 250, tzinfo=UTC),
    comments_count=3,
    tags=("rain",),
    enclosures=(MediaFile(url="https://b.example/1.mp3", role="audio"),),
)


def test_knowledge_survives_json() -> None:
    source = UnreadSource(url="https://b.example/sitemap.xml", reason="timeout", kind="sitemap")
    feed = Feed(url="https://b.example/feed", kind="posts", format="rss2.0", entries=(ENTRY,))
    knowledge = SiteKnowledge(
        blog=Blog(url="https://b.example/", title="B"),
        platform=Platform(name="WordPress", evidence="generator"),
        post_feed=feed,
        feeds={feed.url: feed},
        entries={"b.example/p1": ENTRY},
        promised={"b.example/p1": {"feed", "sitemap"}},
        candidates={"b.example/p2": ("https://b.example/p2", 0.5)},
        hubs=["https://b.example/archive"],
        expected_posts=7,
    )
    knowledge.could_not_read(source)
    assert SiteKnowledge.from_json(json.loads(json.dumps(knowledge.to_json()))) == knowledge


def test_feed_entry_survives_json() -> None:
    assert entry_from_json(json.loads(json.dumps(record_to_json(ENTRY)))) == ENTRY


@pytest.mark.parametrize("wrong", [{}, {"url": 1}, {"url": "x", "authors": "Ann"}])
def test_invalid_knowledge_json_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"url|str|array"):
        entry_from_json(wrong)
