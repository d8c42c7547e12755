# ruff: noqa: E501 - feeds and tables of cases are data
from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogcrawl.core.errors import FeedError
from blogcrawl.discovery.feeds import parse_feed

URL = "https://blog.example.org/feed/"


def rss2(items: str, channel: str = "", ns: str = "") -> bytes:
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wfw="http://wellformedweb.org/CommentAPI/" '
        'xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
        f'xmlns:atom="http://www.w3.org/2005/Atom" {ns}><channel><title>B</title><link>https://blog.example.org/</link>{channel}{items}</channel></rss>'
    ).encode()


def atom(entries: str, feed: str = "", attrs: str = "") -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {attrs}><title>B</title><id>urn:b</id>{feed}{entries}</feed>'.encode()


def one(body: bytes, url: str = URL, **headers: str):  # type: ignore[no-untyped-def]
    entries = parse_feed(body, url, headers).entries
    assert len(entries) == 1
    return entries[0]


def test_wordpress_entry_is_read() -> None:
    feed = parse_feed(
        rss2(
            """<item><title>It&amp;#8217;s &lt;em&gt;fine&lt;/em&gt; &amp;amp; dandy</title><link>https://blog.example.org/a/</link>
            <comments>https://blog.example.org/a/#comments</comments><pubDate>Tue, 02 Mar 2021 10:00:00 +0100</pubDate>
            <dc:creator><![CDATA[Ann]]></dc:creator><dc:creator>Bob</dc:creator><category><![CDATA[C & D]]></category><category>E</category>
            <guid isPermaLink="false">https://blog.example.org/?p=1</guid><description><![CDATA[Short [&#8230;]]]></description>
            <content:encoded><![CDATA[<p>Long</p><p><img src="/x.png"> text</p>]]></content:encoded>
            <wfw:commentRss>https://blog.example.org/a/feed/</wfw:commentRss><slash:comments>7</slash:comments></item>""",
            "<generator>https://wordpress.org/?v=5.7.2</generator><sy:updatePeriod> hourly </sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
            "<ttl>60</ttl><skipHours><hour>3</hour><hour>24</hour></skipHours><skipDays><day>sunday</day></skipDays><copyright>(c) Ann</copyright>"
            '<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://blog.example.org/feed/"/><language>en-GB</language>',
        ),
        URL,
        {"etag": '"x"', "last-modified": "Tue, 02 Mar 2021 10:00:00 GMT"},
    )
    entry = feed.entries[0]
    assert entry.title == "It’s fine & dandy"
    assert entry.authors == ("Ann", "Bob")
    assert entry.published == datetime(2021, 3, 2, 9, tzinfo=UTC)
    assert entry.published_raw == "Tue, 02 Mar 2021 10:00:00 +0100"
    assert entry.tags == ("C & D", "E")
    assert entry.content_html == '<p>Long</p><p><img src="https://blog.example.org/x.png"> text</p>'
    assert entry.summary_html == "Short [&#8230;]"
    assert entry.comments_feed_url == "https://blog.example.org/a/feed/"
    assert entry.comments_count == 7
    assert entry.is_full
    assert (feed.kind, feed.format, feed.generator, feed.language) == (
        "posts",
        "rss2.0",
        "https://wordpress.org/?v=5.7.2",
        "en-GB",
    )
    assert (feed.hub_url, feed.self_url, feed.home_url) == (
        "https://hub.example/",
        URL,
        "https://blog.example.org/",
    )
    assert (feed.ttl_minutes, feed.skip_hours, feed.skip_days, feed.update_period_seconds) == (
        60,
        (0, 3),
        ("Sunday",),
        1800,
    )
    assert (feed.etag, feed.rights) == ('"x"', "(c) Ann")


@pytest.mark.parametrize(
    ("item", "url"),
    [
        (
            "<link>./../2025/05/post/index.html</link>",
            "https://blog.example.org/2025/05/post/index.html",
        ),
        (
            "<link>/2011/04/woche/?utm_source=rss</link>",
            "https://blog.example.org/2011/04/woche/?utm_source=rss",
        ),
        ("<link>\n  https://blog.example.org/a b/\n</link>", "https://blog.example.org/a%20b/"),
        ("<guid>https://blog.example.org/perma</guid>", "https://blog.example.org/perma"),
        ('<link></link><guid isPermaLink="true">/perma</guid>', "https://blog.example.org/perma"),
        (
            "<link><![CDATA[https://blog.example.org/?a=1&#038;b=2&amp;c=3]]></link>",
            "https://blog.example.org/?a=1&b=2&c=3",
        ),
        ("<link>//blog.example.org/x</link>", "https://blog.example.org/x"),
        ('<atom:link href="https://blog.example.org/y"/>', "https://blog.example.org/y"),
        (
            '<link>http://feedproxy.google.com/~r/B/~3/abc/</link><f:origLink xmlns:f="http://rssnamespace.org/feedburner/ext/1.0">https://blog.example.org/o</f:origLink>',
            "https://blog.example.org/o",
        ),
        (
            '<link>http://feedproxy.google.com/~r/B/~3/abc/</link><guid isPermaLink="false">https://blog.example.org/g</guid>',
            "https://blog.example.org/g",
        ),
        (
            "<link>http://feeds.example.org/~r/B/~3/abc/</link><comments>https://blog.example.org/post/#comments</comments>"
            '<guid isPermaLink="false">https://blog.example.org/?p=7</guid>',
            "https://blog.example.org/post/",
        ),
    ],
)
def test_entry_url_is_chosen(item: str, url: str) -> None:
    assert one(rss2(f"<item><title>T</title>{item}</item>")).url == url


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "mailto:a@b",
        "",
        "http://",
        "http://[bad",
        "ftp://x/y",
    ],
)
def test_entries_without_http_url_are_skipped(link: str) -> None:
    assert (
        parse_feed(
            rss2(
                f'<item><title>T</title><link>{link}</link><guid isPermaLink="false">7</guid></item>'
            ),
            URL,
        ).entries
        == ()
    )


@pytest.mark.parametrize(
    ("sign", "is_named"),
    [("★", True), ("Permanent link", True), ("Permalink", True), ("read this too", False)],
)
def test_entry_that_links_elsewhere_names_its_own_page(sign: str, *, is_named: bool) -> None:
    own, page = "https://blog.example.org/linked/2014/", "https://blog.example.org/2014/story"
    text = f"&lt;p&gt;Well put.&lt;/p&gt;&lt;a href='{page}'&gt;{sign}&lt;/a&gt;"
    links = f'<link href="https://news.example.net/a"/><link rel="related" href="{own}"/>'
    entry = one(
        atom(
            f'<entry><id>tag:x,1</id><title>A</title>{links}<content type="html">{text}</content>'
            "</entry>"
        )
    )
    assert entry.url == "https://news.example.net/a"
    assert entry.permalinks == ((own, page) if is_named else (own,))


def test_relative_links_of_a_foreign_feed_host_resolve_to_the_blog() -> None:
    assert (
        one(rss2("<item><link>/p</link></item>"), "https://feeds.feedburner.com/Blog").url
        == "https://blog.example.org/p"
    )


def test_atom_entry_with_xml_base_threads_and_xhtml_is_read() -> None:
    feed = parse_feed(
        atom(
            """<entry xml:base="posts/"><title type="html">A &amp;lt; B</title><link href="one.html"/><link rel="enclosure" href="a.mp3"/>
            <link rel="replies" type="application/atom+xml" href="/c/1" thr:count="3" xmlns:thr="http://purl.org/syndication/thread/1.0"/>
            <id>tag:x,1</id><published>2021-03-02T10:00:00+01:00</published><updated>2021-04-01T00:00:00.123Z</updated>
            <author><name>Zoë</name><uri>https://zoe.example/</uri></author><category term="t" label="Tee"/>
            <category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#post"/>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi <b>there</b></p><p>two</p></div></content></entry>
            <entry><title>Plain &lt;b&gt; text</title><link rel="alternate" type="application/pdf" href="/x.pdf"/><link rel="alternate" type="text/html" href="/x"/>
            <id>2</id><summary>s</summary></entry>""",
            '<author><name>Feed Author</name></author><link href="https://blog.example.org/"/><generator version="7.00" uri="http://www.blogger.com">Blogger</generator>'
            '<link rel="next" href="?page=2"/><link rel="prev-archive" href="/archive/2020.atom"/><rights>CC</rights>',
            'xml:base="https://blog.example.org/base/" xml:lang="nb"',
        ),
        "https://cdn.example.net/feed.atom",
    )
    first, second = feed.entries
    assert first.url == "https://blog.example.org/base/posts/one.html"
    assert first.title == "A < B"
    assert first.content_html == "<p>Hi <b>there</b></p><p>two</p>"
    assert first.authors == ("Zoë",) and first.author_url == "https://zoe.example/"
    assert second.authors == ("Feed Author",)
    assert first.tags == ("Tee",)
    assert [(file.url, file.role) for file in first.enclosures] == [
        ("https://blog.example.org/base/posts/a.mp3", "audio")
    ]
    assert first.comments_feed_url == "https://blog.example.org/c/1" and first.comments_count == 3
    assert first.published == datetime(2021, 3, 2, 9, tzinfo=UTC)
    assert second.url == "https://blog.example.org/x"
    assert second.title == "Plain <b> text"
    assert feed.language == "nb" and first.language == "nb"
    assert feed.next_urls == (
        "https://blog.example.org/archive/2020.atom",
        "https://blog.example.org/base/?page=2",
    )
    assert feed.generator == "Blogger 7.00 http://www.blogger.com"


def test_updated_is_the_date_if_it_is_the_only_one() -> None:
    entry = one(
        atom(
            "<entry><link href='https://b.example/x'/><updated>2022-05-06T17:40:00-06:00</updated></entry>"
        )
    )
    assert (
        entry.published == datetime(2022, 5, 6, 23, 40, tzinfo=UTC)
        and entry.modified == entry.published
    )


def test_atom_03_rdf_and_rss_091_are_read() -> None:
    old = b"""<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title mode="escaped">T</title><tagline>Sub</tagline>
    <entry><title>E</title><link rel="alternate" href="https://b.example/1"/><issued>2004-02-03T04:05:06Z</issued>
    <content type="text/html" mode="escaped">&lt;p&gt;x&lt;/p&gt;</content></entry></feed>"""
    feed = parse_feed(old, URL)
    assert (
        feed.format,
        feed.subtitle,
        feed.entries[0].content_html,
        feed.entries[0].published,
    ) == (
        "atom0.3",
        "Sub",
        "<p>x</p>",
        datetime(2004, 2, 3, 4, 5, 6, tzinfo=UTC),
    )
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel rdf:about="https://b.example/"><title>R</title><link>https://b.example/</link><dc:language>ja</dc:language></channel>
    <item rdf:about="https://b.example/1"><title>Eins</title><link>https://b.example/1</link><dc:date>2005-06-07T08:09+09:00</dc:date><dc:creator>K</dc:creator>
    <dc:subject>S</dc:subject></item></rdf:RDF>"""
    feed = parse_feed(rdf, URL)
    assert (feed.format, feed.title, feed.language, len(feed.entries)) == ("rss1.0", "R", "ja", 1)
    assert (feed.entries[0].authors, feed.entries[0].tags, feed.entries[0].published) == (
        ("K",),
        ("S",),
        datetime(2005, 6, 6, 23, 9, tzinfo=UTC),
    )
    feed = parse_feed(
        b'<rss version="0.91"><channel><title>O</title><item><title>a</title><link>https://b.example/2</link></item></channel></rss>',
        URL,
    )
    assert (feed.format, feed.entries[0].title) == ("rss0.91", "a")


def test_https_and_undeclared_namespaces_are_accepted() -> None:
    body = rss2(
        "<item><link>https://b.example/x</link><dc:creator>A</dc:creator><content:encoded>&lt;p&gt;b&lt;/p&gt;</content:encoded></item>"
    )
    assert one(body.replace(b"http://purl", b"https://purl")).authors == ("A",)
    undeclared = b"<rss version='2.0'><channel><item><link>https://b.example/x</link><dc:creator>A</dc:creator><content:encoded>c</content:encoded></item></channel></rss>"
    entry = one(undeclared)
    assert (entry.authors, entry.content_html) == (("A",), "c")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("ann@example.org (Ann Lee)", "Ann Lee"),
        ("Ann Lee &lt;ann@example.org&gt;", "Ann Lee"),
        ("noreply@blogger.com (Unknown)", None),
        ("ann@example.org", None),
        ("Ann &amp;amp; Bob", "Ann & Bob"),
        ("@handle", "@handle"),
    ],
)
def test_rss_author_names_are_parsed(raw: str, name: str | None) -> None:
    assert one(
        rss2(f"<item><link>https://b.example/x</link><author>{raw}</author></item>")
    ).authors == ((name,) if name else ())


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("a &lt; b and c &gt; d", "a < b and c > d"),
        ("Using &lt;div&gt; well", "Using <div> well"),
        ("&lt;b&gt;Bold&lt;/b&gt; move", "Bold move"),
        ("<![CDATA[Caf&eacute; &#x2014; x]]>", "Café — x"),
        ("Caf&#XE9;", "Café"),
        ("R&D and AT&T", "R&D and AT&T"),
        ("caf&eacute;&nbsp;noir&hellip;", "café noir…"),
        ("two<br/>lines", "two lines"),
        ("  \n spaced \t out ", "spaced out"),
        ("&amp;amp;lt;T&amp;amp;gt;", "<T>"),
        ("", None),
    ],
)
def test_entry_titles_are_cleaned(raw: str, title: str | None) -> None:
    assert (
        one(rss2(f"<item><link>https://b.example/x</link><title>{raw}</title></item>")).title
        == title
    )


@pytest.mark.parametrize(
    ("declared", "served", "codec"),
    [
        ("iso-8859-1", None, "utf-8"),
        ("utf-8", "text/xml; charset=iso-8859-1", "utf-8"),
        ("utf-8", None, "cp1252"),
        (None, "application/rss+xml; charset=windows-1252", "cp1252"),
        ("utf-8", None, "utf-8-sig"),
        ("utf-16", None, "utf-16"),
        ("ISO-8859-1", None, "cp1252"),
    ],
)
def test_declared_wrong_and_missing_encodings(
    declared: str | None, served: str | None, codec: str
) -> None:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = f"{declaration}<rss version='2.0'><channel><item><title>Größe “x”</title><link>https://b.example/1</link></item></channel></rss>"
    headers = {"content-type": served} if served else {}
    assert parse_feed(text.encode(codec), URL, headers).entries[0].title == "Größe “x”"


@pytest.mark.parametrize(
    ("codec", "title"),
    [
        ("shift_jis", "檜原村の木工"),
        ("euc-jp", "檜原村の木工"),
        ("gb18030", "萤火之森"),
        ("koi8-r", "Телепатия"),
        ("iso-2022-jp", "日本語"),
    ],
)
def test_national_encodings_are_decoded(codec: str, title: str) -> None:
    text = f"<?xml version='1.0' encoding='{codec}'?><rss version='2.0'><channel><item><title>{title}</title><link>https://b.example/1</link></item></channel></rss>"
    assert parse_feed(text.encode(codec), URL).entries[0].title == title


@pytest.mark.parametrize(
    ("codec", "served", "title"),
    [
        ("shift_jis", None, "きょうは山に登って、とても疲れた日のこと"),
        ("euc-jp", "text/xml", "きょうは山に登って、とても疲れた日のこと"),
        ("euc-kr", None, "오늘은 산에 올라가서 사진을 찍었다"),
        ("gb18030", None, "我们今天在山上看到了很多人和大树"),
        ("koi8-r", "text/xml; charset=iso-8859-1", "Как пережить новогоднюю ночь"),
        ("cp1252", None, "Größe und Maß der Bäume im Frühling"),
    ],
)
def test_encodings_that_nothing_names_are_known_by_their_letters(
    codec: str, served: str | None, title: str
) -> None:
    item = f"<item><title>{title}</title><link>https://b.example/1</link></item>"
    body = f"<rss version='2.0'><channel>{item}</channel></rss>".encode(codec)
    headers = {"content-type": served} if served else {}
    assert parse_feed(body, URL, headers).entries[0].title == title


def test_junk_around_the_feed_is_ignored() -> None:
    good = rss2("<item><link>https://b.example/1</link><title>x</title></item>")
    for body in (
        b"\n\n  " + good,
        b"\xef\xbb\xbf\n" + good,
        b"<br />\n<b>Warning</b>: something in <b>/var/www/x.php</b><br />\n" + good,
        b"<!-- cached -->" + good,
        good + b"\n<!-- page generated in 1 s --><script>1</script>",
        good.replace(b"</channel></rss>", b""),
        good.replace(b"<title>x", b"<title>x\x0b\x00"),
        good.replace(b"<title>x", b"<title>x &#0; &#x1F; &#xD800; &#99999999;"),
    ):
        assert [e.url for e in parse_feed(body, URL).entries] == ["https://b.example/1"], body[:60]


def test_a_feed_served_as_html_is_a_feed() -> None:
    assert parse_feed(rss2(""), URL, {"content-type": "text/html"}).entries == ()


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "empty"),
        (b"  \n\xef\xbb\xbf ", "empty"),
        (b"<!DOCTYPE html><html><head><title>rss</title></head><body>feed</body></html>", "HTML"),
        (b"<html><body><rss></rss></body></html>", "HTML"),
        (b"hello", "not XML"),
        (b'{"a": 1}', "JSON"),
        (b'{"items": 3}', "JSON"),
        (b"<opml><body/></opml>", "no rss"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not XML"),
        (b"<rss><Item><link>><Item", "broken"),
    ],
)
def test_non_feed_error_names_the_document_type(body: bytes, word: str) -> None:
    with pytest.raises(FeedError, match=word):
        parse_feed(body, URL)


def test_comment_feeds_are_recognised() -> None:
    wp = rss2(
        "".join(
            f"<item><title>By A</title><link>https://b.example/p/#comment-{n}</link></item>"
            for n in range(3)
        )
    )
    assert parse_feed(wp, URL).kind == "comments"
    blogger = atom(
        "<entry><title>c</title><link href='https://b.example/p.html?showComment=123#c99'/>"
        "<thr:in-reply-to xmlns:thr='http://purl.org/syndication/thread/1.0' ref='tag:1' href='https://b.example/p.html'/></entry>"
    )
    feed = parse_feed(blogger, URL)
    assert feed.kind == "comments" and feed.entries[0].in_reply_to == "tag:1"
    empty = rss2("").replace(b"<title>B", b"<title>Comments on: B")
    assert parse_feed(empty, "https://b.example/p/feed/").kind == "comments"
    assert parse_feed(rss2(""), "https://b.example/comments/feed/").kind == "comments"
    assert (
        parse_feed(
            rss2("<item><link>https://b.example/comments-on-the-news/</link></item>"),
            "https://b.example/feed/",
        ).kind
        == "posts"
    )


def test_json_feed_is_read() -> None:
    body = """{"version": "https://jsonfeed.org/version/1.1", "title": "J", "home_page_url": "https://b.example/", "language": "de",
    "next_url": "feed2.json", "authors": [{"name": "Ann"}], "hubs": [{"type": "WebSub", "url": "https://hub.example/"}],
    "items": [{"id": 1, "url": "/1", "title": "One <3", "content_html": "<p>a</p><p>b</p>", "date_published": "2021-03-02T10:00:00Z", "tags": ["x", "x"]},
    {"id": "https://b.example/2", "content_text": "line 1\\nline <2>", "author": {"name": "Bob", "url": "https://bob.example/"},
     "attachments": [{"url": "/a.mp3"}]}, {"id": "no url"}, "junk", null]}"""
    feed = parse_feed(body.encode(), "https://b.example/feed.json")
    assert (feed.format, feed.home_url, feed.next_urls, feed.hub_url) == (
        "json1.1",
        "https://b.example/",
        ("https://b.example/feed2.json",),
        "https://hub.example/",
    )
    one_, two = feed.entries
    assert (one_.url, one_.title, one_.authors, one_.tags) == (
        "https://b.example/1",
        "One <3",
        ("Ann",),
        ("x",),
    )
    assert two.content_html == "<p>line 1</p><p>line &lt;2&gt;</p>"
    assert two.authors == ("Bob",)
    assert [(file.url, file.role) for file in two.enclosures] == [
        ("https://b.example/a.mp3", "audio")
    ]


def test_enclosures_that_are_sounds_or_films_are_kept() -> None:
    item = """<item><link>/p</link><enclosure url="/listen?id=7" type="audio/mpeg" length="9"/>
    <enclosure url="/film.mp4" type=""/><enclosure url="/cover.jpg" type="image/jpeg"/></item>"""
    assert [(file.url, file.role) for file in one(rss2(item)).enclosures] == [
        ("https://blog.example.org/listen?id=7", "audio"),
        ("https://blog.example.org/film.mp4", "video"),
    ]


@pytest.mark.parametrize(
    ("header", "links"),
    [
        (
            '<https://hub.example/>; rel="hub", </feed?a=1,2>; rel="self"',
            ("https://hub.example/", "https://blog.example.org/feed?a=1,2"),
        ),
        ("<https://hub.example/>;rel=hub", ("https://hub.example/", None)),
        (
            '<//hub.example/x>; title="a, b; rel=next"; REL="Self HUB"',
            ("https://hub.example/x", "https://hub.example/x"),
        ),
        (
            '<https://a.example/>; rel="next", <https://one.example/>; rel=hub, <https://two.example/>; rel=hub',
            ("https://one.example/", None),
        ),
        ("<javascript:alert(1)>; rel=hub", (None, None)),
        ("<" * 9000 + '"; rel=hub', (None, None)),
        ("no link at all", (None, None)),
    ],
)
def test_hubs_in_link_headers_are_read(header: str, links: tuple[str | None, str | None]) -> None:
    body = b"<rss version='2.0'><channel><title>A</title><link>https://blog.example.org/</link></channel></rss>"
    feed = parse_feed(body, URL, {"link": header})
    assert (feed.hub_url, feed.self_url) == links


def test_link_header_hub_precedes_the_documents() -> None:
    links = '<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="hub" href="https://old.example/"/>'
    body = f"<rss version='2.0'><channel><title>A</title>{links}</channel></rss>".encode()
    assert (
        parse_feed(body, URL, {"link": "<https://new.example/>; rel=hub"}).hub_url
        == "https://new.example/"
    )
    assert parse_feed(body, URL).hub_url == "https://old.example/"


def test_identical_dates_of_all_entries_are_ignored() -> None:
    def dates(days: list[int]) -> list[datetime | None]:
        items = "".join(
            f"<item><link>http://b.org/{n}</link><pubDate>0{d} Nov 2025 10:00:00 GMT</pubDate></item>"
            for n, d in enumerate(days)
        )
        feed = parse_feed(
            f"<rss version='2.0'><channel>{items}</channel></rss>".encode(), "http://b.org/rss"
        )
        return [entry.published for entry in feed.entries]

    assert dates([2] * 5) == [None] * 5
    assert all(dates([2, 2, 2, 2, 3])) and all(dates([2, 2]))


@pytest.mark.parametrize(
    ("blog", "form", "kept"),
    [
        ("Slow Roads", "{} - Slow Roads", "{}"),
        ("Slow Roads | notes on walking", "{} | Slow Roads", "{}"),
        ("Slow Roads - notes", "{} | Slow Roads - notes", "{}"),
        ("Slow Roads", "Slow Roads: {}", "{}"),
        ("Photos - Slow Roads", "Photos: {}", "Photos: {}"),
        ("Slow Roads", "{} and Slow Roads", "{} and Slow Roads"),
        ("Slow Roads", "{}-Slow Roads", "{}-Slow Roads"),
    ],
)
def test_blog_name_is_removed_from_entry_titles(blog: str, form: str, kept: str) -> None:
    titles = ["A walk", "Rain - again", "Home"]
    items = "".join(
        f"<item><title>{form.format(t)}</title><link>/{n}</link></item>"
        for n, t in enumerate(titles)
    )
    feed = parse_feed(rss2(items).replace(b"<title>B<", f"<title>{blog}<".encode()), URL)
    assert [entry.title for entry in feed.entries] == [kept.format(t) for t in titles]
    items += "<item><title>Slow Roads</title><link>/9</link></item>"
    feed = parse_feed(rss2(items).replace(b"<title>B<", f"<title>{blog}<".encode()), URL)
    assert [entry.title for entry in feed.entries][:3] == [form.format(t) for t in titles]


def test_squarespace_json_is_read_page_by_page() -> None:
    item = {
        "id": "5f",
        "fullUrl": "/blog/2021/3/1/a-walk",
        "title": "A Walk",
        "body": "<p>" + "by the sea " * 60 + "</p>",
        "tags": ["sea"],
        "publishOn": 1614592800000,
        "updatedOn": 1614679200000,
        "author": {"displayName": "Ada"},
        "excerpt": "<p>By</p>",
    }
    data = {"collection": {"title": "Walks"}, "items": [item, "odd", {"title": "no address"}]}
    more = {"nextPage": True, "nextPageOffset": 1614, "nextPageUrl": "/blog?offset=1614"}
    feed = parse_feed(
        json.dumps({**data, "pagination": more}).encode(), "https://b.example/blog?format=json"
    )
    assert feed.title == "Walks" and feed.next_urls == (
        "https://b.example/blog?offset=1614&format=json",
    )
    (entry,) = feed.entries
    assert (entry.url, entry.title, entry.authors, entry.tags) == (
        "https://b.example/blog/2021/3/1/a-walk",
        "A Walk",
        ("Ada",),
        ("sea",),
    )
    assert (
        entry.is_full
        and entry.published == datetime(2021, 3, 1, 10, tzinfo=UTC)
        and entry.modified == datetime(2021, 3, 2, 10, tzinfo=UTC)
    )
    last = parse_feed(
        json.dumps({**data, "pagination": {"nextPage": False}}).encode(),
        "https://b.example/blog?format=json",
    )
    assert last.next_urls == ()
    strange = {**item, "publishOn": 10**20, "updatedOn": "soon", "author": "Ada", "tags": None}
    (entry,) = parse_feed(
        json.dumps({**data, "items": [strange]}).encode(), "https://b.example/blog?format=json"
    ).entries
    assert (
        entry.published is None
        and entry.modified is None
        and entry.tags == ()
        and entry.authors == ()
    )


@pytest.mark.parametrize(
    "title",
    [
        "Über Füße und Öfen, süß: “ganz” früh",
        "Прогулка по реке",
        "山の道を歩く",
        "Un café à côté d’été",
    ],
)
def test_doubly_encoded_feed_is_repaired(title: str) -> None:
    """All of it went through a program that took UTF-8 for windows-1252, as browsers read that."""
    body = rss2(f"<item><title>{title}</title><link>/1</link></item>")
    undefined = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
    twice = "".join(
        bytes([b]).decode("latin-1" if b in undefined else "cp1252") for b in body
    ).encode()
    assert [entry.title for entry in parse_feed(twice, URL).entries] == [title]
    assert [entry.title for entry in parse_feed(body, URL).entries] == [title]


def test_single_mojibake_example_is_kept() -> None:
    assert (
        parse_feed(rss2("<item><title>Why Ã© is é</title><link>/1</link></item>"), URL)
        .entries[0]
        .title
        == "Why Ã© is é"
    )
    assert (
        parse_feed(rss2("<item><title>What Ã© means</title><link>/1</link></item>"), URL)
        .entries[0]
        .title
        == "What Ã© means"
    )


def test_pages_with_the_zero_date_are_no_entries_of_a_feed_of_posts() -> None:
    def titles(days: list[str]) -> list[str | None]:
        items = "".join(
            f"<item><title>{n}</title><link>http://b.org/{n}</link><pubDate>{day} 10:00:00 +0000</pubDate></item>"
            for n, day in enumerate(days)
        )
        return [entry.title for entry in parse_feed(rss2(items), URL).entries]

    post, page = "Thu, 06 Nov 2025", "Mon, 01 Jan 0001"
    assert titles([post, post, page, page]) == ["0", "1"]
    assert titles([post, page, page]) == ["0", "1", "2"]


@pytest.mark.parametrize(("second", "kept"), [("Ann Lee", "A walk"), ("Bob", "A walk - Ann Lee")])
def test_titles_end_before_the_name_of_the_only_author(second: str, kept: str) -> None:
    """cnblogs writes it behind each title."""
    entries = "".join(
        f"<entry><title>{title} - Ann Lee</title><link href='/{n}'/>"
        f"<author><name>{name}</name></author></entry>"
        for n, (title, name) in enumerate((("A walk", "Ann Lee"), ("A run", second)))
    )
    assert parse_feed(atom(entries), URL).entries[0].title == kept


def test_references_behind_a_fault_are_read() -> None:
    """A template that writes titles into attributes unescaped breaks the feed at the first quote;
    all that follows is read all the same, tags of the text and parts of addresses too."""
    feed = parse_feed(
        atom(
            '<entry><title>Why "this"?</title><link href="/1" title="Why "this"?"/><id>1</id></entry>'
            "<entry><title>Rivers &amp; mirrors</title><id>2</id>"
            '<link href="https://blog.example.org/?p=2&amp;lang=en"/>'
            "<content type='html'>&lt;p&gt;One &amp;amp; two&lt;/p&gt;</content></entry>"
        ),
        URL,
    )
    broken, second = feed.entries
    assert broken.title == 'Why "this"?'
    assert second.title == "Rivers & mirrors"
    assert second.url == "https://blog.example.org/?p=2&lang=en"
    assert second.content_html == "<p>One &amp; two</p>"
