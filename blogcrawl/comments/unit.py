"""One comment's nodes, and a private copy of them with the candidates of its fields."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.markup import Markup
from blogcrawl.dates.parse import DateMatch
from blogcrawl.text.visible import Texts


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
    is_mention: bool = False
    """Whether it stands in a list of other blogs' mentions."""

    def own(self, tag: str) -> Iterator[HtmlElement]:
        """Yield the elements named ``tag`` in document order, without those of the replies."""
        if len(self.elements) == 1 and not self.inner:
            return self.elements[0].iter(tag)
        replies = set(self.inner)
        return chain.from_iterable(own(element, replies, tag) for element in self.elements)


def own(element: HtmlElement, others: Collection[HtmlElement], *tags: str) -> Iterator[HtmlElement]:
    """Yield the elements in a comment's element (or it) that are named so, in document order,
    without those of ``others``, comments of which some are nested in it."""
    return _without(element, others, tags) if others else element.iter(*tags)


def _without(
    element: HtmlElement, others: Collection[HtmlElement], tags: Collection[str]
) -> Iterator[HtmlElement]:
    walk = etree.iterwalk(element, events=("start",))
    for _, node in walk:
        if node in others and node is not element:
            walk.skip_subtree()
        elif node.tag in tags:
            yield node


Node = tuple[HtmlElement, str, Markup]
"""An element of a comment, its signature (tags and classes from the comment down to it), and what
its markup says."""


class NameCandidate(NamedTuple):
    """An element that may hold the author's name."""

    score: float
    element: HtmlElement
    name: str


class DateCandidate(NamedTuple):
    """An element that may hold the date."""

    score: float
    element: HtmlElement
    date: DateMatch
    text: str
    """The date as the page writes it."""


Candidate = NameCandidate | DateCandidate


@dataclass(slots=True, eq=False)
class Reader:
    """A private copy of one unit, without its replies, and what is known of it so far."""

    unit: Unit
    root: HtmlElement
    nodes: list[Node] = field(default_factory=list)
    """In document order, up to ``MAX_ELEMENTS``."""
    further: list[Node] = field(default_factory=list)
    """Those behind them, without signatures."""
    paths: dict[HtmlElement, str] = field(default_factory=dict)
    """The signatures of ``nodes``."""
    stamped: set[HtmlElement] = field(default_factory=set)
    """Those with an attribute that may be a date."""
    has_links: bool = False
    has_controls: bool = False
    """Whether one of ``nodes`` has a control's name."""
    has_subject: bool = False
    """The same of a title's name."""
    authors: dict[str, NameCandidate] = field(default_factory=dict)
    """By the signature of the element."""
    dates: dict[str, DateCandidate] = field(default_factory=dict)
    author: str | None = None
    author_node: HtmlElement | None = None
    author_url: str | None = None
    date: DateMatch | None = None
    date_node: HtmlElement | None = None
    date_raw: str | None = None
    subject: str | None = None
    """Its heading, as Drupal and bulletin boards write it."""
    texts: Texts = field(default_factory=Texts)
    """Of the elements, as long as nothing changes."""

    def forget_texts(self) -> None:
        """Read the elements anew from now on."""
        self.texts = Texts()

    def pass_on(self) -> None:
        """Forget what is not needed again soon, if it is much: there may be many comments."""
        if not self.texts.are_few:
            self.texts = Texts()

    def drop(self, node: HtmlElement) -> None:
        """Remove a node, keep the text after it."""
        parent = node.getparent()
        if parent is not None:
            node.drop_tree()
            self.texts.forget(parent)
