"""How long ago a post is said to be from, where a page shows its date in no other way.

Engines write "3 years, 2 months ago" next to the title of every post (Mezzanine, Django's
``timesince``). The month or year that follows from it is believed less than any date.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch
from blogcrawl.dates.relative import find_relative
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.date_line import is_of_change, is_of_post, lines_near
from blogcrawl.text.lengths import MAX_LINE, MIN_SENTENCE, SENTENCE_ENDS

_WEIGHTS = confidences("published")


def times_ago(
    page: Page, content: HtmlElement | None, languages: list[str]
) -> list[tuple[DateMatch, float, str]]:
    """Return the nearest time ago with weight and rule, as ``visible_dates`` does; none or one."""
    if page.fetched_at is None or content is None:
        return []
    blocks = blocks_of(page)
    for text, element, _ in lines_near(page, content):
        if len(text) > MAX_LINE or text.endswith(SENTENCE_ENDS) or is_of_change(text, element):
            continue
        when = find_relative(text, page.fetched_at, languages[0] if languages else None)
        if when is not None and (is_of_post(element) or _is_before_text(blocks, element, content)):
            return [(when, _WEIGHTS["ago"], "time ago near heading")]
    return []


def _is_before_text(blocks: Blocks, element: HtmlElement, content: HtmlElement) -> bool:
    """Return whether an element stands before the first sentence of the content."""
    place, first = blocks.number[element], blocks.number.get(content)
    if first is None:
        return False
    inside = range(first, blocks.end[first])
    return place < next((i for i in inside if blocks.plain[i] >= MIN_SENTENCE), first)
