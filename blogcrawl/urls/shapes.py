"""URL clusters: URLs of one shape share a cluster, and a cluster shares its fate.

Folder names stay as written until a folder has shown MANY different ones; then they are one cluster
(``/user/*/posts``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from blogcrawl.urls.parts import path_and_query
from blogcrawl.urls.post_pattern import segment_kind

MANY = 24
"""Distinct names after which a place in the path is a variable: more than the sections of most
sites, fewer than the users of any.
"""
MAX_CLUSTERS = 400
"""Per frontier: choosing the best looks at each of them. Later shapes share their host's last
cluster.
"""
MAX_DEPTH = 12
MAX_PARTS = 60
"""Further pages of one post: beyond that the numbers mean something else."""
_PART = re.compile(r"(?:/|[?&](?:page|paged|pg|seite|pagina)=)([1-9][0-9]?)")
_HAS_DIGIT = re.compile(r"\d")
_ADDED = re.compile(r"[;/&]")
"""What stands before something that is added to an address."""
_ELSEWHERE = re.compile(
    r".{0,200}https?:|"
    r"[^@]{1,64}@[a-z0-9.-]{1,60}\.[a-z]{2,8}|"
    r"www\.[^.]{1,60}\..{2,60}|"
    r"(?:[a-z0-9-]{1,60}\.){1,4}(?:com|org|net|edu|gov|info|io)",
    re.I,
)
"""A name in a path that is what links begin with that lead to other sites, or to a person."""


class Shapes:
    """Gives every canonical URL its cluster's name: ``host|/tag/*``. Names once given are kept in
    mind, not on disk.
    """

    def __init__(self) -> None:
        self._children: dict[str, set[str]] = {}
        self._names: set[str] = set()

    def name(self, key: str, flavour: str = "") -> str:
        """Return cluster of ``key``; ``flavour`` parts likely posts from other pages of the same
        shape."""
        host, path = self._shape(key)
        name = f"{host}|{path}|{flavour}"
        if name not in self._names:
            if len(self._names) >= MAX_CLUSTERS:
                return f"{host}|*|{flavour}"
            self._names.add(name)
        return name

    def remember(self, name: str) -> None:
        """Remember a name found on disk: after a restart, names continue as before."""
        self._names.add(name)
        host, _, rest = name.partition("|")
        at = host
        for segment in rest.rpartition("|")[0].partition("?")[0].split("/")[1:-1]:
            self._children.setdefault(at, set()).add(segment)
            at += "/" + segment

    def _shape(self, key: str) -> tuple[str, str]:
        path, query = path_and_query(key)
        host, *segments = path.split("/")
        parent, shape = host, ""
        for at, segment in enumerate(segments[:-1]):
            step = self._folder(parent, at, segment)
            parent += "/" + step
            shape += "/" + step
        shape += "/" + (_leaf(segments[-1]) if segments else "")
        if query:
            names = sorted({_name(item) for item in query.split("&")[:8]})
            shape += "?" + "&".join(names[:3] + ["…"] * (len(names) > 3))
        return host, shape

    def _folder(self, parent: str, at: int, segment: str) -> str:
        if at >= 4:
            return "*"
        if segment_kind(segment) != "name":
            return "#"
        children = self._children.get(parent)
        if children is None:
            if len(self._children) >= 4 * MAX_CLUSTERS:
                return "*"
            children = self._children[parent] = set()
        if segment in children:
            return segment
        if len(children) >= MANY or len(segment) > 40 or len(_HAS_DIGIT.findall(segment)) > 2:
            return "*"
        children.add(segment)
        return segment


def _leaf(segment: str) -> str:
    stem, dot, ext = segment.rpartition(".")
    suffix = ""
    if dot and stem and len(ext) <= 5 and ext.isalpha():
        segment, suffix = stem, "." + ext.lower()
    kind = segment_kind(segment)
    if kind == "name":
        return "*" + suffix
    return ("#" if kind != "date-name" else "#-*") + suffix


def _name(item: str) -> str:
    name, _, value = item.partition("=")
    return f"{name[:24]}={'#' if value.isdecimal() else '*'}"


def is_trap(key: str) -> bool:
    """Paths that grow by themselves: too deep, or a segment that comes back thrice at equal
    distance (``/a/a/a``, ``/a/b/a/b/a/b``, and ``/posts/x/posts/y/posts/z``: relative links that
    lack their first slash), or a huge query."""
    path, query = path_and_query(key)
    segments = path.split("/")[1:]
    if len(segments) > MAX_DEPTH or len(key) > 1500 or query.count("&") > 12:
        return True
    for size in (1, 2, 3, 4):
        for first, second, third in zip(
            segments, segments[size:], segments[2 * size :], strict=False
        ):
            if first == second == third and not first.isdecimal():
                return True
    return False


def leads_elsewhere(key: str, own: str) -> bool:
    """Return whether a link of the page ``own`` (both canonical) is meant for another site or a
    person, and lacks its scheme (``/2007/03/a-walk/www.example.org``): one of its names is theirs,
    and none in the page's own address."""
    names = set(path_and_query(key)[0].split("/")[1:]) - set(path_and_query(own)[0].split("/"))
    return any(map(_ELSEWHERE.fullmatch, names))


def addresses_above(key: str) -> Iterator[str]:
    """Yield the addresses that a canonical URL adds something to."""
    for mark in _ADDED.finditer(key, key.find("://") + 3):
        yield key[: mark.start()]


def part_number(key: str, post: str) -> int | None:
    """Return which further page of a post an address is (``/a-walk/2``, ``/a-walk?page=2``), both
    canonical; None for other pages.
    """
    found = _PART.fullmatch(key[len(post) :]) if key.startswith(post) else None
    number = int(found[1]) if found else 0
    return number if 2 <= number <= MAX_PARTS else None
