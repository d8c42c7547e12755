"""Lines with dates near the heading: which of them is the day of publication."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.date_line import lines_near, visible_dates

TEXT = "<p>We walked along the river until the bridge came into sight, and then it rained.</p>" * 9


def day_of(lines: str) -> str:
    body = f"<div class=page><h1>Rain and dogs</h1><div class=info>{lines}</div>{TEXT}</div>"
    html = f"<html><head><title>Rain and dogs</title></head><body>{body}</body></html>"
    page = Page(url="http://b.example/rain", body=html.encode())
    return visible_dates(page, None, [])[0][0].moment.date().isoformat()


@pytest.mark.parametrize(
    "lines",
    [
        "<div class=a>15/05/2017</div><div class=time>18/05/2017</div>",
        "<p><b>Qux</b> <i class=time>18/05/2017</i></p><p><b>Bar</b> <i>15/05/2017</i></p>",
    ],
)
def test_later_of_two_adjacent_dates_is_the_modification(lines: str) -> None:
    assert day_of(lines) == "2017-05-15"


@pytest.mark.parametrize(
    "line",
    [
        "Zuletzt geändert am 9. Mai 2020, veröffentlicht am 3. Mai 2020",
        "Ann 编辑于 2020-05-09 10:11 · 发布于 2020-05-03 10:11",
        "Posted 3 May 2020, updated 9 May 2020",
    ],
)
def test_date_of_change_in_the_same_line_is_not_the_first(line: str) -> None:
    assert day_of(f"<p class=date>{line}</p>") == "2020-05-03"


def test_dates_of_previous_and_next_links_are_ignored() -> None:
    lines = "<p><a href=/p>Before, 11/05/2017</a></p><p class=date>15/05/2017</p>"
    assert day_of(lines) == "2017-05-15"


@pytest.mark.parametrize(
    "word", ["Τελευταία ενημέρωση", "Последнее обновление", "Laatst bijgewerkt"]
)
def test_modification_words_are_known_in_many_languages(word: str) -> None:
    lines = f"<p>15/05/2017 10:00</p><section><p><b>{word}: 14/05/2017</b></p></section>"
    assert day_of(lines) == "2017-05-15"


def test_later_days_behind_the_text_are_those_of_comments() -> None:
    walks, link = "<a href=/w>Walks</a>", "<a href=/l>Link</a> | <a href=/c>Comments (1)</a>"
    poster = f"<p class=poster>01:48 AM, 23 Apr 2003 by Ann Lee in {walks} | {link}</p>"
    answers = "<h3>Re: Rain and dogs</h3><p>How true, and how wet.</p><p>by Ben on 24 Apr 2003</p>"
    main = f"<h2>Rain and dogs</h2><div>{TEXT}</div>{poster}{answers}"
    html = f"<html><head><title>Rain and dogs</title></head><body>{main}</body></html>"
    page = Page(url="http://b.example/rain", body=html.encode())
    (content,) = page.tree.iter("div")
    assert visible_dates(page, content, [])[0][0].moment.date().isoformat() == "2003-04-23"


def test_lines_before_the_content_are_read_where_the_only_heading_is_a_side_bars() -> None:
    text = "".join(
        f"<div><p>A walk to harbour {n}, in the rain and back again.</p></div>" for n in range(30)
    )
    html = (
        "<table><tr><td><div>29/06/2005 by Ann Field</div><table><tr><td>A walk</table>"
        f"<div id=text>{text}</div><td><h3>Archives</h3></table>"
    )
    page = Page(url="https://b.example/a-walk", body=f"<html><body>{html}".encode())
    content = page.tree.get_element_by_id("text")
    assert "29/06/2005 by Ann Field" in [line for line, _, _ in lines_near(page, content)]


def test_heading_behind_the_text_is_not_the_posts() -> None:
    """The only heading of the page is that of the form below the comments."""
    words = "A walk to the harbour, in the rain and back again. "
    comments = "".join(
        f"<div><p>{words}</p><p>Reader{n} — 1{n}/04/2005</p></div>" for n in range(3)
    )
    body = (
        f"<body><div>A title</div><div id='text'><p>{words * 6}</p></div><div>30/03/2005 by Ann"
        f"</div><p>12 views</p><hr>{comments}<h3>Say something</h3></body>"
    )
    page = Page(url="http://a.test/101.html", body=body.encode())
    text = page.tree.get_element_by_id("text")
    days = [str(when.moment.date()) for when, _, _ in visible_dates(page, text, ["en"])]
    assert days[0] == "2005-03-30"


def page_called(title: str, lines: str) -> Page:
    body = f"<h1>Rain and dogs</h1><div class=post><h3>{title}</h3>{lines}{TEXT}</div>"
    html = f"<html><head><title>Rain and dogs » {title}</title></head><body>{body}</body></html>"
    return Page(url="http://b.example/rain", body=html.encode())


def test_the_day_that_a_title_is_about_is_not_that_of_publication() -> None:
    line = "<div class=meta>Thursday, 26. April 2007, no comments on Sneak 25.04.07: a film</div>"
    found = visible_dates(page_called("Sneak 25.04.07: a film", line), None, [])
    assert [str(when.moment.date()) for when, _, _ in found] == ["2007-04-26", "2007-04-25"]


def test_the_day_of_a_title_counts_less_unless_it_is_the_title() -> None:
    (_, about, _), *_ = visible_dates(page_called("Sneak 25.04.07: a film", ""), None, [])
    (_, of_day, _), *_ = visible_dates(page_called("25.04.07", ""), None, [])
    assert about < 0.5 < of_day


@pytest.mark.parametrize(
    "line",
    [
        "14-Sep-2004<p>",
        "14.09.2004, Ann<br><br>",
        "<br>by <a href=/>Ann</a>, 14 September 2004<br>",
    ],
)
def test_lines_without_an_element_of_their_own_have_days(line: str) -> None:
    html = f"<table><tr><td>Menu</td><td><h2>Rain and dogs</h2>{line}{TEXT}</td></tr></table>"
    found = visible_dates(Page(url="http://b.example/rain", body=html.encode()), None, [])
    assert [str(when.moment.date()) for when, _, _ in found] == ["2004-09-14"]


def test_days_amid_bare_prose_are_none_of_the_post() -> None:
    prose = "It rained all the way to the river when on 14 September 2004 the dogs " * 4
    html = f"<table><tr><td><h2>Rain and dogs</h2>{prose}<br>{TEXT}</td></tr></table>"
    assert not visible_dates(Page(url="http://b.example/rain", body=html.encode()), None, [])


def test_pages_whose_text_is_data_have_no_lines_in_it() -> None:
    page = Page(url="http://b.example/rain", body=b"<p>Menu</p>")
    assert not visible_dates(page, "Rain on 14 September 2004", [])  # type: ignore[arg-type]


def test_words_of_a_program_are_no_line_about_the_post() -> None:
    code = "<pre><code><span>GROUP BY</span> Author <span>ORDER BY</span> Id</code></pre>"
    html = (
        f"<body><h1>A walk</h1><p class=m>15/05/2017</p><div>{TEXT}</div><div>{code}</div></body>"
    )
    page = Page(url="http://b.example/rain", body=html.encode())
    lines = [text for text, _, _ in lines_near(page, page.tree.find(".//div"))]
    assert "15/05/2017" in lines and not any("BY" in line for line in lines)


def test_a_heading_that_is_nothing_but_a_day_is_the_line_with_the_day() -> None:
    """Journals with a page a day have no other line."""
    markup = "<title>Journal: August 5, 2001</title><h2>{}</h2><p>" + "I walked to the quay. " * 9
    page = Page(url="http://j.example/j010805.html", body=markup.format("August 5, 2001").encode())
    assert next(text for text, *_ in lines_near(page, None)) == "August 5, 2001"
    titled = Page(url=page.url, body=markup.format("Since August 5, 2001").encode())
    assert "Since August 5, 2001" not in [text for text, *_ in lines_near(titled, None)]


PROSE = TEXT.replace("rained.", "rained until we were home.") * 9


def test_lines_of_readers_far_from_the_heading_are_none_about_the_post() -> None:
    """The content is taken for the whole body, so that its last lines are those of comments."""
    said = (
        f"<div id=c1>{PROSE}<p class=posted>posted by <a href=/x>Bob</a> at May 3, 2020</p></div>"
    )
    html = (
        f"<body><div><h1>Rain</h1></div><div class=content>{PROSE}</div>"
        f"<h2 id=comments>Comments</h2>{said * 9}</body>"
    )
    page = Page(url="http://b.example/rain", body=html.encode())
    lines = [text for text, *_ in lines_near(page, page.tree.find("body"))]
    assert not any("Bob" in line for line in lines)
