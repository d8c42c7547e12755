# ruff: noqa: E501 (script as applications write it)
"""Comments that a browser shows after a click, whatever the button is called, and those that an
application draws with a system in its bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cli
from tests.crawling.pipelines import shellblog
from tests.rendering.browsing import needs_browser
from tests.server import Rule, Server

pytestmark = needs_browser

TALK = """
const post = location.pathname.replace(/^\\/note\\//, '').replace(/\\.html$|\\/$/, '');
const said = async () => (await fetch('/talk.json')).json();
const show = (box, one) => box.insertAdjacentHTML('beforeend', %(unit)s);
async function fill(box) { for (const one of (await said())[post] || []) show(box, one); }
"""
HOME_MADE = (
    "`<li class=reply><b class=name>${one.who}</b> <time>${one.day}</time><p>${one.text}</p></li>`"
)
BUNDLED = "`<div class=tk-comment><strong class=tk-nick>${one.who}</strong> <small class=tk-time><time datetime='${one.day}'>then</time></small><div class=tk-content><p>${one.text}</p></div></div>`"
BUTTON = """<section class="talk"><h2>2 comments</h2><button id="b" type="button">Was andere dazu meinen</button><ol id="t"></ol></section>
<script>document.getElementById('b').onclick = () => { fill(document.getElementById('t')); document.getElementById('b').remove(); };</script>"""
APP = """
(async () => {
  const posts = await (await fetch('/posts.json')).json(), root = document.getElementById('root');
  const found = posts.find(p => p.slug === post);
  if (!found) { root.innerHTML = '<ul>' + posts.map(p => `<li><a href="/note/${p.slug}">${p.title}</a></li>`).join('') + '</ul>'; return; }
  document.title = found.title;
  root.innerHTML = `<article><h1>${found.title}</h1><p>by <span class="author">${found.author}</span> <time datetime="${found.date}">${found.date.slice(0, 10)}</time></p><div>${found.html}</div></article>`;
  root.insertAdjacentHTML('beforeend', '<section class="talk"><h2>2 comments</h2><ol></ol></section>');
  await fill(root.querySelector('ol'));
})();
"""


def write_talk(site: Path, made: list[dict[str, str]], unit: str) -> dict[str, list[str]]:
    """Two readers' comments for each post; their authors by title."""
    said = {
        post["slug"]: [
            {
                "who": f"{who} {number}",
                "day": f"2020-02-{1 + number:02d}",
                "text": f"{' '.join(shellblog.WORDS[number : number + 5])}, as {who} found.",
            }
            for who in ("Bela", "Cleo")
        ]
        for number, post in enumerate(made)
    }
    (site / "talk.json").write_text(json.dumps(said))
    (site / "talk.js").write_text(TALK % {"unit": unit})
    return {post["title"]: [one["who"] for one in said[post["slug"]]] for post in made}


def crawled(cli: Cli, server: Server) -> dict[str, Any]:
    done = cli("crawl", server.url, "-a", "a", "--delay", "0")
    assert done.code in (0, 11), done
    posts = map(json.loads, cli("export", "-a", "a").out.splitlines())
    return {post["title"]: [comment["author"] for comment in post["comments"]] for post in posts}


def test_button_that_fills_an_empty_element_is_clicked(cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "note").mkdir(parents=True)
    made = shellblog.posts(8)
    expected = write_talk(site, made, HOME_MADE)
    links = "".join(f'<li><a href="/note/{p["slug"]}.html">{p["title"]}</a></li>' for p in made)
    (site / "index.html").write_text(f"<html><title>Notes</title><body><ul>{links}</ul>")
    for post in made:
        (site / "note" / f"{post['slug']}.html").write_text(
            f"<html><head><title>{post['title']}</title></head><body><script src=/talk.js></script><article><h1>{post['title']}</h1>"
            f"<p>by <span class=author>{post['author']}</span> <time datetime={post['date']}>{post['date'][:10]}</time></p>"
            f"<div class=text>{post['html']}</div></article>{BUTTON}</body></html>"
        )
    with Server(site) as server:
        assert crawled(cli, server) == expected


@pytest.mark.parametrize("unit", [BUNDLED, HOME_MADE], ids=["system", "own markup"])
def test_comments_rendered_by_an_application_are_read(unit: str, cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    made = shellblog.posts(8)
    expected = write_talk(site, made, unit)
    (site / "posts.json").write_text(json.dumps(made))
    (site / "app.js").write_text((site / "talk.js").read_text() + APP)
    shell = '<!doctype html><title>Notes</title><body><div id="root"></div><script src="/app.js"></script></body>'
    (site / "index.html").write_text(shell)
    shown = Rule(path="/note/[^/.]*/?", file="index.html", headers={"Content-Type": "text/html"})
    with Server(site, [shown]) as server:
        assert crawled(cli, server) == expected
