"""Switch mechanisms of the product off from outside: the product has no hooks for it."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest import mock

from lxml import etree

ROOMS = ("induction", "extraction", "contrib", "comments")


@dataclass(frozen=True)
class Mechanism:
    """A heuristic with a name.

    ``parts``: what is replaced (``"module:function"`` or ``"module:Class.method"``, below
    ``blogcrawl``) by which neutral stand-in; ``proof``: the fixture that fails without the
    mechanism (``"sites/NAME"`` or ``"tests.module:test_function"``), None for one that has none
    yet.
    """

    name: str
    parts: tuple[tuple[str, Any], ...]
    proof: str | None = None

    @property
    def is_of_comments(self) -> bool:
        return self.parts[0][0].startswith("comments.")


@cache
def load_product() -> None:
    """Import all modules that may hold a reference to a mechanism."""
    for room in ROOMS:
        package = import_module(f"blogcrawl.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def _product_modules() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("blogcrawl")]


def clear_caches() -> None:
    """Forget what the product's cached functions returned."""
    for module in _product_modules():
        for value in list(vars(module).values()):
            if callable(clear := getattr(value, "cache_clear", None)):
                clear()


def _owner(target: str) -> tuple[Any, str]:
    """The module or class that holds a target, and the target's name in it."""
    module, _, path = target.partition(":")
    owner: Any = import_module(f"blogcrawl.{module}")
    *classes, name = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return owner, name


def original(target: str) -> Any:
    """What a target is when nothing is switched off; raises AttributeError when it is gone."""
    owner, name = _owner(target)
    return inspect.getattr_static(owner, name)


@contextmanager
def _replaced(target: str, stand_in: Any) -> Iterator[None]:
    """Bind the stand-in wherever the target is bound: other modules import it by name."""
    owner, name = _owner(target)
    old = inspect.getattr_static(owner, name)
    with ExitStack() as stack:
        if inspect.isclass(owner):
            stack.enter_context(mock.patch.object(owner, name, stand_in))
        else:
            for module in _product_modules():
                for bound, value in list(vars(module).items()):
                    if value is old and (callable(old) or bound == name):
                        stack.enter_context(mock.patch.object(module, bound, stand_in))
        yield


@contextmanager
def switched_off(mechanisms: Iterable[Mechanism]) -> Iterator[None]:
    """Run a block without some mechanisms."""
    load_product()
    with ExitStack() as stack:
        for mechanism in mechanisms:
            for target, neutral in mechanism.parts:
                stack.enter_context(_replaced(target, neutral))
        clear_caches()
        yield
    clear_caches()


def _differs(result: Any, neutral: Any) -> bool:
    try:
        return bool(result != neutral)
    except (TypeError, ValueError):
        return True


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark the stand-in of a function that changes its argument: each call of it counts."""
    function.in_place = True  # type: ignore[attr-defined]
    return function


def _written(args: Sequence[Any]) -> list[bytes]:
    """The elements among the arguments as markup."""
    return [etree.tostring(each) for each in args if isinstance(each, etree._Element)]


def _watched(function: Any, neutral: Any, note: Callable[[], None]) -> Any:
    """The function, noting calls whose result its stand-in would not give."""
    if not callable(function) or not callable(neutral):
        note()
        return function

    def watched(*args: Any, **kwargs: Any) -> Any:
        if getattr(neutral, "in_place", False):
            before = _written(args)
            result = function(*args, **kwargs)
            if not before or before != _written(args):
                note()
            return result
        result = function(*args, **kwargs)
        if isinstance(result, Iterator):
            note()
            return result
        try:
            if _differs(result, neutral(*args, **kwargs)):
                note()
        except Exception:  # a stand-in that cannot be asked twice
            note()
        return result

    if hasattr(function, "cache_clear"):
        watched.cache_clear = function.cache_clear  # type: ignore[attr-defined]
    return watched


@contextmanager
def watching(mechanisms: Iterable[Mechanism]) -> Iterator[set[str]]:
    """Run a block with all mechanisms on; yields the names of those that make a difference in it.

    A mechanism that never returns anything else than its stand-in need not be switched off there.
    """
    load_product()
    active: set[str] = set()
    with ExitStack() as stack:
        for mechanism in mechanisms:
            for target, neutral in mechanism.parts:
                note = _noting(active, mechanism.name)
                watched = _watched(original(target), neutral, note)
                stack.enter_context(_replaced(target, watched))
        clear_caches()
        yield active
    clear_caches()


def _noting(active: set[str], name: str) -> Callable[[], None]:
    return lambda: active.add(name)
