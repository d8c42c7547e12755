"""The comments that one page shows, and those of other sources merged with them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import compress, islice
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.announced import comment_pages, shown_count
from blogcrawl.comments.body import read_bodies
from blogcrawl.comments.candidates import read_units
from blogcrawl.comments.fields import AUTHOR_POLICY, DATE_POLICY, fill, rank
from blogcrawl.comments.locate import STRATEGIES, find_units, numbered_in
from blogcrawl.comments.mentions import MentionLists
from blogcrawl.comments.merge import merge
from blogcrawl.comments.missing_year import date_by_time_ago, date_without_year
from blogcrawl.comments.records import (
    CommentResult,
    CommentRules,
    html_text,
    make_comment,
    unique_ids,
)
from blogcrawl.comments.threads import parents
from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page, fragment
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import clock_readings, settle_order, sure_orders
from blogcrawl.dates.edtf import LOCAL, Partial
from blogcrawl.dates.parse import DateMatch, in_zone, is_utc
from blogcrawl.dates.patterns import RELATIVE
from blogcrawl.dates.zones import is_elsewhere, offset_at, zones_of
from blogcrawl.induction.gc_pause import still
from blogcrawl.lexicon.comment_words import RESIDUE
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LABEL, MIN_REST, MIN_SENTENCE
from blogcrawl.text.visible import node_text, squeeze

_UNREAD = frozenset(("head", "script", "style", "noscript", "template"))


def text_of(content: str) -> str:
    """Return text of a piece of HTML; "" for other text."""
    try:
        return squeeze(node_text(fragment(content)))
    except (ValueError, etree.LxmlError):
        return ""


def content_node(page: Page, content: HtmlElement | str | None) -> HtmlElement | None:
    """Return the node of the page that holds the post's content and next to nothing else: as given,
    or found by the text of its HTML.
    """
    if content is None or not isinstance(content, str):
        return content
    target = text_of(content)
    node = _deepest(page.tree, target) if target else None
    is_short = len(target) < MIN_SENTENCE  # other elements may have such words among theirs
    return None if node is None or (is_short and node_text(node) != target) else node


def _has_edges(text: str, target: str) -> bool:
    """Return whether a text holds the beginning and the end of the wanted one."""
    return target[:MAX_LABEL] in text and target[-MAX_LABEL:] in text


def _deepest(root: HtmlElement, target: str) -> HtmlElement | None:
    """Return the deepest node with all of the text, if it has little more.

    Walks down by raw text, without blanks, which libxml2 gives at once; only the node it ends at is
    read as a reader would.
    """
    head, tail = "".join(target[:MAX_LABEL].split()), "".join(target[-MAX_LABEL:].split())
    node, down = None, root
    while down is not None:
        node = down
        down = next(
            (
                c
                for c in node
                if isinstance(c.tag, str) and c.tag not in _UNREAD and _holds(c, head, tail)
            ),
            None,
        )
    text = node_text(node)
    return node if _has_edges(text, target) and len(text) <= len(target) + MIN_REST else None


def _holds(element: HtmlElement, head: str, tail: str) -> bool:
    text = "".join("".join(element.itertext()).split())
    return head in text and tail in text


def content_pieces(page: Page, content: str) -> set[HtmlElement]:
    """Return the elements that hold pieces of the content, and all around them, where cleaning took
    so much out of it that no node of the page is just the content. Empty where its ends are not
    found.
    """
    lines = _long_lines(content)
    if not lines:
        return set()
    text, starts, owners = _spelled(page.tree)
    begin = _first_found(text, [line[:MAX_LABEL] for line in lines[:NEAR]], 0)
    end = _first_found(text, [line[-MAX_LABEL:] for line in lines[: -NEAR - 1 : -1]], max(0, begin))
    if begin < 0 or end < begin:
        return set()
    first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end)
    ends = [*starts[1:], len(text)]
    whole = "".join(lines)
    pieces = ((owners[i], text[starts[i] : ends[i]]) for i in range(first, last))
    out: set[HtmlElement] = set()
    for owner, piece in pieces:
        if len(piece) >= MAX_LABEL // 2 and piece[:MAX_LABEL] in whole:
            out.update((owner, *owner.iterancestors()))
    return out


def _long_lines(content: str) -> list[str]:
    """Return the lines of a content, without blanks, that are long enough to be found again."""
    lines = ["".join(line.split()) for line in html_text(content).splitlines()]
    return [line for line in lines if len(line) >= MAX_LABEL // 2]


def _first_found(text: str, probes: Sequence[str], start: int) -> int:
    """Return where the first of the probes that occurs stands from ``start`` on; -1 if none
    does."""
    places = (text.find(probe, start) for probe in probes)
    return next((place for place in places if place >= 0), -1)


def _spelled(root: HtmlElement) -> tuple[str, list[int], list[HtmlElement]]:
    """All letters of a page without blanks; where each piece of text begins, and the element it
    stands in.
    """
    parts: list[str] = []
    starts: list[int] = []
    owners: list[HtmlElement] = []
    length = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        text, owner = (node.text, node) if event == "start" else (node.tail, node.getparent())
        if not text or owner is None or owner.tag in _UNREAD or not isinstance(owner.tag, str):
            continue
        if key := "".join(text.split()):
            parts.append(key)
            starts.append(length)
            owners.append(owner)
            length += len(key)
    return "".join(parts), starts, owners


PingKind = Literal["pingback", "trackback"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPage:
    """What markup alone says: comments in document order, how they were found, and the signatures
    that a rule would keep.
    """

    comments: tuple[Comment, ...] = ()
    method: str = ""
    authors: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    byline: tuple[str, str] | None = None
    day_first: bool | None = None
    naive: tuple[datetime | None, ...] = ()
    """The page clock's times of the comments, before any offset."""
    orders: tuple[int, int] = (0, 0)
    """Dates that have the day first for sure, and the month."""


def read_page(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: HtmlElement | None = None,
    language: str | None = None,
    published: datetime | None = None,
    units: list[Unit] | None = None,
    banned: Collection[HtmlElement] = (),
) -> OnPage:
    """Return comments of a page by its markup. ``content``: the post's content node (of
    ``page.tree``); ``published``: of the post; ``units``: the comments' nodes, where they are
    known; ``banned``: elements that hold something of the content, without one node that holds all
    of it."""
    rules = rules or CommentRules()
    if units is not None:
        return _read_units(page, rules, units, "series", language, published)
    seen, method = OnPage(), ""
    lists = MentionLists(page.tree, urlsplit(page.url).netloc)
    while not seen.comments and method != STRATEGIES[-1].name:
        units, method = find_units(page.tree, rules.unit, content, banned, after=method)
        if not units:
            break
        lists.mark(units)
        seen = _read_units(page, rules, units, method, language, published)
    inside = banned if content is None else set(content.iter())
    if not seen.comments and inside:
        units = numbered_in(page.tree, inside)
        seen = _read_units(page, rules, units, "ids", language, published)
    more = _read_units(
        page, rules, lists.find(units or (), inside), "mentions", language, published
    )
    return _joined(seen, more)


def _joined(seen: OnPage, more: OnPage) -> OnPage:
    """Return the comments of a page with its mentions behind them."""
    return replace(
        seen,
        comments=seen.comments + more.comments,
        naive=seen.naive + more.naive,
        method=seen.method or more.method,
    )


def _read_units(
    page: Page,
    rules: CommentRules,
    units: list[Unit],
    method: str,
    language: str | None,
    published: datetime | None,
) -> OnPage:
    """Return what the comments' nodes say; empty where no node is a comment."""
    language = language or page.tree.get("lang") or None
    readers = [r for r in read_units(units, language) if r.texts.of(r.root)]
    if not readers:
        return OnPage()
    date_without_year(readers, published, language)
    date_by_time_ago(readers, page.fetched_at, language)
    authors = rank(readers, rules.author, AUTHOR_POLICY)
    dates = rank(readers, rules.date, DATE_POLICY)
    byline = fill(readers, authors, dates, rules.byline)
    kinds = [_kind(r) for r in readers]
    for reader in compress(readers, kinds):
        _name_mention(reader)
    day_first = _day_first(readers, rules, published, language)
    bodies, body_paths = read_bodies(readers, rules.body)
    rows = _signed_rows(zip(readers, kinds, bodies, strict=True), method)
    comments, naive = _comments(page, rows, day_first, rules)
    return OnPage(
        comments=tuple(comments),
        method=method,
        authors=tuple(authors[:3]),
        dates=tuple(dates[:2]),
        bodies=tuple(body_paths[:3]),
        byline=byline,
        day_first=day_first,
        naive=tuple(naive),
        orders=sure_orders([reader.date for reader in readers]),
    )


def _day_first(
    readers: Sequence[Reader],
    rules: CommentRules,
    published: datetime | None,
    language: str | None,
) -> bool | None:
    """Return whether the day comes first in the dates, as learned or by the evidence of this
    page."""
    if rules.day_first is not None:
        return rules.day_first
    return settle_order((r.date for r in readers), published, language)


Row = tuple[Reader, PingKind | None, str]
"""A comment's reader, kind and body."""


def _signed_rows(rows: Iterable[Row], method: str) -> list[Row]:
    """Return the rows that count: those with a name or a date, where the method is unsure. Of a
    mention nothing but a label is no text."""
    kept = [row for row in rows if method not in _UNSURE_METHODS or _is_signed(row[0])]
    return [
        (reader, kind, "" if kind and _is_label(html_text(body)) else body)
        for reader, kind, body in kept
    ]


_LABEL = re.compile(r"[^\W\d_]{2,20}\s?[:：]")


def _is_label(text: str) -> bool:
    return RESIDUE.fullmatch(text) is not None or _LABEL.fullmatch(text.strip()) is not None


def _comments(
    page: Page, rows: Sequence[Row], day_first: bool | None, rules: CommentRules
) -> tuple[list[Comment], list[datetime | None]]:
    """Return the comments that say something, and their times by the page's clock."""
    dates = [reader.date.picked(day_first) if reader.date else None for reader, _, _ in rows]
    pairs = zip(_build(page, rows, dates, rules), dates, strict=True)
    found = [pair for pair in pairs if _says_something(pair[0])]
    return [comment for comment, _ in found], [
        date.moment if date and date.form != RELATIVE else None for _, date in found
    ]


_UNSURE_METHODS = ("classes", "section", "series")
"""Methods whose units count only with a name or a date."""


def _is_signed(reader: Reader) -> bool:
    return reader.date is not None or reader.author is not None


def _says_something(comment: Comment) -> bool:
    """Return whether there is more than a name: cards of other posts have their author and day."""
    has_body = bool(comment.content_text or comment.content_html)
    return (has_body and comment.content_text != comment.author) or comment.kind != "comment"


def _build(
    page: Page,
    rows: Sequence[Row],
    dates: Sequence[DateMatch | None],
    rules: CommentRules,
) -> list[Comment]:
    """Return the comments of (reader, kind, body) rows; ``dates``: theirs, by the page's clock."""
    made: list[Comment] = []
    for (reader, kind, body), date in zip(rows, dates, strict=True):
        name = _ping_title(reader.author) if kind else reader.author
        when = _by_clock(date, rules) if date else None
        is_ago = date is not None and date.form == RELATIVE
        made.append(
            make_comment(
                body,
                source="browser" if page.rendered else "html",
                base_url=page.base_url,
                number=reader.unit.number,
                author=name,
                author_url=page.absolute(reader.author_url) if reader.author_url else None,
                published=when,
                published_raw=reader.date_raw,
                is_dated=not is_ago,
                url=_permalink(page, reader),
                kind=kind,
                title=reader.subject,
            )
        )
    ids = unique_ids([c.id for c in made])
    above = parents([reader for reader, _, _ in rows], ids)
    return [
        comment
        if comment.id == own and parent is None
        else replace(comment, id=own, parent_id=parent)
        for comment, own, parent in zip(made, ids, above, strict=True)
    ]


def _by_clock(date: DateMatch, rules: CommentRules) -> datetime:
    offset = offset_at(rules.zones, date.moment.replace(tzinfo=None))
    return date.aware(offset, mislabelled=rules.mislabelled)


_ANSWERS = re.compile(r"respond|replytocom")
"""In links to the form for an answer."""


def _permalink(page: Page, reader: Reader) -> str | None:
    number, anchor = reader.unit.number, reader.unit.anchor
    if not number:
        return None
    for link in islice(reader.unit.own("a"), 30):
        href = link.get("href") or ""
        if "#" in href and href.endswith(number) and not _ANSWERS.search(href):
            return page.absolute(href)
    return page.absolute("#" + anchor) if anchor else None


_PING_NAME = re.compile(r"(?:^|\s)(pingback|trackback)(?:\s|$)")
_PING_LABEL = re.compile(r"[\W\d]*(pingback|trackback)\b", re.I)


def _kind(reader: Reader) -> PingKind | None:
    """Return pingback or trackback by a class, an id or a label."""
    for element in reader.unit.elements:
        classes = element.get("class") or ""
        if len(element):
            classes = f"{classes} {element[0].get('class') or ''}"
        found = _PING_NAME.search(classes)
        name = found.group(1) if found else (element.get("id") or "").lower()
        if name.startswith(("pingback", "trackback")):
            return "trackback" if name.startswith("trackback") else "pingback"
    label = _PING_LABEL.match(reader.texts.of(reader.root)[:60])
    if label is None:
        return "trackback" if reader.unit.is_mention else None
    return "trackback" if label.group(1).lower() == "trackback" else "pingback"


_BLOG = re.compile(r"\s*(?:we)?blog\s*:\s*", re.I)
"""A label of the blog that mentions the post."""
_ON_DAY = re.compile(r"(?:,?\s{1,20}on|\s?[:：])$")
_FROM = re.compile(rf"\s*(?:{any_of('bylines', 'by', 'of', 'from')})\s+(\S.*)", re.I)


def _name_mention(reader: Reader) -> None:
    """Take the blog that a mention says it is from, behind the linked title of the page ("» Rain
    from Ann's blog") or a label, for its author."""
    name = _ON_DAY.sub("", _behind_label(reader) or _behind_title(reader))
    if 0 < len(name) <= MAX_BYLINE:
        reader.author, reader.author_node = name, None


def _behind_label(reader: Reader) -> str:
    labels = (node for node, _, _ in reader.nodes if _BLOG.fullmatch(node.text or ""))
    return next((squeeze(label.tail) for label in labels), "")


def _behind_title(reader: Reader) -> str:
    links = (node for node, _, markup in reader.nodes if markup.tag == "a")
    found = next((_FROM.match(squeeze(link.tail)) for link in links), None)
    return found[1] if found is not None else ""


def _ping_title(name: str | None) -> str | None:
    return (
        squeeze(
            re.sub(
                r"^\W*(?:pingback|trackback)\b(?:\s+(?:from|by|von|de))?\s*[:：]?\s*",
                "",
                name or "",
                flags=re.I,
            )
        )
        or name
    )


Content: TypeAlias = "HtmlElement | str | None"


def extract_comments(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: Content = None,
    known: Sequence[Sequence[Comment]] = (),
    language: str | None = None,
    published: datetime | None = None,
) -> CommentResult:
    """All comments of a post that ``page`` shows, merged with those ``known`` from other sources (a
    list per source).

    ``content``: the post's content, as the node of ``page.tree`` or as HTML; nothing in it becomes
    a comment. ``published``: of the post; no comment is older. Never raises on odd markup; no
    comments is an empty result.
    """
    return merged(look(page, rules, content=content, language=language, published=published), known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one page says, read once; other sources are merged with it as often as need be."""

    seen: OnPage
    shown: int | None
    more_urls: tuple[str, ...]
    node: HtmlElement | None
    rules: CommentRules

    def is_read_by(self, rules: CommentRules) -> bool:
        """Return whether these rules would read the same: at most, they know the order of day and
        month that the page showed itself."""
        return rules in (self.rules, replace(self.rules, day_first=self.seen.day_first))

    def clock_of(self, known: Sequence[Comment]) -> tuple[str, ...]:
        """Return the zones that the page's clock may have by what another source says."""
        return _clock(self.seen, known)

    def on_clock_of(self, known: Sequence[Comment]) -> Look:
        """Return it with times by the clock that the page has by another source: what is known of
        it from the pages before depends on which these were."""
        own = tuple(_on_page_clock(self.seen, self.clock_of(known)))
        return replace(self, seen=replace(self.seen, comments=own))


def look(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: Content = None,
    language: str | None = None,
    published: datetime | None = None,
) -> Look:
    """Read the page alone; arguments as of ``extract_comments``."""
    alive = list(
        page.tree.iter()
    )  # lxml makes an element's Python object anew at every walk unless somebody holds it
    node = content_node(page, content)
    pieces = content_pieces(page, content) if node is None and isinstance(content, str) else set()
    with still():
        seen = read_page(
            page, rules, content=node, language=language, published=published, banned=pieces
        )
    shown = shown_count(page, node)
    del alive
    return Look(
        seen=seen,
        shown=shown,
        more_urls=tuple(comment_pages(page)),
        node=node,
        rules=rules or CommentRules(),
    )


def merged(look: Look, known: Sequence[Sequence[Comment]] = ()) -> CommentResult:
    """Return the page's comments merged with those of other sources, a list per source."""
    seen, shown = look.seen, look.shown
    given = [c for source in known for c in source]
    zones = _clock(seen, given)
    own = _on_page_clock(seen, zones)
    on_clock = [_on_blogs_clock(source, zones or look.rules.zones) for source in known]
    comments = merge(*on_clock, own)
    methods: Counter[str] = Counter()
    for source in known:
        if source:
            methods[source[0].source] += len(source)
    if own:
        methods[seen.method] = len(own)
    return CommentResult(
        comments=tuple(comments),
        shown=shown,
        more_urls=look.more_urls,
        methods=dict(methods),
    )


def _clock(seen: OnPage, given: Sequence[Comment]) -> tuple[str, ...]:
    """Return the zones that the page's clock may have, by what feed and page say of the comments
    that both have."""
    known = {c.id: c.published for c in given}
    moments = (known.get(c.id) for c in seen.comments)
    return zones_of(clock_readings(zip(seen.naive, moments, strict=True)))


def _on_page_clock(seen: OnPage, zones: Sequence[str]) -> list[Comment]:
    """Return times of comments that only the page has, moved by its clock, where that is known."""
    if not zones:
        return list(seen.comments)
    return [
        replace(c, published=in_zone(m, offset_at(zones, m.replace(tzinfo=None))))
        if m and _has_clock(c, m, is_elsewhere(zones))
        else c
        for c, m in zip(seen.comments, seen.naive, strict=True)
    ]


def _on_blogs_clock(source: Sequence[Comment], zones: Sequence[str]) -> list[Comment]:
    """Return comments that a feed or server has in UTC with the blog's offset, where it is known:
    the day that the page shows."""
    out = []
    for comment in source:
        moment = comment.published
        if moment is not None and is_utc(moment) and not isinstance(moment.tzinfo, Partial):
            offset = offset_at(zones, moment) or 0
            moment = in_zone(moment + timedelta(minutes=offset), offset)
        out.append(replace(comment, published=moment))
    return out


def _has_clock(comment: Comment, moment: datetime, mislabelled: bool) -> bool:
    """Return whether a comment's date has a time, by the page's clock rather than a zone it
    writes: the label of UTC is none where the clock shows another time."""
    zone = comment.published.tzinfo if comment.published is not None else None
    is_date = isinstance(zone, Partial) and zone != LOCAL
    return (moment.tzinfo is None or (mislabelled and is_utc(moment))) and not is_date
