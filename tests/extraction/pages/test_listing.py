"""Days of posts that lists show."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.model import BlogModel
from blogcrawl.extraction.pages.listing import Places, entries_with_day, list_hints


@pytest.mark.parametrize("count", [1, 2, 3])
def test_flat_list_with_links_at_the_feet_of_the_posts(count: int) -> None:
    posts = "".join(
        f"<p><b>May {day}, 2002</b></p><p><b>Walk {day}</b></p><p>{'A walk along the river. ' * 9}"
        f"</p><p>Posted by Ann @ 05:54 AM [<a href=/w/{day}.htm>Link</a>]</p><hr>"
        for day in range(11, 11 + count)
    )
    body = f"<body><h1>Ann</h1>{posts}<p>The end</p></body>"
    page = Page(url="http://b.example/may.htm", body=body.encode())
    hints = list_hints(page, lambda url: "/w/" in url)
    assert [hint.day and hint.day.day for hint in hints] == [*range(11, 11 + count)]


def test_day_stands_before_the_box_of_its_posts() -> None:
    days = "".join(
        f"<h3>May {day}, 2012</h3><div><p><a href=/w/{day}a.htm>The {day}th</a></p><p>"
        f"<a href=/w/{day}b.htm>More of it</a></p></div>"
        for day in (13, 11)
    )
    page = Page(url="http://b.example/may.htm", body=f"<body>{days}</body>".encode())
    hints = list_hints(page, lambda url: "/w/" in url)
    assert [hint.day and hint.day.day for hint in hints][::2] == [13, 11]


def test_only_post_of_a_month_whose_text_links_to_another_has_title_and_day() -> None:
    other = "We have been in <a href=/w/7.htm>this town</a> before. " + "A walk. " * 9
    text = f"<div>{other}</div><a href=/w/9.htm>What came after that</a>"
    post = f"<div><div><a name=9></a><h3><a href=/w/9.htm>A walk</a></h3>{text}</div></div>"
    body = f"<body><div><h2>May 9, 2012</h2><div>{post}</div></div></body>"
    page = Page(url="http://b.example/may.htm", body=body.encode())
    hint = next(hint for hint in list_hints(page, lambda url: "/w/" in url) if "9" in hint.url)
    assert (hint.title, hint.day and hint.day.day) == ("A walk", 9)


def test_link_to_the_comments_does_not_name_the_post() -> None:
    rows = "".join(f"<p>A walk. <a href=/w/{n}.htm>{n} comments</a></p>" for n in (2, 3))
    page = Page(url="http://b.example/may.htm", body=f"<body>{rows}</body>".encode())
    assert [hint.title for hint in list_hints(page, lambda url: "/w/" in url)] == [None, None]


@pytest.mark.parametrize("more", ["Continue reading", "12 comments"])
def test_a_link_that_says_what_to_do_names_no_post_however_short_the_titles_are(more: str) -> None:
    rows = "".join(
        f"<p><b><a href=/w/{n}.htm>{title}</a></b></p><p>A walk.</p><a href=/w/{n}.htm>{more}</a>"
        for n, title in enumerate(("Cats", "Sea", "Sea"))
    )
    page = Page(url="http://b.example/may.htm", body=f"<body>{rows}</body>".encode())
    hints = list_hints(page, lambda url: "/w/" in url)
    assert hints[0].title == "Cats" and (more != "12 comments" or hints[2].title == "Sea")


def test_link_to_the_comments_that_led_to_a_post_does_not_name_it() -> None:
    model = BlogModel()
    model.note_anchor("http://b.example/w/2.htm", "2 comments")
    model.note_anchor("http://b.example/w/3.htm", "A walk")
    assert [title for title, _ in model.facts.values()] == ["A walk"]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("<p>2012-05-13 <a href=/w/about.htm>About</a></p>", ["http://b.example/w/about.htm"]),
        ("<p><a href=/w/about.htm>About</a></p>", []),
    ],
)
def test_entry_with_its_day_is_no_menus(rows: str, found: list[str]) -> None:
    posts = "".join(f"<p>2012-05-{n} <a href=/w/{n}.htm>Walk {n}</a></p>" for n in range(14, 20))
    page = Page(url="http://b.example/all.htm", body=f"<body>{rows}{posts}</body>".encode())
    doubtful = {"http://b.example/w/about.htm"}
    assert entries_with_day(page, doubtful, lambda url: "/w/1" in url) == found


def test_no_entry_is_dated_where_posts_have_no_days() -> None:
    posts = "".join(f"<p><a href=/w/{n}.htm>Walk {n}</a></p>" for n in range(14, 20))
    row = "<p>2012-05-13 <a href=/w/about.htm>About</a></p>"
    page = Page(url="http://b.example/all.htm", body=f"<body>{posts}{row}</body>".encode())
    assert not entries_with_day(page, {"http://b.example/w/about.htm"}, lambda url: "/w/1" in url)


def list_of(*days: str) -> Page:
    rows = "".join(f"<li>{day} <a href=/w/{n}.htm>A walk</a></li>" for n, day in enumerate(days))
    return Page(url="http://b.example/", body=f"<body><ul>{rows}</ul></body>".encode())


def months(page: Page, places: Places) -> list[int]:
    hints = list_hints(page, lambda url: "/w/" in url, places=places)
    return [hint.day.month for hint in hints if hint.day]


def test_order_of_day_and_month_is_that_of_all_dates_of_the_blogs_lists() -> None:
    places = Places()
    assert months(list_of("04/17/2009", "04/11/2009", "04/05/2009"), places) == [4, 4, 4]
    assert months(list_of("03/07/2009"), places) == [3]
    assert months(list_of("03/07/2009"), Places()) == [7]


def test_day_that_readers_see_counts_where_the_machines_is_utcs() -> None:
    times = (
        ("2020-12-28T21:53:00.000Z", "2020-12-29"),
        ("2020-11-20T08:00:00Z", "2020-11-20"),
        ("2020-10-04T23:30:00Z", "October"),
        ("2020-09-04T23:30:00+02:00", "2020-09-05"),
    )
    rows = "".join(
        f"<li><a href=/w/{i}.htm>Walk {i}</a> <time datetime={moment}>{seen}</time></li>"
        for i, (moment, seen) in enumerate(times)
    )
    page = Page(url="http://b.example/walks.htm", body=f"<body><ul>{rows}</ul></body>".encode())
    days = [str(hint.day) for hint in list_hints(page, lambda url: "/w/" in url)]
    assert days == ["2020-12-29", "2020-11-20", "2020-10-04", "2020-09-04"]


ROWS = "<ul><li>11 May <a href=/w/1.htm>A walk</a><li>3 May <a href=/w/2.htm>A swim</a></ul>"


@pytest.mark.parametrize(
    ("above", "days"),
    [
        ("<h3>2012</h3>", ["2012-05-11", "2012-05-03"]),
        ("<div><h3>— 2012 —</h3></div>", ["2012-05-11", "2012-05-03"]),
        ("<p>2012</p>", ["2012-05-11", "2012-05-03"]),
        ("<h2>2012</h2><h3>May</h3>", ["2012-05-11", "2012-05-03"]),
        ("<h2>2013</h2><ul><li>2 May <a href=/w/3.htm>A run</a></ul><h2>2012</h2>", None),
        ("<h3>2012</h3><p>Nothing yet</p><h2>Unsorted</h2>", ["", ""]),
        ("<p><a href=/2012/>2012</a></p>", ["", ""]),
        ("<aside><p>2012</p></aside>", ["", ""]),
        ("<h2>All posts</h2>", ["", ""]),
    ],
)
def test_year_above_a_list_is_that_of_its_days(above: str, days: list[str] | None) -> None:
    page = Page(url="http://b.example/all.htm", body=f"<body>{above}{ROWS}</body>".encode())
    found = [str(hint.day or "") for hint in list_hints(page, lambda url: "/w/" in url)]
    assert found == (days or ["2013-05-02", "2012-05-11", "2012-05-03"])


def test_day_in_a_title_below_a_year_is_none_of_the_post() -> None:
    row = "<li><a href=/w/1.htm>Notes of 11 May</a><li>3 May <a href=/w/2.htm>A swim on 2 May</a>"
    page = Page(url="http://b.example/all.htm", body=f"<h3>2012</h3><ul>{row}</ul>".encode())
    hints = list_hints(page, lambda url: "/w/" in url)
    assert [str(hint.day or "") for hint in hints] == ["", "2012-05-03"]
