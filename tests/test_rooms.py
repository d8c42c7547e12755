"""The rules of docs/architecture.md, read from the code by AST: import layers, size and declared
dependencies.
"""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "blogcrawl"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    "blogcrawl core text urls lexicon dates dom discovery induction frontier rendering comments "
    "extraction contrib packaging storage api settings crawling cluster web cli __main__"
).split()
"""The rooms in their order: each imports only those before it."""
SCRAPY_ROOMS = {"settings", "crawling", "__main__"}
"""The rooms that may import Scrapy; the commands that start a crawl go through crawling.run."""
MAX_FUNCTION_LINES, MAX_PARAMETERS = 100, 8
DISTRIBUTIONS = {
    "backports": "backports-zstd",
    "compression": "backports-zstd",
    "sklearn": "scikit-learn",
    "dateutil": "python-dateutil",
    "psycopg": "psycopg[binary]",
    "scrapy_playwright": "scrapy-playwright",
    "argon2": "argon2-cffi",
    "google": "protobuf",
    "zope": "zope.interface",
    "fasttext": "fasttext-predict",
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """``blogcrawl.frontier.knn`` -> ``frontier``; the package itself is ``blogcrawl``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "blogcrawl"


NAMES = {name_of(path) for path in MODULES}


@cache
def imports(path: Path, *, only_top: bool = False) -> tuple[str, ...]:
    """Absolute names of what a module imports: modules where the name is one of ours, else as
    written.
    """
    return tuple(_imported(path, only_top))


def _imported(path: Path, only_top: bool) -> Iterator[str]:
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    nodes = _top_statements(tree_of(path).body) if only_top else nodes_of(path)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join(
                    [
                        *package.split(".")[: len(package.split(".")) - node.level + 1],
                        *filter(None, [base]),
                    ]
                )
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in NAMES else base


def _top_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import: not those below functions or ``if TYPE_CHECKING``."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for part in ("body", "orelse", "finalbody"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(
                getattr(node, part, None), list
            ):
                yield from _top_statements(getattr(node, part))


def layer_of(room: str) -> int:
    assert room in LAYERS, f"room {room!r} has no layer: add it to LAYERS in tests/test_rooms.py"
    return LAYERS.index(room)


def ours(path: Path, **how: bool) -> set[str]:
    return {name for name in imports(path, **how) if name.split(".")[0] == "blogcrawl"}


def circle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """Return one import cycle as module names in order, or an empty list."""
    done: set[str] = set()

    def visit(node: str, trail: list[str]) -> list[str]:
        if node in trail:
            return [*trail[trail.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            found = visit(other, [*trail, node])
            if found:
                return found
        done.add(node)
        return []

    for node in sorted(graph):
        found = visit(node, [])
        if found:
            return found
    return []


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_imports_run_down_the_layers() -> None:
    wrong = []
    for path in MODULES:
        room = room_of(name_of(path))
        for name in ours(path):
            other = room_of(name)
            if layer_of(other) > layer_of(room):
                wrong.append(f"{relative(path)} ({room}) imports {name}, which lies above it")
    assert not wrong, "\n".join(wrong)


def test_no_room_imports_cluster_web_or_cli() -> None:
    """But the command line, which starts them, and the package's own ``python -m``."""
    wrong = []
    for path in MODULES:
        room = room_of(name_of(path))
        others = {room_of(name) for name in ours(path)} & {"cluster", "web", "cli"}
        allowed = {"cli": {"cluster", "web", "cli"}, "__main__": {"cli"}}.get(room, {room})
        wrong += [f"{relative(path)} imports {other}" for other in sorted(others - allowed)]
    assert not wrong, "\n".join(wrong)


def test_no_import_cycles_between_modules() -> None:
    """Imports of functions and of type checking count too."""
    graph = {name_of(path): ours(path) - {name_of(path)} for path in MODULES}
    assert not circle_in(graph), " -> ".join(circle_in(graph))


def test_only_crawling_imports_scrapy() -> None:
    wrong = []
    for path in MODULES:
        if room_of(name_of(path)) in SCRAPY_ROOMS:
            continue
        foreign = {name.split(".")[0] for name in imports(path)} & {
            "scrapy",
            "twisted",
            "scrapy_playwright",
        }
        wrong += [f"{relative(path)} imports {name}" for name in sorted(foreign)]
    assert not wrong, "\n".join(wrong)


def _is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """click calls a command by name: its parameters are its options."""
    return any(
        re.search("click|command|option", ast.unparse(decorator))
        for decorator in node.decorator_list
    )


def test_functions_are_short_and_have_few_parameters() -> None:
    wrong = []
    for path in MODULES:
        for node in nodes_of(path):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            place = f"{relative(path)}:{node.lineno} {node.name}"
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                wrong.append(f"{place}: {lines} lines (at most {MAX_FUNCTION_LINES})")
            args = node.args
            names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if count > MAX_PARAMETERS and not _is_command(node):
                wrong.append(f"{place}: {count} parameters (at most {MAX_PARAMETERS})")
    assert not wrong, "\n".join(wrong)


MAX_COMPLEX = 0
"""Functions whose complexity is over 15. This number and the next two may only fall (goals: 0,
0.03, 4)."""
MAX_SHARE_OVER_10 = 0.033
MAX_MEAN_COMPLEXITY = 4.22


def complexity(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """McCabe's number of a function, with each boolean operator and comprehension counted."""
    branches = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert)
    count = 1
    for node in ast.walk(function):
        count += isinstance(node, (*branches, ast.match_case))
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            count += sum(1 + len(generator.ifs) for generator in node.generators)
    return count


def test_complexity_does_not_grow() -> None:
    found = [
        (complexity(node), f"{relative(path)}:{node.lineno} {node.name}")
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    complex_ones = sorted((one for one in found if one[0] > 15), reverse=True)
    assert len(complex_ones) <= MAX_COMPLEX, complex_ones
    assert sum(count > 10 for count, _ in found) / len(found) <= MAX_SHARE_OVER_10
    assert sum(count for count, _ in found) / len(found) <= MAX_MEAN_COMPLEXITY


MAX_THRESHOLDS = 144
"""Named numbers of the rooms that read pages. May only fall (goal: 150); those that several modules
share are in core/bounds.py, core/evidence.py and text/lengths.py and count as well."""
SHARED = ("core/bounds.py", "core/evidence.py", "text/lengths.py")


def _named_numbers(path: Path) -> Iterator[str]:
    """Yield names of a module's constants that are numbers, also those of ``A, B = 1, 2``."""
    for node in tree_of(path).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [each.id for each in ast.walk(targets[0]) if isinstance(each, ast.Name)]
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if len(names) == len(parts) and all(name.isupper() for name in names):
            yield from (
                f"{relative(path)} {name}"
                for name, part in zip(names, parts, strict=True)
                if isinstance(part, ast.Constant | ast.BinOp | ast.UnaryOp)
                and all(
                    isinstance(c.value, int | float)
                    for c in ast.walk(part)
                    if isinstance(c, ast.Constant)
                )
                and not any(isinstance(c, ast.Name) for c in ast.walk(part))
            )


def test_thresholds_do_not_grow() -> None:
    rooms = ("extraction", "induction", "comments")
    paths = [path for room in rooms for path in (PACKAGE / room).rglob("*.py")]
    found = [
        name for path in [*paths, *(PACKAGE / s for s in SHARED)] for name in _named_numbers(path)
    ]
    assert len(found) <= MAX_THRESHOLDS, "\n".join(found)


def test_public_functions_are_annotated() -> None:
    wrong = []
    for path in MODULES:
        if room_of(name_of(path)) in SCRAPY_ROOMS:
            continue
        for node in nodes_of(path):
            if isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef
            ) and not node.name.startswith("_"):
                args = [
                    a
                    for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                    if a.arg not in ("self", "cls")
                ]
                if node.returns is None or any(a.annotation is None for a in args):
                    wrong.append(f"{relative(path)}:{node.lineno} {node.name}")
    assert not wrong, "\n".join(wrong)


def test_no_exception_is_swallowed() -> None:
    """No handler that catches everything and then does nothing."""
    wrong = []
    for path in MODULES:
        for node in nodes_of(path):
            if not isinstance(node, ast.ExceptHandler):
                continue
            broad = node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
            body = ast.unparse(ast.Module(body=node.body, type_ignores=[]))
            if broad and re.fullmatch(r"(pass|continue|\.\.\.|return( None)?)", body):
                wrong.append(f"{relative(path)}:{node.lineno}")
    assert not wrong, "\n".join(wrong)


def setup_arguments() -> dict[str, Any]:
    """What setup.py hands to setuptools."""
    import setuptools

    caught: dict[str, Any] = {}
    original = setuptools.setup
    setuptools.setup = lambda **arguments: caught.update(arguments)
    try:
        runpy.run_path(str(ROOT / "setup.py"))
    finally:
        setuptools.setup = original
    return caught


LOADED_BY_NAME = {
    "psycopg": "SQLAlchemy's dialect of postgresql://",
    "pytest-timeout": "pytest plug-in",
    "pytest-xdist": "pytest plug-in",
    "pywb": "a process of its own",
    "s3fs": "fsspec's s3://",
    "scrapyd": "a process of its own",
    "scrapyd-client": "deploy/deploy_egg.py",
    "wheel": "setuptools",
}
"""Distributions that are used without an import of ours, and by what."""
TOOLS = {
    *"ablog flask flask-cors furo isso libfaketime localbucket lxml-stubs".split(),
    *"mypy myst-parser nikola ocfl-py pelican ruff wacz".split(),
}
"""Of the extra ``dev``: run as programs, loaded into them, or needed by another of its packages."""


def distribution(module: str) -> str:
    """``scrapy_playwright.page`` -> ``scrapy-playwright``; the top package's distribution."""
    top = module.split(".")[0]
    return DISTRIBUTIONS.get(top, top).split("[")[0].lower().replace("_", "-")


def declared_in(*groups: list[str]) -> set[str]:
    """``["psycopg[binary]>=3.2,<4"]`` -> ``{"psycopg"}``."""
    return {re.split(r"[\[<>=!~;\s]", line)[0].lower() for lines in groups for line in lines}


def imported_by(paths: list[Path]) -> dict[str, str]:
    """Distribution -> a file that imports it, of all that is neither ours nor Python's."""
    ignored = {*sys.stdlib_module_names, "blogcrawl", "tests", "training"}
    return {
        distribution(name): str(path.relative_to(ROOT))
        for path in paths
        for name in imports(path)
        if name.split(".")[0] not in ignored
    }


def test_every_import_is_declared() -> None:
    """What the package imports stands in setup.py: among the requirements, or in an extra."""
    arguments = setup_arguments()
    extras = {name: extra for name, extra in arguments["extras_require"].items() if name != "dev"}
    declared = declared_in(arguments["install_requires"], *extras.values())
    imported = imported_by(MODULES)
    assert {name: imported[name] for name in imported.keys() - declared} == {}


def test_every_requirement_is_imported() -> None:
    """What setup.py declares, package or training import; what ``dev`` declares, these or tests."""
    arguments = setup_arguments()
    extras = dict(arguments["extras_require"])
    dev, fuzz = declared_in(extras.pop("dev")), declared_in(extras.pop("fuzz"))
    imported = imported_by([*MODULES, *sorted((ROOT / "training").glob("*.py"))]).keys()
    setup = {"setuptools"}
    assert declared_in(arguments["install_requires"]) - imported == set()
    assert declared_in(*extras.values()) - imported - LOADED_BY_NAME.keys() - setup == set()
    tests = sorted((ROOT / "tests").rglob("*.py"))
    by_name = {
        distribution(name)
        for path in tests
        for name in re.findall(r'importorskip\("([\w.]+)"', path.read_text("utf-8"))
    }
    used = imported | imported_by(tests).keys() | by_name | LOADED_BY_NAME.keys() | TOOLS
    assert (dev | fuzz) - used - setup == set()


def test_locks_hold_every_requirement_with_hashes_and_no_address() -> None:
    arguments = setup_arguments()
    for lock, wanted in (
        ("requirements.lock", arguments["install_requires"]),
        (
            "requirements-dev.lock",
            [*arguments["install_requires"], *arguments["extras_require"]["dev"]],
        ),
    ):
        text = (ROOT / "deploy" / lock).read_text("utf-8")
        assert "://" not in text and "--index" not in text and "--find-links" not in text
        packages = re.findall(
            r"^([a-z0-9][a-z0-9._-]*)==\S+.*\\\n    --hash=sha256:", text, re.MULTILINE
        )
        assert len(packages) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE))
        names = {re.sub("[-_.]+", "-", name) for name in declared_in(wanted)}
        assert names <= set(packages), f"{lock} lacks {names - set(packages)}: run deploy/lock"


def test_command_line_starts_without_heavy_rooms() -> None:
    code = (
        "import sys, blogcrawl.cli.main;"
        "heavy = 'scrapy twisted lxml sqlalchemy sklearn scipy numpy playwright jdatetime'.split();"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


HEAVY = {
    "sklearn",
    "trafilatura",
    "playwright",
    "scrapy_playwright",
    "jdatetime",
    "hijridate",
    "pyluach",
    "extruct",
    "pyarrow",
    "s3fs",
}


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    """Each costs 0.1 to 1 s; an update crawl of an unchanged blog must not pay for them."""
    wrong = [
        f"{relative(path)} imports {name} at the top"
        for path in MODULES
        for name in sorted({n.split(".")[0] for n in imports(path, only_top=True)} & HEAVY)
    ]
    assert not wrong, "\n".join(wrong)


def test_caches_are_bounded() -> None:
    """A crawl of a large blog fills every cache: none may grow with it."""
    size = re.compile(r"lru_cache\(maxsize=([^)]*)\)")
    found = {
        f"{path.relative_to(PACKAGE)}: {size_}"
        for path in PACKAGE.rglob("*.py")
        for size_ in size.findall(path.read_text("utf-8"))
        if size_ == "None" or (size_.replace("_", "").isdigit() and int(size_) > 10_000)
    }
    assert found == set()
