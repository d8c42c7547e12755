"""Every entry of the table of comment systems has its page here, and all comments of it come out:
author, date, text, thread.

Those that need a browser are drawn in ``test_embeds``; these are read by plain requests.
"""

from __future__ import annotations

import pytest

from blogcrawl.comments.plan import CommentPlan
from blogcrawl.comments.site import SiteComments
from blogcrawl.core.page import Page
from blogcrawl.rendering.need import RenderVerdict, decide
from blogcrawl.rendering.systems import SYSTEMS
from tests.rendering import answers, simulated


def test_every_entry_has_a_page_and_every_page_an_entry() -> None:
    assert {s.name for s in SYSTEMS if s.where == "browser"} == set(simulated.ROWS)
    assert {s.name for s in SYSTEMS if s.where != "browser"} == set(answers.ENDPOINTS)


@pytest.mark.parametrize("name", sorted(answers.ENDPOINTS))
def test_all_comments_of_a_system_that_needs_no_browser(name: str) -> None:
    simulation = answers.ENDPOINTS[name]
    post = Page(url=answers.POST, body=answers.page(name).encode())
    need = decide(post, None, RenderVerdict())
    assert [c.system.name for c in need.systems] == [name]
    assert not need.render

    plan = CommentPlan(site=SiteComments(), page=post)
    asked = []
    while asks := plan.requests():
        for ask in asks:
            asked.append(ask.url)
            body = simulation.answers.get(ask.url)
            plan.receive(
                ask,
                Page(url=ask.url, body=(body or "not found").encode(), status=200 if body else 404),
            )
    assert set(simulation.answers) <= set(asked)

    comments = plan.result().comments
    by_id = {c.id: c for c in comments}
    numbers = {c.id: int(c.content_text.split()[2]) for c in comments}
    assert sorted(numbers.values()) == list(range(answers.TOTAL))
    for comment in comments:
        i = numbers[comment.id]
        assert (comment.content_text, comment.author) == (answers.text(i), answers.author(i))
        assert (
            comment.published is not None
            and comment.published.isoformat()[:13] == answers.day(i)[:13]
        )
        answered = numbers[comment.parent_id] if comment.parent_id in by_id else None
        assert answered == (i - 1 if i % 2 and simulation.threaded else None)
        assert comment.parent_id is None or comment.parent_id in by_id
