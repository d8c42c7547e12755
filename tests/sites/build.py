# ruff: noqa: E501
"""Writes the recorded-like blogs of this folder anew: ``python -m tests.sites.build`` (the same
bytes each time).

One folder a blog: its pages as served, its feed, and ``expected.json`` with what every page is.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
WORDS = {
    "en": "the garden river old walked slowly bread morning over house we found small light through window never kitchen letter road again when station winter three under music they left quiet stone which bicycle market after rain".split(),
    "de": "der Garten Fluss alt ging langsam Brot Morgen über Haus wir fanden klein Licht durch Fenster nie Küche Brief Straße wieder als Bahnhof Winter drei unter Musik sie ließen ruhig Stein welche Fahrrad Markt nach Regen".split(),
    "he": "הגן הנהר ישן הלכנו לאט לחם בוקר מעל בית מצאנו קטן אור דרך חלון מטבח מכתב רחוב שוב כאשר תחנה חורף שלושה מוזיקה שקט אבן אופניים שוק אחרי גשם".split(),
    "ja": "庭 川 古い 歩いた ゆっくり パン 朝 家 見つけた 小さな 光 窓 台所 手紙 道 また 駅 冬 三つの 音楽 静かな 石 自転車 市場 雨 の後 私たちは は が を".split(),
}
STOPS = {"ja": ("", "。"), "he": (" ", ".")}


@dataclass
class P:
    """One post."""

    n: int
    slug: str
    title: str
    author: str
    when: datetime
    paras: list[str]
    tags: list[str]
    url: str = ""
    replies: list[tuple[str, str]] = field(default_factory=list)
    html: str = ""
    """The content as the feed has it, where it is more than paragraphs."""

    @property
    def body(self) -> str:
        return self.html or "".join(f"<p>{escape(p)}</p>\n" for p in self.paras)


@dataclass
class Shape:
    """A kind of blog: how it draws a post, how its feed is, where its posts lie."""

    draw: Callable[[P, list[P], random.Random], str]
    why: str
    feed: str = "rss-full"
    fed: int = 6
    language: str = "en"
    path: str = "/{y}/{m:02d}/{slug}/"
    authors: tuple[str, ...] = ("Marta Quill", "Jonas Reed")
    encoding: str = "utf-8"
    content: Callable[[P, random.Random], str] | None = None
    zone: int = 0
    named: bool = True
    """Whether feed or pages say who writes."""


def sentence(rng: random.Random, language: str, low: int = 7, high: int = 18) -> str:
    gap, stop = STOPS.get(language, (" ", "."))
    text = gap.join(rng.choice(WORDS[language]) for _ in range(rng.randint(low, high)))
    return text[0].upper() + text[1:] + stop


def posts_of(name: str, shape: Shape, count: int = 11) -> list[P]:
    rng = random.Random(name)
    out = []
    for n in range(count):
        when = datetime(
            2014, 2, 3, 8, 15, tzinfo=timezone(timedelta(hours=shape.zone))
        ) + timedelta(days=17 * n, minutes=rng.randint(0, 800))
        gap = STOPS.get(shape.language, (" ", ""))[0]
        title = gap.join(rng.sample(WORDS[shape.language], rng.randint(2, 5)))
        p = P(
            n,
            f"{'-'.join(rng.sample(WORDS['en'], 3))}-{n}",
            title[0].upper() + title[1:],
            rng.choice(shape.authors),
            when,
            [
                " ".join(sentence(rng, shape.language) for _ in range(rng.randint(1, 4)))
                for _ in range(rng.randint(2, 6))
            ],
            rng.sample(["travel", "food", "code", "music", "books"], rng.randint(1, 3)),
            replies=[
                (rng.choice(["Otto", "Lin", "Bea"]), sentence(rng, shape.language, 5, 20))
                for _ in range(rng.randint(0, 4))
            ],
        )
        p.url = f"https://{name}.example" + shape.path.format(
            y=when.year, m=when.month, d=when.day, slug=p.slug, n=1000 + n
        )
        if shape.content:
            p.html = shape.content(p, rng)
        out.append(p)
    return out


def doc(
    title: str, body: str, *, language: str = "en", head: str = "", attributes: str = ""
) -> str:
    return f'<!DOCTYPE html>\n<html lang="{language}"{attributes}>\n<head><meta charset="utf-8"><title>{escape(title)}</title>{head}</head>\n{body}\n</html>\n'


def side(posts: list[P]) -> str:
    items = "".join(f'<li><a href="{p.url}">{escape(p.title)}</a></li>' for p in posts[-4:])
    return f'<div id="sidebar"><h3>About</h3><p>Two people write here about things they like, now and then.</p><h3>Recent</h3><ul>{items}</ul></div>'


def replies(p: P) -> str:
    rows = "".join(
        f'<li class="comment" id="comment-{p.n}{i}"><cite class="comment_author">{a}</cite><p>{escape(t)}</p></li>'
        for i, (a, t) in enumerate(p.replies)
    )
    return f'<div id="comments"><h3>{len(p.replies)} Responses</h3><ol>{rows}</ol></div>'


def full(p: P, posts: list[P], rng: random.Random) -> str:
    classes = [f"post-{1000 + p.n}", "post", "hentry", *(f"category-{t}" for t in p.tags)]
    rng.shuffle(classes)
    return doc(
        f"{p.title} « The Long Way",
        f'<body class="single postid-{1000 + p.n}"><div id="header"><h1><a href="/">The Long Way</a></h1></div><div id="content"><div id="post-{1000 + p.n}" class="{" ".join(classes)}"><h2>{escape(p.title)}</h2>'
        f'<small>{p.when:%B %d, %Y} by {p.author}</small><div class="entry">{p.body}</div><p class="postmetadata">Filed under {", ".join(p.tags)}</p></div>{replies(p)}</div>{side(posts)}</body>',
    )


def share(p: P, posts: list[P], rng: random.Random) -> str:
    tags = " ".join(f'<a rel="tag" href="/tag/{t}/">{t}</a>' for t in p.tags)
    related = "".join(
        f'<div class="card"><a href="{o.url}"><h4>{escape(o.title)}</h4></a><p>{escape(o.paras[0][:70])}</p></div>'
        for o in rng.sample(posts, 3)
    )
    return doc(
        f"{p.title} | Paper Boats",
        f'<body><header class="top"><a href="/">Paper Boats</a></header><main><article class="single"><h1 class="headline">{escape(p.title)}</h1><div class="byline">By <a href="/me" rel="author">{p.author}</a> · <time datetime="{p.when.isoformat()}">{p.when:%d %B %Y}</time></div>'
        f'{p.body}<div class="sharing"><a href="#">Tweet</a> <a href="#">Share on the other network</a> <a href="#">Mail to a friend</a></div><div class="tags">{tags}</div><section class="related"><h3>You may also like</h3>{related}</section></article></main><footer>All rights reserved, Paper Boats</footer></body>',
        head=f'<meta property="og:type" content="article"><meta property="og:title" content="{escape(p.title)}">',
    )


def plain(p: P, posts: list[P], rng: random.Random) -> str:
    nav = "".join(f'<a href="{o.url}">{escape(o.title)}</a> ' for o in posts if abs(o.n - p.n) == 1)
    return doc(
        f"{p.title} - Notes of M. Quill",
        f'<body><nav><a href="/">Home</a> <a href="/about.html">About</a></nav><div class="wrap"><h1>{escape(p.title)}</h1><p class="meta"><time>{p.when:%Y-%m-%d}</time></p>{p.body}<hr><p class="prevnext">{nav}</p></div><footer><p>Written by hand, served by a small machine in the cellar.</p></footer></body>',
    )


def breaks(p: P, posts: list[P], rng: random.Random) -> str:
    text = "<br><br>\n".join(escape(x) for x in p.paras)
    return doc(
        "Old Table Blog",
        f'<body bgcolor="#ffffff"><table width="100%"><tr><td colspan="2"><font size="6">Old Table Blog</font></td></tr><tr><td width="160" valign="top">{side(posts)}</td><td><b>{escape(p.title)}</b><br><i>{p.when:%d.%m.%Y}</i> posted by {p.author}<br><br>\n{text}<br><br></td></tr></table></body>',
    )


def bare(p: P, posts: list[P], rng: random.Random) -> str:
    boxes = "".join(f"<div><p>{sentence(rng, 'en')}</p></div>" for _ in range(rng.randint(0, 3)))
    return doc(
        f"{p.title} : Bare Blog",
        f"<body><div><h1><a href=/>Bare Blog</a></h1></div>{boxes}<div><h2>{escape(p.title)}</h2><p><i>{p.when:%d %b %Y}, {p.author}</i></p><div>{p.body}</div></div><div><ul>{''.join(f'<li><a href={o.url}>{escape(o.title)}</a></li>' for o in posts[:4])}</ul></div></body>",
    )


def utility(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        f"{p.title} · Wind",
        f'<body class="bg-white text-gray-900"><div class="flex px-4 py-2"><div class="flex text-lg"><a class="font-bold" href="/">Wind</a></div></div><div class="flex px-4 py-2"><div class="flex-col text-lg"><h1 class="text-2xl font-bold">{escape(p.title)}</h1>'
        f'<div class="flex text-sm text-gray-500"><span class="mr-2">{p.author}</span><span class="mr-2">{p.when:%b %d, %Y}</span></div><div class="px-4 py-2">{p.body}</div></div></div><div class="flex px-4 py-2"><div class="flex text-lg">Imprint, privacy and what else the law asks for</div></div></body>',
    )


def two(p: P, posts: list[P], rng: random.Random) -> str:
    if p.n % 2:
        return doc(
            f"{p.title} / Double",
            f'<body class="standard"><div class="std"><h1 class="entry-title">{escape(p.title)}</h1><p class="by">by <span class="who">{p.author}</span></p><div class="entry">{p.body}</div><p class="foot">Posted {p.when:%d/%m/%Y}</p></div>{side(posts)}</body>',
        )
    return doc(
        f"{p.title} / Double",
        f'<body class="photo"><div class="frame"><div class="entry"><img src="/{p.slug}.jpg" alt=""><em>Photo of the day, click on it to see it larger</em></div><div class="caption"><h3>{escape(p.title)}</h3>{p.body}</div><ul class="facts"><li>{p.author}</li><li>{p.when:%B %d, %Y}</li></ul></div>{side(posts)}</body>',
    )


_HEBREW = "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר".split()


def rtl(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        f"{p.title} | הבלוג של מיכל",
        f'<body><div class="head"><a href="/">הבלוג של מיכל</a></div><div class="post"><h2 class="t">{escape(p.title)}</h2><div class="d">{p.when.day} ב{_HEBREW[p.when.month - 1]} {p.when.year}</div><div class="c">{p.body}</div><div class="a">{p.author}</div></div>{replies(p)}</body>',
        language="he",
        attributes=' dir="rtl"',
    )


def cjk(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        f"{p.title} - 坂道日記",
        f'<body><div id="banner"><a href="/">坂道日記</a></div><div class="entry"><h2 class="date">{p.when.year}年{p.when.month}月{p.when.day}日</h2><h3 class="title">{escape(p.title)}</h3><div class="entry-body">{p.body}</div><p class="posted">投稿者: {p.author} | <a href="#comments">コメント ({len(p.replies)})</a></p></div>{replies(p)}{side(posts)}</body>',
        language="ja",
    )


def yearless(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        f"{p.title} — Short Dates",
        f'<body><div class="masthead">Short Dates</div><div class="item"><div class="cal"><span class="mon">{p.when:%b} {p.when.day}</span></div><h2>{escape(p.title)}</h2><div class="txt">{p.body}</div></div>{side(posts)}</body>',
    )


def untitled(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        "Jo's micro notes",
        f'<body class="h-feed"><header><a class="p-name" href="/">Jo\'s micro notes</a></header><div class="h-entry note"><div class="e-content">{p.body}</div><a class="u-url" href="{p.url}"><time class="dt-published" datetime="{p.when.isoformat()}">{p.when:%b %d, %Y}</time></a></div><footer>Follow me by feed reader</footer></body>',
    )


_GERMAN = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)


def latin(p: P, posts: list[P], rng: random.Random) -> str:
    page = doc(
        f"Notizblock » {p.title}",
        f'<body><div id="kopf"><h1><a href="/">Notizblock</a></h1><p>Heute ist der 12. Juni 2020</p></div><div class="beitrag clearfix"><h2>{escape(p.title)}</h2><p class="datum">Geschrieben am {p.when.day}. {_GERMAN[p.when.month - 1]} {p.when.year} von {p.author}</p><div class="clearfix">{p.body}</div></div><div class="clearfix">{replies(p)}</div></body>',
        language="de",
    )
    return page.replace(
        '<meta charset="utf-8">',
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
    )


def technical(p: P, rng: random.Random) -> str:
    """Lists, code, a figure, a table, bare text in a div, a footnote."""
    items = "".join(f"<li>{escape(sentence(rng, 'en', 3, 8))}</li>" for _ in range(3))
    code = "\n".join(f"def step_{i}(x):\n    return x + {rng.randint(2, 99)}" for i in range(2))
    return (
        f"<p>{escape(p.paras[0])}</p>\n<pre><code>{escape(code)}</code></pre>\n<div>{escape(sentence(rng, 'en'))} {escape(sentence(rng, 'en'))}</div>\n<ul>{items}</ul>\n"
        f'<figure><img src="/img/{p.n}.png" alt="A chart"><figcaption>{escape(sentence(rng, "en", 4, 9))}</figcaption></figure>\n<table><tr><th>name</th><th>value</th></tr><tr><td>first</td><td>{rng.randint(1, 99)}</td></tr></table>\n'
        f'<p>{escape(p.paras[-1])}<sup><a href="#fn{p.n}">1</a></sup></p>\n<ol class="footnotes"><li id="fn{p.n}">{escape(sentence(rng, "en", 5, 9))}</li></ol>\n'
    )


def crumbs(p: P, posts: list[P], rng: random.Random) -> str:
    return doc(
        f"{p.title} - {p.tags[0]} - Compiled Thoughts",
        f'<body><p class="crumbs"><a href="/">Home</a> &gt; <a href="/tag/{p.tags[0]}/">{p.tags[0]}</a> &gt; {escape(p.title)}</p><div class="side"><ul><li>{escape(p.title)}</li><li>{escape(posts[0].title)}</li></ul><p>Today is June 12, 2020</p></div><div class="post"><h2 class="title">{escape(p.title)}</h2><span class="upd">Updated: July 1, 2019</span> <span class="pub">{p.when:%b %d, %Y}</span><div class="content">{p.body}</div></div>{replies(p)}</body>',
    )


SHAPES = {
    "fullfeed": Shape(
        full,
        "full feed; ids with the post's number, category classes in changing order; comments with their own authors",
    ),
    "excerpts": Shape(
        share,
        "excerpts only; byline, share bar, tags and related posts inside the article",
        feed="atom-excerpt",
    ),
    "nofeed": Shape(
        plain, "no feed at all", feed="", path="/{slug}.html", authors=("Marta Quill",), named=False
    ),
    "tinyfeed": Shape(full, "one entry in the feed", fed=1),
    "breaks": Shape(
        breaks,
        "tables; text between br, in tails; the document's title is the blog's",
        path="/archives/{n}.html",
    ),
    "classless": Shape(
        bare, "no class or id; boxes before the post vary in number", feed="atom-full"
    ),
    "utility": Shape(
        utility, "utility classes, the same on header, post and footer", feed="atom-full"
    ),
    "templates": Shape(two, "two templates in one blog"),
    "rightleft": Shape(
        rtl,
        "right to left, month names in Hebrew",
        language="he",
        authors=("מיכל לוי",),
        path="/{n}/",
    ),
    "characters": Shape(
        cjk,
        "Japanese: no blanks between words",
        language="ja",
        authors=("坂本",),
        feed="rss-excerpt",
        path="/diary/{y}{m:02d}{d:02d}.html",
    ),
    "shortdates": Shape(
        yearless,
        "dates without a year; the author stands only in the feed",
        authors=("Marta Quill",),
        path="/{y}/{m:02d}/{slug}.html",
    ),
    "untitled": Shape(
        untitled,
        "posts without titles",
        feed="atom-full",
        path="/{y}/{m:02d}/{d:02d}/{n}.html",
        authors=("Jo",),
    ),
    "latin": Shape(
        latin,
        "windows-1252; a feed without markup; a class as wide as clearfix; the site's name before the title; a German clock",
        feed="rss-text",
        language="de",
        encoding="windows-1252",
        authors=("Jörg Müller", "Änne Weiß"),
        zone=1,
    ),
    "technical": Shape(
        crumbs,
        "code, lists, tables, bare text in div; the title three times on the page; other dates around; one author, in the feed only",
        content=technical,
        authors=("Only Me",),
    ),
}


def rss(name: str, shape: Shape, fed: list[P]) -> str:
    rows = []
    for p in fed:
        title = "" if name == "untitled" else f"<title>{escape(p.title)}</title>"
        if shape.feed == "rss-full":
            body = f"<content:encoded><![CDATA[{p.body}]]></content:encoded>"
        elif shape.feed == "rss-text":
            body = f"<description>{escape(escape(' '.join(p.paras)).replace('ä', '&auml;'))}</description>"
        else:
            text = " ".join(p.paras)
            body = f"<description>{escape((text[:90] if shape.language == 'ja' else ' '.join(text.split()[:30])) + ' […]')}</description>"
        rows.append(
            f"<item>{title}<link>{p.url}</link><guid>{p.url}</guid><dc:creator>{p.author}</dc:creator><pubDate>{format_datetime(p.when)}</pubDate>{body}</item>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        f"<title>{name}</title><link>https://{name}.example/</link><description>a blog</description>\n"
        + "\n".join(rows)
        + "\n</channel></rss>\n"
    )


def atom(name: str, shape: Shape, fed: list[P]) -> str:
    rows = []
    for p in fed:
        body = (
            f'<content type="html">{escape(p.body)}</content>'
            if shape.feed == "atom-full"
            else f"<summary>{escape(' '.join(' '.join(p.paras).split()[:30]))}…</summary>"
        )
        title = "<title/>" if name == "untitled" else f"<title>{escape(p.title)}</title>"
        rows.append(
            f'<entry>{title}<link href="{p.url}"/><id>{p.url}</id><author><name>{p.author}</name></author><published>{p.when.isoformat()}</published><updated>{p.when.isoformat()}</updated>{body}</entry>'
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>{name}</title><id>https://{name}.example/</id><updated>2014-09-01T00:00:00Z</updated>\n'
        + "\n".join(rows)
        + "\n</feed>\n"
    )


def listing(name: str, shape: Shape, posts: list[P], heading: str) -> str:
    items = "".join(
        f'<div class="item"><h2><a href="{p.url}">{escape(p.title)}</a></h2><p>{escape(p.paras[0])}</p></div>'
        for p in posts[::-1]
    )
    return doc(
        heading, f"<body><h1>{heading}</h1>{items}{side(posts)}</body>", language=shape.language
    )


def write(name: str, shape: Shape) -> None:
    folder, posts = HERE / name, posts_of(name, shape)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    rng = random.Random(name + "pages")
    fed = posts[-shape.fed :] if shape.feed else []
    rows = []
    for p in posts:
        (folder / f"post{p.n:02d}.html").write_bytes(
            shape.draw(p, posts, rng).encode(shape.encoding)
        )
        row = {
            "file": f"post{p.n:02d}.html",
            "url": p.url,
            "post": True,
            "published": p.when.astimezone(UTC).isoformat(),
            "local_day": p.when.date().isoformat(),
        }
        row |= {
            "title": None if name == "untitled" else p.title,
            "authors": [p.author] if shape.named else [],
            "html": p.body,
            "tags": p.tags,
            "in_feed": p in fed,
        }
        rows.append(row)
    root = f"https://{name}.example"
    about = doc(
        "About",
        f"<body><nav><a href='/'>Home</a></nav><h1>About</h1><p>{sentence(rng, shape.language)}</p></body>",
        language=shape.language,
    )
    for file, url, page in (
        ("home.html", f"{root}/", listing(name, shape, posts[-6:], "The Blog")),
        ("tag.html", f"{root}/tag/food/", listing(name, shape, posts[:5], "food")),
        ("about.html", f"{root}/about/", about),
    ):
        (folder / file).write_bytes(page.encode("utf-8"))
        rows.append({"file": file, "url": url, "post": False})
    if shape.feed:
        feed = (atom if shape.feed.startswith("atom") else rss)(name, shape, fed[::-1])
        (folder / "feed.xml").write_text(feed, "utf-8")
    expected = {
        "why": shape.why,
        "language": shape.language,
        "encoding": shape.encoding,
        "feed": "feed.xml" if shape.feed else None,
        "pages": rows,
    }
    (folder / "expected.json").write_text(
        json.dumps(expected, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )


def main() -> None:
    for name, shape in SHAPES.items():
        write(name, shape)


if __name__ == "__main__":
    main()
