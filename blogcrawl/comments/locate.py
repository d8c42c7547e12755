"""Find the nodes of a page that hold one comment each.

Strategies, best evidence first: numbered ids and anchors, semantic markup (schema.org,
microformats), class names, and repeated blocks inside a comment section. A learned rule
(``CommentRules.unit``) goes before all of them. What only looks like a comment is left out: forms,
lists of the site's latest comments, whole pages, numbered parts of other content."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.candidates import joined_parts
from blogcrawl.comments.repeated_blocks import named_parts, repeated_blocks
from blogcrawl.comments.unit import Unit, own
from blogcrawl.core.bounds import MAX_STORED, MAX_TRIED
from blogcrawl.core.evidence import LEVELS, MOST, NEAR, SEVERAL
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import (
    COMMENT_NAMES,
    NOT_UNIT,
    STRICT_BODY,
    UNIT_ID,
    UNIT_TOKENS,
    is_label,
    tokens,
)
from blogcrawl.lexicon.css_classes import kind_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_LINE, MIN_PARAGRAPH
from blogcrawl.text.visible import Texts, beginning, is_longer, node_text, stripped


@dataclass(frozen=True, slots=True)
class Scene:
    """A page in which comments are looked for."""

    root: HtmlElement
    banned: set[HtmlElement]
    """Elements that are no comments."""
    rule: str | None = None
    """The XPath learned for the blog."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to see which elements of a page are alike and hold a comment each."""

    name: str
    find: Callable[[Scene], list[Unit]]
    corrects_rule: bool = False
    """Whether it counts instead of the learned rule, where it finds many more."""


OUTNUMBERS = 1.5
"""Units found for one of the learned rule from which the rule is taken to be out of date."""


def find_units(
    root: HtmlElement,
    rule: str | None = None,
    content: HtmlElement | None = None,
    excluded: Collection[HtmlElement] = (),
    after: str = "",
) -> tuple[list[Unit], str]:
    """Return units in document order with their nesting, and the strategy that found them ("" for
    none).

    ``content`` is the post's own content node: nothing in it is a comment; ``excluded``: further
    elements that are none; ``after``: a strategy that found nothing of use, and those before it.
    """
    banned = not_comments(root)
    if content is not None:
        banned.update(content.iter(), content.iterancestors())
    banned.update(excluded)
    scene = Scene(root, banned, rule)
    best: list[Unit] = []
    method = ""
    names = [strategy.name for strategy in STRATEGIES]
    for strategy in STRATEGIES[names.index(after) + 1 if after else 0 :]:
        if method not in ("", "rule"):
            break
        units = strategy.find(scene) if not best or strategy.corrects_rule else []
        if len(units) > OUTNUMBERS * len(best):
            best, method = units, strategy.name
    best = _with_answers(_with_mentions(best, scene), scene)
    nest(best)
    return best, method


def _with_mentions(units: list[Unit], scene: Scene) -> list[Unit]:
    """Return comments with the mentions of the post in the same lists, which many themes leave
    without the number that comments have."""
    named = _MENTIONS(scene.root) if units else []
    if not named:
        return units
    known = _elements(units)
    lists = {element.getparent() for element in known}
    mentions = [
        Unit([element])
        for element in named
        if element not in known and element not in scene.banned and element.getparent() in lists
    ]
    return _in_order(scene.root, [*units, *mentions])


def _with_answers(units: list[Unit], scene: Scene) -> list[Unit]:
    """Return comments with the blogger's answers that some of them have in a further box behind
    their date, with a date of its own (FC2)."""
    sizes = [len(unit.elements[0]) for unit in units]
    longer = [unit for unit, size in zip(units, sizes, strict=True) if size > min(sizes)]
    boxes = [box for unit in longer if (box := _box_behind_date(unit.elements)) is not None]
    return _in_order(scene.root, [*units, *(Unit([box]) for box in boxes)]) if boxes else units


def _box_behind_date(elements: Sequence[HtmlElement]) -> HtmlElement | None:
    """Return the last box in a comment's only element, where it begins with words of its own and
    has a dated line, and such a line stands before it."""
    boxes = list(elements[0].iterchildren(etree.Element)) if len(elements) == 1 else []
    if len(boxes) < SEVERAL or not (boxes[-1].text or "").strip():
        return None
    is_dated = any(map(is_dated_line, islice(boxes[-1].iterchildren("*"), NEAR)))
    return boxes[-1] if is_dated and any(map(is_dated_line, boxes[-NEAR:-1])) else None


_MENTIONS: Any = etree.XPath(
    "descendant::*[contains(concat(' ', normalize-space(@class), ' '), ' pingback ')"
    " or contains(concat(' ', normalize-space(@class), ' '), ' trackback ')]"
)


def _numbered(scene: Scene) -> Iterator[tuple[str, str, HtmlElement]]:
    """Yield numbers of comments, the attribute's value that has it, and the element."""
    for element in scene.root.xpath(
        "descendant-or-self::*[@id or @name or @data-comment-id or @data-commentid]"
    ):
        if element in scene.banned:
            continue
        for attribute in ("id", "name", "data-comment-id", "data-commentid"):
            value = element.get(attribute) or ""
            number = _number_in(attribute, value, element) if len(value) <= MAX_LINE else None
            if number:
                yield number, value, element


_PLAIN_NUMBER = re.compile(r"\d+|[0-9a-f-]{8,40}")


def _number_in(attribute: str, value: str, element: HtmlElement) -> str | None:
    if attribute.startswith("data-"):
        is_box = element.tag not in ("a", "button", "span")
        return value if is_box and _PLAIN_NUMBER.fullmatch(value) else None
    found = UNIT_ID.match(value)
    is_other = found and (NOT_UNIT.search(found["pre"]) or NOT_UNIT.search(found["post"]))
    return found["num"] if found and not is_other else None


def _by_ids(scene: Scene) -> list[Unit]:
    """Return elements with numbered ids, or the block of the only numbered anchor."""
    groups = _by_number(scene)
    owner = _owners(groups)
    around = _outermost(scene.root, groups)
    units: list[Unit] = []
    for number, members in groups.items():
        roots = [e for e in around[number] if not is_anchor(e)]
        if len(groups) == 1 and (not roots or roots[0].tag in _TITLES):
            roots = box_alone(around[number][0], scene.banned) or roots
        if roots and roots[0].tag in _HALVES:
            roots = with_terms(roots, owner)
        if roots:
            units.append(Unit(roots, number, _shortest(members)))
    if not units:
        units = _boxes_of_anchors(around) or _runs_from_anchors(around)
    return plausible(_in_order(scene.root, _with_texts(_with_bylines(units))), scene.root)


def _with_texts(units: list[Unit]) -> list[Unit]:
    """Return where the numbered elements are bylines only, each is joined with the paragraphs that
    follow it, as tDiary writes them, or widened to the table that holds its text in another cell,
    as on LiveJournal."""
    own = _elements(units)
    if not units or not _with_text(units[0], own) or not all(map(_is_byline, units)):
        return units
    joined = [_with_text(unit, own) for unit in units]
    if not all(joined):
        return units
    return [replace(unit, elements=each) for unit, each in zip(units, joined, strict=True)]


def _is_byline(unit: Unit) -> bool:
    return len(unit.elements) == 1 and is_dated_line(unit.elements[0])


def _with_text(unit: Unit, others: Collection[HtmlElement]) -> list[HtmlElement]:
    """Return the elements of a comment with its text, of which its last one is the byline; none
    where there is no text."""
    byline = unit.elements[-1]
    text = _paragraphs_after(byline, others)
    return _table_of(byline, others) or ([byline, *text] if text else [])


def _table_of(byline: HtmlElement, others: Collection[HtmlElement]) -> list[HtmlElement]:
    """Return the table in which a cell is a comment's byline, if it holds no other comment's."""
    table = next(byline.iterancestors("table"), None) if byline.tag == "td" else None
    if table is None or any(each in others for each in table.iter("td") if each is not byline):
        return []
    return [table]


def _paragraphs_after(element: HtmlElement, others: Collection[HtmlElement]) -> list[HtmlElement]:
    """Return the paragraphs that follow an element up to anything else."""
    return list(
        takewhile(lambda e: e.tag in _PARAGRAPHS and e not in others, element.itersiblings())
    )


_PARAGRAPHS = frozenset("p blockquote pre ul ol".split())


def _boxes_of_anchors(around: dict[str, list[HtmlElement]]) -> list[Unit]:
    """Return the neighbours that hold one numbered anchor each, where nearly all have a date."""
    units = [Unit([box], number, number) for number, box in _own_boxes(around)]
    boxes = [unit.elements[0] for unit in units]
    is_list = len({box.getparent() for box in boxes}) == 1 and len(boxes) == len(around) > 1
    return units if is_list and sum(map(_bears_any_date, boxes)) >= MOST * len(boxes) else []


def _runs_from_anchors(around: dict[str, list[HtmlElement]]) -> list[Unit]:
    """Return what stands from each numbered anchor up to the next, where all are neighbours and
    nearly all have a date behind them: TypePad's first templates have no box around a comment."""
    anchors = {each: number for number, some in around.items() for each in some}
    is_list = len({each.getparent() for each in anchors}) == 1 and len(anchors) == len(around) > 1
    if not is_list:
        return []
    texts = Texts()
    units = [
        Unit([each, *_up_to(anchors, _run(each, texts)[1:])], number, _name(each))
        for each, number in anchors.items()
    ]
    dated = sum(_is_dated(unit, texts) for unit in units)
    return units if dated >= MOST * len(units) else []


def _is_dated(unit: Unit, texts: Texts) -> bool:
    return any(_bears_date(element, texts) for element in unit.elements)


def _name(anchor: HtmlElement) -> str | None:
    return anchor.get("id") or anchor.get("name")


def _up_to(ends: Collection[HtmlElement], run: Sequence[HtmlElement]) -> list[HtmlElement]:
    return list(takewhile(lambda element: element not in ends, run))


def _own_boxes(around: dict[str, list[HtmlElement]]) -> Iterator[tuple[str, HtmlElement]]:
    """Yield the numbers that one anchor each has, and the widest box that holds no other's."""
    lone = [(number, anchors[0]) for number, anchors in around.items() if len(anchors) == 1]
    shared = Counter(box for _, anchor in lone for box in set(anchor.iterancestors()))
    for number, anchor in lone:
        own = [box for box in anchor.iterancestors() if shared[box] == 1]
        yield from ((number, box) for box in own[-1:])


def numbered_in(root: HtmlElement, content: Collection[HtmlElement]) -> list[Unit]:
    """Return comments among the elements of what was taken for the post's content: numbered
    elements that a name or a label calls comments."""
    units = _by_ids(Scene(root, not_comments(root)))
    units = [unit for unit in units if any(element in content for element in unit.elements)]
    nest(units)
    return units if units and _called_comments(units) else []


def _owners(groups: Numbered) -> dict[HtmlElement, str]:
    """Return the number of each element."""
    return {element: number for number, members in groups.items() for _, element in members}


def _shortest(members: Sequence[tuple[str, HtmlElement]]) -> str:
    return min([anchor for anchor, _ in members], key=len)


Numbered = dict[str, list[tuple[str, HtmlElement]]]
"""Anchors and elements by the comment's number."""


def _by_number(scene: Scene) -> Numbered:
    groups: Numbered = defaultdict(list)
    for number, anchor, element in _numbered(scene):
        groups[number].append((anchor, element))
        if len(groups) > MAX_STORED:
            break
    for number in list(groups):
        whole = re.match(r"\d+(?=_)", number)
        if whole and whole.group() in groups:  # "12_3" around "12": a comment and what it answers
            groups[whole.group()] += groups.pop(number)
    if len(groups) > 1 and _is_box_of_others(groups):
        del next(iter(groups.values()))[0]
    return {number: members for number, members in groups.items() if members}


def _is_box_of_others(groups: Numbered) -> bool:
    """Return whether the first element holds all others and has a name of its own: the box of a
    post's comments, ``comments-45`` around ``c118``."""
    (anchor, box), *others = chain.from_iterable(groups.values())
    inside, name = set(box.iter()), _name_of(anchor)
    return all(element in inside and _name_of(each) != name for each, element in others)


def _name_of(anchor: str) -> str:
    """Return what stands before a comment's number."""
    found = UNIT_ID.match(anchor)
    return found["pre"] if found else ""


def _outermost(root: HtmlElement, groups: Numbered) -> dict[str, list[HtmlElement]]:
    """Return the elements of each number that stand in no other one of it, in document order."""
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
    """Return where the numbered elements hold the texts only, each is widened to the box that holds
    its byline too, as on FC2, or joined with the neighbour that is its byline.
    """
    numbered = _elements(units)
    if not units or 2 * sum(_holds_byline(e, numbered) for e in numbered) >= len(numbered):
        return units
    boxes = [u.elements[0].getparent() for u in units]
    are_alone = len(units) > 1 and all(map(partial(_is_alone, others=numbered), units, boxes))
    if are_alone and sum(map(_bears_any_date, boxes)) >= MOST * len(units):
        return [replace(unit, elements=[box]) for unit, box in zip(units, boxes, strict=True)]
    return _joined_bylines(units, numbered)


def _is_alone(unit: Unit, box: HtmlElement, others: Collection[HtmlElement]) -> bool:
    """Return whether the box around a comment holds no other one; looks at no more of it than it
    takes."""
    inside = (element for element in box.iter() if element in others)
    return sum(1 for _ in islice(inside, len(unit.elements) + 1)) == len(unit.elements)


def _joined_bylines(units: list[Unit], own: set[HtmlElement]) -> list[Unit]:
    """Return units with their neighbours on that side where more of these are bylines of one kind,
    where most of them are."""
    before = _bylines(own, [u.elements[0].getprevious() for u in units])
    after = _bylines(own, [u.elements[-1].getnext() for u in units])
    if max(len(before), len(after)) < MOST * len(units):
        return units
    for unit in units:
        first, last = unit.elements[0].getprevious(), unit.elements[-1].getnext()
        if len(before) < len(after):
            unit.elements += [last] if last in after else []
        else:
            unit.elements[:0] = [first] if first in before else []
    return units


def _bylines(own: set[HtmlElement], places: Sequence[HtmlElement | None]) -> set[HtmlElement]:
    """Return the elements at these places that are of one kind and hold little more than a date."""
    kinds: dict[tuple[str, str], set[HtmlElement]] = defaultdict(set)
    for element in places:
        if element is not None and element not in own and is_dated_line(element):
            kinds[str(element.tag), element.get("class") or ""].add(element)
    return max(kinds.values(), key=len, default=set())


def is_dated_line(element: HtmlElement) -> bool:
    is_short = isinstance(element.tag, str) and not is_longer(element, MAX_LINE)
    return is_short and (
        _bears_any_date(element)
        or any(each.tag == "time" or joined_parts(each) for each in element.iter(etree.Element))
    )


def _elements(units: Sequence[Unit]) -> set[HtmlElement]:
    return {element for unit in units for element in unit.elements}


def _bears_any_date(box: HtmlElement) -> bool:
    return find_date(node_text(box)) is not None


def _holds_byline(element: HtmlElement, others: Collection[HtmlElement]) -> bool:
    """Return whether a comment has a name or date of its own, besides those of the ``others`` in
    it."""
    if any(marked is not element for marked in own(element, others, "time", "cite")):
        return True
    return find_date(beginning(element, MIN_PARAGRAPH, others)) is not None


_COMMENT_TYPE = re.compile(r"(?:^|[/:])(?:User)?Comments?$")


def _by_semantics(scene: Scene) -> list[Unit]:
    """Return elements that schema.org or microformats call comments."""
    elements = scene.root.xpath(
        "descendant-or-self::*[@itemtype or @typeof or @itemprop or contains(@class, '-comment')]"
    )
    marked = (e for e in elements if e not in scene.banned and _is_marked(e) and is_longer(e, 1))
    return [Unit([element], number_of(element)) for element in islice(marked, MAX_STORED)]


def _is_marked(element: HtmlElement) -> bool:
    if _COMMENT_TYPE.search(element.get("itemtype") or element.get("typeof") or ""):
        return True
    is_scope = element.get("itemscope") is not None
    if is_scope and "comment" in (element.get("itemprop") or "").split():
        return True
    return not {"u-comment", "p-comment"}.isdisjoint((element.get("class") or "").split())


def number_of(element: HtmlElement) -> str | None:
    """Return the number at the end of an element's id."""
    for attribute in ("id", "data-comment-id", "data-id"):
        value = (element.get(attribute) or "")[-MAX_LINE:]
        found = re.search(r"(\d{1,100}|[0-9a-f]{12,100}|[0-9a-f-]{36})$", value)
        if found:
            return found.group(1)
    return None


_BOXES = tuple("li div article section dl dt dd table tr p td blockquote".split())


def _by_classes(scene: Scene) -> list[Unit]:
    """Return the largest group of elements with a class of comments that look like some, and their
    neighbours of the same make: replies may have a class of their own.
    """
    groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
    for element in scene.root.iter(*_BOXES):
        if element not in scene.banned:
            for name in _unit_names(element):
                groups[element.tag, name].append(element)
    texts, headed = Texts(), _headed(scene.root) if groups else set()

    def looks_like_one(element: HtmlElement) -> bool:
        return _looks_like_comment(texts.of(element), element in headed)

    alike = [(name, list(filter(looks_like_one, groups[tag, name]))) for tag, name in groups]
    _, best = max(alike, key=lambda group: _group_score(*group), default=("", []))
    others = (e for e in _made_alike(best) if e not in scene.banned and looks_like_one(e))
    units = [Unit([element], number_of(element)) for element in (*best, *others)]
    return plausible(_in_order(scene.root, units[:MAX_STORED]), scene.root)


def _by_texts(scene: Scene) -> list[Unit]:
    """Return the boxes around elements named as the text of a comment (``commentText``), each the
    narrowest with a date, where most have one.
    """
    named = filter(_names_text, scene.root.iter(*_BOXES))
    texts = [element for element in named if element not in scene.banned][:MAX_STORED]
    boxes = chain.from_iterable(map(partial(_box_of_text, others=set(texts)), texts))
    units = [Unit([box], number_of(box)) for box in dict.fromkeys(boxes)]
    return plausible(units, scene.root) if len(units) >= MOST * len(texts) else []


def _names_text(element: HtmlElement) -> bool:
    return any(map(STRICT_BODY.fullmatch, tokens(element.get("class"))))


def _box_of_text(text: HtmlElement, others: Collection[HtmlElement]) -> Iterator[HtmlElement]:
    """Yield the narrowest element near around a comment's text that begins or ends with a date,
    unless it holds another one's text."""
    near = (text, *islice(text.iterancestors(), NEAR))
    own_boxes = takewhile(partial(_is_alone, Unit([text]), others=others), near)
    dated = (box for box in own_boxes if _looks_like_comment(node_text(box), is_headed=False))
    return islice(dated, 1)


def _made_alike(found: Sequence[HtmlElement]) -> Iterator[HtmlElement]:
    """Yield the neighbours of elements that consist of the same named parts, several of them."""
    known, makes = set(found), {parts for parts in map(named_parts, found) if len(parts) > 1}
    boxes = dict.fromkeys(e.getparent() for e in found) if makes else {}
    for neighbour in chain.from_iterable(box for box in boxes if box is not None):
        if neighbour not in known and neighbour.tag in _BOXES and named_parts(neighbour) in makes:
            yield neighbour


def _unit_names(element: HtmlElement) -> set[str]:
    names = {_STYLE.sub("", token) for token in tokens(element.get("class"))}
    unit = (token for token in names if UNIT_TOKENS.match(token))
    return {re.sub(r"[-_]", "", token.lower()) for token in unit if not NOT_UNIT.search(token)}


_STYLE = re.compile("Style$")
"""What dasBlog puts behind its names: ``commentBoxStyle``."""


def _group_score(name: str, members: Sequence[HtmlElement]) -> float:
    """By number; of as many, those named just so, and those with more text."""
    some = members[:20]
    letters = sum(len(node_text(e)) for e in some) / len(some) if some else 0.0
    return len(members) + 0.5 * (name == "comment") + 0.001 * min(400.0, letters)


_HEAD_NAMES = re.compile("author|name|date|time|meta|avatar|vcard|user", re.I)


def _is_head(element: HtmlElement) -> bool:
    """Return whether markup or classes are those of a comment's name or time."""
    if element.tag in ("time", "cite", "abbr") or _HEAD_NAMES.search(element.get("class") or ""):
        return True
    return element.tag == "a" and "nofollow" in (element.get("rel") or "")


def _headed(root: HtmlElement) -> set[HtmlElement]:
    """Return the elements with a name, time, head or link to a numbered comment inside."""
    out: set[HtmlElement] = set()
    for element in root.iterdescendants(etree.Element):
        if _is_head(element) or _is_permalink(element):
            out.update(takewhile(lambda e: e not in out, element.iterancestors()))
    return out


def _looks_like_comment(text: str, is_headed: bool) -> bool:
    """Some text, and a head or a date at one end."""
    ends = (text[:HEAD], text[-MAX_LINE:])
    return len(text) > 2 and (is_headed or any(find_date(end) is not None for end in ends))


def _is_permalink(element: HtmlElement) -> bool:
    """Return whether an element links to a comment by its number."""
    _, has_fragment, fragment = (element.get("href") or "").rpartition("#")
    return bool(has_fragment) and _number_in("id", fragment[:MAX_LINE], element) is not None


def _by_rule(scene: Scene) -> list[Unit]:
    """Return what the learned XPath selects."""
    if not scene.rule:
        return []
    try:
        nodes = scene.root.xpath(scene.rule)
    except etree.XPathError:
        return []
    found = nodes if isinstance(nodes, list) else []
    elements = (n for n in found if isinstance(n, etree._Element) and n not in scene.banned)
    return [Unit([e], number_of(e)) for e in islice(filter(_has_text, elements), MAX_STORED)]


def _has_text(element: HtmlElement) -> bool:
    return is_longer(element, 1)


def _by_repetition(scene: Scene) -> list[Unit]:
    """Return repeated blocks with dates below a comment section or heading, no parts of the page
    and none of a box of other posts, which may follow where there are no comments."""
    runs = repeated_blocks(scene.root, scene.banned)
    own = [run for run in runs if not (any(map(_is_of_post, run)) or _shows_posts(run[0]))]
    items = _items(own[0][0]) if len(own) == 1 == len(own[0]) else []
    return [Unit(run, number_of(run[0])) for run in items or own]


def _items(element: HtmlElement) -> list[list[HtmlElement]]:
    """Return the items of a list: each is a comment, be there but one."""
    is_list = element.tag in ("ul", "ol")
    return [[item] for item in element.iterchildren("li")] if is_list else []


def _shows_posts(element: HtmlElement) -> bool:
    """Return whether an element, or a box near around it, is one of other posts by its class."""
    near = (element, *islice(element.iterancestors(), NEAR))
    return any(kind_of(box.get("class", "")) == "related" for box in near)


def _is_of_post(element: HtmlElement) -> bool:
    """Return whether it holds a part of the page, or the post's tags (the microformat rel-tag)."""
    parts = element.iter("main", "nav", "h1", "a")
    return any(e.tag != "a" or "tag" in (e.get("rel") or "").split() for e in parts)


STRATEGIES = (
    Strategy("rule", _by_rule),
    Strategy("ids", _by_ids, corrects_rule=True),
    Strategy("semantic", _by_semantics, corrects_rule=True),
    Strategy("classes", _by_classes),
    Strategy("texts", _by_texts),
    Strategy("section", _by_repetition),
)
"""Best evidence first; the first one that finds something counts."""


def _in_order(root: HtmlElement, units: list[Unit]) -> list[Unit]:
    place = {e: i for i, e in enumerate(root.iter())}
    return sorted(units, key=lambda u: place.get(u.elements[0], 0))


def nest(units: list[Unit]) -> None:
    """Sets parents: the nearest unit around, or (lists of replies next to their comment) the unit
    just before the list.
    """
    owner = {e: u for u in units for e in u.elements}
    boxes: dict[HtmlElement | None, _Boxes] = {}
    for unit in units:
        for ancestor in unit.elements[0].iterancestors():
            outer = owner.get(ancestor)
            if outer is not None:
                unit.parent = outer
                outer.inner.extend(unit.elements)
                break
        else:
            unit.parent = _neighbour(unit, owner, boxes)


_Boxes = tuple[list[HtmlElement], list[HtmlElement]]
"""Named lists of replies, innermost first, and what stands just before lists without a name."""
_REPLIES = re.compile(rf"(?:^|[-_ ])(?:{any_of('comments', 'names.replies')})(?:$|[-_ ])", re.I)


def _neighbour(
    unit: Unit, owner: dict[HtmlElement, Unit], known: dict[HtmlElement | None, _Boxes]
) -> Unit | None:
    """``<div comment/><ul class=children><li comment/></ul>``: the list's elder brother is the
    parent; of a list without a name, or named like one around it, only where nothing stands between
    the two. ``known``: the boxes around the elements in a box, which is added to."""
    first = unit.elements[0]
    above = first.getparent()
    if above not in known:
        known[above] = _boxes_around(first)
    replies, elders = known[above]
    boxes = (first, *replies) if _holds_replies(first) else replies
    before = chain.from_iterable(map(_iter_before, boxes))
    found = next((owner[node] for node in before if node in owner), None)
    if found is not None:
        return found
    return next((owner[elder] for elder in elders if elder in owner), None)


def _boxes_around(element: HtmlElement) -> _Boxes:
    lists = list(element.iterancestors("ul", "ol", "dl", "blockquote", "div"))
    names = Counter(map(_named, lists))
    bare = (box for box in lists if _is_bare(box) or _is_inner(box, names))
    elders = (box.getprevious() for box in bare)
    return (
        list(filter(_holds_replies, element.iterancestors("ul", "ol", "div", "dd"))),
        [elder for elder in elders if elder is not None],
    )


def _named(box: HtmlElement) -> tuple[str, str | None]:
    return str(box.tag), box.get("class")


def _is_bare(box: HtmlElement) -> bool:
    return box.tag != "div" and not box.attrib


def _is_inner(box: HtmlElement, names: Counter[tuple[str, str | None]]) -> bool:
    """Return whether a list stands in one of its name; ``names``: of it and of those around it,
    which is less by its own then."""
    names[_named(box)] -= 1
    return names[_named(box)] > 0


def _holds_replies(box: HtmlElement) -> bool:
    names = box.get("class")
    return names is not None and _REPLIES.search(names) is not None


def _iter_before(box: HtmlElement) -> Iterator[HtmlElement]:
    """All that stands before an element in the one around it, the nearest neighbour first."""
    for elder in box.itersiblings(preceding=True):
        yield from elder.iter()


LEAST, HEAD = 12, 1000
"""Characters of a comment with its name and date; of its text in which the date is looked for."""


_HALVES = ("dt", "dd")
_TITLES = ("h2", "h3", "h4", "h5", "h6")


def with_terms(roots: list[HtmlElement], owner: dict[HtmlElement, str]) -> list[HtmlElement]:
    """Return the elements of a comment; of a ``dt`` or ``dd`` with the other half of its entry,
    where that has no number of its own."""
    tags = [element.tag for element in roots]
    if tags == ["dt"]:
        return roots + definitions(roots[0], owner)
    term = roots[0].getprevious() if tags == ["dd"] else None
    is_half = term is not None and term.tag == "dt" and term not in owner
    return [term, *roots] if term is not None and is_half else roots


def definitions(term: HtmlElement, owner: dict[HtmlElement, str]) -> list[HtmlElement]:
    """Return the ``dd`` that follow a ``dt``, where they have no number of their own."""
    out = []
    for sibling in term.itersiblings():
        if sibling.tag != "dd" or sibling in owner:
            break
        out.append(sibling)
    return out


def is_anchor(element: HtmlElement) -> bool:
    """Marks a place only: ``<a name="comment-12">``, perhaps with the number as its text, or a link
    to itself."""
    if element.tag == "a" and _links_to(element, element.get("id") or element.get("name")):
        return True
    return not is_longer(element, 11 if element.tag in ("a", "span", "sup", "small") else 1)


def box_alone(element: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """From the only anchor of a page to the block it names: the narrowest element around it, or run
    of siblings from it on, that has a date; ``banned``: what holds the post."""
    texts = Texts()
    for node in (element, *element.iterancestors()):
        if node in banned or node.tag in ("body", "html"):
            break
        is_box = node is not element and len(texts.of(node)) >= LEAST
        if is_box and _bears_date(node, texts):
            return [node]
        run = _run(node, texts)
        if len(run) > 1 and any(_bears_date(each, texts) for each in run):
            return _filled(run, banned)
    return []


def _filled(run: list[HtmlElement], banned: set[HtmlElement]) -> list[HtmlElement]:
    """Return the box of which a run is all that it holds where paragraphs follow it, else the run:
    a box may hold the byline alone."""
    box = run[0].getparent()
    if box is None or box in banned or [*box.iterchildren(etree.Element)] != run:
        return run
    return [box] if not stripped(box.text) and _paragraphs_after(box, banned) else run


def _bears_date(element: HtmlElement, texts: Texts) -> bool:
    return find_date(texts.of(element)[:HEAD]) is not None


def _run(node: HtmlElement, texts: Texts) -> list[HtmlElement]:
    """Return a node and its siblings up to the next form, or to a heading or the form's label
    behind a date."""
    run = [node]
    for sibling in islice(node.itersiblings(etree.Element), MAX_TRIED):
        is_heading = sibling.tag in ("h1", "h2", "h3", "h4") or _heads_form(sibling)
        if sibling.tag == "form" or (is_heading and any(_bears_date(each, texts) for each in run)):
            break
        run.append(sibling)
    return run


def _heads_form(element: HtmlElement) -> bool:
    """Return whether an element stands in bold before a form."""
    following = element.getnext() if element.tag in {"b", "strong"} else None
    return following is not None and following.tag == "form"


def not_comments(root: HtmlElement) -> set[HtmlElement]:
    """Return nodes where no comment of this page can stand: forms, head, sidebars with lists of
    latest comments.
    """
    parts = root.iter("form", "head", "script", "style", "noscript", "textarea", "nav", "button")
    lists = root.xpath(
        "//*[contains(@class, 'recent') or contains(@id, 'recent') or contains(@class, 'widget')]"
    )
    out: set[HtmlElement] = set()
    for part in chain(parts, filter(_lists_latest, lists)):
        if not _holds_page(part):
            out.update(part.iter())
    return out


_LATEST = re.compile(
    r"recent[-_]?comment|latest[-_]?comment|widget[-_]recent|comment[-_]?widget"
    r"|widget_\w{0,100}comment",
    re.I,
)


def _lists_latest(element: HtmlElement) -> bool:
    """Return whether it is named as a list of the site's latest comments."""
    return _LATEST.search(f"{element.get('id') or ''} {element.get('class') or ''}") is not None


_FIELDS: Any = etree.XPath(
    "boolean(.//textarea | .//select | .//input[not(@type) or @type='text' or @type='email'"
    " or @type='search' or @type='password'])"
)
"""In a form without fields nothing is written: LiveJournal puts all comments into one, to tick
them."""
MAX_FORM_IDS = 40
"""Elements with an id in a form from which it is one that a theme wraps around the whole page."""


def _holds_page(part: HtmlElement) -> bool:
    if part.tag == "form":
        is_page = len(part.xpath(".//*[@id]")) > MAX_FORM_IDS or _holds_links(part)
        return is_page or not _FIELDS(part)
    if part.tag == "nav":  # one that no one closed
        return next(part.iter("article", "main", "h1"), None) is not None
    return part.tag in ("html", "body", "main", "article")


def _holds_links(form: HtmlElement) -> bool:
    """Return whether most links of the page are in it: ASP.NET puts pages into a form."""
    links = sum(1 for _ in form.iter("a"))
    return links > SEVERAL and 2 * links > sum(1 for _ in form.getroottree().iter("a"))


def plausible(units: list[Unit], root: HtmlElement) -> list[Unit]:
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
    """Return whether a heading is the page's title or that of an article other than ``own``; all
    else that is looked for is a part of the page."""
    if part.tag != "h1" or (part.get("id") or "").lower() == "comments":
        return True
    text = node_text(part)
    return bool(text) and (
        text in title or any(above is not own for above in part.iterancestors(*_HEADED))
    )


def _called_comments(units: Sequence[Unit]) -> bool:
    """Speaks a name, a link to itself or a label around them of most numbered elements as
    comments?"""
    some = units[:12]
    return 2 * sum(_speaks(u) for u in some) >= len(some)


def _speaks(unit: Unit) -> bool:
    own = chain.from_iterable(e.iter() for e in unit.elements)
    if any(_names(e) or _links_to(e, unit.anchor) for e in own):
        return True
    around = islice(chain(unit.elements[:1], unit.elements[0].iterancestors()), LEVELS + 1)
    for node in takewhile(lambda e: e.tag not in ("body", "html"), around):
        if node is not unit.elements[0] and _names(node):
            return True
        if any(map(_heads, node.itersiblings(etree.Element, preceding=True))):
            return True
    return False


def _links_to(element: HtmlElement, anchor: str | None) -> bool:
    is_link = element.tag == "a" and bool(anchor)
    return is_link and (element.get("href") or "").endswith(f"#{anchor}")


_LABEL_TAGS = frozenset("h2 h3 h4 h5 h6 p div b strong a".split())


def _heads(element: HtmlElement) -> bool:
    return element.tag in _LABEL_TAGS and is_label(node_text(element))


def _names(element: HtmlElement) -> bool:
    return (
        COMMENT_NAMES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    )
