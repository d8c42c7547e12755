"""Rules for dates: nodes whose text or attribute writes the feed's day, in one of many forms, and
the form that wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice, product

from msgspec.structs import replace

from blogcrawl.core.evidence import MOST, NEARLY_ALL, SEVERAL
from blogcrawl.dates.calendars import solar_day
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.months import WORD, fold, month_words
from blogcrawl.dates.parse import MAX_CHARS, normalise
from blogcrawl.dates.patterns import ISO, is_yearless, patterns_for, read_pattern, trust
from blogcrawl.dates.relative import find_relative, relative_words
from blogcrawl.induction.learn import Candidate, Prepared, Verdict, chosen, judge_all
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.select_rules import cover, to_rule
from blogcrawl.induction.title_rules import near, returned, value_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import BLOCK_TAGS

_DIGITS = re.compile(r"\d+")
MACHINE_DATES = (
    ("time", ("datetime",)),
    ("abbr", ("title",)),
    ("span", ("title", "content", "datetime")),
    ("meta", ("content",)),
)
"""Attributes in which themes write dates for machines."""
PRECISION = {"zone": 1.0, "clock": 0.95, "day": 0.88, "yearless": 0.8}
"""Factors on a date's score by how precise it is; nearness to the content weighs as much."""
WITH_SECONDS = (f"|{ISO}", "|y-M-d")
"""Forms that programs write, to the second; for readers dates in words end with the minute."""
IN_COMMENTS = 0.7
"""Factor on a date among comments: the first one's is often the post's day too."""
_COMMENTS = re.compile(
    (
        r"(?:^|[\s_-])(?:comments?|commentlist|replies|responses|disqus)(?:$|[\s_-]|list|area|"
        r"section|thread|block)"
    ),
    re.I,
)
_SOLAR_LANGUAGES = frozenset(("fa", "ps", "ckb"))
SECONDARY = 0.7
"""Least score of another clock's place: it is near the post, and not among comments."""
LINE, SENTENCE = 24, 80
"""Words of an element that may be a date line, and of one that may have the date in its first
sentence.
"""


class DatedElements:
    """Reads candidates of a date field with one pattern, for scoring and for choosing the
    pattern."""

    def __init__(
        self, languages: Sequence[str], modified: bool, also: Sequence[str] = ("en",), lean: int = 0
    ) -> None:
        self.languages, self.modified = list(dict.fromkeys([*languages, *also])), modified
        self._key = ("modified" if modified else "published", str(lean), *self.languages)

    def days(self, p: Prepared) -> set[date]:
        return p.target.modified_days if self.modified else p.target.days

    def patterns(self, p: Prepared, text: str) -> list[str]:
        """Which patterns make the wanted day of this text."""
        found, more = self._begun(p, text)
        found.extend(more)
        return found

    def first(self, p: Prepared, text: str) -> str | None:
        """Return the least mistakable of them; the others are looked for when they are asked
        for."""
        found, _ = self._begun(p, text)
        return found[0] if found else None

    def _begun(self, p: Prepared, text: str) -> tuple[list[str], Iterator[str]]:
        key = (*self._key, text)
        known = p.patterns.get(key)
        if known is None:
            more = self._patterns(p, text)
            known = p.patterns[key] = ([found] if (found := next(more, None)) else [], more)
        return known

    def _patterns(self, p: Prepared, text: str) -> Iterator[str]:
        days = self.days(p)
        text = text[:MAX_CHARS]
        plain = normalise(text) if days else ""
        numbers = _DIGITS.findall(plain)
        if not numbers:
            return
        words, is_read = [fold(word) for word in WORD.findall(plain)], False
        # a cheap look: most numbers on a page are no dates
        if self._names_month(days, numbers, words):
            for pattern in self._absolute(p, text, days):
                is_read = True
                yield pattern
        if words and not is_read:
            yield from self._relative(p, text, days)

    def _absolute(self, p: Prepared, text: str, days: set[date]) -> Iterator[str]:
        """Yield the patterns that read one of the days."""
        machine = machine_date(text)
        if machine is not None and machine.form == ISO and machine.days() & days:
            yield "en|iso"
            return
        yield from patterns_for(text, days, self.languages)

    def _relative(self, p: Prepared, text: str, days: set[date]) -> Iterator[str]:
        """Yield the pattern of a time ago that is about one of the days."""
        now = p.sample.page.fetched_at
        if now is None:
            return
        for language in self.languages[:2]:
            when = find_relative(text, now, language)
            if when is not None and any(
                abs((when.moment.date() - day).days) <= max(1, (now.date() - day).days // 12)
                for day in days
            ):
                yield f"{language}|relative"
                return

    def _names_month(self, days: set[date], numbers: Sequence[str], words: Sequence[str]) -> bool:
        """Return whether a text with these numbers and words names the month of one of the days, or
        of the one before or after.
        """
        written, names = _month_signs(frozenset(days), ("en", *self.languages))
        return (
            not written.isdisjoint(numbers)
            or not names.isdisjoint(words)
            or any(len(number) >= 8 for number in numbers)
        )

    def judge(self, p: Prepared, i: int, attribute: str | None) -> float:
        text = value_of(p, i, attribute) if attribute else p.index.head(i, MAX_CHARS)
        pattern = self.first(p, text)
        if pattern is None:
            return 0.0
        extra = 0 if attribute else max(0, p.index.length(i) - 4)
        return (
            near(p, i, 0.2)
            * (IN_COMMENTS if _in_comments(p, i) else 1.0)
            * (PRECISION["yearless"] if is_yearless(pattern) else self._precision(pattern, text))
            * (1 - 0.1 * min(1.0, extra / 20))
        )

    @staticmethod
    def _precision(pattern: str, text: str) -> float:
        """A moment with its zone is right on every day; a clock nearly; a bare day may be the
        neighbour's in UTC.
        """
        when = read_pattern(pattern, text)
        if when is None or not when.has_time:
            return PRECISION["day"]
        is_moment = when.moment.tzinfo is not None and pattern.endswith(WITH_SECONDS)
        return PRECISION["zone" if is_moment else "clock"]

    def candidates(self, p: Prepared) -> list[Candidate]:
        """Return elements and attributes that write the wanted day; else those that have it
        relative to now.
        """
        return [
            Candidate(i, self.judge(p, i, attribute), attribute) for i, attribute in self.places(p)
        ]

    def places(self, p: Prepared) -> list[tuple[int, str | None]]:
        """Return where they are: element and attribute; kept with the sample, for several methods
        ask."""
        if self._key not in p.dated:
            p.dated[self._key] = self._places(p)
        return p.dated[self._key]

    def forget(self, pages: Sequence[Prepared]) -> None:
        """The places on these pages, which were found by chance: they give no reason to look at
        more pages.
        """
        for p in pages:
            p.dated.pop(self._key, None)

    def nearest(self, p: Prepared, order: Callable[[Sequence[int]], Sequence[int]]) -> int | None:
        """Of the elements whose text writes the wanted day the first in an order; those behind it
        need not be read.
        """
        if self._key not in p.dated:
            lines = order(p.index.holding(self._written(p), LINE))
            if (
                best := next((i for i in lines if self.first(p, p.index.text(i))), None)
            ) is not None:
                return best
        return next(iter(order([i for i, attribute in self.places(p) if attribute is None])), None)

    def _written(self, p: Prepared) -> set[str]:
        """Return the page's words that may be a part of the wanted day."""
        wanted = {
            number
            for day in self.days(p)
            for step in (-1, 0, 1)
            for number in _padded((day + timedelta(days=step)).day)
        }
        if not _SOLAR_LANGUAGES.isdisjoint(self.languages):
            wanted |= {number for day in self.days(p) for number in _padded(solar_day(day))}
        return {word for word in p.index.numbers if _has(word, wanted)} if wanted else set()

    def _machine_dates(self, p: Prepared) -> Iterator[tuple[int, str]]:
        for tag, names in MACHINE_DATES:
            dated = [i for i in p.index.by_tag.get(tag, []) if i in p.index.named]
            for i, name in product(dated, names):
                text = p.index.elements[i].get(name, "")
                if len(text) < 64 and _DIGITS.search(text) and self.first(p, text.strip()):
                    yield i, name

    def _places(self, p: Prepared) -> list[tuple[int, str | None]]:
        if not self.days(p):
            return []
        written = self._written(p)
        out = [*self._texts(p, written, LINE), *self._machine_dates(p)]
        if not out:  # "This entry was posted on Monday, …, and is filed under …"
            out = self._texts(p, written, SENTENCE)
        if not out and p.sample.page.fetched_at is not None:
            out = self._texts(
                p, set().union(*map(relative_words, [*self.languages[:2], "en"])), LINE
            )
        return out

    def _texts(
        self, p: Prepared, words: frozenset[str] | set[str], longest: int
    ) -> list[tuple[int, str | None]]:
        """Short elements with any of the words, and a date that is wanted."""
        return [
            (i, None) for i in p.index.holding(words, longest) if self.first(p, p.index.text(i))
        ]


@lru_cache(maxsize=256)
def _month_signs(
    days: frozenset[date], languages: tuple[str, ...]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return numbers and names of the months of these days, or of the one before or after."""
    months = frozenset((day + timedelta(days=step)).month for day in days for step in (-1, 0, 1))
    written = frozenset(form for month in months for form in _padded(month))
    return written, frozenset().union(*(month_words(language, months) for language in languages))


def _in_comments(p: Prepared, i: int) -> bool:
    """Return whether the element or a block around it, below what holds the post as well, is
    labelled as comments.
    """
    index = p.index
    for j in (i, *index.ancestors(i)):
        if index.tags[j] in ("body", "html") or p.holds_content(j):
            return False
        element = index.elements[j]
        if index.tags[j] in BLOCK_TAGS - {"p"} and any(
            _COMMENTS.search(element.get(name, "")) for name in ("id", "class")
        ):
            return True
    return False


def _padded(number: int) -> tuple[str, str]:
    return str(number), f"{number:02d}"


def _has(word: str, wanted: set[str]) -> bool:
    """Return whether a word has one of the numbers, or is long enough to be a whole date."""
    if word.isdecimal():
        return word in wanted or len(word) >= 8 or not word.isascii()
    return word[0].isdigit() and any(
        number in wanted or len(number) >= 8 for number in _DIGITS.findall(word)
    )


def date_rules(samples: Sequence[Prepared], field: str, languages: Sequence[str]) -> list[Rule]:
    """Return rules for ``published`` or ``modified``, each with the pattern that reads most of its
    pages right.
    """
    reader = DatedElements(languages, field == "modified")
    known = [p for p in samples if reader.days(p)]
    if not known or (field == "modified" and len(known) < max(2, min(3, len(samples)))):
        return []
    rules = _ruled(field, known, languages)
    if field == "modified":  # a comment may be of the day on which one post was changed
        return [rule for rule in rules if rule.support_right >= 2]
    if len(known) >= 2 and max((rule.support_right for rule in rules), default=0) < MOST * len(
        known
    ):
        return _ruled_by_another_clock(known, languages, rules)
    return rules


def _ruled_by_another_clock(
    known: Sequence[Prepared], languages: Sequence[str], rules: list[Rule]
) -> list[Rule]:
    """Return rules for pages that show the day of a clock ahead of the feed's or behind it: all the
    day of the feed's moment or all the next one, or the one before; the ``rules`` there are where
    no such place is right on nearly all pages. The targets keep what was found."""
    for lean in (1, -1):
        for p in known:
            p.target.lean = lean
        reader = DatedElements(languages, False, lean=lean)
        if not all(reader.places(p) for p in known[:SEVERAL]):  # nearly always, and soon known
            reader.forget(known[:SEVERAL])
            continue
        found = _ruled("published", known, languages, lean) if len(known) >= SEVERAL else []
        if (
            found
            and found[0].support_right >= NEARLY_ALL * len(known)
            and found[0].mean_score >= SECONDARY
        ):
            return found
    for p in known:
        p.target.lean = 0
    return rules


def _ruled(
    field: str, known: Sequence[Prepared], languages: Sequence[str], lean: int = 0
) -> list[Rule]:
    reader = DatedElements(languages, field == "modified", lean=lean)
    picked = _picked(known, reader)
    rules = (_with_pattern(field, verdict, known, reader) for verdict in picked)
    return [rule for rule in rules if rule is not None]


def _picked(known: Sequence[Prepared], reader: DatedElements) -> list[Verdict]:
    """Return the verdicts on the selectors of dates that are to be kept; for publication also on
    the best of those in another place that are right as often."""
    verdicts = [v for v in judge_all(known, reader.candidates, reader.judge) if v.mean > 0.25]
    if not reader.modified:
        verdicts = _unlike_changes(verdicts, known)
    picked = cover(verdicts, 0.5)
    if not picked or reader.modified or len(known) < SEVERAL:
        return picked
    here, right = _nodes(known, picked[0]), picked[0].right(0.5)
    rivals = (v for v in verdicts if v.right(0.5) >= right and here.isdisjoint(_nodes(known, v)))
    return [*picked, *islice(rivals, 1)]


_UPDATED = re.compile(any_of("dates", "updated"), re.I)
_LABEL = re.compile(r"\D{0,40}")
"""What stands before a date."""


def _unlike_changes(verdicts: list[Verdict], known: Sequence[Prepared]) -> list[Verdict]:
    """Return the verdicts without selectors of the last change, if others are right as often: on
    posts that never changed the two are the same day, often in the same element."""
    most = max((v.right(0.5) for v in verdicts), default=0)
    others = [v for v in verdicts if not _is_of_change(v, known)]
    return others if any(v.right(0.5) >= most for v in others) else verdicts


def _is_of_change(verdict: Verdict, known: Sequence[Prepared]) -> bool:
    """Return whether a selector is named after the last change, or the lines that it returns are:
    "Last modified: 3 May"."""
    labels = (_LABEL.match(returned(p, verdict) or "") for p in known)
    called = sum(label is not None and _UPDATED.search(label[0]) is not None for label in labels)
    return _UPDATED.search(verdict.selector.xpath) is not None or 2 * called > len(known)


def _nodes(known: Sequence[Prepared], verdict: Verdict) -> set[tuple[int, int | None]]:
    """Return the elements that a judged selector chooses on the pages, with those around them."""
    found = ((n, chosen(p, verdict.selector, verdict.attribute)[0]) for n, p in enumerate(known))
    return {
        (n, i)
        for n, node in found
        if node is not None
        for i in (node, *known[n].index.ancestors(node))
        if known[n].index.tags[i] not in ("html", "body") and known[n].index.length(i) <= LINE
    }


def _with_pattern(
    field: str, verdict: Verdict, known: Sequence[Prepared], reader: DatedElements
) -> Rule | None:
    """Return the rule with the pattern that reads the wanted day on most pages."""
    votes: Counter[str] = Counter()
    for p in known:
        votes.update(reader.patterns(p, returned(p, verdict) or ""))
    if not votes:
        return None
    pattern = min(votes, key=lambda each: (-votes[each], trust(each)))
    right = sum(_right(p, verdict, pattern, reader) for p in known)
    return replace(to_rule(field, verdict, 0.5), pattern=pattern, support_right=right)


def _right(p: Prepared, verdict: Verdict, pattern: str, reader: DatedElements) -> bool:
    days = reader.days(p)
    text = returned(p, verdict) or ""
    if pattern.endswith("|relative"):
        return pattern in reader.patterns(p, text)
    when = read_pattern(pattern, text, min(days))
    return when is not None and bool(when.days() & days or pattern in reader.patterns(p, text))
