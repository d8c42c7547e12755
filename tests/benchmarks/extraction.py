"""How right and how fast extraction is on a corpus of recorded blogs (layout: <id>/blog.json,
gold.jsonl, site/).

    extraction.py --corpus DIR --tools DIR [--ids a,b] [--misses] [--lists] [--no-feed] [--method
    NAME|all] [--stress KIND] [--site]

The main feed is cut as serve.py's ``--feed-limit auto`` does; the posts behind the cut are
extracted and scored. ``--lists`` reads the site's other pages first, as a crawl does: an archive
page has dates that posts do not show. ``--method all`` runs each method alone. Blogs without a feed
are left out.
``--tools`` is the folder with serve.py and metrics.py of the corpus.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Post
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.extraction import chain
from blogcrawl.extraction.model import Hints, NotAPost, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.scoring import html_text

COLUMNS = ("n", "article", "f1", "tcs", "title", "author", "date", "nopost", "ms")


@dataclass
class Recorded:
    """One blog of the corpus as a crawler sees it."""

    id: str
    blog: Any
    gold: list[dict[str, Any]]
    meta: dict[str, Any]

    def page(self, path: str) -> Page | None:
        hit = self.blog.find(path.partition("?")[0], path.partition("?")[2])
        if hit is None:
            return None
        name = path if hit[0] == "redirect" else None
        if hit[0] == "redirect":
            return self.page(hit[1])
        body, kind, _, _, _ = self.blog.load(hit[1])
        return Page(
            url=self.blog.origin + (name or path), body=body, headers={"content-type": kind}
        )


def open_blog(tools: Path, folder: Path, number: int, feed: str = "auto") -> Recorded:
    sys.path.insert(0, str(tools))
    import serve

    blog = serve.Blog(folder.name, folder, f"127.0.1.{number}", 8800, feed)
    gold = [
        json.loads(line)
        for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()
        if line.strip()
    ]
    return Recorded(folder.name, blog, gold, json.loads((folder / "blog.json").read_text()))


def load(recorded: Recorded) -> tuple[Feed, list[Sample], Hints]:
    path = recorded.meta["main_feed"]
    feed_page = recorded.page(path)
    assert feed_page is not None
    feed = parse_feed(feed_page.body, feed_page.url, feed_page.headers)
    samples = []
    for entry in feed.entries:
        page = recorded.page(_path(entry.url))
        if page is not None:
            samples.append(Sample(page=page, entry=entry))
    home = recorded.page(urlsplit(recorded.blog.start).path or "/")
    hints = Hints(home=home, feed=feed)
    return feed, samples, hints


def _path(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


STRESSES = (
    "excerpt",
    "paragraph",
    "titles",
    "one",
    "two",
    "three",
    "noclass",
    "renamed",
    "bare",
    "noauthor",
    "nodate",
    "reencoded",
)
"""Ways to make a blog harder: what its feed says is cut, or its markup loses every class and id, or
has names there that say nothing, or loses all that has a meaning: headings and sections too."""


def stress_entry(entry: FeedEntry, kind: str) -> FeedEntry:
    text = html_text(entry.content_html or entry.summary_html)
    if kind == "excerpt":
        words = text.split()
        cut = " ".join(words[:55]) + " […]" if len(words) > 55 else text[:150]
        return replace(entry, content_html=None, summary_html=cut, is_full=False)
    if kind == "paragraph":
        first = next(
            (
                part
                for part in (entry.content_html or entry.summary_html or "").split("</p>")
                if len(html_text(part)) > 20
            ),
            text[:200],
        )
        return replace(entry, content_html=None, summary_html=html_text(first), is_full=False)
    if kind == "titles":
        return replace(entry, content_html=None, summary_html=None, is_full=False)
    if kind == "noauthor":
        return replace(entry, authors=())
    if kind == "nodate":
        return replace(entry, published=None, published_raw=None, modified=None, modified_raw=None)
    if kind == "reencoded":
        return replace(
            entry,
            content_html=text.replace("'", "&#8217;").replace("é", "e&#769;"),
            summary_html=None,
        )
    return entry


def stress_page(page: Page, kind: str | None) -> Page:
    if kind not in ("noclass", "renamed", "bare"):
        return page
    body = _NAMES.sub(_renamed if kind == "renamed" else b"", page.body)
    if kind == "bare":
        body = _LINES.sub(rb"<\1span", _BLOCKS.sub(rb"<\1div", _MEANINGS.sub(b"", body)))
    return Page(url=page.url, body=body, headers=page.headers)


_NAMES = re.compile(rb"""(\s(?:class|id|itemprop|role)\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+)""")

_MEANINGS = re.compile(
    rb"""\s(?:datetime|pubdate|rel=["']?(?:author|tag|bookmark|next|prev))\b[^\s>]*"""
)
_BLOCKS = re.compile(
    rb"<(/?)(?:article|main|section|header|footer|aside|nav|figure|figcaption|h[1-6])\b"
)
_LINES = re.compile(rb"<(/?)(?:time|strong|b|em|cite|address)\b")


def _renamed(found: re.Match[bytes]) -> bytes:
    """Return an attribute with another word in the place of each, the same one on all pages."""
    words = re.sub(rb"[A-Za-z_]+", lambda word: b"x%x" % crc32(word[0].lower()), found[2])
    return found[1] + words


def stress_samples(samples: list[Sample], kind: str | None) -> list[Sample]:
    if kind is None:
        return samples
    samples = samples[: {"one": 1, "two": 2, "three": 3}.get(kind, len(samples))]
    return [
        Sample(page=stress_page(s.page, kind), entry=stress_entry(s.entry, kind)) for s in samples
    ]


def tests_of(recorded: Recorded) -> list[dict[str, Any]]:
    limit = recorded.blog.feed_limit
    return [g for g in recorded.gold if g.get("main_rank") is None or g["main_rank"] >= limit]


def site_pages(recorded: Recorded) -> list[tuple[str, Page]]:
    """Every HTML page of the recorded site that is no feed, with its path."""
    out = []
    for name in sorted(recorded.blog.files):
        if not name.endswith((".html", ".htm")) and "." in name.rsplit("/", 1)[-1]:
            continue
        body, kind, _, _, _ = recorded.blog.load(name)
        if not kind.startswith("text/html") or b"<html" not in body[:4000].lower():
            continue
        path = "/" + name.removesuffix("index.html")
        out.append(
            (
                "/" + name,
                Page(
                    url=recorded.blog.origin + quote(path),
                    body=body,
                    headers={"content-type": kind},
                ),
            )
        )
    return out


def run_site(recorded: Recorded, model: Any, show_all: bool) -> dict[str, Any]:
    """All pages without a promise: which are taken for posts, which gold posts are not."""
    gold = {g["path"] for g in recorded.gold}
    taken, lost, lists, pages = [], [], [], site_pages(recorded)
    for path, page in pages:
        result = extract_post(page, model)
        if isinstance(result, Post) and path not in gold:
            taken.append(path)
            if LIST_PAGE.search(urlsplit(page.url).path):
                lists.append(path)
        elif isinstance(result, NotAPost) and path in gold:
            lost.append((path, result.reason))
    print(
        f"  {recorded.id}: {len(pages)} pages, {len(gold)} gold; not gold but taken "
        f"{len(taken)} (lists {len(lists)});"
        f" gold lost {len(lost)}"
    )
    if show_all:
        print("    lists:", *lists[:40])
        print("    taken:", *[t for t in taken if t not in lists][:60])
        print("    lost:", *lost[:20])
    return {}


LIST_PAGE = re.compile(
    (
        r"(^|/)(tags?|categor(y|ies|ie)|author|page/?\d*|archives?|feed|search|comments)(/|$)|"
        r"/index\d+\.html$|^/?$"
    ),
    re.I,
)


def wanted(recorded: Recorded, g: dict[str, Any]) -> dict[str, Any]:
    texts = [row.get("content_text") for row in recorded.gold if row.get("content_text")]
    text = (
        None
        if g.get("excerpt_only") or texts.count(g.get("content_text")) >= 3
        else g.get("content_text")
    )
    return {
        "title": g.get("title"),
        "author": g.get("author"),
        "date": g.get("date"),
        "text": text if text and len(text) >= 20 else None,
    }


def as_prediction(result: Post | NotAPost | None) -> dict[str, Any]:
    if not isinstance(result, Post):
        return {}
    return {
        "title": result.title,
        "author": list(result.authors) or None,
        "date": result.published.isoformat() if result.published else None,
        "text": result.content_text,
    }


def page_of(recorded: Recorded, g: dict[str, Any]) -> Page | None:
    path = g["path"]
    page = recorded.page(quote(unquote(path)))
    if page is None:
        return None
    url = page.url[: -len("index.html")] if page.url.endswith("/index.html") else page.url
    return Page(url=url, body=page.body, headers=page.headers)


def run_blog(recorded: Recorded, args: argparse.Namespace) -> dict[str, Any]:
    from metrics import score_case

    _, samples, hints = load(recorded)
    if args.no_feed:
        samples = [Sample(page=s.page, entry=FeedEntry(url=s.page.url)) for s in samples]
        hints = Hints(home=hints.home, feed=None)
    samples = stress_samples(samples, args.stress)
    started = time.process_time()
    model = learn_blog(samples, hints, **({"only": args.method} if args.method else {}))
    learned = time.process_time() - started
    if args.site or args.lists:
        for _, page in site_pages(recorded):
            if not model.is_post_url(page.url):
                model.observe_hub(page)
    if args.site:
        run_site(recorded, model, args.misses)
    rows, spent, none = [], 0.0, 0
    for g in tests_of(recorded):
        page = page_of(recorded, g)
        if page is None:
            continue
        page = stress_page(page, args.stress)
        started = time.process_time()
        result = extract_post(
            page, model, None, True, **({"only": args.method} if args.method else {})
        )
        spent += time.process_time() - started
        none += isinstance(result, NotAPost)
        case = score_case(wanted(recorded, g), as_prediction(result))
        rows.append(case)
        if args.misses:
            report(recorded, g, case, result)
    col = {
        key: _mean([row[key] for row in rows if key in row])
        for key in ("succ", "tok_f1", "tcs", "title_exact", "author", "date")
    }
    return {
        "n": len(rows),
        **dict(zip(("article", "f1", "tcs", "title", "author", "date"), col.values(), strict=True)),
        "nopost": none,
        "ms": 1000 * spent / max(1, len(rows)),
        "learn": 1000 * learned,
        "model": model,
    }


def report(
    recorded: Recorded, g: dict[str, Any], case: dict[str, float], result: Post | NotAPost
) -> None:
    wrong = [key for key in ("succ", "title_exact", "author", "date") if case.get(key) == 0.0]
    if case.get("tok_f1", 1) < 0.97:
        wrong.append(f"f1={case['tok_f1']:.2f} p={case['tok_p']:.2f} r={case['tok_r']:.2f}")
    if not wrong:
        return
    if isinstance(result, NotAPost):
        print(f"  {recorded.id} {g['path']}: {wrong} NOT A POST: {result.reason}")
        return
    print(f"  {recorded.id} {g['path']}: {wrong}")
    for key, value, got in (
        ("title_exact", "title", result.title),
        ("author", "author", result.authors),
        ("date", "date", result.published),
    ):
        if key in wrong:
            field = {"date": "published", "author": "authors"}.get(value, value)
            print(
                f"      {value}: gold {g.get(value)!r} got {got!s} by "
                f"{dict(result.extraction.get(field, {}))}"
            )
    if "succ" in wrong or case.get("tok_f1", 1) < 0.97:
        print(f"      content by {dict(result.extraction.get('content', {}))}")


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def show(name: str, row: dict[str, Any]) -> None:
    cells = []
    for column in COLUMNS:
        value = row.get(column)
        percent = column in ("article", "f1", "tcs", "title", "author", "date")
        cells.append(
            "-"
            if value is None
            else f"{100 * value:.1f}"
            if percent
            else f"{value:.1f}"
            if isinstance(value, float)
            else str(value)
        )
    print(
        f"{name:18}"
        + "".join(f"{cell:>9}" for cell in cells)
        + (f"   learn {row['learn']:.0f} ms" if "learn" in row else ""),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--ids")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--rules", action="store_true", help="print each blog's rules")
    parser.add_argument("--no-feed", action="store_true")
    parser.add_argument(
        "--lists", action="store_true", help="the site's list pages are read first, as a crawl does"
    )
    parser.add_argument("--method", help="only this one, or all: each alone")
    parser.add_argument(
        "--site",
        action="store_true",
        help="also run every page of the site, unpromised, lists observed first",
    )
    parser.add_argument("--stress", choices=STRESSES, help="make every blog harder in this way")
    args = parser.parse_args()
    folders = sorted(p.parent for p in args.corpus.glob("*/blog.json"))
    folders = [f for f in folders if json.loads((f / "blog.json").read_text())["main_feed"]]
    names = args.ids.split(",") if args.ids else [f.name for f in folders]
    print(f"{'blog':18}" + "".join(f"{column:>9}" for column in COLUMNS))
    numbered = [
        (number, folder) for number, folder in enumerate(folders, 1) if folder.name in names
    ]
    if args.method == "all":
        for args.method in chain.names():
            show(
                args.method,
                total_of(
                    [
                        run_blog(open_blog(args.tools, folder, number), args)
                        for number, folder in numbered
                    ]
                ),
            )
        return
    rows = []
    for number, folder in numbered:
        row = run_blog(open_blog(args.tools, folder, number), args)
        show(folder.name, row)
        if args.rules:
            for field, rules in row["model"].ruleset.rules.items():
                for rule in rules:
                    support = f"{rule.support_right}/{rule.support_tried} {rule.mean_score:.3f}"
                    print(
                        f"    {field:12} {support} {rule.xpath}",
                        rule.attribute or "",
                        rule.prefix,
                        rule.suffix,
                        rule.pattern or "",
                    )
            print("   ", row["model"].ruleset.facts)
        rows.append(row)
    show("MEAN OVER BLOGS", total_of(rows))


def total_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {
        c: _mean([r[c] for r in rows if r[c] is not None])
        for c in COLUMNS
        if c not in ("n", "nopost")
    }
    return total | {c: sum(r[c] for r in rows) for c in ("n", "nopost")}


if __name__ == "__main__":
    main()
