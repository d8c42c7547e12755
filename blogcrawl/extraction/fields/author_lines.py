"""Authors in lines around the heading and below the content: "by", a name next to the date, a
copyright.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_READ
from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date, is_moment, normalise
from blogcrawl.dates.relative import is_relative
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.date_line import YEAR, all_lines
from blogcrawl.extraction.fields.headings import headline
from blogcrawl.extraction.fields.names import (
    AND,
    BY,
    LABELS,
    PARTICLES,
    ROLES,
    is_person,
    is_site_name,
    site_names,
)
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.lexicon.vocabulary import any_of, word_set
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE, MAX_WORDS
from blogcrawl.text.visible import SILENT_TAGS, node_text, paragraphs, squeeze, stripped

_WEIGHTS = confidences("authors")

_SURNAME = r"\s(?:la|le|el|den)\s(?-i:[A-ZÀ-Þ])[^|·•,，/(:\d]{0,40}(?:$|[|·•,，/(:])"
"""Articles that begin the second half of a name ("Jose de la Cruz"): no date follows them."""
_BY = re.compile(
    rf"(?:^|[\s|·•,–—-])"
    rf"(?:(?:(?P<verb>{any_of('bylines', 'written')})\s{{1,20}}"
    rf"(?:{BY}|{any_of('bylines', 'of')})|{BY})\s?(?::\s?|\s)"
    rf"|(?P<role>{ROLES})(?:\s?[:：]\s{{0,20}}|\s{{1,20}}))"
    r"(?P<name>[^\W\d_][\w.-]{0,30}\d(?!\w)|[^\W\d_][^|·•,/()<>\d:：]{1,50}?)"
    rf"(?=\s{{0,20}}(?:$|[|·•,，/(:]|\s[-–—]\s"
    rf"|(?!{_SURNAME})\s(?:{any_of('bylines', 'after_name')})(?:\s|-\d)"
    r"|(?<![^\W\d_])\d))",
    re.I,
)
_BY_AFTER = re.compile(
    r"^(?P<verb>)(?P<name>[^\W\d_][^|·•,/()<>\d:：]{1,40}?)"
    rf"\s(?:{any_of('bylines', 'by_after_name')})(?!\w)"
    r"|^(?P<nick>(?P<shown>[^\W\d_][\w.-]{1,30})(?:\s\((?!(?P=shown)\))[\w.-]{2,30}\))?)"
    r"(?:\s\((?P=shown)\))?\s(?P<wrote>wrote|writes|пишет|написала?|schrieb|schreibt|"
    r"a\s[eé]crit|escribió|escreveu|ha\sscritto)\s*[,:(@]",
    re.I,
)
_WHEN_NEXT = re.compile(r"\W*(?:[^\W\d_]{1,4}\W+)?\d")
"""A day or an hour follows, with a short word before it or none."""
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|\bcopyright\b|\bcreative\scommons\b)[\s:©,]{0,80}(?:\(c\)\s{0,20})?"
    r"(?:(?:19|20)\d\d[\s,]{0,"
    r"80}(?:[-–—~]\s{0,20}(?:(?:19|20)?\d\d|present|now)\b[\s,]{0,80})?)(?:by\s{1,20})?"
    r"(?P<name>[^\W\d_][^|·•∙,/()<>\d:：©.;\n]{3,40}?)(?=\s{0,20}(?:$|[|·•∙,/(.;:©\n]|[-–—]\s|"
    r"\s(?:all|alle|tous|todos|tutti|licen|some|under)\b))",
    re.I,
)
_BEFORE_YEARS = re.compile(
    r"(?:©|\(c\)|\bcopyright\b)[\s:©]{0,20}(?:by\s{1,20})?"
    r"(?P<name>[^\W\d_][^|·•∙,/()<>\d:：©.;\n]{3,40}?),?\s{1,20}(?:19|20)\d\d",
    re.I,
)
_NO_HOLDER = re.compile(
    rf"\w{{1,40}}(?:{any_of('bylines', 'not_holder.suffix')})\b|\s\w$"
    rf"|\b(?:{any_of('bylines', 'not_holder.company', 'not_holder.site')})\b",
    re.I,
)
_LABELLED = re.compile(
    (
        rf"^(?:{LABELS})\s?[:：/／]\s*(?P<name>[^\W\d_][^|｜·•,，/／()（）<>\d:：]{{1,40}}?)(?=\s*(?:$|[|"
        rf"｜·•,，/／(（\d:：]))"
    ),
    re.I,
)
_AUTHOR_LABEL = re.compile(rf"\s{{0,20}}(?:{ROLES})\s{{0,20}}[:：]?\s{{0,20}}", re.I)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,8}")
FEW = 4
"""Words up to the "by" of a line that begins with what it is ("A guest post by")."""
_SHORT_DATE = re.compile(
    r"(?<!\d)\d{1,2}([./-])\s?\d{1,2}\1\s?\d\d(?!\d)|(?<!\d)\d\d([./-])\d{1,2}\2\d{1,2}(?!\d)"
)
_PARTS = re.compile(r"\s{0,20}[|·•∙⋅/]\s{0,20}|\s[-–—]\s")
MAX_NESTED = 12


def visible_authors(page: Page, content: HtmlElement | None) -> list[tuple[str, float]]:
    """Return the names after "by", after a label or next to a date in such lines, with weight."""
    heading = headline(page)
    title = f"{document_title(page)} {heading}"
    out: list[tuple[str, float]] = []
    for line, element, away in all_lines(page, content):
        text = _parted(element) or line
        match = _by(text)
        kind, name = (
            _name_by(match, element) if match else _name_without_by(text, element, page, heading)
        )
        if name is None or (kind not in _CERTAIN and text in title):
            continue
        weight, fall = _LINES[kind]
        out.append((name, max(0.25, weight - fall * away)))
        if kind == "by" and len(out) > 2:
            break
    return out


_CERTAIN = ("after_label", "signed_day")
_LINES = {
    "by": (0.66, 0.01),
    "after_label": (_WEIGHTS["after_label"], 0.01),
    "signed_day": (_WEIGHTS["after_label"], 0.0),
    "bare_name": (_WEIGHTS["bare_name"], 0.005),
}
"""Weight of a name by what shows it, and how it falls with the lines away from the content."""


def _by(text: str) -> re.Match[str] | None:
    """Return the "by" of a line with the name, which ends where a date begins ("by Ann May 3,
    2010", "by Ann Date: May 3, 2010").
    """
    match = _BY.search(text) or _BY_AFTER.search(text)
    when = find_date(text) if match is not None else None
    if match is None or when is None:
        return match
    before, _, day = text[: when.span[0]].rstrip(" ,.").rpartition(" ")
    is_of_date = day.endswith((":", "：")) or is_moment(f"{day} {text[slice(*when.span)]}")
    head = before if is_of_date else text[: when.span[0]]
    if not match.start("name") < len(head.rstrip()) < match.end("name"):
        return match
    return _BY.search(head.rstrip()) or match


def _name_by(match: re.Match[str], element: HtmlElement) -> tuple[str, str | None]:
    """Return how a line with a "by" shows a name, and the name, if it is one."""
    if match.groupdict().get("nick"):
        is_dated = _WHEN_NEXT.match(match.string[match.end() :])
        return "signed_day", match["nick"] if is_dated else None
    is_byline = _is_byline(match) or _is_own_element(match, element)
    return "by", _first_whole(element, _unlabelled(match)) if is_byline else None


def _name_without_by(
    text: str, element: HtmlElement, page: Page, headline: str
) -> tuple[str, str | None]:
    """Return how another line shows a name, and the name, if there is one."""
    name = _labelled_name(text, element) or _name_at_hour(text)
    if name is not None:
        return "after_label", name
    return "bare_name", _bare_name(text, element, page, headline)


def _labelled_name(text: str, element: HtmlElement) -> str | None:
    """Return the name after a label ("Text: Ute Maier", or each in an element of its own) or the
    line that an icon labels, None where the line is neither.
    """
    match = _LABELLED.match(text) if len(text) <= MAX_BYLINE else None
    label, following, *_ = [*text.split(" · "), ""]
    if match is not None:
        name = _unlabelled(match)
    else:
        name = following if _AUTHOR_LABEL.fullmatch(label) else ""
    if all(map(_is_name, _JOINED.split(name))):
        return name
    is_labelled = _is_name(text) and (_is_labelled_author(element) or _has_icon(element))
    return text if is_labelled else None


_JOINED = re.compile(r"\s(?:&|\+|and|und|et|og|och)\s")
"""Between the names of two people behind a label: "Hosts: Ann Lee & Bo Day"."""


def _name_at_hour(text: str) -> str | None:
    """Return the part of a line that stands before an "@" and an hour, as the first templates of
    WordPress sign: ``Filed under: Garden — Ann @ 10:01 am``."""
    parts = _PARTS.split(text) if len(text) <= MAX_LINE else ()
    return next(filter(None, map(_before_hour, parts)), None)


def _before_hour(part: str) -> str:
    name, at, hour = part.rpartition(" @ ")
    is_name = at and is_moment(hour) and len(name.split()) <= MAX_WORDS
    return name if is_name and not find_date(name) else ""


def _is_name(text: str) -> bool:
    return is_person(text) or _HAN.fullmatch(text) is not None


def _bare_name(text: str, element: HtmlElement, page: Page, headline: str) -> str | None:
    """Return the name next to the date in a line, unless it is the post's title or subject, or that
    of an entry of a list."""
    name = _name_next_to_date(text, element)
    if name is None or _is_title(name, page) or _names_title(name, headline):
        return None
    return None if _is_entry(element) else name


def _is_entry(element: HtmlElement) -> bool:
    """Return whether an element is one of several of its kind side by side that have a link and a
    date: other posts, or readers."""
    siblings = chain(
        element.itersiblings(element.tag), element.itersiblings(element.tag, preceding=True)
    )
    alike = (each for each in islice(siblings, NEAR) if each.get("class") == element.get("class"))
    return any(each.find(".//a") is not None and find_date(node_text(each)) for each in alike)


def _is_byline(match: re.Match[str]) -> bool:
    """Return whether a "by" begins the line or a whole name follows it: amid a sentence, or where
    the word means much else, it is not a byline.
    """
    begins = match[0].lstrip().lower().startswith("by") or match["verb"] is not None
    return ((match.start() == 0 and begins) or _follows(match)) and not _is_cut_off(match)


def _is_own_element(match: re.Match[str], element: HtmlElement) -> bool:
    """Return whether a line is the "by" and a name in an element of its own: "by <a>ann lee</a>",
    in small letters too."""
    name = match["name"].strip()
    is_all = match.start() == 0 and not match.string[match.end("name") :].strip()
    return (
        is_all
        and len(name.split()) < MAX_WORDS
        and any(node_text(inner) == name for inner in element.iterchildren("a", "span"))
    )


def _is_title(name: str, page: Page) -> bool:
    """Is it the post's title, which stands next to the date where the theme makes no heading of
    it?"""
    return document_title(page).startswith(name) and not is_site_name(name, site_names(page))


def _names_title(name: str, title: str) -> bool:
    """Return whether most words of a would-be name stand in the headline: it is what the post is
    about."""
    words = name.casefold().split()
    return 2 * sum(word in title.casefold() for word in words) > len(words)


def _unlabelled(match: re.Match[str]) -> str:
    """Return the name without the label of what follows it (``Text: Ute Maier Photos: Bo Day``) and
    without the full stop of a sentence."""
    words = match["name"].split()
    is_label_last = len(words) > 2 and _is_colon(match.string[match.end() :])
    return _first_sentence(words[:-1] if is_label_last else words)


def _first_sentence(words: list[str]) -> str:
    """Return the name up to the word that ends a sentence: "Ann Lee. Filed under"."""
    ends = (
        number
        for number, word in enumerate(words, 1)
        if number > 1 and word.endswith(".") and _SHORTENED.fullmatch(word) is None
    )
    end = next(ends, None)
    return " ".join(words) if end is None else " ".join(words[:end]).removesuffix(".")


def _first_whole(element: HtmlElement, name: str) -> str:
    """Return the name without what begins another element: in ``<a>Ute Maier</a>
    <span>Photo</span>`` nothing else parts them.
    """
    for inner in element.iterdescendants("a", "span", "strong", "b", "em", "i"):
        text = node_text(inner).strip(" ,")
        rest = name[len(text) :]
        if (
            text
            and rest.startswith(" ")
            and name.startswith(text)
            and (is_person(text) or inner.tag == "a")
            and not AND.match(rest)
        ):
            return text
    return name


def _is_cut_off(match: re.Match[str]) -> bool:
    """Return whether the name is but a part of one ("Vicco von Bülow"), or words of a sentence ("by
    the numbers").
    """
    words = match["name"].split()
    if _is_all_labelled(match):
        return len(words) > MAX_WORDS
    if len(words) > 1 and not (_is_word_of_name(words[0]) and _is_word_of_name(words[-1])):
        return True
    before = match.string[: match.start() + 1].split()
    if match["verb"] or match.start() == 0 or not before or match[0].split()[0] not in PARTICLES:
        return False
    return _is_first_name(before[-1])


def _is_first_name(word: str) -> bool:
    """Return whether a word before a particle can be a name, not what the line calls the text."""
    is_text = _TEXTS.fullmatch(word) is not None or word.casefold().startswith(("foto", "bild"))
    return word[:1].isupper() and not is_text


def _is_all_labelled(match: re.Match[str]) -> bool:
    """Return whether a line is the label of an author, a colon and a name ("Author: the night
    owls"), however that is written.
    """
    role = match.groupdict().get("role")
    is_label = role is not None and match.start("role") == 0
    return (
        is_label
        and _is_colon(match.string[match.end("role") :])
        and not match.string[match.end("name") :].strip()
    )


_TEXTS = re.compile(rf"(?:\w{{0,40}}(?:{any_of('bylines', 'text_stem')})\w{{0,40}})", re.I)


def _is_labelled_author(element: HtmlElement) -> bool:
    """Return whether an icon's words for readers who don't see it say "author": in a label of the
    element or of the one in it.
    """
    return any(
        _AUTHOR_LABEL.fullmatch(node.get(name, ""))
        for node in (element, *element.iterchildren("a", "span"))
        for name in ("aria-label", "title")
    )


def _has_icon(element: HtmlElement) -> bool:
    """Return whether an element in a dated line is the icon of a person, holds or follows it."""
    before = element.getprevious()
    icons = [element, *element.iterchildren("i", "svg")]
    if before is not None and not node_text(before) and not stripped(before.tail):
        icons.append(before)
    around = islice(element.iterancestors(), 2)
    return any(map(_is_person_icon, icons)) and any(find_date(node_text(e)) for e in around)


def _is_person_icon(element: HtmlElement) -> bool:
    words = words_of(element.get("class") or "")
    is_icon = element.tag in {"i", "svg"} or "icon" in words
    return is_icon and not _PERSONS.isdisjoint(words)


_PERSONS = word_set("css_classes", "person_icon")


def copyright_holder(page: Page) -> str | None:
    """Return the person whom the last copyright line of the page names; None where it names the
    site, a company or a theme's maker.
    """
    body = page.tree.find("body")
    text = paragraphs(body)[-MAX_READ:] if body is not None else ""
    names = site_names(page)
    for match in reversed([*_BEFORE_YEARS.finditer(text), *_COPYRIGHT.finditer(text)]):
        name = match["name"].strip(" .,").rpartition(" by ")[2]
        if is_person(name) and not no_holder(name) and not is_site_name(name, names):
            return name if name.casefold() not in document_title(page).casefold() else None
    return None


def no_holder(name: str) -> bool:
    """Return whether a name in a page's foot is a company's or a theme's, or not a name."""
    return _NO_HOLDER.search(name) is not None


_INITIAL = re.compile(r"[^\W\d_]\.")
_SHORTENED = re.compile(r"(?:[^\W\d_]\.){1,4}|(?:jr|sr|esq|ph\.?d)\.", re.I)
"""A word that has a full stop within a name."""


def _follows(match: re.Match[str]) -> bool:
    """Return whether a name follows the "by": amid a line every word of it must look like a name's,
    or a sentence's words would do.
    """
    name = match["name"].strip()
    words = name.split()
    role = match.groupdict().get("role")
    has_role = role is not None and len(match.string) <= MAX_BYLINE
    is_first = match.start() == 0
    if not any((is_first, has_role, match["verb"])) and not _is_set_off(match, name):
        return False
    if not is_first and len(words) > 1:
        is_ended = name.endswith(".") and _INITIAL.fullmatch(words[-1]) is None
        return len(words) <= 5 and not is_ended and all(map(_is_word_of_name, words))
    is_colon_next = has_role and _is_colon(match.string[match.end("role") :])
    return not name[0].islower() or is_colon_next or _is_nickname(match, name)


def _is_set_off(match: re.Match[str], name: str) -> bool:
    """Return whether a "by" amid a line stands after a separator or a kind of text ("A guest post
    by"), or the line has a date.
    """
    before = match.string[: match.start() + 1]
    if before.rstrip().endswith(("|", "·", "•", "–", "—")) or _is_behind_moment(match):
        return True
    if _SHORT_DATE.search(match.string) or YEAR.search(normalise(match.string)):
        return True
    words = before.split()
    return 0 < len(words) <= FEW and _TEXTS.fullmatch(words[-1]) is not None and is_person(name)


def _is_behind_moment(match: re.Match[str]) -> bool:
    """Return whether a line begins with a day, an hour or a time ago, and its "by" follows."""
    before = match.string[: match.start() + 1].strip(" ,")
    return is_moment(before) or is_relative(before)


def _is_nickname(match: re.Match[str], name: str) -> bool:
    """Return whether the name is a single word between a verb and the hour, behind a moment ("3:12
    PM, by ann, 80 words"), or the end of a line that begins with the verb and the day: "Written on
    3 May 2010 by ann".
    """
    if len(name.split()) != 1 or len(name) <= 2:
        return False
    before, after = match.string[: match.start()], match.string[match.end() :]
    if _is_behind_moment(match):
        return True
    if match["verb"]:
        return _WHEN_NEXT.match(after) is not None
    return not after.strip() and bool(_WRITTEN.match(before)) and find_date(before) is not None


_WRITTEN = re.compile(rf"\W*(?:{any_of('bylines', 'written')})\W", re.I)


def _is_colon(text: str) -> bool:
    return text.lstrip()[:1] in (":", "：")


def _is_word_of_name(word: str) -> bool:
    return not word[0].islower() or word in PARTICLES


def _apart(before: str, child: HtmlElement) -> str:
    """Return what stands to the eye between a text and an element that it touches: a link that
    begins right behind a letter begins a word ("by<a>Ann</a>")."""
    return " " if child.tag == "a" and before[-1:].isalpha() else ""


def _parted(element: HtmlElement, depth: int = 0) -> str:
    """Return the line with a dot between elements that touch, and where it breaks: ``<span>Ute
    Maier</span><span>3.5.2020</span>`` is two parts to the eye.
    """
    pieces = [element.text or ""]
    touching = False
    for child in element:
        if child.tag == "br":
            pieces.append(" · ")
        elif isinstance(child.tag, str) and child.tag not in SILENT_TAGS:
            inner = _parted(child, depth + 1) if depth < MAX_NESTED else node_text(child)
            pieces.append(
                (" · " if touching and inner.strip() else _apart(pieces[-1], child)) + inner
            )
            touching = bool(inner.strip()) or touching
        if child.tail:
            pieces.append(child.tail)
            touching = touching and not child.tail.strip() and not child.tail[0].isspace()
    return squeeze("".join(pieces))


def _name_next_to_date(text: str, element: HtmlElement) -> str | None:
    """Return the only part of ``3.5.2020 | Ute Maier | garden`` that can be a person's name; None
    where none or several can.

    Before a ``time`` element a comma parts as well."""
    before = _before_time(element)
    if before.endswith(",") and is_person(before.rstrip(" ,")):
        return before.rstrip(" ,")
    parts = _PARTS.split(text)
    if len(parts) < 2 or not YEAR.search(normalise(text)):
        return None
    linked = tuple(filter(None, _linked_topics(element)))
    names = [part for part in parts if not part.endswith(linked) and is_person(part)]
    return names[0] if len(names) == 1 else None


def _linked_topics(element: HtmlElement) -> Iterator[str]:
    """Yield the texts of the links to lists of tags and categories."""
    for link in element.iter("a"):
        if re.search(r"/(?:tags?|t|categor\w*|topics?|label)/", link.get("href", "")):
            yield node_text(link)


def _before_time(element: HtmlElement) -> str:
    """Return the bare text with which the box of the first ``time`` element inside begins."""
    time = next(element.iter("time"), None)
    if time is None or (box := time.getparent()) is None:
        return ""
    elder = list(time.itersiblings(preceding=True))
    return (
        ""
        if any(isinstance(e.tag, str) for e in elder)
        else squeeze((box.text or "") + "".join(e.tail or "" for e in reversed(elder)))
    )
