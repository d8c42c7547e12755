"""The content rule: from full text by overlap, from excerpts by what is a page's own."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from operator import sub
from typing import NamedTuple

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import MOST, NEARLY_ALL
from blogcrawl.dom.index import PageIndex
from blogcrawl.induction.learn import (
    Candidate,
    Prepared,
    Verdict,
    best_score,
    chosen,
    judge_all,
    mean_best,
)
from blogcrawl.induction.page_specific import clear_away, labelled, labels_of, shaped
from blogcrawl.induction.recurring_comments import DROP_HITS, varying_blocks
from blogcrawl.induction.ruleset import Rule
from blogcrawl.induction.scoring import long_enough
from blogcrawl.induction.select_rules import cover, to_rule
from blogcrawl.induction.template import TemplateModel
from blogcrawl.text.similarity import f1, run_hashes, sums
from blogcrawl.text.visible import BLOCK_TAGS

RIGHT = 0.75
"""Score (F1, half of it before unwanted parts inside the node are dropped) from which a node counts
as the content's.
"""
LEAST_RIGHT, AS_RIGHT = 0.5, 0.8
"""Such a score at least where the best rule has a low one, and its share of that."""
FULL_SHARE = 0.5
"""The feed's text must be this much of the page's own words to be taken for the whole post."""


INSETS = frozenset("pre ul ol dl figure table".split())
"""Elements that stand amid the text of posts."""
AMID_TEXT = INSETS | frozenset("h1 h2 h3 h4 h5 h6".split())
"""The same with headings."""
PIECES = INSETS | {"p", "blockquote"}
"""Elements that are seldom all of a post."""
HITS = 12
"""Words of the feed's text that must be found for them to show where a post is."""
PART_TAGS = frozenset(("h1", "header", "footer", "nav", "aside", "form", "time", "address"))
"""Elements that are parts by their name alone."""
PLAIN_PARTS = frozenset("p div section ul ol center small font".split())
"""Elements that are parts by themselves: a caption, a row or a piece of code that a feed leaves out
is the post's, and a heading is known by what it heads: without "Comments" they would be text."""


class Own:
    """Running totals of the words that are each page's own, next to the feed's hits."""

    def __init__(self, samples: Sequence[Prepared], others: Sequence[PageIndex] = ()) -> None:
        self._samples, self._others = samples, others
        self._sums: dict[int, array[int]] = {}
        self._foreign: dict[int, array[int]] = {}
        self._chains: dict[int, list[int]] = {}
        self._inside: dict[int, array[int]] = {}
        self.full: set[int] = set()
        """Samples (by id) whose feed text is the whole post."""

    @cached_property
    def _marks(self) -> dict[int, bytearray]:
        """Each page's own words; found when they are first asked for: whole posts hardly need
        them."""
        template = TemplateModel.of_pages([*(p.index for p in self._samples), *self._others])
        return {id(p): template.own_words(p.index) for p in self._samples}

    @cached_property
    def _aside(self) -> dict[int, set[int]]:
        """Each page's elements whose shape, or another's of the same label on any page of the blog,
        says that they hold no post.
        """
        blocks = {id(p): shaped(p.index, p.hits, p.sample.page) for p in self._samples}
        known = set().union(*(labels_of(p.index, p.hits, blocks[id(p)]) for p in self._samples))
        varying = varying_blocks([(p.index, p.hits) for p in self._samples])
        return {
            id(p): {*blocks[id(p)], *labelled(p.index, known), *mine}
            for p, mine in zip(self._samples, varying, strict=True)
        }

    def chain(self, prepared: Prepared) -> list[int]:
        """Return nodes that may be the content as far as the feed's text shows."""
        if id(prepared) not in self._chains:
            self._chains[id(prepared)] = chain(prepared.index, prepared.hits)
        return self._chains[id(prepared)]

    def raw(self, prepared: Prepared) -> int:
        """Return words that are the page's own, those next to the post among them: an upper bound
        of ``all``, and cheap.
        """
        return sum(self._marks[id(prepared)])

    def sums(self, prepared: Prepared) -> array[int]:
        """Running totals of the page's own words that may be the post's."""
        found = self._sums.get(id(prepared))
        if found is None:
            marks = self._marks[id(prepared)]
            clear_away(
                prepared.index,
                marks,
                prepared.hits,
                prepared.target,
                self._aside[id(prepared)],
                prepared.titles,
            )
            found = self._sums[id(prepared)] = sums(marks)
        return found

    def count(self, prepared: Prepared, i: int) -> int:
        total = self.sums(prepared)
        return total[prepared.index.last[i]] - total[prepared.index.first[i]]

    def all(self, prepared: Prepared) -> int:
        return self.sums(prepared)[-1]

    def judge(self, prepared: Prepared, i: int) -> float:
        """Return how well node ``i`` is the content once labelled parts that are none are dropped;
        the less to drop, the better.
        """
        index, target = prepared.index, len(prepared.target.words)
        if id(prepared) in self.full:
            good, whole = prepared.hit(i), target
        else:
            good, whole = self.count(prepared, i), self.all(prepared)
            if prepared.hits[-1] and prepared.hit(i) < 0.5 * prepared.hits[-1]:
                return 0.0
        length, removable = index.length(i), self._removable(prepared, i)
        least = max(length - removable, min(good, whole))
        if id(prepared) in self.full:
            plain, pruned = f1(good, length, whole), f1(good, least, whole)
        else:
            plain, pruned = _careful(good, length, whole), _careful(good, least, whole)
        return pruned * (0.5 + 0.5 * plain)

    def _removable(self, prepared: Prepared, i: int) -> int:
        """Return words in parts of node ``i`` that hold (nearly) no content, and the title, which
        cleaning cuts.
        """
        totals = self._foreign.get(id(prepared))
        if totals is None:
            index, worth = prepared.index, self.worths(prepared)
            marks, end, titles = bytearray(len(index.words)), index.end, frozenset(prepared.titles)
            near_excerpt = self._near_excerpt(prepared)
            past, stop = index.body + 1, end[index.body] if index.tags else 0
            for at, (a, b) in enumerate(zip(index.first[:stop], index.last[:stop], strict=True)):
                if past > at or a >= b or worth[b] - worth[a] > DROP_HITS * (b - a):
                    continue
                if at in titles or _is_part(index, at, near_excerpt):
                    marks[a:b] = b"\x01" * (b - a)
                    past = end[at]
            totals = self._foreign[id(prepared)] = sums(marks)
        return totals[prepared.index.last[i]] - totals[prepared.index.first[i]]

    def _near_excerpt(self, prepared: Prepared) -> range:
        """Return the elements of the box in which an excerpt stands: it shows where the post is,
        not how much there the theme adds.
        """
        if id(prepared) in self.full or prepared.hits[-1] < HITS:
            return range(0)
        index = prepared.index
        box = [
            i for i in self.chain(prepared) if prepared.hit(i) >= NEARLY_ALL * prepared.hits[-1]
        ][-1]
        box = index.parent[box] if index.tags[box] in PIECES else box
        return range(box + 1, index.end[box])

    def worths(self, prepared: Prepared) -> array[int]:
        """Running totals of the words that are content."""
        return prepared.hits if id(prepared) in self.full else self.sums(prepared)

    def worth(self, prepared: Prepared, i: int) -> int:
        """Return words of node ``i``, inside the content's, that are content."""
        totals = self.inside(prepared)
        return totals[prepared.index.last[i]] - totals[prepared.index.first[i]]

    def inside(self, prepared: Prepared) -> array[int]:
        """Return the same totals as ``worths``, once the content's node is known."""
        if id(prepared) not in self._inside:
            self._inside[id(prepared)] = (
                _spanned(prepared)
                if id(prepared) in self.full
                else _either(self.sums(prepared), prepared.hits)
            )
        return self._inside[id(prepared)]

    def leave_out(self, prepared: Prepared, nodes: Sequence[int]) -> None:
        """Count no word of these elements as content."""
        totals, index = self.inside(prepared), prepared.index
        marks = bytearray(map(sub, totals[1:], totals))
        for i in nodes:
            marks[index.first[i] : index.last[i]] = bytes(index.length(i))
        self._inside[id(prepared)] = sums(marks)


def _either(own: array[int], hits: array[int]) -> array[int]:
    """Running totals of the words that either counts: what the feed has is content, whatever it
    looks like.
    """
    return sums(bytes(map(max, map(sub, own[1:], own), map(sub, hits[1:], hits))))


def _spanned(prepared: Prepared) -> array[int]:
    """Running totals of the words that are content on a page whose post the feed has whole: none
    before the feed's first words inside the content's node, none behind its last, whatever words of
    the post a heading or a link there repeats. Most of the feed's words stand between the two: its
    last may be its own ("appeared first on …"), with the title that the node begins with."""
    totals, index, length = prepared.hits, prepared.index, prepared.target.run
    top, feed_runs = prepared.top, run_hashes(prepared.target.words, length)
    runs = index.runs(length)[
        index.first[top] : max(index.first[top], index.last[top] - length + 1)
    ]
    behind, least = totals[index.first[top] : index.last[top] + 1], MOST * prepared.hit(top)
    begin = next((at for at in _places(feed_runs, runs) if behind[-1] - behind[at] >= least), 0)
    end = next(
        (at for at in _places(feed_runs[::-1], runs[::-1]) if behind[-1 - at] - behind[0] >= least),
        0,
    )
    high = totals[index.last[top] - end]
    low = min(totals[index.first[top] + begin], high)
    above, below = bisect_left(totals, low), bisect_right(totals, high)
    ends = array("i", (low, high))
    return ends[:1] * above + totals[above:below] + ends[1:] * (len(totals) - below)


def _places(wanted: Sequence[int], runs: Sequence[int]) -> Iterator[int]:
    """Yield where the first of these runs stand first, as far as they are there."""
    known = set(runs)
    return (runs.index(run) for run in wanted[:MAX_TRIED] if run in known)


def _careful(good: int, length: int, whole: int) -> float:
    """Return f measure that weighs precision twice: of a page's own words some always stand next to
    the post.
    """
    if not good or not length:
        return 0.0
    precision, recall = min(1.0, good / length), min(1.0, good / whole)
    return 1.5 * precision * recall / (0.5 * precision + recall)


def is_labelled(index: PageIndex, i: int) -> bool:
    """Return whether a rule can name the element by what it is called."""
    if index.classes[i] or index.ids[i]:
        return True
    return i in index.named and bool(
        index.elements[i].get("itemprop") or index.elements[i].get("rel")
    )


def chain(index: PageIndex, totals: Sequence[int], floor: float = 0.3) -> list[int]:
    """Return nodes from the body down, always into the child that holds most of what is counted:
    the only ones that can win.
    """
    here, out = index.body, [index.body]
    while True:
        count = totals[index.last[here]] - totals[index.first[here]]
        most, best = max(
            ((totals[index.last[i]] - totals[index.first[i]], -i) for i in index.children(here)),
            default=(0, 0),
        )
        if most < floor * count or not most:
            return out
        here = -best
        out.append(here)


def is_full(prepared: Prepared, own: Own) -> bool:
    """Return whether this entry's text is the whole post: some node is nearly it, and little of the
    page's own is left over.
    """
    if prepared.target.cut or not long_enough(prepared.target):
        return False
    best = max(map(prepared.content_score, own.chain(prepared)), default=0.0)
    least = FULL_SHARE / 2 if prepared.sample.entry.is_full else 1.4 * FULL_SHARE
    # less and less is counted, at rising cost: all words of the page, its own, those that may be
    # the post's
    counts = (lambda p: len(p.index.words), own.raw, own.all)
    return best >= 0.6 and any(prepared.hits[-1] >= least * count(prepared) for count in counts)


class ContentVerdicts(NamedTuple):
    """Verdicts for the content field, best first; the samples they were judged on; and whether most
    entries are whole posts.
    """

    verdicts: list[Verdict]
    judged: list[Prepared]
    own: Own
    is_full: bool


def content_rules(samples: Sequence[Prepared], others: Sequence[PageIndex] = ()) -> ContentVerdicts:
    """Return the content field, judged; ``others`` are other pages of the blog.

    Where most entries have full text only those pages judge; else the others judge by what is their
    own.
    """
    own = Own(samples, others)
    own.full = {id(prepared) for prepared in samples if is_full(prepared, own)}
    full = len(own.full) >= 0.6 * len(samples)
    judged = [p for p in samples if id(p) in own.full] if full else list(samples)
    if len(samples) + len(others) < 3 and not own.full:
        return ContentVerdicts([], judged, own, full)
    proposals = {id(p): _propose(p, own) for p in judged}
    most = mean_best(list(proposals.values()))
    verdicts = judge_all(judged, lambda p: proposals[id(p)], lambda p, i, _: own.judge(p, i), most)
    if not full:  # most posts may be one paragraph, whose rule would cut the others
        verdicts = _without_pieces(verdicts, judged, own) or verdicts
    return ContentVerdicts(verdicts, judged, own, full)


def _without_pieces(
    verdicts: Sequence[Verdict], pages: Sequence[Prepared], own: Own
) -> list[Verdict]:
    return [v for v in verdicts if not any(_is_piece(p, own, v) for p in pages)]


def _is_part(index: PageIndex, i: int, near_excerpt: Container[int]) -> bool:
    """Return whether an element is by its tag, place or name a part that cleaning may remove."""
    tag = index.tags[i]
    return tag in PART_TAGS or (i in near_excerpt and tag in PLAIN_PARTS) or is_labelled(index, i)


def _is_piece(prepared: Prepared, own: Own, verdict: Verdict) -> bool:
    """Return whether a rule returns a paragraph, or words of one in bold, next to which the same
    box has as many of the page's own words again.
    """
    node, _ = chosen(prepared, verdict.selector, verdict.attribute)
    if node is None or prepared.hits[-1] < HITS:
        return False
    index = prepared.index
    while index.tags[node] not in BLOCK_TAGS and node > 0:
        node = index.parent[node]
    if index.tags[node] not in PIECES:
        return False
    return own.count(prepared, index.parent[node]) >= 2 * own.count(prepared, node)


def _propose(prepared: Prepared, own: Own) -> list[Candidate]:
    nodes = (
        own.chain(prepared)
        if prepared.hits[-1] >= HITS
        else chain(prepared.index, own.sums(prepared))
    )
    scored = [Candidate(i, own.judge(prepared, i)) for i in _outermost(prepared.index, nodes)]
    best = best_score(scored)
    return [c for c in scored if c.score >= best - 0.1 and c.score > 0]


def _outermost(index: PageIndex, nodes: Sequence[int]) -> list[int]:
    """Leave out nodes inside a labelled one of the same words: other posts may have a lead or a
    second part next to the inner one.
    """
    taken: set[tuple[int, int]] = set()
    out = []
    for i in nodes:
        span = index.first[i], index.last[i]
        if span not in taken:
            out.append(i)
        if is_labelled(index, i) and index.tags[i] not in ("body", "html"):
            taken.add(span)
    return out


def mark_content(samples: Sequence[Prepared], content: ContentVerdicts) -> None:
    """Set each sample's content node to what the best rules return there (first rule that returns
    anything sensible).
    """
    rules = _picked(content)
    for prepared in samples:
        for verdict in rules:
            node, _ = chosen(prepared, verdict.selector, None)
            if node is not None:
                prepared.content = node
                break


def rules_of(content: ContentVerdicts) -> list[Rule]:
    """Return the rules to store."""
    least = least_right(content.verdicts)
    return [to_rule("content", verdict, least) for verdict in _picked(content)]


def _picked(content: ContentVerdicts) -> list[Verdict]:
    """Return rules for content. One post that is hardly more than a piece of code, or of which
    hardly more than a heading was read, makes no template: other posts have these too. Nor does
    one of which an excerpt is known: a rule that is right there only may return its beginning.
    """
    verdicts = content.verdicts
    kept = [
        v
        for v in verdicts
        if sum(v.said) > 1 or len(v.said) == 1 or v.selector.steps[-1].tag not in AMID_TEXT
    ]
    return cover(kept, least_right(kept), singles=content.is_full)


def least_right(verdicts: Sequence[Verdict]) -> float:
    """Return the score from which a node is the content's: less where the theme adds so much to all
    posts that no node is all but theirs.
    """
    if any(2 * verdict.right(RIGHT) >= len(verdict.scores) for verdict in verdicts):
        return RIGHT
    return min(
        RIGHT, max(LEAST_RIGHT, AS_RIGHT * max((verdict.mean for verdict in verdicts), default=0.0))
    )
