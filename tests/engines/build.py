"""Runs the engines: Pelican, Nikola, blag and ABlog (Sphinx), each as its users do, in a process of
its own.

Every engine writes the address ``BASE`` into its pages; the test server puts its own there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tests.engines.truth import TruthPost, make_posts, png

BASE = "http://base.blog.test"
FEED_ENTRIES = 10
TITLE = "Notes from the Harbour"


@dataclass(frozen=True)
class Site:
    """A built blog: files to serve, and what is true of it."""

    engine: str
    root: Path
    posts: tuple[TruthPost, ...]
    paths: tuple[str, ...]
    """URL path of each post."""
    feed_path: str
    full_feed: bool
    says: frozenset[str]
    """Fields that this engine's pages and feed tell (title and content always)."""
    categories: tuple[str, ...] = ()
    """Further names under which the engine files every post."""

    def picture(self, name: str) -> bytes:
        """The bytes of a post's picture, wherever the engine put it."""
        return next(self.root.rglob(name)).read_bytes()


def run(folder: Path, *command: str) -> None:
    """Python with these arguments in ``folder``; what it printed goes into the failure."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-1500:]}\n{done.stderr[-3000:]}"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def write_pictures(folder: Path, posts: list[TruthPost]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, post in enumerate(posts):
        for name in post.pictures:
            (folder / name).write_bytes(png(number))


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def build_pelican(folder: Path, full_feed: bool) -> Site:
    """Pelican with its notmyidea theme; several authors."""
    posts = make_posts(authors=("Ada Quill", "Jörg Lindqvist"), seed=11)
    for post in posts:
        head = (
            f"Title: {post.title}\nDate: {stamp(post.published)}\nTags: "
            f"{', '.join(post.tags)}\nSlug: {post.slug}\nAuthor: {post.author}\n"
        )
        write(folder / "content" / f"{post.slug}.md", head + "\n" + post.markdown() + "\n")
    write_pictures(folder / "content" / "images", posts)
    settings = {
        "SITEURL": BASE,
        "SITENAME": TITLE,
        "PATH": "content",
        "TIMEZONE": "UTC",
        "DEFAULT_LANG": "en",
        "THEME": "notmyidea",
        "FEED_DOMAIN": BASE,
        "FEED_ALL_ATOM": None,
        "FEED_ALL_RSS": "feeds/all.rss.xml",
        "RSS_FEED_SUMMARY_ONLY": not full_feed,
        "CATEGORY_FEED_ATOM": None,
        "TRANSLATION_FEED_ATOM": None,
        "AUTHOR_FEED_ATOM": None,
        "AUTHOR_FEED_RSS": None,
        "FEED_MAX_ITEMS": FEED_ENTRIES,
        "DEFAULT_PAGINATION": 8,
        "STATIC_PATHS": ["images"],
        "DEFAULT_CATEGORY": "misc",
    }
    write(
        folder / "pelicanconf.py",
        "".join(f"{name} = {value!r}\n" for name, value in settings.items()),
    )
    run(folder, "-m", "pelican", "content", "-s", "pelicanconf.py", "-o", "output", "-q")
    says = frozenset({"authors", "published", "tags"})
    paths = tuple(f"/{p.slug}.html" for p in posts)
    return Site(
        "pelican",
        folder / "output",
        tuple(posts),
        paths,
        "/feeds/all.rss.xml",
        full_feed,
        says,
        ("misc",),
    )


def build_nikola(folder: Path, full_feed: bool) -> Site:
    """Nikola with its bootblog4 theme, in German; teasers in the feed unless ``full_feed``."""
    posts = make_posts(authors=("Greta Ähre",), seed=23, language="de")
    run(folder, "-m", "nikola", "init", "-q", "site")
    site = folder / "site"
    conf = site / "conf.py"
    text = conf.read_text("utf-8")
    text += (
        f"\nBLOG_TITLE = {TITLE!r}\nSITE_URL = {BASE + '/'!r}\nBLOG_AUTHOR = 'Greta "
        f"Ähre'\nDEFAULT_LANG = 'de'\nTIMEZONE = 'UTC'\n"
        f"FEED_LENGTH = {FEED_ENTRIES}\nFEED_TEASERS = {not full_feed}\nFEED_LINKS_APPEND_QUERY "
        f"= False\nINDEX_DISPLAY_POST_COUNT = 10\n"
        "TRANSLATIONS = {'de': ''}\nNAVIGATION_LINKS = {'de': (('/archive.html', 'Archiv'), "
        "('/categories/', 'Schlagworte'))}\n"
        "CONTENT_FOOTER = ''\nCOMMENT_SYSTEM = ''\nPOSTS = (('posts/*.md', 'posts', "
        "'post.tmpl'),)\nPAGES = ()\n"
        "USE_CDN = False\nDEPLOY_DRAFTS = False\nDATE_FANCINESS = 0\n"
    )
    conf.write_text(text, "utf-8")
    for post in posts:
        head = (
            f"<!--\n.. title: {post.title}\n.. slug: {post.slug}\n.. date: "
            f"{stamp(post.published)} UTC\n"
        )
        head += f".. tags: {', '.join(post.tags)}\n-->\n"
        body = post.markdown().split("\n\n")
        write(
            site / "posts" / f"{post.slug}.md",
            head + "\n" + body[0] + "\n\n<!-- TEASER_END -->\n\n" + "\n\n".join(body[1:]) + "\n",
        )
    write_pictures(site / "files" / "images", posts)
    run(site, "-m", "nikola", "build", "-q", "-n", "1")
    says = frozenset({"authors", "published", "tags"})
    return Site(
        "nikola",
        site / "output",
        tuple(posts),
        tuple(f"/posts/{p.slug}/" for p in posts),
        "/rss.xml",
        full_feed,
        says,
    )


def build_blag(folder: Path, full_feed: bool) -> Site:
    """blag with the theme it ships: no author on the pages, a date without time, tags in links
    without a mark, an Atom feed.
    """
    posts = make_posts(seed=31)
    write(
        folder / "config.ini",
        (
            f"[main]\nbase_url = {BASE}/\ntitle = {TITLE}\ndescription = Letters and "
            f"repairs\nauthor = Ada Quill\n"
        ),
    )
    for post in posts:
        head = (
            f"Title: {post.title}\nDescription: {post.blocks[0].lines[0]}\nDate: "
            f"{stamp(post.published)}\nTags: {', '.join(post.tags)}\n"
        )
        write(folder / "content" / f"{post.slug}.md", head + "\n" + post.markdown() + "\n")
    write(
        folder / "content" / "about.md",
        "Title: About Me\n\nI write letters and repair kettles near the harbour.\n",
    )
    write_pictures(folder / "static" / "images", posts)
    import blag

    shutil.copytree(Path(blag.__file__).parent / "templates", folder / "templates")
    run(folder, "-c", "from blag.blag import main; main(['build'])")
    site = Site(
        "blag",
        folder / "build",
        tuple(posts),
        tuple(f"/{p.slug}.html" for p in posts),
        "/atom.xml",
        full_feed,
        frozenset({"published"}),
    )
    cut_feed(site.root / "atom.xml", drop_content=not full_feed)
    return site


def build_ablog(folder: Path, full_feed: bool) -> Site:
    """ABlog on Sphinx with the alabaster theme: documentation's markup, posts below
    dated folders.
    """
    posts = make_posts(authors=("Ada Quill", "Mina Osei"), seed=43)
    settings = {
        "extensions": ["ablog"],
        "project": TITLE,
        "author": "Ada Quill",
        "html_theme": "alabaster",
        "html_static_path": [],
        "html_sidebars": {
            "**": [
                "ablog/postcard.html",
                "ablog/recentposts.html",
                "ablog/tagcloud.html",
                "ablog/archives.html",
            ]
        },
        "blog_title": TITLE,
        "blog_baseurl": BASE,
        "blog_path": "blog",
        "blog_post_pattern": "blog/*/*",
        "blog_feed_fulltext": full_feed,
        "blog_feed_length": FEED_ENTRIES,
        "post_date_format": "%d %B %Y",
        "post_date_format_short": "%d %B",
        "html_show_sourcelink": False,
        "html_extra_path": ["extra"],
        "templates_path": [],
    }
    write(folder / "conf.py", "".join(f"{name} = {value!r}\n" for name, value in settings.items()))
    write(folder / "index.rst", f"{TITLE}\n{'=' * len(TITLE)}\n\n.. postlist:: 15\n   :excerpts:\n")
    for post in posts:
        rule = "=" * 2 * len(post.title)
        head = (
            f".. post:: {post.published:%d %B %Y}\n   :tags: {', '.join(post.tags)}\n   "
            f":author: {post.author}\n\n"
        )
        body = post.restructured().replace(".. image:: /images/", ".. image:: /pictures/")
        write(
            folder / "blog" / f"{post.published:%Y}" / f"{post.slug}.rst",
            f"{head}{post.title}\n{rule}\n\n{body}\n",
        )
    write_pictures(folder / "pictures", posts)
    (folder / "extra").mkdir()
    run(folder, "-m", "sphinx", "-q", "-b", "dirhtml", ".", "output")
    paths = tuple(f"/blog/{p.published:%Y}/{p.slug}/" for p in posts)
    says = frozenset({"authors", "published", "tags"})
    return Site("ablog", folder / "output", tuple(posts), paths, "/blog/atom.xml", full_feed, says)


def cut_feed(path: Path, *, drop_content: bool) -> None:
    """Keep the newest entries of an Atom file, as most engines do by themselves; ``drop_content``:
    leave the summaries.
    """
    text = path.read_text("utf-8")
    entries = re.findall(r"<entry>.*?</entry>", text, re.DOTALL)
    newest = sorted(
        entries,
        key=lambda entry: re.search(r"<published>(.*?)</published>", entry)[1],
        reverse=True,
    )[:FEED_ENTRIES]  # type: ignore[index]
    if drop_content:
        newest = [re.sub(r"<content.*?</content>", "", entry, flags=re.DOTALL) for entry in newest]
    start, end = text.index("<entry>"), text.rindex("</entry>") + len("</entry>")
    path.write_text(text[:start] + "".join(newest) + text[end:], "utf-8")


ENGINES: dict[str, Callable[[Path, bool], Site]] = {
    "pelican": build_pelican,
    "nikola": build_nikola,
    "blag": build_blag,
    "ablog": build_ablog,
}
