"""A large archive, generated: for the benchmarks of the reading room and the search.

    python -m tests.benchmarks.large_archive DIR [--posts 50000] [--comments 10]

Words by Zipf and Mandelbrot's law over 200,000 words, a quarter of each post's words from 60 of its
own, posts of 350 words and comments of 45 (log-normal), in packages of an OCFL store that hold
records, with texts and HTML, but no files. 50 blogs, a few large ones and many small, each with
crawls and pages that were rejected.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from blogcrawl.core.config import Config
from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.filling import fill, open_index
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow
from blogcrawl.text.language import letters_of

WORDS, TAGS, AUTHORS, SITES = 200_000, 300, 200, 400
SHARES = (0.6, 0.2, 0.1, 0.05, *(0.05 / 46 for _ in range(46)))
"""Shares of the posts that the blogs have."""
START = datetime(2008, 1, 1, tzinfo=UTC)
NOTES = "benchmark.json"
"""What is known of an archive that was made, in its folder."""
SAMPLES = 1000
_SYLLABLES = [c + v for c in "b d f g k l m n p r s t v z ch st".split() for v in "aeiou"]


@dataclass(frozen=True)
class Made:
    """An archive: bytes of its text, its comments, and the addresses of some of its posts."""

    posts: int
    comments: int
    text_bytes: int
    fill_seconds: float
    """CPU time of filling its search index."""
    samples: tuple[str, ...]


class Language:
    """Words as frequent as those of a natural language; frequent ones are short."""

    def __init__(self, seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        rank = np.arange(1, WORDS + 1)
        weights = 1 / (rank + 2.7) ** 1.07
        self.sums = np.cumsum(weights / weights.sum())
        self.words = np.array(list(self._spellings()), object)

    def _spellings(self) -> Iterator[str]:
        for rank in range(WORDS):
            word, rest = "", rank
            while True:
                rest, digit = divmod(rest, len(_SYLLABLES))
                word += _SYLLABLES[digit]
                if not rest:
                    break
            yield word if rank % 3 else word + "n"

    def numbers(self, count: int) -> np.ndarray:
        return np.searchsorted(self.sums, self.random.random(count)).clip(0, WORDS - 1)

    def length(self, mean: float) -> int:
        return 3 + int(self.random.lognormal(np.log(mean) - 0.32, 0.8))

    def text(self, count: int, own: np.ndarray) -> str:
        numbers = self.numbers(count)
        mask = self.random.random(count) < 0.25
        numbers[mask] = self.random.choice(own, int(mask.sum()))
        return ". ".join(" ".join(self.words[numbers[at : at + 12]]) for at in range(0, count, 12))


def address(blog: int) -> str:
    return f"https://blog{blog}.example.org/"


def generated(count: int, comments: int) -> Iterator[tuple[str, Post]]:
    """Yield posts with the addresses of their blogs."""
    made = Language()
    blogs = made.random.choice(len(SHARES), count, p=np.array(SHARES) / sum(SHARES))
    for number in range(count):
        own = made.numbers(60) + 200
        own = own.clip(0, WORDS - 1)
        blog = address(int(blogs[number]))
        url = f"{blog}{number}-a-post-with-a-name-of-usual-length"
        said = tuple(_comment(made, one, own) for one in range(int(made.random.poisson(comments))))
        text = made.text(made.length(350), own)
        yield (
            blog,
            Post(
                url=url,
                canonical_url=url,
                title=made.text(6, own),
                authors=(f"Author {made.random.integers(AUTHORS)}",),
                tags=tuple(f"tag {one}" for one in made.random.integers(TAGS, size=3)),
                published=START + timedelta(hours=int(made.random.integers(150_000))),
                language="en",
                content_text=text,
                content_html=_html(text),
                comments=said,
            ),
        )


def _comment(made: Language, number: int, own: np.ndarray) -> Comment:
    text = made.text(made.length(45), own)
    author = f"Reader {made.random.integers(20_000)}"
    return Comment(id=str(number), author=author, content_text=text, content_html=_html(text))


def _html(text: str) -> str:
    words = text.split()
    paragraphs = (" ".join(words[at : at + 80]) for at in range(0, len(words), 80))
    return "".join(f"<p>{one}</p>" for one in paragraphs)


def text_of(post: Post) -> int:
    """Bytes of what a post and its comments say."""
    return sum(
        len(one.encode())
        for one in (post.title or "", post.content_text, *(c.content_text for c in post.comments))
    )


def build(config: Config, count: int, comments: int) -> Made:
    """Make the archive, without an index."""
    open_archive(config, now=START)
    size = said = 0
    samples: list[str] = []
    rng = random.Random(7)
    with closing(open_state(config)) as state:
        store = open_store(config)
        for number in range(len(SHARES)):
            _save_blog(state, number, rng)
        rows: list[PostRow] = []
        for number, (blog, post) in enumerate(generated(count, comments)):
            size += text_of(post)
            said += len(post.comments)
            if number % max(1, count // SAMPLES) == 0:
                samples.append(post.url)
            version = store.put(
                ids.urn(ids.entry_id(post.canonical_url)),
                {POST_JSON: encode(post_to_json(post))},
                message="m",
                created=START,
            )
            rows.append(_row(ids.blog_id(blog), post, version.object_id, number, rng))
            if len(rows) == 1000 or number == count - 1:
                state.save(*rows)
                rows = []
    return Made(count, said, size, 0.0, tuple(samples))


def _row(blog_id: str, post: Post, object_id: str, number: int, rng: random.Random) -> PostRow:
    seen = START + timedelta(days=6500, seconds=number)
    return PostRow(
        blog_id=blog_id,
        url=post.canonical_url,
        title=post.title,
        published=post.published,
        content_digest="0" * 64,
        comment_count=len(post.comments),
        aip_id=object_id,
        aip_version=1,
        first_seen=seen,
        last_seen=seen,
        language=post.language,
        letters=letters_of(post.content_text),
        links=tuple(f"site{int(SITES * rng.random() ** 3)}.example" for _ in range(3)),
    )


def _save_blog(state: SqlState, number: int, rng: random.Random) -> None:
    """Save a blog with twenty crawls."""
    home = address(number)
    blog = ids.blog_id(home)
    rejected = [
        {"url": f"{home}tag/{n}", "reason": "a list", "probability": 0.1, "title": f"Tag {n}"}
        for n in range(300)
    ]
    state.save_blog(
        BlogRow(
            id=blog,
            url=home,
            title=f"Generated blog {number}",
            record={"language": rng.choice(["en", "de", "ar"]), "platform": "WordPress"},
            model={"stages": {"rejected": rejected}},
            last_crawl=START + timedelta(days=6500),
            health="ok",
        )
    )
    for crawl in range(20):
        began = START + timedelta(days=6000 + crawl)
        state.save(
            CrawlRow(
                id=f"{blog}-{crawl}",
                blog_id=blog,
                spider="UpdateCrawl",
                started=began,
                ended=began,
                outcome="finished",
                counts={"requests": 90 + crawl, "posts_archived": 5 + crawl, "posts_changed": 2},
                report={
                    "completeness": {"status": "complete", "share": 0.99, "reasons": ["so"]},
                    "missing": rejected[:50],
                    "rejected": rejected,
                },
            )
        )


def made_in(folder: Path, count: int, comments: int) -> Made:
    """Make an archive with its search index, or return what is known of the one that is there."""
    notes = folder / NOTES
    if notes.exists():
        found = json.loads(notes.read_text())
        return Made(**{**found, "samples": tuple(found["samples"])})
    config = Config(archive=str(folder))
    made = build(config, count, comments)
    with closing(open_state(config)) as state:
        store = open_store(config)
        with closing(open_index(config, state, store)) as index:
            began = time.process_time()
            fill(state, store, index)
            index.settle()
            spent = round(time.process_time() - began, 1)
    known = {**vars(made), "fill_seconds": spent}
    notes.write_text(json.dumps(known))
    return Made(**known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--posts", type=int, default=50_000)
    parser.add_argument("--comments", type=int, default=10)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    made = made_in(given.folder, given.posts, given.comments)
    print(f"{made.posts} posts, {made.comments} comments, {made.text_bytes / 1e6:.1f} MB of text")


if __name__ == "__main__":
    main()
