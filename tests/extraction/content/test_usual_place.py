"""The element that holds the posts of a blog, where methods read page by page."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.content.usual_place import at_usual_place

BODY = "<body><div class='row'><{box}>{text}</{box}></div><footer><p>All rights</p></footer></body>"


def pages(box: str = "main", count: int = 5) -> list[Page]:
    made = (BODY.format(box=box, text=f"<p>Post {n}</p>") for n in range(count))
    return [Page(url=f"http://b/{n}", body=body.encode()) for n, body in enumerate(made)]


def contents(series: list[Page], *tags: str) -> list[FieldValue | None]:
    return [
        FieldValue(value=next(page.tree.iter(tag)), method="generic", confidence=0.7)
        for page, tag in zip(series, tags, strict=True)
    ]


def chosen(series: list[Page], *tags: str) -> list[str]:
    found = at_usual_place(contents(series, *tags), series)
    return [value.value.tag if value is not None else "" for value in found]


def test_short_posts_whose_footer_weighs_more_are_read_where_the_others_are() -> None:
    assert chosen(pages(), "main", "main", "body", "main", "footer") == ["main"] * 5


def test_contents_at_many_places_stay() -> None:
    mixed = ["main", "main", "body", "footer", "p"]
    assert chosen(pages(), *mixed) == mixed


def test_part_of_the_usual_element_stays() -> None:
    assert chosen(pages(), "main", "main", "p", "main", "main")[2] == "p"


def test_page_without_the_usual_element_keeps_its_own() -> None:
    series = [*pages(count=4), *pages("section", 1)]
    assert chosen(series, *["main"] * 4, "section")[-1] == "section"


def test_page_on_which_nothing_was_found_stays_so() -> None:
    series = pages()
    found = contents(series, *["main"] * 5)
    assert at_usual_place([None, *found[1:]], series)[0] is None


def test_element_without_names_is_known_by_its_path() -> None:
    body = "<body><div><div>Blog</div><div><p>Post {n}</p></div></div><div>Foot</div></body>"
    series = [Page(url=f"http://b/{n}", body=body.format(n=n).encode()) for n in range(5)]
    boxes = [next(page.tree.iter("body"))[0][1] for page in series]
    found = [FieldValue(value=box, method="generic", confidence=0.7) for box in boxes]
    whole = FieldValue(value=boxes[0].getparent(), method="generic", confidence=0.7)
    assert [v.value for v in at_usual_place([whole, *found[1:]], series) if v] == boxes
