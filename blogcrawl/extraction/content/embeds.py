"""Links, players and frames of a content tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile, MediaRole
from blogcrawl.extraction.content.pictures import uri
from blogcrawl.text.visible import squeeze, stripped
from blogcrawl.urls.canonical import media_kind, same_site

FRAMES = ("iframe", "object", "embed", "amp-youtube", "amp-iframe")
FRAME_SOURCES = (
    "src",
    "data-src",
    "data-lazy-src",
    "data-litespeed-src",
    "data",
    "data-cookieblock-src",
)
NO_EMBED = re.compile(
    r"facebook\.com/plugins|platform\.twitter\.com/widgets|/like\.php|googleads|doubleclick|"
    r"googlesyndication|disqus\.com"
    r"|addthis|sharethis|about:blank|recaptcha",
    re.I,
)
"""Frames that are buttons or advertisements, not something the author embedded."""
_FLASH_VARIABLES = etree.XPath(
    "descendant-or-self::*/@flashvars | descendant::param["
    "translate(@name, 'FLASHVR', 'flashvr') = 'flashvars']/@value"
)
SCRIPT_EMBEDS = re.compile(
    r"((?:https?:)?//(?:gist\.github\.com/[\w./-]+?|asciinema\.org/a/[\w-]+?"
    r"|gitlab\.com/[\w./-]*?snippets/\d+|(?:www\.)?pastebin\.com/embed_js/\w+"
    r"|(?:www\.)?jsfiddle\.net/[\w/-]+?/embed/[\w,-]*/?))(?:\.js)?(?:\?.*)?",
    re.I,
)
"""Addresses of scripts that write a listing or a recording into the page, and what they show."""


def tex_to_text(root: HtmlElement) -> None:
    """Formulas that MathJax keeps in scripts come back as TeX between the usual delimiters."""
    for script in list(root.iter("script")):
        kind = script.get("type", "")
        if not kind.startswith("math/tex"):
            continue
        formula = script.text or ""
        script.tag, script.text = (
            "span",
            f"\\[{formula}\\]" if "display" in kind else f"\\({formula}\\)",
        )
        script.attrib.clear()


def script_embeds_to_frames(root: HtmlElement) -> None:
    """Make frames of the scripts that stand for a listing or a recording on another site: nothing
    else in the page as it is served shows that one belongs there.
    """
    for script in list(root.iter("script")):
        shown = SCRIPT_EMBEDS.fullmatch(script.get("src", "").strip())
        if shown is not None:
            script.tag, script.text = "iframe", None
            script.set("src", shown[1])


def resolve_links(root: HtmlElement, page: Page) -> list[MediaFile]:
    """Make links and players absolute; links to nowhere lose their address. Return the sounds and
    videos, also those that are only linked, the pictures that smaller ones link, and documents.
    """
    linked = [file for anchor in root.iter("a") for file in _resolve_link(anchor, page)]
    return linked + [
        file for player in root.iter("video", "audio") for file in _resolve_player(player, page)
    ]


def _resolve_link(anchor: HtmlElement, page: Page) -> Iterator[MediaFile]:
    """Make a link absolute; yield the file that it leads to."""
    href = anchor.get("href", "").strip()
    if not href or href.startswith("#"):
        return
    url = href if href.startswith(("http://", "https://", "mailto:")) else page.absolute(href)
    if url is None:
        del anchor.attrib["href"]
        return
    url = uri(url)
    if url != anchor.get("href"):
        anchor.set("href", url)
    yield from _linked_file(anchor, url, page)


def _linked_file(anchor: HtmlElement, url: str, page: Page) -> Iterator[MediaFile]:
    """Yield the sound or video that a link leads to, the picture of which it shows a smaller one,
    or the document of the same site."""
    role = _role(url, page)
    if role != "link" or (
        media_kind(url) == "image" and next(anchor.iter("img"), None) is not None
    ):
        yield MediaFile(url=url, role=role)


def _role(url: str, page: Page) -> MediaRole:
    """Return what a file is by its address: a sound, a video, a document of the same site; ``link``
    of all else."""
    kind = media_kind(url)
    if kind in ("audio", "video") or (kind == "document" and same_site(url, page.url)):
        return kind
    return "link"


def _resolve_player(player: HtmlElement, page: Page) -> Iterator[MediaFile]:
    """Make a player absolute and add a link; yield its poster, its first source, its subtitles."""
    role: Literal["video", "audio"] = "video" if player.tag == "video" else "audio"
    poster = page.absolute(player.get("poster") or "") if player.get("poster") else None
    if poster:
        poster = uri(poster)
        player.set("poster", poster)
        yield MediaFile(url=poster, role="image")
    sources = list(player_sources(player, page))
    tracks = [
        (url, track.get("srclang"))
        for track in player.iter("track")
        if (url := page.absolute(track.get("src", "")))
    ]
    _rebuild(player, sources, tracks)
    yield from (MediaFile(url=url, role="document") for url, _ in tracks)
    if sources:
        first = sources[0][0]
        yield MediaFile(url=first, role=role)
        player.append(_link(first, first))


def player_sources(player: HtmlElement, page: Page) -> Iterator[tuple[str, str | None]]:
    """Yield address and type of a player's sources."""
    for holder in (player, *player.iter("source")):
        source = holder.get("src") or holder.get("data-src")
        url = page.absolute(source) if source else None
        if url is not None:
            yield uri(url), holder.get("type") if holder is not player else None


def _rebuild(
    player: HtmlElement,
    sources: list[tuple[str, str | None]],
    tracks: list[tuple[str, str | None]],
) -> None:
    """Sources and subtitles as children, nothing else: libxml2 nests them, and the text between is
    for old browsers.
    """
    for child in list(player):
        player.remove(child)
    player.text = None
    player.attrib.pop("src", None)
    player.set("controls", "controls")
    for tag, rows, name in (("source", sources, "type"), ("track", tracks, "srclang")):
        for url, value in rows:
            child = lxml.html.Element(tag, src=url)
            if value:
                child.set(name, value)
            player.append(child)


def embeds_to_links(root: HtmlElement, page: Page) -> list[MediaFile]:
    """Frames and plug-in objects become links to what they show; buttons and advertisements go."""
    found = []
    for frame in list(root.iter(*FRAMES)):
        if frame.getparent() is None or any(True for _ in frame.iterancestors("object")):
            continue
        url = embedded_url(frame, page)
        if url is None:
            frame.drop_tree()
            continue
        holder = lxml.html.Element("p")
        holder.append(_link(url, squeeze(frame.get("title")) or url))
        holder.tail = frame.tail
        parent = frame.getparent()
        parent.replace(frame, _inline(holder) if parent.tag in {"p", "span", "a"} else holder)
        alt = squeeze(frame.get("title")) or None
        found.append(MediaFile(url=url, role=_role(url, page), alt=alt))
        found += _played(frame, url, page)
    return found


def _played(frame: HtmlElement, url: str, page: Page) -> Iterator[MediaFile]:
    """Yield the sounds and videos that a plug-in object gets as variables, by ``flashvars`` or the
    query of its own address."""
    variables: Any = _FLASH_VARIABLES(frame)
    given = [*variables, urlsplit(url).query]
    values = dict.fromkeys(value for text in given for _, value in parse_qsl(text))
    for address in filter(None, map(page.absolute, values)):
        role = _role(address, page)
        if role in ("audio", "video"):
            yield MediaFile(url=address, role=role)


def link_to(film: MediaFile) -> str:
    """Return the markup of a link to what is embedded."""
    holder = lxml.html.Element("p")
    holder.append(_link(film.url, film.alt or film.url))
    return lxml.html.tostring(holder, encoding="unicode")


def embedded_url(frame: HtmlElement, page: Page) -> str | None:
    """Return the address of what a frame or plug-in object shows; None of buttons and
    advertisements."""
    url = _frame_url(frame, page)
    return None if url is None or NO_EMBED.search(url) else url


def _frame_url(frame: HtmlElement, page: Page) -> str | None:
    if frame.tag == "amp-youtube" and frame.get("data-videoid"):
        return "https://www.youtube.com/watch?v=" + frame.get("data-videoid", "")
    named = filter(stripped, _frame_sources(frame))
    return next(filter(None, map(page.absolute, named)), None)


def _frame_sources(frame: HtmlElement) -> Iterator[str]:
    """Yield what may be the address of what a frame shows, the surest first."""
    yield from (frame.get(name, "") for name in FRAME_SOURCES)
    for param in frame.iter("param"):
        if param.get("name", "").lower() in {"movie", "src"}:
            yield param.get("value", "")
    yield from (inner.get("src", "") for inner in frame.iter("embed"))


def _link(url: str, text: str) -> HtmlElement:
    anchor = lxml.html.Element("a", href=url)
    anchor.text = text
    return anchor


def _inline(holder: HtmlElement) -> HtmlElement:
    anchor = holder[0]
    anchor.tail = holder.tail
    return anchor
