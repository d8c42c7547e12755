"""Fetching one URL outside the scheduler: an answer as a Page, a failure as one of the house's
errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from blogcrawl.core.errors import (
    BlogcrawlError,
    HttpStatusError,
    RefusedError,
    RobotsError,
    UnreachableError,
)
from blogcrawl.core.page import Page
from blogcrawl.crawling.exceptions import (
    NoAnswer,
    NotCaptured,
    Refused,
    RobotsForbidden,
    RobotsTrouble,
    Stopping,
)
from blogcrawl.crawling.resolver import unanswered_names
from blogcrawl.discovery.knowledge import NO_DNS_ANSWER, NO_HOST
from blogcrawl.storage.web_archive import NOT_ARCHIVED, Captured

CAPTURE = "blogcrawl_capture"
"""Key in a request's meta: the capture (``Captured``) that was read in place of the web."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``page.url`` is where the answer came from in the end."""

    page: Page
    moved_to: str | None = None
    """Where all redirects on the way were permanent (301, 308): the address to use from now on."""
    ip: str | None = None


def page_of(response: Response) -> Page:
    """Return a Scrapy response as the house's Page. Repeated headers are joined with a comma (RFC
    9110, 5.3).
    """
    headers = {
        name.decode("latin-1").lower(): ", ".join(v.decode("latin-1") for v in values)
        for name, values in response.headers.items()
    }
    asked = response.request.url if response.request is not None else ""
    url = (
        asked if "#" in asked and asked.partition("#")[0] == response.url else response.url
    )  # Scrapy takes a script's route away
    url = _without_a_visit(url, response)
    capture: Captured | None = response.meta.get(CAPTURE) if response.request is not None else None
    return Page(
        url=url,
        body=response.body,
        status=response.status,
        headers=headers,
        fetched_at=capture.date if capture is not None else datetime.now(UTC),
        origin=capture.origin if capture is not None else "",
    )


def _without_a_visit(url: str, response: Response) -> str:
    """Return the address requested where redirects that are not permanent did nothing but add to
    its query: a session, a look past caches. What they add differs with every visit, and is no part
    of a page's name.
    """
    first = (
        next(iter(response.meta.get("redirect_urls", ())), None)
        if response.request is not None
        else None
    )
    if first is None or any(
        reason in {301, 308} for reason in response.meta.get("redirect_reasons", ())
    ):
        return url
    asked, answered = urlsplit(first), urlsplit(url)
    more = set(parse_qsl(answered.query)) > set(parse_qsl(asked.query))
    return first if more and asked._replace(query="") == answered._replace(query="") else url


_MEANINGS: tuple[tuple[type[Exception], type[BlogcrawlError], str], ...] = (
    (RobotsForbidden, RobotsError, ""),
    (Refused, RefusedError, ""),
    (NotCaptured, HttpStatusError, NOT_ARCHIVED),
    (NotSupported, RefusedError, "not an http or https URL"),
    (CannotResolveHostError, UnreachableError, NO_HOST),
    (DownloadConnectionRefusedError, UnreachableError, "the host refuses the connection"),
    (DownloadTimeoutError, UnreachableError, "no answer in time"),
    (DownloadCancelledError, BlogcrawlError, "larger than allowed"),
    (ResponseDataLossError, UnreachableError, "the answer broke off"),
)
"""What an exception of a download means, with the message; its own message where that is empty."""


def as_error(error: BaseException, url: str) -> BlogcrawlError:
    """Return a failed download as an error with a message for people. Raises ``error`` again where
    it is no failure of a download.
    """
    if isinstance(error, BlogcrawlError):
        return error
    if isinstance(error, NoAnswer):
        return as_error(error.cause, url)
    if isinstance(error, Stopping) or not isinstance(error, Exception):
        raise error
    if isinstance(error, CannotResolveHostError) and _ends_in_name(error, unanswered_names):
        return UnreachableError(NO_DNS_ANSWER, url=url)
    for kind, meaning, message in _MEANINGS:
        if isinstance(error, kind):
            return meaning(message or str(error), url=url)
    if isinstance(error, IgnoreRequest):
        return HttpStatusError(_why_ignored(error), url=url)
    return UnreachableError(f"the download failed: {_detail(error)}", url=url)


def _detail(error: Exception) -> str:
    """Return what an exception says, without the objects that Twisted's list of reasons shows."""
    causes = [reason.value for reason in getattr(error.__cause__, "reasons", ())] or [error]
    said = (" ".join(_said(cause).split()) or type(cause).__name__ for cause in causes)
    return "; ".join(dict.fromkeys(said))


def _said(cause: BaseException) -> str:
    """Return what an exception says; those of OpenSSL are a list of library, function, reason."""
    found = cause.args[0] if cause.args else None
    if isinstance(found, list):
        return f"no secure connection ({', '.join(str(each[-1]) for each in found)})"
    return str(cause)


def _why_ignored(error: IgnoreRequest) -> str:
    """Return what Scrapy's own middlewares mean by it."""
    if "redirection" in str(error):
        return "redirects without end"
    return "larger than allowed when decompressed"


def _ends_in_name(error: Exception, names: set[str]) -> bool:
    """Return whether Twisted's message is about one of ``names``: after redirects it is not the
    URL's.
    """
    return str(error).rstrip(".").rpartition(" ")[2].lower() in names


def may_pass(error: BlogcrawlError) -> bool:
    """Return whether the response is missing for a reason that another visit may not meet."""
    cause = error.__cause__
    return (isinstance(error, UnreachableError) and error.message != NO_HOST) or isinstance(
        cause, RobotsTrouble
    )


async def fetch(
    crawler: Crawler,
    url: str,
    *,
    kind: str,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = 0,
    meta: Mapping[str, Any] | None = None,
) -> Answer:
    """Fetch ``url`` through all middlewares (guard, robots.txt, delay, retries, redirects); any
    HTTP status is an answer.

    ``kind`` (home, feed, sitemap, post, media, comments …) is for the traffic's record.
    ``max_bytes`` 0: the crawl's limit. Raises BlogcrawlError of the fitting class; scrapy's
    IgnoreRequest only while the crawl stops.
    """
    all_meta: dict[str, Any] = {"blogcrawl_kind": kind, **(meta or {})}
    if kind in ("media", "script"):
        all_meta.setdefault("max_retry_times", 2 if kind == "media" else 1)
    if max_bytes:
        all_meta["download_maxsize"] = max_bytes
    try:
        request = Request(url, headers=dict(headers or {}), callback=NO_CALLBACK, meta=all_meta)
    except ValueError as error:
        raise RefusedError(f"no usable URL ({error})", url=url) from error
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:
        raise as_error(error, url) from error
    moved = response.url if response.meta.get("permanent") and response.url != url else None
    return Answer(
        page=page_of(response),
        moved_to=moved,
        ip=str(response.ip_address) if response.ip_address else None,
    )
