"""``export --format html``: what the site holds, that it is searched, that nothing acts."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import lxml.html
import pytest

from blogcrawl.core.errors import UsageError
from blogcrawl.crawling.handlers.browser import find_browser
from blogcrawl.storage.export import export, write_folder
from blogcrawl.storage.selection import Export, LeftOut, Selection
from blogcrawl.storage.tables import posts
from blogcrawl.storage.temporary import part_path
from blogcrawl.web.site import PART_BYTES, is_passive, write_site
from tests.conftest import Cli
from tests.packaging.samples import comment, entry
from tests.web import hostile
from tests.web.archive import Sample, make


def write(sample: Sample, target: Path, **selected: datetime) -> int:
    job = Export(sample.state, sample.store, Selection(**selected), target)
    return write_folder(job, "html", write_site)


def folder_of(site: Path) -> Path:
    (folder,) = site.glob("uuid-*")
    return folder


def in_german(sample: Sample, target: Path) -> int:
    job = Export(sample.state, sample.store, Selection(), target)
    return write_folder(job, "html", partial(write_site, language="de"))


def rows(folder: Path) -> list[list[object]]:
    """The search index, as its script gets it."""
    found = []
    for path in sorted(folder.glob("search/*.js")):
        text = path.read_text("ascii")
        assert text.startswith("blogcrawlSearch([") and text.endswith("]);\n")
        found += json.loads(text.removeprefix("blogcrawlSearch(").removesuffix(");\n"))
    return found


def links(path: Path) -> list[Path]:
    tree = lxml.html.document_fromstring(path.read_bytes())
    named = [element.get("href") or "" for element in tree.iter("a", "link")]
    named += [element.get("src") or "" for element in tree.iter("img", "script")]
    return [path.parent / name for name in named if name and ":" not in name]


def test_every_page_is_reached_and_no_link_is_dead(tmp_path: Path) -> None:
    assert write(make(tmp_path / "archive", posts=5), tmp_path / "site") == 5
    waiting, seen = [tmp_path / "site" / "index.html"], set()
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        seen.add(path)
        assert path.is_file(), path
        if path.suffix == ".html":
            waiting += links(path)
    written = {path.resolve() for path in (tmp_path / "site").rglob("*") if path.is_file()}
    assert {path for path in written - seen if path.parent.name != "search"} == set()
    assert len(list(folder_of(tmp_path / "site").glob("media/*"))) == 1


def test_posts_stand_in_lists_by_year_author_and_tag(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive", posts=1)
    sample.archive_post(
        entry(7, post_changes={"authors": ("Ada", "ada", "阿达"), "tags": ("Sea", "C++", "C#")})
    )
    write(sample, tmp_path / "site")
    folder = folder_of(tmp_path / "site")
    index = lxml.html.parse(str(folder / "index.html")).getroot()
    chips = {link.text for link in index.findall(".//ul[@class='chips']/li/a")}
    assert {"2026", "Ada", "ada", "阿达", "Sea", "C++", "C#"} <= chips
    for name in ("ada", "C++", "阿达"):
        (link,) = [a for a in index.iter("a") if a.text == name]
        assert "Post 7 &lt;of&gt; many" in (folder / link.get("href")).read_text()


def test_long_and_deep_threads_are_whole(tmp_path: Path) -> None:
    chain = tuple(comment(i, i - 1 if i else None, content_html="<p>x</p>") for i in range(450))
    sample = make(tmp_path / "archive", posts=1)
    sample.archive_post(entry(7, post_changes={"comments": chain}))
    write(sample, tmp_path / "site")
    pages = [path.read_text() for path in folder_of(tmp_path / "site").glob("posts/*.html")]
    assert max(page.count('<article class="comment') for page in pages) == 450


def test_site_in_german(tmp_path: Path) -> None:
    """Pages that are there in another language do not stay."""
    sample, site = make(tmp_path / "archive", posts=5), tmp_path / "site"
    sample.archive_post(entry(7, post_changes={"published": None}))
    assert write(sample, site) == in_german(sample, site) == 6
    pages = {path: lxml.html.parse(str(path)).getroot() for path in site.rglob("*.html")}
    assert {page.get("lang") for page in pages.values()} == {"de"}
    said = " ".join(page.text_content() for page in pages.values())
    for word in ("Archivierte Blogs", "Beiträge ohne Datum", "Beiträge von", "Fassung 1 seines"):
        assert word in said
    for word in ("Archived", "undated", "comment", "Newest", "Posts", "version"):
        assert not re.search(rf"\b{word}\b", said), word


def test_pages_that_are_there_stay_and_those_of_removed_posts_go(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive")
    write(sample, tmp_path / "site")
    folder = folder_of(tmp_path / "site")
    (folder / "posts" / "mine.txt").write_text("of somebody else")
    before = {path: path.stat().st_mtime_ns for path in folder.glob("posts/*")}
    first = next(row for row in sample.state.posts() if row.aip_id)
    with sample.state.write() as connection:
        connection.execute(posts.delete().where(posts.c.aip_id == first.aip_id))
    assert write(sample, tmp_path / "site") == 2
    after = {path: path.stat().st_mtime_ns for path in folder.glob("posts/*")}
    assert after.items() <= before.items() and len(after) == len(before) - 1
    assert len(rows(folder)) == 2


@pytest.mark.parametrize("place", [".", "assets"])
def test_files_of_a_killed_export_are_removed(place: str, tmp_path: Path) -> None:
    sample = make(tmp_path / "archive")
    write(sample, tmp_path / "site")
    left = part_path(tmp_path / "site" / place / "page.css")
    left.write_text("half")
    write(sample, tmp_path / "site")
    assert not left.exists()


def test_export_of_some_posts_removes_no_others(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive", posts=5)
    write(sample, tmp_path / "site")
    write(sample, tmp_path / "site", since=datetime(2026, 1, 4, tzinfo=UTC))
    assert len(list(folder_of(tmp_path / "site").glob("posts/*"))) == 5


def test_damaged_packages_are_left_out(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive")
    victim = next((tmp_path / "archive").glob("packages/**/post.json"))
    victim.write_text("{")
    left_out = LeftOut()
    job = Export(sample.state, sample.store, Selection(), tmp_path / "site", left_out=left_out)
    count = write_folder(job, "html", write_site)
    assert count == 2 and len(left_out) == 1


def test_search_index_has_bounded_files(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive", posts=1)
    for number in range(2, 50):
        sample.archive_post(entry(number, post_changes={"content_text": "sea " * 20_000}))
    write(sample, tmp_path / "site")
    folder = folder_of(tmp_path / "site")
    parts = list(folder.glob("search/*.js"))
    assert len(parts) == 2 and all(path.stat().st_size < 1.1 * PART_BYTES for path in parts)
    assert len(rows(folder)) == 49
    assert 'data-parts="2"' in (folder / "index.html").read_text()


def test_site_is_searched_in_a_browser(tmp_path: Path) -> None:
    """From a folder, under its own strict policy; without JavaScript there is no form."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = find_browser()
    if program is None:
        pytest.skip("no browser")
    sample = make(tmp_path / "archive", posts=3)
    text = "Die Straße über den Fluß. 東京の天気は晴れ。 An <b>unusual</b> phrase"
    sample.archive_post(entry(7, post_changes={"title": "Über", "content_text": text}))
    write(sample, tmp_path / "site")
    index = (folder_of(tmp_path / "site") / "index.html").as_uri()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.goto(index)
        assert not plain.is_visible("form.search") and plain.is_visible("text=Newest posts")
        page = browser.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(index)
        for query, wanted in (
            ("uber FLUSS", 0),
            ("uber fluß", 1),
            ("天気", 1),
            ('"unusual</b> phrase"', 1),
            ("über nothing-of-this", 0),
        ):
            page.fill("input", query)
            page.press("input", "Enter")
            page.get_by_role("status").filter(has_text=re.compile(r"\d")).wait_for()
            playwright.expect(page.locator("#found li"), query).to_have_count(wanted)
        page.fill("input", "天気")
        page.press("input", "Enter")
        playwright.expect(page.locator("#found mark")).to_have_text("天気")
        page.click("#found a")
        playwright.expect(page.locator("h1")).to_have_text("Über")
        browser.close()
    assert faults == []


def test_nothing_acts_in_the_site(tmp_path: Path) -> None:
    sample = hostile.fill(tmp_path / "archive")
    assert write(sample, tmp_path / "site") == 1 + len(hostile.EVERY)
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 3 * len(hostile.EVERY)
    for path in pages:
        hostile.check(path.read_bytes(), scripts=int(path.parent.name.startswith("uuid-")))
        policy = re.search(
            r'http-equiv="Content-Security-Policy" content="(.*?)"', path.read_text()
        )
        assert policy and "default-src 'none'" in policy[1] and "unsafe" not in policy[1]
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and path.parts != "archive"]
    assert all(tmp_path in path.resolve().parents for path in outside)
    shown = [path for path in pages if path.parent.name in ("posts", "authors")]
    hostile.opened([folder_of(tmp_path / "site") / "index.html", *shown[::2]])


def test_cases_act_where_nothing_protects(tmp_path: Path) -> None:
    """Otherwise the tests above could not fail."""
    for number, case in enumerate(hostile.CASES[:9]):
        (tmp_path / f"{number}.html").write_text(f"<!DOCTYPE html><p>{case}</p>")
    assert len(hostile.acting(tmp_path.glob("*.html"))) >= 5


@pytest.mark.parametrize(
    ("svg", "passive"),
    [
        ("<svg xmlns='http://www.w3.org/2000/svg'><circle r='3' fill='red'/></svg>", True),
        (
            "<svg xmlns='http://www.w3.org/2000/svg'><!-- made by hand --><use href='#a'/></svg>",
            True,
        ),
        ("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", False),
        ("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", False),
        (
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='&#106;avascript:alert(1)'/></svg>",
            False,
        ),
        ("<svg xmlns='http://www.w3.org/2000/svg'><set attributeName='href' to='x'/></svg>", False),
        (
            "<svg xmlns='http://www.w3.org/2000/svg' xmlns:h='http://www.w3.org/1999/xhtml'>"
            "<h:script>alert(1)</h:script></svg>",
            False,
        ),
        ("<!DOCTYPE svg [<!ENTITY a '<script/>'>]><svg>&a;</svg>", False),
        ("<?xml-stylesheet href='x.xsl'?><svg xmlns='http://www.w3.org/2000/svg'/>", False),
        ("no picture", False),
    ],
)
def test_pictures_that_act_are_not_copied(svg: str, passive: bool) -> None:
    assert is_passive(svg.encode()) is passive


def test_command_writes_the_site(cli: Cli, tmp_path: Path) -> None:
    make(tmp_path / "archive").state.close()
    done = cli("export", "--format", "html", "-o", "site", "--json")
    assert done.code == 0 and done.json["count"] == 3, done
    assert (tmp_path / "site" / "index.html").exists()
    (tmp_path / "file").touch()
    assert cli("export", "--format", "html", "-o", "file").code == 2
    assert cli("export", "--format", "html").code == 2


def test_format_without_a_writer_is_a_usage_error(tmp_path: Path) -> None:
    sample = make(tmp_path / "archive")
    with pytest.raises(UsageError):
        export("html", Export(sample.state, sample.store, Selection(), tmp_path / "site"))


def test_links_between_posts_lead_to_their_pages_of_today(tmp_path: Path) -> None:
    sample, site = make(tmp_path / "archive", posts=3), tmp_path / "site"
    html = (
        '<p><a href="https://blog.example/post-2#c1">two</a> <a href="https://blog.example/x">x</a>'
        ' <a href="https://other.example/post-2">other</a></p>'
    )
    sample.archive_post(entry(8, post_changes={"content_html": html}))

    def led_to() -> list[str]:
        (page,) = folder_of(site).glob("posts/*post-8-*.html")
        tree = lxml.html.document_fromstring(page.read_bytes())
        first, *others = [a.get("href") for a in tree.cssselect(".content a")]
        assert others == ["https://blog.example/x", "https://other.example/post-2"]
        assert (page.parent / first).is_file()
        return first

    write(sample, site)
    before = led_to()
    sample.archive_post(entry(2, post_changes={"content_text": "changed"}), 2, 2)
    write(sample, site)
    assert led_to() != before
    write(sample, tmp_path / "some", since=datetime(2020, 1, 1, tzinfo=UTC))
    for page in folder_of(tmp_path / "some").glob("posts/*post-8-*.html"):
        assert 'href="https://blog.example/post-2#c1"' in page.read_text()
