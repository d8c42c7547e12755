"""Does this page need a browser? Decided per page, learned per blog. Pure.

A browser costs some fifty times a plain request, so a page is rendered only with a reason: it is an
application shell, it lacks what the feed promises, or readers' comments come by script from where
no plain request gets them. What the renderings brought is remembered by reason: a reason that never
brings anything is dropped, and tried again now and then.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.scoring import html_text
from blogcrawl.rendering.load_more import loads_more
from blogcrawl.rendering.reveal import OF_COMMENTS, reveals_something
from blogcrawl.rendering.systems import Carried, carried_systems
from blogcrawl.text.visible import node_text

Mode = Literal["auto", "always", "never"]

GIVE_UP_AFTER = 3
"""Unproductive renderings for one reason, after which this blog's pages get none for it."""
RECHECK_AFTER = 40
"""Pages after which a reason given up is tried again; twice as many after each further failure, so
that waste stays below 2 % of a large blog (3 + 5 of 1,000 pages)."""
SHELL_TEXT = 250
"""Characters of visible text (outside noscript) below which a page with scripts may be a shell; the
shortest real post pages measured have a navigation and footer of more."""
PROMISED_SHARE = 0.35
"""Share of the feed's words (in threes) that a page with the post or an excerpt shows."""
FEW_SHINGLES = 6
"""Below that many word runs a promise is too short to judge by."""

_MOUNTS = re.compile(
    (
        r"^(?:root|app|application|__next|__nuxt|___gatsby|q-app|svelte|main-app|react-root|"
        r"reactroot|ember-\w+|app-root|mount|blog-?app)$"
    ),
    re.I,
)
_ASKS_FOR_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|without)\s+java\s?script"
    r"|java\s?script\s+(?:is\s+)?(?:required|disabled|aktivieren|activado|activ[eé]|включ\w*)",
    re.I,
)
_DYNAMIC_VIEWS = re.compile(
    (
        r"blogger\.com/dyn-css|/static/v1/(?:jsbin|v-css)/\d+-dynamic_views|"
        r"class=[\"'][^\"']*\bviewitem\b|dynamicviews"
    ),
    re.I,
)


@dataclass(frozen=True, slots=True)
class Need:
    """The decision for one page; ``reasons``: always, shell, more, button, lacks-…,
    comments:<system>, blog.
    """

    render: bool
    reasons: tuple[str, ...] = ()
    systems: tuple[Carried, ...] = ()
    skipped: tuple[str, ...] = ()
    """Reasons that hold, but never brought anything on this blog."""
    is_list: bool = False
    """What the page links to counts, to its end."""
    read: frozenset[str] = frozenset()
    """Addresses that a list leads to and that have brought nothing more."""

    def without(self, reasons: frozenset[str]) -> Need:
        """Return the decision without these reasons."""
        left = tuple(r for r in self.reasons if r not in reasons)
        return replace(self, render=bool(left), reasons=left)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a reason brought so far."""

    gained: int = 0
    vain: int = 0
    since: int = 0
    """Pages that had the reason and were not rendered since it was given up."""

    @property
    def given_up(self) -> bool:
        return self.vain >= GIVE_UP_AFTER and self.vain > 4 * self.gained

    @property
    def due(self) -> bool:
        """Worth another try."""
        return not self.given_up or self.since + 1 >= RECHECK_AFTER * 2 ** min(
            self.vain - GIVE_UP_AFTER, 10
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderVerdict:
    """What a blog's pages have shown about rendering; JSON in the blog's memory."""

    tallies: Mapping[str, Tally] = field(default_factory=dict)
    pages: int = 0
    rendered: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain data for ``from_json``."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RenderVerdict:
        """Back from ``to_json``. Raises ValueError on other data."""
        return msgspec.convert(data, cls)


@dataclass(frozen=True, slots=True)
class Gain:
    """What one rendering brought: visible characters before and after, and new comments."""

    text_before: int
    text_after: int
    comments: int = 0
    has_promise: bool = False
    """The rendered page holds what the static one lacked."""
    links: int = 0
    """Addresses that only the rendered page links to."""

    def brought(self, reason: str) -> bool:
        if reason.startswith("comments:") or reason == "button":
            return self.comments > 0
        if reason == "more":
            return self.links > 0
        if reason == "shell" and self.links > 0:
            return True
        return self.has_promise or self.text_after > 2 * self.text_before + SHELL_TEXT


def decide(
    page: Page,
    entry: FeedEntry | None,
    verdict: RenderVerdict,
    mode: Mode = "auto",
    *,
    is_list: bool = False,
) -> Need:
    """Decide whether to render ``page``. ``entry``: its feed entry."""
    return replace(_decided(page, entry, verdict, mode, is_list), is_list=is_list)


def _decided(
    page: Page, entry: FeedEntry | None, verdict: RenderVerdict, mode: Mode, is_list: bool
) -> Need:
    systems = tuple(carried_systems(page))
    if mode == "never" or not _is_html(page):
        return Need(False, (), systems)
    if mode == "always":
        return Need(True, ("always",), systems)
    holding = reasons_for(page, entry, systems)
    if is_list and _grows_by_script(page):
        holding.append("more")
    if not is_list and not holding and _hides_something(page):
        holding.append("button")
    if not holding and entry is None and _needs_as_blog(page, verdict):
        holding.append("blog")
    return _with_tallies(holding, systems, verdict)


def _hides_something(page: Page) -> bool:
    """Return whether a script may show more of the page at a click."""
    return has_scripts(page.tree) and reveals_something(page)


def _with_tallies(holding: list[str], systems: tuple[Carried, ...], verdict: RenderVerdict) -> Need:
    """Return the need with those of its reasons that have not been useless before."""
    taken = tuple(r for r in holding if verdict.tallies.get(r, Tally()).due)
    return Need(bool(taken), taken, systems, tuple(r for r in holding if r not in taken))


def _grows_by_script(page: Page) -> bool:
    return has_scripts(page.tree) and loads_more(page)


def _needs_as_blog(page: Page, verdict: RenderVerdict) -> bool:
    """Report whether the blog needs a browser, and the page has scripts and little text."""
    return _blog_needs(verdict) and has_scripts(page.tree) and visible_length(page) < 4 * SHELL_TEXT


def reasons_for(
    page: Page, entry: FeedEntry | None, systems: tuple[Carried, ...] = ()
) -> list[str]:
    """Return all reasons that the static page gives, whatever was learned."""
    if page.status >= 400:
        return []
    out: list[str] = []
    scripted = has_scripts(page.tree)
    if scripted and is_shell(page):
        out.append("shell")
    if entry is not None and scripted and not out:
        out += lacking(page, entry)
    # A feed's count of 0 is no reason against: it counts the platform's own comments, not those of
    # an outside system.
    out += [f"comments:{c.system.name}" for c in systems if c.needs_browser]
    return out


def _is_html(page: Page) -> bool:
    kind = page.headers.get("content-type", "text/html").split(";")[0].strip().lower()
    return kind in ("", "text/html", "application/xhtml+xml")


def has_scripts(tree: HtmlElement) -> bool:
    """Any script that runs (JSON and templates don't)."""
    return any(
        s.get("type", "").lower()
        in ("", "module", "text/javascript", "application/javascript", "text/ecmascript")
        for s in tree.iter("script")
    )


def visible_length(page: Page) -> int:
    """Return characters a reader sees without scripts, ``noscript`` left out."""
    body = page.tree.find("body")
    return len(node_text(body)) if body is not None else 0


def is_shell(page: Page) -> bool:
    """Report whether scripts draw the page: no text, but a mount point or a call for scripts; or,
    next to menus and the like, a mount point with nothing in it."""
    if visible_length(page) > SHELL_TEXT:
        return any(not len(mount) and not node_text(mount) for mount in _mounts(page.tree))
    mounts = [mount for mount in _mounts(page.tree) if len(node_text(mount)) < SHELL_TEXT]
    return bool(mounts) or _asks_for_scripts(page) or _is_bare(page)


def _mounts(tree: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the nodes that an application fills."""
    for element in tree.iter("div", "main", "section", "app-root"):
        if element.tag == "app-root" or _MOUNTS.match(element.get("id", "")):
            yield element


def _asks_for_scripts(page: Page) -> bool:
    """Report whether the page asks for scripts (not for its comments), or is a dynamic view."""
    calls = (" ".join(node.itertext()) for node in page.tree.iter("noscript"))
    return any(
        _ASKS_FOR_SCRIPT.search(call) and not OF_COMMENTS.search(call) for call in calls
    ) or bool(_DYNAMIC_VIEWS.search(page.text[:500_000]))


def _is_bare(page: Page) -> bool:
    """Report whether the body has neither text nor an element that a post has."""
    body = page.tree.find("body")
    if body is None or visible_length(page) >= 60:
        return False
    return next(body.iter("p", "article", "h1", "h2", "img", "a", "table"), None) is None


def lacking(page: Page, entry: FeedEntry) -> list[str]:
    """Return the feed's values that the static page lacks: its title, its words."""
    text = fold(page.text if len(page.text) < 400 else _all_text(page))
    out = []
    words = fold(html_text(entry.content_html or entry.summary_html))
    unspaced = len(words) > 12 * (words.count(" ") + 1)
    promised = _shingles(words, unspaced)
    if len(promised) >= FEW_SHINGLES:
        here = _shingles(text, unspaced)
        if len(promised & here) < PROMISED_SHARE * len(promised):
            out.append("lacks-content")
    title = fold(entry.title or "")
    is_telling = bool(out) or (not promised and len(title) > 8)
    if title and is_telling and title not in text:
        out.append("lacks-title")
    return out


def _all_text(page: Page) -> str:
    body = page.tree.find("body")
    head = page.tree.findtext(".//title") or ""
    return f"{head} {node_text(body) if body is not None else ''}"


def fold(text: str) -> str:
    """Return words only, case folded, one blank between: typography and markup make no
    difference."""
    return " ".join(
        re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", html.unescape(text)).casefold())
    )


def _shingles(text: str, unspaced: bool) -> set[str]:
    """Return runs of three words, or of five characters in languages without spaces."""
    if unspaced:
        bare = text.replace(" ", "")
        return {bare[i : i + 5] for i in range(len(bare) - 4)}
    words = text.split()
    return {" ".join(words[i : i + 3]) for i in range(len(words) - 2)}


def _blog_needs(verdict: RenderVerdict) -> bool:
    """Report whether scripts draw the blog's posts: most renderings brought content."""
    tallies = [
        t for r, t in verdict.tallies.items() if r in ("shell", "lacks-content", "lacks-title")
    ]
    gained, vain = sum(t.gained for t in tallies), sum(t.vain for t in tallies)
    return gained >= GIVE_UP_AFTER and gained > 4 * vain


def observe(verdict: RenderVerdict, need: Need, gain: Gain | None) -> RenderVerdict:
    """Return the verdict after one page; ``gain``: None if it was not rendered."""
    tallies = dict(verdict.tallies)
    for reason in need.skipped:
        old = tallies.get(reason, Tally())
        tallies[reason] = replace(old, since=old.since + 1)
    if need.render and gain is not None:
        for reason in need.reasons:
            old = tallies.get(reason, Tally())
            if gain.brought(reason):
                tallies[reason] = Tally(old.gained + 1, 0 if old.given_up else old.vain, 0)
            else:
                tallies[reason] = Tally(old.gained, old.vain + 1, 0)
    rendered = verdict.rendered + (need.render and gain is not None)
    return RenderVerdict(tallies=tallies, pages=verdict.pages + 1, rendered=rendered)
