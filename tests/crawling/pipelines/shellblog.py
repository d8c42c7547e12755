# ruff: noqa: E501 (markup as engines write it)
"""A blog that is drawn by its script: every address answers with the same empty page, the posts
come from JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

WORDS = "river stone paper winter compiler archive library bread light open window garden letter engine harbour mountain".split()

APP = """
const root = document.getElementById('root');
fetch('/posts.json').then(r => r.json()).then(posts => {
  const slug = location.pathname.replace(/^\\/post\\//, '').replace(/\\.html$/, '').replace(/\\/$/, '');
  const post = posts.find(p => p.slug === slug);
  const nav = '<header class="site"><a href="/">Drawn blog</a></header>';
  if (post) {
    document.title = post.title + ' | Drawn blog';
    root.innerHTML = nav + `<article class="post"><h1 class="title">${post.title}</h1><p class="meta">by <span class="author">${post.author}</span>
      <time datetime="${post.date}">${post.date.slice(0, 10)}</time></p><div class="body">${post.html}</div></article>`;
  } else {
    root.innerHTML = nav + '<main><ul>' + posts.map(p => `<li><a href="/post/${p.slug}">${p.title}</a></li>`).join('') + '</ul></main>';
  }
});
"""

HASH_APP = "addEventListener('hashchange', () => location.reload());\n" + APP.replace(
    "location.pathname.replace(/^\\/post\\//, '')", "location.hash.replace(/^#!?\\/post\\//, '')"
).replace('href="/post/', 'href="#/post/').replace('href="/"', 'href="#/"')
"""The same blog, with addresses that differ only in the fragment."""

SHELL = (
    '<!doctype html><html><head><meta charset="utf-8"><title>Drawn blog</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>'
    '<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/app.js"></script></body></html>'
)


def posts(count: int) -> list[dict[str, str]]:
    out = []
    for i in range(count):
        paragraphs = [
            " ".join(WORDS[(i * 7 + j * 3 + k * (i + 2)) % len(WORDS)] for k in range(30))
            + f", said part {j} of number {i}."
            for j in range(4)
        ]
        out.append(
            {
                "slug": f"entry-number-{i}",
                "title": f"On {WORDS[i % len(WORDS)]} and the number {i}",
                "author": "Ada Lovelace",
                "date": f"2020-01-{1 + i:02d}T08:00:00Z",
                "html": "".join(f"<p>{p}</p>" for p in paragraphs),
            }
        )
    return out


def write(folder: Path, base: str, count: int = 8, in_feed: int = 5) -> list[dict[str, str]]:
    """The blog's files; its feed shows ``in_feed`` entries. ``base`` ends with a slash."""
    made = posts(count)
    (folder / "post").mkdir(parents=True, exist_ok=True)
    (folder / "posts.json").write_text(json.dumps(made))
    (folder / "app.js").write_text(APP)
    (folder / "index.html").write_text(SHELL)
    for post in made:
        (folder / "post" / f"{post['slug']}.html").write_text(SHELL)
    items = "".join(
        f"<item><title>{p['title']}</title><link>{base}post/{p['slug']}</link><guid>{base}post/{p['slug']}</guid><dc:creator>{p['author']}</dc:creator>"
        f"<pubDate>{int(p['date'][8:10]):02d} Jan 2020 08:00:00 GMT</pubDate><description><![CDATA[{p['html'][:200]}…]]></description></item>"
        for p in reversed(made[-in_feed:])
    )
    (folder / "feed.xml").write_text(
        f'<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Drawn blog</title><link>{base}</link>{items}</channel></rss>'
    )
    return made


def write_hashed(folder: Path, count: int = 6) -> list[dict[str, str]]:
    """One page for all addresses, routes behind ``#``, no feed."""
    made = posts(count)
    (folder / "posts.json").write_text(json.dumps(made))
    (folder / "app.js").write_text(HASH_APP)
    (folder / "index.html").write_text(
        SHELL.replace('<link rel="alternate" type="application/rss+xml" href="/feed.xml">', "")
    )
    return made
