"""Pictures of a content tree: lazy loading undone, the best candidate chosen, URLs absolute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page, fragment
from blogcrawl.core.records import MediaFile
from blogcrawl.extraction.content.drawings import DRAWN
from blogcrawl.text.visible import squeeze, stripped

LAZY_SOURCES = (
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-orig-file",
    "data-original-src",
    "data-lazy",
    "data-echo",
    "data-actualsrc",
    "data-hi-res-src",
    "data-url",
    "data-image",
    "data-lazyload",
    "data-cfsrc",
    "data-pagespeed-lazy-src",
    "lazy-src",
)
"""Where lazy-loading plug-ins and scripts park the address."""
SOURCE_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
EMOJI = re.compile(r"\b(?:emoji|emoticon|wp-smiley|twemoji)\b")
DATA_PICTURE = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp|avif|svg\+xml)(?:;charset=utf-8)?;base64,", re.I
)
MIN_DATA_PICTURE = 512
"""Characters; shorter data pictures are placeholders (a 1x1 GIF takes 78)."""

_OF_URIS = "%!#$&'()*+,/:;=?@~"
LAZY_BACKGROUNDS = ("data-bg", "data-background", "data-background-image")
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]{0,200}?url\(\s*[\"']?([^\"')]+)", re.I)
_LITTLE = re.compile(r"(?:^|[\s;])(?:width|height)\s*:\s*\d{1,2}px", re.I)
_MAY_HAVE_BACKGROUND = etree.XPath(
    "descendant-or-self::*[contains(@style, 'url(')"
    f" or {' or '.join('@' + name for name in LAZY_BACKGROUNDS)}][not(self::img or self::i)]"
)


def resolve_pictures(root: HtmlElement, page: Page) -> list[MediaFile]:
    """Give every ``img`` below ``root`` the address of the picture it stands for; those that have
    none go.

    Returns the pictures in document order. Pictures in ``noscript`` take the place of the
    placeholder before them.
    """
    for silent in list(root.iter("noscript")):
        _open_noscript(silent)
    _show_backgrounds(root)
    found = []
    for picture in list(root.iter("img", "amp-img", "image")):
        if EMOJI.search(picture.get("class", "")):
            _replace_by_text(picture, picture.get("alt", ""))
            continue
        picture.tag = "img"
        url = best_source(picture, page)
        if url is None:
            picture.drop_tree()
            continue
        picture.set("src", url)
        if not url.startswith("data:"):
            found.append(MediaFile(url=url, role="image", alt=squeeze(picture.get("alt")) or None))
    for wrapper in list(root.iter("picture")):
        for extra in list(wrapper.iter("source")):
            extra.drop_tag()  # libxml2 knows no empty source element: the picture stands inside it
        wrapper.drop_tag()
    return found


def _show_backgrounds(root: HtmlElement) -> None:
    """Put a picture into each empty element whose style shows one: it is there for nothing else."""
    for box in backgrounds(root):
        if not len(box) and not stripped(box.text):
            said = box.get("aria-label", box.get("title", ""))
            box.append(lxml.html.Element("img", src=background_source(box), alt=said))


def backgrounds(root: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements, ``root`` included, that have a picture as background by their own style,
    but signs of a line's height."""
    boxes: Any = _MAY_HAVE_BACKGROUND(root)
    return (box for box in boxes if background_source(box) and not _LITTLE.search(_style(box)))


def background_source(box: HtmlElement) -> str | None:
    """Return the address of an element's background by its own style, or that a script would give
    it; None where it has none."""
    shown = _BACKGROUND.search(_style(box))
    parked = (box.get(name) for name in LAZY_BACKGROUNDS)
    url = shown[1] if shown else next(filter(None, parked), "")
    url = url.strip().removeprefix("url(").rstrip(")").strip("\"' ")
    return url if url and not url.startswith(("data:", "{", "#")) else None


def _style(box: HtmlElement) -> str:
    return box.get("style") or ""


def _open_noscript(silent: HtmlElement) -> None:
    """Put what an element shows without scripts in its place, or into the picture before it."""
    inner, before = _inside_noscript(silent), silent.getprevious()
    if inner and before is not None and before.tag in {"img", "picture"}:
        _fill_picture(next(before.iter("img"), None), inner[0])
    else:
        for element in inner:
            element.tail = None
            silent.addprevious(element)
    silent.drop_tree()


def _inside_noscript(silent: HtmlElement) -> list[HtmlElement]:
    inner = list(silent.iter("img", "iframe", "video"))
    if not inner and silent.text and "<img" in silent.text:
        with suppress(etree.ParserError):
            inner = list(fragment(silent.text).iter("img"))
    return inner


def _fill_picture(held: HtmlElement | None, shown: HtmlElement) -> None:
    """Give a picture that a script would load the attributes of the one without scripts."""
    if held is not None and shown.tag == "img":
        held.attrib.update(shown.attrib)
        for name in LAZY_SOURCES:
            held.attrib.pop(name, None)


def best_source(picture: HtmlElement, page: Page) -> str | None:
    """Return the absolute address of the picture that an element stands for: the widest of its
    source sets, the one parked for lazy loading, its own; None where it has none.

    Candidates without a width or density are no larger than the address of its own: a script puts
    a placeholder there, and takes it away later.
    """
    plain = picture.get("src", "").strip()
    best, is_sized = _widest(_source_sets(picture))
    lazy = _lazy_source(picture)
    if lazy and not lazy.startswith(("{", "[")):
        chosen = best or lazy
    elif plain.startswith(("data:", "about:")):
        chosen = best or (plain if _is_data_picture(plain) else "")
    else:
        chosen = best if is_sized else plain or best
    if not chosen:
        return None
    if chosen.startswith("data:"):
        return chosen
    url = page.absolute(chosen)
    return uri(url) if url else None


def uri(url: str) -> str:
    """Return an address as the markup has it when it is written: blanks, letters beyond ASCII and
    what no URI has are percent-encoded."""
    return quote(url, safe=_OF_URIS, errors="replace")


def _lazy_source(picture: HtmlElement) -> str:
    """Return the first address parked for lazy loading, "" where none is."""
    names = picture.keys()
    parked = (picture.get(name, "").strip() for name in LAZY_SOURCES if name in names)
    return next(filter(None, parked), "")


def _source_sets(picture: HtmlElement) -> list[str]:
    """Return the source sets of a picture, else those of the ``picture`` element around it."""
    own = [value for name in SOURCE_SETS if (value := picture.get(name))]
    wrapper = None if own else next(picture.iterancestors("picture"), None)
    if wrapper is None:
        return own
    return [
        v for source in wrapper.iter("source") for name in SOURCE_SETS if (v := source.get(name))
    ]


def _is_data_picture(url: str) -> bool:
    if url.startswith(DRAWN):
        return True
    return len(url) >= MIN_DATA_PICTURE and DATA_PICTURE.match(url) is not None


def _widest(sets: list[str]) -> tuple[str, bool]:
    """Return the candidate with the greatest width or density, and whether it states any (HTML
    Living Standard, srcset attribute)."""
    best, size, is_sized = "", -1.0, False
    for text in sets:
        for part in re.split(r",\s+|,(?=https?:)", text.strip()):
            words = part.strip().strip(",").split()
            if not words or words[0].startswith("data:"):
                continue
            try:
                width = (
                    float(words[1][:-1]) * (1000 if words[1][-1:] == "x" else 1)
                    if len(words) > 1
                    else 1000.0
                )
            except ValueError:
                continue
            if width > size:
                best, size, is_sized = words[0], width, len(words) > 1
    return best, is_sized


def _replace_by_text(element: HtmlElement, text: str) -> None:
    element.tail = text + (element.tail or "")
    element.drop_tree()
