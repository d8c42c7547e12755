"""Every kind of page in Chromium: on a desktop and a phone, in light and dark.

axe-core judges whether people with other eyes and hands can use it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import lxml.html
import pytest
import uvicorn

from blogcrawl.core.config import Config
from blogcrawl.crawling.handlers.browser import find_browser
from blogcrawl.extraction.model import BlogModel
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.web.activity import sample_rates
from blogcrawl.web.app import reading_room
from blogcrawl.web.gate import Doors
from blogcrawl.web.jobs import Jobs
from blogcrawl.web.room import static_file
from blogcrawl.web.serving import bound
from tests.packaging.samples import entry
from tests.web.archive import BLOG_ID, FILES, NOW, Sample, ask, make

CHROMIUM = find_browser()
ID = re.compile(r"(?<=/)[0-9a-f-]{36}(?=/|$)|(?<=/)\d+(?=/|$)|=[^&]*")
"""What differs between addresses of one kind of page."""
PAGE = re.compile(r"/(?!/)(?!.*\.\w+$)")
"""Addresses here that are no files."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


@dataclass(frozen=True)
class Served:
    """A reading room that answers on loopback, and the address of one page of each kind."""

    base: str
    paths: tuple[str, ...]


def kinds_of_pages(app: Any, first: str) -> tuple[str, ...]:
    """Return the address of a page of each kind that links from ``first`` lead to."""
    found: dict[str, str] = {}
    waiting = [first]
    while waiting:
        path = waiting.pop(0)
        kind = ID.sub("*", path)
        if kind in found:
            continue
        answer = ask(app, path)
        if answer.headers.get("content-type", "").split(";")[0] != "text/html":
            continue
        assert answer.status_code == 200, path
        found[kind] = path
        links = lxml.html.fromstring(answer.content).xpath("//a[not(@download)]/@href")
        waiting += [link.split("#")[0] for link in links if PAGE.match(link)]
    return tuple(found.values())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    sample = make(tmp_path_factory.mktemp("room"), 30)
    row = sample.state.get_blog(BLOG_ID)
    assert row is not None and row.model is not None
    sample.state.save_blog(replace(row, model={**row.model, "model": BlogModel().to_json()}))
    changed = sample.archive_post(entry(1, post_changes={"title": "Another title"}), 40)
    app = reading_room(sample.room)
    with serving(app) as base:
        yield Served(base, kinds_of_pages(app, f"/post/{changed}"))
    sample.state.close()


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on loopback while the body runs; yield its address."""
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser(served: Served) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


def heard(said: Any, troubles: list[str]) -> None:
    """Note an error, but not that of archived files, whose server does not run here."""
    if said.type == "error" and not said.location["url"].startswith(FILES):
        troubles.append(said.text)


def serious(page: Any) -> list[str]:
    """Return axe-core's findings that keep people from reading or using a page."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"][:3]
    ]


def test_a_fault_is_found(browser: Any) -> None:
    page = browser.new_page()
    page.set_content('<html><img src="x.png"><p style="color: #ccc; background: #fff">pale</p>')
    assert {"image-alt", "color-contrast"} <= {line.split(": ")[1] for line in serious(page)}
    page.close()


in_two_windows = pytest.mark.parametrize(
    ("scheme", "width"),
    [("light", 360), pytest.param("dark", 1280, marks=pytest.mark.slow)],
)


@in_two_windows
def test_every_kind_of_page(served: Served, browser: Any, scheme: str, width: int) -> None:
    """No error on the console, nothing wider than the window, nothing serious found by axe-core."""
    assert len(served.paths) >= 14
    assert not (troubles := troubles_of(browser, served, scheme, width)), "\n".join(troubles)


@in_two_windows
def test_an_empty_archive(browser: Any, tmp_path: Path, scheme: str, width: int) -> None:
    config = Config(archive=str(tmp_path))
    open_archive(config, now=NOW)
    with closing(open_state(config)) as state, closing(Jobs({})) as jobs:
        doors = Doors(
            header="X-User", proxies=frozenset({"127.0.0.1"}), operators=frozenset({"ann"})
        )
        room = Sample(config, state, open_store(config)).room
        for app, headers in (
            (reading_room(room), {}),
            (reading_room(room, doors, jobs=jobs), {"X-User": "ann"}),
        ):
            with serving(app) as base:
                found = Served(base, ("/", "/search?q=x", "/crawls"))
                troubles = troubles_of(browser, found, scheme, width, headers)
                assert not troubles, "\n".join(troubles)


def test_rates_are_plotted_live(browser: Any, tmp_path: Path) -> None:
    """uPlot under the room's own policy: drawn from the table, and again when it changes."""
    sample = make(tmp_path, 1)
    moments = [datetime.now(UTC) - timedelta(minutes=1)]
    room = replace(sample.room, now=lambda: moments[0])
    row = CrawlRow(id="live", blog_id=BLOG_ID, spider="newcrawl", started=moments[0])
    sample.state.start_crawl(row)

    def advance(requests: int) -> None:
        moments[0] += timedelta(seconds=30)
        counts = {"requests": requests, "queue": 7, "at": moments[0].isoformat()}
        sample.state.note_counts("live", counts)

    app = reading_room(room)
    sample_rates(room)
    advance(10)
    page = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme="dark")
    troubles: list[str] = []
    page.on("console", lambda said: heard(said, troubles))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    with serving(app) as base:
        page.goto(f"{base}/crawls")
        page.wait_for_selector("#plots canvas >> nth=3", state="attached")
        assert page.locator("#plots b").all_inner_texts() == ["0", "20", "0", "7"]
        advance(130)
        page.wait_for_selector("#plots b:text-is('130')")
        assert page.locator("#plots canvas").count() == 4
        assert page.evaluate(OVERFLOW) <= 0
        page.close()
    assert not troubles
    sample.state.close()


@pytest.mark.parametrize("sheet", ["room.css", "page.css"])
def test_a_picture_that_was_not_archived_takes_no_room(browser: Any, sheet: str) -> None:
    found = static_file(sheet)
    assert found is not None
    page = browser.new_page()
    picture = '<div class="content"><img alt="" width="324" height="518"></div>'
    page.set_content(f"<style>{found[0].decode()}</style>{picture}")
    assert page.locator("img").evaluate("one => one.offsetHeight") < 60
    page.close()


def troubles_of(
    browser: Any,
    served: Served,
    scheme: str,
    width: int,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Return what is wrong with pages in a window of this width."""
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,
        extra_http_headers=dict(headers),
    )
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda said: heard(said, troubles))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    for path in served.paths:
        page.goto(served.base + path)
        if (over := page.evaluate(OVERFLOW)) > 0:
            troubles.append(f"{path} is {over} px wider than the window")
        troubles += serious(page)
    context.close()
    return troubles
