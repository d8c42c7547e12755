"""What a page needs to be shown goes into the evidence, once a blog, and never holds a post up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

from blogcrawl.core.errors import UnreachableError
from blogcrawl.core.page import Page
from blogcrawl.crawling.pipelines.requisites import (
    MAX_AT_ONCE,
    MAX_IMPORTS,
    MAX_PER_CRAWL,
    MAX_PER_PAGE,
    Requisites,
)

HTML = b"""<html><head><link rel="stylesheet" href="/theme.css#x"><link rel="alternate" href="/feed.xml"><link rel=icon href=i.png>
<script src="https://www.google-analytics.com/ga.js"></script><script src="app.js"></script></head>
<body><img src="data:image/png;base64,AA"><img src="/logo.png"><img src="http://dead.test/a.png"><img src="http://dead.test/b.png"></body></html>"""  # noqa: E501
CSS = (
    b'@import "more.css"; h1{background:url(bg.png)} @font-face{src:url(f.eot?#iefix),url(f.woff2)}'
    b" a{background:url( 'data:image/gif;base64,R' )}"
)


def page() -> Page:
    return Page(url="http://blog.test/2024/post/", body=HTML, headers={"content-type": "text/html"})


class Session:
    """Answers like a blog; ``had`` is what the evidence holds already."""

    def __init__(self, had: tuple[str, ...] = ()) -> None:
        self.asked: list[str] = []
        self.memory: dict[str, dict[str, str]] = {}
        crawler = SimpleNamespace(engine=SimpleNamespace(running=True))
        self.services = SimpleNamespace(crawler=crawler)
        captures = SimpleNamespace(by_address=lambda url: object() if url in had else None)
        self.evidence = SimpleNamespace(captures=captures)
        self.seen_by_browser = lambda url: None

    async def fetch(
        self, url: str, *, kind: str, headers: Mapping[str, str], max_bytes: int
    ) -> Page:
        self.asked.append(url)
        if "dead.test" in url:
            await asyncio.sleep(0.01)
            raise UnreachableError("no answer", url=url)
        css = url.endswith(".css")
        return Page(
            url=url,
            body=CSS if css else b"x",
            headers={"content-type": "text/css" if css else "image/png"},
        )


def test_each_once_and_style_sheets_are_followed() -> None:
    session = Session()
    requisites = Requisites(session)
    for _ in range(2):
        requisites.note(page(), shown=["http://blog.test/logo.png"])
    assert session.asked == [], "posts come first"
    asyncio.run(requisites.fetch())
    assert len(session.asked) == len(set(session.asked))
    assert {
        "http://blog.test/theme.css",
        "http://blog.test/more.css",
        "http://blog.test/bg.png",
    } <= set(session.asked)
    assert "http://blog.test/logo.png" not in session.asked


def test_what_the_evidence_holds_is_not_asked_again() -> None:
    session = Session(had=("http://blog.test/theme.css", "http://blog.test/logo.png"))
    requisites = Requisites(session)
    requisites.note(page(), shown=[])
    asyncio.run(requisites.fetch())
    assert (
        "http://blog.test/theme.css" not in session.asked
        and "http://blog.test/bg.png" not in session.asked
    )


def test_without_evidence_nothing_is_fetched() -> None:
    session = Session()
    session.evidence = None  # type: ignore[assignment]
    requisites = Requisites(session)
    requisites.note(page(), shown=[])
    asyncio.run(requisites.fetch())
    assert session.asked == []


def test_a_faulty_relative_address_is_asked_for_twice_and_no_more() -> None:
    class Missing(Session):
        async def fetch(
            self, url: str, *, kind: str, headers: Mapping[str, str], max_bytes: int
        ) -> Page:
            self.asked.append(url)
            return Page(url=url, body=b"", status=404)

    session = Missing()
    requisites = Requisites(session)
    for number in range(6):
        post = Page(
            url=f"http://blog.test/{number}/",
            body=b'<img src="undefined"><link rel="stylesheet" href="/theme.css">',
        )
        requisites.note(post, shown=[])
    asyncio.run(requisites.fetch())
    absent = [url for url in session.asked if url.endswith("undefined")]
    assert len(absent) <= 1 + MAX_AT_ONCE, "those under way when the second one was missing come in"
    assert session.asked.count("http://blog.test/theme.css") == 1


class Half(Session):
    """Some files are missing, one of them at the end of a redirect."""

    async def fetch(
        self, url: str, *, kind: str, headers: Mapping[str, str], max_bytes: int
    ) -> Page:
        self.asked.append(url)
        where = url.replace("moved", "lost")
        return Page(url=where, body=b"", status=404 if "/lost" in where else 200)


def test_absent_files_take_no_others_of_their_name_along() -> None:
    session = Half()
    requisites = Requisites(session)
    names = [f"/lost{n}/index.jpg" for n in range(9)] + [f"/kept{n}/index.jpg" for n in range(9)]
    pictures = "".join(f"<img src={name}>" for name in names)
    requisites.note(Page(url="http://blog.test/", body=pictures.encode()), shown=[])
    asyncio.run(requisites.fetch())
    assert {url.removeprefix("http://blog.test") for url in session.asked} == set(names)


def test_font_of_a_style_element_that_is_missing_is_replaced_by_the_next() -> None:
    session = Half()
    requisites = Requisites(session)
    fonts = "".join(
        f"@font-face{{font-family:{name};src:url(/{name}/f.woff2),url(/{name}/f.woff)}}"
        for name in ("lost", "moved", "kept")
    )
    markup = f"<base href=/theme/><style>{fonts} p{{background:url(p.png)}}</style>"
    requisites.note(Page(url="http://blog.test/a/", body=markup.encode()), shown=[])
    asyncio.run(requisites.fetch())
    assert {url.removeprefix("http://blog.test/") for url in session.asked} == {
        "theme/p.png",
        *("lost/f.woff2", "lost/f.woff", "moved/f.woff2", "moved/f.woff", "kept/f.woff2"),
    }


def test_font_of_a_host_that_does_not_answer_is_replaced_by_the_next() -> None:
    session = Session()
    requisites = Requisites(session)
    markup = b"<style>@font-face{src:url(http://dead.test/f.woff2),url(/f.woff)}</style>"
    requisites.note(Page(url="http://blog.test/", body=markup), shown=[])
    asyncio.run(requisites.fetch())
    assert session.asked == ["http://dead.test/f.woff2", "http://blog.test/f.woff"]


def test_what_a_stopped_crawl_did_not_fetch_the_next_one_does() -> None:
    session = Session()
    requisites = Requisites(session)
    requisites.note(page(), shown=[])
    session.services.crawler.engine.running = False
    asyncio.run(requisites.fetch())
    assert session.asked == [] and session.memory["requisites"]
    session.services.crawler.engine.running = True
    later = Requisites(session)
    asyncio.run(later.fetch())
    assert "http://blog.test/bg.png" in session.asked and session.memory["requisites"] == {}


def test_a_picture_that_turns_out_to_be_the_posts_own_travels_with_the_post() -> None:
    session = Session()
    requisites = Requisites(session)
    requisites.note(page())
    later = Page(url="http://blog.test/later/", body=b"<p>x")
    requisites.note(later, shown=["http://blog.test/logo.png"])
    asyncio.run(requisites.fetch())
    assert "http://blog.test/logo.png" not in session.asked


def test_many_pictures_leave_style_sheets_their_place() -> None:
    requisites = Requisites(Session())
    count = MAX_PER_CRAWL // MAX_PER_PAGE + 1
    for number in range(count):
        pictures = "".join(f"<img src=/{number}-{n}.png>" for n in range(2 * MAX_PER_PAGE))
        requisites.note(Page(url=f"http://blog.test/{number}/", body=pictures.encode()))
    assert len(requisites.wanted) == MAX_PER_CRAWL
    requisites.note(page())
    assert "http://blog.test/theme.css" in requisites.wanted
    assert "http://blog.test/logo.png" not in requisites.wanted


def test_style_sheets_that_import_one_another_without_end() -> None:
    class Endless(Session):
        async def fetch(
            self, url: str, *, kind: str, headers: Mapping[str, str], max_bytes: int
        ) -> Page:
            self.asked.append(url)
            return Page(
                url=url,
                body=f"@import '{len(self.asked)}.css'".encode(),
                headers={"content-type": "text/css"},
            )

    session = Endless()
    requisites = Requisites(session)
    requisites.note(Page(url="http://blog.test/", body=b"<link rel=stylesheet href=/0.css><p>x"))
    asyncio.run(requisites.fetch())
    assert session.asked == [f"http://blog.test/{n}.css" for n in range(1 + MAX_IMPORTS)]


def test_style_sheets_that_a_browser_fetched_are_read_for_their_fonts() -> None:
    session = Session(had=("http://blog.test/theme.css", "http://blog.test/2024/post/app.js"))
    requisites = Requisites(session)
    requisites.note(replace(page(), rendered=True))
    asyncio.run(requisites.fetch())
    assert "http://blog.test/f.woff2" in session.asked
    assert "http://blog.test/2024/post/app.js" not in session.asked


def test_posts_of_one_page_are_shown_by_that_page() -> None:
    requisites = Requisites(Session())
    part = Page(url="http://blog.test/2024/post/#e1", body=b"<p>x", whole=page())
    requisites.note(part)
    assert "http://blog.test/theme.css" in requisites.wanted
