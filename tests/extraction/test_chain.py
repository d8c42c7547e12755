"""One value per field: the cross-checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from blogcrawl.core.errors import UsageError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Fields, FieldValue
from blogcrawl.extraction import chain
from blogcrawl.extraction.decide import decide, is_learned
from blogcrawl.extraction.methods.generic import GenericExtractor
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.extraction.methods.self_training import completed, named_by_heads, unanswered
from blogcrawl.extraction.pages.listing import Places, list_hints
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.induction.site_facts import AuthorFacts, SiteFacts, TitleFacts

PAGE = Page(
    url="http://b.example/2012/05/11/a-trip",
    body=b"<html><head><title>A trip | Blog</title></head><body><p>x</p></body></html>",
)


def said(value: object, confidence: float, method: str = "m") -> FieldValue:
    return FieldValue(value=value, method=method, confidence=confidence)


def chosen(
    found: Fields,
    entry: FeedEntry | None = None,
    authors: AuthorFacts | None = None,
    titles: TitleFacts | None = None,
) -> dict[str, FieldValue]:
    facts = SiteFacts(authors=authors or AuthorFacts(), titles=titles or TitleFacts())
    return decide(found, PAGE, RuleSet(facts=facts), entry)


def test_title_within_the_document_title_beats_higher_confidence() -> None:
    assert (
        chosen({"title": [said("Recent posts", 0.8), said("A trip", 0.7)]})["title"].value
        == "A trip"
    )


def test_date_agreeing_with_the_url_beats_higher_confidence() -> None:
    right, wrong = datetime(2012, 5, 11, 8, tzinfo=UTC), datetime(2019, 1, 1, tzinfo=UTC)
    assert chosen({"published": [said(wrong, 0.8), said(right, 0.7)]})["published"].value == right


def test_date_by_a_supported_rule_beats_one_in_the_text() -> None:
    rule, quoted = (
        said(datetime(2012, 6, 2, tzinfo=UTC), 0.79, "rules"),
        said(datetime(2009, 1, 1, tzinfo=UTC), 0.86, "metadata"),
    )
    page = Page(url="http://b.example/trip", body=b"<p>x</p>")
    assert (
        decide({"published": [rule, quoted]}, page, RuleSet(), None)["published"].value
        == rule.value
    )
    exact = said(datetime(2012, 6, 2, 17, 30, tzinfo=UTC), 0.86, "metadata")
    assert (
        decide({"published": [rule, exact]}, page, RuleSet(), None)["published"].value
        == exact.value
    )


def test_url_date_is_used_as_a_last_resort() -> None:
    assert chosen({})["published"].value == datetime(2012, 5, 11, tzinfo=UTC)


def test_learned_content_wins_and_guesses_are_compared() -> None:
    learned, guess, better = (
        said("rule's", 0.4, "rules"),
        said("block's", 0.45, "mcst"),
        said("density's", 0.66, "generic"),
    )
    assert chosen({"content": [learned, guess, better]})["content"] is learned
    assert chosen({"content": [guess, better]})["content"] is better


def test_headings_win_over_unrelated_document_titles() -> None:
    values = [said("The real title", 0.8, "rules"), said("A trip", 0.82, "metadata")]
    assert chosen({"title": values})["title"].value == "A trip"
    foreign = TitleFacts(foreign_heads=True)
    assert chosen({"title": values}, titles=foreign)["title"].value == "The real title"


def test_what_a_rule_meets_where_the_title_was_is_none_where_documents_are_called_as_posts() -> (
    None
):
    values = [said("12 views", 0.9, "rules"), said("The trip", 0.5, "generic")]
    assert chosen({"title": values})["title"].value == "12 views"
    named = TitleFacts(own_heads=True)
    assert chosen({"title": values}, titles=named)["title"].value == "The trip"


def _of_untitled_post(document: str, heading: str) -> str | None:
    """The title of a post without one on a blog called "Ann's notes"."""
    page = Page(
        url="http://b.example/2012/05/11/rain-and-stones",
        body=(
            f"<html><head><title>{document}</title><meta property=og:site_name content='Ann notes'>"
            f"</head><body><h1>{heading}</h1><p>x</p></body></html>"
        ).encode(),
    )
    start = TitleFacts(common=["ann notes - stones, rain and salt"], own_heads=True)
    found: Fields = {
        "title": [
            FieldValue(value=heading, method="rules", confidence=0.9, rule="//h1"),
            said("Ann notes", 0.4, "keypath"),
            said(document.rpartition(" - ")[2], 0.6, "metadata"),
        ][not heading :]
    }
    best = decide(found, page, RuleSet(facts=SiteFacts(titles=start)), None)
    return best["title"].value if "title" in best else None


@pytest.mark.parametrize(
    "document", ["Ann notes", "Ann notes | Ann notes", "Ann notes - stones, rain and salt"]
)
def test_parts_of_a_documents_title_that_is_the_sites_are_no_titles(document: str) -> None:
    assert _of_untitled_post(document, "") is None


def test_what_stands_for_no_title_is_none() -> None:
    assert _of_untitled_post("Ann notes", "Untitled") is None
    assert _of_untitled_post("Ann notes", "Rain again") == "Rain again"
    assert _of_untitled_post("Untitled | Ann notes", "Untitled") == "Untitled", "a poem's, maybe"
    assert _of_untitled_post("(无标题) | Ann notes", "(无标题)") is None


def test_what_stands_for_no_title_is_none_where_the_document_is_called_as_the_start_page() -> None:
    home = "<p class=site-title><a href='http://b.example/'>Ann notes</a></p>"
    body = f"<html><head><title>Ann notes</title></head><body>{home}<h1>Untitled</h1></body></html>"
    heading = FieldValue(value="Untitled", method="rules", confidence=0.9, rule="//h1")
    page = Page(url="http://b.example/2012/05/11/14-2", body=body.encode())
    assert "title" not in decide({"title": [heading]}, page, RuleSet(), None)


def test_quotation_mark_that_ends_a_title_is_no_sign_of_a_link() -> None:
    title = "The command « Open »"
    body = "<html><head><title>The command « Open\u00a0»</title></head><body>x</body></html>"
    page = Page(url="http://b.example/p1", body=body.encode())
    found: Fields = {"title": [said(title, 0.9)]}
    assert decide(found, page, RuleSet(), None)["title"].value == title


@pytest.mark.parametrize(
    ("document", "chosen"),
    [
        ("C++ River | archive | Ann", "C++ River | archive"),
        ("C++ River archive | Ann", "C++ River archive"),
    ],
)
def test_title_has_the_marks_that_heading_and_document_have(document: str, chosen: str) -> None:
    """Generators run the title in the metadata through Markdown, which takes a bar for a table."""
    html = f"<html><head><title>{document}</title></head><body><h1>C++ River | archive</h1></body>"
    found: Fields = {
        "title": [
            said("C++ River archive", 0.9, "metadata"),
            replace(said("C++ River | archive", 0.8, "metadata"), rule="h1"),
        ]
    }
    page = Page(url="http://b.example/p1", body=html.encode())
    assert decide(found, page, RuleSet(), None)["title"].value == chosen


def test_learned_values_are_not_treated_as_guesses() -> None:
    learned = [
        said("x", 0.2, "rules"),
        said("x", 0.8, "mcst"),
        said("x", 0.6, "keypath"),
        said("x", 0.7, "series"),
    ]
    assert all(map(is_learned, learned))
    assert not any(
        map(
            is_learned,
            [said("x", 0.45, "mcst"), said("x", 0.58, "svm"), said("x", 0.68, "generic")],
        )
    )


def test_feed_values_are_preferred() -> None:
    entry = FeedEntry(
        url=PAGE.url,
        title="Feeds & Vec<T>",
        authors=("jo@x.org (Jo)",),
        published=datetime(2012, 5, 12, tzinfo=UTC),
    )
    out = chosen({"title": [said("A trip", 0.9)], "authors": [said(["Ann"], 0.9)]}, entry)
    assert (out["title"].value, out["authors"].value, out["published"].value) == (
        "Feeds & Vec<T>",
        ["Jo"],
        entry.published,
    )


def test_sitemap_dates_are_weak_evidence() -> None:
    entry = FeedEntry(url=PAGE.url, published=datetime(2021, 1, 1, tzinfo=UTC), source="sitemap")
    assert chosen({}, entry)["published"].value == datetime(2012, 5, 11, tzinfo=UTC)


def test_post_without_a_name_has_no_author() -> None:
    assert "authors" not in chosen({"authors": [said(["12.05.2012"], 0.9)]})


def test_only_author_of_a_blog_is_the_default() -> None:
    assert chosen({}, authors=AuthorFacts(usual=["Ann"]))["authors"].value == ["Ann"]
    assert chosen({"authors": [said(["Bo"], 0.9)]}, authors=AuthorFacts(usual=["Ann"], share=0.8))[
        "authors"
    ].value == ["Bo"]


@pytest.mark.parametrize(("share", "name"), [(1.0, "Alexandra Illina"), (0.8, "Alexandra Ilina")])
def test_only_author_with_another_spelling_on_a_page(share: float, name: str) -> None:
    found: Fields = {"authors": [said(["Alexandra Ilina"], 0.9)]}
    assert chosen(found, authors=AuthorFacts(usual=["Alexandra Illina"], share=share))[
        "authors"
    ].value == [name]
    assert chosen(
        {"authors": [said(["Ann Lee"], 0.9)]}, authors=AuthorFacts(usual=["Alexandra Illina"])
    )["authors"].value == ["Ann Lee"]


def test_subtitle_is_no_repeated_title() -> None:
    assert "subtitle" not in chosen(
        {"title": [said("A trip", 0.9)], "subtitle": [said("a trip", 0.9)]}
    )


def test_full_feed_content_is_used_if_the_page_has_none() -> None:
    entry = FeedEntry(url=PAGE.url, content_html="<p>all of it</p>", is_full=True)
    assert chosen({}, entry)["content"].value == "<p>all of it</p>"


def test_methods_run_until_all_fields_are_known() -> None:
    assert next(iter(chain.names())) == "rules"
    assert chain.method("no such method") is None
    assert chain.gather(PAGE, None, chain.NEEDED) == {}


def test_list_with_date_headings_and_odd_links() -> None:
    body = b"""<body><h2>May 11, 2012</h2><div class=post><h3><a href="/2012/05/one">One</a></h3><p>text</p></div>
    <h2>May 10, 2012</h2><div class=post><h3><a href="/2012/05/two">Two</a></h3><p>t</p><a href="/2012/05/two#c">4 comments</a></div>
    <a href="javascript:x()">x</a><a href="http://[bad">y</a><a href="//other.example/2012/05/z">z</a></body>"""  # noqa: E501
    hints = list_hints(Page(url="http://b.example/", body=body), lambda url: "/2012/05/" in url)
    assert [(h.title, h.day and h.day.day) for h in hints] == [("One", 11), ("Two", 10)]


def test_flat_list_with_dates_below_posts() -> None:
    rows = "".join(
        (
            f'<h2><a href="/2012/05/{name}">{name}</a></h2><p>Some words of the post.</p><p '
            f'class="foot">Published on May {day} under Food</p>'
        )
        for name, day in (("one", 11), ("two", 10))
    )
    hints = list_hints(
        Page(url="http://b.example/", body=f"<body>{rows}</body>".encode()),
        lambda url: "/2012/05/" in url,
    )
    assert [(h.title, h.day and h.day.isoformat()) for h in hints] == [
        ("one", "2012-05-11"),
        ("two", "2012-05-10"),
    ]


def test_dates_of_a_sidebar_stand_below_posts_whatever_the_main_list_does() -> None:
    main = "".join(
        f"<h3>May {day}, 2012</h3><h4><a href='/2012/05/{name}'>{name}</a></h4><p>Some words.</p>"
        for name, day in (("new", 13), ("next", 12))
    )
    side = "".join(
        f"<a href='/2012/05/{name}'>{name}</a><br><div class='date'>May {day} 2012</div><br>"
        for name, day in (("one", 11), ("two", 10), ("old", 9))
    )
    body = f"<body><div>{main}</div><div class='side'><h3>Recent</h3>{side}</div></body>"
    hints = list_hints(
        Page(url="http://b.example/", body=body.encode()), lambda url: "/2012/05/" in url
    )
    assert [(h.title, h.day and h.day.day) for h in hints] == [
        ("new", 13),
        ("next", 12),
        ("one", 11),
        ("two", 10),
        ("old", 9),
    ]


def test_dates_stand_below_all_posts_of_a_list_however_their_links_are_built() -> None:
    rows = "".join(
        f"<div><h4><a href='/2012/05/{name}'>{name}</a></h4><p>{text}</p></div>"
        f"<p>May {day}, 2012</p>"
        for name, day, text in (
            ("new", 14, "Some words."),
            ("next", 13, "<a href='/2012/05/next'>Read all of it</a>"),
            ("third", 12, "Some words."),
        )
    )
    hints = list_hints(
        Page(url="http://b.example/", body=f"<body>{rows}</body>".encode()),
        lambda url: "/2012/05/" in url,
    )
    assert [h.day and h.day.day for h in hints] == [14, 13, 12]


def test_list_link_in_a_post_position_is_a_post() -> None:
    names = ("a-long-one", "b-long-one", "c-long-one", "x")
    rows = "".join(
        f'<div class="e"><h3><a href="/p/{name}">{name}</a></h3></div>' for name in names
    )
    nav = (
        '<ul class="nav"><li><a href="/about">About</a></li><li><a '
        'href="/p/a-long-one">New</a></li></ul>'
    )
    places = Places()
    hints = list_hints(
        Page(url="http://b.example/", body=(rows + nav).encode()),
        lambda url: url.endswith("-long-one"),
        places=places,
    )
    assert {h.url.rsplit("/", 1)[1] for h in hints} == {
        "a-long-one",
        "b-long-one",
        "c-long-one",
        "x",
    }
    assert places.listed("http://b.example/p/x") and not places.listed("http://b.example/about")


@pytest.mark.parametrize("head, share", [("About us", 0.0), ("{} | Blog", 1.0), ("Blog", 0.0)])
def test_meaning_of_document_titles_is_learned_from_the_feed(head: str, share: float) -> None:
    titles = [
        "A walk in the rain",
        "What the moor taught us",
        "Bread without an oven",
        "Letters to nobody",
    ]
    samples = [
        Sample(
            page=Page(
                url=f"http://b.example/{n}",
                body=f"<html><head><title>{head.format(title)}</title></head><p>x</p>".encode(),
            ),
            entry=FeedEntry(url=f"http://b.example/{n}", title=title),
        )
        for n, title in enumerate(titles)
    ]
    assert named_by_heads(samples) == share
    assert named_by_heads(samples[:2]) is None


def test_unknown_fields_are_probed_on_two_pages_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    gather = chain.gather
    monkeypatch.setattr(
        chain,
        "gather",
        lambda page, *rest, **more: asked.append(page.url) or gather(page, *rest, **more),
    )
    body = (
        f"<html><head><title>Walk</title></head><body><h1>Walk</h1><p>"
        f"{'Some words of a walk, ' * 20}</p></body></html>"
    ).encode()
    urls = [f"http://b.example/walk-{n}" for n in "abcde"]
    moment = datetime(2019, 5, 3, tzinfo=UTC)
    known = [
        Sample(
            page=Page(url=url, body=body), entry=FeedEntry(url=url, title="Walk", published=moment)
        )
        for url in urls
    ]
    assert unanswered(known, RuleSet())[0] == ["published"] and asked == urls[:2]
    asked.clear()
    _, absent = completed(known, RuleSet())
    assert absent == ["authors"] and asked == [urls[0], urls[-1]]


def test_known_fields_are_not_searched_outside_the_content() -> None:
    body = (
        "<html><head><title>Walk</title></head><body><h1>Walk</h1><p class=d>May 3, "
        "2019</p><p>by Ute Maier</p>"
    )
    page = Page(
        url="http://b.example/walk",
        body=f"{body}<p>{'Some words of a walk, ' * 20}</p></body></html>".encode(),
    )
    both = GenericExtractor().supplement(replace(page), None, ()) or {}
    assert {value.method for field in ("published", "authors") for value in both[field]} == {
        "generic"
    }
    assert not {"published", "authors"} & set(
        GenericExtractor().supplement(replace(page), None, ("published", "authors")) or {}
    )


def test_only_missing_fields_are_searched() -> None:
    head = (
        '<meta property="og:title" content="Walk"><meta name="author" content="Ute '
        'Maier"><meta name="date" content="2019-05-03">'
    )
    body = (
        f"<h1>Walk</h1><p class=byline>by <a rel=author href=/u>Ute "
        f"Maier</a></p><p>{'Some words of a walk, ' * 20}</p>"
    )
    page = Page(
        url="http://b.example/walk",
        body=f"<html lang=en><head>{head}</head><body>{body}</body></html>".encode(),
    )
    whole, part = (
        MetadataExtractor().extract(page),
        MetadataExtractor().supplement(replace(page), None, ("title", "authors", "content")),
    )
    assert whole is not None and {"title", "authors"} <= set(whole)
    assert part == {
        field: values for field, values in whole.items() if field not in ("title", "authors")
    }


def test_methods_never_right_on_a_blog_are_skipped() -> None:
    def dated(day: int) -> Sample:
        # the theme's own day
        head = f'<meta name="date" content="2001-01-01"><title>Walk {day}</title>'
        body = (
            f'<h1>Walk {day}</h1><p class="posted">May {day}, '
            f"2019</p><p>{'Some words of a walk, ' * 20}</p>"
        )
        url = f"http://b.example/walk-{day}"
        page = Page(url=url, body=f"<html><head>{head}</head><body>{body}</body></html>".encode())
        return Sample(
            page=page, entry=FeedEntry(url=url, published=datetime(2019, 5, day, tzinfo=UTC))
        )

    absent, useless = unanswered([dated(day) for day in (3, 9, 14, 22)], RuleSet())
    assert (
        absent == []
        and "metadata" in useless["published"]
        and "generic" not in useless["published"]
    )
    rest, asked = [field for field in chain.NEEDED if field != "published"], Counter[str]()
    said = chain.gather(
        replace(dated(5).page), RuleSet(facts=SiteFacts(useless=useless)), rest, asked=asked
    )
    assert set(asked) == {"rules", "generic"} and {value.method for value in said["published"]} >= {
        "generic"
    }


@pytest.fixture
def selection() -> Iterator[None]:
    """Give the methods in use back after a test."""
    yield
    chain.select(())


class Shouting:
    """An extractor as another package would register it."""

    name = "shouting"

    def extract(self, page: Page, ruleset: RuleSet | None) -> Fields | None:
        return {"title": [FieldValue(value="LOUD", method=self.name, confidence=0.9)]}


@pytest.mark.usefixtures("selection")
def test_selected_methods_run_in_the_given_order() -> None:
    chain.select(["generic", "keypath"])
    assert list(chain.names()) == ["rules", "generic", "keypath"]
    chain.select(())
    assert list(chain.names()) == ["rules", *chain.METHODS]


@pytest.mark.usefixtures("selection")
def test_extractor_of_another_package_found_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = EntryPoint("shouting", f"{__name__}:Shouting", chain.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda self: Shouting)
    monkeypatch.setattr(chain, "entry_points", lambda group, name: [entry])
    chain.select(["shouting"])
    asked: Counter[str] = Counter()
    found = chain.gather(PAGE, None, ("authors", "published", "content"), asked=asked)
    assert [value.value for value in found["title"]] == ["LOUD"] and asked["shouting"] == 1


@pytest.mark.usefixtures("selection")
def test_unknown_extractor_is_a_usage_error_that_names_it() -> None:
    with pytest.raises(UsageError, match="no extractor is called 'nonesuch'"):
        chain.select(["nonesuch"])


def test_setup_registers_the_methods_as_entry_points() -> None:
    setup = (Path(__file__).parents[2] / "setup.py").read_text("utf-8")
    for name, target in chain.METHODS.items():
        assert f'"{name} = {target}"' in setup


def test_document_title_is_used_only_without_a_better_one() -> None:
    doubtful = {"title": [said("A trip", 0.18)]}
    assert chosen(doubtful)["title"].value == "A trip"
    assert chosen({})["title"].value == "A trip | Blog"
