"""The addresses that forms lead to: menus of months, buttons to the next page.

A form that asks a reader for words (a search, a log-in) leads nowhere by itself. One of menus,
buttons and hidden fields has a fixed set of answers: sent by GET each is an address like a link's
(HTML, 4.10.21.3); sent by POST it is an action, and is never sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple
from urllib.parse import urlencode

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.text.visible import squeeze
from blogcrawl.urls.canonical import same_site

MAX_CHOICES = 400
"""Addresses of one form: months of some thirty years in two menus. Those of one with more are
searches by several features."""
_PRESSED = frozenset({"submit", "image"})
_FIXED = frozenset({"hidden", "reset", "button"})
"""Inputs that a reader neither fills in nor ticks."""


class Choice(NamedTuple):
    """One way to answer a field: ``name`` "" sends nothing; ``element`` is what is chosen."""

    name: str
    value: str
    label: str
    element: HtmlElement


class Answer(NamedTuple):
    """A form filled in and sent: its ``query``, by choosing ``element``, which says ``label``."""

    query: str
    label: str
    element: HtmlElement


def method_of(form: HtmlElement) -> str:
    return (form.get("method") or "get").strip().lower()


def is_search(form: HtmlElement) -> bool:
    """Return whether the form asks for words and leads to a page of its own for them: what it finds
    need not be linked anywhere."""
    kinds = {(field.get("type") or "text").lower() for field in form.iter("input")}
    return bool(kinds & {"text", "search"}) and method_of(form) == "get"


def offers_search(page: Page) -> bool:
    """Return whether the page has a form that searches its own site."""
    targets = (form.get("action") or "" for form in page.tree.iter("form") if is_search(form))
    return any(same_site(page.absolute(target) or page.url, page.url) for target in targets)


def answers(form: HtmlElement, encoding: str = "utf-8") -> list[Answer]:
    """Return all ways to send a form that asks for no words; none where it does, or where they are
    more than MAX_CHOICES."""
    fields = _fields(form)
    if not fields or prod(map(len, fields)) > MAX_CHOICES:
        return []
    return [_answer(chosen, encoding) for chosen in product(*fields)]


def _answer(chosen: tuple[Choice, ...], encoding: str) -> Answer:
    """Of a menu with a button it is the menu that says where the form leads."""
    sent = [(choice.name, choice.value) for choice in chosen if choice.name]
    named = [choice for choice in chosen if choice.element.tag == "option"] or chosen
    label = squeeze(" ".join(choice.label for choice in named))
    query = urlencode(sent, encoding=encoding, errors="xmlcharrefreplace")
    return Answer(query, label, named[-1].element)


def _fields(form: HtmlElement) -> list[list[Choice]]:
    """Return what each field may send; nothing for a form that asks for words, or sends nothing.
    Of all buttons one is pressed."""
    fields: list[list[Choice]] = []
    buttons: list[Choice] = []
    for element in form.iter("input", "select", "button", "textarea"):
        if element.get("disabled") is not None:
            continue
        kind = _kind_of(element)
        if kind == "asks":
            return []
        if kind == "pressed":
            buttons.append(_button(element))
        elif kind == "hidden":
            fields.append([Choice(element.get("name", ""), element.get("value", ""), "", element)])
        elif kind == "menu":
            fields.append(_options(element))
    fields = list(filter(_is_sent, fields))
    return [*fields, buttons] if buttons and (fields or _is_sent(buttons)) else fields


def _is_sent(choices: list[Choice]) -> bool:
    """Return whether a field has a name, without which nothing is sent of it."""
    return any(choice.name for choice in choices)


def _kind_of(element: HtmlElement) -> str:
    """Return what a field is to a reader: it ``asks`` for words or ticks, is a ``menu``, a button
    to be ``pressed``, or ``hidden``; "" for what is no part of what is sent."""
    if element.tag in ("select", "textarea"):
        return "menu" if element.tag == "select" else "asks"
    kind = (element.get("type") or ("submit" if element.tag == "button" else "text")).lower()
    if kind in _PRESSED:
        return "pressed"
    if kind in _FIXED:
        return "hidden" if kind == "hidden" else ""
    return "asks"


def _button(element: HtmlElement) -> Choice:
    label = squeeze(element.text_content()) or element.get("value") or element.get("alt") or ""
    name = element.get("name", "") if (element.get("type") or "").lower() != "image" else ""
    return Choice(name, element.get("value", ""), label, element)


def _options(menu: HtmlElement) -> list[Choice]:
    """Return the choices of a menu that stand for something: the first is often none ("Month")."""
    found: Iterator[Choice] = (
        Choice(menu.get("name", ""), value, squeeze(option.text_content()), option)
        for option in menu.iter("option")
        if (value := option.get("value", squeeze(option.text_content()))).strip()
    )
    return list(found)
