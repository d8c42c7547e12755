"""Blogs whose list of posts has a folder of its own, with the posts next to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.made_blogs import serve
from tests.crawling.crawling import crawl, rows
from tests.dom.test_teasers import sentence_of

PER_PAGE, COUNT = 11, 22


def page(title: str, inner: str) -> tuple[int, str, str]:
    menu = "<header><h1><a href='/'>Quay</a></h1><nav><a href='/blog'>Blog</a></nav></header>"
    body = f"<body>{menu}<main>{inner}</main><footer>Quay, 2020</footer></body>"
    return 200, "text/html", f"<html><head><title>{title}</title></head>{body}</html>"


def card(n: int) -> str:
    text = f"<h2>Letter {n}</h2><div>{sentence_of(n)[:60]}</div>"
    return f"<article><div>May {n + 1}, 2020</div><a href='/post/letter-{n}'>{text}</a></article>"


def line(n: int) -> str:
    return f"<ul><li><i>May {n + 1}, 2020</i> <a href='/post/letter-{n}'>Letter {n}</a></li></ul>"


def post(n: int) -> tuple[int, str, str]:
    text = "".join(f"<p>{sentence_of(n + 100 * k)}</p>" for k in range(4))
    head = f"<h1>Letter {n}</h1><div>May {n + 1}, 2020</div>"
    return page(f"Letter {n}", f"<article>{head}<div>{text}</div></article>")


@pytest.mark.parametrize("entry", [card, line])
def test_posts_next_to_the_folder_of_their_list_are_found(
    entry: Callable[[int], str], tmp_path: Path
) -> None:
    pager = "<nav><a href='/blog'>1</a> <a href='/blog/page/2'>2</a></nav>"
    lists = [
        page("Blog", "".join(map(entry, range(n, n + PER_PAGE))) + pager) for n in (PER_PAGE, 0)
    ]
    lists = [(*each[:2], each[2].replace("</ul><ul>", "")) for each in lists]
    made = {"/blog": lists[0], "/blog/page/2": lists[1], "/": page("Quay", "<p>Welcome.</p>")}
    made |= {f"/post/letter-{n}": post(n) for n in range(COUNT)}
    server = serve(made)
    crawl(f"http://127.0.0.1:{server.server_port}/blog", tmp_path)
    server.shutdown()
    assert {url.rpartition("-")[2] for url in rows(tmp_path)} == {str(n) for n in range(COUNT)}
