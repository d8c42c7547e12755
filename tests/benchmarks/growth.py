"""Does an archive of 100,000 posts cost 100 times what one of 1,000 costs? Packages written, then
listed, exported, checked.

    python tests/benchmarks/growth.py [--posts 100000] [--folder DIR]

Small posts (2 kB, two comments), one process. At each tenfold: CPU per package of the last thousand
and how many times that is what an empty archive takes then, memory of the writer, then CPU per post
and peak memory of ``list``, ``export``, ``verify`` and of an OAI-PMH harvest of identifiers, each
in a process of its own. 100,000 posts take 3.4 million inodes and 10 to 17 GB.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)

from blogcrawl.core.config import Config  # noqa: E402
from blogcrawl.packaging import ids  # noqa: E402
from blogcrawl.packaging.aip import entry_aip  # noqa: E402
from blogcrawl.storage.archive import open_archive  # noqa: E402
from blogcrawl.storage.ocfl import open_store  # noqa: E402
from blogcrawl.storage.state import open_state  # noqa: E402
from blogcrawl.storage.tables import BlogRow, PostRow  # noqa: E402
from tests.memory import peak_kilobytes  # noqa: E402
from tests.packaging.samples import BLOG, MOMENT, entry  # noqa: E402

SMALL = {
    "content_html": "<p>" + "word & text " * 160 + "</p>",
    "content_text": "word & text " * 160,
}
LAST = 1000
HARVEST = """
import sys
from sickle import Sickle
from blogcrawl.core.config import Config
from blogcrawl.core.organization import Organization
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.web.oai import Provider
config = Config(archive=sys.argv[1])
provider = Provider(open_state(config), open_store(config), operator=Organization(contact="a@b.example"), base_url="http://x/")
class Answer:
    encoding = "utf-8"
    def __init__(self, content): self.content, self.text = content, content.decode()
harvester = Sickle("http://x/", encoding="utf-8")
harvester.harvest = lambda **arguments: __import__("sickle.response", fromlist=["x"]).OAIResponse(Answer(provider.answer(arguments.items())), arguments)
print(sum(1 for _ in harvester.ListIdentifiers(metadataPrefix="oai_dc")))
"""  # noqa: E501


def write(folder: str, start: int, end: int) -> float:
    """Posts ``start`` to ``end`` into the archive; CPU seconds of building, storing and noting the
    last thousand, a package.
    """
    config = Config(archive=folder)
    open_archive(config, now=MOMENT)
    state, store = open_state(config), open_store(config)
    blog_id = ids.blog_id(BLOG.url)
    state.save_blog(BlogRow(id=blog_id, url=BLOG.url, title=BLOG.title))
    spent = 0.0
    for number in range(start, end):
        source = entry(number, comments=2, source=b"<html>" + b"x" * 2000, post_changes=SMALL)
        began = time.process_time()
        version = store.put(
            ids.urn(ids.entry_id(source.post.canonical_url)),
            entry_aip(source),
            message="bench",
            created=MOMENT,
        )
        published = MOMENT + timedelta(minutes=number)
        state.save_post(
            PostRow(
                blog_id=blog_id,
                url=source.post.canonical_url,
                published=published,
                aip_id=version.object_id,
                aip_version=1,
                first_seen=MOMENT,
                last_seen=MOMENT,
            )
        )
        spent += time.process_time() - began if number >= end - LAST else 0
    state.close()
    return spent / min(LAST, end - start)


def run(*command: str) -> tuple[float, int]:
    """CPU seconds and peak memory (MB) of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["/usr/bin/env", "bash", "-c", 'exec "$@" > /dev/null', "run", sys.executable, *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        after.ru_maxrss // 1024,
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--posts", type=int, default=100_000)
    options.add_argument(
        "--folder",
        default=None,
        help="where the archive is made (default: the system's folder for temporary files)",
    )
    args = options.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        start, end = 0, min(1000, args.posts)
        while start < args.posts:
            each = write(folder, start, end)
            with tempfile.TemporaryDirectory(dir=args.folder) as empty:
                times = each / write(empty, 0, LAST)
            memory = peak_kilobytes() // 1024
            print(
                (
                    f"{end:7} posts: {1000 * each:.2f} ms of CPU to write one, {times:.2f} of an "
                    f"empty archive's; {memory} MB"
                ),
                flush=True,
            )
            cli = ("-m", "blogcrawl")
            for name, command in (
                ("list", (*cli, "list", "--archive", folder)),
                ("export jsonl", (*cli, "export", "--archive", folder)),
                ("verify", (*cli, "verify", "--archive", folder)),
                ("OAI identifiers", ("-c", HARVEST, folder)),
            ):
                seconds, peak = run(*command)
                print(
                    (
                        f"          {name:16} {seconds:8.2f} s of CPU, {1000 * seconds / end:6.3f} "
                        f"ms a post; {peak} MB"
                    ),
                    flush=True,
                )
            start, end = end, min(end * 10, args.posts)


if __name__ == "__main__":
    main()
