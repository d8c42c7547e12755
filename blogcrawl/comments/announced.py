"""What a page announces of its comments: their number, further pages of them, their feed."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urldefrag, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.sources import tail_of
from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.evidence import FOLLOWING
from blogcrawl.core.page import Page
from blogcrawl.lexicon.comment_words import COUNT, COUNT_AFTER, NONE, ONE, UNIT_ID, names_section
from blogcrawl.text.lengths import MAX_LABEL, MAX_TITLE
from blogcrawl.text.visible import Texts, node_text
from blogcrawl.urls.canonical import canonicalize, same_site


def shown_count(page: Page, content: HtmlElement | None = None) -> int | None:
    """Return the number in the comment section's heading or counter, else in a link to it, 0 where
    the page says there are none, None where it is silent.
    """
    banned: set[HtmlElement] = set(content.iter()) if content is not None else set()
    for text in (*_headings(page.tree, banned), *_links_to_section(page, banned)):
        count = read_count(text)
        if count is not None:
            return count
    return None


def listed_counts(page: Page) -> dict[str, int]:
    """Return the numbers of comments that links of a list show ("3 comments"), by the canonical URL
    of the post that each leads to."""
    found: dict[str, int] = {}
    for link in page.tree.iter("a"):
        text = node_text(link)
        url = page.absolute(link.get("href", "")) if len(text) < MAX_LABEL else None
        count = read_count(text) if url is not None else None
        if url is not None and count is not None:
            found[canonicalize(url)] = count
    return found


def says_none(text: str) -> bool:
    """Does a heading say that there are no comments?"""
    return NONE.search(text) is not None


def read_count(text: str) -> int | None:
    """Number of comments in one heading: ``4 comments``, ``Kommentare (3)``, ``One response``,
    ``コメント: 2``, ``no comments yet``.
    """
    if NONE.search(text):
        return 0
    for pattern in (COUNT, COUNT_AFTER):
        found = pattern.search(text)
        if found:
            return int(found.group(1))
    return 1 if ONE.search(text) else None


def _headings(root: HtmlElement, banned: set[HtmlElement]) -> list[str]:
    """Return candidates, most reliable first: schema.org's count, titles in the comment section,
    then other comment counters of the page.
    """
    titles: list[str] = []
    counters: list[str] = []
    known: dict[HtmlElement, bool] = {}
    texts = Texts()
    for element in root.iter(*_HEADINGS, "p", "span", "a", "div", "strong", "legend", "li"):
        if element in banned or len(element) > FOLLOWING or not _may_count(element):
            continue
        text = texts.of(element)
        if 0 < len(text) <= MAX_TITLE and _is_about(element, known) and not _has_unit(element):
            is_title = element.tag in _HEADINGS or _is_titled(element)
            (titles if is_title else counters).append(text)
    return _schema_counts(root) + titles + counters


def _links_to_section(page: Page, banned: set[HtmlElement]) -> list[str]:
    """Return the texts of links to the comments of this very page ("No comments", below the title),
    whatever the elements around them are called."""
    here = canonicalize(page.url)
    out: list[str] = []
    for link in page.tree.iter("a"):
        url, fragment = urldefrag((link.get("href") or "")[:MAX_READ])
        if link in banned or not _is_sections(fragment):
            continue
        text = node_text(link)
        if 0 < len(text) <= MAX_LABEL and (not url or _leads_to(page, url, here)):
            out.append(text)
    return out


def _is_sections(fragment: str) -> bool:
    """Return whether a fragment names the comments, or the form below them, and no single one."""
    return _ELSEWHERE.search(fragment) is not None and UNIT_ID.match(fragment) is None


def _leads_to(page: Page, href: str, here: str) -> bool:
    url = page.absolute(href)
    return url is not None and canonicalize(url) == here


def _schema_counts(root: HtmlElement) -> list[str]:
    out = []
    for meta in root.xpath("//*[@itemprop='commentCount' or @itemprop='interactionCount']"):
        value = meta.get("content") or node_text(meta)
        found = re.search(r"(?:UserComments:)?(\d{1,6})\s*$", value or "")
        if found:
            out.append(f"{found.group(1)} comments")
    return out


def _may_count(element: HtmlElement) -> bool:
    """Return whether the element is a heading or has the name of a comment counter, and is not a
    comment itself or the text of one."""
    if _is_unit(element):
        return False
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return element.tag in _HEADINGS or (len(names) > 1 and _may_be_counter(names))


def _is_unit(element: HtmlElement) -> bool:
    return UNIT_ID.match(element.get("id") or "") is not None


def _has_unit(element: HtmlElement) -> bool:
    """Return whether a comment stands in the element: no heading, be the comment as short."""
    return any(map(_is_unit, element.iterdescendants(etree.Element)))


def _is_titled(element: HtmlElement) -> bool:
    own = element.get("id") or ""
    return own == "comments" or "title" in f"{own} {element.get('class') or ''}"


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TEXTS = re.compile(r"(?:^|[-_ ])comment[-_]?(?:body|content|text)|commenttext", re.I)


@lru_cache(maxsize=4096)
def _may_be_counter(names: str) -> bool:
    named = "omment" in names or "respons" in names.lower() or names_section(names)
    return named and not _named_of_others(names)


_OTHERS = re.compile(r"sidebar|widget|related|recent|popular", re.I)


@lru_cache(maxsize=4096)
def _named_of_others(names: str) -> bool:
    """Ids and classes of lists of other posts, and of comments themselves."""
    return _OTHERS.search(names) is not None or _TEXTS.search(names) is not None


def _is_about(element: HtmlElement, known: dict[HtmlElement, bool]) -> bool:
    """Not a list of other posts with their counters, not a comment itself. ``known``: of the
    elements around those asked about before, whether they stand in such, which is added to."""
    if element.tag == "a" and "#" not in (element.get("href") or ""):
        return False
    passed: list[HtmlElement] = []
    in_others = False
    for ancestor in element.iterancestors(etree.Element):
        if ancestor in known:
            in_others = known[ancestor]
            break
        passed.append(ancestor)
        if (in_others := _is_of_others(ancestor)) or _is_section(ancestor):
            break
    known.update(dict.fromkeys(passed, in_others))
    return not in_others


def _is_section(element: HtmlElement) -> bool:
    """Return whether the element is the comments' own section, whatever stands around it: Blogger's
    posts are a widget too."""
    return names_section(element.get("id") or "")


def _is_of_others(element: HtmlElement) -> bool:
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    if len(names) > 1 and (_named_of_others(names) or _is_unit(element)):
        return True
    return element.tag in ("aside", "nav", "footer") and "omment" not in names


COMMENT_PAGE = re.compile(
    r"/comment-page-(\d+)(?:/(?:index\.html?)?)?$"
    r"|/comments/(?:page/)?(\d+)(?:/(?:index\.html?)?)?$"
    r"|[?&](?:cpage|commentpage|comment_page|comments_page|comments-page|commentspage|page_comment"
    r"|pagecomments|cp)=(\d+)(?:&|$)",
    re.I,
)
"""WordPress (pretty, plain, static copies), Blogger's ``?commentPage=``, and the names that other
engines give the parameter.
"""
_INDEX = re.compile(r"/index\.html?$", re.I)

_IN_PARENTHESES = re.compile(r"[(\[]\d{1,5}[)\]]$")
_ELSEWHERE = re.compile(r"comment|coment|komment|talkback|reactie|respon[sd]|discuss", re.I)
_QUOTED = re.compile(
    r"[\"']([^\"']{0,300}?(?:comment|coment|komment|talkback)[^\"']{0,300})[\"']", re.I
)
MAX_PAGES = 1_000
"""Comment pages of one post: 50,000 comments on pages of 50; a calendar-like trap ends here."""


def comment_pages(page: Page) -> list[str]:
    """URLs of other comment pages of this post that the page links to, lowest number first, without
    fragments.
    """
    linked = _linked_comment_pages(page)
    stem = post_stem(urldefrag(page.url)[0])
    own = [url for url in linked if post_stem(url) == stem]
    return sorted(own or _numbered(linked), key=lambda url: (page_number(url) or 0, url))


def _linked_comment_pages(page: Page) -> dict[str, set[str]]:
    """Return the addresses of comment pages of this site that the page links to, and the texts of
    the links."""
    here = urldefrag(page.url)[0]
    linked: dict[str, set[str]] = {}
    for link in page.tree.iter("a", "link"):
        url = _comment_page(page, link.get("href") or "")
        if url is None or url == here or not same_site(url, here):
            continue
        if 0 < (page_number(url) or 0) <= MAX_PAGES:
            linked.setdefault(url, set()).add(node_text(link))
    return linked


def _numbered(linked: dict[str, set[str]]) -> list[str]:
    """Return the comment pages below another address of the post: links whose text is the page's
    number, as only its pager has them, all of them with the same stem."""
    numbered = [url for url, texts in linked.items() if str(page_number(url)) in texts]
    return numbered if len({post_stem(url) for url in numbered}) == 1 else []


def _comment_page(page: Page, href: str) -> str | None:
    """Return the absolute address of a link whose address is that of a comment page."""
    if len(href) > MAX_READ or not COMMENT_PAGE.search("/" + href.split("#")[0]):
        return None
    url = page.absolute(href)
    return urldefrag(url)[0] if url else None


def comments_elsewhere(page: Page) -> list[str]:
    """Return where the post's comments have a page of their own, as early engines had in a window:
    the address behind their number ("Comments (3)", "(3) Comments") or which a click opens in a
    window, which speaks of comments and names the post as the page's own address does."""
    here = urldefrag(page.url)[0]
    own = _marks_of(page.url)
    found = {url for link in page.tree.iter("a") if (url := _said_at(page, link)) is not None}
    found = {url for url in found - {here} if same_site(url, here) and own & _marks_of(url)}
    return list(found) if len(found) == 1 else []


def _said_at(page: Page, link: HtmlElement) -> str | None:
    """Return where a link says that there are comments, None where it does not."""
    opened = _comments_url(page, _opened_by(link))
    url = opened or _comments_url(page, link.get("href") or "")
    text = f"{_number_before(link)} {node_text(link)}" if url is not None else ""
    if not 0 < len(text) <= MAX_LABEL:
        return None
    return url if read_count(text) or (opened and not says_none(text)) else None


def _opened_by(link: HtmlElement) -> str:
    """Return the script that opens a window where a link is clicked, or ""."""
    script = (link.get("onclick") or "")[:MAX_READ]
    return f"javascript:{script}" if "open(" in script else ""


def _number_before(link: HtmlElement) -> str:
    """Return the number in parentheses that stands right before a link, or ""."""
    previous = link.getprevious()
    text = previous.tail if previous is not None else link.getparent().text
    found = _IN_PARENTHESES.search((text or "")[-MAX_LABEL:].rstrip())
    return found.group() if found else ""


def _comments_url(page: Page, href: str) -> str | None:
    """Return the absolute address of a link whose address speaks of comments, without its
    fragment."""
    if href.lower().startswith("javascript:"):
        quoted = _QUOTED.search(href)
        href = quoted.group(1) if quoted else ""
    if len(href) >= MAX_READ or not _ELSEWHERE.search(href):
        return None
    url = page.absolute(href)
    return urldefrag(url)[0] if url else None


def _marks_of(url: str) -> set[str]:
    """Return what names a post in an address: numbers without leading zeros, perhaps with marks of
    the kind of page behind them (``12_0_1_0_C``), and long names."""
    words = re.split(r"[/?&=.;:,#]+", unquote(url.split("://", 1)[-1].partition("/")[2]).lower())
    numbers = (word.partition("_")[0] for word in words)
    return {word.lstrip("0") for word in numbers if word.isdecimal() and word.strip("0")} | {
        w for w in words if len(w) > 8 and ("-" in w or "_" in w)
    }


def page_number(url: str) -> int | None:
    """Which comment page a URL names; None: the post itself."""
    found = COMMENT_PAGE.search(url)
    return int(next(g for g in found.groups() if g)) if found else None


def post_stem(url: str) -> tuple[str, str, str]:
    """Return what is the same in all comment pages of one post: host, path and query without the
    page's number.
    """
    bare = COMMENT_PAGE.sub(
        lambda m: "&" if m.group(0).endswith("&") and "?" not in m.group(0) else "",
        url.split("#")[0],
    )
    parts = urlsplit(bare)
    return (
        (parts.hostname or "").removeprefix("www."),
        _INDEX.sub("", parts.path).rstrip("/"),
        parts.query.strip("&"),
    )


def announced_feed(page: Page) -> str | None:
    """Return the feed of this post's comments: the first that the page's head announces, otherwise
    the first that the page links to.
    """
    linked: str | None = None
    for link in page.tree.iter("link", "a"):
        url = page.absolute(link.get("href") or "") if _leads_to_feed(link) else None
        if url is not None and _is_feed_of(url, page.url):
            if link.tag == "link":
                return url
            linked = linked or url
    return linked


def _leads_to_feed(link: HtmlElement) -> bool:
    kind = (link.get("type") or "").lower()
    if link.tag == "link":
        return "alternate" in (link.get("rel") or "") and bool(re.search(r"rss|atom|rdf", kind))
    said = f"{kind} {link.get('class') or ''} {link.text or ''} {link.get('href') or ''}"
    return re.search(r"rss|atom|feed", said, re.I) is not None


def _is_feed_of(url: str, post_url: str) -> bool:
    """Return whether a feed's address is below the post's own, the post's with a query, or
    Blogger's by number."""
    own, tail = tail_of(post_url.split("?")[0].split("#")[0]), tail_of(url.split("?")[0])
    if re.search(r"/feeds/\d+/comments/", tail):
        return True
    if own and own == tail:
        return re.search(r"[?&]feed=", url) is not None
    is_below = len(own) > 1 and tail.startswith(own + "/")
    return is_below and bool(re.search(r"/(?:feed|rss|atom|rdf|comments)", tail[len(own) :]))
