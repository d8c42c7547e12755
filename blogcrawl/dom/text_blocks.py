"""Blocks that have text of their own, and where in the template each stands
(posts-and-comments-separation-ja, 3.2).
"""

from __future__ import annotations

import re
from hashlib import blake2b

from blogcrawl.dom.blocks import BOUNDARIES, Blocks
from blogcrawl.lexicon.comment_words import COMMENT_NAMES, UNIT_ID, is_label
from blogcrawl.lexicon.css_classes import template_names
from blogcrawl.text.lengths import MAX_BYLINE, MAX_TITLE, MIN_SENTENCE, SENTENCE_ENDS
from blogcrawl.text.visible import node_text

_DIGITS = re.compile(r"\d+")
_QUOTED = re.compile(r"[“„«\"].{1,200}[”“»\"]")
WRITTEN = frozenset(
    (
        "p li ul ol dl dt dd pre h1 h2 h3 h4 h5 h6 blockquote table tbody thead tr td th figure "
        "figcaption center span strong em"
    ).split()
)
"""Tags a post is written with: they are no evidence of the template."""


def identifier(blocks: Blocks, i: int) -> str:
    """Return a block's position: the path of names from its nearest named ancestor's parent on,
    those of cells among them, with numbers made alike.
    """
    parts: list[str] = []
    named = 0
    while i > 0 and named < 2 and len(parts) < 8:
        element = blocks.elements[i]
        label = element.get("id") or element.get("class", "")
        own = _DIGITS.sub("0", " ".join(sorted(template_names(label))))[:80]
        if own and blocks.tags[i] not in {
            "p",
            "li",
            "span",
            "h1",
            "h2",
            "h3",
            "h4",
            "pre",
            "blockquote",
        }:
            parts.append(f"{blocks.tags[i]}.{own}")
            named += blocks.tags[i] != "td"  # of a table of the layout, or of one in a post
        elif named == 0 and blocks.tags[i] not in WRITTEN:
            parts.append(blocks.tags[i])
        i = blocks.parent[i]
    return "/".join(reversed(parts))


def digest(text: str) -> int:
    """Return 48 bits of a digest of a text, white space folded."""
    return int.from_bytes(
        blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=6).digest(), "big"
    )


def texts(blocks: Blocks) -> list[tuple[int, str, int]]:
    """Number, text and digest of every block that has text of its own."""
    return [
        (i, text, digest(text))
        for i in range(len(blocks.tags))
        if blocks.plain[i] + blocks.linked[i] > 0
        and (blocks.tags[i] in BOUNDARIES or i == 0)
        and (text := own_text(blocks, i))
    ]


def own_text(blocks: Blocks, i: int) -> str:
    """Return the text of a block outside of the blocks inside it."""
    element = blocks.elements[i]
    if all(blocks.tags[child] not in BOUNDARIES for child in range(i + 1, blocks.end[i])):
        return node_text(element)
    pieces = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in BOUNDARIES:
            pieces.append(" ".join(child.itertext()))
        pieces.append(child.tail or "")
    return " ".join(" ".join(pieces).split())


def said_below(blocks: Blocks, heading: int | None) -> range:
    """Return the blocks from the first label of comments, or comment with a number, on that has a
    sentence above it, behind the ``heading`` where there is one: a label in the byline heads
    nothing. Empty without one.
    """
    title = node_text(blocks.elements[heading]) if heading else ""
    longest = 0.0
    for i in range((heading or 0) + 1, len(blocks.tags)):
        if longest >= MIN_SENTENCE and (_is_label(blocks, i, title) or is_comment(blocks, i)):
            return range(i, len(blocks.tags))
        longest = max(longest, blocks.plain[i])
    return range(0)


def is_comment(blocks: Blocks, i: int) -> bool:
    """Return whether the id of an element is the number of a comment, called so."""
    found = UNIT_ID.match(blocks.elements[i].get("id") or "")
    return found is not None and COMMENT_NAMES.search(found["pre"]) is not None


def _is_label(blocks: Blocks, i: int, title: str) -> bool:
    """Return whether a block heads comments, be it those on the title: "7 responses to …"."""
    if blocks.linked[i] or not 0 < blocks.plain[i] <= MAX_BYLINE + MAX_TITLE:
        return False
    text = own_text(blocks, i)
    return heads_comments(text.replace(title, "") if title else text)


def heads_comments(text: str) -> bool:
    """Return whether a text is a label of comments, be it those on what it quotes, and no
    sentence: "Thank you for the comments!"."""
    return not text.endswith(SENTENCE_ENDS) and is_label(_QUOTED.sub("", text))
