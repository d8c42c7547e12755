"""The JSON API: what the pages show, for programs, with its OpenAPI description.

What operators change is in ``actions``; the description names it too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from blogcrawl import __version__
from blogcrawl.dates.edtf import written
from blogcrawl.packaging import ids
from blogcrawl.packaging.records import post_to_json
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.search.base import ORDERS as SEARCH_ORDERS
from blogcrawl.storage.tables import BlogRow, CrawlRow, JobRow, NodeRow, VisitRow
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.activity import sample_rates
from blogcrawl.web.catalogue import BLOGS_PAGE, POSTS_PAGE, BlogLine, BlogQuery, PostLine
from blogcrawl.web.citation import FORMS
from blogcrawl.web.diff import changes
from blogcrawl.web.figures import numbers
from blogcrawl.web.finding import FACETS, HITS, Finding
from blogcrawl.web.gate import check_insight, operator_of
from blogcrawl.web.inspector import Inspector
from blogcrawl.web.jobs import Job, Jobs
from blogcrawl.web.openapi import Change, Operation, an_array, an_object, schema_of
from blogcrawl.web.pages import ORDERS, evidence_of, feeds_of, learned_rules, not_archived
from blogcrawl.web.reading import ReadPost
from blogcrawl.web.room import Room, parameter, whole

MOST = 500
"""Items of one answer."""
MOST_HITS = 50
"""Hits of a search in one answer: each is read from its package."""
_INTEGER, _STRING, _OBJECT = {"type": "integer"}, {"type": "string"}, {"type": "object"}
_VERSION = {"version": "integer: number of a version; the newest without"}


class Api:
    """The endpoints. ``changes``: what operators may do, for the description."""

    def __init__(
        self,
        room: Room,
        finding: Finding,
        inspector: Inspector,
        jobs: Jobs | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        self.room, self._finding, self._inspector = room, finding, inspector
        self._jobs, self._changes = jobs, changes
        self.operations = [*self._of_blogs(), *self._of_posts(), *self._of_crawls()]

    def _of_blogs(self) -> list[Operation]:
        paging = {"offset": "integer: items to skip", "limit": f"integer: items, at most {MOST}"}
        return [
            Operation(
                "/api/blogs",
                "List blogs",
                self.blogs,
                an_object(blogs=an_array(schema_of(BlogLine)), total=_INTEGER, facets=_OBJECT),
                {
                    "q": "string: part of title or address",
                    "language": "string: tag of the language",
                    "platform": "string: name of the platform",
                    "health": "string: state of health",
                    "order": "string: " + ", ".join(ORDERS),
                    **paging,
                },
            ),
            Operation("/api/blogs/{blog_id}", "Show a blog", self.blog, schema_of(BlogLine)),
            Operation(
                "/api/blogs/{blog_id}/posts",
                "List the posts of a blog, newest first",
                self.posts,
                an_object(posts=an_array(schema_of(PostLine)), after=_STRING),
                {
                    "month": "string: 2014-03 or 2014",
                    "after": "string: the value of the same name in the answer before",
                    "limit": f"integer: items, at most {MOST}",
                },
            ),
            Operation(
                "/api/blogs/{blog_id}/missing",
                "List what of a blog is not archived, with reasons, and corrections by operators",
                self.missing,
                {"type": "object", "additionalProperties": an_array()},
            ),
            Operation(
                "/api/blogs/{blog_id}/crawls",
                "List the crawls of a blog, newest first",
                self.crawls,
                an_object(crawls=an_array(schema_of(CrawlRow))),
                paging,
            ),
            Operation(
                "/api/blogs/{blog_id}/rules",
                "List the extraction rules that were learned for a blog, with their support",
                self.rules,
                an_object(rules=an_array(), samples=_INTEGER, relearn={"type": "boolean"}),
            ),
            Operation(
                "/api/blogs/{blog_id}/plots",
                "Show the numbers that a blog's plots are drawn from",
                self.plots,
                an_object(months=an_array(), sites=an_array(), crawls=an_array()),
            ),
        ]

    def _of_posts(self) -> list[Operation]:
        return [
            Operation(
                "/api/search",
                "Find posts by words in them and their comments",
                self.search,
                an_object(
                    hits=an_array(),
                    total=_INTEGER,
                    exact={"type": "boolean"},
                    facets=_OBJECT,
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
                "/api/posts/{uuid}",
                "Show a post: record, package, versions, where its files are",
                self.post,
                an_object(post=_OBJECT, package=_OBJECT),
                _VERSION,
            ),
            Operation(
                "/api/posts/{uuid}/changes",
                "Compare two versions of a post, word by word",
                self.changes,
                an_object(before=_INTEGER, version=_INTEGER, changes=an_array()),
                {**_VERSION, "before": "integer: the earlier version; the one before it without"},
            ),
            Operation(
                "/api/posts/{uuid}/inspection",
                "Show what each method says of each field of a post's page, by which rule, what "
                "was chosen and why, and where that is drawn (for operators)",
                self.inspection,
                an_object(
                    is_post={"type": "boolean"}, said=an_array(), extraction=_OBJECT, drawn=_STRING
                ),
                {**_VERSION, "field": "string: outline this one only, and what else was named"},
            ),
        ]

    def _of_crawls(self) -> list[Operation]:
        return [
            Operation(
                "/api/crawls",
                "Show what is being crawled, nodes, jobs and next visits (for operators)",
                self.activity,
                an_object(
                    running=an_array(schema_of(CrawlRow)),
                    nodes=an_array(schema_of(NodeRow)),
                    jobs=an_array(schema_of(JobRow)),
                    visits=an_array(schema_of(VisitRow)),
                    started=an_array(),
                    due=_INTEGER,
                ),
                {
                    "state": "string: of visits: waiting, claimed, visited, paused, listed, gone",
                    "limit": f"integer: jobs and visits, at most {MOST}",
                },
            ),
            Operation(
                "/api/jobs/{job}",
                "Show a crawl or extraction that an operator started, with its last lines",
                self.job,
                an_object(id=_STRING, what=_STRING, subject=_STRING, lines=an_array(_STRING)),
            ),
        ]

    def routes(self) -> list[Route]:
        """Return the routes of all operations that read, and of the description."""
        made = [
            Route(
                one.path.replace("{uuid}", "{uuid:uuid}"), _answered(one.answers), methods=["GET"]
            )
            for one in self.operations
        ]
        return [*made, Route("/api/openapi.json", self.description, methods=["GET"])]

    def description(self, request: Request) -> Response:
        """Describe the API (OpenAPI 3.1)."""
        paths: dict[str, dict[str, Any]] = {
            one.path: {**one.described()} for one in self.operations
        }
        for change in self._changes:
            paths.setdefault(change.api_path, {}).update(change.described())
        about = {
            "title": f"{self.room.operator.name or 'blogcrawl'}: archived blogs",
            "version": __version__,
        }
        servers = [{"url": self.room.public}]
        return as_json({"openapi": "3.1.0", "info": about, "servers": servers, "paths": paths})

    # blogs

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
        catalogue = self.room.catalogue
        found = catalogue.find_blogs(query)
        return {
            "blogs": [asdict(line) for line in found.blogs],
            "total": found.total,
            "facets": catalogue.facets(),
        }

    def blog(self, request: Request) -> Mapping[str, Any]:
        row = self._row(request)
        line = self.room.catalogue.find_blog(row.id)
        known = asdict(line) if line else {}
        evidence = [{"name": name, "address": url} for name, url in evidence_of(self.room, row)]
        feeds = [{"url": url, "role": role} for url, role in feeds_of(row)]
        about = {"record": row.record, "feeds": feeds, "evidence": evidence, "package": row.aip_id}
        return {**known, **about}

    def posts(self, request: Request) -> Mapping[str, Any]:
        found = self.room.catalogue.find_posts(
            self._row(request).id,
            month=parameter(request, "month"),
            after=parameter(request, "after"),
            limit=whole(request, "limit", MOST) or POSTS_PAGE,
        )
        return {"posts": [asdict(line) for line in found.posts], "after": found.after}

    def missing(self, request: Request) -> Mapping[str, Any]:
        row, state = self._row(request), self.room.state
        return {
            **not_archived(state, row),
            "removed": [asdict(one) for one in Tombstones(state).posts_of(row.id)],
            "corrections": [asdict(one) for one in state.corrections(row.id)],
        }

    def crawls(self, request: Request) -> Mapping[str, Any]:
        rows = self.room.state.crawls(self._row(request).id)[::-1]
        start = whole(request, "offset")
        limit = whole(request, "limit", MOST) or POSTS_PAGE
        return {"crawls": [asdict(row) for row in rows[start : start + limit]]}

    def rules(self, request: Request) -> Mapping[str, Any]:
        return learned_rules(self._row(request).learned)

    def plots(self, request: Request) -> Mapping[str, Any]:
        found = numbers(self.room.state, self._row(request).id)
        return {
            "months": [one._asdict() for one in found.months],
            "sites": [{"host": host, "posts": posts} for host, posts in found.sites],
            "crawls": [one._asdict() for one in found.crawls],
        }

    # posts

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

    def post(self, request: Request) -> Mapping[str, Any]:
        read = self._read(request, whole(request, "version") or None)
        return {"post": post_to_json(read.post), "package": package(self.room, read)}

    def changes(self, request: Request) -> Mapping[str, Any]:
        new = self._read(request, whole(request, "version") or None)
        number = new.version.version
        old = self._read(request, whole(request, "before") or max(1, number - 1))
        found = [{"field": one.field, "pieces": one.pieces} for one in changes(old.post, new.post)]
        return {"before": old.version.version, "version": number, "changes": found}

    def inspection(self, request: Request) -> Mapping[str, Any]:
        check_insight(request)
        read = self._read(request, whole(request, "version") or None)
        seen = self._inspector.look(read, parameter(request, "field"))
        return {**seen.found, "drawn": seen.drawn}

    def _read(self, request: Request, number: int | None) -> ReadPost:
        uuid = str(request.path_params["uuid"])
        read = self.room.reader.open(uuid, number)
        if read is None:
            removal = self.room.reader.tombstone(uuid)
            raise HTTPException(410, removal.sentence) if removal else HTTPException(404)
        return read

    # crawls

    def activity(self, request: Request) -> Mapping[str, Any]:
        check_insight(request)
        schedule, now = Schedule(self.room.state), self.room.now()
        limit = whole(request, "limit", MOST) or POSTS_PAGE
        visits = schedule.visits(parameter(request, "state") or None, limit)
        return {
            "running": [asdict(crawl) for crawl in sample_rates(self.room)],
            "rates": [rate._asdict() for rate in self.room.rates.of(parameter(request, "crawl"))],
            "nodes": [asdict(node) for node in schedule.nodes()],
            "jobs": [asdict(job) for job in schedule.jobs(limit)],
            "visits": [asdict(visit) for visit in visits],
            "started": [_of_job(job) for job in self._jobs.all()] if self._jobs else [],
            "due": schedule.overdue(now),
        }

    def job(self, request: Request) -> Mapping[str, Any]:
        operator_of(request)
        job = self._jobs.get(request.path_params["job"]) if self._jobs else None
        if job is None:
            raise HTTPException(404)
        return {**_of_job(job), "lines": list(job.lines)}

    def _row(self, request: Request) -> BlogRow:
        row = self.room.state.get_blog(request.path_params["blog_id"])
        if row is None:
            raise HTTPException(404)
        return row


def _of_job(job: Job) -> dict[str, Any]:
    names = ("id", "what", "subject", "who", "started", "code")
    return {name: getattr(job, name) for name in names}


def package(room: Room, read: ReadPost) -> dict[str, Any]:
    """Return a version of a post's package as data."""
    post, version = f"{room.public}/post/{read.uuid}/v", read.version
    place = f"{post}/{version.version}"
    return {
        "id": version.object_id,
        "version": version.version,
        "created": version.created,
        "page": place,
        "aip": f"{place}/aip.zip",
        "marc": f"{place}/marc.xml",
        "warc": f"{place}/page.warc.gz",
        "citations": {form: f"{place}/cite.{form}" for form in FORMS},
        "screenshot": read.screenshot,
        "files": [
            {
                "path": path,
                "digest": digest,
                "address": room.captures.link(version.object_id, version.version, path),
            }
            for path, digest in sorted(version.files.items())
        ],
        "versions": [
            {"version": one.version, "created": one.created, "url": f"{post}/{one.version}"}
            for one in read.versions
        ],
    }


def _answered(answers: Callable[[Request], Mapping[str, Any]]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return as_json(answers(request))

    return endpoint


def as_json(data: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer with JSON data."""
    text = json.dumps(data, ensure_ascii=False, default=_plain)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return written(value)
    return dict(value) if isinstance(value, Mapping) else list(value)
