"""Sites that redirect links for their last slash: whole crawls."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, post, rows
from tests.server import Rule, Server

COUNT = 23


def slashless(server: Server) -> None:
    """A blog whose links lack the slash that its server wants."""
    assert server.root is not None
    write_blog(server.root, entries(COUNT), base=server.url.rstrip("/"))
    for file in server.root.rglob("*.html"):
        text = file.read_text("utf-8")
        file.write_text(
            re.sub(r'href="((?:http://127[^"/]*)?/[^".]+)/"', r'href="\1"', text), "utf-8"
        )


def redirects(server: Server) -> int:
    return sum(hit.status == 301 for hit in server.log())


def test_two_redirects_establish_the_trailing_slash(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        slashless(server)
        row = crawl(server.url, tmp_path / "archive")
        assert 2 <= redirects(server) < COUNT / 2
    assert row.outcome == "finished" and row.report["missing"] == []
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in entries(COUNT)}


def test_page_without_trailing_slash_is_not_lost(root: Path, tmp_path: Path) -> None:
    odd = entries(COUNT)[3].path.rstrip("/")
    with Server(root) as server:
        slashless(server)
        body = (root / odd.strip("/") / "index.html").read_text("utf-8")
        server.rules = [Rule(path=odd + "/", status=404), Rule(path=odd, body=body)]
        row = crawl(server.url, tmp_path / "archive")
    assert row.report["missing"] == [] and odd in rows(tmp_path / "archive")
    assert row.counts["posts_archived"] == COUNT


def test_failing_robots_txt_is_requested_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blogcrawl.crawling.robots.TROUBLE_SECONDS", 0.0)
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [
            Rule(path="/robots.txt", status=503, times=8)
        ]  # more often than one request is tried
        row = crawl(server.url, tmp_path / "archive")
        assert [hit.path for hit in server.log()][:8] == ["/robots.txt"] * 8
    assert row.outcome == "finished" and row.counts["posts_archived"] == COUNT


def test_list_pages_with_the_first_as_canonical_are_followed(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), feed=3)
        for number in (3, 4, 5):
            file = root / "page" / str(number) / "index.html"
            text = file.read_text("utf-8")
            file.write_text(
                text.replace("</head>", '<link rel="canonical" href="/page/2/"></head>')
            )
        crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in entries(COUNT)}


@pytest.mark.parametrize("is_twin_first", [True, False])
def test_posts_have_the_address_that_they_declare(
    root: Path, tmp_path: Path, is_twin_first: bool
) -> None:
    posts = entries(COUNT)
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=3)
        for entry in posts:
            declared = f'<link rel="canonical" href="{entry.path}"></head>'
            file = root / entry.path.strip("/") / "index.html"
            body = file.read_text("utf-8").replace("</head>", declared)
            file.write_text(body, "utf-8")
            twin = root / entry.path.strip("/").replace("post-", "a-post-") / "index.html"
            twin.parent.mkdir(parents=True)
            twin.write_text(body.replace("</body>", "<p>Another sidebar</p></body>"), "utf-8")
        for file in root.glob("page/*/index.html"):
            text = file.read_text("utf-8")
            twins = text.replace("/post-about", "/a-post-about")
            both = (twins, text) if is_twin_first else (text, twins)
            bodies = [each.partition("<body>")[2].partition("</body>")[0] for each in both]
            file.write_text(text.partition("<body>")[0] + "<body>" + "".join(bodies), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in posts}
    assert row.report["missing"] == []


def test_declared_addresses_like_those_of_posts_are_asked_for(root: Path, tmp_path: Path) -> None:
    """Lists lead to another address of each post, in the folder of a section."""
    posts = entries(COUNT)
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=3)
        for entry in posts:
            declared = f'<link rel="canonical" href="{entry.path}"></head>'
            body = (root / entry.path.strip("/") / "index.html").read_text("utf-8")
            other = root / "walks" / f"about-{entry.number}" / "index.html"
            other.parent.mkdir(parents=True)
            other.write_text(body.replace("</head>", declared), "utf-8")
            for page in root.glob("page/*/index.html"):
                text = page.read_text("utf-8")
                page.write_text(text.replace(f'"{entry.path}"', f'"/walks/about-{entry.number}/"'))
        crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in posts}


def test_declared_addresses_unlike_those_of_posts_are_asked_for(root: Path, tmp_path: Path) -> None:
    """A few posts of another section: neither of their addresses is like those of the others."""
    posts, others = entries(COUNT + 3)[:COUNT], entries(COUNT + 3)[COUNT:]
    with Server(root) as server:
        write_blog(root, entries(COUNT + 3), base=server.url.rstrip("/"), feed=0)
        write_blog(root, posts, base=server.url.rstrip("/"), feed=3)
        rules, links = [], ""
        for entry in others:
            body = (root / entry.path.strip("/") / "index.html").read_text("utf-8")
            declared = f'<link rel="canonical" href="/item.php?e={entry.number}"></head>'
            body = body.replace("</head>", declared)
            shutil.rmtree(root / entry.path.strip("/"))
            one, two = f"/essays/old/{entry.number}", f"/item.php?e={entry.number}"
            rules += [Rule(path=re.escape(path), body=body) for path in (one, two)]
            links += f'<a href="{one}">{entry.title}</a> '
        about = root / "about" / "index.html"
        about.write_text(about.read_text("utf-8").replace("</body>", f"{links}</body>"), "utf-8")
        server.rules = rules
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive").keys() - {entry.path.rstrip("/") for entry in posts}
    assert found == {f"/item.php?e={entry.number}" for entry in others}


def test_declared_addresses_that_give_nothing_are_not_asked_for_each_post(
    root: Path, tmp_path: Path
) -> None:
    """A theme cuts ".html" off in ``rel=canonical``, its host does not."""
    posts = entries(COUNT)
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=3)
        for entry in posts:
            file = root / entry.path.strip("/") / "index.html"
            gone = f'<link rel="canonical" href="{entry.path.rstrip("/")}-gone"></head>'
            file.write_text(file.read_text("utf-8").replace("</head>", gone), "utf-8")
        crawl(server.url, tmp_path / "archive")
        asked = [hit.path for hit in server.log() if hit.path.endswith("-gone")]
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in posts}
    assert 0 < len(asked) < COUNT / 2


def test_posts_have_the_form_of_the_address_that_they_declare(root: Path, tmp_path: Path) -> None:
    """Links name the folder or the file in it, now this, now that first."""
    posts = entries(COUNT)
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=3)
        for number, entry in enumerate(posts):
            file = root / entry.path.strip("/") / "index.html"
            declared = '<link rel="canonical" href="index.html"></head>'
            file.write_text(file.read_text("utf-8").replace("</head>", declared), "utf-8")
            for page in root.glob("page/*/index.html") if number % 2 else ():
                text = page.read_text("utf-8")
                page.write_text(text.replace(f'{entry.path}"', f'{entry.path}index.html"'))
        crawl(server.url, tmp_path / "archive")
        found = [post(tmp_path / "archive", row).url for row in rows(tmp_path / "archive").values()]
    in_feed = 3
    assert len(found) == COUNT
    assert sum(url.endswith("/index.html") for url in found) == COUNT - in_feed


def test_redirect_to_a_dead_site_is_no_missing_post(root: Path, tmp_path: Path) -> None:
    """Short links of the blog's own to other sites, some of which are gone."""
    posts = entries(COUNT)
    short = f"{posts[3].path.rstrip('/')}-elsewhere/"
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"))
        file = root / posts[0].path.strip("/") / "index.html"
        link = f'<p><a href="{short}">as they said</a> '
        file.write_text(file.read_text("utf-8").replace("<p>", link, 1), "utf-8")
        server.rules = [
            Rule(path=short, status=302, headers={"Location": "http://gone.invalid/page"})
        ]
        row = crawl(server.url, tmp_path / "archive")
        assert short in server.paths()
    assert row.report["missing"] == [] and row.report["completeness"]["status"] == "complete"
