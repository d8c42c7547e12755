"""The estimator learns which links lead to posts, forgets fairly, and answers quickly."""

from __future__ import annotations

import random
import time
from functools import partial

import numpy as np
import pytest

from blogcrawl.frontier.knn import MAX_BUCKETS, Example, YieldEstimator, _top, features

H = "http://example.org"
WORDS = "alpha beta gamma delta rust python garden cake river".split()


def test_feature_vectors_are_normalised_and_discriminating() -> None:
    a, b, c = features(
        [
            Example(f"{H}/page/2", "older", "div.nav>a"),
            Example("http://other.example/page/17", "older", "div.nav>a"),
            Example(f"{H}/wiki/Main_Page", "Main", "div.menu>a"),
        ]
    )
    assert np.allclose(np.linalg.norm([a, b, c], axis=1), 1, atol=1e-5)
    assert a @ b > 0.9 > 0.5 > a @ c
    assert features([Example("", "", "")]).shape[0] == 1


def test_estimator_learns_which_url_shape_yields_posts() -> None:
    estimator = YieldEstimator()
    assert estimator.ask([Example(f"{H}/page/2")]).new_posts[0] == 0
    for i in range(30):
        estimator.observe(f"{H}/page/{i}", "Older posts", "div.pager>a", 8)
        estimator.observe(f"{H}/wiki/P{i}", f"P{i}", "div.mw>p>a", 0)
    pager, wiki = estimator.ask(
        [
            Example(f"{H}/page/99", "Older posts", "div.pager>a"),
            Example(f"{H}/wiki/Q", "Q", "div.mw>p>a"),
        ]
    ).new_posts
    assert pager > 5
    assert wiki < 0.5


def test_estimator_follows_falling_yields() -> None:
    estimator = YieldEstimator(half_life=20)
    for i in range(40):
        estimator.observe(f"{H}/tag/{i}", "t", "div.cloud>a", 5)
    before = estimator.ask([Example(f"{H}/tag/x", "t", "div.cloud>a")]).new_posts[0]
    for i in range(40, 60):
        estimator.observe(f"{H}/tag/{i}", "t", "div.cloud>a", 0)
    assert estimator.ask([Example(f"{H}/tag/x", "t", "div.cloud>a")]).new_posts[0] < before / 3


def test_corrections_change_the_estimate() -> None:
    estimator = YieldEstimator()
    for i in range(10):
        estimator.observe(f"{H}/shop/{i}", "s", "ul>li>a", 6)
        estimator.correct(f"{H}/shop/{i}", -6)
    assert abs(estimator.ask([Example(f"{H}/shop/77", "s", "ul>li>a")]).new_posts[0]) < 0.5
    estimator.correct("http://never.example/", 1)


def test_memory_keeps_diverse_examples() -> None:
    estimator = YieldEstimator(capacity=200)
    for i in range(20):
        estimator.observe(f"{H}/archive/{2000 + i}", "a", "ul.years>li>a", 10)
    for i in range(3000):
        estimator.observe(f"{H}/wiki/{i}", "w", "div>a", 0)
    assert len(estimator) == 200
    assert estimator.ask([Example(f"{H}/archive/1999", "a", "ul.years>li>a")]).new_posts[0] > 4
    assert len(estimator._buckets) <= 4


def test_buckets_are_bounded_and_old_shapes_survive_a_flood_of_new_ones() -> None:
    estimator = YieldEstimator(capacity=600)
    for i in range(5):
        estimator.observe(f"{H}/archive/{2000 + i}", "a", "ul.years>li>a", 10)
    for i in range(3000):
        estimator.observe(
            f"{H}/{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}x{chr(97 + i // 676)}/w?{i % 7}q=1",
            "w",
            "div>a",
            0,
        )
    assert len(estimator) == 600
    assert len(estimator._buckets) <= MAX_BUCKETS + 1
    assert estimator.ask([Example(f"{H}/archive/1999", "a", "ul.years>li>a")]).new_posts[0] > 4


def trained_estimator(seen: int) -> YieldEstimator:
    """Return an estimator after ``seen`` observations of many shapes; it keeps 5,000."""
    estimator, rng = YieldEstimator(capacity=5000), random.Random(1)
    for number in range(seen):
        estimator.observe(
            some_url(number, rng), rng.choice(WORDS), "div.main>ul.list>li>a", rng.random()
        )
    assert len(estimator) == 5000
    return estimator


def some_url(number: int, rng: random.Random) -> str:
    return (
        f"{H}/{rng.choice(WORDS)}-{rng.choice(WORDS)}/{number}/"
        f"{'-'.join(rng.choices(WORDS, k=4))}?{rng.choice(WORDS)}=1"
    )


@pytest.mark.parametrize(
    "seen", [30_000, pytest.param(1_000_000, marks=[pytest.mark.slow, pytest.mark.by_hand])]
)
def test_answer_is_cheaper_than_a_plain_search_whatever_was_seen(seen: int) -> None:
    """CPU time, the least of many short batches in turns: early, late, and scikit-learn's search
    for the nearest of as many vectors. The estimator takes a third of the latter on a quiet
    machine; what grew with the observations seen would take many times as much."""
    batch = [
        Example(some_url(-number, random.Random(number)), "anchor", "div.main>p>a")
        for number in range(48)
    ]
    early, late = trained_estimator(10_000), trained_estimator(seen)
    others = [Example(some_url(number, random.Random(number)), "anchor") for number in range(5000)]
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=10, algorithm="brute", metric="cosine")
    search.fit(features(others))
    asked = features(batch)
    spent = dict.fromkeys(("early", "late", "search"), float("inf"))
    for _ in range(40):
        for name, work in (
            ("early", partial(early.ask, batch)),
            ("late", partial(late.ask, batch)),
            ("search", partial(search.kneighbors, asked)),
        ):
            began = time.process_time()
            work()
            spent[name] = min(spent[name], time.process_time() - began)
    assert max(spent["early"], spent["late"]) < spent["search"], spent
    assert spent["late"] < 4 * spent["early"], spent


def test_top_candidates_are_exact() -> None:
    values = np.random.default_rng(3).random((40, 3011)).astype(np.float32)
    found = np.sort(np.take_along_axis(values, _top(values, 10), axis=1), axis=1)
    assert np.array_equal(found, np.sort(values, axis=1)[:, -10:])
    assert _top(values[:, :4], 10).shape == (40, 4)


def test_odd_urls_and_anchors_are_accepted() -> None:
    estimator = YieldEstimator()
    for text in ("", "\udcff", "日本語" * 500, "\x00"):
        estimator.observe(text, text, text, 1)
        assert np.isfinite(estimator.ask([Example(text, text, text)]).new_posts).all()
