"""Posts of a blog of pictures, many of which have no text at all."""

from __future__ import annotations

from datetime import UTC, datetime

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import BlogModel, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

CREDIT = "Running on the pimped Harbour theme, which Ann Lee drew. The font is by Bob."
TEXT = (
    "We went up to the old lighthouse early in the morning, when the fog was still on the water, "
    "and waited for the ferry with a pot of tea."
)
SOUTH = "The south of the island is quiet in winter, and nobody minds a man with a tripod there."


def _page(n: int, said: str = "", picture: str = "<img src=/p/{}.jpg>") -> Page:
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("recent", "map", "about"))
    post = f"<h1>Harbour {n}</h1>{said}<div class=photos>{picture.format(n)}</div>"
    body = (
        f"<ul id=nav>{menu}</ul><div id=wrap><div class=right>{post}<p>Shot: May {n}, 2013</p>"
        f"</div></div><div id=footer><p>{CREDIT}</p></div>"
    )
    html = f"<html><body>{body}</body></html>"
    return Page(url=f"http://b.example/2013/05/{n:02}/harbour/", status=200, body=html.encode())


def _model() -> BlogModel:
    """What is learned of six pictures, one of which has a word of text in the feed."""
    samples = [
        Sample(
            page=_page(n, "<p>Boats </p>" if n == 3 else ""),
            entry=FeedEntry(
                url=_page(n).url,
                title=f"Harbour {n}",
                published=datetime(2013, 5, n, tzinfo=UTC),
                content_html="<p>Boats </p>" if n == 3 else "",
                is_full=True,
                source="feed",
            ),
        )
        for n in range(1, 7)
    ]
    return learn_blog(samples)


def test_what_all_pages_repeat_is_no_text_of_a_post_without_one() -> None:
    post = extract_post(_page(9), _model(), promised=True)
    assert isinstance(post, Post)
    assert CREDIT[:20] not in post.content_text
    assert [one.url for one in post.media] == ["http://b.example/p/9.jpg"]


def test_text_of_a_post_among_pictures_is_found() -> None:
    post = extract_post(_page(9, f"<p>{TEXT}</p><p>{SOUTH}</p>"), _model(), promised=True)
    assert isinstance(post, Post)
    assert TEXT in post.content_text
    assert CREDIT[:20] not in post.content_text


def test_promised_post_without_text_and_picture_stays_a_post() -> None:
    post = extract_post(_page(9, picture=""), _model(), promised=True)
    assert isinstance(post, Post)
    assert CREDIT[:20] not in post.content_text
