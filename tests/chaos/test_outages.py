"""PostgreSQL and the S3 server go away in the middle of a crawl and come back: nothing is lost,
doubled, invalid or left over.

``python -m tests.chaos.outages`` is the long form.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.outages import Found, Ground, Outage, crawl, differences, ground

POSTS = 24


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with ground(tmp_path_factory.mktemp("outages"), posts=POSTS, s3=False) as found:
        if found is None:
            pytest.skip("PostgreSQL is not installed")
        yield found


@pytest.fixture(scope="module")
def reference(place: Ground) -> Found:
    found = crawl(place)
    assert found.posts == POSTS and differences(found, found) == []
    return found


def test_crawl_survives_a_postgresql_outage(place: Ground, reference: Found) -> None:
    found = crawl(place, outage=Outage(service="postgres", after=14, seconds=3, mode="immediate"))
    assert differences(found, reference) == []
    assert found.asked_again == 0, "what was read before the outage is not asked for again"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "mode"),
    [
        (1, "fast"),
        pytest.param(8, "immediate", marks=pytest.mark.by_hand),
        pytest.param(POSTS - 2, "fast", marks=pytest.mark.by_hand),
    ],
)
def test_crawl_survives_postgresql_outages_at_any_time(
    place: Ground, reference: Found, after: int, mode: str
) -> None:
    found = crawl(place, outage=Outage(service="postgres", after=after, seconds=6, mode=mode))
    assert differences(found, reference) == []


@pytest.mark.slow
@pytest.mark.parametrize("after", [3, pytest.param(15, marks=pytest.mark.by_hand)])
def test_crawl_survives_an_s3_outage(after: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    with ground(tmp_path_factory.mktemp("s3"), posts=POSTS) as place:
        if place is None:
            pytest.skip("an S3 server that keeps its data (localbucket) is not installed")
        reference = crawl(place)
        found = crawl(place, outage=Outage(service="s3", after=after, seconds=5))
        assert differences(found, reference) == []
