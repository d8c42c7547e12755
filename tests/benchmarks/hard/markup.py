"""Ways in which themes and engines write markup so that names and paths are less telling."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from html import escape
from typing import Any

import lxml.html

from blogcrawl.dates.months import month_names
from tests.benchmarks.hard.setting import Hard, digest

UTILITIES = (
    "mt-4 mb-2 px-2 py-1 text-lg text-sm font-bold flex grid gap-4 mx-auto w-full max-w-3xl "
    "leading-7 text-gray-700 border-b rounded-lg"
    " items-center justify-between block hidden md:flex lg:px-8 hover:underline tracking-tight "
    "space-y-4 prose-sm shadow-md overflow-hidden"
).split()
WORDS = (
    "travel food code music books garden notes family linux photos diary review history "
    "games recipes"
).split()


def classes(element: Any) -> list[str]:
    return (element.get("class") or "").split()


def set_classes(element: Any, tokens: list[str]) -> None:
    if tokens:
        element.set("class", " ".join(tokens))


def post_ids(hard: Hard) -> None:
    """``post-1337``: only ids with the post's number identify elements."""
    names = ("post-body", "entry", "post", "article", "item", "wrap")
    for level, element in enumerate((hard.node, *hard.above())):
        element.attrib.pop("class", None)
        element.set("id", f"{names[min(level, 5)]}{'' if level < 6 else level}-{hard.number}")
    if hard.heading is not None:
        hard.heading.attrib.pop("class", None)
        hard.heading.set("id", f"title-{hard.number}")


def class_order(hard: Hard) -> None:
    for element in hard.tree.iter():
        tokens = classes(element) if isinstance(element.tag, str) else []
        if tokens:
            tokens += [f"{tokens[0]}-box", f"is-{tokens[0]}"]
            hard.chance.shuffle(tokens)
            set_classes(element, tokens)


def theme_classes(hard: Hard) -> None:
    """WordPress's ``post_class`` and ``body_class``: number, categories, tags, author before all
    else, differing from post to post.
    """
    picked = [f"tag-{word}" for word in hard.chance.sample(WORDS, hard.chance.randint(3, 7))]
    mine = [
        f"post-{hard.number}",
        f"category-{hard.chance.choice(WORDS)}",
        *picked,
        f"author-{hard.chance.choice(WORDS)}",
    ]
    for element in (hard.node, *hard.above(), hard.tree.find("body")):
        set_classes(element, [*mine, *classes(element)])


def older_theme(hard: Hard) -> None:
    """Another theme: other names, other elements, another nesting."""
    for element in hard.tree.iter():
        if isinstance(element.tag, str):
            set_classes(element, ["x" + digest(token)[:5] for token in classes(element)])
            if element.get("id"):
                element.set("id", "y" + digest(element.get("id"))[:5])
    node = hard.node
    if node.tag != "body":
        node.tag = {"div": "section", "article": "div", "section": "div", "main": "div"}.get(
            node.tag, node.tag
        )
        for tag in ("div", "div"):
            wrapper = lxml.html.Element(tag)
            wrapper.tail, node.tail = node.tail, None
            node.addprevious(wrapper)
            wrapper.append(node)
    if hard.heading is not None and hard.heading.tag in ("h1", "h2", "h3"):
        hard.heading.tag = "h2" if hard.heading.tag == "h1" else "h1"


def renamed(hard: Hard, name: Callable[[str], str]) -> None:
    for element in hard.tree.iter():
        if isinstance(element.tag, str):
            set_classes(element, [name(token) for token in classes(element)])
            element.attrib.pop("id", None)


def hashed(hard: Hard) -> None:
    """CSS-in-JS: names that say nothing, the same on all pages; no ids."""
    renamed(hard, lambda token: "css-" + digest(hard.site.id + token)[:6])


def hashed_by_page(hard: Hard) -> None:
    """The same, of a build that names anew on each page."""
    renamed(hard, lambda token: "css-" + digest(hard.url + token)[:6])


def utility(hard: Hard) -> None:
    """Names of looks, which many elements share."""
    for element in hard.tree.iter():
        if isinstance(element.tag, str):
            had = " ".join(sorted(classes(element)))
            chance = random.Random(hard.site.id + element.tag + had)
            if had:
                set_classes(element, chance.sample(UTILITIES, chance.randint(3, 7)))
            element.attrib.pop("id", None)


def line_breaks(hard: Hard) -> None:
    """Paragraphs become text between ``<br><br>``."""
    for paragraph in [p for p in hard.node.iter("p") if p is not hard.node]:
        for _ in range(2):
            made = lxml.html.Element("br")
            made.tail, paragraph.tail = paragraph.tail, None
            paragraph.addnext(made)
        paragraph.drop_tag()


def bare_divs(hard: Hard) -> None:
    for paragraph in [p for p in hard.node.iter("p") if p is not hard.node]:
        paragraph.tag = "div"
        paragraph.attrib.pop("class", None)


def no_element(hard: Hard) -> None:
    """The post's paragraphs are siblings of its title and all else."""
    if (
        hard.node.tag != "body"
        and hard.heading is not None
        and hard.heading not in set(hard.node.iter())
    ):
        hard.node.drop_tag()


def extra_parts(hard: Hard) -> str:
    """A list, code and a table of the post's own."""
    words = [f"{word}{hard.number}" for word in ("alpha", "beta", "gamma", "delta")]
    items = "".join(f"<li>{word} item in a list</li>" for word in words)
    cells = "".join(f"<td>cell {word}</td>" for word in words)
    return (
        f"<ul>{items}</ul><pre><code>def {words[0]}():\n    return "
        f"{words[1]}\n</code></pre><table><tr>{cells}</tr></table>"
    )


def with_parts(hard: Hard) -> None:
    made = lxml.html.fragments_fromstring(extra_parts(hard))
    at = len(hard.node) // 2
    for part in reversed(made):
        hard.node.insert(at, part)
    if hard.facts.text:
        hard.facts.text += " " + " ".join(piece for part in made for piece in part.itertext())


def lazy_pictures(hard: Hard) -> None:
    """Pictures whose address stands in ``data-src`` until they are scrolled to."""
    for image in hard.tree.iter("img"):
        if image.get("src"):
            image.set("data-src", image.get("src"))
            image.set(
                "src", "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
            )
            image.attrib.pop("srcset", None)
            set_classes(image, [*classes(image), "lazyload"])


def odd_base(hard: Hard) -> None:
    head = hard.tree.find("head")
    if head is not None:
        head.insert(0, lxml.html.fragment_fromstring('<base href="http://localhost:4000/">'))
        hard.facts.pictures = ()  # a reader would not see them


HEBREW = str.maketrans(
    dict(zip("abcdefghijklmnopqrstuvwxyz", "אבגדהוזחטיכלמנסעפצקרשתםןףך", strict=True))
)
LABELS = {
    "by": "מאת",
    "posted": "פורסם",
    "written": "נכתב",
    "on": "ב",
    "par": "מאת",
    "von": "מאת",
    "author": "כותב",
    "comments": "תגובות",
}
"""What themes write around authors and days, in Hebrew."""
_HEBREW_MONTHS = {number: name for name, number in month_names("he").items() if len(name) > 3}
_MONTHS = {
    name: _HEBREW_MONTHS[number]
    for code in ("en", "fr", "de", "nb")
    for name, number in month_names(code).items()
    if number in _HEBREW_MONTHS
}


def mirrored(text: str) -> str:
    """Latin letters as Hebrew ones."""
    return text.lower().translate(HEBREW) if re.search("[A-Za-z]", text) else text


def _labelled(text: str) -> str:
    """The surroundings of a post: dates and labels in Hebrew, all else only in its letters."""
    words = [
        _MONTHS.get(word.lower().rstrip(".")) or LABELS.get(word.lower()) or mirrored(word)
        for word in re.split(r"([^\W\d_]+\.?)", text)
    ]
    return "".join(words)


def right_to_left(hard: Hard) -> None:
    """A Hebrew blog."""
    inside = set(hard.node.iter()) if hard.node is not None else set()
    for element in hard.tree.iter():
        if not isinstance(element.tag, str) or element.tag in ("script", "style", "noscript"):
            continue
        is_theirs = (
            element not in inside
            and element.tag not in ("title", "h1", "h2", "h3")
            and element is not hard.heading
        )
        for name in ("text", "tail"):
            text = getattr(element, name)
            if text:
                setattr(
                    element,
                    name,
                    _labelled(text) if is_theirs and len(text) < 80 else mirrored(text),
                )
        named = element.get("property") or element.get("name") or ""
        if element.tag == "meta" and ("title" in named or named == "author"):
            element.set("content", mirrored(element.get("content") or ""))
    hard.tree.set("dir", "rtl")
    hard.tree.set("lang", "he")
    facts = hard.facts
    facts.title, facts.text = (
        mirrored(facts.title or "") or None,
        mirrored(facts.text or "") or None,
    )
    facts.authors, facts.tags = tuple(map(mirrored, facts.authors)), None


LEGACY = ("cp1252", "cp1251", "euc-jp", "gb18030")


def legacy(hard: Hard) -> str:
    """The old encoding that has the page's letters."""
    text = hard.facts.text or ""
    return next(
        name
        for name in LEGACY
        if len(text.encode(name, "ignore")) >= 0.99 * len(text.encode(name, "replace"))
    )


def wrong_label(hard: Hard) -> None:
    """An old encoding under the name of UTF-8."""
    hard.encoding, hard.declared = legacy(hard), "utf-8"


def no_label(hard: Hard) -> None:
    hard.encoding, hard.declared = legacy(hard), None


def wrong_latin(hard: Hard) -> None:
    """UTF-8 under the name of Latin-1."""
    hard.declared = "iso-8859-1"


def say(text: str) -> str:
    return escape(text, quote=True)
