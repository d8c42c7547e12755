"""A record is one line, whatever its text holds: readers split at Unicode's line ends too."""

import json

from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.packaging.records import decode, encode


@given(st.text())
def test_record_is_one_line_and_survives_a_round_trip(text):
    line = encode({"title": text})
    assert len(line.decode("utf-8").splitlines()) == 1
    assert decode(line) == json.loads(line)
    assert (
        decode(line)["title"] == text.encode("utf-8", "replace").decode()
        or "�" in decode(line)["title"]
    )


def test_unicode_line_ends_are_escaped():
    assert encode({"a": "x\u2028y\u2029z\x85"}) == b'{"a":"x\\u2028y\\u2029z\\u0085"}'
