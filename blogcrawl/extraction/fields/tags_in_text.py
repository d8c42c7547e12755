"""Links to lists amid a post's text speak of a tag or category that the post need not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page, fragment
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.tag_sources import (
    BY_ADDRESS,
    TAGS_AND_CATEGORIES,
    list_name,
    read_source,
)
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.similarity import folded
from blogcrawl.text.visible import BLOCK_TAGS

_COLONS = (":", "：")


@dataclass(slots=True)
class _Line:
    """A line of text with its links to lists."""

    names: list[str] = field(default_factory=list)
    lead: str = ""
    """Text before the first link."""
    rest: str = ""
    """Text after that, without links."""
    linked: int = 0

    @property
    def bare(self) -> int:
        return len(self.lead.strip()) + len(self.rest.strip())

    @property
    def is_labelled(self) -> bool:
        return self.lead.rstrip().endswith(_COLONS)

    @property
    def is_sentence(self) -> bool:
        """Whether it has far more words than a list's label, or such on both sides of its links."""
        is_around = any(map(str.isalpha, self.lead)) and any(map(str.isalpha, self.rest))
        return self.bare > max(MAX_BYLINE, self.linked) or (is_around and not self.is_labelled)


def drop_tags_in_text(
    best: dict[str, FieldValue], said: Sequence[FieldValue], page: Page, html: str
) -> None:
    """Drop the tags that were read from links to lists (``BY_ADDRESS``) of which all stand amid the
    post's text.

    ``said``: all candidates for the tags; ``html``: the post's clean content."""
    tags = best.get("tags")
    if tags is None or tags.rule not in BY_ADDRESS or "<a " not in html:
        return
    amid = Counter(map(folded, names_in_text(fragment(html))))
    if not amid:
        return
    listed = Counter(map(folded, read_source(page, TAGS_AND_CATEGORIES)))
    stated = {folded(tag) for value in said if value.rule not in BY_ADDRESS for tag in _list(value)}
    only_there = {tag for tag in amid if listed[tag] <= amid[tag]} - stated
    kept = [tag for tag in _list(tags) if folded(tag) not in only_there]
    best["tags"] = replace(tags, value=kept)


def _list(value: FieldValue) -> Sequence[str]:
    return [value.value] if isinstance(value.value, str) else value.value


def names_in_text(content: HtmlElement) -> Iterator[str]:
    """Yield the names of lists to which a line of text links, or a line with text above and below:
    what stands alone below a label, or at the end, may be the post's own list."""
    lines = _lines(content)
    above, below = 0, sum(line.bare for line in lines)
    for line in lines:
        below -= line.bare
        is_between = min(above, below) >= MAX_BYLINE and not line.is_labelled
        if line.is_sentence or is_between:
            yield from line.names
        above += line.bare


def _lines(content: HtmlElement) -> list[_Line]:
    lines, depth = [_Line()], 0
    for event, node in etree.iterwalk(content, events=("start", "end")):
        is_start = event == "start"
        if node.tag in BLOCK_TAGS:
            lines.append(_Line())
        if node.tag == "a":
            depth += 1 if is_start else -1
            if is_start and (name := list_name(node)) is not None:
                lines[-1].names.append(name)
        text = (node.text if is_start else node.tail) or ""
        if depth:
            lines[-1].linked += len(text)
        elif lines[-1].linked:
            lines[-1].rest += text
        else:
            lines[-1].lead += text
    return lines
