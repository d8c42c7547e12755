"""Every system whose comments need a browser: all of them, in the right thread, behind a cookie
banner and "load more".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from blogcrawl.comments.embedded import read_rendered
from blogcrawl.core.page import Page
from blogcrawl.rendering.need import RenderVerdict, decide
from blogcrawl.rendering.systems import by_name, carried_systems
from tests.rendering import simulated
from tests.rendering.browsing import Job, Result, draw, needs_browser
from tests.server import Server

pytestmark = needs_browser


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Result]]:
    folder = tmp_path_factory.mktemp("embeds")
    for name in simulated.ROWS:
        Path(folder / f"{name}.html").write_text(simulated.page(name))
    with Server(folder) as server:
        jobs = {}
        for name in simulated.ROWS:
            system = by_name(name)
            assert system is not None
            row = simulated.ROWS[name]
            outside = {row.frame.split("?")[0]: simulated.frame(name)} if row.frame else {}
            jobs[name] = Job(f"{server.url}{name}.html", (system,), outside=outside)
        yield draw(jobs, at_once=4)


@pytest.mark.parametrize("name", sorted(simulated.ROWS))
def test_all_comments_of_an_embedded_system_are_read(name: str, results: dict[str, Result]) -> None:
    result = results[name]
    system = by_name(name)
    assert system is not None
    (comments,) = read_rendered(result.page, (system,))
    texts = sorted(c.content_text for c in comments)
    assert texts == sorted(
        f"Comment number {i} says something about point {i}." for i in range(simulated.TOTAL)
    ), result.error
    assert sorted(c.author or "" for c in comments) == sorted(
        f"Reader {i}" for i in range(simulated.TOTAL)
    )
    assert all(
        c.published is not None and c.published.year == 2021 and c.published.month == 3
        for c in comments
    )
    assert all(c.source == "browser" for c in comments)
    assert result.drawn is not None and result.drawn.complete


FLAT = {"utterances", "gitalk", "telegram"}
"""Systems without threads: the issue tracker behind the first two knows none, the widget of the
third shows none.
"""


@pytest.mark.parametrize("name", sorted(set(simulated.ROWS) - FLAT))
def test_replies_know_their_parent(name: str, results: dict[str, Result]) -> None:
    system = by_name(name)
    assert system is not None
    (comments,) = read_rendered(results[name].page, (system,))
    by_id = {c.id: c for c in comments}
    for comment in comments:
        number = int(comment.content_text.split()[2])
        parent = by_id[comment.parent_id].content_text.split()[2] if comment.parent_id else None
        assert parent == (str(number - 1) if number % 2 else None)


@pytest.mark.parametrize("name", sorted(simulated.ROWS))
def test_static_page_with_embedded_comments_needs_a_browser(name: str) -> None:
    page = Page(url="http://blog.example/post", body=simulated.page(name).encode())
    assert [c.system.name for c in carried_systems(page)] == [name]
    need = decide(page, None, RenderVerdict())
    assert need.render and need.reasons == (f"comments:{name}",)
    assert not decide(page, None, RenderVerdict(), "never").render
