"""One thread out of several sources of it."""

from __future__ import annotations

import re
import unicodedata
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import accumulate, repeat

from blogcrawl.core.records import Comment
from blogcrawl.dates.edtf import is_approximate, precision
from blogcrawl.lexicon.vocabulary import word_set
from blogcrawl.text.lengths import MAX_LABEL
from blogcrawl.text.similarity import SAME_TEXT, dice
from blogcrawl.text.visible import natural

RANK = {"api": 0, "feed": 1, "html": 2, "browser": 3}
"""Whose word counts first where sources differ: data made for machines before markup."""

MAX_TWINS, MAX_COMPARED = 200, 20
"""Comments with the same text or author that are looked at, and of those how many texts are
compared: an author named "Anonymous" may have written thousands."""
MIN_COMPARED_TEXT = 8
"""Characters from which texts are compared by their words."""
_NO_NAMES = word_set("bylines", "account", "account_only")
"""Names of those who gave none: feeds have the engine's word, pages that of the blog's language."""
Places = dict[str, list[int]]
"""Where comments with a key (of text, of author) stand, in order."""


def merge(*sources: Sequence[Comment]) -> list[Comment]:
    """All comments of all sources once, each with the best fields of its twins; threads whole, in
    order of time.

    Twins have the same number of the platform, else by equal text (and author), else by like text
    of the same author or minute. Comments of one source are never twins of each other.
    """
    thread = _Thread()
    alias: dict[str, str] = {}
    others: dict[str, str] = {}
    for source in sorted((s for s in sources if s), key=lambda s: RANK[s[0].source]):
        for twin, comment in thread.pairs(source):
            if twin is None:
                thread.add(comment)
            else:
                known = thread.join(twin, comment)
                alias[comment.id] = known.id
                if comment.parent_id:
                    others[known.id] = comment.parent_id
    return order(_relink(thread.comments, alias, others))


def is_named(comment: Comment) -> bool:
    """Return whether its author gave a name."""
    return bool(comment.author) and (comment.author or "").casefold() not in _NO_NAMES


def is_whole(page: Sequence[Comment], better: Sequence[Comment]) -> bool:
    """Return whether a page has all that a better source says of its comments: each of them, with
    its author, its minute, its text and what it answers.
    """
    pairs = _Thread(page).pairs(better)
    return all(twin is not None and _is_shown(known, page[twin]) for twin, known in pairs)


def _is_shown(known: Comment, shown: Comment) -> bool:
    """Return whether a page shows all fields that another source has of a comment."""
    if is_named(known) and _key(known.author or "") != _key(shown.author or ""):
        return False
    if known.published and not (shown.published and _are_of_one_minute(known, shown)):
        return False
    is_lost = bool(known.parent_id) and not shown.parent_id
    return not is_lost and _key(known.content_text) == _key(shown.content_text)


def _are_of_one_minute(known: Comment, shown: Comment) -> bool:
    assert known.published is not None and shown.published is not None
    return abs(known.published - shown.published) < timedelta(minutes=1)


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


class _Thread:
    """The comments of some sources, found by number, text and author: one post may have hundreds
    of sources, its pages of comments.
    """

    def __init__(self, comments: Iterable[Comment] = ()) -> None:
        self.comments: list[Comment] = []
        self._by_id: dict[str, int] = {}
        self._by_text: Places = defaultdict(list)
        self._by_author: Places = defaultdict(list)
        self._mentions: Places = defaultdict(list)
        for comment in comments:
            self.add(comment)

    def add(self, comment: Comment) -> None:
        """Add a comment that has no twin."""
        place = len(self.comments)
        self.comments.append(comment)
        self._by_id[comment.id] = place
        self._by_text[_key(comment.content_text)].append(place)
        self._by_author[_key(comment.author or "")].append(place)
        if minute := _minute_of_mention(comment):
            self._mentions[minute].append(place)

    def join(self, place: int, twin: Comment) -> Comment:
        """Add what a comment lacks from its twin; return it."""
        old = self.comments[place]
        new = self.comments[place] = _join(old, twin)
        _move(self._by_text, place, old.content_text, new.content_text)
        _move(self._by_author, place, old.author, new.author)
        return new

    def pairs(self, source: Iterable[Comment]) -> list[tuple[int | None, Comment]]:
        """Return each comment of another source with the place of its twin, None without one."""
        if not self.comments:
            return list(zip(repeat(None), source))
        source = list(source)
        used = {self._by_id.get(c.id, -1) for c in source}
        free = _Free(self._by_text, used), _Free(self._by_author, used)
        out: list[tuple[int | None, Comment]] = []
        for comment in source:
            twin = self._by_id.get(comment.id)
            if twin is None:
                twin = _find(comment, self.comments, *free)
            if twin is None:
                twin = self._mention_of_minute(comment, used)
            if twin is not None:
                used.add(twin)
            out.append((twin, comment))
        return out

    def _mention_of_minute(self, comment: Comment, used: set[int]) -> int | None:
        """Return the only mention of the same minute without a twin."""
        minute = _minute_of_mention(comment)
        same = [i for i in self._mentions.get(minute, ()) if i not in used]
        return same[0] if minute and len(same) == 1 else None


def _minute_of_mention(comment: Comment) -> str:
    """Return the minute of a mention, which pages name otherwise than feeds where the name is long;
    "" for a comment and where it is unknown."""
    when = comment.published
    if comment.kind == "comment" or when is None or precision(when) != "time":
        return ""
    return when.astimezone(UTC).isoformat(timespec="minutes")


def _move(places: Places, place: int, old: str | None, new: str | None) -> None:
    """Note that the text by which a comment is found is another one now."""
    before, after = _key(old or ""), _key(new or "")
    if before != after:
        places[before].remove(place)
        insort(places[after], place)


class _Free:
    """The comments under a key that have no twin in one source yet (``used`` grows)."""

    def __init__(self, places: Places, used: set[int]) -> None:
        self._places, self._used = places, used
        self._starts: dict[str, int] = {}

    def first(self, key: str) -> list[int]:
        """Return the first of them."""
        rows, start = self._places.get(key, ()), self._starts.get(key, 0)
        while start < len(rows) and rows[start] in self._used:
            start += 1
        self._starts[key] = start
        return [i for i in rows[start : start + MAX_TWINS] if i not in self._used]


def _find(
    comment: Comment, merged: Sequence[Comment], by_text: _Free, by_author: _Free
) -> int | None:
    """Return the number of the comment that is the same one, by its text or by author and text."""
    text, author = _key(comment.content_text), _key(comment.author or "")
    for i in by_text.first(text):
        if len(text) > MAX_LABEL or (
            _may_be_one(author, merged[i].author) and (text or not _differ(comment, merged[i]))
        ):
            return i
    return _find_like(comment, merged, by_author.first(author), len(text))


def _find_like(
    comment: Comment, merged: Sequence[Comment], places: Sequence[int], length: int
) -> int | None:
    """Return the number of a comment of the same author with nearly the same text, or of a mention
    by the same page."""
    near = [i for i in places if not _are_days_apart(comment, merged[i])]
    compared = near[:MAX_COMPARED] if length > MIN_COMPARED_TEXT else []
    for is_one, rows in ((_is_like, compared), (_is_mention, near)):
        for i in rows:
            if is_one(comment, merged[i]):
                return i
    return None


def _is_like(comment: Comment, other: Comment) -> bool:
    """Return whether two texts are nearly the same, or one goes on where the other ends: feeds cut
    texts, and pages have buttons below them whose words no list knows."""
    if dice(comment.content_text, other.content_text) >= SAME_TEXT:
        return True
    short, long = sorted((_key(comment.content_text), _key(other.content_text)), key=len)
    is_of_one = len(short) > MAX_LABEL or (
        None not in (comment.published, other.published) and _are_of_one_minute(comment, other)
    )
    return is_of_one and len(short) > MIN_COMPARED_TEXT and long.startswith(short)


def _is_mention(comment: Comment, other: Comment) -> bool:
    """Return whether both, of one name, are mentions of the post: feeds don't always say so where
    the page has but the name."""
    return not _differ(comment, other) and (
        "comment" not in (comment.kind, other.kind)
        or any(c.kind != "comment" and not c.content_text for c in (comment, other))
    )


def _differ(comment: Comment, other: Comment) -> bool:
    """Return whether pages of one post number two comments differently: a site may mention it more
    than once, and pages often have no more of a mention than the name."""
    is_of_pages = comment.source == other.source == "html"
    return is_of_pages and comment.id.isdigit() and other.id.isdigit() and comment.id != other.id


def _may_be_one(author: str, other: str | None) -> bool:
    """Return whether the names agree or one of them is missing."""
    return not author or not other or _key(other) == author


def _are_days_apart(comment: Comment, other: Comment) -> bool:
    """Further apart than one day and the widest difference of time zones."""
    first, last = comment.published, other.published
    if first is None or last is None or is_approximate(first) or is_approximate(last):
        return False
    return abs(first - last) > timedelta(hours=26)


def _join(best: Comment, other: Comment) -> Comment:
    """``best`` with what it lacks from ``other``; a text that another source cut short is taken
    whole.
    """
    text, html = best.content_text, best.content_html
    if _is_cut(text, other.content_text):
        text, html = other.content_text or text, other.content_html or html
    elif "<" not in html and "<" in other.content_html:
        html = other.content_html
    lacking = {name: getattr(best, name) or getattr(other, name) for name in _FILLED}
    kind = best.kind if best.kind != "comment" else other.kind
    return replace(best, content_text=text, content_html=html, kind=kind, **lacking)


_FILLED = ("author", "author_url", "published", "published_raw", "parent_id", "url", "title")
"""Fields that one source gives where the other has none."""


def _is_cut(short: str, long: str) -> bool:
    """Return whether a text is missing, or is the beginning of a longer one. Behind a whole line
    that no mark of omission ends may stand buttons."""
    if not short:
        return True
    if len(long) <= len(short) * 1.2:
        return False
    head = _key(re.sub(r"(?:\.{3}|…|\[…\]|\[\.{3}\])\s*$", "", short))
    is_whole = head == _key(short) and any(
        head == line for line in accumulate(map(_key, long.split("\n")))
    )
    return bool(head) and not is_whole and _key(long).startswith(head)


def _relink(
    comments: Sequence[Comment], alias: dict[str, str], others: dict[str, str]
) -> list[Comment]:
    """Parents named by a twin's id get the id that stayed; no circles. Where no one knows a parent
    (a feed names one that it does not hold), what another source says counts (``others``)."""
    known = {c.id for c in comments}
    above: dict[str, str | None] = {}
    for c in comments:
        named = (alias.get(p, p) for p in (c.parent_id, others.get(c.id)) if p)
        parent = next((p for p in named if p in known), None)
        above[c.id] = parent if parent != c.id else None
    _cut_circles(above)
    return [_under(c, above[c.id]) for c in comments]


def _cut_circles(above: dict[str, str | None]) -> None:
    """Make a comment of each circle one that answers no one."""
    rooted: set[str] = set()
    for start in above:
        trail: dict[str, None] = {}
        last, node = start, above[start]
        while node is not None and node not in rooted:
            trail[last] = None
            if node in trail:
                above[start if node == start else last] = None
                break
            last, node = node, above.get(node)
        trail[last] = None
        rooted.update(trail)


def _under(comment: Comment, parent: str | None) -> Comment:
    return comment if comment.parent_id == parent else replace(comment, parent_id=parent)


def order(comments: Sequence[Comment]) -> list[Comment]:
    """By time where all have one (a page may show the newest first) that is not approximate, else
    as given; answers never before what they answer.
    """
    rows = list(comments)
    if rows and all(c.published is not None and not is_approximate(c.published) for c in rows):
        rows.sort(key=lambda c: (c.published or 0, natural(c.id) or 0))
    place = {c.id: i for i, c in enumerate(rows)}
    rank: dict[str, tuple[int, int]] = {}

    depth = _depths(rows)
    for c in sorted(rows, key=lambda c: depth[c.id]):
        own = place[c.id]
        above = rank[c.parent_id][0] if c.parent_id else -1
        rank[c.id] = (max(own, above), depth[c.id] if own <= above else 0)
    return sorted(rows, key=lambda c: rank[c.id])


def _depths(rows: Sequence[Comment]) -> dict[str, int]:
    """Return how many comments stand above each, in linear time; no circles come in
    (``_relink``)."""
    above = {c.id: c.parent_id for c in rows}
    depth: dict[str, int] = {}
    for c in rows:
        trail: list[str] = []
        node: str | None = c.id
        while node is not None and node not in depth:
            trail.append(node)
            node = above[node]
        level = depth[node] + 1 if node is not None else 0
        for node in reversed(trail):
            depth[node] = level
            level += 1
    return depth
