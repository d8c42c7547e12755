"""Comment rules learned from pages whose comments are known from a feed (harvest-modern-weblogs,
section 3.5).

The nodes that a rule returns and the comments that the feed names make a complete bipartite graph,
weighted by the similarity of their texts; a rule's score is the value of its maximum-weight
matching, 0 where it returns fewer nodes than the feed has comments. A feed shows the last few
comments only, so a rule may return more (overflow): that is what it is for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.candidates import read_units
from blogcrawl.comments.locate import find_units
from blogcrawl.comments.page_reader import OnPage, read_page
from blogcrawl.comments.records import CommentRules
from blogcrawl.comments.unit import Reader
from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import MOST, SOME
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import clock_readings
from blogcrawl.dates.parse import is_utc
from blogcrawl.dates.zones import Reading, is_elsewhere, zones_of
from blogcrawl.dom.selectors import quote
from blogcrawl.lexicon.comment_words import tokens
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LABEL
from blogcrawl.text.similarity import bigrams, fold, folded
from blogcrawl.text.visible import node_text

Sample = tuple[Page, Sequence[Comment]]
MAX_GROUP = 1_500
"""Nodes of one rule that are matched: the assignment is cubic in the smaller side only, the weights
are its product.
"""


def learn_comments(samples: Sequence[Sample]) -> CommentRules | None:
    """Return rules for a blog from (page, its comments of a feed or API). None where no page shows
    any of them.

    Where the known markup already gives every promised comment, no unit rule is needed: then only
    the places of the fields, the order of day and month and the page's clock are learned.
    """
    samples = _usable(samples)
    if not samples:
        return None
    plain = Trial(samples, CommentRules())
    if sum(plain.covered) >= MOST * len(samples):
        return _with_fields(plain)
    rules = (CommentRules(unit=unit, score=score) for unit, score in _learn_units(samples))
    trials = [plain, *(Trial(samples, each) for each in rules)]
    best = max(trials, key=lambda trial: sum(trial.covered))
    return _with_fields(best) if any(best.covered) else None


def _usable(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with comments that have a text."""
    given = [(page, [c for c in known if c.content_text]) for page, known in samples]
    return [(page, known[:MAX_TRIED]) for page, known in given if known]


class Trial:
    """What pages show when they are read with given rules, next to what is known of them."""

    def __init__(self, samples: Sequence[Sample], rules: CommentRules) -> None:
        self.samples = samples
        self.unit = rules.unit
        self.seen = [read_page(page, rules) for page, _ in samples]
        self.covered = [
            _coverage(seen.comments, known)
            for seen, (_, known) in zip(self.seen, samples, strict=True)
        ]
        self.score = rules.score if rules.unit else sum(self.covered) / len(self.covered)


def _coverage(seen: Sequence[Comment], given: Sequence[Comment]) -> float:
    """Share of the given comments that were read with (nearly) their text."""
    texts = {_key(c.content_text) for c in seen}
    return sum(_key(c.content_text) in texts for c in given) / len(given)


def _key(text: str) -> str:
    return fold(text)[:MAX_BYLINE]


@dataclass
class Votes:
    """Where the fields stand and how they are written, as the known comments show it."""

    author: Counter[str] = field(default_factory=Counter)
    date: Counter[str] = field(default_factory=Counter)
    lines: Counter[tuple[str, str]] = field(default_factory=Counter)
    clocks: list[Reading] = field(default_factory=list)
    orders: Counter[bool] = field(default_factory=Counter)
    labels: Counter[bool] = field(default_factory=Counter)
    """Whether times have the label of UTC."""

    def count_clock(self, on_page: OnPage, known: Mapping[str, Comment]) -> None:
        truths = (known.get(_key(comment.content_text)) for comment in on_page.comments)
        moments = [truth.published if truth is not None else None for truth in truths]
        self.labels.update(is_utc(moment) for moment in on_page.naive if moment is not None)
        self.clocks += clock_readings(zip(on_page.naive, moments, strict=True))

    def count_fields(self, reader: Reader, known: Mapping[str, Comment]) -> None:
        text = fold(node_text(reader.root))
        truth = known.get(max((key for key in known if key and key in text), key=len, default=""))
        if truth is None:
            return
        if truth.author:
            name = folded(truth.author)
            self.author.update(
                p for p, c in reader.authors.items() if fold(c.name).casefold() == name
            )
        if truth.published is not None:
            self._count_date(reader, truth.published)
        self.lines.update(_line_around(reader, truth.author))

    def _count_date(self, reader: Reader, truth: datetime) -> None:
        for path, candidate in reader.dates.items():
            reading = candidate.date
            gaps = {first: _gap(reading.pick(first), truth) for first in (True, False)}
            if min(gaps.values()) <= DAY:
                self.date[path] += 2 if reading.has_time else 1
                if reading.ambiguous:
                    self.orders[gaps[True] < gaps[False]] += 1


DAY = 27 * 3600
"""Seconds of a day and the widest difference of zones with a sloppy clock."""


def _with_fields(trial: Trial) -> CommentRules:
    """Return places of the fields by what the feed says they hold; clock and date order by
    comparing both.
    """
    votes = Votes()
    for (page, given), seen in zip(trial.samples, trial.seen, strict=True):
        known = {_key(c.content_text): c for c in given}
        votes.count_clock(seen, known)
        for reader in _readers(page, trial.unit):
            votes.count_fields(reader, known)
    zones = zones_of(votes.clocks)
    bodies = Counter(path for seen in trial.seen for path in seen.bodies[:1])
    bylines = votes.lines or Counter(filter(None, (seen.byline for seen in trial.seen)))
    return CommentRules(
        unit=trial.unit,
        author=_best(votes.author, 3),
        date=_best(votes.date, 3),
        body=_best(bodies, 3),
        byline=next(iter(_best(bylines, 1)), None),
        day_first=_day_first(votes.orders, trial.seen),
        zones=zones,
        mislabelled=is_elsewhere(zones) and votes.labels[True] > votes.labels[False],
        support_right=sum(c >= MOST for c in trial.covered),
        support_tried=len(trial.covered),
        score=round(trial.score, 4),
    )


def _day_first(orders: Counter[bool], seen: Sequence[OnPage]) -> bool | None:
    """Return the order of day and month by the known dates, or as the first page settles it."""
    stated = [page.day_first for page in seen if page.day_first is not None]
    return next(iter((*_best(orders, 1), *stated)), None)


T = TypeVar("T")


def _best(votes: Counter[T], count: int) -> tuple[T, ...]:
    return tuple(value for value, _ in votes.most_common(count))


def _readers(page: Page, unit: str | None) -> list[Reader]:
    return read_units(find_units(page.tree, unit)[0], page.tree.get("lang"))


def _line_around(reader: Reader, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield what stands before the name, and between it and the date, in the shortest text that
    holds both.
    """
    lines = [(node_text(c.element), c.date) for c in reader.dates.values()]
    if not name or not lines:
        return
    text, date = min(lines, key=lambda line: len(line[0]))
    before, found, after = text[: date.span[0]].partition(name)
    if found and after and len(before) < MAX_LABEL:
        yield before, after


def _gap(moment: datetime | None, truth: datetime) -> float:
    if moment is None:
        return float("inf")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return abs((aware - truth).total_seconds())


def _rules_of(node: HtmlElement) -> Iterable[str]:
    """Return the paper's AllRules, made to survive numbers: an id without its digits, classes
    without those that vary, else the path.
    """
    identifier = node.get("id") or ""
    stem = re.match(r"^(.*?[^\d])\d+$", identifier)
    if stem:
        yield f"//{node.tag}[starts-with(@id,{quote(stem.group(1))})]"
    stable = sorted(tokens(node.get("class")))[:4]
    if stable:
        inner = " and ".join(
            f"contains(concat(' ',normalize-space(@class),' '),{quote(f' {t} ')})" for t in stable
        )
        yield f"//{node.tag}[{inner}]"
    elif not stem:
        yield from _paths(node)


def _paths(node: HtmlElement) -> Iterable[str]:
    """Return tags from the nearest ancestor with a plain id or class down to the node; and any
    depth below it, for replies in replies.
    """
    path = _path(node)
    yield path
    if path.count("/") > 3:
        yield f"{path[: path.index('/', 2)]}//{node.tag}"
    elif path.startswith("//"):
        yield path.replace("]/", "]//", 1)


def _path(node: HtmlElement) -> str:
    steps = [str(node.tag)]
    for ancestor in node.iterancestors():
        identifier, stable = ancestor.get("id") or "", sorted(tokens(ancestor.get("class")))
        if identifier and not re.search(r"\d", identifier):
            return f"//{ancestor.tag}[@id={quote(identifier)}]/" + "/".join(steps)
        if stable:
            return (
                f"//{ancestor.tag}[contains(concat(' ',normalize-space(@class),' "
                f"'),{quote(f' {stable[0]} ')})]/"
            ) + "/".join(steps)
        steps.insert(0, str(ancestor.tag))
    return "/" + "/".join(steps)


def _learn_units(samples: Sequence[Sample]) -> list[tuple[str, float]]:
    """Return the XPath whose nodes match the given comments best over all pages, widened to hold
    name and date, and as it is; both with that score.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    sizes: Counter[str] = Counter()
    for page, given in samples:
        for rule, nodes in _groups(page).items():
            value = _share_matched(nodes, given)
            if value > SOME:
                scores[rule] += value
                sizes[rule] += len(nodes)
    body = max(scores, key=lambda rule: (round(scores[rule], 3), -sizes[rule]), default="")
    mean = scores[body] / len(samples)
    units = [_widen(samples, body), body] if mean >= LEAST_MEAN else []
    return [(unit, mean) for unit in units if unit]


LEAST_MEAN = 0.4
"""Share of a page's comments that a rule must match on the mean of all pages."""


def _share_matched(nodes: Sequence[HtmlElement], given: Sequence[Comment]) -> float:
    """Return how well nodes match the comments; 0 where they are fewer, as the paper says."""
    if not len(given) <= len(nodes) <= MAX_GROUP:
        return 0.0
    return sum(weight for weight, _ in _matching(nodes, given)) / len(given)


_NO_UNITS = frozenset(
    "html head body script style a b i em strong img br form input option".split()
)


def _groups(page: Page) -> dict[str, list[HtmlElement]]:
    out: dict[str, list[HtmlElement]] = defaultdict(list)
    for node in page.tree.iter(etree.Element):
        if node.tag not in _NO_UNITS:
            for rule in _rules_of(node):
                out[rule].append(node)
    return out


def _matching(
    nodes: Sequence[HtmlElement], given: Sequence[Comment]
) -> Iterator[tuple[float, HtmlElement]]:
    """Yield the weights (Sorensen-Dice) and nodes of a matching between nodes and comments.

    The likest pair first: a comment is hardly like any other node than its own, so that this is
    the maximum-weight matching of the paper, without a library that takes 50 MB.
    """
    sets = [bigrams(fold(node_text(node))) for node in nodes]
    wanted = [bigrams(fold(comment.content_text)) for comment in given]
    pairs = [
        (2 * len(a & b) / (len(a) + len(b)), row, column)
        for row, a in enumerate(sets)
        for column, b in enumerate(wanted)
        if a and b and len(a) < 6 * len(b) + 200
    ]
    rows: set[int] = set()
    columns: set[int] = set()
    for weight, row, column in sorted(pairs, reverse=True):
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            yield weight, nodes[row]


def _widen(samples: Sequence[Sample], body: str) -> str | None:
    """From the text's node up to the comment's: the widest ancestor rule that still returns one
    node per text. What else the rule for texts returns (bylines, second paragraphs) may stand in
    it too.
    """
    votes: Counter[tuple[int, str]] = Counter()
    for page, given in samples:
        nodes = page.tree.xpath(body)[:MAX_TRIED]
        texts = {node for weight, node in _matching(nodes, given) if weight >= MOST}
        names = [fold(c.author) for c in given if c.author]
        for node in texts:
            found = _box_with_name(node, texts, names)
            if found is not None:
                votes.update((found[0], rule) for rule in _rules_of(found[1]))
    return votes.most_common(1)[0][0][1] if votes else None


def _box_with_name(
    node: HtmlElement, texts: set[HtmlElement], names: Sequence[str]
) -> tuple[int, HtmlElement] | None:
    """Return how far up a text's nearest element with an author's name stands, and that element;
    None where it holds other texts too."""
    for up, above in enumerate(node.iterancestors()):
        if above.tag in ("body", "html") or sum(1 for e in above.iter() if e in texts) > 1:
            return None
        if any(name in fold(node_text(above)) for name in names):
            return up, above
    return None
