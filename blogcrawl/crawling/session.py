"""What one crawl works with, its services, and what it knows and has found so far, its session.

Whatever has the crawler gets both by ``session_of(crawler)``.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.crawler import Crawler

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Logins
from blogcrawl.core.errors import BlogcrawlError, UsageError
from blogcrawl.core.netguard import Guard
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog
from blogcrawl.crawling.fence import Fence
from blogcrawl.crawling.fetch import Answer, fetch
from blogcrawl.crawling.frontier_handover import own_frontier
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.pipelines.media_cache import MediaCache
from blogcrawl.crawling.searchable import SearchFilling
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import FolderLock, disk_errors, probe_folder
from blogcrawl.storage.outage import StorageGate
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, Removal
from blogcrawl.storage.temporary import sweep_below
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.trailing_slash import SlashHabit

if TYPE_CHECKING:
    from blogcrawl.crawling.response_cache import KeptAnswers
    from blogcrawl.discovery.knowledge import SiteKnowledge
    from blogcrawl.discovery.survey import Survey
    from blogcrawl.extraction.corrections import Corrections
    from blogcrawl.extraction.model import BlogModel
    from blogcrawl.extraction.pages.duplicate_response import Echoes
    from blogcrawl.frontier.frontier import Frontier
    from blogcrawl.storage.evidence import EvidenceWriter
    from blogcrawl.storage.web_archive import CaptureSource


T = TypeVar("T")
logger = logging.getLogger(__name__)

NUMBERS = "numbers"
"""What pages have shown of the blog, kept with the frontier for a run that goes on with this one:
numbers that the engine gave posts, by canonical URL;"""
OLDER_PATHS, OLDER_ELSEWHERE = "older paths", "older elsewhere"
"""tag paths of lists' links to their older posts; where such a link leads that names another host,
as the last page of a list has;"""
UNOPENED, UNDRAWN = "unopened", "undrawn"
LED_TO = "led-to"
"""Address that gave no post -> the one that it redirected to (canonical)."""
"""why lists may show more posts than was read of them, by their addresses, and the same of pages
besides posts that only a browser shows: few of them are lists;"""
BY_SCRIPT = "by script"
"""whether the start page leads to further lists by links that only a browser shows;"""
UNDIVIDED = "undivided"
"""posts (canonical) with lines of several days, as diaries have whose pages were not cut;"""
ALBUMS, AMONG_POSTS = "albums", "among posts"
"""what the addresses of albums' pages begin with; addresses that are linked where posts are;"""
GUESSED = "guessed"
"""pages (canonical) behind broken ones of lists: nothing leads to them;"""
DISOWNED = "disowned"
"""keys of records of pages that turned out to be no one's post, where many redirect to one."""
READ_AS_PAGES = frozenset({"home", "page", "post"})
"""Kinds of requests whose HTML is parsed."""
MAX_UNFORESEEN = 100
MAX_FEEDS, MAX_FEED_BYTES = 8, 4 * 2**20
"""Feeds whose bodies are held (those requested before the blog's own is known), and how large they
may be; the evidence has all.
"""


@dataclass(frozen=True, kw_only=True)
class CrawlServices:
    """What a crawl works with; the same from its beginning to its end."""

    crawler: Crawler
    config: Config
    state: SqlState
    store: PackageStore
    guard: Guard
    media: MediaCache
    search: SearchFilling
    gate: StorageGate
    """All that is written goes through it, and all that is fetched waits for it."""
    limits: Fence
    """What reading one page may cost."""
    folder: Path
    """Scratch space of the blog's crawls: frontier, knowledge, media under way. Named by the start
    URL, so that the next run finds it.
    """
    lock: FolderLock
    """Keeps other processes out of ``folder``; jobs of a schedule share it: leases decide between
    them."""
    start_url: str
    feed: str
    """The feed that the operator names; empty: discovery finds it."""
    since: datetime | None
    """Older posts are not wanted."""
    started: datetime

    @property
    def fence(self) -> int:
        return self.config.lease_token

    def probe(self) -> None:
        """Raises what a write to state, store or scratch folder would raise at the moment."""
        probe_folder(self.folder)
        self.state.probe()
        self.store.probe()


@dataclass(kw_only=True)
class Session:
    """What one crawl knows and has found so far. ``knowledge`` and ``model`` are whole values that
    are replaced, never filled bit by bit.
    """

    services: CrawlServices
    crawl: CrawlRow
    blog_id: str
    captures: CaptureSource | None = None
    """What is read in place of the web; None: the web."""
    evidence: EvidenceWriter | None = None
    """Where the HTTP traffic goes (``recording.RecordingHandler`` writes it); None: no WARC
    wanted."""
    blog_row: BlogRow | None = None
    """As it stood before this crawl; None for a new blog."""
    blog: Blog = field(default_factory=lambda: Blog(url=""))
    """What discovery found out of the blog itself."""
    hosting_ip: str | None = None
    knowledge: SiteKnowledge | None = None
    survey: Survey | None = None
    """How ``knowledge`` came about; None after a resume."""
    model: BlogModel | None = None
    memory: dict[str, Any] = field(default_factory=dict)
    """JSON that stages want to find again on the next crawl (rules of comments, …), a key a stage;
    saved with the blog.
    """
    answers: KeptAnswers | None = None
    """What a first crawl was given before it had a frontier; None: nothing is kept."""
    removed: Mapping[str, Removal] = field(default_factory=dict)
    """Key of an address -> the tombstone of a post that was removed from the archive: neither
    fetched nor archived again.
    """
    former_place: str | None = None
    """Where the start page says that older posts are, on another host."""
    first_year: int = 0
    """First of the years that the start page claims the rights of; 0: it names one or none."""
    languages: Sequence[str] = ()
    """Addresses (canonical) that the start page calls by the name of a language."""
    languages_outside: Sequence[str] = ()
    """Addresses out of scope at which the blog is in another language."""
    has_search: bool = False
    """The start page offers a search of the blog."""
    has_random_post: bool = False
    """The start page leads to one post or other, another one each time."""
    elsewhere: str | None = None
    """Host that the start page leads to, where it has hardly any links to its own pages."""
    forwards: BlogcrawlError | None = None
    """What is wrong where no blog is found: the start page leads to a host that is not there."""
    known_corrections: Corrections | None = None
    """The operator's corrections of the blog; they win over all that is learned."""
    slashes: SlashHabit = field(default_factory=SlashHabit)
    feed_bodies: dict[str, bytes] = field(default_factory=dict)
    """Feeds as they came, by the address they came from: the blog's own goes into its package."""
    missing_before: dict[str, Any] = field(default_factory=dict)
    """What the crawls before this one missed, see ``report.remember_missing``."""
    missed: dict[str, str] = field(default_factory=dict)
    """Why pages could not be read, by canonical URL."""
    feeds: dict[str, dict[str, Any]] | None = None
    """What an update found of feeds and sitemaps; None while the blog is crawled as a new one."""
    is_resumed: bool = False
    """Whether the crawl goes on where an earlier run was broken off."""
    redirected: set[str] = field(default_factory=set)
    """Promised addresses (canonical) that turned out to be other names of posts."""
    skips_archived: bool = False
    """Whether a crawl that looks at the whole blog does not read again what is archived."""
    seen_by_browser: Callable[[str], Page | None] = lambda url: None
    """What the browser of this crawl was answered at an address, while it may be used again."""
    reads_for_news: bool = False
    """Whether the lists of a blog without a feed are read for what is new: what a crawl of all of
    it has found out stays."""
    absent: frozenset[str] = frozenset()
    """Usual addresses of feeds and sitemaps that are not requested: nothing was there before."""
    moved: set[str] = field(default_factory=set)
    """Addresses (canonical) of posts for which this crawl found other ones."""
    waiting: set[str] = field(default_factory=set)
    """Addresses of pages in flight that are judged when all others are in."""
    unforeseen: list[dict[str, str]] = field(default_factory=list)
    """Failures that no code expects: stage, url and error of each."""

    def note_unforeseen(self, stage: str, url: str, error: BaseException) -> str:
        """Note a failure that no code expects, for the report; in words."""
        message = f"{type(error).__name__}: {' '.join(str(error).split())[:200] or 'no message'}"
        logger.error(
            "a mistake in blogcrawl itself while %s %s: %s", stage, url, message, exc_info=error
        )
        if len(self.unforeseen) < MAX_UNFORESEEN:
            self.unforeseen.append({"stage": stage, "url": url, "error": message})
        return f"a mistake in blogcrawl itself while {stage} it: {message}"

    def attempt(self, stage: str, url: str, work: Callable[[], T]) -> T | None:
        """Return what ``work`` gives that the crawl can do without; None where it fails as no code
        expects, which is noted. Raises BlogcrawlError as ``work`` does."""
        try:
            return work()
        except BlogcrawlError:
            raise
        except Exception as error:
            self.note_unforeseen(stage, url, error)
            return None

    def use(self, model: BlogModel) -> BlogModel:
        """Extract with ``model`` from now on, and with the operator's corrections."""
        model.corrections = self.corrections
        model.places.albums.update(self.frontier.kept(ALBUMS))
        model.places.among.update(self.frontier.kept(AMONG_POSTS))
        self.model = model
        self.frontier.only_in_menu = lambda url: model.places.only_in_menu(url)
        return model

    @property
    def corrections(self) -> Corrections:
        """The operator's corrections of the blog."""
        from blogcrawl.extraction.corrections import Corrections

        return self.known_corrections or Corrections()

    def use_corrections(self) -> None:
        """Read the operator's corrections of the blog."""
        from blogcrawl.extraction.corrections import Corrections

        rows = self.services.state.corrections(self.blog_id)
        self.known_corrections = Corrections.of((row.kind, row.name, row.value) for row in rows)
        self.frontier.corrected = self.corrections.is_post
        if self.model is not None:
            self.use(self.model)

    @cached_property
    def echoes(self) -> Echoes:
        from blogcrawl.extraction.pages.duplicate_response import Echoes

        return Echoes(self.frontier.echoes(), self.frontier.echo)

    @property
    def fence(self) -> int:
        return self.services.fence

    @property
    def frontier(self) -> Frontier:
        """The crawl's frontier; the scheduler opens it."""
        return self.services.crawler.frontier  # type: ignore[attr-defined]

    @property
    def frontier_path(self) -> Path:
        """Where the frontier's file lies: one place a blog, so that the next run finds it."""
        if self.fence:
            return own_frontier(self.services.folder, self.crawl.spider, self.fence)
        return self.services.folder / f"{self.crawl.spider}.db"

    @property
    def knowledge_path(self) -> Path:
        return self.services.folder / f"{self.crawl.spider}.knowledge.json"

    @property
    def known(self) -> SiteKnowledge:
        """``knowledge``, once the blog is known."""
        assert self.knowledge is not None
        return self.knowledge

    @property
    def learned(self) -> BlogModel:
        """``model``, once the blog is learned."""
        assert self.model is not None
        return self.model

    @property
    def shares_pages(self) -> bool:
        """Do pages of the blog hold several posts each?"""
        return self.model is not None and self.model.parts is not None

    def is_promised(self, key: str) -> bool:
        """Did a feed, sitemap or platform listing name this canonical URL as a post?"""
        return self.knowledge is not None and key in self.knowledge.promised

    def is_home(self, url: str) -> bool:
        return canonicalize(url) == canonicalize(self.blog.url)

    def in_scope(self, url: str) -> bool:
        scope = self.frontier.scope
        return scope is None or scope.contains(url)

    @property
    def blog_urn(self) -> str:
        """Id of the blog's package: the one it has, else the blog's own id where that is a UUID,
        else from its URL.
        """
        from blogcrawl.packaging import ids

        if self.blog_row is not None and self.blog_row.aip_id:
            return self.blog_row.aip_id
        return ids.urn(self.blog_id if ids.is_uuid(self.blog_id) else ids.blog_id(self.blog.url))

    async def ask(
        self,
        url: str,
        *,
        kind: str,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 0,
        meta: Mapping[str, Any] | None = None,
    ) -> Answer:
        """See ``fetch.fetch``; what a crawl that was broken off has received already is not asked
        again.

        Raises TooCostlyError for a page that can't be read within the limits.
        """
        kept = self.answers.get(url, kind) if self.answers is not None else None
        answer = kept or await fetch(
            self.services.crawler,
            url,
            kind=kind,
            headers=headers,
            max_bytes=max_bytes,
            meta=meta,
        )
        page = answer.page
        if kind in READ_AS_PAGES:
            await self.vetted(page)
        if kind == "feed" and page.status == 200:
            self._keep_feed(page)
        if kept is not None:
            return kept
        if kind in ("page", "post") and page.status < 300:
            self.slashes.observe(url, page.url)
        if self.answers is not None:
            self.answers.put(url, kind, answer)
        return answer

    def _keep_feed(self, page: Page) -> None:
        if len(page.body) <= MAX_FEED_BYTES and len(self.feed_bodies) < MAX_FEEDS:
            self.feed_bodies[page.url] = page.body

    async def fetch(
        self, url: str, *, kind: str, headers: Mapping[str, str] | None = None, max_bytes: int = 0
    ) -> Page:
        """Return the Page at ``url``, whatever its HTTP status. Raises BlogcrawlError if there is
        no answer.
        """
        return (await self.ask(url, kind=kind, headers=headers, max_bytes=max_bytes)).page

    async def vetted(self, page: Page) -> Page:
        """Return ``page``, parsed if it is HTML, once it is known to be readable within the limits.
        Raises TooCostlyError.
        """
        from blogcrawl.extraction.model import BlogModel, extract_post

        if page.status >= 400 or not is_html(page):
            return page
        model = self.model or BlogModel()
        return await self.services.limits.vet(
            page, lambda page: extract_post(page, model, None, True)
        )

    def rename(self, blog_id: str) -> None:
        """Assign the crawl to this blog, which the start URL led to."""
        self.blog_id = self.services.media.blog_id = blog_id
        self.crawl = replace(self.crawl, blog_id=blog_id)
        self.removed = tombstones(self.services.state, blog_id, self.services.start_url)
        self.services.state.start_crawl(self.crawl)

    def count(self, name: str, by: int = 1) -> None:
        """Add to the live number ``blogcrawl/<name>``."""
        self.services.crawler.stats.inc_value(f"blogcrawl/{name}", by)

    def count_post(self, kind: str) -> None:
        """Count a post that is in the archive now: ``archived``, ``changed`` or ``unchanged``.

        The posts found are never fewer, so progress cannot exceed its total.
        """
        self.count(f"posts_{kind}")
        self.set_stat("posts_found", max(int(self.stat("posts_found") or 0), self.archived))

    def doing(self, what: str) -> None:
        """Set the short phrase of the progress line."""
        self.set_stat("doing", what)

    def set_stat(self, name: str, value: str | int) -> None:
        """Set the live number or phrase ``blogcrawl/<name>``."""
        self.services.crawler.stats.set_value(f"blogcrawl/{name}", value)

    def stat(self, name: str) -> str:
        """Return the live number or phrase ``blogcrawl/<name>``; empty without one."""
        return str(self.services.crawler.stats.get_value(f"blogcrawl/{name}", ""))

    @property
    def archived(self) -> int:
        """Posts of this crawl that are in the archive, new or not."""
        return sum(
            int(self.stat(f"posts_{kind}") or 0) for kind in ("archived", "changed", "unchanged")
        )

    async def breathe(self) -> None:
        """Let the network go on between two long computations."""
        await asyncio.sleep(0)


def session_of(crawler: Crawler) -> Session:
    """Return the session of a crawl's spider."""
    return crawler.spider.session  # type: ignore[union-attr]


def session_if_any(crawler: Crawler) -> Session | None:
    """Return the session of a crawl's spider; None before it is open and for spiders that crawl no
    blog.
    """
    session: Session | None = getattr(crawler.spider, "session", None)
    return session


def use_logins(crawler: Crawler, logins: Logins, guard: Guard) -> Logins:
    """Return those of ``logins`` for hosts that the operator named. Where one travels over TLS,
    certificates are verified from now on: no one in between gets a password for a certificate of
    their own making.
    """
    own = logins.for_hosts(guard.hosts)
    if any(origin.scheme == "https" for origin in own.origins):
        crawler.settings.set("DOWNLOAD_VERIFY_CERTIFICATES", True, priority="spider")
    return own


def tombstones(state: SqlState, blog_id: str, url: str) -> Mapping[str, Removal]:
    """Return those of a blog's posts, by the keys of their addresses. Raises UsageError if the blog
    itself was removed.
    """
    known = Tombstones(state)
    blog = known.blog(blog_id, url)
    if blog is not None:
        raise UsageError(f"this blog was {blog.sentence}", url=blog.url)
    return known.keys(blog_id)


def new_crawl_id(config: Config) -> str:
    """Return a new crawl id; in a cluster it begins with the job's, which may carry many blogs."""
    return f"{config.job_id}-{config.blog_id}" if config.job_id else uuid.uuid4().hex


async def fetch_found(
    session: Session, url: str, *, kind: str, headers: Mapping[str, str] | None = None
) -> tuple[Page | None, str | None]:
    """Return the Page at ``url`` where the answer is 200, and why it is missing: neither where it
    is as ``headers`` (validators) know it.
    """
    try:
        page = await session.fetch(url, kind=kind, headers=headers)
    except BlogcrawlError as error:
        return None, error.message
    if page.status == 200:
        return page, None
    is_known = page.status == 304 and headers is not None
    return None, None if is_known else f"HTTP {page.status}"


def open_session(
    crawler: Crawler,
    config: Config,
    *,
    spider: str,
    start_url: str,
    feed: str = "",
    since: datetime | None = None,
    state: SqlState | None = None,
    captures: CaptureSource | None = None,
) -> Session:
    """Open archive, state (or use the one given) and store. Raises ArchiveError, DiskFullError,
    LeaseLostError where another process is crawling the blog."""
    from blogcrawl.packaging.ids import blog_id
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.evidence import recover_earlier
    from blogcrawl.storage.ocfl import open_store

    started, key = datetime.now(UTC), canonicalize(start_url)
    if not (config.state_url and config.store_url):
        open_archive(config, now=started)
    folder = config.archive_path / "crawls" / blog_id(key)
    with disk_errors(str(folder)):
        lock = FolderLock(folder, shared=bool(config.lease_token))
    sweep_below(folder)
    if not config.lease_token:
        recover_earlier(folder)
    state = state or open_state(config)
    row = _known_blog(state, config, (start_url, key))
    identity = config.blog_id or (row.id if row else blog_id(key))
    removed = tombstones(state, identity, key)
    store = open_store(config, guard=lambda _object_id, fence: state.check_fence(identity, fence))
    services = CrawlServices(
        crawler=crawler,
        config=config,
        state=state,
        store=store,
        guard=config.guard([url for url in (start_url, feed) if url]),
        media=MediaCache(state, store, folder / "media", identity),
        search=SearchFilling(config, state, store),
        gate=StorageGate(config.storage_wait_seconds),
        limits=Fence(config.max_page_cpu_seconds, config.max_page_memory_bytes),
        folder=folder,
        lock=lock,
        start_url=start_url,
        feed=feed,
        since=since,
        started=started,
    )
    services.gate.probe = services.probe
    crawl = CrawlRow(
        id=new_crawl_id(config), blog_id=identity, spider=spider, node=config.node, started=started
    )
    memory = dict(row.stages) if row else {}
    return Session(
        services=services,
        crawl=crawl,
        blog_id=identity,
        captures=captures,
        evidence=_open_evidence(services, crawl.id, captures) if config.warc else None,
        removed=removed,
        blog_row=row,
        memory=memory,
        missing_before=dict(memory.get("missing", {})),
    )


def _known_blog(state: SqlState, config: Config, urls: Iterable[str]) -> BlogRow | None:
    """Return the row of the blog by the cluster's id, else by the first address it is known by."""
    for key in filter(None, (config.blog_id, *urls)):
        row = state.get_blog(key)
        if row is not None:
            return row
    return None


def _open_evidence(
    services: CrawlServices, crawl_id: str, captures: CaptureSource | None
) -> EvidenceWriter:
    from blogcrawl.storage.evidence import open_evidence

    settings = services.crawler.settings
    return open_evidence(
        services.folder,
        crawl_id=crawl_id,
        blog_url=services.start_url,
        operator=services.config.operator,
        user_agent=str(settings.get("USER_AGENT") or ""),
        obeys_robots=bool(settings.get("ROBOTSTXT_OBEY")),
        source=captures.provenance() if captures is not None else None,
    )
