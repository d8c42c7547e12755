"""From samples to a RuleSet: content first, then everything else around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, time, timedelta
from statistics import multimode

from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch
from blogcrawl.dates.patterns import read_pattern
from blogcrawl.dates.url_date import agrees, url_day
from blogcrawl.induction.apply import first
from blogcrawl.induction.author_rules import author_rules
from blogcrawl.induction.content_rules import ContentVerdicts, content_rules, mark_content, rules_of
from blogcrawl.induction.date_rules import date_rules
from blogcrawl.induction.drop_rules import drops
from blogcrawl.induction.learn import Prepared, spread
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.induction.tag_rules import tag_rules
from blogcrawl.induction.title_rules import subtitle_rules, title_rules
from blogcrawl.induction.validate_rules import FEW, FIRST, TRIED, Trials
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import node_text

MAX_NAMES = 12
"""Authors of a blog that are looked for by name where no byline is found."""
MAX_SAMPLES = 15
"""Pages learned from; more cost time and change little (the paper: feeds have about 20)."""

FIELDS = frozenset(
    ("content", "content.drop", "title", "published", "authors", "modified", "tags", "subtitle")
)
SHORT = frozenset(TRIED)
"""Those of which two pages tell as much as more do, where the rules prove right on the others."""
SURELY_FULL = 0.75
"""Share of the pages read first that must be whole posts for no more to be read: some excerpts of
short posts seem whole.
"""
ENOUGH = 3
"""Posts that tell what is a post's own without any help of other pages."""
DAY = 24 * 3600
"""Seconds."""
MORE = 7
"""Pages read of a blog whose feed has excerpts: what is a page's own shows against these."""


def language_of(samples: Sequence[Sample]) -> str | None:
    """The language most pages or entries declare."""
    votes: Counter[str] = Counter()
    for sample in samples:
        code = (
            sample.page.tree.get("lang")
            or sample.page.tree.get("{http://www.w3.org/XML/1998/namespace}lang")
            or sample.entry.language
        )
        if code and len(code) >= 2:
            votes[code.replace("_", "-").split("-")[0].lower()] += 1
    return min(votes, key=lambda code: (-votes[code], code)) if votes else None


def learn_rules(
    samples: Sequence[Sample], others: Sequence[Page] = (), *, thorough: bool = False
) -> RuleSet | None:
    """Induced rules of all fields; None where there is no sample.

    ``others`` are pages of the blog that are no posts (home, archive). The order of samples does
    not matter. ``thorough`` reads all pages into tables: for entries that are no feed's but were
    told by other methods, which err page by page.
    """
    unique = {
        s.page.url: s
        for s in samples
        if s.page.status < 400 and s.page.body and not s.page.body.isspace()
    }
    if not unique:
        return None
    picked = [unique[url] for url in sorted(unique)][:MAX_SAMPLES]
    prepared = [Prepared.of(sample) for sample in picked]
    language = language_of(picked)
    # many start pages show posts whole: beside several posts these tell what is the theme's, and
    # better
    theirs = list(map(_words, others)) if len(picked) < ENOUGH else []
    for p in prepared:
        p.target.lean = 0
    read, content, trials = _first(prepared, theirs, language, thorough)
    rest = [p for p in prepared if p not in read]
    for count in (FEW, len(prepared)):
        for p in rest:
            p.target.lean = read[0].target.lean
        odd = trials.unlike(read, rest)
        if not odd:
            break
        more = spread(
            [p for p in rest if p in odd], count
        )  # a few of them often tell what all of them have
        read, rest = (
            [p for p in prepared if p in read or p in more],
            [p for p in rest if p not in more],
        )
        astray = set().union(*odd.values())
        if "content" in astray:
            content = content_rules(read, theirs)
            astray |= FIELDS - SHORT
        if content.is_full == trials.full:
            trials.renew(dict(_fields(read, content, language, astray)), read)
        else:
            trials = _induced(read, content, language, thorough)
    found = trials.tallied(prepared)
    return RuleSet(
        rules={name: tuple(rules) for name, rules in found.items() if rules},
        constants={
            **_constants(prepared, found["published"]),
            "unread": len(rest),
            "returned": {
                name: trials.returned(name, prepared)
                for name in ("content", "title")
                if trials.found[name]
            },
        },
        language=language,
        samples=len(picked),
    )


def _first(
    prepared: list[Prepared], theirs: Sequence[Sequence[str]], language: str | None, thorough: bool
) -> tuple[list[Prepared], ContentVerdicts, Trials]:
    """The pages read before the others are tried, what is the content on them, and the rules from
    them: two where they leave no doubt, else five, of excerpts seven."""
    read = spread(prepared, FEW)
    if (
        len(prepared) > FIRST + 1
        and not thorough
        and all(p.sample.entry.is_full and p.sample.entry.content_html for p in read)
    ):
        content = content_rules(read, theirs)
        if len(content.own.full) == len(read) and content.verdicts:
            trials = Trials({}, True, read)
            for name, rules in _fields(read, content, language):
                trials.found[name] = rules
                if not trials.is_settled(name, read, prepared):
                    break
            else:
                return read, content, trials
    if thorough or any(p.sample.entry.is_full for p in prepared):
        read = prepared if thorough else spread(prepared, FIRST)
        content = content_rules(read, theirs)
        if len(read) == len(prepared) or len(content.own.full) >= SURELY_FULL * len(read):
            return read, content, _induced(read, content, language, thorough)
    # excerpts say where a post begins, not where it ends: more pages must
    read = spread(prepared, MORE)
    content = content_rules(read, theirs)
    return read, content, _induced(read, content, language, thorough)


def _words(page: Page) -> list[str]:
    """The words of a page that is only compared with."""
    body = page.tree.find("body")
    return tokens(node_text(body)) if body is not None else []


def _induced(
    read: Sequence[Prepared], content: ContentVerdicts, language: str | None, thorough: bool
) -> Trials:
    """The rules of all fields; those of the short ones from two of the pages where they are as good
    on the others.
    """
    few = read if thorough else spread(read, FEW)
    if len(few) == len(read):
        return Trials(dict(_fields(read, content, language)), content.is_full, read)
    trials = Trials(dict(_fields(read, content, language, FIELDS - SHORT)), content.is_full, read)
    trials.renew(dict(_fields(few, content, language, SHORT)), few)
    trials.renew(
        dict(
            _fields(
                read,
                content,
                language,
                {name for name in SHORT if not trials.holds(name, few, read)},
            )
        ),
        read,
    )
    return trials


def _fields(
    prepared: Sequence[Prepared],
    content: ContentVerdicts,
    language: str | None,
    only: AbstractSet[str] | None = None,
) -> Iterator[tuple[str, list[Rule]]]:
    """The rules field by field, those first that tell soonest whether the pages are enough; all
    fields or ``only`` some.
    """
    mark_content(prepared, content.verdicts)
    languages = [code for code in (language,) if code]
    learners: dict[str, Callable[[], list[Rule]]] = {
        "content": lambda: rules_of(content.verdicts),
        "content.drop": lambda: drops(content.judged, content.own) if content.verdicts else [],
        "title": lambda: title_rules(prepared),
        "published": lambda: date_rules(prepared, "published", languages),
        "authors": lambda: author_rules(prepared),
        "modified": lambda: date_rules(prepared, "modified", languages),
        "tags": lambda: tag_rules(prepared),
        "subtitle": lambda: subtitle_rules(prepared),
    }
    for name, learn in learners.items():
        if only is None or name in only:
            yield name, learn()


def _constants(prepared: Sequence[Prepared], published: Sequence[Rule]) -> dict[str, object]:
    """What holds for the whole blog: its only author, and its clock's offset from
    UTC in minutes.
    """
    out: dict[str, object] = {}
    names = Counter(p.target.authors for p in prepared if p.target.authors)
    if names:
        only, count = min(names.items(), key=lambda item: (-item[1], item[0]))
        share = count / len(prepared)
        if share >= 0.75:
            out["authors"], out["authors_share"] = list(only), round(share, 3)
    known = sorted({name for authors in names for name in authors})
    if 1 < len(known) <= MAX_NAMES:
        out["names"] = known
    dated = [(url_day(p.sample.page.url), p.target.days) for p in prepared if p.target.days]
    in_url = [(found, days) for found, days in dated if found is not None and found[2] is not None]
    if in_url:
        out["url_day"] = round(
            sum(any(agrees(day, found) for day in days) for found, days in in_url) / len(in_url), 3
        )
    offsets = _offsets(prepared, published[0]) if published else []
    if offsets and 2 * max(map(offsets.count, offsets)) >= len(
        offsets
    ):  # summer time makes two; bare days make as many as posts
        out["utc_offset"] = min(multimode(offsets))
    if published and any(p.target.lean for p in prepared):
        steps = _day_steps(prepared, published[0])
        days = {
            round((moment + timedelta(minutes=step)).timestamp() // DAY - moment.timestamp() // DAY)
            for moment, step in steps
        }
        if (
            len(steps) >= ENOUGH and len(days) == 1
        ):  # of all posts: front matter tells days, and the feed the midnights of another zone
            out["day_offset"] = min((step for _, step in steps), key=abs)
    return out


def _day_steps(prepared: Sequence[Prepared], rule: Rule) -> list[tuple[datetime, int]]:
    """Moments of the feed, and minutes from each to the midnight with which the day begins that the
    page tells.
    """
    read_days = ((p.sample.entry.published, _told(p, rule)) for p in prepared)
    told = (
        (moment.astimezone(UTC), when)
        for moment, when in read_days
        if moment is not None and moment.tzinfo is not None and when
    )
    return [
        (m, round((w.moment.replace(tzinfo=UTC) - m).total_seconds() / 60))
        for m, w in told
        if not w.has_time and w.moment.tzinfo is None
    ]


def _told(p: Prepared, rule: Rule) -> DateMatch | None:
    """What a rule for dates reads on a page."""
    found = first(p.sample.page.tree, rule)
    moment = p.sample.entry.published
    return (
        read_pattern(rule.pattern, found[1], moment.date())
        if found is not None and moment is not None and rule.pattern is not None
        else None
    )


def _offsets(prepared: Sequence[Prepared], rule: Rule) -> list[int]:
    out = []
    for p in prepared:
        moment, when = p.sample.entry.published, _told(p, rule)
        if (
            when is None
            or moment is None
            or moment.tzinfo is None
            or not when.has_time
            or when.moment.tzinfo is not None
        ):
            continue
        if moment.time() == time() and ":" not in (p.sample.entry.published_raw or ""):
            continue  # a bare day, which says nothing of clocks
        minutes = (when.moment - moment.astimezone(UTC).replace(tzinfo=None)).total_seconds() / 60
        rounded = round(minutes / 15) * 15
        if abs(minutes - rounded) <= 2 and abs(rounded) <= 15 * 60:
            out.append(rounded)
    return out
