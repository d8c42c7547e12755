"""Self-training without a feed: what the other methods find on each page replaces the feed's
entries, and rules are learned from that.

One page can mislead a method; a rule that has to be right on most pages of a blog evens that out
(hybrid mode).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MARGIN, NEARLY_ALL, SEVERAL, SOME
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Fields, FieldValue
from blogcrawl.dates.day_order import proved_order
from blogcrawl.dates.parse import DateMatch, find_date, is_moment
from blogcrawl.dom.links import page_links
from blogcrawl.extraction import chain
from blogcrawl.extraction.content.boilerplate import without_boilerplate, without_outskirts
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.content.usual_place import at_usual_place
from blogcrawl.extraction.decide import is_learned
from blogcrawl.extraction.fields.byline import document_title, spelled
from blogcrawl.extraction.fields.feed_authors import (
    asked_pages,
    is_feeds_title,
    only_author,
    person_on,
    single_authors,
)
from blogcrawl.extraction.fields.headings import (
    LEVELS,
    goes_with,
    shown_headings,
    texts_before,
    without_section,
)
from blogcrawl.extraction.fields.names import (
    MARKS,
    end_of,
    is_in_brackets,
    own_part,
    segments,
    starts_of,
    titles_of_few,
    without_ends,
)
from blogcrawl.extraction.fields.title_lines import names_nothing
from blogcrawl.extraction.policy import PROVED
from blogcrawl.induction import apply
from blogcrawl.induction.induce import MAX_SAMPLES
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import FOUND, RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.induction.template import MIN_WORDS, TemplateModel
from blogcrawl.induction.validate_rules import FIRST
from blogcrawl.text.lengths import MAX_TITLE
from blogcrawl.text.similarity import dice, fold, tokens
from blogcrawl.urls.canonical import canonicalize

LEAST = {"title": 0.3, "authors": 0.6, "published": 0.5, "content": 0.3}
"""Confidence from which a method's value may train rules: a wrong author is worse than none."""
MENTIONED = 0.4
"""Confidence from which a page is taken to mention a field: the blog's only author may have its
site's name, which trains no rule, and is its author all the same."""
LEARNED, CONFIRMED = ("series", "mcst"), 0.7
"""Methods that know of all pages where the text is, and the share of pages on which what is surest
must be theirs.
"""


def self_trained(
    samples: Sequence[Sample],
    ruleset: RuleSet,
    lists: Sequence[Page] = (),
    links: Mapping[str, str] | None = None,
    home: Page | None = None,
) -> list[Sample]:
    """Return the samples with entries filled from the pages themselves, without those where no
    content is found.

    A title that most pages have is the site's; what ``lists`` (pages that link to posts) call the
    post replaces it, or the text of links to it elsewhere (``links``, by canonical address). Such
    titles are kept in the rule set's facts, and whether the pages name their author. ``home``: the
    start page, whose title has the site's name.
    """
    looked = [
        (sample, chain.gather(sample.page, ruleset))
        for sample in sorted(samples, key=lambda s: s.page.url)[:MAX_SAMPLES]
    ]
    pages, said = [sample.page for sample, _ in looked], [found for _, found in looked]
    common = common_titles(said) - titles_of_few(pages)
    ends = _common_ends(pages, document_title(home) if home is not None else "")
    ruleset.facts.titles.common, ruleset.facts.titles.ends = sorted(common), sorted(ends)
    linked = _link_texts(lists, set(map(_key, pages)), links) if common else {}
    contents = at_usual_place(_contents(said), pages)
    ruleset.facts.dates.day_first = _settle_days(said)
    _keep_own_titles(looked, contents, ruleset)
    agreed = _recurring(said)
    if len(looked) >= SEVERAL and _is_rare("authors", looked):
        ruleset.facts.absent = ["authors"]
    out = []
    for (sample, found), content in zip(looked, contents, strict=True):
        if content is not None:
            html = _cleaned(content.value, sample.page)
            entry = _retitled(_filled(sample.entry, found, agreed), sample, linked)
            entry = replace(entry, content_html=html, is_full=True, source=FOUND)
            out.append(Sample(page=sample.page, entry=entry))
    return _of_own_text(out)


def _of_own_text(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with their contents without what the template has at the edges and
    inside."""
    contents = [sample.entry.content_html or "" for sample in samples]
    texts = without_boilerplate(without_outskirts(contents, [s.page.url for s in samples]))
    return [
        replace(sample, entry=replace(sample.entry, content_html=own))
        for sample, own in zip(samples, texts, strict=True)
    ]


def aligned(samples: Sequence[Sample], rules: RuleSet) -> list[Sample]:
    """Return the samples with the contents that the best rule finds; none where it and the samples
    agree on most pages.

    A method that reads page by page takes more than the post where the text is short, and edges
    that most posts share show only where all contents are of one kind.
    """
    rule = next(iter(rules.rules.get("content", ())), None)
    nodes = [apply.content_node(s.page.tree, rule) if rule else None for s in samples]
    out = [
        sample
        if node is None
        else replace(sample, entry=replace(sample.entry, content_html=_cleaned(node, sample.page)))
        for sample, node in zip(samples, nodes, strict=True)
    ]
    unlike = sum(not _is_alike(a.entry, b.entry) for a, b in zip(samples, out, strict=True))
    return _of_own_text(out) if unlike > SOME * len(samples) else []


def _is_alike(one: FeedEntry, other: FeedEntry) -> bool:
    a, b = html_text(one.content_html or ""), html_text(other.content_html or "")
    return dice(a, b) >= 1 - MARGIN


def _key(page: Page) -> str:
    return canonicalize(page.url)


def _settle_days(pages: Sequence[Fields]) -> bool | None:
    """Read dates of numbers in the order that those of all pages prove: a day above 12 on one
    settles it for the others. Return whether the day comes first; None without a proof."""
    dates = {
        id(value): found
        for said in pages
        for value in said.get("published", ())
        if value.raw and (found := find_date(value.raw)) is not None
    }
    order = proved_order(dates.values())
    for said in pages if order is not None else ():
        said["published"] = [
            _in_order(value, dates.get(id(value)), order) for value in said.get("published", ())
        ]
    return order


def in_day_order(values: Sequence[FieldValue], day_first: bool | None) -> list[FieldValue]:
    """Return dates as they read in the order of day and month that the blog's pages prove."""
    if day_first is None:
        return list(values)
    return [_in_order(value, find_date(value.raw or ""), day_first) for value in values]


def _in_order(value: FieldValue, found: DateMatch | None, day_first: bool | None) -> FieldValue:
    """Return a date with its day and month in that order, if it was read in the other one."""
    if found is None or value.value.date() != found.moment.date():
        return value
    day = found.pick(day_first)
    return replace(value, value=value.value.replace(month=day.month, day=day.day))


def _keep_own_titles(
    looked: Sequence[tuple[Sample, Fields]],
    contents: Sequence[FieldValue | None],
    ruleset: RuleSet,
) -> None:
    """Leave of the candidates for titles those that are the posts' own: neither the template's nor
    a date nor a section's heading.
    """
    common, ends = frozenset(ruleset.facts.titles.common), ruleset.facts.titles.ends
    _add_own_headings(looked, common)
    _trust_headings([found for _, found in looked], common)
    leads = _common_leads([sample.page for sample, _ in looked], contents)
    for (sample, found), content in zip(looked, contents, strict=True):
        language = sample.page.tree.get("lang")
        titles = without_ends(found.get("title", ()), frozenset(ends), MARKS)
        own = [
            v
            for v in [*titles, *own_part(document_title(sample.page), frozenset(ends), MARKS)]
            if fold(v.value).casefold() not in common and not is_moment(v.value, language)
        ]
        learned = [content] if content is not None and is_learned(content) else []
        found["title"] = without_section(own, sample.page, learned, leads)


def _add_own_headings(looked: Sequence[tuple[Sample, Fields]], common: AbstractSet[str]) -> None:
    """Offer the first heading that the template does not repeat where all that any method takes
    for the title is the template's: that of a masthead may hide the post's own below it.
    """
    headings = [shown_headings(sample.page) for sample, _ in looked]
    template = TemplateModel.learn([{text for text, _ in shown} for shown in headings])
    for (_, found), shown in zip(looked, headings, strict=True):
        if {fold(v.value).casefold() for v in found.get("title", ())} <= common:
            own = (v for text, v in shown if text not in common and not template.has(text))
            found["title"] = [*found.get("title", ()), *list(own)[:1]]


def _trust_headings(pages: Sequence[Fields], common: AbstractSet[str]) -> None:
    """Make the headings of a level certain enough to train where most pages have one of their own
    there: no document's title confirms them on templates that name the blog in all of these.
    """
    for level in LEVELS:
        texts = {fold(v.value).casefold() for found in pages for v in _headed(found, level)}
        if len(texts - common) < MAJORITY * max(3, len(pages)):
            continue
        for found in pages:
            known = _headed(found, level)
            found["title"] = [
                replace(v, confidence=max(v.confidence, LEAST["title"])) if v in known else v
                for v in found.get("title", ())
            ]


def _headed(found: Fields, level: str) -> list[FieldValue]:
    """Return the candidates for the title that stand in a heading of this level."""
    return [v for v in found.get("title", ()) if v.rule == level]


def _common_leads(pages: Sequence[Page], contents: Sequence[FieldValue | None]) -> frozenset[str]:
    """Return the texts above the headings inside the contents that are the template's."""
    leads = [
        texts_before(page, content.value)
        for page, content in zip(pages, contents, strict=True)
        if content is not None and isinstance(content.value, HtmlElement)
    ]
    template = TemplateModel.learn(leads)
    return frozenset(filter(template.has, set().union(*leads)))


def _contents(pages: Sequence[Fields]) -> list[FieldValue | None]:
    """Return the content of each page: that of the method which is confirmed, else the surest."""
    offered = [found.get("content", []) for found in pages]
    sure = _confirmed(offered)
    return [
        next((v for v in values if v.method == sure), None) or _best(values, LEAST["content"])
        for values in offered
    ]


def _retitled(entry: FeedEntry, sample: Sample, linked: Mapping[str, str]) -> FeedEntry:
    """Return the filled entry with the text of links to it where it has no title, and with the
    document's capitals where its title is the page's.
    """
    if not entry.title:
        return replace(entry, title=linked.get(_key(sample.page)))
    if not sample.entry.title:
        return replace(entry, title=spelled(entry.title, document_title(sample.page)))
    return entry


def _confirmed(values: Sequence[Sequence[FieldValue]]) -> str | None:
    """Return the method that learned from all pages where the text is, if on most of them its
    content is the surest of all methods'.

    On the others, short posts among them, it is to be believed more than what a page alone seems to
    be. ``values``: candidates for the content of each page.
    """
    right: Counter[str] = Counter()
    for candidates in values:
        best = _best(candidates, LEAST["content"])
        if best is not None:
            right.update({v.method for v in candidates if v.value is best.value} & {*LEARNED})
    method, pages = min(
        right.items(), key=lambda item: (-item[1], LEARNED.index(item[0])), default=(None, 0)
    )
    return method if pages >= CONFIRMED * max(3, len(values)) else None


def common_titles(pages: Sequence[Fields]) -> frozenset[str]:
    """Return the titles, folded, that some method gives for so many pages that they are the
    template's.
    """
    titles = [{fold(v.value).casefold() for v in found.get("title", ())} for found in pages]
    template = TemplateModel.learn(titles)
    return frozenset(filter(template.has, set().union(*titles)))


def _common_ends(pages: Sequence[Page], home: str) -> frozenset[str]:
    """Return with what, folded, so many documents' titles end behind a separator that it is the
    template's, and with what most of them begin: fewer may be of one series, unless that stands
    in ``home`` too, the title of the start page. Also what stands before such an end.
    """
    titles, names = [document_title(page) for page in pages], frozenset[str]()
    while more := _ends_of(titles, home) - names:
        names |= more
        titles = [segments(title, names, MARKS) for title in titles]
    return names


def _ends_of(titles: Sequence[str], home: str) -> frozenset[str]:
    called = starts_of(home) | {end_of(home)}
    ends = [{end_of(title), *called & {end_of(title, MARKS)}} - {""} for title in titles]
    starts = [starts_of(title) for title in titles]
    last, first = TemplateModel.learn(ends), TemplateModel.learn(starts)
    return frozenset(
        name
        for name in (set(last.counts) | set(first.counts)) - _kinds_of_posts(titles, home)
        if last.has(name)
        or (first.has(name) and first.share(name) >= CONFIRMED)
        or (name in called and last.counts.get(name, 0) + first.counts.get(name, 0) >= SEVERAL)
    )


def _kinds_of_posts(titles: Sequence[str], home: str) -> AbstractSet[str]:
    """Return what stands in brackets at the end of titles and shares no word with the start page's:
    it is no name of the site ("(photos)")."""
    words = set(tokens(home))
    ends = {end_of(title) for title in titles if is_in_brackets(title)}
    return {end for end in ends if words.isdisjoint(tokens(end))}


def _link_texts(
    lists: Sequence[Page], wanted: AbstractSet[str], known: Mapping[str, str] | None
) -> dict[str, str]:
    """Return what lists call the posts they link to: the first text of a link that is no more than
    a title, and what is ``known`` of links elsewhere. A text that leads to several posts says what
    to do ("permanent link", "previous").
    """
    out = dict(known or {})
    found = [_texts_to(page, wanted) for page in lists]
    pairs = {(text, key) for texts in found for key, said in texts.items() for text in said}
    posts = Counter(text for text, _ in pairs)
    for texts in found:
        for key, said in texts.items():
            _keep_first(out, key, (text for text in said if posts[text] == 1))
    return out


def _keep_first(out: dict[str, str], key: str, texts: Iterator[str]) -> None:
    """Keep the first text, if there is any, unless one is known."""
    own = next(texts, None)
    if own is not None:
        out.setdefault(key, own)


def _texts_to(page: Page, wanted: AbstractSet[str]) -> dict[str, list[str]]:
    """Return the texts of links to posts that may be titles."""
    texts: dict[str, list[str]] = {}
    for link in page_links(page):
        key, text = canonicalize(link.url), link.anchor.strip()
        if key in wanted and _may_name(text, page):
            texts.setdefault(key, []).append(text)
    return texts


def _may_name(text: str, page: Page) -> bool:
    """Return whether a link's text may be a post's title: neither the day, under which lists link
    to posts that have none, nor what leads to comments."""
    is_short = 0 < len(text) <= MAX_TITLE and not names_nothing(text)
    return is_short and not is_moment(text, page.tree.get("lang"))


def with_marked_text(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with the texts that their pages mark as the posts' (microdata, h-entry),
    where no entry has a text, nearly all pages mark theirs, and what is marked does not end alike
    on several: then a box of the template is in it.

    Words that only one page has would say as much, but those of other posts, in links to the next
    and the previous one, are such words too.
    """
    if any(s.entry.content_html or s.entry.summary_html for s in samples):
        return list(samples)
    out = list(map(_marked, samples))
    having = sum(sample.entry.is_full for sample in out)
    is_usual = having >= max(SEVERAL, NEARLY_ALL * len(samples))
    return out if is_usual and not _end_alike(out) else list(samples)


def _end_alike(samples: Sequence[Sample]) -> bool:
    """Return whether the texts of several entries end with the same words."""
    texts = (tokens(html_text(sample.entry.content_html or "")) for sample in samples)
    ends = Counter(tuple(words[-MIN_WORDS:]) for words in texts if words)
    return max(ends.values(), default=0) >= SEVERAL


def _marked(sample: Sample) -> Sample:
    """Return the sample with the text that its page marks as the post's; as it is without one."""
    found = chain.gather(sample.page, None, only="metadata").get("content", ())
    marked = next((value for value in found if value.confidence >= PROVED), None)
    if marked is None:
        return sample
    html = _cleaned(marked.value, sample.page)
    return replace(sample, entry=replace(sample.entry, content_html=html, is_full=bool(html)))


def completed(samples: Sequence[Sample], ruleset: RuleSet) -> tuple[list[Sample], list[str]]:
    """Fill the fields that a feed never has (title, authors, date) from the pages.

    Return the samples, and the fields that no method finds on the pages either: they need not be
    looked for on later pages.
    """
    lacking = [
        f
        for f in ("title", "authors", "published")
        if sum(bool(getattr(s.entry, f)) for s in samples) < SOME * len(samples)
    ]
    if not lacking:
        return list(samples), []
    order = sorted(samples, key=lambda s: s.page.url)
    few = spread(order[:MAX_SAMPLES], FIRST)
    looked = _look_for(lacking, few, ruleset)
    if "title" in lacking:
        _leave_own_titles(looked)
    agreed = _recurring([found for _, found in looked])
    asked = {
        id(sample): Sample(page=sample.page, entry=_filled(sample.entry, found, agreed))
        for sample, found in looked
    }
    filled = [asked.get(id(sample), sample) for sample in order]
    is_enough = len(few) >= 3
    return filled, [f for f in lacking if is_enough and _is_rare(f, looked)]


def _look_for(
    fields: Sequence[str], samples: Sequence[Sample], ruleset: RuleSet
) -> list[tuple[Sample, Fields]]:
    """Ask the methods for fields of the samples' pages: of the first and last alone where these
    have none of them.
    """
    have = [f for f in ("title", "authors", "published", "content") if f not in fields]
    looked: list[tuple[Sample, Fields]] = []
    for some in ([samples[0], samples[-1]], samples[1:-1]) if len(samples) > 2 else (samples,):
        looked += [(sample, chain.gather(sample.page, ruleset, have)) for sample in some]
        if all(_best(found.get(f, []), MENTIONED) is None for _, found in looked for f in fields):
            break
    return looked


def _is_rare(field: str, looked: Sequence[tuple[Sample, Fields]]) -> bool:
    """Return whether too few of the pages have a field; any title that is left is the document's
    too."""
    least = 0.0 if field == "title" else MENTIONED
    having = sum(
        bool(getattr(s.entry, field)) or _best(found.get(field, []), least) is not None
        for s, found in looked
    )
    return having < SOME * len(looked)


def _leave_own_titles(looked: Sequence[tuple[Sample, Fields]]) -> None:
    """Of what methods take for titles where a feed has none: what the document is called too, and
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
) -> tuple[list[str], dict[str, list[str]]]:
    """Learn which fields and methods later pages need not be asked for.

    ``absent``: fields that the feed knows, no rule finds, and the other methods get wrong too (and
    those that were found absent before); ``useless``: by field the methods that were asked and
    never right, where another was. Asking them on every page costs time and puts the day of a
    sidebar in the place of the post's.
    """
    out, useless = set(absent), {}
    for field in ("authors", "published"):
        rules = ruleset.rules.get(field, ())
        known = sorted((s for s in samples if getattr(s.entry, field)), key=lambda s: s.page.url)
        if len(known) < SEVERAL or (rules and rules[0].support >= 0.5):
            continue
        asked, right = _tested(field, known[:SEVERAL], ruleset)
        if right:
            useless[field] = sorted(
                name
                for name, times in asked.items()
                if times >= SEVERAL and name != "rules" and not right[name]
            )
        else:
            out.add(field)
    return sorted(out), useless


def _tested(
    field: str, samples: Sequence[Sample], ruleset: RuleSet
) -> tuple[Counter[str], Counter[str]]:
    """Count by method how often it was asked for a field, and right; two pages are enough where
    they give none that no rule finds.
    """
    have = [f for f in chain.NEEDED if f != field]
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for place, sample in enumerate(samples):
        values = chain.gather(sample.page, ruleset, have, asked=asked).get(field, [])
        right.update({value.method for value in values if _is_right(field, value, sample)})
        if place and not right and not ruleset.rules.get(field):
            break
    return asked, right


def misnamed(samples: Sequence[Sample], ruleset: RuleSet, feed: Feed | None) -> str | None:
    """Return the feed's only author where the pages know better: called like the blog while each
    page names a person, or the pages name several people, be it among them. ``ruleset``: with rules
    for authors where the pages name the feed's.
    """
    author = only_author(samples)
    if author is None:
        return None
    is_site = is_feeds_title(author, feed)
    if not is_site and any(rule.support >= MAJORITY for rule in ruleset.rules.get("authors", ())):
        return None
    rules = None if is_site else replace(ruleset, rules={**ruleset.rules, "authors": ()})
    people: list[str] = []
    for page in asked_pages(samples):
        person = _person_on(rules, page, "")
        if person is None:
            return None
        people.append(person)
    others = sum(fold(person).casefold() != fold(author).casefold() for person in people)
    if others < min(SEVERAL, len(people)):
        return None
    return author if is_site or len(set(people)) > 1 else None


def account_names(samples: Sequence[Sample], ruleset: RuleSet) -> list[str]:
    """Return the feed's authors where none is a name: the pages show none of them, or as a word of
    a longer name, and each stands for one person there, another for each. Engines give the keys of
    accounts for the authors. ``ruleset``: with rules for authors where the pages name the feed's.
    """
    whose = _fuller_name if ruleset.rules.get("authors") else partial(_person_on, ruleset)
    people = {
        author: {whose(page, author) for page in theirs}
        for author, theirs in single_authors(samples).items()
    }
    persons = set().union(*people.values())
    is_known = None not in persons and all(len(named) == 1 for named in people.values())
    return sorted(people) if is_known and len(persons) == len(people) else []


def _fuller_name(page: Page, author: str) -> str | None:
    """Return the name on a page of which an author is one of several words: "anna" of Anna Berg."""
    have = [f for f in chain.NEEDED if f != "authors"]
    values = chain.gather(page, None, have).get("authors", ())
    names = (" ".join(_names(value)) for value in values)
    word = fold(author).casefold()
    return next((name for name in names if word in fold(name).casefold().split()[:-1]), None)


def _person_on(ruleset: RuleSet | None, page: Page, author: str) -> str | None:
    """Return the person whom the methods find on a page beside its rules; None where they find but
    the feed's author."""
    have = [f for f in chain.NEEDED if f != "authors"]
    values = chain.gather(page, ruleset, have).get("authors", ())
    return person_on(page, (v for v in values if v.method != "rules"), author)


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


def _recurring(pages: Sequence[Fields]) -> frozenset[str]:
    """Return names that several pages give for their author, each with little certainty: together
    they are certain enough for training, and so is a name that a single page gives where the others
    have theirs: by a guest, or rules would read the owner in the foot of all pages.
    """
    asked = (_best(found.get("authors", []), MENTIONED) for found in pages)
    best = [value for value in asked if value is not None]
    counts = Counter(str(value.value) for value in best)
    again = counts - Counter(set(counts))
    if again.total() + len(again) < MAJORITY * max(3, len(pages)):
        return frozenset()
    places = {(value.method, value.rule) for value in best if str(value.value) in again}
    return frozenset(str(value.value) for value in best if (value.method, value.rule) in places)


def _filled(entry: FeedEntry, found: Fields, agreed: frozenset[str] = frozenset()) -> FeedEntry:
    """Return the entry with title, authors and date from the methods where it has none."""
    best = {
        field: _best(found.get(field, []), LEAST[field])
        for field in ("title", "authors", "published")
    }
    unsure = _best(found.get("authors", []), MENTIONED) if best["authors"] is None else None
    if unsure is not None and str(unsure.value) in agreed:
        best["authors"] = unsure
    title, authors, published = best["title"], best["authors"], best["published"]
    entry = replace(
        entry,
        title=entry.title or (title.value if title else None),
        authors=entry.authors or _names(authors),
    )
    if entry.published is None and published is not None:
        entry = replace(entry, published=published.value, published_raw=published.raw)
    return entry


def _names(authors: FieldValue | None) -> tuple[str, ...]:
    if authors is None:
        return ()
    return (authors.value,) if isinstance(authors.value, str) else tuple(authors.value)


def learn_facts(
    samples: Sequence[Sample], ruleset: RuleSet, absent: Sequence[str], only: str | None
) -> None:
    """Learn how the pages write titles and what the other methods are worth (nothing where ``only``
    one is asked), and add it to the rule set's facts.
    """
    facts = ruleset.facts
    if only is None:
        facts.absent, facts.useless = unanswered(samples, ruleset, absent)
    facts.titles.recased = recased(samples, ruleset)
    named = named_by_heads(samples)
    facts.titles.foreign_heads, facts.titles.own_heads = named == 0.0, named == 1.0
    titles = [sample.entry.title for sample in samples if sample.entry.title]
    dated = any(is_moment(title, ruleset.language) for title in titles)
    facts.titles.undated = bool(titles) and not dated


def recased(samples: Sequence[Sample], ruleset: RuleSet) -> bool:
    """Return whether the document's title has the capitals of the entry where the theme's heading
    has not.
    """
    votes = 0
    for sample in spread(sorted(samples, key=lambda s: s.page.url), FIRST):
        for rule in ruleset.rules.get("title", ())[:1]:
            heading = apply.title(sample.page.tree, rule) or ""
            other = spelled(heading, document_title(sample.page)) if heading else ""
            if other != heading:
                votes += (other == sample.entry.title) - (heading == sample.entry.title)
    return votes > 0


def named_by_heads(samples: Sequence[Sample]) -> float | None:
    """Return the share of posts that the titles of their documents name; 0 where these are one text
    for all of them, or another page's. None where too few are known.
    """
    known = [
        s
        for s in spread(sorted(samples, key=lambda s: s.page.url), FIRST)
        if s.entry.title and document_title(s.page)
    ]
    named = sum(_alike(document_title(s.page), s.entry.title or "") for s in known)
    return named / len(known) if len(known) >= SEVERAL else None


def _alike(head: str, title: str) -> bool:
    shorter, longer = sorted((fold(head).casefold(), fold(title).casefold()), key=len)
    return shorter in longer or dice(shorter, longer) >= 0.5


def _best(values: Sequence[FieldValue], floor: float) -> FieldValue | None:
    good = [
        value
        for value in values
        if value.confidence >= floor and (isinstance(value.value, etree._Element) or value.value)
    ]
    return max(good, key=lambda value: value.confidence, default=None)


def _cleaned(content: Any, page: Page) -> str:
    """Without what cleaning recognises by its name on a long post: a rule to drop it serves the
    short ones, where it seems too much to drop.
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
