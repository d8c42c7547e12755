"""The interface's texts: every one is translated, and none is markup of the archive."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import blogcrawl.web
from blogcrawl.crawling.losses import FILES, MORE, NOT_MAPPED, SEARCH, SEE, WINDOWED
from blogcrawl.discovery.feeds import A_PAGE
from blogcrawl.discovery.knowledge import GONE_HOST, NO_DNS_ANSWER, NO_HOST
from blogcrawl.extraction.pages import classifier
from blogcrawl.frontier.completeness import Known, Loss, Status, completeness
from blogcrawl.frontier.overview import BROKEN, CUT, LOOSE
from blogcrawl.storage.web_archive import NOT_ARCHIVED
from blogcrawl.urls.page_kinds import BARRIERS
from blogcrawl.web.app import _HEADINGS
from blogcrawl.web.texts import LANGUAGES, Texts, catalogue, choose, stored_sentences

TEMPLATES = Path(blogcrawl.web.__file__).parent / "templates"
_TEXT = re.compile(r"""\b_\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")
_CHOICE = re.compile(r"\b_\(\{(.*?)\}")
_NUMBER = re.compile(r'\bn_\("([^"]*)", "([^"]*)"')


def english() -> set[str]:
    """Return the texts of all templates."""
    found = set(_HEADINGS.values())
    for path in TEMPLATES.rglob("*.html"):
        source = path.read_text("utf-8")
        found |= {json.loads(f'"{one or other}"') for one, other in _TEXT.findall(source)}
        for choice in _CHOICE.findall(source):
            found |= set(re.findall(r': "([^"]*)"', choice))
        found |= {many for _, many in _NUMBER.findall(source)}
    return found


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_text_is_translated_with_its_values(language: str) -> None:
    known = catalogue(language)
    assert len(english()) > 120
    assert english() - known.keys() == set()
    for text, translated in known.items():
        for form in translated if isinstance(translated, list) else [translated]:
            assert names(form) == names(text), text
            assert "<" not in form


@pytest.mark.parametrize(
    ("asked", "accepted", "chosen"),
    [
        ("", "", "en"),
        ("de", "en", "de"),
        ("xx", "de-AT,en;q=0.5", "de"),
        ("", "fr, de;q=0.4, en;q=0.6", "en"),
        ("", "q;;;,,=", "en"),
        ("../../etc", "de;q=x", "de"),
    ],
)
def test_the_language_is_chosen(asked: str, accepted: str, chosen: str) -> None:
    assert choose(asked, accepted) == chosen


def test_values_are_escaped_and_words_of_the_archive_are_no_texts() -> None:
    texts = Texts("de")
    assert texts.text("answers {name}", name="<b>") == "antwortet &lt;b&gt;"
    assert texts.number("{n} post", "{n} posts", 50_000) == "50.000 Beiträge"
    assert texts.number("{n} post", "{n} posts", 1) == "1 Beitrag"
    assert texts.percent({"share": 0.9871}) == "98,7 %" and texts.percent({"share": 1}) == "100 %"
    assert Texts("en").percent({"share": 0.99999}) == "99.9 %" and texts.percent({}) == ""
    assert texts.decimal(0.925, 2) == "0,93" and Texts("en").decimal(2, 1) == "2.0"
    assert texts.word("ok") == "in Ordnung"
    assert texts.word("<b>{x}") == "<b>{x}" and not hasattr(texts.word("<b>"), "__html__")
    assert texts.word("{n} posts") == "{n} posts"


CODE = "".join(
    re.sub(r"\s+|\"\n\s*f?\"", "", path.read_text("utf-8"))
    for kind in ("*.py", "*.json")
    for path in Path(blogcrawl.__file__).parent.rglob(kind)
    if path.parent.name != "locale"
)


def reasons_of_crawls() -> Iterator[str]:
    """Yield sentences as crawls store them: why pages are no posts, and what is not complete."""
    table = json.loads((Path(classifier.__file__).parent / "page_classifier.json").read_text())
    yield from (row["reason"] for row in table["rows"].values() if row["kind"] != "post")
    yield from BARRIERS.values()
    yield from (NO_HOST, GONE_HOST, NO_DNS_ANSWER, A_PAGE, "HTTP 404", "no answer in time")
    yield from completeness(
        Known(
            archived=40,
            counted=90,
            losses=[
                Loss("{} other pages could not be read", 3, 2.0, 1.0),
                Loss(f"{{}} other pages were read and taken for no post: {SEE}", 7, 1.5, 1.0),
                Loss("{} lists could not be read", 1, 4.0, 1.0),
            ],
        )
    ).reasons
    broken = BROKEN.format("http://blog.example/archive/", "HTTP 404")
    for why in (broken, CUT.format(3, "/tag/*"), LOOSE, SEARCH, NOT_MAPPED.format(5, 10)):
        yield MORE.format(why)
    yield WINDOWED.format(20)
    yield FILES.format(15)
    yield "5 posts missing (1.4 posts expected); 2 pages were not asked for (0.5 posts expected)"
    yield "of 90 posts 60 were found in one way, 20 in two, 10 in more; 0.3 unseen posts expected"


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_what_crawls_store_is_translated(language: str) -> None:
    texts = Texts(language)
    for reason in reasons_of_crawls():
        said = texts.reason(reason)
        assert said != reason or reason.startswith("HTTP"), reason
        assert re.findall(r"\d+", said) == re.findall(r"\d+", reason)
        assert not re.search(r"\b(posts?|pages?|expected|show)\b", said), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_stored_sentences_are_those_of_the_code(language: str) -> None:
    for pattern, translated in stored_sentences(language):
        assert names(translated) == set(pattern.groupindex)
        english = re.sub(r"\\(.)", r"\1", re.sub(r"\(\?P<.*?\+\)", "\n", pattern.pattern))
        parts = [re.sub(r"\s+", "", part).strip(":()") for part in english.split("\n")]
        assert any(len(part) > 3 and part in CODE for part in parts), parts


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_states_are_translated(language: str) -> None:
    texts = Texts(language)
    for word in (*get_args(Status), "ok", "new", "failing", "gone", "finished", "first crawl"):
        assert texts.word(word) != word


def test_stored_sentences_that_no_one_knows_stay() -> None:
    texts = Texts("de")
    for said in ("<b>{x}", "{n} posts missing", "a;b; c", "", "HTTP x", "x" * 1999):
        assert texts.reason(said) == said
    assert texts.reason(None) == ""
    assert Texts("de").reason(NOT_ARCHIVED) == "nicht im Archiv"
    assert not hasattr(texts.reason("no answer"), "__html__")
    assert Texts("en").reason("3 pages: see `show --rejected` (1.6 posts expected)") == (
        "3 pages (1.6 posts expected)"
    )
