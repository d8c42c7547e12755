"""What pages say about their use is read as it is written."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.discovery.rights import directives, licence_of

BY = "https://creativecommons.org/licenses/by/4.0/"
BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/"
BY_NC = "https://creativecommons.org/licenses/by-nc/4.0/"
PICTURE = f'Picture: Ann, <a href="{BY}">CC BY</a>'


def page(head: str, body: str = "", **headers: str) -> Page:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Page(
        url="http://b.example/p/",
        body=html.encode(),
        status=200,
        headers={"content-type": "text/html", **fields},
    )


def test_robots_directives_of_head_and_headers_are_read() -> None:
    head = (
        '<meta name="ROBOTS" content="noarchive, \n nofollow"><meta name="googlebot" '
        'content="noindex">'
    )
    head += '<meta name="tdm-reservation" content="1">'
    found = directives(page(head, x_robots_tag="noai"))
    assert found == [
        "x-robots-tag: noai",
        "meta robots: noarchive, nofollow",
        "meta tdm-reservation: 1",
    ]
    assert directives(page("")) == []


@pytest.mark.parametrize(
    ("body", "licence"),
    [
        (
            '<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a>',
            "https://creativecommons.org/licenses/by/4.0/",
        ),
        ('<a rel="nofollow license" href="/terms">x</a>', "http://b.example/terms"),
        ('<a rel="license" href="/one">x</a><a rel="license" href="/two">of a picture</a>', None),
        ('<a rel="license">x</a>', None),
        ("", None),
        (f'<p>All posts: <a href="{BY_SA}">CC BY-SA</a></p>', BY_SA),
        (f'<a href="{BY_SA}">posts</a> <a href="{BY_NC}">pictures</a>', None),
        (f'<p>{PICTURE}</p><footer><a href="{BY_SA}">CC BY-SA</a></footer>', BY_SA),
        (f"<p>{PICTURE}</p>", None),
    ],
)
def test_licence_of_a_page_is_read(body: str, licence: str | None) -> None:
    """A licence that only the text names is that of something in it."""
    assert licence_of(page("", body), [f"<p>{PICTURE}</p>"]) == licence


def test_very_long_rights_values_are_truncated() -> None:
    head = "".join(f'<meta name="robots" content="{n} {"x" * 900}">' for n in range(100))
    found = directives(page(head))
    assert len(found) == 20 and max(map(len, found)) < 520
