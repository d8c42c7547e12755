"""The machines: shipped, evaluated by numpy, trained the same way twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from blogcrawl.contrib.svm import (
    ARRAYS,
    MODEL,
    NAMES,
    Machine,
    SvmExtractor,
    classify,
    machines,
    of_arrays,
)
from blogcrawl.contrib.svm_features import (
    BODY_BOXES,
    BODY_FEATURES,
    TITLE_BOXES,
    TITLE_FEATURES,
    body_candidates,
    title_candidates,
)
from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.text.visible import node_text
from training.pages import LABEL, make_pages
from training.svm import COST, GAMMA, by_feed, collect, fit, labelled, main, synthetic, train

ROOT = Path(__file__).resolve().parents[2]
HELD_OUT = 4242
"""Seed of templates that no machine was trained on."""


def test_shipped_model_is_small_and_plain_data() -> None:
    file = files("blogcrawl.contrib") / MODEL
    assert len(file.read_bytes()) < 1 << 20
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
        assert set(data) == {f"{name}_{array}" for name in NAMES for array in ARRAYS}
        assert all(data[name].dtype == np.float32 for name in data)
    card = (files("blogcrawl.contrib") / "models" / "svm.md").read_text("utf-8")
    assert "seed" in card.lower() and "trained on" in card.lower()


def test_model_matches_the_features() -> None:
    widths = {name: len(machine.mean) for name, machine in machines().items()}
    assert widths == {
        "title": len(TITLE_FEATURES),
        "body": len(BODY_FEATURES),
        "title_boxes": len(TITLE_FEATURES) + len(TITLE_BOXES),
        "body_boxes": len(BODY_FEATURES) + len(BODY_BOXES),
    }


def test_decision_equals_that_of_the_trained_model() -> None:
    from sklearn.svm import SVC

    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 5)).clip(-2, 2)
    y = (x[:, 0] * x[:, 1] > 0).astype(int)
    arrays = fit(x.tolist(), y.tolist())
    machine = Machine(
        *(arrays[name] for name in ARRAYS[:4]), float(arrays["gamma"]), float(arrays["offset"])
    )
    z = np.clip((x - x.mean(0)) / x.std(0), -3, 3)
    wanted = SVC(C=COST, gamma=GAMMA, class_weight="balanced").fit(z, y).decision_function(z)
    assert np.allclose(machine.decide(x.tolist()), wanted, atol=1e-3)
    assert machine.decide([]) == []


def test_title_and_body_are_found_on_unseen_templates() -> None:
    right = {"title": 0, "body": 0}
    pages = [found for found in synthetic(make_pages(HELD_OUT, 20, 3)) if len(found[2]) == 1]
    for page, titles, bodies in pages:
        found = classify(page)
        right["title"] += found.titles[0][0] in titles
        right["body"] += found.bodies[0][0] in bodies
    assert right["title"] >= 0.93 * len(pages)
    assert right["body"] >= 0.93 * len(pages)


def test_labels_leave_no_trace_in_the_tree() -> None:
    url, html = make_pages(1, 1, 1)[0]
    page, titles, bodies = labelled(Page(url=url, body=html.encode()))
    assert LABEL in html and titles and bodies
    assert not page.tree.xpath(f"//*[@{LABEL}]")


def test_training_twice_gives_the_same_arrays(tmp_path: Path) -> None:
    sizes = [train(tmp_path / f"{n}.npz", templates=6, seed=3) for n in range(2)]
    assert sizes[0] == sizes[1] and set(sizes[0].sizes) == {"title", "body"}
    one, two = (np.load(tmp_path / f"{n}.npz", allow_pickle=False) for n in range(2))
    assert set(one) == set(two) and all(np.array_equal(one[name], two[name]) for name in one)
    other = train(tmp_path / "other.npz", templates=6, seed=4)
    assert other != sizes[0] or not np.array_equal(
        np.load(tmp_path / "other.npz")["title_vectors"], one["title_vectors"]
    )


def test_the_trainer_writes_a_small_model_and_prints_its_figures(tmp_path: Path) -> None:
    model = tmp_path / "svm.npz"
    done = CliRunner().invoke(main, ["--out", str(model), "--templates", "4"])
    assert done.exit_code == 0, done.output
    figures = json.loads(done.output)
    assert set(figures["support_vectors"]) == {"title", "body"}
    assert 1000 < figures["bytes"] == model.stat().st_size < 1_000_000
    assert figures["posts"] == 0 and figures["right"]["body"] > 0.5


@pytest.mark.slow
@pytest.mark.by_hand
def test_shipped_model_is_reproduced_by_its_cards_command(tmp_path: Path) -> None:
    """A change of a feature, the walk over blocks or the synthetic pages needs a new model:
    ``python training/svm.py``.
    """
    command = [
        sys.executable,
        *"training/svm.py --templates 400 --seed 1 --out".split(),
        str(tmp_path / "svm.npz"),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT
    )  # in a child, whose memory goes with it
    assert min(json.loads(done.stdout)["right"].values()) >= 0.97
    fresh = of_arrays(np.load(tmp_path / "svm.npz", allow_pickle=False))
    for name, machine in fresh.items():
        shipped = machines()[name]
        assert len(machine.vectors) == pytest.approx(
            len(shipped.vectors), rel=0.002
        )  # libraries of algebra round differently
        assert np.allclose(machine.mean, shipped.mean, atol=1e-4) and np.allclose(
            machine.scale, shipped.scale, atol=1e-4
        )


def test_feed_entry_labels_its_page() -> None:
    url, html = make_pages(5, 1, 1)[0]
    plain, titles, bodies = labelled(Page(url=url, body=html.encode()))
    elements = blocks_of(plain).elements
    title, text = node_text(elements[min(titles)]), node_text(elements[min(bodies)])
    found = by_feed(Page(url=url, body=html.encode()), title, text)
    assert found is not None
    assert found[2] == bodies and titles <= found[1]
    assert by_feed(Page(url=url, body=html.encode()), title, "quite another text " * 30) is None


def test_training_rows_match_prediction_features() -> None:
    pages = list(synthetic(make_pages(9, 2, 2)))
    sets = collect(pages, False, random.Random(0))
    page, titles, _bodies = pages[0]
    rows = title_candidates(page, None).rows
    assert sets["title"][0][0] in rows
    assert all(
        len(row) == len(BODY_FEATURES) for row in body_candidates(page, None, sorted(titles)).rows
    )


def test_rendered_page_uses_layout_boxes() -> None:
    url, html = make_pages(7, 1, 1)[0]
    plain = Page(url=url, body=html.encode())
    tree = plain.tree.getroottree()
    boxes = {
        tree.getpath(element): (100.0, 20.0 * i, 600.0, 30.0)
        for i, element in enumerate(blocks_of(plain).elements)
    }
    shown = Page(url=url, body=html.encode(), rendered=True, boxes=boxes)
    assert classify(shown).titles != classify(plain).titles
    fields = SvmExtractor().extract(shown)
    assert fields is not None and fields["content"]


@pytest.mark.parametrize(
    "body", [b"", b"<p>x</p>", b"<html><body></body></html>", b"<body>" + b"<div>" * 1500 + b"x"]
)
def test_odd_pages_are_survived(body: bytes) -> None:
    page = Page(url="https://x.example/", body=body)
    SvmExtractor().extract(page)
