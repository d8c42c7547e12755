"""The name in an element that holds an author's: without controls, time and the words around it."""

from __future__ import annotations

import re
from copy import deepcopy

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import (
    AUTHOR,
    BY_AFTER,
    BY_WORDS,
    CONTROL,
    DATE,
    NO_NAME,
    NOT_THE_NAME,
    ROLE,
    SAYS_WORDS,
    STANDING,
    words_of,
)
from blogcrawl.text.visible import node_text, squeeze

MAX_BESIDE = 40
"""Characters beside a name and without a date that its element may hold."""
MAX_TITLE = 200
"""Characters of the longest name believed: a pingback's is a page title."""


_ANSWER = re.compile(r"\W*(?:re|aw|antw|sv|fwd?)\s*:\s*\S", re.I)
"""A subject as of a letter: "Re: my post"."""


def drop(node: HtmlElement) -> None:
    """Removes a node, keeps the text after it."""
    if node.getparent() is not None:
        node.drop_tree()


def name_of(element: HtmlElement, *, strict: bool) -> str | None:
    """The name in an author's element; None where it holds none. ``strict``: the markup says it is
    the name and nothing else.
    """
    if sum(1 for _ in element.iterdescendants()) > MAX_PARTS:
        return None
    whole = _text_without_controls(element)
    if len(whole) > MAX_TITLE or STANDING.fullmatch(whole) or _ANSWER.match(whole):
        return None
    found = None if strict else find_date(whole)
    if strict:
        text = re.sub(r"(?<!\s)\s*+(?:says?\s*+)?[:：]\s*+$", "", whole)
    else:
        text = _without_date(whole, found.span) if found else whole
        text = SAYS_WORDS.sub("", BY_WORDS.sub("", NOT_THE_NAME.sub("", text), count=1))
    text = NOT_THE_NAME.sub("", squeeze(text).strip(" -–—|·•,{}[]"))
    is_sentence = not strict and found is None and len(whole) - len(text) > MAX_BESIDE
    if is_sentence or not text or len(text) > MAX_TITLE or NO_NAME.match(text):
        return None
    return text


MAX_PARTS = 25
"""Elements inside one that holds a name."""


def _text_without_controls(element: HtmlElement) -> str:
    """The element's text without buttons, dates and roles."""
    copy = deepcopy(element)
    copy.tail = None
    for node in list(copy.iterdescendants(etree.Element)):
        is_control = CONTROL.search(words_of(node.get("class"))) is not None
        if (
            is_control
            or node.tag in ("time", "script", "style")
            or _is_date(node)
            or _is_role(node)
        ):
            drop(node)
    return node_text(copy)


def _without_date(text: str, span: tuple[int, int]) -> str:
    """The part before a date, or the one behind it where the text begins with the date or names the
    author behind it."""
    before, after = text[: span[0]], text[span[1] :]
    return after if span[0] <= 2 or BY_AFTER.search(after) else before


def _is_date(node: HtmlElement) -> bool:
    """Is it named as the time and nothing but? "3 years ago" reads as no date and is part of no
    name.
    """
    names = words_of(node.get("class"))
    return bool(
        names
        and DATE.search(names)
        and not AUTHOR.search(names)
        and re.search(r"\d", node_text(node))
    )


def _is_role(node: HtmlElement) -> bool:
    """What a site calls its people, in an element of its own beside the name."""
    return (
        len(node) == 0
        and node.getparent() is not None
        and ROLE.fullmatch(node_text(node)) is not None
    )
