"""MARCXML: every row of the paper's tables, the strict profile, read by other hands."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree

from blogcrawl.core.errors import PackagingError
from blogcrawl.core.organization import Organization
from blogcrawl.core.records import Blog, MediaFile
from blogcrawl.dates.edtf import read_written
from blogcrawl.packaging import marc, marc21
from blogcrawl.packaging.aip import blog_aip, entry_aip
from blogcrawl.packaging.contents import BlogInput
from blogcrawl.packaging.marc_language import marc_language, nonfiling
from blogcrawl.packaging.xmltools import clean, escape, parse, serialize
from tests.benchmarks.validators import is_right_article
from tests.packaging.samples import BLOG, NASTY, STAMP, comment, entry

pymarc = pytest.importorskip("pymarc")
EXTRA = {
    "aliases": "An Alias",
    "location_city": "Geneva",
    "location_country": "CH",
    "update_frequency": "daily",
    "ownership_rights": "Ann",
    "distribution_rights": "free",
    "access_rights": "open",
    "geo_longitude": "6.1",
    "geo_latitude": "46.2",
    "access_restriction": "none",
}


def records(data: object) -> list[pymarc.Record]:
    assert isinstance(data, bytes)
    return pymarc.parse_xml_to_array(io.BytesIO(data))


def subfields(record: pymarc.Record) -> set[str]:
    return {
        f"{field.tag}${sub.code}"
        for field in record.get_fields()
        if not field.is_control_field()
        for sub in field.subfields
    }


def wanted(table: Sequence[marc.Row]) -> set[str]:
    return {f"{row.tag}${row.code}" for row in table}


def test_blog_entry_and_comment_carry_every_row_of_the_tables() -> None:
    blog = records(
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, extra=EXTRA))["metadata/descriptive/marc.xml"]
    )[0]
    assert wanted(marc.TABLES["blog"]) <= subfields(blog)
    post, first, second = records(
        entry_aip(entry(comments=2, extra=EXTRA))["metadata/descriptive/marc.xml"]
    )
    assert wanted(marc.TABLES["entry"]) <= subfields(post)
    allowed_to_miss = {
        "245$a",
        "269$m",
        "342$g",
        "342$h",
    }  # a comment record has no subject, edit date or place here
    assert wanted(marc.TABLES["comment"]) - allowed_to_miss <= subfields(second) | subfields(first)
    assert [f["a"] for f in post.get_fields("653")] == ["one", "two"]
    assert (post["245"]["a"], post["100"]["a"], post["700"]["a"]) == (
        "Post 0 <of> many",
        "Ann",
        "Bob",
    )
    assert (post["269"]["c"], post["260"]["m"]) == ("2026-01-01", "2026-02-01")
    assert {f["3"] for f in blog.get_fields("542") if "3" in f} == {
        "copyright",
        "ownership rights",
        "distribution rights",
        "access rights",
    }
    assert blog["542"] is not None and [f["f"] for f in blog.get_fields("542") if "f" in f] == [
        BLOG.licence
    ]


def test_links_between_blog_entry_comment_and_parent_comment() -> None:
    post, first, second, third = records(
        entry_aip(entry(comments=3))["metadata/descriptive/marc.xml"]
    )
    blog = records(blog_aip(BlogInput(blog=BLOG, stamp=STAMP))["metadata/descriptive/marc.xml"])[0]
    assert (post["760"]["w"], post["760"]["4"]) == (blog["001"].data, "blog")
    assert (
        post["788"]["a"] == "true"
        and post["788"]["b"] == "3"
        and post["788"]["c"] == "2026-01-02T03:02:00Z"
    )
    assert all(record["773"]["w"] == post["001"].data for record in (first, second, third))
    answered = next(f for f in third.get_fields("773") if f["4"] == "comment")
    assert answered["w"] == second["001"].data and answered["o"] == "https://blog.example/post#c1"
    assert (
        third["789"]["u"] == "https://blog.example/post#c1"
        and first["789"]["u"] == "https://blog.example/post-0"
    )


STRICT = {
    "024": "a2",
    "040": "abce",
    "041": "a",
    "046": "jk2",
    "100": "ae",
    "245": "ab",
    "264": "bc",
    "336": "ab2",
    "337": "ab2",
    "338": "ab2",
    "500": "a",
    "520": "a",
    "538": "a",
    "540": "3au",
    "542": "df",
    "588": "a",
    "653": "a",
    "655": "a2",
    "700": "ae",
    "773": "otw",
    "787": "iow",
    "856": "3uyz",
}
INDICATORS = {
    "100": "0 ",
    "264": " 1",
    "700": "0 ",
    "773": "0 ",
    "787": "08",
    "588": "0 ",
    "024": "7 ",
}


def test_the_strict_profile_uses_only_what_marc_21_defines() -> None:
    files = entry_aip(entry(comments=3, profile="marc21"))["metadata/descriptive/marc.xml"]
    blog = blog_aip(BlogInput(blog=BLOG, stamp=STAMP, profile="marc21"))[
        "metadata/descriptive/marc.xml"
    ]
    found = [*records(files), *records(blog)]
    assert len(found) == 5
    for record in found:
        assert (
            len(str(record.leader)) == 24
            and len(record["008"].data) == 40
            and len(record["007"].data) == 14
        )
        assert record["245"] is not None and record["856"]["u"]
        for field in record.get_fields():
            if field.is_control_field():
                continue
            assert field.tag in STRICT, field
            assert all(sub.code in STRICT[field.tag] for sub in field.subfields), field
            if field.tag in INDICATORS:
                assert "".join(field.indicators) == INDICATORS[field.tag]
    post = found[0]
    assert post["008"].data == "260301e20260101xx |||||o|||||||| ||eng|d"
    assert (
        found[-1]["008"].data[6:15] == "c20109999"
        and found[-1]["008"].data[21] == "h"
        and found[-1]["008"].data[35:38] == "por"
    )
    assert found[3]["787"]["w"] == f"({found[2]['003'].data}){found[2]['001'].data}"


def test_a_bare_record_is_valid_too() -> None:
    bare = Blog(url="https://b.example/")
    for profile in ("blogforever", "marc21"):
        data = blog_aip(BlogInput(blog=bare, stamp=STAMP, profile=profile))[
            "metadata/descriptive/marc.xml"
        ]  # type: ignore[arg-type]
        assert records(data)[0]["245"]["a"].rstrip(".") == "https://b.example/"


@pytest.mark.skipif(shutil.which("yaz-marcdump") is None, reason="yaz is not installed")
@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
def test_yaz_reads_the_marc_records(profile: str, tmp_path: object) -> None:
    path = tmp_path / "marc.xml"  # type: ignore[operator]
    data = entry_aip(replace(entry(comments=2), profile=profile))["metadata/descriptive/marc.xml"]  # type: ignore[arg-type]
    path.write_bytes(data)
    done = subprocess.run(
        ["yaz-marcdump", "-i", "marcxml", "-o", "line", path], capture_output=True, text=True
    )
    assert done.returncode == 0 and "(" not in done.stdout.splitlines()[0], done.stdout[:300]
    assert done.stdout.count("\n001 ") == 3


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("pt-BR", "por"),
        ("zh_Hant", "chi"),
        ("iw", "heb"),
        ("DE", "ger"),
        ("cmn", "chi"),
        ("yue", "chi"),
        ("deu", "ger"),
        ("grc", "grc"),
        ("qqq", None),
        ("x", None),
        ("", None),
        (None, None),
        ("\u05d0", None),
    ],
)
def test_language_codes(tag: str | None, wanted: str | None) -> None:
    assert marc_language(tag) == wanted


def test_fields_without_content_are_left_out() -> None:
    record: marc.Records = []
    marc.datafield(record, "856", "42", ("3", "only a note"), ("u", ""))
    marc.datafield(record, "245", "00")
    assert record == []
    marc.datafield(record, "856", "42", ("3", "a note"), ("u", "http://blog.example"))
    assert "only" not in "".join(record) and "blog.example" in "".join(record)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<leader>0", "<leader>"),
        ('controlfield tag="001"', 'controlfield tag="1"'),
        ('datafield tag="040"', 'datafield tag="1"'),
    ],
)
def test_faults_are_found_before_anything_is_written(right: str, wrong: str) -> None:
    record: marc.Records = []
    marc21.add_blog(record, "urn:x", STAMP, BLOG)
    assert marc.written([record])
    with pytest.raises(PackagingError):
        marc.written([["".join(record).replace(right, wrong, 1)]])


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
def test_written_as_libxml2_writes_it(profile: str) -> None:
    post = replace(entry().post, title=NASTY, content_text=NASTY)
    comments = tuple(comment(n, author=NASTY, content_text=NASTY) for n in range(3))
    source = replace(entry(profile=profile), post=replace(post, comments=comments))
    text = entry_aip(source)["metadata/descriptive/marc.xml"]
    assert isinstance(text, bytes)
    assert serialize(parse(text)) == text


def test_control_characters_are_those_of_windows_1252_that_are_meant() -> None:
    assert clean("3 \x96 4, \x93Zitat\x94, \x81") == "3 \u2013 4, \u201cZitat\u201d, \ufffd"


def test_every_character_is_escaped_as_libxml2_does() -> None:
    element = etree.Element("x")
    for block in range(0, 0x11000, 0x100):
        text = "".join(map(chr, range(block, block + 0x100)))
        element.text = clean(text)
        assert etree.tostring(element, encoding="UTF-8").endswith(f"<x>{escape(text)}</x>".encode())


@pytest.mark.parametrize(
    ("title", "language", "wanted"),
    [
        ("The long way", "eng", 4),
        ("A post", "eng", 2),
        ("Theory", "eng", 0),
        ("The", "eng", 0),
        ("Die Reise", "ger", 4),
        ("Die hard", "eng", 0),
        ("L'été", "fre", 2),
        ("L’été", "fre", 2),
        ("La  mer", "fre", 4),
        ("'t Hart", "dut", 3),
        ("The way", None, 0),
        ("", "eng", 0),
        ("\u4e00\u4e2a", "chi", 0),
    ],
)
def test_initial_articles_are_passed_over_in_filing(
    title: str, language: str | None, wanted: int
) -> None:
    assert nonfiling(title, language) == wanted


def test_marks_before_an_article_are_passed_over_with_it() -> None:
    assert nonfiling("[The man who …]", "eng") == 5
    assert nonfiling("« La mer", "fre") == 0 and nonfiling("«La mer»", "fre") == 4
    assert nonfiling("[Man overboard]", "eng") == 0
    assert nonfiling('The "winter mind"', "eng") == 5 and nonfiling("L'«amour»", "fre") == 3
    assert nonfiling('"A" is for rain', "eng") == nonfiling("“Os” sábios", "por") == 0
    assert nonfiling("'The end'", "eng") == nonfiling("‘The end’", "eng") == 5


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
def test_every_record_has_a_title_and_one_main_entry(profile: str) -> None:
    long = (
        "So  many words\nthat nobody would take them all for the title of a post without "
        "one, nobody at all"
    )
    names = ("The Ann", "Bob")
    changes = {"title": None, "subtitle": None, "content_text": long, "authors": names}
    extra = {"aliases": "Annie"} if profile == "blogforever" else {}
    found = records(
        entry_aip(entry(comments=2, profile=profile, extra=extra, post_changes=changes))[
            "metadata/descriptive/marc.xml"
        ]
    )
    titled = "[So many words that nobody would take them all for the title …]"
    end = "." if profile == "marc21" else ""
    assert (
        found[0]["245"]["a"] == titled + end
        and found[1]["245"]["a"] == f"[Comment on: {titled.strip('[]')}]{end}"
    )
    for record in found:
        assert (
            len(record.get_fields("100")) == 1
            and "".join(record["245"].indicators) == "10"
            and len(record["008"].data) == 40
        )
    anonymous = entry(comments=0, profile=profile, post_changes={"title": "The End", "authors": ()})
    assert (
        "".join(records(entry_aip(anonymous)["metadata/descriptive/marc.xml"])[0]["245"].indicators)
        == "04"
    )
    assert marc.devised("") == "" and marc.devised("x" * 200) == "[" + "x" * 60 + " …]"


LINES = "First  line\nsecond\u2028third\r\n\tfourth"


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
def test_no_field_has_line_breaks(profile: str) -> None:
    changes = {"title": LINES, "content_text": LINES, "excerpt": LINES, "tags": (LINES,)}
    found = records(
        entry_aip(entry(comments=2, profile=profile, post_changes=changes))[
            "metadata/descriptive/marc.xml"
        ]
    )
    assert found[0]["520"]["a"].rstrip(".") == "First line second third fourth"
    for record in found:
        for field in record.get_fields():
            values = [field.data] if field.is_control_field() else [s.value for s in field]
            assert all(" ".join(value.split(" ")).isprintable() for value in values), field


def strict(**changes: object) -> list[pymarc.Record]:
    """Records of a blog, a post and its comments."""
    blog = blog_aip(BlogInput(blog=BLOG, stamp=STAMP, profile="marc21"))
    post = entry_aip(entry(comments=3, profile="marc21", post_changes=changes))
    return [
        record
        for files in (blog, post)
        for record in records(files["metadata/descriptive/marc.xml"])
    ]


def test_punctuation_is_that_of_isbd() -> None:
    blog, post, *comments = strict(title="Where to?", subtitle="a question")
    assert {record.leader[18] for record in (blog, post, *comments)} == {"i"}
    assert (post["245"]["a"], post["245"]["b"]) == ("Where to? :", "a question.")
    assert (post["264"]["b"], post["264"]["c"]) == ("A <blog> & more,", "2026-01-01.")
    assert (post["100"]["a"], post["100"]["e"]) == ("Ann,", "author.")
    assert [field["a"] for field in post.get_fields("700")] == ["Bob,"]
    assert strict(title="Where to?", subtitle=None)[1]["245"]["a"] == "Where to?."
    assert strict(title="Over.", subtitle=None)[1]["245"]["a"] == "Over."
    assert strict(title="木工 。", subtitle=None)[1]["245"]["a"] == "木工."
    assert strict(published=None)[1]["264"]["b"] == "A <blog> & more."
    assert strict()[0]["264"]["c"].endswith("-")


def test_approximate_first_year_of_a_blog_is_in_brackets() -> None:
    blog = replace(BLOG, first_post=read_written("2012~"))
    files = blog_aip(BlogInput(blog=blog, stamp=STAMP, profile="marc21"))
    (record,) = records(files["metadata/descriptive/marc.xml"])
    assert (record["264"]["c"], record["046"]["k"]) == ("[2012?]-", "2012~")


@pytest.mark.parametrize(
    ("said", "is_right"),
    [
        ("dut: 245: First word, het, does not appear to be an article, check 2nd ind (4).", True),
        ("eng: 245: First word, het, does not appear to be an article, check 2nd ind (4).", False),
        ("eng: 245: First word, la, may be an article, check 2nd indicator (0).", True),
        ("fre: 245: First word, la, may be an article, check 2nd indicator (0).", False),
        ("ger: 245: First word, das, may be an article, check ind (5). [Das “Neue” x]", True),
        ("ger: 245: First word, das, may be an article, check ind (4). [Das Neue “x”]", False),
        ('por: 245: First word, os, may be an article, check ind (0). ["Os" sábios]', True),
        ('por: 245: First word, os, may be an article, check ind (0). ["Os sábios"]', False),
        ("eng: 245: Must end with . (period).", False),
    ],
)
def test_articles_that_marc_lint_does_not_know(said: str, is_right: bool) -> None:
    assert is_right_article(f"file.xml: {said}") is is_right


def test_links_lead_to_records_of_blog_post_and_comments() -> None:
    found = strict()
    known = {f"({record['003'].data}){record['001'].data}" for record in found}
    links = [field["w"] for record in found for field in record.get_fields("773", "787")]
    assert len(links) >= 4 and set(links) <= known


def test_rights_terms_and_holder() -> None:
    blog = strict()[0]
    assert blog["542"]["d"] == "Ann" and blog["542"]["f"] == "© Ann"
    licence, own = blog.get_fields("540")
    assert licence["u"] == BLOG.licence
    assert (own["3"], own["a"]) == ("Archived copy", STAMP.operator.rights)
    assert strict()[1].get_fields("540")[-1]["a"] == STAMP.operator.rights


@pytest.mark.parametrize(
    ("identifier", "name", "agency"),
    [("DE-1", "A Library", "DE-1"), ("https://ror.org/02nv7yv05", "A Library", "A Library")],
)
def test_cataloguing_agency_is_the_organization(identifier: str, name: str, agency: str) -> None:
    stamp = replace(STAMP, operator=Organization(name=name, identifier=identifier))
    made = entry_aip(entry(profile="marc21", stamp=stamp))["metadata/descriptive/marc.xml"]
    assert {(r["040"]["a"], r["040"]["c"]) for r in records(made)} == {(agency, agency)}
    alone = entry(profile="marc21", stamp=replace(STAMP, operator=Organization()))
    made = entry_aip(alone)["metadata/descriptive/marc.xml"]
    assert records(made)[0]["040"]["a"] == "blogcrawl"


@pytest.mark.parametrize(
    ("year", "coded"), [(2023, "c20109999"), (2022, "u2010uuuu"), (None, "u2010uuuu")]
)
def test_blog_without_posts_for_years_is_not_said_to_be_current(
    year: int | None, coded: str
) -> None:
    last = datetime(year, 5, 1, tzinfo=UTC) if year else None
    blog = replace(BLOG, first_post=datetime(2010, 5, 1, tzinfo=UTC), last_post=last)
    assert marc.blog_data(blog, datetime(2026, 3, 1, tzinfo=UTC)).startswith(coded)


@pytest.mark.parametrize(
    ("changes", "source"),
    [
        ({}, "title from web page"),
        ({"extraction": {"title": {"method": "feed"}}}, "title from feed"),
        ({"title": None}, "title devised from first words of text"),
    ],
)
def test_source_of_the_title_is_named(changes: dict[str, object], source: str) -> None:
    post, comment = strict(**changes)[1:3]
    assert post["588"]["a"] == f"Online resource; {source} (viewed 2026-03-01)."
    assert comment["500"]["a"] == "Title devised by the archive."


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("It began", "It began."),
        ("It ended.", "It ended."),
        ("Why?", "Why?"),
        ("He said: “Go!”", "He said: “Go!”"),
        ("木工です。", "木工です。"),
        ("word " * 200, "…"),
    ],
)
def test_summary_ends_with_a_mark_of_punctuation(text: str, ended: str) -> None:
    assert strict(excerpt=text)[1]["520"]["a"].endswith(ended)


def test_addresses_are_uris_and_lost_files_are_named() -> None:
    media = (
        MediaFile(url="https://blog.example/größe 1.png?a=%20b", error="HTTP 404"),
        MediaFile(url="https://blog.example/b.png", alt="B"),
    )
    lost, kept = strict(media=media)[1].get_fields("856")[1:]
    assert lost["u"] == "https://blog.example/gr%C3%B6%C3%9Fe%201.png?a=%20b"
    assert (lost["3"], lost["z"]) == ("Image", "Not archived: HTTP 404.")
    assert kept["y"] == "B" and not kept.get_subfields("z")


@pytest.mark.parametrize(
    ("notice", "holder"),
    [
        ("© 2014 Ann Example. All rights reserved.", "Ann Example"),
        ("Copyright (c) 2009-2012, The Firm Ltd", "The Firm Ltd"),
        ("Copyright 2011 by Jane Roe", "Jane Roe"),
        ("All content copyright Jane Roe © 2016 • All rights reserved.", "Jane Roe"),
        ("© Ann · 2009", "Ann"),
        ("© 2020", ""),
        ("All rights reserved", ""),
        ("Take what you like", ""),
        ("© " + "long " * 60, ""),
    ],
)
def test_holder_named_by_a_copyright_notice(notice: str, holder: str) -> None:
    assert marc21.copyright_holder(notice) == holder


def test_address_with_link_text_and_day_of_capture() -> None:
    post = strict()[1]
    assert (post["856"]["y"], post["856"]["z"]) == (
        "Post on the web",
        "As captured on 2026-03-01.",
    )
    assert "(viewed 2026-03-01)" in post["588"]["a"]


def test_summary_ends_between_words() -> None:
    short = marc21.summary("word " * 400)
    assert len(short) <= 502 and short.endswith("word …")
    assert marc21.summary("one\ntwo") == "one two"


LINT = """
use MARC::Lint; use MARC::File::XML (BinaryEncoding => 'utf8', RecordFormat => 'MARC21');
use MARC::Batch;
my $batch = MARC::Batch->new('XML', shift);
while (my $record = $batch->next) {
    my $lint = MARC::Lint->new; $lint->check_record($record); print "$_\\n" for $lint->warnings;
}
"""


def has_lint() -> bool:
    if shutil.which("perl") is None:
        return False
    modules = ["perl", "-MMARC::Lint", "-MMARC::File::XML", "-e", "1"]
    return subprocess.run(modules, capture_output=True).returncode == 0


@pytest.mark.skipif(not has_lint(), reason="Perl's MARC::Lint and MARC::XML are not installed")
@pytest.mark.parametrize(
    ("title", "language"), [("L'heure", "fr"), ("\u4e00\u4e2a", "zh-Hant"), ("Kettles", None)]
)
def test_marc_lint_has_no_warning(title: str, language: str | None, tmp_path: Path) -> None:
    changes = {"title": title, "subtitle": None, "language": language}
    for files in (
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, profile="marc21")),
        entry_aip(entry(comments=3, profile="marc21")),
        entry_aip(entry(comments=1, profile="marc21", post_changes=changes)),
    ):
        path = tmp_path / "marc.xml"
        data = files["metadata/descriptive/marc.xml"]
        assert isinstance(data, bytes)
        path.write_bytes(data)
        done = subprocess.run(["perl", "-e", LINT, path], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("", "")
