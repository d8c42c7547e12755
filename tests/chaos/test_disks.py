"""The disk of a crawl's own files (frontier, evidence, answers) gets full or fails in mid-crawl: a
real file system of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chaos.outages import (
    Found,
    Ground,
    crawl,
    differences,
    look,
    posts_asked,
    wait_until,
    write_site,
)
from tests.server import Rule, Server

POSTS = 24


@dataclass(kw_only=True)
class Disk:
    """An archive whose folder ``crawls`` is a file system of ``size`` bytes, in a mount namespace
    that a sleeping process holds.
    """

    archive: Path
    inside: tuple[str, ...]
    seen: Path
    """The archive as it is inside."""
    fault: Path = Path()
    """What is written here makes the file system meet a fault."""

    def fill(self) -> None:
        with (self.seen / "crawls/filler").open("wb", buffering=0) as filler:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        filler.write(bytes(size))
                except OSError:
                    continue

    def clear(self) -> None:
        (self.seen / "crawls/filler").unlink()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Ground]:
    with Server(tmp_path / "site") as server:
        write_site(tmp_path / "site", server.url.rstrip("/"), POSTS)
        server.rules = [Rule(path=".*", delay=0.2)]
        yield Ground(server=server, database=None, store=None, work=tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here (unshare -rm)")
    archive = tmp_path / "archive"
    (archive / "crawls").mkdir(parents=True)
    mount = 'mount -t tmpfs -o size=16m tmpfs "$1" && echo mounted && exec sleep infinity'
    command = ["unshare", "-rm", "sh", "-c", mount, "sh", str(archive / "crawls")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None and holder.stdout.readline() == "mounted\n"
            inside = ("nsenter", "-t", str(holder.pid), "-U", "-m", "--preserve-credentials")
            yield Disk(
                archive=archive, inside=inside, seen=Path(f"/proc/{holder.pid}/root{archive}")
            )
        finally:
            holder.kill()


def start(place: Ground, disk: Disk, *settings: str) -> subprocess.Popen[bytes]:
    words = [
        "crawl",
        place.server.url,
        "--archive",
        str(disk.archive),
        "--delay",
        "0",
        "--render",
        "never",
    ]
    words += [word for pair in settings for word in ("--set", pair)]
    with (place.work / "out").open("ab") as out:
        command = [*disk.inside, sys.executable, "-m", "blogcrawl", *words]
        return subprocess.Popen(
            command, env=place.environment("disk"), cwd=place.work, stdout=out, stderr=out
        )


def fill_in_mid_crawl(
    place: Ground, disk: Disk, child: subprocess.Popen[bytes], after: int
) -> None:
    assert wait_until(lambda: posts_asked(place.server) >= after or child.poll() is not None, 120)
    assert child.poll() is None, (place.work / "out").read_text()
    disk.fill()


def afterwards(place: Ground, disk: Disk, child: subprocess.Popen[bytes], code: int = 0) -> Found:
    assert child.wait(240) == code, (place.work / "out").read_text()[-3000:]
    return look(place, place.environment("disk"), disk.seen)


def test_crawl_pauses_on_a_full_disk_and_resumes(place: Ground, disk: Disk) -> None:
    reference = crawl(place)
    place.server.clear_log()
    child = start(place, disk)
    try:
        fill_in_mid_crawl(place, disk, child, 14)
        assert wait_until(
            lambda: "paused, nothing can be stored: no space" in (place.work / "out").read_text(),
            60,
        )
        time.sleep(2)
        asked = posts_asked(place.server)
        time.sleep(3)
        assert child.poll() is None and posts_asked(place.server) == asked < POSTS, (
            "nothing more is fetched"
        )
        disk.clear()
        found = afterwards(place, disk, child)
    finally:
        child.kill()
        child.wait()
    assert differences(found, reference) == []
    assert found.asked_again == 0


@pytest.mark.slow
@pytest.mark.parametrize("after", [pytest.param(4, marks=pytest.mark.by_hand), 16])
def test_full_disk_ends_with_exit_code_8_and_loses_nothing(
    place: Ground, disk: Disk, after: int
) -> None:
    reference = crawl(place)
    place.server.clear_log()
    child = start(place, disk, "storage_wait_seconds=2")
    try:
        fill_in_mid_crawl(place, disk, child, after)
        assert child.wait(120) == 8, (place.work / "out").read_text()[-3000:]
    finally:
        child.kill()
        child.wait()
    assert "Traceback" not in (place.work / "out").read_text()
    disk.clear()
    found = afterwards(place, disk, start(place, disk))
    assert differences(found, reference) == []


@pytest.fixture
def failing_disk(tmp_path: Path) -> Iterator[Disk]:
    """As ``disk``, but an ext4 of its own, which the kernel makes read-only when it
    meets a fault.
    """
    archive = tmp_path / "archive"
    (archive / "crawls").mkdir(parents=True)
    make = f"truncate -s 64M {tmp_path}/image && mkfs.ext4 -q -O ^has_journal {tmp_path}/image"
    mount = (
        f"mount -o loop,errors=remount-ro {tmp_path}/image {archive}/crawls && findmnt -no "
        f"SOURCE {archive}/crawls"
    )
    if (
        os.geteuid()
        or subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{make} && {mount}"], capture_output=True
        ).returncode
    ):
        pytest.skip("no image can be mounted here (root, mkfs.ext4, a loop device)")
    command = ["unshare", "-m", "sh", "-c", f"{mount} && exec sleep infinity"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            fault = Path(
                "/sys/fs/ext4", Path(holder.stdout.readline().strip()).name, "trigger_fs_error"
            )
            inside = ("nsenter", "-t", str(holder.pid), "-m")
            yield Disk(
                archive=archive,
                inside=inside,
                seen=Path(f"/proc/{holder.pid}/root{archive}"),
                fault=fault,
            )
        finally:
            holder.kill()


@pytest.mark.slow
@pytest.mark.parametrize("after", [pytest.param(4, marks=pytest.mark.by_hand), 16])
def test_read_only_disk_ends_with_exit_code_9_and_loses_nothing(
    place: Ground, failing_disk: Disk, after: int
) -> None:
    disk = failing_disk
    reference = crawl(place)
    place.server.clear_log()
    child = start(place, disk, "storage_wait_seconds=2")
    try:
        assert wait_until(lambda: posts_asked(place.server) >= after, 120)
        disk.fault.write_text("1")
        assert child.wait(120) == 9, (place.work / "out").read_text()[-3000:]
    finally:
        child.kill()
        child.wait()
    assert "Traceback" not in (place.work / "out").read_text()
    mended = (
        f"umount {disk.archive}/crawls && e2fsck -fy {place.work}/image; mount -o loop "
        f"{place.work}/image {disk.archive}/crawls"
    )
    subprocess.run([*disk.inside, "sh", "-c", mended], check=True, capture_output=True)
    found = afterwards(place, disk, start(place, disk))
    assert differences(found, reference) == []
