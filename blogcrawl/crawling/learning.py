"""Which pages are training pages, and the learning itself."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import TypeVar

from blogcrawl.core.costs import Account, read_at, without_costly
from blogcrawl.core.errors import BlogcrawlError, TooCostlyError
from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.page_facts import failure, is_html
from blogcrawl.crawling.pipelines.base import REPEATED
from blogcrawl.crawling.pipelines.render import renderer_of
from blogcrawl.crawling.report import TO_START
from blogcrawl.crawling.session import Session
from blogcrawl.dates.months import names_month
from blogcrawl.dates.url_date import url_day
from blogcrawl.discovery.archives import hub_kind
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.discovery.places import is_shared, unshared
from blogcrawl.dom.links import Link, page_links
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.extraction.methods.generic import GenericExtractor
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.extraction.model import BlogModel, Hints, learn_blog
from blogcrawl.extraction.pages.classifier import (
    Site,
    Verdict,
    classify,
    in_place_of,
    lacks_title,
    own_addresses,
)
from blogcrawl.extraction.pages.day_lines import day_lines
from blogcrawl.extraction.pages.duplicate_response import are_many, fingerprint
from blogcrawl.extraction.pages.learn_dated_parts import (
    learn_dated_parts,
    learn_diary_page,
    learn_single_page,
)
from blogcrawl.extraction.pages.learn_post_splitter import learn_parts
from blogcrawl.extraction.pages.listing import Places
from blogcrawl.extraction.pages.multi_post import PartShape, part_page, split_page, text_of_part
from blogcrawl.extraction.pages.several import dated_entries, units
from blogcrawl.extraction.policy import PROVED
from blogcrawl.induction.ruleset import Sample
from blogcrawl.urls.canonical import Scope, canonicalize, clean, entry_key, resource_kind
from blogcrawl.urls.page_kinds import BARRIERS
from blogcrawl.urls.post_pattern import LIKELY, PostPattern, blind_score
from blogcrawl.urls.view_links import adding_views, query_views, view_links

Result = TypeVar("Result")
GUESS, PART = "guess", "part"
"""Sources of entries that no source of the blog listed: pages, and posts of a page with several."""
OF_ONE_PAGE = 3
"""Posts of a page with several from which is learned."""
BLIND_SAMPLES = 12
"""Pages read where no feed lists posts."""
BLIND_ROUNDS = 4
"""Times that refused and dead ones among them are replaced by the next ones."""
BLIND_LISTS = 4
"""Lists read where those pages are no posts: what they link to may be."""
BLIND_LEVELS = 2
"""Times that what these link to is read: an archive may lead to months, and these to posts."""
ATTEMPTS = 3
"""Times that learning is tried, each with a page less, where it takes too long."""
MIN_TRAINING_PAGES = 3
"""Pages of which rules are learned in an update: of fewer, such as those that a vendor of domains
shows, the known rules stay."""
ENOUGH = 5
"""Posts among them from which a blog's rules are learned; with fewer the links of what was read are
tried too.
"""
MAX_TRAINING_BYTES = 2 * 2**20
"""Of the pages that rules are learned from; their trees and indexes take some twenty times as much.
"""
MIN_POSTS = 2
"""Pages that look like posts without which the looks are not trusted."""
MIN_CHANCE = 0.05
"""Probability of being a post below which nothing is learned from a page, nor is it looked at again
where rules for other templates are learned."""
UNSURE = frozenset({"empty", "unclear"})
"""Verdicts on pages that say too little of themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPage:
    """One training page: ``key`` is the canonical URL under which it was promised."""

    key: str
    page: Page
    entry: FeedEntry


def training_entries(knowledge: SiteKnowledge, scope: Scope, wanted: int) -> list[FeedEntry]:
    """Return entries with the best training pages: with full text before excerpts before titles;
    those of the post feed first.
    """
    first = (
        {entry_key(e.url) for e in knowledge.post_feed.entries} if knowledge.post_feed else set()
    )

    def worth(key: str, entry: FeedEntry) -> tuple[bool, bool, bool, bool]:
        return (
            key in first,
            entry.is_full,
            bool(entry.content_html or entry.summary_html),
            bool(entry.title),
        )

    described = [
        (key, e)
        for key, e in knowledge.entries.items()
        if e.title or e.content_html or e.summary_html
    ]
    inside = [pair for pair in described if scope.contains(pair[1].url)] or described
    ranked = sorted(inside, key=lambda pair: worth(*pair), reverse=True)
    return [entry for _, entry in ranked[:wanted]]


def guessed_training_entries(
    knowledge: SiteKnowledge,
    home: Page,
    scope: Scope,
    wanted: int = BLIND_SAMPLES,
    dead: Collection[str] = (),
) -> list[FeedEntry]:
    """No feed: pages that may be posts, from sitemaps and the home page's links, most likely ones
    first; ``dead`` ones left out.
    """
    urls = [e.url for key, e in knowledge.entries.items() if key not in dead]
    urls += [url for url, _ in sorted(knowledge.candidates.values(), key=lambda c: -c[1])]
    if len(urls) < wanted:
        urls += [url for _, url in units(home) if scope.contains(url)]
        links = [
            link
            for link in page_links(home)
            if scope.contains(link.url) and resource_kind(link.url) == "page"
        ]
        views = view_links((canonicalize(link.url), link.anchor) for link in links)
        urls += [link.url for link in _likely_first(links) if canonicalize(link.url) not in views]
    return _guesses(urls, {canonicalize(home.url), *dead}, wanted)


def _likely_first(links: Sequence[Link]) -> list[Link]:
    """Return links to what may be posts, likely ones first, and those to lists last."""
    return sorted(
        links,
        key=lambda link: (
            hub_kind(link) is not None or names_month(link.anchor),
            -blind_score(link.url, link.tag_path),
        ),
    )


def _guesses(urls: Iterable[str], known: AbstractSet[str], wanted: int) -> list[FeedEntry]:
    unique: dict[str, str] = {}
    for url in urls:
        unique.setdefault(canonicalize(url), url)
    left_out = known | query_views([*known, *unique]) | adding_views(unique)
    return [FeedEntry(url=url, source=GUESS) for key, url in unique.items() if key not in left_out][
        :wanted
    ]


def list_teachers(knowledge: SiteKnowledge, known: AbstractSet[str]) -> list[FeedEntry]:
    """Return lists that the start page links to (whole archives, its next page, months), best
    first."""
    return _guesses(knowledge.hubs, known, BLIND_LISTS)


def section_page(training_pages: Sequence[TrainingPage], scope: Scope) -> list[FeedEntry]:
    """Return the page that the others link to and whose address is the folder of most of them;
    none where it is that of one."""
    keys = {training_page.key for training_page in training_pages}
    linked = dict.fromkeys(link.url for read in training_pages for link in page_links(read.page))
    held = Counter(
        {
            url: sum(key.startswith(canonicalize(url) + "/") for key in keys)
            for url in linked
            if scope.contains(url) and _is_page(url) and canonicalize(url) != scope.home_key
        }
    )
    best = [url for url, count in held.most_common(1) if count >= MIN_POSTS]
    return _guesses(best, keys, 1)


def dated_posts(training_pages: Sequence[TrainingPage], home: Page) -> list[TrainingPage]:
    """Those that look like posts and, where most of these show their day, show it too."""
    return _without_undated(
        _without_lists_of_one([page for page in training_pages if _is_post(page, home)])
    )


def more_training_entries(
    training_pages: Sequence[TrainingPage], home: Page, scope: Scope
) -> list[FeedEntry]:
    """Return where the first guesses were lists: what they link to, likest to the posts among them
    first; nothing where posts suffice.
    """
    posts = dated_posts(training_pages, home)
    if len(posts) >= ENOUGH:
        return []
    pattern = PostPattern.learn([training_page.page.url for training_page in posts])
    listed = [
        url
        for training_page in training_pages
        if training_page not in posts
        for url in _listed(training_page.page)
    ]
    ranked = _ranked_links(training_pages, pattern)
    urls = [url for url in (*listed, *ranked) if scope.contains(url) and _is_page(url)]
    if len(posts) >= MIN_POSTS:
        urls.sort(key=lambda url: pattern.score(url) < LIKELY)
    return _guesses(
        urls,
        {canonicalize(home.url), *(training_page.key for training_page in training_pages)},
        BLIND_SAMPLES,
    )


def _listed(page: Page) -> list[str]:
    """Return the pages of a list's entries."""
    return [url for _, url in units(page)] or dated_entries(page)


def _ranked_links(training_pages: Sequence[TrainingPage], pattern: PostPattern) -> list[str]:
    links = [link for training_page in training_pages for link in page_links(training_page.page)]
    links.sort(key=lambda link: -max(pattern.score(link.url), blind_score(link.url, link.tag_path)))
    return [link.url for link in links]


def _is_page(url: str) -> bool:
    return resource_kind(url) == "page"


def _is_post(training_page: TrainingPage, home: Page) -> bool:
    return _verdict(training_page, home).is_post


def _verdict(training_page: TrainingPage, home: Page) -> Verdict:
    if fingerprint(training_page.page) == (fingerprint(home) or b""):
        return Verdict(0.0, "home", BARRIERS["home"])
    headed = Places(among={canonicalize(url) for _, url in units(home)})
    verdict = classify(training_page.page, Site(home=canonicalize(home.url), places=headed))
    if verdict.is_post and len(dated_entries(training_page.page)) >= SEVERAL:
        return Verdict(0.0, "list", "each of its entries has a page of its own")
    return verdict


def posts_and_lists(
    training_pages: Sequence[TrainingPage], home: Page | None
) -> tuple[list[TrainingPage], list[TrainingPage]]:
    """Of the pages that were only guessed to be posts those that look like some, and the others;
    where hardly any look so, only those that are surely none: the lists of an archive whose posts
    are dead, and the page about it.
    """
    if home is None:
        return [], []
    guessed = [page for page in training_pages if page.entry.source == GUESS]
    among = _without_lists_of_one(_posts_among(guessed, home))
    posts = _without_undated(_without_lists(among, home))
    others = [training_page for training_page in guessed if training_page not in posts]
    if len(training_pages) - len(others) >= MIN_POSTS:
        return posts, others
    left = [page for page in guessed if not _is_surely_none(page, home)]
    is_lone = not posts and len(left) < MIN_POSTS
    return [], guessed if is_lone else [page for page in guessed if page not in left]


def _is_surely_none(training_page: TrainingPage, home: Page) -> bool:
    verdict = _verdict(training_page, home)
    return verdict.probability < MIN_CHANCE and verdict.kind not in UNSURE


def _posts_among(guessed: Sequence[TrainingPage], home: Page) -> list[TrainingPage]:
    """Those that look like posts, and of those that show too little to decide (a post of one line)
    those that the start page links to from where it links to posts, or whose addresses are like
    theirs."""
    verdicts = {training_page.key: _verdict(training_page, home) for training_page in guessed}
    places = {canonicalize(link.url): link.tag_path for link in page_links(home)}
    sure = [training_page for training_page in guessed if verdicts[training_page.key].is_post]
    held = Counter(places[one.key] for one in sure if one.key in places)
    pattern = PostPattern()
    if len(sure) > MIN_POSTS:
        pattern = PostPattern.learn([training_page.page.url for training_page in sure])

    def is_post(training_page: TrainingPage) -> bool:
        verdict = verdicts[training_page.key]
        if verdict.is_post or verdict.kind not in UNSURE:
            return verdict.is_post
        is_listed = held[places.get(training_page.key, "")] >= MIN_POSTS
        return is_listed or pattern.score(training_page.page.url) >= LIKELY

    return list(filter(is_post, guessed))


def _without_lists(posts: list[TrainingPage], home: Page) -> list[TrainingPage]:
    """Without those that link to several pages from where the start page links to posts: its
    further pages, of short texts.
    """
    keys = {training_page.key for training_page in posts}
    places = Counter(link.tag_path for link in page_links(home) if canonicalize(link.url) in keys)
    linking = Counter(
        {
            training_page.key: _links_at(training_page.page, places.most_common(1)[0][0])
            for training_page in posts
        }
        if places
        else {}
    )
    lists = {key for key, times in linking.items() if times > MIN_POSTS}
    return (
        [training_page for training_page in posts if training_page.key not in lists]
        if 2 * len(lists) < len(posts)
        else posts
    )  # else it is a sidebar


def _without_lists_of_one(posts: list[TrainingPage]) -> list[TrainingPage]:
    """Where posts' headings or dates lead to the page that they stand on, without the pages where
    they lead to another: a month's list with one entry."""
    led = {post.key: _led_to(post.page) for post in posts}
    own = [post for post in posts if not led[post.key].isdisjoint(own_addresses(post.page))]
    if len(own) < MIN_POSTS:
        return posts
    return [post for post in posts if post in own or not led[post.key]]


def _led_to(page: Page) -> AbstractSet[str]:
    """Return the canonical addresses that a page's heading and its first time lead to."""
    places = (heading_element(page), next(page.tree.iter("time"), None))
    around = [chain(e.iter("a"), e.iterancestors("a")) for e in places if e is not None]
    urls = (page.absolute(link.get("href") or "") for link in chain.from_iterable(around))
    return {canonicalize(url) for url in urls if url}


def _links_at(page: Page, place: str) -> int:
    return sum(link.tag_path == place for link in page_links(page))


def _without_undated(posts: list[TrainingPage]) -> list[TrainingPage]:
    """Next to posts that show their day, undated pages at addresses of another form are wares,
    chapters or what else the site has.
    """
    dated = [
        training_page
        for training_page in posts
        if url_day(training_page.page.url) or _shows_day(training_page.page)
    ]
    pattern = PostPattern.learn([training_page.page.url for training_page in dated])
    kept = [
        training_page
        for training_page in posts
        if training_page in dated or pattern.score(training_page.page.url) >= LIKELY
    ]
    return kept if len(dated) > MIN_POSTS else posts


def _shows_day(page: Page) -> bool:
    """Return whether its markup has a day, or a line near its heading."""
    methods = (MetadataExtractor(), GenericExtractor())
    return any(
        value.confidence >= PROVED
        for each in methods
        for value in (each.extract(page, None) or {}).get("published", ())
    )


async def fetch_training_pages(
    session: Session, entries: Sequence[FeedEntry], missed: dict[str, str]
) -> list[TrainingPage]:
    """Return the entries' pages, in their order; what could not be had goes to ``missed`` with its
    reason.
    """
    gate = asyncio.Semaphore(4)

    async def one(entry: FeedEntry) -> Page | str:
        async with gate:
            try:
                page = await session.fetch(clean(entry.url), kind="post")
            except BlogcrawlError as error:
                return error.message
        failed = failure(page)
        if failed is not None or not is_html(page):
            return failed[0] if failed is not None else "no HTML page"
        if _is_sent_home(session, entry, page):
            return TO_START
        return await renderer_of(session.services.crawler)(page, entry)

    first = {
        clean(entry.url): entry for entry in reversed(entries)
    }  # several posts of one page: it is fetched once
    found = dict(zip(first, await asyncio.gather(*map(one, first.values())), strict=True))
    training_pages = []
    for entry in entries:
        key, page = entry_key(entry.url), found[clean(entry.url)]
        if isinstance(page, str):
            missed[key] = page
        else:
            training_pages.append(TrainingPage(key=key, page=page, entry=entry))
    return training_pages


def _is_sent_home(session: Session, entry: FeedEntry, page: Page) -> bool:
    """Return whether the start page stands where an entry's page should."""
    return session.is_home(page.url) and not session.is_home(clean(entry.url))


def divided(training_pages: Sequence[TrainingPage], shape: PartShape) -> list[TrainingPage]:
    """Return the training pages with the part of its page that each entry's fragment names; those
    without one are left out.
    """
    found = [
        (training_page, part_page(training_page.page, shape, training_page.entry.url))
        for training_page in training_pages
    ]
    return [replace(training_page, page=part) for training_page, part in found if part is not None]


def without_notices(
    session: Session, training_pages: Sequence[TrainingPage], missed: dict[str, str]
) -> list[TrainingPage]:
    """Return training pages but those of many addresses with one and the same page, and those that
    say what they are, a login form or a notice, or lack what the others show: nothing is learned
    from them.
    """
    kinds = {each.key: in_place_of(each.page) for each in training_pages}
    kinds |= dict.fromkeys(_lacking_titles(training_pages), "notice")
    missed.update((key, BARRIERS[kind]) for key, kind in kinds.items() if kind is not None)
    return _without_echoes(
        session, [each for each in training_pages if not kinds[each.key]], missed
    )


def _lacking_titles(training_pages: Sequence[TrainingPage]) -> list[str]:
    """Return the keys of short pages without the title that their entry has, where most show it."""
    titled = [each for each in training_pages if each.entry.title]
    lacking = [each.key for each in titled if lacks_title(each.page, each.entry.title or "")]
    return lacking if len(lacking) <= (1 - MAJORITY) * len(titled) else []


def _without_echoes(
    session: Session, training_pages: Sequence[TrainingPage], missed: dict[str, str]
) -> list[TrainingPage]:
    def is_echo(one: TrainingPage) -> bool:
        return are_many(session.echoes.note(one.page, canonicalize(one.entry.url)))

    for training_page in training_pages:
        is_echo(training_page)  # the last one shows what the first is
    kept = [one for one in training_pages if not is_echo(one)]
    missed.update((one.key, REPEATED) for one in training_pages if one not in kept)
    return kept


def with_learned_parts(
    training_pages: Sequence[TrainingPage], home_url: str
) -> tuple[list[TrainingPage], PartShape | None]:
    """Return where the entries' fragments name several posts of one page: the posts' own parts as
    training pages, and how pages are cut. Where they name nothing that the pages have, each page is
    trained on as one post."""
    if not is_shared([training_page.entry for training_page in training_pages]):
        return list(training_pages), None
    whole = [
        replace(training_page, page=training_page.page.whole or training_page.page)
        for training_page in training_pages
    ]
    shape = learn_parts(
        [Sample(page=training_page.page, entry=training_page.entry) for training_page in whole],
        canonicalize(home_url),
    )
    if shape is not None:
        return divided(whole, shape), shape
    pages = {canonicalize(training_page.entry.url): training_page.page for training_page in whole}
    return [
        TrainingPage(key=key, page=pages[key], entry=e)
        for e in unshared([x.entry for x in whole])
        if (key := canonicalize(e.url))
    ], None


def with_dated_parts(
    training_pages: Sequence[TrainingPage], home: Page
) -> tuple[list[TrainingPage], PartShape | None]:
    """Return where no source lists posts, and several stand on a page: the first of each page as
    training pages, and how pages are cut."""
    if any(training_page.entry.source != GUESS for training_page in training_pages):
        return list(training_pages), None
    pages = [training_page.page.whole or training_page.page for training_page in training_pages]
    shape = _dated_parts(pages, home)
    if shape is None:
        return list(training_pages), None
    cut = [home, *pages] if shape.on_home else pages
    found = [part for page in cut for part in split_page(page, shape)[:OF_ONE_PAGE]]
    if not found:
        return list(training_pages), None
    return [
        TrainingPage(key=entry_key(part.url), page=part, entry=FeedEntry(url=part.url, source=PART))
        for part in found
    ], shape


def _dated_parts(pages: Sequence[Page], home: Page) -> PartShape | None:
    """Return how pages are cut. The start page has the newest posts, as other pages have too, or
    posts that only it has; or a single page of the site has all posts."""
    shape = learn_dated_parts(pages) or learn_dated_parts([home, *pages])
    shape = shape if shape is not None and _is_of_most(shape, pages) else None
    shape = shape or learn_single_page(home) or _of_diary_page([home, *pages])
    if shape is None:
        return None
    others = {text_of_part(part) for page in pages for part in split_page(page, shape)}
    on_home = any(text_of_part(part) not in others for part in split_page(home, shape))
    return replace(shape, on_home=True) if on_home else shape


def _is_of_most(shape: PartShape, pages: Sequence[Page]) -> bool:
    """Return whether most pages that show a day have several posts: the days of a concert tour
    stand on a post, and the other posts have one each."""
    several = sum(len(split_page(page, shape)) > 1 for page in pages)
    return 2 * several >= len(_dated(pages))


def _of_diary_page(pages: Sequence[Page]) -> PartShape | None:
    dated = _dated(pages)
    return learn_diary_page(*dated) if len(dated) == 1 else None


def _dated(pages: Sequence[Page]) -> list[Page]:
    dated = {page.url: page for page in pages if day_lines(page) or _shows_day(page)}
    return list(dated.values())


def without_largest(posts: Sequence[TrainingPage]) -> list[TrainingPage]:
    """Return those of the training pages that memory suffices for, those that look costly and the
    largest left out; a few in any case.
    """
    posts = without_costly(posts, lambda training_page: training_page.page.body)
    by_size = sorted(posts, key=lambda training_page: len(training_page.page.body))
    totals = list(accumulate(len(training_page.page.body) for training_page in by_size))
    count = max(ENOUGH, sum(total <= MAX_TRAINING_BYTES for total in totals))
    light = by_size[:count]
    return [training_page for training_page in posts if training_page in light]


def learn(
    training_pages: Sequence[TrainingPage], knowledge: SiteKnowledge, home: Page | None
) -> BlogModel:
    """Return the model of the blog. Pages that were only guessed to be posts are training pages of
    posts where they look like some.
    """
    likely, others = posts_and_lists(training_pages, home)
    thin = [
        training_page
        for training_page in likely
        if home is not None and not _is_post(training_page, home)
    ]  # they serve for addresses, not for where the text is
    posts = [
        training_page
        for training_page in training_pages
        if training_page not in others and training_page not in thin
    ]
    posts = without_largest(posts)
    for training_page in training_pages:
        if training_page not in posts:
            training_page.page.forget()
    samples = [
        Sample(page=training_page.page, entry=training_page.entry) for training_page in posts
    ]
    hints = Hints(
        home=home,
        others=[training_page.page for training_page in others],
        feed=knowledge.post_feed,
        entries=knowledge.entries,
    )
    return learn_blog(samples, hints)


def learn_within(
    session: Session,
    training_pages: Sequence[TrainingPage],
    knowledge: SiteKnowledge,
    home: Page | None,
) -> BlogModel:
    """``learn`` within the limits; a model that knows nothing where that is not possible."""

    def work(left: list[TrainingPage]) -> BlogModel:
        return learn(left, knowledge, home)

    return within_limits(session, training_pages, knowledge, work)[0] or BlogModel()


def parts_within(
    session: Session,
    training_pages: Sequence[TrainingPage],
    knowledge: SiteKnowledge,
    home_url: str,
    home: Page | None = None,
) -> tuple[list[TrainingPage], PartShape | None]:
    """Return training pages of one post each and how pages are cut, learned from entries or, with
    ``home``, from days, within the limits; the pages as they are where they have one post each.
    """

    def work(left: list[TrainingPage]) -> tuple[list[TrainingPage], PartShape | None]:
        found, shape = with_learned_parts(left, home_url)
        return (
            (found, shape) if shape is not None or home is None else with_dated_parts(found, home)
        )

    result, left = within_limits(session, training_pages, knowledge, work)
    if result is None:
        return list(training_pages), None
    pages, shape = result
    return (pages if shape is not None else [*pages, *_without(training_pages, left)]), shape


def sorted_within(
    session: Session,
    training_pages: Sequence[TrainingPage],
    knowledge: SiteKnowledge,
    home: Page,
) -> tuple[list[TrainingPage], list[TrainingPage]]:
    """``posts_and_lists`` within the limits; neither where that is not possible."""

    def work(left: list[TrainingPage]) -> tuple[list[TrainingPage], list[TrainingPage]]:
        return posts_and_lists(left, home)

    return within_limits(session, training_pages, knowledge, work)[0] or ([], [])


def _not_refused(
    account: Account, training_pages: Sequence[TrainingPage], knowledge: SiteKnowledge
) -> list[TrainingPage]:
    """Return those that have CPU time left; note the others."""
    left = []
    for training_page in training_pages:
        try:
            account.check(training_page.page)
            left.append(training_page)
        except TooCostlyError as error:
            knowledge.note(f"too costly to learn from: {error.url} ({error.message})")
    return left


def _without(pages: Iterable[TrainingPage], others: Collection[TrainingPage]) -> list[TrainingPage]:
    known = set(map(id, others))
    return [page for page in pages if id(page) not in known]


def within_limits(
    session: Session,
    training_pages: Sequence[TrainingPage],
    knowledge: SiteKnowledge,
    work: Callable[[list[TrainingPage]], Result],
) -> tuple[Result | None, list[TrainingPage]]:
    """Return what ``work`` learns of training pages within the CPU time of one page, and from
    which: without pages that have used up theirs; where that is not enough, without the one that
    was read when the time was up, or the largest, then nothing is learned. The page without which
    it is enough pays what learning took more with it: what is learned and read of one page stays
    within one limit, and no post is lost where all pages are dear. A page at which ``work`` fails
    as no code expects is left out, too.
    """
    account = session.services.limits.account
    left = _not_refused(account, training_pages, knowledge)
    costly, spent = "", 0.0
    for _ in range(ATTEMPTS):
        began = time.process_time()
        try:
            with account.batch({each.page.url: len(each.page.body) for each in left}):
                result = work(left)
        except TooCostlyError as error:
            costly = error.url or session.services.start_url
            knowledge.note(f"too costly to learn from: {costly} ({error.message})")
            left = [each for each in left if each.page.url != costly]
            spent = time.process_time() - began
        except Exception as error:
            failed = read_at(error, [each.page.url for each in left])
            if failed is None or isinstance(error, BlogcrawlError):
                raise
            session.note_unforeseen("learning from", failed, error)
            left = [each for each in left if each.page.url != failed]
        else:
            if costly:
                more = spent - (time.process_time() - began)
                account.share({costly: 1}, max(0.0, more))
            return result, left
    return None, []
