"""The language of a post: declarations on the page, in feed and headers, against its text."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry, Post
from blogcrawl.extraction.corrections import Corrections
from blogcrawl.extraction.fields.language import declarations, usual_languages
from blogcrawl.extraction.model import BlogModel, Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

pytest.importorskip("fasttext", reason="fasttext-predict is not installed")

URL = "https://b.example/2024/05/cuisine"
FRENCH = (
    "<p>Nous avons repeint la cuisine la semaine dernière, et le chat a marché dans la peinture "
    "avant que nous puissions fermer la porte. Les traces vont du salon jusqu'à l'escalier.</p>"
    "<p>Depuis, il refuse d'entrer dans la cuisine tant que la lumière n'est pas allumée.</p>"
)


def page(lang: str, article: str = "", headers: dict[str, str] | None = None) -> Page:
    body = (
        f"<html {lang}><head><title>La cuisine</title></head><body><main><article {article}>"
        f"<h1>La cuisine</h1>{FRENCH}</article></main></body></html>"
    )
    return Page(url=URL, body=body.encode(), headers=headers or {})


def extracted(source: Page, model: BlogModel | None = None) -> Post:
    post = extract_post(source, model or BlogModel(), promised=True)
    assert isinstance(post, Post)
    return post


def test_theme_in_english_over_french_posts() -> None:
    post = extracted(page('lang="en-US"'))
    assert post.language == "fr"
    assert post.extraction["language"]["method"] == "detected"
    assert post.extraction["language"]["confidence"] > 0.9


def test_right_declaration_is_named_as_the_source() -> None:
    post = extracted(page('lang="fr-FR"'))
    assert post.language == "fr-FR"
    chosen = post.extraction["language"]
    assert (chosen["method"], chosen["rule"]) == ("declared", "html lang")


def test_page_without_a_declaration() -> None:
    assert extracted(page("")).language == "fr"


def test_operator_wins() -> None:
    model = BlogModel(corrections=Corrections.of([("language", "language", "br")]))
    post = extracted(page('lang="fr"'), model)
    assert (post.language, post.extraction["language"]["method"]) == ("br", "operator")


def test_declarations_of_content_document_header_and_feed() -> None:
    source = page('lang="en"', 'lang="fr"', {"content-language": "de, en"})
    content = source.tree.find(".//p")
    found = declarations(source, content, (), FeedEntry(url=URL, language="fr-FR"))
    assert [(one.rule, one.value) for one in found] == [
        ("content lang", "fr"),
        ("html lang", "en"),
        ("Content-Language", "de"),
        ("feed", "fr-FR"),
    ]


@pytest.mark.parametrize(
    ("lang", "tag"),
    [("", "fr-CA"), ('lang="fr"', "fr"), ('lang="fr-BE"', "fr-BE"), ('lang="en"', "fr-CA")],
)
def test_feed_declares_for_posts_that_it_no_longer_has_and_the_page_more_nearly(
    lang: str, tag: str
) -> None:
    feed = Feed(url=f"{URL}/feed", kind="posts", format="rss2.0", language="fr-CA")
    entries = [FeedEntry(url=f"{URL}/{n}", content_html=FRENCH) for n in range(6)]
    body = page(lang).body
    samples = [Sample(page=Page(url=one.url, body=body), entry=one) for one in entries]
    post = extracted(page(lang), learn_blog(samples, Hints(feed=feed)))
    assert post.language == tag


def test_languages_of_training_posts_are_counted_by_their_text() -> None:
    entries = [FeedEntry(url=f"{URL}/{i}", content_html=FRENCH, language="en-US") for i in range(3)]
    assert usual_languages([*entries, FeedEntry(url=URL, title="Kitchen")]) == {"fr": 3}
