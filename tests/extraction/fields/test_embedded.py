"""What pages say to machines, read as a library read by other hands reads it."""

from __future__ import annotations

import extruct
import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.embedded import Embedded, embedded, is_declared_paid

PAGE = """<!DOCTYPE html><html><head><title>Head</title>
<meta property="og:title" content="Head of it"><meta property="article:published_time" content="2020-05-04T10:00:00Z">
<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
  {"@type": "BlogPosting", "@id": "#post", "headline": "Head", "datePublished": "2020-05-04", "author": {"@id": "#ann"}},
  {"@type": "Person", "@id": "#ann", "name": "Ann Lee"}]}</script></head><body>
<div itemscope itemtype="https://schema.org/BlogPosting"><h1 itemprop="headline">Head</h1>
  <time itemprop="datePublished" datetime="2020-05-04">4 May</time>
  <p itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ann Lee</b></p>
  <div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><b itemprop="text">Well said</b></div></div>
<article class="h-entry"><h2 class="p-name">Head</h2><time class="dt-published" datetime="2020-05-04T10:00:00Z">4 May</time>
  <div class="e-content">All of the text.</div></article></body></html>"""  # noqa: E501


def ours() -> Embedded:
    return embedded(Page(url="https://b.example/post", body=PAGE.encode()))


def theirs(syntax: str) -> list[dict[str, object]]:
    return extruct.extract(PAGE, base_url="https://b.example/post", syntaxes=[syntax])[syntax]


def test_json_ld_as_extruct_reads_it() -> None:
    graph = theirs("json-ld")[0]["@graph"]
    assert [item for item in ours().linked if item["@type"] in ("BlogPosting", "Person")] == graph
    assert ours().by_id["#ann"]["name"] == "Ann Lee"


def test_microdata_as_extruct_reads_it() -> None:
    (post,) = theirs("microdata")
    kind, _, properties = ours().micro[0]
    assert post["type"].endswith(f"/{kind}")
    assert set(properties) == set(post["properties"])
    assert properties["headline"][0].text == post["properties"]["headline"]


def test_microformats_as_extruct_reads_them() -> None:
    (entry,) = theirs("microformat")
    (found,) = ours().entries
    assert found.properties["p-name"][0].text == entry["properties"]["name"][0]
    assert (
        found.properties["dt-published"][0].get("datetime") == entry["properties"]["published"][0]
    )
    assert found.properties["e-content"][0].text == entry["properties"]["content"][0]["value"]


def test_opengraph_as_extruct_reads_it() -> None:
    (graph,) = theirs("opengraph")
    assert [(name, ours().first(name)) for name, _ in graph["properties"]] == graph["properties"]


def _is_paid(head: str) -> bool:
    html = f"<html><head>{head}</head><body><p>Text</p></body></html>"
    return is_declared_paid(Page(url="https://b.example/post", body=html.encode()))


@pytest.mark.parametrize(
    ("head", "is_paid"),
    [
        ('{"@type": "NewsArticle", "isAccessibleForFree": false}', True),
        ('{"@type": "BlogPosting", "isAccessibleForFree": "http://schema.org/False"}', True),
        ('{"@graph": [{"@type": "Article", "isAccessibleForFree": "False"}]}', True),
        ('{"@type": "NewsArticle", "isAccessibleForFree": true}', False),
        ('{"@type": "Product", "isAccessibleForFree": false}', False),
        ("{}", False),
    ],
)
def test_declared_paywall(head: str, is_paid: bool) -> None:
    script = f'<script type="application/ld+json">{head}</script>'
    assert _is_paid(script) is is_paid


def test_locked_tier_is_a_paywall() -> None:
    tier = '<meta property="article:content_tier" content="{}">'
    assert _is_paid(tier.format("locked"))
    assert not _is_paid(tier.format("free"))
