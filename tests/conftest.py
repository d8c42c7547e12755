"""What tests of several rooms share: the command line in a process of its own, and generated blogs
behind a real server.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import forked
from tests.server import Server

# Compiling the package costs a child process more than most commands do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

MEMORY_BYTES = 4 << 30
"""Free space from which tests use the file system in memory; they need less than 1 GiB."""


def _use_memory(place: str = "/dev/shm") -> None:
    """Put the folders of tests into memory unless TMPDIR names a place: they are deleted within
    seconds, and a disk spends as much time on deleting them as most crawls need.
    """
    if "TMPDIR" in os.environ or not os.access(place, os.W_OK):
        return
    found = os.statvfs(place)
    if found.f_bavail * found.f_frsize >= MEMORY_BYTES and not found.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = place


_use_memory()

settings.register_profile(  # a loaded machine is no failure
    "no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("no clock")

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __str__(self) -> str:
        return f"exit code {self.code}\n--- out\n{self.out[-3000:]}\n--- err\n{self.err[-3000:]}"


Cli = Callable[..., Done]


QUICK_ROOMS = (
    "comments",
    "core",
    "dates",
    "discovery",
    "dom",
    "extraction",
    "lexicon",
    "text",
    "urls",
)
"""Their tests take milliseconds: they come last, so that no worker is left with a long file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.relative_to(ROOT / "tests").parts[0] in QUICK_ROOMS)


def pytest_collection_finish() -> None:
    """What is imported stays: the garbage collector need not look through it again and again, nor
    after every 700 objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without the settings of whoever runs the tests."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith("BLOGCRAWL_") or k == "BLOGCRAWL_BROWSER_PATH"
    }
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
        "BLOGCRAWL_RETRY_PAUSE_SECONDS": "0",
        **more,
    }


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """``cli("list", "--json")`` runs blogcrawl in ``tmp_path``."""

    def call(*args: str | Path, env: dict[str, str] | None = None, **how: Any) -> Done:
        return command(*args, cwd=tmp_path, env=clean_environment(**(env or {})), **how)

    return call


def command(
    *args: str | Path,
    cwd: Path,
    env: dict[str, str] | None = None,
    stdin: IO[str] | None = None,
    preexec_fn: Callable[[], object] | None = None,
) -> Done:
    """Run blogcrawl to its end, in a process forked from one that has it imported."""
    env = clean_environment() if env is None else env
    line = [sys.executable, "-m", "blogcrawl", *map(str, args)]
    if env["PYTHONPATH"] == str(ROOT) and preexec_fn is None:
        done = forked.run(line, cwd=cwd, env=env, stdin=stdin)
    else:  # Python reads its path when it starts
        given = subprocess.DEVNULL if stdin is None else stdin
        done = subprocess.run(
            line,
            cwd=cwd,
            env=env,
            stdin=given,
            capture_output=True,
            text=True,
            preexec_fn=preexec_fn,
        )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, bool], Any]:
    """``built_site(engine, full_feed)``: the blog as its engine made it, once per session."""
    from tests.engines.build import ENGINES, Site

    made: dict[tuple[str, bool], Site] = {}

    def build(engine: str, full_feed: bool) -> Site:
        key = (engine, full_feed)
        if key not in made:
            made[key] = ENGINES[engine](tmp_path_factory.mktemp(engine), full_feed)
        return made[key]

    return build


@pytest.fixture
def swallowed_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alarms may end in a collector's callback (Hypothesis has one). pytest would report each, and
    the next alarm, ringing in that report, is an error of pytest.
    """
    monkeypatch.setattr(sys, "unraisablehook", lambda _what: None)


@pytest.fixture
def serve_site(tmp_path: Path) -> Iterator[Callable[[Any], Server]]:
    """``serve_site(site)``: a running server with a copy of the site that knows its own address."""
    from tests.engines.build import BASE

    running: list[Server] = []

    def serve(site: Any) -> Server:
        root = tmp_path / f"served-{len(running)}"
        shutil.copytree(site.root, root)
        server = Server(root)
        server.__enter__()
        running.append(server)
        rebase(root, BASE, server.url.rstrip("/"))
        return server

    yield serve
    for server in running:
        server.__exit__(None, None, None)


def rebase(root: Path, old: str, new: str) -> None:
    """Put ``new`` in the place of the address ``old`` in every text file below ``root``."""
    for path in root.rglob("*"):
        if (
            path.suffix in (".html", ".xml", ".txt", ".js", ".json", ".css", ".rss", ".atom")
            and path.is_file()
        ):
            data = path.read_bytes()
            if old.encode() in data:
                path.write_bytes(data.replace(old.encode(), new.encode()))
