from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, DiskFullError
from blogcrawl.storage.archive import MARK, open_archive
from blogcrawl.storage.files import disk_errors, replace_file

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_new_archive_has_a_marker_and_reopens(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "archive"
    first = open_archive(Config(archive=str(place)), now=NOW)
    assert json.loads((place / MARK).read_text())["layout"] == first.layout == 1
    assert open_archive(Config(archive=str(place)), now=NOW, create=False) == first


def test_marker_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text('{"layout": 99, "software": "blogcrawl 9.0"}')
    with pytest.raises(ArchiveError, match=r"newer blogcrawl \(blogcrawl 9\.0, layout 99"):
        open_archive(Config(archive=str(tmp_path)), now=NOW)


@pytest.mark.parametrize("content", ["", "[]", '{"layout": "x"}', "{}"])
def test_damaged_marker_is_reported(tmp_path: Path, content: str) -> None:
    (tmp_path / MARK).write_text(content)
    with pytest.raises(ArchiveError, match="can't be read"):
        open_archive(Config(archive=str(tmp_path)), now=NOW)


def test_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").touch()
    with pytest.raises(ArchiveError, match=r"thesis\.doc"):
        open_archive(Config(archive=str(tmp_path)), now=NOW)
    assert os.listdir(tmp_path) == ["thesis.doc"]


def test_reading_creates_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive"):
        open_archive(Config(archive=str(tmp_path / "x")), now=NOW, create=False)
    assert not (tmp_path / "x").exists()


def test_file_in_place_of_the_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(ArchiveError, match="is a file"):
        open_archive(Config(archive=str(tmp_path / "f")), now=NOW)


def test_unwritable_location_is_an_error() -> None:
    with pytest.raises(ArchiveError):
        open_archive(Config(archive="/proc/blogcrawl-archive"), now=NOW)


def test_full_disk_has_its_own_error() -> None:
    for code in (errno.ENOSPC, errno.EDQUOT):
        with pytest.raises(DiskFullError), disk_errors("x"):
            raise OSError(code, "full")
    with pytest.raises(OSError, match="odd"), disk_errors("x"):
        raise OSError(errno.ENXIO, "odd")


def test_disk_failure_is_an_archive_error() -> None:
    with pytest.raises(ArchiveError, match="fails") as raised, disk_errors("x"):
        raise OSError(errno.EIO, "Input/output error")
    assert raised.value.exit_code == 9


def test_replace_keeps_the_old_file_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    replace_file(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["f"]
