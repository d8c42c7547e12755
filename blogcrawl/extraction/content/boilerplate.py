"""Drop boilerplate from the posts of a blog without a feed: a press contact, a call to subscribe, a
licence, links to other posts. Only the series of pages shows that it belongs to no post.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import fragment
from blogcrawl.dom.index import PageIndex
from blogcrawl.induction.edge_boilerplate import Post, edges_of_posts
from blogcrawl.induction.template import TemplateModel


def without_boilerplate(contents: Sequence[str]) -> list[str]:
    """Return the HTML of posts, each less the blocks of the template; one that is nothing else
    stays as it is.
    """
    posts = [PageIndex(fragment(content)) for content in contents]
    template = TemplateModel.of_pages(posts)
    found = [[post.elements[i] for i in template.parts(post)] for post in posts]
    return [
        _dropped(post.elements[0], parts) if parts and parts[0] is not post.elements[0] else content
        for content, post, parts in zip(contents, posts, found, strict=True)
    ]


def without_outskirts(contents: Sequence[str], urls: Sequence[str]) -> list[str]:
    """Return the HTML of posts, each less what most of them have above and below their text and
    what leads to other pages.
    """
    trees = list(map(fragment, contents))
    edges = edges_of_posts([Post(tree, url) for tree, url in zip(trees, urls, strict=True)])
    return [
        _dropped(tree, edge) if edge else content
        for content, tree, edge in zip(contents, trees, edges, strict=True)
    ]


def _dropped(tree: HtmlElement, blocks: Iterable[HtmlElement]) -> str:
    for block in blocks:
        block.drop_tree()
    return (tree.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in tree
    )
