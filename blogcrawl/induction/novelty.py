"""Which words of a page are its own: not the theme's, not a sidebar's, not the comments'.

Used where the feed does not give the whole text: what stands on one page of the series only, near the excerpt, is
the post (adaptive-post-recognition, section III-D2, "generalise until the non-truncated text is covered"; the idea of
a series of pages is that of posts-and-comments-separation-ja).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

from blogcrawl.induction.pageindex import PageIndex
from blogcrawl.induction.scoring import Target
from blogcrawl.induction.similarity import covered, run_length, shingles, sums, tokens

_AWAY = re.compile(
    r"(?:^|[\s_-])(?:comments?|respond|disqus|sidebar|widget|related|breadcrumbs?|pagination|pager|navigation|nav|menu|share|sharing|social"
    r"|footer|colophon|newsletter|subscribe|recent|popular|archives?|trackbacks?|pingbacks?|toc)(?:$|[\s_-]|list|area|wrap|form|box)",
    re.I,
)
"""Labels of what stands beside a post; they count only on elements that do not hold the title or the feed's text."""
_AWAY_TAGS = frozenset(("nav", "aside", "footer", "form", "dialog"))
_OTHERWISE = bytes((1, 0, *range(2, 256)))
SHARED = 0.25
"""A run that stands on more than this share of the other pages is the theme's."""


def own_words(pages: Sequence[Sequence[str]], others: Sequence[Sequence[str]] = ()) -> list[bytearray]:
    """A byte per word of each page: 1 where the word stands in a run that (nearly) no other page has.

    ``others`` are those of pages of the same site that are compared with but not marked (home, archive, posts not read).
    """
    everything = [*pages, *others]
    length = max(map(run_length, everything), default=3)
    runs = [shingles(words, length) for words in everything]
    counts: Counter[int] = Counter()
    for found in runs:
        counts.update(found)
    limit = max(1.0, SHARED * (len(everything) - 1))
    shared = {run for run, count in counts.items() if count > limit}
    out = []
    for words in pages:
        out.append(covered(words, shared, length).translate(_OTHERWISE))
    return out


def shaped_labels(index: PageIndex, hits: list[int]) -> set[tuple[str, str]]:
    """Labels (tag, class) of blocks without the feed's text whose shape says they are no post; they hold for the whole
    blog: a single comment has no telling shape, three have."""
    linked, total = _linked(index), hits[-1] if hits else 0
    out = set()
    for i in range(index.body + 1, index.end[index.body] if index.tags else 0):
        label = index.elements[i].get("class") or index.elements[i].get("id")
        if label and _is_aside_by_shape(index, i, linked, total) and hits[index.last[i]] - hits[index.first[i]] <= 0.1 * total:
            out.add((index.tags[i], label))
    return out


def clear_away(index: PageIndex, marks: bytearray, hits: list[int], target: Target, known: Set[tuple[str, str]] = frozenset()) -> None:
    """Unmark what stands beside the post: labelled zones without the feed's text, and the title wherever it stands.

    ``known``: labels that ``shaped_labels`` found on any page of the blog.
    """
    total, all_hits = sum(marks), hits[-1] if hits else 0
    keep = title_nodes(index, target.title)
    linked = _linked(index)
    i = index.body
    last = index.end[i] if index.tags else 0
    while i < last:
        away = _is_away(index, i) or _known(index, i, known) or _is_aside_by_shape(index, i, linked, all_hits)
        if away and not any(i <= k < index.end[i] for k in keep):
            a, b = index.first[i], index.last[i]
            mine = hits[b] - hits[a] if hits else 0
            label = (index.elements[i].get("class") or "") + (index.elements[i].get("id") or "")
            small = sum(marks[a:b]) < 0.6 * total or "comment" in label
            if (mine < 0.3 * all_hits or not all_hits) and small:
                marks[a:b] = bytes(b - a)
                i = index.end[i]
                continue
        i += 1
    for node in [*keep, *byline_nodes(index, target)]:
        marks[index.first[node] : index.last[node]] = bytes(index.length(node))


def _teasers(index: PageIndex, i: int, count: int) -> bool:
    """Whether the block's children are at least two short texts that begin with a link each (related posts)."""
    rows = [j for j in range(i + 1, min(index.end[i], i + 400)) if index.parent[j] == i and index.length(j)]
    links = sum(any(index.tags[k] == "a" and index.first[k] == index.first[j] for k in range(j, min(index.end[j], j + 4))) for j in rows)
    return len(rows) >= 2 and links == len(rows) and count <= 40 * len(rows)


def byline_nodes(index: PageIndex, target: Target) -> list[int]:
    """Short elements that hold what the feed says beside the text: author, day, all the tags."""
    names = [set(tokens(name)) for name in target.authors]
    days = [{str(day.year), str(day.day)} for day in target.days]
    days += [{str(day.year), f"{day.day:02d}"} for day in target.days]
    wanted = [group for group in (*names, *days, set(tokens(" ".join(target.tags)))) if group]
    out, i = [], index.body + 1
    last = index.end[index.body] if index.tags else 0
    while i < last:
        count = index.length(i)
        if 0 < count <= 16 and any(group.issubset(index.words[index.first[i] : index.last[i]]) for group in wanted):
            out.append(i)
            i = index.end[i]
        else:
            i += 1
    return out


def _known(index: PageIndex, i: int, known: Set[tuple[str, str]]) -> bool:
    element = index.elements[i]
    return bool(known) and (index.tags[i], element.get("class") or element.get("id") or "") in known


def _linked(index: PageIndex) -> list[int]:
    """Running totals of words inside links."""
    marks = bytearray(len(index.words))
    for i in index.by_tag.get("a", ()):
        if index.elements[i].get("href") is not None:
            marks[index.first[i] : index.last[i]] = b"\x01" * index.length(i)
    return sums(marks)


def _is_aside_by_shape(index: PageIndex, i: int, linked: list[int], all_hits: int) -> bool:
    """Blocks that are no text of a post whatever their label: mostly links, or (where the feed's text tells where the
    post is) a row of alike labelled blocks, as comments are."""
    count = index.length(i)
    if count < 4 or index.tags[i] in ("body", "html", "main", "article", "p", "a"):
        return False
    inside = linked[index.last[i]] - linked[index.first[i]]
    if inside >= 0.25 * count and index.elements[i].get("class") and _teasers(index, i, count):
        return True
    if inside >= 0.6 * count and index.tags[i] in ("ul", "ol", "div", "section", "table", "dl"):
        return True
    if not all_hits:
        return False
    rows = [j for j in range(i + 1, index.end[i]) if index.parent[j] == i] if index.end[i] - i < 4000 else []
    labels = {index.elements[j].get("class") for j in rows}
    return len(rows) >= 2 and len(labels) == 1 and None not in labels and index.tags[rows[0]] in ("div", "li", "article", "section", "dd")


def _is_away(index: PageIndex, i: int) -> bool:
    if index.tags[i] in ("body", "html", "main", "article"):
        return False
    if index.tags[i] in _AWAY_TAGS:
        return True
    element = index.elements[i]
    label = " ".join(filter(None, (element.get("class"), element.get("id"))))
    return bool(label) and _AWAY.search(label) is not None


def title_nodes(index: PageIndex, title: str) -> list[int]:
    """Innermost elements whose text is just the title."""
    wanted = tokens(title)
    if not wanted:
        return [i for i in index.by_tag.get("h1", []) if index.length(i)][:1]
    out = []
    for i in range(index.body, len(index.tags)):
        if index.length(i) == len(wanted) and index.words[index.first[i] : index.last[i]] == wanted:
            out.append(i)
    return out
