"""Does extraction keep what themes put into a post's element without a name? Parts are put into
every page of recorded blogs.

    theme_parts.py --corpus DIR --tools DIR [--ids a,b] [--parts share,teasers] [--feeds
    full,excerpt,none]

For each part and each kind of feed: share of the posts whose text is right (Dice, mean over blogs)
and of those that still have the part. Layout of the corpus as in extraction.py.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import lxml.html

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from blogcrawl.core.page import Page  # noqa: E402
from blogcrawl.core.records import FeedEntry, Post  # noqa: E402
from blogcrawl.extraction.model import Hints, extract_post, learn_blog  # noqa: E402
from blogcrawl.induction.ruleset import Sample  # noqa: E402
from tests.benchmarks.extraction import (  # noqa: E402
    Recorded,
    as_prediction,
    load,
    open_blog,
    page_of,
    stress_entry,
    tests_of,
    wanted,
)

MARK = "zzqx"
"""No blog's word: by it the part is known again."""
COVER = 0.93
"""Share of a post's words that its element must have."""
FEEDS = ("full", "excerpt", "none")


@dataclass
class Theme:
    """What parts are made of: other posts of the blog, sentences of another blog, and chance that
    is the same at every call.
    """

    posts: list[tuple[str, str]]
    foreign: list[str]
    chance: random.Random
    blog: str

    def sentence(self, chance: random.Random | None = None) -> str:
        chance = chance or self.chance
        words = chance.choice(self.foreign).split()
        start = chance.randrange(max(1, len(words) - 20))
        return " ".join(words[start : start + chance.randint(8, 18)]).capitalize()[:130] + "."

    def constant(self) -> str:
        """The same in every post of the blog."""
        chance = random.Random(self.blog)
        return " ".join(self.sentence(chance) for _ in range(2))

    def label(self) -> str:
        """A class that says nothing."""
        return "c" + hashlib.sha256(self.blog.encode()).hexdigest()[:5]

    def others(self, count: int) -> list[tuple[str, str]]:
        return self.chance.sample(self.posts, min(count, len(self.posts)))


def links(theme: Theme) -> str:
    before, after = (theme.others(2) * 2)[:2]
    return (
        f"<p><a href='{before[0]}'>« {before[1]} {MARK}</a> | <a "
        f"href='{after[0]}'>{after[1]} »</a></p>"
    )


def box(theme: Theme, inner: str) -> str:
    return f"<div class='{theme.label()}'>{inner}</div>"


def share(theme: Theme) -> str:
    anchors = " ".join(
        f"<a href='https://{name}.example/s'>{name}</a>" for name in ("one", "two", "three")
    )
    return box(theme, f"<span>Share {MARK}</span> {anchors}")


def related(theme: Theme) -> str:
    rows = "".join(f"<li><a href='{url}'>{name}</a></li>" for url, name in theme.others(4))
    return box(theme, f"<h3>More {MARK}</h3><ul>{rows}</ul>")


def teasers(theme: Theme) -> str:
    rows = (
        f"<h4><a href='{url}'>{name}</a></h4><p>{theme.sentence()} {theme.sentence()}</p>"
        for url, name in theme.others(3)
    )
    return box(theme, f"<h3>More {MARK}</h3>{''.join(f'<div>{row}</div>' for row in rows)}")


def byline(theme: Theme) -> str:
    return (
        f"<p>Posted by Ann {MARK} on {theme.chance.randint(1, 28)} March 2012 · "
        f"{theme.chance.randint(2, 99)} views</p>"
    )


PARTS: dict[str, Callable[[Theme], tuple[str, str]]] = {
    "share": lambda theme: ("", share(theme)),
    "related": lambda theme: ("", related(theme)),
    "teasers": lambda theme: ("", teasers(theme)),
    "author": lambda theme: ("", box(theme, f"<p><b>The writer</b> {MARK} {theme.constant()}</p>")),
    "paragraph": lambda theme: ("", f"<p>{MARK} {theme.constant()}</p>"),
    "neighbours": lambda theme: (links(theme), links(theme)),
    "byline": lambda theme: (byline(theme), ""),
}
"""HTML above and below the text."""


def words_of(text: str) -> Counter[str]:
    return Counter(word for word in re.findall(r"\w+", text.lower()) if len(word) > 1)


def node_of(tree: Any, text: str) -> Any:
    """Return the smallest element with the post's words that can hold parts, or None."""
    words = words_of(text)
    best = None
    for element in tree.iter("div", "article", "section", "main", "body"):
        inside = element.text_content()
        is_next = len(inside) >= 0.7 * len(text) and (best is None or len(inside) <= best[0])
        if is_next and (words_of(inside) & words).total() >= COVER * words.total() > 0:
            best = (len(inside), element)
    return best[1] if best is not None else None


def changed(page: Page, text: str, above: str, below: str) -> Page:
    """The page with HTML put at both ends of its post's element."""
    tree = lxml.html.document_fromstring(
        page.body, parser=lxml.html.HTMLParser(encoding=page.encoding)
    )
    node = node_of(tree, text)
    if node is None:
        return page
    for made in reversed(lxml.html.fragments_fromstring(above) if above else []):
        made.tail, node.text = node.text, None
        node.insert(0, made)
    for made in lxml.html.fragments_fromstring(below) if below else []:
        node.append(made)
    for meta in tree.xpath(
        "//meta[@charset or translate(@http-equiv,'CONTEYP','conteyp')='content-type']"
    ):
        meta.getparent().remove(meta)
    body = lxml.html.tostring(tree, encoding="utf-8")
    return Page(url=page.url, body=body, headers={"content-type": "text/html; charset=utf-8"})


def run(recorded: Recorded, foreign: list[str], part: str, feed: str) -> tuple[float, float] | None:
    """Share of right texts and of posts that kept the part; None where no post could be changed."""
    from metrics import score_case

    _, samples, hints = load(recorded)
    gold = {g["path"]: g for g in recorded.gold}
    plain = learn_blog(samples, hints)

    def with_part(page: Page, text: str) -> Page:
        own = unquote(urlsplit(page.url).path)
        posts = [
            (g["path"], g["title"])
            for g in gold.values()
            if g.get("title") and g["path"].removesuffix("index.html") != own
        ]
        theme = Theme(posts or [("/x", "X")], foreign, random.Random(part + page.url), recorded.id)
        return changed(page, text, *PARTS[part](theme))

    training = []
    for sample in samples:
        known = extract_post(sample.page, plain, sample.entry, True)
        page = with_part(sample.page, known.content_text if isinstance(known, Post) else "")
        entry = {
            "none": FeedEntry(url=page.url),
            "excerpt": stress_entry(sample.entry, "excerpt"),
        }.get(feed, sample.entry)
        training.append(Sample(page=page, entry=entry))
    if any(MARK.encode() not in sample.page.body for sample in training):
        return None
    model = learn_blog(
        training, Hints(home=hints.home, feed=None if feed == "none" else hints.feed)
    )
    right, kept = [], []
    for g in tests_of(recorded):
        page = page_of(recorded, g)
        page = with_part(page, g.get("content_text") or "") if page is not None else None
        if page is None or MARK.encode() not in page.body:
            continue
        post = extract_post(page, model, None, True)
        right.append(score_case(wanted(recorded, g), as_prediction(post)).get("succ", 0.0))
        kept.append(isinstance(post, Post) and MARK in post.content_text)
    return (sum(right) / len(right), sum(kept) / len(kept)) if right else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--ids", default="")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--feeds", default=",".join(FEEDS))
    args = parser.parse_args()
    folders = sorted(p.parent for p in args.corpus.glob("*/blog.json"))
    blogs = [open_blog(args.tools, folder, number) for number, folder in enumerate(folders, 1)]
    texts = [
        [g["content_text"] for g in blog.gold if len(g.get("content_text") or "") > 200]
        or ["a word"]
        for blog in blogs
    ]
    names = args.ids.split(",") if args.ids else [blog.id for blog in blogs]
    print(f"{'part':12}{'feed':10}{'blogs':>6}{'article':>9}{'kept':>7}")
    for part in args.parts.split(","):
        for feed in args.feeds.split(","):
            asked = [
                (blog, texts[(n + 1) % len(blogs)])
                for n, blog in enumerate(blogs)
                if blog.id in names
            ]
            rows = [
                row
                for blog, foreign in asked
                if (row := run(blog, foreign, part, feed)) is not None
            ]
            article, kept = (
                100 * sum(column) / max(1, len(rows)) for column in zip(*rows, strict=True)
            )
            print(f"{part:12}{feed:10}{len(rows):6}{article:9.1f}{kept:7.1f}", flush=True)


if __name__ == "__main__":
    main()
