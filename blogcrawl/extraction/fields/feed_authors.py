"""Whether a feed's only author is to be believed: engines name the site, or whoever set it up, for
what several people write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from blogcrawl.core.evidence import MORE_PAGES, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FieldValue
from blogcrawl.extraction.fields.names import SEPARATOR, declared_names, is_person, plain
from blogcrawl.extraction.policy import GUESS
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import Sample
from blogcrawl.text.similarity import fold


def only_author(samples: Sequence[Sample]) -> str | None:
    """Return the author whom all of several entries name."""
    named = {s.entry.authors for s in samples if s.entry.authors}
    declared = (
        next(iter(named))
        if len(named) == 1 and sum(bool(s.entry.authors) for s in samples) >= SEVERAL
        else ()
    )
    return declared[0] if len(declared) == 1 else None


def single_authors(samples: Sequence[Sample]) -> dict[str, list[Page]]:
    """Return the pages of each author whom an entry names alone; {} where fewer than two write."""
    pages: dict[str, list[Page]] = {}
    for sample in spread(sorted(samples, key=lambda s: s.page.url), MORE_PAGES):
        if len(sample.entry.authors) == 1:
            pages.setdefault(sample.entry.authors[0], []).append(sample.page)
    return pages if len(pages) > 1 else {}


def is_feeds_title(name: str, feed: Feed | None) -> bool:
    """Return whether the author is called like the blog."""
    title = feed.title if feed is not None else None
    return bool(title) and plain(fold(name)) in {
        plain(fold(part)) for part in (title or "", *SEPARATOR.split(title or "")) if part
    }


def person_on(page: Page, values: Iterable[FieldValue], author: str) -> str | None:
    """Return the person whom a page names as its author; None where it is ``author``, the site, or
    no one that is sure.
    """
    best = max((v for v in values if v.value), key=lambda v: v.confidence, default=None)
    if best is None or best.confidence < GUESS:
        return None
    names = [best.value] if isinstance(best.value, str) else list(best.value)
    other = fold(author).casefold()
    theirs = declared_names(page)
    if not all(
        is_person(name) and fold(name).casefold() != other and fold(name).casefold() not in theirs
        for name in names
    ):
        return None
    return ", ".join(names)


def asked_pages(samples: Sequence[Sample]) -> list[Page]:
    """Those of the samples' pages that are asked whom they name."""
    return [s.page for s in spread(sorted(samples, key=lambda s: s.page.url), MORE_PAGES)]


def without_authors(samples: Sequence[Sample]) -> list[Sample]:
    return [replace(s, entry=replace(s.entry, authors=())) for s in samples]
