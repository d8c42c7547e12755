"""pywb for tests: its recorder, and a web archive that it serves.

Its programs are found on the PATH, next to this Python, or in the folder that the environment
variable BLOGCRAWL_TEST_PYWB names.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from blogcrawl.cli.replay import free_port, programs
from blogcrawl.core.errors import ArchiveError


def _folder() -> Path | None:
    try:
        return Path(programs(os.environ.get("BLOGCRAWL_TEST_PYWB"))[0]).parent
    except ArchiveError:
        return None


FOLDER = _folder()
needs_pywb = pytest.mark.skipif(
    FOLDER is None, reason="pywb is not installed (BLOGCRAWL_TEST_PYWB names its folder)"
)
COLLECTION = "web"


@contextmanager
def recorder(folder: Path, programs: Path | None = FOLDER) -> Iterator[tuple[str, Path]]:
    """pywb as a proxy that records: its address, and the folder of the WARC files."""
    archive = _collection(folder, programs)
    with _running(folder, programs, ["--live", "--proxy", COLLECTION, "--proxy-record"]) as root:
        yield root, archive


@contextmanager
def served(folder: Path, warcs: Sequence[Path], programs: Path | None = FOLDER) -> Iterator[str]:
    """Serve WARC files; the address of the collection, which is its TimeGate, too."""
    _collection(folder, programs)
    _manager(folder, programs, "add", COLLECTION, *map(str, warcs))
    with _running(folder, programs, []) as root:
        yield f"{root}/{COLLECTION}/"


def _collection(folder: Path, programs: Path | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    _manager(folder, programs, "init", COLLECTION)
    return folder / "collections" / COLLECTION / "archive"


def _manager(folder: Path, programs: Path | None, *arguments: str) -> None:
    assert programs is not None
    command = [str(programs / "wb-manager"), *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@contextmanager
def _running(folder: Path, programs: Path | None, options: list[str]) -> Iterator[str]:
    assert programs is not None
    port = free_port(0)
    command = [str(programs / "wayback"), "-b", "127.0.0.1", "-p", str(port), *options]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        while not _answers(port):
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
