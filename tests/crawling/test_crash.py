"""Killed at any moment, or stopped with Ctrl-C: the next run goes on, loses nothing and repeats
only what was in flight.

Random moments, and other commands: ``tests/chaos``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.records import Post
from blogcrawl.crawling.scheduler import MAX_UNDER_WAY
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.state import open_state
from tests import forked
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, faults, post, rows
from tests.diaries import names_and_rules
from tests.server import Rule, Server

COUNT = 40
BY_HAND = (pytest.mark.slow, pytest.mark.by_hand)
ROOT = Path(__file__).resolve().parents[2]
IN_FLIGHT = MAX_UNDER_WAY + 4
"""Pages that the scheduler has given out and are not finished; of the training pages, requests to
one host at a time. """
CHILD = """
import sys
from blogcrawl.core.config import Config
from blogcrawl.crawling.run import run_crawl
row = run_crawl(sys.argv[1], Config(archive=sys.argv[2], delay_seconds=0.0, retry_pause_seconds=0.0, render="never"))
print(row.outcome, flush=True)
"""  # noqa: E501


def start(server: Server, archive: Path) -> forked.Fork:
    return forked.Fork([sys.executable, "-c", CHILD, server.url, str(archive)])


def wait_for_hits(server: Server, count: int, child: forked.Fork | subprocess.Popen[str]) -> None:
    """Until so many requests came, or the crawl that makes them ended."""
    while len(server.log()) < count and child.poll() is None:
        time.sleep(0.01)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


def kill(server: Server, archive: Path, after: int) -> set[str]:
    """A crawl killed after so many requests; the paths that it had asked for and not dealt with."""
    before = len(server.log())
    child = start(server, archive)
    wait_for_hits(server, before + after, child)
    assert child.poll() is None, "the crawl was over before it could be killed"
    child.kill()
    child.wait()
    settled = -1
    while settled != len(
        server.log()
    ):  # what the server had accepted is written down a moment after the kill
        settled = len(server.log())
        time.sleep(0.3)
    return set(server.paths()[before:]) - dealt_with(archive)


def dealt_with(archive: Path) -> set[str]:
    """What lies on the disk: answers kept, pages that the frontier has done with, media of which a
    package or the crawl has the file.
    """
    done = set()
    for path in archive.glob("crawls/*/answers/*"):
        if not path.name.startswith("."):
            done.add(json.loads(path.read_bytes().partition(b"\n")[0])["asked"])
    for path in archive.glob("crawls/*/newcrawl.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            done.update(url for (url,) in db.execute("SELECT url FROM url WHERE state >= 2"))
    return {urlsplit(url).path for url in done}


def repeated_beyond(asked: Sequence[str], unfinished: Sequence[set[str]]) -> dict[str, int]:
    """Paths asked for more often than once, and once more for every kill that came while they were
    under way.
    """
    allowed = Counter(path for paths in unfinished for path in paths)
    return {path: count for path, count in Counter(asked).items() if count > 1 + allowed[path]}


@pytest.mark.parametrize(
    "after",
    [pytest.param(3, marks=pytest.mark.slow), 23, pytest.param(50, marks=pytest.mark.slow)],
)
def test_kill_9_loses_no_post(after: int, site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(site) as server:
        write_blog(site, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path=".*", delay=0.01)]
        unfinished = kill(server, archive, after)
        server.rules = []
        row = crawl(server.url, archive)
        asked = server.paths()
    assert row.outcome == "finished" and row.report["missing"] == []
    assert rows(archive).keys() == {entry.path.rstrip("/") for entry in entries(COUNT)}
    assert faults(archive) == []
    assert repeated_beyond(asked, [unfinished]) == {}
    assert len(pages_of(unfinished)) <= IN_FLIGHT


@pytest.mark.parametrize(
    "after", [pytest.param(23, marks=BY_HAND), 60, pytest.param(90, marks=BY_HAND)]
)
def test_kill_9_with_redirecting_urls_in_feed_and_sitemap(
    after: int, site: Path, tmp_path: Path
) -> None:
    """What was known of names was in memory only: posts that were archived before were reported as
    missing, and those under way were taken for read."""
    archive, bad = tmp_path / "archive", entries(COUNT)[7]
    with Server(site) as server:
        base = server.url.rstrip("/")
        write_blog(site, entries(COUNT), base=base, sitemap=True)
        for name in ("feed.xml", "sitemap.xml"):
            (site / name).write_text(
                (site / name).read_text().replace(f"{base}/20", f"{base}/go/20")
            )
        for entry in entries(COUNT):  # a picture of its own keeps each post under way for a while
            file = site / entry.path.strip("/") / "index.html"
            file.write_text(file.read_text().replace(".png", f".png?{entry.number}"))
        moved = [
            Rule(path="/go" + e.path, status=301, headers={"Location": e.path})
            for e in entries(COUNT)
        ]
        rules = [Rule(path=bad.path, status=403), *moved]
        server.rules = [*rules, Rule(path="/img/.*", delay=0.3), Rule(path=".*", delay=0.01)]
        kill(server, archive, after)
        server.rules = rules
        row = crawl(server.url, archive)
    assert row.outcome == "finished"
    assert rows(archive).keys() == {
        entry.path.rstrip("/") for entry in entries(COUNT) if entry != bad
    }
    assert {missed["reason"] for missed in row.report["missing"]} == {"HTTP 403"}
    assert {missed["url"].rpartition("/20")[2] for missed in row.report["missing"]} == {
        bad.path.rstrip("/")[3:]
    }
    assert faults(archive) == []


def write_diary(site: Path, base: str) -> set[str]:
    """Pages of years, whose posts lists of even and odd ones show too; feed and sitemap have
    addresses of the years that redirect. Returns the fragments of the posts."""
    diary = names_and_rules(base, 40)
    diary.write(site)
    years = [page for page in diary.pages if page.startswith("/20")]
    for page in (
        years
    ):  # a picture of its own keeps each post under way for a while; nothing names a post's page
        text = re.sub(
            r'<a href="[^"#]*#e(\d+)">Link</a>', r'<img src="/img/\1.png">', diary.pages[page]
        )
        (site / page[1:]).write_text(text)
    lists = '<a href="/even.html">Even</a> <a href="/odd.html">Odd</a>'
    for name, rest in (("even", 0), ("odd", 1)):
        posts = [
            block
            for page in years
            for block in re.findall(r"<a name=.*?<hr>", (site / page[1:]).read_text(), re.DOTALL)
        ]
        some = "".join(
            block for block in posts if int(block[10 : block.index('"', 10)]) % 2 == rest
        )
        (site / f"{name}.html").write_text(
            f"<html><head><title>{name}</title></head><body><div "
            f'id="main">{some}</div></body></html>'
        )
    (site / "index.html").write_text(
        f"<html><head><title>Diary</title></head><body><h1>My diary</h1>{lists}</body></html>"
    )
    (site / "feed.xml").write_text(
        (site / "feed.xml").read_text().replace(f"{base}/20", f"{base}/go/20")
    )
    urls = "".join(f"<url><loc>{base}/go{page}</loc></url>" for page in years)
    (site / "sitemap.xml").write_text(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    )
    return {note.fragment for note in diary.notes}


@pytest.mark.parametrize(
    "after", [pytest.param(12, marks=BY_HAND), 20, pytest.param(35, marks=BY_HAND)]
)
def test_kill_9_with_each_post_on_two_lists(after: int, site: Path, tmp_path: Path) -> None:
    """On which list a post was met first, and which pages only hold posts, was in memory only: the
    next run archived posts a second time, and called their pages missing."""
    archive = tmp_path / "archive"
    with Server(site) as server:
        fragments = write_diary(site, server.url.rstrip("/"))
        moved = [
            Rule(path=f"/go/{year}.html", status=301, headers={"Location": f"/{year}.html"})
            for year in range(2003, 2006)
        ]
        server.rules = [*moved, Rule(path="/img/.*", delay=0.2, status=404)]
        kill(server, archive, after)
        server.rules = moved
        row = crawl(server.url, archive)
    assert row.outcome == "finished"
    assert Counter(path.partition("#")[2] for path in rows(archive)) == dict.fromkeys(fragments, 1)
    assert row.report["missing"] == []
    assert faults(archive) == []


def pages_of(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.startswith("/20")]


def test_ctrl_c_finishes_requests_in_flight(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(site) as server:
        write_blog(site, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path="/2.*", delay=0.1)]
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, server.url, str(archive)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        wait_for_hits(server, 30, child)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate()
        assert child.returncode == 0 and out.strip() == "stopped"
        state = open_state(Config(archive=str(archive)))
        blog = next(state.blogs())
        (first,) = state.crawls(blog.id)
        state.close()
        assert first.outcome == "stopped" and first.ended is not None
        assert 0 < first.counts["posts_archived"] < COUNT
        server.rules = []
        row = crawl(server.url, archive)
        posts = Counter(p for p in server.paths() if p.startswith("/20"))
    assert row.outcome == "finished" and len(rows(archive)) == COUNT
    assert set(posts.values()) == {1}, "nothing is fetched twice"
    assert faults(archive) == []


TWICE = """
import os, signal, sys, threading, time
from blogcrawl.core.config import Config
from blogcrawl.crawling.run import run_crawl
def twice(_):
    from twisted.internet import reactor
    begun = threading.Event()
    def look_up():
        begun.set()
        time.sleep(3600)
    reactor.callInThread(look_up)
    begun.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
run_crawl(sys.argv[1], Config(archive=sys.argv[2]), on_start=twice)
"""


def test_immediately_stopped_crawl_lets_its_process_exit(tmp_path: Path) -> None:
    """Two SIGTERM, as timeout of coreutils sends them: no thread is waited for at the exit."""
    with Server() as server:
        done = subprocess.run(
            [sys.executable, "-c", TWICE, server.url, str(tmp_path / "archive")],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    assert done.returncode == -signal.SIGINT, done.stderr


@pytest.mark.parametrize("remote", [False, True])
def test_packages_without_rows_of_a_killed_crawl_are_adopted(
    site: Path, tmp_path: Path, remote: bool
) -> None:
    """Killed between package and row, on a store without rename also within the package: no second
    version, nothing half.
    """
    archive = tmp_path / "archive"
    config = Config(
        archive=str(archive), store_url=f"local://{tmp_path}/packages" if remote else ""
    )
    packages = tmp_path / "packages" if remote else archive / "packages"
    with Server(site) as server:
        write_blog(site, entries(4), base=server.url.rstrip("/"))
        crawl(server.url, archive, store_url=config.store_url)
        written = rows(archive)
        with closing(sqlite3.connect(archive / "state.db")) as db:
            db.execute("DELETE FROM posts")
            db.commit()
        half = (
            [packages / object_path(row.aip_id or "") for row in written.values()] if remote else []
        )
        for place, names in zip(
            half,
            (["inventory.json.sha512"], ["inventory.json.sha512", "inventory.json"]),
            strict=False,
        ):
            for name in names:
                (place / name).unlink()
        row = crawl(server.url, archive, store_url=config.store_url)
    assert row.counts["posts_archived"] == 4
    store = open_store(config)
    assert {path: (row.aip_id, row.aip_version) for path, row in rows(archive).items()} == {
        path: (row.aip_id, 1) for path, row in written.items()
    }
    assert [fault for one in store.object_ids() for fault in store.verify(one, deep=True)] == []
    assert [len(store.versions(row.aip_id or "")) for row in written.values()] == [1] * 4


def test_post_refused_by_the_state_is_reported_and_retried_next_run(
    site: Path, tmp_path: Path
) -> None:
    archive, posts = tmp_path / "archive", entries(12)
    refused = posts[3].path.rstrip("/")
    config = Config(archive=str(archive))
    open_archive(config, now=datetime.now(UTC))
    open_state(config).close()
    with closing(sqlite3.connect(archive / "state.db")) as database, database:
        database.execute(
            f"CREATE TRIGGER refuse BEFORE INSERT ON posts WHEN NEW.url LIKE '%{refused}%' "
            f"BEGIN SELECT RAISE(ABORT, 'not this one'); END"
        )
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        first = crawl(server.url, archive)
        error = first.report["error"]
        assert first.outcome == "failed" and error["exit_code"] == 12
        assert (
            "1 posts could not be stored" in error["message"] and "not this one" in error["message"]
        )
        assert len(rows(archive)) == 11
        assert [page["url"].endswith(refused) for page in first.report["missing"]] == [True]
        with closing(sqlite3.connect(archive / "state.db")) as database, database:
            database.execute("DROP TRIGGER refuse")
        server.clear_log()
        second = crawl(server.url, archive)
        assert second.outcome == "finished", second.report["error"]
        assert [path for path in server.paths() if path.startswith("/20")] == [posts[3].path], (
            "nothing else is asked for again"
        )
    assert len(rows(archive)) == 12 and faults(archive) == []


KILLED_AT_THE_SITEMAP = """
import os, signal, sys
from blogcrawl.crawling.candidate_sources import CandidateSources
push = CandidateSources.push_sources

def push_and_die(self, known=()):
    by_map = any("sitemap" in sources for sources in self.session.knowledge.promised.values())
    if by_map and sys.argv[3] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    push(self, known)
    if by_map:
        self.session.frontier.store.commit()
        os.kill(os.getpid(), signal.SIGKILL)

CandidateSources.push_sources = push_and_die
"""


def records(archive: Path) -> dict[str, Post]:
    """Record of each post but for the time of fetching, by path."""
    return {
        path: replace(post(archive, row), fetched_at=None) for path, row in rows(archive).items()
    }


def test_records_do_not_depend_on_the_order_of_list_and_page(site: Path, tmp_path: Path) -> None:
    """Neither what a sitemap says of a post, nor how sure its being listed makes of it."""
    with Server(site) as server:
        write_blog(site, entries(23), base=server.url.rstrip("/"), sitemap=True)
        file = site / "sitemap.xml"
        modified = "</loc><lastmod>2026-02-03T04:05:06Z</lastmod>"
        file.write_text(file.read_text("utf-8").replace("</loc>", modified), "utf-8")
        crawl(server.url, tmp_path / "late sitemap")
        server.rules = [Rule(path="/sitemap.xml", status=404)]
        crawl(server.url, tmp_path / "no sitemap")
    assert records(tmp_path / "late sitemap") == records(tmp_path / "no sitemap")


def test_posts_of_older_templates_are_extracted_by_the_rules_of_an_unbroken_crawl(
    site: Path, tmp_path: Path
) -> None:
    with Server(site) as server:
        base = server.url.rstrip("/")
        write_blog(site, entries(COUNT), base=base, theme="new", feed=5)
        older = {
            entry: (site / entry.path.strip("/") / "index.html").read_text("utf-8")
            for entry in entries(COUNT)[:-10]
        }
        write_blog(site, entries(COUNT), base=base, feed=5)
        notice = "<p>Notes of this kind come by post to all who ask for them in a letter.</p>"
        for entry, text in older.items():
            text = text.replace('<ul class="more">', f'{4 * notice}<ul class="more">')
            (site / entry.path.strip("/") / "index.html").write_text(text, "utf-8")
        crawl(server.url, tmp_path / "whole")
        server.rules = [Rule(path=".*", delay=0.01)]
        kill(server, tmp_path / "killed", 40)
        assert len(set(rows(tmp_path / "killed")) & {e.path.rstrip("/") for e in older}) >= 2
        server.rules = []
        crawl(server.url, tmp_path / "killed")
    whole, killed = (
        {path: replace(each, extraction={}) for path, each in records(tmp_path / name).items()}
        for name in ("whole", "killed")
    )
    assert killed == whole
    assert not any("by post" in each.content_text for each in killed.values())


@pytest.mark.parametrize("moment", ["before", "after"])
def test_posts_of_a_late_sitemap_are_still_listed_after_a_kill(
    site: Path, tmp_path: Path, moment: str
) -> None:
    with Server(site) as server:
        write_blog(site, entries(23), base=server.url.rstrip("/"), sitemap=True)
        for file in [
            site / "index.html",
            *(site / "page").rglob("*.html"),
        ]:  # only the sitemap has the older posts
            file.write_text(re.sub(r'<a rel="next".*?</a>', "", file.read_text("utf-8")), "utf-8")
        crawl(server.url, tmp_path / "whole")
        killed = KILLED_AT_THE_SITEMAP + CHILD
        command = [sys.executable, "-c", killed, server.url, str(tmp_path / "killed"), moment]
        done = forked.run(command)
        assert done.returncode == -signal.SIGKILL
        row = crawl(server.url, tmp_path / "killed")
    assert row.outcome == "finished" and row.report["missing"] == []
    assert records(tmp_path / "killed") == records(tmp_path / "whole")


KILLED_BEFORE_ITS_BOOKS_ARE_CLOSED = """
import os, signal
from blogcrawl.crawling.spiders.base import BlogSpider

async def die(self, reason, seconds):
    os.kill(os.getpid(), signal.SIGKILL)

BlogSpider._close_books = die
"""


def write_blog_with_gaps(site: Path, server: Server) -> None:
    """The sitemap lists posts of which some are gone without an error status, forbidden,
    or one page for all; and addresses that redirect to each post."""
    base, posts = server.url.rstrip("/"), entries(23)
    write_blog(site, posts, base=base, sitemap=True)
    gone, forbidden, same = posts[1], posts[2], posts[3:6]
    text = "<html><head><title>Page not found</title></head><body><p>{}</p></body></html>"
    (site / gone.path.strip("/") / "index.html").write_text(text.format("Nothing is here."))
    for entry in same:
        page = (site / same[0].path.strip("/") / "index.html").read_text("utf-8")
        (site / entry.path.strip("/") / "index.html").write_text(page, "utf-8")
    urls = (
        f"<url><loc>{base}{path}</loc></url>" for e in posts for path in ("/go" + e.path, e.path)
    )
    (site / "sitemap.xml").write_text(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(urls)}</urlset>'
    )
    feed = site / "feed.xml"
    feed.write_text(
        re.sub(rf"{base}(/2024/0[24])", rf"{base}/go\1", feed.read_text("utf-8")), "utf-8"
    )
    (site / "robots.txt").write_text(f"Sitemap: {base}/sitemap.xml\n")
    server.rules = [
        Rule(path=forbidden.path, status=403),
        *(Rule(path="/go" + e.path, status=301, headers={"Location": e.path}) for e in posts),
    ]


KILLED_AT_THE_SECOND_OF_ONE_PAGE = """
import os, signal
from blogcrawl.frontier.frontier import Frontier
end = Frontier._end

def end_and_die(self, url, *args, **how):
    end(self, url, *args, **how)
    if "-4/" in url:
        os.kill(os.getpid(), signal.SIGKILL)

Frontier._end = end_and_die
"""


@pytest.mark.parametrize(
    "death", [KILLED_BEFORE_ITS_BOOKS_ARE_CLOSED, KILLED_AT_THE_SECOND_OF_ONE_PAGE]
)
def test_reasons_of_missing_pages_survive_a_kill(site: Path, tmp_path: Path, death: str) -> None:
    """Of promised pages that are no posts it was in memory only: so what redirects to them was
    taken for archived, and one page at many addresses was archived once more."""
    with Server(site) as server:
        write_blog_with_gaps(site, server)
        whole = crawl(server.url, tmp_path / "whole", max_requests_per_host=1)
        killed = death + CHILD.replace('render="never"', 'render="never", max_requests_per_host=1')
        command = [sys.executable, "-c", killed, server.url, str(tmp_path / "killed")]
        done = forked.run(command)
        assert done.returncode == -signal.SIGKILL
        row = crawl(server.url, tmp_path / "killed")
    assert len(whole.report["missing"]) == 8  # five posts, three at two addresses of one page
    assert row.report["missing"] == whole.report["missing"]
    assert records(tmp_path / "killed") == records(tmp_path / "whole")
