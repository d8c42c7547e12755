"""The beginning of a new crawl: from an address to a filled frontier."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogcrawl.core.errors import (
    BlogcrawlError,
    FeedError,
    NotABlogError,
    RobotsError,
    UsageError,
)
from blogcrawl.core.page import Page
from blogcrawl.crawling.candidate_sources import sources_complete
from blogcrawl.crawling.closing import save_model
from blogcrawl.crawling.discover import (
    ask_all,
    check_feed,
    fetch_home,
    load_knowledge,
    save_knowledge,
    survey,
    widen_by_start_page,
)
from blogcrawl.crawling.losses import incomplete_months
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.page_reader import PageReader
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.response_cache import ANSWERS, MAX_AGE, KeptAnswers
from blogcrawl.crawling.session import Session
from blogcrawl.discovery.knowledge import SiteKnowledge, bare
from blogcrawl.dom.forms import offers_search
from blogcrawl.dom.links import page_links
from blogcrawl.frontier.unread import FORBIDDEN
from blogcrawl.packaging.ids import blog_id
from blogcrawl.urls.canonical import Scope, canonicalize, clean, resource_kind

if TYPE_CHECKING:
    from blogcrawl.core.records import FeedEntry
    from blogcrawl.crawling import learning

logger = logging.getLogger(__name__)

OTHER_HOST = 5
"""Links to another host for each link to a page of its own, from which a start page is hardly of
this site."""


KnownRules = Callable[[Page], Awaitable["list[learning.TrainingPage] | None"]]
"""From the start page to pages of new posts; None where the rules of before miss them."""


class Bootstrap:
    """Discovers a blog, learns from its newest posts and fills the frontier; or takes up a crawl
    that was broken off.
    """

    def __init__(self, session: Session, reader: PageReader) -> None:
        self.session, self.reader = session, reader
        self.candidates, self.parts = reader.candidates, reader.parts
        self.frontier = session.frontier
        self.read_by_known_rules: KnownRules | None = None
        """Of an update that does not learn anew, where the known rules read what is new."""

    async def run(self) -> AsyncIterator[Any]:
        session = self.session
        max_age = MAX_AGE if session.captures is None else None
        session.answers = KeptAnswers(session.services.folder / ANSWERS, max_age)
        home = await fetch_home(session)
        if self._resume(home):
            async for item in self._left_training_pages(session.answers):
                yield item
        else:
            if session.services.feed:
                await check_feed(session, session.services.feed)
            knowledge, scope = await survey(session, home, session.services.feed or None)
            home = await self._true_home(knowledge, home)
            self._adopt(knowledge, scope, home)
            self._note_look(home)
            training_pages = await self._learn(knowledge, scope, home)
            self._fill_frontier(knowledge, home, training_pages)
            await self._read_lists(home, scope, training_pages)
            save_knowledge(
                session.knowledge_path, knowledge
            )  # from here on a crawl goes on; before, all is done anew with the answers kept
            for item in self.training_page_items(training_pages):
                yield item
        session.doing("crawling")

    async def _true_home(self, knowledge: SiteKnowledge, start: Page) -> Page:
        """Return the home page if the start URL is a feed or a post; the survey has read it
        already.
        """
        if canonicalize(knowledge.blog.url) == canonicalize(start.url):
            return start
        try:
            home = await self.session.fetch(knowledge.blog.url, kind="home")
        except BlogcrawlError:
            return start
        return home if home.status < 300 else start

    async def _left_training_pages(
        self, answers: KeptAnswers
    ) -> AsyncIterator[PostPage | ExtractedPost]:
        """Yield training pages that were fetched and not archived when the crawl was broken off."""
        from blogcrawl.crawling.pipelines.render import renderer_of

        knowledge = self.session.known
        # all before the first is handed on: from then on the frontier gives out what no one has
        # taken
        for url, page in [left for left in answers.posts() if self.frontier.take(left[0])]:
            if self.session.model is not None and self.session.model.parts is not None:
                for part in await self.session.services.gate.run(
                    partial(self._parts_of, page, url)
                ):
                    yield part
                continue
            key = canonicalize(url)
            entry = knowledge.described(key)
            whole = await renderer_of(self.session.services.crawler)(page, entry)
            yield PostPage(
                page=whole, entry=entry, promised=key in knowledge.promised, frontier_url=url
            )

    def _parts_of(self, page: Page, url: str) -> list[PostPage | ExtractedPost]:
        return list(self.reader.read(page, url, 1))

    # what is known of the blog

    def _adopt(self, knowledge: SiteKnowledge, scope: Scope, home: Page) -> None:
        """From now on the crawl knows its blog. A blog's id and address never change once it has
        them.
        """
        session = self.session
        found = replace(knowledge.blog, hosting_ip=session.hosting_ip, http_status=home.status)
        row = (
            session.blog_row
            or session.services.state.get_blog(canonicalize(found.url))
            or session.services.state.get_blog(found.url)
        )
        if row is not None and session.fence and row.id != session.services.config.blog_id:
            # The lease is on the address's own id: two jobs would write one blog.
            raise UsageError(f"this address leads to {row.url}, a blog that is known already")
        if row is None and not session.services.config.blog_id:
            session.rename(blog_id(found.url))
        elif row is not None:
            session.rename(row.id)
            found = replace(found, url=row.url)
        session.blog_row, session.blog, session.knowledge = row, found, knowledge
        session.elsewhere = session.elsewhere or other_host(home, scope)
        self.frontier.other_hosts |= {*knowledge.other_hosts, session.elsewhere or ""} - {""}
        session.use_corrections()
        self._note_months(home, scope)
        session.has_search = is_html(home) and offers_search(home)
        self.candidates.home = self.reader.last_look.home = home
        self.frontier.enter(scope)
        self.frontier.sources_complete = sources_complete(knowledge)
        self.frontier.listing = self.candidates.listing
        self.frontier.incomplete_months = self._incomplete_months

    def _incomplete_months(self, months: Sequence[str]) -> list[str]:
        """Return which of the unread lists of months have posts that the archive lacks."""
        session = self.session
        published = [post.published for post in session.services.state.posts(session.blog_id)]
        stated = session.memory.get("months", {})
        today, read = datetime.now(UTC).date(), self.frontier.months_read()
        return incomplete_months(months, stated, published, today, read)

    def _note_months(self, home: Page, scope: Scope) -> None:
        """Note how many posts the start page states for months, by which the archive is judged, and
        where it says that older ones are."""
        from blogcrawl.discovery.archives import (
            first_year,
            former_place,
            language_links,
            offers_random_post,
            other_languages,
            stated_months,
        )

        if is_html(home):
            self.session.memory["months"] = stated_months(home)
            self.session.former_place = former_place(home, scope)
            self.session.first_year = first_year(home)
            self.session.languages = language_links(home)
            self.session.has_random_post = offers_random_post(home)
            self.session.languages_outside = other_languages(home, scope)

    def _note_look(self, home: Page) -> None:
        """Replay begins at the start page: what it needs to be shown is part of the evidence."""
        from blogcrawl.crawling.pipelines.requisites import requisites_of

        if self.session.services.config.media and is_html(home):
            requisites_of(self.session.services.crawler).note(home)

    def _resume(self, home: Page) -> bool:
        """Go on with a crawl that was broken off: True if its frontier, knowledge and model are all
        there.
        """
        row = self.session.blog_row
        if (
            row is None
            or row.learned is None
            or not self.frontier.counts().pending + self.frontier.counts().done
        ):
            return False
        knowledge = load_knowledge(self.session.knowledge_path)
        if knowledge is None:
            return False
        from blogcrawl.extraction.model import BlogModel

        try:
            self.session.use(BlogModel.from_json(row.learned))
        except (KeyError, ValueError, TypeError):
            return False
        config = self.session.services.config
        start_url = self.session.services.start_url
        scope = Scope.around(start_url, home.url, config.include, config.exclude)
        widen_by_start_page(scope, home)
        scope.widen(entry.url for entry in knowledge.entries.values())
        self._adopt(knowledge, scope, home)
        # a kill may have come between the knowledge of a late sitemap and the frontier
        self.candidates.push_sources()
        self.session.is_resumed = True
        logger.info(
            "going on where the last crawl was broken off: %d pages to do",
            self.frontier.counts().pending,
        )
        return True

    async def _learn(
        self, knowledge: SiteKnowledge, scope: Scope, home: Page
    ) -> list[learning.TrainingPage]:
        from blogcrawl.crawling import learning

        session = self.session
        known = await self.read_by_known_rules(home) if self.read_by_known_rules else None
        if known is not None:
            if session.learned.parts is None:
                knowledge.fold_parts()
            return known
        session.doing("learning from the newest posts")
        if knowledge.entries or knowledge.candidates:  # a blog: those who look see that it begins
            session.blog_row = save_model(session)
        entries = learning.training_entries(knowledge, scope, session.services.config.learn_entries)
        training_pages = await learning.fetch_training_pages(session, entries, self.session.missed)
        if not training_pages:  # no feed, or one whose addresses lead nowhere
            training_pages = await self._guessed_training_pages(knowledge, scope, home)
            training_pages = await self._with_other_feed(knowledge, scope, training_pages)
        training_pages = learning.without_notices(session, training_pages, self.session.missed)
        training_pages, shape = learning.parts_within(
            session, training_pages, knowledge, home.url, home
        )
        if not training_pages and not knowledge.entries and not knowledge.candidates:
            raise self._no_blog(knowledge, home)
        if shape is None:
            knowledge.fold_parts()
        if session.model is None or len(training_pages) >= learning.MIN_TRAINING_PAGES:
            model = session.use(learning.learn_within(session, training_pages, knowledge, home))
            model.parts = shape
        await session.breathe()
        session.blog_row = save_model(session)
        for training_page in training_pages:
            self.session.missed.pop(training_page.key, None)
        return training_pages

    async def _guessed_training_pages(
        self, knowledge: SiteKnowledge, scope: Scope, home: Page
    ) -> list[learning.TrainingPage]:
        """Fetch pages that may be posts, others in the place of those that are refused or dead;
        where they are no posts, lists and what these link to.
        """
        from blogcrawl.crawling import learning

        missed = self.session.missed
        training_pages: list[learning.TrainingPage] = []

        async def fetch(guesses: list[FeedEntry]) -> int:
            found = await learning.fetch_training_pages(self.session, guesses, missed)
            training_pages.extend(found)
            return len(found)

        for _ in range(learning.BLIND_ROUNDS):
            wanted = learning.BLIND_SAMPLES - len(training_pages)
            known = {*missed, *(page.key for page in training_pages)}
            guesses = learning.guessed_training_entries(knowledge, home, scope, wanted, known)
            if not guesses or await fetch(guesses) == len(guesses):
                break
        posts = learning.within_limits(
            self.session, training_pages, knowledge, lambda left: learning.dated_posts(left, home)
        )
        if len(posts[0] or ()) < learning.ENOUGH:
            known = {*missed, *(page.key for page in training_pages)}
            await fetch(learning.list_teachers(knowledge, known))
            for _ in range(learning.BLIND_LEVELS):
                more = learning.within_limits(
                    self.session,
                    training_pages,
                    knowledge,
                    lambda left: learning.more_training_entries(left, home, scope),
                )
                await fetch(more[0] or [])
        return training_pages

    async def _with_other_feed(
        self, knowledge: SiteKnowledge, scope: Scope, guessed: list[learning.TrainingPage]
    ) -> list[learning.TrainingPage]:
        """Read the feed of a section, where the blog has no other: its entries say what pages may
        not (the time zone); texts are learned from the pages all the same. Return the pages of its
        entries before the others that were ``guessed``.
        """
        from blogcrawl.crawling import learning

        session, missed = self.session, self.session.missed
        if session.survey is None or knowledge.post_feed is not None:
            return guessed
        probes = [probe for read in guessed for probe in session.survey.found_page(read.page)][:1]
        if not probes:
            section = learning.section_page(guessed, scope)
            lists = await learning.fetch_training_pages(session, section, missed)
            guessed = [*guessed, *lists]
            probes = [probe for read in lists for probe in session.survey.found_page(read.page)]
        if not probes:
            return guessed
        await ask_all(session, session.survey, probes)
        entries = learning.training_entries(knowledge, scope, session.services.config.learn_entries)
        fetched = await learning.fetch_training_pages(session, [*map(bare, entries)], missed)
        keys = {page.key for page in fetched}
        return [*fetched, *(page for page in guessed if page.key not in keys)]

    def _no_blog(self, knowledge: SiteKnowledge, home: Page) -> Exception:
        if self.session.forwards is not None:
            return self.session.forwards
        feed = self.session.services.feed
        if feed or (knowledge.post_feed is not None and not knowledge.post_feed.entries):
            return FeedError(
                "the feed is empty, and no other source lists posts",
                url=feed or knowledge.post_feed.url,  # type: ignore[union-attr]
            )
        missed = self.session.missed.values()
        if missed and all(reason.startswith(FORBIDDEN) for reason in missed):
            return RobotsError(
                f"{FORBIDDEN}: all {len(missed)} pages tried that may be posts or lists",
                url=home.url,
            )
        return NotABlogError("no feed, no sitemap and no page that looks like a post", url=home.url)

    def training_page_items(
        self, training_pages: list[learning.TrainingPage]
    ) -> Iterator[PostPage]:
        """Yield the training pages as items; of pages with several posts all posts, also those that
        the feed did not show. Takes them out of ``training_pages``, without what learning derived
        of them: what is archived needs no memory any more.
        """
        shape = self.session.model.parts if self.session.model is not None else None
        for training_page in training_pages:
            training_page.page.forget()
        if shape is None:
            while training_pages:
                yield self._training_page_item(training_pages.pop(0))
            return
        wholes = {
            clean(training_page.entry.url): training_page.page.whole
            for training_page in training_pages
        }
        training_pages.clear()
        for url in list(wholes):
            page = wholes.pop(url)
            if page is not None:
                page.forget()
                yield from self.parts.items(shape, page, url)

    def _training_page_item(self, training_page: learning.TrainingPage) -> PostPage:
        return PostPage(
            page=training_page.page,
            entry=training_page.entry,
            promised=self.session.is_promised(training_page.key),
            frontier_url=training_page.entry.url,
        )

    # filling the frontier

    def _fill_frontier(
        self, knowledge: SiteKnowledge, home: Page, training_pages: list[learning.TrainingPage]
    ) -> None:
        """Push all that is known to the frontier, on disk; the training pages are in flight
        already.
        """
        from blogcrawl.rendering.framesets import inline_urls

        frontier = self.frontier
        self._learn_pattern(knowledge, home, training_pages)
        for training_page in training_pages:
            is_post = (
                training_page.key in knowledge.promised and training_page.key in knowledge.entries
            )
            frontier.push(training_page.entry.url, "post" if is_post else "page")
        self._push_dead(knowledge)
        self.candidates.push_sources()
        frontier.push(home.url, "hub")
        for url in (home.url, *(training_page.entry.url for training_page in training_pages)):
            frontier.take(url)
        self._push_links(home, training_pages)
        for url in (*knowledge.hubs, *filter(self.session.in_scope, inline_urls(home))):
            frontier.push(url, "hub", depth=1)
        if not any(_is_part_of(training_page, home) for training_page in training_pages):
            frontier.done(home.url, None, False)

    def _push_links(self, home: Page, training_pages: list[learning.TrainingPage]) -> None:
        self.reader.note_pages(home, home.url)
        links = page_links(home)
        self.reader.promise_entries(home, links)
        self.frontier.push_links(home.url, links, 0)
        self.reader.second_look.note(home)
        pages = (training_page.page.whole or training_page.page for training_page in training_pages)
        for page in {id(page): page for page in pages}.values():
            self.reader.note_pages(page, page.url)
            self.frontier.push_links(page.url, page_links(page), 1)

    def _learn_pattern(
        self, knowledge: SiteKnowledge, home: Page, training_pages: list[learning.TrainingPage]
    ) -> None:
        """Show the frontier what addresses of posts and of other pages look like."""
        from blogcrawl.crawling import learning

        promised = [
            entry.url for key, entry in knowledge.entries.items() if key in knowledge.promised
        ]
        posts, others = (
            [training_page.page.url for training_page in some]
            for some in learning.sorted_within(self.session, training_pages, knowledge, home)
        )
        posts += self.parts.like_posts_pages(
            [*knowledge.hubs, *(link.url for link in page_links(home))]
        )
        self.frontier.learn_pattern([*promised, *posts], [*knowledge.hubs, *others])

    def _push_dead(self, knowledge: SiteKnowledge) -> None:
        """Push the feed's posts that were requested while learning and are gone."""
        for key, why in self.session.missed.items():
            if why in DEAD and key in knowledge.entries:
                url = knowledge.entries[key].url
                self.frontier.push(url, "post")
                self.frontier.failed(url, why)

    async def _read_lists(
        self, home: Page, scope: Scope, training_pages: list[learning.TrainingPage]
    ) -> None:
        """Read lists that may have dates first, if posts don't show theirs."""
        from blogcrawl.crawling import learning
        from blogcrawl.crawling.list_dates import ListReader, undated

        session, model = self.session, self.session.learned
        # pages with several posts are the lists
        account = session.services.limits.account
        wanted = model.parts is None and session.attempt(
            "reading the days of", home.url, lambda: undated(model, training_pages, account)
        )
        if not wanted:
            self.candidates.push_next()
            return
        # a sitemap shows how many posts lack their day
        if session.survey is not None and session.known.guesses:
            await ask_all(session, session.survey, session.survey.release())
            self.candidates.push_sources()

        def follow(page: Page) -> None:
            self.frontier.push(page.url, "hub", depth=1)
            self.frontier.take(page.url)
            self.reader.follow(page, 1)
            self.frontier.done(page.url, None, False, len(page.body))

        reader = ListReader(session, model, scope, session.survey, follow)
        reader.asked.update(
            (canonicalize(home.url), *(training_page.key for training_page in training_pages))
        )
        lists = [
            training_page.page
            for training_page in learning.sorted_within(
                session, training_pages, session.known, home
            )[1]
        ]
        pages = [
            home,
            *(
                training_page.page
                for training_page in training_pages[:3]
                if training_page.page not in lists
            ),
        ]
        read = await reader.read(pages, session.known.hubs, lists)
        self.candidates.push_sources()
        logger.info("posts don't show their day: %d lists were read for it", read)
        session.blog_row = save_model(session)


def other_host(home: Page, scope: Scope) -> str | None:
    """Return the host that nearly all links of a start page lead to, where it is another one: the
    blog has moved, or what is here is its front page only.
    """
    links = dict.fromkeys(
        link.url for link in page_links(home) if resource_kind(link.url) == "page"
    )
    own = sum(scope.contains(url) and canonicalize(url) != scope.home_key for url in links)
    hosts = Counter(urlsplit(url).netloc for url in links if not scope.contains(url))
    host, number = hosts.most_common(1)[0] if hosts else ("", 0)
    return host if number >= OTHER_HOST * max(1, own) else None


def _is_part_of(training_page: learning.TrainingPage, page: Page) -> bool:
    """Return whether the training page is one of several posts on ``page``."""
    return training_page.page.whole is not None and canonicalize(
        training_page.page.url
    ) == canonicalize(page.url)
