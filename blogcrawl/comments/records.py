"""What the comment room gives and remembers, and how one comment record is made."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

import lxml.html
import msgspec
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.page import fragment
from blogcrawl.core.records import Comment, CommentKind, CommentSource
from blogcrawl.dates.zones import fixed_zone
from blogcrawl.text.visible import paragraphs, squeeze

Json = Any

ALLOWED_TAGS = frozenset(
    "a abbr b blockquote br cite code dd del div dl dt em figure figcaption h1 h2 h3 h4 h5 h6 "
    "hr i img ins kbd li mark ol p pre q rp rt"
    " ruby s samp small span strike strong sub sup table tbody td tfoot th thead tr u "
    "ul var".split()
)
"""Elements kept in a comment's HTML: the text-level and grouping parts of the HTML Living Standard,
nothing that runs or loads frames.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRules:
    """What was learned of a blog's comments. Serves every page of the blog; JSON in the RuleSet's
    slot ``comments``.

    ``unit`` is the XPath that selects one node per comment (its own replies nested inside or not).
    ``author``, ``date`` and ``body`` are path signatures inside a unit (``fields.signature``), the
    best supported first.
    """

    unit: str | None = None
    author: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    byline: tuple[str, str] | None = None
    """What stands before and after the author's name in a byline without markup: ("by ", " on
    ")."""
    day_first: bool | None = None
    """Order of day and month in all-number dates; None: no evidence."""
    zones: tuple[str, ...] = ()
    """Zones of which the page's clock has one, as far as that is known."""
    mislabelled: bool = False
    """The page writes the times of that clock with the label of UTC."""
    support_right: int = 0
    support_tried: int = 0
    score: float = 0.0

    def to_json(self) -> dict[str, Json]:
        """Return plain data for ``from_json``."""
        data: dict[str, Json] = msgspec.to_builtins(self)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> CommentRules:
        """Ignore unknown keys: an older program reads newer data. Offsets that older programs wrote
        are zones without summer time. Raises ValueError on others."""
        offsets = data.get("utc_offsets") or ()
        zones = {"zones": [fixed_zone(offset) for offset in offsets[:1]]} if offsets else {}
        return msgspec.convert({**zones, **data}, cls)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentResult:
    """Comments of one page or one post, in reading order."""

    comments: tuple[Comment, ...] = ()
    shown: int | None = None
    """How many the page itself says there are; 0 only where it names 0."""
    more_urls: tuple[str, ...] = ()
    """Further comment pages of the same post that the page links to."""
    methods: Mapping[str, int] = field(default_factory=dict)
    """How many comments each source gave first: feed, api, ids, markup …"""
    incomplete: str | None = None
    """Why comments may be lacking: a source that did not answer, though it may the next time. None:
    no source failed so.
    """

    @property
    def confidence(self) -> float:
        """Share of the comments that the page speaks of which are here; 0.9 where it names no
        number; half of it for the separation.
        """
        if "series" in self.methods:
            return 0.5 * replace(self, methods={}).confidence
        if not self.shown:
            return 1.0 if self.shown == 0 and not self.comments else 0.9
        return round(min(1.0, len(self.comments) / self.shown), 3)


def digest_id(author: str | None, when: datetime | str | None, text: str) -> str:
    """Return stable id of a comment whose platform gives none: 16 hex digits over author, date and
    text.
    """
    stamp = when.isoformat() if isinstance(when, datetime) else when or ""
    return hashlib.sha256(
        "\x1f".join((squeeze(author), stamp, squeeze(text))).encode()
    ).hexdigest()[:16]


def bounded_id(number: str) -> str:
    """``number`` as an id; a digest of it where it is so long that answers, each of which repeats
    it, would multiply a page.
    """
    return (
        number
        if len(number) <= MAX_READ
        else hashlib.sha256(number.encode("utf-8", "replace")).hexdigest()
    )


def unique_ids(ids: Sequence[str]) -> list[str]:
    """Return ids made different: two equal comments stay two."""
    seen: Counter[str] = Counter()
    out = []
    for identifier in ids:
        seen[identifier] += 1
        out.append(identifier if seen[identifier] == 1 else f"{identifier}-{seen[identifier]}")
    return out


def clean_html(html: str, base_url: str = "") -> str:
    """Return sanitised HTML: scripts, styles, handlers and unsafe links gone, links absolute where
    ``base_url`` is given.
    """
    if not html.strip():
        return ""
    if base_url and ("href" in html or "src" in html):
        try:
            root = fragment(html)
            root.make_links_absolute(base_url, resolve_base_href=False, handle_failures="ignore")
            html = inner_html(root)
        except (ValueError, lxml.etree.LxmlError):
            pass  # broken links stay as they stand; nh3 below still makes the markup safe
    if not html.isascii():  # a lone surrogate, as JSON may write one, has no UTF-8 form
        html = html.encode("utf-8", "replace").decode("utf-8")
    cleaned: str = _cleaner().clean(html)
    return cleaned.strip()


@cache
def _cleaner() -> Any:
    import nh3

    return nh3.Cleaner(
        tags=set(ALLOWED_TAGS),
        attributes={
            "a": {"href", "title"},
            "img": {"src", "alt", "title"},
            "abbr": {"title"},
            "*": {"lang", "dir"},
        },
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


def inner_html(element: HtmlElement) -> str:
    """Return markup inside an element, without its own tags."""
    import html as html_module

    head = html_module.escape(element.text or "", quote=False)
    return head + "".join(lxml.html.tostring(child, encoding="unicode") for child in element)


_ODD = r"\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd0-\ufdd4\ufffe\uffff"
_WORDS = rf"(?:[^<&{_ODD}]|&(?:amp|lt|gt|nbsp);|<br>)*+"
_LINE = (
    rf"{_WORDS}(?:(?:<b>{_WORDS}</b>|<i>{_WORDS}</i>|<em>{_WORDS}</em>|<strong>{_WORDS}</strong>"
    rf'|<a href="[^"<>&{_ODD}]*+">{_WORDS}</a>){_WORDS})*+'
)
_SIMPLE = re.compile(rf"{_LINE}(?:<p>{_LINE}</p>{_LINE})*+")
"""Most comments: text in paragraphs and lines, with links and emphasis, none in another."""
_EDGE = re.compile(r"</?p>|<br>")
_TAG = re.compile(r"<[^<>]*+>")


def html_text(html: str) -> str:
    """Return text of an HTML fragment, one line per block."""
    if not html.strip():
        return ""
    if _SIMPLE.fullmatch(html):
        return "\n".join(filter(None, map(_text_of_line, _EDGE.split(html))))
    try:
        return paragraphs(fragment(html))
    except (ValueError, lxml.etree.LxmlError):
        return squeeze(re.sub(r"<[^<>]*>", " ", html))


def _text_of_line(html: str) -> str:
    """Return the text of simple HTML without blocks."""
    text = _TAG.sub("", html) if "<" in html else html
    if "&" in text:
        text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
        text = text.replace("&amp;", "&")
    return squeeze(text)


def make_comment(
    html: str,
    *,
    source: CommentSource,
    base_url: str = "",
    number: str | None = None,
    author: str | None = None,
    published: datetime | None = None,
    kind: CommentKind | None = None,
    is_dated: bool = True,
    **more: Any,
) -> Comment:
    """One record from raw parts; ``more`` takes the other fields of Comment. Never fails on bad
    markup. ``is_dated``: the date is the comment's own, not one that moves with the visits.
    """
    safe = clean_html(html, base_url)
    text = html_text(safe)
    author = squeeze(author) or None
    stamp = published or more.get("published_raw") if is_dated else None
    if more.get("parent_id"):
        more["parent_id"] = bounded_id(more["parent_id"])
    return Comment(
        id=bounded_id(number) if number else digest_id(author, stamp, text),
        author=author,
        published=published,
        content_html=safe,
        content_text=text,
        source=source,
        kind=kind or guess_kind(author, text),
        **more,
    )


_PING = re.compile(r"^\s*(?:\[(?:\.{3}|…|&#8230;)\]|(?:\.{3}|…)\s)")
_PING_END = re.compile(r"(?:\[(?:\.{3}|…)\]|\s(?:\.{3}|…))\s*$")


def guess_kind(author: str | None, text: str) -> CommentKind:
    """A link-back is recognised by its excerpt between ``[…]`` marks (WordPress and Movable Type
    write them so), or by its label.
    """
    label = (author or "").lower()
    if label.startswith(("trackback", "tracked from")):
        return "trackback"
    if label.startswith("pingback"):
        return "pingback"
    if _PING.search(text) and _PING_END.search(text):
        return "pingback"
    return "comment"


_TAIL_NUMBER = re.compile(
    r"(?:#(?:[a-z-]*comment-?)?c?|comment[-_=]|post-)([0-9a-f]{8,}|\d+)$", re.I
)


def platform_number(identifier: str | None) -> str | None:
    """Return the platform's own number inside a guid, Atom id or permalink (``…#comment-12``,
    ``tag:…post-123``, ``…#c123``), else None.
    """
    if not identifier:
        return None
    found = _TAIL_NUMBER.search(identifier.strip())
    return found.group(1) if found else None
