"""Comments out of one page's markup."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Literal

from lxml.html import HtmlElement

from blogcrawl.comments.body import read_bodies
from blogcrawl.comments.fields import fill, read_units
from blogcrawl.comments.missing_year import date_without_year
from blogcrawl.comments.records import CommentRules, html_text, make_comment, unique_ids
from blogcrawl.comments.rule_voting import vote
from blogcrawl.comments.threads import parents
from blogcrawl.comments.unit import Unit
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.comments.units import find_units
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import settle_order, to_utc
from blogcrawl.lexicon.comment_words import RESIDUE
from blogcrawl.text.visible import is_longer, node_text, squeeze

PingKind = Literal["pingback", "trackback"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPage:
    """What markup alone says: comments in document order, how they were found, and the signatures
    that a rule would keep.
    """

    comments: tuple[Comment, ...] = ()
    method: str = ""
    authors: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    byline: tuple[str, str] | None = None
    day_first: bool | None = None
    naive: tuple[datetime | None, ...] = ()
    """The page clock's times of the comments, before any offset."""


def read_page(
    page: Page,
    rules: CommentRules | None = None,
    *,
    content: HtmlElement | None = None,
    language: str | None = None,
    published: datetime | None = None,
    units: list[Unit] | None = None,
    banned: Collection[HtmlElement] = (),
) -> OnPage:
    """Comments of a page by its markup. ``content``: the post's content node (of ``page.tree``);
    ``published``: of the post; ``units``: the comments' nodes, where they are known; ``banned``:
    elements that hold something of the content, without one node that holds all of it."""
    rules = rules or CommentRules()
    language = language or page.tree.get("lang") or None
    method = "series"
    if units is None:
        units, method = find_units(page.tree, rules.unit, content, banned)
    readers = [r for r in read_units(units, language) if is_longer(r.root, 0)]
    if not readers:
        return OnPage()
    date_without_year(readers, published, language)
    authors = vote(readers, rules.author, "author")
    dates = vote(readers, rules.date, "date")
    byline = fill(readers, authors, dates, rules.byline)
    kinds = [_kind(r) for r in readers]
    day_first = rules.day_first
    if day_first is None:
        day_first = settle_order((r.date for r in readers), published, language)
    bodies, body_paths = read_bodies(readers, rules.body)
    rows = [
        (reader, kind, "" if kind and RESIDUE.fullmatch(html_text(body)) else body)
        for reader, kind, body in zip(readers, kinds, bodies, strict=True)
        if method not in _UNSURE_METHODS or _is_signed(reader)
    ]
    naive = [r.date.pick(day_first) if r.date else None for r, _, _ in rows]
    comments = _build(page, rows, naive, rules)
    found = [pair for pair in zip(comments, naive, strict=True) if _says_something(pair[0])]
    return OnPage(
        comments=tuple(comment for comment, _ in found),
        method=method,
        authors=tuple(authors[:3]),
        dates=tuple(dates[:2]),
        bodies=tuple(body_paths[:3]),
        byline=byline,
        day_first=day_first,
        naive=tuple(moment for _, moment in found),
    )


_UNSURE_METHODS = ("classes", "section", "series")
"""Methods whose units count only with a name or a date."""


def _is_signed(reader: Reader) -> bool:
    return reader.date is not None or reader.author is not None


def _says_something(comment: Comment) -> bool:
    return bool(comment.content_text or comment.content_html) or comment.kind != "comment"


def _build(
    page: Page,
    rows: Sequence[tuple[Reader, PingKind | None, str]],
    naive: Sequence[datetime | None],
    rules: CommentRules,
) -> list[Comment]:
    """The comments of (reader, kind, body) rows; ``naive``: their times by the page's clock."""
    offset = rules.utc_offsets[0] if rules.utc_offsets else None
    made: list[Comment] = []
    for (reader, kind, body), moment in zip(rows, naive, strict=True):
        name = _ping_title(reader.author) if kind else reader.author
        made.append(
            make_comment(
                body,
                source="browser" if page.rendered else "html",
                base_url=page.base_url,
                number=reader.unit.number,
                author=name,
                author_url=page.absolute(reader.author_url) if reader.author_url else None,
                published=to_utc(moment, offset) if moment else None,
                published_raw=reader.date_raw,
                url=_permalink(page, reader),
                kind=kind,
                title=reader.subject,
            )
        )
    ids = unique_ids([c.id for c in made])
    above = parents([reader for reader, _, _ in rows], ids)
    return [replace(c, id=i, parent_id=p) for c, i, p in zip(made, ids, above, strict=True)]


def _permalink(page: Page, reader: Reader) -> str | None:
    number, anchor = reader.unit.number, reader.unit.anchor
    if not number:
        return None
    for link in islice(reader.unit.own("a"), 30):
        href = link.get("href") or ""
        if "#" in href and href.endswith(number) and not re.search(r"respond|replytocom", href):
            return page.absolute(href)
    return page.absolute("#" + anchor) if anchor else None


def _kind(reader: Reader) -> PingKind | None:
    """Pingback or trackback where class or label says so."""
    for element in reader.unit.elements:
        found = re.search(
            r"(?:^|\s)(pingback|trackback)(?:\s|$)",
            f"{element.get('class') or ''} {_first_class(element)}",
        )
        if found:
            return "trackback" if found.group(1) == "trackback" else "pingback"
        if (element.get("id") or "").lower().startswith(("pingback", "trackback")):
            return (
                "trackback"
                if (element.get("id") or "").lower().startswith("trackback")
                else "pingback"
            )
    label = re.match(r"\W*(pingback|trackback)\b\s*[:：]?", node_text(reader.root)[:60], re.I)
    if label:
        return "trackback" if label.group(1).lower() == "trackback" else "pingback"
    return None


def _first_class(element: HtmlElement) -> str:
    return " ".join(c.get("class") or "" for c in element[:1])


def _ping_title(name: str | None) -> str | None:
    return (
        squeeze(
            re.sub(
                r"^\W*(?:pingback|trackback)\b(?:\s+(?:from|by|von|de))?\s*[:：]?\s*",
                "",
                name or "",
                flags=re.I,
            )
        )
        or name
    )
