"""Learn rules for boilerplate inside the content node: byline, tags, share bar, related posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from math import ceil

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, SEVERAL, SOME
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.selectors import Selector, own_steps, step
from blogcrawl.induction.content_rules import PART_TAGS, Own, is_labelled
from blogcrawl.induction.edge_boilerplate import Post, edges_of_posts
from blogcrawl.induction.learn import Prepared
from blogcrawl.induction.page_specific import says_away
from blogcrawl.induction.recurring_comments import DROP_HITS
from blogcrawl.induction.ruleset import FOUND, Rule
from blogcrawl.induction.template import MIN_WORDS
from blogcrawl.induction.unlabelled_drops import HEADINGS, unnamed_drops
from blogcrawl.lexicon.css_classes import kind_of
from blogcrawl.text.lengths import MAX_DATE_LINE
from blogcrawl.text.visible import node_text

MAX_DROPS = 25
CODE_TAGS = frozenset(("pre", "code"))
TEXT_TAGS = frozenset("p span font center small b i em strong".split())
"""Elements that hold a text of the author's; boxes hold whatever comes: no comment or thousands."""
ROWS = frozenset(("table", "tbody", "tr"))
BOXES = frozenset(("author", "related", "subscribe", "share"))
"""Kinds of boxes that a theme has below or in its posts, known by their names."""
Parts = tuple[Prepared, Sequence[int]]
"""A sample and elements of its page."""


@dataclass(slots=True)
class _Tally:
    """What a selector matches inside the content nodes of all samples."""

    pages: int = 0
    """Pages on which it matches any words."""
    words: int = 0
    content: int = 0
    """Of ``words``, those that belong to the content."""
    pages_with_content: int = 0

    def add(self, words: int, content: int) -> None:
        """Count the matches on one more page."""
        self.pages += bool(words)
        self.words += words
        self.content += content
        self.pages_with_content += content > DROP_HITS * words

    def is_boilerplate(self, need: int, *, sure: bool) -> bool:
        """Return whether it matches on enough pages, and hardly any content; of excerpts, where a
        post may be shorter than what the theme adds, and of texts that were found on the pages, on
        all but a few pages.
        """
        is_clean = self.content <= DROP_HITS * self.words
        is_rare = not sure and self.pages_with_content <= SOME * self.pages
        return self.pages >= need and (is_clean or is_rare)


def drops(samples: Sequence[Prepared], own: Own) -> list[Rule]:
    """Learn rules for parts inside the content node that are not content: byline, tags, share bar,
    related posts.

    With full text a part that the feed never has; with excerpts a part that recurs on the other
    pages. A part must match on two pages at least, and never hold content on any. Posts without
    words (pictures) say nothing: all that is on their pages is absent from the feed.
    """
    with_content = [p for p in samples if p.content is not None and _has_words(p, own)]
    whole = all(id(p) in own.full for p in with_content)  # one excerpt may be all of a short post
    is_fed = _is_fed(with_content, whole)
    named = _names_of_boxes(with_content, is_fed)
    edges = [] if whole else _edges(with_content, own)
    for prepared, edge in zip(with_content, edges, strict=False):
        own.leave_out(prepared, edge)
    foreign = [(p, _foreign(p, own, named)) for p in with_content]
    need = _pages_needed(len(with_content), whole)
    tally = _tallied(foreign if whole else _without_headings(foreign), own, named)
    kept = _supported(tally, need, sure=is_fed)
    rules, dropped = _labelled_drops(kept, with_content, own)
    left = _remaining(foreign, dropped, edges)
    # text that recurs in excerpts may be the author's habit: only on most of the posts is it the
    # theme's, and two are not most
    most = need if whole else max(SEVERAL, ceil(MAJORITY * len(with_content)))
    unnamed = unnamed_drops(left, own.worth, need=most, share=DROP_HITS)
    return rules + unnamed[: MAX_DROPS - len(rules)]


def _has_words(prepared: Prepared, own: Own) -> bool:
    """Return whether a word in the content node is content."""
    totals, index = own.inside(prepared), prepared.index
    return totals[index.last[prepared.top]] > totals[index.first[prepared.top]]


def _is_fed(samples: Sequence[Prepared], whole: bool) -> bool:
    """Return whether a feed has the whole texts, not methods that found them on the pages."""
    return whole and not all(p.sample.entry.source == FOUND for p in samples)


def _pages_needed(pages: int, whole: bool) -> int:
    """Return on how many pages a part must match: two that share it make it the theme's, of many or
    of excerpts three.
    """
    return 2 if pages < (12 if whole else 7) else 3


def _without_headings(foreign: Sequence[Parts]) -> Sequence[Parts]:
    """Leave headings out, but those that head what stands below a post by their id: the others' is
    made of their words."""

    def is_kept(index: PageIndex, i: int) -> bool:
        return index.tags[i] not in HEADINGS or _heads_what_is_below(index, i)

    return [(p, [i for i in found if is_kept(p.index, i)]) for p, found in foreign]


def _heads_what_is_below(index: PageIndex, i: int) -> bool:
    """Return whether an element is a heading of comments or the like by its id."""
    return index.tags[i] in HEADINGS and says_away(index.ids[i] or "")


def _supported(
    tally: dict[Selector, _Tally], need: int, *, sure: bool
) -> list[tuple[Selector, _Tally]]:
    """Return the selectors that match boilerplate only, those with the most words first."""
    kept = [
        (selector, row) for selector, row in tally.items() if row.is_boilerplate(need, sure=sure)
    ]
    return sorted(kept, key=lambda item: (-item[1].words, item[0].kind, item[0].xpath))


class _Drops:
    """Collects rules, each of which drops something that those before it do not."""

    def __init__(self, samples: Sequence[Prepared]) -> None:
        self.samples = samples
        self.rules: list[Rule] = []
        self.gone: list[set[int]] = [set() for _ in samples]
        """Of each sample the numbers of all elements that the rules drop."""

    def add(self, xpath: str, row: _Tally, found: Sequence[Sequence[int]], need: int = 1) -> None:
        """Add a rule that finds these elements in the samples, if ``need`` samples have new ones
        with words.
        """
        fresh = [
            _inside(p, nodes) - gone
            for p, nodes, gone in zip(self.samples, found, self.gone, strict=True)
        ]
        if sum(map(bool, fresh)) < need or len(self.rules) >= MAX_DROPS:
            return
        for new, gone in zip(fresh, self.gone, strict=True):
            gone |= new
        self.rules.append(
            Rule(
                field="content.drop",
                xpath=xpath,
                support_right=row.pages,
                support_tried=len(self.samples),
                mean_score=round(1 - row.content / row.words, 4),
                is_line=all(map(_is_line, self.samples, found)),
            )
        )


def _is_line(prepared: Prepared, nodes: Sequence[int]) -> bool:
    """Return whether these elements of a page hold text alone, together no more than a line."""
    index = prepared.index
    is_text = all(index.tags[i] in TEXT_TAGS for i in nodes)
    return is_text and sum(len(index.text(i)) for i in nodes) <= MAX_DATE_LINE


def _labelled_drops(
    kept: Sequence[tuple[Selector, _Tally]], samples: Sequence[Prepared], own: Own
) -> tuple[list[Rule], list[set[int]]]:
    """Return a rule for each selector that matches anything that those before it do not, and for
    each sample the numbers of all elements matched. Where no content ever follows what a selector
    matches, the post ends there: a further rule drops what is left behind it.
    """
    drops = _Drops(samples)
    matched = [
        [p.index.inside(selector.select(p.index), p.top) for p in samples] for selector, _ in kept
    ]
    for (selector, row), found in zip(kept, matched, strict=True):
        drops.add(f".{selector.xpath}", row, found)
    for (selector, row), found in zip(kept, matched, strict=True):
        if _ends_posts(samples, found, own):
            behind = [_behind(p.index, nodes) for p, nodes in zip(samples, found, strict=True)]
            drops.add(f".{selector.xpath}/following-sibling::*", row, behind, SEVERAL)
    return drops.rules, drops.gone


def _ends_posts(samples: Sequence[Prepared], found: Sequence[Sequence[int]], own: Own) -> bool:
    """Return whether no content follows the first of these elements in any sample."""
    pairs = zip(samples, found, strict=True)
    return not any(nodes and _has_content_behind(p, own, nodes[0]) for p, nodes in pairs)


def _has_content_behind(prepared: Prepared, own: Own, i: int) -> bool:
    """Return whether any word between an element and the end of the content node is content; below
    a heading of what stands there, more than comments share with posts."""
    totals, index = own.inside(prepared), prepared.index
    begin, end = index.last[i], index.last[prepared.top]
    shared = DROP_HITS if _heads_what_is_below(index, i) else 0
    return totals[end] - totals[begin] > shared * (end - begin)


def _behind(index: PageIndex, nodes: Sequence[int]) -> list[int]:
    """Return the siblings that follow any of these elements."""
    return [j for i in nodes for j in index.children(index.parent[i]) if j > i]


def _inside(prepared: Prepared, nodes: Sequence[int]) -> set[int]:
    """Return those elements that have words, with all inside them."""
    index = prepared.index
    return {j for i in nodes if index.length(i) for j in range(i, index.end[i])}


def _remaining(
    foreign: Sequence[Parts], dropped: Sequence[set[int]], edges: Sequence[Sequence[int]]
) -> Sequence[Parts]:
    """Return the foreign parts that no rule drops; of excerpts (with ``edges``) only those at an
    edge or of some length.
    """
    left = [
        (p, [i for i in found if i not in gone])
        for (p, found), gone in zip(foreign, dropped, strict=True)
    ]
    if not edges:
        return left
    return [
        (p, [i for i in found if i in edge or p.index.length(i) >= MIN_WORDS])
        for (p, found), edge in zip(left, edges, strict=True)
    ]


def _names_of_boxes(samples: Sequence[Prepared], is_fed: bool) -> frozenset[str]:
    """Return the classes and ids that call elements a box of the theme's, and are the smaller part
    of most posts that have one: what several authors say of themselves is the same on few pages,
    and of a short post it is the greater part.
    """
    pages: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for p in samples:
        words = _words_of_boxes(p)
        pages.update(words.keys())
        half = p.index.length(p.top) // 2
        small.update(label for label, length in words.items() if length <= half)
    return frozenset(
        name for name, n in pages.items() if n >= SEVERAL and small[name] >= MAJORITY * n
    )


def _words_of_boxes(p: Prepared) -> Counter[str]:
    """Count the words inside the content node by the class or id that calls them a box's."""
    words: Counter[str] = Counter()
    for i in range(p.top + 1, p.index.end[p.top]):
        for label in filter(None, {p.index.classes[i], p.index.ids[i]}):
            if kind_of(label) in BOXES:
                words[label] += p.index.length(i)
    return words


def _is_named(index: PageIndex, i: int, names: Set[str]) -> bool:
    return index.classes[i] in names or index.ids[i] in names


def _those_named(index: PageIndex, nodes: Iterable[int], names: Set[str]) -> set[int]:
    return {i for i in nodes if _is_named(index, i, names)}


def _tallied(
    foreign: Sequence[Parts], own: Own, named: Set[str] = frozenset()
) -> dict[Selector, _Tally]:
    """Count what the selectors of those parts match inside the content nodes; boxes that are
    ``named`` as the theme's hold no content."""
    tally = {
        selector: _Tally()
        for p, nodes in foreign
        for node in nodes
        for selector in _part_selectors(p.index, node)
    }
    for prepared, _ in foreign:
        index = prepared.index
        for selector, row in tally.items():
            nodes = index.inside(selector.select(index), prepared.top)
            worth = (own.worth(prepared, i) for i in nodes if not _is_named(index, i, named))
            row.add(sum(map(index.length, nodes)), sum(worth))
    return tally


def _edges(samples: Sequence[Prepared], own: Own) -> list[list[int]]:
    """Return the boilerplate above and below each post: where the feed has excerpts only the series
    of pages shows where posts begin and end.
    """

    def post(prepared: Prepared) -> Post:
        index = prepared.index

        def is_known(element: HtmlElement) -> bool:
            return element in index.where and not _is_content(prepared, own, index.where[element])

        def text(element: HtmlElement) -> str:
            i = index.where.get(element)
            return node_text(element) if i is None else index.text(i)

        def is_said(element: HtmlElement) -> bool:
            return element in index.where and prepared.hit(index.where[element]) > 0

        top = index.elements[prepared.top]
        return Post(top, prepared.sample.page.url, is_known, text, is_said)

    edges = zip(samples, edges_of_posts(list(map(post, samples))), strict=True)
    return [
        [i for element in edge if (i := prepared.index.where.get(element)) is not None]
        for prepared, edge in edges
    ]


def _is_content(prepared: Prepared, own: Own, i: int) -> bool:
    return own.worth(prepared, i) > DROP_HITS * prepared.index.length(i)


def _foreign(prepared: Prepared, own: Own, named: Set[str] = frozenset()) -> list[int]:
    """Return the topmost parts inside the content node that hold words but none of the content, and
    those that are ``named`` as the theme's.

    Code is left whole: its keywords, each in an element of its own, recur on other pages.
    """
    index, top, totals = prepared.index, prepared.content, own.inside(prepared)
    assert top is not None
    past, stop, out = top + 1, index.end[top], []
    theirs = _those_named(index, range(past, stop), named)
    for i, (a, b) in enumerate(
        zip(index.first[past:stop], index.last[past:stop], strict=True), past
    ):
        if i < past or a == b:
            continue
        is_empty = totals[b] - totals[a] <= DROP_HITS * (b - a)
        if index.tags[i] in CODE_TAGS:
            past = index.end[i]
        elif (is_empty or i in theirs) and not _is_nameless_row(index, i):
            out.append(i)
            past = index.end[i]
    return out


def _is_nameless_row(index: PageIndex, i: int) -> bool:
    """Return whether an element is a part of a table whose cells may have names, and has none."""
    return index.tags[i] in ROWS and not is_labelled(index, i)


def _part_selectors(index: PageIndex, i: int) -> list[Selector]:
    """Return selectors for a part of the content: by its own label, or by the tag of a box."""
    out = [Selector((mine,), kind) for kind, mine in own_steps(index, i)]
    if index.tags[i] in PART_TAGS:
        out.append(Selector((step(index.tags[i]),), 3))
    return out
