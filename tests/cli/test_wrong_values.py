"""Values that fit their type and make no sense: a usage error, not a traceback, a hang or a silent
guess.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from blogcrawl.cli.controller import controller, is_node
from blogcrawl.cli.nodes import blogs, jobs
from blogcrawl.cli.onepage import fetched
from blogcrawl.cli.options import Moment, config_from
from blogcrawl.cli.report import report
from blogcrawl.core.config import Config
from blogcrawl.core.errors import RefusedError, UnreachableError, UsageError
from blogcrawl.crawling.arguments import parse_since
from blogcrawl.storage.deposit import open_target
from blogcrawl.storage.lookup import find_blog
from blogcrawl.storage.state import open_state
from tests.conftest import ROOT


@pytest.mark.parametrize(
    "pair",
    ["media=maybe", "max_posts=-1", "render_tabs=-1", "delay_seconds=nan", "render_seconds=inf"],
)
def test_nonsensical_settings_are_usage_errors(pair: str) -> None:
    with pytest.raises(UsageError, match=pair.partition("=")[0].upper()):
        config_from(pair)


@pytest.mark.parametrize(
    ("word", "wanted"), [("no", False), ("OFF", False), ("0", False), ("Yes", True), ("1", True)]
)
def test_boolean_settings_accept_words_for_yes_and_no(word: str, wanted: bool) -> None:
    assert config_from(f"media={word}").media is wanted


def test_pause_must_be_a_number() -> None:
    with pytest.raises(UsageError, match="--delay"):
        config_from(delay_seconds=float("nan"))


@pytest.mark.parametrize("url", ["http://x:abc", "http://", "x", "http://x:99999", "http://[x"])
def test_invalid_node_urls_are_refused(url: str) -> None:
    assert not is_node(url) and is_node("http://127.0.0.1:6800")


@pytest.mark.parametrize(
    "args",
    [
        (controller, "--pause", "-1"),
        (controller, "--base-hours", "0"),
        (controller, "--lease", "0"),
        (controller, "--host-budget", "0"),
        (jobs, "--limit", "-1"),
        (blogs, "--limit", "0"),
        (report, "--limit", "-1"),
    ],
)
def test_numbers_out_of_range_are_usage_errors(args: tuple[object, ...]) -> None:
    command, *words = args
    done = CliRunner().invoke(command, words)  # type: ignore[arg-type]
    assert done.exit_code == 2 and "not in the range" in done.output


@pytest.mark.parametrize(
    "url",
    [
        "folder:",
        "bag:",
        "zip://",
        "s3:",
        "s3://",
        "fedora+http://h:abc/rest",
        "inveniordm+http://t@h:abc/api",
    ],
)
def test_deposit_targets_without_location_are_usage_errors(url: str) -> None:
    with pytest.raises(UsageError):
        open_target(url)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("20140301", "2014-03-01"),
        ("2014-03-01", "2014-03-01"),
        ("1393632000", "2014-03-01"),
        ("2014-03-01T23:30:00-01:00", "2014-03-02"),
    ],
)
def test_commands_and_spiders_parse_dates_alike(text: str, day: str) -> None:
    parsed = parse_since(text)
    assert parsed is not None and f"{parsed.astimezone(UTC):%Y-%m-%d}" == day
    assert Moment().convert(text, None, None) == parsed


def test_empty_blog_name_is_a_usage_error(tmp_path: Path) -> None:
    from blogcrawl.storage.tables import BlogRow

    state = open_state(Config(archive=str(tmp_path)))
    state.save_blog(BlogRow(id="1", url="http://a.test/"))
    assert find_blog(state, "a.test").id == "1"
    with pytest.raises(UsageError):
        find_blog(state, "")
    state.close()


def test_redirect_into_the_private_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        return (
            httpx.Response(302, headers={"Location": "http://inside.example/"})
            if request.headers["Host"] == "blog.example"
            else httpx.Response(200)
        )

    def resolve(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", ("10.0.0.1" if host == "inside.example" else "93.184.216.34", 0))]

    real = httpx.Client
    monkeypatch.setattr(httpx, "Client", lambda **more: real(transport=httpx.MockTransport(answer)))
    monkeypatch.setattr("socket.getaddrinfo", resolve)
    with pytest.raises(RefusedError, match="private"):
        fetched("http://blog.example/", Config())


def test_unreachable_host_is_not_blamed_on_robots_txt() -> None:
    with pytest.raises(UnreachableError):
        fetched("http://127.0.0.1:9/x", Config())


def test_closed_pipe_exits_with_141_silently() -> None:
    """``blogcrawl --help | true``: the exit code of a closed pipe, and not a word."""
    script = (
        "import sys; sys.stdin.read(); from blogcrawl.cli.main import run; "
        "run(['completion', 'bash'])"
    )
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdout.close()
    process.stdin.close()
    errors = process.stderr.read()
    assert (process.wait(), errors) == (141, b"")
