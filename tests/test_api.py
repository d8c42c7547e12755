"""The Python interface: what docs/python-api.md shows runs, and importing it costs nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas
import pytest

import blogcrawl
from blogcrawl import api
from blogcrawl.core import errors
from blogcrawl.core.config import Config
from blogcrawl.storage.archive import open_archive
from tests.cli.test_bad_input import CRAWL, small_blog
from tests.conftest import ROOT, command
from tests.server import Server
from tests.storage.test_export import POSTS, fill

PAGE = (ROOT / "docs" / "python-api.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    open_archive(Config(archive=str(folder)), now=datetime.now(UTC))
    fill(folder)[0].close()
    return folder


@pytest.fixture
def archive(filled: Path) -> Iterator[api.Archive]:
    with blogcrawl.Archive(filled) as opened:
        yield opened


def test_documented_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blog(tmp_path / "site")
    with Server(tmp_path / "site") as server:
        assert command("crawl", *CRAWL, server.url, cwd=tmp_path).code == 0
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/python-api.md", "exec"), known)
    posts = known["posts"]
    assert isinstance(posts, pandas.DataFrame) and len(posts) == 14
    assert known["per_year"]["size"].sum() == 6  # the others have no date
    assert str(posts["published"].dtype).startswith("datetime64")
    assert known["post"].title == "Letter number 2 from the winter"


def test_import_is_light() -> None:
    code = (
        "import sys; before = set(sys.modules); import blogcrawl; dir(blogcrawl);"
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith("blogcrawl")] == ["blogcrawl"]
    assert not {"lxml", "sqlalchemy", "numpy", "scrapy"} & set(done.stdout.split())


def test_names_are_typed_documented_and_there() -> None:
    stub = ast.parse((ROOT / "blogcrawl" / "__init__.pyi").read_text("utf-8"))
    typed = [a.asname for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names]
    assert sorted(filter(None, typed)) == sorted(blogcrawl.__all__)
    for name in blogcrawl.__all__:
        assert getattr(blogcrawl, name).__doc__
        assert f"`{name}" in PAGE
    with pytest.raises(AttributeError):
        blogcrawl.Crawler  # noqa: B018


def test_documented_errors_exist() -> None:
    named = re.findall(r"^\| `(\w+Error)`", PAGE, re.MULTILINE)
    assert len(named) >= 7
    for name in named:
        assert issubclass(getattr(errors, name), errors.BlogcrawlError)


def test_all_fields_of_a_post_are_documented() -> None:
    section = PAGE.partition("A post has the fields")[2].partition("An archive of a cluster")[0]
    assert set(re.findall(r"`(\w+)`", section)) >= set(api.ArchivedPost.__dataclass_fields__)


def test_blogs_and_posts_are_read(archive: api.Archive) -> None:
    [blog] = archive.blogs()
    assert blog.posts == POSTS and archive.blog(blog.title or "") == blog
    posts = list(archive.posts())
    assert len(posts) == POSTS and {post.blog for post in posts} == {blog.url}
    assert max(len(post.comments) for post in posts) == 100
    dates = [post.published for post in posts if post.published]
    assert dates == sorted(dates) and posts == list(archive.posts(blog.id))


def test_posts_are_selected_by_date(archive: api.Archive) -> None:
    day = datetime(2026, 1, 3)  # without a zone: UTC
    assert len(list(archive.posts(since=day))) == 4
    assert len(list(archive.posts(until=day))) == 2
    assert len(list(archive.posts(since=day, until=day + timedelta(days=1)))) == 1


def test_posts_are_read_one_at_a_time(
    archive: api.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []
    original = api.read_post
    monkeypatch.setattr(api, "read_post", lambda *given: read.append(given) or original(*given))
    posts = archive.posts()
    assert read == []
    next(posts)
    assert len(read) == 1


def test_post_by_address_and_id(archive: api.Archive) -> None:
    post = next(archive.posts())
    assert post == archive.post(post.canonical_url) == archive.post(post.id)
    assert post == archive.post(f"urn:uuid:{post.id}")
    for name in ("https://elsewhere.test/", "00000000-0000-0000-0000-000000000000", "", "letter"):
        with pytest.raises(errors.NotFoundError):
            archive.post(name)
    with pytest.raises(LookupError):
        next(archive.posts("no such blog"))


def test_reading_makes_no_archive(tmp_path: Path) -> None:
    with pytest.raises(errors.ArchiveError):
        blogcrawl.Archive(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_comments_of_a_page_are_extracted() -> None:
    text = "<p>" + "The harbour was silent and the lantern burned all night. " * 12 + "</p>"
    comment = (
        "<li class='comment' id='comment-{0}'><cite class='fn'>Ada {0}</cite>"
        "<p>Thank you {0}.</p></li>"
    )
    html = (
        f"<title>A night</title><article class='post'><h1>A night</h1>{text}</article>"
        f"<ol class='commentlist'>{comment.format(1)}{comment.format(2)}</ol>"
    )
    post = blogcrawl.extract(html, "https://blog.example.org/2020/01/a-night")
    assert post.title == "A night" and "lantern" in post.content_text
    assert [c.author for c in post.comments] == ["Ada 1", "Ada 2"]


def test_text_is_read_as_text_whatever_charset_it_declares() -> None:
    text = "Größe und Stärke " * 40
    html = f"<meta charset='latin-1'><title>x</title><article><h1>Über</h1><p>{text}</p></article>"
    assert "Größe" in blogcrawl.extract(html, "https://a.test/1").content_text


def test_pages_outside_the_feed_are_no_posts() -> None:
    with pytest.raises(errors.FeedError):
        blogcrawl.learn("<html>no feed", {})
