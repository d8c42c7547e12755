"""Names that no markup tells: by what stands around other names of the page, or next
to the date.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
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

MAX_NAME, MAX_WORDS = 50, 5
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
    frames: Counter[tuple[str, str, str]] = Counter()
    paths = [{id(e): path for e, path in reader.nodes} for reader in readers]
    for reader, path_of in zip(readers, paths, strict=True):
        node = reader.author_node
        for box in (node.getparent(), node) if node is not None else ():
            text = node_text(box) if box is not None and id(box) in path_of else ""
            if (
                reader.author
                and reader.author in text
                and len(text) < MAX_NAME + len(reader.author)
            ):
                before, _, after = text.partition(reader.author)
                if before or after:
                    frames[path_of[id(box)], before, after] += 1
    if (
        not frames or frames.most_common(1)[0][1] < 2
    ):  # once is no pattern: the words around may be the comment's own
        return
    path, before, after = frames.most_common(1)[0][0]
    for reader in readers:
        for element, own in reader.nodes:
            text = node_text(element) if own == path else ""
            if (
                text.startswith(before)
                and text.endswith(after)
                and len(text) > len(before) + len(after)
            ):
                reader.frame = element
                if reader.author is None:
                    reader.author, reader.author_node = (
                        squeeze(text[len(before) : len(text) - len(after)]),
                        element,
                    )
                break


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
    best: tuple[bool, float, tuple[str, int]] | None = None
    for key, names in found.items():
        same = len({text for text, _ in names.values()}) == 1
        if len(names) >= SHARE * len(bare) and (not same or len(bare) < 3):
            best = min(filter(None, (best, (same, distance[key] / len(names), key))))
    if best is None:
        return False
    texts = {number: text for number, (text, _) in found[best[2]].items()}
    head, tail = _around(list(texts.values()))
    for number, (text, node) in found[best[2]].items():
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
            found = find_date(own)
            for part in (own[: found.span[0]], own[found.span[1] :]) if found else ():
                pieces += [
                    (squeeze(words), element) for words in re.split(r"\s[–—/]\s|[|·•]", part)
                ]
        elif _SAYS_SOMETHING.search(own):
            pieces.append((own, element))
        above = element.getparent()
        if above is not None and _SAYS_SOMETHING.search(element.tail or ""):
            pieces.append((squeeze(element.tail), above))
    if at is None:
        return {}
    near = {
        place: pieces[at + place]
        for place in range(-NEAR, NEAR + 1)
        if 0 <= at + place < len(pieces)
    }
    return {
        place: (paths.get(id(_block(node)), ""), text, node)
        for place, (text, node) in near.items()
        if _may_be(text, node)
    }


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
    short = 0 < len(name) <= MAX_NAME and len(name.split()) <= MAX_WORDS
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
