"""Memento (RFC 7089): a TimeGate and a TimeMap over the versions of a post."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from blogcrawl.packaging import ids
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.tables import url_key
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.web.catalogue import PostLine
from blogcrawl.web.room import LONGEST, Room
from blogcrawl.web.sanitise import plain

LINK_FORMAT = "application/link-format"
_UNSAFE = str.maketrans({"<": "%3C", ">": "%3E", '"': "%22", "\r": "", "\n": "", " ": "%20"})
_LONGEST_URL = 8 * LONGEST


class Mementos:
    """The endpoints of the protocol. The original is a post's address on the web."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def routes(self) -> list[Route]:
        """Return the routes of TimeGate and TimeMap."""
        return [
            Route("/timegate/{url:path}", self.timegate, methods=["GET"]),
            Route("/timemap/link/{url:path}", self.timemap, methods=["GET"]),
        ]

    def timegate(self, request: Request) -> Response:
        """Redirect to the version that was the newest at ``Accept-Datetime``, else the first."""
        post, versions = self._found(request)
        wanted = _moment(request.headers.get("accept-datetime"))
        chosen = choose(versions, wanted)
        headers = {
            "Vary": "accept-datetime",
            "Link": self.links(post.url, str(post.aip_id), versions, chosen),
        }
        place = memento(self.room.public, str(post.aip_id), chosen.version)
        return RedirectResponse(place, 302, headers)

    def timemap(self, request: Request) -> Response:
        """List all versions in link format (RFC 6690)."""
        post, versions = self._found(request)
        base, original = self.room.public, post.url.translate(_UNSAFE)
        lines = [
            f'<{original}>; rel="original"',
            f'<{base}/timemap/link/{original}>; rel="self"; type="{LINK_FORMAT}"; '
            f'from="{http_date(versions[0].created)}"; until="{http_date(versions[-1].created)}"',
            f'<{base}/timegate/{original}>; rel="timegate"',
        ]
        for number, one in enumerate(versions):
            lines.append(
                f"<{memento(base, str(post.aip_id), one.version)}>; "
                f'rel="{_relation(number, len(versions))}"; datetime="{http_date(one.created)}"'
            )
        text = ",\n".join(lines) + "\n"
        return Response(text.encode("utf-8", "replace"), media_type=LINK_FORMAT)

    def links(
        self, url: str, object_id: str, versions: Sequence[ObjectVersion], chosen: ObjectVersion
    ) -> str:
        """Return the Link header of a version and of the TimeGate that leads to it."""
        base, original = self.room.public, url.translate(_UNSAFE)
        parts = [
            f'<{original}>; rel="original"',
            f'<{base}/timegate/{original}>; rel="timegate"',
            f'<{base}/timemap/link/{original}>; rel="timemap"; type="{LINK_FORMAT}"',
        ]
        for number, one in enumerate(versions):
            if number in (0, len(versions) - 1) or one is chosen:
                parts.append(
                    f"<{memento(base, object_id, one.version)}>; "
                    f'rel="{_relation(number, len(versions))}"; '
                    f'datetime="{http_date(one.created)}"'
                )
        return ", ".join(parts).encode("ascii", "ignore").decode()

    def _found(self, request: Request) -> tuple[PostLine, list[ObjectVersion]]:
        for url in _originals(request):
            forms = {url_key(form) for form in (url, canonicalize(url), entry_key(url))}
            for post in self.room.catalogue.posts_at(sorted(forms)):
                versions = self.room.reader.versions(post.aip_id) if post.aip_id else []
                if versions:
                    return post, versions
        raise HTTPException(404)


def _originals(request: Request) -> list[str]:
    """Return the address that is asked for: as it was sent, then with its escapes resolved.

    Frameworks resolve the escapes of a path. Those of an original are part of it, but some clients
    escape it as a whole.
    """
    decoded: str = request.path_params["url"]
    place = str(request.scope["path"]).removesuffix(decoded)
    sent = bytes(request.scope.get("raw_path") or b"").decode("ascii", "replace")
    query = bytes(request.scope["query_string"]).decode("ascii", "replace")
    query = f"?{query}" if query else ""
    found = (plain(one + query).strip() for one in (sent.removeprefix(place), decoded))
    return [url for url in dict.fromkeys(found) if "://" in url and len(url) <= _LONGEST_URL]


def choose(versions: Sequence[ObjectVersion], wanted: datetime | None) -> ObjectVersion:
    """Return the version that was the newest then; the first if none was; the newest for None."""
    before = [one for one in versions if wanted is None or one.created <= wanted]
    return before[-1] if before else versions[0]


def memento(base: str, object_id: str, version: int) -> str:
    """Return the address of a version."""
    return f"{base}/post/{ids.bare(object_id)}/v/{version}"


def http_date(moment: datetime) -> str:
    """Write a moment as HTTP does (RFC 9110, section 5.6.7)."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def _moment(text: str | None) -> datetime | None:
    """Read ``Accept-Datetime``, to the end of its second. Raises HTTPException if it is no date."""
    if text is None:
        return None
    try:
        moment = parsedate_to_datetime(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC).replace(microsecond=999_999)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise HTTPException(400, "Accept-Datetime is no date of HTTP") from None


def _relation(number: int, count: int) -> str:
    words = [*(["first"] if number == 0 else []), *(["last"] if number == count - 1 else [])]
    return " ".join([*words, "memento"])
