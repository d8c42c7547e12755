"""Order, credit, folding, crash safety and size of the frontier."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from blogcrawl.core.errors import ArchiveError
from blogcrawl.dom.links import Link
from blogcrawl.frontier.coverage import POSTS_PER_LIST
from blogcrawl.frontier.frontier import MAX_DRY_MONTHS, SAYS_NOTHING, Frontier
from blogcrawl.frontier.stop import Budgets
from blogcrawl.urls import parts
from blogcrawl.urls.canonical import Scope
from tests.memory import peak_kilobytes

H = "http://example.org"
FEED = [f"{H}/2012/0{i}/post-number-{i}/" for i in range(1, 9)]


def trained_frontier(path: Path | None = None, **options: object) -> Frontier:
    frontier = Frontier(path, scope=Scope(H + "/"), **options)  # type: ignore[arg-type]
    frontier.learn_pattern(FEED)
    return frontier


def test_order_is_listed_posts_then_likely_posts_then_pages() -> None:
    f = trained_frontier()
    f.push(H + "/")
    f.push_links(H + "/", [Link(H + "/2013/01/a-new-post/", "A"), Link(H + "/tag/x/", "x")])
    f.push(FEED[0], "post")
    order = []
    while pending := f.pop(0):
        order.append(pending.url)
        f.done(pending.url, is_post="post" in pending.url)
    assert order[:2] == [FEED[0], H + "/2013/01/a-new-post/"]
    assert set(order[2:]) == {H + "/", H + "/tag/x/"}
    assert f.counts().posts == 2


def test_equivalent_urls_are_one_page() -> None:
    f = trained_frontier()
    assert f.push(H + "/2012/09/x-y-z/?utm_source=a")
    assert not f.push("https://www.example.org/2012/09/x-y-z#c")
    assert (
        f.push_links(
            H + "/", [Link(H + "/2012/09/x-y-z/amp/"), Link(H + "/2012/09/x-y-z/?replytocom=1")]
        )
        == 0
    )
    assert f.pop(0).url == H + "/2012/09/x-y-z/"  # type: ignore[union-attr]
    assert f.pop(0) is None


def test_links_are_enqueued_with_their_context() -> None:
    f = trained_frontier(follow_nofollow=False)
    unwanted = ["http://other.example/", H + "/a.jpg", H + "/feed/", H + "/x/x/x/x", H + "/self/"]
    links = [*map(Link, unwanted), Link(H + "/n", nofollow=True), Link(H + "/ok")]
    assert f.push_links(H + "/self", links) == 1
    assert f.pop(0).url == H + "/ok"  # type: ignore[union-attr]


def test_links_of_a_page_are_canonicalised_once_and_looked_up_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f = trained_frontier()
    at = "https://www.example.org/2012/01/a-post-looked-up-once"
    links = [Link(f"{at}-{n}/", str(n), "main>a") for n in range(500)]
    split: list[str] = []
    asked: list[str] = []
    parse = parts.urlsplit
    monkeypatch.setattr(parts, "urlsplit", lambda url: split.append(url) or parse(url))
    f.store.db.set_trace_callback(asked.append)
    assert f.push_links(f"{H}/", links) == 500
    assert len(split) <= 2 * 500 + 10  # as found, and in canonical form
    assert sum(statement.startswith("SELECT") for statement in asked) == 1
    assert f.push_links(f"{H}/other", links) == 0
    assert len(split) <= 2 * 500 + 20  # what every page links to is known


@pytest.mark.parametrize("is_post_first", [True, False])
def test_lists_say_what_a_page_is_called_whichever_link_came_first(is_post_first: bool) -> None:
    f = trained_frontier()
    post, listing, target = H + "/2012/05/the-post/", H + "/archive/", H + "/2011/03/a-tale/"
    f.push(post, "post")
    f.push(listing, "hub")
    links = [(post, Link(target, "older")), (listing, Link(target, "A tale"))]
    for page, link in links if is_post_first else reversed(links):
        f.take(page)
        f.push_links(page, [link])
    assert f.link_text(target) == "A tale"


def test_second_address_of_a_post_is_no_further_post() -> None:
    f = trained_frontier()
    f.take(H + "/")
    links = [Link(H + path, "A post") for path in ("/2012/05/the-post/", "/2012/05/other-post/")]
    f.push_links(H + "/", links)
    first, second = f.pop(0), f.pop(0)
    assert first is not None and second is not None
    f.done(first.url, is_post=True)
    before = f.evidence(0.0).ways.posts
    f.same_post(second.url, first.url)
    assert f.counts().posts == 1
    assert f.evidence(0.0).ways.posts == before - 1


def test_redirects_and_canonical_links_merge_pages() -> None:
    f = trained_frontier()
    f.push(H + "/?p=1")
    f.push(H + "/2012/05/the-post/")
    first = f.pop(0)
    assert first is not None and "the-post" in first.url
    f.done(first.url, is_post=True)
    second = f.pop(0)
    assert second is not None
    assert f.same(second.url, H + "/2012/05/the-post/")
    f.folded(second.url)
    assert f.counts().posts == 1
    f.push(H + "/old")
    f.push(H + "/new")
    third = f.pop(0)
    assert third is not None
    other = {H + "/old", H + "/new"} - {third.url}
    assert not f.same(third.url, other.pop())
    f.done(third.url, is_post=True)
    assert f.pop(0) is None
    assert f.counts().pending == 0


def test_interrupted_alias_fetch_is_repeated(tmp_path: Path) -> None:
    """Another page's end had written the alias: killed then, the page that redirects was folded
    into itself, and the post lost.
    """
    old, new = H + "/old", H + "/2012/05/the-post/"
    f = Frontier(tmp_path / "f.db")
    for url in (old, H + "/else", new):
        f.push(url)
    f.take(old)
    f.take(H + "/else")
    assert not f.same(old, new)
    f.done(H + "/else", is_post=True)

    again = Frontier(tmp_path / "f.db")
    page = again.pop(0)
    assert page is not None and page.url == old and again.pop(1) is None
    assert not again.is_asked(new, old) and not again.same(old, new), "it may be asked for and read"
    assert again.is_asked(new) and again.is_asked(new, H + "/else"), "by no other page"
    assert again.read_as() == {new.rstrip("/"): old} and again.other_names() == {}
    again.name(old, new)
    again.done(old, is_post=True)
    assert Frontier(tmp_path / "f.db").other_names() == {old: new}


def test_first_page_showing_a_post_survives_a_kill(
    tmp_path: Path,
) -> None:
    frontier = Frontier(tmp_path / "f.db")
    assert frontier.met_first([b"one", b"two"], H + "/2003.html") == [True, True]
    again = Frontier(tmp_path / "f.db")
    assert again.met_first([b"two", b"three"], H + "/tea.html") == [False, True]
    assert again.met_first([b"one", b"two"], H + "/2003.html") == [True, True], (
        "read again, it keeps its posts"
    )


def test_alias_of_a_post_is_no_further_post() -> None:
    f = trained_frontier()
    for name in ("/2012/05/first-post-of-may/", "/2012/05/last-post-of-may/"):
        f.push(H + name)
        assert f.pop(0)
        f.done(H + name, is_post=True)
    f.push_links(H + "/list/", [Link(H + "/2012/06/first-post-of-may/")])
    f.push(H + "/2012/07/last-post-of-may/", "post")
    for _ in range(2):
        page = f.pop(0)
        assert page is not None and f.same(
            page.url, page.url.replace("/06/", "/05/").replace("/07/", "/05/")
        )
        f.folded(page.url, 500)
    seen = f.evidence(1)
    assert f.counts().posts == 2 and f.counts().promised == 1
    assert seen.ways.posts == 1, "a link under an old address is no way of seeing one more post"
    assert seen.ways.source_only + seen.ways.both == 1 and seen.bytes == 500 * 2, (
        "what was promised under another name was promised"
    )


def test_productive_page_is_revisited_and_its_credit_corrected() -> None:
    f = trained_frontier()
    f.push(H + "/shop/")
    f.push(H + "/archive/")
    for page in [f.pop(0), f.pop(0)]:
        assert page is not None
        year = 2014 if "archive" in page.url else 2015
        f.push_links(page.url, [Link(f"{H}/{year}/01/item-no-{i}/") for i in range(5)])
        f.done(page.url, is_post=False)
    while (pending := f.pop(0)) is not None:
        f.done(pending.url, is_post="/2014/" in pending.url)
    gains = {c.name.split("|")[1]: c.gain for c in f.ledger.clusters.values()}
    assert gains["/*"] == 5
    assert f.counts().posts == 5


def test_source_may_list_posts_already_found_by_links() -> None:
    f = trained_frontier()
    f.push_links(H + "/", [Link(H + "/odd-one"), Link(H + "/tag/a")])
    assert not f.push(H + "/odd-one", "post")
    pending = f.pop(0)
    assert pending is not None and pending.kind == "post" and pending.url == H + "/odd-one"
    counts = f.counts()
    assert (counts.promised, counts.posts_pending, counts.pending, counts.in_flight) == (1, 0, 1, 1)


def test_first_posts_are_candidates_without_a_feed() -> None:
    f = Frontier(scope=Scope(H + "/"))
    posts = [
        Link(f"{H}/2012/0{i}/why-we-left-{i}/", "Why", "main>article>h2>a") for i in range(1, 7)
    ]
    pages = [
        Link(H + p, p, "nav>ul>li>a")
        for p in ("/about/", "/tag/a-long-walk-home/", "/page/2/", "/contact/", "/2012/03/")
    ]
    f.push_links(H + "/", [*pages, *posts])
    first = [f.pop(0) for _ in range(3)]
    assert all(p is not None and "why-we-left" in p.url for p in first)
    for pending in first:
        assert pending is not None
        f.done(pending.url, is_post=True)
    assert f.pattern.score(H + "/2014/11/something-new/") >= 0.5


def test_requeued_taken_and_failed_pages() -> None:
    f = trained_frontier()
    f.push(FEED[0], "post")
    assert f.take(FEED[0]) and not f.take(FEED[0])
    assert f.is_in_flight(FEED[0]) and f.pop(0) is None
    f.requeue(FEED[0])
    assert f.pop(0).url == FEED[0]  # type: ignore[union-attr]
    f.failed(FEED[0])
    assert f.counts().failed == 1 and f.pop(0) is None
    f.done(H + "/never-pushed", is_post=True)
    assert f.counts().posts == 1


def test_page_that_was_no_post_is_judged_again(tmp_path: Path) -> None:
    f = trained_frontier(tmp_path / "frontier.db")
    for url in (FEED[0], FEED[1]):
        f.push(url)
        assert f.pop(0) is not None
    f.done(FEED[0], is_post=True)
    f.reject(FEED[1], "its URL is unlike the posts' URLs", 0.3)
    f.done(FEED[1], is_post=False)
    before = f.counts()
    f.reopen(FEED[0])
    assert f.counts() == before and [each.url for each in f.rejected()] == [FEED[1].rstrip("/")]
    f.reopen(FEED[1])
    assert f.is_in_flight(FEED[1]) and f.rejected() == [] and f.stop_decision(0) is None
    f.done(FEED[1], is_post=True)
    assert (f.counts().posts, f.counts().done, f.counts().in_flight) == (2, before.done, 0)


def test_pages_judged_again_count_at_the_end_as_in_a_run_that_goes_on(tmp_path: Path) -> None:
    """A chain of posts, one of which was taken for no post first."""
    f = trained_frontier(tmp_path / "f.db")
    for number, url in enumerate(FEED):
        f.push(url, "post")
        f.pop(0)
        f.push_links(url, [Link(other) for other in FEED[max(0, number - 1) : number + 2]])
        f.done(url, is_post=number != 3)
    f.reopen(FEED[3])
    f.push_links(FEED[3], [Link(FEED[2]), Link(FEED[4])])
    f.done(FEED[3], is_post=True)
    f.close()
    again = trained_frontier(tmp_path / "f.db")
    assert f.chain.closed == again.chain.closed == len(FEED)
    assert f.counts().posts == again.counts().posts
    assert (f.ledger.tally.audited, again.ledger.tally.audited) == (0, 0)


def test_posts_that_a_broken_off_run_has_read_are_queued_again() -> None:
    f = trained_frontier()
    f.ask_again(FEED[0])
    assert f.pop(0).url == FEED[0]  # type: ignore[union-attr]
    f.done(FEED[0], is_post=True)
    before = f.counts()
    f.push(FEED[0], "post")
    assert f.pop(0) is None
    f.ask_again(FEED[0])
    assert f.pop(0).url == FEED[0]  # type: ignore[union-attr]
    f.done(FEED[0], is_post=True)
    assert f.counts() == before


def test_busy_hosts_wait() -> None:
    f = trained_frontier()
    f.push(FEED[0], "post")
    f.push("http://other.example/a", "post")
    assert f.pop(0, {"example.org"}).url == "http://other.example/a"  # type: ignore[union-attr]
    assert f.pop(0, {"example.org"}) is None
    assert f.pop(0).url == FEED[0]  # type: ignore[union-attr]


def test_endless_calendar_is_limited() -> None:
    f = trained_frontier()
    f.push(H + "/calendar/2030/01/")
    pages = 0
    while f.stop_decision(0) is None and pages < 500:
        page = f.pop(0)
        assert page is not None
        pages += 1
        f.push_links(
            page.url,
            [Link(f"{H}/calendar/{2030 + pages}/{m:02d}/", "»", "table>a") for m in range(1, 13)],
        )
        f.done(page.url, is_post=False)
    stop = f.stop_decision(0)
    assert pages < 60
    assert stop is not None and stop.reason == "exhausted" and stop.evidence.pending > 100


def test_lists_of_months_that_the_archive_lacks_are_read_before_the_end() -> None:
    """After many lists of months without a new post another one seems not worth its request."""
    f = trained_frontier()
    f.listing = lambda link: "month" if re.search(r"/20\d\d/\d\d/$", link.url) else None
    months = [f"{H}/2012/{month:02}/" for month in range(1, 13)]
    for url in FEED:
        f.push(url, "post")
        f.take(url)
        f.done(url, is_post=True)
    for url in months:
        f.push(url, "hub")
    for url in months[:9]:
        f.take(url)
        f.done(url, 0, is_post=False)
    assert f.enough(0) is not None
    incomplete = [months[10]]
    f.incomplete_months = lambda lists: [url for url in incomplete if url in lists]
    assert f.enough(0) is None
    page = f.pop(0)
    assert page is not None and page.url == months[10]
    f.done(page.url, 0, is_post=False)
    assert f.stop_decision(0) is not None, "a month is asked for once"
    assert f.months_read() == [*months[:9], months[10]]


@pytest.mark.parametrize(
    ("start", "end", "goes_on"),
    [(300, 420, True), (300, 420, False), (300, 400, True), (50, 420, True)],
)
def test_pager_is_read_on_while_posts_may_be_behind_what_no_page_has_shown(
    start: int, end: int, *, goes_on: bool
) -> None:
    """Posts have led along the pager's pages 31 to 42, which then bring nothing new; or to 40: all
    that is known by then agrees; or from page 6 on, which is most of the list. Behind these it has
    more posts, or none and no end.
    """
    f = trained_frontier()
    f.listing = lambda link: "next" if "/page/" in link.url else None
    posts = [f"{H}/2012/{n % 12 + 1:02}/the-post-of-day-{n}/" for n in range(600)]
    number = {url: n for n, url in enumerate(posts)}
    f.push(f"{H}/page/1/", "hub")
    lists = 0
    while f.stop_decision(0) is None and (page := f.pop(0)) is not None:
        n = number.get(page.url)
        if n is None:
            lists += 1
            shown = 10 * lists if lists <= end // 10 or goes_on else 0
            links = [Link(url, "title", "main>h2>a") for url in posts[shown - 10 : shown]]
            f.push_links(page.url, [Link(f"{H}/page/{lists + 1}/", "Older posts"), *links])
        else:
            next_one = [Link(url, "Next") for url in posts[n + 1 : n + 2]]
            next_one = next_one if n % 2 or start <= n < end else []
            is_talkative = end == 420 and n % 40 == 0 and n < 400
            earlier = [Link(posts[440 + n // 4], "as I said")] if is_talkative else []
            f.push_links(page.url, [*next_one, *earlier])
        f.done(page.url, is_post=n is not None)
    if goes_on:
        assert f.counts().posts == 600
    else:
        assert lists <= 42 + 600 // POSTS_PER_LIST, "no list is followed for ever"


def test_labels_are_read_on_while_the_blog_states_more_posts_than_they_have_shown() -> None:
    """Pages "1 of 3" and "2 of 3" of a list have ten posts each, and no link leads to the third."""
    f = trained_frontier()
    posts = [f"{H}/2012/05/the-post-of-day-{n}/" for n in range(22)]
    for number, url in enumerate((f"{H}/page/1/", f"{H}/page/2/"), 1):
        f.push(url, "hub")
        f.take(url)
        f.push_links(url, [Link(post, "title") for post in posts[10 * number - 10 : 10 * number]])
        f.note_pages(url, (number, 3))
        f.done(url, is_post=False)
    labels = [f"{H}/tag/{n}/" for n in range(60)]
    for url in labels:
        f.push(url, "hub")
    while f.stop_decision(0) is None and (page := f.pop(0)) is not None:
        if page.url == labels[16]:
            f.push_links(page.url, [Link(url, "title") for url in posts[20:]])
        f.done(page.url, is_post=page.url in posts)
    assert f.counts().posts == 22
    assert f.counts().pending, "then the others are not worth their requests"


def test_pager_is_read_where_the_list_of_all_posts_lacks_some_of_the_start_page() -> None:
    """The archive of a comic has its strips, the start page the newest of its other posts."""
    f = trained_frontier()
    f.listing = lambda link: (
        "next" if "/page/" in link.url else "all" if "/archive/" in link.url else None
    )
    strips = [f"{H}/2012/05/the-strip-of-day-{n}/" for n in range(60)]
    other = [f"{H}/2012/06/the-news-of-day-{n}/" for n in range(15)]
    for name in ("cast", "shop"):
        f.push(f"{H}/{name}/")
        f.take(f"{H}/{name}/")
        f.done(f"{H}/{name}/", is_post=False)
    f.push(f"{H}/", "hub")
    while f.stop_decision(0) is None and (page := f.pop(0)) is not None:
        number = re.search(r"/page/([0-9])/", page.url)
        if "/archive/" in page.url:
            f.push_links(page.url, [Link(url, "title", "td>a") for url in strips])
        elif page.url == f"{H}/" or number:
            at = int(number[1]) if number else 1
            shown = [Link(url, "title", "h2>a") for url in other[5 * at - 5 : 5 * at]]
            older = [Link(f"{H}/page/{at + 1}/", "Older posts")] if at < 3 else []
            f.push_links(page.url, [Link(f"{H}/archive/", "Archive"), *shown, *older])
        elif page.url in strips:
            near = strips.index(page.url)
            linked = [*strips[max(0, near - 1) : near + 2], f"{H}/archive/"]
            f.push_links(page.url, [Link(url, "near", "p>a") for url in linked])
        f.done(page.url, is_post=page.url in strips + other)
    assert f.counts().posts == 75


def test_lists_of_months_that_are_absent_count_as_read_where_no_other_was() -> None:
    """Links to months that are dead say little of those that are there."""
    f = trained_frontier()
    f.listing = lambda link: "month"
    months = [f"{H}/2012/{month:02}/" for month in range(1, 4)]
    for url in months:
        f.push(url, "hub")
        f.take(url)
    f.failed(months[0], "HTTP 404")
    f.failed(months[1], "HTTP 404")
    assert f.months_read() == months[:2]
    f.done(months[2], 0, is_post=False)
    assert f.months_read() == months[2:]


@pytest.mark.parametrize("first", ["2012/05", "2004/05"])
def test_calendar_without_end_is_followed_over_a_pause_of_years(first: str) -> None:
    """Each month leads to the one before, and one of them to posts."""
    f = trained_frontier()
    f.listing = lambda link: "month" if re.search(r"/\d{4}/\d\d/$", link.url) else None
    complete: set[str] = set()
    f.incomplete_months = lambda lists: [url for url in lists if url not in complete]
    for url in FEED:
        f.push(url, "post")
        f.take(url)
        f.done(url, is_post=True)
    months = [f"{H}/{n // 12}/{n % 12 + 1:02}/" for n in range(12 * 2012 + 4, 12 * 1900, -1)]
    f.push(months[0], "hub")
    read = 0
    for month, before in pairwise(months):
        if f.stop_decision(0) is not None:
            break
        page = f.pop(0)
        assert page is not None and page.url == month
        f.push_links(month, [Link(before, "<")])
        f.done(month, 0, is_post=False)
        complete.update([month] if first in month else [])
        read += 1
    assert read == months.index(f"{H}/{first}/") + MAX_DRY_MONTHS + 2
    assert not list(f._missing_months()), "a month to which only one without posts leads"


def test_page_and_time_budgets_stop_the_crawl() -> None:
    f = Frontier(budgets=Budgets(pages=2, seconds=100))
    for url in FEED:
        f.push(url, "post")
    f.done(f.pop(10.0).url, is_post=True)  # type: ignore[union-attr]
    assert f.stop_decision(50.0) is None
    stop = f.stop_decision(111.0)
    assert stop is not None and stop.reason == "budget" and "seconds" in stop.detail
    f.done(f.pop(60.0).url, is_post=True)  # type: ignore[union-attr]
    stop = f.stop_decision(60.0)
    assert stop is not None and "pages" in stop.detail


def test_no_stop_while_pages_are_in_flight() -> None:
    f = trained_frontier()
    f.push(H + "/archive/")
    page = f.pop(0)
    assert page is not None and f.enough(0) is not None and f.stop_decision(0) is None
    f.done(page.url, is_post=False)
    assert f.stop_decision(0) is not None


def test_reopened_frontier_is_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "crawl" / "frontier.db"
    f = trained_frontier(path)
    for url in FEED:
        f.push(url, "post")
    f.push(H + "/")
    for _ in range(5):
        page = f.pop(0)
        assert page is not None
        f.push_links(
            page.url,
            [Link(f"{page.url}more-of-this/"), Link(H + "/2012/11/linked-post/"), Link(FEED[7])],
        )
        f.done(page.url, is_post=True)
    flying = f.pop(0)
    assert flying is not None
    before = f.counts()
    ways, score = f.evidence(0).ways, f.pattern.score(H + "/2019/01/some-thing")
    f.close()
    again = Frontier(path, scope=Scope(H + "/"))
    counts = again.counts()
    assert (counts.pending, counts.in_flight) == (before.pending + 1, 0)
    assert (counts.posts, counts.promised, counts.done) == (
        before.posts,
        before.promised,
        before.done,
    )
    assert again.evidence(0).ways == ways
    assert again.pattern.score(H + "/2019/01/some-thing") == pytest.approx(score, abs=0.05)
    assert len(again.estimator) == 5
    rest = []
    while page := again.pop(0):
        rest.append(page.url)
        again.done(page.url, is_post=False)
    assert flying.url in rest and len(rest) == len(set(rest)) == counts.pending


def test_invalid_frontier_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "f.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(ArchiveError):
        Frontier(tmp_path / "f.db")
    other = sqlite3.connect(tmp_path / "new.db")
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(ArchiveError, match="version 99"):
        Frontier(tmp_path / "new.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError):
        Frontier(tmp_path / "file" / "f.db")


CHILD = """
import sys, time
from pathlib import Path
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.dom.links import Link
H = "http://example.org"
f = Frontier(Path(sys.argv[1]))
log = open(sys.argv[2], "a", buffering=1)
if not f.counts().pending and not f.counts().done:
    f.learn_pattern([f"{H}/2012/01/post-no-{i}" for i in range(8)])
    f.push(H + "/page/0")
    f.store.commit()
print("ready", flush=True)
flying = []
while True:
    while len(flying) < 4:
        p = f.pop(0)
        if p is None: break
        log.write("get " + p.url + "\\n")
        flying.append(p)
    if not flying: break
    p = flying.pop(0)
    time.sleep(0.003)
    name, number = p.url.rsplit("/", 2)[1:] if "/page/" in p.url else ("post", "0")
    links = []
    if name == "page" and int(number) < 30:
        n = int(number)
        links = [Link(f"{H}/2012/01/post-no-{10 * n + i}") for i in range(10)] + [Link(f"{H}/page/{n + 1}")]
    f.push_links(p.url, links)
    if name == "post": log.write("post " + p.url + "\\n")
    f.done(p.url, is_post=name == "post")
log.write("end\\n")
"""  # noqa: E501


def _killed_crawl(tmp_path: Path, kills: int) -> None:
    rng = random.Random(5)
    database, log = tmp_path / "f.db", tmp_path / "log"
    command = [sys.executable, "-c", CHILD, str(database), str(log)]
    killed = 0
    for _ in range(kills + 40):
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        if killed < kills:
            try:
                child.wait(rng.uniform(0.0, 1.2 / kills))
            except subprocess.TimeoutExpired:
                child.kill()
                killed += 1
        child.wait(60)
        child.stdout.close()
        if log.read_text().endswith("end\n"):
            break
    lines = log.read_text().splitlines()
    posts = {line[5:] for line in lines if line.startswith("post ")}
    asked = [line[4:] for line in lines if line.startswith("get ")]
    assert killed >= min(kills, 4)
    assert posts == {f"http://example.org/2012/01/post-no-{i}" for i in range(300)}
    assert len(asked) - len(set(asked)) <= 4 * killed


def test_killed_frontier_resumes(tmp_path: Path) -> None:
    _killed_crawl(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.by_hand
def test_random_kills_lose_no_page(tmp_path: Path) -> None:
    _killed_crawl(tmp_path, 20)


@pytest.mark.slow
@pytest.mark.parametrize("count", [100_000, pytest.param(1_000_000, marks=pytest.mark.by_hand)])
def test_pending_urls_need_little_memory_and_time(count: int, tmp_path: Path) -> None:
    """In a child, for the peak is a process's; push and pop must not slow down with size."""
    code = "import sys; from tests.frontier.test_frontier import fill; fill(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(count)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    first, last, early, late, megabytes, grown = map(float, done.stdout.split())
    assert megabytes < 300
    assert grown < 40 + count / 5_000, "megabytes: 200 bytes a page, and caches"
    assert last < 4 * first
    assert early < 150 * first, "a page taken and ended by one pushed; forty on a quiet machine"
    assert late < 4 * early


def fill(folder: str, count: str) -> None:
    """Prints CPU seconds of a push (first, last), of a page taken and ended (ten thousand pending,
    ``count``), the peak in MB and what it has grown by since the ten thousand.
    """
    small = Frontier(Path(folder, "small.db"))
    push_many(small, 0, 10_000)
    early, before = turn(small), peak_kilobytes()
    f = Frontier(Path(folder, "large.db"))
    batch = int(count) // 20
    times = [push_many(f, start, start + batch) for start in range(0, int(count), batch)]
    late, peak = turn(f), peak_kilobytes()
    print(times[0], times[-1], early, late, peak / 1024, (peak - before) / 1024)


def push_many(f: Frontier, first: int, end: int) -> float:
    f.learn_pattern(FEED)
    began = time.process_time()
    for n in range(first, end):
        f.push(
            f"{H}/section{n % 300}/item-{n}-some-slug-here",
            anchor="some anchor",
            tag_path="div>ul.x>li>a",
            parent=H + "/",
        )
    f.store.commit()
    return (time.process_time() - began) / (end - first)


def turn(f: Frontier) -> float:
    began = time.process_time()
    for _ in range(500):
        page = f.pop(0)
        assert page is not None
        f.done(page.url, is_post=False)
    return (time.process_time() - began) / 500


def test_neighbouring_posts_come_before_lists() -> None:
    f = trained_frontier()
    f.push(FEED[0], "post")
    f.push_links(
        H + "/page/2/", [Link(H + "/2012/08/18/188/", "a picture"), Link(H + "/tag/x/", "x")]
    )
    assert f.pop(0).url == FEED[0]  # type: ignore[union-attr]
    f.push_links(
        FEED[0],
        [
            Link(H + "/2012/08/18/188/", "older", "head>link", "prev"),
            Link(H + "/2012/9/", "next", "head>link", "next"),
        ],
    )
    f.done(FEED[0], is_post=True)
    found = [f.pop(0), f.pop(0)]
    assert {p.url for p in found if p} == {H + "/2012/08/18/188/", H + "/2012/9/"} and all(
        p.chance >= 0.5 for p in found if p
    )
    for pending in found:
        assert pending is not None
        f.done(pending.url, is_post="188" in pending.url)
    assert f.counts().posts == 2 and f.pop(0).url == H + "/tag/x/"  # type: ignore[union-attr]


def test_a_post_called_as_a_feed_is_followed_where_posts_lead_to_their_neighbours() -> None:
    f = Frontier(None, scope=Scope(H + "/"))
    names = [f"{H}/a-post-of-mine-{n}/" for n in range(9)]
    f.learn_pattern(names)
    for before, url, after in zip(names, names[1:], [*names[2:], f"{H}/rss/"], strict=False):
        f.take(url)
        own_feed = Link(f"{url}feed/", "RSS", "p>a")
        f.push_links(url, [Link(before, "older", "p>a"), Link(after, "newer", "p>a"), own_feed])
        f.done(url, is_post=True)
    left = set()
    while pending := f.pop(0):
        left.add(pending.url)
        f.done(pending.url, is_post=True)
    assert left == {names[0], f"{H}/rss/"}


def test_lists_wait_for_cheaper_sources() -> None:
    f = trained_frontier()
    for post in FEED:
        f.push(post, "post")
    for post in FEED[:-1]:
        f.take(post)
    at = {url: i for i, url in enumerate(FEED)}
    f.pop(0)
    for url in FEED[:-1]:
        f.push_links(url, [Link(FEED[i]) for i in (at[url] - 1, at[url] + 1) if i >= 0])
        f.done(url, is_post=True)
    f.push_links(H + "/", [Link(f"{H}/tag/{n}/") for n in range(3)])
    assert f.pop(0, patient=True) is None, "the last post may close the chain"
    f.push_links(FEED[-1], [Link(FEED[-2])])
    f.done(FEED[-1], is_post=True)
    assert f.chain.closed == 8
    assert f.pop(0, patient=True) is not None
    assert f.pop(0, patient=True) is None, "lists one at a time"
    assert f.pop(0) is not None, "nothing to wait for"


def test_doubt_about_rejected_pages_survives_a_restart(tmp_path: Path) -> None:
    """It decides whether others of their kind are looked at."""
    f = trained_frontier(tmp_path / "f.db")
    for number in range(4):
        url = f"{H}/story/tale-number-{number}/"
        f.push(url)
        f.reject(url, "unlike the others", 0.4)
        f.done(url, is_post=False, chance=0.4)
    odds = {c.name: c.odds for c in f.ledger.clusters.values()}
    f.close()
    again = trained_frontier(tmp_path / "f.db")
    assert {c.name: c.odds for c in again.ledger.clusters.values()} == pytest.approx(odds)
    again.close()


def test_what_pages_have_shown_survives_a_restart(tmp_path: Path) -> None:
    f = trained_frontier(tmp_path / "f.db")
    for value in ("12", "13"):
        f.keep("numbers", FEED[0], value)
    f.push(H + "/a/")
    f.done(H + "/a/")
    f.close()
    assert f.kept("numbers") == {FEED[0]: "13"}
    again = trained_frontier(tmp_path / "f.db")
    assert again.kept("numbers") == {FEED[0]: "13"} and again.kept("albums") == {}
    again.close()


def test_post_chains_survive_a_restart(tmp_path: Path) -> None:
    f = trained_frontier(tmp_path / "f.db")
    for at, url in enumerate(FEED):
        f.push(url, "post")
        f.take(url)
        f.push_links(url, [Link(FEED[i]) for i in (at - 1, at + 1) if 0 <= i < len(FEED)])
    for url in FEED:
        f.done(url, is_post=True)
    assert f.chain.closed == 8
    f.close()
    assert Frontier(tmp_path / "f.db").chain.closed == 8


def test_one_word_slug_on_a_post_list_is_a_post() -> None:
    f = Frontier(scope=Scope(H + "/"))
    f.learn_pattern([f"{H}/a-note-of-day-{n}.html" for n in range(8)])
    row, menu = "main>ul>li>a", "nav>a"
    posts = [Link(f"{H}/some-other-note-{n}.html", "", row) for n in range(4)]
    shorts = [Link(f"{H}/{name}.html", "", row) for name in ("rsync", "lvm", "tag")]
    f.push_links(
        H + "/archives.html",
        [Link(H + "/contact.html", "", menu), Link(H + "/rsync.html", "", menu)],
    )
    assert f.belief(H + "/rsync.html", row) < 0.5
    f.push_links(H + "/", [*posts, *shorts, Link(H + "/about.html", "", menu)])
    found = [f.pop(0) for _ in range(6)]
    assert {p.url for p in found if p} == {link.url for link in (*posts, *shorts[:2])} and all(
        p.chance >= 0.5 for p in found if p
    )
    rest = [f.pop(0) for _ in range(3)]
    assert {p.url for p in rest if p} == {
        f"{H}/{name}.html" for name in ("tag", "about", "contact")
    }
    assert all(p.chance < 0.5 for p in rest if p)


def test_addresses_that_only_lack_a_posts_slug_are_doubtful_where_posts_are() -> None:
    f = Frontier(scope=Scope(H + "/"))
    f.learn_pattern([f"{H}/notes/a-note-of-day-{n}" for n in range(8)])
    row, menu = "main>ul>li>a", "nav>a"
    posts = [Link(f"{H}/notes/some-other-note-{n}", "", row) for n in range(6)]
    names = ("about", "2001", "feed", "node.js")
    odd = [Link(f"{H}/notes/{name}", "", row) for name in names]
    others = [
        Link(f"{H}/notes/talk.pdf", "", row),
        Link(f"{H}/shop/about", "", row),
        Link(f"{H}/notes/contact", "", menu),
        Link("http://other.example/notes/about", "", row),
    ]
    listed = [*posts, *odd[:3], *others]
    assert f.doubtful(H + "/", listed) == {link.url for link in odd[:3]}
    assert f.doubtful(H + "/", [*posts, odd[3]]) == {odd[3].url}
    assert f.doubtful(H + "/", [*posts[:2], *odd[:1]]) == set()


def test_posts_of_another_address_are_likely_where_such_lists_have_nothing_but_posts() -> None:
    f = trained_frontier()
    row, side = "main>h2>a", "aside>a"
    pages = {
        2: [Link(url, "", row) for url in FEED],
        3: [Link(f"{H}/archives/{n:06}.html", "", row) for n in range(1, 6)],
        4: [Link(f"{H}/archives/{n:06}.html", "", row) for n in range(6, 9)],
    }
    for number, links in pages.items():
        f.push_links(f"{H}/page/{number}/", [*links, Link(f"{H}/wiki/{number:06}.html", "", side)])
    f.push_links(f"{H}/tag/x/", [Link(f"{H}/shop/ware-{n}.html", "", row) for n in range(3)])
    likely = {}
    while (popped := f.pop(0)) is not None:
        likely[popped.url] = popped.chance >= 0.5, f.among_posts(popped.url)
    assert all(likely[link.url] == (True, True) for number in (3, 4) for link in pages[number])
    others = [url for url in likely if "/wiki/" in url or "/shop/" in url]
    assert len(others) == 6 and not any(any(likely[url]) for url in others)


def test_archive_listed_by_a_source_precedes_other_lists() -> None:
    f = trained_frontier()
    f.listing = lambda link: "all" if link.url.endswith("/all/") else None
    f.push_links(H + "/", [Link(f"{H}/tag/{n}/") for n in range(9)])
    f.push(H + "/all/", "hub", depth=1)
    first = f.pop(0)
    assert first is not None and first.url == H + "/all/"


def crawl_with(f: Frontier, pages: dict[str, list[str]]) -> list[str]:
    """Read pages until the frontier has enough: posts are those whose address ends in a slash; what
    is no key of ``pages`` is absent. Return what was requested."""
    asked: list[str] = []
    while f.stop_decision(len(asked)) is None and (page := f.pop(len(asked))) is not None:
        asked.append(page.url)
        if page.url not in pages:
            f.failed(page.url, "HTTP 404")
            continue
        f.push_links(page.url, [Link(to, "x", "article>p>a") for to in pages[page.url]], page.depth)
        is_post = page.url.endswith("/") and page.url != H + "/"
        f.done(page.url, is_post=is_post, chance=float(is_post))
    return asked


def a_blog(below: str, count: int = 12) -> dict[str, list[str]]:
    """Return the pages of a blog, each with its links: posts below each of which is another
    page."""
    posts = [f"{H}/2012/0{1 + n % 9}/post-number-{n}/" for n in range(count)]
    pages = {post: [post + below.format(n)] for n, post in enumerate(posts)}
    return {H + "/": posts, **pages}


@pytest.mark.parametrize("below", ["remarks", "a-map-of-it", "map.html", "{}-2-the-way"])
def test_pages_below_posts_are_no_posts_as_the_first_of_them_is_none(below: str) -> None:
    f, pages = trained_frontier(), a_blog(below)
    f.push(H + "/")
    asked = crawl_with(f, pages)
    assert f.counts().posts == 12
    assert sum(url not in pages for url in asked) == 1


def test_pages_below_posts_are_all_read_where_the_first_of_them_is_a_post() -> None:
    f, pages = trained_frontier(), a_blog("the-second-day/")
    below = {url: [] for links in pages.values() for url in links if url not in pages}
    f.push(H + "/")
    crawl_with(f, {**pages, **below})
    assert f.counts().posts == 24


def test_folder_of_many_posts_is_hardly_one_itself() -> None:
    posts = [f"{H}/walks/2012/0{1 + n % 9}/post-number-{n}/" for n in range(12)]
    f = Frontier(scope=Scope(H + "/"))
    f.learn_pattern(posts)
    for post in posts:
        f.push(post, "post")
        f.pop(0)
        f.push_links(post, [Link(f"{H}/walks")])
        f.done(post, is_post=True)
    assert f.evidence(0).hidden == 0


def test_what_is_looked_at_before_the_end_comes_before_lists_where_nothing_else_is_missing() -> (
    None
):
    posts = [f"{H}/2012/0{1 + n % 9}/post-number-{n}/" for n in range(60)]
    labels = [f"{H}/tag/word-{n}" for n in range(9)]
    archive, part = f"{H}/archive", f"{H}/wares/of-all-kinds"
    f = Frontier(scope=Scope(H + "/"))
    f.learn_pattern(posts)
    f.corrected = lambda url: False if url == part else None
    f.listing = lambda link: "all" if link.url == archive else None
    f.push(H + "/")
    pages = {H + "/": [*posts[:10], *labels, archive, part], labels[0]: posts[:40], archive: posts}
    for url, links in pages.items():
        f.take(url)
        f.push_links(url, [Link(to, "x", "main>a") for to in links])
        f.done(url, is_post=False)
        while f.evidence(0).posts_pending:
            f.done(f.pop(0).url, is_post=True)  # type: ignore[union-attr]
    assert f.stop_decision(0) is None
    assert f.pop(0).url == part  # type: ignore[union-attr]


def test_pending_pages_are_rated_again_before_the_stop() -> None:
    f = Frontier(scope=Scope(H + "/"))
    f.sources_complete = True
    posts, other = [f"{H}/archives/0001{n:02}.html" for n in range(8)], H + "/archives/000050.html"
    f.push(H + "/", "hub")
    for url in posts:
        f.push(url, "post")
    for url in (H + "/", *posts):
        f.take(url)
    f.push_links(H + "/", [*map(Link, posts), Link(other)])
    f.evidence(0)
    f.done(H + "/", None, False)
    for url in posts:
        f.done(url, is_post=True)
    assert f.enough(0) is None
    assert f.pop(0).url == other  # type: ignore[union-attr]
    f.done(other, is_post=True)
    assert f.enough(0) is not None


@pytest.mark.parametrize(("chance", "is_read"), [(SAYS_NOTHING, True), (0.0, False)])
def test_second_address_of_a_post_says_nothing_of_its_neighbours(
    chance: float, is_read: bool
) -> None:
    """Translations of the posts have addresses like that of one that is not translated."""
    f = trained_frontier()
    for url in FEED:
        f.push(url, "post")
        f.take(url)
        f.done(url, is_post=True)
    more = [f"{H}/2013/0{n}/a-post-in-french-{n}/" for n in range(1, 7)]
    f.push(f"{H}/fr/", "hub")
    f.take(f"{H}/fr/")
    f.push_links(f"{H}/fr/", [Link(url, "A", "ul>li>a") for url in more])
    f.done(f"{H}/fr/", is_post=False)
    for url in more[:3]:
        f.take(url)
        f.done(url, None, False, chance=chance)
    assert (f.enough(0) is None) == is_read
