"""Which other sites a text links to."""

from __future__ import annotations

import re

MAX_HOSTS = 200
"""Of one text that are kept."""
_LINK = re.compile(r'\shref="https?://([^"/?#\s]{1,260})', re.IGNORECASE)


def linked_hosts(html: str, url: str) -> tuple[str, ...]:
    """Return the hosts that sanitised HTML links to, each once, without the one of ``url``."""
    own = _host(url.partition("://")[2].partition("/")[0])
    found = dict.fromkeys(map(_host, _LINK.findall(html)))
    found.pop(own, None)
    found.pop("", None)
    return tuple(found)[:MAX_HOSTS]


def _host(place: str) -> str:
    """Return a host without login, port and ``www``."""
    host = place.rpartition("@")[2].lower()
    if not host.startswith("["):
        host = host.partition(":")[0]
    return host.removeprefix("www.").rstrip(".")
