"""The rule inspector: what each method said of an archived page, drawn apart from the room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.explain import Explanation, Opinion, Winner, explain
from blogcrawl.extraction.model import Hints, learn_blog
from blogcrawl.web import inspector
from blogcrawl.web.app import captured_files, reading_room
from blogcrawl.web.captured import HEADERS
from blogcrawl.web.gate import Doors
from blogcrawl.web.outline import outlined_alone
from tests.induction.themes import Truth, generate
from tests.packaging.samples import entry
from tests.web.archive import BLOG_ID, FILES, Sample, ask, make

HOSTILE = (
    b"<img src=http://live.example/x.png onerror=alert(1)><link rel=stylesheet href=//live.example>"
    b"<script>alert(1)</script><iframe src=//live.example></iframe><base href=//live.example/>"
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sample, str, Truth]]:
    """An archive with rules, a post of theirs, and the post's values."""
    made, blog = make(tmp_path_factory.mktemp("inspected"), 1), generate("inside")
    page, truth = blog.rest[0]
    model = learn_blog(blog.samples, Hints(home=blog.home)).to_json()
    row = made.state.get_blog(BLOG_ID)
    assert row is not None
    made.state.save_blog(replace(row, model={"model": model}))
    source = page.body.replace(b"</body>", HOSTILE + b"</body>")
    assert source != page.body
    uuid = made.archive_post(entry(50, source=source, post_changes={"url": page.url}))
    yield made, uuid, truth
    made.state.close()


def test_what_each_method_said_and_where(archive: tuple[Sample, str, Truth]) -> None:
    sample, uuid, truth = archive
    room = sample.room
    app = reading_room(room)
    place = f"/post/{uuid}/v/1/inspect"
    assert f'href="{place}"' in ask(app, f"/post/{uuid}").text
    page = lxml.html.fromstring(ask(app, place, params={"field": "title"}).content)
    assert [h.text_content() for h in page.iter("h2")] == ["title"]
    rows = [" ".join(row.text_content().split()) for row in page.xpath("//tbody/tr")]
    assert rows[0].startswith(f"rules chosen {truth.title}")
    assert any(row.startswith("generic") for row in rows)
    assert "the rule was right on" in page.text_content()
    [frame] = page.iter("iframe")
    address = frame.get("src").removeprefix(FILES)
    answer = ask(captured_files(room.captures), address)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'") and "allow-" not in policy
    drawn = answer.text
    assert "outline:3px solid" in drawn and "title: generic" in drawn
    assert "title: rules" in drawn and "content: rules" not in drawn
    body = lxml.html.fromstring(drawn)
    for tag in ("script", "iframe", "link", "img[@src]", "*[@onerror]"):
        assert not body.xpath(f"//{tag}"), tag


def test_the_api_has_what_the_page_says(archive: tuple[Sample, str, Truth]) -> None:
    sample, uuid, truth = archive
    room = sample.room
    found = ask(reading_room(room), f"/api/posts/{uuid}/inspection", params={"field": "title"})
    said = [one for one in found.json()["said"] if one["field"] == "title"]
    [won] = [one for one in said if one["won"]]
    assert (won["method"], won["value"]) == ("rules", truth.title) and won["rule"]
    assert "generic" in {one["method"] for one in said if not one["won"]}
    assert "the rule was right on" in found.json()["extraction"]["title"]["why"]
    drawn = ask(captured_files(room.captures), found.json()["drawn"].removeprefix(FILES)).text
    assert "outline:3px solid" in drawn and "title: generic" in drawn


@pytest.mark.parametrize("query", ["field=%00", "field='--", "version=x", "version=-1"])
def test_no_parameter_breaks_the_api(archive: tuple[Sample, str, Truth], query: str) -> None:
    sample, uuid, _ = archive
    assert ask(reading_room(sample.room), f"/api/posts/{uuid}/inspection?{query}").json()["said"]


def test_a_title_that_the_content_leaves_out_is_outlined() -> None:
    blog = generate("inside")
    page, _ = blog.rest[0]
    model = learn_blog(blog.samples, Hints(home=blog.home))
    explanation = explain(page, model)
    [title] = [one for one in explanation.winners if one.field == "title"]
    explanation = replace(
        explanation, left_out=(f"//*[. = {page.tree.xpath(f'string({title.rule})')!r}]",)
    )
    for field in ("", "title", "content"):
        drawn, _ = outlined_alone(page, explanation, field, "mark")
        [node] = lxml.html.fromstring(drawn).xpath(title.rule)
        style, label = node.get("style", ""), node.get("data-blogcrawl", "")
        outline = style.rpartition("outline:")[2]
        assert outline.startswith("3px solid #c2185b") == (field != "content")
        assert ("excluded" in label) == (field != "title")


def test_where_another_method_found_a_text_is_outlined() -> None:
    page = Page(
        url="https://blog.example/1",
        body=b"<body><p class=site>A <b>site</b> \n name</p><h2> A site  name </h2><h1>Post</h1>",
    )
    other = FieldValue(value="A site name", method="svm", confidence=0.4, rule="svm title")
    explanation = Explanation(
        page.url,
        True,
        0.9,
        "",
        (Opinion("title", "svm", 0.4, "A site name", "svm title", False),),
        (Winner("title", "rules", 0.9, "//h1", "so"),),
        {"svm": {"title": [other]}},
    )
    drawn = lxml.html.fromstring(outlined_alone(page, explanation, "title", "mark")[0])
    assert drawn.xpath("//h2[contains(@style, '2px dashed')]/@data-blogcrawl") == [
        "title: svm (0.40) svm title"
    ]
    assert drawn.xpath("//h1[contains(@style, '3px solid')]")
    assert len(drawn.xpath("//@data-blogcrawl")) == 2


@pytest.mark.parametrize(
    ("field", "value", "rule", "place"),
    [
        ("published", datetime(2011, 2, 27, tzinfo=UTC), "line near heading", "//p[@class='top']"),
        ("published", datetime(2011, 3, 1, 9, tzinfo=UTC), "time", "//time"),
        ("authors", ["Ann Lee"], "class who", "//span"),
        ("authors", ["Ann Lee"], "microdata author", "//i"),
        ("title", "A  fine post", "svm title", "//h2"),
        ("authors", ["Ann"], "meta author", None),
        ("published", datetime(2012, 2, 27, tzinfo=UTC), "url", None),
    ],
)
def test_where_other_methods_found_days_and_names(
    field: str, value: Any, rule: str, place: str | None
) -> None:
    page = Page(
        url="https://blog.example/1",
        body=b"<html lang=de><body><h1>Post</h1><h2>A <b>fine</b> post</h2>"
        b"<p class=top>Ann on Februar 27, 2011</p><time datetime=2011-03-01>neulich</time>"
        b"<span class='x who'>by Ann Lee</span><i itemprop=author>Text: Ann Lee</i>"
        b"<p>2010 and 1 more line.</p>",
    )
    other = FieldValue(value=value, method="generic", confidence=0.4, rule=rule)
    said = Opinion(field, "generic", 0.4, str(value), rule, False)
    explanation = Explanation(page.url, True, 0.9, "", (said,), (), {"generic": {field: [other]}})
    drawn = lxml.html.fromstring(outlined_alone(page, explanation, field, "mark")[0])
    assert drawn.xpath("//*[@data-blogcrawl]") == (drawn.xpath(place) if place else [])


def test_elements_in_one_whose_name_has_a_colon_are_outlined() -> None:
    page = Page(
        url="https://blog.example/1", body=b"<body><o:p><h1>Post</h1></o:p><o:p><p>A line.</p>"
    )
    winner = Winner("title", "rules", 0.9, "//o:p/h1", "so")
    explanation = Explanation(page.url, True, 0.9, "", (), (winner,), {})
    drawn = lxml.html.fromstring(outlined_alone(page, explanation, "title", "mark")[0])
    assert drawn.xpath("//h1[contains(@style, '3px solid')]")


def test_all_fields_are_outlined(archive: tuple[Sample, str, Truth]) -> None:
    sample, uuid, _ = archive
    room = sample.room
    page = lxml.html.fromstring(ask(reading_room(room), f"/post/{uuid}/v/1/inspect").content)
    assert {"title", "published", "content"} <= {h.text_content() for h in page.iter("h2")}
    [frame] = page.iter("iframe")
    drawn = ask(captured_files(room.captures), frame.get("src").removeprefix(FILES)).text
    assert "content: rules" in drawn and "title: rules" in drawn and "dashed #777" in drawn


SHEETS = {
    "https://blog.example/style.css?v=2": b"@import url('print.css') print; @import 'more.css';"
    b"h1{color:red} /*</style><script>alert(1)</script><!--*/",
    "https://blog.example/more.css": b"p{color:green;background:url(http://live.example/x)}",
    "https://blog.example/print.css": b"nav{display:none}",
    "https://blog.example/old.css": b"b{color:blue}",
    "https://blog.example/other.css": b"i{color:blue}",
}
STYLED = (
    b"<head><link rel='stylesheet' href='style.css?v=2'><style media=screen>"
    b'@import "/old.css"; u{color:red}</style><link rel=stylesheet href=lost.css>'
    b"<link rel='alternate stylesheet' href=other.css>"
)


def test_the_page_has_the_styles_of_the_evidence(tmp_path: Path) -> None:
    made, blog = make(tmp_path, 1), generate("inside")
    model = learn_blog(blog.samples, Hints(home=blog.home)).to_json()
    row = made.state.get_blog(BLOG_ID)
    assert row is not None
    made.state.save_blog(replace(row, model={"model": model}))
    source = blog.rest[0][0].body.replace(b"<head>", STYLED)
    changes = {"url": "https://blog.example/a"}
    uuid = made.archive_post(entry(50, source=source, post_changes=changes))
    made.add_evidence("c1", {url: (b"text/css", css) for url, css in SHEETS.items()})
    room = made.room
    answer = ask(reading_room(room), f"/post/{uuid}/v/1/inspect")
    assert "Some of its style sheets were not archived." in answer.text
    [frame] = lxml.html.fromstring(answer.content).iter("iframe")
    place = frame.get("src").removeprefix(FILES)
    page = lxml.html.fromstring(ask(captured_files(room.captures), place).text)
    styles = [
        (style.get("media"), " ".join((style.text or "").split())) for style in page.iter("style")
    ]
    assert ("screen", "b{color:blue}") in styles and ("screen", "u{color:red}") in styles
    [sheet] = [css for _, css in styles if "h1{color:red}" in css]
    assert sheet.startswith("@media print {nav{display:none}} p{color:green;background:none}")
    assert not page.xpath("//script") and not page.xpath("//link")
    assert not any("i{" in css for _, css in styles)


def test_drawn_pages_need_their_signature(archive: tuple[Sample, str, Truth]) -> None:
    captures = archive[0].room.captures
    app = captured_files(captures)
    place = captures.show(b"<p>drawn").removeprefix(FILES)
    assert ask(app, place).text == "<p>drawn"
    forged = ask(app, "/x" + place.lstrip("/"))
    unknown = ask(app, place[:-1] + ("0" if place[-1] != "0" else "1"))
    for answer in (forged, unknown):
        assert answer.status_code == 404
        assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def test_only_operators_inspect_where_there_are_any(archive: tuple[Sample, str, Truth]) -> None:
    sample, uuid, _ = archive
    doors = Doors(header="X-User", proxies=frozenset({"127.0.0.1"}), key=b"k")
    app = reading_room(sample.room, doors)
    reader = {"X-User": "bob"}
    assert ask(app, f"/post/{uuid}/v/1/inspect", headers=reader).status_code == 403
    assert "/inspect" not in ask(app, f"/post/{uuid}", headers=reader).text


def test_what_can_not_be_inspected(archive: tuple[Sample, str, Truth], tmp_path: Path) -> None:
    sample, uuid, _ = archive
    app = reading_room(sample.room)
    assert ask(app, f"/post/{uuid}/v/9/inspect").status_code == 404
    assert ask(app, "/post/00000000-0000-0000-0000-000000000000/v/1/inspect").status_code == 404
    with pytest.raises(BlogcrawlError, match="stored rules"):
        inspector.read_apart("https://blog.example/x", b"<p>", {"no": "model"}, "")


def test_a_page_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspector, "WALL_SECONDS", 0.01)
    with pytest.raises(BlogcrawlError, match="limits"):
        inspector.read_apart("https://blog.example/x", b"<p>", {}, "")
