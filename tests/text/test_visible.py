"""Text of trees: the fast way and the one without a limit of depth say the same."""

from __future__ import annotations

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from blogcrawl.core.page import fragment
from blogcrawl.text import visible
from blogcrawl.text.visible import (
    Texts,
    _marked,
    _pieces,
    is_longer,
    node_text,
    paragraphs,
    squeeze,
)

MARKUP = [
    "<div>a<b>b</b> c<p>d</p>e<br>f</div>",
    "<div><pre>x = 1\n  y\t= 2\n\n   <b>z</b>\n</pre>after\n  it</div>",
    "<div>a<script>no</script>b<style>no</style><!-- no -->c<noscript>no</noscript>d</div>",
    "<table><tr><td>1</td><td>2</td></tr></table>",
    "<p>zero\u200bwidth\xa0nbsp\u3000wide</p>",
    "<ul><li>a<ul><li>b</li></ul></li></ul>",
    "<div><pre>a</pre><pre>b <span>c</span></pre> d</div>",
]


@pytest.mark.parametrize("markup", MARKUP)
@pytest.mark.parametrize("keep_pre", [False, True])
def test_both_text_walks_agree(markup: str, keep_pre: bool) -> None:
    element = lxml.html.fragment_fromstring(f"<div>{markup * 20}</div>")
    assert _marked(element, keep_pre=keep_pre) == "".join(_pieces(element, keep_pre=keep_pre))


def test_code_indentation_is_kept_in_paragraphs() -> None:
    element = lxml.html.fragment_fromstring(
        "<div><p>one\n two</p><pre>if x:\n\n    y\n\tz  \n</pre>end</div>"
    )
    assert paragraphs(element) == "one two\nif x:\n    y\n\tz\nend"
    assert node_text(element) == "one two if x: y z end"


@pytest.mark.parametrize("code", ["    four blanks", "\ttab", "a  b", "  both\tof them"])
def test_code_white_space_of_any_kind_is_kept(code: str) -> None:
    assert paragraphs(lxml.html.fromstring(f"<div><p>x</p><pre>{code}</pre></div>")) == f"x\n{code}"


def test_nesting_deeper_than_libxslt_is_read() -> None:
    element = lxml.html.fragment_fromstring("<p>deep <b>words</b></p>")
    for _level in range(6000):
        outer = lxml.html.Element("div")
        outer.append(element)
        element = outer
    assert paragraphs(element) == node_text(element) == "deep words"


@given(st.text("ab \n\t\r\xa0\u2003\u3000\u200b'é", max_size=40))
def test_white_space_of_any_kind_becomes_one_space(text: str) -> None:
    element = lxml.html.Element("div")
    element.text = text
    assert paragraphs(element) == " ".join(text.split()).strip(" \u200b")


def test_hidden_root_is_read_on_request() -> None:
    assert node_text(lxml.html.fragment_fromstring("<textarea>words</textarea>")) == "words"


def test_tail_is_not_part_of_a_node() -> None:
    root = lxml.html.fragment_fromstring("<div><p>in</p>out</div>")
    assert node_text(root[0]) == "in"


def test_soft_hyphens_are_no_text_but_in_code() -> None:
    """Where words may be broken: browsers show nothing there, and whoever looks for the word would
    not find it."""
    body = fragment("<h1>Donau&shy;dampf&shy;schiff</h1><p>Ein Wort: Segel&shy;boot.</p>")
    assert paragraphs(body) == "Donaudampfschiff\nEin Wort: Segelboot."
    assert node_text(body[0]) == squeeze("Donau\xaddampf\xadschiff") == "Donaudampfschiff"
    assert paragraphs(fragment("<pre>a\xadb</pre>")) == "a\xadb"


def test_spaces_without_width_at_the_ends_are_no_text() -> None:
    """VitePress ends each heading with a link of one, which its style sheet shows as "#"."""
    heading = fragment('<h1>川と橋 <a href="#a" class="go">\u200b</a></h1>')
    assert node_text(heading) == squeeze("\ufeff川と橋 \u200b") == "川と橋"
    assert squeeze("ไป\u200bบ้าน\u200b") == "ไป\u200bบ้าน"
    assert squeeze("words " * 99 + "\u200b") == squeeze("words " * 99)


def test_white_space_is_squeezed() -> None:
    assert squeeze(None) == squeeze(" \n\t") == ""
    assert squeeze(" a\xa0\n b ") == "a b"


@pytest.mark.parametrize(
    "words",
    ["plain words ", "\tsome\n\x0bmore\x1f ", "Слова\u2003и\u3000字\x85", "    indented = 1\n"],
)
def test_long_texts_are_squeezed_like_short_ones(words: str) -> None:
    assert squeeze(words * 99) == " ".join((words * 99).split())


@pytest.mark.parametrize("count", [3, 14, 15, 16, 17, 40])
def test_small_and_large_elements_give_the_same_text(count: int) -> None:
    row = "<p>a<b>b</b>c<!-- no --><script>no</script></p> d<br>"
    element = lxml.html.fragment_fromstring(f"<div>{row * count}</div>")
    assert node_text(element) == " ".join(["abc d"] * count)


@given(st.lists(st.text("a \n\xa0", max_size=4), max_size=6), st.integers(0, 8))
def test_length_equals_that_of_the_text(texts: list[str], characters: int) -> None:
    element = lxml.html.Element("div")
    for place, text in enumerate(texts):
        inner = lxml.html.Element("p" if place % 2 else "b")
        inner.text, inner.tail = text, text[:2]
        element.append(inner)
    assert is_longer(element, characters) == (len(node_text(element)) > characters)


NESTED = st.recursive(
    st.sampled_from(["", "a", " b ", "c d", "<br>", "<!-- x -->", "<script>s</script>"]),
    lambda inner: st.builds(
        lambda tag, parts, after: f"<{tag}>{''.join(parts)}</{tag}>{after}",
        st.sampled_from(["div", "span", "b", "pre", "button", "li"]),
        st.lists(inner, max_size=4),
        st.sampled_from(["", " ", "t"]),
    ),
    max_leaves=40,
)


@given(st.lists(NESTED, min_size=8, max_size=12), st.booleans())
def test_texts_of_a_tree_equal_those_of_its_nodes(parts: list[str], is_inward: bool) -> None:
    root = lxml.html.fragment_fromstring("".join(parts), create_parent="div")
    elements, texts = list(root.iter()), Texts()
    for element in elements if is_inward else reversed(elements):
        assert texts.of(element) == node_text(element)


@given(st.lists(NESTED, max_size=3), st.integers(0, 8))
def test_length_of_a_tree_equals_that_of_its_text(parts: list[str], characters: int) -> None:
    root = lxml.html.fragment_fromstring("".join(parts), create_parent="div")
    for element in root.iter():
        assert is_longer(element, characters) == (len(node_text(element)) > characters)


def test_nested_boxes_share_their_text() -> None:
    root = lxml.html.fragment_fromstring("<div>" * 100 + "words" * 100_000 + "<i>.</i>" * 20)
    texts = Texts()
    assert {len(texts.of(element)) for element in root.iter("div")} == {500_020}
    assert len({id(text) for text in texts._known.values()}) == 1


def test_texts_of_small_boxes_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    element = lxml.html.fragment_fromstring("<div><p>Yes, <b>so</b> it is.</p></div>")
    texts, read = Texts(), visible._few
    boxes: list[object] = []

    def counted(node: HtmlElement, pieces: list[str], left: int, mark: str = " ") -> int:
        boxes.append(node)
        return read(node, pieces, left, mark)

    monkeypatch.setattr(visible, "_few", counted)
    assert {texts.of(box) for box in (element, element[0]) * 3} == {"Yes, so it is."}
    assert len(boxes) == 1


def test_texts_are_read_anew_where_an_element_was_removed() -> None:
    root = lxml.html.fragment_fromstring(
        "<div><p><b>Ann</b> <i>says</i></p><p><b>no</b> change</p></div>"
    )
    texts = Texts()
    first, second = root
    assert texts.of(root) == "Ann says no change"
    assert (texts.of(first), texts.of(second)) == ("Ann says", "no change")
    first[0].drop_tree()
    texts.forget(first)
    assert (texts.of(first), texts.of(second)) == ("says", "no change")
    assert texts.of(root) == "says no change"
