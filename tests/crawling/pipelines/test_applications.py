# ruff: noqa: E501 (script as applications write it)
"""Blogs drawn by scripts in a real browser: what a reader reaches by clicks, scrolls and routes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cli
from tests.crawling.pipelines import shellblog
from tests.rendering.browsing import needs_browser
from tests.server import Rule, Server

pytestmark = needs_browser

APP = """
const root = document.getElementById('root');
const size = 4;
const way = '%(way)s';
const route = () => way === 'hash' ? location.hash.replace(/^#/, '') : location.pathname;
const href = path => way === 'hash' ? '#' + path : path;
async function draw() {
  const posts = await (await fetch('/posts.json')).json();
  const post = posts.find(p => '/note/' + p.slug === route().replace(/\\/$/, ''));
  if (post) {
    document.title = post.title;
    root.innerHTML = `<header><a href="${href('/')}">Notes</a></header><article><h1>${post.title}</h1>
      <p class="meta">by <span class="author">${post.author}</span>
      <time datetime="${post.date}">${post.date.slice(0, 10)}</time></p><div>${post.html}</div></article>`;
    return;
  }
  document.title = 'Notes';
  root.innerHTML = '<header><h1>Notes</h1></header><main><ul></ul></main><footer>Written by hand</footer>';
  const list = root.querySelector('ul');
  let shown = 0;
  const last = Math.ceil(posts.length / size);
  const go = path => { history.pushState(null, '', path); draw(); };
  const cards = number => {
    for (const p of posts.slice(size * (number - 1), size * number)) {
      list.insertAdjacentHTML('beforeend', `<li style="cursor: pointer"><h3>${p.title}</h3>${p.date.slice(0, 10)}</li>`);
      list.lastChild.onclick = () => (way === 'windows' ? open : go)('/note/' + p.slug);
    }
    for (let n = 1; n <= last; n++) {
      root.querySelector('footer').insertAdjacentHTML('beforeend', `<button>${n}</button>`);
      root.querySelector('footer').lastChild.onclick = () => go('/?page=' + n);
    }
  };
  const turn = number => {
    list.innerHTML = '';
    shown = size * (number - 1);
    more();
    for (const e of root.querySelectorAll('footer button')) e.remove();
    const add = (label, to) => {
      const button = document.createElement('button');
      button.textContent = label;
      if (to < 1 || to > last) button.disabled = true;
      if (to !== number) button.onclick = () => turn(to);
      root.querySelector('footer').append(button);
    };
    if (way === 'arrows') { add('←', number - 1); add('→', number + 1); }
    else for (let n = 1; n <= last; n++) add(n, n);
  };
  const more = async () => {
    for (const p of posts.slice(shown, shown + size)) list.insertAdjacentHTML('beforeend',
      `<li style="height: %(height)spx"><a href="${href('/note/' + p.slug)}">${p.title}</a> ${p.date.slice(0, 10)}</li>`);
    shown += size;
  };
  if (way === 'cards' || way === 'windows') cards(+(new URLSearchParams(location.search).get('page') || 1));
  else if (way === 'numbers' || way === 'arrows') turn(1); else await more();
  if (way === 'scroll') {
    const end = root.querySelector('footer');
    new IntersectionObserver(async seen => {
      if (!seen[0].isIntersecting || shown >= posts.length) return;
      await new Promise(done => setTimeout(done, 150));
      await more();
    }).observe(end);
  } else if (way === 'click' || way === 'hash') {
    const button = document.createElement('button');
    button.textContent = 'Load more';
    button.onclick = async () => { await more(); if (shown >= posts.length) button.remove(); };
    root.querySelector('main').append(button);
  }
}
if (way === 'hash') addEventListener('hashchange', draw);
if (way === 'cards' || way === 'windows') addEventListener('popstate', draw);
draw();
"""

SHELL = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notes</title></head><body>'
    '%(text)s<div id="root"></div><script src="/app.js"></script></body></html>'
)
FEW = "<noscript>Please enable JavaScript.</noscript>"


def write(
    folder: Path, way: str, *, count: int = 14, text: str = FEW, height: int = 20
) -> list[dict[str, str]]:
    """An application without a feed; its list shows four posts, and more by ``way``."""
    made = shellblog.posts(count)
    (folder / "posts.json").write_text(json.dumps(made))
    (folder / "app.js").write_text(APP % {"way": way, "height": height})
    (folder / "index.html").write_text(SHELL % {"text": text})
    return made


def crawled(cli: Cli, server: Server, *options: str) -> tuple[set[str], dict[str, Any]]:
    """Titles of the archived posts, and the crawl."""
    done = cli("crawl", server.url, "-a", "a", "--delay", "0", "--json", *options)
    rows = cli("export", "-a", "a").out.splitlines()
    assert done.code in (0, 11), done
    return {json.loads(row)["title"] for row in rows}, done.json["crawls"][0]["crawl"]


def application(root: Path) -> list[Rule]:
    """Every address of a note answers with the shell, as servers of applications do."""
    return [Rule(path="/note/[^/]*/?", file="index.html", headers={"Content-Type": "text/html"})]


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("click", marks=pytest.mark.slow),  # the next test clicks, too
        "scroll",
        "hash",
        "numbers",
        "cards",
        "windows",
        pytest.param("arrows", marks=pytest.mark.slow),
    ],
)
def test_list_of_a_client_side_application_is_read_to_its_end(
    way: str, cli: Cli, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    made = write(site, way, height=20 if way != "scroll" else 400)
    with Server(site, application(site)) as server:
        titles, crawl = crawled(cli, server)
        asked = Counter(hit.path for hit in server.log() if hit.method == "GET")
    assert titles == {post["title"] for post in made}, crawl["report"]
    # the browser is given what was fetched, and one page is behind all routes
    pages = {path: times for path, times in asked.items() if path == "/" or "/note/" in path}
    assert pages.pop("/") <= (2 if way in ("cards", "windows") else 1)  # the last part is /?page=4
    assert set(pages.values()) <= {1}, pages


def test_application_with_text_in_its_shell_is_rendered(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    menu = "".join(f"<li><a href=/#>{word} and others</a></li>" for word in shellblog.WORDS)
    about = "<p>" + " ".join(shellblog.WORDS * 3) + "</p>"
    made = write(site, "click", text=f"<nav><ul>{menu}</ul></nav>{about}")
    with Server(site, application(site)) as server:
        titles, crawl = crawled(cli, server)
    assert titles == {post["title"] for post in made}, crawl["report"]


def test_unfinished_list_is_reported(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    write(site, "click", count=120)
    with Server(site, application(site)) as server:
        limit = ("--max-posts", "1", "--set", "BLOGCRAWL_RENDER_SECONDS=4")
        _, crawl = crawled(cli, server, *limit)
    found = crawl["report"]["completeness"]
    assert any("not read to its end" in reason for reason in found["reasons"]), found
