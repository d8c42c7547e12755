"""Writes the option lists of docs/commands.md from the commands themselves: ``python -m
tests.cli.document``.

The prose is written by hand; between ``<!-- options of NAME -->`` and ``<!-- end -->`` stands what
the code says.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from blogcrawl.cli.main import COMMANDS, cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
BLOCK = re.compile(r"<!-- options of ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def options_of(name: str) -> str:
    """Usage line and options of a command, as Markdown."""
    context = click.Context(cli, info_name="blogcrawl")
    command = cli.get_command(context, name)
    assert command is not None
    inner = click.Context(command, info_name=name, parent=context)
    lines = [f"    {inner.command_path} {' '.join(command.collect_usage_pieces(inner))}", ""]
    for parameter in command.get_params(inner):
        record = parameter.get_help_record(inner)
        if (
            record is not None and record[1] and "--help" not in parameter.opts
        ):  # arguments stand in the usage line
            lines.append(
                f"- `{re.sub(r' (INTEGER|FLOAT)( RANGE)?$', ' N', record[0])}`: {record[1]}"
            )
    if isinstance(command, click.Group):
        lines += [
            f"- `{sub} …`: {command.commands[sub].get_short_help_str(200)}"
            for sub in command.list_commands(inner)
        ]
    return "\n".join(lines)


def written(text: str) -> str:
    """``text`` of the page with every block made anew."""
    return BLOCK.sub(
        lambda match: f"<!-- options of {match[1]} -->\n\n{options_of(match[1])}\n\n<!-- end -->",
        text,
    )


def documented(text: str) -> list[str]:
    return BLOCK.findall(text)


if __name__ == "__main__":
    before = PAGE.read_text("utf-8")
    absent = [name for name in COMMANDS if name not in documented(before)]
    PAGE.write_text(written(before), "utf-8")
    print(f"{PAGE} written" + (f"; no section yet for {', '.join(absent)}" if absent else ""))
