"""How long a MARC record may be: ISO 2709 has four digits for a field and five for a record.

MARCXML has no such limit, but library systems load records in the other form too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from html import unescape

from blogcrawl.packaging.xmltools import clean
from blogcrawl.text.visible import squeeze

FIELD_BYTES, RECORD_BYTES = 9_999, 99_999
_TEXT_BYTES = 9_000
"""Of a piece of text: the first one shares its field with other subfields."""
_BEFORE_BYTES = 1_000
"""For the leader, the control fields, the note and their entries in the directory."""
_DIRECTORY_BYTES, _FIELD_MARKS, _SUBFIELD_MARKS = 12, 3, 2
_VALUE = re.compile(r'<subfield code=".">([^<]*)<')
_TAG = re.compile(r'<datafield tag="(\d+)"')


def text_pieces(text: str) -> list[str]:
    """Cut a text into pieces that fit into a field each, behind blanks where there are any."""
    data, cut, start = clean(squeeze(text)).encode(), list[str](), 0
    while start < len(data):
        end = start + _TEXT_BYTES
        if end < len(data):
            end = data.rfind(b" ", start, end) + 1 or _start_of_character(data, end)
        cut.append(data[start:end].decode())
        start = end
    return cut


def _start_of_character(data: bytes, at: int) -> int:
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def fit_field(subfields: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Shorten values of a field, the last ones first, until all of it fits."""
    room = FIELD_BYTES - _FIELD_MARKS - len(subfields) * (_SUBFIELD_MARKS + len("…".encode()))
    kept = list[tuple[str, str]]()
    for code, value in subfields:
        data = clean(value).encode()
        is_too_long = len(data) > room
        kept.append((code, data[:room].decode(errors="ignore") + "…" if is_too_long else value))
        room = max(room - len(data), 0)
    return kept


def fit_record(fields: Sequence[str], note: str) -> list[str]:
    """Return the datafields of a record, in MARCXML; if they don't fit, without the last ones of
    the tags that take most, but with ``note``, a field 500.
    """
    room = RECORD_BYTES - _BEFORE_BYTES
    if 4 * sum(map(len, fields)) <= room:  # no character has more bytes
        return [*fields]
    sized = [(_tag(field), _size(field), field) for field in fields]
    totals, seen = Counter[str](), Counter[str]()
    for tag, size, _ in sized:
        totals[tag] += size
    share = _share(totals.values(), room)
    if share is None:
        return [*fields]
    kept = []
    for tag, size, field in sized:
        seen[tag] += size
        if seen[tag] <= share:
            kept.append((tag, field))
    place = next((number for number, (tag, _) in enumerate(kept) if tag > "500"), len(kept))
    return [*(field for _, field in kept[:place]), note, *(field for _, field in kept[place:])]


def _share(totals: Collection[int], room: int) -> int | None:
    """Return how much each may take at most, so that the smaller ones take what they need; None
    if all have room.
    """
    left = room
    for done, total in enumerate(sorted(totals)):
        if total * (len(totals) - done) > left:
            return left // (len(totals) - done)
        left -= total
    return None


def _tag(field: str) -> str:
    found = _TAG.search(field)
    return found[1] if found else ""


def _size(field: str) -> int:
    values = _VALUE.findall(field)
    text = sum(_SUBFIELD_MARKS + len(unescape(value).encode()) for value in values)
    return _DIRECTORY_BYTES + _FIELD_MARKS + text
