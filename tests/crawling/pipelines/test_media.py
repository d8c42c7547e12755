"""Media of posts that are archived at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from blogcrawl.core.errors import DiskFullError
from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile
from blogcrawl.crawling.pipelines.media import MediaStage, _by_type, _is_page, _unfit
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, post, rows
from tests.server import Server

PICTURE = MediaFile(url="http://blog.test/a.png", role="image")


@dataclass
class Session:
    """Counts requests; ``keep`` puts the bytes aside."""

    keep: Callable[[str, bytes], None] = lambda *_: None
    asked: list[str] = field(default_factory=list)
    blog_id: str = "blog"
    seen_by_browser: Callable[[str], Page | None] = lambda _: None

    def __post_init__(self) -> None:
        state = SimpleNamespace(get_media=lambda *_: None, media_by_digest=lambda *_: None)
        self.services = SimpleNamespace(
            state=state,
            gate=SimpleNamespace(run=self.run),
            config=SimpleNamespace(max_media_bytes=1000),
            media=SimpleNamespace(keep=self.keep),
        )

    async def run(self, work: Callable[[], Any]) -> Any:
        await asyncio.sleep(0.01)  # as a thread that reads the state
        return work()

    async def fetch(self, url: str, **_: object) -> Page:
        self.asked.append(url)
        await asyncio.sleep(0.01)
        return Page(
            url=url, body=b"\x89PNG\r\n\x1a\n" + bytes(99), headers={"content-type": "image/png"}
        )

    def count(self, *_: object) -> None:
        pass


def stage_of(session: Session) -> MediaStage:
    return MediaStage(SimpleNamespace(spider=SimpleNamespace(session=session)))  # type: ignore[arg-type]


def test_picture_of_several_posts_is_fetched_once_and_costs_none_of_them() -> None:
    session = Session()
    stage = stage_of(session)

    async def posts() -> list[MediaFile]:
        return await asyncio.gather(*(stage._archive(PICTURE, f"/{n}") for n in range(3)))

    found = asyncio.run(posts())
    assert len({file.sha256 for file in found}) == 1 and found[0].size == 107
    assert session.asked == [PICTURE.url]


def test_picture_that_the_browser_has_shown_is_not_asked_for_again() -> None:
    shown = Page(url=PICTURE.url, body=b"\x89PNG\r\n\x1a\n", headers={"content-type": "image/png"})
    session = Session(seen_by_browser=lambda url: shown if url == PICTURE.url else None)
    found = asyncio.run(stage_of(session)._archive(PICTURE, "/1"))
    assert found.size == 8 and found.error is None
    assert session.asked == []


def test_full_disk_fails_every_post_that_waits_for_the_picture() -> None:
    def full(*_: object) -> None:
        raise DiskFullError("no space left")

    stage = stage_of(Session(keep=full))

    async def posts() -> list[MediaFile | BaseException]:
        waiting = (stage._archive(PICTURE, f"/{n}") for n in range(3))
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(error) for error in asyncio.run(posts())] == [DiskFullError] * 3


def test_recordings_and_documents_of_a_podcast_are_archived(tmp_path: Path) -> None:
    """Both what the feed encloses and what a post only links."""
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    posts = entries(6)
    sound = b"ID3" + bytes(500)
    with Server(site) as server:
        write_blog(site, posts)
        (site / "talks").mkdir()
        feed = (site / "feed.xml").read_text()
        for entry in posts:
            (site / "talks" / f"{entry.number}.mp3").write_bytes(sound + bytes([entry.number]))
            enclosed = f'<enclosure url="/talks/{entry.number}.mp3" type="audio/mpeg"/>'
            feed = feed.replace(
                f"<link>{entry.path}</link>", f"<link>{entry.path}</link>{enclosed}"
            )
        (site / "feed.xml").write_text(feed)
        linked = site / posts[0].path.strip("/") / "index.html"
        (site / "talks" / "extra.ogg").write_bytes(b"OggS" + bytes(100))
        (site / "talks" / "notes.pdf").write_bytes(b"%PDF-1.4" + bytes(100))
        link = (
            '<p>Also <a href="/talks/extra.ogg">in short</a>, with <a href="/talks/notes.pdf">'
            "notes</a>.</p></div></article>"
        )
        linked.write_text(linked.read_text().replace("</div></article>", link))
        crawl(server.url, archive)
    found = {
        path: [(file.url.rpartition("/")[2], file.mime) for file in post(archive, row).media[-3:]]
        for path, row in rows(archive).items()
    }
    assert {path: names[-1] for path, names in found.items()} == {
        entry.path.rstrip("/"): (f"{entry.number}.mp3", "audio/mpeg") for entry in posts
    }
    assert {("extra.ogg", "application/ogg"), ("notes.pdf", "application/pdf")} <= set(
        found[posts[0].path.rstrip("/")]
    )


def test_linked_files_get_the_role_of_their_type_and_pages_around_pictures_are_none() -> None:
    def settled(url: str, mime: str | None, error: str | None = None) -> MediaFile | None:
        sha256 = "ab" if mime else None
        file = MediaFile(url=url, role="link", mime=mime, sha256=sha256, error=error)
        return None if _is_page(file) else _by_type(file)

    full = settled("http://b.test/sea.jpg", "image/jpeg")
    assert full is not None and full.role == "image"
    film = settled("http://b.test/embed/7", "video/mp4")
    assert film is not None and film.role == "video"
    gone = settled("http://b.test/sea.jpg", None, "HTTP 404")
    assert gone is not None and gone.error == "HTTP 404"
    shown = "no picture, sound or video but text/html"
    assert settled("http://b.test/s1600-h/sea.jpg", None, shown) is None
    assert settled("http://video.test/embed/7", None, "HTTP 404") is None
    slides = settled("http://b.test/slides.pdf", "application/pdf")
    assert slides is not None and slides.role == "document"


def test_document_is_whatever_is_no_page() -> None:
    def reason(name: str, body: bytes, kind: str) -> str | None:
        file = MediaFile(url=f"http://b.test/{name}", role="document")
        return _unfit(Page(url=file.url, body=body, headers={"content-type": kind}), file)

    assert reason("a.pdf", b"%PDF-1.4", "application/octet-stream") is None
    assert reason("a.zip", b"PK\x03\x04", "application/octet-stream") is None
    assert reason("a.pdf", b"<html><p>not found</p>", "application/pdf") is not None
    assert reason("a.jpg", b"%PDF-1.4", "image/jpeg") is not None
