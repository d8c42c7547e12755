"""Templates that are learned while a crawl goes on: posts that the rules miss give rules for
themselves, and are extracted again with these when all others are in.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.extraction.model import (
    BlogModel,
    Generation,
    Hints,
    NotAPost,
    extract_post,
    learn_blog,
)
from blogcrawl.induction.fingerprint import is_alike, labels, likeness
from blogcrawl.induction.ruleset import Sample
from blogcrawl.lexicon.comment_words import is_label
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
MIN_CHANCE = 0.05
"""Probability of being a post from which such a page is worth a second look."""
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


class Generations:
    """Watches the posts of a crawl that no rule reads: older themes, other sections of the blog.

    Where enough pages of one template have come together, rules are learned for them by aligning
    them with each other.
    """

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._refused: list[tuple[frozenset[str], PostPage]] = []
        """Pages that no rule reads and that seemed to be no posts, with their labels."""
        self.late: list[PostPage] = []
        """Pages that were judged before the rules for them were learned: posts that are archived,
        and such as seemed to be none, which have a ``frontier_url``."""

    def note(self, session: Session, item: PostPage, verdict: Post | NotAPost) -> bool:
        """Return whether rules that read the page were learned because of it. Raises
        TooCostlyError."""
        model = session.model
        if model is None or not model.ruleset.rules:
            return False
        with session.services.limits.account.page(item.page.url):
            group = self._complete(model, item, verdict)
        return group is not None and bool(
            _within(session, group.items, lambda: self._learn(session, model, group))
        )

    def _complete(
        self, model: BlogModel, item: PostPage, verdict: Post | NotAPost
    ) -> _Group | None:
        """Return the group of a page, which completes it; None where it does not."""
        page = item.page
        if model.is_read(page):
            return None
        if isinstance(verdict, NotAPost):
            self._refuse(item, verdict)
            return None
        group = self._group(labels(page), MAX_GENERATIONS - len(model.generations))
        if group is None or len(group.items) >= ENOUGH_ALIKE:
            return None
        group.items.append(item)
        return group if len(group.items) == ENOUGH_ALIKE else None

    def _learn(self, session: Session, model: BlogModel, group: _Group) -> bool:
        """Return whether rules for a group were learned that read its last page."""
        session.doing("posts of another template have come together: learning")
        pages = [each.page for each in group.items]
        samples = [Sample(page=each, entry=FeedEntry(url=each.url)) for each in pages]
        hints = Hints(links=_link_texts(session, group.items))
        pattern = PostPattern.learn(each.url for each in pages)
        new = Generation(tuple(sorted(group.labels)), learn_blog(samples, hints).ruleset, pattern)
        facts, known = new.ruleset.facts, model.ruleset.facts
        facts.authors = known.authors
        facts.titles.common = sorted({*facts.titles.common, *known.titles.common})
        if not new.reads(pages[-1]):
            return False
        model.generations.append(new)
        self._groups.remove(group)
        self.late += _again(group.items[:-1])
        self.late += [each for names, each in self._refused if is_alike(names, group.labels)]
        self._refused = [each for each in self._refused if not is_alike(each[0], group.labels)]
        return True

    def _refuse(self, item: PostPage, verdict: NotAPost) -> None:
        """Keep a page that may turn out to be a post when rules for its template are learned."""
        may_be_one = item.frontier_url is not None and 1 - verdict.confidence >= MIN_CHANCE
        if may_be_one and item.page.whole is None and len(self._refused) < MAX_REFUSED:
            self._refused.append((labels(item.page), item))
            item.page.forget()

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
        with session.services.limits.account.page(item.page.url):
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
            self.late += _again(missed[:-1])
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


def _again(items: Sequence[PostPage]) -> list[PostPage]:
    """Return the items as those of posts that are archived; the frontier is done with them."""
    for item in items:
        item.page.forget()
    return [replace(item, is_again=True, frontier_url=None) for item in items]


def _fits(model: BlogModel, sample: Sample) -> bool:
    return (
        model.fits(sample.page, extract_post(sample.page, model, None, True), sample.entry) is True
    )
