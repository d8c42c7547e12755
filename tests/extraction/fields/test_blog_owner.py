"""Whose blog it is, where posts don't say; and names that are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.fields.blog_owner import site_owner
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from tests.crawling.blog import Entry, content, entries


def home(body: str, head: str = "", url: str = "http://blog.example/") -> Page:
    return Page(url=url, body=f"<html><head>{head}</head><body>{body}</body></html>".encode())


@pytest.mark.parametrize(
    ("head", "body", "owner"),
    [
        ("<title>Jane Doe's Blog</title>", "", "Jane Doe"),
        *(
            ("", f"<h3>About me</h3><p>{words}</p>", name)
            for words, name in (
                ("My name is <b>Ann Lee</b>. This site is about birds.", "Ann Lee"),
                ("My name is J. R. Lee. This site is about birds.", "J. R. Lee"),
            )
        ),
        ("<title>Anna’s little diary</title>", "", "Anna"),
        ("<title>Le blog de Pierre Martin</title>", "", "Pierre Martin"),
        ("<title>Blog von Ute Maier | Garten</title>", "", "Ute Maier"),
        ("<title>El blog de Marta Ruiz</title>", "", "Marta Ruiz"),
        ("<title>山田太郎のブログ</title>", "", "山田太郎"),
        ("<title>Accueil - Blog de gaspard-29</title>", "", "gaspard-29"),
        ("", "<div class=info_nm><span><strong id=ownernick>老周</strong></span></div>", "老周"),
        ("<title>Блог Ивана Петрова</title>", "", "Ивана Петрова"),
        (
            "<title>Notes</title>",
            '<aside class="h-card"><a class="p-name u-url" rel="me" href="/">Kim Solo</a></aside>',
            "Kim Solo",
        ),
        (
            '<script type="application/ld+json">{"@type":"Person","name":"Ada Writer"}</script>',
            "",
            "Ada Writer",
        ),
        ("", "<footer>© 2008-2010 Food and Drink by Caleb Mill</footer>", "Caleb Mill"),
        ("", "<p>Hello! My name is Jo Hand, and this is my garden.</p>", "Jo Hand"),
        (
            '<meta name="author" content="Jo Hand">',
            '<a href="/about/">About Jo Hand</a>',
            "Jo Hand",
        ),
        (
            "",
            (
                "<div class=w><h3>About me</h3><img src=/me.png alt=me><p><b>Kim Solo</b></p><p>I "
                "grow beans.</p></div>"
            ),
            "Kim Solo",
        ),
        (
            "",
            (
                "<div><h4>Über mich</h4><div><a href=/profil>Ute Maier</a> Gärtnerin in "
                "Ulm</div></div>"
            ),
            "Ute Maier",
        ),
        (
            "",
            "<div><h2>プロフィール</h2><img src=/a.png><p>山田太郎</p><p>東京在住</p></div>",
            "山田太郎",
        ),
        (
            "",
            "<p>text</p><footer>This blog is written by Anna Berg. Powered by Hugo.</footer>",
            "Anna Berg",
        ),
        (
            "",
            "<p>text</p><footer>2008 – 2021 Anna Berg | Theme by Some Maker</footer>",
            "Anna Berg",
        ),
        (
            "",
            "<p>text</p><div id=foot>Geschrieben und fotografiert von Ute Maier</div>",
            "Ute Maier",
        ),
        (
            "",
            (
                "<div id=profil><p>xx-ute-xx</p><a href=/profil/>Profil de xx-ute-xx</a> <a "
                "href=/photos/>Photos</a></div>"
            ),
            "xx-ute-xx",
        ),
        ("", "<div><a href=/user/anna>Anna Berg's profile</a></div>", "Anna Berg"),
        ("", "<article>By <a rel=author href=/a>Anna Berg</a></article>" * 2, "Anna Berg"),
    ],
)
def test_owner_is_introduced_on_the_start_page(head: str, body: str, owner: str | None) -> None:
    assert site_owner(home(body, head)) == owner


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("<title>Today's Blog</title>", ""),
        ("<title>The blog of the week</title>", ""),
        ("<title>Blog de cuisine</title>", ""),
        ("<title>Small Notes</title>", "<footer>© 2020 Small Notes. All rights reserved.</footer>"),
        ('<meta name="author" content="admin">', ""),
        ('<meta name="author" content="Some Theme">', ""),
        ("", "<p>I'm Happy to say that nothing happened.</p>"),
        ("", "<h2><a href=/p>I'm Moving To China</a></h2><p>I'm Moving To China. Read more.</p>"),
        (
            "",
            '<article><div class="h-card"><span class="p-name">Guest Writer</span></div></article>',
        ),
        (
            "",
            "<article>By <a rel=author href=/g>Guest Writer</a></article>"
            "<article>One more.</article><article>And one.</article>",
        ),
        ("", "<footer>© 2020 Big Media Group Inc.</footer>"),
        (
            "",
            (
                "<ul><li><a href=/u/anna>Profile of Anna Berg</a><li><a href=/u/ute>Profile of Ute "
                "Maier</a></ul>"
            ),
        ),
        ("", "<h3>About me</h3><p>I grow beans in Upper Town and write about it.</p><p>More</p>"),
        ("", "<h3>About</h3><ul><li>Recent posts</li></ul>"),
        ("", "<footer>Theme by Some Maker. Powered by Hugo Static</footer>"),
        ("", "<footer>Designed and built by Some Maker</footer>"),
    ],
)
def test_texts_without_an_owner_name(head: str, body: str) -> None:
    assert site_owner(home(body, head)) is None


def page_of(entry: Entry, byline: str) -> Page:
    body = (
        f"<article><h1>{entry.title}</h1><p class='by'>{byline}</p><div "
        f"class='entry'>{content(entry)}</div></article>"
    )
    return Page(
        url="http://blog.example" + entry.path, body=f"<html><body>{body}</body></html>".encode()
    )


def sample(entry: Entry, author: str, byline: str) -> Sample:
    url, names = "http://blog.example" + entry.path, (author,) if author else ()
    feed_entry = FeedEntry(
        url=url, title=entry.title, authors=names, content_html=content(entry), is_full=True
    )
    return Sample(page=page_of(entry, byline), entry=feed_entry)


def authors(
    samples: list[Sample], older: Page, front: Page | None = None, entry: FeedEntry | None = None
) -> tuple[str, ...]:
    post = extract_post(older, learn_blog(samples, Hints(home=front)), entry, True)
    assert isinstance(post, Post)
    return post.authors


def test_feed_author_admin_yields_to_the_name_on_the_page() -> None:
    posts = entries(9)
    samples = [sample(e, "admin", "by Ada Writer") for e in posts[1:]]
    assert authors(samples, page_of(posts[0], "by Ada Writer")) == ("Ada Writer",)
    assert authors(samples, samples[0].page, entry=samples[0].entry) == ("Ada Writer",)


@pytest.mark.parametrize(
    ("login", "address", "text", "name"),
    [
        ("a1", "/author-a1.html", "<img alt=x><span>Ada Writer</span>", "Ada Writer"),
        ("adaw", "https://b.example/blog/author/adaw/", "by Ada Writer", "Ada Writer"),
        ("adaw", "/author/adaw/", "adaw", "adaw"),
        ("adaw", "/author/adawong/", "Ada Wong", "adaw"),
        ("adaw", "/garden/adaw/", "Late Summer", "adaw"),
        ("adaw", "/author/adaw/", "Ada Writer</a> <a href=/author/adaw/>Bob Walker", "adaw"),
    ],
)
def test_feed_login_yields_to_the_name_on_the_page(
    login: str, address: str, text: str, name: str
) -> None:
    posts = entries(9)
    byline = f"<a href={address}>{text}</a>"
    samples = [sample(e, login, byline) for e in posts[1:]]
    assert authors(samples, samples[0].page, entry=samples[0].entry) == (name,)


def test_admin_is_better_than_no_author() -> None:
    posts = entries(9)
    samples = [sample(e, "admin", "") for e in posts[1:]]
    assert authors(samples, page_of(posts[0], "")) == ("admin",)


def test_single_feed_author_is_the_author_of_all_posts() -> None:
    posts = entries(9)
    assert authors([sample(e, "Ada Writer", "") for e in posts[1:]], page_of(posts[0], "")) == (
        "Ada Writer",
    )


def test_owner_is_the_author_of_unsigned_posts() -> None:
    posts = entries(9)
    samples = [sample(e, "", "") for e in posts[1:]]
    front = home("<p>My name is Jo Hand, and this is my garden.</p>")
    assert authors(samples, page_of(posts[0], ""), front) == ("Jo Hand",)
    assert authors(
        [replace(s, entry=FeedEntry(url=s.entry.url)) for s in samples],
        page_of(posts[0], ""),
        front,
    ) == ("Jo Hand",)


@pytest.mark.parametrize(
    ("box", "name"),
    [
        (
            (
                '<dl><dt class="profileUserNickname"><a '
                'href="http://people.example/hana">hana7</a></dt></dl>'
            ),
            "hana7",
        ),
        ('<a class="profile-name-link g-profile" href="http://people.example/1">Jo</a>', "Jo"),
        ('<p class="profile-name">Jo</p><p class="profile-name">Ann</p>', None),
        ('<p class="file-name">notes.txt</p>', None),
    ],
)
def test_owner_box_is_found(box: str, name: str | None) -> None:
    assert site_owner(home(box)) == name
