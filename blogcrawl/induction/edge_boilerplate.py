"""Find boilerplate above and below the text of most posts of a blog: links to other pages, teasers,
a byline.

Where no feed has the extent of a post the series of pages shows it: one post may end with links,
where most posts of a blog do, they are the theme's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MOSTLY_LINKS, SEVERAL
from blogcrawl.dates.parse import normalise
from blogcrawl.induction.template import MIN_WORDS, TemplateModel
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE, MAX_TEASER, MIN_REST, SENTENCE_ENDS
from blogcrawl.text.visible import BLOCK_TAGS, SILENT_TAGS, node_text, stripped
from blogcrawl.urls.canonical import entry_key, same_site

MOST = 8
"""Blocks at an edge that are looked at."""
MAX_LINE_WORDS = 14
"""A date line ("Posted on Monday, May 4, 2020 by Ann Lee in Food") is no longer than that."""
_ENDS = (*(end for end in SENTENCE_ENDS if end != "…"), ":", "：")
"""What no label ends with; "Read more…" is one."""
_HOUR = re.compile(r"(?<=\d)\s?[ap]\.\s?m\.$", re.I)
"""At the end of a line; its full stop ends no sentence."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_WHOLE = frozenset("pre figure table blockquote ul ol".split())
"""Blocks that no label is."""
_BOXES = frozenset(
    "div section ul ol li nav aside article header footer center dl dd table tbody tr td".split()
)


class Post(NamedTuple):
    """The element that holds a post's text, the page's address, what is known already to be no part
    of the post, what returns the visible text of an element, and what the feed has of the post."""

    element: HtmlElement
    url: str
    is_known: Callable[[HtmlElement], bool] = lambda element: False
    text: Callable[[HtmlElement], str] = node_text
    is_said: Callable[[HtmlElement], bool] = lambda element: False
    below_picture: Set[HtmlElement] = frozenset()
    """Elements below the first picture that no other post shows: they are the author's, not the
    theme's byline."""


def edges_of_posts(posts: Sequence[Post]) -> list[list[HtmlElement]]:
    """Return for each post the elements of boilerplate at its edges; nothing where fewer than
    ``MAJORITY`` of the posts have such an edge.
    """
    shown = Counter(url for post in posts for url in set(_pictures(post).values()))
    posts = [
        post._replace(text=cache(post.text), below_picture=_below_picture(post, shown))
        for post in posts
    ]
    need = max(SEVERAL, MAJORITY * len(posts))
    found: list[list[HtmlElement]] = [[] for _ in posts]
    surely: list[list[HtmlElement]] = [[] for _ in posts]
    for order in (1, -1):
        is_above = order > 0
        ends = [_end(_units(post.element)[::order]) for post in posts]
        common = _common(posts, ends, order)
        for at, edge in enumerate(_edges(posts, ends, common, need, is_above=is_above)):
            sure = _edge(ends[at], posts[at], common, is_above=is_above, is_strict=True)
            found[at] += [unit for unit in edge if unit not in found[at]]
            surely[at] += [unit for unit in sure if unit not in surely[at]]
    return [_some_left(post, *edges) for post, *edges in zip(posts, found, surely, strict=True)]


def _pictures(post: Post) -> dict[HtmlElement, str]:
    """Return the pictures in a post's element with their addresses."""
    return {img: urljoin(post.url, img.get("src", "")) for img in post.element.iter("img")}


def _below_picture(post: Post, shown: Counter[str]) -> Set[HtmlElement]:
    """Return the elements below the first picture that is shown in this post only; ``shown``: in
    how many posts each address is."""
    own = next((img for img, url in _pictures(post).items() if shown[url] == 1), None)
    return frozenset() if own is None else frozenset(_following(own, post.element))


def _following(element: HtmlElement, root: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements of ``root`` that begin after one in it has ended."""
    while element is not root:
        for sibling in element.itersiblings(etree.Element):
            yield from sibling.iter(etree.Element)
        element = element.getparent()


class _Common(NamedTuple):
    """What the units at one edge of most posts have in common."""

    texts: TemplateModel
    """Texts of the units with links."""
    lines: frozenset[str]
    """Lines that most posts have there, without their numbers."""
    words: frozenset[str]
    """Words of the lines of data."""
    sentences: frozenset[str]
    """Sentences that most posts have there."""

    def has(self, unit: HtmlElement, post: Post) -> bool:
        """Return whether a unit is common, or a line of data in which the words that most posts
        have there are the greater part: "posted at: 14:02 | path: /home"."""
        text = post.text(unit)
        if self.texts.has(text) or _line(unit, post) in self.lines or self._states(text):
            return True
        words = _words_of_data(unit, post)
        return 0 < len(words) < 2 * sum(word in self.words for word in words)

    def _states(self, text: str) -> bool:
        """Return whether a text is made of sentences that most posts have there, and of such as
        have a day: "This entry was posted on May 3, 2006. Both comments and pings are closed." """
        said = set(_sentences(text))
        common = said & self.sentences
        has_long = any(len(sentence.split()) >= MIN_WORDS for sentence in common)
        return has_long and all(_YEAR.search(sentence) for sentence in said - common)


def _common(posts: Sequence[Post], ends: Sequence[Sequence[HtmlElement]], order: int) -> _Common:
    """Return what this edge of most posts has in common; ``order``: -1 of that below."""
    units = [_with_edges_inside(end, order) for end in ends]
    pairs = list(zip(units, posts, strict=True))
    texts = [[post.text(unit) for unit in row if _has_link(unit)] for row, post in pairs]
    words = [chain.from_iterable(_words_of_data(unit, post) for unit in row) for row, post in pairs]
    lines = [[_line(unit, post) for unit in row] for row, post in pairs]
    said = [chain.from_iterable(_sentences(post.text(unit)) for unit in row) for row, post in pairs]
    return _Common(TemplateModel.learn(texts), _usual(lines) - {""}, _usual(words), _usual(said))


def _sentences(text: str) -> list[str]:
    """Return the sentences of a short text; none of a longer one."""
    return _SENTENCE.split(text) if len(text) <= MAX_TEASER else []


_SENTENCE = re.compile(r"(?<=[.!?])\s{1,9}|(?<=[。！？])")


def _with_edges_inside(end: Sequence[HtmlElement], order: int) -> list[HtmlElement]:
    return [unit for outer in end for unit in (outer, *_edge_inside(outer, order))]


def _usual(texts: Sequence[Iterable[str]]) -> frozenset[str]:
    """Return what most posts have."""
    model = TemplateModel.learn(texts)
    return frozenset(x for x in model.counts if model.has(x) and model.share(x) >= MAJORITY)


def _line(unit: HtmlElement, post: Post) -> str:
    """Return the words, folded and without numbers, of a unit without a link that can be a label;
    "" of others."""
    text = post.text(unit)
    is_line = unit.tag not in _HEADINGS and _is_label(unit, text)
    is_line &= not _has_link(unit) and not post.is_said(unit)
    return " ".join(_WORD.findall(text.casefold())) if is_line else ""


def _words_of_data(unit: HtmlElement, post: Post) -> list[str]:
    """Return the words, folded and without numbers, of a unit that can be a line of data about the
    post: short, no sentence, with a number, a link, or a mark that parts a label from its value.
    What leads to another site is the author's: "Source: a study".
    """
    text = post.text(unit)
    is_short = len(text) <= MAX_LINE and not text.endswith(SENTENCE_ENDS)
    if not is_short or unit.tag in _WHOLE or unit.tag in _HEADINGS:
        return []
    links = [link.get("href", "") for link in unit.iter("a")]
    if (not links and not _DATA.search(text)) or not all(_is_here(href, post) for href in links):
        return []
    return _WORD.findall(text.casefold())


def _is_here(href: str, post: Post) -> bool:
    """Return whether a link stays on the site."""
    return not href.startswith(("http:", "https:", "//")) or same_site(href, post.url)


_DATA = re.compile(r"[\d:：|@]")
_WORD = re.compile(r"[^\W\d]+")


def _edges(
    posts: Sequence[Post],
    ends: Sequence[Sequence[HtmlElement]],
    common: _Common,
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
        len(text) <= MAX_LINE and len(text.split()) <= MAX_LINE_WORDS and not text.endswith(_ENDS)
    )


def is_date_line(text: str) -> bool:
    """Return whether a text is a short line with a year in it that is no sentence."""
    return is_line(_HOUR.sub("", text)) and _YEAR.search(normalise(text)) is not None


def _parts(element: HtmlElement) -> Iterator[HtmlElement | None]:
    """Yield the blocks with text right in the element; None for each text outside them."""
    if stripped(element.text):
        yield None
    for child in element:
        if isinstance(child.tag, str) and _has_text(child):
            yield child if child.tag in BLOCK_TAGS or _is_alone(child) else None
        if stripped(child.tail):
            yield None


def _is_alone(element: HtmlElement) -> bool:
    """Return whether a block stands right before an inline element, and none of the text's next to
    it: it is a line of its own then, ``<p>…</p><small>…</small>``."""
    before, after = (
        next(element.itersiblings(etree.Element, preceding=is_before), None)
        for is_before in (True, False)
    )
    is_between = before is not None and before.tag in BLOCK_TAGS and not stripped(before.tail)
    return is_between and not stripped(element.tail) and (after is None or after.tag in BLOCK_TAGS)


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


def _units_inside(unit: HtmlElement, order: int) -> list[HtmlElement | None]:
    """Return the units of a box from its edge; of a table of data none, which is whole."""
    if unit.tag not in _BOXES and not _is_layout(unit):
        return []
    return _units(unit)[::order]


def _is_layout(unit: HtmlElement) -> bool:
    """Return whether a table lays out the page: its rows have one cell, or paragraphs in them."""
    if unit.tag != "table":
        return False
    rows = list(unit.iter("tr"))
    return sum(len(row) for row in rows) < 2 * len(rows) or unit.find(".//p") is not None


def _edge_inside(unit: HtmlElement, order: int) -> list[HtmlElement]:
    """Return the units at the edge of a box, and of the first of these that is a box itself."""
    out: list[HtmlElement] = []
    inner = _end(_units_inside(unit, order))
    while inner and len(out) < MOST:
        out += inner
        inner = _end(_units_inside(inner[0], order))
    return out


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
    common: _Common,
    *,
    is_above: bool,
    is_strict: bool = False,
) -> list[HtmlElement]:
    """Return the outermost units up to the innermost one that is surely boilerplate, and the label
    above that; ``is_strict``: only units that surely are."""
    run: list[tuple[HtmlElement, bool]] = []
    left = list(reversed(end))
    while left:
        unit = left.pop()
        if is_above and unit in post.below_picture:
            break
        is_sure = _is_surely_boilerplate(unit, post, common, is_above=is_above)
        if is_sure or (not is_strict and _may_be_boilerplate(unit, post, is_above=is_above)):
            run.append((unit, is_sure))
            continue
        inner = _end(_units_inside(unit, 1 if is_above else -1))
        if not inner:
            break
        left += reversed(inner)
    size = 1 + max((place for place, (_, is_sure) in enumerate(run) if is_sure), default=-1)
    if 0 < size < len(run) and not is_above and _is_heading(run[size][0], post):
        size += 1
    return [unit for unit, _ in run[:size]]


def _is_surely_boilerplate(
    unit: HtmlElement, post: Post, common: _Common, *, is_above: bool
) -> bool:
    """Return whether a unit is a byline above or a comment below the post, common to most posts, or
    leads to other pages.
    """
    text = post.text(unit)
    is_byline = is_above and unit.tag not in _HEADINGS and is_date_line(text)
    if is_byline or common.has(unit, post) or _leads_away(unit, post):
        return True
    return not is_above and _is_comment(unit, post)


def _may_be_boilerplate(unit: HtmlElement, post: Post, *, is_above: bool) -> bool:
    """Return whether a unit may be a label, or above the post its title, which may ask."""
    text = post.text(unit)
    return _is_label(unit, text.rstrip("!?") if is_above else text) or post.is_known(unit)


def _is_heading(unit: HtmlElement, post: Post) -> bool:
    """Return whether a unit is a heading of what follows."""
    return unit.tag in _HEADINGS or post.text(unit).endswith(":")


def _is_label(unit: HtmlElement, text: str) -> bool:
    return len(text) <= MAX_BYLINE and not text.endswith(SENTENCE_ENDS) and unit.tag not in _WHOLE


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
