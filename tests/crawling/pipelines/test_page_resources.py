"""What a browser loads to show a page: one test a kind of reference."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.crawling.pipelines.page_resources import (
    named_in_sheet,
    pictures_of,
    sheets_of,
    theme_of,
)

BASE = "http://blog.test/2024/post/"


def page(html: str) -> Page:
    return Page(url=BASE, body=html.encode(), headers={"content-type": "text/html"})


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<link rel=stylesheet href=/a.css#x>", ["/a.css"]),
        ("<link rel='alternate stylesheet' href=/a.css>", ["/a.css"]),
        ("<link rel=alternate href=/feed.xml>", []),
        ("<link rel='shortcut icon' href=/a.ico>", ["/a.ico"]),
        ("<link rel=modulepreload href=/a.mjs>", ["/a.mjs"]),
        ("<link rel=manifest href=/a.json>", ["/a.json"]),
        ("<link rel=preload as=font href=/a.woff2>", ["/a.woff2"]),
        ("<link rel=preload as=style href=/a.css>", ["/a.css"]),
        ("<link rel=preload as=fetch href=/a.json>", []),
        ("<link rel=prefetch href=/next/>", []),
        (
            "<link rel=preload as=image href=/a.jpg imagesrcset='/s.jpg 1280w, /l.jpg 4000w'>",
            ["/s.jpg"],
        ),
        (
            "<link rel=apple-touch-icon sizes=57x57 href=/57.png>"
            "<link rel=apple-touch-icon sizes=180x180 href=/180.png>",
            ["/180.png"],
        ),
        ("<script src=/a.js></script>", ["/a.js"]),
        ("<script src=https://www.google-analytics.com/ga.js></script>", []),
        (
            "<style><!-- @import '/a.css'; b{background:url(/b.png)} --></style>",
            ["/a.css", "/b.png"],
        ),
    ],
)
def test_theme(markup: str, wanted: list[str]) -> None:
    found = theme_of(page(f"<html><head>{markup}</head><body></body></html>"))
    assert list(found) == [f"http://blog.test{path}" for path in wanted]


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<img src=/a.png>", ["/a.png"]),
        ("<img src='data:image/png;base64,AA'>", []),
        ("<img srcset='/s.jpg 640w, /l.jpg 1280w' sizes=640px>", ["/s.jpg"]),
        ("<picture><source srcset=/a.webp type=image/webp><img></picture>", ["/a.webp"]),
        ("<b style='background:url(/a.png)'>x</b>", ["/a.png"]),
        ('<b style=\'background:image-set("/a.png" 1x, "/b.png" 2x)\'>x</b>', ["/a.png"]),
        ("<table background=/a.png><tr><td background=/b.png>x</table>", ["/a.png", "/b.png"]),
        ("<video poster=/a.png src=/a.mp4></video>", ["/a.png"]),
        ("<input type=image src=/a.png><input src=/b.png>", ["/a.png"]),
        ("<object data=/a.svg></object><object data=/a.swf></object>", ["/a.svg"]),
        ("<svg><use href='/a.svg#x'/><use href='#y'/></svg>", ["/a.svg"]),
        ("<svg><image xlink:href=/a.png /><feImage href=/b.png /></svg>", ["/a.png", "/b.png"]),
    ],
)
def test_pictures(markup: str, wanted: list[str]) -> None:
    found = pictures_of(page(f"<html><body>{markup}</body></html>"))
    assert list(dict.fromkeys(found)) == [f"http://blog.test{path}" for path in wanted]


def test_style_sheets_are_those_of_links_and_styles() -> None:
    head = (
        "<link rel=stylesheet href=a.css><script src=a.js></script><style>@import 'b.css'</style>"
    )
    assert list(sheets_of(page(f"<html><head>{head}</head></html>"))) == [
        BASE + "a.css",
        BASE + "b.css",
    ]


def test_references_of_a_sheet_are_relative_to_the_sheet() -> None:
    sheet = Page(
        url="http://blog.test/css/a.css", body=b"@import url('b.css'); p{background:url(../p.png)}"
    )
    assert named_in_sheet(sheet) == ["http://blog.test/css/b.css", "http://blog.test/p.png"]
