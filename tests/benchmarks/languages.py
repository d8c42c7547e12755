"""Languages of posts against an independent judgement, and the share that is right.

    python -m tests.benchmarks.languages [--truth truth.jsonl] [--judge] POSTS.jsonl …
    python -m tests.benchmarks.languages [--truth truth.jsonl] --judge --gold BLOGS [--per 40]

POSTS: what ``blogcrawl export --format jsonl`` writes. BLOGS: a folder of recorded blogs, each with
``gold.jsonl`` (url, path, title, content_text) and ``site/``; a post's language is decided as in a
crawl, from its page and from the ten newest posts as the feed. ``truth.jsonl``: a line a post,
``url`` and ``languages``: every code that is right, several for a post that quotes as much as it
says; optionally ``file``, a part of the path of the export that it is about. ``--judge``: posts
without a line there are judged by the detector lingua, installed by hand (``pip install
lingua-language-detector``, 96 MB); read what ``--show`` prints and put it into the truth: detectors
err too. Posts with fewer letters than ``--letters`` are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.extraction.fields.language import declarations, post_language, usual_languages
from blogcrawl.text.language import letters_of, primary

READ = 3000
"""Characters of a text that the judge reads."""
FEED = 10


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def place(address: str) -> str:
    """The address without host, so that a copy served elsewhere is compared too."""
    parts = urlsplit(address)
    path = "/" + unquote(parts.path).strip("./")
    path = path.removesuffix("index.html").removesuffix(".html").rstrip("/")
    return "?".join(filter(None, (path, parts.query))) + (
        f"#{parts.fragment}" * bool(parts.fragment)
    )


class Judge:
    """The independent detector; a text's language is decided by its first letters, unprepared."""

    def __init__(self) -> None:
        lingua = import_module("lingua")  # installed by hand
        builder = lingua.LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode()
        self._detector = builder.build()

    def __call__(self, text: str) -> list[str]:
        found = self._detector.detect_language_of(text[:READ])
        return [found.iso_code_639_1.name.lower()] if found is not None else []


def exported(path: Path) -> Iterator[dict[str, Any]]:
    """The posts of an export, each with the path of the file."""
    for post in lines(path):
        method = post["extraction"].get("language", {}).get("method") or "none"
        yield {**post, "file": str(path), "method": method}


def decided(blog: Path, per: int) -> Iterator[dict[str, Any]]:
    """Some posts of a recorded blog with the language that a crawl gives them."""
    gold = [row for row in lines(blog / "gold.jsonl") if row.get("content_text")]
    newest = sorted(gold, key=lambda row: row.get("date") or "", reverse=True)[:FEED]
    usual = usual_languages(
        FeedEntry(url=row["url"], title=row["title"], content_html=escape(row["content_text"]))
        for row in newest
    )
    for row in gold[:: max(1, len(gold) // per)]:
        file = blog / "site" / unquote(row["path"]).lstrip("/")
        body = file.read_bytes() if file.is_file() else b"<html></html>"
        declared = declarations(Page(url=row["url"], body=body), None, (), None)
        text = f"{row['title'] or ''}\n{row['content_text']}"
        found = post_language(text, declared, usual)
        method, tag = (found.method, found.value) if found is not None else ("none", None)
        yield {**row, "file": str(blog), "language": tag, "method": method}


def judged(
    posts: Iterable[dict[str, Any]],
    truth: Mapping[tuple[str, str], Sequence[str]],
    judge: Callable[[str], list[str]] | None,
    least: int,
) -> Iterator[tuple[bool, dict[str, Any], Sequence[str]]]:
    """Each post of which the language is known: is it right, the post, the right ones."""
    files = {name for name, _ in truth}
    for post in posts:
        if letters_of(post["content_text"]) < least:
            continue
        named = [truth.get((name, place(post["url"]))) for name in files if name in post["file"]]
        right = next(filter(None, named), None)
        if right is None and judge is not None:
            right = judge(post["content_text"])
        if right:
            yield primary(post["language"] or "und") in map(primary, right), post, right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--gold", action="store_true")
    parser.add_argument("--per", type=int, default=40, help="posts of a blog with --gold")
    parser.add_argument("--letters", type=int, default=200)
    parser.add_argument("--show", action="store_true", help="name the wrong ones")
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args()
    truth = {
        (line.get("file", ""), place(line["url"])): line["languages"]
        for line in (lines(options.truth) if options.truth else ())
    }
    judge = Judge() if options.judge else None
    if options.gold:
        blogs = sorted(file.parent for path in options.paths for file in path.glob("*/gold.jsonl"))
        sources = [decided(blog, options.per) for blog in blogs]
    else:
        sources = [exported(path) for path in options.paths]
    right, total, methods = 0, 0, Counter[str]()
    for posts in sources:
        for is_right, post, wanted in judged(posts, truth, judge, options.letters):
            total, right = total + 1, right + is_right
            methods[post["method"]] += 1
            if options.show and not is_right:
                print(f"{post['language']} for {'/'.join(wanted)}: {post['file']} {post['url']}")
                print(f"    {' '.join(post['content_text'][:300].split())}", flush=True)
    print(f"{right} of {total} posts right ({100 * right / max(1, total):.2f} %); ", end="")
    print(", ".join(f"{name} {count}" for name, count in methods.most_common()))


if __name__ == "__main__":
    main()
