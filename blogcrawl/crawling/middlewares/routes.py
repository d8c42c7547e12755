"""Pages whose scripts show something else at each route (``#/post/1``): one request for all."""

from __future__ import annotations

from urllib.parse import urldefrag

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from blogcrawl.urls.parts import route

_CONDITIONAL = (b"If-None-Match", b"If-Modified-Since")


class RouteMiddleware:
    """Answers a request for a route of a page with that page, where it was fetched: what stands
    behind the ``#`` is not sent to the server (RFC 9110, 7.1).
    """

    def __init__(self) -> None:
        self._pages: dict[str, HtmlResponse] = {}

    def process_request(self, request: Request) -> Response | None:
        by_browser = request.meta.get("blogcrawl_kind") == "render"
        if by_browser or not route(request.url) or _is_conditional(request):
            return None
        page = self._pages.get(urldefrag(request.url).url)
        return page.replace(url=request.url, request=request) if page is not None else None

    def process_response(self, request: Request, response: Response) -> Response:
        kind = request.meta.get("blogcrawl_kind")
        wanted = kind == "home" or (kind != "render" and route(request.url))
        if wanted and response.status == 200 and isinstance(response, HtmlResponse):
            self._pages[urldefrag(response.url).url] = response
        return response


def _is_conditional(request: Request) -> bool:
    return any(name in request.headers for name in _CONDITIONAL)
