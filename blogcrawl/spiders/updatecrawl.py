"""UpdateCrawl: a known blog and a date become what has changed."""

from __future__ import annotations

from blogcrawl.spiders.newcrawl import NewCrawl


class UpdateCrawl(NewCrawl):
    name = "updatecrawl"
