"""What looks like a comment and is none: forms, lists of the site's latest comments, whole pages,
numbered parts of other content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.unit import Unit
from blogcrawl.lexicon.comment_words import COMMENT_NAMES, is_label
from blogcrawl.text.visible import node_text

MAX_DEPTH = 6
"""Elements around a numbered one in which a name or a label may say that comments
are listed there.
"""
_ABOUT_PAGE = frozenset(("main", "nav", "aside", "body", "header"))
"""Elements of the page that stand in no comment; a ``header`` or ``aside`` of its own may, but does
not hold one of the page's.
"""


def not_comments(root: HtmlElement) -> set[HtmlElement]:
    """Nodes where no comment of this page can stand: forms, head, sidebars with lists of latest
    comments.
    """
    out: set[HtmlElement] = set()
    for element in root.iter(
        "form", "head", "script", "style", "noscript", "textarea", "nav", "button"
    ):
        if element.tag == "form" and len(element.xpath(".//*[@id]")) > 40:
            continue  # some themes wrap the whole page into one form
        if element.tag == "nav" and next(element.iter("article", "main", "h1"), None) is not None:
            continue  # one that nobody closed
        out.update(element.iter())
    for element in root.xpath(
        "//*[contains(@class, 'recent') or contains(@id, 'recent') or contains(@class, 'widget')]"
    ):
        if element.tag in ("html", "body", "main", "article"):
            continue
        names = f"{element.get('id') or ''} {element.get('class') or ''}"
        if re.search(
            (
                r"recent[-_]?comment|latest[-_]?comment|widget[-_]recent|comment[-_]?widget|"
                r"widget_\w{0,100}comment"
            ),
            names,
            re.I,
        ):
            out.update(element.iter())
    return out


def told_apart(units: list[Unit], root: HtmlElement) -> list[Unit]:
    """Without those that hold a part of the page, a title or the whole list; none where nothing
    calls numbered elements or classes of many uses (``vcard``, ``response``) comments."""
    title = root.findtext(".//title") or ""
    around = _around_pages(root, title)
    kept = [u for u in units if not any(_is_page(e, title, around) for e in u.elements)]
    if kept and all(_WEAK.match(u.anchor or "") for u in kept) and not _called_comments(kept):
        return []
    return kept


_WEAK = re.compile(
    r"(?:[a-z]+[-_])*?(?:c|msg|komm|reply|response|ping)[-_]?(?=\d|[0-9a-f]{8})|\d|[0-9a-f-]+$|$",
    re.I,
)
"""Numbers that content systems give to any part of a page (``c1234`` of TYPO3), too; or no number
at all.
"""


def _is_page(element: HtmlElement, title: str, around: set[HtmlElement]) -> bool:
    """Does it hold the page's navigation, main part or title, or the element of all comments?
    ``around``: what stands around such, where headings of articles count as titles."""
    if element.tag in ("main", "body", "nav"):
        return True
    if element not in around or element.tag not in _HEADED:
        return element in around
    inside = (node for node in _page_parts(element) if node is not element)
    return any(_is_part(node, title, element) for node in inside)


def _around_pages(root: HtmlElement, title: str) -> set[HtmlElement]:
    out: set[HtmlElement] = set()
    for part in _page_parts(root):
        if _is_part(part, title, None):
            for above in part.iterancestors():
                if above in out:
                    break
                out.add(above)
    return out


_HEADED = ("article", "header")
_page_parts: Any = etree.XPath(
    "descendant::main|descendant::nav|descendant::h1|descendant::*[(self::section or self::div or "
    "self::figure) and translate(@id, 'COMENTS', 'coments')='comments']"
)


def _is_part(part: HtmlElement, title: str, own: HtmlElement | None) -> bool:
    """Whether a heading is the page's title or that of an article other than ``own``; all else that
    is looked for is a part of the page."""
    if part.tag != "h1" or (part.get("id") or "").lower() == "comments":
        return True
    text = node_text(part)
    return bool(text) and (
        text in title or any(above is not own for above in part.iterancestors(*_HEADED))
    )


def _called_comments(units: Sequence[Unit]) -> bool:
    """Speaks a name, a link to itself or a label around them of most numbered
    elements as comments?
    """
    some = units[:12]
    return 2 * sum(_speaks(u) for u in some) >= len(some)


def _speaks(unit: Unit) -> bool:
    own = chain.from_iterable(e.iter() for e in unit.elements)
    if any(
        _names(e)
        or (e.tag == "a" and unit.anchor and (e.get("href") or "").endswith(f"#{unit.anchor}"))
        for e in own
    ):
        return True
    node = unit.elements[0]
    for _ in range(MAX_DEPTH):
        if any(isinstance(e.tag, str) and _heads(e) for e in node.itersiblings(preceding=True)):
            return True
        above = node.getparent()
        if above is None or above.tag in ("body", "html"):
            return False
        if _names(above):
            return True
        node = above
    return False


def _heads(element: HtmlElement) -> bool:
    return element.tag in (
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "div",
        "b",
        "strong",
        "a",
    ) and is_label(node_text(element))


def _names(element: HtmlElement) -> bool:
    return (
        COMMENT_NAMES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    )
