"""``blogcrawl completion``: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from blogcrawl.core.errors import UsageError

SHELLS = ("bash", "fish", "zsh")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish."""
    from blogcrawl.cli.main import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for {shell}")
    click.echo(kind(cli, {}, "blogcrawl", "_BLOGCRAWL_COMPLETE").source())
