"""Whole crawls while the database or the package store is away, held against an undisturbed crawl
of the same blog.

    python -m tests.chaos.outages [--outages 50] [--seed 17] [--nodes 0,1,4] [--delays 0,1]
    [--longest 60] [--posts 40]
        [--services postgres,s3]

Each crawl meets one outage of PostgreSQL (stopped in good order, or as by a power cut) or of the S3
server (killed), at a random moment and for a random time. Afterwards: no post lost, none twice,
every package valid (deep), nothing left over in the scratch folders or the store, and the JSONL
export equal to the undisturbed one but for ``fetched_at``. ``--nodes 0`` is ``blogcrawl crawl``; 1
and 4 are Scrapyd nodes with a controller. Prints a line a crawl and the seed; ends with 1 where
anything does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from blogcrawl.core.config import Config
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from tests import forked
from tests.cluster.services import S3, Postgres, postgres, s3_service
from tests.conftest import clean_environment
from tests.crawling.blog import Entry, write_blog
from tests.server import Rule, Server

STAMP = re.compile(r'"fetched_at": ?"[^"]*"')
POST = re.compile(r"/p/\d+/?")
PATIENCE = 400.0


class Undated(Entry):
    """A post whose address says nothing: neither a date nor words."""

    @property
    def path(self) -> str:
        return f"/p/{self.number}/"


def write_site(root: Path, base: str, posts: int) -> None:
    """A blog of undated addresses whose pages show the date only: the time of day is known from the
    feed alone.
    """
    root.mkdir(parents=True, exist_ok=True)
    write_blog(root, [Undated(number) for number in range(posts)], base=base, feed=10)
    for file in (root / "p").rglob("index.html"):
        file.write_text(
            re.sub(r'<time datetime="[^"]*">', "<time>", file.read_text("utf-8")), "utf-8"
        )


@dataclass(frozen=True, kw_only=True)
class Outage:
    """``service``: postgres or s3. ``after``: pages of posts that were asked for before it begins.
    ``mode``: of ``pg_ctl stop``.
    """

    service: str
    after: int
    seconds: float
    mode: str = "fast"


@dataclass(kw_only=True)
class Found:
    """What a crawl left behind."""

    lines: list[str]
    posts: int
    faults: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    asked_again: int = 0


@dataclass(kw_only=True)
class Ground:
    """A served blog, a database server and a store server, of which each crawl gets a database and
    a bucket's folder of its own.
    """

    server: Server
    database: Postgres | None
    store: S3 | None
    work: Path
    crawls: int = 0

    def environment(self, name: str) -> dict[str, str]:
        login = self.store.environment if self.store is not None else {}
        places = (
            {"BLOGCRAWL_STATE_URL": self.database.create(name)} if self.database is not None else {}
        )
        if self.store is not None:
            places["BLOGCRAWL_STORE_URL"] = f"s3://packages/{name}"
        return clean_environment(**login, **places)

    def begin(self, outage: Outage) -> None:
        if outage.service == "postgres":
            assert self.database is not None
            self.database.stop(outage.mode)
        else:
            assert self.store is not None
            self.store.stop()

    def end(self, outage: Outage) -> None:
        if outage.service == "postgres":
            assert self.database is not None
            self.database.start()
        else:
            assert self.store is not None
            self.store.start()


@contextlib.contextmanager
def ground(
    work: Path, *, posts: int = 40, s3: bool = True, latency: float = 0.05
) -> Iterator[Ground | None]:
    """None where PostgreSQL or, with ``s3``, an S3 server that keeps its data on disk is not
    installed.
    """
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres())
        store = stack.enter_context(s3_service(work)) if s3 else None
        if database is None or (s3 and store is None):
            yield None
            return
        server = stack.enter_context(Server(work / "site"))
        write_site(work / "site", server.url.rstrip("/"), posts)
        server.rules = [Rule(path=".*", delay=latency)]
        yield Ground(server=server, database=database, store=store, work=work)


def posts_asked(server: Server) -> int:
    return sum(1 for path in server.paths() if POST.fullmatch(path))


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def command(environment: dict[str, str], work: Path, *words: str) -> str:
    done = forked.run([sys.executable, "-m", "blogcrawl", *words], cwd=work, env=environment)
    if done.returncode not in (0, 10):
        raise AssertionError(f"{words[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def crawl(
    place: Ground,
    *,
    delay: float = 0.0,
    outage: Outage | None = None,
    settings: tuple[str, ...] = (),
) -> Found:
    """One ``blogcrawl crawl`` into a database and a store of its own. Raises AssertionError where
    it doesn't end well.
    """
    place.crawls += 1
    name = f"crawl{place.crawls}"
    environment, archive = place.environment(name), place.work / name
    place.server.clear_log()
    words = [
        "crawl",
        place.server.url,
        "--archive",
        str(archive),
        "--delay",
        str(delay),
        "--render",
        "never",
        "--json",
    ]
    words += [word for pair in settings for word in ("--set", pair)]
    with (
        (place.work / f"{name}.out").open("wb") as out,
        (place.work / f"{name}.err").open("wb") as err,
        open(os.devnull) as nothing,
    ):
        child = forked.Fork(
            [sys.executable, "-m", "blogcrawl", *words],
            env=environment,
            cwd=place.work,
            streams=[nothing.fileno(), out.fileno(), err.fileno()],
        )
    try:
        if outage is not None:
            met = wait_until(
                lambda: posts_asked(place.server) >= outage.after or child.poll() is not None,
                PATIENCE,
            )
            assert met, (
                f"no {outage.after} posts were asked for within {PATIENCE:.0f} s: "
                f"{place.work / name}.err"
            )
            assert child.poll() is None, (
                f"the crawl was over before the outage: {place.work / name}.err"
            )
            place.begin(outage)
            try:
                time.sleep(outage.seconds)
            finally:
                place.end(outage)
        code = child.wait()
    finally:
        child.kill()
        child.wait()
    output = (place.work / f"{name}.out").read_text() + (place.work / f"{name}.err").read_text()
    assert code == 0, f"the crawl ended with {code}: {output[-3000:]}"
    return look(place, environment, archive)


def look(place: Ground, environment: dict[str, str], archive: Path) -> Found:
    """Everything that must hold after a crawl, whatever happened in it."""
    export = command(
        environment, place.work, "export", "--archive", str(archive), "--format", "jsonl"
    )
    lines = sorted(STAMP.sub('"fetched_at":null', line) for line in export.splitlines())
    config = Config(
        archive=str(archive),
        state_url=environment.get("BLOGCRAWL_STATE_URL", ""),
        store_url=environment.get("BLOGCRAWL_STORE_URL", ""),
    )
    with _as(environment):
        store = open_store(config)
        state = open_state(config)
        try:
            rows = list(state.posts())
        finally:
            state.close()
        doubled = [
            url
            for url, count in Counter(json.loads(line)["url"] for line in lines).items()
            if count > 1
        ]
        doubled += [row.url for row in rows if len(store.versions(row.aip_id or "")) != 1]
        ids = list(store.object_ids())
        faults = [
            fault for object_id in ids for fault in store.verify(object_id, deep=True)
        ] + store.verify_root()
    leftovers = [str(path.relative_to(archive)) for path in archive.rglob("*.part")] + _scratch(
        archive
    )
    asked = Counter(path.rstrip("/") for path in place.server.paths() if POST.fullmatch(path))
    again = sum(count - 1 for count in asked.values())
    return Found(
        lines=lines,
        posts=len(rows),
        faults=faults,
        leftovers=leftovers,
        doubled=doubled,
        asked_again=again,
    )


def _scratch(archive: Path) -> list[str]:
    """What crawls and writers have left in their scratch folders."""
    work = archive / "packages.work"
    left = (
        [path for path in work.rglob("*") if path.is_file() and path.parent.name != "locks"]
        if work.exists()
        else []
    )
    kept = {"captures.db", "captures.db-wal", "captures.db-shm", "blogcrawl.log"}
    left += [
        path for path in (archive / "crawls").rglob("*") if path.is_file() and path.name not in kept
    ]
    return [str(path.relative_to(archive)) for path in left]


@contextlib.contextmanager
def _as(environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(
        {name: value for name, value in environment.items() if name.startswith("AWS_")}
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def differences(found: Found, reference: Found) -> list[str]:
    """What is wrong with a disturbed crawl, a line each."""
    wrong = [
        (
            f"{abs(reference.posts - found.posts)} posts "
            f"{'lost' if found.posts < reference.posts else 'too many'}"
        )
    ]
    wrong = wrong if found.posts != reference.posts else []
    wrong += [f"doubled: {url}" for url in found.doubled]
    wrong += [f"invalid: {fault}" for fault in found.faults]
    wrong += [f"left over: {path}" for path in found.leftovers]
    if found.lines != reference.lines:
        other = sorted(set(found.lines) ^ set(reference.lines))
        wrong.append(
            f"the exports differ in {len(other)} lines: {[line[:300] for line in other[:2]]}"
        )
    return wrong


# the long form

CLUSTER = ("--set", "render=never", "--lease", "20", "--pause", "0.5", "--base-hours", "100")


def cluster_crawl(place: Ground, nodes: int, *, delay: float, outage: Outage | None) -> Found:
    """The same blog as a job of a controller with so many real Scrapyd nodes."""
    from tests.cluster.realnodes import Cluster

    place.crawls += 1
    name = f"crawl{place.crawls}"
    work = place.work / name
    work.mkdir()
    environment = place.environment(name)
    (work / "list.txt").write_text(f"{place.server.url}\n")
    place.server.clear_log()
    with Cluster(work, nodes, slots=1, environment=environment) as cluster:
        child = cluster.control(
            work / "list.txt", "--until-idle", *CLUSTER, "--set", f"delay_seconds={delay}"
        )
        if outage is not None:
            assert wait_until(lambda: posts_asked(place.server) >= outage.after, PATIENCE), (
                cluster.output()
            )
            place.begin(outage)
            try:
                time.sleep(outage.seconds)
            finally:
                place.end(outage)
        code = child.wait(PATIENCE)
        assert code == 0, f"the controller ended with {code}: {cluster.output()}"
        return look(place, environment, cluster.archive)


def choose(rng: random.Random, services: tuple[str, ...], posts: int, longest: float) -> Outage:
    return Outage(
        service=rng.choice(services),
        after=rng.randrange(1, posts - 2),
        seconds=round(rng.uniform(1, longest), 1),
        mode=rng.choice(("fast", "immediate")),
    )


def one(place: Ground, nodes: int, delay: float, outage: Outage | None) -> Found:
    return (
        cluster_crawl(place, nodes, delay=delay, outage=outage)
        if nodes
        else crawl(place, delay=delay, outage=outage)
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--outages", type=int, default=50)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--nodes", default="0,1,4", help="0 is the command line")
    parser.add_argument("--delays", default="0,1")
    parser.add_argument("--longest", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--posts", type=int, default=40)
    parser.add_argument(
        "--services",
        default="postgres,s3",
        help="what goes away; without s3 packages are kept in a folder",
    )
    parser.add_argument("--work", help="leave everything there")
    args = parser.parse_args()
    rng, failed, again = random.Random(args.seed), 0, 0
    work = Path(args.work or tempfile.mkdtemp(prefix="bc-outages-"))
    work.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped then, too
    print(f"seed {args.seed}", flush=True)
    services = tuple(args.services.split(","))
    with ground(work, posts=args.posts, s3="s3" in services, latency=0.3) as place:
        if place is None:
            sys.exit(
                "PostgreSQL or an S3 server that keeps its data (localbucket) is not installed"
            )
        reference = one(place, 0, 0.0, None)
        print(
            f"undisturbed: {reference.posts} posts, wrong: {differences(reference, reference)}",
            flush=True,
        )
        kinds = [
            (int(nodes), float(delay))
            for nodes in args.nodes.split(",")
            for delay in args.delays.split(",")
        ]
        for number in range(args.outages):
            (nodes, delay), outage = (
                kinds[number % len(kinds)],
                choose(rng, services, args.posts, args.longest),
            )
            began = time.monotonic()
            try:
                found = one(place, nodes, delay, outage)
                wrong, again = differences(found, reference), again + found.asked_again
                asked = found.asked_again
            except AssertionError as error:
                wrong, asked = [str(error)[-1500:]], 0
            failed += bool(wrong)
            kind = f"{nodes} nodes" if nodes else "command line"
            case = (
                f"{outage.service} away {outage.seconds} s after {outage.after} posts "
                f"({outage.mode}), {kind}, delay {delay:g}"
            )
            print(
                (
                    f"{number + 1:3} {case}: {wrong or 'good'}; {asked} asked again; "
                    f"{time.monotonic() - began:.0f} s"
                ),
                flush=True,
            )
            shutil.rmtree(place.work / f"crawl{place.crawls}", ignore_errors=not args.work)
    print(
        f"{args.outages} outages, {failed} of them with faults, {again} pages asked for again",
        flush=True,
    )
    if not args.work:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
