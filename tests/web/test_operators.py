"""What operators do: corrections, jobs, who may not; search and differences of versions."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import lxml.html
import pytest
from starlette.types import ASGIApp

from blogcrawl.core.config import Config
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.filling import fill, open_index
from blogcrawl.storage.state import open_state
from blogcrawl.web.app import reading_room
from blogcrawl.web.diff import compare
from blogcrawl.web.gate import Doors
from blogcrawl.web.jobs import Job, Jobs
from tests.packaging.samples import BLOG, MOMENT, entry
from tests.web.archive import BLOG_ID, Sample, ask, make

OPERATOR, READER = {"X-User": "ann"}, {"X-User": "bob"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    made = make(tmp_path_factory.mktemp("operators"))
    yield made
    made.state.close()


@pytest.fixture
def jobs(sample: Sample) -> Iterator[Jobs]:
    with closing(Jobs({"BLOGCRAWL_ARCHIVE": sample.config.archive}, at_once=1)) as made:
        yield made


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def app(sample: Sample, jobs: Jobs, audit: Path) -> ASGIApp:
    doors = Doors(
        header="X-User",
        proxies=frozenset({"127.0.0.1"}),
        operators=frozenset({"ann"}),
        key=b"k",
        audit=audit,
    )
    return reading_room(sample.room, doors, jobs=jobs)


def post(app: ASGIApp, path: str, who: dict[str, str] = OPERATOR, **form: str) -> httpx.Response:
    page = ask(app, f"/blog/{BLOG_ID}/missing", headers=OPERATOR).text
    token = re.findall(r'form_token" value="(\w+)"', page)[0]
    return ask(app, path, "POST", headers=who, data={"form_token": token, **form})


def test_a_rejected_page_is_called_a_post(app: ASGIApp, sample: Sample, audit: Path) -> None:
    url = "https://blog.example/about"
    place = f"/blog/{BLOG_ID}"
    page = lxml.html.fromstring(ask(app, f"{place}/missing", headers=OPERATOR).content)
    [form] = [f for f in page.forms if f.fields.get("pattern") == url]
    answer = ask(app, form.action, "POST", headers=OPERATOR, data=dict(form.form_values()))
    assert answer.status_code == 303 and answer.headers["location"].startswith("/jobs/")
    [kept] = sample.state.corrections(BLOG_ID)
    assert (kept.kind, kept.name) == ("post", url)
    line = json.loads(audit.read_text())
    assert (line["who"], line["action"], line["pattern"]) == ("ann", "correct", url)
    assert "form_token" not in line
    assert "posts" in ask(app, f"{place}/missing", headers=OPERATOR).text
    assert post(app, f"{place}/withdraw", pattern=url).status_code == 303
    assert sample.state.corrections(BLOG_ID) == []


def test_one_click_corrects_and_extracts_again(app: ASGIApp, sample: Sample, jobs: Jobs) -> None:
    place, url = f"/blog/{BLOG_ID}", "https://blog.example/about"
    clicked = post(app, f"{place}/correct", kind="post", pattern=url).headers["location"]
    [job] = jobs.all()
    assert (job.what, job.subject, job.who) == ("reextract", BLOG.url, "ann")
    shown = lxml.html.fromstring(ask(app, clicked, headers=OPERATOR).content)
    [undo] = [one for one in shown.forms if one.action == f"{place}/withdraw"]
    assert undo.fields["pattern"] == url
    undone = ask(app, undo.action, "POST", headers=OPERATOR, data=dict(undo.form_values()))
    assert sample.state.corrections(BLOG_ID) == []
    second = undone.headers["location"]
    assert second != clicked and url in ask(app, second, headers=OPERATOR).text
    assert post(app, f"{place}/withdraw", pattern=url).headers["location"] == f"{place}/missing"
    assert len(jobs.all()) == 2


def test_corrections_wait_for_the_job_before_and_share_one(sample: Sample) -> None:
    with closing(Jobs({"BLOGCRAWL_ARCHIVE": sample.config.archive}, at_once=2)) as jobs:

        def click(subject: str, about: str) -> Job:
            return jobs.queue("reextract", subject, who="ann", now=MOMENT, about=about)

        first, second, third = (click("no-blog", name) for name in ("/a", "/b", "/c"))
        other = click("another", "/d")
        assert first.process and other.process and second.waits
        assert second is third and second.corrections == ("/b", "/c")
        jobs.stop(click("a third", "/e"))
        until = time.monotonic() + 60
        while any(job.code is None for job in jobs.all()) and time.monotonic() < until:
            time.sleep(0.05)
        assert second.process and second.lines
        assert not second.is_incomplete and replace(second, code=11).is_incomplete
        assert [job.subject for job in jobs.all() if not job.process] == ["a third"]


@pytest.mark.parametrize(
    "path",
    [
        f"/blog/{BLOG_ID}/correct",
        f"/blog/{BLOG_ID}/withdraw",
        f"/blog/{BLOG_ID}/crawl",
        f"/blog/{BLOG_ID}/reextract",
        "/jobs",
        "/jobs/x/stop",
    ],
)
def test_only_operators_with_a_form_of_ours(app: ASGIApp, sample: Sample, path: str) -> None:
    assert post(app, path, READER, kind="post", pattern="/x").status_code == 403
    forged = ask(app, path, "POST", headers=OPERATOR, data={"kind": "post", "pattern": "/x"})
    assert forged.status_code == 403
    assert ask(reading_room(sample.room), path, "POST").status_code in (404, 405)
    assert sample.state.corrections(BLOG_ID) == []


def test_the_place_of_a_title_is_corrected(app: ASGIApp, sample: Sample) -> None:
    said = {"kind": "field", "pattern": "title", "value": "//h2[@class='name']"}
    assert post(app, f"/blog/{BLOG_ID}/correct", **said).status_code == 303
    [kept] = sample.state.corrections(BLOG_ID)
    assert (kept.kind, kept.name, kept.value) == ("field", "title", "//h2[@class='name']")
    for wrong in ({"value": "//h2["}, {"value": ""}, {"pattern": "url"}):
        assert post(app, f"/blog/{BLOG_ID}/correct", **(said | wrong)).status_code == 400
    post(app, f"/blog/{BLOG_ID}/withdraw", pattern="title")
    assert sample.state.corrections(BLOG_ID) == []


def test_the_api_does_what_the_forms_do(app: ASGIApp, sample: Sample, audit: Path) -> None:
    paths = ask(app, "/api/openapi.json", headers=OPERATOR).json()["paths"]
    changes = [path for path, operations in paths.items() if "post" in operations]
    assert len(changes) == 10
    said = {"kind": "no-post", "pattern": "/tag/*"}
    place = f"/api/blogs/{BLOG_ID}/correct"
    answer = call(app, place, said)
    assert answer.status_code == 202
    assert answer.json()["page"].startswith("http://127.0.0.1/jobs/")
    [kept] = ask(app, f"/api/blogs/{BLOG_ID}/missing", headers=OPERATOR).json()["corrections"]
    assert (kept["kind"], kept["name"]) == ("no-post", "/tag/*")
    assert json.loads(audit.read_text())["action"] == "correct"
    assert call(app, f"/api/blogs/{BLOG_ID}/withdraw", said).status_code == 202
    assert sample.state.corrections(BLOG_ID) == []


def call(app: ASGIApp, path: str, values: Any, **headers: str) -> httpx.Response:
    body = json.dumps(values).encode()
    kind = {"content-type": "application/json"}
    return ask(app, path, "POST", headers={**OPERATOR, **kind, **headers}, content=body)


def test_what_the_api_refuses(app: ASGIApp, sample: Sample) -> None:
    place = f"/api/blogs/{BLOG_ID}/correct"
    said = {"kind": "post", "pattern": "/x"}
    refused = {
        403: [
            call(app, place, said, **READER),
            call(app, place, said, origin="https://evil.example"),
        ],
        400: [call(app, place, ["x"]), call(app, place, {"kind": 1}), call(app, place, {})],
        415: [call(app, place, said, **{"content-type": "text/plain"})],
        404: [call(app, "/api/blogs/none/correct", said), call(app, "/api/jobs/none/stop", {})],
    }
    for status, answers in refused.items():
        for answer in answers:
            assert answer.status_code == status and answer.json()["error"]
    assert sample.state.corrections(BLOG_ID) == []


def test_readers_see_no_buttons(app: ASGIApp) -> None:
    for path in ("", "/missing"):
        assert "<button" not in _main(ask(app, f"/blog/{BLOG_ID}{path}", headers=READER).text)
    assert ask(app, "/crawls", headers=READER).status_code == 403


def _main(text: str) -> str:
    return re.sub(r'<form class="filter" method="get".*?</form>', "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "url",
    ["", "x", "file:///etc/passwd", "--help", "https://", "https://u:p@x.example/", "http://a\nb"],
)
def test_what_is_no_address_starts_nothing(app: ASGIApp, jobs: Jobs, url: str) -> None:
    assert post(app, "/jobs", url=url).status_code == 400
    assert jobs.all() == []


def test_a_job_is_started_watched_and_ends(app: ASGIApp, jobs: Jobs) -> None:
    started = post(app, "/jobs", url="http://127.0.0.1:9/")
    place = started.headers["location"]
    assert started.status_code == 303 and place.startswith("/jobs/")
    assert "jobs are running" in post(app, "/jobs", url="http://127.0.0.1:9/").text
    events = ask(app, f"{place}/events", headers=OPERATOR).text
    code = re.findall(r"event: ended\ndata: (-?\d+)", events)
    assert code and code != ["0"]
    [job] = jobs.all()
    assert job.who == "ann" and job.lines
    page = ask(app, place, headers=OPERATOR).text
    assert (
        f"exit code {job.code}" in page
        and job.lines[-1][:20] in lxml.html.fromstring(page).text_content()
    )


def test_a_job_leads_to_its_blog(app: ASGIApp, jobs: Jobs) -> None:
    place = post(app, f"/blog/{BLOG_ID}/reextract").headers["location"]
    shown = lxml.html.fromstring(ask(app, place, headers=OPERATOR).text)
    assert f"/blog/{BLOG_ID}" in shown.xpath("//main//a/@href")
    [log] = shown.xpath("//*[@role='log'][@aria-label]")
    assert log.get("aria-live") == "off" and shown.xpath("//*[@role='status']")  # said at its end
    post(app, f"{place}/stop")


def test_a_job_is_stopped(app: ASGIApp, jobs: Jobs) -> None:
    place = post(app, "/jobs", url="http://127.0.0.1:9/").headers["location"]
    time.sleep(0.2)
    assert post(app, f"{place}/stop").status_code == 303
    [job] = jobs.all()
    assert job.process is not None
    job.process.wait()


# search


@pytest.fixture(scope="module")
def indexed(sample: Sample) -> Iterator[Any]:
    with closing(open_index(sample.config, sample.state, sample.store)) as index:
        fill(sample.state, sample.store, index)
        yield lambda: index


def test_posts_are_found_by_their_words(sample: Sample, indexed: Any) -> None:
    app = reading_room(replace(sample.room, index=indexed))
    found = lxml.html.fromstring(ask(app, "/search?q=word").content)
    assert found.xpath("//ol[@class='hits']//p/a/@href")[0] == f"/blog/{BLOG_ID}"
    assert found.xpath("//ol[@class='hits']//h2/a/@lang")
    of_blog = lxml.html.fromstring(ask(app, f"/search?q=word&blog={BLOG_ID}").content)
    assert not of_blog.xpath("//ol[@class='hits']//p/a")
    assert len(found.cssselect(".hits > li")) == 3 and found.cssselect("mark")
    none = ask(app, "/search?q=unheard").text
    assert "Nothing fits" in none
    narrowed = lxml.html.fromstring(ask(app, "/search?author=Ann&tag=one&year=2026").content)
    assert len(narrowed.cssselect(".hits > li")) == 3


@pytest.mark.parametrize("query", ['"', "-", "*", '"a', "%00", "a" * 600, "<b>", "NEAR(", "-x"])
def test_odd_queries_are_answered(sample: Sample, indexed: Any, query: str) -> None:
    app = reading_room(replace(sample.room, index=indexed))
    answer = ask(app, "/search", params={"q": query, "after": "x", "order": "?"})
    assert answer.status_code == 200 and "<b>" not in answer.text


def test_without_an_index_the_page_says_how_to_make_it(sample: Sample) -> None:
    assert "blogcrawl index" in ask(reading_room(sample.room), "/search?q=x").text


# versions


def test_what_changed_between_versions(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = make(tmp_path_factory.mktemp("changed"), 1)
    first = {"content_text": "one two three\nfour\n", "title": "Old <name>"}
    second = {"content_text": "one 2 three\nfour\nfive\n", "title": "New <name>"}
    made.archive_post(entry(9, post_changes=first), 1)
    uuid = made.archive_post(entry(9, post_changes=second), 2)
    app = reading_room(made.room)
    page = lxml.html.fromstring(ask(app, f"/post/{uuid}/v/2/since/1").content)
    diff = page.cssselect(".diff")
    assert [e.text_content() for e in diff[0].iter("del", "ins")] == ["Old", "New"]
    assert [e.text_content() for e in diff[1].iter("del", "ins")] == ["two", "2", "five\n"]
    assert ask(app, f"/post/{uuid}/v/2/since/7").status_code == 404
    assert f"/post/{uuid}/v/2/since/1" in ask(app, f"/post/{uuid}").text
    made.state.close()


def test_a_comparison_loses_nothing() -> None:
    old, new = "a b\nc d e\nf\n", "a x\nc e\nf g\nh\n"
    pieces = list(compare(old, new))
    assert "".join(text for kind, text in pieces if kind != "insert") == old
    assert "".join(text for kind, text in pieces if kind != "delete") == new
    assert next(iter(compare("x\n" * 4000, "y\n" * 4000)))[0] == "delete"


def test_an_empty_archive_has_one_next_step(tmp_path: Path, audit: Path) -> None:
    config = Config(archive=str(tmp_path / "archive"))
    open_archive(config, now=MOMENT)
    doors = Doors(
        header="X-User",
        proxies=frozenset({"127.0.0.1"}),
        operators=frozenset({"ann"}),
        audit=audit,
    )
    with (
        closing(open_state(config)) as state,
        closing(Jobs({"BLOGCRAWL_ARCHIVE": config.archive})) as jobs,
    ):
        room = Sample(config, state, open_store(config)).room
        guarded, unguarded = reading_room(room, doors, jobs=jobs), reading_room(room, jobs=jobs)
        page = lxml.html.fromstring(ask(guarded, "/", headers=OPERATOR).content)
        [form] = [one for one in page.forms if one.action == "/jobs"]
        assert {"form_token", "url"} <= set(form.fields.keys()) and not page.xpath("//main//code")
        page = lxml.html.fromstring(ask(guarded, "/", headers=READER).content)
        assert not page.xpath("//main//form|//main//code") and "Nothing" in page.text_content()
        [command] = lxml.html.fromstring(ask(unguarded, "/").content).xpath("//main//pre/code")
        assert command.text_content() == "blogcrawl crawl https://blog.example.org"
        found = ask(unguarded, "/search?q=x")
        assert "Nothing is archived" in found.text and "blogcrawl index" not in found.text


def test_operators_add_a_blog_on_the_page_of_blogs(app: ASGIApp) -> None:
    pages = [ask(app, "/", headers=who).text for who in (OPERATOR, READER)]
    assert ['action="/jobs"' in page for page in pages] == [True, False]
