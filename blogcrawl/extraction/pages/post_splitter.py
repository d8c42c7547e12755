"""Cutting a page into its posts: between their anchors, at the level where each anchor has a child
of its own.

Old markup has no element around a post: a name, a heading, paragraphs or bare text between ``br``,
a rule, the next name. So a post is a run of siblings with the text behind each (its *tail*); where
an element holds it, the run is that element.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import lxml.html
from lxml.html import HtmlElement

from blogcrawl.core.bounds import Walk, unnested
from blogcrawl.core.evidence import MOSTLY_LINKS
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date, find_time
from blogcrawl.text.lengths import MAX_DATE_LINE, MIN_SENTENCE
from blogcrawl.text.visible import node_text, squeeze

_ASIDE = re.compile(
    (
        r"(?:^|[\s_-])(?:footer|navbar|nav|sidebar|pager|pagination|copyright|colophon|"
        r"disclaimer)(?:$|[\s_-])"
    ),
    re.I,
)

Anchors = Sequence[tuple[str, HtmlElement]]


class Part(NamedTuple):
    """A post on the page: its fragment, the heading of its day (None: none) and its run of
    siblings.
    """

    fragment: str
    lead: HtmlElement | None
    nodes: list[HtmlElement]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """``start``: siblings before the anchor's own that belong to its post; ``ends``: the anchor
    stands at the post's end.

    ``holders``: signatures of elements that hold posts; ``leads``: of headings of days; ``last`` x
    ``last_count``: of what ends a post; ``head``, ``foot``: of what stands in a post before and
    after its content (at most so many); ``wrap``: the content has no element of its own.
    """

    start: int = 0
    ends: bool = False
    holders: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    last: str = ""
    last_count: int = 0
    head: tuple[str, ...] = ()
    head_most: int = 0
    foot: tuple[str, ...] = ()
    foot_most: int = 0
    wrap: bool = False


def signature(node: HtmlElement) -> str:
    """Tag and classes, digits made equal."""
    if not isinstance(node.tag, str):
        return ""
    names = sorted(re.sub(r"\d+", "0", name) for name in node.get("class", "").split()[:8])
    return ".".join([node.tag, *names])


def kind(node: HtmlElement) -> str:
    """Return the signature, with a mark for a link, or else for digits in it: what themes write
    below a post may have the tag that its paragraphs have."""
    if isinstance(node.tag, str) and next(node.iter("a"), None) is not None:
        return signature(node) + "+a"
    return signature(node) + "+0" * any(map(str.isdigit, text_of(node)))


def place_of(node: HtmlElement) -> str:
    above = node.getparent()
    return f"{signature(above) if above is not None else ''}>{signature(node)}"


def text_of(node: HtmlElement) -> str:
    """Return visible text of a node and its tail."""
    own = node_text(node) if isinstance(node.tag, str) else ""
    return squeeze(f"{own} {node.tail or ''}")


# cutting


def parts(page: Page, anchors: Anchors, cut: Cut) -> list[Part]:
    """Return the posts of ``page`` between ``anchors`` (fragment, element), in document order;
    empty runs are left out.
    """
    tree = AnchorTree(anchors)
    if not tree.names:
        return []
    found = list(unnested(_posts_of(tree.holder(cut), tree, cut)))
    if found:
        found[-1] = found[-1]._replace(nodes=_without_ways_on(found[-1].nodes))
    return [part for part in found if any(map(shows, part.nodes))]


def _without_ways_on(nodes: list[HtmlElement]) -> list[HtmlElement]:
    """Return the nodes of a page's last post without a rule and the links below it that lead on."""
    back = range(len(nodes) - 1, -1, -1)
    end = next((at for at in back if nodes[at].tag == "hr"), len(nodes))
    return nodes[:end] if _are_links(nodes[end:]) else nodes


def _are_links(nodes: Sequence[HtmlElement]) -> bool:
    links = chain.from_iterable(node.iter("a") for node in nodes)
    linked, whole = sum(map(len, map(node_text, links))), sum(map(len, map(text_of, nodes)))
    return linked > MOSTLY_LINKS * whole


def shows(node: HtmlElement) -> bool:
    return bool(text_of(node)) or (
        isinstance(node.tag, str)
        and (node.tag == "img" or next(node.iter("img", "video"), None) is not None)
    )


class AnchorTree:
    """The elements around the anchors of a page, each with those of its children that have anchors.

    ``anchors`` come in document order; those inside another anchor's element are left out. Each
    element is looked at once, however deep anchors are nested.
    """

    def __init__(self, anchors: Anchors) -> None:
        self.names: dict[HtmlElement, str] = {}
        """Anchors with their fragments, in document order."""
        self._below: dict[HtmlElement, list[HtmlElement]] = {}
        self._forks: dict[HtmlElement, HtmlElement] = {}
        inside = set[HtmlElement]()
        for name, node in anchors:
            self._add(name, node, inside)

    def _add(self, name: str, node: HtmlElement, inside: set[HtmlElement]) -> None:
        """Add an anchor; ``inside``: elements that are known to be inside of others."""
        way = [node]
        for above in node.iterancestors():
            if above in self.names or above in inside:
                inside.update(way)
                return
            way.append(above)
            if above in self._below:
                break
        if len(way) > 1:  # the root stands in no element
            self.names[node] = name
        for child, above in pairwise(way):
            self._below.setdefault(above, []).append(child)

    def fork(self, node: HtmlElement) -> HtmlElement:
        """Return the first element from ``node`` down that is an anchor, or that has anchors in
        several children."""
        way = []
        while node not in self.names and node not in self._forks and len(self._below[node]) == 1:
            way.append(node)
            node = self._below[node][0]
        end = self._forks.get(node, node)
        self._forks.update(dict.fromkeys(way, end))
        return end

    def holder(self, cut: Cut) -> HtmlElement:
        """Return the nearest element around all anchors; of a single one what is known to hold
        posts."""
        first = next(iter(self.names))
        above = list(first.iterancestors())
        end = self.fork(above[-1])
        if end is not first:
            return end
        return next((node for node in above if place_of(node) in cut.holders), above[0])

    def holders(self, cut: Cut) -> Iterator[HtmlElement]:
        """Yield the holder, and those of several anchors in its children, in document order."""
        left = [self.holder(cut)] if self.names else []
        while left:
            holder = left.pop()
            yield holder
            inner = [self.fork(child) for child in self._below[holder]]
            left += [node for node in reversed(inner) if node not in self.names]

    def grouped(self, holder: HtmlElement) -> tuple[list[HtmlElement], list[int]]:
        """Return the holder's children, and the numbers of those that have anchors."""
        children, wanted = list(holder), set(self._below[holder])
        return children, [i for i, child in enumerate(children) if child in wanted]

    def inner(self, child: HtmlElement, cut: Cut) -> HtmlElement | None:
        """Return the element in a holder's ``child`` that holds posts, or None where the child is
        of one post."""
        end = self.fork(child)
        if end not in self.names:
            return end
        return child if child is not end and place_of(child) in cut.holders else None


def _posts_of(
    holder: HtmlElement, tree: AnchorTree, cut: Cut, lead: HtmlElement | None = None
) -> Walk[Part]:
    """Yield the posts of a holder and the walks of the holders inside it; ``lead``: the heading of
    the day that stands before it.
    """
    children, places = tree.grouped(holder)
    floor = 0
    for number, at in enumerate(places):
        following = places[number + 1] if number + 1 < len(places) else None
        if number == 0:
            begin, lead = _first_begin(children, at, cut, lead)
        else:
            begin = floor if cut.ends else max(floor, at - cut.start)
        inner = tree.inner(children[at], cut)
        if inner is not None:
            yield _posts_of(inner, tree, cut, lead)
            floor = at + 1
            continue
        if cut.ends:
            end = at + 1
        else:
            end = len(children) if following is None else max(at + 1, following - cut.start)
        run, next_lead = _before_next_day(children[begin:end], at - begin, cut)
        if following is None and not cut.ends:
            run = _ended(run, cut)
        yield Part(tree.names[tree.fork(children[at])], lead, run)
        lead, floor = next_lead if next_lead is not None else lead, end


def _first_begin(
    children: list[HtmlElement], at: int, cut: Cut, lead: HtmlElement | None
) -> tuple[int, HtmlElement | None]:
    """Return where the first post of a holder begins, anchored at ``at``, and the heading of its
    day.
    """
    begin = max(0, at - cut.start)
    lead = next((child for child in reversed(children[:begin]) if _is_lead(child, cut)), lead)
    if cut.ends:
        begin = children.index(lead) + 1 if lead in children[:at] else 0
    return begin, lead


def _before_next_day(
    run: list[HtmlElement], at: int, cut: Cut
) -> tuple[list[HtmlElement], HtmlElement | None]:
    """Part a post from the heading of the next day at its end, if there is one behind ``at``."""
    days = [i for i, node in enumerate(run) if i > at and _is_lead(node, cut)]
    if days and not any(map(text_of, run[days[-1] + 1 :])):
        return run[: days[-1]], run[days[-1]]
    return run, None


def _is_lead(node: HtmlElement, cut: Cut) -> bool:
    return (
        bool(cut.leads)
        and isinstance(node.tag, str)
        and signature(node) in cut.leads
        and may_lead(node)
    )


def may_lead(node: HtmlElement) -> bool:
    """Return whether a node may be the heading of a day: short, with other digits than those of a
    time, which the last line of a post has."""
    text = text_of(node)
    is_short = 0 < len(text) <= MIN_SENTENCE and any(c.isdigit() for c in text)
    return is_short and (find_time(text) is None or find_date(text) is not None)


def _ended(run: list[HtmlElement], cut: Cut) -> list[HtmlElement]:
    """Return the last post of a holder, without what stands below all posts."""
    seen = 0
    for at, node in enumerate(run):
        seen += bool(cut.last) and signature(node) == cut.last
        named = (
            " ".join(filter(None, (node.get("id"), node.get("class"))))
            if isinstance(node.tag, str)
            else ""
        )
        if at and (node.tag in {"footer", "nav", "address"} or _ASIDE.search(named)):
            return run[:at]
        if cut.last and seen == cut.last_count:
            return run[: at + 1]
    return run


# putting together


def inside(nodes: Sequence[HtmlElement]) -> tuple[HtmlElement | None, list[HtmlElement]]:
    """Return the element that holds all of a run, if one does, and the nodes in it."""
    shown = [node for node in nodes if shows(node)]
    shell = (
        shown[0]
        if len(shown) == 1 and isinstance(shown[0].tag, str) and not squeeze(shown[0].tail)
        else None
    )
    if (
        shell is None
        or shell.tag in {"p", "pre", "blockquote", "table", "ul", "ol"}
        or not len(shell)
    ):
        return None, list(nodes)
    return shell, list(shell)


def assembled(
    lead: HtmlElement | None, nodes: Sequence[HtmlElement], cut: Cut
) -> list[HtmlElement]:
    """Return the body of a post's own page: the heading of its day, and the post, its content in an
    element where it has none.
    """
    shell, inner = inside(nodes)
    article = lxml.html.Element("article")
    if shell is not None:
        for name, value in shell.attrib.items():
            article.set(name, value)
    head, content, foot = _parted(inner, cut) if cut.wrap else (inner, [], [])
    start = shell.text if shell is not None else None
    article.extend(map(copy.deepcopy, head))
    if content:
        box = lxml.html.Element("div", {"class": "part-content"})
        box.extend(map(copy.deepcopy, content))
        (box if not head else article).text = start
        article.append(box)
    else:
        article.text = start
    article.extend(map(copy.deepcopy, foot))
    if lead is None:
        return [article]
    header = lxml.html.Element("header")
    header.append(copy.deepcopy(lead))
    return [header, article]


def _parted(
    nodes: Sequence[HtmlElement], cut: Cut
) -> tuple[list[HtmlElement], list[HtmlElement], list[HtmlElement]]:
    begin = _edge(nodes, cut.head, cut.head_most)
    end = len(nodes) - _edge(nodes[begin:][::-1], cut.foot, cut.foot_most)
    return list(nodes[:begin]), list(nodes[begin:end]), list(nodes[end:])


def _edge(nodes: Sequence[HtmlElement], kinds: Sequence[str], most: int) -> int:
    """Return how many nodes from the edge on are none of the content: those that show nothing, and
    at most ``most`` short ones of ``kinds``.
    """
    for number, node in enumerate(nodes):
        if shows(node):
            is_of_kind = signature(node) in kinds or kind(node) in kinds
            if not most or not is_of_kind or len(text_of(node)) > MAX_DATE_LINE:
                return number
            most -= 1
    return len(nodes)
