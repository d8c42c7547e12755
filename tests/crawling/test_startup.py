"""What a crawl imports before it has a page, and Scrapy's components that it runs with."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any, ClassVar

from scrapy.settings import default_settings
from scrapy.utils.test import get_crawler

from blogcrawl import settings
from blogcrawl.crawling.pipelines.stages import StagesAtFirstItem

LOADED = """
import sys
import blogcrawl.cli.crawling, blogcrawl.crawling.spiders.newcrawl
from scrapy.utils.misc import load_object
from blogcrawl import settings
for path in (*settings.DOWNLOADER_MIDDLEWARES_BASE, *settings.EXTENSIONS_BASE, settings.SCHEDULER,
             settings.ITEM_PROCESSOR, *filter(None, settings.DOWNLOAD_HANDLERS.values())):
    load_object(path)
print(*sys.modules)
"""
LATER = (
    *("aiohttp", "h11", "msgspec", "numpy", "playwright", "requests", "scipy", "sklearn"),
    *("tldextract", "trafilatura", "babel", "sqlalchemy.dialects.postgresql"),
    *("blogcrawl.extraction", "blogcrawl.induction", "blogcrawl.comments", "blogcrawl.rendering"),
    *("blogcrawl.dates.parse", "blogcrawl.lexicon", "blogcrawl.contrib", "blogcrawl.frontier.knn"),
    *("blogcrawl.packaging.marc", "blogcrawl.packaging.mets", "blogcrawl.discovery.survey"),
)


def test_extraction_is_imported_with_the_first_page() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    early = [name for name in LATER if any(f"{m}.".startswith(f"{name}.") for m in loaded)]
    assert early == []


def test_scrapy_components_have_scrapys_default_order() -> None:
    """Fails where Scrapy moves or renames one: then compare its lists with ours."""
    for ours, theirs in (
        (settings.DOWNLOADER_MIDDLEWARES_BASE, default_settings.DOWNLOADER_MIDDLEWARES_BASE),
        (settings.EXTENSIONS_BASE, default_settings.EXTENSIONS_BASE),
    ):
        kept = {path: order for path, order in ours.items() if path.startswith("scrapy.")}
        assert kept.items() <= theirs.items()


class Doubling:
    made: ClassVar[int] = 0
    events: ClassVar[list[str]] = []

    def __init__(self) -> None:
        Doubling.made += 1

    async def open_spider(self) -> None:
        await asyncio.sleep(0)
        self.events.append("open")

    async def process_item(self, item: Any) -> Any:
        self.events.append("item")
        return 2 * item

    async def close_spider(self) -> None:
        self.events.append("close")


def test_stages_are_created_once_by_the_first_item() -> None:
    Doubling.made, Doubling.events = 0, []

    async def run() -> list[Any]:
        stages = StagesAtFirstItem(get_crawler(settings_dict={"ITEM_PIPELINES": {Doubling: 1}}))
        await stages.open_spider_async()
        assert Doubling.made == 0
        found = await asyncio.gather(*map(stages.process_item_async, (1, 2, 3)))
        await stages.close_spider_async()
        return found

    assert asyncio.run(run()) == [2, 4, 6]
    assert Doubling.made == 1
    assert Doubling.events == ["open", "item", "item", "item", "close"]


def test_stages_are_not_created_without_items() -> None:
    Doubling.made = 0
    stages = StagesAtFirstItem(get_crawler(settings_dict={"ITEM_PIPELINES": {Doubling: 1}}))
    asyncio.run(stages.close_spider_async())
    assert Doubling.made == 0
