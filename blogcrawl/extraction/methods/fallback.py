"""The last word: a general extractor (trafilatura), asked only where the own scorer is unsure; it
costs more than all the rest.
"""

from __future__ import annotations

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
        page.text,
        fast=True,
        url=page.url,
        output_format="html",
        include_comments=False,
        include_tables=True,
        include_images=True,
        include_links=True,
    )
    return html or None
