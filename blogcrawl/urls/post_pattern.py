"""Which URLs look like posts: a pattern learned from URLs that are posts, with no regular
expression in it.

harvest-modern-weblogs 4.3 builds one regular expression from the feed's URLs; here every *shape*
(segments, their kinds, suffix, query names) carries its own support, and within a shape every
segment counts what it has seen. The chance that a segment shows something new is the Good-Turing
share of values seen once: near 0 where all posts share ``blog``, near 1 where all slugs differ.
Matching is one split and a dictionary look-up per segment: linear whatever the URL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import unquote

from blogcrawl.urls import tables
from blogcrawl.urls.canonical import canonicalize, resource_kind
from blogcrawl.urls.page_kinds import LIST_PATHS
from blogcrawl.urls.parts import path_and_query

LIKELY = 0.5
"""Score from which an address is taken for a post's."""
MAX_SEGMENTS = 16
MAX_SHAPES = 200
MAX_VALUES = 400
"""Values remembered per segment; above that the segment is free."""
MAX_WORDS = 3
"""Longer last segments count as having so many words."""
MAX_DIGITS = 18
"""Read of a number; no engine counts further."""
NEAR_LENGTH = 0.25
"""A post whose slug has two words counts this much for slugs of three or more, and the other way
round.
"""
STRONG_KINDS = frozenset({"year", "date", "date-name"})
_DATE = re.compile(r"(?:19|20)\d\d-?[01]\d-?[0-3]\d")
MONTH = re.compile(
    r"(?:blog-date-)?(?:19|20)\d\d[-_]?(?:0[1-9]|1[0-2])|"
    r"(?:19|20)\d\d_\d\d_\d\d_(?:\w{1,60}_)?archive"
)
"""A name that is a month's and no more: of a list. Of Blogger's first years, a week's too."""
_HEADING = re.compile(r"(?:^|>)h[1-4]\b|title|bookmark|headline")
_WORDS = re.compile(r"[-_+.]+")
_NUMBERED = re.compile(r"([^\W\d_]{1,16})[0-9]{1,18}")
"""A name of letters and a number: what kind of page it is, and which ("s201", "mail201")."""
_NAMED_VALUE = re.compile(r"[^=]{1,20}=[a-z]{1,16}:", re.I)
_LISTED = re.compile(
    (
        r"(?:tags?|categor(?:y|ies|ia|ias|ie)|etiquetas?|labels?|authors?|archives?)[-_]+[^\W_]|"
        r"pages?[-_]+\d+$|archive\d{4}"
    ),
    re.IGNORECASE,
)
"""Names of lists in engines that write all pages into one folder (marmite, Movable Type, many made
by hand): ``tag-garden.html``.
"""
LISTED_DOUBT = 0.3
"""What is left of the score of such a name where no post has shown one: a post may be called
"Category theory".
"""


@dataclass(slots=True)
class _Segment:
    values: Counter[str] = field(default_factory=Counter)
    free: bool = False

    def add(self, value: str) -> None:
        if not self.free:
            self.values[value] += 1
            self.free = len(self.values) > MAX_VALUES
            if self.free:
                self.values.clear()

    def fit(self, value: str) -> float:
        """Return 1 for a value seen, else the Good-Turing probability of a new one."""
        if self.free or value in self.values:
            return 1.0
        total = sum(self.values.values())
        return (sum(n == 1 for n in self.values.values()) + 0.5) / (total + 1) if total else 0.0


@dataclass(slots=True)
class _Shape:
    posts: int = 0
    others: int = 0
    segments: list[_Segment] = field(default_factory=list)
    listed: int = 0
    """Posts whose name is like a list's."""
    words: list[int] = field(default_factory=lambda: [0] * (MAX_WORDS + 1))
    """Posts by the number of words in their last segment."""
    other_words: Counter[str] = field(default_factory=Counter)
    """The same over pages that are no posts, each next to what stands before it: ``/tags/go`` says
    nothing of ``/post/go``.
    """
    other_values: Counter[str] = field(default_factory=Counter)
    """What addresses of pages that are no posts begin with, each beginning by itself."""
    largest: int = 0
    """The largest number that a post has for a name."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    key: str
    values: tuple[str, ...]
    words: int
    strong: bool
    number: int = 0
    """The last segment where it is one; 0 for a name."""
    numbered: str = ""
    """The key where the year at the end is a number instead; "" without such a year."""
    is_listed: bool = False
    """Whether the name is like a list's."""


@dataclass(slots=True)
class PostPattern:
    """Learned by ``learn`` or step by step with ``add``; asked by ``score``."""

    posts: int = 0
    shapes: dict[str, _Shape] = field(default_factory=dict)

    @classmethod
    def learn(cls, post_urls: Iterable[str], other_urls: Iterable[str] = ()) -> PostPattern:
        """From URLs of posts (a feed's, one or two of them may be odd) and, if known, of pages that
        are none.
        """
        pattern = cls()
        for url in dict.fromkeys(map(canonicalize, post_urls)):
            pattern.add(url, is_post=True)
        for url in dict.fromkeys(map(canonicalize, other_urls)):
            pattern.add(url, is_post=False)
        return pattern

    def add(self, url: str, *, is_post: bool) -> None:
        """Add an example."""
        parsed = self._read(canonicalize(url))
        if parsed is None:
            return
        shape = self.shapes.get(parsed.key)
        if shape is None:
            if len(self.shapes) >= MAX_SHAPES:
                return
            shape = self.shapes[parsed.key] = _Shape(segments=[_Segment() for _ in parsed.values])
        if not is_post:
            shape.others += 1
            shape.other_words[_beside(parsed)] += 1
            for end in range(1, len(parsed.values)):
                if len(shape.other_values) < MAX_VALUES:
                    shape.other_values["/".join(parsed.values[:end])] += 1
            return
        self.posts += 1
        shape.posts += 1
        shape.words[parsed.words] += 1
        shape.largest = max(shape.largest, parsed.number)
        shape.listed += parsed.is_listed
        for segment, value in zip(shape.segments, parsed.values, strict=True):
            segment.add(value)

    def score(self, url: str, *, among_posts: bool = False) -> float:
        """Return belief that ``url`` is a post, 0..1; 0.5 is the line. 0 where nothing was learned
        or the URL is no page.

        ``among_posts``: a list shows it where it shows posts, so that the number of its words says
        nothing.
        """
        return self.score_canonical(canonicalize(url), among_posts=among_posts)

    def score_canonical(self, key: str, *, among_posts: bool = False) -> float:
        """Do what ``score`` does, with a URL that is canonical already."""
        parsed = self._read(key)
        shape = self.shapes.get(parsed.key) if parsed is not None else None
        if parsed is None or shape is None or not shape.posts or resource_kind(key) != "page":
            return 0.0
        score = self._support(shape) * self._fit(shape, parsed)
        if shape.others:
            score *= self._purity(shape, parsed.values[:-1])
        if not parsed.strong and not among_posts:
            score = self._weighed_by_name(score, shape, parsed)
        return min(1.0, score)

    def _read(self, key: str) -> _Parsed | None:
        """Return the shape and values of a canonical URL. A year at its end is a number where posts
        have larger ones for names: ``/node/2011`` next to ``/node/2840``."""
        parsed = _parse(key)
        shape = self.shapes.get(parsed.numbered) if parsed is not None and parsed.numbered else None
        if parsed is None or shape is None or parsed.number > shape.largest:
            return parsed
        return replace(parsed, key=parsed.numbered, strong=False)

    def _weighed_by_name(self, score: float, shape: _Shape, parsed: _Parsed) -> float:
        """Lower the score as far as the last segment is unlike a post's name."""
        is_bare = len(parsed.values) <= 2
        score *= self._lexical(shape, parsed, bare=is_bare)
        is_listed = is_bare and not shape.listed and parsed.is_listed
        return score * LISTED_DOUBT if is_listed else score

    @staticmethod
    def _fit(shape: _Shape, parsed: _Parsed) -> float:
        """Return how well the address's own words fit those of posts at the same places."""
        score = 1.0
        for segment, value in zip(shape.segments, parsed.values, strict=True):
            fit = segment.fit(value)
            score *= fit
            if fit < 1 and value.lower() in tables.TAXONOMY_SEGMENTS | tables.PAGE_SEGMENTS:
                score *= 0.1
        return score

    def _support(self, shape: _Shape) -> float:
        """Return 1 for a shape that repeats, 0.4 for one odd entry among many."""
        if self.posts <= 3:
            return 1.0
        return min(1.0, shape.posts / max(2.0, 0.03 * self.posts) if shape.posts > 1 else 0.4)

    @staticmethod
    def _purity(shape: _Shape, lead: tuple[str, ...]) -> float:
        """Share of posts among the pages of the shape that begin with ``lead``, or with as much of
        it as any of them does.
        """
        for end in range(len(lead), 0, -1):
            seen = min(
                0 if g.free else g.values[v]
                for g, v in zip(shape.segments, lead[:end], strict=False)
            )
            others = shape.other_values["/".join(lead[:end])]
            if seen or others:
                return (seen + 0.5) / (seen + others + 0.5)
        return 1.0

    @staticmethod
    def _lexical(shape: _Shape, parsed: _Parsed, *, bare: bool) -> float:
        """Return how well the number of words in the last segment fits that of posts. Matters where
        a post lies next to ``/about``.
        """
        words = parsed.words
        posts, others = (
            shape.words[words] + 0.3,
            shape.other_words[_beside(parsed)] + (0.3 if bare and words == 1 else 0.0),
        )
        if (
            words > 1
            # ten posts with long names say little against a name of two words, and much against
            # ``/about``
        ):
            posts += NEAR_LENGTH * shape.words[5 - words]
        usual = min(1.0, 4 * posts / (shape.posts + 0.6)) if bare else 1.0
        return usual * posts / (posts + others * shape.posts / max(shape.others, shape.posts, 1))


def blind_score(url: str, tag_path: str = "") -> float:
    """Return belief that a link leads to a post where no post is known yet (no feed): a date and a
    name, a long name, a heading's link.
    """
    key = canonicalize(url)
    parsed = _parse(key)
    if parsed is None or resource_kind(key) != "page":
        return 0.0
    if is_list_address(key):
        return 0.02
    segments = path_and_query(key)[0].split("/")[1:]
    belief = 0.55 if parsed.strong else 0.15 * (parsed.words - 1)
    if len(segments) == 1 and _LISTED.match(segments[-1]):
        belief *= LISTED_DOUBT
    return min(0.9, belief + (0.25 if _HEADING.search(tag_path) else 0.0))


_LISTING = tables.LABEL_SEGMENTS | tables.PAGE_SEGMENTS
_LIST_FOLDERS = _LISTING - {"blog"}
"""Names of folders whose pages are no posts; a blog's own page has the name of the posts' folder.
"""


def is_list_address(url: str) -> bool:
    """Return whether the URL is a usual one of a list (label, author, month, year) or of a page
    that blogs have besides posts (about, search).
    """
    path, query = path_and_query(canonicalize(url))
    segments = path.split("/")[1:]
    if not segments or LIST_PATHS["date"].search(f"?{query}"):
        return True
    *folder, name = (s.lower() for s in segments[-2:])
    if name in _LISTING | tables.TAXONOMY_SEGMENTS or not _LIST_FOLDERS.isdisjoint(folder):
        return True
    kinds = _kinds(segments)
    is_month = MONTH.fullmatch(segments[-1].partition(".")[0]) is not None
    return is_month or kinds[-1] == "year" or (kinds[-1] == "two" and "year" in kinds)


def is_year_address(url: str) -> bool:
    """Return whether the last segment is a year, and no date before it: a list of the year's posts,
    or a post that is called so."""
    parsed = _parse(canonicalize(url))
    return parsed is not None and bool(parsed.numbered)


def is_numbered(url: str) -> bool:
    """Return whether the last segment is a number (``/archives/000882.html``, ``/p/15``) that is no
    year or day.
    """
    parsed = _parse(canonicalize(url))
    return (
        parsed is not None
        and parsed.key.partition("?")[0].rpartition("/")[2].partition(".")[0] == "number"
    )


def shape_of(url: str) -> str:
    """Return what addresses of one kind have in common: kinds of the segments, suffix, names of the
    query, the names of the folders, and the letters of a name of letters and a number.
    """
    parsed = _parse(canonicalize(url))
    if parsed is None:
        return ""
    names = parsed.values[1:]
    has_letters = bool(names) and names[-1].endswith("#")
    return "/".join((*(names if has_letters else names[:-1]), parsed.key))


def segment_kind(segment: str) -> str:
    """Return kind of one path segment: year, two (digits), number, date, date-name, name."""
    if segment.isdecimal() and segment.isascii():
        if len(segment) == 4 and segment[:2] in ("19", "20"):
            return "year"
        if len(segment) == 8 and _DATE.match(segment):
            return "date"
        return "two" if len(segment) <= 2 else "number"
    found = _DATE.match(segment)
    if found:
        return "date" if found.end() == len(segment) else "date-name"
    return "name"


def _beside(parsed: _Parsed) -> str:
    """Return how many words the last segment has, and the names before it."""
    return "/".join((str(parsed.words), *parsed.values[1:-1]))


def _number_of(segments: Sequence[str], kinds: Sequence[str]) -> int:
    """Return the number at the end of a path, or 0."""
    is_number = kinds[-1:] in (["year"], ["number"])
    return int(segments[-1][:MAX_DIGITS]) if is_number else 0


@lru_cache(maxsize=4096)
def _parse(key: str) -> _Parsed | None:
    """Return the shape of a canonical URL and the values of its free places (host, names, query
    values that are not numbers); None for one without path and query.
    """
    if not key.startswith(("http://", "https://")):
        return None
    path, query = path_and_query(key)
    host, segments = _host_and_segments(path)
    if len(segments) > MAX_SEGMENTS or not (segments or query):
        return None
    suffix, words = "", 1
    if segments:
        segments[-1], suffix = _stem_and_suffix(segments[-1])
        words = _count_words(segments[-1])
    kinds = _kinds(segments)
    values = [host, *(s for s, kind in zip(segments, kinds, strict=True) if kind == "name")]
    names, query_values = _query_shape(query)
    end = suffix + ("?" + "&".join(names) if names else "")
    free = tuple(value[:120] for value in (*values, *query_values))
    is_listed = _LISTED.match(free[-1]) is not None
    if kinds[-1:] == ["name"] and not query_values:
        free = (*free[:-1], _letters_of(free[-1]))
    number = _number_of(segments, kinds)
    numbered = "/".join((*kinds[:-1], "number")) + end if kinds[-1:] == ["year"] else ""
    is_strong = not STRONG_KINDS.isdisjoint(kinds)
    key = "/".join(kinds) + end
    return _Parsed(key, free, words, is_strong, number, numbered, is_listed)


def _host_and_segments(path: str) -> tuple[str, list[str]]:
    host, _, below = path.partition("/")
    return host, below.split("/") if below else []


def _letters_of(name: str) -> str:
    """Return a name of letters and a number without the number's digits, others as they are."""
    numbered = _NUMBERED.fullmatch(name)
    return f"{numbered[1]}#" if numbered is not None else name


def _count_words(segment: str) -> int:
    return min(MAX_WORDS, sum(map(bool, _WORDS.split(unquote(segment)))))


def _stem_and_suffix(name: str) -> tuple[str, str]:
    """Split a file's suffix off the last segment; "" where it has none."""
    stem, dot, suffix = name.rpartition(".")
    if dot and stem and len(suffix) <= 5 and suffix.isalnum() and not suffix.isdigit():
        return stem, "." + suffix.lower()
    return name, ""


def _kinds(segments: list[str]) -> list[str]:
    """Return the kinds of the segments: two digits are a month or a day only behind a year, else 98
    and 101 are both numbers. Behind a year digits that continue no date are a name: a post of
    ``/2016/09/28/`` may be called "2000", one of ``/2018/02/`` "49"; and the name of a month is one
    (``/2018/february/``).
    """
    segments = _with_months_in_digits(segments)
    kinds = [segment_kind(s) for s in segments]
    if "year" not in kinds:
        return ["number" if k == "two" else k for k in kinds]
    month = kinds.index("year") + 1
    for i, most in zip(range(month, len(kinds)), (12, 31, 0), strict=False):
        if kinds[i] not in ("year", "two"):
            break
        if kinds[i] == "year" or not 1 <= int(segments[i]) <= most:
            kinds[i] = "name"
            break
    return kinds


def _with_months_in_digits(segments: list[str]) -> list[str]:
    """Return the segments, with digits for the names of months behind a year."""
    pairs = zip(segments, ["", *segments], strict=False)
    return [
        "01" if name.lower() in tables.MONTH_SEGMENTS and segment_kind(before) == "year" else name
        for name, before in pairs
    ]


def _query_shape(query: str) -> tuple[list[str], list[str]]:
    """Return the names of the query's items with the kind of value, and the values that are not
    numbers. A value that begins with a word of its own names the kind of page: ``x=entry:…`` next
    to ``x=static:…`` (FlatPress).
    """
    names, values = [], []
    for item in query.split("&")[:MAX_SEGMENTS] if query else ():
        named = _NAMED_VALUE.match(item)
        name, value = (named[0], item[named.end() :]) if named else item.partition("=")[::2]
        is_number = value.isdecimal()
        names.append(name[:40] + ("=#" if is_number else "=*"))
        if not is_number:
            values.append(value)
    return names, values
