"""Learn blogs and extract their posts in several modes, and score every field."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from lxml import html as lxml_html

from blogcrawl.comments import extract_comments, learn_comments
from blogcrawl.comments.records import CommentRules
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Post
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.extraction.model import BlogModel, Hints, extract_post, learn_blog
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import Sample
from blogcrawl.text.similarity import folded
from tests.benchmarks.comments import BlogFiles, comment_numbers
from tests.benchmarks.extraction import (
    LIST_PAGE,
    Recorded,
    as_prediction,
    load,
    open_blog,
    page_of,
    stress_samples,
    tests_of,
    wanted,
)
from tests.sites import measure as sites

MODES = ("feed", "excerpt", "nofeed", "alone")
COMMENT_COLUMNS = ("comments", "cauthor", "cdate")
COLUMNS = (
    *("article", "f1", "title", "author", "date", "tags", "pictures", "kind"),
    *COMMENT_COLUMNS,
)
LISTS = 4
"""Pages of a blog that are no posts which are judged."""
SAMPLES = 10
Scores = dict[str, float]


@dataclass
class Case:
    """A page of a post with what is true of it."""

    url: str
    body: bytes
    headers: dict[str, str]
    truth: dict[str, Any]
    tags: frozenset[str]
    pictures: frozenset[str]

    def page(self) -> Page:
        return Page(url=self.url, body=self.body, headers=self.headers)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _means(rows: list[Scores]) -> Scores:
    return {
        name: _mean(values)
        for name in COLUMNS
        if (values := [row[name] for row in rows if name in row])
    }


class CorpusBlog:
    """A recorded blog whose main feed is cut; its other posts are the test."""

    def __init__(self, tools: Path, folder: Path, number: int, posts: int) -> None:
        self.name = folder.name
        self._tools, self._folder, self._number = tools, folder, number
        self._recorded: Recorded = open_blog(tools, folder, number)
        self._posts = posts

    @cached_property
    def _entries(self) -> dict[str, FeedEntry]:
        """The entries of the whole feed by path: they name the tags of the posts behind the cut."""
        whole = open_blog(self._tools, self._folder, self._number, None)  # type: ignore[arg-type]
        page = whole.page(whole.meta["main_feed"]) if whole.meta["main_feed"] else None
        if page is None:
            return {}
        entries = parse_feed(page.body, page.url, page.headers).entries
        return {unquote(urlsplit(entry.url).path).strip("/"): entry for entry in entries}

    @cached_property
    def cases(self) -> list[Case]:
        gold = sorted(tests_of(self._recorded), key=lambda g: (g.get("date") or "", g["path"]))
        return [case for g in spread(gold, self._posts) if (case := self._case(g)) is not None]

    def _case(self, g: dict[str, Any]) -> Case | None:
        page = page_of(self._recorded, g)
        if page is None:
            return None
        path = unquote(g["path"]).strip("/")
        entry = self._entries.get(path) or self._entries.get(path.removesuffix("/index.html"))
        tags = frozenset(map(folded, entry.tags)) if entry is not None else frozenset()
        pictures = frozenset(_pictures(g.get("content_html") or "", page))
        truth = wanted(self._recorded, g)
        return Case(page.url, page.body, dict(page.headers), truth, tags, pictures)

    @cached_property
    def lists(self) -> list[tuple[str, bytes]]:
        """Pages whose addresses are those of lists."""
        gold = {g["path"] for g in self._recorded.gold}
        names = [
            name
            for name in sorted(self._recorded.blog.files)
            if name.endswith(".html")
            and f"/{name}" not in gold
            and LIST_PAGE.search("/" + name.removesuffix("index.html"))
        ]
        return [
            (
                self._recorded.blog.origin + quote("/" + name.removesuffix("index.html")),
                self._recorded.blog.load(name)[0],
            )
            for name in spread(names, LISTS)
        ]

    @cached_property
    def _learned_from(self) -> tuple[list[tuple[Page, FeedEntry]], Page | None, Feed | None]:
        """Pages with their entries, the start page and the feed; of a blog without a feed pages of
        posts that are not tested.
        """
        if self._recorded.meta["main_feed"]:
            feed, samples, hints = load(self._recorded)
            if samples:
                return [(s.page, s.entry) for s in samples[:SAMPLES]], hints.home, feed
        tested = {case.url for case in self.cases}
        pages = [page_of(self._recorded, g) for g in spread(self._recorded.gold, 2 * SAMPLES)]
        seeds = [page for page in pages if page is not None and page.url not in tested][:SAMPLES]
        home = self._recorded.page(urlsplit(self._recorded.blog.start).path or "/")
        return [(page, FeedEntry(url=page.url)) for page in seeds], home, None

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that differ: a blog without a feed has but two."""
        return MODES if self._learned_from[2] is not None else ("nofeed", "alone")

    def model(self, mode: str) -> BlogModel:
        """The model of the blog, from new pages: those of before hold caches."""
        rows, home, feed = self._learned_from
        samples = [Sample(page=_renewed(page), entry=entry) for page, entry in rows]
        hints = Hints(home=_renewed(home) if home is not None else None, feed=feed)
        if mode == "alone":
            return learn_blog([])
        if mode == "nofeed":
            samples = [Sample(page=s.page, entry=FeedEntry(url=s.page.url)) for s in samples]
            hints = replace(hints, feed=None)
        if mode == "excerpt":
            samples = stress_samples(samples, "excerpt")
        return learn_blog(samples, hints)

    def scores(self, mode: str) -> Scores:
        model = self.model(mode)
        rows = [
            self._score(case, extract_post(case.page(), model, None, True)) for case in self.cases
        ]
        if mode == self.modes[0]:
            rows += [
                {"kind": float(isinstance(extract_post(case.page(), model), Post))}
                for case in self.cases
            ]
            for url, body in self.lists:
                page = Page(url=url, body=body, headers={"content-type": "text/html"})
                rows.append({"kind": float(not isinstance(extract_post(page, model), Post))})
        return _means(rows)

    @staticmethod
    def _score(case: Case, result: Any) -> Scores:
        from metrics import score_case  # type: ignore[import-not-found]

        names = {"succ": "article", "tok_f1": "f1", "title_exact": "title"}
        scored = score_case(case.truth, as_prediction(result))
        row = {
            names.get(name, name): float(scored[name])
            for name in ("succ", "tok_f1", "title_exact", "author", "date")
            if name in scored
        }
        post = result if isinstance(result, Post) else None
        if case.tags:
            have = frozenset(map(folded, post.tags)) if post else frozenset()
            row["tags"] = 2 * len(have & case.tags) / max(1, len(have) + len(case.tags))
        if case.pictures:
            have = frozenset(m.url for m in post.media) if post else frozenset()
            row["pictures"] = len(have & case.pictures) / len(case.pictures)
        return row


def _renewed(page: Page) -> Page:
    return Page(url=page.url, body=page.body, headers=page.headers)


def _pictures(markup: str, page: Page) -> Iterator[str]:
    """Addresses of the pictures in a post's gold markup that its page has too."""
    if "<img" not in markup:
        return
    for picture in lxml_html.fragment_fromstring(markup, "div").iter("img"):
        source = picture.get("src") or ""
        url = page.absolute(source) if source and not source.startswith("data:") else None
        if url is not None and source.rsplit("/", 1)[-1].encode() in page.body:
            yield url


class CommentsBlog:
    """A recorded blog whose comments are known: those of its pages alone, and with rules learned
    from its comment feeds."""

    modes = ("comments alone", "comments with rules")

    def __init__(self, folder: Path, pages: int) -> None:
        self.name = folder.name
        self._blog = BlogFiles(folder, pages)
        self._posts = posts_of(folder)

    def scores(self, mode: str) -> Scores:
        rules = self._rules() if mode == self.modes[1] else None
        total: Counter[str] = Counter()
        for gold in self._blog.gold:
            page = self._blog.page(gold["path"])
            if page is None:
                continue
            content, published = self._posts.get(gold["path"], (None, None))
            found = extract_comments(page, rules, content=content, published=published)
            total.update(comment_numbers(gold, found.comments))
        return _comment_scores(total)

    def _rules(self) -> CommentRules | None:
        pages = [page for gold in self._blog.gold if (page := self._blog.page(gold["path"]))]
        rows = [(page, self._blog.feed(page, urlsplit(page.url).path)) for page in pages]
        return learn_comments([(page, known) for page, known in rows if known])


def _comment_scores(total: Counter[str]) -> Scores:
    if not total["n_gold"]:
        return {}
    pairs = (("cauthor", "a_ok", "a_n"), ("cdate", "d_ok", "d_n"))
    shares = {name: total[right] / total[n] for name, right, n in pairs if total[n]}
    return {"comments": 2 * total["tp"] / (total["n_gold"] + total["n_pred"]), **shares}


def posts_of(folder: Path) -> dict[str, tuple[str | None, datetime | None]]:
    """Content and time of a recorded blog's posts by their paths."""
    out: dict[str, tuple[str | None, datetime | None]] = {}
    for line in (folder / "gold.jsonl").read_text().splitlines():
        post = json.loads(line)
        day = (post.get("date") or "")[:10]
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC) if len(day) == 10 else None
        out[post["path"]] = (post.get("content_html"), moment)
    return out


class SiteBlog:
    """A blog of tests/sites."""

    modes = ("feed", "nofeed", "alone")

    def __init__(self, name: str) -> None:
        self.name = name
        self._recorded = sites.Recorded.read(sites.HERE / name)

    def scores(self, mode: str) -> Scores:
        site = sites.Recorded(
            self.name,
            self._recorded.expected,
            [(_renewed(page), row) for page, row in self._recorded.pages],
        )
        if mode == "alone":
            model = learn_blog([])
        else:
            model = site.learn(with_feed=mode == "feed")
        rows = []
        for page, row in site.pages:
            if row["post"] and not row["in_feed"]:
                result = extract_post(_renewed(page), model, None, True)
                post = result if isinstance(result, Post) else None
                scores = sites.scores(post, row)
                if row.get("tags"):
                    have, tags = set(post.tags if post else ()), set(row["tags"])
                    scores["tags"] = 2 * len(have & tags) / max(1, len(have) + len(tags))
                rows.append(scores)
            elif not row["post"] and mode != "alone":
                result = extract_post(_renewed(page), model)
                rows.append({"kind": float(not isinstance(result, Post))})
        return _means(rows)


def corpus_blogs(corpus: Path, ids: list[str]) -> list[tuple[int, Path]]:
    """Folders of the corpus with the number that each blog's address has."""
    folders = sorted(path.parent for path in corpus.glob("*/blog.json"))
    return [(n, f) for n, f in enumerate(folders, 1) if not ids or f.name in ids]


def use_tools(tools: Path) -> None:
    """Make serve.py and metrics.py of the corpus importable."""
    if str(tools) not in sys.path:
        sys.path.insert(0, str(tools))
