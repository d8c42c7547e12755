"""Where a blog's pages name their tags: learned once from pages, told from what is the same on all
of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.single_page_tags import own_tags
from blogcrawl.extraction.fields.tag_sources import SOURCES, SURE, read_source
from blogcrawl.induction import apply
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import Rule, Sample
from blogcrawl.text.similarity import folded

MAX_PAGES, MIN_PAGES = 8, 4
"""Pages on which sources are compared, and that must be there to tell what is the same on all."""
UNTOLD = 2
"""Pages of posts without a tag that must show it to tell that the theme does."""
SAME = 0.8
"""Share of the pages from which a tag that no feed knows is the theme's."""
SEEN = 0.15
"""Share of the pages that must have tags left."""
LIKE_FEED = 0.3
"""How alike the feed's tags a source's must be (mean Dice coefficient), where the feed has any."""
MORE = 0.3
"""Share of the pages that must name tags in a second place for that place to be learned."""
BETTER = 0.02
"""How much more like the feed's the tags of a source must be than those of the rules to be asked in
their place.
"""
OTHERS = 0.5
"""How alike the names of two places are that say different things (mean Dice coefficient); a tag
may be called like a category.
"""
CLOUD, MANY_MORE = 20, 3
"""Tags of a page beyond which it shows a cloud, where they are also so many times those of the post
that has most.
"""
NONE = FieldValue(value=[], method="metadata", confidence=SURE)


_OF_TAGS = ("meta article:tag", "rel=tag", "p-category", "tag links", "elements called tag")
BESIDE: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(_OF_TAGS, ("category links",)),
    **dict.fromkeys(("category links", "tag and category links"), _OF_TAGS),
}
"""Where names of the other kind may stand: many feeds tell categories only where the page has tags
as well, or the other way round.
"""


def learn_tags(samples: Sequence[Sample], rules: Sequence[Rule] = ()) -> dict[str, object]:
    """For the rule set's constants: ``tag_source`` (a key of SOURCES) where one tells tags of
    posts, and ``no_tags``: folded names of what is the theme's there, with the times it stands on a
    page. ``rules``: those for tags, which may return the theme's links too."""
    samples = spread(sorted(samples, key=lambda s: s.page.url), MAX_PAGES)
    if len(samples) < MIN_PAGES:
        return {}
    wanted = [{folded(tag) for tag in s.entry.tags} for s in samples]
    same: dict[str, int] = {}
    best: tuple[float, str, dict[str, int]] | None = None
    own: dict[str, list[set[str]]] = {}
    theme: dict[str, dict[str, int]] = {}
    for source in SOURCES:
        said = [Counter(folded(tag) for tag in read_source(s.page, source)) for s in samples]
        usual = _usual(said, wanted)
        same |= {tag: max(times, same.get(tag, 0)) for tag, times in usual.items() if times}
        left = [{tag for tag, times in tags.items() if times > usual.get(tag, 0)} for tags in said]
        if sum(map(bool, left)) < SEEN * len(samples):
            continue
        own[source], theme[source] = (
            left,
            {tag: times for tag, times in sorted(usual.items()) if times},
        )
        alike = [_dice(tags, told) for tags, told in zip(left, wanted, strict=True) if told]
        score = sum(alike) / len(alike) if alike else LIKE_FEED
        if score >= LIKE_FEED and (best is None or score > best[0]):
            best = (score, source, usual)
    more = _second(own, best[1] if best else None)
    told: dict[str, object] = {
        "most_tags": max(map(len, (*(own[best[1]] if best else ()), *wanted))),
        "no_tags": {
            tag: times for tag, times in sorted((best[2] if best else same).items()) if times
        },
        "tag_source": best[1] if best else None,
        "more_tags": more,
        "no_more_tags": theme[more] if more else None,
        **_of_rules(samples, rules, wanted, best[0] if best else 0.0),
    }
    return {name: value for name, value in told.items() if value}


def _of_rules(
    samples: Sequence[Sample], rules: Sequence[Rule], wanted: Sequence[set[str]], score: float
) -> dict[str, object]:
    """``no_rule_tags``: what the rules return that is the theme's; ``source_first``: whether the
    source, with this score, tells better.
    """
    if not rules:
        return {}
    said = [
        Counter(map(folded, chain.from_iterable(apply.tags(s.page.tree, rule) for rule in rules)))
        for s in samples
    ]
    usual = {tag: times for tag, times in sorted(_usual(said, wanted).items()) if times}
    pairs = [
        ({tag for tag, times in tags.items() if times > usual.get(tag, 0)}, told)
        for tags, told in zip(said, wanted, strict=True)
    ]
    alike = [_dice(*pair) for pair in pairs if pair[1]]
    return {
        "no_rule_tags": usual,
        "source_first": bool(alike) and score > sum(alike) / len(alike) + BETTER,
    }


def _second(own: Mapping[str, Sequence[set[str]]], first: str | None) -> str | None:
    """The place that names what ``first`` does not (None: what the feed tells stands on no page),
    where the theme has one.

    ``own``: what each place says of each page."""
    for source in BESIDE.get(first, ()) if first else _OF_TAGS:
        said = own.get(source, ())
        pairs = [(tags, own[first][i] if first else set()) for i, tags in enumerate(said) if tags]
        if len(pairs) >= MORE * max(1, len(said)) and sum(
            _dice(*pair) for pair in pairs
        ) < OTHERS * len(pairs):
            return source
    return None


def _usual(said: Sequence[Counter[str]], wanted: Sequence[set[str]]) -> dict[str, int]:
    """How often each tag stands on most of the pages of posts that don't have it as far as the feed
    tells.
    """
    out = {}
    for tag in set().union(*said):
        times = sorted(
            tags[tag] for tags, told in zip(said, wanted, strict=True) if tag not in told
        )
        if len(times) >= UNTOLD:
            out[tag] = times[int((1 - SAME) * len(times))]
    return out


def tags_of(
    page: Page, constants: Mapping[str, object], values: Sequence[FieldValue]
) -> list[FieldValue]:
    """Candidates for the page's tags: those of the rules and methods and of the learned source,
    without what is on all pages.
    """
    if not constants:
        return own_tags(page, values)
    if constants.get("tag_source") not in SOURCES:
        out = without_theirs(values, constants)
    else:
        out = without_theirs(
            []
            if constants.get("source_first")
            else [value for value in values if value.method == "rules"],
            constants,
        )
        if not any(
            value.confidence >= SURE for value in out
        ):  # else nothing the source says would count
            source = learned_source(page, constants)
            out += without_theirs([source] if source is not None else [], constants)
    out = out or ([NONE] if constants.get("more_tags") else [])
    return [
        replace(value, value=tags)
        for value in out
        if (tags := more_tags(value.value, page, constants))
    ]


def more_tags(tags: Sequence[str], page: Page, constants: Mapping[str, object]) -> list[str]:
    """``tags`` and those of the place that was learned to name what they leave out."""
    second = learned_source(page, constants, "more_tags")
    have = set(map(folded, tags))
    found = without_theirs([second], constants, "no_more_tags") if second is not None else []
    return [*tags, *(tag for value in found for tag in value.value if folded(tag) not in have)]


def learned_source(
    page: Page, constants: Mapping[str, object], name: str = "tag_source"
) -> FieldValue | None:
    """What stands where the blog's tags were learned to stand; None where no such place was
    learned.
    """
    source = constants.get(name)
    if not isinstance(source, str) or source not in SOURCES:
        return None
    return FieldValue(
        value=read_source(page, source), method="metadata", confidence=SURE, rule=source
    )


def without_theirs(
    values: Sequence[FieldValue], constants: Mapping[str, object], name: str = "no_tags"
) -> list[FieldValue]:
    """The candidates without the tags that are the theme's, and without those of which nothing is
    left.
    """
    cleaned = []
    for value in values:
        no_tags = constants.get("no_rule_tags" if value.method == "rules" else name)
        theirs = no_tags if isinstance(no_tags, dict) else {}
        tags = [value.value] if isinstance(value.value, str) else list(value.value)
        times = Counter(map(folded, tags))
        if _is_cloud(len(times), constants):
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


def _is_cloud(count: int, constants: Mapping[str, object]) -> bool:
    """Whether these are far more than any post has: an older theme's cloud, in which the post's own
    stand once more than the others.
    """
    most = constants.get("most_tags")
    return isinstance(most, int) and count > max(CLOUD, MANY_MORE * most)


def _dice(a: set[str], b: set[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))
