"""The rule inspector: an archived page with the nodes of its fields, and what each method said.

Every method reads the page again, as a crawl would not. That may take seconds and much memory, on a
hostile page without end: a child process does it, which gets page and model, and nothing else.
"""

from __future__ import annotations

import json
import resource
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from blogcrawl.core.errors import UnavailableError
from blogcrawl.packaging.layout import SOURCE_HTML
from blogcrawl.storage.tables import BlogRow
from blogcrawl.web.gate import check_insight
from blogcrawl.web.reading import ReadPost
from blogcrawl.web.room import Room, parameter
from blogcrawl.web.sheets import CapturedSheets, Sheet, fill

CPU_SECONDS = 60
MEMORY_BYTES = 4 * 2**30
WALL_SECONDS = 300.0
AT_ONCE = 2
CORRECTABLE = ("title", "authors", "published", "tags", "content")
"""Fields whose place an operator may name."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A page as the rules see it. ``found``: an ``Explanation`` as data; ``drawn``: address of the
    page with outlines; ``styled``: with all of its style sheets."""

    blog: BlogRow | None
    found: Mapping[str, Any]
    drawn: str
    styled: bool


class Inspector:
    """The page of the inspector."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._free = threading.Semaphore(AT_ONCE)

    def routes(self) -> list[Route]:
        """Return the routes."""
        place = "/post/{uuid:uuid}/v/{number:int}/inspect"
        return [Route(place, self.inspect, methods=["GET"])]

    def inspect(self, request: Request) -> Response:
        """Show how the fields of a version's page are found by the blog's rules of today."""
        check_insight(request)
        read = self.room.reader.open(
            str(request.path_params["uuid"]), request.path_params["number"]
        )
        if read is None:
            raise HTTPException(404)
        field = parameter(request, "field")
        seen = self.look(read, field)
        return self.room.page(
            request,
            "inspect.html",
            read=read,
            blog=seen.blog,
            found=seen.found,
            fields=_by_field(seen.found),
            field=field,
            styled=seen.styled,
            correctable=CORRECTABLE,
            drawn=seen.drawn,
        )

    def look(self, read: ReadPost, field: str) -> Seen:
        """Read the page of a version again; ``field``: outline this one only. Raises HTTPException:
        there is no page, or there are no rules."""
        number = read.version.version
        if SOURCE_HTML not in read.version.files:
            raise HTTPException(404)
        blog = self.room.state.get_blog(read.row.blog_id)
        model = blog.learned if blog is not None else None
        if not model:
            raise HTTPException(503, "No rules are learned for this blog yet.")
        with self.room.store.open(read.version.object_id, SOURCE_HTML, number) as file:
            source = file.read()
        found = self._read(read.post.url, source, model, field)
        sheets: dict[int, str] = {}
        if found["sheets"] and blog is not None and blog.aip_id:
            captured = CapturedSheets(self.room.store, blog.aip_id, read.version.created)
            sheets = captured.texts(Sheet(*one) for one in found["sheets"])
        html = fill(found["html"], found["mark"], sheets)
        drawn = self.room.captures.show(html.encode())
        return Seen(blog, found["explanation"], drawn, len(sheets) == len(found["sheets"]))

    def _read(
        self, url: str, source: bytes, model: Mapping[str, Any], field: str
    ) -> Mapping[str, Any]:
        if not self._free.acquire(blocking=False):
            raise HTTPException(503, "Other pages are being inspected: try again in a minute.")
        try:
            return read_apart(url, source, model, field)
        finally:
            self._free.release()


def read_apart(url: str, source: bytes, model: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """Return what ``explained`` does, from a child process. Raises UnavailableError if it fails."""
    head = json.dumps({"url": url, "model": model, "field": field}).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "blogcrawl.web.inspector"],
            input=head + b"\n" + source,
            capture_output=True,
            timeout=WALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode < 0 or b"MemoryError" in done.stderr:
        raise UnavailableError("this page could not be read within the limits of time and memory")
    if done.returncode:
        raise UnavailableError("the blog's stored rules could not be applied to this page")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def explained(url: str, source: bytes, model: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return the ``explanation`` of a page as data, and its ``html`` with outlines, in which
    ``mark`` is where its style ``sheets`` belong.
    """
    # the learning rooms take a second of CPU time to import
    from blogcrawl.core.page import Page
    from blogcrawl.extraction.explain import explain
    from blogcrawl.extraction.model import BlogModel
    from blogcrawl.extraction.pages.multi_post import part_page
    from blogcrawl.web.outline import outlined_alone

    known, page = BlogModel.from_json(model), Page(url=url, body=source)
    if known.parts is not None:
        page = part_page(page, known.parts, url) or page
    explanation = explain(page, known)
    mark = secrets.token_hex(16)
    html, sheets = outlined_alone(page, explanation, field, mark)
    return {"explanation": explanation.to_json(), "html": html, "sheets": sheets, "mark": mark}


def _by_field(found: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return what the methods said of each field, in the order of fields."""
    fields: dict[str, list[Mapping[str, Any]]] = {}
    for one in found["said"]:
        fields.setdefault(one["field"], []).append(one)
    return {**fields, **{name: fields.get(name, []) for name in found["extraction"]}}


def main() -> None:
    """Read a page from standard input, within limits, and write what ``explained`` returns."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    given = json.loads(sys.stdin.buffer.readline())
    found = explained(given["url"], sys.stdin.buffer.read(), given["model"], given["field"])
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
