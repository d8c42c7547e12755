"""The end of a crawl: the blog's row, its package, the crawl's row and report."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogcrawl.core.errors import NotABlogError
from blogcrawl.core.records import Blog, FeedEntry
from blogcrawl.crawling import cut_texts, losses, twins
from blogcrawl.crawling.blog_authors import with_authors
from blogcrawl.crawling.candidate_sources import FEED_IN_SITEMAP
from blogcrawl.crawling.evidence import closed_evidence, forget_stored, pack_waiting
from blogcrawl.crawling.extensions.progress import snapshot
from blogcrawl.crawling.middlewares.guard import RobotsMiddleware
from blogcrawl.crawling.pipelines.base import REPEATED
from blogcrawl.crawling.report import (
    DEAD,
    NOT_FETCHED,
    STOPPED,
    TO_START,
    End,
    Facts,
    LostMedia,
    Missing,
    gone_pages,
    outcome,
    rejected_pages,
    remember_missing,
    remember_rejected,
    report,
    unread_pages,
)
from blogcrawl.crawling.response_cache import ANSWERS
from blogcrawl.crawling.session import (
    LED_TO,
    NUMBERS,
    OLDER_ELSEWHERE,
    OLDER_PATHS,
    UNDIVIDED,
    UNDRAWN,
    UNOPENED,
    Session,
)
from blogcrawl.discovery.knowledge import COMMENT_FEED, bare, record_to_json
from blogcrawl.frontier.completeness import (
    FEW,
    UNKNOWN,
    UNLISTED,
    Completeness,
    Known,
    Loss,
    completeness,
    hidden_share,
    posts_behind,
)
from blogcrawl.frontier.enqueueing import SURE_SHARE
from blogcrawl.frontier.list_lengths import ends_amid, is_usual_cut
from blogcrawl.frontier.overview import BROKEN, CUT, NOT_ENDED, Leftovers
from blogcrawl.frontier.stop import whole_ways
from blogcrawl.frontier.store import key_hash
from blogcrawl.frontier.unread import HIDDEN_SHARE, SOME_POSTS, PostChance, Unread
from blogcrawl.packaging import records
from blogcrawl.packaging.layout import BLOG_JSON, ENTRIES, FEEDS, RECORDS
from blogcrawl.packaging.parts import Content, Kept
from blogcrawl.storage.base import ObjectVersion, next_stamp
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow
from blogcrawl.storage.web_archive import NOT_ARCHIVED
from blogcrawl.text.language import blog_language
from blogcrawl.urls.post_pattern import PostPattern

if TYPE_CHECKING:
    from blogcrawl.discovery.knowledge import SiteKnowledge
    from blogcrawl.frontier.frontier import Frontier
    from blogcrawl.packaging.premis import Rights

REMOVED_NOTE = "were removed from this archive, and are not fetched again"


def save_model(session: Session, **changes: Any) -> BlogRow:
    """Write the blog's row with the model as it is now."""
    from blogcrawl.urls.canonical import canonicalize

    old = session.blog_row
    base = old or BlogRow(id=session.blog_id, url=session.blog.url)
    model = {"model": session.model.to_json() if session.model else None, "stages": session.memory}
    row = replace(
        base,
        title=session.blog.title or base.title,
        model=model,
        record=records.blog_to_json(session.blog),
        **changes,
    )
    aliases = {
        session.services.start_url,
        canonicalize(session.services.start_url),
        canonicalize(session.blog.url),
    } - {row.url}
    session.services.state.save_blog(row, aliases=sorted(aliases), fence=session.fence)
    return row


def end_of(reason: str, stop: Any) -> End:
    """Return how a crawl ended that no one ended on purpose: Scrapy's ``reason`` and the frontier's
    last decision.
    """
    if reason != "finished":
        return End(reason="stopped", detail=f"stopped ({reason})")
    if stop is None:
        return End(reason="exhausted", detail="nothing was left to fetch")
    ways = stop.evidence.ways
    shares = [way.share for way in whole_ways(stop.evidence)]
    hidden = min(hidden_share(ways.source_only, ways.both), *shares, 1.0)
    if stop.reason == "complete":
        hidden = min(hidden, UNLISTED)
    return End(reason=stop.reason, detail=stop.detail, unseen=stop.unseen, hidden=hidden)


def judged(session: Session, end: End) -> End:
    """Return ``end``, or a failure where what was found is no blog: it has no post."""
    knowledge = session.knowledge
    if end.error is not None or end.reason == "stopped" or knowledge is None:
        return end
    if not knowledge.promised and next(session.services.state.posts(session.blog_id), None) is None:
        error = NotABlogError("none of its pages is a post", url=session.blog.url)
        return End(reason="failed", detail=error.message, error=error)
    return end


def _feeds_column(session: Session) -> dict[str, Any]:
    """Return what the blog's row remembers of its feeds and sitemaps."""
    from blogcrawl.crawling.sources import memory_of

    if session.feeds is not None:
        return session.feeds
    found = memory_of(session.known, session.services.started)
    roles = {about["role"] for about in found.values()}
    old = session.blog_row.feeds if session.blog_row else {}
    kept = {url: about for url, about in old.items() if about.get("role", "posts") not in roles}
    return {**kept, **found}


def clear(folder: Path, spider: str) -> None:
    """Remove what only a crawl that is broken off needs."""
    (folder / f"{spider}.knowledge.json").unlink(missing_ok=True)
    shutil.rmtree(folder / ANSWERS, ignore_errors=True)
    for pattern in (f"{spider}.db*", f"{spider}-*.db*"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
    try:
        folder.rmdir()
    except OSError:
        return  # something else is in it


def finish(session: Session, end: End, missed: Mapping[str, str]) -> CrawlRow:
    """Close the books. Returns the crawl's row as stored; the package of the blog is written where
    there are posts.

    May be done again where the storage refused it half-way: nothing is counted twice.
    """
    twins.withdraw(session)
    posts = _archived_posts(session)
    have = _accounted_for(session, posts.urls)
    _note_removed(session)
    before = _without_removed(session, session.missing_before)
    left = _leftovers(session)
    promised = session.knowledge.promised if session.knowledge else {}
    not_read = _unread(session, end, left)
    pages = unread_pages(
        promised,
        have,
        _without_removed(session, missed),
        not_read,
        left.chance,
        before=before,
        not_fetched=NOT_FETCHED if end.reason in {"complete", "exhausted"} else STOPPED,
    )
    missing = [page for page in pages if page.may_be_post]
    unread = [page for page in pages if not page.may_be_post]
    counted = _failed(session, pages, before)
    behind = _behind(end, counted)
    rejected = rejected_pages(left.rejected)
    _remember_rejected(session, rejected, posts.urls)
    is_finished = outcome(end) == "finished"
    known = _known(session, end, left, counted, behind, posts)
    found = completeness(known) if is_finished else UNKNOWN
    _set_stats(
        session,
        posts_missing=len(missing),
        pages_unread=len(unread),
        pages_rejected=len(rejected),
        comments_incomplete=len(posts.incomplete),
    )
    remembered = remember_missing(pages, before, have, finished=is_finished)
    session.memory["missing"] = {
        key: about | _known_of(session, key, before) for key, about in remembered.items()
    }
    cut = cut_texts.listed(session)
    facts = _facts(
        session,
        missing=missing,
        unread=unread,
        behind=behind,
        rejected=rejected,
        gone=gone_pages(not_read, promised, have),
        completeness=found,
        lacking=posts.incomplete,
        cut=cut,
        lost_media=_lost_media(session),
    )
    crawl = replace(
        session.crawl,
        counts=_counts(session, len(posts.urls)),
        ended=datetime.now(UTC),
        outcome=outcome(end),
        report=report(end, facts),
    )
    if posts.urls and session.knowledge is not None:
        blog = with_authors(posts.span.applied_to(session.blog), posts.bylines)
        session.blog = _in_its_language(session, blog, posts.letters)
        reasons = [post["reason"] for post in posts.incomplete]
        texts = [post["reason"] for post in cut if not post["dead"]]
        _save_blog(session, end, health_of(end, found, pages, reasons, texts), crawl)
    session.services.state.end_crawl(crawl)
    return crawl


def _is_of_archive(session: Session) -> bool:
    """Return whether a web archive answers of a blog that was crawled before."""
    row = session.blog_row
    return session.captures is not None and row is not None and row.last_crawl is not None


def _is_first_look(session: Session) -> bool:
    """Return whether a crawl looks for all posts of the blog, on the web or in what is left of
    it."""
    is_update = session.feeds is not None or session.reads_for_news
    return not is_update and not _is_of_archive(session)


def _failed(
    session: Session, pages: Sequence[Missing], before: Mapping[str, Any]
) -> Sequence[Missing]:
    """Return the pages that count as ones that could not be read: where the archive answers, not
    those that the crawl which knew the web did not ask for."""
    if not _is_of_archive(session):
        return pages
    return [
        page
        for page in pages
        if page.may_be_post
        or page.reason != NOT_ARCHIVED
        or before.get(_key_of(page.url), {}).get("reason", NOT_ARCHIVED) != NOT_ARCHIVED
    ]


def _remember_rejected(
    session: Session, rejected: Sequence[Mapping[str, Any]], archived: set[str]
) -> None:
    """Keep the pages that were taken for no post, but those that the operator calls none."""
    known = remember_rejected(rejected, session.memory.get("rejected", ()), archived)
    session.memory["rejected"] = [
        page for page in known if session.corrections.is_post(page["url"]) is not False
    ]


def _known(
    session: Session,
    end: End,
    left: Leftovers,
    pages: Sequence[Missing],
    behind: float,
    posts: _ArchivedPosts,
) -> Known:
    """Gather the evidence of completeness. An update asks only for what changed, and a
    re-extraction for nothing: what the crawl before it did not ask for is not archived since.
    """
    memory, knowledge = session.memory, session.knowledge
    stated = memory.get("months", {})
    counted_out = losses.is_counted_out(stated, posts.published)
    of_frontier = losses.frontier_losses(end, left, counted_out=counted_out)
    of_frontier.append(Loss.of_pages(losses.FILES, [SURE_SHARE] * left.files))
    of_frontier.append(losses.cut_months(posts.published, 0 if stated else left.month_lists))
    if _is_first_look(session):
        memory["losses"] = losses.to_json(of_frontier)
        memory["missing_months"] = list(left.missing_months)
        memory["counted"] = [left.counted, session.services.started.timestamp()]
    else:
        of_frontier = losses.from_json(memory.get("losses", ()))
    lost = {page.url for page in pages if page.may_be_post}
    months = losses.unexplained_months(memory.get("missing_months", ()), lost)
    today = datetime.now(UTC).date()
    of_frontier.append(losses.month_loss(months, posts.published, today))
    uncounted = losses.uncounted(stated, posts.published)
    counted = max(
        _counted_at_first(memory, posts),
        _counted_by_platform(knowledge),
        len(posts.urls) + uncounted if uncounted else 0,
    )
    unsure: list[str] = []
    if _is_first_look(session):
        memory["rests_on"] = [] if counted else list(_rests_on(session, left, posts))
    else:
        rested = memory.get("rests_on", ())
        memory["rests_on"] = _with_length(rested, losses.ALONE_LIST, left.only_list)
    if not counted_out and counted <= len(posts.urls):
        unsure += filter(None, [_windowed(session, left, posts, pages)])
        unsure += _gaps(session, left, posts)
        unsure += _open_ends(left) if end.reason != "complete" else []
    return Known(
        archived=len(posts.urls),
        listed=len(knowledge.promised) if knowledge is not None and session.feeds is None else FEW,
        losses=(
            *losses.page_losses(pages, memory["rejected"]),
            losses.list_loss(pages, behind, proved=end.reason == "complete"),
            *of_frontier,
        ),
        counted=counted,
        hidden=_hidden(session, unsure, pages, is_windowed=bool(left.windowed)),
        rests_on=memory.get("rests_on", ()),
    )


def _open_ends(left: Leftovers) -> Iterator[str]:
    """Yield the ways onward that were broken, where no other lists have shown nearly all that these
    have: nothing says how many posts are behind them."""
    yield from left.broken_lists
    for page in filter(_is_open, left.unread):
        if left.windowed or page.hidden > HIDDEN_SHARE:
            yield BROKEN.format(page.address or page.url, page.reason)


def _is_open(page: Unread) -> bool:
    return page.is_last and page.new_posts >= SOME_POSTS


def _gaps(session: Session, left: Leftovers, posts: _ArchivedPosts) -> Iterator[str]:
    """Yield why there are posts, nothing says how many, to which no way leads that was followed:
    older ones on another host, those between the newest and the lists', those before the oldest."""
    elsewhere = _older_elsewhere(session.frontier)
    if elsewhere is not None and not session.frontier.has_rehosted_posts:
        yield losses.OLDER_ELSEWHERE.format(elsewhere)
    undivided = posts.urls & session.frontier.kept(UNDIVIDED).keys()
    if 2 * len(undivided) > len(posts.urls):
        yield losses.UNDIVIDED.format(len(undivided), len(posts.urls))
    yield from _languages_behind(session, left)
    if left.is_apart:
        yield losses.APART
    if left.cited is not None and (left.cited.is_much or left.cited.are_older(posts.moments)):
        yield losses.CITED.format(left.cited.alone, left.cited.alone + left.cited.both)
    is_listed = session.frontier.sources_complete
    if left.ends_full and posts.begins_late(is_listed=is_listed):
        yield losses.BEGINS_LATE
    if not _is_sampled(left):
        yield from _cut_labels(left, posts)
        yield from () if posts.begins_early else _cut_lists(session, left)


def _languages_behind(session: Session, left: Leftovers) -> Iterator[str]:
    """Yield the links by the name of a language that lead back to the start page, and what is in
    another language outside the address asked for."""
    yield from map(losses.OUTSIDE.format, session.languages_outside)
    for page in left.unread:
        if page.reason == TO_START and page.url in session.languages:
            yield losses.LANGUAGE.format(page.address or page.url)


def _is_sampled(left: Leftovers) -> bool:
    """Return whether texts mention enough posts to show that lists lack none, or need not."""
    return left.cited is None or left.cited.is_confirmed


def _cut_labels(left: Leftovers, posts: _ArchivedPosts) -> Iterator[str]:
    """Yield the lists that end while shorter ones of their kind go on."""
    for kind, lists in left.sole_lists.items():
        length = ends_amid(lists, posts.moments)
        if length:
            yield CUT.format(length, kind.partition("|")[2])


def _cut_lists(session: Session, left: Leftovers) -> Iterator[str]:
    """Yield the only list of older posts, and the sitemap, that end where such are often cut."""
    if is_usual_cut(left.only_list):
        yield losses.ONE_LIST.format(left.only_list)
    size = losses.cut_map(session.knowledge) if session.knowledge is not None else 0
    if size and left.ends_full:
        yield losses.CUT_MAP.format(size)


def _rests_on(session: Session, left: Leftovers, posts: _ArchivedPosts) -> Iterator[str]:
    """Yield what alone says that no post is older, where neither numbers nor what texts mention
    confirm it. Sitemap and lists that a web archive lacks may be on the blog."""
    if session.captures is not None:
        yield losses.ALONE_CAPTURES
    if _is_sampled(left) or posts.begins_early or not left.ends_full:
        return
    if left.only_list:
        yield losses.ALONE_LIST.format(left.only_list)
    if left.source_only and session.knowledge is not None and session.knowledge.sitemap_posts:
        yield losses.ALONE_MAP


def _older_elsewhere(frontier: Frontier) -> str | None:
    """Return where a list goes on that leads to another host where others lead to their older
    posts."""
    paths, links = frontier.kept(OLDER_PATHS), frontier.kept(OLDER_ELSEWHERE)
    return min((url for path, url in links.items() if path in paths), default=None)


def _begins_before(session: Session, posts: _ArchivedPosts) -> Iterator[str]:
    """Yield what says that the blog is older than its oldest post in the archive."""
    days = [day for day in posts.published if day is not None]
    if posts.begins_late():
        yield losses.BEGINS_LATE
    if days and 0 < session.first_year < min(days).year:
        yield losses.SINCE.format(session.first_year, min(days).year)


def _counted_by_platform(knowledge: SiteKnowledge | None) -> int:
    return (knowledge.expected_posts or 0) if knowledge is not None else 0


def _counted_at_first(memory: Mapping[str, Any], posts: _ArchivedPosts) -> int:
    """Return how many posts the blog counted when its lists were read, and those since; 0 where it
    did not."""
    counted, at = memory.get("counted") or (0, 0.0)
    since = sum(day is not None and day.timestamp() > at for day in posts.published)
    return counted + since if counted else 0


def _windowed(
    session: Session, left: Leftovers, posts: _ArchivedPosts, pages: Sequence[Missing]
) -> str:
    """Return why the archive may end where windows of the newest posts are cut off; "" where other
    posts are known, archived or missing, or the blog counts them."""
    knowledge = session.knowledge
    if knowledge is None or _is_known_beyond(knowledge, left, posts, pages):
        return ""
    hints = (*_hints_of_more(session), *_begins_before(session, posts))
    for reason in (*_broken_sources(knowledge), *left.more, *hints):
        return losses.MORE.format(reason)
    is_cut = is_usual_cut(left.windowed)
    return losses.WINDOWED.format(left.windowed) if is_cut else ""


def _hints_of_more(session: Session) -> Iterator[str]:
    """Yield what else may lead to posts that no window shows."""
    if session.former_place is not None:
        yield losses.FORMER.format(session.former_place)
    if session.has_search:
        yield losses.SEARCH
    if session.has_random_post:
        yield losses.RANDOM


def _is_known_beyond(
    knowledge: SiteKnowledge, left: Leftovers, posts: _ArchivedPosts, pages: Sequence[Missing]
) -> bool:
    """Return whether more is known of the blog's posts than windows of the newest have shown. A
    missing one to which only other posts lead is a way onward that is broken."""
    only_in_posts = {page.url for page in left.unread if page.in_posts}
    missing = sum(page.may_be_post and page.url not in only_in_posts for page in pages)
    known = len(posts.urls) + left.files + missing
    is_counted = bool(knowledge.expected_posts) or _is_on_the_map(knowledge, left.windowed)
    return not left.windowed or known > left.windowed or is_counted


def _is_on_the_map(knowledge: SiteKnowledge, posts: int) -> bool:
    """Return whether a sitemap lists so many posts."""
    return sum("sitemap" in sources for sources in knowledge.promised.values()) >= posts


def _broken_sources(knowledge: SiteKnowledge) -> Iterator[str]:
    """Yield the further page of the blog's feed that is not there, and the sitemap that lacks posts
    of the feed: it may lack older ones too."""
    for source in knowledge.unread_sources.values():
        if source.kind == "feed-page" and source.reason in DEAD:
            yield BROKEN.format(source.url, source.reason)
    fed = [sources for sources in knowledge.promised.values() if "feed" in sources]
    lacking = sum("sitemap" not in sources for sources in fed)
    if knowledge.sitemap_posts and lacking > (1 - FEED_IN_SITEMAP) * len(fed):
        yield losses.NOT_MAPPED.format(lacking, len(fed))


def _still_hidden(session: Session, pages: Iterable[Missing]) -> list[str]:
    """Return what hid posts from the crawl before, but pages that were read since."""
    opened = list(_opened(session, {page.url for page in pages} | session.missed.keys()))
    before = session.memory.get("hidden", ())
    left = [reason for reason in before if not any(way in reason for way in opened)]
    length = _leftovers(session).only_list
    whole = "" if is_usual_cut(length) else losses.ONE_LIST.format(length)
    return [each for each in _with_length(left, losses.ONE_LIST, length) if each != whole]


def _with_length(reasons: Iterable[str], text: str, length: int) -> list[str]:
    """Return the reasons with the length that the only list has by now: one that grew was not cut
    at its former length."""
    shorter = {text.format(former) for former in range(length)}
    return [text.format(length) if reason in shorter else reason for reason in reasons]


def _hidden(
    session: Session, unsure: Sequence[str], pages: Iterable[Missing], *, is_windowed: bool
) -> list[str]:
    """Return why posts may exist of which nothing can be known; ``unsure``: what shows that windows
    of the newest posts are cut off, and lists that break off. An update reads no lists, and a
    re-extraction asks for none: what hid posts from the crawl before it still does, but a page that
    was read since. ``pages``: those that could not be read; ``is_windowed``: nothing but windows of
    the newest posts has shown any.
    """
    is_first = _is_first_look(session)
    found = [] if is_first and not session.skips_archived else _still_hidden(session, pages)
    kept = [*found, *(unsure if is_first else ())]
    found = list(dict.fromkeys((*kept, *_found_hidden(session, is_windowed))))
    session.memory["hidden"] = found if is_first else kept
    return found


def _opened(session: Session, lost: Container[str]) -> Iterator[str]:
    """Yield the ways onward that were broken and are not among those ``lost`` in this crawl."""
    for key, about in session.missing_before.items():
        if key not in lost:
            yield BROKEN.format(about.get("address") or key, about["reason"])


def _found_hidden(session: Session, is_windowed: bool) -> list[str]:
    """Return what this crawl could not open: lists that go on; pages that a script draws, where no
    list has shown the older posts."""
    frontier = session.frontier
    lists = frontier.kept(UNOPENED) or (frontier.kept(UNDRAWN) if is_windowed else {})
    found = [f"{url} {why}" for url, why in sorted(lists.items())[:1]]
    found = [] if frontier.sources_complete else found
    if session.elsewhere and not frontier.has_rehosted_posts:
        found.append(f"the start page leads to {session.elsewhere} rather than to pages of its own")
    return found


@dataclass(frozen=True, slots=True)
class _ArchivedPosts:
    """The blog's rows of posts in one pass; ``incomplete``: URL and reason of each post whose
    comments are incomplete; ``letters``: of the texts, by language; ``bylines``: each post's
    authors; ``numbers``: the moments and numbers of those that have both; ``counted``: the same of
    the numbers in their addresses; ``moments``: by the frontier's key.
    """

    urls: set[str]
    span: _Span
    published: list[datetime | None]
    incomplete: list[dict[str, str]]
    letters: Counter[str]
    bylines: list[tuple[str, ...] | None]
    numbers: list[tuple[float, int]]
    counted: list[tuple[float, int]]
    moments: dict[int, float]

    def begins_late(self, *, is_listed: bool = False) -> bool:
        """Return whether numbers say that many posts are older. ``is_listed``: sources list all
        posts; then an engine's numbers, which count pages and files too, say nothing."""
        posts = len(self.urls)
        is_late = losses.begins_late(self.counted, posts, in_address=True)
        return is_late or (not is_listed and losses.begins_late(self.numbers, posts))

    @property
    def begins_early(self) -> bool:
        """Whether numbers say that hardly any post is older."""
        numbers = (self.counted, self.numbers)
        return any(losses.begins_early(some, len(self.urls)) for some in numbers)

    def add_numbers(self, row: PostRow, number: str | None) -> None:
        """Add the ``number`` that the engine gave a post, and the one in its address."""
        if row.published is not None:
            self.moments[key_hash(row.url)] = row.published.timestamp()
            moment, in_address = row.published.timestamp(), losses.number_in(row.url)
            self.numbers.extend([(moment, int(number))] if number is not None else [])
            self.counted.extend([(moment, in_address)] if in_address is not None else [])


def _archived_posts(session: Session) -> _ArchivedPosts:
    posts = _ArchivedPosts(set(), _Span(), [], [], Counter(), [], [], [], {})
    numbers = session.frontier.kept(NUMBERS)
    for row in session.services.state.posts(session.blog_id):
        posts.urls.add(row.url)
        posts.span.add(row)
        posts.published.append(row.published)
        posts.bylines.append(row.authors)
        posts.add_numbers(row, numbers.get(row.url))
        if row.language is not None and row.letters is not None:
            posts.letters[row.language] += row.letters + 1  # posts of pictures alone count too
        if row.comments_incomplete:
            posts.incomplete.append({"url": row.url, "reason": row.comments_incomplete})
    return posts


def _accounted_for(session: Session, archived: set[str]) -> set[str]:
    """Return canonical URLs that are not missing: archived, under their entry's address too,
    redirected or removed.
    """
    knowledge = session.knowledge
    promised = knowledge.promised if knowledge else {}
    entries = knowledge.entries if knowledge else {}
    known = {
        key
        for key in promised
        if key in archived or (key in entries and _key_of(entries[key].url) in archived)
    }
    none = {key for key in promised if session.corrections.is_post(key) is False}
    moved = set(_moved(session, {*promised, *session.missing_before}))
    return archived | known | none | moved | session.redirected | set(session.removed)


def _moved(session: Session, known: Container[str]) -> Iterator[str]:
    """Yield the addresses that redirect to posts known by other ones, each to one of its own: it is
    these that are missing. Of a page that many addresses give each is."""
    led_to = session.frontier.kept(LED_TO)
    targets = Counter(led_to.values())
    for url, target in led_to.items():
        is_alone = targets[target] == 1 and session.missed.get(url) != REPEATED
        if is_alone and target in known:
            yield url


def _note_removed(session: Session) -> None:
    if session.removed and session.knowledge is not None:
        session.knowledge.note(f"{len(set(session.removed.values()))} posts {REMOVED_NOTE}")


def _without_removed(session: Session, by_key: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in by_key.items() if key not in session.removed}


def _set_stats(session: Session, **numbers: int) -> None:
    stats = session.services.crawler.stats
    for name, number in numbers.items():
        stats.set_value(f"blogcrawl/{name}", number)


def _save_blog(session: Session, end: End, health: tuple[str, str | None], crawl: CrawlRow) -> None:
    """Write the blog's package, then its row."""
    version = put_blog(session, crawl) if end.error is None else None
    columns: dict[str, Any] = {
        "feeds": _feeds_column(session),
        "failures": 0,
        "last_crawl": datetime.now(UTC),
        "health": health[0],
        "reason": health[1],
    }
    if version is not None:
        columns |= {"aip_id": version.object_id, "aip_version": version.version}
    session.blog_row = save_model(session, **columns)


def _counts(session: Session, archived: int) -> dict[str, Any]:
    counts = {
        name: number
        for name, number in snapshot(session.services.crawler).items()
        if name != "doing"
    }
    counts["posts"] = archived
    counts["seconds"] = round((datetime.now(UTC) - session.services.started).total_seconds(), 2)
    return counts


def _lost_media(session: Session) -> LostMedia:
    lost = LostMedia()
    for row in session.services.state.lost_media(session.blog_id):
        lost.add(row.url, row.error or "unknown")
    return lost


def _facts(session: Session, **found: Any) -> Facts:
    """Return what the report says besides the end; ``found``: the fields that ``finish`` has
    counted."""
    knowledge = session.knowledge
    return Facts(
        **found,
        notes=knowledge.notes if knowledge else (),
        contradictions=knowledge.contradictions if knowledge else (),
        tls_verified=session.services.crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"),
        feeds=tuple(knowledge.feeds) if knowledge else (),
        extra=_extra_facts(session),
    )


def _extra_facts(session: Session) -> dict[str, Any]:
    found: dict[str, Any] = {"unforeseen": session.unforeseen} if session.unforeseen else {}
    if session.captures is not None:
        found["source"] = session.captures.provenance()
    return found


def _leftovers(session: Session) -> Leftovers:
    """Return what the frontier could not read, rejected and did not ask for."""
    frontier: Frontier | None = getattr(session.services.crawler, "frontier", None)
    if frontier is None:
        return Leftovers(chance=PostChance((), PostPattern()))
    return frontier.leftovers()


def _unread(session: Session, end: End, left: Leftovers) -> list[Unread]:
    """Return documents and pages that could not be read. A crawl that was ended early goes on with
    what is in flight.
    """
    early = outcome(end) != "finished"
    return [
        *_documents(session, end),
        *(page for page in left.unread if not (early and page.reason == NOT_ENDED)),
    ]


def _documents(session: Session, end: End) -> list[Unread]:
    """Return sitemaps, feeds and the like that could not be read."""
    known = session.knowledge
    if known is None:
        return []
    from blogcrawl.discovery.sitemaps import kind_by_name

    siblings = [posts for url, posts in known.sitemap_posts.items() if kind_by_name(url) >= 0]
    found = []
    for url, source in known.unread_sources.items():
        if known.is_abandoned(source):
            continue
        like = siblings if source.kind == "sitemap" else []
        behind = posts_behind(like if source.posts is None else [source.posts], end.hidden)
        is_gone = source.reason in DEAD and source.kind != "feed-page"
        behind = 0.0 if known.walked_to_end or is_gone else behind
        found.append(
            Unread(
                url=url,
                address=source.url,
                reason=source.reason,
                document=source.kind,
                by_source=True,
                new_posts=behind,
            )
        )
    return found


def health_of(
    end: End,
    found: Completeness,
    pages: Sequence[Missing],
    lacking: Sequence[str] = (),
    cut: Sequence[str] = (),
) -> tuple[str, str | None]:
    """``BlogRow.health`` and the reason: failing (the crawl failed), incomplete (something is
    missing that could come yet) or ok.

    ``pages``: those that could not be read; ``lacking``: of each post whose comments are
    incomplete, why; ``cut``: the same of texts.
    """
    if end.error is not None:
        return "failing", end.error.message
    sentences = list(found.reasons) if found.status in ("incomplete", "unknown") else []
    sentences += _lost_comments(pages, lacking)
    if cut:
        sentences.append(f"texts of {len(cut)} post{'s' * (len(cut) != 1)} incomplete ({cut[0]})")
    return ("incomplete", "; ".join(sentences)) if sentences else ("ok", None)


def _lost_comments(pages: Sequence[Missing], lacking: Sequence[str]) -> list[str]:
    sentences = [
        f"the feed of comments could not be read ({page.reason})"
        for page in pages
        if page.document == COMMENT_FEED
    ]
    if lacking:
        why = Counter(lacking).most_common(1)[0][0]
        sentences.append(
            f"comments of {len(lacking)} post{'s' * (len(lacking) != 1)} incomplete ({why})"
        )
    return sentences


def _behind(end: End, pages: Sequence[Missing]) -> float:
    """Return posts that nothing else has shown, expected on the lists that could not be read. Where
    chain, list or recapture show that the crawl is complete no list of links was needed; what a
    sitemap or a feed has, links need not show."""
    return sum(
        page.new_posts
        for page in pages
        if not page.dead and (page.document or end.reason != "complete")
    )


def _key_of(url: str) -> str:
    from blogcrawl.urls.canonical import canonicalize

    return canonicalize(url)


_LONGEST_SUMMARY = 2_000
"""Letters of an entry's summary that are remembered of a missing post."""


def _feed_said(
    key: str, entries: Mapping[str, FeedEntry], before: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the feed says of a missing post, or said: the next visit may find it gone from
    the feed, or the feed unchanged.
    """
    entry = entries.get(key)
    if entry is None:
        known = before.get(key, {}).get("entry")
        return {"entry": known} if known else {}
    summary = entry.summary_html if len(entry.summary_html or "") <= _LONGEST_SUMMARY else None
    return {"entry": record_to_json(replace(bare(entry), summary_html=summary))}


def _known_of(session: Session, key: str, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the next visit has to know of a page or list that could not be read."""
    entries = session.knowledge.entries if session.knowledge else {}
    return {**_feed_said(key, entries, before), **_source_of(session, key, before)}


def _source_of(session: Session, key: str, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to ask again for a sitemap, a feed page or the like."""
    source = session.knowledge.unread_sources.get(key) if session.knowledge is not None else None
    known = asdict(source) if source is not None else before.get(key, {}).get("source")
    return {"source": known} if known else {}


class _Span:
    """First and last date of the posts, and how often one comes."""

    def __init__(self) -> None:
        self.first: datetime | None = None
        self.last: datetime | None = None
        self.count = 0

    def add(self, row: PostRow) -> None:
        if row.status == "gone" and not row.published:
            return
        self.count += 1
        if row.published is not None:
            self.first = min(self.first or row.published, row.published)
            self.last = max(self.last or row.published, row.published)

    def applied_to(self, blog: Blog) -> Blog:
        rate = None
        if self.first and self.last and self.last > self.first:
            rate = round((self.count - 1) / ((self.last - self.first).total_seconds() / 604_800), 3)
        return replace(blog, first_post=self.first, last_post=self.last, posts_per_week=rate)


def put_blog(session: Session, crawl: CrawlRow) -> ObjectVersion | None:
    """Return the blog's own package: a new version where a post or the blog's record changed, else
    None.

    ``crawl``: this crawl as it ends; it is part of the history in the package. The evidence of
    visits that found nothing new waits for the next version.
    """
    object_id = session.blog_urn
    session.services.store.settle(object_id)
    versions = session.services.store.versions(object_id)
    entries = list(_entry_lines(session))
    if versions and _same_blog(session, object_id, entries):
        pack_waiting(session)
        unknown = session.blog_row is None or session.blog_row.aip_version < versions[-1].version
        return versions[-1] if unknown else None  # written before the row could be
    evidence = closed_evidence(session, versions[-1] if versions else None)
    earlier = session.services.state.crawls(session.blog_id)
    history = [*(row for row in earlier if row.id != crawl.id), crawl]
    version = _put_blog(session, object_id, versions, evidence, entries, history)
    forget_stored(session.services.store, object_id, session.services.folder)
    return version


def _put_blog(
    session: Session,
    object_id: str,
    versions: Sequence[ObjectVersion],
    evidence: Mapping[str, Content],
    entries: list[dict[str, object]],
    history: Sequence[CrawlRow],
) -> ObjectVersion:
    from blogcrawl.packaging.aip import blog_aip
    from blogcrawl.packaging.contents import BlogInput, crawl_event
    from blogcrawl.storage.removal import crawl_line

    now = datetime.now(UTC)
    stamp = next_stamp(versions, now, session.services.config.operator)
    crawls = {row.id: crawl_line(row) for row in history if row.outcome != "running"}
    source = BlogInput(
        blog=session.blog,
        stamp=stamp,
        model=session.blog_row.learned if session.blog_row is not None else None,
        entries=entries,
        crawls=list(crawls.values()),
        events=[crawl_event(crawls[session.crawl.id], session.blog.url, now)],
        evidence=evidence,
        feeds=_feeds(session, versions[-1] if versions else None),
        profile=session.services.config.metadata_profile,
        blog_urn=object_id,
        extra=_record_extras(session),
        rights=_rights(session),
    )
    message = f"crawl {session.crawl.id} of {session.blog.url}"
    return session.services.store.put(
        object_id, blog_aip(source), message=message, created=now, fence=session.fence
    )


def _rights(session: Session) -> Rights:
    """Return what the blog's home page said in this crawl about the use of the blog."""
    from blogcrawl.packaging.premis import Rights

    middleware: Any = session.services.crawler.get_downloader_middleware(RobotsMiddleware)
    is_asked = middleware is not None and session.captures is None
    robots = [middleware.verdict(session.blog.url)] if is_asked else []
    return Rights(licence=session.blog.licence, statement=session.blog.rights, robots=robots)


def _feeds(session: Session, head: ObjectVersion | None) -> dict[str, tuple[str, Content]]:
    """Return the blog's feed of posts as it came, or as the package has it where it was not sent
    again."""
    feed = session.knowledge.post_feed if session.knowledge else None
    body = session.feed_bodies.get(feed.url) if feed else None
    if feed is not None and body is not None:
        return {FEEDS[feed.format.startswith("json")]: (feed.url, body)}
    for name in FEEDS:
        digest = head.files.get(RECORDS + name) if head is not None else None
        if head is not None and digest is not None:
            with session.services.store.open(head.object_id, RECORDS + name) as stream:
                return {
                    name: (
                        next(iter(session.blog.feeds), ""),
                        Kept(sha512=digest, size=stream.seek(0, os.SEEK_END)),
                    )
                }
    return {}


def _in_its_language(session: Session, blog: Blog, letters: Mapping[str, int]) -> Blog:
    """Set the language that the operator gives the blog, else that of most of its posts."""
    operator = session.corrections.language
    if operator is not None:
        said = {"method": operator.method, "confidence": operator.confidence, "rule": None}
        return replace(blog, language=operator.value, extraction={"language": said})
    found = blog_language(blog.language, letters)
    if found is None:
        return blog
    said = {"method": "posts", "confidence": found.confidence, "rule": "most letters of its posts"}
    return replace(blog, language=found.tag, extraction={"language": said})


def _record_extras(session: Session) -> dict[str, str]:
    """Return what the MARC record holds and the Blog record has no field for: how often the feed
    says it changes.
    """
    feed = session.knowledge.post_feed if session.knowledge else None
    period = feed.update_period_seconds if feed else None
    return {"update_frequency": f"every {period / 3600:g} hours"} if period else {}


def _entry_lines(session: Session) -> Iterator[dict[str, object]]:
    from blogcrawl.storage.removal import entry_line

    for row in session.services.state.posts(session.blog_id):
        yield entry_line(row)


def _same_blog(session: Session, object_id: str, entries: list[dict[str, object]]) -> bool:
    """Does the newest version list the same entries and say the same of the blog?"""
    import json

    from blogcrawl.core.errors import StorageError

    try:
        with session.services.store.open(object_id, ENTRIES) as file:
            old = [json.loads(line) for line in file.read().splitlines() if line.strip()]
        with session.services.store.open(object_id, BLOG_JSON) as file:
            record = json.load(file)
    except PASSING:
        raise
    except (StorageError, ValueError):
        return False
    return old == json.loads(json.dumps(entries)) and record == json.loads(
        records.encode(records.blog_to_json(session.blog))
    )
