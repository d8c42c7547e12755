"""A score function per field: how well what a rule returns is what the feed promised (section 3.5
of harvest-modern-weblogs).

Every function takes the value found on a page and the page's target, and gives 0..1.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from html import unescape
from typing import Any

import lxml.html
from lxml import etree

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.costs import may_have_many_attributes
from blogcrawl.core.page import CONTROLS, fragment, html_parser
from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.text.lengths import MAX_TITLE
from blogcrawl.text.similarity import (
    CJK_RUN,
    dice,
    fold,
    folded_dice,
    run_length,
    shingles,
    tokens,
)
from blogcrawl.text.visible import SILENT_TAGS, node_text, squeeze

_TAGS = re.compile(r"<[a-zA-Z/!][^<>]*>")
_PLAIN_TAGS = re.compile(r"""<[a-zA-Z/][^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*)*>""")
_UNSEEN = re.compile(
    (
        rf"<(?:!(?!--)|\?|(?=[{''.join(sorted({tag[0] for tag in SILENT_TAGS}))}])(?:"
        rf"{'|'.join(sorted(SILENT_TAGS))})\b)"
    ),
    re.I,
)
_PIECES = etree.XPath("//text()[normalize-space()]", smart_strings=False)
_SILENT = SILENT_TAGS - {"head"}
_BY = re.compile(
    (
        r"^\s{0,20}(?:(?:posted|written|published|submitted|authored)\s{1,20})?(?:by|von|par|por|di|"
        r"da|door|av|af|автор|作者|投稿者|著者|autor|author)\s{0,20}[:：]?\s{1,20}|^(?:作者|投稿者|著者|"
        r"автор)\s{0,20}[:：]\s{0,20}"
    ),
    re.I,
)
_CUT = re.compile(
    r"(?:\[\s*(?:…|\.\.\.|&hellip;)\s*\]|…|\.\.\.)\s*(?:\S+\s*){0,4}$"
    r"|(?:continue reading|read more|weiterlesen|lire la suite|читать далее)[^.]{0,40}$",
    re.I,
)
"""How engines end an excerpt (WordPress, Nikola, Pelican and others)."""
OMITTED = re.compile(r"\s{0,20}\[?(?:…|\.{3,40})\]?\s{0,20}$")
"""Marks of omission at the end of a title."""
SHORTEST_CUT = 12
"""Characters that a title must have before them for another to be known by its beginning."""


def html_text(markup: str | None) -> str:
    """Return visible text of an HTML fragment of a feed; plain text comes back as it is."""
    if not markup or not markup.strip():
        return ""
    if not _TAGS.search(markup) and "&" not in markup:
        return " ".join(markup.split())
    try:
        return node_text(fragment(markup))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return " ".join(_TAGS.sub(" ", markup).split())


def html_pieces(markup: str | None) -> list[str]:
    """Return visible texts of an HTML fragment, element by element, as a PageIndex reads a page: no
    word reaches over an element's edge.
    """
    if not markup or not _TAGS.search(markup):
        return [html_text(markup)]
    try:
        source = f"<html><body>{markup}".encode("utf-8", "ignore").translate(None, CONTROLS)
        if may_have_many_attributes(source):
            return [html_text(markup)]
        root = lxml.html.document_fromstring(source, parser=html_parser())
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return [html_text(markup)]
    if next(root.iter(*_SILENT), None) is not None:
        etree.strip_elements(root, *_SILENT, with_tail=False)
    if "<!" in markup or "<?" in markup:
        etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    pieces: Any = _PIECES(root)
    return pieces or [""]


def seen_text(markup: str | None) -> str:
    """Return the same in one text. Where tags are plain and nothing is hidden they are cut out
    unparsed, in a third of the time.
    """
    if markup and _TAGS.search(markup) and not _UNSEEN.search(markup):
        before, *comments = markup.split("<!--")
        parts = [comment.partition("-->") for comment in comments]
        text = _PLAIN_TAGS.sub(" ", " ".join([before, *(after for _, _, after in parts)]))
        if "<" not in text and all(end for _, end, _ in parts):
            return unescape(text)
    return " ".join(html_pieces(markup))


def name_of(author: str) -> str:
    """Return a feed's author without address and "posted by": ``jo@x.org (Jo)`` gives ``Jo``."""
    text = fold(re.sub(r"<[^<>]*>", " ", author[:MAX_READ]))
    inside = re.search(r"\(([^()@]{2,})\)\s*$", text)
    if inside and re.match(r"[\w.+-]+@", text):
        return inside[1].strip()
    text = re.sub(r"\(?(?<![\w.+-])[\w.+-]++@[\w.-]+\.\w+\)?", " ", text)
    return strip_by(text).strip(" ,;:-")


def strip_by(text: str) -> str:
    """Return text without a leading "posted by" in a few languages."""
    return _BY.sub("", text, count=1).strip()


EAST, WEST = timedelta(hours=14), timedelta(hours=12)
"""How far clocks are ahead of UTC, and behind it."""


class Target:
    """What the feed says of a post, made ready for comparison; each field when it is first asked
    for.
    """

    lean = 0
    """By how many days the blog's own clock may be ahead of the feed's in the dates of publication:
    -1, 0, or 1.
    """

    def __init__(self, entry: FeedEntry) -> None:
        self._entry = entry

    @cached_property
    def _headline(self) -> str:
        return fold(self._entry.title or "")

    @cached_property
    def title(self) -> str:
        """Empty where it is only the content's beginning."""
        return self._headline if len(self._headline) <= MAX_TITLE else ""

    @cached_property
    def begun(self) -> str:
        """How the whole title begins, case folded, where the feed cuts it; else empty."""
        return title_begun(self.title)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        return tuple(name for name in map(name_of, self._entry.authors) if name)

    @property
    def days(self) -> set[date]:
        """Of publication: as written, and in UTC; where the blog's clock is another, also the day
        that it may show.
        """
        return self.told_days if not self.lean else self.told_days | self._neighbours

    @cached_property
    def told_days(self) -> set[date]:
        """As in the feed."""
        return _days(self._entry.published, self._entry.published_raw)

    @property
    def _neighbours(self) -> set[date]:
        """The day before, where it is still that somewhere west of UTC, or the day after, where it
        is that already in the east.
        """
        moment = self._entry.published
        if moment is None or moment.tzinfo is None:
            return set()
        moment = moment.astimezone(UTC)
        other = moment + EAST if self.lean > 0 else moment - WEST
        return {other.date()}

    @cached_property
    def modified_days(self) -> set[date]:
        modified = _days(self._entry.modified, self._entry.modified_raw)
        return modified - self.told_days if modified else set()

    @cached_property
    def tags(self) -> frozenset[str]:
        return frozenset(tag for tag in map(str.casefold, map(fold, self._entry.tags)) if tag)

    @cached_property
    def text(self) -> str:
        """The content's, or the summary's, as its words are read from."""
        for markup in (self._entry.content_html, self._entry.summary_html):
            text = seen_text(markup)
            if any(map(str.isalnum, text)):
                return text
        return text if self.title else self._headline

    @cached_property
    def cut(self) -> bool:
        """The text ends in a mark of omission."""
        return bool(_CUT.search(squeeze(self.text[-MAX_READ:])[-60:]))

    @cached_property
    def has_text(self) -> bool:
        """Whether there is any word in the content."""
        return any(map(str.isalnum, self.text))

    @cached_property
    def letters(self) -> str:
        """The text without any white space: equal ones need no closer look."""
        return "".join(self.text.split())

    @cached_property
    def words(self) -> list[str]:
        """The content's words."""
        return tokens(self.text)

    @cached_property
    def run(self) -> int:
        """Length of its runs."""
        return run_length(self.words)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The distinct words."""
        return frozenset(self.words)

    @cached_property
    def runs(self) -> set[int]:
        """Runs of the words; empty for a text shorter than one."""
        return shingles(self.words, self.run) if len(self.words) >= self.run else set()


def _days(moment: datetime | None, raw: str | None) -> set[date]:
    written = machine_date(raw) if raw else None
    out = written.days() if written is not None else set()
    if moment is not None:
        out.add(moment.astimezone(UTC).date() if moment.tzinfo else moment.date())
    return out


def title_begun(title: str) -> str:
    """Return a title before its marks of omission, folded; empty where it has none, or too little
    before them to know a title by.
    """
    begun = OMITTED.sub("", fold(title)).casefold()
    return begun if len(begun) >= SHORTEST_CUT and len(begun) < len(fold(title)) else ""


def title_score(value: str, target: Target) -> float:
    """1 for the same words; contained in a longer text less than that; else damped Dice."""
    left, right = fold(value), target.title
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    left, right = left.casefold(), right.casefold()
    if left == right:
        return 0.96
    if _plain(left) == _plain(right):
        return 0.94
    if target.begun and left.startswith(target.begun) and len(left) <= MAX_TITLE:
        return 0.92
    return 0.8 * folded_dice(left, right)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip() or text


JOINED = re.compile(r"\s(?:&|\+|and|und|et|y|e|и)\s")
"""Between the names of several authors of a blog; one of them is not the author of every post."""


def author_score(value: str, target: Target) -> float:
    """Dice with the entry's names, after "posted by"; where they are several, one of them is worth
    its share of F1.
    """
    value = strip_by(fold(value)).casefold()
    if not value or not target.authors:
        return 0.0
    names = [name.casefold() for name in target.authors]
    if len(value) >= 200 or any(value != name and value in JOINED.split(name) for name in names):
        return 0.0
    one = max(dice(value, name) for name in names)
    return (
        one if len(names) == 1 else max(2 * one / (1 + len(names)), dice(value, ", ".join(names)))
    )


@lru_cache(maxsize=8192)
def tag_key(value: str) -> str:
    """Return a tag as it is compared; themes write the same ones on every page."""
    return fold(value).casefold().lstrip("#").strip(" ,;/")


def tags_score(values: list[str], target: Target) -> float:
    """F1 of two sets of tags, case folded, a leading # ignored."""
    found = set(map(tag_key, values)) - {""}
    if not found or not target.tags:
        return 0.0
    return 2 * len(found & target.tags) / (len(found) + len(target.tags))


def affixes(value: str, wanted: str) -> tuple[str, str] | None:
    """Return what stands before and after the wanted text in a value, e.g. ("", " | My blog");
    None: it isn't in it.
    """
    value, name = fold(value), wanted.casefold()
    known = value.casefold()
    at = known.find(name) if name else -1
    if at < 0 or known == name:
        return None
    if len(known) != len(value):  # a sharp s is two letters there
        value = known
    return value[:at], value[at + len(name) :]


def long_enough(target: Target) -> bool:
    """Return whether there is text to recognise a node by (the minimum length of
    adaptive-post-recognition).
    """
    return len(target.words) >= (12 if target.run < CJK_RUN else 20)
