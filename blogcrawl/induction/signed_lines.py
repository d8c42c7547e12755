"""Comments on pages that name nothing, as lines: a name and a date, and the text that belongs to
them.

One page alone does not distinguish readers from paragraphs with days in them; the pages of a blog
do. Lines of one kind count as the signatures of comments where their number differs from page to
page, each stands on one page only, their days follow each other and are not before the post's, and
most have a name, not always the same. Whether the texts stand above or below them shows at the end
of the last one, and what stands on many pages bounds the first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, takewhile

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import MOST, MOSTLY_LINKS, NEAR, NEARLY_ALL, SEVERAL, SOME
from blogcrawl.core.page import Page, child_of
from blogcrawl.dates.day_order import proved_order
from blogcrawl.dates.parse import DateMatch, find_date, with_weekday
from blogcrawl.dom.page_lines import PageLine, blank, page_lines, parted
from blogcrawl.dom.text_blocks import digest
from blogcrawl.induction.site_facts import SignedLines
from blogcrawl.lexicon.comment_words import SAYS, is_label
from blogcrawl.text.lengths import MAX_BYLINE, MAX_CONTROL, MAX_LINE, MAX_WORDS

DAY = timedelta(hours=26)
"""One day and the widest zone difference."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_EDGES = re.compile(r"^[^\w~@]+|[^\w.)]+$")
_NUMBERS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_MARKS = re.compile(r"(?<![^\w\s])[^\w\s]+$")


@dataclass(slots=True)
class SignedText:
    """A comment's lines."""

    line: PageLine
    """The one with the date."""
    date: DateMatch
    name: str | None
    named: PageLine | None
    """The line with the name, where it is another."""
    head: list[PageLine]
    """What stands above them: a subject."""
    text: list[PageLine]


@dataclass(slots=True)
class _Dated:
    """A line with a date."""

    at: int
    date: DateMatch
    before: str
    after: str


class _Lines:
    """The lines of a page, those with dates by their kinds."""

    def __init__(self, root: HtmlElement) -> None:
        body = child_of(root, "body")
        language = root.get("lang")
        whole = _labelled(page_lines(body if body is not None else root))
        self.lines = [part for line in whole for part in _without_date(line, language)]
        self.kinds: dict[tuple[str, ...], list[_Dated]] = defaultdict(list)
        self.dated: set[int] = set()
        for at, line in enumerate(self.lines):
            found = _date_of(line, language)
            if found is not None:
                text = line.text
                before = text[: with_weekday(text, found).span[0]]
                one = _Dated(at, found, before, text[found.span[1] :])
                self.kinds[_kind(line, one)].append(one)
                self.kinds[("", *_kind(line, one)[1:])].append(one)
                self.dated.add(at)

    def begin(self, at: int, template: AbstractSet[int]) -> int | None:
        """Return where a text begins at a place or near behind it, after links and what the
        template has there; None where none does."""
        for place in range(at, min(at + NEAR, len(self.lines))):
            if self.lines[place].is_behind_field or place in self.dated:
                break
            if not self.is_template(place, template):
                return place
        return None

    def is_end(self, at: int, template: AbstractSet[int]) -> bool:
        """Return whether no line of the page's own stands at a place."""
        return at >= len(self.lines) or self.is_template(at, template)

    def is_template(self, at: int, template: AbstractSet[int]) -> bool:
        return _is_apart(self.lines[at]) or self.is_known(at, template)

    def is_known(self, at: int, template: AbstractSet[int]) -> bool:
        """Return whether the template has a line. Days of one month differ in their numbers only,
        so that lines with dates may be anyone's."""
        return at not in self.dated and mark(self.lines[at].text) in template


def _labelled(lines: Sequence[PageLine]) -> list[PageLine]:
    """Return the lines, those of cells that name what the next cell of their row has joined with
    it, where this is short."""
    out: list[PageLine] = []
    for line in lines:
        if out and _names_next(out[-1], line):
            line = replace(line, pieces=out.pop().pieces + line.pieces)
        out.append(line)
    return out


def _names_next(label: PageLine, line: PageLine) -> bool:
    """Return whether a line is the label of the next one."""
    if not label.text.endswith((":", "：")) or len(line.text) > MAX_CONTROL:
        return False
    return label.block.tag in ("td", "th") and line.block in label.block.itersiblings()


def _is_apart(line: PageLine) -> bool:
    """Return whether a line is a link, or stands behind a field to write in."""
    return line.is_behind_field or line.linked > MOSTLY_LINKS * len(line.text)


def mark(text: str) -> int:
    """Return a digest of a line without its numbers."""
    return digest(_NUMBERS.sub("0", text.casefold()))


def _date_of(line: PageLine, language: str | None) -> DateMatch | None:
    text = line.text
    if len(text) > MAX_LINE or _NUMBERS.search(text) is None:
        return None
    if line.linked > MOSTLY_LINKS * len(text) or _is_code(line.block):
        return None
    return find_date(text, language)


def _is_code(block: HtmlElement) -> bool:
    return block.tag == "pre" and bool(block.get("class") or len(block.findall(".//code")))


def _without_date(line: PageLine, language: str | None) -> Iterable[PageLine]:
    """Return a line in two where its last element is a date, behind more than a name."""
    at = max((i for i, p in enumerate(line.pieces) if p.text.strip()), default=0)
    text = line.pieces[at].text if line.pieces[at].part == "whole" else ""
    rest = line.text[: -len(text) or None]
    if not text or len(_WORD.findall(rest)) <= MAX_WORDS:
        return (line,)
    return parted(line, at) if _is_dated(text, language) else (line,)


def _is_dated(text: str, language: str | None) -> bool:
    """Return whether a short text begins with a date."""
    found = find_date(text, language) if len(text) <= MAX_BYLINE else None
    return found is not None and _LETTER.search(text, 0, found.span[0]) is None


def _kind(line: PageLine, dated: _Dated) -> tuple[str, ...]:
    """Return where a date stands: in which elements, between which marks, with or without an hour,
    at which end of its line."""
    return (
        _named(line.block),
        _inner(line),
        "".join(_MARKS.findall(dated.before.rstrip())),
        "time" if dated.date.has_time else "day",
        "" if _LETTER.search(dated.before) else "begin",
        "" if _LETTER.search(dated.after) else "end",
    )


def _place(line: PageLine) -> str:
    """Return tags and classes of the element that breaks the line and of the first one in it."""
    return f"{_named(line.block)}/{_inner(line)}"


def _inner(line: PageLine) -> str:
    first = next((p for p in line.pieces if p.text.strip()), line.pieces[0])
    return _named(first.node) if first.part == "whole" else ""


def _named(element: HtmlElement) -> str:
    return f"{element.tag}.{_NUMBERS.sub('', element.get('class') or '')}"


def learn_signed_lines(
    pages: Sequence[tuple[Page, datetime | None]],
) -> SignedLines | None:
    """Learn how the comments on a blog's posts are signed; None where nothing looks like it.

    ``pages``: of posts, and when these were published, where known.
    """
    read = [_Lines(page.tree) for page, _ in pages]
    days, template = [day for _, day in pages], _template(read)
    kinds = sorted(set(chain.from_iterable(one.kinds for one in read)))
    learners = [_Learner(kind, read, days, template) for kind in kinds]
    found = [learner for learner in learners if learner.learn()]
    best = max(found, key=lambda each: (len(each.all), each.rule.kind), default=None)
    return best.rule if best is not None else None


def _template(read: Sequence[_Lines]) -> set[int]:
    """Return the digests of the lines that many pages have."""
    counts = Counter(m for one in read for m in {mark(line.text) for line in one.lines})
    least = max(SEVERAL, SOME * len(read))
    return {m for m, count in counts.most_common(MAX_ELEMENTS) if count >= least}


class _Learner:
    """What lines of one kind say, over the pages of a blog."""

    def __init__(
        self,
        kind: tuple[str, ...],
        read: Sequence[_Lines],
        days: Sequence[datetime | None],
        template: set[int],
    ) -> None:
        self.read, self.template = read, template
        self.rule = SignedLines(kind=kind, template=sorted(template))
        self.found = [list(one.kinds.get(kind, ())) for one in read]
        self.days = days
        self.rule.is_posts, self.whole = self._has_posts(), self.found
        if self.rule.is_posts:
            self.found = [each[1:] for each in self.found]
        self.pairs = [pair for pair in zip(self.read, self.found, strict=True) if pair[1]]
        self.all = [(one, dated) for one, each in self.pairs for dated in each]

    def _has_posts(self) -> bool:
        """Return whether the first line of nearly all pages is the post's own."""
        firsts = [(each[0], day) for each, day in zip(self.found, self.days, strict=True) if each]
        is_usual = len(firsts) >= NEARLY_ALL * len(self.found)
        return is_usual and all(day is None or _is_same_day(one.date, day) for one, day in firsts)

    def learn(self) -> bool:
        """Learn the rule; return whether these are signatures of comments."""
        return self._recur() and self._learn_names() and self._is_signed() and self._learn_places()

    def _recur(self) -> bool:
        return self._varies() and self._are_own() and self._follow_each_other()

    def _ordered(self, dates: Sequence[DateMatch], day: datetime | None) -> bool:
        return in_order(dates, day, is_upward=self.rule.is_posts)

    def _learn_names(self) -> bool:
        self.rule.words = _usual_words([d.before + " " + d.after for _, d in self.all])
        is_near = self._are_named() or self._are_named_at(-1) or self._are_named_at(1)
        return is_near or self._are_named_first() or self._are_named_at(-2)

    def _learn_places(self) -> bool:
        self.rule.is_above = bool(self.rule.name_in) or self._are_above()
        self.rule.is_ruled = self._are_ruled()
        self.rule.day_first = proved_order(dated.date for _, dated in self.all)
        while not self.rule.is_above and self.rule.heads < NEAR and self._have_heads():
            self.rule.heads += 1
        return self._have_texts()

    def _varies(self) -> bool:
        counts = set(map(len, self.found))
        return len(self.pairs) >= SEVERAL and max(counts) > 1 and len(counts) > 1

    def _are_own(self) -> bool:
        """Return whether hardly a line stands on several pages, as lists of the latest comments
        do."""
        texts = [{one.lines[dated.at].text for dated in each} for one, each in self.pairs]
        pages = Counter(chain.from_iterable(texts))
        return _are_most(pages[one.lines[dated.at].text] < SEVERAL for one, dated in self.all)

    def _follow_each_other(self) -> bool:
        """Return whether the dates are in order on nearly all pages, and none is before the
        post's."""
        known = zip(self.whole, self.days, strict=True)
        ordered = [self._ordered(_dates(each), day) for each, day in known if each]
        return sum(ordered) >= NEARLY_ALL * len(ordered)

    def _are_named(self) -> bool:
        return _are_names([name_in(d.before, d.after, self.rule.words) for _, d in self.all])

    def _are_named_at(self, place: int) -> bool:
        """Learn whether the line at a place next to the date has the name."""
        lines = [_at(one.lines, dated.at + place) for one, dated in self.all]
        texts = ["" if line is None or _is_apart(line) else line.text for line in lines]
        if len({texts[i] for i in self._last()}) < 2 or not self._take_names(texts):
            return False
        self.rule.name_at = place
        return True

    def _last(self) -> list[int]:
        """Return the places of the pages' last lines among all: foot lines of the template stand
        behind these."""
        counts = [len(each) for each in self.found]
        return [sum(counts[: i + 1]) - 1 for i, count in enumerate(counts) if count]

    def _are_named_first(self) -> bool:
        """Learn whether the line behind a date has the next comment's name."""
        firsts = [one.lines[last.at + 1] for one, each in self.pairs for last in each[:-1]]
        places = {_place(line) for line in firsts}
        if len(places) != 1 or not self._take_names([line.text for line in firsts]):
            return False
        self.rule.name_in = places.pop()
        return True

    def _take_names(self, texts: Sequence[str]) -> bool:
        words = _usual_words(texts)
        names = [name_in(text, "", words) for text in texts]
        if not (_are_names(names) and _are_most(map(_is_short, names))):
            return False
        self.rule.words = sorted({*self.rule.words, *words})
        return True

    def _is_signed(self) -> bool:
        """Return whether anything else says that readers write here: hours, a field to write in, a
        label, or the words of bylines."""
        if "time" in self.rule.kind or any(map(SAYS.fullmatch, self.rule.words)):
            return True
        return any(_is_headed(one, each[0].at) or _is_asked(one, each) for one, each in self.pairs)

    def _have_texts(self) -> bool:
        """Return whether most signatures belong to a text."""
        made = chain.from_iterable(_Reading(page, self.rule).texts() for page in self.read)
        return sum(bool(one.text) for one in made) >= MOST * len(self.all)

    def _are_above(self) -> bool:
        """Return whether nothing of the page's own stands behind the last date of most pages."""
        behind = 1 + max(0, self.rule.name_at)
        ends = [one.begin(each[-1].at + behind, self.template) is None for one, each in self.pairs]
        return sum(ends) > len(ends) / 2

    def _have_heads(self) -> bool:
        """Return whether one more line before the signatures is made as no text is: a subject."""
        before = self.rule.heads + 1 - min(0, self.rule.name_at)
        heads = Counter(self._made(one, d.at - before) for one, d in self.all)
        texts = {self._made(one, d.at + 1 + max(0, self.rule.name_at)) for one, d in self.all}
        made, count = heads.most_common(1)[0]
        return count >= NEARLY_ALL * len(self.all) and made not in texts | {""}

    def _made(self, one: _Lines, at: int) -> str:
        """Return in which element a line begins; "" where none of the page's own does."""
        return "" if at < 0 or one.is_end(at, self.template) else _inner(one.lines[at])

    def _are_ruled(self) -> bool:
        """Return whether a horizontal rule stands before most texts above their dates."""
        behind = 1 + max(0, self.rule.name_at)
        starts = (one.lines[d.at + behind :] for one, each in self.pairs for d in each[:-1])
        return _are_most(start[0].is_ruled for start in starts if start)


def _dates(found: Sequence[_Dated]) -> list[DateMatch]:
    return [dated.date for dated in found]


def _usual_words(texts: Sequence[str]) -> list[str]:
    """Return the words, folded, that most of the texts have."""
    words = chain.from_iterable(set(_WORD.findall(text.casefold())) for text in texts)
    return sorted(w for w, count in Counter(words).items() if count >= MOST * len(texts))


def _are_most(flags: Iterable[bool]) -> bool:
    given = list(flags)
    return sum(given) >= MOST * len(given) > 0


def _is_headed(one: _Lines, at: int) -> bool:
    """Return whether a label of comments stands near before a line."""
    return any(is_label(line.text) for line in one.lines[:at][-NEAR:])


def _is_asked(one: _Lines, found: Sequence[_Dated]) -> bool:
    """Return whether a field to write in follows the lines."""
    return any(line.is_behind_field for line in one.lines[found[-1].at :])


def _at(lines: Sequence[PageLine], at: int) -> PageLine | None:
    return lines[at] if 0 <= at < len(lines) else None


def _is_same_day(found: DateMatch, day: datetime) -> bool:
    days = {found.moment.date(), (found.swapped or found.moment).date()}
    return day.date() in days


def in_order(
    dates: Sequence[DateMatch], published: datetime | None, *, is_upward: bool = False
) -> bool:
    """Return whether dates follow each other, in one order of day and month, and none is before
    the post's; upward where the first is the post's own: downward stand the posts of a list."""
    least = published.replace(tzinfo=None) - DAY if published is not None else datetime.min
    read = ([d.pick(order).replace(tzinfo=None) for d in dates] for order in (None, True, False))
    return any(min(ms, default=least) >= least and _is_sorted(ms, is_upward) for ms in read)


def _is_sorted(moments: list[datetime], is_upward: bool) -> bool:
    is_down = not is_upward and moments == sorted(moments, reverse=True)
    return is_down or moments == sorted(moments)


def name_in(before: str, after: str, words: Sequence[str]) -> str | None:
    """Return what is left of the texts around a date without the words that are usual there: a
    name, or nothing."""
    return _bare(before, words) or _bare(after, words) or None


def _bare(text: str, words: Sequence[str]) -> str:
    while True:
        text = _EDGES.sub("", text)
        found = list(_WORD.finditer(text))
        if found and found[0].start() == 0 and found[0][0].casefold() in words:
            text = text[found[0].end() :]
        elif found and found[-1].end() == len(text) and found[-1][0].casefold() in words:
            text = text[: found[-1].start()]
        else:
            return text if _LETTER.search(text) else ""


def _is_short(name: str | None) -> bool:
    return name is not None and len(_WORD.findall(name)) <= MAX_WORDS // 2


def _are_names(names: Sequence[str | None]) -> bool:
    """Return whether most of these are names, not all the same."""
    good = [n for n in names if n and len(_WORD.findall(n)) <= MAX_WORDS and len(n) <= MAX_BYLINE]
    return len(good) >= MOST * len(names) and len(set(good)) > 1


def signed_texts(root: HtmlElement, rule: SignedLines) -> list[SignedText]:
    """Return the comments on a page; empty where what is found cannot be all of this."""
    return _Reading(_Lines(root), rule).texts()


class _Reading:
    """The comments on one page."""

    def __init__(self, page: _Lines, rule: SignedLines) -> None:
        self.rule, self.template = rule, frozenset(rule.template)
        self.page, self.lines = page, page.lines
        found = self.page.kinds.get(rule.kind, [])
        own, dated = (found[:1], found[1:]) if rule.is_posts else ([], found)
        self.edge = own[0].at if own else -1
        self.dated = [*takewhile(self._may_sign, reversed(dated))][::-1]
        self.is_ordered = in_order(_dates([*own, *self.dated]), None, is_upward=rule.is_posts)

    def _may_sign(self, dated: _Dated) -> bool:
        """Return whether a line has a name or nothing where names stand: a day amid the post's text
        has a sentence there."""
        line = _at(self.lines, dated.at + self.rule.name_at)
        if self.rule.name_in or line is None:
            return True
        name = (
            line.text if self.rule.name_at else name_in(dated.before, dated.after, self.rule.words)
        )
        return len(name or "") <= MAX_BYLINE and len(_WORD.findall(name or "")) <= MAX_WORDS

    def texts(self) -> list[SignedText]:
        if not self.dated or not self.is_ordered:
            return []
        return self._above() if self.rule.is_above else self._below()

    def _ends(self, dated: _Dated) -> tuple[int, int]:
        """Return the first and last line of a signature."""
        other = min(len(self.lines) - 1, max(0, dated.at + self.rule.name_at))
        return min(dated.at, other) - self.rule.heads, max(dated.at, other)

    def _made(self, dated: _Dated, text: list[int]) -> SignedText:
        words = self.rule.words
        line = self.lines[dated.at]
        start = self._ends(dated)[0]
        head = self.lines[start : start + self.rule.heads]
        if self.rule.name_in:
            named = self.lines[text[0]] if text else None
            text = text[1:]
        elif self.rule.name_at:
            named = _at(self.lines, dated.at + self.rule.name_at)
        else:
            name = name_in(dated.before, dated.after, words)
            return SignedText(line, dated.date, name, None, head, self._own(text))
        name = name_in(named.text, "", words) if named is not None else None
        return SignedText(line, dated.date, name, named, head, self._own(text))

    def _own(self, text: Sequence[int]) -> list[PageLine]:
        return [self.lines[i] for i in text if not self.page.is_known(i, self.template)]

    def _below(self) -> list[SignedText]:
        starts = [self._ends(dated)[0] for dated in self.dated]
        last = self._ends(self.dated[-1])[1] + 1
        ends = [*starts[1:], self._end(self.page.begin(last, self.template) or last)]
        return [
            self._made(dated, list(range(self._ends(dated)[1] + 1, end)))
            for dated, end in zip(self.dated, ends, strict=True)
        ]

    def _end(self, at: int) -> int:
        """Return where the last comment ends whose text begins there."""
        while not self.page.is_end(at, self.template):
            at += 1
        return at

    def _above(self) -> list[SignedText]:
        first = self._start(self._ends(self.dated[0])[0])
        if first is None:
            return []
        starts = [first, *(self._ends(dated)[1] + 1 for dated in self.dated[:-1])]
        return [
            self._made(dated, list(range(start, self._ends(dated)[0])))
            for dated, start in zip(self.dated, starts, strict=True)
        ]

    def _start(self, end: int) -> int | None:
        """Return where the first comment begins whose text ends there; None where nothing bounds
        it."""
        for at in range(end - 1, self.edge, -1):
            line = self.lines[at]
            if self.rule.name_in and _place(line) == self.rule.name_in:
                return at
            if at in self.page.dated or self._bounds(at):
                return at + 1
            if self.rule.is_ruled and line.is_ruled:
                return at
        return self.edge + 1 if self.edge >= 0 else None

    def _bounds(self, at: int) -> bool:
        """Return whether a line is of no text. Behind the post's own signature links are: readers
        write addresses."""
        is_known = self.page.is_known(at, self.template)
        return is_known or (self.edge < 0 and _is_apart(self.lines[at]))


def without_signed_texts(page: Page, rule: SignedLines) -> tuple[Page, list[DateMatch]]:
    """Return the page without its comments, itself where it has none, and their dates."""
    tree = deepcopy(page.tree)
    reading = _Reading(_Lines(tree), rule)
    found = reading.texts()
    if not found:
        return page, []
    places = {line: at for at, line in enumerate(reading.lines)}
    own = {places[line] for one in found for line in _lines_of(one)}
    first, last = min(own), max(own)
    while first and _heads(reading, first - 1):
        first -= 1
    behind = reading.lines[last + 1 : last + 1 + NEAR]
    last += sum(1 for _ in takewhile(_is_control, behind))
    blank(reading.lines[first : last + 1])
    return _remade(page, tree), [one.date for one in found]


def _is_control(line: PageLine) -> bool:
    """Return whether a line is a link to answer the comment before it."""
    return not line.is_behind_field and not line.is_ruled and _is_apart(line)


def _heads(reading: _Reading, at: int) -> bool:
    """Return whether a line of the template heads comments, and is no byline of the post that says
    how many there are."""
    text = reading.lines[at].text
    is_byline = any(map(SAYS.fullmatch, _WORD.findall(text)))
    return is_label(text) and not is_byline and reading.page.is_known(at, reading.template)


def _lines_of(one: SignedText) -> Iterator[PageLine]:
    yield one.line
    yield from one.head
    yield from one.text
    if one.named is not None:
        yield one.named


def _remade(page: Page, tree: HtmlElement) -> Page:
    body = etree.tostring(tree, encoding="utf-8", method="html")
    headers = {**page.headers, "content-type": "text/html; charset=utf-8"}
    return replace(page, body=body, headers=headers)
