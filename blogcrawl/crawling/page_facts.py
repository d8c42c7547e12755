"""Questions about a fetched page. Pure."""

from __future__ import annotations

import re

from blogcrawl.core.page import Page
from blogcrawl.frontier.unread import LOGIN
from blogcrawl.urls.page_kinds import BARRIERS, CHALLENGE_MARKS

CHALLENGE = "challenge"
"""Why a page is missing in whose place a protection service requested proof that a person reads."""
FEW_CHALLENGES = 10
"""So many, or as many as there are posts, are asked for again like a server's errors; beyond that
the whole blog stands behind them.
"""
BARRED = frozenset({CHALLENGE, LOGIN, BARRIERS["protected"], BARRIERS["gone"], BARRIERS["notice"]})
"""Verdicts on a page that stands before a post, not in its place."""
NO_PLACE = "no post has its place on it"
SITE_PARTS = frozenset({BARRIERS["section"], BARRIERS["part"], NO_PLACE})
"""Why a page is no post though a feed or a sitemap names it."""
MAX_HEAD = 200_000
"""Characters of a page in which its head is looked for."""
_NUMBERED = re.compile(
    r"<body\s[^>]{0,500}\bpostid-([0-9]{1,9})\b|"
    r"\brel=[\"']shortlink[\"'][^>]{0,300}[?&]p=([0-9]{1,9})[\"']"
)
PASSING = frozenset({408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})


def failure(page: Page) -> tuple[str, bool] | None:
    """Return why an answer is no page, and whether that may pass, or None if it is one. Nothing at
    all, with status 200, is what broken themes and full disks of servers give.
    """
    if page.status == 403 and any(mark in page.text for mark in CHALLENGE_MARKS):
        return CHALLENGE, True
    if page.status >= 300:
        return f"HTTP {page.status}", page.status in PASSING
    return None if page.body.strip() else ("an empty answer", True)


def is_html(page: Page) -> bool:
    """HTML by its type or, where the type says nothing, by its first bytes."""
    kind = page.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind in {"text/html", "application/xhtml+xml"}:
        return True
    if kind and kind not in {
        "text/plain",
        "application/octet-stream",
        "text/xml",
        "application/xml",
        "unknown/unknown",
    }:
        return False
    head = page.body[:2048].lstrip().lower()
    return b"<html" in head or b"<!doctype html" in head


def number_of(page: Page) -> int | None:
    """Return the number that the engine gives a post, in the classes of its body or in its short
    link (WordPress)."""
    found = _NUMBERED.search(page.text, 0, MAX_HEAD)
    return int(found[1] or found[2]) if found is not None else None


def declared_canonical(page: Page) -> str | None:
    """Return ``<link rel=canonical>`` made absolute."""
    for link in page.tree.iter("link"):
        if "canonical" in link.get("rel", "").lower().split():
            return page.absolute(link.get("href", ""))
    return None
