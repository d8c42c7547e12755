"""The accuracy gate: recorded-like blogs of many shapes, and the floors of ``floors.toml`` that
hold on them.
"""

from __future__ import annotations

import tomllib
from functools import cache

import pytest

from blogcrawl.extraction import chain
from tests.sites.measure import HERE, Recorded, mean, measure, sites

FLOORS = tomllib.loads((HERE / "floors.toml").read_text("utf-8"))
SLACK = 1e-9


@cache
def site(name: str) -> Recorded:
    return Recorded.read(HERE / name)


def below(floors: dict[str, float], got: dict[str, float]) -> dict[str, float]:
    """The figures that do not reach their floor."""
    return {
        name: got[name]
        for name, floor in floors.items()
        if name != "none" and name in got and got[name] < floor - SLACK
    }


def test_generated_blogs_differ() -> None:
    assert len(sites()) >= 14
    assert len({site(name).expected["why"] for name in sites()}) == len(sites())
    assert {site(name).expected["language"] for name in sites()} >= {"en", "de", "he", "ja"}
    assert all(
        sum(row["post"] and not row["in_feed"] for _, row in site(name).pages) >= 5
        for name in sites()
    )


@pytest.mark.parametrize("name", sites())
def test_every_field_reaches_its_floor_on_every_blog(name: str) -> None:
    got = measure(site(name))
    assert not below(FLOORS["chain"], got), got
    assert got["none"] <= FLOORS["chain"]["none"]


@pytest.mark.parametrize("method", sorted(FLOORS["methods"]))
def test_each_method_alone_reaches_its_floor(method: str) -> None:
    got = mean([measure(site(name), method) for name in sites()])
    assert not below(FLOORS["methods"][method], got), got


def test_floors_name_methods_that_exist() -> None:
    assert set(FLOORS["methods"]) <= set(chain.names())


def test_fields_reach_their_floor_without_the_feed() -> None:
    rows = [measure(site(name), with_feed=False) for name in sites()]
    assert not below(FLOORS["unfed"], mean(rows)), mean(rows)
    assert sum(row["none"] for row in rows) <= FLOORS["unfed"]["none"]
