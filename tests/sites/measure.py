"""Learns a blog of this folder as a crawl would, extracts its other posts, and scores them field by
field.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.extraction.model import BlogModel, Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.similarity import fold, tokens

HERE = Path(__file__).parent
FIELDS = ("article", "f1", "title", "author", "date")
UNFED = 6
"""Pages that a blog without a feed is learned from."""


@dataclass
class Recorded:
    """One folder: pages with what they are."""

    name: str
    expected: dict[str, Any]
    pages: list[tuple[Page, dict[str, Any]]] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Recorded:
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        pages = [
            (Page(url=row["url"], body=(folder / row["file"]).read_bytes()), row)
            for row in expected["pages"]
        ]
        return cls(folder.name, expected, pages)

    def learn(self, only: str | None = None, *, with_feed: bool = True) -> BlogModel:
        """The model from the feed's entries; without a feed from some pages that nothing is known
        of.
        """
        home = next(page for page, row in self.pages if row["url"].endswith(".example/"))
        by_url = {page.url: page for page, _ in self.pages}
        feed = None
        if self.expected["feed"] and with_feed:
            feed = parse_feed(
                (HERE / self.name / self.expected["feed"]).read_bytes(),
                f"https://{self.name}.example/feed.xml",
            )
            samples = [Sample(page=by_url[entry.url], entry=entry) for entry in feed.entries]
        else:
            posts = [page for page, row in self.pages if row["post"]][-UNFED:]
            samples = [Sample(page=page, entry=FeedEntry(url=page.url)) for page in posts]
        return learn_blog(samples, Hints(home=home, feed=feed), only)


def dice_of(a: str, b: str) -> float:
    """Over bags of bigrams, unlike the measure that learning uses."""
    x, y = (Counter(itertools.pairwise(fold(text))) for text in (a, b))
    return 2 * sum((x & y).values()) / max(1, sum(x.values()) + sum(y.values()))


def token_f1(a: str, b: str) -> float:
    x, y = Counter(tokens(a)), Counter(tokens(b))
    return 2 * sum((x & y).values()) / max(1, sum(x.values()) + sum(y.values()))


def scores(post: Post | None, row: dict[str, Any]) -> dict[str, float]:
    """Of one page; a field that the blog does not have is left out."""
    text = html_text(row["html"])
    got = post.content_text if post else ""
    out = {"article": float(dice_of(got, text) >= 0.9), "f1": token_f1(got, text)}
    out["date"] = float(
        bool(
            post
            and post.published
            and post.published.date().isoformat() in (row["published"][:10], row["local_day"])
        )
    )
    out["author"] = float(bool(post and list(post.authors) == row["authors"]))
    if row["title"]:
        out["title"] = float(bool(post and fold(post.title or "") == fold(row["title"])))
    return out


def measure(site: Recorded, only: str | None = None, *, with_feed: bool = True) -> dict[str, float]:
    """Mean of every field over the posts that the feed does not have, and ``none``: pages taken for
    posts that are none.
    """
    model = BlogModel.from_json(
        json.loads(json.dumps(site.learn(only, with_feed=with_feed).to_json()))
    )
    rows: list[dict[str, float]] = []
    wrong = 0
    for page, row in site.pages:
        if row["post"] and not row["in_feed"]:
            result = extract_post(page, model, None, True, only)
            rows.append(scores(result if isinstance(result, Post) else None, row))
        elif not row["post"] and only is None:
            wrong += isinstance(extract_post(page, model), Post)
    out = {
        name: sum(row[name] for row in rows if name in row) / len(rows)
        for name in FIELDS
        if any(name in row for row in rows)
    }
    return out | {"none": float(wrong)}


def sites() -> list[str]:
    return sorted(path.parent.name for path in HERE.glob("*/expected.json"))


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    """Mean of every field over the blogs that have it."""
    out = {}
    for name in FIELDS:
        values = [row[name] for row in rows if name in row]
        out[name] = sum(values) / len(values)
    return out


if __name__ == "__main__":
    from blogcrawl.extraction import chain

    everything = [Recorded.read(HERE / name) for name in sites()]
    for site in everything:
        print(site.name.ljust(12), *(f"{k} {v:.3f}" for k, v in measure(site).items()))
    for method in [None, *chain.names()]:
        print(
            (method or "chain").ljust(12),
            *(
                f"{k} {v:.3f}"
                for k, v in mean([measure(site, method) for site in everything]).items()
            ),
        )
    for site in everything:
        print(
            "unfed",
            site.name.ljust(12),
            *(f"{k} {v:.3f}" for k, v in measure(site, with_feed=False).items()),
        )
