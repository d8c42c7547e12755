"""What a page says of its post in markup comments: the RDF by which other blogs found where to send
their TrackBack, and "Created …".

TrackBack 1.1 (Six Apart, 2002) has every post carry an ``rdf:Description`` in a comment, with
address, title, author and moment; Movable Type, TypePad, WordPress until 2.5, Nucleus, Serendipity
and b2evolution wrote it, so it stands in most archives of those years.
"""

from __future__ import annotations

import html
import re

from blogcrawl.core.page import Page
from blogcrawl.urls.canonical import entry_key

_DESCRIPTION = re.compile(r"<rdf:Description\b([^<>]{0,4000})>")
_ATTRIBUTE = re.compile(r"(rdf:about|dc:[a-z]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_CREATED = re.compile(
    (
        r"<!--\s{0,20}+(?:created|published|posted)\b\s{0,20}+(?:on|at|:)?\s{0,20}+(.{6,120}?)\s{0,"
        r"20}+-->"
    ),
    re.I | re.S,
)
_MARKUP = re.compile(r"<[^<>]*>")


def described(page: Page) -> dict[str, str]:
    """``title``, ``creator``, ``date`` (ISO 8601), ``subject`` as far as comments of the page tell
    them of its own post.
    """
    found = _descriptions(page.text) if "<rdf:Description" in page.text else []
    own = [
        told
        for told in found
        if any(
            entry_key(told[name]) == entry_key(page.url)
            for name in ("about", "identifier")
            if name in told
        )
    ]
    if len(own) == 1 or len(found) == 1:
        return (own or found)[0]
    return {} if found else _created(page.text)


def _descriptions(text: str) -> list[dict[str, str]]:
    out = []
    for match in _DESCRIPTION.finditer(text):
        told = {
            name.partition(":")[2]: html.unescape(a or b).strip()
            for name, a, b in _ATTRIBUTE.findall(match[1])
        }
        out.append({name: value for name, value in told.items() if value})
    return out


def _created(text: str) -> dict[str, str]:
    """A day that only a comment names (ikiwiki); where several do, none is the post's."""
    from blogcrawl.dates.parse import find_date

    said = (
        {_MARKUP.sub(" ", match[1]) for match in _CREATED.finditer(text)}
        if "<!--" in text
        else set()
    )
    reading = find_date(said.pop()) if len(said) == 1 else None
    moment = reading.pick(True) if reading is not None else None
    return {"date": moment.isoformat()} if moment is not None else {}
