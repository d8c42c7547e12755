"""The frontier inside Scrapy: real crawls of a small site, in a child process, also killed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.server import Rule, Server

POSTS = 40
SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from blogcrawl.urls.canonical import Scope
from blogcrawl.dom.links import page_links
from blogcrawl.core.page import Page

class Spider(scrapy.Spider):
    name = "s"
    most = 0
    async def start(self):
        self.crawler.frontier.scope = Scope(self.home)
        self.crawler.frontier.learn_pattern([f"{self.home}2012/01/post-no-{i}" for i in range(3)])
        yield scrapy.Request(self.home, meta={"frontier": {"kind": "page"}})
        yield scrapy.Request(self.home + "robots.txt", callback=self.probe, priority=5)
        yield scrapy.Request(self.home + "robots.txt", callback=self.probe)
    def probe(self, response):
        self.crawler.stats.inc_value("probes")
    def parse(self, response):
        f, about = self.crawler.frontier, response.meta["frontier"]
        Spider.most = max(Spider.most, f.counts().in_flight)
        page = Page(url=response.url, body=response.body)
        f.push_links(page.url, page_links(page), about["depth"])
        f.done(about["url"], is_post="/post-" in response.url)
    def error(self, failure):
        self.crawler.frontier.failed(failure.request.meta["frontier"]["url"])
    def frontier_request(self, pending):
        return scrapy.Request(pending.url, callback=self.parse, errback=self.error, dont_filter=True)

settings = {
    "SCHEDULER": "blogcrawl.crawling.scheduler.FrontierScheduler", "BLOGCRAWL_FRONTIER_PATH": sys.argv[2], "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 3, "DOWNLOAD_DELAY": 0, "RETRY_TIMES": 2,
    **json.loads(sys.argv[3]),
}
process = AsyncCrawlerProcess(settings)
crawler = process.create_crawler(Spider)
process.crawl(crawler, home=sys.argv[1])
process.start()
stats = crawler.stats.get_stats()
result = {"most": Spider.most, "reason": stats.get("finish_reason"), "probes": stats.get("probes", 0)}
print(json.dumps(result))
"""  # noqa: E501


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    folder = root / "2012" / "01"
    folder.mkdir(parents=True)
    (root / "robots.txt").write_text("")
    pages = POSTS // 5
    for page in range(pages):
        links = "".join(
            f'<h2><a href="/2012/01/post-no-{page * 5 + i}.html">Post</a></h2>' for i in range(5)
        )
        more = (
            f'<a class=next rel=next href="/page{page + 1}.html">Older</a>'
            if page + 1 < pages
            else ""
        )
        (root / ("index.html" if page == 0 else f"page{page}.html")).write_text(
            f"<html><body>{links}{more}<a href=/moved>m</a></body></html>"
        )
    for i in range(POSTS):
        (folder / f"post-no-{i}.html").write_text(
            f"<html><body><h1>Post {i}</h1><a href=/>Home</a></body></html>"
        )
    return root


def command(server: Server, database: str, **settings: object) -> list[str]:
    return [sys.executable, "-c", SPIDER, server.url, database, json.dumps(settings)]


def posts_asked(server: Server) -> list[str]:
    return [hit.path for hit in server.log() if "/post-no-" in hit.path]


@pytest.mark.parametrize("in_memory", [True, False])
def test_crawl_runs_to_its_end(site: Path, tmp_path: Path, in_memory: bool) -> None:
    with Server(site) as server:
        server.rules = [
            Rule(path="/moved", status=301, headers={"Location": "/2012/01/post-no-0.html"}),
            Rule(path="/2012/01/post-no-7.html", status=503, times=1),
        ]
        done = forked.run(command(server, "" if in_memory else str(tmp_path / "f.db")))
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        asked = posts_asked(server)
    assert result["reason"] == "finished"
    assert result["probes"] == 1, "the same probe twice is asked once"
    assert 1 <= result["most"] <= 2 * 3, (
        "as many pages leave the frontier as the host has slots, and a few are being read"
    )
    assert len(set(asked)) == POSTS
    assert asked.count("/2012/01/post-no-7.html") == 2
    assert (tmp_path / "f.db").exists() is not in_memory


def test_page_budget_ends_the_crawl(site: Path, tmp_path: Path) -> None:
    with Server(site) as server:
        done = forked.run(command(server, "", BLOGCRAWL_MAX_PAGES=10))
        assert done.returncode == 0, done.stderr
        assert 10 <= len([h for h in server.log() if h.path != "/robots.txt"]) <= 14


def test_killed_crawl_is_resumed(site: Path, tmp_path: Path) -> None:
    rng = random.Random(3)
    run = command_line = None
    with Server(site) as server:
        server.rules = [Rule(path="/moved", status=404), Rule(path="/.*html", delay=0.03)]
        command_line = command(server, str(tmp_path / "f.db"))
        kills = 0
        for attempt in range(12):
            run = subprocess.Popen(
                command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            try:
                out, err = run.communicate(timeout=rng.uniform(0.9, 1.6) if attempt < 3 else None)
            except subprocess.TimeoutExpired:
                run.kill()
                kills += 1
                run.communicate()
                continue
            assert run.returncode == 0, err
            assert json.loads(out)["reason"] == "finished"
            break
        asked = posts_asked(server)
    assert set(asked) == {f"/2012/01/post-no-{i}.html" for i in range(POSTS)}
    assert len(asked) - len(set(asked)) <= 3 * kills
