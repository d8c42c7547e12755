"""The picture that belongs to a post and stands outside its text: a cover above the title, a photo
or a film between title and text. The page's metadata name it, or it is on no other page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, takewhile
from operator import is_not
from typing import Literal
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile
from blogcrawl.extraction.content.embeds import FRAMES, embedded_url, player_sources
from blogcrawl.extraction.content.pictures import (
    background_source,
    backgrounds,
    best_source,
    uri,
)
from blogcrawl.extraction.fields.byline import is_aside
from blogcrawl.extraction.fields.embedded import embedded
from blogcrawl.extraction.fields.headings import common_box, heading_element
from blogcrawl.lexicon.css_classes import kind_of, names_of, words_of
from blogcrawl.lexicon.vocabulary import word_set
from blogcrawl.text.visible import squeeze

SHOWN = ("img", "audio", "video", *FRAMES)
_NAMES = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
_ENDING = re.compile(r"\.[a-z]{3,4}$")
_PORTRAIT = word_set("css_classes", "portrait")
_SMALL = re.compile(r"\d{1,2}(?:px)?")
"""The width of a portrait or a sign, in an attribute."""
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:\?|$)", re.I)
_SIZE = re.compile(r"[-_]?\d{2,4}x\d{2,4}$")
"""What engines put behind the name of a picture's smaller variants."""


def cover(
    page: Page, media: Sequence[MediaFile], recurring: Iterable[str], content: object = None
) -> MediaFile | None:
    """Return the picture that the page's metadata name and that the page shows, else the first one
    in the post's box above ``content``, or the film that is embedded there; None where the text has
    it (``media``) or where other posts have it too (``recurring``: a logo, a portrait).

    The variant that the page shows is returned: the one of the metadata is made for other sites.
    """
    others = set(recurring)
    named = named_pictures(page) - others
    if any(file_name(file.url) in named for file in media):
        return None
    pictures = chain(page.tree.iter("img"), backgrounds(page.tree))
    found = _shown(page, pictures, lambda name: name in named) if named else None
    if found is None and isinstance(content, HtmlElement):
        others.update(file_name(file.url) for file in media)
        others.add("")
        found = _shown(page, _above(page, content), lambda name: name not in others)
    return found


def _shown(
    page: Page, pictures: Iterable[HtmlElement], wanted: Callable[[str], bool]
) -> MediaFile | None:
    """Return the first of the pictures that has a wanted name."""
    for picture in pictures:
        url = shown_address(picture, page)
        if url is not None and wanted(file_name(url)):
            said = picture.get("alt") or picture.get("title")
            role: Literal["image", "link"] = "link" if picture.tag in FRAMES else "image"
            return MediaFile(url=url, role=role, alt=squeeze(said) or None)
    return None


def shown_address(picture: HtmlElement, page: Page) -> str | None:
    """Return the address of a picture, a sound or a film, or of what a frame shows; None of one in
    the page itself."""
    if picture.tag in FRAMES:
        url = embedded_url(picture, page)
    elif picture.tag == "img":
        url = best_source(picture, page)
    elif picture.tag in ("audio", "video"):
        url = next((source for source, _ in player_sources(picture, page)), None)
    else:
        shown = background_source(picture)
        url = page.absolute(uri(shown)) if shown else None
    return None if url is None or url.startswith("data:") else url


def _above(page: Page, content: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the pictures and frames before the content in the ``article`` that holds it and the
    heading, or else in the innermost element that does."""
    heading = heading_element(page)
    box = common_box(heading, content) if heading is not None else None
    if box is not None:
        box = next(box.iterancestors("article"), box)
    return filter(_may_be_cover, takewhile(partial(is_not, content), _pictures_in(box, content)))


def _pictures_in(box: HtmlElement | None, content: HtmlElement) -> Iterable[HtmlElement]:
    """Return pictures and frames in an element, what has a picture as background, and the content
    itself."""
    if box is None:
        return ()
    shown = {content, *backgrounds(box), *box.iter("img", *FRAMES)}
    return filter(shown.__contains__, box.iter())


def _may_be_cover(picture: HtmlElement) -> bool:
    """Return whether a picture or a frame is the post's by its names, and links to nothing else."""
    return is_of_post(picture) and not links_elsewhere(picture)


def is_of_post(picture: HtmlElement) -> bool:
    """Return whether a picture or a frame shows no person, is no sign, and stands in no sidebar,
    by names and sizes."""
    return not any(is_other(picture) for is_other in (_is_small, _is_portrait, is_aside))


def _is_small(picture: HtmlElement) -> bool:
    return _SMALL.fullmatch(picture.get("width") or picture.get("height", "")) is not None


def links_elsewhere(picture: HtmlElement) -> bool:
    """Return whether a picture stands in a link to something else than a picture."""
    links = picture.iterancestors("a")
    return not all(_PICTURE.search(link.get("href", "")) for link in links)


def _is_portrait(picture: HtmlElement) -> bool:
    label = f"{names_of(picture)} {names_of(picture.getparent())}"
    return kind_of(label) is not None or not _PORTRAIT.isdisjoint(words_of(label))


def named_pictures(page: Page) -> set[str]:
    """Return the names of the pictures that a page's metadata give: the last part of the address
    without ending and size.
    """
    meta = embedded(page).meta
    return {file_name(url) for name in _NAMES for url in meta.get(name, ())} - {""}


def recurring_pictures(pages: Iterable[Page]) -> list[str]:
    """Return the names of pictures that more than one page shows or gives in its metadata."""
    times = Counter(name for page in pages for name in named_pictures(page) | _pictures_of(page))
    return sorted(name for name, count in times.items() if count > 1)


def _pictures_of(page: Page) -> set[str]:
    shown = islice(chain(page.tree.iter(*SHOWN), backgrounds(page.tree)), MAX_TRIED)
    sources = (shown_address(picture, page) for picture in shown)
    return {file_name(url) for url in sources if url is not None} - {""}


def file_name(url: str) -> str:
    """Return the last part of an address without its ending and the size that variants have."""
    try:
        last = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1].lower()
    except ValueError:
        return ""
    return _SIZE.sub("", _ENDING.sub("", last))
