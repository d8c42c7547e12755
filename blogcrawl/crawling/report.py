"""What a crawl reports in the end. Pure: facts in, a JSON-able report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.frontier.completeness import UNKNOWN, Completeness
from blogcrawl.frontier.unread import BARRED, MIN_CHANCE, PostChance, Rejected, Unread

TO_START = "redirects to the start page"
DEAD = frozenset({"HTTP 404", "HTTP 410", TO_START})
MAX_NAMED = 1_000
"""Missing posts, and unread pages, that a report names; their number is always reported."""
LINKS = ("links",)
ARCHIVE = ("archive",)
"""Sources of a post that is archived and could not be read again."""
A_LIST = "a list of posts"
NOT_FETCHED = "not fetched"
STOPPED = "not fetched: the crawl was stopped before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A page that is not in the archive: a post, or one that may be a post.

    ``chance``: that it is a post, 0..1; ``new_posts``: posts that nothing else has shown and that
    are expected on it, where it is a list.
    """

    url: str
    reason: str
    sources: tuple[str, ...] = ()
    chance: float = 1.0
    new_posts: float = 0.0
    address: str = ""
    """As it was written, where that is known."""
    document: str = ""
    """What it is, where it is no page: sitemap, feed, feed-page, api, extra-feed, comment-feed."""

    @property
    def dead(self) -> bool:
        """The blog itself says that there is no such page (404, 410: RFC 9110, 15.5.5 and 15.5.11;
        or its start page stands there): its dead link, not our failure. A list that breaks off
        there is not read to its end."""
        return self.reason in DEAD and not self.new_posts

    @property
    def may_be_post(self) -> bool:
        return self.chance >= MIN_CHANCE

    def to_json(self) -> dict[str, Any]:
        found = {
            "url": self.url,
            "reason": self.reason,
            "sources": list(self.sources),
            "dead": self.dead,
            "chance": round(self.chance, 3),
        }
        found |= {"new_posts": round(self.new_posts, 2)} if self.new_posts else {}
        return found | ({"document": self.document} if self.document else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the crawl came to its end."""

    reason: str
    """complete, exhausted, budget, finished; stopped (by the operator); failed."""
    detail: str = ""
    unseen: float = 0.0
    """Posts that no page has shown, as the frontier estimates."""
    error: BlogcrawlError | None = None
    hidden: float = 0.5
    """Share of the posts in feeds and sitemaps that no link leads to, as far as this crawl has
    seen.
    """


Remembered = Mapping[str, Mapping[str, Any]]


def unread_pages(
    promised: Mapping[str, Iterable[str]],
    archived: set[str],
    missed: Mapping[str, str],
    unread: Sequence[Unread],
    chance: PostChance,
    *,
    before: Remembered = MappingProxyType({}),
    not_fetched: str = NOT_FETCHED,
) -> list[Missing]:
    """Return every page that could not be read and every promised post that is not in ``archived``,
    each with why; dead links last.

    ``promised``: canonical URL -> the sources that list it as a post; ``missed``: canonical URL ->
    why it is not in the archive; ``unread``: what the frontier knows of pages that failed;
    ``before``: what the last crawl remembered of pages that it missed; ``not_fetched``: the reason
    of all others. Where only links lead to a page and the blog answers that it does not exist (any
    link may be dead) nothing is lost.
    """
    known = {page.url: page for page in unread}
    found = []
    for url in dict.fromkeys((*promised, *known, *missed)):
        page = known.get(url) or Unread(url=url, reason="", barred=missed.get(url) in BARRED)
        one = Missing(
            url=url, reason=missed.get(url) or page.reason or not_fetched, address=page.address
        )
        if url in archived:
            if url in known and page.reason not in DEAD:
                # an earlier visit has archived it; what is there now is not known
                found.append(replace(one, reason=page.reason, sources=ARCHIVE, chance=0.0))
        elif url in promised:
            found.append(replace(one, sources=tuple(sorted(promised[url]))))
        else:
            one = _linked(one, page, chance, before.get(url))
            if not (one.dead and one.sources == LINKS):
                found.append(one)
    return sorted(found, key=lambda m: m.dead)


def gone_pages(
    unread: Iterable[Unread], promised: Container[str], archived: Container[str]
) -> list[str]:
    """Return the pages that only links lead to and of which the blog says that they do not exist:
    nothing that could be archived, but a reader of the report learns how much of the blog is gone.
    """
    return [
        page.url
        for page in unread
        if page.reason in DEAD
        and not (page.document or page.by_source)
        and page.url not in promised
        and page.url not in archived
    ]


def _linked(
    one: Missing, page: Unread, chance: PostChance, before: Mapping[str, Any] | None
) -> Missing:
    """Return a page that no source lists, with how likely it is a post or leads to some: as the
    last crawl remembered it (``before``), else as the frontier knows it.
    """
    if before is not None:
        one = replace(
            one,
            sources=tuple(before["sources"]),
            chance=before.get("chance", 1.0),
            new_posts=before.get("new_posts", 0.0),
        )
    else:
        one = replace(
            one, sources=_given_by(page), chance=chance.of(page), new_posts=page.new_posts
        )
    return replace(one, document=page.document)


def _given_by(page: Unread) -> tuple[str, ...]:
    if page.document:
        return (page.document,)
    return ("sitemap",) if page.by_source else LINKS


def remember_missing(
    missing: Iterable[Missing], before: Remembered, archived: set[str], *, finished: bool
) -> dict[str, dict[str, Any]]:
    """Return what the next crawl is to ask for again, by canonical URL, with the number of crawls
    that missed it; the blog's dead links are not.

    ``before``: what the last one remembered, which still holds where this one did not come to its
    end.
    """
    found: dict[str, dict[str, Any]] = {}
    for m in missing:
        if not m.dead:
            times = int(before.get(m.url, {}).get("times", 0)) + 1
            about = {
                "times": times,
                "reason": m.reason,
                "sources": list(m.sources),
                "chance": m.chance,
                "new_posts": m.new_posts,
            }
            about |= {"address": m.address} if m.address else {}
            found[m.url] = about | ({"document": m.document} if m.document else {})
    left = (
        {} if finished else {url: dict(page) for url, page in before.items() if url not in archived}
    )
    return dict(list({**left, **found}.items())[:MAX_NAMED])


def rejected_pages(rejected: Iterable[Rejected]) -> list[dict[str, Any]]:
    """Return pages that were read and are not archived as posts: those that a sitemap or the like
    lists first, then the likeliest.
    """
    pages = [
        {
            "url": page.url,
            "reason": page.reason or A_LIST,
            "probability": round(page.probability, 4),
            "title": page.title,
            "listed": page.by_source,
        }
        for page in rejected
    ]
    return in_order(pages)


def in_order(rejected: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rejected pages, those of sitemaps first, then by probability."""
    return sorted(map(dict, rejected), key=lambda page: (not page["listed"], -page["probability"]))


def remember_rejected(
    rejected: Iterable[Mapping[str, Any]], before: Iterable[Mapping[str, Any]], archived: set[str]
) -> list[dict[str, Any]]:
    """Return what this crawl has rejected, and what ``before`` it was and is not archived since."""
    known = {page["url"]: page for page in (*before, *rejected)}
    left = in_order(page for url, page in known.items() if url not in archived)
    return left[:MAX_NAMED]


def is_due(times: int) -> bool:
    """Return whether what so many crawls have missed is requested once more: by the next ones, then
    ever more seldom.
    """
    return times & (times - 1) == 0


def error_to_json(error: BlogcrawlError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "exit_code": error.exit_code,
        "url": error.url,
        "advice": error.advice,
    }


@dataclass(slots=True)
class LostMedia:
    """The files of the blog's posts that could not be archived, in this crawl or before: how many
    for which reason, and URL and reason of the first ``MAX_NAMED``."""

    reasons: Counter[str] = field(default_factory=Counter)
    named: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.reasons.total()

    def add(self, url: str, reason: str) -> None:
        self.reasons[reason] += 1
        if len(self.named) < MAX_NAMED:
            self.named.append({"url": url, "reason": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Next to the end: everything else in a report."""

    missing: Sequence[Missing] = ()
    """Posts, and pages that may be posts."""
    unread: Sequence[Missing] = ()
    """Other pages that could not be read: lists, pages that are hardly posts."""
    behind: float = 0.0
    """Posts that nothing else has shown and that are expected on these lists."""
    lacking: Sequence[Mapping[str, str]] = ()
    """Posts whose comments are incomplete: url, reason."""
    cut: Sequence[Mapping[str, Any]] = ()
    """Posts of which a further page could not be read: url, reason, dead."""
    lost_media: LostMedia = field(default_factory=LostMedia)
    rejected: Sequence[Mapping[str, Any]] = ()
    """Pages that this crawl has read and not archived, see ``rejected_pages``."""
    gone: Sequence[str] = ()
    """See ``gone_pages``."""
    completeness: Completeness = UNKNOWN
    notes: Sequence[str] = ()
    contradictions: Sequence[str] = ()
    tls_verified: bool = False
    feeds: Sequence[str] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def report(end: End, facts: Facts) -> dict[str, Any]:
    """Return ``CrawlRow.report``."""
    return {
        "stop": {
            "reason": end.reason,
            "detail": end.detail,
            "completeness": facts.completeness.share,
        },
        "completeness": facts.completeness.to_json(),
        "error": error_to_json(end.error) if end.error else None,
        "missing_count": len(facts.missing),
        "dead_count": sum(m.dead for m in facts.missing),
        "missing": [m.to_json() for m in facts.missing[:MAX_NAMED]],
        "unread_count": len(facts.unread),
        "behind_unread": round(facts.behind, 2),
        "unread": [m.to_json() for m in facts.unread[:MAX_NAMED]],
        "gone_count": len(facts.gone),
        "gone": list(facts.gone[:MAX_NAMED]),
        "comments_incomplete_count": len(facts.lacking),
        "comments_incomplete": [dict(post) for post in facts.lacking[:MAX_NAMED]],
        "texts_incomplete_count": len(facts.cut),
        "texts_incomplete": [dict(post) for post in facts.cut[:MAX_NAMED]],
        "media_missing_count": facts.lost_media.number,
        "media_missing_reasons": dict(facts.lost_media.reasons.most_common()),
        "media_missing": [dict(file) for file in facts.lost_media.named],
        "rejected_count": len(facts.rejected),
        "rejected_reasons": dict(Counter(page["reason"] for page in facts.rejected).most_common()),
        "rejected": [dict(page) for page in facts.rejected[:MAX_NAMED]],
        "notes": list(facts.notes)[:100],
        "contradictions": list(facts.contradictions)[:100],
        "tls_verified": facts.tls_verified,
        "feeds": list(facts.feeds),
        **facts.extra,
    }


def outcome(end: End) -> str:
    """Return ``CrawlRow.outcome``: finished, stopped or failed."""
    if end.error is not None:
        return "failed"
    return "stopped" if end.reason == "stopped" else "finished"
