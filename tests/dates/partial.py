"""Dates of every precision, for property tests."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import strategies as st

from blogcrawl.dates.edtf import DAY, LOCAL, MONTH, YEAR, approximately

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=OFFSETS)
DAYS = st.dates().map(lambda d: datetime(d.year, d.month, d.day, tzinfo=DAY))
BARE = (
    DAYS
    | DAYS.map(lambda d: d.replace(day=1, tzinfo=MONTH))
    | DAYS.map(lambda d: d.replace(day=1, month=1, tzinfo=YEAR))
)
DATES = MOMENTS | MOMENTS.map(lambda m: m.replace(tzinfo=LOCAL)) | BARE | BARE.map(approximately)
"""All that a record may say of a date."""
