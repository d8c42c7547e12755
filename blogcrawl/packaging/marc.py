"""MARCXML (MARC21slim 1.2), profile ``blogforever``; ``marc21`` is in ``marc21.py``.

Both profiles first turn a record into ``Values`` (attribute of the paper's tables -> list of
strings); a profile is what it makes of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from io import BytesIO
from itertools import zip_longest
from typing import Any, NamedTuple

from lxml import etree

from blogcrawl.core.errors import PackagingError
from blogcrawl.core.records import Blog, Comment, Post
from blogcrawl.dates.edtf import calendar_date, edtf, qualified_precision
from blogcrawl.packaging import ids
from blogcrawl.packaging.contents import resource
from blogcrawl.packaging.marc_language import marc_language, nonfiling
from blogcrawl.packaging.marc_lengths import FIELD_BYTES, fit_field, fit_record, text_pieces
from blogcrawl.packaging.xmltools import MARC, XSI, escape, parse
from blogcrawl.text.lengths import MAX_TITLE
from blogcrawl.text.visible import squeeze

Records = list[str]
"""Pieces of MARCXML. Written as text: of a post with many comments, elements of a tree cost more
than all else in its package."""
Values = Mapping[str, Sequence[str]]


class Row(NamedTuple):
    """One row of a crosswalk in ``crosswalks.toml``."""

    attribute: str
    tag: str
    code: str
    indicators: str = "  "
    group: str = ""
    kind: str = ""


TABLES: Mapping[str, Sequence[Row]] = {
    name: [Row(*row) for row in rows]
    for name, rows in tomllib.loads(resource("crosswalks.toml").decode()).items()
}

LEADERS = {
    "blog": "00000nai a2200000Ku 4500",
    "entry": "00000naa a2200000Ku 4500",
    "comment": "00000naa a2200000Ku 4500",
}
"""New record, language material; i: integrating resource, a: component part (06-07)."""

SOURCE = "blogcrawl"
"""Whose control numbers these are: 003, and in brackets before the numbers that link records."""
_ONLINE = "cr |||||||||||"
"""007: electronic resource, remote; the rest not coded."""
_SHORTENED = "Shortened to the length that MARC allows a record; the package has all of it."
_DEVISED_CHARS = 60
BRIEF_CHARS = 2_000
"""Characters; titles and addresses of ordinary posts are far shorter."""

_BEGIN = f"""<?xml version='1.0' encoding='UTF-8'?>
<collection xmlns="{MARC}" xmlns:xsi="{XSI}" xsi:schemaLocation="{MARC} \
http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd">""".encode()
_END = b"\n</collection>"
_END_RECORD = "\n </record>"
_NOTES = frozenset("23iyz")
"""Subfields that say something of the others: source, materials specified, display and link text,
public note."""


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(resource("MARC21slim.xsd")))


def start_record(records: Records, leader: str, urn: str, changed: datetime, coded: str) -> None:
    """Begin a ``record``: leader, 001 (id), 003 (whose id), 005 (time), 007 (online), 008."""
    begun, entered = _times(changed)
    records.append(
        f'\n <record type="Bibliographic">\n  <leader>{leader}</leader>'
        f'\n  <controlfield tag="001">{escape(urn)}</controlfield>'
        f'\n  <controlfield tag="003">{SOURCE}</controlfield>'
        f'\n  <controlfield tag="005">{begun}.0</controlfield>'
        f'\n  <controlfield tag="007">{_ONLINE}</controlfield>'
        f'\n  <controlfield tag="008">{entered}{escape(coded)}</controlfield>'
    )


@lru_cache(maxsize=16)
def _times(changed: datetime) -> tuple[str, str]:
    """Return the moment of a change for 005, and its day for 008."""
    moment = changed.astimezone(UTC)
    return f"{moment:%Y%m%d%H%M%S}", f"{moment:%y%m%d}"


def end_record(records: Records) -> None:
    """End a ``record`` behind its last field; one that is too long says that it is shortened."""
    note: Records = []
    datafield(note, "500", "  ", ("a", _SHORTENED))
    records[1:] = [*fit_record(records[1:], note[0]), _END_RECORD]


_CURRENT_YEARS = 3
"""Years within which a part of a resource came out that is "currently published" (008/06 ``c``)."""


def blog_data(blog: Blog, changed: datetime) -> str:
    """Return 008 after its date for a blog, a continuing resource: current, or of unknown status
    where years have passed since its last post.
    """
    begun, last = blog.first_post, blog.last_post
    first = f"{begun.year:04d}" if begun else "uuuu"
    is_current = begun and last and changed.year - last.year <= _CURRENT_YEARS
    years = f"c{first}9999" if is_current else f"u{first}uuuu"
    return f"{years}xx || hoo||||||   |2{marc_language(blog.language) or 'und'} d"


def coded_data(begun: datetime | None, language: str | None) -> str:
    """Return 008 after its date for a component part: a post or a comment.

    ``e``: a detailed date; ``s``: a known or probable year (008/06).
    """
    speech = marc_language(language) or "und"
    dates = "nuuuuuuuu"
    if begun:
        has_day = qualified_precision(begun) in ("day", "local", "time")
        dates = f"e{calendar_date(begun).replace('-', '')}" if has_day else f"s{begun.year:04d}    "
    return f"{dates}xx |||||o|||||||| ||{speech}|d"


def devised(text: str) -> str:
    """Devise a title: the first words in square brackets, as cataloguers do; empty for no text."""
    words = " ".join(text[: 4 * _DEVISED_CHARS].split())
    if len(words) <= _DEVISED_CHARS:
        return f"[{words}]" if words else ""
    return f"[{words[:_DEVISED_CHARS].rpartition(' ')[0] or words[:_DEVISED_CHARS]} …]"


def subjects(tags: Iterable[str]) -> list[str]:
    """Return a post's tags, once each: a category may be a tag in another case."""
    known: dict[str, str] = {}
    for tag in tags:
        known.setdefault(squeeze(tag).casefold(), tag)
    return list(known.values())


def post_title(post: Post) -> str:
    return post.title or devised(post.content_text) or post.canonical_url


def brief(text: str) -> str:
    """Shorten what is repeated in each comment's record: a title may have a megabyte."""
    return text if len(text) <= BRIEF_CHARS else text[:BRIEF_CHARS] + "…"


def comment_title(comment: Comment, post: Post) -> str:
    return comment.title or f"[Comment on: {brief(post_title(post)).strip('[]')}]"


def datafield(records: Records, tag: str, indicators: str, *subfields: tuple[str, str]) -> None:
    """Add a datafield without empty subfields, none where only notes are left.

    White space becomes single blanks: fields of MARC have no lines.
    """
    length = 0
    for _, value in subfields:
        length += len(value)
    make = _short_field if length <= MAX_TITLE else _made_field
    if field := make(tag, indicators, subfields):
        records.append(field)


def _made_field(tag: str, indicators: str, subfields: Sequence[tuple[str, str]]) -> str:
    """Return a datafield; "" for one that is not written."""
    if 4 * sum(len(value) for _, value in subfields) > FIELD_BYTES:
        subfields = fit_field(subfields)
    kept = [(code, escape(line)) for code, value in subfields if (line := squeeze(value))]
    if _NOTES.issuperset(code for code, _ in kept):
        return ""
    lines = "".join(f'\n   <subfield code="{code}">{line}</subfield>' for code, line in kept)
    return (
        f'\n  <datafield tag="{tag}" ind1="{indicators[0]}" ind2="{indicators[1]}">{lines}'
        "\n  </datafield>"
    )


_short_field = lru_cache(maxsize=1024)(_made_field)
"""Most fields of a comment's record stand in the next one too."""


def _write(records: Records, table: Iterable[Sequence[Row]], values: Values) -> None:
    """Write a table's rows, which come in order of their tags: a field for each value, and for the
    n-th values of a group."""
    for rows in table:
        columns = [[(row.code, value) for value in values.get(row.attribute, ())] for row in rows]
        for line in zip_longest(*columns):
            if subfields := [subfield for subfield in line if subfield and subfield[1]]:
                _write_field(records, rows[0], subfields, values)


def _write_field(
    records: Records, row: Row, subfields: Sequence[tuple[str, str]], values: Values
) -> None:
    """Write a field; ``row``: the first of its rows."""
    value, indicators = subfields[0][1], row.indicators
    if row.tag == "245":
        indicators = title_indicators(value, bool(values.get("author")), values.get("language"))
    elif row.tag == "024":
        subfields = [*subfields, ("2", "urn" if value.startswith("urn:") else "uri")]
    if row.kind:
        subfields = [("3", row.kind), *subfields]
    datafield(records, row.tag, indicators, *subfields)


def title_indicators(title: str, has_author: bool, language: Sequence[str] | None) -> str:
    """Return the indicators of 245: is there a main entry (1XX), and how much filing skips."""
    return f"{int(has_author)}{nonfiling(title, language[0] if language else None)}"


_OF_BLOG = {
    "subtitle": "subtitle",
    "URI": "url",
    "status_code": "http_status",
    "encoding": "encoding",
    "sitemap_uri": "sitemap",
    "platform": "platform",
    "platform_version": "platform_version",
    "hosting_ip": "hosting_ip",
    "copyright": "rights",
    "license": "licence",
}
"""Attributes of table 4 that stand in a Blog as they are, with the name of its field."""


def blog_values(
    blog: Blog, changed: datetime, extra: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Return the values of table 4 for a Blog; ``extra``: those without a field."""
    rate = blog.posts_per_week
    values: dict[str, list[str]] = {
        **{name: [str(getattr(blog, own) or "")] for name, own in _OF_BLOG.items()},
        "title": [blog.title or blog.url],
        "language": [marc_language(blog.language) or ""],
        "webmaster": list(blog.authors),
        "last_activity_date": [edtf(blog.last_post)],
        "post_frequency": [f"{rate:.2f} posts per week" if rate is not None else ""],
        "kind": ["Blog"],
        "coded": [blog_data(blog, changed)],
    }
    return values | {name: [value] for name, value in (extra or {}).items()}


def entry_values(
    post: Post,
    entry: str,
    blog_url: str,
    blog: str,
    version: int,
    extra: Mapping[str, str] | None = None,
) -> dict[str, list[str]]:
    """Return the values of table 5 for a Post; ``entry`` and ``blog`` are bare ids."""
    dates = [c.published for c in post.comments if c.published]
    shown = max(len(post.comments), post.comments_shown or 0)
    values: dict[str, list[str]] = {
        "title": [post_title(post)],
        "subtitle": [post.subtitle or ""],
        "full_content": text_pieces(post.content_text),
        "full_content_format": ["text/plain"] if post.content_text else [],
        "author": list(post.authors[:1]),
        "added_author": list(post.authors[1:]),
        "URI": [post.url],
        "alt_identifier": [post.canonical_url, ids.urn(entry)],
        "date_created": [edtf(post.published)],
        "date_modified": [edtf(post.modified)],
        "version": [str(version)],
        "status_code": [post.status],
        "response_code": [str(post.http_status or "")],
        "has_reply": ["true" if post.comments else "false"],
        "num_of_replies": [str(shown)],
        "last_reply_date": [edtf(max(dates, default=None))],
        "child_of": [blog_url],
        "child_of_type": ["blog"],
        "child_of_record": [ids.urn(blog)],
        "language": [marc_language(post.language) or ""],
        "tag": subjects(post.tags),
        "kind": ["Blog post"],
        "media": [m.url for m in post.media],
        "coded": [coded_data(post.published, post.language)],
    }
    return values | {name: [value] for name, value in (extra or {}).items()}


def comment_values(
    comment: Comment, post: Post, entry: str, parent: tuple[Comment, str] | None, replies: int
) -> dict[str, list[str]]:
    """Return the values of table 6 for a Comment; ``parent``: the comment it answers, its id."""
    values: dict[str, list[str]] = {
        "subject": [comment_title(comment, post)],
        "author": [comment.author or ""],
        "author_uri": [comment.author_url or ""],
        "full_content": text_pieces(comment.content_text),
        "full_content_format": ["text/plain"] if comment.content_text else [],
        "URI": [comment.url or ""],
        "status": [comment.kind],
        "date_added": [edtf(comment.published)],
        "addressed_to_URI": [brief(post.url)],
        "has_reply": ["true" if replies else "false"],
        "num_replies": [str(replies)],
        "is_child_of_post": [brief(post.url)],
        "is_child_of_post_type": ["post"],
        "is_child_of_post_record": [ids.urn(entry)],
        "kind": ["Blog comment"],
        "coded": [coded_data(comment.published, post.language)],
    }
    if parent is not None:
        values["addressed_to_URI"] = [brief(parent[0].url or post.url)]
        values["is_child_of_comment"] = [brief(parent[0].url or parent[0].id)]
        values["is_child_of_comment_type"] = ["comment"]
        values["is_child_of_comment_record"] = [ids.urn(parent[1])]
    return values


_FURTHER = {
    "blog": ("kind",),
    "entry": ("added_author", "tag", "language", "kind", "media"),
    "comment": ("author_uri", "kind"),
}
"""What each kind of record has of the extensions."""


def _in_order(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each field in order of their tags; one without a group is for itself."""
    fields: dict[str, list[Row]] = {}
    for number, row in enumerate(rows):
        fields.setdefault(f"{row.tag} {row.group or number}", []).append(row)
    return sorted(fields.values(), key=lambda field: field[0].tag)


_ROWS = {
    kind: _in_order(
        (*TABLES[kind], *(row for row in TABLES["extensions"] if row.attribute in names))
    )
    for kind, names in _FURTHER.items()
}


def add(records: Records, kind: str, urn: str, changed: datetime, values: Values) -> None:
    """Add the record of a blog, an entry or a comment (``kind``)."""
    start_record(records, LEADERS[kind], urn, changed, values["coded"][0])
    _write(records, _ROWS[kind], values)
    end_record(records)


_TEXT = re.compile(r'">[^<]+')
"""A text that the schema does not look at: all but the leader's."""


def written(parts: Iterable[Records]) -> bytes:
    """Return all records, one a part, as one document, each form of them checked: which fields and
    subfields there are, for that is all that the schema is about. Raises PackagingError.
    """
    out, checked = BytesIO(), set[str]()
    out.write(_BEGIN)
    for record in parts:
        text = "".join(record)
        form = _TEXT.sub('">', text)
        if form not in checked:
            check_collection(parse(_BEGIN + text.encode() + _END))
            checked.add(form)
        out.write(text.encode())
    out.write(_END)
    return out.getvalue()


def check_collection(root: etree._Element) -> None:
    """Validate against MARC21slim 1.2 before writing. Raises PackagingError (first fault)."""
    if not _schema().validate(root):
        log: Any = _schema().error_log
        raise PackagingError(f"MARCXML: {log[0].message}")
