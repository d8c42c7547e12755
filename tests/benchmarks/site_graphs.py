"""Sites as link graphs, for the frontier's simulator: read from a corpus of blogs, or generated."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.dom.links import Link, page_links
from blogcrawl.urls.canonical import canonicalize

HOST = "http://blog.test"
INDEXES = ("index.html", "index.htm")
CACHE_VERSION = 9


@dataclass
class Node:
    """A page: what it links to, and whether it is a post."""

    url: str
    links: list[Link] = field(default_factory=list)
    is_post: bool = False


@dataclass
class Site:
    """``feed``: the posts that the blog's feed shows now, newest first. ``fetch``: raw bytes, where
    discovery may ask for them.
    """

    name: str
    home: str
    nodes: dict[str, Node]
    feed: list[str]
    dynamic: Callable[[str], Node | None] | None = None
    fetch: Callable[[str], Page | None] | None = None
    resolve: Callable[[str], str | None] = lambda key: key
    made: bool = False
    """Pages are made from the graph where ``fetch`` has none."""
    sitemap: list[str] = field(default_factory=list)

    def nodes_of_home(self) -> list[Link]:
        node = self.get(self.home)
        return node.links if node else []

    def get(self, url: str) -> Node | None:
        """The page at ``url``; None: 404."""
        key = self.resolve(canonicalize(url))
        if key is not None and key in self.nodes:
            return self.nodes[key]
        return self.dynamic(canonicalize(url)) if self.dynamic else None

    def posts(self) -> set[str]:
        return {canonicalize(n.url) for n in self.nodes.values() if n.is_post}

    def reachable_posts(self) -> set[str]:
        """Posts that links from home or the feed lead to, through pages of the finite part."""
        stack, seen = [self.home, *self.feed], set()
        met = set(stack)
        while stack:
            node = self.get(stack.pop())
            if (
                node is None
                or canonicalize(node.url) in seen
                or canonicalize(node.url) not in self.nodes
            ):
                continue
            seen.add(canonicalize(node.url))
            fresh = [link.url for link in node.links if link.url not in met]
            met.update(fresh)
            stack += fresh
        return seen & self.posts()


def load_corpus(corpus: Path, cache: Path | None = None) -> Iterable[Site]:
    """One site per blog folder (``blog.json``, ``site/``, ``gold.jsonl``)."""
    cache = cache or Path(tempfile.gettempdir()) / "blogcrawl-bench"
    cache.mkdir(parents=True, exist_ok=True)
    for folder in sorted(p.parent for p in corpus.glob("*/blog.json")):
        stamp = hashlib.sha1(f"{folder}{CACHE_VERSION}".encode()).hexdigest()[:12]
        stored = cache / f"{folder.name}-{stamp}.pickle"
        blog = BlogFolder(folder)
        if not stored.exists():
            stored.write_bytes(pickle.dumps(blog.read_graph()))
        nodes, feed = pickle.loads(stored.read_bytes())
        yield Site(folder.name, blog.home, nodes, feed, fetch=blog.fetch, resolve=blog.resolve)


class BlogFolder:
    """A blog's files behind HOST, its own origins rewritten."""

    def __init__(self, folder: Path) -> None:
        meta = json.loads((folder / "blog.json").read_text())
        self.site = folder / "site"
        self.gold = [
            json.loads(line)
            for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()
            if line.strip()
        ]
        self.files = {str(p.relative_to(self.site)) for p in self.site.rglob("*") if p.is_file()}
        self.by_key = {self.key_of(name): name for name in sorted(self.files, reverse=True)}
        self.home = HOST + (meta.get("start_path") or "/")
        hosts = {
            urlsplit(o).netloc.removeprefix("www.")
            for o in [meta.get("base_url"), *meta.get("aliases", [])]
            if o
        }
        names = "|".join(re.escape(h) for h in sorted(hosts, key=len, reverse=True) if h)
        self.own = (
            re.compile(
                rb"(?:https?:)?(\\?/\\?/)(?:www\.)?(?:" + names.encode() + rb")(?![\w:-]|\.\w)",
                re.I,
            )
            if names
            else None
        )
        self.limit = 10 if len(self.gold) >= 15 else len(self.gold) // 2

    @staticmethod
    def key_of(name: str) -> str:
        return canonicalize(f"{HOST}/{name.replace('#', '%23')}")

    def resolve(self, key: str) -> str | None:
        """Canonical form of the URL that answers for ``key``: the file itself, or
        with ``.html``.
        """
        for candidate in (
            key,
            key + ".html",
            key.lower(),
            unquote(key),
            f"{key.rstrip('/')}/index.xml",
        ):
            if candidate in self.by_key:
                return candidate
        path = urlsplit(key).path.lstrip("/")
        for candidate in (
            f"{path}/index.html?{urlsplit(key).query}".lstrip("/"),
            f"{path}?{urlsplit(key).query}",
        ):
            if candidate in self.files:
                return self.key_of(candidate)
        return None

    def fetch(self, url: str) -> Page | None:
        key = self.resolve(canonicalize(url))
        if key is None:
            return None
        name = self.by_key[key]
        body = (self.site / name).read_bytes()
        kind = "text/html"
        if re.search(rb"<(?:rss|feed|rdf:RDF)[\s>]", body[:4000]) and b"<html" not in body[:500]:
            kind, body = "application/xml", self._cut(body)
        elif name.endswith((".xml", ".txt", ".json")):
            kind = (
                "text/plain" if name.endswith(".txt") else "application/" + name.rpartition(".")[2]
            )
        if self.own is not None:
            body = self.own.sub(lambda m: b"http:" + m.group(1) + HOST[7:].encode(), body)
        return Page(url=url, body=body, headers={"content-type": kind})

    def _cut(self, feed: bytes) -> bytes:
        """The feed's first ``limit`` items: what a reader of the live blog would have seen."""
        if b"<slash:comments" not in feed and re.search(rb"#comment-?\d", feed):
            return feed
        spans = [m.span() for m in re.finditer(rb"<(item|entry)(?=[\s>]).*?</\1\s*>", feed, re.S)]
        for start, end in reversed(spans[self.limit :]):
            feed = feed[:start] + feed[end:]
        return feed

    def read_graph(self) -> tuple[dict[str, Node], list[str]]:
        gold = {self.key_of(row["path"].lstrip("/")) for row in self.gold}
        nodes, marks = {}, {}
        for key, name in self.by_key.items():
            page = self.fetch(f"{HOST}/{name}" if "?" not in name else key)
            if (
                page is None
                or page.headers["content-type"] != "text/html"
                or b"<html" not in page.body[:3000].lower()
            ):
                continue
            nodes[key] = Node(
                key,
                page_links(Page(url=_as_served(key, name), body=page.body, headers=page.headers)),
            )
            marks[key] = _marks(page)
        for key in self._posts(gold & nodes.keys(), nodes, marks):
            nodes[key].is_post = True
        rows = sorted(
            (r for r in self.gold if r.get("main_rank") is not None), key=lambda r: r["main_rank"]
        )
        return nodes, [self.key_of(r["path"].lstrip("/")) for r in rows[: self.limit]]

    def _posts(
        self, gold: set[str], nodes: dict[str, Node], marks: dict[str, set[str]]
    ) -> set[str]:
        """Gold posts, and pages that carry all that marks those and nothing else: the gold lists
        only what a feed listed.
        """
        folders = {k.rpartition("/")[0] for k in gold}
        home = canonicalize(self.home).rstrip("/")
        siblings = {
            k for k in nodes if len(folders) == 1 and k.rpartition("/")[0] in folders - {home}
        }
        linking = {
            k
            for k, n in nodes.items()
            if k not in gold and sum(canonicalize(x.url) in gold for x in n.links) >= 5
        }
        listings = linking - siblings  # posts of a blog with five new ones link to all of these
        listings |= {canonicalize(self.home)}
        common = Counter(m for k in gold for m in marks[k])
        on_lists = Counter(m for k in listings if k in marks for m in marks[k])
        common_marks = {
            m
            for m, n in common.items()
            if n >= 0.98 * len(gold) and on_lists[m] <= 0.02 * len(listings)
        }
        dated = {shape for shape in map(_dated_shape, gold) if shape}
        posts = gold | {k for k in nodes if _dated_shape(k) in dated}
        if common_marks and len(gold) >= 4:
            least = {
                k: (0.5 if k in siblings else 0.85) * len(common_marks) for k in siblings or marks
            }
            posts |= {
                k for k in least.keys() & marks.keys() if len(common_marks & marks[k]) >= least[k]
            }
        return posts


def _dated_shape(key: str) -> str | None:
    """``/2012/03/some-name.html`` -> its form; None for addresses without a date and a name: a
    permalink by date is a post's alone.
    """
    path = urlsplit(key).path
    if (
        not re.search(r"/(?:19|20)\d\d/", path)
        or "?" in key
        or "%3F" in key
        or re.search(r"/(?:page|feed|amp)\b", path)
    ):
        return None
    if not re.search(r"/[^/]*[^\W\d][^/]*$", path.removesuffix(".html")):
        return None
    return re.sub(
        r"[^/]+$",
        lambda m: "name" + (".html" if m.group().endswith(".html") else ""),
        re.sub(r"\d", "0", path),
    )


def _as_served(key: str, name: str) -> str:
    return key + "/" if name.rpartition("/")[2] in INDEXES and not key.endswith("/") else key


def _marks(page: Page) -> set[str]:
    found = {
        f"type={m.get('content')}"
        for m in page.tree.iter("meta")
        if m.get("property") in ("og:type", "article:published_time")
    }
    for element in page.tree.iter():
        if isinstance(element.tag, str) and element.tag not in (
            "a",
            "img",
            "span",
            "p",
            "pre",
            "code",
        ):
            for name in [*(element.get("class") or "").split(), element.get("id") or ""]:
                if name and not re.search(r"\d", name):
                    found.add(f"{element.tag}.{name}")
    return found
