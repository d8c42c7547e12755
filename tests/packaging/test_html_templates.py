"""Templates escape values, and are found in a zip."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from blogcrawl.packaging.html_templates import render
from tests.eggs import output_from_egg

PACKAGE = Path(__file__).resolve().parents[2] / "blogcrawl"
HOSTILE = "\"><script>alert('x')</script>"


def test_values_are_escaped() -> None:
    fault = {"where": HOSTILE, "kind": HOSTILE, "what": HOSTILE}
    values = dict.fromkeys(("verdict", "summary", "started"), HOSTILE)
    page = render("verify.html", **values, faults=[fault])
    assert "<script" not in page and page.count("&lt;script&gt;") == 9


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("verify.html", summary="T")


def test_templates_are_found_in_a_zipped_egg(tmp_path: Path) -> None:
    script = (
        "from blogcrawl.packaging import html_templates\n"
        "assert '.egg' in html_templates.__file__, html_templates.__file__\n"
        "print(html_templates.render('outline_head.html', base_url='https://a.test/'))"
    )
    printed = output_from_egg(script, tmp_path, ".html")
    assert "https://a.test/" in printed
