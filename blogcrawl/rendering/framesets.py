"""Pages that only frame others: framesets, and posts in an inline frame (Naver). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import islice

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import clean, same_site

MAX_FRAMES = 6
"""Documents that one page is made of; a frameset with more is a game."""
FRAME_TEXT, FRAME_LINKS = 250, 3
"""Visible characters and links up to which an inline frame is all that a page shows."""
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)


def frame_urls(page: Page) -> list[str]:
    """Return the addresses of the documents that ``page`` consists of; [] if it has text."""
    frames = list(islice(page.tree.iter("frame"), MAX_FRAMES))
    if not frames:
        body = page.tree.find("body")
        if body is None or not _says_nothing(body):
            return []
        frames = [frame for frame in islice(body.iter("iframe"), MAX_FRAMES) if _is_shown(frame)]
    return _addresses(page, frames)


def inline_urls(page: Page) -> list[str]:
    """Return the addresses of the site's own documents that a page shows amid others: a list of all
    posts in a box of its own."""
    frames = islice(page.tree.iter("iframe", "object"), MAX_FRAMES)
    return _addresses(page, [frame for frame in frames if _is_shown(frame)])


def _addresses(page: Page, frames: Sequence[HtmlElement]) -> list[str]:
    own = clean(page.url)  # a post's canonical address may be that of its frame, too
    written = (frame.get("src", frame.get("data", "")).strip() or "#" for frame in frames)
    urls = [url for address in written if (url := page.absolute(address))]
    return [url for url in dict.fromkeys(urls) if same_site(url, page.url) and clean(url) != own]


def _says_nothing(body: HtmlElement) -> bool:
    links = sum(1 for _ in islice(body.iter("a"), FRAME_LINKS + 1))
    return (
        next(body.iter("iframe"), None) is not None
        and links <= FRAME_LINKS
        and len(node_text(body)) <= FRAME_TEXT
    )


def _is_shown(frame: HtmlElement) -> bool:
    small = any(
        frame.get(side, "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height")
    )
    return not small and frame.get("hidden") is None and not _HIDDEN.search(frame.get("style", ""))


def merged(page: Page, frames: Sequence[Page]) -> Page:
    """Return ``page`` with what its frames show as its body; ``static``: the page as it came."""
    root = lxml.html.document_fromstring("<html></html>")
    for known in list(root):
        root.remove(known)
    head, body = etree.SubElement(root, "head"), etree.SubElement(root, "body")
    language = next(filter(None, (source.tree.get("lang") for source in (page, *frames))), None)
    if language:
        root.set("lang", language)
    for source in (page, *frames):
        for element in source.tree.xpath(
            "./head/*[self::meta[not(@http-equiv)] or self::link or self::title]"
        ):
            if element.tag != "title" or head.find("title") is None:
                head.append(_absolute(element, source))
    for frame in frames:
        inner = frame.tree.find("body")
        box = etree.SubElement(body, "div")
        if inner is not None:
            copied = _absolute(inner, frame)
            box.text = copied.text
            box.extend(list(copied))
    source = lxml.html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>")
    return replace(
        page,
        body=source,
        headers={**page.headers, "content-type": "text/html; charset=utf-8"},
        static=page,
    )


def _absolute(element: HtmlElement, source: Page) -> HtmlElement:
    copied = deepcopy(element)
    copied.tail = None
    copied.rewrite_links(lambda link: source.absolute(link) or link, resolve_base_href=False)
    return copied
