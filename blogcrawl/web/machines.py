"""For machines: a JSON API with its OpenAPI description, OAI-PMH, an Atom feed of new posts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from types import NoneType
from typing import Any, get_args, get_type_hints

from lxml import etree
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from blogcrawl import __version__
from blogcrawl.dates.edtf import written
from blogcrawl.packaging import ids
from blogcrawl.packaging.records import post_to_json
from blogcrawl.packaging.xmltools import namespaces
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.search.base import ORDERS as SEARCH_ORDERS
from blogcrawl.storage.tables import CrawlRow, JobRow, NodeRow, VisitRow
from blogcrawl.web.activity import running_crawls
from blogcrawl.web.catalogue import BLOGS_PAGE, POSTS_PAGE, BlogLine, BlogQuery, PostLine
from blogcrawl.web.finding import FACETS, HITS, Finding
from blogcrawl.web.gate import check_insight
from blogcrawl.web.oai import Provider, asgi_app
from blogcrawl.web.pages import ORDERS, learned_rules, not_archived
from blogcrawl.web.reading import ReadPost
from blogcrawl.web.room import Room, parameter, whole
from blogcrawl.web.sanitise import plain

ATOM = "http://www.w3.org/2005/Atom"
MOST = 500
"""Items of one answer."""
MOST_HITS = 50
"""Hits of a search in one answer: each is read from its package."""
_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "description": "ISO 8601, as precise as it is known"},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API: ``answers`` returns JSON data, described by ``schema``."""

    path: str
    summary: str
    answers: Callable[[Request], Mapping[str, Any]]
    schema: Mapping[str, Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Name of a parameter of the query -> its type and what it is, as ``integer: …``."""


class Machines:
    """The endpoints for programs."""

    def __init__(self, room: Room, finding: Finding) -> None:
        self.room, self._finding = room, finding
        paging = {"offset": "integer: items to skip", "limit": f"integer: items, at most {MOST}"}
        self.operations = [
            Operation(
                "/api/blogs",
                "List blogs",
                self.blogs,
                _object(blogs=_array(_schema(BlogLine)), total={"type": "integer"}),
                {
                    "q": "string: part of title or address",
                    "language": "string: tag of the language",
                    "platform": "string: name of the platform",
                    "health": "string: state of health",
                    "order": "string: " + ", ".join(ORDERS),
                    **paging,
                },
            ),
            Operation("/api/blogs/{blog_id}", "Show a blog", self.blog, {"type": "object"}),
            Operation(
                "/api/blogs/{blog_id}/posts",
                "List the posts of a blog, newest first",
                self.posts,
                _object(posts=_array(_schema(PostLine)), after={"type": "string"}),
                {
                    "month": "string: 2014-03 or 2014",
                    "after": "string: the value of the same name in the answer before",
                    "limit": f"integer: items, at most {MOST}",
                },
            ),
            Operation(
                "/api/blogs/{blog_id}/missing",
                "List what of a blog is not archived, with reasons",
                self.missing,
                {"type": "object", "additionalProperties": _array({"type": "object"})},
            ),
            Operation(
                "/api/blogs/{blog_id}/crawls",
                "List the crawls of a blog, newest first",
                self.crawls,
                _object(crawls=_array(_schema(CrawlRow))),
                paging,
            ),
            Operation(
                "/api/blogs/{blog_id}/rules",
                "List the extraction rules that were learned for a blog, with their support",
                self.rules,
                _object(
                    rules=_array({"type": "object"}),
                    samples={"type": "integer"},
                    relearn={"type": "boolean"},
                ),
            ),
            Operation(
                "/api/search",
                "Find posts by words in them and their comments",
                self.search,
                _object(
                    hits=_array({"type": "object"}),
                    total={"type": "integer"},
                    exact={"type": "boolean"},
                    facets={"type": "object"},
                    next={"type": ["integer", "null"]},
                ),
                {
                    "q": "string: words, phrases in quotes, beginnings with *, -exclusions",
                    "blog": "string: id of a blog; may be repeated, as the next four",
                    **{name: f"string: {name} of the post" for name in FACETS[1:]},
                    "order": "string: " + ", ".join(SEARCH_ORDERS),
                    "after": "integer: the value of next in the answer before",
                    "limit": f"integer: items, at most {MOST_HITS}",
                },
            ),
            Operation(
                "/api/crawls",
                "Show what is being crawled, nodes, jobs and next visits (for operators)",
                self.activity,
                _object(
                    running=_array(_schema(CrawlRow)),
                    nodes=_array(_schema(NodeRow)),
                    jobs=_array(_schema(JobRow)),
                    visits=_array(_schema(VisitRow)),
                    due={"type": "integer"},
                ),
                {
                    "state": "string: of visits: waiting, claimed, visited, paused, listed, gone",
                    "limit": f"integer: jobs and visits, at most {MOST}",
                },
            ),
            Operation(
                "/api/posts/{uuid}",
                "Show a post: record, package, versions",
                self.post,
                _object(post={"type": "object"}, package={"type": "object"}),
                {"version": "integer: number of a version; the newest without"},
            ),
        ]

    def routes(self) -> list[Route]:
        """Return the routes of API, OAI-PMH and feed."""
        made = [
            Route(
                one.path.replace("{uuid}", "{uuid:uuid}"), _answered(one.answers), methods=["GET"]
            )
            for one in self.operations
        ]
        made += [
            Route("/api/openapi.json", self.description, methods=["GET"]),
            Route("/feed.atom", self.atom, methods=["GET"]),
            Route("/oai", self._oai(), methods=["GET", "POST"]),
        ]
        return made

    # the API

    def blogs(self, request: Request) -> Mapping[str, Any]:
        query = BlogQuery(
            text=parameter(request, "q"),
            language=parameter(request, "language"),
            platform=parameter(request, "platform"),
            health=parameter(request, "health"),
            order=parameter(request, "order"),
            offset=whole(request, "offset"),
            limit=whole(request, "limit", MOST) or BLOGS_PAGE,
        )
        found = self.room.catalogue.find_blogs(query)
        return {"blogs": [asdict(line) for line in found.blogs], "total": found.total}

    def blog(self, request: Request) -> Mapping[str, Any]:
        row, line = self._row(request), self.room.catalogue.find_blog(self._row(request).id)
        known = asdict(line) if line else {}
        return {**known, "record": row.record, "feeds": list(row.feeds), "package": row.aip_id}

    def posts(self, request: Request) -> Mapping[str, Any]:
        found = self.room.catalogue.find_posts(
            self._row(request).id,
            month=parameter(request, "month"),
            after=parameter(request, "after"),
            limit=whole(request, "limit", MOST) or POSTS_PAGE,
        )
        return {"posts": [asdict(line) for line in found.posts], "after": found.after}

    def missing(self, request: Request) -> Mapping[str, Any]:
        return not_archived(self.room.state, self._row(request))

    def crawls(self, request: Request) -> Mapping[str, Any]:
        rows = self.room.state.crawls(self._row(request).id)[::-1]
        start = whole(request, "offset")
        limit = whole(request, "limit", MOST) or POSTS_PAGE
        return {"crawls": [asdict(row) for row in rows[start : start + limit]]}

    def rules(self, request: Request) -> Mapping[str, Any]:
        return learned_rules(self._row(request).learned)

    def search(self, request: Request) -> Mapping[str, Any]:
        found = self._finding.find(request, whole(request, "limit", MOST_HITS) or HITS)
        if found is None:
            raise HTTPException(404, "This archive has no search index yet.")
        place = f"{self.room.public}/post/"
        hits = [{**asdict(hit), "page": place + ids.bare(hit.aip_id)} for hit in found.hits]
        return {
            "hits": hits,
            "total": found.total,
            "exact": found.exact,
            "facets": found.facets,
            "next": found.next,
        }

    def activity(self, request: Request) -> Mapping[str, Any]:
        check_insight(request)
        schedule, now = Schedule(self.room.state), self.room.now()
        limit = whole(request, "limit", MOST) or POSTS_PAGE
        visits = schedule.visits(parameter(request, "state") or None, limit)
        return {
            "running": [asdict(crawl) for crawl in running_crawls(self.room.state, now)],
            "nodes": [asdict(node) for node in schedule.nodes()],
            "jobs": [asdict(job) for job in schedule.jobs(limit)],
            "visits": [asdict(visit) for visit in visits],
            "due": schedule.overdue(now),
        }

    def post(self, request: Request) -> Mapping[str, Any]:
        uuid = str(request.path_params["uuid"])
        read = self.room.reader.open(uuid, whole(request, "version") or None)
        if read is None:
            raise HTTPException(404)
        return {"post": post_to_json(read.post), "package": package(self.room, read)}

    def _row(self, request: Request) -> Any:
        row = self.room.state.get_blog(request.path_params["blog_id"])
        if row is None:
            raise HTTPException(404)
        return row

    def description(self, request: Request) -> Response:
        """Describe the API (OpenAPI 3.1)."""
        paths = {
            one.path: {
                "get": {
                    "summary": one.summary,
                    "operationId": one.answers.__name__,
                    "parameters": _parameters(one),
                    "responses": {
                        "200": {
                            "description": "found",
                            "content": {"application/json": {"schema": one.schema}},
                        },
                        "403": {"description": "not for this user"},
                        "404": {"description": "there is nothing of this name"},
                    },
                }
            }
            for one in self.operations
        }
        about = {
            "title": f"{self.room.operator.name or 'blogcrawl'}: archived blogs",
            "version": __version__,
        }
        servers = [{"url": self.room.public}]
        return _json({"openapi": "3.1.0", "info": about, "servers": servers, "paths": paths})

    # OAI-PMH and Atom

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
        """List the posts that were archived last, as an Atom feed (RFC 4287)."""
        base = self.room.public
        lines = self.room.catalogue.recent_posts()
        feed = etree.Element(f"{{{ATOM}}}feed", nsmap=namespaces(ATOM))
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
            if line.published:
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


def package(room: Room, read: ReadPost) -> dict[str, Any]:
    """Return a version of a post's package as data."""
    place = f"{room.public}/post/{read.uuid}/v"
    return {
        "id": read.version.object_id,
        "version": read.version.version,
        "created": read.version.created,
        "files": dict(read.version.files),
        "aip": f"{place}/{read.version.version}/aip.zip",
        "versions": [
            {"version": one.version, "created": one.created, "url": f"{place}/{one.version}"}
            for one in read.versions
        ],
    }


def _answered(answers: Callable[[Request], Mapping[str, Any]]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return _json(answers(request))

    return endpoint


def _json(data: Mapping[str, Any]) -> Response:
    text = json.dumps(data, ensure_ascii=False, default=_plain)
    return Response(text.encode("utf-8", "replace"), media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return written(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _utc(moment: datetime) -> str:
    aware = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _add(parent: etree._Element, name: str, text: str = "", **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
    element.text = text or None
    return element


# the description


def _object(**properties: Any) -> Mapping[str, Any]:
    return {"type": "object", "required": sorted(properties), "properties": properties}


def _array(items: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": items}


def _schema(record: type) -> Mapping[str, Any]:
    """Describe a record of ours by its fields."""
    hints = get_type_hints(record)
    properties: dict[str, Any] = {}
    for spec in fields(record):
        kinds = list(get_args(hints[spec.name]) or (hints[spec.name],))
        known = next((_SCHEMAS[kind] for kind in kinds if kind in _SCHEMAS), {})
        is_optional = NoneType in kinds
        if is_optional and known:
            known = {**known, "type": [known["type"], "null"]}
        is_plain = hints[spec.name] in _SCHEMAS or is_optional
        properties[spec.name] = known if is_plain else {}
    return {"type": "object", "properties": properties}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in ("blog_id", "uuid"):
        if "{" + name + "}" in operation.path:
            kind = {"type": "string", **({"format": "uuid"} if name == "uuid" else {})}
            found.append({"name": name, "in": "path", "required": True, "schema": kind})
    for name, about in operation.parameters.items():
        kind_name, _, text = about.partition(": ")
        schema: dict[str, Any] = {"type": kind_name}
        if kind_name == "integer":
            schema["minimum"] = 0
        found.append({"name": name, "in": "query", "description": text, "schema": schema})
    return found
