"""Every parser of foreign bytes: inputs that broke one once, and a short seeded run
of mutations.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpu import loops
from tests.fuzz.engine import FOUND, SEEDS, found_inputs, mutate, short_runs
from tests.fuzz.targets import TARGETS, Target

RUNS = {
    "post": 5,
    "learned_post": 20,
    "comments": 5,
    "date_in_feed": 20,
    "date_in_text": 60,
    "page": 40,
    "microdata": 30,
}
"""Of the costly parsers; of the others 200."""
MAX_LOOPS = 400


@pytest.mark.parametrize(
    ("target", "path"), [pytest.param(t, p, id=f"{t.name}-{p.name}") for t, p in found_inputs()]
)
def test_known_crashing_inputs_are_parsed(target: Target, path: Path) -> None:
    data = path.read_bytes()
    assert loops(lambda: target.run(data)) < MAX_LOOPS


@pytest.mark.parametrize("name", TARGETS)
def test_fuzzed_inputs_raise_only_documented_errors(name: str) -> None:
    """A fixed seed: the same inputs each time; ``python -m tests.fuzz`` takes others."""
    tally = short_runs(TARGETS[name], 1, RUNS.get(name, 200))
    assert not tally.crashes and tally.runs > 0


def test_every_folder_belongs_to_a_target() -> None:
    assert {
        path.name for folder in (SEEDS, FOUND) for path in folder.glob("*") if path.is_dir()
    } <= set(TARGETS)
    assert {path.name for path in SEEDS.iterdir()} == set(TARGETS), "each target has seeds"


def test_mutations_are_deterministic_and_bounded() -> None:
    import random

    made = [mutate(random.Random(n), [b"abc", b"def"], 50) for n in range(200)]
    assert made == [mutate(random.Random(n), [b"abc", b"def"], 50) for n in range(200)]
    assert len(set(made)) > 150 and max(map(len, made)) <= 50
