"""The documentation matches the code: commands, options, settings, exit codes, links, files."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import click
import pytest

from blogcrawl.cli import main
from blogcrawl.core import errors
from blogcrawl.core.config import PREFIX, Config
from tests.cli import document
from tests.conftest import ROOT

COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text("utf-8")


def test_every_command_has_one_section() -> None:
    assert document.documented(COMMANDS_PAGE) == list(main.COMMANDS)
    assert re.findall(r"^## `([\w-]+)`", COMMANDS_PAGE, re.MULTILINE) == list(main.COMMANDS)


def test_documented_options_match_the_code() -> None:
    assert document.written(COMMANDS_PAGE) == COMMANDS_PAGE, "run: python -m tests.cli.document"


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_option_has_a_description(name: str) -> None:
    command = main.cli.get_command(click.Context(main.cli), name)
    assert command is not None and command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_help_has_examples_that_parse(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renamed option or a removed choice must not stay in an example."""
    monkeypatch.chdir(tmp_path)
    for file in ("transfer", "blogs.opml", "old-blog.warc.gz"):
        (tmp_path / file).touch()
    command = main.cli.get_command(click.Context(main.cli, info_name="blogcrawl"), name)
    assert command is not None
    shown = command.get_help(click.Context(command, info_name=name))
    assert main.COMMANDS[name]["examples"]
    for line, what in main.COMMANDS[name]["examples"].items():
        assert f"  blogcrawl {line}\n" in shown and what in shown
        words = shlex.split(re.split(r" [<>]+ ", line)[0])
        assert words[0] == name
        command.make_context(name, words[1:])


def test_every_command_has_json() -> None:
    """But the one whose output is a script."""
    context = click.Context(main.cli)
    commands = {name: main.cli.get_command(context, name) for name in main.COMMANDS}
    without = [
        name
        for name, command in commands.items()
        if command and not any("--json" in option.opts for option in command.params)
    ]
    assert without == ["completion"]


def test_every_setting_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(BLOGCRAWL_\w+)` \| (.*?) \| ", SETTINGS_PAGE, re.MULTILINE))
    config = Config()
    shown = {True: "on", False: "off", "": "(empty)"}
    wanted = {}
    for spec in fields(Config):
        value = getattr(config, spec.name)
        text = shown.get(value) if isinstance(value, bool | str) else None
        wanted[PREFIX + spec.name.upper()] = text or (
            f"`{value}`" if isinstance(value, str) else str(value)
        )
    assert rows == wanted


def test_every_exit_code_is_listed() -> None:
    listed = {
        int(code): name
        for code, name in re.findall(r"^\| (\d+) \| .*?\((\w+Error)\)", COMMANDS_PAGE, re.MULTILINE)
    }
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.BlogcrawlError)
    ]
    own: dict[int, str] = {}
    for kind in kinds:
        if "exit_code" in vars(kind):
            assert kind.exit_code not in own, (
                f"{kind.__name__} and {own[kind.exit_code]} share exit code {kind.exit_code}"
            )
            own[kind.exit_code] = kind.__name__
    assert listed == own


def test_links_have_existing_targets() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub forms them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_linked_anchors_exist() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        links = re.findall(r"\]\(([\w./-]*\.md)?#([\w-]+)\)", page.read_text("utf-8"))
        for target, anchor in links:
            other = page.parent / target if target else page
            assert anchor in anchors(other), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("name", ["architecture.md", "decisions.md", "glossary.md"])
def test_named_files_and_modules_exist(name: str) -> None:
    """Every path of code spans; ``dates/months.py`` is relative to the package."""
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / name).read_text("utf-8"), flags=re.DOTALL)
    spans = re.findall(r"`([\w./-]+)`", text)
    paths = [span for span in spans if re.fullmatch(r"[\w./-]+(?:/|\.py|\.md)|[\w-]+/[\w/]+", span)]
    if name == "architecture.md":
        rooms = re.findall(r"^\| ((?:`\w+` ?)+) \| .* \| (?:yes|no) \|$", text, re.MULTILINE)
        paths += [room for cell in rooms for room in re.findall(r"\w+", cell)]
        assert len(rooms) > 10
    for path in paths:
        places = [ROOT / path, ROOT / "blogcrawl" / path, ROOT / "blogcrawl" / f"{path}.py"]
        assert any(place.exists() for place in places), f"{name} names {path}"


def test_named_tests_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)` \(`(test_\w+)`\)", page)
    assert named
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), f"{path} has no {test}"


def test_named_records_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| ((?:`\w+` ?)+)\| `([\w/]+\.py)` \|", page, re.MULTILINE)
    assert rows
    for names, path in rows:
        code = (ROOT / "blogcrawl" / path).read_text("utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^class {name}\b", code, re.MULTILINE), f"{path} has no {name}"
