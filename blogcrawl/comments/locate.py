"""Find the nodes of a page that hold one comment each.

Strategies, best evidence first: numbered ids and anchors, semantic markup (schema.org,
microformats), class names, and repeated blocks inside a comment section. A learned rule
(``CommentRules.unit``) goes before all of them. What looks like a comment and is none is left out:
forms, lists of the site's latest comments, whole pages, numbered parts of other content."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.repeated_blocks import repeated_blocks
from blogcrawl.comments.unit import Unit
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import (
    COMMENT_NAMES,
    NOT_UNIT,
    UNIT_ID,
    UNIT_TOKENS,
    is_label,
    tokens,
)
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import is_longer, node_text

MAX_UNITS = 20_000
"""Bound against hostile pages; the longest comment pages known have a few thousand."""


def find_units(
    root: HtmlElement,
    rule: str | None = None,
    content: HtmlElement | None = None,
    beside: Collection[HtmlElement] = (),
) -> tuple[list[Unit], str]:
    """Units in document order with their nesting, and the strategy that found them ("" for none).

    ``content`` is the post's own content node: nothing in it is a comment; ``beside``: further
    elements that are none.
    """
    banned: set[HtmlElement] = (
        {*content.iter(), *content.iterancestors()} if content is not None else set()
    )
    banned |= not_comments(root)
    banned.update(beside)
    best: tuple[list[Unit], str] = ([], "")
    ways: tuple[tuple[str, Callable[[], list[Unit]]], ...] = (
        ("rule", lambda: _by_rule(root, rule, banned) if rule else []),
        ("ids", lambda: _by_ids(root, banned)),
        ("semantic", lambda: _by_semantics(root, banned)),
        ("classes", lambda: _by_classes(root, banned)),
        (
            "section",
            lambda: [Unit(run, number_of(run[0])) for run in repeated_blocks(root, banned)],
        ),
    )
    for name, find in ways:
        if best[0] and name in ("classes", "section"):
            break
        units = told_apart(find(), root) if name in ("ids", "classes") else find()
        if units and (
            not best[0] or (len(units) > 1.5 * len(best[0]) and name in ("ids", "semantic"))
        ):
            best = (units, name)
            if name == "ids" or (len(units) > 1 and name != "rule"):
                break
    nest(best[0])
    return best


def _numbered(
    root: HtmlElement, banned: set[HtmlElement]
) -> Iterator[tuple[str, str, HtmlElement]]:
    for element in root.xpath(
        "descendant-or-self::*[@id or @name or @data-comment-id or @data-commentid]"
    ):
        if element in banned:
            continue
        for attribute in ("id", "name", "data-comment-id", "data-commentid"):
            value = element.get(attribute)
            if not value or len(value) > 120:
                continue
            if attribute.startswith("data-"):
                if re.fullmatch(r"\d+|[0-9a-f-]{8,40}", value) and element.tag not in (
                    "a",
                    "button",
                    "span",
                ):
                    yield value, value, element
                continue
            found = UNIT_ID.match(value)
            if found and not NOT_UNIT.search(found["pre"]) and not NOT_UNIT.search(found["post"]):
                yield found["num"], value, element


def _by_ids(root: HtmlElement, banned: set[HtmlElement]) -> list[Unit]:
    groups = _by_number(root, banned)
    owner = {e: number for number, members in groups.items() for _, e in members}
    around = _outermost(root, groups)
    units: list[Unit] = []
    for number, members in groups.items():
        roots = [e for e in around[number] if not is_anchor(e)]
        if not roots and len(groups) == 1:
            roots = box_alone(around[number][0], banned)
        if [e.tag for e in roots] == ["dt"]:
            roots += definitions(roots[0], owner)
        if roots:
            units.append(Unit(roots, number, min((anchor for anchor, _ in members), key=len)))
    longest = max((len(u.elements) for u in units[:-1]), default=0)
    if longest > 1:  # what follows the last one would be taken for its end
        units[-1].elements = units[-1].elements[:longest]
    return _in_order(root, _with_bylines(units))


Numbered = dict[str, list[tuple[str, HtmlElement]]]
"""Anchors and elements by the comment's number."""


def _by_number(root: HtmlElement, banned: set[HtmlElement]) -> Numbered:
    groups: Numbered = defaultdict(list)
    for number, anchor, element in _numbered(root, banned):
        groups[number].append((anchor, element))
        if len(groups) > MAX_UNITS:
            break
    for number in list(groups):
        whole = re.match(r"\d+(?=_)", number)
        if whole and whole.group() in groups:  # "12_3" around "12": a comment and what it answers
            groups[whole.group()] += groups.pop(number)
    return groups


def _outermost(root: HtmlElement, groups: Numbered) -> dict[str, list[HtmlElement]]:
    """The elements of each number that stand in no other one of it, in document order."""
    numbers: dict[HtmlElement, dict[str, None]] = defaultdict(dict)
    for number, members in groups.items():
        for _, element in members:
            numbers[element][number] = None
    out: dict[str, list[HtmlElement]] = defaultdict(list)
    entered: Counter[str] = Counter()
    tags = {str(element.tag) for element in numbers}
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=tags):
        for number in numbers.get(element, ()):
            if event == "start" and not entered[number]:
                out[number].append(element)
            entered[number] += 1 if event == "start" else -1
    return out


def _with_bylines(units: list[Unit]) -> list[Unit]:
    """Where the numbered elements hold the texts or titles only, as on FC2, each is widened to the
    box that holds its byline too.
    """
    own = {e for u in units for e in u.elements}
    if len(units) < 2 or any(map(_holds_byline, own)):
        return units
    boxes = [u.elements[0].getparent() for u in units]
    are_alone = all(
        sum(e in own for e in box.iter()) == len(unit.elements)
        for unit, box in zip(units, boxes, strict=True)
    )
    dated = sum(find_date(node_text(box)) is not None for box in boxes) if are_alone else 0
    if dated >= MOST * len(units):
        for unit, box in zip(units, boxes, strict=True):
            unit.elements = [box]
    return units


MOST = 0.8
"""Share of the boxes that must hold a date."""


def _holds_byline(element: HtmlElement) -> bool:
    is_dated = find_date(node_text(element)[:400]) is not None
    return is_dated or next(element.iterdescendants("time", "cite"), None) is not None


def _by_semantics(root: HtmlElement, banned: set[HtmlElement]) -> list[Unit]:
    out: list[Unit] = []
    for element in root.xpath(
        "descendant-or-self::*[@itemtype or @typeof or @itemprop or contains(@class, '-comment')]"
    ):
        if element in banned:
            continue
        kind = element.get("itemtype") or element.get("typeof") or ""
        classes = (element.get("class") or "").split()
        is_schema = kind != "" and re.search(r"(?:^|[/:])(?:User)?Comments?$", kind) is not None
        is_property = (
            "comment" in (element.get("itemprop") or "").split()
            and element.get("itemscope") is not None
        )
        is_marked = is_schema or is_property or "u-comment" in classes or "p-comment" in classes
        if is_marked and is_longer(element, 1):
            out.append(Unit([element], number_of(element)))
    return out[:MAX_UNITS]


LONGEST_NUMBER = 100


def number_of(element: HtmlElement) -> str | None:
    """The number at the end of an element's id."""
    for attribute in ("id", "data-comment-id", "data-id"):
        value = (element.get(attribute) or "")[-LONGEST_NUMBER:]
        found = re.search(r"(\d{1,100}|[0-9a-f]{12,100}|[0-9a-f-]{36})$", value)
        if found:
            return found.group(1)
    return None


def _by_classes(root: HtmlElement, banned: set[HtmlElement]) -> list[Unit]:
    groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
    for element in root.iter(
        "li", "div", "article", "section", "dl", "dt", "dd", "tr", "p", "td", "blockquote"
    ):
        if element in banned:
            continue
        names = element.get("class")
        for token in set(tokens(names)) if names else ():
            if UNIT_TOKENS.match(token) and not NOT_UNIT.search(token):
                groups[element.tag, re.sub(r"[-_]", "", token.lower())].append(element)
    best: list[HtmlElement] = []
    best_score = 0.0
    for (_, token), members in groups.items():
        whole = [e for e in members if _looks_like_comment(e)]
        if not whole:
            continue
        letters = sum(len(node_text(e)) for e in whole[:20]) / len(whole[:20])
        score = len(whole) + 0.5 * (token == "comment") + 0.001 * min(400.0, letters)
        if score > best_score:
            best, best_score = whole, score
    return [Unit([e], number_of(e)) for e in best[:MAX_UNITS]]


_HEAD_NAMES = re.compile("author|name|date|time|meta|avatar|vcard|user")


def _is_head(element: HtmlElement) -> bool:
    """Whether markup or classes are those of a comment's name or time."""
    if element.tag in ("time", "cite", "abbr") or _HEAD_NAMES.search(element.get("class") or ""):
        return True
    return element.tag == "a" and "nofollow" in (element.get("rel") or "")


def _looks_like_comment(element: HtmlElement) -> bool:
    """Some text, and a name, time, or head in it."""
    return is_longer(element, 2) and (
        any(map(_is_head, element.iterdescendants(etree.Element)))
        or re.search(r"\d{4}", node_text(element)) is not None
    )


def _by_rule(root: HtmlElement, rule: str, banned: set[HtmlElement]) -> list[Unit]:
    try:
        nodes = root.xpath(rule)
    except etree.XPathError:
        return []
    if not isinstance(nodes, list):
        return []
    good = [
        n for n in nodes if isinstance(n, etree._Element) and n not in banned and is_longer(n, 1)
    ]
    return [Unit([n], number_of(n)) for n in good[:MAX_UNITS]]


def _in_order(root: HtmlElement, units: list[Unit]) -> list[Unit]:
    place = {e: i for i, e in enumerate(root.iter())}
    return sorted(units, key=lambda u: place.get(u.elements[0], 0))


def nest(units: list[Unit]) -> None:
    """Sets parents: the nearest unit around, or (lists of replies beside their comment) the unit
    just before the list.
    """
    owner = {e: u for u in units for e in u.elements}
    for unit in units:
        for ancestor in unit.elements[0].iterancestors():
            outer = owner.get(ancestor)
            if outer is not None:
                unit.parent = outer
                outer.inner.extend(unit.elements)
                break
        else:
            unit.parent = _beside(unit, owner)


_REPLIES = re.compile(rf"(?:^|[-_ ])(?:{any_of('comments', 'names.replies')})(?:$|[-_ ])", re.I)


def _beside(unit: Unit, owner: dict[HtmlElement, Unit]) -> Unit | None:
    """``<div comment/><ul class=children><li comment/></ul>``: the list's elder brother is the
    parent; of a list without a name only where nothing stands between the two."""
    for ancestor in (unit.elements[0], *unit.elements[0].iterancestors("ul", "ol", "div")):
        if not _REPLIES.search(ancestor.get("class") or ""):
            continue
        for brother in ancestor.itersiblings(preceding=True):
            for node in [brother, *brother.iterdescendants()]:
                if node in owner:
                    return owner[node]
    for above in unit.elements[0].iterancestors("ul", "ol", "dl", "blockquote"):
        if not above.attrib and (elder := above.getprevious()) is not None and elder in owner:
            return owner[elder]
    return None


LEAST, HEAD = 12, 1000
"""Characters of a comment with its name and date; of its text in which the date is looked for."""


def definitions(term: HtmlElement, owner: dict[HtmlElement, str]) -> list[HtmlElement]:
    """The ``dd`` that follow a ``dt``, where they have no number of their own."""
    out = []
    for sibling in term.itersiblings():
        if sibling.tag != "dd" or sibling in owner:
            break
        out.append(sibling)
    return out


def is_anchor(element: HtmlElement) -> bool:
    """Marks a place only: ``<a name="comment-12">``, perhaps with the number as its text."""
    return not is_longer(element, 11 if element.tag in ("a", "span", "sup", "small") else 1)


def box_alone(element: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """From the only anchor of a page to the block it names: the narrowest element around it, or run
    of siblings from it on, that bears a date; ``banned``: what holds the post."""
    for node in (element, *element.iterancestors()):
        if node in banned or node.tag in ("body", "html"):
            break
        if node is not element and len(node_text(node)) >= LEAST and _bears_date(node):
            return [node]
        run = _run(node)
        if len(run) > 1 and any(map(_bears_date, run)):
            return run
    return []


def _bears_date(element: HtmlElement) -> bool:
    return find_date(node_text(element)[:HEAD]) is not None


MAX_RUN = 40


def _run(node: HtmlElement) -> list[HtmlElement]:
    """A node and its siblings up to the next form, or to a heading behind a date."""
    run = [node]
    for sibling in islice(node.itersiblings(etree.Element), MAX_RUN):
        is_heading = sibling.tag in ("h1", "h2", "h3", "h4")
        if sibling.tag == "form" or (is_heading and any(map(_bears_date, run))):
            break
        run.append(sibling)
    return run


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
