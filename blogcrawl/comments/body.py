"""What a commenter wrote: the element named as the text, or the unit without byline, date and user
interface."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author import bare_name, drop
from blogcrawl.comments.records import inner_html
from blogcrawl.comments.unit import Reader
from blogcrawl.dates.parse import find_date
from blogcrawl.dates.relative import is_relative
from blogcrawl.lexicon.comment_words import (
    AUTHOR,
    BODY,
    CONTROL,
    DATE,
    RESIDUE,
    SAYS_ALONE,
    STRICT_BODY,
    words_of,
)
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
        if "subject" in (names := _names(node).lower()) and "subject" in re.split(r"\W", names)
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
        is_named = _is_byline_name(_names(node)) and attached(node, reader.root)
        if is_named and _is_byline_only(node, reader.root, name, raw):
            drop(node)


def _drop_name_line(root: HtmlElement, name: str) -> None:
    """Drop the first line that is only the name: "Ann said:"."""
    for node in root.iter("p", "div", "h2", "h3", "h4", "h5"):
        if node is root or len(node) > 1:
            continue
        text = node_text(node)
        if len(text) > len(name) + SMALL_REST or not set(name) <= {*text, " "}:
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
        marks = f"{_names(element)} {element.get('itemprop') or ''}".strip()
        if not marks or not (BODY.search(marks) or "commentText" in marks):
            continue
        if not attached(element, reader.root):
            continue
        share = len(node_text(element)) / whole
        if share >= MOST_TEXT:
            out.append((share, position, path, element))
    # Strict text names (comment-content, commenttext) sit deepest; among those with (nearly) all
    # text the deepest is the text itself.
    out.sort(key=lambda item: -item[1])
    return [(path, element) for _, _, path, element in out]
