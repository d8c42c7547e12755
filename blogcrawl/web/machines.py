"""For harvesters and feed readers: OAI-PMH, and an Atom feed of new posts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from lxml import etree
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from blogcrawl.dates.edtf import edtf, is_coarse
from blogcrawl.packaging import ids
from blogcrawl.packaging.xmltools import DC, namespaces
from blogcrawl.web.oai import Provider, asgi_app
from blogcrawl.web.room import Room
from blogcrawl.web.sanitise import plain

ATOM = "http://www.w3.org/2005/Atom"


class Machines:
    """The endpoints of OAI-PMH and the feed."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/feed.atom", self.atom, methods=["GET"]),
            Route("/oai", self._oai(), methods=["GET", "POST"]),
        ]

    def _oai(self) -> Any:
        if not self.room.operator.mail:
            return _no_harvest
        base = f"{self.room.public}/oai"
        operator = self.room.operator
        return _Oai(
            Provider(
                self.room.state,
                self.room.store,
                operator=operator,
                base_url=base,
                now=self.room.now,
            )
        )

    def atom(self, request: Request) -> Response:
        """List the posts that were archived last, as an Atom feed (RFC 4287), whose own dates are
        moments: a bare month or year is ``dc:date``."""
        base = self.room.public
        lines = self.room.catalogue.recent_posts()
        feed = etree.Element(f"{{{ATOM}}}feed", nsmap=namespaces(ATOM, dc=DC))
        updated = max((line.first_seen for line in lines if line.first_seen), default=None)
        _add(feed, "id", f"{base}/feed.atom")
        _add(feed, "title", f"{self.room.operator.name or 'blogcrawl'}: newly archived posts")
        _add(feed, "updated", _utc(updated or self.room.now()))
        _add(_add(feed, "author"), "name", self.room.operator.name or "blogcrawl")
        _add(feed, "link", rel="self", href=f"{base}/feed.atom")
        for line in lines:
            entry = _add(feed, "entry")
            _add(entry, "id", str(line.aip_id))
            _add(entry, "title", plain(line.title or line.url))
            _add(entry, "updated", _utc(line.first_seen or self.room.now()))
            _add(entry, "link", rel="alternate", href=f"{base}/post/{ids.bare(str(line.aip_id))}")
            _add(entry, "link", rel="via", href=plain(line.url))
            if line.published and is_coarse(line.published):
                etree.SubElement(entry, f"{{{DC}}}date").text = edtf(line.published)
            elif line.published:
                _add(entry, "published", _utc(line.published))
        body = etree.tostring(feed, encoding="UTF-8", xml_declaration=True)
        return Response(body, media_type="application/atom+xml")


class _Oai:
    """An ASGI application as endpoint: Starlette takes functions for something else."""

    def __init__(self, provider: Provider) -> None:
        self._app = asgi_app(provider)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _no_harvest(request: Request) -> Response:
    raise HTTPException(
        503, "OAI-PMH needs the mail address of an administrator: set BLOGCRAWL_CONTACT"
    )


def _utc(moment: datetime) -> str:
    aware = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _add(parent: etree._Element, name: str, text: str = "", **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
    element.text = text or None
    return element
