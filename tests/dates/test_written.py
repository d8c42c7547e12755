"""What dates mean, from a table: tests/fixtures/dates/written.tsv."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import pytest

from blogcrawl.dates.parse import DateReader
from tests.dates import make_cldr

TABLE = Path(__file__).resolve().parents[1] / "fixtures" / "dates" / "written.tsv"
ROWS = [
    line.split("\t")
    for line in TABLE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("text", "language", "order", "near", "expected"), ROWS)
def test_dates_in_many_languages_are_read(
    text: str, language: str, order: str, near: str, expected: str
) -> None:
    reader = DateReader([language], order or None)  # type: ignore[arg-type]
    found = reader.read(text, date.fromisoformat(near) if near else None)
    assert (found.moment if found else None) == (
        datetime.fromisoformat(expected) if expected else None
    )
    assert found is None or found.has_time is (len(expected) > len("2020-01-31"))


def test_date_table_covers_150_rows_and_30_languages() -> None:
    assert len(ROWS) >= 150
    assert len({language.partition("-")[0] for _, language, *_ in ROWS}) >= 30


def test_month_name_file_matches_its_generator() -> None:
    code = "from tests.dates import make_cldr; print(make_cldr.text(), end='')"
    # in a process of its own: reading months changes Babel's cached data (Khmer loses its names)
    root = make_cldr.TARGET.parents[2]
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, cwd=root, capture_output=True, check=True)
    assert make_cldr.TARGET.read_bytes() == made.stdout


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("by Ann on 3 May 2011 at 10:14. Reply", "en", "3 May 2011 at 10:14"),
        ("Ihh… by  on 3. November 2010 at 10:42.", "de", "3. November 2010 at 10:42"),
        ("رضا در ۱۲ فروردین ۱۳۹۹ گفت", "fa", "۱۲ فروردین ۱۳۹۹"),
        ("½ years, said Ann, 2/5/2009, 8:00 AM", "en", "2/5/2009, 8:00 AM"),
    ],
)
def test_span_refers_to_the_original_text(text: str, language: str, found: str) -> None:
    match = DateReader([language]).read(text)
    assert match is not None and text[slice(*match.span)].strip() == found


def test_both_orders_of_an_ambiguous_date_are_kept() -> None:
    match = DateReader(["en"]).read("05/07/2012")
    assert match is not None and match.ambiguous
    assert match.pick(True) == match.pick(None) == datetime(2012, 7, 5)
    assert match.pick(False) == datetime(2012, 5, 7)
    whole = DateReader(["en"]).read("25/07/2012")
    assert whole is not None and not whole.ambiguous and not whole.possible(False)


def test_date_precision_is_read() -> None:
    reader = DateReader(["en"])
    written = ("3 May 2011", "3 May 2011, 10:14", "3 May 2011, 10:14 +0200")
    found = [reader.read(text) for text in written]
    assert [match.precision for match in found if match] == ["day", "minute", "zone"]


def test_strict_readers_know_their_languages_only() -> None:
    assert DateReader(["de"], strict=True).read("26 juillet 2012") is None
    assert DateReader(["de"]).read("26 juillet 2012") is not None
