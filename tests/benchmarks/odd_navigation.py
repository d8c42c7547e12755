"""Posts archived, and completeness stated, of generated blogs that hide their older posts.

    python -m tests.benchmarks.odd_navigation [--shapes form,scroll]

Each blog has 40 posts, ten of which its feed and its start page show; the others lie behind a
navigation of some odd shape. Each must be archived whole, or not be stated as complete.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path

from tests.benchmarks import made_blogs
from tests.crawling.crawling import crawl, rows

POSTS, SHOWN = 40, 10
WORDS = "river bridge rain garden letter window station harvest winter market travel lantern"
LATER = range(2, POSTS // SHOWN + 1)
"""Numbers of the pages behind the start page."""
Navigation = Callable[[int], str]
"""What a page of the list has below its posts, by its number."""


def words(seed: int, count: int) -> str:
    return made_blogs.words(WORDS.split(), seed, count)


def title(post: int) -> str:
    return f"{words(post + 999, 4).capitalize()} {post}"


def path(post: int) -> str:
    return "/" + title(post).lower().replace(" ", "-")


def day(post: int) -> str:
    return f"{2023 - post // 12}-{12 - post % 12:02}-1{post % 9}"


def link(post: int) -> str:
    return f'<a href="{path(post)}">{title(post)}</a>'


def listed(posts: Iterable[int]) -> str:
    return "".join(f"<h2>{link(post)}</h2><p>{day(post)}</p>" for post in posts)


def html(main: str, name: str = "Notes") -> str:
    head = '<link rel=alternate type="application/rss+xml" href=/feed>'
    menu = '<header><a href="/">Notes</a> <a href="/about">About</a></header>'
    return (
        f"<!doctype html><html lang=en><head><title>{name}</title>{head}</head><body>{menu}"
        f"<main>{main}</main><footer>Made by hand</footer></body></html>"
    )


def text(post: int) -> str:
    return "".join(f"<p>{words(3 * post + n, 60).capitalize()}.</p>" for n in range(3))


def feed(base: str) -> str:
    items = "".join(
        f"<item><title>{title(post)}</title><link>{base}{path(post)}</link>"
        f"<pubDate>{day(post)}T10:00:00Z</pubDate>"
        f"<description><![CDATA[{text(post)}]]></description></item>"
        for post in range(SHOWN)
    )
    return f'<rss version="2.0"><channel><title>Notes</title>{items}</channel></rss>'


def pager(
    navigation: Navigation, address: Callable[[int], str] = "/page/{}".format
) -> dict[str, str]:
    """A start page and numbered pages behind it."""
    return {
        "/" if number == 1 else address(number): html(
            listed(range(SHOWN * (number - 1), SHOWN * number))
            + (navigation(number + 1) if number in (1, *LATER[:-1]) else "")
        )
        for number in (1, *LATER)
    }


def start(extra: str, others: Mapping[str, str] | None = None) -> dict[str, str]:
    """A start page with something that leads to the older posts."""
    return {"/": html(listed(range(SHOWN)) + extra), **(others or {})}


def start_of(main: str) -> dict[str, str]:
    return {"/": html(main)}


ALL = "<ul>" + "".join(f"<li>{link(post)}" for post in range(POSTS)) + "</ul>"
OLDER = json.dumps([f"<p>{link(post)}</p>" for post in range(SHOWN, POSTS)])
APPEND = "document.querySelector('main').insertAdjacentHTML('beforeend', known.splice(0).join(''))"
MONTHS = sorted({day(post)[:7] for post in range(POSTS)}, reverse=True)


def months(*, extra: Callable[[int], str] = lambda index: "") -> dict[str, str]:
    return {
        f"/{month.replace('-', '/')}/": html(
            listed(post for post in range(POSTS) if day(post)[:7] == month) + extra(index)
        )
        for index, month in enumerate(MONTHS)
    }


def turned(pager: str, shown: str = "") -> str:
    """A list whose posts a script puts in the place of those before: ``pager`` draws ``numbers``
    or ``arrows`` that say nothing of it."""
    posts = json.dumps([listed([post]) for post in range(POSTS)])
    return (
        f"<div id=list>{shown}</div><ul class=pg></ul><script>var posts = {posts}, at = 1;"
        f"function turn(n) {{ at = n; list.innerHTML = posts.slice({SHOWN} * (n - 1), {SHOWN} * n)"
        f".join(''); {pager} }}"
        "var list = document.getElementById('list'), bar = document.querySelector('.pg');"
        "function put(text, n) { var e = document.createElement('li'); e.textContent = text;"
        f"if (n > 0 && n <= {len(LATER) + 1} && n != at) "
        "e.addEventListener('click', () => turn(n));"
        "bar.append(e); } turn(1)</script>"
    )


NUMBERS = f"bar.innerHTML = ''; for (var k = 1; k <= {len(LATER) + 1}; k++) put(k, k)"
ARROWS = "bar.innerHTML = ''; put('\u2039', at - 1); put('\u203a', at + 1)"


def month_before(index: int) -> str:
    before = MONTHS[min(index, len(MONTHS) - 1)].replace("-", "/")
    return f'<table><tr><td><a href="/{before}/">&laquo;</a></td></tr></table>'


SHAPES: dict[str, Callable[[], dict[str, str]]] = {
    "form": lambda: pager(
        lambda n: f"<form><input type=hidden name=page value={n}><button>Next</button></form>",
        "/?page={}".format,
    ),
    "menu in a form": lambda: pager(
        lambda n: (
            "<form><select name=page>"
            + "".join(f"<option>{each}" for each in LATER)
            + "</select><input type=submit value=Go></form>"
        ),
        "/?page={}".format,
    ),
    "form sent by POST": lambda: start(
        "<form method=post><input type=hidden name=page value=2><button>Older</button></form>"
    ),
    "click": lambda: pager(lambda n: f"<span onclick=\"location='/page/{n}'\">Older</span>"),
    "function": lambda: pager(
        lambda n: (
            f"<a href='#' onclick='go({n})'>Older posts</a>"
            "<script>function go(n) { location = '/page/' + n }</script>"
        )
    ),
    "scroll": lambda: start(
        f"<p style='height: 3000px'><script>var known = {OLDER}; "
        f"addEventListener('scroll', () => {APPEND})</script>"
    ),
    "links by script": lambda: start(
        f"<script>var known = {OLDER}; document.write(known.join(''))</script>"
    ),
    "pager by script": lambda: pager(
        lambda n: f"<script>document.write('<a href=/page/{n}>Older<' + '/a>')</script>"
    ),
    "behind a click": lambda: start(
        f"<button onclick='show()'>Archive</button><script>var known = {OLDER}; "
        f"function show() {{ {APPEND} }}</script>"
    ),
    "numbers that turn": lambda: start_of(turned(NUMBERS, listed(range(SHOWN)))),
    "arrows that turn": lambda: start_of(turned(ARROWS, listed(range(SHOWN)))),
    "drawn numbers": lambda: start_of(turned(NUMBERS)),
    "drawn arrows": lambda: start_of(turned(ARROWS)),
    "box": lambda: start('<iframe src="/list.html"></iframe>', {"/list.html": html(ALL)}),
    "frames": lambda: {
        "/": "<html><head><title>Notes</title></head><frameset cols='20%,*'><frame src=/menu.html>"
        "<frame src=/start.html></frameset></html>",
        "/menu.html": html(ALL),
        "/start.html": html(listed(range(SHOWN))),
    },
    "calendar": lambda: start(month_before(0), months(extra=lambda index: month_before(index + 1))),
    "folded months": lambda: start(
        "<details><summary>Archive</summary>"
        + "".join(f'<a href="/{month.replace("-", "/")}/">{month}</a> ' for month in MONTHS)
        + "</details>",
        months(),
    ),
    "failing page": lambda: (
        {
            page: body
            for page, body in pager(lambda n: f'<a href="/page/{n}">Older</a>').items()
            if page != "/page/3"
        }
        | {"/page/3": ""}
    ),
    "search only": lambda: start(
        "<form action=/search><input name=q><button>Search</button></form>"
    ),
    "nothing": lambda: start(""),
}


def served(shape: str) -> ThreadingHTTPServer:
    """A server of one blog; an empty page is one that fails."""
    pages = SHAPES[shape]()
    pages["/about"] = html("<h1>About</h1><p>I write here about things that happen.</p>", "About")
    for post in range(POSTS):
        body = f"<article><h1>{title(post)}</h1><p class=date>{day(post)}</p>{text(post)}</article>"
        pages[path(post)] = html(body, title(post))
    answers = {page: (200 if body else 503, "text/html", body) for page, body in pages.items()}
    return made_blogs.serve({**answers, "/feed": (200, "application/rss+xml", feed("BASE"))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    for shape in parser.parse_args().shapes.split(","):
        server = served(shape)
        with tempfile.TemporaryDirectory() as folder:
            row = crawl(f"http://127.0.0.1:{server.server_port}/", Path(folder), render="auto")
            archived = len(rows(Path(folder)))
        server.shutdown()
        found = row.report["completeness"]
        stated = "unknown" if found["share"] is None else f"{found['share']:.3f}"
        print(
            f"{shape:18} {archived:3} of {POSTS}  stated {stated:8} {'; '.join(found['reasons'])}",
            flush=True,
        )


if __name__ == "__main__":
    main()
