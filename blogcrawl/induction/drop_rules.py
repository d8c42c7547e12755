"""Rules for what stands inside the content's node and is no content: byline, tags, share bar,
related posts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from lxml.html import HtmlElement

from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.selectors import Selector, own_steps, step
from blogcrawl.induction.content_rules import DROP_HITS, PART_TAGS, Own
from blogcrawl.induction.edge_boilerplate import Post, outskirts
from blogcrawl.induction.learn import Prepared
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.unlabelled_drops import unnamed_drops
from blogcrawl.text.visible import node_text

MAX_DROPS = 25
WORDS = 8
"""Words of a nameless part of which only the words of other pages say that it is no content: less
may be a line of the author's.
"""
MOST = 0.6
"""Share of the pages that must have a nameless part where the feed does not tell that it is none of
the post.
"""
FEWEST = 3
"""Such pages at least: two posts of one author share lists and headings."""
HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
CODE_TAGS = frozenset(("pre", "code"))


def drops(samples: Sequence[Prepared], own: Own) -> list[Rule]:
    """Rules for parts inside the content node that are not content: byline, tags, share bar,
    related posts.

    With full text a part that the feed never has; with excerpts a part that stands on the other
    pages too. A part must show on two pages at least, and never hold content on any.
    """
    with_content = [p for p in samples if p.content is not None]
    whole = all(id(p) in own.full for p in with_content)  # one excerpt may be all of a short post
    edges = [] if whole else _edges(with_content, own)
    for prepared, edge in zip(with_content, edges, strict=False):
        own.leave_out(prepared, edge)
    foreign = [(p, _foreign(p, own)) for p in with_content]
    # the id of a heading is made of its words
    tally = _tallied(
        foreign
        if whole
        else [(p, [i for i in found if p.index.tags[i] not in HEADINGS]) for p, found in foreign],
        own,
    )
    # two pages that share a part make it nobody's own: of excerpts a third must show it
    need = 2 if len(with_content) < (12 if whole else 7) else 3
    kept = [(s, row) for s, row in tally.items() if row[0] >= need and row[2] <= DROP_HITS * row[1]]
    kept.sort(key=lambda item: (-item[1][1], item[0].kind, item[0].xpath))
    out: list[Rule] = []
    total = len(with_content)
    dropped: list[set[int]] = [set() for _ in with_content]
    for selector, row in kept:
        fresh = False
        for prepared, gone in zip(with_content, dropped, strict=True):
            for i in prepared.index.inside(selector.select(prepared.index), prepared.content or 0):
                if i not in gone:
                    fresh = True
                    gone.update(range(i, prepared.index.end[i]))
        if fresh and len(out) < MAX_DROPS:
            score = round(1 - row[2] / row[1], 4)
            out.append(
                Rule(
                    field="content.drop",
                    xpath="." + selector.xpath,
                    support_right=row[0],
                    support_tried=total,
                    mean_score=score,
                )
            )
    left = [
        (p, [i for i in found if i not in gone])
        for (p, found), gone in zip(foreign, dropped, strict=True)
    ]
    if edges:
        left = [
            (p, [i for i in found if i in edge or p.index.length(i) >= WORDS])
            for (p, found), edge in zip(left, edges, strict=True)
        ]
    # of excerpts what some posts say alike may be their author's: only most of them make it the
    # theme's, and two are not most
    most = need if whole else max(FEWEST, ceil(MOST * total))
    return out + unnamed_drops(left, own.worth, need=most, share=DROP_HITS)[: MAX_DROPS - len(out)]


def _tallied(
    foreign: Sequence[tuple[Prepared, Sequence[int]]], own: Own
) -> dict[Selector, list[int]]:
    """The selectors of those parts: pages on which each finds words, how many, and how many of them
    are content.
    """
    tally = {
        selector: [0, 0, 0]
        for p, nodes in foreign
        for node in nodes
        for selector in _part_selectors(p.index, node)
    }
    for prepared, _ in foreign:
        for selector, row in tally.items():
            nodes = prepared.index.inside(selector.select(prepared.index), prepared.content or 0)
            words = sum(prepared.index.length(i) for i in nodes)
            row[0] += bool(words)
            row[1] += words
            row[2] += sum(own.worth(prepared, i) for i in nodes)
    return tally


def _edges(samples: Sequence[Prepared], own: Own) -> list[list[int]]:
    """What stands above and below the posts: of excerpts only the series of pages tells where they
    begin and end.
    """

    def post(prepared: Prepared) -> Post:
        index = prepared.index

        def is_known(element: HtmlElement) -> bool:
            return element in index.where and not _is_content(prepared, own, index.where[element])

        def text(element: HtmlElement) -> str:
            i = index.where.get(element)
            return node_text(element) if i is None else index.text(i)

        return Post(index.elements[prepared.content or 0], prepared.sample.page.url, is_known, text)

    edges = zip(samples, outskirts(list(map(post, samples))), strict=True)
    return [
        [i for element in edge if (i := prepared.index.where.get(element)) is not None]
        for prepared, edge in edges
    ]


def _is_content(prepared: Prepared, own: Own, i: int) -> bool:
    return own.worth(prepared, i) > DROP_HITS * prepared.index.length(i)


def _foreign(prepared: Prepared, own: Own) -> list[int]:
    """Topmost parts inside the content node that hold words but none of the content.

    Not inside code: its keywords, each in an element of its own, stand on other pages too.
    """
    index, top, totals = prepared.index, prepared.content, own.inside(prepared)
    assert top is not None
    past, stop, out = top + 1, index.end[top], []
    for i, (a, b) in enumerate(
        zip(index.first[past:stop], index.last[past:stop], strict=True), past
    ):
        if i < past or a == b:
            continue
        foreign, is_code = totals[b] - totals[a] <= DROP_HITS * (b - a), index.tags[i] in CODE_TAGS
        if foreign and not is_code:
            out.append(i)
        if foreign or is_code:
            past = index.end[i]
    return out


def _part_selectors(index: PageIndex, i: int) -> list[Selector]:
    """Selectors for a part of the content, by its own label, or by its tag where it is a direct
    child.
    """
    out = [Selector((mine,), kind) for kind, mine in own_steps(index, i)]
    if index.tags[i] in PART_TAGS:
        out.append(Selector((step(index.tags[i]),), 3))
    return out
