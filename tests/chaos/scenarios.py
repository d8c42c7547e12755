"""What is run: see ``engine.Scenario``. Each returns to one small blog (or several) behind a real
server on loopback.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from blogcrawl import __version__
from blogcrawl.core.errors import DiskFullError
from tests import clocks
from tests.chaos import judges
from tests.chaos.engine import Run, Scenario, Trouble, World, early, wait
from tests.cluster.realnodes import Cluster, deploy_module
from tests.crawling.blog import edited, entries, write_blog
from tests.server import Rule, Server

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
        done = judges.blogcrawl(
            world,
            "crawl",
            world.url,
            "--archive",
            world.archive,
            "--delay",
            "0",
            "--render",
            "never",
        )
        if done.returncode:
            raise RuntimeError(
                f"the crawl that prepares ended with {done.returncode}: {done.stderr[-2000:]}"
            )
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
        done = judges.blogcrawl(
            world,
            "export",
            "--format",
            "bagit",
            "-o",
            world.stage / "packages",
            "--archive",
            world.archive,
        )
        if done.returncode:
            raise RuntimeError(
                f"the export that prepares ended with {done.returncode}: {done.stderr[-2000:]}"
            )
        shutil.rmtree(world.archive)
        yield World(folder)


def other_clock(world: World, rng: random.Random | None) -> Sequence[str]:
    """Each start lives in another time, years before or after, or just over an hour's change."""
    if rng is None:
        return ()
    return clocks.at(
        rng.choice(("-3y", "+3y", "+20y", "-1d", "+25h", "-61m", "+5s x0.5", "+0 x20"))
    )


ROOMY = 64 * 2**20
"""Bytes of a disk that does not get full."""


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[World]:
    """Archives lie on file systems in memory, in a mount namespace that a sleeping
    process holds.
    """
    with site(folder, 8) as world:
        holder = subprocess.Popen(["unshare", "-rm", "sleep", "infinity"])
        try:
            inside = world.extra["inside"] = (
                "nsenter",
                "-t",
                str(holder.pid),
                "-U",
                "-m",
                "--preserve-credentials",
            )
            while subprocess.run(
                [*inside, "mountpoint", "-q", "/proc"], capture_output=True, check=False
            ).returncode:
                time.sleep(0.1)  # the holder is not in its namespace yet
            yield world
        finally:
            holder.kill()
            holder.wait()


def on_the_disk(world: World, rng: random.Random | None) -> Sequence[str]:
    """Mount the round's disk at its first start, let it grow a little at each further one."""
    inside: tuple[str, ...] = world.extra["inside"]
    size = world.extra[world.mark] = (
        ROOMY if rng is None else world.extra.get(world.mark, 0) + rng.randrange(40_000, 500_000)
    )
    world.archive.mkdir(exist_ok=True)
    mounted = (
        subprocess.run([*inside, "mountpoint", "-q", str(world.archive)], check=False).returncode
        == 0
    )
    how = f"remount,size={size}" if mounted else f"size={size}"
    subprocess.run(
        [*inside, "mount", "-t", "tmpfs", "-o", how, "tmpfs", str(world.archive)], check=True
    )
    return inside


def off_the_disk(world: World) -> None:
    """Copy the archive out of the namespace, to where it is looked at."""
    inside: tuple[str, ...] = world.extra["inside"]
    copy = world.folder / "copy"
    subprocess.run([*inside, "cp", "-a", str(world.archive), str(copy)], check=True)
    subprocess.run([*inside, "umount", str(world.archive)], check=True)
    world.archive.rmdir()
    copy.rename(world.archive)


def filled(run: Run) -> bool:
    """The trouble is the disk's own: the command ends by itself, with the documented code."""
    return wait(run.process) == DiskFullError.exit_code


def no_namespace() -> str | None:
    done = (
        subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
        if shutil.which("unshare")
        else None
    )
    return (
        None if done is not None and done.returncode == 0 else "no mount namespace can be made here"
    )


BLOGS = 2
CONTROL = (
    "--set",
    "delay_seconds=0",
    "--set",
    "render=never",
    "--lease",
    "15",
    "--pause",
    "0.5",
    "--base-hours",
    "100",
    "--until-idle",
)


@contextlib.contextmanager
def cluster_of_one(folder: Path) -> Iterator[World]:
    """A real Scrapyd node with the project's egg, and a list of blogs."""
    with contextlib.ExitStack() as stack:
        urls = []
        for number in range(BLOGS):
            root = folder.parent / f"site-{number}"
            root.mkdir()
            server = stack.enter_context(Server(root, host=f"127.0.9.{number + 1}"))
            write_blog(root, entries(5), base=server.url.rstrip("/"))
            server.rules = [Rule(path=".*", delay=LATENCY)]
            urls.append(server.url)
        (folder.parent / "list.txt").write_text("".join(f"{url}\n" for url in urls))
        cluster = stack.enter_context(Cluster(folder.parent, 1))
        world = World(folder, environment=cluster.environment, extra={"cluster": cluster})
        world.url = cluster.urls[0]
        yield world


def node_killed(run: Run) -> bool:
    """SIGKILL to the node and the crawls it runs; it is started again at the same address. The
    controller goes on.
    """
    cluster: Cluster = run.world.extra["cluster"]
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.process.wait(early(run.rng) * run.measure.seconds)
        return False
    cluster.signal_node(0, signal.SIGKILL)
    cluster.nodes[0][1].wait()
    cluster.nodes[0] = deploy_module("cluster_local").start_node(
        100, cluster.work / "nodes", cluster.slots, cluster.environment
    )
    assert cluster.urls[0] == run.world.url, "the node has another port now"
    return True


def clustered(name: str, trouble: Trouble | None) -> Scenario:
    command = (
        "controller",
        "--archive",
        "{archive}",
        "--egg-version",
        __version__,
        "--node",
        "{url}=2",
        "{stage}/list.txt",
        *CONTROL,
    )
    return Scenario(
        name=name,
        stage=cluster_of_one,
        command=command,
        outcome=judges.archive_outcome,
        check=judges.archive_check,
        trouble=trouble,
        share=1,
    )


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
        crawl("crawl:rendered", 6, "--render", "always", share=3, skip=no_browser),
        crawl(
            "crawl:clock",
            12,
            "--render",
            "never",
            share=2,
            wrap=other_clock,
            skip=clocks.unavailable,
        ),
        Scenario(
            name="crawl:disk",
            stage=small_disk,
            command=(*CRAWL, "--render", "never", "--set", "storage_wait_seconds=1"),
            outcome=judges.archive_outcome,
            check=judges.archive_check,
            trouble=filled,
            wrap=on_the_disk,
            collect=off_the_disk,
            again=(DiskFullError.exit_code,),
            skip=no_namespace,
            share=2,
        ),
        clustered("controller", None),
        clustered("node", node_killed),
        Scenario(
            name="update",
            stage=changed,
            command=("update", "--archive", "{archive}", "--delay", "0", "--render", "never"),
            outcome=judges.archive_outcome,
            check=judges.archive_check,
            share=8,
        ),
        *map(
            export,
            ("jsonl", "marcxml", "dc", "parquet", "warc", "wacz", "bagit", "eark-zip", "html"),
        ),
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
