"""Templates escape values, stream, and are found in a zip."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from blogcrawl.packaging.html_templates import render, stream

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
    egg = tmp_path / "blogcrawl.egg"
    with zipfile.ZipFile(egg, "w") as package:
        for path in PACKAGE.rglob("*"):
            if path.suffix in (".py", ".html"):
                package.write(path, path.relative_to(PACKAGE.parent))
    script = (
        "from blogcrawl.packaging import html_templates\n"
        "assert '.egg' in html_templates.__file__, html_templates.__file__\n"
        "print(html_templates.render('list.html', title='Blogs', url=None, pages=[]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(egg)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "<h1>Blogs</h1>" in done.stdout, done.stderr
