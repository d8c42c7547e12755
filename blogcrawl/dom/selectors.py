"""Selectors: the rules of a node (the paper's AllRules), as XPath and as look-ups in a PageIndex.

The paper has one rule per node: id over class over relative path. A blog breaks each of them: ids
with the post's number, several classes in changing order, theme classes per category, a path that
hits another node on other pages. So every node proposes a few selectors of different kinds, and
what they return on all samples decides. The tag is named where the paper has ``*``: libxml2 then
compares a pointer instead of the attributes of every element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from blogcrawl.dom.index import NAMED_ATTRIBUTES, PageIndex

_NUMBERED = re.compile(r"^(.*?\D)?\d+")
_UNIQUE_TAGS = frozenset("article main title h1 h2 time address header section".split())
MAX_CLASSES = 6
"""Class tokens of one node that are tried: utility frameworks write dozens."""
_DIGIT = re.compile(r"\d")


Condition = tuple[str, str, str]


class Step:
    """One location step: ``//tag[…]`` (``deep``) or ``/tag[…]``; conditions are (kind, name,
    value).

    Kinds: equal, prefix, class (of attributes), child (has a child element). ``position`` counts
    from 1 among siblings of the tag, -1 is the last one. ``name`` is the step without axis and
    position.
    """

    __slots__ = ("conditions", "deep", "name", "position", "tag", "xpath")

    def __init__(
        self,
        tag: str = "*",
        deep: bool = True,
        conditions: tuple[Condition, ...] = (),
        position: int = 0,
    ) -> None:
        self.tag, self.deep, self.conditions, self.position = tag, deep, conditions, position
        inner = " and ".join(_condition_xpath(*condition) for condition in conditions)
        self.name = f"{tag}[{inner}]" if inner else tag
        self.xpath = f"{'//' if deep else '/'}{self.name}{position_xpath(position)}"


@lru_cache(maxsize=4096)
def step(tag: str, deep: bool = True, position: int = 0) -> Step:
    """Return a step without conditions; pages share most of them."""
    return Step(tag, deep, (), position)


class Selector:
    """Steps from the root; ``kind`` (0 best) is the paper's order of trust: id, class, named
    attribute, tag, path.

    Two that write the same XPath are the same: they are counted and looked up all the time.
    """

    __slots__ = ("kind", "steps", "xpath")

    def __init__(self, steps: tuple[Step, ...], kind: int) -> None:
        self.steps, self.kind = steps, kind
        self.xpath = "".join([each.xpath for each in steps])

    def __hash__(self) -> int:
        return hash(self.xpath)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Selector) and self.xpath == other.xpath and self.kind == other.kind

    def select(self, index: PageIndex) -> list[int]:
        """Return numbers of the elements that the XPath returns on this page, in document order."""
        here = _start(index, self.steps[0])
        for each in self.steps[1:]:
            if not here:
                return here
            here = _follow(index, here, each)
        return here


def quote(value: str) -> str:
    """Return an XPath 1.0 string literal, whatever quotes the value has."""
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    return "concat(" + ',"\'",'.join(f"'{part}'" for part in value.split("'")) + ")"


def _condition_xpath(kind: str, name: str, value: str) -> str:
    if kind == "class":
        return f"contains(concat(' ',normalize-space(@class),' '),{quote(f' {value} ')})"
    if kind == "prefix":
        return f"starts-with(@{name},{quote(value)})"
    if kind == "child":
        return value
    return f"@{name}={quote(value)}"


def position_xpath(position: int) -> str:
    if position < 0:
        return "[last()]" if position == -1 else f"[last()-{-position - 1}]"
    return f"[{position}]" if position else ""


def _candidates(index: PageIndex, step: Step) -> list[int]:
    """Return a superset of the elements that meet the step's conditions, from the smallest
    table."""
    if not step.conditions:
        return index.by_tag.get(step.tag, [])
    return min((_with_condition(index, *each) for each in step.conditions), key=len)


def _with_condition(index: PageIndex, kind: str, name: str, value: str) -> list[int]:
    """Return all elements that meet one condition."""
    if kind == "class":
        return index.by_class.get(value, [])
    if kind == "child":
        return sorted(index.holders(value))
    if kind == "prefix":
        groups = (numbers for key, numbers in index.by_id.items() if key.startswith(value))
        return sorted(chain.from_iterable(groups))
    if name == "id":
        return index.by_id.get(value, [])
    return index.by_attribute[name].get(value, [])


def _meets(index: PageIndex, i: int, step: Step) -> bool:
    if step.tag not in ("*", index.tags[i]):
        return False
    return all(_has(index, i, *condition) for condition in step.conditions)


def _has(index: PageIndex, i: int, kind: str, name: str, value: str) -> bool:
    """Return whether an element meets one condition."""
    if kind == "child":
        return i in index.holders(value)
    have = index.elements[i].get(name)
    if have is None:
        return False
    if kind == "class":
        return value in have.split()
    return have.startswith(value) if kind == "prefix" else have == value


def _pool(index: PageIndex, step: Step) -> list[int]:
    """Return elements of the page that meet the step's tag and conditions; kept, for many selectors
    share steps.
    """
    if not step.conditions and step.tag != "*":
        return index.by_tag.get(step.tag, [])
    found = index.pools.get(step.name)
    if found is None:
        found = _candidates(index, step)
        if len(step.conditions) == 1:  # all in its table meet it
            found = [i for i in found if step.tag in ("*", index.tags[i])]
        else:
            found = [i for i in found if _meets(index, i, step)]
        index.pools[step.name] = found
    return found


def _start(index: PageIndex, step: Step) -> list[int]:
    if not step.deep:
        return [0] if index.tags and _meets(index, 0, step) else []
    return _pool(index, step)


def _follow(index: PageIndex, here: list[int], step: Step) -> list[int]:
    if step.deep:
        pool = _pool(index, step)
        if len(here) == 1:
            return index.inside(pool, here[0])
        out: set[int] = set()
        for top in here:
            out.update(index.inside(pool, top))
        return sorted(out)
    found = [
        i for above in here for i in _at(index.children_called(above, step.tag), step.position)
    ]
    if step.conditions:
        found = [i for i in found if _meets(index, i, step)]
    return sorted(set(found)) if len(here) > 1 else found


def _at(children: Sequence[int], position: int) -> Sequence[int]:
    """Return the child at a position: 1 is the first, -1 the last; all of them at 0."""
    if not position:
        return children
    at = position - (position > 0)
    return children[at : at + 1 or None] if -len(children) <= at else ()


def own_steps(index: PageIndex, i: int) -> Sequence[tuple[int, Step]]:
    """First steps that the element's own attributes offer, with their kind; kept with the index."""
    if i not in index.offered:
        index.offered[i] = [
            (kind, Step(index.tags[i], True, conditions)) for kind, conditions in _offered(index, i)
        ]
    return index.offered[i]


def _offered(index: PageIndex, i: int) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    yield from ((0, (condition,)) for condition in _id_conditions(index, i))
    yield from ((1, (condition,)) for condition in _named_conditions(index, i))
    tokens = dict.fromkeys((index.classes[i] or "").split())
    classes = [("class", "class", token) for token in tokens if len(token) < 80]
    yield from ((1, (condition,)) for condition in classes[:MAX_CLASSES])
    steady = sorted(condition for condition in classes if not _DIGIT.search(condition[2]))
    if len(steady) > 1:
        yield 2, tuple(steady[:MAX_CLASSES])


def _named_conditions(index: PageIndex, i: int) -> Iterator[Condition]:
    for name in NAMED_ATTRIBUTES if i in index.named else ():
        value = index.elements[i].get(name)
        if value and len(value) < 80:
            yield "equal", name, value


def _id_conditions(index: PageIndex, i: int) -> Iterator[Condition]:
    """Yield conditions on the id: all of it, and what comes before its number."""
    ident = index.ids[i]
    if ident:
        yield "equal", "id", ident
        numbered = _NUMBERED.match(ident)
        if numbered and len(numbered.group(1) or "") >= 2:
            yield "prefix", "id", numbered.group(1)


HEADINGS = ("h1", "h2", "h3", "header")


def _with_heading(index: PageIndex, i: int) -> list[Step]:
    held = [child for child in HEADINGS if i in index.holders(child)]
    return [Step(index.tags[i], True, (("child", "", child),)) for child in held]


def _ways_down(index: PageIndex, path: Sequence[int]) -> list[tuple[Step, ...]]:
    """Return the steps along a path by tags alone, by places, and by places from the end."""
    return [
        tuple(step(index.tags[j], False, place(j)) for j in path)
        for place in (lambda _: 0, index.place, index.from_end)
    ]


def _by_children(index: PageIndex, i: int) -> list[Selector]:
    """For pages without labels: an element that has a heading (or has none above it), and what lies
    next to that heading.
    """
    out, tag = [], index.tags[i]
    parent = index.parent[i]
    above_parent = index.parent[parent] if parent >= 0 else -1
    for above, rest in ((i, ()), (parent, (i,)), (above_parent, (parent, i))):
        if above < 0 or index.tags[above] in ("html", "body", "head"):
            continue
        ways = _ways_down(index, rest)
        if len(rest) == 2:
            ways.append((step(tag),))
        tops = _with_heading(index, above)
        out += [Selector((top, *way), 6) for top in tops for way in ways]
    return out


def trusted(index: PageIndex, i: int) -> Sequence[Selector]:
    """Return selectors that name node ``i`` by what is its own, alone or below the nearest element
    that can be named; at most some twenty, kept with the index."""
    if i not in index.trusted:
        index.trusted[i] = _trusted(index, i)
    return index.trusted[i]


def _trusted(index: PageIndex, i: int) -> list[Selector]:
    tag, own = index.tags[i], own_steps(index, i)
    out = [Selector((mine,), kind) for kind, mine in own]
    if tag in _UNIQUE_TAGS:
        out.append(Selector((step(tag),), 3))
    named = [mine for at, mine in own[:3] if at]
    anchors = (
        next(filter(None, (_anchors(index, above) for above in index.ancestors(i))), [])
        if named
        else []
    )
    for _, top in anchors:
        out += [Selector((top, mine), 3) for mine in named]
    return out


def _anchors(index: PageIndex, i: int) -> list[tuple[int, Step]]:
    """First steps of selectors for what is below the element, with their kind."""
    return [each for each in own_steps(index, i) if each[0] < 2][:4]


def selectors(index: PageIndex, i: int) -> Sequence[Selector]:
    """Return all selectors that node ``i`` proposes, the trusted ones first. At most some thirty,
    whatever the node; kept with the index.
    """
    if i not in index.proposed:
        found = {
            (selector.xpath, selector.kind): selector
            for selector in reversed([*trusted(index, i), *_by_path(index, i)])
        }
        index.proposed[i] = list(reversed(found.values()))
    return index.proposed[i]


def _by_path(index: PageIndex, i: int) -> list[Selector]:
    tag, above_all = index.tags[i], index.ancestors(i)
    out: list[Selector] = []
    anchors = 0
    path = [step(tag, False)]
    placed = [step(tag, False, index.place(i))]
    for above in above_all:
        found = _anchors(index, above)
        for kind, top in found:
            if kind == 0 or anchors < 2:
                out.append(Selector((top, step(tag)), 4 + kind))
                out.append(Selector((top, *path), 4 + kind))
                out.append(Selector((top, *placed), 5 + kind))
        anchors += bool(found)
        if anchors >= 3 or len(path) > 12:
            break
        path.insert(0, step(index.tags[above], False))
        placed.insert(0, step(index.tags[above], False, index.place(above)))
    out += _by_children(index, i)
    if len(above_all) < 30:
        whole = [i, *above_all][-2::-1]  # the root has no siblings
        top = step(index.tags[0], False)
        out.append(Selector((top, *(step(index.tags[j], False, index.place(j)) for j in whole)), 7))
        out.append(
            Selector((top, *(step(index.tags[j], False, index.from_end(j)) for j in whole)), 8)
        )
    return out
