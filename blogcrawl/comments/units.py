"""Finds the nodes of a page that hold one comment each.

Strategies, best evidence first: numbered ids and anchors, semantic markup (schema.org,
microformats), class names, and repeated blocks inside a comment section. A learned rule
(``CommentRules.unit``) goes before all of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.anchors import definitions, grow, grow_alone, is_anchor, same_level
from blogcrawl.comments.plausible import not_comments, told_apart
from blogcrawl.comments.sections import holds_several, repeated_blocks
from blogcrawl.comments.unit import Unit
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import NOT_UNIT, UNIT_ID, UNIT_TOKENS, tokens
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
        outer = around[number]
        wide = [e for e in outer if not is_anchor(e)]
        roots: list[HtmlElement] | None
        if wide:
            roots = same_level(wide)
        elif len(groups) > 1:
            roots = grow(outer[0], number, owner)
        else:
            roots = grow_alone(outer[0], banned)
        if roots is None:
            continue
        if len(roots) == 1 and roots[0].tag == "dt":
            roots = [*roots, *definitions(roots[0], owner)]
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
    """Where the numbered elements hold the texts only, each is widened to the box that holds its
    byline too.
    """
    own = {e for u in units for e in u.elements}
    if len(units) < 2 or any(
        find_date(node_text(e)[:400]) or e.xpath(".//time|.//cite") for e in own
    ):
        return units
    boxes = [u.elements[0].getparent() for u in units]
    alone = all(
        box is not None and sum(e in own for e in box.iter()) == len(u.elements)
        for u, box in zip(units, boxes, strict=True)
    )
    if alone and sum(find_date(node_text(box)) is not None for box in boxes) >= 0.8 * len(units):
        for unit, box in zip(units, boxes, strict=True):
            unit.elements = [box]
    return units


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
        # a wrapper of the whole list carries such a class once; one comment carries it as often as
        # there are comments
        if not whole or (len(whole) == 1 and holds_several(whole[0])):
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


_REPLIES = re.compile(
    r"(?:^|[-_ ])(?:children|replies|comment-replies|indented"
    r"|child(?:ren)?[-_]\w+|sub-?comments?|responses|nested|thread-children)(?:$|[-_ ])",
    re.I,
)


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
