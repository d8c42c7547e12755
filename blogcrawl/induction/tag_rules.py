"""Rules for tags: one node per tag, in one place of the page or in two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import product

from msgspec.structs import replace

from blogcrawl.core.evidence import MARGIN
from blogcrawl.dom.selectors import Selector, selectors, trusted
from blogcrawl.induction.learn import PROPOSERS, Offer, Prepared, Verdict, spread
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import tag_key, tags_score
from blogcrawl.induction.select_rules import to_rule
from blogcrawl.text.similarity import SAME_TEXT

_SIDEBAR = re.compile(r"side[-_]?bar|widget", re.I)


def tag_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Learn rules that return one node per tag; two pages propose first, as for other fields."""
    known = [p for p in samples if p.target.tags]
    most = sum(map(_most_tags, known)) / max(1, len(known))
    judged = _judged(known, most)
    best = _best(judged)
    if best is None or best.mean < 0.5:
        return []
    rule = replace(to_rule("tags", best, 0.6), many=True)
    if best.mean >= min(SAME_TEXT, most - MARGIN):
        return [rule]
    pure = min(
        (v for v in judged if v.mean >= 0.5 and _is_pure(v.selector, known)),
        key=lambda v: v.order,
        default=best,
    )
    pairs = [
        _with_second_place(rule, selector, known)
        for selector in dict.fromkeys((best.selector, pure.selector))
    ]
    return [max(pairs, key=lambda each: each.mean_score)]


def _best(verdicts: Iterable[Verdict]) -> Verdict | None:
    return min(verdicts, key=lambda v: (*v.order, v.selector.xpath), default=None)


def _judged(known: Sequence[Prepared], most: float) -> list[Verdict]:
    """Return verdicts on proposed selectors, until one is as good as any can be; ``most``: the mean
    score that no rule can pass.
    """
    # where all have the same tags a sidebar's list of all categories would be right by chance
    same = len({p.target.tags for p in known}) == 1
    judged: dict[Selector, Verdict] = {}

    @cache  # many selectors return the same elements
    def score_of(at: int, nodes: tuple[int, ...]) -> float:
        p = known[at]
        return tags_score([p.index.text(i) for i in nodes], p.target)

    def score(at: int, selector: Selector) -> float:
        return score_of(at, tuple(selector.select(known[at].index)[:60]))

    few = (spread(known, PROPOSERS),) if len(known) > PROPOSERS + 1 else ()
    for proposing, offer in product((*few, known), (trusted, selectors)):
        for selector in _of_tags(proposing, same, offer):
            if selector not in judged:
                scores = [score(at, selector) for at in range(len(known))]
                judged[selector] = Verdict(selector, None, scores, 0, [each > 0 for each in scores])
        best = _best(judged.values())
        if most < 0.5 or (best is not None and best.mean >= min(SAME_TEXT, most)):
            break
    return list(judged.values())


def _most_tags(p: Prepared) -> float:
    """Return the score of just the links to the entry's tags, which no rule can pass."""
    found = p.target.tags.intersection(key for _, key in p.short_links)
    return 2 * len(found) / (len(found) + len(p.target.tags)) if found else 0.0


def _is_pure(selector: Selector, samples: Sequence[Prepared]) -> bool:
    """Return whether it returns nothing but the entries' tags, however many there are."""
    return not selector.steps[-1].position and all(
        tag_key(p.index.text(i)) in p.target.tags
        for p in samples
        for i in selector.select(p.index)[:60]
    )


def _with_second_place(rule: Rule, first: Selector, known: Sequence[Prepared]) -> Rule:
    """Return the rule, or one that also matches the tags in another place: feeds have the category
    among the tags, and themes write it next to the date, or in the path above the title."""
    have = [first.select(p.index)[:60] for p in known]
    read = [{tag_key(p.index.text(i)) for i in nodes} for p, nodes in zip(known, have, strict=True)]
    lacking = [p.target.tags - tags for p, tags in zip(known, read, strict=True)]
    candidates = []
    for selector in _of_tags(known, True, selectors, lacking):
        scores = [
            _score_of({*mine, *selector.select(p.index)[:60]}, p)
            for p, mine in zip(known, have, strict=True)
        ]
        mean = sum(scores) / len(scores)
        if mean >= rule.mean_score + MARGIN:
            right = sum(score >= 0.6 for score in scores)
            candidates.append((-mean, selector.kind, selector.xpath, right))
    if not candidates:
        return rule
    worse, _, xpath, right = min(candidates)
    return replace(
        rule, xpath=f"{first.xpath} | {xpath}", mean_score=round(-worse, 4), support_right=right
    )


def _score_of(nodes: Iterable[int], p: Prepared) -> float:
    return tags_score([p.index.text(i) for i in nodes], p.target)


def _of_tags(
    samples: Sequence[Prepared],
    not_beside: bool,
    offer: Offer,
    wanted: Sequence[AbstractSet[str]] | None = None,
) -> list[Selector]:
    """Return the selectors that most links to the entries' tags propose (or to those ``wanted`` of
    each); ``not_beside``: those in sidebars left out."""
    votes: Counter[tuple[str, int]] = Counter()
    known: dict[tuple[str, int], Selector] = {}
    for p, tags in zip(samples, wanted or [p.target.tags for p in samples], strict=True):
        mine: dict[tuple[str, int], Selector] = {}
        for i, key in p.short_links:
            if key in tags and not (not_beside and _in_sidebar(p, i)):
                mine |= {
                    (selector.xpath, selector.kind): selector for selector in offer(p.index, i)
                }
                if len(mine) > 200:
                    break
        votes.update(mine.keys())
        known |= mine
    return [
        known[key] for key, _ in sorted(votes.items(), key=lambda item: (-item[1], item[0]))[:40]
    ]


def _in_sidebar(p: Prepared, i: int) -> bool:
    """Return whether a box around the element that does not hold the post is labelled as a
    sidebar."""
    index = p.index
    for j in index.ancestors(i):
        if index.tags[j] == "body" or p.holds_content(j):
            return False
        if _SIDEBAR.search(f"{index.elements[j].get('id')} {index.elements[j].get('class')}"):
            return True
    return False
