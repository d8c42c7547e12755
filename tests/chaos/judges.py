"""What an archive holds, and whether it is valid: our own check and those of other hands (ocfl-py,
warcio, bagit).
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.core.config import Config
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from tests import forked
from tests.chaos.engine import Faults, Measure, World
from tests.conftest import clean_environment

_FETCHED_AT = re.compile(r'"fetched_at": ?"[^"]*"')


def config_of(world: World) -> Config:
    """The archive's own state and store, or those that the world's environment names."""
    given = world.environment
    return Config(
        archive=str(world.archive),
        state_url=given.get("BLOGCRAWL_STATE_URL", ""),
        store_url=given.get("BLOGCRAWL_STORE_URL", ""),
    )


def blogcrawl(world: World, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that reads what the disturbed one left."""
    command = [sys.executable, "-m", "blogcrawl", *map(str, words)]
    return forked.run(command, cwd=world.folder, env=clean_environment(**world.environment))


def exported(world: World) -> dict[str, str]:
    """URL of a post -> its line in the JSONL export, byte for byte but for the time of fetching."""
    done = blogcrawl(world, "export", "--format", "jsonl", "--archive", world.archive)
    if done.returncode:
        return {"the export": f"ended with {done.returncode}: {done.stderr[-500:]}"}
    return {json.loads(line)["url"]: _FETCHED_AT.sub("", line) for line in done.stdout.splitlines()}


def archive_outcome(world: World) -> dict[str, Any]:
    """Rows of posts, packages with their versions, and the export."""
    config = config_of(world)
    state = open_state(config)
    try:
        posts = [row.url for row in state.posts()]
    finally:
        state.close()
    store = open_store(config)
    packages = {one: len(store.versions(one)) for one in store.object_ids()}
    return {
        "posts": posts,
        "packages": list(packages),
        "versions": packages,
        "export": exported(world),
    }


def archive_check(world: World, measure: Measure) -> Faults:
    """Every package and evidence file valid: by ``verify --deep``, ocfl-py and warcio."""
    faults: Faults = []
    done = blogcrawl(world, "verify", "--deep", "--archive", world.archive)
    if done.returncode:
        faults.append(
            (
                "invalid",
                f"verify ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}",
            )
        )
    if (world.archive / "packages").is_dir():
        faults += [("invalid", line) for line in ocfl_faults(world.archive / "packages")]
    for path in (
        sorted((world.archive / "crawls").rglob("*.warc.gz"))
        if (world.archive / "crawls").is_dir()
        else ()
    ):
        faults += [("invalid", f"{path.name}: {line}") for line in warc_faults(path)]
    return faults


def ocfl_faults(root: Path) -> list[str]:
    """What ocfl-py says about a storage root."""
    done = subprocess.run(
        [
            sys.executable,
            str(Path(sys.executable).with_name("ocfl-root.py")),
            "validate",
            "--root",
            str(root),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    return (
        []
        if done.returncode == 0 and re.search(r"\b(is )?VALID", output)
        else [f"ocfl-py: {output[-600:]}"]
    )


def warc_faults(path: Path) -> list[str]:
    """What warcio says about a file: records whose digest does not fit, a file that can't be read
    to its end.
    """
    from warcio.archiveiterator import ArchiveIterator

    faults, count = [], 0
    try:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests=True):
                count += 1
                record.content_stream().read()
                if record.digest_checker is not None and record.digest_checker.passed is False:
                    faults += record.digest_checker.problems
    except Exception as error:  # whatever a damaged file raises in a library
        faults.append(f"after {count} records: {error}")
    return faults


def dealt_with(world: World) -> set[str]:
    """Paths of which the disk has what came of them: answers kept, pages that the frontier has done
    with.
    """
    done: set[str] = set()
    for path in world.archive.glob("crawls/*/answers/*"):
        if path.suffix != ".part":
            with contextlib.suppress(ValueError, KeyError):
                done.add(json.loads(path.read_bytes().partition(b"\n")[0])["asked"])
    for path in world.archive.glob("crawls/*/*.db"):
        with (
            contextlib.suppress(sqlite3.Error),
            closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db,
        ):
            done.update(url for (url,) in db.execute("SELECT url FROM url WHERE state >= 2"))
    return {urlsplit(url).path for url in done}


def in_flight(world: World, asked: list[str]) -> Iterable[str]:
    """Paths that a crawl may request again after a kill; all, when it was killed after its end: the
    next one is another visit.
    """
    if world.server is not None and not any(world.archive.glob("crawls/*/newcrawl.db")):
        return set(world.server.paths())
    return set(asked) - dealt_with(world)


def tree_outcome(world: World) -> dict[str, Any]:
    """Files of the output by their path, with a digest of what they hold (members,
    of a ZIP file).
    """
    files = {
        path.relative_to(world.out).as_posix(): path
        for path in sorted(world.out.rglob("*"))
        if path.is_file()
    }
    if world.out.is_file():
        files = {world.out.name: world.out}
    return {
        "files": sorted(files),
        "contents": {name: content_digest(name, path) for name, path in files.items()},
    }


_MOMENTS = re.compile(rb"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?")


def content_digest(name: str, path: Path) -> str:
    """SHA-256 without what says when the file was written."""
    data = path.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            data = repr(
                [
                    (one.filename, package.read(one))
                    for one in sorted(package.infolist(), key=lambda one: one.filename)
                ]
            ).encode()
    if "manifest" in name or name.endswith((".zip", ".wacz", "bag-info.txt", ".html")):
        data = re.sub(
            rb"[0-9a-f]{64,128}  (?:bag-info|bagit|manifest)[^\n]*", b"", _MOMENTS.sub(b"", data)
        )
    return hashlib.sha256(data).hexdigest()[:16]


def output_check(world: World, measure: Measure) -> Faults:
    """Bags are valid for the Library of Congress's bagit, ZIP files whole."""
    import logging

    import bagit

    logging.getLogger("bagit").setLevel(logging.CRITICAL)
    faults: Faults = []
    for path in sorted(world.out.rglob("bagit.txt")):
        try:
            bagit.Bag(str(path.parent)).validate()
        except bagit.BagError as error:
            faults.append(("invalid", f"{path.parent.name}: {error}"))
    for path in sorted(world.out.rglob("*")):
        if path.suffix in (".zip", ".wacz"):
            try:
                with zipfile.ZipFile(path) as package:
                    broken = package.testzip()
                faults += [("invalid", f"{path.name}: {broken}")] if broken else []
            except (OSError, zipfile.BadZipFile) as error:
                faults.append(("invalid", f"{path.name}: {error}"))
    return faults


def ledger_outcome(world: World) -> dict[str, Any]:
    """What was deposited: each version once in the ledger, and the files at the target."""
    lines = [
        json.loads(line)
        for path in (world.archive / "deposits").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return {"ledger": [f"{line['id']} v{line['version']}" for line in lines], **tree_outcome(world)}
