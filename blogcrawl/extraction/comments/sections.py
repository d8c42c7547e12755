"""Comments in markup that names nothing: blocks that repeat below a comment section or heading, each with a date."""

from __future__ import annotations

import re
from collections import defaultdict

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.extraction.comments.when import find_date
from blogcrawl.extraction.comments.words import COMMENT_WORDS, names_section, tokens
from blogcrawl.text import node_text


def repeated_blocks(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """Repeated blocks below a comment section or heading: same tag and classes, most with a date inside."""
    best: list[HtmlElement] = []
    sections = _sections(root, banned)
    with_date: set[HtmlElement] = set()
    walked: set[HtmlElement] = set()
    for section in sections:
        _mark_dated(section, root.get("lang"), with_date, walked)
        for parent in [section, *section.iter("ol", "ul", "div", "section", "dl", "tbody")][:200]:
            groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
            for child in parent:
                if (
                    isinstance(child.tag, str)
                    and child not in banned
                    and child.tag not in ("h1", "h2", "h3", "h4", "p", "br", "hr", "a", "form")
                ):
                    groups[child.tag, " ".join(sorted(tokens(child.get("class"))))].append(child)
            for members in groups.values():
                dated = [e for e in members if e in with_date]
                if len(dated) > len(best) and len(dated) >= max(1, 0.7 * len(members)) and not any(holds_several(e) for e in dated[:3]):
                    best = dated
    return best


_DIGITS = re.compile(r"\d{2}")


def _mark_dated(section: HtmlElement, language: str | None, out: set[HtmlElement], walked: set[HtmlElement]) -> None:
    """Add the elements of a section with a date in them to ``out``. Sections overlap: no node is read twice."""
    if section in walked:
        return
    for node in section.iter(etree.Element):
        if node in walked:
            continue
        walked.add(node)
        own = node.text or ""
        for child in node:
            if child.tail:
                own += child.tail
        dated = node.tag == "time" and node.get("datetime") is not None
        if dated or (5 < len(own) < 200 and _DIGITS.search(own) and find_date(own.strip(), language)):
            for above in (node, *node.iterancestors()):
                if above in out:
                    break
                out.add(above)


def _sections(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    out: list[HtmlElement] = []
    for element in root.iter("div", "section", "ol", "ul", "aside", "article", "dl", "table"):
        if element in banned:
            continue
        names = (element.get("id") or "", *(element.get("class") or "").split())
        if any(names_section(n) for n in names if n):
            out.append(element)
    for heading in root.iter("h2", "h3", "h4", "h5"):
        text = "" if heading in banned else node_text(heading)
        if 0 < len(text) < 120 and re.search(COMMENT_WORDS, text, re.I):
            parent = heading.getparent()
            if parent is not None and parent.tag not in ("body", "html"):
                out.append(parent)
    return out[:30]


def holds_several(element: HtmlElement) -> bool:
    """Signs of more than two comments in one element: it is a list of them."""
    return len(element.xpath(".//time|.//img[contains(@class,'avatar')]|.//cite")) > 2
