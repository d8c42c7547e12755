"""A blog that lives in a dictionary, and a driver that lets a Survey ask it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from blogcrawl.core.page import Page
from blogcrawl.discovery.probes import Probe
from blogcrawl.discovery.survey import Survey

Answer = tuple[int, str | bytes, dict[str, str]]


@dataclass
class Site:
    """``pages``: path with query -> body, (status, body, headers), or a function of the URL that
    gives either.
    """

    pages: dict[str, object]
    base: str = "https://blog.example.org"
    default: Callable[[str], object] | None = None
    asked: list[str] = field(default_factory=list)

    def get(self, url: str) -> Page | None:
        parts = urlsplit(url)
        if f"{parts.scheme}://{parts.netloc}" != self.base:
            return None
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        found = self.pages.get(path)
        if found is None and self.default:
            found = self.default(path)
        if callable(found):
            found = found(url)
        if found is None:
            found = (
                404,
                "<html><title>Not found</title><h1>404</h1></html>",
                {"content-type": "text/html"},
            )
        status, body, headers = found if isinstance(found, tuple) else (200, found, {})
        return Page(
            url=url,
            status=status,
            body=body.encode() if isinstance(body, str) else body,
            headers={"content-type": "text/html", **headers},
        )

    def survey(
        self,
        start: str = "/",
        robots: str | None = None,
        limit: int = 500,
        release: bool = True,
        **options: object,
    ) -> Survey:
        """A survey run to its end; without ``release`` its guesses are left."""
        home = self.get(self.base + start)
        assert home is not None
        survey = Survey(home, robots, **options)  # type: ignore[arg-type]
        self.drive(survey, survey.probes(), limit)
        if release:
            self.drive(survey, survey.release(), limit)
        return survey

    def drive(self, survey: Survey, queue: list[Probe], limit: int = 500) -> None:
        while queue:
            probe = queue.pop(0)
            self.asked.append(probe.url.removeprefix(self.base))
            assert len(self.asked) <= limit, self.asked[-20:]
            page = self.get(probe.url)
            queue += survey.receive(probe, page, None if page else "no such host")


def rss(
    items: list[tuple[str, str]],
    base: str = "https://blog.example.org",
    extra: str = "",
    generator: str = "",
) -> str:
    """RSS 2.0 of (path, title)."""
    body = "".join(
        f"<item><title>{title}</title><link>{base}{path}</link><guid>{base}{path}</guid>"
        f"<pubDate>Mon, 0{1 + i % 9} Mar 2021 10:00:00 +0000</pubDate>"
        f"<description>&lt;p&gt;{'words about ' + title + ' '}{'and more of it ' * 80}&lt;/p&gt;"
        f"&lt;p&gt;end&lt;/p&gt;</description></item>"
        for i, (path, title) in enumerate(items)
    )
    return (
        f'<?xml version="1.0"?><rss version="2.0" '
        f'xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Example</title><link>'
        f"{base}/</link>"
        f"<description>d</description><generator>{generator}</generator>{extra}{body}</channel><"
        f"/rss>"
    )


def home(head: str = "", body: str = "") -> str:
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>Example</title>{head}</head><body>"
        f"{body}</body></html>"
    )


def paths(first: int, last: int) -> list[tuple[str, str]]:
    return [(f"/2021/03/post-number-{n}/", f"Post {n}") for n in range(first, last + 1)]


def sitemap(urls: list[str]) -> str:
    rows = "".join(f"<url><loc>{u}</loc><lastmod>2021-05-01</lastmod></url>" for u in urls)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"{rows}</urlset>"
    )


def sitemap_index(urls: list[str]) -> str:
    rows = "".join(f"<sitemap><loc>{u}</loc></sitemap>" for u in urls)
    return (
        f'<?xml version="1.0"?><sitemapindex '
        f'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
    )
