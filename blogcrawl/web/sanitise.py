"""What archived text and HTML may be in a page of the application.

Content was sanitised when it was archived. It is sanitised again here: a package may come from
elsewhere, and what was harmless to archive may be harmful to show.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from urllib.parse import unquote

import nh3
from markupsafe import Markup, escape

from blogcrawl.extraction.content.markup import ATTRIBUTES, DROP_WITH_CONTENT, TAGS
from blogcrawl.extraction.content.pictures import DATA_PICTURE

_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_ENCODED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
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
_TAG = re.compile(r'<(/?[a-z][a-z0-9]*+)((?:[^<>"]++|"[^"]*+")*+)>')
"""A tag as the cleaner writes it: its values are in double quotes, which they do not contain."""
_ADDRESS = re.compile(r' (?:href|src)="([^"]*)"')
_ALT = re.compile(r' alt="([^"]*)"')
_LOST = "#lost/"
"""What the address of a picture becomes that is not archived, before its name."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_CODE = {"code", "pre"}
"""Elements whose ``lang`` names a language of programmers to some highlighters."""


def plain(text: object) -> str:
    """Return a line of archived text without controls, those of direction too.

    A title must not turn the text around it: each has its own direction by ``dir=auto``.
    """
    return _CONTROLS.sub("", _BIDI.sub("", str(text or "")))


def readable_address(url: object) -> str:
    """Return an address for people: letters that are no ASCII as themselves, not as their bytes."""
    return _ENCODED.sub(_letters, plain(url))


def _letters(found: re.Match[str]) -> str:
    try:
        text = bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
    return text if all(unicodedata.category(char)[0] in "LMN" for char in text) else found[0]


def prose(text: object) -> str:
    """Return archived text of several lines, which has a block of its own, without controls."""
    return _CONTROLS.sub("", str(text or ""))


def link(url: object) -> str:
    """Return an archived address if it may be followed, else an empty text."""
    text = _CONTROLS.sub("", str(url or "")).strip()
    return text if _LINK.match(text) else ""


def reading_html(
    captured: Callable[[str], str | None],
    archived: Callable[[str], str | None] = lambda url: None,
) -> Callable[[str], Markup]:
    """Return what makes archived HTML fit for a page of the application.

    ``captured`` returns the address of an archived picture, sound or film at the second origin by
    its original one; None removes it, so that nothing is loaded from the live web. ``archived``
    returns the page of ours to which a link leads; a link to an archived file leads to that, any
    other stays as it is. So do pictures whose address holds all their data: as pictures they
    neither load nor run anything.
    """

    def filtered(tag: str, name: str, value: str) -> str | None:
        if (tag, name) == ("img", "src") and DATA_PICTURE.match(value):
            return value
        if (tag, name) in _MEDIA:
            return captured(value) or (_LOST + _file_of(value) if tag == "img" else None)
        if name == "lang":
            return value if tag not in _CODE and _LANGUAGE.fullmatch(value) else None
        if name in ("href", "cite"):
            return _first_place(link(value), archived, captured)
        return _CONTROLS.sub("", value)

    cleaner = _cleaner(filtered)

    def read(html: str) -> Markup:
        text = _CONTROLS.sub("", html).encode("utf-8", "replace").decode("utf-8")
        return Markup(_named(cleaner.clean(text)))

    return read


def _first_place(address: str, *places: Callable[[str], str | None]) -> str | None:
    """Return the first place of ours that an address has, else itself; None of an empty one."""
    found = filter(None, (place(address) for place in places))
    return next(found, address or None)


def _named(html: str) -> str:
    """Return cleaned HTML in which pictures without a text, and links without one, have a name.

    A screen reader says nothing of them else, or spells their addresses: the name of the file is
    what is known.
    """
    written: list[str] = []
    link, is_silent, end = -1, False, 0
    for tag in _TAG.finditer(html):
        name, values = tag[1], tag[2]
        is_silent = is_silent and not html[end : tag.start()].strip()
        written += (html[end : tag.start()], tag[0])
        end = tag.end()
        if name == "img":
            written[-1], said = _picture(values)
            is_silent = is_silent and not said
        elif name == "a":
            link, is_silent = len(written) - 1, " href=" in values
        elif name == "/a" and is_silent:
            written[link] = _named_link(written[link])
            is_silent = False
    return "".join((*written, html[end:]))


def _picture(values: str) -> tuple[str, str]:
    """Return the tag of a picture, and the text that stands for it."""
    alt, address = _ALT.search(values), _ADDRESS.search(values)
    said = alt[1] if alt else _name_in(values)
    if address is not None and address[1].startswith(_LOST):
        values = values[: address.start()] + values[address.end() :]
    name = "" if alt else f' alt="{said}"'
    return f"<img{name}{values}>", said


def _named_link(tag: str) -> str:
    return f'<a aria-label="{_name_in(tag)}"{tag[2:]}'


def _name_in(values: str) -> str:
    """Return the name of the file to which a tag's address leads, as the value of an attribute."""
    found = _ADDRESS.search(values)
    return str(escape(_file_of(Markup(found[1]).unescape()))) if found else ""


def _file_of(url: str) -> str:
    """Return the last part of an address: the name of a file, or else the host."""
    path = url.partition("?")[0].partition("#")[0] if not url.startswith("#") else url
    return plain(unquote(path.rstrip("/").rpartition("/")[2]))


def _cleaner(filtered: Callable[[str, str, str], str | None]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(TAGS) - _LOADING - _OURS,
        clean_content_tags=set(DROP_WITH_CONTENT),
        attributes={tag: set(names) - _NAMES for tag, names in ATTRIBUTES.items()},
        attribute_filter=filtered,
        set_tag_attribute_values={"img": {"loading": "lazy"}, "pre": {"tabindex": "0"}},
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto", "data"},
        strip_comments=True,
    )
