"""Load one page for ``rules --page``: from the archive, else from the blog by a polite request."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Any
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.config import Config
from blogcrawl.core.errors import (
    HttpStatusError,
    RefusedError,
    RobotsError,
    StorageError,
    UnreachableError,
)
from blogcrawl.core.netguard import Guard, host_of
from blogcrawl.core.page import Page

MAX_REDIRECTS = 5
MAX_BYTES = 20_000_000
SECONDS = 60.0


def page_at(config: Config, row: Any, url: str) -> Page:
    """Return the archived page, else fetch it. ``row``: the blog's row. Raises BlogcrawlError."""
    from blogcrawl.packaging.layout import SOURCE_HTML
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state
    from blogcrawl.urls.canonical import canonicalize, entry_key

    with closing(open_state(config, reading=True)) as state:
        post = (
            state.get_post(row.id, entry_key(url))
            or state.get_post(row.id, canonicalize(url))
            or state.get_post(row.id, url)
        )
    if post is not None and post.aip_id:
        try:
            with open_store(config, reading=True).open(post.aip_id, SOURCE_HTML) as file:
                return Page(url=url, body=file.read())
        except StorageError:
            pass  # a package without the source: fetch the page
    return fetched(url, config)


def fetched(url: str, config: Config) -> Page:
    """Check robots.txt, then fetch the page.

    Raises RefusedError, RobotsError, UnreachableError, HttpStatusError.
    """
    import httpx

    from blogcrawl.crawling.arguments import user_agent
    from blogcrawl.crawling.robots import read_robots

    guard = config.guard([url])
    # Certificates are not verified, as in a crawl: a blog with an expired one is archived too.
    headers = {"User-Agent": user_agent(config.contact)}
    with httpx.Client(headers=headers, timeout=SECONDS, verify=False, trust_env=False) as client:
        for _ in range(MAX_REDIRECTS):
            refused = guard.refuse_url(url)
            if refused:
                raise RefusedError(refused, url=url)
            status, body, _headers = _get(client, guard, urljoin(url, "/robots.txt"))
            if status is None:
                raise UnreachableError(f"{urlsplit(url).netloc} does not respond", url=url)
            robots = read_robots(status, body)
            if not robots.allowed(url):
                raise RobotsError(robots.why or "robots.txt forbids this page", url=url)
            status, body, headers = _get(client, guard, url)
            if status is None:
                raise UnreachableError("the page cannot be fetched", url=url)
            if 300 <= status < 400 and headers.get("location"):
                url = urljoin(url, headers["location"])
                continue
            if status >= 400:
                raise HttpStatusError(f"the page answers HTTP {status}", url=url)
            return Page(url=url, body=body, status=status, headers=headers)
    raise UnreachableError("too many redirects", url=url)


def _checked_address(guard: Guard, url: str) -> str | None:
    """Resolve the host of ``url`` to an allowed address; None if it does not resolve.

    Raises RefusedError.
    """
    host = host_of(url)
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))
    for address in addresses:
        refused = guard.refuse_address(host, address)
        if refused:
            raise RefusedError(refused, url=url)
    return addresses[0] if addresses else None


def _get(client: Any, guard: Guard, url: str) -> tuple[int | None, bytes, dict[str, str]]:
    """Return status (None: no response), body up to MAX_BYTES and headers in lower case.

    The connection goes to the address that was checked, so a second DNS look-up cannot lead
    elsewhere. Raises RefusedError.
    """
    import httpx

    address = _checked_address(guard, url)
    if address is None:
        return None, b"", {}
    try:
        target = httpx.URL(url)
        headers = {"Host": target.netloc.decode("ascii")}
        pinned = target.copy_with(host=address)
        extensions = {"sni_hostname": target.host}
        with client.stream("GET", pinned, headers=headers, extensions=extensions) as answer:
            body = bytearray()
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MAX_BYTES:
                    break
            return (
                answer.status_code,
                bytes(body[:MAX_BYTES]),
                {k.lower(): v for k, v in answer.headers.items()},
            )
    except (httpx.HTTPError, httpx.InvalidURL):
        return None, b"", {}
