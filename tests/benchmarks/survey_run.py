"""Discovery over a site of files or a generated one, offline: what it promises and what it asked
for.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.discovery.archives import find_hubs
from blogcrawl.discovery.sitemap_walker import read_late
from blogcrawl.discovery.survey import Survey
from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import Scope
from tests.benchmarks.site_graphs import Site

MAX_PROBES = 200


@dataclass
class Surveyed:
    asked: list[str]
    promised: list[str]
    candidates: list[tuple[str, float]]
    hubs: list[str]
    complete: bool
    survey: Survey | None = None

    @property
    def guesses(self) -> list[str]:
        """Addresses that are left to the frontier, those of sitemaps that were found there
        included.
        """
        return self.survey.knowledge.guesses if self.survey is not None else []

    def take(self, page: Page | None) -> int | None:
        """A guessed sitemap was asked for (None: it is not there): posts that it adds to
        ``promised``; None if it is not a sitemap.
        """
        if self.survey is None or page is None:
            return None
        try:
            found, self.survey.knowledge.guesses = read_late(self.survey.collector, page)
        except FeedError:
            return None
        self._learn(self.survey)
        return found

    def _learn(self, survey: Survey) -> None:
        known = survey.knowledge
        sources = {name for names in known.promised.values() for name in names}
        self.promised = [
            known.entries[key].url if key in known.entries else key for key in known.promised
        ]
        self.candidates, self.hubs = list(known.candidates.values()), known.hubs
        self.complete = known.walked_to_end or any(s.startswith("sitemap") for s in sources)


def feed_only(site: Site) -> Surveyed:
    """What is known without discovery: the feed's newest entries (one request) and the home page's
    listings.
    """
    home = fetch(site, site.home)
    hubs = [url for url, _ in find_hubs(home, Scope(site.home))] if home else []
    return Surveyed(["feed:" + site.home], list(site.feed), [], hubs, False)


def run_survey(site: Site) -> Surveyed:
    """Drive a Survey to its end; every probe counts as asked, robots.txt aside."""
    home = fetch(site, site.home)
    assert home is not None
    root = "/".join(site.home.split("/", 3)[:3])
    robots = fetch(site, root + "/robots.txt")
    survey = Survey(home, robots.text if robots else None)
    asked: list[str] = []  # robots.txt is asked for by every crawler
    waiting = survey.probes()
    while waiting and len(asked) < MAX_PROBES:
        probe = waiting.pop(0)
        asked.append(probe.url)
        page = fetch(site, probe.url)
        waiting += survey.receive(probe, page, None if page else "404")
    found = Surveyed(asked, [], [], [], False, survey)
    found._learn(survey)
    return found


def fetch(site: Site, url: str) -> Page | None:
    """The site's own bytes; of a generated site the home page, its feed and, where it is kind, a
    sitemap.
    """
    page = site.fetch(url) if site.fetch is not None else None
    path = urlsplit(url).path
    if site.made and page is not None and url == site.home:
        links = "".join(map(_html, site.nodes_of_home()))
        return Page(
            url=url,
            body=page.body.replace(b"</body>", links.encode() + b"</body>"),
            headers=page.headers,
        )
    if page is not None or not site.made:
        return page
    if url == site.home:
        body = (
            '<html><head><link rel="alternate" type="application/rss+xml" '
            'href="/feed/"></head><body>'
        )
        body += "".join(map(_html, site.nodes_of_home())) + "</body></html>"
        return Page(url=url, body=body.encode(), headers={"content-type": "text/html"})
    if path == "/feed/" and not urlsplit(url).query:
        items = "".join(
            f"<item><title>t</title><link>{escape(u)}</link><guid>{escape(u)}</guid></item>"
            for u in site.feed
        )
        body = (
            f'<rss version="2.0"><channel><title>t</title><link>{site.home}</link>{items}</ch'
            f"annel></rss>"
        )
        return Page(url=url, body=body.encode(), headers={"content-type": "application/rss+xml"})
    if path == "/sitemap.xml" and site.sitemap:
        body = "".join(f"<url><loc>{escape(u)}</loc></url>" for u in site.sitemap)
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'
        return Page(url=url, body=body.encode(), headers={"content-type": "application/xml"})
    return None


def _html(link: Link) -> str:
    steps = [s.partition("[")[0].partition(".") for s in link.tag_path.split(">") if s]
    steps = [s for s in steps if s[0] != "a"]
    before = "".join(f'<{tag} class="{name}">' for tag, _, name in steps)
    after = "".join(f"</{tag}>" for tag, _, _ in reversed(steps))
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'{before}<a href="{escape(link.url)}"{rel}>{escape(link.anchor)}</a>{after}'
