from __future__ import annotations

import pytest

from blogcrawl.discovery.full_text import cut_mark, judge

LONG = "<p>" + "Words of a post. " * 80 + "</p><p>The end.</p>"


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Words [&#8230;]", 2),
        ("Words [...]", 2),
        ("<p>Words</p> <a href='x'>Continue reading <span>My post title</span> →</a>", 2),
        ("Words… Read More »", 2),
        ("Mots <a>Lire la suite</a>", 2),
        ("Wörter <a>Weiterlesen …</a>", 2),
        ("слова <a>Читать далее</a>", 2),
        ("文字 <a>続きを読む</a>", 2),
        ("字 阅读全文 »", 2),
        ("말 더 보기", 2),
        ("Words…", 1),
        ("Words...", 1),
        ("The end.", 0),
        ("", 2),
        (
            "<p>I will read more books, and there is much more to say about them. That is all.</p>",
            0,
        ),
        ("Words [&#8230;]\n<p>The post <a>T</a> appeared first on <a>B</a>.</p>", 2),
        ("Words end.\n<p>The post <a>T</a> appeared first on <a>B</a>.</p>", 0),
    ],
)
def test_excerpt_endings_are_recognised(text: str, mark: int) -> None:
    assert cut_mark(text) == mark


def whole(
    texts: list[str], declared: bool, summaries: list[str | None] | None = None
) -> list[bool]:
    return judge(texts, summaries or [None] * len(texts), [declared] * len(texts))


def test_full_content_is_recognised() -> None:
    assert whole([LONG] * 3, True) == [True] * 3
    assert whole(["<p>One line.</p>"], True) == [True]
    assert whole([LONG, "<p>Short note.</p>", LONG], False) == [True, True, True]


def test_excerpts_are_recognised() -> None:
    assert whole([f"<p>{'w ' * 50}[…]</p>"] * 5, True) == [False] * 5
    assert whole(["Just a sentence about the post."] * 4, False) == [False] * 4
    cut = [("abcdefgh " * 200)[i : i + 200] for i in range(8)]  # all 200 characters long
    assert whole(cut, True) == [False] * 8
    hugo = [f"<p>{'w ' * n}</p><p>{'v ' * n}</p>" for n in (90, 100, 120, 140, 150, 110)]
    assert whole(hugo, False) == [False] * 6


def test_content_that_repeats_the_summary_is_an_excerpt() -> None:
    excerpts = [f"<p class='excerpt'><p>{'w ' * n}<b>v</b></p></p>" for n in (90, 40, 120, 60)]
    assert whole(excerpts, True) == [True] * 4
    assert whole(excerpts, True, ["w " * n + "v" for n in (90, 40, 120, 60)]) == [False] * 4
    assert (
        whole([LONG] * 4, True, [" ".join("Words of a post." for _ in range(9))] * 4) == [True] * 4
    )


def test_feed_mixing_full_content_and_excerpts() -> None:
    teasers = [f"<p>{'w ' * 150}<a>Read more</a></p>"] * 4
    assert whole([*teasers, "<p>A short post, whole.</p>"], True) == [False] * 4 + [True]
    assert whole([LONG] * 9 + ["<p>Until next time…</p><p>x</p><p>So long…</p>"], True)[-1] is True
    assert whole(["<p>Stub.</p>"], True, ["<p>" + "a longer summary " * 20 + "</p>"]) == [False]
    assert whole([], True) == []
    assert judge([None, ""], [None, None], [True, True]) == [False, False]
