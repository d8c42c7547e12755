"""Pages that end before their template does, because the transfer or the program that makes them
broke off: they lack the end tag that nearly all pages of the blog have."""

from __future__ import annotations

from collections.abc import Sequence

from blogcrawl.core.evidence import MOST, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.induction.ruleset import RuleSet

END = (b"</body", b"</html")


def are_ended(pages: Sequence[Page]) -> bool:
    """Return whether the blog's template writes the end tag."""
    return sum(map(_is_ended, pages)) >= max(SEVERAL, MOST * len(pages))


def breaks_off(page: Page, post: Post, ruleset: RuleSet) -> bool:
    """Return whether the page of a post that rules read as they read those that have the end tag
    has none."""
    is_read = any(value.get("method") == "rules" for value in post.extraction.values())
    return ruleset.facts.ended and is_read and not _is_ended(page.whole or page)


def ends_amid(page: Page, ruleset: RuleSet) -> bool:
    """Return whether a page that is no post ends amid a text or a tag, without the end tag."""
    body = page.body.rstrip()
    return ruleset.facts.ended and bool(body) and not (body.endswith(b">") or _is_ended(page))


def _is_ended(page: Page) -> bool:
    body = page.body.lower()
    return any(tag in body for tag in END)
