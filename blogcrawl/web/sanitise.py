"""What archived text and HTML may be in a page of the application.

Content was sanitised when it was archived. It is sanitised again here: a package may come from
elsewhere, and what was harmless to archive may be harmful to show.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import nh3
from markupsafe import Markup

from blogcrawl.extraction.content.markup import ATTRIBUTES, DROP_WITH_CONTENT, TAGS

_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_MEDIA = {
    ("img", "src"),
    ("audio", "src"),
    ("video", "src"),
    ("source", "src"),
    ("video", "poster"),
}
_NAMES = {"id", "name", "class"}
"""Attributes that would become names in the page: scripts and anchors would find the wrong one."""
_LOADING = {"picture", "track"}
_OURS = {"main"}
"""Landmarks that a page has once."""


def plain(text: object) -> str:
    """Return a line of archived text without controls, those of direction too.

    A title must not turn the text around it: each has its own direction by ``dir=auto``.
    """
    return _CONTROLS.sub("", _BIDI.sub("", str(text or "")))


def prose(text: object) -> str:
    """Return archived text of several lines, which has a block of its own, without controls."""
    return _CONTROLS.sub("", str(text or ""))


def link(url: object) -> str:
    """Return an archived address if it may be followed, else an empty text."""
    text = _CONTROLS.sub("", str(url or "")).strip()
    return text if _LINK.match(text) else ""


def reading_html(
    html: str,
    captured: Callable[[str], str | None],
    archived: Callable[[str], str | None] = lambda url: None,
) -> Markup:
    """Return archived HTML for a page of the application.

    ``captured`` returns the address of an archived picture, sound or film at the second origin by
    its original one; None removes it, so that nothing is loaded from the live web. ``archived``
    returns the page of ours to which a link leads; None leaves it as it is.
    """

    def filtered(tag: str, name: str, value: str) -> str | None:
        if (tag, name) in _MEDIA:
            return captured(value)
        if name in ("href", "cite"):
            followed = link(value)
            return (archived(followed) or followed) if followed else None
        return _CONTROLS.sub("", value)

    text = _CONTROLS.sub("", html).encode("utf-8", "replace").decode("utf-8")
    return Markup(_cleaner(filtered).clean(text))


def _cleaner(filtered: Callable[[str, str, str], str | None]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(TAGS) - _LOADING - _OURS,
        clean_content_tags=set(DROP_WITH_CONTENT),
        attributes={tag: set(names) - _NAMES for tag, names in ATTRIBUTES.items()},
        attribute_filter=filtered,
        set_tag_attribute_values={"img": {"loading": "lazy"}},
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        strip_comments=True,
    )
