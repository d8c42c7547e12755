"""The heading that readers take for the post's title, without what themes put into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED, Walk, unnested
from blogcrawl.core.page import Page, kept
from blogcrawl.core.records import FieldValue
from blogcrawl.dates.parse import is_moment
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import document_title, found, is_aside
from blogcrawl.extraction.fields.embedded import embedded, types_of
from blogcrawl.extraction.fields.names import SEPARATOR, segments, title_names
from blogcrawl.lexicon.comment_words import names_comments
from blogcrawl.lexicon.css_classes import kind_of, words_of
from blogcrawl.lexicon.vocabulary import word_set
from blogcrawl.text.lengths import MAX_TITLE, MIN_SENTENCE
from blogcrawl.text.similarity import fold, folded, tokens
from blogcrawl.text.visible import (
    SILENT_TAGS,
    Texts,
    has_more_elements,
    is_longer,
    node_text,
    squeeze,
    stripped,
)
from blogcrawl.urls.canonical import canonicalize, same_site

_WEIGHTS = confidences("title")

_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
LEVELS = {"h1": 0.3, "h2": 0.2, "h3": 0.1}
ALIKE = 0.4
"""Share of a heading's words that must stand in a declared title, or of that title's in it, where
the two are worded differently: search engines get shorter titles than readers."""
STEM, MIN_STEMS = 5, 2
"""Letters by which words are compared (inflected they end otherwise), and how many must be the
same.
"""
_EXTRA = word_set("css_classes", "not_title")
"""Class words of what themes put into the heading besides the headline."""
_UNREAD = word_set("css_classes", "unread")
"""Words of class names by which themes keep a heading for those who listen."""
_EXTRA_TAGS = frozenset(("time", "rt", "rp"))
MAX_HEADING = 2 * MAX_TITLE
"""Characters of a heading with the section, date and byline that stand in it."""


@kept
def heading_of(page: Page) -> tuple[HtmlElement, float] | None:
    """Return the heading that most likely is the post's title, with a weight.

    One that stands in the document's title or in one declared to other sites beats others, then one
    that words it otherwise; the longer and the higher level, the better. One of the first level in
    a sidebar counts only where no other is sure.
    """
    weighed = sorted(_weighed_headings(page), key=lambda pair: -pair[0])
    best = next((pair for pair in weighed if not is_aside(pair[1])), None)
    if best is None or best[0] < SURE:
        known = filter(None, (best, _heading_aside(weighed)))
        best = max(known, key=lambda pair: pair[0], default=None)
    return (best[1], max(0.05, min(0.9, best[0]))) if best else None


def heading_element(page: Page) -> HtmlElement | None:
    """Return the same heading without its weight."""
    heading = heading_of(page)
    return heading[0] if heading is not None else None


def common_box(heading: HtmlElement, content: HtmlElement) -> HtmlElement | None:
    """Return the innermost element that holds both; None where the body does."""
    around = {content, *content.iterancestors()}
    outer = next((node for node in heading.iterancestors() if node in around), None)
    return None if outer is None or outer.tag in {"body", "html"} else outer


def headline(page: Page) -> str:
    """Return the text of that heading; "" where there is none."""
    heading = heading_of(page)
    return node_text(heading[0]) if heading is not None else ""


def linked_headings(page: Page) -> Iterator[str]:
    """Yield the texts of headings that are a link to another page of the site."""
    own = canonicalize(page.url)
    for heading in islice(page.tree.iter(*LEVELS), MAX_TRIED):
        link, text = next(heading.iter("a"), None), node_text(heading)
        url = page.absolute(link.get("href") or "") if link is not None else None
        if link is None or url is None or not text or text != node_text(link):
            continue
        if same_site(url, page.url) and canonicalize(url) != own:
            yield text


def _heading_aside(
    weighed: Iterable[tuple[float, HtmlElement]],
) -> tuple[float, HtmlElement] | None:
    """Return the first heading of the first level in a sidebar, with its weight there."""
    for weight, heading in weighed:
        if heading.tag == "h1" and is_aside(heading):
            return weight - _WEIGHTS["in_aside"], heading
    return None


def shown_headings(page: Page) -> list[tuple[str, FieldValue]]:
    """Return the headings outside of sidebars in their order, as candidates for the title, each
    with its folded text.
    """
    return [
        (
            fold(heading_text(page, heading)).casefold(),
            FieldValue(
                value=heading_text(page, heading),
                method="generic",
                confidence=max(0.05, min(0.9, weight)),
                rule=heading.tag,
            ),
        )
        for weight, heading in _weighed_headings(page)
        if not is_aside(heading)
    ]


def _weighed_headings(page: Page) -> Iterator[tuple[float, HtmlElement]]:
    """Yield the headings that are short enough for a title, with their weight."""
    headings = found(_HEADINGS, page.tree)
    first = [heading for heading in headings if heading.tag == "h1"]
    texts = _texts(page, dict.fromkeys((*first, *headings[:MAX_TRIED])))
    title = fold(document_title(page)).casefold()
    names_post = _shows_first_part(title, texts)
    for place, (heading, text) in enumerate(texts):
        if text and len(text) <= MAX_TITLE and not _is_other_label(page, text):
            only = _WEIGHTS["only_heading"] if heading.tag == "h1" and len(first) == 1 else 0.0
            is_banner = names_post and _names_section(text, title)
            weight = -_WEIGHTS["site_name"] if is_banner else _named(page, text, title)
            weight += _weight(page, heading, text) + only
            yield weight - 0.01 * min(place, 10), heading


def _texts(page: Page, headings: Iterable[HtmlElement]) -> list[tuple[HtmlElement, str]]:
    """Return the headings that are not too long, each with its folded text. One that holds others
    and more elements than a title has characters was never closed."""
    closed = (
        heading
        for heading in headings
        if next(heading.iterdescendants(*LEVELS), None) is None
        or not has_more_elements(heading, MAX_TITLE)
    )
    short = (heading for heading in closed if not is_longer(heading, MAX_HEADING))
    return [(heading, fold(heading_text(page, heading)).casefold()) for heading in short]


def _shows_first_part(title: str, headings: Sequence[tuple[HtmlElement, str]]) -> bool:
    """Return whether a heading outside of sidebars has the first part of a document's title of
    several: a heading with a later part alone is the site's banner then.
    """
    parts = _parts_of(title)
    return len(parts) > 1 and any(
        parts[0] in text and not is_aside(heading) for heading, text in headings
    )


def _is_other_label(page: Page, text: str) -> bool:
    """Return whether a heading is but a day or time, as many a theme has it above the day's posts,
    or heads the comments or the form for them, and the page does not declare it as its title.
    """
    is_label_of = names_comments(text) or is_moment(text, page.tree.get("lang"))
    return is_label_of and not is_declared(page, text)


SURE = 0.75
"""Weight of a heading from which no other is looked for where sidebars are."""


def _weight(page: Page, heading: HtmlElement, text: str) -> float:
    """Weigh a heading with this folded text by its level, its names and the site's."""
    weight = LEVELS[heading.tag]
    if text.strip(" .") in title_names(page):
        weight -= _WEIGHTS["site_name"]
    label = " ".join(filter(None, (heading.get("class"), heading.get("itemprop"))))
    if label and (kind_of(label) == "hidden" or not _UNREAD.isdisjoint(words_of(label))):
        weight -= _WEIGHTS["unseen"]
    return weight + (0.05 if "title" in label or "headline" in label else 0.0)


def _named(page: Page, text: str, title: str) -> float:
    """Weigh a heading's text by what the document's title and those declared to others say."""
    if len(text) > 2 and (text in title or text in declared_titles(page)):
        is_first = text in _parts_of(title)[:1]
        return (
            0.4
            + (_WEIGHTS["before_separator"] if is_first else 0.0)
            + 0.25 * min(1.0, len(text) / max(1, len(title)))
        )
    if _names_section(text, title):
        return -_WEIGHTS["site_name"]
    return 0.5 if is_declared(page, text) else 0.0


def _names_section(text: str, title: str) -> bool:
    """Return whether a heading holds but the parts of the document's title that stand behind the
    post's: it is the site's banner.
    """
    parts = _parts_of(title)
    return (
        len(parts) > 1
        and any(part in text for part in parts[1:])
        and not is_reworded(text, parts[0])
    )


def _parts_of(title: str) -> list[str]:
    """Return what stands between the separators of a folded title."""
    return [part.strip() for part in SEPARATOR.split(title) if part and len(part.strip()) > 2]


def is_declared(page: Page, text: str) -> bool:
    """Return whether a folded title is in what the page is called elsewhere, or holds it, or is
    worded otherwise but alike.
    """
    title = fold(document_title(page)).casefold()
    return any(goes_with(text, other) for other in (title, *declared_titles(page)) if other)


def goes_with(text: str, other: str) -> bool:
    """Return whether two folded titles can be the same post's."""
    return text in other or other in text or is_reworded(text, other)


@kept
def declared_titles(page: Page) -> frozenset[str]:
    """Return the titles that the page declares to other sites, folded."""
    data = embedded(page)
    texts = [data.first(name) for name in ("og:title", "twitter:title")]
    texts += [
        item["headline"]
        for item in data.linked[:8]
        if isinstance(item.get("headline"), str) and "Comment" not in types_of(item)
    ]
    names = title_names(page)
    return frozenset(
        key for text in texts if text and (key := fold(segments(text, names)).casefold())
    )


def is_reworded(text: str, title: str) -> bool:
    """Return whether most words of one of two folded titles stand in the other."""
    a, b = _stems(text), _stems(title)
    same = len(a & b)
    return (same >= MIN_STEMS and same >= ALIKE * min(len(a), len(b))) or 0 < len(a) == same


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in tokens(text) if len(word) > 3)


def without_section(
    values: Sequence[FieldValue],
    page: Page,
    contents: Sequence[FieldValue],
    template: Set[str] = frozenset(),
) -> list[FieldValue]:
    """Return the titles without the page's heading, whatever method reads it, where that stands
    amid the post's text and the document is not called so. ``template``: texts that are no post's.
    """
    node = contents[0].value if contents else None
    headed = [v for v in values if v.rule in LEVELS]
    if not headed or not isinstance(node, HtmlElement):
        return list(values)
    doubted = _undeclared(headed, page)
    if not doubted or sum(map(len, texts_before(page, node) - template)) < MIN_SENTENCE:
        return list(values)
    sections = {folded(v.value) for v in doubted}
    return [v for v in values if folded(v.value) not in sections]


def _undeclared(values: Iterable[FieldValue], page: Page) -> list[FieldValue]:
    """Return the titles that stand in no title which the document declares."""
    declared = (fold(document_title(page)).casefold(), *declared_titles(page))
    return [v for v in values if not any(fold(v.value).casefold() in t for t in declared)]


def texts_before(page: Page, content: HtmlElement) -> Set[str]:
    """Return the texts outside of links before the page's heading inside the content; none where
    the heading is elsewhere.
    """
    heading = heading_element(page)
    out: set[str] = set()
    if heading is None or content not in (above := set(heading.iterancestors())):
        return out
    for element in content.iter():
        if element is heading:
            break
        if isinstance(element.tag, str) and element.tag not in _NO_PROSE:
            out.add(stripped(element.text))
        if element not in above:
            out.add(stripped(element.tail))
    return out - {""}


_NO_PROSE = SILENT_TAGS | {"a"}


def is_part(title: str, longer: str) -> bool:
    """Return whether a title is one end of another, with a separator between it and the rest."""
    a, b = fold(title).casefold(), fold(longer).casefold()
    if len(a) >= len(b) or not a:
        return False
    return any(
        (m.start() <= len(a) and b.startswith(a) and b[: m.start()].strip() == a)
        or b[m.end() :].strip() == a
        for m in SEPARATOR.finditer(b)
    )


def heading_text(page: Page, heading: HtmlElement) -> str:
    """Return the headline's words: those of the heading without section, date and byline that stand
    in elements of their own; all words of one with more elements than a headline has.
    """
    text = node_text(heading)
    if not len(heading) or has_more_elements(heading, MAX_TRIED):
        return text
    parts = list(unnested(_parts(heading, Texts())))
    own = [part for part, is_extra in parts if not is_extra]
    gap = " " if heading.find(".//ruby") is None else ""
    kept = squeeze(gap.join(own)).strip(" |:·•")
    if kept and len(kept) < len(text) and len(own) < len(parts):
        return _declared_end(page, own) or kept
    return _declared_end(page, [part for part, _ in parts]) or text


Part = tuple[str, bool]


def _parts(node: HtmlElement, texts: Texts) -> Walk[Part]:
    """Yield the heading's text as its elements part it, and whether an element's name, or a date or
    time that is alone in it, says that it is no part of the headline; of other elements their own.
    """
    if node.text and node.text.strip():
        yield squeeze(node.text), False
    for child in node:
        if child.tag in _EXTRA_TAGS or (child.tag not in SILENT_TAGS and _is_extra(child, texts)):
            yield texts.of(child), True
        elif isinstance(child.tag, str) and child.tag not in SILENT_TAGS:
            yield _parts(child, texts)
        if child.tail and child.tail.strip():
            yield squeeze(child.tail), False


def _is_extra(node: HtmlElement, texts: Texts) -> bool:
    names = (node.get("class") or "").split()  # a comment has no attributes and knows no default
    return is_moment(texts.of(node)) or any(
        not _EXTRA.isdisjoint(words_of(name)) or kind_of(name) == "hidden" for name in names
    )


def _declared_end(page: Page, parts: list[str]) -> str:
    """Return the parts at one end of the heading that are the title declared elsewhere, or what
    follows the first parts and a colon in it; "" if none.
    """
    if len(parts) < 2:
        return ""
    title = fold(document_title(page)).casefold()
    pieces = (part.strip() for part in SEPARATOR.split(title) if part)
    declared = {*declared_titles(page), title, *pieces}
    if fold(" ".join(parts)).casefold() in declared:
        return ""
    for cut in range(1, len(parts)):
        first, rest = " ".join(parts[:cut]), " ".join(parts[cut:])
        if _ends_declared(fold(first).casefold(), fold(rest).casefold(), declared):
            return rest
        if fold(first).casefold() in declared and len(first) > len(rest):
            return first
    return ""


def _ends_declared(first: str, rest: str, declared: Set[str]) -> bool:
    """Return whether ``rest`` is a declared title, or one is ``first``, a separator and
    ``rest``."""
    before = first.strip(" :|-")
    return rest in declared or any(
        _KICKED.fullmatch(text[len(before) : -len(rest)])
        for text in declared
        if text.startswith(before) and text.endswith(rest)
    )


_KICKED = re.compile(r"\s*[:|–—-]\s*")


def markup_titles(page: Page) -> Iterator[tuple[str, float, str]]:
    """Yield text, weight and rule of the heading and of the document's title without the site."""
    heading = heading_of(page)
    if heading is not None:
        yield heading_text(page, heading[0]), heading[1], heading[0].tag
    whole = document_title(page)
    cut = segments(whole, title_names(page))
    if cut != whole:
        yield cut, _WEIGHTS["without_site_name"], "title without site name"
    elif whole:
        parts = [part.strip() for part in SEPARATOR.split(whole) if part and part.strip()]
        yield (parts[0], 0.3, "title, first part") if len(parts) > 1 else (whole, 0.34, "title")
