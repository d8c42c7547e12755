"""Crawls of a blog whose pages name files in every way that HTML and CSS know: the evidence holds
those that a browser loads, and no other.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.crawling.blog import entries, png, write_blog
from tests.crawling.crawling import crawl
from tests.rendering.browsing import needs_browser
from tests.server import Server

HEAD = """<link rel=stylesheet href=/t/linked.css><style>@import url("/t/inline.css");
h1{background:url(/t/in-style.png)}</style><link rel=icon href=/t/icon.png>
<link rel=apple-touch-icon sizes=60x60 href=/t/not-touch-60.png>
<link rel=apple-touch-icon sizes=180x180 href=/t/touch-180.png>
<link rel=preload as=font crossorigin href=/t/preloaded.woff2>
<link rel=modulepreload href=/t/module.js><link rel=manifest href=/t/app.webmanifest>"""
BODY = """<footer style="background:url(/t/in-attribute.png)"><table background=/t/table.png>
<tr><td>x</table><img src=/t/not-src-1280.png sizes=640px
srcset="/t/src-640.png 640w, /t/not-src-2560.png 2560w">
<picture><source type=image/webp srcset=/t/source.webp><img src=/t/not-fallback.png></picture>
<b style="background-image:image-set('/t/set-1x.png' 1x, '/t/not-set-2x.png' 2x)">x</b>
<video poster=/t/poster.png></video><input type=image src=/t/button.png>
<svg><use href="/t/sprite.svg#a"/><image xlink:href="/t/in-svg.png"/></svg></footer>"""
SHEETS = {
    "linked": "@import 'nested.css'; p{background:url(in-sheet.png)}"
    "@font-face{font-family:F;src:url(not-font.eot);src:url(font.woff2) format('woff2'),"
    "url(not-font.ttf) format('truetype')} body{font-family:F}"
    "@font-face{font-family:G;src:url(lost.woff2) format('woff2'),url(second.woff) format('woff'),"
    "url(not-third.ttf) format('truetype')} h1{font-family:G}",
    "nested": "@import url(deeper.css) screen;",
    "deeper": "h2{background:url(deepest.png)}",
    "inline": "ul{list-style-image:url(bullet.png)}",
    "start": "main{background:url(start.png)}",
}
FILES = """in-style.png icon.png not-touch-60.png touch-180.png preloaded.woff2 module.js
app.webmanifest in-attribute.png table.png not-src-1280.png src-640.png not-src-2560.png source.webp
not-fallback.png set-1x.png not-set-2x.png poster.png button.png sprite.svg in-svg.png in-sheet.png
not-font.eot font.woff2 not-font.ttf second.woff not-third.ttf
deepest.png bullet.png start.png""".split()
NEEDED = {name for name in FILES if not name.startswith("not-")} | {f"{n}.css" for n in SHEETS}


def write_site(site: Path) -> None:
    site.mkdir()
    write_blog(site, entries(6))
    theme = site / "t"
    theme.mkdir()
    for number, name in enumerate(FILES):
        (theme / name).write_bytes(png(number + 9))
    for name, css in SHEETS.items():
        (theme / f"{name}.css").write_text(css)
    for page in site.rglob("index.html"):
        is_start = page.parent == site
        head = "<link rel=stylesheet href=/t/start.css>" if is_start else HEAD
        text = page.read_text().replace("</head>", head + "</head>")
        page.write_text(text if is_start else text.replace("</body>", BODY + "</body>"))


def recorded(archive: Path) -> dict[str, int]:
    """Paths of the answers with status 200 in the evidence, with their number."""
    found: dict[str, int] = {}
    for path in archive.rglob("*.wacz"):
        with zipfile.ZipFile(path) as package:
            for name in filter(lambda name: name.endswith(".warc.gz"), package.namelist()):
                for record in ArchiveIterator(io.BytesIO(package.read(name))):
                    if record.rec_type in ("response", "revisit") and (
                        record.http_headers.get_statuscode() == "200"
                    ):
                        place = urlsplit(record.rec_headers.get_header("WARC-Target-URI")).path
                        found[place] = found.get(place, 0) + 1
    return found


@pytest.mark.parametrize("render", ["never", pytest.param("always", marks=needs_browser)])
def test_the_evidence_holds_what_a_browser_loads(tmp_path: Path, render: str) -> None:
    write_site(tmp_path / "site")
    with Server(tmp_path / "site") as server:
        crawl(server.url, tmp_path / "a", render=render)
        asked = [path for path in server.paths() if path.startswith("/t/")]
    found = {path.removeprefix("/t/") for path in recorded(tmp_path / "a") if "/t/" in path}
    assert found >= NEEDED
    if render == "never":
        assert found == NEEDED
        assert len(asked) == len(set(asked)), "each once, whatever the number of pages"


def test_a_file_that_is_not_there_is_asked_for_once(tmp_path: Path) -> None:
    write_site(tmp_path / "site")
    for gone in (tmp_path / "site" / "t").glob("*.png"):
        gone.unlink()
    with Server(tmp_path / "site") as server:
        crawl(server.url, tmp_path / "a")
        asked = [path for path in server.paths() if path.endswith(".png")]
    assert len(asked) == len(set(asked))
