"""Tables 4, 5, 6 of "A scalable approach to harvest modern weblogs" (section 4.4) as data.

Each row: attribute, MARC tag, both indicators, subfield. Rows of one ``group`` share a datafield; a
row's ``kind`` is written into ``$3`` (materials specified) so that repeated fields stay apart.
Where the paper gives no subfield (532, 520 of the sitemap, 506 and four of the 542) MARCXML still
wants one: ``$a``. The paper names no indicators: names stand as their pages have them, in direct
order (first indicator 0 of 100 and 700); those of 245 follow from the record.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One row of a crosswalk. ``attribute``: the paper's name, and the key of the values."""

    attribute: str
    tag: str
    code: str
    indicators: str = "  "
    group: str = ""
    kind: str = ""


BLOG = (
    Row("title", "245", "a", "00", "title"),
    Row("subtitle", "245", "b", "00", "title"),
    Row("URI", "520", "u"),
    Row("aliases", "100", "g", "0 "),
    Row("status_code", "952", "a"),
    Row("language", "041", "a"),
    Row("encoding", "532", "a"),
    Row("sitemap_uri", "520", "a", kind="sitemap"),
    Row("platform", "781", "a", group="platform"),
    Row("platform_version", "781", "b", group="platform"),
    Row("webmaster", "955", "a"),
    Row("hosting_ip", "956", "a"),
    Row("location_city", "270", "d", group="place"),
    Row("location_country", "270", "b", group="place"),
    Row("last_activity_date", "954", "a", group="activity"),
    Row("post_frequency", "954", "b", group="activity"),
    Row("update_frequency", "954", "c", group="activity"),
    Row("copyright", "542", "a", kind="copyright"),
    Row("ownership_rights", "542", "a", kind="ownership rights"),
    Row("distribution_rights", "542", "a", kind="distribution rights"),
    Row("access_rights", "542", "a", kind="access rights"),
    Row("license", "542", "f"),
)
"""Table 4."""

ENTRY = (
    Row("title", "245", "a", "00", "title"),
    Row("subtitle", "245", "b", "00", "title"),
    Row("full_content", "520", "a", group="content"),
    Row("full_content_format", "520", "b", group="content"),
    Row("author", "100", "a", "0 ", "author"),
    Row("URI", "520", "u", group="content"),
    Row("aliases", "100", "g", "0 ", "author"),
    Row("alt_identifier", "024", "a", "7 "),
    Row("date_created", "269", "c"),
    Row("date_modified", "260", "m"),
    Row("version", "950", "a"),
    Row("status_code", "952", "a", group="status"),
    Row("response_code", "952", "b", group="status"),
    Row("geo_longitude", "342", "g", group="place"),
    Row("geo_latitude", "342", "h", group="place"),
    Row("access_restriction", "506", "a"),
    Row("has_reply", "788", "a", group="replies"),
    Row("last_reply_date", "788", "c", group="replies"),
    Row("num_of_replies", "788", "b", group="replies"),
    Row("child_of", "760", "o", "0 ", "parent"),
    Row("child_of_type", "760", "4", "0 ", "parent"),
    Row("child_of_record", "760", "w", "0 ", "parent"),
)
"""Table 5, posts and pages (its last row, three subfields, is three rows here)."""

COMMENT = (
    Row("subject", "245", "a", "00"),
    Row("author", "100", "a", "0 "),
    Row("full_content", "520", "a", group="content"),
    Row("full_content_format", "520", "b", group="content"),
    Row("URI", "520", "u", group="content"),
    Row("status", "952", "a"),
    Row("date_added", "269", "c", group="dates"),
    Row("date_modified", "269", "m", group="dates"),
    Row("addressed_to_URI", "789", "u"),
    Row("geo_longitude", "342", "g", group="place"),
    Row("geo_latitude", "342", "h", group="place"),
    Row("has_reply", "788", "a", group="replies"),
    Row("num_replies", "788", "b", group="replies"),
    Row("is_child_of_post", "773", "o", "0 ", "post"),
    Row("is_child_of_post_type", "773", "4", "0 ", "post"),
    Row("is_child_of_post_record", "773", "w", "0 ", "post"),
    Row("is_child_of_comment", "773", "o", "0 ", "comment"),
    Row("is_child_of_comment_type", "773", "4", "0 ", "comment"),
    Row("is_child_of_comment_record", "773", "w", "0 ", "comment"),
)
"""Table 6 (its last two rows, three subfields each, are six rows here)."""

EXTENSIONS = (
    Row("added_author", "700", "a", "0 "),
    Row("tag", "653", "a"),
    Row("language", "041", "a"),
    Row("author_uri", "856", "u", "42", kind="author's site"),
    Row("kind", "655", "a", " 4"),
    Row("media", "856", "u", "42", kind="media"),
)
"""What the records have and the tables lack, put where MARC 21 has it."""
