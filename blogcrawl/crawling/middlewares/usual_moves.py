"""Redirects that a site gives to all addresses of a kind: they need no request once they are known.

A server that adds the slash at the end of a folder's address, another that wants ``https`` or
``www``, does so for every page: a feed whose links lack it would cost two requests a post. After
some that went the same way, and none that did not, the redirect is answered here.

Links that name a form of the host (``https``, ``www``) which gives nothing, as in copies and after
moves, are answered likewise: by a redirect to the form that gives pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, ResponseDataLossError
from scrapy.http import Response

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.crawling.exceptions import NoAnswer
from blogcrawl.crawling.session import session_if_any
from blogcrawl.urls.canonical import host_of, origin_of

PERMANENT, FOUND = (301, 308), 302
ABSENT = (404, 410)
_FROM = "usual_move_from"
"""Meta key: the address whose redirect was not asked for."""
_NONE = "no_usual_move"
_ANSWERED = (IgnoreRequest, DownloadCancelledError, ResponseDataLossError)
"""Failures of requests that were not made, or whose host has answered."""
_OTHERS = frozenset((_NONE, "dont_redirect", "playwright"))


class UsualMoves:
    """What permanent redirects of each host do to addresses. Pure."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._not_so: set[str] = set()
        """Kinds of addresses of which one did not move in the way of the others"""
        self._giving: dict[str, list[str]] = {}
        """Host -> its origins (schemes, ``www.``) that have given pages, in the order in which they
        did: the first is where the start page is."""
        self._silent: set[str] = set()
        """Origins that gave nothing where one of ``_giving`` was asked instead"""

    def gives(self, url: str) -> None:
        """Note that there is a page at ``url``."""
        giving = self._giving.setdefault(host_of(url), [])
        if origin_of(url) not in giving:
            giving.append(origin_of(url))

    def giving_form(self, url: str) -> str | None:
        """Return the address of a page that could not be had at ``url``, in the form of its host
        that gives pages; None where this one does, or none."""
        origin = origin_of(url)
        giving = self._giving.get(host_of(url), [])
        if not giving or origin in giving:
            return None
        self._silent.add(origin)
        return giving[0] + url.removeprefix(origin)

    def is_silent(self, url: str) -> bool:
        """Return whether ``url`` has a form of its host that gave nothing."""
        return origin_of(url) in self._silent

    def learn(self, url: str, target: str | None) -> None:
        """Note that ``url`` was redirected for good to ``target``, or answered itself (None)."""
        for kind, bare in _kinds(url):
            move = _move(kind, bare, target) if target is not None else None
            if move is None:
                self._not_so.add(kind)
            else:
                self._seen[kind][move] += 1

    def target(self, url: str) -> str | None:
        """Return where the site is sure to redirect ``url``; None where that is not known."""
        for kind, bare in _kinds(url):
            moves: Mapping[str, int] = self._seen.get(kind, {}) if kind not in self._not_so else {}
            if len(moves) == 1 and max(moves.values()) >= SEVERAL:
                move = next(iter(moves))
                return move + bare if kind.startswith("origin") else bare + move
        return None


def _kinds(url: str) -> list[tuple[str, str]]:
    """Return the kinds of addresses that ``url`` is of, each with what a move leaves as it is."""
    parts = urlsplit(url)
    origin = origin_of(url)
    kinds = [(f"origin {origin}", url.removeprefix(origin))]
    if not parts.query and parts.path[-1:] != "/" and "." not in parts.path.rpartition("/")[2]:
        kinds.append((f"folder {origin}", url))
    return kinds


def _move(kind: str, bare: str, target: str) -> str | None:
    """Return what a redirect adds to ``bare``: the origin before it, or the slash behind it."""
    if kind.startswith("origin"):
        origin = origin_of(target)
        moved = target.removeprefix(origin) == bare
        return origin if moved and origin != kind.removeprefix("origin ") else None
    return "/" if target == bare + "/" else None


class UsualMovesMiddleware:
    """Answers requests with the redirect that the site would give."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.moves = crawler, UsualMoves()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> UsualMovesMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> Response | None:
        target = self.moves.target(request.url) if self._may_be_answered(request) else None
        return _moved(request, target, PERMANENT[0]) if target is not None else None

    def _may_be_answered(self, request: Request) -> bool:
        """Return whether it is a plain request of the live web."""
        session = session_if_any(self.crawler)
        if request.method != "GET" or "#" in request.url or not _OTHERS.isdisjoint(request.meta):
            return False
        return session is None or session.captures is None

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """Ask the form of the host that gives pages where nothing answers at this one."""
        is_unanswered = isinstance(exception, NoAnswer) or not isinstance(exception, _ANSWERED)
        return self._at_giving_form(request) if is_unanswered else None

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Learn from an answer; where nothing is at the end of a redirect that was not asked for,
        ask at its beginning."""
        if _FROM in response.flags:
            return response
        first = request.meta.get(_FROM)
        if response.status in ABSENT:
            if first is None:
                return self._at_giving_form(request) or response
            silent = self.moves.is_silent(first)
            return response if silent else _begun_again(request, first)
        if response.status in PERMANENT:
            self.moves.learn(request.url, _target_of(response))
        elif 200 <= response.status < 400 and request.url == response.url:
            self.moves.learn(request.url, None)
            self._note_page(request, response, first)
        return response

    def _note_page(self, request: Request, response: Response, first: str | None) -> None:
        """Note where a page is; ``first``: the link to it, where it is at another address."""
        if response.status < 300 and request.meta.get("blogcrawl_kind") != "robots":
            self.moves.gives(request.url)
            if first is not None and self.moves.is_silent(first):
                self.moves.learn(first, request.url)

    def _at_giving_form(self, request: Request) -> Response | None:
        url = self.moves.giving_form(request.url) if self._may_be_answered(request) else None
        return _moved(request, url, FOUND) if url is not None else None


def _moved(request: Request, target: str, status: int) -> Response:
    """Return the redirect to ``target`` that was not asked for."""
    request.meta[_FROM] = request.url
    return Response(
        request.url, status=status, headers={"Location": target}, flags=[_FROM], request=request
    )


def _begun_again(request: Request, first: str) -> Request:
    """Return the request of a redirect's beginning, which is to be asked for now."""
    again = request.replace(url=first, dont_filter=True)
    again.meta.update({_NONE: True, "redirect_urls": [], "redirect_times": 0})
    del again.meta[_FROM]
    return again


def _target_of(response: Response) -> str | None:
    """Return where a redirect leads; None where it names no address."""
    location = response.headers.get("Location")
    try:
        return response.urljoin(location.decode("latin-1")) if location else None
    except ValueError:
        return None
