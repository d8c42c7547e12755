"""Days that the posts' own pages don't show: the blog's lists, and the feeds of its lists, are read
before its posts.

A theme may show no date on a post, and the feed knows only the newest ones; but archives, category
and tag pages often say the day next to each post, or have feeds of their own. Lists are pages that
the crawl would read anyway, for their links: they come first here, as long as they bring days.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.costs import Account, without_costly
from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.crawling.discover import ask_probe
from blogcrawl.crawling.learning import GUESS, TrainingPage
from blogcrawl.crawling.session import Session, fetch_found
from blogcrawl.discovery.archives import hub_kind
from blogcrawl.discovery.links import announced_feeds, is_scoped
from blogcrawl.discovery.probes import Probe
from blogcrawl.discovery.survey import Survey
from blogcrawl.dom.links import Link, page_links
from blogcrawl.extraction.model import BlogModel, NotAPost, extract_post
from blogcrawl.urls.canonical import Scope, canonicalize, resource_kind

SURE_OF_FEEDS = 3
"""Lists that announce their own feed at an address made of theirs, after which others are believed
to have one there.
"""
TRIED = 5
"""Training pages that are looked at: a theme shows its date on all posts or on none."""
DRY = 15
"""Lists in a row without a new day, after which a kind of list is left alone."""
FRUITLESS = 6
"""The same for a kind of which none has brought a day: a theme shows the day on all its lists of a
kind or on none.
"""
SETTLED = 3
"""The same where nearly all posts that are known have their day: lists may still show further
posts.
"""
LACKING = 0.05
"""Share of the known posts without a day, above which lists are asked with more patience."""
MAX_LISTS = 400
_RANK = {"month": 0, "all": 1, "next": 2}
_WITH_FEEDS = (3, 4)
"""Categories and tags, of which many engines write feeds."""
_SECTION = re.compile(
    (
        r"^/(?:[a-z]{2}/)?(?:blog|weblog|posts?|articles?|artikel|entries|journal|news|notes|"
        r"writings?)(?:\.html?|/(?:index\.html?)?)?$"
    ),
    re.IGNORECASE,
)
"""Where sites whose home is no list keep the list of their posts."""
_FURTHER = re.compile(r"/page/?\d+|[?&]paged?=\d+")


def undated(model: BlogModel, training_pages: Sequence[TrainingPage], account: Account) -> bool:
    """Return whether most posts of the training pages don't show their date themselves; those that
    are too costly to read have no say.
    """
    plain = without_costly(training_pages, lambda training_page: training_page.page.body)
    looked_at = [_shows_day(training_page, model, account) for training_page in plain[:TRIED]]
    shown = [answer for answer in looked_at if answer is not None]
    return 2 * shown.count(False) > len(shown)


def _shows_day(training_page: TrainingPage, model: BlogModel, account: Account) -> bool | None:
    """Return whether a post's page shows its day: its own is that of the lists, where these are
    believed more. None for a page that is no post, as a list among guesses is, or too costly to
    read."""
    page, is_promised = training_page.page, training_page.entry.source != GUESS
    try:
        with account.page(page):
            return _own_day(page, model, is_promised)
    except TooCostlyError:
        return None


def _own_day(page: Page, model: BlogModel, is_promised: bool) -> bool | None:
    post = extract_post(page, model, None, is_promised)
    if isinstance(post, NotAPost):
        return None
    if post.published is None or post.extraction.get("published", {}).get("method") != "list":
        return post.published is not None
    own = extract_post(page, replace(model, facts={}), None, promised=True)
    if isinstance(own, NotAPost) or own.published is None:
        return False
    return abs((own.published.date() - post.published.date()).days) <= 1


class ListReader:
    """``follow``: what the spider does with the links of a page that was read; ``survey``: None
    after a resume (no feeds then).
    """

    def __init__(
        self,
        session: Session,
        model: BlogModel,
        scope: Scope,
        survey: Survey | None,
        follow: Callable[[Page], None],
    ) -> None:
        self.session, self.model, self.scope, self.survey, self.follow = (
            session,
            model,
            scope,
            survey,
            follow,
        )
        self.waiting: dict[str, tuple[int, str]] = {}
        """canonical URL -> (rank, URL)"""
        self.asked: set[str] = set()
        self.dry: dict[int, int] = {}
        above = Counter(canonicalize(urljoin(url, ".")) for url in model.days)
        self._shelf = next(
            (folder for folder, count in above.items() if 2 * count > len(model.days)), ""
        )
        """The folder that holds most posts: its own page lists them, whatever it is called."""
        self.fruitful: set[int] = set()
        """Kinds of lists that have brought a day"""
        self.by_feed = False
        """Whether feeds of lists had the hour of posts."""
        self._own: dict[str, int] = {}
        """What a list's address lacks to be that of its feed -> lists that announced theirs so"""

    async def read(
        self, pages: Sequence[Page], hubs: Sequence[str] = (), lists: Sequence[Page] = ()
    ) -> int:
        """Read lists until the posts have their days, or lists bring no more of them; how many
        lists were read.

        ``pages`` were read already and link to lists, ``lists`` are some; ``hubs`` are addresses of
        lists that discovery found or guesses.
        """
        self.session.doing("reading lists for the days of posts")
        for hub in hubs:
            if canonicalize(hub) not in self.asked:
                self.waiting.setdefault(canonicalize(hub), (_RANK["all"], hub))
        for start in (*pages, *lists):
            self._queue(start)
        for known in lists:
            self.model.observe_hub(known)
            await self._read_feeds(known)
        count = 0
        while count < MAX_LISTS and (url := self._next()) is not None:
            rank = self.waiting.pop(canonicalize(url))[0]
            self.asked.add(canonicalize(url))
            before = self._dated(), self._timed()
            page = None
            if rank not in _WITH_FEEDS or not await self._read_its_feed(url):
                page, _ = await fetch_found(self.session, url, kind="page")
                if page is None:
                    continue
                self.model.observe_hub(page)
                await self._read_feeds(page)
            count += 1
            self.dry[rank] = self.dry.get(rank, 0) + 1
            self.by_feed |= self._timed() > before[1]
            if (self._dated(), self._timed()) != before:
                self.dry[rank] = 0
                self.fruitful.add(rank)
            if page is not None:
                self._queue(page)
                self.follow(page)
            await self.session.breathe()
        return count

    async def _read_its_feed(self, url: str) -> bool:
        """Return whether feeds have times and are at the same URL for all lists so far: the list's
        feed is read in place of the list.
        """
        ending = max(self._own, key=lambda known: self._own[known], default="")
        if self.survey is None or not self.by_feed or self._own.get(ending, 0) < SURE_OF_FEEDS:
            return False
        before = len(self.survey.knowledge.feeds)
        await self._ask(self.survey.feed_of(f"{url.rstrip('/')}/{ending}"))
        if len(self.survey.knowledge.feeds) > before:
            return True
        self._own.clear()
        return False

    async def _read_feeds(self, page: Page) -> None:
        if self.survey is None:
            return
        for url, _ in announced_feeds(page)[:50]:
            place = page.url.rstrip("/") + "/"
            if url.startswith(place) and is_scoped(page.url) and not _FURTHER.search(page.url):
                ending = url.removeprefix(place)
                self._own[ending] = self._own.get(ending, 0) + 1
        await self._ask(self.survey.found_page(page, lacking=True))

    async def _ask(self, probes: list[Probe]) -> None:
        assert self.survey is not None
        while probes:
            probes = [
                found
                for probe in probes
                for found in await ask_probe(self.session, self.survey, probe)
            ]

    def _queue(self, page: Page) -> None:
        for link in page_links(page):
            key = canonicalize(link.url)
            rank = self._rank(link)
            if (
                rank is not None
                and key not in self.asked
                and self.scope.contains(link.url)
                and len(self.waiting) < 4 * MAX_LISTS
            ):
                self.waiting.setdefault(key, (rank, link.url))

    def _rank(self, link: Link) -> int | None:
        """Return kind of list as a number, best evidence first; None for other pages."""
        if resource_kind(link.url) != "page" or self.model.is_post_url(link.url):
            return None
        kind = hub_kind(link)
        if kind is not None:
            return _RANK.get(kind)
        if canonicalize(link.url) == self._shelf or _SECTION.match(urlsplit(link.url).path):
            return _RANK["all"]
        if not is_scoped(link.url) or "%3C" in link.url:
            return None
        # The first page of a list has its feed; the pages behind it repeat it.
        return 5 if _FURTHER.search(link.url) else 3 + (urlsplit(link.url).path.count("/tag") > 0)

    def _next(self) -> str | None:
        """Return the best list that is still worth a request, or None if all days are known or
        nothing brings more. A post that a list shows is no list, be it called ``2024.html``.
        """
        if self._all_dated():
            return None
        patience = {
            rank: self._patience(rank) for rank in {rank for rank, _ in self.waiting.values()}
        }
        useful = [
            (rank, url)
            for key, (rank, url) in self.waiting.items()
            if self.dry.get(rank, 0) < patience[rank] and not self.session.is_promised(key)
        ]
        return min(useful, default=(0, None))[1]

    def _patience(self, rank: int) -> int:
        posts = sum(1 for _ in self._known())
        if posts - self._dated() > LACKING * posts:
            return DRY if rank in self.fruitful else FRUITLESS
        return (
            DRY
            if self.by_feed and rank in _WITH_FEEDS and posts - self._timed() > LACKING * posts
            else SETTLED
        )

    def _known(self) -> Iterator[tuple[str, bool]]:
        """Yield posts that are known so far, and whether their day is."""
        knowledge = self.session.knowledge
        entries = knowledge.entries if knowledge is not None else {}
        for key, entry in entries.items():
            yield key, entry.published is not None or self.model.list_day(entry.url) is not None
        for key in self.model.facts:
            if key not in entries and self.model.is_post_url(key):
                yield key, self.model.list_day(key) is not None

    def _dated(self) -> int:
        return sum(dated for _, dated in self._known())

    def _timed(self) -> int:
        """Return posts whose hour a feed has: a list's day is one of the blog's own time zone."""
        knowledge = self.session.knowledge
        return (
            sum(entry.published is not None for entry in knowledge.entries.values())
            if knowledge is not None
            else 0
        )

    def _all_dated(self) -> bool:
        knowledge = self.session.knowledge
        complete = knowledge is not None and knowledge.walked_to_end
        return complete and all(dated for _, dated in self._known())
