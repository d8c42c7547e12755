"""All errors: one root class, and a subclass per exit code.

The command line turns an error into one line and the exit code of its class (see
``docs/commands.md``).
"""

from __future__ import annotations


class BlogcrawlError(Exception):
    """Base class. ``url``, ``blog``, ``stage`` locate the failure; ``advice`` is for the user."""

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
        self.message, self.advice = message, advice
        self.url, self.blog, self.stage = url, blog, stage

    def __str__(self) -> str:
        where = f" [{self.url}]" if self.url and self.url not in self.message else ""
        return f"{self.message}{where}" + (f" - {self.advice}" if self.advice else "")


class UsageError(BlogcrawlError):
    """An invalid option or URL."""

    exit_code = 2


class NotFoundError(UsageError, LookupError):
    """The archive has no such blog or post."""


class UnreachableError(BlogcrawlError):
    """The host does not resolve, refuses connections, or times out."""

    exit_code = 3


class HttpStatusError(BlogcrawlError):
    """The start page has status 4xx or 5xx."""

    exit_code = 4


class GoneError(HttpStatusError):
    """The start page has status 410: the blog is gone permanently."""


class NotABlogError(BlogcrawlError):
    """No feed and no posts were found."""

    exit_code = 5


class NotAPostError(BlogcrawlError):
    """A page is not a post."""


class FeedError(BlogcrawlError):
    """A feed is HTML, malformed, or empty."""

    exit_code = 6


class RobotsError(BlogcrawlError):
    """robots.txt disallows the URL."""

    exit_code = 7


class DiskFullError(BlogcrawlError):
    """No space left in the archive; archived packages stay intact."""

    exit_code = 8


class ArchiveError(BlogcrawlError):
    """The archive cannot be opened: not writable, of a newer version, not an archive."""

    exit_code = 9


class ReadOnlyError(ArchiveError):
    """The file system is mounted read-only."""


class VerifyError(BlogcrawlError):
    """``verify`` found faults, or a command skipped damaged or conflicting packages."""

    exit_code = 10


class TooCostlyError(BlogcrawlError):
    """Reading a page exceeds its CPU time or memory; it is archived as evidence only."""


class InternalError(BlogcrawlError):
    """An unexpected failure: a bug in blogcrawl."""

    exit_code = 70


class IncompleteError(BlogcrawlError):
    """The crawl ended without archiving all listed posts (named in the summary)."""

    exit_code = 11


class PackagingError(BlogcrawlError):
    """A record cannot be packaged."""


class StorageError(BlogcrawlError):
    """An operation of the state or the store failed."""

    exit_code = 12


class DamagedError(VerifyError, StorageError):
    """Stored content differs from what was written; the message names the package or file."""


class UnavailableError(StorageError):
    """State or store is temporarily unavailable."""


class LeaseLostError(StorageError):
    """Another job holds the lease: this one must not commit (fencing)."""

    exit_code = 13


class DepositError(BlogcrawlError):
    """The target repository rejected a package, or the transfer failed."""

    exit_code = 14


class ClusterError(BlogcrawlError):
    """A node or the controller failed."""

    exit_code = 15


class RefusedError(BlogcrawlError):
    """A private address not given by the operator, or a URL that is not http(s)."""

    exit_code = 16
