"""crawl, update, list, show, export as a user runs them, on one small blog."""

from __future__ import annotations

import contextlib
import json
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.records import Post
from blogcrawl.storage.state import open_state
from tests.cli.test_bad_input import CRAWL, exported, small_blog, text_of
from tests.conftest import Cli, clean_environment
from tests.server import Rule, Server


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[Server]:
    small_blog(tmp_path / "site")
    with Server(tmp_path / "site") as server:
        yield server


@dataclass(frozen=True)
class Archived:
    """A small blog that was crawled; its site is gone from the net."""

    folder: Path
    url: str
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    folder = tmp_path_factory.mktemp("crawled")
    small_blog(folder / "site")
    evil = "Small \x1b]0;owned\x07 &#27;[2J Blog"
    for name in ("feed.xml", "index.html"):
        path = folder / "site" / name
        path.write_text(
            path.read_text().replace(
                "Small Blog",
                evil if name == "index.html" else evil.replace("\x1b", "").replace("\x07", ""),
            )
        )
    with Server(folder / "site") as server:
        command = [sys.executable, "-m", "blogcrawl", "crawl", server.url, *CRAWL]
        done = subprocess.run(
            command,
            cwd=folder,
            env=clean_environment(),
            capture_output=True,
            text=True,
        )
        return Archived(folder, server.url, done)


@pytest.fixture
def archived(crawled: Archived, tmp_path: Path) -> Archived:
    """A copy of its own for each test, in the folder that ``cli`` works in."""
    shutil.copytree(crawled.folder / "archive", tmp_path / "archive")
    return crawled


def test_crawl_prints_a_summary_of_a_new_blog(crawled: Archived) -> None:
    done = crawled.done
    assert done.returncode == 0, done
    assert all(" posts · " in line for line in done.stderr.splitlines()), (
        "only progress, as a busy machine needs more than ten seconds"
    )
    summary = dict(line.split(None, 1) for line in done.stdout.splitlines())
    assert summary["posts"] == "14 new"
    assert (
        summary["missing"] == "0"
        and summary["archive"] == "./archive"
        and summary["blog"] == crawled.url
    )
    assert "requests" in summary["fetched"] and summary["status"]


def test_list_and_show_print_the_archived_posts(cli: Cli, archived: Archived) -> None:
    listed = cli("list")
    assert "14" in listed.out and archived.url in listed.out and "Small" in listed.out
    assert cli("list", "--json").json[0]["posts"] == 14
    shown = cli("show", "small")
    assert "14, 2020-06-09 to 2020-06-14" in shown.out
    post = cli("show", f"{archived.url}2020/14/letter-14.html#comments")
    assert "Letter number 14" in post.out and text_of(14)[:60] in post.out
    assert (
        cli("show", f"{archived.url}2020/14/letter-14.html", "--json").json["post"]["title"]
        == "Letter number 14 from the thread"
    )


def test_show_reports_posts_that_only_one_source_lists(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    config = Config(archive=str(tmp_path / "archive"))
    state = open_state(config)
    blog = next(state.blogs())
    last = list(state.crawls(blog.id))[-1]
    state.end_crawl(
        replace(
            last,
            report={
                **last.report,
                "contradictions": ["sitemap lists 3 posts that the feed pages lack"],
            },
        )
    )
    state.close()
    assert (
        "sources differ: sitemap lists 3 posts that the feed pages lack" in cli("show", "small").out
    )


def test_control_characters_in_titles_are_escaped(cli: Cli, archived: Archived) -> None:
    for done in (cli("list"), cli("show", archived.url)):
        assert "owned" in done.out
        assert not set("\x1b\x07") & set(done.out + done.err)


def test_export_prints_jsonl(cli: Cli, archived: Archived, tmp_path: Path) -> None:
    written = cli("export", "-o", "posts.jsonl", "--blog", archived.url)
    assert written.code == 0 and "14 posts" in written.err
    lines = cli("export").out
    assert (tmp_path / "posts.jsonl").read_text() == lines
    assert not list(tmp_path.glob("*.part"))
    identifiers = ["blog_id", "post_id", "aip_id", "aip_version"]
    for line in lines.splitlines():
        assert list(json.loads(line)) == identifiers + [field.name for field in fields(Post)]


def test_closed_output_pipe_ends_export_quietly(archived: Archived, tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m blogcrawl export | head -c 10 >/dev/null"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""


def test_verify_reports_damage_and_changes_nothing(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    verified = cli("verify", "--deep", "--report", "report.html")
    assert verified.code == 0 and "<html" in (tmp_path / "report.html").read_text().lower()
    victim = next((tmp_path / "archive" / "packages").rglob("source.html"))
    victim.write_bytes(victim.read_bytes().replace(b"<p>", b"<b>", 1))
    done = cli("verify", "--deep")
    assert done.code == 10 and "source.html" in done.out and "nothing was changed" in done.err
    next((tmp_path / "archive" / "packages").rglob("post.json")).unlink()
    report = cli("verify", "--json")
    assert report.code == 10 and report.json["ok"] is False


def test_verify_names_a_damaged_search_index(cli: Cli, archived: Archived, tmp_path: Path) -> None:
    index = tmp_path / "archive" / "search.db"
    whole = index.read_bytes()
    for damaged in (whole[:-100], whole[:4096] + bytes(4096) + whole[8192:], b"no database"):
        index.write_bytes(damaged)
        done = cli("verify")
        assert done.code == 10 and "search.db" in done.out and "index --rebuild" in done.out
    index.unlink()
    done = cli("verify")
    assert done.code == 0 and "search.db is missing: `blogcrawl index` makes it" in done.out
    assert cli("index").code == 0 and "search.db" not in cli("verify").out


def test_start_up_needs_little_cpu_time(archived: Archived, tmp_path: Path) -> None:
    """CPU time at its best of five, by that of a Python which does nothing."""

    def spent() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    def best(*args: str) -> float:
        times = []
        for _ in range(5):
            began = spent()
            subprocess.run(
                [sys.executable, *args],
                cwd=tmp_path,
                env=clean_environment(),
                check=True,
                capture_output=True,
            )
            times.append(spent() - began)
        return min(times)

    bare = best("-c", "import asyncio, json, sqlite3")
    assert best("-m", "blogcrawl", "--version") < 3.5 * bare
    assert best("-m", "blogcrawl", "list") < 20 * bare


def test_list_loads_neither_scrapy_nor_parsers(archived: Archived, tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "blogcrawl", "list"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), check=True, capture_output=True, text=True
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "blogcrawl.storage.state" in loaded
    assert not loaded & {"scrapy", "twisted", "lxml.html", "numpy", "httpx"}


def test_log_file_is_in_the_archive(archived: Archived, tmp_path: Path) -> None:
    assert "Spider opened" in (tmp_path / "archive" / "crawls" / "blogcrawl.log").read_text()


def test_known_blogs_are_updated(cli: Cli, blog: Server, tmp_path: Path) -> None:
    def spider(*args: str) -> str:
        done = cli(*args, "--json", *CRAWL)
        assert done.code == 0, done
        return str(done.json["crawls"][0]["crawl"]["spider"])

    assert spider("crawl", blog.url) == "newcrawl"
    assert spider("crawl", blog.url) == "updatecrawl"
    assert spider("update") == "updatecrawl"
    assert spider("crawl", "--full", blog.url) == "newcrawl"
    assert len(exported(cli)) == 14


def test_one_unreachable_blog_does_not_stop_the_others(cli: Cli, blog: Server) -> None:
    done = cli("crawl", blog.url, "http://no-such-host.invalid/", *CRAWL)
    assert done.code == 3, done
    assert "14 new" in done.out and "no-such-host.invalid" in done.err
    assert len(exported(cli)) == 14


def test_post_limit_is_kept_and_the_next_crawl_resumes(cli: Cli, blog: Server) -> None:
    done = cli("crawl", "--max-posts", "8", blog.url, *CRAWL)
    assert done.code == 0 and "limit reached" in done.out, done
    assert 8 <= len(exported(cli)) < 14
    assert cli("crawl", blog.url, *CRAWL).code == 0
    assert len(exported(cli)) == 14


def start(blog: Server, folder: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "blogcrawl",
        "crawl",
        blog.url,
        "--delay",
        "0.1",
        "--render",
        "never",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        command, cwd=folder, env=clean_environment(), text=True, stdin=subprocess.DEVNULL, **pipes
    )


def wait_for(blog: Server, wanted: str) -> None:
    """Until the server was asked for a page whose path holds ``wanted``."""
    while not any(wanted in path for path in blog.paths()):
        time.sleep(0.05)


def test_ctrl_c_once_saves_and_prints_how_to_resume(cli: Cli, blog: Server, tmp_path: Path) -> None:
    running = start(blog, tmp_path)
    wait_for(blog, "letter-11")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130, out + err
    assert "Traceback" not in err
    assert "to resume:" in err and f"crawl {blog.url}" in err
    before = set(blog.paths())
    assert len(before) < 18
    assert cli("crawl", blog.url, *CRAWL).code == 0
    assert len(exported(cli)) == 14
    assert cli("verify", "--deep").code == 0


def test_ctrl_c_twice_stops_at_once(cli: Cli, blog: Server, tmp_path: Path) -> None:
    blog.rules = [Rule(path="/2020/0[1-8]/.*", delay=3600.0)]
    running = start(blog, tmp_path)
    wait_for(blog, "letter-9")  # the last quick one
    running.send_signal(signal.SIGINT)
    for pause in (0.5, *[30] * 9):
        running.send_signal(signal.SIGINT)  # one that comes too soon after another is one with it
        with contextlib.suppress(subprocess.TimeoutExpired):
            out, err = running.communicate(timeout=pause)
            break
    assert running.returncode == 130, out + err
    assert "Traceback" not in err
    blog.rules = []
    assert cli("crawl", blog.url, *CRAWL).code == 0
    assert len(exported(cli)) == 14


def test_completion_scripts_work(cli: Cli) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_BLOGCRAWL_COMPLETE" in cli("completion", shell).out
    done = cli(
        env={
            "COMP_WORDS": "blogcrawl cr",
            "COMP_CWORD": "1",
            "_BLOGCRAWL_COMPLETE": "bash_complete",
        }
    )
    assert "crawl" in done.out


def test_lists_of_blogs_are_crawled_from_files_and_standard_input(cli: Cli, tmp_path: Path) -> None:
    small_blog(tmp_path / "site")
    with Server(tmp_path / "site") as server:
        outline = f'<outline htmlUrl="{server.url}" xmlUrl="{server.url}feed.xml"/>'
        (tmp_path / "blogs.opml").write_text(f"<opml><body>{outline}</body></opml>")
        (tmp_path / "blogs.txt").write_text(f"# mine\n{server.url}\n\n")
        crawl = ("crawl", *CRAWL, "--max-posts", "2", "--json")
        by_name = cli(*crawl, "blogs.opml", "blogs.txt")
        with (tmp_path / "blogs.txt").open() as stream:
            piped = cli(*crawl, "-", stdin=stream)
    assert [one["url"] for one in by_name.json["crawls"]] == [server.url, server.url]
    assert [one["url"] for one in piped.json["crawls"]] == [server.url]


def test_lists_without_blogs_are_usage_errors(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing\n")
    for name in ("empty.txt", "absent.opml", "-"):
        done = cli("crawl", name)
        assert done.code == 2 and len(done.err.splitlines()) == 1, done


def test_misspelled_commands_get_a_suggestion(cli: Cli) -> None:
    done = cli("udpate")
    assert done.code == 2 and "did you mean update?" in done.err
    assert "did you mean" not in cli("xyzzy").err
    assert "did you mean max_posts?" in cli("list", "--set", "max_post=1").err
