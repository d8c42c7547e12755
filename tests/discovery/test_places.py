"""Which addresses of a feed's entries name posts: fragments count only if they distinguish
posts of one page.
"""

from __future__ import annotations

import pytest

from blogcrawl.core.records import Blog, FeedEntry
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.discovery.places import is_shared, placed, unshared
from blogcrawl.urls.canonical import entry_key

HOME = "http://diary.example/"


def entries(*urls: str) -> list[FeedEntry]:
    return [FeedEntry(url=url, id=f"tag:{n}") for n, url in enumerate(urls)]


def urls(found: tuple[FeedEntry, ...]) -> list[str]:
    return [entry.url for entry in found]


def test_fragments_distinguishing_posts_of_a_page_are_kept() -> None:
    listed = [f"{HOME}2004.html#e{n}" for n in range(9)] + [f"{HOME}2003.html#e99"]
    found = placed(entries(*listed), HOME)
    assert urls(found) == listed and is_shared(found)
    assert [entry.url for entry in unshared(found)] == [f"{HOME}2004.html", f"{HOME}2003.html"]


@pytest.mark.parametrize(
    "fragment", ["comments", "more-12", "respond", "utm_source=rss", "content"]
)
def test_fragment_shared_by_single_post_pages_is_dropped(fragment: str) -> None:
    found = placed(entries(*(f"{HOME}2004/{n}.html#{fragment}" for n in range(10))), HOME)
    assert urls(found) == [f"{HOME}2004/{n}.html" for n in range(10)] and not is_shared(found)


def test_unique_fragment_on_each_post_page_is_dropped() -> None:
    found = placed(entries(*(f"{HOME}2004/{n}.html#more-{n}" for n in range(10))), HOME)
    assert not is_shared(found) and urls(found)[3] == f"{HOME}2004/3.html"


def test_post_listed_twice_is_no_multi_post_page() -> None:
    listed = [f"{HOME}2004/{n}.html" for n in range(8)] + [
        f"{HOME}2004/3.html#update",
        f"{HOME}2004/3.html#update2",
    ]
    assert not is_shared(placed(entries(*listed), HOME))


def test_fragment_routes_are_pages() -> None:
    listed = [f"{HOME}#/post/{n}" for n in range(10)]
    found = placed(entries(*listed), HOME)
    assert urls(found) == listed and not is_shared(found)


def test_comment_feed_entries_keep_their_fragments() -> None:
    items = "".join(
        f"<item><title>By Jo</title><link>{HOME}post#comment-{n}</link></item>" for n in range(5)
    )
    feed = parse_feed(
        f'<rss version="2.0"><channel><title>Comments on: Post</title>{items}</channel></rss>'.encode(),  # noqa: E501
        HOME + "feed",
    )
    assert feed.kind == "comments" and feed.entries[3].url == f"{HOME}post#comment-3"


def test_link_log_posts_are_at_their_permalinks() -> None:
    listed = [
        FeedEntry(url=f"http://site{n}.example/x", id=f"{HOME}2004/{n}.html") for n in range(6)
    ]
    listed.append(FeedEntry(url=f"{HOME}2004/own.html", id="17"))
    assert urls(placed(listed, HOME)) == [
        *(f"{HOME}2004/{n}.html" for n in range(6)),
        f"{HOME}2004/own.html",
    ]


def test_links_to_one_other_host_are_its_new_host_or_a_proxy() -> None:
    listed = [FeedEntry(url=f"http://new.example/{n}.html", id=f"{HOME}{n}.html") for n in range(6)]
    assert urls(placed(listed, HOME)) == [f"http://new.example/{n}.html" for n in range(6)]


def test_post_keys_are_normalised() -> None:
    assert (
        entry_key("https://www.diary.example/2004.html#e1") == "http://diary.example/2004.html#e1"
    )
    assert entry_key(f"{HOME}2004.html") == f"{HOME}2004.html"
    assert entry_key(f"{HOME}#!/post/1") == f"{HOME}?_escaped_fragment_=/post/1"
    assert entry_key(entry_key(f"{HOME}index.html?b=1&a=2#caf\u00e9")) == entry_key(
        f"{HOME}?a=2&b=1#caf%C3%A9"
    )


def test_listed_posts_merge_if_fragments_are_meaningless() -> None:
    known = SiteKnowledge(blog=Blog(url=HOME))
    for entry in entries(f"{HOME}2004.html#e1", f"{HOME}2004.html#e2", f"{HOME}2003.html#e9"):
        known.entries[entry_key(entry.url)] = entry
        known.promised[entry_key(entry.url)] = {"feed"}
    known.fold_parts()
    assert known.entries.keys() == known.promised.keys() == {f"{HOME}2004.html", f"{HOME}2003.html"}
    assert {entry.url for entry in known.entries.values()} == set(known.entries)
