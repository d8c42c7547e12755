"""A crawl's evidence: opened with the session, noted by the package stage, closed into the blog's
package.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import written
from blogcrawl.packaging.parts import Content
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.files import lazily

if TYPE_CHECKING:
    from blogcrawl.crawling.session import Session


def note_post(session: Session, post: Post, page: Page) -> None:
    """List an archived post among the pages, and keep its rendered form."""
    from blogcrawl.packaging.sniff import sniff

    evidence = session.evidence
    if evidence is None:
        return
    date = page.fetched_at or datetime.now(UTC)
    evidence.page(
        page.url,
        date,
        title=post.title or "",
        author=", ".join(post.authors) or None,
        published=written(post.published) if post.published else None,
        comments=len(post.comments),
    )
    if page.rendered:
        evidence.resource(f"urn:dom:{page.url}", "text/html", page.body, date=date)
        if page.screenshot:
            evidence.resource(
                f"urn:screenshot:{page.url}",
                sniff(page.screenshot) or "image/png",
                page.screenshot,
                date=date,
            )


def closed_evidence(session: Session, head: ObjectVersion | None) -> dict[str, Content]:
    """Return the WACZ files for the blog's next package: those it has, and those of this crawl and
    of killed or fruitless ones before it.
    """
    from blogcrawl.storage.closing import kept_evidence

    files: dict[str, Content] = {path.name: lazily(path) for path in _waczs(session)}
    if head is not None:
        files = {**dict(kept_evidence(session.services.store, head)), **files}
    return dict(sorted(files.items()))


def _waczs(session: Session) -> Iterator[Path]:
    from blogcrawl.storage.closing import close_evidence

    for place in sorted((session.services.folder / "evidence").glob("*")):
        if session.evidence is not None and place == session.evidence.folder:
            session.evidence.close()
        path = close_evidence(
            place, blog=session.blog, crawl_id=place.name, created=datetime.now(UTC)
        )
        if path is not None:
            yield path


_WORTH_PACKING = 2**13
"""Bytes of evidence (some 13 revisits with their index lines) from which a WACZ, whose index is
compressed, is the smaller form.
"""


def pack_waiting(session: Session) -> None:
    """Pack the evidence of a crawl without changes as a WACZ that waits for the blog's next
    package, unless there is next to none.
    """
    if session.evidence is not None and session.evidence.bytes_written >= _WORTH_PACKING:
        for _ in _waczs(session):
            continue


def forget_stored(store: PackageStore, object_id: str, folder: Path) -> None:
    """Remove evidence that lies in the blog's package now."""
    from blogcrawl.storage.closing import forget_evidence

    for place in sorted((folder / "evidence").glob("*")):
        forget_evidence(store, object_id, place)


def stop_evidence(session: Session) -> None:
    """Close the files, whatever happened; what is not in a package yet waits for the next crawl."""
    if session.evidence is not None:
        session.evidence.close()
        if session.evidence.captures is not None:
            session.evidence.captures.close()
        session.evidence = None
