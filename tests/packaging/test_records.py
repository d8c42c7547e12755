from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.errors import PackagingError
from blogcrawl.core.records import Blog, Comment, Post
from blogcrawl.dates.edtf import written
from blogcrawl.packaging import ids, records
from blogcrawl.packaging.contents import resource
from tests.dates.partial import DATES
from tests.packaging.samples import BLOG, NASTY, post, with_media

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
times = st.none() | st.datetimes(timezones=st.just(UTC))


@given(
    st.builds(
        Post,
        url=text,
        canonical_url=text,
        title=st.none() | text,
        authors=st.lists(text, max_size=3).map(tuple),
        published=times,
        comments=st.lists(
            st.builds(Comment, id=text, author=st.none() | text, published=times), max_size=3
        ).map(tuple),
    )
)
def test_post_survives_a_round_trip(original: Post) -> None:
    assert (
        records.post_from_json(records.decode(records.encode(records.post_to_json(original))))
        == original
    )


def test_json_fields_are_those_of_the_records() -> None:
    record = records.post_to_json(with_media().post)
    assert list(record) == list(Post.__dataclass_fields__)
    assert list(record["comments"][0]) == list(Comment.__dataclass_fields__)
    assert list(records.blog_to_json(BLOG)) == list(Blog.__dataclass_fields__)
    assert records.blog_from_json(records.blog_to_json(BLOG)) == BLOG
    assert record["published"] == "2026-01-01"


def test_times_keep_the_zone_of_their_author() -> None:
    assert (
        records.rfc3339(datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))))
        == "2026-01-01T01:00:00+02:00"
    )
    assert records.parse_rfc3339("2026-01-01T01:00:00+02:00") == datetime(
        2025, 12, 31, 23, tzinfo=UTC
    )


def test_a_line_is_one_line_of_utf8() -> None:
    line = records.encode(records.post_to_json(post(title=NASTY)))
    assert b"\n" not in line and b"\r" not in line
    assert len(line.decode("utf-8").splitlines()) == 1
    assert records.decode(line)["title"].startswith("\x00\x01")


@pytest.mark.parametrize("bad", [b"", b"[]", b"{", b"\xff", b'"x"', b"[" * 100_000])
def test_invalid_records_are_refused(bad: bytes) -> None:
    with pytest.raises(PackagingError):
        records.decode(bad)
    with pytest.raises(PackagingError):
        records.post_from_json({"title": "no url"})


@pytest.mark.parametrize(
    "bad",
    [
        {"comments": [1]},
        {"comments": 5},
        {"media": ["x"]},
        {"tags": 5},
        {"published": 5},
        {"comments": [{"id": "1", "published": {}}]},
    ],
)
def test_records_with_wrong_types_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(PackagingError):
        records.post_from_json(records.post_to_json(post()) | bad)


@pytest.mark.parametrize("name", ["post", "blog"])
@given(DATES)
def test_every_date_fits_the_schema_in_packages(name: str, moment: datetime) -> None:
    schema = json.loads(resource(f"{name}.schema.json"))
    assert re.search(schema["$defs"]["date"]["pattern"], written(moment))


@given(DATES, DATES)
def test_dates_make_the_round_trip_through_json(published: datetime, modified: datetime) -> None:
    before = replace(post(), published=published, modified=modified)
    after = records.post_from_json(records.decode(records.encode(records.post_to_json(before))))
    assert after == before
    assert [written(date) for date in (after.published, after.modified) if date] == [
        written(published),
        written(modified),
    ]


def test_unknown_keys_of_a_later_version_are_ignored() -> None:
    record = records.post_to_json(post())
    assert records.post_from_json(record | {"mood": "fine"}) == post()


def test_ids_are_stable_and_distinct() -> None:
    assert (
        ids.entry_id("https://b.example/x") == "f85ba43c-8355-50a3-8043-e99f8616ab5e"
    )  # written down: it must never become another
    made = {
        ids.entry_id("u"),
        ids.blog_id("u"),
        ids.comment_id("u", "c"),
        ids.event_id("u", "k", "t"),
    }
    assert len(made) == 4
    assert ids.bare(ids.urn("a-b")) == ids.bare("uuid-a-b") == ids.bare("a-b") == "a-b"
    assert ids.entry_id("\ud800")  # a lone surrogate has no UTF-8 form, yet an id


def test_ids_are_standard_uuids() -> None:
    import uuid

    for name in ("https://b.example/x", "\u05d0\U0001f600", ""):
        assert ids.entry_id(name) == str(uuid.uuid5(uuid.NAMESPACE_URL, f"blogcrawl:entry:{name}"))


def test_incremental_encoding_equals_json_dumps() -> None:
    record: dict[str, object] = {"a": [1, 2.5, None, {"ü": "\n"}], "b": True, "c": "x" * 9}
    assert records.encode(record) == json.dumps(
        record, ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8")
    assert records.encode({}) == b"{}"


def test_encoding_many_comments_takes_little_more_than_the_line() -> None:
    said = "The river came over the wall \u2013 again. " * 50
    record = {"comments": [{"id": str(number), "content_text": said} for number in range(500)]}
    tracemalloc.start()
    try:
        line = records.encode(record)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3.2 * len(line) and json.loads(line) == record
