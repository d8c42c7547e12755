"""Post and comments told apart by a series of pages of one blog (posts-and-comments-separation-ja).

Content is what stands on one page only.  A block is called by its identifier: where in the template it stands.
An identifier that has content on every page is the post's, one that has it on some pages only is the comments'.
Blocks of the template that repeat elsewhere by chance are taken back where they stand between blocks of the post.
The paper's weakness, a blog where every page has comments, is mended by the feed's text where there is one,
else by how such identifiers are built: a name that says comments, or several alike runs a page, below the post.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from lxml.html import HtmlElement

from blogcrawl.extraction.blocks import BOUNDARIES, Blocks, blocks_of
from blogcrawl.extraction.noise import kind_of
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.induction.similarity import tokens
from blogcrawl.items import Fields, FieldValue
from blogcrawl.page import Page
from blogcrawl.text import node_text

MIN_PAGES = 3
ALL = 0.9
"""Share of pages that counts as all: one odd page in ten is no reason to call a post a comment."""
MAX_COMMON = 4000
"""Texts of the template that are remembered, most frequent first (bytes of state, not accuracy, set it)."""
IN_FEED, NOT_IN_FEED = 0.6, 0.25
"""Share of an identifier's words found in the feed's text from which it is the post's, below which it is not."""
WHOLE = 0.75
"""Share of a common ancestor's text that must be the post's for it to be taken whole."""
_DIGITS = re.compile(r"\d+")
_KINDS_ASIDE = frozenset(("comments", "related", "nav", "ad", "subscribe"))


@dataclass(slots=True)
class _Seen:
    """What the series shows of one identifier."""

    pages: set[int] = field(default_factory=set)
    letters: float = 0.0
    blocks: int = 0
    in_feed: int = 0
    words: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """Page and element number."""


def identifier(blocks: Blocks, i: int) -> str:
    """Where a block stands: the path of names from its nearest named ancestor's parent on, numbers made alike."""
    parts: list[str] = []
    named = 0
    while i > 0 and named < 2 and len(parts) < 8:
        element = blocks.elements[i]
        label = element.get("id") or element.get("class") or ""
        own = _DIGITS.sub("0", " ".join(sorted(label.split())))[:80]
        if own and blocks.tags[i] not in {"p", "li", "span", "h1", "h2", "h3", "h4", "pre", "td", "blockquote"}:
            parts.append(f"{blocks.tags[i]}.{own}")
            named += 1
        elif named == 0 and not _is_leaf(blocks.tags[i]):
            parts.append(blocks.tags[i])
        i = blocks.parent[i]
    return "/".join(reversed(parts))


def _is_leaf(tag: str) -> bool:
    """Tags a post is written with: they tell nothing of the template."""
    return tag in _WRITTEN


_WRITTEN = frozenset(
    "p li ul ol dl dt dd pre h1 h2 h3 h4 h5 h6 blockquote table tbody thead tr td th figure figcaption center span strong em".split()
)


def digest(text: str) -> int:
    """48 bits of a text, white space folded."""
    return int.from_bytes(blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=6).digest(), "big")


def texts(blocks: Blocks) -> list[tuple[int, str, int]]:
    """Number, text and digest of every block that has text of its own."""
    return [
        (i, text, digest(text))
        for i in range(len(blocks.tags))
        if blocks.plain[i] + blocks.linked[i] > 0 and (blocks.tags[i] in BOUNDARIES or i == 0) and (text := _own_text(blocks, i))
    ]


def _own_text(blocks: Blocks, i: int) -> str:
    element = blocks.elements[i]
    if all(blocks.tags[child] not in BOUNDARIES for child in range(i + 1, blocks.end[i])):
        return node_text(element)
    pieces = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in BOUNDARIES:
            pieces.append(" ".join(child.itertext()))
        pieces.append(child.tail or "")
    return " ".join(" ".join(pieces).split())


class SeriesExtractor:
    """Learner and extractor; slot: ``{"post": [identifier, …], "comment": […], "common": [digest, …]}``."""

    name = "series"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        """None with fewer than three pages, or where no identifier has content on all of them."""
        if len(samples) < MIN_PAGES:
            return None
        pages = [blocks_of(sample.page) for sample in samples]
        read = [texts(blocks) for blocks in pages]
        spread = Counter(mark for page in read for mark in {mark for _i, _text, mark in page})
        feeds = [_feed_words(sample) for sample in samples]
        seen: dict[str, _Seen] = defaultdict(_Seen)
        for number, (blocks, page) in enumerate(zip(pages, read, strict=True)):
            for i, text, mark in page:
                if spread[mark] > 1:
                    continue
                one = seen[identifier(blocks, i)]
                one.pages.add(number)
                one.letters += blocks.plain[i]
                one.blocks += 1
                one.places.append((number, i))
                wanted = feeds[number]
                if wanted:
                    words = tokens(text)
                    one.words += len(words)
                    one.in_feed += sum(word in wanted for word in words)
        post, comment = _separate(seen, len(samples))
        if not post:
            return None
        between = _between(seen, post[0])
        comment = [name for name in comment if not is_within(name, post) and name not in between]
        often = sorted((mark for mark, count in spread.items() if count > 1), key=lambda mark: (-spread[mark], mark))
        common = often[:MAX_COMMON]
        return RuleSet(methods={self.name: {"post": post, "comment": comment, "common": sorted(common)}}, samples=len(samples))

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """``content``: one element, or the siblings from the first to the last block of the post."""
        slot = ruleset.slot(self.name) if ruleset is not None else None
        if not slot:
            return None
        blocks = blocks_of(page)
        common, comments = set(slot["common"]), set(slot["comment"])
        marked: dict[str, list[int]] = defaultdict(list)
        others: list[int] = []
        for i, _text, mark in texts(blocks):
            name = identifier(blocks, i)
            if name in comments:
                others.append(i)
            elif mark not in common:
                marked[next((one for one in slot["post"] if one == name or is_within(name, [one])), name)].append(i)
        for place, name in enumerate(slot["post"]):
            mine = marked.get(name)
            if mine and sum(blocks.plain[i] for i in mine) > 0:
                value = span(blocks, mine, others)
                return {"content": [FieldValue(value=value, method=self.name, confidence=0.65 - 0.1 * place, rule=name)]}
        return None


def _between(seen: dict[str, _Seen], main: str) -> set[str]:
    """Identifiers that stand mostly between the first and the last block of the post: boxes in it, whatever their name."""
    spans: dict[int, tuple[int, int]] = {}
    for page, i in seen[main].places:
        low, high = spans.get(page, (i, i))
        spans[page] = (min(low, i), max(high, i))
    out = set()
    for name, one in seen.items():
        inside = sum(spans[page][0] < i < spans[page][1] for page, i in one.places if page in spans)
        if 2 * inside > len(one.places):
            out.add(name)
    return out


def is_within(name: str, post: list[str]) -> bool:
    """Does an identifier lie inside one of the post's (a code block in a box of its own, an odd paragraph)?"""
    parts = name.split("/")
    return any(part in parts[:-1] for one in post if "." in (part := one.rsplit("/", 1)[-1]))


def _feed_words(sample: Sample) -> set[str]:
    entry = sample.entry
    return set(tokens(html_text(entry.content_html))) if entry.is_full and entry.content_html else set()


def _separate(seen: dict[str, _Seen], pages: int) -> tuple[list[str], list[str]]:
    """Identifiers of the post, most text first, and of comments."""
    post: list[tuple[float, str]] = []
    comment: list[str] = []
    for name, one in seen.items():
        aside = any(kind_of(part.partition(".")[2]) in _KINDS_ASIDE for part in name.split("/"))
        share = one.in_feed / one.words if one.words else None
        on_all = len(one.pages) >= ALL * pages
        if share is not None and share >= IN_FEED and one.letters and not aside:
            post.append((one.letters * share, name))
        elif aside or (share is not None and share < NOT_IN_FEED) or not on_all:
            comment.append(name)
        else:
            post.append((one.letters, name))
    post.sort(key=lambda item: (-item[0], item[1]))
    best = post[0][0] if post else 0.0
    # titles, dates and bylines are on all pages too: they are not where the text is
    return [name for letters, name in post if letters >= 0.2 * best and letters > 0], sorted(comment)


def span(blocks: Blocks, mine: list[int], others: list[int]) -> HtmlElement | list[HtmlElement]:
    """The element that holds all of ``mine`` and little else, else the siblings from the first to the last that hold any."""
    top = mine[0]
    while not blocks.end[top] > mine[-1]:
        top = blocks.parent[top]
    inside = set(range(top, blocks.end[top]))
    foreign = [i for i in others if i in inside]
    while blocks.tags[top] in _WRITTEN and top > 0:
        top = blocks.parent[top]
    total = blocks.all_plain[top] or 1.0
    if sum(blocks.all_plain[i] for i in foreign) <= (1 - WHOLE) * total:
        return blocks.elements[top]
    children = blocks.children(top)
    holding = [place for place, child in enumerate(children) if any(child <= i < blocks.end[child] for i in mine)]
    if not holding:
        return blocks.elements[top]
    chosen = children[holding[0] : holding[-1] + 1]
    return [blocks.elements[child] for child in chosen if not any(child <= i < blocks.end[child] for i in foreign) or child in mine]
