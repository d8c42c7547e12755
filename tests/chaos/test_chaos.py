"""The driver itself, and a few random kills; ``python -m tests.chaos --kills 500``
is the long run.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.engine import Faults, Measure, Result, Scenario, World, compared, play
from tests.chaos.scenarios import SCENARIOS

SEED = random.randrange(10**6)
FEW = 4
"""Kills of a scenario: with four scenarios two to three minutes on a busy machine of two cores."""


def report(result: Result, kills: int) -> str:
    """What was broken, and the command that repeats it."""
    return f"python -m tests.chaos --only {result.scenario} --kills {kills} --seed {SEED}: {result}"


@contextlib.contextmanager
def empty(folder: Path) -> Iterator[World]:
    yield World(folder)


def lines(world: World) -> dict[str, Any]:
    path = world.out / "lines"
    return {"lines": path.read_text().split() if path.exists() else []}


def nothing(world: World, measure: Measure) -> Faults:
    return []


def toy(program: str) -> Scenario:
    """A small program in place of blogcrawl."""
    command = (
        sys.executable,
        "-c",
        program.replace("{", "{{").replace("}", "}}").replace("OUT", "{out}"),
    )
    return Scenario(name="toy", stage=empty, command=command, outcome=lines, check=nothing)


SAFE = """
import os
os.makedirs("OUT", exist_ok=True)
done = open("OUT/lines").read().split() if os.path.exists("OUT/lines") else []
for number in range(len(done), 10):
    done.append(str(number))
    with open("OUT/new", "w") as out:
        out.write(" ".join(done))
    os.replace("OUT/new", "OUT/lines")
"""
FORGETFUL = """
import os
os.makedirs("OUT", exist_ok=True)
begun = len(os.listdir("OUT")) - os.path.exists("OUT/lines")
for number in range(begun, 10):
    os.mkdir(f"OUT/begun-{number}")
    with open("OUT/lines", "a") as out:
        out.write(f"{number} ")
"""


def test_atomic_rename_survives_every_kill(tmp_path: Path) -> None:
    result = play(toy(SAFE), 15, 1, tmp_path)
    assert result.kills == 15 and result.faults == []


def test_data_lost_by_a_kill_is_detected(tmp_path: Path) -> None:
    result = play(toy(FORGETFUL), 25, 2, tmp_path)
    assert {kind for kind, _ in result.faults} >= {"lost"}, result


def test_differences_are_reported_by_kind() -> None:
    expected = {"posts": ["a", "b"], "export": {"a": "1"}}
    assert compared(expected, {"posts": ["b", "a"], "export": {"a": "1"}}) == []
    assert [
        kind for kind, _ in compared(expected, {"posts": ["a", "a", "c"], "export": {"a": "2"}})
    ] == [
        "lost",
        "doubled",
        "unequal",
        "unequal",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "crawl",
        "import",
        pytest.param("update", marks=pytest.mark.by_hand),
        pytest.param("export:jsonl", marks=pytest.mark.by_hand),
        pytest.param("deposit:bag", marks=pytest.mark.by_hand),
    ],
)
@pytest.mark.slow
def test_random_kills_lose_nothing(name: str, tmp_path: Path) -> None:
    result = play(SCENARIOS[name], FEW, SEED, tmp_path, seconds=20)
    assert result.kills and not result.faults, report(result, FEW)


@pytest.mark.slow
@pytest.mark.by_hand
def test_kills_while_rendering_lose_nothing(tmp_path: Path) -> None:
    result = play(SCENARIOS["crawl:rendered"], 3, SEED, tmp_path, seconds=25)
    assert result.skipped or (result.kills and not result.faults), report(result, 3)
