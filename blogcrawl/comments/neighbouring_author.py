"""Names that no markup tells: by what stands around other names of the page, or next
to the date.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from lxml.html import HtmlElement

from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import (
    BODY,
    BY_WORDS,
    CONTROL,
    NO_NAME,
    NOT_THE_NAME,
    SAYS_WORDS,
    STANDING,
    WEEKDAYS,
    words_of,
)
from blogcrawl.text.visible import BLOCK_TAGS, node_text, squeeze

MAX_BARE_NAME, MAX_WORDS = 50, 5
"""Characters and words of a name without markup."""
NEAR = 4
"""Pieces of text between name and date."""
MAX_BESIDE_NAME = 12
"""Characters beside a name in a paragraph that is but a byline: a number, a mark, the name of a
site's role.
"""
MAX_LEAD = 8
"""Characters before a name in its block: its number in the list, a mark."""
SHARE = 0.6
"""Of the comments that must have a name in the same place."""


def amid_text(element: HtmlElement) -> bool:
    """Words stand before an element in its block: it is emphasis, no name."""
    before, node, above = "", element, element.getparent()
    while above is not None and node.tag not in BLOCK_TAGS:
        elder = reversed(list(node.itersiblings(preceding=True)))
        before = (
            (above.text or "")
            + "".join(node_text(e) + (e.tail or "") for e in elder if e.tag != "br")
            + before
        )
        node, above = above, above.getparent()
    return len(squeeze(BY_WORDS.sub("", squeeze(before), count=1))) > MAX_LEAD


def amid_paragraph(element: HtmlElement, name: str) -> bool:
    """Does its paragraph say more than a byline does? Emphasis and links of the text
    are no names.
    """
    above = next(element.iterancestors("p", "blockquote"), None)
    if above is None or next(element.iterancestors("h2", "h3", "h4", "h5", "h6"), None) is not None:
        return False
    rest = node_text(above).replace(name, "", 1)
    said = (
        rest
        if len(rest) > 3 * MAX_BESIDE_NAME
        else SAYS_WORDS.sub("", BY_WORDS.sub("", " " + rest))
    )
    return find_date(rest) is None and len(said) > MAX_BESIDE_NAME


_SAYS_SOMETHING = re.compile(r"\w")


def framed(readers: Sequence[Reader]) -> None:
    """Gives readers without an author the name in the same place and between the same words as that
    of others ("Ο/Η Ann είπε…" where Ann has an address and Bob has none)."""
    frames: Counter[Frame] = Counter(frame for reader in readers for frame in _frames(reader))
    best = frames.most_common(1)
    if not best or best[0][1] < 2:  # once is no pattern: the words around may be the comment's own
        return
    path, before, after = best[0][0]
    for reader in readers:
        for element, own in reader.nodes:
            text = node_text(element) if own == path else ""
            has_frame = text.startswith(before) and text.endswith(after)
            if has_frame and len(text) > len(before) + len(after):
                reader.frame = element
                if reader.author is None:
                    name = text[len(before) : len(text) - len(after)]
                    reader.author, reader.author_node = squeeze(name), element
                break


Frame = tuple[str, str, str]
"""Path of an element, and the words before and after the name in it."""


def _frames(reader: Reader) -> Iterator[Frame]:
    """The words around the author's name in its element and in the box around that."""
    node, name = reader.author_node, reader.author
    if node is None or not name:
        return
    path_of = {id(element): path for element, path in reader.nodes}
    for box in (node.getparent(), node):
        text = node_text(box) if box is not None and id(box) in path_of else ""
        before, found, after = text.partition(name)
        if found and (before or after) and len(text) < MAX_BARE_NAME + len(name):
            yield path_of[id(box)], before, after


def beside_the_date(readers: Sequence[Reader]) -> bool:
    """Gives readers without an author the short text near the date that stands in the same place in
    most of them and varies; whether there is such a place."""
    bare = [r for r in readers if r.author is None and r.date_node is not None]
    if not bare or len(bare) < SHARE * len(readers):
        return False
    found: dict[tuple[str, int], dict[int, tuple[str, HtmlElement]]] = defaultdict(dict)
    distance: Counter[tuple[str, int]] = Counter()
    for number, reader in enumerate(bare):
        for place, (block, text, node) in _near(reader).items():
            key = block, place
            found[key].setdefault(number, (text, node))
            distance[key] += abs(place) + (place > 0)
    common = {key: names for key, names in found.items() if len(names) >= SHARE * len(bare)}
    ranked = [
        (is_same, distance[key] / len(names), key)
        for key, names in common.items()
        if not (is_same := len({text for text, _ in names.values()}) == 1) or len(bare) < 3
    ]
    if not ranked:
        return False
    names = found[min(ranked)[2]]
    head, tail = _around([text for text, _ in names.values()])
    for number, (text, node) in names.items():
        name = bare_name(text[head : len(text) - tail])
        if name:
            bare[number].author, bare[number].author_node = name, node
            bare[number].frame = node if node_text(node) == text else None
    return True


def _near(reader: Reader) -> dict[int, tuple[str, str, HtmlElement]]:
    """Short texts around the date by their place (-1: just before it): the path of their block, the
    text, its element.
    """
    paths = {id(e): path for e, path in reader.nodes}
    pieces: list[tuple[str, HtmlElement]] = []
    at: int | None = None
    for element, _ in reader.nodes:
        own = squeeze(element.text)
        if element is reader.date_node:
            at = len(pieces)
            pieces += [(text, element) for text in _texts_around_date(own)]
        elif _SAYS_SOMETHING.search(own):
            pieces.append((own, element))
        above = element.getparent()
        if above is not None and _SAYS_SOMETHING.search(element.tail or ""):
            pieces.append((squeeze(element.tail), above))
    if at is None:
        return {}
    first = max(0, at - NEAR)
    return {
        number - at: (paths.get(id(_block(node)), ""), text, node)
        for number, (text, node) in enumerate(pieces[first : at + NEAR + 1], first)
        if _may_be(text, node)
    }


def _texts_around_date(line: str) -> Iterator[str]:
    """The parts of a line before and after its date."""
    found = find_date(line)
    if found is not None:
        for side in (line[: found.span[0]], line[found.span[1] :]):
            yield from map(squeeze, re.split(r"\s[–—/]\s|[|·•]", side))


def _block(node: HtmlElement) -> HtmlElement:
    while node.tag not in BLOCK_TAGS and (above := node.getparent()) is not None:
        node = above
    return node


def _may_be(text: str, node: HtmlElement) -> bool:
    names = words_of(node.get("class"))
    marked = names and (BODY.search(names) or CONTROL.search(names))
    return (
        not marked
        and STANDING.fullmatch(text) is None
        and node.tag not in ("p", "blockquote")
        and bare_name(text) is not None
        and find_date(text) is None
    )


def bare_name(text: str) -> str | None:
    """The name in a short text that holds little else: "Ann said:"; None where it can be none."""
    bare = SAYS_WORDS.sub(
        "", BY_WORDS.sub("", NOT_THE_NAME.sub("", text.strip(" -–—|·•,")), count=1)
    )
    name = NOT_THE_NAME.sub("", squeeze(bare).strip(" -–—|·•,[]{}():")).strip("() ")
    short = 0 < len(name) <= MAX_BARE_NAME and len(name.split()) <= MAX_WORDS
    if (
        not short
        or NO_NAME.match(name)
        or name.casefold() in WEEKDAYS
        or re.fullmatch(r"\W*\d+\W*\w{0,2}", name)
        or not re.search(r"[^\W\d_]", name)
    ):
        return None
    return name


def _around(texts: Sequence[str]) -> tuple[int, int]:
    """Characters that all of at least three different texts begin and end with,
    whole words only.
    """
    if len(set(texts)) < 3:
        return 0, 0
    head = sum(1 for _ in takewhile(lambda c: len(set(c)) == 1, zip(*texts, strict=False)))
    tail = sum(
        1
        for _ in takewhile(lambda c: len(set(c)) == 1, zip(*(t[::-1] for t in texts), strict=False))
    )
    first = texts[0]
    head = first.rfind(" ", 0, head) + 1
    end = first.find(" ", len(first) - tail)
    return head, len(first) - end if end >= 0 else 0
