"""Addresses in the data that a page has for its scripts. Pure.

Applications (Next, Nuxt, SvelteKit and their like) write all entries of a list into the page, and
draw the first of them: the others are shown where a reader scrolls, clicks or searches. An entry
has its address, or the slug from which the application makes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from blogcrawl.core.page import Page
from blogcrawl.dom.links import MAX_LINKS, page_links
from blogcrawl.urls.canonical import same_site

MAX_DATA = 2_000_000
"""Characters of scripts that are looked at."""
_SLASH = re.compile(r"\\(?:u002[fF]|/)")
"""A slash as JSON in a page may have it."""
_QUOTED = re.compile(r"[\"'`]((?:https?:/)?/[^\"'`<>\s\\]{1,500})[\"'`]")
_SLUG = re.compile(r"\bslug[\"']?\s?:\s?[\"']([^\"'`<>\s\\/]{2,300})[\"']")
_SUFFIX = re.compile(r"(?:\.html?)?/?")
LEAST_ALIKE = 2
"""Links of the page to entries of which the data has slugs, from which others' are made."""


def addresses_in_scripts(page: Page) -> list[str]:
    """Return the addresses on the page's own site that the data of its scripts has, each once."""
    data = _SLASH.sub("/", _data_of(page))
    slugs = dict.fromkeys(match[1] for match in _SLUG.finditer(data))
    named = (page.absolute(match[1]) for match in _QUOTED.finditer(data))
    urls = (url for url in (*named, *_made_of(slugs, page)) if url and same_site(url, page.url))
    return list(dict.fromkeys(urls))[:MAX_LINKS]


def _data_of(page: Page) -> str:
    pieces: list[str] = []
    length = 0
    for script in page.tree.iter("script"):
        piece = (script.text or "")[: MAX_DATA - length]
        length += len(piece)
        pieces.append(piece)
    return "\n".join(pieces)


def _made_of(slugs: Iterable[str], page: Page) -> Iterator[str]:
    """Yield the addresses of entries by their slugs, as all links of the page to others of these
    are made."""
    known = set(slugs)
    forms = Counter(filter(None, (_form_of(link.url, known) for link in page_links(page))))
    for before, behind in forms if forms.total() >= LEAST_ALIKE and len(forms) == 1 else ():
        yield from (f"{before}{slug}{behind}" for slug in slugs)


def _form_of(url: str, slugs: set[str]) -> tuple[str, str] | None:
    """Return what stands before and behind the slug of an address that ends in one."""
    head, _, name = url.rstrip("/").rpartition("/")
    slug = name.partition(".")[0]
    if slug not in slugs or _SUFFIX.fullmatch(url, len(head) + 1 + len(slug)) is None:
        return None
    return f"{head}/", url[len(head) + 1 + len(slug) :]
