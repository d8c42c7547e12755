"""Entry points of extraction: learn a blog from its feed's pages, then turn any page into a Post or
say why it is not one.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, TypeGuard

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_STORED
from blogcrawl.core.evidence import FEW_PAGES, MORE_PAGES, NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Fields, FieldValue, MediaFile, Post
from blogcrawl.dates.edtf import precision
from blogcrawl.dates.machine_date import SAME
from blogcrawl.dates.parse import is_date
from blogcrawl.dates.zones import fixed_zone
from blogcrawl.dom.index import is_read
from blogcrawl.dom.links import page_links
from blogcrawl.extraction import chain
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.content.clean import EMPTY, CleanContent, clean_content
from blogcrawl.extraction.content.cover import cover, recurring_pictures
from blogcrawl.extraction.content.embeds import link_to
from blogcrawl.extraction.content.further_parts import with_further_parts
from blogcrawl.extraction.content.media_places import media_at, names_in, own_places
from blogcrawl.extraction.content.repeated import repeated_texts
from blogcrawl.extraction.corrections import METHOD as OPERATOR
from blogcrawl.extraction.corrections import Corrections
from blogcrawl.extraction.decide import (
    ALWAYS,
    decide,
    is_learned,
    source_of,
    without_idle_change,
)
from blogcrawl.extraction.fields.blog_owner import named, usual_author
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.embedded import is_declared_paid
from blogcrawl.extraction.fields.feed_authors import without_authors
from blogcrawl.extraction.fields.headings import LEVELS
from blogcrawl.extraction.fields.language import declarations, post_language, usual_languages
from blogcrawl.extraction.fields.moment_lines import (
    change_on_clock,
    is_change_of_site,
    moments_near,
)
from blogcrawl.extraction.fields.names import same_headings
from blogcrawl.extraction.fields.tag_links import learn_tags, tags_of
from blogcrawl.extraction.fields.tags_in_text import drop_tags_in_text
from blogcrawl.extraction.fields.title_lines import (
    day_at,
    head_of_days,
    is_day_number,
    names_nothing,
    title_at,
    title_place,
)
from blogcrawl.extraction.fields.usual_byline import usual_byline
from blogcrawl.extraction.methods.induced import fields_found
from blogcrawl.extraction.methods.metadata import declared_changes
from blogcrawl.extraction.methods.self_training import (
    account_names,
    aligned,
    completed,
    in_day_order,
    learn_facts,
    misnamed,
    self_trained,
    with_marked_text,
)
from blogcrawl.extraction.methods.single_page import lone_content
from blogcrawl.extraction.pages.broken_off import are_ended
from blogcrawl.extraction.pages.classifier import Site, canonical_link, classify
from blogcrawl.extraction.pages.listing import (
    Places,
    is_headline,
    list_hints,
    parts_of_site,
    site_menu,
)
from blogcrawl.extraction.pages.multi_post import PartShape
from blogcrawl.induction.apply import (
    content_node,
    drop_rules,
    empty_node,
    finds_content,
    names_content,
    without,
)
from blogcrawl.induction.fingerprint import (
    Marks,
    is_alike,
    labels,
    lacks_most,
    learn_marks,
    likeness,
)
from blogcrawl.induction.gc_pause import forget, still
from blogcrawl.induction.induce import learn_rules
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.induction.signed_lines import (
    in_order,
    learn_signed_lines,
    without_signed_texts,
)
from blogcrawl.induction.site_facts import SignedLines, SiteFacts
from blogcrawl.text.lengths import MIN_PARAGRAPH, MIN_REST
from blogcrawl.text.similarity import dice, folded, tokens
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize, entry_key, same_site
from blogcrawl.urls.post_pattern import PostPattern

_PUBLISHED = confidences("published")
_IN_HEAD = re.compile(r"/(?:head|title|meta)\b")
"""Rules that read the head of a page."""
_AUTHORS = confidences("authors")

FORMAT = 3
"""Version of a stored model."""
BY_OPERATOR = "the operator says that it is no post"
RECENT = 20
"""Promised posts over which support is watched."""


@dataclass(frozen=True, kw_only=True)
class Hints:
    """What the site knows besides the samples: its start page, other pages that are no posts, the
    post feed, and entries of other sources (other feeds, sitemaps, archive lists) by canonical URL;
    and what links to the samples call them.
    """

    home: Page | None = None
    others: Sequence[Page] = ()
    feed: Feed | None = None
    entries: Mapping[str, FeedEntry] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotAPost:
    """Why a page is not a post, and how sure that is (0..1)."""

    reason: str
    confidence: float


@dataclass(frozen=True)
class Generation:
    """Rules for the posts of a further template of the blog, by the labels of its pages."""

    labels: tuple[str, ...]
    ruleset: RuleSet
    pattern: PostPattern | None = None
    """Learned from the addresses of its posts: those of the newest say nothing of them."""

    def reads(self, page: Page) -> bool:
        """Return whether the page is of this template: its rules find the content and, where nearly
        all its posts have a day, the day. Templates without labels have no other sign."""
        days = self.ruleset.rules.get("published", ())
        is_dated = any(rule.support >= NEARLY_ALL for rule in days)
        usual = {"content", "published"} if is_dated else {"content"}
        return is_alike(frozenset(self.labels), labels(page)) and (
            usual <= fields_found(page, self.ruleset)
        )


@dataclass
class BlogModel:
    """All that was learned of a blog. ``facts``: canonical URL -> [title, ISO day] from list
    pages."""

    ruleset: RuleSet = field(default_factory=RuleSet)
    home: str | None = None
    marks: Marks | None = None
    pattern: PostPattern | None = None
    facts: dict[str, list[str | None]] = field(default_factory=dict)
    list_right: list[int] = field(default_factory=lambda: [0, 0])
    """Days in lists that were right, and checked, against posts whose day is known."""
    days: dict[str, str] = field(default_factory=dict)
    """Known days of posts (samples), to check lists by."""
    places: Places = field(default_factory=Places)
    parts: PartShape | None = None
    """How several posts stand on one page, where the blog has it so."""
    corrections: Corrections = field(default_factory=Corrections)
    """The operator's corrections; kept in the state, not with the model."""
    generations: list[Generation] = field(default_factory=list)
    """Older or other templates: rules for pages that those of the newest posts don't fit."""
    recent: list[int] = field(default_factory=list)
    """Of the latest promised posts: 1 where the rules found most of what they know to find."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without what belongs to a crawl or has rows of its own."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        del data["corrections"], data["places"]["among"]
        data["places"]["albums"].sort()
        return {"format": FORMAT, **data}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BlogModel:
        """Read what ``to_json`` of this version made, or of the one before. Raises ValueError on
        other data and on another format."""
        if data.get("format") == FORMAT - 1:
            data = _with_zones(data)
        elif data.get("format") != FORMAT:
            raise ValueError(f"model of format {data.get('format')}, this version reads {FORMAT}")
        return msgspec.convert(data, cls, dec_hook=_counter)

    def ruleset_of(self, page: Page) -> RuleSet:
        """Return the rules of the template that made a page; those of the newest posts where they
        find its content, or no others do.
        """
        generation = self.generation_of(page)
        return self.ruleset if generation is None else generation.ruleset

    def generation_of(self, page: Page) -> Generation | None:
        """Return the further template that made a page, of several that can read it the one whose
        rules find the most, of these the one most like it; None for that of the newest posts, and
        where none is known."""
        if not self.generations or self.is_newest(page):
            return None
        readers = (each for each in self.generations if each.reads(page))

        def worth(each: Generation) -> tuple[int, float]:
            alike = likeness(frozenset(each.labels), labels(page))
            return len(fields_found(page, each.ruleset)), alike

        return max(readers, key=worth, default=None)

    def is_read(self, page: Page) -> bool:
        """Return whether rules of the template that made a page find its content."""
        return self.generation_of(page) is not None or self.is_newest(page)

    def is_newest(self, page: Page) -> bool:
        """Return whether the rules of the newest posts read a page. One that goes by place reads
        any page of the same layout: an older template is known by the labels it lacks."""
        if self.marks is None or not lacks_most(page, self.marks):
            return finds_content(page, self.ruleset)
        return finds_content(page, self.ruleset, by_name=True)

    @property
    def needs_relearning(self) -> bool:
        """Whether the rules lately miss what they used to find (a new template)."""
        return len(self.recent) >= 5 and sum(self.recent[-RECENT:]) < 0.5 * len(
            self.recent[-RECENT:]
        )

    def site_of(
        self,
        listed: bool,
        found: Mapping[str, Sequence[Any]] | None = None,
        generation: Generation | None = None,
        *,
        entry: FeedEntry | None = None,
    ) -> Site:
        """Return what the classifier may know of a page: whether a source lists it, and what the
        methods found on it. ``generation``: the further template that made it, whose posts are not
        marked as the newest are; ``entry``: what a source has of it.
        """
        site = Site(
            home=self.home,
            listed=listed,
            dated=entry is not None and entry.published is not None,
            title=(entry.title if entry is not None else None) or "",
            pattern=self.pattern,
            places=self.places,
            marks=self.marks,
            ruleset=self.ruleset,
            found=found,
            shows_days=any(
                rule.support >= NEARLY_ALL for rule in self.ruleset.rules.get("published", ())[:1]
            ),
        )
        if generation is None:
            return site
        pattern = generation.pattern or self.pattern
        return replace(
            site, pattern=pattern, marks=None, ruleset=generation.ruleset, generation=True
        )

    def fits(
        self, page: Page, result: Post | NotAPost, entry: FeedEntry | None = None
    ) -> bool | None:
        """Return whether the rules find most of the well-supported fields on a post's page, and in
        them the extracted title and the feed's text; None where too little is well supported.
        """
        strong = [
            name
            for name in ("content", "title", "published")
            if any(r.support >= 0.6 for r in self.ruleset.rules.get(name, ()))
        ]
        rules = chain.method("rules")
        if "content" not in strong or rules is None:
            return None
        found = rules.extract(page, self.ruleset) or {}
        right = sum(bool(found.get(name)) for name in strong)
        right -= _is_other_title(found.get("title", ()), result)
        right -= self._lacks_feed_text(found.get("content", ()), entry)
        return right > 0.5 * len(strong)

    def _lacks_feed_text(self, content: Sequence[FieldValue], entry: FeedEntry | None) -> bool:
        """Return whether content and the feed's full text have less than half of their words in
        common."""
        if not content or entry is None or not entry.is_full or not entry.content_html:
            return False
        wanted = Counter(tokens(html_text(entry.content_html)))
        have = Counter(tokens(node_text(without(content[0].value, drop_rules(self.ruleset)))))
        return (wanted & have).total() < 0.5 * max(wanted.total(), have.total())

    def observe(
        self, page: Page, result: Post | NotAPost, entry: FeedEntry | None = None
    ) -> bool | None:
        """Note, and return as ``fits`` does, how the rules did on a page that a source promised to
        be a post.
        """
        right = self.fits(page, result, entry)
        if right is not None:
            self.recent = [*self.recent[-RECENT + 1 :], int(right)]
        return right

    def inherit(self, old: BlogModel) -> None:
        """Take over what an earlier model of the blog knew next to its rules: its home, and what
        lists and posts showed.
        """
        self.home = self.home or old.home
        self.generations = self.generations or old.generations
        self.facts = {**old.facts, **self.facts}
        self.days = {**old.days, **self.days}
        if not self.list_right[1]:
            self.list_right = list(old.list_right)
        if not self.places.counts:
            self.places = old.places

    def observe_hub(self, page: Page) -> int:
        """Learn titles and days of posts from a list page; return the number of posts. Days count
        only while lists prove right on the posts whose day is known."""
        languages = [code for code in (self.ruleset.language, "en") if code]
        hints = list_hints(page, self.is_post_url, languages, self.places)
        for hint in hints:
            known = self.days.get(hint.url)
            if known is not None and hint.day is not None:
                self.list_right[1] += 1
                self.list_right[0] += abs((date.fromisoformat(known) - hint.day).days) <= 1
            if len(self.facts) < MAX_STORED or hint.url in self.facts:
                old = self.facts.get(hint.url, [None, None])
                self.facts[hint.url] = [
                    old[0] or hint.title,
                    old[1] or (hint.day.isoformat() if hint.day else None),
                ]
        return len(hints)

    def note_anchor(self, url: str, anchor: str) -> None:
        """Keep the words of the link that led to a page, where no list has shown its title."""
        if anchor and not names_nothing(anchor) and len(self.facts) < MAX_STORED:
            self.facts.setdefault(entry_key(url), [anchor, None])

    def is_post_url(self, url: str) -> bool:
        """Return whether the address looks like a post's of this blog."""
        return self.pattern is not None and self.pattern.score(url) >= 0.5

    def list_day(self, url: str) -> date | None:
        """Return the day that a list gives for a post, None where lists say nothing or proved
        wrong."""
        fact = self.facts.get(entry_key(url))
        right, checked = self.list_right
        if fact is None or fact[1] is None or (checked >= 2 and right < 0.8 * checked):
            return None
        return date.fromisoformat(fact[1])


def _counter(_kind: type, counts: Mapping[str, int]) -> Counter[str]:
    """Make the one type that msgspec does not know."""
    return Counter(counts)


def _with_zones(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model of format 2, whose clocks had one offset for summer and winter, as one of
    format 3."""
    new = copy.deepcopy(dict(data))
    for each in (new, *new.get("generations", ())):
        dates = each.get("ruleset", {}).get("facts", {}).get("dates", {})
        offset = dates.pop("utc_offset", None)
        if offset is not None:
            dates["zones"] = [fixed_zone(offset)]
    return new


def _is_other_title(titles: Sequence[FieldValue], result: Post | NotAPost) -> bool:
    """Return whether the rules' title is unlike the one extracted."""
    title = titles[0].value if titles else ""
    shown = (result.title or "") if isinstance(result, Post) else ""
    return bool(title and shown) and dice(title, shown) < 0.5


def _without_wrong_authors(
    as_fed: Sequence[Sample], samples: Sequence[Sample], ruleset: RuleSet, hints: Hints
) -> BlogModel | None:
    """Return a model learned without the feed's authors where these are the blog's name or keys of
    accounts, and the pages know better; None where they are believed.
    """
    author = misnamed(samples, ruleset, hints.feed)
    accounts = account_names(samples, ruleset) if author is None else []
    if author is None and not accounts:
        return None
    model = learn_blog(without_authors(as_fed), hints)
    model.ruleset.facts.authors.misnamed = author or model.ruleset.facts.authors.misnamed
    model.ruleset.facts.authors.accounts = accounts or model.ruleset.facts.authors.accounts
    return model


@still()
def learn_blog(
    samples: Sequence[Sample], hints: Hints | None = None, only: str | None = None
) -> BlogModel:
    """Learn a model from samples (page and feed entry each) and what else the site knows.

    Works with no sample at all. ``only``: the one method to learn, for measuring it alone.
    """
    hints = hints or Hints()
    others = [*([hints.home] if hints.home else []), *hints.others]
    samples, signed = _without_comments(samples, only)
    as_fed = [s for s in samples if not _is_home(s.page, hints)]
    samples = named(as_fed)
    if only in (None, "rules"):
        ruleset, training, absent = _learn_methods(samples, others, only, hints)
        model = _without_wrong_authors(as_fed, samples, ruleset, hints) if only is None else None
        if model is not None:
            return model
        learn_facts(training, ruleset, absent, only)
        _learn_title_line(ruleset, training)
    else:
        ruleset = chain.learned(samples, only)
    pages = [s.page for s in samples]
    _note_signed(ruleset, signed)
    ruleset.facts.tags = learn_tags(samples, ruleset.rules.get("tags", ()))
    ruleset.facts.titles.headings = same_headings(pages, (s.entry.title for s in samples))
    _learn_media(ruleset, samples)
    ruleset.facts.titles.unshown = _unshown_titles(hints, as_fed)
    ruleset.facts.repeated = repeated_texts(pages)
    ruleset.facts.ended = are_ended(pages)
    _note_site_title(ruleset, hints.home, samples)
    _learn_usual_author(ruleset, hints, as_fed)
    ruleset.facts.languages = usual_languages(s.entry for s in samples)
    ruleset.facts.feed_language = hints.feed.language if hints.feed is not None else None
    ruleset.language = ruleset.language or ruleset.facts.feed_language
    _learn_changes(ruleset, pages, hints.entries.values())
    model = _model_of_site(ruleset, samples, hints.home, others)
    for page in others + pages:
        forget(page)
    return model


def _learn_media(ruleset: RuleSet, samples: Sequence[Sample]) -> None:
    """Learn which pictures recur, and where posts show their own outside their text."""
    pages, facts = [s.page for s in samples], ruleset.facts
    contents = [_content_by_rules(page, ruleset) for page in pages]
    facts.pictures = recurring_pictures(pages)
    facts.media_places = own_places(
        pages, contents, [_fed(s.entry) for s in samples], facts.pictures
    )


def _fed(entry: FeedEntry) -> Set[str]:
    """Return the names of the files that an entry shows, links or encloses."""
    html = entry.content_html or entry.summary_html or ""
    return names_in(html, (file.url for file in entry.enclosures))


def _unshown_titles(hints: Hints, samples: Sequence[Sample]) -> list[str]:
    """Return the titles that the feed gives to several posts and none of the pages read shows: what
    kind of post each is."""
    entries = hints.entries.values() or [s.entry for s in samples]
    times = Counter(folded(entry.title or "") for entry in entries)
    often = {title for title, count in times.items() if title and count >= SEVERAL}
    shown = {
        title
        for s in samples
        if (title := folded(s.entry.title or "")) in often
        and title in folded(f"{document_title(s.page)} {node_text(s.page.tree)}")
    }
    return sorted(often - shown)


def _note_signed(ruleset: RuleSet, signed: SignedLines | None) -> None:
    """Keep how comments are signed; their days are written as those of the posts, where they do
    not show it themselves."""
    if signed is not None and signed.day_first is None:
        signed.day_first = ruleset.facts.dates.day_first
    ruleset.facts.signed = signed


def _learn_title_line(ruleset: RuleSet, samples: Sequence[Sample]) -> None:
    """Learn where titles stand that are no headings, where no post is known to have another title
    than its day."""
    known = [s.entry.title for s in samples if s.entry.title]
    titles, facts = [t for t in known if not is_day_number(t)], ruleset.facts.titles
    facts.before_days = head_of_days(titles, ruleset.language)
    if not titles or facts.before_days is not None:
        facts.line = title_place([s.page for s in samples])


def _without_comments(
    samples: Sequence[Sample], only: str | None
) -> tuple[list[Sample], SignedLines | None]:
    """Return the samples without the comments on their pages, and how these are signed, where no
    entry has a text that says what the post is."""
    has_text = any(s.entry.content_html or s.entry.summary_html for s in samples)
    moments = [(s.page, s.entry.published) for s in samples]
    signed = learn_signed_lines(moments) if only is None and not has_text else None
    if signed is None:
        return list(samples), None
    return [replace(s, page=without_signed_texts(s.page, signed)[0]) for s in samples], signed


def _learn_usual_author(ruleset: RuleSet, hints: Hints, samples: Sequence[Sample]) -> None:
    """Where no names are known, whoever stands beside the dates of the posts is the usual author,
    or the blog's owner.
    """
    authors = ruleset.facts.authors
    if authors.usual or authors.names:
        return
    pages = [s.page for s in spread(sorted(samples, key=lambda s: s.page.url), MORE_PAGES)]
    contents = [_content_by_rules(page, ruleset) for page in pages]
    owner = usual_byline(pages, contents) or usual_author(hints.home, hints.feed, samples)
    if owner is not None:
        authors.usual, authors.share = [owner], _AUTHORS["owner"]


def _content_by_rules(page: Page, ruleset: RuleSet) -> HtmlElement | None:
    nodes = (content_node(page.tree, rule) for rule in ruleset.rules.get("content", ()))
    return next((node for node in nodes if node is not None), None)


def _note_site_title(ruleset: RuleSet, home: Page | None, samples: Sequence[Sample]) -> None:
    """What the start page is called is no post's title, unless an entry is called so too."""
    title = folded(document_title(home)) if home is not None else ""
    common = ruleset.facts.titles.common
    if (
        title
        and title not in common
        and title not in {folded(s.entry.title or "") for s in samples}
    ):
        ruleset.facts.titles.common = sorted([*common, title])


def _learn_changes(ruleset: RuleSet, pages: Sequence[Page], entries: Collection[FeedEntry]) -> None:
    """Learn which changes are none of a post: that of a generator, of the site, of publication."""
    dates = ruleset.facts.dates
    declared = (change.value for page in pages for change in declared_changes(page)[:1])
    dates.build_time = build_time(entry.modified for entry in entries) or build_time(declared)
    dates.change_is_sites = is_change_of_site(pages, ruleset.language)
    dates.changes_are_first = _changes_are_first(entries)


def _changes_are_first(entries: Iterable[FeedEntry]) -> bool:
    """Return whether the sitemap has the very moment of publication as that of the last change for
    all posts of which a feed has it: static site generators write the one date that they know
    there.
    """
    known = [
        (entry.published, entry.modified)
        for entry in entries
        if entry.published and entry.modified and "sitemap" in entry.source.split()
    ]
    return len(known) >= SEVERAL and all(first == last for first, last in known)


def _is_moment(changed: datetime | None) -> TypeGuard[datetime]:
    return changed is not None and precision(changed) == "time"


def build_time(changes: Iterable[datetime | None]) -> str:
    """Return the moment at which so many posts are said to have changed that a generator wrote it;
    empty where there is none.
    """
    moments = Counter(moment.isoformat() for moment in changes if _is_moment(moment))
    moment, count = next(iter(moments.most_common(1)), ("", 0))
    return moment if count >= SAME else ""


def _is_home(page: Page, hints: Hints) -> bool:
    return hints.home is not None and entry_key(page.url) == canonicalize(hints.home.url)


def _learn_methods(
    samples: Sequence[Sample],
    others: Sequence[Page],
    only: str | None,
    hints: Hints,
) -> tuple[RuleSet, list[Sample], list[str]]:
    """Learn the rules and, unless they are the ``only`` method, the other methods.

    Return the rule set, the samples it was learned from, and the fields that neither feed nor pages
    have. Where no entry has a title or text, the samples are filled from the pages.
    """
    training = [s for s in samples if s.entry.title or s.entry.content_html or s.entry.summary_html]
    if not training:
        ruleset = chain.learned(samples, only)
        filled = self_trained(samples, ruleset, others, hints.links, hints.home)
        training, rules = _learn_alone(filled, others)
        return ruleset.merged(rules), training, ruleset.facts.absent
    training, absent = completed(with_marked_text(training), RuleSet())
    rules = learn_rules(training, others, thorough=False)
    ruleset = _learn_beyond(rules, samples) if only is None else RuleSet()
    return ruleset.merged(rules), training, absent


def _learn_alone(
    training: list[Sample], others: Sequence[Page]
) -> tuple[list[Sample], RuleSet | None]:
    """Learn rules from what other methods found, and once more from what these rules find, unless
    fewer are right then; return them and the samples they were learned from."""
    rules = learn_rules(training, others, thorough=True)
    again = aligned(training, rules) if rules is not None else []
    better = learn_rules(again, others, thorough=True) if again else None
    if better is not None and _support(better) >= _support(rules):
        return again, better
    return training, rules


def _support(rules: RuleSet | None) -> float:
    """Return on which share of the pages the best rule for the content is right."""
    known = rules.rules.get("content", ()) if rules is not None else ()
    return known[0].support if known else 0.0


def _learn_beyond(rules: RuleSet | None, samples: Sequence[Sample]) -> RuleSet:
    """Learn the methods other than the rules; only key-paths where the rules find the content, as
    no other would be asked then.
    """
    read = sorted((s for s in samples if is_read(s.page)), key=lambda s: s.page.url)
    if rules is not None and rules.is_clear:
        return chain.learned(spread(read, FEW_PAGES), "keypath")
    return chain.learned(read or samples)


def _model_of_site(
    ruleset: RuleSet, samples: Sequence[Sample], home: Page | None, others: Sequence[Page]
) -> BlogModel:
    """Add to a rule set what addresses, days and list pages show of the site."""
    addresses = [s.page.url for s in samples]
    model = BlogModel(
        ruleset=ruleset,
        home=canonicalize(home.url) if home else None,
        marks=learn_marks([s.page for s in samples], others),
        pattern=PostPattern.learn(addresses, [p.url for p in others]) if samples else None,
        days={
            entry_key(s.page.url): s.entry.published.date().isoformat()
            for s in samples
            if s.entry.published
        },
    )
    model.places.menu = site_menu(home, addresses)
    model.places.everywhere = parts_of_site(home, [s.page for s in samples])
    for page in others:
        model.observe_hub(page)
    return model


def extract_post(
    page: Page,
    model: BlogModel,
    entry: FeedEntry | None = None,
    promised: bool = False,
    only: str | None = None,
) -> Post | NotAPost:
    """Extract the page's post, or say why it is not one.

    ``entry``: what feed or sitemap have of it; ``promised``: whether a source lists it as a post;
    ``only``: the one method to ask, for measuring it alone.
    """
    return judge_page(page, model, entry, promised, only)[0]


def is_unlike_posts(page: Page, model: BlogModel) -> bool:
    """Return whether the rules, though they find the content of posts, find none at a place of its
    own here, and the page leads nowhere on its site but to its start: no template of the blog made
    it."""
    generation = model.generation_of(page)
    ruleset = model.ruleset if generation is None else generation.ruleset
    if not ruleset.rules.get("content"):
        return False
    own = canonicalize(page.url)
    links = (link.url for link in page_links(page))
    if any(same_site(url, own) and canonicalize(url) not in (own, model.home) for url in links):
        return False
    return not Site(found=chain.gather(page, ruleset, only="rules")).is_made_as_posts()


def judge_page(
    page: Page,
    model: BlogModel,
    entry: FeedEntry | None = None,
    promised: bool = False,
    only: str | None = None,
) -> tuple[Post | NotAPost, float]:
    """As ``extract_post``; also the probability that the page is a post.

    No record has it: it is higher where a list of the site that has the page was read before it,
    and a record must not depend on the order of requests.
    """
    signed = model.ruleset_of(page).facts.signed
    if signed is not None:
        own, dates = without_signed_texts(page, signed)
        judged = _judged(own, model, entry, promised, only)
        published = getattr(judged[0], "published", None)
        if own is page or in_order(dates, published):
            return judged
    return _judged(page, model, entry, promised, only)


def _judged(
    page: Page, model: BlogModel, entry: FeedEntry | None, promised: bool, only: str | None
) -> tuple[Post | NotAPost, float]:
    word = model.corrections.is_post(page.url)
    if word is False:
        return NotAPost(BY_OPERATOR, 1.0), 0.0
    generation = model.generation_of(page)
    ruleset = model.ruleset if generation is None else generation.ruleset
    found = chain.gather(page, ruleset, _known_fields(ruleset, entry), only)
    seen = classify(page, model.site_of(promised, found, generation, entry=entry))
    if not seen.is_post and not word:
        return NotAPost(seen.reason, round(1 - seen.probability, 3)), seen.probability
    promised = promised or bool(word)
    _add_of_site(found, page, model, ruleset, entry)
    best = decide(found, page, ruleset, entry)
    is_by_rules = _is_found_by_rules(best, found)
    if is_by_rules:
        best = _with_empty_content(best, page, ruleset)
    _drop_title_of_day(best, ruleset)
    best |= _title_of_lists(best, model, page) or _title_of_lines(best, ruleset, page)
    best |= model.corrections.values(page, ruleset.language)
    if "content" not in best:
        return NotAPost("no content found", 0.5), 0.5
    cleaned = _cleaned(page, ruleset, best)
    drop_tags_in_text(best, found.get("tags", ()), page, cleaned.html)
    best |= moments_near(page, best, ruleset.facts.dates, ruleset.language)
    best |= change_on_clock(page, best, ruleset.facts.dates)
    without_idle_change(best, ruleset.facts.dates.build_time)
    if _is_of_first_words(best.get("title"), cleaned.text, page, entry):
        del best["title"]
    if not (cleaned.text or cleaned.media or promised or is_by_rules):
        return NotAPost("nothing is left of the content after cleaning", 0.6), 0.4
    feeds = (entry, model.ruleset.facts.feed_language)
    declared = declarations(page, best["content"].value, found.get("language", ()), *feeds)
    _set_language(best, model, cleaned.text, declared)
    return _post(page, best, cleaned, ruleset, entry), seen.probability


def _is_of_first_words(
    title: FieldValue | None, text: str, page: Page, entry: FeedEntry | None
) -> bool:
    """Return whether a title that neither the operator gave, nor a rule found where posts show
    theirs, is but the beginning of the text's first line: what engines put into the head of a page,
    or into the feed, of a post that has none."""
    if title is None or len(title.value) < MIN_REST or _is_given(title, entry, page):
        return False
    begin, line = folded(_ELLIPSIS.sub("", title.value)), _first_line(text)
    return (
        len(line) > len(begin)
        and line.startswith(begin)
        and not any(folded(node_text(heading)) == begin for heading in page.tree.iter(*LEVELS))
    )


def _first_line(text: str) -> str:
    return folded(text[:MIN_PARAGRAPH].partition("\n")[0])


_ELLIPSIS = re.compile(r"\s{0,9}(?:\.\.\.|…)$")


def _is_given(title: FieldValue, entry: FeedEntry | None, page: Page) -> bool:
    """Return whether operator or a rule for what a page shows gave the title, or the feed what the
    page is called, and not as the beginning of something."""
    by_rule = title.method == "rules" and not _IN_HEAD.search(title.rule or "")
    by_feed = entry is not None and title.method == source_of(entry)
    is_called = by_feed and folded(title.value) in folded(document_title(page))
    is_called = is_called and not _ELLIPSIS.search(title.value)
    return by_rule or is_called or title.method == OPERATOR


def _add_of_site(
    found: Fields, page: Page, model: BlogModel, ruleset: RuleSet, entry: FeedEntry | None
) -> None:
    """Add the day and the tags that the site shows of a post, where the entry has none, and when
    the page declares it to have been changed."""
    if "published" in found:
        found["published"] = in_day_order(found["published"], ruleset.facts.dates.day_first)
    if "modified" not in found:
        found["modified"] = declared_changes(page)
    if entry is None or entry.published is None:
        _add_list_day(found, model.list_day(page.url))
    if entry is None or not entry.tags:
        found["tags"] = tags_of(page, ruleset.facts.tags, found.get("tags", ()))


def _add_list_day(found: Fields, day: date | None) -> None:
    """Add the day that lists show next to their link to the page."""
    if day is not None:
        moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
        found.setdefault("published", []).append(
            FieldValue(
                value=moment, method="list", confidence=_PUBLISHED["list"], raw=day.isoformat()
            )
        )


def _title_of_lists(
    best: Mapping[str, FieldValue], model: BlogModel, page: Page
) -> dict[str, FieldValue]:
    """Return the title that lists show of a post, where nothing else on its page marks it as one:
    its own line says the same."""
    title = model.facts.get(entry_key(page.url), [None])[0]
    if title is None or "title" in best or "title" in model.ruleset.facts.absent:
        return {}
    if is_date(title, model.ruleset.language) or not is_headline(page, title):
        return {}
    return {
        "title": FieldValue(value=title, method="list", confidence=confidences("title")["list"])
    }


def _drop_title_of_day(best: dict[str, FieldValue], ruleset: RuleSet) -> None:
    """Remove a title that is but the post's day behind the name of the site, as those of all posts
    are, or a day of a calendar."""
    facts = ruleset.facts.titles
    title = best["title"].value if "title" in best else ""
    if (facts.line and is_day_number(title)) or _is_day(title, facts.before_days):
        del best["title"]


def _is_day(title: str, head: str | None) -> bool:
    return head is not None and title.startswith(head) and is_date(title[len(head) :])


def _title_of_lines(
    best: Mapping[str, FieldValue], ruleset: RuleSet, page: Page
) -> dict[str, FieldValue]:
    """Return the marked line that the blog's posts have for a title, where nothing else gives
    one, and the day next to it."""
    titles = ruleset.facts.titles
    if titles.line is None or "title" in best or "title" in ruleset.facts.absent:
        return {}
    title = title_at(page, titles.line)
    if title is None or folded(title) in titles.common:
        return {}
    when = day_at(page, titles.line) if "published" not in best else None
    day = {"published": _in_lines(when.aware())} if when is not None else {}
    return {"title": _in_lines(title), **day}


def _in_lines(value: Any) -> FieldValue:
    opening = confidences("title")["opening"]
    return FieldValue(value=value, method="generic", confidence=opening, rule="line")


def _with_empty_content(
    best: dict[str, FieldValue], page: Page, ruleset: RuleSet
) -> dict[str, FieldValue]:
    """Take the empty node that the blog's posts have their content in for the content, where other
    methods would take what stands around it.
    """
    rule = next(iter(ruleset.rules.get("content", ())), None)
    if rule is None:
        return best
    if "content" in best and best["content"].method in ("rules", "feed"):
        return best
    node = empty_node(page.tree, rule)
    if node is None:
        return best
    value = FieldValue(value=node, method="rules", confidence=rule.confidence, rule=rule.expression)
    return best | {"content": value}


def _is_found_by_rules(
    best: Mapping[str, FieldValue], found: Mapping[str, Sequence[FieldValue]]
) -> bool:
    """Return whether title and day stand where they stand on the blog's posts, so that a page
    classified as a post is one even without text: its title says or links to everything. Metadata
    that say the same may have been chosen.
    """
    return all(
        name in best and any(value.method == "rules" for value in found.get(name, ()))
        for name in ("title", "published")
    )


def _set_language(
    best: dict[str, FieldValue], model: BlogModel, text: str, declared: Sequence[FieldValue]
) -> None:
    """Choose the language of the post's title and text, unless the operator has set it."""
    title = best["title"].value if "title" in best else ""
    language = model.corrections.language or post_language(
        f"{title}\n{text}", declared, model.ruleset.facts.languages
    )
    best.pop("language", None)
    if language is not None:
        best["language"] = language


def _known_fields(ruleset: RuleSet, entry: FeedEntry | None) -> list[str]:
    """Name the fields that no method need find: the entry has them, the blog's pages never do, or
    one author wrote nearly all.
    """
    have = [name for name in ("title", "authors", "published") if getattr(entry, name, None)]
    have += ruleset.facts.absent
    share = ruleset.facts.authors.share if ruleset.facts.authors.usual else 0.0
    if share > ALWAYS and ruleset.samples > SEVERAL:
        have.append("authors")
    return have


def _cleaned(page: Page, ruleset: RuleSet, best: Mapping[str, FieldValue]) -> CleanContent:
    """Clean the chosen content: by what single pages show where nothing was learned of the blog's
    content, else by the learned rules.
    """
    content = best["content"]
    title = best["title"].value if "title" in best else None
    dated = best["published"].raw if "published" in best else None
    authors = best["authors"].value if "authors" in best else ()
    is_learned_of = bool(ruleset.rules.get("content")) or is_learned(content)
    if not is_learned_of and isinstance(content.value, etree._Element):
        return lone_content(page, content.value, title, dated, ruleset.facts.repeated, authors)
    is_theirs = content.method == "rules" or names_content(page.tree, content.value, ruleset)
    drops = drop_rules(ruleset) if is_theirs else ()
    source = content.value
    node = source if isinstance(source, etree._Element) else None
    if node is not None:
        source = with_further_parts(node)
    text = clean_content(source, page, drops=drops, title=title, dated=dated, authors=authors)
    return _with_own_media(text, page, node, ruleset.facts)


def _with_own_media(
    text: CleanContent, page: Page, node: HtmlElement | None, facts: SiteFacts
) -> CleanContent:
    """Return the content with the pictures, films and sounds that the blog's posts show outside of
    it."""
    before, behind = (
        clean_content(found, page) if found else EMPTY
        for found in media_at(page, node, facts.media_places, facts.pictures)
    )
    known = {file.url for file in text.media}
    own = (file for file in (*before.media, *behind.media) if file.url not in known)
    html = "".join(filter(None, (before.html, text.html, behind.html)))
    return replace(text, html=html, media=(*text.media, *own))


def _only_enclosed(entry: FeedEntry | None, shown: Sequence[MediaFile]) -> list[MediaFile]:
    """Return the sounds and videos that the feed delivers and the post neither has nor links."""
    known = {canonicalize(file.url) for file in shown}
    enclosed = entry.enclosures if entry is not None else ()
    return [file for file in enclosed if canonicalize(file.url) not in known]


def _post(
    page: Page,
    best: Mapping[str, FieldValue],
    cleaned: CleanContent,
    ruleset: RuleSet,
    entry: FeedEntry | None,
) -> Post:
    def value(name: str, default: Any = None) -> Any:
        return best[name].value if name in best else default

    authors, tags = value("authors", ()), value("tags", ())
    own: tuple[MediaFile, ...] = ()
    html = cleaned.html
    if ruleset.samples > 1:
        picture = cover(page, cleaned.media, ruleset.facts.pictures, value("content"))
        own = (picture,) if picture is not None else ()
        html = "".join(link_to(film) for film in own if film.role == "link") + html
    return Post(
        url=page.url,
        canonical_url=_canonical(page),
        title=value("title"),
        subtitle=value("subtitle"),
        authors=tuple([authors] if isinstance(authors, str) else authors),
        published=value("published"),
        published_raw=best["published"].raw if "published" in best else None,
        modified=value("modified"),
        modified_raw=best["modified"].raw if "modified" in best else None,
        tags=tuple([tags] if isinstance(tags, str) else tags),
        content_html=html,
        content_text=cleaned.text,
        media=(*cleaned.media, *own, *_only_enclosed(entry, cleaned.media)),
        excerpt=value("excerpt"),
        language=value("language"),
        fetched_at=page.fetched_at,
        http_status=page.status,
        rendered=page.rendered,
        extraction=_provenance(best, is_restricted=cleaned.is_gated or is_declared_paid(page)),
    )


def _provenance(
    best: Mapping[str, FieldValue], *, is_restricted: bool
) -> dict[str, dict[str, Any]]:
    """Return how each field was found, and of the content whether it is for some readers only."""
    found: dict[str, dict[str, Any]] = {
        name: {"method": v.method, "confidence": round(v.confidence, 3), "rule": v.rule}
        for name, v in best.items()
    }
    if is_restricted:
        found["content"]["restricted"] = True
    return found


def _canonical(page: Page) -> str:
    """Return the page's own canonical link where it stays on the site and is no bare home page,
    else the URL, made canonical.
    """
    own, href = entry_key(page.url), canonical_link(page)
    if href and same_site(href, page.url) and canonicalize(href).rstrip("/").count("/") > 2:
        return canonicalize(href)
    return own
