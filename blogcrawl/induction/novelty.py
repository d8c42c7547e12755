"""Which words of a page are its own: not the theme's, not a sidebar's, not the comments'.

Used where the feed does not give the whole text: what stands on one page of the series only, near the excerpt, is
the post (adaptive-post-recognition, section III-D2, "generalise until the non-truncated text is covered"; the idea of
a series of pages is that of posts-and-comments-separation-ja).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from blogcrawl.induction.pageindex import PageIndex
from blogcrawl.induction.similarity import covered, run_length, shingles, sums, tokens

_AWAY = re.compile(
    r"(?:^|[\s_-])(?:comments?|respond|disqus|sidebar|widget|related|breadcrumbs?|pagination|pager|navigation|nav|menu|share|sharing|social"
    r"|footer|colophon|newsletter|subscribe|recent|popular|archives?|trackbacks?|pingbacks?|toc)(?:$|[\s_-]|list|area|wrap|form|box)",
    re.I,
)
"""Labels of what stands beside a post; they count only on elements that do not hold the title or the feed's text."""
_AWAY_TAGS = frozenset(("nav", "aside", "footer", "form", "dialog"))
SHARED = 0.25
"""A run that stands on more than this share of the other pages is the theme's."""


def runs_of(index: PageIndex) -> tuple[set[int], int]:
    """The page's runs of words and their length."""
    length = run_length(index.words)
    return shingles(index.words, length), length


def own_words(pages: Sequence[PageIndex], others: Sequence[PageIndex] = ()) -> list[bytearray]:
    """A byte per word of each page: 1 where the word stands in a run that (nearly) no other page has.

    ``others`` are pages of the same site that are compared with but not marked (home, archive).
    """
    everything = [*pages, *others]
    length = max((run_length(index.words) for index in everything), default=3)
    runs = [shingles(index.words, length) for index in everything]
    counts: Counter[int] = Counter()
    for found in runs:
        counts.update(found)
    limit = max(1.0, SHARED * (len(everything) - 1))
    shared = {run for run, count in counts.items() if count > limit}
    out = []
    for index in pages:
        marks = covered(index.words, shared, length)
        out.append(bytearray(1 - mark for mark in marks))
    return out


def clear_away(index: PageIndex, marks: bytearray, hits: list[int], title: str) -> None:
    """Unmark what stands beside the post: labelled zones without the feed's text, and the title wherever it stands."""
    total, all_hits = sum(marks), hits[-1] if hits else 0
    keep = _title_nodes(index, title)
    i = index.body
    last = index.end[i] if index.tags else 0
    while i < last:
        if _is_away(index, i) and not any(i <= k < index.end[i] for k in keep):
            a, b = index.first[i], index.last[i]
            mine = hits[b] - hits[a] if hits else 0
            label = (index.elements[i].get("class") or "") + (index.elements[i].get("id") or "")
            small = sum(marks[a:b]) < 0.6 * total or "comment" in label
            if (mine < 0.3 * all_hits or not all_hits) and small:
                marks[a:b] = bytes(b - a)
                i = index.end[i]
                continue
        i += 1
    for node in keep:
        marks[index.first[node] : index.last[node]] = bytes(index.length(node))


def _is_away(index: PageIndex, i: int) -> bool:
    if index.tags[i] in ("body", "html", "main", "article"):
        return False
    if index.tags[i] in _AWAY_TAGS:
        return True
    element = index.elements[i]
    label = " ".join(filter(None, (element.get("class"), element.get("id"))))
    return bool(label) and _AWAY.search(label) is not None


def _title_nodes(index: PageIndex, title: str) -> list[int]:
    """Innermost elements whose text is just the title."""
    wanted = tokens(title)
    if not wanted:
        return [i for i in index.by_tag.get("h1", []) if index.length(i)][:1]
    out = []
    for i in range(index.body, len(index.tags)):
        if index.length(i) == len(wanted) and index.words[index.first[i] : index.last[i]] == wanted:
            out.append(i)
    return out


def good_sums(index: PageIndex, marks: bytearray) -> list[int]:
    """Running totals of the marked words."""
    return sums(marks)
