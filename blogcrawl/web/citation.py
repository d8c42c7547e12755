"""Citations of an archived post: BibTeX, RIS, CSL-JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import calendar_date, edtf_date, is_approximate
from blogcrawl.web.sanitise import plain

_BIBTEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_KEY = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a citation names. ``permalink``: of the archived version, ``archived``: its time."""

    post: Post
    blog: str
    permalink: str
    archived: datetime | None

    @property
    def title(self) -> str:
        return _line(self.post.title or self.post.canonical_url)

    @property
    def day(self) -> str:
        """Return the day of publication as precisely as it is known: 2014-03-01, 2014-03, 2014."""
        return calendar_date(self.post.published)

    @property
    def is_approximate(self) -> bool:
        """Return whether the date of publication is approximate."""
        return self.post.published is not None and is_approximate(self.post.published)


def _line(text: object) -> str:
    return " ".join(plain(text).split())


def bibtex(cited: Cited) -> str:
    """Return an entry of the type ``online`` (biblatex)."""
    post = cited.post
    fields = {
        "author": " and ".join("{" + _tex(name) + "}" for name in post.authors),
        "title": "{" + _tex(cited.title) + "}",
        "date": edtf_date(post.published),
        "url": _address(post.canonical_url),
        "urldate": calendar_date(cited.archived),
        "organization": "{" + _tex(_line(cited.blog)) + "}",
        "langid": _tex(post.language or ""),
        "note": "Archived at \\url{" + _address(cited.permalink) + "}",
    }
    first = _line(post.authors[0] if post.authors else cited.blog).lower()
    key = _KEY.sub("", first)[:20] + (cited.day[:4] or "nd")
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value and value != "{}"]
    return f"@online{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _tex(text: str) -> str:
    return "".join(_BIBTEX.get(letter, letter) for letter in _line(text))


def _address(url: str) -> str:
    return _line(url).replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


def ris(cited: Cited) -> str:
    """Return a record of the type BLOG."""
    post = cited.post
    lines: list[tuple[str, str | None]] = [
        ("TY", "BLOG"),
        *(("AU", name) for name in post.authors),
        ("TI", cited.title),
    ]
    lines += [("T2", cited.blog), ("DA", _ris_date(cited)), ("UR", post.canonical_url)]
    lines += [("L2", cited.permalink), ("Y2", calendar_date(cited.archived).replace("-", "/"))]
    lines += [("LA", post.language), *(("KW", tag) for tag in post.tags)]
    text = "".join(f"{name}  - {_line(value)}\r\n" for name, value in lines if value)
    return text + "ER  - \r\n"


def _ris_date(cited: Cited) -> str:
    """Return ``YYYY/MM/DD/other``; the last two slashes only where "other" says something."""
    day = cited.day.replace("-", "/")
    return f"{day}{'/' * (3 - day.count('/'))}approximate" if cited.is_approximate else day


def csl_json(cited: Cited) -> str:
    """Return an array with one item of the type ``post-weblog``."""
    post = cited.post
    item = {
        "id": cited.permalink,
        "type": "post-weblog",
        "title": cited.title,
        "author": [{"literal": _line(name)} for name in post.authors],
        "container-title": _line(cited.blog),
        "issued": _issued(cited),
        "accessed": _parts(calendar_date(cited.archived)),
        "URL": post.canonical_url,
        "archive_location": cited.permalink,
        "language": post.language,
        "keyword": ", ".join(map(_line, post.tags)),
    }
    kept = {name: value for name, value in item.items() if value}
    return json.dumps([kept], ensure_ascii=False, indent=1) + "\n"


def _issued(cited: Cited) -> Mapping[str, object] | None:
    parts = _parts(cited.day)
    return {**parts, "circa": True} if parts and cited.is_approximate else parts


def _parts(day: str) -> Mapping[str, list[list[int]]] | None:
    numbers = [int(part) for part in day.split("-") if part.isdigit()]
    return {"date-parts": [numbers]} if numbers else None


FORMS: dict[str, tuple[Callable[[Cited], str], str]] = {
    "bib": (bibtex, "application/x-bibtex"),
    "ris": (ris, "application/x-research-info-systems"),
    "json": (csl_json, "application/vnd.citationstyles.csl+json"),
}
"""Ending of the file -> what writes it, and its type."""
