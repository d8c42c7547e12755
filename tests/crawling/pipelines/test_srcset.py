"""Of a responsive picture's files, the one that a desktop browser shows (window 1280 x 900, one
device pixel a CSS pixel).
"""

from __future__ import annotations

from functools import partial

import lxml.html
import pytest

from blogcrawl.crawling.pipelines.srcset import choose, matches, pictures_shown, slot_width
from tests.cpu import loops

SET = "/s.jpg 300w, /m.jpg 768w, /l.jpg 1024w,/xl.jpg 2048w"


@pytest.mark.parametrize(
    ("candidates", "sizes", "wanted"),
    [
        (SET, "(max-width: 1024px) 100vw, 1024px", ["/l.jpg"]),
        (SET, "(max-width: 300px) 100vw, 300px", ["/s.jpg"]),
        (SET, "", ["/xl.jpg", "/l.jpg"]),
        (SET, "50vw", ["/m.jpg"]),
        ("/a,b.jpg 1x, /b.jpg 2x", "", ["/a,b.jpg"]),
        (SET, "auto, (max-width: 1024px) 100vw, 1024px", ["/l.jpg", "/m.jpg"]),
        ("/only.jpg", "", ["/only.jpg"]),
        ("/a.jpg 5..5x, /b.jpg 1x", "", ["/b.jpg"]),
        ("", "", []),
        (",,, , 1x", "", ["1x"]),
    ],
)
def test_srcset_candidate_closest_to_the_width_is_chosen(
    candidates: str, sizes: str, wanted: list[str]
) -> None:
    assert choose(candidates, sizes) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", True),
        ("(min-width: 600px)", True),
        ("(width < 600px)", False),
        ("(width >= 600px)", True),
        ("screen and (max-width: 100em)", True),
        ("(max-width: 40em), print", False),
        ("(prefers-color-scheme: dark)", False),
        ("(min-width: 1.2.3px)", False),
        ("not all", False),
    ],
)
def test_media_queries_select_sources(query: str, wanted: bool) -> None:
    assert matches(query) is wanted


def test_sources_are_taken_in_order_by_type_and_media() -> None:
    html = """<picture><source srcset="/n.avif" media="(width < 400px)" type="image/avif"><source srcset="/w.jxl" type="image/jxl">
    <source srcset="/w.avif 1x, /w2.avif 3x" type="image/avif"><img src="/w.jpg"></picture>"""  # noqa: E501
    picture = next(lxml.html.fromstring(html).iter("img"))
    assert list(pictures_shown(picture)) == ["", "/w.avif"]


def test_src_is_asked_for_where_no_alternative_is_shown() -> None:
    for html, wanted in (
        ("<img src=/s.jpg srcset='/s.jpg 300w, /l.jpg 1280w'>", {"/l.jpg"}),
        ("<img src=/s.jpg srcset=', ,'>", {"/s.jpg"}),
        ("<picture><source srcset=/w.jxl type=image/jxl><img src=/s.jpg></picture>", {"/s.jpg"}),
        ("<img src=/wait.gif data-srcset='/l.jpg 1280w'>", {"/wait.gif", "/l.jpg"}),
    ):
        picture = next(lxml.html.fromstring(f"<div>{html}</div>").iter("img"))
        assert {*pictures_shown(picture)} - {""} == wanted


def test_lazy_loaded_images_are_found() -> None:
    picture = lxml.html.fromstring(
        '<img src="data:," data-src="/late.jpg" data-srcset="/late.jpg 1280w, /big.jpg 9999w">'
    )
    assert list(pictures_shown(picture)) == ["data:,", "/late.jpg", "/late.jpg"]


def test_invalid_sizes_are_ignored() -> None:
    assert (
        slot_width("calc(100vw - 2em)")
        == slot_width("auto")
        == slot_width("1.2.3px") * 1280
        == 1280
    )


def test_long_srcset_attributes_take_linear_time() -> None:
    for text in (".", ",a", "(,", ",", " a"):
        long = text * 500_000 + "\n!"
        assert loops(partial(choose, long, long)) < 300, "once hours"
