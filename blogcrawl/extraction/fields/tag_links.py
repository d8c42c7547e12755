"""Where a blog's pages name their tags: learned once from several pages, without the tags that all
of them show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from blogcrawl.core.evidence import FEW_PAGES, MAJORITY, MARGIN, MOST, SEVERAL, SOME
from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.single_page_tags import own_tags
from blogcrawl.extraction.fields.tag_sources import (
    CLOUD,
    SOURCES,
    SURE,
    read_lists,
    read_named,
    read_source,
)
from blogcrawl.induction import apply
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import Rule, Sample
from blogcrawl.induction.site_facts import TagFacts
from blogcrawl.text.similarity import folded

LIKE_FEED = 0.3
"""How alike the feed's tags a source's must be (mean Dice coefficient), where the feed has any."""
MANY_MORE = 3
"""How many times the tags of the post that has most a cloud has."""
NONE = FieldValue(value=[], method="metadata", confidence=SURE)


_OF_TAGS = (
    "meta article:tag",
    "rel=tag",
    "p-category",
    "tag links",
    "elements called tag",
    "links called tags",
)
OTHER_KIND: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(_OF_TAGS, ("category links",)),
    **dict.fromkeys(("category links", "tag and category links"), _OF_TAGS),
}
"""Where names of the other kind may stand: many feeds have categories only where the page has tags
as well, or the other way round.
"""


@dataclass(frozen=True, slots=True)
class _Place:
    """What one place gives on the pages of the samples."""

    tags: list[set[str]]
    """Tags of each page, without the theme's."""
    theme: dict[str, int]
    """Tags of the theme, with the times each stands on a page."""
    likeness: float | None
    """Mean Dice coefficient with the feed's tags; None where the feed has none."""

    @property
    def score(self) -> float:
        return LIKE_FEED if self.likeness is None else self.likeness


def learn_tags(samples: Sequence[Sample], rules: Sequence[Rule] = ()) -> TagFacts:
    """Learn where the pages name their tags.

    ``rules``: those for tags, which may return the theme's links too.
    """
    samples = spread(sorted(samples, key=lambda s: s.page.url), 2 * FEW_PAGES)
    if len(samples) < FEW_PAGES:
        return TagFacts()
    wanted = [{folded(tag) for tag in s.entry.tags} for s in samples]
    places = {name: _at(name, samples, wanted) for name in SOURCES}
    own = {n: p for n, p in places.items() if sum(map(bool, p.tags)) >= SOME * len(samples)}
    fitting = [name for name, place in own.items() if place.score >= LIKE_FEED]
    first = max(fitting, key=lambda name: own[name].score, default=None)
    second = _second({name: place.tags for name, place in own.items()}, first)
    best = own[first] if first else _Place([], _joint_theme(places.values()), 0.0)
    rule_template, source_first = _of_rules(samples, rules, wanted, best.score)
    return TagFacts(
        max_per_post=max(map(len, (*best.tags, *wanted))) or None,
        template=best.theme,
        source=first,
        second=second,
        second_template=own[second].theme if second else {},
        rule_template=rule_template,
        source_first=source_first,
    )


def _at(place: str, samples: Sequence[Sample], wanted: Sequence[set[str]]) -> _Place:
    """Compare the tags that a place gives with the feed's."""
    named = [Counter(map(folded, read_named(s.page, place))) for s in samples]
    return _compared(_tags_in(place, samples), wanted, _lists_in(place, samples), named)


def _tags_in(place: str, samples: Sequence[Sample]) -> list[Counter[str]]:
    """Return the tags, folded, that a place gives on each page, each with its count."""
    return [Counter(map(folded, read_source(s.page, place))) for s in samples]


def _lists_in(place: str, samples: Sequence[Sample]) -> list[list[list[str]]]:
    """Return the same tags by the list that they stand in."""
    return [[[*map(folded, tags)] for tags in read_lists(s.page, place)] for s in samples]


def _compared(
    found: Sequence[Counter[str]],
    wanted: Sequence[set[str]],
    lists: Sequence[list[list[str]]] = (),
    named: Sequence[Counter[str]] = (),
) -> _Place:
    """Part the tags found on each page into posts' and theme's, and compare them with the feed's
    (``wanted``). ``lists``: the tags of each page by the list that they stand in; ``named``: those
    in boxes named as ones about the post, which are not the theme's on any page.
    """
    others = [all_ - own for all_, own in zip(found, named, strict=True)] if named else found
    usual = {tag: times for tag, times in _usual(others, wanted).items() if times}
    usual |= _elsewhere(usual, found, lists)
    theme = {tag: times for tag, times in sorted(usual.items()) if times}
    left = [{tag for tag, times in tags.items() if times > theme.get(tag, 0)} for tags in found]
    alike = [_dice(tags, fed) for tags, fed in zip(left, wanted, strict=True) if fed]
    return _Place(left, theme, sum(alike) / len(alike) if alike else None)


def _joint_theme(places: Iterable[_Place]) -> dict[str, int]:
    """Return the theme's tags of all places, each as often as where it stands most often."""
    joint: dict[str, int] = {}
    for place in places:
        joint |= {tag: max(times, joint.get(tag, 0)) for tag, times in place.theme.items()}
    return dict(sorted(joint.items()))


def _of_rules(
    samples: Sequence[Sample], rules: Sequence[Rule], wanted: Sequence[set[str]], score: float
) -> tuple[dict[str, int], bool]:
    """Return the theme's tags that the rules return, and whether the source, with this score, is
    better than the rules.
    """
    if not rules:
        return {}, False
    of_rules = _compared(
        [
            Counter(
                map(folded, chain.from_iterable(apply.tags(s.page.tree, rule) for rule in rules))
            )
            for s in samples
        ],
        wanted,
    )
    is_better = of_rules.likeness is not None and score > of_rules.likeness + MARGIN
    return of_rules.theme, is_better


def _second(own: Mapping[str, Sequence[set[str]]], first: str | None) -> str | None:
    """Return the place that names what ``first`` does not (None: no page has the feed's tags),
    where the theme has one.

    ``own``: the tags of each page by place.
    """
    for source in OTHER_KIND.get(first, ()) if first else _OF_TAGS:
        found = own.get(source, ())
        pairs = [(tags, own[first][i] if first else set()) for i, tags in enumerate(found) if tags]
        is_usual = len(pairs) >= SOME * max(1, len(found))
        if is_usual and sum(_dice(*pair) for pair in pairs) < MAJORITY * len(pairs):
            return source
    return None


def _usual(found: Sequence[Counter[str]], wanted: Sequence[set[str]]) -> dict[str, int]:
    """Return how often each tag stands on most of the pages of posts that don't have it according
    to the feed.
    """
    out = {}
    for tag in set().union(*found):
        times = sorted(tags[tag] for tags, fed in zip(found, wanted, strict=True) if tag not in fed)
        if len(times) >= SEVERAL:
            out[tag] = times[int((1 - MOST) * len(times))]
    return out


def _elsewhere(
    usual: Mapping[str, int],
    found: Sequence[Counter[str]],
    lists: Sequence[list[list[str]]],
) -> dict[str, int]:
    """Return how often the tags of most posts stand outside of the posts' own lists. A tag that
    hardly ever stands in one is left out.

    A list that most pages have alike is a cloud, however short."""
    pages = Counter(tags for page in lists for tags in {tuple(sorted(tags)) for tags in page})
    posts = [
        [tags for tags in page if pages[tuple(sorted(tags))] <= MAJORITY * len(lists)]
        for page in lists
    ]
    own = [_own_lists(*page, usual) for page in zip(found, posts, strict=False)]
    out = {}
    for tag in usual:
        left = sorted(
            all_[tag] - mine[tag] for all_, mine in zip(found, own, strict=False) if mine[tag]
        )
        if len(left) >= SOME * len(found):
            out[tag] = min(usual[tag], left[int((1 - MOST) * len(left))])
    return out


def _own_lists(
    found: Counter[str], lists: Sequence[list[str]], usual: Mapping[str, int]
) -> Counter[str]:
    """Return the tags of the post's own lists on a page: the shortest ones with tags that stand
    there more often than on most pages.
    """
    unusual = [tag for tag, times in found.items() if times > usual.get(tag, 0)]
    of_each = [[tags for tags in lists if tag in tags] for tag in unusual]
    own = {id(tags): tags for some in of_each if some for tags in [min(some, key=len)]}
    return Counter(chain.from_iterable(own.values()))


def tags_of(page: Page, facts: TagFacts | None, values: Sequence[FieldValue]) -> list[FieldValue]:
    """Return candidates for the page's tags: those of the rules and methods and of the learned
    source, without the theme's.
    """
    if facts is None:
        return own_tags(page, values)
    if facts.source not in SOURCES:
        out = without_theirs(values, facts)
        if not out and facts.max_per_post is None:  # an older post may have some all the same
            out = without_theirs(own_tags(page, ()), facts)
    else:
        out = _of_rules_or_source(page, values, facts)
    out = out or ([NONE] if facts.second else [])
    return [
        replace(value, value=tags) for value in out if (tags := more_tags(value.value, page, facts))
    ]


def _of_rules_or_source(
    page: Page, values: Sequence[FieldValue], facts: TagFacts
) -> list[FieldValue]:
    """Return the candidates of the rules, and of the learned source where it would win."""
    of_rules = [value for value in values if value.method == "rules"]
    out = without_theirs([] if facts.source_first else of_rules, facts)
    if not any(value.confidence >= SURE for value in out):
        source = learned_source(page, facts)
        out += without_theirs([source] if source is not None else [], facts)
    return out


def more_tags(tags: Sequence[str], page: Page, facts: TagFacts | None) -> list[str]:
    """``tags`` and those of the place that was learned to name what they leave out."""
    second = _read(page, facts.second) if facts is not None else None
    if facts is None or second is None:
        return list(tags)
    have = set(map(folded, tags))
    found = without_theirs([second], facts, facts.second_template)
    return [*tags, *(tag for value in found for tag in value.value if folded(tag) not in have)]


def learned_source(page: Page, facts: TagFacts | None) -> FieldValue | None:
    """Return what stands where the blog's tags were learned to stand; None where no such place was
    learned.
    """
    return _read(page, facts.source) if facts is not None else None


def _read(page: Page, source: str | None) -> FieldValue | None:
    """Return what one of the sources gives on the page."""
    if source is None or source not in SOURCES:
        return None
    return FieldValue(
        value=read_source(page, source), method="metadata", confidence=SURE, rule=source
    )


def without_theirs(
    values: Sequence[FieldValue], facts: TagFacts | None, template: Mapping[str, int] | None = None
) -> list[FieldValue]:
    """Return the candidates without the tags that are the theme's, and without those of which
    nothing is left. ``template``: the theme's where the candidates are of another than the first
    source.
    """
    facts = facts or TagFacts()
    others = facts.template if template is None else template
    cleaned = []
    for value in values:
        theirs = facts.rule_template if value.method == "rules" else others
        tags = [value.value] if isinstance(value.value, str) else list(value.value)
        times = Counter(map(folded, tags))
        if _is_cloud(len(times), facts.max_per_post):
            theirs = {tag: max(1, theirs.get(tag, 0)) for tag in times}
        kept = list(
            {
                folded(tag): tag for tag in tags if times[folded(tag)] > theirs.get(folded(tag), 0)
            }.values()
        )
        if kept:
            cleaned.append(
                FieldValue(
                    value=kept,
                    method=value.method,
                    confidence=value.confidence,
                    rule=value.rule,
                    raw=value.raw,
                )
            )
    return cleaned


def _is_cloud(count: int, most: int | None) -> bool:
    """Return whether these are far more than any post has: an older theme's cloud, in which the
    post's own stand once more than the others.
    """
    return most is not None and count > max(CLOUD, MANY_MORE * most)


def _dice(a: set[str], b: set[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))
