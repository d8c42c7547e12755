"""What a page declares to crawlers and about its use: licence links, robots directives,
reservations. Read, not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from blogcrawl.core.page import Page
from blogcrawl.text.visible import squeeze

_NAMES = frozenset({"robots", "blogcrawl", "tdm-reservation", "tdm-policy"})
"""``meta`` names: robots directives for all or for us, and the W3C community group's TDM
reservation protocol.
"""
_HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy")
_MAX_DIRECTIVE = 500
_MAX_DIRECTIVES = 20


def licence_of(page: Page) -> str | None:
    """Return address of the one licence that the page's ``rel=license`` links name (HTML Living
    Standard, 4.6.7.8); None: none, or several, which are licences of images."""
    links = (
        element.get("href")
        for element in page.tree.iter("a", "link")
        if "license" in element.get("rel", "").lower().split()
    )
    found = {address for link in links if link and (address := page.absolute(link))}
    return found.pop() if len(found) == 1 else None


def directives(page: Page) -> list[str]:
    """Return robots directives of the page's head and of the answer's headers, each with its source
    in front, as they were written.
    """
    found = [
        f"{name}: {page.headers[name][:_MAX_DIRECTIVE]}"
        for name in _HEADERS
        if page.headers.get(name)
    ]
    found += [f"meta {name}: {content}" for name, content in _metas(page)]
    return list(dict.fromkeys(found))[:_MAX_DIRECTIVES]


def _metas(page: Page) -> Iterator[tuple[str, str]]:
    for meta in page.tree.iter("meta"):
        name, content = meta.get("name", "").strip().lower(), squeeze(meta.get("content", ""))
        if name in _NAMES and content:
            yield name, content[:_MAX_DIRECTIVE]
