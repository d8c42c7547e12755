"""One comment's copy and the candidates of its fields, as the modules that read authors, dates and
bodies share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement

from blogcrawl.comments.unit import Unit
from blogcrawl.dates.parse import DateMatch


@dataclass(slots=True, eq=False)
class Reader:
    """A private copy of one unit, without its replies, and what is known of it so far."""

    unit: Unit
    root: HtmlElement
    nodes: list[tuple[HtmlElement, str]]
    """(element, signature) in document order."""
    authors: dict[str, tuple[float, HtmlElement, str]] = field(default_factory=dict)
    dates: dict[str, tuple[float, HtmlElement, DateMatch, str]] = field(default_factory=dict)
    author: str | None = None
    author_node: HtmlElement | None = None
    author_url: str | None = None
    date: DateMatch | None = None
    date_node: HtmlElement | None = None
    date_raw: str | None = None
    frame: HtmlElement | None = None
    """The element that holds the name and the words around it, and nothing else."""
    subject: str | None = None
    """Its heading, as Drupal and bulletin boards write it."""
