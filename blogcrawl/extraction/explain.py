"""Why a post came out as it did: what every method found on a page, which one won each field, and
what decided it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from msgspec import to_builtins

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue, Post
from blogcrawl.dates.edtf import written
from blogcrawl.extraction.chain import ask_all
from blogcrawl.extraction.decide import weigh
from blogcrawl.extraction.fields.tag_links import learned_source, without_theirs
from blogcrawl.extraction.model import BlogModel, NotAPost, judge_page
from blogcrawl.extraction.policy import PROVED, Weighed
from blogcrawl.induction.apply import drop_rules, without
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.text.similarity import fold

FIELDS = (
    "title",
    "subtitle",
    "authors",
    "published",
    "modified",
    "tags",
    "content",
    "excerpt",
    "language",
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one method says of one field; ``confidence`` 0..1 before the cross-checks."""

    field: str
    method: str
    confidence: float
    value: str
    rule: str | None
    won: bool


@dataclass(frozen=True, slots=True)
class Winner:
    """The value that a field got; ``confidence`` 0..1 after the cross-checks."""

    field: str
    method: str
    confidence: float
    rule: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """``reason`` says why the page is no post, "" where it is one; ``belief`` 0..1 that it is
    one."""

    url: str
    is_post: bool
    belief: float
    reason: str
    opinions: tuple[Opinion, ...]
    winners: tuple[Winner, ...]
    said: Mapping[str, Fields]
    """What the methods said, elements and all: for drawing."""
    left_out: tuple[str, ...] = ()
    """XPaths, from the content's element, of parts that the rules leave out: for drawing."""
    template: int = 1
    """The number of the template whose rules were applied, as ``rules_of`` numbers them."""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, without the elements."""
        return {
            "url": self.url,
            "is_post": self.is_post,
            "belief": self.belief,
            "reason": self.reason,
            "template": self.template,
            "said": [asdict(opinion) for opinion in self.opinions],
            "extraction": {
                w.field: {
                    "method": w.method,
                    "confidence": w.confidence,
                    "rule": w.rule,
                    "why": w.why,
                }
                for w in self.winners
            },
        }


def rules_of(model: BlogModel) -> list[dict[str, Any]]:
    """Return the induced rules as data, by template and field, best first; empty values left out.

    ``template`` is 1 for the rules of the newest posts, more for those of older or other templates.
    """
    rules = []
    for number, ruleset in enumerate(_rulesets(model), 1):
        order = [*FIELDS, *sorted(set(ruleset.rules) - set(FIELDS))]
        of_fields = (rule for field in order for rule in ruleset.rules.get(field, ()))
        rules += [{"template": number, **to_builtins(rule)} for rule in of_fields]
    return rules


def _rulesets(model: BlogModel) -> list[RuleSet]:
    return [model.ruleset, *(each.ruleset for each in model.generations)]


def explain(page: Page, model: BlogModel, entry: FeedEntry | None = None) -> Explanation:
    """Asks every method, also those that a crawl would not need to ask, then extracts as a crawl
    does.

    ``entry`` is what the feed says of this post, where it does.
    """
    ruleset = model.ruleset_of(page)
    template = next(n for n, each in enumerate(_rulesets(model), 1) if each is ruleset)
    said = _as_weighed(ask_all(page, ruleset), page, ruleset)
    result, belief = judge_page(page, model, entry, promised=entry is not None)
    found: Fields = {}
    for fields in said.values():
        for field, values in fields.items():
            found.setdefault(field, []).extend(values)
    weighed = weigh(found, page, ruleset, entry)
    chosen = dict(result.extraction) if isinstance(result, Post) else {}
    opinions = tuple(_opinions(said, chosen))
    winners = tuple(
        Winner(
            field,
            str(won["method"]),
            float(won["confidence"]),
            won["rule"],
            _why(field, won, said, ruleset, weighed.get(field, ())),
        )
        for field, won in chosen.items()
    )
    belief = round(belief, 3)
    if isinstance(result, NotAPost):
        return Explanation(
            page.url, False, belief, result.reason, opinions, winners, said, template=template
        )
    left_out = tuple(rule.xpath for rule in drop_rules(ruleset))
    return Explanation(page.url, True, belief, "", opinions, winners, said, left_out, template)


def _as_weighed(said: Mapping[str, Fields], page: Page, ruleset: RuleSet) -> dict[str, Fields]:
    """Return what the methods said, as an extraction takes it: tags from the learned place first,
    nothing that is the theme's; the rules' content without what is to be dropped."""
    source = learned_source(page, ruleset.facts.tags)
    out = {name: dict(fields) for name, fields in said.items()}
    if source is not None:
        metadata = out.setdefault(source.method, {})
        metadata["tags"] = [
            source,
            *(value for value in metadata.get("tags", ()) if value.rule != source.rule),
        ]
    for fields in out.values():
        if "tags" in fields:
            fields["tags"] = without_theirs(fields["tags"], ruleset.facts.tags)
    mine, drops = out.get("rules", {}), drop_rules(ruleset)
    if "content" in mine:
        mine["content"] = [
            replace(value, value=without(value.value, drops)) for value in mine["content"]
        ]
    return out


def _opinions(
    said: Mapping[str, Fields], chosen: Mapping[str, Mapping[str, Any]]
) -> Iterator[Opinion]:
    for field in FIELDS:
        won = chosen.get(field, {})
        for method, fields in said.items():
            for value in fields.get(field, ())[:3]:
                is_winner = won.get("method") == value.method and won.get("rule") == value.rule
                yield Opinion(
                    field,
                    method,
                    value.confidence,
                    text_of(value.value)[:MAX_READ],
                    value.rule,
                    is_winner,
                )


def _why(
    field: str,
    won: Mapping[str, Any],
    found: Mapping[str, Fields],
    ruleset: RuleSet,
    weighed: Sequence[Weighed],
) -> str:
    """Explain a decision in words: its source, the methods that agree, and those that were surer
    but failed a cross-check.
    """
    method = str(won["method"])
    mine = next((v for v in found.get(method, {}).get(field, ()) if v.rule == won["rule"]), None)
    source = _source(field, won, ruleset)
    if mine is None:
        return source
    others = {
        name: fields[field][0]
        for name, fields in found.items()
        if name != method and fields.get(field)
    }
    same = [name for name, value in others.items() if _same(field, value, mine)]
    surer = [n for n, v in others.items() if v.confidence > mine.confidence and n not in same]
    return "; ".join(filter(None, (source, _agree(same), _why_not(field, surer, weighed))))


def _agree(methods: Sequence[str]) -> str:
    """Name the methods that say the same, if any."""
    verb = "says" if len(methods) == 1 else "say"
    return f"{', '.join(methods)} {verb} the same" if methods else ""


def _why_not(field: str, surer: Sequence[str], weighed: Sequence[Weighed]) -> str:
    """Explain why methods that were surer, if any, did not decide: by the features of their
    values."""
    if not surer:
        return ""
    methods = ", ".join(surer)
    if field == "content":
        return f"asked before {methods}"
    seen = dict.fromkeys(name for w in weighed if w.value.method in surer for name in w.features)
    return f"{methods} surer, but " + (", ".join(seen) or "not by the rules of the blog")


def _source(field: str, won: Mapping[str, Any], ruleset: RuleSet) -> str:
    method = str(won["method"])
    if method == "rules":
        for rule in ruleset.rules.get(field, ()):
            if won["rule"] in (rule.xpath, f"{rule.xpath}/@{rule.attribute}"):
                sure = (
                    "so no other method is needed"
                    if float(won["confidence"]) >= PROVED
                    else "the others were asked too"
                )
                return (
                    f"the rule was right on {rule.support_right} of {rule.support_tried} "
                    f"pages, {sure}"
                )
    named = {
        "constant": "the blog has one usual author",
        "known-name": "the only author of the blog who is named next to the title",
        "list": "a list page of the blog gives it",
        "url": "the address gives this day",
        "title": "no method found a title: the document's own",
    }
    if "feed" in method or method in ("sitemap", "json"):
        return f"the {method} names it for this post"
    return named.get(method, "the surest of those asked")


def _same(field: str, one: FieldValue, other: FieldValue) -> bool:
    if isinstance(one.value, datetime) and isinstance(other.value, datetime):
        return one.value.date() == other.value.date()
    a, b = fold(text_of(one.value)).casefold(), fold(text_of(other.value)).casefold()
    return a == b or (
        field == "content"
        and bool(a)
        and a[:200] == b[:200]
        and 0.8 < len(a) / max(1, len(b)) < 1.25
    )


def text_of(value: Any) -> str:
    """Return a candidate's value on one line: elements by their text."""
    if isinstance(value, datetime):
        return written(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(text_of(part) for part in value)
    if hasattr(value, "itertext"):
        return " ".join(" ".join(value.itertext()).split())
    return " ".join(str(value).split())
