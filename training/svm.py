"""Train the support vector machines of ``blogcrawl.contrib.svm``: title and body of a page.

    python training/svm.py --out svm.npz --templates 400 --seed 1

Prints their sizes and their accuracy on synthetic templates of another seed. The same call makes
the same arrays: seeded and sorted. In synthetic pages the template has the labels; on posts of an
archive the node is labelled whose text is the feed's. The file holds numbers only: support vectors,
weights, means, scales.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from blogcrawl.cli.options import reading_config
from blogcrawl.contrib.svm import CLIP, NAMES, Machine, classify, of_arrays
from blogcrawl.contrib.svm_features import Box, body_candidates, boxes_by_number, title_candidates
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.induction.scoring import html_text
from blogcrawl.packaging.layout import FEEDS, RECORDS, SOURCE_HTML
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow
from blogcrawl.text.similarity import dice, fold
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import entry_key
from training.pages import LABEL, make_pages

NEGATIVES = 30
"""Per page and kind, the rest is left out: a page has one title and a hundred other texts."""
COST, GAMMA = 2.0, 0.06
"""Of the RBF machines: of C in 2, 8, 32 and gamma in 0.02, 0.06, 0.15 the best on synthetic
templates of another seed and on pages built with eight public themes."""
LIKE = 0.9
MAX_VECTORS = 1400
"""Per machine, which keeps the model file below 1 MB."""
UNSEEN = 60
"""Templates of another seed on which the machines are tried."""
_READ_BOXES = """() => { const out = {};
  const walk = (node, path) => { const seen = {}, total = {};
    for (const child of node.children) total[child.localName] = (total[child.localName] || 0) + 1;
    for (const child of node.children) { const name = child.localName;
      seen[name] = (seen[name] || 0) + 1;
      const here = path + '/' + name + (total[name] > 1 ? '[' + seen[name] + ']' : '');
      const box = child.getBoundingClientRect();
        out[here] = [box.x, box.y, box.width, box.height]; walk(child, here); } };
  walk(document.documentElement, '/html'); return [document.documentElement.outerHTML, out]; }"""

Labelled = tuple[Page, set[int], set[int]]
FeedPost = tuple[Page, str, str]
"""A post's page, and its title and content as the feed has them."""


class Trained(NamedTuple):
    """Support vectors by machine; on what share of pages of templates never seen each one's best
    element is right; posts of real blogs that were learned from."""

    sizes: dict[str, int]
    right: dict[str, float]
    posts: int


def labelled(page: Page) -> Labelled:
    """A page with the element numbers of its titles and bodies; the labels are taken out of the
    tree.
    """
    blocks = blocks_of(page)
    titles: set[int] = set()
    bodies: set[int] = set()
    for i, element in enumerate(blocks.elements):
        label = element.attrib.pop(LABEL, None)
        if label:
            (titles if label == "title" else bodies).add(i)
    return page, titles, bodies


def synthetic(pages: Iterable[tuple[str, str]]) -> Iterator[Labelled]:
    """Generated pages without rectangles."""
    for url, html in pages:
        yield labelled(
            Page(url=url, body=html.encode(), headers={"content-type": "text/html; charset=utf-8"})
        )


def rendered(pages: Iterable[tuple[str, str]], browser: str) -> Iterator[Labelled]:
    """The same pages laid out by a browser (path of a chromium)."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
        )
        tab = chromium.new_page(viewport={"width": 1280, "height": 800}, java_script_enabled=True)
        for url, html in pages:
            tab.set_content(html, wait_until="domcontentloaded")
            shown, boxes = tab.evaluate(_READ_BOXES)
            found: dict[str, Box] = {
                path: (box[0], box[1], box[2], box[3]) for path, box in boxes.items()
            }
            yield labelled(
                Page(
                    url=url,
                    body=shown.encode(),
                    headers={"content-type": "text/html; charset=utf-8"},
                    rendered=True,
                    boxes=found,
                )
            )
        chromium.close()


def found_on_pages(posts: Iterable[FeedPost], learned: list[str]) -> Iterator[Labelled]:
    """Pages on which the text that their feed gives was found; their addresses go to
    ``learned``.
    """
    for page, title, html in posts:
        found = by_feed(page, title, html_text(html))
        if found is not None:
            learned.append(page.url)
            yield found


def by_feed(page: Page, title: str, text: str) -> Labelled | None:
    """Label a page by what the feed gives; None where the text is not found on it."""
    blocks = blocks_of(page)
    length = len(text)
    best, body = LIKE, None
    for i in range(len(blocks.tags)):
        shown = node_text(blocks.elements[i])
        if 0.7 * length <= len(shown) <= 1.5 * length + 40:
            alike = dice(shown, text)
            if alike >= best:  # the innermost of equals
                best, body = alike, i
    if body is None:
        return None
    wanted = fold(title).casefold()
    titles = {
        i
        for i in title_candidates(page, None).numbers
        if fold(node_text(blocks.elements[i])).casefold() == wanted
    }
    return page, titles, {body}


def collect(
    pages: Iterable[Labelled], with_boxes: bool, rng: random.Random
) -> dict[str, tuple[list[list[float]], list[int]]]:
    """Rows and labels for the title and the body machine."""
    out: dict[str, tuple[list[list[float]], list[int]]] = {"title": ([], []), "body": ([], [])}
    for page, titles, bodies in pages:
        boxes = boxes_by_number(page, blocks_of(page)) if with_boxes else None
        if with_boxes and boxes is None:
            continue
        for name, right, candidates in (
            ("title", titles, title_candidates(page, boxes)),
            ("body", bodies, body_candidates(page, boxes, sorted(titles))),
        ):
            rows, labels = out[name]
            wrong = [
                place for place, number in enumerate(candidates.numbers) if number not in right
            ]
            chosen = set(rng.sample(wrong, min(len(wrong), NEGATIVES + len(right))))
            for place, number in enumerate(candidates.numbers):
                if number in right or place in chosen:
                    rows.append(candidates.rows[place])
                    labels.append(int(number in right))
    return out


def fit(rows: list[list[float]], labels: list[int]) -> dict[str, Any]:
    """Standardise (section IV.C) and train; arrays by name."""
    import numpy as np
    from sklearn.svm import SVC

    x, y = np.asarray(rows, dtype=np.float64), np.asarray(labels)
    mean, scale = x.mean(0), x.std(0)
    scale[scale < 1e-6] = 1.0
    z = np.clip((x - mean) / scale, -CLIP, CLIP)
    keep = np.arange(len(y))
    while True:
        machine = SVC(C=COST, gamma=GAMMA, class_weight="balanced").fit(z[keep], y[keep])
        if len(machine.support_) <= MAX_VECTORS:
            break
        keep = keep[::2] if len(keep) > 2 * MAX_VECTORS else keep[: -len(keep) // 5]
    return {
        "vectors": machine.support_vectors_.astype(np.float32),
        "weights": machine.dual_coef_[0].astype(np.float32),
        "mean": mean.astype(np.float32),
        "scale": scale.astype(np.float32),
        "gamma": np.float32(GAMMA),
        "offset": np.float32(machine.intercept_[0]),
    }


def train(
    out: Path, *, templates: int, seed: int, browser: str = "", posts: Iterable[FeedPost] = ()
) -> Trained:
    """Train all machines and write ``out``; ``posts``: of real blogs, besides."""
    import numpy as np

    rng = random.Random(seed)
    pages = make_pages(seed, templates, 4)
    learned: list[str] = []
    sets: dict[str, Iterable[Labelled]] = {
        "": chain(synthetic(pages), found_on_pages(posts, learned))
    }
    if browser:
        sets["_boxes"] = rendered(pages, browser)
    arrays: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for suffix, chosen in sets.items():
        for name, (rows, labels) in collect(chosen, bool(suffix), rng).items():
            for array, value in fit(rows, labels).items():
                arrays[f"{name}{suffix}_{array}"] = value
            sizes[name + suffix] = len(arrays[f"{name}{suffix}_vectors"])
    np.savez_compressed(out, **{name: arrays[name] for name in sorted(arrays)})
    trained = of_arrays(arrays)
    unseen = make_pages(seed + 1, UNSEEN, 4)
    right = tested(synthetic(unseen), trained)
    if browser:
        right |= {
            f"{name}_boxes": share
            for name, share in tested(rendered(unseen, browser), trained).items()
        }
    return Trained({name: sizes[name] for name in NAMES if name in sizes}, right, len(learned))


def tested(pages: Iterable[Labelled], trained: Mapping[str, Machine]) -> dict[str, float]:
    """Share of pages with one post on which the best title and the best body are right."""
    right: Counter[str] = Counter()
    for page, titles, bodies in pages:
        if len(bodies) == 1:
            found = classify(page, trained)
            right["pages"] += 1
            right["title"] += bool(found.titles) and found.titles[0][0] in titles
            right["body"] += bool(found.bodies) and found.bodies[0][0] in bodies
    return {name: round(right[name] / max(1, right["pages"]), 3) for name in ("title", "body")}


def labelled_posts(archive: str) -> Iterator[FeedPost]:
    """Yield page, title and content of the posts with full text in an archived feed.

    Raises ArchiveError if there is no archive.
    """
    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    try:
        for blog in state.blogs():
            yield from _posts_of_feeds(state, store, blog)
    finally:
        state.close()


def _posts_of_feeds(state: SqlState, store: PackageStore, blog: BlogRow) -> Iterator[FeedPost]:
    head = store.head(blog.aip_id) if blog.aip_id else None
    for path in (RECORDS + name for name in FEEDS):
        if head is None or path not in head.files:
            continue
        with suppress(BlogcrawlError):  # unreadable feeds and packages are skipped
            with store.open(head.object_id, path) as file:
                feed = parse_feed(file.read(), next(iter(blog.feeds), blog.url))
            for entry in feed.entries:
                post = state.get_post(blog.id, entry_key(entry.url)) if entry.is_full else None
                if post is not None and post.aip_id:
                    with store.open(post.aip_id, SOURCE_HTML) as file:
                        yield (
                            Page(url=post.url, body=file.read()),
                            entry.title or "",
                            entry.content_html or "",
                        )


@click.command(help=__doc__)
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--templates", default=400, show_default=True, type=click.IntRange(min=2))
@click.option("--seed", default=1, show_default=True)
@click.option("--browser", default="", help="A Chromium: also train for rendered pages.")
@click.option("--archive", help="Also train on its posts with full text in the feed.")
def main(out: Path, templates: int, seed: int, browser: str, archive: str | None) -> None:
    """Write the model and print its figures as JSON."""
    posts = labelled_posts(archive) if archive is not None else ()
    made = train(out, templates=templates, seed=seed, browser=browser, posts=posts)
    figures = {"support_vectors": made.sizes, "right": made.right, "posts": made.posts}
    click.echo(json.dumps({"model": str(out), "bytes": out.stat().st_size, **figures}))


if __name__ == "__main__":
    main()
