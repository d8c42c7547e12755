"""Inline SVG: what draws something becomes a picture, what is a sign goes."""

from __future__ import annotations

import base64
import re

import pytest
from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.extraction.content.clean import CleanContent, clean_content
from blogcrawl.extraction.content.drawings import DRAWN

GRAPH = (
    '<svg viewBox="0 0 10 10" onload="alert(1)"><title>Tides of May</title><defs>'
    '<linearGradient id="g" gradientUnits="userSpaceOnUse"><stop offset="5%"/></linearGradient>'
    '</defs><use xlink:href="#g"/><path d="M0 0L9 9" fill="url(#g)" onclick="alert(2)"/>'
    "<text>high<script>alert(3)</script></text><foreignObject><p onclick='alert(4)'>low</p>"
    "</foreignObject></svg>"
)


def clean(inner: str) -> CleanContent:
    body = f"<html><body><article><p>The tide came in.</p>{inner}<p>It went.</p></article>"
    page = Page(url="https://blog.example/p", body=body.encode())
    return clean_content(page.tree.find(".//article"), page)


def drawn(content: CleanContent) -> list[bytes]:
    addresses = re.findall(r'<img src="([^"]*)"', content.html)
    return [base64.b64decode(url.removeprefix(DRAWN)) for url in addresses]


def test_a_drawing_is_kept_as_a_picture_with_its_name() -> None:
    content = clean(GRAPH)
    assert 'alt="Tides of May"' in content.html
    assert (content.text, content.media) == ("The tide came in.\nIt went.", ())
    [markup] = drawn(content)
    root = etree.fromstring(markup)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == "0 0 10 10"


def test_names_that_the_parser_of_html_folds_are_those_of_svg_again() -> None:
    [markup] = drawn(clean(GRAPH))
    assert b'<linearGradient id="g" gradientUnits="userSpaceOnUse">' in markup
    assert b'<use xlink:href="#g"/>' in markup


def test_nothing_in_a_drawing_acts() -> None:
    [markup] = drawn(clean(GRAPH))
    assert not re.search(rb"script|\son[a-z]+=|alert", markup)


def test_labels_in_html_stay_readable() -> None:
    """Mermaid writes its labels so."""
    [markup] = drawn(clean(GRAPH))
    assert b'<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">low</p>' in markup
    untitled = GRAPH.replace("<title>Tides of May</title>", "")
    assert 'alt="high low"' in clean(untitled).html


RAYS = '<path d="M1 1"></path>' * 12


@pytest.mark.parametrize(
    ("markup", "is_drawn"),
    [
        (f"<svg>{RAYS}</svg>", True),
        ('<svg><path d="M1 1"/></svg>', False),
        ('<figure><svg><path d="M1 1"/></svg></figure>', True),
        ('<figure><svg><use href="#sun"/></svg></figure>', False),
        (f"<a href=/x><svg>{RAYS}</svg></a>", False),
        (f"<button><svg>{RAYS}</svg></button>", False),
        ("<svg><text> </text></svg>", False),
        (f"<mjx-container><svg>{RAYS}</svg></mjx-container>", False),
        (f'<span class="MathJax_SVG"><svg>{RAYS}</svg></span>', False),
        ("<svg><text>words</text></svg>", True),
        (f"<svg><svg>{RAYS}</svg></svg>", True),
        (f"<svg>{RAYS * 400}</svg>", False),
    ],
)
def test_signs_and_huge_drawings_are_not_kept(markup: str, is_drawn: bool) -> None:
    content = clean(markup)
    assert content.html.count("<img") == is_drawn
    assert content.text.endswith("It went.")
