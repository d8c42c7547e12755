"""Does a replayed blog look as it did? 20 posts of each blog, live and replayed, in a real browser.

    python tests/benchmarks/replay.py [--urls http://127.0.0.1:8000/ …] [--per 20] [--pywb DIR]
    [--out DIR]

Crawls three generated blogs (or ``--urls``), serves each archive with ``blogcrawl replay`` and
opens the same posts with Chromium: live, through the replay's proxy (the captured bytes as they
are), and at the replay's own addresses (rewritten). Compared: the text that stands on the page,
word by word, and for every picture whether it is shown and how big it is by nature. Screenshots of
all sides are kept in ``--out``. Pages are opened one at a time, as a reader would.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from tests.benchmarks.twice import crawl, long_entries  # noqa: E402
from tests.crawling.blog import write_blog  # noqa: E402
from tests.server import Server  # noqa: E402

LOOK = """() => ({
  text: document.body.innerText.split(/\\s+/).filter(Boolean),
  pictures: [...document.images].map(i => [i.complete && i.naturalWidth > 0, i.naturalWidth, i.naturalHeight]),
})"""  # noqa: E501


@contextmanager
def replayed(url: str, archive: Path, pywb: str | None) -> Iterator[str]:
    """``blogcrawl replay`` in a process of its own; the address it prints."""
    command = [
        sys.executable,
        "-m",
        "blogcrawl",
        "replay",
        url,
        "--archive",
        str(archive),
        "--port",
        "0",
        "--json",
    ]
    command += ["--pywb", pywb] if pywb else []
    server = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        lines = []
        for line in server.stdout:
            lines.append(line)
            if line.startswith("}"):
                break
        ready = json.loads("".join(lines))
        if "url" not in ready:
            raise SystemExit(f"replay: {ready}")
        yield str(ready["url"])
    finally:
        server.terminate()
        server.wait(30)


def posts(archive: Path, most: int) -> list[str]:
    """Addresses of posts, spread over the blog's life."""
    command = [sys.executable, "-m", "blogcrawl", "export", "--archive", str(archive)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    urls = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    return urls[:: max(1, len(urls) // most)][:most]


def look(context: Any, url: str, picture: Path) -> dict[str, Any]:
    """What stands on the page. pywb shows it in a frame below its banner; that frame is the page
    then.
    """
    page = context.new_page()
    try:
        page.goto(url, wait_until="domcontentloaded", timeout=60_000)
        for _ in range(
            150 if "/blog/http" in url else 0
        ):  # the first page waits until the service worker is there
            if any("mp_/" in frame.url for frame in page.frames):
                break
            page.wait_for_timeout(200)
        shown = next((frame for frame in page.frames if "mp_/" in frame.url), page.main_frame)
        for state in ("load", "networkidle"):
            try:
                shown.wait_for_load_state(state, timeout=8_000)
            except Exception as error:  # a page that never rests is looked at as it is
                print(f"    {url}: {state} not in 8 s ({type(error).__name__}), looked at as it is")
        page.screenshot(path=str(picture))
        found: dict[str, Any] = shown.evaluate(LOOK)
        return found
    finally:
        page.close()


def differences(live: dict[str, Any], again: dict[str, Any]) -> str:
    """What differs, in one line; empty where nothing does."""
    faults = []
    if live["text"] != again["text"]:
        at = next(
            (
                n
                for n, pair in enumerate(zip(live["text"], again["text"], strict=False))
                if pair[0] != pair[1]
            ),
            -1,
        )
        faults.append(
            f"text: {len(live['text'])} and {len(again['text'])} words, "
            f"{live['text'][at : at + 4]} is {again['text'][at : at + 4]}"
        )
    if live["pictures"] != again["pictures"]:
        wrong = sum(a != b for a, b in zip(live["pictures"], again["pictures"], strict=False))
        faults.append(
            f"pictures: {len(live['pictures'])} and {len(again['pictures'])}, {wrong} differ"
        )
    return "; ".join(faults)


def one_blog(browser: Any, url: str, args: argparse.Namespace) -> Counter[str]:
    """How many posts looked the same, by the way of replay; ``posts``: how many there were."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        crawl(url, archive)
        out = args.out / (urlsplit(url).netloc.replace(":", "-"))
        out.mkdir(parents=True, exist_ok=True)
        with replayed(url, archive, args.pywb) as start:
            root = start.split("/blog/")[0]
            looks = {"viewport": {"width": 1280, "height": 900}, "ignore_https_errors": True}
            plain = browser.new_context(service_workers="block", **looks)
            proxied = browser.new_context(
                proxy={"server": root, "bypass": "<-loopback>"}, service_workers="block", **looks
            )
            rewritten = browser.new_context(**looks)  # a service worker is what rewrites
            for post in posts(archive, args.per):
                name = (
                    "".join(c if c.isalnum() else "-" for c in urlsplit(post).path.strip("/"))[-60:]
                    or "home"
                )
                live = look(plain, post, out / f"{name}.live.png")
                found["posts"] += 1
                found["words"] += len(live["text"])
                found["pictures"] += sum(1 for picture in live["pictures"] if picture[0])
                for way, context, address in (
                    ("proxy", proxied, post),
                    ("rewritten", rewritten, f"{root}/blog/{post}"),
                ):
                    fault = differences(live, look(context, address, out / f"{name}.{way}.png"))
                    found[way] += not fault
                    if fault:
                        print(f"    {post} ({way}): {fault}", flush=True)
            plain.close()
            proxied.close()
            rewritten.close()
    print(f"{url}: {summary(found)}; screenshots in {out}", flush=True)
    return found


def summary(found: Counter[str]) -> str:
    same = (
        f"{found['proxy']} of {found['posts']} posts the same through the proxy, "
        f"{found['rewritten']} rewritten"
    )
    return f"{same} ({found['words']} words, {found['pictures']} pictures shown)"


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--urls", nargs="*", default=[])
    options.add_argument("--per", type=int, default=20)
    options.add_argument("--pywb", help="folder with pywb's programs")
    options.add_argument("--out", type=Path, default=Path("replay-screenshots"))
    args = options.parse_args()
    from playwright.sync_api import sync_playwright

    path = next(
        filter(
            None,
            (shutil.which(n) for n in ("chromium-headless-shell", "chromium", "google-chrome")),
        ),
        None,
    )
    with sync_playwright() as machine:
        browser = machine.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        if args.urls:
            found = [one_blog(browser, url, args) for url in args.urls]
        else:
            found = []
            for count in (20, 25, 30):
                with tempfile.TemporaryDirectory() as site, Server(Path(site)) as server:
                    write_blog(Path(site), long_entries(count), base=server.url.rstrip("/"))
                    found.append(one_blog(browser, server.url, args))
        browser.close()
    total = sum(found, Counter())
    print(summary(total))
    sys.exit(min(total["proxy"], total["rewritten"]) != total["posts"])


if __name__ == "__main__":
    main()
