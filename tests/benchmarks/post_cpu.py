"""CPU of one post by stage: parsing and extraction, comments, packaging, storing, evidence.

    python tests/benchmarks/post_cpu.py [--posts 60] [--comments 10] [--corpus DIR --tools DIR
    [--ids a,b]] [--profile]

Over a generated blog (posts of 2,600 words, pages of a usual theme), or recorded ones (layout as in
extraction.py). One process; CPU time, so a busy machine changes little. Network and parsing of
Scrapy's own are not in it. The aim is 25 ms for extraction, comments and packaging together.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from blogcrawl.comments.plan import CommentPlan  # noqa: E402
from blogcrawl.comments.site import SiteComments  # noqa: E402
from blogcrawl.core.config import Config  # noqa: E402
from blogcrawl.core.page import Page  # noqa: E402
from blogcrawl.core.records import Blog  # noqa: E402
from blogcrawl.discovery.feeds import parse_feed  # noqa: E402
from blogcrawl.extraction.model import Hints, NotAPost, extract_post, learn_blog  # noqa: E402
from blogcrawl.induction.ruleset import Sample  # noqa: E402
from blogcrawl.packaging import ids  # noqa: E402
from blogcrawl.packaging.aip import EntryInput, entry_aip  # noqa: E402
from blogcrawl.packaging.parts import Stamp  # noqa: E402
from blogcrawl.storage.evidence import EvidenceWriter  # noqa: E402
from blogcrawl.storage.ocfl import open_store  # noqa: E402
from tests.benchmarks.twice import long_entries  # noqa: E402
from tests.crawling import blog as small  # noqa: E402

REQUEST, HEAD = (
    b"GET / HTTP/1.1\r\nhost: blog.test\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n",
)
STAGES = ("extraction", "comments", "packaging")
T = TypeVar("T")


class Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    def run(self, stage: str, work: Callable[[], T]) -> T:
        began = time.process_time()
        try:
            return work()
        finally:
            self.spent[stage] += time.process_time() - began


def generated(posts: int, comments: int) -> tuple[list[Sample], Hints, list[Page]]:
    entries = long_entries(posts)
    listed = "".join(
        f'<li class="comment" id="comment-{n}"><div class="comment-meta"><cite '
        f'class="fn">Reader {n}</cite> on '
        f'<time datetime="2024-06-{n % 28 + 1:02}T10:00:00+00:00">June {n % 28 + 1}, '
        f"2024</time></div>"
        f'<div class="comment-content"><p>What number {n} has to say of it, in so many '
        f"words.</p></div></li>"
        for n in range(comments)
    )
    tail = (
        (
            f'<section id="comments"><h2>{comments} comments</h2><ol '
            f'class="comment-list">{listed}</ol></section>'
        )
        if comments
        else ""
    )
    pages = []
    for e in entries:
        article = (
            f'<article class="post"><h1 class="post-title">{e.title}</h1><p class="byline">by '
            f'<span class="author">Ada Writer</span> on '
            f'<time datetime="{e.date.isoformat()}">{e.date:%d %B %Y}</time></p><div '
            f'class="entry">{small.content(e)}</div></article>{tail}'
        )
        url = "http://blog.test" + e.path
        pages.append(
            Page(
                url=url,
                body=small.page(e.title, article).encode(),
                headers={"content-type": "text/html; charset=utf-8"},
            )
        )
    feed = parse_feed(
        small.rss(entries[:10], "http://blog.test").encode(), "http://blog.test/feed.xml"
    )
    samples = [
        Sample(page=page, entry=entry) for page, entry in zip(pages[:10], feed.entries, strict=True)
    ]
    return samples, Hints(feed=feed), pages


def recorded(
    corpus: Path, tools: Path, only: Sequence[str], most: int, feed: str = "auto"
) -> Iterator[tuple[str, tuple[list[Sample], Hints, list[Page]]]]:
    from tests.benchmarks.extraction import load, open_blog

    for number, folder in enumerate(
        sorted(p for p in corpus.iterdir() if (p / "gold.jsonl").exists()), 1
    ):
        if only and folder.name not in only:
            continue
        blog = open_blog(tools, folder, number, feed)
        _, samples, hints = load(blog)
        found = (blog.page(row["path"]) for row in blog.gold[:: max(1, len(blog.gold) // most)])
        yield folder.name, (samples, hints, [page for page in found if page is not None])


def fresh(page: Page) -> Page:
    """Without the tree that learning has built."""
    return replace(page)


def one_blog(
    name: str, samples: list[Sample], hints: Hints, pages: Iterable[Page]
) -> tuple[str, float]:
    model = learn_blog(samples, hints)
    site, blog, clock = SiteComments(), Blog(url="http://blog.test/"), Clock()
    moment = datetime(2024, 6, 1, tzinfo=UTC)
    stamp = Stamp(created=moment, changed=moment, version=1)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Config(archive=folder))
        evidence = EvidenceWriter(Path(folder) / "evidence", info={})
        for page in map(fresh, pages):
            post = clock.run("extraction", lambda page=page: extract_post(page, model, None, True))  # type: ignore[misc]
            if isinstance(post, NotAPost):
                continue
            count += 1

            def comments(page: Page = page, post: Any = post) -> Any:
                plan = CommentPlan(
                    site=site,
                    page=page,
                    content=post.content_html,
                    language=post.language,
                    published=post.published,
                )
                while asks := plan.requests():
                    for ask in asks:
                        plan.receive(ask, None)
                return plan.result()

            result = clock.run("comments", comments)
            whole = replace(post, comments=result.comments, comments_shown=result.shown)
            source = EntryInput(
                blog=blog, post=whole, stamp=stamp, source=page.body, source_mime="text/html"
            )
            files = clock.run("packaging", lambda source=source: entry_aip(source))  # type: ignore[misc]
            key = ids.urn(ids.entry_id(whole.canonical_url))
            clock.run(
                "storing",
                lambda key=key, files=files: store.put(key, files, message="", created=moment),
            )  # type: ignore[misc]
            clock.run(
                "evidence",
                lambda page=page: evidence.exchange(
                    page.url, REQUEST, HEAD + page.body, date=moment
                ),
            )  # type: ignore[misc]
        evidence.close()
    each = {stage: 1000 * spent / max(1, count) for stage, spent in clock.spent.items()}
    total = sum(each.get(stage, 0.0) for stage in STAGES)
    parts = "  ".join(
        f"{stage} {each.get(stage, 0.0):5.1f}" for stage in (*STAGES, "storing", "evidence")
    )
    return f"{name:16} {count:4} posts  {parts}   ms CPU each; the first three {total:5.1f}", total


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--posts", type=int, default=60)
    options.add_argument("--comments", type=int, default=10)
    options.add_argument("--corpus", type=Path)
    options.add_argument("--tools", type=Path)
    options.add_argument("--ids", default="")
    options.add_argument("--profile", action="store_true")
    args = options.parse_args()
    profile = cProfile.Profile()
    if args.profile:
        profile.enable()
    if args.corpus:
        wanted = [name for name in args.ids.split(",") if name]
        totals = []
        for name, blog in recorded(args.corpus, args.tools, wanted, args.posts):
            line, total = one_blog(name, *blog)
            print(line, flush=True)
            totals.append(total)
        print(f"mean over blogs {sum(totals) / max(1, len(totals)):.1f} ms")
    else:
        print(one_blog("generated", *generated(args.posts, args.comments))[0])
    if args.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
