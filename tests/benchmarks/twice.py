"""What a second crawl of an unchanged blog adds to the archive folder, in per cent of the first
crawl's bytes.

    python tests/benchmarks/twice.py [--posts 100] [--urls http://127.0.0.1:8000/ …]

Crawls a generated blog (or each of ``--urls``), again (an update), and again with ``--full``;
counts every byte of the folder, packages, evidence and state apart. The aim is less than 2 % each,
over packages and evidence.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from tests.crawling.blog import Entry, entries, write_blog  # noqa: E402
from tests.server import Server  # noqa: E402


def sizes(archive: Path) -> Counter[str]:
    """Bytes of files by the part of the archive folder they lie in."""
    out: Counter[str] = Counter()
    for path in archive.rglob("*"):
        if path.is_file() and not path.is_symlink():
            part = path.relative_to(archive).parts[0]
            out[
                "state"
                if part.startswith("state.db") or path.name.startswith("captures.db")
                else part
            ] += path.stat().st_size
    return out


def crawl(url: str, archive: Path, *more: str) -> None:
    command = [
        sys.executable,
        "-m",
        "blogcrawl",
        "crawl",
        url,
        "--archive",
        str(archive),
        "--delay",
        "0",
        "--render",
        "never",
        "--json",
        *more,
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=archive.parent,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 11):
        raise SystemExit(done.stderr[-2000:] + done.stdout[-2000:])


def measure(url: str) -> float:
    """Crawl three times; the worse of the two further crawls' shares."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        crawl(url, archive)
        before = first = sizes(archive)
        total = sum(first.values()) - first["state"]
        print(f"{url}: first crawl {total / 2**20:.2f} MB  {dict(first)}")
        for name, more in (("crawl again", ()), ("crawl --full", ("--full",))):
            crawl(url, archive, *more)
            now = sizes(archive)
            added = {part: now[part] - before[part] for part in sorted(now)}
            share = (sum(added.values()) - added["state"]) / total
            print(f"  {name:14} {share:7.2%}  {added}")
            worst, before = max(worst, share), now
    return worst


def long_entries(count: int) -> list[Entry]:
    """Posts of about 20 kB, whose words come from no dictionary: text as
    compressible as text is.
    """
    dice = random.Random(7)
    words = ["".join(dice.choices("aeioulnrstdmkgp", k=dice.randint(2, 9))) for _ in range(4000)]
    return [
        Entry(number=e.number, slug=e.slug, text=" ".join(dice.choices(words, k=2600)))
        for e in entries(count)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--posts", type=int, default=100)
    options.add_argument("--urls", nargs="*", default=[])
    given = options.parse_args(arguments)
    if given.urls:
        worst = max(measure(url) for url in given.urls)
    else:
        with tempfile.TemporaryDirectory() as site, Server(Path(site)) as server:
            write_blog(Path(site), long_entries(given.posts), base=server.url.rstrip("/"))
            worst = measure(server.url)
    print(f"worst {worst:.2%}")


if __name__ == "__main__":
    main()
