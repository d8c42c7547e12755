"""Training of the machines in ``svm``: seeded and sorted, so that the same call makes the same
arrays.

Labels come by themselves: in made-up pages the template knows them; on posts of archived blogs the
node is taken whose text is the feed's. Only numbers leave: support vectors, weights, means, scales.
``blogcrawl train`` is the command.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from blogcrawl.contrib.svm import CLIP, NAMES, Machine, classify, of_arrays
from blogcrawl.contrib.svm_features import Box, body_candidates, boxes_by_number, title_candidates
from blogcrawl.contrib.svm_pages import LABEL, make_pages
from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.similarity import dice, fold
from blogcrawl.text.visible import node_text

NEGATIVES = 30
"""Per page and kind, the rest is left out: a page has one title and a hundred other texts."""
COST, GAMMA = 2.0, 0.06
"""Of the RBF machines: of C in 2, 8, 32 and gamma in 0.02, 0.06, 0.15 the best on made-up templates
of another seed and on pages built with eight public themes."""
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
Told = tuple[Page, str, str]
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


def made_up(pages: Iterable[tuple[str, str]]) -> Iterator[Labelled]:
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


def told(posts: Iterable[Told], learned: list[str]) -> Iterator[Labelled]:
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
        said = node_text(blocks.elements[i])
        if 0.7 * length <= len(said) <= 1.5 * length + 40:
            alike = dice(said, text)
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
    out: Path, *, templates: int, seed: int, browser: str = "", posts: Iterable[Told] = ()
) -> Trained:
    """Train all machines and write ``out``; ``posts``: of real blogs, besides."""
    import numpy as np

    rng = random.Random(seed)
    pages = make_pages(seed, templates, 4)
    learned: list[str] = []
    sets: dict[str, Iterable[Labelled]] = {"": chain(made_up(pages), told(posts, learned))}
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
    right = tested(made_up(unseen), trained)
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
