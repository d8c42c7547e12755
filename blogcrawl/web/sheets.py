"""Style sheets of an archived page, out of the blog's evidence, to be put inside the drawn page.

Nothing is loaded by a drawn page. So what it names is put in its place: a ``link`` becomes a
``style`` element, an ``@import`` the rules of the imported sheet. Pictures and fonts are left out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.packaging.cdxj import surt
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.warc_records import records_of

MAX_SHEETS, MAX_BYTES, MAX_DEPTH = 40, 2**22, 4
"""Of one page: style sheets, their bytes together, imports inside imports."""
_IMPORT = re.compile(
    r"""@import\s*(?:url\(\s*)?(?P<mark>["']?)(?P<place>[^"'()\s;]{1,2048}+)(?P=mark)\s*\)?
    (?P<when>[^;{}@]*+);""",
    re.IGNORECASE | re.VERBOSE,
)
_LOADED = re.compile(
    r"""url\(\s*+(?!["']?(?:data:|\#))(?:"[^"]*+"|'[^']*+'|[^()"']*+)\s*+\)""", re.IGNORECASE
)
_NO_MEDIA = re.compile(r"^\s*(?:layer\b(?:\([^()]*\))?|supports\([^()]*\))", re.IGNORECASE)


class Sheet(NamedTuple):
    """A style sheet that a page names. ``media``: when it counts; empty: always."""

    url: str
    media: str


def place_sheets(tree: HtmlElement, base_url: str, mark: str) -> list[Sheet]:
    """Put empty ``style`` elements where a page loads style sheets; return these in order.

    The text of each is a comment of ``mark`` and its number, for ``fill``.
    """
    sheets: list[Sheet] = []
    for element in list(tree.iter("link", "style")):
        for place, media in _named(element)[: MAX_SHEETS - len(sheets)]:
            style = etree.Element("style", {"media": media} if media else {})
            style.text = f"/*{mark}{len(sheets)}*/"
            element.addprevious(style)
            sheets.append(Sheet(_address(base_url, place.strip()), media))
    return sheets


def _named(element: HtmlElement) -> list[tuple[str, str]]:
    """Return the style sheets that an element names, each with its media; it names them no more."""
    media = element.get("media") or ""
    if element.tag == "link":
        return [(element.get("href") or "", media)] if _is_used(element) else []
    imports, element.text = split(element.text or "")
    return [(place, when or media) for place, when in imports]


def _address(base_url: str, place: str) -> str:
    """Return the address that a reference stands for; "" where it is none."""
    try:
        return urljoin(base_url, place)
    except ValueError:
        return ""


def _is_used(link: HtmlElement) -> bool:
    named = (link.get("rel") or "").lower().split()
    is_off = "alternate" in named or link.get("disabled") is not None
    return "stylesheet" in named and bool(link.get("href")) and not is_off


def split(css: str) -> tuple[list[tuple[str, str]], str]:
    """Return what a style sheet imports, each with its media, and the sheet without that."""
    imports = [
        (found["place"], _NO_MEDIA.sub("", found["when"]).strip())
        for found in _IMPORT.finditer(css)
    ]
    return imports, _IMPORT.sub("", css)


def unloaded(css: str) -> str:
    """Return rules without the pictures and fonts that they load: the drawn page's policy would
    refuse each of them, with an error on the browser's console."""
    return _LOADED.sub("none", css)


def fill(html: str, mark: str, sheets: Mapping[int, str]) -> str:
    """Put style sheets where ``place_sheets`` left room for them."""

    def text(found: re.Match[str]) -> str:
        return sheets.get(int(found[1]), "").replace("</", "<\\/").replace("<!--", "")

    return re.sub(rf"/\*{re.escape(mark)}(\d+)\*/", text, html)


class CapturedSheets:
    """Style sheets as the evidence of a blog has them, of captures nearest to ``moment``."""

    def __init__(self, store: PackageStore, object_id: str, moment: datetime) -> None:
        self._store, self._object_id, self._moment = store, object_id, moment
        self._texts: dict[str, str] = {}
        self._left = MAX_BYTES

    def texts(self, sheets: Iterable[Sheet]) -> dict[int, str]:
        """Return the rules of sheets by their number; of those that were captured."""
        wanted = list(sheets)
        level = {sheet.url for sheet in wanted}
        for _ in range(MAX_DEPTH):
            self._read(level)
            level = {url for one in level for url in self._imports(one)} - self._texts.keys()
        flat = {number: self._flat(sheet.url) for number, sheet in enumerate(wanted)}
        return {number: unloaded(css) for number, css in flat.items() if css}

    def _imports(self, url: str) -> list[str]:
        return [_address(url, place) for place, _ in split(self._texts.get(url, ""))[0]][
            :MAX_SHEETS
        ]

    def _read(self, urls: set[str]) -> None:
        """Read sheets; those that were not captured are empty."""
        found = list(_captures(self._store, self._object_id, urls)) if urls else []
        found.sort(key=lambda one: abs((one[1] - self._moment).total_seconds()), reverse=True)
        texts = {surt(url): css for url, _, css in found}
        for url in urls:
            css = texts.get(surt(url), "")[: self._left]
            self._texts[url] = css
            self._left -= len(css)

    def _flat(self, url: str, depth: int = 0) -> str:
        """Return the rules of a sheet after those that it imports."""
        if depth > MAX_DEPTH:
            return ""
        imports, rest = split(self._texts.get(url, ""))
        parts = []
        for place, when in imports[:MAX_SHEETS]:
            css = self._flat(_address(url, place), depth + 1)
            parts.append(f"@media {when} {{{css}}}" if when else css)
        return "\n".join((*parts, rest))


def _captures(
    store: PackageStore, object_id: str, urls: set[str]
) -> Iterator[tuple[str, datetime, str]]:
    """Yield address, time and text of captured style sheets; none where evidence is damaged."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        data = b"".join(records_of(store, object_id, urls))
        for record in ArchiveIterator(io.BytesIO(data)):
            http = record.http_headers
            if record.rec_type != "response" or http is None or http.get_statuscode() != "200":
                continue
            if "html" in (http.get_header("Content-Type") or "").lower():
                continue
            headers = record.rec_headers
            url = headers.get_header("WARC-Target-URI") or ""
            moment = datetime.fromisoformat(headers.get_header("WARC-Date") or "")
            body = record.content_stream().read(MAX_BYTES)
            yield url, moment, body.decode("utf-8", "replace").removeprefix("\ufeff")
    except (BlogcrawlError, ArchiveLoadFailed, ValueError, OSError):
        return
