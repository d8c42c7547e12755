"""Blogs and hard sites made by a generator, or grown around a blog that was read from a corpus."""

from __future__ import annotations

import random
import re
from urllib.parse import urlsplit

from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import canonicalize
from tests.benchmarks.site_graphs import HOST, Node, Site

WORDS = (
    "river garden winter python market letter morning kitchen travel summer window silent "
    "broken golden paper yellow mountain"
    " coffee history island camera engine memory shadow village music forest bridge station"
).split()


def slug(rng: random.Random, words: int = 4) -> str:
    return "-".join(rng.choices(WORDS, k=words)) + f"-{rng.randrange(999)}"


def _add(nodes: dict[str, Node], url: str, links: list[Link], is_post: bool = False) -> None:
    nodes[canonicalize(url)] = Node(url, links, is_post)


def _listing(urls: list[str], where: str) -> list[Link]:
    return [Link(u, u.rstrip("/").rpartition("/")[2].replace("-", " "), where) for u in urls]


INTO_THE_BLOG = 0.005

PERMALINKS = {
    "dated": lambda i, n, s: f"{HOST}/{2010 + i * 8 // n}/{1 + i * 96 // n % 12:02d}/{s}/",
    "plain": lambda i, n, s: f"{HOST}/{s}/",
    "folder": lambda i, n, s: f"{HOST}/posts/{s}.html",
    "query": lambda i, n, s: f"{HOST}/?p={100 + i * 3}",
    "number": lambda i, n, s: f"{HOST}/archives/{100 + i * 3}",
}


def make_blog(
    name: str, count: int, style: str, seed: int = 1, *, months: bool = True, chain: bool = True
) -> Site:
    """A blog of ``count`` posts: home with 10, pager, 20 tags, some pages; each post links to its
    tags and the five newest.

    ``months``: every page has a list of the months where addresses hold them; else older posts lie
    behind the pager and in part behind tags. ``chain``: each post links to the one before and after
    it.
    """
    rng = random.Random(seed)
    urls = [PERMALINKS[style](i, count, slug(rng)) for i in range(count)][::-1]
    tags = [f"{HOST}/tag/{w}/" for w in WORDS[:20]]
    tagged = {t: [u for u in urls if rng.random() < 0.12] for t in tags}
    sections = sorted(
        {re.sub(r"[^/]+/$", "", u) for u in urls} if style == "dated" and months else []
    )
    menu = [
        Link(f"{HOST}/{p}/", p, "nav>ul.menu>li>a") for p in ("about", "contact", "blogroll")
    ] + [Link(HOST + "/", "Home", "nav>ul.menu>li>a")]
    side = [
        *menu,
        *_listing(tags[:12], "aside>div.tagcloud>a"),
        *_listing(sections, "aside>ul.archives>li>a"),
    ]
    nodes: dict[str, Node] = {}
    pages = -(-count // 10)
    for at in range(pages):
        url = HOST + "/" if at == 0 else f"{HOST}/page/{at + 1}/"
        pager = (
            [Link(f"{HOST}/page/{at + 2}/", "Older posts", "main>nav.pager>a.next", "next")]
            if at + 1 < pages
            else []
        )
        _add(nodes, url, side + _listing(urls[at * 10 : at * 10 + 10], "main>article>h2>a") + pager)
    for tag in tags:
        _add(nodes, tag, side + _listing(tagged[tag][:30], "main>article>h2>a"))
    for section in sections:
        _add(
            nodes,
            section,
            side + _listing([u for u in urls if u.startswith(section)][:10], "main>article>h2>a"),
        )
    for page in menu[:3]:
        _add(nodes, page.url, side)
    for at, url in enumerate(urls):
        near = [
            Link(u, "neighbour", "main>nav.post>a")
            for u in (urls[max(0, at - 1) : at] + urls[at + 1 : at + 2]) * chain
        ]
        own = [Link(t, "tag", "main>article>footer>a", "tag") for t in tags if url in tagged[t]]
        replies = [
            Link(
                f"{url.rstrip('/')}{'&' if '?' in url else '?'}replytocom={i}",
                "Reply",
                "ol.comments>li>a",
            )
            for i in range(3)
        ]
        _add(
            nodes,
            url,
            side + _listing(urls[:5], "aside>ul.recent>li>a") + near + own + replies,
            True,
        )
    listed = [n.url for n in nodes.values()] if style in ("dated", "folder") else []
    return Site(name, HOST + "/", nodes, urls[:10], made=True, sitemap=listed)


def _grown(base: Site, name: str, extra: list[Link], nodes: dict[str, Node]) -> Site:
    """``base`` with ``extra`` links at the head of every page (where menus are), and
    ``nodes``.
    """
    own = {k: Node(n.url, extra + n.links, n.is_post) for k, n in base.nodes.items()}
    return Site(
        name,
        base.home,
        {**nodes, **own},
        base.feed,
        fetch=base.fetch,
        resolve=_resolver(base, nodes),
        made=True,
        sitemap=base.sitemap,
    )


def _resolver(base: Site, nodes: dict[str, Node]):
    return lambda key: key if key in nodes else base.resolve(key)


def in_a_portal(base: Site, times: int = 20, seed: int = 2) -> Site:
    """The blog among ``times`` as many wiki, forum and shop pages.

    These link to one another densely; into the blog leads every page's menu (to its home), and one
    page in 200 (to a post of the feed).
    """
    rng = random.Random(seed)
    posts = [u for u in base.feed if canonicalize(u) in base.posts()] or [base.home]
    total = times * max(40, len(base.nodes))
    menu = [
        Link(f"{HOST}/{p}", p, "header>ul.portal>li>a")
        for p in ("wiki/Main_Page", "forum/", "shop/")
    ] + [Link(base.home, "Blog", "header>ul.portal>li>a")]
    nodes: dict[str, Node] = {}
    wiki = [f"{HOST}/wiki/{slug(rng, 2).title().replace('-', '_')}" for _ in range(total // 3)]
    for at, url in enumerate([f"{HOST}/wiki/Main_Page", *wiki]):
        links = menu + _listing(rng.sample(wiki, 12), "div.mw-body>p>a")
        links += [
            Link(f"{HOST}/w/index.php?title=P{at}&action={a}", a, "div.mw-tabs>a")
            for a in ("edit", "history")
        ]
        _add(
            nodes,
            url,
            links
            + (
                [Link(rng.choice(posts), "see the blog", "div.mw-body>p>a")]
                if rng.random() < INTO_THE_BLOG
                else []
            ),
        )
    threads = [f"{HOST}/forum/viewtopic.php?t={t}" for t in range(total // 3)]
    for board in range(1 + len(threads) // 200):
        for page in range(10):
            mine = threads[board * 200 + page * 20 : board * 200 + page * 20 + 20]
            more = [
                Link(
                    f"{HOST}/forum/viewforum.php?f={board}&start={20 * page + 20}",
                    "Next",
                    "div.pagination>a.next",
                    "next",
                )
            ]
            _add(
                nodes,
                f"{HOST}/forum/viewforum.php?f={board}&start={20 * page}",
                menu + _listing(mine, "ul.topics>li>a") + more,
            )
    _add(
        nodes,
        f"{HOST}/forum/",
        menu
        + [
            Link(f"{HOST}/forum/viewforum.php?f={b}&start=0", f"Board {b}", "ul.boards>li>a")
            for b in range(1 + len(threads) // 200)
        ],
    )
    for url in threads:
        users = [
            Link(f"{HOST}/forum/memberlist.php?u={rng.randrange(500)}", "user", "div.post>a.author")
            for _ in range(3)
        ]
        _add(
            nodes,
            url,
            menu
            + users
            + (
                [Link(rng.choice(posts), "blog post", "div.post>p>a")]
                if rng.random() < INTO_THE_BLOG
                else []
            ),
        )
    items = [f"{HOST}/shop/product/{slug(rng, 3)}/" for _ in range(total // 3)]
    for at, word in enumerate(WORDS[:10]):
        mine = items[at::10]
        for page in range(-(-len(mine) // 24)):
            sorts = [
                Link(f"{HOST}/shop/{word}/?page={page}&sort={s}", s, "div.sort>a")
                for s in ("price", "name", "new")
            ]
            more = [
                Link(f"{HOST}/shop/{word}/?page={page + 1}", "Next", "div.pager>a.next", "next")
            ]
            shown = _listing(mine[page * 24 : page * 24 + 24], "ul.products>li>a")
            for query in ("", "&sort=price", "&sort=name", "&sort=new"):
                _add(nodes, f"{HOST}/shop/{word}/?page={page}{query}", menu + shown + sorts + more)
    _add(
        nodes,
        f"{HOST}/shop/",
        menu + [Link(f"{HOST}/shop/{w}/?page=0", w, "ul.cats>li>a") for w in WORDS[:10]],
    )
    for url in items:
        _add(nodes, url, menu + _listing(rng.sample(items, 6), "div.related>a"))
    return _grown(base, f"{base.name}+portal", menu, nodes)


def in_a_tag_jungle(base: Site, count: int = 150, seed: int = 3) -> Site:
    """``count`` tags on every page in a cloud, each with pages, combinations with other tags, and
    feeds of sorts.
    """
    rng = random.Random(seed)
    posts = sorted(base.posts())
    tags = sorted({slug(rng, 1) for _ in range(count)})
    cloud = [Link(f"{HOST}/label/{t}/", t, "aside>div.cloud>a") for t in tags]
    nodes: dict[str, Node] = {}
    for tag in tags:
        mine = rng.sample(posts, min(len(posts), rng.randrange(1, 6)))
        pairs = [f"{HOST}/label/{tag}/{o}/" for o in rng.sample(tags, 10)]
        _add(
            nodes,
            f"{HOST}/label/{tag}/",
            cloud + _listing(mine, "main>ul>li>a") + _listing(pairs, "div.combine>a"),
        )
        for pair in pairs:
            sorts = [Link(f"{pair}?order={o}", o, "div.sort>a") for o in ("asc", "desc", "hot")]
            _add(nodes, pair, cloud + _listing(mine[:1], "main>ul>li>a") + sorts)
            for link in sorts:
                _add(nodes, link.url, cloud + _listing(mine[:1], "main>ul>li>a"))
    return _grown(base, f"{base.name}+tags", cloud, nodes)


def with_a_calendar(base: Site) -> Site:
    """A calendar on every page: each day has a page, with next and previous month, for ever."""
    widget = [Link(f"{HOST}/calendar/2031/05/", "May", "aside>table.calendar>caption>a")]
    site = _grown(base, f"{base.name}+calendar", widget, {})

    def dynamic(key: str) -> Node | None:
        found = re.fullmatch(r"/calendar/(\d{4})/(\d\d)(?:/(\d\d))?", urlsplit(key).path)
        if not found:
            return None
        year, month = int(found[1]), int(found[2])
        if found[3]:
            return Node(
                key,
                [
                    Link(f"{HOST}/calendar/{year}/{month:02d}/", "back", "nav>a"),
                    Link(base.home, "Home", "nav>a"),
                ],
            )
        days = [
            Link(f"{HOST}/calendar/{year}/{month:02d}/{d:02d}/", str(d), "table.calendar>tr>td>a")
            for d in range(1, 29)
        ]
        after, before = (
            (year + month // 12, month % 12 + 1),
            (year - (month == 1), (month - 2) % 12 + 1),
        )
        around = [
            Link(f"{HOST}/calendar/{y}/{m:02d}/", "»", "table.calendar>caption>a")
            for y, m in (after, before)
        ]
        return Node(key, [*days, *around, Link(base.home, "Home", "nav>a")])

    site.dynamic = dynamic
    return site


def without_archives(base: Site) -> Site:
    """Only the home page (5 newest), posts that know their neighbours, and a tenth as many pages
    that lead nowhere.
    """
    posts = sorted(base.posts(), reverse=True)
    feed = [u for u in base.feed if canonicalize(u) in set(posts)]
    posts = feed + [p for p in posts if p not in {canonicalize(u) for u in feed}]
    menu = [
        Link(base.home, "Home", "nav>a"),
        *[Link(f"{HOST}/pages/{w}/", w, "nav>ul>li>a") for w in WORDS[: max(3, len(posts) // 10)]],
    ]
    nodes: dict[str, Node] = {}
    _add(nodes, base.home, menu + _listing(posts[:5], "main>article>h2>a"))
    for link in menu[1:]:
        _add(nodes, link.url, menu)
    for at, url in enumerate(posts):
        near = [
            Link(u, "neighbour", "main>nav.post>a")
            for u in posts[max(0, at - 1) : at] + posts[at + 1 : at + 2]
        ]
        _add(nodes, url, menu + near, True)
    return Site(f"{base.name}-archives", base.home, nodes, feed[:5], made=True)
