"""Pieces of URLs in normal form (RFC 3986 section 6.2.2): what ``canonical`` and ``pattern`` build
on.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

PLAIN = re.compile(r"[A-Za-z0-9\-._~/:@!$&'()*+,;=]*\Z")
_PATH_SAFE = ":@!$&'()*+,;=-._~"
QUERY_SAFE = ":@!$'()*,/-._~[]|"
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid|cfid|cftoken)=[^;/]*", re.I)
_DOTTED = re.compile(r"(?:\A|/)\.{1,2}(?:/|\Z)")
DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL = 4096
"""Characters; longer URLs are cut before anything looks at them (RFC 9110 section 4.1 speaks of
8000; no post needs half).
"""


@lru_cache(maxsize=256)
def split(url: str) -> SplitResult | None:
    """Return parts of an http(s) URL with a host, else None."""
    try:
        parts = urlsplit(url.strip()[:MAX_URL])
    except ValueError:
        return None
    return parts if parts.scheme in DEFAULT_PORTS and _authority(parts.netloc)[0] else None


@lru_cache(maxsize=1024)
def _authority(netloc: str) -> tuple[str, int | None]:
    """Return host ("" without one) and port (None without a valid one) as ``host`` and ``port``
    give them: the links of a page share a few.
    """
    parts = SplitResult("", netloc, "", "", "")
    try:
        name = _host_name(parts.hostname or "")
    except ValueError:
        return "", None
    try:
        return name, parts.port
    except ValueError:
        return name, None


_ROUTE = re.compile(r"(?:!|/)[!/]*+(?=[^/]*\w)[^#\s]*")


def route(url: str) -> str:
    """Return the fragment where it names a page that a script draws (``#/post/1``, ``#!post/1``),
    without slash at its end; else "".
    """
    head, _, fragment = url.partition("#")
    return (
        fragment.rstrip("/")
        if head and fragment[:1] in ("/", "!") and _ROUTE.fullmatch(fragment)
        else ""
    )


_PARAMETERS = re.compile(r"[a-z]\w*+,[a-z]\w*+,[^,]*+\Z", re.I)
"""A kind of page, the name of a value, and the value (dasBlog)."""


_SAVED = re.compile(r"(?P<name>[^/?@]*)(?:%3F|@)(?P<query>[a-z_]{1,20}=[^/?@]*?)(?:\.html?)?", re.I)
_INDEX = re.compile(r"index\.(?:html?|php)$", re.I)


def as_asked(url: str) -> str:
    """Return an address with the query that a mirror has put into the name of a file, as wget does
    (``index.html%3Fp=12.html``, ``index.html@paged=2.html``), behind a question mark again."""
    folder, slash, last = url.rpartition("/")
    found = _SAVED.fullmatch(last)
    return f"{folder}{slash}{_INDEX.sub('', found['name'])}?{found['query']}" if found else url


def as_read(url: str) -> SplitResult:
    """Return the parts of an address as ``as_asked``; the path of a page that a script draws is its
    route (``/#/page/2``)."""
    shown = route(url)
    return urlsplit("/" + shown.strip("!/") if shown else as_asked(url))


def path_and_query(key: str) -> tuple[str, str]:
    """Return a canonical URL without its scheme, parted at the query; a query that is a path
    (``index.php?/archives/3-a-walk.html``, ``?post/2007/10/07/A-Walk``, ``?q=node/12``, of servers
    that rewrite no addresses) goes to the path, and words that lead to a value in a file's name
    (``PermaLink,guid,3f.aspx``, ``default,month,2005-04.aspx``) are its folders.
    """
    path, _, query = as_asked(key).split("://", 1)[-1].partition("?")
    folder, slash, name = path.rpartition("/")
    if _PARAMETERS.match(name):
        path = folder + slash + name.replace(",", "/")
    way, _, rest = query.partition("&")
    way = way.rpartition("=")[2]
    if "/" in way.strip("/") and "//" not in way:
        return f"{path.rstrip('/')}/{way.strip('/')}", rest
    return path, query


def port(parts: SplitResult) -> int | None:
    """Return the port, the scheme's own without a valid one."""
    return _authority(parts.netloc)[1] or DEFAULT_PORTS[parts.scheme]


def host(parts: SplitResult) -> str:
    """Lower case, IDNA, no final dot; an IPv6 address in brackets."""
    return _authority(parts.netloc)[0]


def _host_name(name: str) -> str:
    name = name.rstrip(".")
    if ":" in name:
        return f"[{name}]"
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            name = quote(name, errors="replace")
    return name.lower()


def normal(text: str, safe: str) -> str:
    """Return the percent-encoding in normal form: decoded once, NFC if it is UTF-8, encoded again
    but for ``safe``.
    """
    raw = unquote_to_bytes(text.encode("utf-8", "replace"))
    if not raw.isascii():
        try:
            raw = unicodedata.normalize("NFC", raw.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:
            pass  # a legacy charset: its bytes are the name
    return quote(raw, safe=safe)


def segments(path: str) -> list[str]:
    """Return path segments in normal form, dot segments resolved, empty ones gone."""
    if ";" in path:
        path = _SESSION_PATH.sub("", path)
    plain = PLAIN.match(path) is not None
    out: list[str] = []
    for part in path.split("/"):
        segment = part if plain else normal(part, _PATH_SAFE)
        if segment == "..":
            if out:
                out.pop()
        elif segment not in ("", "."):
            out.append(segment)
    return out


def path_to_fetch(path: str) -> str:
    """Return the path as it was written, session marks and dot segments gone.

    Empty segments stay: for most servers they make no difference, for stores of objects they do.
    Percent-encoding is left alone: ``%c3%b8`` is what the page calls itself, and a server whose
    file names are not in NFC finds them under the bytes that it wrote into its links only.
    """
    path = _SESSION_PATH.sub("", path) if ";" in path else path
    if not _DOTTED.search(path):
        return path or "/"
    kept = segments(path)
    return "/" + "/".join(kept) + ("/" if kept and path.endswith(("/", "/.", "/..")) else "")
