"""Several posts on one page, with URLs that differ in the fragment: each is cut out whole and
alone, also on pages that the feed never showed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.extraction.model import BlogModel, Hints, extract_post, learn_blog
from blogcrawl.extraction.pages.learn_post_splitter import learn_parts
from blogcrawl.extraction.pages.multi_post import PartShape, part_page, split_page
from blogcrawl.induction.ruleset import Sample
from blogcrawl.text.visible import squeeze
from blogcrawl.urls.canonical import canonicalize, entry_key
from tests.diaries import KINDS, Diary, days_and_boxes, names_and_rules

BASE = "http://diary.example"


def page_at(diary: Diary, path: str) -> Page:
    return Page(
        url=BASE + path, body=diary.pages[path].encode(), headers={"content-type": "text/html"}
    )


def learned(diary: Diary) -> tuple[PartShape | None, list[Sample]]:
    feed = parse_feed(diary.feed.encode(), BASE + "/feed.xml")
    pages = {path: page_at(diary, path) for path in diary.pages}
    samples = [
        Sample(page=pages[entry.url[len(BASE) :].partition("#")[0]], entry=entry)
        for entry in feed.entries
    ]
    return learn_parts(samples, canonicalize(BASE + "/")), samples


def model_of(shape: PartShape, samples: list[Sample], home: Page) -> BlogModel:
    parts = [(part_page(s.page, shape, s.entry.url), s.entry) for s in samples]
    model = learn_blog(
        [Sample(page=part, entry=entry) for part, entry in parts if part is not None],
        Hints(home=home),
    )
    model.parts = shape
    return model


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_fragment_post_is_extracted_beyond_the_feed(kind: Callable[[str], Diary]) -> None:
    assert_extracted(kind(BASE))


def test_bold_titles_and_feet_with_the_tag_of_paragraphs_are_no_text() -> None:
    """A short last paragraph is."""
    diary = names_and_rules(BASE)

    def plain(text: str) -> str:
        return re.sub("<h3>(.*?)</h3>", r"<p><b>\1.</b></p>", text.replace(' class="posted"', ""))

    pages = {path: plain(text) for path, text in diary.pages.items()}
    assert_extracted(Diary(pages, diary.feed, diary.notes))


def assert_extracted(diary: Diary) -> None:
    shape, samples = learned(diary)
    assert shape is not None
    model = model_of(shape, samples, page_at(diary, "/"))
    wanted = {entry_key(BASE + note.path): note for note in diary.notes}
    found = {}
    for path in dict.fromkeys(note.page for note in diary.notes):
        for part in split_page(page_at(diary, path), shape):
            post = extract_post(part, model)
            assert isinstance(post, Post), (part.url, post)
            assert part.whole is not None and part.whole.url == BASE + path
            found[post.canonical_url] = post
    assert found.keys() == wanted.keys()
    for key, note in wanted.items():
        post = found[key]
        assert squeeze(post.content_text) == squeeze(" ".join(note.paragraphs)), key
        assert post.title == note.title
        assert post.published is not None and post.published.date() == note.date.date(), key


def test_author_of_each_fragment_is_its_own() -> None:
    diary = days_and_boxes(BASE)
    shape, samples = learned(diary)
    assert shape is not None
    model = model_of(shape, samples, page_at(diary, "/"))
    oldest = diary.notes[0]
    part = part_page(page_at(diary, oldest.page), shape, BASE + oldest.path)
    assert part is not None
    post = extract_post(part, model)
    assert isinstance(post, Post) and post.authors == (("Ann Lee", "Bob Ray")[oldest.number % 2],)


def test_fragment_shape_survives_json() -> None:
    for kind in KINDS:
        diary = kind(BASE)
        shape, samples = learned(diary)
        assert shape is not None
        model = model_of(shape, samples, page_at(diary, "/"))
        assert BlogModel.from_json(json.loads(json.dumps(model.to_json()))).parts == shape


def test_copies_belong_to_the_page_they_link_to() -> None:
    diary = names_and_rules(BASE)
    shape, _ = learned(diary)
    assert shape is not None and not shape.on_home
    assert (
        split_page(page_at(diary, "/"), shape) == []
    )  # the newest five, each with a link to its place
    assert split_page(page_at(diary, "/about.html"), shape) == []


def test_missing_fragments_are_no_training() -> None:
    diary = names_and_rules(BASE)
    bare = Diary(
        {path: text.replace("<a name=", "<a data-x=") for path, text in diary.pages.items()},
        diary.feed,
        diary.notes,
    )
    assert learned(bare)[0] is None


def test_unrelated_anchors_are_no_training() -> None:
    diary = names_and_rules(BASE)
    texts = {}
    for path, text in diary.pages.items():
        here = [n for n in diary.notes if n.page == path]
        names = "".join(
            f'<a name="{n.fragment}"></a><p>Nothing of that post stands here {n.number}</p>'
            for n in here
        )

        texts[path] = text.replace("<a name=", "<a data-x=").replace(
            "</body>", f"<div>{names}</div></body>"
        )
    assert learned(Diary(texts, diary.feed, diary.notes))[0] is None


def test_odd_multi_post_pages_are_survived() -> None:
    diary = names_and_rules(BASE)
    shape, _ = learned(diary)
    assert shape is not None
    for body in (
        b"",
        b"<a name=e1>",
        b"<html><a name=e1></a><a name=e1></a>",
        b"<a name='e1'><a name=e2>" * 3000,
        b"<div><a name=e9><p>x" * 2000,
    ):
        for part in split_page(Page(url=BASE + "/odd.html", body=body), shape):
            assert part.url.startswith(BASE + "/odd.html#e") and part.tree is not None


def test_posts_nested_in_one_another_are_cut_however_deep() -> None:
    """As unclosed boxes make them; each holds all that follow."""
    posts = "".join(f"<div><a name=e{n}></a><p>The ferry left late, {n}.</p>" for n in range(1500))
    page = Page(url=BASE + "/all.html", body=f"<html><body>{posts}</body></html>".encode())
    found = split_page(page, PartShape(tag="a", forms=(r"e\d+",)))
    assert [squeeze(part.tree.text_content()) for part in found[::500]] == [
        f"The ferry left late, {n}." for n in (0, 500, 1000)
    ]
    assert len(found) == 1500
