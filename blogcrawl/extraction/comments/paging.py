"""Further pages of one post's comments."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urlsplit

from blogcrawl.page import Page

COMMENT_PAGE = re.compile(
    r"/comment-page-(\d+)/?$|/comments/(?:page/)?(\d+)/?$|[?&](?:cpage|commentpage|comment_page|comments_page|comments-page|commentspage|page_comment|pagecomments|cp)=(\d+)(?:&|$)",
    re.I,
)
"""WordPress (pretty and plain), Blogger's ``?commentPage=``, and the names that other engines give the parameter."""

MAX_PAGES = 200
"""Comment pages of one post: 200 x 50 comments is beyond every known blog; a calendar-like trap ends here."""


def comment_pages(page: Page) -> list[str]:
    """URLs of other comment pages of this post that the page links to, lowest number first, without fragments."""
    here = urldefrag(page.url)[0]
    stem = post_stem(here)
    out: dict[str, int] = {}
    for link in page.tree.iter("a", "link"):
        href = link.get("href")
        if not href or len(href) > 2000 or not COMMENT_PAGE.search(href.split("#")[0]):
            continue
        url = page.absolute(href)
        if url is None:
            continue
        url = urldefrag(url)[0]
        if url == here or post_stem(url) != stem:
            continue
        number = page_number(url)
        if number is not None and 0 < number <= MAX_PAGES:
            out[url] = number
    return sorted(out, key=lambda u: (out[u], u))


def page_number(url: str) -> int | None:
    """Which comment page a URL names; None: the post itself."""
    found = COMMENT_PAGE.search(url)
    return int(next(g for g in found.groups() if g)) if found else None


def post_stem(url: str) -> tuple[str, str, str]:
    """What is the same in all comment pages of one post: host, path and query without the page's number."""
    bare = COMMENT_PAGE.sub(lambda m: "&" if m.group(0).endswith("&") and "?" not in m.group(0) else "", url.split("#")[0])
    parts = urlsplit(bare)
    return (parts.hostname or "").removeprefix("www."), parts.path.rstrip("/"), parts.query.strip("&")
