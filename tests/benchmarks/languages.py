"""Languages of archived posts against a list of the right ones.

    python tests/benchmarks/languages.py --truth truth.jsonl POSTS.jsonl …

POSTS: what ``blogcrawl export --format jsonl`` writes. ``truth.jsonl``: a line a post, ``url`` and
``languages``: every code that is right, several for a post that quotes as much as it says;
optionally ``file``, a part of the path of the export that it is about. Posts with fewer letters
than ``--letters`` are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from blogcrawl.text.language import primary


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


def letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def judged(
    posts: Path, truth: Mapping[tuple[str, str], Sequence[str]], least: int
) -> Iterator[tuple[bool, dict[str, Any], Sequence[str]]]:
    """Each post of which the language is known: is it right, the post, the right ones."""
    named = [name for name, _ in truth]
    file = next((name for name in dict.fromkeys(named) if name and name in posts.parts), "")
    for post in lines(posts):
        right = truth.get((file, place(post["url"])))
        if right is not None and letters(post["content_text"]) >= least:
            yield primary(post["language"] or "und") in map(primary, right), post, right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--letters", type=int, default=200)
    parser.add_argument("--show", action="store_true", help="name the wrong ones")
    parser.add_argument("posts", nargs="+", type=Path)
    options = parser.parse_args()
    truth = {
        (line.get("file", ""), place(line["url"])): line["languages"]
        for line in lines(options.truth)
    }
    right, total, methods = 0, 0, Counter[str]()
    for path in options.posts:
        for is_right, post, wanted in judged(path, truth, options.letters):
            total, right = total + 1, right + is_right
            methods[post["extraction"].get("language", {}).get("method") or "none"] += 1
            if options.show and not is_right:
                print(f"{post['language']} for {'/'.join(wanted)}: {post['url']}")
    print(f"{right} of {total} posts right ({100 * right / max(1, total):.2f} %); ", end="")
    print(", ".join(f"{name} {count}" for name, count in methods.most_common()))


if __name__ == "__main__":
    main()
