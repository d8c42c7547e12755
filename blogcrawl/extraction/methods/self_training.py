"""No feed: what the other methods find on each page stands in for the feed's entries, and rules are
learned from that.

One page can mislead a method; a rule that has to be right on most pages of a blog evens that out
(hybrid mode).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from typing import Any

from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Fields, FieldValue
from blogcrawl.dom.links import page_links
from blogcrawl.extraction import chain
from blogcrawl.extraction.content.boilerplate import without_boilerplate, without_outskirts
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.decide import is_learned
from blogcrawl.extraction.fields.byline import document_title, spelled
from blogcrawl.extraction.fields.feed_authors import (
    asked_pages,
    is_feeds_title,
    only_author,
    person_on,
)
from blogcrawl.extraction.fields.headings import goes_with, without_section
from blogcrawl.induction import apply
from blogcrawl.induction.induce import MAX_SAMPLES
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.induction.validate_rules import FIRST
from blogcrawl.text.similarity import dice, fold
from blogcrawl.urls.canonical import canonicalize

LEAST = {"title": 0.3, "authors": 0.6, "published": 0.5, "content": 0.3}
"""Confidence from which a method's value may teach: a wrong author teaches worse than none."""
TOLD = 0.4
"""Confidence from which a page is taken to say something of a field: the blog's only author may
bear its site's name, which teaches no rule, and is its author all the same."""
AGREED = 0.6
"""Share of pages that must give an author whom others give too before such names teach."""
LEARNED, CONFIRMED = ("series", "mcst"), 0.7
"""Methods that know of all pages where the text is, and the share of pages on which what is surest
must be theirs.
"""
MAX_ASKED = 3
LONGEST_TITLE = 200
SOME = 0.3
"""Share of entries that must have a field for it to be learned from the feed."""


def self_told(
    samples: Sequence[Sample], ruleset: RuleSet, lists: Sequence[Page] = ()
) -> list[Sample]:
    """The samples with entries filled from the pages themselves; those where no content is found
    are left out.

    A title that most pages bear is the site's; what ``lists`` (pages that link to posts) call the
    post stands in for it.
    """
    out = []
    looked = [
        (sample, chain.gather(sample.page, ruleset))
        for sample in sorted(samples, key=lambda s: s.page.url)[:MAX_SAMPLES]
    ]
    agreed = _recurring([said for _, said in looked])
    common = common_titles([said for _, said in looked])
    ruleset.constants["common_titles"] = sorted(common)
    linked = (
        _link_texts(lists, {canonicalize(sample.page.url) for sample, _ in looked})
        if common
        else {}
    )
    sure = _confirmed([said.get("content", []) for _, said in looked])
    for sample, said in looked:
        told = said.get("content", [])
        content = next((value for value in told if value.method == sure), None) or _best(
            told, LEAST["content"]
        )
        if content is not None:
            titles = [
                value
                for value in said.get("title", ())
                if fold(value.value).casefold() not in common
            ]
            said["title"] = without_section(
                titles, sample.page, list(filter(is_learned, [content]))
            )
            entry = replace(
                _filled(sample.entry, said, agreed),
                content_html=_cleaned(content.value, sample.page),
                is_full=True,
            )
            if not entry.title:
                entry = replace(entry, title=linked.get(canonicalize(sample.page.url)))
            elif not sample.entry.title:
                entry = replace(entry, title=spelled(entry.title, document_title(sample.page)))
            out.append(Sample(page=sample.page, entry=entry))
    contents = without_outskirts(
        [sample.entry.content_html or "" for sample in out], [sample.page.url for sample in out]
    )
    contents = without_boilerplate(contents)
    return [
        replace(sample, entry=replace(sample.entry, content_html=own))
        for sample, own in zip(out, contents, strict=True)
    ]


def _confirmed(told: Sequence[Sequence[FieldValue]]) -> str | None:
    """The method that learned from all pages where the text is, if what is surest of each page
    alone is just that on most of them.

    On the others, short posts among them, it is to be believed more than what a page alone seems to
    be."""
    best = [_best(values, LEAST["content"]) for values in told]
    right: Counter[str] = Counter()
    for values, surest in zip(told, best, strict=True):
        right.update(
            {
                v.method
                for v in values
                if surest is not None and v.value is surest.value and v.method in LEARNED
            }
        )
    method, pages = min(
        right.items(), key=lambda item: (-item[1], LEARNED.index(item[0])), default=(None, 0)
    )
    return method if pages >= CONFIRMED * max(3, len(told)) else None


def common_titles(told: Sequence[Fields]) -> frozenset[str]:
    """Titles, folded, that some method gives for most of three or more pages."""
    counts = Counter(
        title
        for said in told
        for title in {fold(value.value).casefold() for value in said.get("title", ())}
    )
    return frozenset(
        title for title, count in counts.items() if count > 2 and 2 * count > len(told)
    )


def _link_texts(lists: Sequence[Page], wanted: AbstractSet[str]) -> dict[str, str]:
    """What lists call the posts they link to: the first text of a link that is no more than a
    title.
    """
    out: dict[str, str] = {}
    for page in lists:
        for link in page_links(page):
            key, text = canonicalize(link.url), link.anchor.strip()
            if key in wanted and 0 < len(text) <= LONGEST_TITLE:
                out.setdefault(key, text)
    return out


def completed(samples: Sequence[Sample], ruleset: RuleSet) -> tuple[list[Sample], list[str]]:
    """Samples of a feed that never names authors, dates or titles, with those filled from the
    pages; and the fields that no method finds on the pages either: later pages need not be asked
    for them."""
    lacking = [
        f
        for f in ("title", "authors", "published")
        if sum(bool(getattr(s.entry, f)) for s in samples) < SOME * len(samples)
    ]
    if not lacking:
        return list(samples), []
    order = sorted(samples, key=lambda s: s.page.url)
    have = [f for f in ("title", "authors", "published", "content") if f not in lacking]
    few = spread(order[:MAX_SAMPLES], FIRST)
    looked: list[tuple[Sample, Fields]] = []
    for some in ([few[0], few[-1]], few[1:-1]) if len(few) > 2 else (few,):
        looked += [(sample, chain.gather(sample.page, ruleset, have)) for sample in some]
        if all(_best(said.get(f, []), TOLD) is None for _, said in looked for f in lacking):
            break
    if "title" in lacking:
        _leave_own_titles(looked)
    agreed = _recurring([said for _, said in looked])
    asked = {
        id(sample): Sample(page=sample.page, entry=_filled(sample.entry, said, agreed))
        for sample, said in looked
    }
    filled = [asked.get(id(sample), sample) for sample in order]
    least = {
        f: 0.0 if f == "title" else TOLD for f in lacking
    }  # any title that is left is the document's too
    told = {
        f: sum(
            bool(getattr(s.entry, f)) or _best(said.get(f, []), least[f]) is not None
            for s, said in looked
        )
        for f in lacking
    }
    return filled, [f for f in lacking if told[f] < SOME * len(looked)] if len(few) >= 3 else []


def _leave_own_titles(looked: Sequence[tuple[Sample, Fields]]) -> None:
    """Of what methods take for titles where a feed tells none: what the document is called too, and
    no other post's is. Posts of microblogs have no titles, and any heading on the page would pass
    for one."""
    heads = [fold(document_title(sample.page)).casefold() for sample, _ in looked]
    for (_, said), head in zip(looked, heads, strict=True):
        is_own = bool(head) and heads.count(head) == 1
        said["title"] = [
            v for v in said.get("title", ()) if is_own and goes_with(fold(v.value).casefold(), head)
        ]


def unanswered(
    samples: Sequence[Sample], ruleset: RuleSet, absent: Sequence[str] = ()
) -> dict[str, Any]:
    """For the rule set's constants: ``absent``, fields that the feed knows, no rule finds, and the
    other methods get wrong too (and those that were found absent before); ``useless``, by field the
    methods that were asked and never right, where another was. Asking them on every page costs time
    and puts the day of a sidebar in the place of the post's."""
    out, useless = set(absent), {}
    for field in ("authors", "published"):
        rules = ruleset.rules.get(field, ())
        known = sorted((s for s in samples if getattr(s.entry, field)), key=lambda s: s.page.url)[
            :MAX_ASKED
        ]
        if len(known) < 3 or (rules and rules[0].support >= 0.5):
            continue
        asked: Counter[str] = Counter()
        right: Counter[str] = Counter()
        for place, sample in enumerate(known):
            said = chain.gather(
                sample.page, ruleset, [f for f in chain.NEEDED if f != field], asked=asked
            ).get(field, [])
            right.update({value.method for value in said if _is_right(field, value, sample)})
            if (
                place and not right and not rules
            ):  # neither of two pages tells what no rule found on any
                break
        if not right:
            out.add(field)
        else:
            useless[field] = sorted(
                name
                for name, times in asked.items()
                if times >= 3 and name != "rules" and not right[name]
            )
    return {"absent": sorted(out), "useless": useless}


def misnamed(samples: Sequence[Sample], ruleset: RuleSet, feed: Feed | None) -> str | None:
    """The feed's only author where the pages know better: he is called like the blog and each page
    names a person, or they name several people. ``ruleset``: with rules for authors where the pages
    name him."""
    author = only_author(samples)
    is_site = author is not None and is_feeds_title(author, feed)
    if author is None or (not is_site and ruleset.rules.get("authors")):
        return None
    told: set[str] = set()
    for page in asked_pages(samples):
        said = chain.gather(
            page, ruleset if not is_site else None, [f for f in chain.NEEDED if f != "authors"]
        )
        person = person_on(
            page, (v for v in said.get("authors", ()) if v.method != "rules"), author
        )
        if person is None:
            return None
        told.add(person)
    return author if is_site or len(told) > 1 else None


def _is_right(field: str, value: FieldValue, sample: Sample) -> bool:
    from blogcrawl.induction.scoring import Target, author_score

    target = Target(sample.entry)
    if field == "authors":
        return (
            author_score(
                ", ".join([value.value] if isinstance(value.value, str) else value.value), target
            )
            >= 0.8
        )
    return isinstance(value.value, datetime) and value.value.date() in target.days


def _recurring(told: Sequence[Fields]) -> frozenset[str]:
    """Names that several pages give for their author, each with little certainty: together they are
    certain enough to teach.
    """
    best = [value for said in told if (value := _best(said.get("authors", []), TOLD)) is not None]
    counts = Counter(str(value.value) for value in best)
    again = frozenset(name for name, count in counts.items() if count > 1)
    return (
        again if sum(counts[name] for name in again) >= AGREED * max(3, len(told)) else frozenset()
    )


def _filled(entry: FeedEntry, said: Fields, agreed: frozenset[str] = frozenset()) -> FeedEntry:
    """The entry with title, authors and date from the methods where it has none."""
    best = {
        field: _best(said.get(field, []), LEAST[field])
        for field in ("title", "authors", "published")
    }
    little = _best(said.get("authors", []), TOLD) if best["authors"] is None else None
    if little is not None and str(little.value) in agreed:
        best["authors"] = little
    title, authors, published = best["title"], best["authors"], best["published"]
    names = (
        ()
        if authors is None
        else (authors.value,)
        if isinstance(authors.value, str)
        else tuple(authors.value)
    )
    entry = replace(
        entry, title=entry.title or (title.value if title else None), authors=entry.authors or names
    )
    if entry.published is None and published is not None:
        entry = replace(entry, published=published.value, published_raw=published.raw)
    return entry


def checked(
    samples: Sequence[Sample], ruleset: RuleSet, absent: Sequence[str], only: str | None
) -> dict[str, Any]:
    """For the rule set's constants: how the pages write titles, and what the other methods are
    worth (none is the ``only`` one).
    """
    told = unanswered(samples, ruleset, absent) if only is None else {"absent": []}
    return {"recased": recased(samples, ruleset), "foreign_heads": foreign_heads(samples), **told}


def recased(samples: Sequence[Sample], ruleset: RuleSet) -> bool:
    """Whether the document's title has the capitals of the entry where the theme's
    heading has not.
    """
    votes = 0
    for sample in spread(sorted(samples, key=lambda s: s.page.url), FIRST):
        for rule in ruleset.rules.get("title", ())[:1]:
            heading = apply.title(sample.page.tree, rule) or ""
            other = spelled(heading, document_title(sample.page)) if heading else ""
            if other != heading:
                votes += (other == sample.entry.title) - (heading == sample.entry.title)
    return votes > 0


def foreign_heads(samples: Sequence[Sample]) -> bool:
    """Whether the titles of the documents name something else than the posts: one text for all of
    them, or another page's.
    """
    known = [
        s
        for s in spread(sorted(samples, key=lambda s: s.page.url), FIRST)
        if s.entry.title and document_title(s.page)
    ]
    named = sum(_alike(document_title(s.page), s.entry.title or "") for s in known)
    return len(known) >= MAX_ASKED and not named


def _alike(head: str, title: str) -> bool:
    shorter, longer = sorted((fold(head).casefold(), fold(html_text(title)).casefold()), key=len)
    return shorter in longer or dice(shorter, longer) >= 0.5


def _best(values: Sequence[FieldValue], floor: float) -> FieldValue | None:
    good = [
        value
        for value in values
        if value.confidence >= floor and (isinstance(value.value, etree._Element) or value.value)
    ]
    return max(good, key=lambda value: value.confidence, default=None)


def _cleaned(content: Any, page: Page) -> str:
    """Without what cleaning tells by its name on a long post: a rule to drop it serves the short
    ones, where it seems too much to drop.
    """
    return clean_content(_markup(content), page).html


def _markup(content: Any) -> str:
    if isinstance(content, str):
        return content
    nodes = [content] if isinstance(content, etree._Element) else list(content)
    parts = [
        node
        if isinstance(node, str)
        else etree.tostring(node, encoding="unicode", method="html", with_tail=False)
        for node in nodes
    ]
    return "".join(parts)
