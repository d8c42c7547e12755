"""Small texts of feeds: titles out of markup, names out of address lines, links made absolute."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.records import FeedEntry, MediaFile
from blogcrawl.text.visible import squeeze
from blogcrawl.urls.canonical import media_kind

_INLINE = re.compile(
    r"</?(?:a|abbr|acronym|b|big|bdi|bdo|br|cite|code|del|dfn|div|em|font|h[1-6]|i|img|ins|kbd|"
    r"mark|p|q|rp|rt|ruby|s|samp|small|"
    r"span|strike|"
    r"strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_PAIR = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|img|wbr)\b[^<>]*>", re.IGNORECASE)
_ESCAPED = re.compile(r"&(?:#[0-9]{1,6}|#x[0-9a-f]{1,5}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)


def plain_title(raw: str | None, *, is_html: bool = True) -> str | None:
    """Return a title as plain text.

    RSS never said whether titles are markup, so it is guessed: inline tags that are closed again
    are markup and go, "a < b" and "Using <div>" stay; entities that survive XML decoding were
    escaped twice and are read once more.
    """
    if not raw:
        return None
    text = raw[:20_000]
    if is_html and "<" in text and _PAIR.search(text):
        text = _INLINE.sub(
            lambda m: " " if m.group()[1:3].lower() in ("br", "p>", "/p") else "", text
        )
    for _ in range(2 if is_html else 1):
        if not _ESCAPED.search(text):
            break
        text = html.unescape(text)
    return squeeze(text) or None


_MAIL = r"[^\s()<>@,;:\"]+@[^\s()<>@,;:\"]+"
_MAIL_THEN_NAME = re.compile(rf"^\s*(?:mailto:)?{_MAIL}\s*\((.*)\)\s*$")
_NAME_THEN_MAIL = re.compile(
    rf"^(.{{0,300}}?)\s{{0,20}}[<(\[]?\s{{0,20}}{_MAIL}\s{{0,20}}[>)\]]?\s{{0,20}}$"
)
_JUNK_NAMES = frozenset(
    {
        "",
        "unknown",
        "anonymous",
        "noreply",
        "author",
        "admin@example.com",
        "none",
        "null",
        "undefined",
    }
)


def author_name(raw: str | None) -> str | None:
    """Return the name in an RSS ``author`` ("mail (Name)", "Name <mail>", a bare name); None for a
    lone mail address or a filler.
    """
    text = plain_title(raw)
    if not text:
        return None
    text = text[:300]
    if "@" in text:
        found = _MAIL_THEN_NAME.match(text) or _NAME_THEN_MAIL.match(text)
        if found:
            text = found.group(1).strip(" ,;\"'")
            if text.lower() in _JUNK_NAMES:
                return None
    text = re.sub(r"^(?:https?://\S+)$", "", text).strip()
    return text if text and text.lower() not in _JUNK_NAMES - {"anonymous"} else None


_AMPERSAND = re.compile(r"&(?:amp|#0*38|#x0*26);", re.IGNORECASE)


def absolute(href: str | None, base: str) -> str | None:
    """Return ``href`` resolved against ``base`` as an http(s) URL without inner white space, else
    None.
    """
    if not href:
        return None
    text = re.sub(r"[\t\r\n]+", "", href.strip())
    if not text or text.startswith("#") or len(text) > 4000:
        return None
    text = _AMPERSAND.sub("&", text)  # escaped once more than XML asks for
    if re.match(r"www\.[^/\s]+\.[a-z]{2,}(?:/|$)", text, re.IGNORECASE):
        text = "http://" + text
    try:
        joined = urljoin(base, text.replace(" ", "%20"))
        joined.encode()  # JSON and headers may hold half a pair of surrogates
        parts = urlsplit(joined)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    return joined


_RELATIVE = re.compile(
    r"""(\s(?:href|src|poster|data-src)\s*=\s*)(["'])(?!\s*(?:[a-z][a-z0-9+.-]*:|//|\#))([^"'<>]{1,2000})\2""",
    re.IGNORECASE,
)


def enclosures(links: Iterable[tuple[str, str]]) -> tuple[MediaFile, ...]:
    """Return the sounds and videos among an entry's enclosures: (URL, declared type) each."""
    found: dict[str, MediaFile] = {}
    for url, mime in links:
        declared = mime.strip().lower().partition("/")[0]
        role = _RECORDED.get(declared) or media_kind(url)
        if role in ("audio", "video"):
            found[url] = MediaFile(url=url, role=role)
    return tuple(found.values())


_RECORDED: dict[str, Literal["audio", "video"]] = {"audio": "audio", "video": "video"}


def absolute_links(content: str, base: str) -> str:
    """HTML with relative ``href``, ``src`` and ``poster`` values made absolute (``srcset`` is left
    to the cleaner).
    """

    def join(found: re.Match[str]) -> str:
        target = absolute(html.unescape(found.group(3)), base)
        return (
            found.group(1) + found.group(2) + html.escape(target) + found.group(2)
            if target
            else found.group()
        )

    return _RELATIVE.sub(join, content)


BREAK = re.compile(r"\s{1,20}[|–—·•»«>:~/-]{1,80}\s{1,20}|(?<=\S):\s{1,20}")
"""What stands between a post's title and its blog's name."""
SEVERAL = 2
"""Entries that must have it: one alone may be called so."""


def without_site_name(entries: Sequence[FeedEntry], title: str | None) -> tuple[FeedEntry, ...]:
    """Return the entries, their titles cut where all of them end with the feed's ``title`` or a
    part of it ("A walk - My blog" of the feed "My blog - notes") or with the name of the one author
    of all, or begin with all of it: a part may be a category's name there, which belongs to the
    titles.
    """
    known = [entry.title for entry in entries if entry.title]
    whole = squeeze(title or "").casefold()
    if len(known) < SEVERAL or not whole:
        return tuple(entries)
    parts = {squeeze(part).casefold() for part in BREAK.split(title or "")} - {""}
    parts |= _only_author(entries)
    for is_last, named in ((True, {whole, *parts}), (False, {whole})):
        own = {title: _cut(title, is_last, named) for title in known}
        if all(own.values()):
            return _retitled(entries, own)
    return tuple(entries)


def _only_author(entries: Sequence[FeedEntry]) -> set[str]:
    """Return the name that all entries have as their only author, or nothing."""
    names = {tuple(map(str.casefold, entry.authors)) for entry in entries}
    return set(*names) if len(names) == 1 and len(min(names)) == 1 else set()


def _retitled(
    entries: Sequence[FeedEntry], titles: Mapping[str, str | None]
) -> tuple[FeedEntry, ...]:
    return tuple(replace(e, title=titles.get(e.title or "", e.title)) for e in entries)


def _cut(title: str, is_last: bool, named: set[str]) -> str:
    """Return the title without the blog's name at its end or beginning; empty if it is not there,
    or nothing else is.
    """
    breaks = list(BREAK.finditer(title))
    for found in breaks if is_last else breaks[::-1]:  # the longest name
        own, name = title[: found.start()], title[found.end() :]
        if not is_last:
            own, name = name, own
        if squeeze(name).casefold() in named:
            return own.strip()
    return ""
