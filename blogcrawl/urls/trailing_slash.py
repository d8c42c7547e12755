"""The last slash: sites that redirect every link that lacks it (or has it) are asked in the form
they answer to.

Static hosts keep pages as folders and send ``/post`` to ``/post/``; others do the contrary. Links
that don't know this cost every page a second request. Pure: what was asked and where the answer
came from goes in, the address to ask for comes out; a page's identity (``canonicalize``) is the
same under both.
"""

from __future__ import annotations

from urllib.parse import urlsplit

MIN_REDIRECTS = 2
"""Redirects that do nothing but add (or drop) the slash, before it is done beforehand."""
IN_VAIN = 3
"""Pages that neither form had, after which a mere link's other form is not tried any more."""


def slash_form(url: str, slash: bool) -> str:
    """Return ``url`` with or without its last slash; unchanged if its path is the root, or if a
    slash would follow a file's name.
    """
    parts = urlsplit(url)
    bare = parts.path.rstrip("/")
    if not bare or (slash and "." in bare.rpartition("/")[2]):
        return url
    return parts._replace(path=bare + "/" * slash).geturl()


class SlashHabit:
    """What one crawl has seen of its hosts."""

    def __init__(self) -> None:
        self._seen: dict[str, list[int]] = {}
        """Host -> redirects that added the slash, that dropped it"""
        self._plain: set[tuple[str, bool]] = set()
        """Hosts that answered an address as it was, with or without the slash"""
        self._vain: dict[str, int] = {}

    def observe(self, asked: str, answered: str) -> None:
        """Note that the page requested at ``asked`` was answered by ``answered``, after redirects
        or as it is.
        """
        parts = urlsplit(asked)
        if len(parts.path) < 2 or parts.netloc != urlsplit(answered).netloc:
            return
        seen = self._seen.setdefault(parts.netloc, [0, 0])
        slash = parts.path.endswith("/")
        if answered != asked and slash_form(answered, slash) == asked:
            seen[slash] += 1
        elif answered == asked and slash_form(asked, not slash) != asked:
            self._plain.add((parts.netloc, slash))

    def form(self, url: str) -> str:
        """Return the address to ask for instead of ``url``."""
        host = urlsplit(url).netloc
        adds, drops = (
            count >= MIN_REDIRECTS and (host, at == 1) not in self._plain
            for at, count in enumerate(self._seen.get(host, (0, 0)))
        )
        return url if adds == drops else slash_form(url, adds)

    def missed(self, url: str, *, likely: bool) -> bool:
        """Return whether ``url`` is worth a request after ``form(url)`` was missing. Always where
        it may be a post.
        """
        host = urlsplit(url).netloc
        self._vain[host] = self._vain.get(host, 0) + 1
        return likely or self._vain[host] <= IN_VAIN

    def erred(self, url: str) -> None:
        """Note that ``url`` exists although its other form does not: there is no such habit."""
        parts = urlsplit(url)
        self._plain.add((parts.netloc, parts.path.endswith("/")))
