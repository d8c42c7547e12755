"""What stands inside a guessed node and leads elsewhere: told by structure alone, so that it holds
in every language.

Blocks that are links and nothing else (lists of other posts, "read also" lines, menus), cards with
a linked heading, what stands before the heading, what follows the comments, and the labels above
such things.
"""

from __future__ import annotations

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import BOUNDARIES, Blocks
from blogcrawl.dom.density import LANDMARKS, worths
from blogcrawl.extraction.fields.byline import found as selected
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import entry_key, same_site

LINKED = 0.7
"""Share of a block's letters from which it is links and nothing else."""
MOST = 0.6
"""Share of the node's letters beyond which links are what the post is about."""
CARD = 500.0
"""Letters of a card at most."""
LABEL, LINE = 60.0, 300.0
"""Letters of a label at most, and of a paragraph's links that are no sentence of the post."""
BEFORE, AFTER = 0.3, 0.6
"""Share of the worth that may stand before the heading; share that must stand before
the comments.
"""
HALF = 0.5
"""Share of a small box's letters that are links to the site's own pages."""
FEW, WORD = 3, 15.0
"""Links of a bar at least, and letters that each has at most."""
SENTENCE, ENOUGH = 80.0, 3
"""Letters of a block that is prose, and how many such blocks a node has whose end is looked at."""
LEFT = 400.0
"""Letters that must be left beside what is named as other posts."""
AD_LABEL = 30.0
_AD_LABELS = frozenset(
    "ad ads advert advertisement advertisements advertising sponsored anzeige werbung reklama "
    "reklame reklam reclame advertentie publicidad"
    " publicidade publicité pubblicità annonce annons annonse mainos hirdetés oglas inzerce "
    "anunț iklan реклама διαφήμιση פרסומת إعلان"
    " 広告 スポンサーリンク スポンサードリンク 广告 廣告 광고".split()
)
"""What stands above an advertisement, as laws of most countries have it."""
_SHOWN, _SHOWN_AFTER = (
    etree.XPath(
        f"{axis}::*[self::img or self::picture or self::video or self::audio or self::iframe or "
        f"self::object or self::embed or self::svg]"
    )
    for axis in ("descendant", "following")
)
_BOXES = frozenset("div section ul ol".split())
_TABLES = frozenset("table tbody thead tfoot tr td th pre dl".split())
_KEPT = frozenset("li td pre".split())
_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())


def unrelated(page: Page, blocks: Blocks, number: int, title: int | None) -> set[HtmlElement]:
    """Elements inside the node that are not of the post."""
    found = _links(page, blocks, number)
    found |= _emptied(blocks, number, found)
    found |= set(_asides(blocks, number))
    found |= _related(blocks, number)
    found |= {i for box in list(found) if (i := _label_above(blocks, box, number)) is not None}
    found |= _around(blocks, number, title)
    found |= _below(page, blocks, number)
    found |= {
        i
        for i in range(number + 1, blocks.end[number])
        if blocks.tags[i] == "time" and _stands_alone(blocks.elements[i])
    }
    found |= {
        i
        for i in range(number + 1, blocks.end[number])
        if 0 < blocks.plain[i] <= AD_LABEL and is_ad_label(blocks.elements[i])
    }
    found |= _last_labels(blocks, number, found)
    return {blocks.elements[i] for i in found}


def _letters(blocks: Blocks, i: int) -> float:
    return blocks.all_plain[i] + blocks.all_linked[i]


def _asides(blocks: Blocks, number: int) -> list[int]:
    limit = 0.3 * _letters(blocks, number)
    return [
        i
        for i in range(number + 1, blocks.end[number])
        if blocks.tags[i] == "aside" and _letters(blocks, i) <= limit
    ]


def _related(blocks: Blocks, number: int) -> set[int]:
    """What is named as other posts and links to them, however long it is, where enough else is
    left.
    """
    found, i = set(), number + 1
    while i < blocks.end[number]:
        is_list = blocks.kind[i] == "related" and blocks.all_linked[i] > 0
        if is_list and not any(tag in LANDMARKS for tag in blocks.tags[i : blocks.end[i]]):
            found.add(i)
            i = blocks.end[i]
        else:
            i += 1
    left = blocks.all_plain[number] - sum(blocks.all_plain[i] for i in found)
    return found if left >= LEFT else set()


def _links(page: Page, blocks: Blocks, number: int) -> set[int]:
    """Outermost blocks of links and cards; none where they are most of the node."""
    found: set[int] = set()
    i = number + 1
    while i < blocks.end[number]:
        if blocks.tags[i] in _TABLES:
            i = blocks.end[i]
            continue
        if blocks.tags[i] in BOUNDARIES and _is_elsewhere(page, blocks, i):
            found.add(i)
            i = blocks.end[i]
            continue
        i += 1
    return (
        found
        if sum(_letters(blocks, i) for i in found) <= MOST * _letters(blocks, number)
        else set()
    )


def _is_elsewhere(page: Page, blocks: Blocks, i: int) -> bool:
    if _is_linked(blocks, i) and (_is_bar(blocks, i) or _stays(page, blocks, i)):
        return True
    letters = _letters(blocks, i)
    is_box = (
        blocks.tags[i] in _BOXES and letters <= CARD and blocks.all_linked[i] >= HALF * letters > 0
    )
    return (is_box and _stays(page, blocks, i)) or _is_card(page, blocks, i)


def _is_bar(blocks: Blocks, i: int) -> bool:
    """Several links of a word or two: buttons for sharing, pages of a list."""
    count = sum(blocks.tags[k] == "a" for k in range(i, blocks.end[i]))
    return blocks.tags[i] in _BOXES and count >= FEW and blocks.all_linked[i] <= WORD * count


def _is_linked(blocks: Blocks, i: int) -> bool:
    plain, linked = blocks.all_plain[i], blocks.all_linked[i]
    if (
        blocks.tags[i] in _HEADINGS
        or blocks.tags[i] == "li"
        or linked <= 0
        or linked < LINKED * (plain + linked)
    ):
        return False
    return blocks.tags[i] != "p" or (
        plain <= LABEL and linked <= LINE and not _is_sentence(blocks, i)
    )


def _is_sentence(blocks: Blocks, i: int) -> bool:
    """Whether a sentence begins before and ends behind the links of a paragraph."""
    anchors = [blocks.elements[k] for k in range(i, blocks.end[i]) if blocks.tags[k] == "a"]
    return bool(anchors) and (anchors[-1].tail or "").rstrip().endswith((".", "!", "?", "…", "。"))


def _stays(page: Page, blocks: Blocks, i: int) -> bool:
    """Whether most links of a block lead to the site's own pages: what a post itself points to
    mostly lies elsewhere.
    """
    hrefs = [
        href
        for k in range(i, blocks.end[i])
        if blocks.tags[k] == "a" and (href := blocks.elements[k].get("href"))
    ]
    return 2 * sum(_is_own(page, href) for href in hrefs) > len(hrefs) if hrefs else True


def _is_own(page: Page, href: str) -> bool:
    if href.startswith("#"):  # a table of contents is the author's
        return False
    url = page.absolute(href)
    return (
        href.lstrip().lower().startswith("javascript:") if url is None else same_site(url, page.url)
    )


def _is_card(page: Page, blocks: Blocks, i: int) -> bool:
    """A small box whose heading is a link to another page of the site."""
    if blocks.tags[i] in _HEADINGS or _letters(blocks, i) > CARD:
        return False
    for j in range(i + 1, blocks.end[i]):
        if blocks.tags[j] in _HEADINGS and blocks.all_linked[j] > blocks.all_plain[j]:
            anchor = next((k for k in range(j, blocks.end[j]) if blocks.tags[k] == "a"), None)
            if anchor is None:  # the heading stands inside the link
                anchor = next(
                    (k for k in range(j, i, -1) if blocks.tags[k] == "a" and blocks.end[k] > j),
                    None,
                )
            href = blocks.elements[anchor].get("href") if anchor is not None else None
            if (
                href
                and not href.startswith("#")
                and _is_own(page, href)
                and entry_key(page.absolute(href) or "") != entry_key(page.url)
            ):
                return True
    return False


def _emptied(blocks: Blocks, number: int, found: set[int]) -> set[int]:
    """Boxes around what is dropped in which no more than a label would be left."""
    gone = [0.0] * (blocks.end[number] - number)
    for i in found:
        step = blocks.parent[i]
        while step > number:
            gone[step - number] += _letters(blocks, i)
            step = blocks.parent[step]
    return {
        number + k
        for k, letters in enumerate(gone)
        if letters > 0 and _letters(blocks, number + k) - letters <= LABEL
    }


def _label_above(blocks: Blocks, box: int, number: int) -> int | None:
    """The heading or short line right before a box."""
    above = blocks.parent[box]
    last = None
    for i in blocks.children(above):
        if i == box:
            break
        last = i
    if last is None or last <= number or not 0 < _letters(blocks, last) <= LABEL:
        return None
    element = blocks.elements[last]
    if (element.tail or "").strip() or blocks.tags[last] not in BOUNDARIES:
        return None
    is_strong = any(
        _letters(blocks, i) == 0 and blocks.tags[i] in {"b", "strong"}
        for i in range(last + 1, blocks.end[last])
    )
    is_label = blocks.tags[last] in _HEADINGS or (
        blocks.tags[last] not in {"li", "figure"} and (is_strong or _last(element) == ":")
    )
    return last if is_label and _last(element) not in ".!…" else None


def _last(element: HtmlElement) -> str:
    return node_text(element)[-1:]


def _around(blocks: Blocks, number: int, title: int | None) -> set[int]:
    """What stands before the heading inside the node, and what follows the comments."""
    worth = worths(blocks)
    found: set[int] = set()
    whole = max(1.0, worth[number])
    if title is not None and number < title < blocks.end[number]:
        before = _outside(blocks, number, number + 1, title)
        if sum(max(0.0, worth[i]) for i in before) <= BEFORE * whole:
            found.update(
                i
                for i in before
                if not any(
                    blocks.tags[k] in {"img", "picture", "video"} for k in range(i, blocks.end[i])
                )
            )
    comments = next(
        (
            i
            for i in range(number + 1, blocks.end[number])
            if blocks.kind[i] == "comments" and _letters(blocks, i) > CARD
        ),
        None,
    )
    if comments is not None:
        after = _outside(blocks, number, blocks.end[comments], blocks.end[number])
        if sum(max(0.0, worth[i]) for i in after) <= (1 - AFTER) * whole:
            found.update(after)
    return found


def _below(page: Page, blocks: Blocks, number: int) -> set[int]:
    """Headings, labels, notices of rights and links to the site's own pages behind the last
    paragraph.
    """
    held = (
        i for i in range(number + 1, blocks.end[number]) if blocks.plain[i] + blocks.linked[i] > 0
    )
    own = [i for i in held if blocks.tags[i] in BOUNDARIES]
    written = [i for i in own if blocks.plain[i] >= SENTENCE and blocks.ends[i]]
    if len(written) < ENOUGH:
        return set()
    found = set()
    for i in own:
        if (
            i <= written[-1]
            or _letters(blocks, i) > LABEL
            or blocks.ends[i]
            or blocks.tags[i] in _KEPT
        ):
            continue
        text = node_text(blocks.elements[i])
        is_linked = blocks.all_linked[i] >= HALF * _letters(blocks, i) and _stays(page, blocks, i)
        if blocks.tags[i] in _HEADINGS or is_linked or "\N{COPYRIGHT SIGN}" in text:
            found.add(i)
    return found


def is_ad_label(element: HtmlElement) -> bool:
    """Whether an element says that what follows is an advertisement, and nothing else."""
    return node_text(element).strip(" -–—:.*|[]()").casefold() in _AD_LABELS


def _last_labels(blocks: Blocks, number: int, found: set[int]) -> set[int]:
    """Short lines that end with a colon where what they announce is not of the post, or nothing."""
    labels: set[int] = set()
    gone = {k for i in found for k in range(i, blocks.end[i])}
    for i in range(blocks.end[number] - 1, number, -1):
        if i in gone or blocks.tags[i] not in BOUNDARIES or blocks.plain[i] + blocks.linked[i] <= 0:
            continue
        if (
            _letters(blocks, i) > LABEL
            or blocks.tags[i] in _KEPT
            or _last(blocks.elements[i]) != ":"
            or _shows(blocks, number, i)
        ):
            break
        labels.add(i)
    return labels


def _shows(blocks: Blocks, number: int, i: int) -> bool:
    """Whether a picture, film or list stands in the block or behind it."""
    element, node = blocks.elements[i], blocks.elements[number]
    return bool(selected(_SHOWN, element)) or any(
        node in shown.iterancestors() for shown in selected(_SHOWN_AFTER, element)
    )


def _stands_alone(element: HtmlElement) -> bool:
    """Whether nothing stands beside an inline element in its parent."""
    above = element.getparent()
    if above is None or (above.text or "").strip() or (element.tail or "").strip():
        return False
    before = element.getprevious()
    return before is None or not (before.tail or "").strip()


def _outside(blocks: Blocks, number: int, start: int, stop: int) -> list[int]:
    """Outermost elements with text that lie wholly between two places of the node."""
    out, i = [], start
    while i < stop:
        if blocks.end[i] <= stop and _letters(blocks, i) > 0:
            out.append(i)
            i = blocks.end[i]
        else:
            i += 1
    return out
