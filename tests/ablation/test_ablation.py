"""The ablation gate in short: the registry names what exists."""

from __future__ import annotations

from tests.ablation.mechanisms import MECHANISMS
from tests.ablation.proofs import PROOFS, unproved
from tests.ablation.switch import original, switched_off

WITHOUT = 2
"""Mechanisms that have no such test yet: may only fall."""


def test_names_are_unique() -> None:
    names = [mechanism.name for mechanism in MECHANISMS]
    assert len(set(names)) == len(names)


def test_every_target_exists() -> None:
    for mechanism in MECHANISMS:
        for target, _ in mechanism.parts:
            assert original(target) is not None, mechanism.name


def test_switched_off_functions_come_back() -> None:
    before = [original(target) for m in MECHANISMS for target, _ in m.parts]
    with switched_off(MECHANISMS):
        off = [original(target) for m in MECHANISMS for target, _ in m.parts]
    assert not any(one is other for one, other in zip(before, off, strict=True))
    assert [original(target) for m in MECHANISMS for target, _ in m.parts] == before


def test_each_mechanism_has_a_test_that_fails_without_it() -> None:
    names = {mechanism.name for mechanism in MECHANISMS}
    assert set(PROOFS) <= names
    assert len(names - set(PROOFS)) <= WITHOUT
    assert unproved() == []
