"""Damage to any file of an archive, one at a time, and whether ``blogcrawl verify`` finds it.

    python -m tests.chaos.damage [--count 5000] [--seed 17] [--made] [--plain] [--every N]

An archive is made by a real crawl of a small blog (comments, pictures, an edited post with a second
version, WACZ files), with a ledger of deposits and evidence that waits. Then ``--count`` times one
file is damaged (a flipped bit, truncated, deleted, swapped with another, filled with zeros,
longer), ``verify --deep`` runs through the command's own function, and the file is restored.
Required each time: exit code 10, the damaged package or file named (of two swapped ones one),
nothing raised. ocfl-py is asked about every ``--every``-th damage of a package: where it finds the
object invalid, verify must too. Prints a table by kind of file and one by kind and way of damage,
with the speed; ends with 1 where anything was missed. ``--made`` takes an archive that is written
without a crawl; ``--plain`` runs verify without --deep.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.captures import CaptureIndex
from blogcrawl.storage.deposit import Ledger, deposit, open_target
from blogcrawl.storage.evidence import EvidenceWriter
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Selection
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from tests.conftest import ROOT, clean_environment
from tests.crawling.blog import edited, entries, write_blog
from tests.packaging.samples import BLOG, MOMENT, STAMP, comment, entry, with_media
from tests.packaging.test_warc import make_wacz
from tests.server import Server

NO_CONTENT = ("packages.work/", "crawls/blogcrawl.log")
"""Lock files and the log: nothing in them is anything's content."""
KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("archive's mark", lambda path: path == "blogcrawl-archive.json"),
    ("state.db", lambda path: path == "state.db"),
    ("search index", lambda path: path == "search.db"),
    ("capture index", lambda path: path.endswith("captures.db")),
    ("ledger of deposits", lambda path: path.startswith("deposits/") and path.endswith(".jsonl")),
    ("PREMIS of a deposit", lambda path: path.startswith("deposits/")),
    ("waiting WARC", lambda path: path.startswith("crawls/") and path.endswith(".warc.gz")),
    ("waiting index", lambda path: path.endswith(".cdxj")),
    (
        "waiting list of pages",
        lambda path: path.startswith("crawls/") and path.endswith("pages.jsonl"),
    ),
    ("store's root", lambda path: path.startswith("packages/") and "urn%3a" not in path),
    ("inventory", lambda path: path.endswith("/inventory.json")),
    ("inventory's digest", lambda path: path.endswith(".sha512")),
    ("object's mark", lambda path: path.endswith("0=ocfl_object_1.1")),
    ("METS", lambda path: path.endswith("METS.xml")),
    ("PREMIS", lambda path: path.endswith("premis.xml")),
    ("MARC, Dublin Core", lambda path: "/descriptive/" in path),
    ("JSON record", lambda path: path.endswith(("post.json", "blog.json"))),
    ("WACZ", lambda path: path.endswith(".wacz")),
    ("page, media, other content", lambda path: "/content/" in path),
)
WAYS = ("bit flip", "truncation", "deletion", "swap", "zeros", "longer")


def kind_of(path: str) -> str:
    return next((name for name, fits in KINDS if fits(path)), "other")


# archives


def evidence_that_waits(folder: Path) -> None:
    """A crawl's WARC files that were closed but are in no WACZ yet, with their index, list of pages
    and the blog's captures.
    """
    captures = CaptureIndex(folder / "captures.db")
    writer = EvidenceWriter(
        folder / "evidence" / "waiting",
        info={"software": "a test"},
        captures=captures,
        clock=lambda: MOMENT,
    )
    for number in range(3):
        body = f"<html><p>{'text ' * 50}{number}</p></html>".encode()
        answer = (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
            + body
        )
        url = f"https://blog.example/waiting-{number}"
        writer.exchange(
            url,
            f"GET /waiting-{number} HTTP/1.1\r\nHost: blog.example\r\n\r\n".encode(),
            answer,
            date=MOMENT,
        )
        writer.page(url, MOMENT, title=f"Waiting {number}")
    writer.close()
    captures.close()


def made_archive(folder: Path, posts: int = 3) -> Path:
    """An archive written without a crawl: posts with comments and media, one in two versions, a
    WACZ, deposits, waiting evidence.
    """
    archive = folder / "archive"
    config = Config(archive=str(archive))
    open_archive(config, now=MOMENT)
    store, state = open_store(config), open_state(config)
    blog = ids.blog_id(BLOG.url)
    for number in range(posts):
        comments = tuple(
            comment(i, i - 1 if i else None, content_html="<p>x</p>") for i in range(3)
        )
        source = (
            with_media(number)
            if number == 0
            else entry(number, post_changes={"comments": comments})
        )
        object_id = ids.urn(ids.entry_id(source.post.canonical_url))
        version = store.put(object_id, entry_aip(source), message="first", created=MOMENT)
        if number == 1:
            source = replace(source, post=replace(source.post, title="Another title"))
            version = store.put(
                object_id, entry_aip(source), message="second", created=MOMENT + timedelta(days=1)
            )
        post = source.post
        row = PostRow(
            blog_id=blog,
            url=post.canonical_url,
            title=post.title,
            published=post.published,
            comment_count=len(post.comments),
            aip_id=object_id,
            aip_version=version.version,
        )
        state.save_post(row)
    files = blog_aip(BlogInput(blog=BLOG, stamp=STAMP, evidence={"c1.wacz": make_wacz()}))
    version = store.put(ids.urn(blog), files, message="m", created=MOMENT)
    state.save_blog(
        BlogRow(id=blog, url=BLOG.url, title=BLOG.title, aip_id=version.object_id, aip_version=1)
    )
    deposit(
        state,
        store,
        Selection(),
        open_target(f"folder:{folder / 'deposited'}"),
        Ledger(archive / "deposits", "folder:/srv/deposited"),
    )
    state.close()
    evidence_that_waits(archive / "crawls" / blog)
    return archive


def crawled_archive(folder: Path, posts: int = 4) -> Path:
    """The same by a real crawl, an update after an edit, and a deposit."""
    site, archive, written = folder / "site", folder / "archive", entries(posts)
    site.mkdir()
    write_blog(site, written)

    def run(*args: str) -> None:
        command = [sys.executable, "-m", "blogcrawl", *args]
        environment = clean_environment(
            BLOGCRAWL_ARCHIVE=str(archive), BLOGCRAWL_DELAY_SECONDS="0", BLOGCRAWL_RENDER="never"
        )
        subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=1800
        )

    with Server(site) as server:
        run("crawl", server.url)
        written[-1] = edited(written[-1])
        write_blog(site, written)
        run("update", server.url)
        run("deposit", "--to", f"folder:{folder / 'deposited'}")
    [blog] = [path for path in (archive / "crawls").iterdir() if path.is_dir()]
    evidence_that_waits(blog)
    return archive


# damage


@dataclass(frozen=True)
class Damage:
    """What was done to which file, and to which other one (swap)."""

    way: str
    path: str
    other: str = ""

    @property
    def paths(self) -> list[str]:
        return [path for path in (self.path, self.other) if path]


class Patient:
    """An archive that is damaged and restored, over and over."""

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self.content = {path: (archive / path).read_bytes() for path in self._files()}
        self.kinds: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.content):
            if not path.startswith(NO_CONTENT):
                self.kinds[kind_of(path)].append(path)
        self.rows = {path: rows_of(archive / path) for path in self.content if path.endswith(".db")}

    def _files(self) -> set[str]:
        return {
            path.relative_to(self.archive).as_posix()
            for path in self.archive.rglob("*")
            if path.is_file()
        }

    def damage(self, chance: random.Random) -> Damage | None:
        """One damage, each kind of file and each way as likely as the others; None where it would
        change nothing.
        """
        kind, way = chance.choice(sorted(self.kinds)), chance.choice(WAYS)
        path = chance.choice(self.kinds[kind])
        data = self.content[path]
        if way == "swap":
            other = chance.choice(
                self.kinds[chance.choice((kind, chance.choice(sorted(self.kinds))))]
            )
            if self.content[other] == data:
                return None
            self._write(path, self.content[other])
            self._write(other, data)
            return Damage(way, path, other)
        changed = altered(data, way, chance)
        if changed == data:
            return None
        if changed is None:
            (self.archive / path).unlink()
        else:
            self._write(path, changed)
        return Damage(way, path)

    def _write(self, path: str, data: bytes) -> None:
        (self.archive / path).write_bytes(data)

    def restore(self) -> None:
        """Every file as it was, and none besides."""
        for path in self._files() - set(self.content):
            (self.archive / path).unlink(missing_ok=True)  # SQLite removes its log itself
        for path, data in self.content.items():
            place = self.archive / path
            if (
                not place.exists()
                or place.stat().st_size != len(data)
                or place.read_bytes() != data
            ):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

    def has_no_effect(self, path: str) -> bool:
        """Does the damaged file still say all it said? Free space of a database, the header of a
        gzip member.
        """
        place = self.archive / path
        if path.endswith(".warc.gz") and place.exists():
            with contextlib.suppress(OSError, EOFError, zlib.error):
                return gzip.decompress(place.read_bytes()) == gzip.decompress(self.content[path])
        return path in self.rows and rows_of(place) == self.rows[path]


def altered(data: bytes, way: str, chance: random.Random) -> bytes | None:
    """``data`` after one damage; None: deleted."""
    if way == "deletion" or not data:
        return None
    at = chance.randrange(len(data))
    if way == "bit flip":
        return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    if way == "truncation":
        return data[:at]
    if way == "zeros":
        size = chance.choice((1, 512, 4096, len(data)))
        return data[:at] + bytes(min(size, len(data) - at)) + data[at + size :]
    return data + chance.randbytes(chance.choice((1, 7, 4096)))


def rows_of(path: Path) -> list[str] | str:
    """Everything a database says, its log (``-wal``) included, as SQL; the failure where it can't
    be read.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(shutil.copy(path, folder))
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"{path}-wal", folder)
            with contextlib.closing(sqlite3.connect(copy)) as base:
                return list(base.iterdump())
    except (sqlite3.Error, OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


# judging


def verify(archive: Path, *, deep: bool) -> tuple[int, str]:
    """Exit code and report of the command, in this process. What it raises is raised."""
    from blogcrawl.cli.main import cli

    out = io.StringIO()
    args = ["verify", "--archive", str(archive), *(["--deep"] if deep else [])]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = cli.main(args=args, standalone_mode=False)
    return int(code or 0), out.getvalue()


def name_of(path: str) -> str:
    """What a report must name: the package, or the file."""
    folder = next((step for step in path.split("/") if step.startswith("urn%3a")), None)
    return unquote(folder) if folder else path.rsplit("/", 1)[-1]


def ocfl_py_finds(archive: Path, path: str) -> bool:
    """Does ocfl-py find the object of this path invalid? It dies of some damage (marks that are no
    UTF-8), which counts as found.
    """
    from ocfl import Object

    steps = path.split("/")
    checker = Object()
    root = archive.joinpath(
        *steps[: steps.index(next(s for s in steps if s.startswith("urn%3a"))) + 1]
    )
    try:
        passed, *_ = checker.validate(str(root))
    except Exception:
        return True
    return not passed


@dataclass
class Tally:
    """Of one kind of file."""

    done: int = 0
    found: int = 0
    no_effect: int = 0
    unseen: int = 0
    """With an effect, but beyond any check: reports mention it."""
    ways: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Of each way of damage: how many were tried, found, without effect, not seen."""

    def enter(self, way: str, outcome: str) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.ways[way][outcome] += 1


UNSEEN_KINDS = frozenset({"state.db", "capture index", "search index", "waiting list of pages"})
"""Values in these that no package has: the last line of every report mentions it."""


@dataclass
class Result:
    tallies: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    missed: list[str] = field(default_factory=list)
    judged: int = 0
    """Damages of packages that ocfl-py was asked about, and how many it found."""
    agreed: int = 0


def judge(patient: Patient, damage: Damage, result: Result, *, deep: bool) -> None:
    """Run verify on the damaged archive and enter what came out."""
    tally = result.tallies[kind_of(damage.path)]
    tally.enter(damage.way, "done")
    try:
        code, report = verify(patient.archive, deep=deep)
    except BaseException as error:
        result.missed.append(f"{damage}: {type(error).__name__}: {error}")
        return
    unnamed = [path for path in damage.paths if name_of(path) not in report]
    # of two swapped files one is enough: an index is not read against a damaged WARC file
    if code == 10 and (not unnamed or (damage.way == "swap" and len(unnamed) < len(damage.paths))):
        tally.enter(damage.way, "found")
    elif code == 0 and damage.way != "swap" and patient.has_no_effect(damage.path):
        tally.enter(damage.way, "no_effect")
    elif (
        code == 0
        and (kind := kind_of(damage.path)) in ("waiting list of pages", "search index")
        and (not unnamed or (kind == "waiting list of pages" and damage.way == "truncation"))
    ):
        tally.enter(
            damage.way, "unseen"
        )  # whole lines are missing, or all of it: a note reports it
    elif (
        code == 0
        and damage.way in ("bit flip", "zeros")
        and (not deep or kind_of(damage.path) in UNSEEN_KINDS)
    ):
        tally.enter(damage.way, "unseen")
        if ("no check sees" if deep else "not read") not in report:
            result.missed.append(f"{damage}: the report does not say what it can't see")
    else:
        result.missed.append(f"{damage}: exit code {code}, not named: {unnamed}\n{report[-500:]}")


def run(
    archive: Path,
    count: int,
    seed: int,
    *,
    deep: bool = True,
    every: int = 0,
    step: Callable[[int, Result], None] | None = None,
) -> Result:
    """``count`` damages, one after the other, each restored."""
    patient, chance, result = Patient(archive), random.Random(seed), Result()
    assert verify(archive, deep=True)[0] == 0, verify(archive, deep=True)[1]
    done = 0
    while done < count:
        damage = patient.damage(chance)
        if damage is None:
            continue
        done += 1
        judge(patient, damage, result, deep=deep)
        packaged = [path for path in damage.paths if "urn%3a" in path]
        if every and done % every == 0 and packaged:
            result.judged += 1
            if ocfl_py_finds(archive, packaged[0]):
                result.agreed += 1
        patient.restore()
        if step:
            step(done, result)
    assert verify(archive, deep=True)[0] == 0, "restored, the archive is whole again"
    return result


NOTHING = {"done": 0, "found": 0, "no_effect": 0}


def table(result: Result) -> Iterator[str]:
    yield f"{'kind of file':28} {'damages':>8} {'found':>7} {'no effect':>10} {'not seen':>9}"
    for kind, tally in sorted(result.tallies.items()):
        yield f"{kind:28} {tally.done:8} {tally.found:7} {tally.no_effect:10} {tally.unseen:9}"
    total = [
        sum(getattr(tally, name) for tally in result.tallies.values())
        for name in ("done", "found", "no_effect", "unseen")
    ]
    yield f"{'all':28} {total[0]:8} {total[1]:7} {total[2]:10} {total[3]:9}"
    yield ""
    yield (
        "tried/named/harmless of each kind and way (what is left of the tried was not seen, "
        "or missed)"
    )
    yield f"{'kind of file':28} " + " ".join(f"{way:>14}" for way in WAYS)
    for kind, tally in sorted(result.tallies.items()):
        cells = (
            "{done}/{found}/{no_effect}".format_map({**NOTHING, **tally.ways[way]}) for way in WAYS
        )
        yield f"{kind:28} " + " ".join(f"{cell:>14}" for cell in cells)
    yield (
        f"missed: {len(result.missed)}; ocfl-py asked {result.judged} times, found {result.agreed}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--every", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        archive = (made_archive if options.made else crawled_archive)(Path(name))
        print(
            (
                f"seed {options.seed}, {sum(map(len, Patient(archive).kinds.values()))} files, "
                f"started {datetime.now(UTC):%H:%M}"
            ),
            flush=True,
        )

        def step(done: int, result: Result) -> None:
            if done % 250 == 0:
                print(
                    f"{datetime.now(UTC):%H:%M:%S} {done} done, {len(result.missed)} missed",
                    *result.missed[-3:],
                    sep="\n",
                    flush=True,
                )

        started = time.monotonic()
        result = run(
            archive,
            options.count,
            options.seed,
            deep=not options.plain,
            every=options.every,
            step=step,
        )
        speed = f"{options.count / (time.monotonic() - started) * 60:.0f} damages a minute"
    print(*table(result), speed, *result.missed[:20], sep="\n")
    return 1 if result.missed else 0


if __name__ == "__main__":
    os.environ.pop("BLOGCRAWL_ARCHIVE", None)
    sys.exit(main())


__all__ = ["made_archive", "run", "table", "verify"]
