"""From judged selectors to the few that are kept: one, or for several templates some in order, and
a second opinion.
"""

from __future__ import annotations

from itertools import islice

from blogcrawl.core.evidence import MARGIN
from blogcrawl.induction.learn import Verdict
from blogcrawl.induction.ruleset import Rule
from blogcrawl.text.similarity import SAME_TEXT


def _no_chance(verdicts: list[Verdict], threshold: float) -> list[Verdict]:
    least = 1 if verdicts and len(verdicts[0].scores) <= 3 else 2
    return [v for v in verdicts if v.right(threshold) >= least and v.precision(threshold) >= 0.5]


def cover(
    verdicts: list[Verdict], threshold: float = SAME_TEXT, limit: int = 4, *, singles: bool = False
) -> list[Verdict]:
    """Return the best rule or, for several templates, rules tried in order; then one of another
    kind as a fallback.

    A rule that is right on a single page of many, or wrong more often than not where it matches, is
    chance; with ``singles`` (for values too long to be met by chance) one that matches on a single
    page is a template of which the feed has one post.
    """
    alone = [v for v in verdicts if sum(v.said) == 1 and v.right(threshold)] if singles else []
    verdicts = _no_chance(verdicts, threshold)
    if not verdicts:
        return []
    picked = _ordered(verdicts, threshold, limit)
    if len(picked) < limit:
        picked += _fallback(verdicts[1:], picked)
    return [*_better_alone(alone, picked), *picked]


def _fallback(verdicts: list[Verdict], picked: list[Verdict]) -> list[Verdict]:
    """Return the best rule of another kind than the first one, if it is nearly as good."""
    best = picked[0]
    others = (
        verdict
        for verdict in verdicts
        if (verdict.selector.kind, verdict.attribute) != (best.selector.kind, best.attribute)
        and verdict not in picked
        and verdict.mean >= 0.8 * best.mean
    )
    return list(islice(others, 1))


def _greedily(exact: list[Verdict], threshold: float, limit: int) -> list[Verdict]:
    """Return the rules that are right on most of the pages which those before do not match."""
    picked: list[Verdict] = []
    done: set[int] = set()
    while exact and len(picked) < limit:
        gains = [(_gain(v, threshold, done), v.mean, -n) for n, v in enumerate(exact)]
        gain, _, at = max(gains)
        if gain < min(2, len(exact[0].scores)):
            break
        picked.append(exact[-at])
        done |= {i for i, matches in enumerate(exact[-at].said) if matches}
    return picked


def _ordered(verdicts: list[Verdict], threshold: float, limit: int) -> list[Verdict]:
    """Return one rule, or for several templates rules tried in order: each but the last matches
    nothing where it would be wrong.
    """
    best = verdicts[0]
    ceiling = [max(scores) for scores in zip(*(v.scores for v in verdicts), strict=True)]
    if best.mean >= sum(ceiling) / max(1, len(ceiling)) - 0.01:
        return [best]
    exact = [v for v in verdicts if _is_exact(v, ceiling)]
    picked = _greedily(exact, threshold, limit - 1)
    if best not in picked:
        picked.append(best)
    return picked if _in_order(picked) >= _in_order([best]) + 0.01 else [best]


def _is_exact(verdict: Verdict, ceiling: list[float]) -> bool:
    """Return whether a rule is (nearly) as good as any on every page where it matches."""
    pages = zip(verdict.scores, ceiling, verdict.said, strict=True)
    return all(score >= top - MARGIN for score, top, matches in pages if matches)


def _gain(verdict: Verdict, threshold: float, done: set[int]) -> int:
    """Return on how many more pages than those done a rule is right."""
    return sum(s >= threshold and i not in done for i, s in enumerate(verdict.scores))


def _better_alone(alone: list[Verdict], picked: list[Verdict]) -> list[Verdict]:
    """Return the best of the rules that speak on one page for each page on which the picked ones
    are worse; at most two.
    """
    out = []
    for i in range(len(picked[0].scores)):
        best = max((v for v in alone if v.said[i]), key=lambda v: v.scores[i], default=None)
        if (
            best is not None
            and best.scores[i] > next((v.scores[i] for v in picked if v.said[i]), 0.0) + MARGIN
        ):
            out.append(best)
    return out if len(out) <= 2 else []


def _in_order(rules: list[Verdict]) -> float:
    """Return mean score where the first rule that says something decides."""
    total = 0.0
    for i in range(len(rules[0].scores)):
        total += next((v.scores[i] for v in rules if v.said[i]), 0.0)
    return total / max(1, len(rules[0].scores))


def to_rule(field_name: str, verdict: Verdict, threshold: float = SAME_TEXT) -> Rule:
    """Return a verdict as it is stored."""
    return Rule(
        field=field_name,
        xpath=verdict.selector.xpath,
        attribute=verdict.attribute,
        support_right=verdict.right(threshold),
        support_tried=len(verdict.scores),
        mean_score=round(verdict.mean, 4),
    )
