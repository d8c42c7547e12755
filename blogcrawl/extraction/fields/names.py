"""Names: of the site (to keep it out of titles and authors) and of people (to keep everything else
out of authors).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import SEVERAL, SOME
from blogcrawl.core.page import Page, kept
from blogcrawl.core.records import FieldValue
from blogcrawl.dates.parse import is_moment
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.embedded import embedded, types_of
from blogcrawl.induction.scoring import name_of
from blogcrawl.induction.template import TemplateModel
from blogcrawl.lexicon.vocabulary import any_of, word_set
from blogcrawl.text.lengths import MAX_BYLINE, MAX_WORDS
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import host_of

_WEIGHTS = confidences("title")

AND = re.compile(r"\s{1,20}(?:und|and|et|y|e|og|och|en|&)\s{1,20}", re.I)
"""Between two persons' names."""
SEPARATOR = re.compile(
    r"\s{1,20}[|\-–—·»«›‹<>•:~/⋅∣★┃|]{1,2}\s{1,20}|\s{0,20}[|»«┃|]\s{0,20}|\s{1,20}::\s{1,20}|"
    r"\s{0,20}[:»|]$|\s{0,20}(?=[(（](?:19|20)\d\d[-/.年])"
)
"""Between a post's title and the site's name in document titles, or that and a date in brackets."""
_COLON = re.compile(r"[:：]\s{1,20}")
"""Between the site's name and a post's title behind it; titles have colons themselves, so only what
is known to be a name is cut off."""
MARKS = re.compile(rf"{SEPARATOR.pattern}|\s{{0,20}}[@＠:：]\s{{1,20}}")
"""Between a title and a name behind it of which many titles show that it is the site's."""
_BRACKETED = re.compile(r"(?<=\S)\s{1,20}[(（]([^()（）]{2,80})[)）]$")
"""What stands in brackets at the end of a title: "Day 58 (Ann's Weblog)"."""
_NOT_NAMES = word_set("bylines", "account", "generic", "service")
_NEWSROOM = word_set("bylines", "newsroom")
"""A byline that names no person still says who: it counts where no person is named."""
ROLES = any_of("bylines", "role", "signed")
"""Words before an author's name that mean nothing else, in the wording of themes of some thirty
languages.
"""
LABELS = any_of("bylines", "label")
"""Words before an author's name that mean much else too: they count at the beginning of a line,
before a colon or slash.
"""
BY = any_of("bylines", "by")
_LEAD = re.compile(
    rf"^\W*(?:(?:{any_of('bylines', 'text_lead')})\s++)*"
    rf"(?:{any_of('bylines', 'text', 'written')})"
    rf"(?:\s+(?:und|and|&|y|et|e)\s+[^\W\d_]+)?\s*"
    rf"(?:(?:{BY}|{any_of('bylines', 'of')})(?=\W|$)\s*[:：]?|[:：])\s*",
    re.I,
)
"""What themes write before the name of which it is the text: "Text und Interview: …", "Alle Artikel
von …".
"""
_BARE = word_set("bylines", "bare")
"""Words of bylines that are left where the name stands elsewhere."""
_ROLES = re.compile(
    (
        rf"^(?:(?:written|posted|published|authored)\s*(?:by)?|"
        rf"(?:{ROLES})(?:[/*:_·]-?in(?:nen)?)?(?=\W)(?:\s*by\b)?)\s*[:：-]?\s*"
    ),
    re.I,
)
_HANDLE = re.compile(
    r"\s{1,20}\(?@[\w.-]{1,80}\)?$|^\W{0,40}[→➔»›>]\s{0,20}|\s{0,20}\|?\s{1,20}(?:Mon|Tues|"
    r"Wednes|Thurs|Fri|Satur|Sun)day$"
)
"""What stands next to a name in its line: the address in a network, an arrow, the day."""
_TAIL = re.compile(
    (
        r"\s{0,20},\s{0,20}\d.{0,300}$|\s{1,20}(?:on|am|le|at|in|·|\||-|–|—|•)\s{1,20}(?=.{0,"
        r"100}\d).{0,200}$|\s{0,20}[|·•,]\s{0,20}$"
    ),
    re.I,
)
_NO_AUTHOR = re.compile(
    r"\b(?:comments?|posts?|minutes?|views?|reply)\b"
    rf"|^(?:{any_of('bylines', 'not_at_start.picture')})\w*(?=\W)"
    rf"|^(?:{any_of('bylines', 'not_at_start.text')})(?:\s|$)|\d[./]\d|^\d+\s+de\s",
    re.I,
)
_SIGNS = (
    r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-"
    r"\u17ff\u200c\u200d"
)
"""Vowel signs and joiners within words, which ``\\w`` doesn't match: Hebrew, Arabic, Indic scripts,
Thai, Lao, Burmese, Khmer.
"""
_WORD = rf"(?:[^\W\d_][\w'’.{_SIGNS}-]*)"
_PERSON = re.compile(rf"{_WORD}(?:\s{_WORD}){{1,3}}")
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
PARTICLES = word_set("bylines", "particle")
_NO_PERSON = re.compile(any_of("bylines", "not_in_person"), re.I)
_PLACEHOLDERS = word_set("bylines", "account", "account_only")
_NO_NAMES = _NOT_NAMES - {"admin", "administrator", *_NEWSROOM}
"""Words that are no one's name even where nothing better is known."""


_LOGIN = re.compile(r"[a-z0-9][a-z0-9_.-]{0,30}")
_LINKS_WITH = etree.XPath("/descendant::a[contains(@href, $word) or contains(@href, '%')]")
_AUTHORS_PAGE = re.compile(
    (
        r"(?:^|[/?&_-])(?:authors?|aut(?:or|eur|ore)e?s?|users?|profiles?|people|person|writers?|"
        r"members?(?:id)?|staff)[/=_-]"
    ),
    re.I,
)


@lru_cache(maxsize=4096)
def is_placeholder(name: str) -> bool:
    """What engines write for an author where no one has set a name; also twice ("user user"), and
    with a number."""
    words = fold(name).casefold().partition("@")[0].rstrip("0123456789 .").lstrip(" .").split()
    return bool(words) and ("-".join(words) in _PLACEHOLDERS or _PLACEHOLDERS.issuperset(words))


@lru_cache(maxsize=4096)
def is_newsroom(name: str) -> bool:
    """What a newsroom calls itself in the place of an author."""
    return _key(name) in _NEWSROOM


@kept
def site_names(page: Page) -> frozenset[str]:
    """Return folded, case-folded names that the page gives for its site."""
    return declared_names(page) | _keys(_home_links(page))


@kept
def title_names(page: Page) -> frozenset[str]:
    """``site_names`` and the site's address as a name: ``jane`` and ``jane.org`` of
    ``www.jane.org``.
    """
    host = host_of(page.url).removeprefix("www.")
    labels = host.split(".")
    own = max(labels[:-1], key=len, default="")
    return site_names(page) | {name for name in (host, plain(host), plain(own)) if len(name) > 2}


def declared_names(page: Page) -> frozenset[str]:
    """Return the names that stand in the head. A link to the start page is no proof: on many a blog
    it is the author's name.
    """
    data = embedded(page)
    found = [
        data.first("og:site_name"),
        data.first("application-name"),
        data.first("apple-mobile-web-app-title"),
    ]
    for item in data.linked:
        kinds = types_of(item)
        if kinds & {"WebSite", "Organization", "Blog"} and isinstance(item.get("name"), str):
            found.append(item["name"])
        publisher = item.get("publisher")
        if isinstance(publisher, dict) and isinstance(publisher.get("name"), str):
            found.append(publisher["name"])
    return _keys(found)


def _keys(found: Iterable[str | None]) -> frozenset[str]:
    return frozenset(key for text in found if text and 1 < len(key := _key(text)) <= 80)


def _home_links(page: Page) -> list[str]:
    """Return texts of links to the root of the site: banner, breadcrumb."""
    out: list[str] = []
    parts = urlsplit(page.url)
    homes = {
        "/",
        f"{parts.scheme}://{parts.netloc}",
        f"{parts.scheme}://{parts.netloc}/",
        f"//{parts.netloc}/",
        f"//{parts.netloc}",
    }
    for anchor in page.tree.iter("a"):
        if anchor.get("href", "") in homes or "home" in anchor.get("rel", "").split():
            out.append(squeeze(anchor.text_content()))
            if len(out) > 6:
                break
    return out


def _key(text: str) -> str:
    return fold(text).casefold().strip(" .,;:|-–—·»«›‹")


def same_headings(pages: Sequence[Page], titles: Iterable[str | None] = ()) -> list[str]:
    """Return the headings, folded, that are the template's: the site's and those of its boxes,
    which stand where the title does on pages of an older template. None of the posts' ``titles``
    is, nor a heading below the first level that is a link: popular posts are on all pages.
    """
    headings = [
        {_key(node_text(h)) for h in islice(_own_headings(page), MAX_TRIED)} - {""}
        for page in pages
    ]
    template = TemplateModel.learn(headings)
    own = _keys(titles) | titles_of_few(pages)
    return sorted(filter(template.has, set().union(*headings) - own))


def titles_of_few(pages: Sequence[Page]) -> set[str]:
    """Return the parts, folded, of the documents' titles that few of the pages have there: posts'
    titles, though others show them in a box of popular posts."""
    documents = [fold(document_title(page)).casefold() for page in pages]
    parts = set(chain.from_iterable(map(SEPARATOR.split, documents))) - {""}
    return {
        part
        for part in parts
        if sum(part in document for document in documents) < max(SEVERAL, SOME * len(pages))
    }


def _own_headings(page: Page) -> Iterator[HtmlElement]:
    """Yield the headings of a page that hold no link and stand in none, as those of cards do, and
    all of the first level."""
    headings = page.tree.iter("h1", "h2", "h3", "h4", "h5", "h6")
    return (h for h in headings if h.tag == "h1" or next(_links_of(h), None) is None)


def _links_of(heading: HtmlElement) -> Iterator[HtmlElement]:
    return chain(heading.iter("a"), heading.iterancestors("a"))


def is_site_name(text: str, names: frozenset[str]) -> bool:
    return _key(text) in names or plain(text) in names


def segments(title: str, names: frozenset[str], between: re.Pattern[str] = SEPARATOR) -> str:
    """Return a title without the site's name at either end: ``"A - b | Site"`` gives ``"A - b"``
    where Site is known; and without a byline before that: ``"A | by Ann | Site"``.

    ``between``: what parts the two; any mark may where many titles have the name (``MARKS``).
    """
    text = title.strip()
    if not names:
        return text
    for _round in range(3):
        cut = _cut(text, names, between)
        if cut == text:
            break
        text = _SIGNED_END.sub("", cut)
    return text


_SIGNED_END = re.compile(rf"(?<=\S)\s\|\s(?:{any_of('bylines', 'by')})\s[^|]{{1,{MAX_BYLINE}}}$")


def end_of(title: str, between: re.Pattern[str] = SEPARATOR) -> str:
    """Return what stands behind the last separator of a title, or in brackets at its end, folded;
    "" where there is none."""
    bracketed = _BRACKETED.search(title)
    if bracketed is not None:
        return _key(bracketed[1])
    *_, last = [None, *between.finditer(title)]
    return _key(title[last.end() :]) if last is not None else ""


def is_in_brackets(title: str) -> bool:
    """Return whether something stands in brackets at the end of a title."""
    return _BRACKETED.search(title) is not None


def starts_of(title: str) -> set[str]:
    """Return the parts of a title, folded, behind which a separator or colon stands; all of one
    without any."""
    found = sorted(m.span() for each in (SEPARATOR, _COLON) for m in each.finditer(title))
    begins = (0, *(end for _, end in found))
    parts = zip(begins, found or [(len(title), 0)], strict=False)
    return {_key(title[begin:end]) for begin, (end, _) in parts if begin <= end} - {""}


def without_ends(
    titles: Iterable[FieldValue], ends: AbstractSet[str], between: re.Pattern[str] = SEPARATOR
) -> list[FieldValue]:
    """Return titles without what many of the blog's titles end with."""
    names = frozenset(ends)
    return [
        replace(v, value=segments(v.value, names, between))
        if ends and end_of(v.value, between) in ends
        else v
        for v in titles
    ]


def own_part(
    document: str, ends: AbstractSet[str], between: re.Pattern[str] = SEPARATOR
) -> list[FieldValue]:
    """Return the document's title without what the blog's titles have in common at either end;
    nothing where it has none of that.
    """
    own = segments(document, frozenset(ends), between)
    if own == document.strip() or _key(own) in ends:
        return []
    return [
        FieldValue(
            value=own,
            method="title",
            confidence=_WEIGHTS["without_site_name"],
            rule="title without site name",
        )
    ]


def _cut(text: str, names: frozenset[str], between: re.Pattern[str]) -> str:
    pairs = [
        (text[: match.start()].strip(), text[match.end() :].strip())
        for match in between.finditer(text)
    ]
    bracketed = _BRACKETED.search(text)
    if bracketed is not None:
        pairs.append((text[: bracketed.start()].strip(), bracketed[1]))
    for head, tail in reversed(
        pairs
    ):  # the site's name is the shortest end, behind marks of quotes
        if head and tail and is_site_name(tail, names):
            return head
    leads = [(text[: m.start()].strip(), text[m.end() :].strip()) for m in _COLON.finditer(text)]
    for head, tail in [*pairs, *leads]:
        if head and tail and is_site_name(head, names):
            return tail
    return text


def as_author(text: str) -> str | None:
    """Return a person's name out of what stands in an author's place; None where it is no name
    (URL, date, sentence, role).
    """
    name = squeeze(text)
    if not name or "://" in name or name.startswith(("www.", "/", "@", "#")):
        return None
    name = _TAIL.sub(
        "", _ROLES.sub("", _LEAD.sub("", _HANDLE.sub("", name_of(name.lstrip("©")))))
    ).strip(" ,;:-–—|·•©/@")
    name = _once(name_of(name))
    if (
        not name
        or name.casefold() in _BARE
        or len(name) > MAX_BYLINE
        or len(name.split()) > MAX_WORDS
    ):
        return None
    if not re.search(r"[^\W\d_]", name) or _NUMBERS.search(name) or _is_day(name):
        return None
    if _key(name) in _NO_NAMES or _NO_AUTHOR.search(name):
        return None
    return name


_NUMBERS = re.compile(r"(?<!\w)(?:19|20)\d\d(?![a-z\d])|[{}<>=]|\d{1,2}:\d\d", re.I)


def _is_day(name: str) -> bool:
    """Return whether a text is a day without its year: "February 23"."""
    return name[-1:].isdigit() and is_moment(f"{name}, 2000")


def _once(name: str) -> str:
    """Return a name that a picture's text and the link next to it give twice in a row."""
    words = name.split()
    half = len(words) // 2
    return " ".join(words[:half]) if len(words) > 3 and words[:half] == words[half:] else name


def is_person(text: str) -> bool:
    """Two to four words that each look like a part of a name; of Chinese, Japanese and Korean names
    two.
    """
    if (
        len(text) > 40
        or _PERSON.fullmatch(text) is None
        or _NO_PERSON.search(text)
        or (HAN.search(text) and len(text.split()) > 2)
    ):
        return False
    return all(
        word[0].isupper() or not (word[0].islower() or word[0].isupper()) or word in PARTICLES
        for word in text.split()
    )


def is_phrase(text: str) -> bool:
    """Return whether the text of a link to an author's page is words about it ("More from this
    author") and no name.
    """
    words = text.split()
    return len(words) > MAX_WORDS or any(
        word[0].islower() and word not in PARTICLES for word in words[1:]
    )


def stands_in(name: str, address: str) -> bool:
    """Return whether a word of the name stands in the last part or the query of an author's page's
    address, or that part has no letters.
    """
    path, _, query = address.partition("?")
    slug = plain(path.rstrip("/").rpartition("/")[2] + query)
    return not any(map(str.isalpha, slug)) or any(
        (len(word) > 2 or not word.isascii()) and plain(word) in slug for word in name.split()
    )


def links_to_author(href: str) -> bool:
    """Return whether an address looks like that of an author's page."""
    return _AUTHORS_PAGE.search(href) is not None


def called(login: str, page: Page) -> str:
    """Return the name that the page links to the page of the author with this login; ``login``
    itself where it writes none, or several.

    Feeds and meta elements of many engines name who is logged in (``a1``), the theme names who that
    is.
    """
    if not _LOGIN.fullmatch(login):
        return login
    ends = re.compile(rf"(?:^|[/=_~@-]){re.escape(login)}(?:\.\w{{2,5}})?/?$")
    links: Any = _LINKS_WITH(page.tree, word=login)
    found = set()
    for link in links:
        href = link.get("href", "")
        if "%" in href:
            href = unquote(href)
        if (
            login in href
            and ends.search(href)
            and (_AUTHORS_PAGE.search(href) or "author" in link.get("rel", ""))
        ):
            name = as_author(node_text(link))
            if name is not None and is_person(name):
                found.add(name)
    return found.pop() if len(found) == 1 else login


def plain(text: str) -> str:
    """Return letters without accents and digits of a name or address, small."""
    return "".join(
        c for c in unicodedata.normalize("NFKD", unquote(text)).casefold() if c.isalnum()
    )
