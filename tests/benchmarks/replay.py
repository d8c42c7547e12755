"""Does a replayed blog look as it did? Its start page and some posts, live and replayed, in a real
browser.

    python tests/benchmarks/replay.py [--urls http://127.0.0.1:8000/ …] [--archived URL=FOLDER …]
    [--per 20] [--proxy-only] [--pywb DIR] [--out DIR]

Crawls three generated blogs (or ``--urls``; ``--archived``: those with their archives, made
before), serves each archive with ``blogcrawl replay`` and opens the same pages with Chromium: live,
through the replay's proxy (the captured bytes as they are), and at the replay's own addresses
(rewritten). Compared: the text that stands on the page, word by word; for every picture whether it
is shown and how big it is by nature; through the proxy the first 4000 lines of pixels by structural
similarity. Screenshots of all sides are kept in ``--out``. Pages are opened one at a time, as a
reader would.
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from scipy.ndimage import gaussian_filter

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from tests.benchmarks.twice import crawl, long_entries  # noqa: E402
from tests.crawling.blog import write_blog  # noqa: E402
from tests.server import Server  # noqa: E402

LOOK = """() => ({
  text: document.body.innerText.split(/\\s+/).filter(Boolean),
  pictures: [...document.images].map(i => [i.complete && i.naturalWidth > 0, i.naturalWidth, i.naturalHeight]),
})"""  # noqa: E501
SCROLL = """async () => {
  for (let y = 0; y < Math.min(document.body.scrollHeight, 4000); y += 800) {
    scrollTo(0, y); await new Promise(done => setTimeout(done, 100));
  }
  scrollTo(0, 0);
}"""
"""Lets the page load what it loads late."""
SETTLED = "() => [...document.images].every(i => i.complete || i.loading === 'lazy')"
"""Each picture is there or has failed: a slow answer is no difference."""
WAIT = 8_000
"""Milliseconds for each thing that a page is waited for."""
LINES = 4000
ALIKE = 0.95
"""Structural similarity from which pages look the same."""


def similarity(one: Path, other: Path) -> float:
    """Structural similarity of two screenshots, the shorter one continued in white: the mean over
    windows of Gaussian weight (sigma 1.5; K1 = 0.01, K2 = 0.03; Wang, Bovik, Sheikh, Simoncelli:
    Image quality assessment, IEEE Transactions on Image Processing 13, 2004).
    """
    from PIL import Image

    shots = [np.asarray(Image.open(path).convert("L"), dtype=float) for path in (one, other)]
    height = max(len(shot) for shot in shots)
    x, y = (
        np.pad(shot, ((0, height - len(shot)), (0, 0)), constant_values=255.0) for shot in shots
    )

    def mean(values: Any) -> Any:
        return gaussian_filter(values, 1.5, truncate=3.5)

    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    at_x, at_y = mean(x), mean(y)
    of_x, of_y = mean(x * x) - at_x**2, mean(y * y) - at_y**2
    of_both = mean(x * y) - at_x * at_y
    above = (2 * at_x * at_y + c1) * (2 * of_both + c2)
    return float(np.mean(above / ((at_x**2 + at_y**2 + c1) * (of_x + of_y + c2))))


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


def posts(archive: Path, start: str, most: int) -> list[str]:
    """Addresses of the start page and of posts, spread over the blog's life."""
    command = [sys.executable, "-m", "blogcrawl", "export", "--archive", str(archive)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    urls = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    return [start, *urls[:: max(1, len(urls) // most)][:most]]


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
            _in_time(f"{url}: {state}", partial(shown.wait_for_load_state, state, timeout=WAIT))
        shown.evaluate(SCROLL)
        _in_time(f"{url}: pictures", partial(shown.wait_for_function, SETTLED, timeout=WAIT))
        high = min(LINES, int(page.evaluate("document.documentElement.scrollHeight")))
        part = {"x": 0, "y": 0, "width": 1280, "height": max(high, 1)}
        page.screenshot(path=str(picture), full_page=True, clip=part, animations="disabled")
        found: dict[str, Any] = shown.evaluate(LOOK)
        return found
    finally:
        page.close()


def _in_time(what: str, wait: Callable[[], object]) -> None:
    """Wait; a page that never rests is looked at as it is."""
    try:
        wait()
    except Exception as error:
        print(f"    {what} not in {WAIT} ms ({type(error).__name__}), looked at as it is")


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


def one_blog(
    browser: Any, url: str, args: argparse.Namespace, archive: Path | None = None
) -> Counter[str]:
    """How many pages looked the same, by the way of replay; ``pages``: how many there were."""
    with tempfile.TemporaryDirectory() as folder:
        if archive is None:
            archive = Path(folder) / "archive"
            crawl(url, archive)
        out = args.out / (urlsplit(url).netloc.replace(":", "-"))
        out.mkdir(parents=True, exist_ok=True)
        with replayed(url, archive, args.pywb) as start:
            root = start.split("/blog/")[0]
            looks = {"viewport": {"width": 1280, "height": 900}, "ignore_https_errors": True}
            contexts = {
                "live": browser.new_context(service_workers="block", **looks),
                "proxy": browser.new_context(
                    proxy={"server": root, "bypass": "<-loopback>"},
                    service_workers="block",
                    **looks,
                ),
                "rewritten": browser.new_context(**looks),  # a service worker is what rewrites
            }
            if args.proxy_only:
                contexts.pop("rewritten").close()
            found = total(
                one_page(page, root, contexts, out) for page in posts(archive, url, args.per)
            )
            for context in contexts.values():
                context.close()
    print(f"{url}: {summary(found)}; screenshots in {out}", flush=True)
    return found


def one_page(url: str, root: str, contexts: dict[str, Any], out: Path) -> Counter[str]:
    """Compare one page, live and replayed."""
    name = "".join(c if c.isalnum() else "-" for c in urlsplit(url).path.strip("/"))[-60:] or "home"
    shots = {way: out / f"{name}.{way}.png" for way in contexts}
    live = look(contexts["live"], url, shots["live"])
    found = Counter(
        pages=1,
        words=len(live["text"]),
        pictures=sum(1 for picture in live["pictures"] if picture[0]),
    )
    for way in contexts.keys() - {"live"}:
        address = url if way == "proxy" else f"{root}/blog/{url}"
        fault = differences(live, look(contexts[way], address, shots[way]))
        found[way] += not fault
        if fault:
            print(f"    {url} ({way}): {fault}", flush=True)
    ssim = similarity(shots["live"], shots["proxy"])
    found["ssim"] += round(10_000 * ssim)
    found["alike"] += ssim >= ALIKE
    print(f"    {ssim:.4f} {url}", flush=True)
    return found


def total(counters: Iterable[Counter[str]]) -> Counter[str]:
    """The sum; unlike that by ``+`` it keeps zeros."""
    found: Counter[str] = Counter()
    for one in counters:
        found.update(one)
    return found


def summary(found: Counter[str]) -> str:
    same = ", ".join(
        f"{found[way]} of {found['pages']} pages the same {words}"
        for way, words in (("proxy", "through the proxy"), ("rewritten", "rewritten"))
        if way in found
    )
    mean = found["ssim"] / max(1, found["pages"]) / 10_000
    return (
        f"{same} ({found['words']} words, {found['pictures']} pictures shown); "
        f"structural similarity {mean:.4f}, {found['alike']} pages >= {ALIKE}"
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--urls", nargs="*", default=[])
    options.add_argument("--per", type=int, default=20)
    options.add_argument("--pywb", help="folder with pywb's programs")
    options.add_argument("--out", type=Path, default=Path("replay-screenshots"))
    options.add_argument("--archived", nargs="*", default=[], metavar="URL=FOLDER")
    options.add_argument("--proxy-only", action="store_true", help="not the rewritten pages")
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
        if args.urls or args.archived:
            found = [one_blog(browser, url, args) for url in args.urls]
            for one in args.archived:
                url, _, archive = one.rpartition("=")
                found.append(one_blog(browser, url, args, Path(archive)))
        else:
            found = []
            for count in (20, 25, 30):
                with tempfile.TemporaryDirectory() as site, Server(Path(site)) as server:
                    write_blog(Path(site), long_entries(count), base=server.url.rstrip("/"))
                    found.append(one_blog(browser, server.url, args))
        browser.close()
    all_of = total(found)
    print(summary(all_of))
    sys.exit(min(all_of[way] for way in ("proxy", "rewritten") if way in all_of) != all_of["pages"])


if __name__ == "__main__":
    main()
