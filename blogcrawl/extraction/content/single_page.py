"""The whole post around a guessed node, on a page of a site that nothing is known of.

Where nothing was learned, one node seldom is the post: its first paragraph stands in the head above
(a lead), and between its paragraphs stand links to other pages. All is recognised by structure:
where a block stands, how much of it is linked, what it is like.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

from lxml.html import HtmlElement

from blogcrawl.core.evidence import SOME
from blogcrawl.core.page import Page, html_parser
from blogcrawl.dom.blocks import BOUNDARIES, Blocks, blocks_of
from blogcrawl.extraction.content.unrelated import unrelated
from blogcrawl.extraction.fields.embedded import embedded
from blogcrawl.extraction.fields.headings import heading_of
from blogcrawl.extraction.policy import GUESS
from blogcrawl.lexicon.css_classes import names_of, words_of
from blogcrawl.text.lengths import MAX_LABEL, MIN_SENTENCE
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text

MAX_LEADS = 5
"""Boxes in which the blocks of a lead stand at most."""
_PICTURE = frozenset(
    (
        "caption captions credit credits copyright legend image images img picture photo foto bild "
        "slider gallery"
    ).split()
)
_NO_LEAD = frozenset(
    "figure figcaption table nav aside footer form button blockquote pre dialog menu label".split()
)


def whole_post(page: Page, node: HtmlElement) -> HtmlElement:
    """Return a new ``div`` with copies of the lead and of ``node`` without what is not of the
    post."""
    blocks = blocks_of(page)
    holder: HtmlElement = html_parser().makeelement("div")
    number = blocks.number.get(node)
    if number is None:
        holder.append(bare(node))
        return holder
    heading = heading_of(page)
    title = blocks.number.get(heading[0]) if heading is not None else None
    before = [blocks.elements[i] for i in leads(page, blocks, number, title)]
    holder.extend(bare(element) for element in before)
    title = title if heading is not None and heading[1] >= GUESS else None
    dropped = unrelated(page, blocks, number, title)
    kept = bare(node)
    for own, other in list(zip(node.iter(), kept.iter(), strict=True)) if dropped else ():
        if own in dropped and other.getparent() is not None:
            other.drop_tree()
    holder.append(kept)
    return holder


def bare(node: HtmlElement) -> HtmlElement:
    """Return a copy without the text behind it; parts of tables and lists and the body become plain
    boxes.
    """
    made = copy.deepcopy(node)
    made.tail = None
    if made.tag in {"body", "html", "td", "th", "li", "tr", "tbody", "dd"}:
        made.tag = "div"
    return made


def leads(page: Page, blocks: Blocks, number: int, title: int | None) -> list[int]:
    """Return the blocks of prose between the post's heading and its node, and the block that the
    page's description repeats.
    """
    if title is None or title >= number:
        return []
    described = tuple(_descriptions(page))
    known, heading = (fold(node_text(blocks.elements[i])).casefold() for i in (number, title))
    most = max(1500.0, blocks.all_plain[number] / 2)
    found: list[int] = []
    for i in _candidates(blocks, blocks.end[title], number):
        text = fold(node_text(blocks.elements[i])).casefold()
        is_described = len(text) >= MAX_LABEL and text.startswith(described)
        if text == heading or text in known or not (is_described or _is_prose(blocks, i)):
            continue
        most -= blocks.all_plain[i]
        found.append(i)
        if most < 0 or len({blocks.parent[each] for each in found}) > MAX_LEADS:
            return []
    return found


def _is_prose(blocks: Blocks, i: int) -> bool:
    """Return whether a block is long enough for a sentence, or for a lead if it is one or a
    headline (a byline is neither).
    """
    letters = blocks.all_plain[i]
    is_sentence = blocks.ends[i] and blocks.all_marks[i] > 0
    is_lead = is_sentence or blocks.tags[i] in {"h2", "h3"}
    return bool(letters >= MIN_SENTENCE or (letters >= MAX_LABEL and is_lead))


def _descriptions(page: Page) -> list[str]:
    """Return how the page's descriptions begin, folded."""
    meta = embedded(page).meta
    texts = (
        text
        for name in ("og:description", "description", "twitter:description")
        for text in meta.get(name, ())
    )
    return [fold(text).casefold()[:MAX_LABEL] for text in texts if len(text) >= MAX_LABEL]


def _candidates(blocks: Blocks, start: int, stop: int) -> Iterator[int]:
    """Yield innermost blocks of unlinked text from ``start`` up to ``stop`` that stand in nothing
    that is named as another thing.
    """
    i = start
    while i < stop:
        if blocks.end[i] > stop:  # around the node
            i += 1
            continue
        label = names_of(blocks.elements[i])
        if blocks.kind[i] == "meta" and _is_headed(blocks, i):
            i += 1
            continue
        if (
            blocks.kind[i] is not None
            or blocks.tags[i] in _NO_LEAD
            or not _PICTURE.isdisjoint(words_of(label))
        ):
            i = blocks.end[i]
            continue
        if blocks.plain[i] > 0 and blocks.tags[i] in BOUNDARIES:
            if blocks.all_linked[i] <= SOME * blocks.all_plain[i]:
                yield i
            i = blocks.end[i]
            continue
        i += 1


def _is_headed(blocks: Blocks, i: int) -> bool:
    """Return whether an element named as the post's head ("article-header") holds more than the
    byline: a paragraph.
    """
    return any(
        blocks.plain[k] >= MIN_SENTENCE and blocks.marks[k] and blocks.ends[k]
        for k in range(i, blocks.end[i])
    )
