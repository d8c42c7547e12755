"""What comes into the frontier: links and promises, folded to one row per page, scored, and put
into their cluster.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import filterfalse
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from blogcrawl.dom.links import Link
from blogcrawl.frontier.bookkeeping import (
    ARCHIVE,
    FLAVOURS,
    LISTED,
    NEIGHBOUR,
    REHOSTED,
    Ledger,
)
from blogcrawl.frontier.clusters import BELOW, is_list, last_name
from blogcrawl.frontier.store import (
    HUB,
    MAX_ANCHOR,
    PAGE,
    PENDING,
    POST,
    SHOWN_BY_POST,
    SHOWN_BY_SOURCE,
    SHOWN_LATER,
    Row,
    Store,
    key_hash,
    shown_by_cluster,
)
from blogcrawl.urls import tables
from blogcrawl.urls.canonical import Scope, canonicalize, clean, may_be_page, resource_kind
from blogcrawl.urls.post_pattern import (
    LIKELY,
    PostPattern,
    blind_score,
    shape_of,
)
from blogcrawl.urls.series import is_second
from blogcrawl.urls.shapes import addresses_above, is_trap, leads_elsewhere, part_number
from blogcrawl.urls.view_links import adding_views, view_links

Kind = Literal["post", "hub", "page"]
_NEIGHBOUR = frozenset({"next", "prev", "previous"})

SURE_PATH, SURE_SHARE = 8, 0.9
"""So many links of posts to posts by one tag path, and such a share of all by it, make its next
link a likely post: a theme's way to the older and newer post."""
PLACE_POSTS, PLACE_SHARE = 3, 0.5
"""So many likely posts at one place of a list (links of one tag path), more than such a share of
its links: the others there may be posts whose slug is one word, as ``/about`` is. Where such a
place has hardly anything else (SURE_SHARE) on lists of one kind, what further lists of that kind
have there may be posts whatever the address: of another theme, of another engine before."""


MAX_AWAY = 2_000
"""Links to other hosts that are kept until it is known whether these are the blog's."""
MAX_FILES = 1_000
"""Files among posts that a resumed crawl remembers."""


class Sighting(NamedTuple):
    """Where a URL was found, and as what."""

    kind: int
    depth: int = 0
    parent: int | None = None
    """Key of the page that links to it."""
    shown: int = 0
    belief: float = 0.0
    """Of a source, that it is a post."""
    flavour: str = ""

    @property
    def by_post(self) -> bool:
        """Whether the link is a post's to a page of unknown kind."""
        return self.kind == PAGE and self.shown == SHOWN_BY_POST


class _Found(NamedTuple):
    """A link of a page that may be followed."""

    key: str
    """Canonical URL."""
    ident: int
    link: Link
    lists: str | None
    """What it seems to list."""
    score: float | None
    """The pattern's of its URL; None where no post is known yet."""
    flavour: str = ""
    """Of its cluster, where that is decided."""


class Intake:
    """The frontier's side that pushes."""

    def __init__(self, store: Store, scope: Scope | None, follow_nofollow: bool) -> None:
        self.store = store
        self.write: Callable[[Callable[[], object]], object] = lambda commit: commit()
        """How what was written is committed. A crawl sets one that tries again what a full disk
        refuses.
        """
        self.ledger = Ledger(store)
        self.scope, self.follow_nofollow = scope, follow_nofollow
        self.pattern = PostPattern()
        self.sources_complete = False
        """Set by who asked the blog's sources: they were walked to their end (sitemap, paged feed,
        platform data).
        """
        self.listing: Callable[[Link], str | None] = lambda link: None
        """What a link seems to list before anything is learned: ``all`` posts, ``next`` page, a
        ``month``; set by who knows such words.
        """
        self.corrected: Callable[[str], bool | None] = lambda url: None
        """Whether the operator calls the page a post; None: no correction matches."""
        self.other_hosts: set[str] = set()
        """Hosts that are the blog's by other names: what is linked there is tried here."""
        self._origins: dict[str, str] = {}
        """Page that is tried here -> the host on which links have it."""
        self._away: dict[str, tuple[str, str, Link]] = {}
        """Pages that lists have on hosts of which nothing is known: host, list, link to here."""
        self._credit: dict[int, float] = {}
        self._paths: dict[int, list[int]] = {}
        """Tag path on posts' pages -> links to likely posts, links in all"""
        self._linked: dict[int, list[int]] = {}
        """Page under way -> likely posts that it links to."""
        self._onward: dict[int, list[int]] = {}
        """The same -> further pages of lists."""
        self._older: dict[int, list[int]] = {}
        """The same -> the page that it calls that of older posts, a known one too."""
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        """Kind of list and tag path on it -> links to likely posts, links in all, on lists that
        have some."""
        self._kinds_held: set[str] = set()
        """Kinds of addresses that only such places have shown to be posts'."""
        self._observed: dict[str, bool] = {}
        self._home_bit = 0
        self.files: set[str] = set(json.loads(store.note("files") or "[]"))
        """Canonical URLs of files that lists have among posts."""

    def learn_pattern(self, post_urls: Iterable[str], other_urls: Iterable[str] = ()) -> None:
        """Add what posts' URLs look like, before the links of the first page come in."""
        known = len(self._observed)
        for urls, is_post in ((post_urls, True), (other_urls, False)):
            for key in dict.fromkeys(map(canonicalize, urls)):
                if key not in self._observed:
                    self._observed[key] = is_post
                    self.pattern.add(key, is_post=is_post)
        if len(self._observed) == known:
            return
        self.store.note("taught", json.dumps(self._observed))
        self.write(self.store.commit)

    def push(
        self,
        url: str,
        kind: Kind = "page",
        *,
        depth: int = 0,
        anchor: str = "",
        tag_path: str = "",
        parent: str = "",
        belief: float = 0.0,
        is_archived: bool = False,
    ) -> bool:
        """Queue ``url`` unless it is known. ``post``: a source of the blog itself promises it, or
        the archive has it (``is_archived``); ``hub``: a source says it lists posts; ``page`` with a
        ``belief`` (0..1): a source lists it, and it may be a post.

        ``parent`` is the page that links to it. Scope is not asked here (``push_links`` does): what
        a source promises may lie elsewhere. True if the URL is new.
        """
        key = canonicalize(url)
        if kind == "page" and is_trap(key):
            return False
        shown, parent_id = 0, key_hash(canonicalize(parent)) if parent else None
        if (kind == "post" and not is_archived) or belief:
            shown = SHOWN_BY_SOURCE
        elif parent_id is not None:
            shown = self._shows(parent_id)
        link = Link(clean(url), anchor, tag_path)
        flavour = (
            LISTED if belief else ARCHIVE if kind == "hub" and self.listing(link) == "all" else ""
        )
        sighting = Sighting(FLAVOURS.index(kind), depth, parent_id, shown, belief, flavour)
        return self._insert(key, link, sighting)

    def push_links(self, page_url: str, links: Iterable[Link], depth: int = 0) -> int:
        """Queue what a page links to, as far as scope, resource kind and ``nofollow`` allow. How
        many URLs were new.
        """
        own = canonicalize(page_url)
        page = key_hash(own)
        shown = self._shows(page)
        by_post = shown == SHOWN_BY_POST
        links = list(links)
        found = list(self._followed(own, links, by_post=by_post))
        found += self._rehosted(own, links, found, by_post=by_post)
        found = found if by_post else _without_views(found)
        among = set() if by_post else self._among_posts(page_url, found)
        if not by_post:
            self._note_files(links, found)
        self._onward[page] = [
            one.ident for one in found if one.lists == "next" or is_second(one.key, own)
        ]
        known = self.store.known(one.ident for one in found)
        new: list[Row] = []
        for one in found:
            flavour = one.flavour or (
                ARCHIVE if one.lists == "all" else NEIGHBOUR if one.key in among else ""
            )
            kind = HUB if one.lists else PAGE
            sighting = Sighting(kind, depth + 1, page, shown, flavour=flavour)
            path = self._path(one.link)
            if one.ident in known:
                self._see_again(known[one.ident], one.key, one.link, path, sighting)
            else:
                new.append(self._row(one.key, one.ident, one.link, path, sighting, one.score))
        self.ledger.insert(new)
        return len(new)

    def note_older(self, url: str, older: Iterable[str]) -> None:
        """Note which pages (canonical) a list in flight calls those of its older posts."""
        self._older[key_hash(canonicalize(url))] = list(map(key_hash, older))

    def _may_follow(self, link: Link, own: str, *, by_post: bool) -> bool:
        """Return whether a link leads to a page. So does one called as a feed is ("/rss/") that
        stands where posts' links to their neighbours do, or those of lists to posts, if its address
        is like theirs otherwise."""
        if link.nofollow and not self.follow_nofollow:
            return False
        kind = resource_kind(link.url)
        if kind != "feed" or not self._is_post_but_for_slug(canonicalize(link.url)):
            return kind == "page"
        if by_post:
            return self._is_way_to_post(link, self._path(link))
        posts, links = self._places.get((shape_of(own), link.tag_path), (0, 0))
        return posts >= PLACE_POSTS and posts >= SURE_SHARE * links

    def _is_post_but_for_slug(self, key: str) -> bool:
        """Return whether an address would be like those of posts with another slug."""
        folder, _, slug = key.rstrip("/").rpartition("/")
        suffix = slug[len(slug.partition(".")[0]) :]
        return any(self._is_likely_here(f"{folder}/a-new-post{end}") for end in {"", suffix})

    def doubtful(self, page_url: str, links: Iterable[Link]) -> set[str]:
        """Return the links of a list that stand where most are likely posts, and would be likely
        ones with another slug: posts may be called "about", "2001" or "node.js"."""
        if self._shows(key_hash(canonicalize(page_url))) == SHOWN_BY_POST:
            return set()
        places: dict[str, set[str]] = defaultdict(set)
        for link in links:
            if may_be_page(link.url) and not self._is_outside(link.url):
                places[link.tag_path].add(canonicalize(link.url))
        found: set[str] = set()
        for keys in places.values():
            likely = set(filter(self.is_likely, keys))
            if _are_most(likely, keys - likely):
                found.update(filter(self._is_post_but_for_slug, keys - likely))
        return found

    def is_likely(self, key: str) -> bool:
        """Return whether the canonical URL is like those of posts."""
        return self.pattern.score_canonical(key) >= LIKELY

    def _is_mistaken(self, key: str, own: str) -> bool:
        """Return whether a link names another site without its scheme. The start page of a copy of
        several sites has such names for folders, and posts may be called so where others are."""
        is_start = self.scope is not None and own == self.scope.home_key
        return not is_start and leads_elsewhere(key, own) and not self.is_likely(key)

    def _is_outside(self, url: str) -> bool:
        return self.scope is not None and not self.scope.contains(url)

    def _followed(self, own: str, links: Iterable[Link], *, by_post: bool) -> Iterator[_Found]:
        """Yield the links of a page that may be followed."""
        seen = {own}
        for link in links:
            key = canonicalize(link.url)
            if key in seen or not self._may_follow(link, own, by_post=by_post):
                continue
            seen.add(key)
            if by_post and part_number(key, own):
                continue  # read with the post
            if self._is_outside(link.url) or is_trap(key) or self._is_mistaken(key, own):
                continue
            tag_path = f"{link.tag_path}[{link.rel}]" if link.rel else link.tag_path
            cleaned = Link(clean(link.url), link.anchor, tag_path, link.rel)
            score = self.pattern.score_canonical(key) if self.pattern.posts else None
            yield _Found(key, key_hash(key), cleaned, self.listing(link), score)

    def _rehosted(
        self, own: str, links: Iterable[Link], found: Sequence[_Found], *, by_post: bool
    ) -> list[_Found]:
        """Return links to other hosts as links to the blog's, where the page may be here: the host
        is another name of the blog's, as in copies of a blog that has moved, or on a list its links
        look like those to posts and stand among them.
        """
        if by_post and not self.other_hosts:
            return []
        moved = {
            canonicalize(link.url): (host, link)
            for host, link in self._moved_here(links, any_host=not by_post)
        }
        for known in found:
            moved.pop(known.key, None)
        here = list(self._followed(own, [link for _, link in moved.values()], by_post=by_post))
        if not by_post:
            self._learn_hosts(here, moved)
        places = set() if by_post else self._places_of_posts(own, found)
        tried = [one for one in here if self._is_tried(one, moved[one.key], own, places)]
        return [one._replace(flavour=REHOSTED) for one in tried]

    def _is_tried(
        self, one: _Found, moved: tuple[str, Link], own: str, places: Container[str]
    ) -> bool:
        """Return whether a link to another host is tried here; else keep one that may be a post's,
        until it is known whether the host is the blog's."""
        host, link = moved
        is_likely = (one.score or 0.0) >= LIKELY
        if host in self.other_hosts or (is_likely and link.tag_path in places):
            self._origins[one.key] = host
            return True
        if is_likely and len(self._away) < MAX_AWAY:
            self._away[one.key] = (host, own, link)
        return False

    def _learn_hosts(self, here: Iterable[_Found], moved: Mapping[str, tuple[str, Link]]) -> None:
        """Learn from links on a list that lead to another host where this one has a post at the
        same address: that host is the blog's."""
        likely = {one.ident: one.key for one in here if (one.score or 0.0) >= LIKELY}
        for row in self.store.known(likely).values() if likely else ():
            if row.promised or row.is_post:
                key = likely[row.key]
                self._origins[key] = moved[key][0]
                self._learn_host(key)

    def _places_of_posts(self, own: str, found: Sequence[_Found]) -> set[str]:
        """Return the places where a list, or others of its kind, has likely posts."""
        here = {path for path, (likely, _) in _by_place(found).items() if likely}
        kind = shape_of(own)
        return here | {
            path for (other, path), (posts, _) in self._places.items() if other == kind and posts
        }

    def _moved_here(self, links: Iterable[Link], *, any_host: bool) -> Iterator[tuple[str, Link]]:
        """Yield the links to other hosts with the host, as links to the blog's; of hosts that are
        no names of the blog's only with ``any_host``."""
        for link in links:
            host = urlsplit(link.url).netloc
            here = self._here(link.url) if any_host or host in self.other_hosts else None
            if here is not None:
                yield host, replace(link, url=here)

    def _learn_host(self, key: str) -> None:
        """Learn from a page that another host has in links and this one has as a post: that host is
        the blog's. What lists have shown there before is queued.
        """
        host = self._origins.get(key, "")
        if not host or host in self.other_hosts:
            return
        self.other_hosts.add(host)
        scheme = key.partition("://")[0]
        for name, page, moved in list(self._away.values()):
            if name == host:
                there = urlsplit(moved.url)._replace(scheme=scheme, netloc=host).geturl()
                self.push_links(page, [replace(moved, url=there)])

    def _here(self, url: str) -> str | None:
        """Return the address on the blog's host of a page of another host; None of its own."""
        home = urlsplit(self.scope.home_key if self.scope is not None else "")
        parts = urlsplit(url)
        if not home.netloc or parts.netloc == home.netloc or not self._is_outside(url):
            return None
        return parts._replace(scheme=home.scheme, netloc=home.netloc).geturl()

    def _among_posts(self, page_url: str, found: Sequence[_Found]) -> set[str]:
        """Return the links of a page that may be posts by where they stand: at positions where most
        are likely posts, those that would be with another slug, but lists; at positions where
        lists of this kind have had nothing else, all but lists.
        """
        among: set[str] = set()
        kind = shape_of(page_url)
        for path, (likely, others) in _by_place(found).items():
            if self._holds_posts(kind, path, likely, others):
                self._kinds_held.update(shape_of(key) for key in others if not is_list(key))
                among.update(k for k in (*likely, *others) if shape_of(k) in self._kinds_held)
            elif _are_most(likely, others):
                among.update(filterfalse(_is_taxonomy, filter(self._is_post_but_for_slug, others)))
        return among

    def _note_files(self, links: Iterable[Link], found: Sequence[_Found]) -> None:
        """Note the files (PDF and the like) to which a list leads where it has hardly anything but
        posts: they are posts that have no page."""
        known = len(self.files)
        places = _by_place(found)
        for link in links:
            likely, others = places.get(link.tag_path, ([], []))
            is_place = len(likely) >= PLACE_POSTS and len(others) <= (1 - SURE_SHARE) * len(likely)
            if is_place and resource_kind(link.url) == "file" and not self._is_outside(link.url):
                self._note_file(canonicalize(link.url))
        if len(self.files) > known:
            self.store.note("files", json.dumps(sorted(self.files)[:MAX_FILES]))

    def _note_file(self, key: str) -> None:
        if self.store.get(key_hash(key)) is None:  # else a page may be there, and is read
            self.files.add(key)

    def _is_likely_here(self, key: str) -> bool:
        return self.pattern.score_canonical(key, among_posts=True) >= LIKELY

    def _holds_posts(
        self, kind: str, path: str, likely: Sequence[str], others: Sequence[str]
    ) -> bool:
        """Return whether lists of a kind read before have had hardly anything but posts at a place;
        else count what this one has there."""
        posts, links = self._places.get((kind, path), (0, 0))
        if posts >= PLACE_POSTS and posts >= SURE_SHARE * links:
            return True
        if likely:
            counts = posts + len(likely), links + len(likely) + len(others)
            self._places[kind, path] = counts
        return False

    def belief(self, url: str, tag_path: str, score: float | None = None) -> float:
        """Return the probability that ``url`` is a post, by all that is known now; ``score`` is the
        pattern's, if it was asked.
        """
        word = self.corrected(url)
        if word is not None:
            return float(word)
        if score is not None:
            return score
        return self.pattern.score(url) if self.pattern.posts else blind_score(url, tag_path)

    def _shows(self, page: int) -> int:
        """Return the discovery source that a page's links belong to: posts' own links, or its
        cluster of listings.
        """
        row = self.ledger.flying.get(page)
        if row is None:
            return SHOWN_LATER
        return SHOWN_BY_POST if row.score >= LIKELY else shown_by_cluster(row.cluster)

    def _is_neighbour(self, link: Link, path: int | None, sighting: Sighting) -> bool:
        if sighting.flavour == NEIGHBOUR:
            return True
        return sighting.by_post and self._is_way_to_post(link, path)

    def _path(self, link: Link) -> int | None:
        return self.store.name_id(link.tag_path) if link.tag_path else None

    def _insert(self, key: str, link: Link, sighting: Sighting) -> bool:
        """Queue a link, or note that its page was seen again; return whether it is new."""
        ident = key_hash(key)
        known, path = self.store.get(ident), self._path(link)
        if known is not None:
            self._see_again(known, key, link, path, sighting)
            return False
        self.ledger.insert([self._row(key, ident, link, path, sighting)])
        return True

    def _row(
        self,
        key: str,
        ident: int,
        link: Link,
        path: int | None,
        sighting: Sighting,
        score: float | None = None,
    ) -> Row:
        """Return the row of a new page, with its cluster; ``score`` is the pattern's, if it was
        asked. A likely post is credited to the page that links to it.
        """
        kind, flavour = sighting.kind, sighting.flavour
        is_neighbour = self._is_neighbour(link, path, sighting)
        belief = self._believed(key, link, sighting, score)
        if sighting.by_post:
            self._count_path(path, belief >= LIKELY)
        if (kind, flavour) == (PAGE, "") and belief < LIKELY and self._is_below_post(key):
            flavour = BELOW
        elif is_neighbour and (belief < LIKELY or flavour == NEIGHBOUR):
            belief, flavour = max(belief, LIKELY), NEIGHBOUR
        if kind == HUB and belief >= LIKELY:
            kind, flavour = PAGE, ""
        if belief >= LIKELY:
            self._credit_parent(sighting.parent)
            self._note_linked(sighting.parent, ident)
        return Row(
            ident,
            link.url,
            self.ledger.cluster_for(key, kind, belief, flavour).ident,
            sighting.depth,
            kind,
            int(kind == POST),
            sighting.shown,
            belief,
            sighting.parent,
            link.anchor[:MAX_ANCHOR],
            path,
        )

    def _believed(self, key: str, link: Link, sighting: Sighting, score: float | None) -> float:
        """Return how likely the page of a link is a post."""
        if sighting.kind == POST:
            return 1.0
        belief = max(sighting.belief, self.belief(key, link.tag_path, score))
        return min(belief, LIKELY / 2) if sighting.flavour == REHOSTED else belief

    def _is_below_post(self, key: str) -> bool:
        """Return whether an address adds something to that of a post, or of a likely one."""
        above = {key_hash(address): address for address in addresses_above(key)}
        known = self.store.known(above)
        unknown = (address for ident, address in above.items() if ident not in known)
        return any(map(_is_likely_post, known.values())) or any(map(self.is_likely, unknown))

    def _credit_parent(self, parent_id: int | None) -> None:
        if parent_id is not None:
            self._credit[parent_id] = self._credit.get(parent_id, 0.0) + 1.0

    def _note_linked(self, parent_id: int | None, ident: int) -> None:
        """Note that a page links to a post, or a likely one."""
        if parent_id is not None:
            self._linked.setdefault(parent_id, []).append(ident)

    def _see_again(
        self, known: Row, key: str, link: Link, path: int | None, sighting: Sighting
    ) -> None:
        """Update what is known of a page by another link to it."""
        if self._is_neighbour(link, path, sighting) and _may_be_raised(known):
            self.ledger.raise_hope(known, key)
        if sighting.by_post:
            self._count_path(path, _is_likely_post(known))
        self._call(known, link, sighting)
        if known.promised or known.is_post or known.score >= LIKELY:
            self._note_linked(sighting.parent, known.key)
        if sighting.kind == POST and not known.promised:
            self.ledger.promise(known, key)
        elif sighting.shown:
            self._credit_listing(known, sighting.shown, sighting.parent)
            self.ledger.show(known, sighting.shown)

    def _call(self, known: Row, link: Link, sighting: Sighting) -> None:
        """Keep what a list calls a page that only posts have led to."""
        is_new = known.shown in (0, SHOWN_BY_POST) and not sighting.by_post
        if is_new and link.anchor and known.kind == sighting.kind == PAGE:
            self.store.call(known.key, link.anchor)

    def _count_path(self, path: int | None, likely: Any) -> None:
        """Count a link from a post's page by its tag path."""
        if path is not None:
            seen = self._paths.setdefault(path, [0, 0])
            seen[0] += bool(likely)
            seen[1] += 1

    def _is_way_to_post(self, link: Link, path: int | None) -> bool:
        """Return whether this link of a post's page is labelled as the next post, or has the tag
        path of such links.
        """
        return bool(_NEIGHBOUR & set(link.rel.split())) or self._leads_to_posts(path)

    def _leads_to_posts(self, path: int | None) -> bool:
        """Return whether posts lead to posts by this tag path, and hardly to anything else. Then
        what looks like none may be one all the same.
        """
        likely, seen = self._paths.get(path, (0, 0)) if path is not None else (0, 0)
        return likely >= SURE_PATH and likely >= SURE_SHARE * seen

    def _credit_listing(self, known: Row, shown: int, parent: int | None) -> None:
        """Credit a listing with a post that it shows for the first time, where only feed and start
        page had: windows of the newest posts.

        Else the first listing pages, which show just what these show, would be evidence that
        listings bring nothing. Not where the sources were walked to their end: then there is
        nothing to be learned from listings.
        """
        if self.sources_complete or not known.promised or shown == SHOWN_BY_POST:
            return
        home = self.home_bit()
        windows = SHOWN_BY_SOURCE if shown == home else SHOWN_BY_SOURCE | home
        if not known.shown & ~windows:
            self._credit_parent(parent)

    def home_bit(self) -> int:
        """Return the bit of what the start page shows, 0 before it is known."""
        if not self._home_bit and self.scope is not None:
            home = self.store.get(key_hash(self.scope.home_key))
            self._home_bit = shown_by_cluster(home.cluster) if home is not None else 0
        return self._home_bit


def _without_views(found: list[_Found]) -> list[_Found]:
    """Return the links of a list, those to views of the posts that it shows as no posts."""
    views = view_links((one.key, one.link.anchor) for one in found)
    views |= adding_views(one.key for one in found)
    return [one._replace(score=0.0) if one.key in views else one for one in found]


def _are_most(likely: Collection[str], others: Collection[str]) -> bool:
    """Return whether most links at a place are likely posts."""
    return len(likely) >= max(PLACE_POSTS, PLACE_SHARE * (len(likely) + len(others) + 1))


def _is_taxonomy(url: str) -> bool:
    """Return whether the address is that of a list; one of a page besides the posts may be a
    post's."""
    name = last_name(url)
    return name in tables.TAXONOMY_SEGMENTS or (is_list(url) and name not in tables.PAGE_SEGMENTS)


def _may_be_raised(known: Row) -> bool:
    """Return whether the page is pending and not believed to be a post yet."""
    return known.kind == PAGE and known.state == PENDING and known.score < LIKELY


def _is_likely_post(known: Row) -> Any:
    """Select pages that are posts, or likely ones if not read yet."""
    return known.promised or known.is_post or (known.score >= LIKELY and known.is_post is None)


def _by_place(found: Iterable[_Found]) -> dict[str, tuple[list[str], list[str]]]:
    """Return by place on the page the links that are likely posts, and the others but lists."""
    places: dict[str, tuple[list[str], list[str]]] = {}
    for one in found:
        if not one.lists and one.score is not None:
            place = places.setdefault(one.link.tag_path, ([], []))
            place[one.score < LIKELY].append(one.key)
    return places
