"""Templates escape values, stream, and are found in a zip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from blogcrawl.packaging.html_templates import render, stream
from tests.eggs import output_from_egg

PACKAGE = Path(__file__).resolve().parents[2] / "blogcrawl"
HOSTILE = "\"><script>alert('x')</script>"


def test_values_are_escaped() -> None:
    page = render("list.html", title=HOSTILE, url=HOSTILE, pages=[(HOSTILE, HOSTILE, None)])
    assert "<script" not in page and page.count("&lt;script&gt;") == 6


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("list.html", title="T")


def test_an_iterator_is_consumed_while_the_document_is_written() -> None:
    taken = 0

    def pages() -> Iterator[tuple[str, str, None]]:
        nonlocal taken
        for taken in range(1, 1001):
            yield f"{taken}.html", "T", None

    pieces = stream("list.html", title="T\ud800", url=None, pages=pages())
    seen = b""
    while b'href="3.html"' not in seen:
        seen += next(pieces)
    assert taken < 10
    assert b"".join(pieces).endswith(b"</html>\n")


def test_templates_are_found_in_a_zipped_egg(tmp_path: Path) -> None:
    script = (
        "from blogcrawl.packaging import html_templates\n"
        "assert '.egg' in html_templates.__file__, html_templates.__file__\n"
        "print(html_templates.render('list.html', title='Blogs', url=None, pages=[]))"
    )
    printed = output_from_egg(script, tmp_path, ".html")
    assert "<h1>Blogs</h1>" in printed
