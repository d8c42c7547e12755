"""Answers of a crawl's first phase (robots.txt, start page, feeds, sitemaps, the training pages,
lists), kept until it has ended.

A crawl that is killed before its frontier is filled begins anew; with these it asks no one twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scrapy.http import Response

from blogcrawl.core.page import Page
from blogcrawl.crawling.fetch import Answer, page_of
from blogcrawl.storage.temporary import new_file

MAX_AGE = timedelta(hours=24)
"""As long as robots.txt may be believed (RFC 9309, section 2.4): what is older is asked for
again."""
MAX_BYTES = 8 * 2**20
"""Larger answers are not kept."""
ANSWERS = "answers"
"""Their folder in the scratch space of a blog's crawls."""
KINDS = frozenset(
    {"robots", "home", "feed", "feed-page", "sitemap", "api", "extra-feed", "post", "page"}
)


class KeptAnswers:
    """One file each in ``folder``, which need not exist. What can't be written or read is requested
    again.
    """

    def __init__(self, folder: Path, max_age: timedelta | None = MAX_AGE) -> None:
        self.folder, self.max_age = folder, max_age

    def _path(self, url: str) -> Path:
        return self.folder / hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:32]

    def put(self, url: str, kind: str, answer: Answer) -> None:
        """Keep what ``url`` answered; errors of the server (429, 5xx) may pass and are not kept."""
        page = answer.page
        if (
            kind not in KINDS
            or page.status == 429
            or page.status >= 500
            or len(page.body) > MAX_BYTES
            or page.fetched_at is None
        ):
            return
        head = {
            "asked": url,
            "kind": kind,
            "url": page.url,
            "status": page.status,
            "headers": page.headers,
        }
        head |= {
            "fetched_at": page.fetched_at.isoformat(),
            "moved_to": answer.moved_to,
            "ip": answer.ip,
        }
        path = self._path(url)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with new_file(path) as file:
                file.write(json.dumps(head).encode() + b"\n" + page.body)
        except OSError:
            return

    def put_response(self, url: str, kind: str, response: Response) -> None:
        """Store a response that came from the engine itself."""
        self.put(url, kind, Answer(page=page_of(response)))

    def get(self, url: str, kind: str) -> Answer | None:
        """Return what ``url`` answered in the last 24 hours (``max_age``)."""
        found = _read(self._path(url), self.max_age) if kind in KINDS else None
        return found[1] if found is not None and found[0] == (url, kind) else None

    def posts(self) -> Iterator[tuple[str, Page]]:
        """Yield the training pages, with the addresses they were requested under."""
        for path in sorted(self.folder.glob("?" * 32)):
            found = _read(path, self.max_age)
            if found is not None and found[0][1] == "post":
                yield found[0][0], found[1].page


def _read(path: Path, max_age: timedelta | None) -> tuple[tuple[str, str], Answer] | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        stored = json.loads(head)
        fetched_at = datetime.fromisoformat(stored["fetched_at"])
        page = Page(
            url=stored["url"],
            status=stored["status"],
            headers=stored["headers"],
            body=body,
            fetched_at=fetched_at,
        )
        answer = Answer(page=page, moved_to=stored["moved_to"], ip=stored["ip"])
        asked = (str(stored["asked"]), str(stored["kind"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    age = datetime.now(UTC) - fetched_at
    # what comes from the future, a wrong clock has dated
    return (asked, answer) if max_age is None or timedelta(0) <= age < max_age else None
