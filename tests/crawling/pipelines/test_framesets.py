"""A diary in frames, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Cli
from tests.server import Server

TITLES = (
    "A walk",
    "The bridge",
    "Snow at last",
    "Bread again",
    "Going home",
    "A letter",
    "The old mill",
)


def test_blog_in_a_frameset_is_archived(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "diary").mkdir(parents=True)
    (site / "index.html").write_text(
        '<html><head><title>My diary</title></head><frameset cols="9,*"><frame '
        'src="menu.html"><frame src="main.html"></frameset></html>'
    )
    (site / "main.html").write_text("<html><body><h1>My diary</h1><p>Welcome.</p></body></html>")
    links = "".join(
        f'<li><a href="diary/{n}.html" target="main">{title}</a>' for n, title in enumerate(TITLES)
    )
    (site / "menu.html").write_text(f"<html><body><ul>{links}</ul></body></html>")
    for n, title in enumerate(TITLES):
        text = "".join(
            (
                f"<p>Day {n}, part {k}: the river was high, and we went the long way round by the "
                f"mill.</p>"
            )
            for k in range(4)
        )
        (site / "diary" / f"{n}.html").write_text(
            f"<html><head><title>{title}</title></head><body><h2>{title}</h2><i>{n + 1} March "
            f"2004</i>{text}</body></html>"
        )
    with Server(site) as server:
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0", "--render", "never")
        assert done.code == 0, str(done)
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "posts.jsonl").read_text().splitlines()]
    assert sorted(row["title"] for row in rows) == sorted(TITLES)
