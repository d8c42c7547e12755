"""Pages with several posts are recognised without a feed; posts with chapters or comments are not
taken for such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from urllib.parse import unquote

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.extraction.pages.learn_dated_parts import (
    learn_dated_parts,
    learn_diary_page,
    learn_single_page,
)
from blogcrawl.extraction.pages.multi_post import part_page, split_page
from blogcrawl.urls.canonical import entry_key
from tests.diaries import KINDS, Diary, days_and_links, days_and_numbers, one_page

BASE = "http://diary.example"
TEXT = "The kettle sang in the kitchen while rain came down on the roof of the old shed. "


def page_at(path: str, markup: str) -> Page:
    return Page(url=BASE + path, body=markup.encode(), headers={"content-type": "text/html"})


def pages_of(diary: Diary) -> list[Page]:
    paths = dict.fromkeys(note.page for note in diary.notes)
    return [page_at(path, diary.pages[path]) for path in paths]


@pytest.mark.parametrize(
    "kind", [*KINDS, days_and_links, days_and_numbers], ids=lambda kind: kind.__name__
)
def test_posts_with_days_cut_without_a_feed(kind: Callable[..., Diary]) -> None:
    diary = kind(BASE).without_feed()
    shape = learn_dated_parts(pages_of(diary))
    assert shape is not None
    found = {entry_key(part.url) for page in pages_of(diary) for part in split_page(page, shape)}
    assert found == {entry_key(BASE + note.path) for note in diary.notes}


def test_posts_of_a_day_cut_where_only_the_address_states_it() -> None:
    diary = days_and_links(BASE)
    pages = [
        page_at(path, re.sub(r"<h2>.*?</h2>", "", re.sub(r"Day by day: .*?<", "Days<", text)))
        for path, text in diary.pages.items()
        if path in {note.page for note in diary.notes}
    ]
    shape = learn_dated_parts(pages)
    assert shape is not None
    found = {entry_key(part.url) for page in pages for part in split_page(page, shape)}
    assert found == {entry_key(BASE + note.path) for note in diary.notes}


def block(at: str, day: str, length: int) -> str:
    return f'<div id="{at}"><p class=when>{day}</p><p>{TEXT * length}</p></div>'


def days(month: int, *numbers: int) -> list[str]:
    return [f"2004-{month:02}-{number:02}" for number in numbers]


def page_of(number: int, parts: Sequence[str], before: str = "") -> Page:
    body = f"<h1>Notes {number}</h1>{before}<div class=all>{''.join(parts)}</div>"
    return page_at(f"/{number}.html", f"<html><body>{body}</body></html>")


def pages_with(*days_of_pages: Sequence[str], before: str = "") -> list[Page]:
    return [
        page_of(n, [block(f"n{i}", day, 2) for i, day in enumerate(some)], before)
        for n, some in enumerate(days_of_pages)
    ]


def chapters(number: int, title: str) -> Page:
    """A post below its title and its day, with chapters that each link to themselves."""
    link = "<h3>Chapter <a href='#{at}'>#</a></h3>"
    parts = [block(at, link.format(at=at), 2) for at in (f"c{number}{i}" for i in range(3))]
    return page_of(number, [f"<h2>{title}</h2><p>January {number + 1}, 2004</p>", *parts])


def page_of_day(number: int, day: str, lines: Sequence[str]) -> Page:
    parts = [block(f"n{number}-{i}", line, 2) for i, line in enumerate(lines)]
    return page_of(number, [f"<h2>{day}</h2>", *parts])


def test_dated_blocks_cut() -> None:
    assert learn_dated_parts(pages_with(days(1, 2, 5, 9), days(2, 3, 8, 11))) is not None


@pytest.mark.parametrize("line", ["Posted at {n}:10", "Posted on {day}"])
def test_posts_of_one_day_cut_where_each_states_it_or_its_time(line: str) -> None:
    pages = [
        page_of_day(n, day, [line.format(n=10 + i, day=day) for i in range(3)])
        for n, day in enumerate(days(1, 2, 5, 9))
    ]
    assert learn_dated_parts(pages) is not None


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(pages_with(days(1, 5, 2, 9), days(2, 8, 3, 11)), id="days without order"),
        pytest.param(pages_with(days(1, 2, 5, 9), days(1, 3, 8, 11)), id="pages share their days"),
        pytest.param(pages_with(["One", "Two"], ["Three", "Four"]), id="chapters without days"),
        pytest.param(pages_with(days(1, 2, 5, 9)), id="one page is a chronicle"),
        pytest.param(
            [
                page_of_day(n, day, ["One", "Two", "Three"])
                for n, day in enumerate(days(1, 2, 5, 9))
            ],
            id="chapters below a day",
        ),
        pytest.param(
            [chapters(n, title) for n, title in enumerate(("Walk", "Rain", "Soup", "Work"))],
            id="chapters with links to themselves below a title",
        ),
        pytest.param(
            [
                page_of_day(n, day, ["at 9:10", "at 7:10", "at 8:10"])
                for n, day in enumerate(days(1, 2, 5, 9))
            ],
            id="times without order",
        ),
        pytest.param(
            pages_with(days(1, 2, 5), days(2, 3, 8), before=f"<p>{TEXT * 9}</p>"),
            id="comments below a post",
        ),
        pytest.param(
            [
                page_of(n, [block(f"c{n}{i}", day, 2) for i, day in enumerate(some)])
                for n, some in enumerate((days(1, 2, 5, 9), days(2, 3, 8, 11)))
            ],
            id="anchors named as comments",
        ),
    ],
)
def test_other_anchors_left_alone(pages: Sequence[Page]) -> None:
    assert learn_dated_parts(pages) is None


def test_list_of_posts_with_pages_of_their_own_left_alone() -> None:
    pages = [
        page_of(
            month,
            [
                f"<div id=n{month}{i}><a href=/post-{month}-{i}.html>Read</a><p>{day}</p>"
                f"<p>{TEXT * 2}</p></div>"
                for i, day in enumerate(days(month, 2, 5, 9))
            ],
        )
        for month in (1, 2, 3)
    ]
    assert learn_dated_parts(pages) is None


def under_days(month: int, post: str, line: str, days: str = "998") -> Page:
    """A page whose posts stand under these days of March in one cell, and nothing has a name."""
    cell = ""
    for i, day in enumerate(days):
        is_new = i == 0 or days[i - 1] != day
        cell += line.format(day=f"<b>March {day}, 200{month}</b>") if is_new else ""
        cell += post.format(n=f"{month}{i}", text=TEXT * (i + 1))
    html = f"<html><body><table><tr><td><font size=2>{cell}</font></td></tr></table></body></html>"
    return page_at(f"/{month}.html", html)


def test_list_of_posts_whose_last_lines_lead_to_their_pages_left_alone() -> None:
    """Cut a few elements before the days, each part would have the link of the one before."""
    post = (
        "<font><b><a href=/post-{n}.html>Post {n}</a></b></font><br>{text}<br><br>"
        "<font size=2><a href=/post-{n}.html>Comments (2)</a></font><br><br>"
    )
    line = "<table><tr><td>{day}</td></tr></table><br>"
    pages = [under_days(month, post, line, "97531") for month in (1, 2, 3)]
    assert learn_dated_parts(pages) is None


def test_line_with_a_time_is_no_heading_of_a_day() -> None:
    post = (
        "<a name={n}></a>{text}<br><font size=1>posted by Vee at <a href=#{n}>4:{n} PM</a></font>"
        "<br><br>"
    )
    line = "<font size=3>{day}</font><br><br>"
    pages = [under_days(month, post, line) for month in (1, 2, 3)]
    shape = learn_dated_parts(pages)
    assert shape is not None
    parts = split_page(pages[0], shape)
    leads = [part.tree.findtext("body/header/font/b") for part in parts]
    assert leads == ["March 9, 2001", "March 9, 2001", "March 8, 2001"]
    texts = ["".join(part.tree.find("body/article").itertext()) for part in parts]
    assert [text.count(TEXT.strip()) for text in texts] == [1, 2, 3]
    assert all(f"4:{n} PM" in text for n, text in zip(("10", "11", "12"), texts, strict=True))


def test_start_page_with_all_posts_cut() -> None:
    diary = one_page(BASE).without_feed()
    page = page_at("/", diary.pages["/"])
    shape = learn_single_page(page)
    assert shape is not None
    found = {entry_key(part.url) for part in split_page(page, shape)}
    assert found == {entry_key(BASE + note.path) for note in diary.notes}


def test_chronicle_on_a_start_page_left_alone() -> None:
    (page,) = pages_with(days(1, 2, 5, 9))
    assert learn_single_page(page) is None


def test_newest_posts_on_a_start_page_left_alone() -> None:
    parts = [
        f"<div id=n{i}><a href=/post-{i}.html>Read</a> <a href=#n{i}>#</a><p>{day}</p>"
        f"<p>{TEXT * 2}</p></div>"
        for i, day in enumerate(days(1, 2, 5, 9))
    ]
    assert learn_single_page(page_of(1, parts)) is None


WAYS_ON = '<hr><a href="2002.html">Previous chapter</a> || <a href="/">Index</a>'


def year_page(year: int, *days_of_year: str) -> Page:
    """As a diary written by hand: the year in the title, no anchors, photographs next to it."""
    entries = "".join(
        f"<h3>{day}</h3><table><tr><td><h2>Notes {n}</h2><p>{TEXT * 2}</p></td>"
        f"<td><a href='/pix/{year}-{n}.jpg'><img src='/thumb/{year}-{n}.jpg'></a></td></tr></table>"
        for n, day in enumerate(days_of_year)
    )
    markup = f"<title>{year} - My life and times</title><h1>{year}</h1><hr>{entries}{WAYS_ON}"
    return page_at(f"/diary/{year}.html", markup)


def test_lines_that_are_days_begin_posts_of_pages_without_anchors() -> None:
    pages = [
        year_page(2003, "WEDNESDAY 30th APRIL", "THURSDAY 1st MAY", "FRIDAY 2nd MAY"),
        year_page(2004, "MONDAY 5th JANUARY", "SUNDAY 7th MARCH"),
    ]
    shape = learn_dated_parts(pages)
    assert shape is not None and shape.lines
    found = split_page(pages[0], shape)
    assert found[0].url == f"{BASE}/diary/2003.html#:~:text=WEDNESDAY%2030th%20APRIL"
    assert [part.tree.findtext(".//h2") for part in found] == ["Notes 0", "Notes 1", "Notes 2"]
    assert not any("Index" in part.text for part in found)
    assert part_days(found) == [date(2003, 4, 30), date(2003, 5, 1), date(2003, 5, 2)]
    part = part_page(pages[0], shape, found[1].url)
    assert part is not None and part.body == found[1].body
    assert entry_key(found[1].url) == found[1].url


@pytest.mark.parametrize(("box", "tag"), [("ul", "li"), ("div", "p")])
def test_line_of_a_day_ends_behind_it(box: str, tag: str) -> None:
    def year(number: int) -> Page:
        days = (f"{day}.{number}" for day in ("3.5", "9.5", "20.6"))
        entries = "".join(f"<{tag}><b>{day}</b>: Then {TEXT * 2}\n" for day in days)
        markup = f"<h1>{number}</h1><{box}>{entries}</{box}>{WAYS_ON}"
        return page_at(f"/{number}.html", markup)

    pages = [year(2004), year(2005)]
    shape = learn_dated_parts(pages)
    assert shape is not None and shape.lines
    found = split_page(pages[0], shape)
    posts = [extract_post(part, learn_blog([]), None, True) for part in found]
    assert part_days(found) == [date(2004, 5, 3), date(2004, 5, 9), date(2004, 6, 20)]
    assert all(isinstance(post, Post) and post.content_text.startswith("Then") for post in posts)


def part_days(parts: Sequence[Page]) -> list[date | None]:
    posts = (extract_post(part, learn_blog([]), None, True) for part in parts)
    return [
        post.published.date() if isinstance(post, Post) and post.published else None
        for post in posts
    ]


def build_log(*days_of_rows: str, link: str = "/images/{}.jpg") -> Page:
    rows = "".join(
        f"<tr><td><a href='{link.format(n)}'><img src='/images/{n}s.jpg'></a></td>"
        f"<td><font>{day}</font></td><td><font>{TEXT}</font></td></tr>"
        for n, day in enumerate(days_of_rows)
    )
    head = "<tr><td>Picture</td><td>Date</td><td>Description</td></tr>"
    return page_at("/diary.htm", f"<h1>The build diary</h1><table>{head}{rows}</table>")


def test_lines_that_are_days_may_be_bold_and_state_more_or_no_year() -> None:
    shapes = (
        ("<p><b>{d}.{m}.2004 - Our boat</b></p><p>{text}</p>", "Diary 2004"),
        ("<b>{m}/{d}/04</b><br>{text}<br><br>{text}<br>", "Diary"),
        ("<dt>{d}/{m}/04 22:10</dt><dd>{text}</dd>", "Diary"),
        ("<font>■</font><b>{m}月{d}日(金)</b><br>{text}<br>", "2004年の日記"),
    )
    for entry, title in shapes:
        pages = [
            page_at(
                f"/{month}.html",
                f"<title>{title}</title><body>"
                + "".join(entry.format(d=day, m=month, text=TEXT) for day in (27, 9, 3)),
            )
            for month in (8, 9)
        ]
        shape = learn_dated_parts(pages)
        assert shape is not None and shape.lines, entry
        assert [len(split_page(page, shape)) for page in pages] == [3, 3]


ROWS = [f"{day:02}/0{month}/03" for month in (9, 8) for day in (27, 14, 9, 2)]


def test_rows_with_days_are_posts_of_the_only_page_that_has_days() -> None:
    page = build_log(*ROWS)
    shape = learn_diary_page(page)
    assert shape is not None
    found = [unquote(part.url).partition("text=")[2] for part in split_page(page, shape)]
    assert found == ROWS
    wrong = ["09/09/04", *ROWS[::-1], *(f"{day:02}/11/03" for day in (3, 5, 8))]
    assert learn_diary_page(build_log(*wrong)) is not None  # one year is written wrong
    assert learn_diary_page(build_log(*ROWS[:5])) is None
    assert learn_diary_page(build_log(*ROWS[::2], *ROWS[1::2])) is None  # the days go two ways
    assert learn_diary_page(build_log(*ROWS, link="/{}.html")) is None  # a list of pages
