"""Records of MARC are as long as ISO 2709 can write, and say what they leave out."""

from __future__ import annotations

import io

import pytest

from blogcrawl.core.records import MediaFile
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.packaging.marc_lengths import FIELD_BYTES, RECORD_BYTES, fit_field, text_pieces
from tests.packaging.samples import entry

pymarc = pytest.importorskip("pymarc")
PROFILES = pytest.mark.parametrize("profile", ["blogforever", "marc21"])


def record_of(profile: str, **changes: object) -> pymarc.Record:
    files = entry_aip(entry(comments=1, profile=profile, post_changes=changes))
    data = files["metadata/descriptive/marc.xml"]
    assert isinstance(data, bytes)
    post = pymarc.parse_xml_to_array(io.BytesIO(data))[0]
    again = pymarc.Record(data=post.as_marc(), to_unicode=True, force_utf8=True)
    assert again.as_dict()["fields"] == post.as_dict()["fields"]
    return post


@pytest.mark.parametrize("word", ["word", "слово", "単語", "\U0001f600"])
def test_a_long_text_is_whole_in_fields_that_can_be_written(word: str) -> None:
    text = " ".join([word] * (60_000 // len(word.encode())))
    post = record_of("blogforever", content_text=text)
    fields = post.get_fields("520")
    assert len(fields) > 5 and " ".join(field["a"] for field in fields) == text
    assert [field["b"] for field in fields if "b" in field] == ["text/plain"]
    assert fields[0]["u"] == post["024"]["a"] and post.get_fields("500") == []


@PROFILES
def test_what_no_record_can_hold_is_left_out_with_a_note(profile: str) -> None:
    media = tuple(
        MediaFile(url=f"https://blog.example/{'p' * 100}{number}.png", role="image")
        for number in range(3_000)
    )
    post = record_of(profile, content_text="word " * 100_000, media=media)
    assert [note["a"][:9] for note in post.get_fields("500")] == ["Shortened"]
    assert len(post.as_marc()) <= RECORD_BYTES and len(post.get_fields("856")) > 200
    assert [field["a"] for field in post.get_fields("653")] == ["one", "two"]


@PROFILES
@pytest.mark.parametrize(
    "changes",
    [
        {"title": "long title " * 5_000},
        {"tags": ("ラベル" * 5_000, "short")},
        {"authors": ("a" * 20_000, "b" * 20_000)},
        {"url": "https://blog.example/" + "ü" * 4_000},
    ],
)
def test_no_field_is_too_long(profile: str, changes: dict[str, object]) -> None:
    post = record_of(profile, **changes)
    assert max(len(field.as_marc("utf-8")) for field in post.get_fields()) <= FIELD_BYTES


def test_a_text_without_blanks_is_cut_between_characters() -> None:
    text = "単" * 10_000
    cut = text_pieces(text)
    assert len(cut) == 4 and "".join(cut) == text
    assert text_pieces("") == []


def test_the_last_values_of_a_field_give_way() -> None:
    assert fit_field([("a", "x" * 9_000), ("b", "y" * 9_000), ("c", "z")]) == [
        ("a", "x" * 9_000),
        ("b", "y" * (FIELD_BYTES - 3 - 9_000 - 3 * 5) + "…"),
        ("c", "…"),
    ]
