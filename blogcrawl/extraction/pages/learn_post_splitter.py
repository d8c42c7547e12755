"""What the feed's entries of one page teach: which elements bear the fragments of posts, and how
far a post reaches around each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.extraction.pages.multi_post import PartShape, anchor_of, anchors, fragment_of
from blogcrawl.extraction.pages.post_splitter import (
    Anchors,
    Cut,
    common,
    grouped,
    holders_of,
    inside,
    may_lead,
    outermost,
    parts,
    place_of,
    signature,
    text_of,
)
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.similarity import fold, tokens
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize

MIN_FOUND = 0.6
"""Share of the feed's fragments that must be anchors of one kind on their pages."""
MIN_LIKE = 0.5
"""Mean likeness (Dice) of the feed's entries to what was cut out for them, below which the
fragments name something else.
"""
MAX_START = 3
"""Siblings before the anchor that may belong to its post: title, line of the date, rule."""
FARTHER = 0.02
"""What a sibling more before the anchor must bring in likeness."""
TOLD_WHOLE = 0.75
"""Likeness from which the feed tells the post whole, and what stands around its text in the part is
none of it.
"""
WHOLE = 0.9
"""Likeness of one node to the feed's text from which it is the content's own element."""
MOSTLY = 0.6
OWN = 0.6
"""Share of a node's words that the feed's text must have for the node to be content."""
USUAL = 0.8
"""Share of a page's posts that end alike, from which the last one does."""
ANY = r".+"

Told = Sequence[tuple[Page, str, str, str]]
"""Page, fragment, title and text of entries."""


def learn_parts(samples: Sequence[Sample], home: str | None = None) -> PartShape | None:
    """From whole pages and the feed's entries, whose addresses have the fragments; None where these
    name no places of posts.
    """
    wanted = [(s, fragment_of(s.entry.url)) for s in samples]
    wanted = [(s, fragment) for s, fragment in wanted if fragment]
    found = [
        (s, fragment, node)
        for s, fragment in wanted
        if (node := _find(s.page, fragment)) is not None
    ]
    if len(found) < 2 or len(found) < MIN_FOUND * len(wanted):
        return None
    tag, count = Counter(str(node.tag) for _, _, node in found).most_common(1)[0]
    found = [row for row in found if row[2].tag == tag]
    if count < MIN_FOUND * len(wanted):
        return None
    forms = _forms([fragment for _, fragment, _ in found])
    places = tuple(sorted({place_of(node) for _, _, node in found})) if forms == (ANY,) else ()
    on_home = any(canonicalize(s.page.url) == home for s, _, _ in found)
    shape = PartShape(tag=tag, forms=forms, places=places, on_home=on_home)
    told = [
        (s.page, fragment, _title(s), html_text(s.entry.content_html or s.entry.summary_html or ""))
        for s, fragment, _ in found
    ]
    ways = [
        _tried(replace(shape, cut=cut), told)
        for cut in _cuts(lambda page: anchors(page, shape), told)
    ]
    score, best = max(ways, key=lambda way: way[0])
    return best if score >= MIN_LIKE else None


def _title(sample: Sample) -> str:
    """The feed's title, unless it is but the text's beginning (feeds of posts without titles have
    such).
    """
    title = html_text(sample.entry.title or "")
    text = html_text(sample.entry.content_html or sample.entry.summary_html or "")
    return "" if fold(text).startswith(fold(title).rstrip(" .…")) else title


def _tried(shape: PartShape, told: Told) -> tuple[float, PartShape]:
    """How like the feed's entries a cut makes the parts; with what was learned of their edges."""
    cut = {
        id(page): {
            fragment: nodes for fragment, _, nodes in parts(page, anchors(page, shape), shape.cut)
        }
        for page, *_ in told
    }
    rows = [(cut[id(page)].get(fragment), title, text) for page, fragment, title, text in told]
    if not rows:
        return 0.0, shape
    score = (
        sum(_likeness(nodes, title, text) for nodes, title, text in rows if nodes) / len(rows)
        - FARTHER * shape.cut.start
    )
    full = [
        (nodes, title, text)
        for nodes, title, text in rows
        if nodes and alike(f"{title} {text}", _joined(nodes)) >= TOLD_WHOLE
    ]
    return score, replace(shape, cut=_edges(shape.cut, full))


def _joined(nodes: Sequence[HtmlElement]) -> str:
    return " ".join(map(text_of, nodes))


def _likeness(nodes: Sequence[HtmlElement], title: str, text: str) -> float:
    """Of title and text, half each, to what was cut out; excerpts need but be contained."""
    have = fold(_joined(nodes)).casefold()
    named = fold(title).casefold() in have
    excerpt = fold(text).casefold().rstrip(" .…[]")
    told = (
        max(alike(text, have), 0.9 * (excerpt in have)) if excerpt else float(named and bool(title))
    )
    return 0.5 * told + 0.5 * (named if title else told)


def _forms(values: Sequence[str]) -> tuple[str, ...]:
    """Forms that most values have: digits for digits; else a common beginning; else anything."""
    shapes = Counter(re.sub(r"\d+", "0", value) for value in values)
    often = [form for form, count in shapes.items() if count >= 2 or len(values) <= 2]
    if (
        often
        and len(often) <= 4
        and sum(shapes[form] for form in often) >= 0.6 * len(values)
        and all("0" in form for form in often)
    ):
        return tuple(sorted("\\d+".join(map(re.escape, form.split("0"))) for form in often))
    start = values[0]
    for value in values:
        while not value.startswith(start):
            start = start[:-1]
    start = re.sub(r"(?<![^\W_])[^\W_]++$", "", start) or ""
    return (re.escape(start) + ANY,) if len(start) >= 2 else (ANY,)


def _find(page: Page, fragment: str) -> HtmlElement | None:
    return next(
        (node for node in page.tree.iter(etree.Element) if anchor_of(node) == fragment), None
    )


def _cuts(anchors_of: Callable[[Page], Anchors], told: Told) -> Iterator[Cut]:
    """Ways of cutting that the pages allow: with more or less before the anchor, and with the
    anchor at the end.
    """
    pages = {id(page): outermost(anchors_of(page)) for page, *_ in told}
    found = [group for group in pages.values() if len(group) > 1]
    holders = tuple(
        sorted(
            {place_of(node) for group in found for node in holders_of(common(group, Cut()), group)}
        )
    )
    for start in range(MAX_START + 1):
        yield _with_edges(Cut(start=start, holders=holders), list(pages.values()))
    yield _with_edges(Cut(ends=True, holders=holders), list(pages.values()))


def _with_edges(cut: Cut, pages: Sequence[Anchors]) -> Cut:
    """What stands before the first post of a holder and after some others, is the heading of a day;
    what ends most posts ends the last.
    """
    before: Counter[str] = Counter()
    runs: list[list[HtmlElement]] = []
    final: set[str] = set()
    for told_of in pages:
        for holder in holders_of(common(told_of, cut), told_of) if told_of else ():
            children, groups = grouped(holder, told_of)
            single = [at for at, group in groups if len(group) == 1]
            if not single:
                continue
            final.update(map(signature, children[single[-1] + 1 :]))
            lines = [child for child in children[: max(0, single[0] - cut.start)] if text_of(child)]
            if lines and may_lead(lines[-1]):
                before[signature(lines[-1])] += 1
            ends = [max(at + 1, following - cut.start) for at, following in pairwise(single)]
            runs += [
                children[max(0, at - cut.start) : end]
                for at, end in zip(single, ends, strict=False)
            ]
    tails = Counter(
        next((signature(node) for node in reversed(run) if signature(node)), "") for run in runs
    )
    leads = tuple(
        sorted(
            name for name in before if tails[name] < USUAL * max(1, len(runs)) or name not in final
        )
    )
    last, count = tails.most_common(1)[0] if tails else ("", 0)
    if cut.ends or not last or last in leads or count < USUAL * len(runs) or len(runs) < 2:
        return replace(cut, leads=leads)
    counted = Counter(sum(signature(node) == last for node in run) for run in runs)
    usual, often = counted.most_common(1)[0]
    return replace(
        cut, leads=leads, last=last if often >= USUAL * len(runs) else "", last_count=usual
    )


def _edges(cut: Cut, rows: Sequence[tuple[Sequence[HtmlElement], str, str]]) -> Cut:
    """What of a post stands before and after the text that the feed tells whole (``rows``: run of
    siblings, title, text).
    """
    heads: Counter[str] = Counter()
    feet: Counter[str] = Counter()
    most, whole = [0, 0], 0
    firsts: Counter[str] = Counter()
    lasts: Counter[str] = Counter()
    for nodes, title, text in rows:
        inner = [node for node in inside(nodes)[1] if text_of(node)]
        known = Counter(tokens(text))
        own = [
            _is_own(node, known) and (not title or fold(text_of(node)) != fold(title))
            for node in inner
        ]
        whole += any(
            alike(node_text(node), text) >= WHOLE for node in inner if isinstance(node.tag, str)
        )
        if not any(own):
            continue
        first, last = own.index(True), len(own) - own[::-1].index(True)
        most = [max(most[0], first), max(most[1], len(own) - last)]
        heads.update(map(signature, inner[:first]))
        feet.update(map(signature, inner[last:]))
        firsts[signature(inner[first])] += 1
        lasts[signature(inner[last - 1])] += last == len(own)
    head = tuple(sorted(name for name, count in heads.items() if count > firsts[name]))
    foot = tuple(sorted(name for name, count in feet.items() if count > lasts[name]))
    wrap = bool(rows) and whole < MOSTLY * len(rows)
    return replace(
        cut,
        head=head,
        head_most=most[0] if head else 0,
        foot=foot,
        foot_most=most[1] if foot else 0,
        wrap=wrap,
    )


def _is_own(node: HtmlElement, known: Counter[str]) -> bool:
    words = Counter(tokens(text_of(node)))
    return (words & known).total() >= OWN * max(1, words.total())


def alike(left: str, right: str) -> float:
    """Dice over the words of two texts, each as often as it stands there: 0..1."""
    a, b = Counter(tokens(left)), Counter(tokens(right))
    return 2 * (a & b).total() / max(1, a.total() + b.total())
