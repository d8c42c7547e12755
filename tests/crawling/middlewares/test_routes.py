"""Routes of one page: one request for all of them."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from blogcrawl.crawling.middlewares.routes import RouteMiddleware

HOME = "http://blog.example/"
ROUTE = HOME + "#/post/1"


def known(kind: str = "home", url: str = HOME) -> RouteMiddleware:
    middleware = RouteMiddleware()
    request = Request(url, meta={"blogcrawl_kind": kind})
    middleware.process_response(request, HtmlResponse(url, body=b"<div id=app>", request=request))
    return middleware


@pytest.mark.parametrize(("kind", "url"), [("home", HOME), ("page", HOME + "#/post/2")])
def test_fragment_routes_are_answered_from_the_fetched_page(kind: str, url: str) -> None:
    request = Request(ROUTE)
    answer = known(kind, url).process_request(request)
    assert answer is not None and answer.url == ROUTE and answer.request is request
    assert answer.body == b"<div id=app>"


@pytest.mark.parametrize(
    "request_",
    [
        Request(HOME + "post/1"),
        Request(HOME + "#top"),
        Request(HOME + "other/#/post/1"),
        Request(ROUTE, meta={"blogcrawl_kind": "render"}),
        Request(ROUTE, headers={"If-None-Match": '"1"'}),
    ],
    ids=["path", "place on the page", "other page", "browser", "revalidation"],
)
def test_other_requests_go_to_the_server(request_: Request) -> None:
    assert known().process_request(request_) is None


def test_rendered_page_does_not_answer_fragment_routes() -> None:
    assert known("render", HOME + "#/post/2").process_request(Request(ROUTE)) is None
