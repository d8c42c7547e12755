"""What a style sheet makes a browser load: imports, images, fonts. Pure.

Reads the few tokens of CSS Syntax 3 that can name a file and passes over all others: one scan,
linear in time, whatever the sheet holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from blogcrawl.crawling.pipelines.srcset import shown_among

_TOKEN = re.compile(
    r"""/\*.*?(?:\*/|\Z)
    | (?<![\w-])url\(\s*+(?P<url>"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?
        |(?:[^"'()\\\s]|\\(?:[0-9a-f]{1,6}\s?|.))*+)
      \s*+\)?
    | (?P<string>"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)
    | (?<![\w-])(?P<set>(?:-webkit-)?image-set\()
    | @(?P<at>[\w-]++)
    | (?P<mark>[{}();])""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_PROPERTY = re.compile(r"(?:\s|/\*.*?(?:\*/|\Z))*+([*_]?[\w-]++)\s*+:", re.DOTALL)
_FORMAT = re.compile(r"""\s*+format\(\s*+["']?([\w-]*+)""", re.IGNORECASE)
_RESOLUTION = re.compile(
    r"\s*+(?:type\([^()]{0,99}\)\s*+)?([\d.]++)(x|dppx|dpi|dpcm)", re.IGNORECASE
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|\n|(.))", re.DOTALL)
_DOTS = {"x": 1.0, "dppx": 1.0, "dpi": 96.0, "dpcm": 96 / 2.54}
"""Dots a unit, of one device pixel a CSS pixel (CSS Values 4, 7.4)."""
_NOT_LOADED = frozenset({"behavior", "-ms-behavior", "-moz-binding"})
"""Properties whose files no browser of today loads."""
FONT_FORMATS = frozenset(
    "woff2 woff truetype opentype collection woff2-variations woff-variations truetype-variations "
    "opentype-variations".split()
)
"""Formats that today's browsers all read (CSS Fonts 4, 4.3.1); not ``svg`` and
``embedded-opentype``.
"""
_UNREAD_FONT = re.compile(r"\.(?:eot|svgz?)(?:$|[?#])", re.IGNORECASE)


def named_in_style(css: str) -> list[str]:
    """Return references, as they stand, of the files that ``css`` loads, each once; imports come
    first by the grammar. Of a font's and of a picture's alternatives the one that a browser takes.
    """
    if "url(" not in (lower := css.lower()) and "@import" not in lower and "image-set" not in lower:
        return []
    return list(dict.fromkeys(filter(None, _Scan(css).references())))


def fonts_instead(css: str) -> dict[str, str]:
    """Return, for files of fonts that ``css`` names, the one that a browser asks for where that is
    missing.
    """
    scan = _Scan(css)
    for _ in scan.references() if "@font-face" in css.lower() else ():
        continue
    return scan.instead


class _Scan:
    """State of the scan of one sheet or declaration list."""

    def __init__(self, css: str) -> None:
        self._css = css
        self._statement = ""
        """At-rule whose prelude is being read."""
        self._start = 0
        """Where the declaration begins."""
        self._property: str | None = None
        self._is_font = self._has_rules = False
        self._fonts: list[tuple[str, str]] = []
        """Of the font's last ``src``: files with their formats."""
        self.instead: dict[str, str] = {}
        self._depth = 0
        """Open parentheses, from those of an image-set on."""
        self._set: list[tuple[float, str]] = []

    def references(self) -> Iterator[str]:
        for token in _TOKEN.finditer(self._css):
            kind, text = token.lastgroup, token[token.lastgroup] if token.lastgroup else ""
            if kind == "mark":
                yield from self._mark(text, token.end())
            elif kind == "at":
                self._statement = text.lower()
            elif kind == "set":
                self._depth, self._set = 1, []
            elif kind is not None:
                yield from self._name(_unquoted(text), kind, token.end())
        yield from self._end_of_font()

    def _mark(self, mark: str, end: int) -> Iterator[str]:
        if mark in "()":
            if self._depth:
                self._depth += 1 if mark == "(" else -1
                yield from () if self._depth else shown_among(self._set)
            return
        if mark == "}":
            yield from self._end_of_font()
        elif mark == "{":
            self._is_font, self._has_rules = self._statement == "font-face", True
        self._statement, self._start, self._property, self._depth = "", end, None, 0

    def _name(self, name: str, kind: str, end: int) -> Iterator[str]:
        """Yield a string or url()."""
        if self._statement:
            if self._statement == "import" and not self._has_rules:
                yield name
            self._statement = "read"
        elif self._depth == 1:
            self._set.append((_density(_RESOLUTION.match(self._css, end)), name))
        elif kind == "url" and self._is_loaded():
            if self._is_font:
                hint = _FORMAT.match(self._css, end)
                self._fonts.append((name, hint[1].lower() if hint else ""))
            else:
                yield name

    def _is_loaded(self) -> bool:
        """Return whether browsers read the declaration."""
        if self._property is None:
            found = _PROPERTY.match(self._css, self._start)
            self._property = found[1].lower() if found else ""
            if self._property == "src":
                self._fonts = []
        return self._property[:1] not in ("*", "_") and self._property not in _NOT_LOADED

    def _end_of_font(self) -> Iterator[str]:
        read = [
            name
            for name, hint in self._fonts
            if (hint in FONT_FORMATS if hint else not _UNREAD_FONT.search(name))
        ]
        self.instead.update(pairwise(read))
        yield from read[:1]
        self._fonts, self._is_font = [], False


def _density(found: re.Match[str] | None) -> float:
    """Return dots a CSS pixel of a candidate; 1 where it names none."""
    try:
        return float(found[1]) / _DOTS[found[2].lower()] if found else 1.0
    except ValueError:
        return 1.0


def _unquoted(text: str) -> str:
    if text[:1] in ("'", '"'):
        text = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return _ESCAPE.sub(_unescaped, text).strip() if "\\" in text else text.strip()


def _unescaped(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[2] or ""
    code = int(found[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
