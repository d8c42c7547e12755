"""Marks of posts and of the blog's other pages."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.induction.fingerprint import learn_marks, shares


def page(inner: str, body: str = "single") -> Page:
    return Page(url="http://blog.test/", body=f'<body class="{body}">{inner}</body>'.encode())


def test_labels_of_a_lists_entries_are_no_marks_of_other_pages() -> None:
    """A start page shows posts of an older template next to those of the newest."""
    entries = [f'<div class="{kind}entry"><p class="{kind}date">1</p></div>' for kind in ("", "o-")]
    home = page("".join(entries * 3) + '<p class="pager">2</p>', "home")
    marks = learn_marks([page(entries[0]), page(entries[0])], [home])
    assert marks is not None
    assert set(marks.others) == {"body.home", ".pager"}
    assert shares(page(entries[1]), marks)[2] == 0
