"""Line numbers of code, in the markup of highlighters of all kinds."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.content import line_numbers
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.content.line_numbers import drop_line_numbers


def text_of(markup: str) -> list[str]:
    root = lxml.html.fragment_fromstring(markup, create_parent="div")
    drop_line_numbers(root)
    return " ".join(root.itertext()).split()


CODE = "<code>let a = 7\nlet b = 8\nlet c = 9</code>"


@pytest.mark.parametrize(
    "markup",
    [
        f"<table><tr><td><pre><span>1</span>\n<span>2</span>\n<span>3</span></pre></td>"
        f"<td><pre>{CODE}</pre></td></tr></table>",
        f"<table><tr><td><pre><span>1</span><br><span>2</span><br><span>3</span><br></pre></td>"
        f"<td><pre>{CODE}</pre></td></tr></table>",
        f"<div><pre>41\n42\n43\n</pre><pre>{CODE}</pre></div>",
        f"<div><div><b>1</b><b>2</b><b>3</b></div><pre>{CODE}</pre></div>",
        "<table><tr><td><div><p>1</p><p>2</p><p>3</p></div></td>"
        "<td class=x-code><p>let a = 7</p><p>let b = 8</p><p>let c = 9</p></td></tr></table>",
        "<pre><code><span class=line><span class=ln>1</span><span>let a = 7\n</span></span>"
        "<span class=line><span class=ln>2</span><span>let b = 8\n</span></span>"
        "<span class=line><span class=ln>3</span><span>let c = 9\n</span></span></code></pre>",
        "<pre><span class=lineno>1 </span>let a = 7\n<span class=lineno>2 </span>let b = 8\n"
        "<span class=lineno>3 </span>let c = 9</pre>",
    ],
)
def test_line_numbers_of_code_are_dropped(markup: str) -> None:
    assert text_of(markup) == "let a = 7 let b = 8 let c = 9".split()


def test_name_of_the_language_before_code_is_dropped() -> None:
    """As VitePress writes it; other words before code stay."""
    button = '<button title="Copy Code" class=copy></button>'
    box = "<div class='language-{} vp-box'>{}<span class=lang>{}</span><pre>{}</pre></div>"
    page = Page(url="http://b.example/", body=b"<body></body>")
    go = box.format("go", button, "go", CODE)
    assert clean_content(go, page).text == "let a = 7\nlet b = 8\nlet c = 9"
    assert clean_content(f"<p>go</p>{go}", page).text.startswith("go\nlet")
    assert clean_content(box.format("js", button, "file.js", CODE), page).text.startswith("file.js")


def test_single_line_number_is_dropped_only_in_code() -> None:
    markup = "<table><tr><td><pre>1</pre></td><td><pre>ls</pre></td></tr></table>"
    assert text_of(markup) == ["ls"]


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>1</td><td><code>ls</code></td></tr><tr><td>2</td><td>cd</td></tr></table>",
        "<p>1 2 3</p><pre>ls</pre>",
        "<pre>[<span class=n>1</span>, <span class=n>2</span>, <span class=n>3</span>]</pre>",
        "<pre><span class=n>1</span>\n<span class=n>2</span>\n<span class=n>3</span></pre>",
        "<table><tr><td>1 2 3</td><td>4 5 6</td></tr></table>",
        "<div><pre>1 2 4</pre><pre>ls</pre></div>",
    ],
)
def test_numbers_other_than_line_numbers_are_kept(markup: str) -> None:
    root = lxml.html.fragment_fromstring(markup, create_parent="div")
    assert text_of(markup) == " ".join(root.itertext()).split()


@pytest.mark.parametrize(
    ("markup", "read"),
    [
        ("<table>" + "<tr><td>1 2</td><td>3</td></tr>" * 40 + "</table>", 0),
        ("<table><tr><td>" * 40 + "1 2</td><td><code>ls</code>", 1),
    ],
)
def test_only_cells_next_to_code_are_read_and_none_twice(
    markup: str, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[object] = []
    monkeypatch.setattr(line_numbers, "_is_count", lambda numbers: texts.append(numbers))
    text_of(markup)
    assert len(texts) == read


def test_comment_of_the_markup_between_numbers_and_code() -> None:
    cells = f"<td><pre>1\n2\n3</pre></td><!-- the code --><td><pre>{CODE}</pre></td>"
    assert text_of(f"<table><tr>{cells}</tr></table>")[-4:] == ["let", "c", "=", "9"]
