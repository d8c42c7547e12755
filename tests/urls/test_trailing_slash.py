from __future__ import annotations

import pytest

from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.trailing_slash import IN_VAIN, SlashHabit, slash_form

HOST = "https://b.example"


@pytest.mark.parametrize(
    ("url", "slash", "form"),
    [
        ("/blog/a", True, "/blog/a/"),
        ("/blog/a/", True, "/blog/a/"),
        ("/blog/a/", False, "/blog/a"),
        ("/a?p=2", True, "/a/?p=2"),
        ("/a.html", True, "/a.html"),
        ("/a.html/", False, "/a.html"),
        ("/", False, "/"),
        ("/", True, "/"),
        ("", True, ""),
    ],
)
def test_trailing_slash_forms_are_normalised(url: str, slash: bool, form: str) -> None:
    assert slash_form(HOST + url, slash) == HOST + form
    assert canonicalize(HOST + form) == canonicalize(HOST + url)


@pytest.mark.parametrize("slash", [True, False])
def test_two_redirects_establish_the_form(slash: bool) -> None:
    habit = SlashHabit()
    asked = [slash_form(f"{HOST}/blog/post-{n}", not slash) for n in range(3)]
    habit.observe(asked[0], slash_form(asked[0], slash))
    assert habit.form(asked[2]) == asked[2]
    habit.observe(asked[1], slash_form(asked[1], slash))
    assert habit.form(asked[2]) == slash_form(asked[2], slash)
    assert habit.form("https://other.example/post") == "https://other.example/post"


@pytest.mark.parametrize("first", [True, False])
def test_inconsistent_site_is_requested_as_linked(first: bool) -> None:
    habit = SlashHabit()
    if first:
        habit.observe(f"{HOST}/blog/c", f"{HOST}/blog/c")
    for name in "ab":
        habit.observe(f"{HOST}/docs/{name}", f"{HOST}/docs/{name}/")
    if not first:
        habit.observe(f"{HOST}/blog/c", f"{HOST}/blog/c")
    assert habit.form(f"{HOST}/docs/d") == f"{HOST}/docs/d"


def test_other_redirects_are_ignored() -> None:
    habit = SlashHabit()
    for name in "abc":
        habit.observe(f"{HOST}/{name}", f"{HOST}/new/{name}/")
        habit.observe(f"{HOST}/{name}", f"https://www.b.example/{name}/")
        habit.observe(f"{HOST}/{name}.html", f"{HOST}/{name}.html")
    assert habit.form(f"{HOST}/d") == f"{HOST}/d"


def test_likely_post_is_requested_as_found() -> None:
    habit = SlashHabit()
    for name in "ab":
        habit.observe(f"{HOST}/{name}", f"{HOST}/{name}/")
    assert [habit.missed(f"{HOST}/tag-{n}", likely=False) for n in range(IN_VAIN + 2)] == [
        True
    ] * IN_VAIN + [False] * 2
    assert habit.missed(f"{HOST}/post", likely=True)
    habit.erred(f"{HOST}/post")
    assert habit.form(f"{HOST}/c") == f"{HOST}/c"
