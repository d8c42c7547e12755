"""Selectors: the table look-up and the XPath must return the same, whatever the markup says."""

from __future__ import annotations

import json
from collections import Counter
from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec import convert, to_builtins

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.selectors import quote, selectors
from blogcrawl.induction.apply import compiled, finder, label_of
from blogcrawl.induction.ruleset import Rule, RuleSet
from blogcrawl.induction.site_facts import AuthorFacts, SiteFacts
from blogcrawl.text.similarity import tokens

labels = st.text("abpost-19'\"<&[](){}/@=* ", min_size=0, max_size=8)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    def markup(depth: int) -> str:
        tag = draw(st.sampled_from(["div", "p", "h1", "h2", "span", "article", "section"]))
        attributes = ""
        for name in draw(
            st.lists(st.sampled_from(["id", "class", "itemprop", "rel"]), unique=True, max_size=2)
        ):
            attributes += f' {name}="{escape(draw(labels))}"'
        inner = draw(st.sampled_from(["", "words", "more words here"]))
        for _ in range(draw(st.integers(0, 3)) if depth < 4 else 0):
            inner += markup(depth + 1) + draw(st.sampled_from(["", " a tail "]))
        return f"<{tag}{attributes}>{inner}</{tag}>"

    return Page(
        url="http://b.example/", body=f"<html><body>{markup(0)}{markup(0)}</body></html>".encode()
    )


@settings(max_examples=80, deadline=None)
@given(pages())
def test_every_selector_is_an_xpath_that_returns_the_same(page: Page) -> None:
    index = PageIndex(page)
    for i in range(len(index.tags)):
        for selector in selectors(index, i):
            found = etree.XPath(selector.xpath)(page.tree)
            by_xpath = [index.where[e] for e in found]
            assert selector.select(index) == by_xpath, selector.xpath
            assert list(finder(selector.xpath)(page.tree)) == found
            for part in page.tree.find("body"):
                assert list(finder("." + selector.xpath)(part)) == etree.XPath(
                    "." + selector.xpath
                )(part)
            assert i in by_xpath or selector.steps[0].tag == "html", selector.xpath


@settings(max_examples=60, deadline=None)
@given(
    pages(),
    *[
        st.sampled_from(
            ["div", "p[@id='a']", "span[starts-with(@id,'p')]", "section[@class='a']", "article"]
        )
    ]
    * 2,
)
def test_nested_elements_are_found_once_in_document_order(
    page: Page, outer: str, inner: str
) -> None:
    for xpath in (
        f"//{outer}//{inner}",
        f"//{outer} | //{inner}",
        "//p[@id='a'] | //p[@class='b']",
    ):
        found = etree.XPath(xpath)(page.tree)
        assert list(finder(xpath)(page.tree)) == found
        assert list(compiled(xpath)(page.tree)) == found


def test_rule_class_occurs_in_the_source_as_often_as_it_matches() -> None:
    word = "contains(concat(' ',normalize-space(@class),' '),' entry-text ')"
    assert label_of(f"//div[{word}]") == b"entry-text"
    assert label_of("//div[@id='main']//p[@itemprop='articleBody']") == b"articleBody"
    assert label_of("//div[starts-with(@id,'post-body-')]") == b"post-body-"
    assert label_of(f"//div[{word}]//p") is None  # one such div may hold many
    assert (
        label_of("//h1")
        is label_of("//p[@class='a b c d']")
        is label_of("//p[@id='p']")
        is label_of("/html/body[1]/div[2]")
        is None
    )


@settings(max_examples=60, deadline=None)
@given(pages())
def test_words_of_a_node_include_its_childrens(page: Page) -> None:
    index = PageIndex(page)
    for i, element in enumerate(index.elements):
        if element.tag == "head":
            continue
        inner = [j for j in range(i + 1, index.end[i]) if index.parent[j] == i]
        own = tokens(" ".join([element.text or "", *(child.tail or "" for child in element)]))
        assert Counter(index.words[index.first[i] : index.last[i]]) == sum(
            (Counter(index.words[index.first[j] : index.last[j]]) for j in inner), Counter(own)
        )
        assert all(
            index.first[i] <= index.first[j] <= index.last[j] <= index.last[i] for j in inner
        )


@settings(max_examples=60, deadline=None)
@given(pages(), st.sampled_from([{"here"}, {"words", "tail"}, {"nothing"}]), st.integers(1, 12))
def test_short_elements_are_found_by_their_words(
    page: Page, wanted: set[str], longest: int
) -> None:
    index = PageIndex(page)
    stretches = [index.words[a:b] for a, b in zip(index.first, index.last, strict=True)]
    held = [
        i
        for i, words in enumerate(stretches)
        if i >= index.body and len(words) <= longest and wanted & set(words)
    ]
    assert index.holding(wanted, longest) == held


XML = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"
)


@given(st.text("'\"[]()/@ab ", max_size=20) | st.text(XML, max_size=20))
def test_quotes_cannot_break_an_xpath(text: str) -> None:
    assert etree.XPath(f"string({quote(text)})")(etree.Element("a")) == text


def test_numbered_ids_give_a_prefix_rule() -> None:
    index = PageIndex(
        Page(
            url="http://b.example/",
            body=b'<div id="post-1337" class="hentry post-1337"><p>text</p></div>',
        )
    )
    found = {selector.xpath for selector in selectors(index, index.by_id["post-1337"][0])}
    assert "//div[starts-with(@id,'post-')]" in found


@given(
    st.builds(Rule, **{**dict.fromkeys(Rule.__struct_fields__, ...), "mean_score": st.floats(0, 1)})
)
def test_rules_survive_json(rule: Rule) -> None:
    ruleset = RuleSet(
        rules={rule.field: (rule,)},
        facts=SiteFacts(authors=AuthorFacts(usual=["Ann"])),
        language="de",
        samples=3,
        methods={"x": [1]},
    )
    assert convert(json.loads(json.dumps(to_builtins(ruleset))), RuleSet) == ruleset
