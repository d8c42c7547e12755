"""The name of a comment's author: in an element, in a line with the date, between words that stand
around other names of the page, or next to the date."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice, takewhile

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.unit import Reader
from blogcrawl.dates.parse import MAX_CHARS, find_date
from blogcrawl.lexicon.comment_words import (
    AUTHOR,
    BODY,
    BY_AFTER,
    BY_WORDS,
    CONTROL,
    DATE,
    NO_NAME,
    NOT_THE_NAME,
    ROLE,
    SAYS_WORDS,
    STANDING,
    WEEKDAYS,
    words_of,
)
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import BLOCK_TAGS, node_text, squeeze

MAX_BESIDE = 40
"""Characters beside a name and without a date that its element may hold."""
MAX_TITLE = 200
"""Characters of the longest name believed: a pingback's is a page title."""


_ANSWER = re.compile(r"\W*(?:re|aw|antw|sv|fwd?)\s*:\s*\S", re.I)
"""A subject as of a letter: "Re: my post"."""


def drop(node: HtmlElement) -> None:
    """Removes a node, keeps the text after it."""
    if node.getparent() is not None:
        node.drop_tree()


def name_of(element: HtmlElement, *, strict: bool) -> str | None:
    """The name in an author's element; None where it holds none. ``strict``: the markup says it is
    the name and nothing else.
    """
    if sum(1 for _ in element.iterdescendants()) > MAX_PARTS:
        return None
    whole = _text_without_controls(element)
    if len(whole) > MAX_TITLE or STANDING.fullmatch(whole) or _ANSWER.match(whole):
        return None
    found = None if strict else find_date(whole)
    if strict:
        text = re.sub(r"(?<!\s)\s*+(?:says?\s*+)?[:：]\s*+$", "", whole)
    else:
        text = _without_date(whole, found.span) if found else whole
        text = SAYS_WORDS.sub("", BY_WORDS.sub("", NOT_THE_NAME.sub("", text), count=1))
    text = NOT_THE_NAME.sub("", squeeze(text).strip(" -–—|·•,{}[]"))
    is_sentence = not strict and found is None and len(whole) - len(text) > MAX_BESIDE
    if is_sentence or not text or len(text) > MAX_TITLE or NO_NAME.match(text):
        return None
    return text


MAX_PARTS = 25
"""Elements inside one that holds a name."""


def _text_without_controls(element: HtmlElement) -> str:
    """The element's text without buttons, dates and roles."""
    copy = deepcopy(element)
    copy.tail = None
    for node in list(copy.iterdescendants(etree.Element)):
        is_control = CONTROL.search(words_of(node.get("class"))) is not None
        if (
            is_control
            or node.tag in ("time", "script", "style")
            or _is_date(node)
            or _is_role(node)
        ):
            drop(node)
    return node_text(copy)


def _without_date(text: str, span: tuple[int, int]) -> str:
    """The part before a date, or the one behind it where the text begins with the date or names the
    author behind it."""
    before, after = text[: span[0]], text[span[1] :]
    return after if span[0] <= 2 or BY_AFTER.search(after) else before


def _is_date(node: HtmlElement) -> bool:
    """Is it named as the time and nothing but? "3 years ago" reads as no date and is part of no
    name.
    """
    names = words_of(node.get("class"))
    return bool(
        names
        and DATE.search(names)
        and not AUTHOR.search(names)
        and re.search(r"\d", node_text(node))
    )


def _is_role(node: HtmlElement) -> bool:
    """What a site calls its people, in an element of its own beside the name."""
    return (
        len(node) == 0
        and node.getparent() is not None
        and ROLE.fullmatch(node_text(node)) is not None
    )


MAX_NAME = 80
"""Characters of the longest name believed."""
SAMPLE = 100
"""Comments from which a page's byline is learned: one template writes all of them."""
_DAY = re.compile(r"\W*(?:[^\W\d_]{2,5}\.|[^\W\d_]{2,14}\.?,)")
"""What a day of the week before a date looks like: "Fri., 2008-12-12 - Ann"."""
_MARK = re.compile(r"(?<=\S)\s{1,20}#[-\w./]{0,80}(?=\W{0,40}$|\s)")
"""``Ann #-``: what proves who a name is, as Japanese boards and blogs write it."""


_PREPOSITION = re.compile(
    rf"(?:\S{{1,80}}\s{{1,20}})?(?:{any_of('bylines', 'on', 'on_day')})\.?", re.I
)
"""What stands between a word like "written" and the day."""


def learn_byline(readers: Sequence[Reader]) -> tuple[str, str] | None:
    """("by ", " on "): what stands around the name where name and date share one short text."""
    seen: Counter[tuple[str, str]] = Counter()
    signed = (r for r in readers if r.author is not None and r.date is not None)
    for reader in islice(signed, SAMPLE):
        text = byline_text(reader)
        if reader.author is None or text is None:
            continue
        place, day = text.find(reader.author), find_date(text)
        if place >= 0 and day and place + len(reader.author) <= day.span[0]:
            seen[text[:place], text[place + len(reader.author) : day.span[0]]] += 1
    return seen.most_common(1)[0][0] if seen else None


def byline_text(reader: Reader) -> str | None:
    """The short text that holds the date, its parent's where the date stands alone
    in its element.
    """
    node = reader.date_node
    while node is not None and node is not reader.root:
        text = spaced(node)
        if len(text) > MAX_CHARS + MAX_NAME:
            return None
        found = find_date(text)
        rest = text[: found.span[0]] + text[found.span[1] :] if found else ""
        if found and len(rest) > 2 and not _is_of_date(rest):
            return text
        node = node.getparent()
    return None


def _is_of_date(text: str) -> bool:
    """Are the words beside a date the day of the week and the like?"""
    words = re.findall(r"[^\W\d_]+", text)
    return bool(words) and all(
        word.casefold() in WEEKDAYS or _PREPOSITION.fullmatch(word) for word in words
    )


def _without_day(text: str) -> str:
    """What stands before a date, without the day of the week at its end."""
    head, _, last = text.rstrip(" ,.").rpartition(" ")
    return head if last.casefold() in WEEKDAYS else text


def spaced(node: HtmlElement) -> str:
    """Text of a node with a blank between its elements: style sheets, not blanks, keep name and day
    apart on many pages.
    """
    text = node_text(node)
    return (
        squeeze(" ".join(node.itertext(etree.Element)))
        if len(node) > 1 and len(text) <= MAX_CHARS + MAX_NAME
        else text
    )


def by_pattern(text: str | None, pattern: tuple[str, str]) -> str | None:
    """The name where the line is built as ``pattern`` says: what stands before it, and between it
    and the date.
    """
    found = find_date(text) if text else None
    before = text[: found.span[0]] if text and found else ""
    if (
        len(before) > len(pattern[0]) + len(pattern[1])
        and before.startswith(pattern[0])
        and before.endswith(pattern[1])
    ):
        return squeeze(before[len(pattern[0]) : len(before) - len(pattern[1])]) or None
    return None


def from_byline(reader: Reader, pattern: tuple[str, str] | None) -> str | None:
    """The name in the line that holds the date, by the pattern or by the words that bylines are
    made of.
    """
    text = byline_text(reader)
    if text is None:
        return None
    found = find_date(text)
    if found is None:
        return None
    before, after = _without_day(text[: found.span[0]]), text[found.span[1] :]
    if pattern and (learned := by_pattern(text, pattern)):
        return learned
    if marked := marked_name(after):
        return marked
    last = BY_AFTER.search(after) or (
        _DAY.fullmatch(before.strip()) and re.match(r"\s*[-–—]\s", after)
    )
    sides: tuple[str, ...] = (after, before) if last else (before, after)
    if not last and text == spaced(reader.root):
        sides = (before,)  # all of the comment: what follows the date is its text
    return next(filter(_may_be_name, map(_name_in, sides)), None)


def _name_in(side: str) -> str:
    """A side of the date without the words of bylines."""
    text = NOT_THE_NAME.sub("", STANDING.split(side.strip(" -–—|·•,"))[0])
    text = SAYS_WORDS.sub("", BY_WORDS.sub("", text, count=1))
    return NOT_THE_NAME.sub("", squeeze(text).strip(" -–—|·•,[]{}")).strip("() ")


MAX_NAME_WORDS = 6


def _may_be_name(text: str) -> bool:
    if not text or len(text) > MAX_NAME or len(text.split()) > MAX_NAME_WORDS:
        return False
    is_other = NO_NAME.match(text) or _PREPOSITION.fullmatch(text)
    return not is_other and re.search(r"[^\W\d_]", text) is not None


def marked_name(line: str) -> str | None:
    """The name in a line of several parts ("URL | Ann #- [edit]") that bears a mark; None where
    none does.
    """
    for part in re.split(r"[|·•]", line) if _MARK.search(line) else ():
        found = _MARK.search(part)
        name = squeeze(part[: found.start()]) if found else ""
        if 0 < len(name) <= MAX_NAME and not NO_NAME.match(name):
            return name
    return None


MAX_BARE_NAME, MAX_WORDS = 50, 5
"""Characters and words of a name without markup."""
NEAR = 4
"""Pieces of text between name and date."""
SHARE = 0.6
"""Of the comments that must have a name in the same place."""


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


LEAST_TEXT = 4
"""Characters between a heading and the date's line from which they are taken for the comment's
text.
"""


def titles_give_way(readers: Sequence[Reader]) -> None:
    """Makes titles of headings that were taken for names, where text follows them and the date's
    line names somebody else.
    """
    signed = [r for r in readers if r.author is not None]
    headed = [r for r in signed if _heads_text(r)]
    if not headed or len(headed) < SHARE * len(signed):
        return
    before = [(r.author, r.author_node) for r in headed]
    for reader in headed:
        reader.author = reader.author_node = None
    is_certain = _name_by_dates(headed)
    for reader, (name, node) in zip(headed, before, strict=True):
        if not is_certain or reader.author is None or reader.author == name:
            reader.author, reader.author_node = name, node
        elif node is not None:
            reader.subject = name
            node.drop_tree()


def _name_by_dates(readers: Sequence[Reader]) -> bool:
    """Take the authors from the lines with the dates; whether that gives most of them a name, and
    not all the same."""
    for reader in readers:
        reader.author = _name_below(reader)
    enough = SHARE * len(readers)
    if len(readers) > 1 and sum(r.author is not None for r in readers) < enough:
        beside_the_date(readers)
    named = [r for r in readers if r.author is not None]
    if not named or len(named) < enough:
        return False
    differ = len(named) == 1 or len({r.author for r in named}) > 1
    return differ or bool(_name_below(named[0]))


def _heads_text(reader: Reader) -> bool:
    """Stands the name in bold or a heading, and the comment's text between it and the date?"""
    node, day = reader.author_node, reader.date_node
    if node is None or day is None or not _may_be_title(reader, node):
        return False
    order = {element: place for place, (element, _) in enumerate(reader.nodes)}
    is_later = order.get(day, 0) > order.get(node, len(order))
    if not is_later or day in node.iterancestors():
        return False
    text, title, line = node_text(reader.root), node_text(node), byline_text(reader) or ""
    start = text.find(title) + len(title)
    end = max(text.rfind(line) if line else -1, text.rfind(node_text(day)))
    return end - start >= LEAST_TEXT and bool(re.search(r"\w", text[start:end]))


_HEADING_TAGS = frozenset(("h2", "h3", "h4", "h5", "h6", "strong", "b", "dt"))


def _may_be_title(reader: Reader, node: HtmlElement) -> bool:
    """Whether the name's element is a heading without an author's mark, other than "Ann said:"."""
    scores = (score for score, element, _ in reader.authors.values() if element is node)
    if node.tag not in _HEADING_TAGS or next(scores, 0.0) >= 3:
        return False
    return not SAYS_WORDS.match(node_text(node).removeprefix(reader.author or ""))


def _name_below(reader: Reader) -> str | None:
    """The name in the date's line, where a word (``by``) or a mark says that it is one."""
    text = byline_text(reader)
    found = find_date(text) if text else None
    if text is None or found is None:
        return None
    before, after = text[: found.span[0]].strip(), text[found.span[1] :]
    if ((said := BY_WORDS.match(before)) and said.group().strip()) or BY_AFTER.search(after):
        return from_byline(reader, None)
    return marked_name(after)
