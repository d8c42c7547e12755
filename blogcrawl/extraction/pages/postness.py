"""Is this page a post?  A page alone, with hints of its site where there are any.

Hard signs (challenge, error, login, no HTML) settle it. Soft signs add up as log-odds; each weight
is a judgement of how rarely the sign misleads. The strongest one against the page is the reason
that is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.dom.density import find_content
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.embedded import ARTICLE_TYPES, embedded, types_of
from blogcrawl.extraction.fields.headings import heading_of
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.extraction.pages.several import units
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.page_kinds import (
    BODY_CLASSES,
    CHALLENGE_MARKS,
    CHALLENGE_TITLES,
    ENDED,
    LIST_PATHS,
    LIST_TITLES,
    LOGIN_TITLES,
    MISSING_TITLES,
)

SHORT = 1500.0
"""Letters of text below which a page may be an interstitial, error or login page."""
EMPTY = 60.0
PATH_WEIGHTS = {
    **{
        "home": -3.5,
        "list": -3.5,
        "tag": -3.2,
        "category": -2.6,
        "author": -2.6,
        "archive": -3.0,
        "date": -3.0,
    },
    **{"search": -3.5, "feed": -4.0, "login": -4.0, "static": -1.8, "page": -4.0},
}
CLASS_WEIGHTS = {
    **{
        "post": 2.5,
        "home": -0.8,
        "tag": -2.0,
        "category": -1.5,
        "author": -1.5,
        "archive": -2.5,
        "search": -3.0,
        "static": -1.5,
        "missing": -4.0,
    },
}
MOST_BY_MARKUP = 2.0
ONE_OF_ALL = 0.85
"""Share of the entries' text in one of them from which it is a post beside links to others."""
NOT_ARTICLE_TYPES = {
    **{
        "CollectionPage": "list",
        "SearchResultsPage": "search",
        "AboutPage": "static",
        "ContactPage": "static",
        "ProfilePage": "author",
    },
}


@dataclass(frozen=True, slots=True)
class Postness:
    """``is_post`` with confidence 0.5..1 in that answer; ``reason``: post, or what the page is
    instead; ``signs`` for ``rules``.
    """

    is_post: bool
    confidence: float
    reason: str
    signs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteHints:
    """What the site knows of the page's URL; None where it knows nothing."""

    home_url: str | None = None
    promised: bool = False
    """A feed or a sitemap of posts lists it."""
    pattern: float | None = None
    """How much the URL is like the blog's post URLs: 0..1."""
    keypath: float | None = None
    """How much the page is like the blog's post pages: 0..1."""


NO_HINTS = SiteHints()
Sign = tuple[str, float, str]


def judge(page: Page, hints: SiteHints = NO_HINTS) -> Postness:
    """Post or not, with reason and confidence.  Pure; reads the page once."""
    hard = _hard(page)
    if hard is not None:
        return Postness(False, 0.97, hard, (hard,))
    signs = [*_from_url(page, hints), *_from_markup(page), *_from_text(page, hints)]
    score = 0.6 + sum(
        weight for _kind, weight, _why in signs
    )  # most pages that are asked about are posts
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
    against = [sign for sign in signs if sign[1] < 0]
    reason = (
        min(against, key=lambda sign: sign[1])[0]
        if against and probability <= 0.5
        else "post"
        if probability > 0.5
        else "unclear"
    )
    told = tuple(f"{why} {weight:+.1f}" for _kind, weight, why in signs)
    return Postness(probability > 0.5, round(max(probability, 1 - probability), 3), reason, told)


def _hard(page: Page) -> str | None:
    """Signs that settle it."""
    if page.status >= 400:
        return "error"
    kind = page.headers.get("content-type", "text/html").split(";")[0].strip().lower()
    head = page.body[:600].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<?xml", b"<rss", b"<feed")) and (
        b"<rss" in head or b"<feed" in head or b"<rdf:rdf" in head or b"<urlset" in head
    ):
        return "feed"
    if (
        kind
        and "html" not in kind
        and not kind.startswith(
            ("text/plain", "application/octet-stream", "application/xml", "text/xml")
        )
    ):
        return "not html"
    blocks = blocks_of(page)
    letters = blocks.all_plain[0] + blocks.all_linked[0] if blocks.tags else 0.0
    title = document_title(page)
    if letters < SHORT:
        if (
            CHALLENGE_TITLES.search(title)
            or sum(mark in page.text for mark in CHALLENGE_MARKS) >= 2
        ):
            return "challenge"
        if letters < SHORT / 4 and any(mark in page.text for mark in CHALLENGE_MARKS):
            return "challenge"
        if any(
            (box.get("type") or "").lower() == "password" for box in page.tree.iter("input")
        ) and (LOGIN_TITLES.search(title) or letters < SHORT / 3):
            return "login"
        if ENDED.search(node_text(page.tree)):
            return "gone"
    heading = heading_of(page)
    main = node_text(heading[0]) if heading else ""
    if (MISSING_TITLES.search(title) or MISSING_TITLES.search(main)) and _is_thin(blocks):
        return "missing"
    return None


def _is_thin(blocks: Blocks) -> bool:
    """Too little prose for a post about a 404."""
    place = find_content(blocks)
    return place is None or blocks.all_plain[place.number] < SHORT / 2


def _from_url(page: Page, hints: SiteHints) -> Iterator[Sign]:
    parts = urlsplit(page.url)
    path = unquote(parts.path) + (f"?{parts.query}" if parts.query else "")
    if page.whole is not None:
        yield "post", 3.0, "bears a post's anchor"
    elif hints.home_url and _bare(hints.home_url) == _bare(page.url):
        yield "home", -6.0, "start page"
    else:
        for kind, pattern in LIST_PATHS.items():
            if kind == "home" and parts.query:
                continue
            if pattern.search(path if kind != "home" else unquote(parts.path)):
                yield kind, PATH_WEIGHTS[kind], f"url like {kind}"
                break
    if hints.promised:
        yield "post", 4.0, "promised by the site"
    if hints.pattern is not None:
        yield (
            ("post" if hints.pattern >= 0.5 else "other"),
            5.0 * (hints.pattern - 0.5),
            "url pattern",
        )
    if hints.keypath is not None:
        yield ("post" if hints.keypath >= 0.5 else "other"), 5.0 * (hints.keypath - 0.5), "key-path"


def _bare(url: str) -> str:
    parts = urlsplit(canonicalize(url))
    return parts.netloc + parts.path.removesuffix("index.html").rstrip("/") + "?" + parts.query


def _from_markup(page: Page) -> Iterator[Sign]:
    body = page.tree.find("body")
    names = set((body.get("class") or "").split()) if body is not None else set()
    for kind, words in BODY_CLASSES.items():
        if names & words and not (
            kind in {"home", "author", "archive"} and names & BODY_CLASSES["post"]
        ):
            yield kind, CLASS_WEIGHTS[kind], f"body class {kind}"
            break
    data = embedded(page)
    kind_of_page = (data.first("og:type") or "").lower()
    weight = {
        "article": 1.0,
        "blogpost": 1.0,
        "website": -0.5,
        "blog": -0.8,
        "profile": -1.5,
        "product": -2.5,
    }.get(kind_of_page.partition(".")[0].removeprefix("og:"), 0.0)
    if weight < 0:
        yield "list" if weight > -2.0 else "product", weight, f"og:type {kind_of_page}"
    kinds = [types_of(item) for item in data.linked]
    articles = sum(bool(types & (ARTICLE_TYPES - {"CreativeWork"})) for types in kinds)
    said = (
        max(0.0, weight)
        + (1.5 if articles == 1 else 0.0)
        + (1.5 if weight >= 0 and data.first("article:published_time") else 0.0)
    )
    if said:  # one theme writes all of them, on lists too: they don't add up
        yield "post", min(MOST_BY_MARKUP, said), "calls itself an article"
    if articles > 1:
        yield "list", -0.8, "several json-ld articles"
    if not articles and any("Product" in types for types in kinds):
        yield "product", -2.5, "json-ld Product"
    for types in kinds:
        for name in types & NOT_ARTICLE_TYPES.keys():
            yield NOT_ARTICLE_TYPES[name], -1.8, f"json-ld {name}"


def _from_text(page: Page, hints: SiteHints) -> Iterator[Sign]:
    blocks = blocks_of(page)
    fields = MetadataExtractor().extract(page, None) or {}
    if any(value.confidence >= 0.6 for value in fields.get("published", [])):
        yield "post", 1.0, "has a date"
    if not blocks.tags or blocks.all_plain[0] + blocks.all_linked[0] < EMPTY:
        # a photo post has pictures, an empty shell has not
        yield (
            "empty",
            (-1.0 if any(True for _ in page.tree.iter("img")) else -4.0),
            "hardly any text",
        )
        return
    if LIST_TITLES.search(document_title(page)):
        yield "list", -1.8, "title of a list"
    found = units(page)
    place = find_content(blocks)
    number = place.number if place is not None else 0
    plain, linked = blocks.all_plain[number], blocks.all_linked[number]
    if len(found) >= 2:
        held = [i for element, _url in found if (i := blocks.number.get(element)) is not None]
        sizes = [blocks.all_plain[i] + blocks.all_linked[i] for i in held]
        share = sum(sizes) / max(1.0, blocks.all_plain[0] + blocks.all_linked[0])
        inside = sum(number <= i < blocks.end[number] for i in held)
        if (inside >= 2 or share > 0.5) and max(sizes) < ONE_OF_ALL * sum(sizes):
            yield (
                "list",
                -(0.4 + min(2.0, 0.35 * len(found)) + 1.5 * share),
                f"{len(found)} entries",
            )
    if linked > 1.5 * plain + 200:
        yield "list", -1.5, "mostly links"
    if plain < 150 and not hints.promised:
        yield "empty", -0.6, "little text"
