"""Lists that show their older posts only to a reader who clicks or scrolls on. Pure.

Both patterns are read by Python and by the script that clicks (``scripts.MORE``), so they keep to
what both languages know.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import islice

from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.page import Page
from blogcrawl.discovery.archives import hub_kind
from blogcrawl.dom import forms
from blogcrawl.dom.links import Link, page_links
from blogcrawl.lexicon.css_classes import names_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import same_site

WORDS = f"^[^a-zA-Z0-9]{{0,3}}(?:{any_of('navigation', 'load_more')})[^a-zA-Z0-9]{{0,3}}$"
"""Labels of controls that show more of a list (never "read more")."""
NAMES = r"(?:^|[\s_-])(?:load|show|view|fetch)[-_]?(?:more|older)(?:[\s_-]|$)"
"""Class and id of such a control."""
NEXT = f"^(?:[>\u203a\u00bb\u2192\u276f]|{any_of('navigation', 'older_link')})$"
"""Labels of controls that put the next part of a list in the place of this one."""
NEXT_NAMES = r"(?:^|[\s_-])(?:next|older)(?:[\s_-]|$)"
"""Class, id and description of such a control."""
_ENDLESS = re.compile(r"infinite[-_]?(?:scroll|load)", re.I)
"""The same of a list that grows by scrolling, and of the scripts that make it grow."""
_ON_SCROLL = re.compile(r"[\"'.]scroll\b|\bonscroll\b|\bIntersectionObserver\b")
_ASKS = re.compile(r"\bfetch\s?\(|\bXMLHttpRequest\b|\.(?:ajax|get|getJSON|load)\s?\(")
_ADDS = re.compile(
    r"\.(?:append(?:Child|To)?|insertAdjacent(?:HTML|Element)|before|after|html)\s?\(|\binnerHTML\b"
)
"""What the script does that makes a list grow by scrolling: it waits for that, asks for more, and
adds it."""
_LIBRARY = re.compile(
    r"infinite[-_]?(?:ajax[-_]?)?scroll|\binfinity\.(?:min\.)?js|\bajax-load-more|\bjscroll\b|"
    r"\b(?:jquery-)?ias\.(?:min\.)?js",
    re.I,
)
"""Names of scripts made for this: Infinite Scroll, Jetpack's, Ajax Load More, jScroll, IAS."""
_NEXT_PART = re.compile(r"\sdata-[\w-]{1,40}\s?=\s?[\"']([^\"'<>\s]{1,500})[\"']")
"""An address in an attribute, for a script."""
MAX_SCRIPT = 20_000
"""Characters of a script in the page that are looked at."""
LONGEST = 40
"""Characters of a label; longer ones are sentences."""
_OTHERS = re.compile(any_of("navigation", "load_other"), re.I)
"""Places whose controls show something else than the list."""
_WORDS, _NAMES = re.compile(WORDS, re.I), re.compile(NAMES, re.I)


def loads_more(page: Page) -> bool:
    """Report whether a list goes on only in a browser: "more" without any link to a next page, or a
    script that asks for more where a reader scrolls on."""
    controls = page.tree.iter("button", "a", "input", "div", "span", "section", "main", "ul")
    is_more = any(map(_is_control, controls)) or grows_by_scrolling(page)
    return is_more and not has_further_pages(page)


def grows_by_scrolling(page: Page) -> bool:
    """Report whether a script on the page adds to it as a reader scrolls, or the markup has an
    address of a next part for one."""
    scripts = islice(page.tree.iter("script"), MAX_TRIED)
    return any(map(_adds_on_scroll, scripts)) or any(map(_is_next, _in_attributes(page)))


def _in_attributes(page: Page) -> Iterator[Link]:
    """Yield the addresses on the own site in attributes for scripts."""
    for found in islice(_NEXT_PART.finditer(page.text), MAX_TRIED):
        url = page.absolute(found[1])
        if url is not None and same_site(url, page.url):
            yield Link(url)


def _is_next(link: Link) -> bool:
    return hub_kind(link) == "next"


def _adds_on_scroll(script: HtmlElement) -> bool:
    if _LIBRARY.search(script.get("src", "")):
        return True
    text = (script.text or "")[:MAX_SCRIPT]
    return bool(_ON_SCROLL.search(text) and _ASKS.search(text) and _ADDS.search(text))


def is_sent_for_more(page: Page) -> bool:
    """Report whether a list goes on only where a form is sent by POST, which is never done."""
    sent = (form for form in page.tree.iter("form") if forms.method_of(form) == "post")
    asked = (answer for form in islice(sent, MAX_TRIED) for answer in forms.answers(form))
    links = (Link(f"{page.url}?{answer.query}", answer.label) for answer in asked)
    return any(map(hub_kind, links)) and not has_further_pages(page)


def has_further_pages(page: Page, read: Container[str] = ()) -> bool:
    """Report whether a list links to further pages, or to a list of all posts, that was not
    ``read``."""
    return any(hub_kind(link) for link in page_links(page) if link.url not in read)


def _is_control(element: HtmlElement) -> bool:
    if _ENDLESS.search(names_of(element)):
        return True
    if not _NAMES.search(names_of(element)) and not _says_more(element):
        return False
    if any(_leads_on(link) for link in element.iter("a")):
        return False
    return not any(
        _OTHERS.search(names_of(e))
        for e in (element, *element.iterancestors())
        if e.tag not in ("body", "html")
    )


def _says_more(element: HtmlElement) -> bool:
    """Return whether it is a button or link labelled to show more."""
    if element.tag not in ("button", "a", "input") and element.get("role") != "button":
        return False
    label = _label_of(element)
    return 0 < len(label) <= LONGEST and bool(_WORDS.search(label))


def _label_of(element: HtmlElement) -> str:
    if element.tag == "input":
        label = element.get("value", "")
    else:
        label = node_text(element) if len(element) <= 4 else ""
    return " ".join(label.split())


def _leads_on(link: HtmlElement) -> bool:
    href = link.get("href", "").strip()
    return bool(href) and not href.startswith("#") and not href.lower().startswith("javascript:")
