"""The files that a style sheet makes a browser load."""

from __future__ import annotations

from functools import partial

import pytest

from blogcrawl.crawling.pipelines.style_sheets import fonts_instead, named_in_style
from tests.cpu import loops


@pytest.mark.parametrize(
    ("css", "wanted"),
    [
        ("@import 'a.css'; @import url(b.css) screen and (color);", ["a.css", "b.css"]),
        ("@IMPORT URL( \"a.css\" ) layer(x) supports(display: 'flex');", ["a.css"]),
        ("@charset 'utf-8'; @namespace svg url(http://www.w3.org/2000/svg);", []),
        ("p{} @import 'late.css';", []),
        ("p{background:url(a.png)} /* url(b.png) */ q{content:'url(c.png)'}", ["a.png"]),
        ("p{background:url( 'a b.png' ), url(\"c(1).png\")}", ["a b.png", "c(1).png"]),
        (r"p{background:url(a\(1\).png), url(\62 .png)}", ["a(1).png", "b.png"]),
        ("p{background:URL(a.png);background:url(a.png)}", ["a.png"]),
        ("background:url(a.png) no-repeat; color: red", ["a.png"]),
        ("p{*background:url(ie7.png);_background:url(ie6.png);behavior:url(pie.htc)}", []),
        ("p{--x:url(a.png);cursor:url(b.cur),auto;mask:url(#m)}", ["a.png", "b.cur", "#m"]),
        ("@supports (background: url(x.png)) {p{list-style:url(a.png)}}", ["a.png"]),
        ("p{background:url(a.png", ["a.png"]),
        ("p{background:url('a.png", ["a.png"]),
        ("p{background:curl(a.png)}", []),
    ],
)
def test_url_and_import(css: str, wanted: list[str]) -> None:
    assert named_in_style(css) == wanted


@pytest.mark.parametrize(
    ("css", "wanted"),
    [
        ("image-set('a.png' 1x, 'b.png' 2x)", ["a.png"]),
        ("-webkit-image-set(url(a.png) 2x, url(b.png) 1x), url(c.png)", ["b.png", "c.png"]),
        ("image-set('a.avif' type('image/avif'), 'a.png' type('image/png'))", ["a.avif"]),
        ("image-set('a.png' 96dpi, 'b.png' 192dpi), linear-gradient(red, rgb(0 0 0))", ["a.png"]),
        ("image-set('a.png' 1x) / 'words'", ["a.png"]),
    ],
)
def test_of_an_image_set_one(css: str, wanted: list[str]) -> None:
    assert named_in_style("p{background:" + css + "}") == wanted


@pytest.mark.parametrize(
    ("descriptors", "wanted"),
    [
        ("src:url(f.eot);src:url(f.eot?#ie) format('embedded-opentype'),url(f.woff2)", ["f.woff2"]),
        ("src:local(F),url(f.woff2) format(woff2),url(f.woff) format(woff)", ["f.woff2"]),
        ("src:url(f.ttf) format('truetype'),url(f.svg#f) format('svg')", ["f.ttf"]),
        ("src:url(f) format('new') , url(g) format(\"opentype\")", ["g"]),
        ("src:url(f.eot)", []),
    ],
)
def test_of_a_font_the_first_that_browsers_read(descriptors: str, wanted: list[str]) -> None:
    assert named_in_style("@font-face{font-family:F;" + descriptors + "}") == wanted


def test_of_a_missing_font_the_next_that_browsers_read() -> None:
    css = (
        "@font-face{src:url(f.eot);src:url(f.eot) format('embedded-opentype'),"
        "url(f.woff) format('woff'),url(f.svg) format('svg'),url(f.ttf) format('truetype')}"
        "@font-face{src:url(g.woff2)} p{background:url(p.png)}"
    )
    assert fonts_instead(css) == {"f.woff": "f.ttf"}


def test_sheets_without_end_are_read_in_linear_time() -> None:
    for text in (
        *("url(", "/*", "/", "'", '"', "\\", "@import ", "image-set(", "a:url(b);", "{", "("),
        *("@font-face{src:", "src:url(a),", "image-set('a' type(", "url( ", "*/ url(a) "),
    ):
        assert loops(partial(named_in_style, "p{" + text * (2**20 // len(text)))) < 500, text
