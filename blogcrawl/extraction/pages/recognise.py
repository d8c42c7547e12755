"""Is this page a post of this blog?  Evidence of rules, shape, URL and page, added up as log-odds.

The weights are judgements set on generated blogs and recorded ones of other kinds; each is a fact's
likelihood ratio in steps of e.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.core.page import Page, kept
from blogcrawl.dates.url_date import url_day
from blogcrawl.extraction.chain import method
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.headings import heading_of
from blogcrawl.extraction.protocols import Recogniser
from blogcrawl.induction import apply
from blogcrawl.induction.fingerprint import likeness
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.urls.canonical import canonicalize, entry_key, resource_kind, same_site
from blogcrawl.urls.post_pattern import LIKELY, PostPattern

_LIST_URL = re.compile(
    r"/(?:tags?|categor(?:y|ies|ie|ia|ias)|label|labels|authors?|topics?|search|archives?|"
    r"archiv|archive\.html|page|feed|comments|wp-login\.php|wp-admin|rss|sitemap)"
    r"(?:/[^/]*)?(?:/page/?\d+)?/?(?:index\.html?)?$"
    r"|/(?:blog|posts?|articles?|news)/\d{1,3}/?(?:index\.html?)?$|"
    r"/page/?\d+/?(?:index\.html?)?$|/(?:19|20)\d\d(?:/\d\d?){0,2}/?(?:index\.html?)?$|"
    r"/index\d+\.html?$"
    r"|[?&](?:cat|tag|paged|s|m|author|replytocom|search)=",
    re.I,
)
"""Address forms of lists in the usual engines (WordPress, Blogger, Movable Type, Jekyll, Hugo,
Hexo, Ghost).
"""
_GONE = re.compile(
    r"\b404\b|page not found|not found|nicht gefunden|introuvable|no encontrad[ao]|não "
    r"encontrad[ao]|non trovat[ao]|не найден"
    r"|ページが見つかりません|页面未找到|找不到",
    re.I,
)
_GONE_PARTS = (
    "404",
    "not ",
    "nicht ",
    "introuvable",
    "encontrad",
    "trovat",
    "не ",
    "見つかり",
    "未",
    "不",
)
"""One of them stands in each: looked for first, for that is a twentieth of the work."""

TAUGHT = 4
"""Posts that teach a pattern from which a likely address is a post's though others write lists so
(``/archives/7.html``).
"""
SURE = 5.0
"""Sum for a promised page from which its shape and URL aren't looked at: nothing they say could
turn it.
"""
BARRIERS = frozenset({"challenge", "login", "error"})
"""What a page may be that nothing makes a post."""
OTHER = -0.5
"""Weight against a page of another template at an address that is a post's."""
LITTLE, BARRED = 5, -4.0
"""Posts from which on what all of them have is taken for the blog's way; and the weight from which
a fact does not depend on them.
"""
UNSURE = 2.5
"""Sum of log-odds below which the page itself is asked what it is: exp(-2.5) is one error in
twelve.
"""


@dataclass(frozen=True, slots=True)
class Recognition:
    """Belief that a page is a post, 0..1, with what counted most against it."""

    belief: float
    reason: str


def recognise(
    page: Page,
    ruleset: RuleSet,
    found: Mapping[str, Sequence[Any]],
    state: Mapping[str, Any],
    promised: bool,
) -> Recognition:
    """``found``: candidates by field; ``state``: home (canonical), marks, pattern (PostPattern),
    places (where lists have posts).
    """
    facts = _facts(page, ruleset, found, state, promised)
    if promised and ruleset.samples < LITTLE:
        # what one or two posts have in common is no law for one that the blog itself lists among
        # its posts
        facts = [
            (weight * ruleset.samples / LITTLE if BARRED < weight < 0 else weight, why)
            for weight, why in facts
        ]
    total = sum(weight for weight, _ in facts)
    by_rule = any(value.method == "rules" for value in found.get("content", ()))
    if abs(total) < UNSURE or not by_rule:
        facts.append(_alone(page, ruleset, state, promised))
        total += facts[-1][0]
    worst = min(facts, default=(0.0, "nothing known"))
    return Recognition(
        1 / (1 + exp(-max(-30.0, min(30.0, total)))),
        worst[1] if worst[0] < 0 else "too little says it is a post",
    )


def _facts(
    page: Page,
    ruleset: RuleSet,
    found: Mapping[str, Sequence[Any]],
    state: Mapping[str, Any],
    promised: bool,
) -> list[tuple[float, str]]:
    promised = (
        promised or page.whole is not None
    )  # what bears a post's anchor is as good as promised
    facts: list[tuple[float, str]] = [(4.0, "promised")] if promised else []
    if page.status >= 400:
        facts.append((-12.0, f"HTTP status {page.status}"))
    own = entry_key(page.url)
    if own == state.get("home"):
        facts.append((-12.0, "the blog's home page"))
    pattern = state.get("pattern")
    learned = (
        not promised
        and isinstance(pattern, PostPattern)
        and pattern.posts >= TAUGHT
        and pattern.score(page.url) >= LIKELY
    )
    parts = urlsplit(page.url)
    if (
        not promised
        and not learned
        and _LIST_URL.search(parts.path + ("?" + parts.query if parts.query else ""))
    ):
        facts.append((-4.0, "the URL is that of a list"))
    if not promised and resource_kind(own) != "page":
        facts.append((-4.0, "the URL is no page's"))
    title = document_title(page)
    if (
        len(title) < 80
        and any(map(title.lower().__contains__, _GONE_PARTS))
        and _GONE.search(title)
    ):
        facts.append((-3.0 if promised else -6.0, "the page says it was not found"))
    link = canonical_link(page)
    canonical = canonicalize(link) if link else None
    if canonical is not None and canonical != own and canonical == state.get("home"):
        facts.append((-5.0, "its canonical address is the home page"))
    by_rules = _by_rules(page, ruleset, found)
    places = state.get("places")
    other = (
        learned
        and (url_day(page.url) is not None or (places is not None and places.listed(own)))
        and _nothing_found(by_rules)
    )
    facts += [(OTHER, "no rule finds anything")] if other else by_rules
    if (
        not promised
        and isinstance(pattern, PostPattern)
        and _title_leads_away(page, ruleset, pattern)
    ):
        facts.append((-6.0, "its title leads to another post: a list of one"))
    if not promised and _bears_the_sites_name(page, ruleset):
        facts.append((-3.0, "its title is the blog's own"))
    if promised and sum(weight for weight, _ in facts) >= SURE:
        return facts
    marks = state.get("marks") if not other else None
    if marks:
        like = likeness(page, marks)
        posts = marks.get("posts") or []
        weight = (
            3.0
            if any(label.startswith(("body.", "og:type")) for label in posts)
            else 1.5 * min(1.0, len(posts) / 6)
        )
        facts.append(
            (weight * like if like > 0 else 4.0 * like, "it has not the shape of the blog's posts")
        )
        if 0 <= like < 0.5 and len(posts) >= 3:
            facts.append((-2.0, "it lacks what the blog's posts have"))
    if places is not None and places.listed(own):
        facts.append((2.0, "listed among posts"))
    if not promised and places is not None and places.only_in_menu(own):
        facts.append((-6.0, "the site's menu leads to it, no list of posts does"))
    if isinstance(pattern, PostPattern) and pattern.posts:
        facts.append(
            (
                4.0 * (_like_posts(pattern, page, state) - 0.5) - 0.5,
                "its URL is unlike the posts' URLs",
            )
        )
    return facts


def _like_posts(pattern: PostPattern, page: Page, state: Mapping[str, Any]) -> float:
    """How much the address is like the posts': of one that stands among them the number of its
    words says nothing.
    """
    places = state.get("places")
    return pattern.score(
        page.url, among_posts=places is not None and places.listed(entry_key(page.url))
    )


def _nothing_found(by_rules: Sequence[tuple[float, str]]) -> bool:
    """No rule finds anything. At an address that is a post's (a date in it, or a list of posts
    shows it) the blog had another theme then, and its pages are not to be judged by this one's;
    fields missing one by one would count the same fact three times."""
    return len(by_rules) > 1 and all(weight < 0 for weight, _ in by_rules)


def _alone(
    page: Page, ruleset: RuleSet, state: Mapping[str, Any], promised: bool
) -> tuple[float, str]:
    """What the page says of itself, whatever was learned: half its log-odds, for both see some of
    the same facts.
    """
    from blogcrawl.extraction.pages.postness import SiteHints, judge

    keypaths = method("keypath")
    pattern = state.get("pattern")
    hints = SiteHints(
        home_url=state.get("home"),
        promised=promised,
        pattern=_like_posts(pattern, page, state) if pattern else None,
        keypath=keypaths.recognise(page, ruleset) if isinstance(keypaths, Recogniser) else None,
    )
    told = judge(page, hints)
    if told.reason in BARRIERS:
        return -12.0, told.reason
    odds = log(max(1e-6, told.confidence) / max(1e-6, 1 - told.confidence))
    return (
        (min(3.0, 0.5 * odds), "post")
        if told.is_post
        else (-(0.4 if promised else 0.7) * min(8.0, odds), told.reason)
    )


def _by_rules(
    page: Page, ruleset: RuleSet, found: Mapping[str, Sequence[Any]]
) -> list[tuple[float, str]]:
    facts: list[tuple[float, str]] = []
    if "content" not in found:
        facts.append((-4.0, "no content found"))
    for field, missing in (("content", -2.5), ("title", -1.0), ("published", -2.0)):
        rules = ruleset.rules.get(field, ())
        if not rules or rules[0].support < 0.6:
            continue
        value = next((v for v in found.get(field, ()) if v.method == "rules"), None)
        facts.append(
            (0.7, f"{field} by rule")
            if value is not None
            else (missing, f"the rule for {field} finds nothing")
        )
        usual = ruleset.facts.returned.get(field, 1)
        if (
            value is not None
            and field != "published"
            and not rules[0].attribute
            and not _stands_once(page, rules[0].xpath)
        ):
            count = apply.counted(page.tree, rules[0])
            if count > max(1, usual) and count >= 2:
                facts.append(
                    (-3.0 - (count > 3), f"{count} nodes for {field}, posts have {usual}: a list")
                )
    return facts


def _stands_once(page: Page, xpath: str) -> bool:
    """Whether the source has the rule's name but once: then it finds no second node, and none need
    be looked for in the tree.
    """
    label = apply.label_of(xpath)
    return label is not None and page.body.count(label) == 1


def _bears_the_sites_name(page: Page, ruleset: RuleSet) -> bool:
    """Is the document's title all that the posts have beside theirs? Start pages and their pagers
    are named so.
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


def _title_leads_away(page: Page, ruleset: RuleSet, pattern: PostPattern) -> bool:
    """Is the title a link to another page that looks like a post? So a month's list with one entry
    tells itself from that post.
    """
    found = next(
        (
            hit
            for rule in ruleset.rules.get("title", ())[:1]
            if (hit := apply.first(page.tree, rule))
        ),
        None,
    ) or heading_of(page)
    if found is None:
        return False
    node = found[0]
    link = node if node.tag == "a" else next(node.iter("a"), None)
    if link is None:
        link = next(node.iterancestors("a"), None)
    url = page.absolute(link.get("href") or "") if link is not None else None
    if url is None or not same_site(url, page.url):
        return False
    named = canonical_link(page)
    own = {entry_key(address) for address in (page.url, named) if address}
    return entry_key(url) not in own and pattern.score(url) >= LIKELY


@kept
def canonical_link(page: Page) -> str | None:
    """The address that the page names as its own (``rel=canonical``), absolute; None where it names
    none.
    """
    named = (link.get("href") for link in page.tree.iter("link") if link.get("rel") == "canonical")
    href = next((href for href in named if href is not None), None)
    return None if href is None else page.absolute(href)
