"""Rules for the title.

Where several nodes hold a value, the one nearest the content wins (tree distance, section 3.5 of
the paper).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from blogcrawl.core.evidence import FEW_PAGES, SOME
from blogcrawl.dom.index import SHORT
from blogcrawl.induction.apply import headline
from blogcrawl.induction.learn import Candidate, Judge, Prepared, Verdict, judge_all, spread
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import affixes, title_score
from blogcrawl.induction.select_rules import cover, to_rule
from blogcrawl.text.similarity import fold, tokens

Around = frozenset[tuple[str, str]]
FAR = 40
"""Tree distance at which nearness is worth nothing; pages are 10 to 30 deep."""


def near(prepared: Prepared, i: int, weight: float) -> float:
    """Return factor 1 - weight .. 1: 1 next to the content, less far from it."""
    if prepared.content is None:
        return 1 - weight / 2
    inside = prepared.content < i < prepared.index.end[prepared.content]
    steps = prepared.index.distance(i, prepared.content)
    return 1 - weight * min(1.0, (steps + inside) / FAR)


def value_of(prepared: Prepared, i: int, attribute: str | None) -> str:
    """Return text or attribute of a node."""
    if attribute:
        return prepared.index.elements[i].get(attribute, "").strip()
    return prepared.index.text(i)


def _title_of(prepared: Prepared, i: int, attribute: str | None) -> str:
    """Return the same without the dates next to a title in a node."""
    element = prepared.index.elements[i]
    if attribute or not len(element):
        return value_of(prepared, i, attribute)
    return headline(element)


def metas(prepared: Prepared) -> Iterator[tuple[int, str]]:
    """Yield the page's ``meta`` elements that say something short, with it."""
    for i in prepared.index.by_tag.get("meta", []):
        content = prepared.index.elements[i].get("content")
        if content and len(content) < 400:
            yield i, content


def nodes_with(prepared: Prepared, wanted: list[str], slack: int) -> Iterator[int]:
    """Yield visible elements whose words are few and hold most of the wanted ones."""
    index, need = prepared.index, set(wanted)
    if not need:
        return
    longest, words, first, last = 2 * len(wanted) + slack, index.words, index.first, index.last
    for i in index.short if longest <= SHORT else range(index.body, len(index.tags)):
        a, b = first[i], last[i]
        if (
            0 < b - a <= longest
            and not need.isdisjoint(words[a:b])
            and 2 * len(need.intersection(words[a:b])) >= len(need)
        ):
            yield i


def _title_at(recurring: Around, prepared: Prepared, i: int, attribute: str | None) -> float:
    text = _title_of(prepared, i, attribute)
    score = title_score(text, prepared.target)
    around = affixes(text, prepared.target.title) if score < 0.9 else None
    if around in recurring:
        score = max(score, 0.9 if len("".join(around)) < 80 else 0.5)
    is_heading = attribute is not None or prepared.index.tags[i] in _TITLED
    return score * near(prepared, i, 0.04) * (1.0 if is_heading else AROUND)


_TITLED = frozenset(("h1", "h2", "h3", "h4", "title"))
AROUND = 0.98
"""Factor on a title in another element than a heading: boxes around headings hold more on other
posts."""


def _proposed(p: Prepared) -> Iterator[tuple[int, str | None]]:
    """Yield the nodes, with their attribute, that may hold a sample's title."""
    for i in nodes_with(p, tokens(p.target.title), 6):
        yield i, None
    for i in p.index.by_tag.get("title", [])[:1]:
        yield i, None
    wanted = p.target.title.casefold()
    for i, content in metas(p):
        if wanted in fold(content).casefold():
            yield i, "content"


def _recurring_affixes(samples: Sequence[Prepared]) -> Around:
    """Return what stands around the titles of several samples: a time or a number that differs from
    post to post can be cut by no rule.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for p in samples:
        texts = {_title_of(p, i, attribute) for i, attribute in _proposed(p)}
        counts.update(filter(None, {affixes(text, p.target.title) for text in texts}))
    least = min(2, len(samples))
    return frozenset(around for around, times in counts.items() if times >= least)


def _titles(judge: Judge, p: Prepared) -> list[Candidate]:
    return worthy([Candidate(i, judge(p, i, a), a) for i, a in _proposed(p)], 0.5)


def title_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Return rules for the title; what the theme writes around it (site name) is cut off by the
    rule."""
    known = [p for p in samples if p.target.title]
    judge = partial(_title_at, _recurring_affixes(spread(known, FEW_PAGES)))
    verdicts = judge_all(known, partial(_titles, judge), judge)
    untitled = [(p, p.index.text(p.content)) for p in samples if p.content and not p.target.title]
    own = [v for v in verdicts if v.mean > 0.3 and not _is_of_text(v, untitled)]
    out = []
    for verdict in cover(own, 0.85):
        (prefix, suffix), count = _usual_affixes(known, verdict)
        rule = to_rule("title", verdict, 0.85)
        if count and count >= 0.5 * len(known):
            rule = replace(rule, prefix=prefix, suffix=suffix)
        out.append(rule)
    return out


def _is_of_text(verdict: Verdict, untitled: Sequence[tuple[Prepared, str]]) -> bool:
    """Return whether a rule gives the beginning of the text on posts without a title: the first
    paragraph, in which others have theirs."""
    found = [(text, title) for p, text in untitled if (title := returned(p, verdict, _title_of))]
    return sum(text.startswith(title) for text, title in found) > SOME * len(found)


def _usual_affixes(known: Sequence[Prepared], verdict: Verdict) -> tuple[tuple[str, str], int]:
    """Return what most often stands around a title that a rule returns, and on how many pages."""
    around: Counter[tuple[str, str]] = Counter()
    for p in known:
        text = returned(p, verdict, _title_of)
        if text is not None and fold(text).casefold() != p.target.title.casefold():
            around[affixes(text, p.target.title) or ("", "")] += 1
    return next(iter(around.most_common(1)), (("", ""), 0))


def returned(
    p: Prepared, verdict: Verdict, text_of: Callable[[Prepared, int, str | None], str] = value_of
) -> str | None:
    """Return the text that a judged rule gives on a sample."""
    from blogcrawl.induction.learn import chosen

    node, _ = chosen(p, verdict.selector, verdict.attribute)
    return None if node is None else text_of(p, node, verdict.attribute)


def worthy(candidates: list[Candidate], floor: float) -> list[Candidate]:
    """Those with that score at least."""
    return [c for c in candidates if c.score >= floor]
