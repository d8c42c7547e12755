"""Rules applied to a page: XPath in, values out. No index, no bigrams: this is what every page of a
crawl pays.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache, partial
from itertools import chain, islice, takewhile
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_AUTHORS, MAX_TRIED
from blogcrawl.core.evidence import MOSTLY_LINKS, NEAR
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch, find_date, is_moment, with_weekday
from blogcrawl.dates.patterns import read_pattern
from blogcrawl.induction.ruleset import Rule, RuleSet
from blogcrawl.induction.scoring import strip_by
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.lexicon.css_classes import holds_comments
from blogcrawl.text.lengths import MAX_DATE_LINE, MAX_TITLE, MIN_PARAGRAPH
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import is_longer, node_text, squeeze

_STEP = (
    r"([a-z][\w-]*)(?:\[contains\(concat\(' ',normalize-space\(@class\),' '\),' ([^' ]+) '\)\]"
    r"|\[@([a-z-]+)='([^']*)'\]|\[starts-with\(@id,'([^']*)'\)\])?"
)
_PLAIN = re.compile(rf"(\.?)//{_STEP}(?://{_STEP})?")
_ALTERNATIVE = re.compile(r"//([a-z][\w-]*)\[(@[a-z-]+='[^']*')\]")
_WITH_TEXT = "*[normalize-space(.)]", "*[descendant::text()[normalize-space()]]"
_LABEL = re.compile(r"[\w-]{4,}", re.A)
_QUOTED_OR_DEEP = re.compile(r"""('[^']*'|"[^"]*")|(?<![\w.-])([a-zA-Z][\w.-]*:[\w.-]+)|//""")
_CLASS = re.compile(r"contains\(concat\(' ',normalize-space\(@class\),' '\),' ([^' ]+) '\)")
_AROUND_TAG = re.compile(r"^#\s*|[,;]\s*$")
Finder = Callable[[HtmlElement], Iterator[HtmlElement]]
Filter = Callable[[Iterator[HtmlElement]], Iterator[HtmlElement]]


@lru_cache(maxsize=4096)
def compiled(xpath: str) -> etree.XPath:
    """Return the compiled expression; raises etree.XPathSyntaxError on a broken one (rules are made
    here, so: never).

    ``//`` becomes the descendant axis: the same nodes, as no rule has a position after it, in a
    third of the time. Names with a colon (``o:p``) are compared as they are written: HTML has no
    prefixes, and XPath knows no namespace of theirs. A class is looked for as it stands before it
    is looked for as a word: half the time. The first one shows whether an element has text.
    """
    choices = [_ALTERNATIVE.fullmatch(part) for part in xpath.split(" | ")]
    tags = {choice[1] for choice in choices if choice is not None}
    if (
        len(choices) > 1 and None not in choices and len(tags) == 1
    ):  # one walk instead of several, and nothing to sort
        xpath = (
            f"//{tags.pop()}[{' or '.join(choice[2] for choice in choices if choice is not None)}]"
        )
    plain = _QUOTED_OR_DEEP.sub(_rewritten, xpath.replace(*_WITH_TEXT))
    return etree.XPath(_CLASS.sub(r"(contains(@class,'\1') and \g<0>)", plain))


def _rewritten(found: re.Match[str]) -> str:
    quoted, name = found.groups()
    return quoted or (f"*[name()='{name}']" if name else "/descendant::")


@lru_cache(maxsize=4096)
def finder(xpath: str) -> Finder:
    """Return what yields a rule's elements in document order. Most rules are one or two steps with
    one condition each: those walk in C from element to element of the tag and stop when the caller
    has enough, which is half of what XPath takes to start."""
    plain = _PLAIN.fullmatch(xpath)
    if plain is None:
        return lambda tree: _by_xpath(tree, xpath)
    inside, tag, *conditions = plain.groups()[:6]
    below, *more = plain.groups()[6:]
    meets, meets_too = _condition(*conditions), _condition(*more)

    def steps(tree: HtmlElement) -> Iterator[HtmlElement]:
        if (
            not inside and tree.getparent() is not None
        ):  # ``//`` begins at the root, wherever it is asked
            return _by_xpath(tree, xpath)
        found = meets(tree.iterdescendants(tag) if inside else tree.iter(tag))
        return found if below is None else _inside(found, below, meets_too)

    return steps


def _condition(word: str | None, name: str | None, value: str | None, start: str | None) -> Filter:
    """Return what lets those elements through that have the class, the attribute's value or the
    beginning of an id; all if all three are empty.
    """
    if word:
        return partial(filter, partial(_has_class, word))
    if name:
        return partial(filter, lambda e: e.get(name) == value)
    if start:
        return partial(filter, lambda e: e.get("id", "").startswith(start))
    return iter


def _has_class(word: str, element: HtmlElement) -> bool:
    have = element.get("class", "")
    return word in have and word in have.split()


def _inside(outers: Iterator[HtmlElement], tag: str, meets: Filter) -> Iterator[HtmlElement]:
    """Yield elements inside of others, none of them twice."""
    last = None
    for outer in outers:
        if last is None or last not in outer.iterancestors():
            yield from meets(outer.iterdescendants(tag))
            last = outer


@lru_cache(maxsize=4096)
def label_of(xpath: str) -> bytes | None:
    """Return a name that the source of a page must have as often as the rule finds elements there;
    None where the rule has no such name.
    """
    plain = _PLAIN.fullmatch(xpath)
    if plain is None:
        return None
    word, _, value, start = plain.groups()[7:] if plain[7] else plain.groups()[2:6]
    name = word or value or start or ""
    return name.encode() if _LABEL.fullmatch(name) else None


def _by_xpath(tree: HtmlElement, xpath: str) -> Iterator[HtmlElement]:
    found: Any = compiled(xpath)(tree)
    return iter(found) if isinstance(found, list) else iter(())


def elements(page_tree: HtmlElement, rule: Rule, most: int | None = None) -> Iterator[HtmlElement]:
    """Yield elements that a rule returns, the first ``most`` of them."""
    return islice(finder(rule.xpath)(page_tree), most)


def raw(element: HtmlElement, rule: Rule) -> str:
    """Return the rule's text or attribute of an element."""
    if rule.attribute is not None:
        return squeeze(element.get(rule.attribute))
    if element.tag == "title":
        return squeeze(element.text)
    return headline(element) if rule.field == "title" else node_text(element)


HEADINGS = frozenset(("h1", "h2", "h3", "h4"))


def headline(element: HtmlElement) -> str:
    """Return the text of an element without the dates and times that stand in elements of their
    own among other words.
    """
    text = node_text(element)
    moments = [said for child in element if (said := node_text(child)) and is_moment(said)]
    for said in moments:
        text = text.replace(said, " ", 1)
    return squeeze(text) or node_text(element)


def first(tree: HtmlElement, rule: Rule) -> tuple[HtmlElement, str] | None:
    """Return the first node of a rule that is not empty, with its text."""
    for element in elements(tree, rule, MAX_TRIED):
        text = raw(element, rule)
        if text:
            return element, text
    return None


def is_visible(element: HtmlElement) -> bool:
    """Return whether the element holds text that is more than white space (of XML: a fixed blank
    counts).
    """
    return any(text.strip(" \t\r\n") for text in element.itertext())


def content_node(tree: HtmlElement, rule: Rule) -> HtmlElement | None:
    """Return the first node with visible text, else the first with a picture; where a rule by place
    meets but a part of the post None, or the picture that is the post.
    """
    found = []
    for element in elements(tree, rule, MAX_TRIED):
        if is_visible(element):
            steps = _steps_by_place(rule.xpath)
            is_part = steps > 0 and _is_part(element, steps)
            return _picture_above(element, steps) if is_part else element
        found.append(element)
    return next(
        (e for e in found if e.find(".//img") is not None or e.find(".//iframe") is not None), None
    )


def empty_node(tree: HtmlElement, rule: Rule) -> HtmlElement | None:
    """Return the node of a post without text: the only one, which a label names; None where there
    is text or none such.
    """
    found = list(elements(tree, rule, 2))
    is_one = len(found) == 1 and not _steps_by_place(rule.xpath) and not is_visible(found[0])
    return found[0] if is_one else None


@lru_cache(maxsize=4096)
def _steps_by_place(xpath: str) -> int:
    """Return how many of its last steps name an element by its place alone: where a post lacks a
    wrapper, they mean an element inside of the post, or what follows it.
    """
    return sum(1 for _ in takewhile(_PLACED.fullmatch, reversed(xpath.split("/"))))


_PLACED = re.compile(r"(?:div|section|td)(?:\[(?:\d+|last\(\)(?:-\d+)?)\])?")


def _is_part(element: HtmlElement, steps: int) -> bool:
    """Return whether an element is but a part of a post, or leads to others: paragraphs next to it,
    or around one that is all links, hold more text than it has itself; or it is the title.

    ``steps``: so many levels above it is what the rule names, where the post is expected."""
    if _is_title(element):
        return True
    outers = [e for e in islice(element.iterancestors(), NEAR) if e.tag not in ("body", "html")]
    own = set(element.iterancestors()) | {element}
    near = sum(_letters(_paragraphs_near(outer, own)) for outer in outers)
    text = len(node_text(element))
    if near > text // 2 + _letters(element.iter("p")):
        return True
    around = _letters(outers[-1].iter("p")) if outers else 0
    if _is_all_links(element) and (around > text or _picture_above(element, steps) is not None):
        return True
    return _text_above(element, steps) > text


def _is_all_links(element: HtmlElement) -> bool:
    return _letters(element.iter("a")) >= MOSTLY_LINKS * len(node_text(element))


def _picture_above(element: HtmlElement, steps: int) -> HtmlElement | None:
    """Return the block with a picture and no text above an element that is all links, inside of
    what the rule names; None where there is none."""
    if not _is_all_links(element) or element.find(".//img") is not None:
        return None
    levels = (element, *islice(element.iterancestors(), steps - 1))
    above = chain.from_iterable(each.itersiblings(preceding=True) for each in levels)
    return next((e for e in above if e.find(".//img") is not None and not is_visible(e)), None)


def _text_above(element: HtmlElement, steps: int) -> int:
    """Return the letters in paragraphs above an element, inside of what the rule names."""
    place = next(islice(element.iterancestors(), steps - 1, None), None)
    if place is None or place.tag in ("body", "html"):
        return 0
    above = takewhile(lambda node: node is not element, place.iter("p", element.tag))
    return _letters(node for node in above if node.tag == "p")


def _is_title(element: HtmlElement) -> bool:
    """Return whether the document is called as an element without a picture says, and more text
    follows it."""
    if is_longer(element, MAX_TITLE) or element.find(".//img") is not None:
        return False
    text, document = node_text(element), element.getroottree().findtext(".//title")
    return text in squeeze(document or "") and any(
        is_longer(each, len(text)) for each in element.itersiblings(etree.Element)
    )


def _paragraphs_near(outer: HtmlElement, own: Collection[HtmlElement]) -> Iterator[HtmlElement]:
    """Return the paragraphs in an element around one of ``own``, down to the comments."""
    is_below = False
    for child in outer.iterchildren():
        if child in own:
            is_below = True
        elif child.tag == "p":
            yield child
        elif is_below and child.tag in HEADINGS and is_label(node_text(child)):
            return


def _letters(nodes: Iterable[HtmlElement]) -> int:
    return sum(len(node_text(node)) for node in nodes)


def counted(tree: HtmlElement, rule: Rule) -> int:
    """Return how many nodes with text a rule returns that lie neither in one another nor in a box
    of comments, which themes write like posts (up to 100)."""
    found = list(
        islice(_by_xpath(tree, rule.xpath), 100)
    )  # to the end: XPath is the faster walk then
    if len(found) < 2:
        return len(found)
    out, last = 0, None
    for element in found:
        if last is not None and last in element.iterancestors():
            continue
        if is_visible(element) and not _is_in_comments(element):
            out, last = out + 1, element
    return out


def _is_in_comments(element: HtmlElement) -> bool:
    """Return whether an element, or one around it below the post's, says that it holds comments."""
    around = takewhile(lambda each: each.tag not in _FRAMES, element.iterancestors())
    return any(map(holds_comments, chain((element,), around)))


_FRAMES = frozenset(("body", "main", "article"))


def strip_affixes(text: str, rule: Rule) -> str:
    """Return the value without what the theme writes around it, as far as it is there."""
    if not rule.prefix and not rule.suffix:
        return squeeze(text)
    folded = fold(text)
    if rule.prefix and folded.casefold().startswith(rule.prefix.casefold()):
        text = _cut(text, len(rule.prefix), front=True)
    if rule.suffix and fold(text).casefold().endswith(rule.suffix.casefold()):
        text = _cut(text, len(rule.suffix), front=False)
    return squeeze(text)


def _cut(text: str, length: int, *, front: bool) -> str:
    text = squeeze(text)
    if len(fold(text)) != len(text):
        text = fold(text)
    return text[length:] if front else text[:-length]


def title(tree: HtmlElement, rule: Rule) -> str | None:
    """Return the title a rule gives, or None."""
    found = first(tree, rule)
    return (strip_affixes(found[1], rule) or None) if found else None


def authors(tree: HtmlElement, rule: Rule) -> list[str]:
    """Return the name a rule gives: its node's text, or what stands in it between the words that
    surround a name there; of a rule for ``many`` the texts of its nodes."""
    if rule.many:
        names = (
            strip_by(fold(raw(element, rule))).strip(" ,;:|-·")
            for element in elements(tree, rule, MAX_AUTHORS)
        )
        return list(dict.fromkeys(name for name in names if name and len(name) <= 80))
    found = first(tree, rule)
    name = _between(found[1], rule.prefix, rule.suffix) if found is not None else ""
    return [name] if name else []


@lru_cache(maxsize=256)
def _between(text: str, prefix: str, suffix: str) -> str:
    """Return the name between those words, in a text that many pages of a blog have; empty where
    there is none. A blank behind the names is that before a date.
    """
    text = fold(text)
    at = text.casefold().find(prefix.casefold()) if prefix else 0
    if at < 0:
        return ""
    text = text[at + len(prefix) :]
    is_word = bool(suffix.strip())
    end = text.casefold().find(suffix.casefold()) if is_word else _start_of_date(text, suffix)
    name = strip_by(_last_part(text[:end], prefix) if end >= 0 else text).strip(" ,;:|-·")
    return name if len(name) <= 80 else ""


def _last_part(text: str, prefix: str) -> str:
    """Return what is next to the words behind the name where nothing but a mark parts it from the
    rest of the line, which has more parts on some pages: "Garden - Tags: rope - Ann @"."""
    mark = prefix.strip()
    return text.rpartition(prefix)[2] if mark and not any(map(str.isalnum, mark)) else text


def _start_of_date(text: str, suffix: str) -> int:
    """Return where the date begins before which there is nothing but a blank in a text; -1 without
    such a suffix or date."""
    found = find_date(text) if suffix else None
    return -1 if found is None else with_weekday(text, found).span[0]


def when(
    tree: HtmlElement, rule: Rule, near: date | None, now: datetime | None = None
) -> DateMatch | None:
    """Return the date a rule gives, read with its pattern; ``now``: when the page was fetched, for
    "3 days ago".
    """
    if rule.pattern is None:
        return None
    for element in elements(tree, rule, 5):
        found = read_pattern(rule.pattern, raw(element, rule), near, now)
        if found is not None:
            return found
    return None


def only_date(tree: HtmlElement, rule: Rule) -> DateMatch | None:
    """Return the date in the only node of a rule whose pattern it does not fit: a section in
    another language, or before the theme changed, writes it in another way there.
    """
    texts = [raw(element, rule) for element in elements(tree, rule, 2)]
    is_line = len(texts) == 1 and len(texts[0]) <= MAX_DATE_LINE
    found = find_date(texts[0], tree.get("lang")) if is_line else None
    return found if found is not None and found.precision not in ("year", "month") else None


def tags(tree: HtmlElement, rule: Rule) -> list[str]:
    """Return texts of all the rule's nodes, without a leading # and without repeats."""
    names = [raw(element, rule) for element in islice(_by_xpath(tree, rule.xpath), MAX_TRIED)]
    names = [
        _AROUND_TAG.sub("", name) if name.startswith("#") or name.endswith((",", ";")) else name
        for name in names
    ]
    return list(dict.fromkeys(name for name in names if name and len(name) <= 80))


def finds_content(page: Page, ruleset: RuleSet, *, by_name: bool = False) -> bool:
    """Return whether a rule of the set finds the content of a page, or its empty node below a title
    that has its place; ``by_name``: one that does not go by the element's place alone."""
    rules = ruleset.rules.get("content", ())
    return any(
        content_node(page.tree, rule) is not None
        for rule in rules
        if not (by_name and _steps_by_place(rule.xpath))
    ) or _has_no_text(page, ruleset)


def _has_no_text(page: Page, ruleset: RuleSet) -> bool:
    """Return whether the rules find title and content, and the latter is empty: a post of a picture
    is made as the others are."""
    titles, contents = (ruleset.rules.get(name, ())[:1] for name in ("title", "content"))
    return any(empty_node(page.tree, rule) is not None for rule in contents) and any(
        first(page.tree, rule) for rule in titles
    )


def names_content(tree: HtmlElement, node: object, ruleset: RuleSet) -> bool:
    """Return whether a content rule names a node, be it one that is too little for the post to be
    believed: the drop rules are relative to it, whichever method has found it too."""
    rules = ruleset.rules.get("content", ())
    return any(node is found for rule in rules for found in elements(tree, rule, MAX_TRIED))


def without(node: HtmlElement, drops: Sequence[Rule]) -> HtmlElement:
    """Return a copy of the content node (with no parent) without the parts that the blog's drop
    rules name; the node itself where it has none.
    """
    if not any(True for rule in drops for _ in elements(node, rule, 1)):
        return node
    twin = copy.deepcopy(node)
    twin.tail = None
    drop_parts(twin, drops)
    return twin


def drop_parts(node: HtmlElement, drops: Sequence[Rule]) -> None:
    """Take out of a node, a copy of the content, the parts that the blog's drop rules name: they
    are relative to it. Labels of comments stay: they show where the comments below them begin.
    """
    doomed = [element for rule in drops for element in _dropped(node, rule)]
    for element in doomed:
        if element.getparent() is not None and not is_label(node_text(element)):
            element.drop_tree()


def _dropped(node: HtmlElement, rule: Rule) -> Sequence[HtmlElement]:
    """Return what a drop rule takes out of a node; nothing where what is a line on the posts it was
    learned from is prose here: the page has the class for its text."""
    found = list(elements(node, rule))
    is_prose = rule.is_line and sum(len(node_text(each)) for each in found) >= MIN_PARAGRAPH
    return () if is_prose else found


def drop_rules(rules: RuleSet) -> tuple[Rule, ...]:
    """Return the blog's rules for unwanted parts of the content."""
    return rules.rules.get("content.drop", ())
