"""``blogcrawl doctor``: each check, as it is where something is wrong."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from blogcrawl.cli import doctor
from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.tables import NodeRow
from tests.conftest import Cli
from tests.storage.test_export import fill
from tests.test_rooms import setup_arguments


def levels(found: Any) -> dict[str, str]:
    return {one.check: one.level for one in found}


def test_all_is_well_before_the_first_crawl(cli: Cli, tmp_path: Path) -> None:
    done = cli("doctor", "--json", "--set", "render=never")
    assert done.code == 0 and done.json["error"] == 0
    checks = {one["check"]: one for one in done.json["checks"]}
    assert set(checks) >= {"python", "libraries", "disk", "database", "store", "clock"}
    for name in ("organization", "contact"):
        assert checks[name]["level"] == "warning" and checks[name]["advice"]
    assert not list(tmp_path.iterdir()), "checking made something"
    lines = cli("doctor", "--set", "render=never").out.splitlines()
    assert len(lines) == len(checks) and all(
        line.split()[0] in ("ok", "warning", "error") for line in lines
    )


@pytest.mark.parametrize(
    ("contact", "level"),
    [("", "warning"), ("https://l.example/about", "warning"), ("mailto:a@l.example", "ok")],
)
def test_contact_is_a_mail_address(contact: str, level: str) -> None:
    """OAI-PMH needs one; what else of the organization is not set is another matter."""
    config = Config(contact=contact)
    assert levels(doctor.check_contact(config)) == {"contact": level}
    assert "contact" not in next(doctor.check_organization(config)).text


def test_unusable_settings_are_one_error_among_the_checks(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "blogcrawl.toml").write_text("max_post = 1")
    done = cli("doctor", "--json")
    assert done.code == 1
    assert [one["check"] for one in done.json["checks"] if one["level"] == "error"] == ["settings"]


def test_misspelled_variables_are_named(cli: Cli) -> None:
    done = cli("doctor", env={"BLOGCRAWL_ORGANISATION": "x"})
    assert "BLOGCRAWL_ORGANISATION is no setting - did you mean BLOGCRAWL_ORGANIZATION?" in done.out


def test_old_python_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(doctor.check_python(Config())) == {"python": "ok"}
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert levels(doctor.check_python(Config())) == {"python": "error"}


def test_missing_library_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    monkeypatch.setattr(metadata, "requires", lambda name: ["no-such-library>=2"])
    [found] = doctor.check_libraries(Config())
    assert found.level == "error" and "no-such-library" in found.text and found.advice


def test_named_extras_exist() -> None:
    assert set(doctor.OPTIONAL.values()) <= setup_arguments()["extras_require"].keys()


def test_browser_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho libnss3.so: cannot open >&2; exit 127")
    broken.chmod(0o755)
    [found] = doctor.check_browser(Config(browser_path=str(broken)))
    assert found.level == "error" and "libnss3.so" in found.text
    [found] = doctor.check_browser(Config(browser_path=str(tmp_path / "none")))
    assert found.level == "error"
    broken.write_text("#!/bin/sh\necho Chromium 1")
    assert levels(doctor.check_browser(Config(browser_path=str(broken)))) == {"browser": "ok"}
    assert levels(doctor.check_browser(Config(render="never"))) == {"browser": "ok"}


def test_missing_browser_is_an_error_only_where_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert levels(doctor.check_browser(Config())) == {"browser": "warning"}
    assert levels(doctor.check_browser(Config(render="always"))) == {"browser": "error"}


@pytest.mark.parametrize(
    ("free", "level"), [(10 * 2**30, "ok"), (2**30, "warning"), (2**20, "error")]
)
def test_free_space(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, level: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    assert levels(doctor.check_archive(Config(archive=str(tmp_path / "a"))))["disk"] == level


def test_folder_with_other_things_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("x")
    assert levels(doctor.check_archive(Config(archive=str(tmp_path)))) == {"archive": "error"}
    assert levels(doctor.check_archive(Config(archive=str(tmp_path / "letter.txt"))))[
        "archive"
    ] == ("error")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    found = levels(doctor.check_archive(Config(archive=str(tmp_path / "a"))))
    tmp_path.chmod(0o700)
    assert found["write access"] == "error"


def test_full_disk_is_an_error_of_write_access(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from blogcrawl.core.errors import DiskFullError
    from blogcrawl.storage import files

    def full(path: Path) -> None:
        raise DiskFullError("no space left", advice="free some")

    monkeypatch.setattr(files, "probe_folder", full)
    found = {f.check: f for f in doctor.check_archive(Config(archive=str(tmp_path / "a")))}
    assert found["write access"].level == "error" and found["write access"].advice == "free some"


def test_database_and_store_of_an_archive(tmp_path: Path) -> None:
    config = Config(archive=str(tmp_path))
    fill(tmp_path)[0].close()
    [database], [store] = doctor.check_database(config), doctor.check_store(config)
    assert database.level == store.level == "ok" and "6 posts" in database.text
    assert list(doctor.check_nodes(config)) == []
    with sqlite3.connect(tmp_path / "state.db") as connection:
        connection.execute("UPDATE posts SET comment_count = 'many'")
    assert levels(doctor.check_database(config)) == {"database": "error"}
    (tmp_path / "state.db").write_bytes(b"no database at all" * 100)
    [database] = doctor.check_database(config)
    assert database.level == "error" and database.advice
    next((tmp_path / "packages").glob("0=ocfl_*")).unlink()
    assert levels(doctor.check_store(config)) == {"store": "error"}


def test_nodes_are_asked(tmp_path: Path) -> None:
    state, _ = fill(tmp_path)
    schedule = Schedule(state)
    schedule.save_node(NodeRow(url="http://127.0.0.1:9"))
    schedule.save_node(NodeRow(url="http://127.0.0.1:10", state="removed"))
    state.close()
    [found] = doctor.check_nodes(Config(archive=str(tmp_path)))
    assert found.level == "error" and "127.0.0.1:9" in found.text and found.advice


def test_wrong_clock_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(doctor.check_clock(Config())) == {"clock": "ok"}

    class Early(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Early:
            return cls(1970, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(doctor, "datetime", Early)
    [found] = doctor.check_clock(Config())
    assert found.level == "error" and "set the clock" in found.advice


def test_password_of_the_database_is_not_shown() -> None:
    [found] = doctor.check_database(Config(state_url="postgresql://u:geheim@127.0.0.1:9/x"))
    assert found.level == "error" and "geheim" not in found.text + found.advice
