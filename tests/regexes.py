"""Every regular expression of the package, and hostile input for each: strings that repeat what a
repeat repeats.
"""

from __future__ import annotations

import ast
import importlib
import math
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from statistics import median
from typing import Any

import blogcrawl
from blogcrawl.core.costs import cpu_limit
from blogcrawl.core.errors import TooCostlyError

PACKAGE = Path(blogcrawl.__file__).parent
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}
CALLS = {*SEARCHING, "match", "fullmatch"}
MANY = 200
"""Repetitions from which a repeat counts as unbounded: below, it can only cost a
constant factor.
"""
LONGEST, NOTICEABLE, SUPERLINEAR, HOPELESS, ROUNDS = 2**14, 0.02, 3.0, 10.0, 3
"""Characters up to which input grows; CPU seconds from which a time can be compared; the growth for
twice the input that is too much (2 is linear, 4 quadratic); CPU seconds after which an exponential
one is given up; measurements, of which the median counts for the short text, the least for the long
one."""


@dataclass(frozen=True, eq=False)
class Used:
    """A pattern, where it is made, and whether any of its users looks for it
    everywhere in a text.
    """

    where: str
    pattern: re.Pattern[Any]
    searched: bool


@cache
def patterns() -> list[Used]:
    """All patterns of modules and classes, and all literals that are given to
    functions of ``re``.
    """
    methods: dict[tuple[str, str], set[str]] = {}
    literals: list[tuple[str, re.Pattern[Any], str]] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in CALLS:
                name = node.value
                if isinstance(name, ast.Subscript):
                    name = name.value
                own = (
                    name.id
                    if isinstance(name, ast.Name)
                    else name.attr
                    if isinstance(name, ast.Attribute)
                    else "?"
                )
                methods.setdefault((_module_of(path, own), own), set()).add(node.attr)
            literals += _literal(path, node)
    out = {}
    for where, pattern, name in _compiled():
        module = where.removesuffix(f".{name}") if name.startswith("_") else ""
        used = methods.get((module, name), SEARCHING)
        out.setdefault(pattern, Used(where, pattern, bool(used & SEARCHING)))
    held = {
        pattern.pattern for pattern in out
    }  # with their flags and users, which a literal's compilation doesn't name
    for where, pattern, method in literals:
        if method == "compile" and pattern.pattern in held:
            continue
        out.setdefault(pattern, Used(where, pattern, method not in {"match", "fullmatch"}))
    return sorted(out.values(), key=lambda used: used.where)


def _module_of(path: Path, name: str) -> str:
    """The module whose own a name is; empty for a public one, which others may import."""
    if not name.startswith("_"):
        return ""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _literal(path: Path, node: ast.AST) -> Iterator[tuple[str, re.Pattern[Any], str]]:
    """The pattern of ``re.sub("...", ...)`` and its like."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {*CALLS, "compile"}
    ):
        return
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args):
        return
    text = node.args[0]
    if isinstance(text, ast.Constant) and isinstance(text.value, str | bytes):
        where = f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
        yield where, re.compile(text.value), node.func.attr


def _compiled() -> Iterator[tuple[str, re.Pattern[Any], str]]:
    for info in pkgutil.walk_packages([str(PACKAGE)], "blogcrawl."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__:
                for inner, held in vars(value).items():
                    yield from ((f"{info.name}.{name}.{inner}", p, inner) for p in _in(held))
            else:
                yield from (
                    (f"{info.name}.{name}", p, name if value is p else "?") for p in _in(value)
                )


def _in(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for one in value.values():
            yield from _in(one, depth + 1)
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _in(one, depth + 1)
    elif depth < 4 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from _in(getattr(value, name, None), depth + 1)


# hostile strings

PROBES = " \t\n.,-_/a0Z<>&\"'=:;()[]|é字!"


def _class_samples(items: Iterable[Any], flags: int) -> list[str]:
    """Up to four characters of a class; the first is usual in text."""
    tried = []
    found = []
    test = re.compile("x", flags & re.IGNORECASE)
    del test
    for op, value in items:
        if op is codes.LITERAL:
            tried.append(chr(value))
        elif op is codes.RANGE:
            tried.append(chr(value[0]))
    single = _matcher(items)
    for char in [*PROBES, *tried]:
        if single(char) and char not in found:
            found.append(char)
        if len(found) == 4:
            break
    return found or [chr(c) for c in range(0x3000) if single(chr(c))][:1]


_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def _matcher(items: Iterable[Any]) -> Any:
    items = list(items)
    negated = bool(items) and items[0][0] is codes.NEGATE

    def holds(char: str) -> bool:
        code = ord(char)
        hit = False
        for op, value in items:
            if op is codes.LITERAL:
                hit |= code == value
            elif op is codes.RANGE:
                hit |= value[0] <= code <= value[1]
            elif op is codes.CATEGORY:
                hit |= re.match(_CATEGORIES[value], char) is not None
        return hit != negated

    return holds


def _sample(tree: Iterable[Any], flags: int, pick: int = 0) -> str:
    """A text that matches the sub-pattern, as short as can be but for one turn of each repeat."""
    out = ""
    for op, value in tree:
        if op is codes.LITERAL:
            out += chr(value)
        elif op is codes.NOT_LITERAL:
            out += next(c for c in "a- " if ord(c) != value)
        elif op is codes.ANY:
            out += "a- ."[pick % 4]
        elif op is codes.IN:
            samples = _class_samples(value, flags)
            out += samples[pick % len(samples)] if samples else ""
        elif op is codes.BRANCH:
            branches = value[1]
            out += _sample(branches[pick % len(branches)], flags, pick)
        elif op is codes.SUBPATTERN:
            out += _sample(value[3], flags, pick)
        elif op is codes.ATOMIC_GROUP:
            out += _sample(value, flags, pick)
        elif op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            low, high, body = value
            out += _sample(body, flags, pick) * min(max(low, 1), high)
    return out


@dataclass(frozen=True)
class Attack:
    before: str
    pump: str
    after: str

    def text(self, size: int) -> str:
        return self.before + self.pump * (size // max(1, len(self.pump))) + self.after


def _repeats(
    tree: Iterable[Any], flags: int, before: str, pick: int
) -> Iterator[tuple[str, str, str]]:
    """Of each unbounded repeat: what comes before it, what it repeats, and what follows it."""
    nodes = list(tree)
    for at, (op, value) in enumerate(nodes):
        prefix = before + _sample(nodes[:at], flags, pick)
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            _, high, body = value
            if high >= MANY:
                yield prefix, _sample(body, flags, pick), _sample(nodes[at + 1 :], flags, pick)
            yield from _repeats(body, flags, prefix, pick)
        elif op is codes.SUBPATTERN:
            yield from _repeats(value[3], flags, prefix, pick)
        elif op is codes.ATOMIC_GROUP:
            yield from _repeats(value, flags, prefix, pick)
        elif op is codes.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, flags, prefix, pick)
        elif op in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repeats(value[1], flags, prefix, pick)


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    source = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, str) else pattern.flags
    tree = parser.parse(source, flags & ~re.ASCII | (re.ASCII if flags & re.ASCII else 0))
    out: dict[Attack, None] = {}
    for pick in range(4):
        for before, pump, after in _repeats(tree, flags, "", pick):
            if not pump:
                continue
            for end in ("", "\x00", "\n!"):
                out.setdefault(Attack(before, pump, end))
            if before:
                out.setdefault(Attack("", before + pump, "\x00"))
                out.setdefault(Attack("", before, "\x00"))
            if after:
                out.setdefault(Attack(before, pump + after[:-1], "\x00"))
    return list(out)


def seconds(pattern: re.Pattern[Any], text: str, *, searched: bool) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8")
    start = time.process_time()
    if searched:
        for _ in pattern.finditer(subject):
            pass
    else:
        pattern.match(subject)
        pattern.fullmatch(subject)
    return time.process_time() - start


def growth(used: Used, attack: Attack, longest: int = LONGEST) -> float:
    """Growth of CPU time when the input doubles, where it can be measured; 0 where ``longest``
    characters cost next to nothing.

    It is measured over two doublings, and again where it looks too large: on a busy machine single
    times are off by half.
    """

    def taken(length: int, rounds: int) -> list[float]:
        text = attack.text(length)
        return [seconds(used.pattern, text, searched=used.searched) for _ in range(rounds)]

    size = 256
    while size <= longest:
        try:
            with cpu_limit(HOPELESS, used.where):
                whole = taken(size, 1)[0]
        except TooCostlyError:
            return math.inf
        if whole > NOTICEABLE:
            quarter = max(median(taken(size // 4, ROUNDS)), 1e-6)
            if math.sqrt(whole / quarter) > SUPERLINEAR:
                whole = min(whole, *taken(size, ROUNDS))
            return math.sqrt(whole / quarter)
        size *= 2
    return 0.0


def hostile(used: Used, longest: int = LONGEST) -> tuple[float, Attack] | None:
    """The first attack under which the pattern's time grows faster than its input, measured twice:
    some machines' CPU clocks stand still now and then, and a short time of 0 makes any growth of
    it.
    """
    for attack in attacks(used.pattern):
        grown = growth(used, attack, longest)
        if grown > SUPERLINEAR:
            grown = min(grown, growth(used, attack, longest))
        if grown > SUPERLINEAR:
            return grown, attack
    return None
