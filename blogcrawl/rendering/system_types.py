"""Types of the table of comment systems: how one is recognised, opened, and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonShape:
    """Dotted paths in a comment's JSON; the first that holds a value wins."""

    items: tuple[str, ...] = ("",)
    """Dotted paths to the list of comments, the first that is a list; "": the answer itself."""
    children: tuple[str, ...] = ()
    """Dotted paths to the replies inside a comment, read the same way."""
    id: tuple[str, ...] = ("id",)
    parent: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    author_url: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    html: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    wrap: str = ""
    """Key under which each list element keeps the comment itself (Remark42: ``comment``)."""
    replies: str = ""
    """Dotted path in a comment to the number of its replies, if only the first are shown."""
    pages: str = ""
    """Dotted path to the number of pages, where the endpoint is paged (``{page}``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """CSS selectors in the document of the comments; empty: the general reader."""

    unit: str = ""
    author: str = ""
    date: str = ""
    body: str = ""
    drop: str = ""
    """CSS of nodes in the body that the comment's author did not write."""
    thread: str = ""
    """CSS of the node whose class or attributes give depth or parent; "": the unit's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSystem:
    """One entry of the table. Patterns are for the static HTML or a frame's URL."""

    name: str
    recognise: tuple[str, ...]
    """Any of them in the static source means that the system is there."""
    where: Literal["browser", "endpoint", "static"] = "browser"
    """``static``: the page (or its feeds) has the comments, the script only adds a form."""
    params: Mapping[str, str] = field(default_factory=dict)
    """Name in the endpoint's template -> pattern with one group, which has to match."""
    endpoint: str = ""
    """Public address of the comments: ``{url}``, ``{path}``, ``{page}``, ``params``, quoted."""
    replies: str = ""
    """Public address of all replies to ``{id}``, if ``endpoint`` shows the first ones only."""
    shape: JsonShape | None = None
    """How to read the endpoint's JSON; None: it answers HTML, read by ``reading``."""
    script: str = ""
    """Address of the system's own script, by ``params`` where it has any: pages put it together
    themselves, or load it late.

    Only a host that does not answer, or has no such file any more, is evidence: see
    ``pipelines.reachable``."""
    frame: str = ""
    """URL of the frame that holds the comments; "": the main document (or a shadow root in it)."""
    mount: str = ""
    """CSS of the node that is scrolled into view, so that lazy systems start."""
    reveal: tuple[str, ...] = ()
    """CSS clicked once: "show comments"."""
    more: tuple[str, ...] = ()
    """CSS clicked until none is left or the limit is hit: "load more", "show replies"."""
    settled: str = ""
    """CSS that exists as soon as the first comments, or the word that there are none, are shown."""
    reading: Reading = Reading()
