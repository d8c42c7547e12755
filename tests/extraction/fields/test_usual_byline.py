"""The one name beside the dates of a blog's posts that no word or markup calls an author's."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.fields.usual_byline import usual_byline
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SHORT_DAYS = ("пн", "вт", "ср", "чт", "пт", "сб", "вс")
TOPICS = ("Garden", "Kitchen", "Travel")
BODY = "<p>It rained for three days, and nobody minded, least of all the snails.</p>" * 4


def page_of(n: int, line: str, site: str = "Marsh Light", above: bool = True) -> Page:
    written = line.format(
        day=DAYS[n % 7],
        short=SHORT_DAYS[n % 7],
        date=f"03/{n + 10}/2008",
        hour=f"{n + 10}:27",
        topic=TOPICS[n % 3],
        n=n,
    )
    text = f"<div class=content>{BODY}Part {n}.</div>"
    inner = written + text if above else text + written
    html = (
        f"<title>Words {n} | {site}</title><div id=head><a href='/'>{site}</a></div>"
        f"<h2 class=title>Words {n}</h2><div id=node-{n}>{inner}</div>"
    )
    return Page(url=f"https://b.example/node/{n}", body=f"<html><body>{html}".encode())


NAMED = {
    "behind a dash": (
        "<div class=meta><span>{day}, {date} - {hour} — kmarsh</span>"
        "<a rel=tag href='/tag/{topic}'>{topic}</a></div>",
        "kmarsh",
    ),
    "before an at sign": (
        "<div>michel @ {hour} [<a href='/c/{topic}'>{topic}</a>]</div>",
        "michel",
    ),
    "between the hour and a label": (
        "<div>{date} {hour}, von <a class=user href='/user/2'>jens</a> <a href='mailto:j@x'></a>, "
        "Kategorien: <a href='/c/{topic}'>{topic}</a></div>",
        "jens",
    ),
    "a link to write to": (
        "<div>{date} - {hour} | <a href='mailto:j@x.example'>bram</a></div>",
        "bram",
    ),
    "a linked nick right behind the date": (
        "<div>{date} <a href='/?memberid=1'>hannes</a> <a href='/c/{topic}'>{topic}</a></div>",
        "hannes",
    ),
    "a linked nick amid words": (
        "<div>Publicado por <a href='/u/1'>rocio</a> en <a href='/c/{topic}'>{topic}</a> | "
        "{date}, {hour}</div>",
        "rocio",
    ),
    "a nick behind a verb and a word that means more": (
        "<ul><li>Pubblicato da renzo alle {hour}:00 in <a href='/c/{topic}'>{topic}</a></li></ul>",
        "renzo",
    ),
    "before a verb": ("<div>pirs_57 пишет в дневнике <b>@ {date} {hour}</b></div>", "pirs_57"),
    "before the hour, in the site's name": (
        "<div>Marsh um {hour}h | <a href='/comment/{n}'>Kommentar verfassen</a></div>",
        "Marsh",
    ),
    "behind days cut to their consonants": (
        "<div><span>{short}., {date} - {hour} — kmarsh</span></div>",
        "kmarsh",
    ),
    "a short handle": ("<p>{date} | Publicado por ~jk</p>", "~jk"),
    "a linked nick behind the hour": (
        "<div>{date} {hour} von <a href='/?memberid=1'>hannes</a></div>",
        "hannes",
    ),
}


@pytest.mark.parametrize("how", NAMED)
def test_nick_beside_the_dates_is_the_blogs_author(how: str) -> None:
    line, name = NAMED[how]
    pages = [page_of(n, line) for n in range(7)]
    assert usual_byline(pages) == name
    model = learn_blog(
        [Sample(page=p, entry=FeedEntry(url=p.url, source="sitemap")) for p in pages]
    )
    found = extract_post(page_of(9, line), model, promised=True)
    assert isinstance(found, Post) and found.authors == (name,)


@pytest.mark.parametrize(
    "line",
    [
        "<p>{date} | {topic}</p>",  # another word on each page
        "<p>{date} | <a href='/p{n}'>Permalink</a></p>",  # a link that does something
        "<p>Posted {date}</p>",  # a word of the theme
        "<p>{date} | admin</p>",
        "<p>Posted by {topic} on {date}</p>",
        "<p>Written by Ute Maier and friends on {date}</p>",
        "<p>Published {date} at {hour} by Kevin O'Neill</p>",
        "<p>Posted by Ann B. on {date}</p>",
        "<p>Julkinen {hour}, {date}, by the sea</p>",
        "<p><a href='/ana'>Ana</a> em <a href='/p{n}'>{date}</a>, {hour}</p>",
        "<p>{hour} (publicado)</p>",
        "<p>{date}, Marsh and others walked here, — kmarsh</p>",  # a sentence
        "<p>{date} | karl | marsh</p>",  # which of both?
        "<font size=2><h3>Archives</h3><ul><li><a href=/2007/>2007</a></ul></font>",
    ],
)
def test_other_words_beside_dates_are_no_author(line: str) -> None:
    assert usual_byline([page_of(n, line) for n in range(7)]) is None


@pytest.mark.parametrize(("site", "name"), [("王伟的笔记", "王伟"), ("笔记", None)])
def test_chinese_word_is_a_name_where_the_site_is_called_so(site: str, name: str | None) -> None:
    pages = [page_of(n, "<p>{date} · {n} 字 · 王伟</p>", site) for n in range(7)]
    assert usual_byline(pages) == name


def test_byline_below_a_long_text_is_read() -> None:
    """Far from the heading it is found by the content, which is known by then, or by its line."""
    line, much = "<div>Posté par Odile73 à {hour}</div>", BODY.encode()
    short = [page_of(n, line, above=False) for n in range(7)]
    pages = [Page(url=p.url, body=p.body.replace(much, much * 20)) for p in short]
    contents = [page.tree.find(".//div[@class='content']") for page in pages]
    assert usual_byline(pages, contents) == "Odile73"


LINES = {
    "a name and a day between texts": "{text}<br>kmarsh, {date}<br>More of it.",
    "signed between texts": "{text}<br>Posted by kmarsh at {date} {hour}<p>Comments",
    "between colons": "{text}<br>kmarsh :: {date} {hour} :: <a href=/{n}>Permalink</a>",
    "signed without a day": "{date}<br>{text}<br>posted by kmarsh | <a href=/{n}>2 notes</a>",
}


@pytest.mark.parametrize("how", LINES)
def test_lines_without_an_element_of_their_own_name_the_author(how: str) -> None:
    line = LINES[how].replace("{text}", BODY.replace("p>", "i>"))
    pages = [
        Page(
            url=f"https://b.example/{n}",
            body=(
                f"<html><title>Marsh {n}</title><body><table><tr><td>Words {n}<br>"
                + line.format(date=f"03/{n + 10}/2008", hour=f"{n + 10}:27", n=n)
                + "</td></tr></table>Marsh Light, since 2001</body></html>"
            ).encode(),
        )
        for n in range(7)
    ]
    assert usual_byline(pages) == "kmarsh"
    again = [replace(page, url=f"{page.url}?view=all") for page in pages[:3]]
    assert usual_byline([*pages, *again]) == "kmarsh"


def test_page_without_a_byline_does_not_count() -> None:
    pages = [page_of(n, "" if n == 3 else NAMED["behind a dash"][0]) for n in range(7)]
    assert usual_byline(pages) == "kmarsh"


def test_sentence_below_a_text_names_no_author() -> None:
    line = "<p>Words and more</p><p>Written by hand, served by a small machine.</p>"
    assert usual_byline([page_of(n, line) for n in range(7)]) is None


def test_makers_of_a_template_are_no_authors() -> None:
    pages = [page_of(n, "<p>Words and more</p>Template by kmarsh<br>") for n in range(7)]
    assert usual_byline(pages) is None


def test_few_pages_are_no_evidence() -> None:
    assert usual_byline([page_of(n, NAMED["behind a dash"][0]) for n in range(2)]) is None


def test_elements_in_elements_of_a_date_line_are_read_at_any_depth() -> None:
    deep = "<b>" * (sys.getrecursionlimit() + 500)
    line = f"<div class=meta>{deep}<span>{{day}}, {{date}} - {{hour}} — kmarsh</span></div>"
    assert usual_byline([page_of(n, line) for n in range(7)]) == "kmarsh"


def test_nick_is_no_usual_author_where_other_posts_are_signed_with_a_name_of_two_words() -> None:
    names = ("jens", "Ann Lee")
    pages = [page_of(n, f"<p>Posted by {names[n % 2]} on {{date}}</p>") for n in range(8)]
    assert usual_byline(pages) is None
