"""Dublin Core: each value once, with the language of its words."""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging.dc import blog_dc, entry_dc
from blogcrawl.packaging.xmltools import DC, XML_LANG
from tests.packaging.samples import BLOG, post


def values(root: etree._Element, name: str) -> list[str | None]:
    return [element.text for element in root.findall(f"{{{DC}}}{name}")]


def test_no_value_stands_twice() -> None:
    blog = replace(BLOG, licence=BLOG.rights, feeds=(BLOG.url + "feed",) * 2)
    changes = {"tags": ("one", "one ", "two", "One"), "authors": ("Ann", "Ann")}
    root = entry_dc(post(**changes), blog, "urn:x", "urn:y")
    pairs = [(element.tag, element.text) for element in root]
    assert len(pairs) == len(set(pairs))
    assert values(root, "subject") == ["one", "two"] and values(root, "rights") == ["© Ann"]
    assert len(values(blog_dc(blog, "urn:y"), "relation")) == 1


def test_span_of_a_blog_marks_what_is_approximate() -> None:
    blog = replace(BLOG, first_post=read_written("2012~"), last_post=read_written("2015-03-04"))
    assert values(blog_dc(blog, "urn:y"), "date") == ["2012~/2015-03-04"]


def test_words_have_their_language() -> None:
    root = entry_dc(post(language="pt-BR"), BLOG, "urn:x", "urn:y")
    tagged = {etree.QName(e).localname for e in root if e.get(XML_LANG) == "pt-BR"}
    assert tagged == {"title", "subject", "description"}
    assert values(root, "language") == ["pt-BR"]
    bare = entry_dc(post(language=None), BLOG, "urn:x", "urn:y")
    assert not any(e.get(XML_LANG) for e in bare)
