"""Does a page need a browser? By its own looks, by what the feed promises, by what renderings
brought before.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.rendering.need import GIVE_UP_AFTER, Gain, RenderVerdict, decide, is_shell, observe
from blogcrawl.rendering.systems import script_of
from tests.crawling.pipelines import shellblog

PROSE = " ".join(f"word{i} of the post" for i in range(60))
SCRIPT = "<script src='/x.js'></script>"


def page(body: str, url: str = "http://blog.example/post", **more: object) -> Page:
    return Page(
        url=url,
        body=f"<!doctype html><html><head><title>A post</title></head><body>{body}</body></html>".encode(),  # noqa: E501
        **more,
    )  # type: ignore[arg-type]


def entry(text: str = PROSE, title: str = "A post") -> FeedEntry:
    return FeedEntry(url="http://blog.example/post", title=title, content_html=f"<p>{text}</p>")


def reasons(p: Page, e: FeedEntry | None = None) -> tuple[str, ...]:
    return decide(p, e, RenderVerdict()).reasons


def test_plain_pages_need_no_rendering() -> None:
    assert reasons(page(f"<article>{PROSE}</article>{SCRIPT}"), entry()) == ()
    assert reasons(page("<p>Short but whole.</p>"), None) == ()
    assert reasons(page("<p>No scripts, nothing to gain.</p>"), entry()) == ()


@pytest.mark.parametrize(
    "body",
    [
        shellblog.SHELL,
        f"<div id='__next'></div>{SCRIPT}",
        f"<app-root></app-root>{SCRIPT}",
        f"<noscript>Please enable JavaScript to view this site</noscript>{SCRIPT}",
        f"<div id='main-app'><p>Loading…</p></div>{SCRIPT}",
        f"<nav>{PROSE}</nav><div id='app'></div>{SCRIPT}",
    ],
)
def test_application_shells_need_rendering(body: str) -> None:
    assert "shell" in reasons(page(body))


def test_pages_resembling_shells_need_no_rendering() -> None:
    noscript = (
        "<noscript>Please enable JavaScript to view the <a "
        "href='https://disqus.com'>comments powered by Disqus.</a></noscript>"
    )
    assert not is_shell(
        page(
            f"<div class=post><h1>Three words</h1><p>are a whole post.</p></div>{SCRIPT}{noscript}"
        )
    )
    assert not is_shell(page(f"<div id='root'><article>{PROSE}</article></div>{SCRIPT}"))
    assert not is_shell(page(f"<p>{PROSE}</p><div id='app'>No notes yet</div>{SCRIPT}"))
    assert reasons(page(f"<p>Tiny post.</p><a href='/'>home</a>{SCRIPT}")) == ()
    assert reasons(page(f"<div id='root'></div>{SCRIPT}", status=404)) == ()
    assert (
        reasons(
            Page(
                url="http://x.example/a.pdf",
                body=b"%PDF-1.4",
                headers={"content-type": "application/pdf"},
            )
        )
        == ()
    )


def test_page_lacking_the_feed_content_needs_rendering() -> None:
    other = " ".join(f"menu{i} item" for i in range(60))
    assert reasons(page(f"<nav>{other}</nav>{SCRIPT}"), entry()) == ("lacks-content",)
    assert "lacks-title" in reasons(
        page(f"<nav>{other}</nav>{SCRIPT}"), entry(title="Something never written here")
    )
    assert reasons(page(f"<article>{PROSE[: len(PROSE) // 2]}</article>{SCRIPT}"), entry()) == (), (
        "half of it is an excerpt"
    )
    japanese = "今日は天気がいいので散歩に行きました。" * 4
    assert (
        reasons(page(f"<article>{japanese}とても楽しかった。</article>{SCRIPT}"), entry(japanese))
        == ()
    )
    assert reasons(page(f"<nav>{other}</nav>{SCRIPT}"), entry(japanese)) == ("lacks-content",)


def test_systems_with_a_public_address_need_no_browser() -> None:
    isso = (
        "<script data-isso='//c.example/' src='//c.example/js/embed.min.js'></script><section"
        " id=isso-thread></section>"
    )
    need = decide(page(f"<article>{PROSE}</article>{isso}"), entry(), RenderVerdict())
    assert not need.render and need.systems[0].endpoint == "http://c.example/?uri=%2Fpost"
    assert decide(
        page(f"<article>{PROSE}</article><section id=isso-thread></section>"),
        entry(),
        RenderVerdict(),
    ).reasons == ("comments:isso",)
    assert not decide(
        page(f"<article>{PROSE}</article><!-- <div id='disqus_thread'></div> -->"),
        entry(),
        RenderVerdict(),
    ).render


def test_rendering_modes_never_and_always() -> None:
    shell, plain = page(shellblog.SHELL), page(f"<p>{PROSE}</p>")
    assert not decide(shell, None, RenderVerdict(), "never").render
    assert decide(plain, None, RenderVerdict(), "always").reasons == ("always",)


def disqus(n: int) -> Page:
    return page(
        f"<article>{PROSE}</article><div id=disqus_thread></div>", url=f"http://blog.example/{n}"
    )


def test_unproductive_reason_is_dropped_and_retried_occasionally() -> None:
    verdict, rendered = RenderVerdict(), 0
    for n in range(1000):
        need = decide(disqus(n), entry(), verdict)
        rendered += need.render
        verdict = observe(verdict, need, Gain(1000, 1000, 0) if need.render else None)
        verdict = RenderVerdict.from_json(json.loads(json.dumps(verdict.to_json())))
    assert GIVE_UP_AFTER + 4 <= rendered < 0.01 * 1000
    assert verdict.pages == 1000 and verdict.rendered == rendered


def test_returning_comment_system_is_rendered_again() -> None:
    verdict = RenderVerdict()
    for n in range(60):
        need = decide(disqus(n), entry(), verdict)
        verdict = observe(
            verdict, need, Gain(1000, 1500, 0 if n < 30 else 7) if need.render else None
        )
    assert decide(disqus(99), entry(), verdict).render


def test_comment_counter_script_is_no_comment_system() -> None:
    count = (
        "<script>var disqus_shortname = 'x';</script><script "
        "src='//x.disqus.com/count.js'></script><a href='/1#disqus_thread'>2</a>"
    )
    assert not decide(page(f"<article>{PROSE}</article>{count}"), None, RenderVerdict()).systems


@pytest.mark.parametrize(
    ("body", "script"),
    [
        (
            "<div id=disqus_thread></div><script>s.src = '//old.disqus.com/embed.js';</script>",
            "http://old.disqus.com/embed.js",
        ),
        (
            (
                "<div id=disqus_thread></div><script>var disqus_shortname = 'my-old'; s.src = '//' "
                "+ disqus_shortname + '/embed.js'</script>"
            ),
            "https://my-old.disqus.com/embed.js",
        ),
        (
            "<script src='https://giscus.app/client.js' data-repo-id=R></script>",
            "https://giscus.app/client.js",
        ),
        ("<div class=giscus></div>", "https://giscus.app/client.js"),
        (
            (
                "<div id=disqus_thread></div><script>get('https://cdn.example/npm/disqusjs@3.0.2"
                "/dis"
                "t/disqusjs.umd.min.js')</script>"
            ),
            "https://cdn.example/npm/disqusjs@3.0.2/dist/disqusjs.umd.min.js",
        ),
        ("<div id=disqus_thread></div>", None),
    ],
)
def test_comment_rendering_script_needs_rendering(body: str, script: str | None) -> None:
    p = page(f"<article>{PROSE}</article>{body}")
    (carried,) = decide(p, None, RenderVerdict()).systems
    assert script_of(carried, p) == script


def test_some_posts_without_comments_do_not_stop_rendering() -> None:
    verdict = RenderVerdict()
    for n in range(100):
        need = decide(disqus(n), entry(), verdict)
        assert need.render
        verdict = observe(verdict, need, Gain(1000, 1500, 5 if n % 3 == 0 else 0))


def test_failed_renderings_are_not_counted() -> None:
    verdict = RenderVerdict()
    for n in range(10):
        verdict = observe(verdict, decide(disqus(n), entry(), verdict), None)
    assert decide(disqus(11), entry(), verdict).render


def test_unlisted_pages_follow_the_blogs_rendering() -> None:
    verdict = RenderVerdict()
    thin = page(f"<nav>{'menu item ' * 40}</nav>{SCRIPT}")
    assert not decide(thin, None, verdict).render
    for _ in range(5):
        need = decide(thin, entry(), verdict)
        assert need.reasons == ("lacks-content",)
        verdict = observe(verdict, need, Gain(200, 5000, 0, True))
    assert decide(thin, None, verdict).reasons == ("blog",)


@given(st.binary(max_size=400))
def test_random_bytes_get_a_decision(body: bytes) -> None:
    decide(Page(url="http://x.example/", body=body), entry(), RenderVerdict())
