"""Cookies along the redirects of one request."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from scrapy import Request
from scrapy.http import Response

MAX_COOKIE_BYTES = 4_096
"""What browsers take for one cookie (RFC 6265, 6.1)."""


def handed_cookies(request: Request, response: Response) -> str:
    """Return ``Cookie`` for the next request of a redirect (RFC 6265, 5.4): cookies of this request
    and those that the response sets.
    """
    jar: SimpleCookie = SimpleCookie()
    for header in (*request.headers.getlist("Cookie"), *response.headers.getlist("Set-Cookie")):
        try:
            jar.load(header.decode("latin-1"))
        except CookieError:
            continue
    return "; ".join(
        f"{morsel.key}={morsel.coded_value}" for morsel in jar.values() if morsel["max-age"] != "0"
    )[:MAX_COOKIE_BYTES]
