"""The interface's texts: every one is translated, and none is markup of the archive."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest

import blogcrawl.web
from blogcrawl.web.app import _HEADINGS
from blogcrawl.web.texts import LANGUAGES, Texts, catalogue, choose

TEMPLATES = Path(blogcrawl.web.__file__).parent / "templates"
_TEXT = re.compile(r"""\b_\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")
_CHOICE = re.compile(r"\b_\(\{(.*?)\}")
_NUMBER = re.compile(r'\bn_\("([^"]*)", "([^"]*)"')


def english() -> set[str]:
    """Return the texts of all templates."""
    found = set(_HEADINGS.values())
    for path in TEMPLATES.glob("*.html"):
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
    assert texts.word("ok") == "in Ordnung"
    assert texts.word("<b>{x}") == "<b>{x}" and not hasattr(texts.word("<b>"), "__html__")
    assert texts.word("{n} posts") == "{n} posts"
