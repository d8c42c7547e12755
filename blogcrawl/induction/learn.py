"""Rules from samples: for each field the selectors that return the feed's value on most pages (Algorithm 2, per field).

Each page proposes selectors of its best nodes; the proposals are pooled, and each is judged by what it *returns* on
every sample, never by the node it came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TypeVar

from blogcrawl.induction.novelty import title_nodes
from blogcrawl.induction.pageindex import PageIndex
from blogcrawl.induction.rules import Selector, selectors, trusted
from blogcrawl.induction.ruleset import Rule, Sample
from blogcrawl.induction.scoring import FULL, Target
from blogcrawl.induction.similarity import covered, f1, sums

POOL = 48
"""Selectors of a field that are tried on all pages: those that most pages propose."""
NODES = 6
"""Nodes a page proposes selectors for."""
FALL = 8.0
"""How fast a node's vote falls with its distance from the page's best: wrappers of the content that are nearly as good must
not fill the pool with their many selectors."""
FAR_WORSE = 0.25
"""A node whose score is this much below the page's best proposes nothing."""
PROPOSERS = 2
"""Pages that propose first; the others do where nothing that those propose is right on all."""
WORSE = 0.03
"""How much worse on its page the picked rules must be for a rule of a single page to count."""
STEPS = 200
"""Mean scores that round to the same two-hundredth are equal: then the kind of selector decides."""


T = TypeVar("T")


def spread(items: Sequence[T], count: int) -> list[T]:
    """``count`` items evenly over the sequence; all of them where there are hardly more."""
    if len(items) <= count + 1:
        return list(items)
    return [items[round(n * (len(items) - 1) / (count - 1))] for n in range(count)]


@dataclass(eq=False)
class Prepared:
    """A sample read for learning; its tables are made when they are first asked for."""

    sample: Sample
    target: Target
    content: int | None = None
    patterns: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    """Patterns of dates by field, languages and text: elements in one another often write the same."""
    dated: dict[tuple[str, ...], list[tuple[int, str | None]]] = field(default_factory=dict)
    """Elements and attributes that write the sample's day, by field and languages."""

    @classmethod
    def of(cls, sample: Sample) -> Prepared:
        """The sample, read; kept with its page until ``pageindex.forget``, for several methods learn from it."""
        known: Prepared | None = sample.page.__dict__.get("_prepared")
        if known is None or known.sample.entry is not sample.entry:
            known = sample.page.__dict__["_prepared"] = cls(sample, Target(sample.entry))
        return known

    @cached_property
    def index(self) -> PageIndex:
        return PageIndex.of(self.sample.page)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The page's words that begin with a digit."""
        return frozenset(word for word in set(self.index.words) if word[0].isdigit())

    @cached_property
    def hits(self) -> list[int]:
        """Running totals of the page's words that stand in runs of the target."""
        words, target = self.index.words, self.target
        return sums(covered(self.index.runs(target.run), target.runs, target.run, len(words)) if target.runs else bytes(len(words)))

    @cached_property
    def titles(self) -> list[int]:
        """Elements whose text is just the title."""
        return title_nodes(self.index, self.target.title)

    def hit(self, i: int) -> int:
        """Words of node ``i`` that the target has."""
        return self.hits[self.index.last[i]] - self.hits[self.index.first[i]]

    def content_score(self, i: int) -> float:
        """Token F1 between node ``i`` and the feed's text."""
        return f1(self.hit(i), self.index.length(i), len(self.target.words))


@dataclass(frozen=True)
class Candidate:
    """A node (or attribute of it) that a page proposes for a field, with its score there."""

    node: int
    score: float
    attribute: str | None = None


Proposals = list[list[Candidate]]
Scores = dict[tuple[int, str | None], float]
Offer = Callable[[PageIndex, int], Sequence[Selector]]
"""The selectors that a node proposes, all or some."""
Judge = Callable[[Prepared, int, str | None], float]


@dataclass
class Verdict:
    """A selector judged on all samples."""

    selector: Selector
    attribute: str | None
    scores: list[float]
    many: int
    """Pages on which it returns more than one node."""
    said: list[bool]
    """Pages on which it returns anything."""

    @property
    def mean(self) -> float:
        return sum(self.scores) / len(self.scores) if self.scores else 0.0

    def right(self, threshold: float = FULL) -> int:
        return sum(score >= threshold for score in self.scores)

    def precision(self, threshold: float = FULL) -> float:
        """Pages right among those where it returns something."""
        return self.right(threshold) / sum(self.said) if any(self.said) else 0.0

    @property
    def steps(self) -> int:
        """The mean score in steps, negative so that the best comes first; pages where it returns several nodes count against it."""
        return -round(STEPS * (self.mean - 0.01 * self.many / max(1, len(self.scores))))

    @property
    def order(self) -> tuple[float, int, bool, int]:
        """Sorting key, best first: mean score in steps, the more trusted kind, what a reader sees."""
        return (self.steps, self.selector.kind, self.attribute is not None, len(self.selector.xpath))


def chosen(prepared: Prepared, selector: Selector, attribute: str | None) -> tuple[int | None, int]:
    """The first node with a value that the selector returns, and how many nodes it returns."""
    nodes = selector.select(prepared.index)
    for node in nodes:
        if attribute is not None:
            if (prepared.index.elements[node].get(attribute) or "").strip():
                return node, len(nodes)
        elif prepared.index.length(node) or prepared.index.tags[node] == "title":
            return node, len(nodes)
    return None, len(nodes)


def judge_all(samples: Sequence[Prepared], proposals: Proposals, judge: Judge) -> list[Verdict]:
    """Pooled selectors with their scores on all samples, best first.

    They are tried in the order that decides between equals; once one of each of two kinds is as good as any can be (the mean
    of the pages' best candidates), those left could not come before them and are not tried.  So a few pages propose first, and
    first what they trust.
    """
    most = round(STEPS * sum(max((c.score for c in mine), default=0.0) for mine in proposals) / max(1, len(proposals)))
    caches: list[Scores] = [{} for _ in samples]
    judged: dict[tuple[Selector, str | None], tuple[str, Verdict]] = {}
    perfect: set[tuple[int, str | None]] = set()
    counts = (PROPOSERS, len(samples)) if len(samples) > PROPOSERS + 1 else (PROPOSERS,)
    for count, offer in product(counts, (trusted, selectors)):
        for selector, xpath, attribute in _pool(spread(samples, count), spread(proposals, count), offer) if len(perfect) < 2 else ():
            if (selector, attribute) not in judged:
                verdict = _judged(samples, caches, selector, attribute, judge)
                judged[selector, attribute] = xpath, verdict
                if verdict.steps <= -most:
                    perfect.add((selector.kind, attribute))
                if len(perfect) == 2:
                    break
    ranked = sorted(judged.values(), key=lambda row: (*row[1].order, row[0], row[1].attribute or ""))
    return [verdict for _, verdict in ranked]


def _pool(samples: Sequence[Prepared], proposals: Proposals, offer: Offer) -> list[tuple[Selector, str, str | None]]:
    """The selectors (with XPath and attribute) that the pages propose most, the most trusted kind first."""
    votes: Counter[tuple[Selector, str | None]] = Counter()
    for prepared, candidates in zip(samples, proposals, strict=True):
        mine: dict[tuple[Selector, str | None], float] = {}
        ordered = sorted(candidates, key=lambda c: (-c.score, c.node))[:NODES]
        for candidate in ordered:
            if candidate.score < ordered[0].score - FAR_WORSE:
                break
            weight = candidate.score * max(0.1, 1 - FALL * (ordered[0].score - candidate.score))
            for selector in offer(prepared.index, candidate.node):
                mine.setdefault((selector, candidate.attribute), weight)
        for key, score in mine.items():
            votes[key] += score  # type: ignore[assignment]
    least = sorted(votes.values(), reverse=True)[:POOL][-1] - 1e-5 if votes else 0.0
    worth = [(-round(vote, 6), key[0].kind, key[0].xpath, key[1] or "", key) for key, vote in votes.items() if vote >= least]
    pool = sorted(worth, key=lambda row: row[:4])[:POOL]
    pool.sort(key=lambda row: (row[1], bool(row[3]), len(row[2]), row[2], row[3]))
    return [(key[0], xpath, key[1]) for _, _, xpath, _, key in pool]


def _judged(samples: Sequence[Prepared], caches: Sequence[Scores], selector: Selector, attribute: str | None, judge: Judge) -> Verdict:
    scores, said, many = [], [], 0
    for prepared, cache in zip(samples, caches, strict=True):
        node, count = chosen(prepared, selector, attribute)
        many += count > 1
        said.append(node is not None)
        if node is None:
            scores.append(0.0)
            continue
        if (node, attribute) not in cache:
            cache[node, attribute] = judge(prepared, node, attribute)
        scores.append(cache[node, attribute])
    return Verdict(selector, attribute, scores, many, said)


def cover(verdicts: list[Verdict], threshold: float = FULL, limit: int = 4, *, singles: bool = False) -> list[Verdict]:
    """The best rule or, for several templates, rules tried in order; then a second opinion of another kind.

    A rule that is right on a single page of many, or wrong more often than not where it says something, is chance; with ``singles``
    (for values too long to be met by chance) one that speaks on a single page is a template of which the feed has one post.
    """
    least = 1 if verdicts and len(verdicts[0].scores) <= 3 else 2
    alone = [v for v in verdicts if sum(v.said) == 1 and v.right(threshold)] if singles else []
    verdicts = [v for v in verdicts if v.right(threshold) >= least and v.precision(threshold) >= 0.5]
    if not verdicts:
        return []
    picked = _ordered(verdicts, threshold, limit)
    for verdict in verdicts[1:]:
        if len(picked) >= limit:
            break
        other = (verdict.selector.kind, verdict.attribute) != (picked[0].selector.kind, picked[0].attribute)
        if other and verdict not in picked and verdict.mean >= 0.8 * picked[0].mean:
            picked.append(verdict)
            break
    return [*_better_alone(alone, picked), *picked]


def _ordered(verdicts: list[Verdict], threshold: float, limit: int) -> list[Verdict]:
    """One rule, or for several templates a list tried in order: each but the last is silent where it would be wrong."""
    best = verdicts[0]
    ceiling = [max(scores) for scores in zip(*(v.scores for v in verdicts), strict=True)]
    if best.mean >= sum(ceiling) / max(1, len(ceiling)) - 0.01:
        return [best]
    exact = [v for v in verdicts if all(s >= top - 0.03 for s, top, said in zip(v.scores, ceiling, v.said, strict=True) if said)]
    picked: list[Verdict] = []
    done: set[int] = set()
    while len(picked) < limit - 1:
        gains = [(sum(s >= threshold and i not in done for i, s in enumerate(v.scores)), v.mean, -n) for n, v in enumerate(exact)]
        gain, _, at = max(gains, default=(0, 0.0, 0))
        if gain < min(2, len(best.scores)):
            break
        picked.append(exact[-at])
        done |= {i for i, said in enumerate(exact[-at].said) if said}
    if best not in picked:
        picked.append(best)
    return picked if _in_order(picked) >= _in_order([best]) + 0.01 else [best]


def _better_alone(alone: list[Verdict], picked: list[Verdict]) -> list[Verdict]:
    """The best of the rules that speak on one page for each page on which the picked ones are worse; at most two."""
    out = []
    for i in range(len(picked[0].scores)):
        best = max((v for v in alone if v.said[i]), key=lambda v: v.scores[i], default=None)
        if best is not None and best.scores[i] > next((v.scores[i] for v in picked if v.said[i]), 0.0) + WORSE:
            out.append(best)
    return out if len(out) <= 2 else []


def _in_order(rules: list[Verdict]) -> float:
    """Mean score where the first rule that says something decides."""
    total = 0.0
    for i in range(len(rules[0].scores)):
        total += next((v.scores[i] for v in rules if v.said[i]), 0.0)
    return total / max(1, len(rules[0].scores))


def to_rule(field_name: str, verdict: Verdict, threshold: float = FULL) -> Rule:
    """A verdict as it is stored."""
    return Rule(
        field=field_name,
        xpath=verdict.selector.xpath,
        attribute=verdict.attribute,
        support_right=verdict.right(threshold),
        support_tried=len(verdict.scores),
        mean_score=round(verdict.mean, 4),
    )
