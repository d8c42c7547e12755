"""Is this page a post? One table of features with fitted weights: logistic regression.

``page_classifier.json`` has a row per feature: its weight, the kind of page it speaks for and the
reason that is reported. ``training/page_classifier.py`` fits the weights. Groups of features are
read in the order of their cost until what was read decides; a page alone, with nothing known of its
site, is classified too. What no weight can outvote (errors, challenges) are barriers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import chain, islice
from math import exp
from typing import Any
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import MAJORITY, MOST, SEVERAL
from blogcrawl.core.page import Page, kept
from blogcrawl.core.records import FieldValue
from blogcrawl.dates.url_date import url_day
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.dom.density import find_content
from blogcrawl.dom.links import is_place_in
from blogcrawl.extraction.chain import method
from blogcrawl.extraction.fields.byline import document_title, is_aside
from blogcrawl.extraction.fields.embedded import ARTICLE_TYPES, embedded, types_of
from blogcrawl.extraction.fields.headings import heading_of, headline
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.extraction.pages.listing import Places, folder_of, is_album
from blogcrawl.extraction.pages.several import dated_entries, units
from blogcrawl.extraction.protocols import Recogniser
from blogcrawl.induction import apply
from blogcrawl.induction.fingerprint import Marks, is_of_other_template, shares
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.similarity import folded
from blogcrawl.text.visible import node_text
from blogcrawl.urls import page_kinds
from blogcrawl.urls.canonical import canonicalize, entry_key, resource_kind, same_site
from blogcrawl.urls.parts import as_read
from blogcrawl.urls.post_pattern import LIKELY, PostPattern, is_year_address

SHORT = 1500.0
"""Letters of text below which a page may be an interstitial, error or login page."""
LITTLE = 150.0
"""Letters of text below which a page has little to read."""
FEW = 5
"""Samples below which what all of them have may be chance."""
MANY_ENTRIES = 7
"""Entries on a page above which their number says nothing more."""
FEEDS = (b"<rss", b"<feed", b"<rdf:rdf", b"<urlset")
READ_AS_HTML = ("text/plain", "application/octet-stream", "application/xml", "text/xml")
OG_KINDS = {
    "article": "article",
    "blogpost": "article",
    "website": "website",
    "blog": "website",
    "profile": "profile",
    "product": "product",
}
JSON_LD_KINDS = {
    "CollectionPage": "list",
    "SearchResultsPage": "list",
    "AboutPage": "static",
    "ContactPage": "static",
    "ProfilePage": "profile",
    "Product": "product",
}

Values = dict[str, float]
FIELDS = ("content", "title", "published")
"""Fields whose rules distinguish posts from other pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What is known of a page's site; by default nothing."""

    home: str | None = None
    """Canonical URL of the start page."""
    listed: bool = False
    """A feed or a sitemap of posts lists the page."""
    dated: bool = False
    """A source has the day of the post."""
    title: str = ""
    """What a source calls the post."""
    pattern: PostPattern | None = None
    places: Places | None = None
    marks: Marks | None = None
    ruleset: RuleSet = field(default_factory=RuleSet)
    found: Mapping[str, Sequence[Any]] | None = None
    """What the methods found on the page, candidates by field; None where no method was asked."""
    shows_days: bool = False
    """A rule finds the day of nearly all of the newest posts."""
    generation: bool = False
    """Rules and pattern are those of a further template, not those of the newest posts."""
    other_template: bool = False
    """Another template than that of the posts known made the page."""

    @property
    def candidates(self) -> Mapping[str, Sequence[Any]]:
        """Candidates by field; none where no method was asked."""
        return self.found or {}

    @property
    def shows_titles(self) -> bool:
        """Return whether a rule finds the titles of most posts."""
        return any(rule.support >= MAJORITY for rule in self.ruleset.rules.get("title", ())[:1])

    def is_listed(self, page: Page) -> bool:
        """Return whether a source lists the page, or the post on it whose anchor its URL has."""
        return self.listed or page.whole is not None

    def is_read_by_rule(self) -> bool:
        """Return whether a learned rule finds the content."""
        return any(value.method == "rules" for value in self.candidates.get("content", ()))

    def is_made_as_posts(self) -> bool:
        """Return whether a learned rule finds the content at a place of its own."""
        content = self.candidates.get("content", ())
        return any(value.method == "rules" and not _is_on_any_page(value) for value in content)

    def url_score(self, page: Page) -> float | None:
        """Return how much the URL is like those of posts; None where no post is known."""
        if self.pattern is None or not self.pattern.posts:
            return None
        among = self.places is not None and self.places.listed(entry_key(page.url))
        return self.pattern.score(page.url, among_posts=among)

    def has_post_url(self, page: Page) -> bool:
        """Return whether enough posts are known to which the URL is alike."""
        if self.pattern is None or self.pattern.posts < SEVERAL:
            return False
        return self.pattern.score(page.url) >= LIKELY


UNKNOWN = Site()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The probability that a page is a post; ``kind``: post, or what it is instead."""

    probability: float
    kind: str
    reason: str
    signs: tuple[str, ...] = ()

    @property
    def is_post(self) -> bool:
        return self.probability >= 0.5


@dataclass(frozen=True, slots=True)
class Feature:
    """A row of the table."""

    weight: float
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Table:
    """The fitted model; ``sure``: the log-odds from which no further group of features is read."""

    intercept: float
    sure: float
    features: Mapping[str, Feature]

    def score(self, values: Mapping[str, float]) -> float:
        """Return the log-odds of a post without the intercept."""
        rows = self.features
        return sum(rows[name].weight * value for name, value in values.items())


@cache
def table() -> Table:
    """Return the table of ``page_classifier.json``."""
    source = files("blogcrawl.extraction.pages").joinpath("page_classifier.json")
    data = json.loads(source.read_text("utf-8"))
    rows = {name: Feature(r["weight"], r["kind"], r["reason"]) for name, r in data["rows"].items()}
    return Table(data["intercept"], data["sure"], rows)


def classify(page: Page, site: Site = UNKNOWN) -> Verdict:
    """Classify a page by what is known of its site and what it says of itself, as far as is needed
    to decide; a page that is no post also by its address, for the number of posts among those
    rejected is the sum of their probabilities."""
    barred = barrier(page, site)
    if barred is not None:
        return Verdict(0.0, barred, page_kinds.BARRIERS.get(barred, barred), (barred,))
    site = _as_far_as_it_holds(page, site)
    model, values = table(), Values()
    total = model.intercept
    for group in GROUPS:
        read = group(page, site)
        values |= read
        total += model.score(read)
        if site.is_read_by_rule() and _is_sure(total, model.sure, values, group):
            break
    return _verdict(model, values, 1 / (1 + exp(-max(-30.0, min(30.0, total)))))


def _is_sure(
    total: float, sure: float, values: Values, group: Callable[[Page, Site], Values]
) -> bool:
    """Return whether what was read is enough: a page that lacks what posts have is no post before
    all of it was read, for a list may have the address of one."""
    return total <= -sure and group is not _found if total < sure else not lacks_field(values)


def lacks_field(values: Values) -> bool:
    """Return whether a rule that finds a field of most posts finds none, by the features."""
    return any(value and _MISSING.fullmatch(name) for name, value in values.items())


_MISSING = re.compile(r"rules\.\w+_missing")


def _as_far_as_it_holds(page: Page, site: Site) -> Site:
    """Leave out what was learned of the blog's posts where another template made the page: an old
    one, or that of another section.
    """
    if site.is_made_as_posts() or not (
        (site.marks is not None and is_of_other_template(page, site.marks))
        or (
            (_is_dated_otherwise(site) or _is_listed_otherwise(page, site))
            and not _heads_other_posts(page, site.pattern)
        )
    ):
        return site
    return replace(
        site, pattern=None, marks=None, ruleset=RuleSet(), found=None, other_template=True
    )


def _is_on_any_page(value: Any) -> bool:
    """Return whether what a rule found stands on pages of any template: the whole body, or the
    title in the head."""
    tag = getattr(value.value, "tag", None)
    return tag == "body" if tag is not None else bool(_HEAD_TITLE.search(value.rule or ""))


_HEAD_TITLE = re.compile(r"//?title(?:\[1\])?$")


def _is_dated_otherwise(site: Site) -> bool:
    """Return whether a page on which no rule finds anything shows its day at another place than the
    posts from which the rules were learned.
    """
    if not any(rules[0].support >= MAJORITY for rules in site.ruleset.rules.values() if rules):
        return False
    found = [value for name in FIELDS for value in site.candidates.get(name, ())]
    if any(value.method == "rules" and not _is_on_any_page(value) for value in found):
        return False
    return any(v.confidence >= MAJORITY for v in site.candidates.get("published", ()))


def _is_listed_otherwise(page: Page, site: Site) -> bool:
    """Return whether the crawl found the page where lists have nothing but posts, at an address
    that is not of the kind of the posts known, and the rules find neither content nor day on it,
    though posts have both."""
    own = entry_key(page.url)
    if site.places is None or own not in site.places.among:
        return False
    if site.pattern is None or site.pattern.score(own, among_posts=True):
        return False
    values = _found_by_rules(page, site.ruleset, site.candidates)
    return all(values.get(f"rules.{name}_missing") == 1.0 for name in ("content", "published"))


def _heads_other_posts(page: Page, pattern: PostPattern | None) -> bool:
    """Return whether a heading is a link to another page that looks like a post: entries of a
    list."""
    own = entry_key(page.url)
    return pattern is not None and any(
        same_site(url, own) and entry_key(url) != own and pattern.score(url) >= LIKELY
        for url in _headed(page)
    )


def _headed(page: Page) -> Iterator[str]:
    """Yield the addresses that headings link to."""
    links = (a.get("href") for h in page.tree.iter("h1", "h2", "h3", "h4") for a in h.iter("a"))
    return (url for href in links if href and (url := page.absolute(href)) is not None)


def _heads_posts_below(page: Page, pattern: PostPattern | None) -> bool:
    """Return whether headings link to several posts whose addresses lie below the page's: a
    section, of which engines with one feed of everything make an entry."""
    if pattern is None:
        return False
    own = folder_of(page)
    below = {key for url in _headed(page) if (key := entry_key(url)).startswith(own)}
    return sum(pattern.score(key) >= LIKELY for key in below) >= SEVERAL


def features(page: Page, site: Site = UNKNOWN) -> list[Values]:
    """Return all features of a page by group: what the weights are fitted on."""
    site = _as_far_as_it_holds(page, site)
    return [group(page, site) for group in GROUPS]


def _verdict(model: Table, values: Values, probability: float) -> Verdict:
    parts = sorted(
        (model.features[name].weight * value, name) for name, value in values.items() if value
    )
    signs = tuple(f"{name} {part:+.1f}" for part, name in parts)
    if probability >= 0.5:
        return Verdict(probability, "post", "post", signs)
    part, name = parts[0] if parts else (0.0, "")
    if part >= 0:
        return Verdict(probability, "unclear", "too little says it is a post", signs)
    row = model.features[name]
    return Verdict(probability, row.kind, row.reason, signs)


# what no weight can outvote


def _top_of(page: Page, site: Site) -> str | None:
    """Return what a page is that stands above posts by its address, None for others."""
    if site.home is not None and _is_home(page.url, site.home):
        return "home"
    return "section" if _heads_posts_below(page, site.pattern) else None


def barrier(page: Page, site: Site = UNKNOWN) -> str | None:
    """Return what the page is where that is certain and no post: an error, a feed, the start page,
    and what services show in place of a page.
    """
    if page.status >= 400:
        return "error"
    if page.whole is None and (top := _top_of(page, site)) is not None:
        return top
    if _is_part_of_site(page, site):
        return "part"
    if _is_index(page, site):
        return "index"
    if _is_of_album(page, site):
        return "album"
    if not site.listed and b"attachment" in page.body and _IS_OF_FILE(page.tree):
        return "attachment"
    return _other_format(page) or _in_its_place(page, site)


def _in_its_place(page: Page, site: Site) -> str | None:
    """Return what stands there instead of a post, which has its text at a place of its own."""
    if site.is_made_as_posts():
        locked = any(map(_is_locked, site.candidates["content"]))
        return "protected" if locked and not _shows_several(page, site) else None
    return in_place_of(page) or ("notice" if _lacks_title(page, site) else None)


def _is_home(url: str, home: str) -> bool:
    return canonicalize(url).removesuffix("index.html").rstrip("/") == home.rstrip("/")


def _is_part_of_site(page: Page, site: Site) -> bool:
    """Return whether start page and posts alike lead to the page, which has no day but those of
    many pages that it lists."""
    is_known = site.places is not None and entry_key(page.url) in site.places.everywhere
    if not is_known or page.whole is not None:
        return False
    return _is_undated(page, site) or len(dated_entries(page)) >= MANY_ENTRIES


def _is_index(page: Page, site: Site) -> bool:
    """Return whether the page lists many pages with their days, or nothing but lists, and the rule
    that finds the day of nearly all posts finds none of its own: made as the posts are, it is one
    of them otherwise."""
    if site.is_listed(page) or not (site.shows_days and site.is_read_by_rule()):
        return False
    if any(value.method == "rules" for value in site.candidates.get("published", ())):
        return False
    return len(dated_entries(page)) >= MANY_ENTRIES or _leads_to_lists(page, site)


def _leads_to_lists(page: Page, site: Site) -> bool:
    """Return whether several links in the content lead to lists, and none to another page."""
    content = next(v.value for v in site.candidates["content"] if v.method == "rules")
    urls = {page.absolute(link.get("href", "")) for link in content.iter("a")} - {None}
    return len(urls) >= SEVERAL and all(url and _list_kind(url) in _LISTS for url in urls)


_LISTS = frozenset(("tag", "category", "archive", "date", "author"))


def _is_undated(page: Page, site: Site, *, by_address: bool = True) -> bool:
    """Return whether the page has no day at all, though a rule finds the day of nearly all of the
    newest posts; ``by_address``: whether its address may give it one."""
    if not site.shows_days or site.found is None or site.dated or page.whole is not None:
        return False
    if by_address and url_day(page.url) is not None:
        return False
    days = site.candidates.get("published", ())
    return all(day.confidence < MAJORITY or day.rule == "url" for day in days)


_IS_OF_FILE: Any = etree.XPath(
    "boolean(//body[contains(concat(' ', @class), ' attachmentid-')] | "
    "(//*[contains(concat(' ', @class, ' '), ' hentry ')])[1]"
    "[contains(concat(' ', @class, ' '), ' type-attachment ')] | "
    "(//p[@class='attachment'])[1]/a)"
)
"""Whether WordPress calls the page that of a file: on its body, on what stands for the post, or on
the paragraph with the file, which it writes itself whatever the theme."""


def _is_of_album(page: Page, site: Site) -> bool:
    """Return whether the page is an album, or of one, and has no day, and nothing says that it is a
    post: no source or list of posts leads to it, its address is not like the newest posts', and no
    rule finds the content at a place of its own. Pictures have the address of their album, and the
    day in it."""
    own, places = entry_key(page.url), site.places or Places()
    if site.listed or site.is_made_as_posts() or places.listed(own):
        return False
    if site.has_post_url(page) and not site.generation:
        return False
    is_below = places.in_album(own)
    return (is_below or is_album(page)) and _is_undated(page, site, by_address=not is_below)


def _other_format(page: Page) -> str | None:
    head = page.body[:600].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<?xml", b"<rss", b"<feed")) and any(map(head.__contains__, FEEDS)):
        return "feed"
    kind = page.headers.get("content-type", "text/html").split(";")[0].strip().lower()
    is_html = not kind or "html" in kind or kind.startswith(READ_AS_HTML)
    return None if is_html else "not html"


def in_place_of(page: Page) -> str | None:
    """Return what a short page stands for: a challenge, a login form, a notice of the host or that
    nothing is there.
    """
    letters, title = _letters(page), document_title(page)
    if letters < SHORT:
        if _is_challenge(page, title, letters):
            return "challenge"
        if _is_login(page, title, letters):
            return "login"
        if page_kinds.ENDED.search(node_text(page.tree)):
            return "gone"
    if _says_locked(page):
        return "login"
    return "missing" if _says_missing(page, title) else None


def _letters(page: Page) -> float:
    """Return how much there is to read on a page."""
    blocks = blocks_of(page)
    return blocks.all_plain[0] + blocks.all_linked[0] if blocks.tags else 0.0


def _lacks_title(page: Page, site: Site) -> bool:
    """Return whether a page stands in the place of a post that a source gives a title, though posts
    of the blog show theirs."""
    return site.shows_titles and lacks_title(page, site.title)


def lacks_title(page: Page, title: str) -> bool:
    """Return whether a short page has the title of its post nowhere: a host's notice (that it is
    busy, that cookies have to be accepted) is no one's words that could be known."""
    if not title or _letters(page) >= SHORT:
        return False
    return folded(title) not in folded(f"{document_title(page)} {node_text(page.tree)}")


def _is_locked(content: FieldValue) -> bool:
    """Return whether a box asks for a password in the place of a post's text."""
    node = content.value
    if content.method != "rules" or not isinstance(node, etree._Element):
        return False
    return _has_password_box(node) and len(node_text(node)) < SHORT / 3


def _shows_several(page: Page, site: Site) -> bool:
    """Return whether the rule for content finds more than one: a list, on which a protected post is
    the first."""
    rules = site.ruleset.rules.get("content", ())[:1]
    usual = site.ruleset.facts.returned.get("content", 1)
    return any(_repeated(page, rule, usual) for rule in rules)


def _has_password_box(node: etree._Element) -> bool:
    """Return whether a password is asked for, and no text to go with it: readers of many Korean and
    Japanese blogs give one with their comment, to take it back."""
    asks = any(box.get("type", "").lower() == "password" for box in node.iter("input"))
    return asks and next(node.iter("textarea"), None) is None


def _is_challenge(page: Page, title: str, letters: float) -> bool:
    marks = sum(mark in page.text for mark in page_kinds.CHALLENGE_MARKS)
    return (
        page_kinds.CHALLENGE_TITLES.search(title) is not None
        or marks >= 2
        or (marks == 1 and letters < SHORT / 4)
    )


def _is_login(page: Page, title: str, letters: float) -> bool:
    if not _has_password_box(page.tree):
        return False
    return letters < SHORT / 3 or page_kinds.LOGIN_TITLES.search(title) is not None


def _says_locked(page: Page) -> bool:
    """Return whether the heading says that a password is needed, a box asks for it, and no text
    contradicts, however much stands in the side bar."""
    is_said = page_kinds.LOGIN_TITLES.search(headline(page)) is not None
    return is_said and _has_password_box(page.tree) and _is_thin(page)


def _says_missing(page: Page, title: str) -> bool:
    """Return whether title or heading say that nothing was found, and no text contradicts."""
    main = headline(page)
    said = page_kinds.MISSING_TITLES
    return (said.search(title) or said.search(main)) is not None and _is_thin(page)


def _is_thin(page: Page) -> bool:
    """Return whether there is too little prose for a post about a 404."""
    blocks = blocks_of(page)
    place = find_content(blocks)
    return place is None or blocks.all_plain[place.number] < SHORT / 2


# features, by group


def url_features(page: Page, site: Site) -> Values:
    """Return what the address alone says; of one that a source lists or that is like the posts'
    nothing that lists are called elsewhere.
    """
    values = {"url.dated": float(url_day(page.url) is not None)}
    if site.is_listed(page) or site.has_post_url(page):
        return values
    kind = _list_kind(page.url)
    is_page = resource_kind(entry_key(page.url)) == "page"
    may_be_slug = site.shows_days or kind in ("date", "feed")  # pages in menus have no day
    if (kind is None and is_page) or (may_be_slug and _is_slug_of_post(page, site)):
        return values
    if kind is not None and not (kind == "list" and _is_among_posts(page, site)):
        values[f"url.{kind}"] = 1.0
    if not is_page:
        values["url.no_page"] = 1.0
    return values


def _is_among_posts(page: Page, site: Site) -> bool:
    """Return whether the address, a word and a number as those of a list's further pages, is linked
    where posts are."""
    return site.places is not None and site.places.listed(entry_key(page.url))


def _is_slug_of_post(page: Page, site: Site) -> bool:
    """Return whether what looks like a day or a year is a post's slug, or like any page besides
    the posts where posts are linked, and the page is no list: the rules of posts find each field
    that they find on posts, once, and neither a heading nor several entries lead to posts."""
    day = url_day(page.url)
    if day is None:
        is_slug = is_year_address(page.url) or _is_among_posts(page, site)
    else:
        is_slug = day[2] is not None
    return (
        is_slug
        and site.is_read_by_rule()
        and _has_what_posts_have(page, site)
        and not (units(page) or _heads_other_posts(page, site.pattern))
        and (day is not None or not _is_of_links(page, site))
    )


def _has_what_posts_have(page: Page, site: Site) -> bool:
    """Return whether the rules find each field that they find on posts, once."""
    found = _found_by_rules(page, site.ruleset, site.candidates)
    return not any(value for name, value in found.items() if not name.endswith("_found"))


def _is_of_links(page: Page, site: Site) -> bool:
    """Return whether several links have a day of their own, or most of the text is links."""
    if len(dated_entries(page)) >= SEVERAL:
        return True
    content = next(v.value for v in site.candidates["content"] if v.method == "rules")
    linked = sum(len(node_text(link)) for link in content.iter("a"))
    return 2 * linked > len(node_text(content))


def _list_kind(url: str) -> str | None:
    """Return the kind of page that has such addresses in the usual engines."""
    parts = as_read(url)
    return page_kinds.kind_of_path(unquote(parts.path), parts.query)


def site_features(page: Page, site: Site) -> Values:
    """Return what lists and the addresses of posts say of the page's address."""
    values: Values = {}
    own = entry_key(page.url)
    if site.places is not None:
        values["site.among_posts"] = float(site.places.listed(own))
        in_menu = not site.is_listed(page) and site.places.only_in_menu(own)
        values["site.only_in_menu"] = float(in_menu)
    score = site.url_score(page)
    if score is not None:
        values["site.url_like_posts"] = max(0.0, 2 * score - 1)
        values["site.url_unlike_posts"] = max(0.0, 1 - 2 * score)
    link = canonical_link(page)
    named = canonicalize(link) if link else None
    values["site.canonical_is_home"] = float(named not in (None, own) and named == site.home)
    return values


def rule_features(page: Page, site: Site) -> Values:
    """Return what the learned rules find, against what they find on posts."""
    if site.found is None:
        return {}
    values = {"rules.no_content": float("content" not in site.found)}
    values |= _found_by_rules(page, site.ruleset, site.candidates)
    if site.is_made_as_posts() and _shows_its_day(site):
        values.pop("rules.published_missing", None)
    if _has_older_template(page, site, values):
        values = {"rules.older_template": 1.0}
    if not site.is_listed(page):
        values["rules.site_title"] = float(_bears_the_sites_name(page, site.ruleset))
        named = (
            _title_node(page, site.ruleset),
            _date_node(page, site.ruleset),
            _first_heading(site.found.get("content", ())),
        )
        away = site.pattern is not None and (
            any(_leads_away(node, page, site) for node in named if node is not None)
            or _permalinks_lead_away(page, site.pattern)
        )
        values["rules.title_links_to_post"] = float(away)
    return values


def _found_by_rules(page: Page, ruleset: RuleSet, found: Mapping[str, Sequence[Any]]) -> Values:
    values: Values = {}
    for name in FIELDS:
        rules = ruleset.rules.get(name, ())
        if not rules or rules[0].support < MAJORITY:
            continue
        value = next((v for v in found.get(name, ()) if v.method == "rules"), None)
        if value is None:
            values[f"rules.{name}_missing"] = min(1.0, ruleset.samples / FEW)
            continue
        values[f"rules.{name}_found"] = 1.0
        if name != "published":
            usual = ruleset.facts.returned.get(name, 1)
            values[f"rules.{name}_repeated"] = _repeated(page, rules[0], usual)
    return values


def _shows_its_day(site: Site) -> bool:
    """Return whether the page shows its day, be it where no rule looks for it."""
    days = site.candidates.get("published", ())
    return any(day.confidence >= MAJORITY and day.rule != "url" for day in days)


def _repeated(page: Page, rule: Any, usual: int) -> float:
    """Return 1 where a rule finds more nodes than on posts, 0.75 for up to three."""
    label = apply.label_of(rule.xpath)
    stands_once = label is not None and page.body.count(label) == 1
    if rule.attribute or stands_once:
        return 0.0
    count = apply.counted(page.tree, rule)
    return 0.0 if count <= max(1, usual) else 1.0 if count > 3 else 0.75


def _has_older_template(page: Page, site: Site, values: Values) -> bool:
    """Return whether no rule finds anything at an address that is a post's: the blog had another
    template then, and fields missing one by one would count the same fact three times.
    """
    if site.is_listed(page) or not site.has_post_url(page):
        return False
    among = site.places is not None and site.places.listed(entry_key(page.url))
    if not among and url_day(page.url) is None:
        return False
    names = [name for name, value in values.items() if value and name != "rules.no_content"]
    return bool(names) and all(name.endswith("_missing") for name in names)


def shape_features(page: Page, site: Site) -> Values:
    """Return what ids, classes and og:type that all posts have, and others, are on the page."""
    if not site.marks:
        return {}
    body, posts, others = shares(page, site.marks)
    weight = min(1.0, len(site.marks.posts) / FEW)
    values = {"site.shape_of_others": others}
    if body is not None:
        values["site.body_of_posts"] = body
    if posts is not None:
        values["site.shape_of_posts"] = weight * posts
        values["site.lacks_shape"] = weight * (1.0 - posts)
    return values


def markup_features(page: Page, site: Site) -> Values:
    """Return what body classes, OpenGraph and JSON-LD call the page, and the blog's key-path."""
    values = {**_key_path(page, site)}
    kind = _body_kind(page)
    if kind is not None:
        values[f"body.{kind}"] = 1.0
    data = embedded(page)
    said = (data.first("og:type") or "").lower()
    og = OG_KINDS.get(said.partition(".")[0].removeprefix("og:"))
    if og not in (None, "article") and not _is_usual(f"og:type={said.strip()}", site):
        values[f"og.{og}"] = 1.0
    kinds = [types_of(item) for item in data.linked]
    articles = sum(bool(types & (ARTICLE_TYPES - {"CreativeWork"})) for types in kinds)
    values |= _json_ld(kinds, articles)
    timed = og in (None, "article") and bool(data.first("article:published_time"))
    values["markup.article"] = float(og == "article" or articles == 1 or timed)
    return values


def _is_usual(label: str, site: Site) -> bool:
    """Return whether all posts of the blog have a label: then it speaks against no page."""
    marks = site.marks
    return marks is not None and (label in marks.steady or label in marks.posts)


def _json_ld(kinds: Sequence[Set[str]], articles: int) -> Values:
    named = {JSON_LD_KINDS[name] for types in kinds for name in types & JSON_LD_KINDS.keys()}
    if articles:
        named.discard("product")
    values = {f"json_ld.{kind}": 1.0 for kind in named}
    return {**values, "json_ld.articles": 1.0} if articles > 1 else values


def _body_kind(page: Page) -> str | None:
    body = page.tree.find("body")
    names = set(body.get("class", "").split()) if body is not None else set()
    classes = page_kinds.BODY_CLASSES
    for kind, words in classes.items():
        is_both = kind in {"home", "author", "archive"} and names & classes["post"]
        if names & words and not is_both:
            return kind
    return None


def _key_path(page: Page, site: Site) -> Values:
    keypaths = method("keypath")
    match = keypaths.recognise(page, site.ruleset) if isinstance(keypaths, Recogniser) else None
    return {} if match is None else {"site.key_path": match, "site.no_key_path": 1.0 - match}


def text_features(page: Page, site: Site) -> Values:
    """Return what title, date and text look like."""
    values = {"text.date": float(_has_date(page)), "text.list_title": _list_title(page, site)}
    blocks = blocks_of(page)
    if not blocks.tags or blocks.all_plain[0] + blocks.all_linked[0] < MAX_BYLINE:
        has_picture = any(True for _ in page.tree.iter("img"))
        if site.is_read_by_rule() and has_picture:  # a post of a picture
            return values
        return {**values, "text.picture_only" if has_picture else "text.empty": 1.0}
    place = find_content(blocks)
    number = place.number if place is not None else 0
    plain, linked = blocks.all_plain[number], blocks.all_linked[number]
    values["text.little"] = float(plain < LITTLE and not site.is_listed(page))
    values["text.mostly_links"] = float(linked > 1.5 * plain + 200)
    entries = _entries(page, number)
    if not entries and not _is_sure_post(page, site):
        entries = _dated(page)
    return {**values, **entries}


def _is_sure_post(page: Page, site: Site) -> bool:
    """Return whether a source lists the page, or a rule finds the content at a place of its own and
    the address, or the day at its place, is a post's too."""
    if site.is_listed(page) or not site.is_made_as_posts():
        return site.is_listed(page)
    has_day = any(value.method == "rules" for value in site.candidates.get("published", ()))
    return has_day or site.has_post_url(page)


def _list_title(page: Page, site: Site) -> float:
    """Return 1 for a title with the words of lists' titles. A post may be called "The archive": at
    the address of one it is a list only where it has entries.
    """
    if page_kinds.LIST_TITLES.search(document_title(page)) is None:
        return 0.0
    is_at_post = site.is_listed(page) or site.has_post_url(page)
    return float(not is_at_post or len(units(page)) > 1)


def _has_date(page: Page) -> bool:
    fields = MetadataExtractor().extract(page, None) or {}
    return any(v.confidence >= MAJORITY or v.rule == "url" for v in fields.get("published", ()))


def _dated(page: Page) -> Values:
    """Return the same of entries without headings: each has a day and a page of its own. Two may be
    the post's neighbours: of 296 real posts ten have such, none has three."""
    found = len(dated_entries(page))
    if found < SEVERAL:
        return {}
    return {"entries.number": min(1.0, found / MANY_ENTRIES), "entries.share": 1.0}


def _entries(page: Page, number: int) -> Values:
    """Number of entries on a page of several and their share of its text."""
    found = units(page)
    if len(found) < 2:
        return {}
    blocks = blocks_of(page)
    held = [i for element, _url in found if (i := blocks.number.get(element)) is not None]
    sizes = [blocks.all_plain[i] + blocks.all_linked[i] for i in held]
    share = sum(sizes) / max(1.0, blocks.all_plain[0] + blocks.all_linked[0])
    inside = sum(number <= i < blocks.end[number] for i in held)
    if (inside < 2 and share <= 0.5) or max(sizes) >= MOST * sum(sizes):
        return {}
    return {"entries.number": min(1.0, len(found) / MANY_ENTRIES), "entries.share": share}


def _found(page: Page, site: Site) -> Values:
    return {
        "site.listed": float(site.listed),
        "site.anchor": float(page.whole is not None),
        "site.other_template": float(site.other_template),
        **rule_features(page, site),
    }


def _addressed(page: Page, site: Site) -> Values:
    return url_features(page, site) | site_features(page, site)


def _shaped(page: Page, site: Site) -> Values:
    return shape_features(page, site)


def _said(page: Page, site: Site) -> Values:
    return markup_features(page, site) | text_features(page, site)


GROUPS: tuple[Callable[[Page, Site], Values], ...] = (_found, _addressed, _shaped, _said)
"""In the order of their cost."""


def _bears_the_sites_name(page: Page, ruleset: RuleSet) -> bool:
    """Return whether the document's title is all that the posts have besides theirs: start pages
    and their further pages are named so.
    """
    title = document_title(page).casefold()
    rules = [
        rule
        for rule in ruleset.rules.get("title", ())[:1]
        if rule.xpath.rpartition("/")[2].startswith("title")
    ]
    return any(
        title and title == affix.strip(" |-–—:·»«").casefold()
        for rule in rules
        for affix in (rule.prefix, rule.suffix)
    )


def _leads_away(title: HtmlElement, page: Page, site: Site) -> bool:
    """Return whether a title, or a date, is a link to another page that looks like a post, or its
    heading has one: a month's list with one entry. What leads where all pages do is the site's.
    """
    heading = next(title.iterancestors(*apply.HEADINGS), title)
    links = chain(title.iter("a"), title.iterancestors("a"), heading.iter("a"))
    href = next((href for link in links if (href := link.get("href"))), None)
    url = page.absolute(href) if href is not None else None
    if url is None or not same_site(url, page.url) or is_place_in(page, url):
        return False
    others = {*own_addresses(page), *(site.places or Places()).everywhere}
    score = site.pattern.score(url) if site.pattern is not None else 0.0
    return canonicalize(url) not in others and score >= LIKELY


def own_addresses(page: Page) -> set[str]:
    """Return the canonical addresses of a page: its own, and the one that it calls so."""
    return {canonicalize(address) for address in (page.url, canonical_link(page)) if address}


def _permalinks_lead_away(page: Page, pattern: PostPattern) -> bool:
    """Return whether a page whose address is unlike a post's has permanent links, or with the
    number of comments, all of them to other pages that look like posts: a list of a month or a day
    with one entry whose title is no link."""
    if pattern.score(page.url) >= LIKELY:
        return False
    urls = {canonicalize(page.absolute(href) or "") for href in _permanent_links(page)}
    return (
        bool(urls)
        and urls.isdisjoint(own_addresses(page))
        and all(pattern.score_canonical(url) >= LIKELY for url in urls)
    )


def _permanent_links(page: Page) -> Iterator[str]:
    known: dict[HtmlElement, bool] = {}
    for link in islice(page.tree.iter("a"), MAX_TRIED):
        if _is_permanent(link.text or "") and not is_aside(link, known):
            yield link.get("href") or ""


def _is_permanent(text: str) -> bool:
    return _PERMALINK.fullmatch(text) is not None or (
        _DIGIT.search(text) is not None and is_label(text)
    )


_PERMALINK = re.compile(rf"\W*(?:{any_of('navigation', 'permalink')})\W*", re.I)
_DIGIT = re.compile("[0-9]")


def _title_node(page: Page, ruleset: RuleSet) -> HtmlElement | None:
    """Return the element of the title by its rule, if that is right on most posts, else the page's
    heading."""
    rules = ruleset.rules.get("title", ())[:1]
    hits = (apply.first(page.tree, rule) for rule in rules if rule.support >= MAJORITY)
    found = next((hit for hit in hits if hit), None) or heading_of(page)
    return None if found is None else found[0]


def _date_node(page: Page, ruleset: RuleSet) -> HtmlElement | None:
    """Return the element of the date by its rule, if that is right on most posts."""
    rules = ruleset.rules.get("published", ())[:1]
    hits = (apply.first(page.tree, rule) for rule in rules if rule.support >= MAJORITY)
    return next((hit[0] for hit in hits if hit), None)


def _first_heading(contents: Sequence[FieldValue]) -> HtmlElement | None:
    """Return the heading with which the content begins, as that of a day's list does."""
    node = contents[0].value if contents else None
    if not isinstance(node, etree._Element):
        return None
    heading = next(node.iter(*apply.HEADINGS), None)
    if heading is None or not node_text(node).startswith(node_text(heading)):
        return None
    return heading


@kept
def canonical_link(page: Page) -> str | None:
    """Return the address that the page names as its own (``rel=canonical``), absolute; None where
    it names none.
    """
    named = (link.get("href") for link in page.tree.iter("link") if link.get("rel") == "canonical")
    href = next((href for href in named if href is not None), None)
    return None if href is None else page.absolute(href)
