"""Records that a crawl makes of blogs whose engines have several pages for a post.

    python -m tests.benchmarks.old_engines [--sites story_pages,sid]

Each blog has 36 posts in tables, and besides a post's page one to print it, one of its comments,
one of each comment, a form to answer and one to recommend it by mail. One post is one record.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from tests.benchmarks.lost_posts import Site
from tests.benchmarks.made_blogs import serve
from tests.crawling.crawling import crawl, rows

POSTS = 36
SUBJECTS = (
    "river boat kettle garden ladder winter engine market letter window violin bridge".split()
)
VERBS = "keeps breaks carries shows needs leaves finds holds covers follows".split()
OBJECTS = (
    "the neighbour|an old map|two hours|the workshop|a long rope|the morning|my brother".split("|")
)
NAMES = "Anna Bert Carla Dirk Edith Frank Greta Henk Ida Jonas".split()


def sentences(seed: int, count: int) -> str:
    pick = random.Random(seed)
    return " ".join(
        f"The {pick.choice(SUBJECTS)} {pick.choice(VERBS)} {pick.choice(OBJECTS)} and the "
        f"{pick.choice(SUBJECTS)} {pick.choice(VERBS)} {pick.choice(OBJECTS)} by {seed * 7 + n}."
        for n in range(count)
    )


@dataclass(frozen=True)
class Engine:
    """Addresses by kind of page: ``post``, ``printed``, ``comments``, ``comment``, ``reply``,
    ``mail``; ``{n}`` is the post, ``{d}`` its day, ``{c}`` the comment. ``older``: of lists."""

    addresses: Mapping[str, str]
    older: str
    fed: int = 0
    whole_in_comments: bool = False
    """The page of the comments has the post's text too."""

    def path(self, kind: str, post: int, comment: int = 0) -> str:
        day = self.day(post)
        return self.addresses[kind].format(
            n=200 + POSTS - post, d=day, c=9000 - 20 * post + comment
        )

    def has(self, kind: str) -> bool:
        return kind in self.addresses

    @staticmethod
    def day(post: int) -> date:
        return date(2003, 9, 14) - timedelta(days=9 * post + post % 4)

    @staticmethod
    def title(post: int) -> str:
        pick = random.Random(post + 71)
        return f"{pick.choice(SUBJECTS).capitalize()} and {pick.choice(SUBJECTS)}, {post}"

    @staticmethod
    def comments(post: int) -> range:
        return range((post * 5 + 2) % 7)

    def table(self, main: str, title: str) -> str:
        side = '<a href="/">Home</a><br><a href="/about.html">About</a><br>'
        return (
            f"<html><head><title>{title}</title></head><body bgcolor=#ffffff><table width=760><tr>"
            f"<td colspan=2><img src=/top.gif> The Boathouse</td></tr><tr><td width=160>{side}</td>"
            f"<td>{main}</td></tr></table></body></html>"
        )

    def text(self, post: int) -> str:
        return "<br><br>".join(sentences(100 * post + n, 4) for n in range(3))

    def links(self, post: int) -> str:
        names = {"comments": f"{len(self.comments(post))} comments", "printed": "Printer friendly",
                 "mail": "E-mail this story", "reply": "Add a comment"}  # fmt: skip
        return " | ".join(
            f'<a href="{self.path(kind, post)}">{name}</a>'
            for kind, name in names.items()
            if self.has(kind)
        )

    def byline(self, post: int) -> str:
        return f"<font size=1>Posted by Marten on {self.day(post):%A, %B %d, %Y}</font>"

    def said(self, post: int, comment: int) -> str:
        own = self.path("comment", post, comment) if self.has("comment") else ""
        name = NAMES[(post + comment) % len(NAMES)]
        head = f"Re: {self.title(post)}"
        link = f'<a href="{own}">{head}</a>' if own else head
        day = self.day(post) + timedelta(days=comment)
        return (
            f"<table><tr><td bgcolor=#dddddd><b>{link}</b><br>by {name} on {day:%A, %B %d, %Y}</td>"
            f"</tr><tr><td>{sentences(5000 + 20 * post + comment, 1 + (post + comment) % 5)}</td>"
            "</tr></table>"
        )

    def post_page(self, post: int, with_comments: bool) -> str:
        said = "".join(self.said(post, c) for c in self.comments(post)) if with_comments else ""
        main = (
            f"<b><font size=4>{self.title(post)}</font></b><br>{self.byline(post)}<p>"
            f"{self.text(post)}</p>{self.links(post)}<hr>{said}"
        )
        return self.table(main, f"The Boathouse: {self.title(post)}")

    def printed(self, post: int) -> str:
        return (
            f"<html><head><title>{self.title(post)}</title></head><body><img src=/small.gif>"
            f"<h2>{self.title(post)}</h2>{self.byline(post)}<p>{self.text(post)}</p><hr>"
            f"<font size=1>This story comes from The Boathouse. The address of it is "
            f'<a href="{self.path("post", post)}">here</a></font></body></html>'
        )

    def comment_page(self, post: int, comment: int) -> str:
        main = (
            f"{self.said(post, comment)}<a href={self.path('post', post)}>{self.title(post)}</a> | "
            f"<a href={self.path('reply', post)}>Reply to this</a>"
        )
        return self.table(main, f"The Boathouse: Re: {self.title(post)}")

    def comments_page(self, post: int) -> str:
        text = f"{self.byline(post)}<p>{self.text(post)}</p>" if self.whole_in_comments else ""
        said = "".join(self.said(post, c) for c in self.comments(post))
        head = f"<h3><a href={self.path('post', post)}>{self.title(post)}</a></h3>"
        main = f"{head}{text}{said or 'No comments yet.'}{FORM}"
        return self.table(main, f"Comments on {self.title(post)}")

    def site(self) -> Site:
        site = Site(POSTS, fed=self.fed)
        site.address = lambda _, post: self.path("post", post)

        def put(kind: str, post: int, body: str, comment: int = 0) -> None:
            if self.has(kind):
                path = self.path(kind, post, comment)
                site.pages[path] = (200, "text/html", body)

        for post in range(POSTS):
            put("post", post, self.post_page(post, not self.has("comments")))
            put("printed", post, self.printed(post))
            put("comments", post, self.comments_page(post))
            put("reply", post, self.table(f"<h3>Your comment</h3>{FORM}", "The Boathouse: Reply"))
            put("mail", post, self.table(f"<h3>Send {self.title(post)}</h3>{MAIL}", "Send a story"))
            for comment in self.comments(post):
                put("comment", post, self.comment_page(post, comment), comment)
        pages = -(-POSTS // 8)
        for page in range(pages):
            path = self.older.format(page) if page else "/"
            shown = "".join(map(self.teaser, range(8 * page, min(POSTS, 8 * page + 8))))
            more = f"<a href={self.older.format(page + 1)}>Older stories</a>" * (page < pages - 1)
            site.pages[path] = (200, "text/html", self.table(shown + more, "The Boathouse"))
        about = self.table("<h3>About</h3>Marten builds boats.", "The Boathouse: About")
        site.pages["/about.html"] = (200, "text/html", about)
        if self.fed:
            items = "".join(
                f"<item><title>{self.title(p)}</title><link>BASE{self.path('post', p)}</link>"
                f"<description>{sentences(100 * p, 2)}</description></item>".replace("&", "&amp;")
                for p in range(self.fed)
            )
            site.put(
                "/index.rdf",
                f"<rss version='0.91'><channel><title>The Boathouse</title>{items}</channel></rss>",
                kind="text/xml",
                raw=True,
            )
            head, kind, body = site.pages["/"]
            feed = '<link rel=alternate type="application/rss+xml" href=/index.rdf></head>'
            site.pages["/"] = (head, kind, body.replace("</head>", feed))
        return site

    def teaser(self, post: int) -> str:
        return (
            f"<b><a href={self.path('post', post)}>{self.title(post)}</a></b><br>"
            f"{self.byline(post)}<p>{sentences(100 * post, 2)}</p>{self.links(post)}<hr>"
        )


FORM = (
    "<form method=post>Name <input name=name><br>Title <input name=title><br><textarea name=text>"
    "</textarea><br><input type=submit value=Post></form>"
)
MAIL = "<form method=post>Your name <input name=a><br>To <input name=b><input type=submit></form>"

ENGINES = {
    "story_pages": Engine(
        {"post": "/story.php?id={n}", "printed": "/print.php?id={n}", "reply": "/reply.php?id={n}",
         "comments": "/comments.php?id={n}", "comment": "/comment.php?cid={c}",
         "mail": "/friend.php?id={n}"},
        "/index.php?page={}",
    ),
    "folders": Engine(
        {"post": "/{d:%Y/%m}/{n}/", "printed": "/print/{n}/", "comments": "/{d:%Y/%m}/{n}/talk/",
         "comment": "/comments/{n}/{c}/", "reply": "/reply/{n}/", "mail": "/send/{n}/"},
        "/older/{}/",
        fed=10,
    ),
    "sid": Engine(
        {"post": "/article.pl?sid={d:%y/%m/%d}/{n}", "printed": "/print.pl?sid={d:%y/%m/%d}/{n}",
         "comments": "/comments.pl?sid={n}&amp;op=Thread".replace("&amp;", "&"),
         "comment": "/comments.pl?sid={n}&cid={c}", "reply": "/comments.pl?sid={n}&op=Reply",
         "mail": "/email.pl?sid={n}"},
        "/index.pl?issue={}",
        fed=8,
        whole_in_comments=True,
    ),
    "modules": Engine(
        {"post": "/modules.php?name=News&file=article&sid={n}",
         "printed": "/modules.php?name=News&file=print&sid={n}",
         "comment": "/modules.php?name=News&file=comments&sid={n}&tid={c}",
         "reply": "/modules.php?name=News&file=comments&op=Reply&sid={n}",
         "mail": "/modules.php?name=News&file=friend&sid={n}"},
        "/modules.php?name=News&new_topic={}",
    ),
    "popups": Engine(
        {"post": "/archives/{n:06}.html", "printed": "/archives/print/{n:06}.html",
         "comments": "/cgi-bin/mt-comments.cgi?entry_id={n}", "reply": "/cgi-bin/reply.cgi?id={n}"},
        "/archives/page{}.html",
        fed=12,
    ),
    "flags": Engine(
        {"post": "/index.php?id={n}", "printed": "/index.php?id={n}&print=1",
         "comments": "/index.php?id={n}&show=comments", "comment": "/index.php?id={n}&comment={c}",
         "reply": "/index.php?id={n}&do=reply", "mail": "/index.php?id={n}&do=mail"},
        "/index.php?skip={}",
        whole_in_comments=True,
    ),
    "letters": Engine(
        {"post": "/s{n}.htm", "printed": "/pr{n}.htm", "comments": "/c{n}.htm",
         "reply": "/add{n}.htm", "mail": "/mail{n}.htm"},
        "/older{}.html",
    ),
    "nodes": Engine(
        {"post": "/node/{n}", "printed": "/node/{n}/print", "comments": "/node/{n}/talk",
         "comment": "/talk/{c}", "reply": "/node/{n}/answer", "mail": "/node/{n}/send"},
        "/nodes?from={}",
        fed=15,
        whole_in_comments=True,
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", default=",".join(ENGINES))
    parser.add_argument("--show", action="store_true", help="print the records that are no posts")
    options = parser.parse_args()
    for name in options.sites.split(","):
        engine = ENGINES[name]
        site = engine.site()
        server = serve(site.pages)
        with tempfile.TemporaryDirectory() as folder:
            row = crawl(f"http://127.0.0.1:{server.server_port}/", Path(folder))
            found = set(rows(Path(folder)))
        server.shutdown()
        others = strangers(engine, found)
        share = row.report["completeness"]["share"]
        stated = "unknown" if share is None else f"{100 * share:.1f}"
        print(
            f"{name:12} {len(found) - len(others):2} of {POSTS} +{len(others)} stated {stated:8} "
            f"requests {row.counts.get('requests')}: "
            f"{'; '.join(row.report['completeness']['reasons'])}",
            flush=True,
        )
        if options.show:
            print("\n".join(f"    {path}" for path in others))


def strangers(engine: Engine, found: set[str]) -> Sequence[str]:
    """Return the paths of records that are no post's own address."""
    own = {_plain(engine.path("post", post)) for post in range(POSTS)}
    return sorted(path for path in found if _plain(path) not in own)


def _plain(path: str) -> str:
    base, _, query = path.partition("?")
    base = base.replace("index.php", "")
    return f"{base.rstrip('/')}?{'&'.join(sorted(query.split('&')))}"


if __name__ == "__main__":
    main()
