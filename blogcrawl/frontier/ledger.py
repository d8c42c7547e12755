"""Books of the frontier: every change of a URL's state goes through here, into the store, its cluster and the tally alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blogcrawl.frontier.clusters import LIKELY, Cluster
from blogcrawl.frontier.shapes import Shapes
from blogcrawl.frontier.store import ALIAS, DONE, FAILED, PENDING, Row, Store

POST, HUB, PAGE = range(3)
FLAVOURS: tuple[Literal["post", "hub", "page"], ...] = ("post", "hub", "page")
MAYBE = 0.05


@dataclass(slots=True)
class Tally:
    """Counts kept up to date, so that asking is free."""

    pending: int = 0
    done: int = 0
    failed: int = 0
    posts: int = 0
    promised: int = 0
    promised_pending: int = 0
    promised_linked: int = 0
    linked_only: int = 0
    """Likely or confirmed posts that no source promised."""
    audited: int = 0
    quiet: int = 0


class Ledger:
    """Opens with what the store holds: pages in flight when the process died are pending again."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.shapes = Shapes()
        self.clusters: dict[int, Cluster] = {}
        self.flying: dict[int, Row] = {}
        self.tally = Tally()
        self._restore()

    def cluster_for(self, key: str, kind: int, score: float) -> Cluster:
        """The cluster of a canonical URL; promised posts of a host share one queue."""
        if kind == POST:
            name = key.split("://", 1)[-1].partition("/")[0].partition("?")[0] + "|*|post"
        else:
            name = self.shapes.name(key, "hub" if kind == HUB else "likely" if score >= LIKELY else "maybe" if score > MAYBE else "")
        ident = self.store.name_id(name)
        if ident not in self.clusters:
            self.clusters[ident] = Cluster(ident, name)
        return self.clusters[ident]

    def insert(self, row: Row) -> None:
        self.store.insert(row)
        self.clusters[row.cluster].pending += 1
        self.tally.pending += 1
        if row.promised:
            self.tally.promised += 1
            self.tally.promised_pending += 1
        elif row.score >= LIKELY and row.linked:
            self.tally.linked_only += 1

    def sight(self, row: Row) -> None:
        """Another page links to a post that is known."""
        if self.store.sight(row.key) == 1 and row.promised:
            self.tally.promised_linked += 1

    def promise(self, row: Row, key: str) -> None:
        """What was a mere link is promised by a source now: it moves to the lane of promised posts."""
        waiting = self.store.state(row.key) == PENDING
        target = self.cluster_for(key, POST, 1.0) if waiting else self.clusters[row.cluster]
        self.store.promise(row.key, target.ident, POST)
        self.tally.promised += 1
        self.tally.promised_linked += row.linked > 0
        self.tally.linked_only -= row.score >= LIKELY and row.linked > 0
        if waiting:
            self._leave(row)
            target.pending += 1
            self.tally.pending += 1
            self.tally.promised_pending += 1
        flying = self.flying.get(row.key)
        if flying is not None:
            flying.promised, flying.score = 1, 1.0

    def _leave(self, row: Row) -> None:
        """A pending row leaves its cluster's queue."""
        cluster = self.clusters[row.cluster]
        cluster.pending -= 1
        cluster.choices = [c for c in cluster.choices if c.row.key != row.key]
        self.tally.pending -= 1
        self.tally.promised_pending -= row.promised

    def fly(self, row: Row) -> None:
        self._leave(row)
        self.store.fly(row.key)
        self.flying[row.key] = row

    def land(self, key: int) -> None:
        """From flight back to the queue."""
        row = self.flying.pop(key, None)
        if row is not None:
            self.store.land(key)
            self.clusters[row.cluster].pending += 1
            self.clusters[row.cluster].choices.clear()
            self.tally.pending += 1
            self.tally.promised_pending += row.promised

    def end(self, row: Row, state: int, gain: float, is_post: bool | None) -> None:
        """A page is dealt with; of a pending one too (fetched on another way)."""
        if self.flying.pop(row.key, None) is None and self.store.state(row.key) == PENDING:
            self._leave(row)
        self.store.end(row.key, state, gain, is_post)
        if state == ALIAS:
            self.tally.linked_only -= _linked_only(row)
            return
        self.clusters[row.cluster].learn(row.key, gain, is_post)
        self._count_end(row, state, gain, is_post)

    def _count_end(self, row: Row, state: int, gain: float, is_post: bool | None) -> None:
        tally = self.tally
        if state == FAILED:
            tally.failed += 1
            tally.linked_only -= _linked_only(row)
            return
        tally.done += 1
        if is_post or (is_post is None and row.promised):
            tally.posts += 1
            tally.linked_only += not row.promised and row.linked > 0 and not _linked_only(row)
            return
        tally.linked_only -= _linked_only(row) if is_post is False else 0
        tally.audited += 1
        tally.quiet = 0 if gain > 0 else tally.quiet + 1

    def correct(self, parent: int, delta: float) -> str | None:
        """Page ``parent`` was credited with a post too many or too few; its URL, to tell the estimator."""
        row = self.store.get(parent)
        if row is None:
            return None
        self.store.add_gain(parent, delta)
        self.clusters[row.cluster].correct(parent, delta)
        return row.url

    def _restore(self) -> None:
        for name_id, pending in self.store.pending_by_cluster().items():
            self._known(name_id).pending = pending
        for text in self.store.names().values():
            if "|" in text and text.rpartition("|")[2] in ("", "maybe", "likely", "hub"):
                self.shapes.remember(text)
        tally = self.tally
        for state, promised, is_post, likely, linked, count in self.store.tally():
            tally.pending += count * (state == PENDING)
            tally.promised += count * promised
            tally.promised_pending += count * promised * (state == PENDING)
            tally.promised_linked += count * promised * linked
            tally.done += count * (state == DONE)
            tally.failed += count * (state == FAILED)
            tally.posts += count * (state == DONE and (is_post == 1 or (is_post is None and promised)))
            found = linked and not promised and (is_post == 1 or (likely and is_post is None and state not in (FAILED, ALIAS)))
            tally.linked_only += count * bool(found)

    def replay(self, row: Row, gain: float, is_post: int | None, state: int) -> None:
        """A page that ended before the restart: what its cluster had learned of it."""
        self._known(row.cluster).learn(row.key, gain, None if is_post is None else bool(is_post))
        if state == DONE and not (is_post or (is_post is None and row.promised)):
            self.tally.audited += 1
            self.tally.quiet = 0 if gain > 0 else self.tally.quiet + 1

    def _known(self, ident: int) -> Cluster:
        if ident not in self.clusters:
            self.clusters[ident] = Cluster(ident, self.store.text(ident))
        return self.clusters[ident]


def _linked_only(row: Row) -> bool:
    return not row.promised and row.linked > 0 and row.score >= LIKELY
