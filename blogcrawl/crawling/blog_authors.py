"""Who writes a blog: the regular authors of its posts, and whom its feed names besides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.core.records import Blog
from blogcrawl.text.similarity import fold, folded

_MAX_AUTHORS = 20
_MIN_PART = 4
"""Letters that a name and a login share by no chance."""


def with_authors(blog: Blog, bylines: Iterable[Sequence[str] | None]) -> Blog:
    """Return the blog with its authors, those of most posts first; guests are left out.

    ``bylines``: the authors of each archived post; None, which leaves the blog as it is, where they
    are not known.
    """
    known = list(bylines)
    if None in known:
        return blog
    spellings = _spellings(filter(None, known))
    if not spellings:
        return blog
    wrote = Counter({key: found.total() for key, found in spellings.items()})
    regular = [spellings[key].most_common(1)[0][0] for key in _regular(wrote, blog.authors)]
    others = [name for name in blog.authors if _is_another(name, blog, wrote)]
    return replace(blog, authors=(*regular, *others)[:_MAX_AUTHORS])


def _regular(wrote: Counter[str], declared: Iterable[str]) -> list[str]:
    """Return the authors whom the feed names, and those who are no guests compared with who wrote
    most: of most posts first. ``wrote``: their posts.
    """
    named = set(map(_key, declared))
    most = max(wrote.values())
    least = max(SEVERAL, (1 - NEARLY_ALL) * most)
    return [key for key, posts in wrote.most_common() if key in named or posts >= min(most, least)]


def _spellings(bylines: Iterable[Sequence[str]]) -> Mapping[str, Counter[str]]:
    """Return how often each author is written in which way; two in one name ("Ann & Bo") are both
    where other posts name each.
    """
    from blogcrawl.extraction.fields.names import AND

    written = Counter(chain.from_iterable(bylines))
    known = set(map(_key, written))
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, posts in written.items():
        parts = AND.split(name)
        for one in parts if known.issuperset(map(_key, parts)) else [name]:
            found[_key(one)][one] += posts
    return found


def _is_another(name: str, blog: Blog, authors: Collection[str]) -> bool:
    """Return whether a name that the feed gives is none of the posts' authors in another form (in
    full, by the first name alone), no login of the engine's and not the blog's own."""
    from blogcrawl.extraction.fields.names import is_placeholder

    if is_placeholder(name) or folded(name) == folded(blog.title or ""):
        return False
    own = _key(name)
    return not any(_is_form_of(own, key) or _is_form_of(key, own) for key in authors)


def _is_form_of(name: str, other: str) -> bool:
    """Return whether a name has a word of another, or is part of a login made of it."""
    words, letters = set(name.split()), name.replace(" ", "")
    is_part = len(letters) >= _MIN_PART and letters in other.replace(" ", "")
    return not words.isdisjoint(other.split()) or is_part


def _key(name: str) -> str:
    """Return what the spellings of one name have in common: words in lower case."""
    letters = "".join(c if c.isalnum() else " " for c in fold(name).casefold())
    return " ".join(letters.split())
