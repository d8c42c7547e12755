"""Tables 4, 5, 6 of "A scalable approach to harvest modern weblogs" (section 4.4) as data.

Each row: attribute, MARC tag, both indicators, subfield. Rows of one ``group`` share a datafield; a
row's ``kind`` is written into ``$3`` (materials specified) so that repeated fields stay apart.
Where the paper gives no subfield (532, 520 of the sitemap, 506 and four of the 542) MARCXML still
wants one: ``$a``. The paper names no indicators: names stand as their pages have them, in direct
order (first indicator 0 of 100 and 700); those of 245 follow from the record.
"""

from __future__ import annotations

import re
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

LANGUAGES = dict(
    pair.split(":")
    for pair in (
        "af:afr sq:alb am:amh ar:ara hy:arm as:asm az:aze eu:baq be:bel bn:ben bs:bos br:bre "
        "bg:bul my:bur ca:cat zh:chi hr:hrv"
        " cs:cze da:dan nl:dut en:eng eo:epo et:est fo:fao fi:fin fr:fre fy:fry gl:glg ka:geo "
        "de:ger el:gre gu:guj ht:hat he:heb"
        " iw:heb hi:hin hu:hun is:ice ig:ibo id:ind in:ind ga:gle it:ita ja:jpn jv:jav kn:kan "
        "kk:kaz km:khm rw:kin ky:kir ko:kor"
        " ku:kur lo:lao la:lat lv:lav ln:lin lt:lit lb:ltz mk:mac mg:mlg ms:may ml:mal mt:mlt "
        "mi:mao mr:mar mn:mon ne:nep no:nor"
        " nb:nob nn:nno oc:oci or:ori om:orm ps:pus fa:per pl:pol pt:por pa:pan qu:que ro:rum "
        "rm:roh ru:rus sm:smo sa:san gd:gla"
        " sr:srp sn:sna sd:snd si:sin sk:slo sl:slv so:som es:spa su:sun sw:swa sv:swe tl:tgl "
        "tg:tgk ta:tam tt:tat te:tel th:tha"
        " bo:tib ti:tir tr:tur tk:tuk ug:uig uk:ukr ur:urd uz:uzb vi:vie cy:wel wo:wol xh:xho "
        "yi:yid yo:yor zu:zul"
    ).split()
)
"""ISO 639-1, with the old codes iw and in -> MARC code (loc.gov/marc/languages)."""


_ARTICLES = {
    "eng": "the a an",
    "fre": "le la les un une l'",
    "ger": "der die das dem den des ein eine einem einen einer eines",
    "spa": "el la las lo los un una",
    "ita": "il lo la i gli le un uno una l' un'",
    "por": "o a os as um uma",
    "dut": "de het een 't 'n",
    "swe": "den det de en ett",
    "dan": "den det de en et",
    "nor": "den det de en et ei",
    "nob": "den det de en et ei",
    "nno": "den det dei ein ei eit",
    "cat": "el la els les un una l'",
    "hun": "a az egy",
}
"""MARC language code -> words that filing skips (loc.gov/marc/bibliographic/bdapndxf.html)."""
_FIRST_WORD = re.compile(r"(\w+['’]|['’]?\w+(?=\s)\s+)(?=\S)")


def nonfiling(title: str, language: str | None) -> int:
    """Return how many characters of ``title`` filing skips (245); ``language``: a MARC code."""
    found = _FIRST_WORD.match(title)
    if (
        found is None
        or found[1].strip().lower().replace("’", "'")
        not in _ARTICLES.get(language or "", "").split()
    ):
        return 0
    return min(9, found.end())


def marc_language(tag: str | None) -> str | None:
    """Return the MARC code of a BCP 47 tag or None: ``pt-BR`` -> ``por``; ``por`` stays."""
    if not tag:
        return None
    primary = tag.replace("_", "-").split("-", 1)[0].lower()
    if primary in LANGUAGES:
        return LANGUAGES[primary]
    return primary if len(primary) == 3 and primary.isascii() and primary.isalpha() else None
