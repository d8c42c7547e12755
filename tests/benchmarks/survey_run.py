"""Discovery over a site of files, offline: what it promises and what it asked for."""

from __future__ import annotations

from dataclasses import dataclass

from blogcrawl.discovery.survey import Survey
from blogcrawl.frontier.canonical import canonicalize
from tests.benchmarks.site_graphs import Site

MAX_PROBES = 200


@dataclass
class Surveyed:
    asked: list[str]
    promised: list[str]
    hubs: list[str]
    complete: bool


def run_survey(site: Site) -> Surveyed:
    """Drive a Survey to its end; every probe counts as asked, robots.txt too."""
    assert site.fetch is not None
    home = site.fetch(site.home)
    assert home is not None
    root = site.home.split("/", 3)
    robots_url = "/".join(root[:3]) + "/robots.txt"
    robots = site.fetch(robots_url)
    survey = Survey(home, robots.text if robots else None)
    asked = [robots_url]
    waiting = survey.probes()
    while waiting and len(asked) < MAX_PROBES:
        probe = waiting.pop(0)
        asked.append(probe.url)
        page = site.fetch(probe.url)
        waiting += survey.receive(probe, page, None if page else "404")
    known = survey.knowledge
    sources = {name for names in known.promised.values() for name in names}
    urls = [known.entries[key].url if key in known.entries else key for key in known.promised]
    nodes = {canonicalize(n.url) for n in site.nodes.values()}
    promised = [u for u in urls if canonicalize(u) in nodes or site.get(u) is None]
    return Surveyed(asked, promised, known.hubs, known.walked_to_end or any(s.startswith("sitemap") for s in sources))
