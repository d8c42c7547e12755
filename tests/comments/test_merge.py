from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.comments import merge
from blogcrawl.core.records import Comment

T = datetime(2020, 1, 1, tzinfo=UTC)


def c(
    id: str,
    text: str = "",
    author: str | None = "Ann",
    at: int | None = 0,
    source: str = "html",
    **more: object,
) -> Comment:
    when = None if at is None else T + timedelta(hours=at)
    return Comment(
        id=id,
        author=author,
        published=when,
        content_text=text or f"text of {id}",
        content_html=f"<p>{text or id}</p>",
        source=source,
        **more,
    )  # type: ignore[arg-type]


def test_duplicates_by_number_keep_the_better_fields() -> None:
    page = [
        c("12", "Hello there, my friend", at=None, parent_id=None, author_url="http://ann.example"),
        c("13", at=2, parent_id="12"),
    ]
    feed = [c("12", "Hello there, my friend", at=1, source="feed")]
    merged = merge(feed, page)
    assert [(m.id, m.source, m.parent_id) for m in merged] == [
        ("12", "feed", None),
        ("13", "html", "12"),
    ]
    assert merged[0].author_url == "http://ann.example" and merged[0].published == T + timedelta(
        hours=1
    )


def test_duplicates_by_text_keep_their_replies() -> None:
    feed = [c("1324925262487", "Bonjour à vous deux, merci de partager", "Luc", 1, "feed")]
    page = [
        c("847", "Bonjour à vous deux, merci de partager", "Luc", 2),
        c("848", "Merci Luc", "André", 3, parent_id="847"),
    ]
    merged = merge(page, feed)
    assert [(m.id, m.parent_id) for m in merged] == [
        ("1324925262487", None),
        ("848", "1324925262487"),
    ]


def test_truncated_feed_text_is_taken_from_the_page() -> None:
    full = "A long comment that goes on and on, well beyond the place where the feed cuts it off."
    (merged,) = merge([c("1", "A long comment that goes on […]", source="feed")], [c("1", full)])
    assert merged.content_text == full and merged.source == "feed"


def test_text_with_the_words_of_buttons_behind_it_is_the_same_comment() -> None:
    text = "What bread, and in your own oven"
    feed = [c("1598", text, "Bo", 1, "feed")]
    page = [c("b4", f"{text}\nSvar Slet Flere svar Vis alle svar Tilføj et svar", "Bo", 1)]
    assert [m.content_text for m in merge(feed, page)][1:] == []
    later = [c("b4", f"{text}, and then again", "Bo", 3)]
    assert len(merge(feed, later)) == 2


def test_equal_comments_of_one_source_are_two() -> None:
    assert len(merge([c("1", "+1", at=1), c("2", "+1", at=2)])) == 2
    assert (
        len(
            merge(
                [c("1", "+1", "Ann", 1), c("2", "+1", "Bob", 2)], [c("1", "+1", "Ann", 1, "feed")]
            )
        )
        == 2
    )


def test_short_texts_of_other_authors_are_no_duplicates() -> None:
    assert len(merge([c("1", "Thanks!", "Ann", source="feed")], [c("x", "Thanks!", "Bob")])) == 2


def test_newest_first_pages_are_sorted_with_replies_after_parents() -> None:
    merged = merge([c("3", at=9), c("2", at=5, parent_id="4"), c("1", at=1), c("4", at=7)])
    assert [m.id for m in merged] == ["1", "4", "2", "3"]


def test_unknown_parents_and_cycles_are_dropped() -> None:
    merged = merge(
        [
            c("1", at=1, parent_id="99"),
            c("2", at=2, parent_id="3"),
            c("3", at=3, parent_id="2"),
            c("4", at=4, parent_id="4"),
        ]
    )
    parents = {m.id: m.parent_id for m in merged}
    assert parents["1"] is None and parents["4"] is None and None in (parents["2"], parents["3"])


ids = st.sampled_from([str(n) for n in range(8)])
comments = st.lists(
    st.builds(
        lambda i, p, a, t: c(i, f"text {t}", at=a, parent_id=p),
        ids,
        st.none() | ids,
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    max_size=8,
    unique_by=lambda x: x.id,
)


@given(comments, comments)
def test_merging_neither_loses_nor_duplicates_comments(
    left: list[Comment], right: list[Comment]
) -> None:
    right = [
        Comment(
            id=x.id,
            author=x.author,
            published=x.published,
            content_text=x.content_text,
            parent_id=x.parent_id,
            source="feed",
        )
        for x in right
    ]
    merged = merge(left, right)
    found = [m.id for m in merged]
    assert len(found) == len(set(found))
    assert {x.id for x in right} <= set(found)
    assert len(merged) >= max(len(left), len(right))
    place = {m.id: i for i, m in enumerate(merged)}
    assert all(m.parent_id is None or place[m.parent_id] < place[m.id] for m in merged)
    assert [m.id for m in merge(merged)] == found


def test_merge_of_30_000_comments_takes_linear_time() -> None:
    def thread(count: int, levels: int) -> list[Comment]:
        parents = [f"c{i - 1}" if i % levels else None for i in range(count)]
        said = {"author": "Anonymous", "source": "html"}
        return [
            Comment(id=f"c{i}", content_text=f"Yes {i % 7}", parent_id=p, **said)
            for i, p in enumerate(parents)
        ]  # type: ignore[arg-type]

    def twins(count: int) -> list[Comment]:
        return [
            Comment(id=f"t{i}", author="Anonymous", content_text=f"Yes {i % 7}", source="feed")
            for i in range(count)
        ]

    def seconds(count: int, levels: int) -> float:
        began = process_time()
        merged = merge(thread(count, levels), twins(count))
        assert len(merged) == count
        place = {c.id: i for i, c in enumerate(merged)}
        assert all(c.parent_id is None or place[c.parent_id] < place[c.id] for c in merged)
        return process_time() - began

    small = min(seconds(3_000, 500) for _ in range(2))
    assert seconds(30_000, 5_000) < 30 * small


def test_merge_of_hundreds_of_pages_takes_linear_time() -> None:
    def pages(count: int) -> list[list[Comment]]:
        of_page = [range(50 * n, 50 * n + 50) for n in range(count)]
        return [
            [Comment(id=f"c{i}", author="Ann", content_text=f"Yes {i}", source="html") for i in row]
            for row in of_page
        ]

    def seconds(count: int) -> float:
        sources = pages(count)
        began = process_time()
        assert len(merge(*sources)) == 50 * count
        return process_time() - began

    few = min(seconds(50) for _ in range(2))
    assert min(seconds(400) for _ in range(2)) < 24 * few, "quadratic: 64 times"


def test_cycle_of_replies_is_broken_without_loss() -> None:
    answers = {"a": "b", "b": "c", "c": "b", "d": "a"}
    rows = [
        Comment(id=i, content_text=f"Text {i}", parent_id=p, source="html")
        for i, p in answers.items()
    ]
    merged = merge(rows)
    above = {c.id: c.parent_id for c in merged}
    assert set(above) == set("abcd")
    for start in above:
        node, steps = above[start], 0
        while node is not None:
            node, steps = above[node], steps + 1
            assert steps < 5


def test_two_mentions_by_one_site_that_pages_number_differently_are_two() -> None:
    first, second = (
        replace(c(number, author="A blog", at=None), content_text="", kind="pingback")
        for number in ("184", "193")
    )
    assert [m.id for m in merge([first], [second])] == ["184", "193"]
    feed = replace(first, id="x-1", source="feed")
    assert len(merge([feed], [first])) == 1
