"""What is run: see ``engine.Scenario``. Each returns to one small blog (or several) behind a real server on loopback."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from tests.chaos import judges
from tests.chaos.engine import Scenario, World
from tests.server import Rule, Server
from tests.spiders.blog import edited, entries, write_blog

CRAWL = ("crawl", "{url}", "--archive", "{archive}", "--delay", "0")
LATENCY = 0.01
"""Seconds; of each answer."""

Stage = Callable[[Path], AbstractContextManager[World]]


@contextlib.contextmanager
def site(folder: Path, posts: int) -> Iterator[World]:
    """A blog behind a server, and no archive yet."""
    root = folder.parent / "site"
    root.mkdir()
    with Server(root) as server:
        write_blog(root, entries(posts), base=server.url.rstrip("/"), sitemap=True)
        server.rules = [Rule(path=".*", delay=LATENCY)]
        yield World(folder, server.url, server)


def new_blog(posts: int) -> Stage:
    return lambda folder: site(folder, posts)


@contextlib.contextmanager
def archived(folder: Path, posts: int = 12) -> Iterator[World]:
    """The blog and an archive of it."""
    with site(folder, posts) as world:
        done = judges.blogcrawl(world, "crawl", world.url, "--archive", world.archive, "--delay", "0", "--render", "never")
        if done.returncode:
            raise RuntimeError(f"the crawl that prepares ended with {done.returncode}: {done.stderr[-2000:]}")
        yield world


@contextlib.contextmanager
def changed(folder: Path) -> Iterator[World]:
    """The archive of a blog that has six more posts since, and two that were edited."""
    with archived(folder) as world:
        assert world.server is not None and world.server.root is not None
        posts = [edited(entry) if entry.number in (9, 11) else entry for entry in entries(18)]
        write_blog(world.server.root, posts, base=world.url.rstrip("/"), sitemap=True)
        yield world


@contextlib.contextmanager
def packages_to_import(folder: Path) -> Iterator[World]:
    """Bags of a whole archive in ``{stage}/packages``, and no archive to begin with."""
    with archived(folder, 8) as world:
        done = judges.blogcrawl(world, "export", "--format", "bagit", "-o", world.stage / "packages", "--archive", world.archive)
        if done.returncode:
            raise RuntimeError(f"the export that prepares ended with {done.returncode}: {done.stderr[-2000:]}")
        shutil.rmtree(world.archive)
        yield World(folder)


def other_clock(world: World, rng: random.Random) -> Sequence[str]:
    """Debian's faketime: each start lives in another time, years before or after, or just over an hour's change."""
    return ("faketime", "-f", rng.choice(("-3y", "+3y", "+20y", "-1d", "+25h", "-61m", "+5s x0.5", "+0 x20")))


def no_faketime() -> str | None:
    return None if shutil.which("faketime") else "faketime is not installed (Debian: apt install faketime)"


def no_browser() -> str | None:
    if os.environ.get("BLOGCRAWL_BROWSER_PATH") == "none":
        return "no browser is installed"
    return None


def crawl(name: str, posts: int, *options: str, share: int, **how: object) -> Scenario:
    return Scenario(
        name=name,
        stage=new_blog(posts),
        command=(*CRAWL, *options),
        outcome=judges.archive_outcome,
        check=judges.archive_check,
        share=share,
        **how,  # type: ignore[arg-type]
    )


def export(kind: str) -> Scenario:
    return Scenario(
        name=f"export:{kind}",
        stage=archived,
        command=("export", "--format", kind, "-o", "{out}", "--archive", "{archive}"),
        outcome=judges.tree_outcome,
        check=judges.output_check,
        share=3,
    )


def deposit(kind: str) -> Scenario:
    return Scenario(
        name=f"deposit:{kind}",
        stage=archived,
        command=("deposit", "--to", kind + ":{out}", "--archive", "{archive}"),
        outcome=judges.ledger_outcome,
        check=judges.output_check,
        share=6,
    )


SCENARIOS = {
    one.name: one
    for one in (
        crawl("crawl", 20, "--render", "never", share=10, in_flight=judges.in_flight),
        crawl("crawl:rendered", 5, "--render", "always", share=3, skip=no_browser),
        crawl("crawl:clock", 12, "--render", "never", share=2, wrap=other_clock, skip=no_faketime),
        Scenario(
            name="update",
            stage=changed,
            command=("update", "--archive", "{archive}", "--delay", "0", "--render", "never"),
            outcome=judges.archive_outcome,
            check=judges.archive_check,
            share=8,
        ),
        *map(export, ("jsonl", "marcxml", "dc", "parquet", "warc", "wacz", "bagit", "eark-zip", "html")),
        *map(deposit, ("folder", "bag", "zip")),
        Scenario(
            name="import",
            stage=packages_to_import,
            command=("import", "{stage}/packages", "--archive", "{archive}"),
            outcome=judges.archive_outcome,
            check=judges.archive_check,
            share=10,
        ),
    )
}
