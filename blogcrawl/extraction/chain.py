"""Field by field, the best supported value of all methods wins (design: evidence, then cross-checks)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from blogcrawl.extraction.base import Extractor
from blogcrawl.extraction.induced import InducedRules
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.items import Fields
from blogcrawl.page import Page

METHODS: tuple[tuple[str, str, str], ...] = (
    ("keypath", "blogcrawl.extraction.keypaths", "KeyPaths"),
    ("metadata", "blogcrawl.extraction.metadata", "MetadataExtractor"),
    ("mcst", "blogcrawl.extraction.mcst", "McstExtractor"),
    ("series", "blogcrawl.extraction.series", "SeriesExtractor"),
    ("svm", "blogcrawl.extraction.svm", "SvmExtractor"),
    ("generic", "blogcrawl.extraction.generic", "GenericExtractor"),
)
"""Name, module and class of the methods after the induced rules, in the order they are asked; loaded when asked."""

FIELDS = ("title", "subtitle", "authors", "published", "modified", "tags", "content")

_loaded: dict[str, Extractor | None] = {"rules": InducedRules()}


def method(name: str) -> Extractor | None:
    """The method of that name, None where it isn't installed."""
    if name not in _loaded:
        _, module, attribute = next(row for row in METHODS if row[0] == name)
        try:
            _loaded[name] = getattr(import_module(module), attribute)()
        except (ImportError, AttributeError):
            _loaded[name] = None
    return _loaded[name]


def names() -> Iterator[str]:
    """Names of all methods in order."""
    yield "rules"
    yield from (row[0] for row in METHODS)


def gather(page: Page, ruleset: RuleSet | None, only: str | None = None) -> Fields:
    """Candidates of the methods, asked until every needed field has a value."""
    found: Fields = {}
    for name in names():
        if only is not None and name != only:
            continue
        if only is None and all(found.get(field) for field in ("title", "authors", "published", "content")):
            break
        extractor = method(name)
        said = extractor.extract(page, ruleset) if extractor else None
        for field, values in (said or {}).items():
            found.setdefault(field, []).extend(values)
    return found
