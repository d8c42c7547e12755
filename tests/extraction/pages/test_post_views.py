"""What shows a post once more is no post, unless pages of its kind stand for themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.pages.post_views import PostViews, View, family_of

HOST = "http://blog.example"
STORY = (
    "The boat leaks at number {0}, so I bought tar for {0} coins and mended the planks on {0}. "
    "My neighbour lent me a kettle for {0} days, and the tar boiled over twice before noon."
)
SAID = "My uncle tarred boat {0} twice, and it sank all the same in winter {0}."


def noted(
    views: PostViews, path: str, title: str, text: str, *links: str, unlisted: bool = False,
    around: str = "", led: bool = False, promised: bool = False,
) -> View | None:  # fmt: skip
    url = HOST + path
    page = Page(url=url, body=f"<title>{title}</title><p>{text}<p>{around}".encode())
    post = Post(url=url, canonical_url=url, title=title, content_text=text)
    known = {url: HOST + links[0]} if led else {}
    found_on, led_to = known.get, [HOST + link for link in links]
    return views.note(page, post, url, led_to, unlisted, found_on, promised=promised)


def with_posts(count: int = 5, *, promised: bool = False) -> PostViews:
    views = PostViews()
    for n in range(count):
        around = f"A comment. {SAID.format(n)}"
        assert (
            noted(
                views,
                f"/story?id={n}",
                f"Boat {n}",
                STORY.format(n),
                around=around,
                promised=promised,
            )
            is None
        )
    return views


def test_page_with_the_text_and_title_of_a_post_is_a_view_of_it() -> None:
    view = noted(with_posts(), "/print?id=2", "Boat 2", STORY.format(2))
    assert view == View(f"{HOST}/print?id=2", f"{HOST}/story?id=2", is_sure=True)


def test_page_of_a_comment_that_stands_on_the_page_of_a_post_is_a_view_of_it() -> None:
    views = with_posts()
    assert noted(views, "/said?c=7", "I disagree", SAID.format(2), "/story?id=2") is None
    view = noted(views, "/said?c=8", "No", SAID.format(3), "/story?id=3", unlisted=True)
    assert view is not None and view.is_sure


def test_page_of_a_part_of_the_post_is_a_view_if_only_posts_lead_to_it() -> None:
    """The recipe of a post, to be printed."""
    views = with_posts()
    assert noted(views, "/boats/2", "Boat 2", SAID.format(2)) is None, "lists lead to it"
    view = noted(views, "/print/3", "Boat 3", SAID.format(3), unlisted=True)
    assert view == View(f"{HOST}/print/3", f"{HOST}/story?id=3", is_sure=True)


def test_titles_that_name_posts_are_views_if_those_of_several_posts_do() -> None:
    views = with_posts()
    found = [
        noted(views, f"/talk?id={n}", f"Comments on Boat {n}", f"Nothing {n}", f"/story?id={n}")
        for n in range(4)
    ]
    assert all(view is not None and not view.is_sure for view in found)
    assert found[0] is not None and views.is_confirmed(found[0])
    lone = noted(views, "/more?id=9", "Boat 4 again", "Other words.", "/story?id=4")
    assert lone is not None and not views.is_confirmed(lone)


def test_page_with_the_text_of_the_post_that_led_to_it_is_a_view_whatever_is_read_there() -> None:
    """The rules of the blog find but the byline on the page for printing."""
    views, url, post_url = with_posts(), f"{HOST}/print?id=2", f"{HOST}/story?id=2"
    page = Page(url=url, body=f"<p>Author: Ann<p>{STORY.format(2)}".encode())
    post = Post(url=url, canonical_url=url, title="Print", content_text="Author: Ann")
    view = views.note(page, post, url, [], unlisted=False, found_on={url: post_url}.get)
    assert view == View(url, post_url, is_sure=True)


def test_pages_with_the_query_of_the_post_that_led_to_them_are_views() -> None:
    """Comments and the page for printing don't name the post; the latter doesn't lead to it. One
    was read before the post was."""
    views = with_posts()
    talks = [f"/talk?id={n}" for n in range(4)] + ["/talk?id=9"]
    said = [
        noted(views, talk, "Comments", "So.", talk.replace("talk", "story"), led=True)
        for talk in talks
    ]
    assert said[0] == View(f"{HOST}/talk?id=0", f"{HOST}/story?id=0", is_sure=False)
    assert views.is_confirmed(said[0])
    late = said[-1]
    assert late is not None and not views.is_confirmed(late)
    assert noted(views, "/story?id=9", "Boat 9", STORY.format(9)) is None
    assert views.is_confirmed(late)
    printed = noted(views, "/paper?id=3", "My blog", STORY.format(3), "/story?id=3", led=True)
    assert printed is not None and printed.is_sure
    assert noted(views, "/boats?id=3", "Boats", "Three boats.", "/story?id=3") is None


def test_pages_of_a_kind_that_stand_for_themselves_are_no_views() -> None:
    views = with_posts()
    for n in range(6):
        assert noted(views, f"/news/item-{n}", f"Tar {n}", f"Tar costs {n}.") is None
    view = noted(views, "/news/again", "Boat 1", STORY.format(1), "/story?id=1")
    assert view is not None and not views.is_confirmed(view)


def test_post_of_another_day_with_the_same_words_is_another() -> None:
    views, url = PostViews(), HOST + "/a/open-thread"
    page = Page(url=url, body=f"<p>{STORY}".encode())
    post = Post(
        url=url, canonical_url=url, content_text=STORY, title="Open thread",
        published=datetime.fromisoformat("2020-05-01T00:00:00+00:00"),
    )  # fmt: skip
    later = datetime.fromisoformat("2020-06-01T00:00:00+00:00")
    assert views.note(page, post, url, (), False) is None
    assert views.note(page, replace(post, published=later), HOST + "/b/x/y", (), False) is None


def test_families_of_addresses() -> None:
    assert family_of(f"{HOST}/print.php?id=5") != family_of(f"{HOST}/story.php?id=5")
    assert family_of(f"{HOST}/print.php?id=5") == family_of(f"{HOST}/print.php?id=6")
    assert family_of(f"{HOST}/print.php%3Fid=5.html") != family_of(f"{HOST}/story.php%3Fid=5.html")
    assert family_of(f"{HOST}/2003/a-walk") == family_of(f"{HOST}/2004/tar")
    assert family_of(f"{HOST}/print5.html") != family_of(f"{HOST}/story5.html")
    assert family_of(f"{HOST}/print5.html") == family_of(f"{HOST}/print61.html")
    assert family_of(f"{HOST}/2003/31-view.html") != family_of(f"{HOST}/2003/31.html")
    assert family_of(f"{HOST}/a/print", f"{HOST}/a") == family_of(f"{HOST}/b/print", f"{HOST}/b")


def test_page_that_adds_to_the_address_of_a_post_and_has_its_text_is_a_view() -> None:
    views = with_posts()
    view = noted(views, "/story?id=2&mode=reply", "Reply", STORY.format(2))
    assert view == View(f"{HOST}/story?id=2&mode=reply", f"{HOST}/story?id=2", is_sure=True)
    assert noted(views, "/story?id=3&mode=more", "More", "Nothing that was said before.") is None


def test_views_that_were_read_first_are_views_all_the_same() -> None:
    views = PostViews()
    texts = [STORY.format(n) for n in range(30)]
    for n in range(3):
        assert noted(views, f"/day?d={n}", "Blog", texts[n]) is None
    found = [noted(views, f"/a?id={n}", "Blog", texts[n], f"/day?d={n}") for n in range(30)]
    days = [noted(views, f"/day?d={n}", "Blog", texts[n], f"/a?id={n}") for n in range(3, 30)]
    assert all(view is not None and views.is_confirmed(view) for view in days)
    for view in found[:3]:
        assert view is not None and not views.is_confirmed(view) and views.is_turned(view)


def test_of_two_addresses_with_one_text_the_one_that_adds_is_the_view() -> None:
    """Lists lead to the form below a post that nobody has answered yet, and not to the post."""
    views, adds = PostViews(), "/{0}.html?mode=reply"
    for n in range(4):
        assert noted(views, adds.format(n), f"Boat {n}", STORY.format(n)) is None
    found = [
        noted(views, f"/{n}.html", f"Boat {n}", STORY.format(n), adds.format(n)) for n in range(4)
    ]
    assert all(view is not None and views.is_turned(view) for view in found)
    other = noted(views, "/9.html", "Boat 3", STORY.format(3), adds.format(3))
    assert other is not None and not views.is_turned(other)


def test_page_of_a_kind_that_showed_posts_of_the_feed_waits_once_for_its_own() -> None:
    views = with_posts(promised=True)
    for n in range(3):
        assert noted(views, f"/print?id={n}", f"Boat {n}", STORY.format(n)) is not None
    first = [noted(views, f"/print?id={n}", f"Boat {n}", STORY.format(n)) for n in (7, 8)]
    assert [view and view.post for view in first] == ["", ""]
    assert noted(views, "/story?id=7", "Boat 7", STORY.format(7)) is None
    view = noted(views, "/print?id=7", "Boat 7", STORY.format(7))
    assert view == View(f"{HOST}/print?id=7", f"{HOST}/story?id=7", is_sure=True)
    assert noted(views, "/print?id=8", "Boat 8", STORY.format(8)) is None, "its post never came"
    assert noted(views, "/print?id=9", "Boat 9", STORY.format(9)) is None, "one stands for itself"


def test_page_waits_for_no_post_where_posts_and_views_may_be_taken_for_one_another() -> None:
    views = with_posts()
    for n in range(3):
        assert noted(views, f"/print?id={n}", f"Boat {n}", STORY.format(n)) is not None
    assert noted(views, "/print?id=7", "Boat 7", STORY.format(7)) is None


def test_page_that_names_several_posts_is_a_view_of_that_whose_text_it_has() -> None:
    views = with_posts()
    links = [f"/story?id={n}" for n in range(5)]
    view = noted(views, "/print?n=3", "Boat 1, Boat 2, Boat 3", STORY.format(3), *links)
    assert view == View(f"{HOST}/print?n=3", f"{HOST}/story?id=3", is_sure=True)
