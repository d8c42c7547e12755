"""Guesses at a sitemap: asked where lists are wanted, not where the posts lead to one another."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from blogcrawl.discovery.knowledge import BROKE_OFF
from blogcrawl.frontier.coverage import POSTS_PER_LIST
from tests.crawling.blog import entries, page, put, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

COUNT = 23
MAP = "/sitemap.xml"


def archived(archive: Path) -> set[str]:
    return set(rows(archive))


def paths_of(count: int) -> set[str]:
    return {entry.path.rstrip("/") for entry in entries(count)}


def chain(root: Path, count: int) -> None:
    """Each post leads to the one before it and after it, as many themes do."""
    posts = entries(count)
    for at, entry in enumerate(posts):
        near = [posts[i].path for i in (at - 1, at + 1) if 0 <= i < count]
        file = root / entry.path.strip("/") / "index.html"
        links = "".join(
            f'<p class="way"><a href="{path}">a neighbouring post</a></p>' for path in near
        )
        file.write_text(file.read_text("utf-8").replace("</main>", f"</main>{links}"), "utf-8")


def test_unlisted_sitemap_finds_posts_without_links(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), sitemap=True)
        for file in [root / "index.html", *(root / "page").rglob("*.html")]:  # the list breaks off
            file.write_text(re.sub(r'<a rel="next".*?</a>', "", file.read_text("utf-8")), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
        assert server.paths().count(MAP) == 1
    assert row.outcome == "finished" and row.report["missing"] == []
    assert archived(tmp_path / "archive") == paths_of(COUNT)


def test_search_index_of_a_theme_finds_posts_without_links(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        for file in [root / "index.html", *(root / "page").rglob("*.html")]:  # the list breaks off
            text = re.sub(r'<a rel="next".*?</a>', "", file.read_text("utf-8"))
            file.write_text(
                text.replace("</body>", '<script>search({path: "/search.json"})</script></body>'),
                "utf-8",
            )
        (root / "search.json").write_text(
            json.dumps([{"title": entry.title, "url": entry.path} for entry in entries(COUNT)])
        )
        row = crawl(server.url, tmp_path / "archive")
        assert server.paths().count("/search.json") == 1 and MAP not in server.paths()
    assert row.outcome == "finished" and row.report["missing"] == []
    assert archived(tmp_path / "archive") == paths_of(COUNT)


def test_sitemap_index_is_read_with_its_sitemaps(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        base = server.url.rstrip("/")
        write_blog(root, entries(COUNT), base=base, sitemap=True)
        (root / "sitemap.xml").rename(root / "posts-sitemap.xml")
        children = "".join(
            f"<sitemap><loc>{base}/{name}.xml</loc></sitemap>"
            for name in ("posts-sitemap", "tags-sitemap")
        )
        (root / "sitemap.xml").write_text(
            f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'
        )
        for file in [root / "index.html", *(root / "page").rglob("*.html")]:
            file.write_text(re.sub(r'<a rel="next".*?</a>', "", file.read_text("utf-8")), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
        asked = server.paths()
    assert archived(tmp_path / "archive") == paths_of(COUNT) and row.report["missing"] == []
    assert "/posts-sitemap.xml" in asked and "/tags-sitemap.xml" not in asked


def divided_map(root: Path, base: str, parts: int) -> None:
    """Put an index of sitemaps in place of the sitemap, which is divided among these."""
    locs = re.findall(r"<url>.*?</url>", (root / "sitemap.xml").read_text("utf-8"), re.DOTALL)
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    for part in range(parts):
        text = f"<urlset {space}>{''.join(locs[part::parts])}</urlset>"
        (root / f"map{part}.xml").write_text(text, "utf-8")
    maps = "".join(f"<sitemap><loc>{base}/map{part}.xml</loc></sitemap>" for part in range(parts))
    (root / "sitemap.xml").write_text(f"<sitemapindex {space}>{maps}</sitemapindex>", "utf-8")


@pytest.mark.parametrize("is_cut", [False, True])
def test_crawl_is_not_complete_before_all_sitemaps_of_an_index_are_read(
    root: Path, tmp_path: Path, is_cut: bool
) -> None:
    with Server(root) as server:
        base = server.url.rstrip("/")
        write_blog(root, entries(43), base=base, sitemap=True)
        for file in [root / "index.html", *(root / "page").rglob("*.html")]:  # the list breaks off
            file.write_text(re.sub(r'<a rel="next".*?</a>', "", file.read_text("utf-8")), "utf-8")
        divided_map(root, base, 3)
        if is_cut:
            last = root / "map2.xml"
            last.write_text(last.read_text("utf-8").partition("</url>")[0] + "</url>", "utf-8")
        row = crawl(server.url, tmp_path / "archive")
    found, completeness = archived(tmp_path / "archive"), row.report["completeness"]
    if is_cut:
        assert found < paths_of(43) and (completeness["share"] or 0) < 0.95
        assert [page["reason"] for page in row.report["unread"]] == [BROKE_OFF]
    else:
        assert found == paths_of(43) and completeness["share"] > 0.99


def test_closed_chain_of_posts_needs_no_candidate_sources(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), sitemap=True)
        chain(root, COUNT)
        row = crawl(server.url, tmp_path / "archive")
        assert MAP not in server.paths()
    assert archived(tmp_path / "archive") == paths_of(COUNT)
    assert "link to one another" in row.report["stop"]["detail"]


def test_chain_of_many_posts_is_verified_with_a_candidate_sitemap(
    root: Path, tmp_path: Path
) -> None:
    count = POSTS_PER_LIST + 2
    with Server(root) as server:
        write_blog(root, entries(count + 5), base=server.url.rstrip("/"), sitemap=True)
        hidden = entries(count + 5)[:5]  # in the sitemap, and nowhere else
        posts = entries(count + 5)[5:]
        write_blog(root, posts, base=server.url.rstrip("/"))
        for at, entry in enumerate(posts):
            file = root / entry.path.strip("/") / "index.html"
            near = "".join(
                f'<p class="way"><a href="{posts[i].path}">neighbour</a></p>'
                for i in (at - 1, at + 1)
                if 0 <= i < len(posts)
            )
            file.write_text(file.read_text("utf-8").replace("</main>", f"</main>{near}"), "utf-8")
        crawl(server.url, tmp_path / "archive")
        assert server.paths().count(MAP) == 1
    assert {entry.path.rstrip("/") for entry in hidden} <= archived(tmp_path / "archive")


def test_failing_candidate_source_is_no_error(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path=MAP, body="<html><body>Welcome</body></html>")]
        row = crawl(server.url, tmp_path / "archive")
        assert server.paths().count(MAP) == 1
    assert archived(tmp_path / "archive") == paths_of(COUNT)
    assert row.counts.get("errors", 0) == 0 and row.report["missing"] == []


@pytest.mark.parametrize("path", ["/1984.html", "/blog/ibm/"])
def test_odd_addresses_that_only_a_sitemap_has_are_read(path: str, tmp_path: Path) -> None:
    """A post called like the list of a year, and one of letters next to numbered ones."""
    (root := tmp_path / "site").mkdir()
    posts = entries(14)
    usual = "/{}.html" if path == "/1984.html" else "/blog/p{}/"
    paths = {e.number: usual.format(e.number + 100) for e in posts}
    if path == "/1984.html":
        paths = {e.number: f"/a-note-on-the-{e.title.split()[1]}-{e.number}.html" for e in posts}
    paths[3] = path
    with Server(root) as server:
        base = server.url.rstrip("/")
        write_blog(root, posts, base=base, feed=6, per_page=20)
        pages, links, urls = [], "", ""
        for entry in posts:
            text = (root / entry.path.strip("/") / "index.html").read_text("utf-8")
            pages.append(Rule(path=re.escape(paths[entry.number]), body=text))
            urls += f"<url><loc>{base}{paths[entry.number]}</loc></url>"
            if entry.number != 3:
                links += f'<li><a href="{paths[entry.number]}">{entry.title}</a></li>'
        feed = (root / "feed.xml").read_text("utf-8")
        for entry in posts:
            feed = feed.replace(f"{base}{entry.path}", f"{base}{paths[entry.number]}")
        (root / "feed.xml").write_text(feed, "utf-8")
        (root / "sitemap.xml").write_text(f"<urlset>{urls}</urlset>", "utf-8")
        put(root, "/", page("Notes", f"<ul>{links}</ul>"))
        server.rules = [*pages, Rule(path="/2024/.*", status=404)]
        crawl(server.url, tmp_path / "archive")
    assert set(rows(tmp_path / "archive")) == {one.rstrip("/") for one in paths.values()}
