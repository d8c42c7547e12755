"""What people type and what blogs do to them: one clear line, the documented exit code, nothing
lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Cli, Done
from tests.server import Rule, Server

CRAWL = ("--delay", "0", "--render", "never")
WORDS = (
    "harbour lantern winter letter garden stone river market silver morning kettle window "
    "copper engine thread"
).split()


def page(title: str, body: str, head: str = "") -> str:
    banner = "<header><a href='/'>Small Blog</a></header>"
    return (
        f"<!DOCTYPE html><html><head><title>{title} | Small "
        f"Blog</title>{head}</head><body>{banner}{body}</body></html>"
    )


def text_of(number: int) -> str:
    return " ".join(
        WORDS[(number * 7 + i * 3) % len(WORDS)] + str((number + i) % 5)
        for i in range(60 + 9 * number)
    )


def small_blog(root: Path, count: int = 14, feed_entries: int = 6) -> None:
    """A plain blog: an index with all links, an RSS feed of the newest posts."""
    root.mkdir(parents=True, exist_ok=True)
    items, links = [], []
    for number in range(count, 0, -1):
        title = f"Letter number {number} from the {WORDS[number % len(WORDS)]}"
        body = (
            f"<article class='post'><h1 class='title'>{title}</h1><div "
            f"class='body'><p>{text_of(number)}</p></div></article>"
        )
        path = f"2020/{number:02d}/letter-{number}.html"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(page(title, body))
        links.append(f"<li><a href='/{path}'>{title}</a></li>")
        if len(items) < feed_entries:
            date = f"Mon, {number:02d} Jun 2020 08:00:00 GMT"
            text = f"<content:encoded>&lt;p&gt;{text_of(number)}&lt;/p&gt;</content:encoded>"
            items.append(
                f"<item><title>{title}</title><link>/{path}</link><pubDate>{date}</pubDate>"
                f"{text}</item>"
            )
    head = "<link rel='alternate' type='application/rss+xml' href='/feed.xml'>"
    (root / "index.html").write_text(page("Home", f"<ul>{''.join(links)}</ul>", head))
    namespace = "xmlns:content='http://purl.org/rss/1.0/modules/content/'"
    channel = f"<channel><title>Small Blog</title><link>/</link>{''.join(items)}</channel>"
    (root / "feed.xml").write_text(f"<rss version='2.0' {namespace}>{channel}</rss>")


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[Server]:
    small_blog(tmp_path / "site")
    with Server(tmp_path / "site") as server:
        yield server


def says(done: Done, code: int, *parts: str) -> None:
    """``done`` ended with ``code`` and exactly one line for people, which holds all ``parts``;
    apart from lines of progress, which a crawl writes every ten seconds (a busy machine needs so
    long).
    """
    assert done.code == code, done
    assert "Traceback" not in done.err + done.out, done
    lines = [line for line in done.err.splitlines() if line.strip() and " posts · " not in line]
    assert len(lines) == 1, done
    for part in ("blogcrawl: ", *parts):
        assert part in lines[0], done


NO_URLS = [
    "ftp://example.org/blog",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    "not a url",
    "http://[::1",
    "",
]


@pytest.mark.parametrize("url", NO_URLS)
def test_url_without_http_is_refused(cli: Cli, url: str) -> None:
    done = cli("crawl", url)
    says(done, 2, "URL")


def test_unresolvable_host_is_named(cli: Cli) -> None:
    says(
        cli("crawl", "http://no-such-host.invalid/", *CRAWL),
        3,
        "no-such-host.invalid",
        "does not resolve",
    )


def test_refused_connection_is_named(cli: Cli) -> None:
    with Server() as server:
        url = server.url
    says(cli("crawl", url, *CRAWL), 3, url, "refuse")


def test_missing_start_page_is_named(cli: Cli, blog: Server) -> None:
    says(cli("crawl", blog.url + "nothing/", *CRAWL), 4, "404", blog.url + "nothing/")


def test_site_without_posts_is_no_blog(cli: Cli, blog: Server) -> None:
    blog.rules = [
        Rule(path="/", body=page("Shop", "<p>We sell kettles.</p>")),
        Rule(path=".*", status=404, body="no"),
    ]
    says(cli("crawl", blog.url, *CRAWL), 5, blog.url, "--feed")


def test_html_in_place_of_a_feed_is_named(cli: Cli, blog: Server) -> None:
    says(cli("crawl", blog.url, "--feed", blog.url, *CRAWL), 6, "HTML")


def test_empty_feed_is_named(cli: Cli, blog: Server) -> None:
    blog.rules = [
        Rule(path="/empty.xml", body="<rss version='2.0'><channel><title>x</title></channel></rss>")
    ]
    says(
        cli("crawl", blog.url, "--feed", blog.url + "empty.xml", *CRAWL), 6, "empty.xml", "no entr"
    )


def test_missing_feed_is_named(cli: Cli, blog: Server) -> None:
    says(cli("crawl", blog.url, "--feed", blog.url + "none.xml", *CRAWL), 6, "none.xml", "404")


def test_robots_that_forbid_everything_are_named(cli: Cli, blog: Server) -> None:
    blog.rules = [
        Rule(
            path="/robots.txt",
            body="User-agent: *\nDisallow: /\n",
            headers={"Content-Type": "text/plain"},
        )
    ]
    says(cli("crawl", blog.url, *CRAWL), 7, "robots.txt", blog.url)
    assert [p for p in blog.paths() if p != "/robots.txt"] == []


def exported(cli: Cli, archive: str = "archive") -> list[dict[str, Any]]:
    done = cli("export", "--format", "jsonl", "--archive", archive)
    assert done.code == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


def test_half_of_the_responses_are_500(cli: Cli, blog: Server) -> None:
    blog.rules = [Rule(path=".*", fail_every=2)]
    done = cli("crawl", blog.url, *CRAWL, "--json")
    assert done.code == 0, done
    assert len(exported(cli)) == 14
    assert cli("verify").code == 0


@pytest.mark.parametrize(
    ("status", "code"), [(410, 0), (403, 11)], ids=["the blog's own dead link", "refused"]
)
def test_listed_post_that_is_missing_is_reported(
    cli: Cli, blog: Server, status: int, code: int
) -> None:
    blog.rules = [Rule(path="/2020/14/letter-14.html", status=status, body="no")]
    done = cli("crawl", blog.url, *CRAWL)
    assert done.code == code, done
    assert "letter-14.html" in done.out and str(status) in done.out
    assert len(exported(cli)) == 13


def test_archive_of_a_newer_version_is_refused(cli: Cli, blog: Server, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "blogcrawl-archive.json").write_text(
        '{"layout": 999, "software": "blogcrawl 9.1"}'
    )
    says(cli("crawl", blog.url, *CRAWL), 9, "newer", "9.1")
    says(cli("list"), 9, "newer")


def test_file_in_place_of_the_archive_is_refused(cli: Cli, blog: Server, tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("my letters")
    says(cli("crawl", blog.url, *CRAWL), 9, "file")
    assert (tmp_path / "archive").read_text() == "my letters"


def test_foreign_folder_is_refused(cli: Cli, blog: Server, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "thesis.odt").write_text("years of work")
    says(cli("crawl", blog.url, *CRAWL), 9, "thesis.odt")
    assert os.listdir(tmp_path / "archive") == ["thesis.odt"]


def without_root_powers() -> None:
    """Runs in the child: root loses the capability to write where the permissions forbid it
    (CAP_DAC_OVERRIDE).
    """
    import ctypes

    if os.getuid() == 0:
        pr_capbset_drop, cap_dac_override = 24, 1
        assert ctypes.CDLL(None).prctl(pr_capbset_drop, cap_dac_override, 0, 0, 0) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="root's powers are taken away as Linux does it")
@pytest.mark.parametrize("inside", [False, True], ids=["new", "archive"])
def test_unwritable_archive_is_named(cli: Cli, blog: Server, tmp_path: Path, inside: bool) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    if inside:
        assert cli("crawl", blog.url, *CRAWL, "--max-posts", "2").code == 0
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        says(cli("crawl", blog.url, *CRAWL, preexec_fn=without_root_powers), 9, "archive")
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


FULL_DISK = """
import errno, os
_fsync, _left = os.fsync, [int(os.environ["FSYNCS"])]
def fsync(fd):
    _left[0] -= 1
    if _left[0] < 0:
        raise OSError(errno.ENOSPC, "No space left on device")
    return _fsync(fd)
os.fsync = fsync
"""


@pytest.mark.parametrize("left", [pytest.param(0, marks=pytest.mark.slow), 3])
def test_disk_that_fills_up_is_named(cli: Cli, blog: Server, tmp_path: Path, left: int) -> None:
    """Simulated: from the n-th flush on, the system says that no space is left. Afterwards there is
    space again.
    """
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "sitecustomize.py").write_text(FULL_DISK)
    path = f"{tmp_path / 'full'}{os.pathsep}{ROOT}"
    says(cli("crawl", blog.url, *CRAWL, env={"PYTHONPATH": path, "FSYNCS": str(left)}), 8, "space")
    nothing_lost(cli, blog)


def nothing_lost(cli: Cli, blog: Server) -> None:
    done = cli("crawl", blog.url, *CRAWL)
    assert done.code == 0, done
    assert len(exported(cli)) == 14
    verified = cli("verify", "--deep")
    assert verified.code == 0, verified


@pytest.mark.parametrize("size", ["256k", pytest.param("1m", marks=pytest.mark.slow)])
def test_full_disk_is_named(cli: Cli, blog: Server, tmp_path: Path, size: str) -> None:
    """A real one, where this process may mount a small file system; the simulation above runs
    everywhere.
    """
    archive = tmp_path / "archive"
    archive.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", archive], capture_output=True
    )
    if mounted.returncode:
        return
    try:
        says(cli("crawl", blog.url, *CRAWL, "--set", "storage_wait_seconds=2"), 8, "space")
        subprocess.run(["mount", "-o", "remount,size=200m", archive], check=True)
        nothing_lost(cli, blog)
    finally:
        subprocess.run(["umount", archive], check=True)


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["crawl"], "Missing argument"),
        (["crawl", "--since", "yesterday", "http://127.0.0.1/"], "is no date"),
        (["crawl", "--delay", "-1", "http://127.0.0.1/"], "--delay"),
        (["crawl", "--set", "speed=9", "http://127.0.0.1/"], "speed"),
        (["crawl", "--include", "/posts/\\d+", "http://127.0.0.1/"], "--include"),
        (["crawl", "--exclude", "/tag/.*", "http://127.0.0.1/"], "--exclude"),
        (["https://example.org"], "crawl https://example.org"),
        (["show", "https://example.org/", "--archive", "nowhere"], "nowhere"),
        (["list", "--archive", "nowhere"], "nowhere"),
        (["export", "--format", "papyrus"], "papyrus"),
        (["verify", "--archive", "nowhere"], "nowhere"),
        (["update", "--archive", "nowhere"], "nowhere"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options_are_usage_errors(
    cli: Cli, tmp_path: Path, args: list[str], part: str
) -> None:
    done = cli(*args)
    assert done.code in (2, 9), done
    says(done, done.code, part)
    assert not (tmp_path / "nowhere").exists() and not (tmp_path / "archive").exists()


def test_invalid_environment_setting_is_named(cli: Cli) -> None:
    says(
        cli("crawl", "http://127.0.0.1/", env={"BLOGCRAWL_MAX_POSTS": "many"}),
        2,
        "BLOGCRAWL_MAX_POSTS",
        "many",
    )


def test_failures_are_json_with_json_option(cli: Cli) -> None:
    done = cli("crawl", "ftp://example.org/", "--json")
    assert done.code == 2
    assert done.json["error"]["exit_code"] == 2 and done.json["error"]["kind"] == "UsageError"


def test_crawls_that_fail_are_one_document(cli: Cli, blog: Server) -> None:
    gone = blog.url + "nothing/"
    alone = cli("crawl", gone, *CRAWL, "--json")
    assert alone.code == 4
    assert alone.json["error"] == alone.json["crawls"][0]["error"]
    assert alone.json["error"]["url"] == gone
    both = cli("crawl", gone, blog.url, *CRAWL, "--json")
    assert [crawl["exit_code"] for crawl in both.json["crawls"]] == [4, 0]
    assert "error" not in both.json and both.json["crawls"][0]["error"]["exit_code"] == 4


def test_unexpected_failure_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from blogcrawl.cli import main

    def broken(*args: Any, **how: Any) -> None:
        raise ZeroDivisionError("never\nmind")

    monkeypatch.setattr(main.cli, "main", broken)
    with pytest.raises(SystemExit) as left:
        main.run(["list"])
    assert left.value.code == main.INTERNAL
    assert capsys.readouterr().err.count("\n") == 1
