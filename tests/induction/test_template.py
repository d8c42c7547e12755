"""What recurs over the pages of a blog is the template's."""

from __future__ import annotations

import json

import pytest

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.induction.template import TemplateModel

MENU = "<ul><li>Home</li><li>About the writer</li></ul>"
LICENCE = "<div>These letters may be copied as long as their writer is named.</div>"


def page(body: str) -> PageIndex:
    return PageIndex(Page(url="http://b.example/", body=f"<html><body>{body}".encode()))


def own(model: TemplateModel, index: PageIndex) -> str:
    marks = model.own_words(index)
    return " ".join(word for word, mark in zip(index.words, marks, strict=True) if mark)


def test_words_of_recurring_blocks_are_excluded() -> None:
    pages = [page(f"{MENU}<p>Letter number {n} from the sea</p>") for n in range(4)]
    model = TemplateModel.of_pages(pages)
    assert own(model, pages[2]) == "letter number 2 from the sea"


def test_recurring_link_in_a_varying_line_is_template() -> None:
    pages = [
        page(f"<p>Filed under <a href='/t'>Travel</a> and seen {n} times</p>") for n in range(4)
    ]
    assert own(TemplateModel.of_pages(pages), pages[1]) == "and seen 1 times"


@pytest.mark.parametrize(("having", "is_template"), [(2, False), (3, True)])
def test_text_on_two_pages_may_be_a_quotation(having: int, is_template: bool) -> None:
    pages = [page(f"<p>Letter {n}</p>{LICENCE if n < having else ''}") for n in range(5)]
    assert bool(TemplateModel.of_pages(pages).parts(pages[0])) is is_template


@pytest.mark.parametrize(("pages", "is_template"), [(8, True), (9, False)])
def test_block_on_a_quarter_of_pages_is_post_content(pages: int, is_template: bool) -> None:
    series = [["contact"]] * 3 + [[f"text {n}"] for n in range(pages - 3)]
    model = TemplateModel.learn(series)
    assert model.share("contact") == 2 / (pages - 1)
    assert model.has("contact") is is_template


def test_parts_are_the_outermost_recurring_blocks() -> None:
    pages = [page(f"<section><p>Letter {n}</p>{LICENCE}</section>") for n in range(4)]
    model = TemplateModel.of_pages(pages)
    assert [pages[0].tags[i] for i in model.parts(pages[0])] == ["div"]


def test_short_heading_in_every_post_is_no_template() -> None:
    pages = [page(f"<h3>Ingredients</h3><p>{n} handfuls of flour</p>") for n in range(4)]
    assert not TemplateModel.of_pages(pages).parts(pages[0])


def test_neighbouring_short_lines_count_together() -> None:
    lines = "<p>Read this first.</p><p>Then subscribe.</p><p>It is free.</p><p>Thanks.</p>"
    pages = [page(f"{lines}<p>Letter {n}</p>") for n in range(4)]
    assert len(TemplateModel.of_pages(pages).parts(pages[0])) == 4


def test_json_keeps_the_blocks_of_the_template_only() -> None:
    model = TemplateModel.learn([[1, 2, 10 + n] if n < 3 else [1, 10 + n] for n in range(12)])
    again = TemplateModel.from_json(json.loads(json.dumps(model.to_json())))
    assert again.counts == {1: 12} and again.has(1) and not again.has(2)
    assert model.share(2) == 2 / 11


def test_untrained_model_has_no_template() -> None:
    assert not TemplateModel.from_json({}).has("contact")
