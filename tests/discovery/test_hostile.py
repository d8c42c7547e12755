# ruff: noqa: E501 - feeds and tables of cases are data
"""Documents made to hurt: entities, depth, size, endless regexes.  All must end quickly and leak nothing."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.core import costs
from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.discovery import safexml
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.full_text import judge
from blogcrawl.discovery.links import announced_feeds, main_folder
from blogcrawl.discovery.platforms import detect
from blogcrawl.discovery.public_data import parse_tumblr, parse_wp_posts
from blogcrawl.discovery.sitemaps import parse_sitemap, robots_sitemaps
from tests.cpu import loops

URL = "https://b.example/feed"
ITEM = "<item><title>{}</title><link>https://b.example/1</link></item>"


def feed_with(prolog: str, title: str) -> bytes:
    return f"<?xml version='1.0'?>{prolog}<rss version='2.0'><channel>{ITEM.format(title)}</channel></rss>".encode()


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p; <!ENTITY x "leak">]>',
        '<!DOCTYPE r SYSTEM "file:///etc/passwd" [<!ENTITY x "leak">]>',
        "<!--" + "c" * 6000 + '--><!DOCTYPE r [<!ENTITY x "leak">]>',
        '<?pi > <!DOCTYPE ?><!doctype r [ <!-- ]> --> <!ENTITY y "]>"> <!ENTITY x "leak"> ]  >',
        '<!DOCTYPE a><!DOCTYPE b><!DOCTYPE r [<!ENTITY x "leak">]>',
    ],
)
def test_entities_are_never_expanded(prolog: str) -> None:
    feed = parse_feed(feed_with(prolog, "&x; ok"), URL)
    assert feed.entries[0].title == "&x; ok"


def test_billion_laughs_stays_small() -> None:
    lines = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    body = feed_with(f'<!DOCTYPE r [<!ENTITY l0 "lol">{lines}]>', "&l11;")
    tracemalloc.start()
    assert parse_feed(body, URL).entries[0].title == "&l11;"
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_depth_is_bounded() -> None:
    body = feed_with("", "x" + "<b>" * 100_000)
    try:
        parse_feed(body, URL)
    except FeedError:
        pass


def test_gzip_bombs_stop_at_the_limit() -> None:
    bomb = gzip.compress(b"\0" * (safexml.MAX_BYTES + 10_000_000))
    for parse in (parse_feed, parse_sitemap):
        with pytest.raises(FeedError, match="too big"):
            parse(bomb, URL)
    assert safexml.gunzip(gzip.compress(b"abc") + gzip.compress(b"def") + b"tail") == b"abcdef"
    assert safexml.gunzip(gzip.compress(b"abc" * 1000)[:-9])[:3] == b"abc"
    with pytest.raises(safexml.TooBigError):
        safexml.gunzip(gzip.compress(b"a" * 101), limit=100)


def cost(call, *args: object) -> float:  # type: ignore[no-untyped-def]
    """CPU time as a multiple of a fixed loop's."""

    def attempt() -> None:
        with suppress(FeedError):
            call(*args)

    return loops(attempt)


N = 300_000


@pytest.mark.parametrize(
    "text",
    [
        "<" * N,
        "<rss>" + "<![CDATA[" * (N // 9),
        "<rss>" + "<![CDATA[]]>" * (N // 12),
        "<rss>" + "<!---->" * (N // 7),
        "<rss>" + "&" * N,
        "<rss>" + "&a" * (N // 2),
        "<rss>&" + "a" * N,
        "<!DOCTYPE " * (N // 10),
        "<!DOCTYPE [" + "'" * N,
        "<rss><channel><item><title>" + "&lt;b " * (N // 6) + "</title>",
        "<rss><channel><item><link>https://b.example/" + " " * N + "</link>",
        "<rss><channel><item><link>https://b.example/1</link><author>"
        + "a@" * (N // 2)
        + "</author>",
        "<rss><channel><item><link>https://b.example/1</link><author>" + "a" * N + "@</author>",
        "<rss><channel><item><link>https://b.example/1</link><description>"
        + " src='" * (N // 6)
        + "</description>",
        "<rss><channel><item><link>https://b.example/1</link><description>the post "
        + "appeared " * (N // 9)
        + "</description>",
        "<rss><channel><item><link>https://b.example/1</link><pubDate>" + "1" * N + "</pubDate>",
        "<rss><channel>" + "<item><link>https://b.example/1</link></item>" * (N // 45),
        '{"items": ' + "[" * N,
    ],
)
def test_feeds_are_read_in_linear_time(text: str) -> None:
    assert cost(parse_feed, text.encode(), URL) < 500


@pytest.mark.parametrize(
    "text",
    [
        "<urlset>" + "<url><loc>" * (N // 10),
        "<urlset>" + "<url>" * (N // 5) + "</url>" * (N // 6),
        "<sitemapindex>" + "<!--" * (N // 4),
    ],
)
def test_sitemaps_are_read_in_linear_time(text: str) -> None:
    assert cost(parse_sitemap, text.encode(), URL) < 300


def test_pages_are_searched_in_linear_time() -> None:
    noise = "feed/" * 200
    links = "".join(f'<a href="/{noise}{n}?a=feed{n}">{"rss " * 100}</a>' for n in range(300))
    page = Page(
        url="https://b.example/",
        body=f"<html><head>{'<link rel=alternate ' * 2000}</head>{links}{'wordpress ' * 20000}</html>".encode(),
    )
    assert cost(announced_feeds, page) + cost(main_folder, page) < 300
    assert cost(detect, page) < 300
    assert cost(robots_sitemaps, "Sitemap:" + " " * N + "\r" * N, "https://b.example/") < 100
    assert cost(judge, ["<" * N, "…" * N, "[" * N], [None] * 3, [False] * 3) < 300


def test_namespaces_of_a_feed_are_not_repeated_for_each_element() -> None:
    def feed(count: int) -> bytes:
        declared = " ".join(f'xmlns:p{n}="http://x.example/{n}"' for n in range(count))
        used = "".join(f"<p{n}:x>y</p{n}:x>" for n in range(count))
        item = f"<item><title>t</title><link>https://b.example/1</link><content>{used}</content></item>"
        return f"<rss {declared}><channel>{item}</channel></rss>".encode()

    assert parse_feed(feed(2), URL).entries[0].content_html == "<x>y</x><x>y</x>"
    assert cost(parse_feed, feed(1_600), URL) < 300  # once a minute


JSON_ITEMS = (
    b"["
    + b",".join(
        b'{"link":"https://b.example/%d","title":{"rendered":"x"}}' % n for n in range(20_000)
    )
    + b"]"
)
POSTS = b"".join(
    b'<post url="https://b.example/%d" type="regular"><regular-title>x</regular-title></post>' % n
    for n in range(20_000)
)


@pytest.mark.usefixtures("swallowed_alarms")
@pytest.mark.parametrize(
    ("parse", "body"),
    [
        (
            parse_feed,
            b"<rss><channel>"
            + b"<item><link>https://b.example/1</link></item>" * 20_000
            + b"</channel></rss>",
        ),
        (
            parse_sitemap,
            b"<urlset>" + b"<url><loc>https://b.example/1</loc></url>" * 50_000 + b"</urlset>",
        ),
        (parse_wp_posts, JSON_ITEMS),
        (parse_tumblr, b"<tumblr><posts>" + POSTS + b"</posts></tumblr>"),
    ],
)
def test_document_parsing_stops_at_its_cpu_limit(
    parse: Callable[..., object], body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ({},) if parse is parse_wp_posts else ()
    monkeypatch.setattr(costs, "SECONDS_PER_MEGABYTE", 0.001)
    with pytest.raises(FeedError, match="too much CPU time"):
        parse(body, URL, *more)


def test_many_invalid_dates_cost_little() -> None:
    items = "".join(
        f"<item><link>https://b.example/{n}</link><pubDate>{n} Foobar 2021 um {n % 24} Uhr</pubDate></item>"
        for n in range(2000)
    )
    assert cost(parse_feed, f"<rss><channel>{items}</channel></rss>".encode(), URL) < 1000


def test_entry_counts_are_bounded() -> None:
    page = Page(
        url="https://b.example/",
        body=b"<html>" + b"".join(b'<a href="/%d/feed/">x</a>' % n for n in range(3000)),
    )
    assert len(announced_feeds(page)) == 500
    many = "\n".join(f"Sitemap: https://b.example/{n}.xml" for n in range(1000))
    assert len(robots_sitemaps(many, "https://b.example/")) == 50


def test_title_markup_with_undeclared_prefixes_is_read() -> None:
    body = b"<rss><channel><item><title>a <content:encoded>b</content:encoded> <x:>c</x:></title><link>https://b.example/1</link></item></channel></rss>"
    title = parse_feed(body, URL).entries[0].title
    assert title is not None and "b" in title


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_give_a_feed_or_a_feed_error(body: bytes) -> None:
    for parse in (parse_feed, parse_sitemap):
        try:
            parse(body, URL)
        except FeedError as error:
            assert error.message


_PIECE = st.sampled_from(
    "<rss> <channel> <item> </item> <entry> <link> </link> <title> </title> https://b.example/1 <![CDATA[ ]]> &amp; &x; <!-- --> <feed> <link\thref='/a'/> "
    "<!DOCTYPE <?xml ?> <pubDate> 2021-01-01 </channel> </rss> <content:encoded> é \x00 < > & ' \" <guid> </guid> /rel <author> a@b.c".split(
        " "
    )
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECE, max_size=40))
def test_random_feed_fragments_give_absolute_urls_or_a_feed_error(pieces: list[str]) -> None:
    try:
        feed = parse_feed("".join(pieces).encode(), URL)
    except FeedError:
        return
    for entry in feed.entries:
        assert entry.url.startswith(("http://", "https://"))
        assert entry.published is None or entry.published.tzinfo is not None
