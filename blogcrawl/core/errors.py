"""One root error; every other one says what it is about (subject) and what kind of trouble it is.

The command line turns any of them into one line and the exit code of its class
(``docs/commands.md`` lists them).
"""

from __future__ import annotations


class BlogcrawlError(Exception):
    """Root. ``url``, ``blog`` and ``stage`` say where; ``advice`` what the user can do."""

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        url: str | None = None,
        blog: str | None = None,
        stage: str | None = None,
        advice: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.url, self.blog, self.stage, self.advice = (
            message,
            url,
            blog,
            stage,
            advice,
        )

    def __str__(self) -> str:
        where = f" [{self.url}]" if self.url and self.url not in self.message else ""
        return f"{self.message}{where}" + (f" - {self.advice}" if self.advice else "")


class UsageError(BlogcrawlError):
    """A wrong option, or a URL that is none."""

    exit_code = 2


class UnreachableError(BlogcrawlError):
    """The host does not resolve, refuses, or times out."""

    exit_code = 3


class HttpStatusError(BlogcrawlError):
    """The start page answers 4xx or 5xx."""

    exit_code = 4


class GoneError(HttpStatusError):
    """The start page answers 410: the blog is gone for good."""


class NotABlogError(BlogcrawlError):
    """No feed, no posts: nothing here that looks like a blog."""

    exit_code = 5


class FeedError(BlogcrawlError):
    """A feed that is HTML, broken beyond repair, or empty."""

    exit_code = 6


class RobotsError(BlogcrawlError):
    """robots.txt forbids what was asked for."""

    exit_code = 7


class DiskFullError(BlogcrawlError):
    """No space left in the archive; what is archived stays whole."""

    exit_code = 8


class ArchiveError(BlogcrawlError):
    """The archive can't be opened: not writable, of a newer version, not an archive."""

    exit_code = 9


class ReadOnlyError(ArchiveError):
    """The file system refuses every write for now: it is mounted read-only."""


class VerifyError(BlogcrawlError):
    """``verify`` found something wrong, or a command left out packages that are damaged or in
    conflict.
    """

    exit_code = 10


class TooCostlyError(BlogcrawlError):
    """Reading a page takes more CPU time or memory than one page may have; it is archived as
    evidence only.
    """


class InternalError(BlogcrawlError):
    """A failure that no code expects: a mistake in blogcrawl itself."""

    exit_code = 70


class IncompleteError(BlogcrawlError):
    """The crawl ended but posts that were promised could not be archived (the
    summary names them).
    """

    exit_code = 11


class PackagingError(BlogcrawlError):
    """A record can't be packaged."""


class StorageError(BlogcrawlError):
    """State or store refused an operation."""

    exit_code = 12


class DamagedError(VerifyError, StorageError):
    """Something stored is not what was written; the message names the package or the file."""


class UnavailableError(StorageError):
    """State or store is away for now: it refuses connections, breaks off, does not answer."""


class LeaseLostError(StorageError):
    """Another job holds the lease now: this one must not commit (fencing)."""

    exit_code = 13


class DepositError(BlogcrawlError):
    """The target repository refused or broke off."""

    exit_code = 14


class ClusterError(BlogcrawlError):
    """A node or the controller."""

    exit_code = 15


class RefusedError(BlogcrawlError):
    """An address of a private network that the operator did not name, or a URL that
    is not http(s).
    """

    exit_code = 16
