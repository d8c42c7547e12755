"""Field decisions: one value per field from the candidates of the methods, feed and site, with
cross-checks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue
from blogcrawl.dates.url_date import agrees, url_day
from blogcrawl.extraction.fields.byline import document_title, spelled
from blogcrawl.extraction.fields.headings import LEVELS, goes_with, is_part, without_section
from blogcrawl.extraction.fields.names import called, is_newsroom, is_placeholder
from blogcrawl.extraction.fields.tag_links import more_tags
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.scoring import html_text, name_of, title_begun
from blogcrawl.induction.site_facts import TitleFacts
from blogcrawl.text.similarity import dice, fold, folded
from blogcrawl.text.visible import node_text

_NAME = re.compile(r"[^\W\d_]")
NEAR_TITLE = 160
"""Characters before and after the title in which a byline stands."""
GUESS = 0.5
"""Confidence below which E-mCST and the machines found the content by what is usual, not by what
they learned of the blog.
"""
FEW = 4
"""Entries up to which one author of all is little evidence that the blog has no other."""
SITES_OWN = 0.1
"""What is left of the confidence in a title that other posts' pages have as well."""
UNTAUGHT = ("metadata", "generic")
"""Methods that have learned nothing of the blog."""
SHOWN = 0.6
"""Confidence in a heading from which it is the title, where the title given elsewhere is the
heading and more.
"""
ALWAYS, SPELLED = 0.95, 0.85
"""Share of the entries from which one author is the blog's, and likeness from which a name on a
page is but another spelling of it.
"""
NEWSROOM = 0.1
"""Confidence in a newsroom as author on a page of a site that nothing is known of: any person is
better.
"""
EMPTY_NAME = 0.05
"""Confidence in an author called ``admin`` and the like: any name is better."""
PROVED, UNPROVED = 0.6, 0.7
"""Confidence from which a rule for the date, right on the feed's posts, is believed before what was
checked on none; what is left of the confidence in such a date."""
ANOTHER_DAY = timedelta(days=2)
"""Apart from which two dates are no longer one in two time zones."""
DAY_RULED = 0.9
"""Share of samples whose URL's date is the feed's, from which the URL may overrule
other evidence.
"""


def decide(
    found: Fields, page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> dict[str, FieldValue]:
    """Choose one value for every field that has candidates.

    ``found``: candidates of the methods; ``entry``: what feed or sitemap have of the post.
    """
    content = list(filter(is_learned, found.get("content", ())[:1]))
    titles = without_section(list(found.get("title", ())), page, content)
    title = _title(titles, page, ruleset, entry)
    chosen = {
        "title": title,
        "published": _published(list(found.get("published", ())), page, ruleset, entry),
        "authors": _called_authors(
            _authors(
                list(found.get("authors", ())), page, ruleset, entry, title.value if title else ""
            ),
            page,
        ),
        **{name: _surest(found.get(name, ())) for name in ("subtitle", "modified", "tags")},
        "content": first_guess(found["content"]) if found.get("content") else None,
        **{name: _surest(found.get(name, ())) for name in ("language", "excerpt")},
    }
    out = {name: value for name, value in chosen.items() if value is not None}
    if entry is not None:
        _from_entry(out, entry)
        if entry.tags:
            tags = more_tags(entry.tags, page, ruleset.facts.tags)
            out["tags"] = FieldValue(value=tags, method=source_of(entry), confidence=0.95)
    if "subtitle" in out and title and folded(out["subtitle"].value) == folded(title.value):
        del out["subtitle"]
    return out


def _surest(values: Sequence[FieldValue]) -> FieldValue | None:
    """Return the candidate with the highest confidence, None of none."""
    return max(values, key=lambda v: v.confidence, default=None)


def _called_authors(author: FieldValue | None, page: Page) -> FieldValue | None:
    """Return the authors as the page calls them."""
    if author is None:
        return None
    names = [called(name, page) for name in _list(author.value)]
    return author if names == author.value else replace(author, value=names)


def first_guess(values: Sequence[FieldValue]) -> FieldValue:
    """The content that stands for a page: what was learned of the blog or marked by the page, in
    the order of the methods; of guesses from the page alone the scorer's, which looks at names,
    heading and text together, then the surest."""
    if not _is_guess(values[0]):
        return values[0]
    own = [value for value in values if value.method == "generic"]
    return max(own or values, key=lambda value: value.confidence)


def _is_guess(value: FieldValue) -> bool:
    """Whether the first method that found content knew nothing of the blog: then the others' words
    are weighed as well.
    """
    return value.method in ("mcst", "svm") and value.confidence < GUESS


def is_learned(value: FieldValue) -> bool:
    """Whether a method found content by what it learned of the blog, not of this page or of pages
    as such.
    """
    return value.method == "rules" or (
        value.method in ("keypath", "series", "mcst") and value.confidence >= GUESS
    )


def source_of(entry: FeedEntry) -> str:
    """What gave an entry its fields. A sitemap that has the address too gave none of them, whenever
    it was read.
    """
    return " ".join(word for word in entry.source.split() if word != "sitemap") or entry.source


def _from_feed(entry: FeedEntry | None, value: Any, raw: str | None = None) -> FieldValue | None:
    """Return a field of the entry as a candidate; None where it has none."""
    if entry is None or not value:
        return None
    sure = 0.97 if "feed" in entry.source or "json" in entry.source else 0.75
    return FieldValue(value=value, method=source_of(entry), confidence=sure, raw=raw)


def _title(
    values: list[FieldValue], page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> FieldValue | None:
    """Choose the title: the feed's, else the surest candidate that the rest of the page confirms,
    else the document's.
    """
    facts = ruleset.facts
    feed = html_text(entry.title) if entry and entry.title else ""
    reported = _from_feed(entry, feed if 0 < len(feed) <= 300 else None)
    if reported is not None and reported.confidence > 0.9:
        return _uncut(reported, values)
    if reported is None and "title" in facts.absent:
        return None
    head = "" if _is_foreign_head(page, facts.titles) else folded(document_title(page))
    checked = _checked_titles(values, page, facts.titles, head)
    if reported is not None:
        checked.append(reported)
    if checked:
        return _heading_of_title(checked)
    return FieldValue(value=document_title(page), method="title", confidence=0.3) if head else None


def _is_foreign_head(page: Page, facts: TitleFacts) -> bool:
    """Whether the document's title names the blog or another page and says nothing of the post."""
    head = folded(document_title(page))
    if head and facts.foreign_heads:
        return True
    return any(title in head for title in facts.common)


def _checked_titles(
    values: Sequence[FieldValue], page: Page, facts: TitleFacts, head: str
) -> list[FieldValue]:
    """Weigh the candidates but those that most pages bear.

    Less sure are the site's own headings, and what neither the document's title (``head``, folded)
    nor another part of the page goes with.
    """
    sites = {*facts.headings}
    checked = []
    for value in values:
        if folded(value.value) in facts.common:
            continue
        if facts.recased:
            value = replace(value, value=spelled(value.value, document_title(page)))
        text = folded(value.value)
        if text in sites or _is_in_foreign_head(text, page, facts):
            value = replace(value, confidence=value.confidence * SITES_OWN)
        elif head and not _is_confirmed(text, _source(value), values, head):
            value = replace(value, confidence=value.confidence * 0.7)
        checked.append(value)
    return checked


def _is_in_foreign_head(text: str, page: Page, facts: TitleFacts) -> bool:
    """Whether a title, folded, stands in a document's title that names something else."""
    return facts.foreign_heads and text in folded(document_title(page))


def _is_confirmed(text: str, source: str, values: Sequence[FieldValue], head: str) -> bool:
    """Whether a title, folded, goes with the document's or that of another part of the page."""
    others = (folded(value.value) for value in values if _source(value) != source)
    return goes_with(text, head) or any(goes_with(text, other) for other in others if other)


def _heading_of_title(checked: Sequence[FieldValue]) -> FieldValue:
    """Return the surest candidate, or the visible heading where that is but part of it."""
    best = max(checked, key=lambda v: v.confidence)
    headings = (
        v
        for v in checked
        if v.rule in LEVELS and v.confidence >= SHOWN and is_part(v.value, best.value)
    )
    return next(headings, best)


def _uncut(reported: FieldValue, values: Sequence[FieldValue]) -> FieldValue:
    """Return the feed's title; where that ends in marks of omission, the page's that goes on. One
    that has them as well is not cut: its author wrote them."""
    begun = title_begun(reported.value)
    if not begun:
        return reported
    texts = [(fold(v.value).casefold(), v) for v in values]
    whole = [
        v
        for text, v in texts
        if text.startswith(begun) and text[len(begun) :].lstrip()[:1] not in {"", "…", ".", "["}
    ]
    return max(whole, key=lambda v: v.confidence, default=reported)


def _source(value: FieldValue) -> str:
    """Return which part of a page the candidate stands in: two elements of the head are one
    source.
    """
    return (value.rule or value.method).split()[0]


def _authors(
    values: list[FieldValue], page: Page, ruleset: RuleSet, entry: FeedEntry | None, title: str
) -> FieldValue | None:
    """Choose the authors: the feed's, the blog's usual author where the page names them, the surest
    candidate, or a known author named near the title.
    """
    misnamed = ruleset.facts.authors.misnamed
    reported = _from_feed(entry, list(filter(None, map(name_of, entry.authors if entry else ()))))
    if reported is not None:
        if not all(map(is_placeholder, reported.value)) and reported.value != [misnamed]:
            return reported
        values = [*values, reported]
    plausible = [_doubted(v, misnamed) for v in values if _are_names(v.value)]
    usual = _usual_author(ruleset)
    if usual is not None:
        named = _naming_usual(usual.value, plausible, ruleset)
        if named is not None:
            return named
        plausible.append(_doubted(usual))
    if misnamed and not plausible:
        return FieldValue(
            value=[misnamed],
            method="constant",
            confidence=EMPTY_NAME,
            rule="the feed's author of all posts",
        )
    best = _surest(plausible)
    best = _with_others(best, plausible) if best is not None else None
    if best is None or best.confidence < 0.5:
        return _known_name(page, ruleset.facts.authors.names, title) or best
    return best


def _are_names(value: Any) -> bool:
    return bool(value) and all(map(_is_name, _list(value)))


def _usual_author(ruleset: RuleSet) -> FieldValue | None:
    """Return the blog's usual authors as a candidate, as sure as their share of the entries."""
    authors, share = ruleset.facts.authors.usual, ruleset.facts.authors.share
    if not authors:
        return None
    sure = 0.8 if share > ALWAYS and ruleset.samples > FEW else 0.4 * share
    return FieldValue(
        value=list(authors),
        method="constant",
        confidence=round(sure, 3),
        rule="the blog's usual author",
    )


def _naming_usual(
    authors: list[str], plausible: Sequence[FieldValue], ruleset: RuleSet
) -> FieldValue | None:
    """Return the first candidate that names one of the blog's usual authors, or spells the only
    author of nearly all entries differently: with the usual spelling then.
    """
    usual = {folded(name) for name in authors}
    is_always = ruleset.facts.authors.share > ALWAYS
    for value in plausible:
        here = {folded(name) for name in _list(value.value)}
        if value.confidence > EMPTY_NAME and usual & here:
            return value
        if is_always and len(usual) == len(here) == 1 and dice(*usual, *here) >= SPELLED:
            return replace(value, value=list(authors))
    return None


def _with_others(best: FieldValue, plausible: list[FieldValue]) -> FieldValue:
    """Return all authors of the post, where a byline names others than the one whom the best
    source has.
    """
    names = _list(best.value)
    if best.method not in UNTAUGHT or len(names) != 1:
        return best
    more = (
        v
        for v in plausible
        if v.method in UNTAUGHT
        and v.confidence >= 0.5
        and len(_list(v.value)) > 1
        and names[0] in _list(v.value)
    )
    return next(more, best)


def _doubted(value: FieldValue, misnamed: str | None = None) -> FieldValue:
    """Lower the confidence of ``admin``, of the feed's ``misnamed`` author, and of a newsroom
    unless a feed or a rule that knows the blog names it.
    """
    names = _list(value.value)
    if value.method in UNTAUGHT and all(map(is_newsroom, names)):
        most = EMPTY_NAME if names == [misnamed] else NEWSROOM
    elif names == [misnamed] or all(map(is_placeholder, names)):
        most = EMPTY_NAME
    else:
        return value
    return replace(value, confidence=min(value.confidence, most))


def _known_name(page: Page, names: list[str], title: str) -> FieldValue | None:
    """Return the only one of the blog's authors who is named around the title: for bylines that no
    rule can cut out.
    """
    body = page.tree.find("body") if names else None
    text = fold(node_text(body)).casefold() if body is not None else ""
    wanted = folded(title)
    found: set[str] = set()
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        window = text[max(0, at - NEAR_TITLE) : at + len(wanted) + NEAR_TITLE]
        found |= {
            name for name in names if re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", window)
        }
        at = text.find(wanted, at + len(wanted))
    if len(found) != 1:
        return None
    return FieldValue(
        value=sorted(found),
        method="known-name",
        confidence=0.6,
        rule="an author of the blog named near the title",
    )


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    return (
        0 < len(text) <= 80
        and len(text.split()) <= 8
        and bool(_NAME.search(text))
        and sum(c.isdigit() for c in text) <= 4
    )


def _published(
    values: list[FieldValue], page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> FieldValue | None:
    """Choose the day of publication: the feed's, else the surest candidate, weighed by the date in
    the URL.
    """
    reported = (
        _from_feed(entry, entry.published, entry.published_raw) if entry is not None else None
    )
    if reported is not None and reported.confidence > 0.9:
        return reported
    in_url = url_day(page.url)
    ruled = ruleset.facts.dates.url_day >= DAY_RULED
    proved = _proved_date(values)
    checked = [
        _checked_date(value, proved, agrees(value.value.date(), in_url), ruled)
        for value in values
        if isinstance(value.value, datetime) and 1990 <= value.value.year <= 2100
    ]
    if reported is not None:
        contradicts = agrees(reported.value.date(), in_url) is False
        factor = 0.5 if contradicts else 1.0
        checked.append(replace(reported, confidence=reported.confidence * factor))
    checked += _date_of_url(in_url, ruled)
    return _surest(checked)


def _proved_date(values: Sequence[FieldValue]) -> datetime | None:
    """Return the date that a rule found which was right on the feed's posts."""
    for value in values:
        if (
            value.method == "rules"
            and value.confidence >= PROVED
            and isinstance(value.value, datetime)
        ):
            return value.value
    return None


def _checked_date(
    value: FieldValue, proved: datetime | None, in_url: bool | None, ruled: bool
) -> FieldValue:
    """Weigh a date: less sure where a proved rule finds another day or the URL has another.

    ``in_url``: whether the URL's date agrees, None without one; ``ruled``: whether the URLs of the
    blog have the feed's dates.
    """
    sure = value.confidence
    if proved is not None and value.method != "rules":
        sure *= UNPROVED if abs(value.value - proved) >= ANOTHER_DAY else 1.0
    factors = {True: 1.05, None: 1.0, False: 0.4 if ruled else 0.75}
    sure = min(1.0, sure * factors[in_url])
    return value if sure == value.confidence else replace(value, confidence=sure)


def _date_of_url(in_url: tuple[int, int, int | None] | None, ruled: bool) -> Iterator[FieldValue]:
    """Yield the URL's date as a candidate, where it has a day that exists."""
    if in_url is None or in_url[2] is None:
        return
    try:
        moment = datetime(in_url[0], in_url[1], in_url[2], tzinfo=UTC)
    except ValueError:
        return
    yield FieldValue(
        value=moment,
        method="url",
        confidence=0.7 if ruled else 0.5,
        raw=moment.date().isoformat(),
    )


def _from_entry(out: dict[str, FieldValue], entry: FeedEntry) -> None:
    """What only the feed has, and the feed's own text where the page gave none."""
    if entry.modified is not None and "modified" not in out:
        out["modified"] = FieldValue(
            value=entry.modified, method=source_of(entry), confidence=0.9, raw=entry.modified_raw
        )
    if entry.content_html and entry.is_full and "content" not in out:
        out["content"] = FieldValue(
            value=entry.content_html, method=source_of(entry), confidence=0.9
        )
    if entry.summary_html and "excerpt" not in out:
        text = html_text(entry.summary_html)
        if text:
            out["excerpt"] = FieldValue(value=text, method=source_of(entry), confidence=0.9)
