"""How fast packages are made and stored, and what evidence costs.

    python -m tests.benchmarks.packages [--posts 300] [--folder DIR]

Posts of 20 kB with 10 comments and no media; one process, one core. Prints packages a second
(built; built and stored with every flush to the disk), both by the clock and by CPU time, the
growth with the number of posts, and WARC exchanges.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import EntryInput, entry_aip
from blogcrawl.storage.evidence import EvidenceWriter
from blogcrawl.storage.ocfl import open_store
from tests.packaging.samples import MOMENT, entry


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - cpu


def line(what: str, count: int, spent: tuple[float, float]) -> None:
    clock, cpu = spent
    print(
        f"{what:42} {count / clock:8.0f}/s by the clock  {count / cpu:8.0f}/s of CPU  "
        f"{1000 * cpu / count:6.2f} ms CPU each"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--posts", type=int, default=300)
    options.add_argument(
        "--folder",
        default=None,
        help="where the store is made (default: the system's folder for temporary files)",
    )
    args = options.parse_args()
    sources = [entry(number, comments=10) for number in range(args.posts)]
    line("entry AIPs built", args.posts, timed(lambda: [entry_aip(source) for source in sources]))
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        store = open_store(Config(archive=folder))

        def put(chunk: list[EntryInput]) -> None:
            for source in chunk:
                store.put(
                    ids.urn(ids.entry_id(source.post.canonical_url)),
                    entry_aip(source),
                    message="bench",
                    created=MOMENT,
                )

        quarter = max(1, args.posts // 4)
        total = (0.0, 0.0)
        for start in range(0, args.posts, quarter):
            spent = timed(lambda start=start: put(sources[start : start + quarter]))  # type: ignore[misc]
            total = (total[0] + spent[0], total[1] + spent[1])
            line(f"built and stored, from {start}", len(sources[start : start + quarter]), spent)
        line("built and stored, all", args.posts, total)
        line("put again, unchanged", args.posts, timed(lambda: put(sources)))
        out = EvidenceWriter(Path(folder) / "evidence", info={})
        pages = [
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + s.source + os.urandom(16)
            for s in sources
        ]
        text = [(b"<p>" + s.post.content_text.encode() + b"</p>") for s in sources]

        def record() -> None:
            for number, (page, words) in enumerate(zip(pages, text, strict=True)):
                out.exchange(
                    f"https://b.example/{number}",
                    b"GET / HTTP/1.1\r\n\r\n",
                    page + words,
                    date=datetime.now(UTC),
                )
            out.close()

        line("WARC exchanges of 40 kB", args.posts, timed(record))


if __name__ == "__main__":
    main()
