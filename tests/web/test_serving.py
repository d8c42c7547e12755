"""``blogcrawl serve`` as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.packaging import ids
from blogcrawl.web.app import reading_room
from blogcrawl.web.replays import Replays
from blogcrawl.web.serving import bound
from tests.web.archive import BLOG_ID, ask, make


def test_serve_opens_answers_and_closes(tmp_path: Path) -> None:
    make(tmp_path / "archive", 2).state.close()
    command = [sys.executable, "-m", "blogcrawl", "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        [*command, "--archive", str(tmp_path / "archive")], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            text = ""
            while '"url"' not in text or "}" not in text:
                text += server.stdout.readline()
            places = json.loads(text)
            blog = httpx.get(f"{places['url']}/blog/{BLOG_ID}", timeout=300)
            assert blog.status_code == 200 and "Post 1" in blog.text
            assert places["files"] in blog.headers["content-security-policy"]
            assert places["files"] != places["url"]
            assert httpx.get(places["files"] + "/", timeout=300).status_code == 404
            assert httpx.post(places["url"], timeout=300).status_code == 405
            named = httpx.get(places["url"], headers={"host": "evil.example"}, timeout=300)
            assert named.status_code == 421
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait() == 0


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "blogcrawl", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_serve_refuses_other_machines_without_users(tmp_path: Path) -> None:
    make(tmp_path / "archive", 1).state.close()
    done = run("--archive", str(tmp_path / "archive"), "--host", "0.0.0.0")
    assert done.returncode == 2 and "password" in done.stderr


def test_serve_makes_an_archive_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "none"):
        command = [sys.executable, "-m", "blogcrawl", "serve", "--port", "0", "--json"]
        with subprocess.Popen(
            [*command, "--archive", folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        ) as server:
            assert server.stdout is not None and server.stderr is not None
            try:
                text = ""
                while '"url"' not in text or "}" not in text:
                    text += server.stdout.readline()
                page = httpx.get(json.loads(text)["url"], timeout=300)
            finally:
                server.send_signal(signal.SIGTERM)
            assert server.wait() == 0
            assert "made an empty one" in server.stderr.read()
        assert page.status_code == 200 and "<table" not in page.text
        assert f"blogcrawl crawl --archive {tmp_path / folder} https:" in page.text


def test_serve_makes_no_archive_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"")
    assert run("--archive", str(tmp_path)).returncode == 9
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]


def test_serve_keeps_passwords_off_the_command_line(tmp_path: Path) -> None:
    done = run("--database", "postgresql://a:secret@127.0.0.1/x")
    assert done.returncode == 2 and "secret" not in done.stderr


FAKE = """\
import json, os, sys, time
open(os.environ["LOG"], "a").write(f"{os.getpid()} {sys.argv[-1]}\\n")
if "broken" in sys.argv[-1]:
    sys.exit(9)
print(json.dumps({"url": "", "proxy": f"http://127.0.0.1:{os.getpid()}"}, indent=2), flush=True)
time.sleep(99)
"""


def test_replays_are_started_once_kept_few_and_ended(
    tmp_path: Path,
) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    log, moment = tmp_path / "log", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    with closing(Replays({"LOG": str(log)}, [str(tmp_path / "fake.py")])) as replays:
        first = replays.address("https://a.example/", "https://a.example/x?y=1", moment)
        assert first == replays.address("https://a.example/", "https://a.example/x?y=1", moment)
        assert first.endswith("/blog/20240506070809/https://a.example/x?y=1")
        replays.address("https://b.example/", "https://b.example/", moment)
        replays.address("https://c.example/", "https://c.example/", moment)
        with pytest.raises(BlogcrawlError, match="replay"):
            replays.address("https://broken.example/", "https://broken.example/", moment)
        pids = [int(line.split()[0]) for line in log.read_text().splitlines()]
        assert [is_alive(pid) for pid in pids] == [False, True, True, False]
    assert not any(map(is_alive, pids))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_replay_is_asked_for_by_pages_of_ours_only(tmp_path: Path) -> None:
    made = make(tmp_path / "archive", 1)
    place = f"/post/{ids.entry_id('https://blog.example/post-0')}"
    assert "/replay" not in ask(reading_room(made.room), place).text
    assert ask(reading_room(made.room), f"{place}/v/1/replay").status_code == 404

    class Known(Replays):
        def address(self, blog: str, url: str, moment: datetime) -> str:
            return f"http://127.0.0.1:9/blog/{moment:%Y}/{url}"

    app = reading_room(replace(made.room, replays=Known({})))
    assert f"{place}/v/1/replay" in ask(app, place).text
    answer = ask(app, f"{place}/v/1/replay")
    assert answer.status_code == 303 and answer.headers["location"].endswith("/post-0")
    foreign = ask(app, f"{place}/v/1/replay", headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403
    made.state.close()


def test_answers_are_sent_at_once() -> None:
    async def delay_is_off() -> bool:
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            taken.set_result(bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        listener = bound("127.0.0.1", 0)
        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return await taken

    assert asyncio.run(delay_is_off())
