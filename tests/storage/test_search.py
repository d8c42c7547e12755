"""Full text: what is found, quoted, counted, kept up to date; no query is an error."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawl.cli.main import cli
from blogcrawl.core.errors import ArchiveError, StorageError
from blogcrawl.packaging import ids
from blogcrawl.storage.search import finding
from blogcrawl.storage.search.base import ORDERS, Filters
from blogcrawl.storage.search.filling import lag
from blogcrawl.storage.search.queries import parse
from blogcrawl.storage.search.sqlite import _bits, _Neighbours
from tests.cluster.services import postgres
from tests.packaging.samples import MOMENT
from tests.storage.search_archive import SearchArchive, post

BLOG, OTHER = "https://blog.example.org/", "https://other.example.org/"
POSTS = [
    post(
        "glaciers",
        "The ice of the Rhône glacier melts. Every year the guides move the path.",
        ["I was there in spring, and the ice cave was closed.", "Der Gletscher schmilzt."],
        title="Melting ice",
        authors=("Élodie Brun",),
        tags=("alps", "climate"),
        language="en",
        published=datetime(2019, 7, 1, tzinfo=UTC),
    ),
    post(
        "cave",
        "We closed the cave: no ice this year. The path guides no one.",
        title="A cave",
        authors=("Jo Miller",),
        tags=("alps",),
        language="en",
        published=datetime(2020, 1, 1, tzinfo=UTC),
    ),
    post("tokyo", "東京都庁の展望室から富士山が見えた。", language="ja", title="東京"),
    post("thai", "วันนี้อากาศดีมาก ไปเที่ยวกรุงเทพ", language="th"),
    post("hebrew", "שָׁלוֹם לכולם, ברוכים הבאים", language="he"),
    post("party", "We won 🎉 don't ask how"),
]


def filled(folder: Path) -> SearchArchive:
    archive = SearchArchive(folder)
    archive.archive(*POSTS)
    archive.fill()
    return archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SearchArchive]:
    made = filled(tmp_path / "archive")
    yield made
    made.state.close()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("ice", ["glaciers", "cave"]),
        ("ICE closed", ["cave", "glaciers"]),
        ('"closed the cave"', ["cave"]),
        ("“the path”", ["cave", "glaciers"]),
        ('"the guides move"', ["glaciers"]),
        ('"guides the"', []),
        ("glac*", ["glaciers"]),
        ('"ice cav*"', ["glaciers"]),
        ('"ice ca" *', []),
        ("ice -gletscher", ["cave"]),
        ('ice -"closed the"', ["glaciers"]),
        ("rhone", ["glaciers"]),
        ("elodie", ["glaciers"]),
        ("other", ["glaciers"]),
        ("climate", ["glaciers"]),
        ("東京", ["tokyo"]),
        ("富士山", ["tokyo"]),
        ("山", ["tokyo"]),
        ("京東", []),
        ("อากาศ", ["thai"]),
        ("กรุงเทพ", ["thai"]),
        ("שלום", ["hebrew"]),
        ("🎉", ["party"]),
        ("don't", ["party"]),
        ("dont", []),
        ("nothing here", []),
    ],
)
def test_posts_are_found(archive: SearchArchive, query: str, names: list[str]) -> None:
    assert archive.names(query) == names


def test_index_in_postgresql_finds_the_same(tmp_path: Path, archive: SearchArchive) -> None:
    pytest.importorskip("psycopg")
    with postgres() as server:
        if server is None:
            pytest.skip("no PostgreSQL binaries")
        other = SearchArchive(tmp_path / "other", server.url)
        other.archive(*POSTS)
        assert other.fill().indexed == len(POSTS)
        for query in (
            *("ice", '"closed the cave"', '"guides the"', '"ice cav*"', "glac*", "東京", "山"),
            *("ice -gletscher", 'ice -"closed the"', "-ice", "rhone", "שלום", "🎉", "don't", ""),
        ):
            for order in ORDERS:
                one, two = archive.find(query, order=order), other.find(query, order=order)
                dated = [hit.url for hit in two.hits if hit.published]
                assert {hit.url for hit in one.hits} == {hit.url for hit in two.hits}, query
                assert [hit.url for hit in one.hits if hit.published] == dated, query
                assert one.total == two.total
                for kind, values in one.facets.items():
                    assert dict(two.facets[kind]) == dict(values), (query, kind)
        assert other.names("ice", filters=Filters(tag=("climate",), year=("2019",))) == ["glaciers"]
        assert other.names("ice", filters=Filters(author=("Nobody",))) == []
        for hard in ("'; DROP TABLE posts --", "a\\\\' & !b:*", "\x00\ud800", "(()) | <->"):
            other.find(hard, filters=Filters(author=(hard,)))
        other.archive(post("cave", "All new."))
        assert other.fill().indexed == 1 and other.names("new") == ["cave"]
        index = other.index()
        index.drop([other.find("new").hits[0].aip_id], erase=True)
        assert other.names("new") == [] and lag(other.state, index) == 1
        index.clear()
        assert other.find("").total == 0
        other.state.close()


def test_everything_is_found_without_words(archive: SearchArchive) -> None:
    assert archive.find('"').total == len(POSTS)
    assert set(archive.names("-ice")) == {"tokyo", "thai", "hebrew", "party"}


def test_posts_with_the_words_in_their_title_are_first(archive: SearchArchive) -> None:
    assert archive.names("ice") == ["glaciers", "cave"]
    assert archive.names("ice", order="newest") == ["cave", "glaciers"]
    assert archive.names("ice", order="oldest") == ["glaciers", "cave"]


def test_facets_are_counted_and_chosen(archive: SearchArchive) -> None:
    archive.archive(post("third", "ice", tags=("alps",)), blog=OTHER)
    archive.fill()
    facets = archive.find("ice").facets
    assert facets["blog"] == [(ids.blog_id(BLOG), 2), (ids.blog_id(OTHER), 1)]
    assert facets["tag"] == [("alps", 3), ("climate", 1)]
    assert dict(facets["year"]) == {"2019": 1, "2020": 1}
    assert facets["language"] == [("en", 2)]
    assert archive.names("ice", filters=Filters(year=("2020",))) == ["cave"]
    assert archive.names("ice", filters=Filters(year=("2019", "2020"), tag=("climate",))) == [
        "glaciers"
    ]
    assert archive.names("ice", filters=Filters(blog=(ids.blog_id(OTHER),))) == ["third"]
    assert archive.names("", filters=Filters(author=("Nobody",))) == []


def test_snippets_quote_post_and_comments(archive: SearchArchive) -> None:
    [hit] = archive.find('guides "closed"', filters=Filters(year=("2019",))).hits
    assert [(one.kind, one.comment, one.author) for one in hit.snippets] == [
        ("text", None, None),
        ("comment", "glaciers-0", "Ann Other"),
    ]
    for snippet, word in zip(hit.snippets, ("guides", "closed"), strict=True):
        assert word in [snippet.text[start:end] for start, end in snippet.marks]


def test_snippet_is_the_piece_with_most_of_the_words(archive: SearchArchive) -> None:
    text = "one " + "filler " * 200 + "two then one\nand more " + "filler " * 200
    archive.archive(post("long", text))
    archive.fill()
    [hit] = archive.find("one two", filters=Filters()).hits
    [snippet] = hit.snippets
    assert [snippet.text[start:end] for start, end in snippet.marks] == ["two", "one"]
    assert snippet.text[0] == snippet.text[-1] == "…" and len(snippet.text) <= 202


def test_phrases_that_are_not_there_are_not_counted_on_the_last_page(
    archive: SearchArchive,
) -> None:
    """Words and pairs of the phrase are there, not the phrase."""
    archive.archive(post("apart", "good old. old times. times good"))
    archive.fill()
    found = archive.find('"good old times"')
    assert (found.total, found.hits, found.exact, found.next) == (0, (), True, None)
    assert not any(found.facets.values())


def test_a_phrase_is_looked_for_until_a_post_has_it(
    archive: SearchArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By chance the pairs of many posts seem to be there."""
    monkeypatch.setattr(
        _Neighbours, "have", lambda made, numbers, pairs: np.ones(len(numbers), bool)
    )
    others = [post(f"apart{n}", f"rare {n} words here", published=MOMENT) for n in range(12)]
    archive.archive(post("whole", "here are rare words"), *others)
    archive.fill()
    found = archive.find('"rare words"', limit=2)
    assert [hit.url[-5:] for hit in found.hits] == ["whole"] and found.next is None
    monkeypatch.setattr(finding, "MAX_UNFOUND", 5)
    found = archive.find('"rare words"', limit=1)
    assert not found.hits and found.next == 5 and not found.exact and found.total >= 1


def test_pairs_of_words_are_read_as_they_were_written() -> None:
    random = np.random.default_rng(1)
    kept = {number: random.integers(2**32, size=number).tolist() for number in (3, 700, 40, 9)}
    fields = [_bits(kept[number]) for number in sorted(kept)]
    sizes = np.array([len(one) for one in fields])
    made = _Neighbours(
        ids=np.array(sorted(kept)),
        starts=np.cumsum(sizes) - sizes,
        sizes=8 * sizes,
        fields=np.frombuffer(b"".join(fields), np.uint8),
    )
    for number, pairs in kept.items():
        assert made.have(np.array([1, number, 1000]), pairs[:3]).tolist() == [False, True, False]
    others = random.integers(2**32, size=(2000, 1)).tolist()
    share = np.mean([made.have(np.array([700]), pairs) for pairs in others])
    assert 0.2 < share < 0.35, "a pair that a post has not hits its bits by chance"


def test_the_index_is_a_third_of_the_text(archive: SearchArchive) -> None:
    random = Random(1)
    words = [f"{number * 7919:x}" for number in range(1, 5_000)]
    weights = [1 / number for number in range(3, 5_002)]
    texts = [" ".join(random.choices(words, weights, k=700)) for _ in range(300)]
    archive.archive(*(post(f"long-{number}", one) for number, one in enumerate(texts)))
    archive.fill()
    with closing(archive.index()) as index:
        index.settle()
    [path] = archive.config.archive_path.glob("search.db")
    assert path.stat().st_size < 0.35 * sum(map(len, texts))
    five = texts[7].split()[300:305]
    found = archive.find('"' + " ".join(five) + '"')
    assert [hit.url for hit in found.hits] == ["https://blog.example.org/long-7"]
    assert found.total < 10


def test_pages_follow_each_other(archive: SearchArchive) -> None:
    first = archive.find("", limit=4)
    assert first.next == 4
    second = archive.find("", limit=4, after=first.next)
    assert second.next is None
    assert len({hit.url for hit in (*first.hits, *second.hits)}) == len(POSTS)


def test_changed_and_removed_posts(archive: SearchArchive) -> None:
    archive.archive(post("cave", "All new."))
    index = archive.index()
    assert lag(archive.state, index) == 1
    index.close()
    done = archive.fill()
    assert (done.indexed, done.dropped) == (1, 0)
    assert archive.names("closed") == ["glaciers"] and archive.names("new") == ["cave"]
    with archive.state.write() as connection:
        connection.exec_driver_sql("DELETE FROM posts WHERE url LIKE '%cave'")
    assert archive.fill().dropped == 1
    assert archive.names("new") == []
    assert archive.fill().indexed == 0
    index = archive.index()
    index.settle()
    index.close()
    with sqlite3.connect(Path(archive.config.archive) / "search.db") as database:
        assert database.execute("PRAGMA freelist_count").fetchone() == (0,)
    with sqlite3.connect(Path(archive.config.archive) / "search.db") as database:
        database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, row)")
        words = {word for (word,) in database.execute("SELECT term FROM words")}
    assert "melts" in words and "new" not in words and "miller" not in words


def test_damaged_packages_are_passed_over(archive: SearchArchive) -> None:
    [row] = archive.archive(post("bad", "ice that melts"))
    archive.fill()
    for path in Path(archive.config.archive, "packages").rglob("post.json"):
        if b"ice that melts" in path.read_bytes():
            path.write_bytes(b"{")
    found = archive.find("ice")
    assert found.unread == (row.aip_id,) and len(found.hits) == 2
    os.remove(Path(archive.config.archive) / "search.db")
    assert list(archive.fill().unread) == [row.aip_id]
    assert archive.names("ice") == ["glaciers", "cave"]
    # a row whose terms can't be read any more goes; its terms find nothing
    archive.archive(post("bad", "water"))
    archive.fill()
    assert archive.names("water") == ["bad"] and "bad" not in archive.names("melts")


def test_index_that_is_no_database_says_what_to_do(archive: SearchArchive) -> None:
    (Path(archive.config.archive) / "search.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StorageError) as caught:
        archive.find("ice")
    assert "--rebuild" in str(caught.value.advice)
    done = CliRunner().invoke(cli, ["index", "--rebuild", "-a", archive.config.archive])
    assert done.exit_code == 0, done.output
    assert archive.names("rhone") == ["glaciers"]


def test_index_of_another_format_is_made_anew(archive: SearchArchive) -> None:
    with sqlite3.connect(Path(archive.config.archive) / "search.db") as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(ArchiveError):
        archive.index(reading=True)
    assert archive.fill().indexed == len(POSTS)


def test_read_only_archive(archive: SearchArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blogcrawl.storage.search.sqlite.is_writable", lambda path: False)
    before = sorted(os.listdir(archive.config.archive))
    index = archive.index(reading=True)
    assert index.find(parse("ice")).total == 2
    index.close()
    assert sorted(os.listdir(archive.config.archive)) == before


def run(archive: SearchArchive, *arguments: str) -> Any:
    return CliRunner().invoke(cli, [*arguments, "-a", archive.config.archive])


def test_search_command(archive: SearchArchive) -> None:
    done = run(archive, "search", "the cave", "--year", "2020", "--json")
    found = json.loads(done.stdout)
    assert [hit["url"] for hit in found["hits"]] == ["https://blog.example.org/cave"]
    assert found["hits"][0]["snippets"][0]["marks"]
    done = run(archive, "search", "ice", "cave", "--blog", "blog.example.org")
    assert "*ice*" in done.stdout and "2 posts" in done.stdout and BLOG in done.stdout
    archive.archive(post("more", "ice"))
    assert "1 posts are not in the index" in run(archive, "search", "ice").stderr
    assert "1 posts indexed" in run(archive, "index").stdout


def test_search_without_index_names_the_command(archive: SearchArchive) -> None:
    os.remove(Path(archive.config.archive) / "search.db")
    shutil.rmtree(Path(archive.config.archive) / "nowhere", ignore_errors=True)
    with pytest.raises(ArchiveError, match="no search index"):
        archive.index(reading=True)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchArchive]:
    made = filled(tmp_path_factory.mktemp("shared") / "archive")
    yield made
    made.state.close()


QUERIES = st.one_of(
    st.text(),
    st.text(alphabet="\"'*-():^{}+ANDORNEARx東ก\u0301\u200d\x00\ud800 ", max_size=30),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=QUERIES, value=st.text(max_size=5))
def test_no_query_is_an_error(shared: SearchArchive, text: str, value: str) -> None:
    shared.find(text)
    shared.find(text, filters=Filters(author=(value,), tag=(value, text)), order="oldest")


@settings(max_examples=80, deadline=None)
@given(
    words=st.lists(st.sampled_from([one.content_text for one in POSTS]), min_size=1, max_size=2),
    data=st.data(),
)
def test_every_piece_of_a_text_is_found(
    shared: SearchArchive, words: list[str], data: st.DataObject
) -> None:
    """A piece between blanks, as a phrase, finds its post."""
    pieces = words[0].split(" ")
    first = data.draw(st.integers(0, len(pieces) - 1))
    last = data.draw(st.integers(first, len(pieces) - 1))
    piece = " ".join(pieces[first : last + 1])
    name = next(one.url for one in POSTS if one.content_text == words[0])
    assert name in [hit.url for hit in shared.find(f'"{piece}"', limit=50).hits]
