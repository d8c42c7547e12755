"""Templates that are learned while a crawl goes on: posts that the rules miss give rules for
themselves, and are extracted again with these when all others are in.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import islice
from operator import or_
from typing import NamedTuple, TypeVar
from zlib import crc32

from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.crawling.earlier_run import earlier_pages
from blogcrawl.crawling.learning import MIN_CHANCE
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.crawling.spool import Spool
from blogcrawl.extraction.model import (
    BlogModel,
    Generation,
    Hints,
    NotAPost,
    extract_post,
    learn_blog,
)
from blogcrawl.frontier.store import key_hash
from blogcrawl.induction.apply import content_node
from blogcrawl.induction.fingerprint import is_alike, labels, likeness
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.site_facts import SiteFacts
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.post_pattern import PostPattern

Result = TypeVar("Result")
ENOUGH = 3
"""Posts that the rules miss, from which a new template is learned."""
KEPT = 5
"""Posts that the rules fit, which take part in the training, so that the new rules fit both
templates.
"""
ENOUGH_ALIKE = 8
"""Posts of one template from which rules are learned without a feed: of fewer, two or three of one
section do not show what is the section's."""
MAX_GENERATIONS = 8
"""Templates watched at a time: a blog of ten years has had three or four, sections some more."""
MOST = 2
"""Times in one crawl: what two don't mend is no template."""
MAX_REFUSED = 100
"""Pages kept that no rule reads and that seem to be no posts: later rules may show they are."""
LIKE = 0.8
"""Likeness to the page of which a template was learned, from which a page that its rules read shows
no other: years of one theme differ in what stands above and below the posts."""
SKETCH_BITS = 2048
"""Of a page's labels: of three hundred a few share one."""
MAX_HISTORY = 5
"""Earlier models that are kept."""


def shelve(session: Session) -> None:
    """Keep the model as it is now in the blog's history."""
    if session.model is not None:
        past = session.memory.setdefault("history", [])
        past.append({"until": datetime.now(UTC).isoformat(), "model": session.model.to_json()})
        del past[:-MAX_HISTORY]


class _Group(NamedTuple):
    """Posts of one template, and the labels of the first."""

    labels: frozenset[str]
    items: list[PostPage]


_EARLIER = Generation((), RuleSet())
"""Stands for the template by whose rules an earlier run of the crawl extracted a post."""


class Generations:
    """Watches the posts of a crawl that the newest rules don't read: older themes, other sections
    of the blog.

    Where enough pages of one template have come together, rules are learned for them by aligning
    them with each other. Which come first is chance: when all are in, the rules are learned once
    more of the same pages in the order of their keys, so that they follow from the pages alone, and
    so do the posts that only these rules recognise.
    """

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._given: tuple[Generation, ...] | None = None
        """Those that were known before the crawl."""
        self._pages: Spool | None = None
        """Pages that the newest rules don't read, by key."""
        self._used: dict[int, Generation | None] = {}
        """The template by whose rules each was extracted."""
        self._refused: set[int] = set()
        """Keys of those that seem to be no posts."""
        self._waiting: set[int] = set()
        """Keys of those that are posts by rules learned in this crawl only."""
        self._decided: set[int] = set()
        """Keys of those that were judged by rules learned of all."""
        self._fresh: set[int] = set()
        """Keys of those that came since the last settling."""
        self.is_recalled = False
        """Whether the pages are there that earlier runs of the crawl have read."""
        self._learned_of = 0
        """Pages of which the rules were last learned when all were in."""

    def note(self, session: Session, item: PostPage, verdict: Post | NotAPost) -> bool:
        """Return whether rules that read the page were learned because of it. Raises
        TooCostlyError."""
        model = session.model
        if model is None or not model.ruleset.rules or self._is_decided(item, verdict):
            return False
        self._note_given(session)
        account = session.services.limits.account
        with account.page(item.page):
            if model.is_newest(item.page):
                return False
            is_kept = self._keep(session, item, verdict, self.first_verdict(model, item, verdict))
            group = self._complete(model, item, verdict)
        is_learned = group is not None and self._learned(session, model, group)
        if group is not None and is_learned:
            self._groups.remove(group)
        if is_kept:
            with account.page(item.page):
                self._used[_key(item)] = model.generation_of(item.page)
        return is_learned

    def _note_given(self, session: Session) -> None:
        """Note the templates known before the crawl: an earlier run of it began with none."""
        if self._given is None:
            self._given = () if session.is_resumed else tuple(session.learned.generations)

    def waits(self, item: PostPage) -> bool:
        """Return whether a page that seems to be a post is to be judged when all others are in."""
        return _key(item) in self._waiting

    def _is_decided(self, item: PostPage, verdict: Post | NotAPost) -> bool:
        """Return whether a page was judged by rules learned of all; a post is refused no more."""
        key = _key(item)
        if key in self._decided and isinstance(verdict, Post):
            self._refused.discard(key)
        return item.is_again or key in self._decided

    def first_verdict(
        self, model: BlogModel, item: PostPage, verdict: Post | NotAPost
    ) -> Post | NotAPost:
        """Return what is said of a page without rules learned in this crawl."""
        given = list(self._given or ())
        if model.generation_of(item.page) in (None, *given):
            return verdict
        first = replace(model, generations=given)
        return extract_post(item.page, first, item.entry, item.promised)

    def _keep(
        self, session: Session, item: PostPage, verdict: Post | NotAPost, first: Post | NotAPost
    ) -> bool:
        """Return whether the page is kept until all are in; ``first``: its verdict by the rules
        from before the crawl. Of those that no rules take for a post, and that others may, these
        are the first by their keys."""
        key = _key(item)
        is_refused = isinstance(first, NotAPost)
        if isinstance(first, NotAPost) and not _may_be_post(item, first):
            return False
        if isinstance(verdict, NotAPost) and self._is_last(key):
            return False
        try:
            self._pages = self._pages or Spool(session.services.folder)
            if key not in self._used:
                self._pages.put(key, item)
                self._used[key] = None
                self._fresh.add(key)
        except OSError:
            return False  # it is read by what was learned of other pages
        if is_refused and isinstance(verdict, Post):
            self._waiting.add(key)
        return True

    def _is_last(self, key: int) -> bool:
        """Add a page that seems to be no post; return whether it is the one too many."""
        self._refused.add(key)
        if len(self._refused) <= MAX_REFUSED:
            return False
        last = max(self._refused)
        self._refused.discard(last)
        self._used.pop(last, None)
        return last == key

    @property
    def wants_settling(self) -> bool:
        """Whether pages came since rules were last learned of all, and enough of all are read by
        no rules from before the crawl."""
        given = self._given or ()
        new = (used for used in self._used.values() if used is None or used not in given)
        return bool(self._fresh) and len(list(islice(new, ENOUGH_ALIKE))) == ENOUGH_ALIKE

    async def recall(self, session: Session) -> None:
        """Keep the pages that the newest rules don't read out of what earlier runs of this crawl
        have read, once."""
        if self.is_recalled:
            return
        self.is_recalled = True
        if session.model is None or not session.model.ruleset.rules:
            return
        self._note_given(session)
        async for item in earlier_pages(session):
            if _for_one(session, item, partial(session.learned.is_newest, item.page)) is False:
                self._take_up(session, item)
            await session.breathe()

    def _take_up(self, session: Session, item: PostPage) -> None:
        """Keep a page that an earlier run of the crawl has read."""
        key = _key(item)
        if key in self._used or (not item.is_again and self._is_last(key)):
            return
        self._pages = self._pages or Spool(session.services.folder)
        self._pages.put(key, item)
        self._used[key] = _EARLIER if item.is_again else None
        self._fresh.add(key)

    async def settle(self, session: Session) -> AsyncIterator[PostPage]:
        """Learn once more of all pages, in the order of their keys, where they have doubled since
        that was done; yield those that other rules read now than when they were extracted: posts
        that are archived, and pages that seemed to be none, which have a ``frontier_url``."""
        pages, keys = self._pages, self._fresh & self._used.keys()
        self._fresh = set()
        if pages is None:
            return
        if len(self._used) >= 2 * self._learned_of:
            keys, self._learned_of = {*self._used}, len(self._used)
            await self._learn_of_all(session, pages)
        model = session.learned
        for key in sorted(keys):
            if key not in self._used:
                continue  # among those that seem to be no posts it is one too many by now
            item: PostPage = pages.get(key)
            used = self._used[key]
            reader = _for_one(session, item, partial(model.generation_of, item.page))
            if reader != used or key in self._waiting:
                self._used[key] = reader
                if key in self._waiting:
                    self._waiting.discard(key)
                    self._refused.add(key)
                self._decided.add(key)
                yield item if key in self._refused else _again(item)
            await session.breathe()

    async def _learn_of_all(self, session: Session, pages: Spool) -> None:
        """Learn the templates of the pages that no rules read, each of one page and those most like
        it: the first by its key is likely of the template of most."""
        self._groups.clear()
        model = replace(session.learned, generations=list(self._given or ()))
        unread = dict[int, int]()
        for key in sorted(self._used):
            item: PostPage = pages.get(key)
            names = _for_one(session, item, partial(_unread_labels, model, item.page))
            if names is not None:
                unread[key] = _sketch(names)
            await session.breathe()
        for _ in range(MAX_GENERATIONS - len(model.generations)):
            group = _nearest(session, model, pages, unread)
            if group is None:
                break
            if self._learned(session, model, group):
                reads, first = model.generations[-1].reads, _sketch(group.labels)
                for key in [key for key in unread if _share(unread[key], first) >= LIKE]:
                    item = pages.get(key)
                    if _for_one(session, item, partial(reads, item.page)):
                        del unread[key]
                    await session.breathe()
            for item in group.items:
                unread.pop(_key(item), None)
        session.learned.generations = model.generations

    def _complete(
        self, model: BlogModel, item: PostPage, verdict: Post | NotAPost
    ) -> _Group | None:
        """Return the group of a page, which completes it; None where it does not."""
        if isinstance(verdict, NotAPost) or model.is_read(item.page):
            return None
        group = self._group(labels(item.page), MAX_GENERATIONS - len(model.generations))
        if group is None or len(group.items) >= ENOUGH_ALIKE:
            return None
        group.items.append(item)
        return group if len(group.items) == ENOUGH_ALIKE else None

    def _learned(self, session: Session, model: BlogModel, group: _Group) -> bool:
        """Do what ``_learn`` does, within limits."""
        return bool(_within(session, group.items, lambda: self._learn(session, model, group)))

    def _learn(self, session: Session, model: BlogModel, group: _Group) -> bool:
        """Return whether rules for a group were learned that read most of it, and on each page
        another text."""
        session.doing("posts of another template have come together: learning")
        pages = [each.page for each in group.items]
        samples = [Sample(page=each, entry=FeedEntry(url=each.url)) for each in pages]
        hints = Hints(links=_link_texts(session, group.items))
        pattern = PostPattern.learn(each.url for each in pages)
        new = Generation(tuple(sorted(group.labels)), learn_blog(samples, hints).ruleset, pattern)
        _inherit(new.ruleset.facts, model.ruleset.facts)
        if 2 * sum(map(new.reads, pages)) <= len(pages) or _is_of_template(new, pages):
            return False
        model.generations.append(new)
        return True

    def _group(self, names: frozenset[str], most: int) -> _Group | None:
        """Return the group of the template with these labels; None where there are too many. Groups
        that are learned from are none any more: pages that their rules don't read are of another
        template, though they have most of its labels."""
        alike = (group for group in self._groups if is_alike(group.labels, names))
        known = max(alike, key=lambda group: likeness(group.labels, names), default=None)
        if known is None and len(self._groups) < most:
            known = _Group(names, [])
            self._groups.append(known)
        return known


def _inherit(facts: SiteFacts, known: SiteFacts) -> None:
    """Add to the facts of a template what is the blog's, whatever template its pages are of."""
    facts.authors = known.authors
    facts.titles.common = sorted({*facts.titles.common, *known.titles.common})
    tags, usual = facts.tags, known.tags
    if tags is not None and usual is not None and usual.source in (None, tags.source):
        tags.template = {**usual.template, **tags.template}


def _key(item: PostPage) -> int:
    """Return a number that a page's address alone decides, and that spreads the pages evenly."""
    return key_hash(canonicalize(item.page.url))


class Templates:
    """Watches the posts of a crawl of which a feed has the text."""

    def __init__(self) -> None:
        self._fitting: deque[Sample] = deque(maxlen=KEPT)
        self._missed: list[PostPage] = []
        self._times = 0
        self.late: list[PostPage] = []
        """Posts that were extracted before the rules for them were learned."""

    def note(self, session: Session, item: PostPage, verdict: Post | NotAPost) -> bool:
        """Return whether ``session.model`` was learned anew because of this page, and fits it
        now. Raises TooCostlyError."""
        model = session.model
        if model is None or not item.promised:
            return False
        with session.services.limits.account.page(item.page):
            right = model.observe(item.page, verdict, item.entry)
        if right is None or item.entry is None or not item.entry.content_html:
            return False
        if right:
            self._fitting.append(Sample(page=item.page, entry=item.entry))
        else:
            self._missed.append(item)
        if right or len(self._missed) < ENOUGH or self._times >= MOST:
            return False
        return self._learn_anew(session, model)

    def _learn_anew(self, session: Session, model: BlogModel) -> bool:
        """Learn from the posts that were missed; return whether that serves both templates."""
        self._times += 1
        missed, self._missed = self._missed, []
        samples = [Sample(page=each.page, entry=each.entry) for each in missed if each.entry]
        new = _within(session, missed, lambda: self._learned(session, model, samples))
        if new is not None:
            shelve(session)
            session.use(new)
            self.late += [_again(each) for each in missed[:-1]]
        return new is not None

    def _learned(self, session: Session, old: BlogModel, missed: list[Sample]) -> BlogModel | None:
        """Return a model for both templates; None where it is no better."""
        session.doing("the rules miss posts of a new template: learning")
        feed = session.knowledge.post_feed if session.knowledge is not None else None
        new = learn_blog([*self._fitting, *missed], Hints(feed=feed))
        new.inherit(old)
        new.parts, new.pattern = old.parts, old.pattern or new.pattern
        gained = sum(_fits(new, sample) for sample in missed)
        kept = sum(_fits(new, sample) for sample in self._fitting)
        return new if 2 * gained > len(missed) and kept == len(self._fitting) else None


def _within(
    session: Session, items: Sequence[PostPage], work: Callable[[], Result]
) -> Result | None:
    """Return what is learned of several pages within what one of them may cost; None where they
    cost more: they pay for it by their sizes, and the dearest is named in the report."""
    account, began = session.services.limits.account, time.process_time()
    sizes = {item.page.url: len(item.page.body) for item in items}
    try:
        with account.batch(sizes):
            return work()
    except TooCostlyError as error:
        why = f"{error.url}, with others of its template ({error.message})"
        session.known.note(f"too costly to learn from: {why}")
        account.share(sizes, time.process_time() - began)
        return None


def _link_texts(session: Session, items: Sequence[PostPage]) -> dict[str, str]:
    """Return what links call these pages, by address; texts that several have say what to do, and
    some lead to comments."""
    urls = [each.frontier_url or each.page.url for each in items]
    texts = [session.frontier.link_text(url) for url in urls]
    times = Counter(texts)
    return {
        canonicalize(each.page.url): text
        for each, text in zip(items, texts, strict=True)
        if text and times[text] == 1 and not is_label(text)
    }


def _is_of_template(new: Generation, pages: Sequence[Page]) -> bool:
    """Return whether what the rules take for the content is the same on several pages: where posts
    are short, a sidebar has the most text."""
    rules = new.ruleset.rules.get("content", ())[:1]
    nodes = [content_node(page.tree, rule) for page in pages for rule in rules]
    texts = Counter(node_text(node) for node in nodes if node is not None)
    return max(texts.values(), default=0) >= SEVERAL


def _unread_labels(model: BlogModel, page: Page) -> frozenset[str] | None:
    """Return the labels of a page that no rules read."""
    return None if model.is_read(page) else labels(page)


def _nearest(
    session: Session, model: BlogModel, pages: Spool, unread: dict[int, int]
) -> _Group | None:
    """Return the first page with enough posts like it, and the posts that are most; None where
    there is none. Pages that are of no use for it are taken out of ``unread``."""
    while unread:
        first = min(unread)
        near = [key for key in unread if _alike(unread[key], unread[first])]
        near.sort(key=lambda key: (-_share(unread[key], unread[first]), key))
        items: list[PostPage] = []
        for key in near if len(near) >= ENOUGH_ALIKE else ():
            item: PostPage = pages.get(key)
            judged = partial(extract_post, item.page, model, item.entry, item.promised)
            if isinstance(_for_one(session, item, judged), Post):
                item.page.forget()
                items.append(item)
            else:
                del unread[key]
            if len(items) == ENOUGH_ALIKE:
                return _Group(labels(items[0].page), items)
        unread.pop(first, None)
    return None


def _sketch(names: Iterable[str]) -> int:
    """Return the labels of a page as bits, to compare it with many."""
    return reduce(or_, (1 << crc32(name.encode()) % SKETCH_BITS for name in names), 0)


def _share(one: int, other: int) -> float:
    """Return the ``likeness`` of two pages by their sketches."""
    return (one & other).bit_count() / max(1, (one | other).bit_count())


def _alike(one: int, other: int) -> bool:
    return 2 * _share(one, other) >= 1 or one == other


def _may_be_post(item: PostPage, verdict: NotAPost) -> bool:
    """Return whether a page that seems to be no post is worth a second look."""
    is_likely = 1 - verdict.confidence >= MIN_CHANCE
    return is_likely and item.frontier_url is not None and item.page.whole is None


def _for_one(session: Session, item: PostPage, work: Callable[[], Result]) -> Result | None:
    """Return what is found out of one page within its limit; None where that is not possible."""

    def limited() -> Result:
        with session.services.limits.account.page(item.page):
            return work()

    try:
        return session.attempt("learning from", item.page.url, limited)
    except TooCostlyError as error:
        session.known.note(f"too costly to learn from: {error.url} ({error.message})")
        return None


def _again(item: PostPage) -> PostPage:
    """Return the item as that of a post that is archived; the frontier is done with it."""
    item.page.forget()
    return replace(item, is_again=True, frontier_url=None)


def _fits(model: BlogModel, sample: Sample) -> bool:
    return (
        model.fits(sample.page, extract_post(sample.page, model, None, True), sample.entry) is True
    )
