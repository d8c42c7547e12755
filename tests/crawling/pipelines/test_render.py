# ruff: noqa: E501 (markup as engines write it)
"""The render stage in real crawls: a blog drawn by its script, no browser, a browser that dies."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blogcrawl.crawling.handlers.browser import descendants
from tests.conftest import Cli, clean_environment
from tests.crawling.pipelines import shellblog
from tests.rendering.browsing import needs_browser
from tests.server import Server


@needs_browser
def test_script_rendered_blog_is_archived(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        made = shellblog.write(site, server.url)
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0")
        assert done.code == 0, str(done)
        assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = {
        row["title"]: row
        for row in map(json.loads, (tmp_path / "posts.jsonl").read_text().splitlines())
    }
    assert set(rows) == {p["title"] for p in made}
    for post in made:
        row = rows[post["title"]]
        assert row["rendered"]
        assert (
            re.sub(r"\s+", " ", row["content_text"])
            == re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", post["html"])).strip()
        )
        assert row["authors"] == ["Ada Lovelace"]
        assert row["published"].startswith(post["date"][:10])


MORE = """<button id=more>Load more posts</button><script>let n = 0;
document.getElementById('more').onclick = async () => {
  for (const slug of await (await fetch('/more-' + ++n + '.json')).json())
    document.getElementById('list').insertAdjacentHTML('beforeend', `<h2><a href="/${slug}/">${slug}</a></h2>`);
  if (n == 3) document.getElementById('more').remove();
}</script>"""


def write_growing_list(site: Path, base: str, count: int = 12) -> None:
    """Three posts on the start page and in the feed, three more after each click."""
    made = shellblog.posts(count)
    item = "<item><title>{title}</title><link>{base}{slug}/</link><pubDate>01 Jan 2020 08:00:00 GMT</pubDate><description><![CDATA[{html}]]></description></item>"
    feed = "".join(item.format(base=base, **post) for post in made[:3])
    (site / "feed.xml").write_text(
        f'<rss version="2.0"><channel><title>Blog</title><link>{base}</link>{feed}</channel></rss>'
    )
    first = "".join(f'<h2><a href="/{post["slug"]}/">{post["title"]}</a></h2>' for post in made[:3])
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    (site / "index.html").write_text(
        f"<html><head>{head}</head><body><div id=list>{first}</div>{MORE}</body></html>"
    )
    for n in range(1, count // 3):
        (site / f"more-{n}.json").write_text(
            json.dumps([post["slug"] for post in made[3 * n : 3 * n + 3]])
        )
    for post in made:
        (site / post["slug"]).mkdir()
        (site / post["slug"] / "index.html").write_text(
            f"<html><head><title>{post['title']}</title></head><body><article><h1>{post['title']}</h1><div class=text>{post['html']}</div></article></body></html>"
        )


@needs_browser
def test_load_more_list_is_read_to_its_end(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        write_growing_list(site, server.url)
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0", "--json")
        assert (
            done.code == 0 and done.json["crawls"][0]["crawl"]["counts"]["posts_archived"] == 12
        ), str(done)


def test_load_more_list_is_reported_without_a_browser(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        write_growing_list(site, server.url)
        done = cli(
            "crawl", server.url, "--archive", "a", "--delay", "0", "--render", "never", "--json"
        )
        crawl = done.json["crawls"][0]["crawl"]
    assert (
        crawl["counts"]["posts_archived"] == 3 and crawl["report"]["stop"]["completeness"] is None
    ), str(done)
    found = crawl["report"]["completeness"]
    assert found["status"] == "unknown" and "only in a browser" in found["reasons"][0]


@needs_browser
@pytest.mark.slow
def test_blog_with_fragment_urls_is_archived(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        made = shellblog.write_hashed(site)
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0")
        assert done.code == 0, str(done)
        again = cli("update", server.url, "--archive", "a", "--delay", "0")
        assert again.code == 0, str(again)
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = {
        row["url"]: row
        for row in map(json.loads, (tmp_path / "posts.jsonl").read_text().splitlines())
    }
    assert set(rows) == {f"{server.url}#/post/{p['slug']}" for p in made}
    for post in made:
        row = rows[f"{server.url}#/post/{post['slug']}"]
        assert (
            row["title"] == post["title"]
            and f"of number {post['slug'].rpartition('-')[2]}." in row["content_text"]
        )


def test_crawl_continues_without_a_browser(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        shellblog.write(site, server.url)
        done = cli(
            "crawl",
            server.url,
            "--archive",
            "a",
            "--delay",
            "0",
            "--set",
            "BLOGCRAWL_BROWSER_PATH=/nowhere/chromium",
        )
    assert "Traceback" not in done.err, str(done)
    assert "no Chromium found" in done.err, str(done)


@needs_browser
@pytest.mark.parametrize(
    "how", ["dies", pytest.param("hangs", marks=[pytest.mark.slow, pytest.mark.by_hand])]
)
def test_broken_browser_loses_no_post(how: str, cli: Cli, tmp_path: Path) -> None:
    """A program that ends at once, or one that never answers, in the browser's place."""
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\n" + ("exit 1\n" if how == "dies" else "exec sleep 600\n"))
    fake.chmod(0o755)
    site = tmp_path / "site"
    site.mkdir()
    article = "".join(f"<p>{' '.join(shellblog.WORDS)} paragraph {i}</p>" for i in range(6))
    with Server(site) as server:
        made = shellblog.posts(3)
        items = ""
        for post in made:
            (site / f"{post['slug']}.html").write_text(
                f"<html><head><title>{post['title']}</title></head><body><article><h1>{post['title']}</h1>{article}{post['html']}</article>"
                '<div id="disqus_thread"></div><script src="/embed.js"></script></body></html>'
            )
            items += f"<item><title>{post['title']}</title><link>{server.url}{post['slug']}.html</link><description><![CDATA[{article}{post['html']}]]></description></item>"
        (site / "feed.xml").write_text(
            f'<rss version="2.0"><channel><title>Blog</title><link>{server.url}</link>{items}</channel></rss>'
        )
        (site / "index.html").write_text(
            '<html><head><title>Blog</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hello</body></html>'
        )
        done = cli(
            "crawl",
            server.url,
            "--archive",
            "a",
            "--delay",
            "0",
            "--set",
            f"BLOGCRAWL_BROWSER_PATH={fake}",
            "--set",
            "BLOGCRAWL_RENDER_SECONDS=3",
        )
    assert done.code == 0, str(done)
    assert "static form" in done.err
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "posts.jsonl").read_text().splitlines()]
    assert sorted(r["title"] for r in rows) == sorted(p["title"] for p in made)
    assert not any(r["rendered"] for r in rows)


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.by_hand)]
)
def test_browser_crash_during_a_crawl_loses_no_page(
    how: signal.Signals, cli: Cli, tmp_path: Path
) -> None:
    """Killed, or made to hang, with two tabs open: other tabs' pages are begun anew, none is
    archived in its static form.
    """
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        made = shellblog.write(site, server.url, count=22, in_feed=22)
        command = [
            sys.executable,
            "-m",
            "blogcrawl",
            "crawl",
            server.url,
            "--archive",
            "a",
            "--delay",
            "0",
        ]
        options = ["--set", "BLOGCRAWL_RENDER_SECONDS=12", "--set", "BLOGCRAWL_RENDER_TABS=2"]
        child = subprocess.Popen(
            [*command, *options],
            cwd=tmp_path,
            env=clean_environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        hit = lose_browser(child, how, seconds=3)
        err = child.communicate()[1]
    assert child.returncode == 0, err
    assert hit, "the browser was there to be hit"
    assert "static form" not in err
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "posts.jsonl").read_text().splitlines()]
    assert sorted(r["title"] for r in rows) == sorted(p["title"] for p in made)
    assert all(r["rendered"] for r in rows)
    assert not [pid for pid in descendants(os.getpid()) if is_browser(pid)], "none is left"


def is_browser(pid: int) -> bool:
    """Chromium's first process, not those that it starts for pages."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text()  # empty for a zombie
        program = (
            Path(f"/proc/{pid}/exe").readlink().name
        )  # not the shell script that distributions start it by
    except OSError:
        return False
    return (
        "--headless" in command
        and "--type=" not in command
        and ("chrom" in program or "headless" in program)
    )


def lose_browser(crawler: subprocess.Popen[str], how: signal.Signals, seconds: float) -> bool:
    """Sends a signal to the crawl's browser when it has been there for some seconds; False where
    the crawl ended before.
    """
    since = None
    while crawler.poll() is None:
        found = [pid for pid in descendants(crawler.pid) if is_browser(pid)]
        since = (since or time.monotonic()) if found else None
        if since and time.monotonic() > since + seconds:
            with contextlib.suppress(ProcessLookupError):
                os.kill(found[0], how)
                return True
        time.sleep(0.1)
    return False
