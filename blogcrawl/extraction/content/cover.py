"""The picture that belongs to a post and stands outside its text: a cover above the title, a photo
between title and text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile
from blogcrawl.extraction.content.pictures import best_source
from blogcrawl.extraction.fields.embedded import embedded
from blogcrawl.text.visible import squeeze

_NAMES = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
_ENDING = re.compile(r"\.[a-z]{3,4}$")
_SIZE = re.compile(r"[-_]?\d{2,4}x\d{2,4}$")
"""What engines put behind the name of a picture's smaller variants."""


def cover(page: Page, media: Sequence[MediaFile], recurring: Iterable[str]) -> MediaFile | None:
    """Return the picture that the page's metadata name and that the page shows; None where the
    text has it (``media``) or where other posts have it too (``recurring``: a logo, a portrait).

    The variant that the page shows is returned: the one of the metadata is made for other sites.
    """
    named = named_pictures(page) - set(recurring)
    if not named or any(_name(file.url) in named for file in media):
        return None
    for picture in page.tree.iter("img"):
        url = best_source(picture, page)
        if url is not None and not url.startswith("data:") and _name(url) in named:
            return MediaFile(url=url, alt=squeeze(picture.get("alt")) or None)
    return None


def named_pictures(page: Page) -> set[str]:
    """Return the names of the pictures that a page's metadata give: the last part of the address
    without ending and size.
    """
    meta = embedded(page).meta
    return {_name(url) for name in _NAMES for url in meta.get(name, ())} - {""}


def recurring_pictures(pages: Iterable[Page]) -> list[str]:
    """Return the names of pictures that the metadata of more than one page give."""
    times = Counter(name for page in pages for name in named_pictures(page))
    return sorted(name for name, count in times.items() if count > 1)


def _name(url: str) -> str:
    try:
        last = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1].lower()
    except ValueError:
        return ""
    return _SIZE.sub("", _ENDING.sub("", last))
