"""The root of the command line: the table of commands, and one place where every failure becomes
one line.

A command's module is imported only when that command runs, so that ``--version`` and ``list`` start
at once.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import traceback
from typing import Any

import click

import blogcrawl.cli.clock  # noqa: F401 (first: where the time can't be had, what follows can't be imported)
from blogcrawl import __version__
from blogcrawl.cli.output import Output, advice_of
from blogcrawl.core.credentials import hide_arguments, redact
from blogcrawl.core.errors import ArchiveError, BlogcrawlError, DiskFullError
from blogcrawl.core.logs import redact_logs

COMMANDS: dict[str, tuple[str, str]] = {
    "crawl": (
        "blogcrawl.cli.crawl:crawl",
        "Archive blogs: all of an unknown one, what is new of a known one.",
    ),
    "update": (
        "blogcrawl.cli.update:update",
        "Fetch what changed on blogs that are in the archive.",
    ),
    "list": ("blogcrawl.cli.list:list_blogs", "List the archive's blogs."),
    "show": ("blogcrawl.cli.show:show", "Show what the archive holds of a blog or a post."),
    "export": ("blogcrawl.cli.export:export", "Write the archive's posts out."),
    "verify": ("blogcrawl.cli.verify:verify", "Check that everything in the archive is whole."),
    "replay": ("blogcrawl.cli.replay:replay", "Show a blog as it was crawled, in a browser."),
    "deposit": ("blogcrawl.cli.deposit:deposit", "Send packages to a repository."),
    "import": ("blogcrawl.cli.deposit:import_", "Bring packages into the archive."),
    "remove": (
        "blogcrawl.cli.remove:remove",
        "Take a post or a blog out of the archive, and leave a tombstone.",
    ),
    "rules": (
        "blogcrawl.cli.rules:rules",
        "Explain what was learned of a blog, and what each method says on a page.",
    ),
    "train": (
        "blogcrawl.cli.train:train",
        "Train the machine that finds posts on pages of unknown blogs.",
    ),
    "controller": (
        "blogcrawl.cli.controller:controller",
        "Hand out crawl jobs to a cluster of Scrapyd nodes.",
    ),
    "nodes": ("blogcrawl.cli.nodes:nodes", "Show the cluster's nodes, or steer one."),
    "jobs": ("blogcrawl.cli.nodes:jobs", "Show the cluster's jobs."),
    "blogs": (
        "blogcrawl.cli.nodes:blogs",
        "Show when each blog of the cluster is visited next, and which ones fail.",
    ),
    "report": (
        "blogcrawl.cli.report:report",
        "Sum up what crawls did: per blog, and over a cluster per host and node.",
    ),
    "completion": (
        "blogcrawl.cli.completion:completion",
        "Print the completion script of a shell.",
    ),
}
"""name -> (module:attribute, one line of help); the line stands here so that ``--help`` imports no
command.
"""

INTERRUPTED = 130
"""128 + SIGINT, as shells have it."""
PIPE_CLOSED = 141
"""128 + SIGPIPE, likewise."""
INTERNAL = 70
"""sysexits.h EX_SOFTWARE: a mistake of ours."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

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
            raise


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, message="blogcrawl %(version)s")
def cli() -> None:
    """Archive whole blogs: every post with its comments and pictures, as data, evidence and
    repository packages.

    Start with: blogcrawl crawl https://blog.example.org
    """


def classify(error: BaseException) -> BlogcrawlError | None:
    """The house's error for what the operating system says; None for what nobody foresaw."""
    if isinstance(error, BlogcrawlError):
        return error
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFullError(
                f"no space left{_at(error)}",
                advice="free some space and run the same command again: what is archived is whole",
            )
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return ArchiveError(
                f"not allowed to write or read{_at(error)}",
                advice="check the folder's permissions, or name another one",
            )
        if error.filename is not None:
            return BlogcrawlError(f"{error.strerror or error}{_at(error)}")
    return None


def _at(error: OSError) -> str:
    return f": {os.fsdecode(error.filename)}" if error.filename else ""


def run(args: list[str] | None = None) -> None:
    """Entry point of the console script. Leaves with the exit codes that ``docs/commands.md``
    lists; never with a traceback.
    """
    argv = sys.argv[1:] if args is None else args
    hide_arguments(sys.argv)
    redact_logs()
    out = Output(json_mode="--json" in argv)
    try:
        status = _invoke(argv, out)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing to say and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = PIPE_CLOSED
    # All is said and done: a late second Ctrl-C must not change the exit code.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if status == INTERRUPTED:
        sys.stderr.flush()
        os._exit(status)  # threads that wait for an answer from the net would hold a normal exit up
    sys.exit(status)


def _invoke(argv: list[str], out: Output) -> int:
    program = (
        os.path.basename(os.environ.get("BLOGCRAWL_PROGRAM", ""))
        and os.environ["BLOGCRAWL_PROGRAM"]
    )
    try:
        result: Any = cli.main(
            args=argv,
            prog_name=program or "blogcrawl",
            complete_var="_BLOGCRAWL_COMPLETE",
            standalone_mode=False,
        )
        return result if isinstance(result, int) and not isinstance(result, bool) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        usage = (
            error.ctx.command_path
            if isinstance(error, click.UsageError) and error.ctx
            else "blogcrawl"
        )
        out.failure(
            "UsageError", error.format_message(), error.exit_code, advice=f"see {usage} --help"
        )
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        out.failure("Interrupted", "interrupted", INTERRUPTED)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except SystemExit:
        if type(sys.stdout).__name__.endswith(
            "PacifyFlushWrapper"
        ):  # so click marks that the reader has gone, and leaves with 1
            raise BrokenPipeError from None
        raise
    except Exception as error:
        return _report(error, out)


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
        (
            f"a mistake in blogcrawl itself: {type(error).__name__}: "
            f"{' '.join(str(error).split()) or 'no message'}"
        ),
        INTERNAL,
        advice="BLOGCRAWL_DEBUG=1 shows where; please report it",
    )
    return INTERNAL
