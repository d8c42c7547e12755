"""Buttons that fill an empty place of their page when clicked, such as with readers' comments,
whatever they are called. Pure.

``scripts.REVEAL`` clicks by the same rules in the browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.lexicon.css_classes import names_of
from blogcrawl.text.visible import squeeze

OF_COMMENTS = re.compile(
    r"comment|komment|coment|disqus|reacti|коммент|コメント|评论|評論|留言|댓글", re.I
)
_LABEL = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
"""A control without words is an icon: menus, dark modes, carousels."""
_CHROME = frozenset({"header", "nav", "footer", "aside", "form", "dialog", "menu"})
_SHOWS = ("img", "picture", "video", "audio", "iframe", "svg", "canvas", "input", "textarea")
_LEVELS = 2
"""Boxes around a button that hold nothing else; what follows them follows the button."""


def reveals_something(page: Page) -> bool:
    """Report whether a button of the page has an empty place to fill, or stands alone where
    comments would be."""
    return any(_has_place(button) for button in _buttons(page.tree))


def _buttons(tree: HtmlElement) -> Iterator[HtmlElement]:
    for element in tree.iter("button", "a", "div", "span"):
        if element.tag in ("div", "span") and element.get("role") != "button":
            continue
        href = (element.get("href") or "#").strip()
        if href != "#" and not href.lower().startswith("javascript:"):
            continue
        if _LABEL.search(_words(element)) and not _is_of_something_else(element):
            yield element


def _is_of_something_else(button: HtmlElement) -> bool:
    """Report whether a button belongs to the page's frame, or to one of the comments shown: within
    a box of comments in another one."""
    above = list(button.iterancestors())
    boxes = sum(OF_COMMENTS.search(names_of(box)) is not None for box in above)
    return boxes > 1 or any(box.tag in _CHROME for box in above)


def _has_place(button: HtmlElement) -> bool:
    controlled = button.get("aria-controls")
    if controlled:
        return any(map(_is_empty, button.getroottree().xpath("//*[@id=$id]", id=controlled)))
    label, box = _words(button), button
    for _ in range(_LEVELS):
        after = box.getnext()
        if after is not None and _is_empty(after):
            return True
        parent = box.getparent()
        if after is not None or parent is None or _words(parent) != label:
            return False
        box = parent
        if OF_COMMENTS.search(f"{names_of(box)} {names_of(button)} {label}"):
            return True
    return False


def _is_empty(element: HtmlElement) -> bool:
    if element.tag not in ("div", "section", "ul", "ol", "article", "aside", "p", "span"):
        return False
    return not _words(element) and next(element.iter(*_SHOWS), None) is None


def _words(element: HtmlElement) -> str:
    """Return the text with that of controls, which is no visible text of the page's content."""
    return squeeze("".join(element.itertext()))
