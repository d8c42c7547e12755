"""Key-paths: found, merged, matched (the paper's listings)."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.induction import key_paths as keypath
from blogcrawl.induction.key_paths import (
    GAP,
    Node,
    cluster,
    find,
    from_json,
    generalise,
    match,
    merge,
    nearest,
    path_of,
    show,
    to_json,
)
from blogcrawl.induction.learn import Prepared
from tests.induction.themes import generate


def path(*nodes: tuple[str, dict[str, str]]) -> keypath.Path:
    return tuple(
        Node(tag, tuple((k, v, False) for k, v in attributes.items())) for tag, attributes in nodes
    )


P1 = path(
    ("html", {}),
    ("body", {}),
    ("div", {"id": "post-2"}),
    ("div", {"class": "post-header"}),
    ("h1", {}),
)
P2 = path(
    ("html", {}),
    ("body", {}),
    ("div", {"id": "post-1"}),
    ("div", {"class": "post-header"}),
    ("h1", {}),
)
P3 = path(("html", {}), ("body", {}), ("span", {"id": "post-3"}), ("b", {}))


def test_merge_replaces_numbers_by_wildcards() -> None:
    assert show(merge(P1, P2) or ()) == "|html|body|div[@id=post-*]|div[@class=post-header]|h1"


def test_merge_refuses_dissimilar_paths() -> None:
    assert merge(P1, P3) is None


def test_merge_bridges_with_a_gap() -> None:
    longer = (*P1[:4], Node("section"), P1[4])
    merged = merge(P1, longer)
    assert merged is not None and GAP in merged
    assert merged[-1].tag == "h1"


def test_json_round_trip() -> None:
    merged = merge(P1, P2)
    assert merged is not None
    assert from_json(to_json(merged)) == merged


def test_match_skips_unmatched_steps() -> None:
    page = Page(
        url="http://b/",
        body=(
            b'<div class="x"><h1>no</h1></div><div id="post-9"><div '
            b'class="post-header"><h1>yes</h1></div></div>'
        ),
    )
    merged = merge(P1, P2)
    assert merged is not None
    assert [e.text for e in match(page.tree, merged)] == ["yes"]


def test_shrinking_finds_the_paragraph_of_a_long_value() -> None:
    page = Page(
        url="http://b/",
        body=(
            b"<div id=c><p>one two three four five</p><p>six seven eight nine</p></div><p>one "
            b"two</p>"
        ),
    )
    index = PageIndex(page)
    found = find(index, "one two three four five six seven eight nine ten eleven")
    assert [index.tags[i] for i in found] == ["p"]
    hits = [0, *range(1, 10), 9, 9]
    assert index.elements[generalise(index, found[0], hits, True)].get("id") == "c"


def test_title_nearest_to_the_content_wins() -> None:
    body = (
        b'<ul><li>A title</li></ul><div class="post"><h2>A title</h2><div '
        b'class="c">text</div></div>'
    )
    index = PageIndex(Page(url="http://b/", body=body))
    content = index.by_class["c"][0]
    found = find(index, "A title", least=2)
    best = nearest(index, found, content)
    assert best is not None and index.tags[best] == "h2"


def test_cluster_keeps_templates_apart() -> None:
    other = path(("html", {}), ("body", {}), ("main", {"class": "x"}), ("h2", {}))
    groups = cluster([P1, P2, other])
    assert sorted(count for _, count in groups) == [1, 2]


def test_path_of_a_generated_page_matches_the_page() -> None:
    for theme in ("numbered", "inside", "two"):
        for sample in generate(theme).samples[:4]:
            p = Prepared.of(sample)
            for i in range(0, len(p.index.tags), 5):
                if p.index.tags[0] == "html":
                    assert p.index.elements[i] in list(match(sample.page.tree, path_of(p.index, i)))
