"""Comments in markup that names nothing: blocks that repeat below a comment section or heading, each with a date."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.extraction.comments.when import find_date
from blogcrawl.extraction.comments.words import COMMENT_WORDS, names_section, tokens
from blogcrawl.text import node_text


def repeated_blocks(root: HtmlElement, banned: set[HtmlElement], sections: Sequence[HtmlElement] = ()) -> list[list[HtmlElement]]:
    """The elements of each comment below a section or heading: blocks of same tag and classes, most with a date inside, those nested
    in them (replies) too; or, where heads and texts take turns as neighbours, a run of them. ``sections``: where they are known."""
    best: list[HtmlElement] = []
    runs: list[list[HtmlElement]] = []
    sections = sections or _sections(root, banned)
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
                    groups[_signature(child)].append(child)
            turns = _taking_turns([c for c in parent if isinstance(c.tag, str) and c not in banned and c.tag not in ("br", "hr", "form")])
            if len(turns) > len(runs) and sum(any(e in with_date for e in run) for run in turns) >= 0.7 * len(turns):
                runs = turns
            for members in groups.values():
                dated = [e for e in members if e in with_date]
                if len(dated) > len(best) and len(dated) >= max(1, 0.7 * len(members)) and not any(holds_several(e) for e in dated[:3]):
                    best = dated
    if len(runs) > 1 and len(runs) >= len(best):
        return runs
    return [[e] for e in _with_nested(best, with_date)]


def _signature(element: HtmlElement) -> tuple[str, str]:
    return element.tag, " ".join(sorted(tokens(element.get("class"))))


def _taking_turns(children: list[HtmlElement]) -> list[list[HtmlElement]]:
    """Runs of neighbours that repeat in the same order, two to four elements each: a head, a text, perhaps a foot."""
    marks = [_signature(c) for c in children]
    best: list[list[HtmlElement]] = []
    for size in (2, 3, 4):
        start = 0
        while start + 2 * size <= len(marks):
            unit = marks[start : start + size]
            count = 1
            while marks[start + count * size : start + (count + 1) * size] == unit:
                count += 1
            if count > max(1, len(best)) and len(set(unit)) == size:
                best = [children[start + i * size : start + (i + 1) * size] for i in range(count)]
            start += max(1, (count - 1) * size) if count > 1 else 1
    return best


def _with_nested(found: list[HtmlElement], with_date: set[HtmlElement]) -> list[HtmlElement]:
    """The blocks and those of their kind inside them: same tag, classes and first child, with a date of their own."""
    if not found:
        return []
    kinds = {(_signature(e), _signature(e[0]) if len(e) else None) for e in found}
    known = set(found)
    out: list[HtmlElement] = []
    for element in found:
        inner = [e for e in element.iter(element.tag) if e in with_date and (_signature(e), _signature(e[0]) if len(e) else None) in kinds]
        out += [e for e in inner if e is element or e not in known]
    return out


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
