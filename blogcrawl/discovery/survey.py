"""The survey: asks a blog what it has, source by source, in as few requests as show it.

A state machine without input or output: ``probes`` names what to fetch, ``receive`` takes an answer
and returns the next requests; ``knowledge`` holds what was learned so far. Order: the announced
feed and the sitemaps of robots.txt in one wave; then one probe that shows whether older feed pages
can be had, and on to their end where they can; guesses at usual addresses only where nothing was
announced, and those at a sitemap or an archive only when the frontier asks for lists (``guesses``)
or ``release`` is called.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urljoin

from blogcrawl.core.costs import cpu_limit
from blogcrawl.core.errors import FeedError, TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Feed
from blogcrawl.discovery.archives import find_hubs
from blogcrawl.discovery.blog_record import add_feed, describe_page
from blogcrawl.discovery.collector import IS_POST, Collector
from blogcrawl.discovery.extra_feeds import ExtraFeeds
from blogcrawl.discovery.feed_finder import FeedFinder
from blogcrawl.discovery.feeds import A_PAGE, parse_feed
from blogcrawl.discovery.knowledge import MAX_CONTENTS, SiteKnowledge, UnreadSource, bare
from blogcrawl.discovery.links import announced_feeds, blog_roots, choose_post_feed, says_comments
from blogcrawl.discovery.pagination import FeedWalker, looks_like_files
from blogcrawl.discovery.platforms import detect, with_feed
from blogcrawl.discovery.probes import Asked, Probe, Task, probe_for
from blogcrawl.discovery.public_data import total_results, wp_api_root
from blogcrawl.discovery.sitemap_walker import SitemapWalker
from blogcrawl.urls.canonical import Scope, canonicalize
from blogcrawl.urls.post_pattern import PostPattern

MAX_PROBES = 3000
MAX_HUBS = 300
NO_SUCH = frozenset({"HTTP 404", "HTTP 410"})
REFUSALS = frozenset({400, 401, 402, 403, 405, 406, 414, 501})
ENOUGH_ENTRIES = 3
"""Of a feed, to do without guesses at first."""


class Survey:
    """``home``: the start page as fetched (may itself be a feed). ``feed_url``: what the user
    named.

    ``enabled`` False asks for the blog's own feed and nothing else.
    """

    def __init__(
        self,
        home: Page,
        robots_txt: str | None = None,
        feed_url: str | None = None,
        enabled: bool = True,
        scope: Scope | None = None,
    ) -> None:
        self._robots_txt, self._feed_url, self._enabled = robots_txt, feed_url, enabled
        self.knowledge = SiteKnowledge(blog=Blog(url=home.url))
        self._collector = Collector(self.knowledge, home.url, scope)
        self._finder, self._walker, self._sitemap_walker = (
            FeedFinder(),
            FeedWalker(self._collector),
            SitemapWalker(self._collector),
        )
        self._extra = ExtraFeeds(self._collector)
        self._pending: dict[str, Task] = {}
        self._asked: dict[str, str] = {}
        self._has_archive, self._sent = True, 0
        self._released = False
        self.seconds_per_megabyte = 0.0
        """CPU time for an answer, and as much for each further megabyte; 0: no limit."""
        self._start(home)
        self._go_idle()

    @classmethod
    def again(
        cls,
        knowledge: SiteKnowledge,
        scope: Scope,
        sources: Iterable[UnreadSource],
        archived: Iterable[str],
    ) -> Survey:
        """Ask for ``sources`` that an earlier visit could not read, and for what they lead to;
        nothing else.

        ``archived``: canonical URLs of posts that are known; pages of a feed that show nothing else
        end a walk.
        """
        empty = Page(url=knowledge.blog.url, body=b"", status=200, headers={})
        survey = cls(empty, enabled=False, scope=scope)
        survey.knowledge = knowledge
        survey._collector = collector = Collector(knowledge, knowledge.blog.url, scope)
        collector.evidence.update(archived)
        survey._walker, survey._sitemap_walker, survey._extra = (
            FeedWalker(collector),
            SitemapWalker(collector),
            ExtraFeeds(collector),
        )
        survey._finder, survey._pending, survey._asked, survey._sent = FeedFinder(), {}, {}, 0
        wanted = list(sources)
        seen = max((source.seen for source in wanted), default=0)
        roots = (source.url.partition("wp/v2/")[0] for source in wanted if source.way == "wp-json")
        survey._walker.go_on(seen=seen, api_root=next(roots, None))
        survey._ask(
            (one.url, Task(one.kind, way=one.way, number=one.number, depth=one.depth))  # type: ignore[arg-type]
            for one in wanted
        )
        return survey

    def probes(self) -> list[Probe]:
        """Everything asked for and not answered yet."""
        return [probe_for(url, task) for url, task in self._pending.items()]

    def is_guess(self, url: str) -> bool:
        """Return whether ``url`` is asked for though nothing has named it."""
        return url in self._pending and self._pending[url].guess

    @property
    def done(self) -> bool:
        """Nothing is outstanding."""
        return not self._pending

    @property
    def requests(self) -> int:
        """Probes requested so far."""
        return self._sent

    @property
    def collector(self) -> Collector:
        """Who gathers what sources say; for those that are read later."""
        return self._collector

    @property
    def scope(self) -> Scope:
        """The scope, widened by where the feed's posts lie."""
        return self._collector.scope

    def _ask(self, wanted: Iterable[tuple[str, Task]]) -> list[Probe]:
        out = []
        for url, task in wanted:
            if url not in self._asked and len(self._asked) < MAX_PROBES:
                self._asked[url] = task.kind
                self._pending[url] = task
                self._sent += 1
                out.append(probe_for(url, task))
        return out

    def _start(self, home: Page) -> None:
        try:
            feed = parse_feed(home.body, home.url, home.headers)
        except FeedError:
            self._ask(self._learn_home(home))
            return
        self.knowledge.note("the start URL is a feed")
        self._asked[home.url] = "feed"
        if feed.home_url and feed.home_url != home.url:
            self._move_home(feed.home_url)
            self._ask([(feed.home_url, Task("home"))])
        self._ask(self._take_feed(feed, home.body))

    def _announced_post_feeds(self, home: Page) -> list[str]:
        """Return the post feeds that the start page announces; note its comment feed."""
        announced = announced_feeds(home)
        comments = [url for url, title in announced if says_comments(url, title)]
        self.knowledge.blog_comment_feed = next(iter(comments), None)
        return [url for url, _ in announced if url not in comments]

    def _learn_home(self, home: Page) -> Asked:
        known = self.knowledge
        known.platform = detect(home, known.post_feed)
        blog = describe_page(home, known.platform)
        known.blog = add_feed(blog, known.post_feed) if known.post_feed else blog
        self._walker.api_root = known.api_root = wp_api_root(home)
        self._walker.as_files = looks_like_files(home.headers)
        self._collector.see_home(home)
        hubs = find_hubs(home, self.scope)[:MAX_HUBS]
        known.hubs = [url for url, _ in hubs]
        self._has_archive = any(kind == "all" for _, kind in hubs)
        wanted = []
        posts = self._announced_post_feeds(home)
        if known.post_feed is None:
            wanted += self._finder.start(home, posts, known.platform, self._feed_url)
        elif self._enabled:
            wanted += self._walker.plan(known.post_feed)
        if self._enabled:
            wanted += self._sitemap_walker.start(self._robots_txt, home)
        return wanted

    def receive(self, probe: Probe, page: Page | None, error: str | None = None) -> list[Probe]:
        """Take the answer to ``probe`` (``page`` None and ``error`` without a page) and say what to
        fetch next.

        An answer that no request waits for is ignored. Knowledge is settled whenever nothing is
        outstanding any more.
        """
        task = self._pending.pop(probe.url, None)
        if task is None:
            return []
        if page is None or not 200 <= page.status < 300:
            why = f"HTTP {page.status}" if page is not None else error or "no answer"
            wanted = self._missed(
                probe.url, task, why, refused=page is not None and page.status in REFUSALS
            )
        else:
            self._asked.setdefault(page.url, task.kind)
            seconds = self.seconds_per_megabyte * (1 + len(page.body) / 2**20)
            try:
                with cpu_limit(seconds, page.url):
                    wanted = self._dispatch(probe.url, task, page)
            except (FeedError, TooCostlyError) as fault:
                wanted = self._missed(
                    probe.url, task, fault.message, refused=isinstance(fault, FeedError)
                )
        return self._ask(wanted) + self._go_idle()

    def _go_idle(self) -> list[Probe]:
        """Request what else is worth it, or settle, once nothing is outstanding."""
        out: list[Probe] = []
        while not self._pending:
            idle = self._when_idle()
            if idle is None:
                self._leave_guesses()
                self._collector.settle()
                break
            out += self._ask(idle)
        return out

    def _dispatch(self, url: str, task: Task, page: Page) -> Asked:
        if task.kind == "home":
            return self._learn_home(page)
        if task.kind == "sitemap":
            return self._sitemap_walker.take(url, task, page, self._asked)
        if task.way:
            return self._walker.take(task, page, self._asked)
        feed = parse_feed(page.body, page.url, page.headers)
        if task.kind == "extra-feed":
            self._extra.take(feed, of_section=task.guess)
            self._remember(feed)
            return []
        return self._take_feed(feed, page.body)

    def _note_missed(self, url: str, task: Task, why: str, *, refused: bool) -> None:
        is_trial = why in NO_SUCH or (task.way and why == "HTTP 400")
        is_absent = is_trial and task.way != "rfc5005"  # the feed itself leads there
        if task.kind == "home" or is_absent:
            if not task.guess and not task.way:
                self.knowledge.note(f"{task.kind} {url}: {why}")
        elif self._is_loss(task, why, refused=refused):
            self._could_not_read(url, task, why, refused=refused)

    def _missed(self, url: str, task: Task, why: str, *, refused: bool) -> Asked:
        """Handle a probe without response; ``refused``: the server has answered, and will hardly
        answer otherwise another day.
        """
        self._note_missed(url, task, why, refused=refused)
        if task.way:
            return self._walker.missed(task, why)
        if task.kind == "extra-feed":
            self._extra.brought.append(0)
        return self._sitemap_walker.missed(task, why) if task.kind == "sitemap" else []

    def _is_loss(self, task: Task, why: str, *, refused: bool) -> bool:
        """Return whether the source was named by the blog, not guessed or tried on the chance."""
        if task.guess or task.presumed:
            return False
        return not (self._walker.is_trial(task) and (refused or "robots.txt" in why))

    def _is_replaced(self, task: Task, why: str, *, refused: bool) -> bool:
        """Return whether another page stands in the place of a source: it lists no posts that pages
        don't show.
        """
        if task.kind in ("feed", "extra-feed"):
            return why.startswith(A_PAGE) and not task.way
        is_read = refused and not why.startswith("HTTP ")
        return task.kind == "sitemap" and not task.depth and is_read

    def _could_not_read(self, url: str, task: Task, why: str, *, refused: bool) -> None:
        posts = self._walker.expected(task) if task.way else None
        if self._is_replaced(task, why, refused=refused):
            posts = 0.0
        self.knowledge.could_not_read(
            UnreadSource(
                url=url,
                reason=why,
                kind=task.kind,
                way=task.way,
                number=task.number,
                depth=task.depth,
                seen=self._walker.seen if task.way else 0,
                posts=posts,
            )
        )

    def _when_idle(self) -> Asked | None:
        """Return what else is worth a request when every answer is in, or None if nothing is."""
        known = self.knowledge
        if self._finder.left and not (known.post_feed and known.post_feed.entries):
            return self._finder.next()
        if not self._enabled:
            return None
        if not self._walker.planned:
            return self._walker.plan(known.post_feed)
        if known.walked_to_end:
            return None
        if self._finder.announced and known.post_feed is not None:
            return self._finder.other_stream(known.post_feed)
        if not self._released and self._may_wait():
            return None
        return self._guess()

    def _guess(self) -> Asked | None:
        """Return what may hold posts besides the feed: usual sitemaps, sections' feeds, the archive
        page, small sitemaps.
        """
        known = self.knowledge
        if guess := self._sitemap_walker.guess():
            return guess
        if sections := self._extra.sections(brought=self._sitemap_walker.brought):
            return [asked for asked in sections if asked[0] not in self._asked]
        has_usual = not self._has_archive and bool(known.platform.engine.archive)
        if has_usual and not self._sitemap_walker.brought:
            # nothing but links is left: the engine's usual archive page is worth one try
            self._has_archive = True
            known.hubs.insert(0, self._usual_archive())
        # without a list, what sitemaps of few posts each hold is reached by them only
        return None if known.hubs else self._sitemap_walker.reserve() or None

    def _may_wait(self) -> bool:
        """May the guesses wait, for the posts' own links or a list may prove them needless? The
        feed must show what posts look like.
        """
        known = self.knowledge
        return (
            not known.walked_to_end
            and known.post_feed is not None
            and len(known.post_feed.entries) >= ENOUGH_ENTRIES
            and bool(self._sitemap_walker.guesses)
            # sections list their posts in feeds, whose names the sitemap knows
            and not known.platform.engine.section_feed
        )

    def release(self) -> list[Probe]:
        """Ask the guesses at once that were left to the frontier."""
        self._released, self.knowledge.guesses = True, []
        return self._go_idle()

    def _leave_guesses(self) -> None:
        """Leave candidates that were not requested to the frontier."""
        known = self.knowledge
        if self._released or not self._enabled or not self._may_wait():
            return
        known.guesses = list(self._sitemap_walker.guesses)
        if not self._has_archive and known.platform.engine.archive:
            known.guesses.append(self._usual_archive())

    def _usual_archive(self) -> str:
        return urljoin(
            blog_roots(self._collector.home_url)[0], self.knowledge.platform.engine.archive
        )

    def _remember(self, feed: Feed) -> None:
        self.knowledge.feeds[feed.url] = replace(feed, entries=())
        self.knowledge.blog = replace(self.knowledge.blog, feeds=tuple(self.knowledge.feeds)[:50])

    def _take_feed(self, feed: Feed, body: bytes) -> Asked:
        known = self.knowledge
        self._remember(feed)
        if feed.kind == "comments":
            known.blog_comment_feed = known.blog_comment_feed or feed.url
            known.note(f"{feed.url} is a feed of comments")
            return []
        entries = self._collector.mend(feed.entries, feed.home_url)
        self._collector.add_entries(entries, "feed")
        feed = replace(feed, entries=(*entries[:MAX_CONTENTS], *map(bare, entries[MAX_CONTENTS:])))
        if not feed.entries:
            known.note(f"feed {feed.url} has no entries")
        if not self._is_better(feed):
            return []
        known.post_feed = feed
        known.platform = with_feed(known.platform, feed)
        known.blog = replace(
            add_feed(known.blog, feed),
            platform=known.platform.name or None,
            platform_version=known.platform.version,
        )
        if not feed.entries:
            return []
        wanted = self._find_home(feed.home_url)
        count = total_results(body)
        if count is not None:
            known.expected_posts, known.walked_to_end = count, count <= len(feed.entries)
        self._finder.left = []
        wanted += self._finder.other_format(feed, self._asked)
        if self._enabled and not self._waits_for_home():
            wanted += self._walker.plan(feed)
        return wanted

    def _is_better(self, feed: Feed) -> bool:
        """Return whether ``feed`` takes the place of the post feed known so far."""
        old = self.knowledge.post_feed
        best = choose_post_feed([old, feed] if old is not None else [feed])
        return (best or old or feed) is feed

    def _find_home(self, home_url: str | None) -> Asked:
        """Return a start page that is not the feed's home: of a post the home page takes the place,
        else that is one more listing. Feeds that name themselves as their home have none.
        """
        known = self.knowledge
        url = self._collector.moved(home_url) if home_url else None
        start = self._collector.home_url
        if not url or canonicalize(url) == canonicalize(start) or not self.scope.contains(url):
            return []
        if (
            canonicalize(start) in known.promised
            or PostPattern.learn(e.url for e in known.entries.values()).score(start) >= IS_POST
        ):
            known.candidates.setdefault(canonicalize(start), (start, IS_POST))
            self._move_home(url)
            return [(url, Task("home"))]
        is_feed = known.post_feed is not None and canonicalize(url) == canonicalize(
            known.post_feed.url
        )
        if url not in known.hubs and not is_feed:
            known.hubs.insert(0, url)
        return []

    def _move_home(self, url: str) -> None:
        self._collector.home_url = url
        self._collector.scope = self._collector.scope.at(url)
        self.knowledge.blog = replace(self.knowledge.blog, url=url)

    def _waits_for_home(self) -> bool:
        """Return whether the home page is still to come (the start URL was a feed). It shows the
        platform.
        """
        return any(t.kind == "home" for t in self._pending.values())

    def feed_of(self, url: str) -> list[Probe]:
        """Ask for the feed of a list that was not read: lists of its kind announced theirs at such
        addresses.
        """
        offered = (
            self._extra.offer([url] if url not in self._asked else [], lacking=True)
            if self._enabled
            else []
        )
        for _, task in offered:
            task.presumed = True
        return self._ask(offered)

    def found_page(self, page: Page, *, lacking: bool = False) -> list[Probe]:
        """Look at any other page of the blog: its comment feed is noted; feeds of tags and authors
        that it links to are offered (low priority) as long as posts lack a feed's evidence and such
        feeds still bring some, the blog's own where none was found.

        ``lacking``: pages of posts don't say what feeds do (their day); then more of such feeds are
        worth a request."""
        offered = [url for url in self._extra.see(page) if url not in self._asked]
        return self._ask(self._extra.offer(offered, lacking=lacking)) if self._enabled else []
