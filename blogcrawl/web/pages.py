"""The pages for readers: blogs, a blog, a post, and what belongs to each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from blogcrawl.packaging.layout import MARC_XML, SOURCE_HTML, WEB
from blogcrawl.storage.base import opener
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.submissions import name_of, write_zip
from blogcrawl.storage.tables import BlogRow
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.storage.warc_records import records_of
from blogcrawl.web.activity import is_live
from blogcrawl.web.captured import pieces
from blogcrawl.web.catalogue import BLOGS_PAGE, BlogQuery
from blogcrawl.web.citation import FORMS, Cited
from blogcrawl.web.diff import changes
from blogcrawl.web.figures import figures, numbers
from blogcrawl.web.gate import check_origin
from blogcrawl.web.memento import Mementos, http_date
from blogcrawl.web.reading import COMMENTS_PAGE, ReadPost
from blogcrawl.web.room import Room, parameter, static_file, whole

LISTED = 200
"""Missing or rejected pages on one page."""
ORDERS = ("title", "posts", "comments", "last_crawl", "health")
_MARK = 2**20


class Pages:
    """The endpoints. Each reads what one page shows, in a thread of its own."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def routes(self) -> list[Route]:
        """Return the routes of all pages."""
        post = "/post/{uuid:uuid}"
        version = post + "/v/{number:int}"
        pages: Mapping[str, Callable[[Request], Response]] = {
            "/": self.blogs,
            "/blog/{blog_id}": self.blog,
            "/blog/{blog_id}/missing": self.missing,
            "/blog/{blog_id}/crawls": self.crawls,
            "/blog/{blog_id}/rules": self.rules,
            "/blog/{blog_id}/plots": self.plots,
            post: self.post,
            version: self.post,
            version + "/since/{before:int}": self.diff,
            version + "/aip.zip": self.package,
            version + "/replay": self.replay,
            version + "/marc.xml": self.marc,
            version + "/page.warc.gz": self.warc,
            version + "/cite.{form}": self.cite,
            "/static/{name}": static,
            "/robots.txt": robots,
        }
        return [Route(path, endpoint, methods=["GET"]) for path, endpoint in pages.items()]

    # blogs

    def blogs(self, request: Request) -> Response:
        """List the blogs."""
        order = parameter(request, "order")
        query = BlogQuery(
            text=parameter(request, "q"),
            language=parameter(request, "language"),
            platform=parameter(request, "platform"),
            health=parameter(request, "health"),
            order=order if order in ORDERS else "title",
            offset=whole(request, "offset"),
        )
        catalogue = self.room.catalogue
        found = catalogue.find_blogs(query)
        following = query.offset + BLOGS_PAGE
        return self.room.page(
            request,
            "blogs.html",
            blogs=found.blogs,
            total=found.total,
            query=query,
            orders=ORDERS,
            facets=catalogue.facets(),
            following=following if following < found.total else 0,
            crawl_command=self.room.crawl_command,
        )

    def blog(self, request: Request) -> Response:
        """Show a blog's posts, newest first or of one month, and what is known of the blog."""
        row = self._blog(request)
        catalogue = self.room.catalogue
        month = parameter(request, "month")
        return self.room.page(
            request,
            "blog.html",
            **self._of_blog(row),
            found=catalogue.find_posts(row.id, month=month, after=parameter(request, "after")),
            month=month,
            evidence=evidence_of(self.room, row),
        )

    def missing(self, request: Request) -> Response:
        """List what is not archived, each with its reason: missing, unread, rejected, removed."""
        row = self._blog(request)
        groups = not_archived(self.room.state, row)
        removals = list(Tombstones(self.room.state).posts_of(row.id))
        start = whole(request, "offset")
        return self.room.page(
            request,
            "missing.html",
            **self._of_blog(row),
            groups={name: pages[start : start + LISTED] for name, pages in groups.items()},
            sizes={name: len(pages) for name, pages in groups.items()},
            following=start + LISTED
            if any(len(pages) > start + LISTED for pages in groups.values())
            else 0,
            removals=removals[start : start + LISTED],
            corrections=self.room.state.corrections(row.id),
        )

    def crawls(self, request: Request) -> Response:
        """List the crawls of a blog, newest first."""
        row = self._blog(request)
        history = self.room.state.crawls(row.id)[::-1]
        start = whole(request, "offset")
        return self.room.page(
            request,
            "crawls.html",
            **self._of_blog(row),
            crawls=history[start : start + LISTED],
            is_live=partial(is_live, now=self.room.now()),
            following=start + LISTED if len(history) > start + LISTED else 0,
        )

    def rules(self, request: Request) -> Response:
        """Show the rules of a blog with their support."""
        row = self._blog(request)
        return self.room.page(
            request, "rules.html", **self._of_blog(row), **learned_rules(row.learned)
        )

    def plots(self, request: Request) -> Response:
        """Plot a blog's posts over time, and its crawls."""
        row = self._blog(request)
        found = numbers(self.room.state, row.id)
        return self.room.page(
            request,
            "plots.html",
            **self._of_blog(row),
            plots=figures(found, self.room.texts(request)),
            months=found.months,
        )

    def _blog(self, request: Request) -> BlogRow:
        row = self.room.state.get_blog(request.path_params["blog_id"])
        if row is None:
            raise HTTPException(404)
        return row

    def _of_blog(self, row: BlogRow) -> dict[str, Any]:
        """Return what the head of all pages of a blog shows."""
        line = self.room.catalogue.find_blog(row.id)
        place = f"/blog/{quote(row.id, safe='')}"
        return {"row": row, "line": line, "feeds": feeds_of(row), "place": place}

    # posts

    def post(self, request: Request) -> Response:
        """Show a post in the version asked for, or its tombstone."""
        uuid = str(request.path_params["uuid"])
        read = self._open(request)
        if read is None:
            return self._removed(request, uuid)
        page = whole(request, "comments")
        blog = self.room.state.get_blog(read.row.blog_id)
        cited = self._cited(read, blog)
        files = [
            (path, digest, self.room.captures.link(read.version.object_id, number, path))
            for number in (read.version.version,)
            for path, digest in sorted(read.version.files.items())
        ]
        response = self.room.page(
            request,
            "post.html",
            read=read,
            post=read.post,
            blog=blog,
            content=self.room.reader.content(read),
            comments=self.room.reader.comments(read, page),
            comments_page=page,
            comments_pages=-(-len(read.thread) // COMMENTS_PAGE),
            pictures=self.room.reader.pictures(read),
            files=files,
            replayable=self.room.replays is not None and blog is not None,
            inspectable=SOURCE_HTML in read.version.files and bool(request.scope.get("insight")),
            captured=self._is_captured(blog, read),
            screenshot=next((url for path, _, url in files if path == read.screenshot), None),
            permalink=self._permalink(read),
            forms={form: write(cited) for form, (write, _) in FORMS.items()},
        )
        response.headers["Link"] = Mementos(self.room).links(
            read.post.canonical_url, read.version.object_id, read.versions, read.version
        )
        if "number" in request.path_params:
            response.headers["Memento-Datetime"] = http_date(read.version.created)
        return response

    def _is_captured(self, blog: BlogRow | None, read: ReadPost) -> bool:
        aip_id = blog.aip_id if blog else None
        return aip_id is not None and self.room.captured_pages.has(aip_id, read.urls)

    def diff(self, request: Request) -> Response:
        """Show what a version changed since an earlier one."""
        new = self._found(request)
        old = self.room.reader.open(new.uuid, request.path_params["before"])
        if old is None:
            raise HTTPException(404)
        return self.room.page(
            request, "diff.html", old=old, new=new, changes=changes(old.post, new.post)
        )

    def package(self, request: Request) -> Response:
        """Send a version's package as ZIP."""
        read = self._found(request)
        store = self.room.store.view(read.version.object_id)
        place = tempfile.SpooledTemporaryFile(max_size=_MARK)  # noqa: SIM115 (``pieces`` closes it)
        write_zip(read.version, opener(store, read.version), place)  # type: ignore[arg-type]
        place.seek(0)
        return StreamingResponse(
            pieces(place),  # type: ignore[arg-type]
            media_type="application/zip",
            headers=_attached(f"{name_of(read.version)}.zip"),
        )

    def replay(self, request: Request) -> Response:
        """Go to the page as it was, in a replay of its blog."""
        # this starts a process: no page of another site may ask for it
        check_origin(request, self.room.public)
        read = self._found(request)
        blog = self.room.state.get_blog(read.row.blog_id)
        if self.room.replays is None or blog is None:
            raise HTTPException(404)
        place = self.room.replays.address(blog.url, read.post.url, read.version.created)
        return RedirectResponse(place, 303)

    def marc(self, request: Request) -> Response:
        """Send a version's MARCXML."""
        read = self._found(request)
        file = self.room.store.open(read.version.object_id, MARC_XML, read.version.version)
        return StreamingResponse(
            pieces(file),
            media_type="application/marcxml+xml",
            headers=_attached(f"{name_of(read.version)}-marc.xml"),
        )

    def warc(self, request: Request) -> Response:
        """Send the WARC records of the post's page, from all crawls."""
        read = self._found(request)
        blog = self.room.state.get_blog(read.row.blog_id)
        package = blog.aip_id if blog else None
        records = list(records_of(self.room.store, package, read.urls)) if package else []
        if not records:
            raise HTTPException(404)
        return Response(
            b"".join(records),
            media_type="application/warc",
            headers=_attached(f"{name_of(read.version)}.warc.gz"),
        )

    def cite(self, request: Request) -> Response:
        """Send a citation of a version."""
        form = request.path_params["form"]
        if form not in FORMS:
            raise HTTPException(404)
        read = self._found(request)
        write, kind = FORMS[form]
        blog = self.room.state.get_blog(read.row.blog_id)
        return Response(
            write(self._cited(read, blog)),
            media_type=f"{kind}; charset=utf-8",
            headers=_attached(f"{name_of(read.version)}.{form}"),
        )

    def _open(self, request: Request) -> ReadPost | None:
        uuid = str(request.path_params["uuid"])
        return self.room.reader.open(uuid, request.path_params.get("number"))

    def _found(self, request: Request) -> ReadPost:
        read = self._open(request)
        if read is None:
            raise HTTPException(404)
        return read

    def _removed(self, request: Request, uuid: str) -> Response:
        removal = self.room.reader.tombstone(uuid)
        if removal is None:
            raise HTTPException(404)
        return self.room.page(request, "removed.html", status=410, removal=removal)

    def _permalink(self, read: ReadPost) -> str:
        return f"{self.room.public}/post/{read.uuid}/v/{read.version.version}"

    def _cited(self, read: ReadPost, blog: BlogRow | None) -> Cited:
        return Cited(
            post=read.post,
            blog=blog.name if blog else "",
            permalink=self._permalink(read),
            archived=read.version.created,
        )


def feeds_of(row: BlogRow) -> list[tuple[str, str]]:
    """Return the addresses of a blog's feeds, with what each is for."""
    return [(url, str(_dict(about).get("role", "posts"))) for url, about in row.feeds.items()]


def evidence_of(room: Room, row: BlogRow) -> list[tuple[str, str]]:
    """Return names and addresses of a blog's files of evidence."""
    head = room.store.head(row.aip_id) if row.aip_id else None
    if head is None:
        return []
    return [
        (path[len(WEB) :], room.captures.link(head.object_id, head.version, path))
        for path in sorted(head.files)
        if path.startswith(WEB)
    ]


def learned_rules(stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the ``rules`` of a stored model, from how many ``samples`` they were learned, and
    whether to ``relearn`` them; none of a model of another version."""
    # the learning rooms take a second of CPU time to import
    from blogcrawl.extraction.explain import rules_of
    from blogcrawl.extraction.model import BlogModel

    try:
        model = BlogModel.from_json(stored) if stored else None
    except (KeyError, TypeError, ValueError):
        model = None
    return {
        "rules": rules_of(model) if model else [],
        "samples": model.ruleset.samples if model else 0,
        "relearn": model.needs_relearning if model else False,
    }


def not_archived(state: SqlState, row: BlogRow) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return what of a blog is not archived, with reasons, as its last crawl that ended left it."""
    ended = [one for one in state.crawls(row.id) if one.ended]
    report = ended[-1].report if ended else {}
    rejected = row.stages.get("rejected") or report.get("rejected")
    return {
        "missing": _listed(report.get("missing")),
        "rejected": _listed(rejected),
        "unread": _listed(report.get("unread")),
        "comments": _listed(report.get("comments_incomplete")),
    }


def static(request: Request) -> Response:
    """Send a file of the application; its address changes with its content."""
    found = static_file(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(found[0], media_type=found[1], headers=headers)


def robots(request: Request) -> Response:
    """Ask robots to stay away: the archive is no second web."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    return [page for page in value or () if isinstance(page, Mapping)]
