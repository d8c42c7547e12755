"""Rules for the short fields: title, subtitle, authors, published, modified, tags.

Where several nodes hold a value, the one nearest the content wins (tree distance, section 3.5 of the paper).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, timedelta

from blogcrawl.induction.dates import FORMS, LONGEST, YEARLESS, patterns_for, read, read_iso, relative
from blogcrawl.induction.learn import Candidate, Prepared, Verdict, cover, judge_all, to_rule
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import affixes, author_score, tags_score, title_score
from blogcrawl.induction.similarity import fold, tokens

FAR = 40
"""Tree distance at which nearness is worth nothing; pages are 10 to 30 deep."""
IN_LINE = 0.7
"""Score of a line that holds the author among other words."""
RIGHT = {"title": 0.9, "authors": 0.75, "published": 0.75, "modified": 0.75, "tags": 0.6, "subtitle": 0.8}
"""Score from which a page counts as right (nearness to the content is part of the score)."""


def near(prepared: Prepared, i: int, weight: float) -> float:
    """Factor 1 - weight .. 1: 1 next to the content, less far from it."""
    if prepared.content is None:
        return 1 - weight / 2
    inside = prepared.content < i < prepared.index.end[prepared.content]
    steps = prepared.index.distance(i, prepared.content)
    return 1 - weight * min(1.0, (steps + inside) / FAR)


def value_of(prepared: Prepared, i: int, attribute: str | None) -> str:
    """Text or attribute of a node."""
    return (prepared.index.elements[i].get(attribute) or "").strip() if attribute else prepared.index.text(i)


def _metas(prepared: Prepared) -> Iterator[tuple[int, str]]:
    for i in prepared.index.by_tag.get("meta", []):
        content = prepared.index.elements[i].get("content")
        if content and len(content) < 400:
            yield i, content


def _nodes_with(prepared: Prepared, wanted: list[str], slack: int) -> Iterator[int]:
    """Visible elements whose words are few and hold most of the wanted ones."""
    index, need = prepared.index, set(wanted)
    if not need:
        return
    longest = 2 * len(wanted) + slack
    for i in range(index.body, len(index.tags)):
        count = index.length(i)
        if 0 < count <= longest and 2 * len(need.intersection(index.words[index.first[i] : index.last[i]])) >= len(need):
            yield i


def _title_at(prepared: Prepared, i: int, attribute: str | None) -> float:
    text = value_of(prepared, i, attribute)
    score = title_score(text, prepared.target)
    around = affixes(text, prepared.target.title) if score < 0.9 else None
    if around is not None:
        score = max(score, 0.9 if len("".join(around)) < 80 else 0.5)
    return score * near(prepared, i, 0.04)


def title_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Rules for the title; what the theme writes around it (site name) is cut off by the rule."""
    known = [p for p in samples if p.target.title]
    proposals = []
    for p in known:
        words = tokens(p.target.title)
        nodes = [(i, None) for i in _nodes_with(p, words, 6)] + [(i, None) for i in p.index.by_tag.get("title", [])[:1]]
        metas = [(i, "content") for i, content in _metas(p) if p.target.title.casefold() in fold(content).casefold()]
        proposals.append([Candidate(i, _title_at(p, i, a), a) for i, a in [*nodes, *metas]])
    verdicts = judge_all(known, _worthy(proposals, 0.5), _title_at)
    out = []
    for verdict in cover([v for v in verdicts if v.mean > 0.3], 0.85):
        around: Counter[tuple[str, str]] = Counter()
        for p in known:
            text = _returned(p, verdict)
            if text is not None and fold(text).casefold() != p.target.title.casefold():
                around[affixes(text, p.target.title) or ("", "")] += 1
        rule = to_rule("title", verdict, 0.85)
        if around:
            (prefix, suffix), count = around.most_common(1)[0]
            if count >= 0.5 * len(known):
                rule = replace(rule, prefix=prefix, suffix=suffix)
        out.append(rule)
    return out


def _returned(p: Prepared, verdict: Verdict) -> str | None:
    from blogcrawl.induction.learn import chosen

    node, _ = chosen(p, verdict.selector, verdict.attribute)
    return None if node is None else value_of(p, node, verdict.attribute)


def _worthy(proposals: list[list[Candidate]], floor: float) -> list[list[Candidate]]:
    return [[c for c in mine if c.score >= floor] for mine in proposals]


def _author_at(prepared: Prepared, i: int, attribute: str | None) -> float:
    """Alone in its node a name counts most; in a line of few words it can be cut out by what stands around it."""
    text = value_of(prepared, i, attribute)
    score = author_score(text, prepared.target)
    if score < 0.9 and len(text) <= 120 and any(affixes(text, name) for name in prepared.target.authors):
        score = max(score, IN_LINE)
    return score * near(prepared, i, 0.4)


def author_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Rules for authors.  Headings and comments are no bylines."""
    known = [p for p in samples if p.target.authors]
    proposals = []
    for p in known:
        found = []
        for name in p.target.authors:
            found += [Candidate(i, _author_at(p, i, None)) for i in _nodes_with(p, tokens(name), 10) if _byline(p, i)]
            found += [Candidate(i, _author_at(p, i, "content"), "content") for i, c in _metas(p) if name.casefold() in fold(c).casefold()]
        proposals.append(found)
    verdicts = judge_all(known, _worthy(proposals, 0.3), _author_at)
    out = []
    for verdict in cover([v for v in verdicts if v.mean > 0.3], 0.5, limit=3):
        rule = to_rule("authors", verdict, 0.5)
        before, after = _around(known, verdict, lambda p: p.target.authors)
        out.append(replace(rule, prefix=before, suffix=after))
    return out


def _around(known: Sequence[Prepared], verdict: Verdict, wanted: Callable[[Prepared], Sequence[str]]) -> tuple[str, str]:
    """What stands right before and right after the wanted text on all pages where the rule returns more than it:
    ("by ", " on ") of "5 May by Ann on the road" and "6 May by Bob on foot"."""
    befores, afters = [], []
    for p in known:
        text = fold(_returned(p, verdict))
        found = next((cut for name in wanted(p) if (cut := affixes(text, name)) is not None), None)
        if found is not None:
            befores.append(found[0])
            afters.append(found[1])
        elif text and text.casefold() in [name.casefold() for name in wanted(p)]:
            befores.append("")
            afters.append("")
    if not befores or len(befores) < 0.5 * len(known):
        return "", ""
    before = _shared([text[::-1] for text in befores])[::-1]
    after = _shared(afters)
    return (before if any(befores) else ""), (after if any(afters) else "")


def _shared(texts: Sequence[str]) -> str:
    """The longest common beginning."""
    low, high = min(texts), max(texts)
    return low[: next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def _byline(p: Prepared, i: int) -> bool:
    index = p.index
    for j in [i, *index.ancestors(i)[:6]]:
        if index.tags[j] in ("h1", "h2", "nav", "title"):
            return False
        element = index.elements[j]
        if "comment" in (element.get("class") or "").lower() + (element.get("id") or "").lower():
            return False
    return p.content is None or not (p.content <= i < index.end[p.content]) or index.length(i) < 12


MACHINE_DATES = (("time", ("datetime",)), ("abbr", ("title",)), ("span", ("title", "content", "datetime")), ("meta", ("content",)))
"""Attributes in which themes write dates for machines."""


COMMON_LANGUAGES = tuple("de fr es it pt nl ru pl sv da nb fi cs hu ro tr el uk bg hr sk ca id vi ar fa he hi ja zh ko".split())
"""Tried for month names where the page's own language finds no date."""


class DateReader:
    """Reads candidates of a date field with one pattern, for scoring and for choosing the pattern."""

    def __init__(self, languages: Sequence[str], modified: bool) -> None:
        self.languages, self.modified = list(dict.fromkeys([*languages, "en"])), modified

    def days(self, p: Prepared) -> set[date]:
        return p.target.modified_days if self.modified else p.target.days

    def patterns(self, p: Prepared, text: str) -> list[str]:
        """Which patterns make the wanted day of this text."""
        days = self.days(p)
        if not text or not days or len(text) > LONGEST:
            return []
        machine = read_iso(text)
        if machine is not None and machine.days() & days:
            return ["en|iso"]
        found = list(patterns_for(text, days, self.languages)) or self._by_clock(p, text)
        now = p.sample.page.fetched_at
        if not found and now is not None and any(c.isdigit() for c in text):
            for language in self.languages[:2]:
                when = relative(text, now, language)
                if when is not None and any(abs((when.moment.date() - day).days) <= max(1, (now.date() - day).days // 12) for day in days):
                    return [f"{language}|relative"]
        return found

    def _by_clock(self, p: Prepared, text: str) -> list[str]:
        """Patterns that read the wanted moment on the blog's own clock: another day, the same minute, a whole zone apart."""
        moment = p.sample.entry.modified if self.modified else p.sample.entry.published
        if moment is None or moment.tzinfo is None or not (moment.hour or moment.minute) or ":" not in text:
            return []
        near, out = {moment.date() + timedelta(days=step) for step in (-1, 1)}, []
        for pattern in patterns_for(text, near, self.languages):
            when = read(pattern, text, moment.date())
            if when is None or not when.clock or when.moment.tzinfo is not None:
                continue
            minutes = (when.moment - moment.astimezone(UTC).replace(tzinfo=None)).total_seconds() / 60
            if abs(minutes) <= 14 * 60 and min(minutes % 15, -minutes % 15) <= 1:
                out.append(pattern)
        return out

    def judge(self, p: Prepared, i: int, attribute: str | None) -> float:
        patterns = self.patterns(p, value_of(p, i, attribute))
        if not patterns:
            return 0.0
        extra = 0 if attribute else max(0, p.index.length(i) - 4)
        doubt = 0.12 if patterns[0].split("|")[1] in YEARLESS else 0.0
        return (near(p, i, 0.2) - doubt) * (1 - 0.1 * min(1.0, extra / 20))

    def candidates(self, p: Prepared) -> list[Candidate]:
        index, out = p.index, []
        days = {str(day.day) for day in self.days(p)} | {f"{day.day:02d}" for day in self.days(p)}
        for i in range(index.body, len(index.tags)):
            if 0 < index.length(i) <= 24 and any(c.isdigit() for w in index.words[index.first[i] : index.last[i]] for c in w[:1]):
                score = self.judge(p, i, None)
                if score:
                    out.append(Candidate(i, score))
        for tag, names in MACHINE_DATES:
            for i in index.by_tag.get(tag, []):
                for name in names:
                    text = index.elements[i].get(name)
                    if text and len(text) < 64 and any(day in text for day in days) and (score := self.judge(p, i, name)):
                        out.append(Candidate(i, score, name))
        return out


def date_rules(samples: Sequence[Prepared], field: str, languages: Sequence[str]) -> list[Rule]:
    """Rules for ``published`` or ``modified``, each with the pattern that reads most of its pages right."""
    reader = DateReader(languages, field == "modified")
    known = [p for p in samples if reader.days(p)]
    if not known or (field == "modified" and len(known) < 3):
        return []
    verdicts = judge_all(known, [reader.candidates(p) for p in known], reader.judge)
    picked = cover([v for v in verdicts if v.mean > 0.25], 0.5)
    if not picked and field == "published":
        # the declared language is missing or wrong
        reader = DateReader([code for code in COMMON_LANGUAGES if code not in languages], False)
        verdicts = judge_all(known, [reader.candidates(p) for p in known], reader.judge)
        picked = cover([v for v in verdicts if v.mean > 0.25], 0.5)
    out = []
    for verdict in picked:
        votes: Counter[str] = Counter()
        for p in known:
            votes.update(reader.patterns(p, _returned(p, verdict) or ""))
        for pattern, _ in sorted(votes.items(), key=lambda item: (-item[1], _trust(item[0])))[:1]:
            right = sum(_right(p, verdict, pattern, reader) for p in known)
            out.append(replace(to_rule(field, verdict, 0.5), pattern=pattern, support_right=right))
    return out


def _trust(pattern: str) -> tuple[int, str]:
    """Order among patterns that are right equally often: the least mistakable form first."""
    form = pattern.split("|", 1)[1]
    return (FORMS.index(form) if form in FORMS else -1, pattern)


def _right(p: Prepared, verdict: Verdict, pattern: str, reader: DateReader) -> bool:
    days = reader.days(p)
    text = _returned(p, verdict) or ""
    if pattern.endswith("|relative"):
        return pattern in reader.patterns(p, text)
    when = read(pattern, text, min(days))
    return when is not None and bool(when.days() & days or pattern in reader.patterns(p, text))


def tag_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """Rules that return one node per tag."""
    from blogcrawl.induction.rules import selectors

    known = [p for p in samples if p.target.tags]
    votes: Counter[object] = Counter()
    for p in known:
        mine = set()
        for i in p.index.by_tag.get("a", []):
            if 0 < p.index.length(i) <= 6 and fold(p.index.text(i)).casefold().lstrip("#") in p.target.tags:
                mine |= set(selectors(p.index, i))
                if len(mine) > 200:
                    break
        votes.update(mine)
    best = []
    for selector, _ in sorted(votes.items(), key=lambda item: (-item[1], item[0].xpath))[:40]:  # type: ignore[attr-defined]
        scores = [tags_score([p.index.text(i) for i in selector.select(p.index)[:60]], p.target) for p in known]  # type: ignore[attr-defined]
        best.append(Verdict(selector, None, scores, 0, [score > 0 for score in scores]))  # type: ignore[arg-type]
    best = sorted(best, key=lambda v: (*v.order, v.selector.xpath))[:1]
    return [replace(to_rule("tags", v, 0.6), many=True) for v in best if v.mean >= 0.5]


def subtitle_rules(samples: Sequence[Prepared]) -> list[Rule]:
    """A rule for a standfirst, where the feed's summary is a text of its own that the page shows outside the content."""
    known = [p for p in samples if 3 <= len(tokens(p.target.summary)) <= 80]
    if len(known) < 3:
        return []

    def judge(p: Prepared, i: int, attribute: str | None) -> float:
        from blogcrawl.induction.similarity import dice

        return dice(value_of(p, i, attribute), p.target.summary) * near(p, i, 0.05)

    proposals = []
    for p in known:
        nodes = [i for i in _nodes_with(p, tokens(p.target.summary), 6) if p.content is None or not p.content <= i < p.index.end[p.content]]
        proposals.append([Candidate(i, judge(p, i, None)) for i in nodes])
    verdicts = judge_all(known, _worthy(proposals, 0.7), judge)
    return [to_rule("subtitle", v, 0.8) for v in verdicts[:1] if v.mean >= 0.8 and v.right(0.8) >= 3]
