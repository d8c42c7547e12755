"""Labels next to titles lead to views of posts; where no title is a link they lead to the posts."""

from __future__ import annotations

from blogcrawl.urls.view_links import adding_views, query_views, view_links

HOST = "http://blog.example"


def entry(number: int, *links: tuple[str, str]) -> list[tuple[str, str]]:
    return [
        (HOST + path.format(number), anchor.format(number, name=NAMES[number % 7]))
        for path, anchor in links
    ]


NAMES = ("Tar", "Boats", "A rope", "Winter", "Nets", "Oars", "Sails")
TITLE, MORE = ("/story?id={}", "{name} on the quay"), ("/story?id={}", "Read more")
TALK, PRINT = ("/talk?id={}", "{} comments"), ("/print?id={}", "Print")


def listed(*links: tuple[str, str]) -> set[str]:
    menu = [(f"{HOST}/", "Home"), (f"{HOST}/about", "About")]
    found = view_links([*menu, *(link for n in range(2, 7) for link in entry(n, *links))])
    return {url.removeprefix(HOST).partition("?")[0] for url in found}


def test_labels_next_to_titles_lead_to_views() -> None:
    assert listed(TITLE, TALK, PRINT) == {"/talk", "/print"}


def test_label_that_leads_where_the_title_leads_is_the_way_to_the_post() -> None:
    assert listed(TITLE, MORE, PRINT) == {"/print"}


def test_label_without_titles_is_the_way_to_the_post() -> None:
    assert listed(("/post/{}", "Permalink")) == set()
    assert listed(("/2003/05/{}", "May {}"), ("/post/{}", "Permalink")) == set()


def test_label_behind_few_titles_is_the_way_to_the_post() -> None:
    assert listed(("/tagged/boats", "Boats"), ("/post/{}", "Permalink")) == set()


def test_pages_with_the_query_of_others_met_before_are_views() -> None:
    posts = [f"http://a.example/story.php?id={n}" for n in range(4)]
    views = [url.replace("story", "print") for url in posts]
    lists = ["http://a.example/list.php?id=1", "http://a.example/b/story.php?id=1"]
    assert query_views([*posts, *views, *lists]) == set(views)
    assert query_views([url.replace("?", "%3F") + ".html" for url in (*posts, *views)])
    assert not query_views([f"http://a.example/post-{n}.html?v=2" for n in range(4)])


def test_pages_that_add_the_same_to_others_are_views() -> None:
    posts = [f"http://a.example/{n}.html" for n in range(4)]
    replies = [f"{url}?mode=reply" for url in posts]
    assert adding_views([*posts, *replies]) == set(replies)
    assert not adding_views(["http://a.example/", *(f"http://a.example/?p={n}" for n in range(4))])
    assert not adding_views([*posts, *replies[:2]])
