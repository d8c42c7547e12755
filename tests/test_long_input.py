"""What strangers write may be as long as they like: time grows with its length, not with the square
of it.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from statistics import median

import pytest

from blogcrawl.comments.body import squeeze_edges
from blogcrawl.core.charsets import decode_page
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.discovery.safexml import gunzip
from blogcrawl.extraction.fields.names import as_author
from blogcrawl.induction.scoring import html_text
from blogcrawl.lexicon.css_classes import kind_of, words_of
from blogcrawl.packaging.http1 import parse
from blogcrawl.rendering.need import lacking
from blogcrawl.rendering.systems import carried_systems

HTML = {"content-type": "text/html"}
STEP, MOST = 8, 24
"""So much longer; so much more time at most. The square would be 64."""
FLOOR = 0.004
"""Times below this many seconds are noise."""


def page(text: str) -> Page:
    return Page(url="http://a.test/1", body=text.encode(), headers=HTML)


WORK: dict[str, tuple[str, Callable[[str], object]]] = {
    "comments that never end": ("<!--", lambda text: carried_systems(page(text))),
    "comments that nearly end": ("<!-- --", lambda text: carried_systems(page(text))),
    "conditions": ("<!--[if", lambda text: carried_systems(page(text))),
    "a feed's comments": (
        "<!--",
        lambda text: lacking(page("<p>x"), FeedEntry(url="u", content_html=text)),
    ),
    "a feed's scripts": (
        "<script>",
        lambda text: lacking(page("<p>x"), FeedEntry(url="u", content_html=text)),
    ),
    "tags that never end": ("<a ", html_text),
    "brackets in an old charset": (
        "<",
        lambda text: decode_page("text/html", b"\xe4\xf6\xfc" * len(text) + text.encode()),
    ),
    "a byline of dots": (" ·", lambda text: as_author("Ann" + text)),
    "an address without end": ("w", lambda text: as_author("Ann " + text)),
    "a class name of hyphens": ("ab-", kind_of),
    "blanks in a comment": ("\u00a0", lambda text: squeeze_edges(f"<p>a{text}b</p>")),
    "breaks after a comment": ("<br>", lambda text: squeeze_edges("a" + text)),
    "members of a gzip file": ("x", lambda text: gunzip(gzip.compress(b"") * (10 * len(text)))),
    "interim answers": ("HTTP/1.1 100 Continue\r\n\r\n", lambda text: parse(text.encode())),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    taken = []
    for _ in range(3):
        kind_of.cache_clear()
        words_of.cache_clear()
        began = time.process_time()
        work(text)
        taken.append(time.process_time() - began)
    return median(taken)


@pytest.mark.parametrize("name", WORK)
def test_reading_time_is_linear_in_length(name: str) -> None:
    seed, work = WORK[name]
    short, long = (seed * (count // len(seed)) for count in (10_000, 10_000 * STEP))
    assert seconds(work, long) < MOST * max(seconds(work, short), FLOOR)
