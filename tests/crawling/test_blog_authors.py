from __future__ import annotations

import pytest

from blogcrawl.core.records import Blog
from blogcrawl.crawling.blog_authors import with_authors

ANN, BO, CY = ("Ann Lee",), ("Bo Day",), ("Cy Fox",)


@pytest.mark.parametrize(
    ("declared", "bylines", "wanted"),
    [
        pytest.param(ANN, [ANN] * 20 + [BO] * 30, ("Bo Day", "Ann Lee"), id="by-posts"),
        pytest.param((), [ANN] * 20 + [BO] * 5 + [CY] * 2, ("Ann Lee", "Bo Day"), id="few-posts"),
        pytest.param((), [ANN] * 90 + [BO] * 8, ANN, id="small-share"),
        pytest.param(BO, [ANN] * 90 + [BO] * 2, ("Ann Lee", "Bo Day"), id="guest-named-by-feed"),
        pytest.param((), [(*ANN, *BO)] * 3, ("Ann Lee", "Bo Day"), id="together"),
        pytest.param((), [ANN, BO, ("Ann Lee & Bo Day",)], ("Ann Lee", "Bo Day"), id="in-one-name"),
        pytest.param((), [("Ann & Bo",)] * 3 + [ANN], ("Ann & Bo",), id="one-name"),
        pytest.param((), [ANN, BO], ("Ann Lee", "Bo Day"), id="one-post-each"),
        pytest.param((), [ANN, ("ann  lee",), ("Ann Lee ",), ANN], ANN, id="spellings"),
        pytest.param(("Ann",), [ANN] * 9, ANN, id="first-name"),
        pytest.param(("Fox",), [("foxmaster",)] * 9, ("foxmaster", "Fox"), id="few-letters"),
        pytest.param(("Yuan",), [("wuxiaoyuan",)] * 9, ("wuxiaoyuan",), id="login-of-it"),
        pytest.param(("admin", "The Blog"), [ANN] * 9, ANN, id="login-or-title"),
        pytest.param(("Cy Fox",), [ANN] * 9, ("Ann Lee", "Cy Fox"), id="another"),
        pytest.param(("Cy Fox",), [(), ()], CY, id="posts-name-no-one"),
        pytest.param(("Cy Fox",), [ANN, None], CY, id="not-kept"),
    ],
)
def test_regular_authors_of_posts_are_the_blogs(
    declared: tuple[str, ...], bylines: list[tuple[str, ...] | None], wanted: tuple[str, ...]
) -> None:
    blog = Blog(url="https://b.example/", title="The Blog", authors=declared)
    found = with_authors(blog, bylines)
    assert found.authors == wanted
    assert with_authors(found, bylines).authors == wanted
