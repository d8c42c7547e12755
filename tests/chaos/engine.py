"""The driver: a scenario is run undisturbed once, then again and again with trouble at random
moments, and both are compared.

A scenario prepares what it needs (a site behind a server, an archive to begin with, services),
names a command line, and says what must be as after the undisturbed run. One round: a fresh copy of
the archive, the command started and killed a few times, then run to its end, then checked. Trouble
is SIGKILL unless the scenario brings its own (an outage of a database, say): see ``Trouble``.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, clean_environment
from tests.server import Server

INJECT = Path(__file__).parent / "inject"
MAX_SECONDS = 300.0
"""By the clock, for one start of a command."""
GRACE_SECONDS = 20.0
"""In which processes that a killed program left behind must be gone."""
MOST_KILLS = 20
"""In one round."""
MOST_STARTS = 6
"""After the last kill, until the command has come to its end."""
KINDS = ("exit", "lost", "doubled", "unequal", "invalid", "leftovers", "processes", "repeated")
"""What may be wrong after a round."""

WAITING = re.compile(r"crawls/#/evidence/#(?:/blogcrawl-[#-]+\.(?:warc\.gz|cdxj)|/#\.wacz)?\Z")
EARLIER_CRAWLS = re.compile(r"packages/.*/records/data/crawls\.jsonl\Z")
"""A blog's package lists the crawls before the one that wrote it; an undisturbed
archive has none.
"""

Faults = list[tuple[str, str]]
"""(kind, what)."""


@dataclass
class World:
    """One round's folder. ``archive`` and ``out`` are the command's, ``tmp`` is its folder for
    temporary files.
    """

    folder: Path
    url: str = ""
    server: Server | None = None
    environment: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def archive(self) -> Path:
        return self.folder / "archive"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def tmp(self) -> Path:
        return self.folder / "tmp"

    @property
    def stage(self) -> Path:
        """What all rounds share."""
        return self.folder.parent


@dataclass
class Measure:
    """Of the undisturbed run: seconds, changes of files, requests, and the world it left."""

    world: World
    seconds: float
    changes: int
    requests: int
    outcome: dict[str, Any]


@dataclass
class Run:
    """A started command, for trouble to happen to."""

    world: World
    process: subprocess.Popen[bytes]
    rng: random.Random
    measure: Measure
    requests_before: int
    injected: bool = False
    """It kills itself at a change of a file."""
    wrapped: bool = False
    """The process started another one that is the command: faketime waits for it."""


Trouble = Callable[[Run], bool]
"""Does something to a run; True when it happened, False when the command had ended before. The
driver waits for the process's end only after a kill: other trouble leaves it running, and the
command must come to its end by itself or when it is started again."""


@dataclass(frozen=True)
class Scenario:
    """``stage``: prepares, given the folder; the world it yields is the model of each round's.

    ``command``: arguments of blogcrawl with ``{archive}``, ``{out}``, ``{url}`` and ``{stage}``, or
    a whole command line. ``outcome``: what must equal that of the undisturbed run. ``check``: what
    is wrong in itself, compared with the measure. ``wrap``: what stands before the command at each
    start (another clock, another namespace); without a random number generator it is a start that
    must come to its end. ``collect``: called before the checks.
    """

    name: str
    stage: Callable[[Path], AbstractContextManager[World]]
    command: Sequence[str]
    outcome: Callable[[World], dict[str, Any]]
    check: Callable[[World, Measure], Faults]
    trouble: Trouble | None = None
    wrap: Callable[[World, random.Random | None], Sequence[str]] | None = None
    collect: Callable[[World], None] = lambda world: None
    in_flight: Callable[[World, list[str]], Iterable[str]] | None = None
    """Of the paths requested since the last start, those that a killed run had not dealt with: they
    may be requested again.
    """
    done: tuple[int, ...] = (0,)
    again: tuple[int, ...] = ()
    """Documented exit codes with which the command may end in trouble; it is started again then."""
    skip: Callable[[], str | None] = lambda: None
    """Why this scenario can't run here."""
    share: int = 1


@dataclass
class Result:
    scenario: str
    rounds: int = 0
    kills: int = 0
    restarts: int = 0
    seconds: float = 0.0
    faults: Faults = field(default_factory=list)
    skipped: str | None = None

    def count(self, kind: str) -> int:
        return sum(1 for one, _ in self.faults if one == kind)


def start(
    scenario: Scenario,
    world: World,
    rng: random.Random | None = None,
    *,
    kill_at: int = 0,
    count: Path | None = None,
) -> Any:
    """The scenario's command in a session of its own; its words go to log.txt."""
    names = {
        "archive": world.archive,
        "out": world.out,
        "url": world.url,
        "stage": world.stage,
        "python": sys.executable,
    }
    words = [word.format(**names) for word in scenario.command]
    prefix = list(scenario.wrap(world, rng)) if scenario.wrap else []
    command = [
        *prefix,
        *([] if words[0] == sys.executable else [sys.executable, "-m", "blogcrawl"]),
        *words,
    ]
    environment = clean_environment(**world.environment) | {
        "PYTHONPATH": f"{INJECT}{os.pathsep}{ROOT}",
        "TMPDIR": str(world.tmp),
        "CHAOS_MARK": world.mark,
        "CHAOS_PARENT": "" if prefix else str(os.getpid()),
        "CHAOS_BELOW": str(world.folder),
        "CHAOS_KILL_AT": str(kill_at),
        **({"CHAOS_COUNT": str(count)} if count else {}),
    }
    world.tmp.mkdir(exist_ok=True)
    with (world.folder / "log.txt").open("ab") as log:
        return subprocess.Popen(
            command,
            env=environment,
            cwd=world.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def kill(run: Run) -> bool:
    """SIGKILL at a random moment: in time, after a request, or (``injected``) before a change of a
    file; children with it or not.
    """
    if run.injected:
        return wait(run.process) == -signal.SIGKILL
    if run.measure.requests and run.rng.random() < 0.4:
        wanted = run.requests_before + 1 + int(early(run.rng) * run.measure.requests)
        wait_for_requests(run, wanted)
    else:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.process.wait(early(run.rng) * run.measure.seconds)
    if run.process.poll() is not None:
        return False
    if run.wrapped or run.rng.random() < 0.5:
        os.killpg(run.process.pid, signal.SIGKILL)
    else:
        run.process.kill()  # its children live on without it
    return wait(run.process) == -signal.SIGKILL


def early(rng: random.Random) -> float:
    """A share of the undisturbed run, 0 to 1: rather early, since a run that goes on has less left
    to do.
    """
    return rng.random() ** 2


def wait_for_requests(run: Run, count: int) -> None:
    assert run.world.server is not None
    until = time.monotonic() + MAX_SECONDS
    while (
        run.process.poll() is None
        and len(run.world.server.paths()) < count
        and time.monotonic() < until
    ):
        time.sleep(0.02)


def wait(process: subprocess.Popen[bytes]) -> int:
    """The exit code; a command that does not come to its end is killed with all it started (and its
    code reports it).
    """
    try:
        return process.wait(MAX_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGABRT)
        time.sleep(1)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def marked(mark: str) -> list[int]:
    """Processes of a world, wherever they hang."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if f"CHAOS_MARK={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                    found += [int(folder.name)] if state != "Z" else []
            except OSError:
                continue
    return found


def fresh(model: World, number: int) -> World:
    """A new world with the model's archive."""
    folder = model.folder.parent / f"round-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("archive", "out"):
        if (model.folder / name).exists():
            shutil.copytree(model.folder / name, folder / name, symlinks=True)
    if model.server is not None:
        model.server.clear_log()
    return World(folder, model.url, model.server, model.environment, model.extra)


def undisturbed(scenario: Scenario, model: World) -> Measure:
    world = fresh(model, 0)
    count = world.folder.parent / "changes"
    began = time.monotonic()
    code = wait(start(scenario, world, count=count))
    if code not in scenario.done:
        raise RuntimeError(
            f"{scenario.name} ends with {code} "
            f"undisturbed:\n{(world.folder / 'log.txt').read_text()[-3000:]}"
        )
    scenario.collect(world)
    changes = int(count.read_text()) if count.exists() else 0
    requests = len(world.server.paths()) if world.server else 0
    return Measure(world, time.monotonic() - began, changes, requests, scenario.outcome(world))


class Round:
    """One world, disturbed ``kills`` times, finished and checked."""

    def __init__(
        self, scenario: Scenario, measure: Measure, world: World, rng: random.Random
    ) -> None:
        self.scenario, self.measure, self.world, self.rng = scenario, measure, world, rng
        self.allowed: Counter[str] = Counter()
        self.kills = self.starts = 0
        self.ended = False
        self.faults: Faults = []

    def disturb(self) -> bool:
        """Start the command and let trouble happen; False when the command came to its end."""
        server, scenario = self.world.server, self.scenario
        before = len(server.paths()) if server else 0
        injected = (
            scenario.trouble is None
            and scenario.wrap is None
            and self.measure.changes > 1
            and self.rng.random() < 0.5
        )
        change = 1 + int(early(self.rng) * (self.measure.changes - 1)) if injected else 0
        process = start(scenario, self.world, self.rng, kill_at=change)
        self.starts += 1
        happened = (scenario.trouble or kill)(
            Run(
                self.world,
                process,
                self.rng,
                self.measure,
                before,
                injected,
                scenario.wrap is not None,
            )
        )
        self.kills += happened
        code = wait(process)
        if server is not None and scenario.in_flight is not None and code == -signal.SIGKILL:
            self.allowed.update(scenario.in_flight(self.world, settled(server)[before:]))
        return not self._ended(code)

    def _ended(self, code: int) -> bool:
        """Did the command come to its end? Codes that are neither an end nor a kill nor documented
        are faults.
        """
        if code not in (*self.scenario.done, *self.scenario.again, -signal.SIGKILL):
            words = (self.world.folder / "log.txt").read_text(errors="replace")[-1500:]
            self.faults.append(("exit", f"ended with {code}: {words}"))
        self.ended = code in self.scenario.done
        return self.ended

    def finish(self) -> None:
        for _ in range(0 if self.ended else MOST_STARTS):
            self.starts += 1
            if self._ended(wait(start(self.scenario, self.world))):
                break
        if not self.ended:
            self.faults.append(("exit", f"did not come to its end in {MOST_STARTS} more starts"))
        self.scenario.collect(self.world)
        self.faults += self.scenario.check(self.world, self.measure)
        outcome = self.scenario.outcome(self.world)
        self.faults += compared(self.measure.outcome, outcome)
        self.faults += leftovers(self.world, self.measure.world)
        self.faults += left_running(self.world)
        if self.world.server is not None and self.scenario.in_flight is not None:
            usual = Counter(dict.fromkeys(self.world.server.paths(), 1))
            beyond = Counter(self.world.server.paths()) - usual - self.allowed
            self.faults += [
                ("repeated", f"{path} {count} times more than was in flight")
                for path, count in beyond.items()
            ]


def settled(server: Server) -> list[str]:
    """The server's log once what it had accepted before a kill is written down."""
    paths = server.paths()
    while True:
        time.sleep(0.3)
        if len(paths) == len(paths := server.paths()):
            return paths


def compared(expected: dict[str, Any], found: dict[str, Any]) -> Faults:
    """``posts`` and what else is a list: lost and doubled; all other keys: unequal."""
    faults: Faults = []
    for key, value in expected.items():
        if isinstance(value, list):
            a, b = Counter(value), Counter(found[key])
            doubled = {one: count for one, count in b.items() if count > 1 and count > a[one]}
            faults += [("lost", f"{key}: {one}") for one in a - b if one not in b]
            faults += [("doubled", f"{key}: {one}") for one in doubled]
            faults += [
                ("unequal", f"{key}: {one} was not there undisturbed")
                for one in b - a
                if one not in doubled
            ]
        elif found[key] != value:
            faults.append(("unequal", f"{key}: {difference(value, found[key])}"))
    return faults


def difference(expected: Any, found: Any) -> str:
    """Where two values differ first: keys of mappings, then the place in their text."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = [key for key in {**expected, **found} if expected.get(key) != found.get(key)]
        return "; ".join(
            f"{key}: {difference(expected.get(key), found.get(key))}" for key in keys[:3]
        )
    one, other = str(expected), str(found)
    same = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return f"...{one[max(0, same - 60) : same + 120]} / ...{other[max(0, same - 60) : same + 120]}"


def shapes(folder: Path) -> dict[str, str]:
    """Shape of each path below ``folder`` (what names one object or moment is replaced) -> such a
    path.
    """
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        found[
            re.sub(
                r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{10,}|\b[0-9a-f]{3}\b|\d+",
                "#",
                name,
            )
        ] = name
    return found


def leftovers(world: World, undisturbed: World) -> Faults:
    """Files of a shape that the undisturbed run did not leave, in the archive, the output, and the
    folder of temporary files.

    Evidence of a visit that found nothing new is not counted: it waits in the archive for the next
    version of the blog's package.
    """
    faults = [("leftovers", f"tmp/{path.name}") for path in world.tmp.iterdir()]
    for name in ("archive", "out"):
        usual = shapes(undisturbed.folder / name)
        found = shapes(world.folder / name).items()
        faults += [
            ("leftovers", f"{name}/{path}")
            for shape, path in found
            if shape not in usual and not WAITING.match(shape) and not EARLIER_CRAWLS.match(shape)
        ]
    return faults


def left_running(world: World) -> Faults:
    until = time.monotonic() + GRACE_SECONDS
    while (alive := marked(world.mark)) and time.monotonic() < until:
        time.sleep(0.2)
    faults: Faults = []
    for pid in alive:
        with contextlib.suppress(OSError):
            faults.append(
                (
                    "processes",
                    Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:200],
                )
            )
            os.kill(pid, signal.SIGKILL)
    return faults


Step = Callable[[Result], None]


MOST_IDLE_ROUNDS = 5
"""Rounds without a kill (the command ended before) after which the time limit holds."""


def play(
    scenario: Scenario,
    kills: int,
    seed: int,
    work: Path,
    *,
    seconds: float = float("inf"),
    step: Step | None = None,
) -> Result:
    """Rounds of a scenario until there were so many kills, or so many seconds are over. Worlds of
    rounds that were well are removed.
    """
    result, began = Result(scenario.name), time.monotonic()
    result.skipped = scenario.skip()
    if result.skipped:
        return result
    folder = work / scenario.name.replace(":", "-").replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "model").mkdir(parents=True)
    with scenario.stage(folder / "model") as model:
        measure = undisturbed(scenario, model)
        first = time.monotonic()  # what the undisturbed run took on a busy machine is not counted
        while result.kills < kills and (
            time.monotonic() - first < seconds
            or (not result.kills and result.rounds < MOST_IDLE_ROUNDS)
        ):
            result.rounds += 1
            rng = random.Random(f"{seed} {scenario.name} {result.rounds}")
            one = Round(scenario, measure, fresh(model, result.rounds), rng)
            most = min(rng.randrange(1, MOST_KILLS + 1), kills - result.kills)
            while one.kills < most and one.disturb():
                pass
            one.finish()
            result.kills += one.kills
            result.restarts += one.starts - 1
            result.faults += [(kind, f"round {result.rounds}: {what}") for kind, what in one.faults]
            if step is not None:
                step(result)
            if not one.faults:
                shutil.rmtree(one.world.folder, ignore_errors=True)
    result.seconds = time.monotonic() - began
    return result
