"""What a page names that a browser loads to show it (HTML Living Standard). Pure.

One file of each picture's alternatives (``srcset``), one size of the icon for home screens: the
further ones no replay in a desktop window asks for. Not what is installed or played, beyond the
manifest itself and a video's poster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.crawling.pipelines.srcset import choose, pictures_shown
from blogcrawl.crawling.pipelines.style_sheets import fonts_instead, named_in_style
from blogcrawl.rendering.blocking import blocked

LINKED = frozenset({"icon", "modulepreload", "manifest"})
PRELOADED = frozenset({"style", "script", "font", "image"})
"""``as`` of preloads that the page is drawn with; the others are data of scripts."""
_HOME_SCREEN = frozenset({"apple-touch-icon", "apple-touch-icon-precomposed"})
_WIDTH = re.compile(r"(\d{1,5})x", re.IGNORECASE)
_IMAGE = re.compile(r"\.(?:svg|png|jpe?g|gif|webp|avif)(?:$|[?#])", re.IGNORECASE)
_BACKGROUNDS = etree.XPath("//@background", smart_strings=False)
_STYLES = etree.XPath("//@style[contains(., '(')]", smart_strings=False)


def sheets_of(page: Page) -> Iterator[str]:
    """Yield absolute http(s) addresses of style sheets, and of all that ``style`` elements name."""
    for link in page.tree.iter("link"):
        if "stylesheet" in _rel(link):
            yield from usable(page.base_url, [link.get("href")])
    for style in page.tree.iter("style"):
        yield from usable(page.base_url, named_in_style(style.text_content()))


def theme_of(page: Page) -> Iterator[str]:
    """Yield those of ``sheets_of``, then of scripts, fonts, icons and the manifest."""
    yield from sheets_of(page)
    home_screen: list[tuple[int, str]] = []
    for link in page.tree.iter("link"):
        if _rel(link) & _HOME_SCREEN:
            width = _WIDTH.match(link.get("sizes", ""))
            home_screen.append((int(width[1]) if width else 0, link.get("href", "")))
        else:
            yield from usable(page.base_url, _linked(link))
    for script in page.tree.iter("script"):
        yield from usable(page.base_url, [script.get("src")])
    yield from usable(page.base_url, [max(home_screen, default=(0, ""))[1]])


def _rel(link: Any) -> frozenset[str]:
    return frozenset(link.get("rel", "").lower().split())


def _linked(link: Any) -> Iterator[str | None]:
    rel, kind = _rel(link), link.get("as", "").lower()
    if rel & LINKED or ("preload" in rel and kind in PRELOADED and not link.get("imagesrcset")):
        yield link.get("href")
    elif "preload" in rel and kind == "image":
        yield from choose(link.get("imagesrcset", ""), link.get("imagesizes", ""))


def pictures_of(page: Page) -> Iterator[str]:
    """Yield absolute http(s) addresses of the images that elements and their styles name."""
    for style in _values(_STYLES, page):
        yield from usable(page.base_url, named_in_style(style))
    yield from usable(page.base_url, _values(_BACKGROUNDS, page))
    for element in page.tree.iter("img", "input", "video", "image", "feimage", "use", "object"):
        yield from usable(page.base_url, _shown(element))


def _values(attributes: etree.XPath, page: Page) -> list[str]:
    found: list[str] = attributes(page.tree)  # type: ignore[assignment]
    return found


def _shown(element: Any) -> Iterator[str | None]:
    if element.tag == "img":
        yield from pictures_shown(element)
    elif element.tag == "input":
        yield element.get("src") if element.get("type", "").lower() == "image" else None
    elif element.tag == "video":
        yield element.get("poster")
    elif element.tag == "object":
        data = element.get("data", "")
        yield data if _IMAGE.search(data) else None
    else:
        yield element.get("href") or element.get("xlink:href")


def named_in_sheet(sheet: Page) -> list[str]:
    """Return absolute http(s) addresses of what a style sheet imports and of the files it names."""
    return list(usable(sheet.url, named_in_style(sheet.text)))


def instead_in_sheet(sheet: Page) -> dict[str, str]:
    """Return addresses of fonts with those that browsers ask for where they are missing."""
    return _instead(sheet.url, sheet.text)


def instead_on(page: Page) -> dict[str, str]:
    """Return the same of the fonts that ``style`` elements name."""
    styles = (style.text_content() for style in page.tree.iter("style"))
    return {font: other for css in styles for font, other in _instead(page.base_url, css).items()}


def _instead(base: str, css: str) -> dict[str, str]:
    pairs = (list(usable(base, pair)) for pair in fonts_instead(css).items())
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}


def usable(base: str, references: Iterable[str | None]) -> Iterator[str]:
    """Resolve references; those that need no request or name a tracker are left out."""
    for reference in references:
        if not reference or reference.startswith(("data:", "javascript:", "about:", "blob:", "#")):
            continue
        try:
            url = urldefrag(urljoin(base, reference.strip()))[0]
            host = urlsplit(url).hostname
        except ValueError:
            continue
        if host and url.startswith(("http://", "https://")) and blocked(url, "script") is None:
            yield url
