"""Which feed to ask for first, which next: announced ones, then the usual addresses, in small
waves.
"""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.discovery.links import guessed_feeds, is_inner, is_scoped, main_folder, other_stream
from blogcrawl.discovery.platforms import Platform
from blogcrawl.discovery.probes import Asked, Task
from blogcrawl.urls.canonical import same_site

USUAL, USUAL_OF_KNOWN = 8, 4
"""Usual addresses tried where nothing is announced; fewer where the engine, and with it its own
addresses, are known.

Nearly every engine's own address is among the first of them, and a miss costs as much as a post."""
WAVE = 2
SECOND_CHOICES = 3
MAX_ANNOUNCED = 6


class FeedFinder:
    """``start`` gives the first request, ``next`` those after a miss, ``other_format`` and
    ``other_stream`` further announced feeds.
    """

    def __init__(self) -> None:
        self.left: list[str] = []
        self.announced: list[str] = []

    def start(
        self, home: Page, announced: list[str], platform: Platform, named: str | None
    ) -> Asked:
        """Start with ``announced``, URLs of the page's post feeds, best first, and ``named``, the
        user's.
        """
        own = [named] if named else []
        own += [u for u in announced if u != named and not is_scoped(u)]
        scoped = [u for u in announced if u not in own]
        usual = _usual_feeds(home, platform)
        self.announced = own[1:MAX_ANNOUNCED]
        # one tag's or author's feed is better than none, but the two likeliest usual addresses come
        # before it
        choices = [*own[1 : 1 + SECOND_CHOICES], *usual[:2], *scoped[:2], *usual[2:]]
        self.left = list(dict.fromkeys(choices))
        if own:
            return [(own[0], Task("feed"))]
        return self.next(1 if platform.name else WAVE)

    def next(self, size: int = WAVE) -> Asked:
        """Return the next addresses to try."""
        wave, self.left = self.left[:size], self.left[size:]
        return [(url, Task("feed", guess=True)) for url in wave]

    def other_format(self, feed: Feed, asked: dict[str, str]) -> Asked:
        """Return an announced sibling of a feed of excerpts: it may carry full posts."""
        if any(e.is_full for e in feed.entries):
            return []
        sibling = next(
            (u for u in self.announced if same_site(u, feed.url) and u not in asked), None
        )
        return [(sibling, Task("feed"))] if sibling else []

    def other_stream(self, feed: Feed) -> Asked:
        """Return the next announced feed, if it is another section or language of the site; empties
        the list step by step.
        """
        url = self.announced.pop(0)
        return [(url, Task("extra-feed"))] if other_stream(url, feed.url) else []


def _usual_feeds(home: Page, platform: Platform) -> list[str]:
    """Return addresses where engines have their feed, those of this engine first."""
    engine = platform.engine
    urls = guessed_feeds(home.url, engine.feeds, inner=is_inner(home), folder=main_folder(home))
    return urls[: USUAL_OF_KNOWN if engine.feeds else USUAL]
