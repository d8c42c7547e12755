"""Key-paths as one method among the others: fields by path, and whether the page is a post
(adaptive-post-recognition).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue
from blogcrawl.dates.patterns import read_pattern
from blogcrawl.dates.url_date import url_near
from blogcrawl.extraction.protocols import Extractor
from blogcrawl.induction import key_paths as keypath
from blogcrawl.induction.apply import is_visible
from blogcrawl.induction.date_rules import DatedElements
from blogcrawl.induction.induce import MAX_SAMPLES, language_of
from blogcrawl.induction.learn import Prepared
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import long_enough, strip_by
from blogcrawl.text.visible import node_text

FIELDS = ("content", "title", "authors", "published")


def _prepared(samples: Sequence[Sample]) -> tuple[list[Sample], list[Prepared]]:
    """Return the samples to learn from, each page once, and those with words, prepared."""
    unique = {s.page.url: s for s in samples}
    picked = [unique[url] for url in sorted(unique)[:MAX_SAMPLES]]
    return picked, [Prepared.of(sample) for sample in picked if _has_words(sample.entry)]


def _has_words(entry: FeedEntry) -> bool:
    return any((entry.title, entry.content_html, entry.summary_html))


class KeyPaths:
    """Content, title, authors and published by merged key-paths; the content's path is the key-path
    of the blog.
    """

    name = "keypath"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        """Return the paths of each field with their support; None where no feed value is found on
        any page.
        """
        picked, prepared = _prepared(samples)
        nodes: dict[str, list[tuple[Prepared, int]]] = defaultdict(list)
        patterns: list[str] = []
        languages = [code for code in (language_of(picked), "en") if code]
        for p in prepared:
            for field, i in self._find(p, languages, patterns).items():
                nodes[field].append((p, i))
        if not nodes:
            return None
        slot: dict[str, Any] = {"tried": len(prepared)}
        slot |= {field: _merged_paths(found, len(prepared)) for field, found in nodes.items()}
        slot["authors"] = [path for path in slot.get("authors", ()) if _follows(prepared, path)]
        if patterns:
            slot["pattern"] = max(sorted(set(patterns)), key=patterns.count)
        return RuleSet(methods={self.name: slot})

    @staticmethod
    def _find(p: Prepared, languages: Sequence[str], patterns: list[str]) -> dict[str, int]:
        """Return the elements with the feed's values by field, and append the date's pattern."""
        out: dict[str, int | None] = {"content": _content_element(p)}
        anchor = p.index.body if out["content"] is None else out["content"]
        out["title"] = keypath.nearest(p.index, _title_elements(p), anchor)
        for author in p.target.authors[:1]:
            names = [i for i in _elements_of(p, author) if p.index.length(i) <= 8]
            out["authors"] = keypath.nearest(p.index, names, anchor)
        reader = DatedElements(languages, False)
        day = reader.nearest(p, lambda found: keypath.by_nearness(p.index, found, anchor))
        out["published"] = day
        if day is not None:
            patterns += filter(None, [reader.first(p, p.index.text(day))])
        return {field: i for field, i in out.items() if i is not None}

    def extract(self, page: Page, ruleset: RuleSet | None) -> Fields | None:
        return self._said(page, ruleset, FIELDS)

    def supplement(self, page: Page, ruleset: RuleSet | None, have: Sequence[str]) -> Fields | None:
        """Return the same of the fields that are not known: each costs a walk over the page."""
        return self._said(page, ruleset, [field for field in FIELDS if field not in have])

    def _said(self, page: Page, ruleset: RuleSet | None, fields: Sequence[str]) -> Fields | None:
        slot = ruleset.slot(self.name) if ruleset else None
        if not slot:
            return None
        out: Fields = {}
        tried = max(1, int(slot["tried"]))
        for field in fields:
            for data, count, ordinal in slot.get(field, ()):
                path = keypath.from_json(data)
                value, raw = _value(page, path, field, slot.get("pattern"), ordinal)
                if value is not None:
                    sure = round(
                        min(0.85, 0.8 * (count + 1) / (tried + 2))
                        * min(1.0, keypath.specific(path) / 3),
                        3,
                    )
                    found = FieldValue(
                        value=value,
                        method=self.name,
                        confidence=sure,
                        rule=keypath.show(path),
                        raw=raw,
                    )
                    out.setdefault(field, []).append(found)
                    break
        return out or None

    def recognise(self, page: Page, ruleset: RuleSet) -> float | None:
        """Return how well the page matches the blog's key-path: 0..1, None without a learned
        path."""
        slot = ruleset.slot(self.name)
        if not slot or not slot.get("content"):
            return None
        for data, count, _ordinal in slot["content"]:
            if next(keypath.match(page.tree, keypath.from_json(data)), None) is not None:
                return round(min(1.0, (count + 1) / (int(slot["tried"]) + 1)), 3)
        return 0.0


def _ordinal(path: keypath.Path, nodes: Sequence[tuple[Prepared, int]]) -> int:
    """Which of a path's matches is the right one on most samples: a short path hits other nodes
    before it.
    """
    votes = []
    for p, i in nodes:
        for at, element in enumerate(keypath.match(p.index.elements[0], path)):
            if element is p.index.elements[i]:
                votes.append(at)
                break
    return max(sorted(set(votes)), key=votes.count, default=0)


def _follows(prepared: Sequence[Prepared], merged: Sequence[Any]) -> bool:
    """Return whether the text at a merged path changes where the posts' authors do."""
    known = [p for p in prepared if p.target.authors]
    if len({tuple(p.target.authors) for p in known}) < 2:
        return True
    path, at = keypath.from_json(merged[0]), merged[2]
    found = (islice(keypath.match(p.index.elements[0], path), at, at + 1) for p in known)
    return len({node_text(element) for elements in found for element in elements}) > 1


def _merged_paths(found: Sequence[tuple[Prepared, int]], tried: int) -> list[list[Any]]:
    """Return the merged paths of a field's elements with their support and place; one page is too
    few where more than three were ``tried``."""
    least = 1 if tried <= 3 else 2
    paths = [keypath.path_of(p.index, i) for p, i in found]
    return [
        [keypath.to_json(path), count, _ordinal(path, found)]
        for path, count in keypath.cluster(paths)[:4]
        if count >= least
    ]


def _elements_of(p: Prepared, text: str) -> Sequence[int]:
    """Return the elements that hold all words of a text."""
    return keypath.find(p.index, text, least=len(text.split()) or 1) if text else ()


def _title_elements(p: Prepared) -> list[int]:
    """Return the elements with the title and few words more; of a long title, all with it."""
    longest = 2 * len(p.target.title.split()) + 6
    return [
        i
        for i in _elements_of(p, p.target.title)
        if p.index.length(i) <= longest or p.target.run > 3
    ]


def _content_element(p: Prepared) -> int | None:
    """Return the element that holds the content best."""
    if not long_enough(p.target):
        return None
    matches = keypath.find(p.index, " ".join(p.target.words[:60]), least=6)
    if not matches:
        return None
    best = max(matches, key=lambda i: (p.hit(i), -i))
    return keypath.generalise(p.index, best, p.hits, p.sample.entry.is_full)


def _value(
    page: Page, path: keypath.Path, field: str, pattern: str | None, ordinal: int
) -> tuple[Any, str | None]:
    """Return the first match that is not empty, as the field's type."""
    for at, element in enumerate(keypath.match(page.tree, path)):
        if at > 20:
            break
        if at < ordinal or not is_visible(element):
            continue
        if field == "content":
            return element, None
        text = node_text(element)
        if field == "title":
            return (text, None) if len(text) <= 300 else (None, None)
        if field == "authors":
            name = strip_by(text)
            return ([name], None) if 0 < len(name) <= 80 else (None, None)
        when = read_pattern(pattern, text, url_near(page.url)) if pattern else None
        if when is not None:
            return when.aware(), when.text
    return None, None


_: Extractor = KeyPaths()
