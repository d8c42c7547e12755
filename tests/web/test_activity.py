"""The page of crawls: what runs, what comes next, and steering it; the same without scripts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import lxml.html
import pytest
from starlette.types import ASGIApp, Message

from blogcrawl.packaging.ids import blog_id
from blogcrawl.storage.schedule import LEADER, LOCAL, Schedule
from blogcrawl.storage.tables import CrawlRow, JobRow, LeaseRow, NodeRow, VisitRow
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.web.app import reading_room
from blogcrawl.web.gate import Doors
from blogcrawl.web.jobs import Jobs
from tests.web.archive import BLOG_ID, NOW, Sample, ask, make

OPERATOR, READER = {"X-User": "ann"}, {"X-User": "bob"}
BLOG = "https://blog.example/"
NODE = "http://n1.example:6800"


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    made = make(tmp_path / "archive")
    schedule = Schedule(made.state)
    later = NOW + timedelta(hours=3)
    schedule.add_blogs(
        [
            VisitRow(blog_id=BLOG_ID, url=BLOG, host="x", kind="poll", next_visit=later),
            VisitRow(
                blog_id="failing",
                url="https://failing.example/",
                host="y",
                state="listed",
                failures=12,
                reason="<b>500</b>",
            ),
        ]
    )
    schedule.save_node(NodeRow(url=LOCAL, capacity=1, running=1, last_seen=NOW))
    schedule.save_node(NodeRow(url=NODE, trouble="timeout", message="no <i>answer</i>"))
    made.state.save(
        CrawlRow(
            id="live",
            blog_id=BLOG_ID,
            spider="updatecrawl",
            node=LOCAL,
            started=NOW - timedelta(minutes=9),
            counts={
                "posts_found": 40,
                "posts_archived": 10,
                "posts_unchanged": 2,
                "requests": 1234,
                "rate": 0.8,
                "queue": 321,
                "errors": 3,
                "at": (NOW - timedelta(seconds=4)).isoformat(),
            },
        )
    )
    dead = CrawlRow(id="dead", blog_id=BLOG_ID, spider="newcrawl", started=NOW - timedelta(days=1))
    made.state.save(dead)
    yield made
    made.state.close()


@pytest.fixture
def app(sample: Sample, tmp_path: Path) -> Iterator[ASGIApp]:
    doors = Doors(
        header="X-User",
        proxies=frozenset({"127.0.0.1"}),
        operators=frozenset({"ann"}),
        key=b"k",
        audit=tmp_path / "audit.jsonl",
    )
    with closing(Jobs({"BLOGCRAWL_ARCHIVE": sample.config.archive})) as jobs:
        yield reading_room(sample.room, doors, jobs=jobs)


def shown(app: ASGIApp, **options: object) -> str:
    answer = ask(app, "/crawls", headers=OPERATOR, **options)
    assert answer.status_code == 200, answer.text
    return " ".join(lxml.html.fromstring(answer.text).text_content().split())


def post(app: ASGIApp, path: str, who: dict[str, str] = OPERATOR, **form: str) -> httpx.Response:
    page = ask(app, "/crawls", headers=OPERATOR).text
    token = re.findall(r'form_token" value="(\w+)"', page)[0]
    return ask(app, path, "POST", headers=who, data={"form_token": token, **form})


def test_what_runs_what_fails_and_what_comes_next(app: ASGIApp) -> None:
    text = shown(app)
    for part in (
        "Running now 1",
        "12 of 40",
        "1,234",
        "0.8",
        "321",
        "this machine",
        "no <i>answer</i>",
        "<b>500</b>",
        "failed 12 times",
        "Failing1",
        "2026-06-01 03:00",
        "No one crawls by this schedule",
    ):
        assert part in text, part
    assert "Gerade laufend" in shown(app, params={"lang": "de"})


def test_readers_do_not_see_it_and_everyone_does_on_one_machine(
    app: ASGIApp, sample: Sample
) -> None:
    assert ask(app, "/crawls", headers=READER).status_code == 403
    assert ask(app, "/crawls/events", headers=READER).status_code == 403
    assert "/crawls" not in ask(app, "/", headers=READER).text
    alone = ask(reading_room(sample.room), "/crawls")
    assert alone.status_code == 200 and "<button" not in alone.text


def test_an_archive_without_a_schedule_says_how_to_get_one(tmp_path: Path) -> None:
    made = make(tmp_path, 1)
    assert "blogcrawl serve --crawl" in ask(reading_room(made.room), "/crawls").text
    made.state.close()


PATHS = [f"/blog/{BLOG_ID}/visit", f"/blog/{BLOG_ID}/pause", "/nodes/drain", "/nodes/resume"]


@pytest.mark.parametrize("path", PATHS)
def test_only_operators_steer_with_a_form_of_ours(app: ASGIApp, sample: Sample, path: str) -> None:
    before = list(Schedule(sample.state).visits()), Schedule(sample.state).nodes()
    assert post(app, path, READER, url=LOCAL).status_code == 403
    forged = ask(app, path, "POST", headers=OPERATOR, data={"url": LOCAL})
    assert forged.status_code == 403
    assert ask(reading_room(sample.room), path, "POST").status_code in (404, 405)
    assert (list(Schedule(sample.state).visits()), Schedule(sample.state).nodes()) == before


def test_a_node_is_drained_and_resumed(app: ASGIApp, sample: Sample, tmp_path: Path) -> None:
    assert post(app, "/nodes/drain", url=LOCAL).headers["location"] == "/crawls"
    states = {node.url: node.state for node in Schedule(sample.state).nodes()}
    assert states == {LOCAL: "draining", NODE: "active"}
    assert post(app, "/nodes/resume", url=LOCAL).status_code == 303
    assert {node.state for node in Schedule(sample.state).nodes()} == {"active"}
    assert post(app, "/nodes/drain", url="http://unknown.example").status_code == 404
    audit = (tmp_path / "audit.jsonl").read_text()
    assert '"action": "drain"' in audit and '"action": "resume"' in audit


def test_a_crawl_is_cancelled_and_its_blog_rests(app: ASGIApp, sample: Sample) -> None:
    schedule = Schedule(sample.state)
    schedule.book([JobRow(id="j", kind="update", host="x", blogs=[BLOG_ID], created=NOW)])
    taken = schedule.take("j", BLOG_ID, 120, NOW)
    assert taken is not None
    form = lxml.html.fromstring(ask(app, "/crawls", headers=OPERATOR).text).forms
    assert f"/blog/{BLOG_ID}/pause" in [one.action for one in form]
    assert post(app, f"/blog/{BLOG_ID}/pause").status_code == 303
    with pytest.raises(Exception, match="went to ann"):
        sample.state.renew_lease(BLOG_ID, taken[1], 120, NOW)
    assert not schedule.note_facts(BLOG_ID, "j", {"outcome": "crawled"})
    paused = schedule.get_visit(BLOG_ID)
    assert paused is not None and (paused.state, paused.reason) == ("paused", "paused by ann")
    assert not list(schedule.claim(NOW + timedelta(days=9), 5))
    assert "paused by ann" in shown(app)
    assert post(app, f"/blog/{BLOG_ID}/visit").status_code == 303
    again = schedule.get_visit(BLOG_ID)
    assert again is not None and (again.state, again.kind) == ("waiting", "update")
    assert again.next_visit == NOW and again.reason is None
    assert post(app, "/blog/unknown/visit").status_code == 404


def test_crawl_now_is_the_schedules_where_someone_works_by_it(app: ASGIApp, sample: Sample) -> None:
    expires = NOW + timedelta(seconds=20)
    sample.state.save(LeaseRow(blog_id=LEADER, token=1, owner="c", expires=expires))
    schedule = Schedule(sample.state)
    assert post(app, f"/blog/{BLOG_ID}/crawl").headers["location"] == "/crawls"
    known = schedule.get_visit(BLOG_ID)
    assert known is not None and (known.kind, known.next_visit) == ("update", NOW)
    assert post(app, "/jobs", url="https://new.example/").headers["location"] == "/crawls"
    fresh = schedule.get_visit(blog_id(canonicalize("https://new.example/")))
    assert fresh is not None and (fresh.kind, fresh.next_visit) == ("new", NOW)
    assert "Started here" not in shown(app)


def test_the_page_is_sent_again_when_something_changes(sample: Sample) -> None:
    """Server-sent events: one after the other, until the reader leaves."""
    app, sent = reading_room(sample.room), []

    async def run() -> None:
        left = asyncio.Event()

        async def receive() -> Message:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            text = message.get("body", b"").decode()
            if text.startswith("data:"):
                sent.append(text)
                visit = Schedule(sample.state).get_visit(BLOG_ID)
                assert visit is not None
                Schedule(sample.state).save_visits([replace(visit, next_visit=NOW)])
                if len(sent) == 2:
                    left.set()

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/crawls/events",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1")],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "scheme": "http",
        }
        await asyncio.wait_for(app(scope, receive, send), 60)

    asyncio.run(run())
    assert "2026-06-01 03:00" in sent[0] and "due now" in sent[1]
    assert all(re.fullmatch(r"(data: .*\n)+\n", one) for one in sent)


def test_the_api_has_it_too(app: ASGIApp) -> None:
    found = ask(app, "/api/crawls?state=listed", headers=OPERATOR).json()
    assert [one["id"] for one in found["running"]] == ["live"]
    assert [one["blog_id"] for one in found["visits"]] == ["failing"]
    assert {one["url"] for one in found["nodes"]} == {LOCAL, NODE} and found["due"] == 0
    assert ask(app, "/api/crawls", headers=READER).status_code == 403


def test_rates_are_a_table_that_a_script_draws(sample: Sample) -> None:
    """Without scripts it is read; no other origin is asked, and the policy stays."""
    moments = [NOW]
    app = reading_room(replace(sample.room, now=lambda: moments[0]))
    assert not lxml.html.fromstring(ask(app, "/crawls").text).cssselect("#rates")
    moments[0] += timedelta(seconds=30)
    counts = {"requests": 1264, "posts_archived": 13, "errors": 3, "queue": 1300}
    sample.state.note_counts("live", {**counts, "at": moments[0].isoformat()})
    answer = ask(app, "/crawls?crawl=live")
    page = lxml.html.fromstring(answer.text)
    [row] = page.cssselect("#rates tbody tr")
    shown_cells = [cell.text_content() for cell in row]
    assert shown_cells == ["00:00:30", "2.0", "60.0", "0.0", "1,300"]
    assert [one.get("value") for one in row.cssselect("data")] == ["2.0", "60.0", "0.0", "1300"]
    assert page.cssselect("#plots[aria-hidden=true]") and page.cssselect("#rates thead th[scope]")
    assert page.cssselect("[data-events='/crawls/events?crawl=live']")
    sources = [one.get("src") for one in page.cssselect("script")]
    assert len(sources) == 3 and all(one.startswith("/static/") for one in sources)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "style-src 'self';" in policy
    rates = ask(app, "/api/crawls").json()["rates"]
    assert [(one["posts"], one["requests"]) for one in rates] == [(2.0, 60.0)]


def test_each_button_says_what_it_is_for(app: ASGIApp) -> None:
    page = lxml.html.fromstring(ask(app, "/crawls", headers=OPERATOR).text)
    labels = page.xpath("//button/@aria-label")
    assert "Cancel: A <blog> & more" in labels and f"Drain: {NODE}" in labels
    assert "Visit now: https://failing.example/" in labels
    assert len(set(labels)) == len(labels)


def test_a_crawl_whose_process_died_is_broken_off(app: ASGIApp) -> None:
    rows = lxml.html.fromstring(
        ask(app, f"/blog/{BLOG_ID}/crawls", headers=OPERATOR).text
    ).cssselect("tbody tr td:nth-child(2)")
    outcomes = [" ".join(row.text_content().split()) for row in rows]
    assert outcomes == ["running", "broken off", "finished"]
