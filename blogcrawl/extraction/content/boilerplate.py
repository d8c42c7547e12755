"""Blocks that most posts of a blog have word for word: a press contact, a call to subscribe, a
licence. They are the theme's, no post's.

Where no feed tells what a post is, only the series of pages does (posts-and-comments-separation-ja,
section 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import fragment
from blogcrawl.induction.edge_boilerplate import Post, outskirts
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import BLOCK_TAGS, node_text

Words = tuple[str, ...]
LEAST_POSTS = 3
"""Two posts may quote the same."""
SHARE = 0.25
"""Share of the posts above which a block is the theme's (as ``novelty.SHARED``): not every method
finds every post with it.
"""
LEAST_WORDS = 8
"""Words of neighbouring blocks: "Ingredients" above what differs is the author's, be it in every
post.
"""


def without_boilerplate(contents: Sequence[str]) -> list[str]:
    """The HTML of posts, each less its blocks and runs of blocks that a quarter of them have; one
    that is nothing else stays as it is."""
    trees = list(map(_tree, contents))
    texts = [
        {
            block: words
            for block in tree.iter(*BLOCK_TAGS)
            if (words := tuple(tokens(node_text(block))))
        }
        for tree in trees
    ]
    counts = Counter(words for blocks in texts for words in set(blocks.values()))
    shared = {
        words
        for words, count in counts.items()
        if count >= LEAST_POSTS and count > SHARE * len(contents)
    }
    return [_less(*each, shared) for each in zip(contents, trees, texts, strict=True)]


def without_outskirts(contents: Sequence[str], urls: Sequence[str]) -> list[str]:
    """The HTML of posts, each less what most of them have above and below their text and what leads
    to other pages.
    """
    trees = list(map(_tree, contents))
    edges = outskirts([Post(tree, url) for tree, url in zip(trees, urls, strict=True)])
    return [
        _dropped(tree, edge) if edge else content
        for content, tree, edge in zip(contents, trees, edges, strict=True)
    ]


def _tree(content: str) -> HtmlElement:
    return fragment(content)


def _dropped(tree: HtmlElement, blocks: Iterable[HtmlElement]) -> str:
    for block in blocks:
        block.drop_tree()
    return (tree.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in tree
    )


def _less(
    content: str, tree: HtmlElement, texts: Mapping[HtmlElement, Words], shared: AbstractSet[Words]
) -> str:
    gone = [
        run
        for run in _runs(tree, texts, shared)
        if sum(len(texts[block]) for block in run) >= LEAST_WORDS
    ]
    if not gone or tree in gone[0]:
        return content
    return _dropped(tree, (block for run in gone for block in run))


def _runs(
    tree: HtmlElement, texts: Mapping[HtmlElement, Words], shared: AbstractSet[Words]
) -> Iterator[list[HtmlElement]]:
    """Outermost blocks whose words are shared, as many as follow one another without other words
    between them.
    """
    run: list[HtmlElement] = []
    inside: HtmlElement | None = None
    for block in texts:
        if inside is not None and inside in block.iterancestors():
            continue
        inside = block if texts[block] in shared else None
        if inside is not None:
            run.append(block)
        elif not any(child in texts for child in block) and run:
            yield run
            run = []
    if run:
        yield run
