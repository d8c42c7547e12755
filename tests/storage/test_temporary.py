"""Temporary files: named in one way, gone with their block, swept when their process has ended,
never while it lives.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blogcrawl.storage.files import replace_file
from blogcrawl.storage.temporary import (
    new_file,
    new_folder,
    part_path,
    scratch_folder,
    sweep,
    sweep_below,
)

WRITER = """
import sys, time
from pathlib import Path
from blogcrawl.storage.temporary import new_file, new_folder, scratch_folder
with new_file(Path(sys.argv[1]) / "file") as file, new_folder(Path(sys.argv[1]) / "folder") as folder, scratch_folder("test") as scratch:
    file.write(b"half")
    (folder / "inside").write_bytes(b"x")
    (scratch / "inside").write_bytes(b"x")
    print("ready", flush=True)
    time.sleep(600)
"""  # noqa: E501


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_file_is_renamed_at_the_end_of_the_block(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with new_file(tmp_path / "a", sync=True) as file:
        file.write(b"new")
        assert (tmp_path / "a").read_bytes() == b"old"
    assert (tmp_path / "a").read_bytes() == b"new" and names(tmp_path) == ["a"]


def test_failure_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(ValueError), new_file(tmp_path / "a") as file:
        file.write(b"new")
        raise ValueError
    with pytest.raises(ValueError), new_folder(tmp_path / "b") as folder:
        (folder / "x").touch()
        raise ValueError
    assert (tmp_path / "a").read_bytes() == b"old" and names(tmp_path) == ["a"]


def test_renamed_folder_is_kept(tmp_path: Path) -> None:
    with new_folder(tmp_path / "b") as folder:
        (folder / "x").touch()
        os.rename(folder, tmp_path / "b")
    assert names(tmp_path) == ["b"] and names(tmp_path / "b") == ["x"]


def test_sweep_removes_leftovers_of_dead_processes_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch, target = tmp_path / "scratch", tmp_path / "target"
    scratch.mkdir()
    target.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, env=environment
    ) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
        assert sweep(target) == [] and sweep(scratch) == []
        assert len(names(target)) == 2 and len(names(scratch)) == 1
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    for place in (target, scratch):  # whatever the clock says
        for path in place.iterdir():
            os.utime(path, (time.time() + 10**9,) * 2)
    assert len(sweep(target)) == 2 and names(target) == []
    monkeypatch.setenv("TMPDIR", str(scratch))
    with scratch_folder("other") as folder:
        assert names(scratch) == [folder.name]
    assert names(scratch) == []


def test_sweep_keeps_foreign_files(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    kept = [
        "a.part",
        ".a.part",
        ".a.0123456789ab.part.json",
        "blogcrawl-scratch-x",
        ".a.0123456789AB.part",
        "export.jsonl.part",
    ]
    for name in kept:
        (folder / name).touch()
    (folder / ".link.0123456789ab.part").symlink_to(outside)
    assert sweep(folder) == [] and (outside / "x").exists() and len(names(folder)) == len(kept) + 1
    assert sweep(tmp_path / "not there") == []


def test_temporary_names_of_long_and_odd_file_names(tmp_path: Path) -> None:
    for name in ("n" * 255, "\u05d0" * 127, "a\nb", "\udcff"):
        with new_file(tmp_path / name) as file:
            file.write(b"x")
        part_path(tmp_path / name).touch()
    assert len(sweep(tmp_path)) == 4 and len(names(tmp_path)) == 4


def test_sweep_below_visits_all_subfolders(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for place in (tmp_path, tmp_path / "a", tmp_path / "a" / "b"):
        part_path(place / "x").touch()
    assert len(sweep_below(tmp_path)) == 3


def test_replace_file_leaves_no_temporary_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"1")
    replace_file(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"2" and names(tmp_path) == ["a"]
