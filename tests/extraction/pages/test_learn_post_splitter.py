"""What the anchors of posts on a page of several have in common."""

from __future__ import annotations

import re

import pytest

from blogcrawl.extraction.pages.learn_post_splitter import forms_of


@pytest.mark.parametrize(
    ("values", "others", "none"),
    [
        (["post-1", "post-27", "post-3"], ["post-400"], ["comment-1"]),
        (
            ["2023-07-07-one-boat", "2023-06-29-tar", "2023-05-02-oars"],
            ["2022-12-01-a-kettle"],
            ["top", "a-2023"],
        ),
        (["entry-of-may", "entry-on-tar"], ["entry-x"], ["nav"]),
        (["tar", "kettle"], ["boat"], []),
    ],
    ids=["numbers", "days of one year", "a word", "nothing"],
)
def test_forms_fit_the_anchors_of_older_posts(
    values: list[str], others: list[str], none: list[str]
) -> None:
    forms = forms_of(values)

    def fits(value: str) -> bool:
        return any(re.fullmatch(form, value) for form in forms)

    assert all(map(fits, [*values, *others]))
    assert not any(map(fits, none))
