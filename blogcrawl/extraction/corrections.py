"""The operator's corrections of a blog: which addresses are posts, where a field stands, and which
language the posts are in.

It wins over all that was learned, in crawls, updates and re-extraction. The newest of two patterns
that match an address counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.errors import UsageError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.dates.parse import find_date
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import matches

POST, NO_POST, FIELD, LANGUAGE = "post", "no-post", "field", "language"
FIELDS = ("title", "authors", "published", "tags", "content")
MANY = frozenset({"authors", "tags"})
"""Fields with several values, one for each node or string."""
METHOD = "operator"


@dataclass(frozen=True, slots=True)
class Corrections:
    """``patterns``: globs of addresses, newest first, each with whether these are posts;
    ``fields``: XPath by field; ``tag``: the language of all posts.
    """

    patterns: Sequence[tuple[str, bool]] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    tag: str | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, str]]) -> Corrections:
        """From kind, name and value of each correction, oldest first."""
        kept = list(rows)
        patterns = [(name, kind == POST) for kind, name, _ in kept if kind in (POST, NO_POST)]
        fields = {name: path for kind, name, path in kept if kind == FIELD}
        tags = [value for kind, _, value in kept if kind == LANGUAGE]
        return cls(patterns[::-1], fields, tags[-1] if tags else None)

    def is_post(self, url: str) -> bool | None:
        """Return whether the operator calls the address a post's; None: no correction matches."""
        return next((post for glob, post in self.patterns if matches(glob, url)), None)

    @property
    def language(self) -> FieldValue | None:
        """The language that the operator gave the posts."""
        return FieldValue(value=self.tag, method=METHOD, confidence=1.0) if self.tag else None

    def values(self, page: Page, language: str | None) -> dict[str, FieldValue]:
        """Return the fields of a page that the operator's XPaths find."""
        found = {name: _value(page, name, path, language) for name, path in self.fields.items()}
        return {
            name: FieldValue(value=value, method=METHOD, confidence=1.0, rule=self.fields[name])
            for name, value in found.items()
            if value
        }


def check_xpath(path: str) -> None:
    """Raise UsageError for what is no XPath."""
    try:
        etree.XPath(path)
    except etree.XPathSyntaxError as error:
        raise UsageError(f"{path!r} is no XPath: {error}") from None


def _value(page: Page, name: str, path: str, language: str | None) -> Any:
    try:
        nodes = page.tree.xpath(path)
    except etree.XPathError:
        return None
    nodes = nodes if isinstance(nodes, list) else [nodes]
    if name == "content":
        return [node for node in nodes if isinstance(node, HtmlElement)] or None
    texts = list(filter(None, map(_text, nodes)))
    if name in MANY:
        return list(dict.fromkeys(texts))
    text = next(iter(texts), None)
    return _moment(text, language) if text and name == "published" else text


def _moment(text: str, language: str | None) -> datetime | None:
    moment = parse_date(text, language=language)
    found = None if moment else find_date(text, language)
    return moment or (found.aware() if found else None)


def _text(node: Any) -> str:
    return squeeze(node_text(node) if isinstance(node, HtmlElement) else str(node))
