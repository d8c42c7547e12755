"""What the feed said of a post that it shows no more: the archive remembers, so that a second look
at the page takes nothing back.
"""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.moved_posts import archived_post
from blogcrawl.crawling.session import Session
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text


def remembered(session: Session, key: str, page: Page) -> FeedEntry | None:
    """As an entry what a feed once said of the post at ``key``, whose page is ``page`` now; None
    where no feed said anything.

    A title counts only while the page still shows it.
    """
    post = archived_post(session, key)
    if post is None:
        return None

    def told(name: str) -> bool:
        return "feed" in str((post.extraction.get(name) or {}).get("method"))

    shown = fold(f"{document_title(page)} {node_text(page.tree)}").casefold()
    title = (
        post.title
        if told("title") and post.title and fold(post.title).casefold() in shown
        else None
    )
    entry = FeedEntry(
        url=post.url,
        title=title,
        authors=post.authors if told("authors") else (),
        published=post.published if told("published") else None,
        published_raw=post.published_raw if told("published") else None,
        modified=post.modified if told("modified") else None,
        modified_raw=post.modified_raw if told("modified") else None,
        tags=post.tags if told("tags") else (),
        summary_html=post.excerpt if told("excerpt") else None,
    )
    return entry if entry != FeedEntry(url=post.url) else None


def entry_of(session: Session, key: str, page: Page) -> FeedEntry | None:
    """Return what a source says of the post at ``key``, whose page is ``page``; in an update also
    what one said when the post was archived.
    """
    found = session.knowledge.told(key) if session.knowledge is not None else None
    return found if found is not None or session.feeds is None else remembered(session, key, page)
