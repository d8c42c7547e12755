"""``blogcrawl serve`` as a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from tests.web.archive import BLOG_ID, make


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


def test_serve_needs_an_archive(tmp_path: Path) -> None:
    done = run("--archive", str(tmp_path / "none"))
    assert done.returncode == 9 and not (tmp_path / "none").exists()


def test_serve_keeps_passwords_off_the_command_line(tmp_path: Path) -> None:
    done = run("--database", "postgresql://a:secret@127.0.0.1/x")
    assert done.returncode == 2 and "secret" not in done.stderr
