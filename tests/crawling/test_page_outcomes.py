"""What becomes of pages and items: another round, missing, or left to be done."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.core.errors import DiskFullError, PackagingError, StorageError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.multi_post import PartReader
from blogcrawl.crawling.page_outcomes import ROUNDS, PageOutcomes
from blogcrawl.crawling.pipelines.base import REPEATED, NoPost, NotStored, PostPage, SamePage
from blogcrawl.crawling.session import ALBUMS, AMONG_POSTS, Session
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.extraction.model import BlogModel
from blogcrawl.frontier.frontier import SAYS_NOTHING
from blogcrawl.urls.page_kinds import BARRIERS

URL = "http://a.test/1"
ITEM = PostPage(page=Page(url=URL, body=b"body"), frontier_url=URL)


class Frontier:
    """Records the calls it receives."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def kept(self, kind: str) -> dict[str, str]:
        return {}

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **more: self.calls.append((name, *args))


class Watched(Session):
    """A session with a frontier that notes, and gates that hold nothing."""

    noted = Frontier()

    @property
    def frontier(self) -> Any:
        return self.noted

    @property
    def archived(self) -> int:
        return 0

    def count(self, name: str, by: int = 1) -> None: ...


@pytest.fixture
def session() -> Watched:
    engine = SimpleNamespace(running=True)
    services = SimpleNamespace(
        crawler=SimpleNamespace(engine=engine, _engine=None),
        gate=SimpleNamespace(held=[], report=lambda error: services.gate.held.append(error)),
    )
    session = Watched(
        services=cast(Any, services),
        crawl=cast(Any, None),
        blog_id="a",
        blog=Blog(url="http://a.test/"),
    )
    session.noted = Frontier()
    return session


@pytest.fixture
def outcomes(session: Watched) -> PageOutcomes:
    control = CrawlControl(session)
    control.after_page = lambda: None  # type: ignore[method-assign]
    candidates = SimpleNamespace(is_candidate=lambda url: False)
    revisits = SimpleNamespace(
        explained=lambda url, reason: reason, shows_archived=lambda url, page: False
    )
    return PageOutcomes(
        session, control, PartReader(session), cast(Any, candidates), cast(Any, revisits)
    )


def test_full_disk_pauses_the_crawl_and_keeps_the_post_pending(
    session: Watched, outcomes: PageOutcomes
) -> None:
    error = DiskFullError("no space left")
    outcomes.on_item_error(ITEM, SimpleNamespace(value=error))
    assert session.services.gate.held == [error]  # type: ignore[attr-defined]
    assert (session.noted.calls, session.missed) == ([("requeue", URL)], {})


def test_post_that_could_not_be_stored_stays_pending(
    session: Watched, outcomes: PageOutcomes
) -> None:
    outcomes.on_dropped(ITEM, NotStored("the disk is full"))
    assert (session.noted.calls, session.missed) == ([("requeue", URL)], {})


def test_archived_page_is_no_longer_missing(session: Watched, outcomes: PageOutcomes) -> None:
    session.missed[URL] = "no answer in time"
    outcomes.on_scraped(ITEM)
    assert (session.noted.calls, session.missed) == ([("done", URL, None, True, 4)], {})


def test_page_without_a_post_is_missing_only_if_listed(
    session: Watched, outcomes: PageOutcomes
) -> None:
    outcomes.on_dropped(ITEM, NoPost("a list"))
    assert session.missed == {} and session.noted.calls == [
        ("reject", URL, "a list", 0.0, ""),
        ("done", URL, None, False, 4, ""),
    ]
    session.is_promised = lambda key: True  # type: ignore[method-assign]
    outcomes.on_dropped(ITEM, NoPost("a list"))
    assert session.missed == {URL: "a list"}


@pytest.mark.parametrize(
    ("dropped", "chance"),
    [
        (NoPost("a list", 0.1), 0.1),
        (NoPost(BARRIERS["part"]), SAYS_NOTHING),
        (NoPost("shows a post once more", says_nothing=True), SAYS_NOTHING),
    ],
)
def test_page_next_to_posts_says_nothing_of_others(
    dropped: NoPost, chance: float, session: Watched, outcomes: PageOutcomes
) -> None:
    seen: list[float] = []
    session.noted.done = lambda *args, chance: seen.append(chance)  # type: ignore[attr-defined]
    outcomes.on_dropped(ITEM, dropped)
    assert seen == [chance]


@pytest.mark.parametrize("kind", ["section", "part"])
def test_section_that_a_feed_lists_is_not_missing(
    kind: str, session: Watched, outcomes: PageOutcomes
) -> None:
    session.knowledge = SiteKnowledge(blog=session.blog, promised={URL: {"feed"}})
    outcomes.on_dropped(ITEM, NoPost(BARRIERS[kind]))
    assert session.missed == {} and not session.is_promised(URL)


def test_transient_failure_gets_a_limited_number_of_retries(
    session: Watched, outcomes: PageOutcomes
) -> None:
    outcomes.miss(URL, "no answer in time", passing=True)
    assert outcomes.put_aside == [URL]
    assert session.noted.calls == [("note_failure", URL, "no answer in time")]
    outcomes.rounds = ROUNDS
    outcomes.miss(URL, "no answer in time", passing=True)
    assert session.noted.calls[1:] == [("failed", URL, "no answer in time", 0)]


def test_two_urls_of_one_page_are_one_post(session: Watched, outcomes: PageOutcomes) -> None:
    outcomes.on_dropped(ITEM, SamePage(["http://a.test/2"], everywhere=False))
    assert (session.redirected, session.missed) == ({URL}, {})
    assert ("name", URL, "http://a.test/2") in session.noted.calls


@pytest.mark.parametrize("owner", ["", "http://a.test/2"])
def test_page_shared_by_many_urls_is_missing_for_all_but_the_one_whose_name_it_has(
    owner: str, session: Watched, outcomes: PageOutcomes
) -> None:
    others = ["http://a.test/2", "http://a.test/3"]
    outcomes.on_dropped(ITEM, SamePage(others, everywhere=True, owner=owner))
    assert session.missed.keys() == {URL, *others} - {owner}


def test_address_of_a_page_of_no_ones_is_not_that_of_another_post(
    session: Watched, outcomes: PageOutcomes
) -> None:
    session.memory, session.moved = {"moved": {URL: "http://a.test/2"}}, {URL}
    outcomes.on_dropped(ITEM, SamePage(["http://a.test/2", "http://a.test/3"], everywhere=True))
    assert (session.memory, session.moved) == ({"moved": {}}, set())


def test_post_on_its_way_is_none_once_many_urls_gave_its_page(
    session: Watched, outcomes: PageOutcomes
) -> None:
    session.missed[URL] = REPEATED
    outcomes.on_scraped(ITEM)
    assert session.noted.calls == [("done", URL, None, None, 4, REPEATED)]
    assert session.missed == {URL: REPEATED}


@pytest.mark.parametrize(
    ("error", "refused"), [(StorageError("row refused"), {URL}), (PackagingError("broken"), set())]
)
def test_permanent_storage_refusal_is_an_error_of_the_crawl(
    outcomes: PageOutcomes, error: Exception, refused: set[str]
) -> None:
    outcomes.rounds = ROUNDS
    outcomes.on_item_error(ITEM, SimpleNamespace(value=error))
    end = outcomes.refused_end()
    assert outcomes.refused == refused
    assert (end is not None and end.reason == "failed") is bool(refused)


def test_model_knows_the_places_that_earlier_runs_of_the_crawl_have_met(session: Watched) -> None:
    met = {ALBUMS: "http://a.test/photos/", AMONG_POSTS: "http://a.test/spring"}
    session.noted.kept = lambda kind: {met[kind]: ""} if kind in met else {}  # type: ignore[method-assign]
    for _ in ("that of the run", "one that is learned anew"):
        places = session.use(BlogModel()).places
        assert places.in_album("http://a.test/photos/1") and places.listed("http://a.test/spring")
