"""Comment rules learned from pages whose comments are known from a feed (harvest-modern-weblogs,
section 3.5).

The nodes that a rule returns and the comments that the feed names make a complete bipartite graph,
weighted by the similarity of their texts; a rule's score is the value of its maximum-weight
matching, 0 where it returns fewer nodes than the feed has comments. A feed shows the last few
comments only, so a rule may return more (overflow): that is what it is for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.fields import read_units
from blogcrawl.comments.locate import find_units
from blogcrawl.comments.page_reader import OnPage, read_page
from blogcrawl.comments.records import CommentRules
from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import clock_offsets
from blogcrawl.dom.selectors import quote
from blogcrawl.lexicon.comment_words import tokens
from blogcrawl.text.similarity import bigrams, fold
from blogcrawl.text.visible import node_text

Sample = tuple[Page, Sequence[Comment]]
MAX_GROUP = 1_500
"""Nodes of one rule that are matched: the assignment is cubic in the smaller side only, the weights
are its product.
"""
MAX_TARGETS = 60
"""Feed comments matched per page; feeds of platforms show 10 to 500."""
MAX_LEAD = 40
"""Characters before the name in a byline."""
GOOD = 0.8
"""Mean similarity of matched pairs from which a rule is believed; feed and page differ by byline
words and smileys only.
"""


def learn_comments(samples: Sequence[Sample]) -> CommentRules | None:
    """Rules for a blog from (page, its comments as a feed or API tells them). None where no page
    shows any of them.

    Where the known markup already gives every promised comment, no unit rule is needed: then only
    the places of the fields, the order of day and month and the page's clock are learned.
    """
    samples = [(p, [c for c in cs if c.content_text][:MAX_TARGETS]) for p, cs in samples]
    samples = [(p, cs) for p, cs in samples if cs]
    if not samples:
        return None
    plain = [read_page(p) for p, _ in samples]
    covered = [_coverage(seen.comments, cs) for seen, (_, cs) in zip(plain, samples, strict=True)]
    if sum(covered) >= GOOD * len(samples):
        return _from_markup(samples, plain, covered)
    found = _learn_unit(samples)
    if found is None:
        return _from_markup(samples, plain, covered) if any(covered) else None
    rule, score = found
    rules = CommentRules(unit=rule, score=score)
    seen_by_rule = [read_page(p, rules) for p, _ in samples]
    covered_by_rule = [
        _coverage(seen.comments, cs) for seen, (_, cs) in zip(seen_by_rule, samples, strict=True)
    ]
    if sum(covered_by_rule) <= sum(covered):
        return _from_markup(samples, plain, covered) if any(covered) else None
    return _with_fields(samples, seen_by_rule, covered_by_rule, rule, score)


def _coverage(seen: Sequence[Comment], told: Sequence[Comment]) -> float:
    """Share of the told comments that were read with (nearly) their text."""
    texts = Counter(fold(c.content_text)[:60] for c in seen)
    return sum(bool(texts[fold(c.content_text)[:60]]) for c in told) / len(told)


def _from_markup(
    samples: Sequence[Sample], seen: Sequence[OnPage], covered: Sequence[float]
) -> CommentRules:
    return _with_fields(samples, seen, covered, None, sum(covered) / len(covered))


def _with_fields(
    samples: Sequence[Sample],
    seen: Sequence[OnPage],
    covered: Sequence[float],
    unit: str | None,
    score: float,
) -> CommentRules:
    """Places of the fields by what the feed says they hold; clock and date order by
    comparing both.
    """
    votes = {"author": Counter[str](), "date": Counter[str]()}
    clocks, orders = Counter[int](), Counter[bool]()
    bylines = Counter(s.byline for s in seen if s.byline)
    told_lines: Counter[tuple[str, str]] = Counter()
    for (page, told), on_page in zip(samples, seen, strict=True):
        by_text = {fold(c.content_text)[:60]: c for c in told}
        for comment, moment in zip(on_page.comments, on_page.naive, strict=True):
            truth = by_text.get(fold(comment.content_text)[:60])
            if truth is not None:
                clocks.update(clock_offsets([(moment, truth.published)]))
        for reader in _readers(page, unit):
            truth = by_text.get(_best_key(reader, by_text))
            if truth is not None:
                _vote_fields(reader, truth, votes, orders)
                told_lines.update(_line_around(reader, truth.author))
    bodies = Counter(path for s in seen for path in s.bodies[:1])
    stated = (s.day_first for s in seen if s.day_first is not None)
    day_first = orders.most_common(1)[0][0] if orders else next(stated, None)
    return CommentRules(
        unit=unit,
        author=tuple(p for p, _ in votes["author"].most_common(3)),
        date=tuple(p for p, _ in votes["date"].most_common(3)),
        body=tuple(p for p, _ in bodies.most_common(3)),
        byline=next((line for line, _ in (told_lines or bylines).most_common(1)), None),
        day_first=day_first,
        utc_offsets=tuple(o for o, n in clocks.most_common(2) if n >= 0.2 * sum(clocks.values())),
        support_right=sum(c >= GOOD for c in covered),
        support_tried=len(covered),
        score=round(score, 4),
    )


def _readers(page: Page, unit: str | None) -> list[Reader]:
    return read_units(find_units(page.tree, unit)[0], page.tree.get("lang"))


def _best_key(reader: Reader, by_text: dict[str, Comment]) -> str:
    text = fold(node_text(reader.root))
    return max((k for k in by_text if k and k in text), key=len, default="")


def _vote_fields(
    reader: Reader, truth: Comment, votes: dict[str, Counter[str]], orders: Counter[bool]
) -> None:
    if truth.author:
        for path, (_, _, name) in reader.authors.items():
            if fold(name).casefold() == fold(truth.author).casefold():
                votes["author"][path] += 1
    if truth.published is None:
        return
    for path, (_, _, reading, _) in reader.dates.items():
        gaps = {first: _gap(reading.pick(first), truth.published) for first in (True, False)}
        if min(gaps.values()) <= 27 * 3600:
            votes["date"][path] += 2 if reading.has_time else 1
            if reading.ambiguous:
                orders[gaps[True] < gaps[False]] += 1


def _line_around(reader: Reader, name: str | None) -> Iterable[tuple[str, str]]:
    """What stands before the name, and between it and the date, in the shortest text that holds
    both.
    """
    for _, element, reading, _ in sorted(reader.dates.values(), key=lambda c: len(node_text(c[1])))[
        :1
    ]:
        text, place = node_text(element), node_text(element).find(name) if name else -1
        if name and place >= 0 and place + len(name) < reading.span[0] and place < MAX_LEAD:
            yield text[:place], text[place + len(name) : reading.span[0]]


def _gap(moment: datetime | None, truth: datetime) -> float:
    if moment is None:
        return float("inf")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return abs((aware - truth).total_seconds())


def _rules_of(node: HtmlElement) -> Iterable[str]:
    """The paper's AllRules, made to survive numbers: an id without its digits, classes without
    those that vary, else the path.
    """
    identifier = node.get("id") or ""
    stem = re.match(r"^(.*?[^\d])\d+$", identifier)
    if stem:
        yield f"//{node.tag}[starts-with(@id,{quote(stem.group(1))})]"
    stable = sorted(tokens(node.get("class")))[:4]
    if stable:
        inner = " and ".join(
            f"contains(concat(' ',normalize-space(@class),' '),{quote(f' {t} ')})" for t in stable
        )
        yield f"//{node.tag}[{inner}]"
    elif not stem:
        yield from _paths(node)


def _paths(node: HtmlElement) -> Iterable[str]:
    """Tags from the nearest ancestor with a plain id or class down to the node; and any depth below
    it, for replies in replies.
    """
    path = _path(node)
    yield path
    if path.count("/") > 3:
        yield f"{path[: path.index('/', 2)]}//{node.tag}"
    elif path.startswith("//"):
        yield path.replace("]/", "]//", 1)


def _path(node: HtmlElement) -> str:
    steps = [str(node.tag)]
    for ancestor in node.iterancestors():
        identifier, stable = ancestor.get("id") or "", sorted(tokens(ancestor.get("class")))
        if identifier and not re.search(r"\d", identifier):
            return f"//{ancestor.tag}[@id={quote(identifier)}]/" + "/".join(steps)
        if stable:
            return (
                f"//{ancestor.tag}[contains(concat(' ',normalize-space(@class),' "
                f"'),{quote(f' {stable[0]} ')})]/"
            ) + "/".join(steps)
        steps.insert(0, str(ancestor.tag))
    return "/" + "/".join(steps)


def _learn_unit(samples: Sequence[Sample]) -> tuple[str, float] | None:
    """The XPath whose nodes match the told comments best over all pages, widened to hold name and
    date.
    """
    scores: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    tried = len(samples)
    for page, told in samples:
        for rule, nodes in _groups(page).items():
            if not len(told) <= len(nodes) <= MAX_GROUP:
                continue  # fewer nodes than comments: score 0, says the paper
            value = _matching([node_text(n) for n in nodes], [c.content_text for c in told]) / len(
                told
            )
            if value > 0.2:
                scores[rule] += value  # type: ignore[assignment]
                sizes[rule] += len(nodes)
    if not scores:
        return None
    body, total = max(scores.items(), key=lambda item: (round(item[1], 3), -sizes[item[0]]))
    if total / tried < 0.4:
        return None
    return _widen(samples, body) or body, total / tried


def _groups(page: Page) -> dict[str, list[HtmlElement]]:
    out: dict[str, list[HtmlElement]] = defaultdict(list)
    for node in page.tree.iter(etree.Element):
        if node.tag in (
            "html",
            "head",
            "body",
            "script",
            "style",
            "a",
            "b",
            "i",
            "em",
            "strong",
            "img",
            "br",
            "form",
            "input",
            "option",
        ):
            continue
        for rule in _rules_of(node):
            out[rule].append(node)
    return out


def _matching(nodes: Sequence[str], targets: Sequence[str]) -> float:
    """Value of the maximum-weight matching between node texts and target texts (Sorensen-Dice
    weights).
    """
    from scipy.optimize import linear_sum_assignment

    sets = [bigrams(fold(t)) for t in nodes]
    wanted = [bigrams(fold(t)) for t in targets]
    weights = [
        [
            2 * len(a & b) / (len(a) + len(b)) if a and b and len(a) < 6 * len(b) + 200 else 0.0
            for b in wanted
        ]
        for a in sets
    ]
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(sum(weights[r][c] for r, c in zip(rows, columns, strict=True)))


def _widen(samples: Sequence[Sample], body: str) -> str | None:
    """From the text's node up to the comment's: the widest ancestor rule that still returns one
    node per text.
    """
    votes: Counter[tuple[int, str]] = Counter()
    for page, told in samples:
        texts = page.tree.xpath(body)
        names = [fold(c.author) for c in told if c.author]
        known = set(texts)
        for node in texts[:200]:
            for up, ancestor in enumerate(node.iterancestors()):
                if (
                    ancestor.tag in ("body", "html")
                    or sum(1 for d in ancestor.iter() if d in known) > 1
                ):
                    break
                if any(name in fold(node_text(ancestor)) for name in names):
                    for rule in _rules_of(ancestor):
                        votes[up, rule] += 1
                    break
    if not votes:
        return None
    return votes.most_common(1)[0][0][1]


__all__ = ["Unit", "learn_comments"]
