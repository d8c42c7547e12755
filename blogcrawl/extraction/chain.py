"""All methods in their order, and how a field is decided among what they say.

The induced rules are asked first and, where they are well supported and pass the cross-checks, no
one else is: that is the hot path of a crawl. Each method left is asked only while some field still
lacks a good value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points

from blogcrawl.core.errors import UsageError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.extraction.methods.induced import InducedRules
from blogcrawl.extraction.policy import PROVED
from blogcrawl.extraction.protocols import Extractor, Learner, Supplement
from blogcrawl.induction.ruleset import RuleSet, Sample

ENTRY_POINTS = "blogcrawl.extractors"
"""Group of entry points in which other packages register extractors."""
METHODS: dict[str, str] = {
    "keypath": "blogcrawl.contrib.keypath:KeyPaths",
    "metadata": "blogcrawl.extraction.methods.metadata:MetadataExtractor",
    "series": "blogcrawl.induction.series:SeriesExtractor",
    "mcst": "blogcrawl.contrib.mcst:McstExtractor",
    "svm": "blogcrawl.contrib.svm:SvmExtractor",
    "generic": "blogcrawl.extraction.methods.generic:GenericExtractor",
}
"""Methods after the induced rules, in the order they are asked; loaded when asked. ``setup.py``
registers the same ones as entry points."""

FOR_CONTENT = ("mcst", "series", "svm")
NEEDED = ("title", "authors", "published", "content")

_loaded: dict[str, Extractor] = {"rules": InducedRules()}
_selected: list[str] = list(METHODS)


def select(methods: Iterable[str]) -> None:
    """Use these methods after the induced rules, in this order; none given: all of blogcrawl's.

    A name is one of ``METHODS`` or of an entry point of the group ``blogcrawl.extractors``. Holds
    for the process. Raises UsageError for a name that nothing registers or that cannot be loaded.
    """
    chosen = list(methods) or list(METHODS)
    for name in chosen:
        if name not in METHODS and name not in _loaded:
            _loaded[name] = _registered(name)
    _selected[:] = chosen


def _registered(name: str) -> Extractor:
    """Load the extractor that an installed package registers under the name."""
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        try:
            extractor: Extractor = entry.load()()
        except (ImportError, AttributeError, TypeError) as error:
            raise UsageError(
                f"extractor {name!r} ({entry.value}) cannot be loaded: {error}",
                advice="reinstall its package or leave it out of BLOGCRAWL_METHODS",
            ) from error
        return extractor
    raise UsageError(
        f"no extractor is called {name!r}",
        advice=f"BLOGCRAWL_METHODS takes {', '.join(METHODS)} and installed entry points",
    )


def method(name: str) -> Extractor | None:
    """Return the method of that name, None where nothing registers it."""
    if name not in _loaded:
        if name not in METHODS:
            return None
        module, _, attribute = METHODS[name].partition(":")
        _loaded[name] = getattr(import_module(module), attribute)()
    return _loaded[name]


def names() -> Iterator[str]:
    """Yield names of the methods in use, in order."""
    yield "rules"
    yield from _selected


def learned(samples: Sequence[Sample], only: str | None = None) -> RuleSet:
    """Return what the methods next to the induced rules learn, or a single one of them."""
    ruleset = RuleSet()
    for name in names():
        extractor = method(name) if only in (None, name) else None
        if isinstance(extractor, Learner):
            ruleset = ruleset.merged(extractor.learn(samples))
    return ruleset


def gather(
    page: Page,
    ruleset: RuleSet | None,
    have: Sequence[str] = (),
    only: str | None = None,
    asked: Counter[str] | None = None,
) -> Fields:
    """Return the methods' candidates by field, asking in order until every needed field has a good
    value.

    ``have`` names fields that are known already (from the feed) and need no method; ``only`` asks a
    single one; ``asked`` counts the methods that were. Methods that proved useless for all that is
    lacking are left out.
    """
    found: Fields = {}
    useless = ruleset.facts.useless if ruleset is not None else {}
    for name in names() if only is None else (only,):
        lacking = list(NEEDED) if only is not None else _lacking(found, have)
        if not lacking:
            break
        if only is None and _is_needless(name, lacking, useless):
            continue
        if asked is not None:
            asked[name] += 1
        for field, values in _ask(name, page, ruleset, lacking).items():
            found.setdefault(field, []).extend(values)
    return found


def _ask(name: str, page: Page, ruleset: RuleSet | None, lacking: Sequence[str]) -> Fields:
    """Return a method's candidates; where the content is known, only those of the other fields."""
    extractor = method(name)
    if "content" not in lacking and isinstance(extractor, Supplement):
        known = [field for field in NEEDED if field not in lacking]
        return extractor.supplement(page, ruleset, known) or {}
    return (extractor.extract(page, ruleset) if extractor else None) or {}


def _is_needless(name: str, lacking: Sequence[str], useless: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a method only finds content that is there, or was never right on what is
    lacking."""
    if name in FOR_CONTENT and "content" not in lacking:
        return True
    return all(name in useless.get(field, ()) for field in lacking)


def ask_all(page: Page, ruleset: RuleSet | None) -> dict[str, Fields]:
    """Return what each method says, by name: for ``blogcrawl rules --page``."""
    out: dict[str, Fields] = {}
    for name in names():
        extractor = method(name)
        said = extractor.extract(page, ruleset) if extractor else None
        if said:
            out[name] = said
    return out


def _lacking(found: Mapping[str, Sequence[FieldValue]], have: Sequence[str]) -> list[str]:
    """Return needed fields without a good value."""
    return [
        f
        for f in NEEDED
        if f not in have and not any(v.confidence >= PROVED for v in found.get(f, ()))
    ]
