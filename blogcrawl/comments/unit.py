"""The nodes of a page that hold one comment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
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

    def own(self, tag: str) -> Iterator[HtmlElement]:
        """The elements named ``tag`` in document order, without those of the replies."""
        replies = set(self.inner)
        tags = {tag, *(str(reply.tag) for reply in replies)}
        for element in self.elements:
            walk = etree.iterwalk(element, events=("start",), tag=tags)
            for _, node in walk:
                if node in replies:
                    walk.skip_subtree()
                elif node.tag == tag:
                    yield node
