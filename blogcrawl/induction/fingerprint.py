"""What all posts of a blog have that its other pages lack: labels of elements, classes of the body,
og:type.

No trees are compared: a page's shape is the set of its labels. Marks say whether an unknown page is
a post of this blog (with key-path and URL), and which of a blog's templates made it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from lxml import etree

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.page import Page

_DIGITS = re.compile(r"\d+")
_LABELS = etree.XPath("//*/@class | //*/@id | //meta[@property='og:type']/@content")
_THEME = etree.XPath("//header | //nav | //main | //footer | //link[contains(@rel, 'stylesheet')]")
_OF_BODY = ("body.", "og:type")
LEAST_LACKING = 3
"""Labels of the whole site that a page must lack to be of another template: fewer may be absent by
chance."""


def labels(page: Page) -> frozenset[str]:
    """Return labels of the page: ids and class names with numbers blanked, those of ``body`` and
    og:type by themselves.
    """
    return frozenset(_counted(page))


def _counted(page: Page) -> Counter[str]:
    """Return the page's labels and how many elements have each."""
    out: Counter[str] = Counter()
    found: Any = _LABELS(page.tree)
    values = Counter((v.attrname, v.getparent().tag == "body", str(v)) for v in found)
    for (kind, is_body, text), times in values.items():
        if kind == "content":
            out["og:type=" + text.strip().lower()] += times
            continue
        prefix = "body." if is_body else "#" if kind == "id" else "."
        for name in text.split() if kind == "class" else (text,):
            if len(name) < 60:
                out[prefix + _DIGITS.sub("0", name)] += times
    return out


def _once(page: Page) -> Iterator[str]:
    """Yield the labels that one element of a page has: what a list repeats is its entries', which
    may be made like posts of an older template."""
    return (label for label, times in _counted(page).items() if times == 1)


def theme_labels(page: Page) -> frozenset[str]:
    """Return the page's labels and what else its theme shows in: style sheets, landmarks. Themes of
    a handful of class names have few others.
    """
    found: Any = _THEME(page.tree)
    parts = {each.get("href", "").partition("?")[0] or each.tag for each in found}
    return labels(page) | {_DIGITS.sub("0", part.rpartition("/")[2]) for part in parts}


def is_alike(one: Set[str], other: Set[str]) -> bool:
    """Return whether two pages' labels are those of one template: most of all that either has."""
    return likeness(one, other) >= 0.5


def likeness(one: Set[str], other: Set[str]) -> float:
    """Return the share of two pages' labels that both have."""
    return len(one & other) / len(one | other) if one or other else 1.0


@dataclass(frozen=True, slots=True)
class Marks:
    """Labels by which pages of a blog are distinguished."""

    posts: tuple[str, ...] = ()
    """On nearly every post and on no other page."""
    others: tuple[str, ...] = ()
    """Once on most of the other pages, and on no post."""
    steady: tuple[str, ...] = ()
    """On every post, and on other pages too."""


def learn_marks(posts: Sequence[Page], others: Sequence[Page]) -> Marks | None:
    """Learn the marks of posts and of other pages; None without both kinds of pages."""
    if not posts or not others:
        return None
    mine = Counter(label for page in posts for label in labels(page))
    foreign = Counter(label for page in others for label in labels(page))
    frame = Counter(label for page in others for label in _once(page))
    steady = frozenset.intersection(*map(theme_labels, posts))
    steady &= frozenset().union(*map(theme_labels, others))
    return Marks(
        _marks(mine, foreign, max(1, round(0.9 * len(posts)))),
        _marks(frame, mine, 0.5 * len(others)),
        tuple(sorted(steady)[:200]),
    )


def _marks(counts: Counter[str], foreign: Counter[str], need: float) -> tuple[str, ...]:
    """Return the labels on enough of the pages and on none of the others; of ``body`` first."""
    own = (label for label, n in counts.items() if n >= need and not foreign[label])
    return tuple(sorted(own, key=_weight)[:MAX_TRIED])


def _weight(label: str) -> tuple[int, str]:
    return (0 if label.startswith(_OF_BODY) else 1, label)


def shares(page: Page, marks: Marks) -> tuple[float | None, float | None, float]:
    """Return the shares of the marks of posts that the page has, of those on ``body`` and og:type
    and of all, and the share of other pages' marks; None where there are no such marks.
    """
    have = labels(page)
    body = [label for label in marks.posts if label.startswith(_OF_BODY)]
    return _share(body, have), _share(marks.posts, have), _share(marks.others, have) or 0.0


def is_of_other_template(page: Page, marks: Marks) -> bool:
    """Return whether the page lacks most of what all posts share with the blog's other pages:
    header, menu, sidebar, style sheet. It was made by another template, and what the blog's posts
    have says nothing of it.

    Of 15 recorded blogs pages share either 0 to 0.2 or 0.5 to 1 of such labels.
    """
    return _lacks(page, set(marks.steady) - set(marks.posts))  # kept models list posts' own, too


def lacks_most(page: Page, marks: Marks) -> bool:
    """Return whether a page lacks most of the labels that all posts have, where they have some."""
    return _lacks(page, {*marks.posts, *marks.steady})


def _lacks(page: Page, common: Set[str]) -> bool:
    lacking = common - theme_labels(page)
    return len(lacking) >= LEAST_LACKING and 2 * len(lacking) > len(common)


def _share(marks: Sequence[str], have: Set[str]) -> float | None:
    return sum(label in have for label in marks) / len(marks) if marks else None
