"""Learning a blog and extracting its other posts, on generated blogs of many themes and feeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from blogcrawl.extraction.model import BlogModel, Hints, NotAPost, extract_post, learn_blog
from blogcrawl.induction.similarity import fold
from blogcrawl.items import Post
from tests.induction.themes import THEMES, Generated, generate

FEEDS = ("full", "excerpt", "first", "titles", "joined", "reencoded")


def bigram_dice(a: str, b: str) -> float:
    a, b = fold(a), fold(b)
    x, y = (Counter(zip(t, t[1:], strict=False)) for t in (a, b))
    return 2 * sum((x & y).values()) / max(1, sum(x.values()) + sum(y.values()))


def extracted(blog: Generated) -> Iterator[tuple[Post, object]]:
    model = learn_blog(blog.samples, Hints(home=blog.home))
    model = BlogModel.from_json(json.loads(json.dumps(model.to_json())))
    for page, truth in blog.rest:
        result = extract_post(page, model, None, promised=True)
        assert isinstance(result, Post), result
        yield result, truth


@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_theme_with_every_feed(theme: str, feed: str) -> None:
    rows = list(extracted(generate(theme, feed=feed)))
    wrong = [(p.title, t.title) for p, t in rows if bigram_dice(p.content_text, t.text) < 0.9]
    assert not wrong, [(p.content_text[:200], p.extraction["content"]) for p, t in rows if bigram_dice(p.content_text, t.text) < 0.9][:2]
    if feed != "joined":
        assert [p.title for p, _ in rows] == [t.title for _, t in rows]
    assert [p.published.date() for p, _ in rows if p.published] == [t.moment.date() for _, t in rows]
    if theme != "duplicates":
        assert [p.authors for p, _ in rows] == [(t.author,) for _, t in rows]
