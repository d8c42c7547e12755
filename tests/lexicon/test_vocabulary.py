"""Word lists in data files: their forms, their entries, and that a zipped egg has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from blogcrawl.lexicon import vocabulary
from blogcrawl.lexicon.vocabulary import Words, any_of, by_kind, entries, word_set
from tests.eggs import output_from_egg

PACKAGE = Path(vocabulary.__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (PACKAGE / "lexicon" / "data").glob("*.toml"))
PLAIN = {"feeds.path.all"}
"""Lists of plain texts that are no regular expressions."""
FORMS: Mapping[str, Words] = {
    "by": {"en": "by  from", "de": ["von"], "at": {"home": "by\nhere"}},
    "phrases": ["read more", "full story"],
}


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "vocabulary", {"forms": FORMS}.__getitem__)


def lists(words: Words, path: str = "") -> Iterator[tuple[str, str | list[str]]]:
    """The lists of a file with their dotted names."""
    if isinstance(words, Mapping):
        for key, part in words.items():
            yield from lists(part, f"{path}.{key}".lstrip("."))
    else:
        yield path, words


@pytest.mark.usefixtures("forms")
def test_a_list_is_a_string_an_array_or_a_table_of_lists() -> None:
    assert entries("forms", "phrases") == ("read more", "full story")
    assert entries("forms", "by") == ("by", "from", "von", "here")
    assert any_of("forms", "by.de", "by.en") == "von|by|from"
    assert word_set("forms", "by.at.home", "by.en") == {"by", "here", "from"}
    assert by_kind("forms", "by") == {"en": ("by", "from"), "de": ("von",), "at": ("by", "here")}


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize("path", ["nothing", "by.fr", "phrases.en"])
def test_missing_list_is_an_error(path: str) -> None:
    with pytest.raises(KeyError):
        entries("forms", path)


@pytest.mark.usefixtures("forms")
def test_list_is_not_accepted_as_a_table() -> None:
    with pytest.raises(KeyError):
        by_kind("forms", "phrases")


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_a_regular_expression_and_none_is_empty(name: str) -> None:
    for path, words in lists(vocabulary.vocabulary(name)):
        found = words.split() if isinstance(words, str) else words
        assert found, path
        for entry in found if f"{name}.{path}" not in PLAIN else ():
            assert entry.strip() == entry and re.compile(entry).fullmatch("") is None, (path, entry)


@pytest.mark.parametrize("name", NAMES)
def test_no_list_names_an_entry_twice(name: str) -> None:
    for path, words in lists(vocabulary.vocabulary(name)):
        found = words.split() if isinstance(words, str) else words
        assert len(found) == len(set(found)), (path, sorted(found))


def test_every_list_is_used() -> None:
    code = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    for name in NAMES:
        for table in vocabulary.vocabulary(name):
            assert re.search(rf"""["']{table}(?:["'.])""", code), f"{table} of {name}"


def test_lists_are_found_in_a_zipped_egg(tmp_path: Path) -> None:
    script = (
        "from blogcrawl.lexicon import comment_words, vocabulary\n"
        "assert '.egg' in vocabulary.__file__, vocabulary.__file__\n"
        "print(comment_words.is_label('4 Kommentare'))"
    )
    printed = output_from_egg(script, tmp_path, ".toml")
    assert printed.strip() == "True"
