"""Does a feed entry carry the whole post or an excerpt?"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from blogcrawl.core.records import FeedEntry
from blogcrawl.lexicon.vocabulary import entries

READ_MORE = entries("feeds", "read_more")
"""What themes write under an excerpt, lower case (WordPress's and Blogger's translations of "Read
more" and "Continue reading").
"""

_TAG = re.compile(r"<[^<>]*>")
_BOILER = re.compile(
    r"(?:the post .{0,300} (?:appeared first on|first appeared on) .{0,200}|"
    r"(?:der beitrag|l[’']article|la entrada|el post|l'articolo|o post|сообщение|запись) .{0,300}"
    r" (?:erschien zuerst auf|est apparu en premier sur|apareció primero en|proviene "
    r"da|apareceu primeiro em|"
    r"появил[аи]сь? (?:сначала|первой) на) .{0,200})\s{0,20}$",
    re.IGNORECASE,
)
"""The line that Yoast's and other plug-ins put under each entry, excerpt or not."""
_BOILER_WORDS = re.compile(
    r"first on|zuerst auf|premier sur|primero en|proviene da|primeiro em|появил", re.IGNORECASE
)
_ELLIPSIS_END = re.compile(r"(?:\[\s*(?:…|\.\.\.|&hellip;|&#8230;)\s*\]|…|\.\.\.)\W{0,6}$")


def plain(html_text: str) -> str:
    """Rough visible text: enough for lengths and endings, without a parser."""

    text = _TAG.sub(" ", html_text) if "<" in html_text else html_text
    return " ".join((html.unescape(text) if "&" in text else text).split())


def cut_mark(html_text: str) -> int:
    """Return how it ends: 2 as an excerpt does ("[…]", "read more"), 1 with a bare ellipsis (people
    write those too), 0 plainly.
    """
    text = plain(html_text[-4000:])
    text = text[-900:]
    if _BOILER_WORDS.search(text):
        text = _BOILER.sub("", text).rstrip()
    if not text:
        return 2
    ending = _ELLIPSIS_END.search(text[-20:])
    if ending and "[" in ending.group():
        return 2
    tail = text[-70:].lower()
    for phrase in READ_MORE:
        # something may follow: an arrow, the title ("Continue reading Foo"), "(2 min)"; less after
        # short phrases
        if phrase in tail and tail.rfind(phrase) >= len(tail) - len(phrase) - (
            40 if len(phrase) > 8 else 6
        ):
            return 2
    return 1 if ending else 0


def has_structure(html_text: str) -> bool:
    """Several paragraphs, a picture, a list: what automatic excerpts (tags stripped) never have."""
    low = html_text.lower()
    return low.count("<p") + low.count("<br") >= 2 or any(
        t in low for t in ("<img", "<li", "<h2", "<h3", "<pre", "<blockquote", "<iframe")
    )


def _summaries_twice(contents: Sequence[str | None], summaries: Sequence[str | None]) -> bool:
    """Return whether most entries' contents are their summaries once more: then the element for
    full posts proves nothing (ABlog).
    """
    both = [plain(c) == plain(s) for c, s in zip(contents, summaries, strict=True) if c and s]
    return len(both) >= 3 and 2 * sum(both) > len(contents)


@dataclass(frozen=True, slots=True)
class _Text:
    """An entry's content, measured."""

    html: str
    summary: str
    is_declared: bool
    """It stood in an element meant for full posts."""
    length: int
    mark: int
    """Its ending, as of ``cut_mark``."""


def _shortest_cut(lengths: Sequence[int]) -> float:
    """Return the length from which texts are cut, where the generator cuts all at one length:
    WordPress at 55 words, Jekyll at 200 characters, Nikola at 500. Some posts are shorter.
    """
    longest = max(lengths)
    near_longest = sum(1 for length in lengths if length >= 0.93 * longest)
    is_one_length = len(lengths) >= 3 and near_longest >= max(3, 0.6 * len(lengths))
    return 0.93 * longest if is_one_length and longest <= 1200 else math.inf


class _Style:
    """How a feed's generator writes entries: all of them alike, so equal lengths and equal endings
    are its doing.
    """

    def __init__(self, texts: Sequence[_Text]) -> None:
        lengths = sorted(text.length for text in texts)
        cut = sorted(text.length for text in texts if text.mark)
        count, longest, median = len(lengths), lengths[-1], lengths[len(lengths) // 2]
        is_several = count >= 5
        # one ellipsis among many plain endings is style; among few entries, or many ellipses, it
        # is a cut
        self._is_ellipsis_cut = len(cut) / count >= 0.3 or count < 4
        self._shortest_cut = _shortest_cut(lengths)
        # a short post among many cut ones is whole; an uncut one that is not shorter is an excerpt
        # that ends well
        cuts_most = count >= 3 and len(cut) > 0.5 * count
        self._longest_uncut = 0.9 * cut[len(cut) // 2] if cuts_most else math.inf
        # posts differ in length by far more than summaries do (Hugo's end at a paragraph, unmarked)
        self._are_alike = is_several and longest <= 1500 and median >= 0.35 * longest
        self._marks_cuts = any(text.mark == 2 for text in texts)
        self._is_long = median >= 1000 or (is_several and longest >= 3000)

    def is_whole(self, text: _Text) -> bool:
        """Return whether the content is the whole post."""
        if self._is_cut(text):
            return False
        if not text.is_declared:
            return self._is_post(text)
        return not text.summary or text.length > 0.8 * len(plain(text.summary))

    def _is_cut(self, text: _Text) -> bool:
        is_marked = text.mark == 2 or (text.mark == 1 and self._is_ellipsis_cut)
        return (
            is_marked
            or not text.length
            or text.length >= self._shortest_cut
            or text.length > self._longest_uncut
        )

    def _is_post(self, text: _Text) -> bool:
        """Return whether an uncut text in an element for any text is a post, no summary."""
        if text.length >= 1000 or self._is_long:
            return True
        is_structured = has_structure(text.html)
        if self._marks_cuts and (is_structured or "<p" in text.html):
            return True
        return text.length >= 250 and is_structured and not self._are_alike


def judge(
    contents: Sequence[str | None], summaries: Sequence[str | None], declared: Sequence[bool]
) -> list[bool]:
    """Return per entry: is its content the whole post?

    contents, summaries: HTML or None; declared: the content stood in an element meant for whole
    posts (``content:encoded``, Atom ``content``, JSON Feed ``content_html``). Judged together,
    because generators cut all entries of a feed alike.
    """
    if _summaries_twice(contents, summaries):
        declared = [False] * len(declared)
    texts = [
        _measure(content or "", summary or "", is_declared)
        for content, summary, is_declared in zip(contents, summaries, declared, strict=True)
    ]
    filled = [text for text in texts if text.length]
    if not filled:
        return [False] * len(texts)
    style = _Style(filled)
    return [style.is_whole(text) for text in texts]


def _measure(content: str, summary: str, is_declared: bool) -> _Text:
    length = len(plain(content))
    return _Text(content, summary, is_declared, length, cut_mark(content) if length else 2)


def with_fullness(found: Sequence[tuple[FeedEntry, bool]]) -> list[FeedEntry]:
    """Return the entries with ``is_full`` set. found: (entry, whether its content stood in an
    element for full posts).
    """
    entries = [entry for entry, _ in found]
    full = judge(
        [entry.content_html for entry in entries],
        [entry.summary_html for entry in entries],
        [is_declared for _, is_declared in found],
    )
    return [replace(entry, is_full=whole) for entry, whole in zip(entries, full, strict=True)]
