"""Pages that show a post once more: to print it, with its comments, one comment of it, a form to
answer it.

They read like posts, and their addresses and words differ from engine to engine. What all have in
common is that they lead to the post, and have its text, its title, a comment that stands on its
page, or that its page has led to them and they have its query (``comments.php?id=9`` of
``story.php?id=9``); and that no page of their family of addresses stands for itself. Only the end
of a crawl knows the latter: what may be a view is put aside until then.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.evidence import MAJORITY, MOST, NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import calendar_date
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.pages.duplicate_response import MEMORY
from blogcrawl.text.similarity import SAME_TEXT, WORD_RUN, folded, tokens
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.view_links import have_one_query, name_and_query, without_items

_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBERED = re.compile(r"[^\W\d_]{1,16}[0-9]+|[0-9]+[-_]?[^\W\d_]{1,16}")
"""A name that says what kind of page it is, and a number: "print201", "31-view"."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A post as it is remembered: folded title, day, runs of words of its text and of its page."""

    title: str
    day: str
    text: array[int]
    page: array[int]


@dataclass(frozen=True, slots=True)
class View:
    """A page that shows the post at ``post`` once more, "" while that is not read; ``is_sure``: its
    text does so, not only its title."""

    url: str
    post: str
    is_sure: bool


def family_of(url: str, post: str = "") -> str:
    """Return what the addresses of one kind of page have in common; of one that adds something to
    the address of its ``post``: what it adds."""
    key = canonicalize(url)
    if post and key.startswith(post) and key != post:
        return "+" + _DIGITS.sub("0", key[len(post) :])
    folder, name, query = name_and_query(key)
    path, stem = f"{folder}/{name}", name.partition(".")[0]
    if query or not _LETTER.search(stem) or _NUMBERED.fullmatch(stem):
        return _DIGITS.sub("0", f"{path}?{query}")
    return _DIGITS.sub("0", f"{folder}/*.{name.partition('.')[2]}")


class PostViews:
    """Remembers the posts of a crawl, and counts the pages of each family that are views of them,
    and those that stand for themselves."""

    def __init__(self) -> None:
        self._posts: OrderedDict[str, Sketch] = OrderedDict()
        self._by_title: dict[str, str] = {}
        self._alone: Counter[str] = Counter()
        self._seen: dict[str, dict[str, View]] = defaultdict(dict)
        self._promised: set[str] = set()
        """Posts that the blog's feed names as such."""
        self._waited: set[str] = set()
        """Pages that were read before the posts which they may show."""

    def note(
        self,
        page: Page,
        post: Post,
        key: str,
        links: Iterable[str],
        unlisted: bool,
        found_on: Callable[[str], str | None] = lambda key: None,
        *,
        promised: bool = False,
    ) -> View | None:
        """Return of which post the page may be a view; None where it stands for itself: then it is
        remembered. ``links``: canonical addresses that the page leads to; ``unlisted``: only posts
        lead to it; ``found_on``: the canonical address of the page that led to another first;
        ``promised``: the blog's feed names the page as a post.
        """
        sketch = _sketch(page, post)
        names = {sketch.title, folded(document_title(page))} - {""}
        linked = self._posts.keys() & set(links)
        twin, shorter = _twin(key, found_on), {base for _, base in without_items(key)}
        found: list[View] = []
        for other in sorted(
            linked | self._namesakes(names) | self._posts.keys() & {twin, *shorter}
        ):
            known = _Relation(
                names, other in linked, unlisted, is_twin=other == twin, adds=other in shorter
            )
            shown = _shows(sketch, self._posts[other], known)
            if shown is not None and family_of(other) != family_of(key):
                found.append(View(key, other, shown))
        if found:
            return self._note_view(max(found, key=lambda view: view.is_sure))
        if twin is not None and twin not in self._posts:  # it is being read
            return self._note_view(View(key, twin, is_sure=False))
        if promised:
            self._promised.add(key)
        elif self._has_to_wait(key):
            return self._note_view(View(key, "", is_sure=False))
        self._seen.get(family_of(key), {}).pop(key, None)
        self._remember(key, sketch)
        self._alone[family_of(key)] += 1
        return None

    def _has_to_wait(self, key: str) -> bool:
        """Return whether the post that the page shows may be read after it: several pages of its
        family were views of posts that the feed names, and none stands for itself. Each waits
        once."""
        family = family_of(key)
        views = self._seen.get(family, {}).values()
        shown = {view.post for view in views if view.is_sure} & self._promised
        if key in self._waited or self._alone[family] or len(shown) < SEVERAL:
            return False
        self._waited.add(key)
        return True

    def _note_view(self, view: View) -> View:
        self._seen[family_of(view.url, view.post)][view.url] = view
        return view

    def is_view(self, key: str) -> bool:
        """Return whether the page was taken for one that may be a view."""
        return any(key in views for views in self._seen.values())

    def turn(self, view: View) -> None:
        """Note that the page is the post, and what was read before it, if it shows its text, the
        view."""
        del self._seen[family_of(view.url, view.post)][view.url]
        self._alone[family_of(view.url)] += 1
        if view.is_sure:
            self._alone[family_of(view.post)] -= 1
            other = View(view.post, view.url, is_sure=True)
            self._seen[family_of(other.url, other.post)][other.url] = other

    def replace(self, key: str, better: str) -> None:
        """Remember the post that was read at ``key`` by a ``better`` address of it."""
        sketch = self._posts.pop(key, None)
        if sketch is not None:
            self._alone[family_of(key)] -= 1
            self._alone[family_of(better)] += 1
            self._remember(better, sketch)

    def is_confirmed(self, view: View) -> bool:
        """Return whether hardly any page of the view's family stands for itself, and what the view
        shows, or that others of the family show as much of other posts, is no chance."""
        family = family_of(view.url, view.post)
        views = self._seen[family]
        is_usual = len({each.post for each in views.values()}) >= SEVERAL
        alone = self._alone[family] - self._read_first(family)
        if not view.is_sure and view.post not in self._posts:
            return False
        return (view.is_sure or is_usual) and len(views) >= NEARLY_ALL * (len(views) + alone)

    def _read_first(self, family: str) -> int:
        """Return how many pages of a family stand for themselves because they were read before the
        posts that they show: these are of a family of which more do so."""
        return len(
            {
                view.post
                for other, views in self._seen.items()
                if self._alone[other] > self._alone[family]
                for view in views.values()
                if view.is_sure and family_of(view.post) == family
            }
        )

    def is_turned(self, view: View) -> bool:
        """Return whether it is the other page that is the view: those of its family are, or several
        that were read first add the same to the addresses of the posts that they show."""
        family = family_of(view.post, view.url)
        others = self._seen[family].values()
        is_view = any(self.is_confirmed(other) for other in islice(others, 1))
        return view.is_sure and (is_view or self._adds_first(view, family))

    def _adds_first(self, view: View, family: str) -> bool:
        """Return whether several pages of this family add to the posts that were read after them,
        that of the ``view`` among them."""
        later = self._seen[family_of(view.url, view.post)].values()
        firsts = {each.post for each in later if _is_added(each, family)}
        return len(firsts) >= SEVERAL and view.post in firsts

    def is_usual(self, view: View) -> bool:
        """Return whether that is known of so many that the end need not be waited for."""
        views = self._seen[family_of(view.url, view.post)]
        return len(views) > SEVERAL**2 and self.is_confirmed(view)

    def _namesakes(self, names: Collection[str]) -> set[str]:
        return self._posts.keys() & {self._by_title.get(name, "") for name in names}

    def _remember(self, key: str, sketch: Sketch) -> None:
        self._posts[key] = sketch
        if sketch.title:
            self._by_title[sketch.title] = key
        while len(self._posts) > MEMORY:
            _, old = self._posts.popitem(last=False)
            self._by_title.pop(old.title, None)


def _is_added(view: View, family: str) -> bool:
    """Return whether what a page surely shows adds an item of this family to the page's query."""
    bases = {base for _, base in without_items(view.post)}
    return view.is_sure and view.url in bases and family_of(view.post, view.url) == family


def _twin(key: str, found_on: Callable[[str], str | None]) -> str | None:
    """Return the page with the query of another, in its folder, that led to it: the first of
    several that led to one another."""
    twin, seen, at = None, {key}, found_on(key)
    while at is not None and at not in seen and have_one_query(key, at):
        seen.add(at)
        twin, at = at, found_on(at)
    return twin


class _Relation(NamedTuple):
    """How a page relates to a post: its ``names``; whether it leads to it, only posts lead to it,
    it is its twin: the post led to it, and both have one query; and whether its address ``adds`` to
    the post's."""

    names: Collection[str]
    is_linked: bool
    unlisted: bool
    is_twin: bool
    adds: bool

    @property
    def is_of_post(self) -> bool:
        """Whether the address says of which post the page is."""
        return self.is_twin or self.adds


def _shows(page: Sketch, post: Sketch, known: _Relation) -> bool | None:
    """Return whether a page surely shows a post once more; None where that is not clear."""
    is_named = bool(post.title) and any(post.title in name for name in known.names)
    if _repeats(page, post, known, is_named):
        return True
    return False if known.is_linked and (is_named or known.is_twin) else None


def _repeats(page: Sketch, post: Sketch, known: _Relation, is_named: bool) -> bool:
    """Return whether the page has the post's text, or the post's page the page's."""
    is_near = is_named or known.is_linked or known.adds
    is_same = is_near and _is_same(page, post, MOST if is_named else SAME_TEXT)
    is_of_post = known.is_of_post or (known.is_linked and is_named)
    has_post = is_of_post and _held(post.text, page.page)
    is_part = known.is_of_post or (known.unlisted and is_named) or _is_comment(page, post, known)
    return is_same or has_post or (is_part and _held(page.text, post.page))


def _is_comment(page: Sketch, post: Sketch, known: _Relation) -> bool:
    """Return whether the page, if its text stands on the post's page, shows a comment there."""
    is_linked = known.is_linked and known.unlisted
    return is_linked and _share(page.text, post.text) < MAJORITY


def _is_same(one: Sketch, other: Sketch, share: float) -> bool:
    """Return whether the texts are the same, of one day as far as both have one."""
    is_other_day = one.day and other.day and one.day != other.day
    is_held = _held(one.text, other.text, share) and _held(other.text, one.text, share)
    return is_held and not is_other_day


def _held(part: array[int], whole: array[int], share: float = SAME_TEXT) -> bool:
    return len(part) >= SEVERAL and _share(part, whole) >= share


def _share(part: array[int], whole: array[int]) -> float:
    known = set(whole)
    return sum(run in known for run in part) / len(part) if part else 0.0


def _sketch(page: Page, post: Post) -> Sketch:
    return Sketch(
        folded(post.title or ""),
        calendar_date(post.published),
        array("I", _runs(post.content_text)),
        array("I", _runs(node_text(page.tree))),
    )


def _runs(text: str) -> Iterator[int]:
    """Yield the marks of every second or so of the first runs of words of a text."""
    words = tokens(text)[:MAX_READ]
    runs = zip(*(words[step:] for step in range(WORD_RUN)), strict=False)
    marks = (crc32(" ".join(run).encode()) for run in runs)
    return (mark for mark in marks if mark & 1)
