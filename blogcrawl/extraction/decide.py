"""One value per field: candidates of the methods, what feed and site say, and the cross-checks
between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
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
"""Entries that all name one author and still say little of the blog's other authors."""
SITES_OWN = 0.1
"""What is left of the confidence in a title that other posts' pages have as well."""
UNTAUGHT = ("metadata", "generic")
"""Methods that have learned nothing of the blog."""
SHOWN = 0.6
"""Confidence in a heading from which it is the title, where what is told elsewhere is but the
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
    """The winning value of every field that has one."""
    out: dict[str, FieldValue] = {}
    for field, choose in (("title", _title), ("published", _published)):
        told = list(found.get(field, ()))
        if field == "title":
            told = without_section(
                told, page, list(filter(is_learned, found.get("content", ())[:1]))
            )
        value = choose(told, page, ruleset, entry)
        if value is not None:
            out[field] = value
    author = _authors(
        list(found.get("authors", ())),
        page,
        ruleset,
        entry,
        out["title"].value if "title" in out else "",
    )
    if author is not None:
        names = [called(name, page) for name in _list(author.value)]
        out["authors"] = author if names == author.value else replace(author, value=names)
    for field in ("subtitle", "modified", "tags", "content", "language", "excerpt"):
        values = found.get(field, ())
        if values:
            out[field] = (
                first_guess(values)
                if field == "content"
                else max(values, key=lambda v: v.confidence)
            )
    if entry is not None:
        _from_entry(out, entry)
        if entry.tags:
            out["tags"] = FieldValue(
                value=more_tags(entry.tags, page, ruleset.constants),
                method=source_of(entry),
                confidence=0.95,
            )
    subtitle, title = out.get("subtitle"), out.get("title")
    if subtitle and title and folded(subtitle.value) == folded(title.value):
        del out["subtitle"]
    return out


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


def _said(entry: FeedEntry | None, value: Any, raw: str | None = None) -> FieldValue | None:
    if entry is None or not value:
        return None
    sure = 0.97 if "feed" in entry.source or "json" in entry.source else 0.75
    return FieldValue(value=value, method=source_of(entry), confidence=sure, raw=raw)


def _title(
    values: list[FieldValue], page: Page, ruleset: RuleSet, entry: FeedEntry | None
) -> FieldValue | None:
    feed = html_text(entry.title) if entry and entry.title else ""
    said = _said(entry, feed if 0 < len(feed) <= 300 else None)
    if said is not None and said.confidence > 0.9:
        return _uncut(said, values)
    if said is None and "title" in ruleset.constants.get("absent", ()):
        return None
    common = ruleset.constants.get("common_titles", ())
    head = folded(document_title(page))
    foreign = head if ruleset.constants.get("foreign_heads") else ""
    if foreign or any(title in head for title in common):
        head = ""  # it says nothing of this post
    checked = []
    for value in values:
        if folded(value.value) in common:
            continue
        if ruleset.constants.get("recased"):
            value = replace(value, value=spelled(value.value, document_title(page)))
        text = folded(value.value)
        others = (
            [head, *(folded(v.value) for v in values if _source(v) != _source(value))]
            if head
            else []
        )
        inside = not head or any(goes_with(text, other) for other in others if other)
        is_sites = text in ruleset.constants.get("headings", ()) or (
            bool(foreign) and text in foreign
        )
        factor = SITES_OWN if is_sites else 1.0 if inside else 0.7
        checked.append(
            value if factor == 1.0 else replace(value, confidence=value.confidence * factor)
        )
    if said is not None:
        checked.append(said)
    if not checked:
        return (
            FieldValue(value=document_title(page), method="title", confidence=0.3) if head else None
        )
    best = max(checked, key=lambda v: v.confidence)
    shown = [
        v
        for v in checked
        if v.rule in LEVELS and v.confidence >= SHOWN and is_part(v.value, best.value)
    ]
    return shown[0] if shown else best


def _uncut(said: FieldValue, values: Sequence[FieldValue]) -> FieldValue:
    """The feed's title; where that ends in marks of omission, the page's that goes on. One that has
    them as well is not cut: its author wrote them."""
    begun = title_begun(said.value)
    if not begun:
        return said
    texts = [(fold(v.value).casefold(), v) for v in values]
    whole = [
        v
        for text, v in texts
        if text.startswith(begun) and text[len(begun) :].lstrip()[:1] not in {"", "…", ".", "["}
    ]
    return max(whole, key=lambda v: v.confidence, default=said)


def _source(value: FieldValue) -> str:
    """Which part of a page the candidate stands in: what two elements of the head
    say is said once.
    """
    return (value.rule or value.method).split()[0]


def _authors(
    values: list[FieldValue], page: Page, ruleset: RuleSet, entry: FeedEntry | None, title: str
) -> FieldValue | None:
    misnamed = ruleset.constants.get("misnamed")
    told = list(map(name_of, entry.authors)) if entry is not None else []
    said = _said(entry, [name for name in told if name])
    if said is not None:
        if not all(map(is_placeholder, said.value)) and said.value != [misnamed]:
            return said
        values = [*values, said]
    if misnamed:
        values = [
            replace(v, confidence=min(v.confidence, EMPTY_NAME))
            if _list(v.value) == [misnamed]
            else v
            for v in values
        ]
    plausible = [
        _doubted(v) for v in values if v.value and all(_is_name(name) for name in _list(v.value))
    ]
    only = ruleset.constants.get("authors")
    if only:
        share = float(ruleset.constants.get("authors_share", 1.0))
        sure = 0.8 if share > ALWAYS and ruleset.samples > FEW else 0.4 * share
        usual = FieldValue(
            value=list(only),
            method="constant",
            confidence=round(sure, 3),
            rule="the blog's usual author",
        )
        plausible.append(_doubted(usual))
        # a page that names the only author in any way confirms it
        names = {folded(name) for name in only}
        for value in plausible[:-1]:
            said_here = {folded(name) for name in _list(value.value)}
            if value.confidence > EMPTY_NAME and names & said_here:
                return value
            if (
                len(names) == len(said_here) == 1
                and dice(*names, *said_here) >= SPELLED
                and share > ALWAYS
            ):
                return replace(value, value=list(only))
    if misnamed and not plausible:
        return FieldValue(
            value=[misnamed],
            method="constant",
            confidence=EMPTY_NAME,
            rule="the feed's author of all posts",
        )
    best = max(plausible, key=lambda v: v.confidence, default=None)
    best = _with_others(best, plausible) if best is not None else None
    if (best is None or best.confidence < 0.5) and ruleset.constants.get("names"):
        named = _known_name(page, ruleset.constants["names"], title)
        if named is not None:
            return named
    return best


def _with_others(best: FieldValue, plausible: list[FieldValue]) -> FieldValue:
    """All authors of the post, where a byline names others beside the one whom the
    best source has.
    """
    names = _list(best.value)
    if best.method not in UNTAUGHT or len(names) != 1:
        return best
    more = [
        v
        for v in plausible
        if v.method in UNTAUGHT
        and v.confidence >= 0.5
        and len(_list(v.value)) > 1
        and names[0] in _list(v.value)
    ]
    return more[0] if more else best


def _doubted(value: FieldValue) -> FieldValue:
    """``admin`` is hardly an author, and a newsroom one only where no person is named, but a feed
    or a rule knows its blog.
    """
    if value.method in UNTAUGHT and all(map(is_newsroom, _list(value.value))):
        return replace(value, confidence=min(value.confidence, NEWSROOM))
    return (
        replace(value, confidence=min(value.confidence, EMPTY_NAME))
        if all(map(is_placeholder, _list(value.value)))
        else value
    )


def _known_name(page: Page, names: list[str], title: str) -> FieldValue | None:
    """The only one of the blog's authors who is named around the title: for bylines that no rule
    can cut out.
    """
    body = page.tree.find("body")
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
    said = _said(entry, entry.published if entry else None, entry.published_raw if entry else None)
    if said is not None and said.confidence > 0.9:
        return said
    in_url = url_day(page.url)
    ruled = float(ruleset.constants.get("url_day", 0.5)) >= DAY_RULED
    checked = []
    proved = next(
        (
            v.value
            for v in values
            if v.method == "rules" and v.confidence >= PROVED and isinstance(v.value, datetime)
        ),
        None,
    )
    for value in values:
        if not isinstance(value.value, datetime) or not 1990 <= value.value.year <= 2100:
            continue
        if (
            proved is not None
            and value.method != "rules"
            and abs(value.value - proved) >= ANOTHER_DAY
        ):
            value = replace(value, confidence=UNPROVED * value.confidence)
        goes = agrees(value.value.date(), in_url)
        factor = 1.05 if goes else 1.0 if goes is None else 0.4 if ruled else 0.75
        sure = min(1.0, value.confidence * factor)
        checked.append(value if sure == value.confidence else replace(value, confidence=sure))
    if said is not None:
        goes = agrees(said.value.date(), in_url)
        checked.append(replace(said, confidence=said.confidence * (0.5 if goes is False else 1.0)))
    if in_url and in_url[2] is not None:
        try:
            day = date(in_url[0], in_url[1], in_url[2])
        except ValueError:
            day = None
        if day is not None:
            moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
            checked.append(
                FieldValue(
                    value=moment,
                    method="url",
                    confidence=0.7 if ruled else 0.5,
                    raw=day.isoformat(),
                )
            )
    return max(checked, key=lambda v: v.confidence, default=None)


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
