"""Rules for authors: a byline's node, or what stands around the name in its line, or a node per
author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from msgspec.structs import replace

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.dates.months import month_names
from blogcrawl.dom.selectors import Selector, selectors
from blogcrawl.induction.learn import Candidate, Prepared, Verdict, judge_all
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import affixes, author_score, strip_by
from blogcrawl.induction.select_rules import cover, to_rule
from blogcrawl.induction.title_rules import metas, near, nodes_with, returned, value_of, worthy
from blogcrawl.text.similarity import SAME_TEXT, fold, tokens

_MONTH_AT_END = re.compile(rf"(?<=\s)(?:{'|'.join(month_names('en'))})\.?\s*$", re.I)
IN_LINE = 0.7
"""Score of a line that holds the author among other words."""


def _author_at(prepared: Prepared, i: int, attribute: str | None) -> float:
    """Alone in its node a name counts most; in a line of few words it can be cut out by what stands
    around it.
    """
    text = value_of(prepared, i, attribute)
    score = author_score(text, prepared.target)
    if (
        score < 0.9
        and len(text) <= 120
        and any(affixes(text, name) for name in prepared.target.authors)
    ):
        score = max(score, IN_LINE)
    return score * near(prepared, i, 0.4)


def _bylines(p: Prepared) -> list[Candidate]:
    found = []
    for name in p.target.authors:
        found += [
            Candidate(i, _author_at(p, i, None))
            for i in nodes_with(p, tokens(name), 10)
            if _byline(p, i)
        ]
        found += [
            Candidate(i, _author_at(p, i, "content"), "content")
            for i, c in metas(p)
            if name.casefold() in fold(c).casefold()
        ]
    return worthy(found, 0.3)


def author_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Return rules for authors. Headings and comments are no bylines."""
    known = [p for p in samples if p.target.authors]
    verdicts = [v for v in judge_all(known, _bylines, _author_at) if v.mean > 0.3]
    out = []
    for verdict in cover([v for v in verdicts if _follows(known, v)], 0.5, limit=3):
        rule = to_rule("authors", verdict, 0.5)
        before, after = _around(known, verdict, lambda p: p.target.authors)
        out.append(replace(rule, prefix=before, suffix=after))
    return [*_of_several_authors(known), *out]


def _follows(known: Sequence[Prepared], verdict: Verdict) -> bool:
    """Return whether a rule's text changes where the posts' authors do: a side column or the foot
    names one of them on each page, and is right as often as that one writes."""
    wanted = {tuple(p.target.authors) for p in known}
    return len(wanted) < 2 or len({returned(p, verdict) for p in known}) > 1


def _of_several_authors(known: Sequence[Prepared]) -> list[Rule]:
    """Return a rule that matches a node per author, where posts have several and it is right on
    nearly all pages.
    """
    wanted = [{name.casefold() for name in p.target.authors} for p in known]
    verdicts = []
    for selector in _proposed_for_several(known, wanted):
        found = [
            {_name_at(p, i) for i in selector.select(p.index)[:MAX_TRIED]} - {""} for p in known
        ]
        scores = [
            2 * len(have & names) / (len(have) + len(names))
            for have, names in zip(found, wanted, strict=True)
        ]
        verdicts.append(Verdict(selector, None, scores, 0, list(map(bool, found))))
    best = min(
        (verdict for verdict in verdicts if verdict.mean >= SAME_TEXT),
        key=lambda verdict: (*verdict.order, verdict.selector.xpath),
        default=None,
    )
    return [replace(to_rule("authors", best, 0.5), many=True)] if best is not None else []


def _proposed_for_several(
    known: Sequence[Prepared], wanted: Sequence[AbstractSet[str]]
) -> list[Selector]:
    """Return the selectors that most posts of several authors propose for a name in a byline."""
    votes: Counter[Selector] = Counter()
    for p, names in zip(known, wanted, strict=True):
        if len(names) > 1:
            nodes = (
                i
                for name in p.target.authors
                for i in nodes_with(p, tokens(name), 2)
                if _name_at(p, i) in names and _byline(p, i)
            )
            votes.update(
                {selector for i in islice(nodes, MAX_TRIED) for selector in selectors(p.index, i)}
            )
    return sorted(votes, key=lambda each: (-votes[each], each.kind, each.xpath))[:MAX_TRIED]


def _name_at(p: Prepared, i: int) -> str:
    return strip_by(fold(p.index.text(i))).strip(" ,;:|-·").casefold()


def _cut_off(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return what stands in a text before and after the first of the names that it has."""
    for name in names:
        if (cut := affixes(text, name)) is not None:
            return cut
    is_name = text and text.casefold() in map(str.casefold, names)
    return ("", "") if is_name else None


def _around(
    known: Sequence[Prepared], verdict: Verdict, wanted: Callable[[Prepared], Sequence[str]]
) -> tuple[str, str]:
    """Return what stands right before and right after the wanted text on all pages where the rule
    returns more than it: ("by ", " on ") of "5 May by Ann on the road" and "6 May by Bob on foot".
    """
    befores, afters = [], []
    for p in known:
        found = _cut_off(fold(returned(p, verdict)), wanted(p))
        if found is not None:
            befores.append(found[0])
            afters.append(found[1])
    if not befores or len(befores) < 0.5 * len(known):
        return "", ""
    # a number next to the name is a part of a date: pages of another year have another one
    before = re.split(r"\d", _shared([text[::-1] for text in befores])[::-1])[-1]
    after = _MONTH_AT_END.sub("", re.split(r"\d", _shared(afters))[0])
    return (before if any(befores) else ""), (after if any(afters) else "")


def _shared(texts: Sequence[str]) -> str:
    """Return the longest common beginning."""
    low, high = min(texts), max(texts)
    return low[
        : next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ]


def _byline(p: Prepared, i: int) -> bool:
    index = p.index
    for j in [i, *index.ancestors(i)[:6]]:
        if index.tags[j] in ("h1", "h2", "nav", "title"):
            return False
        element = index.elements[j]
        if "comment" in element.get("class", "").lower() + element.get("id", "").lower():
            return False
    return p.content is None or not (p.content <= i < index.end[p.content]) or index.length(i) < 12
