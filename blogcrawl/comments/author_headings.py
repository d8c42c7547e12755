"""Headings of comments: on many engines (FC2, Canalblog, bulletin boards) a comment has a title of
its own, and its name stands in the line below the text. The title's markup is that of names
elsewhere, so what follows the text decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from blogcrawl.comments.bylines import byline_text, from_byline, marked_name
from blogcrawl.comments.neighbouring_author import SHARE, beside_the_date
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import BY_AFTER, BY_WORDS, SAYS_WORDS
from blogcrawl.text.visible import node_text

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
