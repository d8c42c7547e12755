"""What a cluster's own pages say of its next ones."""

from __future__ import annotations

import pytest

from blogcrawl.dom.links import Link
from blogcrawl.frontier.clusters import Choice, Chooser, Cluster, is_taxonomy
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.knn import YieldEstimator
from blogcrawl.frontier.stop import WORTH
from blogcrawl.frontier.store import Row
from blogcrawl.urls.canonical import Scope

H = "https://b.example"


def cluster(*pages: tuple[bool, float | None], pending: int = 10, chance: float = 0.3) -> Cluster:
    found = Cluster(1, "b.example|/ru/*|", pending=pending)
    row = Row(7, H + "/ru/a", 1, 1, 2, 0, 0, 0.0, None, "", None)
    for key, (is_post, probability) in enumerate(pages):
        found.learn(key, 0.0, is_post, probability)
    found.choices = [Choice(row, 1.0, found.chance(chance))]
    return found


def test_unread_cluster_is_rated_by_its_urls() -> None:
    assert cluster().chance(0.3) == pytest.approx(0.3)
    assert cluster().hides_posts


def test_one_post_in_a_cluster_raises_the_others() -> None:
    found = cluster((True, None))
    assert found.chance(0.1) > 0.6 and not found.hides_posts, "they wait as likely posts"
    assert found.chance(0.001) < 0.1, "an address like /about is not outvoted"


def test_larger_clusters_are_sampled_more_before_given_up() -> None:
    none = (False, None)
    assert not cluster(none, pending=5).hides_posts and cluster(none, pending=10).hides_posts
    assert not cluster(none, none, pending=50).hides_posts
    assert cluster(none, none, pending=100).hides_posts


@pytest.mark.parametrize(("chance", "is_read"), [(0.2, True), (0.04, False)])
def test_single_page_is_read_if_it_may_well_be_a_post(chance: float, is_read: bool) -> None:
    assert cluster(pending=1, chance=chance).hides_posts is is_read


def test_uncertain_page_has_little_weight() -> None:
    sure, unsure = cluster((False, 0.01)), cluster((False, 0.4))
    assert sure.chance(0.3) < 0.06 and unsure.chance(0.3) > 0.2


def test_dead_links_do_not_condemn_living_ones_of_their_shape() -> None:
    found = cluster(pending=13, chance=0.9)
    for _ in range(8):
        found.learn(0, 0.0, None)
        found.fail(is_absent=True)
    found.choices[0].chance = found.chance(0.9)
    assert 0.1 < found.choices[0].chance < 0.3, "others are dead too, perhaps"
    assert found.hides_posts, "they are not believed to be without asking"
    for _ in range(20):
        found.learn(0, 0.0, True)
    assert found.chance(0.9) > 0.7


def test_failures_that_may_pass_say_nothing_of_others() -> None:
    found = cluster(chance=0.9)
    found.learn(0, 0.0, None)
    found.fail(is_absent=False)
    assert found.chance(0.9) == pytest.approx(0.9)


def posts_of_another_section(frontier: Frontier, *, are_posts: bool) -> tuple[int, int]:
    """Crawl a blog whose chain of posts is closed and whose list shows a further section; return
    how many of its pages were read and how many requests were made.
    """
    known = [f"{H}/2024/a-note-of-day-{n}/" for n in range(30)]
    others = {f"{H}/ru/essay/zametka-{n}-iz-goroda/" for n in range(20)}
    frontier.learn_pattern(known)
    for url in known:
        frontier.push(url, "post")
    frontier.push(H + "/", "hub")
    asked: list[str] = []
    while frontier.stop_decision(0) is None:
        page = frontier.pop(0)
        assert page is not None
        asked.append(page.url)
        if page.url == H + "/":
            frontier.push_links(page.url, [Link(url, "", "ul>li>a") for url in (*known, *others)])
        if page.url in known:
            at = known.index(page.url)
            frontier.push_links(page.url, [Link(url) for url in known[max(0, at - 1) : at + 2]])
        frontier.done(page.url, is_post=page.url in known or (page.url in others and are_posts))
    return len(others.intersection(asked)), len(asked)


def test_posts_with_unfamiliar_urls_are_found() -> None:
    assert posts_of_another_section(Frontier(scope=Scope(H + "/")), are_posts=True) == (20, 51)


def test_clusters_without_posts_cost_few_requests() -> None:
    read, _ = posts_of_another_section(Frontier(scope=Scope(H + "/")), are_posts=False)
    assert 1 <= read <= 3


def test_next_pager_page_is_first_among_equals() -> None:
    frontier = Frontier(scope=Scope(H + "/"))
    frontier.listing = lambda link: "next" if "/page/" in link.url else None
    frontier.push(H + "/", "hub")
    frontier.pop(0)
    frontier.push_links(H + "/", [Link(f"{H}/page/{n}/", str(n), "nav>a") for n in (2, 3, 9)])
    frontier.done(H + "/", is_post=False)
    page = frontier.pop(0)
    assert page is not None and page.url == H + "/page/2/"


def test_numbered_pages_of_an_archive_folder_may_be_posts() -> None:
    assert not is_taxonomy(Cluster(1, "b.example|/archives/#.html|"))
    assert is_taxonomy(Cluster(1, "b.example|/tags/*|"))


def worth_of_next(name: str, gains: list[float]) -> float:
    """Return the new posts expected of the next page of a cluster whose pages brought ``gains``."""
    found = Cluster(1, name, pending=50)
    for key, gain in enumerate(gains):
        found.learn(key, gain, False)
    row = Row(99, f"{H}/tags/next/", 1, 1, 2, 0, 0, 0.0, None, "", None)
    chooser = Chooser(
        lambda: YieldEstimator(10),
        lambda cluster, first, last: [row],
        lambda url, path: 0.0,
        lambda path: "",
        lambda: 40,
    )
    chooser.refresh(found)
    return found.choices[0].worth


def test_each_list_of_a_label_that_brought_nothing_counts() -> None:
    labels, pages = "b.example|/tags/*|", "b.example|/page/#|hub"
    assert worth_of_next(labels, [24.0, *40 * [0.0]]) < WORTH, "the next label is like any other"
    assert worth_of_next(labels, [24.0, *4 * [0.0]]) > 1
    assert worth_of_next(pages, 40 * [0.0]) > 2 * WORTH, "older pages may show what newer don't"
    found = Cluster(1, labels)
    for key in range(12):
        found.learn(key, 0.0, False)
    found.correct(9, 1.0)
    assert found.dry == 2
