"""Post and comments told apart by a series of pages of one blog (posts-and-comments-separation-ja).

Content is what stands on one page only. A block is called by its identifier: where in the template
it stands. An identifier that has content on every page is the post's, one that has it on some pages
only is the comments'. Blocks of the template that repeat elsewhere by chance are taken back where
they stand between blocks of the post. The paper's weakness, a blog where every page has comments,
is mended by the feed's text where there is one, else by the names around an identifier; comments
stand below the post, and where some stand in a box that is named so, the others do too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.dom.text_blocks import WRITTEN, identifier, texts
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.lexicon.css_classes import kind_of
from blogcrawl.text.similarity import tokens

MIN_PAGES = 3
ALL = 0.9
"""Share of pages that counts as all: one odd page in ten is no reason to call a post a comment."""
MAX_COMMON = 4000
"""Texts of the template that are remembered, most frequent first (bytes of state, not accuracy, set
it).
"""
FIXED = 0.25
"""Share of pages from which a repeated text is the template's even among comments ("Reply"); guests
say "Thanks!" less often.
"""
IN_FEED, NOT_IN_FEED = 0.6, 0.25
"""Share of an identifier's words found in the feed's text from which it is the post's, below which
it is not.
"""
WHOLE = 0.75
"""Share of a common ancestor's text that must be the post's for it to be taken whole."""
A_LINE, FAR_MORE = 60, 10
"""Letters a page below which what is on all pages may be a byline; how many times as much other
text then makes it one.
"""
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
    named: list[tuple[int, int]] = field(default_factory=list)
    """Of ``places``, those in a box whose name says comments."""


class SeriesExtractor:
    """Learner and extractor; slot: lists of identifiers and of digests of the template's texts
    (``common``).

    ``post``: most text first; ``within``: boxes in the post; ``comment``; ``other``: what comes and
    goes and is neither. ``fixed``: of ``common``, those of the template even among comments.
    """

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
                if _in_comments(blocks, i):
                    one.named.append((number, i))
                wanted = feeds[number]
                if wanted:
                    words = tokens(text)
                    one.words += len(words)
                    one.in_feed += sum(word in wanted for word in words)
        again = _shown_elsewhere(pages, read, spread, seen)
        post, others = _separate(seen, len(samples))
        if not post or _is_a_line(post[0], others, seen, len(samples)):
            return None
        within = [name for name in others if not _is_aside(name) and _belongs(name, seen, post)]
        others = [name for name in others if name not in within]
        comment = _comments(seen, post[0], others)
        told = set().union(*(again.get(name, ()) for name in post))
        often = sorted(
            (mark for mark, count in spread.items() if count > 1 and mark not in told),
            key=lambda mark: (-spread[mark], mark),
        )
        common = often[:MAX_COMMON]
        slot = {
            "post": post,
            "within": within,
            "comment": comment,
            "other": [name for name in others if name not in comment],
            "common": sorted(common),
            "fixed": sorted(
                mark for mark in common if spread[mark] >= max(MIN_PAGES, FIXED * len(samples))
            ),
        }
        return RuleSet(methods={self.name: slot}, samples=len(samples))

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """``content``: one element, or the siblings from the first to the last block
        of the post.
        """
        slot = ruleset.slot(self.name) if ruleset is not None else None
        if not slot:
            return None
        blocks = blocks_of(page)
        marked: dict[str, list[int]] = defaultdict(list)
        others: list[int] = []
        for i, call, name in calls(blocks, slot):
            if call in ("comment", "other"):
                others.append(i)
            elif call == "post":
                marked[name].append(i)
        for place, name in enumerate(slot["post"]):
            mine = marked.get(name)
            if mine and sum(blocks.plain[i] for i in mine) > 0:
                value = span(blocks, mine, others)
                return {
                    "content": [
                        FieldValue(
                            value=value, method=self.name, confidence=0.65 - 0.1 * place, rule=name
                        )
                    ]
                }
        return None


def _is_a_line(main: str, others: Sequence[str], seen: Mapping[str, _Seen], pages: int) -> bool:
    """Whether what stands on all pages is no more than a line of dates, beside far more text on
    most of them.
    """
    letters = seen[main].letters
    rivals = (
        seen[name]
        for name in others
        if not _is_aside(name) and 2 * len(seen[name].named) <= len(seen[name].places)
    )
    return letters < A_LINE * pages and any(
        2 * len(one.pages) > pages and one.letters > FAR_MORE * letters for one in rivals
    )


def _shown_elsewhere(
    pages: Sequence[Blocks],
    read: Sequence[list[tuple[int, str, int]]],
    spread: Mapping[int, int],
    seen: Mapping[str, _Seen],
) -> dict[str, set[int]]:
    """Repeated texts that stand once only in their own place, by identifier; the pages are counted
    as having content there.

    A short post that its neighbours show whole among their teasers is no text of the template.
    """
    places: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, (blocks, page) in enumerate(zip(pages, read, strict=True)):
        for i, _text, mark in page:
            if spread[mark] > 1 and blocks.plain[i]:
                places[identifier(blocks, i), mark].append(number)
    out: dict[str, set[int]] = defaultdict(set)
    for (name, mark), numbers in places.items():
        if len(numbers) == 1 and name in seen:
            out[name].add(mark)
            seen[name].pages.add(numbers[0])
    return out


def calls(blocks: Blocks, slot: Mapping[str, Sequence[Any]]) -> list[tuple[int, str, str]]:
    """Every text block's number, what it is (``post``, ``comment``, ``other``, or "" for the
    template's), and the identifier that says so.

    A text of the template between two blocks of the post, or with an identifier of comments, is
    taken back (paper, 3.4.2).
    """
    common, fixed, comments, others, within = (
        set(slot.get(key, ())) for key in ("common", "fixed", "comment", "other", "within")
    )
    out: list[tuple[int, str, str]] = []
    edges: dict[str, list[int]] = {}
    for i, _text, mark in texts(blocks):
        name = identifier(blocks, i)
        if name in comments:
            out.append((i, "" if mark in fixed else "comment", name))
        elif name in others:
            out.append((i, "" if mark in common else "other", name))
        else:
            whose = (
                slot["post"][0]
                if name in within
                else next((one for one in slot["post"] if is_within(name, one)), None)
            )
            mine = whose is not None and mark not in common
            out.append((i, "post" if mine else "", name if whose is None else whose))
            if whose is not None and mine:
                edges.setdefault(whose, [i, i])[1] = i
    return [
        (
            i,
            "post"
            if not call and whose in edges and edges[whose][0] < i < edges[whose][1]
            else call,
            whose,
        )
        for i, call, whose in out
    ]


def _in_comments(blocks: Blocks, i: int) -> bool:
    """Does a box around a block say that it holds comments?"""
    while i > 0 and blocks.tags[i] not in ("body", "main", "article"):
        element = blocks.elements[i]
        if any(kind_of(element.get(key) or "") == "comments" for key in ("id", "class")):
            return True
        i = blocks.parent[i]
    return False


def _belongs(name: str, seen: Mapping[str, _Seen], post: Sequence[str]) -> bool:
    """Boxes in the post: those that stand mostly between its first and last block, and those built
    into its frame that are not mostly below it, or not below the first named box of comments."""
    between, below = _places(seen, post[0], name)
    total = len(seen[name].places)
    if 2 * between > total:
        return True
    if not any(is_within(name, one) or _frame(one) in name.split("/")[:-1] for one in post):
        return False
    starts: dict[int, int] = {}
    for page, i in (place for one in seen.values() for place in one.named):
        starts[page] = min(i, starts.get(page, i))
    above = [i < starts[page] for page, i in seen[name].places if page in starts]
    return 2 * below <= total or 2 * sum(above) > len(above)


def _comments(seen: Mapping[str, _Seen], main: str, names: Sequence[str]) -> list[str]:
    """Of identifiers that come and go, those mostly below the post; only those in named boxes,
    where there are any.
    """
    low = [name for name in names if 2 * _places(seen, main, name)[1] > len(seen[name].places)]
    named = [name for name in names if 2 * len(seen[name].named) > len(seen[name].places)]
    return named or [name for name in low if not _is_aside(name) and not _is_furniture(name)]


def _places(seen: Mapping[str, _Seen], main: str, name: str) -> tuple[int, int]:
    """How many blocks of an identifier stand between the first and last block of the post, and how
    many below.
    """
    spans: dict[int, tuple[int, int]] = {}
    for page, i in seen[main].places:
        first, last = spans.get(page, (i, i))
        spans[page] = (min(first, i), max(last, i))
    known = [(spans[page], i) for page, i in seen[name].places if page in spans]
    return sum(span[0] < i < span[1] for span, i in known), sum(i > span[1] for span, i in known)


def is_within(name: str, one: str) -> bool:
    """Is an identifier one of the post's or built into it (a code block in a box of its own, an odd
    paragraph)?
    """
    last = one.rsplit("/", 1)[-1]
    return (
        name == one
        or name.startswith(one + "/")
        or ("." in last and last in name.split("/")[:-1] and not _is_aside(name))
    )


def _frame(name: str) -> str:
    """The nearest named part of an identifier."""
    return next((part for part in reversed(name.split("/")) if "." in part), name)


def _is_aside(name: str) -> bool:
    return any(kind_of(part.partition(".")[2]) in _KINDS_ASIDE for part in name.split("/"))


def _is_furniture(name: str) -> bool:
    """Foot lines, share buttons: below the post on many pages and nobody's comment."""
    return any(
        kind_of(part.partition(".")[2]) is not None
        or part.split(".")[0] in ("footer", "nav", "aside")
        for part in name.split("/")
    )


def _feed_words(sample: Sample) -> set[str]:
    entry = sample.entry
    return (
        set(tokens(html_text(entry.content_html)))
        if entry.is_full and entry.content_html
        else set()
    )


def _separate(seen: dict[str, _Seen], pages: int) -> tuple[list[str], list[str]]:
    """Identifiers of the post, most text first, and all others."""
    post: list[tuple[float, str]] = []
    other_names: list[str] = []
    whole = {name: set(one.pages) for name, one in seen.items()}
    for name, pages_of in whole.items():
        for other, one in seen.items():
            if other.startswith(name + "/"):
                pages_of |= one.pages
    for name, one in seen.items():
        aside = _is_aside(name) or 2 * len(one.named) > len(one.places)
        share = one.in_feed / one.words if one.words else None
        on_all = len(whole[name]) >= ALL * pages
        if share is not None and share >= IN_FEED and one.letters and not aside:
            post.append((one.letters * share, name))
        elif aside or (share is not None and share < NOT_IN_FEED) or not on_all:
            other_names.append(name)
        else:
            post.append((one.letters, name))
    post.sort(key=lambda item: (-item[0], item[1]))
    best = post[0][0] if post else 0.0
    # titles, dates and bylines are on all pages too: they are not where the text is
    return [name for letters, name in post if letters >= 0.2 * best and letters > 0], sorted(
        other_names
    )


def span(blocks: Blocks, mine: list[int], others: list[int]) -> HtmlElement | list[HtmlElement]:
    """The element that holds all of ``mine`` and little else, else the siblings from the first to
    the last that hold any.
    """
    top = mine[0]
    while not blocks.end[top] > mine[-1]:
        top = blocks.parent[top]
    inside = set(range(top, blocks.end[top]))
    foreign = [i for i in others if i in inside]
    while blocks.tags[top] in WRITTEN and top > 0:
        top = blocks.parent[top]
    total = blocks.all_plain[top] or 1.0
    if sum(blocks.all_plain[i] for i in foreign) <= (1 - WHOLE) * total:
        return blocks.elements[top]
    children = blocks.children(top)
    holding = [
        place
        for place, child in enumerate(children)
        if any(child <= i < blocks.end[child] for i in mine)
    ]
    if not holding:
        return blocks.elements[top]
    chosen = children[holding[0] : holding[-1] + 1]
    return [
        blocks.elements[child]
        for child in chosen
        if not any(child <= i < blocks.end[child] for i in foreign) or child in mine
    ]
