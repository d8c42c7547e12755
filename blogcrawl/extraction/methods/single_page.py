"""The content of a page of a site that nothing is known of, from the node that was guessed to what
is kept, with a look back.

A guess may miss the post altogether. Two witnesses are asked when what is left of it is little, or
not what the page itself says it is: the text that the page carries for machines (``articleBody``),
and the general extractor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from html import escape, unescape

from lxml.html import HtmlElement

from blogcrawl.core.evidence import NEARLY_ALL
from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.content.clean import CleanContent, clean_content
from blogcrawl.extraction.content.repeated import is_repeated
from blogcrawl.extraction.content.single_page import whole_post
from blogcrawl.extraction.fields.embedded import embedded
from blogcrawl.extraction.methods.fallback import MUCH, library_content
from blogcrawl.extraction.methods.metadata import article_of
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.lengths import MIN_PARAGRAPH
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import node_text

SHORT = 800
"""Characters below which a second opinion is asked for."""
MISSED = 0.5
"""Share of the stated words below which the guess is not the text that is meant."""


def lone_content(
    page: Page,
    node: HtmlElement,
    title: str | None,
    dated: str | None,
    repeated: Sequence[str] = (),
    authors: Sequence[str] = (),
) -> CleanContent:
    """Return the cleaned post around ``node``, or what the page or the library say it is instead;
    ``repeated``: texts that are no content."""
    blocks = blocks_of(page)
    cleaned = partial(clean_content, page=page, title=title, dated=dated, authors=authors)
    own = cleaned(whole_post(page, node))
    stated = stated_body(page)
    if stated is not None and _share(stated, own.text) < MISSED:
        place = _place_of(blocks, stated)
        return cleaned(whole_post(page, place) if place is not None else stated_html(stated))
    if len(own.text) >= SHORT or stated is not None:
        return own
    html = library_content(page)
    other = cleaned(html) if html is not None else own
    is_other = is_repeated(other.text, repeated) or _are_other_posts(
        blocks, Counter(tokens(other.text)) - Counter(tokens(own.text))
    )
    return own if is_other or len(other.text) < MUCH * len(own.text) else other


def _are_other_posts(blocks: Blocks, words: Counter[str]) -> bool:
    """Return whether most of the words stand in what is named as a list of links and has some."""
    named: Counter[str] = Counter()
    i = 0
    while i < len(blocks.tags):
        is_list = blocks.kind[i] in {"related", "nav"} and blocks.all_linked[i] > 0
        if is_list:
            named.update(tokens(node_text(blocks.elements[i])))
        i = blocks.end[i] if is_list else i + 1
    return (words & named).total() >= MISSED * words.total()


def stated_body(page: Page) -> str | None:
    """Return the post's whole text as the page's JSON-LD has it, plain; None where there is none or
    a teaser only.
    """
    item = article_of(page, embedded(page))
    body = item.get("articleBody") if item is not None else None
    if not isinstance(body, str):
        return None
    body = unescape(body)
    text = html_text(body) if "</" in body else body.strip()
    return text if len(text) >= MIN_PARAGRAPH else None


def stated_html(text: str) -> str:
    """Return a paragraph for each line."""
    return "".join(f"<p>{escape(line.strip())}</p>" for line in text.splitlines() if line.strip())


def _share(wanted: str, text: str) -> float:
    words = Counter(tokens(wanted))
    return (words & Counter(tokens(text))).total() / max(1, words.total())


def _place_of(blocks: Blocks, stated: str) -> HtmlElement | None:
    """Return the innermost element that holds nearly all the stated words; None where no element
    does."""
    if not blocks.tags or _share(stated, node_text(blocks.elements[0])) < NEARLY_ALL:
        return None
    here = 0
    while True:
        inside = next(
            (
                i
                for i in blocks.children(here)
                if _share(stated, node_text(blocks.elements[i])) >= NEARLY_ALL
            ),
            None,
        )
        if inside is None:
            return blocks.elements[here]
        here = inside
