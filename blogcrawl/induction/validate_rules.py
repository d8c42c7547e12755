"""Rules learned from a few pages, tried on the blog's others: where they are right there too, those
pages add nothing.

Applying a rule costs a hundredth of reading a page into tables. So a few pages propose, all pages
judge, and only a page that is unlike the few (another template, an older theme) is read as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median_high

from lxml import etree
from lxml.html import HtmlElement
from msgspec.structs import replace

from blogcrawl.core.evidence import SOME
from blogcrawl.dates.url_date import url_near
from blogcrawl.induction import apply
from blogcrawl.induction.learn import Prepared, spread
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import Target, author_score, tags_score, title_score
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import loose_text

FEW, FIRST = 2, 5
"""Pages read first. Two where all rules are right on them and the content is just the feed's text;
else five: two templates show among them, and a chance match on all is unlikely."""
NOT_WORSE = 0.02
"""How much less alike to the feed's text than on the first pages content may be: parts that only
some pages have show in it.
"""
RIGHT = {
    "content": 0.75,
    "title": 0.85,
    "authors": 0.5,
    "published": 0.5,
    "modified": 0.5,
    "tags": 0.6,
}
"""Scores from which a rule counts as right, as in the learning of each field."""
TARGET_FIELDS = {
    "content": "has_text",
    "published": "days",
    "modified": "modified_days",
}
TARGET_FIELDS |= {name: name for name in ("title", "authors", "tags")}
"""What a target calls each field."""
WATCHED = ("title", "authors", "published")
"""Fields whose rules must be right on every page read first."""
TRIED = (*WATCHED, "tags")
"""Fields whose rules must be right on a page for it to be like the first ones."""
HEAD = 4
"""How many times an excerpt's length is looked through for it."""
_TEXT = etree.XPath("string()", smart_strings=False)
"""All text inside an element, that of scripts too: a fifth of the time of the visible text, which
it is in most posts.
"""
Found = dict[str, list[Rule]]


class Trials:
    """What rules score on pages; every rule is tried on a page once, every content node compared
    once.

    ``read``: the pages on which they were learned; ``full``: whether most entries are whole posts.
    """

    def __init__(self, found: Found, full: bool, read: Sequence[Prepared]) -> None:
        self.found, self.full, self._read = found, full, dict.fromkeys(RIGHT, read)
        self._past: list[Found] = []  # rules are known by their place in memory
        self._scores: dict[tuple[int, int], float | None] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._contents: dict[tuple[HtmlElement, int], float] = {}

    def is_settled(self, name: str, read: Sequence[Prepared], pages: Sequence[Prepared]) -> bool:
        """Return whether the first rule of a field is right on every page read, and the content
        just the feed's text on them: what is to be dropped may show on other pages. Where there is
        something to drop it must leave just the feed's text on all pages. That no rule finds an
        author, or a date where no page shows any, is no doubt: many themes name none."""
        rules = self.found[name]
        if name == "content.drop":
            with_text = [p for p in (pages if rules else read) if p.target.has_text]
            return all(self._as_read("content", p) == 1.0 for p in with_text)
        known = sum(bool(_wanted(name, p)) for p in read) if name in WATCHED else 0
        if not known or rules:
            return not known or rules[0].support_right >= known
        return name == "authors" or (name == "published" and not any(map(_shows_dates, read)))

    def holds(self, name: str, few: Sequence[Prepared], pages: Sequence[Prepared]) -> bool:
        """Return whether a field's rules from few pages are on all of these as good as on the few;
        where there is no rule, whether no value is wanted.
        """
        is_wanted = partial(_wanted, name)
        known = list(filter(is_wanted, pages))
        if not known or not self.found[name]:
            return not known
        if name == "authors" and not _several(few) and _several(pages):
            return False
        least = min((self._score_read(name, p) for p in filter(is_wanted, few)), default=0.0)
        return least >= RIGHT[name] and all(
            self._score_read(name, p) >= least - NOT_WORSE for p in known
        )

    def _score_read(self, name: str, p: Prepared) -> float:
        return self._as_read(name, p) or 0.0

    def renew(self, found: Found, read: Sequence[Prepared]) -> None:
        """Rules of some fields, learned anew on those pages."""
        if "content" in found:
            self._counts.clear()
            self._contents.clear()
        self._past.append(self.found)
        self.found = {**self.found, **found}
        self._read |= dict.fromkeys(found, read)

    def unlike(
        self, first: Sequence[Prepared], rest: Sequence[Prepared]
    ) -> dict[Prepared, set[str]]:
        """Return those of the rest on which the rules are worse than on the first pages, or that
        have a field which hardly any of those has; for each in which fields.
        """
        if not rest or not self.found.get("content"):
            return {p: {"content"} for p in rest}
        odd = self._unlike_content(first, rest)
        for p in self._erring(first, rest):
            odd.setdefault(p, set())
        if not _several(first):
            for p in _several(rest):
                odd.setdefault(p, set()).add("authors")
        for p, fields in odd.items():
            fields.update(name for name in TRIED if self._wrong(name, p))
        return odd

    def _unlike_content(
        self, first: Sequence[Prepared], rest: Sequence[Prepared]
    ) -> dict[Prepared, set[str]]:
        """Return the pages with worse content or more nodes of it than the first ones, and those
        with fields that too few of the first have to learn a rule.
        """
        most = self.returned("content", first)
        repeated = [p for p in rest if self.returned("content", [p]) > most]
        odd = {p: {"content"} for p in (*self._with_worse_content(first, rest), *repeated)}
        unseen = self._unseen_fields(first)
        for p in rest:
            if p not in repeated and any(_wanted(name, p) for name in unseen):
                odd.setdefault(p, set()).update(unseen)
        return odd

    def _unseen_fields(self, first: Sequence[Prepared]) -> set[str]:
        """Return the fields without a rule that too few of the first pages have to learn one."""
        return {
            name
            for name in TRIED
            if not self.found.get(name) and sum(bool(_wanted(name, p)) for p in first) < FEW
        }

    def _with_worse_content(
        self, first: Sequence[Prepared], rest: Sequence[Prepared]
    ) -> list[Prepared]:
        """Return those of the rest whose content is less like the feed's text than is usual on the
        first pages.
        """
        if not any(self._short_of("content", p, 1.0) for p in rest):
            return []
        usual = median_high(self._as_read("content", p) or 0.0 for p in first)
        return [p for p in rest if self._short_of("content", p, usual)]

    def _erring(self, first: Sequence[Prepared], rest: Sequence[Prepared]) -> Iterator[Prepared]:
        """Yield the pages with an error in a field that is rarely wrong on the first pages: where
        it often is, an error on another page shows nothing.
        """
        for name in TRIED:
            wrong = [p for p in rest if self._wrong(name, p)]
            if wrong and sum(self._wrong(name, p) for p in first) <= SOME * len(first):
                yield from wrong

    def returned(self, name: str, pages: Sequence[Prepared]) -> int:
        """Return the most nodes with text that a field's best rule returns on a page: more of them
        on a page mean a list of posts.
        """
        rule, most = max(self.found[name], key=lambda rule: rule.support_right), 1
        for p in pages:
            key = (name, id(p))
            if key not in self._counts:
                self._counts[key] = apply.counted(p.sample.page.tree, rule)
            most = max(most, self._counts[key])
        return most

    def tallied(self, pages: Sequence[Prepared]) -> Found:
        """Return the rules with the pages counted on which they were only tried, less those that
        are wrong on more of these than they are right on of all, or say nothing on most pages and
        nothing new on the others: such a rule is no other template's, and finds parts of posts on
        pages to come."""
        out = dict(self.found)
        for name in RIGHT:
            if name in out:
                rest = [p for p in pages if p not in self._read[name]]
                # those that are asked only where the first is silent need not be tried everywhere
                others = spread(rest, FIRST)
                counted = (
                    self._counted(name, rule, others if n else rest)
                    for n, rule in enumerate(out[name])
                )
                out[name] = list(filter(None, counted))
        if self.full:
            content = out.get("content", [])
            out["content"] = [
                rule for rule in content if not self._adds_nothing(rule, content, pages)
            ]
        return out

    def _adds_nothing(self, rule: Rule, others: Sequence[Rule], pages: Sequence[Prepared]) -> bool:
        if 2 * rule.support_right >= rule.support_tried:
            return False
        own = {
            id(p): score
            for p in pages
            if (score := self._score("content", rule, p) or 0.0) >= RIGHT["content"]
        }
        better = [other for other in others if other.support > rule.support]
        return any(
            all(
                (self._score("content", other, p) or 0.0) >= own[id(p)]
                for p in pages
                if id(p) in own
            )
            for other in better
        )

    def _counted(self, name: str, rule: Rule, rest: Sequence[Prepared]) -> Rule | None:
        said = [self._score(name, rule, p) for p in rest if _wanted(name, p)]
        if not said:
            return rule
        scores = [score or 0.0 for score in said]
        right = sum(score >= RIGHT[name] for score in scores)
        wrong = sum(score is not None for score in said) - right
        if wrong > right + rule.support_right:
            return None
        tried = rule.support_tried + len(scores)
        mean = (rule.mean_score * rule.support_tried + sum(scores)) / tried
        return replace(
            rule,
            support_right=rule.support_right + right,
            support_tried=tried,
            mean_score=round(mean, 4),
        )

    def _short_of(self, name: str, p: Prepared, usual: float) -> bool:
        # an excerpt among whole posts shows which node is the post, not how much of it: its end is
        # cut, or the engine's own
        least = RIGHT[name] if self.full and not p.sample.entry.is_full else usual - NOT_WORSE
        return bool(_wanted(name, p)) and (self._as_read(name, p) or 0.0) < least

    def _wrong(self, name: str, p: Prepared) -> bool:
        if not self.found.get(name) or not _wanted(name, p):
            return False
        score = self._as_read(name, p)
        return score is None or score < RIGHT[name]

    def _as_read(self, name: str, p: Prepared) -> float | None:
        """Score of the first rule that says anything."""
        for rule in self.found.get(name, ()):
            score = self._score(name, rule, p)
            if score is not None:
                return score
        return None

    def _score(self, name: str, rule: Rule, p: Prepared) -> float | None:
        """Return how right a rule is on a page; None where it returns nothing."""
        key = (id(rule), id(p))
        if key not in self._scores:
            self._scores[key] = (
                self._content(rule, p) if name == "content" else _score(name, rule, p)
            )
        return self._scores[key]

    def _content(self, rule: Rule, p: Prepared) -> float | None:
        tree = p.sample.page.tree
        node = apply.content_node(tree, rule)
        if node is None:
            return None
        key = (node, id(p))
        if key not in self._contents:
            self._contents[key] = self._alike(node, p.target, self.full and p.sample.entry.is_full)
        return self._contents[key]

    def _alike(self, node: HtmlElement, target: Target, full: bool) -> float:
        """Return the share of words that a node, without the parts to be dropped, and the feed's
        text have in common; of an excerpt's words, the share that the node has."""
        drops = self.found.get("content.drop", ())
        parts = _outermost([part for drop in drops for part in apply.elements(node, drop)])
        letters = _letters(node, parts) if full else ""
        if letters and letters == target.letters:
            return 1.0
        text = loose_text(node)
        if not full and target.words and _begins_with(text, target, parts):
            return 1.0
        have, want = _vocabulary(text, parts), target.vocabulary
        whole = (len(have) + len(want)) / 2 if full else len(want)
        return len(want & have) / whole if whole else float(bool(have))


def _vocabulary(text: str, parts: Sequence[HtmlElement]) -> set[str]:
    """Return the words of a text without those that occur in its parts only."""
    times = Counter(tokens(text))
    gone = Counter(word for part in parts for word in tokens(loose_text(part)))
    return times.keys() - {word for word, count in gone.items() if times[word] <= count}


def _letters(node: HtmlElement, parts: Sequence[HtmlElement]) -> str:
    """Return the text of a node without white space, and without that of the parts in it."""
    text, *gone = ("".join(str(_TEXT(each)).split()) for each in (node, *parts))
    for part in gone:
        text = text.replace(part, "", 1)
    return text


def _begins_with(text: str, target: Target, parts: Sequence[HtmlElement]) -> bool:
    """Return whether all words of an excerpt stand at the beginning of a text, each once more than
    in all its parts: the rest need not be read.
    """
    head = text[: HEAD * len(target.text)]
    if len(head) < len(text):
        head = head.rpartition(" ")[0]
    left = Counter(tokens(head))
    left.subtract(word for part in parts for word in tokens(loose_text(part)))
    return all(left[word] > 0 for word in target.vocabulary)


def _outermost(parts: Sequence[HtmlElement]) -> list[HtmlElement]:
    chosen = set(parts)
    return [part for part in chosen if chosen.isdisjoint(part.iterancestors())]


def _several(pages: Sequence[Prepared]) -> list[Prepared]:
    """Those of several authors: of one, a rule for the first name in the byline is right."""
    return [p for p in pages if len(p.target.authors) > 1]


def _wanted(name: str, p: Prepared) -> object:
    """Return what the feed says of a field."""
    return getattr(p.target, TARGET_FIELDS[name])


def _score(name: str, rule: Rule, p: Prepared) -> float | None:
    score = _SCORES.get(name)
    return score(rule, p) if score is not None else _date_score(name, rule, p)


def _title_score(rule: Rule, p: Prepared) -> float | None:
    text = apply.title(p.sample.page.tree, rule)
    return None if text is None else title_score(text, p.target)


def _author_score(rule: Rule, p: Prepared) -> float | None:
    names = apply.authors(p.sample.page.tree, rule)
    return author_score(", ".join(names), p.target) if names else None


def _tags_score(rule: Rule, p: Prepared) -> float | None:
    tags = apply.tags(p.sample.page.tree, rule)
    return tags_score(tags, p.target) if tags else None


_SCORES: Mapping[str, Callable[[Rule, Prepared], float | None]] = {
    "title": _title_score,
    "authors": _author_score,
    "tags": _tags_score,
}


def _date_score(name: str, rule: Rule, p: Prepared) -> float | None:
    page, target = p.sample.page, p.target
    when = apply.when(page.tree, rule, url_near(page.url), page.fetched_at)
    if when is None:
        return None
    days = target.modified_days if name == "modified" else target.days
    is_relative = rule.pattern is not None and rule.pattern.endswith("|relative")
    usual = min(
        1.0, rule.mean_score * rule.support_tried / max(1, rule.support_right)
    )  # where the rule was right
    return usual if is_relative or when.days() & days else 0.0


def _shows_dates(p: Prepared) -> bool:
    return any(p.dated.values())
