"""Who writes a blog: the regular authors of its posts, and whom its feed names besides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.core.records import Blog
from blogcrawl.extraction.fields.names import is_placeholder
from blogcrawl.text.similarity import fold, folded

_MAX_AUTHORS = 20


def with_authors(blog: Blog, bylines: Iterable[Sequence[str] | None]) -> Blog:
    """Return the blog with its authors, those of most posts first; guests are left out.

    ``bylines``: the authors of each archived post; None, which leaves the blog as it is, where they
    are not known.
    """
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for names in bylines:
        if names is None:
            return blog
        for name in names:
            spellings[_key(name)][name] += 1
    if not spellings:
        return blog
    wrote = Counter({key: found.total() for key, found in spellings.items()})
    named = {_key(name) for name in blog.authors}
    authors = [
        spellings[key].most_common(1)[0][0]
        for key, posts in wrote.most_common()
        if key in named or _is_regular(posts, wrote)
    ]
    others = [name for name in blog.authors if _is_another(name, blog, wrote)]
    return replace(blog, authors=(*authors, *others)[:_MAX_AUTHORS])


def _is_regular(posts: int, wrote: Mapping[str, int]) -> bool:
    """Return whether an author of so many posts is no guest beside who wrote most."""
    most = max(wrote.values())
    return posts == most or (posts >= SEVERAL and posts > (1 - NEARLY_ALL) * most)


def _is_another(name: str, blog: Blog, authors: Collection[str]) -> bool:
    """Return whether a name that the feed gives is none of the posts' authors in another form (in
    full, by the first name alone), no login of the engine's and not the blog's own."""
    if is_placeholder(name) or folded(name) == folded(blog.title or ""):
        return False
    words = set(_key(name).split())
    return not any(words & set(key.split()) for key in authors)


def _key(name: str) -> str:
    """Return what the spellings of one name have in common: words in lower case."""
    letters = "".join(c if c.isalnum() else " " for c in fold(name).casefold())
    return " ".join(letters.split())
