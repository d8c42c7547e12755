"""Style sheets that an archived page names, whatever it writes for an address."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.web.sheets import Sheet, fill, place_sheets, unloaded

BASE = "http://b.example/2024/one/"


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("<link rel=stylesheet href=../a.css>", [("http://b.example/2024/a.css", "")]),
        (
            "<link rel=stylesheet href=/a.css media=print>",
            [("http://b.example/a.css", "print")],
        ),
        ("<style>@import 'b.css' screen; p {}</style>", [(BASE + "b.css", "screen")]),
        ("<link rel='alternate stylesheet' href=/a.css>", []),
        ("<link rel=stylesheet href='http://['>", [("", "")]),
        ("<style>@import url(http://[::1);</style>", [("", "")]),
    ],
)
def test_style_sheets_are_named_in_order(head: str, named: list[tuple[str, str]]) -> None:
    tree = lxml.html.document_fromstring(f"<html><head>{head}</head><body><p>x</p></body></html>")
    assert place_sheets(tree, BASE, "m") == [Sheet(*one) for one in named]
    assert len(tree.xpath("//style[starts-with(., '/*m')]")) == len(named)


def test_style_sheet_cannot_end_its_element() -> None:
    html = fill("<style>/*m0*/</style>", "m", {0: "p {}</style><script>alert(1)</script><!--"})
    [style] = lxml.html.document_fromstring(html).iter("style")
    assert "alert(1)" in style.text and "<script" not in html.replace(style.text, "")


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("a{background:url(x.png) no-repeat}", "a{background:none no-repeat}"),
        ("a{background:URL( 'x).png' )}", "a{background:none}"),
        (
            '@font-face{src:url("f.woff") format("woff"),url(g)}',
            '@font-face{src:none format("woff"),none}',
        ),
        (
            "a{background:url(data:image/png;base64,AA==)}",
            "a{background:url(data:image/png;base64,AA==)}",
        ),
        ("a{fill:url(#gradient)}", "a{fill:url(#gradient)}"),
        ("a{background:url(", "a{background:url("),
    ],
)
def test_rules_load_nothing(css: str, kept: str) -> None:
    assert unloaded(css) == kept
