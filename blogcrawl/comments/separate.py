"""The last source of comments: the separation of post and comments over a series of pages of the
blog.

Asked only where comments are likely and nothing else gave any. What comes and goes below posts may
be other lists too (related posts, notes), so a page's blocks count only where they look like
comments: each with a day that is not before the post's, not mere links, and no more of them than
page or feed speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice, takewhile
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.locate import OUTNUMBERS, not_comments, number_of
from blogcrawl.comments.page_reader import OnPage, read_page
from blogcrawl.comments.records import CommentRules
from blogcrawl.comments.repeated_blocks import repeated_blocks
from blogcrawl.comments.signed import signed_units
from blogcrawl.comments.unit import Unit
from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import MOSTLY_LINKS, NEAR
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.site_facts import SignedLines
from blogcrawl.lexicon.comment_words import heads_latest, names_comments
from blogcrawl.text.visible import node_text

PAGES = 12
"""Posts whose pages are kept to learn from: the paper's blogs give 5 to 50 pages each, and it needs
some without comments.
"""
LEARN_AT = (4, 8, PAGES)
_BOXES = frozenset("div table ul ol dl section blockquote".split())
DAY = timedelta(hours=26)
"""One day and the widest zone difference."""
MINUTE = timedelta(minutes=1)


@dataclass(slots=True, kw_only=True)
class Post:
    """What is known of the page's post."""

    content: HtmlElement | None = None
    language: str | None = None
    published: datetime | None = None
    promised: int = 0
    """How many comments page or feed speak of; 0: they are silent."""
    likely: bool = True
    """Something else speaks for comments: a number, a form, a feed, what other pages had. Where
    nothing does, each block must have a name and a time, and the times their order."""


def learn_series(pages: Sequence[tuple[Page, FeedEntry | None]]) -> dict[str, Any] | None:
    """Return the series' slot without the digests (``extraction.series``) where it names
    identifiers of comments; JSON.
    """
    from blogcrawl.induction.series import SeriesExtractor

    found = SeriesExtractor().learn(
        [Sample(page=page, entry=entry or FeedEntry(url=page.url)) for page, entry in pages]
    )
    slot = found.slot("series") if found is not None else None
    return (
        {key: slot[key] for key in ("post", "within", "comment", "other")}
        if slot and slot["comment"]
        else None
    )


def separated(page: Page, slot: dict[str, Any], rules: CommentRules | None, post: Post) -> OnPage:
    """Return comments of a page by the identifiers of the series; empty where its blocks do not
    look like comments.
    """
    return _believed(page, _units(page, slot, post.content), rules, post)


def signed(page: Page, lines: SignedLines, rules: CommentRules | None, post: Post) -> OnPage:
    """Return comments of a page by the lines with which the blog's readers sign: that these were
    learned speaks for comments."""
    rules = rules or CommentRules()
    if rules.day_first is None:
        rules = replace(rules, day_first=lines.day_first)
    return _believed(page, signed_units(page, lines), rules, replace(post, likely=True))


def unnamed(page: Page, rules: CommentRules | None, post: Post) -> OnPage:
    """Return comments of a page that names nothing: blocks of one kind with days behind the
    content, without a class or id in any of them.

    Asked only where something speaks for comments; themes name what else they put there."""
    if post.content is None or not post.likely:
        return OnPage()
    boxes = (post.content, *post.content.iterancestors())
    around = [box.getparent() for box in boxes if any(map(_is_bare_box, box.itersiblings()))]
    if not around:
        return OnPage()
    before, inside = _before_and_in(page.tree, post.content)
    banned = _not_comments(page.tree) | before | inside
    for above in around:
        runs = repeated_blocks(page.tree, banned, [above])
        if runs and all(map(_is_unnamed_entry, runs)):
            return _believed(page, [Unit(run) for run in runs], rules, post)
    return OnPage()


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def _not_comments(root: HtmlElement) -> set[HtmlElement]:
    """Return nodes where no comment of this page can stand: what a heading calls the latest
    comments of the blog, too."""
    out = not_comments(root)
    for heading in root.iter(*_HEADINGS):
        text = node_text(heading)
        if names_comments(text) and heads_latest(text):
            out.update(chain.from_iterable(e.iter() for e in _headed(heading, text)))
    return out


def _headed(heading: HtmlElement, text: str) -> Iterator[HtmlElement]:
    """Yield what follows a heading with this text, or the box that holds nothing else, up to the
    next one."""
    node = heading
    while (above := node.getparent()) is not None and node_text(above) == text:
        node = above
    below = islice(node.itersiblings(etree.Element), MAX_TRIED)
    return takewhile(lambda element: next(element.iter(*_HEADINGS), None) is None, below)


def _is_unnamed_entry(run: Sequence[HtmlElement]) -> bool:
    """Return whether nothing in the elements has a class or an id, and they are no entry of a
    list."""
    elements = chain.from_iterable(e.iter() for e in run)
    return not _is_list_entry(run) and not any(e.get("class") or e.get("id") for e in elements)


def _is_bare_box(element: HtmlElement) -> bool:
    return element.tag in _BOXES and not element.get("class") and not element.get("id")


def _before_and_in(
    root: HtmlElement, content: HtmlElement
) -> tuple[set[HtmlElement], set[HtmlElement]]:
    """Return the elements before the content in document order, its ancestors among them, and its
    own."""
    before: set[HtmlElement] = set()
    for element in root.iter():
        if element is content:
            break
        before.add(element)
    return before, set(content.iter())


def _believed(page: Page, units: list[Unit], rules: CommentRules | None, post: Post) -> OnPage:
    """Return what the units say, where all of it can be said of comments of this post."""
    if not units:
        return OnPage()
    seen = read_page(
        page,
        rules,
        content=post.content,
        language=post.language,
        published=post.published,
        units=units,
    )
    is_plausible = _fits_count(seen, post) and _fits_dates(seen.naive, post)
    if is_plausible and (post.likely or _is_complete(seen)):
        return replace(seen, method="series")
    return OnPage()


def _fits_count(seen: OnPage, post: Post) -> bool:
    return not post.promised or len(seen.comments) <= OUTNUMBERS * post.promised + 1


def _fits_dates(moments: Sequence[datetime | None], post: Post) -> bool:
    """Return whether no comment is older than the post and, where the post promises no comments,
    each has a date of its own."""
    published = post.published
    if published is not None and any(m is not None and _before(m, published) for m in moments):
        return False
    if post.promised:
        return True
    is_post_date = bool(moments) and all(_is_posts(m, post) for m in moments)
    return None not in moments and not is_post_date


def _is_complete(seen: OnPage) -> bool:
    """Return whether all comments have author and text, and stand in the order of their dates."""
    is_whole = all(c.author and c.content_text for c in seen.comments)
    return is_whole and _in_order(seen.naive)


def _in_order(moments: Sequence[datetime | None]) -> bool:
    times = [m for m in moments if m is not None]
    return len(times) == len(moments) and times in (sorted(times), sorted(times, reverse=True))


def _is_posts(moment: datetime | None, post: Post) -> bool:
    """Is it the moment of the post itself, or its day where nothing speaks for comments? A foot
    with the post's date, tags and copyright is no comment; who answers needs a minute.
    """
    if moment is None or post.published is None:
        return False
    if not (moment.hour or moment.minute):
        return not post.likely and abs(_apart(moment, post.published)) < DAY
    local = moment.replace(tzinfo=None) - post.published.replace(tzinfo=None)
    return min(abs(local), abs(_apart(moment, post.published))) < MINUTE


def _apart(moment: datetime, published: datetime) -> timedelta:
    """Return how long after the post a moment is; without a zone it is the post's clock."""
    if published.tzinfo is None:
        return moment.replace(tzinfo=None) - published
    return moment.replace(tzinfo=moment.tzinfo or published.tzinfo) - published


def _before(moment: datetime, published: datetime) -> bool:
    return _apart(moment, published) < -DAY


def _units(page: Page, slot: dict[str, Any], content: HtmlElement | None) -> list[Unit]:
    """One unit per block that repeats around what the series calls comments."""
    from blogcrawl.dom.blocks import blocks_of
    from blogcrawl.induction.series import calls

    own = [content] if content is not None else []
    banned = _not_comments(page.tree).union(*map(HtmlElement.iter, own))
    blocks = blocks_of(page)
    called = [(blocks.elements[i], call) for i, call, _ in calls(blocks, slot)]
    found = [e for e, call in called if call == "comment" and e not in banned]
    post = [*own, *(e for e, call in called if call == "post")]
    runs = repeated_blocks(page.tree, banned, _sections(found, post)) if found else []
    return [Unit(run, number_of(run[0])) for run in _entries(runs, found)]


def _entries(
    runs: Sequence[list[HtmlElement]], found: Sequence[HtmlElement]
) -> list[list[HtmlElement]]:
    """Return the runs of elements that hold some of those found, and are no entries of a list."""
    holding = _with_ancestors(found)
    return [run for run in runs if not holding.isdisjoint(run) and not _is_list_entry(run)]


def _with_ancestors(elements: Iterable[HtmlElement]) -> set[HtmlElement]:
    return {above for e in elements for above in (e, *e.iterancestors())}


def _sections(found: Sequence[HtmlElement], post: Sequence[HtmlElement]) -> list[HtmlElement]:
    """Return the elements around the blocks, widest first, without the post; where the narrowest
    holds it, too, its children.
    """
    common = [found[0], *found[0].iterancestors()]
    for element in found[1:]:
        above = _with_ancestors([element])
        common = [e for e in common if e in above]
    around = _with_ancestors(post)
    if common[0] in around:
        holding = _with_ancestors(found) - around
        return [child for child in common[0] if child in holding]
    return [e for e in common[NEAR::-1] if e not in around and e.tag not in ("body", "html")]


def _is_list_entry(run: Sequence[HtmlElement]) -> bool:
    days = sum(len(node_text(time)) for e in run for time in e.iter("time"))
    whole = sum(len(node_text(e)) for e in run) - days
    linked = sum(len(node_text(a)) for e in run for a in e.iter("a"))
    return linked > MOSTLY_LINKS * whole


def has_form(page: Page) -> bool:
    """Can a comment be written here: a form with a large field and one for a name or an address?"""
    return any(
        form.find(".//textarea") is not None
        and form.xpath(
            "boolean(.//input[not(@type) or @type='text' or @type='email' or @type='url'])"
        )
        for form in page.tree.iter("form")
    )
