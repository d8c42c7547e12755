"""Titles, authors and dates where themes put them, and foreign ones next to them."""

from __future__ import annotations

import re
from typing import Any

import lxml.html

from tests.benchmarks.hard.markup import say
from tests.benchmarks.hard.setting import Hard, digest, plain

PEOPLE = ("Marta Lindqvist", "Jonas Weber", "Paula Costa")
READERS = ("Bob Miller", "Sandra K.", "old_sailor", "Tina Vogel")


def writer(url: str) -> str:
    """The first of the people wrote three posts of five."""
    at = int(digest("writer" + url)[:6], 16) % 5
    return PEOPLE[max(0, at - 2)]


def named(hard: Hard, wanted: str | None) -> bool:
    """Every mention of the known authors outside the content names ``wanted``, or no author;
    whether there was any that is seen.
    """
    names = [name for name in {*hard.site.authors, *hard.facts.authors} if name]
    if not names:
        return False
    pattern = re.compile(
        "|".join(
            rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True)
        )
    )
    count = 0
    for element in hard.outside():
        if element.tag in ("script", "style"):
            if element.text and "ld+json" in (element.get("type") or ""):
                element.text = pattern.sub(wanted or "", element.text)
            continue
        for name in ("text", "tail"):
            text = getattr(element, name)
            if (
                text
                and len(text) < 80
                and pattern.search(text)
                and element.tag not in ("title", "h1", "h2")
                and element is not hard.heading
            ):
                setattr(element, name, pattern.sub(wanted or "", text))
                count += element.tag not in ("footer", "small")
        for name in ("content", "title", "alt", "aria-label"):
            if pattern.search(element.get(name) or "") and "title" not in (
                element.get("property") or ""
            ):
                element.set(name, pattern.sub(wanted or "", element.get(name)))
    return bool(count)


def bylined(hard: Hard) -> None:
    """Each post names its own author only."""
    who = writer(hard.url)
    named(hard, None)
    markup = f'<p class="meta">by <a href="/authors/{who.split()[0].lower()}/">{who}</a></p>'
    hard.put_behind(hard.heading, markup) if _apart(hard) else hard.put_before(hard.node, markup)
    hard.facts.authors = (who,)


def _apart(hard: Hard) -> bool:
    return (
        hard.heading is not None
        and hard.heading.tag in ("h1", "h2", "h3")
        and hard.heading not in set(hard.node.iter())
    )


def two_authors(hard: Hard) -> None:
    """Every third post has two."""
    bylined(hard)
    if hard.number % 3 == 0:
        other = PEOPLE[1 + PEOPLE.index(hard.facts.authors[0]) - 3]
        link = next(a for a in hard.tree.iter("a") if a.text == hard.facts.authors[0])
        hard.put_behind(link, f'<span>and</span> <a href="/authors/x/">{other}</a>')
        link.tail, link.getnext().tail = " ", " "
        hard.facts.authors = (*hard.facts.authors, other)


def unnamed(hard: Hard) -> None:
    """Pages name no author; what the feed says is true where it says the same of all."""
    named(hard, None)
    if len(hard.site.authors) > 1:
        hard.facts.authors = ()  # cannot be known


def commenters_first(hard: Hard) -> None:
    """A list of the latest comments before the post, comments behind it, all with ``author``; then
    the byline, with it too.
    """
    who = writer(hard.url)
    named(hard, None)
    recent = "".join(
        f'<li><span class="author">{name}</span> on <a href="{url}">{say(title)}</a></li>'
        for name, (title, url, _) in zip(READERS, hard.site.posts, strict=False)
    )
    hard.put_first(f'<div class="widget"><h4>Recent comments</h4><ul>{recent}</ul></div>')
    said = "".join(
        (
            f'<li><div><span class="author">{name}</span> says</div><div>Thank you, that was good '
            f"to read, number {at}.</div></li>"
        )
        for at, name in enumerate(hard.chance.sample(READERS, hard.chance.randint(0, 3)))
    )
    comments = f'<div class="comments"><h4>Comments</h4><ol>{said}</ol></div>'
    byline = f'<div class="postmetadata">Posted by <span class="author">{who}</span></div>'
    hard.put_behind(hard.node, byline + comments) if hard.node.tag != "body" else hard.put_last(
        byline + comments
    )
    hard.facts.authors = (who,)


def today(hard: Hard) -> None:
    """The day of the visit in the head and the foot of every page."""
    hard.put_first('<div class="top"><span class="date">Sunday, November 22, 2026</span></div>')
    hard.put_last(
        '<div class="foot"><span>Last update: 2026-11-22 08:15</span> <span>© 2026</span></div>'
    )


def other_dates(hard: Hard) -> None:
    """Days of other posts before and behind the post, of comments behind it."""

    def rows(others: list[tuple[str, str, str]]) -> str:
        return "".join(
            (
                f'<li><a href="{url}">{say(title)}</a> <time '
                f'datetime="{day}">{day[8:]}.{day[5:7]}.{day[:4]}</time></li>'
            )
            for title, url, day in others
            if day
        )

    recent = hard.site.posts[:5]
    related = hard.chance.sample(hard.site.posts, min(3, len(hard.site.posts)))
    hard.put_first(f'<div class="widget"><h4>Recent posts</h4><ul>{rows(recent)}</ul></div>')
    said = "".join(
        f'<li><span class="date">{day} 10:1{n}</span> <div>Nice one, thank you {n}.</div></li>'
        for n, (_, _, day) in enumerate(related)
    )
    behind = (
        f'<div class="related"><h4>Related</h4><ul>{rows(related)}</ul></div><div '
        f'class="comments"><ol>{said}</ol></div>'
    )
    hard.put_behind(hard.node, behind) if hard.node.tag != "body" else hard.put_last(behind)


def title_inside(hard: Hard) -> None:
    """Title and text in one element."""
    if not _apart(hard):
        return
    hard.heading.drop_tree()
    made = lxml.html.fragment_fromstring(f"<h2>{say(hard.facts.title or '')}</h2>")
    made.tail, hard.node.text = hard.node.text, None
    hard.node.insert(0, made)


def _no_title(hard: Hard, head: str) -> None:
    """Only the document's title says ``head``."""
    wanted = plain(hard.facts.title)
    for element in list(hard.outside()):
        if element.tag == "title":
            element.text = head
            continue
        is_named = element.tag == "meta" and plain(element.get("content")).startswith(wanted)
        if is_named or (element.tag == "script" and "ld+json" in (element.get("type") or "")):
            element.getparent().remove(element)
    for element in [
        each
        for each in hard.tree.iter("h1", "h2", "h3", "h4", "a", "span", "li", "div", "p")
        if plain(each.text_content()) == wanted
    ]:
        if element.getparent() is not None and element is not hard.node:
            element.drop_tree()


def no_titles(hard: Hard) -> None:
    """A microblog: posts have none."""
    _no_title(hard, hard.site.title)
    hard.facts.title, hard.facts.untitled = None, True


def title_then_site(hard: Hard) -> None:
    """The title stands only in the document's, before the site's name."""
    _no_title(hard, f"{hard.facts.title} | {hard.site.title}")


def site_then_title(hard: Hard) -> None:
    _no_title(hard, f"{hard.site.title} » {hard.facts.title}")


def doubled_titles(hard: Hard) -> None:
    """The path of places and a list of the latest posts repeat the title before its heading."""
    title, own = say(hard.facts.title or ""), hard.url
    rows = "".join(
        f'<li><h3><a href="{url}">{say(name)}</a></h3></li>' for name, url, _ in hard.site.posts[:3]
    )
    latest = (
        f'<div class="side"><h4>Recent posts</h4><ul><li><h3><a '
        f'href="{own}">{title}</a></h3></li>{rows}</ul></div>'
    )
    hard.put_first(
        f'<div class="path"><a href="/">Home</a> » <a href="/c/">All</a> » '
        f"<span>{title}</span></div>{latest}"
    )


def two_h1(hard: Hard) -> None:
    hard.put_first(f'<h1><a href="/">{say(hard.site.title)}</a></h1>')
    if _apart(hard):
        hard.heading.tag = "h1"
        hard.heading.attrib.pop("class", None)


def linked_heading(hard: Hard) -> None:
    if _apart(hard) and hard.heading.find(".//a") is None and hard.heading.getparent().tag != "a":
        made = lxml.html.Element("a", href=hard.url, rel="bookmark")
        made.text, hard.heading.text = hard.heading.text, None
        children: list[Any] = list(hard.heading)
        for child in children:
            made.append(child)
        hard.heading.append(made)
