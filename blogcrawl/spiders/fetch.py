"""Fetching one URL outside the scheduler: an answer as a Page, a failure as one of the house's errors."""

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

from blogcrawl.errors import BlogcrawlError, HttpStatusError, RefusedError, RobotsError, UnreachableError
from blogcrawl.middlewares import NoAnswer, Refused, RobotsForbidden, Stopping
from blogcrawl.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``page.url`` is where the answer came from in the end."""

    page: Page
    moved_to: str | None = None
    """Where all redirects on the way were permanent (301, 308): the address to use from now on."""
    ip: str | None = None


def page_of(response: Response) -> Page:
    """A Scrapy response as the house's Page. Repeated headers are joined with a comma (RFC 9110, 5.3)."""
    headers = {name.decode("latin-1").lower(): ", ".join(v.decode("latin-1") for v in values) for name, values in response.headers.items()}
    asked = response.request.url if response.request is not None else ""
    url = asked if "#" in asked and asked.partition("#")[0] == response.url else response.url  # Scrapy takes a script's route away
    url = _without_a_visit(url, response)
    return Page(url=url, body=response.body, status=response.status, headers=headers, fetched_at=datetime.now(UTC))


def _without_a_visit(url: str, response: Response) -> str:
    """The address asked for where redirects that are not permanent did nothing but add to its query: a session, a look past caches.
    What they add differs with every visit, and is no part of a page's name."""
    first = next(iter(response.meta.get("redirect_urls", ())), None) if response.request is not None else None
    if first is None or any(reason in {301, 308} for reason in response.meta.get("redirect_reasons", ())):
        return url
    asked, answered = urlsplit(first), urlsplit(url)
    more = set(parse_qsl(answered.query)) > set(parse_qsl(asked.query))
    return first if more and asked._replace(query="") == answered._replace(query="") else url


def as_error(error: BaseException, url: str) -> BlogcrawlError:
    """What a failed download means, for people. Raises ``error`` again where it is no failure of a download."""
    if isinstance(error, BlogcrawlError):
        return error
    if isinstance(error, NoAnswer):
        return as_error(error.cause, url)
    if isinstance(error, RobotsForbidden):
        return RobotsError(str(error), url=url)
    if isinstance(error, Refused):
        return RefusedError(str(error), url=url)
    if isinstance(error, Stopping):
        raise error
    if isinstance(error, IgnoreRequest):
        told = str(error)
        return HttpStatusError("redirects without end" if "redirection" in told else "larger than allowed when decompressed", url=url)
    if isinstance(error, NotSupported):
        return RefusedError("not an http or https URL", url=url)
    if isinstance(error, CannotResolveHostError):
        return UnreachableError("the host does not resolve", url=url)
    if isinstance(error, DownloadConnectionRefusedError):
        return UnreachableError("the host refuses the connection", url=url)
    if isinstance(error, DownloadTimeoutError):
        return UnreachableError("no answer in time", url=url)
    if isinstance(error, DownloadCancelledError):
        return BlogcrawlError("larger than allowed", url=url)
    if isinstance(error, ResponseDataLossError):
        return UnreachableError("the answer broke off", url=url)
    if isinstance(error, Exception):
        return UnreachableError(f"the download failed: {' '.join(str(error).split()) or type(error).__name__}", url=url)
    raise error


async def fetch(
    crawler: Crawler,
    url: str,
    *,
    kind: str,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = 0,
    priority: int = 0,
    meta: Mapping[str, Any] | None = None,
) -> Answer:
    """Fetch ``url`` through all middlewares (guard, robots.txt, delay, retries, redirects); any HTTP status is an answer.

    ``kind`` (home, feed, sitemap, post, media, comments …) is for the traffic's record. ``max_bytes`` 0: the crawl's limit.
    Raises BlogcrawlError of the fitting class; scrapy's IgnoreRequest only while the crawl stops.
    """
    assert crawler.engine is not None
    all_meta: dict[str, Any] = {"blogcrawl_kind": kind, **(meta or {})}
    if kind in ("media", "script"):
        all_meta.setdefault("max_retry_times", 2 if kind == "media" else 1)
    if max_bytes:
        all_meta["download_maxsize"] = max_bytes
    try:
        request = Request(url, headers=dict(headers or {}), callback=NO_CALLBACK, priority=priority, meta=all_meta)
    except ValueError as error:
        raise RefusedError(f"no usable URL ({error})", url=url) from error
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:
        raise as_error(error, url) from error
    moved = response.url if response.meta.get("permanent") and response.url != url else None
    return Answer(page=page_of(response), moved_to=moved, ip=str(response.ip_address) if response.ip_address else None)
