"""One name for one page: what two URLs must share to be the same page, and which URLs belong to a
blog.

``canonicalize`` gives a key to compare by; ``clean`` gives the URL to fetch. RFC 3986 section 6.2
is followed, then the folding that blogs need (section numbers of no standard: see ``_tables``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.urls import parts as urlparts
from blogcrawl.urls import tables

ResourceKind = Literal["page", "media", "file", "feed", "service"]
MediaKind = Literal["image", "audio", "video", "document"]

_TOKEN = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9,\-]{16,}\Z")
_HOST_NAME = re.compile(r"(?:https?://)?[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,12}/?\Z", re.I)
_MEDIUM = re.compile(r"rss-|[a-z_]*-{3}")
"""Where a link stood, as Medium says it: ``collection_home---4------0-----------``."""
_COMMENT_PAGE = re.compile(r"comment-page-[0-9]{1,5}\Z")
"""WordPress: a post with another window of its comments (wp-includes/rewrite:
comments_pagination_base).
"""
_KIND_OF_SUFFIX: dict[str, ResourceKind] = {
    **dict.fromkeys(tables.FILE_SUFFIXES, "file"),
    **dict.fromkeys(tables.FEED_SUFFIXES, "feed"),
    **dict.fromkeys(tables.MEDIA_SUFFIXES, "media"),
}
_KIND_OF_MEDIA: dict[str, MediaKind] = {
    **dict.fromkeys(tables.PICTURE_SUFFIXES, "image"),
    **dict.fromkeys(tables.AUDIO_SUFFIXES, "audio"),
    **dict.fromkeys(tables.VIDEO_SUFFIXES, "video"),
    **dict.fromkeys(tables.DOCUMENT_SUFFIXES | tables.PLUGIN_SUFFIXES, "document"),
}
_MIRRORS = tuple((re.compile(p), to) for p, to in tables.MIRROR_HOSTS)


@lru_cache(maxsize=4096)
def canonicalize(url: str) -> str:
    """Return the key of the page at ``url``: equal for all its spellings. Compare by it; fetch
    ``clean(url)`` instead.

    Folds http/https (default ports), ``www.``, case of host, percent-encoding (NFC), dot segments,
    trailing slash and index files, fragments (but routes of scripts: ``#/post/1``), tracking,
    session, share, reply, print, mobile and AMP marks; sorts the query. Never raises: anything else
    than an http(s) URL comes back stripped.
    """
    parts = urlparts.split(url)
    if parts is None:
        return url.strip()[: urlparts.MAX_URL]
    scheme, host, port = parts.scheme, _folded_host(urlparts.host(parts)), urlparts.port(parts)
    if port == urlparts.DEFAULT_PORTS[scheme]:
        scheme, port = "http", None
    segments = urlparts.segments(_without_copied_query(parts.path))
    if segments and segments[-1].lower() in tables.INDEX_FILES:
        segments.pop()
    segments = _fold_variants(segments)
    segments, items = _without_frame(segments, _query_items(parts.query))
    if parts.fragment and (route := urlparts.route(url.strip())):
        # under the name that crawlers and scripts once agreed on (Google, "Making AJAX applications
        # crawlable", 2009)
        items.append(
            f"_escaped_fragment_={urlparts.normal(route.lstrip('!'), urlparts.QUERY_SAFE)}"
        )
    query = "&".join(sorted(items))
    netloc = host if port is None else f"{host}:{port}"
    return f"{scheme}://{netloc}/{'/'.join(segments)}" + (f"?{query}" if query else "")


@lru_cache(maxsize=1024)
def _folded_host(host: str) -> str:
    """Return the host without ``www.``, and of mirrors that of the original."""
    host = host.removeprefix("www.") if host.count(".") > 1 else host
    for mirror, target in _MIRRORS:
        host = mirror.sub(target, host)
    return host


def _without_frame(segments: list[str], items: list[str]) -> tuple[list[str], list[str]]:
    """Return the path that a platform's frame shows, where path and query are of a frame."""
    names = tables.FRAMED_VIEWS.get(segments[0].lower()) if len(segments) == 1 else None
    if not names:
        return segments, items
    values = dict(item.partition("=")[::2] for item in items)
    if all(values.get(name) for name in names):
        return [values[name] for name in names], []
    return segments, items


def entry_key(url: str) -> str:
    """Return the key of a post: its page's, and its fragment where ``url`` has one that is no
    script's route. Addresses of posts have fragments only where these distinguish several posts of
    one page (``discovery.places`` sees to that).
    """
    head, _, fragment = url.strip().partition("#")
    if not fragment or urlparts.route(url.strip()):
        return canonicalize(url)
    known = urlparts.normal(fragment, urlparts.QUERY_SAFE)
    if known.startswith(_ENCODED_TEXT):  # browsers follow it with its mark as it is only
        known = TEXT + known.removeprefix(_ENCODED_TEXT)
    return f"{canonicalize(head)}#{known}"


TEXT = ":~:text="
"""What a fragment begins with that names a place by its text."""
_ENCODED_TEXT = TEXT.replace("=", "%3D")


@lru_cache(maxsize=4096)
def clean(url: str) -> str:
    """Return ``url`` to fetch: fragment (but a script's route), tracking, session, mobile and print
    marks of the query removed, the post itself in place of its comment pages and other views (AMP);
    the rest as found.

    Never raises: what is no http(s) URL comes back stripped.
    """
    parts = urlparts.split(url)
    if parts is None:
        return url.strip()[: urlparts.MAX_URL]
    host, port = urlparts.host(parts), urlparts.port(parts)
    netloc = host if port in (None, urlparts.DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    path = _whole_post(urlparts.path_to_fetch(parts.path))
    query = "&".join(_query_items(parts.query, bare=False))
    route = urlparts.route(url.strip()) if parts.fragment else ""
    return (
        f"{parts.scheme}://{netloc}{path}"
        + (f"?{query}" if query else "")
        + (f"#{route}" if route else "")
    )


def _without_copied_query(path: str) -> str:
    """Return a path without the query in its file's name of which nothing is left: mirrors write
    ``page.html%3FshowComment=1.html`` for ``page.html?showComment=1``, wget for other systems
    ``index.html@share=twitter.html``.
    """
    head, _, query = urlparts.as_asked(path).partition("?")
    return head if query and not _query_items(query) else path


def _query_items(query: str, *, bare: bool = True) -> list[str]:
    out, has_year = [], _YEAR.search(query) is not None
    for item in filter(None, query.replace("&amp;", "&").split("&")):
        name, sep, value = item.partition("=")
        if _meaningless(name.lower(), value, has_year=has_year):
            continue
        if not (urlparts.PLAIN.match(item) and "+" not in item):
            name, value = (
                urlparts.normal(part.replace("+", " "), urlparts.QUERY_SAFE)
                for part in (name, value)
            )
        out.append(f"{name}={value}" if sep and (value or not bare) else name)
    return out


_YEAR = re.compile(
    r"(?:^|[&;])(?:y|yy|yr|year|jahr|jaar|annee|ano|anno|rok)=(?:\d\d){1,2}(?=[&;]|$)", re.I
)
"""An item that is a year: ``m=1`` next to it is January, not a view for telephones."""


def _meaningless(name: str, value: str, *, has_year: bool = False) -> bool:
    if has_year and name == "m":
        return False
    if (
        name in tables.TRACKING
        or name in tables.SESSION
        or name.startswith(tables.TRACKING_PREFIXES)
    ):
        return True
    if name in tables.SESSION_WHEN_TOKEN or name.startswith("aspsessionid"):
        return _TOKEN.match(value) is not None
    if name in tables.REFERRER_NAMES:
        return (
            value.lower() in tables.REFERRER_VALUES
            or _MEDIUM.match(value) is not None
            or _HOST_NAME.match(value) is not None
        )
    return (name, value.lower()) in tables.VARIANTS


def _fold_variants(segments: list[str]) -> list[str]:
    """AMP, print and embedded views folded into their post; ``/tag/amp`` and ``/2012/03/print``
    stay what they are.
    """
    if not segments:
        return segments
    last = segments[-1]
    low = last.lower()
    if low in ("amp", "print", "embed", "amp.html") and _has_post_before(segments[:-1]):
        return segments[:-1]
    if _COMMENT_PAGE.match(low) and len(segments) > 1:
        return segments[:-1]
    if low.endswith(".amp.html"):
        return [*segments[:-1], last[:-9] + last[-5:]]
    if low.endswith(".amp") and len(low) > 4:
        return [*segments[:-1], last[:-4]]
    return segments


def _whole_post(path: str) -> str:
    """Return the path without a last segment that names a view of the post before it."""
    bare = path.rstrip("/")
    if bare.rpartition("/")[2].lower() in tables.INDEX_FILES:
        bare = bare.rpartition("/")[0]
    head, _, last = bare.rpartition("/")
    segments = urlparts.segments(head)
    if not segments or len(_fold_variants([*segments, last])) > len(segments):
        return path
    return head + ("/" if len(path) > len(bare) else "")


def _has_post_before(segments: list[str]) -> bool:
    if not segments or segments[-1].isdigit() or segments[-1].lower() in tables.TAXONOMY_SEGMENTS:
        return False
    if len(segments) > 1 and segments[-2].lower() in tables.TAXONOMY_SEGMENTS:
        return False
    return any(c in segments[-1] for c in "-_.") or any(s.isdigit() for s in segments)


def host_of(url: str) -> str:
    """Return host (and port where unusual) of the canonical form, ``""`` without one."""
    key = canonicalize(url)
    return key.split("/", 3)[2] if key.startswith(("http://", "https://")) else ""


def origin_of(url: str) -> str:
    """Return scheme, host and port as written (RFC 6454, 6.2)."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_same_file(a: str, b: str) -> bool:
    """Return whether two addresses are of one page in one folder, as ``/x/`` and ``/x/index.html``
    are: links on it lead to the same, whichever it is read at."""
    return canonicalize(a) == canonicalize(b) and urljoin(a, ".") == urljoin(b, ".")


def without_language(url: str) -> str:
    """Return an address (canonical) without the codes of languages that parts of its host and path
    are: ``fr.a.example/blog`` and ``a.example/en/blog`` are one, but for a query."""
    scheme, _, rest = canonicalize(url).partition("://")
    host, _, path = rest.partition("?")[0].partition("/")
    sub, _, domain = host.partition(".")
    own = domain if LANGUAGE_CODE.match(sub) and "." in domain else host
    names = [name for name in path.split("/") if not LANGUAGE_CODE.match(name)]
    return f"{scheme}://{'/'.join([own, *filter(None, names)])}"


def same_site(a: str, b: str) -> bool:
    """Return whether both URLs are on one host, or one on a sub-domain of the other's."""
    x, y = host_of(a), host_of(b)
    return bool(x) and bool(y) and (x == y or x.endswith("." + y) or y.endswith("." + x))


@lru_cache(maxsize=4096)
def resource_kind(url: str) -> ResourceKind:
    """Return what the URL alone shows that it leads to; ``page`` where it shows nothing."""
    parts = urlparts.split(url)
    if parts is None:
        return "service"
    segments = list(filter(None, parts.path.lower().split("/")))
    stem, dot, suffix = "".join(segments[-1:]).rpartition(".")
    if not tables.SERVICE_SEGMENTS.isdisjoint(segments):
        return "media" if dot and suffix in tables.MEDIA_SUFFIXES else "service"
    names = {item.partition("=")[0] for item in parts.query.lower().split("&")}
    if names & tables.FEED_QUERY:
        return "feed"
    if stem and (kind := _kind_of_file(stem, suffix, parts.query)):
        return kind
    return "feed" if _is_feed_path(segments) else "page"


def may_be_page(url: str) -> bool:
    """Return whether a page may be at the URL: its suffix is that of no medium and no document, but
    perhaps the end of a name, as in ``/post/node.js`` and ``/post/feed``."""
    kind = resource_kind(url)
    return kind in ("page", "feed") or (kind == "file" and media_kind(url) is None)


def media_kind(url: str) -> MediaKind | None:
    """Return which kind of file of a post the URL's suffix shows; None of all else."""
    parts = urlparts.split(url)
    return _KIND_OF_MEDIA.get(parts.path.lower().rpartition(".")[2]) if parts is not None else None


def _kind_of_file(stem: str, suffix: str, query: str) -> ResourceKind | None:
    if query and suffix not in _KIND_OF_SUFFIX and _is_comment_script(stem, suffix):
        return "page" if tables.POST_IN_COMMENT_SCRIPT.search(query) else "service"
    return _KIND_OF_SUFFIX.get(suffix)


def _is_comment_script(stem: str, suffix: str) -> bool:
    """Return whether a file is a script that comments are sent to."""
    return suffix in tables.SCRIPT_SUFFIXES and tables.COMMENT_SCRIPT.fullmatch(stem) is not None


def _is_feed_path(segments: list[str]) -> bool:
    """Return whether a path is a usual one of feeds: ``/feed``, ``/feeds/…``, ``/feed/atom``, and
    Blogger's also where a relative link put it below another folder.
    """
    return bool(segments) and (
        segments[-1] in tables.FEED_LAST_SEGMENTS
        or segments[0] == "feeds"
        or segments[-2:-1] == ["feed"]
        or segments[-3:-1] == ["feeds", "posts"]
    )


SHORTEST_NAME = 3
"""Letters of a folder's name that means a blog where a query gives it."""


LANGUAGE_CODE = re.compile(r"^[a-z]{2}(?:[-_][a-z]{2,4})?$", re.IGNORECASE)
"""Code of a language, as addresses have it: ``fr``, ``pt-br``."""


class Scope:
    """Which URLs belong to the blog: its host (with or without ``www``), its path prefix, minus
    what the user excludes.

    ``include`` and ``exclude`` are globs parted by blanks or commas. ``*`` stands for anything; a
    pattern that starts with ``/`` is held against path and query, any other against host, path and
    query; one without ``*`` covers all below it. Matching is linear in the URL's length. With
    ``include``, only what it matches on the blog's hosts is in scope.
    """

    def __init__(
        self, home_url: str, include: str = "", exclude: str = "", subdomains: bool = False
    ) -> None:
        self.home_key = canonicalize(home_url)
        self.subdomains = subdomains
        self.hosts: set[str] = {host_of(home_url)}
        self.prefix = _folder(home_url)
        self._include = [p for p in re.split(r"[\s,]+", include) if p]
        self._exclude = [p for p in re.split(r"[\s,]+", exclude) if p]

    @classmethod
    def around(cls, start_url: str, home_url: str, include: str = "", exclude: str = "") -> Scope:
        """Return the scope of a blog asked for as ``start_url``, whose start page is at
        ``home_url``.

        A redirect or refresh within the site never narrows it: a home page that forwards to the
        newest month is still the home of all months. To another site it moves it.
        """
        return cls(start_url, include, exclude).at(home_url)

    def at(self, home_url: str) -> Scope:
        """Return the same wishes about another home page, as wide as before where that is on the
        site.
        """
        include, exclude = " ".join(self._include), " ".join(self._exclude)
        scope = Scope(home_url, include, exclude, self.subdomains)
        if any(same_site(f"http://{host}/", home_url) for host in self.hosts):
            scope.hosts |= self.hosts
            if f"{scope.prefix}/".startswith(f"{self.prefix}/"):
                scope.prefix = self.prefix
        return scope

    def contains(self, url: str) -> bool:
        """True if the crawler may follow ``url`` as part of the blog."""
        key = canonicalize(url)
        if not key.startswith(("http://", "https://")):
            return False
        host, _, rest = key.split("://", 1)[1].partition("/")
        path = "/" + rest
        if not self._on_host(host) or any(_glob(p, host, path) for p in self._exclude):
            return False
        if key == self.home_key:
            return True
        if self._include:
            return any(_glob(p, host, path) for p in self._include)
        return self._is_below_prefix(path) or self._names_the_blog(rest.partition("?")[2])

    def is_unwanted(self, url: str) -> bool:
        """Return whether the patterns that the user named leave an address out."""
        if any(matches(pattern, url) for pattern in self._exclude):
            return True
        return bool(self._include) and not any(matches(pattern, url) for pattern in self._include)

    def _is_below_prefix(self, path: str) -> bool:
        prefix = self.prefix
        return not prefix or path == prefix or path.startswith((prefix + "/", prefix + "?"))

    def _names_the_blog(self, query: str) -> bool:
        """Return whether the query of a blog in a folder of one name (``/ann``) gives that name
        (``/view?blog=ann&no=7``, as Naver does).
        """
        name = self.prefix[1:]
        return (
            len(name) >= SHORTEST_NAME
            and "/" not in name
            and any(item.partition("=")[2] == name for item in query.split("&"))
        )

    def _on_host(self, host: str) -> bool:
        return host in self.hosts or (
            self.subdomains and any(host.endswith("." + h) for h in self.hosts)
        )

    def widen(self, post_urls: Iterable[str]) -> bool:
        """Learn from known posts: where most lie outside, include their host (of the same domain)
        or drop the prefix.

        Returns whether the scope changed.
        """
        keys = [k for k in map(canonicalize, post_urls) if k.startswith("http")]
        outside = [k for k in keys if not self.contains(k)]
        if 2 * len(outside) <= len(keys):
            return False
        before = (frozenset(self.hosts), self.prefix)
        self.hosts |= _of_same_domains(map(host_of, outside), self.hosts)
        inside = [urlsplit(k).path for k in keys if self._on_host(host_of(k))]
        if 2 * sum(not path.startswith(self.prefix + "/") for path in inside) > len(keys):
            self.prefix = ""
        return before != (frozenset(self.hosts), self.prefix)

    def widen_on_site(self, urls: Iterable[str]) -> bool:
        """Do the same with what the start page calls posts, where there are several: where a list
        of posts has a folder of its own, they may lie next to it. No other host is included.
        """
        near = {url for url in urls if host_of(url) in self.hosts}
        return len(near) >= SEVERAL and self.widen(near)


def _folder(home_url: str) -> str:
    parts = urlparts.split(home_url)
    segments = urlparts.segments(parts.path) if parts else []
    if segments and ("." in segments[-1] and not segments[-1].startswith("~")):
        segments.pop()
    return "/" + "/".join(segments) if segments else ""


def _of_same_domains(hosts: Iterable[str], known: Iterable[str]) -> set[str]:
    domains = set(map(_domain, known))
    return {host for host in hosts if _domain(host) in domains}


def _domain(host: str) -> str:
    """Return the last labels: two, or three below a short second level (``co.uk``); addresses stay
    whole.
    """
    name = host.split(":")[0]
    labels = name.split(".")
    if name.replace(".", "").isdigit() or host.startswith("["):
        return host
    return ".".join(
        labels[-3:]
        if len(labels) > 2 and len(labels[-2]) <= 3 and len(labels[-1]) == 2
        else labels[-2:]
    )


def matches(pattern: str, url: str) -> bool:
    """Return whether a glob as ``Scope`` takes it stands for the address."""
    host, _, rest = canonicalize(url).split("://", 1)[-1].partition("/")
    return _glob(pattern, host, "/" + rest)


def _glob(pattern: str, host: str, path: str) -> bool:
    if pattern.startswith("/"):
        text = path
    else:
        pattern = pattern.split("://", 1)[-1].removeprefix("www.")
        text = host + path
    if "*" not in pattern:
        bare = pattern.rstrip("/")
        return text in (bare, pattern) or text.startswith((bare + "/", bare + "?"))
    head, *middle, tail = pattern.split("*")
    if not (text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail)):
        return False
    at, end = len(head), len(text) - len(tail)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
