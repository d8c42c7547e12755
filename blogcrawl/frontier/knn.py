"""How many new posts will a page bring? Active distance-weighted k-nearest-neighbour regression
over links.

The idea is harvest-modern-weblogs 4.3 (Cover & Hart weights); what is new: hashed character n-grams
of URL, tag path and anchor in place of edit distance (one matrix product per batch in place of a
distance per pair), the target counts *new* posts only, recent observations weigh more (yields fall
as a blog is known), and memory is bounded with an eye to variety. No scikit-learn: the hashing is a
dozen lines of numpy and saves its second of import time.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blogcrawl.urls.parts import path_and_query

Floats = NDArray[np.float32]

CHANNELS = ((0x9E3779B1, 1.0, 96), (0x85EBCA77, 0.8, 96), (0xC2B2AE3D, 0.5, 40))
"""Per feature (URL, tag path, anchor): hash seed, weight, bytes read. Weights by the simulator of
tests/benchmarks/frontier.py.
"""
GRAMS = (3, 4)
BLOCK = 32
_DIGITS = re.compile(r"\d+")
OLD_WEIGHT = 0.05
"""What the oldest observation still weighs: what was learned of a rare shape is not forgotten while
thousands of others are read.
"""
NEWER_FIRST = 0.03
"""Similarity that the newest observation is given extra: among equals the newest are the
nearest."""
MAX_HALF_LIVES = 40.0
"""Older observations are all as old: 32-bit floats below 2**-126 are subnormal, and sums with such
cost many times as much.
"""
MAX_BUCKETS = 256
"""Shapes with a share of the memory of their own; further ones have one together. Every observation
beyond the capacity looks at each.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A link: ``url`` canonical; the rest as ``links.Link`` has it."""

    url: str
    anchor: str = ""
    tag_path: str = ""


def features(batch: Sequence[Example], width: int = 192) -> Floats:
    """Return signed hashed n-gram counts, one row of length 1 per example. Numbers count as one
    sign, the host not at all.
    """
    out = np.zeros((len(batch), width), dtype=np.float32)
    if not batch:
        return out
    columns = (
        ["/" + _DIGITS.sub("0", e.url.split("://", 1)[-1].partition("/")[2]) + "$" for e in batch],
        [e.tag_path for e in batch],
        [e.anchor.lower() for e in batch],
    )
    for texts, (seed, weight, limit) in zip(columns, CHANNELS, strict=True):
        part = _hashed([t.encode("utf-8", "replace") for t in texts], seed, limit, width)
        out += weight * part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-6)
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-6)
    return out


def _hashed(texts: list[bytes], seed: int, limit: int, width: int) -> Floats:
    """Hash all n-grams of all texts at once: a polynomial hash slides over the joined bytes."""
    texts = [t if len(t) <= limit else t[: limit // 2] + t[-limit // 2 :] for t in texts]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    joined = np.frombuffer(b"".join(texts), dtype=np.uint8).astype(np.uint32)
    rows = np.repeat(np.arange(len(texts)), lengths)
    total = np.zeros(len(texts) * width, dtype=np.float64)
    for n in GRAMS:
        if len(joined) < n:
            continue
        size = len(joined) - n + 1
        value = np.full(size, seed & 0xFFFFFFFF, dtype=np.uint32)
        for i in range(n):
            value = (value ^ joined[i : i + size]) * np.uint32(16777619)  # FNV-1a, 32 bit
        value ^= value >> np.uint32(15)
        inside = rows[:size] == rows[n - 1 :]
        value, row = value[inside], rows[:size][inside]
        sign = 1.0 - 2.0 * ((value >> np.uint32(31)) & np.uint32(1))
        total += np.bincount(
            row * width + (value % np.uint32(width)), weights=sign, minlength=len(total)
        )
    return total.reshape(len(texts), width).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Arrays over a batch: ``new_posts`` expected, ``is_post`` chance, ``nearest`` similarity
    (-1..1) of the closest observation.
    """

    new_posts: Floats
    is_post: Floats
    nearest: Floats


class YieldEstimator:
    """Learns link by link and answers in batches. It keeps at most ``capacity`` observations: the
    fullest shape of URL loses its oldest.
    """

    def __init__(
        self, capacity: int = 4000, k: int = 10, half_life: float = 150.0, width: int = 192
    ) -> None:
        self.capacity, self.k, self.half_life, self.width = capacity, k, half_life, width
        self._rows = np.zeros((0, width), dtype=np.float32)
        self._targets = np.zeros((0, 2), dtype=np.float32)
        self._observed_at = np.zeros(0, dtype=np.float32)
        self._where: dict[str, int] = {}
        self._buckets: dict[str, OrderedDict[str, None]] = {}
        self._pending: dict[str, Example] = {}
        self._clock = 0
        self._recent = np.zeros(2, dtype=np.float64)

    def __len__(self) -> int:
        return len(self._where)

    def observe(
        self,
        url: str,
        anchor: str = "",
        tag_path: str = "",
        target: float = 0.0,
        is_post: float = 0.0,
    ) -> None:
        """Add an observation: the page behind the link brought ``target`` new posts, and is (1) or
        is no post (0) itself.
        """
        self._clock += 1
        known = self._where.get(url)
        if known is None:
            known = self._room_for(url)
        self._targets[known] = target, is_post
        self._observed_at[known] = self._clock
        self._pending[url] = Example(url, anchor, tag_path)
        self._recent += (np.array([target, is_post]) - self._recent) / min(self._clock, 50)

    def correct(self, url: str, delta: float) -> None:
        """Add ``delta`` to an observation made before (a link thought to be a post was none, or the
        other way round).
        """
        at = self._where.get(url)
        if at is not None:
            self._targets[at, 0] += delta

    def ask(self, batch: Sequence[Example]) -> Estimate:
        """Return the estimates for a batch, in one matrix product; zeros before the first
        observation.
        """
        self._absorb()
        count = len(self._where)
        if not count or not batch:
            zero = np.zeros(len(batch), dtype=np.float32)
            return Estimate(zero, zero, zero - 1)
        similarity = features(batch, self.width) @ self._rows[:count].T
        age = (self._clock - self._observed_at[:count]) / self.half_life
        recency = np.exp2(-np.minimum(age, MAX_HALF_LIVES)).astype(np.float32)
        similarity += NEWER_FIRST * recency
        best = _top(similarity, min(self.k, count))
        near = np.clip(
            np.take_along_axis(similarity, best, axis=1) - NEWER_FIRST * recency[best], -1.0, 1.0
        )
        weight = (
            np.maximum(recency[best], OLD_WEIGHT) * np.clip(near, 0.0, 1.0) ** 2 / (1.05 - near)
        )
        # weight of the recent mean of all pages: a neighbour at similarity 0.65 weighs as much
        prior = 0.5
        answer = (np.einsum("bk,bkt->bt", weight, self._targets[best]) + prior * self._recent) / (
            weight.sum(axis=1, keepdims=True) + prior
        )
        answer = answer.astype(np.float32)
        return Estimate(answer[:, 0], answer[:, 1], near.max(axis=1).astype(np.float32))

    def _absorb(self) -> None:
        pending, self._pending = self._pending, {}
        if pending:
            at = [self._where[url] for url in pending]
            self._rows[at] = features(list(pending.values()), self.width)

    def _room_for(self, url: str) -> int:
        name = _bucket(url)
        if name not in self._buckets and len(self._buckets) >= MAX_BUCKETS:
            name = ""
        bucket = self._buckets.setdefault(name, OrderedDict())
        if len(self._where) < self.capacity:
            at = len(self._where)
            if at >= len(self._rows):
                size = min(self.capacity, max(64, 2 * len(self._rows)))
                self._rows = np.resize(self._rows, (size, self.width))
                self._targets = np.resize(self._targets, (size, 2))
                self._observed_at = np.resize(self._observed_at, size)
        else:
            fullest = max(self._buckets, key=lambda b: len(self._buckets[b]))
            victim, _ = self._buckets[fullest].popitem(last=False)
            if not self._buckets[fullest] and fullest != name:
                del self._buckets[fullest]
            self._pending.pop(victim, None)
            at = self._where.pop(victim)
        self._where[url] = at
        bucket[url] = None
        return at


def _top(values: Floats, k: int) -> NDArray[np.intp]:
    """Return columns of the ``k`` greatest of each row, in any order.

    The k greatest lie in the k blocks with the greatest maxima: a scan for those, then a partition
    of a few hundred values, takes a fifth of the time of a partition of the whole row.
    """
    rows, count = values.shape
    if count <= k:
        return np.tile(np.arange(count), (rows, 1))
    blocks = count // BLOCK
    if blocks <= 2 * k:
        return np.argpartition(values, count - k, axis=1)[:, count - k :]
    whole = values[:, : blocks * BLOCK].reshape(rows, blocks, BLOCK)
    lead = np.argpartition(whole.max(axis=2), blocks - k, axis=1)[:, blocks - k :]
    columns = (lead[:, :, None] * BLOCK + np.arange(BLOCK)).reshape(rows, -1)
    rest = np.tile(np.arange(blocks * BLOCK, count), (rows, 1))
    columns = np.concatenate([columns, rest], axis=1)
    chosen = np.take_along_axis(values, columns, axis=1)
    at = np.argpartition(chosen, chosen.shape[1] - k, axis=1)[:, chosen.shape[1] - k :]
    return np.take_along_axis(columns, at, axis=1)


def _bucket(url: str) -> str:
    """Return coarse shape for fair shares of memory: first segment, number of segments, names in
    the query.
    """
    path, query = path_and_query(url)
    segments = path.split("/")[1:]
    names = "&".join(sorted(item.partition("=")[0][:20] for item in query.split("&")[:6]))
    first = _DIGITS.sub("0", segments[0][:24]) if len(segments) > 1 else ""
    return f"{first}/{min(len(segments), 9)}?{names}"
