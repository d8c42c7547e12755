"""Ways in which feeds say less, or something else, than the pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape, unescape

from blogcrawl.core.records import FeedEntry
from blogcrawl.induction.scoring import html_text
from tests.benchmarks.hard.setting import Facts, Site, digest

BUILT = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)


@dataclass
class Item:
    """An item of an RSS feed, as it will be written."""

    link: str
    title: str
    content: str
    summary: str
    date: str
    moment: datetime | None
    creators: list[str] = field(default_factory=list)
    tags: tuple[str, ...] = ()
    author: str = ""


def item_of(entry: FeedEntry) -> Item:
    date = entry.published_raw or (format_datetime(entry.published) if entry.published else "")
    return Item(
        link=entry.url,
        title=entry.title or "",
        content=entry.content_html or "",
        summary=entry.summary_html or "",
        date=date,
        moment=entry.published,
        creators=list(entry.authors),
        tags=entry.tags,
    )


def written(items: list[Item], site: Site, language: str | None) -> bytes:
    """The feed."""
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>',
        f"<title>{escape(site.title)}</title>",
        f"<language>{language}</language>" if language else "",
    ]
    for at, item in enumerate(items):
        parts += [
            f"<item><title>{escape(item.title)}</title><link>{escape(item.link)}</link>"
            if item.title
            else f"<item><link>{escape(item.link)}</link>",
            f'<guid isPermaLink="false">item:{at}</guid>',
            f"<pubDate>{item.date}</pubDate>" if item.date else "",
            f"<author>{escape(item.author)}</author>" if item.author else "",
            *(f"<dc:creator>{escape(name)}</dc:creator>" for name in item.creators),
            *(f"<category>{escape(tag)}</category>" for tag in item.tags),
            f"<description>{escape(item.summary)}</description>" if item.summary else "",
            f"<content:encoded>{escape(item.content)}</content:encoded>" if item.content else "",
            "</item>",
        ]
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", "".join(parts) + "</channel></rss>").encode()


def misread(feed: bytes) -> bytes:
    """UTF-8 taken for windows-1252, as browsers have it, and encoded again."""
    return "".join(
        bytes([byte]).decode("latin-1" if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else "cp1252")
        for byte in feed
    ).encode()


Change = Callable[[Item, Site, Facts], None]
"""Of an item; the facts are those of its page as it was changed."""


def _text(change: Callable[[str], str]) -> Change:
    def changed(item: Item, site: Site, facts: Facts) -> None:
        item.content = change(item.content) if item.content else ""
        item.summary = change(item.summary) if item.summary else ""

    return changed


def _straight(text: str) -> str:
    for curled, plain in zip("“”„‘’–—…", ('"', '"', '"', "'", "'", "-", "--", "..."), strict=True):
        text = text.replace(curled, plain)
    return text


def _curled(text: str) -> str:
    parts = re.split(r"(<[^>]*>)", unescape(text) if "<" not in text else text)
    for at, part in enumerate(parts):
        if not part.startswith("<"):
            part = re.sub(r"(?<=\w)'(?=\w)", "’", part.replace("&#39;", "'").replace("&quot;", '"'))
            part = re.sub(r'(^|\s)"', "\\1“", part).replace('"', "”").replace("...", "…")
            parts[at] = part.replace(" -- ", " – ").replace(" - ", " – ")
    return "".join(parts)


def _cut(tail: str) -> Change:
    def changed(item: Item, site: Site, facts: Facts) -> None:
        words = html_text(item.content or item.summary).split()
        text = (
            " ".join(words[:55])
            if len(words) > 60
            else "".join(words)[:150]
            if len(words) < 5
            else " ".join(words)
        )
        item.content, item.summary = f"<p>{escape(text)} {tail.format(url=item.link)}</p>", ""

    return changed


def _appeared(item: Item, site: Site, facts: Facts) -> None:
    said = (
        f'<p>The post <a href="{item.link}">{escape(item.title)}</a> appeared first on <a '
        f'href="/">{escape(site.title)}</a>.</p>'
    )
    if item.content:
        item.content += said
    else:
        item.summary += said


def _proxied(text: str) -> str:
    text = re.sub(
        r'(<img[^>]*\ssrc=")(https?:)?/*([^"]*)"',
        r'\1https://i0.wp.example/\3?resize=600%2C400&amp;ssl=1"',
        text,
    )
    text = re.sub(r"\ssrcset=\"[^\"]*\"", "", text)
    beacon = (
        '<a href="http://feeds.example/~ff/b?a=1:2"><img '
        'src="http://feeds.example/~ff/b?d=x" border="0"/></a>'
    )
    return f'{text}<div class="feedflare">{beacon}</div>'


def _creators(make: Callable[[Item, Site, Facts], list[str]]) -> Change:
    def changed(item: Item, site: Site, facts: Facts) -> None:
        item.creators, item.author = make(item, site, facts), ""

    return changed


def _mail(item: Item, site: Site, facts: Facts) -> None:
    item.creators, item.author = [], "noreply@blogger.com (Unknown)"


def _named_mail(item: Item, site: Site, facts: Facts) -> None:
    """Blogger's own form with a name."""
    item.creators, item.author = (
        [],
        f"noreply@blogger.com ({facts.authors[0] if facts.authors else 'Unknown'})",
    )


def _date(make: Callable[[datetime], str]) -> Change:
    def changed(item: Item, site: Site, facts: Facts) -> None:
        item.date = make(item.moment.astimezone(UTC)) if item.moment else ""

    return changed


def _title(make: Callable[[str, str], str]) -> Change:
    def changed(item: Item, site: Site, facts: Facts) -> None:
        item.title = make(item.title, site.title) if item.title else ""

    return changed


def _begun(item: Item, site: Site, facts: Facts) -> None:
    """Engines of microblogs make a title of the first words."""
    text = html_text(item.content or item.summary)
    item.title = text[:40].rsplit(" ", 1)[0] + "…" if len(text) > 40 else text


def _untitled(item: Item, site: Site, facts: Facts) -> None:
    item.title = ""


def _with_heading(item: Item, site: Site, facts: Facts) -> None:
    if item.content:
        item.content = f"<h2>{escape(item.title)}</h2>{item.content}"


def _campaign(item: Item, site: Site, facts: Facts) -> None:
    item.link += (
        "&" if "?" in item.link else "?"
    ) + "utm_source=rss&utm_medium=rss&utm_campaign=posts"


def _redirected(item: Item, site: Site, facts: Facts) -> None:
    item.link = f"http://feedproxy.example/~r/blog/~3/{digest(item.link)[:11]}/"


FEED: dict[str, Change] = {
    "tags stripped": _text(lambda text: escape(_straight(html_text(text)), quote=False)),
    "curled": _text(_curled),
    "escaped twice": _text(lambda text: escape(text, quote=False)),
    "no embeds": _text(
        lambda text: re.sub(r"(?is)<(iframe|video|audio|object)\b.*?</\1>|<img[^>]*>", "", text)
    ),
    "flat lists": _text(
        lambda text: re.sub(
            r"(?i)</?[uo]l[^>]*>",
            "",
            re.sub(r"(?i)<li[^>]*>", "- ", re.sub(r"(?i)</li>", "<br>", text)),
        )
    ),
    "appeared first": _appeared,
    "read more": _cut('<a href="{url}">Read more</a>'),
    "bracketed dots": _cut("[...]"),
    "continue arrow": _cut('&hellip; <a href="{url}">Continue reading <span>&rarr;</span></a>'),
    "proxied": _text(_proxied),
    "as bylined": _creators(lambda item, site, facts: list(facts.authors)),
    "admin": _creators(lambda item, site, facts: ["admin"]),
    "site as author": _creators(lambda item, site, facts: [site.title]),
    "owner as author": _creators(lambda item, site, facts: ["Webteam Redaktion"]),
    "no author": _creators(lambda item, site, facts: []),
    "mail": _mail,
    "mail (name)": _named_mail,
    "one line": _creators(lambda item, site, facts: [" and ".join(facts.authors)]),
    "build date": _date(lambda moment: format_datetime(BUILT)),
    "no zone": _date(lambda moment: (moment + timedelta(hours=2)).strftime("%Y-%m-%d %H:%M:%S")),
    "in UTC": _date(format_datetime),
    "no date": _date(lambda moment: ""),
    "other zone": _date(lambda moment: format_datetime(moment + timedelta(hours=5))),
    "title - site": _title(lambda title, site: f"{title} - {site}"),
    "site: title": _title(lambda title, site: f"{site}: {title}"),
    "title entities": _title(
        lambda title, site: escape(escape(title.replace("'", "’"))).replace("’", "&amp;#8217;")
    ),
    "title cut": _title(
        lambda title, site: title[:30].rstrip() + "..." if len(title) > 33 else title
    ),
    "title begun": _begun,
    "untitled": _untitled,
    "with heading": _with_heading,
    "campaign": _campaign,
    "redirected": _redirected,
}
