"""Learn from a page and its feed entries which elements have the fragments of posts, and how far a
post reaches around each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MARGIN, MOST, NEAR
from blogcrawl.core.page import Page
from blogcrawl.extraction.pages.multi_post import PartShape, anchor_of, anchors, fragment_of
from blogcrawl.extraction.pages.post_splitter import (
    Anchors,
    AnchorTree,
    Cut,
    inside,
    kind,
    may_lead,
    parts,
    place_of,
    signature,
    text_of,
)
from blogcrawl.induction.content_rules import RIGHT
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.similarity import SAME_TEXT, fold, tokens
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize

MIN_LIKE = 0.5
"""Mean likeness (Dice) of the feed's entries to what was cut out for them, below which the
fragments name something else.
"""
ANY = r".+"

Entries = Sequence[tuple[Page, str, str, str]]
"""Page, fragment, title and text of entries."""


def learn_parts(samples: Sequence[Sample], home: str | None = None) -> PartShape | None:
    """Learn from whole pages and the feed's entries, whose addresses have the fragments; None where
    these name no places of posts.
    """
    found = _anchored(samples)
    if not found:
        return None
    forms = forms_of([fragment for _, fragment, _ in found])
    shape = PartShape(
        tag=str(found[0][2].tag),
        forms=forms,
        places=tuple(sorted({place_of(n) for _, _, n in found})) if forms == (ANY,) else (),
        on_home=any(canonicalize(s.page.url) == home for s, _, _ in found),
    )
    rows = [
        (s.page, fragment, _title(s), html_text(s.entry.content_html or s.entry.summary_html or ""))
        for s, fragment, _ in found
    ]
    cuts = cuts_of(lambda page: anchors(page, shape), rows)
    ways = [_tried(replace(shape, cut=cut), rows) for cut in cuts]
    score, best = max(ways, key=lambda way: way[0])
    return best if score >= MIN_LIKE else None


def _anchored(samples: Sequence[Sample]) -> list[tuple[Sample, str, HtmlElement]]:
    """Return the samples whose fragments are anchors of the usual element on their pages; none
    where these are too few.
    """
    wanted = [(s, fragment) for s in samples if (fragment := fragment_of(s.entry.url))]
    found = [(s, frag, node) for s, frag in wanted if (node := _find(s.page, frag)) is not None]
    if len(found) < 2:
        return []
    tag, count = Counter(str(node.tag) for _, _, node in found).most_common(1)[0]
    is_usual = count >= MAJORITY * len(wanted)
    return [row for row in found if row[2].tag == tag] if is_usual else []


def _title(sample: Sample) -> str:
    """Return the feed's title, unless it is but the text's beginning (feeds of posts without titles
    have such).
    """
    title = sample.entry.title or ""
    text = html_text(sample.entry.content_html or sample.entry.summary_html or "")
    return "" if fold(text).startswith(fold(title).rstrip(" .…")) else title


def _tried(shape: PartShape, entries: Entries) -> tuple[float, PartShape]:
    """Return how like the feed's entries a cut makes the parts, and the shape with what was learned
    of their edges.
    """
    cut = {
        id(page): {
            fragment: nodes for fragment, _, nodes in parts(page, anchors(page, shape), shape.cut)
        }
        for page, *_ in entries
    }
    rows = [(cut[id(page)].get(fragment), title, text) for page, fragment, title, text in entries]
    if not rows:
        return 0.0, shape
    score = (
        sum(_likeness(nodes, title, text) for nodes, title, text in rows if nodes) / len(rows)
        - MARGIN * shape.cut.start
    )
    full = [
        (nodes, title, text)
        for nodes, title, text in rows
        if nodes and alike(f"{title} {text}", _joined(nodes)) >= RIGHT
    ]
    return score, replace(shape, cut=_edges(shape.cut, full))


def _joined(nodes: Sequence[HtmlElement]) -> str:
    return " ".join(map(text_of, nodes))


def _likeness(nodes: Sequence[HtmlElement], title: str, text: str) -> float:
    """Compare title and text, half each, with what was cut out; excerpts need only be contained."""
    have = fold(_joined(nodes)).casefold()
    named = fold(title).casefold() in have
    excerpt = fold(text).casefold().rstrip(" .…[]")
    same = (
        max(alike(text, have), 0.9 * (excerpt in have)) if excerpt else float(named and bool(title))
    )
    return 0.5 * same + 0.5 * (named if title else same)


def forms_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return forms that most values have: digits for digits; else a common beginning; else
    anything.
    """
    return _digit_forms(values) or (_common_start(values) + ANY,)


def _digit_forms(values: Sequence[str]) -> tuple[str, ...]:
    """Return the few forms with digits that most values have; () where they have none."""
    shapes = Counter(map(_without_digits, values))
    often = [form for form, count in shapes.items() if count >= 2 or len(values) <= 2]
    is_most = sum(shapes[form] for form in often) >= 0.6 * len(values)
    if len(often) > 4 or not is_most or not all("0" in form for form in often):
        return ()
    return tuple(sorted(map(_with_digits, often)))


def _without_digits(value: str) -> str:
    return re.sub(r"\d+", "0", value)


def _with_digits(form: str) -> str:
    """Return a form as an expression."""
    return "\\d+".join(map(re.escape, form.split("0")))


def _common_start(values: Sequence[str]) -> str:
    """Return the words with which all values begin, any digits for digits, as an expression; "" for
    a single letter. The newest posts are all of one year."""
    values = [_without_digits(value) for value in values]
    start = values[0]
    for value in values:
        while not value.startswith(start):
            start = start[:-1]
    start = re.sub(r"(?<![^\W_])[^\W_]++$", "", start)
    return _with_digits(start) if len(start) >= 2 else ""


def _find(page: Page, fragment: str) -> HtmlElement | None:
    return next(
        (node for node in page.tree.iter(etree.Element) if anchor_of(node) == fragment), None
    )


def cuts_of(anchors_of: Callable[[Page], Anchors], entries: Entries) -> Iterator[Cut]:
    """Yield the ways of cutting that the pages allow: with more or less before the anchor, and with
    the anchor at the end.
    """
    pages = list({id(page): AnchorTree(anchors_of(page)) for page, *_ in entries}.values())
    found = [tree for tree in pages if len(tree.names) > 1]
    holders = tuple(sorted({place_of(node) for tree in found for node in tree.holders(Cut())}))
    for start in range(NEAR + 1):
        yield _with_edges(Cut(start=start, holders=holders), pages)
    yield _with_edges(Cut(ends=True, holders=holders), pages)


def _with_edges(cut: Cut, pages: Sequence[AnchorTree]) -> Cut:
    """Learn the edges of posts: what stands before the first post of a holder and after some others
    is the heading of a day; what ends most posts ends the last.
    """
    found = list(_single_posts(cut, pages))
    runs = [run for children, single in found for run in _runs(cut, children, single)]
    tails = Counter(_last_signature(run) for run in runs)
    final = {signature(n) for children, single in found for n in children[single[-1] + 1 :]}
    most = MOST * max(1, len(runs))
    before = _names_before(cut, found)
    cut = replace(cut, leads=tuple(sorted(n for n in before if tails[n] < most or n not in final)))
    return cut if cut.ends or len(runs) < 2 else _with_last(cut, runs, tails)


def _with_last(cut: Cut, runs: Sequence[Sequence[HtmlElement]], tails: Counter[str]) -> Cut:
    """Learn what ends most posts, and how many of it one has; ``tails``: what ends each run."""
    last, count = tails.most_common(1)[0]
    if not last or last in cut.leads or count < MOST * len(runs):
        return cut
    counted = Counter(sum(signature(node) == last for node in run) for run in runs)
    usual, often = counted.most_common(1)[0]
    return replace(cut, last=last if often >= MOST * len(runs) else "", last_count=usual)


def _last_signature(run: Sequence[HtmlElement]) -> str:
    return next(filter(None, map(signature, reversed(run))), "")


Holder = tuple[list[HtmlElement], list[int]]
"""Children of an element that holds posts, and the numbers of those that are anchored alone."""


def _single_posts(cut: Cut, pages: Sequence[AnchorTree]) -> Iterator[Holder]:
    """Yield the holders on all pages that have such children."""
    for tree in pages:
        for holder in tree.holders(cut):
            children, places = tree.grouped(holder)
            single = [at for at in places if tree.fork(children[at]) in tree.names]
            if single:
                yield children, single


def _runs(
    cut: Cut, children: Sequence[HtmlElement], single: Sequence[int]
) -> Iterator[Sequence[HtmlElement]]:
    """Yield the siblings of each post but the last."""
    for at, following in pairwise(single):
        yield children[max(0, at - cut.start) : max(at + 1, following - cut.start)]


def _names_before(cut: Cut, holders: Sequence[Holder]) -> set[str]:
    """Return the signatures of lines before first posts that may be headings of days."""
    names = set()
    for children, single in holders:
        lines = [child for child in children[: max(0, single[0] - cut.start)] if text_of(child)]
        if lines and may_lead(lines[-1]):
            names.add(signature(lines[-1]))
    return names


def _edges(cut: Cut, rows: Sequence[tuple[Sequence[HtmlElement], str, str]]) -> Cut:
    """Learn what of a post stands before and after the text that the feed has whole (``rows``: run
    of siblings, title, text).
    """
    heads, feet = Counter[str](), Counter[str]()
    firsts, lasts = Counter[str](), Counter[str]()
    most_before = most_after = whole = 0
    for nodes, title, text in rows:
        inner = [node for node in inside(nodes)[1] if text_of(node)]
        whole += any(_is_all(node, text) for node in inner)
        own = _own_nodes(inner, title, text)
        if not own:
            continue
        first, end = own[0], own[-1] + 1
        most_before = max(most_before, first)
        most_after = max(most_after, len(inner) - end)
        heads.update(map(kind, inner[:first]))
        feet.update(map(kind, inner[end:]))
        firsts[kind(inner[first])] += 1
        lasts[kind(inner[end - 1])] += end == len(inner)
    head, foot = _more(heads, firsts), _more(feet, lasts)
    return replace(
        cut,
        head=head,
        head_most=most_before if head else 0,
        foot=foot,
        foot_most=most_after if foot else 0,
        wrap=bool(rows) and whole < MAJORITY * len(rows),
    )


def _is_all(node: HtmlElement, text: str) -> bool:
    """Return whether an element's text is all of the text."""
    return isinstance(node.tag, str) and alike(node_text(node), text) >= SAME_TEXT


def _more(counts: Counter[str], others: Counter[str]) -> tuple[str, ...]:
    """Return what is more frequent than among the others."""
    return tuple(sorted(name for name, count in counts.items() if count > others[name]))


def _own_nodes(nodes: Sequence[HtmlElement], title: str, text: str) -> list[int]:
    """Return the numbers of the nodes that are content, not the title."""
    known, name = Counter(tokens(text)), fold(title)
    return [
        at
        for at, node in enumerate(nodes)
        if _is_own(node, known) and (not title or fold(text_of(node)) != name)
    ]


def _is_own(node: HtmlElement, known: Counter[str]) -> bool:
    words = Counter(tokens(text_of(node)))
    return (words & known).total() >= MAJORITY * max(1, words.total())


def alike(left: str, right: str) -> float:
    """Dice over the words of two texts, each as often as it stands there: 0..1."""
    a, b = Counter(tokens(left)), Counter(tokens(right))
    return 2 * (a & b).total() / max(1, a.total() + b.total())
