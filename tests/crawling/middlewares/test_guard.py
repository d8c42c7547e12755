"""What stands between a crawl and the net, against a real server that misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import socket
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from twisted.internet.address import IPv4Address

from blogcrawl.core.errors import HttpStatusError
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling import resolver
from blogcrawl.crawling.middlewares.guard import RobotsMiddleware, handed_cookies
from blogcrawl.crawling.middlewares.retry import (
    SENT_AWAY,
    RetryAfterMiddleware,
    retry_after_seconds,
)
from blogcrawl.crawling.robots import (
    KEPT_SECONDS,
    MAX_BYTES,
    MAX_CRAWL_DELAY,
    MAX_TROUBLE_SECONDS,
    TROUBLE_SECONDS,
    Robots,
    read_robots,
    without_frames,
)
from tests.cpu import loops
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, post, rows
from tests.server import Rule, Server

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("Sat, 31 Jan 2026 12:01:00 GMT", 60.0),
        ("Sat, 31 Jan 2026 11:00:00 GMT", 0.0),
        ("Sat, 31 Jan 2026 13:01:00 +0100", 60.0),
        ("99999999999999999999", 999999999999.0),
        ("soon", None),
        ("", None),
        (None, None),
        ("-5", None),
        ("٣", None),
        ("1e9", None),
    ],
)
def test_retry_after_in_both_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds


def test_kept_failure_holds_no_frames() -> None:
    """A host that doesn't answer is remembered for a day, and what its download held is not."""
    try:
        try:
            raise OSError("no route")
        except OSError as error:
            raise ConnectionError("no answer") from error
    except ConnectionError as error:
        kept = without_frames(error)
    assert kept.__traceback__ is None and str(kept) == "no answer"
    assert isinstance(kept.__cause__, OSError) and kept.__cause__.__traceback__ is None


def robots(text: str | bytes, status: int | None = 200) -> Any:
    return read_robots(status, text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(
    ("status", "allowed"),
    [
        (404, True),
        (403, True),
        (401, True),
        (410, True),
        (500, False),
        (503, False),
        (429, False),
        (None, False),
    ],
)
def test_robots_txt_rules_by_http_status(status: int | None, allowed: bool) -> None:
    answer = robots("User-agent: *\nDisallow: /", status)
    assert answer.allowed("http://x.org/a") is allowed
    assert (answer.why is None) is allowed


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffUser-agent: *\nDisallow: /a",
        "User-agent: *\rDisallow: /a\r",
        "user-AGENT:BlogCrawl\r\ndisallow:/a",
        "User-agent: x\nUser-agent: *\nDisallow: /a*$",
    ],
)
def test_lenient_robots_txt_syntax_is_understood(text: str) -> None:
    rules = robots(text)
    assert not rules.allowed("http://x.org/a") and rules.allowed("http://x.org/b")


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        (
            (
                "User-agent: blogcrawl\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: "
                "blogcrawl\nDisallow: /b"
            ),
            "/b",
            False,
        ),
        (
            (
                "User-agent: blogcrawl\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: "
                "blogcrawl\nDisallow: /b"
            ),
            "/c",
            True,
        ),
        ("User-agent: *\nDisallow: /p\nAllow: /p", "/page", True),
        (
            "User-agent: *\nDisallow: /\nAllow: /blog/\nDisallow: /blog/private",
            "/blog/private/1",
            False,
        ),
        ("User-agent: *\nDisallow: /\nAllow: /blog/\nDisallow: /blog/private", "/blog/1", True),
        ("User-agent: *\nDisallow: /*.gif$", "/x.gif?a", True),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/caf%c3%a9/x", False),
        ("User-agent: blogcrawl/2.0\nDisallow: /", "/", False),
        ("User-agent: blog\nDisallow: /", "/", True),
        ("User-agent: blogcrawler\nDisallow: /", "/", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /" + "*a" * 400 + "c$", "/" + "a" * 4000, True),
        ("User-agent: *\n# " + "x" * (MAX_BYTES - 29) + "\nDisallow: /drafts", "/", True),
    ],
    ids=range(13),
)
def test_robots_groups_use_the_longest_match(text: str, path: str, allowed: bool) -> None:
    """RFC 9309, section 2.2: groups of one name are one, the longest rule counts, Allow where two
    are as long; matched in linear time.
    """
    found = []
    assert loops(lambda: found.append(robots(text).allowed("http://x.org" + path))) < 200
    assert found == [allowed]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/a?p=1", False), ("/a%3Fp=1.html", True), ("/b%3Fc/d", False), ("/b%3fc/d", False)],
)
def test_escaped_delimiters_in_robots_txt_are_literal(path: str, allowed: bool) -> None:
    """A mirror's ``index.html%3Fp=1.html`` is a file, no query."""
    rules = robots("User-agent: *\nDisallow: /*?*\nDisallow: /b%3Fc")
    assert rules.allowed("http://x.org" + path) is allowed


def test_robots_txt_is_retried_with_increasing_intervals() -> None:
    trouble = robots("", 503).after(None, 100.0)
    assert not trouble.stale(100.0 + TROUBLE_SECONDS - 1) and trouble.stale(100.0 + TROUBLE_SECONDS)
    again = robots("", None).after(trouble, 200.0)
    assert again.failures == 2 and not again.allowed("http://x.org/")
    assert not again.stale(200.0 + TROUBLE_SECONDS) and again.stale(200.0 + 2 * TROUBLE_SECONDS)
    assert Robots(why="503", failures=99).stale(MAX_TROUBLE_SECONDS)
    good = robots("User-agent: *\nDisallow: /a").after(again, 300.0)
    assert (
        good.failures == 0
        and not good.stale(299.0 + KEPT_SECONDS)
        and good.stale(300.0 + KEPT_SECONDS)
    )
    held = robots("", 500).after(good, 400.0)
    assert held.allowed("http://x.org/b") and not held.allowed("http://x.org/a"), (
        "known rules hold while the server is in trouble"
    )
    assert held.stale(400.0 + TROUBLE_SECONDS)


def test_unforeseen_failure_of_robots_txt_reaches_all_who_wait_and_the_next_asks_again() -> None:
    asked = []

    class Failing(RobotsMiddleware):
        async def _fetch(self, origin: str) -> Robots:
            asked.append(origin)
            await asyncio.sleep(0)
            if len(asked) == 1:
                raise KeyError(origin)
            return Robots()

    async def ask() -> list[object]:
        middleware = Failing(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
        waiting = [middleware.robots_of("http://x.org/1"), middleware.robots_of("http://x.org/2")]
        failed = await asyncio.gather(*waiting, return_exceptions=True)
        return [*failed, await middleware.robots_of("http://x.org/3")]

    first, second, third = asyncio.run(ask())
    assert isinstance(first, KeyError) and isinstance(second, KeyError), "no cancellation"
    assert isinstance(third, Robots) and asked == ["http://x.org", "http://x.org"]


def test_unusual_robots_txt_bodies_are_read() -> None:
    assert robots(b"\xff\xfe\x00garbage\x00" * 99).allowed("http://x.org/")
    assert robots("<html><body>Disallow: /</body></html>").allowed("http://x.org/")
    late = "# " + "x" * MAX_BYTES + "\nUser-agent: *\nDisallow: /"
    assert robots(late).allowed("http://x.org/")
    assert robots("User-agent: *\nCrawl-delay: 86400").delay == MAX_CRAWL_DELAY
    assert robots("User-agent: *\nCrawl-delay: 2.5").delay == 2.5


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


def test_retry_after_pauses_requests_to_the_site(site: Path, tmp_path: Path) -> None:
    busy = entries(12)[11].path
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"))
        server.rules = [
            Rule(
                path=busy,
                status=429,
                headers={"Retry-After": "2"},
                body="<html>slow down</html>",
                times=1,
            )
        ]
        row = crawl(server.url, tmp_path / "a")
        log = server.log()
    asked = next(n for n, hit in enumerate(log) if hit.status == 429)
    gaps = [
        after.time - before.time
        for before, after in zip(log[asked:], log[asked + 1 :], strict=False)
    ]
    assert max(gaps[:8]) >= 1.8, "only requests already sent arrive before the two seconds are over"
    assert row.counts["posts_archived"] == 12


def test_absurd_retry_after_is_capped(site: Path, tmp_path: Path) -> None:
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"))
        server.rules = [
            Rule(
                path="/feed.xml",
                status=503,
                headers={"Retry-After": "Fri, 31 Dec 2099 23:59:59 GMT"},
                times=1,
            )
        ]
        row = crawl(server.url, tmp_path / "a", max_retry_after_seconds=0.5)
    assert row.counts["posts_archived"] == 12 and row.counts["seconds"] < 300


def test_retry_after_of_years_is_waited_for_once(site: Path, tmp_path: Path) -> None:
    posts = entries(12)
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        server.rules = [Rule(path=posts[1].path, status=429, headers={"Retry-After": "315360000"})]
        row = crawl(server.url, tmp_path / "a", max_retry_after_seconds=0.2)
        asked = server.paths().count(posts[1].path)
    assert row.counts["posts_archived"] == 11
    assert asked <= 3, "once in each round"


@pytest.mark.parametrize(
    ("statuses", "wait", "ends"),
    [
        ([429] * SENT_AWAY, "86400", True),
        ([429] * 7 + [200] + [429] * 7, "86400", False),
        ([503] * 20, "300", False),
        ([404] * 20, "86400", False),
    ],
)
def test_repeated_429_suspends_the_crawl(statuses: list[int], wait: str, ends: bool) -> None:
    errors: list[HttpStatusError] = []
    spider = SimpleNamespace(guard=Guard(["http://b.example/"]), abort=errors.append)
    stats = SimpleNamespace(inc_value=lambda _: None)
    middleware = RetryAfterMiddleware(
        SimpleNamespace(settings=Settings(), spider=spider, stats=stats, engine=None)
    )  # type: ignore[arg-type]
    for status in statuses:
        request = Request("http://b.example/a")
        asyncio.run(
            middleware.process_response(
                request, Response(request.url, status, headers={"Retry-After": wait})
            )
        )
        assert (request.meta.get("max_retry_times") == 0) is (status == 429)
    assert [error.message for error in errors] == [
        "the site asks to be left alone for 24.0 hours"
    ] * ends


def test_page_that_never_answers_is_given_up(site: Path, tmp_path: Path) -> None:
    posts = entries(12)
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        server.rules = [Rule(path=posts[0].path, delay=2.0)]
        row = crawl(server.url, tmp_path / "a", extra={"DOWNLOAD_TIMEOUT": 0.4})
        asked = server.paths().count(posts[0].path)
    assert [missing["reason"] for missing in row.report["missing"]] == ["no answer in time"]
    assert asked <= 6, "twice in each round"


def test_query_added_by_a_redirect_is_not_part_of_the_url(site: Path, tmp_path: Path) -> None:
    path = entries(12)[0].path
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"))
        for visit in ("8d3f", "a771"):
            server.rules = [
                Rule(path=path, status=302, headers={"Location": f"{path}?visit={visit}"})
            ]
            crawl(server.url, tmp_path / "a", full=True)
    assert len(rows(tmp_path / "a")) == 12 and path.rstrip("/") in rows(tmp_path / "a")


def test_invalid_http_responses_are_tolerated(site: Path, tmp_path: Path) -> None:
    """Wrong lengths before whole pages, plain text said to be compressed, a policy of 60 kB:
    browsers show such pages.
    """
    posts = entries(12)
    whole, cut, plain, long = (posts[number].path for number in (0, 1, 2, 3))
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        half = site / cut.strip("/") / "index.html"
        half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
        lie = {"Content-Length": "999999", "Connection": "close"}
        server.rules = [
            Rule(path=f"{whole}|{cut}", headers=lie),
            Rule(path=plain, headers={"Content-Encoding": "gzip"}),
            Rule(path=long, headers={"Content-Security-Policy": "a" * 60_000}),
        ]
        row = crawl(server.url, tmp_path / "a")
        asked = server.paths().count(whole)
        archived = rows(tmp_path / "a")
    assert {path.rstrip("/") for path in archived} == {
        e.path.rstrip("/") for e in posts if e.path != cut
    }
    assert [missing["reason"] for missing in row.report["missing"]] == ["the answer broke off"]
    assert asked == 3, "the first two times it might have been the net"


def test_challenge_page_is_retried(site: Path, tmp_path: Path) -> None:
    posts = entries(12)
    barrier = (
        "<title>Just a moment...</title><p>Checking</p><script "
        "src='/cdn-cgi/challenge-platform/x.js'></script>"
    )
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        server.rules = [
            Rule(path=posts[0].path, status=403, body=barrier, times=1),
            Rule(path=posts[1].path, body=barrier, times=1),
            Rule(path=posts[3].path, status=403, body=barrier),
        ]
        row = crawl(server.url, tmp_path / "a")
    assert row.counts["posts_archived"] == 11
    assert [m["reason"] for m in row.report["missing"]] == ["challenge"]


def test_invalid_base_url_is_ignored(site: Path, tmp_path: Path) -> None:
    with Server(site) as server:
        write_blog(site, entries(12), base=server.url.rstrip("/"))
        for file in site.glob("20*/*/*/index.html"):
            file.write_text(file.read_text().replace("<title>", '<base href="http://["><title>'))
        row = crawl(server.url, tmp_path / "a")
    assert row.counts["posts_archived"] == 12


def test_cookie_redirect_loop_is_followed_with_cookies(site: Path, tmp_path: Path) -> None:
    posts = entries(12)
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        server.rules = [
            Rule(
                path=path,
                status=302,
                headers={"Location": path, "Set-Cookie": "seen=1; Path=/; HttpOnly"},
                times=1,
            )
            for path in ("/", posts[3].path)
        ]
        row = crawl(server.url, tmp_path / "a")
        asked = [
            (hit.path, hit.headers.get("cookie") or hit.headers.get("Cookie"))
            for hit in server.log()
        ]
    assert row.counts["posts_archived"] == 12
    assert [cookie for path, cookie in asked if path == posts[3].path] == [None, "seen=1"]
    assert {cookie for path, cookie in asked if path not in ("/", posts[3].path)} == {None}, (
        "for that redirect only"
    )


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (["a=1; Path=/", "b=2; Secure"], "a=1; b=2"),
        (["gone=x; Max-Age=0"], ""),
        (["a=1", "a=2"], "a=2"),
        (["=;;, \x00"], ""),
        (["ok=1", "bad\x01name=2"], "ok=1"),
        ([], ""),
    ],
)
def test_cookies_of_a_redirect_are_kept(given: list[str], sent: str) -> None:
    response = Response("http://b.example/", headers={"Set-Cookie": given})
    assert handed_cookies(Request("http://b.example/"), response) == sent


def test_gzip_bombs_and_wrong_lengths_are_missing_posts(site: Path, tmp_path: Path) -> None:
    posts = entries(12)
    big, lied, word = posts[11].path, posts[10].path, posts[9].path
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        (site / "bomb").write_bytes(gzip.compress(b"\0" * 30_000_000))
        bomb = (site / "bomb").read_bytes()
        assert len(bomb) < 50_000
        (site / big.strip("/") / "index.html").write_bytes(bomb)
        server.rules = [
            Rule(path=big, headers={"Content-Encoding": "gzip"}),
            Rule(path=lied, headers={"Content-Type": "application/pdf"}),
            Rule(path=word, headers={"Content-Type": "text/plain"}),
            Rule(
                path="/img/1.png",
                body="<html>hot linking forbidden</html>",
                headers={"Content-Type": "image/png"},
            ),
            Rule(path="/img/2.png", body="", headers={"Content-Type": "image/png"}),
        ]
        row = crawl(server.url, tmp_path / "a", max_page_bytes=2_000_000)
        archived = rows(tmp_path / "a")
        media = {
            m.url.rsplit("/", 1)[1]: m
            for r in archived.values()
            for m in post(tmp_path / "a", r).media
        }
    missing = {m["url"].rstrip("/").rsplit("/", 1)[1]: m["reason"] for m in row.report["missing"]}
    assert missing == {
        big.rstrip("/").rsplit("/", 1)[1]: "larger than allowed when decompressed",
        lied.rstrip("/").rsplit("/", 1)[1]: "no HTML page",
    }
    assert word.rstrip("/") in archived, (
        "a page that calls itself plain text is read for what it is"
    )
    assert media["1.png"].error and "text/html" in media["1.png"].error
    assert media["2.png"].error == "empty"
    assert media["3.png"].sha256


@pytest.mark.parametrize(
    "length", [{}, {"Content-Length": str(2**60)}], ids=["unknown length", "exabyte"]
)
@pytest.mark.parametrize("body", ["# nothing\n" * 1000, "x" * 10_000], ids=["lines", "one line"])
def test_endless_robots_txt_is_read_up_to_the_rfc_limit(
    body: str, length: dict[str, str], site: Path, tmp_path: Path
) -> None:
    posts = entries(6)
    with Server(site) as server:
        write_blog(site, posts, base=server.url.rstrip("/"))
        rules = f"User-agent: *\nDisallow: {posts[2].path}\n"
        server.rules = [
            Rule(
                path="/robots.txt",
                body=rules + body,
                headers={"Content-Type": "text/plain", **length},
                endless=True,
            )
        ]
        row = crawl(server.url, tmp_path / "a")
        assert server.paths().count("/robots.txt") == 1
    assert row.counts["posts_archived"] == 5
    assert [m["reason"] for m in row.report["missing"]] == ["robots.txt forbids it"]
    assert row.counts["bytes"] < 5_000_000, "the download ends where nothing more is read"


class Receiver:
    def __init__(self) -> None:
        self.found: list[str] = []

    def resolutionBegan(self, resolution: object) -> None:
        return

    def addressResolved(self, address: Any) -> None:
        self.found.append(address.host)

    def resolutionComplete(self) -> None:
        return


class Answers:
    """A resolver that answers each question with the next of its lists."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    def resolveHostName(
        self, receiver: Any, name: str, port: int = 0, types: object = None, semantics: str = "TCP"
    ) -> object:
        receiver.resolutionBegan(None)
        for ip in self.answers.pop(0):
            receiver.addressResolved(IPv4Address("TCP", ip, port))
        receiver.resolutionComplete()
        return receiver


class Reactor:
    nameResolver: Any = None


def ask(answers: Answers, host: str) -> list[str]:
    guarded = resolver.GuardedResolver(Reactor())  # type: ignore[arg-type]
    guarded.inner = answers
    receiver = Receiver()
    guarded.resolveHostName(receiver, host, 80)
    return receiver.found


def test_resolver_refuses_private_addresses() -> None:
    guard = Guard(["https://blog.example.org/"])
    resolver.register(guard)
    try:
        assert ask(
            Answers(["10.0.0.1", "93.184.216.34", "169.254.169.254"]), "cdn.example.net"
        ) == ["93.184.216.34"]
        assert "cdn.example.net" in guard.refused_names
        rebinding = Answers(["93.184.216.34"], ["127.0.0.1"])
        assert ask(rebinding, "blog.example.org") == ["93.184.216.34"]
        assert ask(rebinding, "blog.example.org") == []
    finally:
        resolver.unregister(guard)


def test_intranet_of_one_crawl_is_not_open_to_others() -> None:
    intranet, public = Guard(["http://wiki.corp.example/"]), Guard(["https://blog.example.org/"])
    resolver.register(intranet)
    resolver.register(public)
    try:
        assert ask(Answers(["10.1.1.1"]), "wiki.corp.example") == ["10.1.1.1"]
        assert "wiki.corp.example" in resolver.private_names
    finally:
        resolver.unregister(public)
        resolver.unregister(intranet)
    assert not resolver.private_names


def test_host_resolving_to_loopback_is_refused_in_a_crawl(site: Path, tmp_path: Path) -> None:
    """``localtest.me`` and its like: here the machine's own name, where it leads to a loopback
    address.
    """
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError:
        pytest.skip("this machine's name does not resolve")
    if "." not in name and not address.startswith("127."):
        pytest.skip("this machine's name leads to no loopback address")
    with Server(site, host="0.0.0.0") as server:
        write_blog(site, entries(12), base=f"http://127.0.0.1:{server.port}")
        for file in site.rglob("index.html"):
            file.write_text(
                file.read_text().replace(
                    'src="/img/missing.png"', f'src="http://{name}:{server.port}/img/secret.png"'
                )
            )
        crawl(f"http://127.0.0.1:{server.port}/", tmp_path / "a")
        assert not any("secret" in path for path in server.paths())
