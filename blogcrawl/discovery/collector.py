"""Gathers what the sources say into one SiteKnowledge: folds URLs, mends hosts, separates the posts
of a sitemap from its other pages.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.discovery.archives import hub_kind, in_menu
from blogcrawl.discovery.blog_record import add_posts
from blogcrawl.discovery.knowledge import (
    BROKE_OFF,
    MAX_CONTENTS,
    SiteKnowledge,
    UnreadSource,
    bare,
    merge_entries,
)
from blogcrawl.discovery.links import is_scoped
from blogcrawl.discovery.sitemaps import Sitemap, SitemapEntry
from blogcrawl.dom.links import Link, page_links
from blogcrawl.urls import tables
from blogcrawl.urls.canonical import Scope, canonicalize, entry_key, resource_kind, same_site
from blogcrawl.urls.post_pattern import PostPattern, is_list_address, is_year_address

MAX_ENTRIES = 200_000
MAX_SITEMAP_URLS = 200_000
IS_POST = 0.5
"""PostPattern's line between post and not."""
MAY_BE_POST = 0.04
"""Below this a sitemap's URL is no page that could be a post (tag, listing, file, other host)."""
YEAR_OR_NAME = 0.2
"""Belief in ``/1984.html``: the list of a year, or a post about a novel."""
IN_SECTION = 0.3
"""Belief in a page of another section, built like the one that holds the posts (``/notes/x`` under
a listing ``/notes``).
"""
MIN_SECTION = 2
"""Pages under a URL that make it a section's listing."""
MENU_DOUBT = 0.3
"""What a place in a menu leaves of the belief that a URL is a post."""
_POST_FOLDER = re.compile(
    (
        r"/(?:posts?|blog|articles?|entries|entry|news|writing|notes?|p)/[^/]+|/(?:19|"
        r"20)\d{2}/(?:\d{1,2}/)?(?:\d{1,2}/)?[^/]{3,}"
    ),
    re.IGNORECASE,
)


def _is_beside(url: str) -> bool:
    """Return whether a section holds no posts of its own by its name: labels, documentation."""
    names = set(urlsplit(url).path.casefold().split("/"))
    others = tables.DOCUMENTATION_SEGMENTS | tables.LABEL_SEGMENTS
    return is_scoped(url) or not names.isdisjoint(others)


class Collector:
    """Mutable side of a survey. ``knowledge`` is what others read."""

    def __init__(self, knowledge: SiteKnowledge, home_url: str, scope: Scope | None = None) -> None:
        self.knowledge = knowledge
        self.home_url = home_url
        self.scope = scope or Scope(home_url)
        self.rehost: dict[str, str] = {}
        """Host that feeds write -> scheme and host of the blog as reached."""
        self.evidence: set[str] = set()
        """Canonical URLs that a feed-like source described."""
        self.sitemap: dict[str, tuple[str, SitemapEntry, bool]] = {}
        """Canonical URL -> (sitemap, entry, its sitemap is named after posts)."""
        self.others: set[str] = set()
        """Canonical URLs that lists of other things (tags, authors, pages) hold."""
        self.menu: set[str] = set()
        """Canonical URLs in the home page's menus."""
        self.modified: list[tuple[str, datetime]] = []
        """Addresses and lastmods of all sitemaps that were read."""
        self.contents = 0
        self.home_paths: set[str] = set()

    @classmethod
    def resumed(cls, knowledge: SiteKnowledge, home: Page, scope: Scope | None) -> Collector:
        """On top of what an earlier survey has found."""
        collector = cls(knowledge, home.url, scope)
        collector.evidence = {
            key for key, sources in knowledge.promised.items() if sources - {"sitemap"}
        }
        collector.see_home(home)
        return collector

    def see_home(self, page: Page) -> None:
        """Remember where the home page's links lead: they prove which host serves which paths, and
        menus name pages that are no posts.
        """
        home = urlsplit(self.home_url)
        for link in page_links(page):
            parts = urlsplit(link.url)
            if parts.netloc == home.netloc and len(parts.path) > 1:
                self.home_paths.add(parts.path)
                if in_menu(link):
                    self.menu.add(canonicalize(link.url))

    # entries of feeds and interfaces

    def mend(self, entries: Iterable[FeedEntry], declared_home: str | None) -> list[FeedEntry]:
        """Return entries with dead or foreign hosts put right, and without a title that most have.

        A feed built elsewhere (``hugo server``: localhost; a mirror; an old domain) names a host
        that is not the blog's as reached. Its links are moved to the start URL's host when their
        host is not public, or when the feed calls that host its home and the home page links to the
        same paths here.
        """
        entries = list(entries)
        for host, count in Counter(urlsplit(e.url).netloc for e in entries).items():
            is_known = host in self.rehost or same_site(f"http://{host}/", self.home_url)
            if is_known or 2 * count < len(entries):
                continue
            paths = {urlsplit(e.url).path for e in entries if urlsplit(e.url).netloc == host}
            if self._is_alias(host, paths, declared_home):
                self.rehost[host] = self.home_url
                self.knowledge.other_hosts.append(host)
                self.knowledge.note(
                    f"feed links name {host}; the blog is at {urlsplit(self.home_url).netloc}: "
                    f"taken to be the same"
                )
        return [self._mend_one(e) for e in _without_common_title(entries)]

    def _is_alias(self, host: str, paths: set[str], declared_home: str | None) -> bool:
        """Return whether a feed's host can only mean the blog's own: no public name, or the feed's
        home with the same paths.
        """
        if not _named(host) or (not _public(host) and _public(urlsplit(self.home_url).netloc)):
            return True
        is_home = declared_home is not None and same_site(declared_home, f"http://{host}/")
        return is_home and bool(paths & self.home_paths)

    def _mend_one(self, entry: FeedEntry) -> FeedEntry:
        url = self.moved(entry.url)
        if not self.scope.contains(url):  # a link blog: the entry's link leads away
            own = (moved for each in entry.permalinks if self._is_page(moved := self.moved(each)))
            url = next(own, url)
        feed_url = self.moved(entry.comments_feed_url) if entry.comments_feed_url else None
        return (
            replace(entry, url=url, comments_feed_url=feed_url)
            if url != entry.url or feed_url != entry.comments_feed_url
            else entry
        )

    def _is_page(self, url: str) -> bool:
        """Return whether a page of the blog may be there, and not the start page."""
        return self.scope.contains(url) and canonicalize(url) != self.scope.home_key

    def moved(self, url: str) -> str:
        """Return ``url`` on the host where the blog was reached."""
        parts = urlsplit(url)
        if parts.netloc not in self.rehost:
            return url
        home = urlsplit(self.rehost[parts.netloc])
        return parts._replace(scheme=home.scheme, netloc=home.netloc).geturl()

    def add_entries(self, entries: Iterable[FeedEntry], source: str) -> int:
        """Merge posts that a feed-like source describes; how many of them no such source had
        described before.
        """
        known = self.knowledge
        new = 0
        for entry in self._in_scope(list(entries)):
            if len(known.entries) >= MAX_ENTRIES:
                break
            key = entry_key(entry.url)
            if key not in self.evidence:
                self.evidence.add(key)
                new += 1
            self._merge(key, replace(entry, source=source))
            if entry.comments_feed_url:
                known.comment_feeds.setdefault(key, entry.comments_feed_url)
        return new

    def _in_scope(self, entries: list[FeedEntry]) -> list[FeedEntry]:
        """Return the entries on the blog's site, which is widened where most lie outside; all where
        none is inside.
        """
        known = self.knowledge
        inside = self._inside(entries)
        if 2 * len(inside) < len(entries) and self.scope.widen([e.url for e in entries]):
            known.note("the posts lie outside of the start page's folder or host: scope widened")
            inside = self._inside(entries)
        if len(inside) in (0, len(entries)):
            return entries
        example = next(e.url for e in entries if not self.scope.contains(e.url))
        known.note(
            f"{len(entries) - len(inside)} feed entries lead to other sites (e.g. {example}): not "
            f"counted as posts"
        )
        return inside

    def _inside(self, entries: list[FeedEntry]) -> list[FeedEntry]:
        return [entry for entry in entries if self.scope.contains(entry.url)]

    def _merge(self, key: str, entry: FeedEntry) -> None:
        known = self.knowledge
        old = known.entries.get(key)
        had = bool(old and old.content_html)
        if not had and entry.content_html and self.contents >= MAX_CONTENTS:
            entry = bare(entry)
        merged = merge_entries(old, entry) if old else entry
        self.contents += bool(merged.content_html) - had
        known.entries[key] = merged
        known.promised.setdefault(key, set()).add(entry.source)

    # sitemaps

    def add_sitemap(self, sitemap: Sitemap, by_name: int) -> int:
        """Keep a sitemap's URLs until ``settle``; how many were new.

        ``by_name``: 1 for a sitemap named after posts, -1 after something else, 0 neither.
        """
        if sitemap.is_cut and by_name >= 0:
            self.knowledge.could_not_read(
                UnreadSource(url=sitemap.url, reason=BROKE_OFF, kind="sitemap")
            )
        new = 0
        for entry in sitemap.entries:
            url = self.moved(entry.loc)
            key = canonicalize(url)
            if entry.lastmod is not None and len(self.modified) < MAX_SITEMAP_URLS:
                self.modified.append((url, entry.lastmod))
            if by_name < 0:
                self.others.add(key)
                continue
            if len(self.sitemap) < MAX_SITEMAP_URLS and (
                key not in self.sitemap or (by_name > 0 and not self.sitemap[key][2])
            ):
                new += key not in self.sitemap
                self.sitemap[key] = (
                    sitemap.url,
                    replace(entry, loc=url) if url != entry.loc else entry,
                    by_name > 0,
                )
        return new

    def settle(self, *, late: bool = False) -> None:
        """Decide which URLs of the sitemaps are posts, compare the sources, bring the Blog record
        up to date.

        ``late``: posts are being read, some of those that are listed may be already. What the
        sitemap says of them is left out then: no record depends on which was read first.
        """
        known = self.knowledge
        posts = [known.entries[key].url for key in self.evidence if key in known.entries]
        pattern = PostPattern.learn(posts, self.others)
        named = any(by_name for _, _, by_name in self.sitemap.values())
        for key, entry, by_name, belief in self._beliefs(pattern):
            is_trusted = by_name or not named or bool(pattern.posts)
            listed = SitemapEntry(entry.loc) if late else entry
            self._settle(key, listed, belief, is_trusted=is_trusted)
        known.blog = add_posts(known.blog, known.entries.values())
        known.sitemap_posts |= self._posts_by_sitemap()
        known.sitemap_sizes |= Counter(url for url, _, _ in self.sitemap.values())
        self._compare()

    def _settle(self, key: str, entry: SitemapEntry, belief: float, *, is_trusted: bool) -> None:
        """Take a sitemap's URL for a post, for a candidate, or for neither. ``is_trusted``: its
        sitemap lists posts as far as known."""
        candidates = self.knowledge.candidates
        if key in self.evidence or (is_trusted and belief >= IS_POST):
            self._merge(key, _entry_of(entry))
            candidates.pop(key, None)
        elif belief >= MAY_BE_POST and len(candidates) < MAX_SITEMAP_URLS:
            candidates[key] = (entry.loc, round(belief, 3))

    def _beliefs(self, pattern: PostPattern) -> Iterator[tuple[str, SitemapEntry, bool, float]]:
        """Yield (canonical URL, entry, whether its sitemap is named after posts, how likely it is a
        post) of the sitemaps' URLs that are not settled yet.
        """
        known = self.knowledge
        folders = Counter(map(_folder, self.sitemap))
        has_sections = any(_folder(key) in self.sitemap for key in self.evidence)
        for key, (_, entry, by_name) in self.sitemap.items():
            if key in known.entries and "sitemap" in known.promised.get(key, ()):
                continue
            belief = self.belief(entry.loc, pattern, by_name=by_name)
            if belief < IS_POST and folders[key] >= MIN_SECTION:
                belief = 0.0  # a listing: the sitemap has what it lists
            elif belief > 0 and has_sections and self._is_section(_folder(key), folders):
                belief = max(belief, IN_SECTION)
            yield key, entry, by_name, belief

    def _is_section(self, folder: str, folders: Mapping[str, int]) -> bool:
        return folder in self.sitemap and folders[folder] >= MIN_SECTION

    def _posts_by_sitemap(self) -> dict[str, int]:
        """Return the number of posts that each fetched sitemap lists."""
        found = Counter({url: 0 for url, _, _ in self.sitemap.values()})
        found.update(
            url for key, (url, _, _) in self.sitemap.items() if key in self.knowledge.promised
        )
        return dict(found)

    def open_sections(self) -> list[str]:
        """Return listings of the sitemap right below which it has pages that no source calls posts
        yet, the fullest first; not those of documentation. ``settle`` before.
        """
        known = self.knowledge
        folders = {_folder(key) for key in self.sitemap}
        pages = Counter(
            _folder(key)
            for key in self.sitemap.keys() - known.promised.keys() - self.others - folders
        )
        found = sorted(
            (-count, self.sitemap[key][1].loc.rstrip("/") + "/")
            for key, count in pages.items()
            if key in self.sitemap
        )
        return [url for _, url in found if self.scope.contains(url) and not _is_beside(url)]

    def belief(self, url: str, pattern: PostPattern, *, by_name: bool) -> float:
        """Return how likely a sitemap's URL is a post, 0..1."""
        if self._is_other(url):
            return 0.0
        score = pattern.score(url) * (MENU_DOUBT if canonicalize(url) in self.menu else 1.0)
        listing = hub_kind(Link(url))
        is_open = (by_name or not pattern.posts) and not is_list_address(url)
        if listing == "month" and is_year_address(url):
            return YEAR_OR_NAME
        if listing and not (listing == "next" and (score >= IS_POST or is_open)):
            return 0.0  # /p/15 may be a page of a list or a post
        if by_name:
            return max(score, 0.6)
        in_folder = _POST_FOLDER.search(urlsplit(url).path) is not None
        if pattern.posts == 0:
            return 0.55 if in_folder else 0.3
        return max(score, 0.2 if in_folder else 0.05)

    def _is_other(self, url: str) -> bool:
        """Return whether a URL is the home page, a tag's or the like, a file, or another site's."""
        path, query = urlsplit(url)[2:4]
        key = canonicalize(url)
        is_home = (path in ("", "/") and not query) or key == canonicalize(self.home_url)
        if is_home or key in self.others:
            return True
        return resource_kind(url) != "page" or not self.scope.contains(url) or is_scoped(url)

    def _compare(self) -> None:
        """Note the posts that one source lists and another lacks."""
        known = self.knowledge
        promised = known.promised.items()
        in_feeds = {key.partition("#")[0] for key, sources in promised if sources - {"sitemap"}}
        in_sitemaps = {key for key, sources in promised if "sitemap" in sources}
        known.contradictions.clear()
        if in_sitemaps and in_feeds:
            self._contradict(in_sitemaps - in_feeds, in_feeds - in_sitemaps)
        if known.walked_to_end and known.expected_posts not in (None, len(in_feeds)):
            known.contradictions.append(
                f"the platform counts {known.expected_posts} posts, its pages list {len(in_feeds)}"
            )

    def _contradict(self, only_in_sitemaps: set[str], only_in_feeds: set[str]) -> None:
        known = self.knowledge
        if known.walked_to_end and only_in_sitemaps:
            known.contradictions.append(
                f"sitemap lists {len(only_in_sitemaps)} posts that the feed pages lack (e.g. "
                f"{known.entries[min(only_in_sitemaps)].url})"
            )
        if only_in_feeds:
            known.contradictions.append(
                f"feed lists {len(only_in_feeds)} posts that the sitemap lacks "
                f"(e.g. {min(only_in_feeds)})"
            )


def _entry_of(entry: SitemapEntry) -> FeedEntry:
    return FeedEntry(
        url=entry.loc,
        title=entry.title,
        published=entry.published,
        modified=entry.lastmod,
        source="sitemap",
        modified_raw=_iso(entry.lastmod),
        published_raw=_iso(entry.published),
    )


def _folder(key: str) -> str:
    """Return the canonical URL one step up."""
    return key.rsplit("/", 1)[0]


def _iso(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def _named(host: str) -> bool:
    """Return whether it is a name that could resolve in public: not localhost, not a bare word, no
    reserved ending (RFC 2606, 6761, 6762).
    """
    name = host.rsplit("@", 1)[-1].split(":")[0].lower()
    if host.startswith("[") or re.fullmatch(r"[0-9.]+", name):
        return True
    return "." in name and not name.endswith(
        (".localhost", ".local", ".test", ".example", ".invalid", ".internal", ".lan")
    )


def _public(host: str) -> bool:
    """False for names and addresses that only the writer's own machine or network knows."""
    name = host.strip("[]") if host.startswith("[") else host.split(":")[0]
    try:
        return ipaddress.ip_address(name.split("]")[0]).is_global
    except ValueError:
        return _named(host)


def _without_common_title(entries: list[FeedEntry]) -> list[FeedEntry]:
    """Return entries without the title that most of several have: the blog's name, or what kind of
    posts they are. What their pages are called counts."""
    titles = Counter(entry.title for entry in entries if entry.title)
    title, count = next(iter(titles.most_common(1)), (None, 0))
    if count < max(SEVERAL, MAJORITY * len(entries)):
        return entries
    return [replace(entry, title=None) if entry.title == title else entry for entry in entries]
