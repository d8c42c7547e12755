"""What a crawl knows of the blog as a whole: lists at their end, windows of the newest posts, pages
that are left.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from blogcrawl.dom.links import Link
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.stop import Budgets, decide, unseen_by_recapture
from blogcrawl.urls.canonical import Scope
from tests.frontier.test_frontier import FEED, H, trained_frontier


def test_list_is_one_way_however_its_pages_were_found() -> None:
    """The second page was linked before it was known that its like lists posts."""
    f = trained_frontier()
    f.push(f"{H}/page/2/")
    for number in range(3, 6):
        f.push(f"{H}/page/{number}/", "hub")
    for number in range(2, 6):
        url = f"{H}/page/{number}/"
        f.take(url)
        posts = [f"{H}/2011/0{number}/post-{number}-{n}/" for n in range(4)]
        f.push_links(url, [Link(post, "a post") for post in posts])
        f.done(url, is_post=False)
        for post in posts:
            f.take(post)
            f.done(post, is_post=True)
    walked = f.evidence(0).walked
    assert [(each.alone, each.others) for each in walked] == [(16, 0)]


def test_years_and_their_further_pages_are_one_list() -> None:
    """Tags wait, which would bring nothing: what they and posts have shown, the years have too."""
    f = trained_frontier()
    posts = {
        year: [f"{H}/{year}/0{n % 9 + 1}/a-post-of-{year}-{n}/" for n in range(20)]
        for year in (2011, 2012, 2013)
    }
    tags = [f"{H}/tag/{n}/" for n in range(60)]

    def read(url: str, links: list[str], *, is_post: bool) -> None:
        f.push(url, "page" if is_post or "/tag/" in url else "hub")
        f.take(url)
        f.push_links(url, [Link(link, "x", f"{len(links)}>a") for link in links])
        f.done(url, is_post=is_post)

    for year, own in posts.items():
        first = 9 + year % 3
        read(f"{H}/{year}/", own[:first], is_post=False)
        read(f"{H}/{year}/page/2/", own[first:], is_post=False)
        read(tags[year % 60], own[5:10], is_post=False)
    for url in [url for own in posts.values() for url in own]:
        read(url, tags, is_post=True)
    years, further, both = f.evidence(0).walked
    assert years.others == 30 and further.others == 30, years
    assert (both.alone, both.both, both.others) == (45, 15, 0)
    stop = f.stop_decision(0)
    assert stop is not None and "the list /#, /#/page/#, read to its end" in stop.detail


def test_single_home_page_is_no_exhausted_list() -> None:
    f = trained_frontier()
    f.push(H + "/", "hub")
    f.take(H + "/")
    f.push_links(H + "/", [*map(Link, FEED), Link(H + "/tag/x/")])
    f.done(H + "/", None, False)
    for at, url in enumerate(FEED):
        f.take(url)
        f.push_links(url, [Link(FEED[i]) for i in (at - 1, at + 1) if 0 <= i < len(FEED)])
        f.done(url, is_post=True)
    assert f.evidence(0).walked == ()
    f.push_links(H + "/", [Link(H + "/archive/")])
    assert f.take(H + "/archive/")
    f.listing = lambda link: "all" if link.url.endswith("/all/") else None
    f.push_links(H + "/", [Link(H + "/all/")])
    assert f.take(H + "/all/")
    f.push_links(H + "/all/", [*map(Link, FEED)])
    f.done(H + "/all/", None, False)
    assert [(w.alone, w.both, w.others) for w in f.evidence(0).walked] == [(0, 8, 0)]


def test_list_whose_further_pages_have_another_address_is_not_at_its_end() -> None:
    """The pages behind the first are asked for by a query, so they are of another kind."""
    f = trained_frontier()
    f.listing = lambda link: "next" if "?page=" in link.url else None
    f.push(H + "/", "hub")
    f.push(H + "/all/", "hub", depth=1)
    for url, links in ((H + "/", [H + "/?page=2"]), (H + "/all/", [])):
        f.take(url)
        f.push_links(url, [*map(Link, FEED), *map(Link, links)])
        f.done(url, None, False)
    for url in FEED:
        f.take(url)
        f.done(url, is_post=True)
    assert f.evidence(0).walked == ()
    page = f.pop(0)
    assert page is not None and page.url == H + "/?page=2"
    f.done(page.url, 0, is_post=False)
    assert {"/*", "/*?page=#"} <= {each.address for each in f.evidence(0).walked}


def windowed(*lists: tuple[str, list[str]], links: tuple[str, ...] = ()) -> int:
    """Return ``windowed`` of a blog whose feed and start page show FEED, and lists what they do."""
    f = trained_frontier()
    for url in FEED:
        f.push(url, "post")
    f.listing = lambda link: "all" if "archive" in link.url else None
    pages = ((H + "/", [*FEED, *links]), *lists)
    for page, shown in pages:
        f.push(page, "hub")
        f.take(page)
        f.push_links(page, [Link(url, "A", "ul>li>a") for url in shown])
        f.done(page, is_post=False)
    for url in FEED:
        f.take(url)
        f.done(url, is_post=True)
    return f.windowed()


def test_feed_and_start_page_are_windows_of_the_newest_posts() -> None:
    assert windowed() == len(FEED)
    side_bar = [(f"{H}/about", FEED), (f"{H}/contact", FEED)]
    assert windowed(*side_bar) == len(FEED)
    assert windowed((f"{H}/tag/x/", FEED[:3])) == len(FEED)


def test_long_start_page_is_a_list_of_all_posts() -> None:
    others = [f"{H}/2011/{n % 12 + 1:02}/older-post-{n}/" for n in range(32)]
    assert windowed(links=tuple(others[:12])) == 20
    assert windowed(links=tuple(others)) == 0


def test_lists_show_whether_there_are_older_posts() -> None:
    assert windowed((f"{H}/archive/", FEED)) == 0
    assert windowed((f"{H}/tag/x/", FEED[:3]), (f"{H}/tag/y/", FEED[3:])) == 0
    older = [f"{H}/2011/0{n}/older-post-{n}/" for n in range(1, 9)]
    assert windowed((f"{H}/page/2/", older)) == 0


@pytest.mark.parametrize(
    ("promised", "linked", "number"), [(40, 40, 0), (40, 20, 40), (20, 20, 20)]
)
def test_sitemap_that_has_all_to_which_posts_lead_is_no_window(
    promised: int, linked: int, number: int
) -> None:
    """A link to a post that is not there any more says nothing of others then."""
    f = trained_frontier()
    posts = [f"{H}/2011/{n % 12 + 1:02}/older-post-{n}/" for n in range(promised)]
    for url in posts:
        f.push(url, "post")
    for n, url in enumerate(posts):
        f.take(url)
        f.push_links(url, [Link(posts[(n + 1) % linked], "A", "p>a")])
        f.done(url, is_post=True)
    assert f.windowed() == number


def test_link_without_its_first_slash_is_no_broken_way() -> None:
    f = trained_frontier()
    f.listing = lambda link: "all"
    wrong = FEED[1].replace(H, f"{H}/2012/11")
    f.push(FEED[0], "post")
    f.push(FEED[1], "post")
    f.push_links(FEED[0], [Link(wrong, "Older", "nav>a")])
    f.take(wrong)
    f.failed(wrong, "HTTP 404")
    assert any(wrong in why for why in f.shows_of_more())
    f.take(FEED[1])
    f.done(FEED[1], is_post=True)
    assert not any(wrong in why for why in f.shows_of_more())


def test_usual_address_of_an_archive_that_no_page_names_is_no_broken_way() -> None:
    """The engine's name alone suggested it."""
    f = trained_frontier()
    f.listing = lambda link: "all"
    archive = f"{H}/blog/archive"
    f.push(archive, "hub")
    f.take(archive)
    f.failed(archive, "HTTP 404")
    assert not any(archive in why for why in f.shows_of_more())


@pytest.mark.parametrize(("folder", "chance"), [("tags", 0.0), ("en", 1.0)])
def test_link_without_its_first_slash_leads_to_no_missing_post(folder: str, chance: float) -> None:
    """In the folder of a language it is another post."""
    f = trained_frontier()
    wrong = FEED[0].replace(H, f"{H}/{folder}")
    for url in (FEED[0], wrong):
        f.push(url)
        f.take(url)
    f.done(FEED[0], is_post=True)
    f.failed(wrong, "HTTP 503")
    assert [page.lacking for page in f.unread()] == [chance]


@pytest.mark.parametrize(("reason", "number"), [("HTTP 503", 1), ("HTTP 404", 0)])
def test_list_of_all_posts_that_failed_is_a_broken_way(reason: str, number: int) -> None:
    f = trained_frontier()
    f.listing = lambda link: "all" if "archive" in link.url else None
    archive = f"{H}/archive.html"
    for url in (*FEED, archive):
        f.push(url)
        f.take(url)
        if url != archive:
            f.done(url, is_post=True)
    f.failed(archive, reason)
    assert len(list(f.broken_lists())) == number
    f.sources_complete = True
    assert not list(f.broken_lists())


def read_folders(f: Frontier, posts_on_each: int) -> None:
    """Read five of fifteen pages to which names lead; the others fail."""
    for number in range(15):
        url = f"{H}/parts/{number:02}.html"
        f.push(url)
        f.take(url)
        if number % 3:
            f.failed(url, "HTTP 403")
            continue
        posts = [f"{H}/2012/0{n}/post-{number}-{n}/" for n in range(1, posts_on_each + 1)]
        f.push_links(url, [Link(post, "a post") for post in posts])
        f.done(url, is_post=False)
        for post in posts:
            f.take(post)
            f.done(post, is_post=True)


@pytest.mark.parametrize(("posts_on_each", "expected"), [(4, 40.0), (0, 0.0)])
def test_pages_are_lists_where_those_like_them_brought_posts(
    posts_on_each: int, expected: float
) -> None:
    """More of them failed than the last that are remembered."""
    f = trained_frontier()
    read_folders(f, posts_on_each)
    left = f.unread()
    assert len(left) == 10
    assert sum(page.new_posts for page in left) == pytest.approx(expected, rel=0.2)


def test_first_list_is_not_quiet_where_it_shows_what_feed_and_start_page_show() -> None:
    f = trained_frontier()
    f.push(FEED[0], "post")
    for page, gain in ((H + "/", 1.0), (f"{H}/2012/11/", 1.0), (f"{H}/2012/10/", 0.0)):
        f.push(page, "hub")
        f.take(page)
        f.push_links(page, [Link(FEED[0], "A", "ul>li>a")])
        f.done(page, is_post=False)
        assert f.ledger.tally.quiet == (0 if gain else 1)


def test_view_of_an_archived_post_is_no_rejected_page() -> None:
    f = trained_frontier()
    for url, is_post in ((FEED[0], True), (f"{FEED[0]}comments/", False), (FEED[1], False)):
        f.push(url)
        f.take(url)
        if not is_post:
            f.reject(url, "it is a list of one", 0.1)
        f.done(url, is_post=is_post)
    assert [each.url for each in f.rejected()] == [FEED[1].rstrip("/")]


def test_page_with_the_query_of_the_post_that_led_to_it_is_no_rejected_page() -> None:
    f = trained_frontier()
    post, talk = f"{H}/story.php?id=4", f"{H}/talk.php?id=4"
    f.push(post)
    for url in (post, talk):
        f.take(url)
        f.push_links(url, [Link(talk, "Comments")] if url == post else [])
        if url == talk:
            f.reject(talk, "little text", 0.4, "Comments")
        f.done(url, is_post=url == post)
    assert f.rejected() == []


def test_page_below_a_folder_of_posts_is_a_rejected_page_though_the_folder_is_archived() -> None:
    f = trained_frontier()
    folder, other = FEED[0].rsplit("/", 2)[0] + "/", FEED[0].rsplit("/", 2)[0] + "/another/"
    for url, is_post in ((folder, True), (FEED[0], True), (other, False)):
        f.push(url)
        f.take(url)
        if not is_post:
            f.reject(url, "the rule for published finds nothing", 0.2)
        f.done(url, is_post=is_post)
    assert [each.url for each in f.rejected()] == [other.rstrip("/")]


def test_files_among_the_posts_of_a_list_are_remembered(tmp_path: Path) -> None:
    f = trained_frontier(tmp_path / "frontier.db")
    f.push(H + "/")
    f.take(H + "/")
    posts = [Link(url, "A post", "ul>li>a") for url in FEED[:4]]
    elsewhere = Link(f"{H}/slides.pdf", "Slides", "footer>a")
    f.push_links(H + "/", [*posts, Link(f"{H}/paper.pdf", "A paper", "ul>li>a"), elsewhere])
    f.done(H + "/", is_post=False)
    f.close()
    assert Frontier(tmp_path / "frontier.db").files == {f"{H}/paper.pdf"}
    assert f.leftovers().files == 1


def test_months_whose_posts_are_gone_like_their_lists_are_not_missing() -> None:
    f = trained_frontier()
    f.listing = lambda link: "month" if re.search(r"/20\d\d/\d\d/$", link.url) else None
    f.take(H + "/")
    paths = ("/2012/03/", "/2012/04/", "/2012/04/a-walk/", "/2012/05/the-post/")
    f.push_links(H + "/", [Link(H + path, "March 2012") for path in paths])
    for path in paths[:3]:
        f.take(H + path)
        f.failed(H + path, "HTTP 404")
    assert f.leftovers().missing_months == (f"{H}/2012/03/",)


def test_months_whose_lists_are_gone_are_missing_months() -> None:
    f = trained_frontier()
    f.listing = lambda link: "month" if re.search(r"/20\d\d/\d\d/$", link.url) else None
    f.push(f"{H}/2012/03/", "hub")
    f.push(f"{H}/2012/04/", "hub")
    f.take(f"{H}/2012/03/")
    f.failed(f"{H}/2012/03/", "HTTP 404")
    assert set(f.leftovers().missing_months) == {f"{H}/2012/03/", f"{H}/2012/04/"}


@pytest.mark.parametrize("folder", ["tag", "harbour"])
def test_labels_that_have_shown_all_posts_say_how_many_are_unseen(folder: str) -> None:
    """Half of the months wait: most posts were seen once, on the list of their label."""
    f = trained_frontier()
    f.listing = lambda link: "month" if re.search(r"/20\d\d/\d\d/$", link.url) else None
    posts = {
        month: [f"{H}/2011/{month:02}/a-post-{month}-{n}/" for n in "abcd"]
        for month in range(1, 11)
    }
    labels = [f"{H}/{folder}/label-{at}/" for at in range(4)]
    months = [f"{H}/2011/{month:02}/" for month in posts]
    f.push(H + "/", "hub")

    def read(url: str, links: list[str], *, is_post: bool = False) -> None:
        assert f.take(url)
        f.push_links(url, [Link(link, "x", f"{len(links)}>a") for link in links])
        f.done(url, is_post=is_post)

    read(H + "/", [*posts[10], *labels, *months])
    every = [url for own in posts.values() for url in own]
    for at, label in enumerate(labels):
        read(label, [url for number, url in enumerate(every) if min(number % 7, 3) == at])
    for month in months[::2]:
        read(month, posts[int(month[-3:-1])])
    for url in every:
        read(url, [], is_post=True)
    evidence = f.evidence(0)
    assert unseen_by_recapture(evidence) > 3
    assert not evidence.walked
    assert [(w.alone + w.both, w.others) for w in evidence.divided] == [(40, 0)]
    stop = decide(replace(evidence, best_worth=0.0, hidden=0), Budgets())
    assert stop is not None and stop.reason == "exhausted" and stop.unseen < 1


@pytest.mark.parametrize(
    ("anchor", "cut"), [("Boats and {}", 4), ("Page {}", 0), ("{}", 0), ("", 0)]
)
def test_numbered_labels_with_names_are_no_pages_of_a_list(anchor: str, cut: int) -> None:
    f = trained_frontier()
    names = ("oars", "sails", "ropes", "knots", "tides")
    lists = [f"{H}/taxonomy/term/{number}" for number in range(3, 8)]
    words = [anchor.format(n if anchor[:1] == "B" else at) for at, n in enumerate(names, 3)]
    f.push(H + "/", "hub")
    f.take(H + "/")
    f.push_links(H + "/", [Link(*link) for link in zip(lists, words, strict=True)])
    f.done(H + "/")
    for number, url in enumerate(lists):
        f.take(url)
        own = [f"{H}/2011/0{number + 1}/a-post-{n}/" for n in "abcd"]
        f.push_links(url, [Link(link, "x", "h2>a") for link in own])
        f.done(url)
    assert max(map(f.lists.cut_at, f.lists.kinds)) == cut


def test_start_page_of_a_resumed_run_is_known_once_its_scope_is(tmp_path: Path) -> None:
    first = Frontier(tmp_path / "f.db", scope=Scope(f"{H}/"))
    first.push(f"{H}/", "hub")
    first.take(f"{H}/")
    first.push_links(f"{H}/", [Link(f"{H}/2024/01/walk-no-{n}/") for n in range(6)])
    first.done(f"{H}/", 6.0, False)
    first.close()
    resumed = Frontier(tmp_path / "f.db")
    assert resumed.lists.home is None
    resumed.enter(Scope(f"{H}/"))
    assert resumed.lists.home is not None and len(resumed.lists.home.posts) == 6


@pytest.mark.parametrize(
    ("listed", "gone", "is_lacking"),
    [(FEED, [], False), (FEED[:5], FEED[5:], False), (FEED[:5], [], True)],
    ids=["a list has all", "some are gone", "a list lacks some"],
)
def test_list_that_comes_late_shows_what_it_shows(
    listed: list[str], gone: list[str], *, is_lacking: bool
) -> None:
    """Posts' own links have shown its older posts before: it brings nothing new."""
    f = trained_frontier()
    older = [f"{H}/2011/0{n}/older-post-{n}/" for n in range(1, 9)]
    for url in FEED:
        f.push(url, "post")
    pages = {FEED[0]: older, f"{H}/category/all/": [*listed, *older]}
    for page, shown in pages.items():
        f.push(page)
        f.take(page)
        f.push_links(page, [Link(url, "A", "ul>li>a") for url in shown])
        f.done(page, is_post=page in FEED)
    for url in [*FEED[1:], *older]:
        f.take(url)
        if url in gone:
            f.failed(url, "HTTP 404")
        else:
            f.done(url, is_post=True)
    assert bool(f.unlisted()) is is_lacking


def test_posts_that_texts_mention_are_counted_by_whether_lists_show_them() -> None:
    f = trained_frontier()
    older = [f"{H}/2011/0{n}/older-post-{n}/" for n in range(1, 5)]
    for url in FEED:
        f.push(url, "post")
    for at, url in enumerate(FEED):
        f.take(url)
        mentioned = [older[at]] if at < len(older) else [FEED[0]] * (at == 5)
        f.push_links(url, [Link(other, "as I said", "p>a") for other in mentioned])
        f.done(url, is_post=True)
    for url in older:
        f.take(url)
        f.done(url, is_post=True)
    found = f.cited()
    assert found is not None and (found.alone, found.both) == (4, 1)
    assert found.others == len(FEED) - 1
