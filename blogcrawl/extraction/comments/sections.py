"""Comments in markup that names nothing: blocks that repeat below a comment section or heading, each with a date."""

from __future__ import annotations

import re
from collections import defaultdict

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.extraction.comments.when import find_date
from blogcrawl.extraction.comments.words import COMMENT_WORDS, SECTION, tokens
from blogcrawl.text import node_text


def repeated_blocks(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    """Repeated blocks below a comment section or heading: same tag and classes, most with a date inside."""
    best: list[HtmlElement] = []
    sections = _sections(root, banned)
    with_date = _dated_nodes(root) if sections else set()
    for section in sections:
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


def _dated_nodes(root: HtmlElement) -> set[HtmlElement]:
    """All elements with a date in them, found in one walk."""
    out: set[HtmlElement] = set()
    for node in root.iter(etree.Element):
        own = (node.text or "") + "".join(c.tail or "" for c in node)
        dated = node.tag == "time" and node.get("datetime") is not None
        if dated or (5 < len(own) < 200 and re.search(r"\d{2}", own) and find_date(own.strip(), root.get("lang"))):
            for above in (node, *node.iterancestors()):
                if above in out:
                    break
                out.add(above)
    return out


def _sections(root: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement]:
    out: list[HtmlElement] = []
    for element in root.iter("div", "section", "ol", "ul", "aside", "article", "dl", "table"):
        if element in banned:
            continue
        names = (element.get("id") or "", *(element.get("class") or "").split())
        if any(SECTION.search(n) for n in names if n):
            out.append(element)
    for heading in root.iter("h2", "h3", "h4", "h5"):
        if heading not in banned and re.search(COMMENT_WORDS, node_text(heading), re.I) and len(node_text(heading)) < 120:
            parent = heading.getparent()
            if parent is not None and parent.tag not in ("body", "html"):
                out.append(parent)
    return out[:30]


def holds_several(element: HtmlElement) -> bool:
    """Signs of more than two comments in one element: it is a list of them."""
    return len(element.xpath(".//time|.//img[contains(@class,'avatar')]|.//cite")) > 2
