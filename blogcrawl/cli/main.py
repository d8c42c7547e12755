"""The root of the command line: its commands, and failures as one line.

A command's module is imported only when that command runs, so that ``--version`` and ``list`` start
at once.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import tomllib
import traceback
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import click

# first: where the time can't be had, what follows can't be imported
import blogcrawl.cli.clock  # noqa: F401
from blogcrawl import __version__
from blogcrawl.cli.output import Output, advice_of, suggestion
from blogcrawl.core.credentials import hide_arguments, redact
from blogcrawl.core.errors import ArchiveError, BlogcrawlError, DiskFullError
from blogcrawl.core.logs import redact_logs

COMMANDS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    files(__package__).joinpath("commands.toml").read_text("utf-8")
)
"""name -> ``command`` (module of ``cli``:attribute), ``help`` (a line), ``examples``."""

INTERRUPTED = 130
"""128 + SIGINT, as in shells."""
PIPE_CLOSED = 141
"""128 + SIGPIPE, as in shells."""
INTERNAL = 70
"""EX_SOFTWARE of sysexits.h: a bug in blogcrawl."""


class LazyGroup(click.Group):
    """A click group that imports a command when it is invoked."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]["command"].split(":")
        command = getattr(importlib.import_module(f"blogcrawl.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        command.epilog = _epilog(cmd_name, ctx.info_name or "blogcrawl")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, known["help"]) for name, known in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args and "://" in args[0]:
                raise click.UsageError(
                    f"{error.message} Did you mean: {ctx.info_name} crawl {args[0]}", ctx
                ) from None
            hint = suggestion(args[0], COMMANDS) if args else None
            if hint is None:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}: {hint}", ctx) from None


def _epilog(name: str, program: str) -> str:
    """Return the examples of a command as click's epilog, which keeps the lines as they are."""
    known = COMMANDS[name]["examples"]
    lines = [f"  {program} {line}\n      {what}" for line, what in known.items()]
    return "\n".join(["\b\nExamples:", *lines])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, message="blogcrawl %(version)s")
def cli() -> None:
    """Archive whole blogs: every post with its comments and images, as data, evidence and
    repository packages.

    Start with: blogcrawl crawl https://blog.example.org
    """


def classify(error: BaseException) -> BlogcrawlError | None:
    """Translate an OSError to a BlogcrawlError; return None for unexpected exceptions."""
    if isinstance(error, BlogcrawlError):
        return error
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFullError(
                f"no space left{_at(error)}",
                advice="free some space and repeat the command; archived packages are intact",
            )
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return ArchiveError(
                f"permission denied{_at(error)}",
                advice="check the permissions of the folder, or use another one",
            )
        if error.filename is not None:
            return BlogcrawlError(f"{error.strerror or error}{_at(error)}")
    return None


def _at(error: OSError) -> str:
    return f": {os.fsdecode(error.filename)}" if error.filename else ""


def run(args: list[str] | None = None) -> None:
    """Run the console script.

    Exits with a code listed in ``docs/commands.md``, never with a traceback.
    """
    argv = sys.argv[1:] if args is None else args
    hide_arguments(sys.argv)
    redact_logs()
    out = Output(json_mode="--json" in argv)
    try:
        status = _invoke(argv, out)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = PIPE_CLOSED
    # The command is done: a late second Ctrl-C must not change the exit code.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if status == INTERRUPTED:
        sys.stderr.flush()
        os._exit(status)  # threads waiting for the network would delay a normal exit
    sys.exit(status)


def _invoke(argv: list[str], out: Output) -> int:
    try:
        result: Any = cli.main(
            args=argv,
            prog_name=os.environ.get("BLOGCRAWL_PROGRAM") or "blogcrawl",
            complete_var="_BLOGCRAWL_COMPLETE",
            standalone_mode=False,
        )
        return result if isinstance(result, int) and not isinstance(result, bool) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _report_usage(error, out)
    except (click.Abort, KeyboardInterrupt):
        out.failure("Interrupted", "interrupted", INTERRUPTED)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except SystemExit:
        # click marks a closed pipe in this way and exits with 1
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            raise BrokenPipeError from None
        raise
    except Exception as error:
        return _report(error, out)


def _report_usage(error: click.ClickException, out: Output) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "blogcrawl"
    out.failure(
        "UsageError", error.format_message(), error.exit_code, advice=f"see {command} --help"
    )
    return error.exit_code


def _report(error: Exception, out: Output) -> int:
    if os.environ.get("BLOGCRAWL_DEBUG"):
        sys.stderr.write(redact("".join(traceback.format_exception(error))))
    known = classify(error)
    if known is not None:
        out.failure(
            type(known).__name__,
            known.message,
            known.exit_code,
            url=known.url,
            blog=known.blog,
            advice=known.advice or advice_of(known),
        )
        return known.exit_code
    out.failure(
        "InternalError",
        (f"internal error: {type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"),
        INTERNAL,
        advice="BLOGCRAWL_DEBUG=1 shows the traceback; please report it",
    )
    return INTERNAL
