"""How many comments a page says it has."""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.lexicon.comment_words import COUNT, COUNT_AFTER, NONE, ONE, UNIT_ID, names_section
from blogcrawl.text.visible import node_text

MAX_HEADING = 200
"""Characters of a heading such as ``4 responses to “…”``; titles of posts stand in them."""


def shown_count(root: HtmlElement, content: HtmlElement | None = None) -> int | None:
    """The number in the comment section's heading or counter, 0 where the page says there are none,
    None where it is silent.
    """
    banned: set[HtmlElement] = set(content.iter()) if content is not None else set()
    for text in _headings(root, banned):
        count = read_count(text)
        if count is not None:
            return count
    return None


def says_none(text: str) -> bool:
    """Does a heading say that there are no comments?"""
    return NONE.search(text) is not None


def read_count(text: str) -> int | None:
    """Number of comments in one heading: ``4 comments``, ``Kommentare (3)``, ``One response``,
    ``コメント: 2``, ``no comments yet``.
    """
    if NONE.search(text):
        return 0
    for pattern in (COUNT, COUNT_AFTER):
        found = pattern.search(text)
        if found:
            return int(found.group(1))
    return 1 if ONE.search(text) else None


def _headings(root: HtmlElement, banned: set[HtmlElement]) -> list[str]:
    """Candidates, most reliable first: schema.org's count, titles in the comment section, then
    other comment counters of the page.
    """
    titles: list[str] = []
    counters: list[str] = []
    known: dict[HtmlElement, bool] = {}
    for element in root.iter(*_HEADINGS, "p", "span", "a", "div", "strong", "legend", "li"):
        if element in banned or len(element) > MAX_CHILDREN or not _may_count(element):
            continue
        text = node_text(element)
        if 0 < len(text) <= MAX_HEADING and _is_about(element, known):
            is_title = element.tag in _HEADINGS or _is_titled(element)
            (titles if is_title else counters).append(text)
    return _schema_counts(root) + titles + counters


def _schema_counts(root: HtmlElement) -> list[str]:
    out = []
    for meta in root.xpath("//*[@itemprop='commentCount' or @itemprop='interactionCount']"):
        value = meta.get("content") or node_text(meta)
        found = re.search(r"(?:UserComments:)?(\d{1,6})\s*$", value or "")
        if found:
            out.append(f"{found.group(1)} comments")
    return out


def _may_count(element: HtmlElement) -> bool:
    """Whether the element is a heading or has the name of a comment counter, and is not a comment
    itself."""
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    if element.tag not in _HEADINGS and (len(names) == 1 or not _named(names)):
        return False
    return not UNIT_ID.match(element.get("id") or "")


def _is_titled(element: HtmlElement) -> bool:
    own = element.get("id") or ""
    return own == "comments" or "title" in f"{own} {element.get('class') or ''}"


MAX_CHILDREN = 12
"""Children of an element that holds the number of comments."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_OTHERS = re.compile(
    (
        r"sidebar|widget|related|recent|popular|(?:^|[-_ "
        r"])comment[-_]?(?:body|content|text)|commenttext"
    ),
    re.I,
)


@lru_cache(maxsize=4096)
def _named(names: str) -> bool:
    return "omment" in names or "respons" in names.lower() or names_section(names)


@lru_cache(maxsize=4096)
def _named_of_others(names: str) -> bool:
    """Ids and classes of lists of other posts, and of comments themselves."""
    return _OTHERS.search(names) is not None


def _is_about(element: HtmlElement, known: dict[HtmlElement, bool]) -> bool:
    """Not a list of other posts with their counters, not a comment itself. ``known``: of the
    elements around those asked about before, whether they stand in such, which is added to."""
    if element.tag == "a" and "#" not in (element.get("href") or ""):
        return False
    passed: list[HtmlElement] = []
    in_others = False
    for ancestor in element.iterancestors(etree.Element):
        if ancestor in known:
            in_others = known[ancestor]
            break
        passed.append(ancestor)
        if in_others := _is_of_others(ancestor):
            break
    known.update(dict.fromkeys(passed, in_others))
    return not in_others


def _is_of_others(element: HtmlElement) -> bool:
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    if len(names) > 1 and _named_of_others(names):
        return True
    return element.tag in ("aside", "nav", "footer") and "omment" not in names
