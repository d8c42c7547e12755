"""Completeness stated of generated blogs, some of which have posts that no crawl can reach.

    python -m tests.benchmarks.lost_posts [--sites tags_cut,calendar] [--results FILE]

Each site has 26 to 57 posts and one kind of navigation. Truth is the share of its posts that is
archived: none may be stated as 95 % complete of which more than 5 % are lost.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from tests.benchmarks import made_blogs
from tests.benchmarks.made_blogs import serve
from tests.crawling.crawling import crawl, rows

WORDS = (
    "orchard ferry lantern compass gravel attic harbour linen copper thunder saddle barley "
    "chimney pebble violin meadow anchor candle draft engine fossil granite hollow island"
).split()
TAGS = ("walks", "tools", "kitchen", "music", "repairs", "books", "trains", "garden")
GONE, REFUSED, BUSY, BARE, MOVED = 404, 403, 503, 200, 302


def words(seed: int, count: int) -> str:
    return made_blogs.words(WORDS, seed, count)


@dataclass
class Site:
    """A blog under construction: pages by path, each a status, a type and a body."""

    count: int
    fed: int = 10
    """Posts in the feed; 0: it has none."""
    shown: int = 10
    theme: Callable[[Site, int], str] | None = None
    bottom: Callable[[Site, int], str] = lambda site, post: ""
    """What a post's page has below its text."""
    side: str = ""
    """What every page has at its side."""
    address: Callable[[Site, int], str] = lambda site, post: f"/{site.slug(post)}/"
    pages: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    truth: int = 0
    """Posts of the blog, if not ``count``."""
    mentions: int = 0
    """Every third post mentions the one so many before it; 0: none does."""

    def title(self, post: int) -> str:
        return f"{words(7 * post + self.count, 3).capitalize()} {post}"

    def slug(self, post: int) -> str:
        return self.title(post).lower().replace(" ", "-")

    def path(self, post: int) -> str:
        return self.address(self, post)

    def day(self, post: int) -> date:
        return date(2024, 6, 20) - timedelta(days=11 * post + zlib.crc32(b"%d" % post) % 7)

    def tags(self, post: int) -> tuple[str, ...]:
        return (TAGS[zlib.crc32(self.title(post).encode()) % len(TAGS)],)

    def link(self, post: int) -> str:
        return f'<a href="{self.path(post)}">{self.title(post)}</a>'

    def list(self, posts: Iterable[int]) -> str:
        return "".join(
            f'<div class="entry"><h2>{self.link(post)}</h2><span class="when">{self.day(post)}'
            f"</span><p>{words(post, 18).capitalize()}.</p></div>"
            for post in posts
        )

    def html(self, main: str, name: str = "Workshop notes") -> str:
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">' * bool(self.fed)
        return (
            f'<!doctype html><html lang="en"><head><title>{name}</title>{feed}</head><body>'
            f'<div id="top"><a href="/">Workshop notes</a> <a href="/about/">About</a></div>'
            f'<div id="main">{main}</div><div id="side">{self.side}</div>'
            "<div id=foot>Written in a shed.</div></body></html>"
        )

    def text(self, post: int) -> str:
        older = post + self.mentions if self.mentions and post % 3 == 0 else self.count
        mention = f"<p>As I said in {self.link(older)}.</p>" if older < self.count else ""
        texts = (f"<p>{words(31 * post + n, 55).capitalize()}.</p>" for n in range(4))
        return "".join(texts) + mention

    def put(
        self, path: str, main: str, status: int = 200, kind: str = "text/html", raw: bool = False
    ) -> None:
        self.pages[path] = (status, kind, main if raw or status != 200 else self.html(main))

    def post_page(self, post: int) -> str:
        tags = " ".join(f'<a rel="tag" href="/tag/{tag}/">{tag}</a>' for tag in self.tags(post))
        below = self.bottom(self, post)
        has_tags = any(path.startswith("/tag/") for path in self.pages)
        return self.html(
            f'<div class="post"><h1>{self.title(post)}</h1><p class="when">{self.day(post)}</p>'
            f'<div class="body">{self.text(post)}</div>'
            f'<p class="tags">{tags if has_tags else ""}</p></div>{below}',
            f"{self.title(post)} - Workshop notes",
        )

    def finish(self) -> Site:
        """Add posts, about page and feed."""
        for post in range(self.count):
            if self.path(post) not in self.pages:
                page = (self.theme or Site.post_page)(self, post)
                self.pages[self.path(post)] = (200, "text/html", page)
        self.pages.setdefault(
            "/about/", (200, "text/html", self.html("<h1>About</h1><p>I mend things.</p>"))
        )
        if self.fed and "/feed.xml" not in self.pages:
            self.put("/feed.xml", self.feed(range(self.fed)), kind="application/rss+xml", raw=True)
        return self

    def feed(self, posts: Iterable[int], more: str = "") -> str:
        items = "".join(
            f"<item><title>{self.title(post)}</title><link>BASE{self.path(post)}</link>"
            f"<pubDate>{self.day(post)}T09:30:00Z</pubDate>"
            f"<description><![CDATA[{self.text(post)}]]></description></item>"
            for post in posts
        )
        return (
            '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
            f"<title>Workshop notes</title>{more}{items}</channel></rss>"
        )

    def home(self, below: str = "", posts: Iterable[int] | None = None) -> None:
        self.put("/", self.list(range(self.shown) if posts is None else posts) + below)

    def sitemap(self, posts: Iterable[int]) -> None:
        urls = "".join(f"<url><loc>BASE{self.path(post)}</loc></url>" for post in posts)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        body = f'<?xml version="1.0"?><urlset xmlns="{space}">{urls}</urlset>'
        self.put("/sitemap.xml", body, kind="application/xml", raw=True)

    def pager(
        self, size: int, address: str = "/page/{}/", upto: int = 0, last: str = "", since: int = 0
    ) -> None:
        """Numbered lists; ``upto``: the last page that is there; ``last``: what stands below it."""
        posts = range(since, self.count)
        pages = -(-len(posts) // size)
        for page in range(1, (upto or pages) + 1):
            more = f'<p class="nav"><a href="{address.format(page + 1)}">Older posts</a></p>'
            below = more if page < pages else last
            path = "/" if page == 1 else address.format(page)
            self.put(path, self.list(posts[size * (page - 1) : size * page]) + below)

    def by_month(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for post in range(self.count):
            found.setdefault(f"{self.day(post):%Y/%m}", []).append(post)
        return found

    def by_year(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for post in range(self.count):
            found.setdefault(f"{self.day(post):%Y}", []).append(post)
        return found

    def by_tag(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for post in range(self.count):
            for tag in self.tags(post):
                found.setdefault(tag, []).append(post)
        return found

    def put_tags(self, most: int = 999) -> str:
        """Lists of tags, each of its newest posts; returns the menu of them."""
        for tag, posts in self.by_tag().items():
            self.put(f"/tag/{tag}/", f"<h1>Tagged {tag}</h1>" + self.list(posts[:most]))
        return "".join(f'<a href="/tag/{tag}/">{tag}</a> ' for tag in self.by_tag())


# whole blogs


def pager_whole() -> Site:
    site = Site(42)
    site.pager(8)
    return site.finish()


def pager_ends_in_404() -> Site:
    """The last page, which is not full, has a link to a next one."""
    site = Site(43)
    site.pager(10, last='<p class="nav"><a href="/page/6/">Older posts</a></p>')
    return site.finish()


def pager_ends_empty() -> Site:
    site = Site(43)
    site.pager(10, last='<p class="nav"><a href="/page/6/">Older posts</a></p>')
    site.put("/page/6/", "<p>Nothing found.</p>")
    return site.finish()


def one_list() -> Site:
    site = Site(37, fed=0)
    site.put(
        "/", "<ul>" + "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(37)) + "</ul>"
    )
    return site.finish()


def pages_at_root() -> Site:
    """Pages at addresses like those of posts stand in the side bar and in the sitemap."""
    site = Site(40)
    pages = ("how-we-work", "a-list-of-all-books", "prices-and-hours")
    site.side = "".join(f'<p><a href="/{page}/">{page}</a></p>' for page in pages)
    site.pager(8)
    for page in pages:
        site.put(f"/{page}/", f"<div class=post><h1>{page}</h1>{site.text(len(page))}</div>")
    site.finish()
    site.sitemap(range(40))
    status, kind, body = site.pages["/sitemap.xml"]
    more = "".join(f"<url><loc>BASE/{page}/</loc></url>" for page in pages)
    site.pages["/sitemap.xml"] = (status, kind, body.replace("</urlset>", f"{more}</urlset>"))
    return site


def archive_page() -> Site:
    site = Site(46)
    site.home('<a href="/archive/">Archive</a>')
    everything = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(46))
    site.put("/archive/", f"<h1>Archive</h1><ul>{everything}</ul>")
    return site.finish()


def archive_mentioned() -> Site:
    """An archive page of as many posts as lists are often cut at, which has all that texts
    mention."""
    site = Site(50, mentions=8)
    site.home('<a href="/archive/">Archive</a>')
    everything = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(50))
    site.put("/archive/", f"<h1>Archive</h1><ul>{everything}</ul>")
    return site.finish()


def archive_from_one() -> Site:
    """An archive page of forty posts, whose numbers begin with one."""
    site = Site(40)
    site.address = lambda s, p: f"/entry.php?id={s.count - p}"
    site.home('<a href="/archive/">Archive</a>')
    everything = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(40))
    site.put("/archive/", f"<h1>Archive</h1><ul>{everything}</ul>")
    return site.finish()


def feed_and_home_13() -> Site:
    """A small blog that feed and start page show whole."""
    site = Site(13, fed=13, shown=13)
    site.home()
    return site.finish()


def feed_and_home_20() -> Site:
    """As many posts as feeds are often cut at, and an archive page that has the same."""
    site = Site(20, fed=20, shown=20)
    site.home('<a href="/archive/">Archive</a>')
    site.put("/archive/", "<ul>" + "".join(f"<li>{site.link(p)}" for p in range(20)) + "</ul>")
    return site.finish()


def tags_whole() -> Site:
    site = Site(44)
    site.side = site.put_tags()
    site.home()
    site.put_tags()
    return site.finish()


def calendar() -> Site:
    """Months lead to the month before by an arrow; nothing else leads on."""
    site = Site(38)
    months = site.by_month()
    arrow = [f'<td><a href="/{month}/">&laquo;</a></td>' for month in months] + [""]
    for at, (month, posts) in enumerate(months.items()):
        days = "".join(
            f'<td><a href="/{month}/{site.day(p):%d}/">{site.day(p):%d}</a></td>' for p in posts
        )
        site.put(f"/{month}/", site.list(posts) + f"<table>{days}{arrow[at + 1]}</table>")
        for post in posts:
            site.put(f"/{month}/{site.day(post):%d}/", site.list([post]))
    site.home(f"<table>{arrow[0]}</table>")
    return site.finish()


def related_whole() -> Site:
    """Posts lead to three related ones; all of them hang together."""
    site = Site(41)
    site.bottom = lambda s, p: (
        "<h3>Related</h3>"
        + "".join(
            f"<p>{s.link(q)}</p>"
            for q in ((p + 1) % 41, (3 * p + 5) % 41, (7 * p + 2) % 41)
            if q != p
        )
    )
    site.home()
    return site.finish()


def next_previous(count: int = 39) -> Site:
    site = Site(count, fed=5, shown=1)
    site.bottom = lambda s, p: " ".join(
        f'<a href="{s.path(q)}">{name}</a>'
        for q, name in ((p + 1, "Previous"), (p - 1, "Next"))
        if 0 <= q < s.count
    )
    site.home()
    return site.finish()


def month_select() -> Site:
    site = Site(47)
    months = site.by_month()
    for month, posts in months.items():
        site.put(f"/{month}/", site.list(posts))
    options = "".join(f'<option value="/{month}/">{month}</option>' for month in months)
    site.home(f'<select onchange="location.href=this.value"><option>Month{options}</select>')
    return site.finish()


SCROLL = """<div id="rest"></div><script>
var page = 1, busy = false;
function more() {
  if (busy) return;
  busy = true;
  fetch('/api/posts?page=' + (page + 1)).then(r => r.ok ? r.json() : []).then(found => {
    if (found.length) page += 1;
    busy = false;
    found.forEach(p => document.getElementById('rest').insertAdjacentHTML('beforeend',
      '<h2 style="height:400px"><a href="' + p.url + '">' + p.title + '</a></h2>'));
  });
}
addEventListener('scroll', more);
</script><div style="height:2500px"></div>"""


def _scroll(site: Site, pages: int) -> Site:
    for page in range(2, pages + 1):
        posts = range(10 * (page - 1), min(site.count, 10 * page))
        body = [{"url": site.path(p), "title": site.title(p)} for p in posts]
        site.put(f"/api/posts?page={page}", json.dumps(body), kind="application/json", raw=True)
    site.home(SCROLL)
    return site.finish()


def scroll_json() -> Site:
    return _scroll(Site(43), 5)


def years_whole() -> Site:
    site = Site(52)
    years = site.by_year()
    for year, posts in years.items():
        site.put(f"/{year}/", f"<h1>{year}</h1>" + site.list(posts))
    site.home("".join(f'<a href="/{year}/">{year}</a> ' for year in years))
    return site.finish()


def feed_pages() -> Site:
    return _feed_pages(Site(44), 5)


def _feed_pages(site: Site, pages: int) -> Site:
    for page in range(1, pages + 1):
        posts = range(10 * (page - 1), min(site.count, 10 * page))
        is_last = 10 * page >= site.count
        more = "" if is_last else f'<atom:link rel="next" href="BASE/feed.xml?page={page + 1}"/>'
        path = "/feed.xml" if page == 1 else f"/feed.xml?page={page}"
        site.put(path, site.feed(posts, more), kind="application/rss+xml", raw=True)
    site.home()
    return site.finish()


def sitemap_whole() -> Site:
    site = Site(45)
    site.sitemap(range(45))
    site.home()
    return site.finish()


def wordless_pictures() -> Site:
    """Half of the posts, and of the feed, are a picture without a title or a word."""
    site = Site(42)

    def entry(s: Site, post: int, notes: str = "") -> str:
        is_picture = post % 4 in (0, 3)
        head = f"<h2>{s.link(post)}</h2>" if post % 4 == 1 else ""
        frame = f'<div class="frame"><a href="/big/{post}"><img src="/{post}.jpg"></a></div>'
        own = (
            frame
            if is_picture
            else f'<div class="copy">{s.text(post)}</div>'
            if head
            else s.text(post)
        )
        return (
            f'<div class="post {"photo" if is_picture else "text"}" id="n{post}">{head}'
            f'{own}<div class="meta"><a class="date" href="{s.path(post)}">'
            f"{s.day(post)}</a> {post % 5} notes</div>{notes}</div>"
        )

    def page(s: Site, post: int) -> str:
        readers = "".join(f"<li>reader{post * n} liked this" for n in range(post % 5))
        name = s.title(post) if post % 4 == 1 else "Workshop notes"
        return s.html(entry(s, post, f'<ol class="notes">{readers}</ol>'), name)

    site.address = lambda s, p: f"/post/{180000000 + 777 * (s.count - p)}"
    site.theme = page
    for at in range(0, 42, 6):
        older = f'<a href="/page/{at // 6 + 2}/">Older</a>' * (at < 36)
        path = f"/page/{at // 6 + 1}/" if at else "/"
        site.put(path, "".join(entry(site, post) for post in range(at, at + 6)) + older)
    site.finish()
    status, kind, feed = site.pages["/feed.xml"]
    for post in (0, 3, 4, 7, 8):
        feed = feed.replace(site.title(post), "Photo").replace(
            site.text(post), f'<img src="/{post}.jpg">'
        )
    site.pages["/feed.xml"] = (status, kind, feed)
    return site


def sitemap_numbered() -> Site:
    """A whole sitemap; the engine has numbered pages and files before the first post."""
    site = Site(33)

    def page(s: Site, post: int) -> str:
        number = 3000 + 7 * (s.count - post)
        return s.post_page(post).replace("<body>", f'<body class="single postid-{number}">')

    site.theme = page
    site.sitemap(range(33))
    site.home()
    return site.finish()


def date_slugs() -> Site:
    """Posts under years and months, months that list them, as FlatPress does."""
    site = Site(30, fed=10, shown=5)
    site.address = lambda s, p: f"/{s.day(p):%Y/%m/%d}/{s.slug(p)}/"
    years, months = site.by_year(), site.by_month()
    for name, posts in (*years.items(), *months.items()):
        site.put(f"/{name}/", site.list(posts[:5]))
        for page in range(2, -(-len(posts) // 5) + 1):
            site.put(f"/{name}/?paged={page}", site.list(posts[5 * page - 5 : 5 * page]))
    for post in range(30):
        site.put(f"/{site.day(post):%Y/%m/%d}/", site.list([post]))
    site.side = "".join(f'<li><a href="/{name}/">{name}</a>' for name in (*years, *months))
    for page in ("contact.php", "login.php", "static.php?page=menu", "search.php"):
        site.side += f'<a href="/{page}">{page.partition(".")[0].capitalize()}</a> '
    for name, posts in (*years.items(), *months.items()):
        more = len(posts) > 5
        nav = f'<div class="navigation"><a href="/{name}/?paged=2">Next page</a></div>' * more
        site.put(f"/{name}/", site.list(posts[:5]) + nav)
        for page in range(2, -(-len(posts) // 5) + 1):
            nav = f'<a href="/{name}/?paged={page + 1}">Next page</a>' * (5 * page < len(posts))
            site.put(f"/{name}/?paged={page}", site.list(posts[5 * page - 5 : 5 * page]) + nav)
    site.put("/contact.php", "<h1>Contact</h1><form><input name=mail><textarea></textarea></form>")
    site.put("/login.php", "<h1>Login</h1><form><input name=user></form>")
    site.put("/search.php", "<h1>Search</h1><form><input name=q></form>")
    site.put("/static.php?page=menu", "<h1>Menu</h1><ul><li>Home</li></ul>")
    site.pager(5, "/?paged={}")
    site.bottom = lambda s, p: f'<a href="{s.path(p)}comments/">0 comments</a>'
    for post in range(30):
        site.put(
            f"{site.path(post)}comments/",
            f"<h2>{site.link(post)}</h2><form><input name=name><textarea name=c></textarea></form>",
        )
    return site.finish()


def entry_queries() -> Site:
    """Everything is a query of the root: posts, their comments, months, static pages."""
    site = Site(30, fed=10, shown=5)
    site.address = lambda s, p: f"/?x=entry:entry{s.day(p):%y%m%d}-0930{p:02}"
    months: dict[str, list[int]] = {}
    for post in range(30):
        months.setdefault(f"y:{site.day(post):%y;m:%m}", []).append(post)
    menu = "".join(f'<li><a href="/?x={month}">{month}</a>' for month in months)
    menu += '<a href="/?x=static:about">About</a> <a href="/contact.php">Contact</a>'
    site.side = menu + '<a href="/login.php">Login</a> <a href="/?x=feed:rss2">RSS</a>'
    site.bottom = lambda s, p: f'<a href="{s.path(p)};comments:1#comments">0 comments</a>'
    site.pager(5, "/?paged={}")
    for month, posts in months.items():
        site.put(f"/?x={month}", site.list(posts))
    for post in range(30):
        form = "<form method=post><input name=name><textarea name=content></textarea></form>"
        site.put(f"{site.path(post)};comments:1", f"<h2>{site.link(post)}</h2>" + form)
    site.put("/?x=static:about", "<h1>About</h1><p>I mend things.</p>")
    site.put("/contact.php", "<h1>Contact</h1><form method=post><input name=mail></form>")
    site.put("/login.php", "<h1>Login</h1><form method=post><input name=user></form>")
    return site.finish()


# blogs with posts that no crawl can reach


def pager_404() -> Site:
    site = Site(40)
    site.pager(10, upto=2)
    return site.finish()


def pager_404_no_feed() -> Site:
    site = Site(48, fed=0)
    site.pager(8, "/?start={}", upto=3)
    return site.finish()


def pager_loops() -> Site:
    """Whatever the number, the server gives the second page."""
    site = Site(44)
    site.pager(8, "/list?p={}")
    for page in range(3, 8):
        site.pages[f"/list?p={page}"] = site.pages["/list?p=2"]
    return site.finish()


def pager_stops() -> Site:
    """The third page of six says so, and has no link."""
    site = Site(48)
    site.pager(8, upto=3)
    for page in range(1, 4):
        path = "/" if page == 1 else f"/page/{page}/"
        posts = range(8 * page - 8, 8 * page)
        older = f'<a href="/page/{page + 1}/">Older</a>' * (page < 3)
        site.put(path, site.list(posts) + f"<p>Page {page} of 6 {older}</p>")
    return site.finish()


def dead_menu() -> Site:
    site = Site(26, fed=0, shown=5)
    site.side = '<a href="/posts/">All posts</a> <a href="/projects/">Projects</a>'
    site.put("/projects/", "<h1>Projects</h1><p>A bench and two chairs.</p>")
    site.home("<h3>Latest posts</h3>")
    return site.finish()


def dead_menu_plain() -> Site:
    """As ``dead_menu``, with another name, a feed and no word that says what is there."""
    site = Site(33, fed=6, shown=6)
    site.side = '<a href="/journal/">Journal</a>'
    site.home()
    return site.finish()


def tags_cut() -> Site:
    site = Site(52)
    site.side = site.put_tags(3)
    site.home()
    site.put_tags(3)
    return site.finish()


def tags_cut_no_feed() -> Site:
    site = Site(46, fed=0, shown=6)
    site.side = site.put_tags(4)
    site.home()
    site.put_tags(4)
    return site.finish()


def years_cut() -> Site:
    """Years show their newest seven posts and a button that does nothing without its server."""
    site = Site(57)
    years = site.by_year()
    for year, posts in years.items():
        more = f"<button onclick=\"fetch('/more/{year}')\">Show more</button>"
        site.put(f"/{year}/", f"<h1>{year}</h1>" + site.list(posts[:7]) + more)
    site.home("".join(f'<a href="/{year}/">{year}</a> ' for year in years))
    return site.finish()


def years_cut_silently() -> Site:
    site = Site(57)
    years = site.by_year()
    for year, posts in years.items():
        site.put(f"/{year}/", f"<h1>{year}</h1>" + site.list(posts[:7]))
    site.home("".join(f'<a href="/{year}/">{year}</a> ' for year in years))
    return site.finish()


def months_gone() -> Site:
    """A third of the months in the menu are gone."""
    site = Site(50)
    months = site.by_month()
    for at, (month, posts) in enumerate(months.items()):
        if at % 3 != 2:
            site.put(f"/{month}/", site.list(posts))
    site.side = "".join(f'<li><a href="/{month}/">{month}</a>' for month in months)
    site.home()
    for at, (month, posts) in enumerate(months.items()):
        if at % 3 != 2:
            site.put(f"/{month}/", site.list(posts))
    return site.finish()


def related_islands() -> Site:
    """Related posts lead round among the newest 18; the others know each other only."""
    site = Site(44)

    def related(s: Site, p: int) -> str:
        group = range(18) if p < 18 else range(18, 44)
        near = random.Random(p).sample([q for q in group if q != p], 3)
        return "<h3>Related</h3>" + "".join(f"<p>{s.link(q)}</p>" for q in near)

    site.bottom = related
    site.home()
    return site.finish()


def chain_broken() -> Site:
    """Posts lead to the one before; the sixteenth is gone."""
    site = Site(40, fed=5, shown=1)
    site.bottom = lambda s, p: " ".join(
        f'<a href="{s.path(q)}">{name}</a>'
        for q, name in ((p + 1, "Previous"), (p - 1, "Next"))
        if 0 <= q < s.count
    )
    site.home()
    site.put(site.path(16), "gone", GONE)
    site.truth = 39
    return site.finish()


def chain_broken_amid() -> Site:
    """Six posts fail. A list of the best leads to posts between most of them."""
    site = next_previous(50)
    site.home('<a href="/best/">The best</a>')
    site.put("/best/", "<h1>The best</h1>" + site.list((3, 17, 24, 37, 45)))
    for post in (8, 14, 20, 29, 33, 41):
        site.put(site.path(post), "Busy", BUSY)
    return site


def random_post() -> Site:
    site = Site(36, fed=8, shown=8)
    site.home('<p><a href="/random">A random post</a></p>')
    site.pages["/random"] = (200, "text/html", site.html("", ""))
    site.finish()
    site.pages["/random"] = site.pages[site.path(21)]
    return site


def search_only() -> Site:
    site = Site(38, fed=8, shown=8)
    site.home("<form action='/find'><input name='q'><input type=submit value=Find></form>")
    return site.finish()


def scroll_json_fails() -> Site:
    site = Site(57)
    _scroll(site, 3)
    site.put("/api/posts?page=4", "busy", BUSY)
    return site


def sitemap_half() -> Site:
    """The sitemap has every second post, the feed ten; nothing else leads anywhere."""
    site = Site(48)
    site.sitemap(range(0, 48, 2))
    site.home()
    return site.finish()


def sitemap_newest() -> Site:
    site = Site(54)
    site.sitemap(range(27))
    site.home()
    return site.finish()


def feed_pages_cut() -> Site:
    """The third page of the feed is gone."""
    return _feed_pages(Site(52), 2)


def archive_refused() -> Site:
    site = Site(42)
    site.home('<a href="/archive/">Archive</a>')
    site.put("/archive/", "Forbidden", REFUSED)
    return site.finish()


def archive_by_robots() -> Site:
    site = Site(42)
    site.home('<a href="/archive/">Archive</a>')
    everything = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(42))
    site.put("/archive/", f"<h1>Archive</h1><ul>{everything}</ul>")
    site.put("/robots.txt", "User-agent: *\nDisallow: /archive/", kind="text/plain", raw=True)
    return site.finish()


def archive_newest() -> Site:
    """The archive page has the newest 18 posts; texts mention older ones."""
    site = Site(60, mentions=14)
    site.home('<a href="/archive/">Archive</a>')
    newest = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(18))
    site.put("/archive/", f"<h1>Archive</h1><ul>{newest}</ul>")
    return site.finish()


def archive_of_twenty() -> Site:
    site = Site(60)
    site.home('<a href="/archive/">Archive</a>')
    newest = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(20))
    site.put("/archive/", f"<h1>Archive</h1><ul>{newest}</ul>")
    return site.finish()


def archive_numbered() -> Site:
    """The archive page has the newest 18 of posts that are numbered."""
    site = Site(60)
    site.address = lambda s, p: f"/entry.php?id={s.count - p}"
    site.home('<a href="/archive/">Archive</a>')
    newest = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(18))
    site.put("/archive/", f"<h1>Archive</h1><ul>{newest}</ul>")
    return site.finish()


def labels_cut_unevenly() -> Site:
    """Labels show seven posts each; most have fewer."""
    site = Site(52)
    often = (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7)
    site.tags = lambda p: (TAGS[often[7 * p % 20]],)  # type: ignore[method-assign]
    site.side = site.put_tags(7)
    site.home()
    site.put_tags(7)
    return site.finish()


def labels_cut_twice() -> Site:
    """Only the two labels with most posts are longer than the ten that each shows."""
    site = Site(64, shown=8)
    often = (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 2, 3)
    site.tags = lambda p: (TAGS[often[7 * p % 20]],)  # type: ignore[method-assign]
    site.side = site.put_tags(10)
    site.home()
    site.put_tags(10)
    return site.finish()


def sitemap_newest_mentioned() -> Site:
    """The sitemap has the newest half; texts mention older posts."""
    site = Site(54, mentions=20)
    site.sitemap(range(27))
    site.home()
    return site.finish()


def sitemap_of_hundred() -> Site:
    site = Site(130)
    site.sitemap(range(100))
    site.home()
    return site.finish()


def random_post_mentioned() -> Site:
    """Only a link to any post and texts lead to older ones."""
    site = Site(36, fed=8, shown=8, mentions=10)
    site.home('<p><a href="/random">A random post</a></p>')
    site.finish()
    site.pages["/random"] = site.pages[site.path(21)]
    return site


def language_by_cookie() -> Site:
    """A link sets a cookie by which the start page has the posts of another language."""
    site = Site(40, shown=8)
    site.side = '<a href="/set?lang=de">Deutsch</a>'
    site.home('<a href="/archive/">Archive</a>')
    listed = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(23))
    site.put("/archive/", f"<h1>Archive</h1><ul>{listed}</ul>")
    site.pages["/set?lang=de"] = (MOVED, "text/html", "BASE/")
    return site.finish()


def diary_uncut() -> Site:
    """Months of a diary, whose days begin amid lines."""
    site = Site(48, fed=0)
    months = site.by_month()
    for month, posts in months.items():
        days = "".join(f"<p>{site.day(p):%d %b %y} - {words(p, 60)}" for p in posts)
        site.put(f"/{month.replace('/', '')}.html", f"<h2>{month}</h2>{days}")
    links = (f'<a href="/{m.replace("/", "")}.html">{m}</a><br>' for m in months)
    site.put("/", "<h1>My diary</h1>" + "".join(links))
    return site.finish()


def archive_broken_off() -> Site:
    """The archive page ends amid a tag."""
    site = Site(60)
    site.home('<a href="/archive/">Archive</a>')
    everything = "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(60))
    site.put("/archive/", f"<h1>Archive</h1><ul>{everything}</ul>")
    status, kind, body = site.pages["/archive/"]
    site.pages["/archive/"] = (status, kind, body[: body.index(site.link(33)) + 4])
    return site.finish()


def files_refused() -> Site:
    """Every second month is refused; their addresses have plain numbers."""
    site = Site(50)
    files = {month: f"/arch/{at:02}.html" for at, month in enumerate(site.by_month())}
    site.side = "".join(f'<li><a href="{file}">{month}</a>' for month, file in files.items())
    site.home()
    for at, (month, posts) in enumerate(site.by_month().items()):
        site.put(files[month], site.list(posts), REFUSED if at % 2 else 200)
    return site.finish()


def sitemap_of_a_login() -> Site:
    """The last of three sitemaps that an index names is a log-in page."""
    site = Site(60)
    site.home()
    for part in range(3):
        site.sitemap(range(20 * part, 20 * part + 20))
        site.pages[f"/map{part}.xml"] = site.pages["/sitemap.xml"]
    site.put("/map2.xml", "<h1>Log in</h1><form method=post><input type=password></form>")
    maps = "".join(f"<sitemap><loc>BASE/map{part}.xml</loc></sitemap>" for part in range(3))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    index = f'<sitemapindex xmlns="{space}">{maps}</sitemapindex>'
    site.put("/sitemap.xml", index, kind="application/xml", raw=True)
    return site.finish()


def notices() -> Site:
    """In place of eleven posts there is a notice with the number of the request and the time."""
    site = Site(50)
    site.pager(10)
    for post in range(17, 50, 3):
        notice = f"Back soon. Reference {7919 * post % 10007}, {site.day(post)} 10:{post}."
        site.put(
            site.path(post), f"<h1>Maintenance</h1><p>The site is down for maintenance. {notice}"
        )
    return site.finish()


def older_host() -> Site:
    """Posts before a year are on another host of the same blog."""
    site = Site(34, fed=9, shown=14)
    site.home('<p><a href="http://old.workshop.invalid/">Posts before 2024</a></p>')
    for post in range(14, 34):
        site.pages[site.path(post)] = (404, "text/html", "")
    return site.finish()


def pdf_posts() -> Site:
    """Every third post is a PDF file."""
    site = Site(45, fed=0)
    address = site.address
    site.address = lambda s, p: f"/papers/{s.slug(p)}.pdf" if p % 3 == 2 else address(s, p)
    site.put(
        "/", "<ul>" + "".join(f"<li>{site.day(p)} {site.link(p)}" for p in range(45)) + "</ul>"
    )
    site.finish()
    for post in range(2, 45, 3):
        site.put(site.path(post), "%PDF-1.4 nothing", kind="application/pdf", raw=True)
    return site


def shells() -> Site:
    """The older posts are shells that a script fills from an address that is gone."""
    site = Site(40)
    shell = '<div id="app">Loading</div><script>fetch("/x.json").then(r => r.json())</script>'

    def page(s: Site, post: int) -> str:
        return s.post_page(post) if post < 16 else s.html(shell, "Workshop notes")

    site.theme = page
    site.pager(10)
    return site.finish()


def old_template() -> Site:
    """Posts of an older template: short lines in tables, no heading, no date."""
    site = Site(48)

    def page(s: Site, post: int) -> str:
        if post < 24:
            return s.post_page(post)
        return (
            f"<html><head><title>Workshop</title></head><body bgcolor=white><table><tr><td>"
            f"<a href=/>home</a></td><td><font size=2>{words(post, 26)}</font>"
            f"<br><img src=/pic/{post}.gif></td></tr></table></body></html>"
        )

    site.theme = page
    site.pager(12)
    return site.finish()


def old_template_pictures() -> Site:
    """Older posts are a picture each, on lists of years."""
    site = Site(44)

    def page(s: Site, post: int) -> str:
        if post < 20:
            return s.post_page(post)
        return s.html(
            f'<center><img src="/pic/{post}.jpg" width="600" height="400"></center>', "Workshop"
        )

    site.theme = page
    years = site.by_year()
    for year, posts in years.items():
        site.put(f"/{year}/", f"<h1>{year}</h1>" + site.list(posts))
    site.home("".join(f'<a href="/{year}/">{year}</a> ' for year in years))
    return site.finish()


def section_login() -> Site:
    """Half of the posts are in a section that asks for a name."""
    site = Site(40, shown=20)
    site.address = lambda s, p: f"/{'notes' if p < 20 else 'members'}/{s.slug(p)}/"
    site.side = '<a href="/notes/">Notes</a> <a href="/members/">Members</a>'
    site.put("/notes/", site.list(range(20)))
    site.home()
    site.put(
        "/members/",
        "<h1>Log in</h1><form method=post><input name=user><input type=password name=p></form>",
    )
    return site.finish()


def section_unlinked() -> Site:
    """Another language's posts: its start page is in the menu, and shows five of them."""
    site = Site(50)
    site.address = lambda s, p: f"/{'en' if p < 30 else 'de'}/{s.slug(p)}/"
    site.side = '<a href="/de/">Deutsch</a>'
    site.pager(10, "/en/page/{}/")
    for page in range(1, 4):
        path = "/" if page == 1 else f"/en/page/{page}/"
        older = f'<a href="/en/page/{page + 1}/">Older posts</a>' * (page < 3)
        site.put(path, site.list(range(10 * page - 10, 10 * page)) + older)
    for page in (4, 5):
        site.pages.pop(f"/en/page/{page}/")
    site.put("/de/", site.list(range(30, 35)) + '<a href="/de/seite/2/">Ältere Beiträge</a>')
    return site.finish()


WHOLE: Sequence[Callable[[], Site]] = (
    pager_whole, pager_ends_in_404, pager_ends_empty, one_list, pages_at_root, archive_page,
    feed_and_home_13, feed_and_home_20, tags_whole, calendar, related_whole, next_previous,
    month_select, scroll_json, years_whole, feed_pages, sitemap_whole, date_slugs, entry_queries,
    archive_mentioned, archive_from_one, sitemap_numbered, wordless_pictures,
)  # fmt: skip
LOST: Sequence[Callable[[], Site]] = (
    pager_404, pager_404_no_feed, pager_loops, pager_stops, dead_menu, dead_menu_plain, tags_cut,
    tags_cut_no_feed, years_cut, years_cut_silently, months_gone, related_islands, chain_broken,
    random_post, search_only, scroll_json_fails, sitemap_half, sitemap_newest, feed_pages_cut,
    archive_refused, archive_by_robots, older_host, pdf_posts, shells, old_template,
    old_template_pictures, section_login, section_unlinked, archive_newest, archive_of_twenty,
    archive_numbered, labels_cut_unevenly, labels_cut_twice, sitemap_newest_mentioned,
    chain_broken_amid, sitemap_of_hundred, random_post_mentioned, diary_uncut, language_by_cookie,
    archive_broken_off, files_refused, sitemap_of_a_login, notices,
)  # fmt: skip
SITES = {make.__name__: make for make in (*WHOLE, *LOST)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", default=",".join(SITES))
    parser.add_argument("--render", default="auto")
    options = parser.parse_args()
    for name in options.sites.split(","):
        site = SITES[name]()
        server = serve(site.pages)
        with tempfile.TemporaryDirectory() as folder:
            url = f"http://127.0.0.1:{server.server_port}/"
            row = crawl(url, Path(folder), render=options.render)
            known = {site.path(post).rstrip("/") for post in range(site.count)}
            found_paths = {path.rstrip("/") for path in rows(Path(folder))}
            archived, others = len(known & found_paths), len(found_paths - known)
        server.shutdown()
        found = row.report["completeness"]
        share, posts = found["share"], site.truth or site.count
        stated = "unknown" if share is None else f"{100 * share:.1f}"
        is_false = share is not None and share >= 0.95 and archived < 0.95 * posts
        print(
            f"{name:22} {archived:2} of {posts} +{others} true {100 * archived / posts:5.1f} "
            f"stated {stated:8} {'FALSE' if is_false else '':5} requests "
            f"{row.counts.get('requests')} {found['status']}: "
            f"{'; '.join(found['reasons'])}",
            flush=True,
        )


if __name__ == "__main__":
    main()
