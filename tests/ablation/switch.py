"""Switch mechanisms of the product off from outside: the product has no hooks for it."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from lxml import etree

ROOMS = ("induction", "extraction", "contrib", "comments")


@dataclass(frozen=True)
class Mechanism:
    """A heuristic with a name.

    ``parts``: what is replaced (``"module:function"`` or ``"module:Class.method"``, below
    ``blogcrawl``) by which neutral stand-in. The test that fails without the mechanism:
    ``proofs.toml``.
    """

    name: str
    parts: tuple[tuple[str, Any], ...]

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


def _modules() -> list[ModuleType]:
    """Modules that may hold a mechanism: the product's and those of its tests."""
    return [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(("blogcrawl.", "tests.")) and not name.startswith("tests.ablation")
    ]


@cache
def _caches(_imported: int) -> list[Callable[[], None]]:
    """What clears each cache of the rooms with mechanisms; anew when modules were imported."""
    return [
        clear
        for module in _modules()
        if module.__name__.split(".")[1] in ROOMS
        for value in vars(module).values()
        if callable(clear := getattr(value, "cache_clear", None))
    ]


def clear_caches() -> None:
    """Forget what cached functions of the rooms with mechanisms returned; the rooms that those
    import know no mechanism.
    """
    for clear in _caches(len(sys.modules)):
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


Bindings = dict[int, list[tuple[ModuleType, str]]]
"""Modules and names that hold an object, by its identity."""


@cache
def _index(_imported: int) -> Bindings:
    """Where each object is bound, anew when modules were imported: other modules import it by name.
    It is made with nothing switched off.
    """
    found: Bindings = defaultdict(list)
    for module in _modules():
        for bound, value in vars(module).items():
            found[id(value)].append((module, bound))
    return found


def _bindings() -> Bindings:
    """The index, which each block extends by its stand-ins."""
    return defaultdict(list, _index(len(sys.modules)))


def _replace(stack: ExitStack, bindings: Bindings, target: str, stand_in: Any) -> None:
    """Bind the stand-in wherever the target is bound, until the stack is closed."""
    owner, name = _owner(target)
    old = inspect.getattr_static(owner, name)
    places: list[tuple[Any, str]] = [(owner, name)]
    if not inspect.isclass(owner):
        places = [
            (module, bound)
            for module, bound in bindings[id(old)]
            if (callable(old) or bound == name) and getattr(module, bound, None) is old
        ]
    for place, bound in places:
        stack.callback(setattr, place, bound, old)
        setattr(place, bound, stand_in)
    if not inspect.isclass(owner):
        bindings[id(stand_in)] = [*bindings[id(stand_in)], *places]


@contextmanager
def switched_off(mechanisms: Iterable[Mechanism]) -> Iterator[None]:
    """Run a block without some mechanisms."""
    load_product()
    with ExitStack() as stack:
        bindings = _bindings()
        for mechanism in mechanisms:
            for target, neutral in mechanism.parts:
                _replace(stack, bindings, target, neutral)
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
        bindings = _bindings()
        for mechanism in mechanisms:
            for target, neutral in mechanism.parts:
                note = _noting(active, mechanism.name)
                watched = _watched(original(target), neutral, note)
                _replace(stack, bindings, target, watched)
        clear_caches()
        yield active
    clear_caches()


def _noting(active: set[str], name: str) -> Callable[[], None]:
    return lambda: active.add(name)
