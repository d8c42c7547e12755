"""Where the post's text stands on a page that nothing is known of.

Every block of text gets a worth: letters that read like prose count for it, links and menu items
against. A subtree whose name says that it is no post (comments, related, navigation) counts
nothing, unless it holds most of the page. From the body downwards the walk follows the child that
holds nearly all the worth and stops where the text divides.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise, product

from blogcrawl.core.page import kept
from blogcrawl.dom.blocks import Blocks
from blogcrawl.lexicon.css_classes import Kind, words_of
from blogcrawl.lexicon.vocabulary import entries, word_set
from blogcrawl.text.lengths import MIN_SENTENCE

FOLLOW = 0.82
"""Share of the worth that a child must hold for the walk to go on: a post's longest part seldom
holds as much of it.
"""
NAMED = 0.55
"""Share that is enough for a child whose name says that it is the content."""
HEADED = 0.35
"""Share that is enough for the child that holds the post's heading: a short post next to a long
"about me".
"""
LESS = 0.6
"""What that child must hold at least of what the best one holds: else the heading stands next to
the text.
"""
_WRITTEN = frozenset("p pre ul ol blockquote h1 h2 h3 figure".split())
MOSTLY = 0.6
"""Share of the page from which a name against an element is not believed (comments excepted)."""
FRAMES = frozenset(("nav", "meta", "share", "ad", "subscribe", "author"))
"""Kinds whose names templates give to frames as well."""
LANDMARKS = frozenset("main article h1".split())
ASIDE_KINDS = frozenset(("comments", "hidden"))
"""Kinds that are not the post, however much they hold."""
ENOUGH = 400.0
"""Letters next to what is named as related posts that may be the post, however long that is; next
to teasers a sentence may be it."""
FRAME, LEFT, MAX_DOUBTED = 0.25, 0.3, 4
"""Share of the page's text that a frame holds at least; share that names must leave; how many names
are doubted at most.
"""
CONTENT_PAIRS = frozenset(
    product(entries("css_classes", "content.left"), entries("css_classes", "content.right"))
)
CONTENT_WORDS = word_set("css_classes", "content.words")
MENU = 25.0
"""Letters of a block that is a label rather than a sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Number of the element in ``Blocks``, and how sure the walk was (share of worth kept on the
    way): 0..1.
    """

    number: int
    confidence: float
    worth: float


@kept
def worths(blocks: Blocks) -> list[float]:
    """Return the worth of each subtree, as ``worths_without`` does of all blocks."""
    return worths_without(blocks, frozenset())


def worths_without(blocks: Blocks, foreign: Set[int]) -> list[float]:
    """Return the worth of each subtree; ``foreign``: blocks that have none.

    Where names would leave nearly nothing of a page they are ignored, those first that hold most:
    templates name the frame around everything by what it has next to the post
    ("left-navigation-wrapper", "sharing-container").
    """
    held = enumerate(zip(blocks.plain, blocks.linked, strict=True))
    single = [
        _single(blocks, i) if (plain or linked) and i not in foreign else 0.0
        for i, (plain, linked) in held
    ]
    raw = blocks.sums([max(0.0, value) for value in single])
    landmarks = [i for i, tag in enumerate(blocks.tags) if tag in LANDMARKS]
    kinds = list(blocks.kind)
    known = _summed(blocks, single, raw, kinds, landmarks)
    for _name in range(MAX_DOUBTED):
        frame = _outer_frame(blocks, raw, kinds, landmarks)
        if frame is None or known[0] >= LEFT * raw[0]:
            break
        kinds[frame] = None
        known = _summed(blocks, single, raw, kinds, landmarks)
    return known


def _outer_frame(
    blocks: Blocks, raw: list[float], kinds: list[Kind | None], landmarks: list[int]
) -> int | None:
    """Return the named frame that holds most of the page, one around a landmark before others."""
    frames = [i for i, kind in enumerate(kinds) if kind in FRAMES and raw[i] >= FRAME * raw[0]]
    around = [i for i in frames if any(i < place < blocks.end[i] for place in landmarks)]
    return max(around or frames, key=raw.__getitem__, default=None)


def _holds_any(blocks: Blocks, i: int, places: list[int]) -> bool:
    return any(i < place < blocks.end[i] for place in places)


def _summed(
    blocks: Blocks,
    single: list[float],
    raw: list[float],
    kinds: list[Kind | None],
    landmarks: list[int],
) -> list[float]:
    out, limit = list(single), MOSTLY * (raw[0] or 1.0) if raw else 1.0
    aside = _aside(blocks, raw, kinds, landmarks)
    for i in range(len(out) - 1, 0, -1):
        if kinds[i] is not None and (i in aside or raw[i] < limit):
            out[i] = min(0.0, out[i])
            continue
        out[blocks.parent[i]] += out[i]
    return out


def _aside(
    blocks: Blocks, raw: list[float], kinds: list[Kind | None], landmarks: list[int]
) -> set[int]:
    """Return the blocks whose text is no content; where the page has enough besides, those of
    related posts without a landmark in them, too."""
    related = [i for i, kind in enumerate(kinds) if kind == "related"]
    out = {i for i, kind in enumerate(kinds) if kind in ASIDE_KINDS}
    enough = MIN_SENTENCE if blocks.teasers.issuperset(related) else ENOUGH
    if landmarks and raw[0] - max((raw[i] for i in related), default=0.0) >= enough:
        out.update(i for i in related if not _holds_any(blocks, i, landmarks))
    return out


def _single(blocks: Blocks, i: int) -> float:
    plain, linked, tag = blocks.plain[i], blocks.linked[i], blocks.tags[i]
    if linked > plain:
        return -(5.0 + 0.3 * linked) if plain < 80 else plain - linked
    if tag in {"pre", "code", "td", "th", "dd", "dt", "blockquote", "figcaption"}:
        return plain * 0.8 - linked * 0.3
    if plain >= 80 or (blocks.marks[i] and blocks.ends[i]):
        return plain + 6.0 * blocks.marks[i] - linked * 0.3
    if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
        return 0.0
    if tag in {"p", "li"}:
        return plain * 0.5 - linked
    return 0.2 * plain if plain >= MENU else -2.0


def is_content_name(label: str) -> bool:
    """Return whether a class or id names the post's text."""
    for name in label.split():
        words = words_of(name)
        if "".join(words) in CONTENT_WORDS or any(
            pair in CONTENT_PAIRS for pair in pairwise(words)
        ):
            return True
    return False


def find_content(
    blocks: Blocks, heading: int | None = None, foreign: Set[int] = frozenset()
) -> Place | None:
    """Return the element that holds the post's text; None on a page without text. ``heading``:
    number of the post's heading, if known; ``foreign``: blocks that are known to be no content.
    """
    if not blocks.tags:
        return None
    worth = worths_without(blocks, foreign) if foreign else worths(blocks)
    here, sure = 0, 1.0
    if worth[here] <= 0:
        best = max(range(len(worth)), key=worth.__getitem__)
        if worth[best] <= 0:
            return None
        here, sure = best, 0.5
    while True:
        children = blocks.children(here)
        if not children:
            break
        best, share = _next(blocks, worth, here, children, heading)
        if best < 0:
            break
        here, sure = best, sure * min(1.0, share)
    return Place(here, round(min(0.9, sure), 3), worth[here])


def _is_named(blocks: Blocks, place: int) -> bool:
    """Return whether tag or names mark the element as the content."""
    get = blocks.elements[place].get
    label = f"{get('class', '')} {get('id', '')} {get('itemprop', '')}"
    return blocks.tags[place] in {"article", "main"} or is_content_name(label)


def _child_with(blocks: Blocks, children: list[int], heading: int | None) -> int:
    """Return the child that holds the heading, or -1."""
    if heading is None:
        return -1
    return next((child for child in children if child < heading < blocks.end[child]), -1)


def _next(
    blocks: Blocks, worth: list[float], here: int, children: list[int], heading: int | None
) -> tuple[int, float]:
    """Return the child to follow and its share of the worth; -1 where the text divides."""
    if worth[here] <= 0:
        return -1, 0.0
    best = max(children, key=worth.__getitem__)
    share = worth[best] / worth[here]
    if share < (NAMED if _is_named(blocks, best) else FOLLOW):
        # text next to the post (about the author, a footer): the post is where its heading is
        most = share
        best = _child_with(blocks, children, heading)
        share = worth[best] / worth[here] if best >= 0 else 0.0
        if share < HEADED or share < LESS * most:
            return -1, 0.0
    if blocks.tags[best] in _WRITTEN and share < 1.5:
        return -1, 0.0
    return best, share
