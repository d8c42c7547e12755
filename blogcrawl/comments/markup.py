"""What tag and attributes of a comment's elements say, whatever their text is.

The comments of a page repeat a few dozen tags and class names, so each is read once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lxml.html import HtmlElement

from blogcrawl.lexicon.comment_words import AUTHOR, BODY, CONTROL, DATE, tokens, words_of


@dataclass(frozen=True, slots=True, eq=False)
class Markup:
    """The names of an element, and what they call it."""

    tag: str
    rel: str
    prop: str
    """Property that a vocabulary (schema.org) gives to it."""
    words: str
    """Of its class names."""
    names: str
    """Those words and the property."""
    step: str
    """Its part of a signature: tag and classes."""
    is_author: bool
    is_date: bool
    is_byline: bool
    """An author or a date."""
    is_body: bool
    is_text: bool
    """A body, by the property too."""
    is_written: bool
    """A body and no byline, or a paragraph."""
    is_control: bool
    is_subject: bool


REPLY_LINK = re.compile(
    r"replytocom|[?&]reply_?to=|[?&]thread=\d|#respond|/reply(?:/|$)|comment-form|delete-?comment",
    re.I,
)
"""In the address of a link that answers a comment, or deletes it."""
_SUBJECT = re.compile(r"(?:^|\W)subject(?!\w)|comment[-_]?(?:title|head(?:er|ing)?)(?!\S)", re.I)


def markup_of(element: HtmlElement, *, is_bare: bool = False) -> Markup:
    """Return the markup of an element, the same object for the same tag, classes and so on.
    ``is_bare``: it has no attributes."""
    if is_bare:
        return _markup(element.tag, None, None, None)
    get = element.get
    return _markup(element.tag, get("class"), get("rel"), get("itemprop"))


@lru_cache(maxsize=4096)
def _markup(tag: str, classes: str | None, rel: str | None, prop: str | None) -> Markup:
    words = words_of(classes)
    names = f"{words} {prop or ''}".strip()
    is_author, is_date = AUTHOR.search(words) is not None, DATE.search(words) is not None
    is_body, is_byline = BODY.search(words) is not None, is_author or is_date
    return Markup(
        tag=str(tag),
        rel=rel or "",
        prop=prop or "",
        words=words,
        names=names,
        step=".".join([str(tag), *sorted(tokens(classes))]),
        is_author=is_author,
        is_date=is_date,
        is_byline=is_byline,
        is_body=is_body,
        is_text=BODY.search(names) is not None or "commentText" in names,
        is_written=tag in ("p", "blockquote", "pre") or (is_body and not is_byline),
        is_control=CONTROL.search(names) is not None,
        is_subject=_SUBJECT.search(words) is not None,
    )
