"""Answering a query: what the index found, confirmed and quoted from the packages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.search.base import NO_FILTERS, Facets, Filters, Order, SearchIndex
from blogcrawl.storage.search.documents import PostText, Section, read_text, sections
from blogcrawl.storage.search.queries import Clause, Query, matches, parse
from blogcrawl.text.words import places, spelled

SNIPPET, LEAD = 200, 40
"""Characters of a snippet, and those before its first mark, at most."""
MAX_SNIPPETS = 3
MAX_READ = 4
"""Packages that are read for one hit, at most: where many posts have the words of a phrase but not
the phrase."""
MAX_UNFOUND = 400
"""Packages that are read until one fits, at most: a fifth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A piece of a post that shows why it was found.

    ``marks``: where in ``text`` the words are, (start, end). ``kind``: title, text, about (authors,
    tags, names of commenters) or comment; ``comment``: its id, ``author``: who wrote it.
    """

    kind: str
    text: str
    marks: tuple[tuple[int, int], ...]
    comment: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A post that fits. ``published``: as in the record (RFC 3339 or less precise)."""

    aip_id: str
    version: int
    url: str
    title: str | None
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    language: str | None
    published: str | None
    comments: int
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A page of hits. ``exact``: ``total`` and ``facets`` count no post that does not fit; if not,
    they are too high, never too low. ``next``: what to give as ``after`` for the next page; None:
    the last."""

    total: int
    exact: bool
    hits: tuple[Hit, ...] = ()
    facets: Facets = field(default_factory=dict)
    next: int | None = None
    unread: tuple[str, ...] = ()
    """Packages that can't be read."""


class Search:
    """Search in an archive: ``Search(index, store).find('"some phrase" word begin* -without')``."""

    def __init__(self, index: SearchIndex, store: PackageStore) -> None:
        self.index, self.store = index, store

    def find(
        self,
        text: str,
        *,
        filters: Filters = NO_FILTERS,
        order: Order = "relevance",
        after: int = 0,
        limit: int = 20,
    ) -> Results:
        """Return the posts that fit, ``limit`` of them after the first ``after`` candidates.

        No text is a wrong query; one without words finds all posts. Raises StorageError.
        """
        query = parse(text)
        found = self.index.find(query, filters, order)
        page = _Page()
        candidates = found.total
        at, enough = after, limit * (1 if query.is_exact else MAX_READ)
        while at < candidates and len(page.hits) < limit:
            if at - after >= (enough if page.hits or query.is_exact else max(enough, MAX_UNFOUND)):
                break
            count = min(limit - len(page.hits), candidates - at)
            for aip_id, version in found.page(at, count):
                page.read(self.store, aip_id, version, query)
            at += count
        if page.wrong:
            found.leave_out(page.wrong)
        whole = after == 0 and at >= candidates
        return Results(
            total=found.total,
            exact=query.is_exact or whole,
            hits=tuple(page.hits),
            facets=found.facets,
            next=at if at < candidates else None,
            unread=tuple(page.unread),
        )


@dataclass(slots=True)
class _Page:
    """What was read of the candidates for a page of results."""

    hits: list[Hit] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Posts that do not fit after all."""

    def read(self, store: PackageStore, aip_id: str, version: int, query: Query) -> None:
        try:
            post = read_text(store, aip_id, version)
        except BlogcrawlError:
            self.unread.append(aip_id)
            return
        hit = _hit(aip_id, version, post, query)
        if hit is None:
            self.wrong.append(aip_id)
        else:
            self.hits.append(hit)


def _hit(aip_id: str, version: int, post: PostText, query: Query) -> Hit | None:
    """Return the hit; None if the post does not fit after all."""
    snippets = quote(post, query)
    if snippets is None:
        return None
    return Hit(
        aip_id=aip_id,
        version=version,
        url=post.url,
        title=post.title,
        authors=post.authors,
        tags=post.tags,
        language=post.language,
        published=post.published,
        comments=len(post.comments),
        snippets=snippets,
    )


def quote(post: PostText, query: Query) -> tuple[Snippet, ...] | None:
    """Return snippets with all clauses of a query; None if the post lacks one, or has one that it
    must not have.
    """
    excluded = [clause for clause in query.excluded if not clause.is_word]
    if excluded and _has_any(post, excluded):
        return None
    if query.wanted:
        return _quoted(post, query.wanted)
    return (_cut(Section("text", post.content_text), 0, ()),) if post.content_text else ()


def _quoted(post: PostText, wanted: Sequence[Clause]) -> tuple[Snippet, ...] | None:
    """Return a snippet of each section that has a clause which those before lack."""
    left, found = set(wanted), []
    for section in sections(post):
        text = spelled(section.text)
        new = {clause for clause in left if any(True for _ in matches(clause, text))}
        if new:
            left -= new
            at = places(section.text)
            found.append(
                _snippet(section, [_spans(matches(clause, text), at) for clause in wanted])
            )
        if not left:
            return tuple(found[:MAX_SNIPPETS])
    return None


def _has_any(post: PostText, clauses: Sequence[Clause]) -> bool:
    texts = (spelled(section.text) for section in sections(post))
    return any(True for text in texts for clause in clauses for _ in matches(clause, text))


Span = tuple[int, int]


def _spans(found: Iterable[tuple[int, int]], at: Sequence[Span]) -> list[Span]:
    """Return units as characters; ``at``: where each unit is."""
    return [(at[first][0], at[last][1]) for first, last in found]


def _snippet(section: Section, by_clause: Sequence[list[Span]]) -> Snippet:
    """Cut the piece that has most of the clauses, the first of them if several have as many."""
    spans = sorted((*span, number) for number, some in enumerate(by_clause) for span in some)
    best, first = 0, spans[0][0]
    behind = 0
    for at, (start, _, _) in enumerate(spans):
        while behind < len(spans) and spans[behind][1] <= start + SNIPPET - LEAD:
            behind += 1
        count = len({number for _, _, number in spans[at:behind]}) if best < len(by_clause) else 0
        if count > best:
            best, first = count, start
    return _cut(section, first, [(start, end) for start, end, _ in spans])


def _cut(section: Section, first: int, spans: Sequence[Span]) -> Snippet:
    """Cut a snippet that begins some words before ``first``."""
    text = section.text
    start = 0 if first <= LEAD else _word_start(text, first - LEAD, first)
    end = min(len(text), start + SNIPPET)
    if end < len(text):
        end = max(text.rfind(" ", start + SNIPPET // 2, end), 0) or end
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    shift = len(head) - start
    marks = [(at + shift, stop + shift) for at, stop in spans if start <= at and stop <= end]
    piece = "".join(" " if char.isspace() else char for char in text[start:end])
    found = Snippet(kind=section.kind, text=head + piece + tail, marks=_joined(marks))
    by = section.comment
    return found if by is None else replace(found, comment=by.id, author=by.author)


def _word_start(text: str, start: int, first: int) -> int:
    blank = text.find(" ", start, first)
    return start if blank < 0 else blank + 1


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Join spans that overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
