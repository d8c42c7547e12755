"""The blog's language: that of most of its text, corrected by updates and by the operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cli
from tests.crawling.blog import Entry, entries, write_blog
from tests.server import Server

pytest.importorskip("fasttext", reason="fasttext-predict is not installed")

CRAWL = ("--delay", "0", "--render", "never", "--archive", "a", "--json")
OPTIONS = ("--archive", "a", "--json")
GERMAN = (
    "Letzte Woche haben wir die Küche gestrichen, und die Katze ist durch die Farbe gelaufen, "
    "bevor wir die Tür schließen konnten. Die Spuren führen vom Wohnzimmer bis zur Treppe. "
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    root = tmp_path / "site"
    root.mkdir()
    with Server(root) as server:
        yield server


def posts(english: int, german: int) -> list[Entry]:
    every = entries(english + german)
    return [*every[:english], *(replace(entry, text=GERMAN * 9) for entry in every[english:])]


def write(server: Server, english: int, german: int) -> None:
    assert server.root is not None
    write_blog(server.root, posts(english, german), base=server.url.rstrip("/"))


def record(cli: Cli, blog: str) -> tuple[str, str, float]:
    found = cli("show", blog, *OPTIONS).json["blog"]["record"]
    said = found["extraction"]["language"]
    return found["language"], said["method"], said["confidence"]


def of_posts(cli: Cli, blog: str) -> Counter[str]:
    shown: list[dict[str, Any]] = cli("show", blog, *OPTIONS).json["posts"]
    return Counter(post["language"] for post in shown)


def test_update_that_changes_the_majority_corrects_the_language(server: Server, cli: Cli) -> None:
    write(server, english=8, german=1)
    cli("crawl", server.url, *CRAWL)
    language, method, share = record(cli, server.url)
    assert (language, method) == ("en", "posts") and 0.5 < share < 1

    write(server, english=8, german=7)  # fewer posts than in English, and more text
    cli("update", server.url, *CRAWL)
    assert of_posts(cli, server.url) == {"en": 8, "de": 7}
    language, method, share = record(cli, server.url)
    assert (language, method) == ("de", "posts") and 0.5 < share < 1


def test_operators_language_reaches_archived_posts_and_is_withdrawn(
    server: Server, cli: Cli
) -> None:
    write(server, english=4, german=0)
    cli("crawl", server.url, *CRAWL)
    cli("correct", server.url, "--language", "br", *OPTIONS)
    cli("crawl", server.url, "--full", *CRAWL)
    assert of_posts(cli, server.url) == {"br": 4}
    assert record(cli, server.url) == ("br", "operator", 1.0)
    cli("correct", server.url, "--remove", "language", *OPTIONS)
    cli("crawl", server.url, "--full", *CRAWL)
    assert of_posts(cli, server.url) == {"en": 4}
    assert record(cli, server.url)[:2] == ("en", "posts")
