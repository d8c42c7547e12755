"""What a comment's box holds that nobody wrote: buttons, links, counters, pictures of heads, labels
that come back in every one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author_names import drop
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.date_headings import RELATIVE
from blogcrawl.lexicon.comment_words import BODY, CONTROL, RESIDUE, words_of
from blogcrawl.text.visible import node_text, squeeze

_JUNK_TAGS = (
    "script",
    "style",
    "form",
    "noscript",
    "button",
    "input",
    "textarea",
    "select",
    "template",
    "iframe",
    "svg",
    "object",
)
_HEADS = re.compile(r"avatar|gravatar|userpic|blank\.gif|photo(?:-|$)", re.I)
_REPLY_LINK = re.compile(
    r"replytocom|[?&]reply_?to=|#respond|/reply(?:/|$)|comment-form|javascript:|^#$", re.I
)
MAX_LABEL = 30
"""Characters of a link's label."""
SEVERAL = 3
"""Comments from which words that all of them hold at one place are a label."""
_CLICKED = ("a", "button")
_LABELS = frozenset("span small em i b strong label div sup li td h3 h4 h5 h6".split())
_WRITTEN = frozenset("p blockquote pre code a em i b strong".split())
_COUNTER = re.compile(r"[\W\d]*\d[\W\d]{0,11}")


def strip_controls(reader: Reader) -> None:
    """Removes what nobody wrote: scripts, pictures of heads, buttons, links to the
    comment itself.
    """
    root = reader.root
    keep = _lone_body(reader)
    bylines = {
        above
        for node in (reader.author_node, reader.date_node)
        if node is not None
        for above in node.iterancestors()
    }
    for node in list(root.iter(etree.Element)):
        if node is root or node.getparent() is None or node.getparent() is root:
            continue
        classes, href = (
            f"{words_of(node.get('class'))} {node.get('itemprop') or ''}".strip(),
            node.get("href") or "",
        )
        if (
            node.tag in _JUNK_TAGS
            or (
                len(node) == 0
                and 4 < len(node.text or "") <= MAX_LABEL
                and RELATIVE.fullmatch(squeeze(node.text))
            )
            or (node.tag == "img" and _HEADS.search(f"{classes} {node.get('src') or ''}"))
            or (
                classes
                and CONTROL.search(classes)
                and node is not keep
                and not _is_written(node, classes, bylines)
            )
            or (node.tag == "a" and _REPLY_LINK.search(href) and len(node_text(node)) < 40)
            or (
                node.tag == "a"
                and re.fullmatch(r"(?:[^#]*)#(?:comment-?|c)?[\w-]+", href)
                and re.fullmatch(r"[#¶∞§\d\W]*|(?:perma)?link|permalink", node_text(node), re.I)
            )
        ):
            if node.tail and re.fullmatch(r"[\s|·•]*", node.tail):
                node.tail = " "  # a bar between two links stands alone when they are gone
            drop(node)


def _is_written(node: HtmlElement, classes: str, bylines: set[HtmlElement]) -> bool:
    """Is what a control's name is given to the comment itself ("reply")? It is long, or it holds
    byline and text.
    """
    if BODY.fullmatch(classes) or len(node_text(node)) >= 120:
        return True
    return node in bylines and any(
        BODY.search(words_of(e.get("class"))) or e.tag == "p"
        for e in node.iterdescendants(etree.Element)
    )


def _lone_body(reader: Reader) -> HtmlElement | None:
    return max(
        (e for e, _ in reader.nodes if BODY.search(words_of(e.get("class")))),
        key=lambda e: len(node_text(e)),
        default=None,
    )


def drop_repeated(readers: Sequence[Reader]) -> None:
    """Removes what says the same in every unit (links and buttons: "Reply", "Source"; labels:
    "Guest"), counters, and what is left empty around them."""
    if len(readers) < 2:
        return
    seen: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    for reader in readers:
        said = {(path, node_text(e)) for e, path in reader.nodes if _may_be_label(e, reader)}
        seen.update({(path, _but_digits(text)) for path, text in said})
        counts.update({path for path, text in said if _COUNTER.fullmatch(text)})
    for reader in readers:
        for element, path in reader.nodes:
            if not _may_be_label(element, reader):
                continue
            text = node_text(element)
            often = 0.9 * len(readers)
            label = (
                0 < len(text) <= MAX_LABEL
                and seen[path, _but_digits(text)] >= often
                and (element.tag in _CLICKED or len(readers) >= SEVERAL)
            )
            if not label and not (_COUNTER.fullmatch(text) and counts[path] >= often):
                continue
            above = element.getparent()
            drop(element)
            while (
                above is not None
                and above.getparent() is not reader.root
                and above is not reader.root
                and _is_bare(above)
            ):
                element, above = above, above.getparent()
                drop(element)


def _but_digits(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def _may_be_label(element: HtmlElement, reader: Reader) -> bool:
    if element.tag not in _CLICKED and (element.tag not in _LABELS or len(element)):
        return False
    if not attached(element, reader.root):
        return False
    return element.tag in _CLICKED or node_text(element) != node_text(reader.root)


def _is_bare(element: HtmlElement) -> bool:
    """Nothing left but marks and short links."""
    text, linked = node_text(element), "".join(node_text(a) for a in element.iter("a"))
    return (
        len(text) <= MAX_LABEL
        and not element.xpath(".//img")
        and not re.search(r"\w", text.replace(linked, ""))
    )


def cut_last_link(reader: Reader) -> None:
    """Removes a last block that is one link within the site, beside a text: "Reply to this
    message".
    """
    last = next(
        (
            node
            for node in reversed(list(reader.root.iter("p", "div", "li", "span")))
            if node_text(node)
        ),
        None,
    )
    links = list(last.iter("a")) if last is not None else []
    if (
        last is None
        or len(links) != 1
        or not attached(last, reader.root)
        or not node_text(reader.root).endswith(node_text(last))
    ):
        return
    label, href = node_text(links[0]), links[0].get("href") or ""
    inside = not re.match(r"(?:\w+:)?//", href) or "nofollow" in (links[0].get("rel") or "")
    if (
        0 < len(label) <= MAX_LABEL
        and label == node_text(last) != node_text(reader.root)
        and href
        and inside
    ):
        drop(last)


def attached(node: HtmlElement, root: HtmlElement) -> bool:
    """Does the node still stand below ``root``?"""
    above = node.getparent()
    while above is not None and above is not root:
        above = above.getparent()
    return above is not None


def cut_edges(readers: Sequence[Reader]) -> None:
    """Removes bare words of the byline that stand before or after the text: in all of several
    units, or such as bylines are made of.
    """
    for first in (True, False):
        for _ in range(3):
            pieces = [_edge(reader.root, first) for reader in readers]
            same = Counter(squeeze(text) for _, _, text in filter(None, pieces))
            cut = False
            for reader, piece in zip(readers, pieces, strict=True):
                if piece is None:
                    continue
                element, place, text = piece
                words = squeeze(text)
                common = (
                    len(readers) >= SEVERAL
                    and len(words) <= MAX_LABEL
                    and same[words] >= 0.9 * len(readers)
                )
                if (common or (first and RESIDUE.fullmatch(words))) and words != node_text(
                    reader.root
                ):
                    setattr(element, place, " ")
                    cut = True
            if not cut:
                break


def _edge(root: HtmlElement, first: bool) -> tuple[HtmlElement, str, str] | None:
    """The first or last bare text of a unit that is no paragraph's: its element, which of its texts
    it is, and the text.
    """
    found = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str) or (event == "end" and element is root):
            continue
        text = element.text if event == "start" else element.tail
        if text and not text.isspace():
            owner = element if event == "start" else element.getparent()
            found = (
                None
                if owner is None or owner.tag in _WRITTEN
                else (element, "text" if event == "start" else "tail", text)
            )
            if first:
                return found
    return found
