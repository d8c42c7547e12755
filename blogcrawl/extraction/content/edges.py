"""What stands before and after the post's text inside its node: the title once more, a date line,
headings of what was dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, islice, takewhile
from typing import Any
from urllib.parse import urldefrag

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.announced import read_count
from blogcrawl.core.bounds import MAX_READ, MAX_TRIED
from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date, normalise
from blogcrawl.dates.relative import find_relative
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.names import is_person
from blogcrawl.induction.edge_boilerplate import is_date_line, is_line
from blogcrawl.induction.scoring import strip_by
from blogcrawl.lexicon.comment_words import MAX_LABEL_WORDS, is_label
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import (
    MAX_BYLINE,
    MAX_LABEL,
    MAX_LINE,
    MAX_TITLE,
    MIN_REST,
    SENTENCE_ENDS,
)
from blogcrawl.text.visible import BLOCK_TAGS, node_text, paragraphs, squeeze, stripped
from blogcrawl.urls.canonical import canonicalize, same_site
from blogcrawl.urls.page_kinds import LIST_PATHS

_Line = tuple[HtmlElement | None, list[HtmlElement]]
"""The block before a line, behind which text of it may stand, and the elements of the line."""
_WORDS = re.compile(r"\w+")
_KEPT_LINES = frozenset("pre blockquote li td th figcaption".split())
"""Blocks whose line is the author's, or holds more than a line."""
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_PLAYERS = ("audio", "video", "iframe", "object", "embed")
"""What a post shows, also where its caption is the day of the recording."""
_FILM_BELOW = etree.XPath(f"boolean(following::*[self::{' or self::'.join(_PLAYERS)}])")
"""Whether a player follows an element: it has no text, and yet is the post's."""


def _fold(text: str | None, between: str = " ") -> str:
    return between.join(_WORDS.findall((text or "").casefold()))


def drop_front(
    root: HtmlElement,
    page: Page,
    title: str | None,
    dated: str | None,
    lines: Sequence[str],
    authors: Sequence[str] = (),
) -> None:
    """Drop what stands before the post's text. ``lines``: those of ``root`` as ``paragraphs`` gives
    them, which show whether there can be any such thing."""
    above = _lines_above(lines, title, dated)
    if above:
        _drop_lines_above(root, title, dated, lines[:above])
    is_title = _may_be_title(lines[above], title, page)
    if is_title:
        drop_title(root, page, title)
    if any(_is_byline(line, authors) for line in lines[:NEAR]):
        _drop_byline(root, authors)
    if dated and (is_title or len(lines[0]) <= MAX_CHARS or len(dated) >= MAX_LINE):
        drop_date(root, dated)


def _drop_lines_above(
    root: HtmlElement, title: str | None, dated: str | None, lines: Sequence[str]
) -> None:
    """Drop the lines above the post's title, or the date alone where no block has the title."""
    begin = _beginning(root, title, dated)
    if begin is not None:
        _drop_above(root, begin, lines)
    elif dated:
        drop_date(root, dated)


def _lines_above(lines: Sequence[str], title: str | None, dated: str | None) -> int:
    """Return how many lines stand above the title; 0 where it is the first, or ``MAX_TITLE``
    characters come before it, or a sentence above which there is no line of the post's day: above
    that stands what the blog says of itself.
    """
    wanted, length, is_lead = _fold(title, ""), 0, False
    if not wanted:
        return _lines_above_day(lines, dated)
    for place, line in enumerate(lines):
        if _is_title_line(line, wanted):
            return 0 if is_lead else place
        length += len(line)
        if length > MAX_TITLE:
            break
        if line.endswith((*SENTENCE_ENDS, ":", "：")):
            is_lead = True
        elif dated and _is_dated_so(line, dated, ()):
            is_lead = False
    return 0


def _is_title_line(line: str, wanted: str) -> bool:
    """Return whether a line is the folded title, or the title and a date, perhaps with the author:
    "03/13/2001: A walk", "A walk · 3 weeks ago by Ann"."""
    if len(line) > 2 * MAX_TITLE:
        return False
    if _fold(line, "") == wanted:
        return True
    if wanted not in _fold(line, ""):
        return False
    found = find_date(line) or find_relative(line, _ANY_DAY)
    if found is None:
        return False
    rest = line[: found.span[0]] + line[found.span[1] :]
    return wanted in (_fold(cut.sub("", rest), "") for cut in (_TITLE_LABEL, _TITLE_END))


_TITLE_LABEL = re.compile(r"\W*\w{1,12}\s?:\s")
"""Before a title: "05/03/2002 Entry: ..."."""
_TITLE_END = re.compile(rf"\s(?:{any_of('bylines', 'by')})\s\D{{1,{MAX_LABEL}}}$", re.I)
_ANY_DAY = datetime(2000, 1, 1)


def _drop_above(root: HtmlElement, heading: HtmlElement, lines: Sequence[str]) -> None:
    """Drop the lines above a heading: a post begins at its title. What shows a picture stays."""
    levels = [level for level in (heading, *heading.iterancestors()) if _inside(level, root)]
    above = [one for level in levels for one in level.itersiblings(preceding=True)]
    if _letters_of(levels, above) == len(_fold(" ".join(lines), "")):
        _drop_with_tails(levels, above)


def _letters_of(levels: Sequence[HtmlElement], above: Sequence[HtmlElement]) -> int:
    """Return how many letters and digits stand above a heading, in elements and outside of them."""
    loose = [one.tail or "" for one in above] + [level.getparent().text or "" for level in levels]
    shown = [node_text(one) for one in above if _shows(one)]
    return len(_fold(" ".join((*shown, *loose)), ""))


def _beginning(root: HtmlElement, title: str | None, dated: str | None) -> HtmlElement | None:
    """Return the heading that repeats the title, or the block that is its line; of a post without a
    title, the first block that is a line with its day."""
    wanted = _fold(title)
    if not wanted:
        blocks = (block for block in islice(root.iterdescendants(), MAX_TRIED) if _is_plain(block))
        return next((b for b in blocks if _is_dated_so(node_text(b), dated or "", ())), None)
    headings = (h for h in root.iter("h1", *_HEADINGS) if _fold(node_text(h)) == wanted)
    heading = next(headings, None)
    return _title_block(root, title) if heading is None else heading


def _lines_above_day(lines: Sequence[str], dated: str | None) -> int:
    """Return how many labels stand above the line of the post's day, in a post without a title."""
    for place, line in enumerate(lines[:NEAR] if dated else ()):
        if _is_dated_so(line, dated or "", ()):
            return place
        if not _is_short_line(line):
            break
    return 0


def _drop_with_tails(levels: Sequence[HtmlElement], above: Sequence[HtmlElement]) -> None:
    """Drop elements and the text outside of them, but what shows a picture and the text after
    that."""
    for level in levels:
        level.getparent().text = None
    for one in above:
        if not _shows_picture(one):
            one.tail = None
            if _shows(one):
                one.drop_tree()


def _shows_picture(element: HtmlElement) -> bool:
    return next(element.iter("img", "picture", "video"), None) is not None


def _title_block(root: HtmlElement, title: str | None) -> HtmlElement | None:
    """Return the first block that is the title's line, of pages that have no headings."""
    wanted = _fold(title, "")
    blocks = (block for block in islice(root.iterdescendants(), MAX_TRIED) if _is_plain(block))
    return next((block for block in blocks if _is_title_line(node_text(block), wanted)), None)


def _is_plain(block: HtmlElement) -> bool:
    above = block.getparent()
    is_lone = block.tag == "td" and above is not None and len(above) == 1  # of a layout table
    return block.tag in BLOCK_TAGS and (is_lone or block.tag not in _KEPT_LINES)


def drop_back(root: HtmlElement, line: str) -> int:
    """Drop headings that nothing follows, and numbers of comments: they head what was dropped
    (comments, related posts), and bylines. ``line``: the last of ``root``. How many of the last
    lines went with them."""
    is_end = _may_be_end(line) or _may_be_heading(root, line)
    return drop_last_headings(root) if is_end else 0


def drop_foot(
    root: HtmlElement, lines: Sequence[str], dated: str | None, authors: Sequence[str] = ()
) -> int:
    """Drop the post's own date at its end, alone or with its author, and the labels below it ("12
    views", a signature); return how many of the last ``lines`` went. A theme of older posts may
    have them there."""
    size, gone = _foot(lines, dated or "", authors), 0
    while gone < size:
        last = _end_block(root, first=False)
        if last is None or not _is_plain(last) or next(last.iter(*_PLAYERS), None) is not None:
            break
        count = paragraphs(last).count("\n") + 1
        if gone + count > size:
            break
        last.drop_tree()
        gone += count
    return gone


def drop_own_line(root: HtmlElement, page: Page, lines: Sequence[str]) -> int:
    """Drop the last of ``lines`` where it is no sentence and leads to the page itself: "10:12 |
    comments | permanent link", as old engines write it behind a break, or where it is little else
    than links to tags. How many went."""
    if len(lines) < 2 or not is_line(lines[-1]):
        return 0
    before, parts = _own_line(root, page, lines[-1])
    if not parts:
        return 0
    if before is not None:
        before.tail = None
    for each in parts:
        each.tail = None
        each.drop_tree()
    return 1 + _drop_tag_label(root, lines[-2])


def _drop_tag_label(root: HtmlElement, line: str) -> int:
    """Drop the last ``line`` where it is a label of tags, which are gone. How many went."""
    last = _end_block(root, first=False) if _TAG_LABEL.fullmatch(line) else None
    if last is None or node_text(last) != line:
        return 0
    last.drop_tree()
    return 1


_TAG_LABEL = re.compile(rf"\W*(?:{any_of('tags', 'label')})\s?[:：]", re.I)


def _own_line(root: HtmlElement, page: Page, line: str) -> _Line:
    """Return what the last ``line`` consists of where it leads to the page itself or to tags."""
    links: Any = _LINKS(root)
    link = next((a for a in reversed(links) if _is_own(a, page) or _is_tag(a, page)), None)
    before, parts = _line_around(link, root) if link is not None else (None, [])
    words = _words_of(before, parts)
    is_whole = words == sorted(_fold(line).split()) != []
    if is_whole and (_holds_own(parts, page) or _is_of_tags(line, parts, links, page)):
        return before, parts
    return None, []


def _holds_own(parts: Iterable[HtmlElement], page: Page) -> bool:
    return any(_is_own(link, page) for link in chain.from_iterable(map(_LINKS_OF, parts)))


def _words_of(before: HtmlElement | None, parts: Iterable[HtmlElement]) -> list[str]:
    """Return the words of a line, sorted: of its ``parts`` and behind the block ``before`` it."""
    said = [before.tail if before is not None else ""]
    said += [etree.tostring(each, method="text", encoding="unicode") for each in parts]
    return sorted(_fold(" ".join(filter(None, said))).split())


_LINKS = etree.XPath("descendant::a[normalize-space(@href)]")
"""Those that lead anywhere: an author who forgot the address wrote ``href=""``."""
_LINKS_OF: Any = etree.XPath("descendant-or-self::a[normalize-space(@href)]")


def is_to_tag(href: str, page: Page) -> bool:
    """Return whether an address is that of the site's page of a tag."""
    if not LIST_PATHS["tag"].search(href):
        return False
    url = page.absolute(href)
    return url is not None and same_site(url, page.url)


def _is_tag(link: HtmlElement, page: Page) -> bool:
    return is_to_tag(link.get("href"), page)


def _is_of_tags(
    line: str, parts: Iterable[HtmlElement], links: Sequence[HtmlElement], page: Page
) -> bool:
    """Return whether the last line has no more than a label besides the last links, to tags, and
    no picture."""
    rest = _fold(line)
    for link in takewhile(lambda link: _is_tag(link, page), reversed(links)):
        rest = " ".join(filter(None, rest.rpartition(_fold(node_text(link)))[::2]))
    return len(rest) <= MAX_LABEL and not any(map(_shows_picture, parts))


def _line_around(link: HtmlElement, root: HtmlElement) -> _Line:
    """Return what a link's line consists of: its block, or all from the break or block before it;
    and that block, behind which text of the line may stand."""
    while link.getparent() is not root and not _holds_lines(link.getparent()):
        link = link.getparent()
    before = next(link.itersiblings(*_LINE_ENDS, preceding=True), None)
    if before is None:
        return None, [link.getparent()] if link.getparent() is not root else []
    rest = list(before.itersiblings())
    return (None, [before, *rest]) if before.tag == "br" else (before, rest)


def _is_own(link: HtmlElement, page: Page) -> bool:
    """Return whether a link leads to the page; to a place on it only where it is called permanent:
    notes lead back into the text."""
    url = page.absolute((link.get("href") or "")[:MAX_READ])
    if url is None or canonicalize(urldefrag(url)[0]) != canonicalize(page.url):
        return False
    names = (node_text(link), link.get("title") or "")
    return not urldefrag(url)[1] or any(map(_PERMALINK.match, names))


_PERMALINK = re.compile(rf"\W*(?:{any_of('navigation', 'permalink')})", re.I)


def _foot(lines: Sequence[str], dated: str, authors: Sequence[str]) -> int:
    """Return how many of the last lines are the post's date and labels; 0 where they are not, or
    leave too little."""
    for size, line in enumerate(reversed(lines[-NEAR:] if dated else ()), 1):
        if _is_dated_so(line, dated, authors):
            return size if sum(map(len, lines[:-size])) >= MIN_REST else 0
        if not _is_short_line(line):
            break
    return 0


def _is_dated_so(line: str, dated: str, authors: Sequence[str]) -> bool:
    """Return whether a line is the post's day with hardly more than its author: "28 April 2005 by
    Ann", "Print | posted on Sunday, March 11, 2007"."""
    found = find_date(line)
    if found is None or not _is_same_day(line, found, dated):
        return False
    rest = _fold(line[: found.span[0]] + line[found.span[1] :])
    for name in filter(None, map(_fold, authors)):
        rest = rest.replace(name, "")
    is_label_like = is_line(line) or is_date_line(line)
    return is_label_like and len(rest.split()) <= MAX_LABEL_WORDS


def _is_short_line(line: str) -> bool:
    return is_line(line) and len(line) <= MAX_LABEL


_SIGNED = re.compile(
    rf"\W*(?:(?:{any_of('bylines', 'written')})\s+(?:{any_of('bylines', 'by')})"
    rf"|{any_of('bylines', 'role', 'signed')})(?:\s?[:：]\s*|\s+)\S",
    re.I,
)


def _is_byline(line: str, authors: Sequence[str] = ()) -> bool:
    """Return whether a line says who wrote the post, or when as well: "Posted by Ann @
    05/03/2002"; of its ``authors`` the name is enough. Another one is of a book or a film that the
    post is about."""
    if len(line) <= MAX_BYLINE and _fold(strip_by(line)) in map(_fold, authors):
        return True
    signed = _SIGNED.match(line) if is_line(line) else None
    if signed is None:
        return False
    name = line[signed.end() - 1 :].rstrip(" |")
    return find_date(line) is not None or (is_person(name) and _may_be_of(name, authors))


def _may_be_of(name: str, authors: Sequence[str]) -> bool:
    """Return whether a name has a word of one of the authors, or these are not known."""
    words = {word for author in authors for word in _fold(author).split()}
    return not words or not words.isdisjoint(_fold(name).split())


def _drop_byline(root: HtmlElement, authors: Sequence[str]) -> None:
    """Drop a first block that is a byline and nothing else."""
    block, text = _first_block(root)
    if (
        block is not None
        and _is_byline(text, authors)
        and len(node_text(root)) - len(text) >= MIN_REST
    ):
        block.drop_tree()


def _may_be_end(line: str) -> bool:
    return _is_counter(line) or _is_byline(line) or _says_none(line)


def _says_none(line: str) -> bool:
    """Return whether a line says that there are no comments."""
    return len(line) <= MAX_LABEL and read_count(line) == 0


def _is_counter(line: str) -> bool:
    """Return whether a line is the number of comments and nothing else: "Replies: 0 Comments"."""
    return is_label(line, 2) and any(map(str.isdigit, line)) and read_count(line) is not None


def _may_be_title(line: str, title: str | None, page: Page) -> bool:
    """Return whether a line can be the title, begin with it, or be its first line; blanks don't
    count, as lines are cut elsewhere.
    """
    begin, wanted, document = (
        _fold(line[:MAX_TITLE], ""),
        _fold(title, ""),
        _fold(document_title(page), ""),
    )
    return (
        begin in wanted
        or begin in document
        or (bool(wanted) and (begin.startswith(wanted) or _is_title_line(line, wanted)))
    )


def _may_be_heading(root: HtmlElement, line: str) -> bool:
    """Return whether the last heading with text holds the last line."""
    line = " ".join(line.split())
    texts = (node_text(heading) for heading in reversed(list(root.iter(*_HEADINGS))))
    return line in next(filter(None, texts), "")


def drop_title(root: HtmlElement, page: Page, title: str | None) -> None:
    """Drop a heading before all text that repeats the title of the post or the document, and a date
    line under it.
    """
    heading = _leading_heading(root)
    if heading is None:
        if not _drop_title_block(root, title):
            _drop_title_lines(root, title)
        return
    folded = _fold(heading.text_content())
    if not folded:
        return
    document = _fold(document_title(page))
    is_title = folded in (_fold(title), document) or (
        bool(title) and _is_title_line(node_text(heading), _fold(title, ""))
    )
    if is_title or (heading.tag == "h1" and len(folded) > 3 and f" {folded} " in f" {document} "):
        heading.drop_tree()
        _drop_date_line(root)


def _drop_title_block(root: HtmlElement, title: str | None) -> bool:
    """Drop a first block that is the title's line and no sentence, or all in bold, and a date line
    under it; return whether there was one. One that shows a picture stays."""
    block, text = _first_block(root) if title else (None, "")
    if block is None or not is_line(text.rstrip("!?.")) or _is_sentence(block, text, title):
        return False
    if not _is_title_line(text, _fold(title, "")) or _shows_picture(block):
        return False
    if len(node_text(root)) - len(text) < MIN_REST:
        return False
    block.drop_tree()
    _drop_date_line(root)
    return True


def _is_sentence(block: HtmlElement, text: str, title: str | None) -> bool:
    """Return whether a block's text ends like a sentence, unlike the title, and is not all bold."""
    if not text.endswith(SENTENCE_ENDS) or (title or "").endswith(text[-1]):
        return False
    return not any(node_text(bold) == text for bold in block.iter("b", "strong"))


def _first_block(root: HtmlElement) -> tuple[HtmlElement | None, str]:
    """Return the first block and its text; "" where it is none that may go."""
    block = _end_block(root, first=True)
    return block, node_text(block) if block is not None and _is_plain(block) else ""


def drop_date(root: HtmlElement, dated: str | None) -> None:
    """Drop a first block or line that is the post's date and nothing else, or its day written
    otherwise; a sentence in which the date was found is the post's.
    """
    most = len(node_text(root)) - MIN_REST
    block = _end_block(root, first=True)
    if block is not None and _is_own_date(text := node_text(block), dated) and len(text) <= most:
        block.drop_tree()
        return
    holder = _first_holder(root)
    line = _first_line(holder)
    if line is not None and _is_own_date(line[0], dated) and len(line[0]) <= most:
        _cut_line(holder, line[1])


def _is_own_date(text: str, dated: str | None) -> bool:
    """Return whether a line is the date of its post, as that was read or written otherwise."""
    if not text or not dated:
        return False
    same = is_line(dated.rstrip()) and _fold(normalise(text)) == _fold(normalise(dated))
    return same or _is_day(text, dated)


def _is_day(text: str, dated: str | None) -> bool:
    """Return whether a text is a day and nothing else, the one of another text."""
    found = find_date(text)
    if found is None or text[: found.span[0]].strip() or text[found.span[1] :]:
        return False
    return _is_same_day(text, found, dated or "")


def _is_same_day(text: str, found: DateMatch, dated: str) -> bool:
    """Return whether the date in a text is the one of another; in numbers ("10.11.03") the month
    may come first."""
    known, days = find_date(dated), found.days()
    if not any(map(str.isalpha, text[slice(*found.span)])):
        days |= {day.replace(month=day.day, day=day.month) for day in days if day.day <= 12}
    return known is not None and not days.isdisjoint(known.days())


def _drop_date_line(root: HtmlElement) -> None:
    """Drop the first block where it is a short line with a year: only asked below a title, where
    the theme's header is inside.
    """
    line = _end_block(root, first=True)
    if line is None or line.tag in _KEPT_LINES:
        return
    text = node_text(line)
    run = () if is_date_line(text) else _inline_run(line)
    if run:
        text = squeeze(" ".join(map(node_text, run)))
    if is_date_line(text) and len(node_text(root)) - len(text) >= MIN_REST:
        for element in run or (line,):
            element.drop_tree()


def _inline_run(block: HtmlElement) -> list[HtmlElement]:
    """Return the inline elements with which a block begins, up to the first block in it; empty
    where other text stands among them or no block follows.
    """
    run = list(takewhile(lambda child: child.tag not in BLOCK_TAGS, block))
    if stripped(block.text) or len(run) == len(block) or any(stripped(e.tail) for e in run):
        return []
    return [element for element in run if isinstance(element.tag, str)]


def _drop_title_lines(root: HtmlElement, title: str | None) -> None:
    """Drop title and date line before ``<br>`` instead of in elements of their own, or in plain
    blocks: of pages laid out by tables.
    """
    wanted = _fold(title)
    if not wanted:
        return
    holder = _first_holder(root)
    line = _first_line(holder)
    if line is None or not f"{_fold(line[0])} ".startswith(f"{wanted} "):
        return
    if _fold(line[0]) != wanted:
        rest = line[0].casefold().removeprefix((title or "").casefold())
        if is_date_line(rest) and len(node_text(root)) - len(line[0]) >= MIN_REST:
            _cut_line(holder, line[1])
        return
    _cut_line(holder, line[1])
    second = _first_line(holder)
    if (
        second is not None
        and is_date_line(second[0])
        and len(node_text(root)) - len(second[0]) >= MIN_REST
    ):
        _cut_line(holder, second[1])


def _first_holder(root: HtmlElement) -> HtmlElement:
    """Return the innermost block that begins where ``root`` does."""
    holder = root
    while not stripped(holder.text):
        inner = next((child for child in holder if not _is_blank(child)), None)
        if inner is None or not _holds_lines(inner):
            break
        holder = inner
    return holder


def _is_blank(element: HtmlElement) -> bool:
    """Return whether an element is a rule, or a block that was emptied, without text behind."""
    return (
        element.tag in BLOCK_TAGS
        and element.tag != "br"
        and not _shows(element)
        and not _has_text(element.tail)
        and not _shows_picture(element)
    )


def _holds_lines(element: HtmlElement) -> bool:
    """Return whether an element is a block, or an inline one ("<font>") with breaks or blocks."""
    if element.tag in {"br", "pre", "li"}:
        return False
    return any(each.tag == "br" or each.tag in BLOCK_TAGS for each in (element, *element))


_LINE_ENDS = {"br", *BLOCK_TAGS}
_NO_LINES = {"img", "pre", *BLOCK_TAGS} - {"br"}


def _first_line(holder: HtmlElement) -> tuple[str, int] | None:
    """Return the text before the first ``<br>`` or block that follows any, and that element's
    place; None where a picture comes before, or a block that is not blank before any text.
    """
    text = holder.text or ""
    for place, child in enumerate(holder):
        if not text.strip() and _is_blank(child):
            continue
        if text.strip() and child.tag in _LINE_ENDS:
            return " ".join(text.split()), place
        if not isinstance(child.tag, str) or child.tag in _NO_LINES:
            return None
        text += f" {' '.join(child.itertext())} {child.tail or ''}"
        if len(text) > 4 * MAX_LINE:
            return None
    return None


def _cut_line(holder: HtmlElement, place: int) -> None:
    """Cut what stands before the element at a place, and a ``<br>`` that is there."""
    is_break = holder[place].tag == "br"
    rest = holder[place].tail if is_break else None
    for child in list(holder[: place + is_break]):
        holder.remove(child)
    holder.text = rest


def drop_last_headings(root: HtmlElement) -> int:
    """Return the headings at the end, with text or without; how many lines they had."""
    lines = 0
    for _heading in range(NEAR):
        last = _end_block(root, first=False)
        if last is None:
            break
        text = paragraphs(last)
        heads_nothing = text.endswith(":") and next(root.iter(*_PLAYERS), None) is not None
        if _end_block(root, first=True) is last and not heads_nothing:
            break
        if not _is_end(last, text):
            break
        lines += text.count("\n") + 1 if text else 0
        last.drop_tree()
    return lines


def _is_end(block: HtmlElement, text: str) -> bool:
    """Return whether a block is a heading of nothing, a counter or a byline, or says that there are
    no comments below a heading for them."""
    if block.tag in _HEADINGS:
        return not _FILM_BELOW(block)
    if not _is_plain(block):
        return False
    is_none = _says_none(text) and _is_below_label(block)
    return is_none or _is_counter(text) or _is_byline(text)


def _is_below_label(block: HtmlElement) -> bool:
    """Return whether a heading right above a block heads comments."""
    above = block.getprevious()
    return above is not None and above.tag in _HEADINGS and is_label(node_text(above))


def _end_block(root: HtmlElement, *, first: bool) -> HtmlElement | None:
    """Return the innermost block around the first (or last) text; None where that text stands
    outside of any.
    """
    holder = root
    while (inner := _end_child(holder, first=first)) is not None:
        holder = inner
    around = (holder, *holder.iterancestors())
    block = next((node for node in around if node is root or node.tag in BLOCK_TAGS), None)
    return block if block is not root else None


def _end_child(holder: HtmlElement, *, first: bool) -> HtmlElement | None:
    """Return the child with the first (or last) text of an element; None where that text is not in
    a child.
    """
    if first and _has_text(holder.text):
        return None
    for child in holder if first else reversed(holder):
        if not first and _has_text(child.tail):
            return None
        if isinstance(child.tag, str) and _shows(child):
            return child
        if first and _has_text(child.tail):
            return None
    return None


def _inside(element: HtmlElement, root: HtmlElement) -> bool:
    return any(ancestor is root for ancestor in element.iterancestors())


def _has_text(text: str | None) -> bool:
    return bool(text and not text.isspace())


def _shows(element: HtmlElement) -> bool:
    return _has_text(element.text) or (
        len(element) > 0 and any(text.strip() for text in element.itertext())
    )


def _leading_heading(root: HtmlElement) -> HtmlElement | None:
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag in {"h1", "h2", "h3"}:
            return element
        if stripped(element.text) and element.tag not in {
            "time",
            "script",
            "style",
            "noscript",
        }:
            return None
        if element.tail and element.tail.strip() and element is not root:
            return None
    return None
