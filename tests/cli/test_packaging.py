"""What travels: the zipped egg that Scrapyd runs, the wheel, the set-up scripts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.test_bad_input import small_blog
from tests.conftest import ROOT, Cli, clean_environment
from tests.server import Server


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone holds, so that building leaves nothing behind in this one."""
    folder = tmp_path_factory.mktemp("clone")
    for name in (
        "setup.py",
        "scrapy.cfg",
        "README.md",
        "LICENSE",
        "MANIFEST.in",
        "pyproject.toml",
        "CHANGELOG.md",
    ):
        shutil.copy(ROOT / name, folder)
    for name in ("blogcrawl", "deploy"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(command: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def egg(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``scrapyd-deploy --build-egg`` makes it."""
    pytest.importorskip("scrapyd_client")
    path = tmp_path_factory.mktemp("egg") / "blogcrawl.egg"
    done = run(
        [sys.executable, "-m", "scrapyd_client.deploy", "--build-egg", str(path)],
        source,
        PYTHONPATH="",
    )
    assert path.is_file(), done.stdout + done.stderr
    return path


def data_files() -> set[str]:
    """Every file of the package that is no module."""
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / "blogcrawl").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and "__pycache__" not in path.parts
    }


def test_egg_contains_all_modules_and_data(egg: Path) -> None:
    names = set(zipfile.ZipFile(egg).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "blogcrawl").rglob("*.py")}
    assert modules | data_files() <= names
    assert not [name for name in names if name.startswith(("tests", "deploy", "docs"))]


def test_deployed_egg_is_built_apart_from_the_clone(source: Path, tmp_path: Path) -> None:
    """A module that an earlier build left there is not deployed, and this build leaves none."""
    stale = source / "build" / "lib" / "blogcrawl" / "gone.py"
    stale.parent.mkdir(parents=True, exist_ok=True)
    stale.write_text("")
    before = set(source.rglob("*"))
    build = "import sys, deploy_egg; open(sys.argv[1], 'wb').write(deploy_egg.build_egg())"
    done = run(
        [sys.executable, "-c", build, str(tmp_path / "made.egg")],
        source / "deploy",
        PYTHONPATH=f"{source}:{source / 'deploy'}",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(source.rglob("*")) == before
    names = zipfile.ZipFile(tmp_path / "made.egg").namelist()
    assert "blogcrawl/api.pyc" in names and "blogcrawl/gone.py" not in names
    stale.unlink()


def test_crawl_runs_from_the_zipped_egg(egg: Path, tmp_path: Path, cli: Cli) -> None:
    """As a node does it: Scrapyd's runner takes the egg from its store; nothing of the clone is on
    the path.
    """
    eggs = tmp_path / "eggs" / "blogcrawl"
    eggs.mkdir(parents=True)
    shutil.copy(egg, eggs / "1.egg")
    (tmp_path / "scrapyd.conf").write_text("[scrapyd]\neggs_dir = eggs\n")
    small_blog(tmp_path / "site")
    spy = "import sys, blogcrawl.settings; print(blogcrawl.settings.__file__, file=sys.stderr)"
    runner = f"import scrapyd.runner as r, atexit; atexit.register(lambda: exec({spy!r})); r.main()"
    with Server(tmp_path / "site") as server:
        arguments = [
            "crawl",
            "newcrawl",
            "-a",
            f"startat={server.url}",
            "-s",
            f"BLOGCRAWL_ARCHIVE={tmp_path / 'archive'}",
        ]
        settings = ["-s", "BLOGCRAWL_DELAY_SECONDS=0", "-s", "BLOGCRAWL_RENDER=never"]
        done = run(
            [sys.executable, "-c", runner, *arguments, *settings],
            tmp_path,
            PYTHONPATH=str(
                eggs
            ),  # an egg goes before the folder that it lies in: so it wins over an installed clone
            SCRAPY_PROJECT="blogcrawl",
            PYTHONSAFEPATH="1",
        )
    assert done.returncode == 0, done.stderr[-3000:]
    assert ".egg" in done.stderr.splitlines()[-1], done.stderr[-800:]
    rows = [json.loads(line) for line in cli("export", "--format", "jsonl").out.splitlines()]
    assert len(rows) == 14


def test_wheel_metadata_declares_entry_points(source: Path, tmp_path: Path) -> None:
    options = ["-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    done = run([sys.executable, "-m", "pip", "wheel", *options, "."], source, PYTHONPATH="")
    assert done.returncode == 0, done.stderr[-2000:]
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl")))
    assert data_files() <= set(wheel.namelist())
    entry_points = next(
        wheel.read(name).decode() for name in wheel.namelist() if name.endswith("entry_points.txt")
    )
    assert "blogcrawl = blogcrawl.cli.main:run" in entry_points
    assert "[scrapy]\nsettings = blogcrawl.settings" in entry_points
    metadata = next(
        wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA")
    )
    for extra in ("s3", "postgres", "replay", "dev"):
        assert f"Provides-Extra: {extra}" in metadata
    assert "Requires-Python: >=3.11" in metadata


SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)] or ["sh"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("script", ["run", "test", "common.sh", "lock"])
def test_scripts_are_plain_sh(shell: str, script: str) -> None:
    command = [shell, "sh"] if shell == "busybox" else [shell]
    done = subprocess.run(
        [*command, "-n", str(ROOT / "deploy" / script)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def fake_clone(tmp_path: Path, source: Path) -> Path:
    """A clone in a folder with blanks in its name, whose environment is there already."""
    clone = tmp_path / "my clone"
    shutil.copytree(source, clone)
    return clone


def prepared(clone: Path, venv: Path) -> None:
    """What the first start leaves: this interpreter stands in for the installed environment."""
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (venv / "bin" / "python").chmod(0o755)
    root = os.path.realpath(clone)
    for lock in ("requirements.lock", "requirements-dev.lock"):
        with (clone / "deploy" / lock).open("rb") as file:
            total = subprocess.run(
                ["cksum"], stdin=file, capture_output=True, text=True, check=True
            ).stdout.strip()
        (venv / f".stamp-{lock}").write_text(f"{total} {root}\n")


def test_second_start_skips_the_setup(source: Path, tmp_path: Path) -> None:
    clone = fake_clone(tmp_path, source)
    prepared(clone, clone / ".venv")
    done = run(
        [str(clone / "deploy" / "run"), "--version"], tmp_path, BLOGCRAWL_BROWSER_PATH="none"
    )
    assert done.returncode == 0 and done.stdout.startswith("blogcrawl "), done.stderr
    assert done.stderr == ""


def test_missing_browser_is_reported_and_rendering_disabled(source: Path, tmp_path: Path) -> None:
    clone = fake_clone(tmp_path, source)
    prepared(clone, clone / ".venv")
    (clone / ".venv" / ".no-browser").touch()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "basename", "cksum", "cat", "find", "sort", "tail", "id", "env"):
        (tools / name).symlink_to(shutil.which(name) or name)
    environment = {"PATH": str(tools), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(clone / "deploy" / "run"), "crawl", "--render", "always", "http://127.0.0.1:9/"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "no browser: rendering is off" in done.stderr
    assert done.returncode == 2 and "install Chromium" in done.stderr


def test_too_old_python_is_a_one_line_error(source: Path, tmp_path: Path) -> None:
    clone = fake_clone(tmp_path, source)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in (
        "sh",
        "dirname",
        "basename",
        "cksum",
        "cat",
        "id",
        "mktemp",
        "rm",
        "mkdir",
        "rmdir",
    ):
        (tools / name).symlink_to(shutil.which(name) or name)
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    done = subprocess.run(
        [str(clone / "deploy" / "run"), "list"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "Python 3.11" in done.stderr
