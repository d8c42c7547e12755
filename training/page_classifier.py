"""Collect rows for ``blogcrawl/extraction/pages/page_classifier.json`` and fit its weights.

    python training/page_classifier.py collect --corpus DIR --tools DIR --map FILE --out ROWS
    python training/page_classifier.py fit ROWS --picture docs/page_classifier.svg

``collect`` crawls each recorded blog from the server of the corpus (``--map``: the base URL of each
blog, as the server prints it), writes the features of each page that is classified, and afterwards
those of pages that the crawl did not read. A page is a post where the gold data of its blog have
it. ``fit`` is a logistic regression with L2 penalty and signs as the table gives them; blogs and
classes weigh alike. Gold data may be a part of a blog's posts: where models of other blogs take
many further pages for posts, these are left out, so that precision is that of the other blogs. All
figures are of models that never saw the page's blog.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, urljoin
from urllib.request import urlopen

os.environ.setdefault("OMP_NUM_THREADS", "1")

import click
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from blogcrawl.cli.main import run
from blogcrawl.core.page import Page
from blogcrawl.crawling import learning
from blogcrawl.extraction import chain, model
from blogcrawl.extraction.pages import classifier
from blogcrawl.extraction.pages.classifier import Site
from blogcrawl.urls.canonical import canonicalize

TABLE = Path(classifier.__file__).with_name("page_classifier.json")
FOLDS = 10
"""Groups of blogs; each is judged by a model of the others."""
MOST = 40
"""Rows of a blog and class that count fully; of more each counts less."""
WITHOUT_SITE = 0.5
"""Weight of a page's row without what is known of its site, next to the row with it."""
PARTIAL = 0.1
"""Pages that models of other blogs take for posts and that the gold data lack, by posts in the gold
data: from this share on the data are a part of the blog's posts.
"""
ROUNDS = 2
"""Fits, each with the groups of features that the weights of the one before ask for."""
UNREAD = 110
"""Pages of a blog that the crawl did not read, at most."""


@dataclass
class Rows:
    """``groups``: a matrix of features by group of the classifier."""

    blogs: np.ndarray
    labels: np.ndarray
    with_site: np.ndarray
    by_rule: np.ndarray
    lacking: np.ndarray
    groups: list[np.ndarray]
    data: list[dict[str, Any]]

    def only(self, keep: np.ndarray) -> Rows:
        groups = [group[keep] for group in self.groups]
        data = [row for row, kept in zip(self.data, keep, strict=True) if kept]
        by_rule, lacking = self.by_rule[keep], self.lacking[keep]
        blogs, labels, with_site = self.blogs[keep], self.labels[keep], self.with_site[keep]
        return Rows(blogs, labels, with_site, by_rule, lacking, groups, data)


def read_rows(path: Path, names: Sequence[str]) -> Rows:
    """Read the rows that a barrier has not decided."""
    with path.open(encoding="utf-8") as lines:
        data = [row for row in map(json.loads, lines) if row["barrier"] is None]
    index = {name: i for i, name in enumerate(names)}
    groups = [np.zeros((len(data), len(names))) for _ in data[0]["groups"]]
    for at, row in enumerate(data):
        for group, values in zip(groups, row["groups"], strict=True):
            for name, value in values.items():
                group[at, index[name]] = value
    return Rows(
        np.array([row["blog"] for row in data]),
        np.array([row["label"] for row in data], dtype=float),
        np.array([row["site"] for row in data], dtype=bool),
        np.array([row["by_rule"] for row in data], dtype=bool),
        np.array([classifier.lacks_field(row["groups"][0]) for row in data], dtype=bool),
        groups,
        data,
    )


def weights_of(rows: Rows) -> np.ndarray:
    """Weigh rows: up to ``MOST`` of a blog and class fully, both classes alike."""
    keys = list(zip(rows.blogs, rows.labels, rows.with_site, strict=True))
    counts = Counter(keys)
    weights = np.array([min(1.0, MOST / counts[key]) for key in keys])
    weights *= np.where(rows.with_site, 1.0, WITHOUT_SITE)
    for label in (0.0, 1.0):
        weights[rows.labels == label] *= len(rows.labels) / weights[rows.labels == label].sum() / 2
    return weights


@dataclass
class Model:
    intercept: float
    weights: np.ndarray

    def log_odds(self, rows: Rows, sure: float) -> np.ndarray:
        return self.intercept + self.asked(rows, sure) @ self.weights

    def asked(self, rows: Rows, sure: float) -> np.ndarray:
        """Return the features that are read: of groups until the sum is ``sure``, of what lacks a
        field all but where it is no post."""
        total, is_open = np.zeros_like(rows.groups[0]), np.ones(len(rows.labels), dtype=bool)
        for group in rows.groups:
            total[is_open] += group[is_open]
            odds = self.intercept + total @ self.weights
            is_sure = (odds <= -sure) | ((odds >= sure) & ~rows.lacking)
            is_open &= ~(rows.by_rule & is_sure)
        return total


def fit_once(features: np.ndarray, rows: Rows, prior: np.ndarray, cost: float) -> Model:
    """Fit a logistic regression with the signs of ``prior`` and a penalty of 1 / ``cost`` on what
    differs from it.
    """
    together = np.column_stack((2 * rows.labels - 1, features))
    alike, place = np.unique(together, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights_of(rows))
    targets, features = alike[:, 0], np.ascontiguousarray(alike[:, 1:])

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        margin = targets * (x[0] + features @ x[1:])
        slope = -weights * targets * expit(-margin)
        off = x[1:] - prior
        value = (weights * np.logaddexp(0, -margin)).sum() + off @ off / (2 * cost)
        return value, np.concatenate(([slope.sum()], features.T @ slope + off / cost))

    bounds = [(None, None), *((0, None) if known > 0 else (None, 0) for known in prior)]
    start = np.concatenate(([0.0], prior))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return Model(found.x[0], found.x[1:])


def fit_rounds(rows: Rows, prior: np.ndarray, cost: float, sure: float) -> Model:
    model = fit_once(np.sum(rows.groups, axis=0), rows, prior, cost)
    for _ in range(ROUNDS - 1):
        model = fit_once(model.asked(rows, sure), rows, prior, cost)
    return model


def leave_blogs_out(rows: Rows, prior: np.ndarray, cost: float, sure: float) -> np.ndarray:
    """Return the log-odds of each row by a model of other blogs."""
    names = sorted(set(rows.blogs))
    random.Random(1).shuffle(names)
    out = np.zeros(len(rows.labels))
    for fold in range(FOLDS):
        held = np.isin(rows.blogs, names[fold::FOLDS])
        if held.any():
            model = fit_rounds(rows.only(~held), prior, cost, sure)
            out[held] = model.log_odds(rows.only(held), sure)
    return out


def without_unlabelled(rows: Rows, odds: np.ndarray) -> np.ndarray:
    """Return which rows stay: of blogs whose gold data are a part of their posts not the pages that
    models of other blogs take for further posts.
    """
    further = rows.with_site & (rows.labels == 0) & (odds >= 0)
    found = Counter(rows.blogs[further])
    posts = Counter(rows.blogs[rows.with_site & (rows.labels == 1)])
    partial = {blog for blog, count in found.items() if count > PARTIAL * posts[blog]}
    pages = {
        (row["blog"], row["url"])
        for row, is_further in zip(rows.data, further, strict=True)
        if is_further and row["blog"] in partial
    }
    return np.array([row["label"] or (row["blog"], row["url"]) not in pages for row in rows.data])


def figures(rows: Rows, odds: np.ndarray) -> dict[str, dict[str, float]]:
    """Return AUC, and precision and recall of "post", with what is known of the site and without;
    rows weighed as in the fit.
    """
    out = {}
    for name, part in (("with site", rows.with_site), ("page alone", ~rows.with_site)):
        chosen = rows.only(part)
        weights, labels, said = weights_of(chosen), chosen.labels, odds[part] >= 0
        right = (weights * labels * said).sum()
        out[name] = {
            "pages": int(part.sum()),
            "posts": int(labels.sum()),
            "AUC": round(float(roc_auc_score(labels, odds[part], sample_weight=weights)), 3),
            "precision": round(float(right / (weights * said).sum()), 3),
            "recall": round(float(right / (weights * labels).sum()), 3),
        }
    return out


def calibration(
    rows: Rows, odds: np.ndarray, part: np.ndarray, bins: int = 10
) -> list[tuple[float, float, int]]:
    """Return the mean probability, the share of posts and the pages, by tenth of probability."""
    chosen, said = rows.only(part), expit(odds[part])
    weights = weights_of(chosen)
    places = np.minimum((said * bins).astype(int), bins - 1)
    out = []
    for place in range(bins):
        held = places == place
        if held.any():
            share = weights[held] / weights[held].sum()
            means = (said[held] @ share, chosen.labels[held] @ share)
            out.append((float(means[0]), float(means[1]), int(held.sum())))
    return out


SIZE, MARGIN = 300, 40
COLOURS = {"with site": "#1f5fa8", "page alone": "#c0661c"}


def picture(curves: Mapping[str, Sequence[tuple[float, float, int]]]) -> str:
    """Draw calibration curves as SVG: predicted probability against share of posts."""

    def at(x: float, y: float) -> str:
        return f"{MARGIN + x * SIZE:.1f},{MARGIN + (1 - y) * SIZE:.1f}"

    full = SIZE + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {full}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{full}" height="{full}" fill="white"/>',
        f'<polyline points="{at(0, 1)} {at(0, 0)} {at(1, 0)}" fill="none" stroke="black"/>',
        f'<polyline points="{at(0, 0)} {at(1, 1)}" stroke="#bbb" stroke-dasharray="4"/>',
    ]
    for tick in (0.0, 0.5, 1.0):
        x, y = at(tick, 0).split(",")
        out.append(f'<text x="{x}" y="{float(y) + 15}" text-anchor="middle">{tick}</text>')
        x, y = at(0, tick).split(",")
        out.append(f'<text x="{float(x) - 6}" y="{y}" text-anchor="end">{tick}</text>')
    middle = full / 2
    out.append(f'<text x="{middle}" y="{full - 6}" text-anchor="middle">probability said</text>')
    out.append(f'<text x="{middle}" y="20" text-anchor="middle">share of posts</text>')
    for row, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[name]
        points = " ".join(at(x, y) for x, y, _ in curve)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for said, share, pages in curve:
            cx, cy = at(said, share).split(",")
            title = f"{said:.2f} said, {share:.2f} posts, {pages} pages"
            out.append(
                f'<circle cx="{cx}" cy="{cy}" r="3" fill="{colour}"><title>{title}</title></circle>'
            )
        x, y = at(0.62, 0.2 - 0.06 * row).split(",")
        out.append(f'<text x="{x}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command()
@click.option("--corpus", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--tools", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--map", "served", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--ids", default="", help="Blogs, with commas; all of them if empty.")
def collect(corpus: Path, tools: Path, served: Path, out: Path, ids: str) -> None:
    """Crawl the blogs from the server of the corpus and write a row per page and kind of site
    knowledge.
    """
    sys.path.insert(0, str(tools))
    score = import_module("score")
    urls: dict[str, str] = json.loads(served.read_text("utf-8"))
    with out.open("w", encoding="utf-8") as rows:
        for blog in ids.split(",") if ids else sorted(urls):
            for row in _crawled(corpus / blog, urls[blog], score):
                rows.write(json.dumps({"blog": blog, **row}) + "\n")


def _crawled(folder: Path, url: str, score: ModuleType) -> Iterator[dict[str, Any]]:
    """Yield the rows of one blog, each page once, with its label."""
    site = folder / "site"
    lists = ("gold.jsonl", "gold_unreachable.jsonl", "gold_duplicates.jsonl")
    entries = [entry for name in lists for entry in score.read_lines(folder / name)]
    gold = {entry["path"].lstrip("/") for entry in entries if entry.get("path")}
    meta = json.loads((folder / "blog.json").read_text("utf-8"))
    is_given = meta.get("feed_autodiscovery") is False and meta.get("main_feed")
    feed = ["--feed", urljoin(url, meta["main_feed"])] if is_given else []
    with tempfile.TemporaryDirectory() as work:
        log = Path(work, "rows")
        command = [
            sys.executable,
            __file__,
            "crawl",
            str(log),
            str(site),
            f"{work}/archive",
            url,
            *feed,
        ]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = {(row["url"], row["site"]): row for row in score.read_lines(log)}
    for row in rows.values():
        name = score.site_file(site, row["url"])
        named = score.canonical_of(site, name) if name else None
        yield {**row, "label": not gold.isdisjoint({name, named} - {None})}


@main.command(hidden=True)
@click.argument("log", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("archive")
@click.argument("url")
@click.option("--feed")
def crawl(log: Path, folder: Path, archive: str, url: str, feed: str | None) -> None:
    """Crawl URL in this process, log the features of the pages that are classified and of UNREAD
    others.
    """
    seen: set[str] = set()
    known: list[Site] = []
    with log.open("w", encoding="utf-8") as rows:

        def write(page: Page, site: Site) -> None:
            for each in (site, Site(home=site.home)) if site.found is not None else (site,):
                row = {
                    "url": page.url,
                    "site": each is site and site.found is not None,
                    "by_rule": each.is_read_by_rule(),
                    "barrier": classifier.barrier(page, each),
                    "groups": classifier.features(page, each),
                }
                rows.write(json.dumps(row) + "\n")

        def logged(page: Page, site: Site = classifier.UNKNOWN) -> classifier.Verdict:
            write(page, site)
            seen.add(page.url)
            if site.found is not None:
                known[:] = [site]
            return classifier.classify(page, site)

        for module in (model, learning):
            vars(module)["classify"] = logged
        options = ["--delay", "0", "--render", "never", "--contact", "training@example.org"]
        sys.argv = ["blogcrawl", "crawl", "-a", archive, *options, url]
        sys.argv += ["--feed", feed] if feed else []
        with suppress(SystemExit):
            run()
        for page in _unread(folder, url, seen):
            site = known[0] if known else Site(home=canonicalize(url))
            found = chain.gather(page, site.ruleset) if known else None
            write(page, replace(site, listed=False, found=found))


def _unread(folder: Path, url: str, seen: Set[str]) -> Iterator[Page]:
    """Yield pages of the site that the crawl did not read."""
    root = urljoin(url, "/")
    files = (path for path in folder.rglob("*") if path.suffix in (".html", ".htm", ""))
    urls = [root + quote(str(path.relative_to(folder))) for path in files if path.is_file()]
    others = sorted({one.removesuffix("index.html") for one in urls} - seen)
    for one in random.Random(1).sample(others, min(UNREAD, len(others))):
        with suppress(OSError), urlopen(one, timeout=20) as answer:
            kind = answer.headers.get("content-type", "")
            if "html" in kind:
                yield Page(url=answer.url, body=answer.read(), headers={"content-type": kind})


@main.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=TABLE)
@click.option("--picture", "drawing", type=click.Path(path_type=Path))
@click.option("--cost", default=0.1, help="Inverse of the L2 penalty.")
@click.option("--sure", default=2.5, help="Log-odds from which no further group is read.")
@click.option("--data", default="", help="What the rows come from, for the card.")
@click.option("--date", default="", help="For the card.")
def fit(
    source: Path, out: Path, drawing: Path | None, cost: float, sure: float, data: str, date: str
) -> None:
    """Fit the weights on SOURCE, print and store the figures."""
    table = json.loads(TABLE.read_text("utf-8"))
    names = list(table["rows"])
    prior = np.array([row["prior"] for row in table["rows"].values()])
    rows = read_rows(source, names)
    keep = without_unlabelled(rows, leave_blogs_out(rows, prior, cost, sure))
    kept = rows.only(keep)
    odds = leave_blogs_out(kept, prior, cost, sure)
    shown = figures(kept, odds)
    model = fit_rounds(kept, prior, cost, sure)
    curves = {
        name: calibration(kept, odds, part)
        for name, part in (("with site", kept.with_site), ("page alone", ~kept.with_site))
    }
    table["intercept"], table["sure"] = round(float(model.intercept), 3), sure
    for row, weight in zip(table["rows"].values(), model.weights, strict=True):
        row["weight"] = round(float(weight), 3)
    table["card"] = {
        "model": "logistic regression, L2 penalty, signs of weights given",
        "command": "python training/page_classifier.py fit ROWS",
        "data": data,
        "date": date,
        "blogs": len(set(rows.blogs)),
        "left out as unlabelled posts": int((~keep & rows.with_site).sum()),
        "inverse penalty": cost,
        "of other blogs": shown,
        "calibration": {
            name: [[round(x, 3), round(y, 3), pages] for x, y, pages in curve]
            for name, curve in curves.items()
        },
    }
    out.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if drawing is not None:
        drawing.write_text(picture(curves), "utf-8")
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
