"""One page or post at several addresses.

A page that answers for many of one kind is a notice of the host, a login form, an error page with
status 200: nothing on it says that it is no post, and its words are its host's own; but no two
posts of a blog are the same page. A post in several templates, sections, languages or under several
forms of its address is one post: its addresses are of different kinds.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import calendar_date
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.post_pattern import shape_of

MEMORY = 10_000
"""Pages remembered: such answers come in a row, and memory must not grow with the blog."""
SHOWN = ("img", "iframe", "video", "audio", "source", "embed", "object")


class Echoes:
    """Which addresses gave the same page.

    ``known``: mark and address of pages, as ``keep`` was given them by an earlier run.
    """

    def __init__(
        self,
        known: Iterable[tuple[bytes, str]] = (),
        keep: Callable[[bytes, str], object] | None = None,
    ) -> None:
        self._addresses: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()
        for mark, key in known:
            self._add(mark, key)
        self._keep = keep

    def note(self, page: Page, key: str, *, is_notice: bool = False) -> tuple[str, ...]:
        """Return the addresses that have given this page, in their order, until they are many.
        ``key`` (canonical) is among them unless it is an earlier one but for its query or the case
        of its letters: ``/walk`` and ``/walk?lang=fr`` are one address, asked in two ways.
        ``is_notice``: no template of the blog made it; its numbers may be others each time."""
        return self._met(fingerprint(page, is_notice=is_notice), key)

    def note_post(self, post: Post, key: str) -> str:
        """Return the address at which a post of this title, day, text and media was first read."""
        return self._met(post_fingerprint(post), key)[0]

    def prefer(self, post: Post, key: str) -> None:
        """Take ``key`` for the address of a post that another one gave first."""
        mark = post_fingerprint(post)
        known = self._addresses.get(mark, ()) if mark is not None else ()
        if mark is not None and known:
            self._addresses[mark] = (key, *(other for other in known if other != key))

    def _met(self, mark: bytes | None, key: str) -> tuple[str, ...]:
        if mark is None:
            return (key,)
        if self._add(mark, key) and self._keep is not None:
            self._keep(mark, key)
        return self._addresses[mark]

    def _add(self, mark: bytes, key: str) -> bool:
        """Return whether the address is another one that gives the page."""
        known = self._addresses.get(mark, ())
        is_new = (
            key not in known
            and not are_many(known)
            and not any(_is_same(key, other) for other in known)
        )
        self._addresses[mark] = (*known, key) if is_new else known
        self._addresses.move_to_end(mark)
        while len(self._addresses) > MEMORY:
            self._addresses.popitem(last=False)
        return is_new


def are_many(addresses: Collection[str]) -> bool:
    """Return whether so many addresses gave a page that it is no one's post: several of one kind,
    or more than the kinds that an engine has for one post."""
    kinds = Counter(map(shape_of, addresses))
    return len(addresses) >= SEVERAL**2 or max(kinds.values(), default=0) >= SEVERAL


def _is_same(one: str, other: str) -> bool:
    """Return whether two addresses differ in case, or in one's query, alone."""
    bare = one.partition("?")[0]
    return one.casefold() == other.casefold() or (
        bare == other.partition("?")[0]
        and bare in (one, other)
        and bare.count("/") > 2
        and not bare.endswith("/")
    )


def fingerprint(page: Page, *, is_notice: bool = False) -> bytes | None:
    """16 bytes for all that a reader sees: title, text, pictures and frames. None where that is
    next to nothing, and no form, and a script may show the rest. Of a notice its numbers (of the
    request, the time) do not count; a few words of a diary may differ in nothing else.
    """
    text = node_text(page.tree)
    if len(text) < MAX_BYLINE and not _shows_all(page, text):
        return None
    shown = sorted(
        {element.get("src") or element.get("data", "") for element in page.tree.iter(*SHOWN)}
    )
    if is_notice and len(text) >= MAX_BYLINE:
        text = " ".join(word for word in text.split() if not any(map(str.isdigit, word)))
    return _digest("page", document_title(page), text, *shown)


def _shows_all(page: Page, text: str) -> bool:
    """Return whether the few words of a page are all that it has."""
    parts = {element.tag for element in page.tree.iter("form", "script")}
    return "form" in parts or (bool(text) and not parts)


def post_fingerprint(post: Post) -> bytes | None:
    """16 bytes for a post's title, day, text and media, None where the text is next to nothing."""
    text = squeeze(post.content_text)
    if len(text) < MAX_BYLINE:
        return None
    media = sorted(canonicalize(file.url) for file in post.media)
    return _digest("post", post.title or "", calendar_date(post.published), text, *media)


def _digest(*parts: str) -> bytes:
    visible = "\0".join(parts)
    return hashlib.blake2b(visible.encode("utf-8", "replace"), digest_size=16).digest()
