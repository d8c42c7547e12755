"""Find boilerplate above and below the text of most posts of a blog: links to other pages, teasers,
a byline.

Where no feed has the extent of a post the series of pages shows it: one post may end with links,
where most posts of a blog do, they are the theme's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MOSTLY_LINKS, SEVERAL
from blogcrawl.dates.parse import normalise
from blogcrawl.induction.template import TemplateModel
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE, MAX_TEASER, MIN_REST, SENTENCE_ENDS
from blogcrawl.text.visible import BLOCK_TAGS, SILENT_TAGS, node_text, stripped
from blogcrawl.urls.canonical import entry_key, same_site

MOST = 8
"""Blocks at an edge that are looked at."""
MAX_LINE_WORDS = 14
"""A date line ("Posted on Monday, May 4, 2020 by Ann Lee in Food") is no longer than that."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_BOXES = frozenset(
    "div section ul ol li nav aside article header footer center dl dd table tbody tr td".split()
)


class Post(NamedTuple):
    """The element that holds a post's text, the page's address, what is known already to be no part
    of the post, and what returns the visible text of an element."""

    element: HtmlElement
    url: str
    is_known: Callable[[HtmlElement], bool] = lambda element: False
    text: Callable[[HtmlElement], str] = node_text


def edges_of_posts(posts: Sequence[Post]) -> list[list[HtmlElement]]:
    """Return for each post the elements of boilerplate at its edges; nothing where fewer than
    ``MAJORITY`` of the posts have such an edge.
    """
    posts = [post._replace(text=cache(post.text)) for post in posts]
    rows, need = [_units(post.element) for post in posts], max(SEVERAL, MAJORITY * len(posts))
    found: list[list[HtmlElement]] = [[] for _ in posts]
    surely: list[list[HtmlElement]] = [[] for _ in posts]
    for order in (1, -1):
        is_above = order > 0
        ends = [_end(row[::order]) for row in rows]
        common = _common_texts(posts, ends)
        for at, edge in enumerate(_edges(posts, ends, common, need, is_above=is_above)):
            found[at] += edge
            surely[at] += _edge(ends[at], posts[at], common, is_above=is_above, is_strict=True)
    return [_some_left(post, *edges) for post, *edges in zip(posts, found, surely, strict=True)]


def _common_texts(posts: Sequence[Post], ends: Sequence[Sequence[HtmlElement]]) -> TemplateModel:
    """Return a template model of the units with links at this edge."""
    return TemplateModel.learn(
        [
            [post.text(unit) for unit in end if _has_link(unit)]
            for end, post in zip(ends, posts, strict=True)
        ]
    )


def _edges(
    posts: Sequence[Post],
    ends: Sequence[Sequence[HtmlElement]],
    common: TemplateModel,
    need: float,
    *,
    is_above: bool,
) -> list[list[HtmlElement]]:
    """Return the edge of each post; nothing as soon as too few posts can have one with enough text
    left of the post.
    """
    edges: list[list[HtmlElement]] = []
    with_edge = 0
    for end, post in zip(ends, posts, strict=True):
        edges.append(edge := _edge(end, post, common, is_above=is_above))
        with_edge += bool(edge) and _left(post, edge) >= MIN_REST
        if with_edge + len(posts) - len(edges) < need:
            return []
    return edges


def _some_left(post: Post, *edges: list[HtmlElement]) -> list[HtmlElement]:
    """Return the first of these that leaves anything of the post: a short one may look like a label
    between its edges.
    """
    return next((edge for edge in edges if edge and _left(post, edge) > 0), [])


def is_line(text: str) -> bool:
    """Return whether a text is short and no sentence."""
    return (
        len(text) <= MAX_LINE
        and len(text.split()) <= MAX_LINE_WORDS
        and not text.endswith((".", "!", "?", ":"))
    )


def is_date_line(text: str) -> bool:
    """Return whether a text is a short line with a year in it that is no sentence."""
    return is_line(text) and _YEAR.search(normalise(text)) is not None


def _parts(element: HtmlElement) -> Iterator[HtmlElement | None]:
    """Yield the blocks with text right in the element; None for each text outside them."""
    if stripped(element.text):
        yield None
    for child in element:
        if isinstance(child.tag, str) and _has_text(child):
            yield child if child.tag in BLOCK_TAGS else None
        if stripped(child.tail):
            yield None


def _units(element: HtmlElement) -> list[HtmlElement | None]:
    """Return what the element's text is made of, block by block, below wrappers of all of it; None
    for text that is in no block.
    """
    while True:
        inner = list(_parts(element))
        only = inner[0] if len(inner) == 1 else None
        if only is None or only.tag not in _BOXES:
            return inner
        element = only


def _has_text(element: HtmlElement) -> bool:
    if element.tag in SILENT_TAGS:
        return False
    own = element.text
    return bool(own and not own.isspace()) or (
        len(element) > 0 and any(not text.isspace() for text in element.itertext())
    )


def _has_link(element: HtmlElement) -> bool:
    return next(element.iter("a"), None) is not None


def _end(units: Sequence[HtmlElement | None]) -> list[HtmlElement]:
    """Return the outermost units up to one that is prose."""
    out: list[HtmlElement] = []
    for unit in units[:MOST]:
        if unit is None or len(stripped(unit.text)) > MAX_LINE:
            break
        out.append(unit)
    return out


def _edge(
    end: Sequence[HtmlElement],
    post: Post,
    common: TemplateModel,
    *,
    is_above: bool,
    is_strict: bool = False,
) -> list[HtmlElement]:
    """Return the outermost units up to the innermost one that is surely boilerplate, and the label
    above that; ``is_strict``: only units that surely are."""
    run: list[tuple[HtmlElement, bool]] = []
    for unit in end:
        is_sure = _is_surely_boilerplate(unit, post, common, is_above=is_above)
        if not is_sure and (is_strict or not _may_be_boilerplate(unit, post)):
            break
        run.append((unit, is_sure))
    size = 1 + max((place for place, (_, is_sure) in enumerate(run) if is_sure), default=-1)
    if 0 < size < len(run) and not is_above and _is_heading(run[size][0], post):
        size += 1
    return [unit for unit, _ in run[:size]]


def _is_surely_boilerplate(
    unit: HtmlElement, post: Post, common: TemplateModel, *, is_above: bool
) -> bool:
    """Return whether a unit is a byline above or a comment below the post, common to most posts, or
    leads to other pages.
    """
    text = post.text(unit)
    is_byline = is_above and unit.tag not in _HEADINGS and is_date_line(text)
    if is_byline or common.has(text) or _leads_away(unit, post):
        return True
    return not is_above and _is_comment(unit, post)


def _may_be_boilerplate(unit: HtmlElement, post: Post) -> bool:
    return _is_label(unit, post.text(unit)) or post.is_known(unit)


def _is_heading(unit: HtmlElement, post: Post) -> bool:
    """Return whether a unit is a heading of what follows."""
    return unit.tag in _HEADINGS or post.text(unit).endswith(":")


def _is_label(unit: HtmlElement, text: str) -> bool:
    return (
        len(text) <= MAX_BYLINE
        and not text.endswith(SENTENCE_ENDS)
        and unit.tag not in {"pre", "figure", "table", "blockquote", "ul", "ol"}
    )


def _leads_away(unit: HtmlElement, post: Post) -> bool:
    """Return whether a block is a line of links to other pages of the site, a teaser of one, or
    such things and their labels.
    """
    if unit.tag in {"pre", "figure", "blockquote"} or unit.tag in _HEADINGS or not _has_link(unit):
        return False
    return _is_line(unit, post) or (
        unit.tag in _BOXES and (_is_teaser(unit, post) or _is_list(unit, post))
    )


def _is_comment(unit: HtmlElement, post: Post) -> bool:
    """Return whether a box begins like a reader's comment: a line with a name and a day, and then
    text."""
    inner = (
        _units(unit) if unit.tag in _BOXES and unit.tag not in {"header", "footer", "nav"} else []
    )
    if len(inner) < 2 or inner[0] is None or inner[0].tag in _HEADINGS:
        return False
    line = post.text(inner[0]).removesuffix(":")
    return is_date_line(line) and sum(word.isalpha() for word in line.split()) > 1


def _is_line(unit: HtmlElement, post: Post) -> bool:
    links = [link for link in unit.iter("a") if link.get("href") and post.text(link)]
    if not links or 2 * sum(_is_other(link, post.url) for link in links) <= len(links):
        return False
    return sum(_letters(post.text(link)) for link in links) >= MOSTLY_LINKS * _letters(
        post.text(unit)
    )


def _letters(text: str) -> int:
    """Return letters and digits: brackets and bars around links say nothing."""
    return sum(map(str.isalnum, text))


def _is_teaser(unit: HtmlElement, post: Post) -> bool:
    """A box that begins with a link, which may be its heading, and has little text more."""
    text = post.text(unit)
    if not 0 < len(text) <= MAX_TEASER:
        return False
    first = next((link for link in unit.iter("a") if post.text(link)), None)
    return (
        first is not None
        and _is_other(first, post.url)
        and text.startswith(post.text(first))
        and len(_units(unit)) > 1
    )


def _is_list(unit: HtmlElement, post: Post) -> bool:
    """A box of such things, below a label or none."""
    inner = _units(unit)
    if len(inner) < 2:
        return False
    has_label = (
        inner[0] is not None
        and _is_label(inner[0], post.text(inner[0]))
        and not _leads_away(inner[0], post)
    )
    return all(each is not None and _leads_away(each, post) for each in inner[has_label:])


def _is_other(link: HtmlElement, url: str) -> bool:
    """Return whether a link leads to another page of the site."""
    href = link.get("href", "").strip()
    if not href or href.startswith("#"):
        return False
    if href.startswith(("http:", "https:", "//")):
        return same_site(href if href.startswith("h") else f"http:{href}", url) and entry_key(
            href
        ) != entry_key(url)
    return not href.startswith(("mailto:", "javascript:", "tel:"))


def _left(post: Post, edge: Sequence[HtmlElement]) -> int:
    """Return letters of the post without its edge."""
    whole, *parts = (len(post.text(each).replace(" ", "")) for each in (post.element, *edge))
    return whole - sum(parts)
