"""Choice of training pages without a feed."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from blogcrawl.core.costs import MANY_TAGS, Account
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, FeedEntry
from blogcrawl.crawling import learning
from blogcrawl.crawling.learning import (
    ENOUGH,
    MAX_TRAINING_BYTES,
    TrainingPage,
    guessed_training_entries,
    learn,
    learn_within,
    more_training_entries,
    parts_within,
    posts_and_lists,
    section_page,
    sorted_within,
    with_dated_parts,
    without_largest,
    without_notices,
)
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.extraction.model import BlogModel
from blogcrawl.extraction.pages.duplicate_response import Echoes
from blogcrawl.urls.canonical import Scope, canonicalize
from blogcrawl.urls.page_kinds import BARRIERS

BASE = "http://blog.test"
NAV = "".join(
    f"<li><a href=/category/{name}.html>{name}</a></li>"
    for name in ("garden", "river", "bread", "winter")
)
TEXT = (
    "<p>The river came over the wall in the night, and in the morning there was a boat in the "
    "garden.</p>"
) * 3


def page(path: str, title: str, main: str) -> Page:
    menu = f"<ul class=nav>{NAV}<li><a href=/about.html>About</a></li></ul>"
    html = f"<html><head><title>{title}</title></head><body>{menu}{main}</body></html>"
    return Page(
        url=BASE + path, body=html.encode(), headers={"content-type": "text/html; charset=utf-8"}
    )


def teaser(n: int) -> str:
    return (
        f"<div class=entry><h2><a href=/notes/boat-{n}.html>A boat, part {n}</a></h2><p>The "
        f"river came over the wall.</p></div>"
    )


def training_page(page: Page) -> TrainingPage:
    return TrainingPage(
        key=canonicalize(page.url), page=page, entry=FeedEntry(url=page.url, source="guess")
    )


HOME = page("/", "Notes", "".join(map(teaser, range(6))))
KNOWLEDGE = SiteKnowledge(blog=Blog(url=BASE + "/"))


def of_size(number: int, size: int) -> TrainingPage:
    return training_page(page(f"/notes/{number}.html", "A boat", "x" * size))


def test_of_sections_with_as_many_posts_the_first_linked_is_read_for_its_feed() -> None:
    names = ["culture", "society", "politics", "opinions", "science", "food", "sports", "travel"]
    links = "".join(f"<a href=/{name}>{name}</a> " for name in names)
    pages = [page(f"/{name}/{n}.html", "A boat", links) for name in names for n in range(4)]
    entries = section_page([*map(training_page, pages)], Scope(BASE + "/"))
    assert [entry.url for entry in entries] == [f"{BASE}/culture"]


def test_the_largest_training_pages_are_left_out_where_memory_ends() -> None:
    usual = [of_size(n, 50_000) for n in range(12)]
    large = [of_size(20 + n, MAX_TRAINING_BYTES // 4) for n in range(5)]
    assert without_largest(usual) == usual
    mixed = [*large[:2], *usual, *large[2:]]
    assert without_largest(mixed) == [*large[:2], *usual]
    huge = [of_size(40 + n, MAX_TRAINING_BYTES) for n in range(ENOUGH + 3)]
    assert len(without_largest(huge)) == ENOUGH


def test_learning_keeps_nothing_of_pages_that_it_does_not_use() -> None:
    pages = [
        *(training_page(page(f"/notes/boat-{n}.html", f"Boat {n}", TEXT)) for n in range(6)),
        *(of_size(n, MAX_TRAINING_BYTES // 2) for n in range(6)),
    ]
    for each in pages:
        assert each.page.tree is not None
    learn(pages, KNOWLEDGE, None)
    assert sum("tree" in each.page.__dict__ for each in pages) <= 8


def test_headings_of_the_home_page_come_before_its_menu() -> None:
    urls = [entry.url for entry in guessed_training_entries(KNOWLEDGE, HOME, Scope(BASE + "/"), 7)]
    assert urls[:6] == [f"{BASE}/notes/boat-{n}.html" for n in range(6)]


def test_months_are_read_last() -> None:
    months = "".join(f"<a href=/log/log-of-a-may-{n}.htm>May {2001 + n}</a><br>" for n in range(9))
    links = "".join(f"<p>Words of it. [<a href=/log/{n}.htm>Link {n}</a>]</p>" for n in range(4))
    home = page("/", "Notes", months + links)
    urls = [entry.url for entry in guessed_training_entries(KNOWLEDGE, home, Scope(BASE + "/"), 8)]
    assert not any("may" in url for url in urls)


def test_what_lists_link_to_is_read_where_the_guesses_were_lists() -> None:
    lists = [
        training_page(page(f"/category/{name}.html", name, "".join(map(teaser, range(4)))))
        for name in ("garden", "river")
    ]
    urls = [entry.url for entry in more_training_entries(lists, HOME, Scope(BASE + "/"))]
    assert urls[:4] == [f"{BASE}/notes/boat-{n}.html" for n in range(4)]
    posts = [
        training_page(
            page(f"/notes/boat-{n}.html", f"A boat, part {n}", f"<h1>A boat, part {n}</h1>{TEXT}")
        )
        for n in range(6)
    ]
    assert more_training_entries(posts, HOME, Scope(BASE + "/")) == []


def test_lists_among_the_guesses_teach_nothing() -> None:
    posts = [
        page(
            f"/notes/boat-{n}.html",
            f"A boat, part {n}",
            f"<h1>A boat, part {n}</h1><div id=c>{TEXT.replace('boat', f'boat {n}')}</div>",
        )
        for n in range(5)
    ]
    lists = [
        page(f"/category/{n}.html", f"{n}", "".join(map(teaser, range(n, n + 5)))) for n in range(5)
    ]
    model = learn([training_page(p) for p in (*lists, *posts)], KNOWLEDGE, HOME)
    assert model.is_post_url(f"{BASE}/notes/boat-77.html")
    assert not model.is_post_url(f"{BASE}/category/winter.html")


def test_post_above_a_row_of_its_neighbour_is_no_list() -> None:
    """Two rows, each with a day and a page of its own: the post with its category, and what to read
    next."""
    rows = "<div class=row><div><h1>A boat {n}</h1><p>May {n}, 2004</p>{text}{label}</div></div>"
    next_one = (
        "<div class=row><div><p>Read on</p><p>May 3, 2004</p>"
        f"<a href=/notes/boat-next-{{n}}.html>The next boat</a>{TEXT}</div></div>"
    )
    label = "<a href=/category/river.html>River</a>"
    pages = [
        training_page(
            page(
                f"/notes/boat-{n}.html",
                f"A boat {n}",
                (rows + next_one).format(n=n, text=TEXT, label=label),
            )
        )
        for n in range(1, 5)
    ]
    assert posts_and_lists(pages, HOME) == (pages, [])


def test_start_page_at_a_second_address_is_no_post() -> None:
    """It has but one, which the start page shows as a page of its own would."""
    home = page("/", "Notes", f"<h1>Notes</h1><h3>The boat</h3>{TEXT}")
    again = training_page(replace(home, url=f"{BASE}/z/7f3e"))
    posts = [
        training_page(
            page(f"/z/{n}a", f"Boat {n}", f"<h1><a href=/z/7f3e>Notes</a></h1><h3>{n}</h3>{TEXT}")
        )
        for n in range(4)
    ]
    assert posts_and_lists([again, *posts], home) == (posts, [again])


def test_wares_beside_dated_posts_teach_nothing() -> None:
    posts = [
        page(
            f"/journal/boat-{n}.html",
            f"A boat, part {n}",
            f"<h1>A boat, part {n}</h1><time datetime=2020-03-0{n}>{n}/3</time>{TEXT}",
        )
        for n in range(1, 5)
    ]
    wares = [
        page(
            f"/shop/vase-{n}.html",
            f"Vase {n}",
            f"<h1>Vase {n}</h1><b>20 EUR</b>{TEXT.replace('boat', 'vase')}",
        )
        for n in range(7)
    ]
    model = learn([training_page(p) for p in (*wares, *posts)], KNOWLEDGE, HOME)
    assert model.is_post_url(f"{BASE}/journal/boat-77.html")
    assert not model.is_post_url(f"{BASE}/shop/vase-77.html")


def test_posts_without_any_date_teach() -> None:
    texts = [TEXT.replace("wall", str(n)) for n in range(6)]
    posts = [
        page(f"/notes/boat-{n}.html", f"A boat, part {n}", f"<h1>A boat, part {n}</h1>{text}")
        for n, text in enumerate(texts)
    ]
    model = learn([training_page(p) for p in posts], KNOWLEDGE, HOME)
    assert model.is_post_url(f"{BASE}/notes/boat-77.html")


def test_more_is_read_where_only_wares_were() -> None:
    post = f"<h1>A boat</h1><time datetime=2020-03-01>1/3</time>{TEXT}"
    lists = [
        page(
            "/shop/index.html",
            "Shop",
            "".join(
                f"<div><h2><a href=/shop/vase-{n}.html>Vase {n}</a></h2></div>" for n in range(12)
            ),
        )
    ]
    lists.append(page("/notes/index.html", "Notes", "".join(map(teaser, range(4)))))
    known = [
        training_page(p)
        for p in (
            *lists,
            *(page(f"/notes/boat-{n}.html", f"A boat, part {n}", post) for n in (7, 8, 9)),
        )
    ]
    urls = [entry.url for entry in more_training_entries(known, HOME, Scope(BASE + "/"))]
    assert urls[:4] == [f"{BASE}/notes/boat-{n}.html" for n in range(4)]


def test_a_post_of_one_line_teaches_what_addresses_posts_have() -> None:
    home = page(
        "/",
        "Notes",
        "<ul class=all>"
        + "".join(f"<li><a href=/boat-and-river-{n}>Boat {n}</a>" for n in range(6))
        + "</ul>",
    )
    long = [
        training_page(
            page(
                f"/boat-and-river-{n}",
                f"Boat {n}",
                f"<article><h1>Boat {n}</h1>{TEXT}{TEXT}</article>",
            )
        )
        for n in range(4)
    ]
    short = [
        training_page(
            page(
                f"/boat-and-river-{n}",
                f"Boat {n}",
                f"<article><h1>Boat {n}</h1><p>It rains.</p></article>",
            )
        )
        for n in (4, 5)
    ]
    posts, others = posts_and_lists([*long, *short], home)
    assert len(posts) == 6 and not others
    assert (
        learn([*long, *short], KNOWLEDGE, home).ruleset.samples == 4
    )  # and nothing of where the text is


def test_a_post_of_one_line_that_only_other_lists_link_to() -> None:
    """Its address says it where the start page shows but some of the posts; a page of a word at
    another address stays what it is.
    """
    home = page("/", "Notes", "<p>Welcome. <a href=/all>All notes</a></p>")
    long = [
        training_page(
            page(
                f"/boat-and-river-{n}",
                f"Boat {n}",
                f"<article><h1>Boat {n}</h1>{TEXT}{TEXT}</article>",
            )
        )
        for n in range(4)
    ]
    short = training_page(
        page("/boats-and-rain-again", "Rain", "<article><h1>Rain</h1><p>It rains.</p></article>")
    )
    about = training_page(page("/me", "Me", "<article><h1>Me</h1><p>It is I.</p></article>"))
    posts, others = posts_and_lists([*long, short, about], home)
    assert short in posts and others == [about]


def test_further_start_pages_and_undated_pages_among_the_guesses() -> None:
    """Short texts without headings make no list of a page; that it links to posts from where the
    start page does, and that it bears no day where posts show theirs in a line of their own, does.
    """

    def item(n: int, text: str) -> str:
        return (
            f"<div class=item><div class=ttl><a href=/show?id={n}>Boat {n}</a></div><div "
            f"class=dt>{1 + n}/03/2008 11:42</div>{text}</div>"
        )

    home = page("/", "Notes", "".join(item(n, TEXT) for n in range(6)) + "<a href=/?p=2>more</a>")
    posts = [
        training_page(
            page(
                f"/show?id={n}",
                f"Boat {n}",
                item(n, f"<p>Boat {n}.</p>{TEXT}").replace("<a href", "<i title"),
            )
        )
        for n in range(9)
    ]
    further = training_page(page("/?p=2", "Notes", "".join(item(n, TEXT) for n in range(6, 12))))
    about = training_page(page("/about", "About", TEXT))
    found, others = posts_and_lists([*posts, further, about], home)
    assert found == posts and others == [further, about]


def test_months_with_one_post_are_no_training_pages() -> None:
    """Their entry's date leads to the post; that of a post to its own page."""

    def post(path: str, n: int) -> TrainingPage:
        date = f"<a href=/boat-{n}/><time datetime=2008-03-0{n + 1}>March {n + 1}, 2008</time></a>"
        return training_page(
            page(path, "Notes", f"<article><h2>Boat {n}</h2>{date}{TEXT}</article>")
        )

    home = page("/", "Notes", "".join(teaser(n) for n in range(6)))
    posts = [post(f"/boat-{n}/", n) for n in range(5)]
    months = [post(f"/notes/?facets=2008-0{n + 1}", n) for n in range(5)]
    assert posts_and_lists([*posts, *months], home) == (posts, months)


def session_of(account: Account) -> Any:
    limits = SimpleNamespace(account=account)
    return SimpleNamespace(services=SimpleNamespace(limits=limits, start_url=BASE))


def within(account: Account, pages: list[TrainingPage]) -> list[str]:
    """Learn within the account; return what was noted."""
    knowledge = SiteKnowledge(blog=Blog(url=BASE + "/"))
    learn_within(session_of(account), pages, knowledge, None)
    return knowledge.notes


@pytest.fixture
def learned_from(monkeypatch: pytest.MonkeyPatch) -> list[list[TrainingPage]]:
    """The batches that are learned from; a page "/notes/0.html" takes for ever."""
    batches = []

    def slow(pages: list[TrainingPage], *_: object) -> BlogModel:
        batches.append(pages)
        while any(one.page.url.endswith("/0.html") for one in pages):
            time.process_time()
        return BlogModel()

    monkeypatch.setattr(learning, "learn", slow)
    return batches


def test_page_that_makes_learning_costly_is_left_out_and_pays_for_it(
    learned_from: list[list[TrainingPage]],
) -> None:
    pages = [of_size(n, 900 if n == 0 else 300) for n in range(3)]
    account = Account(0.2)
    notes = within(account, pages)
    assert learned_from == [pages, pages[1:]]
    assert [pages[0].page.url in note for note in notes] == [True]
    assert notes[0].startswith("too costly")
    assert account.left(pages[0].page) < 0.1
    for one in pages[1:]:
        account.check(one.page)


def test_pages_too_costly_to_read_are_not_learned_from(
    learned_from: list[list[TrainingPage]],
) -> None:
    pages = [of_size(n, 300) for n in range(3)]
    account = Account(0.2)
    account.refuse(pages[0].page.url, "reading it takes too much memory")
    notes = within(account, pages)
    assert learned_from == [pages[1:]]
    assert [pages[0].page.url in note and "too much memory" in note for note in notes] == [True]


def slow_for_the_first(*args: Any) -> tuple[list[TrainingPage], None]:
    pages = args[0]
    while any(one.page.url.endswith("/0.html") for one in pages):
        time.process_time()
    return list(pages), None


@pytest.mark.parametrize("name", ["with_learned_parts", "with_dated_parts"])
def test_page_whose_parts_take_too_long_is_left_out_of_learning_them_and_pays_for_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, name, slow_for_the_first)
    pages = [of_size(n, 900 if n == 0 else 300) for n in range(3)]
    account, knowledge = Account(0.2), SiteKnowledge(blog=Blog(url=BASE + "/"))
    found = parts_within(session_of(account), pages, knowledge, BASE, page("/", "Notes", TEXT))
    assert found == ([*pages[1:], pages[0]], None)
    assert [pages[0].page.url in note for note in knowledge.notes] == [True]
    assert account.left(pages[0].page) < 0.1


def test_page_that_is_too_costly_to_judge_is_neither_post_nor_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "posts_and_lists", slow_for_the_first)
    pages = [of_size(n, 900 if n == 0 else 300) for n in range(3)]
    account, knowledge = Account(0.2), SiteKnowledge(blog=Blog(url=BASE + "/"))
    home = page("/", "Notes", TEXT)
    assert sorted_within(session_of(account), pages, knowledge, home)[0] == pages[1:]


def test_pages_that_look_costly_are_not_learned_from_where_others_suffice() -> None:
    costly = [training_page(page(f"/{n}", "x", "<i></i>" * (MANY_TAGS + n))) for n in range(3)]
    others = [of_size(n, 300) for n in range(3)]
    assert without_largest([costly[0], *others]) == others
    assert without_largest([*costly, *others[:2]]) == [*costly, *others[:2]]


def test_what_is_learned_of_a_page_counts_against_its_limit() -> None:
    account = Account(20.0)
    with account.batch({"https://b.example/1": 3000, "https://b.example/2": 1000}):
        began = time.process_time()
        while time.process_time() - began < 0.04:
            pass
    spent = [20.0 - account.left(Page(url=f"https://b.example/{n}", body=b"")) for n in (1, 2)]
    assert spent[0] == pytest.approx(3 * spent[1]) and sum(spent) > 0.015


def test_page_that_was_read_when_the_time_was_up_is_left_out_though_others_are_larger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches = []

    def slow(pages: list[TrainingPage], *_: object) -> BlogModel:
        batches.append(pages)
        for one in pages:
            while one.page.url.endswith("/0.html"):
                time.process_time()
        return BlogModel()

    monkeypatch.setattr(learning, "learn", slow)
    pages = [of_size(n, 300 if n == 0 else 900) for n in range(5)]
    account = Account(0.2)
    notes = within(account, pages)
    assert batches == [pages, pages[1:]]
    assert [pages[0].page.url in note for note in notes] == [True]
    for one in pages[1:]:
        account.check(one.page)


def test_page_without_which_learning_is_but_enough_is_not_lost_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where all pages have hundreds of comments, none of them is to blame."""

    def dear(pages: list[TrainingPage], *_: object) -> BlogModel:
        began = time.process_time()
        while time.process_time() - began < (2.0 if len(pages) == len(all_pages) else 0.4):
            pass
        return BlogModel()

    monkeypatch.setattr(learning, "learn", dear)
    monkeypatch.setattr("blogcrawl.core.costs.is_busy", lambda: False)
    all_pages = [of_size(n, 300) for n in range(4)]
    account = Account(0.5)
    notes = within(account, all_pages)
    assert len(notes) == 1
    assert min(account.left(one.page) for one in all_pages) > 0.2


def test_lists_of_dead_posts_teach_nothing() -> None:
    """Each month has a post or two, and none of these is there."""
    item = "<li>June {n}, 2004 <a href=/archives/{n}.html>A boat, part {n}</a></li>"
    months = [
        page(f"/2004/{n:02}/", f"Archive of 2004/{n}", f"<ul>{item.format(n=n)}</ul>")
        for n in range(1, 7)
    ]
    about = page("/about/", "About", f"<h1>About</h1>{TEXT}")
    pages = list(map(training_page, (*months, about)))
    assert posts_and_lists(pages, HOME) == ([], pages)
    assert not learn(pages, KNOWLEDGE, HOME).ruleset.rules


def test_days_of_a_few_posts_cut_no_blog_whose_pages_have_one_post_each() -> None:
    """A calendar of events: two posts have the days of several."""
    days = "".join(f"<p>{n}.12.2007</p><p>{TEXT}</p>" for n in (7, 8))
    later = "".join(f"<p>{n}.12.2007</p><p>{TEXT}</p>" for n in (21, 22))
    several = [page("/events/", "Events", days), page("/more/", "More events", later)]
    single = [
        page(f"/2007/{n}/", "A walk", f"<p class=date>{n}.11.2007</p><p>{TEXT}</p>")
        for n in range(1, 9)
    ]
    home = page("/", "Notes", TEXT)
    of_diary = with_dated_parts(list(map(training_page, several)), home)[1]
    of_blog = with_dated_parts(list(map(training_page, [*several, *single])), home)[1]
    assert of_diary is not None and of_blog is None


def test_short_pages_without_the_title_that_most_posts_show_teach_nothing() -> None:
    posts = [promised(f"/notes/{n}.html", f"A boat, part {n}", TEXT) for n in range(4)]
    errors = [promised(f"/notes/{n}.html", "Error", "Try later.", f"No. {n}") for n in (4, 5)]
    session: Any = SimpleNamespace(echoes=Echoes())
    missed: dict[str, str] = {}
    assert without_notices(session, posts + errors, missed) == posts
    assert missed == dict.fromkeys((each.key for each in errors), BARRIERS["notice"])
    assert without_notices(session, errors, {}) == errors, "a blog whose pages show no titles"


def promised(path: str, shown: str, main: str, title: str | None = None) -> TrainingPage:
    """Return a page that is called ``shown``, whose entry may have another title."""
    own = page(path, shown, f"<h1>{shown}</h1>{main}")
    entry = FeedEntry(url=own.url, title=title or shown, source="feed")
    return TrainingPage(key=canonicalize(own.url), page=own, entry=entry)
