"""Field decisions: one value per field from the candidates of the methods, the feed and the site.

``TITLE``, ``AUTHORS`` and ``PUBLISHED`` are the policies; the functions above each say what its
features mean. Factors are judgements checked on the recorded blogs (docs/benchmarks.md): 1.0 leaves
the candidate as it is, 0.1 leaves it where nothing else was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from html import unescape
from typing import Any

from lxml import etree

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue
from blogcrawl.dates.edtf import DAY, Partial, day_at_midnight, is_coarse
from blogcrawl.dates.parse import in_zone, is_date, is_moment, is_utc
from blogcrawl.dates.url_date import agrees, url_day
from blogcrawl.dates.zones import offset_at
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import document_title, spelled
from blogcrawl.extraction.fields.embedded import embedded
from blogcrawl.extraction.fields.headings import (
    LEVELS,
    goes_with,
    is_part,
    linked_headings,
    without_section,
)
from blogcrawl.extraction.fields.names import (
    MARKS,
    SEPARATOR,
    called,
    declared_names,
    is_newsroom,
    is_person,
    is_placeholder,
    own_part,
    segments,
    site_names,
    title_names,
    without_ends,
)
from blogcrawl.extraction.fields.tag_links import more_tags
from blogcrawl.extraction.policy import GUESS, PROVED, Feature, Policy, Precedence, Weighed, surest
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.scoring import html_text, name_of, strip_by, title_begun
from blogcrawl.lexicon.vocabulary import entries
from blogcrawl.text.lengths import MAX_DATE_LINE, MAX_TITLE, MIN_SENTENCE
from blogcrawl.text.similarity import dice, fold, folded
from blogcrawl.text.visible import node_text

_PUBLISHED = confidences("published")
_AUTHORS = confidences("authors")
_ENTRY = confidences("entry")
_TITLE = confidences("title")

ALWAYS = 0.95
"""Share of the entries from which one author is the blog's."""
ANOTHER_DAY = timedelta(days=2)
"""Apart from which two dates are no longer one in two time zones."""
_BARE_MARKS = " -–—|·•:»«"
"""Left at the ends of a document's title where that of the post is empty."""
GENERAL = ("metadata", "generic")
"""Methods that learn nothing of the blog."""


@dataclass(frozen=True)
class Evidence:
    """What candidates are compared with; the derived parts are read once."""

    page: Page
    ruleset: RuleSet
    entry: FeedEntry | None
    found: Fields
    title: str = ""
    """The title chosen before, "" if none."""

    @property
    def facts(self) -> Any:
        return self.ruleset.facts

    def of(self, field: str) -> Sequence[FieldValue]:
        """Return the methods' candidates for a field."""
        return self.found.get(field, ())

    @cached_property
    def document(self) -> str:
        """The document's title, folded."""
        return folded(document_title(self.page))

    @cached_property
    def is_foreign(self) -> bool:
        """Whether the document's title names the blog, and not before or behind the post's own, or
        another page."""
        facts = self.facts.titles
        own = folded(segments(document_title(self.page), frozenset(facts.ends), MARKS))
        if facts.own_heads:
            return own in facts.common
        return bool(own) and (facts.foreign_heads or any(title in own for title in facts.common))

    @cached_property
    def is_nameless(self) -> bool:
        """Whether the document's title is the site's name alone, or what the start page is called:
        engines write that where a post has no title."""
        page, whole = self.page, document_title(self.page)
        own = folded(segments(whole, title_names(page))).strip(_BARE_MARKS)
        return bool(own) and (
            not {own, self.document}.isdisjoint((*self.facts.titles.common, *declared_names(page)))
            or _is_in_brackets(own)
        )

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        """The headings, folded, that are links to other pages of the site."""
        return frozenset(map(folded, linked_headings(self.page)))

    @cached_property
    def day(self) -> tuple[int, int, int | None] | None:
        """The date in the URL."""
        return url_day(self.page.url)

    @property
    def is_day_ruled(self) -> bool:
        """Whether the URLs of the blog have the feed's dates."""
        return bool(self.facts.dates.url_day >= NEARLY_ALL)

    @cached_property
    def proved(self) -> list[FieldValue]:
        """The dates by rules that were right on the feed's posts."""
        return [
            v
            for v in self.of("published")
            if v.method == "rules" and v.confidence >= PROVED and isinstance(v.value, datetime)
        ]


_UNTITLED = frozenset(map(folded, entries("titles", "untitled")))
_LABELS = entries("feeds", "read_more")
_ANY_LABEL = "|".join(map(re.escape, _LABELS))
_READ_MORE = re.compile(
    rf"(?:(?<=[.…!?\])»])\s*(?i:{_ANY_LABEL})|(?<!\w)(?:"
    + "|".join(f"{re.escape(label[0].upper())}(?i:{re.escape(label[1:])})" for label in _LABELS)
    + r")"
    rf"|(?:(?<=…)|(?<=\.\.\.)|(?<=…[\])])|(?<=\.\.\.[\])]))\s*(?i:{_ANY_LABEL})[^.…!?。]{{0,80}}"
    r")[\s.…»›→>]*$"
)
"""Text of the link under an excerpt: after the end of a sentence, or with a capital; after the mark
of a cut text, with more words ("Read the rest of this entry").
"""


def decide(
    found: Fields, page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> dict[str, FieldValue]:
    """Choose one value for every field that has candidates.

    ``found``: candidates of the methods; ``entry``: what feed or sitemap have of the post.
    """
    weighed = weigh(found, page, ruleset, entry)
    out = {name: values[0].value for name, values in weighed.items() if values}
    for name in ("subtitle", "modified", "tags", "excerpt"):
        value = surest(found.get(name, ()))
        if value is not None:
            out[name] = value
    if found.get("content"):
        out["content"] = first_guess(found["content"])
    if "authors" in out:
        names = [called(name, page) for name in _list(out["authors"].value)]
        out["authors"] = replace(out["authors"], value=names)
    if "title" in out:
        _settle_titles(out, found.get("title", ()), page)
    if entry is not None:
        _from_entry(out, entry, page, ruleset)
    _tidy(out)
    return out


def _tidy(out: dict[str, FieldValue]) -> None:
    """Take the link to the post from its excerpt, and the midnight of days from its dates."""
    if "excerpt" in out:
        _tidy_excerpt(out)
    for name in ("published", "modified"):
        if name in out:
            out[name] = replace(out[name], value=day_at_midnight(out[name].value))


def _tidy_excerpt(out: dict[str, FieldValue]) -> None:
    """Take the link to the post from its excerpt; drop one that is the title again, as feeds have
    it of posts without a description.
    """
    text = _READ_MORE.sub("", out["excerpt"].value).rstrip()
    out["excerpt"] = replace(out["excerpt"], value=text)
    if "title" in out and folded(text) == folded(out["title"].value):
        del out["excerpt"]


def without_idle_change(out: dict[str, FieldValue], build_time: str) -> None:
    """Drop a change that is none: when all posts were generated, at the moment of publication, or
    days before it.
    """
    if "modified" not in out:
        return
    changed = out["modified"].value
    published = out["published"].value if "published" in out else None
    is_idle = changed.isoformat() == build_time or changed == published
    if is_idle or (published is not None and published - changed >= ANOTHER_DAY):
        del out["modified"]


def _settle_titles(out: dict[str, FieldValue], titles: Sequence[FieldValue], page: Page) -> None:
    """Drop a subtitle that is the title again, and complete a title that is cut."""
    title = out["title"]
    if "subtitle" in out and folded(out["subtitle"].value) == folded(title.value):
        del out["subtitle"]
    out["title"] = _without_sign(_with_marks(_uncut(title, titles), titles, page), page)


def _with_marks(title: FieldValue, titles: Sequence[FieldValue], page: Page) -> FieldValue:
    """Return a title from the page's metadata with the marks that it lacks there, as heading and
    document have it ("C++ | a note"): generators run titles through Markdown."""
    document = document_title(page)
    if title.method not in GENERAL or title.value in document:
        return title
    letters = _WORDS.findall(title.value)
    shown = (v.value for v in titles if v.rule in LEVELS and v.value in document)
    same = (value for value in shown if _WORDS.findall(value) == letters)
    return replace(title, value=next(same, title.value))


_WORDS = re.compile(r"\w+")


def _without_sign(title: FieldValue, page: Page) -> FieldValue:
    """Return a title without the sign of a link before or behind it ("A walk →", "★ A walk"),
    which the document's title has without one."""
    bare, document = _SIGN.sub("", title.value), document_title(page)
    is_quoted = not {"«", "‹"}.isdisjoint(bare)
    is_theme = not is_quoted and bare in document and title.value not in document
    return replace(title, value=bare) if is_theme else title


_SIGN = re.compile(r"^[→↗➜➔★☆∞»›#¶§]\s{1,9}|\s{1,9}[→↗➜➔★☆∞»›#¶§]$")


def weigh(
    found: Fields, page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> dict[str, list[Weighed]]:
    """Return the candidates for title, authors and day of publication with what their policies see
    in them, best first."""
    evidence = Evidence(page, ruleset, entry, found)
    titles = TITLE.weigh(_titles(evidence), evidence)
    evidence = replace(evidence, title=titles[0].value.value if titles else "")
    return {
        "title": titles,
        "published": PUBLISHED.weigh(_dates(evidence), evidence),
        "authors": _weighed_authors(evidence),
    }


def first_guess(values: Sequence[FieldValue]) -> FieldValue:
    """Return the content that stands for a page: what was learned of the blog or marked by the
    page, in the order of the methods; of guesses from the page alone the scorer's, which looks at
    names, heading and text together, then the surest."""
    first = values[0]
    if first.method not in ("mcst", "svm") or first.confidence >= GUESS:
        return first
    own = [value for value in values if value.method == "generic"]
    return max(own or values, key=lambda value: value.confidence)


def is_learned(value: FieldValue) -> bool:
    """Return whether a method found content by what it learned of the blog, not of this page or of
    pages as such.
    """
    return value.method == "rules" or (
        value.method in ("keypath", "series", "mcst") and value.confidence >= GUESS
    )


def source_of(entry: FeedEntry) -> str:
    """Return what gave an entry its fields. A sitemap that has the address too gave none of them,
    whenever it was read.
    """
    return " ".join(word for word in entry.source.split() if word != "sitemap") or entry.source


def _reported(evidence: Evidence, value: Any, raw: str | None = None) -> list[FieldValue]:
    """Return a field of the entry as a candidate, none where it has none."""
    entry = evidence.entry
    if entry is None or not value:
        return []
    sure = (
        _ENTRY["feed"]
        if "feed" in entry.source or "json" in entry.source
        else _ENTRY["other_source"]
    )
    return [FieldValue(value=value, method=source_of(entry), confidence=sure, raw=raw)]


def _is_the_feeds(value: FieldValue, top: FieldValue, evidence: Evidence) -> bool:
    entry = evidence.entry
    return (
        entry is not None
        and value.method == source_of(entry)
        and value.confidence == _ENTRY["feed"]
    )


# --- titles


def _titles(evidence: Evidence) -> list[FieldValue]:
    """Return the candidates for the title: the methods', the entry's, and the document's title
    where it may name the post."""
    entry = evidence.entry
    text = (entry.title or "") if entry is not None else ""
    reported = _reported(evidence, text if len(text) <= 300 else None)
    if "title" in evidence.facts.absent:
        return [*(v for v in evidence.of("title") if _is_own_by_rule(v, evidence)), *reported]
    content = list(filter(is_learned, evidence.of("content")[:1]))
    values = without_section(list(evidence.of("title")), evidence.page, content)
    ends = frozenset((*evidence.facts.titles.ends, *evidence.facts.titles.common))
    document = document_title(evidence.page)
    names = ends | title_names(evidence.page)
    between = MARKS if evidence.facts.titles.ends else SEPARATOR
    values = [_unsigned(v, document, names) for v in without_ends(values, ends, between)]
    if evidence.facts.titles.recased:
        values = [replace(v, value=spelled(v.value, document)) for v in values]
    if document and not evidence.is_foreign and not _is_sites_and_moment(evidence, names):
        values += own_part(document, ends, between)
        values.append(FieldValue(value=document, method="title", confidence=_TITLE["document"]))
    return [*values, *reported]


def _is_sites_and_moment(evidence: Evidence, names: frozenset[str]) -> bool:
    """Return whether the document is called by the site's name and the moment of the post."""
    document = document_title(evidence.page)
    own = segments(document, names)
    return own != document.strip() and is_moment(own, evidence.ruleset.language)


def _is_own_by_rule(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title stands where the few titles of the blog do, and the document is called
    so too."""
    text = folded(value.value)
    is_own = value.method == "rules" and bool(text) and text in evidence.document
    return is_own and text not in site_names(evidence.page)


def _unsigned(value: FieldValue, document: str, names: frozenset[str]) -> FieldValue:
    """Return a title without the site's ``names`` where it is all of the document's title: rules
    find it where the newest posts have no name there.
    """
    return replace(value, value=segments(document, names)) if value.value == document else value


def _is_from_page(value: FieldValue, evidence: Evidence) -> bool:
    entry = evidence.entry
    return entry is None or value.method != source_of(entry)


def _is_common(value: FieldValue, evidence: Evidence) -> bool:
    facts, text = evidence.facts.titles, folded(value.value)
    return text in facts.unshown or (_is_from_page(value, evidence) and text in facts.common)


def _is_too_long(value: FieldValue, evidence: Evidence) -> bool:
    return _is_from_page(value, evidence) and len(value.value) > MAX_TITLE


def _begins_text(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is a sentence with which the text begins, and the document is not
    called so."""
    text = folded(value.value)
    if len(text) < MIN_SENTENCE or text in evidence.document:
        return False
    contents = (v.value for v in evidence.of("content")[:1])
    return any(
        isinstance(node, etree._Element) and folded(node_text(node)).startswith(text)
        for node in contents
    )


def _is_of_site(value: FieldValue, evidence: Evidence) -> bool:
    facts, text = evidence.facts.titles, folded(value.value)
    if not _is_from_page(value, evidence):
        return False
    if value.method == "title" and text in site_names(evidence.page):
        return True
    return text in facts.headings or (facts.foreign_heads and text in evidence.document)


def _names_no_post(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a document is called by the site's name only, on a blog whose documents are
    called as the posts are: the post has no title."""
    facts, bare = evidence.facts.titles, folded(value.value).strip(_BARE_MARKS)
    is_documents = bare == evidence.document.strip(_BARE_MARKS) and _is_from_page(value, evidence)
    if not facts.own_heads or not is_documents:
        return False
    return bare in {*facts.ends, *facts.common, *site_names(evidence.page)}


def _is_unconfirmed(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether neither the document's title nor another part of the page goes with a title;
    two elements of the head are one part."""
    if value.method == "title" or not _is_from_page(value, evidence):
        return False
    text, part = folded(value.value), _part_of_page(value)
    head = "" if evidence.is_foreign else evidence.document
    if not head or goes_with(text, head) or _is_of_site(value, evidence):
        return False
    apart = (other for other in evidence.of("title") if _part_of_page(other) != part)
    return not any(
        goes_with(text, other) for other in map(folded, (v.value for v in apart)) if other
    )


def _part_of_page(value: FieldValue) -> str:
    return (value.rule or value.method).split()[0]


def _is_called_otherwise(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether nothing goes with a title on a blog whose documents are called as the posts
    are: a rule met something else in its place on a page of another template."""
    return evidence.facts.titles.own_heads and _is_unconfirmed(value, evidence)


def _is_of_other_page(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is a heading that leads to another page, as those of sections do, and
    the document is not called so."""
    text = folded(value.value)
    is_named = evidence.is_foreign or not evidence.document or text in evidence.document
    return not is_named and _is_from_page(value, evidence) and text in evidence.elsewhere


def _is_of_nameless(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is in the title of a document that has none of its own, or the site's
    name there, and neither a heading nor what a rule finds where titles stand."""
    is_shown = value.rule in LEVELS or (value.method == "rules" and value.confidence >= PROVED)
    is_shown = is_shown or not _is_from_page(value, evidence) or not evidence.is_nameless
    text = folded(value.value)
    return not is_shown and (text in evidence.document or text in declared_names(evidence.page))


def _stands_for_none(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is what engines show of posts that have none: in brackets ("(no
    title)"), or on a page that is called as the site is."""
    text = folded(value.value)
    if text not in _UNTITLED:
        return _is_in_brackets(text)
    return evidence.is_nameless or evidence.document in site_names(evidence.page)


def _is_in_brackets(text: str) -> bool:
    bare = text.strip("()[]（）【】<> ")
    return bare != text and bare in _UNTITLED


def _is_date(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is but a date, on a blog of which no rule says that its titles are
    dates: one learned from titles that are none may meet the day on pages of an older theme."""
    is_proved = value.method == "rules" and value.confidence >= PROVED
    is_believed = is_proved and not evidence.facts.titles.undated
    if not _is_from_page(value, evidence) or is_believed:
        return False
    return is_date(value.value, evidence.ruleset.language)


def _is_byline(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a title is but the name of the author, alone or as a byline."""
    if not _is_from_page(value, evidence):
        return False
    name = folded(strip_by(value.value))
    authors = (folded(n) for v in evidence.of("authors") for n in _list(v.value))
    return name != folded(value.value) and name in authors


def _is_heading_of(value: FieldValue, top: FieldValue, evidence: Evidence) -> bool:
    return value.rule in LEVELS and value.confidence >= PROVED and is_part(value.value, top.value)


TITLE: Policy[Evidence] = Policy(
    (
        Feature("the title of most pages", _is_common, 0.0),
        Feature("longer than titles are", _is_too_long, 0.0),
        Feature("the site's, where documents are called as posts are", _names_no_post, 0.0),
        Feature("a sentence with which the text begins", _begins_text, 0.3),
        Feature("the site's", _is_of_site, 0.1),
        Feature("confirmed by no other part of the page", _is_unconfirmed, 0.7),
        Feature("not what the document is called, as posts are", _is_called_otherwise, 0.5),
        Feature("another page's", _is_of_other_page, 0.3),
        Feature("in a document's title that is the site's", _is_of_nameless, 0.1),
        Feature("what stands for no title", _stands_for_none, 0.0),
        Feature("only a date", _is_date, 0.1),
        Feature("only a byline", _is_byline, 0.1),
    ),
    precedence=(
        Precedence("the feed's", _is_the_feeds),
        Precedence("the visible heading, of which the surest is an extension", _is_heading_of),
    ),
    least=0.1,
)


def _uncut(chosen: FieldValue, values: Sequence[FieldValue]) -> FieldValue:
    """Return the feed's title; where that ends in marks of omission, the page's that goes on. One
    that has them as well is not cut: its author wrote them."""
    begun = title_begun(chosen.value) if chosen.confidence == _ENTRY["feed"] else ""
    if not begun:
        return chosen
    texts = [(fold(v.value).casefold(), v) for v in values]
    whole = [
        v
        for text, v in texts
        if text.startswith(begun) and text[len(begun) :].lstrip()[:1] not in {"", "…", ".", "["}
    ]
    return max(whole, key=lambda v: v.confidence, default=chosen)


# --- authors


def _weighed_authors(evidence: Evidence) -> list[Weighed]:
    """Weigh the candidates for the authors; where none is sure, a known author named near the title
    is one too."""
    values = _authors(evidence)
    weighed = AUTHORS.weigh(values, evidence)
    is_sure = weighed and (weighed[0].rank or weighed[0].value.confidence >= GUESS)
    if is_sure or _is_of_account(evidence):
        return weighed
    return AUTHORS.weigh([*values, *_known_name(evidence)], evidence)


def _authors(evidence: Evidence) -> list[FieldValue]:
    """Return the candidates for the authors: names of the methods and the entry, the blog's usual
    author, and the feed's only author where pages contradict that. Where the blog's pages name no
    author, what looks like one on a single page is somebody else."""
    facts, entry = evidence.facts.authors, evidence.entry
    is_absent = "authors" in evidence.facts.absent
    values = [
        _as_usual(v, facts)
        for v in evidence.of("authors")
        if _are_names(v.value) and not (is_absent and v.method in GENERAL)
        if not _is_generator(v, evidence.page)
    ]
    values += _reported(evidence, list(filter(None, map(name_of, entry.authors if entry else ()))))
    return [*values, *_constants(evidence)]


def _is_generator(value: FieldValue, page: Page) -> bool:
    """Return whether a rule has read the program that wrote the page: where a page lacks the
    author's element, another has its place."""
    programs = set(map(folded, embedded(page).meta.get("generator", ())))
    return not programs.isdisjoint(map(folded, _list(value.value)))


def _constants(evidence: Evidence) -> Iterator[FieldValue]:
    """Yield the blog's usual author, and the feed's only one where pages contradict that."""
    facts = evidence.facts.authors
    if facts.usual and not _is_of_account(evidence):
        is_sure = facts.share > ALWAYS and evidence.ruleset.samples > SEVERAL
        is_sure = is_sure and not _is_by_a_guest(evidence)
        sure = 0.8 if is_sure else round(0.4 * facts.share, 3)
        yield _constant(facts.usual, sure, "the blog's usual author")
    if facts.misnamed:
        yield _constant([facts.misnamed], 1.0, "the feed's author of all posts")


def _is_by_a_guest(evidence: Evidence) -> bool:
    """Return whether a proved rule reads another person's name than the blog's usual author's: a
    sample may have none of a guest's posts."""
    usual = {folded(name) for name in evidence.facts.authors.usual}
    read = [v for v in evidence.of("authors") if v.method == "rules" and v.confidence >= PROVED]
    return any(
        is_person(name) and folded(name) not in usual for v in read for name in _list(v.value)
    )


def _constant(names: Sequence[str], sure: float, rule: str) -> FieldValue:
    return FieldValue(value=list(names), method="constant", confidence=sure, rule=rule)


def _as_usual(value: FieldValue, facts: Any) -> FieldValue:
    """Return a candidate with the usual spelling of the only author of nearly all entries."""
    names = _list(value.value)
    if not (facts.share > ALWAYS and len(facts.usual) == len(names) == 1):
        return value
    usual, here = folded(facts.usual[0]), folded(names[0])
    is_alike = names != list(facts.usual) and dice(usual, here) >= NEARLY_ALL
    return replace(value, value=list(facts.usual)) if is_alike else value


def _is_account(value: FieldValue, evidence: Evidence) -> bool:
    known = evidence.facts.authors.accounts
    return all(name in known or is_placeholder(name) for name in _list(value.value))


def _is_of_account(evidence: Evidence) -> bool:
    """Return whether a placeholder stands where a rule reads the names of the blog's authors: the
    post is by somebody who has set none, not by one of those."""
    return any(
        v.method == "rules" and v.confidence >= PROVED and all(map(is_placeholder, _list(v.value)))
        for v in evidence.of("authors")
    )


def _is_misnamed(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether authors are the feed's only one, which pages contradict; the rules read where
    these name theirs."""
    is_feeds = _list(value.value) == [evidence.facts.authors.misnamed]
    return is_feeds and value.method != "rules"


def _is_newsroom(value: FieldValue, evidence: Evidence) -> bool:
    return value.method in GENERAL and all(map(is_newsroom, _list(value.value)))


def _names_usual(value: FieldValue, top: FieldValue, evidence: Evidence) -> bool:
    usual = {folded(name) for name in evidence.facts.authors.usual}
    is_doubted = _is_account(value, evidence) or _is_misnamed(value, evidence)
    return (
        value.method != "constant"
        and not is_doubted
        and not usual.isdisjoint(map(folded, _list(value.value)))
    )


def _names_others(value: FieldValue, top: FieldValue, evidence: Evidence) -> bool:
    """Return whether a byline names others than the one author whom the best source has."""
    names = _list(top.value)
    return (
        value.confidence >= GUESS
        and {value.method, top.method} <= {*GENERAL}
        and len(_list(value.value)) > 1 == len(names)
        and names[0] in _list(value.value)
    )


AUTHORS: Policy[Evidence] = Policy(
    (
        Feature("an account without a name", _is_account, 0.05),
        Feature("the feed's author of all posts, but not the pages'", _is_misnamed, 0.05),
        Feature("a newsroom", _is_newsroom, 0.1),
    ),
    precedence=(
        Precedence("the feed's", _is_the_feeds),
        Precedence("the blog's usual author", _names_usual),
        Precedence("all authors of the byline", _names_others),
    ),
)


def _known_name(evidence: Evidence) -> Iterator[FieldValue]:
    """Yield the only one of the blog's authors who is named around the title: for bylines that no
    rule can cut out."""
    names, page = evidence.facts.authors.names, evidence.page
    body = page.tree.find("body") if names else None
    text = fold(node_text(body)).casefold() if body is not None else ""
    wanted = folded(evidence.title)
    found: set[str] = set()
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        window = text[max(0, at - MAX_DATE_LINE) : at + len(wanted) + MAX_DATE_LINE]
        found |= {
            name for name in names if re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", window)
        }
        at = text.find(wanted, at + len(wanted))
    if len(found) == 1:
        rule = "an author of the blog named near the title"
        yield FieldValue(
            value=sorted(found),
            method="known-name",
            confidence=_AUTHORS["known_near_title"],
            rule=rule,
        )


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _are_names(value: Any) -> bool:
    return bool(value) and all(map(_is_name, _list(value)))


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    return (
        0 < len(text) <= 80
        and len(text.split()) <= 8
        and bool(re.search(r"[^\W\d_]", text))
        and sum(c.isdigit() for c in text) <= 4
    )


# --- day of publication


def _dates(evidence: Evidence) -> list[FieldValue]:
    """Return the candidates for the day of publication: the methods', the entry's and the URL's."""
    values = [
        v
        for v in evidence.of("published")
        if isinstance(v.value, datetime) and 1990 <= v.value.year <= 2100
    ]
    entry = evidence.entry
    if entry is not None and entry.published is not None:
        moment = _localised(entry.published, values, evidence)
        values += _reported(evidence, moment, entry.published_raw)
    elif entry is not None and evidence.facts.dates.changes_are_first:
        values += _moment_of_change(entry)
    return [*values, *_date_of_url(evidence)]


def _moment_of_change(entry: FeedEntry) -> Iterator[FieldValue]:
    """Yield the moment of the last change that a sitemap has of a post."""
    if entry.modified is not None and "sitemap" in entry.source:
        yield FieldValue(
            value=entry.modified,
            method=source_of(entry),
            confidence=_PUBLISHED["changed_first"],
            raw=entry.modified_raw,
        )


def _localised(moment: datetime, values: Sequence[FieldValue], evidence: Evidence) -> datetime:
    """Return a moment that the feed has in UTC in the zone that the page or the blog writes: its
    day is the author's."""
    if not is_utc(moment) or isinstance(moment.tzinfo, Partial):
        return moment
    on_page = (v.value for v in values if abs(v.value - moment) < timedelta(minutes=1))
    zone = next((m.utcoffset() for m in on_page if not is_utc(m)), None)
    zones = evidence.facts.dates.zones
    minutes = round(zone.total_seconds() / 60) if zone else offset_at(zones, moment)
    return in_zone(moment + timedelta(minutes=minutes), minutes) if minutes else moment


def _date_of_url(evidence: Evidence) -> Iterator[FieldValue]:
    """Yield the URL's date as a candidate, where it has a day that exists."""
    day = evidence.day
    if day is None or day[2] is None:
        return
    try:
        moment = datetime(day[0], day[1], day[2], tzinfo=DAY)
    except ValueError:
        return
    sure = 0.7 if evidence.is_day_ruled else 0.5
    yield FieldValue(value=moment, method="url", confidence=sure, raw=moment.date().isoformat())


def _is_day_of_url(value: FieldValue, evidence: Evidence) -> bool:
    return value.method != "url" and agrees(value.value.date(), evidence.day) is True


def _contradicts_url(value: FieldValue, evidence: Evidence) -> bool:
    return agrees(value.value.date(), evidence.day) is False


def _contradicts_ruling_url(value: FieldValue, evidence: Evidence) -> bool:
    return evidence.is_day_ruled and _contradicts_url(value, evidence)


def _contradicts_rule(value: FieldValue, evidence: Evidence) -> bool:
    proved = [rule for rule in evidence.proved[:1] if not is_coarse(rule.value)]
    return value.method != "rules" and any(
        abs(value.value - rule.value) >= ANOTHER_DAY for rule in proved
    )


def _is_in_other_order(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a rule, which has learned the blog's order of day and month, reads the same
    digits the other way round."""
    days = [v.value.date() for v in evidence.of("published") if v.method == "rules"]
    day = value.value.date()
    swapped = (day.year, day.day, day.month)
    is_read = any((d.year, d.month, d.day) == swapped and d != day for d in days)
    return value.method in GENERAL and is_read


def _is_vague(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a value is but a month or year ("3 years ago") where another has the day."""
    return is_coarse(value.value) and any(
        isinstance(v.value, datetime) and not is_coarse(v.value) for v in evidence.of("published")
    )


def _is_of_later_change(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether another place that was as often right on the feed's posts has an earlier day:
    on those posts the day of the last change was that of publication."""
    return value in evidence.proved and any(
        rule.value.date() < value.value.date()
        for rule in evidence.proved
        if rule.confidence >= NEARLY_ALL * value.confidence
    )


def _is_mislabelled(value: FieldValue, evidence: Evidence) -> bool:
    """Return whether a date labelled as UTC shows the blog's clock as a rule reads it."""
    return (
        bool(evidence.facts.dates.mislabelled)
        and value.method in GENERAL
        and is_utc(value.value)
        and any(
            value.value.replace(tzinfo=None) == rule.value.replace(tzinfo=None)
            for rule in evidence.proved
        )
    )


PUBLISHED: Policy[Evidence] = Policy(
    (
        Feature("the day in the URL", _is_day_of_url, 1.05),
        Feature("another day than in the URL", _contradicts_url, 0.65),
        Feature("on a blog whose URLs have the day", _contradicts_ruling_url, 0.6),
        Feature("another day than a proved rule finds", _contradicts_rule, 0.7),
        Feature("day and month as no rule reads them", _is_in_other_order, 0.7),
        Feature("later than what is as well proved", _is_of_later_change, 0.7),
        Feature("local time labelled as UTC", _is_mislabelled, 0.7),
        Feature("a month or year, and another has the day", _is_vague, 0.5),
    ),
    precedence=(Precedence("the feed's", _is_the_feeds),),
)


# --- what only the entry has


def _change(entry: FeedEntry, ruleset: RuleSet) -> datetime | None:
    """Return when a post was changed, unless a generator wrote all posts then."""
    moment = entry.modified
    is_built = moment is not None and moment.isoformat() == ruleset.facts.dates.build_time
    return None if is_built else moment


_SOURCE_LINE = re.compile(
    r"<p>[^<]{0,80}<a [^<>]*>(?P<title>[^<]{1,300})</a>[^<]{0,80}<a [^<>]*>[^<]{1,200}</a>"
    r"[^<]{0,20}(?:</p>\s*)?$"
)
"""A last line with two links: "The post TITLE appeared first on BLOG" (Yoast SEO, in any language).
"""


def without_source(entry: FeedEntry) -> str:
    """Return a feed's summary without the line that names the post itself and its blog."""
    summary = (entry.summary_html or "").rstrip()
    found = _SOURCE_LINE.search(summary, max(0, summary.rfind("<p>")))
    if found is None or folded(unescape(found["title"])) != folded(entry.title or ""):
        return summary
    return summary[: found.start()]


def _from_entry(out: dict[str, FieldValue], entry: FeedEntry, page: Page, ruleset: RuleSet) -> None:
    """Add what only the feed has, its tags, and its own text where the page gave none."""
    method = source_of(entry)
    summary = html_text(without_source(entry)) if entry.summary_html else ""
    offered: Mapping[str, tuple[Any, str | None]] = {
        "modified": (_change(entry, ruleset), entry.modified_raw),
        "content": (entry.content_html if entry.is_full else None, None),
        "excerpt": (summary, None),
    }
    for name, (value, raw) in offered.items():
        if value and name not in out:
            out[name] = FieldValue(
                value=value, method=method, confidence=_ENTRY["other_fields"], raw=raw
            )
    if entry.tags:
        tags = more_tags(entry.tags, page, ruleset.facts.tags)
        out["tags"] = FieldValue(value=tags, method=method, confidence=_ENTRY["tags"])
