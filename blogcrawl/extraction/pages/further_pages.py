"""A post on several pages: ``/a-walk/``, ``/a-walk/2/``, ``/a-walk/3/`` (WordPress's
``<!--nextpage-->`` and its likes).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.dom.links import page_links
from blogcrawl.urls.canonical import canonicalize, same_site
from blogcrawl.urls.shapes import part_number


def further_pages(page: Page) -> list[str]:
    """Return addresses of the other pages of the post on ``page`` that it links to, in their order,
    as far as there is no gap.
    """
    own = canonicalize(page.url)
    numbered: dict[int, str] = {}
    for link in page_links(page):
        number = part_number(canonicalize(link.url), own) if same_site(link.url, page.url) else None
        if number is not None:
            numbered.setdefault(number, link.url)
    out: list[str] = []
    while len(out) + 2 in numbered:
        out.append(numbered[len(out) + 2])
    return out


def joined(post: Post, others: Iterable[Post]) -> Post:
    """Return the post with the content of its further pages behind its own; a page that repeats
    what is there adds nothing.
    """
    for other in others:
        if other.content_text and other.content_text not in post.content_text:
            known = {media.url for media in post.media}
            post = replace(
                post,
                content_html=f"{post.content_html}\n{other.content_html}",
                content_text=f"{post.content_text}\n\n{other.content_text}",
                media=(*post.media, *(media for media in other.media if media.url not in known)),
            )
    return post
