"""The nodes of a page that hold one comment."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement


@dataclass(slots=True, eq=False)
class Unit:
    """One comment's nodes: usually one element, or neighbours (``dt`` + ``dd``)."""

    elements: list[HtmlElement]
    number: str | None = None
    anchor: str | None = None
    """The id that a permalink to this comment names."""
    parent: Unit | None = None
    inner: list[HtmlElement] = field(default_factory=list)
    """Elements of units nested in this one: replies."""
