"""Features of title and body candidates (blog-pages-extractor-svm, section IV), and their stand-ins
where nothing is rendered.

The paper's: normalised centre of the rectangle, font size, length in words, link state, ending;
width share, vertical and horizontal place relative to the title, punctuation marks. Font size is
the height of a short text's rectangle. Without rectangles the place in document order and the tag
take the place of the place on the screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import BOUNDARIES, Blocks, blocks_of
from blogcrawl.dom.density import is_content_name, worths
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.names import is_site_name, site_names
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

Box = tuple[float, float, float, float]
VIEWPORT = (1280.0, 800.0)
"""Width and height in CSS pixels that rectangles are measured against (the renderer's window)."""
MAX_TITLE = 300.0
"""Letters; no title is longer."""
MAX_CANDIDATES = 1500
"""Of each kind on a page: a page of 5 MB must not cost more than its parse."""
TITLE_FEATURES = (
    *(
        "words",
        "no_link",
        "internal",
        "external",
        "ends",
        "order",
        "h1",
        "h2",
        "h3",
        "heading",
        "tag_count",
        "in_title",
        "share_of_title",
    ),
    *(
        "named_title",
        "named_aside",
        "depth",
        "worth_after",
        "home",
        "site_name",
        "best_in_title",
        "rest_in_title",
    ),
)
TITLE_BOXES = ("center_x", "center_y", "font", "width")
BODY_FEATURES = (
    *(
        "words",
        "marks",
        "ellipsis",
        "share",
        "worth_share",
        "link_share",
        "order",
        "after_title",
        "from_title",
        "holds_title",
    ),
    *("top_child", "paragraphs", "div", "article", "named_content", "named_aside", "depth"),
)
BODY_BOXES = ("width_share", "relative_y", "relative_x", "center_x", "center_y")
LEAST = 0.02
"""Share of the page's text that a body holds at least (a list of fifty full posts)."""
_BODY_TAGS = frozenset(
    "div article section main td body li dd center span font blockquote p".split()
)
_TITLE_WORDS = frozenset("title titulo titre titel headline heading".split())


@dataclass(slots=True)
class Candidates:
    """Element numbers in ``Blocks`` and a row of features for each."""

    numbers: list[int]
    rows: list[list[float]]


def boxes_by_number(page: Page, blocks: Blocks) -> dict[int, Box] | None:
    """The rendered rectangles by element number; None where the page was not rendered."""
    if not page.boxes:
        return None
    tree = page.tree.getroottree()
    out: dict[int, Box] = {}
    for i, element in enumerate(blocks.elements):
        box = page.boxes.get(tree.getpath(element))
        if box is not None:
            out[i] = box
    return out or None


def title_candidates(page: Page, boxes: dict[int, Box] | None) -> Candidates:
    """Every element with a short text, the innermost of those with the same text (title subtrees of
    the paper).
    """
    blocks = blocks_of(page)
    document = fold(document_title(page)).casefold()
    host = urlsplit(page.url).netloc
    names = site_names(page)
    letters = [a + b for a, b in zip(blocks.all_plain, blocks.all_linked, strict=True)]
    worth = worths(blocks) if blocks.tags else []
    total = max(1.0, max(worth, default=1.0))
    counts: dict[str, int] = {}
    for tag in blocks.tags:
        counts[tag] = counts.get(tag, 0) + 1
    after = _worth_after(blocks, worth)
    found = Candidates([], [])
    for i, tag in enumerate(blocks.tags):
        if (
            not 0 < letters[i] <= MAX_TITLE
            or tag not in BOUNDARIES
            or len(found.numbers) >= MAX_CANDIDATES
        ):
            continue
        if any(
            letters[child] == letters[i] and blocks.tags[child] in BOUNDARIES
            for child in blocks.children(i)
        ):
            continue
        text = node_text(blocks.elements[i])
        folded = fold(text).casefold()
        state, is_home = _link_state(blocks, i, host)
        label = (
            f"{blocks.elements[i].get('class') or ''} {blocks.elements[i].get('id') or ''} "
            f"{blocks.elements[i].get('itemprop') or ''}"
        )
        inside = bool(folded) and folded in document
        row = [
            math.log1p(len(text.split()) if letters[i] == len(text) else letters[i] / 5),
            *(float(state == name) for name in ("none", "internal", "external")),
            float(text[-1:] in ":;.。：；"),
            i / len(blocks.tags),
            *(float(tag == name) for name in ("h1", "h2", "h3")),
            float(tag in {"h1", "h2", "h3", "h4", "h5", "h6"}),
            math.log1p(counts[tag]),
            float(inside),
            len(folded) / max(1, len(document)) if inside else 0.0,
            float(not _TITLE_WORDS.isdisjoint(words_of(label))),
            float(_is_under_name(blocks, i)),
            blocks.depth[i] / 10,
            after[i] / total,
            float(is_home),
            float(is_site_name(text, names)),
        ]
        if boxes is not None:
            row += _title_box(boxes.get(i), letters[i])
        found.numbers.append(i)
        found.rows.append(row)
    return _with_rank(found)


def _with_rank(found: Candidates) -> Candidates:
    """Add to each row how it compares with the page's others in the document's title: the site's
    name set aside.
    """
    share, aside = (
        TITLE_FEATURES.index("share_of_title"),
        (TITLE_FEATURES.index("home"), TITLE_FEATURES.index("site_name")),
    )
    places = [0.0 if any(row[k] for k in aside) else row[share] for row in found.rows]
    best = max(places, default=0.0)
    fixed = TITLE_FEATURES.index("best_in_title")
    for row, place in zip(found.rows, places, strict=True):
        row[fixed:fixed] = [float(place > 0 and place >= best), best - place]
    return found


def _worth_after(blocks: Blocks, worth: list[float]) -> list[float]:
    """Worth of the best sibling (or parent's sibling, twice up) that comes after an element: what a
    title heads.
    """
    out = [0.0] * len(blocks.tags)
    for i in range(1, len(blocks.tags)):
        step, best = i, 0.0
        for _level in range(3):
            above = blocks.parent[step]
            if above < 0:
                break
            best = max(best, worth[above] - max(0.0, worth[step]))
            step = above
        out[i] = best
    return out


def _link_state(blocks: Blocks, i: int, host: str) -> tuple[str, bool]:
    for j in range(i, blocks.end[i]):
        if blocks.tags[j] == "a" and blocks.elements[j].get("href"):
            try:
                parts = urlsplit(blocks.elements[j].get("href") or "")
            except ValueError:  # no address at all: a template's own brackets
                return "external", False
            inner = not parts.netloc or parts.netloc == host
            return ("internal" if inner else "external"), inner and parts.path in {
                "",
                "/",
                "/index.html",
            }
    return "none", False


def _is_under_name(blocks: Blocks, i: int) -> bool:
    """Is the element, or one around it, named as something else than the post?"""
    while i > 0:
        if blocks.kind[i] is not None:
            return True
        i = blocks.parent[i]
    return False


def _title_box(box: Box | None, letters: float) -> list[float]:
    if box is None:
        return [0.0, 0.0, 0.0, 0.0]
    width, height = box[2:]
    lines = max(1.0, round(letters * 0.55 * min(height, 40.0) / max(1.0, width)))
    return [*_center(box), min(height / lines, 120.0), width / VIEWPORT[0]]


def _center(box: Box) -> tuple[float, float]:
    """Equation 1 of the paper: (centre - browser centre) / ||browser centre||."""
    x, y, width, height = box
    norm = math.hypot(VIEWPORT[0] / 2, VIEWPORT[1] / 2)
    return (x + width / 2 - VIEWPORT[0] / 2) / norm, max(
        -5.0, min(20.0, (y + height / 2 - VIEWPORT[1] / 2) / norm)
    )


def body_candidates(page: Page, boxes: dict[int, Box] | None, titles: list[int]) -> Candidates:
    """Every container with text or a picture; features relative to the nearest of ``titles`` before
    it.
    """
    blocks = blocks_of(page)
    found = Candidates([], [])
    if not blocks.tags:
        return found
    worth = worths(blocks)
    whole, best = max(1.0, blocks.all_plain[0]), max(1.0, *worth)
    count = len(blocks.tags)
    paragraphs = blocks.sums([float(tag == "p") for tag in blocks.tags])
    for i, tag in enumerate(blocks.tags):
        if tag not in _BODY_TAGS or len(found.numbers) >= MAX_CANDIDATES:
            continue
        plain, linked = blocks.all_plain[i], blocks.all_linked[i]
        if (
            plain < max(20.0, LEAST * whole)
            or worth[i] <= 0
            or (tag in {"p", "span", "font", "li"} and plain < 0.5 * best)
        ):
            continue
        title = max((t for t in titles if t < blocks.end[i]), default=-1)
        children = blocks.children(i)
        element = blocks.elements[i]
        label = (
            f"{element.get('class') or ''} {element.get('id') or ''} "
            f"{element.get('itemprop') or ''}"
        )
        row = [
            math.log1p(plain / 5),
            math.log1p(blocks.all_marks[i]),
            float(node_text(element).endswith(("…", "..."))) if plain < 1500 else 0.0,
            plain / whole,
            worth[i] / best,
            linked / (plain + linked),
            i / count,
            float(title >= 0 and title < i),
            (i - title) / 50 if 0 <= title < i else 2.0 if title < 0 else -0.2,
            float(i <= title < blocks.end[i]),
            max((worth[child] for child in children), default=0.0) / max(1.0, worth[i]),
            math.log1p(paragraphs[i]),
            float(tag == "div"),
            float(tag in {"article", "section", "main"}),
            float(is_content_name(label)),
            float(_is_under_name(blocks, i)),
            blocks.depth[i] / 10,
        ]
        if boxes is not None:
            row += _body_box(boxes.get(i), boxes.get(title))
        found.numbers.append(i)
        found.rows.append([max(-8.0, min(12.0, value)) for value in row])
    return found


def _body_box(box: Box | None, title: Box | None) -> list[float]:
    if box is None:
        return [0.0] * len(BODY_BOXES)
    x, y, width, _height = box
    center = x + width / 2
    if title is None:
        return [width / VIEWPORT[0], 0.0, 0.0, *_center(box)]
    tx, title_width = title[0], title[2]
    below = (y - (title[1] + title[3])) / VIEWPORT[1]
    beside = (
        0.0
        if x <= tx + title_width / 2 <= x + width
        else (center - tx - title_width / 2) / VIEWPORT[0]
    )
    return [width / VIEWPORT[0], max(-3.0, min(3.0, below)), beside, *_center(box)]
