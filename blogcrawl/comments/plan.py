"""What to ask for the comments of one post, and what the answers mean. Never fetches: URLs out,
pages in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Literal
from urllib.parse import quote

from blogcrawl.comments.announced import (
    MAX_PAGES,
    announced_feed,
    comment_pages,
    comments_elsewhere,
    page_number,
)
from blogcrawl.comments.embedded import drawn_systems, read_embedded, read_rendered
from blogcrawl.comments.merge import is_named, is_whole
from blogcrawl.comments.page_reader import Content, Look, extract_comments, look, merged
from blogcrawl.comments.records import CommentResult
from blogcrawl.comments.separate import Post, has_form, separated, signed, unnamed
from blogcrawl.comments.site import SiteComments, api_url, wordpress_post_number
from blogcrawl.comments.sources import (
    cut_short,
    feed_comments,
    folder_of,
    json_comments,
    json_pages,
    post_of,
    tail_of,
    wordpress_comments,
)
from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, Feed, FeedEntry
from blogcrawl.dates.edtf import LOCAL, Partial
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.induction.site_facts import SignedLines
from blogcrawl.rendering.systems import Carried, CommentSystem, carried_systems

Kind = Literal["api", "feed", "page", "endpoint", "replies"]
MAX_ASKS = 120
"""Requests for one post's comments; where it states more comments, as many as these, up to
``MAX_PAGES``: 10,000 comments take 200 pages of 50."""
NOT_THERE = frozenset({404, 410})
"""Of an API: an unknown post is no error for it."""
CUT = "more pages of comments than the {} requests of one post"


@dataclass(frozen=True, slots=True)
class Ask:
    """One address to fetch. ``record``: under which name the site remembers whether it answers."""

    url: str
    kind: Kind
    record: str = ""
    number: int = 1
    system: Carried | None = None
    parent: str = ""
    """Of kind ``replies``: the comment that they answer."""

    @property
    def carried(self) -> Carried:
        """``system``, of the kinds that ask one."""
        assert self.system is not None
        return self.system


@dataclass(slots=True, kw_only=True)
class CommentPlan:
    """The way to all comments of one post, best source first; the next step depends on what came so
    far.

    Drive it with ``requests()`` -> fetch -> ``receive(ask, page or None)`` until no requests are
    left, then ``result()``.
    """

    site: SiteComments
    page: Page
    """The post in its static form, where there is one."""
    rendered: Page | None = None
    entry: FeedEntry | None = None
    comment_feed: str | None = None
    content: Content = None
    language: str | None = None
    published: datetime | None = None
    signed: SignedLines | None = None
    """How the blog's readers sign, where that was learned."""
    max_asks: int = MAX_ASKS
    _told: dict[str, list[Comment]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _waiting: list[Ask] = field(default_factory=list)
    _steps: list[str] = field(default_factory=list)
    _more_pages: list[str] = field(default_factory=list)
    _complete: bool = False
    _taught: bool = False
    _seen: CommentResult = field(init=False)
    _look: Look = field(init=False)
    _systems: tuple[Carried, ...] = ()
    _post: str | None = None
    _unanswered: list[tuple[Ask, str]] = field(default_factory=list)
    _is_cut: bool = False

    def __post_init__(self) -> None:
        self.site.meet(self.page, self.entry)
        self._look = self._read(self.content)
        self.site.count_orders(self._look.seen.orders)
        self._seen = merged(self._look)
        if self.rendered is not None:
            self._prefer_drawn(self.rendered)
        drawn = drawn_systems(self.rendered) if self.rendered is not None else []
        by_name = {c.system.name: c for c in (*drawn, *carried_systems(self.page))}
        self._systems = tuple(by_name.values())
        self._more_pages = list(self._seen.more_urls) or (
            [] if self._seen.comments else comments_elsewhere(self.page)
        )
        self._post = wordpress_post_number(self.page)
        if self.rendered is not None:
            for position, comments in enumerate(
                read_rendered(self.rendered, tuple(c.system for c in self._systems))
            ):
                self._told[f"browser {position}"] = comments
        self._steps = ["api", "feed", "endpoint", "pages"]

    def _prefer_drawn(self, rendered: Page) -> None:
        """Read the page as a browser showed it where that shows more comments."""
        static = (self.page, self._look, self._seen)
        self.page = rendered
        self._look = self._read(self.content)
        seen = merged(self._look)
        if len(seen.comments) > len(self._seen.comments):
            self._seen = seen
        else:
            self.page, self._look, self._seen = static

    def _read(self, content: Content) -> Look:
        return look(
            self.page,
            self.site.reading,
            content=content,
            language=self.language,
            published=self.published,
        )

    @property
    def signs(self) -> int:
        """The highest number of comments that page or feed speak of; 0: none."""
        return max(self._seen.shown or 0, len(self._seen.comments), self._promised or 0)

    @property
    def denied(self) -> bool:
        """Page or feed say that there are none, and none stands there."""
        return self.signs == 0 and 0 in (self._seen.shown, self._promised)

    @property
    def _promised(self) -> int | None:
        """How many comments the post's feed entry states."""
        return self.entry.comments_count if self.entry else None

    def requests(self) -> list[Ask]:
        """Return what to fetch now; empty: nothing is left to ask."""
        while not self._waiting and self._steps:
            step = self._steps.pop(0)
            fresh = [a for a in getattr(self, f"_plan_{step}")() if a.url not in self._asked]
            self._asked.update(a.url for a in fresh)
            self._waiting = fresh
        left = max(0, self._most_asks - len(self._asked) + len(self._waiting))
        out, self._waiting = self._waiting[:left], []
        return out

    @property
    def _most_asks(self) -> int:
        return max(self.max_asks, min(self.signs, MAX_PAGES))

    def _plan_api(self) -> list[Ask]:
        root = self.site.find_api(self.page)
        self._post = self._post or self.site.numbers.get(tail_of(self.page.url))
        if root is None or self._post is None or self.denied:
            return []
        if self.site.swept:
            comments = self.site.by_post.get(self._post, [])
            self._take_api(comments, len(comments))
            return []
        return (
            [Ask(api_url(root, 1, post=self._post), "api", "api")]
            if self.signs or not self.site.hopeless("api silent")
            else []
        )

    @property
    def _seems_whole(self) -> bool:
        """The page shows as many comments as it or its feed entry states, each with words and a
        name, which the head of a pingback may lack. A page with a round number of comments may be
        one of several."""
        shown = self._seen.comments
        is_round = str(len(shown)).endswith("0")
        is_stated = self._seen.shown or self._promised
        is_all = self.signs == len(shown) and not is_round
        return bool(is_stated) and is_all and all(is_named(c) and c.content_text for c in shown)

    @property
    def _record(self) -> str:
        """Under which name the site remembers whether such pages say all of their comments: a
        theme may show less of mentions."""
        is_plain = all(comment.kind == "comment" for comment in self._seen.comments)
        return "page" if is_plain else "page of mentions"

    @property
    def _has_clock(self) -> bool:
        """The zone is known in which the page has its times, and was that in their years."""
        dates = [comment.published for comment in self._seen.comments]
        if any(date is not None and date.tzinfo == LOCAL for date in dates):
            return False
        return not self.site.reading.zones or all(map(self.site.knows_clock, self._years))

    @property
    def _years(self) -> set[int]:
        """The years in which the page has comments with a time."""
        dates = (comment.published for comment in self._seen.comments)
        return {date.year for date in dates if date and not isinstance(date.tzinfo, Partial)}

    @property
    def _is_whole(self) -> bool:
        """The page seems to show all, on a blog whose pages say all of their comments."""
        suffices = self.site.pages_suffice(self._record)
        return suffices and self._seems_whole and self._has_clock

    def _plan_feed(self) -> list[Ask]:
        if self._complete or self.denied or self._is_whole:
            return []
        if not self.signs and self.site.hopeless("feed silent"):
            return []
        url, record = self._feed_url()
        if url is None or self.site.hopeless(record):
            return []
        if self.signs > 25 and re.search(r"/feeds/\d+/comments/(?:default|full)$", url):
            url += "?max-results=500"  # Blogger's feeds show 25 unless asked, 500 at most
        return [Ask(url, "feed", record)]

    def _feed_url(self) -> tuple[str | None, str]:
        if self.entry and self.entry.comments_feed_url:
            return self.entry.comments_feed_url, "feed entry"
        if self.comment_feed:
            return self.comment_feed, "feed survey"
        announced = announced_feed(self.page)
        if announced:
            return announced, "feed link"
        if self.signs and re.search(
            r"/wp-(?:content|includes|json)/|wp-comments-post\.php", self.page.text
        ):
            url = self.page.url  # the folder of "/?p=12" has the feed of all posts
            return url + "&feed=rss2" if "?" in url else folder_of(url) + "/feed/", "feed guess"
        return None, ""

    def _plan_endpoint(self) -> list[Ask]:
        out = []
        for carried in self._systems:
            url = carried.page_url(1)
            if (
                url
                and carried.system.where == "endpoint"
                and not self.site.hopeless(f"endpoint {carried.system.name}")
            ):
                out.append(Ask(url, "endpoint", f"endpoint {carried.system.name}", 1, carried))
        return out

    def _plan_pages(self) -> list[Ask]:
        if self._complete or self._enough():
            return []
        self._teach()
        return [Ask(url, "page") for url in self._more_pages]

    def _teach(self) -> None:
        """Add what a better source has of this page to the samples of the site, once."""
        better = self._told.get("api") or self._told.get("feed")
        if better and not self._taught:
            self._taught = True
            self.site.add_sample(self.page, better[:60] if self.site.swept else better)

    def _enough(self) -> bool:
        shown = self._seen.shown
        return (
            shown is not None
            and len(
                {c.id for source in [*self._told.values(), self._seen.comments] for c in source}
            )
            >= shown
        )

    def is_unsure(self, ask: Ask) -> bool:
        """Return whether nothing is known of a source yet that other posts may have, too."""
        return any(map(self.site.is_untried, self._records(ask)))

    def is_hopeless(self, ask: Ask) -> bool:
        """Return whether a source need not be asked after all, by what others of its kind have
        answered since it was wanted."""
        return any(map(self.site.hopeless, self._records(ask)))

    def _records(self, ask: Ask) -> list[str]:
        """Return what decides whether the first request of a source is made."""
        if not ask.record or ask.number > 1:
            return []
        is_silent = not self.signs and ask.kind in ("api", "feed")
        return [ask.record, f"{ask.kind} silent"] if is_silent else [ask.record]

    def receive(self, ask: Ask, page: Page | None, failure: str | None = None) -> None:
        """The answer to ``ask``; None where there was none (error, forbidden).

        ``failure``: why there was none, where that may pass (429, 5xx, time-out): it says nothing
        of the source, which may exist.
        """
        if failure is not None:
            self._unanswered.append((ask, failure))
            return
        if ask.kind == "api" and page is not None and page.status in NOT_THERE:
            self.site.note_absent("api")
        good = page if page is not None and page.status == 200 else None
        getattr(self, f"_receive_{ask.kind}")(ask, good)

    def _receive_api(self, ask: Ask, page: Page | None) -> None:
        answer = wordpress_comments(page) if page is not None else None
        if ask.number == 1:
            self.site.note("api", answer is not None)
        if answer is None:
            return
        if not self.signs:
            self.site.note("api silent", answer.total > 0)
        self._take_api(list(chain.from_iterable(answer.comments.values())), answer.total)
        if ask.number == 1 and self.site.api_root and self._post:
            root, post = self.site.api_root, self._post
            numbers = range(2, answer.pages + 1)
            self._queue(Ask(api_url(root, n, post=post), "api", "api", n) for n in numbers)

    def _take_api(self, comments: list[Comment], total: int) -> None:
        self._told.setdefault("api", []).extend(comments)
        self._complete = len(self._told["api"]) >= max(total, self.signs) and total > 0

    def _receive_feed(self, ask: Ask, page: Page | None) -> None:
        feed = _parsed(page) if page is not None else None
        own = list(filter(self._is_own, feed_comments(feed))) if feed is not None else []
        if ask.number == 1:
            self._note_feed(ask, feed is not None, bool(own))
        if feed is None:
            if "?max-results=" in ask.url:
                self._queue([Ask(ask.url.split("?")[0], "feed", ask.record)])
            return
        self._told.setdefault("feed", []).extend(own)
        if own and ask.number < 40:
            self._queue(Ask(url, "feed", ask.record, ask.number + 1) for url in feed.next_urls[:1])

    def _note_feed(self, ask: Ask, is_there: bool, has_comments: bool) -> None:
        if not self.signs:
            self.site.note("feed silent", has_comments)
        self.site.note(ask.record, is_there)

    def _is_own(self, comment: Comment) -> bool:
        """Not of another post: some servers answer with the blog's comment feed."""
        if comment.url is None or "#" not in comment.url:
            return True
        theirs, ours = post_of(comment.url), post_of(self.page.url)
        return (
            theirs is None
            or ours is None
            or tail_of(theirs) == tail_of(ours)
            or (self.entry is not None and tail_of(theirs) == tail_of(self.entry.url))
        )

    def _receive_endpoint(self, ask: Ask, page: Page | None) -> None:
        comments = None if page is None else self._endpoint_comments(page, ask.carried.system)
        if ask.number == 1:
            self.site.note(ask.record, comments is not None)
        known = {c.id for c in self._told.get(ask.record, [])}
        fresh = [c for c in comments or () if c.id not in known]
        if page is None or not fresh:
            return
        self._told.setdefault(ask.record, []).extend(fresh)
        self._queue(self._missing_replies(ask, page))
        self._queue(self._next_endpoint_page(ask, page))

    @staticmethod
    def _next_endpoint_page(ask: Ask, page: Page) -> Iterator[Ask]:
        """Yield the request for what follows an endpoint's answer, unless it says that nothing
        does."""
        shape, number = ask.carried.system.shape, ask.number + 1
        pages = json_pages(page, shape) if shape is not None else None
        following = ask.carried.page_url(number)
        if following and (pages is None or number <= pages):
            yield Ask(following, "endpoint", ask.record, number, ask.system)

    def _endpoint_comments(self, page: Page, system: CommentSystem) -> list[Comment] | None:
        if system.shape is not None:
            return json_comments(page, system.shape, post_url=self.page.url)
        return [replace(c, source="api") for c in read_embedded(page, system)]

    @staticmethod
    def _missing_replies(ask: Ask, page: Page) -> Iterator[Ask]:
        """Yield requests for the replies that an endpoint's answer leaves out."""
        shape, template = ask.carried.system.shape, ask.carried.replies
        if shape is None or not template:
            return
        for number in cut_short(page, shape):
            url = template.replace("{id}", quote(number, safe=""))
            yield Ask(url, "replies", ask.record, ask.number, ask.system, number)

    def _receive_replies(self, ask: Ask, page: Page | None) -> None:
        known = {c.id for c in self._told[ask.record]}
        found = None if page is None else self._endpoint_comments(page, ask.carried.system)
        self._told[ask.record] += [
            replace(c, parent_id=c.parent_id or ask.parent)
            for c in found or ()
            if c.id not in known
        ]

    def _receive_page(self, ask: Ask, page: Page | None) -> None:
        if page is None:
            return
        seen = extract_comments(
            page,
            self.site.reading,
            content=self.content if isinstance(self.content, str) else None,
            language=self.language,
            published=self.published,
        )
        self._told[f"page {page_number(ask.url)} {ask.url}"] = list(seen.comments)
        if seen.comments:
            self._queue(Ask(url, "page") for url in comment_pages(page))

    def _queue(self, asks: Iterable[Ask]) -> None:
        for ask in asks:
            if ask.url in self._asked:
                continue
            if len(self._asked) >= self._most_asks:
                self._is_cut = True
                return
            self._asked.add(ask.url)
            self._waiting.append(ask)

    @property
    def on_page(self) -> CommentResult:
        """The comments that the page shows."""
        return self._seen

    def result(self) -> CommentResult:
        """All comments, merged. Teaches the site's rules by the way."""
        self._teach()
        if not self._look.is_read_by(self.site.reading):
            node = self._look.node
            self._look = self._read(self.content if node is None else node)
        self._confirm()
        found = merged(self._look, [source for source in self._told.values() if source])
        found = found if found.comments else self._separated(found)
        return replace(found, incomplete=self._lack(found))

    def _confirm(self) -> None:
        """Compare the page, as it is read by the rules known now, with what a better source says.
        Where a feed says no more than what the clock is, its comments are those of the page, as on
        the posts that it is not asked for."""
        better = self._told.get("api") or self._told.get("feed")
        if not better:
            return
        self.site.narrow(self._look.clock_of(better), self._years)
        whole = is_whole(merged(self._look).comments, better)
        if whole or (self._seems_whole and self._has_clock):
            self.site.note(self._record, whole)
        on_clock = self._look.on_clock_of(better)
        if self._may_drop_feed and is_whole(merged(on_clock).comments, better):
            self._look = on_clock
            del self._told["feed"]

    @property
    def _may_drop_feed(self) -> bool:
        return self._seems_whole and "api" not in self._told

    def _lack(self, found: CommentResult) -> str | None:
        """Return why comments may be lacking. A number that page or feed name decides."""
        stated = (found.shown, self._promised)
        number = max(count or 0 for count in stated)
        if number and len(found.comments) >= number:
            return None
        if self._unanswered:
            return self._lack_of(*self._unanswered[0])
        return CUT.format(self._most_asks) if self._is_cut else None

    def _lack_of(self, ask: Ask, reason: str) -> str | None:
        """Return why comments may be lacking where a source did not answer: of a page without
        comments, only if such a source had comments of other pages without any."""
        if not self.signs and ask.kind in ("api", "feed") and not self._has_answered(ask.kind):
            return None
        return f"{ask.kind} of comments: {reason}"

    def _has_answered(self, kind: Kind) -> bool:
        """Return whether such a source had comments of a page that shows no sign of any."""
        silent = self.site.records.get(f"{kind} silent")
        return silent is not None and silent.right > 0

    def _separated(self, none: CommentResult) -> CommentResult:
        """Return the last source: what the series of the blog's pages calls comments."""
        if self.denied:
            return none
        slot = self.site.separation()
        likely = bool(self.signs or self.site.rules or self._feed_url()[0] or has_form(self.page))
        post = Post(
            content=self._look.node,
            language=self.language,
            published=self.published,
            promised=self.signs,
            likely=likely,
        )
        if self.signed is not None:
            seen = signed(self.page, self.signed, self.site.reading, post)
            if seen.comments:
                return merged(replace(self._look, seen=seen))
        seen = (
            separated(self.page, slot, self.site.reading, post)
            if slot
            else unnamed(self.page, self.site.reading, post)
        )
        if not seen.comments and slot:
            seen = unnamed(self.page, self.site.reading, post)
        return merged(replace(self._look, seen=seen)) if seen.comments else none


def _parsed(page: Page) -> Feed | None:
    """Return the feed of an answer; None for other answers."""
    try:
        return parse_feed(page.body, page.url, page.headers)
    except FeedError:
        return None
