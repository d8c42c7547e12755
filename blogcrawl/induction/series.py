"""Distinguish post and comments by a series of pages of one blog
(posts-and-comments-separation-ja).

Content is what stands on one page only. A block is called by its identifier: where in the template
it stands. An identifier that has content on every page is the post's, one that has it on some pages
only is the comments'. Blocks of the template that repeat elsewhere by chance are taken back where
they stand between blocks of the post. The paper's weakness, a blog where every page has comments,
is mended by the feed's text where there is one, else by the names around an identifier; comments
stand below the post, and where some stand in a box that is named so, the others do too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MOST, NEARLY_ALL, SEVERAL, SOME
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.dom.text_blocks import WRITTEN, heads_comments, identifier, texts
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.induction.template import TemplateModel
from blogcrawl.lexicon.css_classes import holds_comments, kind_of
from blogcrawl.text.lengths import MAX_BYLINE, MIN_SENTENCE
from blogcrawl.text.similarity import tokens

FAR_MORE = 10
"""How many times as much other text makes a byline of a line that is on all pages."""
_ADDRESS = re.compile(r"https?://\S{1,2000}$")
"""A block that is nothing else: the page's own, as notices of licences show it."""
Texts = Sequence[tuple[int, str, int]]
"""Blocks of a page: element number, text and digest."""
_KINDS_ASIDE = frozenset(("comments", "related", "nav", "ad", "subscribe"))


@dataclass(slots=True)
class _Occurrences:
    """Where the blocks of one identifier with page-specific text occur in the series."""

    pages: set[int] = field(default_factory=set)
    letters: float = 0.0
    in_feed: int = 0
    words: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """Page and element number."""
    named: list[tuple[int, int]] = field(default_factory=list)
    """Of ``places``, those in a box whose name says comments."""

    def add(self, page: int, blocks: Blocks, i: int, text: str, in_feed: AbstractSet[str]) -> None:
        """Add a block with its text; ``in_feed``: the words of the feed's text, where known."""
        self.pages.add(page)
        self.letters += blocks.plain[i]
        self.places.append((page, i))
        if _in_comments(blocks, i):
            self.named.append((page, i))
        if in_feed:
            words = tokens(text)
            self.words += len(words)
            self.in_feed += sum(word in in_feed for word in words)

    @property
    def is_mostly_comments(self) -> bool:
        return 2 * len(self.named) > len(self.places)

    @property
    def share_in_feed(self) -> float | None:
        """Share of the words that the feed's text has; None where there is no such text."""
        return self.in_feed / self.words if self.words else None


class SeriesExtractor:
    """Learner and extractor; slot: lists of identifiers, and the template model (``template``).

    ``post``: most text first; ``within``: boxes in the post; ``comment``; ``other``: what comes and
    goes and is neither.
    """

    name = "series"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        """Learn from a series; None with fewer than three pages, or where no identifier has content
        on all of them.
        """
        if len(samples) < SEVERAL:
            return None
        pages = [blocks_of(sample.page) for sample in samples]
        read = [texts(blocks) for blocks in pages]
        template = TemplateModel.learn([[mark for _i, _text, mark in page] for page in read])
        seen = _page_specific(samples, pages, read, template)
        post, others = _without_said(*_separate(seen, len(samples)), seen, list(map(_labels, read)))
        if not post or _is_a_line(post[0], others, seen, len(samples)):
            return None
        slot = {**_roles(seen, post, others), "template": template.to_json()}
        return RuleSet(methods={self.name: slot}, samples=len(samples))

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """Return ``content``: one element, or the siblings from the first to the last block of the
        post.
        """
        slot = ruleset.slot(self.name) if ruleset is not None else None
        if not slot:
            return None
        blocks = blocks_of(page)
        posts: dict[str, list[int]] = defaultdict(list)
        others: list[int] = []
        for i, call, name in calls(blocks, slot):
            if call in ("comment", "other"):
                others.append(i)
            elif call == "post":
                posts[name].append(i)
        for place, name in enumerate(slot["post"]):
            mine = posts.get(name)
            if mine and sum(blocks.plain[i] for i in mine) > 0:
                value = FieldValue(
                    value=span(blocks, name, mine, others),
                    method=self.name,
                    confidence=0.65 - 0.1 * place,
                    rule=name,
                )
                return {"content": [value]}
        return None


def _page_specific(
    samples: Sequence[Sample],
    pages: Sequence[Blocks],
    read: Sequence[Texts],
    template: TemplateModel,
) -> dict[str, _Occurrences]:
    """Return by identifier the occurrences of texts that are on one page only, and the pages with
    any text that is not the template's.
    """
    seen: dict[str, _Occurrences] = defaultdict(_Occurrences)
    for number, (sample, blocks, page) in enumerate(zip(samples, pages, read, strict=True)):
        in_feed = _feed_words(sample)
        for i, text, mark in page:
            if _ADDRESS.match(text):
                continue
            if not template.share(mark):
                seen[identifier(blocks, i)].add(number, blocks, i, text, in_feed)
            elif not template.has(mark):  # a short post that its neighbours show whole
                seen[identifier(blocks, i)].pages.add(number)
    return seen


def _roles(
    seen: Mapping[str, _Occurrences], post: list[str], others: Sequence[str]
) -> dict[str, list[Any]]:
    """Return the slot's lists of identifiers."""
    within = [name for name in others if not _is_aside(name) and _belongs(name, seen, post)]
    outside = [name for name in others if name not in within]
    comment = _comments(seen, post[0], outside)
    other = [name for name in outside if name not in comment]
    return {"post": post, "within": within, "comment": comment, "other": other}


def _is_a_line(
    main: str, others: Sequence[str], seen: Mapping[str, _Occurrences], pages: int
) -> bool:
    """Return whether the text on all pages is no more than a date line, and most of them have far
    more text elsewhere.
    """
    letters = seen[main].letters
    rivals = (
        seen[name] for name in others if not _is_aside(name) and not seen[name].is_mostly_comments
    )
    return letters < MAX_BYLINE * pages and any(
        2 * len(one.pages) > pages and one.letters > FAR_MORE * letters for one in rivals
    )


def calls(blocks: Blocks, slot: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    """Return every text block's number, its class (``post``, ``comment``, ``other``, or "" for the
    template's), and the identifier that decided it.

    A text of the template between two blocks of the post, or with an identifier of comments, is
    taken back (paper, 3.4.2).
    """
    found = list(_classified(blocks, slot))
    edges: dict[str, list[int]] = {}
    for i, call, name in found:
        if call == "post":
            edges.setdefault(name, [i, i])[1] = i

    def is_between(i: int, name: str) -> bool:
        return name in edges and edges[name][0] < i < edges[name][1]

    return [
        (i, "post" if not call and is_between(i, name) else call, name) for i, call, name in found
    ]


def _classified(blocks: Blocks, slot: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Yield the text blocks with their classes, each judged alone."""
    template, within = (
        TemplateModel.from_json(slot.get("template", {})),
        set(slot.get("within", ())),
    )
    kinds = {name: kind for kind in ("other", "comment") for name in slot.get(kind, ())}
    for i, _text, mark in texts(blocks):
        name = identifier(blocks, i)
        kind = kinds.get(name, "")
        if not kind:
            owner = slot["post"][0] if name in within else _owner(name, slot["post"])
            if owner is not None:
                kind, name = "post", owner
        yield i, "" if template.has(mark) else kind, name


def _owner(name: str, post: Sequence[str]) -> str | None:
    """Return the post's identifier that a block belongs to."""
    return next((one for one in post if is_within(name, one)), None)


def _in_comments(blocks: Blocks, i: int) -> bool:
    """Does a box around a block say that it holds comments?"""
    while i > 0 and blocks.tags[i] not in ("body", "main", "article"):
        if holds_comments(blocks.elements[i]):
            return True
        i = blocks.parent[i]
    return False


def _belongs(name: str, seen: Mapping[str, _Occurrences], post: Sequence[str]) -> bool:
    """Boxes in the post: those that stand mostly between its first and last block, and those built
    into its frame that are not mostly below it, or not below the first named box of comments."""
    between, below = _places(seen, post[0], name)
    total = len(seen[name].places)
    if 2 * between > total:
        return True
    if not any(is_within(name, one) or _frame(one) in name.split("/")[:-1] for one in post):
        return False
    starts: dict[int, int] = {}
    for page, i in (place for one in seen.values() for place in one.named):
        starts[page] = min(i, starts.get(page, i))
    above = [i < starts[page] for page, i in seen[name].places if page in starts]
    return 2 * below <= total or 2 * sum(above) > len(above)


def _comments(seen: Mapping[str, _Occurrences], main: str, names: Sequence[str]) -> list[str]:
    """Of identifiers that come and go, those mostly below the post; only those in named boxes,
    where there are any.
    """
    low = [name for name in names if 2 * _places(seen, main, name)[1] > len(seen[name].places)]
    named = [name for name in names if seen[name].is_mostly_comments]
    return named or [name for name in low if not _is_aside(name) and not _is_furniture(name)]


def _places(seen: Mapping[str, _Occurrences], main: str, name: str) -> tuple[int, int]:
    """Return how many blocks of an identifier stand between the first and last block of the post,
    and how many below.
    """
    spans = _spans(seen[main])
    known = [(spans[page], i) for page, i in seen[name].places if page in spans]
    return sum(span[0] < i < span[1] for span, i in known), sum(i > span[1] for span, i in known)


def _spans(one: _Occurrences) -> dict[int, tuple[int, int]]:
    """Return the first and the last block of an identifier by page."""
    spans: dict[int, tuple[int, int]] = {}
    for page, i in one.places:
        first, last = spans.get(page, (i, i))
        spans[page] = (min(first, i), max(last, i))
    return spans


def is_within(name: str, one: str) -> bool:
    """Is an identifier one of the post's or built into it (a code block in a box of its own, an odd
    paragraph)?
    """
    last = one.rsplit("/", 1)[-1]
    return (
        name == one
        or name.startswith(one + "/")
        or ("." in last and last in name.split("/")[:-1] and not _is_aside(name))
    )


def _frame(name: str) -> str:
    """Return the nearest named part of an identifier."""
    return next((part for part in reversed(name.split("/")) if "." in part), name)


def _is_aside(name: str) -> bool:
    return any(kind_of(part.partition(".")[2]) in _KINDS_ASIDE for part in name.split("/"))


def _is_furniture(name: str) -> bool:
    """Foot lines, share buttons: below the post on many pages and no one's comment."""
    return any(
        kind_of(part.partition(".")[2]) is not None
        or part.split(".")[0] in ("footer", "nav", "aside")
        for part in name.split("/")
    )


def _feed_words(sample: Sample) -> set[str]:
    entry = sample.entry
    return (
        set(tokens(html_text(entry.content_html)))
        if entry.is_full and entry.content_html
        else set()
    )


def _separate(seen: Mapping[str, _Occurrences], pages: int) -> tuple[list[str], list[str]]:
    """Return the identifiers of the post, those with most text first, and all others."""
    weights = {name: _post_weight(name, seen, pages) for name in seen}
    best = max((weight for weight in weights.values() if weight is not None), default=0.0)
    # titles, dates and bylines are on all pages too: they are not where the text is
    post = {name: weight for name, weight in weights.items() if weight and weight >= 0.2 * best}
    return (
        sorted(post, key=lambda name: (-post[name], name)),
        sorted(name for name, weight in weights.items() if weight is None),
    )


def _labels(page: Texts) -> list[int]:
    """Return the blocks of a page that head comments: their words are known in many languages."""
    return [i for i, text, _ in page if heads_comments(text)]


def _without_said(
    post: Sequence[str],
    others: Sequence[str],
    seen: Mapping[str, _Occurrences],
    labels: Sequence[Sequence[int]],
) -> tuple[list[str], list[str]]:
    """Return the identifiers of the post and all others, where one that stands below sentences, and
    below a label of comments between them, on most of its pages is no post's: readers may have
    written more than the author, and on every page. Where no other is left, those above are the
    post's.
    """
    spans = {name: _spans(one) for name, one in seen.items()}
    texts = [name for name, one in seen.items() if one.letters >= MIN_SENTENCE * len(one.pages)]
    above = {
        name: [one for one in texts if one != name and _is_headed(spans[name], spans[one], labels)]
        for name in post
    }
    left = [name for name in post if not above[name]]
    left = left or sorted({one for ones in above.values() for one in ones} - above.keys())
    return left, sorted(({*others, *post}) - {*left})


def _is_headed(
    mine: Mapping[int, tuple[int, int]],
    above: Mapping[int, tuple[int, int]],
    labels: Sequence[Sequence[int]],
) -> bool:
    """Return whether a label stands between the last block above and the first of mine on most
    pages."""
    between = ((page, above[page][1], first) for page, (first, _) in mine.items() if page in above)
    headed = sum(any(a < i < b for i in labels[page]) for page, a, b in between)
    return headed > MAJORITY * len(mine)


def _post_weight(name: str, seen: Mapping[str, _Occurrences], pages: int) -> float | None:
    """Return how much text of the post an identifier holds; None where it is not the post's."""
    one = seen[name]
    if _is_aside(name) or one.is_mostly_comments:
        return None
    share = one.share_in_feed
    if share is not None and share >= MAJORITY and one.letters:
        return one.letters * share
    if (share is not None and share < SOME) or not _on_all_pages(name, seen, pages):
        return None
    return one.letters


def _on_all_pages(name: str, seen: Mapping[str, _Occurrences], pages: int) -> bool:
    """Return whether an identifier, or one below it, has content on (nearly) all pages."""
    whole = set().union(
        *(one.pages for other, one in seen.items() if f"{other}/".startswith(f"{name}/"))
    )
    return len(whole) >= NEARLY_ALL * pages


def span(
    blocks: Blocks, name: str, mine: list[int], others: list[int]
) -> HtmlElement | list[HtmlElement]:
    """Return the element that holds all of ``mine`` and little else, else the siblings from the
    first to the last that hold any; ``name``: the identifier of these.
    """
    top = _common_block(blocks, mine)
    foreign = [i for i in others if top <= i < blocks.end[top]]
    while blocks.tags[top] in WRITTEN and top > 0 and not _is_named_so(blocks, top, name):
        top = blocks.parent[top]
    total = blocks.all_plain[top] or 1.0
    if sum(blocks.all_plain[i] for i in foreign) <= (1 - MOST) * total:
        return blocks.elements[top]
    between = _from_first_to_last(blocks, blocks.children(top), mine)
    left = [blocks.elements[i] for i in between if i in mine or not _holds(blocks, i, foreign)]
    return left if between else blocks.elements[top]


def _is_named_so(blocks: Blocks, i: int, name: str) -> bool:
    """Return whether an identifier ends with the name of an element, that of a table."""
    return identifier(blocks, i) == name != identifier(blocks, blocks.parent[i])


def _from_first_to_last(blocks: Blocks, children: list[int], mine: list[int]) -> list[int]:
    """Return the children from the first to the last that hold any of these elements."""
    holding = [place for place, child in enumerate(children) if _holds(blocks, child, mine)]
    return children[holding[0] : holding[-1] + 1] if holding else []


def _common_block(blocks: Blocks, mine: list[int]) -> int:
    top = mine[0]
    while not blocks.end[top] > mine[-1]:
        top = blocks.parent[top]
    return top


def _holds(blocks: Blocks, top: int, numbers: Sequence[int]) -> bool:
    """Return whether any of the elements is ``top`` or inside it."""
    return any(top <= i < blocks.end[top] for i in numbers)
