"""Which other sites a text links to."""

from __future__ import annotations

import pytest

from blogcrawl.urls.outbound import MAX_HOSTS, linked_hosts


@pytest.mark.parametrize(
    ("html", "hosts"),
    [
        (
            '<a href="https://www.one.example/a">x</a> <a href="http://one.example">y</a>',
            ("one.example",),
        ),
        ('<a href="https://BLOG.example/other">own</a><a href="/own">own</a>', ()),
        ('<a rel="x" href="https://a:b@two.example:8080?x">x</a>', ("two.example",)),
        ('<a href="mailto:a@three.example">x</a>', ()),
        ('<a href="https://[2001:db8::1]/">x</a>', ("[2001:db8::1]",)),
        ('<img src="https://pictures.example/a.png">', ()),
        ("no link", ()),
    ],
)
def test_hosts(html: str, hosts: tuple[str, ...]) -> None:
    assert linked_hosts(html, "https://www.blog.example/post") == hosts


def test_a_list_of_thousands_of_links_is_cut() -> None:
    html = "".join(f'<a href="https://site{n}.example/">x</a>' for n in range(3000))
    assert len(linked_hosts(html, "https://blog.example/")) == MAX_HOSTS
