"""The pages of the reading room, asked as applications without a server."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import lxml.html
import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.records import Comment
from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging import ids
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow, VisitRow
from blogcrawl.web.app import captured_files, reading_room
from blogcrawl.web.catalogue import BlogQuery, Catalogue
from tests.packaging.samples import BLOG, MOMENT, PNG, comment, entry
from tests.web.archive import BLOG_ID, FILES, Sample, ask, make

POST = ids.entry_id("https://blog.example/post-0")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    made = make(tmp_path_factory.mktemp("room"))
    yield made
    made.state.close()


def page(sample: Sample, path: str, status: int = 200, **options: object) -> lxml.html.HtmlElement:
    answer = ask(reading_room(sample.room), path, **options)
    assert answer.status_code == status, answer.text
    return lxml.html.fromstring(answer.content.decode())


def words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def test_blogs_with_their_numbers_and_completeness(sample: Sample) -> None:
    row = words(page(sample, "/").xpath("//tbody/tr")[0])
    for part in (
        "A <blog> & more",
        "pt-BR · wordpress",
        "incomplete",
        "75.0 %",
        "a <reason>",
        "ok",
    ):
        assert part in row


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=MORE", 1),
        ("q=blog.example", 1),
        ("q=100%25", 0),
        ("language=pt-BR", 1),
        ("language=de", 0),
        ("platform=wordpress&health=ok&order=posts", 1),
    ],
)
def test_blogs_are_filtered(sample: Sample, query: str, found: int) -> None:
    assert len(page(sample, "/?" + query).xpath("//tbody/tr")) == found


@pytest.mark.parametrize(
    "order", ["title", "posts", "comments", "last_crawl", "health", "nonsense"]
)
def test_blogs_are_ordered(sample: Sample, order: str) -> None:
    assert page(sample, f"/?order={order}").xpath("//tbody/tr")


def test_blog_lists_its_posts_newest_first(sample: Sample) -> None:
    found = page(sample, f"/blog/{BLOG_ID}")
    titles = [words(link) for link in found.cssselect(".posts a")]
    assert titles == ["Post 2 <of> many", "Post 1 <of> many", "Post 0 <of> many"]
    assert not page(sample, f"/blog/{BLOG_ID}?month=2025").cssselect(".posts a")
    assert len(page(sample, f"/blog/{BLOG_ID}?month=2026-01").cssselect(".posts a")) == 3


def test_what_is_missing_has_its_reason(sample: Sample) -> None:
    text = words(page(sample, f"/blog/{BLOG_ID}/missing"))
    for part in ("HTTP 500", "the rule for published finds nothing", "22 %", "the author asked"):
        assert part in text


def test_crawls_and_rules(sample: Sample) -> None:
    assert "all was read" in words(page(sample, f"/blog/{BLOG_ID}/crawls"))
    assert "No rules" in words(page(sample, f"/blog/{BLOG_ID}/rules"))


def test_post_with_picture_from_the_second_origin(sample: Sample) -> None:
    found = page(sample, f"/post/{POST}")
    assert found.cssselect(".byline time")[0].get("dir") == "ltr"  # also in a page to the left
    text = words(found)
    for part in ("Post 0 <of> many", "Ann, Bob", "3 comments", "Reader 1", "//h1", "0.90"):
        assert part in text
    [link] = {a.get("href") for a in found.xpath("//a[contains(., 'a.png')]")}
    assert link.startswith(FILES)
    answer = ask(captured_files(sample.room.captures), link.removeprefix(FILES))
    assert answer.content == PNG and answer.headers["content-type"] == "image/png"
    assert answer.headers["content-security-policy"].startswith("sandbox;")


def test_archived_html_is_a_download(sample: Sample) -> None:
    found = page(sample, f"/post/{POST}")
    [link] = found.xpath("//a[contains(., 'data/source.html')]/@href")
    answer = ask(captured_files(sample.room.captures), link.removeprefix(FILES))
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_files_need_a_signed_address(sample: Sample) -> None:
    app = captured_files(sample.room.captures)
    place = f"{POST}/1/representations/web/data/source.html"
    assert ask(app, f"/forged/{place}").status_code == 404
    link = sample.room.captures.link(POST, 1, "METS.xml").removeprefix(FILES)
    assert ask(app, link).status_code == 200
    assert ask(app, link.replace("METS.xml", "metadata/other/post.json")).status_code == 404


def test_downloads_and_citations(sample: Sample) -> None:
    app, place = reading_room(sample.room), f"/post/{POST}/v/1"
    package = zipfile.ZipFile(io.BytesIO(ask(app, place + "/aip.zip").content))
    assert package.testzip() is None and any(n.endswith("METS.xml") for n in package.namelist())
    assert ask(app, place + "/marc.xml").content.startswith(b"<?xml")
    assert r"title = {{Post 0 <of> many}}" in ask(app, place + "/cite.bib").text
    assert "TY  - BLOG\r\nAU  - Ann\r\n" in ask(app, place + "/cite.ris").text
    [item] = json.loads(ask(app, place + "/cite.json").content)
    assert item["issued"] == {"date-parts": [[2026, 1, 1]]} and item["type"] == "post-weblog"
    assert ask(app, place + "/cite.exe").status_code == 404


def test_approximate_date_is_marked_wherever_it_is_read(tmp_path: Path) -> None:
    sample = make(tmp_path, 1)
    about = read_written("2012~")
    said = replace(comment(1), published=read_written("2013-02~"))
    uuid = sample.archive_post(entry(9, post_changes={"published": about, "comments": (said,)}), 1)
    app, place = reading_room(sample.room), f"/post/{uuid}"
    shown = page(sample, place)
    times = {(time.get("datetime"), time.text) for time in shown.iterfind(".//article//time")}
    assert times == {("2012", "~2012"), ("2013-02", "~2013-02")}
    assert "~2012" in words(page(sample, f"/blog/{BLOG_ID}"))
    assert "  date = {2012~}," in ask(app, place + "/v/1/cite.bib").text
    assert "DA  - 2012///approximate\r\n" in ask(app, place + "/v/1/cite.ris").text
    [item] = json.loads(ask(app, place + "/v/1/cite.json").content)
    assert item["issued"] == {"date-parts": [[2012]], "circa": True}


def test_captured_pages_are_offered_where_there_are_records(tmp_path: Path) -> None:
    """Not where the blog's evidence is of other pages: the link would lead nowhere."""
    made = make(tmp_path)
    app, place = reading_room(made.room), f"/post/{POST}/v/1/page.warc.gz"
    assert place not in ask(app, f"/post/{POST}").text
    url = "https://blog.example/post-0"
    made.add_evidence("c0", {"https://blog.example/": (b"text/html", b"the blog")})
    assert place not in ask(app, f"/post/{POST}").text
    assert ask(app, place).status_code == 404
    made.add_evidence("c1", {url: (b"text/html", b"the page")})
    assert place in ask(app, f"/post/{POST}").text
    records = ArchiveIterator(io.BytesIO(ask(app, place).content))
    assert [record.content_stream().read() for record in records] == [b"the page"]


def test_a_post_taken_down_shows_its_tombstone(sample: Sample) -> None:
    found = page(sample, "/post/" + ids.entry_id("https://blog.example/secret"), 410)
    assert "the author asked" in words(found) and "the archivist" in words(found)


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/blog/none", "/blog/none/missing", f"/post/{BLOG_ID}", f"/post/{POST}/v/7"],
)
def test_what_is_not_there(sample: Sample, path: str) -> None:
    assert "nothing here" in words(page(sample, path, 404))


def test_an_earlier_version_names_the_newest(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = make(tmp_path_factory.mktemp("versions"), 1)
    uuid = made.archive_post(entry(9), 1)
    made.archive_post(entry(9, post_changes={"title": "Changed"}), 2)
    assert "version 1 of 2" in words(page(made, f"/post/{uuid}/v/1"))
    assert "Changed" in words(page(made, f"/post/{uuid}"))
    made.state.close()


def test_a_damaged_package_is_told_of(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    made = make(folder, 1)
    for file in (folder / "packages").rglob("post.json"):
        file.write_bytes(b"{")
    assert "can't be read" in words(page(made, f"/post/{POST}", 500))
    made.state.close()


def test_threads_are_shown_in_order_and_paged(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = make(tmp_path_factory.mktemp("thread"), 1)
    comments = tuple(comment(n, n - 1 if n else None) for n in range(450))
    uuid = made.archive_post(entry(5, post_changes={"comments": comments[::-1]}))
    first = page(made, f"/post/{uuid}")
    shown = first.cssselect(".comment")
    assert len(shown) == 200 and "Reader 0" in words(shown[0])
    assert {element.get("class") for element in shown[8:]} == {"comment depth8"}
    last = page(made, f"/post/{uuid}?comments=2").cssselect(".comment")
    assert len(last) == 50 and "answers Reader 448" in words(last[-1])
    made.state.close()


def test_an_address_in_many_comments_is_looked_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(tmp_path, 1)
    html = '<p><a href="https://blog.example/post-0">there</a></p>'
    comments = tuple(Comment(id=str(n), content_text="there", content_html=html) for n in range(90))
    uuid = made.archive_post(entry(5, post_changes={"comments": comments}))
    asked: list[str] = []
    get_post = SqlState.get_post

    def counted(state: SqlState, blog_id: str, key: str) -> PostRow | None:
        asked.append(key)
        return get_post(state, blog_id, key)

    monkeypatch.setattr(SqlState, "get_post", counted)
    links = page(made, f"/post/{uuid}").cssselect(".comment p a")
    assert {link.get("href") for link in links} == {f"/post/{POST}"} and len(links) == 90
    assert len(asked) < 10
    made.state.close()


def test_no_style_and_script_inside_pages(sample: Sample) -> None:
    for path in ("/", f"/blog/{BLOG_ID}", f"/post/{POST}", f"/blog/{BLOG_ID}/missing"):
        answer = ask(reading_room(sample.room), path)
        assert not re.search(r"<style|<script(?! src)|\sstyle=|\son[a-z]+=", answer.text)
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_other_names_are_refused(sample: Sample, host: str) -> None:
    app = reading_room(sample.room, hosts=["archive.example"])
    assert ask(app, "/", headers={"host": host}).status_code == 421
    for ours in ("localhost:8080", "127.0.0.1", "[::1]:80", "Archive.example"):
        assert ask(app, "/", headers={"host": ours}).status_code == 200


def test_robots_are_told_no_and_files_are_kept(sample: Sample) -> None:
    app = reading_room(sample.room)
    assert ask(app, "/robots.txt").text == "User-agent: *\nDisallow: /\n"
    [style] = lxml.html.fromstring(ask(app, "/").content).xpath("//link[@rel='stylesheet']/@href")
    assert "immutable" in ask(app, style).headers["cache-control"]
    assert ask(app, "/static/..%2Froom.py").status_code == 404


def test_nothing_is_written(sample: Sample) -> None:
    assert ask(reading_room(sample.room), "/", "POST").status_code == 405


def test_paging_goes_through_every_post_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = make(tmp_path_factory.mktemp("paging"), 1)
    made.state.save_blog(BlogRow(id="many", url="https://many.example/", health="new"))
    same = datetime(2020, 5, 1, tzinfo=UTC)
    rows = [
        PostRow(
            blog_id="many",
            url=f"https://many.example/{number}",
            published=None if number % 7 == 0 else same.replace(day=1 + number % 3),
        )
        for number in range(100)
    ]
    made.state.save(*rows)
    seen: list[str] = []
    after = ""
    while True:
        found = Catalogue(made.state).find_posts("many", after=after, limit=9)
        seen += [post.url for post in found.posts]
        after = found.after
        if not after:
            break
    assert sorted(seen) == sorted(row.url for row in rows)
    dated = [row for row in rows if row.published]
    assert set(seen[: len(dated)]) == {row.url for row in dated}
    assert Catalogue(made.state).find_blogs(BlogQuery(order="posts")).blogs[0].posts == 100
    made.state.close()


def test_blog_title_is_text(sample: Sample) -> None:
    assert BLOG.title in words(page(sample, f"/blog/{BLOG_ID}").cssselect("h1")[0])


def test_the_next_visit_is_that_of_the_schedule(tmp_path: Path) -> None:
    made = make(tmp_path, 1)
    due = datetime(2026, 6, 3, 4, 5, tzinfo=UTC)
    Schedule(made.state).add_blogs(
        [VisitRow(blog_id=BLOG_ID, url="https://blog.example/", host="x", next_visit=due)]
    )
    assert "2026-06-03 04:05" in ask(reading_room(made.room), f"/blog/{BLOG_ID}").text
    made.state.close()


def test_sites_that_posts_link_to_are_plotted(tmp_path: Path) -> None:
    made = make(tmp_path)
    app, place = reading_room(made.room), f"/blog/{BLOG_ID}/plots"
    assert "Sites that posts link to" not in ask(app, place).text
    for row, links in zip(
        made.state.posts(BLOG_ID), [("a.example", "b.example"), ("a.example",)], strict=False
    ):
        made.state.save_post(replace(row, links=links))
    assert "Sites that posts link to (posts): a.example 2, b.example 1" in ask(app, place).text


def test_plots_of_posts_over_time_and_of_crawls(tmp_path: Path) -> None:
    made = make(tmp_path, 3)
    for number in (2, 3):
        made.state.save(
            CrawlRow(
                id=f"c{number}",
                blog_id=BLOG_ID,
                spider="updatecrawl",
                started=MOMENT,
                ended=MOMENT,
                counts={"requests": 90 + number, "posts_changed": 1},
            )
        )
    for row in list(made.state.posts(BLOG_ID)):
        made.state.save_post(replace(row, letters=1234))
    page = lxml.html.fromstring(
        ask(reading_room(made.room), f"/blog/{BLOG_ID}/plots?lang=de").content
    )
    captions = [one.text for one in page.iter("figcaption")]
    assert "Buchstaben eines Beitrags im Mittel" in captions and len(captions) == 6
    said = [one.text for one in page.xpath("//*[local-name()='title']")]
    assert any("1.234 Buchstaben" in one for one in said)
    assert any("93 Anfragen" in one for one in said)
    assert any("9.300 Anfragen" in one for one in said)
    english = ask(reading_room(made.room), f"/blog/{BLOG_ID}/plots").text
    assert "Letters of a post, on average" in english
    made.state.close()


def test_links_between_posts_stay_in_the_archive(tmp_path: Path) -> None:
    made = make(tmp_path, 2)
    html = (
        '<p><a href="https://blog.example/post-1">one</a> <a href="https://blog.example/x">x</a>'
        ' <a href="https://other.example/post-1">other</a></p>'
    )
    uuid = made.archive_post(entry(8, post_changes={"content_html": html}))
    page = lxml.html.fromstring(ask(reading_room(made.room), f"/post/{uuid}").content)
    assert [a.get("href") for a in page.cssselect(".content a")] == [
        f"/post/{ids.entry_id('https://blog.example/post-1')}",
        "https://blog.example/x",
        "https://other.example/post-1",
    ]
    made.state.close()


def test_what_is_heard_names_languages_and_numbers(sample: Sample) -> None:
    """Titles in the language of their blog; a plot's text has its span and highest bar, and the
    numbers are a table; a meter says nothing that the number next to it says.
    """
    [title] = page(sample, "/").xpath("//tbody//a[starts-with(@href, '/blog/')]")
    assert title.get("lang") == "pt-BR"
    blog = page(sample, f"/blog/{BLOG_ID}")
    assert blog.xpath("//h1/@lang") == ["pt-BR"]
    assert set(blog.xpath("//ol[@class='posts']//a/@lang")) == {"pt-BR"}
    plots = page(sample, f"/blog/{BLOG_ID}/plots")
    label = plots.cssselect("svg.plot")[0].get("aria-label")
    assert label == "Posts per month, from 2026-01 to 2026-01; most: 3 (2026-01)"
    [row] = plots.xpath("//details//tbody/tr")
    assert [cell.text_content() for cell in row][:2] == ["2026-01", "3"]
    post = page(sample, f"/post/{POST}")
    assert not post.xpath("//meter[not(@aria-hidden)]")
    assert post.xpath("//li[@id='print']/@hidden")
