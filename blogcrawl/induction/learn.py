"""Rules from samples: for each field the selectors that return the feed's value on most pages
(Algorithm 2, per field).

Each page proposes selectors of its best nodes; the proposals are pooled, and each is judged by what
it *returns* on every sample, never by the node it came from.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.selectors import Selector, selectors, trusted
from blogcrawl.induction.page_specific import title_nodes
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import Target, tag_key
from blogcrawl.text.lengths import MAX_WORDS
from blogcrawl.text.similarity import SAME_TEXT, covered, f1, sums

NODES = 6
"""Nodes a page proposes selectors for."""
FALL = 8.0
"""How fast a node's vote falls with its distance from the page's best: wrappers of the content that
are nearly as good must not fill the pool with their many selectors."""
FAR_WORSE = 0.25
"""A node whose score is this much below the page's best proposes nothing."""
PROPOSERS = 2
"""Pages that propose first; the others do where nothing that those propose is right on all."""
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
    patterns: dict[tuple[str, ...], tuple[list[str], Iterator[str]]] = field(default_factory=dict)
    """Patterns of dates by field, languages and text: elements in one another often write the
    same."""
    dated: dict[tuple[str, ...], list[tuple[int, str | None]]] = field(default_factory=dict)
    """Elements and attributes that write the sample's day, by field and languages."""

    @classmethod
    def of(cls, sample: Sample) -> Prepared:
        """Return the sample, read; kept with its page until ``pageindex.forget``, for several
        methods learn from it.
        """
        known: Prepared | None = sample.page.__dict__.get("_prepared")
        if known is None or known.sample.entry is not sample.entry:
            known = sample.page.__dict__["_prepared"] = cls(sample, Target(sample.entry))
        return known

    @cached_property
    def index(self) -> PageIndex:
        return PageIndex.of(self.sample.page)

    @cached_property
    def hits(self) -> array[int]:
        """Running totals of the page's words that stand in runs of the target."""
        words, target = self.index.words, self.target
        return sums(
            covered(self.index.runs(target.run), target.runs, target.run, len(words))
            if target.runs
            else bytes(len(words))
        )

    @cached_property
    def titles(self) -> list[int]:
        """Elements whose text is just the title."""
        return title_nodes(self.index, self.target.title)

    @cached_property
    def short_links(self) -> list[tuple[int, str]]:
        """Links that may be to tags by the words they have, each with its text as tags are
        compared.
        """
        index = self.index
        return [
            (i, tag_key(index.text(i)))
            for i in index.by_tag.get("a", ())
            if 0 < index.length(i) <= MAX_WORDS
        ]

    @property
    def top(self) -> int:
        """The content's element; the root where none is known."""
        return self.content or 0

    def holds_content(self, i: int) -> bool:
        """Return whether an element is the content's, or around it."""
        return self.content is not None and i <= self.content < self.index.end[i]

    def hit(self, i: int) -> int:
        """Return words of node ``i`` that the target has."""
        return self.hits[self.index.last[i]] - self.hits[self.index.first[i]]

    def content_score(self, i: int) -> float:
        """Return token F1 between node ``i`` and the feed's text."""
        return f1(self.hit(i), self.index.length(i), len(self.target.words))


@dataclass(frozen=True)
class Candidate:
    """A node (or attribute of it) that a page proposes for a field, with its score there."""

    node: int
    score: float
    attribute: str | None = None


Proposals = list[list[Candidate]]
_Key = tuple[int, str, str]
"""Kind and XPath of a selector, and the attribute whose value is meant: strings know their hash,
objects compute it.
"""
Scores = dict[tuple[int, str | None], float]
Offer = Callable[[PageIndex, int], Sequence[Selector]]
"""The selectors that a node proposes, all or some."""
Judge = Callable[[Prepared, int, str | None], float]
Propose = Callable[[Prepared], list[Candidate]]
"""A page's nodes (or attributes of them) that may be a field's, with their scores."""


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

    @cached_property
    def mean(self) -> float:
        return sum(self.scores) / len(self.scores) if self.scores else 0.0

    def right(self, threshold: float = SAME_TEXT) -> int:
        return sum(score >= threshold for score in self.scores)

    def precision(self, threshold: float = SAME_TEXT) -> float:
        """Return pages right among those where it returns something."""
        return self.right(threshold) / sum(self.said) if any(self.said) else 0.0

    @cached_property
    def steps(self) -> int:
        """The mean score in steps, negative so that the best comes first; pages where it returns
        several nodes count against it.
        """
        return -round(STEPS * (self.mean - 0.01 * self.many / max(1, len(self.scores))))

    @property
    def order(self) -> tuple[float, int, bool, int]:
        """Sorting key, best first: mean score in steps, the more trusted kind, what a reader
        sees."""
        return (
            self.steps,
            self.selector.kind,
            self.attribute is not None,
            len(self.selector.xpath),
        )


def chosen(prepared: Prepared, selector: Selector, attribute: str | None) -> tuple[int | None, int]:
    """Return the first node with a value that the selector returns, and how many nodes it
    returns."""
    nodes = selector.select(prepared.index)
    for node in nodes:
        if attribute is not None:
            if prepared.index.elements[node].get(attribute, "").strip():
                return node, len(nodes)
        elif prepared.index.length(node) or prepared.index.tags[node] == "title":
            return node, len(nodes)
    return None, len(nodes)


def judge_all(
    samples: Sequence[Prepared], propose: Propose, judge: Judge, most: float | None = None
) -> list[Verdict]:
    """Return pooled selectors with their scores on all samples, best first.

    They are tried in the order that decides between equals; once one of each of two kinds is as
    good as any can be, those left could not come before them and are not tried. So a few pages
    propose first, and first what they trust; the others propose where nothing of that is on all
    pages as good as the best of those few pages' nodes. ``most``: the mean of all pages' best
    scores, where one page's scores say nothing of another's.
    """
    trial = _Trial(samples, judge)
    if len(samples) > PROPOSERS + 1:
        few = spread(samples, PROPOSERS)
        proposals = [propose(p) for p in few]
        trial.most = max(map(best_score, proposals)) if most is None else most
        if trial.most and any(
            trial.settle(few, proposals, offer) for offer in (trusted, selectors)
        ):
            return trial.ranked()
    proposals = [propose(p) for p in samples]
    trial.most = mean_best(proposals)
    for offer in (trusted, selectors):
        if trial.settle(samples, proposals, offer):
            break
    return trial.ranked()


def best_score(candidates: Sequence[Candidate]) -> float:
    """Of the best of them; 0 without candidates."""
    return max((c.score for c in candidates), default=0.0)


def mean_best(proposals: Proposals) -> float:
    """Return the mean over pages of their best scores, which no selector's mean can pass."""
    return sum(map(best_score, proposals)) / max(1, len(proposals))


class _Trial:
    """Selectors judged on the same samples, each once."""

    def __init__(self, samples: Sequence[Prepared], judge: Judge) -> None:
        self._samples, self._judge = samples, judge
        self.most = 0.0
        """The mean score that no selector can pass."""
        self._caches: list[Scores] = [{} for _ in samples]
        self._judged: dict[_Key, Verdict] = {}

    def settle(self, pages: Sequence[Prepared], proposals: Proposals, offer: Offer) -> bool:
        """Judge what the pages propose, until one of each of two kinds is as good as any can be;
        whether they are.
        """
        perfect = {
            (verdict.selector.kind, verdict.attribute)
            for verdict in self._judged.values()
            if self._is_perfect(verdict)
        }
        for key, selector, attribute in _pool(pages, proposals, offer) if len(perfect) < 2 else ():
            if key not in self._judged:
                verdict = self._judged[key] = _judged(
                    self._samples, self._caches, selector, attribute, self._judge
                )
                if self._is_perfect(verdict):
                    perfect.add((selector.kind, attribute))
                if len(perfect) == 2:
                    break
        return len(perfect) == 2

    def _is_perfect(self, verdict: Verdict) -> bool:
        return verdict.steps <= -round(STEPS * self.most)

    def ranked(self) -> list[Verdict]:
        """All verdicts, best first."""
        return sorted(
            self._judged.values(),
            key=lambda verdict: (*verdict.order, verdict.selector.xpath, verdict.attribute or ""),
        )


def _votes(
    prepared: Prepared, candidates: Sequence[Candidate], offer: Offer
) -> dict[_Key, tuple[float, Selector]]:
    """Return the selectors that a page proposes, each with the weight of its best candidate."""
    votes: dict[_Key, tuple[float, Selector]] = {}
    ordered = sorted(candidates, key=lambda c: (-c.score, c.node))[:NODES]
    for candidate in ordered:
        if candidate.score < ordered[0].score - FAR_WORSE:
            break
        weight = candidate.score * max(0.1, 1 - FALL * (ordered[0].score - candidate.score))
        for selector in offer(prepared.index, candidate.node):
            key = (selector.kind, selector.xpath, candidate.attribute or "")
            votes.setdefault(key, (weight, selector))
    return votes


def _pool(
    samples: Sequence[Prepared], proposals: Proposals, offer: Offer
) -> list[tuple[_Key, Selector, str | None]]:
    """Return the selectors (with their key and attribute) that the pages propose most, the most
    trusted kind first.
    """
    votes: dict[_Key, float] = defaultdict(float)
    known: dict[_Key, Selector] = {}
    for prepared, candidates in zip(samples, proposals, strict=True):
        for key, (weight, selector) in _votes(prepared, candidates, offer).items():
            votes[key] += weight
            known[key] = selector
    least = sorted(votes.values(), reverse=True)[:MAX_TRIED][-1] - 1e-5 if votes else 0.0
    most = sorted((-round(vote, 6), key) for key, vote in votes.items() if vote >= least)
    pool = [key for _, key in most[:MAX_TRIED]]
    pool.sort(key=lambda key: (key[0], bool(key[2]), len(key[1]), key[1], key[2]))
    return [(key, known[key], key[2] or None) for key in pool]


def _judged(
    samples: Sequence[Prepared],
    caches: Sequence[Scores],
    selector: Selector,
    attribute: str | None,
    judge: Judge,
) -> Verdict:
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
