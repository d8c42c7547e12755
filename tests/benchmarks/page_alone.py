"""One unknown page alone, and each paper's method alone: how accurate, how fast, compared with
general libraries in the same run.

    page_alone.py --corpus DIR/blogs --tools DIR [--per 12] [--ids a,b] [--methods
    generic,trafilatura] [--misses generic]

DIR/blogs holds folders with ``gold.jsonl`` and ``site/``; DIR (tools) has ``metrics.py`` and
``score.py``. Methods that learn per blog (emcst, series) learn from the first 8 pages of a blog and
are asked about all others; those that need no blog are asked about the same others. Figures are
means over pages; ms is CPU time with parsing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields
from blogcrawl.extraction import chain
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.model import BlogModel, NotAPost, extract_post
from blogcrawl.induction.ruleset import RuleSet, Sample

LEARN = 8
COLUMNS = ("succ", "tok_f1", "tcs", "title_exact", "author", "date")


def pages(
    corpus: Path, tools: Any, ids: list[str], per: int
) -> Iterator[tuple[str, list[tuple[dict[str, Any], bytes]]]]:
    for blog in sorted(corpus.iterdir()):
        if not (blog / "gold.jsonl").exists() or (ids and blog.name not in ids):
            continue
        gold = [
            json.loads(line)
            for line in (blog / "gold.jsonl").read_text("utf-8").splitlines()
            if line.strip()
        ]
        rows = []
        for row in gold[:: max(1, len(gold) // (per + LEARN))]:
            file = tools.site_file(blog / "site", "http://x" + row["path"])
            if file:
                rows.append((row, (blog / "site" / file).read_bytes()))
        yield blog.name, rows[: per + LEARN]


def fresh(row: dict[str, Any], body: bytes) -> Page:
    return Page(url=row["url"], body=body, headers={"content-type": "text/html"})


def flat(fields: Fields | None, page: Page) -> dict[str, Any]:
    """Best candidates as the scorer wants them."""
    best = {name: values[0].value for name, values in (fields or {}).items() if values}
    content = best.get("content")
    return {
        "title": best.get("title"),
        "author": best.get("authors"),
        "date": best.get("published"),
        "text": clean_content(content, page, title=best.get("title")).text
        if content is not None
        else None,
    }


def product_says(page: Page, _rules: RuleSet | None) -> dict[str, Any]:
    """What a crawl archives of a page whose blog it knows nothing of: all methods and the decision
    among them.
    """
    post = extract_post(page, BlogModel(), None, True)
    if isinstance(post, NotAPost):
        return {}
    return {
        "title": post.title,
        "author": list(post.authors),
        "date": post.published,
        "text": post.content_text,
    }


def trafilatura_says(page: Page, _rules: RuleSet | None) -> dict[str, Any]:
    import trafilatura

    found = trafilatura.bare_extraction(
        page.body, url=page.url, include_comments=False, with_metadata=True
    )
    if found is None:
        return {}
    return {"title": found.title, "author": found.author, "date": found.date, "text": found.text}


def readability_says(page: Page, _rules: RuleSet | None) -> dict[str, Any]:
    from readability import Document

    document = Document(page.text)
    html = document.summary(html_partial=True)
    return {"title": document.short_title(), "text": clean_text(html)}


def clean_text(html: str) -> str:
    import lxml.html

    from blogcrawl.text.visible import node_text

    return (
        node_text(lxml.html.fragment_fromstring(html, create_parent="div")) if html.strip() else ""
    )


def own(name: str) -> tuple[Any, Callable[[Page, RuleSet | None], dict[str, Any]]]:
    extractor = chain.method("mcst" if name == "emcst" else name)
    assert extractor is not None, name
    return extractor, lambda page, rules: flat(extractor.extract(page, rules), page)


def methods(
    wanted: list[str],
) -> dict[str, tuple[Any, Callable[[Page, RuleSet | None], dict[str, Any]]]]:
    others = {
        "product": product_says,
        "trafilatura": trafilatura_says,
        "readability": readability_says,
    }
    out: dict[str, tuple[Any, Callable[[Page, RuleSet | None], dict[str, Any]]]] = {}
    for name in wanted:
        out[name] = (None, others[name]) if name in others else own(name)
    return out


def rules_for(extractor: Any, samples: list[Sample]) -> RuleSet | None:
    return extractor.learn(samples)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--per", type=int, default=10)
    parser.add_argument("--ids", default="")
    parser.add_argument(
        "--methods",
        default="metadata,mcst,emcst,series,svm,generic,product,trafilatura",
    )
    parser.add_argument("--misses", default="")
    parser.add_argument("--by-blog", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(options.tools))
    metrics, tools = importlib.import_module("metrics"), importlib.import_module("score")
    wanted = options.methods.split(",")
    if "readability" in wanted and importlib.util.find_spec("readability") is None:
        print("readability is left out: pip install readability-lxml")
        wanted.remove("readability")
    table = methods(wanted)
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    spent: dict[str, list[float]] = defaultdict(list)
    for blog, cases in pages(
        options.corpus, tools, [name for name in options.ids.split(",") if name], options.per
    ):
        cut = min(LEARN, len(cases) // 2)
        for name, (extractor, says) in table.items():
            rules = None
            if name in {"emcst", "series"}:
                # no feed: only the pages, not what they should give
                rules = rules_for(
                    extractor,
                    [
                        Sample(page=fresh(*case), entry=FeedEntry(url=case[0]["url"]))
                        for case in cases[:cut]
                    ],
                )
            mine = []
            for row, body in cases[cut:]:
                start = time.process_time()
                page = fresh(row, body)
                said = says(page, rules)
                spent[name].append((time.process_time() - start) * 1e3)
                gold = {
                    "title": row["title"],
                    "author": row["author"],
                    "date": row["date"],
                    "text": row["content_text"],
                }
                score = metrics.score_case(gold, said)
                mine.append(score)
                if name == options.misses:
                    for key in ("succ", "title_exact", "author", "date"):
                        if score.get(key) == 0.0 and (
                            key == "succ" or name in {"generic", "metadata", "svm", "product"}
                        ):
                            part = {"succ": "text", "title_exact": "title"}.get(key, key)
                            print(
                                f"  {blog} {row['path']} {key}: {str(said.get(part))[:110]!r} "
                                f"!= {str(gold[part])[:110]!r}"
                            )
            rows[name] += mine
            if options.by_blog and mine:
                means = {
                    key: metrics.mean([score[key] for score in mine if key in score])
                    for key in COLUMNS
                }
                print(
                    blog,
                    name,
                    {key: round(mean, 3) for key, mean in means.items() if mean is not None},
                )
    print(f"{'method':12}" + "".join(f"{name:>12}" for name in (*COLUMNS, "n", "ms")))
    for name, scores in rows.items():
        means = [metrics.mean([score[key] for score in scores if key in score]) for key in COLUMNS]
        cells = "".join(f"{'-' if mean is None else format(mean, '.3f'):>12}" for mean in means)
        print(f"{name:12}{cells}{len(scores):12}{sorted(spent[name])[len(spent[name]) // 2]:12.2f}")


if __name__ == "__main__":
    main()
