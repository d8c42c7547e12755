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
from blogcrawl.dates.relative import is_relative
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
    """Remove the user interface from a comment: scripts, avatars, buttons, links to the comment
    itself.
    """
    root = reader.root
    body = _lone_body(reader)
    marked = [node for node in (reader.author_node, reader.date_node) if node is not None]
    bylines = {above for node in marked for above in node.iterancestors()}
    for node in list(root.iter(etree.Element)):
        if node is root or node.getparent() is None or node.getparent() is root:
            continue
        is_link = node.tag == "a" and _is_control_link(node)
        if is_link or _is_widget(node) or (node is not body and _is_control(node, bylines)):
            if node.tail and re.fullmatch(r"[\s|·•]*", node.tail):
                node.tail = " "  # a bar between two links stands alone when they are gone
            drop(node)


def _is_widget(node: HtmlElement) -> bool:
    """Whether the node is a script, a form, an avatar or a relative date ("3 days ago")."""
    if node.tag in _JUNK_TAGS:
        return True
    if node.tag == "img":
        return _HEADS.search(f"{_names_of(node)} {node.get('src') or ''}") is not None
    is_short = len(node) == 0 and 4 < len(node.text or "") <= MAX_LABEL
    return is_short and is_relative(squeeze(node.text))


def _is_control_link(link: HtmlElement) -> bool:
    """Whether the link answers a comment or leads to it."""
    href = link.get("href") or ""
    if _REPLY_LINK.search(href) and len(node_text(link)) < 40:
        return True
    return bool(
        re.fullmatch(r"(?:[^#]*)#(?:comment-?|c)?[\w-]+", href)
        and re.fullmatch(r"[#¶∞§\d\W]*|(?:perma)?link|permalink", node_text(link), re.I)
    )


def _is_control(node: HtmlElement, bylines: set[HtmlElement]) -> bool:
    names = _names_of(node)
    return bool(names and CONTROL.search(names)) and not _is_written(node, names, bylines)


def _names_of(node: HtmlElement) -> str:
    return f"{words_of(node.get('class'))} {node.get('itemprop') or ''}".strip()


def _is_written(node: HtmlElement, classes: str, bylines: set[HtmlElement]) -> bool:
    """Whether a node with a control's name ("reply") is the comment itself: it is long, or it holds
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
    """Remove what has the same text in every unit (links and buttons: "Reply", "Source"; labels:
    "Guest"), counters, and what is left empty around them."""
    if len(readers) < 2:
        return
    seen: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    for reader in readers:
        texts = _label_texts(reader)
        seen.update({(path, _but_digits(text)) for path, text in texts})
        counts.update({path for path, text in texts if _COUNTER.fullmatch(text)})
    often = 0.9 * len(readers)

    def is_repeated(element: HtmlElement, path: str) -> bool:
        text = node_text(element)
        if _COUNTER.fullmatch(text) and counts[path] >= often:
            return True
        may_be_label = element.tag in _CLICKED or len(readers) >= SEVERAL
        is_short = 0 < len(text) <= MAX_LABEL
        return may_be_label and is_short and seen[path, _but_digits(text)] >= often

    for reader in readers:
        for element, path in reader.nodes:
            if _may_be_label(element, reader) and is_repeated(element, path):
                _drop_with_bare_parents(element, reader.root)


def _drop_with_bare_parents(element: HtmlElement, root: HtmlElement) -> None:
    """Drop the element and the boxes above it that are left without text, but for the unit's own
    and those right below it."""
    above = element.getparent()
    drop(element)
    while above is not None and root not in (above, above.getparent()) and _is_bare(above):
        element, above = above, above.getparent()
        drop(element)


def _label_texts(reader: Reader) -> set[tuple[str, str]]:
    return {(path, node_text(e)) for e, path in reader.nodes if _may_be_label(e, reader)}


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
