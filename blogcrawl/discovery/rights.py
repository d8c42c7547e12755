"""What a page declares to crawlers and about its use: licence links, robots directives,
reservations. Read, not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from blogcrawl.core.page import Page
from blogcrawl.text.visible import squeeze

LICENCE = re.compile(
    (
        r"https?://(?:www\.)?(?:creativecommons\.org/(?:licenses|publicdomain)|"
        r"opensource\.org/licen[sc]es|gnu\.org/licenses)/[\w./+-]+"
    ),
    re.IGNORECASE,
)
"""Addresses of licences that many works have."""
_NAMES = frozenset({"robots", "blogcrawl", "tdm-reservation", "tdm-policy"})
"""``meta`` names: robots directives for all or for us, and the W3C community group's TDM
reservation protocol.
"""
_HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy")
_MAX_DIRECTIVE = 500
_MAX_DIRECTIVES = 20


def licence_of(page: Page, texts: Iterable[str] = ()) -> str | None:
    """Return the address of the licence of a post's page: the one that its ``rel=license`` links
    name (HTML Living Standard, 4.6.7.8), else the only one that it names outside of ``texts``, the
    HTML of post and comments. None: none, or several, which are licences of images."""
    declared = declared_licences(page)
    if declared:
        return declared[0] if len(declared) == 1 else None
    return named_licence(page, texts)


def declared_licences(page: Page) -> list[str]:
    """Return the different addresses of the page's ``rel=license`` links, in order."""
    links = (
        element.get("href")
        for element in page.tree.iter("a", "link")
        if "license" in element.get("rel", "").lower().split()
    )
    found = (page.absolute(link) for link in links if link)
    return list(dict.fromkeys(filter(None, found)))


def named_licence(page: Page, texts: Iterable[str] = ()) -> str | None:
    """Return the only licence that the page names outside of ``texts``: several are credits of
    images."""
    named = {*LICENCE.findall(page.text[:1_000_000])}.difference(*map(LICENCE.findall, texts))
    return page.absolute(named.pop()) if len(named) == 1 else None


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
