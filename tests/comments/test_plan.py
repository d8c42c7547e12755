# ruff: noqa: E501 (markup as engines write it)
"""What is asked, in which order, and when no longer; all against a simulated site."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from blogcrawl.comments import page_reader
from blogcrawl.comments.page_reader import OnPage
from blogcrawl.comments.plan import Ask, CommentPlan
from blogcrawl.comments.records import CommentRules
from blogcrawl.comments.site import SiteComments
from blogcrawl.comments.sources import wordpress_comments
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.edtf import written

URL = "http://blog.example/bread/"


def comment(n: int) -> str:
    return f'<li class="comment" id="comment-{n}"><cite class="fn">R{n}</cite> <time datetime="2020-01-01T10:{n:02d}:00Z">x</time><div class="comment-content"><p>Said number {n}.</p></div></li>'


def post(comments: str = "", *, heading: str = "", head: str = "", url: str = URL) -> Page:
    return Page(
        url=url,
        body=f"<html><head>{head}</head><body class='postid-7'><article>Text of the post</article><div id=comments><h2>{heading}</h2><ol>{comments}</ol></div></body></html>".encode(),
    )


def item(n: int) -> str:
    return (
        f"<item><title>By: R{n}</title><link>{URL}#comment-{n}</link><guid isPermaLink='false'>{URL}#comment-{n}</guid><dc:creator>R{n}</dc:creator>"
        f"<pubDate>Wed, 01 Jan 2020 10:{n:02d}:30 +0000</pubDate><content:encoded><![CDATA[<p>Said number {n}.</p>]]></content:encoded></item>"
    )


def feed(*numbers: int) -> Page:
    items = "".join(map(item, numbers))
    body = f'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Comments on: Bread</title><link>{URL}</link>{items}</channel></rss>'
    return Page(url=URL + "feed/", body=body.encode())


API_HEAD = '<link rel="https://api.w.org/" href="http://blog.example/wp-json/">'
FEED_HEAD = f'<link rel="alternate" type="application/rss+xml" href="{URL}feed/">'


def run(plan: CommentPlan, answer: Callable[[str], Page | None]) -> list[str]:
    asked: list[str] = []
    while asks := plan.requests():
        for ask in asks:
            asked.append(ask.url)
            plan.receive(ask, answer(ask.url))
    return asked


def test_no_request_if_page_or_feed_state_no_comments() -> None:
    site = SiteComments()
    assert (
        run(
            CommentPlan(site=site, page=post(heading="No comments yet", head=FEED_HEAD + API_HEAD)),
            lambda url: None,
        )
        == []
    )
    entry = FeedEntry(url=URL, comments_feed_url=URL + "feed/", comments_count=0)
    assert run(CommentPlan(site=site, page=post(), entry=entry), lambda url: None) == []


def test_api_is_requested_first_and_suffices() -> None:
    rows = [
        {
            "id": n,
            "post": 7,
            "parent": n - 1 if n == 3 else 0,
            "author_name": f"R{n} &amp; Co",
            "author_url": "",
            "date": "x",
            "date_gmt": f"2020-01-01T10:{n:02d}:00",
            "content": {"rendered": f"<p>Said number {n}.</p>"},
            "link": f"{URL}#comment-{n}",
            "type": "comment",
        }
        for n in range(1, 131)
    ]

    def answer(url: str) -> Page:
        number = int(url.split("&page=")[1].split("&")[0])
        part = rows[(number - 1) * 100 : number * 100]
        return Page(
            url=url,
            body=json.dumps(part).encode(),
            headers={"x-wp-total": "130", "x-wp-totalpages": "2"},
        )

    plan = CommentPlan(
        site=SiteComments(),
        page=post(comment(130), heading="130 comments", head=API_HEAD + FEED_HEAD),
    )
    asked = run(plan, answer)
    assert len(asked) == 2 and all(
        "/wp-json/wp/v2/comments?" in url and "post=7" in url for url in asked
    )
    result = plan.result()
    assert len(result.comments) == 130 and result.confidence == 1.0
    assert (
        result.comments[2].parent_id == "2"
        and result.comments[0].author == "R1 & Co"
        and result.comments[0].source == "api"
    )


def test_comment_pages_follow_a_short_feed() -> None:
    first = "".join(map(comment, (5, 6)))
    nav = f'<a href="{URL}comment-page-1/#comments">Older Comments</a>'
    plan = CommentPlan(
        site=SiteComments(), page=post(first + nav, heading="6 comments", head=FEED_HEAD)
    )

    def answer(url: str) -> Page | None:
        if url.endswith("/feed/"):
            return feed(4, 5, 6)
        if url.endswith("comment-page-1/"):
            return post(
                "".join(map(comment, (3, 4))) + f'<a href="{URL}comment-page-2/">x</a>', url=url
            )
        return (
            post("".join(map(comment, (1, 2))), url=url)
            if url.endswith("comment-page-2/")
            else None
        )

    asked = run(plan, answer)
    assert asked == [URL + "feed/", URL + "comment-page-1/", URL + "comment-page-2/"]
    result = plan.result()
    assert [c.id for c in result.comments] == ["1", "2", "3", "4", "5", "6"]
    assert [c.source for c in result.comments] == ["html", "html", "html", "feed", "feed", "feed"]


def test_page_without_comments_ends_pagination() -> None:
    def endless(url: str) -> Page:
        number = int(url.rstrip("/").rsplit("-", 1)[1])
        return (
            post(comment(number) if number < 4 else "", url=url, heading="x")
            if number > 100
            else post(
                (comment(number) if number < 4 else "")
                + f'<a href="{URL}comment-page-{number + 1}/">more</a>',
                url=url,
            )
        )

    plan = CommentPlan(
        site=SiteComments(),
        page=post(comment(1) + f'<a href="{URL}comment-page-2/">more</a>', heading="50 comments"),
    )
    asked = run(plan, endless)
    assert len(asked) == 3, "pages 2, 3 and the empty 4"


def test_missing_comment_feeds_are_not_requested_for_each_post() -> None:
    site = SiteComments()
    asked = 0
    for n in range(30):
        page = post(
            comment(n + 1),
            heading="1 comment",
            head=FEED_HEAD.replace("bread", f"post-{n}"),
            url=f"http://blog.example/post-{n}/",
        )
        asked += len(
            run(
                CommentPlan(site=site, page=page),
                lambda url: Page(url=url, body=b"<html>not found", status=404),
            )
        )
    assert asked == 3
    again = SiteComments.from_json(json.loads(json.dumps(site.to_json())))
    assert again.records["feed link"].wrong == 1, "the next visit tries once more"


def test_comment_feeds_of_pages_without_comments_are_soon_skipped() -> None:
    site = SiteComments()
    asked = 0
    for n in range(30):
        page = post(
            head=FEED_HEAD.replace("bread", f"post-{n}"), url=f"http://blog.example/post-{n}/"
        )
        asked += len(run(CommentPlan(site=site, page=page), lambda url: feed()))
    assert asked == 3


def spanish(n: int, *, time: bool) -> str:
    """As Blogger's templates have it."""
    shown = f"1 de enero de 2020, 10:{n:02d}" if time else "1 de enero de 2020"
    return f"<dt class='comment-author' id='c{n}'><a href='http://who.example/{n}'>R{n}</a> dijo...</dt><dd class='comment-body'><p>Said number {n}.</p></dd><dd class='comment-footer'><span class='comment-timestamp'><a href='{URL}#c{n}'>{shown}</a></span></dd>"


def asked_of_posts(draw: Callable[[int], str], heading: str, extra: int = 0) -> list[int]:
    """Requests for the comments of each of six posts with two comments each, of which the page
    states ``extra`` more."""
    site, requests = SiteComments(), []
    for n in range(1, 12, 2):
        page = post(draw(n) + draw(n + 1), heading=heading.format(2 + extra), head=FEED_HEAD)
        plan = CommentPlan(site=site, page=page)
        answer = feed(n, n + 1)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        assert [c.author for c in plan.result().comments] == [f"R{n}", f"R{n + 1}"]
    return requests


def anonymous(n: int) -> str:
    return spanish(n, time=True).replace(f">R{n}</a>", ">Anónimo</a>")


def test_word_for_a_missing_name_is_no_name() -> None:
    """The feed has the engine's word for it, the page that of the blog's language: neither
    contradicts the other, nor is the page's a name."""
    site, requests = SiteComments(), []
    for n in range(1, 8):
        is_named = n % 2 == 0
        shown = spanish(n, time=True) if is_named else anonymous(n)
        plan = CommentPlan(site=site, page=post(shown, heading="1 comentario", head=FEED_HEAD))
        told = feed(n).body
        if not is_named:
            told = told.replace(f">R{n}<".encode(), b">Anonymous<")
            told = told.replace(f"By: R{n}".encode(), b"By: Anonymous")
        answer = Page(url=URL + "feed/", body=told)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        plan.result()
    assert requests == [1, 1, 1, 0, 1, 0, 1]


def test_feeds_are_asked_no_longer_where_pages_say_the_same() -> None:
    assert asked_of_posts(comment, "{} Responses") == [1, 1, 1, 0, 0, 0]
    assert asked_of_posts(lambda n: spanish(n, time=True), "{} comentarios") == [1, 1, 1, 0, 0, 0]


def test_comments_are_the_same_whether_the_feed_was_asked_for_or_not() -> None:
    """Of pages that show all of them: which posts come first is chance."""
    site, found = SiteComments(), []
    for _ in range(5):
        page = post(comment(7), heading="1 Responses", head=FEED_HEAD)
        plan = CommentPlan(site=site, page=page)
        found.append((len(run(plan, lambda url: feed(7))), plan.result().comments))
    assert [asked for asked, _ in found] == [1, 1, 1, 0, 0]
    assert len({comments for _, comments in found}) == 1


@pytest.mark.parametrize("minutes", [0, 540])
def test_comments_are_the_same_whether_the_clock_was_known_or_not(minutes: int) -> None:
    """It is learned of the first posts, and which these are is chance."""
    when = datetime(2020, 1, 1, 10, 7) + timedelta(minutes=minutes)
    found = []
    for clock in ((), ("+09:00",)):
        shown = spanish(7, time=True).replace("1 de enero de 2020, 10:07", f"{when:%d/%m/%Y %H:%M}")
        plan = CommentPlan(
            site=SiteComments(clock=(clock, False)),
            page=post(shown, heading="1 comentario", head=FEED_HEAD),
        )
        assert len(run(plan, lambda url: feed(7))) == 1
        found += [(written(c.published), c.source) for c in plan.result().comments if c.published]
    assert found == [(f"{when:%Y-%m-%dT%H:%M}:00" + ("+09:00" if minutes else "Z"), "html")] * 2


def test_zones_of_the_clock_are_narrowed_by_pages_of_other_times_of_the_year() -> None:
    """Two zones fit the first posts and differ in summer, of which a later post is."""
    site = SiteComments(rules=CommentRules(zones=("Europe/Madrid", "Africa/Algiers")))
    site.narrow(("Africa/Algiers", "+01:00"), [2020])
    assert site.reading.zones == ("Africa/Algiers",)
    site.narrow(("Asia/Tokyo",), [2020])
    assert site.reading.zones == ("Africa/Algiers",)


def test_feed_is_asked_where_the_clock_is_unknown_at_a_time() -> None:
    """The zones that fit the posts before agree in winter only, and the page has its comments in
    full otherwise: the feed states when they were written, and the zone for the posts behind."""
    site, requests = SiteComments(), []
    for n in range(1, 8):
        month, name = (7, "julio") if n in (5, 6, 7) else (1, "enero")
        shown = spanish(n, time=True)
        hour = 10 if month == 1 else 12
        shown = shown.replace(f"enero de 2020, 10:{n:02d}", f"{name} de 2020, {hour}:{n:02d}")
        plan = CommentPlan(
            site=site, page=post(shown, heading="1 comentario", head=FEED_HEAD), language="es"
        )
        body = feed(n).body.replace(b"Jan", b"Jan" if month == 1 else b"Jul")
        body = body.replace(b" 10:", b" 09:" if month == 1 else b" 10:")
        answer = Page(url=URL + "feed/", body=body)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        (found,) = plan.result().comments
        assert found.published is not None
        assert written(found.published)[-6:] == ("+01:00" if month == 1 else "+02:00")
    assert requests == [1, 1, 1, 0, 1, 0, 0]


def test_feed_is_asked_in_each_year_for_blogs_move_and_their_clocks_with_them() -> None:
    """The newest posts are read first, and those of the years before may have another zone: each
    year without one, or with another, is asked for."""
    site, requests = SiteComments(), []
    for n, year in enumerate((2020, 2020, 2020, 2020, 2019, 2019, 2018, 2018), 1):
        shown = spanish(n, time=True).replace("de 2020", f"de {year}")
        plan = CommentPlan(
            site=site, page=post(shown, heading="1 comentario", head=FEED_HEAD), language="es"
        )
        hour = b" 18:" if year == 2018 else b" 09:"
        body = feed(n).body.replace(b"2020", str(year).encode()).replace(b" 10:", hour)
        answer = Page(url=URL + "feed/", body=body)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        (found,) = plan.result().comments
        assert found.published is not None
        assert written(found.published)[-6:] == ("-08:00" if year == 2018 else "+01:00")
    assert requests == [1, 1, 1, 0, 1, 0, 1, 1]


def test_mentions_have_a_record_of_their_own() -> None:
    """Themes that show the head of a pingback alone show all of a comment."""
    site, requests = SiteComments(), []
    for n in range(1, 9):
        is_ping = n % 2 == 0
        shown = comment(n).replace('"comment"', '"pingback"', 1) if is_ping else comment(n)
        plan = CommentPlan(site=site, page=post(shown, heading="1 Responses", head=FEED_HEAD))
        answer = feed(n, n + 10) if is_ping else feed(n)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        plan.result()
    assert requests == [1, 1, 1, 1, 1, 1, 0, 1]


def test_link_to_a_further_page_is_no_lack_where_all_comments_are_shown() -> None:
    """A theme links the page of comments that it shows, by the address that page has."""
    requests = asked_of_posts(
        lambda n: comment(n) + '<a href="comment-page-1/#comments">1</a>', "{} Responses"
    )
    assert requests == [1, 1, 1, 0, 0, 0]


def test_one_page_with_less_than_its_feed_is_enough_to_ask_on() -> None:
    site, requests = SiteComments(), []
    for n in range(1, 7):
        plan = CommentPlan(site=site, page=post(comment(n), heading="1 Responses", head=FEED_HEAD))
        answer = feed(n) if n != 2 else feed(n, 50)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        plan.result()
    assert requests == [1] * 6


def test_feed_is_asked_for_comments_of_pages_that_may_show_a_part() -> None:
    site, requests = SiteComments(), []
    for count in (1, 2, 3, 4, 10, 11):
        numbers = range(1, count + 1)
        shown, heading = "".join(map(comment, numbers)), f"{count} Responses"
        plan = CommentPlan(site=site, page=post(shown, heading=heading, head=FEED_HEAD))
        answer = feed(*numbers) if count != 10 else feed(*numbers, 11, 12)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        assert len(plan.result().comments) == (12 if count == 10 else count)
    assert requests == [1, 1, 1, 0, 1, 0]


def test_feed_is_asked_for_comments_of_which_the_page_has_no_words() -> None:
    site, requests = SiteComments(), []
    for n in range(1, 6):
        shown = comment(n) if n != 5 else comment(n).replace(f"Said number {n}.", "")
        plan = CommentPlan(site=site, page=post(shown, heading="1 Responses", head=FEED_HEAD))
        answer = feed(n)
        requests.append(len(run(plan, lambda url, answer=answer: answer)))
        assert [f"number {n}" in c.content_text for c in plan.result().comments] == [True]
    assert requests == [1, 1, 1, 0, 1]


def test_feeds_are_asked_on_where_they_say_more_than_pages() -> None:
    assert asked_of_posts(lambda n: spanish(n, time=False), "{} comentarios") == [1] * 6
    assert asked_of_posts(comment, "{} Responses", extra=1) == [1] * 6
    assert asked_of_posts(comment, "") == [1] * 6, "no number is stated"


def test_site_wide_comment_feed_is_not_taken_for_the_posts() -> None:
    page = post(
        comment(1),
        heading="1 comment",
        head=FEED_HEAD.replace("bread", "other"),
        url="http://blog.example/other/",
    )
    plan = CommentPlan(site=SiteComments(), page=page)
    run(plan, lambda url: feed(5, 6))
    assert [c.id for c in plan.result().comments] == ["1"]


@pytest.mark.parametrize(("stated", "most"), [("", 10), ("44 comments", 44)])
def test_comment_requests_are_bounded_by_what_the_page_states(stated: str, most: int) -> None:
    def page(number: int) -> Page:
        link = f'<a href="{URL}comment-page-{number + 1}/">{number + 1}</a>'
        return post(comment(number // 2) + link, heading=stated)

    plan = CommentPlan(site=SiteComments(), page=page(1), max_asks=10)
    asked = run(plan, lambda url: page(int(url.rstrip("/").rpartition("-")[2])))
    assert len(asked) == len(set(asked)) == most
    found = plan.result()
    assert len(found.comments) == most // 2 + 1
    assert found.incomplete == f"more pages of comments than the {most} requests of one post"


def test_endpoint_of_a_script_system_needs_no_browser() -> None:
    html = b"<html><body><article>x</article><script data-isso='https://c.example/isso/' src='https://c.example/js/embed.min.js'></script><section id='isso-thread' data-isso-id='/bread'></section></body></html>"
    plan = CommentPlan(site=SiteComments(), page=Page(url=URL, body=html))
    answer = {
        "replies": [
            {
                "id": 1,
                "author": "Ann",
                "created": 1577872800.5,
                "text": "<p>First</p>",
                "parent": None,
                "website": None,
                "replies": [
                    {
                        "id": 2,
                        "author": None,
                        "created": 1577872900,
                        "text": "<p>Second</p>",
                        "parent": 1,
                        "replies": [],
                    }
                ],
            }
        ]
    }
    asked = run(
        plan,
        lambda url: Page(
            url=url, body=json.dumps(answer).encode(), headers={"content-type": "application/json"}
        ),
    )
    assert asked == ["https://c.example/isso/?uri=%2Fbread"]
    assert [(c.id, c.author, c.parent_id, c.content_text) for c in plan.result().comments] == [
        ("1", "Ann", None, "First"),
        ("2", None, "1", "Second"),
    ]


def test_invalid_responses_are_ignored() -> None:
    page = post(comment(1), heading="2 comments", head=API_HEAD + FEED_HEAD)
    for body in (
        b"",
        b"{}",
        b"[]",
        b"[1, null, {}]",
        b"<html>",
        b"\xff\xfe",
        b'[{"post": 7, "content": {}}]',
    ):
        plan = CommentPlan(site=SiteComments(), page=page)
        run(plan, lambda url, body=body: Page(url=url, body=body))  # type: ignore[misc]
        assert "1" in [c.id for c in plan.result().comments]


def test_asks_compare_by_value() -> None:
    assert Ask("http://x.example/", "feed") == Ask("http://x.example/", "feed")


def test_comments_are_matched_by_url_without_a_post_number() -> None:
    rows = [
        {
            "id": n,
            "post": 7 + n,
            "content": {"rendered": f"<p>Said number {n}.</p>"},
            "link": f"{url}#comment-{n}",
        }
        for n, url in ((1, URL), (2, "http://blog.example/soup/"))
    ]
    answer = wordpress_comments(
        Page(url="http://blog.example/wp-json/wp/v2/comments", body=json.dumps(rows).encode())
    )
    assert answer is not None
    site = SiteComments(swept=True)
    site.take_sweep(answer)
    page = Page(
        url=URL,
        body=f"<html><head>{API_HEAD}</head><body><p>Text of the post</p></body></html>".encode(),
    )
    plan = CommentPlan(site=site, page=page)
    assert run(plan, lambda url: None) == []
    assert [c.content_text for c in plan.result().comments] == ["Said number 1."]


def dated(when: str) -> Page:
    body = f"<div id=comments><ol><li class=comment id=comment-1><cite class=fn>Ann</cite> {when}<p>A comment.</p></ol></div>"
    return Page(url=URL, body=f"<html lang=en><body><article>Text</article>{body}".encode())


def read(site: SiteComments, when: str) -> str:
    plan = CommentPlan(site=site, page=dated(when))
    run(plan, lambda url: None)
    return next(written(c.published) for c in plan.result().comments if c.published)


def test_order_of_day_and_month_is_known_from_pages_that_show_it() -> None:
    site = SiteComments()
    assert read(site, "<span class=date>4/15/07, 8:07 AM</span>") == "2007-04-15T08:07:00"
    site = SiteComments.from_json(site.to_json())
    assert read(site, "<span class=date>9/6/07, 2:54 AM</span>") == "2007-09-06T02:54:00"
    site = SiteComments()
    read(site, "<span class=date>15/4/07, 8:07</span>")
    assert read(site, "<span class=date>9/6/07, 2:54</span>") == "2007-06-09T02:54:00"


def test_clock_of_the_posts_is_that_of_the_comments() -> None:
    machine = "<abbr class=date title='2011-04-03T21:14:00Z'>3 April 2011, 21:14</abbr>"
    zoned = "<time datetime='2011-04-03T21:14:00-03:00'>3 April 2011</time>"
    plain = "<span class=date>3 April 2011, 21:14</span>"
    site = SiteComments(clock=(("+02:00",), False))
    assert read(site, plain) == "2011-04-03T21:14:00+02:00"
    assert read(site, machine) == "2011-04-03T21:14:00Z"
    site = SiteComments(clock=(("+02:00",), True))
    assert read(site, machine) == "2011-04-03T21:14:00+02:00"
    assert read(site, zoned) == "2011-04-03T21:14:00-03:00"
    assert read(site, "<span class=date>3 April 2011</span>") == "2011-04-03"
    assert read(SiteComments(clock=(("+00:00",), False)), plain) == "2011-04-03T21:14:00Z"
    assert read(SiteComments(), plain) == "2011-04-03T21:14:00"


def test_label_of_utc_is_corrected_by_the_feed_of_comments() -> None:
    def page(number: int) -> Page:
        return post(comment(number).replace("T10", "T05"), head=FEED_HEAD, heading="1 comment")

    site = SiteComments()
    for number in range(1, 7):
        plan, answer = CommentPlan(site=site, page=page(number)), feed(number)
        run(plan, lambda url, answer=answer: answer)  # type: ignore[misc]
        plan.result()
    assert site.rules is not None and site.rules.mislabelled
    plan = CommentPlan(site=site, page=page(9))
    run(plan, lambda url: None)
    found = [written(c.published) for c in plan.result().comments if c.published]
    assert found == ["2020-01-01T05:09:00-05:00"]


def test_mentions_without_a_number_stand_among_numbered_comments() -> None:
    """Of both sources, the feed has what they quote, the page their address."""
    link = "http://other.example/bread"
    shown = (
        f"<li class='post pingback'><time datetime='2020-01-01T10:07Z'>x</time> Tilbaketr&aring;kk: "
        f"<a href='{link}' rel='external nofollow' class='url'>R7</a></li>"
    )
    page = post(comment(1) + shown + comment(2), heading="3 comments", head=FEED_HEAD)
    quoted = "[...] Said number 7. [...]"
    body = feed(1, 7, 2).body.replace(b"Said number 7.", quoted.encode())
    feeds = [
        Page(url=URL + "feed/", body=body.replace(b"<dc:creator>R7<", name))
        for name in (b"<dc:creator>R7 |<", b"<dc:creator>All that stands on the page<")
    ]
    for given, text in ((None, ""), (feeds[0], quoted), (feeds[1], quoted)):
        plan = CommentPlan(site=SiteComments(), page=page)
        run(plan, lambda url, given=given: given)  # type: ignore[misc]
        found = plan.result().comments
        mentions = [c for c in found if c.kind == "pingback"]
        assert len(found) == 3
        assert [(c.author_url, c.content_text) for c in mentions] == [(link, text)]


def test_comments_of_a_feed_have_the_offset_of_the_blog() -> None:
    """Feeds write UTC, in which a comment in the evening is one of the next day."""
    plan = CommentPlan(
        site=SiteComments(clock=(("-11:00",), False)),
        page=post(heading="1 comment", head=FEED_HEAD),
    )
    run(plan, lambda url: feed(9))
    found = [written(c.published) for c in plan.result().comments if c.published]
    assert found == ["2019-12-31T23:09:30-11:00"]


def test_page_is_read_once_where_it_shows_the_order_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(page: Page, *args: Any, **more: Any) -> OnPage:
        reads.append(page.url)
        return original(page, *args, **more)

    original = page_reader.read_page
    monkeypatch.setattr(page_reader, "read_page", counted)
    site = SiteComments()
    assert read(site, "<span class=date>15/4/07, 8:07</span>") == "2007-04-15T08:07:00"
    assert site.reading.day_first is True and len(reads) == 1
    assert read(site, "<span class=date>9/6/07, 2:54</span>") == "2007-06-09T02:54:00"
    assert len(reads) == 2


def test_post_on_the_page_of_its_comments_is_none_of_them() -> None:
    text = "".join(
        f"<p>The kettle and the ladder, part {n} of what was to be said.</p>" for n in range(3)
    )
    own = f'<div class="entry"><h2>Bread</h2>{text}<div class="posted">Posted by Ann on 07/02 at 10:00 AM</div></div>'
    said = "".join(
        f'<div class="entry"><p>Said number {n}, and more of it.</p><div class="posted">Posted by R{n} &nbsp;on 07/1{n}/2004 at 10:00 AM</div></div>'
        for n in (3, 4)
    )
    where = "http://blog.example/comments/a-loaf-of-bread/"
    page = Page(
        url="http://blog.example/a-loaf-of-bread/",
        body=f'<html><body><div id="blog">{own}(2) <a href="{where}">Comments</a></div></body></html>'.encode(),
    )
    shown = Page(
        url=where,
        body=f'<html><body><div id="blog">{own}<h3>Comments:</h3>{said}</div></body></html>'.encode(),
    )
    plan = CommentPlan(site=SiteComments(), page=page, content=text)
    assert run(plan, {where: shown}.get) == [where]
    assert [c.author for c in plan.result().comments] == ["R3", "R4"]


@pytest.mark.parametrize(
    ("url", "feed_url"),
    [
        (URL, f"{URL}feed/"),
        ("http://blog.example/?p=7", "http://blog.example/?p=7&feed=rss2"),
    ],
)
def test_comment_feed_of_a_post_is_no_feed_of_posts(url: str, feed_url: str) -> None:
    form = '<form action="/wp-comments-post.php"></form>'
    page = post(comment(1) + comment(2), heading="3 comments" + form, url=url)
    plan = CommentPlan(page=page, site=SiteComments())
    assert [address for address in run(plan, lambda _: None) if "feed" in address] == [feed_url]
