"""Redirects that a site gives to all addresses of a kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from blogcrawl.crawling.middlewares.usual_moves import UsualMoves, UsualMovesMiddleware
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

H = "http://b.example"


def moves(*seen: tuple[str, str | None]) -> UsualMoves:
    made = UsualMoves()
    for url, target in seen:
        made.learn(url, target)
    return made


SLASHES = [(f"{H}/post-{n}", f"{H}/post-{n}/") for n in range(3)]
SECURE = [(f"{H}/post-{n}/", f"https://b.example/post-{n}/") for n in range(3)]


@pytest.mark.parametrize(
    ("seen", "url", "target"),
    [
        (SLASHES, "/a/tea", f"{H}/a/tea/"),
        (SLASHES[:2], "/a/tea", None),
        ([*SLASHES, (f"{H}/plain", None)], "/a/tea", None),
        ([*SLASHES, (f"{H}/old", f"{H}/new/")], "/a/tea", None),
        ([*SLASHES, (f"{H}/a/", None), (f"{H}/b.html", None)], "/a/tea", f"{H}/a/tea/"),
        (SLASHES, "/a/tea.html", None),
        (SLASHES, "/a/tea/", None),
        (SLASHES, "/a/tea?page=2", None),
        (SECURE, "/a/tea?page=2", "https://b.example/a/tea?page=2"),
        ([*SECURE, (f"{H}/plain/", None)], "/a/tea", None),
        ([*SECURE, (f"{H}/x/", "https://www.b.example/x/")], "/a/tea", None),
    ],
)
def test_redirect_is_known_where_all_went_the_same_way(
    seen: list[tuple[str, str | None]], url: str, target: str | None
) -> None:
    made = moves(*seen)
    assert made.target(H + url) == target
    assert made.target("http://other.example" + url) is None


@pytest.mark.parametrize("location", ["http://[", "http://[::1", "", "mailto:a@b.example"])
def test_redirect_to_no_address_is_left_to_others(location: str) -> None:
    middleware = UsualMovesMiddleware(get_crawler())
    request = Request(f"{H}/post-9")
    response = Response(request.url, status=301, headers={"Location": location})
    for url, target in SLASHES:
        middleware.moves.learn(url, target)
    assert middleware.process_response(request, response) is response
    assert middleware.moves.target(f"{H}/a/tea") is None


COUNT = 30


@pytest.mark.parametrize("plain", [0, 1])
def test_feed_without_slashes_costs_one_request_a_post(plain: int, tmp_path: Path) -> None:
    """``plain``: posts that are no folders: nothing is at their address with a slash."""
    root = tmp_path / "site"
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        for file in root.rglob("*"):
            if file.is_file() and file.suffix in {".xml", ".html"}:
                text = file.read_text("utf-8")
                for entry in entries(COUNT):
                    text = text.replace(entry.path, entry.path.rstrip("/"))
                file.write_text(text, "utf-8")
        folders, files = entries(COUNT)[plain:], entries(COUNT)[:plain]
        server.rules = [
            *(
                Rule(path=one.path.rstrip("/"), status=301, headers={"Location": one.path})
                for one in folders
            ),
            *(Rule(path=one.path, status=404) for one in files),
            *(
                Rule(path=one.path.rstrip("/"), file=f"{one.path.strip('/')}/index.html")
                for one in files
            ),
        ]
        row = crawl(server.url, tmp_path / "archive")
        paths = server.paths()
    assert row.counts["posts_archived"] == COUNT and not row.report["missing"]
    assert rows(tmp_path / "archive").keys() == {e.path.rstrip("/") for e in entries(COUNT)}
    asked = [path for path in paths if path in {one.path.rstrip("/") for one in folders}]
    assert len(asked) < COUNT / 2
