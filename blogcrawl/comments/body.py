"""What a commenter wrote: the unit minus byline, date and controls, or the element that is named as
the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author_names import drop
from blogcrawl.comments.controls import (
    attached,
    cut_edges,
    cut_last_link,
    drop_repeated,
    strip_controls,
)
from blogcrawl.comments.neighbouring_author import bare_name
from blogcrawl.comments.records import inner_html
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import AUTHOR, BODY, DATE, SAYS_ALONE, STRICT_BODY, words_of
from blogcrawl.text.visible import node_text, squeeze

_SEPARATORS = re.compile(r"^\s*[-–—|·•,:]+\s+")
_WHEN = re.compile(r"(?:^|[-_ ])(?:date|time|datetime|timestamp|timeago)(?:$|[-_ ])", re.I)
MAX_BESIDE = 80
"""Characters beside a text that is named as such: labels, a note on the writer."""
MAX_BYLINE = 400
SMALL_REST = 24
"""Characters besides name and date that a byline may hold ("says on", "Reply", "at")."""


def read_bodies(readers: Sequence[Reader], learned: Sequence[str]) -> tuple[list[str], list[str]]:
    """HTML of every unit's text (same order as ``readers``), and the signatures of the elements
    that held them.
    """
    for reader in readers:
        strip_controls(reader)
        _cut_subject(reader)
        _cut_byline(reader)
        cut_last_link(reader)
    drop_repeated(readers)
    cut_edges(readers)
    named = [_named(reader) for reader in readers]
    order = _path_order(named, learned)
    sure = _is_the_text(readers, order[0]) if order else False
    out: list[str] = []
    for reader, found in zip(readers, named, strict=True):
        by_path = dict(_at(reader, order[0])) if sure else dict(found)
        chosen = next((by_path[path] for path in order if path in by_path), reader.root)
        is_most = sure or len(node_text(chosen)) >= MOST_TEXT * len(node_text(reader.root))
        out.append(_html_of(chosen if is_most else reader.root))
    return out, list(dict.fromkeys(order))


MOST_TEXT = 0.6
"""Share of a comment's text that an element named as text holds."""


def _path_order(
    named: Sequence[Sequence[tuple[str, HtmlElement]]], learned: Sequence[str]
) -> list[str]:
    """Signatures of elements named as text: learned ones first, then those of most units."""
    seen = {path for found in named for path, _ in found}
    votes: Counter[str] = Counter(path for found in named for path, _ in found[:1])
    return [p for p in learned if p in seen] + [path for path, _ in votes.most_common()]


def _at(reader: Reader, path: str) -> list[tuple[str, HtmlElement]]:
    return [(p, e) for e, p in reader.nodes if p == path and attached(e, reader.root)][:1]


def _is_the_text(readers: Sequence[Reader], path: str) -> bool:
    """Does the element that is named as the text of most units stand once in each of them, with
    next to nothing beside it?
    """
    if len(readers) < 2 or not STRICT_BODY.search(
        words_of(" ".join(path.rpartition(">")[2].split(".")[1:]))
    ):
        return False
    for reader in readers:
        found = [e for e, p in reader.nodes if p == path and attached(e, reader.root)]
        text = node_text(found[0]) if len(found) == 1 else ""
        if not text or len(node_text(reader.root)) > len(text) + MAX_BESIDE:
            return False
    return True


_BOXES = frozenset("div section article dd li span td tr table tbody dl".split())


def _html_of(element: HtmlElement) -> str:
    node = element
    while (
        len(node) == 1
        and not squeeze(node.text)
        and not squeeze(node[0].tail)
        and node[0].tag in _BOXES
    ):
        node = node[0]
    return squeeze_edges(SAYS_ALONE.sub("", inner_html(node)))


_BREAKS = re.compile(r"(?:\s|<br\s*/?>)+")


def squeeze_edges(html: str) -> str:
    """Without the blanks and line breaks at its ends."""
    lead, end = _BREAKS.match(html), len(html)
    while end and (
        html[end - 1].isspace()
        or (html[end - 1] == ">" and _BREAKS.fullmatch(html, html.rfind("<", 0, end), end))
    ):
        end = end - 1 if html[end - 1].isspace() else html.rfind("<", 0, end)
    return html[lead.end() if lead else 0 : end]


def _names(element: HtmlElement) -> str:
    return words_of(element.get("class"))


def _cut_subject(reader: Reader) -> None:
    """A heading that is one link to the comment itself (by its number, or to itself) is its
    subject; engines fill it with the text's first words."""
    number, root = reader.unit.number, reader.root
    boxes = [
        node
        for node in root.iter("div", "p", "span")
        if "subject" in re.split(r"\W", _names(node).lower())
    ]
    for node in [*root.iter("h1", "h2", "h3", "h4", "h5", "h6", "strong", "b"), *boxes]:
        text, links = node_text(node), [a for a in node.iter("a") if _leads_here(a, number)]
        if (
            not text
            or not links
            or node_text(links[0]) != text
            or len(text) == len(node_text(root))
        ):
            continue
        if text != reader.author and find_date(text) is None:
            reader.subject = text
        drop(node)


def _leads_here(link: HtmlElement, number: str | None) -> bool:
    href = link.get("href") or ""
    own = link.get("id") or link.get("name")
    return bool(number and re.search(rf"(?:^|\D){number}$", href)) or bool(
        own and href == f"#{own}"
    )


def _cut_byline(reader: Reader) -> None:
    """Remove name and date, and everything around them that is only byline."""
    name, raw = reader.author or "", reader.date_raw or ""
    frame = reader.frame
    if frame is not None and attached(frame, reader.root) and find_date(node_text(frame)) is None:
        drop(frame)
    if name:
        _drop_name_line(reader.root, name)
    if name and reader.date_node is not None:
        for node in list(reader.date_node.itersiblings(preceding=True)):
            text = node_text(node)
            if bare_name(text) == name or re.fullmatch(r"\W*\d+\W*\w{0,2}", text):
                drop(node)
    for node in (reader.author_node, reader.date_node):
        if node is None or not attached(node, reader.root):
            continue
        top = _byline_top(node, reader.root, name, raw)
        if top is not None:
            top.tail = _SEPARATORS.sub(" ", top.tail) if top.tail else None
            drop(top)
        else:
            _cut_text(node, raw if node is reader.date_node else name)
    for node in list(reader.root.iter(etree.Element)):
        if node.getparent() is None or not attached(node, reader.root):
            continue
        if _is_byline_name(_names(node)) and _is_byline_only(node, reader.root, name, raw):
            drop(node)


def _drop_name_line(root: HtmlElement, name: str) -> None:
    """Drop the first line that is only the name: "Ann said:"."""
    for node in root.xpath(".//p|.//div|.//h2|.//h3|.//h4|.//h5"):
        if len(node) > 1 or len(text := node_text(node)) > len(name) + SMALL_REST:
            continue
        if bare_name(text) == name and node_text(root) != text:
            drop(node)
            return


def _is_byline_name(names: str) -> bool:
    """Whether the names are those of an author or a date, and not of a text."""
    if not names or BODY.search(names):
        return False
    return bool(AUTHOR.search(names) or DATE.search(names))


def _is_byline_only(node: HtmlElement, root: HtmlElement, name: str, raw: str) -> bool:
    """Whether the node holds little besides name and date. A node with all of the comment's text is
    a short comment, unless it is named a date and has a number ("#1 - 8 hours ago")."""
    rest = _rest(node_text(node), name, raw)
    if len(rest) > SMALL_REST or _holds_writing(node, name, raw):
        return False
    is_date = _WHEN.search(_names(node)) is not None and re.search(r"\d", rest) is not None
    return not rest or is_date or node_text(node) != node_text(root)


def _byline_top(node: HtmlElement, root: HtmlElement, name: str, raw: str) -> HtmlElement | None:
    """The widest element around a byline part that holds nothing but byline; None where even
    ``node`` holds more.
    """
    best: HtmlElement | None = None
    while node is not root:
        if not _may_be_byline(node, best, name, raw):
            break
        if best is not None and _holds_body(node, best, root, name, raw):
            break
        best = node
        parent = node.getparent()
        if parent is None or parent is root:
            break
        if parent.getparent() is root and len(root) == 1:
            break  # the unit's own element: there must be a body besides the byline
        node = parent
    return best


def _names_byline(names: str) -> bool:
    return bool(AUTHOR.search(names) or DATE.search(names))


def _may_be_byline(node: HtmlElement, inner: HtmlElement | None, name: str, raw: str) -> bool:
    """Whether the node holds little besides name and date; a box around the byline ``inner`` that
    has no byline's name may hold less."""
    text = node_text(node)
    limit = SMALL_REST if inner is None or _names_byline(_names(node)) else SMALL_REST // 2
    if len(text) > MAX_BYLINE or len(_rest(text, name, raw)) > limit:
        return False
    return not _holds_writing(node, name, raw)


def _holds_body(
    node: HtmlElement, byline: HtmlElement, root: HtmlElement, name: str, raw: str
) -> bool:
    """Whether a box around the byline is more than that: all of a comment however short, named as
    the text, or the comment's own element."""
    text, names = node_text(node), _names(node)
    if text == node_text(root) and _rest(text, name, raw):
        return True
    is_text = bool(BODY.search(names)) and not _names_byline(names)
    if is_text and len(text) > len(node_text(byline)) + 1:
        return True
    return node.tag in ("li", "article") and node.getparent() is root


def _holds_writing(node: HtmlElement, name: str, raw: str) -> bool:
    """A paragraph, or an element named as text, that says more than the byline does."""
    for inner in node.iterdescendants(etree.Element):
        marks = _names(inner)
        is_text = inner.tag in ("p", "blockquote", "pre") or (
            marks and BODY.search(marks) and not (AUTHOR.search(marks) or DATE.search(marks))
        )
        if is_text and _rest(node_text(inner), name, raw):
            return True
    return False


def _rest(text: str, name: str, raw: str) -> str:
    if name:
        text = text.replace(name, "", 1)
    if raw and raw in text:
        text = text.replace(raw, "", 1)
    found = find_date(text)
    if found:
        text = text[: found.span[0]] + text[found.span[1] :]
    return re.sub(r"[\W_]+", "", text)


def _cut_text(node: HtmlElement, value: str) -> None:
    """Blanks the node's own text before its first block: an unclosed element that swallowed the
    comment.
    """
    if not value:
        return
    head = squeeze(node.text)
    if head and (head in value or value in head or find_date(head)):
        node.text = None
        return
    for child in node:
        tail = squeeze(child.tail)
        if tail and (tail in value or find_date(tail)) and len(tail) < 120:
            child.tail = None
            return


def _named(reader: Reader) -> list[tuple[str, HtmlElement]]:
    """Elements named as text that hold most of what is left, the narrowest first."""
    whole = max(1, len(node_text(reader.root)))
    out: list[tuple[float, int, str, HtmlElement]] = []
    for position, (element, path) in enumerate(reader.nodes):
        if element.getparent() is None or not attached(element, reader.root):
            continue
        marks = f"{_names(element)} {element.get('itemprop') or ''}".strip()
        if not marks or not (BODY.search(marks) or "commentText" in marks):
            continue
        share = len(node_text(element)) / whole
        if share >= MOST_TEXT:
            out.append((share, position, path, element))
    # Strict text names (comment-content, commenttext) sit deepest; among those with (nearly) all
    # text the deepest is the text itself.
    out.sort(key=lambda item: -item[1])
    return [(path, element) for _, _, path, element in out]
