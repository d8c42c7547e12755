"""The API and its description, OAI-PMH in the room, Atom, Memento."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from lxml import etree
from starlette.types import ASGIApp

from blogcrawl.core.organization import Organization
from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging import ids
from blogcrawl.packaging.xmltools import DC
from blogcrawl.storage.search.filling import fill, open_index
from blogcrawl.web.app import reading_room
from blogcrawl.web.machines import ATOM
from tests.packaging.samples import MOMENT, entry
from tests.web.archive import BLOG_ID, Sample, ask, make

URL = "https://blog.example/post-9"
UUID = ids.entry_id(URL)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    made = make(tmp_path_factory.mktemp("machines"))
    made.archive_post(entry(9), 10)
    made.archive_post(entry(9, post_changes={"title": "Second"}), 20)
    made.archive_post(entry(9, post_changes={"title": "Third"}), 30)
    yield made
    made.state.close()


def described(sample: Sample) -> dict[str, dict[str, object]]:
    found = json.loads(ask(reading_room(sample.room), "/api/openapi.json").content)
    assert found["openapi"].startswith("3.1")
    return found["paths"]  # type: ignore[no-any-return]


def searchable(sample: Sample) -> ASGIApp:
    """Return the application with a search index."""
    made = functools.partial(open_index, sample.config, sample.state, sample.store)
    with closing(made()) as index:
        fill(sample.state, sample.store, index)
    return reading_room(replace(sample.room, index=lambda: made(reading=True)))


def fits(value: object, schema: dict[str, object]) -> bool:
    """Whether JSON data is of the types that a schema names."""
    kinds = schema.get("type", [])
    names = {kinds} if isinstance(kinds, str) else set(kinds)  # type: ignore[call-overload]
    known = {
        "string": str,
        "integer": int,
        "object": dict,
        "array": list,
        "boolean": bool,
        "null": type(None),
    }
    if names and not isinstance(value, tuple(known[name] for name in names)):
        return False
    if isinstance(value, list):
        return all(fits(one, schema.get("items", {})) for one in value)  # type: ignore[arg-type]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        assert isinstance(properties, dict)
        return set(schema.get("required", [])) <= set(value) and all(  # type: ignore[call-overload]
            fits(value[name], inner) for name, inner in properties.items() if name in value
        )
    return True


def test_every_described_operation_answers_as_described(sample: Sample) -> None:
    app = searchable(sample)
    paths = described(sample)
    assert len(paths) == 13
    for path, operations in paths.items():
        if path.endswith(("/inspection", "/jobs/{job}")):
            continue  # in test_inspector and test_operators
        answer = ask(app, path.format(blog_id=BLOG_ID, uuid=UUID))
        assert answer.status_code == 200
        schema = operations["get"]["responses"]["200"]["content"]["application/json"]["schema"]  # type: ignore[index]
        assert fits(answer.json(), schema), (path, answer.text)


@pytest.mark.parametrize("value", ["", "-1", "0", "9" * 40, "x", "%00", "%F0%9F%98%80", "'--", "%"])
def test_no_parameter_breaks_an_operation(sample: Sample, value: str) -> None:
    app = searchable(sample)
    for path, operations in described(sample).items():
        if path.endswith("/inspection"):
            continue  # a process for each of these
        place = path.format(blog_id=BLOG_ID, uuid=UUID, job="x")
        for parameter in operations["get"]["parameters"]:  # type: ignore[index]
            if parameter["in"] == "query":
                answer = ask(app, f"{place}?{parameter['name']}={value}")
                assert answer.status_code in (200, 403, 404), (place, answer.text)


def test_posts_are_paged_by_the_api(sample: Sample) -> None:
    app = reading_room(sample.room)
    place = f"/api/blogs/{BLOG_ID}/posts?limit=3"
    first = ask(app, place).json()
    second = ask(app, place, params={"limit": 3, "after": first["after"]}).json()
    assert len(first["posts"]) == 3 and len(second["posts"]) == 1 and not second["after"]
    assert ask(app, "/api/blogs/none/posts").status_code == 404


def test_posts_are_searched_by_the_api(sample: Sample) -> None:
    app = searchable(sample)
    found = ask(app, "/api/search", params={"q": "third", "limit": 1}).json()
    [hit] = found["hits"]
    assert hit["title"] == "Third" and hit["page"] == f"http://127.0.0.1/post/{UUID}"
    assert found["exact"] and found["total"] == 1 and dict(found["facets"]["blog"]) == {BLOG_ID: 1}
    every = ask(app, "/api/search", params={"limit": 2}).json()
    rest = ask(app, "/api/search", params={"limit": 50, "after": every["next"]}).json()
    assert len(every["hits"]) == 2 and len(rest["hits"]) == every["total"] - 2
    assert rest["next"] is None
    year = ask(app, "/api/search", params={"year": "1999"}).json()
    assert year["total"] == 0 and year["hits"] == []
    assert ask(reading_room(sample.room), "/api/search?q=x").status_code == 404


def test_a_version_of_a_post_is_read(sample: Sample) -> None:
    app = reading_room(sample.room)
    assert ask(app, f"/api/posts/{UUID}").json()["post"]["title"] == "Third"
    second = ask(app, f"/api/posts/{UUID}?version=2").json()
    assert second["post"]["title"] == "Second" and second["package"]["version"] == 2
    assert len(second["package"]["versions"]) == 3


def test_versions_of_a_post_are_compared(sample: Sample) -> None:
    app = reading_room(sample.room)
    newest = ask(app, f"/api/posts/{UUID}/changes").json()
    assert (newest["before"], newest["version"]) == (2, 3)
    [title] = newest["changes"]
    assert title["field"] == "title"
    assert [*title["pieces"]] == [["delete", "Second"], ["insert", "Third"]]
    assert ask(app, f"/api/posts/{UUID}/changes?before=1&version=3").json()["before"] == 1


def test_what_was_taken_down_is_gone(sample: Sample) -> None:
    [gone] = ask(reading_room(sample.room), f"/api/blogs/{BLOG_ID}/missing").json()["removed"]
    answer = ask(reading_room(sample.room), f"/api/posts/{ids.bare(gone['aip_id'])}")
    assert answer.status_code == 410 and gone["reason"] in answer.json()["error"]


def test_errors_of_the_api_are_data(sample: Sample) -> None:
    answer = ask(reading_room(sample.room), "/api/blogs/none")
    assert answer.status_code == 404 and answer.json()["error"] == "There is nothing here"


def test_numbers_of_plots(sample: Sample) -> None:
    found = ask(reading_room(sample.room), f"/api/blogs/{BLOG_ID}/plots").json()
    assert sum(month["posts"] for month in found["months"]) == 4
    assert [(one["requests"], one["new"]) for one in found["crawls"]] == [(9, 3)]


def test_oai_is_harvested_where_there_is_an_administrator(sample: Sample) -> None:
    app = reading_room(sample.room)
    listed = etree.fromstring(ask(app, "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").content)
    assert len(listed.findall(".//{*}header")) >= 5
    posted = ask(app, "/oai", "POST", data={"verb": "Identify"})
    assert b"<baseURL>http://127.0.0.1/oai</baseURL>" in posted.content
    nameless = replace(sample.room, operator=Organization())
    refused = ask(reading_room(nameless), "/oai?verb=Identify")
    assert refused.status_code == 503 and "BLOGCRAWL_CONTACT" in refused.text


def test_the_feed_lists_what_was_archived_last(sample: Sample) -> None:
    feed = etree.fromstring(ask(reading_room(sample.room), "/feed.atom").content)
    entries = feed.findall(f"{{{ATOM}}}entry")
    assert entries[0].findtext(f"{{{ATOM}}}title") == "Third"
    assert entries[0].find(f"{{{ATOM}}}link[@rel='alternate']").get("href").endswith(UUID)
    assert len({one.findtext(f"{{{ATOM}}}id") for one in entries}) == 4


def test_feed_states_no_moment_where_only_a_year_is_known(tmp_path: Path) -> None:
    sample = make(tmp_path, 1)
    sample.archive_post(entry(9, post_changes={"published": read_written("2012~")}), 1)
    feed = etree.fromstring(ask(reading_room(sample.room), "/feed.atom").content)
    newest = feed.find(f"{{{ATOM}}}entry")
    assert newest.findtext(f"{{{DC}}}date") == "2012~"
    assert newest.find(f"{{{ATOM}}}published") is None


@pytest.mark.parametrize(
    ("days", "version"), [(-5, 1), (10, 1), (15, 1), (20, 2), (29, 2), (30, 3), (999, 3)]
)
def test_the_timegate_leads_to_the_version_of_that_time(
    sample: Sample, days: int, version: int
) -> None:
    then = format_datetime(MOMENT + timedelta(days=days), usegmt=True)
    app = reading_room(sample.room)
    answer = ask(app, f"/timegate/{URL}", headers={"accept-datetime": then})
    assert answer.status_code == 302
    assert answer.headers["location"] == f"http://127.0.0.1/post/{UUID}/v/{version}"
    assert answer.headers["vary"] == "accept-datetime"
    assert f'<{URL}>; rel="original"' in answer.headers["link"]


def test_a_memento_says_when_and_of_what_it_is(sample: Sample) -> None:
    app = reading_room(sample.room)
    answer = ask(app, f"/post/{UUID}/v/2")
    assert answer.headers["memento-datetime"] == "Sat, 21 Mar 2026 12:00:00 GMT"
    links = answer.headers["link"]
    for relation in ("original", "timegate", "timemap", "first memento", "memento", "last memento"):
        assert f'rel="{relation}"' in links
    assert "memento-datetime" not in ask(app, f"/post/{UUID}").headers


def test_the_timemap_lists_all_versions(sample: Sample) -> None:
    answer = ask(reading_room(sample.room), f"/timemap/link/{URL}")
    assert answer.headers["content-type"].startswith("application/link-format")
    assert answer.text.count("datetime=") == 3 and 'rel="self"' in answer.text


def test_the_timegate_without_a_date_and_with_a_wrong_one(sample: Sample) -> None:
    app = reading_room(sample.room)
    assert ask(app, f"/timegate/{URL}").headers["location"].endswith("/v/3")
    for wrong in ("yesterday", "", "2026-03-01"):
        refused = ask(app, f"/timegate/{URL}", headers={"accept-datetime": wrong})
        assert refused.status_code == 400, wrong
    for path in ("/timegate/https://blog.example/none", "/timegate/x", "/timemap/link/"):
        assert ask(app, path).status_code == 404
