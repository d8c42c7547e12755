"""The short form of the ablation: each mechanism with a test that fails without it.

``proofs.toml`` names the test of each mechanism. All of them run in this process, each with its
mechanism switched off: a test that still passes proves nothing.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.ablation.mechanisms import MECHANISMS
from tests.ablation.switch import switched_off

ROOT = Path(__file__).resolve().parents[2]
PROOFS: dict[str, str] = tomllib.loads((Path(__file__).parent / "proofs.toml").read_text("utf-8"))
"""Name of a mechanism -> node id of the test that fails without it."""
OPTIONS = ("-o", "addopts=", "--import-mode=importlib", "-p", "no:cacheprovider")
OPTIONS += ("-p", "no:xdist", "-p", "no:terminal", "--rootdir", str(ROOT))


class _Without:
    """Pytest plugin: runs each test once for each mechanism that it proves, without it."""

    def __init__(self, proofs: Mapping[str, str]) -> None:
        self._by_test: dict[str, list[str]] = defaultdict(list)
        for name, test in proofs.items():
            self._by_test[test].append(name)
        self._mechanisms = {mechanism.name: mechanism for mechanism in MECHANISMS}
        self.missed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        for name in self._by_test[pyfuncitem.nodeid]:
            try:
                with switched_off([self._mechanisms[name]]):
                    pyfuncitem.obj(**arguments)
            except (Exception, pytest.fail.Exception):
                self.missed.append(name)
        return True


def unproved(proofs: Mapping[str, str] = PROOFS) -> list[str]:
    """Names of mechanisms that no test of theirs misses, or whose test is gone."""
    plugin = _Without(proofs)
    tests = sorted(set(proofs.values()))
    pytest.main([*OPTIONS, *tests], plugins=[plugin])
    return sorted(set(proofs) - set(plugin.missed))
