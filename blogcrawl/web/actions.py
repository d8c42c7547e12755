"""What operators do: correct what is a post, extract again, crawl, watch, and steer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from blogcrawl.core.credentials import has_login
from blogcrawl.core.errors import UsageError
from blogcrawl.packaging.ids import blog_id
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, CorrectionRow, VisitRow
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.web.api import as_json
from blogcrawl.web.gate import Doors, check_origin, note, operator_of, posted, read_json
from blogcrawl.web.inspector import CORRECTABLE
from blogcrawl.web.jobs import Job, Jobs, events
from blogcrawl.web.openapi import Change
from blogcrawl.web.room import LONGEST, Room

POST, NO_POST, FIELD = "post", "no-post", "field"
_LONGEST_URL = 4 * LONGEST

Form = Mapping[str, str]


class Actions:
    """The endpoints that change something. Each checks role and form, and is in the audit log."""

    def __init__(self, room: Room, doors: Doors, jobs: Jobs) -> None:
        self.room, self.doors, self.jobs = room, doors, jobs

    def routes(self) -> list[Route]:
        """Return the routes; empty if there are no operators."""
        if not self.changes:
            return []
        return [
            *(Route(one.path, self._posted(one), methods=["POST"]) for one in self.changes),
            *(Route(one.api_path, self._called(one), methods=["POST"]) for one in self.changes),
            Route("/jobs/{job}", self.watch, methods=["GET"]),
            Route("/jobs/{job}/events", self.follow, methods=["GET"]),
        ]

    @property
    def changes(self) -> Sequence[Change]:
        """Return what operators may do; nothing if there are none."""
        if not self.doors.are_guarded:
            return ()
        pattern = "glob of addresses, or the name of a field"
        node = {"url": "address of the node, as the list of nodes has it"}
        return (
            Change(
                "/blog/{blog_id}/correct",
                "Say which pages are posts or none, or where a field stands, and extract again",
                self.correct,
                {"kind": "post, no-post or field", "pattern": pattern, "value": "XPath of a field"},
            ),
            Change(
                "/blog/{blog_id}/withdraw",
                "Take a correction back, and extract again",
                self.withdraw,
                {"pattern": pattern},
            ),
            Change("/blog/{blog_id}/crawl", "Crawl a known blog", self.crawl),
            Change("/blog/{blog_id}/visit", "Make a blog of the schedule due", self.visit),
            Change("/blog/{blog_id}/pause", "Visit a blog no more, cancel its crawl", self.pause),
            Change("/nodes/drain", "Let a node begin nothing new", self.drain, node),
            Change("/nodes/resume", "Let a node work again", self.resume, node),
            Change(
                "/blog/{blog_id}/reextract", "Extract a blog again from evidence", self.reextract
            ),
            Change("/jobs", "Archive a blog", self.archive, {"url": "address of the blog"}),
            Change("/jobs/{job}/stop", "Stop a job, as Ctrl-C does", self.stop),
        )

    def _posted(self, change: Change) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a form, which goes to the page that the change names."""

        async def endpoint(request: Request) -> Response:
            operator_of(request)
            form = await posted(request, self.doors, self.room.public)
            return RedirectResponse(await self._done(change, request, form), 303)

        return endpoint

    def _called(self, change: Change) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of the API. It needs no token of a form: a page of another site can't
        send JSON here without being allowed to first, which it is not."""

        async def endpoint(request: Request) -> Response:
            operator_of(request)
            check_origin(request, self.room.public)
            place = await self._done(change, request, await read_json(request))
            return as_json({"page": self.room.public + place}, 202)

        return endpoint

    async def _done(self, change: Change, request: Request, values: Form) -> str:
        """Note a change in the audit log and do it; return the page to go to."""
        about = {**request.path_params, **values}
        about.pop("form_token", None)
        note(
            self.doors,
            self.room.now(),
            request,
            operator_of(request).name,
            change.path.rpartition("/")[2],
            **{name: str(value)[:_LONGEST_URL] for name, value in about.items()},
        )
        try:
            return await run_in_threadpool(change.do, request, values)
        except UsageError as error:
            raise HTTPException(400, error.message) from None

    # corrections

    def correct(self, request: Request, form: Form) -> str:
        """Keep the operator's word (pages are posts or none, where a field stands) and extract the
        blog again by it.
        """
        row, kind, pattern = self._blog(request), form.get("kind", ""), form.get("pattern", "")
        if kind == FIELD:
            self._correct_field(row, pattern, form.get("value", "").strip())
            return self._corrected(request, row, pattern)
        pattern = pattern.strip()
        if kind not in (POST, NO_POST) or not pattern or len(pattern) > _LONGEST_URL:
            raise UsageError("a correction is a pattern of addresses that are posts, or are none")
        self._state().withdraw(row.id, pattern)
        self._state().correct(
            CorrectionRow(blog_id=row.id, kind=kind, name=pattern, made=self.room.now())
        )
        return self._corrected(request, row, pattern)

    def _correct_field(self, row: BlogRow, name: str, path: str) -> None:
        # the extraction takes half a second to import
        from blogcrawl.extraction.corrections import check_xpath

        if name not in CORRECTABLE or not path or len(path) > _LONGEST_URL:
            raise UsageError("a correction of a field is the XPath of its place")
        check_xpath(path)
        self._state().correct(
            CorrectionRow(blog_id=row.id, kind=FIELD, name=name, value=path, made=self.room.now())
        )

    def withdraw(self, request: Request, form: Form) -> str:
        """Take a correction back, and extract the blog again without it."""
        row, pattern = self._blog(request), form.get("pattern", "")
        if not self._state().withdraw(row.id, pattern):
            return _place(row) + "/missing"
        return self._corrected(request, row, pattern)

    def _corrected(self, request: Request, row: BlogRow, pattern: str) -> str:
        """Extract a blog again whose corrections have changed."""
        who, now = operator_of(request).name, self.room.now()
        job = self.jobs.queue("reextract", row.url, who=who, now=now, about=pattern)
        return f"/jobs/{job.id}"

    # jobs

    def crawl(self, request: Request, form: Form) -> str:
        """Crawl a known blog: by the schedule, if someone works by it, else at once."""
        return self._crawl(request, self._blog(request).url)

    def reextract(self, request: Request, form: Form) -> str:
        """Extract a blog again from its evidence."""
        return self._start(request, "reextract", self._blog(request).url)

    def archive(self, request: Request, form: Form) -> str:
        """Crawl a blog by its address, new or known."""
        url = form.get("url", "").strip()
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > _LONGEST_URL:
            raise UsageError("this is no address of a blog: https://blog.example.org")
        if has_login(url) or not url.isprintable():
            raise UsageError("an address with a login can't be given here")
        return self._crawl(request, url)

    def stop(self, request: Request, form: Form) -> str:
        """Ask a job to finish what is in flight and stop."""
        job = self._job(request)
        self.jobs.stop(job)
        return f"/jobs/{job.id}"

    def _start(self, request: Request, what: str, subject: str) -> str:
        visitor = operator_of(request)
        job = self.jobs.start(what, subject, who=visitor.name, now=self.room.now())
        return f"/jobs/{job.id}"

    def _crawl(self, request: Request, url: str) -> str:
        schedule, now = Schedule(self._state()), self.room.now()
        if not schedule.is_led(now):
            return self._start(request, "crawl", url)
        row = self._known(url)
        key = row.id if row else blog_id(canonicalize(url))
        schedule.visit_now(key, row.url if row else url, now)
        return "/crawls"

    def _known(self, url: str) -> BlogRow | None:
        return self._state().get_blog(url) or self._state().get_blog(canonicalize(url))

    # the schedule

    def visit(self, request: Request, form: Form) -> str:
        """Make a blog of the schedule due."""
        turn = self._turn(request)
        Schedule(self._state()).visit_now(turn.blog_id, turn.url, self.room.now())
        return "/crawls"

    def pause(self, request: Request, form: Form) -> str:
        """Visit a blog no more until it is made due; a job that crawls it is cancelled."""
        schedule = Schedule(self._state())
        schedule.pause(self._turn(request).blog_id, operator_of(request).name)
        return "/crawls"

    def drain(self, request: Request, form: Form) -> str:
        """Let a node end what it runs, and begin nothing new."""
        return self._change_node(form, "draining")

    def resume(self, request: Request, form: Form) -> str:
        """Let a node work again."""
        return self._change_node(form, "active")

    def _change_node(self, form: Form, state: str) -> str:
        if not Schedule(self._state()).change_node(form.get("url", ""), state):
            raise HTTPException(404)
        return "/crawls"

    def _turn(self, request: Request) -> VisitRow:
        turn = Schedule(self._state()).get_visit(request.path_params["blog_id"])
        if turn is None:
            raise HTTPException(404)
        return turn

    # watching

    def watch(self, request: Request) -> Response:
        """Show a job with its last lines; a script adds what follows."""
        operator_of(request)
        job = self._job(request)
        blog = self._known(job.subject)
        kept = self._state().corrections(blog.id) if blog and job.corrections else ()
        made = [one for one in kept if one.name in job.corrections]
        return self.room.page(
            request, "job.html", job=job, lines=list(job.lines), blog=blog, corrections=made
        )

    async def follow(self, request: Request) -> Response:
        """Send a job's lines as they come (server-sent events)."""
        operator_of(request)
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(
            events(self._job(request)), media_type="text/event-stream", headers=headers
        )

    def _job(self, request: Request) -> Job:
        job = self.jobs.get(request.path_params["job"])
        if job is None:
            raise HTTPException(404)
        return job

    def _blog(self, request: Request) -> BlogRow:
        row = self.room.state.get_blog(request.path_params["blog_id"])
        if row is None:
            raise HTTPException(404)
        return row

    def _state(self) -> SqlState:
        return self.room.state


def _place(row: BlogRow) -> str:
    return f"/blog/{quote(row.id, safe='')}"
