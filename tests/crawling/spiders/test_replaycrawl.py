"""Crawls that read a web archive in place of the web: the blog's own evidence, and WARC files of
others.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling.losses import ALONE_CAPTURES
from blogcrawl.crawling.pipelines import extract
from blogcrawl.crawling.run import replay_crawl
from blogcrawl.extraction.model import NotAPost
from blogcrawl.extraction.pages.post_views import PostViews, View
from blogcrawl.storage.archive import crawl_folder
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.storage.web_archive import WebArchive
from tests.conftest import Cli
from tests.crawling.blog import content, edited, entries, page, write_blog
from tests.crawling.crawling import crawl, faults, post, rows, versions
from tests.pywb import needs_pywb, served
from tests.server import Server
from tests.warc_files import WarcFile

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class Archived:
    """A blog of 12 posts that was crawled once, and whose server is gone."""

    def __init__(self, url: str, archive: Path) -> None:
        self.url, self.archive = url, archive
        self.before = versions(archive)

    def reextract(self, **config: Any) -> CrawlRow:
        settings = Config(archive=str(self.archive), warc=False, **config)
        state, store = open_state(settings), open_store(settings)
        [blog] = state.blogs()
        state.close()
        with WebArchive() as captures:
            waiting = crawl_folder(self.archive, blog.id) / "evidence"
            captures.add_evidence(store, blog, waiting)
            return replay_crawl(blog.url, settings, captures)

    def new_versions(self) -> list[str]:
        now = versions(self.archive)
        return sorted(one for one in now if now[one] != self.before.get(one))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    folder = tmp_path_factory.mktemp("crawled")
    (folder / "site").mkdir()
    with Server(folder / "site") as server:
        write_blog(folder / "site", entries(12), base=server.url.rstrip("/"))
        assert crawl(server.url, folder / "archive").counts["posts_archived"] == 12
    return Archived(server.url, folder / "archive")


@pytest.fixture
def blog(crawled: Archived, tmp_path: Path) -> Archived:
    """Each test has the archive for itself."""
    return Archived(crawled.url, shutil.copytree(crawled.archive, tmp_path / "archive"))


def test_unchanged_posts_get_no_new_version_and_no_request_is_sent(
    blog: Archived, cli: Cli, tmp_path: Path
) -> None:
    done = cli("reextract", blog.url, "-a", blog.archive, "--json")
    [found] = done.json["crawls"]
    counts = found["crawl"]["counts"]
    assert done.code == 0, done
    assert (counts["posts_unchanged"], counts["posts_archived"]) == (12, 0), counts
    assert found["crawl"]["report"]["source"]["captures"] > 12
    assert blog.new_versions() == [] and faults(blog.archive) == []


def test_pages_are_found_as_in_a_crawl(blog: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which page led to another first shows that it is a view of it, or a post's neighbour."""
    found: dict[str, str | None] = {}
    note = PostViews.note

    def noted(
        self: PostViews,
        page: Page,
        post: Post,
        key: str,
        links: set[str],
        unlisted: bool,
        on: Any,
        **more: bool,
    ) -> View | None:
        found[key] = on(key)
        return note(self, page, post, key, links, unlisted, on, **more)

    monkeypatch.setattr(PostViews, "note", noted)
    blog.reextract()
    in_feed = 10
    assert len(found) == 12 and list(found.values()).count(None) == in_feed


def test_only_posts_with_changed_extraction_get_a_new_version(
    blog: Archived, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, row = next((p, r) for p, r in rows(blog.archive).items() if p.endswith("-7"))
    before = post(blog.archive, row)
    original = extract.extract_post

    def other_title(found_page: Page, *args: Any, **how: Any) -> Any:
        found = original(found_page, *args, **how)
        right = isinstance(found, NotAPost) or path not in found_page.url
        return found if right else replace(found, title="Another title")

    monkeypatch.setattr(extract, "extract_post", other_title)
    began = datetime.now(UTC)
    counts = blog.reextract().counts
    assert (counts["posts_changed"], counts["posts_unchanged"]) == (1, 11), counts
    changed = blog.new_versions()  # the post's package and the blog's, which lists it
    assert row.aip_id in changed and len(changed) == 2
    again = post(blog.archive, rows(blog.archive)[path])
    assert again.title == "Another title"
    # the capture is the one of then: its time, its pictures
    assert again.fetched_at is not None and before.fetched_at is not None
    assert again.fetched_at < began
    assert [file.sha256 for file in again.media] == [file.sha256 for file in before.media]
    assert faults(blog.archive) == []
    assert blog.reextract().counts["posts_unchanged"] == 12, "the evidence is still there"


def test_archived_posts_that_rules_reject_are_kept_and_reported(
    blog: Archived, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = extract.extract_post

    def rejected(found: Page, *args: Any, **how: Any) -> Any:
        return NotAPost("too short", 0.1) if "-7/" in found.url else original(found, *args, **how)

    monkeypatch.setattr(extract, "extract_post", rejected)
    report = blog.reextract().report
    reasons = {page["url"]: page["reason"] for page in report["rejected"]}
    [reason] = [reason for url, reason in reasons.items() if "-7" in url]
    assert reason == "too short (archived before)"
    assert len(rows(blog.archive)) == 12 and blog.new_versions() == []


def test_pages_that_the_crawl_did_not_ask_for_are_no_losses_of_a_new_extraction(
    blog: Archived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl had shown that the blog has no more posts, or said how many it may have."""
    find = WebArchive.find

    async def without_lists(self: WebArchive, url: str) -> Any:
        is_list = urlsplit(url).path.strip("/").partition("/")[0] in ("page", "tag", "about")
        return None if is_list else await find(self, url)

    def health() -> tuple[str, Any]:
        state = open_state(Config(archive=str(blog.archive)))
        [row] = state.blogs()
        last = state.crawls(row.id)[-1]
        state.close()
        return row.health, last.report["completeness"]["share"]

    before = health()
    monkeypatch.setattr(WebArchive, "find", without_lists)
    for _ in range(2):
        blog.reextract()
        assert health() == before


def test_corrections_are_applied_to_the_evidence(blog: Archived, cli: Cli) -> None:
    """The word of the operator, given when the blog is gone."""
    options = ("-a", blog.archive, "--json")
    field = "title=//*[@class='author'] | //main/h1"
    cli("correct", blog.url, "--post", "/about/", "--field", field, *options)
    done = cli("reextract", blog.url, *options)
    counts = done.json["crawls"][0]["crawl"]["counts"]
    assert done.code == 0, done
    assert (counts["posts_changed"], counts["posts_archived"]) == (12, 1), counts
    found = rows(blog.archive)
    titles = {path: post(blog.archive, row).title for path, row in found.items()}
    assert titles.pop("/about") == "About" and set(titles.values()) == {"Ada Writer"}
    assert faults(blog.archive) == []
    again = cli("reextract", blog.url, *options).json["crawls"][0]["crawl"]["counts"]
    assert again["posts_unchanged"] == 13, again


def test_posts_outside_of_the_folder_of_the_start_page_are_extracted_again(
    tmp_path: Path, cli: Cli
) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"), sitemap=True)
        (site / "feed.xml").unlink()
        (site / "home").mkdir()
        (site / "index.html").rename(site / "home" / "index.html")
        (site / "index.html").write_text('<meta http-equiv="refresh" content="0; url=/home/">')
        assert crawl(server.url, archive).counts["posts_archived"] == 12
        place = f"{server.url}home/"
    done = cli("reextract", place, "-a", archive, "--json")
    [found] = done.json["crawls"]
    counts = found["crawl"]["counts"]
    assert counts["posts_unchanged"] == 12, counts


def test_newest_capture_of_an_edited_post_is_used(blog: Archived, tmp_path: Path) -> None:
    site, archive = tmp_path / "site", blog.archive
    site.mkdir()
    posts = entries(12)
    with Server(site, port=int(blog.url.rsplit(":", 1)[1].strip("/"))) as server:
        write_blog(site, [*posts[:11], edited(posts[11])], base=server.url.rstrip("/"))
        assert crawl(blog.url, archive, spider="updatecrawl").counts["posts_changed"] == 1
    blog.before = versions(archive)
    assert blog.reextract().counts["posts_unchanged"] == 12
    assert blog.new_versions() == []


def test_media_missing_from_the_state_are_taken_from_evidence(blog: Archived) -> None:
    state = open_state(Config(archive=str(blog.archive)))
    [row] = state.blogs()
    state.close()
    aside = blog.archive.with_name("other")
    aside.mkdir()
    with WebArchive() as captures:
        store = open_store(Config(archive=str(blog.archive)))
        captures.add_evidence(store, row, crawl_folder(blog.archive, row.id) / "evidence")
        again = replay_crawl(row.url, Config(archive=str(aside)), captures)
    assert again.counts["posts_archived"] == 12 and again.counts["media"] == 5
    assert again.report["error"] is None
    for path, first in rows(blog.archive).items():
        assert rows(aside)[path].content_digest == first.content_digest, path
    shutil.rmtree(aside)


def test_blog_without_evidence_is_reported(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as server:
        write_blog(tmp_path / "site", entries(5), base=server.url.rstrip("/"))
        crawl(server.url, tmp_path / "archive", warc=False)
        done = cli("reextract", server.url, "-a", tmp_path / "archive")
    assert done.code == 12 and "no evidence" in done.err, done
    assert len(done.err.strip().splitlines()) == 1


# web archives of others


def warc_by_wget(server: Server, folder: Path, *, name: str = "wget") -> Path:
    """A WARC file as wget makes it of a whole site."""
    command = ["wget", "-q", "-r", "-l", "9", "-p", "-e", "robots=off", "--delete-after"]
    where = ["-P", str(folder / "mirror"), f"--warc-file={folder / name}"]
    subprocess.run([*command, *where, server.url], cwd=folder, check=False, timeout=120)
    return folder / f"{name}.warc.gz"


needs_wget = pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")


def blog_crawled_and_captured(tmp_path: Path, live: Path) -> tuple[str, Path]:
    """Crawl a blog of twelve posts into ``live`` and capture it with wget; its address and WARC."""
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"))
        crawl(server.url, live)
        return server.url, warc_by_wget(server, tmp_path)


@needs_wget
def test_wget_warc_gives_the_same_records_as_a_crawl(cli: Cli, tmp_path: Path) -> None:
    live, archive = tmp_path / "live", tmp_path / "archive"
    url, path = blog_crawled_and_captured(tmp_path, live)
    done = cli("import", "--warc", path, "-a", archive, "--json")
    [found] = done.json["crawls"]
    assert done.code == 0, done
    assert found["crawl"]["counts"]["posts_archived"] == 12
    [source] = found["crawl"]["report"]["source"]["files"]
    assert source["file"] == path.name and len(source["sha256"]) == 64
    assert {p: row.content_digest for p, row in rows(archive).items()} == {
        p: row.content_digest for p, row in rows(live).items()
    }
    reasons = found["crawl"]["report"]["completeness"]["reasons"]
    assert ALONE_CAPTURES in reasons, "the blog may have what nothing links"
    assert faults(archive) == []
    # who imports it again changes nothing, and its evidence can be extracted again
    again = cli("import", "--warc", path, "-a", archive, "--json").json["crawls"][0]
    assert again["crawl"]["counts"]["posts_unchanged"] == 12
    assert cli("reextract", url, "-a", archive).code == 0


def test_captured_posts_without_captured_links_are_archived(cli: Cli, tmp_path: Path) -> None:
    """What someone recorded while reading: single posts, and no list that leads to them all."""
    posts = entries(8)
    writer = WarcFile(tmp_path / "read.warc.gz")
    links = "".join(f'<h2><a href="{e.path}">{e.title}</a></h2>' for e in posts[:3])
    writer.add("http://old.test/", page("Notes", links).encode())
    for entry in posts:
        body = f'<article class="post"><h1>{entry.title}</h1>{content(entry)}</article>'
        writer.add(f"http://old.test{entry.path}", page(entry.title, body).encode())
        name = f"Picture {entry.number}"  # pages at other addresses are not asked for
        writer.add(f"http://old.test/attachment/{entry.number}/", page(name, body).encode())
    writer.add("http://other.test/x", page("Else", "<p>Elsewhere.</p>").encode())
    writer.close()
    cli("import", "--warc", tmp_path / "read.warc.gz", "-a", tmp_path / "archive")
    assert set(rows(tmp_path / "archive")) == {e.path.rstrip("/") for e in posts}


@needs_wget
@needs_pywb
def test_time_gate_gives_the_same_records_as_a_crawl(cli: Cli, tmp_path: Path) -> None:
    live, archive = tmp_path / "live", tmp_path / "archive"
    url, path = blog_crawled_and_captured(tmp_path, live)
    with served(tmp_path / "pywb", [path]) as gate:
        done = cli("crawl", url, "--from-memento", gate, "--delay", "0", "-a", archive)
        # and from its CDX server, into the same archive: nothing is different
        cdx = ("--from-memento", f"{gate}cdx", "--full")
        again = cli("crawl", url, *cdx, "--delay", "0", "-a", archive, "--json")
    assert done.code == 0, done
    then = {p: row.content_digest for p, row in rows(live).items()}
    assert {p: row.content_digest for p, row in rows(archive).items()} == then and len(then) == 12
    report = again.json["crawls"][0]["crawl"]
    assert report["counts"]["posts_unchanged"] == 12, again
    assert report["report"]["source"]["service"] == f"{gate}cdx"
    assert faults(archive) == []


def test_provenance_names_file_and_time_of_the_capture(cli: Cli, tmp_path: Path) -> None:
    path, archive = tmp_path / "old.warc.gz", tmp_path / "archive"
    write_old_blog(path)
    done = cli("import", "--warc", path, "-a", archive, "--json")
    assert done.code == 11 and "not in the archive" in done.out, done  # the feed was not captured
    _, row = next(iter(rows(archive).items()))
    record = post(archive, row)
    assert record.fetched_at == datetime(2012, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert row.aip_id is not None
    store = open_store(Config(archive=str(archive)))
    with store.open(row.aip_id, "metadata/preservation/premis.xml") as file:
        premis = file.read().decode()
    assert "read from the web archive old.warc.gz" in premis and "2012-05-06T07:08:09" in premis
    # the copy in the archive's own evidence keeps the time, too
    state = open_state(Config(archive=str(archive)))
    [blog] = state.blogs()
    state.close()
    with WebArchive() as captures:
        captures.add_evidence(store, blog, crawl_folder(archive, blog.id) / "evidence")
        assert captures.provenance()["last_capture"].startswith("2012-05-06T07:08:09")


CODINGS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("gzip", gzip.compress),
    ("br", brotli.compress),
    ("zstd", zstd.compress),
    ("deflate", zlib.compress),
    ("br", bytes),  # some recorders keep the header of what they decompressed
    ("gzip", bytes),
)


def write_old_blog(path: Path) -> None:
    """A dead blog as a crawler of 2012 captured it: another charset, chunks, compressed pages."""
    posts = entries(6)
    writer = WarcFile(path)
    links = "".join(f'<h2><a href="{e.path}">{e.title}</a></h2>' for e in posts)
    start = page("Notes", links).encode()
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(start), start)
    writer.add("http://old.test/", chunks, headers={"Transfer-Encoding": "chunked"})
    for entry, (coding, encode) in zip(posts, CODINGS, strict=True):
        body = (
            f'<article class="post"><h1>{entry.title}</h1><p class="byline">caf\u00e9</p>'
            f'<div class="entry">{content(entry)}<p>Na\u00efve words.</p></div></article>'
        )
        writer.add(
            f"http://old.test{entry.path}",
            encode(page(entry.title, body).encode("cp1252")),
            mime="text/html; charset=windows-1252",
            headers={"Content-Encoding": coding},
        )
    writer.close()


def test_old_charsets_and_encodings_are_read(cli: Cli, tmp_path: Path) -> None:
    write_old_blog(tmp_path / "old.warc.gz")
    done = cli("import", "--warc", tmp_path / "old.warc.gz", "-a", tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert len(found) == 6, done
    for row in found.values():
        assert "Na\u00efve words." in post(tmp_path / "archive", row).content_text


def test_web_archive_without_a_blog_is_a_one_line_error(cli: Cli, tmp_path: Path) -> None:
    writer = WarcFile(tmp_path / "other.warc.gz")
    writer.add("http://old.test/", page("Shop", "<p>We sell kettles.</p>").encode())
    writer.close()
    empty = WarcFile(tmp_path / "empty.warc.gz")
    empty.add("http://old.test/a.png", b"\x89PNG", mime="image/png")
    empty.close()
    for name in ("other.warc.gz", "empty.warc.gz"):
        done = cli("import", "--warc", tmp_path / name, "-a", tmp_path / "archive")
        assert done.code == 5 and len(done.err.strip().splitlines()) == 1, done
    done = cli(
        "import",
        "--warc",
        tmp_path / "other.warc.gz",
        "--blog",
        "http://none.test/",
        "-a",
        tmp_path / "archive",
    )
    assert done.code == 4 and "not in the archive" in done.err, done
