"""What a survey asks for: one record to give away, one to remember."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ProbeKind = Literal["home", "feed", "feed-page", "api", "sitemap", "extra-feed"]
PRIORITY: dict[str, int] = {
    "home": 100,
    "feed": 90,
    "sitemap": 80,
    "api": 70,
    "feed-page": 60,
    "extra-feed": 10,
}
ACCEPT: dict[str, dict[str, str]] = {
    "feed": {
        "Accept": (
            "application/atom+xml, application/rss+xml, application/rdf+xml, "
            "application/feed+json, text/xml;q=0.9, */*;q=0.5"
        )
    },
    "sitemap": {"Accept": "application/xml, text/xml, */*;q=0.5"},
    "api": {"Accept": "application/json, */*;q=0.5"},
}


@dataclass(frozen=True, slots=True)
class Probe:
    """Fetch ``url`` (redirects followed) and give the answer to ``Survey.receive``; higher
    ``priority`` first.
    """

    url: str
    kind: ProbeKind
    priority: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Task:
    """Why a URL was requested. ``way`` and ``number`` belong to walks, ``depth`` to indexes of
    sitemaps, ``guess``: no source named it; ``presumed``: nor this one, but its like are there."""

    kind: ProbeKind
    way: str = ""
    number: int = 0
    depth: int = 0
    guess: bool = False
    presumed: bool = False


def probe_for(url: str, task: Task) -> Probe:
    """Return the probe that asks for ``task``."""
    return Probe(
        url,
        task.kind,
        PRIORITY[task.kind],
        ACCEPT.get("feed" if "feed" in task.kind else task.kind, {}),
    )


Asked = list[tuple[str, Task]]
"""Requests of a part of the survey: (URL, why)."""
