"""Requests that are not made: what the downloader middlewares raise."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest


class Refused(IgnoreRequest):
    """The guard forbids it."""


class RobotsForbidden(IgnoreRequest):
    """robots.txt forbids it."""


class RobotsTrouble(RobotsForbidden):
    """The server has trouble to say what robots.txt forbids; that may pass."""


class NoAnswer(IgnoreRequest):
    """The host did not even answer for its robots.txt; ``cause`` says how it failed."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("robots.txt could not be fetched, so nothing may be (RFC 9309)")
        self.cause = cause


class Stopping(IgnoreRequest):
    """The crawl is being stopped; the request was not answered and stays to be done."""


class ReadBefore(IgnoreRequest):
    """A page of the frontier redirects to ``url``, which was read already or is under way."""

    def __init__(self, url: str) -> None:
        super().__init__("redirects to a page that was read before")
        self.url = url


class NotCaptured(IgnoreRequest):
    """The web archive that is read in place of the web does not have it."""
