"""Links of a page with anchor and tag path."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.dom.links import MAX_ANCHOR, MAX_LINKS, PATH_STEPS, Link, headed_links, page_links
from tests.cpu import loops


def links(html: str, **headers: str):
    return {
        x.url: x
        for x in page_links(Page(url="http://e.org/a/", body=html.encode(), headers=headers))
    }


def test_links_have_their_context() -> None:
    found = links(
        """<html><head><link rel=next href="/page/2/"><link rel=stylesheet href=x.css></head><body>
        <div class="side bar1"><ul id=recent><li><a href="../b#c" rel="nofollow Bookmark">  A
        post </a></li></ul></div><a href="b2?x=1&amp;y=2"><img alt="A picture"></a><area href="/map">
        <a href="javascript:x()">no</a><a href="mailto:a@b">no</a><a href="#top">no</a><a name=x>no</a><a href="http://[bad">no</a></body></html>"""  # noqa: E501
    )
    assert set(found) == {
        "http://e.org/page/2/",
        "http://e.org/b",
        "http://e.org/a/b2?x=1&y=2",
        "http://e.org/map",
    }
    post = found["http://e.org/b"]
    assert (post.anchor, post.tag_path, post.rel, post.nofollow) == (
        "A post",
        "div.side>ul.recent>li>a",
        "nofollow bookmark",
        True,
    )
    assert found["http://e.org/a/b2?x=1&y=2"].anchor == "A picture"
    assert found["http://e.org/page/2/"].tag_path.endswith("link")


def test_menus_and_buttons_lead_to_pages() -> None:
    found = links(
        """<select onchange="document.location.href=this.value"><option value="">Select Month
        <option value="/2008/05/">May 2008<option value="http://e.org/2008/06/">June 2008</select>
        <select name=cat><option value=3>Travel<option value="de">German</select>
        <button onclick="location.href='/?start=10'">Older</button><button onclick="like(3)">+1
        </button><a href="javascript:window.location = '?page=3'">3</a>
        <a href="javascript:window.open('/popup')">comments</a>"""
    )
    assert {url: link.anchor for url, link in found.items()} == {
        "http://e.org/2008/05/": "May 2008",
        "http://e.org/2008/06/": "June 2008",
        "http://e.org/?start=10": "Older",
        "http://e.org/a/?page=3": "3",
    }


def test_what_a_click_makes_the_location_is_a_link() -> None:
    found = links(
        """<span class=more onclick="window.location.href='/page/2'">Older</span><a href="#"
        onclick="location = '/page/3'; return false">3</a><a href="/a" onclick="location='/b'">A</a>
        <div onclick="show(this)">no</div><button onclick="location='/page/' + next">no</button>
        <a href="#x" onclick="count(location.href)">no</a>"""
    )
    assert {url: link.anchor for url, link in found.items()} == {
        "http://e.org/page/2": "Older",
        "http://e.org/page/3": "3",
        "http://e.org/a": "A",
    }


def test_forms_without_words_to_fill_in_lead_to_pages() -> None:
    found = links(
        """<form action="/?old=1" method=GET><input type=hidden name=start value=10><button>Next
        </button></form><form><select name=y><option value="">Year<option>2022<option>2023</select>
        <select name=m><option value=05>May</select><input type=submit value=Show></form>
        <form action=/list><button name=page value=1>1</button><button name=page value=2>2</button>
        </form>"""
    )
    assert {url: link.anchor for url, link in found.items()} == {
        "http://e.org/?start=10": "Next",
        "http://e.org/a/?y=2022&m=05": "2022 May",
        "http://e.org/a/?y=2023&m=05": "2023 May",
        "http://e.org/list?page=1": "1",
        "http://e.org/list?page=2": "2",
    }


def test_forms_that_ask_are_no_links() -> None:
    fields = (
        "<input name=q>",
        "<input type=search name=q>",
        "<input type=password name=p>",
        "<textarea name=t></textarea>",
        "<input type=checkbox name=c>",
    )
    for field in fields:
        rest = f"<input type=hidden name=a value=1>{field}<button>Go"
        assert not links(f"<form action=/s>{rest}</button></form>")
    assert not links("<form method=post><input type=hidden name=page value=2><button>Next</form>")
    assert not links("<form action=/s><button>Go</button></form>")
    numbers = "".join(f"<option>{n}" for n in range(30))
    menus = "".join(f"<select name=s{n}>{numbers}</select>" for n in range(2))
    assert not links(f"<form action=/s>{menus}</form>")


def test_first_occurrence_with_anchor_text_wins() -> None:
    found = links(
        "<body><p><a href=/x><img></a></p><h2><a href=/x>Title</a></h2><footer><a "
        "href=/x>more</a></footer>"
    )
    assert (found["http://e.org/x"].anchor, found["http://e.org/x"].tag_path) == ("Title", "h2>a")


def test_page_wide_nofollow_is_applied() -> None:
    assert links("<meta name=ROBOTS content='noindex, NOFOLLOW'><a href=/x>x</a>")[
        "http://e.org/x"
    ].nofollow
    assert links("<a href=/x>x</a>", **{"x-robots-tag": "none"})["http://e.org/x"].nofollow
    assert not links("<a href=/x>x</a>")["http://e.org/x"].nofollow


def test_link_count_is_bounded() -> None:
    many: dict[str, Link] = {}
    body = "<body>" + "".join(f"<a href=/{i}>{'word ' * 100}</a>" for i in range(MAX_LINKS + 500))
    assert loops(lambda: many.update(links(body))) < 1000
    assert len(many) == MAX_LINKS
    assert all(len(x.anchor) <= MAX_ANCHOR for x in many.values())
    deep = links("<div class='" + "c" * 100_000 + "'>" * 150 + "<a href=/deep>x</a>")
    assert len(deep["http://e.org/deep"].tag_path.split(">")) <= PATH_STEPS
    assert len(deep["http://e.org/deep"].tag_path) < 300


def test_empty_page_has_no_links() -> None:
    assert links("") == {}
    assert links("\x00\xff<<<") == {}


def test_route_to_a_heading_of_the_page_that_shows_it_is_no_link() -> None:
    body = (
        b"<h2 id=first-steps><a href='#/post/1?id=first-steps'>First steps</a></h2>"
        b"<a href='#/post/1?lang=de'>Deutsch</a><a href='#/post/2?id=first-steps'>Two</a>"
    )
    drawn = Page(url="http://example.org/#/post/1", body=body, rendered=True)
    assert [link.anchor for link in page_links(drawn)] == ["Deutsch", "Two"]


def test_fragment_routes_of_a_rendered_page_are_links() -> None:
    body = (
        b"<a href='#/post/1'>One</a><a href='/#!/post/2'>Two</a><a href='#top'>Top</a><a "
        b"href='/x#/'>Home</a>"
    )
    drawn = Page(url="http://example.org/", body=body, rendered=True)
    assert [link.url for link in page_links(drawn)] == [
        "http://example.org/#/post/1",
        "http://example.org/#!/post/2",
        "http://example.org/x",
    ]
    assert [link.url for link in page_links(Page(url="http://example.org/", body=body))] == [
        "http://example.org/",
        "http://example.org/x",
    ]


def test_links_in_or_around_headings_name_posts() -> None:
    html = (
        "<h1><a href='/'>S</a></h1><a href='/1'><h2>One</h2></a><h3><b><a href='/2'>Two</a></b>"
        "</h3><h2>None</h2><p><a href='/3'>x</a></p>"
    )
    page = Page(url="http://b.test/", body=html.encode())
    assert list(headed_links(page)) == [f"http://b.test/{n}" for n in ("", 1, 2)]
