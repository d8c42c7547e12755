"""The name of a comment's author: in an element, in a line with the date, between words that stand
around other names of the page, or next to the date."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from itertools import islice, takewhile

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.unit import Reader
from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import MAJORITY, NEAR, SEVERAL
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date, with_weekday
from blogcrawl.lexicon.comment_words import (
    AUTHOR,
    AUTHOR_NOUN,
    BODY,
    BY_AFTER,
    BY_WORDS,
    CONTROL,
    DATE,
    FROM_PLACE,
    HOUR,
    NO_NAME,
    NOT_THE_NAME,
    ROLE,
    SAID_AT_END,
    SAYS_ALONE,
    SAYS_UNDATED,
    SAYS_WORDS,
    SIGNED_BY,
    STANDING,
    WEEKDAY,
    words_of,
)
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_LABEL, MAX_TITLE, MAX_WORDS, MIN_SENTENCE
from blogcrawl.text.visible import BLOCK_TAGS, has_more_elements, node_text, squeeze

_ANSWER = re.compile(r"\W*(?:re|aw|antw|sv|fwd?)\s*:", re.I)
"""A subject as of a letter: "Re: my post"."""


def drop(node: HtmlElement) -> None:
    """Removes a node, keeps the text after it."""
    if node.getparent() is not None:
        node.drop_tree()


def name_of(element: HtmlElement, *, strict: bool) -> str | None:
    """Return the name in an author's element; None where it holds none. ``strict``: the markup says
    it is the name and nothing else.
    """
    if not len(element):
        return _name_in(squeeze(element.text), is_strict=strict)
    if has_more_elements(element, MAX_TRIED):
        return None
    return _name_in(_text_without_controls(element), is_strict=strict)


@lru_cache(maxsize=4096)
def _name_in(whole: str, *, is_strict: bool) -> str | None:
    """Return the name in the text of an author's element."""
    if len(whole) > MAX_TITLE or STANDING.fullmatch(whole) or _ANSWER.match(whole):
        return None
    is_said = whole.endswith((":", "："))
    text = SAID_AT_END.sub("", whole) if is_strict and is_said else whole
    text = _COLON_AT_END.sub("", text) if is_strict else _name_in_line(whole)
    text = _unbracketed(squeeze(text))
    text = NOT_THE_NAME.sub("", text)
    return None if not text or len(text) > MAX_TITLE or NO_NAME.match(text) else text


_COLON_AT_END = re.compile(r"(?<!\s)\s*+[:：]\s*+$")


def _name_in_line(line: str) -> str:
    """Return a line without its date and the words of bylines; nothing where these are a
    sentence."""
    found = find_date(line)
    text = _without_date(line, with_weekday(line, found).span) if found else line
    text = _without_words(NOT_THE_NAME.sub("", text), is_dated=found is not None)
    name = NOT_THE_NAME.sub("", _unbracketed(squeeze(text)))
    return "" if found is None and len(line) - len(name) > MAX_LABEL else text


def _text_without_controls(element: HtmlElement) -> str:
    """Return the element's text without buttons, dates and roles."""
    if not any(map(_is_no_name, element.iterdescendants(etree.Element))):
        return node_text(element)
    copy = deepcopy(element)
    copy.tail = None
    for node in list(filter(_is_no_name, copy.iterdescendants(etree.Element))):
        drop(node)
    return node_text(copy)


def _is_no_name(node: HtmlElement) -> bool:
    """Return whether an element next to a name, or around it, is a button, a date or a role."""
    is_dated = node.tag == "abbr" and find_date(node.get("title") or "") is not None
    is_unseen = is_dated or node.tag in ("time", "script", "style")
    is_control = CONTROL.search(words_of(node.get("class"))) is not None
    return is_unseen or is_control or _is_date(node) or _is_role(node)


def _without_date(text: str, span: tuple[int, int]) -> str:
    """Return the part before a date, or the one behind it where the text begins with the date or
    names the author behind it."""
    before, after = text[: span[0]], text[span[1] :]
    return after if span[0] <= 2 or _is_named_behind(before, after) else before


def _is_named_behind(before: str, after: str) -> bool:
    """Return whether what follows a date says whose it is: "on 3 May by Ann", "A las 10:11 del 3 de
    mayo, Ann dijo..."."""
    is_said = SAID_AT_END.search(after) is not None and re.search(r"\w", before) is not None
    return is_said or BY_AFTER.search(after) is not None


def _is_date(node: HtmlElement) -> bool:
    """Is it named as the time and nothing but? "3 years ago" reads as no date and is part of no
    name.
    """
    names = words_of(node.get("class"))
    is_named = bool(names and DATE.search(names)) and not AUTHOR.search(names)
    return is_named and re.search(r"\d", node_text(node)) is not None


def _is_role(node: HtmlElement) -> bool:
    """What a site calls its people, in an element of its own next to the name."""
    if len(node) or node.getparent() is None:
        return False
    text = node_text(node)
    return ROLE.fullmatch(text) is not None or AUTHOR_NOUN.fullmatch(text) is not None


_DAY = re.compile(r"\W*(?:[^\W\d_]{2,5}\.|[^\W\d_]{2,14}\.?,)")
"""What a day of the week before a date looks like: "Fri., 2008-12-12 - Ann"."""
_MARK = re.compile(r"(?<=\S)\s{1,20}#[-\w./]{1,80}(?=\W{0,40}$|\s)")
"""``Ann #-``: what proves who a name is, as Japanese boards and blogs write it. A bare ``#`` is a
link to the comment."""


_PREPOSITION = re.compile(
    rf"(?:\S{{1,80}}\s{{1,20}})?(?:{any_of('bylines', 'on', 'on_day')})\.?", re.I
)
"""What stands between a word like "written" and the day."""


def learn_byline(readers: Sequence[Reader]) -> tuple[str, str] | None:
    """("by ", " on "): what stands around the name where name and date share one short text."""
    signed = (r for r in readers if r.author is not None and r.date is not None)
    seen = Counter(filter(None, map(_words_around, islice(signed, MAX_TRIED))))
    return seen.most_common(1)[0][0] if seen else None


def _words_around(reader: Reader) -> tuple[str, str] | None:
    """Return what stands before the author's name, and between it and the date, in the line of
    both."""
    text = byline_text(reader)
    found = _date_in(text, reader) if text else None
    if not text or found is None or not reader.author:
        return None
    before, name, after = text[: found.span[0]].partition(reader.author)
    return (before, after) if name else None


def byline_text(reader: Reader) -> str | None:
    """Return the short text that holds the date, its parent's where the date stands alone in its
    element.
    """
    node = reader.date_node
    while node is not None and node is not reader.root:
        text = spaced(node)
        if len(text) > MAX_CHARS + MIN_SENTENCE:
            return None
        found = _date_in(text, reader)
        rest = text[: found.span[0]] + text[found.span[1] :] if found else ""
        if found and len(rest) > 2 and not _is_of_date(rest):
            return text
        node = node.getparent()
    return None


def _date_in(text: str, reader: Reader) -> DateMatch | None:
    """Return the date that a line writes with its day of the week, or the reader's without a year
    that stands there."""
    found, own = find_date(text), reader.date
    if found is not None:
        return with_weekday(text, found)
    written = own.text[slice(*own.span)] if own is not None else ""
    if own is None or not written or written not in text:
        return None
    start = text.index(written)
    return replace(own, span=(start, start + len(written)))


def _is_of_date(text: str) -> bool:
    """Are the words next to a date the day of the week and the like, or is it a number: "(12)"?"""
    rest = WEEKDAY.sub("", text)
    words = re.findall(r"[^\W\d_]+", rest)
    return all(map(_PREPOSITION.fullmatch, words)) and (
        bool(words) or rest != text or _NUMBER.fullmatch(text.strip()) is not None
    )


_NUMBER = re.compile(r"[(\[#]\d{1,5}[)\]]?")
"""A comment's place in the list."""


def spaced(node: HtmlElement) -> str:
    """Return text of a node with a blank between its elements: style sheets, not blanks, keep name
    and day apart on many pages.
    """
    text = node_text(node)
    return (
        squeeze(" ".join(node.itertext(etree.Element)))
        if len(node) > 1 and len(text) <= MAX_CHARS + MIN_SENTENCE
        else text
    )


def by_pattern(text: str | None, pattern: tuple[str, str]) -> str | None:
    """Return the name where the line is built as ``pattern`` says: what stands before it, and
    between it and the date.
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
    """Return the name in the line that holds the date, by the pattern or by the words that bylines
    are made of.
    """
    text = byline_text(reader)
    found = _date_in(text, reader) if text else None
    if text is None or found is None:
        return None
    before, after = text[: found.span[0]], HOUR.sub("", text[found.span[1] :])
    sure = (by_pattern(text, pattern) if pattern else None) or marked_name(after)
    if sure:
        return FROM_PLACE.sub("", sure) if _introduced(before) else sure
    is_whole = text == spaced(reader.root)
    return next(filter(_may_be_name, map(_name_beside, _sides(before, after, is_whole))), None)


def _sides(before: str, after: str, is_whole: bool) -> tuple[str, ...]:
    """Return what stands before and after the date, in the order in which a name is looked for; in
    a line that is all of the comment, what follows the date is its text."""
    if is_whole and re.search(r"[^\W\d_]", before):
        return (before,)
    is_day = _DAY.fullmatch(before.strip()) is not None
    if _is_named_behind(before, after) or (is_day and re.match(r"\s*[-–—]\s", after)):
        return after, before
    return (before,) if is_whole else (before, after)


def _without_site(side: str) -> str:
    """Return a side of the date without the address at its end: a name's site. An address before
    other words is the name itself, or theirs."""
    before, _, last = side.rstrip().rpartition(" ")
    return before if _ADDRESS.fullmatch(last) else side


def _name_beside(side: str) -> str:
    """Return a side of the date without the words of bylines."""
    signed = SIGNED_BY.sub("", _without_site(side).strip(" -–—|·•,"))
    text = NOT_THE_NAME.sub("", STANDING.split(signed)[0])
    text = _without_words(text)
    return _unbracketed(NOT_THE_NAME.sub("", _unbracketed(squeeze(text))))


def _without_words(text: str, *, is_dated: bool = True) -> str:
    """Return a name without what bylines say around it: "Posted by Ann from Kent on"; ``is_dated``:
    whether a date may have stood behind it.
    """
    start = _introduced(text)
    says = SAYS_WORDS if is_dated else SAYS_UNDATED
    return says.sub("", FROM_PLACE.sub("", text[start:]) if start else text)


def _introduced(text: str) -> int:
    """Return where the words end that introduce a name ("Posted by Ann"); 0 without such."""
    by = BY_WORDS.match(text)
    return 0 if by is None else by.end()


def _may_be_name(text: str) -> bool:
    if not text or len(text) > MIN_SENTENCE or len(text.split()) > MAX_WORDS:
        return False
    others = (NO_NAME.match, _PREPOSITION.fullmatch, WEEKDAY.fullmatch, _SENTENCE.match)
    is_other = any(is_so(text) for is_so in others)
    return not is_other and re.search(r"[^\W\d_]", text) is not None


def marked_name(line: str) -> str | None:
    """Return the name in a line of several parts ("URL | Ann #- [edit]") that has a mark; None
    where none does.
    """
    for part in re.split(r"[|·•]", line) if _MARK.search(line) else ():
        found = _MARK.search(part)
        name = squeeze(part[: found.start()]) if found else ""
        if 0 < len(name) <= MIN_SENTENCE and not NO_NAME.match(name):
            return name
    return None


def labelled(readers: Sequence[Reader]) -> None:
    """Gives readers without an author the name in a short block of its own with a label: "Comment
    by Ann [Visitor]", "Ann wrote:"; where most of them have one: once it may be a sentence."""
    bare = [reader for reader in readers if reader.author is None]
    found = [(reader, _label_of(reader)) for reader in bare]
    if 2 * sum(label is not None for _, label in found) < len(bare):
        return
    for reader, label in found:
        if label is not None:
            reader.author, reader.author_node = label


def _label_of(reader: Reader) -> tuple[str, HtmlElement] | None:
    """Return the name in the first labelled block of a comment, and the block."""
    for element, _, markup in reader.nodes:
        is_line = markup.tag in BLOCK_TAGS and not markup.is_body and _is_innermost(element)
        name = _labelled_name(reader.texts.of(element)) if is_line else None
        if name is not None:
            return name, element
    return None


def _is_innermost(block: HtmlElement) -> bool:
    return all(element is block for element in block.iter(*BLOCK_TAGS))


def _labelled_name(text: str) -> str | None:
    if not 0 < len(text) <= MAX_TITLE:
        return None
    by, said = BY_WORDS.match(text), SAID_AT_END.search(text)
    is_by = by is not None and _is_label_before(by)
    if not is_by and (said is None or not text.endswith((":", "："))):
        return None
    name = _name_beside(before_date(text) if is_by else _behind_date(text))
    return name if _may_be_name(name) else None


def _is_label_before(by: re.Match[str]) -> bool:
    """Return whether words before a name are a label: "by:", "Comment by"; "by" may begin a
    sentence."""
    words = by.group().rstrip()
    return words.endswith((":", "：")) or (bool(by["act"]) and by.group() != by["act"])


def before_date(text: str) -> str:
    """Return what stands before the date in a line, all of it without one."""
    when = find_date(text)
    return text if when is None else text[: when.span[0]]


def _behind_date(text: str) -> str:
    """Return what stands behind the date at the beginning of a line that ends with "said", all of
    it without one: "#1 Thursday 10 May 2012 - 15:00 - Ann said:"."""
    when = find_date(text)
    return text if when is None else _without_date(text, with_weekday(text, when).span)


MAX_BARE_NAME, MAX_BARE_WORDS = 50, 5
"""Characters and words of a name without markup."""
_WORDS = re.compile(r"\w")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S*")


def framed(readers: Sequence[Reader]) -> None:
    """Gives readers without an author the name in the same place and between the same words as that
    of others ("Ο/Η Ann είπε…" where Ann has an address and Bob has none), or by itself in the
    heading in which others have a link."""
    if all(reader.author is not None for reader in readers):
        return
    frames: Counter[Frame] = Counter(frame for reader in readers for frame in _frames(reader))
    frame, count = next(iter(frames.most_common(1)), (("", "", ""), 0))
    if count < 2:  # once is no pattern: the words around may be the comment's own
        return
    _, before, after = frame
    for reader in readers:
        element = _framed_element(reader, frame) if reader.author is None else None
        if element is not None:
            name = node_text(element).removeprefix(before).removesuffix(after)
            reader.author, reader.author_node = squeeze(name), element


Frame = tuple[str, str, str]
"""Path of an element, and the words before and after the name in it."""


def _framed_element(reader: Reader, frame: Frame) -> HtmlElement | None:
    return next((e for e, path, _ in reader.nodes if path == frame[0] and _fits(e, frame)), None)


def _fits(element: HtmlElement, frame: Frame) -> bool:
    """Return whether an element holds the words of a frame, and something between them; a name
    where the frame has none."""
    _, before, after = frame
    text = node_text(element)
    if not before + after:
        return bare_name(text) is not None
    is_framed = text.startswith(before) and text.endswith(after)
    return is_framed and len(text) > len(before) + len(after)


def _frames(reader: Reader) -> Iterator[Frame]:
    """Yield the words around the author's name in its element and in the box around that."""
    node, name = reader.author_node, reader.author
    if node is None or not name:
        return
    paths = reader.paths
    for box in (node.getparent(), node):
        if box not in paths:
            continue
        text = reader.texts.of(box)
        before, found, after = text.partition(name)
        is_all = box is node and text == name
        if found and not is_all and len(text) < MAX_BARE_NAME + len(name):
            yield paths[box], before, after


Place = tuple[str, int]
"""The path of a block, and how many texts after the date a text in it stands (-1: just before)."""
Texts = dict[int, tuple[str, HtmlElement]]
"""The texts at one place by the number of the comment, and their elements."""


def beside_the_date(readers: Sequence[Reader], others: Collection[HtmlElement] = ()) -> bool:
    """Gives readers without an author the short text near the date that stands in the same place in
    most of them and varies; whether there is such a place. ``others``: elements that hold something
    else."""
    bare = [r for r in readers if r.author is None and r.date_node is not None]
    found = _usual_texts(bare, others) if len(bare) >= MAJORITY * len(readers) else {}
    head, tail = _around([text for text, _ in found.values()])
    for number, (text, node) in found.items():
        name = bare_name(text[head : len(text) - tail])
        if name:
            bare[number].author, bare[number].author_node = name, node
    return bool(found)


def _usual_texts(readers: Sequence[Reader], others: Collection[HtmlElement]) -> Texts:
    """Return the texts near the dates at the place where most comments have one, the closest of
    those where the texts differ."""
    found: dict[Place, Texts] = defaultdict(dict)
    steps: Counter[Place] = Counter()
    for number, reader in enumerate(readers):
        for at, (block, text, node) in _near(reader).items():
            if node in others:
                continue
            found[block, at].setdefault(number, (text, node))
            steps[block, at] += abs(at) + (at > 0)
    ranked = [
        (_is_label(texts), steps[place] / len(texts), place)
        for place, texts in found.items()
        if len(texts) >= MAJORITY * len(readers)
        and (len(readers) < SEVERAL or not _is_label(texts))
    ]
    return found[min(ranked)[2]] if ranked else {}


def _is_label(texts: Texts) -> bool:
    return len({text for text, _ in texts.values()}) == 1


def _near(reader: Reader) -> dict[int, tuple[str, str, HtmlElement]]:
    """Short texts around the date by their place (-1: just before it): the path of their block, the
    text, its element.
    """
    pieces = list(_pieces(reader))
    at = next((i for i, (text, _) in enumerate(pieces) if text is None), None)
    if at is None:
        return {}
    del pieces[at]
    paths, first = reader.paths, max(0, at - NEAR)
    around = set(reader.date_node.iterancestors()) if reader.date_node is not None else set()
    return {
        number - at: (paths.get(_block(node), ""), text, node)
        for number, (text, node) in enumerate(pieces[first : at + NEAR + 1], first)
        if text is not None and _may_be(text, node, node in around)
    }


def _pieces(reader: Reader) -> Iterator[tuple[str | None, HtmlElement]]:
    """Yield the texts of a comment and their elements in document order; None where the date
    begins."""
    for element, _, _ in reader.nodes:
        own = squeeze(element.text)
        if element is reader.date_node:
            yield None, element
            yield from ((text, element) for text in _texts_around_date(own))
        elif _says_something(own):
            yield own, element
        above = element.getparent()
        if above is not None and _says_something(element.tail or ""):
            yield squeeze(element.tail), above


def _says_something(text: str) -> bool:
    """Return whether a text has words; a site's address or "said:" behind some of the names moves
    no text to another place."""
    bare = text.strip()
    is_name = _ADDRESS.fullmatch(bare) is None and SAYS_ALONE.fullmatch(bare) is None
    return is_name and _WORDS.search(bare) is not None


def _texts_around_date(line: str) -> Iterator[str]:
    """Yield the parts of a line before and after its date."""
    found = find_date(line)
    if found is not None:
        found = with_weekday(line, found)
        for side in (line[: found.span[0]], line[found.span[1] :]):
            yield from map(squeeze, re.split(r"\s[–—/]\s|[|·•]", side))


def _block(node: HtmlElement) -> HtmlElement:
    while node.tag not in BLOCK_TAGS and (above := node.getparent()) is not None:
        node = above
    return node


def _may_be(text: str, node: HtmlElement, holds_date: bool) -> bool:
    """Return whether a text may be a name; what ``holds_date`` is no body, whatever its name."""
    names = "" if holds_date else words_of(node.get("class"))
    marked = names and (BODY.search(names) or CONTROL.search(names))
    return (
        not marked
        and STANDING.fullmatch(text) is None
        and node.tag not in ("p", "blockquote")
        and bare_name(text) is not None
        and find_date(text) is None
    )


@lru_cache(maxsize=4096)
def bare_name(text: str) -> str | None:
    """Return the name in a short text that holds little else: "Ann said:"; None where it can be
    none."""
    if SAYS_ALONE.match(text):
        return None
    bare = _without_words(NOT_THE_NAME.sub("", text.strip(" -–—|·•,")))
    name = _unbracketed(NOT_THE_NAME.sub("", _unbracketed(squeeze(bare))))
    short = 0 < len(name) <= MAX_BARE_NAME and len(name.split()) <= MAX_BARE_WORDS
    if (
        not short
        or NO_NAME.match(name)
        or WEEKDAY.fullmatch(name)
        or _NO_WORD.fullmatch(name)
        or _SENTENCE.match(name)
    ):
        return None
    return name


_NO_WORD = re.compile(r"\W*\d+\W*\w{0,2}|[\W\d_]*")
_SENTENCE = re.compile(r".{10,}[。！？]$")
"""Without blanks between its words: a name may end so, too, and is shorter."""


_CLOSING = {"(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "【": "】"}
_CLOSERS = frozenset(_CLOSING.values())


def _unbracketed(text: str) -> str:
    """Strip marks and brackets at the ends: those around the whole text, and such as lack their
    other half. "John [shots]" is a name."""
    text = text.strip(_MARKS)
    while text:
        ends = text[0] + text[-1]
        if len(text) > 1 and _CLOSING.get(ends[0]) == ends[1]:
            text = text[1:-1].strip(_MARKS)
        elif ends[0] in _CLOSERS or _CLOSING.get(ends[0], " ") not in text + " ":
            text = text[1:].strip(_MARKS)
        elif ends[1] in _CLOSING or (ends[1] in _CLOSERS and not _has_opening(text)):
            text = text[:-1].strip(_MARKS)
        else:
            break
    return text


def _has_opening(text: str) -> bool:
    """Return whether the bracket that a text ends with was opened in it."""
    return any(text[-1] == close and mark in text for mark, close in _CLOSING.items())


_MARKS = " -–—|·•,:"


def _around(texts: Sequence[str]) -> tuple[int, int]:
    """Return characters that all of at least three different texts begin and end with, whole words
    only.
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
    """Makes titles of headings that were taken for names, where text follows them, or begins as
    they do, and the date's line names somebody else.
    """
    headed = _headed(readers)
    asked = [*headed, *(r for r in readers if headed and r.author is None)]
    before = [(r.author, r.author_node) for r in asked]
    is_certain = _name_by_dates(asked, {node for _, node in before if node is not None})
    for reader, (name, node) in zip(asked, before, strict=True):
        if not is_certain or reader.author in (None, name):
            reader.author, reader.author_node = name, node
        else:
            _entitle(reader, name, node)


def _headed(readers: Sequence[Reader]) -> list[Reader]:
    """Return the readers whose name may be a title, where that is most of those with a name."""
    signed = [r for r in readers if r.author is not None]
    bold = [r for r in signed if r.author_node is not None and r.author_node.tag in _HEADING_TAGS]
    headed = list(filter(_is_headed, bold))
    return headed if len(headed) >= MAJORITY * len(signed) else []


def _is_headed(reader: Reader) -> bool:
    return _heads_text(reader) or _begins_text(reader)


def _entitle(reader: Reader, title: str | None, node: HtmlElement | None) -> None:
    reader.subject = title
    if node is not None:
        reader.drop(node)


def _name_by_dates(readers: Sequence[Reader], titles: Collection[HtmlElement]) -> bool:
    """Take the authors from the lines with the dates; whether that gives most of them a name, and
    not all the same. ``titles``: elements that hold none then."""
    enough = MAJORITY * len(readers)
    for reader in readers:
        name = from_byline(reader, None) if _begins_text(reader) else _name_below(reader)
        reader.author, reader.author_node = name, None
    if len(readers) > 1 and len(_named(readers)) < enough:
        beside_the_date(readers, titles)
    named = _named(readers)
    if not named or len(named) < enough:
        return False
    differ = len(named) == 1 or len({r.author for r in named}) > 1
    return differ or bool(_name_below(named[0]))


def _named(readers: Sequence[Reader]) -> list[Reader]:
    return [reader for reader in readers if reader.author is not None]


def _heads_text(reader: Reader) -> bool:
    """Stands the name in bold or a heading, and the comment's text between it and the date?"""
    node, day = reader.author_node, reader.date_node
    if node is None or day is None or not _may_be_title(reader, node):
        return False
    order = {element: place for place, (element, _, _) in enumerate(reader.nodes)}
    is_later = order.get(day, 0) > order.get(node, len(order))
    if not is_later or day in node.iterancestors():
        return False
    text, title, line = node_text(reader.root), node_text(node), byline_text(reader) or ""
    start = text.find(title) + len(title)
    end = max(text.rfind(line) if line else -1, text.rfind(node_text(day)))
    between = SAYS_ALONE.sub("", text[start:end])
    return len(between) >= LEAST_TEXT and _WORDS.search(between) is not None


def _begins_text(reader: Reader) -> bool:
    """Return whether the comment goes on below the name's heading and its date as that heading
    says: the title that an engine makes of a text without one."""
    whole = reader.texts.of(reader.root)
    if not reader.author or whole.count(reader.author) < 2:
        return False
    title, found, text = whole.partition(byline_text(reader) or "\n")
    return bool(found) and title.strip() != "" and text.strip().startswith(title.strip(" .…"))


_HEADING_TAGS = frozenset(("h2", "h3", "h4", "h5", "h6", "strong", "b", "dt"))


def _may_be_title(reader: Reader, node: HtmlElement) -> bool:
    """Return whether the name's heading has no author's mark, other than "Ann said:" and "Posted by
    Ann"."""
    scores = (score for score, element, _ in reader.authors.values() if element is node)
    if next(scores, 0.0) >= 3:
        return False
    text = node_text(node)
    return not _introduced(text) and not SAYS_WORDS.match(text.removeprefix(reader.author or ""))


def _name_below(reader: Reader) -> str | None:
    """Return the name in the date's line, where a word (``by``) or a mark says that it is one."""
    text = byline_text(reader)
    found = _date_in(text, reader) if text else None
    if text is None or found is None:
        return None
    before, after = text[: found.span[0]].strip(), text[found.span[1] :]
    if _introduced(before) or BY_AFTER.search(after):
        return from_byline(reader, None)
    return marked_name(after)
