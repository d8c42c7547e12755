"""What pages of the years of TrackBack tell in comments."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.trackback import described
from blogcrawl.extraction.methods.metadata import MetadataExtractor

BODY = (
    "<p>It rained for three days and nobody minded, least of all the snails in the garden.</p>" * 4
)


def rdf(address: str, title: str, day: str) -> str:
    return f"""<!--
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
<rdf:Description rdf:about="{address}" trackback:ping="{address}/tb" dc:title="{title}" dc:identifier="{address}"
 dc:subject="Garden" dc:creator="Ann Gard&#233;n" dc:date="{day}T21:10:00+01:00" /></rdf:RDF>
-->"""  # noqa: E501


def page_of(markup: str, url: str = "http://b.example/archives/000017.html") -> Page:
    return Page(
        url=url,
        body=f"<html><head><title>b</title></head><body><div>{BODY}</div>{markup}</body></html>".encode(),
    )


def test_the_description_of_the_pages_own_post() -> None:
    own = rdf("http://b.example/archives/000017.html", "Snails &amp; rain", "2004-05-06")
    other = rdf("http://b.example/archives/000018.html", "Sun", "2004-05-07")
    for markup in (own, own + other, own.replace("000017", "17")):
        found = MetadataExtractor().extract(page_of(markup))
        assert found is not None
        assert found["title"][0].value == "Snails & rain" and found["authors"][0].value == [
            "Ann Gardén"
        ]
        assert found["published"][0].value.isoformat() == "2004-05-06T20:10:00+00:00"
    assert described(page_of(own + other, "http://b.example/archives/")) == {}, (
        "a list's are nobody's"
    )


def test_the_day_in_a_comment() -> None:
    said = (
        "<p>Last edited <b>Sun Nov 22 10:47:18 2026</b> <!-- Created <span class=date>Wed "
        "Dec 11 16:51:10 2013</span> --></p>"
    )
    assert described(page_of(said)) == {"date": "2013-12-11T16:51:10"}
    assert described(page_of(said + said.replace("2013", "2012"))) == {}
    assert (
        described(
            page_of("<!-- Page created in 0.52 seconds --><!-- created by hand, 3 colours -->")
        )
        == {}
    )
