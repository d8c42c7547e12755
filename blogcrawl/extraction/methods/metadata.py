"""Fields from embedded data and link types. Evidence, not truth: every property has a weight of its
own.

The weights are those of ``confidence.toml``; the chain compares them with what other methods say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from html import unescape
from typing import Any

from blogcrawl.core.page import Page, kept
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.embedded import (
    ARTICLE_TYPES,
    PAGE_TYPES,
    Embedded,
    Item,
    embedded,
    main_entry,
    types_of,
    value_of,
)
from blogcrawl.extraction.fields.names import (
    ROLES,
    is_newsroom,
    is_site_name,
    segments,
    title_names,
)
from blogcrawl.extraction.fields.people import ORGANIZATION, people_of, weighed
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import node_text, squeeze

TITLE = confidences("meta.title")
PUBLISHED_META = confidences("meta.published")
MODIFIED_META = confidences("meta.modified")
AUTHOR_META = confidences("meta.authors")
TAG_META = confidences("meta.tags")
EXCERPT_META = confidences("meta.excerpt")

_WRITTEN_BY = re.compile(
    rf"(?:^|\s)(?:{any_of('bylines', 'by', 'of')}|per|od|fra|från|{ROLES})$"
    r"|(?:tarafından|yazar|kirjoittanut)",
    re.I,
)
_LEAD = re.compile(r"^[|»›·•]+\s+")


class MetadataExtractor:
    """JSON-LD, microdata, microformats, meta tags, link types. Learns nothing: the chain weighs it
    per blog.
    """

    name = "metadata"

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """Return candidates by field, best first; read once per page. None where the page says
        nothing at all.
        """
        return _fields(page) or None

    def supplement(self, page: Page, ruleset: RuleSet | None, have: Sequence[str]) -> Fields | None:
        """Return the same less what is known: to look for titles and authors takes half of the
        time."""
        known = {"content", *have}
        return {
            field: values for field, values in _read(page, known).items() if field not in known
        } or None


@kept
def _fields(page: Page) -> Fields:
    return _read(page)


def _read(page: Page, known: Set[str] = frozenset()) -> Fields:
    """Return candidates by field; titles and authors are not looked for in the markup where they
    are known.
    """
    data = embedded(page)
    names = title_names(page) if "title" not in known else frozenset()
    out: Fields = {}
    for field, value in (
        *declared_dates(page),
        *_from_linked(page, data, names),
        *_from_micro(page, data, names),
        *_from_formats(page, data, names),
        *_from_meta(data, names),
        *_from_markup(page, names, known),
    ):
        out.setdefault(field, []).append(value)
    if (
        (people := out.pop("authors", []))
        and "authors" not in known
        and (people := weighed(page, people))
    ):
        out["authors"] = people
    for candidates in out.values():
        candidates.sort(key=lambda candidate: -candidate.confidence)
    return out


Found = Iterator[tuple[str, FieldValue]]


def _value(value: Any, weight: float, rule: str, raw: str | None = None) -> FieldValue:
    return FieldValue(
        value=value, method="metadata", confidence=round(weight, 3), rule=rule, raw=raw
    )


def _title(text: object, weight: float, rule: str, names: frozenset[str]) -> Found:
    title = _LEAD.sub("", segments(squeeze(unescape(text)), names)) if isinstance(text, str) else ""
    if title and len(title) < 500:
        yield (
            "title",
            _value(
                title,
                weight * (0.3 if is_site_name(title, names) else 1.0),
                rule,
                text if isinstance(text, str) else None,
            ),
        )


def _date(field: str, text: object, weight: float, rule: str) -> Found:
    when = machine_date(text) if isinstance(text, str) else None
    if when is not None:
        weight -= 0.0 if when.has_time else 0.05
        yield field, _value(when.aware(), weight, rule, str(text))


def _authors(found: list[str], weight: float, rule: str) -> Found:
    named = list(dict.fromkeys(name for text in found for name in people_of(text)))
    people = [name for name in named if not is_newsroom(name)] or named
    if people:
        yield "authors", _value(people, weight, rule)


def _tags(found: list[str], weight: float, rule: str) -> Found:
    words = (
        squeeze(word).lstrip("#")
        for text in found
        for word in (text.split(",") if "," in text else [text])
    )
    tags = list(dict.fromkeys(word for word in words if 0 < len(word) <= 60))
    if tags:
        yield "tags", _value(tags[:60], weight, rule)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return _strings(value.get("name") or value.get("@value") or [])
    if isinstance(value, list):
        return [text for member in value[:60] for text in _strings(member)]
    return []


def article_of(page: Page, data: Embedded) -> Item | None:
    """Return the JSON-LD object that describes this page's post: the one that names the page, else
    the only one.
    """
    articles = [item for item in data.linked if types_of(item) & ARTICLE_TYPES and _headline(item)]
    if len(articles) <= 1:
        return articles[0] if articles else None
    title = squeeze(page.tree.findtext(".//head/title")).casefold()
    for item in articles:
        headline = " ".join(_strings(_headline(item))).casefold()
        if headline and headline in title:
            return item
    return next((item for item in articles if _is_at(item, page.url)), None)


def _is_at(item: Item, url: str) -> bool:
    return url.rstrip("/") in {place.rstrip("/") for place in _places(item)}


def _headline(item: Item) -> Any:
    return item.get("headline") or item.get("name")


def _places(item: Item) -> list[str]:
    main = item.get("mainEntityOfPage")
    return [
        text
        for value in (
            item.get("url"),
            item.get("@id"),
            main.get("@id") if isinstance(main, dict) else main,
        )
        for text in _strings(value)
    ]


def _from_linked(page: Page, data: Embedded, names: frozenset[str]) -> Found:
    item = article_of(page, data)
    if item is None:
        return
    key = "headline" if item.get("headline") else "name"
    for text in _strings(item.get(key))[:1]:
        yield from _title(text, TITLE[key], f"json-ld {key}", names)
    for text in _strings(item.get("alternativeHeadline"))[:1]:
        yield "subtitle", _value(squeeze(text), 0.7, "json-ld alternativeHeadline")
    yield from _linked_authors(item, data)
    yield from _tags(_strings(item.get("keywords")), 0.7, "json-ld keywords")
    for text in _strings(item.get("inLanguage"))[:1]:
        yield "language", _value(text, 0.7, "json-ld inLanguage")
    for text in _strings(item.get("description"))[:1]:
        yield "excerpt", _value(squeeze(text), 0.65, "json-ld description")


def declared_changes(page: Page) -> list[FieldValue]:
    """Return when the page declares its post to have been changed, the surest first."""
    changes = [value for field, value in declared_dates(page) if field == "modified"]
    return sorted(changes, key=lambda value: -value.confidence)


def declared_dates(page: Page) -> Found:
    """Yield the dates of JSON-LD, microdata, microformats and meta tags."""
    data = embedded(page)
    item, micro, entry = article_of(page, data), _article_scope(data), main_entry(data)
    if item is not None:
        published = item.get("datePublished") or item.get("dateCreated")
        yield from _linked_dates({**item, "datePublished": published}, 0.9, "json-ld ")
    else:  # dates of the WebPage node stand for its post (Yoast's graph)
        for other in (other for other in data.linked if "WebPage" in types_of(other)):
            yield from _linked_dates(other, 0.8, "json-ld WebPage.")
    yield from _micro_dates(micro)
    yield from _format_dates(entry.properties if entry is not None else {})
    for field, weights in (("published", PUBLISHED_META), ("modified", MODIFIED_META)):
        for name, weight in weights.items():
            yield from _date(field, data.first(name), weight, f"meta {name}")


def _micro_dates(found: Mapping[str, Sequence[Any]]) -> Found:
    for field, names in _MICRO_DATES:
        for node in next((found[name] for name in names if name in found), ())[:1]:
            yield from _date(field, value_of(node), 0.86, f"microdata {names[0]}")


def _format_dates(found: Mapping[str, Sequence[Any]]) -> Found:
    for field, name, weight in _FORMAT_DATES:
        for node in found.get(name, ())[:1]:
            yield from _date(field, value_of(node), weight, f"h-entry {name}")


_MICRO_DATES = (
    ("published", ("datePublished", "dateCreated")),
    ("modified", ("dateModified",)),
)
"""Field and properties of the dates in microdata, the first of which counts."""


def _linked_dates(item: Item, weight: float, rule: str) -> Found:
    """Yield the dates of a JSON-LD object; ``rule`` goes before the property's name."""
    for field, name in (("published", "datePublished"), ("modified", "dateModified")):
        yield from _date(field, item.get(name), weight, rule + name)


def _linked_authors(item: Item, data: Embedded) -> Found:
    """Yield the authors of a JSON-LD object, less sure where one is not declared a person."""
    people: list[str] = []
    weight = 0.85
    value = item.get("author") or item.get("creator") or []
    for member in value if isinstance(value, list) else [value]:
        whole = (
            data.by_id.get(member.get("@id", ""), member) if isinstance(member, dict) else member
        )
        if isinstance(whole, dict) and "Person" not in types_of(whole):
            weight = min(weight, 0.4 if "Organization" in types_of(whole) else 0.7)
        people += _strings(whole)
    yield from _authors(people, weight, "json-ld author" if weight > 0.4 else ORGANIZATION)


def _from_micro(page: Page, data: Embedded, names: frozenset[str]) -> Found:
    properties = _article_scope(data)

    def first(*keys: str) -> list[Any]:
        return next((properties[key] for key in keys if key in properties), [])[:1]

    for name in ("headline", "name"):
        for node in first(name):
            yield from _title(_shown_title(page, node), TITLE[name], f"microdata {name}", names)
    people = [_person(node) for node in properties.get("author", [])]
    yield from _authors(people, 0.8, "microdata author")
    for node in first("articleBody"):
        if node.tag != "meta":
            yield "content", _value(node, 0.75, "microdata articleBody")
    words = [value_of(node) for node in properties.get("keywords", [])]
    yield from _tags(words, 0.65, "microdata keywords")


def _article_scope(data: Embedded) -> Mapping[str, list[Any]]:
    """Return the properties of the post's microdata scope: the only one with a body, as related
    posts carry a scope too; {} where several have one.
    """
    scopes = _scopes_of(data, ARTICLE_TYPES) or _dated_pages(data)
    if len(scopes) > 1:
        bodies = {"articleBody", "text", "recipeInstructions"}
        scopes = [scope for scope in scopes if scope.keys() & bodies] or scopes[:1]
    return scopes[0] if len(scopes) == 1 else {}


def _scopes_of(data: Embedded, kinds: frozenset[str]) -> list[Mapping[str, list[Any]]]:
    return [properties for kind, _, properties in data.micro if kind in kinds]


def _dated_pages(data: Embedded) -> list[Mapping[str, list[Any]]]:
    """Return the scopes of pages that have a day of publication: themes that call all of the page a
    blog give that the post's."""
    return [scope for scope in _scopes_of(data, PAGE_TYPES) if "datePublished" in scope]


def _shown_title(page: Page, node: Any) -> str:
    from blogcrawl.extraction.fields.headings import heading_text

    return (
        value_of(node) if node.get("content") or node.get("datetime") else heading_text(page, node)
    )


def _person(node: Any) -> str:
    """Return the name inside an author's element, else its whole text."""
    for inner in node.iter():
        if isinstance(inner.tag, str) and (
            "name" in inner.get("itemprop", "").split()
            or not {"fn", "p-name"}.isdisjoint(inner.get("class", "").split())
        ):
            return value_of(inner)
    return value_of(node)


def _from_formats(page: Page, data: Embedded, names: frozenset[str]) -> Found:
    entry = main_entry(data)
    if entry is None:
        return
    found = entry.properties
    yield from _title_of_format(page, found, names)
    for name in ("p-author", "vcard"):
        people = [_person(node) for node in found.get(name, [])[:4]]
        yield from _authors(people, 0.82, f"h-entry {name}")
    for name, weight in (("e-content", 0.85), ("entry-content", 0.82)):
        nodes = found.get(name, [])
        if len(nodes) == 1 and len(node_text(nodes[0])) > 40:
            yield "content", _value(nodes[0], weight, f"h-entry {name}")
    categories = [value_of(node) for node in found.get("p-category", [])]
    yield from _tags(categories, 0.75, "h-entry p-category")


def _title_of_format(
    page: Page, found: Mapping[str, Sequence[Any]], names: frozenset[str]
) -> Found:
    """Yield the title by the first property that one element has, or a heading first."""
    for name in ("p-name", "entry-title"):
        nodes = found.get(name, ())
        if len(nodes) == 1 or (nodes and nodes[0].tag in {"h1", "h2"}):
            yield from _title(_shown_title(page, nodes[0]), 0.86, f"h-entry {name}", names)
            return


_FORMAT_DATES = (
    ("published", "dt-published", 0.86),
    ("published", "published", 0.86),
    ("modified", "dt-updated", 0.8),
    ("modified", "updated", 0.8),
)
"""Field, property and confidence of the dates in microformats."""


def _from_meta(data: Embedded, names: frozenset[str]) -> Found:
    for name in ("og:title", "twitter:title", "dc.title", "dcterms.title"):
        yield from _title(data.first(name), TITLE[name], f"meta {name}", names)
    for name, weight in AUTHOR_META.items():
        yield from _authors(data.meta.get(name, []), weight, f"meta {name}")
    if _WRITTEN_BY.search(data.first("twitter:label1") or ""):
        yield from _authors(
            data.meta.get("twitter:data1", [])[:1],
            confidences("authors")["card"],
            "meta twitter:data1",
        )
    for name, weight in TAG_META.items():
        yield from _tags(data.meta.get(name, []), weight, f"meta {name}")
    for name, weight in EXCERPT_META.items():
        text = data.first(name)
        if text:
            yield "excerpt", _value(text, weight, f"meta {name}")
    language = data.first("og:locale", "content-language", "language", "dc.language")
    if language:
        yield "language", _value(language.replace("_", "-"), 0.5, "meta language")


def _from_markup(page: Page, names: frozenset[str], known: Set[str]) -> Found:
    from blogcrawl.extraction.fields.authors import markup_authors
    from blogcrawl.extraction.fields.byline import markup_dates, markup_tags
    from blogcrawl.extraction.fields.headings import markup_titles

    for text, weight, rule in markup_titles(page) if "title" not in known else ():
        yield from _title(text, weight, rule, names)
    for text, weight, rule in markup_dates(page):
        yield from _date("published", text, weight, rule)
    for texts, weight, rule in markup_authors(page) if "authors" not in known else ():
        yield from _authors(texts, weight, rule)
    yield from _tags(markup_tags(page), 0.7, "rel=tag")
    language = page.tree.get("lang")
    if language:
        yield "language", _value(squeeze(language), 0.75, "html lang")
