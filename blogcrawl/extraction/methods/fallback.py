"""The last word: a general extractor (trafilatura), asked only where the own scorer is unsure; it
costs more than all the rest.
"""

from __future__ import annotations

from copy import deepcopy

from lxml.html import HtmlElement

from blogcrawl.core.page import Page

MUCH = 3
"""How many times the text of a doubtful choice the library must find to be believed instead."""


def library_content(page: Page) -> str | None:
    """HTML of what trafilatura takes for the main text; None where it finds none or is not
    installed.
    """
    try:
        import trafilatura
    except ImportError:
        return None
    html = trafilatura.extract(
        _shown(page),
        fast=True,
        url=page.url,
        output_format="html",
        include_comments=False,
        include_tables=True,
        include_images=True,
        include_links=True,
    )
    return html or None


def _shown(page: Page) -> str | HtmlElement:
    """Return the page without its notices for readers whose browsers run no scripts, which the
    library takes for text."""
    if page.tree.find(".//noscript") is None:
        return page.text
    tree = deepcopy(page.tree)
    for notice in tree.xpath("//noscript"):
        notice.drop_tree()
    return tree
