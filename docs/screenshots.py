"""Take the pictures of docs/: archive the example blog and photograph the reading room.

python docs/screenshots.py        # writes docs/pictures/*.png; needs Chromium
"""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from blogcrawl.crawling.handlers.browser import find_browser

HERE = Path(__file__).resolve().parent
ROOM_PORT = 8080
BLOG_PORT = 8000
PATIENCE_SECONDS = 60
SIZE = {"width": 1100, "height": 720}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def blogcrawl(*words: str) -> list[str]:
    """Return a command line of the program."""
    return [sys.executable, "-m", "blogcrawl", *words]


def wait_for(url: str) -> None:
    """Return when a server answers."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def first(page: Page, part: str) -> str:
    """Return where the first link whose address has ``part`` leads."""
    return str(page.locator(f"main a[href*='{part}']").first.evaluate("a => a.href"))


def photograph(page: Page, folder: Path) -> None:
    """Write a picture of each of the pages that the documentation explains."""
    room = f"http://127.0.0.1:{ROOM_PORT}"

    def take(name: str, url: str) -> None:
        page.goto(url)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=folder / f"{name}.png")

    page.goto(f"{room}/")
    blog = first(page, "/blog/")
    page.goto(blog)
    post = first(page, "/post/")
    take("missing", f"{blog}/missing")
    take("post", post)
    take("inspector", first(page, "/inspect") + "?field=title")
    take("search", f"{room}/search?q=lantern")


def main() -> None:
    """Archive the example blog in a folder that goes away, and take the pictures."""
    program = find_browser()
    if program is None:
        sys.exit("no Chromium found: install it, or set BLOGCRAWL_BROWSER_PATH")
    folder = HERE / "pictures"
    folder.mkdir(exist_ok=True)
    serve = functools.partial(Quiet, directory=str(HERE / "example-blog"))
    blog = http.server.ThreadingHTTPServer(("127.0.0.1", BLOG_PORT), serve)
    threading.Thread(target=blog.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as work:
        environment = os.environ | {"BLOGCRAWL_ARCHIVE": f"{work}/archive"}
        crawl = blogcrawl("crawl", "--delay", "0", f"http://127.0.0.1:{BLOG_PORT}/")
        subprocess.run(crawl, env=environment, check=True, cwd=HERE.parent)
        room = subprocess.Popen(
            blogcrawl("serve", "--port", str(ROOM_PORT)), env=environment, cwd=HERE.parent
        )
        try:
            wait_for(f"http://127.0.0.1:{ROOM_PORT}/")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else []
                )
                photograph(browser.new_page(viewport=SIZE, locale="en"), folder)
                browser.close()
        finally:
            room.terminate()
            room.wait(PATIENCE_SECONDS)
    blog.shutdown()


if __name__ == "__main__":
    main()
