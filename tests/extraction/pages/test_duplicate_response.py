"""One page at many addresses is no post; two posts are never one page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile, Post
from blogcrawl.dates.edtf import DAY
from blogcrawl.extraction.pages.duplicate_response import (
    MEMORY,
    Echoes,
    are_many,
    fingerprint,
    post_fingerprint,
)
from blogcrawl.text.lengths import MAX_BYLINE

NOTICE = (
    "<title>Notice</title><p>This offer can't be reached at the moment. Please turn to "
    "whoever runs it, or try again later."
)


def page(html: str, name: str = "a") -> Page:
    return Page(url=f"https://b.example/{name}", body=html.encode())


def test_duplicate_urls_are_counted_up_to_a_limit() -> None:
    echoes = Echoes()
    assert echoes.note(page(NOTICE), "a") == ("a",)
    assert echoes.note(page(NOTICE), "a") == ("a",), "the same address again is no echo"
    assert echoes.note(page(NOTICE + "<script>nonce = 7</script>"), "b") == ("a", "b"), (
        "what nobody sees does not count"
    )
    assert len(echoes.note(page(NOTICE), "c")) == SEVERAL
    assert echoes.note(page(NOTICE), "d") == ("a", "b", "c")


def test_visibly_different_pages_are_no_duplicates() -> None:
    words = "<p>" + "older newer archive about " * 5
    prints = {
        fingerprint(page(html))
        for html in (
            f"<title>One</title>{words}",
            f"<title>Two</title>{words}",
            f"<title>One</title>{words}<img src=1.jpg>",
            f"<title>One</title>{words}<img src=2.jpg>",
            f"<title>One</title>{words}<iframe src=https://video.example/1></iframe>",
            f"<title>One</title>{words} 7",
        )
    }
    assert len(prints) == 6 and None not in prints


def test_application_shells_are_no_duplicates() -> None:
    echoes = Echoes()
    shell = "<title>App</title><div id=root></div><script>" + "x" * 500 + "</script>"
    assert [echoes.note(page(shell), key) for key in "abcd"] == [(key,) for key in "abcd"]
    assert fingerprint(page("<p>" + "x" * (MAX_BYLINE - 1) + "<script src=a.js></script>")) is None
    assert fingerprint(page("<title>App</title><img src=1.jpg>")) is None


def test_few_words_on_a_page_without_scripts_are_all_that_it_has() -> None:
    echoes = Echoes()
    error = "<title>Error</title><h1>Error establishing a database connection</h1>"
    assert [len(echoes.note(page(error), key)) for key in "abcd"] == [1, 2, 3, 3]


def test_forms_of_few_words_are_duplicates() -> None:
    echoes = Echoes()
    form = "<title>Reply</title><h3>Your comment</h3><form method=post>Name <input></form>"
    assert [len(echoes.note(page(form), key)) for key in "abcd"] == [1, 2, 3, 3]


def test_numbers_do_not_part_pages_that_no_template_made() -> None:
    first, second = (page(f"{NOTICE} Request {n}af-{n}, 12:0{n}") for n in (3, 7))
    assert fingerprint(first, is_notice=True) == fingerprint(second, is_notice=True)
    assert fingerprint(first) != fingerprint(second)
    days = (page(f"<title>Diary</title><p>{n} March 2003. Rain.</p>") for n in (3, 7))
    assert len({fingerprint(day, is_notice=True) for day in days}) == 2
    other = page(f"{NOTICE} We are busy.")
    assert fingerprint(first, is_notice=True) != fingerprint(other, is_notice=True)


def test_memory_is_bounded() -> None:
    echoes = Echoes()
    for number in range(MEMORY + 50):
        echoes.note(page(f"<p>{'word ' * 20}{number}"), str(number))
    assert len(echoes._addresses) == MEMORY
    assert echoes.note(page(f"<p>{'word ' * 20}0"), "again") == ("again",), (
        "the oldest are forgotten"
    )


def test_url_requested_in_several_ways_is_one() -> None:
    echoes = Echoes()
    walk = "http://b.example/walk"
    assert echoes.note(page(NOTICE), walk) == (walk,)
    for query in ("?lang=fr", "?lang=en", "?view=wide"):
        assert echoes.note(page(NOTICE), walk + query) == (walk,)
    numbers = [f"http://b.example/?p={n}" for n in range(4)]
    for number in numbers:
        found = echoes.note(page(NOTICE + "!"), number)
    assert len(found) == SEVERAL, "at the root the query is the address"


def post(text: str = "All of the bread was gone by noon. " * 4, **changes: Any) -> Post:
    values = {"title": "Bread", "published": datetime(2012, 10, 3, tzinfo=DAY), **changes}
    return Post(url="u", canonical_url="u", content_text=text, **values)


def test_duplicate_post_belongs_to_its_first_url() -> None:
    echoes = Echoes()
    keys = [echoes.note_post(post(), key) for key in ("a", "b", "c", "d", "a")]
    assert keys == ["a"] * 5, "in however many templates, sections and spellings"
    assert echoes.note_post(post(title="Cake"), "e") == "e"


def test_posts_with_another_date_text_or_image_are_distinct() -> None:
    marks = {
        post_fingerprint(post()),
        post_fingerprint(post(published=datetime(2012, 10, 4, tzinfo=DAY))),
        post_fingerprint(post("None of the bread was gone by noon. " * 4)),
        post_fingerprint(post(media=(MediaFile(url="http://b.example/1.jpg"),))),
    }
    assert len(marks) == 4 and None not in marks
    assert post_fingerprint(post("Short.")) is None


def test_addresses_of_several_kinds_are_names_of_one_post() -> None:
    echoes, base = Echoes(), "https://b.example/journal.nsf/"
    names = ("d6plinks/MTEN-77", "dx/a-walk?opendocument", "dx/a-walk?comments&opendocument")
    found = [echoes.note(page(NOTICE), base + name) for name in (*names, "links/77")][-1]
    assert len(found) == 4 and not are_many(found)
    for number in range(20):
        found = echoes.note(page(NOTICE), f"{base}d6plinks/MTEN-{number}")
    assert are_many(found) and len(found) == 6


def test_case_of_letters_makes_no_other_address() -> None:
    echoes, base = Echoes(), "https://b.example/"
    for name in ("Journal/Entry12.htm", "journal/entry12.htm", "JOURNAL/entry12.htm"):
        assert echoes.note(page(NOTICE), base + name) == (base + "Journal/Entry12.htm",)
