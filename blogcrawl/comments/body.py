"""What a commenter wrote: the element named as the text, or the unit without byline, date and user
interface."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from html import escape
from itertools import chain, islice

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.author import bare_name, drop
from blogcrawl.comments.markup import REPLY_LINK, Markup, markup_of
from blogcrawl.comments.records import inner_html
from blogcrawl.comments.unit import Reader
from blogcrawl.core.evidence import MAJORITY, MOST, NEAR, SEVERAL
from blogcrawl.dates.parse import find_date
from blogcrawl.dates.relative import is_relative
from blogcrawl.lexicon.comment_words import (
    BODY,
    RESIDUE,
    SAYS_ALONE,
    STRICT_BODY,
    words_of,
)
from blogcrawl.text.lengths import MAX_CONTROL, MAX_LINE, MIN_PARAGRAPH, MIN_SENTENCE
from blogcrawl.text.visible import BLOCK_TAGS, is_longer, node_text, squeeze, stripped

_JUNK_TAGS = frozenset(
    "script style form noscript button input textarea select template iframe svg object".split()
)
_TO_COMMENT = re.compile(r"(?:[^#]*)#(?:comment-?|c)?[\w-]+")
_PERMALINK = re.compile(r"[#¶∞§\d\W]*|(?:perma)?link|permalink", re.I)
_HEADS = re.compile(r"avatar|gravatar|userpic|blank\.gif|photo(?:-|$)", re.I)
_CLICKED = ("a", "button")
_LABELS = frozenset("span small em i b strong label div sup li td h3 h4 h5 h6".split())
_LABEL_TAGS = _LABELS.union(_CLICKED)
_WRITTEN = frozenset("p blockquote pre code a em i b strong".split())
_COUNTER = re.compile(r"[\W\d]*\d[\W\d]{0,11}")


_BARS = re.compile(r"[\s|·•/]*")


def strip_controls(reader: Reader) -> None:
    """Remove the user interface from a comment: scripts, avatars, buttons, links to the comment
    itself. A link around the date is cut later, with the name before it.
    """
    bylines = _byline_boxes(reader) if reader.has_controls or reader.further else ()
    body = _lone_body(reader) if reader.has_controls else None
    for node, _, markup in chain(reader.nodes, reader.further):
        is_control = markup.is_control and _is_control(node, markup, body, bylines)
        if not is_control and not _is_interface(node, markup):
            continue
        if node.getparent() in (None, reader.root) or reader.date_node in node.iter():
            continue
        if node.tail and _BARS.fullmatch(node.tail):
            node.tail = " "  # a bar between two links stands alone when they are gone
        _drop_brackets(node)
        reader.drop(node)


def _drop_brackets(node: HtmlElement) -> None:
    """Remove the brackets around a node: "(Reply)"."""
    before, above = node.getprevious(), node.getparent()
    text = (above.text if before is None else before.tail) or ""
    if _OPENED.search(text) and (closed := _CLOSED.match(node.tail or "")):
        node.tail = node.tail[closed.end() :]
        if before is None:
            above.text = _OPENED.sub("", text)
        else:
            before.tail = _OPENED.sub("", text)


_OPENED, _CLOSED = re.compile(r"[(\[]\s*$"), re.compile(r"\s*[)\]]")


def _byline_boxes(reader: Reader) -> set[HtmlElement]:
    """Return the elements around name and date."""
    marked = [node for node in (reader.author_node, reader.date_node) if node is not None]
    return {above for node in marked for above in node.iterancestors()}


def _is_interface(node: HtmlElement, markup: Markup) -> bool:
    """Return whether the node is a script, a form, an avatar, a relative date ("3 days ago") or a
    link to the comment."""
    tag = markup.tag
    if tag in _JUNK_TAGS:
        return True
    if tag == "img":
        return _HEADS.search(f"{markup.names} {node.get('src') or ''}") is not None
    if (tag == "a" and _is_control_link(node)) or (tag == "span" and _answers(node)):
        return True
    if len(node):
        return False
    text = node.text or ""
    return 4 < len(text) <= MAX_CONTROL and is_relative(squeeze(text))


def _answers(span: HtmlElement) -> bool:
    """Return whether a click on a short text runs what answers the comment."""
    script = span.get("onclick")
    is_reply = script is not None and _REPLY_SCRIPT.search(script) is not None
    return is_reply and len(node_text(span)) <= MAX_CONTROL


_REPLY_SCRIPT = re.compile(r"(?:reply|respond|quote)\w{0,30}\(", re.I)
"""In what a click runs: a plugin's function that answers the comment or quotes it."""


def _is_control_link(link: HtmlElement) -> bool:
    """Return whether the link answers a comment, does something on the page or leads to it."""
    href = link.get("href") or ""
    is_command = _is_button(link) or REPLY_LINK.search(href) is not None or _leads_here(link, None)
    if is_command and len(node_text(link)) < 40:
        return True
    return bool(_TO_COMMENT.fullmatch(href) and _PERMALINK.fullmatch(node_text(link)))


def _is_button(link: HtmlElement) -> bool:
    """Return whether a link runs a script on the page, or has no address and marks no place."""
    href = link.get("href") or ""
    if href in ("", "#"):
        return href == "#" or not (link.get("name") or link.get("id"))
    return "javascript:" in href.lower() or (href[0] == "#" and link.get("onclick") is not None)


def _is_control(
    node: HtmlElement,
    markup: Markup,
    body: HtmlElement | None,
    bylines: Collection[HtmlElement],
) -> bool:
    """Return whether the node, which has a control's name, is not what was written."""
    return node is not body and not _is_written(node, markup.names, bylines)


def _is_written(node: HtmlElement, classes: str, bylines: Collection[HtmlElement]) -> bool:
    """Return whether a node with a control's name ("reply") is the comment itself: it is long, or
    it holds byline and text.
    """
    if BODY.fullmatch(classes) or len(node_text(node)) >= 120:
        return True
    return node in bylines and any(
        e.tag == "p" or markup_of(e).is_body for e in node.iterdescendants(etree.Element)
    )


def _lone_body(reader: Reader) -> HtmlElement | None:
    return max(
        (element for element, _, markup in reader.nodes if markup.is_body),
        key=lambda e: len(reader.texts.of(e)),
        default=None,
    )


class Labels:
    """The short texts of a page's comments by their places, and how many comments have each."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.comments = len(readers)
        self.texts: Counter[tuple[str, str]] = Counter()
        self.counters: Counter[str] = Counter()
        texts = [
            {
                (path, node_text(element))
                for element, path, markup in reader.nodes
                if markup.tag in _LABEL_TAGS and _may_be_label(element, reader)
            }
            for reader in readers
        ]
        for own in texts:
            for label in {(path, _but_digits(text)) for path, text in own}:
                self.texts[label] += 1
            for path in {path for path, text in own if _COUNTER.fullmatch(text)}:
                self.counters[path] += 1

    def has(self, element: HtmlElement, path: str) -> bool:
        """Return whether an element holds a label or a counter: what nearly all comments hold
        there."""
        often, text = MOST * self.comments, node_text(element)
        if self.counters[path] >= often and _COUNTER.fullmatch(text):
            return True
        if element.tag not in _CLICKED and self.comments < SEVERAL:
            return False
        return 0 < len(text) <= MAX_CONTROL and self.texts[path, _but_digits(text)] >= often


def drop_repeated(readers: Sequence[Reader]) -> None:
    """Remove what has the same text in every unit (links and buttons: "Reply", "Source"; labels:
    "Guest"), counters, and what is left empty around them."""
    if len(readers) < 2:
        return
    labels = Labels(readers)
    for reader in readers:
        for element, path, markup in reader.nodes:
            if markup.tag not in _LABEL_TAGS or not _may_be_label(element, reader):
                continue
            if labels.has(element, path):
                _drop_with_bare_parents(element, reader.root)


def _drop_with_bare_parents(element: HtmlElement, root: HtmlElement) -> None:
    """Drop the element and the boxes above it that are left without text, but for the unit's own
    and those right below it."""
    above = element.getparent()
    drop(element)
    while above is not None and root not in (above, above.getparent()) and _is_bare(above):
        element, above = above, above.getparent()
        drop(element)


def _but_digits(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def _may_be_label(element: HtmlElement, reader: Reader) -> bool:
    """Return whether the element is a link, a button, or has a text that is not all of the unit's.

    Of the unit no more is read than the text is long: a unit with code in colours has thousands of
    elements, and to read it for each of them took 2 s of a real post with 63 comments.
    """
    if element.tag not in _CLICKED and (element.tag not in _LABELS or len(element)):
        return False
    if not attached(element, reader.root):
        return False
    if element.tag in _CLICKED:
        return True
    text = node_text(element)
    return bool(text) and (is_longer(reader.root, len(text)) or node_text(reader.root) != text)


def _is_bare(element: HtmlElement) -> bool:
    """Nothing left but marks and short links."""
    if is_longer(element, MAX_CONTROL):
        return False
    text, linked = node_text(element), "".join(node_text(a) for a in element.iter("a"))
    return not element.xpath(".//img") and not re.search(r"\w", text.replace(linked, ""))


def cut_last_link(reader: Reader) -> None:
    """Removes a last block that is nothing but links within the site, next to a text: "Reply to
    this message", "Reply | Thread".
    """
    root, texts = reader.root, reader.texts
    if not reader.has_links:
        return
    blocks = reversed(list(root.iter("p", "div", "li", "span")))
    last = next(filter(texts.of, blocks), None)
    if last is None or not attached(last, root):
        return
    whole, text = texts.of(root), texts.of(last)
    if whole != text and whole.endswith(text) and _is_links(last, text):
        reader.drop(last)


def _is_links(block: HtmlElement, text: str) -> bool:
    """Return whether a block with this text holds few short links within the site, perhaps with
    marks between them."""
    links = list(islice(block.iter("a"), NEAR + 1))
    if not 0 < len(links) <= NEAR or len(text) > MAX_CONTROL * len(links):
        return False
    for link in links:
        text = text.replace(node_text(link), "", 1)
    return not _WORD.search(text) and all(map(_is_inside, links))


_WORD = re.compile(r"\w")
_FOREIGN = re.compile(r"(?:\w+:)?//")


def _is_inside(link: HtmlElement) -> bool:
    """Return whether the link leads to this site, or to no place that the blog stands for, and has
    other words than its address."""
    href = link.get("href") or ""
    if _FOREIGN.match(href) is None:
        return bool(href)
    return "nofollow" in (link.get("rel") or "") and _FOREIGN.match(node_text(link)) is None


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
        for _ in range(NEAR):
            if not _cut_edge(readers, first):
                break


def _cut_edge(readers: Sequence[Reader], first: bool) -> bool:
    """Cut one bare text of each comment; whether there was one to cut."""
    found = ((reader.root, _edge(reader.root, first)) for reader in readers)
    pieces = [(root, edge) for root, edge in found if edge is not None]
    common = _common_words([squeeze(text) for _, (_, _, text) in pieces], len(readers))
    is_cut = False
    for root, (element, place, text) in pieces:
        words = squeeze(text)
        is_residue = words in common or (first and RESIDUE.fullmatch(words))
        if is_residue and words != node_text(root):
            setattr(element, place, " ")
            is_cut = True
    return is_cut


def _common_words(words: Sequence[str], comments: int) -> set[str]:
    """Return the short words that nearly all of several comments have."""
    if comments < SEVERAL:
        return set()
    often = Counter(text for text in words if len(text) <= MAX_CONTROL)
    return {text for text, count in often.items() if count >= MOST * comments}


def _edge(root: HtmlElement, first: bool) -> tuple[HtmlElement, str, str] | None:
    """Return the first or last bare text of a unit that is no paragraph's: its element, which of
    its texts it is, and the text.
    """
    found = _first_text(root) if first else _last_text(root)
    if found is None:
        return None
    owner, element, place = found
    return None if owner.tag in _WRITTEN else (element, place, getattr(element, place))


Place = tuple[HtmlElement, HtmlElement, str]
"""Of a text: the element it stands in, the one that has it and which of its texts it is."""


def _first_text(root: HtmlElement) -> Place | None:
    """Walk down and on to the first text."""
    node = root
    while not ((text := node.text) and not text.isspace()):
        below = _element(node[0]) if len(node) else None
        while below is None:
            if node is root:
                return None
            if (text := node.tail) and not text.isspace():
                return node.getparent(), node, "tail"
            below = _element(node.getnext())
            node = node.getparent() if below is None else node
        node = below
    return node, node, "text"


def _last_text(root: HtmlElement) -> Place | None:
    """Walk down and back to the last text."""
    node = root
    while True:
        last = _element(node[-1], is_back=True) if len(node) else None
        while last is None:
            if (text := node.text) and not text.isspace():
                return node, node, "text"
            if node is root:
                return None
            last = _element(node.getprevious(), is_back=True)
            node = node.getparent() if last is None else node
        if (text := last.tail) and not text.isspace():
            return last.getparent(), last, "tail"
        node = last


def _element(node: HtmlElement | None, *, is_back: bool = False) -> HtmlElement | None:
    """Return the node, if it is an element, else the next one beside it that is; ``is_back``: the
    one before."""
    while node is not None and not isinstance(node.tag, str):
        node = node.getprevious() if is_back else node.getnext()
    return node


_SEPARATORS = re.compile(r"^\s*[-–—|·•,:]+\s+")
_WHEN = re.compile(r"(?:^|[-_ ])(?:date|time|datetime|timestamp|timeago)(?:$|[-_ ])", re.I)
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
        if reader.has_subject and reader.subject is None:
            _cut_subject(reader)  # one behind name and date
        cut_last_link(reader)
        reader.forget_texts()
    drop_repeated(readers)
    cut_edges(readers)
    named = [_named(reader) for reader in readers]
    order = _path_order(named, learned)
    sure = _sure_texts(readers, order[0]) if order else []
    usual = _usual_path(named)
    out: list[str] = []
    for reader, found in () if sure else zip(readers, named, strict=True):
        by_path = dict(found)
        chosen = next((by_path[path] for path in order if path in by_path), None)
        html = _html_of(_text_at(reader, usual) if chosen is None else chosen)
        out.append(_without_name(html, reader.author))
    return out or list(map(_html_of, sure)), list(dict.fromkeys(order))


def _without_name(html: str, author: str | None) -> str:
    """Return a text without "Ann says:" at its beginning, where the name has no element."""
    rest = html.removeprefix(escape(author or ""))
    said = SAYS_ALONE.match(rest)
    return html if said is None else squeeze_edges(rest[said.end() :])


def _usual_path(named: Sequence[Sequence[tuple[str, HtmlElement]]]) -> str:
    """Return the signature of the element that is the text of most comments; "" if none is."""
    votes = Counter(path for found in named for path, _ in found[:1])
    path, count = next(iter(votes.most_common(1)), ("", 0))
    return path if count >= max(SEVERAL, MAJORITY * len(named)) else ""


def _text_at(reader: Reader, path: str) -> HtmlElement:
    """Return the element in the place of the other comments' text, though more than that is left
    of a short comment; all of the comment where it has no such part."""
    places = [e for e, p, _ in reader.nodes if p == path and attached(e, reader.root)]
    found = [element for element in places if reader.texts.of(element)]
    return found[0] if len(found) == 1 else reader.root


def _path_order(
    named: Sequence[Sequence[tuple[str, HtmlElement]]], learned: Sequence[str]
) -> list[str]:
    """Return signatures of elements named as text: learned ones first, then those of most units."""
    seen = {path for found in named for path, _ in found}
    votes: Counter[str] = Counter(path for found in named for path, _ in found[:1])
    return [p for p in learned if p in seen] + [path for path, _ in votes.most_common()]


def _sure_texts(readers: Sequence[Reader], path: str) -> list[HtmlElement]:
    """Return the elements that are named as the text of most units, where one stands in each of
    them, with hardly anything around it.
    """
    if len(readers) < 2 or not STRICT_BODY.search(
        words_of(" ".join(path.rpartition(">")[2].split(".")[1:]))
    ):
        return []
    sure: list[HtmlElement] = []
    for reader in readers:
        found = [e for e, p, _ in reader.nodes if p == path and attached(e, reader.root)]
        text = reader.texts.of(found[0]) if len(found) == 1 else ""
        if not text or len(reader.texts.of(reader.root)) > len(text) + MIN_SENTENCE:
            return []
        sure.append(found[0])
    return sure


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


_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


def _cut_subject(reader: Reader) -> None:
    """A heading that is one link to the comment itself (by its number, or to itself), or that has
    the comment's number, is its subject, and so is a first block that is a heading or named a
    title; engines fill it with the text's first words, or with the post's title."""
    root = reader.root
    headings = list(root.iter("h1", "h2", "h3", "h4", "h5", "h6", "strong", "b"))
    if not headings and not reader.has_links and not reader.has_subject:
        return
    named = (e for e in root.iter("div", "p", "span", "td") if markup_of(e).is_subject)
    for node in [*headings, *named]:
        texts = reader.texts
        text = texts.of(node)
        if not text or text == texts.of(root):
            continue
        if not _names_comment(node, text, reader) and not _is_named_title(node, text, reader):
            continue
        if text != reader.author and find_date(text) is None:
            reader.subject = text
        reader.drop(node)


def _is_named_title(node: HtmlElement, text: str, reader: Reader) -> bool:
    """Return whether a first block, or the one before the text, is a heading or named the title of
    a comment, and says neither whose it is nor when it was written."""
    if len(text) > MAX_LINE or not (node.tag in _HEADINGS or markup_of(node).is_subject):
        return False
    is_first = reader.texts.of(reader.root).startswith(text) or _stands_before_body(node)
    is_byline = node in _byline_boxes(reader) or node in (reader.author_node, reader.date_node)
    return is_first and not is_byline and (reader.author or "\0") not in text


def _stands_before_body(node: HtmlElement) -> bool:
    """Return whether the next element is named as the text."""
    following = node.getnext()
    return following is not None and isinstance(following.tag, str) and markup_of(following).is_body


def _names_comment(node: HtmlElement, text: str, reader: Reader) -> bool:
    """Return whether a heading with this text is a link to its comment or has its number."""
    number = reader.unit.number
    link = next((a for a in node.iter("a") if _leads_here(a, number)), None)
    if link is not None:
        return reader.texts.of(link) == text
    ident = node.get("id") or ""
    return bool(number) and node.tag in _HEADINGS and ident.endswith(number or "")


def _leads_here(link: HtmlElement, number: str | None) -> bool:
    href = link.get("href") or ""
    own = link.get("id") or link.get("name")
    return bool(number and re.search(rf"(?:^|\D){number}$", href)) or bool(
        own and href.endswith(f"#{own}")
    )


def _cut_byline(reader: Reader) -> None:
    """Remove name and date, and everything around them that is only byline."""
    name, raw = reader.author or "", reader.date_raw or ""
    if name:
        _drop_names_before(reader, name)
    _cut_part(reader, reader.author_node)
    _cut_part(reader, reader.date_node)
    byline = _Byline(reader, name, raw)
    for node, _, markup in chain(reader.nodes, reader.further):
        is_named = markup.is_byline and not markup.is_body and attached(node, reader.root)
        if is_named and _is_byline_only(node, byline):
            reader.drop(node)
            byline = _Byline(reader, name, raw)


_NUMBER_ONLY = re.compile(r"\W*\d+\W*\w{0,2}")


def _drop_names_before(reader: Reader, name: str) -> None:
    """Drop what stands before the date and is only the name, or the comment's number, and what only
    repeats the address that the name links to."""
    for link in reader.root.iter("a"):
        if link.text == name:
            _drop_address(reader, link.get("href") or "", name)
    date = reader.date_node
    if date is None or (above := date.getparent()) is None:
        return
    if above.tag not in BLOCK_TAGS:
        date = _inline_box(date, reader.root)
    for node in list(date.itersiblings(preceding=True)):
        text = reader.texts.of(node)
        if bare_name(text) == name or _NUMBER_ONLY.fullmatch(text):
            reader.drop(node)


def _drop_address(reader: Reader, address: str, name: str) -> None:
    """Drop the elements that hold nothing but this address, behind the name or in a block of their
    own above the text: whoever ends a text with it means it."""
    for node in [e for e, _, _ in reader.nodes if not len(e) and (e.text or "").strip() == address]:
        if address and node is not reader.root and _is_of_name(node, address, name, reader):
            reader.drop(node)


def _is_of_name(node: HtmlElement, address: str, name: str, reader: Reader) -> bool:
    """Return whether an address stands behind the name in a block of the byline, or alone above
    the text."""
    around = chain((node,), node.iterancestors())
    block = next((e for e in around if e.tag in BLOCK_TAGS), reader.root)
    text = reader.texts.of(block)
    if text == address:
        rest = reader.texts.of(reader.root).partition(address)[0]
    elif name in text.replace(address, ""):
        rest = text.replace(address, "", 1)
    else:
        return False
    return len(_rest(rest, name, reader.date_raw or "")) <= SMALL_REST


def _inline_box(node: HtmlElement, root: HtmlElement) -> HtmlElement:
    """Return the widest inline element that begins with the node and holds no other."""
    above = node.getparent()
    while above not in (None, root) and above.tag not in BLOCK_TAGS:
        if len(above) > 1 or stripped(above.text):
            break
        node, above = above, above.getparent()
    return node


def _cut_part(reader: Reader, node: HtmlElement | None) -> None:
    """Remove one part of the byline with all around it that is only byline."""
    if node is None or not attached(node, reader.root):
        return
    name, raw = reader.author or "", reader.date_raw or ""
    top = _byline_top(node, _Byline(reader, name, raw))
    if top is None:
        _cut_text(node, raw if node is reader.date_node else name)
        reader.forget_texts()
        return
    tail = top.tail or ""
    is_time_ago = 4 < len(tail) <= MAX_CONTROL and is_relative(squeeze(tail))
    top.tail = None if is_time_ago else _SEPARATORS.sub(" ", tail)
    reader.drop(top)


class _Byline:
    """Name and date of a comment, and which of its elements hold little besides; for a comment that
    does not change meanwhile. No element is read twice, however deep the comment is nested."""

    def __init__(self, reader: Reader, name: str, raw: str) -> None:
        self.root, self.texts = reader.root, reader.texts
        self.nodes = chain(reversed(reader.further), reversed(reader.nodes))
        self.name, self.raw = name, raw
        self._around_writing: set[HtmlElement] | None = None

    def rest(self, node: HtmlElement) -> str:
        """Return the element's text without name and date."""
        return _rest(self.texts.of(node), self.name, self.raw)

    def is_whole(self, node: HtmlElement) -> bool:
        """Return whether the element has all of the comment's text."""
        return self.texts.of(node) == self.texts.of(self.root)

    def holds_writing(self, node: HtmlElement) -> bool:
        """A paragraph, or an element named as text, that says more than the byline does."""
        if not len(node):
            return False
        if self._around_writing is None:
            self._around_writing = self._find_around_writing()
        return node in self._around_writing

    def _find_around_writing(self) -> set[HtmlElement]:
        """Return the elements around such ones, of which the inmost are asked first."""
        out: set[HtmlElement] = set()
        for node, _, markup in self.nodes:
            above = node.getparent() if markup.is_written else None
            if above is None or above in out or not attached(node, self.root):
                continue
            if self.rest(node):
                for box in node.iterancestors():
                    if box in out:
                        break
                    out.add(box)
        return out


def _is_byline_only(node: HtmlElement, byline: _Byline) -> bool:
    """Return whether the node holds little besides name and date. A node with all of the comment's
    text is a short comment, unless it is named a date and has a number ("#1 - 8 hours ago")."""
    rest = byline.rest(node)
    if len(rest) > SMALL_REST or byline.holds_writing(node):
        return False
    is_date = _WHEN.search(markup_of(node).words) is not None and re.search(r"\d", rest) is not None
    return not rest or is_date or not byline.is_whole(node)


def _byline_top(node: HtmlElement, byline: _Byline) -> HtmlElement | None:
    """Return the widest element around a byline part that holds nothing but byline; None where even
    ``node`` holds more.
    """
    best: HtmlElement | None = None
    root = byline.root
    while node is not root:
        if not _may_be_byline(node, best, byline):
            break
        if best is not None and _holds_body(node, best, byline):
            break
        best = node
        parent = node.getparent()
        if parent is None or parent is root:
            break
        if parent.getparent() is root and len(root) == 1:
            break  # the unit's own element: there must be a body besides the byline
        node = parent
    return best


def _may_be_byline(node: HtmlElement, inner: HtmlElement | None, byline: _Byline) -> bool:
    """Return whether the node holds little besides name and date; a box around the byline ``inner``
    that has no byline's name may hold less."""
    limit = SMALL_REST if inner is None or markup_of(node).is_byline else SMALL_REST // 2
    if len(byline.texts.of(node)) > MIN_PARAGRAPH or len(byline.rest(node)) > limit:
        return False
    return not byline.holds_writing(node)


def _holds_body(node: HtmlElement, inner: HtmlElement, byline: _Byline) -> bool:
    """Return whether a box around the byline ``inner`` is more than that: all of a comment however
    short, named as the text, or the comment's own element."""
    if byline.is_whole(node) and byline.rest(node):
        return True
    markup, texts = markup_of(node), byline.texts
    is_text = markup.is_body and not markup.is_byline
    if is_text and len(texts.of(node)) > len(texts.of(inner)) + 1:
        return True
    return node.tag in ("li", "article") and node.getparent() is byline.root


_NO_LETTERS = re.compile(r"[\W_]+")


def _rest(text: str, name: str, raw: str) -> str:
    if name:
        text = text.replace(name, "", 1)
    if raw and raw in text:
        text = text.replace(raw, "", 1)
    found = find_date(text)
    if found:
        text = text[: found.span[0]] + text[found.span[1] :]
    return _NO_LETTERS.sub("", text)


def _cut_text(node: HtmlElement, value: str) -> None:
    """Blanks the node's own text before its first block: an unclosed element that swallowed the
    comment.
    """
    if not value:
        return
    head = squeeze(node.text)
    if _is_of_byline(head, value) or (head and value in head):
        node.text = None
        return
    tails = ((child, squeeze(child.tail)) for child in node)
    for child, tail in tails:
        if len(tail) < MAX_LINE and _is_of_byline(tail, value):
            child.tail = None
            return


def _is_of_byline(text: str, value: str) -> bool:
    """Return whether a text is a part of the name or date, or a date."""
    return bool(text) and (text in value or find_date(text) is not None)


def _named(reader: Reader) -> list[tuple[str, HtmlElement]]:
    """Return elements named as text that hold most of what is left, the narrowest first."""
    texts = reader.texts
    whole = max(1, len(texts.of(reader.root)))
    out: list[tuple[float, int, str, HtmlElement]] = []
    for position, (element, path, markup) in enumerate(reader.nodes):
        if not markup.is_text or not attached(element, reader.root):
            continue
        share = len(texts.of(element)) / whole
        if share >= MAJORITY:
            out.append((share, position, path, element))
    reader.pass_on()
    # Strict text names (comment-content, commenttext) sit deepest; among those with (nearly) all
    # text the deepest is the text itself.
    out.sort(key=lambda item: -item[1])
    return [(path, element) for _, _, path, element in out]
