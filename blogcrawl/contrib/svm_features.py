"""Features of title and body candidates (blog-pages-extractor-svm, section IV), and their stand-ins
where nothing is rendered.

The paper's: normalised centre of the rectangle, font size, length in words, link state, ending;
width share, vertical and horizontal place relative to the title, punctuation marks. Font size is
the height of a short text's rectangle. Without rectangles the place in document order and the tag
take the place of the place on the screen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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
_INLINE_TAGS = frozenset("p span font li".split())
_TITLE_WORDS = frozenset("title titulo titre titel headline heading".split())


@dataclass(slots=True)
class Candidates:
    """Element numbers in ``Blocks`` and a row of features for each."""

    numbers: list[int]
    rows: list[list[float]]


def boxes_by_number(page: Page, blocks: Blocks) -> dict[int, Box] | None:
    """Return the rendered rectangles by element number; None where the page was not rendered."""
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
    """Return every element with a short text, the innermost of those with the same text (title
    subtrees of the paper).
    """
    blocks = blocks_of(page)
    letters = [a + b for a, b in zip(blocks.all_plain, blocks.all_linked, strict=True)]
    numbers = list(islice(_short_texts(blocks, letters), MAX_CANDIDATES))
    if not numbers:
        return Candidates([], [])
    facts = _TitleFacts.of(page, blocks)
    rows = [facts.row(i, letters[i]) for i in numbers]
    if boxes is not None:
        for i, row in zip(numbers, rows, strict=True):
            row += _title_box(boxes.get(i), letters[i])
    return _with_rank(Candidates(numbers, rows))


def _short_texts(blocks: Blocks, letters: Sequence[float]) -> Iterator[int]:
    """Yield the blocks with a short text of which no child block holds all."""
    for i, tag in enumerate(blocks.tags):
        if (
            0 < letters[i] <= MAX_TITLE
            and tag in BOUNDARIES
            and not any(
                letters[child] == letters[i] and blocks.tags[child] in BOUNDARIES
                for child in blocks.children(i)
            )
        ):
            yield i


@dataclass(frozen=True, slots=True)
class _TitleFacts:
    """What the features of title candidates are relative to."""

    blocks: Blocks
    document: str
    """The document's title, case folded."""
    host: str
    names: frozenset[str]
    """The site's."""
    counts: Mapping[str, int]
    """Of elements by tag."""
    worth_after: Sequence[float]
    """Of each element, as a share of the best worth."""

    @classmethod
    def of(cls, page: Page, blocks: Blocks) -> _TitleFacts:
        worth = worths(blocks) if blocks.tags else []
        total = max(1.0, max(worth, default=1.0))
        return cls(
            blocks,
            fold(document_title(page)).casefold(),
            urlsplit(page.url).netloc,
            site_names(page),
            Counter(blocks.tags),
            [value / total for value in _worth_after(blocks, worth)],
        )

    def row(self, i: int, letters: float) -> list[float]:
        """Return the features of an element that need no rectangles."""
        blocks, tag = self.blocks, self.blocks.tags[i]
        text = node_text(blocks.elements[i])
        folded = fold(text).casefold()
        state, is_home = _link_state(blocks, i, self.host)
        inside = bool(folded) and folded in self.document
        return [
            math.log1p(len(text.split()) if letters == len(text) else letters / 5),
            *(float(state == name) for name in ("none", "internal", "external")),
            float(text[-1:] in ":;.。：；"),
            i / len(blocks.tags),
            *(float(tag == name) for name in ("h1", "h2", "h3")),
            float(tag in {"h1", "h2", "h3", "h4", "h5", "h6"}),
            math.log1p(self.counts[tag]),
            float(inside),
            len(folded) / max(1, len(self.document)) if inside else 0.0,
            float(not _TITLE_WORDS.isdisjoint(words_of(_label(blocks, i)))),
            float(_is_under_name(blocks, i)),
            blocks.depth[i] / 10,
            self.worth_after[i],
            float(is_home),
            float(is_site_name(text, self.names)),
        ]


def _label(blocks: Blocks, i: int) -> str:
    """Return class, id and itemprop of an element."""
    get = blocks.elements[i].get
    return " ".join(get(name) or "" for name in ("class", "id", "itemprop"))


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
    """Return worth of the best sibling (or parent's sibling, twice up) that comes after an element:
    what a title heads.
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
                parts = urlsplit(blocks.elements[j].get("href", ""))
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
    """Return equation 1 of the paper: (centre - browser centre) / ||browser centre||."""
    x, y, width, height = box
    norm = math.hypot(VIEWPORT[0] / 2, VIEWPORT[1] / 2)
    return (x + width / 2 - VIEWPORT[0] / 2) / norm, max(
        -5.0, min(20.0, (y + height / 2 - VIEWPORT[1] / 2) / norm)
    )


def body_candidates(page: Page, boxes: dict[int, Box] | None, titles: list[int]) -> Candidates:
    """Return every container with text or a picture; features relative to the nearest of ``titles``
    before it.
    """
    blocks = blocks_of(page)
    found = Candidates([], [])
    if not blocks.tags:
        return found
    facts = _BodyFacts.of(blocks)
    for i in islice(facts.containers(), MAX_CANDIDATES):
        title = max((t for t in titles if t < blocks.end[i]), default=-1)
        row = facts.row(i, title)
        if boxes is not None:
            row += _body_box(boxes.get(i), boxes.get(title))
        found.numbers.append(i)
        found.rows.append([max(-8.0, min(12.0, value)) for value in row])
    return found


@dataclass(frozen=True, slots=True)
class _BodyFacts:
    """What the features of body candidates are relative to."""

    blocks: Blocks
    worth: Sequence[float]
    best: float
    """The highest worth."""
    letters: float
    """Of the page, without links."""
    paragraphs: Sequence[float]
    """Inside each element."""

    @classmethod
    def of(cls, blocks: Blocks) -> _BodyFacts:
        worth = worths(blocks)
        paragraphs = blocks.sums([float(tag == "p") for tag in blocks.tags])
        return cls(blocks, worth, max(1.0, *worth), max(1.0, blocks.all_plain[0]), paragraphs)

    def containers(self) -> Iterator[int]:
        """Yield the elements that hold enough text of worth; inline ones only with half of the
        page's best worth.
        """
        least = max(20.0, LEAST * self.letters)
        least_inline = max(least, 0.5 * self.best)
        for i, tag in enumerate(self.blocks.tags):
            if (
                tag in _BODY_TAGS
                and self.worth[i] > 0
                and self.blocks.all_plain[i] >= (least_inline if tag in _INLINE_TAGS else least)
            ):
                yield i

    def row(self, i: int, title: int) -> list[float]:
        """Return the features of an element that need no rectangles; ``title``: the number of the
        title before it, or -1.
        """
        blocks, tag = self.blocks, self.blocks.tags[i]
        plain, linked = blocks.all_plain[i], blocks.all_linked[i]
        best_child = max((self.worth[child] for child in blocks.children(i)), default=0.0)
        return [
            math.log1p(plain / 5),
            math.log1p(blocks.all_marks[i]),
            float(plain < 1500 and node_text(blocks.elements[i]).endswith(("…", "..."))),
            plain / self.letters,
            self.worth[i] / self.best,
            linked / (plain + linked),
            i / len(blocks.tags),
            float(0 <= title < i),
            _distance(title, i),
            float(i <= title < blocks.end[i]),
            best_child / max(1.0, self.worth[i]),
            math.log1p(self.paragraphs[i]),
            float(tag == "div"),
            float(tag in {"article", "section", "main"}),
            float(is_content_name(_label(blocks, i))),
            float(_is_under_name(blocks, i)),
            blocks.depth[i] / 10,
        ]


def _distance(title: int, i: int) -> float:
    """Return how far an element comes after the title (number -1: no title)."""
    if title < 0:
        return 2.0
    return (i - title) / 50 if title < i else -0.2


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
