"""Clear what stands next to the post from a page's own words: sidebars, comments, the byline.

Used where the feed does not give the whole text: what the template model leaves of a page, near the
excerpt, is the post (adaptive-post-recognition, section III-D2, "generalise until the non-truncated
text is covered").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.teasers import teaser_boxes
from blogcrawl.induction.scoring import Target
from blogcrawl.lexicon.comment_words import MAX_LABEL_WORDS, is_label
from blogcrawl.text.lengths import MIN_WORDS
from blogcrawl.text.similarity import sums, tokens
from blogcrawl.text.visible import node_text

_AWAY = re.compile(
    r"(?:^|[\s_-])(?:comments?|respond|disqus|sidebar|widget|related|breadcrumbs?|pagination|"
    r"pager|navigation|nav|menu|share|sharing|social"
    r"|footer|colophon|newsletter|subscribe|recent|popular|archives?|trackbacks?|pingbacks?|"
    r"toc)(?:$|[\s_-]|list|area|wrap|form|box)",
    re.I,
)
"""Labels of what stands next to a post; they count only on elements that do not hold the title or
the feed's text.
"""
_AWAY_TAGS = frozenset(("nav", "aside", "footer", "form", "dialog"))
_NEVER_ASIDE = frozenset(("body", "html", "main", "article", "p", "a"))
_WHOLE = frozenset(("body", "html", "main", "article"))


def shaped(index: PageIndex, hits: Sequence[int], page: Page) -> list[int]:
    """Return blocks that are no text of a post whatever their label: mostly links, teasers, or
    (where the feed's text shows where the post is) a row of alike labelled blocks, as comments are.
    """
    linked, total, start = _linked(index), hits[-1], index.body + 1
    last = index.end[index.body] if index.tags else 0
    rows = enumerate(
        zip(index.tags[start:last], index.first[start:last], index.last[start:last], strict=True),
        start,
    )
    looked = [i for i, (tag, a, b) in rows if b - a >= MIN_WORDS and tag not in _NEVER_ASIDE]
    found = [i for i in looked if _is_aside_by_shape(index, i, linked, total)]
    return [*found, *teaser_boxes(page)]


def labels_of(index: PageIndex, hits: Sequence[int], blocks: Iterable[int]) -> set[tuple[str, str]]:
    """Return labels (tag, class) of those blocks that have none of the feed's text: they hold for
    the whole blog, for a single comment has no characteristic shape, three have."""
    free = (i for i in blocks if hits[index.last[i]] - hits[index.first[i]] <= 0.1 * hits[-1])
    return {(index.tags[i], label) for i in free if (label := index.classes[i] or index.ids[i])}


def labelled(index: PageIndex, known: AbstractSet[tuple[str, str]]) -> Iterator[int]:
    """Yield elements with one of these labels."""
    if not known:
        return iter(())
    named = zip(index.tags, index.classes, index.ids, strict=True)
    return (
        i for i, (tag, label, ident) in enumerate(named) if (tag, label or ident or "") in known
    )


def clear_away(
    index: PageIndex,
    marks: bytearray,
    hits: Sequence[int],
    target: Target,
    aside: AbstractSet[int],
    keep: Sequence[int],
) -> None:
    """Unmark what stands next to the post: zones that are labelled so or in ``aside``, without the
    feed's text, and the title wherever it stands (``keep``)."""
    _clear_zones(index, marks, hits, aside, keep)
    for a, b in _headed_comments(index):
        if _has_little(hits, a, b):
            marks[a:b] = bytes(b - a)
    for node in [*keep, *byline_nodes(index, target)]:
        marks[index.first[node] : index.last[node]] = bytes(index.length(node))


def _clear_zones(
    index: PageIndex,
    marks: bytearray,
    hits: Sequence[int],
    aside: AbstractSet[int],
    keep: Sequence[int],
) -> None:
    """Unmark the zones, the outermost of those in one another."""
    total = sum(marks)
    past, last = index.body, index.end[index.body] if index.tags else 0
    for i in sorted({*aside, *_away(index)}):
        if past <= i < last and not any(i <= k < index.end[i] for k in keep):
            a, b = index.first[i], index.last[i]
            is_of_comments = "comment" in f"{index.classes[i]}{index.ids[i]}"
            if _has_little(hits, a, b) and (is_of_comments or sum(marks[a:b]) < 0.6 * total):
                marks[a:b] = bytes(b - a)
                past = index.end[i]


def _has_little(hits: Sequence[int], begin: int, end: int) -> bool:
    """Return whether these words hold little of the feed's text that is on the page."""
    return not hits[-1] or hits[end] - hits[begin] < 0.3 * hits[-1]


def _headed_comments(index: PageIndex) -> Iterator[tuple[int, int]]:
    """Yield where the words begin and end that stand below a heading "Comments" in its box, or one
    with an id such as "trackbacks": old templates have no box around comments."""
    for tag in ("h2", "h3", "h4", "h5"):
        for i in index.by_tag.get(tag, ()):
            is_short = index.length(i) <= MAX_LABEL_WORDS
            if is_short and (
                is_label(node_text(index.elements[i])) or says_away(index.ids[i] or "")
            ):
                yield index.first[i], index.last[index.parent[i]]


def byline_nodes(index: PageIndex, target: Target) -> list[int]:
    """Short elements that hold what the feed says next to the text: author, day, all the tags."""
    names = [set(tokens(name)) for name in target.authors]
    days = [{str(day.year), str(day.day)} for day in target.days]
    days += [{str(day.year), f"{day.day:02d}"} for day in target.days]
    wanted = [group for group in (*names, *days, set(tokens(" ".join(target.tags)))) if group]
    any_of = set().union(*wanted)
    out, past = [], index.body + 1
    for i in index.holding(any_of, 16):
        if i >= past and any(
            group.issubset(index.words[index.first[i] : index.last[i]]) for group in wanted
        ):
            out.append(i)
            past = index.end[i]
    return out


def _linked(index: PageIndex) -> Sequence[int]:
    """Running totals of words inside links."""
    marks = bytearray(len(index.words))
    for i in index.by_tag.get("a", ()):
        if "href" in index.named.get(i, ()):
            marks[index.first[i] : index.last[i]] = b"\x01" * index.length(i)
    return sums(marks)


def _is_aside_by_shape(index: PageIndex, i: int, linked: Sequence[int], all_hits: int) -> bool:
    a, b, tag = index.first[i], index.last[i], index.tags[i]
    inside = linked[b] - linked[a]
    if inside >= 0.6 * (b - a) and tag in ("ul", "ol", "div", "section", "table", "dl"):
        return True
    rows = index.children(i) if all_hits else []
    if len(rows) < 2 or index.tags[rows[0]] not in ("div", "li", "article", "section", "dd"):
        return False
    return len({_first_name(index.classes[j]) for j in rows}) == 1 and bool(index.classes[rows[0]])


@lru_cache(maxsize=4096)
def _first_name(label: str | None) -> str:
    """Return the first of an element's class names without numbers: in ``card post-7 tag-rain`` the
    others are the single post's.
    """
    return re.sub(r"\d{1,20}", "", (label or "").split(" ", 1)[0])


def _away(index: PageIndex) -> Iterator[int]:
    """Yield elements that say of themselves that they stand next to a post."""
    for i, (tag, label, ident) in enumerate(zip(index.tags, index.classes, index.ids, strict=True)):
        if tag in _AWAY_TAGS or (
            (label or ident) and tag not in _WHOLE and says_away(f"{label or ''} {ident or ''}")
        ):
            yield i


@lru_cache(maxsize=4096)
def says_away(label: str) -> bool:
    """Return whether classes or an id call what stands next to a post."""
    return _AWAY.search(label) is not None


def title_nodes(index: PageIndex, title: str) -> list[int]:
    """Return innermost elements whose text is just the title."""
    wanted = tokens(title)
    if not wanted:
        return [i for i in index.by_tag.get("h1", []) if index.length(i)][:1]
    words, count, start = index.words, len(wanted), index.body
    spans = enumerate(zip(index.first[start:], index.last[start:], strict=True), start)
    return [i for i, (a, b) in spans if b - a == count and words[a:b] == wanted]
