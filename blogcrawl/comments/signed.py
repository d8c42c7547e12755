"""Comments on pages that name nothing, by the lines with which the blog's readers sign: boxes made
of what ``induction.signed_lines`` finds, named as comments are."""

from __future__ import annotations

import lxml.html
from lxml.html import HtmlElement

from blogcrawl.comments.unit import Unit
from blogcrawl.core.page import Page
from blogcrawl.dom.page_lines import PageLine, copied
from blogcrawl.induction.signed_lines import SignedText, signed_texts
from blogcrawl.induction.site_facts import SignedLines
from blogcrawl.text.visible import node_text


def signed_units(page: Page, rule: SignedLines) -> list[Unit]:
    """Return a made box for each comment of a page that has a text."""
    return [Unit([_box(one)]) for one in signed_texts(page.tree, rule) if one.text]


def _box(one: SignedText) -> HtmlElement:
    box, head, body = (
        lxml.html.Element("div", {"class": name} if name else {})
        for name in ("", "comment-meta", "comment-body")
    )
    if one.name:
        head.append(_author(one.name, one.named or one.line))
    head.extend(_subject(line) for line in one.head[:1])
    date = lxml.html.Element("span", {"class": "comment-date"})
    date.text = one.date.text
    head.append(date)
    body.extend(copied(line, "p") for line in one.text)
    box.extend((head, body))
    return box


def _subject(line: PageLine) -> HtmlElement:
    subject = lxml.html.Element("div", {"class": "comment-subject"})
    subject.text = line.text
    return subject


def _author(name: str, line: PageLine) -> HtmlElement:
    """Return the name, in its link where it has one."""
    author = lxml.html.Element("span", {"class": "comment-author"})
    links = (a for p in line.pieces if p.part == "whole" for a in p.node.iter("a"))
    address = next((a.get("href") for a in links if node_text(a) == name), None)
    holder = author
    if address:
        holder = lxml.html.Element("a", {"href": address})
        author.append(holder)
    holder.text = name
    author.tail = " "
    return author
