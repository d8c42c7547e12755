"""From samples to a RuleSet: content first, then everything else around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, time, timedelta

from blogcrawl.core.bounds import MAX_AUTHORS
from blogcrawl.core.evidence import MAJORITY, MORE_PAGES, MOST, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.day_order import clock_readings
from blogcrawl.dates.edtf import LOCAL
from blogcrawl.dates.months import COMMON, WORD, fold, month_words
from blogcrawl.dates.parse import DateMatch, is_utc
from blogcrawl.dates.patterns import read_pattern
from blogcrawl.dates.url_date import agrees, url_day
from blogcrawl.dates.zones import is_elsewhere, zones_of
from blogcrawl.dom.index import PageIndex
from blogcrawl.induction.apply import first
from blogcrawl.induction.author_rules import author_rules
from blogcrawl.induction.content_rules import ContentVerdicts, content_rules, mark_content, rules_of
from blogcrawl.induction.date_rules import date_rules
from blogcrawl.induction.drop_rules import drops
from blogcrawl.induction.learn import Prepared, spread
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.induction.scoring import JOINED
from blogcrawl.induction.site_facts import AuthorFacts, DateFacts, SiteFacts
from blogcrawl.induction.tag_rules import tag_rules
from blogcrawl.induction.title_rules import title_rules
from blogcrawl.induction.validate_rules import FEW, FIRST, TRIED, Trials
from blogcrawl.text.visible import node_text

MAX_SAMPLES = 15
"""Pages learned from; more cost time and change little (the paper: feeds have about 20)."""

FIELDS = frozenset(("content", "content.drop", "title", "published", "authors", "modified", "tags"))
SHORT = frozenset(TRIED)
"""Those for which two pages suffice, where the rules prove right on the others."""
DAY = 24 * 3600
"""Seconds."""


def language_of(samples: Sequence[Sample]) -> str | None:
    """Return the language that most pages or entries declare; that in which most pages name the
    month of their day, where more do than in this and in English: themes declare their own.
    """
    declared = _declared(samples)
    return _language_of_months(samples, declared) or declared


def _declared(samples: Sequence[Sample]) -> str | None:
    said = (sample.page.tree.get("lang") or sample.entry.language or "" for sample in samples)
    votes = Counter(re.split("[-_]", code.lower())[0] for code in said if len(code) >= 2)
    return min(votes, key=lambda code: (-votes[code], code), default=None)


def _language_of_months(samples: Sequence[Sample], declared: str | None) -> str | None:
    """Return the language in which most pages name the month of their day; None where as many name
    it in the declared one or in English, which are looked for anyway."""
    votes: Counter[str] = Counter()
    known = {"en", declared or "en"}
    for named in (_naming(sample, known) for sample in samples):
        votes.update(named - known)
        votes["en"] += not known.isdisjoint(named)
    usual = votes.pop("en", 0)
    code = min(votes, key=lambda code: (-votes[code], COMMON.index(code)), default="")
    return code if votes[code] > max(usual, MAJORITY * len(samples)) else None


def _naming(sample: Sample, known: AbstractSet[str]) -> set[str]:
    """Return the languages, common and ``known`` ones, in which a page names its day's month."""
    if sample.entry.published is None:
        return set()
    month = frozenset([sample.entry.published.month])
    words = set(map(fold, WORD.findall(_written(sample.page))))
    return {code for code in {*known, *COMMON} if words & month_words(code, month)}


def _written(page: Page) -> str:
    """Return the page's text, with that of the attributes in which dates stand."""
    titles = page.tree.xpath("//span/@title | //abbr/@title")
    return " ".join((node_text(page.tree), *titles))


def learn_rules(
    samples: Sequence[Sample], others: Sequence[Page] = (), *, thorough: bool = False
) -> RuleSet | None:
    """Induce rules of all fields; None where there is no sample.

    ``others`` are pages of the blog that are not posts (home, archive). The order of samples does
    not matter. ``thorough`` indexes all pages: for entries that other methods extracted, which err
    page by page.
    """
    picked = _usable(samples)
    if not picked:
        return None
    prepared = [Prepared.of(sample) for sample in picked]
    language = language_of(picked)
    # many start pages show posts whole: with several posts, these show better what is the theme's
    theirs = list(map(PageIndex.of, others)) if len(picked) < SEVERAL else []
    _set_lean(prepared, 0)
    read, content, trials = _first(prepared, theirs, language, thorough)
    for count in (FEW, len(prepared)):  # a few pages often show what all the unlike ones have
        rest = [p for p in prepared if p not in read]
        _set_lean(rest, read[0].target.lean)
        odd = trials.unlike(read, rest)
        if not odd:
            break
        read = _with_some(read, odd, prepared, count)
        fields = set().union(*odd.values())
        if "content" in fields:
            content = content_rules(read, theirs)
            fields |= FIELDS - SHORT
        if content.is_full == trials.full:
            trials.renew(dict(_fields(read, content, language, fields)), read)
        else:
            trials = _induced(read, content, language, thorough)
    return _ruleset(trials, prepared, language, unread=len(prepared) - len(read))


def _with_some(
    read: Sequence[Prepared],
    odd: Container[Prepared],
    prepared: Sequence[Prepared],
    count: int,
) -> list[Prepared]:
    """Return the pages read and ``count`` of the odd ones, in their order."""
    more = spread([p for p in prepared if p in odd], count)
    return [p for p in prepared if p in read or p in more]


def _set_lean(pages: Sequence[Prepared], lean: int) -> None:
    """Set by how many days the pages' clock is ahead of the feed's."""
    for p in pages:
        p.target.lean = lean


def _usable(samples: Sequence[Sample]) -> list[Sample]:
    """Return one sample per URL of a page with a body, in the order of the URLs."""
    unique = {
        s.page.url: s
        for s in samples
        if s.page.status < 400 and s.page.body and not s.page.body.isspace()
    }
    return [unique[url] for url in sorted(unique)][:MAX_SAMPLES]


def _ruleset(
    trials: Trials, prepared: Sequence[Prepared], language: str | None, unread: int
) -> RuleSet:
    """Return the rules with their support on all pages, and the facts of the blog."""
    found = trials.tallied(prepared)
    returned = {
        name: trials.returned(name, prepared) for name in ("content", "title") if trials.found[name]
    }
    return RuleSet(
        rules={name: tuple(rules) for name, rules in found.items() if rules},
        facts=SiteFacts(
            authors=_author_facts(prepared),
            dates=_date_facts(prepared, found["published"]),
            unread=unread,
            returned=returned,
        ),
        language=language,
        samples=len(prepared),
    )


def _first(
    prepared: list[Prepared], theirs: Sequence[PageIndex], language: str | None, thorough: bool
) -> tuple[list[Prepared], ContentVerdicts, Trials]:
    """Return the pages indexed before the others are tried, the content verdicts on them, and the
    rules from them: two where they leave no doubt, else five, of excerpts seven."""
    if not thorough and len(prepared) > FIRST + 1:
        settled = _settled_on_few(prepared, theirs, language)
        if settled is not None:
            return settled
    if thorough or any(p.sample.entry.is_full for p in prepared):
        read = prepared if thorough else spread(prepared, FIRST)
        content = content_rules(read, theirs)
        if len(read) == len(prepared) or len(content.own.full) >= MOST * len(read):
            return read, content, _induced(read, content, language, thorough)
    # excerpts show where a post begins, not where it ends: more pages must
    read = spread(prepared, MORE_PAGES)
    content = content_rules(read, theirs)
    return read, content, _induced(read, content, language, thorough)


def _settled_on_few(
    prepared: Sequence[Prepared], theirs: Sequence[PageIndex], language: str | None
) -> tuple[list[Prepared], ContentVerdicts, Trials] | None:
    """Return what two pages with full text show where it leaves no doubt on any field."""
    read = spread(prepared, FEW)
    if not all(p.sample.entry.is_full and p.sample.entry.content_html for p in read):
        return None
    content = content_rules(read, theirs)
    if len(content.own.full) != len(read) or not content.verdicts:
        return None
    trials = Trials({}, True, read)
    for name, rules in _fields(read, content, language):
        trials.found[name] = rules
        if not trials.is_settled(name, read, prepared):
            return None
    return read, content, trials


def _induced(
    read: Sequence[Prepared], content: ContentVerdicts, language: str | None, thorough: bool
) -> Trials:
    """Return the rules of all fields; those of the short ones from two of the pages where they are
    as good on the others.
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
    """Yield the rules field by field, those first that show soonest whether the pages are enough;
    all fields or ``only`` some.
    """
    mark_content(prepared, content)
    languages = [code for code in (language,) if code]
    learners: dict[str, Callable[[], list[Rule]]] = {
        "content": lambda: rules_of(content),
        "content.drop": lambda: drops(content.judged, content.own) if content.verdicts else [],
        "title": lambda: title_rules(prepared),
        "published": lambda: date_rules(prepared, "published", languages),
        "authors": lambda: author_rules(prepared),
        "modified": lambda: date_rules(prepared, "modified", languages),
        "tags": lambda: tag_rules(prepared),
    }
    for name, learn in learners.items():
        if only is None or name in only:
            yield name, learn()


def _date_facts(prepared: Sequence[Prepared], published: Sequence[Rule]) -> DateFacts:
    """Return whether the blog's URLs have the day, the zones of its clock, and the offset of the
    midnights from which its days count where the feed counts them from others.
    """
    facts = DateFacts()
    dated = [(url_day(p.sample.page.url), p.target.days) for p in prepared if p.target.days]
    in_url = [(found, days) for found, days in dated if found is not None and found[2] is not None]
    if in_url:
        right = sum(any(agrees(day, found) for day in days) for found, days in in_url)
        facts.url_day = round(right / len(in_url), 3)
    if published:
        facts.zones, facts.mislabelled = _clock(prepared, published[0])
        facts.day_offset = _midnight_offset(prepared, published[0])
    return facts


def _author_facts(prepared: Sequence[Prepared]) -> AuthorFacts:
    """Return the authors of (nearly) all posts, and the names of several authors."""
    facts = AuthorFacts()
    names = Counter(p.target.authors for p in prepared if p.target.authors)
    if names:
        only, count = min(names.items(), key=lambda item: (-item[1], item[0]))
        share = count / len(prepared)
        if share >= 0.75:
            facts.usual, facts.share = list(only), round(share, 3)
    known = sorted({part for authors in names for name in authors for part in JOINED.split(name)})
    if 1 < len(known) <= MAX_AUTHORS:
        facts.names = known
    return facts


def _clock(prepared: Sequence[Prepared], rule: Rule) -> tuple[tuple[str, ...], bool]:
    """Return the zones that the blog's clock may have, and whether the pages write its times with
    the label of UTC. Pages that show bare days leave it to what the sources write.
    """
    read = list(_clocks(prepared, rule))
    zones = zones_of(clock_readings(read or _source_clocks(prepared)))
    return zones, is_elsewhere(zones) and all(is_utc(when) for when, _ in read) and bool(read)


def _source_clocks(prepared: Sequence[Prepared]) -> Iterator[tuple[datetime, datetime]]:
    """Yield the moments of posts that a source has in a zone of its own, as WordPress has it."""
    for p in prepared:
        moment = p.sample.entry.published
        if moment is not None and moment.utcoffset() and not _is_bare_day(p.sample.entry):
            yield moment, moment


def _midnight_offset(prepared: Sequence[Prepared], rule: Rule) -> int:
    """Return the minutes from the feed's midnights to those of the pages, 0 where all agree."""
    if not any(p.target.lean for p in prepared):
        return 0
    steps = _day_steps(prepared, rule)
    days = {
        round((moment + timedelta(minutes=step)).timestamp() // DAY - moment.timestamp() // DAY)
        for moment, step in steps
    }
    # of all posts: front matter has days, and the feed the midnights of another zone
    if len(steps) >= SEVERAL and len(days) == 1:
        return min((step for _, step in steps), key=abs)
    return 0


def _day_steps(prepared: Sequence[Prepared], rule: Rule) -> list[tuple[datetime, int]]:
    """Return moments of the feed, and minutes from each to the midnight with which the day on the
    page begins.
    """
    read = ((p.sample.entry.published, _date_read(p, rule)) for p in prepared)
    zoned = (
        (moment.astimezone(UTC), when)
        for moment, when in read
        if moment is not None and moment.tzinfo is not None and when
    )
    return [
        (m, round((w.moment.replace(tzinfo=UTC) - m).total_seconds() / 60))
        for m, w in zoned
        if not w.has_time and w.moment.tzinfo is None
    ]


def _date_read(p: Prepared, rule: Rule) -> DateMatch | None:
    """Return what a date rule reads on a page."""
    found = first(p.sample.page.tree, rule)
    moment = p.sample.entry.published
    return (
        read_pattern(rule.pattern, found[1], moment.date())
        if found is not None and moment is not None and rule.pattern is not None
        else None
    )


def _clocks(prepared: Sequence[Prepared], rule: Rule) -> Iterator[tuple[datetime, datetime]]:
    """Yield the times that pages show and the feed's moments of their posts."""
    for p in prepared:
        moment, when = p.sample.entry.published, _date_read(p, rule)
        if moment is None or moment.tzinfo in (None, LOCAL) or when is None:
            continue
        if when.has_time and not _is_bare_day(p.sample.entry):
            yield when.moment, moment


def _is_bare_day(entry: FeedEntry) -> bool:
    """Return whether the feed dates an entry by the day, without a time."""
    moment = entry.published
    return moment is not None and moment.time() == time() and ":" not in (entry.published_raw or "")
