"""The documentation as a site: it builds without warnings, and its tutorial can be followed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli, rebase
from tests.engines.example import ADDRESS, FOLDER
from tests.server import Server

DOCS = ROOT / "docs"


def test_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", tmp_path / "trees"]
    done = subprocess.run([*command, DOCS, tmp_path / "site"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "blogcrawl crawl" in (tmp_path / "site" / "tutorial.html").read_text("utf-8")


def test_no_page_has_the_name_of_one_that_sphinx_writes() -> None:
    """It would be overwritten without a warning."""
    assert not {path.stem for path in DOCS.glob("*.md")} & {"search", "genindex", "modindex"}


def test_tutorial_can_be_followed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "tutorial.md").read_text("utf-8")
    commands = [shlex.split(line)[1:] for line in re.findall(r"^    (blogcrawl .*)$", page, re.M)]
    assert len(commands) > 10
    shutil.copytree(FOLDER, tmp_path / "blog")
    with Server(tmp_path / "blog") as server:
        rebase(tmp_path / "blog", ADDRESS, server.url.rstrip("/"))
        for words in commands:
            if words[0] == "serve":  # until Ctrl-C
                continue
            done = cli(*(word.replace(ADDRESS, server.url.rstrip("/")) for word in words))
            assert done.code == 0, f"{words}: {done}"
            if words[0] == "crawl":
                assert re.search(r"posts +44 new", done.out), done
    assert len((tmp_path / "posts.jsonl").read_text("utf-8").splitlines()) == 44
    assert (tmp_path / "site" / "index.html").exists() and (tmp_path / "report.html").exists()
    monkeypatch.chdir(tmp_path)
    [example] = re.findall(r"```python\n(.*?)```", page, re.S)
    known: dict[str, object] = {}
    exec(compile(example, "docs/tutorial.md", "exec"), known)
    assert known["longest"]


def test_named_messages_are_those_of_the_code() -> None:
    page = (DOCS / "troubleshooting.md").read_text("utf-8")
    messages = re.findall(r"^\| `(.+?)` \|", page, re.M)
    assert len(messages) > 12
    code = "".join(path.read_text("utf-8") for path in (ROOT / "blogcrawl").rglob("*.py"))
    # a literal may go on in the next line
    joined = re.sub(r'"\s*\n\s*f?"', "", code)
    for message in messages:
        assert message in joined, message
