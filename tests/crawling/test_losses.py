"""What a crawl leaves, as evidence of completeness."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path

import pytest

from blogcrawl.core.records import Blog
from blogcrawl.crawling.losses import (
    begins_early,
    begins_late,
    cut_map,
    cut_months,
    frontier_losses,
    incomplete_months,
    is_counted_out,
    list_loss,
    month_loss,
    number_in,
    uncounted,
)
from blogcrawl.crawling.report import End, Missing
from blogcrawl.dates.edtf import YEAR, approximately
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.dom.links import Link
from blogcrawl.frontier.completeness import Known, completeness
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.list_lengths import is_usual_cut
from blogcrawl.frontier.overview import Leftovers
from blogcrawl.frontier.unread import PostChance
from blogcrawl.urls.post_pattern import PostPattern
from tests.crawling.blog import entries, page, put, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Server

HOME = "http://b.example/"
TODAY = date(2019, 8, 3)


def test_unrequested_pages_count_by_their_post_probability() -> None:
    left = Leftovers(
        pending_count=120,
        pending_chances=((0.1, 100.0), (0.5, 20.0)),
        chance=PostChance((), PostPattern()),
    )
    _, waiting, unseen = frontier_losses(End(reason="exhausted", unseen=2.0), left)
    assert waiting.pages == 120 and waiting.posts == pytest.approx(20)
    assert waiting.variance == pytest.approx(100 * 0.09 + 20 * 0.25)
    assert unseen.posts == 2.0


def test_each_pending_page_is_counted_once() -> None:
    frontier = Frontier()
    frontier.learn_pattern([f"{HOME}2020/01/post-{n}" for n in range(5)])
    for number in range(200):
        frontier.push(f"{HOME}shop/article-{number}")
    left = frontier.leftovers()
    frontier.close()
    assert left.pending_count == 200
    assert sum(pages for _, pages in left.pending_chances) == pytest.approx(200)
    assert all(0 <= chance < 0.5 for chance, _ in left.pending_chances)


def test_pages_absent_from_complete_sources_hardly_count() -> None:
    """A link to the source text of each post (Nikola): a shape of its own each, never read."""
    frontier = Frontier()
    posts = [f"{HOME}posts/kettle-{n}/" for n in range(40)]
    frontier.learn_pattern(posts[:5])
    for post in posts:
        frontier.push(post, "post")
        frontier.take(post)
        sources = [Link(f"{post}index.md"), *map(Link, posts)]
        frontier.push_links(post, sources)
        frontier.done(post, 0.0, True)

    def expected() -> float:
        return sum(chance * pages for chance, pages in frontier.leftovers().pending_chances)

    before = expected()
    frontier.sources_complete = True
    after = expected()
    frontier.close()
    assert after < 0.05 * before


def test_unread_sitemaps_lose_no_known_post_where_other_ways_have_shown_all() -> None:
    """A mirror without the parts of its sitemap: a closed chain of posts has shown all."""
    parts = [
        Missing(
            url=f"{HOME}sitemap-{n}.xml",
            reason="not asked for",
            document="sitemap",
            new_posts=0.02,
        )
        for n in range(32)
    ]

    def status(*, proved: bool) -> str:
        loss = list_loss(parts, 0.64, proved=proved)
        return completeness(Known(archived=95, listed=95, losses=[loss])).status

    assert status(proved=True) == "complete" and status(proved=False) == "incomplete"


def test_posts_that_months_count_and_the_archive_lacks() -> None:
    published = [datetime(2019, month, day, tzinfo=UTC) for month in (5, 6) for day in (10, 20, 30)]
    assert uncounted({"2019-05": 5, "2019-06": 4}, published) == 3
    assert uncounted({"2019-05": 2, "2019-06": 4}, published) == 0, "a post is of the next month"
    assert uncounted({"2019-06": 4}, published) == 1
    assert uncounted({"2019-06": 4}, [*published, None]) == 0, "a post without a day explains it"
    assert uncounted({}, published) == 0
    assert uncounted({"2019": 9}, published) == 9 - len(published)
    years_ago = approximately(datetime(2019, 1, 1, tzinfo=YEAR))
    assert uncounted({"2019-06": 4}, [*published, years_ago]) == 0, "its month is not known"


def test_blog_that_states_as_many_posts_as_are_archived_has_no_unseen_ones() -> None:
    published = [datetime(2019, month, day, tzinfo=UTC) for month in (5, 6) for day in (10, 20)]
    assert is_counted_out({"2019-05": 2, "2019-06": 2}, published)
    assert not is_counted_out({"2019-06": 2}, published), "the newest month is all that is stated"
    assert not is_counted_out({"2019-05": 2, "2019-06": 3}, published)
    assert not is_counted_out({}, published) and not is_counted_out({}, [])
    left = Leftovers(chance=PostChance((), PostPattern()))
    end = End(reason="exhausted", unseen=9.6)
    assert [loss.posts for loss in frontier_losses(end, left, counted_out=True)] == [0, 0, 0]


def test_lists_of_incomplete_months() -> None:
    published = [datetime(2019, month, day, tzinfo=UTC) for month in (5, 6) for day in (10, 20)]
    lists = [f"{HOME}2019/{month:02}/" for month in (4, 5, 6)]
    assert incomplete_months(lists, {}, published, TODAY) == lists[:1], (
        "no post of April is archived"
    )
    assert incomplete_months(
        lists, {"2019-04": 2, "2019-05": 2, "2019-06": 9}, published, TODAY
    ) == [
        lists[2],
        lists[0],
    ]
    assert incomplete_months(lists[:1], {}, [datetime(2019, 3, 31, 23, tzinfo=UTC)], TODAY) == []
    later = [f"{HOME}2019/{month:02}/" for month in (9, 10)]
    assert incomplete_months(later, {}, published, TODAY) == later[:1], "no month is to come"
    assert month_loss(later[1:], published, TODAY).posts == 0


def test_lists_of_months_in_queries_may_be_incomplete() -> None:
    lists = [f"{HOME}list?month=2019-0{month}&type=Month" for month in (1, 2, 3)]
    held = [datetime(2019, 1, 31, 11, 46, tzinfo=UTC), datetime(2019, 3, 15, tzinfo=UTC)]
    assert incomplete_months(lists, {}, held, TODAY) == [lists[1]]


def test_posts_without_a_day_are_taken_for_those_of_months_after_some_lists() -> None:
    """Photographs without a day hid a month of which no post was found."""
    published = [datetime(2019, month, day, tzinfo=UTC) for month in (4, 6) for day in (10, 20)]
    undated = [*published, *[None] * 12]
    lists = [f"{HOME}2018/{month:02}/" for month in (1, 2, 3, 4, 6)] + [f"{HOME}2019/05/"]
    assert incomplete_months(lists, {}, undated, TODAY)[0] == lists[-1], (
        "a month between two with posts has some rather than another"
    )
    read = lists[:4]
    assert incomplete_months(lists[4:], {}, undated, TODAY, read[:3])
    assert incomplete_months(lists[4:], {}, undated, TODAY, read) == []
    assert incomplete_months(lists[4:], {}, undated, TODAY, [f"{HOME}2019/04/"] * 4), (
        "lists of months with posts say nothing of those without a day"
    )
    assert incomplete_months(lists[4:], {}, published, TODAY, read) == lists[:3:-1], (
        "nothing else explains what is lacking"
    )
    assert incomplete_months(lists[4:], {"2019-05": 20}, undated, TODAY, read), "more than these"


def test_stated_months_give_lost_posts_away(tmp_path: Path) -> None:
    """Lists of months end after two posts, and nothing leads to the others."""
    (site := tmp_path / "site").mkdir()
    posts, links = entries(30), ""
    write_blog(site, posts, per_page=30)
    for month, some in groupby(posts, key=lambda entry: f"{entry.date:%Y/%m}"):
        months_posts = list(some)
        links += f'<li><a href="/{month}/">{month}</a> ({len(months_posts)})</li>'
        shown = "".join(f'<li><a href="{e.path}">{e.title}</a></li>' for e in months_posts[:2])
        put(site, f"/{month}/", page(month, f"<ul>{shown}</ul>"))
    put(site, "/", page("Notes", f"<h1>Notes</h1><ul>{links}</ul>"))
    with Server(site) as server:
        row = crawl(server.url, tmp_path / "archive")
    archived = len(rows(tmp_path / "archive"))
    found = row.report["completeness"]
    assert archived < 28 and abs(found["share"] - archived / 30) < 0.02
    assert found["status"] == "incomplete"
    assert "the blog itself counts 30 posts (" in " ".join(found["reasons"])


def test_months_with_a_list_but_no_post_count_as_lost() -> None:
    """The chain of posts ended early, and the side bar's list of months was not needed."""
    published = [datetime(2019, month, day, tzinfo=UTC) for month in (5, 6) for day in (10, 20, 30)]
    lists = [f"{HOME}2019/{month:02}/" for month in range(1, 7)]
    lost = month_loss(lists, published, TODAY)
    assert lost.is_known and lost.pages == 4 and lost.posts == 12
    assert lost.text.format(lost.pages) == "4 months have a list and no post in the archive"
    assert month_loss(lists[4:], published, TODAY).posts == 0
    assert (
        month_loss([f"{HOME}2019/07/"], [datetime(2019, 6, 30, 22, tzinfo=UTC)], TODAY).posts == 0
    )
    assert month_loss(lists, [*published, *[None] * 20], TODAY).posts == 0, (
        "posts without a day explain it"
    )


def test_blogs_that_end_where_feeds_are_cut_off() -> None:
    assert all(map(is_usual_cut, (5, 10, 15, 20, 25, 50, 100)))
    assert not any(map(is_usual_cut, (0, 1, 7, 11, 23, 35, 125)))


def test_labels_that_lack_some_of_the_newest_posts_lack_older_ones_too(tmp_path: Path) -> None:
    """Labels are all that leads to posts, and a fifth has none."""
    (site := tmp_path / "site").mkdir()
    posts, links = entries(40), ""
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"), feed=12, per_page=40)
        for name, rests in (("bread", (0, 1)), ("rain", (2,)), ("rivers", (3,))):
            some = [e for e in reversed(posts) if e.number % 5 in rests]
            shown = "".join(f'<li><a href="{e.path}">{e.title}</a></li>' for e in some)
            put(site, f"/tag/{name}/", page(name, f"<h1>{name}</h1><ul>{shown}</ul>"))
            links += f'<li><a href="/tag/{name}/">{name}</a></li>'
        put(site, "/tag/kettle/", page("kettle", "<h1>kettle</h1>"))
        put(site, "/", page("Notes", f"<h1>Notes</h1><p>All that I wrote.</p><ul>{links}</ul>"))
        row = crawl(server.url, tmp_path / "archive")
    assert len(rows(tmp_path / "archive")) == 35
    found = row.report["completeness"]
    assert found["status"] == "incomplete" and abs(found["share"] - 35 / 40) < 0.03


def days(*spans: tuple[int, int, int, int]) -> list[datetime | None]:
    """Days of posts in 2014: of a month, from a day on, so many, with a step of days."""
    return [
        datetime(2014, month, first + step * n, 9, tzinfo=UTC)
        for month, first, count, step in spans
        for n in range(count)
    ]


def test_months_whose_lists_end_amid_the_month_lack_their_first_part() -> None:
    cut = days((3, 15, 7, 2), (4, 16, 7, 2), (5, 17, 7, 2), (6, 1, 4, 2))
    loss = cut_months(cut, 4)
    assert loss.pages == 3 and loss.posts == pytest.approx(21, abs=3) and loss.is_known
    assert not cut_months(cut, 0).posts, "no list of a month was read"


@pytest.mark.parametrize(
    "months",
    [
        [(month, 3, 4, 7) for month in range(1, 9)],
        [(month, 20, 1, 1) for month in range(1, 9)],
        [(1, 20, 5, 2), (2, 5, 3, 2), (3, 9, 2, 2), (4, 2, 4, 2)],
        [],
    ],
    ids=["weekly", "monthly", "of many lengths", "none"],
)
def test_months_of_even_writers_lack_nothing(months: list[tuple[int, int, int, int]]) -> None:
    assert not cut_months(days(*months), 8).posts


@pytest.mark.parametrize(
    ("first", "step", "count", "late"),
    [(172, 6, 20, True), (4, 6, 20, False), (238, 12, 87, False), (2500, 1, 40, False),
     (172, 6, 4, False)],
)  # fmt: skip
def test_numbers_say_whether_older_posts_are_lacking(
    first: int, step: int, count: int, *, late: bool
) -> None:
    numbers = [(float(n), first + step * n) for n in range(count)]
    assert begins_late(numbers, count) is late
    assert not begins_late(numbers, 2 * count), "most posts have none"
    assert not begins_late([(-moment, number) for moment, number in numbers], count)


@pytest.mark.parametrize(
    ("first", "step", "count", "late"),
    [(481, 1, 20, True), (12, 1, 40, True), (4, 1, 40, False), (481, 6, 20, False)],
    ids=["the newest", "most", "nearly all", "other things are counted too"],
)
def test_numbers_in_addresses_say_whether_older_posts_are_lacking(
    first: int, step: int, count: int, *, late: bool
) -> None:
    numbers = [(float(n), first + step * n) for n in range(count)]
    assert begins_late(numbers, count, in_address=True) is late


@pytest.mark.parametrize(
    ("first", "step", "early"), [(1, 1, True), (14, 6, True), (14, 1, False), (172, 6, False)]
)
def test_numbers_say_whether_a_blog_begins_with_its_oldest_post(
    first: int, step: int, *, early: bool
) -> None:
    numbers = [(float(n), first + step * n) for n in range(20)]
    assert begins_early(numbers, 20) is early
    assert not begins_early(numbers, 40), "most posts have none"


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/node/481", 481), ("/archives/000481.html", 481), ("/entry.php?id=481", 481),
        ("/articles/481/a-walk", 481), ("/?p=481", 481), ("/2012/03/a-walk/", None),
        ("/diary/200412.html", None), ("/a-walk-of-12-miles/", None), ("/3/481/", None),
    ],
)  # fmt: skip
def test_number_that_an_address_gives_a_post(path: str, number: int | None) -> None:
    assert number_in(f"http://127.0.0.1{path}") == number


@pytest.mark.parametrize(
    ("sizes", "cut"),
    [((500,), 500), ((1000, 1000), 1000), ((500, 211), 0), ((487,), 0), ((40,), 0), ((), 0)],
)
def test_sitemap_may_be_cut_at_a_round_number(sizes: tuple[int, ...], cut: int) -> None:
    maps = {f"http://blog.example/map{n}.xml": size for n, size in enumerate(sizes)}
    pages = {"http://blog.example/pages.xml": 3}
    knowledge = SiteKnowledge(
        blog=Blog(url="http://blog.example/"),
        sitemap_sizes={**maps, **pages},
        sitemap_posts={**maps, "http://blog.example/pages.xml": 0},
    )
    assert cut_map(knowledge) == cut
